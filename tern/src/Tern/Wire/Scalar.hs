{-# LANGUAGE OverloadedStrings #-}

-- | Haskell's scalar types: a table of codecs, a line a type, and in a line the
-- shape, JSON, MessagePack, CBOR and the native format.
--
-- INLINE where a line is more than names, so that a strict field of the type is
-- never boxed. Proof: the allocation ceiling "a mixed record".
module Tern.Wire.Scalar
  ( -- * Integers
    int,
    int8,
    int16,
    int32,
    int64,
    word,
    word8,
    word16,
    word32,
    word64,
    integer,
    natural,

    -- * Reals
    double,
    float,

    -- * Truth and text
    bool,
    text,
    lazyText,
    char,
    string,
    unit,
  )
where

import Data.Int (Int16, Int32, Int64, Int8)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Lazy qualified as TL
import Data.Word (Word16, Word32, Word64, Word8)
import Numeric.Natural (Natural)
import Tern.Binary.Container (unitR, unitW)
import Tern.Cbor.Codec (Cbor)
import Tern.Cbor.Codec qualified as Cbor
import Tern.Json.Codec qualified as Json
import Tern.Json.Container (Key (TextKey))
import Tern.Json.Container qualified as Json
import Tern.MessagePack.Codec (MessagePack)
import Tern.MessagePack.Codec qualified as Mpack
import Tern.Native.Read qualified as NativeR
import Tern.Native.Reader (NativeReader)
import Tern.Native.Record qualified as Native
import Tern.Native.Write qualified as NativeW
import Tern.Shape (ShapeOf (..))
import Tern.Shape qualified as Shape
import Tern.Wire.Codec
import Tern.Wire.Container (arrayOf)
import Tern.Write (Writer, contramapWriter)

-- * Integers

int :: Codec Int
int = listed ints (keyed (plain Shape.bounded Json.intW Json.intR Mpack.intW Mpack.intR Cbor.intW Cbor.intR NativeW.int NativeR.int))
{-# INLINE int #-}

int8 :: Codec Int8
int8 = sizedInt "Int8" NativeW.int8 NativeR.int8
{-# INLINE int8 #-}

int16 :: Codec Int16
int16 = sizedInt "Int16" NativeW.int16 NativeR.int16
{-# INLINE int16 #-}

int32 :: Codec Int32
int32 = sizedInt "Int32" NativeW.int32 NativeR.int32
{-# INLINE int32 #-}

int64 :: Codec Int64
int64 = sizedInt "Int64" NativeW.int64 NativeR.int64
{-# INLINE int64 #-}

word :: Codec Word
word = keyed (plain Shape.bounded Json.wordW Json.wordR Mpack.wordW Mpack.wordR Cbor.wordW Cbor.wordR NativeW.word NativeR.word)
{-# INLINE word #-}

word8 :: Codec Word8
word8 = sizedWord "Word8" NativeW.word8 NativeR.word8
{-# INLINE word8 #-}

word16 :: Codec Word16
word16 = sizedWord "Word16" NativeW.word16 NativeR.word16
{-# INLINE word16 #-}

word32 :: Codec Word32
word32 = sizedWord "Word32" NativeW.word32 NativeR.word32
{-# INLINE word32 #-}

word64 :: Codec Word64
word64 = sizedWord "Word64" NativeW.word64 NativeR.word64
{-# INLINE word64 #-}

-- | A signed integer of at most 64 bits, by the name of its type.
sizedInt :: (Bounded a, Integral a) => Text -> Writer a -> NativeReader a -> Codec a
sizedInt name = \nativeW nativeR ->
  keyed (plain Shape.bounded Json.sizedIntW (Json.sizedIntR name) Mpack.sizedIntW (Mpack.sizedIntR name) Cbor.sizedIntW (Cbor.sizedIntR name) nativeW nativeR)
{-# INLINE sizedInt #-}

-- | An unsigned integer of at most 64 bits, by the name of its type.
sizedWord :: (Bounded a, Integral a) => Text -> Writer a -> NativeReader a -> Codec a
sizedWord name = \nativeW nativeR ->
  keyed (plain Shape.bounded Json.sizedWordW (Json.sizedWordR name) Mpack.sizedWordW (Mpack.sizedWordR name) Cbor.sizedWordW (Cbor.sizedWordR name) nativeW nativeR)
{-# INLINE sizedWord #-}

integer :: Codec Integer
integer =
  keyed (plain (ShapeOf (Shape.Integer Nothing Nothing)) Json.integerW Json.integerR Mpack.integerW Mpack.integerR Cbor.integerW Cbor.integerR NativeW.integer NativeR.integer)
{-# INLINE integer #-}

natural :: Codec Natural
natural =
  keyed (plain (ShapeOf (Shape.Integer (Just 0) Nothing)) Json.naturalW Json.naturalR Mpack.naturalW Mpack.naturalR Cbor.naturalW Cbor.naturalR NativeW.natural NativeR.natural)
{-# INLINE natural #-}

-- * Reals

double :: Codec Double
double = listed doubles (plain (ShapeOf (Shape.Floating 64)) Json.doubleW Json.doubleR Mpack.doubleW Mpack.doubleR Cbor.doubleW Cbor.doubleR NativeW.double NativeR.double) {codecKey = Json.realKey Json.doubleW Json.doubleR}
{-# INLINE double #-}

float :: Codec Float
float = (plain (ShapeOf (Shape.Floating 32)) Json.floatW Json.floatR Mpack.floatW Mpack.floatR Cbor.floatW Cbor.floatR NativeW.float NativeR.float) {codecKey = Json.realKey Json.floatW Json.floatR}
{-# INLINE float #-}

-- * Truth and text

bool :: Codec Bool
bool = listed bools (keyed (plain (ShapeOf Shape.Boolean) Json.boolW Json.boolR Mpack.boolW Mpack.boolR Cbor.boolW Cbor.boolR NativeW.bool NativeR.bool))
{-# INLINE bool #-}

text :: Codec Text
text =
  (plain (ShapeOf Shape.Text) Json.textW Json.textR Mpack.textW Mpack.textR Cbor.textW Cbor.textR NativeW.text NativeR.text)
    { codecKey = TextKey id Right,
      codecList = Just texts
    }
{-# INLINE text #-}

lazyText :: Codec TL.Text
lazyText =
  (plain (ShapeOf Shape.Text) Json.lazyTextW Json.lazyTextR Mpack.lazyTextW Mpack.lazyTextR Cbor.lazyTextW Cbor.lazyTextR nativeW (TL.fromStrict <$> NativeR.text))
    { codecKey = TextKey TL.toStrict (Right . TL.fromStrict)
    }
  where
    nativeW = contramapWriter TL.toStrict NativeW.text
{-# INLINE lazyText #-}

-- | A string of one character; a list of them is a 'string'.
char :: Codec Char
char =
  (plain (ShapeOf Shape.Character) Json.charW Json.charR Mpack.charW Mpack.charR Cbor.charW Cbor.charR NativeW.char NativeR.char)
    { codecKey = TextKey T.singleton oneCharacter,
      codecList = Just string
    }
{-# INLINE char #-}

string :: Codec String
string =
  (plain (ShapeOf Shape.Text) Json.stringW Json.stringR Mpack.stringW Mpack.stringR Cbor.stringW Cbor.stringR nativeW (T.unpack <$> NativeR.text))
    { codecKey = TextKey T.pack (Right . T.unpack)
    }
  where
    nativeW = contramapWriter T.pack NativeW.text
{-# INLINE string #-}

oneCharacter :: Text -> Either Text Char
oneCharacter key = case T.uncons key of
  Just (c, rest) | T.null rest -> Right c
  _ -> Left "expected a key of one character"

unit :: Codec ()
unit = plain (ShapeOf Shape.Unit) Json.unitW Json.unitR (unitW @MessagePack) (unitR @MessagePack) (unitW @Cbor) (unitR @Cbor) nativeW nativeR
  where
    nativeW = Native.oneOfW (Native.option Native.noFields)
    nativeR = Native.oneOf (Native.alternative (pure ()))
{-# INLINE unit #-}

-- * Lists

-- | A type whose lists are common: their codec is compiled here, once, and not in
-- every field. Measured: a record of ten lists of 'Int' costs the compiler a third.
listed :: Codec [a] -> Codec a -> Codec a
listed list a = a {codecList = Just list}
{-# INLINE listed #-}

ints :: Codec [Int]
ints = arrayOf int

doubles :: Codec [Double]
doubles = arrayOf double

bools :: Codec [Bool]
bools = arrayOf bool

texts :: Codec [Text]
texts = arrayOf text
