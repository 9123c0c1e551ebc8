{-# LANGUAGE MagicHash #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE UnboxedTuples #-}

-- | JSON whose shape is not declared: a tree that keeps all that a document
-- says.
--
-- The idea: nothing is lost and nothing is expanded. A number keeps its digits
-- as they stand, so that @-0.0@, @1.10@ and @1e400@ come out as they went in
-- and a huge exponent costs nothing; an object keeps the order of its members
-- and looks them up through an ordered map, which no input can degrade.
module Tern.Value
  ( Value (..),

    -- * Objects
    Object,
    object,
    members,
    member,
    byName,

    -- * Numbers
    Number,
    numberFromInteger,
    numberFromDecimal,
    numberFromDouble,
    numberToDouble,
    numberToInteger,
    parseNumber,
    renderNumber,

    -- * Codecs
    valueW,
    valueR,
  )
where

import Data.Either (fromRight)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Array qualified as TA
import Data.Text.Internal (Text (..))
import Data.Vector (Vector)
import GHC.Exts
import Tern.Error (Expected (..))
import Tern.Internal.Json.Codec qualified as Json
import Tern.Internal.Json.Container qualified as Json
import Tern.Internal.Json.Document (decodeTextWith, encodeTextWith)
import Tern.Internal.Json.Number (malformed)
import Tern.Internal.Json.Read qualified as Json
import Tern.Internal.Read (Reader (..), Step)
import Tern.Internal.Write (Writer (..), literal, toFill, write)
import Tern.Prim.Buffer (Fill, ensure)
import Tern.Prim.Decimal qualified as Decimal
import Tern.Prim.Number qualified as Number

-- $setup
-- >>> import Tern.Error (Error)
-- >>> import Tern.Json (decodeJsonText)

-- | Any JSON value.
--
-- >>> decodeJsonText "{\"a\": [1.50, null]}" :: Either Error Value
-- Right (Object (object [("a",Array [Number 1.50,Null])]))
data Value
  = Null
  | Bool !Bool
  | Number !Number
  | String !Text
  | Array !(Vector Value)
  | Object !Object
  deriving stock (Eq, Ord, Show)

-- * Codecs

valueW :: Writer Value
valueW = FillWriter fillValue

fillValue :: Value -> Fill
fillValue value mba op s = case value of
  Null -> toFill (literal "null") mba op s
  Bool b -> toFill (write Json.boolW b) mba op s
  Number n -> toFill (write numberW n) mba op s
  String t -> toFill (write Json.textW t) mba op s
  Array vs -> toFill (write (Json.vectorW valueW) vs) mba op s
  Object o -> toFill (write (Json.pairsW valueW) (members o)) mba op s

valueR :: Reader Value
valueR = Reader anyValue

anyValue :: Step Value
anyValue ctx e c0 s =
  let !c = inline Json.skipSpace e c0
   in if isTrue# (geAddr# c e)
        then Json.failExpected AValue e c s
        else case indexWord8OffAddr# c 0# of
          b -> case word8ToWord# b of
            0x7b## -> as (Object . object . reverse) (Json.pairsR (Reader anyValue)) ctx e c s
            0x5b## -> as Array (Json.vectorR (Reader anyValue)) ctx e c s
            0x22## -> as String Json.textR ctx e c s
            0x74## -> as Bool Json.boolR ctx e c s
            0x66## -> as Bool Json.boolR ctx e c s
            0x6e## -> case Json.isNull e c of
              1# -> (# s, plusAddr# c 4#, Null #)
              _ -> Json.failExpected AValue e c s
            0x2d## -> as Number numberR ctx e c s
            w
              | Decimal.isDigit w -> as Number numberR ctx e c s
              | otherwise -> Json.failExpected AValue e c s
  where
    as :: (a -> Value) -> Reader a -> Step Value
    as f (Reader step) ctx' e' c' s' = case step ctx' e' c' s' of
      (# s1, c1, a #) -> case f a of !v -> (# s1, c1, v #)
    {-# INLINE as #-}

-- * Objects

-- | The members of an object in their order, and an index of them.
data Object = MakeObject [(Text, Value)] (Map Text Value)

-- | Equal where the same names have equal values, whatever their order.
instance Eq Object where
  MakeObject _ a == MakeObject _ b = a == b

instance Ord Object where
  compare (MakeObject _ a) (MakeObject _ b) = compare a b

instance Show Object where
  showsPrec d o = showParen (d > 10) (showString "object " . shows (members o))

-- | An object from its members in order. Of a repeated name the last value
-- counts, but all are kept and written.
object :: [(Text, Value)] -> Object
object pairs = MakeObject pairs (Map.fromList pairs)

-- | The members in the order of the document, repeated ones too.
members :: Object -> [(Text, Value)]
members (MakeObject pairs _) = pairs

-- | The value of a name, in time logarithmic in the number of members.
member :: Text -> Object -> Maybe Value
member name (MakeObject _ index) = Map.lookup name index

-- | The values by their names; of a repeated name the last. It was made with the object.
byName :: Object -> Map Text Value
byName (MakeObject _ index) = index

-- * Numbers

-- | A number as it was written: @1.50@ is not changed to @1.5@.
data Number
  = -- | An integer in its shortest form.
    Whole !Int
  | -- | Anything else that JSON's grammar allows.
    Written !Text

-- | Equal where the numbers are, however they were written.
instance Eq Number where
  a == b = compare a b == EQ

-- | By value; exact, and not slowed down by huge exponents.
instance Ord Number where
  compare (Whole a) (Whole b) = compare a b
  compare a b = compareDecimal (decimalOf a) (decimalOf b)

instance Show Number where
  show = T.unpack . renderNumber

-- | An integer.
numberFromInteger :: Integer -> Number
numberFromInteger n
  | n >= toInteger (minBound :: Int), n <= toInteger (maxBound :: Int) = Whole (fromInteger n)
  | otherwise = Written (encodeTextWith Json.integerW n)

-- | A coefficient times a power of ten, which is not expanded.
--
-- >>> numberFromDecimal 15 (-1)
-- 15e-1
-- >>> numberFromDecimal 7 1000000000
-- 7e1000000000
numberFromDecimal :: Integer -> Int -> Number
numberFromDecimal coefficient power
  | coefficient == 0 || power == 0 = numberFromInteger coefficient
  | otherwise =
      Written
        ( T.concat
            [ encodeTextWith
                Json.integerW
                coefficient,
              "e",
              encodeTextWith Json.intW power
            ]
        )

-- | A finite double; 'Nothing' for what JSON cannot say.
numberFromDouble :: Double -> Maybe Number
numberFromDouble x
  | isNaN x || isInfinite x = Nothing
  | otherwise = Just (Written (encodeTextWith Json.doubleW x))

-- | The nearest double, an infinity where the number is out of range.
numberToDouble :: Number -> Double
numberToDouble = \case
  Whole n -> fromIntegral n
  -- It was read once already.
  Written t -> fromRight (0 / 0) (decodeTextWith Json.doubleR t)

-- | The integer that the number is, unless it is none, or has more than 4,096
-- digits.
numberToInteger :: Number -> Maybe Integer
numberToInteger = \case
  Whole n -> Just (toInteger n)
  Written t -> either (const Nothing) Just (decodeTextWith Json.integerR t)

-- | A number from text that JSON allows.
parseNumber :: Text -> Maybe Number
parseNumber t = case decodeTextWith valueR t of
  Right (Number n) -> Just n
  _ -> Nothing

-- | The number as it was written.
renderNumber :: Number -> Text
renderNumber = \case
  Whole n -> T.pack (show n)
  Written t -> t

numberW :: Writer Number
numberW = FillWriter $ \n mba op s -> case n of
  Whole i -> toFill (write Json.intW i) mba op s
  Written (Text (TA.ByteArray array) (I# off) (I# len)) -> case ensure len mba op s of
    (# s1, mba1, op1 #) -> case copyByteArrayToAddr# array off op1 len s1 of
      s2 -> (# s2, mba1, plusAddr# op1 len #)

-- | At the number itself.
numberR :: Reader Number
numberR = Reader $ \ctx e c s -> case Decimal.readInt e c of
  (# c1, i #)
    | isTrue# (eqAddr# c1 nullAddr#) || isTrue# (i ==# 0#) -> written ctx e c s
    | otherwise -> (# s, c1, Whole (I# i) #)
  where
    written :: Step Number
    written _ e c s =
      let !from = case eqWord# (word8ToWord# (indexWord8OffAddr# c 0#)) 45## of
            1# -> plusAddr# c 1#
            _ -> c
       in case Number.scan e from of
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
