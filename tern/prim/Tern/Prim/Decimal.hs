{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Integers of a machine word, and what floating-point numbers become, as decimal digits.
--
-- Digits are written and read eight at a time without a branch on how many there
-- are, by functions in C (@cbits/tern_decimal.c@ says how): GHC's own code for the
-- same arithmetic was no faster than branches are.
module Tern.Prim.Decimal
  ( pokeInt,
    pokeWord,
    pokeSixteen,
    pokeDecimal,
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

import Data.Word (Word8)
import GHC.Exts
import GHC.IO (unIO)
import GHC.Num (integerLog2)
import Tern.Prim.Buffer (Poke)
import Tern.Prim.Byte (byteAt)

-- | No 'Int' or 'Word' has more characters.
intBound :: Int
intBound = 20

-- | A signed integer. Without a pragma the optimised right side is inlined, which is one
-- foreign call; with INLINE the source is, in each field of a record anew.
pokeInt :: Int# -> Poke
pokeInt i op s = at (c_put_int (Ptr op) (I# i)) s

-- | An unsigned integer.
pokeWord :: Word# -> Poke
pokeWord w op s = at (c_put_word (Ptr op) (W# w)) s

-- | Exactly sixteen digits, of a number below 10^16.
pokeSixteen :: Word# -> Poke
pokeSixteen w op s = at (c_put_sixteen (Ptr op) (W# w)) s

-- | @d * 10^k@, @d@ above 0 and below 10^17, without zeros at the end: with a point among its
-- digits or zeros before them from 10^-5 up to 10^16, and with an exponent else. At most 23
-- bytes; what is stored after them goes to the slack.
pokeDecimal :: Word# -> Int# -> Poke
pokeDecimal d k op s = at (c_put_decimal (Ptr op) (W# d) (I# k)) s

at :: IO (Ptr Word8) -> State# RealWorld -> (# State# RealWorld, Addr# #)
at put s = case unIO put s of (# s1, Ptr end #) -> (# s1, end #)
{-# INLINE at #-}

foreign import ccall unsafe "tern_put_int" c_put_int :: Ptr Word8 -> Int -> IO (Ptr Word8)

foreign import ccall unsafe "tern_put_word" c_put_word :: Ptr Word8 -> Word -> IO (Ptr Word8)

foreign import ccall unsafe "tern_put_sixteen"
  c_put_sixteen :: Ptr Word8 -> Word -> IO (Ptr Word8)

foreign import ccall unsafe "tern_put_decimal"
  c_put_decimal :: Ptr Word8 -> Word -> Int -> IO (Ptr Word8)

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
readWord e c
  | isTrue# (geAddr# c e) = (# nullAddr#, 0## #)
  | otherwise = case c_take_int (Ptr e) (Ptr c) of
      -- A sign is not looked for: somebody says that it is none.
      I# taken
        | isTrue# (taken ># 0#) ->
            (# plusAddr# c (andI# taken 31#), int2Word# (uncheckedIShiftRA# taken 5#) #)
        | otherwise -> readWordHere e c
{-# NOINLINE readWord #-}

-- | As 'readInt', for a caller that is itself the one function for all numbers
-- of a type: a call less for each.
readIntHere :: Addr# -> Addr# -> (# Addr#, Int# #)
readIntHere e c
  | isTrue# (geAddr# c e) = (# nullAddr#, 0# #)
  | otherwise = case c_take_int (Ptr e) (Ptr c) of
      I# 0# -> readIntSlowly e c
      I# taken -> (# plusAddr# c (andI# taken 31#), uncheckedIShiftRA# taken 5# #)
{-# INLINE readIntHere #-}

-- | Digit by digit: at the end of the input, and of 16 to 18 digits. The cursor is before
-- the end.
readIntSlowly :: Addr# -> Addr# -> (# Addr#, Int# #)
readIntSlowly e c =
  let !minus = eqWord# (byteAt c) 45##
   in case readWordHere e (plusAddr# c minus) of
        (# c1, w #) -> (# c1, (word2Int# w `xorI#` negateInt# minus) +# minus #)
{-# NOINLINE readIntSlowly #-}

foreign import ccall unsafe "tern_take_int" c_take_int :: Ptr Word8 -> Ptr Word8 -> Int

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

-- | Is it the byte of an ASCII digit? Any word may be asked about.
isDigit :: Word# -> Bool
isDigit b = isTrue# (ltWord# (b `minusWord#` 48##) 10##)
{-# INLINE isDigit #-}
