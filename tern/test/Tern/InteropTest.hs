{-# LANGUAGE OverloadedStrings #-}

-- | Another implementation, Python's @msgpack@, reads what Tern writes, and Tern
-- reads what it writes.
module Tern.InteropTest (tests) where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.List (nub)
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Vector qualified as V
import System.Directory (findExecutable)
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import System.Process (readProcessWithExitCode)
import Tern
import Tern.Derive.Declarations (arbitraryAny)
import Tern.Derive.Generics qualified as Generics
import Tern.Derive.Renamed qualified as Renamed
import Tern.MessagePack.Timestamp (timestamp)
import Tern.MessagePack.Value
import Test.QuickCheck.Gen (unGen)
import Test.QuickCheck.Random (mkQCGen)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding (Fixed)

tests :: TestTree
tests =
  testGroup
    "MessagePack, with Python's msgpack"
    [ there "values of any shape" encodeMessagePack decodeMessagePack (resize 20 value),
      there "records" encodeMessagePack decodeMessagePack (arbitraryAny 8 :: Gen Generics.Fields),
      there "sums" encodeMessagePack decodeMessagePack (arbitraryAny 8 :: Gen Generics.Term),
      there "maps, integers of any size" encodeMessagePack decodeMessagePack (arbitraryAny 8 :: Gen Generics.Plain),
      there "sums in maps of one pair" encodeMessagePack decodeMessagePack (arbitraryAny 8 :: Gen Renamed.Shape)
    ]

-- | A thousand values to Python and back.
there :: (Eq a) => TestName -> ([a] -> ByteString) -> (ByteString -> Either Error [a]) -> Gen a -> TestTree
there name encode decode gen = testCaseInfo name $ do
  python <- findExecutable "python3"
  usable <- maybe (pure False) (\p -> (\(code, _, _) -> code == ExitSuccess) <$> readProcessWithExitCode p ["-c", "import msgpack"] "") python
  if not usable
    then pure "skipped: Python's msgpack is not installed, 0 cases ran"
    else withSystemTempDirectory "tern" $ \folder -> do
      let values = unGen (vectorOf 1000 gen) (mkQCGen 7) 20
      B.writeFile (folder </> "in") (encode values)
      (code, _, complaint) <- readProcessWithExitCode (fromMaybe "python3" python) ["-c", script, folder </> "in", folder </> "out"] ""
      assertEqual complaint ExitSuccess code
      back <- B.readFile (folder </> "out")
      case decode back of
        Left failure -> assertFailure (T.unpack (renderBinaryError back failure))
        Right found -> do
          length found @?= length values
          assertBool "other values came back" (found == values)
          pure (show (length found) <> " cases ran")
  where
    script =
      unlines
        [ "import sys, msgpack",
          "with open(sys.argv[1], 'rb') as f: value = msgpack.unpackb(f.read(), raw=False, strict_map_key=False)",
          "with open(sys.argv[2], 'wb') as f: f.write(msgpack.packb(value, use_bin_type=True))"
        ]

-- | What Python can hold: no single precision, keys that differ, times from
-- 1970 on.
value :: Gen Value
value = sized $ \n ->
  frequency $
    [ (1, pure Nil),
      (1, Bool <$> arbitrary),
      (4, Int <$> oneof [choose (-200, 300), arbitrarySizedBoundedIntegral]),
      (1, Word <$> choose (2 ^ (63 :: Int), maxBound)),
      (2, Float64 <$> arbitrary),
      (3, Str <$> text),
      (1, Bin . B.pack <$> arbitrary),
      (1, Ext <$> choose (0, 127) <*> (B.pack <$> arbitrary)),
      (1, maybe Nil Timestamp <$> (timestamp <$> choose (0, 2 ^ (40 :: Int)) <*> choose (0, 999999999)))
    ]
      <> if n <= 1
        then []
        else
          [ (3, Array . V.fromList <$> listOf (resize (n `div` 4) value)),
            (3, listOf key >>= \keys -> Map . V.fromList <$> mapM (\k -> (,) k <$> resize (n `div` 4) value) (nub keys))
          ]
  where
    key = oneof [Str <$> text, Int <$> choose (2, 1000000)]

text :: Gen Text
text = T.pack <$> resize 40 (listOf (arbitrary `suchThat` \c -> c < '\xd800' || c > '\xdfff'))
