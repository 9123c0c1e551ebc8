{-# LANGUAGE OverloadedStrings #-}

-- | What a WASI program is given, and what its functions are made of: errors, places
-- in its memory, descriptors and paths.
--
-- The idea: every function of the interface is a row of steps that may refuse with a
-- number ('andThen'); whatever a step touches, bytes of the memory or a path, it gets
-- from here, checked.
--
-- Start at 'Wasi' and 'resolve'; the functions are in "Tern.Wasm.Wasi".
module Tern.Wasm.Wasi.State
  ( -- * What is given
    Wasi (..),
    defaultWasi,
    WasiState (..),
    Descriptor (..),
    newWasi,
    wasiMemory,
    wasiExitCode,

    -- * Errors
    Errno (..),
    Answer,
    success,
    badf,
    exist,
    fault,
    inval,
    io,
    isdir,
    noent,
    nosys,
    notdir,
    notempty,
    notsup,
    perm,
    spipe,
    notcapable,
    refuse,
    attempt,
    andThen,
    answer,
    done,

    -- * Memory
    at,
    put,
    putBytes,
    getBytes,
    vectors,
    transfer,

    -- * Descriptors and paths
    withDescriptor,
    withFd,
    withFile,
    newDescriptor,
    resolve,
    resolveReal,
    isLink,
    fileType,
    putStatus,
  )
where

import Control.Exception (IOException, try)
import Control.Monad (filterM, foldM)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Unsafe qualified as B
import Data.IORef
import Data.IntMap.Strict (IntMap)
import Data.IntMap.Strict qualified as IntMap
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding (decodeUtf8')
import Data.Word (Word32, Word64, Word8)
import Foreign.ForeignPtr (withForeignPtr)
import Foreign.Marshal.Utils (copyBytes)
import Foreign.Ptr
import Foreign.Storable (Storable, peekByteOff, pokeByteOff, sizeOf)
import GHC.IO.Exception (ioe_errno)
import System.FilePath ((</>))
import System.IO.Error (isAlreadyExistsError, isDoesNotExistError, isPermissionError)
import System.Posix.Files
import System.Posix.IO
import System.Posix.Types (Fd (..))
import Tern.Wasm
import Tern.Wasm.Store (memoryView)

-- * What is given

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
