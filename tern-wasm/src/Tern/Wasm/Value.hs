{-# LANGUAGE PatternSynonyms #-}

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
import GHC.Float (castDoubleToWord64, castFloatToWord32)
import Numeric (showHex)
import Tern.Wasm.Object (heapOfBits, referenceIs)
import Tern.Wasm.Prim (Ptr, peekByteOff, plusPtr, pokeByteOff, ptrToWordPtr, wordPtrToPtr)
import Tern.Wasm.Store (Func (..), Store (..), funcAddress, funcByAddress, typeOfNumber)
import Tern.Wasm.Type
  ( FuncType (..),
    HeapType (..),
    RefType (..),
    ValType (..),
    slotCount,
    topOf,
    pattern ExternRef,
    pattern FuncRef,
  )

-- | Values are equal that have the same type, the same bits and, where they are
-- references, the same store: so a NaN is equal to itself and to no NaN with other
-- bits, and 0 is not -0. A number is shown as Haskell shows it; a NaN as the text format
-- does, with its bits; of a function its type, and of another reference what is known
-- of it.
--
-- >>> F64Value (0 / 0) == F64Value (0 / 0)
-- True
-- >>> F64Value 0 == F64Value (-0)
-- False
-- >>> [I32Value 7, F32Value (-1.5), ExternValue Nothing]
-- [I32Value 7,F32Value (-1.5),ExternValue Nothing]
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

instance Eq Value where
  a == b = valueType a == valueType b && ownerOf a == ownerOf b && wordsOf a == wordsOf b

ownerOf :: Value -> Maybe (IORef Int)
ownerOf = \case
  FuncValue f -> storeCount . funcStore <$> f
  RefValue _ owner _ -> Just owner
  I32Value _ -> Nothing
  I64Value _ -> Nothing
  F32Value _ -> Nothing
  F64Value _ -> Nothing
  V128Value _ _ -> Nothing
  ExternValue _ -> Nothing
  HostValue _ -> Nothing
  NullValue _ -> Nothing

-- | The bits in its slots; the second is 0 for what has one.
wordsOf :: Value -> (Word64, Word64)
wordsOf v = case v of
  I32Value n -> (fromIntegral n, 0)
  I64Value n -> (n, 0)
  F32Value x -> (fromIntegral (castFloatToWord32 x), 0)
  F64Value x -> (castDoubleToWord64 x, 0)
  V128Value low high -> (low, high)
  FuncValue _ -> (bitsOf v, 0)
  ExternValue _ -> (bitsOf v, 0)
  RefValue {} -> (bitsOf v, 0)
  HostValue _ -> (bitsOf v, 0)
  NullValue _ -> (0, 0)

instance Show Value where
  showsPrec d = \case
    I32Value n -> of_ "I32Value" (showsPrec 11 n)
    I64Value n -> of_ "I64Value" (showsPrec 11 n)
    F32Value x ->
      of_
        "F32Value"
        ( float
            x
            (castFloatToWord32 x .&. 0x7FFFFF)
            (castFloatToWord32 x >= 0x80000000)
        )
    F64Value x ->
      of_
        "F64Value"
        ( float
            x
            (castDoubleToWord64 x .&. 0xFFFFFFFFFFFFF)
            (castDoubleToWord64 x >= 0x8000000000000000)
        )
    V128Value low high -> of_ "V128Value" (hex low . showChar ' ' . hex high)
    FuncValue f ->
      of_
        "FuncValue"
        ( maybe
            (showString "Nothing")
            ( \g ->
                showParen
                  True
                  ( showString "Just <function "
                      . arrow (funcSignature g)
                      . showChar '>'
                  )
            )
            f
        )
    ExternValue n -> of_ "ExternValue" (showsPrec 11 n)
    -- Its bits are an address.
    RefValue h _ _ -> of_ "RefValue" (showsPrec 11 h . showString " <reference>")
    HostValue n -> of_ "HostValue" (showsPrec 11 n)
    NullValue h -> of_ "NullValue" (showsPrec 11 h)
    where
      of_ name inner = showParen (d > 10) (showString name . showChar ' ' . inner)
      hex :: (Integral a) => a -> ShowS
      hex n = showString "0x" . showHex (toInteger n)
      arrow (FuncType ps rs) = shows ps . showString " -> " . shows rs
      float :: (RealFloat a, Show a, Integral b) => a -> b -> Bool -> ShowS
      float x payload negative
        | isNaN x = showString (if negative then "-nan:" else "nan:") . hex payload
        | otherwise = showsPrec 11 x

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
