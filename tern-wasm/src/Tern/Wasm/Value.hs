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
  )
where

import Data.Bits (shiftL, shiftR, (.&.), (.|.))
import Data.IORef (IORef)
import Data.Maybe (fromMaybe, isNothing)
import Data.Word (Word32, Word64)
import GHC.Float (castDoubleToWord64, castFloatToWord32)
import Numeric (showHex)
import Tern.Wasm.Held (Reference, withReference)
import Tern.Wasm.Object (heapOfBits, referenceIs)
import Tern.Wasm.Prim (Ptr, peekByteOff, plusPtr, pokeByteOff, ptrToWordPtr)
import Tern.Wasm.Store (Func (..), Store (..), funcAddress, funcByAddress, hold, typeOfNumber)
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
-- references, refer to the same: so a NaN is equal to itself and to no NaN with other
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
  | -- | Any other reference: what is known of it, whose it is, and itself. What it refers
    -- to stays as long as somebody has it.
    RefValue !HeapType !(IORef Int) !Reference
  | -- | The host's number again, where it is passed as a reference of any type.
    HostValue !Word64
  | -- | A reference to nothing, of a type that is none of the above.
    NullValue !HeapType

instance Eq Value where
  a == b = valueType a == valueType b && alike
    where
      alike = case (a, b) of
        (RefValue _ owner r, RefValue _ owner' r') -> owner == owner' && r == r'
        (FuncValue f, FuncValue g) -> fmap funcAddress f == fmap funcAddress g
        (RefValue {}, _) -> False
        (_, RefValue {}) -> False
        _ -> wordsOf a == wordsOf b

-- | The bits in the slots of what is no reference to an object; the second is 0 for what
-- has one.
wordsOf :: Value -> (Word64, Word64)
wordsOf = \case
  I32Value n -> (fromIntegral n, 0)
  I64Value n -> (n, 0)
  F32Value x -> (fromIntegral (castFloatToWord32 x), 0)
  F64Value x -> (castDoubleToWord64 x, 0)
  V128Value low high -> (low, high)
  FuncValue f -> (maybe 0 (fromIntegral . ptrToWordPtr . funcAddress) f, 0)
  ExternValue n -> (maybe 0 hostBits n, 0)
  HostValue n -> (hostBits n, 0)
  RefValue {} -> (0, 0)
  NullValue _ -> (0, 0)

-- | A number of the host's as a reference.
hostBits :: Word64 -> Word64
hostBits n = (n `shiftL` 2) .|. 1

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
      else withBits v (referenceIs store r)
  _ -> pure (valueType v == t)

-- | Whether a value may be used in a store.
belongs :: Store -> Value -> Bool
belongs store = \case
  FuncValue (Just f) -> storeCount (funcStore f) == storeCount store
  RefValue _ owner _ -> owner == storeCount store
  _ -> True

-- | A value of a type, from the slots at an address. A reference is held for as long as the value
-- is reachable.
readValue :: Store -> ValType -> Ptr () -> IO Value
readValue store t p = case t of
  I32 -> I32Value <$> peekByteOff p 0
  I64 -> I64Value <$> peekByteOff p 0
  F32 -> F32Value <$> peekByteOff p 0
  F64 -> F64Value <$> peekByteOff p 0
  V128 -> V128Value <$> peekByteOff p 0 <*> peekByteOff p 8
  Ref r -> do
    known <- typeOfNumber store
    case topOf known (refHeap r) of
      Just FuncHeap -> peekByteOff p 0 >>= fmap FuncValue . funcByAddress store
      top -> do
        (bits, held) <- hold store (peekByteOff p 0)
        case top of
          Just ExternHeap
            | bits == 0 -> pure (ExternValue Nothing)
            | bits .&. 3 == 1 -> pure (ExternValue (Just (bits `shiftR` 2)))
            | otherwise -> pure (RefValue ExternHeap (storeCount store) held)
          _
            | bits == 0 -> pure (NullValue (fromMaybe AnyHeap top))
            | top == Just AnyHeap && bits .&. 3 == 1 -> pure (HostValue (bits `shiftR` 2))
            | otherwise -> do
                h <- withReference held (heapOfBits store (fromMaybe AnyHeap top))
                pure (RefValue h (storeCount store) held)

-- | A value into the slots at an address: two for a vector, one for any other. That the value
-- belongs to the store was asked before.
writeValue :: Ptr () -> Value -> IO ()
writeValue p = \case
  I32Value v -> pokeByteOff p 0 v
  I64Value v -> pokeByteOff p 0 v
  F32Value v -> pokeByteOff p 0 v
  F64Value v -> pokeByteOff p 0 v
  V128Value low high -> pokeByteOff p 0 low >> pokeByteOff p 8 high
  v -> withBits v (pokeByteOff p 0)

-- | Use a reference as a slot holds it: 0 when null, a function's record, a host's
-- number with the mark 1, a small integer with the mark 2, and of an object and an
-- exception what the heap says ("Tern.Wasm.Heap").
withBits :: Value -> (Word64 -> IO a) -> IO a
withBits v action = case v of
  RefValue _ _ r -> withReference r action
  _ -> action (fst (wordsOf v))

-- | Values of these types, from slots that follow each other.
readValues :: Store -> [ValType] -> Ptr () -> IO [Value]
readValues store ts p = case ts of
  [] -> pure []
  t : rest -> (:) <$> readValue store t p <*> readValues store rest (p `plusPtr` (8 * slotCount t))

-- | Values into slots that follow each other.
writeValues :: Ptr () -> [Value] -> IO ()
writeValues p = \case
  [] -> pure ()
  v : rest -> writeValue p v >> writeValues (p `plusPtr` (8 * slotCount (valueType v))) rest
