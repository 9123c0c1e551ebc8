{-# LANGUAGE MagicHash #-}
{-# LANGUAGE MultiWayIf #-}
{-# LANGUAGE NegativeLiterals #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Numbers as JSON writes and reads them: machine integers, integers of any
-- size, floating-point numbers and exact decimals.
--
-- Floating-point numbers are written with the fewest digits that read back as
-- the same number: plainly where their magnitude lies between 1e-5 and 1e16
-- (@0.25@, @1.0@, @123456.0@), else with an exponent (@5e-324@, @1.5e20@). They
-- are read exactly rounded. JSON has no number that is not finite: as aeson
-- does, NaN is written as @null@ and the infinities as @"+inf"@ and @"-inf"@,
-- and all three are read back.
--
-- Integers are read from any number that is one, @1.0@ and @1e3@ too; a number
-- that the type cannot hold is an error.
module Tern.Internal.Json.Number
  ( -- * Writing
    pokeDouble,
    pokeFloat,
    pokePlaces,
    realBound,
    pokeInteger,

    -- * Reading
    boundedInteger,
    readDouble,
    readFloat,
    readInteger,
    Decimal (..),
    readDecimal,
    malformed,
  )
where

import Data.Text (Text)
import GHC.Exts
import GHC.Float (castDoubleToWord64, castFloatToWord32)
import GHC.Word (Word32 (..), Word64 (..))
import Tern.Error (Exceeded (..), Expected (..), Reason (..))
import Tern.Internal.Json.Read qualified as Json
import Tern.Internal.Read (Step, digitLimit, failAt)
import Tern.Prim.Buffer (Fill, Poke, ensure)
import Tern.Prim.Decimal qualified as Decimal
import Tern.Prim.Literal qualified as Literal
import Tern.Prim.Nearest qualified as Nearest
import Tern.Prim.Number qualified as Number
import Tern.Prim.Shortest qualified as Shortest

-- * Writing

-- | No floating-point number takes more bytes: sign, 17 digits, point, @e-308@.
realBound :: Int
realBound = 25

-- | NOINLINE: one call for each number.
pokeDouble :: Double -> Poke
pokeDouble x op s = case castDoubleToWord64 x of
  W64# bits ->
    let !w = word64ToWord# bits
        !magnitude = w `and#` 0x7fffffffffffffff##
        !minus = word2Int# (w `uncheckedShiftRL#` 63#)
     in if
          | isTrue# (geWord# magnitude 0x7ff0000000000000##) ->
              special (neWord# magnitude 0x7ff0000000000000##) minus op s
          | isTrue# (eqWord# magnitude 0##) -> zero minus op s
          | otherwise -> case Shortest.double magnitude of (# d, k #) -> withSign minus d k op s
{-# NOINLINE pokeDouble #-}

-- | As 'pokeDouble', with the fewest digits that read back as the same 'Float'.
pokeFloat :: Float -> Poke
pokeFloat x op s = case castFloatToWord32 x of
  W32# bits ->
    let !w = word32ToWord# bits
        !magnitude = w `and#` 0x7fffffff##
        !minus = word2Int# (w `uncheckedShiftRL#` 31#)
     in if
          | isTrue# (geWord# magnitude 0x7f800000##) ->
              special (neWord# magnitude 0x7f800000##) minus op s
          | isTrue# (eqWord# magnitude 0##) -> zero minus op s
          | otherwise -> case Shortest.float magnitude of (# d, k #) -> withSign minus d k op s
{-# NOINLINE pokeFloat #-}

-- | @null@ for what is not a number (1), else @"+inf"@ or @"-inf"@.
special :: Int# -> Int# -> Poke
special 1# _ op s = text4 0x6c6c756e## op s
special _ minus op s = case putByte op 0# 34## s of
  s1 -> case putByte op 1# (43## `plusWord#` int2Word# (minus *# 2#)) s1 of
    s2 -> text4 0x22666e69## (plusAddr# op 2#) s2

-- | @0.0@ or @-0.0@.
zero :: Int# -> Poke
zero 1# op s = text4 0x302e302d## op s
zero _ op s = case writeWord32OffAddr# op 0# (wordToWord32# 0x00302e30##) s of
  s1 ->
    (# s1, plusAddr# op 3# #)

-- | A minus sign or none, without a branch, and @d * 10^k@.
withSign :: Int# -> Word# -> Int# -> Poke
withSign minus d k op s = case putByte op 0# 45## s of
  s1 -> Decimal.pokeDecimal d k (plusAddr# op minus) s1
{-# INLINE withSign #-}

text4 :: Word# -> Poke
text4 w op s = case writeWord32OffAddr# op 0# (wordToWord32# w) s of s1 -> (# s1, plusAddr# op 4# #)

putByte :: Addr# -> Int# -> Word# -> State# RealWorld -> State# RealWorld
putByte a i w = writeWord8OffAddr# a i (wordToWord8# w)
{-# INLINE putByte #-}

-- | An integer that is not negative, with a point before its last @places@ digits, 1 to 17, and
-- a sign where the first argument is 1.
--
-- What comes after the point is written with a 1 before it, whose place the point takes: so
-- no zeros are counted, and nothing is read that was just written.
pokePlaces :: Int# -> Word# -> Int# -> Poke
pokePlaces minus w places op s = case putByte op 0# 45## s of
  s1 -> case quotRemWord# w unit of
    (# whole, part #) -> case Decimal.pokeWord whole (plusAddr# op minus) s1 of
      (# s2, point #) -> case Decimal.pokeWord (unit `plusWord#` part) point s2 of
        (# s3, end #) -> case putByte point 0# 46## s3 of s4 -> (# s4, end #)
  where
    !unit = powerOfTen places
{-# NOINLINE pokePlaces #-}

-- | Of 0 to 17.
powerOfTen :: Int# -> Word#
powerOfTen n = case n of
  0# -> 1##
  1# -> 10##
  2# -> 100##
  3# -> 1000##
  4# -> 10000##
  5# -> 100000##
  6# -> 1000000##
  7# -> 10000000##
  8# -> 100000000##
  9# -> 1000000000##
  10# -> 10000000000##
  11# -> 100000000000##
  12# -> 1000000000000##
  13# -> 10000000000000##
  14# -> 100000000000000##
  15# -> 1000000000000000##
  16# -> 10000000000000000##
  _ -> 100000000000000000##
{-# INLINE powerOfTen #-}

-- | An integer of any size. In time @n log^2 n@: it is split at powers of ten
-- of half its length down to machine words.
pokeInteger :: Integer -> Fill
pokeInteger n mba op s
  | n >= toInteger (minBound :: Int),
    n <= toInteger (maxBound :: Int),
    I# i <- fromInteger n = case ensure 20# mba op s of
      (# s1, mba1, op1 #) -> case Decimal.pokeInt i op1 s1 of (# s2, op2 #) -> (# s2, mba1, op2 #)
  | n < 0 = case ensure 1# mba op s of
      (# s1, mba1, op1 #) -> case putByte op1 0# 45## s1 of
        s2 -> chunks (Decimal.wordsOf (negate n)) mba1 (plusAddr# op1 1#) s2
  | otherwise = chunks (Decimal.wordsOf n) mba op s
  where
    chunks ws mba' op' s' = case ws of
      [] -> (# s', mba', op' #)
      W# w : rest -> case ensure 20# mba' op' s' of
        (# s1, mba1, op1 #) -> case Decimal.pokeWord w op1 s1 of
          (# s2, op2 #) -> padded rest mba1 op2 s2
    padded ws mba' op' s' = case ws of
      [] -> (# s', mba', op' #)
      W# w : rest -> case ensure 16# mba' op' s' of
        (# s1, mba1, op1 #) -> case Decimal.pokeSixteen w op1 s1 of
          (# s2, op2 #) -> padded rest mba1 op2 s2
{-# NOINLINE pokeInteger #-}

-- * Reading

-- | A number as it stands: @coefficient * 10^power@.
data Decimal = Decimal !Integer !Int

-- | Any number, exactly. Its digits are limited by 'Tern.Limits.maxDigits'; its
-- power of ten is not expanded and so costs nothing; beyond 'Number.mostPower' it is another one.
readDecimal :: Step Decimal
readDecimal ctx e c0 s =
  let !c = inline Json.skipSpace e c0
      !minus = isMinus e c
      !from = plusAddr# c minus
   in case Number.scan e from of
        (# c1, w, q, n, _ #)
          | isTrue# (eqAddr# c1 nullAddr#) -> malformed e c (unAddr w) s
          | otherwise -> case digitLimit ctx s of
              (# s1, most #)
                | isTrue# (n ># most) -> tooManyDigits (I# most) c s1
                | isTrue# (n <=# 19#) -> decimal' c1 (signed minus (toInteger (W# w))) q s1
                -- At once: it looks at the input.
                | otherwise -> case Number.digits (I# n) c1 from of
                    (m, _) -> decimal' c1 (signed minus m) q s1
  where
    decimal' ::
      Addr# -> Integer -> Int# -> State# RealWorld -> (# State# RealWorld, Addr#, Decimal #)
    decimal' c1 !m q t = case Decimal m (I# q) of !d -> (# t, c1, d #)
{-# NOINLINE readDecimal #-}

tooManyDigits :: Int -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, a #)
tooManyDigits most c = failAt c (LimitExceeded (TooManyDigits most))

unAddr :: Word# -> Addr#
unAddr w = int2Addr# (word2Int# w)

isMinus :: Addr# -> Addr# -> Int#
isMinus e c
  | isTrue# (ltAddr# c e) = eqWord# (word8ToWord# (indexWord8OffAddr# c 0#)) 45##
  | otherwise = 0#
{-# INLINE isMinus #-}

signed :: Int# -> Integer -> Integer
signed minus m = if isTrue# minus then negate m else m

-- | A number was expected at @c@, and its grammar fails at @at@.
malformed :: Addr# -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, a #)
malformed e c at s
  | isTrue# (eqAddr# at c) = Json.failExpected ANumber e c s
  | isTrue# (geAddr# at e) = failAt at (UnexpectedEnd ADigit) s
  -- A digit is refused after a leading zero only.
  | isTrue# (leWord# (word8ToWord# (indexWord8OffAddr# at 0#) `minusWord#` 48##) 9##) =
      failAt at LeadingZero s
  | otherwise = failAt at (Unexpected ADigit) s
{-# NOINLINE malformed #-}

-- | An integer of any size.
readInteger :: Step Integer
readInteger ctx e c0 s =
  let !c = inline Json.skipSpace e c0
   in case readDecimal ctx e c s of
        (# s1, c1, Decimal m q #)
          | q >= 0 -> case digitLimit ctx s1 of
              (# s2, most #)
                | m /= 0, longer q (I# most) m -> tooManyDigits (I# most) c s2
                | otherwise -> case times10 m q of !i -> (# s2, c1, i #)
          | otherwise -> case integral m q of
              Just i -> (# s1, c1, i #)
              Nothing -> failAt c (Unexpected AnInteger) s1
  where
    -- Has m * 10^q more than most digits? Powers are only compared where an
    -- estimate does not tell.
    longer q most m = q > most || q + Decimal.digitsOf m > most && abs m >= 10 ^ (most - q)
{-# NOINLINE readInteger #-}

-- | @m * 10^q@ for @q@ of 0 and above, which may be huge where @m@ is 0.
times10 :: Integer -> Int -> Integer
times10 m q = if m == 0 then 0 else m * 10 ^ q

-- | @m * 10^q@ for @q@ below 0, where it is an integer. A fraction of more
-- digits than the coefficient has is none, so the power stays small.
integral :: Integer -> Int -> Maybe Integer
integral m q
  | m == 0 = Just 0
  | negate q > 5000000 = Nothing
  | negate q > Decimal.digitsOf m = Nothing
  | (i, 0) <- m `quotRem` (10 ^ negate q) = Just i
  | otherwise = Nothing

-- | An integer between two bounds, of the type named.
--
-- NOINLINE: the slow path of the codecs of machine integers, which read
-- plain digits themselves.
boundedInteger :: Text -> Integer -> Integer -> Step Integer
boundedInteger name low high ctx e c0 s =
  let !c = inline Json.skipSpace e c0
      !minus = isMinus e c
      !from = plusAddr# c minus
      bounded c2 i t
        | i >= low, i <= high = (# t, c2, i #)
        | otherwise = failAt c (OutOfRange name) t
   in case Number.scan e from of
        (# c1, w, q, n, _ #)
          | isTrue# (eqAddr# c1 nullAddr#) ->
              if isTrue# (eqAddr# (unAddr w) c)
                then Json.failExpected AnInteger e c s
                else malformed e c (unAddr w) s
          -- So large a power is out of every range, unless the number is 0.
          | isTrue# (q ># 40#), isTrue# (neWord# w 0##) -> failAt c (OutOfRange name) s
          | isTrue# (n <=# 19#) -> case ( if isTrue# (q >=# 0#)
                                            then Just (times10 (toInteger (W# w)) (I# q))
                                            else integral (toInteger (W# w)) (I# q)
                                        ) of
              Just i -> bounded c1 (signed minus i) s
              Nothing -> failAt c (Unexpected AnInteger) s
          | isTrue# (n +# q ># 21#) -> failAt c (OutOfRange name) s
          | isTrue# (q >=# 0#),
            (i, _) <- Number.digits (I# n) c1 from ->
              bounded c1 (signed minus i * 10 ^ I# q) s
          | otherwise -> case readInteger ctx e c s of (# s1, c2, i #) -> bounded c2 i s1
{-# NOINLINE boundedInteger #-}

-- | A double, exactly rounded; beyond the range it is an infinity or zero.
readDouble :: Step Double
readDouble _ e c0 s =
  let !c = inline Json.skipSpace e c0
      !minus = isMinus e c
      !from = plusAddr# c minus
   in case Number.scan e from of
        (# c1, w, q, n, _ #)
          | isTrue# (eqAddr# c1 nullAddr#) -> case notFinite e c s of
              (# s1, c2, d #)
                | isTrue# (eqAddr# c2 nullAddr#) -> malformed e c (unAddr w) s1
                | otherwise -> (# s1, c2, D# d #)
          | isTrue# (n <=# 19#) -> case signedD minus (Nearest.double w q) of d -> (# s, c1, D# d #)
          | otherwise -> case longDouble from c1 n q of
              D# d -> case signedD minus d of d' -> (# s, c1, D# d' #)
  where
    -- Bound by a case wherever it is used: as an argument of D# it would wait
    -- in a thunk.
    signedD minus d = if isTrue# minus then negateDouble# d else d
{-# NOINLINE readDouble #-}

-- | As 'readDouble': rounded once, from the decimal digits.
readFloat :: Step Float
readFloat _ e c0 s =
  let !c = inline Json.skipSpace e c0
      !minus = isMinus e c
      !from = plusAddr# c minus
   in case Number.scan e from of
        (# c1, w, q, n, _ #)
          | isTrue# (eqAddr# c1 nullAddr#) -> case notFinite e c s of
              (# s1, c2, d #)
                | isTrue# (eqAddr# c2 nullAddr#) -> malformed e c (unAddr w) s1
                | otherwise -> (# s1, c2, F# (double2Float# d) #)
          | isTrue# (n <=# 19#) -> case signedF minus (Nearest.float w q) of d -> (# s, c1, F# d #)
          | otherwise -> case longFloat from c1 n q of
              F# d -> case signedF minus d of d' -> (# s, c1, F# d' #)
  where
    signedF minus d = if isTrue# minus then negateFloat# d else d
{-# NOINLINE readFloat #-}

-- | @null@, @"+inf"@ or @"-inf"@ at the cursor, and the address after it, or
-- the null address.
notFinite :: Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Double# #)
notFinite e c s = case Literal.matches "null" e c s of
  (# s1, 1# #) -> (# s1, plusAddr# c 4#, 0.0## /## 0.0## #)
  (# s1, _ #) -> case Literal.matches "\"+inf\"" e c s1 of
    (# s2, 1# #) -> (# s2, plusAddr# c 6#, 1.0## /## 0.0## #)
    (# s2, _ #) -> case Literal.matches "\"-inf\"" e c s2 of
      (# s3, 1# #) -> (# s3, plusAddr# c 6#, -1.0## /## 0.0## #)
      (# s3, _ #) -> (# s3, nullAddr#, 0.0## #)
{-# NOINLINE notFinite #-}

-- | More than 19 digits. The number lies between what its first 19 digits make
-- and what the next number of 19 digits makes; only where these differ are the
-- others looked at, and beyond 800 no digit matters but whether it is 0.
longDouble :: Addr# -> Addr# -> Int# -> Int# -> Double
longDouble from to n q
  | isTrue# (Nearest.double w q' ==## Nearest.double (plusWord# w 1##) q') =
      D# (Nearest.double w q')
  | otherwise = case Number.digits 800 to from of (m, p) -> Nearest.exactDouble m (I# q + p)
  where
    !w = Number.leading to from
    !q' = q +# (n -# 19#)

longFloat :: Addr# -> Addr# -> Int# -> Int# -> Float
longFloat from to n q
  | isTrue# (eqFloat# (Nearest.float w q') (Nearest.float (plusWord# w 1##) q')) =
      F# (Nearest.float w q')
  | otherwise = case Number.digits 800 to from of (m, p) -> Nearest.exactFloat m (I# q + p)
  where
    !w = Number.leading to from
    !q' = q +# (n -# 19#)
