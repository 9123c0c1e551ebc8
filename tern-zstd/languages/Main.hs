{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE ExistentialQuantification #-}
{-# LANGUAGE OverloadedStrings #-}
-- What is tried is the library, which is optimised: the cases need not be.
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Values of the native format cross to the readers and writers in other languages, and
-- back.
--
-- Each language has a program that shows a container's values as lines of JSON (@cat@), reads
-- and writes them again (@copy@), and makes random values of a schema (@make@). JSON says
-- what the values are, in a notation that was there before; the bytes say that each value
-- has one spelling everywhere.
--
-- Python's is run from @languages@ where there is a @python3@ that is new enough; Rust's is
-- where @TERN_RUST_PEER@ says, or where cargo puts it.
module Main (main) where

import Control.Monad (forM, forM_)
import Damaged (damaged, kept)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy qualified as BL
import Data.Fixed (Centi, Fixed (MkFixed))
import Data.Int (Int16, Int32, Int64, Int8)
import Data.List.NonEmpty (NonEmpty (..))
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe)
import Data.Scientific (scientific)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Time.Calendar (Day (..), DayOfWeek (..))
import Data.Time.Calendar.Month (Month (..))
import Data.Time.Calendar.Quarter (Quarter (..), QuarterOfYear (..))
import Data.Time.Clock (UTCTime (..), picosecondsToDiffTime)
import Data.Time.Clock.System (SystemTime (..))
import Data.Time.LocalTime
  ( LocalTime (..),
    TimeOfDay (..),
    ZonedTime (..),
    minutesToTimeZone,
    timeZoneMinutes,
  )
import Data.UUID.Types (fromWords64)
import Data.Word (Word16, Word32, Word64, Word8)
import GHC.Generics (Generic)
import Numeric.Natural (Natural)
import System.Directory (doesFileExist, findExecutable)
import System.Environment (lookupEnv)
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import System.Process (readProcessWithExitCode)
import Tern (Base64Url (..), FixedWidth (..), Hex (..), Wire (..), decodeJson, renderError)
import Tern.Codec (mapCodec)
import Tern.Container
  ( Blocks (..),
    Finding (..),
    Mark (..),
    Settings (..),
    containerDecoder,
    decodeContainer,
    defaultBlocks,
    defaultSettings,
    encodeContainer,
    renderFault,
    renderLoss,
  )
import Tern.Shape (renderShape)
import Tern.Testkit.Drawn (drawnUnless)
import Tern.Testkit.Tally (runSuite, skip)
import Tern.Wire (shapeOf)
import Tern.Zstd (zstd)
import Test.QuickCheck.Gen (unGen)
import Test.QuickCheck.Random (mkQCGen)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

main :: IO ()
main = do
  peers <- sequence [python, rust]
  runSuite (testGroup "other languages" (kept : map crossings peers))

-- | How many values of each type cross, each way; @TERN_LANGUAGES@ sets it.
counted :: IO Int
counted = drawnUnless "TERN_LANGUAGES" 2000

-- * Programs in other languages

data Peer = Peer
  { peerName :: String,
    -- | The program and its first arguments, or why there is none.
    command :: Either String [String],
    -- | Or why it has no Zstandard.
    compression :: Either String ()
  }

python :: IO Peer
python = do
  found <- findExecutable "python3"
  isThere <- doesFileExist script
  let asked code =
        maybe
          (pure False)
          ( \program ->
              (\(end, _, _) -> end == ExitSuccess)
                <$> readProcessWithExitCode program ["-c", code] ""
          )
          found
  new <- asked "import sys; sys.exit(sys.version_info < (3, 11))"
  compressing <-
    asked
      "import sys; sys.path.insert(0, '../languages/python/src'); from tern import compression; \
      \sys.exit(compression.compress is None)"
  pure
    Peer
      { peerName = "Python",
        command = case found of
          Just program | new, isThere -> Right [program, script]
          _ -> Left "there is no python3 of version 3.11 or newer",
        compression = if compressing then Right () else Left "Python has no zstandard"
      }
  where
    script = "../languages/python/tests/peer.py"

rust :: IO Peer
rust = do
  path <- fromMaybe "../dist-newstyle/rust/release/tern-peer" <$> lookupEnv "TERN_RUST_PEER"
  isThere <- doesFileExist path
  pure
    ( Peer
        "Rust"
        ( if isThere
            then Right [path]
            else Left "languages/rust was not built, which asks for cargo"
        )
        (Right ())
    )

run :: [String] -> [String] -> IO ()
run [] _ = assertFailure "no program"
run (program : first) arguments = do
  (code, _, complaint) <- readProcessWithExitCode program (first <> arguments) ""
  assertEqual complaint ExitSuccess code

-- * Types that cross

data Crossing = forall a. (Wire a, Eq a, Show a) => Crossing TestName (Gen a)

data Reading = Reading
  { hour ::
      Word8,
    celsius :: Double,
    note :: Maybe Text,
    colours :: [Colour],
    counts :: Map Text Int
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Colour = Red | Green | Blue
  deriving stock (Bounded, Enum, Eq, Generic, Show)
  deriving anyclass (Wire)

data Numbers = Numbers Word8 Word16 Word32 Word64 Int8 Int16 Int32 Int64
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Event = Quiet | Sighted {species :: Text, number :: Maybe Int} | Moved Point Point | Noted Text
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Point = Point Int Int
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Tree = Leaf | Fork Tree Word8 Tree
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

newtype Ring = Ring Text
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | Two are equal where their texts are.
newtype Zoned = Zoned ZonedTime
  deriving stock (Show)

instance Eq Zoned where
  a == b = seen a == seen b
    where
      seen (Zoned z) = (zonedTimeToLocalTime z, timeZoneMinutes (zonedTimeZone z))

instance Wire Zoned where
  codec = mapCodec Zoned (\(Zoned z) -> z) codec

types :: [Crossing]
types =
  [ Crossing "integers of 64 bits" (arbitrarySizedBoundedIntegral :: Gen Int),
    Crossing
      "integers of every width"
      ( Numbers
          <$> arbitrary
          <*> arbitrary
          <*> arbitrarySizedBoundedIntegral
          <*> arbitrarySizedBoundedIntegral
          <*> arbitrary
          <*> arbitrary
          <*> arbitrarySizedBoundedIntegral
          <*> arbitrarySizedBoundedIntegral
      ),
    Crossing
      "integers of any size"
      ( (,)
          <$> large
          <*> (fromInteger . abs <$> large :: Gen Natural)
      ),
    Crossing
      "integers of a fixed width"
      ( (,,,,)
          <$> (FixedWidth <$> arbitrarySizedBoundedIntegral @Int32)
          <*> (FixedWidth <$> arbitrarySizedBoundedIntegral @Word32)
          <*> listOf (FixedWidth <$> arbitrarySizedBoundedIntegral @Int64)
          <*> set (FixedWidth <$> arbitrarySizedBoundedIntegral @Int)
          <*> (FixedWidth <$> arbitrarySizedBoundedIntegral @Word64)
      ),
    Crossing "reals" ((,) <$> real <*> (arbitrary :: Gen Float)),
    Crossing "text and characters" ((,) <$> text <*> character),
    Crossing
      "records"
      ( Reading
          <$> arbitrary
          <*> real
          <*> perhaps text
          <*> listOf colour
          <*> (Map.fromList <$> listOf ((,) <$> text <*> arbitrary))
      ),
    Crossing "enumerations" (listOf colour),
    Crossing
      "sums"
      ( oneof
          [ pure Quiet,
            Sighted
              <$> text
              <*> arbitrary,
            Moved <$> point <*> point,
            Noted <$> text
          ]
      ),
    Crossing "trees" (sized tree),
    Crossing
      "lists of tuples"
      ( listOf
          ( (,,)
              <$> (arbitrary :: Gen Int)
              <*> (arbitrary :: Gen Bool)
              <*> perhaps text
          )
      ),
    Crossing
      "maps by integers"
      ( Map.fromList
          <$> listOf ((,) <$> (arbitrary :: Gen Int) <*> perhaps (pure ()))
      ),
    Crossing "lists of lists, not empty" ((:|) <$> listOf real <*> listOf (listOf real)),
    Crossing "newtypes" (perhaps (Ring <$> text)),
    Crossing "bytes" ((,,) <$> bytes <*> (Hex <$> bytes) <*> (Base64Url <$> bytes)),
    Crossing "UUIDs" (listOf uuid),
    Crossing "days and times" ((,,) <$> day <*> time <*> (LocalTime <$> day <*> time)),
    Crossing
      "points in time"
      ( (,)
          <$> moment
          <*> ( Zoned
                  <$> ( ZonedTime
                          <$> (LocalTime <$> day <*> time)
                          <*> (minutesToTimeZone <$> choose (-1439, 1439))
                      )
              )
      ),
    Crossing
      "months and quarters"
      ( (,,,)
          <$> (MkMonth <$> years 12)
          <*> (MkQuarter <$> years 4)
          <*> elements [Monday .. Sunday]
          <*> elements [Q1 .. Q4]
      ),
    Crossing
      "exact numbers"
      ( (,,,)
          <$> decimal
          <*> (MkFixed <$> large :: Gen Centi)
          <*> (picosecondsToDiffTime <$> large)
          <*> (MkSystemTime <$> arbitrarySizedBoundedIntegral <*> choose (0, 999999999))
      ),
    Crossing
      "sets"
      ( (,,,)
          <$> set text
          <*> set (arbitrary :: Gen Int)
          <*> set bytes
          <*> set (set (choose (0, 3 :: Int)))
      ),
    Crossing "sets of formats" ((,,,) <$> set day <*> set uuid <*> set decimal <*> set moment),
    Crossing
      "maps by formats"
      ( (,,,)
          <$> keyed day
          <*> keyed uuid
          <*> keyed decimal
          <*> keyed bytes
      )
  ]
  where
    bytes = B.pack <$> arbitrary
    uuid = fromWords64 <$> arbitrarySizedBoundedIntegral <*> arbitrarySizedBoundedIntegral
    day =
      ModifiedJulianDay <$> oneof [choose (-365243178575, 365241821058), choose (-678575, 2973483)]
    time =
      TimeOfDay
        <$> choose (0, 23)
        <*> choose (0, 59)
        <*> (MkFixed <$> oneof [choose (0, 60999999999999), (* 1000000) <$> choose (0, 59999999)])
    moment =
      UTCTime
        <$> day
        <*> ( picosecondsToDiffTime
                <$> oneof [choose (0, 86400999999999999), (* 1000000) <$> choose (0, 86399999999)]
            )
    years parts = choose (-999999999 * parts, 999999999 * parts + parts - 1)
    decimal = scientific <$> large <*> choose (-400, 400)
    set gen = Set.fromList <$> scale (`div` 4) (listOf gen)
    keyed gen = Map.fromList <$> scale (`div` 4) (listOf ((,) <$> gen <*> (arbitrary :: Gen Bool)))
    large =
      oneof
        [ arbitrary,
          (\n k s -> s * (n + 2 ^ (k :: Int)))
            <$> choose (0, 9)
            <*> choose (0, 300)
            <*> elements [1, -1]
        ]
    real =
      oneof
        [ arbitrary,
          fromIntegral
            <$> (arbitrary :: Gen Int),
          elements [0, -0.0, 1 / 0, -1 / 0, 5.0e-324, 1.7976931348623157e308, 1.0e16, 1.0e-5]
        ]
    colour = elements [minBound ..]
    point = Point <$> arbitrary <*> arbitrary
    tree n =
      if n <= 0
        then pure Leaf
        else oneof [pure Leaf, Fork <$> tree (n `div` 3) <*> arbitrary <*> tree (n `div` 3)]
    text = T.pack <$> listOf character
    character =
      oneof [choose ('\0', '\x7f'), choose ('\x80', '\xd7ff'), choose ('\xe000', '\x10ffff')]
    perhaps gen = oneof [pure Nothing, Just <$> gen]

-- * Crossing

crossings :: Peer -> TestTree
crossings peer = case command peer of
  Left reason ->
    skip (peerName peer) (reason <> ", 0 of " <> show (2 * length types) <> " crossings ran")
  Right program ->
    testGroup
      (peerName peer)
      [ testGroup "from Haskell" [there program (compression peer) crossing | crossing <- types],
        testGroup "to Haskell" [back program (compression peer) crossing | crossing <- types],
        damaged (run program) (compression peer)
      ]

-- | What Haskell writes is shown as the same values, and is written again as the same bytes.
there :: [String] -> Either String () -> Crossing -> TestTree
there program compressing (Crossing name gen) = testCaseInfo name $
  withSystemTempDirectory "tern" $ \folder -> do
    count <- counted
    let values = unGen (vectorOf count gen) (mkQCGen 18) 20
        whole = encodeContainer defaultBlocks mark values
        at = (folder </>)
    BL.writeFile (at "in") whole
    run program ["cat", at "in", at "lines"]
    shown <- linesOf (at "lines")
    shown @?= values
    run program ["copy", at "in", at "out"]
    rewritten <- BL.readFile (at "out")
    assertBool "other bytes came back" (rewritten == whole)
    forM_ compressing $ \() -> do
      BL.writeFile
        (at "zin")
        ( encodeContainer
            defaultBlocks {compressed = Just (zstd 3)}
            mark
            values
        )
      run program ["copy", at "zin", at "zout", "3"]
      compressed' <- BL.readFile (at "zout")
      found <- valuesOf compressed'
      found @?= values
    pure
      ( show count
          <> " values"
          <> either
            (\why -> ", none compressed: " <> why)
            (const ", and as many compressed")
            compressing
      )

-- | What the other one writes is read as the values that it says, and is what Haskell writes.
back :: [String] -> Either String () -> Crossing -> TestTree
back program compressing (Crossing name (gen :: Gen a)) = testCaseInfo name $
  withSystemTempDirectory "tern" $ \folder -> do
    count <- counted
    let at = (folder </>)
    B.writeFile (at "schema") (T.encodeUtf8 (renderShape (shapeOf @a)))
    run program ["make", at "schema", show count, "18", at "out", at "lines"]
    written <- BL.readFile (at "out")
    found <- valuesOf written
    length found @?= count
    shown <- linesOf (at "lines")
    (shown `asTypeOf` [unGen gen (mkQCGen 0) 0]) @?= found
    assertBool "Haskell writes other bytes" (encodeContainer defaultBlocks mark found == written)
    forM_ compressing $ \() -> do
      run program ["make", at "schema", show count, "19", at "zout", at "zlines", "3"]
      compressed' <- BL.readFile (at "zout") >>= valuesOf
      expected <- linesOf (at "zlines")
      (compressed' `asTypeOf` found) @?= expected
    pure
      ( show count
          <> " values"
          <> either
            (\why -> ", none compressed: " <> why)
            (const ", and as many compressed")
            compressing
      )

-- | The bytes @paradise@.
mark :: Mark
mark = Mark 0x6573696461726170

linesOf :: (Wire a) => FilePath -> IO [a]
linesOf path = do
  whole <- B.readFile path
  forM (BC.lines whole) $ \line ->
    either (assertFailure . T.unpack . renderError line) pure (decodeJson line)

valuesOf :: (Wire a) => BL.ByteString -> IO [a]
valuesOf whole =
  concat
    <$> forM
      ( decodeContainer
          ( containerDecoder
              defaultSettings {understood = [zstd 3]}
          )
          whole
      )
      found
  where
    found = \case
      Elements _ values -> pure values
      Damaged fault -> assertFailure (T.unpack (renderFault fault))
      Lost loss -> assertFailure (T.unpack (renderLoss loss))
