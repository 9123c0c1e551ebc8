{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | JSON's numbers (RFC 8259, section 6), found and taken apart.
--
-- The idea: one pass that keeps the digits as a machine word while they fit,
-- eight at a time where eight follow each other, and never builds a number
-- larger than that. What does not fit is told by its count of digits, and
-- 'digits' reads it again, exactly.
module Tern.Prim.Number
  ( scan,
    mostPower,
    places,
    leading,
    digits,
  )
where

import Data.List qualified as List
import GHC.Exts
import Tern.Prim.Byte (byteAt)

-- | The number at the cursor (the second address; the first is the input's
-- end), without its sign: the address after it or null where the grammar is
-- not obeyed; its digits as a word, modulo 2^64; the power of ten they are to
-- be multiplied with; how many significant digits there are (up to 19 always
-- fit in the word); and 1 where it has no fraction and no exponent.
--
-- Where the address is null the word tells at which address the grammar
-- fails.
scan :: Addr# -> Addr# -> (# Addr#, Word#, Int#, Int#, Int# #)
scan e c = case digitRun e c 0## of
  (# c1, w1 #) -> case minusAddr# c1 c of
    0# -> malformed c
    n1
      | isTrue# (n1 ># 1#), isTrue# (eqWord# (byteAt c) 48##) -> malformed (plusAddr# c 1#)
      | isTrue# (ltAddr# c1 e) -> case byteAt c1 of
          46## -> fraction w1 n1 c1
          101## -> power w1 n1 0# c1
          69## -> power w1 n1 0# c1
          _ -> (# c1, w1, 0#, n1, 1# #)
      | otherwise -> (# c1, w1, 0#, n1, 1# #)
  where
    fraction w1 n1 c1 =
      let !c2 = plusAddr# c1 1#
       in case digitRun e c2 w1 of
            (# c3, w3 #) -> case minusAddr# c3 c2 of
              0# -> malformed c3
              n3 ->
                -- Zeros before the first other digit do not count.
                let !n = case eqWord# w1 0## `andI#` (n1 ==# 1#) of
                      1# -> n3 -# leadingZeros c3 c2 0#
                      _ -> n1 +# n3
                 in if isTrue# (ltAddr# c3 e) && isTrue# (eqWord# (byteAt c3 `or#` 32##) 101##)
                      then power w3 n (negateInt# n3) c3
                      else (# c3, w3, negateInt# n3, n, 0# #)
    power w n scale c1 =
      let !c2 = plusAddr# c1 1#
          !sign = if isTrue# (ltAddr# c2 e) then byteAt c2 else 0##
          !c3 = case sign of
            43## -> plusAddr# c2 1#
            45## -> plusAddr# c2 1#
            _ -> c2
       in case exponentDigits e c3 0# of
            (# c4, x #) -> case eqAddr# c4 c3 of
              1# -> malformed c4
              _ -> case sign of
                45## -> (# c4, w, scale -# x, n, 0# #)
                _ -> (# c4, w, scale +# x, n, 0# #)
    malformed at = (# nullAddr#, int2Word# (addr2Int# at), 0#, 0#, 0# #)
{-# NOINLINE scan #-}

-- | Powers of ten are exact up to this one, and down to the same below 0. Beyond it 'scan' says
-- another power, which is further from it than any input is long.
mostPower :: Int
mostPower = 4000000000000000000

-- | A number without an exponent, at the cursor (the second address; the first is the
-- input's end), without its sign: the address after it, its digits as a word, and how many of
-- them stand after a point. An integer has at most 18 digits, any other number 17. Or the
-- null address where it is anything else, and somebody must look again.
places :: Addr# -> Addr# -> (# Addr#, Word#, Int# #)
places e c = case digitRun e c 0## of
  (# c1, w1 #) -> case minusAddr# c1 c of
    0# -> other
    1# -> after w1 c1
    _ -> case byteAt c of
      48## -> other
      _ -> after w1 c1
  where
    other = (# nullAddr#, 0##, 0# #)
    after w1 c1
      | isTrue# (ltAddr# c1 e) = case byteAt c1 of
          46## -> fraction w1 c1
          101## -> other
          69## -> other
          _ -> whole w1 c1
      | otherwise = whole w1 c1
    whole w c1 = case minusAddr# c1 c <=# 18# of
      1# -> (# c1, w, 0# #)
      _ -> other
    fraction w1 c1 = case digitRun e (plusAddr# c1 1#) w1 of
      (# c2, w2 #) -> case minusAddr# c2 c1 -# 1# of
        0# -> other
        n
          | isTrue# (minusAddr# c2 c ># 18#) -> other
          | isTrue# (ltAddr# c2 e), isTrue# (eqWord# (byteAt c2 `or#` 32##) 101##) -> other
          | otherwise -> (# c2, w2, n #)
{-# NOINLINE places #-}

leadingZeros :: Addr# -> Addr# -> Int# -> Int#
leadingZeros e c n
  | isTrue# (ltAddr# c e),
    isTrue# (eqWord# (byteAt c) 48##) =
      leadingZeros e (plusAddr# c 1#) (n +# 1#)
  | otherwise = n

-- | Digits appended to a word, modulo 2^64. Eight bytes at a time: how many of them are
-- digits is no branch for each, which would be foretold wrongly at the end of most numbers.
digitRun :: Addr# -> Addr# -> Word# -> (# Addr#, Word# #)
digitRun e = go
  where
    go c w
      | isTrue# (minusAddr# e c >=# 8#) =
          let !t = word64ToWord# (indexWord64OffAddr# c 0#) `xor#` 0x3030303030303030##
           in -- The top bit of each byte that is no digit. A carry out of one only changes bytes
              -- after it.
              case (t `or#` (t `plusWord#` 0x7676767676767676##)) `and#` 0x8080808080808080## of
                0## -> go (plusAddr# c 8#) ((w `timesWord#` 100000000##) `plusWord#` eight t)
                others -> few c w t (word2Int# (ctz# others `uncheckedShiftRL#` 3#))
      | otherwise = single c w
    -- The first n of eight bytes, 0 to 7: zeros are put before them.
    few c w t n = case n of
      0# -> (# c, w #)
      _ ->
        (#
          plusAddr# c n,
          (w `timesWord#` tenTo n) `plusWord#` eight (t `uncheckedShiftL#` (64# -# (8# *# n)))
        #)
    single c w
      | isTrue# (geAddr# c e) = (# c, w #)
      | otherwise = case byteAt c `minusWord#` 48## of
          d
            | isTrue# (ltWord# d 10##) ->
                single (plusAddr# c 1#) ((w `timesWord#` 10##) `plusWord#` d)
            | otherwise -> (# c, w #)
{-# INLINE digitRun #-}

-- | The number that eight digits, 0 to 9 in a byte each, stand for: pairs, fours and eights
-- are joined side by side within the word.
eight :: Word# -> Word#
eight a =
  let !b = (a `timesWord#` 10##) `plusWord#` (a `uncheckedShiftRL#` 8#)
      !x = (b `and#` 0x000000FF000000FF##) `timesWord#` 0x000F424000000064##
      !y =
        ((b `uncheckedShiftRL#` 16#) `and#` 0x000000FF000000FF##) `timesWord#` 0x0000271000000001##
   in (x `plusWord#` y) `uncheckedShiftRL#` 32#
{-# INLINE eight #-}

-- | Ten to the power of 0 to 7, by a table: a branch would be foretold wrongly.
tenTo :: Int# -> Word#
tenTo n = word32ToWord# (indexWord32OffAddr# table n)
  where
    -- 1, 10, 100 and so on: four bytes each, the lowest first.
    table =
      "\x01\0\0\0\x0a\0\0\0\x64\0\0\0\xe8\x03\0\0\
      \\x10\x27\0\0\xa0\x86\x01\0\x40\x42\x0f\0\x80\x96\x98\0"#
{-# INLINE tenTo #-}

-- | An exponent's digits; its value is exact below 'mostPower' and stays at 2^62 or so beyond
-- it.
exponentDigits :: Addr# -> Addr# -> Int# -> (# Addr#, Int# #)
exponentDigits e c x
  | isTrue# (geAddr# c e) = (# c, x #)
  | otherwise = case byteAt c `minusWord#` 48## of
      d
        | isTrue# (ltWord# d 10##) ->
            exponentDigits
              e
              (plusAddr# c 1#)
              ( if isTrue# (x <=# 400000000000000000#)
                  then (x *# 10#) +# word2Int# d
                  else 4611686018427387904#
              )
        | otherwise -> (# c, x #)

-- | The first 19 significant digits between two addresses, as a number. There must be
-- 19 or more.
leading :: Addr# -> Addr# -> Word#
leading e c0 = go c0 0## 0#
  where
    go c w n
      | isTrue# (n ==# 19#) = w
      | isTrue# (geAddr# c e) = w
      | otherwise = case byteAt c `minusWord#` 48## of
          0## | isTrue# (n ==# 0#) -> go (plusAddr# c 1#) w n
          d
            | isTrue# (ltWord# d 10##) ->
                go (plusAddr# c 1#) ((w `timesWord#` 10##) `plusWord#` d) (n +# 1#)
            | otherwise -> go (plusAddr# c 1#) w n

-- | The significant digits between two addresses, up to an exponent, as an
-- integer. Of more than @most@ digits the rest is left out: an integer @m@ and
-- a count @p@ of digits, so that the whole is @m * 10^p@, a little more where
-- @p@ is not 0 (a last digit 1 then stands for anything that was not 0). In
-- time @n log^2 n@: chunks of a word are joined in pairs.
digits :: Int -> Addr# -> Addr# -> (Integer, Int)
digits most e0 c0
  | left > 0, any (/= 0) rest = (joined * 10 + 1, left - 1)
  | otherwise = (joined, left)
  where
    significant =
      dropWhile
        (== 0)
        [ b - 48
          | b <-
              takeWhile (\b -> b /= 101 && b /= 69) (bytes e0 c0),
            b >= 48,
            b < 58
        ]
    (kept, rest) = splitAt most significant
    left = length rest
    joined = join 1 (chunks ((length kept - 1) `mod` 18 + 1) kept)
    bytes e c
      | isTrue# (geAddr# c e) = []
      | otherwise = I# (word2Int# (byteAt c)) : bytes e (plusAddr# c 1#)
    -- Whole chunks of 18 digits after a first one that may be shorter.
    chunks n ds = case splitAt n ds of
      ([], _) -> []
      (chunk, more) -> toInteger (List.foldl' (\acc d -> acc * 10 + d) 0 chunk) : chunks 18 more
    join width = \case
      [] -> 0
      [x] -> x
      xs -> join (2 * width) (pairs (10 ^ (18 * width :: Int)) (odd (length xs)) xs)
    pairs scale alone xs
      | alone, x : more <- xs = x : pairs scale False more
      | x : y : more <- xs = x * scale + y : pairs scale False more
      | otherwise = []
