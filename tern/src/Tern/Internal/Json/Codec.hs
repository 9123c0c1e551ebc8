{-# LANGUAGE MagicHash #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE UnboxedTuples #-}

-- | How Haskell's scalar types are written and read as JSON: codecs as values.
--
-- Every name stands for two things, a writer (@intW@) and a reader (@intR@).
-- The instances of 'Tern.Wire.Wire' name them, and codecs by hand use the same
-- ones. Containers are in "Tern.Internal.Json.Container".
--
-- INLINE where a codec is a thin shell around a call: the shell unpacks what
-- the call gets and boxes what it returns, so that a strict field is never
-- boxed. Proof: the allocation ceiling "a mixed record".
module Tern.Internal.Json.Codec
  ( -- * Integers
    intW,
    intR,
    wordW,
    wordR,
    sizedIntW,
    sizedIntR,
    sizedWordW,
    sizedWordR,
    integerW,
    integerR,
    naturalW,
    naturalR,

    -- * Reals
    doubleW,
    doubleR,
    floatW,
    floatR,

    -- * Truth and text
    boolW,
    boolR,
    textW,
    textR,
    lazyTextW,
    lazyTextR,
    stringW,
    stringR,
    charW,
    charR,
  )
where

import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Array qualified as TA
import Data.Text.Internal (Text (..))
import Data.Text.Lazy qualified as TL
import GHC.Exts
import Numeric.Natural (Natural)
import Tern.Error (Expected (..), Reason (..))
import Tern.Internal.Json.Number
  ( boundedInteger,
    pokeDouble,
    pokeFloat,
    pokeInteger,
    readDouble,
    readFloat,
    readInteger,
    realBound,
  )
import Tern.Internal.Json.Read qualified as Json
import Tern.Internal.Json.Text (pokeText)
import Tern.Internal.Read (Reader (..), Step, failAt)
import Tern.Internal.Write (Writer (..), contramapWriter)
import Tern.Prim.Decimal qualified as Decimal

-- * Integers

-- | Digits, with a minus sign before them for what is below 0: at most 'Decimal.intBound' bytes.
intW :: Writer Int
intW = BoundedWriter Decimal.intBound (\(I# i) -> Decimal.pokeInt i)
{-# INLINE intW #-}

-- | From any number that is an integer, @1.0@ and @1e3@ too. One beyond 64 bits is 'OutOfRange'.
intR :: Reader Int
intR = Reader readInt
{-# INLINE intR #-}

-- | NOINLINE, and so for the other numbers: a record of a hundred of them is a
-- hundred calls, and the number is boxed for its slot anyway.
readInt :: Step Int
readInt ctx e c s = case Decimal.readIntHere e c of
  (# c1, i #) -> case eqAddr# c1 nullAddr# of
    1# -> otherInt ctx e c s
    _ -> (# s, c1, I# i #)
{-# OPAQUE readInt #-}

-- | What is not read at once: an integer after white space, of 19 digits, or with a point
-- or an exponent; or what is no integer.
otherInt :: Step Int
otherInt ctx e c0 s =
  let !c = Json.skipSpace e c0
   in case Decimal.readInt e c of
        (# c1, i #) -> case eqAddr# c1 nullAddr# of
          1# ->
            case boundedInteger
              "Int"
              ( toInteger
                  (minBound :: Int)
              )
              (toInteger (maxBound :: Int))
              ctx
              e
              c
              s of
              (# s1, c2, n #) -> case fromInteger n of !k -> (# s1, c2, k #)
          _ -> (# s, c1, I# i #)
{-# NOINLINE otherInt #-}

-- | Digits, at most 'Decimal.intBound' of them.
wordW :: Writer Word
wordW = BoundedWriter Decimal.intBound (\(W# w) -> Decimal.pokeWord w)
{-# INLINE wordW #-}

-- | As 'intR', from 0 to 2^64 - 1.
wordR :: Reader Word
wordR = Reader $ \ctx e c s -> case Decimal.readWord e c of
  (# c1, w #) -> case eqAddr# c1 nullAddr# of
    1# -> otherWord ctx e c s
    _ -> (# s, c1, W# w #)
{-# INLINE wordR #-}

otherWord :: Step Word
otherWord ctx e c0 s =
  let !c = Json.skipSpace e c0
   in case Decimal.readWord e c of
        (# c1, w #) -> case eqAddr# c1 nullAddr# of
          1# -> case boundedInteger "Word" 0 (toInteger (maxBound :: Word)) ctx e c s of
            (# s1, c2, n #) -> case fromInteger n of !k -> (# s1, c2, k #)
          _ -> (# s, c1, W# w #)
{-# NOINLINE otherWord #-}

-- | A signed integer that fits an 'Int'.
sizedIntW :: (Integral a) => Writer a
sizedIntW = contramapWriter fromIntegral intW
{-# INLINE sizedIntW #-}

-- | A signed integer of at most 64 bits, by the name of its type.
sizedIntR :: forall a. (Integral a, Bounded a) => Text -> Reader a
sizedIntR name = Reader $ \ctx e c s -> case Decimal.readInt e c of
  (# c1, i #)
    | isTrue# (eqAddr# c1 nullAddr#) -> other ctx e c s
    | I# i >= fromIntegral (minBound :: a),
      I# i <= fromIntegral (maxBound :: a),
      !a <- fromIntegral (I# i) ->
        (# s, c1, a #)
    | otherwise -> other ctx e c s
  where
    other
      ctx
      e
      c
      s =
        case boundedInteger
          name
          ( toInteger
              (minBound :: a)
          )
          (toInteger (maxBound :: a))
          ctx
          e
          c
          s of
          (# s1, c1, n #) -> case fromInteger n of !a -> (# s1, c1, a #)
    {-# NOINLINE other #-}
{-# INLINE sizedIntR #-}

-- | An unsigned integer that fits a 'Word'.
sizedWordW :: (Integral a) => Writer a
sizedWordW = contramapWriter fromIntegral wordW
{-# INLINE sizedWordW #-}

-- | An unsigned integer of at most 64 bits, by the name of its type.
sizedWordR :: forall a. (Integral a, Bounded a) => Text -> Reader a
sizedWordR name = Reader $ \ctx e c s -> case Decimal.readWord e c of
  (# c1, w #)
    | isTrue# (eqAddr# c1 nullAddr#) -> other ctx e c s
    | W# w <= fromIntegral (maxBound :: a), !a <- fromIntegral (W# w) -> (# s, c1, a #)
    | otherwise -> other ctx e c s
  where
    other ctx e c s = case boundedInteger name 0 (toInteger (maxBound :: a)) ctx e c s of
      (# s1, c1, n #) -> case fromInteger n of !a -> (# s1, c1, a #)
    {-# NOINLINE other #-}
{-# INLINE sizedWordR #-}

-- | Any integer, digit for digit.
integerW :: Writer Integer
integerW = FillWriter pokeInteger
{-# INLINE integerW #-}

-- | From any number that is an integer, of any size. Digits are limited by @maxDigits@, those that
-- an exponent adds too.
integerR :: Reader Integer
integerR = Reader readInteger
{-# INLINE integerR #-}

-- | As 'integerW'.
naturalW :: Writer Natural
naturalW = contramapWriter toInteger integerW
{-# INLINE naturalW #-}

-- | As 'integerR', from 0 on. One below 0 is 'OutOfRange'.
naturalR :: Reader Natural
naturalR = Reader $ \ctx e c s -> case readInteger ctx e c s of
  (# s1, c1, n #)
    | n >= 0, !k <- fromInteger n -> (# s1, c1, k #)
    | otherwise -> failAt (Json.skipSpace e c) (OutOfRange "Natural") s1

-- * Reals

-- | The fewest digits that read back as the same number. What is not finite is @null@ or a string
-- ("Tern.Internal.Json.Number").
doubleW :: Writer Double
doubleW = BoundedWriter realBound pokeDouble
{-# INLINE doubleW #-}

-- | The nearest to the digits; beyond the range an infinity or zero. What 'doubleW' writes for what
-- is not finite is read too.
doubleR :: Reader Double
doubleR = Reader readDouble
{-# INLINE doubleR #-}

-- | As 'doubleW', with the fewest digits that read back as the same 'Float'.
floatW :: Writer Float
floatW = BoundedWriter realBound pokeFloat
{-# INLINE floatW #-}

-- | As 'doubleR', rounded once: no double is in between.
floatR :: Reader Float
floatR = Reader readFloat
{-# INLINE floatR #-}

-- * Truth and text

-- | @true@ or @false@.
boolW :: Writer Bool
boolW = BoundedWriter 5 pokeBool
{-# INLINE boolW #-}

-- | NOINLINE: a branch inside a record's run would be followed by two copies
-- of the rest.
pokeBool :: Bool -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr# #)
pokeBool b op s =
  -- Both words are written whole; the length decides what counts.
  case dataToTag# b of
    tag -> case writeWord32OffAddr# op 0# (wordToWord32# (word tag)) s of
      s1 -> case writeWord8OffAddr# op 4# (wordToWord8# 101##) s1 of
        s2 -> (# s2, plusAddr# op (5# -# tag) #)
  where
    -- "fals" and "true", chosen without a branch.
    word tag =
      0x736c6166## `xor#` (int2Word# (negateInt# tag) `and#` (0x736c6166## `xor#` 0x65757274##))
{-# NOINLINE pokeBool #-}

-- | @true@ or @false@. Nothing else stands for them.
boolR :: Reader Bool
boolR = Reader Json.bool
{-# INLINE boolR #-}

-- | A string, escaped where RFC 8259 (section 7) asks for it.
textW :: Writer Text
textW = FillWriter (\(Text (TA.ByteArray array) (I# off) (I# n)) -> pokeText array off n)
{-# INLINE textW #-}

-- | A string with its escapes undone, and checked to be UTF-8. What is read is a copy.
textR :: Reader Text
textR = Reader Json.text
{-# INLINE textR #-}

-- | As 'textW', of one strict text that is made first.
lazyTextW :: Writer TL.Text
lazyTextW = contramapWriter TL.toStrict textW

-- | As 'textR', in one chunk at most.
lazyTextR :: Reader TL.Text
lazyTextR = fmap TL.fromStrict textR

-- | A 'String' as a string; surrogates, which UTF-8 cannot hold, as U+FFFD.
stringW :: Writer String
stringW = contramapWriter T.pack textW

-- | As 'textR'. The list is made of a whole text.
stringR :: Reader String
stringR = fmap T.unpack textR

-- | A string of one character.
charW :: Writer Char
charW = contramapWriter T.singleton textW

-- | A string of one character, when its escapes are undone. Another is refused where it begins.
charR :: Reader Char
charR = Reader $ \ctx e c s -> case Json.text ctx e c s of
  (# s1, c1, text #) -> case T.uncons text of
    Just (!char, rest) | T.null rest -> (# s1, c1, char #)
    _ -> failAt (Json.skipSpace e c) (Unexpected ACharacter) s1
