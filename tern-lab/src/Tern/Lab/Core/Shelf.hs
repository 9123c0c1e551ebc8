-- | A shelf of folders that can be made again.
--
-- Its one idea: beside each folder lies its lock, which who uses the folder holds, and writes
-- anew. So a lock says when its folder was used last and what made it, and folders that nobody
-- used for long go when a new one is made.
--
-- Start at 'using'.
module Tern.Lab.Core.Shelf
  ( using,
    lockOf,
  )
where

import Control.Exception (IOException, try)
import Control.Monad (unless, when)
import Data.ByteString.Char8 qualified as B
import Data.Foldable (for_)
import GHC.Fingerprint (fingerprintString)
import GHC.IO.Handle.Lock (LockMode (..), hLock, hTryLock)
import System.Directory
  ( createDirectoryIfMissing,
    doesDirectoryExist,
    listDirectory,
    removePathForcibly,
  )
import System.FilePath (dropExtension, takeDirectory, takeExtension, (<.>), (</>))
import System.IO (Handle, IOMode (..), hFlush, hSetFileSize, withFile)
import System.Posix.Files (getFileStatus, modificationTime)
import System.Posix.Time (epochTime)
import System.Posix.Types (EpochTime)

-- | Use a folder alone, which need not be there. What it is made by decides how long it stays:
-- 30 days after its last use, or 7 once others are made by something else. The message is for who
-- waits.
using :: FilePath -> String -> IO () -> IO a -> IO a
using place maker waiting use = do
  createDirectoryIfMissing True shelf
  there <- doesDirectoryExist place
  withFile (lockOf place) ReadWriteMode $ \lock -> do
    free <- hTryLock lock ExclusiveLock
    unless free (waiting >> hLock lock ExclusiveLock)
    signed lock by
    unless there (epochTime >>= cleared shelf by)
    use
  where
    shelf = takeDirectory place
    by = B.pack (show (fingerprintString maker))

-- | The lock of a folder. It stays when the folder goes, since another process may wait for it.
lockOf :: FilePath -> FilePath
lockOf place = place <.> "lock"

signed :: Handle -> B.ByteString -> IO ()
signed lock by = hSetFileSize lock 0 >> B.hPut lock by >> hFlush lock

-- | Remove what nobody used for long, but for what cannot be removed or is in use.
cleared :: FilePath -> B.ByteString -> EpochTime -> IO ()
cleared shelf by now = do
  names <- listDirectory shelf
  for_ [shelf </> dropExtension name | name <- names, takeExtension name == ".lock"] $ \place ->
    try' . whenOld place (7 * day) . withFile (lockOf place) ReadWriteMode $ \lock -> do
      free <- hTryLock lock ExclusiveLock
      when free $ do
        maker <- B.hGet lock (B.length by + 1)
        whenOld place (day * if maker == by then 30 else 7) (removePathForcibly place)
  where
    try' act = do
      result <- try act :: IO (Either IOException ())
      either (const (pure ())) pure result
    whenOld place age act = do
      used <- modificationTime <$> getFileStatus (lockOf place)
      there <- doesDirectoryExist place
      when (there && now - used > age) act
    day = 24 * 60 * 60
