-- | The driver of the loop: it enters "Tern.Wasm.Exec" or native code, does what they
-- leave to it, and goes on.
--
-- The idea: code is left for whatever touches Haskell's world (host functions, growing,
-- tables, bulk operations, lowering, calls to another instance) and when a slice of
-- fuel is used up. Each return is a safe point: asynchronous exceptions are delivered,
-- other threads run, and fuel and deadline are looked at. Frames stay on the store's own
-- stack, so a call to another instance takes a list cell here and nothing on Haskell's
-- stack. Every function here takes the computation and the point where it is.
--
-- Start at 'drive' and 'leaving'.
module Tern.Wasm.Machine.Drive
  ( drive,
    codeOf,
  )
where

import Control.Concurrent (yield)
import Control.Monad (forM, zipWithM_)
import Data.IORef (modifyIORef', readIORef, writeIORef)
import Data.Int (Int32)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Vector qualified as V
import Data.Word (Word16, Word32, Word64)
import Foreign.Marshal.Alloc (allocaBytes)
import Tern.Wasm.Code
  ( Handler (..),
    Op (..),
    exitCall,
    exitConversion,
    exitDivideByZero,
    exitEntry,
    exitForeign,
    exitIndirectType,
    exitLeave,
    exitMemory,
    exitNull,
    exitOverflow,
    exitPoll,
    exitStack,
    exitUndefined,
    exitUninitialized,
    gateAddress,
    heapOf,
    linkOffset,
    linkSize,
    unit,
  )
import Tern.Wasm.Collect (collect)
import Tern.Wasm.Compiled (codeAt)
import Tern.Wasm.Error (Exhaustion (..), Trap (..))
import Tern.Wasm.Exec (Exit (..), enter)
import Tern.Wasm.Heap (Heap (heapEager))
import Tern.Wasm.Heap.Place (grown, isDue, refused, worthwhile)
import Tern.Wasm.Lasting (at, nowhere, view, within)
import Tern.Wasm.Layout (instExitFrame, instExitIp, instFuel, instStackLimit, tableElements)
import Tern.Wasm.Machine.Aggregate (aggregated)
import Tern.Wasm.Machine.Bulk (bulk)
import Tern.Wasm.Machine.Tiers (lowered, seen, tierOf)
import Tern.Wasm.Machine.Unwind
  ( Crossing (..),
    Point (..),
    TraceEntry (..),
    crossed,
    frames,
    trace,
    unwind,
  )
import Tern.Wasm.Machine.Work
  ( Run (..),
    Stop (..),
    Stopping,
    hosted,
    isLate,
    stackEnd,
    suspended,
    working,
  )
import Tern.Wasm.Meaning (Callee (..), Driver (..), Meaning (..), meaning)
import Tern.Wasm.Metered (Outcome (..))
import Tern.Wasm.Native (Tier (..))
import Tern.Wasm.Native qualified as Native
import Tern.Wasm.Object (referenceIs)
import Tern.Wasm.Prim (Ptr, moveBytes, peekByteOff, peekElemOff, plusPtr, pokeByteOff, wordPtrToPtr)
import Tern.Wasm.Store
  ( Func (..),
    FuncBody (..),
    Instance (..),
    Memory (..),
    Store (..),
    Tag (..),
    Thrown (..),
    chargeHeap,
    costOfThrown,
    funcByAddress,
    instanceAddress,
    instanceMemory,
    newThrown,
    thrownBy,
    typeOfNumber,
    withTable,
  )
import Tern.Wasm.Syntax (HeapType (..), Index, RefType (..), funcParams, matchesHeap, slotTotal)
import Tern.Wasm.Value (readValues)

-- | The code of an instance's own function as it is now: itself, or its stub.
codeOf :: Instance -> Index -> IO (Ptr ())
codeOf i x = at (instanceCode i) (`peekByteOff` (8 * x))

-- * Running

-- | Go on from a point to the end of the call.
drive :: Run -> Point -> IO (Either Stop ())
drive run point = do
  available <- readIORef (storeFuel store)
  slice <- sliceOf store
  spent <- readIORef (storeSpent store)
  let n = max 0 (min (slice - spent) available)
  pokeByteOff block instStackLimit (stackEnd store)
  pokeByteOff block instFuel n
  Exit code ip fp <- entered point
  left <- peekByteOff block instFuel
  writeIORef (storeSpent store) $! spent + n - left
  let rest = available - (n - left)
  writeIORef (storeFuel store) $! if available == maxBound then available else rest
  ended run code rest point {pointIp = ip, pointFrame = fp}
  where
    store = runStore run
    block = instanceAddress (pointInstance point)

-- | Run code, native or not, until it is left.
entered :: Point -> IO Exit
entered (Point i _ ip fp) = do
  op <- peekByteOff ip 0 :: IO Word16
  v <- maybe (pure nowhere) (view . memoryBlock) (instanceMemory i)
  within v $ \memory size ->
    if fromIntegral op == fromEnum Native
      then do
        target <- peekByteOff ip gateAddress
        code <- Native.run target fp memory size block
        Exit code <$> peekByteOff block instExitIp <*> peekByteOff block instExitFrame
      else enter ip fp memory size block
  where
    block = instanceAddress i

-- | Why code was left, with how much fuel there is then.
ended :: Run -> Int -> Int -> Point -> IO (Either Stop ())
ended run code rest point
  | code == exitLeave = leaving run point
  | code == exitPoll = polled run 1 rest point
  | code == exitEntry = polled run 0 rest point
  | code == exitForeign = calling run True point
  | code == exitCall = warmed run point
  -- Another type than the one that is asked for may be below it.
  | code == exitIndirectType = calling run False point
  | otherwise = stop point (stopOf code)

stop :: Point -> Stopping
stop point because = Left . because <$> trace traceLength point

trap :: Point -> Trap -> IO (Either Stop ())
trap point t = stop point (Trapped t)

work :: Run -> Point -> IO (Outcome a) -> (a -> IO (Either Stop ())) -> IO (Either Stop ())
work run point = working run (stop point)

-- | How many frames a trace has at most.
traceLength :: Int
traceLength = 32

stopOf :: Int -> [TraceEntry] -> Stop
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

-- * Limits and tiers

-- | A slice of the fuel has ended, at a jump that was made but is not paid for yet
-- (1) or before a function (0). So what a program uses does not depend on where
-- its slices end.
polled :: Run -> Int -> Int -> Point -> IO (Either Stop ())
polled run owed rest point
  | rest <= 0 = suspended run (owed - rest) (drive run point)
  | otherwise = do
      modifyIORef'
        (storeFuel (runStore run))
        ( \fuel ->
            if fuel == maxBound
              then fuel
              else fuel - owed
        )
      looked run point

-- | After how many jumps and calls limits are looked at. With a deadline sooner: where
-- every access to memory misses the caches each of them takes some microseconds.
sliceOf :: Store -> IO Int
sliceOf store = do
  slice <- readIORef (storeSlice store)
  deadline <- readIORef (storeDeadline store)
  pure (maybe slice (const (min 20000 slice)) deadline)

-- | Let others in, look who runs long, and at the time.
looked :: Run -> Point -> IO (Either Stop ())
looked run point = do
  yield
  writeIORef (storeSpent store) 0
  heat point
  readIORef (storeSamples store) >>= mapM_ (sample store point)
  late <- isLate store
  if late then stop point (Exhausted TimeExhausted) else drive run point
  where
    store = runStore run

-- | What the driver does takes as long as some jumps, which code without jumps does not
-- make: it counts for when limits are looked at next, and is no fuel.
after :: Run -> Point -> IO (Either Stop ())
after run point = do
  spent <- (+ 64) <$> readIORef (storeSpent store)
  slice <- sliceOf store
  writeIORef (storeSpent store) $! spent
  if spent >= slice then looked run point else drive run point
  where
    store = runStore run

-- | Whoever is seen here has run long, and those that called it.
heat :: Point -> IO ()
heat point
  | tierOf (pointInstance point) == Auto =
      frames 4 point
        >>= zipWithM_ (\weight (j, own, l) -> seen weight j own l) [1000, 250, 250, 250]
  | otherwise = pure ()

-- | What native code calls often gets native code as well; and the instance is told.
warmed :: Run -> Point -> IO (Either Stop ())
warmed run point@(Point i _ ip _) = do
  found <- codeAt (instanceCompiled i) ip
  mapM_ (\(own, l, _) -> seen 1 i own l) found
  op <- peekByteOff ip 0 :: IO Word16
  if fromIntegral op == fromEnum Lower then leaving run point else drive run point

sample :: Store -> Point -> Map [Text] Int -> IO ()
sample store point counts = do
  places <- trace 500 point
  let row =
        reverse
          [ fromMaybe (T.pack ("function " <> show (placeFunction p))) (placeName p)
            | p <-
                places
          ]
  writeIORef (storeSamples store) $! Just $! Map.insertWith (+) row 1 counts

-- * What code leaves to the driver

-- | What an instruction means, and its fields d, a, b and c.
data Instruction = Instruction !Meaning !Int !Int !Int !Int

instructionAt :: Ptr () -> IO Instruction
instructionAt ip = do
  op <- peekByteOff ip 0 :: IO Word16
  d <- peekByteOff ip 2 :: IO Word16
  Instruction (meaning (toEnum (fromIntegral op))) (fromIntegral d)
    <$> field ip 4
    <*> field ip 8
    <*> field ip 12

field :: Ptr () -> Int -> IO Int
field p o = fromIntegral <$> (peekByteOff p o :: IO Int32)

-- | Do what the instruction says at which code was left.
leaving :: Run -> Point -> IO (Either Stop ())
leaving run point@(Point i _ ip fp) = do
  instruction@(Instruction what _ a b _) <- instructionAt ip
  let home = fp `plusPtr` a
      function = instanceFuncs i V.! b
  case what of
    Driven _ _ how -> driven run point instruction how
    CallsHost -> enterFunc run point function home (ip `plusPtr` unit)
    TailCallsHost -> tailFunc run point function home 16
    CallsByDriver -> callElement run point instruction
    -- From one tier to the other.
    Switches -> drive run point
    Gates -> drive run point
    -- Code is left at no other instruction.
    _ -> trap point TrapUnreachable

driven :: Run -> Point -> Instruction -> Driver -> IO (Either Stop ())
driven run point@(Point i crossings ip fp) (Instruction _ d a b c) = \case
  Ends -> pure (Right ())
  Crosses -> case crossings of
    Crossing caller back : rest -> drive run (Point caller rest back fp)
    -- Only a crossing leaves this return address.
    [] -> pure (Right ())
  Lowers -> work run point lowering (\target -> drive run point {pointIp = target})
  Throws -> do
    let tag = instanceTags i V.! b
    values <- forM [0 .. slotTotal (funcParams (tagSignature tag)) - 1] $ \k ->
      peekByteOff home (8 * k)
    throwing run point Nothing (Thrown tag values)
  ThrowsAgain -> do
    n <- peekByteOff home 0
    thrownBy store n >>= maybe (trap point NullReference) (throwing run point (Just n))
  Aggregates ->
    work run point (aggregated (collecting run) i (toEnum d) b c home) (const next)
  TestsReference -> do
    yes <- isA
    pokeByteOff home 0 (if yes then 1 else 0 :: Word32)
    next
  CastsReference -> do
    yes <- isA
    if yes then next else trap point CastFailure
  Bulk how -> work run point (bulk (not <$> isLate store) i how d b c home) (const next)
  where
    store = runStore run
    home = fp `plusPtr` a
    next = after run point {pointIp = ip `plusPtr` unit}
    -- What nobody reaches any more makes room for code.
    lowering =
      lowered i b >>= \case
        Exhausts HeapExhausted -> do
          wanted <- worthwhile (storeHeap store)
          done <- if wanted then collecting run called else pure False
          if done
            then lowered i b
            else Exhausts HeapExhausted <$ refused (storeHeap store)
        outcome -> pure outcome
    -- The frame is the called function's, which has its arguments yet and where it returns.
    called = fp `plusPtr` (linkOffset (funcSignature (instanceFuncs i V.! b)) + linkSize)
    isA = do
      bits <- peekByteOff fp b
      let h = case heapOf c of
            Defined x -> Defined (instanceTypes i V.! x)
            other -> other
      referenceIs store (RefType (d /= 0) h) bits

-- * Calls

-- | Call a table's element, by 64 bits.
callElement :: Run -> Point -> Instruction -> IO (Either Stop ())
callElement run point@(Point i _ ip fp) (Instruction _ d a b c) = do
  x <- peekByteOff fp b :: IO Word64
  t <- field ip 16
  element <- withTable (instanceTables i V.! c) $ \elements size ->
    if x >= fromIntegral size then pure Nothing else Just <$> peekElemOff elements (fromIntegral x)
  case element of
    Nothing -> trap point UndefinedElement
    Just p ->
      checked run point (Just (instanceTypes i V.! t)) (wordPtrToPtr (fromIntegral p)) $ \f ->
        if d == 0
          then enterFunc run point f home (ip `plusPtr` (2 * unit))
          else tailFunc run point f home 24
  where
    home = fp `plusPtr` a

-- | A call that code has looked up and left: it leads out of the instance, or its type
-- is not the one that is asked for, which is then compared.
calling :: Run -> Bool -> Point -> IO (Either Stop ())
calling run typed point@(Point i _ ip fp) = do
  Instruction how _ a b c <- instructionAt ip
  let home = fp `plusPtr` a
      inTable go = do
        x <- fromIntegral <$> (peekByteOff fp b :: IO Word32)
        table <- peekByteOff (instanceAddress i) c :: IO (Ptr ())
        elements <- peekByteOff table tableElements :: IO (Ptr (Ptr ()))
        wanted <- field ip 16 >>= peekByteOff (instanceAddress i)
        record <- peekElemOff elements x
        checked run point (if typed then Nothing else Just wanted) record go
      byReference go = peekByteOff fp b >>= \record -> checked run point Nothing record go
  case how of
    Calls InTable -> inTable $ \f -> enterFunc run point f home (ip `plusPtr` (2 * unit))
    Calls ByReference -> byReference $ \f -> enterFunc run point f home (ip `plusPtr` unit)
    TailCalls InTable -> inTable $ \f -> tailFunc run point f home 24
    TailCalls ByReference -> byReference $ \f -> tailFunc run point f home 16
    -- Code looks up no other function.
    _ -> trap point TrapUnreachable

-- | The function with a record, if there is one and it has the type with a number, if
-- one is asked for.
checked ::
  Run -> Point -> Maybe Int -> Ptr () -> (Func -> IO (Either Stop ())) -> IO (Either Stop ())
checked run point wanted record go =
  funcByAddress store record >>= \case
    Nothing -> trap point UninitializedElement
    Just f -> do
      fits <-
        maybe
          (pure True)
          ( \n ->
              (\known -> matchesHeap known (Defined (funcTypeNumber f)) (Defined n))
                <$> typeOfNumber store
          )
          wanted
      if fits then go f else trap point IndirectCallTypeMismatch
  where
    store = runStore run

-- | Call a function with a new frame, to return to an instruction.
enterFunc :: Run -> Point -> Func -> Ptr () -> Ptr () -> IO (Either Stop ())
enterFunc run point@(Point i crossings _ fp) f new back = case funcBody f of
  HostFunc code ->
    work
      run
      point
      ( hosted
          (runStore run)
          (new `plusPtr` (link + linkSize))
          (code new)
      )
      (const (after run point {pointIp = back}))
  OwnFunc i' x -> do
    target <- codeOf i' x
    let same = instanceAddress i' == instanceAddress i
    pokeByteOff new link (if same then back else crossed)
    pokeByteOff new (link + 8) fp
    drive run (Point i' (if same then crossings else Crossing i back : crossings) target new)
  where
    link = linkOffset (funcSignature f)

-- | Call a function in the place of this frame, given its arguments and where in the
-- instruction it stands how many bytes they have and where the frame has its link.
tailFunc :: Run -> Point -> Func -> Ptr () -> Int -> IO (Either Stop ())
tailFunc run point@(Point i crossings ip fp) f args at_ = do
  n <- field ip at_
  own <- field ip (at_ + 4)
  back <- peekByteOff fp own
  caller <- peekByteOff fp (own + 8) :: IO (Ptr ())
  moveBytes fp args n
  case funcBody f of
    HostFunc code ->
      work
        run
        point
        ( hosted
            (runStore run)
            (fp `plusPtr` (link + linkSize))
            (code fp)
        )
        (const (after run (Point i crossings back caller)))
    OwnFunc i' x -> do
      target <- codeOf i' x
      -- Where this frame already returns to another instance there is nothing
      -- here to come back to.
      let here = instanceAddress i' == instanceAddress i || back == crossed
      pokeByteOff fp link (if here then back else crossed)
      pokeByteOff fp (link + 8) caller
      drive run (Point i' (if here then crossings else Crossing i back : crossings) target fp)
  where
    link = linkOffset (funcSignature f)

-- * Exceptions

-- | Collect, given where the operands of the innermost frame end.
collecting :: Run -> Ptr () -> IO Bool
collecting run end = collect store (not <$> isLate store) end (runBeside run)
  where
    store = runStore run

-- | Go on where an exception is caught; with the reference that it has, if it was caught
-- with one before.
throwing :: Run -> Point -> Maybe Word64 -> Thrown -> IO (Either Stop ())
throwing run point known e@(Thrown tag values) =
  working holder (stop point) (unwind tag point) $ \case
    Nothing -> do
      held <- allocaBytes (8 * max 1 (length values)) $ \p -> do
        zipWithM_ (\k v -> pokeByteOff p (8 * k) v) [0 ..] values
        readValues store (funcParams (tagSignature tag)) p
      stop point (Uncaught tag held)
    Just (there, h) -> do
      let home = pointFrame there `plusPtr` handlerSlot h
          given = maybe [] (const values) (handlerTag h)
      zipWithM_ (\k v -> pokeByteOff home (8 * k) v) [0 ..] given
      if handlerRef h
        then
          maybe (throwable holder home e) (pure . Just) known >>= \case
            Just n -> pokeByteOff home (8 * length given) n >> after run there
            Nothing -> stop point (Exhausted HeapExhausted)
        else after run there
  where
    store = runStore run
    -- Until it is caught the frames do not have it.
    holder = run {runBeside = maybe id (:) known values}

-- | A reference to an exception, given where the operands end, unless the store has no
-- room for more. Logarithmic in how many there are.
throwable :: Run -> Ptr () -> Thrown -> IO (Maybe Word64)
throwable run end e = do
  due <- if heapEager heap then pure True else isDue heap
  collected <- if due then collecting run end else pure False
  there <- charge
  wanted <- if there || collected then pure False else worthwhile heap
  again <- if wanted then collecting run end else pure False
  paid <- if again then charge else pure there
  if paid
    then grown heap cost >> Just <$> newThrown store e
    else Nothing <$ refused heap
  where
    store = runStore run
    heap = storeHeap store
    cost = costOfThrown e
    charge = chargeHeap store cost
