{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DuplicateRecordFields #-}
{-# LANGUAGE OverloadedStrings #-}

-- | Days of the week, quarters of a year, differences of dates, and time zones.
module Tern.Internal.Wire.Calendar
  ( dayOfWeek,
    quarterOfYear,
    calendarDiffDays,
    calendarDiffTime,
    timeZone,
  )
where

import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Time.Calendar (DayOfWeek (..))
import Data.Time.Calendar qualified as Time
import Data.Time.Calendar.Quarter (QuarterOfYear (..))
import Data.Time.Clock (NominalDiffTime)
import Data.Time.LocalTime qualified as Time
import GHC.Generics (Generic)
import Tern.Internal.Form (readForm, writeForm)
import Tern.Internal.Form.Time (timeZoneForm)
import Tern.Internal.Native.Read qualified as NativeR
import Tern.Internal.Native.Reader (refined)
import Tern.Internal.Native.Write qualified as NativeW
import Tern.Internal.Wire.Class (Wire (..))
import Tern.Internal.Wire.Codec (Codec, CodecIn (..), mapCodec, refine)
import Tern.Internal.Wire.Generic.Binary ()
import Tern.Internal.Wire.Generic.Json ()
import Tern.Internal.Wire.Generic.Native ()
import Tern.Internal.Wire.Generic.Shape ()
import Tern.Internal.Wire.Instances ()
import Tern.Internal.Wire.Instances.Number ()
import Tern.Internal.Wire.Scalar (text)
import Tern.Internal.Write (contramapWriter)
import Tern.Shape (ShapeOf (..))
import Tern.Shape qualified as Shape

-- | A value by its name, which is read in letters of any size; in the native format by its
-- place among all names, from 0.
named :: (Eq a) => Text -> [(Text, a)] -> Codec a
named format names =
  (refine (known . T.toLower) nameOf text)
    { codecShape =
        ShapeOf
          ( Shape.Formatted
              Shape.InText
              format
              ( Shape.Integer
                  (Just 0)
                  (Just (toInteger (length names - 1)))
              )
          ),
      nativeWriter =
        contramapWriter
          ( \a ->
              fromIntegral (length (takeWhile ((/= a) . snd) names))
          )
          NativeW.word8,
      nativeReader =
        refined (\n -> maybe refused (Right . snd) (lookup n (zip [0 ..] names))) NativeR.word8
    }
  where
    known name = maybe refused Right (lookup name names)
    nameOf a = T.concat (take 1 [name | (name, b) <- names, a == b])
    refused = Left (T.append "expected " (T.intercalate ", " (map fst names)))

-- | Monday is 0 in the native format.
dayOfWeek :: Codec DayOfWeek
dayOfWeek =
  named
    "weekday"
    [ (T.toLower (T.pack (show d)), d)
      | d <-
          [Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday]
    ]
{-# NOINLINE dayOfWeek #-}

-- | @q1@ to @q4@; 0 to 3 in the native format.
quarterOfYear :: Codec QuarterOfYear
quarterOfYear = named "quarter-of-year" [("q1", Q1), ("q2", Q2), ("q3", Q3), ("q4", Q4)]
{-# NOINLINE quarterOfYear #-}

data CalendarDiffDays = CalendarDiffDays {months :: Integer, days :: Integer}
  deriving stock (Generic)
  deriving anyclass (Wire)

-- | An object of months and days.
calendarDiffDays :: Codec Time.CalendarDiffDays
calendarDiffDays =
  mapCodec
    (\(CalendarDiffDays m d) -> Time.CalendarDiffDays m d)
    ( \(Time.CalendarDiffDays m d) ->
        CalendarDiffDays {months = m, days = d}
    )
    codec

data CalendarDiffTime = CalendarDiffTime {months :: Integer, time :: NominalDiffTime}
  deriving stock (Generic)
  deriving anyclass (Wire)

-- | An object of months and a time.
calendarDiffTime :: Codec Time.CalendarDiffTime
calendarDiffTime =
  mapCodec
    (\(CalendarDiffTime m t) -> Time.CalendarDiffTime m t)
    ( \(Time.CalendarDiffTime m t) ->
        CalendarDiffTime {months = m, time = t}
    )
    codec

-- | A zone by its offset, as in @+01:00@ or @Z@: its name and whether it is summer there are
-- not written, as they are not in a 'Time.ZonedTime'.
timeZone :: Codec Time.TimeZone
timeZone = refine zoneIn (T.decodeLatin1 . writeForm timeZoneForm) text
  where
    zoneIn = either (const (Left refused)) Right . readForm timeZoneForm
    refused = "expected an offset from UTC: Z, or hours and minutes as +01:00"
{-# NOINLINE timeZone #-}
