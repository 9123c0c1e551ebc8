{-# LANGUAGE MagicHash #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE UnboxedTuples #-}

-- | CBOR as a format of values: what "Tern.Binary.Syntax" wants of it, and how
-- Haskell's scalar types are written and read.
--
-- INLINE where a codec is a thin shell around a call, as in "Tern.Json.Codec".
module Tern.Cbor.Codec
  ( Cbor,

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
import Tern.Cbor.Read qualified as Read
import Tern.Cbor.Write qualified as Write
import Tern.Error
import Tern.Prim.Buffer (Fill)
import Tern.Prim.Cbor qualified as Prim
import Tern.Prim.Literal (Constant)
import Tern.Read
import Tern.Record (Slots, Table)
import Tern.Write

-- * The format

-- | The format CBOR, by its name.
data Cbor

instance Syntax Cbor where
  nothingByte = 0xf6
  {-# INLINE nothingByte #-}
  isNothing e c = Read.isNull e c `orI#` Read.isUndefined e c
  {-# INLINE isNothing #-}
  fewest = (23, 0x80)
  {-# INLINE fewest #-}
  arrayHeaderW = Write.arrayHeader
  {-# INLINE arrayHeaderW #-}
  mapHeaderW = Write.mapHeader
  {-# INLINE mapHeaderW #-}
  arrayOf = Write.arrayOf
  {-# INLINE arrayOf #-}
  mapOf = Write.mapOf
  {-# INLINE mapOf #-}
  maxCount = maxBound
  {-# INLINE maxCount #-}
  constant = Write.constant
  {-# INLINE constant #-}
  constantSize = Prim.constantSize
  {-# INLINE constantSize #-}
  matchesConstant = Prim.matchesConstant
  {-# INLINE matchesConstant #-}
  mapByte n = (# n <# 24#, 0xa0## `or#` int2Word# n #)
  {-# INLINE mapByte #-}
  arrayHeader = Read.arrayHeader
  {-# INLINE arrayHeader #-}
  mapHeader = Read.mapHeader
  {-# INLINE mapHeader #-}
  closed = Read.closed
  {-# INLINE closed #-}
  readText = Read.text
  {-# INLINE readText #-}
  isText = Read.isText
  {-# INLINE isText #-}
  isOpenText = Read.isOpen
  {-# INLINE isOpenText #-}
  textHeader = Read.textHeader
  {-# INLINE textHeader #-}
  isInteger = Read.isInteger
  {-# INLINE isInteger #-}
  keyInteger e c s = case Read.integer e c s of
    (# s1, c1, w, negative #) -> (# s1, c1, word2Int# (w `xor#` int2Word# (negateInt# negative)), word2Int# w >=# 0# #)
  {-# INLINE keyInteger #-}
  skip = Read.skip
  {-# INLINE skip #-}
  skipAhead = aheadOf
  {-# INLINE skipAhead #-}

aheadOf :: Addr# -> Step ()
aheadOf frame ctx e c s = ahead Read.skip (\seen depth -> Prim.skipSeenValue seen frame depth) ctx e c s
{-# NOINLINE aheadOf #-}

instance Records Cbor where
  readRest = restOfRecord
  {-# INLINE readRest #-}

-- NOINLINE: each is one function of the library, which derived code calls. With all of
-- its arguments: only so is what is the same in all formats inlined in it. Proof: the
-- allocation ceilings "fields in any order" and "a sum".
restOfRecord :: Keys -> Table -> Slots -> Addr# -> Int# -> Int# -> Context -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr# #)
restOfRecord keys fields slots start i k ctx e c s = restOf @Cbor keys fields slots start i k ctx e c s
{-# NOINLINE restOfRecord #-}

instance Sums Cbor where
  tagged = taggedOf
  {-# INLINE tagged #-}
  name = nameOf
  {-# INLINE name #-}
  contents = contentsOf
  {-# INLINE contents #-}
  rest = restOfMap
  {-# INLINE rest #-}

taggedOf :: Constant -> Constant -> Constructors -> Step Tagged
taggedOf tagKey contentsKey known ctx e c s = taggedBy @Cbor tagKey contentsKey known ctx e c s
{-# NOINLINE taggedOf #-}

nameOf :: Constructors -> Step Int
nameOf known ctx e c s = nameBy @Cbor known ctx e c s
{-# NOINLINE nameOf #-}

contentsOf :: Constant -> Addr# -> Int# -> Step Int
contentsOf contentsKey start k ctx e c s = contentsBy @Cbor contentsKey start k ctx e c s
{-# NOINLINE contentsOf #-}

restOfMap :: Int# -> Step ()
restOfMap k ctx e c s = restBy @Cbor k ctx e c s
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

-- | Any integer: one of CBOR's from -2^64 to 2^64 - 1, and beyond that its
-- magnitude in as few bytes as hold it, with tag 2, or 3 for one below 0.
integerW :: Writer Integer
integerW = FillWriter pokeInteger
{-# INLINE integerW #-}

pokeInteger :: Integer -> Fill
pokeInteger n mba op s
  | n >= toInteger (minBound :: Int), n <= toInteger (maxBound :: Int) = toFill (write Write.int (fromInteger n)) mba op s
  | n < 0 = sized Write.negative 3 (-1 - n)
  | otherwise = sized Write.word 2 n
  where
    sized writer number k
      | k <= toInteger (maxBound :: Word) = toFill (write writer (fromInteger k)) mba op s
      | otherwise = toFill (Write.tagOf number <> write Write.bytes (Prim.naturalBytes k)) mba op s
{-# NOINLINE pokeInteger #-}

-- | Any integer of any width, and one with tag 2 or 3 of any length. Linear time.
integerR :: Reader Integer
integerR = Reader readInteger
{-# INLINE integerR #-}

readInteger :: Step Integer
readInteger ctx e c s = case Read.isTag e c of
  1# -> case Read.tagHeader e c s of
    (# s1, c1, n #) -> case n of
      2## -> magnitude id ctx e c1 s1
      3## -> magnitude (\k -> -1 - k) ctx e c1 s1
      _ -> failAt c (Unexpected AnInteger) s1
  _ -> case Read.integer e c s of
    (# s1, c1, w, 0# #) -> (# s1, c1, toInteger (W# w) #)
    (# s1, c1, w, _ #) -> (# s1, c1, -1 - toInteger (W# w) #)
{-# NOINLINE readInteger #-}

-- | The content of tag 2 or 3, in chunks or not.
magnitude :: (Integer -> Integer) -> Step Integer
magnitude sign ctx e c s = case Read.isOpen e c of
  1# -> case Read.bytes ctx e c s of
    (# s1, c1, string #) -> case sign (Prim.naturalFrom string) of !n -> (# s1, c1, n #)
  _ -> case Read.bytesHeader e c s of
    (# s1, body, n #) -> case Prim.naturalAt body n s1 of
      (# s2, k #) -> case sign k of !i -> (# s2, plusAddr# body n, i #)

naturalW :: Writer Natural
naturalW = contramapWriter toInteger integerW
{-# INLINE naturalW #-}

naturalR :: Reader Natural
naturalR = Reader $ \ctx e c s -> case readInteger ctx e c s of
  (# s1, c1, n #)
    | n >= 0, !k <- fromInteger n -> (# s1, c1, k #)
    | otherwise -> failAt c (OutOfRange "Natural") s1

-- * Reals

-- | In as few bytes as have all its bits.
doubleW :: Writer Double
doubleW = Write.double
{-# INLINE doubleW #-}

doubleR :: Reader Double
doubleR = Reader Read.double
{-# INLINE doubleR #-}

-- | In as few bytes as have all its bits.
floatW :: Writer Float
floatW = Write.float
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

-- | A 'String' as a text; surrogates, which UTF-8 cannot hold, as U+FFFD.
stringW :: Writer String
stringW = contramapWriter T.pack textW

stringR :: Reader String
stringR = fmap T.unpack textR

-- | A text of one character.
charW :: Writer Char
charW = contramapWriter T.singleton textW

charR :: Reader Char
charR = Reader $ \ctx e c s -> case Read.text ctx e c s of
  (# s1, c1, text #) -> case T.uncons text of
    Just (!char, others) | T.null others -> (# s1, c1, char #)
    _ -> failAt c (Unexpected ACharacter) s1
