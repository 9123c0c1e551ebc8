{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | CBOR whose shape is not declared: a tree that keeps every distinction of the
-- format's data model (RFC 8949, section 2).
--
-- The idea: one constructor for each kind of value that the model has. Tags are
-- kept and not interpreted; @-0.0@, the payloads of NaNs, undefined and simple
-- values are all told apart. What the model does not know is not kept: how many
-- bytes a head or a floating-point number took, and whether a string, an array or a
-- map said its length. ("Tern.Cbor.Value" has what shows those of a document.)
module Tern.Internal.Cbor.Value
  ( Value (..),
    integer,
    asInteger,
    Simple,
    simple,
    simpleNumber,

    -- * Documents
    encodeValue,
    decodeValue,
    decodeValueWith,

    -- * Codecs
    valueW,
    valueR,
  )
where

import Data.ByteString (ByteString)
import Data.Text (Text)
import Data.Vector (Vector)
import Data.Vector qualified as V
import Data.Word (Word64)
import GHC.Exts hiding (toList)
import GHC.Float (castDoubleToWord64)
import Tern.Error (Error, Expected (..))
import Tern.Internal.Binary.Container qualified as Binary
import Tern.Internal.Binary.Elements (each, filled)
import Tern.Internal.Cbor.Codec (Cbor)
import Tern.Internal.Cbor.Document (decodeWith, encodeWith)
import Tern.Internal.Cbor.Read qualified as Read
import Tern.Internal.Cbor.Simple (Simple, simple, simpleNumber)
import Tern.Internal.Cbor.Write qualified as Write
import Tern.Internal.Read (Reader (..), Step)
import Tern.Internal.Write (Writer (..), toFill, write)
import Tern.Limits (Limits, defaultLimits)
import Tern.Prim.Buffer (Fill)
import Tern.Prim.Byte (byteAt)
import Tern.Prim.Cbor (naturalBytes, naturalFrom)

-- $setup
-- >>> :set -XOverloadedStrings -XOverloadedLists

-- | Any CBOR value.
data Value
  = -- | An integer from 0 to 2^64 - 1.
    Unsigned !Word
  | -- | An integer from -1 to -2^64: @-1@ less the word.
    Negative !Word
  | -- | A floating-point number of any width. One of two or four bytes is read as
    -- the double that it is, a NaN with its payload at the top of the double's.
    Float !Double
  | Bool !Bool
  | Null
  | Undefined
  | -- | A simple value that has no name.
    Simple !Simple
  | -- | Bytes that are no text.
    Bytes !ByteString
  | Text !Text
  | Array !(Vector Value)
  | -- | Pairs in their order. Keys may be of any type, and repeated.
    Map !(Vector (Value, Value))
  | -- | A tag and its content, whatever it is.
    Tag !Word !Value
  deriving stock (Show)

-- | Equal where a document says the same: floating-point numbers by their bits (of
-- which @-0.0@ and @0.0@ have different ones, and a NaN its own), maps by their
-- pairs in order.
instance Eq Value where
  a == b = identity a == identity b

-- | A total order, in which values of one type stand together.
instance Ord Value where
  compare a b = compare (identity a) (identity b)

-- | What decides about equality, one constructor a type.
data Identity
  = IsUnsigned !Word
  | IsNegative !Word
  | IsFloat !Word64
  | IsBool !Bool
  | IsNull
  | IsUndefined
  | IsSimple !Simple
  | IsBytes !ByteString
  | IsText !Text
  | IsArray !(Vector Value)
  | IsMap !(Vector (Value, Value))
  | IsTag !Word !Value
  deriving stock (Eq, Ord)

identity :: Value -> Identity
identity = \case
  Unsigned w -> IsUnsigned w
  Negative w -> IsNegative w
  Float x -> IsFloat (castDoubleToWord64 x)
  Bool b -> IsBool b
  Null -> IsNull
  Undefined -> IsUndefined
  Simple v -> IsSimple v
  Bytes b -> IsBytes b
  Text t -> IsText t
  Array vs -> IsArray vs
  Map pairs -> IsMap pairs
  Tag n v -> IsTag n v

-- | Any integer in its preferred form: beyond 64 bits its magnitude with tag 2, or
-- 3 for one below 0 (RFC 8949, section 3.4.3).
--
-- >>> map integer [-1, 18446744073709551615, 18446744073709551616]
-- [Negative 0,Unsigned 18446744073709551615,Tag 2 (Bytes "\SOH\NUL\NUL\NUL\NUL\NUL\NUL\NUL\NUL")]
integer :: Integer -> Value
integer n
  | n < 0 = case -1 - n of
      k
        | k <= most -> Negative (fromInteger k)
        | otherwise -> Tag 3 (Bytes (naturalBytes k))
  | n <= most = Unsigned (fromInteger n)
  | otherwise = Tag 2 (Bytes (naturalBytes n))
  where
    most = toInteger (maxBound :: Word)

-- | The integer that a value is, in any form.
--
-- >>> asInteger (Tag 3 (Bytes "\0\5"))
-- Just (-6)
asInteger :: Value -> Maybe Integer
asInteger = \case
  Unsigned w -> Just (toInteger w)
  Negative w -> Just (-1 - toInteger w)
  Tag 2 (Bytes b) -> Just (naturalFrom b)
  Tag 3 (Bytes b) -> Just (-1 - naturalFrom b)
  _ -> Nothing

-- * Documents

-- | A value as a document, in the preferred serialization.
--
-- >>> encodeValue (Array [Unsigned 1, Null])
-- "\130\SOH\246"
encodeValue :: Value -> ByteString
encodeValue = encodeWith valueW

-- | The value that a whole document stands for, within 'defaultLimits'.
--
-- >>> decodeValue "\x9f\x01\xf6\xff"
-- Right (Array [Unsigned 1,Null])
decodeValue :: ByteString -> Either Error Value
decodeValue = decodeValueWith defaultLimits

-- | As 'decodeValue', within the limits given.
decodeValueWith :: Limits -> ByteString -> Either Error Value
decodeValueWith = decodeWith valueR

-- * Codecs

-- | Writes any item, each in its shortest form; keys of maps stand as they are given. Linear in its
-- size.
valueW :: Writer Value
valueW = FillWriter fillValue

fillValue :: Value -> Fill
fillValue value mba op s = case value of
  Unsigned w -> toFill (write Write.word w) mba op s
  Negative w -> toFill (write Write.negative w) mba op s
  Float x -> toFill (write Write.double x) mba op s
  Bool b -> toFill (write Write.bool b) mba op s
  Null -> toFill Write.null mba op s
  Undefined -> toFill Write.undefined mba op s
  Simple v -> toFill (write Write.simpleValue v) mba op s
  Bytes b -> toFill (write Write.bytes b) mba op s
  Text t -> toFill (write Write.text t) mba op s
  Array vs -> case toFill (write Write.arrayHeader (V.length vs)) mba op s of
    (# s1, mba1, op1 #) -> each fillValue vs mba1 op1 s1
  Map pairs -> case toFill (write Write.mapHeader (V.length pairs)) mba op s of
    (# s1, mba1, op1 #) -> each fillPair pairs mba1 op1 s1
  Tag n v -> case toFill (write Write.tag n) mba op s of
    (# s1, mba1, op1 #) -> fillValue v mba1 op1 s1
  where
    fillPair (k, v) mba' op' s' = case fillValue k mba' op' s' of
      (# s1, mba1, op1 #) -> fillValue v mba1 op1 s1

-- | Reads any item within the reader's limits. Linear in its length.
valueR :: Reader Value
valueR = Reader anyValue

anyValue :: Step Value
anyValue ctx e c s = case ltAddr# c e of
  1# -> valueOf (byteAt c) ctx e c s
  _ -> Read.failExpected AValue e c s

-- | The value that begins with a byte, which is at the cursor.
valueOf :: Word# -> Step Value
valueOf b ctx e c s = case kind of
  0## -> number ctx e c s
  1## -> number ctx e c s
  2## -> as Bytes Read.bytes ctx e c s
  3## -> as Text Read.text ctx e c s
  4## -> as Array (Binary.array @Cbor (filled anyValue)) ctx e c s
  5## -> as Map (Binary.map @Cbor (filled pair)) ctx e c s
  6## -> Read.tagged content ctx e c s
  _ -> case b of
    0xf4## -> one (Bool False)
    0xf5## -> one (Bool True)
    0xf6## -> one Null
    0xf7## -> one Undefined
    0xf8## -> case minusAddr# e c ># 1# of
      1#
        | Just v <- simple (number8 (byteAt (plusAddr# c 1#))),
          simpleNumber v > 31,
          !named <- Simple v ->
            (# s, plusAddr# c 2#, named #)
      0# -> Read.failEnd AValue c s
      _ -> Read.failExpected AValue e c s
    0xf9## -> as Float Read.double ctx e c s
    0xfa## -> as Float Read.double ctx e c s
    0xfb## -> as Float Read.double ctx e c s
    _
      | isTrue# (geWord# b 0xe0##),
        isTrue# (ltWord# b 0xf4##),
        Just v <- simple (number8 (b `and#` 31##)) ->
          one (Simple v)
      | otherwise -> Read.failExpected AValue e c s
  where
    -- The major type; of heads that are reserved, that of simple values.
    kind
      | isTrue# (ltWord# (b `and#` 31##) 28##) = uncheckedShiftRL# b 5#
      | isTrue# (eqWord# (b `and#` 31##) 31##),
        isTrue# (ltWord# (b `minusWord#` 0x40##) 0x80##) =
          uncheckedShiftRL# b 5#
      | otherwise = 7##
    as :: (a -> Value) -> Step a -> Step Value
    as f step ctx' e' c' s' = case step ctx' e' c' s' of
      (# s1, c1, a #) -> case f a of !v -> (# s1, c1, v #)
    {-# INLINE as #-}
    one !v = (# s, plusAddr# c 1#, v #)
    number8 w = fromIntegral (W# w)
    number :: Step Value
    number _ e' c' s' = case Read.integer e' c' s' of
      (# s1, c1, w, 0# #) -> (# s1, c1, Unsigned (W# w) #)
      (# s1, c1, w, _ #) -> (# s1, c1, Negative (W# w) #)
    content :: Word# -> Step Value
    content n = as (Tag (W# n)) anyValue

pair :: Step (Value, Value)
pair ctx e c s = case anyValue ctx e c s of
  (# s1, c1, k #) -> case anyValue ctx e c1 s1 of
    (# s2, c2, v #) -> (# s2, c2, (k, v) #)
