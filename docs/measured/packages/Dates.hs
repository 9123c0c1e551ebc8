-- | The days of a diary: written, read again in three formats, moved and compared.
module Main (main) where

import Data.Hourglass
import Data.Maybe (mapMaybe)

written :: Int -> String
written n = timePrint ISO8601_DateAndTime (timeAdd start (Seconds (fromIntegral n * 9973)))
  where
    start = DateTime (Date 1999 December 31) (TimeOfDay 23 58 7 0)

main :: IO ()
main = do
  let stamps = map written [1 .. 20000]
      times = mapMaybe (timeParse ISO8601_DateAndTime) stamps
  print (length times, sum (map length stamps))
  let days = map (timePrint "DD-Mon-YY H:MI:S.p3") times
  print (sum (map length days))
  print (length (mapMaybe (timeParse "DD-Mon-YY H:MI:S.p3") days))
  print (maximum (zipWith timeDiff (drop 1 times) times))
  print (length (filter ((== Sunday) . getWeekDay . timeGetDate) times))
  print (sum (map (getDayOfTheYear . timeGetDate) times))
  let later = [dateAddPeriod (timeGetDate t) (Period 1 2 3) | t <- times]
  print (length (filter (isLeapYear . dateYear) later))
  let there = [localTimePrint ISO8601_DateAndTime (localTime (TimezoneOffset 90) t) | t <- times]
  print (length (mapMaybe (localTimeParse ISO8601_DateAndTime) there))
