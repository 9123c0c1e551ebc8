{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Integers of a machine word as decimal digits.
--
-- Digits are written two at a time from a table, and quotients by powers of
-- ten are multiplications by reciprocals (Granlund and Montgomery, "Division
-- by invariant integers using multiplication", 1994): GHC's code generator
-- would emit divisions.
module Tern.Prim.Decimal
  ( pokeInt,
    pokeWord,
    pokeEight,
    pokeSixteen,
    intBound,
    wordsOf,
    digitsOf,

    -- * Reading
    readInt,
    readWord,
    readIntHere,
    isDigit,
  )
where

import GHC.Exts
import GHC.Num (integerLog2)
import Tern.Prim.Buffer (Poke)
import Tern.Prim.Byte (byteAt)

-- | No 'Int' or 'Word' has more characters.
intBound :: Int
intBound = 20

-- | A signed integer. NOINLINE: one call for each number keeps a record of a
-- hundred of them small; inlined it would be forty instructions each.
pokeInt :: Int# -> Poke
pokeInt i = \op s -> case i >=# 0# of
  1# -> pokeDigits (int2Word# i) op s
  _ -> case writeWord8OffAddr# op 0# (wordToWord8# 45##) s of
    s1 -> pokeDigits (int2Word# (negateInt# i)) (plusAddr# op 1#) s1
{-# NOINLINE pokeInt #-}

-- | An unsigned integer.
pokeWord :: Word# -> Poke
pokeWord w = \op s -> pokeDigits w op s
{-# NOINLINE pokeWord #-}

pokeDigits :: Word# -> Poke
pokeDigits w op s
  | isTrue# (ltWord# w 10000##) = pokeUpTo4 w op s
  | isTrue# (ltWord# w 100000000##) = pokeUpTo8From5 w op s
  | otherwise =
      let !high = inline div1e8 w
          !low = w `minusWord#` (high `timesWord#` 100000000##)
       in case isTrue# (ltWord# high 100000000##) of
            True -> case pokeUpTo8 high op s of
              (# s1, op1 #) -> pokeEight low op1 s1
            False ->
              let !top = inline div1e8 high
                  !middle = high `minusWord#` (top `timesWord#` 100000000##)
               in case pokeUpTo4 top op s of
                    (# s1, op1 #) -> case pokeEight middle op1 s1 of
                      (# s2, op2 #) -> pokeEight low op2 s2
{-# INLINE pokeDigits #-}

-- | Below 10^8, without leading zeros.
pokeUpTo8 :: Word# -> Poke
pokeUpTo8 w op s
  | isTrue# (ltWord# w 10000##) = pokeUpTo4 w op s
  | otherwise = pokeUpTo8From5 w op s

pokeUpTo8From5 :: Word# -> Poke
pokeUpTo8From5 w op s =
  let !high = inline div1e4 w
      !low = w `minusWord#` (high `timesWord#` 10000##)
   in case pokeUpTo4 high op s of
        (# s1, op1 #) -> case inline four low op1 s1 of
          s2 -> (# s2, plusAddr# op1 4# #)
{-# INLINE pokeUpTo8From5 #-}

-- | Below 10^4, without leading zeros.
pokeUpTo4 :: Word# -> Poke
pokeUpTo4 w op s
  | isTrue# (ltWord# w 100##) = pokeUpTo2 w op s
  | otherwise =
      let !high = inline div100 w
          !low = w `minusWord#` (high `timesWord#` 100##)
       in case pokeUpTo2 high op s of
            (# s1, op1 #) -> case inline pair low op1 s1 of
              s2 -> (# s2, plusAddr# op1 2# #)

pokeUpTo2 :: Word# -> Poke
pokeUpTo2 w op s
  | isTrue# (ltWord# w 10##) = case writeWord8OffAddr# op 0# (wordToWord8# (plusWord# w 48##)) s of
      s1 -> (# s1, plusAddr# op 1# #)
  | otherwise = case inline pair w op s of s1 -> (# s1, plusAddr# op 2# #)
{-# INLINE pokeUpTo2 #-}

-- | Exactly eight digits, of a number below 10^8.
pokeEight :: Word# -> Poke
pokeEight w op s =
  let !high = inline div1e4 w
      !low = w `minusWord#` (high `timesWord#` 10000##)
   in case inline four high op s of
        s1 -> case inline four low (plusAddr# op 4#) s1 of
          s2 -> (# s2, plusAddr# op 8# #)

-- | Exactly sixteen digits, of a number below 10^16.
pokeSixteen :: Word# -> Poke
pokeSixteen w op s =
  let !high = inline div1e8 w
   in case pokeEight high op s of
        (# s1, op1 #) -> pokeEight (w `minusWord#` (high `timesWord#` 100000000##)) op1 s1

-- | Exactly four digits, of a number below 10^4.
four :: Word# -> Addr# -> State# RealWorld -> State# RealWorld
four w op s =
  let !high = inline div100 w
      !low = w `minusWord#` (high `timesWord#` 100##)
   in case inline pair high op s of s1 -> inline pair low (plusAddr# op 2#) s1
{-# INLINE four #-}

-- | Exactly two digits, of a number below 100.
pair :: Word# -> Addr# -> State# RealWorld -> State# RealWorld
pair w op s = case pairs of
  Ptr table -> writeWord16OffAddr# op 0# (indexWord16OffAddr# table (word2Int# w)) s
{-# INLINE pair #-}

-- | The numbers 00 to 99, two characters each.
pairs :: Ptr ()
pairs =
  Ptr
    "0001020304050607080910111213141516171819\
    \2021222324252627282930313233343536373839\
    \4041424344454647484950515253545556575859\
    \6061626364656667686970717273747576777879\
    \8081828384858687888990919293949596979899"#

-- Quotients. Each holds for all arguments of the range stated.

-- | Below 10^4 (in fact below 43,699).
div100 :: Word# -> Word#
div100 w = (w `timesWord#` 5243##) `uncheckedShiftRL#` 19#
{-# INLINE div100 #-}

-- | Below 2^32.
div1e4 :: Word# -> Word#
div1e4 w = (w `timesWord#` 3518437209##) `uncheckedShiftRL#` 45#
{-# INLINE div1e4 #-}

-- | Any word.
div1e8 :: Word# -> Word#
div1e8 w = case timesWord2# w 0xABCC77118461CEFD## of
  (# high, _ #) -> high `uncheckedShiftRL#` 26#
{-# INLINE div1e8 #-}

-- * Integers of any size

-- | An integer above 0 in chunks of sixteen digits, the first of which is not 0.
-- In time @n log^2 n@: halves are split by powers that are made by squaring.
wordsOf :: Integer -> [Word]
wordsOf n = dropWhile (== 0) (split (powers (10 ^ (16 :: Int))) n [])
  where
    -- The squares up to the integer, the largest first.
    powers p = reverse (takeWhile (<= n) (iterate (\x -> x * x) p))
    split ps x rest = case ps of
      [] -> fromInteger x : rest
      p : smaller -> case x `quotRem` p of
        (high, low) -> split smaller high (split smaller low rest)

-- | No fewer than the digits of an integer, and at most one or two more.
digitsOf :: Integer -> Int
digitsOf n
  | n == 0 = 1
  | otherwise = fromIntegral (integerLog2 (abs n)) * 1234 `quot` 4096 + 2

-- * Reading

-- | A plain integer of at most 18 digits at the cursor (the second address;
-- the first is the input's end): the address after it and its value, or the
-- null address where it is anything else (longer, with a leading zero, with a
-- fraction or an exponent, no number) and somebody must look again.
readInt :: Addr# -> Addr# -> (# Addr#, Int# #)
readInt e c = readIntHere e c
{-# NOINLINE readInt #-}

-- | The same without a sign.
readWord :: Addr# -> Addr# -> (# Addr#, Word# #)
readWord e c = readWordHere e c
{-# NOINLINE readWord #-}

-- | As 'readInt', for a caller that is itself the one function for all numbers
-- of a type: a call less for each.
readIntHere :: Addr# -> Addr# -> (# Addr#, Int# #)
readIntHere e c
  | isTrue# (geAddr# c e) = (# nullAddr#, 0# #)
  | otherwise =
      let !minus = eqWord# (byteAt c) 45##
       in case readWordHere e (plusAddr# c minus) of
            (# c1, w #) -> (# c1, (word2Int# w `xorI#` negateInt# minus) +# minus #)
{-# INLINE readIntHere #-}

readWordHere :: Addr# -> Addr# -> (# Addr#, Word# #)
readWordHere e c
  | isTrue# (geAddr# c e) = (# nullAddr#, 0## #)
  | otherwise = case byteAt c `minusWord#` 48## of
      0## -> end 0## (plusAddr# c 1#)
      d
        | isTrue# (ltWord# d 10##) -> go d (plusAddr# c 1#)
        | otherwise -> (# nullAddr#, 0## #)
  where
    go acc p
      | isTrue# (geAddr# p e) = finish acc p
      | otherwise = case byteAt p `minusWord#` 48## of
          d
            | isTrue# (ltWord# d 10##) ->
                go ((acc `timesWord#` 10##) `plusWord#` d) (plusAddr# p 1#)
            | otherwise -> end acc p
    -- After the digits: none may follow (a leading zero), nor what makes it
    -- another kind of number.
    end acc p
      | isTrue# (geAddr# p e) = finish acc p
      | otherwise = case byteAt p of
          46## -> (# nullAddr#, 0## #)
          69## -> (# nullAddr#, 0## #)
          101## -> (# nullAddr#, 0## #)
          b
            | isDigit b -> (# nullAddr#, 0## #)
            | otherwise -> finish acc p
    finish acc p
      | isTrue# (minusAddr# p c ># 18#) = (# nullAddr#, 0## #)
      | otherwise = (# p, acc #)
{-# INLINE readWordHere #-}

isDigit :: Word# -> Bool
isDigit b = isTrue# (ltWord# (b `minusWord#` 48##) 10##)
{-# INLINE isDigit #-}
