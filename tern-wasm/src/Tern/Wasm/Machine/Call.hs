-- | Calls that code leaves to the driver: of the host's functions, of other instances', and
-- by tables.
--
-- The idea: frames stay on the store's own stack, so a call to another instance takes a list
-- cell here and nothing on Haskell's stack.
--
-- Start at 'enterFunc'.
module Tern.Wasm.Machine.Call
  ( codeOf,
    callElement,
    calling,
    enterFunc,
    tailFunc,
  )
where

import Data.Vector qualified as V
import Data.Word (Word32, Word64)
import Tern.Wasm.Code (linkOffset, linkSize, unit)
import Tern.Wasm.Error (Trap (..))
import Tern.Wasm.Lasting (at)
import Tern.Wasm.Layout (tableElements)
import Tern.Wasm.Machine.Instruction (Instruction (..), field, instructionAt)
import Tern.Wasm.Machine.Pace (after)
import Tern.Wasm.Machine.Stopping (hostWork, paidFor, stopBelow, trap)
import Tern.Wasm.Machine.Unwind (Crossing (..), Point (..), crossed, returning)
import Tern.Wasm.Machine.Work (Run (..), Stop (..), hosted, onward, working)
import Tern.Wasm.Meaning (Callee (..), Meaning (..))
import Tern.Wasm.Prim (Ptr, moveBytes, peekByteOff, peekElemOff, plusPtr, pokeByteOff, wordPtrToPtr)
import Tern.Wasm.Store
  ( Func (..),
    FuncBody (..),
    Instance (..),
    funcByAddress,
    instanceAddress,
    typeOfNumber,
    withTable,
  )
import Tern.Wasm.Syntax (HeapType (..), Index, matchesHeap)

-- | The code of an instance's own function as it is now: itself, or its stub.
codeOf :: Instance -> Index -> IO (Ptr ())
codeOf i x = at (instanceCode i) (`peekByteOff` (8 * x))

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

-- | Call a function with a new frame, to return to an instruction. Its arguments and results
-- are paid for.
enterFunc :: Run -> Point -> Func -> Ptr () -> Ptr () -> IO (Either Stop ())
enterFunc run point@(Point i crossings _ fp) f new back =
  paidFor run point link $ case funcBody f of
    HostFunc code ->
      hostWork
        run
        point
        (hosted (runStore run) (new `plusPtr` (link + linkSize)) (code new))
        (const (after run point {pointIp = back}))
    OwnFunc i' x -> do
      target <- codeOf i' x
      let same = instanceAddress i' == instanceAddress i
      pokeByteOff new link (if same then back else crossed)
      pokeByteOff new (link + 8) fp
      onward run (Point i' (if same then crossings else Crossing i back : crossings) target new)
  where
    link = linkOffset (funcSignature f)

-- | Call a function in the place of this frame, given its arguments and where in the
-- instruction it stands how many bytes they have and where the frame has its link.
tailFunc :: Run -> Point -> Func -> Ptr () -> Int -> IO (Either Stop ())
tailFunc run point@(Point i crossings ip fp) f args at_ = paidFor run point link $ do
  n <- field ip at_
  own <- field ip (at_ + 4)
  back <- peekByteOff fp own
  caller <- peekByteOff fp (own + 8) :: IO (Ptr ())
  moveBytes fp args n
  case funcBody f of
    HostFunc code -> do
      -- The frame is gone with its link, which the arguments may stand over.
      let below = returning point back caller
      working
        run
        (stopBelow below)
        (hosted (runStore run) (fp `plusPtr` (link + linkSize)) (code fp))
        (const (maybe (pure (Right ())) (after run) below))
    OwnFunc i' x -> do
      target <- codeOf i' x
      -- Where this frame already returns to another instance there is nothing
      -- here to come back to.
      let here = instanceAddress i' == instanceAddress i || back == crossed
      pokeByteOff fp link (if here then back else crossed)
      pokeByteOff fp (link + 8) caller
      onward run (Point i' (if here then crossings else Crossing i back : crossings) target fp)
  where
    link = linkOffset (funcSignature f)
