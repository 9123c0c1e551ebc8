{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | MessagePack whose shape is not declared: a tree that keeps every
-- distinction of the format.
--
-- The idea: one constructor for each of the specification's types, so that a
-- document read and written again says the same. What is not kept is how much
-- room an item took: everything is written in its shortest format.
module Tern.Internal.MessagePack.Value
  ( Value (..),
    integer,

    -- * Times
    Timestamp,
    timestamp,
    seconds,
    nanoseconds,

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
import Data.Int (Int8)
import Data.Text (Text)
import Data.Vector (Vector)
import Data.Vector qualified as V
import Data.Word (Word32, Word64)
import GHC.Exts hiding (toList)
import GHC.Float (castDoubleToWord64, castFloatToWord32)
import Tern.Error (Error, Expected (..))
import Tern.Internal.Binary.Container qualified as Binary
import Tern.Internal.Binary.Elements (each, filled)
import Tern.Internal.MessagePack.Codec (MessagePack)
import Tern.Internal.MessagePack.Document (decodeWith, encodeWith)
import Tern.Internal.MessagePack.Read qualified as Read
import Tern.Internal.MessagePack.Timestamp (Timestamp, nanoseconds, seconds, timestamp)
import Tern.Internal.MessagePack.Write qualified as Write
import Tern.Internal.Read (Reader (..), Step)
import Tern.Internal.Write (Writer (..), toFill, write)
import Tern.Limits (Limits, defaultLimits)
import Tern.Prim.Buffer (Fill)
import Tern.Prim.Byte (byteAt)

-- $setup
-- >>> :set -XOverloadedStrings -XOverloadedLists

-- | Any MessagePack value.
data Value
  = Nil
  | Bool !Bool
  | -- | An integer from -2^63 to 2^63 - 1, in whatever format.
    Int !Int
  | -- | An integer from 0 to 2^64 - 1. One that fits an @Int@ is read as that,
    -- and equal to it.
    Word !Word
  | Float32 !Float
  | Float64 !Double
  | -- | Text.
    Str !Text
  | -- | Bytes that are no text.
    Bin !ByteString
  | Array !(Vector Value)
  | -- | Pairs in their order. Keys may be of any type, and repeated.
    Map !(Vector (Value, Value))
  | -- | An extension by its type. Type -1 is read as @Timestamp@; one that is
    -- put here must be well-formed, or the document will not be read again.
    Ext !Int8 !ByteString
  | Timestamp !Timestamp
  deriving stock (Show)

-- | Equal where a document says the same: integers by their value, floats by
-- their bits (of which @-0.0@ and @0.0@ have different ones, and a NaN its own),
-- maps by their pairs in order.
instance Eq Value where
  a == b = identity a == identity b

-- | A total order, in which values of one type stand together.
instance Ord Value where
  compare a b = compare (identity a) (identity b)

-- | What decides about equality, one constructor a type.
data Identity
  = IsNil
  | IsBool !Bool
  | IsInteger !Integer
  | IsFloat32 !Word32
  | IsFloat64 !Word64
  | IsStr !Text
  | IsBin !ByteString
  | IsArray !(Vector Value)
  | IsMap !(Vector (Value, Value))
  | IsExt !Int8 !ByteString
  | IsTimestamp !Timestamp
  deriving stock (Eq, Ord)

identity :: Value -> Identity
identity = \case
  Nil -> IsNil
  Bool b -> IsBool b
  Int i -> IsInteger (toInteger i)
  Word w -> IsInteger (toInteger w)
  Float32 x -> IsFloat32 (castFloatToWord32 x)
  Float64 x -> IsFloat64 (castDoubleToWord64 x)
  Str t -> IsStr t
  Bin b -> IsBin b
  Array vs -> IsArray vs
  Map pairs -> IsMap pairs
  Ext kind b -> IsExt kind b
  Timestamp t -> IsTimestamp t

-- | An integer, where MessagePack has it: from -2^63 to 2^64 - 1.
--
-- >>> integer 18446744073709551615
-- Just (Word 18446744073709551615)
integer :: Integer -> Maybe Value
integer n
  | n >= toInteger (minBound :: Int), n <= toInteger (maxBound :: Int) = Just (Int (fromInteger n))
  | n > 0, n <= toInteger (maxBound :: Word) = Just (Word (fromInteger n))
  | otherwise = Nothing

-- * Documents

-- | A value as a document.
--
-- >>> encodeValue (Array [Int 1, Nil])
-- "\146\SOH\192"
encodeValue :: Value -> ByteString
encodeValue = encodeWith valueW

-- | The value that a whole document stands for, within 'defaultLimits'.
--
-- >>> decodeValue "\x92\x01\xc0"
-- Right (Array [Int 1,Nil])
decodeValue :: ByteString -> Either Error Value
decodeValue = decodeValueWith defaultLimits

-- | As 'decodeValue', within the limits given.
decodeValueWith :: Limits -> ByteString -> Either Error Value
decodeValueWith = decodeWith valueR

-- * Codecs

-- | Writes any value, each in its shortest form; nil for what has more elements than MessagePack
-- counts. Linear in its size.
valueW :: Writer Value
valueW = FillWriter fillValue

fillValue :: Value -> Fill
fillValue value mba op s = case value of
  Nil -> toFill Write.nil mba op s
  Bool b -> toFill (write Write.bool b) mba op s
  Int i -> toFill (write Write.int i) mba op s
  Word w -> toFill (write Write.word w) mba op s
  Float32 x -> toFill (write Write.float32 x) mba op s
  Float64 x -> toFill (write Write.float64 x) mba op s
  Str t -> toFill (write Write.text t) mba op s
  Bin b -> toFill (write Write.binary b) mba op s
  Array vs
    | V.length vs > Write.maxCount -> toFill Write.nil mba op s
    | otherwise -> case toFill (write Write.arrayHeader (V.length vs)) mba op s of
        (# s1, mba1, op1 #) -> each fillValue vs mba1 op1 s1
  Map pairs
    | V.length pairs > Write.maxCount -> toFill Write.nil mba op s
    | otherwise -> case toFill (write Write.mapHeader (V.length pairs)) mba op s of
        (# s1, mba1, op1 #) -> each fillPair pairs mba1 op1 s1
  Ext kind b -> toFill (write Write.ext (kind, b)) mba op s
  Timestamp t -> toFill (write Write.timestamp t) mba op s
  where
    fillPair (k, v) mba' op' s' = case fillValue k mba' op' s' of
      (# s1, mba1, op1 #) -> fillValue v mba1 op1 s1

-- | Reads any message within the reader's limits. Linear in its length.
valueR :: Reader Value
valueR = Reader anyValue

anyValue :: Step Value
anyValue ctx e c s = case ltAddr# c e of
  1# -> valueOf (byteAt c) ctx e c s
  _ -> Read.failExpected AValue e c s

-- | The value that begins with a byte, which is at the cursor.
valueOf :: Word# -> Step Value
valueOf b ctx e c s
  | isTrue# (ltWord# b 0x80##) = (# s, plusAddr# c 1#, Int (I# (word2Int# b)) #)
  | isTrue# (ltWord# b 0x90##) = pairs ctx e c s
  | isTrue# (ltWord# b 0xa0##) = elements ctx e c s
  | isTrue# (ltWord# b 0xc0##) = as Str Read.text ctx e c s
  | isTrue# (geWord# b 0xe0##) = (# s, plusAddr# c 1#, Int (I# (word2Int# b -# 256#)) #)
  | otherwise = case b of
      0xc0## -> (# s, plusAddr# c 1#, Nil #)
      0xc1## -> Read.failExpected AValue e c s
      0xc2## -> (# s, plusAddr# c 1#, Bool False #)
      0xc3## -> (# s, plusAddr# c 1#, Bool True #)
      0xca## -> as Float32 Read.float ctx e c s
      0xcb## -> as Float64 Read.double ctx e c s
      0xdc## -> elements ctx e c s
      0xdd## -> elements ctx e c s
      0xde## -> pairs ctx e c s
      0xdf## -> pairs ctx e c s
      _
        | isTrue# (ltWord# b 0xc7##) -> as Bin Read.binary ctx e c s
        | isTrue# (ltWord# b 0xca##) -> extension ctx e c s
        | isTrue# (ltWord# b 0xd4##) -> number ctx e c s
        | isTrue# (ltWord# b 0xd9##) -> extension ctx e c s
        | otherwise -> as Str Read.text ctx e c s
  where
    as :: (a -> Value) -> Step a -> Step Value
    as f step ctx' e' c' s' = case step ctx' e' c' s' of
      (# s1, c1, a #) -> case f a of !v -> (# s1, c1, v #)
    {-# INLINE as #-}
    number, elements, pairs, extension :: Step Value
    number _ e' c' s' = case Read.integer e' c' s' of
      (# s1, c1, w, 0# #) | isTrue# (word2Int# w <# 0#) -> (# s1, c1, Word (W# w) #)
      (# s1, c1, w, _ #) -> (# s1, c1, Int (I# (word2Int# w)) #)
    elements = as Array (Binary.array @MessagePack (filled anyValue))
    pairs = as Map (Binary.map @MessagePack (filled pair))
    extension ctx' e' c' s' = case Read.extHeader e' c' s' of
      (# s1, body, n, -1# #) -> as Timestamp (\_ _ at -> Read.timestampAt at body n) ctx' e' c' s1
      (# s1, _, _, _ #) -> Read.ext Ext ctx' e' c' s1

pair :: Step (Value, Value)
pair ctx e c s = case anyValue ctx e c s of
  (# s1, c1, k #) -> case anyValue ctx e c1 s1 of
    (# s2, c2, v #) -> (# s2, c2, (k, v) #)
