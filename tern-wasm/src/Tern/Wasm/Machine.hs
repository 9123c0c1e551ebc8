{-# LANGUAGE MagicHash #-}

-- | The driver of the loop: it enters "Tern.Wasm.Exec", does what the loop leaves
-- to it, and goes on.
--
-- The idea: the loop returns here for whatever touches Haskell's world (host
-- functions, growing, tables, bulk operations, lowering, calls to another
-- instance) and when a slice of fuel is used up. Each return is a safe point:
-- asynchronous exceptions are delivered, other threads run, and fuel and
-- deadline are looked at. Frames stay on the store's own stack, so a call to
-- another instance takes a list cell here and nothing on Haskell's stack.
--
-- Start at 'call'.
module Tern.Wasm.Machine
  ( Stop (..),
    Suspended,
    call,
    resume,
    initTable,
    initMemory,
  )
where

import Control.Concurrent (myThreadId, yield)
import Control.Concurrent.MVar
import Control.Exception (bracket_, finally)
import Data.ByteString qualified as B
import Data.ByteString.Unsafe qualified as B
import Data.IORef
import Data.Int (Int32)
import Data.Maybe (fromMaybe)
import Data.Text qualified as T
import Data.Vector (Vector)
import Data.Vector qualified as V
import Data.Vector.Mutable qualified as MV
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign.ForeignPtr
import Foreign.ForeignPtr.Unsafe (unsafeForeignPtrToPtr)
import Foreign.Marshal.Utils (copyBytes, fillBytes, moveBytes)
import Foreign.Ptr
import Foreign.Storable
import GHC.Clock (getMonotonicTime)
import GHC.Exts (keepAlive#)
import GHC.IO (IO (..))
import System.IO.Unsafe (unsafePerformIO)
import Tern.Wasm.Code
import Tern.Wasm.Error
import Tern.Wasm.Exec (Exit (..), enter)
import Tern.Wasm.Lower (lower)
import Tern.Wasm.Store
import Tern.Wasm.Syntax (FuncType (..), Index, ValType)
import Tern.Wasm.Valid (Spaces (..), validSpaces)

-- | Why a call did not return.
data Stop
  = Trapped !Trap
  | Exhausted !Exhaustion
  | -- | The fuel is used up; the call can go on when there is more.
    OutOfFuel !Suspended

-- | A call that has stopped between two instructions: where it stopped, the
-- stack it had, and the function that was called.
data Suspended = Suspended !Store !Func !Point !(Ptr ()) !B.ByteString

-- | Where a computation is: its instance, the instances that called it with the
-- instruction to go on with, the instruction and the frame.
data Point = Point !Instance ![Crossing] !(Ptr ()) !(Ptr ())

data Crossing = Crossing !Instance !(Ptr ())

-- * Calls from outside

-- | Call a function: write the arguments to the slots at an address, run, and
-- read the results from there.
call :: Store -> Func -> (Ptr () -> IO ()) -> (Ptr () -> IO a) -> IO (Either Stop a)
call store f write read_ = owning store $ do
  base <- readIORef (storeTop store)
  let room = linkOffset (funcSignature f) + linkSize
  if base `plusPtr` (room + guard) > stackEnd store
    then pure (Left (Exhausted StackExhausted))
    else do
      write base
      outcome <- case funcBody f of
        HostFunc code -> maybe (Right ()) (Left . Trapped) <$> hosted store (base `plusPtr` room) (code base)
        OwnFunc i x -> do
          pokeByteOff base (linkOffset (funcSignature f)) (instruction Halt)
          pokeByteOff base (linkOffset (funcSignature f) + 8) base
          target <- codeOf i x
          drive store f base (Point i [] target base)
      mapM (const (read_ base)) outcome

-- | Go on with a call that ran out of fuel; the action is given the store and the
-- results' types. The stack must be as free as it was: while another call of the
-- store is under way, its frames stand there.
resume :: Suspended -> (Store -> [ValType] -> Ptr () -> IO a) -> IO (Either Stop a)
resume (Suspended store f point base saved) read_ = owning store $ do
  top <- readIORef (storeTop store)
  if top /= base
    then pure (Left (Trapped (HostTrap (T.pack "a suspended call cannot go on inside of another call"))))
    else do
      B.unsafeUseAsCStringLen saved $ uncurry (copyBytes (castPtr base))
      outcome <- drive store f base point
      mapM (const (read_ store (funcResults (funcSignature f)) base)) outcome

-- | One thread at a time runs in a store; it may call into it again from a host
-- function.
owning :: Store -> IO a -> IO a
owning store action = do
  me <- myThreadId
  owner <- readIORef (storeOwner store)
  if owner == Just me
    then kept
    else withMVar (storeLock store) $ \_ ->
      bracket_ (writeIORef (storeOwner store) (Just me)) (writeIORef (storeOwner store) Nothing) kept
  where
    -- What the loop reads by address lives as long as the store.
    kept = IO $ \s -> case action of IO f -> keepAlive# store s f

-- | Bytes that must be free below the stack's end before anything is called.
guard :: Int
guard = 256

stackEnd :: Store -> Ptr ()
stackEnd store = unsafeForeignPtrToPtr (storeStack store) `plusPtr` settingStack (storeSettings store)

-- | Run host code; calls that it makes use the stack from an address.
hosted :: Store -> Ptr () -> IO a -> IO a
hosted store above action = do
  before <- readIORef (storeTop store)
  writeIORef (storeTop store) above
  action `finally` writeIORef (storeTop store) before

-- | The address of an instruction without operands, the same for ever.
instruction :: Op -> Ptr ()
instruction op = unsafeForeignPtrToPtr fixed `plusPtr` (if op == Halt then 0 else unit)

-- NOINLINE: there is one block, and it is never freed while the program runs.
fixed :: ForeignPtr ()
fixed = unsafePerformIO $ do
  p <- zeroed (2 * unit)
  withForeignPtr p $ \q -> do
    pokeByteOff q 0 (fromIntegral (fromEnum Halt) :: Word16)
    pokeByteOff q unit (fromIntegral (fromEnum Crossed) :: Word16)
  pure p
{-# NOINLINE fixed #-}

-- | The code of an instance's own function as it is now: itself, or its stub.
codeOf :: Instance -> Index -> IO (Ptr ())
codeOf i x = withForeignPtr (instanceCode i) (`peekByteOff` (8 * x))

-- * Running

-- | Jumps and calls between two safe points: about a tenth of a millisecond.
slice :: Int
slice = 100000

drive :: Store -> Func -> Ptr () -> Point -> IO (Either Stop ())
drive store called base = go
  where
    end = stackEnd store
    go (Point i crossings ip fp) = do
      available <- readIORef (storeFuel store)
      if available <= 0
        then suspend (Point i crossings ip fp)
        else do
          let n = min slice available
              block = instanceAddress i
          pokeByteOff block instStackLimit end
          (memory, size) <- maybe (pure (nullPtr, 0)) viewed (instanceMemory i)
          pokeByteOff block instFuel n
          Exit code ip' fp' <- enter ip fp memory size block
          left <- peekByteOff block instFuel
          writeIORef (storeFuel store) $! if available == maxBound then available else available - (n - left)
          let point = Point i crossings ip' fp'
          if code == exitLeave
            then leaving i crossings ip' fp'
            else
              if code == exitPoll
                then poll point
                else
                  if code == exitForeign
                    then foreign_ i crossings ip' fp'
                    else pure (Left (stopOf code))
    viewed m = do
      (block, size) <- memoryView m
      pure (castPtr (unsafeForeignPtrToPtr block), size)

    poll point = do
      yield
      deadline <- readIORef (storeDeadline store)
      late <- maybe (pure False) (\t -> (> t) <$> getMonotonicTime) deadline
      if late then pure (Left (Exhausted TimeExhausted)) else go point

    suspend point = do
      saved <- B.packCStringLen (castPtr base, end `minusPtr` base)
      pure (Left (OutOfFuel (Suspended store called point base saved)))

    trap = pure . Left . Trapped

    leaving i crossings ip fp = do
      op <- toEnum . fromIntegral <$> (peekByteOff ip 0 :: IO Word16)
      a <- field ip 4
      b <- field ip 8
      c <- field ip 12
      let home = fp `plusPtr` a
          next = go (Point i crossings (ip `plusPtr` unit) fp)
          arg k = fromIntegral <$> (peekByteOff home (8 * k) :: IO Word32) :: IO Int
          give :: Int -> IO (Either Stop ())
          give n = pokeByteOff home 0 (fromIntegral n :: Word32) >> next
          checked outcome = outcome >>= maybe next trap
          three f = do
            x <- arg 0
            y <- arg 1
            z <- arg 2
            checked (f x y z)
          table x = instanceTables i V.! x
      case op of
        Halt -> pure (Right ())
        Crossed -> case crossings of
          Crossing caller back : rest -> go (Point caller rest back fp)
          -- Only a crossing leaves this return address.
          [] -> pure (Right ())
        Lower -> do
          target <- lowered i b
          go (Point i crossings target fp)
        CallImport -> enterFunc i crossings (instanceFuncs i V.! b) home (ip `plusPtr` unit) fp
        DoMemoryGrow -> do
          n <- arg 0
          r <- maybe (pure Nothing) (`growMemory` fromIntegral n) (instanceMemory i)
          give (fromMaybe (-1) r)
        DoMemoryFill -> three $ \to v n -> onMemory i to n $ \p -> fillBytes p (fromIntegral v :: Word8) n
        DoMemoryCopy -> three $ \to from n -> do
          source <- onMemory i from n (const (pure ()))
          maybe (onMemory i to n $ \p -> moveBytes p (p `plusPtr` (from - to)) n) (pure . Just) source
        DoMemoryInit -> three $ \to from n -> do
          bytes <- MV.read (instanceDatas i) b
          initMemory i to bytes from n
        DoDataDrop -> MV.write (instanceDatas i) b B.empty >> next
        DoTableGet -> do
          x <- arg 0
          size <- tableSize (table b)
          if x >= size
            then trap OutOfBoundsTable
            else do
              p <- tableElementsAt (table b)
              peekElemOff p x >>= pokeByteOff home 0
              next
        DoTableSet -> do
          x <- arg 0
          v <- peekByteOff home 8 :: IO Word64
          size <- tableSize (table b)
          if x >= size
            then trap OutOfBoundsTable
            else do
              p <- tableElementsAt (table b)
              pokeElemOff p x v
              next
        DoTableSize -> tableSize (table b) >>= give
        DoTableGrow -> do
          v <- peekByteOff home 0 :: IO Word64
          n <- arg 1
          r <- growTable (table b) (fromIntegral n) v
          give (fromMaybe (-1) r)
        DoTableFill -> do
          x <- arg 0
          v <- peekByteOff home 8 :: IO Word64
          n <- arg 2
          size <- tableSize (table b)
          if x + n > size
            then trap OutOfBoundsTable
            else do
              p <- tableElementsAt (table b)
              mapM_ (\k -> pokeElemOff p k v) [x .. x + n - 1]
              next
        DoTableCopy -> three $ \to from n -> do
          size <- tableSize (table b)
          size' <- tableSize (table c)
          if to + n > size || from + n > size'
            then pure (Just OutOfBoundsTable)
            else do
              p <- tableElementsAt (table b)
              q <- tableElementsAt (table c)
              moveBytes (p `plusPtr` (8 * to)) (q `plusPtr` (8 * from)) (8 * n)
              pure Nothing
        DoTableInit -> three $ \to from n -> do
          elements <- MV.read (instanceElems i) c
          initTable (table b) to elements from n
        DoElemDrop -> MV.write (instanceElems i) b V.empty >> next
        -- The loop leaves at no other instruction.
        _ -> trap TrapUnreachable

    -- An indirect call that led out of the instance: found and checked by the
    -- loop, and found again here.
    foreign_ i crossings ip fp = do
      a <- field ip 4
      b <- field ip 8
      c <- field ip 12
      x <- fromIntegral <$> (peekByteOff fp b :: IO Word32) :: IO Int
      table <- peekByteOff (instanceAddress i) c :: IO (Ptr ())
      elements <- peekByteOff table tableElements :: IO (Ptr (Ptr ()))
      record <- peekElemOff elements x
      funcByAddress store record >>= \case
        Just f -> enterFunc i crossings f (fp `plusPtr` a) (ip `plusPtr` (2 * unit)) fp
        Nothing -> trap UninitializedElement

    -- Call a function with a new frame, to return to an instruction and a frame.
    enterFunc i crossings f new back fp = case funcBody f of
      HostFunc code -> do
        r <- hosted store (new `plusPtr` (linkOffset (funcSignature f) + linkSize)) (code new)
        maybe (go (Point i crossings back fp)) trap r
      OwnFunc i' x -> do
        let link = linkOffset (funcSignature f)
        pokeByteOff new link (instruction Crossed)
        pokeByteOff new (link + 8) fp
        target <- codeOf i' x
        go (Point i' (Crossing i back : crossings) target new)

field :: Ptr () -> Int -> IO Int
field p o = fromIntegral <$> (peekByteOff p o :: IO Int32)

stopOf :: Int -> Stop
stopOf code
  | code == exitDivideByZero = Trapped DivideByZero
  | code == exitOverflow = Trapped IntegerOverflow
  | code == exitConversion = Trapped InvalidConversion
  | code == exitMemory = Trapped OutOfBoundsMemory
  | code == exitUndefined = Trapped UndefinedElement
  | code == exitUninitialized = Trapped UninitializedElement
  | code == exitIndirectType = Trapped IndirectCallTypeMismatch
  | code == exitStack = Exhausted StackExhausted
  | otherwise = Trapped TrapUnreachable

-- | The code of an instance's own function, lowered now if nobody has yet; the
-- instance's table leads to it from now on.
lowered :: Instance -> Index -> IO (Ptr ())
lowered i x = do
  known <- MV.read (compiledCode compiled) own
  code <- case known of
    Just (block, _) -> pure block
    Nothing -> do
      made@(block, _) <- lower (compiledProfile compiled) (compiledValid compiled) own
      MV.write (compiledCode compiled) own (Just made)
      pure block
  -- Another instance may have lowered it twice at once; each keeps what it uses.
  keep (instanceStore i) code
  let address = castPtr (unsafeForeignPtrToPtr code) :: Ptr ()
  withForeignPtr (instanceCode i) $ \p -> pokeByteOff p (8 * x) address
  pure address
  where
    compiled = instanceCompiled i
    own = x - spaceImportedFuncs (validSpaces (compiledValid compiled))

-- * Bulk operations

-- | Do something at a place in memory if so many bytes are there.
onMemory :: Instance -> Int -> Int -> (Ptr Word8 -> IO ()) -> IO (Maybe Trap)
onMemory i at n f = case instanceMemory i of
  Nothing -> pure (Just OutOfBoundsMemory)
  Just m -> do
    (block, size) <- memoryView m
    if at + n > size
      then pure (Just OutOfBoundsMemory)
      else Nothing <$ withForeignPtr block (\p -> f (p `plusPtr` at))

-- | Copy part of a data segment to memory: to, from, how many.
initMemory :: Instance -> Int -> B.ByteString -> Int -> Int -> IO (Maybe Trap)
initMemory i to bytes from n
  | from + n > B.length bytes = pure (Just OutOfBoundsMemory)
  | otherwise = onMemory i to n $ \p ->
      B.unsafeUseAsCString (B.drop from bytes) $ \q -> copyBytes p (castPtr q) n

-- | Copy part of an element segment to a table: to, from, how many.
initTable :: Table -> Int -> Vector Word64 -> Int -> Int -> IO (Maybe Trap)
initTable t to elements from n = do
  size <- tableSize t
  if to + n > size || from + n > V.length elements
    then pure (Just OutOfBoundsTable)
    else do
      p <- tableElementsAt t
      Nothing <$ V.imapM_ (\k v -> pokeElemOff p (to + k) v) (V.slice from n elements)
