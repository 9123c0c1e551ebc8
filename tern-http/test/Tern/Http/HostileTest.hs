{-# LANGUAGE OverloadedStrings #-}

-- | Hostile clients by the hundred beside good ones: each gets its refusal or is dropped,
-- and the good ones are served meanwhile.
module Tern.Http.HostileTest (tests) where

import Control.Concurrent
import Control.Exception (SomeException, throwIO, try)
import Control.Monad (forM, forM_, replicateM)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.IORef
import Data.Maybe (isNothing)
import Network.Socket
import Network.Socket.ByteString (sendAll)
import Network.Wai.Handler.Warp (Port)
import System.Timeout (timeout)
import Tern.Http
import Tern.Http.Birds
import Tern.Http.Coding (encoding)
import Tern.Http.Sockets
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "hostile"
    [ testCaseInfo "each is refused or dropped, and good requests go on" . served 3 (birds defaultSettings) $ \port -> do
        over <- newIORef False
        good <- replicateM 4 (beside (goodUntil over port))
        outcomes <- forM kinds $ \(name, expected, attack) -> do
          running <- replicateM each (beside (timeout generous (attack port)))
          statuses <- mapM outcome running
          pure (name, expected, statuses)
        writeIORef over True
        answered <- concat <$> mapM outcome good
        forM_ outcomes $ \(name, expected, statuses) -> do
          (name, filter isNothing statuses) @?= (name, [])
          (name, filter (`notElem` map Just expected) statuses) @?= (name, [])
        filter (/= 200) answered @?= []
        -- After all of it there is still room for one more.
        last' <- statusOf <$> talk port goodRequest
        last' @?= 200
        let all' = concat [statuses | (_, _, statuses) <- outcomes]
        pure (unwords [show (length all'), "hostile,", show (length (filter (> Just 0) all')), "refused or answered,", show (length (filter (== Just 0) all')), "dropped;", show (length answered), "good ones beside them"])
    ]
  where
    each = 25
    -- Not a measurement: an attack that is still being served then would be served for ever.
    generous = 120 * 1000000

-- | The kinds of clients, with what each may get: a status, or 0 where it is dropped.
kinds :: [(String, [Int], Port -> IO Int)]
kinds =
  [ ("malformed JSON", [400], posting "application/json" [] "{\"name\":"),
    ("malformed MessagePack", [400], posting "application/msgpack" [] "\xdd\xff\xff\xff\xff"),
    ("malformed native", [400], posting "application/vnd.tern.native" [] (B.replicate 9 255)),
    ("nested without end", [400], posting "application/json" [] (B.replicate 100000 0x5b)),
    ("wrongly typed", [415], posting "text/plain" [] "x"),
    ("not compressed as it says", [400], posting "application/json" ["Content-Encoding: zstd\r\n"] "x"),
    ("truncated when compressed", [400], posting "application/json" ["Content-Encoding: gzip\r\n"] (B.take 30 (encoding Gzip (B.replicate 10000 0x20)))),
    ("a bomb", [413], posting "application/json" ["Content-Encoding: gzip, gzip\r\n"] bomb),
    ("announced as too large", [413, 0], \port -> statusOf <$> talk port ["POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: 99999999999\r\n\r\n"]),
    ("a header of 64 KB", [431, 400, 0], getting (B.concat ["Accept: ", B.replicate 65536 0x61, "\r\n"])),
    ("a thousand weights", [406], getting (B.concat ["Accept: ", B.intercalate "," (replicate 1000 "a/b;q=0.5"), "\r\n"])),
    ("no header at all", [400, 0], \port -> statusOf <$> talk port ["\0\0\0\0\r\n\r\n"]),
    ( "half-closed before its content is whole",
      [400, 0],
      \port -> withSocket port $ \socket' -> do
        unlessGone (sendAll socket' "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"name\"")
        shutdown socket' ShutdownSend
        statusOf <$> received socket'
    ),
    ( "half-closed after it",
      [200],
      \port -> withSocket port $ \socket' -> do
        unlessGone (sendAll socket' (B.concat goodRequest))
        shutdown socket' ShutdownSend
        statusOf <$> received socket'
    ),
    ( "gone at once",
      [0],
      \port -> withSocket port $ \socket' -> 0 <$ unlessGone (sendAll socket' "POST / HTTP/1.1\r\n")
    ),
    -- One byte, and then nothing more: Warp hangs up.
    ("slow with its head", [408, 400, 0], \port -> statusOf <$> talk port ["G"]),
    ("slow with its content", [408, 400, 0], \port -> statusOf <$> talk port ["POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"])
  ]
  where
    getting headers port = statusOf <$> talk port [B.concat ["GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n", headers, "\r\n"]]
    posting :: ByteString -> [ByteString] -> ByteString -> Port -> IO Int
    posting kind headers content port =
      statusOf <$> talk port [B.concat (["POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: ", kind, "\r\nContent-Length: ", BC.pack (show (B.length content)), "\r\n"] <> headers <> ["\r\n"]), content]

-- | 100 MB of spaces, compressed twice.
bomb :: ByteString
bomb = encoding Gzip (encoding Gzip (B.replicate 100000000 0x20))

goodRequest :: [ByteString]
goodRequest = ["GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAccept: application/msgpack\r\n\r\n"]

-- | What good requests are answered with until it is over, and at least once.
goodUntil :: IORef Bool -> Port -> IO [Int]
goodUntil over port = do
  status <- statusOf <$> talk port goodRequest
  stop <- readIORef over
  if stop then pure [status] else threadDelay 2000 >> (status :) <$> goodUntil over port

-- | Run beside, and what came of it.
beside :: IO a -> IO (MVar (Either SomeException a))
beside act = do
  box <- newEmptyMVar
  box <$ forkIO (try act >>= putMVar box)

-- | What came of what runs beside.
outcome :: MVar (Either SomeException a) -> IO a
outcome box = takeMVar box >>= either throwIO pure
