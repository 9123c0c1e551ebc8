{-# LANGUAGE OverloadedStrings #-}

-- | The dates of HTTP's headers, as RFC 9110, section 5.6.7, has them.
--
-- The idea: a date is a number of seconds, so that comparing is all that is done with it.
-- Three ways to write one are read; one is written.
--
-- Start at 'parseDate'.
module Tern.Negotiate.Date
  ( Date (..),
    parseDate,
    renderDate,
  )
where

import Control.Monad (guard)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.Char (isDigit)
import Data.List (elemIndex)

-- $setup
-- >>> :set -XOverloadedStrings

-- | Seconds since the beginning of 1970, in Greenwich, without leap seconds.
newtype Date = Date Int
  deriving newtype (Eq, Ord, Show)

-- | A date in one of the three ways. A year of two digits is the one that is nearest to
-- the first date, or it is more than 50 years before it: what that date is should be what
-- this one will be compared with.
--
-- >>> :{
-- map (parseDate (Date 0)) ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
--   "Sun Nov  6 08:49:37 1994"]
-- :}
-- [Just 784111777,Just 784111777,Just 784111777]
-- >>> :{
-- map (parseDate (Date 0)) ["1994-11-06", "Sun, 31 Feb 1994 08:49:37 GMT",
--   "Sun, 06 Nov 1994 08:49:37 +0100"]
-- :}
-- [Nothing,Nothing,Nothing]
parseDate :: Date -> ByteString -> Maybe Date
parseDate near text = case BC.split ' ' text of
  [name, day, month, year, time, "GMT"]
    | name `elem` map ((<> ",") . B.take 3) days -> do
        y <- number 4 year
        dated y month day time
  [name, date, time, "GMT"]
    | name `elem` map (<> ",") days,
      [day, month, year] <- BC.split '-' date -> do
        y <- nearest near <$> number 2 year
        dated y month day time
  [name, month, day, time, year]
    | name `elem` map (B.take 3) days -> do
        y <- number 4 year
        dated y month day time
  [name, month, "", day, time, year]
    | name `elem` map (B.take 3) days,
      B.length day == 1 -> do
        y <- number 4 year
        dated y month ("0" <> day) time
  _ -> Nothing

-- | By the year, and the words for the others.
dated :: Int -> ByteString -> ByteString -> ByteString -> Maybe Date
dated year month day time = do
  m <- (+ 1) <$> elemIndex month months
  d <- number 2 day
  guard (d >= 1 && d <= lengthOf year m)
  [h, minutes, s] <- traverse (number 2) (BC.split ':' time)
  -- A leap second is the first one of the next minute.
  guard (h < 24 && minutes < 60 && s <= 60)
  Just (Date (((fromCivil year m d * 24 + h) * 60 + minutes) * 60 + s))

-- | As it is written today.
--
-- >>> renderDate (Date 784111777)
-- "Sun, 06 Nov 1994 08:49:37 GMT"
renderDate :: Date -> ByteString
renderDate (Date total) =
  B.concat
    [ B.take
        3
        (at ((day + 4) `mod` 7) days),
      ", ",
      padded 2 d,
      " ",
      at (m - 1) months,
      " ",
      padded 4 y,
      " ",
      padded 2 h,
      ":",
      padded 2 minutes,
      ":",
      padded 2 s,
      " GMT"
    ]
  where
    (day, second) = total `divMod` 86400
    (h, (minutes, s)) = (`divMod` 60) <$> second `divMod` 3600
    (y, m, d) = civil day
    at n = B.concat . take 1 . drop n
    padded n x = let digits = BC.pack (show x) in BC.replicate (n - B.length digits) '0' <> digits

-- | A number of @n@ digits.
number :: Int -> ByteString -> Maybe Int
number n text
  | B.length text == n, BC.all isDigit text = fst <$> BC.readInt text
  | otherwise = Nothing

-- | The year with these last two digits that is at most 50 years after a date.
nearest :: Date -> Int -> Int
nearest (Date near) short = latest - ((latest - short) `mod` 100)
  where
    (year, _, _) = civil (near `div` 86400)
    latest = year + 50

lengthOf :: Int -> Int -> Int
lengthOf year = \case
  2 -> if isLeap then 29 else 28
  month -> if month `elem` [4, 6, 9, 11] then 30 else 31
  where
    isLeap = (year `mod` 4 == 0 && year `mod` 100 /= 0) || year `mod` 400 == 0

-- | Days since the beginning of 1970. Years begin in March here, so that a leap day is
-- the last of its year.
fromCivil :: Int -> Int -> Int -> Int
fromCivil year month day =
  365 * y + y `div` 4 - y `div` 100 + y `div` 400 + (153 * m + 2) `div` 5 + day - 719469
  where
    y = if month <= 2 then year - 1 else year
    m = (month + 9) `mod` 12

-- | The year, month and day of the day that is @days'@ days after the first of 1970.
civil :: Int -> (Int, Int, Int)
civil days' = (if month <= 2 then year + 1 else year, month, day - (153 * m + 2) `div` 5 + 1)
  where
    z = days' + 719468
    (era, ofEra) = z `divMod` 146097
    yearOfEra = (ofEra - ofEra `div` 1460 + ofEra `div` 36524 - ofEra `div` 146096) `div` 365
    year = yearOfEra + era * 400
    day = ofEra - (365 * yearOfEra + yearOfEra `div` 4 - yearOfEra `div` 100)
    m = (5 * day + 2) `div` 153
    month = if m < 10 then m + 3 else m - 9

days, months :: [ByteString]
days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
