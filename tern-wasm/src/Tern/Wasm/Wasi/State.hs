{-# LANGUAGE OverloadedStrings #-}

-- | What a WASI program is given, and what its functions are made of: steps that may
-- refuse, places in its memory, descriptors with rights.
--
-- The idea: a function of the interface is an 'Act': it pays before it works, and ends
-- with the first error. Whatever it touches, bytes of the memory or a descriptor of
-- the system, it gets from here, checked.
--
-- Start at 'Wasi' and 'access'; the functions are in "Tern.Wasm.Wasi" and below.
module Tern.Wasm.Wasi.State
  ( -- * What is given
    Wasi (..),
    defaultWasi,
    Edition (..),
    WasiState,
    newWasi,
    newWasiBy,
    closeWasi,
    given,
    resolver,
    wasiMemory,
    wasiExitCode,
    exitWith,

    -- * Functions
    Function,
    function,
    Act,
    io,
    refuse,
    done,
    pay,
    callBytes,
    pause,

    -- * Memory
    at,
    put,
    putBytes,
    getBytes,

    -- * Descriptors
    Descriptor (..),
    Form (..),
    access,
    permit,
    descriptorAt,
    newDescriptor,
    changeDescriptor,
    dropDescriptor,
    renumber,
  )
where

import Control.Concurrent.MVar (MVar, newMVar)
import Control.Exception (throwIO)
import Control.Monad (unless, void, when)
import Control.Monad.IO.Class (liftIO)
import Control.Monad.Trans.Class (lift)
import Control.Monad.Trans.Except (ExceptT (..), runExceptT, throwE)
import Data.Bits (complement, (.&.))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Unsafe qualified as B
import Data.IORef (IORef, atomicModifyIORef', newIORef, readIORef, writeIORef)
import Data.Text (Text)
import Data.Text.Encoding (encodeUtf8)
import Data.Word (Word16, Word32, Word64, Word8)
import System.Posix.IO (stdError, stdInput, stdOutput)
import System.Posix.Types qualified as Posix
import Tern.Wasm
  ( Extern (..),
    Func,
    Host,
    Instance,
    Memory,
    Metered,
    Store,
    exportNamed,
    hostFunction,
    price,
  )
import Tern.Wasm.Prim (Ptr, Storable, castPtr, copyBytes, plusPtr, pokeByteOff, sizeOf)
import Tern.Wasm.Store (withMemory)
import Tern.Wasm.Wasi.Errno (Errno (..), errnoNumber)
import Tern.Wasm.Wasi.Opened (Opened, opened)
import Tern.Wasm.Wasi.Opened qualified as Opened
import Tern.Wasm.Wasi.Path (Resolver (..))
import Tern.Wasm.Wasi.Rights (Right_, folderRights, rights, streamRights)
import Tern.Wasm.Wasi.System
  ( FileType (..),
    Owned,
    Status (..),
    duplicate,
    release,
    root,
    status,
    using,
  )

-- * What is given

-- | What a program is given.
data Wasi = Wasi
  { wasiArguments :: ![ByteString],
    wasiEnvironment :: ![(ByteString, ByteString)],
    -- | Folders: the name that the program sees, and the folder.
    wasiFolders :: ![(Text, FilePath)],
    -- | Whether it may read the clocks; without, every clock stands at 0.
    wasiClocks :: !Bool,
    -- | Its standard input, output and error. The program has descriptors of its own
    -- for them until 'closeWasi'. By default they are the process's, whatever has those
    -- numbers: who may be started with one of them closed opens something in its place
    -- before anything else is opened, as @tern-wasm@ does.
    wasiStreams :: !(Posix.Fd, Posix.Fd, Posix.Fd),
    -- | How many descriptors it may have at a time.
    wasiDescriptors :: !Int
  }

-- | No arguments, no environment, no folder; the clocks and the process's streams; 256
-- descriptors.
defaultWasi :: Wasi
defaultWasi = Wasi [] [] [] True (stdInput, stdOutput, stdError) 256

-- | The interface's editions: @wasi_snapshot_preview1@, and @wasi_unstable@ before it,
-- whose structures have other places.
data Edition = Preview1 | Unstable
  deriving stock (Eq, Show, Enum, Bounded)

-- | What a program of WASI was given, and what it has now: open descriptors, its memory once it is
-- instantiated, and the code that it ended with.
data WasiState = WasiState
  { -- | What it was given at the start.
    given :: !Wasi,
    -- | Who finds directories for its paths.
    resolver :: !Resolver,
    descriptors :: !(IORef (Opened Descriptor)),
    memory :: !(IORef (Maybe Memory)),
    code :: !(IORef (Maybe Word32))
  }

-- | Open what a program is given. Raises an 'IOError' for a folder that cannot be
-- opened. A stream that is not open is one that the program does not have; so is one that
-- is no file, folder, device, pipe or socket (a timer, or what the runtime system waits with).
newWasi :: Wasi -> IO WasiState
newWasi = newWasiBy ByKernel

-- | The same, told who finds directories.
newWasiBy :: Resolver -> Wasi -> IO WasiState
newWasiBy how w = do
  streams <- mapM stream [input, output, errors]
  folders <- mapM folder_ (wasiFolders w)
  WasiState w how
    <$> newIORef
      ( opened
          ( [(k, d) | (k, Just d) <- zip [0 ..] streams]
              <> zip [3 ..] folders
          )
      )
    <*> newIORef Nothing
    <*> newIORef Nothing
  where
    (input, output, errors) = wasiStreams w
    stream fd =
      duplicate fd >>= \case
        Left _ -> pure Nothing
        Right o ->
          using o status >>= \case
            Right s
              | statusKind s /= Unknown || statusPipe s ->
                  let form = if statusKind s == RegularFile then Shared else Stream
                   in pure (Just (Descriptor o form streamRights 0 0))
            _ -> Nothing <$ release o
    folder_ (name, path) =
      root path >>= \case
        Left e -> throwIO (userError ("the folder \"" <> path <> "\" cannot be opened: " <> show e))
        Right o -> do
          lock <- newMVar ()
          pure
            ( Descriptor
                o
                (Folder (Just (encodeUtf8 name)) lock)
                folderRights
                (rights [minBound .. maxBound])
                0
            )

-- | Close all descriptors of the program; otherwise that is done when nothing refers
-- to them any more.
closeWasi :: WasiState -> IO ()
closeWasi st =
  atomicModifyIORef' (descriptors st) (opened [],)
    >>= mapM_ (release . descriptorOwned) . Opened.everything

-- | Tell the functions the memory of the instance that will call them.
wasiMemory :: WasiState -> Instance -> IO ()
wasiMemory st i = case exportNamed i "memory" of
  Just (ExternMemory m) -> writeIORef (memory st) (Just m)
  _ -> pure ()

-- | What the program gave to @proc_exit@, if it called it. The call itself ends
-- the program as a trap does.
wasiExitCode :: WasiState -> IO (Maybe Word32)
wasiExitCode = readIORef . code

-- | Note the code that a program ends with; the last one counts. Nothing is ended here.
exitWith :: WasiState -> Word32 -> IO ()
exitWith st = writeIORef (code st) . Just

-- * Functions

-- | A function of the interface: its name and how to make it.
type Function = (Text, Store -> IO Func)

-- | A function of the interface from its name and what it does, whose type is its signature.
function :: (Host f) => Text -> f -> Function
function name f = (name, (`hostFunction` f))

-- | A piece of a function: it may refuse, and pays as it goes.
type Act = ExceptT Errno Metered

-- | Do something, which is not paid for here; its error ends the 'Act'.
io :: IO (Either Errno a) -> Act a
io = ExceptT . liftIO

-- | End the 'Act' with an error. What has been done stays done.
refuse :: Errno -> Act a
refuse = throwE

-- | A function's result, the number of an error or 0. The call is paid for.
done :: Act () -> Metered Word32
done act = do
  price callBytes
  either errnoNumber (const (errnoNumber SUCCESS)) <$> runExceptT act

-- | Pay for @n@ bytes. No descriptor of the system may be in use here.
pay :: Int -> Act ()
pay = lift . price

-- | What a call of the system is paid for as, in bytes: it takes about as long as going
-- over them.
callBytes :: Int
callBytes = 6400

-- | Let the driver look at the limits.
pause :: Act ()
pause = pay 0

-- * Memory

-- | Do something at an address if there are @n@ bytes at it.
at :: WasiState -> Word32 -> Int -> (Ptr Word8 -> IO (Either Errno a)) -> Act a
at st address n f =
  io $
    readIORef (memory st) >>= \case
      Nothing -> pure (Left EFAULT)
      Just m -> withMemory m $ \p size ->
        if n < 0 || fromIntegral address > size || n > size - fromIntegral address
          then pure (Left EFAULT)
          else f (p `plusPtr` fromIntegral address)

-- | Write a value at an address; 'EFAULT', and nothing is written, where not all of it has room.
put :: forall a. (Storable a) => WasiState -> Word32 -> a -> Act ()
put st address v = at st address (sizeOf v) (\p -> Right <$> pokeByteOff p 0 v)

-- | The same of bytes.
putBytes :: WasiState -> Word32 -> ByteString -> Act ()
putBytes st address bytes =
  at st address (B.length bytes) $ \p ->
    Right <$> B.unsafeUseAsCStringLen bytes (\(q, n) -> copyBytes p (castPtr q) n)

-- | A copy of bytes; what is longer than a path is refused before it is copied.
getBytes :: WasiState -> Word32 -> Word32 -> Act ByteString
getBytes st address n = do
  when (n > 65536) (refuse ENAMETOOLONG)
  at st address (fromIntegral n) $ \p -> Right <$> B.packCStringLen (castPtr p, fromIntegral n)

-- * Descriptors

-- | What a number of the guest stands for: an open file of the system, and what may be
-- done with it and with what is opened below it.
data Descriptor = Descriptor
  { descriptorOwned :: !Owned,
    descriptorForm :: !Form,
    descriptorRights :: !Word64,
    descriptorInheriting :: !Word64,
    -- | The interface's flags: 1 to append, 4 not to wait.
    descriptorFlags :: !Word16
  }

-- | What a descriptor stands for, as functions tell it apart.
data Form
  = -- | What must be waited for: a pipe, a terminal, a socket.
    Stream
  | -- | A stream that is a file: it has a position that the host shares, and that is
    -- not moved but by reading and writing.
    Shared
  | File
  | -- | A folder, its name if it was given at the start, and a lock for its position.
    Folder !(Maybe ByteString) !(MVar ())

-- | The descriptor with a number, whatever its rights; 'EBADF' where there is none.
descriptorAt :: WasiState -> Word32 -> Act Descriptor
descriptorAt st fd =
  io (maybe (Left EBADF) Right . Opened.find (fromIntegral fd) <$> readIORef (descriptors st))

-- | A descriptor that has some rights.
access :: WasiState -> Word32 -> [Right_] -> Act Descriptor
access st fd wanted = descriptorAt st fd >>= \d -> d <$ permit d wanted

-- | Whether a descriptor has some rights; 'ENOTCAPABLE' ends the 'Act' where it has not. What a
-- function does with a descriptor goes by the rights of the same one: its number may stand for
-- another one as soon as something is paid for, or another thread runs.
permit :: Descriptor -> [Right_] -> Act ()
permit d wanted =
  unless (rights wanted .&. complement (descriptorRights d) == 0) (refuse ENOTCAPABLE)

-- | The lowest number from 3 on that is free. What finds no place is closed.
newDescriptor :: WasiState -> Descriptor -> Act Word32
newDescriptor st d = do
  n <- liftIO . atomicModifyIORef' (descriptors st) $ \m ->
    case Opened.place (min 0x10000000 (wasiDescriptors (given st))) d m of
      Just (n, m') -> (m', Just (fromIntegral n))
      Nothing -> (m, Nothing)
  case n of
    Just k -> pure k
    Nothing -> liftIO (void (release (descriptorOwned d))) >> refuse EMFILE

-- | Change what a number stands for, if it stands for anything.
changeDescriptor :: WasiState -> Word32 -> (Descriptor -> Descriptor) -> Act ()
changeDescriptor st fd f =
  liftIO (atomicModifyIORef' (descriptors st) (\m -> (Opened.change (fromIntegral fd) f m, ())))

-- | Free a number, and give back what it stood for.
dropDescriptor :: WasiState -> Word32 -> Act ()
dropDescriptor st fd = do
  found <-
    liftIO . atomicModifyIORef' (descriptors st) $ \m ->
      (Opened.remove (fromIntegral fd) m, Opened.find (fromIntegral fd) m)
  maybe (refuse EBADF) (io . release . descriptorOwned) found

-- | Let an open number stand for what another one does, which is freed. Of the same
-- number nothing changes, and folders that were given at the start stay where they
-- are.
renumber :: WasiState -> Word32 -> Word32 -> Act ()
renumber st from to = do
  old <- io (atomicModifyIORef' (descriptors st) change)
  mapM_ (io . release . descriptorOwned) old
  where
    x = fromIntegral from
    y = fromIntegral to
    change m = case (Opened.find x m, Opened.find y m) of
      (Just d, Just e)
        | x == y -> (m, Right Nothing)
        | isRoot d || isRoot e -> (m, Left ENOTSUP)
        | otherwise -> (Opened.replace y d (Opened.remove x m), Right (Just e))
      _ -> (m, Left EBADF)
    isRoot d = case descriptorForm d of
      Folder (Just _) _ -> True
      Folder Nothing _ -> False
      Stream -> False
      Shared -> False
      File -> False
