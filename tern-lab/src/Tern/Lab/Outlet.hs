-- | Where results will go, looked at before the work whose results they are.
--
-- The idea: what cannot be written is said at once, and not after an hour of measuring. A
-- file's folder is tried as writing it will try it. A pipe with a name is opened, which
-- fails where nobody reads it, and it stays open as long as the process lives: its reader
-- would take the closing for the end of what is to come. Who starts the reader beside it is
-- waited for, a second.
--
-- Start at 'ready'.
module Tern.Lab.Outlet
  ( ready,
  )
where

import Control.Concurrent (threadDelay)
import Control.Exception (throwIO, try)
import Control.Monad (when)
import Foreign.C.Error (Errno (..), eNXIO)
import GHC.IO.Exception (IOException (ioe_errno))
import System.Posix.Files (FileStatus, getFileStatus, isNamedPipe, isSocket)
import System.Posix.IO (OpenFileFlags (..), OpenMode (WriteOnly), defaultFileFlags, openFd)
import Tern.File (canWriteWhole)

-- | Throw as 'Tern.File.writeWhole' would. Nothing that is there is touched. A pipe is held by
-- this process alone, and not by the programs that it starts.
ready :: FilePath -> IO ()
ready path = do
  canWriteWhole path
  there <- try (getFileStatus path) :: IO (Either IOException FileStatus)
  when (either (const False) (\found -> isNamedPipe found || isSocket found) there) $ do
    opened (10 :: Int)
  where
    opened tries =
      try (openFd path WriteOnly defaultFileFlags {nonBlock = True, cloexec = True}) >>= \case
        Right _ -> pure ()
        Left failure
          | tries > 0,
            fmap Errno (ioe_errno failure) == Just eNXIO -> do
              threadDelay 100000
              opened (tries - 1)
          | otherwise -> throwIO failure
