-- | Files that one writer has for himself, and bytes that are on the disk before one goes
-- on.
--
-- The idea: all are calls of the system for an open file (@cbits\/tern_disk.c@). A lock
-- belongs to one opening of a file, and is gone when that is closed, or the process has
-- ended, however it did.
--
-- What callers owe: nothing. A handle that is closed throws.
module Tern.Prim.Disk
  ( -- * Locks
    lockHandle,
    unlockHandle,
    lockingPath,
    isAt,

    -- * What is at a path
    Found (..),
    lookAt,
    lookHere,
    mustBeWritable,

    -- * Bytes
    likeFile,
    writeHandle,
    syncHandle,
    syncFolder,
  )
where

import Control.Exception (bracket, onException, throwIO)
import Control.Monad (void, when)
import Data.ByteString.Internal (ByteString (..))
import Data.Word (Word8)
import Foreign.C
  ( CInt (..),
    CString,
    eNOENT,
    getErrno,
    throwErrno,
    throwErrnoIfMinus1,
    throwErrnoIfMinus1_,
    throwErrnoPath,
  )
import Foreign.ForeignPtr (withForeignPtr)
import Foreign.Ptr (Ptr)
import GHC.IO.FD (FD (..))
import GHC.IO.Handle.FD (handleToFd)
import System.IO (Handle)
import System.IO.Error (alreadyInUseErrorType, mkIOError)
import System.Posix.Internals (withFilePath)

foreign import ccall unsafe "tern_lock" c_lock :: CInt -> IO CInt

foreign import ccall unsafe "tern_unlock" c_unlock :: CInt -> IO CInt

foreign import ccall unsafe "tern_open" c_open :: CString -> IO CInt

foreign import ccall unsafe "tern_close" c_close :: CInt -> IO CInt

foreign import ccall unsafe "tern_same" c_same :: CInt -> CString -> IO CInt

foreign import ccall unsafe "tern_found" c_found :: CString -> CInt -> IO CInt

foreign import ccall unsafe "tern_writable" c_writable :: CString -> IO CInt

foreign import ccall unsafe "tern_like" c_like :: CInt -> CString -> IO CInt

-- Safe, here and below: it may take as long as a disk does.
foreign import ccall safe "tern_write" c_write :: CInt -> Ptr Word8 -> Int -> IO CInt

foreign import ccall safe "tern_sync" c_sync :: CInt -> IO CInt

-- | Lock what is open, or fail with an error of which @isAlreadyInUseError@
-- holds, where somebody else has: in this process or in another. It waits for nobody.
lockHandle :: FilePath -> Handle -> IO ()
lockHandle path h = handleToFd h >>= locked path . fdFD

-- | Let the lock go, before the handle is closed: a program that was started just before it
-- was locked may have the file open as well, and would keep it.
unlockHandle :: Handle -> IO ()
unlockHandle h = do
  FD {fdFD = fd} <- handleToFd h
  throwErrnoIfMinus1_ "unlock" (c_unlock fd)

locked :: FilePath -> CInt -> IO ()
locked path fd = do
  busy <- throwErrnoIfMinus1 "lock" (c_lock fd)
  when (busy == 1) $
    throwIO (mkIOError alreadyInUseErrorType "another writer has the file" Nothing (Just path))

-- | Do something while nobody else has the file at a path locked; also where there is none.
lockingPath :: FilePath -> IO r -> IO r
lockingPath path act = bracket open close (const act)
  where
    open = do
      fd <- withFilePath path c_open
      failure <- getErrno
      if fd == -1
        then if failure == eNOENT then pure fd else throwErrnoPath "open" path
        else fd <$ (locked path fd `onException` c_close fd)
    close fd = when (fd /= -1) (void (c_close fd))

-- | Is what is open still what the path leads to? It may have been renamed.
isAt :: FilePath -> Handle -> IO Bool
isAt path h = do
  FD {fdFD = fd} <- handleToFd h
  (/= 0) <$> withFilePath path (c_same fd)

-- | What stands at a path.
data Found
  = Nowhere
  | RegularFile
  | Folder
  | Link
  | -- | A device, a pipe with a name, a socket.
    Special
  deriving stock (Bounded, Enum, Eq, Show)

-- | What a path leads to, which is no 'Link'. Links that lead to nothing are 'Nowhere'; links in
-- a circle are an error.
lookAt :: FilePath -> IO Found
lookAt = finding 1

-- | What stands at a path itself, a link or not.
lookHere :: FilePath -> IO Found
lookHere = finding 0

finding :: CInt -> FilePath -> IO Found
finding follow path = do
  n <- withFilePath path (`c_found` follow)
  if n == -1 then throwErrnoPath "look at" path else pure (toEnum (fromIntegral n))

-- | Fail unless the process may write to what a path leads to.
mustBeWritable :: FilePath -> IO ()
mustBeWritable path = do
  n <- withFilePath path c_writable
  when (n == -1) (throwErrnoPath "write" path)

-- | Give what is open the owner, the group and the permissions of the file at a path, as far as
-- the process may. What it may not is never more than somebody had before: without the
-- owner or the group, bits that lend their rights are gone, and another group may do what
-- everybody may.
likeFile :: FilePath -> Handle -> IO ()
likeFile path h = do
  FD {fdFD = fd} <- handleToFd h
  n <- withFilePath path (c_like fd)
  when (n == -1) (throwErrnoPath "keep the permissions of" path)

-- | Write bytes where a file stands, past the handle's buffer. So nothing is left in that
-- which would be written later, where it no longer belongs, once a disk is full; and an
-- asynchronous exception comes before or after the bytes.
writeHandle :: Handle -> ByteString -> IO ()
writeHandle h (BS bytes n) = do
  FD {fdFD = fd} <- handleToFd h
  withForeignPtr bytes $ \p -> throwErrnoIfMinus1_ "write" (c_write fd p n)

-- | Wait until the disk has all that was written to a file; what has no disk, as a pipe, is
-- not waited for.
syncHandle :: Handle -> IO ()
syncHandle h = do
  FD {fdFD = fd} <- handleToFd h
  throwErrnoIfMinus1_ "sync" (c_sync fd)

-- | Wait until the disk has a folder as it is: which files are in it, and their names.
syncFolder :: FilePath -> IO ()
syncFolder path = bracket (withFilePath path c_open) close $ \fd ->
  if fd == -1 then throwErrno "open" else throwErrnoIfMinus1_ "sync" (c_sync fd)
  where
    close fd = when (fd /= -1) (void (c_close fd))
