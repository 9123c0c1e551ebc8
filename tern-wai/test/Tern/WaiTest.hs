{-# LANGUAGE OverloadedStrings #-}

-- | Requests and responses as WAI hands them over, without a network.
module Tern.WaiTest (tests) where

import Control.Exception (ErrorCall (..), throwIO, try)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Builder (toLazyByteString)
import Data.ByteString.Lazy qualified as L
import Data.IORef
import Network.HTTP.Types (hContentType, ok200)
import Network.Wai
import Tern
import Tern.Container (Mark (..), containerDecoder, defaultBlocks, defaultSettings, encodeContainer, foldContainer)
import Tern.Stream
import Tern.Wai
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "wai"
    [ testGroup
        "requests"
        [ testCase "one value, in chunks of any size" $
            sequence_
              [ do
                  body <- bodyUpTo defaultLimits =<< request (pieces size (encodeJson numbers))
                  decodeJson body @?= Right numbers
                | size <- [1, 7, 4096]
              ],
          testCase "more than the limit is not read" $ do
            asked <- newIORef (0 :: Int)
            let endless = setRequestBodyChunks (modifyIORef' asked (+ 1) >> pure (B.replicate 1000 0x20)) defaultRequest
                limits = defaultLimits {maxBytes = 10000}
            body <- bodyUpTo limits endless
            (B.length body, either errorReason (const TrailingInput) (decodeJsonWith limits body :: Either Error Int)) @?= (11000, LimitExceeded (TooManyBytes 10000))
            readIORef asked >>= (@?= 11),
          testCase "as much as the limit is read" $ do
            let limits = defaultLimits {maxBytes = 10}
            body <- bodyUpTo limits =<< request ["12345", "67890"]
            decodeJsonWith limits body @?= Right (1234567890 :: Int),
          testCase "a sequence, in each order" $
            sequence_
              [ do
                  found <- foldBody (\xs x -> pure (x : xs)) [] (decoder order defaultLimits) =<< request (pieces 5 (L.toStrict (encodeLazy order numbers)))
                  found @?= (reverse numbers, Nothing)
                | order <- [minBound .. maxBound]
              ],
          testCase "on behind a damaged element, or not" $ do
            let body = ["1\nnu", "ll\n3\n"]
                lines' = decoder JsonLines defaultLimits :: Decoder Int
            (first, fault) <- foldBody (\n x -> pure (n + x)) 0 lines' =<< request body
            (first, faultIndex <$> fault) @?= (1, Just 1)
            outcomes <- foldBodyOutcomes (\found one -> pure (either (Left . faultIndex) Right one : found)) [] lines' =<< request body
            outcomes @?= [Right 3, Left 1, Right 1],
          testCase "a container, by its own fold" $ do
            source <- getRequestBodyChunk <$> request (pieces 100 (L.toStrict (encodeContainer defaultBlocks (Mark 7) numbers)))
            (total, fault) <- foldContainer (\n x -> pure (n + x)) 0 source (containerDecoder defaultSettings)
            (total, show fault) @?= (sum numbers, "Nothing")
        ],
      testGroup
        "responses"
        [ testCase "a sequence, in each order" $
            sequence_
              [ do
                  sent <- chunksOf' (responseSequence ok200 [(hContentType, "x")] order (\put -> mapM_ put numbers))
                  B.concat sent @?= L.toStrict (encodeLazy order numbers)
                | order <- [minBound .. maxBound]
              ],
          testCase "status and headers are those given" $ do
            let response = responseSequence ok200 [(hContentType, "application/json")] JsonArray (\put -> put (1 :: Int))
            (responseStatus response, responseHeaders response) @?= (ok200, [(hContentType, "application/json")]),
          testCase "what is made is sent before all of it is" $ do
            seen <- newIORef ([] :: [Int])
            sent <- newIORef (0 :: Int)
            let act put = mapM_ (\n -> put n >> readIORef sent >>= \k -> modifyIORef' seen (k :)) [1 .. 30000 :: Int]
            stream (responseSequence ok200 [] JsonLines act) (\_ -> modifyIORef' sent (+ 1))
            chunks <- readIORef sent
            later <- readIORef seen
            assertBool (show chunks) (chunks > 3 && maximum (0 : later) >= chunks - 1),
          testCase "an exception ends it" $ do
            let response = responseSequence ok200 [] JsonArray (\put -> put (1 :: Int) >> throwIO (ErrorCall "gone"))
            result <- try (chunksOf' response)
            either (\(ErrorCall what) -> what) show result @?= "gone"
        ]
    ]
  where
    numbers = [1 .. 3000] :: [Int]

request :: [ByteString] -> IO Request
request chunks = do
  left <- newIORef chunks
  pure (setRequestBodyChunks (atomicModifyIORef' left (\cs -> (drop 1 cs, mconcat (take 1 cs)))) defaultRequest)

pieces :: Int -> ByteString -> [ByteString]
pieces size input
  | B.null input = []
  | otherwise = let (chunk, rest) = B.splitAt size input in chunk : pieces size rest

-- | Send a response's chunks there.
stream :: Response -> (ByteString -> IO ()) -> IO ()
stream response to = withBody (\body -> body (to . L.toStrict . toLazyByteString) (pure ()))
  where
    (_, _, withBody) = responseToStream response

chunksOf' :: Response -> IO [ByteString]
chunksOf' response = do
  found <- newIORef []
  stream response (\chunk -> modifyIORef' found (chunk :))
  reverse <$> readIORef found
