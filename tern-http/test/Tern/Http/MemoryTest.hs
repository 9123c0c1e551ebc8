{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O1 -fmax-simplifier-iterations=4 #-}

-- | Long answers, which are made while they are sent: their bytes, and what they take,
-- counted in live bytes in the midst of it.
module Tern.Http.MemoryTest (tests) where

import Control.Exception (ErrorCall (..), evaluate, try)
import Control.Monad (forM_, void, when)
import Data.ByteString qualified as B
import Data.ByteString.Builder (toLazyByteString)
import Data.ByteString.Lazy qualified as BL
import Data.IORef (atomicModifyIORef', modifyIORef, modifyIORef', newIORef, readIORef, writeIORef)
import Data.Int (Int64)
import Data.List.NonEmpty qualified as NonEmpty
import GHC.Stats (GCDetails (..), RTSStats (..), getRTSStats)
import Network.HTTP.Types
import Network.Wai (Request (..), defaultRequest)
import Network.Wai.Internal (Response (..), ResponseReceived (..))
import System.Mem (performMajorGC)
import Tern.Http
import Tern.Http.Coding (codingNames, decoding)
import Tern.Http.Content (wholeOf)
import Tern.Http.Format (Entry (..), entry)
import Tern.Negotiate (codingText, renderMediaType)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "long answers"
    [ testCase "are the same bytes, in each format and coding"
        $ forM_
          [ (format, coding)
            | format <- [minBound ..],
              coding <- Nothing : map Just [minBound ..]
          ]
        $ \(format, coding) -> do
          sent <- newIORef []
          answeredWith values format [("Accept-Encoding", nameOf one) | Just one <- [coding]] $
            \headers body -> do
              lookup "Content-Encoding" headers @?= (nameOf <$> coding)
              lookup "Content-Length" headers @?= Nothing
              body (\chunk -> modifyIORef sent (chunk :))
          chunks <- reverse <$> readIORef sent
          bytes <- maybe (pure (B.concat chunks)) (undone chunks) coding
          bytes == entryEncode (entry format) values @? show (format, coding),
      testCase "are ended by an exception of the value" $
        forM_ [minBound ..] $ \format -> do
          sent <- newIORef (0 :: Int)
          outcome <-
            try . answeredWith (take 30000 values <> [errorWithoutStackTrace "no bird"]) format [] $
              \_ body -> body (\chunk -> modifyIORef' sent (+ B.length chunk))
          either (\(ErrorCall why) -> why) (const "no exception") outcome @?= "no bird"
          had <- readIORef sent
          assertBool (show had) (if format == Native then had == 0 else had > 50000),
      -- What other cases keep meanwhile would be counted.
      after AllFinish "!/memory/ && !/soak/" $
        testCase "memory: an answer takes a chunk while it is sent" $ do
          void (evaluate (sum (map fst values)))
          void (evaluate (sum (map snd values)))
          forM_ cases $ \(nth, format, headers, most) -> do
            taken <- takenBy nth format headers
            assertBool
              (unwords [show format, show headers, show taken, "of", show (sizeOf format)])
              (taken < most)
    ]
  where
    cases =
      [(100, format, [], 100000) | format <- [Json, MessagePack, Cbor]]
        -- A compressor has tables, and some bytes before it gives the first.
        <> [ (1, format, [("Accept-Encoding", nameOf coding)], 400000)
             | format <- [Json, Cbor],
               coding <- [minBound ..]
           ]
        -- Its chunks are all there before the first is sent: a quarter is left to round up.
        <> [(100, Native, [], sizeOf Native + sizeOf Native `div` 4)]
    nameOf coding = B.concat [codingText one | one <- codingNames [coding]]
    undone chunks coding = do
      left <- newIORef chunks
      source <-
        decoding
          coding
          ( atomicModifyIORef'
              left
              (\those -> (drop 1 those, B.concat (take 1 those)))
          )
      wholeOf source

sizeOf :: Format -> Int64
sizeOf format = BL.length (entryChunks (entry format) values)

-- | A megabyte in JSON.
values :: [(Int, Double)]
values = [(n, fromIntegral n / 7) | n <- [1 .. 40000]]

-- | How many more bytes live when the @nth@ chunk is sent.
takenBy :: Int -> Format -> RequestHeaders -> IO Int64
takenBy nth format headers = do
  sent <- newIORef (0 :: Int)
  taken <- newIORef Nothing
  before <- live
  answeredWith values format headers $ \_ body ->
    body $ \_ -> do
      modifyIORef' sent (+ 1)
      n <- readIORef sent
      when (n == nth) $ live >>= writeIORef taken . Just . subtract before
  -- They are held until here.
  _ <- evaluate (length values)
  readIORef taken >>= maybe (assertFailure "fewer chunks") pure
  where
    live = do
      performMajorGC
      fromIntegral . gcdetails_live_bytes . gc <$> getRTSStats

-- | What is done with the head and the content of an answer, of which the content is made
-- while it is sent.
answeredWith ::
  [(Int, Double)] ->
  Format ->
  RequestHeaders ->
  (ResponseHeaders -> ((B.ByteString -> IO ()) -> IO ()) -> IO ()) ->
  IO ()
answeredWith those format headers use =
  void . exchange settings ["GET"] (\x answer -> answer (respond x ok200 [] those)) request $ \case
    ResponseStream _ said body ->
      ResponseReceived
        <$ use said (\send -> body (send . BL.toStrict . toLazyByteString) (pure ()))
    _ -> assertFailure "an answer that is made before it is sent"
  where
    settings = defaultSettings {settingsTags = False}
    request =
      defaultRequest
        { requestHeaders =
            (hAccept, renderMediaType (NonEmpty.head (entryTypes (entry format)))) : headers
        }
