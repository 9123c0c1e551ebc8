{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Haskell's scalar types in any binary format: a table of writers and readers, under
-- the names that "Tern.Internal.Json.Codec" has for JSON's.
--
-- The idea: a format says how it has integers, reals, truth and text ('Scalars');
-- everything else is made of these. INLINE where a codec is a thin shell around a call.
module Tern.Internal.Binary.Scalar
  ( Scalars (..),
    Binary (..),

    -- * Integers
    int,
    word,
    sizedInt,
    sizedWord,
    integer,
    natural,

    -- * Reals
    double,
    float,

    -- * Truth and text
    bool,
    text,
    lazyText,
    string,
    char,
  )
where

import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Lazy qualified as TL
import Numeric.Natural (Natural)
import Tern.Error (Expected (..), Reason (..))
import Tern.Internal.Binary.Syntax (Syntax (..))
import Tern.Internal.Read (Reader (..), Step, failAt)
import Tern.Internal.Write (Writer, contramapWriter)

-- | How a format has the types of which the others are made.
class (Syntax f) => Scalars f where
  intW :: Writer Int
  intStep :: Step Int
  wordW :: Writer Word
  wordStep :: Step Word

  -- | An integer between two, by the name of their type.
  intWithin :: Text -> Int -> Int -> Step Int

  -- | An integer from 0 to a largest one, by the name of their type.
  wordWithin :: Text -> Word -> Step Word

  -- | Any integer. The format's mapping says how one beyond its own is written.
  integerW :: Writer Integer

  -- | Any integer. Linear time.
  integerStep :: Step Integer

  -- | The bits of a number come back.
  doubleW :: Writer Double

  doubleStep :: Step Double
  floatW :: Writer Float
  floatStep :: Step Float
  boolW :: Writer Bool
  boolStep :: Step Bool
  textW :: Writer Text

-- | A type's writer and reader in the format @f@. Neither is evaluated with the other: a type
-- may be within itself.
data Binary f a = Binary (Writer a) (Reader a)

-- * Integers

-- | An integer of 64 bits. One beyond them is 'OutOfRange'.
int :: forall f. (Scalars f) => Binary f Int
int = Binary (intW @f) (Reader (intStep @f))
{-# INLINE int #-}

-- | An integer from 0 to 2^64 - 1. Any other is 'OutOfRange'.
word :: forall f. (Scalars f) => Binary f Word
word = Binary (wordW @f) (Reader (wordStep @f))
{-# INLINE word #-}

-- | A signed integer of at most 64 bits, by the name of its type.
sizedInt :: forall f a. (Scalars f, Integral a, Bounded a) => Text -> Binary f a
sizedInt name = Binary (contramapWriter fromIntegral (intW @f)) $ Reader $ \ctx e c s ->
  case intWithin @f name (fromIntegral (minBound :: a)) (fromIntegral (maxBound :: a)) ctx e c s of
    (# s1, c1, i #) -> case fromIntegral i of !a -> (# s1, c1, a #)
{-# INLINE sizedInt #-}

-- | An unsigned integer of at most 64 bits, by the name of its type.
sizedWord :: forall f a. (Scalars f, Integral a, Bounded a) => Text -> Binary f a
sizedWord name = Binary (contramapWriter fromIntegral (wordW @f)) $ Reader $ \ctx e c s ->
  case wordWithin @f name (fromIntegral (maxBound :: a)) ctx e c s of
    (# s1, c1, w #) -> case fromIntegral w of !a -> (# s1, c1, a #)
{-# INLINE sizedWord #-}

-- | Any integer. One beyond the format's own has its bytes in a string, as the mapping says.
integer :: forall f. (Scalars f) => Binary f Integer
integer = Binary (integerW @f) (Reader (integerStep @f))
{-# INLINE integer #-}

-- | As 'integer', from 0 on. One below 0 is 'OutOfRange'.
natural :: forall f. (Scalars f) => Binary f Natural
natural = Binary (contramapWriter toInteger (integerW @f)) $ Reader $ \ctx e c s ->
  case integerStep @f ctx e c s of
    (# s1, c1, n #)
      | n >= 0, !k <- fromInteger n -> (# s1, c1, k #)
      | otherwise -> failAt c (OutOfRange (T.pack "Natural")) s1
{-# INLINE natural #-}

-- * Reals

-- | Its bits come back. Reals of fewer bits are read as well, and integers, rounded to the nearest.
double :: forall f. (Scalars f) => Binary f Double
double = Binary (doubleW @f) (Reader (doubleStep @f))
{-# INLINE double #-}

-- | Its bits come back. Reals of any width are read, and integers, rounded to the nearest.
float :: forall f. (Scalars f) => Binary f Float
float = Binary (floatW @f) (Reader (floatStep @f))
{-# INLINE float #-}

-- * Truth and text

-- | One byte, which stands for nothing else in the format. No number is read as one.
bool :: forall f. (Scalars f) => Binary f Bool
bool = Binary (boolW @f) (Reader (boolStep @f))
{-# INLINE bool #-}

-- | UTF-8, which is checked when it is read. What is read is a copy.
text :: forall f. (Scalars f) => Binary f Text
text = Binary (textW @f) (Reader (readText @f))
{-# INLINE text #-}

-- | As 'text'. What is written is made one strict text first; what is read has one chunk at most.
lazyText :: forall f. (Scalars f) => Binary f TL.Text
lazyText =
  Binary (contramapWriter TL.toStrict (textW @f)) (fmap TL.fromStrict (Reader (readText @f)))
{-# INLINE lazyText #-}

-- | A 'String' as a text; surrogates, which UTF-8 cannot hold, as U+FFFD.
string :: forall f. (Scalars f) => Binary f String
string = Binary (contramapWriter T.pack (textW @f)) (fmap T.unpack (Reader (readText @f)))
{-# INLINE string #-}

-- | A text of one character.
char :: forall f. (Scalars f) => Binary f Char
char = Binary (contramapWriter T.singleton (textW @f)) $ Reader $ \ctx e c s ->
  case readText @f ctx e c s of
    (# s1, c1, t #) -> case T.uncons t of
      Just (!a, others) | T.null others -> (# s1, c1, a #)
      _ -> failAt c (Unexpected ACharacter) s1
{-# INLINE char #-}
