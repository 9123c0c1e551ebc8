{-# LANGUAGE OverloadedStrings #-}

-- | Records in git notes, so that a team and its CI measure a commit once.
--
-- Its one idea: a note is one line of JSON for each plan that the commit was
-- measured by: the plan's fingerprint, a space, and the record. Notes are pushed
-- and fetched like branches and change no commit. This is the only part of the
-- laboratory that writes to the user's repository, and only where it was asked
-- to.
--
-- Start at 'readNote' and 'writeNote'.
module Tern.Lab.History.Notes
  ( readNote,
    writeNote,
  )
where

import Control.Monad (void)
import Data.ByteString.Lazy qualified as L
import Data.Maybe (listToMaybe, mapMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Tern.Lab.History.Git
import Tern.Lab.History.Problem
import Tern.Lab.History.Record
import Tern.Lab.History.Record.Json

-- | The record of a commit for a plan, if one was shared. What cannot be read
-- is as if it were not there.
readNote :: Repository -> Text -> Text -> Commit -> IO (Maybe Record)
readNote repository ref plan commit = do
  rows <- noteRows repository ref (commitHash commit)
  pure (listToMaybe (mapMaybe (of' plan) rows))
  where
    of' key row = case T.breakOn " " row of
      (name, json)
        | name == key, Right record <- decodeRecord (T.encodeUtf8 (T.strip json)), commitHash (recordCommit record) == commitHash commit -> Just record
      _ -> Nothing

-- | Put a record into the note of its commit, in place of that plan's older one.
writeNote :: Repository -> Text -> Text -> Record -> IO (Either Problem ())
writeNote repository ref plan record = do
  rows <- noteRows repository ref hash
  let others = filter ((/= plan) . fst . T.breakOn " ") rows
      line = T.concat [plan, " ", T.decodeUtf8Lenient (L.toStrict (encodeRecord record))]
  void <$> git repository ["notes", "--ref=" <> T.unpack ref, "add", "--force", "--message=" <> T.unpack (T.intercalate "\n" (others <> [line])), T.unpack hash]
  where
    hash = commitHash (recordCommit record)

noteRows :: Repository -> Text -> Text -> IO [Text]
noteRows repository ref hash =
  either (const []) (filter (not . T.null) . T.lines) <$> git repository ["notes", "--ref=" <> T.unpack ref, "show", T.unpack hash]
