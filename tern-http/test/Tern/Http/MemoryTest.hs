{-# LANGUAGE OverloadedStrings #-}

-- | What answers take while they are sent, counted in live bytes: many at once, each of
-- which has been begun.
module Tern.Http.MemoryTest (tests) where

import Control.Exception (evaluate)
import Control.Monad (forM, forM_, replicateM)
import Data.ByteString.Builder (toLazyByteString)
import Data.ByteString.Lazy qualified as BL
import Data.IORef
import Data.Int (Int64)
import Data.List.NonEmpty qualified as NonEmpty
import GHC.Stats
import Network.HTTP.Types
import Network.Wai
import Network.Wai.Internal (Response (..), ResponseReceived (..))
import System.Mem (performMajorGC)
import Tern.Http
import Tern.Http.Format
import Tern.Negotiate (renderMediaType)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "memory"
    [ testCase "an answer that is sent takes a chunk, and a whole one no more than its bytes" $
        forM_ cases $ \(format, settings, headers, most) -> do
          taken <- takenBy format settings headers
          assertBool
            (unwords [show format, show headers, show taken, "of", show bodies])
            (taken < most)
    ]
  where
    plain = defaultSettings {settingsTags = False}
    -- A compressor takes twice as much, before it gives its first bytes.
    chunks = fromIntegral many * 250000
    -- Some of it is room that a buffer has left.
    wholes = bodies + bodies `div` 2
    cases =
      [(format, plain, [], chunks) | format <- [Json, MessagePack, Cbor]]
        <> [(format, plain, [("Accept-Encoding", "gzip")], 2 * chunks) | format <- [Json, Cbor]]
        <> [(Native, plain, [], wholes)]
        <> [(format, defaultSettings, [], wholes) | format <- [minBound ..]]

-- | How many answers at once.
many :: Int
many = 16

-- | Of each the bytes, in JSON, of all of them.
bodies :: Int64
bodies = fromIntegral many * BL.length (toLazyByteString' values)
  where
    toLazyByteString' = entryChunks (entry Json)

values :: [(Int, Double)]
values = [(n, fromIntegral n / 7) | n <- [1 .. 40000]]

-- | The live bytes of answers that have been begun.
takenBy :: Format -> Settings -> RequestHeaders -> IO Int64
takenBy format settings headers = do
  _ <- evaluate (sum (map fst values), sum (map snd values))
  before <- live
  begun <- replicateM many $ do
    body <- answered
    case BL.toChunks body of
      [] -> assertFailure "no answer"
      first : rest -> evaluate first >> forM (take 1 rest) evaluate >> pure (BL.fromChunks rest)
  now <- live
  -- They are held until here.
  total <- sum <$> mapM (evaluate . BL.length) begun
  assertBool (show total) (total >= 0)
  pure (now - before)
  where
    live = do
      performMajorGC
      fromIntegral . gcdetails_live_bytes . gc <$> getRTSStats
    answered = do
      seen <- newIORef BL.empty
      _ <- exchange settings ["GET"] (\x send -> send (respond x ok200 [] values)) request $ \case
        ResponseBuilder _ _ builder ->
          ResponseReceived <$ writeIORef seen (toLazyByteString builder)
        _ -> assertFailure "another sort of answer"
      readIORef seen
    request =
      defaultRequest
        { requestHeaders =
            (hAccept, renderMediaType (NonEmpty.head (entryTypes (entry format)))) : headers
        }
