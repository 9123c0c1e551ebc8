{-# LANGUAGE OverloadedStrings #-}

-- | WASI preview 1: what a program compiled for a command line imports.
--
-- The idea: a program can reach only what it is given: arguments, environment,
-- the three standard streams, and folders that are opened for it before it
-- starts. A path is followed component by component below its folder; one that is
-- absolute, climbs out or passes a symbolic link is refused.
--
-- Start at 'wasiImports'. Numbers of errors, file types and flags are those of
-- the @wasi_snapshot_preview1@ interface.
module Tern.Wasm.Wasi
  ( Wasi (..),
    defaultWasi,
    WasiState,
    newWasi,
    wasiImports,
    wasiMemory,
    wasiExitCode,
  )
where

import Control.Exception (IOException, try)
import Control.Monad (filterM, foldM)
import Data.Bits (shiftR, testBit, (.&.))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Unsafe qualified as B
import Data.IORef
import Data.IntMap.Strict (IntMap)
import Data.IntMap.Strict qualified as IntMap
import Data.List (sort)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding (decodeUtf8', encodeUtf8)
import Data.Time.Clock.POSIX (getPOSIXTime)
import Data.Word (Word32, Word64, Word8)
import Foreign.ForeignPtr (withForeignPtr)
import Foreign.Marshal.Utils (copyBytes)
import Foreign.Ptr
import Foreign.Storable (Storable, peekByteOff, pokeByteOff, sizeOf)
import GHC.Clock (getMonotonicTimeNSec)
import GHC.IO.Exception (ioe_errno)
import System.Directory (createDirectory, doesDirectoryExist, listDirectory, removeDirectory, removeFile, renamePath)
import System.FilePath ((</>))
import System.IO (SeekMode (..))
import System.IO.Error (isAlreadyExistsError, isDoesNotExistError, isPermissionError)
import System.Posix.Files
import System.Posix.IO
import System.Posix.Types (CMode (..), Fd (..), FileOffset)
import Tern.Wasm
import Tern.Wasm.Store (memoryView)

-- | What a program is given.
data Wasi = Wasi
  { wasiArguments :: ![ByteString],
    wasiEnvironment :: ![(ByteString, ByteString)],
    -- | Folders: the name that the program sees, and the folder.
    wasiFolders :: ![(Text, FilePath)],
    -- | Whether it may read the clocks; without, every clock stands at 0.
    wasiClocks :: !Bool,
    -- | Its standard input, output and error.
    wasiStreams :: !(Fd, Fd, Fd)
  }

-- | No arguments, no environment, no folder; the clocks and the process's streams.
defaultWasi :: Wasi
defaultWasi = Wasi [] [] [] True (stdInput, stdOutput, stdError)

data WasiState = WasiState
  { given :: !Wasi,
    descriptors :: !(IORef (IntMap Descriptor)),
    memory :: !(IORef (Maybe Memory)),
    code :: !(IORef (Maybe Word32))
  }

data Descriptor
  = -- | One of the standard streams.
    Stream !Fd
  | File !Fd
  | -- | A folder, and its name if it was given at the start.
    Folder !FilePath !(Maybe Text)

newWasi :: Wasi -> IO WasiState
newWasi w = WasiState w <$> newIORef start <*> newIORef Nothing <*> newIORef Nothing
  where
    (input, output, errors) = wasiStreams w
    start =
      IntMap.fromList $
        [(0, Stream input), (1, Stream output), (2, Stream errors)]
          <> zip [3 ..] [Folder path (Just name) | (name, path) <- wasiFolders w]

-- | Tell the functions the memory of the instance that will call them.
wasiMemory :: WasiState -> Instance -> IO ()
wasiMemory st i = case exportNamed i "memory" of
  Just (ExternMemory m) -> writeIORef (memory st) (Just m)
  _ -> pure ()

-- | What the program gave to @proc_exit@, if it called it. The call itself ends
-- the program as a trap does.
wasiExitCode :: WasiState -> IO (Maybe Word32)
wasiExitCode = readIORef . code

-- * Errors

newtype Errno = Errno Word32

type Answer = IO (Either Errno ())

success, badf, exist, fault, inval, io, isdir, noent, nosys, notdir, notempty, notsup, perm, spipe, notcapable :: Word32
success = 0
badf = 8
exist = 20
fault = 21
inval = 28
io = 29
isdir = 31
noent = 44
nosys = 52
notdir = 54
notempty = 55
notsup = 58
perm = 63
spipe = 70
notcapable = 76

refuse :: Word32 -> IO (Either Errno a)
refuse = pure . Left . Errno

-- | The error's number for what the system says; Linux's own numbers on the left.
attempt :: IO a -> IO (Either Errno a)
attempt action = either (Left . Errno . number) Right <$> try action
  where
    number e = case ioe_errno e of
      Just 2 -> noent
      Just 9 -> badf
      Just 13 -> 2
      Just 17 -> exist
      Just 20 -> notdir
      Just 21 -> isdir
      Just 22 -> inval
      Just 29 -> spipe
      Just 39 -> notempty
      Just 40 -> notcapable
      _ -> ours e
    ours :: IOException -> Word32
    ours e
      | isDoesNotExistError e = noent
      | isAlreadyExistsError e = exist
      | isPermissionError e = perm
      | otherwise = io

andThen :: IO (Either Errno a) -> (a -> IO (Either Errno b)) -> IO (Either Errno b)
andThen first next = first >>= either (pure . Left) next

-- | A function's result, one of the numbers above.
answer :: Word32 -> IO Word32
answer = pure

done :: Answer -> IO Word32
done = fmap (either (\(Errno n) -> n) (const success))

-- * Memory

-- | Do something at an address if so many bytes are there.
at :: WasiState -> Word32 -> Word32 -> (Ptr Word8 -> IO (Either Errno a)) -> IO (Either Errno a)
at st address n f =
  readIORef (memory st) >>= \case
    Nothing -> refuse fault
    Just m -> do
      (block, size) <- memoryView m
      if toInteger address + toInteger n > toInteger size
        then refuse fault
        else withForeignPtr block (\p -> f (p `plusPtr` fromIntegral address))

put :: forall a. (Storable a) => WasiState -> Word32 -> a -> Answer
put st address v = at st address (fromIntegral (sizeOf v)) (\p -> Right <$> pokeByteOff p 0 v)

putBytes :: WasiState -> Word32 -> ByteString -> Answer
putBytes st address bytes =
  at st address (fromIntegral (B.length bytes)) $ \p ->
    Right <$> B.unsafeUseAsCStringLen bytes (\(q, n) -> copyBytes p (castPtr q) n)

getBytes :: WasiState -> Word32 -> Word32 -> IO (Either Errno ByteString)
getBytes st address n = at st address n $ \p -> Right <$> B.packCStringLen (castPtr p, fromIntegral n)

-- | The buffers of a scattered read or write: address and length.
vectors :: WasiState -> Word32 -> Word32 -> IO (Either Errno [(Word32, Word32)])
vectors st address n
  | n > 1024 = refuse inval
  | otherwise = at st address (8 * n) $ \p ->
      Right <$> mapM (\k -> (,) <$> peekByteOff p (8 * k) <*> peekByteOff p (8 * k + 4)) [0 .. fromIntegral n - 1]

-- | Pass buffers to an operation until one is not used whole; the bytes in all.
transfer :: WasiState -> [(Word32, Word32)] -> (Ptr Word8 -> Word32 -> Word32 -> IO Word32) -> IO (Either Errno Word32)
transfer st buffers operation = go 0 buffers
  where
    go total [] = pure (Right total)
    go total ((_, 0) : rest) = go total rest
    go total ((address, n) : rest) =
      at st address n (\p -> attempt (operation p n total)) `andThen` \k ->
        if k < n then pure (Right (total + k)) else go (total + k) rest

-- * Descriptors and paths

withDescriptor :: WasiState -> Word32 -> (Descriptor -> IO (Either Errno a)) -> IO (Either Errno a)
withDescriptor st fd f = readIORef (descriptors st) >>= maybe (refuse badf) f . IntMap.lookup (fromIntegral fd)

withFd :: WasiState -> Word32 -> (Fd -> IO (Either Errno a)) -> IO (Either Errno a)
withFd st fd f = withDescriptor st fd $ \case
  Stream h -> f h
  File h -> f h
  Folder _ _ -> refuse isdir

withFile :: WasiState -> Word32 -> (Fd -> IO (Either Errno a)) -> IO (Either Errno a)
withFile st fd f = withDescriptor st fd $ \case
  Stream _ -> refuse spipe
  File h -> f h
  Folder _ _ -> refuse isdir

newDescriptor :: WasiState -> Descriptor -> IO Word32
newDescriptor st d = atomicModifyIORef' (descriptors st) $ \m ->
  let n = head_ [k | k <- [3 ..], IntMap.notMember k m] in (IntMap.insert n d m, fromIntegral n)
  where
    head_ = foldr const 0

-- | The path of the host for a path below an open folder.
resolve :: WasiState -> Word32 -> Word32 -> Word32 -> (FilePath -> IO (Either Errno a)) -> IO (Either Errno a)
resolve st fd address n f = withDescriptor st fd $ \case
  Folder base _ ->
    getBytes st address n `andThen` \bytes -> case decodeUtf8' bytes of
      Left _ -> refuse inval
      Right text
        | T.any (== '\0') text -> refuse inval
        | T.isPrefixOf "/" text -> refuse notcapable
        | otherwise -> case foldM climb [] (T.splitOn "/" text) of
            Nothing -> refuse notcapable
            Just parts -> do
              let names = reverse parts
                  above = drop 1 (scanl (</>) base (map T.unpack (take (length names - 1) names)))
              links <- filterM isLink above
              if null links then f (foldl (</>) base (map T.unpack names)) else refuse notcapable
  _ -> refuse notdir
  where
    climb parts "" = Just parts
    climb parts "." = Just parts
    climb parts ".." = case parts of
      [] -> Nothing
      _ : up -> Just up
    climb parts name = Just (name : parts)

isLink :: FilePath -> IO Bool
isLink path = either (const False) isSymbolicLink <$> (try (getSymbolicLinkStatus path) :: IO (Either IOException FileStatus))

-- | As 'resolve', where the last component is no symbolic link either.
resolveReal :: WasiState -> Word32 -> Word32 -> Word32 -> (FilePath -> IO (Either Errno a)) -> IO (Either Errno a)
resolveReal st fd address n f = resolve st fd address n $ \path -> do
  link <- isLink path
  if link then refuse notcapable else f path

fileType :: FileStatus -> Word8
fileType s
  | isDirectory s = 3
  | isRegularFile s = 4
  | isSymbolicLink s = 7
  | isCharacterDevice s = 2
  | isBlockDevice s = 1
  | otherwise = 0

putStatus :: WasiState -> Word32 -> FileStatus -> Answer
putStatus st address s =
  at st address 64 $ \p -> do
    pokeByteOff p 0 (fromIntegral (deviceID s) :: Word64)
    pokeByteOff p 8 (fromIntegral (fileID s) :: Word64)
    pokeByteOff p 16 (fromIntegral (fileType s) :: Word64)
    pokeByteOff p 24 (fromIntegral (linkCount s) :: Word64)
    pokeByteOff p 32 (fromIntegral (fileSize s) :: Word64)
    mapM_ (\(o, t) -> pokeByteOff p o (nanoseconds t)) [(40, accessTimeHiRes s), (48, modificationTimeHiRes s), (56, statusChangeTimeHiRes s)]
    pure (Right ())
  where
    nanoseconds t = truncate (realToFrac t * 1e9 :: Double) :: Word64

-- * Functions

-- | The functions of the interface, as imports for a store.
wasiImports :: Store -> WasiState -> IO Imports
wasiImports store st = importsFrom "wasi_snapshot_preview1" <$> sequence functions
  where
    import_ :: (Host f) => Text -> f -> IO (Text, Extern)
    import_ name f = (\g -> (name, ExternFunc g)) <$> hostFunction store f
    w = given st

    strings :: [ByteString] -> Word32 -> Word32 -> IO Word32
    strings texts pointers buffer = done (go pointers buffer texts)
      where
        go _ _ [] = pure (Right ())
        go p b (t : rest) =
          put st p b `andThen` \() ->
            putBytes st b (B.snoc t 0) `andThen` \() -> go (p + 4) (b + fromIntegral (B.length t) + 1) rest
    sizes :: [ByteString] -> Word32 -> Word32 -> IO Word32
    sizes texts n total =
      done $
        put st n (fromIntegral (length texts) :: Word32) `andThen` \() ->
          put st total (fromIntegral (sum (map ((+ 1) . B.length) texts)) :: Word32)
    environment = [k <> "=" <> v | (k, v) <- wasiEnvironment w]

    functions =
      [ import_ "args_get" (strings (wasiArguments w)),
        import_ "args_sizes_get" (sizes (wasiArguments w)),
        import_ "environ_get" (strings environment),
        import_ "environ_sizes_get" (sizes environment),
        import_ "clock_res_get" (\(_ :: Word32) to -> done (put st to (1 :: Word64))),
        import_ "clock_time_get" clockTime,
        import_ "fd_advise" (\(fd :: Word32) (_ :: Word64) (_ :: Word64) (_ :: Word32) -> done (withFd st fd (const (pure (Right ()))))),
        import_ "fd_allocate" (\(_ :: Word32) (_ :: Word64) (_ :: Word64) -> answer notsup),
        import_ "fd_close" fdClose,
        import_ "fd_datasync" (\fd -> done (withFd st fd (const (pure (Right ()))))),
        import_ "fd_fdstat_get" fdStat,
        import_ "fd_fdstat_set_flags" (\(fd :: Word32) (_ :: Word32) -> done (withFd st fd (const (pure (Right ()))))),
        import_ "fd_fdstat_set_rights" (\(_ :: Word32) (_ :: Word64) (_ :: Word64) -> answer success),
        import_ "fd_filestat_get" (\fd to -> done (fileStat fd `andThen` putStatus st to)),
        import_ "fd_filestat_set_size" (\fd (n :: Word64) -> done (withFile st fd (\h -> attempt (setFdSize h (fromIntegral n))))),
        import_ "fd_filestat_set_times" (\(_ :: Word32) (_ :: Word64) (_ :: Word64) (_ :: Word32) -> answer notsup),
        import_ "fd_pread" (\fd vs n (o :: Word64) to -> moved fd vs n to (\h p k total -> fdPread h p k (o + fromIntegral total)) withFile),
        import_ "fd_prestat_get" prestat,
        import_ "fd_prestat_dir_name" prestatName,
        import_ "fd_pwrite" (\fd vs n (o :: Word64) to -> moved fd vs n to (\h p k total -> fdPwrite h p k (o + fromIntegral total)) withFile),
        import_ "fd_read" (\fd vs n to -> moved fd vs n to (\h p k _ -> fromIntegral <$> fdReadBuf h p (fromIntegral k)) withFd),
        import_ "fd_readdir" readFolder,
        import_ "fd_renumber" renumber,
        import_ "fd_seek" seek,
        import_ "fd_sync" (\fd -> done (withFd st fd (const (pure (Right ()))))),
        import_ "fd_tell" (\fd to -> done (withFile st fd (\h -> attempt (fdSeek h RelativeSeek 0)) `andThen` \o -> put st to (fromIntegral o :: Word64))),
        import_ "fd_write" (\fd vs n to -> moved fd vs n to (\h p k _ -> fromIntegral <$> fdWriteBuf h p (fromIntegral k)) withFd),
        import_ "path_create_directory" (\fd p n -> done (resolveReal st fd p n (attempt . createDirectory))),
        import_ "path_filestat_get" (\fd (_ :: Word32) p n to -> done (resolveReal st fd p n (attempt . getFileStatus) `andThen` putStatus st to)),
        import_ "path_filestat_set_times" (\(_ :: Word32) (_ :: Word32) (_ :: Word32) (_ :: Word32) (_ :: Word64) (_ :: Word64) (_ :: Word32) -> answer notsup),
        import_ "path_link" (\(_ :: Word32) (_ :: Word32) (_ :: Word32) (_ :: Word32) (_ :: Word32) (_ :: Word32) (_ :: Word32) -> answer notsup),
        import_ "path_open" openPath,
        import_ "path_readlink" (\(_ :: Word32) (_ :: Word32) (_ :: Word32) (_ :: Word32) (_ :: Word32) (_ :: Word32) -> answer notsup),
        import_ "path_remove_directory" (\fd p n -> done (resolveReal st fd p n (attempt . removeDirectory))),
        import_ "path_rename" (\fd p n fd' p' n' -> done (resolveReal st fd p n (\from -> resolveReal st fd' p' n' (attempt . renamePath from)))),
        import_ "path_symlink" (\(_ :: Word32) (_ :: Word32) (_ :: Word32) (_ :: Word32) (_ :: Word32) -> answer notsup),
        import_ "path_unlink_file" (\fd p n -> done (resolve st fd p n (attempt . removeFile))),
        import_ "poll_oneoff" (\(_ :: Word32) (_ :: Word32) (_ :: Word32) (_ :: Word32) -> answer notsup),
        import_ "proc_exit" (\n -> Left (HostTrap "the program has exited") <$ writeIORef (code st) (Just n) :: IO (Either Trap ())),
        import_ "proc_raise" (\(_ :: Word32) -> answer notsup),
        import_ "random_get" randomBytes,
        import_ "sched_yield" (pure success :: IO Word32),
        import_ "sock_accept" (\(_ :: Word32) (_ :: Word32) (_ :: Word32) -> answer nosys),
        import_ "sock_recv" (\(_ :: Word32) (_ :: Word32) (_ :: Word32) (_ :: Word32) (_ :: Word32) (_ :: Word32) -> answer nosys),
        import_ "sock_send" (\(_ :: Word32) (_ :: Word32) (_ :: Word32) (_ :: Word32) (_ :: Word32) -> answer nosys),
        import_ "sock_shutdown" (\(_ :: Word32) (_ :: Word32) -> answer nosys)
      ]

    clockTime :: Word32 -> Word64 -> Word32 -> IO Word32
    clockTime which _ to
      | not (wasiClocks w) = done (put st to (0 :: Word64))
      | which == 0 = do
          t <- getPOSIXTime
          done (put st to (truncate (toRational t * 1000000000) :: Word64))
      | otherwise = getMonotonicTimeNSec >>= done . put st to

    moved ::
      Word32 ->
      Word32 ->
      Word32 ->
      Word32 ->
      (Fd -> Ptr Word8 -> Word32 -> Word32 -> IO Word32) ->
      (WasiState -> Word32 -> (Fd -> IO (Either Errno Word32)) -> IO (Either Errno Word32)) ->
      IO Word32
    moved fd vs n to operation with =
      done (vectors st vs n `andThen` \buffers -> with st fd (transfer st buffers . operation) `andThen` put st to)

    fdClose :: Word32 -> IO Word32
    fdClose fd = done . withDescriptor st fd $ \d -> do
      modifyIORef' (descriptors st) (IntMap.delete (fromIntegral fd))
      case d of
        File h -> attempt (closeFd h)
        _ -> pure (Right ())

    fileStat :: Word32 -> IO (Either Errno FileStatus)
    fileStat fd = withDescriptor st fd $ \case
      Stream h -> attempt (getFdStatus h)
      File h -> attempt (getFdStatus h)
      Folder path _ -> attempt (getFileStatus path)

    fdStat :: Word32 -> Word32 -> IO Word32
    fdStat fd to =
      done $
        fileStat fd `andThen` \s -> at st to 24 $ \p -> do
          pokeByteOff p 0 (fromIntegral (fileType s) :: Word64)
          pokeByteOff p 8 (maxBound :: Word64)
          pokeByteOff p 16 (maxBound :: Word64)
          pure (Right ())

    prestat :: Word32 -> Word32 -> IO Word32
    prestat fd to = done . withDescriptor st fd $ \case
      Folder _ (Just name) -> at st to 8 $ \p -> do
        pokeByteOff p 0 (0 :: Word32)
        pokeByteOff p 4 (fromIntegral (B.length (encodeUtf8 name)) :: Word32)
        pure (Right ())
      _ -> refuse badf

    prestatName :: Word32 -> Word32 -> Word32 -> IO Word32
    prestatName fd to n = done . withDescriptor st fd $ \case
      Folder _ (Just name) -> putBytes st to (B.take (fromIntegral n) (encodeUtf8 name))
      _ -> refuse badf

    renumber :: Word32 -> Word32 -> IO Word32
    renumber from to = done . withDescriptor st from $ \d -> do
      _ <- fdClose to
      modifyIORef' (descriptors st) (IntMap.insert (fromIntegral to) d . IntMap.delete (fromIntegral from))
      pure (Right ())

    seek :: Word32 -> Word64 -> Word32 -> Word32 -> IO Word32
    seek fd o whence to = done $ case whence of
      0 -> go AbsoluteSeek
      1 -> go RelativeSeek
      2 -> go SeekFromEnd
      _ -> refuse inval
      where
        go mode =
          withFile st fd (\h -> attempt (fdSeek h mode (fromIntegral o :: FileOffset))) `andThen` \new ->
            put st to (fromIntegral new :: Word64)

    -- Entries from a cookie on: each its number, its node, its name's length and
    -- its type, then the name.
    readFolder :: Word32 -> Word32 -> Word32 -> Word64 -> Word32 -> IO Word32
    readFolder fd buffer n cookie to = done . withDescriptor st fd $ \case
      Folder path _ ->
        attempt (sort <$> listDirectory path) `andThen` \names -> do
          entries <- mapM (entry path) (drop (fromIntegral cookie) (zip [1 ..] ([".", ".."] <> names)))
          let bytes = B.take (fromIntegral n) (B.concat entries)
          putBytes st buffer bytes `andThen` \() -> put st to (fromIntegral (B.length bytes) :: Word32)
      _ -> refuse notdir
      where
        entry :: FilePath -> (Word64, FilePath) -> IO ByteString
        entry path (k, name) = do
          status <- try (getSymbolicLinkStatus (path </> name)) :: IO (Either IOException FileStatus)
          let text = encodeUtf8 (T.pack name)
              node = either (const 0) (fromIntegral . fileID) status :: Word64
              kind = either (const 0) fileType status
          pure (little 8 k <> little 8 node <> little 4 (fromIntegral (B.length text)) <> little 4 (fromIntegral kind) <> text)

    openPath :: Word32 -> Word32 -> Word32 -> Word32 -> Word32 -> Word64 -> Word64 -> Word32 -> Word32 -> IO Word32
    openPath fd _ p n how rights _ flags to = done $
      resolveReal st fd p n $ \path -> do
        folder <- doesDirectoryExist path
        if folder
          then
            if testBit how 0 && testBit how 2
              then refuse exist
              else newDescriptor st (Folder path Nothing) >>= put st to
          else
            if testBit how 1
              then refuse (if how .&. 1 == 0 then noent else notdir)
              else attempt (openFd path mode options) `andThen` \h -> newDescriptor st (File h) >>= put st to
      where
        reads_ = testBit rights 1
        writes = testBit rights 6
        mode
          | reads_ && writes = ReadWrite
          | writes = WriteOnly
          | otherwise = ReadOnly
        options =
          defaultFileFlags
            { creat = if testBit how 0 then Just (CMode 0o666) else Nothing,
              exclusive = testBit how 2,
              trunc = testBit how 3,
              append = testBit flags 0,
              nofollow = True,
              cloexec = True
            }

    randomBytes :: Word32 -> Word32 -> IO Word32
    randomBytes to n = done . at st to n $ \p -> attempt $ do
      h <- openFd "/dev/urandom" ReadOnly defaultFileFlags {cloexec = True}
      let go o
            | o >= n = pure ()
            | otherwise = do
                k <- fdReadBuf h (p `plusPtr` fromIntegral o) (fromIntegral (min 65536 (n - o)))
                go (o + fromIntegral k)
      go 0
      closeFd h

little :: Int -> Word64 -> ByteString
little n v = B.pack [fromIntegral (v `shiftR` (8 * k)) | k <- [0 .. n - 1]]

-- | Read at an offset; the file's own position is put back.
fdPread, fdPwrite :: Fd -> Ptr Word8 -> Word32 -> Word64 -> IO Word32
fdPread h p n o = atOffset h o (fromIntegral <$> fdReadBuf h p (fromIntegral n))
fdPwrite h p n o = atOffset h o (fromIntegral <$> fdWriteBuf h p (fromIntegral n))

atOffset :: Fd -> Word64 -> IO a -> IO a
atOffset h o action = do
  before <- fdSeek h RelativeSeek 0
  _ <- fdSeek h AbsoluteSeek (fromIntegral o)
  r <- action
  _ <- fdSeek h AbsoluteSeek before
  pure r
