{-# LANGUAGE MagicHash #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Numbers as they are written: nothing is lost and nothing is expanded.
--
-- The idea: digits and the place of a point are two words, where that is enough to write the
-- same text again; any other number is its text.
module Tern.Internal.Json.Numeral
  ( Number,
    numberFromInt,
    wholeNumber,
    nearDouble,
    numberFromInteger,
    numberFromDecimal,
    numberFromDouble,
    numberToDouble,
    numberToInteger,
    renderNumber,

    -- * Codecs
    numberW,
    numberR,
  )
where

import Data.Either (fromRight)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Array qualified as TA
import Data.Text.Internal (Text (..))
import GHC.Exts
import Tern.Internal.Json.Codec qualified as Json
import Tern.Internal.Json.Document (decodeTextWith, encodeTextWith)
import Tern.Internal.Json.Number (malformed, pokePlaces, realBound)
import Tern.Internal.Read (Reader (..))
import Tern.Internal.Write (Writer (..), bounded, toFill, write)
import Tern.Prim.Buffer (ensure)
import Tern.Prim.Number qualified as Number

-- | A number as it was written: @1.50@ is not changed to @1.5@.
data Number
  = -- | An integer in its shortest form.
    Whole !Int
  | -- | An integer, and how many of its digits stand after a point: 1 to 16, of at most 17 in
    -- all. It is not 0 with a sign.
    Places !Int !Int
  | -- | Anything else that JSON's grammar allows.
    Written {-# UNPACK #-} !Text

-- | Equal where the numbers are, however they were written.
instance Eq Number where
  a == b = compare a b == EQ

-- | By value; exact, and not slowed down by huge exponents.
instance Ord Number where
  compare (Whole a) (Whole b) = compare a b
  compare (Places a p) (Places b q) | p == q = compare a b
  compare a b = compareDecimal (decimalOf a) (decimalOf b)

instance Show Number where
  show = T.unpack . renderNumber

-- | A machine's integer.
numberFromInt :: Int -> Number
numberFromInt = Whole
{-# INLINE numberFromInt #-}

-- | The machine's integer that stands there in its shortest form.
wholeNumber :: Number -> Maybe Int
wholeNumber = \case
  Whole n -> Just n
  Places _ _ -> Nothing
  Written _ -> Nothing
{-# INLINE wholeNumber #-}

-- | An integer.
numberFromInteger :: Integer -> Number
numberFromInteger n
  | n >= toInteger (minBound :: Int), n <= toInteger (maxBound :: Int) = Whole (fromInteger n)
  | otherwise = Written (encodeTextWith Json.integerW n)

-- | A coefficient times a power of ten, which is not expanded. Up to 16 digits stand after a
-- point.
--
-- >>> numberFromDecimal 15 (-1)
-- 1.5
-- >>> numberFromDecimal 15 (-17)
-- 15e-17
-- >>> numberFromDecimal 7 1000000000
-- 7e1000000000
numberFromDecimal :: Integer -> Int -> Number
numberFromDecimal coefficient power
  | coefficient == 0 || power == 0 = numberFromInteger coefficient
  | power > 0 || power < -16 = Written (T.concat [digits, "e", encodeTextWith Json.intW power])
  | abs coefficient < 10 ^ (17 :: Int) = Places (fromInteger coefficient) (negate power)
  | otherwise =
      -- There are eighteen digits at least.
      let (whole, fraction) = T.splitAt (T.length digits + power) digits
       in Written (T.concat [whole, ".", fraction])
  where
    digits = encodeTextWith Json.integerW coefficient

-- | A finite double; 'Nothing' for what JSON cannot say.
numberFromDouble :: Double -> Maybe Number
numberFromDouble x
  | isNaN x || isInfinite x = Nothing
  | otherwise = Just (Written (encodeTextWith Json.doubleW x))

-- | The nearest double, an infinity where the number is out of range.
numberToDouble :: Number -> Double
numberToDouble number = case nearDouble number of
  Just x -> x
  -- It was read once already.
  Nothing -> fromRight (0 / 0) (decodeTextWith Json.doubleR (renderNumber number))

-- | The same where it is seen at once.
nearDouble :: Number -> Maybe Double
nearDouble = \case
  Whole n -> Just (fromIntegral n)
  -- Both are exact, and so the quotient is the nearest.
  Places n p | abs n < 2 ^ (53 :: Int) -> Just (fromIntegral n / 10 ^ p)
  Places _ _ -> Nothing
  Written _ -> Nothing
{-# INLINE nearDouble #-}

-- | The integer that the number is, unless it is none, or has more than 4,096
-- digits.
numberToInteger :: Number -> Maybe Integer
numberToInteger = \case
  Whole n -> Just (toInteger n)
  number -> integral (renderNumber number)
  where
    integral t = either (const Nothing) Just (decodeTextWith Json.integerR t)

-- | The number as it was written.
renderNumber :: Number -> Text
renderNumber = \case
  Whole n -> T.pack (show n)
  number@(Places _ _) -> encodeTextWith numberW number
  Written t -> t

-- | As it was written ('renderNumber'), with no text made first.
numberW :: Writer Number
numberW = FillWriter $ \n mba op s -> case n of
  Whole i -> toFill (write Json.intW i) mba op s
  Places (I# i) (I# p) ->
    let !minus = i <# 0#
     in toFill (bounded realBound (pokePlaces minus (magnitude minus i) p)) mba op s
  Written (Text (TA.ByteArray array) (I# off) (I# len)) -> case ensure len mba op s of
    (# s1, mba1, op1 #) -> case copyByteArrayToAddr# array off op1 len s1 of
      s2 -> (# s2, mba1, plusAddr# op1 len #)
  where
    magnitude minus i = int2Word# ((i `xorI#` negateInt# minus) +# minus)

-- | At the number itself, or its sign.
numberR :: Reader Number
numberR = Reader $ \_ e c s ->
  let !minus = case ltAddr# c e of
        1# -> eqWord# (word8ToWord# (indexWord8OffAddr# c 0#)) 45##
        _ -> 0#
      !from = plusAddr# c minus
   in case Number.places e from of
        (# c1, w, p #)
          | isTrue# (eqAddr# c1 nullAddr#) -> written from e c s
          -- A sign would be lost.
          | isTrue# minus, isTrue# (eqWord# w 0##) -> written from e c s
          | otherwise ->
              let !i = (word2Int# w `xorI#` negateInt# minus) +# minus
               in case p of
                    0# -> (# s, c1, Whole (I# i) #)
                    _ -> (# s, c1, Places (I# i) (I# p) #)
  where
    written :: Addr# -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Number #)
    written from e c s = case Number.scan e from of
      (# c1, w, _, _, _ #)
        | isTrue# (eqAddr# c1 nullAddr#) -> malformed e c (int2Addr# (word2Int# w)) s
        | otherwise ->
            let !n = minusAddr# c1 c
             in case newByteArray# n s of
                  (# s1, mba #) -> case copyAddrToByteArray# c mba 0# n s1 of
                    s2 -> case unsafeFreezeByteArray# mba s2 of
                      (# s3, array #) ->
                        (# s3, c1, Written (Text (TA.ByteArray array) 0 (I# n)) #)

-- | Sign, digits without leading or trailing zeros, and the power of ten that
-- the number is below: @0.digits * 10^power@. Zero is @(0, "", 0)@.
decimalOf :: Number -> (Int, Text, Power)
decimalOf n
  | T.null digits = (0, "", Small 0)
  | otherwise = (if negative then -1 else 1, T.dropWhileEnd (== '0') digits, exponent10)
  where
    text = renderNumber n
    negative = T.isPrefixOf "-" text
    (mantissa, power) = T.break (\c -> c == 'e' || c == 'E') (T.dropWhile (== '-') text)
    (whole, fraction) = T.break (== '.') mantissa
    allDigits = whole <> T.drop 1 fraction
    digits = T.dropWhile (== '0') allDigits
    leading = T.length allDigits - T.length digits
    wholeDigits = T.length whole - leading
    exponent10 = case T.uncons (T.drop 1 power) of
      Nothing -> Small (toInteger wholeDigits)
      Just ('-', ds) -> negated (power10 ds (negate wholeDigits))
      Just ('+', ds) -> power10 ds wholeDigits
      Just _ -> power10 (T.drop 1 power) wholeDigits

-- | A power of ten: one of at most sixty digits, or the digits of one that has more, with its
-- sign. It is exact, and takes linear time however many digits there are.
data Power = Small !Integer | Huge !Bool !Text
  deriving stock (Eq)

instance Ord Power where
  compare (Small a) (Small b) = compare a b
  compare (Small _) (Huge negative _) = if negative then GT else LT
  compare (Huge negative _) (Small _) = if negative then LT else GT
  compare (Huge True a) (Huge True b) = compare (T.length b, b) (T.length a, a)
  compare (Huge False a) (Huge False b) = compare (T.length a, a) (T.length b, b)
  compare (Huge True _) (Huge False _) = LT
  compare (Huge False _) (Huge True _) = GT

negated :: Power -> Power
negated = \case
  Small n -> Small (negate n)
  Huge negative digits -> Huge (not negative) digits

-- | What digits say, and a number more.
power10 :: Text -> Int -> Power
power10 ds n
  | T.length digits <= 60 = small (valueOf digits + toInteger n)
  | otherwise = huge (carried high carry <> T.justifyRight 20 '0' (T.pack (show low)))
  where
    digits = T.dropWhile (== '0') ds
    valueOf = T.foldl' (\acc c -> acc * 10 + toInteger (fromEnum c - 48)) 0
    (high, final) = T.splitAt (T.length digits - 20) digits
    -- A carry is one at most: a number has fewer than twenty digits.
    (carry, low) = (valueOf final + toInteger n) `divMod` (10 ^ (20 :: Int))
    small k
      | abs k < 10 ^ (60 :: Int) = Small k
      | otherwise = Huge (k < 0) (T.pack (show (abs k)))
    huge text = case T.dropWhile (== '0') text of
      short | T.length short <= 60 -> Small (valueOf short)
      long -> Huge False long

-- | Digits and one more, or one less, or as they are.
carried :: Text -> Integer -> Text
carried digits carry = case compare carry 0 of
  EQ -> digits
  GT -> let (kept, nines) = ended '9' in stepped succ kept <> T.map (const '0') nines
  LT -> let (kept, zeros) = ended '0' in stepped pred kept <> T.map (const '9') zeros
  where
    ended c = let run = T.takeWhileEnd (== c) digits in (T.dropEnd (T.length run) digits, run)
    stepped f kept = case T.unsnoc kept of
      Just (front, c) -> T.snoc front (f c)
      Nothing -> "1"

compareDecimal :: (Int, Text, Power) -> (Int, Text, Power) -> Ordering
compareDecimal (s1, d1, p1) (s2, d2, p2)
  | s1 /= s2 = compare s1 s2
  | s1 < 0 = compare (p2, d2) (p1, d1)
  | otherwise = compare (p1, d1) (p2, d2)
