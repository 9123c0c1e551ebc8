{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
{-# LANGUAGE UnliftedFFITypes #-}

-- | What CBOR wants of memory: texts that are known when a program is compiled,
-- large integers, floating-point numbers of two bytes, and stepping over an item,
-- which is written in C (@cbits\/tern_cbor.c@).
--
-- A caller owes addresses of memory that it keeps alive. The foreign calls are
-- unsafe ones: they do not call back, and an array that is passed cannot move
-- while they run.
module Tern.Prim.Cbor
  ( -- * Heads
    pokeHead,

    -- * Constant texts
    constantSize,
    pokeConstant,
    matchesConstant,

    -- * Large integers
    naturalAt,
    naturalFrom,
    naturalBytes,

    -- * Floating-point numbers of two bytes
    halfToDouble,
    doubleToHalf,
    doubleToSingle,

    -- * Stepping over an item
    skipValue,
    shallow,
    skipDeepValue,
    skipSeenValue,

    -- * Counting
    countItems,
    countSeenItems,
  )
where

import Data.Bits (shiftL, shiftR, testBit, (.&.), (.|.))
import Data.ByteString (ByteString)
import Data.ByteString.Internal (unsafeCreate)
import Data.ByteString.Unsafe (unsafeUseAsCStringLen)
import Data.Word (Word16, Word32)
import Foreign.Ptr (Ptr)
import GHC.Exts hiding (Ptr)
import GHC.Exts qualified as Exts
import GHC.Float
  ( castDoubleToWord64,
    castFloatToWord32,
    castWord64ToDouble,
    double2Float,
    float2Double,
  )
import GHC.IO (IO (..), unsafeDupablePerformIO)
import GHC.Num.Integer (integerFromAddr#, integerSizeInBase#, integerToAddr#)
import GHC.Word (Word64 (..))
import Tern.Prim.BigEndian (load16, store16, store64)
import Tern.Prim.Buffer (Poke)
import Tern.Prim.Literal qualified as Literal

-- * Heads

-- | A head in the fewest bytes: the major type in the highest three bits of the
-- first byte, and its argument. All nine bytes are written.
pokeHead :: Word# -> Word# -> Poke
pokeHead major n op s = case ltWord# n 24## of
  1# -> case writeWord8OffAddr# op 0# (wordToWord8# (major `or#` n)) s of
    s1 ->
      (# s1, plusAddr# op 1# #)
  _ ->
    let !k = gtWord# n 0xff## +# gtWord# n 0xffff## +# gtWord# n 0xffffffff##
        !width = uncheckedIShiftL# 1# k
     in case writeWord8OffAddr# op 0# (wordToWord8# (major `or#` int2Word# (24# +# k))) s of
          s1 ->
            case store64
              (plusAddr# op 1#)
              ( uncheckedShiftL#
                  n
                  (64# -# uncheckedIShiftL# width 3#)
              )
              s1 of
              s2 -> (# s2, plusAddr# op (1# +# width) #)
{-# INLINE pokeHead #-}

-- * Constant texts

-- A text that is known when a program is compiled, as an item in its fewest
-- bytes. The rules are those of "Tern.Prim.Literal", for the same reason: until
-- the length is a constant nothing is made of it.

-- | How many bytes the item has.
constantSize :: String -> Int
constantSize string = case Literal.size string of I# n -> I# (headSize n +# n)
{-# NOINLINE constantSize #-}

{-# RULES
"cbor/size" forall a.
  constantSize (unpackCString# a) =
    I# (headSize (cstringLength# a) +# cstringLength# a)
"cbor/size/utf8" forall a.
  constantSize (unpackCStringUtf8# a) =
    sizeUtf8 a (cstringLength# a)
  #-}

-- | Write the item.
pokeConstant :: String -> Poke
pokeConstant string = \op s -> case Literal.size string of
  I# n -> case pokeTextHead n op s of (# s1, op1 #) -> Literal.poke string op1 s1
{-# NOINLINE pokeConstant #-}

{-# RULES
"cbor/poke" forall a. pokeConstant (unpackCString# a) = pokeItem a (cstringLength# a)
"cbor/poke/utf8" forall a. pokeConstant (unpackCStringUtf8# a) = pokeUtf8 a (cstringLength# a)
  #-}

pokeItem :: Addr# -> Int# -> Poke
pokeItem a n = \op s -> case pokeTextHead n op s of (# s1, op1 #) -> Literal.pokeAddr a n op1 s1
{-# INLINE pokeItem #-}

-- | Does the item stand at the cursor, where it is known that as many bytes are
-- left? 1 or 0. Of a text of 65,536 bytes or more always 0.
matchesConstant :: String -> Addr# -> State# RealWorld -> (# State# RealWorld, Int# #)
matchesConstant string c s = case Literal.size string of
  I# n -> case Literal.matchesHere string (plusAddr# c (headSize n)) s of
    (# s1, m #) -> (# s1, hasHead n c `andI#` m #)
{-# NOINLINE matchesConstant #-}

{-# RULES
"cbor/matches" forall a. matchesConstant (unpackCString# a) = matchesItem a (cstringLength# a)
"cbor/matches/utf8" forall a.
  matchesConstant (unpackCStringUtf8# a) =
    matchesUtf8 a (cstringLength# a)
  #-}

matchesItem :: Addr# -> Int# -> Addr# -> State# RealWorld -> (# State# RealWorld, Int# #)
matchesItem a n c s = case Literal.matchesHereAddr a n (plusAddr# c (headSize n)) s of
  (# s1, m #) -> (# s1, hasHead n c `andI#` m #)
{-# INLINE matchesItem #-}

-- The same of constants that are not ASCII, with the bytes that GHC has of them.

sizeUtf8 :: Addr# -> Int# -> Int
sizeUtf8 a l = case Literal.sizeUtf8 a l of n -> I# (headSize n +# n)
{-# INLINE sizeUtf8 #-}

pokeUtf8 :: Addr# -> Int# -> Poke
pokeUtf8 a l = \op s -> case pokeTextHead (Literal.sizeUtf8 a l) op s of
  (# s1, op1 #) -> Literal.pokeUtf8 a l op1 s1
{-# INLINE pokeUtf8 #-}

matchesUtf8 :: Addr# -> Int# -> Addr# -> State# RealWorld -> (# State# RealWorld, Int# #)
matchesUtf8 a l c s = case Literal.sizeUtf8 a l of
  n -> case Literal.matchesHereUtf8 a l (plusAddr# c (headSize n)) s of
    (# s1, m #) -> (# s1, hasHead n c `andI#` m #)
{-# INLINE matchesUtf8 #-}

-- | The bytes of a text's head, from the text's.
headSize :: Int# -> Int#
headSize n = 1# +# (n ># 23#) +# (n ># 0xff#) +# uncheckedIShiftL# (n ># 0xffff#) 1#
{-# INLINE headSize #-}

pokeTextHead :: Int# -> Poke
pokeTextHead n op s
  | isTrue# (n <# 24#) =
      (# writeWord8OffAddr# op 0# (wordToWord8# (0x60## `or#` int2Word# n)) s, plusAddr# op 1# #)
  | isTrue# (n <# 0x100#) = (# store16 op (0x7800## `or#` int2Word# n) s, plusAddr# op 2# #)
  | otherwise = pokeHead 0x60## (int2Word# n) op s
{-# INLINE pokeTextHead #-}

hasHead :: Int# -> Addr# -> Int#
hasHead n c
  | isTrue# (n <# 24#) = eqWord# (word8ToWord# (indexWord8OffAddr# c 0#)) (0x60## `or#` int2Word# n)
  | isTrue# (n <# 0x100#) = eqWord# (load16 c) (0x7800## `or#` int2Word# n)
  | isTrue# (n <# 0x10000#) =
      eqWord# (word8ToWord# (indexWord8OffAddr# c 0#)) 0x79##
        `andI#` eqWord# (load16 (plusAddr# c 1#)) (int2Word# n)
  | otherwise = 0#
{-# INLINE hasHead #-}

-- * Large integers

-- | The integer from 0 on that is @n@ bytes at an address, the highest first; 0
-- for none. Linear time.
naturalAt :: Addr# -> Int# -> State# RealWorld -> (# State# RealWorld, Integer #)
naturalAt a n = integerFromAddr# (int2Word# n) a 1#

-- | The same of a string of bytes.
naturalFrom :: ByteString -> Integer
naturalFrom bytes =
  unsafeDupablePerformIO $ unsafeUseAsCStringLen bytes $ \(Exts.Ptr a, I# n) -> IO (naturalAt a n)

-- | An integer from 0 on in as few bytes as hold it, the highest first; none for
-- 0.
naturalBytes :: Integer -> ByteString
naturalBytes n = case n of
  0 -> mempty
  _ ->
    unsafeCreate (fromIntegral (W# size#)) $ \(Exts.Ptr a) ->
      IO $ \s -> case integerToAddr# n a 1# s of
        (# s1, _ #) -> (# s1, () #)
  where
    !size# = integerSizeInBase# 256## n

-- * Floating-point numbers of two bytes

-- | The number that two bytes are (IEEE 754 binary16), with a NaN's payload at
-- the top of the double's.
halfToDouble :: Word16 -> Double
halfToDouble h
  | power == 0 = (if negative then negate else id) (fromIntegral fraction * 5.9604644775390625e-8)
  | power == 31 = castWord64ToDouble (sign .|. 0x7ff0000000000000 .|. fraction `shiftL` 42)
  | otherwise = castWord64ToDouble (sign .|. (power + 1008) `shiftL` 52 .|. fraction `shiftL` 42)
  where
    wide = fromIntegral h :: Word64
    negative = testBit h 15
    sign = (wide .&. 0x8000) `shiftL` 48
    power = wide `shiftR` 10 .&. 31
    fraction = wide .&. 0x3ff

-- | The two bytes that are just this number, where there are any: bit for bit,
-- NaNs as well.
doubleToHalf :: Double -> Maybe Word16
doubleToHalf x
  -- Infinities, and NaNs whose payload's low bits are 0.
  | power == 0x7ff = exactly 42 (0x7c00 .|. fraction `shiftR` 42)
  | wide .&. 0x7fffffffffffffff == 0 = Just (fromIntegral sign)
  -- 2^-14 to 65504.
  | power >= 1009, power <= 1038 = exactly 42 ((power - 1008) `shiftL` 10 .|. fraction `shiftR` 42)
  -- Multiples of 2^-24 below that: the leading one is written then.
  | power >= 999,
    power < 1009 =
      exactly
        (1051 - fromIntegral power)
        ( (fraction .|. 0x10000000000000)
            `shiftR` (1051 - fromIntegral power)
        )
  | otherwise = Nothing
  where
    wide = castDoubleToWord64 x
    sign = wide `shiftR` 48 .&. 0x8000
    power = wide `shiftR` 52 .&. 0x7ff
    fraction = wide .&. 0xfffffffffffff
    -- Unless some of the low @n@ bits are set.
    exactly :: Int -> Word64 -> Maybe Word16
    exactly n rest
      | fraction .&. (1 `shiftL` n - 1) == 0 = Just (fromIntegral (sign .|. rest))
      | otherwise = Nothing

-- | The four bytes that are just this number, where there are any: bit for bit,
-- NaNs as well.
doubleToSingle :: Double -> Maybe Word32
doubleToSingle x
  | wide .&. 0x1fffffff /= 0 = Nothing
  | isNaN x =
      Just
        ( fromIntegral
            ( wide
                `shiftR` 32
                .&. 0x80000000
                .|. 0x7f800000
                .|. wide `shiftR` 29 .&. 0x7fffff
            )
        )
  | castDoubleToWord64 (float2Double single) == wide = Just (castFloatToWord32 single)
  | otherwise = Nothing
  where
    wide = castDoubleToWord64 x
    single = double2Float x

-- * Stepping over an item

foreign import ccall unsafe "tern_cbor_skip"
  c_skip ::
    Addr# -> Addr# -> Word64 -> MutableByteArray# RealWorld -> IO (Ptr ())

foreign import ccall unsafe "tern_cbor_skip_deep"
  c_skip_deep ::
    Addr# ->
    Addr# ->
    Word64 ->
    MutableByteArray# RealWorld ->
    MutableByteArray# RealWorld ->
    IO (Ptr ())

foreign import ccall unsafe "tern_cbor_skip_seen"
  c_skip_seen ::
    Addr# -> Addr# -> Word64 -> Addr# -> Addr# -> MutableByteArray# RealWorld -> IO (Ptr ())

foreign import ccall unsafe "tern_cbor_count"
  c_count ::
    Addr# -> Addr# -> Word64 -> MutableByteArray# RealWorld -> IO Word64

foreign import ccall unsafe "tern_cbor_count_seen"
  c_count_seen ::
    Addr# -> Addr# -> Word64 -> Addr# -> MutableByteArray# RealWorld -> IO Word64

-- | Step over the item at the cursor (the fourth argument; the third is the
-- input's end), checking all of it. The address after it; the array's first word
-- is set to 0, or to what is wrong at that address. More levels than 'shallow'
-- are too many, whatever is allowed.
skipValue ::
  Int# ->
  MutableByteArray# RealWorld ->
  Addr# ->
  Addr# ->
  State# RealWorld ->
  (# State# RealWorld, Addr# #)
skipValue depth out e c s = case c_skip c e (levelCount depth) out of
  IO f -> case f s of (# s1, Exts.Ptr a #) -> (# s1, a #)
{-# INLINE skipValue #-}

-- | How many levels 'skipValue' has room for.
shallow :: Int
shallow = 512

-- | As 'skipValue', with an array that has a word for each level.
skipDeepValue ::
  MutableByteArray# RealWorld ->
  Int# ->
  MutableByteArray# RealWorld ->
  Addr# ->
  Addr# ->
  State# RealWorld ->
  (# State# RealWorld, Addr# #)
skipDeepValue levels depth out e c s = case c_skip_deep c e (levelCount depth) levels out of
  IO f -> case f s of (# s1, Exts.Ptr a #) -> (# s1, a #)
{-# INLINE skipDeepValue #-}

-- | As 'skipValue', of any depth, for an item of the frame at an address: by
-- notes ("Tern.Prim.Scan"), which the caller keeps alive. Where there is no
-- memory for them, the array's first word is set to 7.
skipSeenValue ::
  Addr# ->
  Addr# ->
  Int# ->
  MutableByteArray# RealWorld ->
  Addr# ->
  Addr# ->
  State# RealWorld ->
  (# State# RealWorld, Addr# #)
skipSeenValue seen frame depth out e c s = case c_skip_seen c e (levelCount depth) frame seen out of
  IO f -> case f s of (# s1, Exts.Ptr a #) -> (# s1, a #)
{-# INLINE skipSeenValue #-}

-- * Counting

-- | How many items there are in the frame at the cursor, which ends with a
-- break; a map's pair is two. All of it is checked: the array's first word is set
-- to 0, to 8 where the frame is a large one, or to what is wrong, and then the
-- result is the address of that. @depth@ levels may be opened in it, and no more
-- than 'shallow'.
countItems ::
  Int# ->
  MutableByteArray# RealWorld ->
  Addr# ->
  Addr# ->
  State# RealWorld ->
  (# State# RealWorld, Word# #)
countItems depth out e c s = case c_count c e (levelCount depth) out of
  IO f -> case f s of (# s1, W64# n #) -> (# s1, word64ToWord# n #)
{-# INLINE countItems #-}

-- | As 'countItems', of any depth, by notes, which the caller keeps alive.
countSeenItems ::
  Addr# ->
  Int# ->
  MutableByteArray# RealWorld ->
  Addr# ->
  Addr# ->
  State# RealWorld ->
  (# State# RealWorld, Word# #)
countSeenItems seen depth out e c s = case c_count_seen c e (levelCount depth) seen out of
  IO f -> case f s of (# s1, W64# n #) -> (# s1, word64ToWord# n #)
{-# INLINE countSeenItems #-}

levelCount :: Int# -> Word64
levelCount depth = W64# (wordToWord64# (int2Word# depth))
{-# INLINE levelCount #-}
