{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE ExistentialQuantification #-}
{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | The vectors in @docs\/spec\/vectors@: for each of some types its schema, values as JSON
-- and as bytes, and a container of them. Any language's reader can be tried on them; here
-- they are held against what Tern writes and reads.
--
-- @TERN_GOLDEN=write@ writes them again.
module Tern.Container.VectorsTest (tests) where

import Control.Monad (forM_, when)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy qualified as BL
import Data.Char (digitToInt, intToDigit)
import Data.Fixed (Centi, Fixed (MkFixed), Milli)
import Data.Int (Int16, Int32, Int64, Int8)
import Data.List.NonEmpty (NonEmpty (..))
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (mapMaybe)
import Data.Scientific (Scientific, scientific)
import Data.Set (Set)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Time.Calendar (Day (..), DayOfWeek (..), fromGregorian)
import Data.Time.Calendar.Month (Month (..))
import Data.Time.Calendar.Quarter (Quarter (..), QuarterOfYear (..))
import Data.Time.Clock (DiffTime, UTCTime (..), picosecondsToDiffTime)
import Data.Time.Clock.System (SystemTime (..))
import Data.Time.LocalTime (LocalTime (..), TimeOfDay (..), ZonedTime (..), minutesToTimeZone)
import Data.UUID.Types (UUID, fromWords64, nil)
import Data.Word (Word16, Word32, Word64, Word8)
import GHC.Generics (Generic)
import Numeric (showHex)
import Numeric.Natural (Natural)
import System.Directory (listDirectory)
import System.Environment (lookupEnv)
import System.FilePath ((</>))
import Tern
import Tern.Codec ((<.>))
import Tern.Codec qualified as Codec
import Tern.Container
import Tern.Container.Vectors
  ( Colour (..),
    Event (..),
    Only (..),
    Point (..),
    Reading (..),
    Ringing (..),
    Tree (..),
    Wrapped (..),
    Zoned (..),
  )
import Tern.Shape (fingerprint, renderShape)
import Tern.Testkit.Tally (inCheckout)
import Tern.Value (Value)
import Tern.Wire (shapeOf)
import Test.Tasty
import Test.Tasty.HUnit

-- | What a file says.
data Vector = Vector
  { -- | The schema as text, by @docs\/spec\/schema.md@.
    schema :: Text,
    -- | The 64 bits of the text, as 16 hexadecimal digits, the highest first.
    fingerprintOfSchema :: Text,
    -- | The schema as a container has it. Bytes are in hexadecimal digits.
    schemaAsBytes :: Text,
    values :: [Sample],
    -- | All values, in blocks that end with the element that makes them 8 bytes or
    -- more, with the mark 0102030405060708, its lowest byte first.
    container :: Text,
    -- | Bytes that are no value of the type.
    refused :: Maybe [Text]
  }

-- | Files of types that take all bytes as long as there are enough have nothing to refuse.
instance Wire Vector where
  codec =
    Codec.object
      ( Vector
          <$> Codec.field @"schema" schema codec
            <.> Codec.field @"fingerprintOfSchema" fingerprintOfSchema codec
            <.> Codec.field @"schemaAsBytes" schemaAsBytes codec
            <.> Codec.field @"values" values codec
            <.> Codec.field @"container" container codec
            <.> Codec.optional @"refused" refused codec
      )

data Sample = Sample {json :: Value, bytes :: Text}
  deriving stock (Generic)
  deriving anyclass (Wire)

data Subject = forall a. (Wire a, Eq a, Show a) => Subject String [a]

tests :: TestTree
tests =
  testGroup "vectors for other languages" $
    inCheckout
      "each file is of a type here"
      ( listDirectory folder >>= \found ->
          [name | name <- found, name `notElem` [n <> ".json" | Subject n _ <- subjects]] @?= []
      )
      : [inCheckout name (held name samples) | Subject name samples <- subjects]

folder :: FilePath
folder = "../docs/spec/vectors"

held :: forall a. (Wire a, Eq a, Show a) => String -> [a] -> Assertion
held name samples = do
  writing <- lookupEnv "TERN_GOLDEN"
  ours <-
    either
      (assertFailure . T.unpack . renderError "")
      pure
      (vectorOf (Map.lookup name wrong) samples)
  when (writing == Just "write") $ B.writeFile file (encodeJson ours <> "\n")
  input <- B.readFile file
  Vector text print' asBytes theirs whole no <-
    either (assertFailure . T.unpack . renderError input) pure (decodeJson input)
  -- What is written.
  encodeJson ours <> "\n" @?= input
  -- What is read.
  (renderShape <$> readSchema defaultLimits (unhex asBytes)) @?= Right text
  T.pack (sixteen (fingerprint (shapeOf @a))) @?= print'
  forM_ (zip samples theirs) $ \(a, Sample document encoded) -> do
    decodeNative (unhex encoded) @?= Right a
    decodeJson (encodeJson document) @?= Right a
  forM_ (concat no) $ \encoded ->
    either (const Nothing) Just (decodeNative @a (unhex encoded)) @?= Nothing
  decodeContainer (containerDecoder defaultSettings) (BL.fromStrict (unhex whole)) `holds` samples
  where
    file = folder </> name <> ".json"
    holds found wanted = do
      [T.unpack (renderFault fault) | Damaged fault <- found] @?= []
      concat [as | Elements _ as <- found] @?= wanted

vectorOf :: forall a. (Wire a) => Maybe [ByteString] -> [a] -> Either Error Vector
vectorOf no samples = do
  made <- traverse (\a -> (`Sample` hex (encodeNative a)) <$> decodeJson (encodeJson a)) samples
  pure
    Vector
      { schema = renderShape (shapeOf @a),
        fingerprintOfSchema = T.pack (sixteen (fingerprint (shapeOf @a))),
        schemaAsBytes = hex (schemaBytes (shapeOf @a)),
        values = made,
        container =
          hex
            ( BL.toStrict
                ( encodeContainer
                    defaultBlocks {blockBytes = 8}
                    (Mark 0x0807060504030201)
                    samples
                )
            ),
        refused = map hex <$> no
      }

sixteen :: Word64 -> String
sixteen w = drop 1 (showHex (toInteger w + 0x10000000000000000) "")

hex :: ByteString -> Text
hex =
  T.decodeUtf8
    . BC.pack
    . concatMap (\b -> map (intToDigit . fromIntegral) [b `quot` 16, b `rem` 16])
    . B.unpack

unhex :: Text -> ByteString
unhex = B.pack . go . T.unpack
  where
    go = \case
      a : b : rest -> fromIntegral (16 * digitToInt a + digitToInt b) : go rest
      _ -> []

-- | What a reader has to refuse, by the names of files.
wrong :: Map String [ByteString]
wrong =
  Map.fromList
    [ ("character", ["\xc0\xd8\x00", "\xc0\xdf\xff", "\xd1\x00\x00", "\x80\x61", "\x80", ""]),
      ("boolean", ["\x02", "\xff", "\x00\x00", ""]),
      ("int32", ["\xf1\x00\x00\x00\x00", "\x80\x05", "\xe0"]),
      ("word32", ["\xf1\x00\x00\x00\x00", "\xc0\x3f\xff"]),
      ("fixed-int32", ["", "\0\0\0", "\0\0\0\0\0"]),
      ("fixed-word32", ["\0", "\0\0\0\0\0"]),
      ("fixed-int64", ["", "\x7f", B.replicate 4 0, B.replicate 7 0, B.replicate 9 0]),
      ("fixed-word64", [B.replicate 7 255, B.replicate 9 255]),
      ( "list-of-fixed-int64",
        [ "\1" <> B.replicate 7 0,
          "\2" <> B.replicate 12 0,
          "\3" <> B.replicate 16 0,
          "\1" <> B.replicate 9 0,
          "\x90\0" <> B.replicate 64 0
        ]
      ),
      ( "set-of-fixed-int64",
        [ "\2" <> B.replicate 16 0,
          "\2" <> B.replicate 8 0 <> B.replicate 8 255
        ]
      ),
      ("map-of-fixed-word32", ["\2\0\1\0\0\1\1\0\0\0\0", "\2\1\0\0\0\1\1\0\0\0\0"]),
      ("text", ["\x01\xff", "\x02\xc0\x80", "\x03\xed\xa0\x80", "\x02\x61", "\x80\x01\x61"]),
      ("list", ["\x02\x00", "\x91\x00", "\x00\x00"]),
      ("non-empty", ["\x00"]),
      ("optional", ["\x02", "\x00\x00", "\x01"]),
      ("map", ["\x02\x01\x62\x00\x01\x61\x00", "\x02\x01\x61\x00\x01\x61\x00"]),
      ("enumeration", ["\x03"]),
      ("natural", ["\xff\x01\x05", "\xff\x08\x00\x00\x00\x00\x00\x00\x00\x00"]),
      ("sum", ["\x04", "\x01\x00\x02"]),
      ("unit", ["\x01", ""]),
      ("bytes", ["\x02\x61", "\x80\x01\x61", ""]),
      ("base16", ["\x02\x61"]),
      ("uuid", [B.replicate 15 0, B.replicate 17 0]),
      ("date", map (encodeNative @Int) [-365243178576, 365241821059]),
      ( "time-local",
        [ "\x18\x00\x00",
          "\x00\x3c\x00",
          "\x00\x00"
            <> encodeNative @Word 60999999999999999,
          "\x00\x00" <> encodeNative @Word 61000000000000
        ]
      ),
      ("date-time-local", [encodeNative @Int 365241821059 <> "\x00\x00\x00", "\x00\x18\x00\x00"]),
      ( "date-time",
        [ encodeNative @Int 365241821059
            <> "\x00",
          "\x00" <> encodeNative @Word 86401000000000000
        ]
      ),
      ("date-time-with-offset", ["\x00\x00\x00\x00\xa0\x05", "\x00\x00\x00\x00\x60\xfa"]),
      ("month", map (encodeNative @Int) [-11999999989, 12000000000]),
      ("quarter", map (encodeNative @Int) [-3999999997, 4000000000]),
      ("weekday", ["\x07"]),
      ("quarter-of-year", ["\x04"]),
      ( "decimal",
        [ encodeNative
            (10 :: Integer, 0 :: Int),
          encodeNative (0 :: Integer, 1 :: Int),
          encodeNative (-100 :: Integer, -2 :: Int)
        ]
      ),
      ("set-of-texts", ["\x02\x01\x62\x01\x61", "\x02\x01\x61\x01\x61"]),
      ("set-of-integers", ["\x02\x02\x01", "\x02\x02\x02"]),
      ("set-of-bytes", ["\x02\x01\x61\x00", "\x02\x02\x61\x61\x01\x61"]),
      ("set-of-decimals", ["\x02\x04\x00\x06\x01", "\x02\x02\x02\x04\x00"]),
      ("set-of-sets", ["\x02\x01\x02\x00", "\x01\x02\x02\x01"])
    ]

subjects :: [Subject]
subjects =
  [ Subject "boolean" [False, True],
    Subject "int8" (edges @Int8),
    Subject "word8" (edges @Word8),
    Subject "int16" (edges @Int16),
    Subject "word16" (edges @Word16),
    Subject "int32" (edges @Int32),
    Subject "word32" (edges @Word32),
    Subject "int64" (edges @Int64 <> [63, -64, 64, -65, 8191, -8192, 2 ^ (56 :: Int)]),
    Subject
      "word64"
      ( edges @Word64
          <> [127, 128, 16383, 16384, 2 ^ (56 :: Int) - 1, 2 ^ (56 :: Int)]
      ),
    Subject "fixed-int32" (map FixedWidth (edges @Int32 <> [258])),
    Subject "fixed-word32" (map FixedWidth (edges @Word32 <> [258])),
    Subject "fixed-int64" (map FixedWidth (edges @Int64 <> [258])),
    Subject "fixed-word64" (map FixedWidth (edges @Word64 <> [258])),
    Subject "list-of-fixed-int64" [[], [1], map FixedWidth (edges @Int64)],
    Subject "set-of-fixed-int64" [Set.empty, Set.fromList [-1, 0, 256, 1 :: FixedWidth Int64]],
    Subject
      "map-of-fixed-word32"
      [Map.empty, Map.fromList [(n, True) | n <- [256, 1, 65536 :: FixedWidth Word32]]],
    Subject
      "integer"
      [ 0,
        -1,
        1,
        2 ^ (55 :: Int) - 1,
        -(2 ^ (55 :: Int)),
        2 ^ (55 :: Int),
        2 ^ (64 :: Int),
        -(2 ^ (200 :: Int)) ::
          Integer
      ],
    Subject "natural" [0, 2 ^ (56 :: Int) - 1, 2 ^ (56 :: Int), 10 ^ (40 :: Int) :: Natural],
    Subject "float" [0, 1, -1.5, 16777216 :: Float],
    Subject "double" [0, 1, -1.5, 0.1, 1.7976931348623157e308, 5.0e-324 :: Double],
    Subject "text" ["", "tern", "é", "\x1f426", "\"\\\n\0" :: Text],
    Subject "character" ['a', '\0', 'é', '\x1f426', '\xffff'],
    Subject "unit" [()],
    Subject
      "anything"
      ( mapMaybe (either (const Nothing) Just . decodeJson) ["null", "[1, {\"a\": true}]"] ::
          [Value]
      ),
    Subject "list" [[], [1], [-1, 0, 1 :: Int]],
    Subject "long-list" [replicate 4096 True, replicate 4097 False],
    Subject "non-empty" [1 :| [], 1 :| [2, 3 :: Word8]],
    Subject "optional" [Nothing, Just 0, Just (7 :: Int)],
    Subject "optional-text" [Nothing, Just "" :: Maybe Text],
    Subject "map" [Map.empty, Map.fromList [("b", 1), ("a", -1 :: Int)] :: Map Text Int],
    Subject "map-of-integers" [Map.fromList [(n, Just True) | n <- [-1, 0, 200 :: Int]]],
    Subject "tuple" [(1, "a", Nothing), (-1, "", Just False) :: (Int, Text, Maybe Bool)],
    Subject "nested" [[[("x", [1.5])], []], [] :: [[(Text, [Double])]]],
    Subject "enumeration" [Red, Green, Blue],
    Subject "record-without-names" [Point 0 0, Point (-1) 300],
    Subject
      "sum"
      [ Quiet,
        Sighted "tern" Nothing,
        Sighted "auk" (Just 2),
        Moved (Point 1 2) (Point 3 4),
        Noted "fog"
      ],
    Subject "recursive" [Leaf, Fork Leaf 7 Leaf, Fork (Fork Leaf 1 Leaf) 2 Leaf],
    Subject "applied" [Wrapped (Wrapped (3 :: Int))],
    Subject "only" [Only],
    Subject
      "record"
      [ Reading
          6
          7.5
          Nothing
          []
          Map.empty,
        Reading 255 (-0.25) (Just "é") [Blue, Red] (Map.fromList [("a", 1), ("b", -1)])
      ],
    Subject "bytes" ["", "\0", "tern", "\xff\xfe\xfd" :: ByteString],
    Subject "base16" [Hex "", Hex "\x01\xab"],
    Subject "base64url" [Base64Url "", Base64Url "\xff\xfe", Base64Url "\xfb\xef\xbe"],
    Subject "uuid" [nil, ring1, fromWords64 maxBound maxBound],
    Subject "date" (days <> [ModifiedJulianDay (-365243178575), ModifiedJulianDay 365241821058]),
    Subject "time-local" times,
    Subject "date-time-local" (zipWith LocalTime (cycle days) times),
    Subject "date-time" moments,
    Subject
      "date-time-with-offset"
      [ Zoned (ZonedTime (LocalTime d t) (minutesToTimeZone offset))
        | (d, t, offset) <-
            zip3 (cycle days) times [0, 60, -330, 1439, -1439]
      ],
    Subject "month" (map MkMonth [24312, 11, -2, -11999999988, 11999999999]),
    Subject "quarter" (map MkQuarter [8104, -1, -3999999996, 3999999999]),
    Subject "weekday" [Monday, Wednesday, Sunday :: DayOfWeek],
    Subject "quarter-of-year" [Q1, Q4 :: QuarterOfYear],
    Subject "decimal" decimals,
    Subject "fixed-100" [0, 1, -1.05, 12345678.9 :: Centi],
    Subject "fixed-1000" [MkFixed 1, MkFixed (-999999999999999999999) :: Milli],
    Subject
      "seconds"
      ( map picosecondsToDiffTime [0, 1, -1, 1500000000000, 86400000000000000, 10 ^ (30 :: Int)] ::
          [DiffTime]
      ),
    Subject
      "system-time"
      [ MkSystemTime
          0
          0,
        MkSystemTime (-1) 999999999,
        MkSystemTime 1767225600 500000000,
        MkSystemTime minBound 0
      ],
    Subject
      "set-of-texts"
      [ Set.empty,
        Set.fromList ["b", "", "a", "ab", "\x1f426", "\xffff"] ::
          Set Text
      ],
    Subject "set-of-integers" [Set.empty, Set.fromList [3, -1, 0, 64, -65] :: Set Int],
    Subject "set-of-bytes" [Set.fromList ["b", "", "a", "ab", "\xff"] :: Set ByteString],
    Subject "set-of-decimals" [Set.fromList decimals, Set.empty],
    Subject
      "set-of-sets"
      [ Set.fromList [Set.empty, Set.fromList [1, 2], Set.fromList [1], Set.fromList [-3, 7]] ::
          Set (Set Int)
      ],
    Subject "set-of-dates" [Set.fromList days],
    Subject "map-of-dates" [Map.fromList (zip days [True, False, True, False]) :: Map Day Bool],
    Subject "map-of-uuids" [Map.fromList [(ring1, [nil]), (nil, [])] :: Map UUID [UUID]],
    Subject "map-of-decimals" [Map.fromList (zip decimals [1 ..]) :: Map Scientific Word8],
    Subject
      "record-of-formats"
      [ Ringing
          ring1
          (UTCTime (fromGregorian 2026 1 31) 43200)
          Nothing
          Set.empty,
        Ringing nil (UTCTime (fromGregorian 1 1 1) 0.5) (Just 1.5) (Set.fromList [ring1, nil])
      ]
  ]

ring1 :: UUID
ring1 = fromWords64 0x6ba7b8109dad11d1 0x80b400c04fd430c8

days :: [Day]
days =
  [ ModifiedJulianDay
      0,
    fromGregorian 2026 1 31,
    fromGregorian 2024 2 29,
    fromGregorian 1 1 1,
    fromGregorian 9999 12 31,
    fromGregorian 10000 1 1,
    fromGregorian 0 2 29,
    fromGregorian (-1) 3 1
  ]

times :: [TimeOfDay]
times =
  [ TimeOfDay
      0
      0
      0,
    TimeOfDay 12 30 1.5,
    TimeOfDay 23 59 60.999999999999,
    TimeOfDay 7 5 0.000001,
    TimeOfDay 7 5 0.000000000001
  ]

moments :: [UTCTime]
moments =
  [ UTCTime d (picosecondsToDiffTime p)
    | (d, p) <-
        zip
          (cycle days)
          [ 0,
            43200000000000000,
            86400999999999999,
            1000000,
            1,
            86399999999999999,
            86400000000000000,
            60000000000000
          ]
  ]

-- | In no order.
decimals :: [Scientific]
decimals =
  [ scientific c e
    | (c, e) <-
        [ (0, 0),
          (1, 0),
          (-15, -1),
          (15, -1),
          (-2, 0),
          (1, 7),
          (123456789, -2),
          (1, -1),
          (5, -3),
          (-5, -3),
          (-55, -4),
          (10 ^ (30 :: Int) + 1, 0),
          (1, 400),
          (-1, 400),
          (7, -400),
          (12, 0),
          (123, -1)
        ]
  ]

edges :: (Bounded a, Num a) => [a]
edges = [0, 1, 2, minBound, maxBound, maxBound - 1]
