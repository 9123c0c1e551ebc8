-- The class is in "Tern.Internal.Wire.Class", as for "Tern.Internal.Wire.Instances".
{-# OPTIONS_GHC -Wno-orphans #-}

-- | The package @time@'s types. "Tern.Internal.Wire.Time" says what they are in each format.
module Tern.Internal.Wire.Instances.Time () where

import Data.Time.Calendar (Day)
import Data.Time.Calendar.Month (Month)
import Data.Time.Calendar.Quarter (Quarter)
import Data.Time.Clock (UTCTime)
import Data.Time.LocalTime (LocalTime, TimeOfDay, ZonedTime)
import Tern.Internal.Wire.Class (Wire (..))
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

instance Wire Month where
  codec = month

instance Wire Quarter where
  codec = quarter
