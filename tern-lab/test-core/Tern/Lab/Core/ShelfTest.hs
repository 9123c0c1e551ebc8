-- | How long folders stay that can be made again.
--
-- Its one idea: some are made, their locks are made old, and a new one is made.
module Tern.Lab.Core.ShelfTest (tests) where

import Control.Monad (filterM, void)
import Data.List (sort)
import GHC.IO.Device (IODeviceType (..))
import GHC.IO.FD (FD (..))
import GHC.IO.Handle.FD (mkHandleFromFD)
import GHC.IO.Handle.Lock (LockMode (..), hTryLock)
import System.Directory (createDirectory, doesDirectoryExist, doesFileExist, listDirectory)
import System.FilePath ((</>))
import System.IO (Handle, IOMode (..), hClose)
import System.IO.Temp (withSystemTempDirectory)
import System.Posix.Files (setFileTimes)
import System.Posix.IO (OpenMode (..), defaultFileFlags, openFd)
import System.Posix.Time (epochTime)
import Tern.Lab.Core.Shelf (lockOf, using)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "folders that can be made again"
    [ testCase "what nobody used for long goes when a new one is made" . onShelf $ \shelf -> do
        made shelf "theirs, 6 days" "theirs" 6
        made shelf "theirs, 8 days" "theirs" 8
        made shelf "ours, 8 days" "ours" 8
        made shelf "ours, 29 days" "ours" 29
        made shelf "ours, 31 days" "ours" 31
        use shelf "new" "ours"
        left shelf ["new", "ours, 29 days", "ours, 8 days", "theirs, 6 days"]
        -- Another process may wait for it.
        doesFileExist (lockOf (shelf </> "ours, 31 days")) >>= assertBool "its lock is gone",
      testCase "nothing goes when one is used again" . onShelf $ \shelf -> do
        made shelf "known" "ours" 1
        made shelf "old" "theirs" 90
        use shelf "known" "ours"
        left shelf ["known", "old"],
      testCase "who uses one again keeps it" . onShelf $ \shelf -> do
        made shelf "old" "ours" 31
        use shelf "old" "ours"
        use shelf "new" "ours"
        left shelf ["new", "old"],
      testCase "what another process uses stays" . onShelf $ \shelf -> do
        made shelf "old" "theirs" 90
        handle <- likeAnotherProcess (lockOf (shelf </> "old"))
        hTryLock handle ExclusiveLock >>= assertBool "the lock is not free"
        use shelf "new" "ours"
        left shelf ["new", "old"]
        hClose handle
        use shelf "newer" "ours"
        left shelf ["new", "newer"],
      testCase "who comes second is told, and waits" . onShelf $ \shelf -> do
        made shelf "one" "ours" 0
        handle <- likeAnotherProcess (lockOf (shelf </> "one"))
        hTryLock handle ExclusiveLock >>= assertBool "the lock is not free"
        using (shelf </> "one") "ours" (hClose handle) (pure ())
    ]
  where
    onShelf = withSystemTempDirectory "tern-lab-shelf"
    use shelf name maker = using (shelf </> name) maker told (void (createOnce (shelf </> name)))
    told = assertFailure "nobody holds it"
    createOnce place = do
      there <- doesDirectoryExist place
      if there then pure () else createDirectory place
    made shelf name maker days = do
      use shelf name maker
      now <- epochTime
      let then' = now - 24 * 60 * 60 * days
      setFileTimes (lockOf (shelf </> name)) then' then'
    left shelf expected = do
      names <- listDirectory shelf >>= filterM (doesDirectoryExist . (shelf </>))
      sort names @?= expected

-- | A handle that this process's own table of open files does not know, so that its lock is
-- another's.
likeAnotherProcess :: FilePath -> IO Handle
likeAnotherProcess file = do
  fd <- openFd file ReadWrite defaultFileFlags
  mkHandleFromFD (FD (fromIntegral fd) 0) RegularFile file ReadWriteMode False Nothing
