{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | What the native format wants of memory: numbers of one to nine bytes, and
-- little-endian ones of a fixed size.
--
-- The idea of a varint: the ones that its first byte begins with say how many
-- bytes follow, and all other bits are the number, the highest first. So its
-- length is known from its first byte, and it is loaded and stored as words.
--
-- A caller owes addresses of memory that it keeps alive, and 'storeVarint' as
-- much room as a poke may use. Words are little-endian wherever the other
-- primitives run.
module Tern.Prim.Native
  ( -- * Varints
    storeVarint,
    varintWidth,
    loadVarint,
    maxVarint,

    -- * Signs
    zigzag,
    unzigzag,

    -- * Numbers of a fixed size
    store8,
    store16,
    store32,
    store64,
    load8,
    load16,
    load32,
    load64,

    -- * Bytes
    copyAcross,
  )
where

import Foreign.Marshal.Utils (copyBytes)
import GHC.Exts
import GHC.IO (IO (..))
import Tern.Prim.BigEndian qualified as Big
import Tern.Prim.Buffer (Poke)

-- * Varints

-- | No varint has more bytes.
maxVarint :: Int
maxVarint = 9

-- | Write a number in the fewest bytes. Nine are stored, whatever counts.
--
-- NOINLINE: one call for each number keeps a record of a hundred of them small.
storeVarint :: Word# -> Poke
storeVarint w op s = case ltWord# w 0x80## of
  1# -> case store8 op w s of s1 -> (# s1, plusAddr# op 1# #)
  _ ->
    let !bits = word2Int# (minusWord# 64## (clz# w))
        -- Seven bits a byte; more than eight bytes of those are nine.
        !follow = uncheckedIShiftRL# ((bits -# 1#) *# 37#) 8#
     in case follow <# 8# of
          1# ->
            let !ones = uncheckedShiftL# (not# 0##) (64# -# follow)
                !word = ones `or#` uncheckedShiftL# w (56# -# uncheckedIShiftL# follow 3#)
             in case Big.store64 op word s of s1 -> (# s1, plusAddr# op (follow +# 1#) #)
          _ -> case store8 op 0xff## s of
            s1 -> case Big.store64 (plusAddr# op 1#) w s1 of s2 -> (# s2, plusAddr# op 9# #)
{-# NOINLINE storeVarint #-}

-- | How many bytes the varint has whose first byte is given: 1 to 9.
varintWidth :: Word# -> Int#
varintWidth b = case ltWord# b 0x80## of
  1# -> 1#
  _ -> word2Int# (clz# (not# (uncheckedShiftL# b 56#))) +# 1#
{-# INLINE varintWidth #-}

-- | The varint at an address, of the width that its first byte says, all of it
-- in memory. 1 where it is the shortest for its number.
--
-- No byte after it is touched: the two halves of a long one overlap.
loadVarint :: Int# -> Addr# -> (# Word#, Int# #)
loadVarint width a = case width of
  1# -> (# load8 a, 1# #)
  2# -> let !w = Big.load16 a `and#` 0x3fff## in (# w, geWord# w 0x80## #)
  3# ->
    let !w =
          uncheckedShiftL# (load8 a `and#` 0x1f##) 16# `or#` Big.load16 (plusAddr# a 1#)
     in (# w, geWord# w 0x4000## #)
  9# -> let !w = Big.load64 (plusAddr# a 1#) in (# w, geWord# w 0x100000000000000## #)
  _ ->
    let !high = Big.load32 a
        !low = Big.load32 (plusAddr# a (width -# 4#))
        !all' = uncheckedShiftL# high (uncheckedIShiftL# (width -# 4#) 3#) `or#` low
        !w = all' `and#` minusWord# (uncheckedShiftL# 1## (width *# 7#)) 1##
     in (# w, geWord# w (uncheckedShiftL# 1## ((width -# 1#) *# 7#)) #)
{-# INLINE loadVarint #-}

-- * Signs

-- | 0, -1, 1, -2, … as 0, 1, 2, 3, …
zigzag :: Int# -> Word#
zigzag i = int2Word# (uncheckedIShiftL# i 1#) `xor#` int2Word# (uncheckedIShiftRA# i 63#)
{-# INLINE zigzag #-}

-- | The way back: 0, 1, 2, 3, … as 0, -1, 1, -2, …
unzigzag :: Word# -> Int#
unzigzag w =
  word2Int# (uncheckedShiftRL# w 1# `xor#` int2Word# (negateInt# (word2Int# (w `and#` 1##))))
{-# INLINE unzigzag #-}

-- * Numbers of a fixed size

-- | The low 8, 16, 32 or 64 bits of a word, the lowest byte first. The others count for nothing.
store8, store16, store32, store64 :: Addr# -> Word# -> State# RealWorld -> State# RealWorld
store8 a w = writeWord8OffAddr# a 0# (wordToWord8# w)
store16 a w = writeWord16OffAddr# a 0# (wordToWord16# w)
store32 a w = writeWord32OffAddr# a 0# (wordToWord32# w)
store64 a w = writeWordOffAddr# a 0# w
{-# INLINE store8 #-}
{-# INLINE store16 #-}
{-# INLINE store32 #-}
{-# INLINE store64 #-}

-- | The number of 8, 16, 32 or 64 bits at an address, without a sign, the lowest byte first.
--
-- Without a pragma they are inlined wherever they stand; with INLINE, GHC made calls
-- of them where a result is bound strictly and the argument is a variable.
load8, load16, load32, load64 :: Addr# -> Word#
load8 a = word8ToWord# (indexWord8OffAddr# a 0#)
load16 a = word16ToWord# (indexWord16OffAddr# a 0#)
load32 a = word32ToWord# (indexWord32OffAddr# a 0#)
load64 a = indexWordOffAddr# a 0#

-- * Bytes

-- | Copy @n@ bytes from the address @from@ to the address @to@.
copyAcross :: Addr# -> Addr# -> Int# -> State# RealWorld -> State# RealWorld
copyAcross from to n s = case copyBytes (Ptr to :: Ptr ()) (Ptr from) (I# n) of
  IO f -> case f s of (# s1, () #) -> s1
{-# INLINE copyAcross #-}
