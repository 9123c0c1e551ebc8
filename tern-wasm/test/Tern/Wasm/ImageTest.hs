{-# LANGUAGE OverloadedStrings #-}

-- | What a module's data make of a memory is the same, whether each instance copies them or all
-- have them of one image.
--
-- The idea: the expected bytes are computed here, segment after segment. Whether there is an
-- image, the system itself says, by what the process has mapped.
module Tern.Wasm.ImageTest
  ( tests,
  )
where

import Control.Monad (forM, replicateM, void)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as B8
import Data.List (isInfixOf, unfoldr)
import Data.Maybe (isJust)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding (encodeUtf8)
import System.Mem (performMajorGC)
import System.Posix.IO (closeFd, dup, stdInput)
import System.Posix.Resource (Resource (..))
import Tern.Testkit.Descriptors (openFiles)
import Tern.Wasm
import Tern.Wasm.Expected (orFail)
import Tern.Wasm.Image (newImage)
import Tern.Wasm.Interrupted (allocated, among)
import Tern.Wasm.Limited (limited)
import Tern.Wasm.Observed (observed)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "images"
    [ testGroup
        "a memory begins as its segments say"
        [testCase (layoutName l) (begins l) | l <- layouts],
      testCase "segments of an image are dropped when the instance is made" $ do
        store <- newStore defaultSettings
        i <- loaded dense >>= \m -> instantiate store m noImports >>= orFail
        invoke i "init" [I32Value 0] >>= (@?= "") . observed
        said <- observed <$> invoke i "init" [I32Value 1]
        assertBool (T.unpack said) ("out of bounds memory access" `T.isInfixOf` said),
      testCase "elements that do not fit come before data" $ do
        -- Who is in the other's table by then sees no data.
        i <- refused 1 dense {layoutRest = peeked <> " (elem (i32.const 2) func $peek)"}
        peek i >>= (@?= "i32 0"),
      testCase "data before some that do not fit are there" $ do
        let long = dense {layoutParts = layoutParts dense <> [Part 3145729 'z' 0]}
        i <- refused 0 long {layoutRest = peeked}
        peek i >>= (@?= "i32 97"),
      testCase "a memory of another instance is written to, around what is there" $ do
        nothingLeft
        store <- newStore defaultSettings
        plain <- loadText "(module (memory (export \"memory\") 48 1024))" >>= orFail
        i <- instantiate store plain noImports >>= orFail
        memory <- memoryOf i
        writeMemory memory 69990 "before, and under the data" >>= (@?= True)
        let whose =
              dense {layoutMemory = "(memory (export \"memory\") (import \"other\" \"memory\") "}
        m <- loaded whose
        files >>= (@?= 0)
        _ <- instantiate store m (fromInstance "other" i) >>= orFail
        let around = B.take 69990 (expected dense) <> "before, an" <> B.drop 70000 (expected dense)
        contents i >>= (@?= Just around),
      testCase "the file is the module's, and closed with it" $ do
        nothingLeft
        do
          m <- loaded dense
          files >>= (@?= 1)
          store <- newStore defaultSettings
          is <- replicateM 20 (instantiate store m noImports >>= orFail)
          files >>= (@?= 1)
          performMajorGC
          mapM contents is >>= mapM_ (@?= Just (expected dense))
        nothingLeft,
      testCase "where the system gives no file, segments are copied" $ do
        nothingLeft
        m <- limited ResourceOpenFiles 0 (loaded dense)
        files >>= (@?= 0)
        store <- newStore defaultSettings
        i <- instantiate store m noImports >>= orFail
        contents i >>= (@?= Just (expected dense)),
      testCase "half of the descriptors are left to others" $ do
        nothingLeft
        free <- dup stdInput
        closeFd free
        let next = toInteger free
        m <- limited ResourceOpenFiles (2 * next) (loaded dense)
        files >>= (@?= 0)
        m' <- limited ResourceOpenFiles (2 * next + 2) (loaded dense)
        files >>= (@?= 1)
        store <- newStore defaultSettings
        is <- mapM (\c -> instantiate store c noImports >>= orFail) [m, m']
        mapM contents is >>= mapM_ (@?= Just (expected dense)),
      testCase "whoever interrupts the making of one leaves nothing" $ do
        nothingLeft
        let parts = [(65536 * k, B.replicate 40000 7) | k <- [1 .. 40]]
        bytes <- allocated (void (newImage parts))
        made <- forM [0 .. 299] $ \k -> isJust <$> among bytes 300 k (void (newImage parts))
        -- Some were interrupted, and some were not.
        (or made, and made) @?= (True, False)
        nothingLeft
    ]

-- | A module by its segments.
data Layout = Layout
  { layoutName :: String,
    -- | Of 64 KiB, at first.
    layoutPages :: Int,
    layoutParts :: [Part],
    -- | Has it got an image?
    layoutImage :: Bool,
    -- | What declares the memory, but for its pages; the type of its addresses, and one of them.
    layoutMemory :: Text,
    layoutAddress :: Text,
    layoutPlace :: Int -> Text,
    layoutRest :: Text
  }

-- | A segment: where it begins, of which letter it is, and how often.
data Part = Part Int Char Int

-- | Two segments of which the second begins within the first, and a short one.
dense :: Layout
dense =
  Layout
    { layoutName = "of its own",
      layoutPages = 48,
      layoutParts = [Part 70000 'a' 1200000, Part 1000001 'b' 400000, Part 1000002 'c' 3],
      layoutImage = True,
      layoutMemory = "(memory (export \"memory\") ",
      layoutAddress = "i32",
      layoutPlace = \at -> "(i32.const " <> shown at <> ")",
      layoutRest = ""
    }

layouts :: [Layout]
layouts =
  [ dense,
    dense
      { layoutName = "by addresses of 64 bits",
        layoutMemory = "(memory (export \"memory\") i64 ",
        layoutAddress = "i64",
        layoutPlace = \at -> "(i64.const " <> shown at <> ")"
      },
    dense
      { layoutName = "from its first byte to its last",
        layoutParts = [Part 0 'a' 1572864, Part 1572864 'b' 1572864]
      },
    dense
      { layoutName = "in another order",
        layoutParts = [Part 2000000 'x' 1000000, Part 70001 'y' 900000, Part 1999999 'z' 2]
      },
    dense
      { layoutName = "without bytes at the end",
        layoutParts = layoutParts dense <> [Part 3145728 'z' 0]
      },
    dense
      { layoutName = "a second one",
        layoutMemory = "(memory 1) (memory $m (export \"memory\") "
      },
    dense
      { layoutName = "less than a mebibyte",
        layoutParts = [Part 70000 'a' 1048575],
        layoutImage = False
      },
    dense
      { layoutName = "with a gap",
        layoutParts = [Part 0 'a' 600000, Part 2545728 'b' 600000],
        layoutImage = False
      },
    dense
      { layoutName = "of two memories",
        layoutRest = "(memory $other 1) (data (memory $other) (i32.const 5) \"x\")",
        layoutImage = False
      },
    dense
      { layoutName = "at an address that is computed",
        layoutParts = layoutParts dense <> [Part 5 'q' 1],
        layoutPlace = \at -> "(i32.add (i32.const " <> shown at <> ") (i32.const 0))",
        layoutImage = False
      }
  ]

begins :: Layout -> Assertion
begins l = do
  nothingLeft
  m <- loaded l
  files >>= (@?= fromEnum (layoutImage l))
  store <- newStore defaultSettings
  i <- instantiate store m noImports >>= orFail
  j <- instantiate store m noImports >>= orFail
  contents i >>= (@?= Just whole)
  -- What one writes is its own, also where it has grown and has been moved.
  memory <- memoryOf i
  writeMemory memory 100000 "written" >>= (@?= True)
  contents j >>= (@?= Just whole)
  _ <- invoke i "grow" [] >>= orFail
  grown <- contents i
  fmap B.length grown @?= Just (B.length whole + 60 * 65536)
  let written = B.take 100000 whole <> "written" <> B.drop 100007 whole
  fmap (B.take (B.length whole)) grown @?= Just written
  fmap (B.all (== 0) . B.drop (B.length whole)) grown @?= Just True
  contents j >>= (@?= Just whole)
  -- And of those that are made later.
  k <- instantiate store m noImports >>= orFail
  contents k >>= (@?= Just whole)
  where
    whole = expected l

-- | What a memory has at first, by the specification: one segment after the other.
expected :: Layout -> ByteString
expected l = foldl put (B.replicate (layoutPages l * 65536) 0) (layoutParts l)
  where
    put bytes (Part from c n) = B.take from bytes <> B8.replicate n c <> B.drop (from + n) bytes

source :: Layout -> Text
source l =
  "(module "
    <> (if "$peek" `T.isInfixOf` layoutRest l then table else "")
    <> named (layoutMemory l)
    <> shown (layoutPages l)
    <> " 1024) "
    <> T.concat [segment part | part <- layoutParts l]
    <> " (data $kept \"kept\") (func (export \"grow\") (result "
    <> layoutAddress l
    <> ") (memory.grow $m ("
    <> layoutAddress l
    <> ".const 60))) (func (export \"init\") (param i32) (memory.init $m 0 ("
    <> layoutAddress l
    <> ".const 0) (i32.const 0) (local.get 0)))"
    <> layoutRest l
    <> ")"
  where
    table = "(import \"other\" \"table\" (table 2 2 funcref)) "
    named memory
      | "$m" `T.isInfixOf` memory = memory
      | otherwise = T.replace "(memory (" "(memory $m (" memory
    segment (Part from c _) =
      "(data (memory $m) " <> layoutPlace l from <> " \"" <> T.singleton c <> "\")"

-- | The module in binary, where each segment is as long as it is to be: as text that would take
-- longer to read than all the rest.
binary :: Layout -> IO ByteString
binary l = sections <$> orFail (binaryOf (encodeUtf8 (source l)))
  where
    sections bytes = B.take 8 bytes <> B.concat (unfoldr section (B.drop 8 bytes))
    section bytes = do
      (kind, rest) <- B.uncons bytes
      let (size, rest') = number rest
          (body, others) = B.splitAt size rest'
          body' = if kind == 11 then foldl lengthen body (layoutParts l) else body
      Just (B.singleton kind <> leb (B.length body') <> body', others)
    -- A letter after the end of an expression, and after how many there are.
    lengthen body (Part _ c n) =
      let (before, rest) = B.breakSubstring ("\x0b\x01" <> B8.singleton c) body
       in before <> "\x0b" <> leb n <> B8.replicate n c <> B.drop 3 rest
    number bytes =
      let (low, rest) = B.span (>= 128) bytes
          digits = map fromIntegral (B.unpack low <> B.unpack (B.take 1 rest))
       in (foldr (\d n -> n * 128 + d `mod` 128) 0 digits, B.drop 1 rest)
    leb n
      | n < 128 = B.singleton (fromIntegral n)
      | otherwise = B.singleton (fromIntegral (n `mod` 128 + 128)) <> leb (n `div` 128)

loaded :: Layout -> IO Compiled
loaded l = binary l >>= load >>= orFail

-- | A function that looks at a byte of the memory, in the table of another instance.
peeked :: Text
peeked =
  "(elem (i32.const 0) func $peek) \
  \(func $peek (result i32) (i32.load8_u $m (i32.const 70000)))"

-- | An instance with a table, beside which a module is refused that has so many images; its table
-- has what that one put into it by then.
refused :: Int -> Layout -> IO Instance
refused images l = do
  nothingLeft
  store <- newStore defaultSettings
  other <-
    loadText
      "(module (table (export \"table\") 2 2 funcref) (type $t (func (result i32))) \
      \(func (export \"peek\") (result i32) (call_indirect (type $t) (i32.const 0))))"
      >>= orFail
  i <- instantiate store other noImports >>= orFail
  m <- loaded l
  files >>= (@?= images)
  instantiate store m (fromInstance "other" i)
    >>= either (const (pure i)) (const (assertFailure "made"))

peek :: Instance -> IO Text
peek i = observed <$> invoke i "peek" []

memoryOf :: Instance -> IO Memory
memoryOf i = case exportNamed i "memory" of
  Just (ExternMemory memory) -> pure memory
  _ -> assertFailure "no memory"

contents :: Instance -> IO (Maybe ByteString)
contents i = do
  memory <- memoryOf i
  pages <- memoryPages memory
  readMemory memory 0 (65536 * pages)

-- | How many images' files the process has open.
files :: IO Int
files = length . filter ("/memfd:tern-wasm" `isInfixOf`) <$> openFiles

-- | Of other cases nothing is open or mapped any more.
nothingLeft :: IO ()
nothingLeft = do
  performMajorGC
  performMajorGC
  files >>= (@?= 0)
  maps <- B.readFile "/proc/self/maps"
  filter ("memfd:tern-wasm" `B.isInfixOf`) (B8.lines maps) @?= []

shown :: Int -> Text
shown = T.pack . show
