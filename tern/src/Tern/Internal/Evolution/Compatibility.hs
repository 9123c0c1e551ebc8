{-# LANGUAGE OverloadedStrings #-}

-- | What two schemas can read of each other.
--
-- The idea: there is a verdict for each direction, and both are found by what a reader
-- would do.
module Tern.Internal.Evolution.Compatibility
  ( Compatibility (..),
    Verdict (..),
    compatibility,
    isReadable,
    renderCompatibility,
    renderVerdict,
  )
where

import Data.Text (Text)
import Data.Text qualified as T
import Tern.Internal.Evolution.Changes (Evolution)
import Tern.Internal.Evolution.Mismatch (Condition, Mismatch, renderCondition, renderMismatch)
import Tern.Internal.Evolution.Reading (Reading (..), readingOf, sameBytes)
import Tern.Shape (Shape)

-- | The verdict on each direction.
data Compatibility = Compatibility
  { -- | Documents of the older schema, read by the newer one.
    oldByNew :: !Verdict,
    -- | Documents of the newer schema, read by the older one.
    newByOld :: !Verdict
  }
  deriving stock (Eq, Show)

-- | What a reader does with documents of another schema.
data Verdict
  = -- | They are its own, byte by byte.
    Identical
  | -- | It reads all of them.
    Readable
  | -- | It reads those in which nothing of this is met.
    ReadableUnless [Condition]
  | -- | It reads none of them.
    Unreadable [Mismatch]
  deriving stock (Eq, Show)

-- | The verdicts on an older schema and a newer one, which the changes are of. The older
-- one's programs are taken to know of no changes.
compatibility :: Evolution -> Shape -> Shape -> Compatibility
compatibility evolution old new =
  Compatibility {oldByNew = verdict evolution old new, newByOld = verdict mempty new old}
  where
    verdict changes theirs ours = case readingOf changes theirs ours of
      Left mismatches -> Unreadable mismatches
      Right reading
        | conditions@(_ : _) <- refusedWhereMet reading -> ReadableUnless conditions
        | sameBytes reading -> Identical
        | otherwise -> Readable

-- | Is there anything that is read?
isReadable :: Verdict -> Bool
isReadable = \case
  Unreadable _ -> False
  _ -> True

-- | A line for each direction, and one for each thing that keeps it from being read.
renderCompatibility :: Compatibility -> Text
renderCompatibility (Compatibility forwards backwards) =
  T.intercalate
    "\n"
    [ "old documents, new reader: "
        <> renderVerdict forwards,
      "new documents, old reader: " <> renderVerdict backwards
    ]

-- | The verdict, and an indented line for each of its reasons, of which there are
-- twenty at most.
renderVerdict :: Verdict -> Text
renderVerdict = \case
  Identical -> "the same bytes"
  Readable -> "readable"
  ReadableUnless conditions ->
    lines' "readable, but for what is refused where it is met" (map renderCondition conditions)
  Unreadable mismatches -> lines' "not readable" (map renderMismatch mismatches)
  where
    lines' verdict reasons =
      T.intercalate
        "\n"
        ( verdict
            : map ("  " <>) (take 20 reasons <> ["and more" | not (null (drop 20 reasons))])
        )
