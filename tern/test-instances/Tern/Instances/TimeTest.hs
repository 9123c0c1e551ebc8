{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

module Tern.Instances.TimeTest (tests) where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.Fixed (Fixed (MkFixed))
import Data.Function (on)
import Data.Int (Int16)
import Data.Map.Strict qualified as Map
import Data.Time.Calendar (Day (..), fromGregorian)
import Data.Time.Calendar.Month (Month (..))
import Data.Time.Calendar.Quarter (Quarter (..))
import Data.Time.Clock (DiffTime, UTCTime (..), picosecondsToDiffTime)
import Data.Time.LocalTime
  ( LocalTime (..),
    TimeOfDay (..),
    TimeZone (..),
    ZonedTime (..),
    midday,
    minutesToTimeZone,
    utc,
    zonedTimeToUTC,
  )
import Data.Word (Word8)
import Tern
import Tern.Instances.Laws (edges, fails, laws, lawsBy, sameAsAeson, sameAsAesonBy, texts)
import Tern.Schema (jsonSchema)
import Tern.Shape (renderShape)
import Tern.Wire (shapeOf)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "time"
    [ laws "Day" days,
      laws "TimeOfDay" timesOfDay,
      laws "LocalTime" localTimes,
      laws "UTCTime" utcTimes,
      lawsBy "ZonedTime" sameZoned zonedTimes,
      laws "TimeZone" (minutesToTimeZone <$> choose (-1439, 1439)),
      testCase "a time zone is its offset" $ do
        map encodeJson [TimeZone 120 True "CEST", utc, minutesToTimeZone 9999]
          @?= ["\"+02:00\"", "\"Z\"", "\"+23:59\""]
        [either (const Nothing) (Just . timeZoneMinutes) (decodeJson text) | text <- zones]
          @?= [Just 0, Just 60, Just (-330), Just 90, Nothing, Nothing, Nothing, Nothing, Nothing],
      laws "Month" (MkMonth <$> inYears 12),
      laws "Quarter" (MkQuarter <$> inYears 4),
      sameAsAeson "Day" days,
      sameAsAeson "TimeOfDay" timesOfDay,
      sameAsAeson "LocalTime" localTimes,
      sameAsAeson "UTCTime" utcTimes,
      sameAsAesonBy "ZonedTime" sameZoned (zonedWithin 840 zonedTimes),
      sameAsAeson "Month" (MkMonth <$> inYears 12),
      sameAsAeson "Quarter" (MkQuarter <$> inYears 4),
      localOption (QuickCheckTests 3000) $
        testGroup
          "texts"
          [ texts @Day "Day" (==) (quoted dateTexts),
            texts @TimeOfDay "TimeOfDay" (==) (quoted timeTexts),
            texts @LocalTime
              "LocalTime"
              (==)
              ( quoted
                  ( joined
                      [dateTexts, elements ["T", " ", "t", ""], timeTexts]
                  )
              ),
            texts @UTCTime "UTCTime" (==) (quoted zonedTexts),
            texts @ZonedTime "ZonedTime" sameZoned (quoted zonedTexts),
            texts @Month
              "Month"
              (==)
              ( quoted
                  ( joined
                      [signs, years, elements ["-", "-", "-", ""], twoDigits]
                  )
              ),
            texts @Quarter
              "Quarter"
              (==)
              ( quoted
                  ( joined
                      [ signs,
                        years,
                        elements ["-", "-", "-", ""],
                        elements ["q1", "Q2", "q4", "q5", "3", "q"]
                      ]
                  )
              )
          ],
      testGroup
        "what is wrong"
        [ fails
            @Day
            "\"2026-13-01\""
            "line 1, column 7, at $: expected a month, 01 to 12, found \"13-01\\\"\"",
          fails
            @Day
            "\"2026-02-29\""
            "line 1, column 10, at $: expected a day that the month has, of two digits, found \
            \\"29\\\"\"",
          fails
            @Day
            "\"1900-02-29\""
            "line 1, column 10, at $: expected a day that the month has, of two digits, found \
            \\"29\\\"\"",
          fails
            @Day
            "\"2026-1-01\""
            "line 1, column 7, at $: expected a month, 01 to 12, found \"1-01\\\"\"",
          fails
            @Day
            "\"26-01-01\""
            "line 1, column 2, at $: expected a year of four digits or more, up to 999999999, \
            \found \"26-01-01\\\"\"",
          fails
            @Day
            "\"1000000000-01-01\""
            "line 1, column 2, at $: expected a year of four digits or more, up to 999999999, \
            \found \"1000000000-01-01\\\"\"",
          fails
            @Day
            "\"2026-01-01T\""
            "line 1, column 12, at $: expected the end of the string, found \"T\\\"\"",
          fails @Day "20260101" "line 1, column 1, at $: expected a string, found \"20260101\"",
          fails
            @UTCTime
            "\"2026-01-01\""
            "line 1, column 12, at $: expected a T or a space, and a time of day, found \"\\\"\"",
          fails
            @UTCTime
            "\"2026-01-01T24:00:00Z\""
            "line 1, column 13, at $: expected an hour, 00 to 23, found \"24:00:00Z\\\"\"",
          fails
            @UTCTime
            "\"2026-01-01T00:00:61Z\""
            "line 1, column 19, at $: expected a second, 00 to 60, found \"61Z\\\"\"",
          fails
            @UTCTime
            "\"2026-01-01T00:00:00.Z\""
            "line 1, column 22, at $: expected a digit, found \"Z\\\"\"",
          fails
            @UTCTime
            "\"2026-01-01T00:00:00\""
            "line 1, column 21, at $: expected an offset from UTC: Z, or hours and minutes as \
            \+01:00, found \"\\\"\"",
          fails
            @UTCTime
            "\"2026-01-01T00:00:00+24:00\""
            "line 1, column 21, at $: expected an offset from UTC: Z, or hours and minutes as \
            \+01:00, found \"+24:00\\\"\"",
          fails
            @UTCTime
            "\"2026\\u002d01-01\""
            "line 1, column 1, at $: expected a T or a space, and a time of day, found \
            \\"\\\"2026\\\\u002d01-01\\\"\""
        ],
      testCase "escapes are read" $
        decodeJson "\"2026\\u002d01\\u002D31T01:02:03\\u005A\"" @?= Right (utc' 2026 1 31 3723),
      testCase "leap years" $
        map decodeJson ["\"2000-02-29\"", "\"2024-02-29\"", "\"-0400-02-29\""]
          @?= [Right (fromGregorian y 2 29) | y <- [2000, 2024, -400]],
      testCase "an offset leads to another day" $
        map
          decodeJson
          [ "\"2026-01-01T23:00:00-01:00\"",
            "\"2026-01-01T00:00:00+00:01\"",
            "\"2026-01-01T00:00:00.5+23:59\""
          ]
          @?= [ Right (utc' 2026 1 2 0),
                Right (utc' 2025 12 31 86340),
                Right (utc' 2025 12 31 60.5)
              ],
      testCase "leap seconds" $ do
        encodeJson (UTCTime (fromGregorian 2016 12 31) 86400.5) @?= "\"2016-12-31T23:59:60.5Z\""
        decodeJson "\"2016-12-31T23:59:60.5Z\""
          @?= Right (UTCTime (fromGregorian 2016 12 31) 86400.5)
        decodeJson "\"2017-01-01T00:59:60.5+01:00\""
          @?= Right (UTCTime (fromGregorian 2016 12 31) 86400.5),
      testCase "hostile: a million digits" $ do
        assertBool "of a year" . isRefused $
          decodeJson @Day (B.concat ["\"", BC.replicate 1000000 '9', "-01-01\""])
        decodeJson (B.concat ["\"00:00:00.", BC.replicate 1000000 '1', "\""])
          @?= Right (TimeOfDay 0 0 (MkFixed 111111111111)),
      testCase "what no text says is written as the nearest that one does" $ do
        decodeJson (encodeJson (ModifiedJulianDay (10 ^ (20 :: Int))))
          @?= Right (fromGregorian 999999999 12 31)
        decodeNative (encodeNative (ModifiedJulianDay (-(10 ^ (20 :: Int)))))
          @?= Right (fromGregorian (-999999999) 1 1)
        decodeMessagePack (encodeMessagePack (UTCTime (fromGregorian 2026 1 1) (-5)))
          @?= Right (utc' 2026 1 1 0)
        decodeJson (encodeJson (TimeOfDay 25 (-1) 99))
          @?= Right (TimeOfDay 23 0 (MkFixed 60999999999999)),
      testCase "an offset that no text says is that of UTC" $
        fmap
          zonedTimeToUTC
          ( decodeJson
              ( encodeJson
                  ( ZonedTime
                      (LocalTime (fromGregorian 2026 1 1) midday)
                      (minutesToTimeZone 6000)
                  )
              )
          )
          @?= Right (utc' 2025 12 28 28800),
      testCase "in MessagePack" $ do
        encodeMessagePack (utc' 2026 1 1 0) @?= "\xd6\xff\x69\x55\xb9\x00"
        encodeMessagePack (UTCTime (fromGregorian 2026 1 1) 0.5)
          @?= "\xd7\xff\x77\x35\x94\x00\x69\x55\xb9\x00"
        encodeMessagePack (utc' 1969 12 31 86399)
          @?= "\xc7\x0c\xff\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff"
        encodeMessagePack (UTCTime (fromGregorian 2016 12 31) 86400)
          @?= "\xb4\&2016-12-31T23:59:60Z"
        encodeMessagePack (UTCTime (fromGregorian 2026 1 1) (picosecondsToDiffTime 1))
          @?= "\xd9\x21\&2026-01-01T00:00:00.000000000001Z"
        encodeMessagePack (fromGregorian 2026 1 1) @?= "\xaa\&2026-01-01"
        decodeMessagePack "\xb9\&2026-01-01T01:00:00+01:00" @?= Right (utc' 2026 1 1 0)
        assertBool "beyond the years" . isRefused $
          decodeMessagePack @UTCTime "\xc7\x0c\xff\0\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff",
      testCase "native" $ do
        encodeNative (fromGregorian 1858 11 17) @?= "\0"
        encodeNative (fromGregorian 2026 1 1) @?= "\xc1\xdc\xe2"
        encodeNative (UTCTime (fromGregorian 1858 11 17) (picosecondsToDiffTime 127)) @?= "\0\x7f"
        encodeNative (TimeOfDay 23 59 (MkFixed 1)) @?= "\x17\x3b\x01"
        assertBool "an hour that is none" . isRefused $ decodeNative @TimeOfDay "\x18\0\0"
        assertBool "a minute that is none" . isRefused $ decodeNative @TimeOfDay "\0\x3c\0",
      testGroup
        "native, at the ends of what there is"
        [ edges @Day "Day" [firstDay, lastDay] [firstDay - 1, lastDay + 1],
          edges @Month "Month" [-11999999988, 11999999999] [-11999999989 :: Int, 12000000000],
          edges @Quarter "Quarter" [-3999999996, 3999999999] [-3999999997 :: Int, 4000000000],
          edges @TimeOfDay
            "TimeOfDay"
            [timeOf 0 0 0, timeOf 23 59 60999999999999]
            [timeOf 24 0 0, timeOf 0 60 0, timeOf 0 0 61000000000000],
          edges @ZonedTime
            "ZonedTime"
            [((0, timeOf 0 0 0), offset) | offset <- [-1439, 1439]]
            [((0 :: Int, timeOf 0 0 0), offset :: Int16) | offset <- [-1440, 1440, minBound]],
          edges @UTCTime
            "UTCTime"
            [(firstDay, 0), (lastDay, 86400999999999999)]
            [(firstDay - 1, 0), (lastDay + 1, 0), (0, 86401000000000000 :: Word)]
        ],
      testCase "as keys" $ do
        encodeJson (Map.fromList [(fromGregorian 2026 1 1, True)]) @?= "{\"2026-01-01\":true}"
        decodeJson "{\"2026-01-01T01:00:00+01:00\":true}"
          @?= Right (Map.fromList [(utc' 2026 1 1 0, True)]),
      testCase "shapes" $ do
        renderShape (shapeOf @Day) @?= "text \"date\" as (integer -365243178575..365241821058)"
        renderShape (shapeOf @[UTCTime])
          @?= "[text \"date-time\" as (integer -365243178575..365241821058, integer \
              \0..86400999999999999)]"
        encodeJson (jsonSchema (shapeOf @UTCTime))
          @?= "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"type\":\"string\"\
              \,\"format\":\"date-time\"}"
    ]

-- | As their shapes say.
firstDay, lastDay :: Int
firstDay = -365243178575
lastDay = 365241821058

timeOf :: Word8 -> Word8 -> Word -> (Word8, Word8, Word)
timeOf = (,,)

utc' :: Integer -> Int -> Int -> DiffTime -> UTCTime
utc' y m d = UTCTime (fromGregorian y m d)

isRefused :: Either Error a -> Bool
isRefused = either (const True) (const False)

-- | Zones have names, which no text has.
-- | Some that are offsets, and some that are none.
zones :: [ByteString]
zones = ["\"" <> text <> "\"" | text <- ["Z", "+01", "-05:30", "+0130"] <> wrong]
  where
    wrong = ["", "+24:00", "+1", "01:00", "Z "]

sameZoned :: ZonedTime -> ZonedTime -> Bool
sameZoned = (==) `on` \(ZonedTime t z) -> (t, timeZoneMinutes z)

-- * Values

days :: Gen Day
days =
  frequency
    [ (5, ModifiedJulianDay <$> choose (-700000, 100000)),
      (3, fromGregorian <$> choose (-999999999, 999999999) <*> choose (1, 12) <*> choose (1, 31)),
      ( 1,
        elements
          [ fromGregorian
              999999999
              12
              31,
            fromGregorian (-999999999) 1 1,
            fromGregorian 0 1 1,
            fromGregorian (-1) 2 28,
            fromGregorian 2000 2 29,
            fromGregorian 999 12 31,
            fromGregorian 10000 1 1
          ]
      )
    ]

inYears :: Integer -> Gen Integer
inYears n =
  frequency [(3, choose (-20000, 50000)), (1, choose (-999999999 * n, 999999999 * n + n - 1))]

-- | Picoseconds below a number, of few digits or of many.
picos :: Integer -> Gen Integer
picos n = do
  unit <-
    elements
      [ 1,
        10
          ^ (3 :: Int),
        10 ^ (5 :: Int),
        10 ^ (6 :: Int),
        10 ^ (9 :: Int),
        10 ^ (12 :: Int)
      ]
  k <- choose (0, (n - 1) `div` unit)
  pure (k * unit)

timesOfDay :: Gen TimeOfDay
timesOfDay = TimeOfDay <$> choose (0, 23) <*> choose (0, 59) <*> (MkFixed <$> picos 61000000000000)

localTimes :: Gen LocalTime
localTimes = LocalTime <$> days <*> timesOfDay

utcTimes :: Gen UTCTime
utcTimes =
  UTCTime
    <$> days
    <*> ( picosecondsToDiffTime
            <$> frequency
              [ (5, picos 86400000000000000),
                (1, (+ 86400000000000000) <$> picos 1000000000000)
              ]
        )

zonedTimes :: Gen ZonedTime
zonedTimes =
  ZonedTime
    <$> localTimes
    <*> ( minutesToTimeZone
            <$> frequency [(1, pure 0), (3, (* 60) <$> choose (-12, 14)), (3, choose (-1439, 1439))]
        )

-- | Those that aeson reads.
zonedWithin :: Int -> Gen ZonedTime -> Gen ZonedTime
zonedWithin most values =
  values `suchThat` \z -> let n = timeZoneMinutes (zonedTimeZone z) in n >= -720 && n <= most

-- * Texts that are right, or nearly

quoted :: Gen ByteString -> Gen ByteString
quoted text = joined [pure "\"", text, pure "\""]

joined :: [Gen ByteString] -> Gen ByteString
joined = fmap B.concat . sequence

twoDigits, years, signs, dateTexts, timeTexts, zonedTexts, zoneTexts, digits :: Gen ByteString
twoDigits =
  frequency
    [ (12, BC.pack . pad <$> choose (0, 31 :: Int)),
      (2, BC.pack . pad <$> choose (0, 99)),
      (1, elements ["1", "", "012", "a0"])
    ]
  where
    pad :: Int -> String
    pad n = if n < 10 then '0' : show n else show n
years =
  frequency
    [ (8, BC.pack . show <$> choose (1000, 9999 :: Int)),
      (2, BC.pack . show <$> choose (0, 999999999 :: Int)),
      ( 1,
        elements
          [ "0000",
            "0001",
            "000002026",
            "0000000000002026",
            "0999",
            "202"
          ]
      )
    ]
signs = frequency [(6, pure ""), (1, elements ["-", "+", "--"])]
dateTexts = joined [signs, years, hyphen, twoDigits, hyphen, twoDigits]
  where
    hyphen = frequency [(20, pure "-"), (1, elements ["", "/"])]
timeTexts =
  joined
    [ twoDigits,
      colon,
      frequency [(9, twoDigits), (1, pure "59")],
      frequency
        [ (1, pure ""),
          ( 6,
            joined
              [ colon,
                frequency [(6, twoDigits), (2, elements ["59", "60", "61"])],
                fraction
              ]
          )
        ]
    ]
  where
    colon = frequency [(20, pure ":"), (1, elements ["", "."])]
    fraction =
      frequency [(3, pure ""), (3, joined [pure ".", digits]), (1, elements [".", ".a", ",5"])]
digits = BC.pack <$> (choose (1, 15) >>= \n -> vectorOf n (choose ('0', '9')))
zonedTexts = joined [dateTexts, elements ["T", " ", "T", "T", "t"], timeTexts, zoneTexts]
zoneTexts =
  frequency
    [ (4, pure "Z"),
      (1, pure " Z"),
      ( 5,
        joined
          [ elements
              ["", "", " "],
            elements ["+", "-"],
            elements ["00", "01", "05", "11", "12", "13", "14", "15", "5"],
            elements ["", ":00", ":30", "00", "30", ":", ":59", ":60", "5"]
          ]
      ),
      (1, elements ["", "z", "+", "UTC"])
    ]
