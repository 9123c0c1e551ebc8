{-# LANGUAGE OverloadedStrings #-}

-- | A thousand hostile clients beside good ones: each gets its refusal or is dropped, and
-- the good ones are served meanwhile. What they waited for is told, with what they wait
-- for alone, and not judged: a test that fails by the clock says nothing.
module Tern.Http.HostileTest (tests) where

import Control.Concurrent
import Control.Exception (SomeException, throwIO, try)
import Control.Monad (forM, forM_, replicateM)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.IORef
import Data.List (sort)
import Data.Maybe (isNothing)
import GHC.Clock (getMonotonicTime)
import Network.HTTP.Types (ok200)
import Network.Socket
import Network.Socket.ByteString (sendAll)
import Network.Wai (Application, rawPathInfo)
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
    [ testCaseInfo
        "each is refused or dropped, and good requests go on"
        . served 3 service
        $ \port -> do
          alone <- replicateM 500 (waited (talk port goodRequest))
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
          filter (/= 200) (map fst answered) @?= []
          -- After all of it there is still room for one more.
          last' <- statusOf <$> talk port goodRequest
          last' @?= 200
          let all' = concat [statuses | (_, _, statuses) <- outcomes]
          pure
            ( unwords
                [ show (length all'),
                  "hostile,",
                  show (length (filter (> Just 0) all')),
                  "refused or answered,",
                  show (length (filter (== Just 0) all')),
                  "dropped;",
                  show (length answered),
                  "good ones beside them, 99 of 100 within",
                  milliseconds (map snd answered)
                    <> ",",
                  "alone within",
                  milliseconds (map snd alone)
                ]
            )
    ]
  where
    each = 55
    milliseconds times =
      show (round (1000 * sum (take 1 (drop (length times * 99 `div` 100) (sort times)))) :: Int)
        <> " ms"
    -- Not a measurement: an attack that is still being served then would be served for ever.
    generous = 120 * 1000000

-- | A bird, and beside it numbers without an end.
service :: Application
service request send
  | rawPathInfo request == "/numbers" =
      exchange
        defaultSettings
        ["GET"]
        ( \x reply ->
            reply (respondEach x ok200 [] (\put -> mapM_ put [0 :: Int ..]))
        )
        request
        send
  | otherwise = birds defaultSettings request send

-- | The kinds of clients, with what each may get: a status, or 0 where it is dropped.
kinds :: [(String, [Int], Port -> IO Int)]
kinds =
  [ ("malformed JSON", [400], posting "application/json" [] "{\"name\":"),
    ("malformed MessagePack", [400], posting "application/msgpack" [] "\xdd\xff\xff\xff\xff"),
    ("malformed native", [400], posting "application/vnd.tern.native" [] (B.replicate 9 255)),
    ("nested without end", [400], posting "application/json" [] (B.replicate 100000 0x5b)),
    ("wrongly typed", [415], posting "text/plain" [] "x"),
    ( "not compressed as it says",
      [400],
      posting "application/json" ["Content-Encoding: zstd\r\n"] "x"
    ),
    ( "truncated when compressed",
      [400],
      posting
        "application/json"
        ["Content-Encoding: gzip\r\n"]
        (B.take 30 (encoding Gzip (B.replicate 10000 0x20)))
    ),
    ("a bomb", [413], posting "application/json" ["Content-Encoding: gzip, gzip\r\n"] bomb),
    ( "announced as too large",
      [413, 0],
      \port ->
        statusOf
          <$> talk
            port
            ["POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: 99999999999\r\n\r\n"]
    ),
    ( "a header of 64 KB",
      [431, 400, 0],
      getting (B.concat ["Accept: ", B.replicate 65536 0x61, "\r\n"])
    ),
    ( "a thousand weights",
      [406],
      getting
        ( B.concat
            [ "Accept: ",
              B.intercalate "," (replicate 1000 "a/b;q=0.5"),
              "\r\n"
            ]
        )
    ),
    ("no header at all", [400, 0], \port -> statusOf <$> talk port ["\0\0\0\0\r\n\r\n"]),
    ( "half-closed before its content is whole",
      [400, 0],
      \port -> withSocket port $ \socket' -> do
        unlessGone
          ( sendAll
              socket'
              "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"name\""
          )
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
    ( "slow with its content, byte by byte",
      [408, 400, 0],
      \port -> withSocket port $ \socket' -> do
        unlessGone
          ( sendAll
              socket'
              "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n"
          )
        -- It would take twice as long as it is given.
        forM_ [1 .. 60 :: Int] $ \_ -> unlessGone (sendAll socket' " ") >> threadDelay 100000
        statusOf <$> received socket'
    ),
    -- What fits into the sockets' buffers is sent, and then nobody takes more.
    ( "does not read its answer",
      [200],
      \port -> withSocket port $ \socket' -> do
        unlessGone
          ( sendAll
              socket'
              "GET /numbers HTTP/1.1\r\nHost: x\r\nAccept: application/jsonl\r\n\r\n"
          )
        threadDelay 8000000
        statusOf <$> received socket'
    ),
    ( "slow with its content",
      [408, 400, 0],
      \port ->
        statusOf
          <$> talk
            port
            ["POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"]
    )
  ]
  where
    getting headers port =
      statusOf
        <$> talk
          port
          [ B.concat
              [ "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n",
                headers,
                "\r\n"
              ]
          ]
    posting :: ByteString -> [ByteString] -> ByteString -> Port -> IO Int
    posting kind headers content port =
      statusOf
        <$> talk
          port
          [ B.concat
              ( [ "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: ",
                  kind,
                  "\r\nContent-Length: ",
                  BC.pack (show (B.length content)),
                  "\r\n"
                ]
                  <> headers
                  <> ["\r\n"]
              ),
            content
          ]

-- | 100 MB of spaces, compressed twice.
bomb :: ByteString
bomb = encoding Gzip (encoding Gzip (B.replicate 100000000 0x20))

goodRequest :: [ByteString]
goodRequest =
  ["GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAccept: application/msgpack\r\n\r\n"]

-- | What good requests are answered with until it is over, and at least once, and after
-- how many seconds.
goodUntil :: IORef Bool -> Port -> IO [(Int, Double)]
goodUntil over port = do
  (answer, seconds) <- waited (talk port goodRequest)
  stop <- readIORef over
  if stop
    then pure [(statusOf answer, seconds)]
    else threadDelay 2000 >> ((statusOf answer, seconds) :) <$> goodUntil over port

-- | What came, and how many seconds it took.
waited :: IO a -> IO (a, Double)
waited act = do
  begin <- getMonotonicTime
  a <- act
  end <- getMonotonicTime
  pure (a, end - begin)

-- | Run beside, and what came of it.
beside :: IO a -> IO (MVar (Either SomeException a))
beside act = do
  box <- newEmptyMVar
  box <$ forkIO (try act >>= putMVar box)

-- | What came of what runs beside.
outcome :: MVar (Either SomeException a) -> IO a
outcome box = takeMVar box >>= either throwIO pure
