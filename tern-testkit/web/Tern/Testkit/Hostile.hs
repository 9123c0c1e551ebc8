{-# LANGUAGE OverloadedStrings #-}

-- | Hostile clients of a service of HTTP, and what each may get.
--
-- The idea: the service under attack takes content by @POST /@ and answers @GET /@; at
-- @/numbers@ it has an answer without an end. What it takes is up to it: no client here
-- sends what anybody could.
--
-- Start at 'hostile'.
module Tern.Testkit.Hostile
  ( hostile,
    busy,
    idle,
    goodRequest,
  )
where

import Codec.Compression.GZip qualified as Gzip
import Control.Concurrent (threadDelay)
import Control.Monad (forM_)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy qualified as BL
import Network.Socket (ShutdownCmd (..), shutdown)
import Network.Socket.ByteString (sendAll)
import Network.Wai.Handler.Warp (Port)
import Tern.Testkit.Sockets
  ( drained,
    received,
    statusOf,
    talk,
    unlessGone,
    withSocket,
  )

-- | The kinds of clients, with what each may get: a status, or 0 where it is dropped.
hostile :: [(String, [Int], Port -> IO Int)]
hostile = busy <> idle

-- | Those that cost the service work.
busy :: [(String, [Int], Port -> IO Int)]
busy =
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
        (B.take 30 (gzip (B.replicate 10000 0x20)))
    ),
    ("a bomb", [413], posting "application/json" ["Content-Encoding: gzip, gzip\r\n"] bomb),
    ( "announced as too large",
      [413, 0],
      \port ->
        statusOf
          <$> talk
            port
            [ "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: \
              \close\r\nContent-Length: 99999999999\r\n\r\n"
            ]
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
              "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: \
              \100\r\n\r\n{\"name\""
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

-- | Those that wait, so that all of them may be there at once.
idle :: [(String, [Int], Port -> IO Int)]
idle =
  [ -- One byte, and then nothing more: Warp hangs up.
    ("slow with its head", [408, 400, 0], \port -> statusOf <$> talk port ["G"]),
    ( "slow with its content, byte by byte",
      [408, 400, 0],
      \port -> withSocket port $ \socket' -> do
        unlessGone
          ( sendAll
              socket'
              "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: \
              \100\r\n\r\n"
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
        -- Several times what the server waits, which may be busy with all the others.
        threadDelay 20000000
        -- Who still sends has not seen that nobody takes it.
        maybe (-1) statusOf <$> drained (256 * 1024 * 1024) socket'
    ),
    ( "slow with its content",
      [408, 400, 0],
      \port ->
        statusOf
          <$> talk
            port
            [ "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: \
              \100\r\n\r\n{"
            ]
    )
  ]

-- | 100 MB of spaces, compressed twice.
bomb :: ByteString
bomb = gzip (gzip (B.replicate 100000000 0x20))

gzip :: ByteString -> ByteString
gzip = BL.toStrict . Gzip.compress . BL.fromStrict

-- | What anybody may ask.
goodRequest :: [ByteString]
goodRequest =
  ["GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAccept: application/msgpack\r\n\r\n"]
