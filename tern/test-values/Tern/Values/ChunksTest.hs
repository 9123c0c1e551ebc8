{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TemplateHaskell #-}

-- | Documents in chunks that are made as they are asked for: the same bytes as in one
-- string, wherever a chunk ends and whoever asks.
module Tern.Values.ChunksTest (Ring (..), tests) where

import Control.Concurrent
import Control.Exception (ErrorCall (..), evaluate, try)
import Control.Monad (forM, forM_, replicateM)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.List (isInfixOf)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import System.Timeout (timeout)
import Tern
import Tern.Value (Value (..))
import Test.Tasty
import Test.Tasty.HUnit

-- | Its members are left out, so that a brace takes the place of a comma.
data Ring = Ring {ring :: Maybe Int, place :: Maybe Text, found :: Maybe [Double]}

deriveWire defaultOptions {omitNothingFields = True} ''Ring

-- | A format as one string and in chunks.
data Way = Way
  { wayName :: String,
    whole :: forall a. (Wire a) => a -> B.ByteString,
    chunked :: forall a. (Wire a) => a -> BL.ByteString
  }

ways :: [Way]
ways =
  [ Way "JSON" encodeJson encodeJsonLazy,
    Way "MessagePack" encodeMessagePack encodeMessagePackLazy,
    Way "CBOR" encodeCbor encodeCborLazy,
    Way "native" encodeNative encodeNativeLazy
  ]

tests :: TestTree
tests =
  testGroup
    "chunks"
    (map same ways <> [others])

-- | The same as in one string.
same :: Way -> TestTree
same way =
  testGroup
    (wayName way)
    [ testCase "are the document, wherever a chunk ends" $
        forM_ [65300 .. 65700] $ \n ->
          agree way (T.replicate n "x", take 60 (rings n)),
      testCase "are the document of any shape" $ do
        agree way ()
        agree way (T.replicate 200000 "\"")
        agree way (map (`T.replicate` "Sterna ") [0 .. 400])
        agree way (replicate 30000 (1 :: Int, Just True, 0.1 :: Double))
        agree way (map (2 ^) [1 .. 1000 :: Int] :: [Integer])
        agree way (rings 20000)
        agree way [[(n, replicate k n) | n <- [1 .. 200 :: Int]] | k <- [0, 5, 127, 128, 129, 400]]
        agree way [[1 .. k] | k <- [4090 .. 4100 :: Int]]
        agree way (foldr (\_ v -> Array (pure v)) Null [1 .. 150000 :: Int]),
      testCase "are one where they are few, and else of bounded length" $ do
        map B.length (BL.toChunks (chunked way [1 .. 1000 :: Int]))
          @?= [B.length (whole way [1 .. 1000 :: Int])]
        let sizes = map B.length (BL.toChunks (chunked way (rings 50000)))
        assertBool (show sizes) (length sizes > 5 && all (\n -> n > 0 && n < 200000) sizes),
      testCase "are the same for two that ask at once" $ do
        let value = rings 30000
            document = chunked way value
        boxes <- replicateM 4 $ do
          box <- newEmptyMVar
          box <$ forkIO (evaluate (BL.toStrict document) >>= putMVar box)
        answers <- mapM takeMVar boxes
        map (== whole way value) answers @?= [True, True, True, True],
      testCase "are the same for who was interrupted" $ do
        let value = rings 30000
        forM_ [1 .. 60] $ \n -> do
          let document = chunked way value
          _ <- timeout (n * 50) (evaluate (BL.length document))
          _ <- timeout (n * 50) (evaluate (BL.length document))
          BL.toStrict document == whole way value @? show n,
      testCase "are the same of values that are made of chunks" $ do
        let inner n = T.decodeLatin1 (B.take 90000 (BL.toStrict (chunked way [n .. n + 40000])))
        agree way (map inner [1, 2, 3 :: Int])
    ]

others :: TestTree
others =
  testGroup
    "as they are asked for"
    [ testCase "come before their end is there" $ do
        BL.take 10 (encodeJsonLazy [1 :: Int ..]) @?= "[1,2,3,4,5"
        BL.length (BL.take 10000000 (encodeJsonLazy [1 :: Int ..])) @?= 10000000,
      testCase "end with the value's exception, each time that they are asked for" $ do
        let document = encodeJsonLazy ([1 .. 50000] <> [errorWithoutStackTrace "no bird"] :: [Int])
        BL.take 4 document @?= "[1,2"
        outcomes <- forM [1, 2 :: Int] $ \_ -> try (evaluate (BL.length document))
        [() | Left (ErrorCall why) <- outcomes, "no bird" `isInfixOf` why] @?= [(), ()]
    ]

agree :: (Wire a) => Way -> a -> Assertion
agree way value = BL.toStrict (chunked way value) == whole way value @? wayName way

-- | Of many lengths, by a number that they begin with.
rings :: Int -> [Ring]
rings n =
  [ Ring
      (if even k then Just k else Nothing)
      (if k `mod` 3 == 0 then Just (T.replicate (k `mod` 17) "ö") else Nothing)
      (if k `mod` 5 == 0 then Just [fromIntegral k / 7] else Nothing)
    | k <- [n .. n + max 60 n]
  ]
