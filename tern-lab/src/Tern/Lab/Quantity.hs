{-# LANGUAGE OverloadedStrings #-}

-- | Bytes, counts and seconds for people.
module Tern.Lab.Quantity
  ( Unit (..),
    renderQuantity,
    renderPercent,
    renderRough,
  )
where

import Data.Text (Text)
import Data.Text qualified as T
import Numeric (showFFloat)

-- | What a figure is in. A count is of things or of times that something happened.
data Unit = Bytes | Count | Seconds
  deriving stock (Eq, Show)

-- | With the unit, three significant digits or more.
--
-- >>> map (renderQuantity Bytes) [512, 20480, 19606128]
-- ["512 B","20.5 kB","19.6 MB"]
renderQuantity :: Unit -> Double -> Text
renderQuantity unit x = case unit of
  Bytes -> scaled ["B", "kB", "MB", "GB", "TB"]
  Count -> T.strip (scaled ["", "k", "M", "G", "T"])
  Seconds
    | x >= 1 -> fixed 2 x <> " s"
    | x >= 1e-3 -> fixed 1 (x * 1e3) <> " ms"
    | otherwise -> fixed 0 (x * 1e6) <> " µs"
  where
    scaled = go x
    go value (name : rest)
      | not (null rest), abs value >= 999.5 = go (value / 1000) rest
      | value == x = fixed 0 value <> " " <> name
      | abs value >= 99.95 = fixed 0 value <> " " <> name
      | abs value >= 9.995 = fixed 1 value <> " " <> name
      | otherwise = fixed 2 value <> " " <> name
    go value [] = fixed 0 value
    fixed digits value = T.pack (showFFloat (Just digits) value "")

-- | The change from an older figure to a newer one, signed, two decimals.
--
-- >>> renderPercent 200 150
-- "-25.00%"
renderPercent :: Double -> Double -> Text
renderPercent older newer
  | older == newer = "+0.00%"
  | older == 0 = "from 0"
  | otherwise = T.pack ((if change < 0 then "" else "+") <> showFFloat (Just 2) change "%")
  where
    change = 100 * (newer / older - 1)

-- | A change as a part of the older figure, in two significant digits.
--
-- >>> map renderRough [-0.3712, 2.0038, 0.0312, 0.00452]
-- ["-37 %","+200 %","+3.1 %","+0.45 %"]
renderRough :: Double -> Text
renderRough part = T.pack (sign <> digits <> " %")
  where
    sign = if part < 0 then "-" else "+"
    percent = abs (100 * part)
    digits
      | percent >= 99.5 = show (10 ^ more * round (percent / 10 ^^ more) :: Integer)
      | percent >= 9.95 = showFFloat (Just 0) percent ""
      | percent >= 0.995 = showFFloat (Just 1) percent ""
      | otherwise = showFFloat (Just 2) percent ""
    -- Of a number above a hundred, the digits after the second.
    more = length (show (round percent :: Integer)) - 2
