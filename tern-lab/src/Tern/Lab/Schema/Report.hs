{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}

-- | What two schemas can read of each other, for people and for programs.
--
-- The JSON form has these fields by these names and carries a version; it only grows.
module Tern.Lab.Schema.Report
  ( -- * What was asked
    Direction (..),
    Asked (..),
    missed,

    -- * For people
    renderVerdicts,

    -- * For programs
    Side (..),
    encodeVerdicts,
  )
where

import Data.ByteString (ByteString)
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Generics (Generic)
import Tern (Wire, encodeJson)
import Tern.Evolution
  ( Compatibility (..),
    Condition (..),
    Mismatch (..),
    Verdict (..),
    renderCondition,
    renderMismatch,
    renderRoute,
    renderVerdict,
  )
import Tern.Lab.Report (Style (..))

-- * What was asked

-- | Who should read whose documents.
data Direction
  = Both
  | -- | The newer schema's programs the older one's documents.
    Backward
  | -- | The older schema's programs the newer one's documents.
    Forward
  deriving stock (Eq, Show)

-- | Strictly, nothing may be refused where it is met.
data Asked = Asked {direction :: !Direction, strictly :: !Bool}
  deriving stock (Eq, Show)

-- | What does not hold of it, in words.
missed :: Asked -> Compatibility -> [Text]
missed Asked {..} Compatibility {oldByNew, newByOld} =
  [ T.concat ["what the old schema has written is ", why, " with the new one"]
    | direction
        /= Forward,
      Just why <-
        [wrong oldByNew]
  ]
    <> [ T.concat ["what the new schema writes is ", why, " with the old one"]
         | direction
             /= Backward,
           Just why <-
             [wrong newByOld]
       ]
  where
    wrong = \case
      Unreadable _ -> Just "not readable"
      ReadableUnless _ | strictly -> Just "refused in part"
      _ -> Nothing

-- * For people

-- | Both sides, and the verdict in each direction with its reasons.
renderVerdicts :: Style -> Side -> Side -> Compatibility -> Text
renderVerdicts Style {colours} old new Compatibility {oldByNew, newByOld} =
  T.unlines
    [ T.concat ["old: ", file old, ", schema ", fingerprint old],
      T.concat ["new: ", file new, ", schema ", fingerprint new],
      T.concat ["old documents, new reader: ", painted oldByNew],
      T.concat ["new documents, old reader: ", painted newByOld]
    ]
  where
    painted verdict
      | colours =
          let (head', rest) =
                T.breakOn "\n" (renderVerdict verdict)
           in T.concat ["\ESC[", colour verdict, "m", head', "\ESC[0m", rest]
      | otherwise = renderVerdict verdict
    colour = \case
      Identical -> "32"
      Readable -> "32"
      ReadableUnless _ -> "33"
      Unreadable _ -> "31"

-- * For programs

-- | A file and its schema's fingerprint.
data Side = Side {file :: !Text, fingerprint :: !Text}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Verdicts = Verdicts
  { format :: !Text,
    old :: !Side,
    new :: !Side,
    oldDocumentsNewReader :: !Found,
    newDocumentsOldReader :: !Found,
    -- | What was asked for and does not hold.
    missing :: ![Text]
  }
  deriving stock (Generic)
  deriving anyclass (Wire)

data Found = Found
  { -- | @identical@, @readable@, @readable unless@ or @unreadable@.
    verdict :: !Text,
    reasons :: ![Ground]
  }
  deriving stock (Generic)
  deriving anyclass (Wire)

-- | A reason: its place in the writer's type and in the reader's, and all of it in a
-- line.
data Ground = Ground {writer :: !Text, reader :: !Text, line :: !Text}
  deriving stock (Generic)
  deriving anyclass (Wire)

-- | As JSON, in one line without its end.
encodeVerdicts :: Asked -> Side -> Side -> Compatibility -> ByteString
encodeVerdicts asked old new both@Compatibility {oldByNew, newByOld} =
  encodeJson
    Verdicts
      { format = "tern-lab schema diff 1",
        oldDocumentsNewReader = found oldByNew,
        newDocumentsOldReader = found newByOld,
        missing = missed asked both,
        ..
      }
  where
    found = \case
      Identical -> Found "identical" []
      Readable -> Found "readable" []
      ReadableUnless conditions ->
        Found
          "readable unless"
          [ Ground
              (renderRoute (conditionWriter c))
              (renderRoute (conditionReader c))
              (renderCondition c)
            | c <-
                conditions
          ]
      Unreadable mismatches ->
        Found
          "unreadable"
          [ Ground (renderRoute (writerRoute m)) (renderRoute (readerRoute m)) (renderMismatch m)
            | m <-
                mismatches
          ]
