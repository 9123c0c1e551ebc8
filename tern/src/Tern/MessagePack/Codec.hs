{-# LANGUAGE MagicHash #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE UnboxedTuples #-}

-- | MessagePack as a format of values: what "Tern.Binary.Syntax" wants of it, and how
-- Haskell's scalar types are written and read, under the names that "Tern.Json.Codec"
-- has for JSON's.
--
-- INLINE where a codec is a thin shell around a call, as there.
module Tern.MessagePack.Codec
  ( MessagePack,

    -- * Integers
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
import Data.Text.Lazy qualified as TL
import GHC.Exts
import Numeric.Natural (Natural)
import Tern.Ahead (ahead)
import Tern.Binary.Record
import Tern.Binary.Sum
import Tern.Binary.Syntax
import Tern.Error
import Tern.MessagePack.Read qualified as Read
import Tern.MessagePack.Write qualified as Write
import Tern.Prim.Buffer (Fill)
import Tern.Prim.Literal (Constant)
import Tern.Prim.MessagePack qualified as Prim
import Tern.Read
import Tern.Record (Slots, Table)
import Tern.Write

-- * The format

-- | The format MessagePack, by its name.
data MessagePack

instance Syntax MessagePack where
  nothingByte = 0xc0
  {-# INLINE nothingByte #-}
  isNothing = Read.isNil
  {-# INLINE isNothing #-}
  fewest = (15, 0x90)
  {-# INLINE fewest #-}
  arrayHeaderW = Write.arrayHeader
  {-# INLINE arrayHeaderW #-}
  mapHeaderW = Write.mapHeader
  {-# INLINE mapHeaderW #-}
  arrayOf = Write.arrayOf
  {-# INLINE arrayOf #-}
  mapOf = Write.mapOf
  {-# INLINE mapOf #-}
  maxCount = Write.maxCount
  {-# INLINE maxCount #-}
  constant = Write.constant
  {-# INLINE constant #-}
  constantSize = Prim.constantSize
  {-# INLINE constantSize #-}
  matchesConstant = Prim.matchesConstant
  {-# INLINE matchesConstant #-}
  mapByte n = (# n <# 16#, 0x80## `or#` int2Word# n #)
  {-# INLINE mapByte #-}
  arrayHeader = Read.arrayHeader
  {-# INLINE arrayHeader #-}
  mapHeader = Read.mapHeader
  {-# INLINE mapHeader #-}
  closed _ c = c
  {-# INLINE closed #-}
  readText = Read.text
  {-# INLINE readText #-}
  isText = Read.isStr
  {-# INLINE isText #-}
  isOpenText _ _ = 0#
  {-# INLINE isOpenText #-}
  textHeader = Read.strHeader
  {-# INLINE textHeader #-}
  isInteger = Read.isInteger
  {-# INLINE isInteger #-}
  keyInteger e c s = case Read.integer e c s of
    -- What is not below 0 and has the highest bit is too large.
    (# s1, c1, w, negative #) -> (# s1, c1, word2Int# w, negative ==# (word2Int# w <# 0#) #)
  {-# INLINE keyInteger #-}
  skip = Read.skip
  {-# INLINE skip #-}
  skipAhead = aheadOf
  {-# INLINE skipAhead #-}

aheadOf :: Addr# -> Step ()
aheadOf frame ctx e c s = ahead Read.skip (\seen depth -> Prim.skipSeenValue seen frame depth) ctx e c s
{-# NOINLINE aheadOf #-}

instance Records MessagePack where
  readRest = restOfRecord
  {-# INLINE readRest #-}

-- NOINLINE: each is one function of the library, which derived code calls. With all of
-- its arguments: only so is what is the same in all formats inlined in it. Proof: the
-- allocation ceilings "fields in any order" and "a sum".
restOfRecord :: Keys -> Table -> Slots -> Addr# -> Int# -> Int# -> Context -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr# #)
restOfRecord keys fields slots start i k ctx e c s = restOf @MessagePack keys fields slots start i k ctx e c s
{-# NOINLINE restOfRecord #-}

instance Sums MessagePack where
  tagged = taggedOf
  {-# INLINE tagged #-}
  name = nameOf
  {-# INLINE name #-}
  contents = contentsOf
  {-# INLINE contents #-}
  rest = restOfMap
  {-# INLINE rest #-}

taggedOf :: Constant -> Constant -> Constructors -> Step Tagged
taggedOf tagKey contentsKey known ctx e c s = taggedBy @MessagePack tagKey contentsKey known ctx e c s
{-# NOINLINE taggedOf #-}

nameOf :: Constructors -> Step Int
nameOf known ctx e c s = nameBy @MessagePack known ctx e c s
{-# NOINLINE nameOf #-}

contentsOf :: Constant -> Addr# -> Int# -> Step Int
contentsOf contentsKey start k ctx e c s = contentsBy @MessagePack contentsKey start k ctx e c s
{-# NOINLINE contentsOf #-}

restOfMap :: Int# -> Step ()
restOfMap k ctx e c s = restBy @MessagePack k ctx e c s
{-# NOINLINE restOfMap #-}

-- * Integers

intW :: Writer Int
intW = Write.int
{-# INLINE intW #-}

intR :: Reader Int
intR = Reader readInt
{-# INLINE intR #-}

-- | NOINLINE: a record of a hundred of them is a hundred calls, as in
-- "Tern.Json.Codec".
readInt :: Step Int
readInt = Read.int
{-# NOINLINE readInt #-}

wordW :: Writer Word
wordW = Write.word
{-# INLINE wordW #-}

wordR :: Reader Word
wordR = Reader readWord
{-# INLINE wordR #-}

readWord :: Step Word
readWord = Read.word
{-# NOINLINE readWord #-}

-- | A signed integer that fits an 'Int'.
sizedIntW :: (Integral a) => Writer a
sizedIntW = contramapWriter fromIntegral intW
{-# INLINE sizedIntW #-}

-- | A signed integer of at most 64 bits, by the name of its type.
sizedIntR :: forall a. (Integral a, Bounded a) => Text -> Reader a
sizedIntR label = Reader $ \ctx e c s -> case Read.intWithin label (fromIntegral (minBound :: a)) (fromIntegral (maxBound :: a)) ctx e c s of
  (# s1, c1, i #) -> case fromIntegral i of !a -> (# s1, c1, a #)
{-# INLINE sizedIntR #-}

-- | An unsigned integer that fits a 'Word'.
sizedWordW :: (Integral a) => Writer a
sizedWordW = contramapWriter fromIntegral wordW
{-# INLINE sizedWordW #-}

-- | An unsigned integer of at most 64 bits, by the name of its type.
sizedWordR :: forall a. (Integral a, Bounded a) => Text -> Reader a
sizedWordR label = Reader $ \ctx e c s -> case Read.wordWithin label (fromIntegral (maxBound :: a)) ctx e c s of
  (# s1, c1, w #) -> case fromIntegral w of !a -> (# s1, c1, a #)
{-# INLINE sizedWordR #-}

-- | Any integer: one of MessagePack's from -2^63 to 2^64 - 1, and beyond that
-- binary data, the two's complement in as few bytes as hold it, the highest
-- first.
integerW :: Writer Integer
integerW = FillWriter pokeInteger
{-# INLINE integerW #-}

pokeInteger :: Integer -> Fill
pokeInteger n mba op s
  | n >= toInteger (minBound :: Int), n <= toInteger (maxBound :: Int) = toFill (write Write.int (fromInteger n)) mba op s
  | n > 0, n <= toInteger (maxBound :: Word) = toFill (write Write.word (fromInteger n)) mba op s
  | otherwise = toFill (write Write.binary (Prim.integerBytes n)) mba op s
{-# NOINLINE pokeInteger #-}

-- | Any integer in any format. Linear time.
integerR :: Reader Integer
integerR = Reader readInteger
{-# INLINE integerR #-}

readInteger :: Step Integer
readInteger _ e c s = case Read.isBinary e c of
  1# -> case Read.binHeader e c s of
    (# s1, body, n #) -> case Prim.integerAt body n s1 of
      (# s2, i #) -> (# s2, plusAddr# body n, i #)
  _ -> case Read.integer e c s of
    (# s1, c1, w, 0# #) -> (# s1, c1, toInteger (W# w) #)
    (# s1, c1, w, _ #) -> (# s1, c1, toInteger (I# (word2Int# w)) #)
{-# NOINLINE readInteger #-}

naturalW :: Writer Natural
naturalW = contramapWriter toInteger integerW
{-# INLINE naturalW #-}

naturalR :: Reader Natural
naturalR = Reader $ \ctx e c s -> case readInteger ctx e c s of
  (# s1, c1, n #)
    | n >= 0, !k <- fromInteger n -> (# s1, c1, k #)
    | otherwise -> failAt c (OutOfRange "Natural") s1

-- * Reals

-- | Eight bytes, bit for bit.
doubleW :: Writer Double
doubleW = Write.float64
{-# INLINE doubleW #-}

doubleR :: Reader Double
doubleR = Reader Read.double
{-# INLINE doubleR #-}

-- | Four bytes, bit for bit.
floatW :: Writer Float
floatW = Write.float32
{-# INLINE floatW #-}

floatR :: Reader Float
floatR = Reader Read.float
{-# INLINE floatR #-}

-- * Truth and text

boolW :: Writer Bool
boolW = Write.bool
{-# INLINE boolW #-}

boolR :: Reader Bool
boolR = Reader Read.bool
{-# INLINE boolR #-}

textW :: Writer Text
textW = Write.text
{-# INLINE textW #-}

textR :: Reader Text
textR = Reader Read.text
{-# INLINE textR #-}

lazyTextW :: Writer TL.Text
lazyTextW = contramapWriter TL.toStrict textW

lazyTextR :: Reader TL.Text
lazyTextR = fmap TL.fromStrict textR

-- | A 'String' as a string; surrogates, which UTF-8 cannot hold, as U+FFFD.
stringW :: Writer String
stringW = contramapWriter T.pack textW

stringR :: Reader String
stringR = fmap T.unpack textR

-- | A string of one character.
charW :: Writer Char
charW = contramapWriter T.singleton textW

charR :: Reader Char
charR = Reader $ \ctx e c s -> case Read.text ctx e c s of
  (# s1, c1, text #) -> case T.uncons text of
    Just (!char, others) | T.null others -> (# s1, c1, char #)
    _ -> failAt c (Unexpected ACharacter) s1
