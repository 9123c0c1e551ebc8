{-# LANGUAGE OverloadedStrings #-}

-- | A service that speaks JSON, with the other formats around it.
module Tern.Http.TranslateTest (tests) where

import Control.Monad (forM_)
import Data.ByteString.Lazy qualified as BL
import Data.Maybe (fromMaybe, isNothing)
import Data.Proxy (Proxy (..))
import Network.HTTP.Types
import Network.Wai (Application, Request (..), responseLBS, strictRequestBody)
import Tern
import Tern.Http
import Tern.Http.Birds (Answer (..), Bird, ask, header, pieces, tern)
import Tern.Http.Coding (encoding)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "translate"
    [ testCase "answers in the format that is accepted, with the service's headers" $ do
        packed <- ask service "GET" [("Accept", "application/msgpack")] []
        ( answerStatus
            packed,
          header "Content-Type" packed,
          header "X-Count" packed,
          decodeMessagePack (answerBody packed)
          )
          @?= (200, Just "application/msgpack", Just "1", Right tern)
        native <- ask service "GET" [("Accept", "application/vnd.tern.native")] []
        decodeNative (answerBody native) @?= Right tern
        plain <- ask service "GET" [] []
        (header "Content-Type" plain, decodeJson (answerBody plain))
          @?= (Just "application/json", Right tern),
      testCase "tags are those of the representation" $
        forM_ [[], [("Accept", "application/msgpack")]] $ \headers -> do
          first <- ask service "GET" headers []
          length (filter ((== "ETag") . fst) (answerHeaders first)) @?= 1
          again <-
            ask service "GET" (("If-None-Match", fromMaybe "" (header "ETag" first)) : headers) []
          answerStatus again @?= 304,
      testCase "what the service's answers vary by stays" $ do
        varying <-
          mapM
            (\(method, headers) -> header "Vary" <$> ask service method headers [])
            [ ("GET", []),
              ("GET", [("Accept", "application/msgpack")]),
              ("DELETE", []),
              ("PATCH", [])
            ]
        varying
          @?= [ Just
                  "Accept, Accept-Encoding, Origin",
                Just "Accept, Accept-Encoding, Origin",
                Just "Accept, Accept-Encoding",
                Just "Accept, Accept-Encoding"
              ],
      testCase "a change is guarded by the tag of any representation, or by the date" $ do
        tags <-
          mapM
            ( \accept ->
                fromMaybe "" . header "ETag" <$> ask service "GET" [("Accept", accept)] []
            )
            ["application/json", "application/msgpack", "application/cbor"]
        statuses <-
          mapM
            (\headers -> answerStatus <$> ask service "DELETE" headers [])
            ( [[("If-Match", tag)] | tag <- tags]
                <> [ [("If-Match", "\"its own\"")],
                     [("If-None-Match", "*")],
                     [ ( "If-Unmodified-Since",
                         "Sun, 06 Nov 1994 08:49:36 GMT"
                       )
                     ],
                     [("If-Unmodified-Since", "Sun, 06 Nov 1994 08:49:37 GMT")],
                     []
                   ]
            )
        statuses @?= [404, 404, 404, 412, 412, 412, 404, 404],
      testCase "HEAD has the length of the content" $ do
        whole <- ask service "GET" [("Accept", "application/msgpack")] []
        headOnly <- ask service "HEAD" [("Accept", "application/msgpack")] []
        (header "Content-Length" headOnly, answerBody headOnly)
          @?= (header "Content-Length" whole, ""),
      testCase "content in any format and coding reaches the service as JSON"
        $ forM_
          [ ("application/json", encodeJson tern),
            ("application/msgpack", encodeMessagePack tern),
            ("application/cbor", encodeCbor tern),
            ("application/vnd.tern.native", encodeNative tern)
          ]
        $ \(media, bytes) -> do
          answers <-
            sequence
              [ ask
                  service
                  "POST"
                  [("Content-Type", media)]
                  (pieces 100 bytes),
                ask
                  service
                  "POST"
                  [("Content-Type", media), ("Content-Encoding", "gzip")]
                  [encoding Gzip bytes]
              ]
          map (\answer -> (answerStatus answer, decodeJson (answerBody answer))) answers
            @?= [(201, Right tern), (201, Right tern)],
      testCase "content that does not decode does not reach it" $ do
        answer <- ask service "POST" [("Content-Type", "application/msgpack")] ["\xc1"]
        (answerStatus answer, header "Content-Type" answer)
          @?= (400, Just "application/problem+json"),
      testCase "what is no success, or no such value, goes on as it is" $ do
        missing <- ask service "DELETE" [("Accept", "application/msgpack")] []
        (answerStatus missing, header "Content-Type" missing, answerBody missing)
          @?= (404, Just "application/json", "{\"error\":\"missing\"}")
        other <- ask service "PATCH" [("Accept", "application/msgpack")] []
        (answerStatus other, header "Content-Type" other, answerBody other)
          @?= (200, Just "application/json", "[\"no bird\"]")
    ]
  where
    service =
      translating
        (Proxy @Bird)
        (Proxy @Bird)
        defaultSettings
        ["GET", "POST", "PATCH", "DELETE"]
        json

-- | It says what it was sent, and knows one format.
json :: Application
json request send = case requestMethod request of
  "POST" -> do
    body <- strictRequestBody request
    send $
      if lookup "Content-Type" (requestHeaders request) == Just "application/json"
        && isNothing (lookup "Content-Encoding" (requestHeaders request))
        && lookup "Content-Length" (requestHeaders request) == Just (lengthOf body)
        then responseLBS created201 [("Content-Type", "application/json")] body
        else responseLBS internalServerError500 [] "not JSON"
  "GET" ->
    send
      ( responseLBS
          ok200
          [ ("Content-Type", "application/json; charset=utf-8"),
            ("ETag", "\"its own\""),
            ("Vary", "Origin"),
            ("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"),
            ("X-Count", "1"),
            ("Content-Length", "3000")
          ]
          (encodeJsonLazy tern)
      )
  "PATCH" -> send (responseLBS ok200 [("Content-Type", "application/json")] "[\"no bird\"]")
  _ ->
    send (responseLBS notFound404 [("Content-Type", "application/json")] "{\"error\":\"missing\"}")
  where
    lengthOf = encodeJson . BL.length
