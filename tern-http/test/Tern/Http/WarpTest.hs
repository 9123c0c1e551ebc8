{-# LANGUAGE OverloadedStrings #-}

-- | A real server on loopback, and clients that write to its socket whatever they like.
module Tern.Http.WarpTest (tests) where

import Control.Concurrent (newEmptyMVar, putMVar, takeMVar)
import Control.Exception (finally)
import Control.Monad (forM, forM_, forever, void)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Network.HTTP.Types
import Network.Socket.ByteString (recv, sendAll)
import System.Timeout (timeout)
import Tern
import Tern.Http hiding (defaultSettings)
import Tern.Http qualified as Http
import Tern.Http.Birds (birds, tern)
import Tern.Http.Coding (encoding)
import Tern.Negotiate qualified as Negotiate
import Tern.Testkit.Sockets (served, statusOf, talk, withSocket)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "warp"
    [ testCase
        "HEAD has GET's headers and no content"
        . served 10 (birds Http.defaultSettings)
        $ \port -> do
          whole <- talk port ["GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"]
          headOnly <- talk port ["HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"]
          let (head', body) = B.breakSubstring "\r\n\r\n" whole
              length' = filter (B.isPrefixOf "Content-Length") . BC.lines
          (length' headOnly, B.length (B.drop 4 (snd (B.breakSubstring "\r\n\r\n" headOnly))))
            @?= (length' head', 0)
          decodeJson (B.drop 4 body) @?= Right tern,
      testCase
        "a header that goes on in the next line is one header"
        . served 10 (birds Http.defaultSettings)
        $ \port -> do
          answer <-
            talk
              port
              [ "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n",
                "Accept: image/png,\r\n application/json;q=0.1,\r\n\tapplication/msgpack\r\n\r\n"
              ]
          (statusOf answer, "Content-Type: application/msgpack\r\n" `B.isInfixOf` answer)
            @?= (200, True),
      testCase "what a server took for headers of their own, and is the next line of one" $
        map
          ( `Negotiate.fieldValue`
              [("Accept", "a/b,"), (" c/d;x=1", ""), ("\te:", "f"), ("Host", "x"), (" y", "")]
          )
          ["Accept", "Host"]
          @?= [Just "a/b, c/d;x=1\te::f", Just "x y"],
      testCase "304 and 204 have no content" . served 10 (birds Http.defaultSettings) $ \port -> do
        answers <-
          forM
            [ ("GET", "If-None-Match: *\r\n"),
              ("PUT", "If-Match: *\r\n"),
              ("OPTIONS", "")
            ]
            $ \(method, header') ->
              talk
                port
                [ method,
                  " / HTTP/1.1\r\nHost: x\r\n",
                  header',
                  "Content-Length: 0\r\nConnection: close\r\n\r\n"
                ]
        map
          ( \answer ->
              (statusOf answer, B.drop 4 (snd (B.breakSubstring "\r\n\r\n" answer)))
          )
          answers
          @?= [(304, ""), (204, ""), (204, "")],
      testCase
        "hostile requests get their answer, and good ones after them"
        . served 10 (birds Http.defaultSettings)
        $ \port -> do
          let bomb = encoding Gzip (encoding Gzip (B.replicate 100000000 0x20))
              post headers body =
                [ B.concat
                    [ "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ",
                      BC.pack (show (B.length body)),
                      "\r\n",
                      headers,
                      "\r\n\r\n"
                    ],
                  body
                ]
              get headers =
                [ B.concat
                    [ "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n",
                      headers,
                      "\r\n\r\n"
                    ]
                ]
          statuses <- forM
            [ post "Content-Type: application/json\r\nContent-Encoding: gzip, gzip" bomb,
              post "Content-Type: application/json" "{\"name\":",
              post "Content-Type: application/msgpack" "\xdd\xff\xff\xff\xff",
              post
                "Content-Type: application/vnd.tern.native"
                "\xff\xff\xff\xff\xff\xff\xff\xff\xff",
              post "Content-Type: application/json" (B.replicate 100000 0x5b),
              post "Content-Type: text/plain" "x",
              get ("Accept: " <> B.intercalate "," (replicate 1000 "a/b;q=0.5")),
              get ("Accept: a/b;c=\"" <> B.replicate 40000 0x5c),
              get ("Accept: " <> B.replicate 70000 0x2c),
              get "Accept: \255\1"
            ]
            $ \parts -> do
              status <- statusOf <$> talk port parts
              good <- statusOf <$> talk port (get "Accept: application/msgpack")
              pure (status, good)
          -- The last but one is Warp's own limit: it says so, if it is heard before it hangs up.
          map snd statuses @?= map (const 200) statuses
          zipWith
            elem
            (map fst statuses)
            [ [413],
              [400],
              [400],
              [400],
              [400],
              [415],
              [406],
              [200],
              [431, 400, 0],
              [200]
            ]
            @?= map (const True) statuses,
      testCase "a client that goes away ends what makes its answer" $ do
        ended <- newEmptyMVar
        let app = exchange Http.defaultSettings ["GET"] $ \x send ->
              send
                ( respondEach
                    x
                    ok200
                    []
                    ( \put ->
                        forever (put (1 :: Int)) `finally` putMVar ended ()
                    )
                )
        served 10 app $ \port -> do
          withSocket port $ \socket' -> do
            sendAll socket' "GET / HTTP/1.1\r\nHost: x\r\nAccept: application/jsonl\r\n\r\n"
            void (recv socket' 1000)
          timeout 30000000 (takeMVar ended) >>= (@?= Just ()),
      testCase "a client that goes away while it sends ends what reads it" $ do
        ended <- newEmptyMVar
        let app = exchange Http.defaultSettings ["POST"] $ \x send ->
              ( receiveEach x (\n one -> pure (n + one)) (0 :: Int)
                  >>= send . either (refuse x) (respond x ok200 [])
              )
                `finally` putMVar ended ()
        served 10 app $ \port -> do
          withSocket port $ \socket' ->
            forM_
              [ "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: \
                \application/jsonl\r\nContent-Length: 1000000\r\n\r\n",
                "1\n2\n"
              ]
              (sendAll socket')
          timeout 30000000 (takeMVar ended) >>= (@?= Just ()),
      testCase "a sequence goes through as it is sent" $ do
        let app = exchange Http.defaultSettings ["POST"] $ \x send ->
              receiveEach x (\n one -> pure (n + one)) (0 :: Int)
                >>= send . either (refuse x) (respond x ok200 [])
        served 10 app $ \port -> do
          answer <-
            talk
              port
              ( [ "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: \
                  \application/jsonl\r\nTransfer-Encoding: chunked\r\n\r\n"
                ]
                  <> concat (replicate 1000 ["2\r\n1\n\r\n"])
                  <> ["0\r\n\r\n"]
              )
          B.drop 4 (snd (B.breakSubstring "\r\n\r\n" answer)) @?= "1000"
    ]
