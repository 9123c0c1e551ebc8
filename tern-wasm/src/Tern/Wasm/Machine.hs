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
    suspendedStore,
    call,
    resume,
    atOnce,
    owning,
  )
where

import Control.Concurrent (myThreadId, yield)
import Control.Concurrent.MVar
import Control.Exception (bracket_, finally)
import Control.Monad (forM, zipWithM_)
import Data.ByteString qualified as B
import Data.ByteString.Unsafe qualified as B
import Data.IORef
import Data.Int (Int32)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe)
import Data.Text qualified as T
import Data.Vector qualified as V
import Data.Word (Word16, Word32, Word64)
import Foreign.Marshal.Utils (copyBytes, moveBytes)
import Foreign.Ptr
import Foreign.Storable
import GHC.Clock (getMonotonicTime)
import Tern.Wasm.Code
import Tern.Wasm.Error
import Tern.Wasm.Exec (Exit (..), enter)
import Tern.Wasm.Lasting (address, at, holding, nowhere, view, within)
import Tern.Wasm.Layout
import Tern.Wasm.Machine.Aggregate (aggregated)
import Tern.Wasm.Machine.Bulk (bulk)
import Tern.Wasm.Machine.Tiers
import Tern.Wasm.Machine.Unwind
import Tern.Wasm.Metered (Outcome (..))
import Tern.Wasm.Native (Tier (..))
import Tern.Wasm.Native qualified as Native
import Tern.Wasm.Object (referenceIs)
import Tern.Wasm.Store
import Tern.Wasm.Syntax (HeapType (..), Index, RefType (..), ValType, funcParams, funcResults, matchesHeap, slotTotal)

-- | Why a call did not return, and where it was.
data Stop
  = Trapped !Trap ![Place]
  | Exhausted !Exhaustion ![Place]
  | -- | An exception that nothing caught.
    Uncaught !Thrown ![Place]
  | -- | The fuel is used up; the call can go on when there is more.
    OutOfFuel !Suspended
  | -- | A suspended call that has gone on before, and cannot a second time.
    Spent

-- | A call that has stopped between two instructions, or before a piece of work:
-- whether it has gone on since, the function that was called, where its stack began,
-- what was on it, the fuel that it owes, and what is left to do.
data Suspended = Suspended !Store !(IORef Bool) !Func !(Ptr ()) !B.ByteString !Int (IO (Either Stop ()))

suspendedStore :: Suspended -> Store
suspendedStore (Suspended store _ _ _ _ _ _) = store

-- | How many frames a trace has at most.
traceLength :: Int
traceLength = 32

-- * Calls from outside

-- | Call a function: write the arguments to the slots at an address, run, and
-- read the results from there.
call :: Store -> Func -> (Ptr () -> IO ()) -> (Ptr () -> IO a) -> IO (Either Stop a)
call store f write read_ = owning store $ do
  base <- readIORef (storeTop store)
  let room = linkOffset (funcSignature f) + linkSize
  if base `plusPtr` (room + guard) > stackEnd store
    then pure (Left (Exhausted StackExhausted []))
    else do
      write base
      outcome <- case funcBody f of
        HostFunc code -> working (Works store f base (\because -> pure (Left (because [])))) (hosted store (base `plusPtr` room) (code base)) (pure . Right)
        OwnFunc i x -> do
          pokeByteOff base (linkOffset (funcSignature f)) halt
          pokeByteOff base (linkOffset (funcSignature f) + 8) base
          target <- codeOf i x
          drive store f base (Point i [] target base)
      mapM (const (read_ base)) outcome

-- | Go on with a call that ran out of fuel; the action is given the store and the
-- results' types. The stack must be as free as it was: while another call of the
-- store is under way, its frames stand there. It goes on once: what it does in
-- memory, and elsewhere, must not be done twice.
resume :: Suspended -> (Store -> [ValType] -> Ptr () -> IO a) -> IO (Either Stop a)
resume (Suspended store gone f base saved owed rest) read_ = owning store $ do
  top <- readIORef (storeTop store)
  if top /= base
    then pure (Left (Trapped (HostTrap (T.pack "a suspended call cannot go on inside of another call")) []))
    else atomicModifyIORef' gone (True,) >>= \spent -> if spent then pure (Left Spent) else goOn
  where
    goOn = do
      B.unsafeUseAsCStringLen saved $ uncurry (copyBytes (castPtr base))
      modifyIORef' (storeFuel store) (\fuel -> if fuel == maxBound then fuel else fuel - owed)
      outcome <- rest
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
    kept = holding (storeKeeper store) action

-- | Bytes that must be free below the stack's end before anything is called.
guard :: Int
guard = 256

-- | How many bytes take one from the fuel, in an instruction over whole memories, tables
-- or arrays and in a host function that says what it costs: they take about as long as
-- a jump.
bytesPerUnit :: Int
bytesPerUnit = 64

stackEnd :: Store -> Ptr ()
stackEnd store = address (storeStack store) `plusPtr` settingStack (storeSettings store)

-- | Run host code; calls that it makes use the stack from an address.
hosted :: Store -> Ptr () -> IO (Outcome ()) -> IO (Outcome ())
hosted store above action = do
  before <- readIORef (storeTop store)
  writeIORef (storeTop store) above
  r <- action `finally` writeIORef (storeTop store) before
  pure $ case r of
    Price n rest -> Price n (hosted store above rest)
    other -> other

-- * Work in pieces

-- | Where work is done: the store, the function that was called and where its stack
-- begins, and how to stop.
data Works = Works !Store !Func !(Ptr ()) (([Place] -> Stop) -> IO (Either Stop ()))

-- | Do work piece by piece, each paid for before, and then go on.
working :: Works -> IO (Outcome a) -> (a -> IO (Either Stop ())) -> IO (Either Stop ())
working w@(Works _ _ _ stopping) work next =
  work >>= \case
    Done a -> next a
    Refused t -> stopping (Trapped t)
    Exhausts e -> stopping (Exhausted e)
    Price bytes rest -> paying w bytes (bytes `div` bytesPerUnit) (working w rest next)

-- | Take @units@ of fuel for @bytes@ bytes, look at the deadline, and go on with @next@.
-- Where less fuel is left, take that and stop, to go on when the rest is paid too.
paying :: Works -> Int -> Int -> IO (Either Stop ()) -> IO (Either Stop ())
paying w@(Works store called base stopping) bytes units next = do
  fuel <- readIORef (storeFuel store)
  if fuel < units
    then do
      writeIORef (storeFuel store) 0
      suspended store called base 0 (paying w bytes (units - max 0 fuel) next)
    else do
      writeIORef (storeFuel store) $! if fuel == maxBound then fuel else fuel - units
      modifyIORef' (storeSpent store) (+ units)
      -- What is small is looked after by the next poll.
      late <- if bytes > 0 && bytes < 4096 then pure False else yield >> isLate store
      if late then stopping (Exhausted TimeExhausted) else next

-- | The same for what cannot be suspended, as an instance in the making: without the
-- fuel for the next piece it ends.
atOnce :: Store -> IO (Outcome ()) -> IO (Either Stop ())
atOnce store work =
  work >>= \case
    Done () -> pure (Right ())
    Refused t -> pure (Left (Trapped t []))
    Exhausts e -> pure (Left (Exhausted e []))
    Price bytes rest -> do
      let units = bytes `div` bytesPerUnit
      fuel <- readIORef (storeFuel store)
      late <- isLate store
      if late || fuel < units
        then pure (Left (Exhausted (if late then TimeExhausted else FuelExhausted) []))
        else do
          writeIORef (storeFuel store) $! if fuel == maxBound then fuel else fuel - units
          atOnce store rest

isLate :: Store -> IO Bool
isLate store = readIORef (storeDeadline store) >>= maybe (pure False) (\t -> (> t) <$> getMonotonicTime)

-- | Keep the stack and what is left to do, and the fuel that is owed.
suspended :: Store -> Func -> Ptr () -> Int -> IO (Either Stop ()) -> IO (Either Stop ())
suspended store called base owed rest = do
  saved <- B.packCStringLen (castPtr base, stackEnd store `minusPtr` base)
  gone <- newIORef False
  pure (Left (OutOfFuel (Suspended store gone called base saved owed rest)))

-- | The code of an instance's own function as it is now: itself, or its stub.
codeOf :: Instance -> Index -> IO (Ptr ())
codeOf i x = at (instanceCode i) (`peekByteOff` (8 * x))

-- * Running

drive :: Store -> Func -> Ptr () -> Point -> IO (Either Stop ())
drive store called base = go
  where
    end = stackEnd store
    go (Point i crossings ip fp) = do
      available <- readIORef (storeFuel store)
      slice <- readIORef (storeSlice store)
      spent <- readIORef (storeSpent store)
      let n = max 0 (min (slice - spent) available)
          block = instanceAddress i
      pokeByteOff block instStackLimit end
      pokeByteOff block instFuel n
      op <- peekByteOff ip 0 :: IO Word16
      v <- maybe (pure nowhere) (view . memoryBlock) (instanceMemory i)
      Exit code ip' fp' <- within v $ \memory size ->
        if fromIntegral op == fromEnum Native
          then do
            target <- peekByteOff ip gateAddress
            code <- Native.run target fp memory size block
            Exit code <$> peekByteOff block instExitIp <*> peekByteOff block instExitFrame
          else enter ip fp memory size block
      left <- peekByteOff block instFuel
      writeIORef (storeSpent store) $! spent + n - left
      let rest = available - (n - left)
          point = Point i crossings ip' fp'
      writeIORef (storeFuel store) $! if available == maxBound then available else rest
      let next
            | code == exitLeave = leaving point
            | code == exitPoll = poll 1 rest point
            | code == exitEntry = poll 0 rest point
            | code == exitForeign = calling True point
            | code == exitCall = warmed point
            -- Another type than the one that is asked for may be below it.
            | code == exitIndirectType = calling False point
            | otherwise = stop point (stopOf code)
      next
    -- A slice of the fuel has ended, at a jump that was made but is not paid for yet
    -- (1) or before a function (0). So what a program uses does not depend on where
    -- its slices end.
    poll owed rest point
      | rest <= 0 = suspended store called base (owed - rest) (go point)
      | otherwise = do
          modifyIORef' (storeFuel store) (\fuel -> if fuel == maxBound then fuel else fuel - owed)
          looked point

    looked point = do
      yield
      writeIORef (storeSpent store) 0
      heat point
      readIORef (storeSamples store) >>= mapM_ (sample point)
      late <- isLate store
      if late then stop point (Exhausted TimeExhausted) else go point

    -- What is done here takes as long as some jumps, which code without jumps does not
    -- make: it counts for when limits are looked at next, and is no fuel.
    after point = do
      spent <- (+ 64) <$> readIORef (storeSpent store)
      slice <- readIORef (storeSlice store)
      writeIORef (storeSpent store) $! spent
      if spent >= slice then looked point else go point

    -- Whoever is seen here has run long, and those that called it.
    heat point@(Point i _ _ _)
      | tierOf i == Auto = frames 4 point >>= mapM_ (\(j, own, l) -> warm j own l)
      | otherwise = pure ()
    -- What native code calls gets native code as well; and the instance is told.
    warmed point@(Point i _ ip _) = do
      found <- codeAt (instanceCompiled i) ip
      mapM_ (\(own, l, _) -> warm i own l) found
      op <- toEnum . fromIntegral <$> (peekByteOff ip 0 :: IO Word16)
      if op == Lower then leaving point else go point

    sample point counts = do
      places <- trace 500 point
      let row = reverse [fromMaybe (T.pack ("function " <> show (placeFunction p))) (placeName p) | p <- places]
      writeIORef (storeSamples store) $! Just $! Map.insertWith (+) row 1 counts

    stop point because = Left . because <$> trace traceLength point
    trap point t = stop point (Trapped t)
    work :: Point -> IO (Outcome b) -> (b -> IO (Either Stop ())) -> IO (Either Stop ())
    work point = working (Works store called base (stop point))

    leaving point@(Point i crossings ip fp) = do
      op <- toEnum . fromIntegral <$> (peekByteOff ip 0 :: IO Word16)
      d <- fromIntegral <$> (peekByteOff ip 2 :: IO Word16)
      a <- field ip 4
      b <- field ip 8
      c <- field ip 12
      let home = fp `plusPtr` a
          next = after (Point i crossings (ip `plusPtr` unit) fp)
          isA = do
            bits <- peekByteOff fp b
            let h = case heapOf c of
                  Defined x -> Defined (instanceTypes i V.! x)
                  other -> other
            referenceIs store (RefType (d /= 0) h) bits
      case op of
        Halt -> pure (Right ())
        -- From one tier to the other.
        Native -> go point
        Gate -> go point
        Crossed -> case crossings of
          Crossing caller back : rest -> go (Point caller rest back fp)
          -- Only a crossing leaves this return address.
          [] -> pure (Right ())
        Lower -> do
          work point (lowered i b) (\target -> go (Point i crossings target fp))
        CallImport -> enterFunc point (instanceFuncs i V.! b) home (ip `plusPtr` unit)
        DoTailImport -> do
          n <- field ip 16
          own <- field ip 20
          tailFunc point (instanceFuncs i V.! b) home n own
        DoCallTable -> do
          x <- peekByteOff fp b :: IO Word64
          t <- field ip 16
          let table = instanceTables i V.! c
          element <- withTable table $ \elements size ->
            if x >= fromIntegral size then pure Nothing else Just <$> peekElemOff elements (fromIntegral x)
          case element of
            Nothing -> trap point UndefinedElement
            Just p ->
              funcByAddress store (wordPtrToPtr (fromIntegral p)) >>= \case
                Nothing -> trap point UninitializedElement
                Just f -> do
                  ok <- funcIs f (instanceTypes i V.! t)
                  if not ok
                    then trap point IndirectCallTypeMismatch
                    else
                      if d == 0
                        then enterFunc point f home (ip `plusPtr` (2 * unit))
                        else do
                          n <- field ip 24
                          own <- field ip 28
                          tailFunc point f home n own
        DoThrow -> do
          let tag = instanceTags i V.! b
          values <- forM [0 .. slotTotal (funcParams (tagSignature tag)) - 1] $ \k -> peekByteOff home (8 * k)
          throwing point Nothing (Thrown tag values)
        DoThrowRef -> do
          n <- peekByteOff home 0
          thrownBy store n >>= maybe (trap point NullReference) (throwing point (Just n))
        DoAggregate -> work point (aggregated i (toEnum d) b c home) (const next)
        DoRefTest -> do
          yes <- isA
          pokeByteOff home 0 (if yes then 1 else 0 :: Word32)
          next
        DoRefCast -> do
          yes <- isA
          if yes then next else trap point CastFailure
        -- The loop leaves at no other instruction.
        _ -> work point (bulk (not <$> isLate store) i op d b c home) (const next)

    funcIs f n = do
      known <- typeOfNumber store
      pure (matchesHeap known (Defined (funcTypeNumber f)) (Defined n))

    -- A call that the loop has looked up and left: it leads out of the instance,
    -- or its type is not the one that is asked for, which is then compared.
    calling typed point@(Point i _ ip fp) = do
      op <- toEnum . fromIntegral <$> (peekByteOff ip 0 :: IO Word16)
      a <- field ip 4
      b <- field ip 8
      c <- field ip 12
      record <-
        if op == CallTable || op == TailTable
          then do
            x <- fromIntegral <$> (peekByteOff fp b :: IO Word32) :: IO Int
            table <- peekByteOff (instanceAddress i) c :: IO (Ptr ())
            elements <- peekByteOff table tableElements :: IO (Ptr (Ptr ()))
            peekElemOff elements x
          else peekByteOff fp b
      found <- funcByAddress store record
      wanted <- field ip 16 >>= \o -> if typed then pure 0 else peekByteOff (instanceAddress i) o
      let home = fp `plusPtr` a
      case found of
        Nothing -> trap point UninitializedElement
        Just f -> do
          ok <- if typed then pure True else funcIs f wanted
          if not ok
            then trap point IndirectCallTypeMismatch
            else case op of
              CallTable -> enterFunc point f home (ip `plusPtr` (2 * unit))
              CallFunc -> enterFunc point f home (ip `plusPtr` unit)
              TailTable -> do
                n <- field ip 24
                own <- field ip 28
                tailFunc point f home n own
              _ -> do
                n <- field ip 16
                own <- field ip 20
                tailFunc point f home n own

    -- Call a function with a new frame, to return to an instruction.
    enterFunc point@(Point i crossings _ fp) f new back = case funcBody f of
      HostFunc code ->
        work point (hosted store (new `plusPtr` (linkOffset (funcSignature f) + linkSize)) (code new)) (const (after (Point i crossings back fp)))
      OwnFunc i' x -> do
        let link = linkOffset (funcSignature f)
        target <- codeOf i' x
        if instanceAddress i' == instanceAddress i
          then do
            pokeByteOff new link back
            pokeByteOff new (link + 8) fp
            go (Point i crossings target new)
          else do
            pokeByteOff new link crossed
            pokeByteOff new (link + 8) fp
            go (Point i' (Crossing i back : crossings) target new)

    -- Call a function in the place of this frame: its arguments, how many bytes
    -- they have, and where the frame has its link.
    tailFunc point@(Point i crossings _ fp) f args n own = do
      back <- peekByteOff fp own
      caller <- peekByteOff fp (own + 8) :: IO (Ptr ())
      moveBytes fp args n
      let link = linkOffset (funcSignature f)
      case funcBody f of
        HostFunc code ->
          work point (hosted store (fp `plusPtr` (link + linkSize)) (code fp)) (const (after (Point i crossings back caller)))
        OwnFunc i' x -> do
          target <- codeOf i' x
          pokeByteOff fp (link + 8) caller
          -- Where this frame already returns to another instance there is nothing
          -- here to come back to.
          if instanceAddress i' == instanceAddress i || back == crossed
            then do
              pokeByteOff fp link back
              go (Point i' crossings target fp)
            else do
              pokeByteOff fp link crossed
              go (Point i' (Crossing i back : crossings) target fp)

    -- With the reference that it has, if it was caught with one before.
    throwing point known e@(Thrown tag values) =
      unwind tag point >>= \case
        Nothing -> stop point (Uncaught e)
        Just (there@(Point _ _ _ fp), h) -> do
          let home = fp `plusPtr` handlerSlot h
              given = maybe [] (const values) (handlerTag h)
          zipWithM_ (\k v -> pokeByteOff home (8 * k) v) [0 ..] given
          if handlerRef h
            then
              maybe (throwable store e) (pure . Just) known >>= \case
                Just n -> pokeByteOff home (8 * length given) n >> after there
                Nothing -> stop point (Exhausted HeapExhausted)
            else after there

field :: Ptr () -> Int -> IO Int
field p o = fromIntegral <$> (peekByteOff p o :: IO Int32)

stopOf :: Int -> [Place] -> Stop
stopOf code
  | code == exitDivideByZero = Trapped DivideByZero
  | code == exitOverflow = Trapped IntegerOverflow
  | code == exitConversion = Trapped InvalidConversion
  | code == exitMemory = Trapped OutOfBoundsMemory
  | code == exitUndefined = Trapped UndefinedElement
  | code == exitUninitialized = Trapped UninitializedElement
  | code == exitNull = Trapped NullReference
  | code == exitStack = Exhausted StackExhausted
  | otherwise = Trapped TrapUnreachable
