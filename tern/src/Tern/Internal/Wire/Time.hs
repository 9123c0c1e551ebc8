{-# LANGUAGE DataKinds #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE UnboxedTuples #-}

-- | The package @time@'s types.
--
-- The idea: one text for JSON and MessagePack, where the types are seen; numbers in the
-- native format. A point in time is a timestamp in MessagePack, where one can be it.
module Tern.Internal.Wire.Time
  ( day,
    timeOfDay,
    localTime,
    utcTime,
    zonedTime,
    month,
    quarter,
  )
where

import Data.Text (Text)
import Data.Time.Calendar (Day (..))
import Data.Time.Calendar.Month (Month (..))
import Data.Time.Calendar.Quarter (Quarter (..))
import Data.Time.Clock (UTCTime (..))
import Data.Time.LocalTime (LocalTime (..), TimeOfDay, ZonedTime (..), minutesToTimeZone)
import Tern.Error (Reason (..))
import Tern.Internal.Binary.Form qualified as Binary
import Tern.Internal.Binary.Scalar qualified as Binary
import Tern.Internal.Cbor.Codec (Cbor)
import Tern.Internal.Cbor.Tag qualified as Cbor
import Tern.Internal.Form (Form)
import Tern.Internal.Form.Time
  ( dayForm,
    dayNumber,
    firstDay,
    hourOf,
    lastDay,
    localTimeForm,
    minuteOf,
    monthForm,
    mostOffset,
    mostPicosOfDay,
    mostPicosOfMinute,
    mostYears,
    numberedDay,
    picosOfDay,
    picosOfMinute,
    quarterForm,
    timeAt,
    timeOfDayAt,
    timeOfDayForm,
    utcTimeForm,
    zoneOf,
    zonedTimeForm,
  )
import Tern.Internal.Json.Form qualified as Json
import Tern.Internal.MessagePack.Codec (MessagePack)
import Tern.Internal.MessagePack.Read qualified as MpackR
import Tern.Internal.MessagePack.Timestamp qualified as Mpack
import Tern.Internal.MessagePack.Write qualified as MpackW
import Tern.Internal.Native.Read qualified as NativeR
import Tern.Internal.Native.Reader (NativeReader, refined)
import Tern.Internal.Native.Record qualified as Native
import Tern.Internal.Native.Write qualified as NativeW
import Tern.Internal.Read (Reader (..), Step, failAt)
import Tern.Internal.Wire.Codec (Codec, CodecIn (..), plain)
import Tern.Internal.Write (Writer (..), contramapWriter)
import Tern.Prim.Buffer (Poke)
import Tern.Shape (Shape, ShapeOf (..))
import Tern.Shape qualified as Shape

-- | A codec of a text, and of what the native format has.
--
-- INLINE: the text's code is known where the codec is used. Proof: "allocation of lines
-- with a time and a UUID".
formed :: Text -> Shape -> Form a -> Writer a -> NativeReader a -> Codec a
formed name inner form nativeW nativeR =
  ( plain
      (ShapeOf (Shape.Formatted Shape.InText name inner))
      (Json.formW form)
      (Json.formR form)
      (mpackFormW form)
      (Binary.formR @MessagePack form)
      (cborFormW form)
      (Binary.formR @Cbor form)
      nativeW
      nativeR
  )
    { codecKey = Json.formKey form
    }
{-# INLINE formed #-}

mpackFormW :: Form a -> Writer a
mpackFormW = Binary.formW Binary.mpackHeaders (Binary.textW @MessagePack)
{-# INLINE mpackFormW #-}

cborFormW :: Form a -> Writer a
cborFormW = Binary.formW Binary.cborHeaders (Binary.textW @Cbor)
{-# INLINE cborFormW #-}

-- | In CBOR after the tag that such a text has (RFC 8949, section 3.4.1; RFC 8943), which
-- readers do without.
cborTagged :: Word -> Codec a -> Codec a
cborTagged tag c =
  c
    { cborWriter =
        Cbor.taggedW tag (cborWriter c),
      cborReader = Cbor.perhapsTaggedR tag (cborReader c)
    }
{-# INLINE cborTagged #-}

-- | An integer of a range: in as many bytes as the specification's rules 7 and 8 say.
range :: Int -> Int -> Shape
range least most = Shape.Integer (Just (toInteger least)) (Just (toInteger most))

-- * Days

-- | The number of a day: 'firstDay' to 'lastDay'.
day :: Codec Day
day = cborTagged 1004 (formed "date" dayShape dayForm dayW dayR)
{-# INLINE day #-}

dayShape :: Shape
dayShape = range firstDay lastDay

dayW :: Writer Day
dayW = contramapWriter dayNumber NativeW.int
{-# INLINE dayW #-}

dayR :: NativeReader Day
dayR =
  refined
    ( \n ->
        if n < firstDay || n > lastDay
          then Left "expected a day of the years -999999999 to 999999999"
          else Right (numberedDay n)
    )
    NativeR.int
{-# INLINE dayR #-}

-- | The number of a month: years times twelve, and months from 0.
month :: Codec Month
month =
  formed
    "month"
    (range (-most) (most + 11))
    monthForm
    (contramapWriter numberOf NativeW.int)
    (refined checked NativeR.int)
  where
    most = 12 * mostYears
    numberOf (MkMonth n) = fromInteger (max (toInteger (-most)) (min (toInteger (most + 11)) n))
    checked n =
      if n < -most || n > most + 11
        then Left "expected a month of the years -999999999 to 999999999"
        else Right (MkMonth (toInteger n))

-- | The number of a quarter: years times four, and quarters from 0.
quarter :: Codec Quarter
quarter =
  formed
    "quarter"
    (range (-most) (most + 3))
    quarterForm
    (contramapWriter numberOf NativeW.int)
    (refined checked NativeR.int)
  where
    most = 4 * mostYears
    numberOf (MkQuarter n) = fromInteger (max (toInteger (-most)) (min (toInteger (most + 3)) n))
    checked n =
      if n < -most || n > most + 3
        then Left "expected a quarter of the years -999999999 to 999999999"
        else Right (MkQuarter (toInteger n))

-- * Times of day

-- | An hour and a minute, a byte each, and picoseconds.
timeOfDay :: Codec TimeOfDay
timeOfDay = formed "time-local" timeOfDayShape timeOfDayForm timeOfDayW timeOfDayR
{-# INLINE timeOfDay #-}

timeOfDayShape :: Shape
timeOfDayShape = Shape.Tuple [range 0 23, range 0 59, range 0 mostPicosOfMinute]

timeOfDayW :: Writer TimeOfDay
timeOfDayW =
  contramapWriter
    (\t -> (fromIntegral (hourOf t), (fromIntegral (minuteOf t), fromIntegral (picosOfMinute t))))
    (Native.both NativeW.word8 (Native.both NativeW.word8 NativeW.word))
{-# INLINE timeOfDayW #-}

timeOfDayR :: NativeReader TimeOfDay
timeOfDayR =
  refined
    checked
    ( Native.record
        ( (,,)
            <$> Native.field NativeR.word8
            <*> Native.field NativeR.word8
            <*> Native.field NativeR.word
        )
    )
  where
    checked (h, m, p)
      | h > 23 || m > 59 || p > fromIntegral mostPicosOfMinute =
          Left "expected an hour, a minute and picoseconds of a day"
      | otherwise = Right (timeOfDayAt (fromIntegral h) (fromIntegral m) (fromIntegral p))
{-# INLINE timeOfDayR #-}

-- | A day and a time of it.
localTime :: Codec LocalTime
localTime = formed "date-time-local" localTimeShape localTimeForm localTimeW localTimeR
{-# INLINE localTime #-}

localTimeShape :: Shape
localTimeShape = Shape.Tuple [dayShape, timeOfDayShape]

localTimeW :: Writer LocalTime
localTimeW = contramapWriter (\(LocalTime d t) -> (d, t)) (Native.both dayW timeOfDayW)
{-# INLINE localTimeW #-}

localTimeR :: NativeReader LocalTime
localTimeR = Native.record (LocalTime <$> Native.field dayR <*> Native.field timeOfDayR)
{-# INLINE localTimeR #-}

-- | A local time, and minutes from UTC: the zone's name and whether it is summer there are
-- not written, as they are not in the text.
zonedTime :: Codec ZonedTime
zonedTime =
  cborTagged
    0
    ( formed
        "date-time"
        ( Shape.Tuple
            [localTimeShape, range (-mostOffset) mostOffset]
        )
        zonedTimeForm
        zonedTimeW
        zonedTimeR
    )

zonedTimeW :: Writer ZonedTime
zonedTimeW =
  contramapWriter
    ( \z -> case zoneOf z of
        (local, offset) ->
          (local, fromIntegral offset)
    )
    (Native.both localTimeW NativeW.int16)

zonedTimeR :: NativeReader ZonedTime
zonedTimeR =
  refined checked (Native.record ((,) <$> Native.field localTimeR <*> Native.field NativeR.int16))
  where
    checked (local, offset)
      | abs (fromIntegral offset) > mostOffset =
          Left "expected an offset from UTC of less than a day"
      | otherwise = Right (ZonedTime local (minutesToTimeZone (fromIntegral offset)))

-- * Points in time

-- | A day, and picoseconds of it. In MessagePack a timestamp, or the text where that cannot
-- say it: picoseconds, and leap seconds.
utcTime :: Codec UTCTime
utcTime =
  ( cborTagged
      0
      ( formed
          "date-time"
          (Shape.Tuple [dayShape, range 0 mostPicosOfDay])
          utcTimeForm
          utcTimeW
          utcTimeR
      )
  )
    { mpackWriter = mpackUtcW,
      mpackReader = Reader mpackUtc
    }
{-# INLINE utcTime #-}

utcTimeW :: Writer UTCTime
utcTimeW =
  contramapWriter
    ( \(UTCTime d t) ->
        (dayNumber d, fromIntegral (picosOfDay t))
    )
    (Native.both NativeW.int NativeW.word)
{-# INLINE utcTimeW #-}

utcTimeR :: NativeReader UTCTime
utcTimeR =
  refined checked (Native.record ((,) <$> Native.field NativeR.int <*> Native.field NativeR.word))
  where
    checked (d, p)
      | d < firstDay || d > lastDay || p > fromIntegral mostPicosOfDay =
          Left "expected a time of the years -999999999 to 999999999"
      | otherwise = Right (timeAt d (fromIntegral p))
{-# INLINE utcTimeR #-}

mpackUtcW :: Writer UTCTime
mpackUtcW = case (MpackW.timestamp, mpackFormW utcTimeForm) of
  (BoundedWriter n pokeStamp, BoundedWriter m pokeText) ->
    BoundedWriter (max n m) (\t -> pokeUtc pokeStamp pokeText t)
  (_, text) -> text

-- | NOINLINE: a branch inside a record's run would be followed by two copies of the rest.
pokeUtc :: (Mpack.Timestamp -> Poke) -> (UTCTime -> Poke) -> UTCTime -> Poke
pokeUtc pokeStamp pokeText time@(UTCTime d t) op s
  | rest == 0,
    picos < 86400000000000000,
    Just stamp <-
      Mpack.timestamp
        (fromIntegral ((dayNumber d - epoch) * 86400 + seconds))
        (fromIntegral nanos) =
      pokeStamp stamp op s
  | otherwise = pokeText time op s
  where
    !picos = picosOfDay t
    (wholeNanos, rest) = picos `quotRem` 1000
    (seconds, nanos) = wholeNanos `quotRem` 1000000000
{-# NOINLINE pokeUtc #-}

-- | 1970-01-01.
epoch :: Int
epoch = 40587

mpackUtc :: Step UTCTime
mpackUtc ctx e c s = case MpackR.isStr e c of
  1# -> case Binary.formR @MessagePack utcTimeForm of Reader text -> text ctx e c s
  _ -> case MpackR.timestamp ctx e c s of
    (# s1, c1, stamp #) ->
      let (d, seconds) = fromIntegral (Mpack.seconds stamp) `divMod` 86400
          !number = d + epoch
       in if number < firstDay || number > lastDay
            then failAt c (Refused "expected a time of the years -999999999 to 999999999") s1
            else case timeAt
              number
              ( (seconds * 1000000000 + fromIntegral (Mpack.nanoseconds stamp))
                  * 1000
              ) of
              !time ->
                (# s1, c1, time #)
{-# NOINLINE mpackUtc #-}
