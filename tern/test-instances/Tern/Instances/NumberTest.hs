{-# LANGUAGE DataKinds #-}
{-# LANGUAGE OverloadedStrings #-}

module Tern.Instances.NumberTest (tests) where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.Fixed (Centi, Fixed (..), Pico, Uni)
import Data.Int (Int8)
import Data.Ratio (Ratio, (%))
import Data.Scientific (Scientific, scientific)
import Data.Text.Encoding qualified as T
import Data.Time.Calendar (CalendarDiffDays (..), DayOfWeek (..))
import Data.Time.Calendar.Quarter (QuarterOfYear (..))
import Data.Time.Clock
  ( DiffTime,
    NominalDiffTime,
    UniversalTime (..),
    picosecondsToDiffTime,
    secondsToNominalDiffTime,
  )
import Data.Time.Clock.System (SystemTime (..))
import Data.Time.Clock.TAI (addAbsoluteTime, taiEpoch)
import Data.Time.LocalTime (CalendarDiffTime (..))
import Tern
import Tern.Instances.Laws (fails, laws, sameAsAeson, texts)
import Tern.Shape (renderShape)
import Tern.Testkit.Allocation (allocatedBy)
import Tern.Wire (shapeOf)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding (Fixed)

tests :: TestTree
tests =
  testGroup
    "numbers"
    [ laws "Scientific" scientifics,
      laws "Centi" (MkFixed <$> integers :: Gen Centi),
      laws "Pico" (MkFixed <$> integers :: Gen Pico),
      laws "Uni" (MkFixed <$> integers :: Gen Uni),
      laws "of sevenths" (MkFixed <$> integers :: Gen (Fixed 7)),
      laws "DiffTime" (picosecondsToDiffTime <$> integers),
      laws "NominalDiffTime" (secondsToNominalDiffTime . MkFixed <$> integers),
      laws "SystemTime" systemTimes,
      laws "AbsoluteTime" ((`addAbsoluteTime` taiEpoch) . picosecondsToDiffTime <$> integers),
      laws
        "UniversalTime"
        (ModJulianDate <$> ((%) <$> integers <*> (integers `suchThat` (/= 0)))),
      laws "Ratio Integer" ((%) <$> integers <*> (integers `suchThat` (/= 0))),
      laws "Ratio Int8" ((%) <$> choose (-100, 100) <*> choose (1, 100) :: Gen (Ratio Int8)),
      laws "DayOfWeek" (toEnum <$> choose (1, 7) :: Gen DayOfWeek),
      laws "QuarterOfYear" (elements [Q1, Q2, Q3, Q4]),
      laws "CalendarDiffDays" (CalendarDiffDays <$> integers <*> integers),
      laws
        "CalendarDiffTime"
        ( CalendarDiffTime
            <$> integers
            <*> (secondsToNominalDiffTime . MkFixed <$> integers)
        ),
      sameAsAeson "Scientific" scientifics,
      sameAsAeson "Centi" (MkFixed <$> integers :: Gen Centi),
      sameAsAeson "Pico" (MkFixed <$> integers :: Gen Pico),
      sameAsAeson "DiffTime" (picosecondsToDiffTime <$> integers),
      sameAsAeson "NominalDiffTime" (secondsToNominalDiffTime . MkFixed <$> integers),
      sameAsAeson "SystemTime" systemTimes,
      sameAsAeson "Ratio Integer" ((%) <$> integers <*> (integers `suchThat` (/= 0))),
      sameAsAeson "DayOfWeek" (toEnum <$> choose (1, 7) :: Gen DayOfWeek),
      sameAsAeson "QuarterOfYear" (elements [Q1, Q2, Q3, Q4]),
      sameAsAeson "CalendarDiffDays" (CalendarDiffDays <$> integers <*> integers),
      localOption (QuickCheckTests 2000) $
        testGroup
          "texts"
          [ texts @Scientific "Scientific" (==) numberTexts,
            texts @Centi "Centi" (==) numberTexts,
            texts @Pico "Pico" (==) numberTexts,
            texts @DiffTime "DiffTime" (==) numberTexts,
            -- Beyond 64 bits aeson takes the seconds modulo 2^64, and Tern refuses them.
            texts @SystemTime
              "SystemTime"
              (==)
              ( numberTexts `suchThat` \t ->
                  BC.length (BC.takeWhile (`notElem` (".eE" :: String)) t) < 18
                    && not (BC.any (`elem` ("eE" :: String)) t)
              ),
            texts
              @DayOfWeek
              "DayOfWeek"
              (==)
              (elements ["\"Monday\"", "\"FRIDAY\"", "\"sun\"", "1"])
          ],
      testCase "huge powers of ten cost nothing" $ do
        let huge = scientific 17 1000000000000
        encodeJson huge @?= "1.7e1000000000001"
        decodeJson "17e1000000000000" @?= Right huge
        decodeJson "17e-1000000000000" @?= Right (scientific 17 (-1000000000000))
        decodeMessagePack (encodeMessagePack huge) @?= Right huge
        decodeNative (encodeNative huge) @?= Right huge
        decodeJson "1e-1000000000000" @?= Right (0 :: Centi)
        decodeJson "-1e-1000000000000" @?= Right (-0.01 :: Centi)
        bytes <- allocatedBy (decodeJson @Scientific) "17e1000000000000"
        assertBool (show bytes) (bytes < 1000),
      testCase "powers of ten are exact, or refused" $ do
        let most = 4000000000000000000
            read' :: ByteString -> [Either Error Scientific]
            read' text =
              [ decodeJson text,
                decodeMessagePack (encodeMessagePack (T.decodeUtf8 text)),
                decodeCbor (encodeCbor (T.decodeUtf8 text))
              ]
        read' "1e4000000000000000000" @?= replicate 3 (Right (scientific 1 most))
        read' "-15E-4000000000000000000" @?= replicate 3 (Right (scientific (-15) (negate most)))
        read' "1.5e4000000000000000001" @?= replicate 3 (Right (scientific 15 most))
        read' "0.0e99999999999999999999" @?= replicate 3 (Right 0)
        [ text
          | text <-
              [ "1e4000000000000000001",
                "1e-4000000000000000001",
                "1e9223372036854775807",
                "1e-9223372036854775808",
                "1e9223372036854775808",
                "1e18446744073709551617",
                "-2.5e-99999999999999999999999999"
              ],
            Right _ <- read' text
          ]
          @?= [],
      testCase "in MessagePack" $ do
        encodeMessagePack (scientific 15 (-1)) @?= "\xa3\&1.5"
        encodeMessagePack (scientific 150 (-1)) @?= "\x0f"
        encodeMessagePack (scientific 1 18) @?= "\xcf\x0d\xe0\xb6\xb3\xa7\x64\0\0"
        encodeMessagePack (scientific 1 20) @?= "\xb5\&100000000000000000000"
        decodeMessagePack "\xcb\x3f\xf8\0\0\0\0\0\0" @?= Right (scientific 15 (-1))
        encodeMessagePack (MkSystemTime 1 500) @?= "\xd7\xff\x00\x00\x07\xd0\x00\x00\x00\x01",
      testCase "one spelling in the native format" $ do
        assertBool "zeros" (refused (decodeNative @Scientific "\x14\0"))
        assertBool "nothing times ten" (refused (decodeNative @Scientific "\0\x02"))
        assertBool "two quarters" (refused (decodeNative @Rational "\x04\x08"))
        assertBool "a half, both below" (refused (decodeNative @Rational "\x01\x03")),
      testGroup
        "what is wrong"
        [ fails @Centi "1e2000" "line 1, column 1, at $: expected a number of at most 1024 digits",
          fails
            @Rational
            "{\"numerator\": 1, \"denominator\": 0}"
            "line 1, column 1, at $: expected a denominator other than 0",
          fails
            @(Ratio Int8)
            "{\"numerator\": 1, \"denominator\": 300}"
            "line 1, column 33, at $.denominator: the number does not fit Int8",
          fails @QuarterOfYear "\"q5\"" "line 1, column 1, at $: expected q1, q2, q3, q4"
        ],
      testCase "shapes" $ do
        renderShape (shapeOf @Centi) @?= "number \"fixed-100\" as integer"
        renderShape (shapeOf @NominalDiffTime) @?= "number \"seconds\" as integer"
    ]

refused :: Either Error a -> Bool
refused = either (const True) (const False)

integers :: Gen Integer
integers = do
  k <- choose (0, 90 :: Int)
  n <- choose (-(2 ^ k), 2 ^ k)
  z <- elements [0, 0, 1, 2, 3, 9, 12 :: Int]
  pure (n * 10 ^ z)

scientifics :: Gen Scientific
scientifics =
  scientific
    <$> integers
    <*> frequency [(3, choose (-12, 12)), (1, choose (-400, 1100)), (1, choose (1020, 1030))]

systemTimes :: Gen SystemTime
systemTimes =
  MkSystemTime
    <$> frequency [(3, choose (-5000000000, 5000000000)), (1, arbitrary)]
    <*> frequency [(2, choose (0, 999999999)), (1, (* 1000000) <$> choose (0, 999))]

numberTexts :: Gen ByteString
numberTexts = do
  sign <- frequency [(4, pure ""), (2, pure "-"), (1, pure "+")]
  whole <- frequency [(5, BC.pack . show . abs <$> integers), (1, elements ["", "0", "00"])]
  fraction <-
    frequency
      [ (2, pure ""),
        (3, BC.cons '.' . BC.pack . show . abs <$> integers),
        (1, elements [".", ".50", ".000"])
      ]
  power <-
    frequency
      [ (4, pure ""),
        ( 2,
          (\e n -> B.concat [e, BC.pack (show n)])
            <$> elements ["e", "E", "e+"]
            <*> choose (0, 20 :: Int)
        ),
        (2, (\n -> "e" <> BC.pack (show n)) <$> choose (-2000, 1100 :: Int)),
        (1, elements ["e", "e1.5"])
      ]
  pure (B.concat [sign, whole, fraction, power])
