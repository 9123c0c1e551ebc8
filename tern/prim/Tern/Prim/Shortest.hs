{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | The shortest decimal digits that read back as the same floating-point
-- number, and of those the closest.
--
-- The algorithm is Schubfach (Raffaello Giulietti, "The Schubfach way to render
-- doubles", 2020): three products of the significand's neighbourhood with one
-- power of ten, rounded to odd, decide everything; no loop, no big numbers.
module Tern.Prim.Shortest
  ( double,
    float,
  )
where

import GHC.Exts
import Tern.Prim.PowersOfTen qualified as PowersOfTen

-- | Digits and a power of ten: the number is @digits * 10^exponent@. From the
-- bits of a finite number above zero. The digits may end in zeros.
double :: Word# -> (# Word#, Int# #)
double w =
  let !fraction = w `and#` 0xfffffffffffff##
   in case word2Int# (w `uncheckedShiftRL#` 52#) of
        0# -> schubfach fraction -1074# 0#
        biased ->
          let !c = fraction `or#` 0x10000000000000##
              !q = biased -# 1075#
           in case small 52# c q of
                1# -> (# c `uncheckedShiftRL#` negateInt# q, 0# #)
                _ -> schubfach c q (eqWord# fraction 0## `andI#` (biased ># 1#))

-- | As 'double', of a 'Float'.
float :: Word# -> (# Word#, Int# #)
float w =
  let !fraction = w `and#` 0x7fffff##
   in case word2Int# (w `uncheckedShiftRL#` 23#) of
        0# -> schubfach fraction -149# 0#
        biased ->
          let !c = fraction `or#` 0x800000##
              !q = biased -# 150#
           in case small 23# c q of
                1# -> (# c `uncheckedShiftRL#` negateInt# q, 0# #)
                _ -> schubfach c q (eqWord# fraction 0## `andI#` (biased ># 1#))

-- | Is @c * 2^q@ an integer of at most @width + 1@ bits? Then its own digits
-- are the shortest.
small :: Int# -> Word# -> Int# -> Int#
small width c q = case (q <=# 0#) `andI#` (negateInt# q <=# width) of
  1# -> eqWord# (c `and#` ((1## `uncheckedShiftL#` negateInt# q) `minusWord#` 1##)) 0##
  _ -> 0#
{-# INLINE small #-}

-- | The shortest digits for @c * 2^q@; @closer@ is 1 where the neighbour below
-- is half as far away as the one above (@c@ is the least of its binade). Names
-- as in the paper: the interval that rounds to the number goes from @cbl@ to
-- @cbr@, in quarters of a unit.
schubfach :: Word# -> Int# -> Int# -> (# Word#, Int# #)
schubfach c q closer =
  let !odd# = c `and#` 1##
      !cb = c `uncheckedShiftL#` 2#
      !cbl = (cb `minusWord#` 2##) `plusWord#` int2Word# closer
      !cbr = cb `plusWord#` 2##
      -- floor (log10 (2^q)), or of three quarters of it.
      !k = ((q *# 1262611#) -# (closer *# 524031#)) `uncheckedIShiftRA#` 22#
      !h = q +# PowersOfTen.floorLog2 (negateInt# k) +# 1#
      !(# high, low #) = fromAbove (negateInt# k)
      !vbl = roundToOdd high low (cbl `uncheckedShiftL#` h)
      !vb = roundToOdd high low (cb `uncheckedShiftL#` h)
      !vbr = roundToOdd high low (cbr `uncheckedShiftL#` h)
      -- An odd significand does not own the ends of its interval.
      !lower = vbl `plusWord#` odd#
      !upper = vbr `minusWord#` odd#
      !s = vb `uncheckedShiftRL#` 2#
      !s' = tenth s
      !t' = s' `timesWord#` 40##
      !down' = leWord# lower t'
      !up' = leWord# (t' `plusWord#` 40##) upper
   in case geWord# s 10## `andI#` (down' /=# up') of
        1# -> (# s' `plusWord#` int2Word# up', k +# 1# #)
        _ ->
          let !t = s `uncheckedShiftL#` 2#
              !down = leWord# lower t
              !up = leWord# (t `plusWord#` 4##) upper
           in case down /=# up of
                1# -> (# s `plusWord#` int2Word# up, k #)
                _ ->
                  let !middle = t `plusWord#` 2##
                      !above =
                        gtWord# vb middle
                          `orI#` (eqWord# vb middle `andI#` word2Int# (s `and#` 1##))
                   in (# s `plusWord#` int2Word# above, k #)
{-# NOINLINE schubfach #-}

-- | The power of ten, rounded down and one more: the paper's @g@, also where the power is exact.
fromAbove :: Int# -> (# Word#, Word# #)
fromAbove k = case PowersOfTen.power k of
  (# high, low #) -> case addWordC# (word64ToWord# low) 1## of
    (# low', carry #) -> (# word64ToWord# high `plusWord#` int2Word# carry, low' #)
{-# INLINE fromAbove #-}

-- | The high 64 bits of the product with a 128-bit number, the last bit set
-- where anything was cut off.
roundToOdd :: Word# -> Word# -> Word# -> Word#
roundToOdd high low c = case timesWord2# low c of
  (# x1, _ #) -> case timesWord2# high c of
    (# y1, y0 #) -> case addWordC# y0 x1 of
      (# sum0, carry #) ->
        (y1 `plusWord#` int2Word# carry) `or#` int2Word# (gtWord# sum0 1##)
{-# INLINE roundToOdd #-}

-- | A tenth, rounded down.
tenth :: Word# -> Word#
tenth w = case timesWord2# w 0xCCCCCCCCCCCCCCCD## of
  (# high, _ #) -> high `uncheckedShiftRL#` 3#
{-# INLINE tenth #-}
