{-# LANGUAGE OverloadedStrings #-}

-- | Times as the service writes them: @Thu Nov 26 21:27:24 +0000 2026@.
--
-- The idea: what the service itself writes is read and written by its parts. 'parseTimeM' and
-- 'formatTime', which the package's instances call, allocate 52 and 21 kilobytes for a time, most
-- of what Tern's instances then allocate; a text of another form is left to them.
-- Start at 'serviceTime'.
module Tern.Moved.Twitter.Time (serviceTime) where

import Control.Applicative ((<|>))
import Control.Monad (guard)
import Data.List (elemIndex)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Read qualified as T
import Data.Time hiding (months)
import Tern
import Tern.Codec qualified as Codec
import Web.Twitter.Types (twitterTimeFormat)

-- | A text in each format. It is written in UTC, with what is less than a second cut off; any text
-- that 'twitterTimeFormat' describes is read.
serviceTime :: Codec UTCTime
serviceTime = Codec.refine time written codec
  where
    time text = maybe (Left "expected a time of the service") Right (ofParts text <|> ofAny text)
    ofAny = parseTimeM True defaultTimeLocale twitterTimeFormat . T.unpack

ofParts :: Text -> Maybe UTCTime
ofParts text = case T.words text of
  [weekday, month, day, clock, "+0000", year]
    | [hours, minutes, seconds] <- T.splitOn ":" clock -> do
        guard (weekday `elem` weekdays)
        m <- (+ 1) <$> elemIndex month months
        date <- fromGregorianValid <$> digits 4 year <*> pure m <*> digits 2 day
        [h, min', s] <- traverse (digits 2) [hours, minutes, seconds]
        clockTime <- makeTimeOfDayValid h min' (fromIntegral s)
        guard (s < 60)
        (`UTCTime` timeOfDayToTime clockTime) <$> date
  _ -> Nothing

-- | A number of so many digits.
digits :: (Integral a) => Int -> Text -> Maybe a
digits n text = case T.decimal text of
  Right (number, "") | T.length text == n -> Just number
  _ -> Nothing

written :: UTCTime -> Text
written (UTCTime day time) =
  T.concat
    [ weekdays !! fromInteger ((toModifiedJulianDay day + 2) `mod` 7),
      " ",
      months !! (month - 1),
      T.pack (' ' : two date (' ' : clock (" +0000 " <> show year)))
    ]
  where
    (year, month, date) = toGregorian day
    -- A leap second is the 61st of the day's last minute.
    minutes = min (24 * 60 - 1) (whole `quot` 60)
    s = whole - 60 * minutes
    whole = truncate time :: Int
    (h, m) = minutes `quotRem` 60
    clock rest = two h (':' : two m (':' : two s rest))
    two n rest = toEnum (48 + n `quot` 10) : toEnum (48 + n `rem` 10) : rest

weekdays :: [Text]
weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

months :: [Text]
months =
  ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
