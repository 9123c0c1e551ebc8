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

import Control.Concurrent (threadDelay)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as L
import Data.Maybe (listToMaybe, mapMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import System.IO (hClose)
import System.IO.Temp (withSystemTempFile)
import Tern.Lab.History.Git (Commit (..), Repository, git)
import Tern.Lab.History.Problem (Problem (..))
import Tern.Lab.History.Record (Record (..))
import Tern.Lab.History.Record.Json (decodeRecord, encodeRecord)

-- | The record of a commit for a plan, if one was shared. What cannot be read
-- is as if it were not there.
readNote :: Repository -> Text -> Text -> Commit -> IO (Maybe Record)
readNote repository ref plan commit = do
  rows <- noteRows repository ref (commitHash commit)
  pure (listToMaybe (mapMaybe (of' plan) rows))
  where
    of' key row = case T.breakOn " " row of
      (name, json)
        | name == key,
          Right record <- decodeRecord (T.encodeUtf8 (T.strip json)),
          commitHash (recordCommit record) == commitHash commit ->
            Just record
      _ -> Nothing

-- | Put a record into the note of its commit, in place of that plan's older one.
writeNote :: Repository -> Text -> Text -> Record -> IO (Either Problem ())
writeNote repository ref plan record = do
  -- A machine that only measures may have nobody's name.
  known <- git repository ["var", "GIT_COMMITTER_IDENT"]
  let identity =
        either
          ( const
              [ "-c",
                "user.name=tern-lab",
                "-c",
                "user.email=tern-lab@localhost"
              ]
          )
          (const [])
          known
  withSystemTempFile "note" $ \file handle -> hClose handle >> attempt (20 :: Int) identity file
  where
    -- The note may be too long for an argument. While another process writes one
    -- git refuses, and what that has written belongs to this one too.
    attempt n identity file = do
      rows <- noteRows repository ref hash
      B.writeFile
        file
        ( T.encodeUtf8
            ( T.unlines
                ( filter ((/= plan) . fst . T.breakOn " ") rows
                    <> [line]
                )
            )
        )
      git
        repository
        ( identity
            <> [ "notes",
                 "--ref="
                   <> T.unpack ref,
                 "add",
                 "--force",
                 "--file=" <> file,
                 T.unpack hash
               ]
        )
        >>= \case
          Right _ -> pure (Right ())
          Left (GitRefused _ said)
            | n > 1,
              "lock" `T.isInfixOf` said ->
                threadDelay 50_000 >> attempt (n - 1) identity file
          Left problem -> pure (Left problem)
    line = T.concat [plan, " ", T.decodeUtf8Lenient (L.toStrict (encodeRecord record))]
    hash = commitHash (recordCommit record)

noteRows :: Repository -> Text -> Text -> IO [Text]
noteRows repository ref hash =
  either (const []) (filter (not . T.null) . T.lines)
    <$> git repository ["notes", "--ref=" <> T.unpack ref, "show", T.unpack hash]
