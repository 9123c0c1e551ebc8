-- | Values, as they pass between Haskell and WebAssembly.
--
-- The idea: a value knows its type; in a frame it is bits in one slot of 8 bytes,
-- or two for a vector.
module Tern.Wasm.Value
  ( Value (..),
    valueType,
    readValue,
    readValues,
    writeValue,
    writeValues,
    belongs,
    fits,
    bitsOf,
  )
where

import Data.Bits (shiftL, shiftR, (.&.), (.|.))
import Data.IORef (IORef)
import Data.Maybe (fromMaybe, isNothing)
import Data.Word (Word32, Word64)
import Foreign.Ptr (Ptr, plusPtr, ptrToWordPtr, wordPtrToPtr)
import Foreign.Storable (peekByteOff, pokeByteOff)
import Tern.Wasm.Object (heapOfBits, referenceIs)
import Tern.Wasm.Store
import Tern.Wasm.Type

data Value
  = I32Value !Word32
  | I64Value !Word64
  | F32Value !Float
  | F64Value !Double
  | -- | The low and the high half.
    V128Value !Word64 !Word64
  | FuncValue !(Maybe Func)
  | -- | A number below 2^62 that means something to the host.
    ExternValue !(Maybe Word64)
  | -- | Any other reference: what is known of it, whose it is, and its bits.
    RefValue !HeapType !(IORef Int) !Word64
  | -- | The host's number again, where it is passed as a reference of any type.
    HostValue !Word64
  | -- | A reference to nothing, of a type that is none of the above.
    NullValue !HeapType

-- | The type of a value, as much of it as the value shows.
valueType :: Value -> ValType
valueType = \case
  I32Value _ -> I32
  I64Value _ -> I64
  F32Value _ -> F32
  F64Value _ -> F64
  V128Value _ _ -> V128
  FuncValue _ -> Ref FuncRef
  ExternValue _ -> Ref ExternRef
  RefValue h _ _ -> Ref (RefType False h)
  HostValue _ -> Ref (RefType False AnyHeap)
  NullValue h -> Ref (RefType True h)

-- | Whether a value may be passed where a type of its store is wanted.
fits :: Store -> ValType -> Value -> IO Bool
fits store t v = case t of
  Ref r -> do
    known <- typeOfNumber store
    let hierarchy = case v of
          FuncValue _ -> Just FuncHeap
          ExternValue _ -> Just ExternHeap
          RefValue h _ _ -> topOf known h
          HostValue _ -> Just AnyHeap
          NullValue h -> topOf known h
          _ -> Nothing
    if isNothing hierarchy || hierarchy /= topOf known (refHeap r)
      then pure False
      else referenceIs store r (bitsOf v)
  _ -> pure (valueType v == t)

-- | Whether a value may be used in a store.
belongs :: Store -> Value -> Bool
belongs store = \case
  FuncValue (Just f) -> storeCount (funcStore f) == storeCount store
  RefValue _ owner _ -> owner == storeCount store
  _ -> True

readValue :: Store -> ValType -> Ptr () -> IO Value
readValue store t p = case t of
  I32 -> I32Value <$> peekByteOff p 0
  I64 -> I64Value <$> peekByteOff p 0
  F32 -> F32Value <$> peekByteOff p 0
  F64 -> F64Value <$> peekByteOff p 0
  V128 -> V128Value <$> peekByteOff p 0 <*> peekByteOff p 8
  Ref r -> do
    bits <- peekByteOff p 0
    known <- typeOfNumber store
    case topOf known (refHeap r) of
      Just FuncHeap -> FuncValue <$> funcByAddress store (wordPtrToPtr (fromIntegral bits))
      Just ExternHeap
        | bits == 0 -> pure (ExternValue Nothing)
        | bits .&. 3 == 1 -> pure (ExternValue (Just (bits `shiftR` 2)))
        | otherwise -> pure (RefValue ExternHeap (storeCount store) bits)
      top
        | bits == 0 -> pure (NullValue (fromMaybe AnyHeap top))
        | top == Just AnyHeap && bits .&. 3 == 1 -> pure (HostValue (bits `shiftR` 2))
        | otherwise -> do
            h <- heapOfBits (fromMaybe AnyHeap top) bits
            pure (RefValue h (storeCount store) bits)

writeValue :: Ptr () -> Value -> IO ()
writeValue p = \case
  I32Value v -> pokeByteOff p 0 v
  I64Value v -> pokeByteOff p 0 v
  F32Value v -> pokeByteOff p 0 v
  F64Value v -> pokeByteOff p 0 v
  V128Value low high -> pokeByteOff p 0 low >> pokeByteOff p 8 high
  v -> pokeByteOff p 0 (bitsOf v)

-- | A reference as a slot holds it: 0 when null, a function's record, a host's
-- number with the mark 1, a small integer with the mark 2, an object's address,
-- an exception's number.
bitsOf :: Value -> Word64
bitsOf = \case
  FuncValue f -> maybe 0 (fromIntegral . ptrToWordPtr . funcAddress) f
  ExternValue n -> maybe 0 (\k -> (k `shiftL` 2) .|. 1) n
  RefValue _ _ bits -> bits
  HostValue n -> (n `shiftL` 2) .|. 1
  _ -> 0

readValues :: Store -> [ValType] -> Ptr () -> IO [Value]
readValues store ts p = case ts of
  [] -> pure []
  t : rest -> (:) <$> readValue store t p <*> readValues store rest (p `plusPtr` (8 * slotCount t))

writeValues :: Ptr () -> [Value] -> IO ()
writeValues p = \case
  [] -> pure ()
  v : rest -> writeValue p v >> writeValues (p `plusPtr` (8 * slotCount (valueType v))) rest
