{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | A number in another form, which holds it.
--
-- The idea: every form but the largest is a word with a sign or without, so that a
-- number is a word between being read and being written. What the writer's type could
-- not hold is refused, for the reader's form might take it for something else.
module Tern.Internal.Evolution.Number
  ( renumbered,
    Ahead,
  )
where

import GHC.Exts
import Tern.Error (Expected (..), Reason (..))
import Tern.Internal.Native.Read qualified as Read
import Tern.Internal.Native.Reader (step)
import Tern.Internal.Native.Write qualified as Write
import Tern.Internal.Read (Context, failAt)
import Tern.Internal.Write (toFill, write)
import Tern.Prim.Buffer (Poke, ensure)
import Tern.Prim.Native
  ( load16,
    load32,
    load64,
    load8,
    store16,
    store32,
    store64,
    store8,
    storeVarint,
    unzigzag,
    zigzag,
  )

-- | The address after what was read; the array that was written to and the address
-- after what was written.
type Ahead = (# State# RealWorld, Addr#, MutableByteArray# RealWorld, Addr# #)

-- | From the one form to the other ("Tern.Internal.Evolution.Code" numbers them), between the
-- least and the greatest number; with the reason for which others are refused.
renumbered ::
  Int# ->
  Int# ->
  Int# ->
  Int# ->
  Reason ->
  Context ->
  Addr# ->
  Addr# ->
  MutableByteArray# RealWorld ->
  Addr# ->
  State# RealWorld ->
  Ahead
renumbered from to least most reason ctx e c mba op s = case from of
  0# -> small 1# (\w -> unsigned w)
  1# -> small 1# (\w -> signed (int8ToInt# (intToInt8# (word2Int# w))))
  2# -> small 2# (\w -> unsigned w)
  3# -> small 2# (\w -> signed (int16ToInt# (intToInt16# (word2Int# w))))
  4# -> case Read.varint e c s of (# s1, c1, w #) -> unsigned w c1 s1
  5# -> case Read.varint e c s of (# s1, c1, w #) -> signed (inline unzigzag w) c1 s1
  6# -> case step Read.natural ctx e c s of
    (# s1, c1, n #) -> case toFill (write Write.integer (toInteger n)) mba op s1 of
      (# s2, mba2, op2 #) ->
        (# s2, c1, mba2, op2 #)
  10# -> small 4# (\w -> unsigned w)
  11# -> small 4# (\w -> signed (int32ToInt# (intToInt32# (word2Int# w))))
  12# -> small 8# (\w -> unsigned w)
  13# -> small 8# (\w -> signed (word2Int# w))
  -- The other forms are kept as they are, but for this one.
  _ -> case minusAddr# e c >=# 4# of
    1# -> case ensure 8# mba op s of
      (# s1, mba1, op1 #) ->
        case writeDoubleOffAddr# op1 0# (float2Double# (indexFloatOffAddr# c 0#)) s1 of
          s2 -> (# s2, plusAddr# c 4#, mba1, plusAddr# op1 8# #)
    _ -> cut s
  where
    -- What is loaded stands in the branch that has room for it: a binding would be
    -- evaluated before the bounds are compared, since a word is never a thunk.
    small n next = case minusAddr# e c >=# n of
      1# -> next (load n) (plusAddr# c n) s
      _ -> cut s
    load :: Int# -> Word#
    load n = case n of
      1# -> load8 c
      2# -> load16 c
      4# -> load32 c
      _ -> load64 c
    {-# INLINE load #-}
    {-# INLINE small #-}
    cut :: State# RealWorld -> Ahead
    cut s0 = case failAt e (UnexpectedEnd AValue) s0 of (# s1, c1, () #) -> (# s1, c1, mba, op #)
    unsigned, signed' :: Word# -> Addr# -> State# RealWorld -> Ahead
    unsigned w c1 s1 =
      checked
        ( andI#
            (geWord# w (int2Word# least))
            (leWord# w (int2Word# most))
        )
        c1
        s1
        $ \op2 s2 -> case to of
          2# -> stored2 w op2 s2
          3# -> stored2 w op2 s2
          4# -> storeVarint w op2 s2
          5# -> storeVarint (uncheckedShiftL# w 1#) op2 s2
          6# -> large 0## w op2 s2
          7# -> large (uncheckedShiftRL# w 63#) (uncheckedShiftL# w 1#) op2 s2
          8# -> case writeFloatOffAddr# op2 0# (word2Float# w) s2 of
            s3 ->
              (# s3, plusAddr# op2 4# #)
          9# -> case writeDoubleOffAddr# op2 0# (word2Double# w) s2 of
            s3 ->
              (# s3, plusAddr# op2 8# #)
          10# -> stored4 w op2 s2
          11# -> stored4 w op2 s2
          12# -> stored8 w op2 s2
          13# -> stored8 w op2 s2
          _ -> stored1 w op2 s2
    signed i = signed' (int2Word# i)
    isWithin w = andI# (word2Int# w >=# least) (word2Int# w <=# most)
    signed' w c1 s1 = checked (isWithin w) c1 s1 $ \op2 s2 -> case to of
      2# -> stored2 w op2 s2
      3# -> stored2 w op2 s2
      5# -> storeVarint (inline zigzag (word2Int# w)) op2 s2
      7# -> large 0## (inline zigzag (word2Int# w)) op2 s2
      8# -> case writeFloatOffAddr# op2 0# (int2Float# (word2Int# w)) s2 of
        s3 ->
          (# s3, plusAddr# op2 4# #)
      9# -> case writeDoubleOffAddr# op2 0# (int2Double# (word2Int# w)) s2 of
        s3 ->
          (# s3, plusAddr# op2 8# #)
      11# -> stored4 w op2 s2
      13# -> stored8 w op2 s2
      _ -> stored1 w op2 s2
    checked :: Int# -> Addr# -> State# RealWorld -> Poke -> Ahead
    checked fits c1 s1 poke = case fits of
      1# -> case ensure 16# mba op s1 of
        (# s2, mba2, op2 #) -> case poke op2 s2 of (# s3, op3 #) -> (# s3, c1, mba2, op3 #)
      _ -> case failAt c reason s1 of (# s2, _, () #) -> (# s2, c1, mba, op #)
    {-# INLINE checked #-}
    stored1, stored2, stored4, stored8 :: Word# -> Poke
    stored1 w op2 s2 = case store8 op2 w s2 of s3 -> (# s3, plusAddr# op2 1# #)
    stored2 w op2 s2 = case store16 op2 w s2 of s3 -> (# s3, plusAddr# op2 2# #)
    stored4 w op2 s2 = case store32 op2 w s2 of s3 -> (# s3, plusAddr# op2 4# #)
    stored8 w op2 s2 = case store64 op2 w s2 of s3 -> (# s3, plusAddr# op2 8# #)
{-# NOINLINE renumbered #-}

-- | A number of 65 bits, of which the highest is given alone, as one of any size.
large :: Word# -> Word# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr# #)
large high w op s = case high of
  0## -> case ltWord# w 0x100000000000000## of
    1# -> storeVarint w op s
    _ -> case store8 op 0xff## s of
      s1 -> case store8 (plusAddr# op 1#) 8## s1 of
        s2 -> case store64 (plusAddr# op 2#) w s2 of s3 -> (# s3, plusAddr# op 10# #)
  _ -> case store8 op 0xff## s of
    s1 -> case store8 (plusAddr# op 1#) 9## s1 of
      s2 -> case store64 (plusAddr# op 2#) w s2 of
        s3 -> case store8 (plusAddr# op 10#) high s3 of s4 -> (# s4, plusAddr# op 11# #)
