{-# LANGUAGE OverloadedStrings #-}

-- | WASI preview 1: what a program compiled for a command line imports.
--
-- The idea: a program can reach only what it is given: arguments, environment,
-- the three standard streams, and folders that are opened for it before it
-- starts. A path is followed component by component below its folder; one that is
-- absolute, climbs out or passes a symbolic link is refused.
--
-- Start at 'wasiImports'; what its functions are made of is in
-- "Tern.Wasm.Wasi.State". Numbers of errors, file types and flags are those of
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
import Data.Bits (shiftR, testBit, (.&.))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.IORef
import Data.IntMap.Strict qualified as IntMap
import Data.List (sort)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding (encodeUtf8)
import Data.Time.Clock.POSIX (getPOSIXTime)
import Data.Word (Word32, Word64, Word8)
import Foreign.Ptr
import Foreign.Storable (pokeByteOff)
import GHC.Clock (getMonotonicTimeNSec)
import System.Directory (createDirectory, doesDirectoryExist, listDirectory, removeDirectory, removeFile, renamePath)
import System.FilePath ((</>))
import System.IO (SeekMode (..))
import System.Posix.Files
import System.Posix.IO
import System.Posix.Types (CMode (..), Fd (..), FileOffset)
import Tern.Wasm
import Tern.Wasm.Wasi.State

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
