-- | The system's descriptors: who owns them, and the calls that take them. The unsafe
-- room of WASI.
--
-- The idea: a number of the system stands in one place, an 'Owned'. Who wants to use
-- it is counted, and it is closed when it was given back and nobody uses it any more;
-- so no call is made with a number that the system may have given to somebody else,
-- whatever other threads do. What nothing refers to is closed by the collector.
--
-- What a caller owes: an 'Fd' from 'using' or 'opened' is not kept beyond the action.
--
-- Start at 'Owned'. The calls are those of @cbits/tern_wasi.c@.
module Tern.Wasm.Wasi.System
  ( -- * Descriptors
    Owned,
    Fd,
    duplicate,
    root,
    adopt,
    using,
    release,
    opened,

    -- * Files
    Status (..),
    FileType (..),
    status,
    statusAt,
    Access (..),
    file,
    folder,
    look,
    beneath,
    closeQuietly,
    setTimes,
    setTimesAt,
    resize,
    synchronise,
    setAppend,

    -- * Names
    linkText,
    makeFolder,
    removeFolder,
    removeFile,
    rename,
    link,
    symlink,
    entries,

    -- * Content
    readStream,
    readFile,
    writeFile,
    readAt,
    writeAt,
    Whence (..),
    seek,

    -- * Waiting, chance and clocks
    Interest (..),
    Ready (..),
    poll,
    waiting,
    random,
    Clock (..),
    clockTime,
    clockResolution,
  )
where

import Control.Exception (bracket, mask, mask_, onException)
import Control.Monad (void, zipWithM_)
import Data.Bits (testBit)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.IORef (IORef, atomicModifyIORef', mkWeakIORef, newIORef)
import Data.Int (Int32, Int64)
import Data.Word (Word64, Word8)
import Foreign.C.String (CString)
import Foreign.C.Types (CInt (..))
import Foreign.Marshal.Alloc (allocaBytes)
import Foreign.Marshal.Array (allocaArray, peekArray)
import System.Posix.Internals (withFilePath)
import System.Posix.Types qualified as Posix
import Tern.Wasm.Prim (Ptr, castPtr, peekElemOff, pokeElemOff)
import Tern.Wasm.Wasi.Errno (Errno (..), errnoOf)
import Prelude hiding (readFile, writeFile)

-- * Descriptors

-- | A descriptor of the system, its users counted.
newtype Owned = Owned (IORef Holding)

-- | The number, how many use it, and whether it is to be closed by the last of them;
-- nothing once it is closed.
data Holding = Held !Fd !Int !Bool | Closed

-- | A number of the system's for an open file. It keeps nothing open.
newtype Fd = Fd CInt

-- | Take over a descriptor that nobody else closes.
adopt :: Fd -> IO Owned
adopt fd = do
  ref <- newIORef (Held fd 0 False)
  _ <- mkWeakIORef ref (void (release (Owned ref)))
  pure (Owned ref)

owned :: IO (Either Errno Fd) -> IO (Either Errno Owned)
owned open = mask_ (open >>= either (pure . Left) (fmap Right . adopt))

-- | The open file of a descriptor of the host, under a number of our own.
duplicate :: Posix.Fd -> IO (Either Errno Owned)
duplicate (Posix.Fd fd) = owned (said Fd (c_dup fd))

-- | A directory of the host, by its path.
root :: FilePath -> IO (Either Errno Owned)
root path = owned (withFilePath path (said Fd . c_root))

-- | Use it; 'EBADF' if it was given back.
using :: Owned -> (Fd -> IO (Either Errno a)) -> IO (Either Errno a)
using (Owned ref) f = mask $ \restore ->
  atomicModifyIORef' ref enter >>= \case
    Nothing -> pure (Left EBADF)
    Just fd -> do
      r <- restore (f fd) `onException` leave
      r <$ leave
  where
    enter = \case
      Held fd n False -> (Held fd (n + 1) False, Just fd)
      other -> (other, Nothing)
    leave = atomicModifyIORef' ref left >>= mapM_ closeQuietly
    left = \case
      Held fd 1 True -> (Closed, Just fd)
      Held fd n closing -> (Held fd (n - 1) closing, Nothing)
      Closed -> (Closed, Nothing)

-- | Give it back: it is closed now, or by the last one who uses it.
release :: Owned -> IO (Either Errno ())
release (Owned ref) =
  mask_ $
    atomicModifyIORef' ref end >>= \case
      Nothing -> pure (Left EBADF)
      Just act -> Right <$> mapM_ closeQuietly act
  where
    end = \case
      Held fd 0 _ -> (Closed, Just (Just fd))
      Held fd n False -> (Held fd n True, Just Nothing)
      other -> (other, Nothing)

-- | Use a descriptor that is open only as long as the action.
opened :: IO (Either Errno Fd) -> (Fd -> IO (Either Errno a)) -> IO (Either Errno a)
opened open f = bracket open (either (const (pure ())) closeQuietly) (either (pure . Left) f)

-- | Close a descriptor, to be done once; what the system says of it is dropped.
closeQuietly :: Fd -> IO ()
closeQuietly (Fd fd) = void (c_close fd)

-- * Files

-- | WASI's types of files, in the order of their numbers. A pipe is 'Unknown'.
data FileType
  = Unknown
  | BlockDevice
  | CharacterDevice
  | Directory
  | RegularFile
  | DatagramSocket
  | StreamSocket
  | SymbolicLink
  deriving stock (Eq, Show, Enum, Bounded)

-- | What the system says of a file; times in nanoseconds since 1970.
data Status = Status
  { statusDevice :: !Word64,
    statusNode :: !Word64,
    statusKind :: !FileType,
    statusLinks :: !Word64,
    statusSize :: !Word64,
    statusTimes :: !(Word64, Word64, Word64),
    statusPipe :: !Bool
  }

-- | What the system says of an open file.
status :: Fd -> IO (Either Errno Status)
status (Fd fd) = statusBy (c_status fd)

-- | Of a name in a directory; of a link, of itself.
statusAt :: Fd -> ByteString -> IO (Either Errno Status)
statusAt (Fd fd) name = named name (statusBy . c_status_at fd)

statusBy :: (Ptr Word64 -> IO CInt) -> IO (Either Errno Status)
statusBy ask =
  allocaArray 9 $ \p -> said (const ()) (ask p) >>= mapM (const (row <$> peekArray 9 p))
  where
    row = \case
      [device, node, kind, links, size, a, m, c, pipe] ->
        Status device node (toEnum (fromIntegral (min 7 kind))) links size (a, m, c) (pipe /= 0)
      -- Nine are read.
      _ -> Status 0 0 Unknown 0 0 (0, 0, 0) False

-- | How to open a file.
data Access = Access
  { accessRead :: !Bool,
    accessWrite :: !Bool,
    accessCreate :: !Bool,
    accessExclusive :: !Bool,
    accessTruncate :: !Bool,
    accessAppend :: !Bool,
    accessDataSync :: !Bool,
    accessSync :: !Bool
  }

-- | A file by its name in a directory; 'ELOOP' for a link.
file :: Fd -> ByteString -> Access -> IO (Either Errno Owned)
file (Fd fd) name how = owned (named name (\p -> said Fd (c_file fd p bits)))
  where
    bits = sum [2 ^ k | (k, True) <- zip [0 :: Int ..] flags]
    flags =
      [ accessRead
          how,
        accessWrite how,
        accessCreate how,
        accessExclusive how,
        accessTruncate how,
        accessAppend how,
        accessDataSync how,
        accessSync how
      ]

-- | A directory by its name in another; no link.
folder :: Fd -> ByteString -> IO (Either Errno Owned)
folder (Fd fd) name = owned (named name (said Fd . c_folder fd))

-- | What a name stands for, itself, not opened. For 'opened', or to be closed by
-- 'closeQuietly'.
look :: Fd -> ByteString -> IO (Either Errno Fd)
look (Fd fd) name = named name (said Fd . c_look fd)

-- | The directory at a path below another, as the kernel finds it; 'ENOSYS' where it
-- cannot, or where there is a link on the way.
beneath :: Fd -> ByteString -> IO (Either Errno Fd)
beneath (Fd fd) path = named path (said Fd . c_beneath fd)

-- | Times of access and of change, and the four bits of WASI that say which.
setTimes :: Fd -> Word64 -> Word64 -> Int -> IO (Either Errno ())
setTimes (Fd fd) a m bits = said (const ()) (c_times fd a m (fromIntegral bits))

-- | The same of a name in a directory; of a link, of itself.
setTimesAt :: Fd -> ByteString -> Word64 -> Word64 -> Int -> IO (Either Errno ())
setTimesAt (Fd fd) name a m bits =
  named name (\p -> said (const ()) (c_times_at fd p a m (fromIntegral bits)))

-- | Give a file this number of bytes: cut, or with zeroes at its end.
resize :: Fd -> Int64 -> IO (Either Errno ())
resize (Fd fd) n = said (const ()) (c_resize fd n)

-- | Wait until the content is on the disk, and all else of it too if wanted.
synchronise :: Bool -> Fd -> IO (Either Errno ())
synchronise everything (Fd fd) = said (const ()) (c_sync fd (if everything then 1 else 0))

-- | Set whether all writing is at the file's end, for everybody who shares the open file.
setAppend :: Bool -> Fd -> IO (Either Errno ())
setAppend yes (Fd fd) = said (const ()) (c_append fd (if yes then 1 else 0))

-- * Names

-- | What a link says, at most @n@ bytes of it.
linkText :: Fd -> ByteString -> Int -> IO (Either Errno ByteString)
linkText (Fd fd) name n = named name $ \p -> filled n (c_link_text fd p)

-- | Make a folder under a name in a directory; remove a folder, which must be empty; remove what
-- is no folder, a link itself.
makeFolder, removeFolder, removeFile :: Fd -> ByteString -> IO (Either Errno ())
makeFolder (Fd fd) name = named name (said (const ()) . c_make_folder fd)
removeFolder (Fd fd) name = named name (said (const ()) . c_remove_folder fd)
removeFile (Fd fd) name = named name (said (const ()) . c_remove_file fd)

-- | From a name in a directory to one in another; no link is followed. 'rename' replaces what has
-- the new name where the system lets it, 'link' is refused with 'EEXIST'.
rename, link :: Fd -> ByteString -> Fd -> ByteString -> IO (Either Errno ())
rename (Fd fd) name (Fd fd') name' =
  named name $ \p -> named name' (said (const ()) . c_rename fd p fd')
link (Fd fd) name (Fd fd') name' =
  named name $ \p -> named name' (said (const ()) . c_link fd p fd')

-- | A link that says something, under a name.
symlink :: ByteString -> Fd -> ByteString -> IO (Either Errno ())
symlink text (Fd fd) name = named text $ \t -> named name (said (const ()) . c_symlink t fd)

-- | Entries of a directory from a place on, at most @n@ bytes as the system writes
-- them: for each the node, the place after it, the type and the name. None at the end.
entries :: Fd -> Word64 -> Int -> IO (Either Errno [(Word64, Word64, FileType, ByteString)])
entries (Fd fd) from n = fmap rows <$> filled n (c_entries fd from)
  where
    rows bytes
      | B.length bytes < 19 = []
      | otherwise =
          let size = fromIntegral (little 16 2 bytes) :: Int
              name = B.takeWhile (/= 0) (B.drop 19 (B.take size bytes))
              rest = if size < 19 then [] else rows (B.drop size bytes)
           in (little 0 8 bytes, little 8 8 bytes, kindOf (B.index bytes 18), name) : rest
    little :: Int -> Int -> ByteString -> Word64
    little at k = B.foldr (\b v -> v * 256 + fromIntegral b) 0 . B.take k . B.drop at
    kindOf :: Word8 -> FileType
    kindOf = \case
      2 -> CharacterDevice
      4 -> Directory
      6 -> BlockDevice
      8 -> RegularFile
      10 -> SymbolicLink
      12 -> StreamSocket
      _ -> Unknown

-- * Content

-- | Read what is there; 'EAGAIN' if there is nothing after all.
readStream :: Fd -> Ptr Word8 -> Int -> IO (Either Errno Int)
readStream (Fd fd) p n = said fromIntegral (c_read_stream fd p (fromIntegral n))

-- | At the file's position, which moves on: how many bytes, perhaps fewer than are asked for. 0
-- that are read are the file's end.
readFile, writeFile :: Fd -> Ptr Word8 -> Int -> IO (Either Errno Int)
readFile (Fd fd) p n = said fromIntegral (c_read fd p (fromIntegral n))
writeFile (Fd fd) p n = said fromIntegral (c_write fd p (fromIntegral n))

-- | The same at an offset in bytes; the position stays. Linux writes at the end all the same
-- where appending is set.
readAt, writeAt :: Int64 -> Fd -> Ptr Word8 -> Int -> IO (Either Errno Int)
readAt at (Fd fd) p n = said fromIntegral (c_pread fd p (fromIntegral n) at)
writeAt at (Fd fd) p n = said fromIntegral (c_pwrite fd p (fromIntegral n) at)

-- | What an offset counts from.
data Whence = FromStart | FromHere | FromEnd
  deriving stock (Eq, Show, Enum)

-- | Move a file's position; the new one, in bytes from the start.
seek :: Fd -> Int64 -> Whence -> IO (Either Errno Int64)
seek (Fd fd) by whence = said id (c_seek fd by (fromIntegral (fromEnum whence)))

-- * Waiting, chance and clocks

-- | What a descriptor is to be ready for.
data Interest = ToRead | ToWrite
  deriving stock (Eq, Show)

-- | What there is, whether the other end is gone, and whether it is broken.
data Ready = Ready {isReady :: !Bool, isGone :: !Bool, isBroken :: !Bool}
  deriving stock (Eq, Show)

-- | Wait for any of them, at most for this number of @milliseconds@.
poll :: [(Fd, Interest)] -> Int -> IO (Either Errno [Ready])
poll wanted milliseconds = allocaArray (2 * max 1 count) $ \p -> do
  zipWithM_
    ( \k (Fd fd, i) ->
        pokeElemOff p (2 * k) fd >> pokeElemOff p (2 * k + 1) (bit_ i)
    )
    [0 ..]
    wanted
  r <-
    said
      (const ())
      ( (if milliseconds == 0 then c_poll_now else c_poll)
          (castPtr p)
          (fromIntegral count)
          (fromIntegral milliseconds)
      )
  case r of
    Left e -> pure (Left e)
    Right () -> Right <$> mapM (\k -> ready <$> peekElemOff p (2 * k + 1)) [0 .. count - 1]
  where
    count = length wanted
    bit_ = \case
      ToRead -> 1
      ToWrite -> 2
    ready :: CInt -> Ready
    ready got = Ready (got /= 0) (testBit got 2) (testBit got 3)

-- | How many bytes can be read now.
waiting :: Fd -> IO Word64
waiting (Fd fd) = fromIntegral <$> c_waiting fd

-- | Fill @n@ bytes with random ones.
random :: Ptr Word8 -> Int -> IO (Either Errno ())
random p n = said (const ()) (c_random p (fromIntegral n))

-- | WASI's clocks, in the order of their numbers: since 1970; one that never goes back; the time
-- that the processor spent on the process, and on the thread.
data Clock = Realtime | Monotonic | ProcessTime | ThreadTime
  deriving stock (Eq, Show, Enum, Bounded)

-- | In nanoseconds.
clockTime, clockResolution :: Clock -> IO (Either Errno Word64)
clockTime c = said fromIntegral (c_clock (fromIntegral (fromEnum c)) 0)
clockResolution c = said fromIntegral (c_clock (fromIntegral (fromEnum c)) 1)

-- * The calls

-- | What a call says: an error below 0.
said :: (Integral n) => (n -> a) -> IO n -> IO (Either Errno a)
said f action = do
  r <- action
  pure (if r < 0 then Left (errnoOf (fromIntegral (negate r))) else Right (f r))

-- | A name for the system. Bytes of value 0 are for the caller to refuse: here the name
-- would end.
named :: ByteString -> (CString -> IO a) -> IO a
named = B.useAsCString

-- | What a call writes, at most @n@ bytes.
filled :: Int -> (Ptr Word8 -> Word64 -> IO Int64) -> IO (Either Errno ByteString)
filled n call = allocaBytes (max 1 n) $ \p ->
  said fromIntegral (call p (fromIntegral n)) >>= mapM (\k -> B.packCStringLen (castPtr p, min n k))

foreign import ccall unsafe "tern_wasi_close" c_close :: CInt -> IO CInt

foreign import ccall unsafe "tern_wasi_dup" c_dup :: CInt -> IO CInt

foreign import ccall unsafe "tern_wasi_root" c_root :: CString -> IO CInt

foreign import ccall unsafe "tern_wasi_folder" c_folder :: CInt -> CString -> IO CInt

foreign import ccall unsafe "tern_wasi_look" c_look :: CInt -> CString -> IO CInt

foreign import ccall unsafe "tern_wasi_beneath" c_beneath :: CInt -> CString -> IO CInt

foreign import ccall unsafe "tern_wasi_file" c_file :: CInt -> CString -> CInt -> IO CInt

foreign import ccall unsafe "tern_wasi_status" c_status :: CInt -> Ptr Word64 -> IO CInt

foreign import ccall unsafe "tern_wasi_status_at"
  c_status_at ::
    CInt -> CString -> Ptr Word64 -> IO CInt

foreign import ccall unsafe "tern_wasi_times" c_times :: CInt -> Word64 -> Word64 -> CInt -> IO CInt

foreign import ccall unsafe "tern_wasi_times_at"
  c_times_at ::
    CInt -> CString -> Word64 -> Word64 -> CInt -> IO CInt

foreign import ccall unsafe "tern_wasi_resize" c_resize :: CInt -> Int64 -> IO CInt

-- Safe: a disk is slow, and other threads go on.
foreign import ccall safe "tern_wasi_sync" c_sync :: CInt -> CInt -> IO CInt

foreign import ccall unsafe "tern_wasi_append" c_append :: CInt -> CInt -> IO CInt

foreign import ccall unsafe "tern_wasi_link_text"
  c_link_text ::
    CInt -> CString -> Ptr Word8 -> Word64 -> IO Int64

foreign import ccall unsafe "tern_wasi_make_folder" c_make_folder :: CInt -> CString -> IO CInt

foreign import ccall unsafe "tern_wasi_remove_folder" c_remove_folder :: CInt -> CString -> IO CInt

foreign import ccall unsafe "tern_wasi_remove_file" c_remove_file :: CInt -> CString -> IO CInt

foreign import ccall unsafe "tern_wasi_rename"
  c_rename ::
    CInt -> CString -> CInt -> CString -> IO CInt

foreign import ccall unsafe "tern_wasi_link" c_link :: CInt -> CString -> CInt -> CString -> IO CInt

foreign import ccall unsafe "tern_wasi_symlink" c_symlink :: CString -> CInt -> CString -> IO CInt

foreign import ccall unsafe "tern_wasi_entries"
  c_entries ::
    CInt -> Word64 -> Ptr Word8 -> Word64 -> IO Int64

-- Safe, as what follows: a disk is slow, and another reader may have been quicker.
foreign import ccall safe "tern_wasi_read_stream"
  c_read_stream ::
    CInt -> Ptr Word8 -> Word64 -> IO Int64

foreign import ccall safe "tern_wasi_read" c_read :: CInt -> Ptr Word8 -> Word64 -> IO Int64

foreign import ccall safe "tern_wasi_write" c_write :: CInt -> Ptr Word8 -> Word64 -> IO Int64

foreign import ccall safe "tern_wasi_pread"
  c_pread ::
    CInt -> Ptr Word8 -> Word64 -> Int64 -> IO Int64

foreign import ccall safe "tern_wasi_pwrite"
  c_pwrite ::
    CInt -> Ptr Word8 -> Word64 -> Int64 -> IO Int64

foreign import ccall unsafe "tern_wasi_seek" c_seek :: CInt -> Int64 -> CInt -> IO Int64

foreign import ccall unsafe "tern_wasi_poll" c_poll_now :: Ptr Int32 -> CInt -> CInt -> IO CInt

-- Safe: it waits, and other threads go on.
foreign import ccall safe "tern_wasi_poll" c_poll :: Ptr Int32 -> CInt -> CInt -> IO CInt

foreign import ccall unsafe "tern_wasi_waiting" c_waiting :: CInt -> IO Int64

foreign import ccall unsafe "tern_wasi_random" c_random :: Ptr Word8 -> Word64 -> IO CInt

foreign import ccall unsafe "tern_wasi_clock" c_clock :: CInt -> CInt -> IO Int64
