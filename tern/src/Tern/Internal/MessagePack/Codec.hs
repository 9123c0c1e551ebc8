{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | MessagePack as a format of values: what "Tern.Internal.Binary.Syntax" and its neighbours want
-- of it.
module Tern.Internal.MessagePack.Codec
  ( MessagePack,
  )
where

import GHC.Exts
import Tern.Internal.Ahead (ahead)
import Tern.Internal.Binary.Record (Keys, Records (..), restOf)
import Tern.Internal.Binary.Scalar (Scalars (..))
import Tern.Internal.Binary.Sum
  ( Constructors,
    Sums (..),
    Tagged,
    contentsBy,
    nameBy,
    restBy,
    taggedBy,
  )
import Tern.Internal.Binary.Syntax (Syntax (..))
import Tern.Internal.MessagePack.Read qualified as Read
import Tern.Internal.MessagePack.Write qualified as Write
import Tern.Internal.Read (Context, Step)
import Tern.Internal.Record (Slots, Table)
import Tern.Internal.Write (Writer (..), toFill, write)
import Tern.Prim.Buffer (Fill)
import Tern.Prim.Literal (Constant)
import Tern.Prim.MessagePack qualified as Prim

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
aheadOf frame ctx e c s =
  ahead Read.skip (\seen depth -> Prim.skipSeenValue seen frame depth) ctx e c s
{-# NOINLINE aheadOf #-}

instance Records MessagePack where
  readRest = restOfRecord
  {-# INLINE readRest #-}

-- NOINLINE: each is one function of the library, which derived code calls. With all of
-- its arguments: only so is what is the same in all formats inlined in it. Proof: the
-- allocation ceilings "fields in any order" and "a sum".
restOfRecord ::
  Keys ->
  Table ->
  Slots ->
  Addr# ->
  Int# ->
  Int# ->
  Context ->
  Addr# ->
  Addr# ->
  State# RealWorld ->
  (# State# RealWorld, Addr# #)
restOfRecord keys fields slots start i k ctx e c s =
  restOf @MessagePack keys fields slots start i k ctx e c s
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
taggedOf tagKey contentsKey known ctx e c s =
  taggedBy @MessagePack tagKey contentsKey known ctx e c s
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

instance Scalars MessagePack where
  intW = Write.int
  {-# INLINE intW #-}
  intStep = readInt
  {-# INLINE intStep #-}
  wordW = Write.word
  {-# INLINE wordW #-}
  wordStep = readWord
  {-# INLINE wordStep #-}
  intWithin = Read.intWithin
  {-# INLINE intWithin #-}
  wordWithin = Read.wordWithin
  {-# INLINE wordWithin #-}
  integerW = FillWriter pokeInteger
  {-# INLINE integerW #-}
  integerStep = readInteger
  {-# INLINE integerStep #-}
  doubleW = Write.float64
  {-# INLINE doubleW #-}
  doubleStep = Read.double
  {-# INLINE doubleStep #-}
  floatW = Write.float32
  {-# INLINE floatW #-}
  floatStep = Read.float
  {-# INLINE floatStep #-}
  boolW = Write.bool
  {-# INLINE boolW #-}
  boolStep = Read.bool
  {-# INLINE boolStep #-}
  textW = Write.text
  {-# INLINE textW #-}

-- | NOINLINE: a record of a hundred of them is a hundred calls, as in
-- "Tern.Internal.Json.Codec".
readInt :: Step Int
readInt = Read.int
{-# NOINLINE readInt #-}

readWord :: Step Word
readWord = Read.word
{-# NOINLINE readWord #-}

-- | One of MessagePack's integers from -2^63 to 2^64 - 1, and beyond that binary data, the
-- two's complement in as few bytes as hold it, the highest first.
pokeInteger :: Integer -> Fill
pokeInteger n mba op s
  | n >= toInteger (minBound :: Int),
    n <= toInteger (maxBound :: Int) =
      toFill (write Write.int (fromInteger n)) mba op s
  | n > 0, n <= toInteger (maxBound :: Word) = toFill (write Write.word (fromInteger n)) mba op s
  | otherwise = toFill (write Write.binary (Prim.integerBytes n)) mba op s
{-# NOINLINE pokeInteger #-}

-- | Any integer in any format. Linear time.
readInteger :: Step Integer
readInteger _ e c s = case Read.isBinary e c of
  1# -> case Read.binHeader e c s of
    (# s1, body, n #) -> case Prim.integerAt body n s1 of
      (# s2, i #) -> (# s2, plusAddr# body n, i #)
  _ -> case Read.integer e c s of
    (# s1, c1, w, 0# #) -> (# s1, c1, toInteger (W# w) #)
    (# s1, c1, w, _ #) -> (# s1, c1, toInteger (I# (word2Int# w)) #)
{-# NOINLINE readInteger #-}
