{-# LANGUAGE OverloadedStrings #-}

-- | As many requests as are wanted, for what a service's memory comes to.
--
-- The idea: under the load of "Tern.Bench.Http.Load" the quicker service answers more requests
-- in the same time, and a server keeps something of each until the connection's time limit. So
-- memory is compared after the same number of requests, however long they take.
module Tern.Bench.Http.Steady
  ( steady,
  )
where

import Control.Concurrent.Async (replicateConcurrently_)
import Control.Exception (throwIO)
import Control.Monad (replicateM_, unless)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.Maybe (fromMaybe)
import Network.HTTP.Client
import Network.HTTP.Types (hAccept, hContentType, statusIsSuccessful)
import Network.HTTP.Types.Header (hAcceptEncoding)
import Tern.Bench.Http.Load (Ask (..))

-- | Ask a port this many times, by this many connections at once, and read each answer to its end.
steady :: Int -> Int -> Int -> Ask -> IO ()
steady connections times port ask = do
  plain <- parseRequest ("http://127.0.0.1:" <> show port <> askPath ask)
  content <- traverse (B.readFile . fst) (askPosts ask)
  manager <-
    newManager defaultManagerSettings {managerConnCount = connections}
  let request =
        plain
          { method = maybe "GET" (const "POST") content,
            requestHeaders =
              [ (hAccept, BC.pack (askAccept ask)),
                (hAcceptEncoding, BC.pack (fromMaybe "identity" (askCoding ask)))
              ]
                <> [(hContentType, BC.pack kind) | Just (_, kind) <- [askPosts ask]],
            requestBody = RequestBodyBS (fromMaybe B.empty content),
            responseTimeout = responseTimeoutNone
          }
      once = withResponse request manager $ \response -> do
        unless (statusIsSuccessful (responseStatus response)) $
          throwIO (userError ("the service said " <> show (responseStatus response)))
        drained (responseBody response)
      drained body = do
        chunk <- brRead body
        unless (B.null chunk) (drained body)
  replicateConcurrently_ connections (replicateM_ (times `div` connections) once)
