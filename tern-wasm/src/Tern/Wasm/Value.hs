-- | Values, as they pass between Haskell and WebAssembly.
--
-- The idea: a value knows its type; in a frame it is bits in one slot of 8 bytes,
-- or two for a vector. A function reference is the address of its record and 0
-- when null, an external reference its number and one more.
module Tern.Wasm.Value
  ( Value (..),
    valueType,
    readValue,
    readValues,
    writeValue,
    writeValues,
    belongs,
  )
where

import Data.Word (Word32, Word64)
import Foreign.Ptr (Ptr, nullPtr, plusPtr)
import Foreign.Storable (peekByteOff, pokeByteOff)
import Tern.Wasm.Store
import Tern.Wasm.Syntax (RefType (..), ValType (..), slotCount)

data Value
  = I32Value !Word32
  | I64Value !Word64
  | F32Value !Float
  | F64Value !Double
  | -- | The low and the high half.
    V128Value !Word64 !Word64
  | FuncValue !(Maybe Func)
  | -- | A number that means something to the host.
    ExternValue !(Maybe Word64)

valueType :: Value -> ValType
valueType = \case
  I32Value _ -> I32
  I64Value _ -> I64
  F32Value _ -> F32
  F64Value _ -> F64
  V128Value _ _ -> V128
  FuncValue _ -> Ref FuncRef
  ExternValue _ -> Ref ExternRef

-- | Whether a value may be used in a store.
belongs :: Store -> Value -> Bool
belongs store = \case
  FuncValue (Just f) -> storeCount (funcStore f) == storeCount store
  _ -> True

readValue :: Store -> ValType -> Ptr () -> IO Value
readValue store t p = case t of
  I32 -> I32Value <$> peekByteOff p 0
  I64 -> I64Value <$> peekByteOff p 0
  F32 -> F32Value <$> peekByteOff p 0
  F64 -> F64Value <$> peekByteOff p 0
  V128 -> V128Value <$> peekByteOff p 0 <*> peekByteOff p 8
  Ref FuncRef -> FuncValue <$> (peekByteOff p 0 >>= funcByAddress store)
  Ref ExternRef -> do
    n <- peekByteOff p 0
    pure (ExternValue (if n == 0 then Nothing else Just (n - 1)))

writeValue :: Ptr () -> Value -> IO ()
writeValue p = \case
  I32Value v -> pokeByteOff p 0 v
  I64Value v -> pokeByteOff p 0 v
  F32Value v -> pokeByteOff p 0 v
  F64Value v -> pokeByteOff p 0 v
  V128Value low high -> pokeByteOff p 0 low >> pokeByteOff p 8 high
  FuncValue f -> pokeByteOff p 0 (maybe nullPtr funcAddress f)
  ExternValue n -> pokeByteOff p 0 (maybe 0 (+ 1) n)

readValues :: Store -> [ValType] -> Ptr () -> IO [Value]
readValues store ts p = case ts of
  [] -> pure []
  t : rest -> (:) <$> readValue store t p <*> readValues store rest (p `plusPtr` (8 * slotCount t))

writeValues :: Ptr () -> [Value] -> IO ()
writeValues p = \case
  [] -> pure ()
  v : rest -> writeValue p v >> writeValues (p `plusPtr` (8 * slotCount (valueType v))) rest
