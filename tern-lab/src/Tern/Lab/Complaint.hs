-- | Why a command did not do what it was asked for.
--
-- A complaint is one line, which says where, what was expected and what to do.
-- It is a value until the frame in "Tern.Lab.Verb" prints it and exits.
module Tern.Lab.Complaint
  ( Complaint (..),
    renderComplaint,
    complaintCode,
    withoutVerdict,
    readingFile,
    writingFile,
    refusal,
  )
where

import Control.Exception (try)
import Control.Monad.Trans.Except (ExceptT (..))
import Data.Bifunctor (first)
import Foreign.C.Error (Errno (..), eNXIO)
import GHC.IO.Exception (IOException (..))
import System.IO.Error (ioeGetErrorString, isDoesNotExistError, isPermissionError)

-- | What a command says where it does not do what it was asked for: the line, without the
-- program's name. The constructor decides the exit code.
data Complaint
  = -- | The command line does not make sense. Exit code 2.
    UsageComplaint String
  | -- | What it was pointed at does not fit. Exit code 1.
    DataComplaint String
  | -- | There is no verdict, where an exit code of 1 would be one. Exit code 2.
    NoVerdict String
  deriving stock (Eq, Show)

-- | Without the line's end.
--
-- >>> renderComplaint (DataComplaint "a.json: no such file")
-- "tern-lab: a.json: no such file"
renderComplaint :: Complaint -> String
renderComplaint = \case
  UsageComplaint line -> "tern-lab: " <> line
  DataComplaint line -> "tern-lab: " <> line
  NoVerdict line -> "tern-lab: " <> line

-- | 2 for usage and where there is no verdict, 1 for data.
complaintCode :: Complaint -> Int
complaintCode = \case
  UsageComplaint _ -> 2
  DataComplaint _ -> 1
  NoVerdict _ -> 2

-- | The same complaint of a command that answers a question by its exit code.
withoutVerdict :: Complaint -> Complaint
withoutVerdict = \case
  DataComplaint line -> NoVerdict line
  other -> other

-- | An action on a file, whose refusal by the system is a complaint about the
-- data; the last text says what was expected there.
readingFile :: FilePath -> String -> IO a -> ExceptT Complaint IO a
readingFile path expected act = ExceptT (first complaint <$> try act)
  where
    complaint :: IOException -> Complaint
    complaint failure = DataComplaint (path <> ": " <> why failure <> "; expected " <> expected)
    why failure
      | isDoesNotExistError failure = "no such file"
      | isPermissionError failure = "not allowed to read it"
      | otherwise = ioeGetErrorString failure

-- | An action that writes a file, whose refusal by the system is a complaint.
writingFile :: FilePath -> IO a -> ExceptT Complaint IO a
writingFile path act = ExceptT (first complaint <$> try act)
  where
    complaint :: IOException -> Complaint
    complaint failure =
      DataComplaint
        (concat [path, ": ", refusal failure, "; expected a file that can be written"])

-- | What the system said of a file that is to be written, without the file's name.
refusal :: IOException -> String
refusal failure
  -- What the system calls no such device is a pipe without a reader, or a socket.
  | fmap Errno (ioe_errno failure) == Just eNXIO = "nobody reads it"
  | otherwise = ioeGetErrorString failure <> why (ioe_description failure)
  where
    why = \case
      "" -> ""
      said -> " (" <> said <> ")"
