{-# LANGUAGE OverloadedStrings #-}

-- | WASI's functions over paths, and over the entries of folders.
--
-- The idea: each resolves its path to a name in an open directory
-- ("Tern.Wasm.Wasi.Path") and then does one thing to that name. What is opened is a
-- regular file, a pipe or a directory; devices and sockets are not for guests.
--
-- Start at 'folderFunctions' and 'openPath'.
module Tern.Wasm.Wasi.Folder
  ( folderFunctions,
  )
where

import Control.Concurrent.MVar (newMVar, withMVar)
import Control.Monad (unless, when)
import Control.Monad.IO.Class (liftIO)
import Data.Bits (complement, shiftR, testBit, (.&.))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.Word (Word32, Word64)
import Tern.Wasm.Metered (Metered)
import Tern.Wasm.Wasi.Content (putStatus, timeBits)
import Tern.Wasm.Wasi.Errno (Errno (..))
import Tern.Wasm.Wasi.Path
  ( Last (..),
    Resolver,
    Steps,
    Target (..),
    allow,
    linkBytes,
    mostSteps,
    newSteps,
    resolve,
    sufficed,
  )
import Tern.Wasm.Wasi.State
  ( Act,
    Descriptor (..),
    Edition,
    Form (..),
    Function,
    Right_ (..),
    WasiState (..),
    access,
    at,
    callBytes,
    descriptorAt,
    done,
    fileRights,
    folderRights,
    function,
    getBytes,
    has,
    io,
    newDescriptor,
    pay,
    put,
    putBytes,
    refuse,
    rights,
    streamRights,
  )
import Tern.Wasm.Wasi.System
  ( Access (..),
    FileType (..),
    Owned,
    Status (..),
    entries,
    file,
    folder,
    link,
    linkText,
    makeFolder,
    release,
    removeFile,
    removeFolder,
    rename,
    setTimesAt,
    status,
    statusAt,
    symlink,
    using,
  )

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
        Entry dir name _ -> setTimesAt dir name a m (fromIntegral bits)

    linked :: Word32 -> Word32 -> Word32 -> Word32 -> Word32 -> Word32 -> Word32 -> Metered Word32
    linked fd flags p n fd' p' n' = done $ do
      b <- below st fd PathLinkSource p n
      b' <- below st fd' PathLinkTarget p' n'
      noMore fd fd'
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
      noMore fd fd'
      reaching [b, b'] . target b Named $ \from -> target b' Named $ \to -> case (from, to) of
        (Entry dir name slash, Entry dir' name' slash') ->
          -- A slash after a file's name is an error of the system's.
          rename dir (slashed name slash) dir' (slashed name' slash')
        -- A directory without a name here, as a root.
        (Itself _, _) -> pure (Left EBUSY)
        (_, Itself _) -> pure (Left EBUSY)
    -- A file does not gain rights by a name in another folder.
    noMore fd fd' = do
      from <- descriptorAt st fd
      to <- descriptorAt st fd'
      unless
        (descriptorInheriting to .&. complement (descriptorInheriting from) == 0)
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

-- | A path below a folder: who owns the folder, who finds directories, the path, and how
-- many names may be looked at for it.
data Below = Below !Owned !Resolver !ByteString !Steps

-- | Look at a folder's rights and at the path's bytes, and pay for its names.
below :: WasiState -> Word32 -> Right_ -> Word32 -> Word32 -> Act Below
below st fd right p n = do
  d <- folderAt st fd right
  path <- getBytes st p n
  pay (callBytes + nameBytes * ownNames path)
  Below (descriptorOwned d) (resolver st) path <$> liftIO newSteps

-- | How many names a path may have, and a few for links: what every path is paid for.
ownNames :: ByteString -> Int
ownNames path = 4 + (B.length path + 1) `div` 2

-- | What a name of a path is paid for as: it may be a directory to open, and a link to
-- read.
nameBytes :: Int
nameBytes = 2560

target :: Below -> Last -> (Target -> IO (Either Errno a)) -> IO (Either Errno a)
target (Below o how path steps) last_ f = using o (\base -> resolve how steps base path last_ f)

-- | Do what needs the targets of paths. Where links lead to more names than were paid
-- for, twice as many are paid for, and the way is gone once more from its beginning.
reaching :: [Below] -> IO (Either Errno a) -> Act a
reaching paths action = reached paths action >>= io . pure

reached :: [Below] -> IO (Either Errno a) -> Act (Either Errno a)
reached paths action = go (maximum (1 : [ownNames path | Below _ _ path _ <- paths]))
  where
    go n = do
      liftIO (mapM_ (\(Below _ _ _ steps) -> allow steps n) paths)
      r <- liftIO action
      enough <- liftIO (and <$> mapM (\(Below _ _ _ steps) -> sufficed steps) paths)
      case () of
        _
          | enough -> pure r
          | n >= mostSteps -> refuse ENAMETOOLONG
          | otherwise -> pay (2 * n * nameBytes * length paths) >> go (2 * n)

lastOf :: Word32 -> Last
lastOf flags = if testBit flags 0 then Followed else Kept

folderAt :: WasiState -> Word32 -> Right_ -> Act Descriptor
folderAt st fd right = do
  d <- descriptorAt st fd
  case descriptorForm d of
    Folder _ _ -> access st fd [right]
    File -> refuse ENOTDIR
    Shared -> refuse ENOTDIR
    Stream -> refuse ENOTDIR

-- * Opening

openPath ::
  WasiState ->
  Word32 ->
  Word32 ->
  Word32 ->
  Word32 ->
  Word32 ->
  Word64 ->
  Word64 ->
  Word32 ->
  Word32 ->
  Metered Word32
openPath st fd look_ p n how wanted inheriting flags to = done $ do
  when (how > 15 || flags > 31) (refuse EINVAL)
  -- Neither makes a directory; the system makes a file, or does not know either.
  when (creates && asFolder) (refuse EINVAL)
  b <- below st fd PathOpen p n
  d <- descriptorAt st fd
  let allowed = descriptorInheriting d
  when (creates && not (has (descriptorRights d) PathCreateFile)) (refuse ENOTCAPABLE)
  when (truncates && not (has (descriptorRights d) PathFilestatSetSize)) (refuse ENOTCAPABLE)
  -- Bits that the interface does not have are not asked for.
  unless (wanted .&. rights [minBound .. maxBound] .&. complement allowed == 0) (refuse ENOTCAPABLE)
  -- The result has a place before anything is made.
  put st to (0 :: Word32)
  (o, form) <- again b (8 :: Int)
  let possible = case form of
        Folder _ _ -> folderRights
        File -> fileRights
        Shared -> streamRights
        Stream -> streamRights
  new <-
    newDescriptor
      st
      ( Descriptor
          o
          form
          (wanted .&. possible)
          (inheriting .&. allowed)
          (fromIntegral flags)
      )
  put st to new
  where
    creates = testBit how 0
    asFolder = testBit how 1
    exclusive = testBit how 2
    truncates = testBit how 3
    writes = has wanted FdWrite
    mode =
      Access
        { accessRead = has wanted FdRead || not writes,
          accessWrite = writes || truncates,
          accessCreate = creates,
          accessExclusive = creates && exclusive,
          accessTruncate = truncates,
          accessAppend = testBit flags 0,
          accessDataSync = testBit flags 1,
          accessSync = testBit flags 3 || testBit flags 4
        }
    -- A name may become a link between a look and a call: then once more.
    pathBytes (Below _ _ path _) = callBytes + nameBytes * ownNames path
    again b tries =
      reached [b] (target b (if exclusive && creates then Named else lastOf look_) one) >>= \case
        Right r -> pure r
        Left ELOOP | tries > 0 -> pay (pathBytes b) >> again b (tries - 1)
        Left e -> refuse e

    one = \case
      Itself dir
        | creates && exclusive -> pure (Left EEXIST)
        | creates || truncates || (writes && not asFolder) -> pure (Left EISDIR)
        | otherwise -> asFolder_ (folder dir ".")
      Entry dir name slash ->
        statusAt dir name >>= \case
          Left ENOENT
            | creates -> if slash then pure (Left EISDIR) else opening dir name
            | otherwise -> pure (Left ENOENT)
          Left e -> pure (Left e)
          Right s
            | creates && exclusive -> pure (Left EEXIST)
            | otherwise -> case statusKind s of
                Directory
                  | creates || truncates || (writes && not asFolder) -> pure (Left EISDIR)
                  | otherwise -> asFolder_ (folder dir name)
                RegularFile -> plain dir name slash
                Unknown | statusPipe s -> plain dir name slash
                SymbolicLink -> pure (Left ELOOP)
                BlockDevice -> pure (Left ENOTCAPABLE)
                CharacterDevice -> pure (Left ENOTCAPABLE)
                StreamSocket -> pure (Left ENOTCAPABLE)
                DatagramSocket -> pure (Left ENOTCAPABLE)
                Unknown -> pure (Left ENOTCAPABLE)
    plain dir name slash
      | slash || asFolder = pure (Left ENOTDIR)
      | otherwise = opening dir name
    asFolder_ open = open >>= mapM (\o -> (,) o . Folder Nothing <$> newMVar ())

    -- What was opened is looked at: between the look and the call it may have become
    -- something else.
    opening dir name =
      file dir name mode >>= \case
        Left e -> pure (Left e)
        Right o ->
          using o status >>= \case
            Right s | statusKind s == RegularFile -> pure (Right (o, File))
            Right s | statusPipe s -> pure (Right (o, Stream))
            Right _ -> Left ENOTCAPABLE <$ release o
            Left e -> Left e <$ release o

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
