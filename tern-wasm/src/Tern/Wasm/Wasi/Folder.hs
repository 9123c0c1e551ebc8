{-# LANGUAGE OverloadedStrings #-}

-- | WASI's functions over paths, and over the entries of folders.
--
-- The idea: each resolves its path to a name in an open directory
-- ("Tern.Wasm.Wasi.Below") and then does one thing to that name.
--
-- Start at 'folderFunctions'; what is opened is in "Tern.Wasm.Wasi.Open".
module Tern.Wasm.Wasi.Folder
  ( folderFunctions,
  )
where

import Control.Concurrent.MVar (withMVar)
import Control.Monad (unless, when)
import Data.Bits (complement, shiftR, (.&.))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.Word (Word32, Word64)
import Tern.Wasm.Metered (Metered)
import Tern.Wasm.Wasi.Below (begun, below, folderAt, lastOf, reaching, target)
import Tern.Wasm.Wasi.Content (putStatus, timeBits)
import Tern.Wasm.Wasi.Errno (Errno (..))
import Tern.Wasm.Wasi.Open (openPath)
import Tern.Wasm.Wasi.Path (Last (..), Target (..), linkBytes)
import Tern.Wasm.Wasi.Rights (Right_ (..), nameRights)
import Tern.Wasm.Wasi.State
  ( Descriptor (..),
    Edition,
    Form (..),
    Function,
    WasiState,
    at,
    callBytes,
    done,
    function,
    getBytes,
    io,
    pay,
    put,
    putBytes,
    refuse,
  )
import Tern.Wasm.Wasi.System
  ( FileType (..),
    Status (..),
    entries,
    link,
    linkText,
    makeFolder,
    removeFile,
    removeFolder,
    rename,
    setTimesAt,
    status,
    statusAt,
    symlink,
    using,
  )

-- | The functions whose names begin with @path_@, and @fd_readdir@.
folderFunctions :: Edition -> WasiState -> [Function]
folderFunctions edition st =
  [ function "fd_readdir" (readFolder st),
    function
      "path_create_directory"
      ( \fd p n ->
          done
            ( below st fd PathCreateDirectory p n
                >>= \b -> reaching [b] (named b EEXIST makeFolder)
            )
      ),
    function "path_filestat_get" filestat,
    function "path_filestat_set_times" timed,
    function "path_link" linked,
    function "path_open" (openPath st),
    function "path_readlink" readLink,
    function
      "path_remove_directory"
      ( \fd p n ->
          done
            ( below st fd PathRemoveDirectory p n
                >>= \b -> reaching [b] (named b EINVAL removeFolder)
            )
      ),
    function "path_rename" renamed,
    function "path_symlink" linkMade,
    function "path_unlink_file" unlinked
  ]
  where
    -- Something is done with a name itself. A directory that has no name here, as a
    -- root has none, is left alone.
    named b none f = target b Named $ \case
      Itself _ -> pure (Left none)
      Entry dir name _ -> f dir name

    unlinked :: Word32 -> Word32 -> Word32 -> Metered Word32
    unlinked fd p n = done $ do
      b <- below st fd PathUnlinkFile p n
      reaching [b] . target b Named $ \case
        Itself _ -> pure (Left EISDIR)
        Entry dir name slash
          | slash ->
              (>>= \s -> Left (if statusKind s == Directory then EISDIR else ENOTDIR))
                <$> statusAt dir name
          | otherwise -> removeFile dir name

    filestat :: Word32 -> Word32 -> Word32 -> Word32 -> Word32 -> Metered Word32
    filestat fd flags p n to = done $ do
      b <- below st fd PathFilestatGet p n
      s <- reaching [b] . target b (lastOf flags) $ \case
        Itself dir -> status dir
        Entry dir name slash -> (>>= directoryIf slash) <$> statusAt dir name
      putStatus edition st to s
    directoryIf slash s = if slash && statusKind s /= Directory then Left ENOTDIR else Right s

    timed :: Word32 -> Word32 -> Word32 -> Word32 -> Word64 -> Word64 -> Word32 -> Metered Word32
    timed fd flags p n a m bits = done $ do
      timeBits bits
      b <- below st fd PathFilestatSetTimes p n
      reaching [b] . target b (lastOf flags) $ \case
        Itself dir -> setTimesAt dir "." a m (fromIntegral bits)
        Entry dir name slash
          | not slash -> setTimesAt dir name a m (fromIntegral bits)
          | otherwise ->
              statusAt dir name
                >>= either (pure . Left) (const (setTimesAt dir name a m (fromIntegral bits)))
                  . (>>= directoryIf slash)

    linked :: Word32 -> Word32 -> Word32 -> Word32 -> Word32 -> Word32 -> Word32 -> Metered Word32
    linked fd flags p n fd' p' n' = done $ do
      b <- below st fd PathLinkSource p n
      b' <- below st fd' PathLinkTarget p' n'
      noMore b b'
      reaching [b, b']
        . target b (lastOf flags)
        $ \from -> target b' Named $ \to -> case (from, to) of
          (Itself _, _) -> pure (Left EPERM)
          (_, Itself _) -> pure (Left EEXIST)
          (Entry dir name slash, Entry dir' name' slash')
            | slash || slash' -> pure (Left ENOTDIR)
            | otherwise -> link dir name dir' name'

    renamed :: Word32 -> Word32 -> Word32 -> Word32 -> Word32 -> Word32 -> Metered Word32
    renamed fd p n fd' p' n' = done $ do
      b <- below st fd PathRenameSource p n
      b' <- below st fd' PathRenameTarget p' n'
      noMore b b'
      reaching [b, b'] . target b Named $ \from -> target b' Named $ \to -> case (from, to) of
        (Entry dir name slash, Entry dir' name' slash') ->
          -- A slash after a file's name is an error of the system's.
          rename dir (slashed name slash) dir' (slashed name' slash')
        -- A directory without a name here, as a root.
        (Itself _, _) -> pure (Left EBUSY)
        (_, Itself _) -> pure (Left EBUSY)
    -- A file does not gain rights by a name in another folder: neither those that it is opened
    -- with, nor what the folder lets do with its names.
    noMore b b' = do
      let from = begun b
          to = begun b'
      unless
        ( descriptorInheriting to .&. complement (descriptorInheriting from) == 0
            && descriptorRights to .&. nameRights .&. complement (descriptorRights from) == 0
        )
        (refuse ENOTCAPABLE)
    slashed name slash = if slash then BC.snoc name '/' else name

    readLink :: Word32 -> Word32 -> Word32 -> Word32 -> Word32 -> Word32 -> Metered Word32
    readLink fd p n to room used = done $ do
      b <- below st fd PathReadlink p n
      text <- reaching [b] . target b Named $ \case
        Itself _ -> pure (Left EINVAL)
        Entry dir name slash -> if slash then pure (Left EINVAL) else linkText dir name linkBytes
      -- As much as there is room for, as the system does it.
      let cut = B.take (fromIntegral room) text
      putBytes st to cut
      put st used (fromIntegral (B.length cut) :: Word32)

    -- What a link says may lead out only for others: no link is made that begins at
    -- the root of all.
    linkMade :: Word32 -> Word32 -> Word32 -> Word32 -> Word32 -> Metered Word32
    linkMade p n fd p' n' = done $ do
      text <- getBytes st p n
      when (B.null text) (refuse ENOENT)
      when (B.length text > linkBytes) (refuse ENAMETOOLONG)
      when (B.elem 0 text) (refuse EINVAL)
      when (BC.head text == '/') (refuse ENOTCAPABLE)
      b <- below st fd PathSymlink p' n'
      reaching [b] . target b Named $ \case
        Itself _ -> pure (Left EEXIST)
        Entry dir name slash
          | slash -> either Left (const (Left EEXIST)) <$> statusAt dir name
          | otherwise -> symlink text dir name

-- * Entries

-- | Entries from a place on: each the place after it, its node, its name's length and
-- its type, then the name. The last may be cut; fewer bytes than there is room for
-- mean the end.
readFolder :: WasiState -> Word32 -> Word32 -> Word32 -> Word64 -> Word32 -> Metered Word32
readFolder st fd buffer n cookie to = done $ do
  d <- folderAt st fd FdReaddir
  when (cookie > 0x7FFFFFFFFFFFFFFF) (refuse EINVAL)
  at st buffer (fromIntegral n) (const (pure (Right ())))
  case descriptorForm d of
    Folder _ lock -> do
      used <- go d lock cookie 0
      put st to (fromIntegral used :: Word32)
    File -> refuse ENOTDIR
    Shared -> refuse ENOTDIR
    Stream -> refuse ENOTDIR
  where
    room = fromIntegral n :: Int
    go d lock from used
      | used >= room = pure used
      | otherwise = do
          -- As the system writes them entries are about as long.
          let most = max 1024 (min 65536 (room - used))
          pay (callBytes + most)
          (self, es) <- io . using (descriptorOwned d) $ \h ->
            status h >>= \case
              Left e -> pure (Left e)
              Right s -> fmap (statusNode s,) <$> withMVar lock (const (entries h from most))
          case es of
            [] -> pure used
            _ -> do
              let bytes = B.take (room - used) (B.concat (map (entry self) es))
              putBytes st (buffer + fromIntegral used) bytes
              go d lock (maximum_ es) (used + B.length bytes)
    maximum_ = foldl (\_ (_, next, _, _) -> next) 0
    -- What is above a folder is not known below it.
    entry self (node, next, kind, name) =
      B.concat
        [ little 8 next,
          little 8 (if name == ".." then self else node),
          little 4 (fromIntegral (B.length name)),
          little 4 (fromIntegral (fromEnum kind)),
          name
        ]

little :: Int -> Word64 -> ByteString
little n v = B.pack [fromIntegral (v `shiftR` (8 * k)) | k <- [0 .. n - 1]]
