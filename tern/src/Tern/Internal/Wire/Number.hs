{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Exact numbers that are not integers: decimals, numbers of fixed places, durations and
-- fractions.
--
-- The idea: in JSON a number, and in MessagePack an integer where it is one of 64 bits,
-- else the number's text: its reals are binary, and would round. No power of ten is
-- worked out unless the type has no other form, and then it is at most 10^1024.
module Tern.Internal.Wire.Number
  ( scientific,
    fixed,
    ratio,
    diffTime,
    nominalDiffTime,
    systemTime,
  )
where

import Data.Fixed (Fixed (MkFixed), HasResolution (resolution))
import Data.Int (Int64)
import Data.Proxy (Proxy (..))
import Data.Ratio ((%))
import Data.Ratio qualified as Ratio
import Data.Scientific (Scientific)
import Data.Scientific qualified as Scientific
import Data.Text (Text)
import Data.Text qualified as T
import Data.Time.Clock
  ( DiffTime,
    NominalDiffTime,
    diffTimeToPicoseconds,
    nominalDiffTimeToSeconds,
    picosecondsToDiffTime,
    secondsToNominalDiffTime,
  )
import Data.Time.Clock.System (SystemTime (..))
import Data.Typeable (Typeable)
import Data.Word (Word32)
import GHC.Exts (Addr#, RealWorld, State#)
import GHC.Generics (Generic)
import GHC.Real (Ratio (..))
import Tern.Error (Expected (..), Reason (..))
import Tern.Internal.Binary.Container qualified as Binary
import Tern.Internal.Binary.Form qualified as Binary
import Tern.Internal.Binary.Scalar qualified as Binary
import Tern.Internal.Cbor.Codec (Cbor)
import Tern.Internal.Cbor.Read qualified as CborR
import Tern.Internal.Cbor.Tag qualified as Cbor
import Tern.Internal.Form (Form (..))
import Tern.Internal.Json.Container qualified as Json
import Tern.Internal.Json.Decimal (Decimal (..), decimalForm, inUnits, normal, whole)
import Tern.Internal.Json.Form qualified as Json
import Tern.Internal.Json.Number (readDecimal)
import Tern.Internal.MessagePack.Codec (MessagePack)
import Tern.Internal.MessagePack.Read qualified as MpackR
import Tern.Internal.MessagePack.Timestamp qualified as Mpack
import Tern.Internal.MessagePack.Write qualified as MpackW
import Tern.Internal.Native.Read qualified as NativeR
import Tern.Internal.Native.Reader (NativeReader, refined)
import Tern.Internal.Native.Record qualified as Native
import Tern.Internal.Native.Write qualified as NativeW
import Tern.Internal.Read (Reader (..), Step, failAt)
import Tern.Internal.Wire.Class (Wire (..))
import Tern.Internal.Wire.Codec (Codec, CodecIn (..), plain, refine, writeAs)
import Tern.Internal.Wire.Generic.Binary ()
import Tern.Internal.Wire.Generic.Json ()
import Tern.Internal.Wire.Generic.Native ()
import Tern.Internal.Wire.Generic.Shape ()
import Tern.Internal.Write (Writer (..), contramapWriter, toFill, write)
import Tern.Prim.Number (mostPower)
import Tern.Shape (Shape, ShapeOf (..))
import Tern.Shape qualified as Shape

-- * Decimals

-- | A number by its format's name, and what the native format has.
--
-- NOINLINE on the codecs here: such numbers cost more than a call.
decimalOf ::
  Text ->
  Shape ->
  (a -> Decimal) ->
  (Decimal -> Either Text a) ->
  Writer a ->
  NativeReader a ->
  Codec a
decimalOf name inner from to nativeW nativeR =
  ( plain
      (ShapeOf (Shape.Formatted Shape.InNumber name inner))
      (writeAs from (formWriter decimalForm))
      (Json.refinedR to (Reader readDecimal))
      (writeAs from mpackDecimalW)
      (Binary.refinedR to (Reader mpackDecimal))
      (writeAs from cborDecimalW)
      (Binary.refinedR to (Reader cborDecimal))
      nativeW
      nativeR
  )
    { codecKey = Json.refineKey from to (Json.formKey decimalForm)
    }

mpackDecimalW :: Writer Decimal
mpackDecimalW = FillWriter $ \d -> case whole 20 d of
  Just n
    | n >= toInteger (minBound :: Int),
      n <= toInteger (maxBound :: Word) ->
        toFill (write (Binary.integerW @MessagePack) n)
  _ -> toFill (write (Binary.formW Binary.mpackHeaders (Binary.textW @MessagePack) decimalForm) d)

-- | An integer, a text, or a real with the fewest digits that are it.
mpackDecimal :: Step Decimal
mpackDecimal ctx e c s = case MpackR.isStr e c of
  1# -> case Binary.formR @MessagePack decimalForm of Reader text -> text ctx e c s
  _ -> case MpackR.isInteger e c of
    1# -> case Binary.integerStep @MessagePack ctx e c s of
      (# s1, c1, n #) ->
        (# s1, c1, Decimal n 0 #)
    _ -> case MpackR.double ctx e c s of
      (# s1, c1, x #) -> realOf c c1 x s1

-- | An integer, or after tag 4 a power of ten and digits.
cborDecimalW :: Writer Decimal
cborDecimalW = FillWriter $ \d -> case whole 20 d of
  Just n
    | n >= toInteger (minBound :: Int),
      n <= toInteger (maxBound :: Word) ->
        toFill (write (Binary.integerW @Cbor) n)
  _ -> case normal d of Decimal c e -> toFill (write Cbor.decimalFractionW (Cbor.Fraction e c))

-- | That, a text, or a real with the fewest digits that are it.
cborDecimal :: Step Decimal
cborDecimal ctx e c s = case CborR.isTag e c of
  1# -> case CborR.tagHeader e c s of
    (# s1, _, 4## #) -> case Cbor.decimalFractionR of
      Reader fraction -> case fraction ctx e c s1 of
        (# s2, c2, Cbor.Fraction power digits #) ->
          (# s2, c2, Decimal digits power #)
    (# s1, _, _ #) -> integer s1
  _ -> case CborR.isText e c of
    1# -> case Binary.formR @Cbor decimalForm of Reader text -> text ctx e c s
    _ -> case CborR.isInteger e c of
      1# -> integer s
      _ -> case CborR.double ctx e c s of (# s1, c1, x #) -> realOf c c1 x s1
  where
    integer s1 = case Binary.integerStep @Cbor ctx e c s1 of
      (# s2, c2, n #) ->
        (# s2, c2, Decimal n 0 #)

-- | The decimal of the fewest digits that a real is, which was read from an address.
realOf :: Addr# -> Addr# -> Double -> State# RealWorld -> (# State# RealWorld, Addr#, Decimal #)
realOf c c1 x s
  | isNaN x || isInfinite x = failAt c (Unexpected ANumber) s
  | otherwise = case Scientific.fromFloatDigits x of
      n -> (# s, c1, Decimal (Scientific.coefficient n) (Scientific.base10Exponent n) #)

-- | Digits and a power of ten, which may be anything.
scientific :: Codec Scientific
scientific =
  decimalOf
    "decimal"
    ( Shape.Tuple
        [ Shape.Integer
            Nothing
            Nothing,
          theShape (Shape.bounded @Int)
        ]
    )
    from
    to
    nativeW
    nativeR
  where
    from n = Decimal (Scientific.coefficient n) (Scientific.base10Exponent n)
    -- A greater power may be another than the one that was written.
    to (Decimal c e)
      | e <= mostPower && e >= negate mostPower || c == 0 = Right (Scientific.scientific c e)
      | otherwise = Left (T.pack ("expected a power of ten up to " <> show mostPower))
    nativeW =
      contramapWriter
        (\n -> case normal (from n) of Decimal c e -> (c, e))
        (Native.both NativeW.integer NativeW.int)
    nativeR =
      refined
        spelled
        ( Native.record
            ( (,)
                <$> Native.field NativeR.integer
                <*> Native.field NativeR.int
            )
        )
    spelled (c, e)
      | c == 0 && e == 0 || c `rem` 10 /= 0 = Right (Scientific.scientific c e)
      | otherwise = Left "expected a number without zeros at the end of its digits"
{-# NOINLINE scientific #-}

-- | A number of units, @units@ of which are one, rounded down when it is read from a decimal.
unitsOf :: Text -> Integer -> (a -> Integer) -> (Integer -> a) -> Codec a
unitsOf name units from to =
  decimalOf
    name
    (Shape.Integer Nothing Nothing)
    (fromUnits units . from)
    (maybe (Left "expected a number of at most 1024 digits") (Right . to) . inUnits units)
    (contramapWriter from NativeW.integer)
    (to <$> NativeR.integer)

-- | The decimal of @n@ units: exactly, where tenths of tenths come to the unit. Else it
-- is rounded up, at a place at which it is read as the same number of units.
fromUnits :: Integer -> Integer -> Decimal
fromUnits units n = case filter (\k -> (10 ^ k) `rem` units == 0) [0 .. places] of
  k : _ -> normal (Decimal (n * (10 ^ k `quot` units)) (negate k))
  [] -> normal (Decimal (negate (negate (n * 10 ^ (places + 1)) `div` units)) (negate (places + 1)))
  where
    places = length (takeWhile (< 2 * units) (iterate (* 10) 1)) :: Int

-- | By the number of its units.
fixed :: forall a. (HasResolution a) => Codec (Fixed a)
fixed = unitsOf (T.pack ("fixed-" <> show units)) units (\(MkFixed n) -> n) MkFixed
  where
    units = resolution (Proxy @a)

-- * Durations

-- | Seconds; picoseconds in the native format.
diffTime :: Codec DiffTime
diffTime = unitsOf "seconds" picos diffTimeToPicoseconds picosecondsToDiffTime
{-# NOINLINE diffTime #-}

-- | As 'diffTime'.
nominalDiffTime :: Codec NominalDiffTime
nominalDiffTime =
  unitsOf
    "seconds"
    picos
    ( \t -> case nominalDiffTimeToSeconds t of
        MkFixed n ->
          n
    )
    (secondsToNominalDiffTime . MkFixed)
{-# NOINLINE nominalDiffTime #-}

picos :: Integer
picos = 10 ^ (12 :: Int)

-- | Seconds from 1970 on; a timestamp in MessagePack. The native format has nanoseconds of
-- a leap second as well.
systemTime :: Codec SystemTime
systemTime =
  ( decimalOf
      "system-time"
      (Shape.Tuple [theShape (Shape.bounded @Int64), theShape (Shape.bounded @Word32)])
      (\(MkSystemTime s n) -> fromUnits nanos (toInteger s * nanos + toInteger n))
      (maybe (Left tooFar) fromNanos . inUnits nanos)
      (contramapWriter (\(MkSystemTime s n) -> (s, n)) (Native.both NativeW.int64 NativeW.word32))
      (Native.record (MkSystemTime <$> Native.field NativeR.int64 <*> Native.field NativeR.word32))
  )
    { mpackWriter = mpackSystemW,
      mpackReader =
        (\stamp -> MkSystemTime (Mpack.seconds stamp) (Mpack.nanoseconds stamp))
          <$> Reader MpackR.timestamp
    }
  where
    tooFar = "expected a number of seconds of 64 bits"
    fromNanos n = case n `divMod` nanos of
      (s, rest)
        | s >= toInteger (minBound :: Int64) && s <= toInteger (maxBound :: Int64) ->
            Right (MkSystemTime (fromInteger s) (fromInteger rest))
        | otherwise -> Left tooFar
{-# NOINLINE systemTime #-}

nanos :: Integer
nanos = 1000000000

mpackSystemW :: Writer SystemTime
mpackSystemW = case MpackW.timestamp of
  BoundedWriter n poke -> BoundedWriter n (\t -> maybe (\op s -> (# s, op #)) poke (stamped t))
  FillWriter fill -> FillWriter (\t -> maybe (\mba op s -> (# s, mba, op #)) fill (stamped t))
  where
    stamped (MkSystemTime s n) = case n `quotRem` 1000000000 of
      (more, rest) -> Mpack.timestamp (if s > maxBound - 4 then s else s + fromIntegral more) rest

-- * Fractions

data Fraction a = Fraction {numerator :: a, denominator :: a}
  deriving stock (Generic)
  deriving anyclass (Wire)

-- | An object of a numerator and a denominator, in lowest terms when written; and when
-- read from the native format, which has one spelling for a value.
ratio :: (Integral a, Wire a, Typeable a) => Codec (Ratio a)
ratio = (refine made apart codec) {nativeReader = refined lowest (nativeReader codec)}
  where
    apart r = Fraction {numerator = Ratio.numerator r, denominator = Ratio.denominator r}
    made (Fraction n d)
      | d == 0 = Left "expected a denominator other than 0"
      | otherwise =
          let r = toInteger n % toInteger d
              (n', d') = (fromInteger (Ratio.numerator r), fromInteger (Ratio.denominator r))
           in if toInteger n' == Ratio.numerator r && toInteger d' == Ratio.denominator r
                then Right (n' :% d')
                else Left "expected a fraction whose parts fit their type"
    lowest (Fraction n d)
      | d > 0 && gcd (toInteger n) (toInteger d) == 1 = Right (n :% d)
      | otherwise = Left "expected a fraction in lowest terms"
