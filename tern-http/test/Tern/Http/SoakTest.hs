{-# LANGUAGE OverloadedStrings #-}

-- | A service that goes on: what lives after many requests is what lived after some.
--
-- It runs for as many seconds as the variable @TERN_SOAK@ says, and for 3 otherwise, at a
-- fixed rate: 20 times a second each of the requests.
module Tern.Http.SoakTest (tests) where

import Control.Concurrent (threadDelay)
import Control.Monad (forM_, replicateM_)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import GHC.Clock (getMonotonicTime)
import GHC.Stats (GCDetails (..), RTSStats (..), getRTSStats)
import Network.Wai.Handler.Warp (Port)
import System.Environment (lookupEnv)
import System.Mem (performMajorGC)
import Tern
import Tern.Http
import Tern.Http.Birds (birds, tern)
import Tern.Testkit.Sockets (served, statusOf, talk)
import Test.Tasty
import Test.Tasty.HUnit
import Text.Read (readMaybe)

tests :: TestTree
tests =
  -- What other cases keep meanwhile would be counted.
  after
    AllFinish
    "!/soak/"
    . testCaseInfo "soak: memory stays flat"
    . served 1 (birds defaultSettings)
    $ \port -> do
      seconds <- maybe 3 (maybe 3 (max 1) . readMaybe) <$> lookupEnv "TERN_SOAK"
      replicateM_ 20 (everything port)
      before <- live
      begin <- getMonotonicTime
      let go n = do
            everything port
            now <- getMonotonicTime
            -- The next round is due by the clock, so that a slow one is made up for.
            threadDelay (max 0 (round (1000000 * (begin + fromIntegral n / 20 - now))))
            if now - begin > seconds then pure n else go (n + 1)
      n <- go (1 :: Int)
      -- The server keeps some 80 bytes a request until the connection's time limit, one
      -- second, is over.
      threadDelay 3_000_000
      afterwards <- live
      -- A request that kept a kilobyte would be seen after some hundreds of them.
      assertBool (show (before, afterwards)) (afterwards < before + 512 * 1024)
      pure
        ( unwords
            [ show
                (n * length requests),
              "requests;",
              show before,
              "bytes lived before,",
              show afterwards,
              "after"
            ]
        )

everything :: Port -> IO ()
everything port = forM_ requests $ \(expected, parts) -> do
  answer <- talk port parts
  statusOf answer @?= expected

-- | In each format, good ones and others.
requests :: [(Int, [ByteString])]
requests =
  [ ( 200,
      [ B.concat
          [ "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAccept: ",
            kind,
            "\r\nAccept-Encoding: ",
            coding,
            "\r\n\r\n"
          ]
      ]
    )
    | kind <-
        ["application/json", "application/msgpack", "application/vnd.tern.native"],
      coding <- ["identity", "gzip", "zstd"]
  ]
    <> [ (201, posting "application/json" (encodeJson tern)),
         ( 201,
           posting "application/msgpack" (encodeMessagePack tern)
         ),
         (400, posting "application/json" "{"),
         (415, posting "text/plain" "x")
       ]
  where
    posting kind content =
      [ B.concat
          [ "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: ",
            kind,
            "\r\nContent-Length: ",
            BC.pack (show (B.length content)),
            "\r\n\r\n",
            content
          ]
      ]

-- | Bytes that live after a collection.
live :: IO Integer
live = do
  performMajorGC
  toInteger . gcdetails_live_bytes . gc <$> getRTSStats
