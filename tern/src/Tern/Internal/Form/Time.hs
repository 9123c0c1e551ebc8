{-# LANGUAGE MagicHash #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE UnboxedTuples #-}

-- | The package @time@'s types as text: RFC 3339, written and read as aeson does.
--
-- The idea: between a text and a value stand two words ("Tern.Prim.Time"), and no list of
-- characters. What a text cannot say is written as what comes nearest: years beyond
-- 'mostYears' as the first or last day of them, a time of day beyond its day as the last
-- of it.
--
-- NOINLINE on the readers: a call for each value, as for numbers.
module Tern.Internal.Form.Time
  ( -- * Texts
    dayForm,
    timeOfDayForm,
    localTimeForm,
    utcTimeForm,
    zonedTimeForm,
    timeZoneForm,
    monthForm,
    quarterForm,

    -- * Values as numbers
    dayNumber,
    numberedDay,
    picosOfDay,
    timeAt,
    hourOf,
    minuteOf,
    picosOfMinute,
    timeOfDayAt,
    zoneOf,
    mostPicosOfDay,
    mostPicosOfMinute,
    mostOffset,
    firstDay,
    lastDay,
    mostYears,
  )
where

import Data.Bits ((.|.))
import Data.Fixed (Fixed (MkFixed))
import Data.Time.Calendar (Day (..))
import Data.Time.Calendar.Month (Month (..))
import Data.Time.Calendar.Quarter (Quarter (..))
import Data.Time.Clock (DiffTime, UTCTime (..), diffTimeToPicoseconds, picosecondsToDiffTime)
import Data.Time.LocalTime
  ( LocalTime (..),
    TimeOfDay (..),
    TimeZone (..),
    ZonedTime (..),
    minutesToTimeZone,
    utc,
    utcToLocalTime,
    zonedTimeToUTC,
  )
import GHC.Exts (Int (..), plusAddr#)
import Tern.Internal.Form (Form (..), expectedAt, wholly)
import Tern.Internal.Read (Reader (..), Step)
import Tern.Internal.Write (Writer (..))
import Tern.Prim.Buffer (Poke)
import Tern.Prim.Time
  ( Parts,
    Pieces (..),
    date,
    firstDay,
    lastDay,
    month,
    mostYears,
    pokeTime,
    quarter,
    readTime,
    textBound,
    time,
    wantedAt,
    zone,
  )

-- * Values as numbers

-- | A number that a type bounds, or the nearest within.
nearest :: Int -> Int -> Integer -> Int
nearest least most n
  | n < toInteger least = least
  | n > toInteger most = most
  | otherwise = fromInteger n
{-# INLINE nearest #-}

-- | 'firstDay' to 'lastDay', from 1858-11-17.
dayNumber :: Day -> Int
dayNumber (ModifiedJulianDay n) = nearest firstDay lastDay n
{-# INLINE dayNumber #-}

-- | The day that is @n@ days after 1858-11-17, also beyond what a text can say.
numberedDay :: Int -> Day
numberedDay n = case toInteger n of !i -> ModifiedJulianDay i
{-# INLINE numberedDay #-}

-- | 0 to 'mostPicosOfDay': the last second of a day may be a leap second.
picosOfDay :: DiffTime -> Int
picosOfDay t = nearest 0 mostPicosOfDay (diffTimeToPicoseconds t)
{-# INLINE picosOfDay #-}

-- | Picoseconds: the last of a day and of a minute that have a leap second; and how many there are
-- in a minute without one.
mostPicosOfDay, mostPicosOfMinute, picosInMinute :: Int
mostPicosOfDay = 86400999999999999
mostPicosOfMinute = 60999999999999
picosInMinute = 60000000000000

-- | The time by the number of its day and the picoseconds since that began.
timeAt :: Int -> Int -> UTCTime
timeAt day picos = case toInteger picos of
  !p -> case numberedDay day of !d -> UTCTime d (picosecondsToDiffTime p)
{-# INLINE timeAt #-}

-- | The parts of a time, each the nearest within its range: hours to 23, minutes to 59, picoseconds
-- to 'mostPicosOfMinute', all from 0 on.
hourOf, minuteOf, picosOfMinute :: TimeOfDay -> Int
hourOf t = max 0 (min 23 (todHour t))
minuteOf t = max 0 (min 59 (todMin t))
picosOfMinute t = case todSec t of MkFixed n -> nearest 0 mostPicosOfMinute n
{-# INLINE hourOf #-}
{-# INLINE minuteOf #-}
{-# INLINE picosOfMinute #-}

-- | By hour, minute, and picoseconds of the minute.
timeOfDayAt :: Int -> Int -> Int -> TimeOfDay
timeOfDayAt hour minute' picos = case toInteger picos of !p -> TimeOfDay hour minute' (MkFixed p)
{-# INLINE timeOfDayAt #-}

-- | The greatest offset from UTC, in minutes: 23:59.
mostOffset :: Int
mostOffset = 1439

-- | A local time and its offset. Where that is too great for a text, the same time at
-- UTC.
zoneOf :: ZonedTime -> (LocalTime, Int)
zoneOf zoned@(ZonedTime local z)
  | abs offset <= mostOffset = (local, offset)
  | otherwise = (utcToLocalTime utc (zonedTimeToUTC zoned), 0)
  where
    offset = timeZoneMinutes z
{-# INLINE zoneOf #-}

-- * Texts

-- | A form by what it pokes, and what is made of the pieces of a text.
form :: Parts -> (a -> Poke) -> (Pieces -> Maybe a) -> Form a
form parts poke make = Form (BoundedWriter textBound poke) . wholly $ \c n ctx s ->
  case readTime parts ctx (plusAddr# c n) c s of
    (# s1, 0#, pieces #) -> case make pieces of
      Just !a -> (# s1, plusAddr# c n, a #)
      Nothing -> expectedAt "a time of the years -999999999 to 999999999" c s1
    (# s1, k, _ #) -> case wantedAt (I# k) of
      (I# i, part) -> expectedAt part (plusAddr# c i) s1
{-# INLINE form #-}

-- | A form whose reader is compiled here, once.
once :: Form a -> Reader a -> Form a
once f reader = f {formReader = reader}
{-# INLINE once #-}

-- | @2026-01-31@
dayForm :: Form Day
dayForm = once dayForm' (Reader readDay)
{-# INLINE dayForm #-}

dayForm' :: Form Day
dayForm' =
  form date (\d -> pokeTime date (dayNumber d) 0 0 0) (\(Pieces n _ _ _ _) -> Just (numberedDay n))
{-# INLINE dayForm' #-}

readDay :: Step Day
readDay = stepOf dayForm'
{-# NOINLINE readDay #-}

-- | @23:59:60.25@
timeOfDayForm :: Form TimeOfDay
timeOfDayForm = once timeOfDayForm' (Reader readTimeOfDay)
{-# INLINE timeOfDayForm #-}

timeOfDayForm' :: Form TimeOfDay
timeOfDayForm' =
  form
    time
    (\t -> pokeTime time 0 (minutesOf t) (picosOf t) 0)
    ( \(Pieces _ h m p _) ->
        Just (timeOfDayAt h m (fromIntegral p))
    )
{-# INLINE timeOfDayForm' #-}

readTimeOfDay :: Step TimeOfDay
readTimeOfDay = stepOf timeOfDayForm'
{-# NOINLINE readTimeOfDay #-}

minutesOf :: TimeOfDay -> Int
minutesOf t = hourOf t * 60 + minuteOf t
{-# INLINE minutesOf #-}

picosOf :: TimeOfDay -> Word
picosOf t = fromIntegral (picosOfMinute t)
{-# INLINE picosOf #-}

-- | @2026-01-31T12:00:00@
localTimeForm :: Form LocalTime
localTimeForm = once localTimeForm' (Reader readLocalTime)
{-# INLINE localTimeForm #-}

localTimeForm' :: Form LocalTime
localTimeForm' =
  form
    (date .|. time)
    (\(LocalTime d t) -> pokeTime (date .|. time) (dayNumber d) (minutesOf t) (picosOf t) 0)
    (Just . localOf)
{-# INLINE localTimeForm' #-}

localOf :: Pieces -> LocalTime
localOf (Pieces n h m p _) = case numberedDay n of
  !d -> case timeOfDayAt h m (fromIntegral p) of
    !t ->
      LocalTime d t
{-# INLINE localOf #-}

readLocalTime :: Step LocalTime
readLocalTime = stepOf localTimeForm'
{-# NOINLINE readLocalTime #-}

-- | @2026-01-31T12:00:00Z@; read with any offset.
utcTimeForm :: Form UTCTime
utcTimeForm = once utcTimeForm' (Reader readUtcTime)
{-# INLINE utcTimeForm #-}

utcTimeForm' :: Form UTCTime
utcTimeForm' = form (date .|. time .|. zone) poke value
  where
    poke (UTCTime d t) =
      let !picos = picosOfDay t
          !minute' = min 1439 (picos `quot` picosInMinute)
       in pokeTime
            (date .|. time .|. zone)
            (dayNumber d)
            minute'
            (fromIntegral (picos - minute' * picosInMinute))
            0
    value (Pieces n h m p offset)
      | day < firstDay || day > lastDay = Nothing
      | otherwise = Just (timeAt day (ofDay * picosInMinute + fromIntegral p))
      where
        !minutes = h * 60 + m - offset
        -- Offsets are less than a day.
        !over
          | minutes < 0 = -1
          | minutes >= 1440 = 1
          | otherwise = 0
        !day = n + over
        !ofDay = minutes - over * 1440
{-# INLINE utcTimeForm' #-}

readUtcTime :: Step UTCTime
readUtcTime = stepOf utcTimeForm'
{-# NOINLINE readUtcTime #-}

-- | @2026-01-31T12:00:00+01:00@
zonedTimeForm :: Form ZonedTime
zonedTimeForm = once zonedTimeForm' (Reader readZonedTime)
{-# INLINE zonedTimeForm #-}

zonedTimeForm' :: Form ZonedTime
zonedTimeForm' =
  form
    (date .|. time .|. zone)
    poke
    ( \pieces@(Pieces _ _ _ _ offset) ->
        Just (ZonedTime (localOf pieces) (minutesToTimeZone offset))
    )
  where
    poke zoned = case zoneOf zoned of
      (LocalTime d t, offset) ->
        pokeTime (date .|. time .|. zone) (dayNumber d) (minutesOf t) (picosOf t) offset
{-# INLINE zonedTimeForm' #-}

readZonedTime :: Step ZonedTime
readZonedTime = stepOf zonedTimeForm'
{-# NOINLINE readZonedTime #-}

-- | @+01:00@ or @Z@. An offset that is too great for a text is written as the greatest.
timeZoneForm :: Form TimeZone
timeZoneForm =
  form
    zone
    (pokeTime zone 0 0 0 . max (-mostOffset) . min mostOffset . timeZoneMinutes)
    (\(Pieces _ _ _ _ offset) -> Just (minutesToTimeZone offset))

-- | @2026-01@
monthForm :: Form Month
monthForm =
  form
    month
    (\(MkMonth n) -> pokeTime month (inYears 12 n) 0 0 0)
    (\(Pieces n _ _ _ _) -> Just (MkMonth (toInteger n)))

-- | @2026-q1@
quarterForm :: Form Quarter
quarterForm =
  form
    quarter
    (\(MkQuarter n) -> pokeTime quarter (inYears 4 n) 0 0 0)
    (\(Pieces n _ _ _ _) -> Just (MkQuarter (toInteger n)))

-- | The number of a part of a year, which has @parts@ of them.
inYears :: Int -> Integer -> Int
inYears parts = nearest (negate mostYears * parts) (mostYears * parts + parts - 1)

stepOf :: Form a -> Step a
stepOf f = case formReader f of Reader step -> step
{-# INLINE stepOf #-}
