-- | The instructions over structures and arrays.
--
-- The idea: operands stand in a row of slots, as for "Tern.Wasm.Machine.Bulk". A
-- reference that is not null leads to an object of the type that the instruction
-- names, as validation has seen to; only null and indices are left to check.
--
-- Start at 'aggregated'.
module Tern.Wasm.Machine.Aggregate
  ( aggregated,
  )
where

import Control.Monad (forM_)
import Data.Bits (shiftR, testBit, (.|.))
import Data.ByteString qualified as B
import Data.ByteString.Unsafe qualified as B
import Data.Vector qualified as V
import Data.Vector.Mutable qualified as MV
import Data.Word (Word32, Word64)
import Tern.Wasm.Aggregate (Aggregate (..))
import Tern.Wasm.Compiled (Compiled (..))
import Tern.Wasm.Error (Trap (..))
import Tern.Wasm.Fields (Fields (..), fieldAt, fieldBytes, placeOf)
import Tern.Wasm.Heap (objectOf, referenceTo)
import Tern.Wasm.Held (withReference)
import Tern.Wasm.Machine.Bulk (inBounds)
import Tern.Wasm.Machine.Work (noRoom)
import Tern.Wasm.Metered (Outcome (..), backwards, followedBy, pieces)
import Tern.Wasm.Object
  ( elementBytes,
    newObject,
    objectHead,
    objectLength,
    readField,
    smallInteger,
    writeField,
  )
import Tern.Wasm.Prim (Ptr, copyBytes, moveBytes, peekByteOff, plusPtr, pokeByteOff)
import Tern.Wasm.Store (Instance (..), Store (..), copying, hold)
import Tern.Wasm.Type (slotCount, unpacked)

-- | Run an operator with two indices; operands are taken from
-- and the result is left at an address. What goes over many elements is done in
-- pieces. The first action collects, given where the operands end.
aggregated ::
  (Ptr () -> IO Bool) -> Instance -> Aggregate -> Int -> Int -> Ptr () -> IO (Outcome ())
aggregated collecting i g x y home = case g of
  StructNew -> structure (fieldBytes fields) $ \p ->
    done . flip V.imapM_ (fieldTypes fields) $ \k f ->
      writeField f (home `plusPtr` placeOf fields k) (fieldIn p k)
  StructNewDefault -> structure 0 (const (done (pure ())))
  StructGet -> field False
  StructGetS -> field True
  StructGetU -> field False
  StructSet ->
    object 0 $ \p ->
      done (writeField (fieldAt fields y) (home `plusPtr` 8) (fieldIn p y))
  ArrayNew -> do
    count <- word32 (slotsOf element)
    array (slotsOf element + 1) count $ \p -> fill p 0 count home
  ArrayNewDefault ->
    word32 0 >>= \count ->
      pure (Price (8 * fromIntegral count) (array 1 count (const (done (pure ())))))
  ArrayNewFixed -> paid (size * y) . array (slotsOf element * y) (fromIntegral y) $ \p ->
    done . forM_ [0 .. y - 1] $ \k ->
      writeField element (home `plusPtr` (8 * slotsOf element * k)) (p `plusPtr` (8 + size * k))
  ArrayNewData -> do
    from <- word32 0
    count <- word32 1
    bytes <- MV.read (instanceDatas i) y
    if inBounds (fromIntegral from) (fromIntegral count * fromIntegral size) (B.length bytes)
      then array 2 count $ \p -> fromBytes p 0 bytes from count
      else refuse OutOfBoundsMemory
  ArrayNewElem -> do
    from <- word32 0
    count <- word32 1
    elements <- MV.read (instanceElems i) y
    if inBounds (fromIntegral from) (fromIntegral count) (V.length elements)
      then array 2 count $ \p -> fromElements p 0 elements from count
      else refuse OutOfBoundsTable
  ArrayGet -> at False
  ArrayGetS -> at True
  ArrayGetU -> at False
  ArraySet -> object 0 $ \p -> do
    k <- word32 1
    within p k 1 . done $
      writeField element (home `plusPtr` 16) (p `plusPtr` (8 + size * fromIntegral k))
  ArrayLen -> object 0 $ \p -> done (objectLength p >>= pokeByteOff home 0)
  ArrayFill -> object 0 $ \p -> do
    k <- word32 1
    count <- word32 (2 + slotsOf element)
    within p k count $ fill p k count (home `plusPtr` 16)
  ArrayCopy -> object 0 $ \p -> object 2 $ \q -> do
    to <- word32 1
    from <- word32 3
    count <- word32 4
    have <- objectLength q
    if inBounds (fromIntegral from) (fromIntegral count) (fromIntegral have)
      then
        within
          p
          to
          count
          . (if p == q && to > from then backwards else pieces) 8 (fromIntegral count)
          $ \o
             k ->
              moveBytes
                (p `plusPtr` (8 + size * (fromIntegral to + o)))
                (q `plusPtr` (8 + size * (fromIntegral from + o)))
                (size * k)
      else refuse OutOfBoundsArray
  ArrayInitData -> object 0 $ \p -> do
    to <- word32 1
    from <- word32 2
    count <- word32 3
    bytes <- MV.read (instanceDatas i) y
    have <- objectLength p
    if not (inBounds (fromIntegral to) (fromIntegral count) (fromIntegral have))
      then refuse OutOfBoundsArray
      else
        if inBounds (fromIntegral from) (fromIntegral count * fromIntegral size) (B.length bytes)
          then fromBytes p to bytes from count
          else refuse OutOfBoundsMemory
  ArrayInitElem -> object 0 $ \p -> do
    to <- word32 1
    from <- word32 2
    count <- word32 3
    elements <- MV.read (instanceElems i) y
    have <- objectLength p
    if not (inBounds (fromIntegral to) (fromIntegral count) (fromIntegral have))
      then refuse OutOfBoundsArray
      else
        if inBounds (fromIntegral from) (fromIntegral count) (V.length elements)
          then fromElements p to elements from count
          else refuse OutOfBoundsTable
  RefI31 -> word32 0 >>= done . pokeByteOff home 0 . smallInteger
  I31GetS -> small $ \v -> if testBit v 30 then v .|. 0x80000000 else v
  I31GetU -> small id
  -- References to the host and from it are the same bits.
  AnyConvertExtern -> done (pure ())
  ExternConvertAny -> done (pure ())
  where
    store = instanceStore i
    fields = compiledFields (instanceCompiled i) V.! x
    fieldIn p k = p `plusPtr` (objectHead + placeOf fields k)
    -- An array's type has one field.
    element = fieldAt fields 0
    size = elementBytes element
    slotsOf = slotCount . unpacked
    word32 :: Int -> IO Word32
    word32 k = peekByteOff home (8 * k)
    refuse = pure . Refused
    done = fmap Done
    small :: (Word32 -> Word32) -> IO (Outcome ())
    small f = do
      bits <- peekByteOff home 0 :: IO Word64
      if bits == 0
        then refuse NullReference
        else done (pokeByteOff home 0 (f (fromIntegral (bits `shiftR` 2))))
    structure taken = paid (fieldBytes fields) . made taken 0 (fieldBytes fields)
    paid n make = pure (Price n make)
    array slots count = made (8 * slots) count (size * fromIntegral count)
    -- The operands, of @taken@ bytes, are taken, and the result is where they were.
    made :: Int -> Word32 -> Int -> (Ptr () -> IO (Outcome ())) -> IO (Outcome ())
    made taken count bytes f = do
      placed <-
        newObject store (collecting (home `plusPtr` taken)) (instanceTypes i V.! x) count bytes
      case placed of
        Nothing -> Exhausts <$> noRoom store
        Just p -> do
          let bits = referenceTo (storeHeap store) p
          f p >>= \case
            Done () -> done (pokeByteOff home 0 bits)
            Refused t -> pure (Refused t)
            Exhausts e -> pure (Exhausts e)
            -- Until it is filled nobody refers to it but who fills it.
            Price n rest -> do
              (_, held) <- hold store (pure bits)
              pure . Price n $
                rest `followedBy` \() -> done (withReference held (pokeByteOff home 0))
    object :: Int -> (Ptr () -> IO (Outcome ())) -> IO (Outcome ())
    object k f = do
      bits <- peekByteOff home (8 * k)
      if bits == 0 then refuse NullReference else f (objectOf (storeHeap store) bits)
    field signed =
      object 0 $ \p -> done (readField (fieldAt fields y) signed (fieldIn p y) home)
    at signed = object 0 $ \p -> do
      k <- word32 1
      within p k 1 . done $ readField element signed (p `plusPtr` (8 + size * fromIntegral k)) home
    within :: Ptr () -> Word32 -> Word32 -> IO (Outcome ()) -> IO (Outcome ())
    within p k count action = do
      have <- objectLength p
      if inBounds (fromIntegral k) (fromIntegral count) (fromIntegral have)
        then action
        else refuse OutOfBoundsArray
    -- An element is paid for as eight bytes, whatever it has.
    fill :: Ptr () -> Word32 -> Word32 -> Ptr () -> IO (Outcome ())
    fill p from count value = pieces 8 (fromIntegral count) $ \o most ->
      forM_ [fromIntegral from + o .. fromIntegral from + o + most - 1 :: Int] $ \k ->
        writeField element value (p `plusPtr` (8 + size * k))
    fromBytes :: Ptr () -> Word32 -> B.ByteString -> Word32 -> Word32 -> IO (Outcome ())
    fromBytes p to bytes from count = pieces 8 (fromIntegral count) $ \o k ->
      B.unsafeUseAsCString (B.drop (fromIntegral from + size * o) bytes) $ \q ->
        copyBytes (p `plusPtr` (8 + size * (fromIntegral to + o))) q (size * k)
    fromElements :: Ptr () -> Word32 -> V.Vector Word64 -> Word32 -> Word32 -> IO (Outcome ())
    fromElements p to elements from count = do
      current <- copying store elements
      pieces 8 (fromIntegral count) $ \o k -> do
        now <- current
        V.imapM_
          (\j v -> pokeByteOff p (8 + 8 * (fromIntegral to + o + j)) v)
          (V.slice (fromIntegral from + o) k now)
