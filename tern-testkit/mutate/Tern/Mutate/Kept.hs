{-# LANGUAGE OverloadedStrings #-}

-- | What was found so far, in a file to which each run adds a line; so a run that was
-- interrupted goes on where it was.
--
-- A line holds for the very program that was run: its key is made of the suite's
-- executable, the pattern and the bug.
module Tern.Mutate.Kept
  ( Key,
    keyOf,
    Kept,
    readKept,
    lookupKept,
    keep,
  )
where

import Data.ByteString qualified as B
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (mapMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Text.Encoding.Error (lenientDecode)
import GHC.Fingerprint (Fingerprint, fingerprintString)
import System.Directory (createDirectoryIfMissing, doesFileExist)
import System.FilePath (takeDirectory)
import Tern.Mutate.Run (Outcome (..))
import Text.Read (readMaybe)

-- | 32 hexadecimal digits.
type Key = Text

-- | Of an executable's contents, a pattern, and the bug's name where one is on.
keyOf :: Fingerprint -> Text -> Maybe Text -> Key
keyOf executable pattern_ bug = T.pack (show (fingerprintString (show (executable, pattern_, bug))))

-- | How the run of each key ended, and its time in seconds. Of several lines of a key the last
-- counts.
newtype Kept = Kept (Map Key (Outcome, Double))

-- | Lines that cannot be read are no lines: a last one may have been cut.
readKept :: FilePath -> IO Kept
readKept path = do
  present <- doesFileExist path
  text <- if present then T.decodeUtf8With lenientDecode <$> B.readFile path else pure ""
  pure (Kept (Map.fromList (mapMaybe (row . T.splitOn "\t") (T.lines text))))
  where
    row = \case
      [key, kind, detail, time] -> do
        outcome <- outcomeFrom kind detail
        seconds <- readMaybe (T.unpack time)
        Just (key, (outcome, seconds))
      _ -> Nothing

-- | How the run of a key ended, and its time in seconds.
lookupKept :: Key -> Kept -> Maybe (Outcome, Double)
lookupKept key (Kept found) = Map.lookup key found

-- | Add a line.
keep :: FilePath -> Key -> (Outcome, Double) -> IO ()
keep path key (outcome, seconds) = do
  createDirectoryIfMissing True (takeDirectory path)
  B.appendFile
    path
    ( T.encodeUtf8
        ( T.intercalate "\t" [key, kind, detail, T.pack (show seconds)]
            <> "\n"
        )
    )
  where
    (kind, detail) = case outcome of
      Caught name -> ("caught", T.map (\c -> if c == '\t' then ' ' else c) name)
      Crashed status -> ("crashed", shown status)
      Hung limit -> ("hung", shown limit)
      Grew limit -> ("grew", shown limit)
      Missed n -> ("missed", shown n)
    shown = T.pack . show

outcomeFrom :: Text -> Text -> Maybe Outcome
outcomeFrom kind detail = case kind of
  "caught" -> Just (Caught detail)
  "crashed" -> Crashed <$> number
  "hung" -> Hung <$> number
  "grew" -> Grew <$> number
  "missed" -> Missed <$> number
  _ -> Nothing
  where
    number = readMaybe (T.unpack detail)
