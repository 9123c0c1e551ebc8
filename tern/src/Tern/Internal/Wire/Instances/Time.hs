-- The class is in "Tern.Internal.Wire.Class", as for "Tern.Internal.Wire.Instances".
{-# OPTIONS_GHC -Wno-orphans #-}

-- | The package @time@'s types. "Tern.Internal.Wire.Time" says what they are in each format.
module Tern.Internal.Wire.Instances.Time () where

import Data.Time.Calendar (Day)
import Data.Time.Calendar.Month (Month)
import Data.Time.Calendar.Quarter (Quarter)
import Data.Time.Clock (UTCTime, UniversalTime (..))
import Data.Time.Clock.TAI (AbsoluteTime, addAbsoluteTime, diffAbsoluteTime, taiEpoch)
import Data.Time.LocalTime (LocalTime, TimeOfDay, TimeZone, ZonedTime)
import Tern.Internal.Wire.Calendar (timeZone)
import Tern.Internal.Wire.Class (Wire (..))
import Tern.Internal.Wire.Codec (mapCodec)
import Tern.Internal.Wire.Instances ()
import Tern.Internal.Wire.Number (diffTime, ratio)
import Tern.Internal.Wire.Time (day, localTime, month, quarter, timeOfDay, utcTime, zonedTime)

instance Wire Day where
  codec = day

instance Wire TimeOfDay where
  codec = timeOfDay

instance Wire LocalTime where
  codec = localTime

instance Wire UTCTime where
  codec = utcTime

instance Wire ZonedTime where
  codec = zonedTime

instance Wire TimeZone where
  codec = timeZone

-- | Seconds from the beginning of 1972 on, leap seconds among them.
instance Wire AbsoluteTime where
  codec = mapCodec (`addAbsoluteTime` taiEpoch) (`diffAbsoluteTime` taiEpoch) diffTime

-- | Days as a ratio, the modified Julian date.
instance Wire UniversalTime where
  codec = mapCodec ModJulianDate getModJulianDate ratio

instance Wire Month where
  codec = month

instance Wire Quarter where
  codec = quarter
