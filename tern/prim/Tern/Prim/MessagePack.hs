{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
{-# LANGUAGE UnliftedFFITypes #-}

-- | What MessagePack wants of memory: strings that are known when a program is
-- compiled, large integers, and stepping over a value, which is written in C
-- (@cbits\/tern_msgpack.c@).
--
-- A caller owes addresses of memory that it keeps alive. The foreign calls are
-- unsafe ones: they neither allocate nor call back, and an array that is passed
-- cannot move while they run.
module Tern.Prim.MessagePack
  ( -- * Constant strings
    constantSize,
    pokeConstant,
    matchesConstant,

    -- * Large integers
    integerAt,
    integerBytes,

    -- * Stepping over a value
    skipValue,
    shallow,
    skipDeepValue,
    skipSeenValue,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString.Internal (unsafeCreate)
import Foreign.Ptr (Ptr)
import GHC.Exts hiding (Ptr)
import GHC.Exts qualified as Exts
import GHC.IO (IO (..))
import GHC.Num.Integer
  ( integerBit#,
    integerFromAddr#,
    integerLog2#,
    integerSizeInBase#,
    integerToAddr#,
  )
import GHC.Word (Word64 (..))
import Tern.Prim.BigEndian (load16, store16, store32)
import Tern.Prim.Buffer (Poke)
import Tern.Prim.Literal qualified as Literal

-- * Constant strings

-- A string that is known when a program is compiled, as an item in its shortest
-- format. The rules are those of "Tern.Prim.Literal", for the same reason: until
-- the length is a constant nothing is made of it.

-- | How many bytes the item has.
constantSize :: String -> Int
constantSize string = case Literal.size string of I# n -> I# (headerSize n +# n)
{-# NOINLINE constantSize #-}

{-# RULES
"messagepack/size" forall a.
  constantSize (unpackCString# a) =
    I# (headerSize (cstringLength# a) +# cstringLength# a)
"messagepack/size/utf8" forall a.
  constantSize (unpackCStringUtf8# a) =
    sizeUtf8 a (cstringLength# a)
  #-}

-- | Write the item.
pokeConstant :: String -> Poke
pokeConstant string = \op s -> case Literal.size string of
  I# n -> case pokeHeader n op s of (# s1, op1 #) -> Literal.poke string op1 s1
{-# NOINLINE pokeConstant #-}

{-# RULES
"messagepack/poke" forall a. pokeConstant (unpackCString# a) = pokeItem a (cstringLength# a)
"messagepack/poke/utf8" forall a.
  pokeConstant (unpackCStringUtf8# a) =
    pokeUtf8 a (cstringLength# a)
  #-}

pokeItem :: Addr# -> Int# -> Poke
pokeItem a n = \op s -> case pokeHeader n op s of (# s1, op1 #) -> Literal.pokeAddr a n op1 s1
{-# INLINE pokeItem #-}

-- | Does the item stand at the cursor, where it is known that as many bytes are
-- left? 1 or 0. Of a string of 256 bytes or more always 0.
matchesConstant :: String -> Addr# -> State# RealWorld -> (# State# RealWorld, Int# #)
matchesConstant string c s = case Literal.size string of
  I# n -> case Literal.matchesHere string (plusAddr# c (headerSize n)) s of
    (# s1, m #) -> (# s1, hasHeader n c `andI#` m #)
{-# NOINLINE matchesConstant #-}

{-# RULES
"messagepack/matches" forall a.
  matchesConstant (unpackCString# a) =
    matchesItem a (cstringLength# a)
"messagepack/matches/utf8" forall a.
  matchesConstant (unpackCStringUtf8# a) =
    matchesUtf8 a (cstringLength# a)
  #-}

matchesItem :: Addr# -> Int# -> Addr# -> State# RealWorld -> (# State# RealWorld, Int# #)
matchesItem a n c s = case Literal.matchesHereAddr a n (plusAddr# c (headerSize n)) s of
  (# s1, m #) -> (# s1, hasHeader n c `andI#` m #)
{-# INLINE matchesItem #-}

-- The same of constants that are not ASCII, with the bytes that GHC has of them.

sizeUtf8 :: Addr# -> Int# -> Int
sizeUtf8 a l = case Literal.sizeUtf8 a l of n -> I# (headerSize n +# n)
{-# INLINE sizeUtf8 #-}

pokeUtf8 :: Addr# -> Int# -> Poke
pokeUtf8 a l = \op s -> case pokeHeader (Literal.sizeUtf8 a l) op s of
  (# s1, op1 #) -> Literal.pokeUtf8 a l op1 s1
{-# INLINE pokeUtf8 #-}

matchesUtf8 :: Addr# -> Int# -> Addr# -> State# RealWorld -> (# State# RealWorld, Int# #)
matchesUtf8 a l c s = case Literal.sizeUtf8 a l of
  n -> case Literal.matchesHereUtf8 a l (plusAddr# c (headerSize n)) s of
    (# s1, m #) -> (# s1, hasHeader n c `andI#` m #)
{-# INLINE matchesUtf8 #-}

-- | The bytes of a string's header, from the string's.
headerSize :: Int# -> Int#
headerSize n = 1# +# (n ># 31#) +# (n ># 0xff#) +# uncheckedIShiftL# (n ># 0xffff#) 1#
{-# INLINE headerSize #-}

pokeHeader :: Int# -> Poke
pokeHeader n op s
  | isTrue# (n <# 32#) =
      (# writeWord8OffAddr# op 0# (wordToWord8# (0xa0## `or#` int2Word# n)) s, plusAddr# op 1# #)
  | isTrue# (n <# 0x100#) = (# store16 op (0xd900## `or#` int2Word# n) s, plusAddr# op 2# #)
  | otherwise = case writeWord8OffAddr#
      op
      0#
      ( wordToWord8#
          (0xda## `plusWord#` int2Word# (n ># 0xffff#))
      )
      s of
      s1 -> case n ># 0xffff# of
        0# -> (# store16 (plusAddr# op 1#) (int2Word# n) s1, plusAddr# op 3# #)
        _ -> (# store32 (plusAddr# op 1#) (int2Word# n) s1, plusAddr# op 5# #)
{-# INLINE pokeHeader #-}

hasHeader :: Int# -> Addr# -> Int#
hasHeader n c
  | isTrue# (n <# 32#) = eqWord# (word8ToWord# (indexWord8OffAddr# c 0#)) (0xa0## `or#` int2Word# n)
  | isTrue# (n <# 0x100#) = eqWord# (load16 c) (0xd900## `or#` int2Word# n)
  | otherwise = 0#
{-# INLINE hasHeader #-}

-- * Large integers

-- | The integer whose two's complement is @n@ bytes at an address, the highest
-- first; 0 for none.
integerAt :: Addr# -> Int# -> State# RealWorld -> (# State# RealWorld, Integer #)
integerAt a n s = case n of
  0# -> (# s, 0 #)
  _ -> case integerFromAddr# (int2Word# n) a 1# s of
    (# s1, magnitude #) -> case int8ToInt# (indexInt8OffAddr# a 0#) <# 0# of
      0# -> (# s1, magnitude #)
      _ -> case magnitude - integerBit# (int2Word# (uncheckedIShiftL# n 3#)) of !i -> (# s1, i #)

-- | The two's complement of an integer in as few bytes as hold it, the highest
-- first.
integerBytes :: Integer -> ByteString
integerBytes n = unsafeCreate (fromIntegral size) $ \(Exts.Ptr a) -> IO $ \s ->
  case writeWord8OffAddr# a 0# (wordToWord8# 0##) s of
    s1 -> case integerToAddr#
      digits
      ( plusAddr#
          a
          ( word2Int#
              (size# `minusWord#` integerSizeInBase# 256## digits)
          )
      )
      1#
      s1 of
      (# s2, _ #) -> (# s2, () #)
  where
    -- A bit for the sign stands before the others.
    !size# = (integerLog2# (if n < 0 then -1 - n else n) `plusWord#` 9##) `uncheckedShiftRL#` 3#
    size = W# size#
    digits = if n < 0 then n + integerBit# (uncheckedShiftL# size# 3#) else n

-- * Stepping over a value

foreign import ccall unsafe "tern_msgpack_skip"
  c_skip ::
    Addr# -> Addr# -> Word64 -> MutableByteArray# RealWorld -> IO (Ptr ())

foreign import ccall unsafe "tern_msgpack_skip_deep"
  c_skip_deep ::
    Addr# ->
    Addr# ->
    Word64 ->
    MutableByteArray# RealWorld ->
    MutableByteArray# RealWorld ->
    IO (Ptr ())

foreign import ccall unsafe "tern_msgpack_skip_seen"
  c_skip_seen ::
    Addr# -> Addr# -> Word64 -> Addr# -> Addr# -> MutableByteArray# RealWorld -> IO (Ptr ())

-- | Step over the value at the cursor (the third argument; the second is the
-- input's end), checking all of it. The address after it; the array's first
-- word is set to 0, or to what is wrong at that address. More levels than
-- 'shallow' are too many, whatever is allowed.
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

-- | As 'skipValue', of any depth, for a value of the frame at an address: by
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

levelCount :: Int# -> Word64
levelCount depth = W64# (wordToWord64# (int2Word# depth))
{-# INLINE levelCount #-}
