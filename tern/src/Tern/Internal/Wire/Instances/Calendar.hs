-- The class is in "Tern.Internal.Wire.Class", as for "Tern.Internal.Wire.Instances".
{-# OPTIONS_GHC -Wno-orphans #-}

-- | Names and differences of the calendar. "Tern.Internal.Wire.Calendar" says what they are in
-- each format.
module Tern.Internal.Wire.Instances.Calendar () where

import Data.Time.Calendar (CalendarDiffDays, DayOfWeek)
import Data.Time.Calendar.Quarter (QuarterOfYear)
import Data.Time.LocalTime (CalendarDiffTime)
import Tern.Internal.Wire.Calendar (calendarDiffDays, calendarDiffTime, dayOfWeek, quarterOfYear)
import Tern.Internal.Wire.Class (Wire (..))

instance Wire DayOfWeek where
  codec = dayOfWeek

instance Wire QuarterOfYear where
  codec = quarterOfYear

instance Wire CalendarDiffDays where
  codec = calendarDiffDays

instance Wire CalendarDiffTime where
  codec = calendarDiffTime
