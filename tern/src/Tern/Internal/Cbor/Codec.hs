{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | CBOR as a format of values: what "Tern.Internal.Binary.Syntax" and its neighbours want
-- of it.
module Tern.Internal.Cbor.Codec
  ( Cbor,
  )
where

import GHC.Exts
import Tern.Error (Expected (..), Reason (..))
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
import Tern.Internal.Cbor.Read qualified as Read
import Tern.Internal.Cbor.Write qualified as Write
import Tern.Internal.Read (Context, Step, failAt)
import Tern.Internal.Record (Slots, Table)
import Tern.Internal.Write (Writer (..), toFill, write)
import Tern.Prim.Buffer (Fill)
import Tern.Prim.Cbor qualified as Prim
import Tern.Prim.Literal (Constant)

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
    (# s1, c1, w, negative #) ->
      (# s1, c1, word2Int# (w `xor#` int2Word# (negateInt# negative)), word2Int# w >=# 0# #)
  {-# INLINE keyInteger #-}
  skip = Read.skip
  {-# INLINE skip #-}
  skipAhead = aheadOf
  {-# INLINE skipAhead #-}

aheadOf :: Addr# -> Step ()
aheadOf frame ctx e c s =
  ahead Read.skip (\seen depth -> Prim.skipSeenValue seen frame depth) ctx e c s
{-# NOINLINE aheadOf #-}

instance Records Cbor where
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
  restOf @Cbor keys fields slots start i k ctx e c s
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

instance Scalars Cbor where
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
  doubleW = Write.double
  {-# INLINE doubleW #-}
  doubleStep = Read.double
  {-# INLINE doubleStep #-}
  floatW = Write.float
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

-- | One of CBOR's integers from -2^64 to 2^64 - 1, and beyond that the magnitude in as
-- few bytes as hold it, with tag 2, or 3 for one below 0.
pokeInteger :: Integer -> Fill
pokeInteger n mba op s
  | n >= toInteger (minBound :: Int),
    n <= toInteger (maxBound :: Int) =
      toFill (write Write.int (fromInteger n)) mba op s
  | n < 0 = sized Write.negative 3 (-1 - n)
  | otherwise = sized Write.word 2 n
  where
    sized writer number k
      | k <= toInteger (maxBound :: Word) = toFill (write writer (fromInteger k)) mba op s
      | otherwise = toFill (Write.tagOf number <> write Write.bytes (Prim.naturalBytes k)) mba op s
{-# NOINLINE pokeInteger #-}

-- | Any integer of any width, and one with tag 2 or 3 of any length. Linear time.
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
