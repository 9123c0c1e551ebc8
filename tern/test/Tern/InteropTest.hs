{-# LANGUAGE OverloadedStrings #-}

-- | Other implementations, Python's @msgpack@ and Rust's @rmp-serde@, read what Tern
-- writes, and Tern reads what they write.
--
-- The one in Rust is a program of ours (@test\/peers@), since serde has types for what it
-- reads; where it was built, @TERN_RMP_SERDE@ says where it is.
module Tern.InteropTest (tests) where

import Control.Monad (when)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.List (nub)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Vector qualified as V
import System.Directory (findExecutable)
import System.Environment (lookupEnv)
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
    "MessagePack, with others"
    [ testGroup
        "Python's msgpack"
        [ there python "values of any shape" encodeMessagePack decodeMessagePack (resize 20 value),
          there python "records" encodeMessagePack decodeMessagePack (arbitraryAny 8 :: Gen Generics.Fields),
          there python "sums" encodeMessagePack decodeMessagePack (arbitraryAny 8 :: Gen Generics.Term),
          there python "maps, integers of any size" encodeMessagePack decodeMessagePack (arbitraryAny 8 :: Gen Generics.Plain),
          there python "sums in maps of one pair" encodeMessagePack decodeMessagePack (arbitraryAny 8 :: Gen Renamed.Shape)
        ],
      testGroup
        "Rust's rmp-serde, the same bytes"
        [ there (rust "records") "records" encodeMessagePack decodeMessagePack (arbitraryAny 8 :: Gen Generics.Fields),
          there (rust "enumerations") "enumerations" encodeMessagePack decodeMessagePack (arbitraryAny 8 :: Gen Generics.Colour),
          there (rust "trees") "trees" encodeMessagePack decodeMessagePack (arbitraryAny 8 :: Gen (Generics.Tree Int))
        ]
    ]

-- | Another implementation.
data Peer = Peer
  { -- | What is said where it is not there.
    unavailable :: String,
    -- | The program and its first arguments, where it is there.
    command :: IO (Maybe (FilePath, [String])),
    -- | Does it write each value as Tern does?
    sameBytes :: Bool
  }

python :: Peer
python = Peer "Python's msgpack is not installed" found False
  where
    found =
      findExecutable "python3" >>= \case
        Nothing -> pure Nothing
        Just program -> (\(code, _, _) -> if code == ExitSuccess then Just (program, ["-c", script]) else Nothing) <$> readProcessWithExitCode program ["-c", "import msgpack"] ""
    script =
      unlines
        [ "import sys, msgpack",
          "with open(sys.argv[1], 'rb') as f: value = msgpack.unpackb(f.read(), raw=False, strict_map_key=False)",
          "with open(sys.argv[2], 'wb') as f: f.write(msgpack.packb(value, use_bin_type=True))"
        ]

-- | For a list of what is called so in its source.
rust :: String -> Peer
rust what = Peer "TERN_RMP_SERDE does not name a program with Rust's rmp-serde (tern/test/peers)" (fmap (,[what]) <$> lookupEnv "TERN_RMP_SERDE") True

-- | A thousand values to a peer and back.
there :: (Eq a) => Peer -> TestName -> ([a] -> ByteString) -> (ByteString -> Either Error [a]) -> Gen a -> TestTree
there peer name encode decode gen =
  testCaseInfo name $
    command peer >>= \case
      Nothing -> pure ("skipped: " <> unavailable peer <> ", 0 cases ran")
      Just (program, arguments) -> withSystemTempDirectory "tern" $ \folder -> do
        let values = unGen (vectorOf 1000 gen) (mkQCGen 7) 20
            input = encode values
        B.writeFile (folder </> "in") input
        (code, _, complaint) <- readProcessWithExitCode program (arguments <> [folder </> "in", folder </> "out"]) ""
        assertEqual complaint ExitSuccess code
        back <- B.readFile (folder </> "out")
        when (sameBytes peer) $ assertBool "other bytes came back" (back == input)
        case decode back of
          Left failure -> assertFailure (T.unpack (renderBinaryError back failure))
          Right found -> do
            length found @?= length values
            assertBool "other values came back" (found == values)
            pure (show (length found) <> " cases ran")

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
