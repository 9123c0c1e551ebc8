-- The class is in "Tern.Wire.Class", as for "Tern.Wire.Instances".
{-# OPTIONS_GHC -Wno-orphans #-}

-- | Names and differences of the calendar. "Tern.Wire.Calendar" says what they are in
-- each format.
module Tern.Wire.Instances.Calendar () where

import Data.Time.Calendar (CalendarDiffDays, DayOfWeek)
import Data.Time.Calendar.Quarter (QuarterOfYear)
import Data.Time.LocalTime (CalendarDiffTime)
import Tern.Wire.Calendar
import Tern.Wire.Class

instance Wire DayOfWeek where
  codec = dayOfWeek

instance Wire QuarterOfYear where
  codec = quarterOfYear

instance Wire CalendarDiffDays where
  codec = calendarDiffDays

instance Wire CalendarDiffTime where
  codec = calendarDiffTime
