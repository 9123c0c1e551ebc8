{-# LANGUAGE MagicHash #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Decimal numbers of any size, exactly, as aeson writes them.
--
-- The idea: a number is its digits and a power of ten, which is never worked out: what a
-- number costs is what its digits cost.
module Tern.Internal.Json.Decimal
  ( Decimal (..),
    decimalForm,
    normal,
    whole,
    inUnits,
  )
where

import Foreign.Marshal.Utils (moveBytes)
import GHC.Exts
import GHC.IO (IO (..))
import Tern.Internal.Form (Form (..), expectedAt)
import Tern.Internal.Json.Number (Decimal (..), pokeInteger, readDecimal)
import Tern.Internal.Read (Reader (..))
import Tern.Internal.Write (Writer (..), byte, literal, toFill)
import Tern.Prim.Buffer (Fill, ensure, moved)
import Tern.Prim.Decimal qualified as Decimal

-- | A number's text. Integers below 10^1024 or so are written in digits alone, others with
-- a point, and an exponent where they are 10^7 and more or below 0.1.
decimalForm :: Form Decimal
decimalForm = Form (FillWriter pokeDecimal) $ Reader $ \ctx e c s -> case readDecimal ctx e c s of
  (# s1, c1, d #) -> case eqAddr# c1 e of
    1# -> (# s1, c1, d #)
    _ -> expectedAt "the end of the number" c1 s1

-- | Without zeros at the end of the digits; 0 has the power 0.
normal :: Decimal -> Decimal
normal (Decimal 0 _) = Decimal 0 0
normal (Decimal c e) = go c e
  where
    go n k = case n `quotRem` 10 of
      (q, 0) -> go q (k + 1)
      _ -> Decimal n k

-- | The integer that a number is, if it is one below 10^most or so.
whole :: Int -> Decimal -> Maybe Integer
whole most d = case normal d of
  Decimal c e
    | e >= 0 && e <= most -> Just (c * 10 ^ e)
    | otherwise -> Nothing

-- | How many units of which one is the given number's part a number is, rounded down.
-- 'Nothing' for a number beyond 10^1024 or so.
inUnits :: Integer -> Decimal -> Maybe Integer
inUnits units (Decimal c e)
  | c == 0 = Just 0
  | e > 1024 = Nothing
  | e >= 0 = Just (c * 10 ^ e * units)
  -- It is less than a unit: rounded down, it is none or one below.
  | negate e > Decimal.digitsOf c + Decimal.digitsOf units = Just (if c < 0 then -1 else 0)
  | otherwise = Just ((c * units) `div` (10 ^ negate e))

pokeDecimal :: Decimal -> Fill
pokeDecimal (Decimal c e) mba op s
  | e >= 0 && e <= 1024 = pokeInteger (c * 10 ^ e) mba op s
  | c == 0 = toFill (literal "0.0") mba op s
  | c < 0 = case toFill (byte 45) mba op s of
      (# s1, mba1, op1 #) ->
        pokePositive (negate c) e mba1 op1 s1
  | otherwise = pokePositive c e mba op s

-- | The digits are written where they begin, and moved to where they belong.
pokePositive :: Integer -> Int -> Fill
pokePositive c (I# e) mba op s = case Decimal.digitsOf c of
  I# room -> case ensure (room +# 80#) mba op s of
    (# s1, mba1, op1 #) -> case pokeInteger c mba1 op1 s1 of
      (# s2, mba2, end #) -> case moved mba1 op1 mba2 s2 of
        (# s3, start #) -> case withoutZeros start end e s3 of
          (# s4, end', e' #) -> case placed start (minusAddr# end' start) e' s4 of
            (# s5, op2 #) -> (# s5, mba2, op2 #)
{-# NOINLINE pokePositive #-}

withoutZeros :: Addr# -> Addr# -> Int# -> State# RealWorld -> (# State# RealWorld, Addr#, Int# #)
withoutZeros start end e s = case readWord8OffAddr# end -1# s of
  (# s1, digit #)
    | isTrue# (eqWord# (word8ToWord# digit) 48##) && isTrue# (gtAddr# (plusAddr# end -1#) start) ->
        withoutZeros start (plusAddr# end -1#) (e +# 1#) s1
    | otherwise -> (# s1, end, e #)

-- | From @n@ digits at an address, which are to be multiplied with a power of ten.
placed :: Addr# -> Int# -> Int# -> State# RealWorld -> (# State# RealWorld, Addr# #)
placed start n e s
  | isTrue# (point ==# 0#) = case move start (plusAddr# start 2#) n s of
      s1 -> case put start 48## (put (plusAddr# start 1#) 46## s1) of
        s2 ->
          (# s2, plusAddr# start (n +# 2#) #)
  | isTrue# (point ># 0#),
    isTrue# (point <=# 7#),
    isTrue# (n <=# point) = case zeros (plusAddr# start n) (point -# n) s of
      (# s1, at #) -> case put at 46## (put (plusAddr# at 1#) 48## s1) of
        s2 ->
          (# s2, plusAddr# at 2# #)
  | isTrue# (point ># 0#),
    isTrue#
      (point <=# 7#) =
      case move (plusAddr# start point) (plusAddr# start (point +# 1#)) (n -# point) s of
        s1 -> case put (plusAddr# start point) 46## s1 of s2 -> (# s2, plusAddr# start (n +# 1#) #)
  | otherwise = case fraction s of
      (# s1, at #) -> case put at 101## s1 of
        s2 ->
          Decimal.pokeInt (point -# 1#) (plusAddr# at 1#) s2
  where
    -- The number is 0.DIGITS * 10^point.
    !point = n +# e
    fraction :: State# RealWorld -> (# State# RealWorld, Addr# #)
    fraction t = case n of
      1# -> case put (plusAddr# start 1#) 46## (put (plusAddr# start 2#) 48## t) of
        t1 ->
          (# t1, plusAddr# start 3# #)
      _ -> case move (plusAddr# start 1#) (plusAddr# start 2#) (n -# 1#) t of
        t1 -> case put (plusAddr# start 1#) 46## t1 of t2 -> (# t2, plusAddr# start (n +# 1#) #)

put :: Addr# -> Word# -> State# RealWorld -> State# RealWorld
put at w = writeWord8OffAddr# at 0# (wordToWord8# w)
{-# INLINE put #-}

zeros :: Addr# -> Int# -> State# RealWorld -> (# State# RealWorld, Addr# #)
zeros at n s = case n of
  0# -> (# s, at #)
  _ -> zeros (plusAddr# at 1#) (n -# 1#) (put at 48## s)

move :: Addr# -> Addr# -> Int# -> State# RealWorld -> State# RealWorld
move from to n s = case moveBytes (Ptr to :: Ptr ()) (Ptr from) (I# n) of
  IO f -> case f s of (# s1, () #) -> s1
