-- | The instructions over structures and arrays.
--
-- The idea: operands stand in a row of slots, as for "Tern.Wasm.Machine.Bulk". A
-- reference that is not null leads to an object of the type that the instruction
-- names, as validation has seen to; only null and indices are left to check.
--
-- Start at 'aggregate'; its cases are the numbers behind the prefix 0xFB.
module Tern.Wasm.Machine.Aggregate
  ( aggregate,
  )
where

import Control.Monad (forM_, when)
import Data.Bits (shiftR, testBit, (.|.))
import Data.ByteString qualified as B
import Data.ByteString.Unsafe qualified as B
import Data.Vector qualified as V
import Data.Vector.Mutable qualified as MV
import Data.Word (Word32, Word64)
import Foreign.Marshal.Utils (copyBytes, moveBytes)
import Foreign.Ptr
import Foreign.Storable
import Tern.Wasm.Error
import Tern.Wasm.Machine.Bulk (inBounds)
import Tern.Wasm.Object
import Tern.Wasm.Store
import Tern.Wasm.Type
import Tern.Wasm.Valid

-- | Run the instruction with a number and two immediates; operands are taken from
-- and the result is left at an address. How many bytes it went over.
aggregate :: Instance -> Int -> Int -> Int -> Ptr () -> IO (Either Refusal Int)
aggregate i n x y home = do
  -- Before the result is where the operands are.
  count <- maybe (pure 0) (fmap fromIntegral . word32) counter
  maybe (Right (8 * count)) Left <$> run i n x y home
  where
    word32 :: Int -> IO Word32
    word32 k = peekByteOff home (8 * k)
    -- Which operand says how many elements there are.
    counter
      | n == 6 || n == 16 = Just ((if n == 6 then 0 else 2) + maybe 1 (slotCount . unpacked) element)
      | n == 7 = Just 0
      | n == 9 || n == 10 = Just 1
      | n == 17 = Just 4
      | n == 18 || n == 19 = Just 3
      | otherwise = Nothing
    element = case subComp <$> spaceTypes (validSpaces (compiledValid (instanceCompiled i))) V.!? x of
      Just (CompArray f) -> Just f
      _ -> Nothing

run :: Instance -> Int -> Int -> Int -> Ptr () -> IO (Maybe Refusal)
run i n x y home = case n of
  0 -> structure $ \p -> forM_ (zip3 fields (places 0 fields) [0 ..]) $ \(f, o, k) ->
    writeField f (home `plusPtr` o) (p `plusPtr` fieldOffset fields k)
  1 -> structure (const (pure ()))
  2 -> field False
  3 -> field True
  4 -> field False
  5 -> object 0 $ \p -> done (writeField (fields !! y) (home `plusPtr` 8) (p `plusPtr` fieldOffset fields y))
  6 -> do
    count <- word32 (slotsOf element)
    array count $ \p -> fill p 0 count home
  7 -> word32 0 >>= \count -> array count (const (pure ()))
  8 -> array (fromIntegral y) $ \p -> forM_ [0 .. y - 1] $ \k ->
    writeField element (home `plusPtr` (8 * slotsOf element * k)) (p `plusPtr` (8 + size * k))
  9 -> do
    from <- word32 0
    count <- word32 1
    bytes <- MV.read (instanceDatas i) y
    if inBounds (fromIntegral from) (fromIntegral count * fromIntegral size) (B.length bytes)
      then array count $ \p -> fromBytes p 0 bytes from count
      else refuse OutOfBoundsMemory
  10 -> do
    from <- word32 0
    count <- word32 1
    elements <- MV.read (instanceElems i) y
    if inBounds (fromIntegral from) (fromIntegral count) (V.length elements)
      then array count $ \p -> fromElements p 0 elements from count
      else refuse OutOfBoundsTable
  11 -> at False
  12 -> at True
  13 -> at False
  14 -> object 0 $ \p -> do
    k <- word32 1
    within p k 1 $ writeField element (home `plusPtr` 16) (p `plusPtr` (8 + size * fromIntegral k))
  15 -> object 0 $ \p -> done (objectLength p >>= pokeByteOff home 0)
  16 -> object 0 $ \p -> do
    k <- word32 1
    count <- word32 (2 + slotsOf element)
    within p k count $ fill p k count (home `plusPtr` 16)
  17 -> object 0 $ \p -> object 2 $ \q -> do
    to <- word32 1
    from <- word32 3
    count <- word32 4
    have <- objectLength q
    if inBounds (fromIntegral from) (fromIntegral count) (fromIntegral have)
      then within p to count $ moveBytes (p `plusPtr` (8 + size * fromIntegral to)) (q `plusPtr` (8 + size * fromIntegral from)) (size * fromIntegral count)
      else refuse OutOfBoundsArray
  18 -> object 0 $ \p -> do
    to <- word32 1
    from <- word32 2
    count <- word32 3
    bytes <- MV.read (instanceDatas i) y
    have <- objectLength p
    if not (inBounds (fromIntegral to) (fromIntegral count) (fromIntegral have))
      then refuse OutOfBoundsArray
      else
        if inBounds (fromIntegral from) (fromIntegral count * fromIntegral size) (B.length bytes)
          then done (fromBytes p to bytes from count)
          else refuse OutOfBoundsMemory
  19 -> object 0 $ \p -> do
    to <- word32 1
    from <- word32 2
    count <- word32 3
    elements <- MV.read (instanceElems i) y
    have <- objectLength p
    if not (inBounds (fromIntegral to) (fromIntegral count) (fromIntegral have))
      then refuse OutOfBoundsArray
      else
        if inBounds (fromIntegral from) (fromIntegral count) (V.length elements)
          then done (fromElements p to elements from count)
          else refuse OutOfBoundsTable
  28 -> word32 0 >>= done . pokeByteOff home 0 . smallInteger
  _ -> do
    bits <- peekByteOff home 0 :: IO Word64
    if bits == 0
      then refuse NullReference
      else do
        let v = fromIntegral (bits `shiftR` 2) :: Word32
        done (pokeByteOff home 0 (if n == 29 && testBit v 30 then v .|. 0x80000000 else v))
  where
    store = instanceStore i
    fields = case subComp <$> spaceTypes (validSpaces (compiledValid (instanceCompiled i))) V.!? x of
      Just (CompStruct fs) -> fs
      Just (CompArray f) -> [f]
      _ -> []
    -- An array's type has one field.
    element = case fields of
      f : _ -> f
      [] -> FieldType Const (Whole I64)
    size = elementBytes element
    slotsOf = slotCount . unpacked
    -- Bytes from the first operand to each.
    places :: Int -> [FieldType] -> [Int]
    places from = scanl (\o f -> o + 8 * slotsOf f) from
    word32 :: Int -> IO Word32
    word32 k = peekByteOff home (8 * k)
    refuse = pure . Just . Refused
    done action = Nothing <$ action
    structure = made 0 (fieldOffset fields (length fields) - 8)
    array count = made count (size * fromIntegral count)
    made :: Word32 -> Int -> (Ptr () -> IO ()) -> IO (Maybe Refusal)
    made count bytes f =
      newObject store (instanceTypes i V.! x) count bytes >>= \case
        Nothing -> pure (Just OutOfHeap)
        Just p -> do
          f p
          done (pokeByteOff home 0 p)
    object :: Int -> (Ptr () -> IO (Maybe Refusal)) -> IO (Maybe Refusal)
    object k f = do
      p <- peekByteOff home (8 * k)
      if p == nullPtr then refuse NullReference else f p
    field signed = object 0 $ \p -> done (readField (fields !! y) signed (p `plusPtr` fieldOffset fields y) home)
    at signed = object 0 $ \p -> do
      k <- word32 1
      within p k 1 $ readField element signed (p `plusPtr` (8 + size * fromIntegral k)) home
    within :: Ptr () -> Word32 -> Word32 -> IO () -> IO (Maybe Refusal)
    within p k count action = do
      have <- objectLength p
      if inBounds (fromIntegral k) (fromIntegral count) (fromIntegral have) then done action else refuse OutOfBoundsArray
    fill :: Ptr () -> Word32 -> Word32 -> Ptr () -> IO ()
    fill p from count value =
      forM_ [fromIntegral from .. fromIntegral from + fromIntegral count - 1 :: Int] $ \k ->
        writeField element value (p `plusPtr` (8 + size * k))
    fromBytes p to bytes from count =
      B.unsafeUseAsCString (B.drop (fromIntegral from) bytes) $ \q ->
        copyBytes (p `plusPtr` (8 + size * fromIntegral (to :: Word32))) q (size * fromIntegral (count :: Word32))
    fromElements p to elements from count =
      when (count > 0) $
        V.imapM_ (\k v -> pokeByteOff p (8 + 8 * (fromIntegral (to :: Word32) + k)) v) (V.slice (fromIntegral (from :: Word32)) (fromIntegral (count :: Word32)) elements)
