{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O1 -fmax-simplifier-iterations=4 #-}

-- | What a short request costs beside the same handler written with aeson: the bytes that
-- are allocated for it, from its head to the last byte of its answer.
module Tern.Http.CostTest (tests) where

import Control.Monad (forM_, replicateM_)
import Data.Aeson qualified as Aeson
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Builder (Builder, toLazyByteString)
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy qualified as BL
import Data.IORef (atomicModifyIORef, modifyIORef', newIORef, readIORef)
import Data.List.NonEmpty qualified as NonEmpty
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import GHC.Conc (getAllocationCounter, setAllocationCounter)
import GHC.Generics (Generic)
import Network.HTTP.Types
import Network.Wai
  ( Application,
    Request (..),
    RequestBodyLength (..),
    defaultRequest,
    responseLBS,
    setRequestBodyChunks,
    strictRequestBody,
  )
import Network.Wai.Internal (Response (..), ResponseReceived (..))
import Tern (Wire)
import Tern.Http
import Tern.Http.Format (Entry (..), entry)
import Tern.Http.Series (SeriesEntry (..), series)
import Tern.Negotiate (renderMediaType)
import Tern.Testkit.Allocation (optimised)
import Test.Tasty
import Test.Tasty.HUnit

data Sighting = Sighting
  { species :: Text,
    place :: Text,
    count :: Int,
    weight :: Double,
    note :: Maybe Text
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire, Aeson.ToJSON, Aeson.FromJSON)

data Total = Total {number :: !Int, counts :: !Int}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire, Aeson.ToJSON, Aeson.FromJSON)

tests :: TestTree
tests =
  testGroup
    "cost"
    [ testCaseInfo "a short answer allocates no more than aeson's" $ do
        by <- costOf aesonAnswers (answerRequest Json)
        costs <- mapM (costOf ternAnswers . answerRequest) [minBound ..]
        forM_ costs $ \one -> assertBool (show (by, costs)) (one <= allowed * by)
        pure (show (by, costs)),
      testCaseInfo "a short request with content allocates no more than aeson's" $ do
        by <- costOf aesonTotals (contentRequest Json (BL.toStrict (Aeson.encode sightings)))
        costs <-
          mapM
            ( \format ->
                costOf ternTotals (contentRequest format (entryEncode (entry format) sightings))
            )
            [minBound ..]
        forM_ costs $ \one -> assertBool (show (by, costs)) (one <= allowed * by)
        pure (show (by, costs)),
      testCaseInfo "a short sequence is sent whole, and allocates no more than aeson's value" $ do
        by <- costOf aesonAnswers (answerRequest Json)
        costs <- mapM (costOf ternEach . sequenceRequest) [minBound .. pred NativeContainer]
        forM_ costs $ \one -> assertBool (show (by, costs)) (one <= allowed * by)
        -- A container brings its schema.
        schema <- costOf ternEach (sequenceRequest NativeContainer)
        assertBool (show (by, schema)) (schema <= 5 * allowed * by)
        pure (show (by, costs, schema))
    ]

-- | Times what aeson allocates, which is a library: where this was not optimised, it was.
allowed :: Int
allowed = if optimised then 1 else 8

-- | What a request is answered with, by what the request is: so that no answer is made once for
-- all requests.
answerTo :: Request -> [Sighting]
answerTo request = fromMaybe [] (lookup (length (requestHeaders request)) answers)
{-# NOINLINE answerTo #-}

answers :: [(Int, [Sighting])]
answers = [(n, sightings) | n <- [0 .. 5]]

sightings :: [Sighting]
sightings =
  [ Sighting "Sterna paradisaea" "Gannet Rock, north side" k (fromIntegral k * 0.37 + 90) Nothing
    | k <- [1, 2]
  ]

total :: [Sighting] -> Total
total those = Total (length those) (sum (map count those))

-- | Bytes for a request, of which the same was asked before.
--
-- NOINLINE: where the handler is known its answer is made once for all.
costOf :: Application -> IO Request -> IO Int
costOf app asked = do
  replicateM_ 20 ask
  setAllocationCounter 0
  replicateM_ 100 ask
  used <- negate <$> getAllocationCounter
  none <- do
    setAllocationCounter 0
    replicateM_ 100 asked
    negate <$> getAllocationCounter
  pure (fromIntegral (used - none) `div` 100)
  where
    ask = do
      request <- asked
      app request $ \case
        ResponseBuilder status headers builder -> do
          -- As a server does: each header's bytes, and the content's.
          taken status headers (builtLength builder)
        -- What is short goes out with its end.
        ResponseStream status headers body -> do
          sent <- newIORef 0
          body
            (\builder -> modifyIORef' sent (+ builtLength builder))
            (assertFailure "sent before its end")
          readIORef sent >>= taken status headers
        _ -> assertFailure "not a short answer"
    taken status headers n
      | statusCode status == 200 && n + sum (map (B.length . snd) headers) > 0 =
          pure ResponseReceived
      | otherwise = assertFailure (show status)
{-# NOINLINE costOf #-}

builtLength :: Builder -> Int
builtLength = fromIntegral . BL.length . toLazyByteString

answerRequest :: Format -> IO Request
answerRequest format = pure defaultRequest {requestHeaders = asking (typeOf format)}

sequenceRequest :: Series -> IO Request
sequenceRequest kind =
  pure
    defaultRequest
      { requestHeaders = asking (renderMediaType (NonEmpty.head (seriesTypes (series kind))))
      }

contentRequest :: Format -> ByteString -> IO Request
contentRequest format bytes = do
  left <- newIORef bytes
  pure . setRequestBodyChunks (atomicModifyIORef left (B.empty,)) $
    defaultRequest
      { requestMethod = methodPost,
        requestHeaders =
          (hContentType, typeOf format)
            : (hContentLength, BC.pack (show (B.length bytes)))
            : asking (typeOf format),
        requestBodyLength = KnownLength (fromIntegral (B.length bytes))
      }

-- | The headers of a load generator's requests.
asking :: ByteString -> RequestHeaders
asking media = [("Host", "127.0.0.1:8080"), (hAccept, media)]

typeOf :: Format -> ByteString
typeOf = renderMediaType . NonEmpty.head . entryTypes . entry

ternAnswers, ternEach, ternTotals, aesonAnswers, aesonTotals :: Application
ternAnswers =
  exchange plain ["GET"] (\x reply -> reply (respond x ok200 [] (answerTo (exchangeRequest x))))
ternEach =
  exchange plain ["GET"] $ \x reply ->
    reply (respondEach x ok200 [] (`mapM_` answerTo (exchangeRequest x)))
ternTotals =
  exchange
    plain
    ["POST"]
    (\x reply -> receive x >>= reply . either (refuse x) (respond x ok200 [] . total))
aesonAnswers request send =
  send (responseLBS ok200 [(hContentType, "application/json")] (Aeson.encode (answerTo request)))
aesonTotals request send = do
  body <- strictRequestBody request
  send $ case Aeson.eitherDecode body of
    Left why -> responseLBS badRequest400 [] (BL.fromStrict (BC.pack why))
    Right those ->
      responseLBS ok200 [(hContentType, "application/json")] (Aeson.encode (total those))

-- | What aeson's handlers do not do is not done.
plain :: Settings
plain = defaultSettings {settingsTags = False, settingsCompressFrom = 0}
