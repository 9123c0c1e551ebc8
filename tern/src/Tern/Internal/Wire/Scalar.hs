{-# LANGUAGE OverloadedStrings #-}

-- | Haskell's scalar types: a table of codecs, a line a type, and in a line the
-- shape, JSON, the binary formats and the native format.
--
-- INLINE where a line is more than names, so that a strict field of the type is
-- never boxed. Proof: the allocation ceiling "a mixed record".
module Tern.Internal.Wire.Scalar
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
import Tern.Internal.Binary.Container (unitR, unitW)
import Tern.Internal.Binary.Scalar qualified as Binary
import Tern.Internal.Cbor.Codec (Cbor)
import Tern.Internal.Json.Codec qualified as Json
import Tern.Internal.Json.Container (Key (TextKey))
import Tern.Internal.Json.Container qualified as Json
import Tern.Internal.MessagePack.Codec (MessagePack)
import Tern.Internal.Native.Read qualified as NativeR
import Tern.Internal.Native.Reader (NativeReader)
import Tern.Internal.Native.Record qualified as Native
import Tern.Internal.Native.Write qualified as NativeW
import Tern.Internal.Read (Reader)
import Tern.Internal.Wire.Binary (uniform)
import Tern.Internal.Wire.Codec (Codec, CodecIn (..), directly, keyed, plain, trusted)
import Tern.Internal.Wire.Container (arrayOf)
import Tern.Internal.Wire.Direct (Direct, boolD, doubleD, integerD, integral, textD)
import Tern.Internal.Write (Writer, contramapWriter)
import Tern.Shape (ShapeOf (..))
import Tern.Shape qualified as Shape

-- * Integers

-- | A machine's integer: a number without a fraction. One that does not fit is an error, here
-- and in all that follow.
int :: Codec Int
int =
  listed ints . whole Json.intW Json.intR . keyed $
    uniform Shape.bounded Json.intW Json.intR Binary.int NativeW.int NativeR.int
{-# INLINE int #-}

-- | From -128 to 127; in the native format a byte.
int8 :: Codec Int8
int8 = sizedInt "Int8" NativeW.int8 NativeR.int8
{-# INLINE int8 #-}

-- | From -32,768 to 32,767; in the native format two bytes.
int16 :: Codec Int16
int16 = sizedInt "Int16" NativeW.int16 NativeR.int16
{-# INLINE int16 #-}

-- | 32 bits with a sign; in the native format as many bytes as it needs.
int32 :: Codec Int32
int32 = sizedInt "Int32" NativeW.int32 NativeR.int32
{-# INLINE int32 #-}

-- | 64 bits with a sign; in the native format as many bytes as it needs.
int64 :: Codec Int64
int64 = sizedInt "Int64" NativeW.int64 NativeR.int64
{-# INLINE int64 #-}

-- | A machine's integer without a sign.
word :: Codec Word
word =
  whole Json.wordW Json.wordR . keyed $
    uniform Shape.bounded Json.wordW Json.wordR Binary.word NativeW.word NativeR.word
{-# INLINE word #-}

-- | From 0 to 255; in the native format a byte.
word8 :: Codec Word8
word8 = sizedWord "Word8" NativeW.word8 NativeR.word8
{-# INLINE word8 #-}

-- | From 0 to 65,535; in the native format two bytes.
word16 :: Codec Word16
word16 = sizedWord "Word16" NativeW.word16 NativeR.word16
{-# INLINE word16 #-}

-- | 32 bits; in the native format as many bytes as it needs.
word32 :: Codec Word32
word32 = sizedWord "Word32" NativeW.word32 NativeR.word32
{-# INLINE word32 #-}

-- | 64 bits; in the native format as many bytes as it needs.
word64 :: Codec Word64
word64 = sizedWord "Word64" NativeW.word64 NativeR.word64
{-# INLINE word64 #-}

-- | A signed integer of at most 64 bits, by the name of its type.
sizedInt :: (Bounded a, Integral a) => Text -> Writer a -> NativeReader a -> Codec a
sizedInt name = \nativeW nativeR ->
  whole Json.sizedIntW (Json.sizedIntR name) . keyed $
    uniform
      Shape.bounded
      Json.sizedIntW
      (Json.sizedIntR name)
      (Binary.sizedInt name)
      nativeW
      nativeR
{-# INLINE sizedInt #-}

-- | An unsigned integer of at most 64 bits, by the name of its type.
sizedWord :: (Bounded a, Integral a) => Text -> Writer a -> NativeReader a -> Codec a
sizedWord name = \nativeW nativeR ->
  whole Json.sizedWordW (Json.sizedWordR name) . keyed $
    uniform
      Shape.bounded
      Json.sizedWordW
      (Json.sizedWordR name)
      (Binary.sizedWord name)
      nativeW
      nativeR
{-# INLINE sizedWord #-}

-- | An integer of any size, within the limit of digits.
integer :: Codec Integer
integer =
  directly (integerD Json.integerW Json.integerR) . keyed $
    uniform
      (ShapeOf (Shape.Integer Nothing Nothing))
      Json.integerW
      Json.integerR
      Binary.integer
      NativeW.integer
      NativeR.integer
{-# INLINE integer #-}

-- | The same from 0 on.
natural :: Codec Natural
natural =
  keyed
    ( uniform
        (ShapeOf (Shape.Integer (Just 0) Nothing))
        Json.naturalW
        Json.naturalR
        Binary.natural
        NativeW.natural
        NativeR.natural
    )
{-# INLINE natural #-}

-- | An integer whose documents are numbers.
whole :: (Integral a) => Writer a -> Reader a -> CodecIn fs a -> CodecIn fs a
whole writer reader = directly (integral writer reader)
{-# INLINE whole #-}

-- * Reals

-- | A floating-point number of 64 bits. In JSON it has the fewest digits that give it back.
double :: Codec Double
double =
  listed
    doubles
    ( uniform
        (ShapeOf (Shape.Floating 64))
        Json.doubleW
        Json.doubleR
        Binary.double
        NativeW.double
        NativeR.double
    )
      { codecKey = Json.realKey Json.doubleW Json.doubleR,
        codecDirect = directDouble
      }
{-# INLINE double #-}

directDouble :: Direct Double
directDouble = doubleD Json.doubleW Json.doubleR
{-# NOINLINE directDouble #-}

-- | A floating-point number of 32 bits, likewise.
float :: Codec Float
float =
  ( uniform
      (ShapeOf (Shape.Floating 32))
      Json.floatW
      Json.floatR
      Binary.float
      NativeW.float
      NativeR.float
  )
    { codecKey = Json.realKey Json.floatW Json.floatR
    }
{-# INLINE float #-}

-- * Truth and text

-- | True or false.
bool :: Codec Bool
bool =
  listed bools . directly boolD . keyed $
    uniform
      (ShapeOf Shape.Boolean)
      Json.boolW
      Json.boolR
      Binary.bool
      NativeW.bool
      NativeR.bool
{-# INLINE bool #-}

-- | Text, in UTF-8.
text :: Codec Text
text =
  (uniform (ShapeOf Shape.Text) Json.textW Json.textR Binary.text NativeW.text NativeR.text)
    { codecKey = TextKey id Right,
      codecList = Just (trusted texts),
      codecDirect = textD
    }
{-# INLINE text #-}

-- | The same in chunks; it is read as one.
lazyText :: Codec TL.Text
lazyText =
  ( uniform
      (ShapeOf Shape.Text)
      Json.lazyTextW
      Json.lazyTextR
      Binary.lazyText
      nativeW
      (TL.fromStrict <$> NativeR.text)
  )
    { codecKey = TextKey TL.toStrict (Right . TL.fromStrict)
    }
  where
    nativeW = contramapWriter TL.toStrict NativeW.text
{-# INLINE lazyText #-}

-- | A string of one character; a list of them is a 'string'.
char :: Codec Char
char =
  (uniform (ShapeOf Shape.Character) Json.charW Json.charR Binary.char NativeW.char NativeR.char)
    { codecKey = TextKey T.singleton oneCharacter,
      codecList = Just (trusted string)
    }
{-# INLINE char #-}

-- | A list of characters, written as text.
string :: Codec String
string =
  ( uniform
      (ShapeOf Shape.Text)
      Json.stringW
      Json.stringR
      Binary.string
      nativeW
      (T.unpack <$> NativeR.text)
  )
    { codecKey = TextKey T.pack (Right . T.unpack)
    }
  where
    nativeW = contramapWriter T.pack NativeW.text
{-# INLINE string #-}

oneCharacter :: Text -> Either Text Char
oneCharacter key = case T.uncons key of
  Just (c, rest) | T.null rest -> Right c
  _ -> Left "expected a key of one character"

-- | The value that says nothing: in JSON an empty array.
unit :: Codec ()
unit =
  plain
    (ShapeOf Shape.Unit)
    Json.unitW
    Json.unitR
    (unitW @MessagePack)
    (unitR @MessagePack)
    (unitW @Cbor)
    (unitR @Cbor)
    nativeW
    nativeR
  where
    nativeW = Native.oneOfW (Native.option Native.noFields)
    nativeR = Native.oneOf (Native.alternative (pure ()))
{-# INLINE unit #-}

-- * Lists

-- | A type whose lists are common: their codec is compiled here, once, and not in
-- every field. Measured: a record of ten lists of 'Int' costs the compiler a third.
listed :: Codec [a] -> Codec a -> Codec a
listed list a = a {codecList = Just (trusted list)}
{-# INLINE listed #-}

ints :: Codec [Int]
ints = arrayOf int

doubles :: Codec [Double]
doubles = arrayOf double

bools :: Codec [Bool]
bools = arrayOf bool

texts :: Codec [Text]
texts = arrayOf text
