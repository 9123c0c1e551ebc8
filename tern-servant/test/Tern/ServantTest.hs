{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}

-- | A server and clients of one API, over a real connection.
module Tern.ServantTest (tests) where

import Codec.Compression.GZip qualified as Gzip
import Control.Concurrent (threadDelay)
import Control.Exception (ErrorCall (..), SomeException, throwIO, try)
import Control.Monad (forM, forM_, forever, when, (>=>))
import Control.Monad.IO.Class (liftIO)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Builder (toLazyByteString)
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy qualified as BL
import Data.Either (isLeft)
import Data.Foldable (toList)
import Data.IORef (atomicModifyIORef', modifyIORef, modifyIORef', newIORef, readIORef)
import Data.List (nub)
import Data.List.NonEmpty qualified as NonEmpty
import Data.Maybe (fromMaybe, isJust)
import Data.Proxy (Proxy (..))
import Data.Text (Text)
import GHC.Generics (Generic)
import Network.HTTP.Client qualified as Client
import Network.HTTP.Types
import Network.Wai (Application, requestHeaders, setRequestBodyChunks)
import Network.Wai qualified as Wai
import Network.Wai.Handler.Warp (Port, withApplicationSettings)
import Network.Wai.Handler.Warp qualified as Warp
import Network.Wai.Internal (ResponseReceived (..))
import Servant (throwError)
import Servant.API
import Servant.Client (BaseUrl (..), ClientError, ClientM, client, mkClientEnv, runClientM)
import Servant.Client qualified as Servant
import Servant.Client.Streaming qualified as Streaming
import Servant.Server (Server)
import Servant.Types.SourceT (SourceT, StepT (..), foreach, fromStepT, source)
import System.Timeout (timeout)
import Tern
import Tern.Http (Coding (..), ContentLimits (..), Format (..), Settings (..))
import Tern.Http qualified as Http
import Tern.Http.Answer (Failure (..))
import Tern.Http.Coding (encoding)
import Tern.Http.Format (Entry (..), entry)
import Tern.Http.Series (Series (..), SeriesEntry (..), Steps (..), foldSteps, series, smallChunk)
import Tern.Negotiate (renderMediaType)
import Tern.Servant
  ( AllFormats,
    AsCbor,
    AsJson,
    AsMessagePack,
    AsNative,
    BodyEach,
    Formats,
    GetEach,
    GetLive,
    PostEach,
    Problem (..),
    problem,
    problemError,
    problemOf,
    serveEvery,
  )
import Test.Tasty
import Test.Tasty.HUnit

data Bird = Bird {name :: Text, seen :: Int}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

type Birds =
  "birds"
    :> AllFormats Get Bird
    :<|> "birds" :> AllFormats ReqBody Bird :> AllFormats PostCreated Bird

type Narrow formats =
  "birds" :> Get formats Bird :<|> "birds" :> ReqBody formats Bird :> PostCreated formats Bird

type Numbers =
  "numbers" :> Capture "most" Int :> GetEach Int
    :<|> "numbers" :> BodyEach Int :> AllFormats Post Int
    :<|> "doubled" :> BodyEach Int :> PostEach Int
    :<|> "broken" :> GetEach Int

-- | One bird, which can be changed: with a path of each kind, and what a path says nothing of.
type Kept =
  "kept" :> Servant.API.Header "X-Observer" Text :> QueryFlag "all" :> AllFormats Get Bird
    :<|> "kept" :> AllFormats ReqBody Bird :> AllFormats Put Bird
    :<|> "kept" :> AllFormats ReqBody Bird :> Verb 'PATCH 200 '[AsJson] Bird
    :<|> "kept" :> DeleteNoContent
    :<|> "kept" :> Capture "number" Int :> AllFormats Get Bird
    :<|> "posted" :> AllFormats PostCreated Bird
    :<|> "rest" :> CaptureAll "numbers" Int :> AllFormats Get Bird
    :<|> "own" :> Verb 'OPTIONS 200 '[AsJson] Bird
    :<|> "varying"
      :> Get
           (Formats Bird)
           ( Headers
               '[ Servant.API.Header
                    "Vary"
                    Text,
                  Servant.API.Header "Last-Modified" Text
                ]
               Bird
           )

type Api =
  Birds :<|> Numbers :<|> "gone" :> AllFormats Get Bird :<|> Kept :<|> "live" :> GetLive Int

tests :: TestTree
tests =
  testGroup
    "servant"
    [ testGroup
        "values"
        [ testCase "a client in each format" $ do
            speaks (client (Proxy @Birds))
            speaks (client (Proxy @(Narrow '[AsJson])))
            speaks (client (Proxy @(Narrow '[AsMessagePack])))
            speaks (client (Proxy @(Narrow '[AsCbor])))
            speaks (client (Proxy @(Narrow '[AsNative Bird]))),
          testCase "a client of all formats asks for the cheapest, and reads each that comes" $
            forM_ [minBound ..] $ \format -> do
              asked <- newIORef []
              let app =
                    Http.exchange
                      Http.defaultSettings {settingsFormats = pure format}
                      ["GET"]
                      $ \x send -> do
                        send (Http.respond x ok200 [] tern)
              withApplicationSettings
                quiet
                ( pure
                    ( \request send ->
                        modifyIORef asked (lookup hAccept (requestHeaders request) :)
                          >> app request send
                    )
                )
                $ \port -> do
                  let get :<|> _ = client (Proxy @Birds)
                  result <- running port get
                  result @?= Right tern
              headers <- readIORef asked
              fmap (B.isPrefixOf "application/vnd.tern.native;schema=") <$> headers @?= [Just True],
          testCase "answers in the format that is accepted"
            $ forM_
              [ (Nothing, "application/json", encodeJson tern),
                (Just "", "application/json", encodeJson tern),
                (Just "application/json; charset=utf-8", "application/json", encodeJson tern),
                ( Just
                    "nonsense, application/msgpack, a/b;c=\"",
                  "application/msgpack",
                  encodeMessagePack tern
                ),
                ( Just
                    "application/json;q=0.1, application/cbor",
                  "application/cbor",
                  encodeCbor tern
                ),
                ( Just
                    "application/json;q=0.1, application/vnd.tern.native",
                  "application/vnd.tern.native",
                  encodeNative tern
                ),
                ( Just
                    "application/vnd.tern.native;schema=0123456789abcdef, \
                    \application/msgpack;q=0.1",
                  "application/msgpack",
                  encodeMessagePack tern
                )
              ]
            $ \(accept, media, bytes) -> do
              (status, headers, content) <-
                ask "GET" [("Accept", value) | Just value <- [accept]] ""
              (status, BC.takeWhile (/= ';') (kindOf headers), content) @?= (200, media, bytes),
          testCase "406 for what nothing fits, as a problem" $
            forM_ ["image/png", "application/json;v=2", "*/xml"] $ \accept -> do
              (status, headers, content) <- ask "GET" [("Accept", accept)] ""
              (accept, status, kindOf headers, problemCode <$> decodeJson content)
                @?= (accept, 406, "application/problem+json", Right 406)
              (fmap (take 2) . problemOffers <$> decodeJson content)
                @?= Right (Just ["application/json", "application/msgpack"]),
          testCase "a client sends the next format where one is refused" $
            forM_ [([minBound ..], MessagePack), ([Json, Cbor], Cbor), ([Json], Json)] $
              \(spoken, want) -> do
                kinds <- newIORef []
                let app =
                      Http.exchange
                        Http.defaultSettings {settingsFormats = NonEmpty.fromList spoken}
                        ["POST"]
                        $ \x send ->
                          Http.receive x
                            >>= send . either (Http.refuse x) (Http.respond @Bird x created201 [])
                withApplicationSettings
                  quiet
                  ( pure $ \request send ->
                      modifyIORef kinds (lookup hContentType (requestHeaders request) :)
                        >> app request send
                  )
                  $ \port -> do
                    let _ :<|> post = client (Proxy @Birds)
                    result <- running port (post tern)
                    result @?= Right tern
                    sent <- readIORef kinds
                    (want, take 1 sent) @?= (want, [Just (mediaOf want)]),
          testCase "a client that every format is refused of has the problem" $ do
            let none = problem unsupportedMediaType415 "none"
                app request send = send (Http.respondProblem Http.defaultSettings request [] none)
            withApplicationSettings quiet (pure app) $ \port -> do
              let _ :<|> post = client (Proxy @Birds)
              result <- running port (post tern)
              either (fmap problemDetail . problemOf) (const Nothing) result @?= Just (Just "none"),
          testCase "content in each format"
            $ forM_
              [ ("application/json", encodeJson tern),
                ("application/x-msgpack", encodeMessagePack tern),
                ("application/cbor", encodeCbor tern),
                (ownNative, encodeNative tern)
              ]
            $ \(media, bytes) -> do
              (status, _, content) <- ask "POST" [("Content-Type", media)] bytes
              (status, content) @?= (201, encodeJson tern),
          testCase "what is wrong, and where, as a problem in the format that is accepted" $ do
            (status, headers, content) <-
              ask
                "POST"
                [ ("Content-Type", "application/json"),
                  ("Accept", "application/msgpack")
                ]
                "{\"name\":\"tern\",\"seen\":true}"
            (status, kindOf headers) @?= (400, "application/problem+msgpack")
            fmap
              ( \p ->
                  (problemDetail p, problemPath p, problemOffset p)
              )
              (decodeMessagePack content)
              @?= Right
                ( Just
                    "line 1, column 23, at $.seen: expected an integer, found \"true}\"",
                  Just "$.seen",
                  Just 22
                )
            (missing, headers', _) <- requested "/nowhere" "GET" [] ""
            (missing, kindOf headers') @?= (404, "application/problem+json"),
          testCase "a wrong method and a wrong type are problems too" $ do
            (status, headers, content) <- ask "DELETE" [("Accept", "application/msgpack")] ""
            ( status,
              kindOf headers,
              (\p -> (problemCode p, problemOffers p))
                <$> decodeMessagePack content
              )
              @?= ( 405,
                    "application/problem+msgpack",
                    Right (405, Just ["GET", "HEAD", "POST", "OPTIONS"])
                  )
            (status', headers', _) <- ask "POST" [("Content-Type", "text/plain")] "x"
            (status', kindOf headers') @?= (415, "application/problem+json"),
          testCase "a problem that a handler throws, in the format that is accepted" $ do
            (status, headers, content) <-
              requested "/gone" "GET" [("Accept", "application/msgpack")] ""
            (status, kindOf headers, problemDetail <$> decodeMessagePack content)
              @?= (410, "application/problem+msgpack", Right (Just "extinct")),
          testCase "a client has the problem as a value" . served Http.defaultSettings $ \port -> do
            result <- running port (client (Proxy @("gone" :> AllFormats Get Bird)))
            either (fmap problemDetail . problemOf) (const Nothing) result
              @?= Just (Just "extinct"),
          testCase "what another schema wrote is not read"
            $ forM_
              [ "application/vnd.tern.native;schema=0123456789abcdef",
                "application/vnd.tern.native"
              ]
            $ \media -> do
              (status, _, _) <- ask "POST" [("Content-Type", media)] (encodeNative tern)
              (media, status) @?= (media, 415)
        ],
      testGroup
        "around them"
        [ testCase "content that is compressed, within limits" $ do
            forM_ [(Gzip, "gzip"), (Zstandard, "zstd")] $ \(coding, named) -> do
              (status, _, content) <-
                ask
                  "POST"
                  [ ("Content-Type", "application/json"),
                    ("Content-Encoding", named)
                  ]
                  (encoding coding (encodeJson tern))
              (status, content) @?= (201, encodeJson tern)
            (unknown, headers, _) <-
              ask "POST" [("Content-Type", "application/json"), ("Content-Encoding", "br")] "x"
            (unknown, lookup "Accept-Encoding" headers) @?= (415, Just "zstd, gzip")
            (broken, _, _) <-
              ask "POST" [("Content-Type", "application/json"), ("Content-Encoding", "gzip")] "x"
            broken @?= 400,
          testCase "413 for content that is too large, before and after it is decompressed" $ do
            statuses <- forM
              [ ([], B.replicate 2000 0x20),
                ([("Content-Encoding", "gzip")], encoding Gzip (B.replicate 1000000 0x20)),
                ( [("Content-Encoding", "gzip, gzip")],
                  encoding Gzip (encoding Gzip (B.replicate 100000000 0x20))
                )
              ]
              $ \(headers, content) -> do
                (status, answer, _) <-
                  requestedOf
                    small
                    "/birds"
                    "POST"
                    (("Content-Type", "application/json") : headers)
                    content
                pure (status, kindOf answer)
            statuses @?= replicate 3 (413, "application/problem+json"),
          testCase "answers are compressed as it is asked for" $ do
            let long = Bird (mconcat (replicate 1000 "tern ")) 1
            (_, headers, content) <-
              ask
                "POST"
                [ ("Content-Type", "application/json"),
                  ("Accept-Encoding", "zstd")
                ]
                (encodeJson long)
            (lookup "Content-Encoding" headers, B.length content < 200, lookup "Vary" headers)
              @?= (Just "zstd", True, Just "Accept, Accept-Encoding")
            (refused, _, _) <- ask "GET" [("Accept-Encoding", "br, identity;q=0")] ""
            refused @?= 406,
          testCase "tags and conditions" $ do
            (_, headers, _) <- ask "GET" [] ""
            (_, headers', _) <- ask "GET" [("Accept", "application/msgpack")] ""
            let tag = fromMaybe "" (lookup "ETag" headers)
            (B.null tag, Just tag == lookup "ETag" headers') @?= (False, False)
            (unchanged, _, content) <- ask "GET" [("If-None-Match", tag)] ""
            (unchanged, content) @?= (304, "")
            (other, _, _) <-
              ask "GET" [("If-None-Match", tag), ("Accept", "application/msgpack")] ""
            other @?= 200,
          -- The number is the same bytes in MessagePack and in CBOR.
          testCase "no two representations have one tag, also where their bytes are the same" $ do
            let app =
                  serveEvery
                    Http.defaultSettings {settingsCompressFrom = 0}
                    (Proxy @("number" :> AllFormats Get Int))
                    (pure 7)
                asked more =
                  [ directly
                      app
                      "GET"
                      "number"
                      (more <> [("Accept", media), ("Accept-Encoding", coding)])
                      []
                    | media <-
                        [ "application/json",
                          "application/msgpack",
                          "application/cbor",
                          "application/vnd.tern.native"
                        ],
                      coding <- ["identity", "gzip", "zstd"]
                  ]
            first <- sequence (asked [])
            let heads = [headers | (answers, _) <- first, (_, headers, _) <- answers]
                tags = [tag | headers <- heads, ("ETag", tag) <- headers]
            length (nub tags) @?= 12
            known <- forM tags $ \tag -> do
              again <- sequence (asked [("If-None-Match", tag)])
              pure [status | (answers, _) <- again, (status, _, _) <- answers]
            known @?= [[if one == other then 304 else 200 | other <- tags] | one <- tags],
          testCase "HEAD has the headers of GET" $ do
            (_, headers, _) <- ask "GET" [] ""
            (status, headers', content) <- ask "HEAD" [] ""
            (status, content) @?= (200, "")
            map (`lookup` headers') ["Content-Type", "Content-Length", "ETag"]
              @?= map (`lookup` headers) ["Content-Type", "Content-Length", "ETag"]
        ],
      testGroup
        "methods"
        [ testCase "405 says what is allowed at this path" $ do
            found <-
              forM
                [ ("/birds", "DELETE"),
                  ("/numbers", "GET"),
                  ("/numbers/7", "POST"),
                  ("/kept", "POST"),
                  ("/kept/3", "PUT"),
                  ("/posted", "PUT"),
                  ("/rest", "POST"),
                  ("/rest/1/2", "POST"),
                  ("/kept/", "POST"),
                  ("/gone", "TRACE")
                ]
                $ \(path, method) -> do
                  (status, headers, _) <- requested path method [] ""
                  pure (path, status, lookup "Allow" headers)
            found
              @?= [ ("/birds", 405, Just "GET, HEAD, POST, OPTIONS"),
                    ("/numbers", 405, Just "POST, OPTIONS"),
                    ("/numbers/7", 405, Just "GET, HEAD, OPTIONS"),
                    ("/kept", 405, Just "GET, HEAD, PUT, PATCH, DELETE, OPTIONS"),
                    ("/kept/3", 405, Just "GET, HEAD, OPTIONS"),
                    ("/posted", 405, Just "POST, OPTIONS"),
                    ("/rest", 405, Just "GET, HEAD, OPTIONS"),
                    ("/rest/1/2", 405, Just "GET, HEAD, OPTIONS"),
                    ("/kept/", 405, Just "GET, HEAD, PUT, PATCH, DELETE, OPTIONS"),
                    ("/gone", 405, Just "GET, HEAD, OPTIONS")
                  ],
          testCase "OPTIONS says what can be done, unless the API says it itself" $ do
            (status, headers, content) <- requested "/kept" "OPTIONS" [("Accept", "image/png")] ""
            (status, content, lookup "Allow" headers, lookup "Accept-Post" headers)
              @?= (204, "", Just "GET, HEAD, PUT, PATCH, DELETE, OPTIONS", Nothing)
            fmap
              (B.isPrefixOf "application/json, application/msgpack")
              (lookup "Accept-Patch" headers)
              @?= Just True
            (each, ofEach, _) <- requested "/numbers" "OPTIONS" [] ""
            ( each,
              fmap
                (B.isPrefixOf "application/json, */*+json, application/jsonl")
                (lookup "Accept-Post" ofEach)
              )
              @?= (204, Just True)
            (own, _, said) <- requested "/own" "OPTIONS" [] ""
            (own, said) @?= (200, encodeJson tern)
            (missing, _, _) <- requested "/nowhere" "OPTIONS" [] ""
            (unread, _, _) <- requested "/kept/x" "OPTIONS" [] ""
            (missing, unread) @?= (404, 400),
          testCase "415 says what is read at this path" $ do
            (status, headers, _) <- requested "/birds" "POST" [("Content-Type", "text/plain")] "x"
            ( status,
              map
                ( \name ->
                    B.isPrefixOf "application/json, application/msgpack" <$> lookup name headers
                )
                ["Accept", "Accept-Post", "Accept-Patch"]
              )
              @?= (415, [Just True, Just True, Nothing])
            (patched, headers', _) <- requested "/kept" "PATCH" [("Content-Type", "text/plain")] "x"
            ( patched,
              map
                ( \name ->
                    B.isPrefixOf "application/json, application/msgpack" <$> lookup name headers'
                )
                ["Accept", "Accept-Patch", "Accept-Post"]
              )
              @?= (415, [Just True, Just True, Nothing]),
          testCase "a change is guarded by the tag of any representation" $ do
            tags <-
              forM
                [ "application/json",
                  "application/msgpack",
                  "application/cbor",
                  "application/vnd.tern.native"
                ]
                $ \accept -> do
                  (_, headers, _) <- requested "/kept" "GET" [("Accept", accept)] ""
                  pure (fromMaybe "" (lookup "ETag" headers))
            done <-
              forM
                ( [("If-Match", tag) | tag <- tags]
                    <> [("If-None-Match", "\"x\"")]
                )
                $ \condition ->
                  changed "/kept" "PUT" [condition]
            done @?= replicate 5 200
            refused <-
              forM
                [ ("If-Match", "\"x\""),
                  ("If-Match", "nonsense"),
                  ("If-None-Match", "*"),
                  ("If-None-Match", mconcat (take 1 tags))
                ]
                $ \condition ->
                  changed "/kept" "PUT" [condition]
            refused @?= replicate 4 412
            -- What is refused for other reasons is not refused for its conditions.
            others <-
              sequence
                [ changed
                    "/kept"
                    "POST"
                    [("If-Match", "\"x\"")],
                  changed "/nowhere" "PUT" [("If-Match", "\"x\"")],
                  changedAs "text/plain" "/kept" "PUT" [("If-Match", "\"x\"")]
                ]
            others @?= [405, 412, 415]
            -- There is nothing to read at this path.
            posted <-
              mapM
                (\condition -> changed "/posted" "POST" [condition])
                [("If-Match", "*"), ("If-None-Match", "*")]
            posted @?= [412, 201],
          testCase "412 is a problem, in the format that is accepted" $ do
            (status, headers, content) <-
              requested
                "/kept"
                "PUT"
                [ ("If-Match", "\"x\""),
                  ("Content-Type", "application/json"),
                  ("Accept", "application/msgpack")
                ]
                (encodeJson tern)
            (status, kindOf headers, problemCode <$> decodeMessagePack content)
              @?= (412, "application/problem+msgpack", Right 412),
          testCase
            "a part is not taken for the whole, and what GET brings with it counts for nothing"
            $ do
              (status, _, _) <-
                requested
                  "/kept"
                  "PUT"
                  [ ("Content-Type", "application/json"),
                    ("Content-Range", "bytes 0-99/1000")
                  ]
                  (encodeJson tern)
              (got', _, _) <-
                requested
                  "/kept"
                  "GET"
                  [ ("Content-Encoding", "br"),
                    ("Content-Range", "bytes 0-99/1000")
                  ]
                  ""
              (status, got') @?= (400, 200),
          testCase "a sequence has no tag that could be demanded" $ do
            statuses <-
              forM
                [ ("If-Match", "\"x\""),
                  ("If-Match", "*"),
                  ("If-None-Match", "*"),
                  ("If-None-Match", "\"x\"")
                ]
                $ \condition -> do
                  (status, _, _) <- requested "/numbers/3" "GET" [condition] ""
                  pure status
            statuses @?= [412, 200, 304, 200],
          testCase "what a handler's answer varies by stays, and its date counts" $ do
            (_, headers, _) <- requested "/varying" "GET" [] ""
            [value | ("Vary", value) <- headers] @?= ["Accept, Accept-Encoding, Origin"]
            statuses <-
              forM ["Sun, 06 Nov 1994 08:49:36 GMT", "Sun, 06 Nov 1994 08:49:37 GMT"] $ \date -> do
                (status, _, _) <- requested "/varying" "GET" [("If-Modified-Since", date)] ""
                pure status
            statuses @?= [200, 304]
        ],
      testGroup
        "sequences"
        [ testCase "answers in each way to write them" $
            forM_ every $ \(kind, media) -> do
              (status, headers, content) <-
                requested
                  "/numbers/5000"
                  "GET"
                  [("Accept", media), ("Accept-Encoding", "identity")]
                  ""
              (status, kindOf headers) @?= (200, media)
              found <-
                foldSteps
                  (\xs x -> pure (x : xs))
                  []
                  (pure "")
                  (fed content (seriesRead (series kind) defaultLimits))
              found @?= (reverse [1 .. 5000 :: Int], Nothing),
          testCase "content in each way to write them, compressed or not" $
            forM_ every $ \(kind, media) -> do
              bytes <- written kind [1 .. 5000 :: Int]
              (status, _, content) <- requested "/numbers" "POST" [("Content-Type", media)] bytes
              (media, status, content) @?= (media, 200, encodeJson (sum [1 .. 5000 :: Int]))
              (status', _, content') <-
                requested
                  "/numbers"
                  "POST"
                  [("Content-Type", media), ("Content-Encoding", "gzip")]
                  (encoding Gzip bytes)
              (media, status', content') @?= (media, 200, encodeJson (sum [1 .. 5000 :: Int])),
          testCase "406 and 415 for what is no sequence" $ do
            (status, _, _) <- requested "/numbers/3" "GET" [("Accept", "application/msgpack")] ""
            (status', headers, _) <-
              requested
                "/numbers"
                "POST"
                [("Content-Type", "application/msgpack")]
                "\x93\x01\x02\x03"
            (status, status', kindOf headers) @?= (406, 415, "application/problem+json"),
          testCase "what is wrong in which element ends the handler as a problem" $ do
            (status, headers, content) <-
              requested
                "/numbers"
                "POST"
                [ ("Content-Type", "application/jsonl"),
                  ("Accept", "application/msgpack")
                ]
                "1\n2\nx\n"
            (status, kindOf headers, problemPath <$> decodeMessagePack content)
              @?= (400, "application/problem+msgpack", Right (Just "$[2]")),
          testCase "HEAD does not run what makes a sequence" $ do
            run <- newIORef (0 :: Int)
            let counted = fromStepT (Effect (Yield 1 Stop <$ modifyIORef' run (+ 1)))
                app =
                  serveEvery
                    Http.defaultSettings
                    (Proxy @("some" :> GetEach Int :<|> "live" :> GetLive Int))
                    (pure counted :<|> pure counted)
            found <-
              forM [(path, method) | path <- ["some", "live"], method <- ["HEAD", "GET"]] $
                \(path, method) -> do
                  (answers, _) <- directly app method path [("Accept", "application/jsonl")] []
                  times <- readIORef run
                  pure ([(status, body) | (status, _, body) <- answers], times)
            found
              @?= [ ([(200, "")], 0),
                    ([(200, "1\n")], 1),
                    ([(200, "")], 1),
                    ([(200, "1\n")], 2)
                  ],
          testCase "what is wrong once an answer has begun ends it, and begins no other"
            $ forM_
              [ ("a value that does not decode" :: String, [], "1\n2\nx\n"),
                ("more than may come", [], "1\n2\n" <> B.replicate 20000 0x20),
                ( "content whose coding is cut off",
                  [("Content-Encoding", "gzip")],
                  B.dropEnd 1 (encoding Gzip "1\n2\n")
                )
              ]
            $ \(what, headers, content) -> do
              (answers, wrong) <-
                directly
                  (serveEvery small (Proxy @Api) server)
                  "POST"
                  "doubled"
                  ( [("Content-Type", "application/jsonl"), ("Accept", "application/jsonl")]
                      <> headers
                  )
                  [content]
              let seen = [(status, B.isPrefixOf body "2\n4\n") | (status, _, body) <- answers]
              (what, seen, isJust wrong) @?= (what, [(200, True)], True),
          testCase "a sequence has limits of its own" $ do
            let lines' n = BC.unlines (replicate n "1")
            statuses <- forM [lines' 2000, lines' 20000] $ \content -> do
              (status, _, _) <-
                requestedOf small "/numbers" "POST" [("Content-Type", "application/jsonl")] content
              pure status
            statuses @?= [200, 413],
          testCase
            "a client sends and reads element by element"
            . served Http.defaultSettings
            $ \port -> do
              let _ :<|> (from :<|> total :<|> doubled :<|> _) :<|> _ :<|> _ :<|> _ =
                    Streaming.client (Proxy @Api)
              manager <- Client.newManager Client.defaultManagerSettings
              let env = mkClientEnv manager (BaseUrl Servant.Http "127.0.0.1" port "")
                  asked act = Streaming.withClientM act env
              asked
                (from 20000)
                ( either
                    (assertFailure . show)
                    (collectedOf >=> (@?= [1 .. 20000]))
                )
              asked
                (total (source [1 .. 20000]))
                (either (assertFailure . show) (@?= sum [1 .. 20000]))
              asked
                (doubled (source [1 .. 20000]))
                ( either
                    (assertFailure . show)
                    (collectedOf >=> (@?= map (* 2) [1 .. 20000]))
                ),
          testCase "a sequence is compressed as it is asked for, and what happens never" $ do
            let paths = [("/numbers/3", "GET"), ("/doubled", "POST"), ("/live", "GET")]
            found <- forM paths $ \(path, method) -> do
              (status, headers, content) <-
                requested
                  path
                  method
                  [ ("Accept-Encoding", "gzip, identity;q=0"),
                    ("Accept", "application/jsonl"),
                    ("Content-Type", "application/jsonl")
                  ]
                  "1\n"
              pure
                ( status,
                  lookup "Content-Encoding" headers,
                  if status == 200 then undone content else ""
                )
            found
              @?= [ (200, Just "gzip", "1\n2\n3\n"),
                    (200, Just "gzip", "2\n"),
                    (406, Nothing, "")
                  ],
          testCase
            "what happens is sent when it happens"
            . served Http.defaultSettings
            $ \port -> do
              manager <- Client.newManager Client.defaultManagerSettings
              seen <- newIORef []
              let _ :<|> _ :<|> _ :<|> _ :<|> live = Streaming.client (Proxy @Api)
              -- The second comes when the first was heard, and there is no third.
              outcome <-
                timeout 30000000
                  . try
                  . Streaming.withClientM
                    live
                    ( mkClientEnv
                        manager
                        (BaseUrl Servant.Http "127.0.0.1" port "")
                    )
                  $ either
                    throwIO
                    ( foreach
                        fail
                        ( \n ->
                            modifyIORef seen (n :) >> when (n == 2) (throwIO (ErrorCall "enough"))
                        )
                    )
              heard <- readIORef seen
              (either (\(ErrorCall what) -> what) show <$> outcome, heard)
                @?= (Just "enough", [2, 1 :: Int]),
          testCase "a client sees that an answer is damaged, after what came before it"
            $ forM_
              [ ("application/json", "[1,2,x]"),
                ("application/jsonl", "1\n2\nx\n"),
                ("application/json-seq", "\RS1\n\RS2\n\RSx\n"),
                ("application/msgpack-seq", "\x01\x02\xc3"),
                ("application/cbor-seq", "\x01\x02\xf5")
              ]
            $ \(media, content) -> do
              (seen, why) <- listened media content
              (media, seen, problemPath <$> why) @?= (media, [1, 2], Just (Just "$[2]")),
          testCase "a client sees that an answer is cut off, wherever the cut is"
            -- These two say where they end.
            $ forM_
              [ (JsonArray, "application/json"),
                (NativeContainer, "application/vnd.tern.container")
              ]
            $ \(kind, media) -> do
              bytes <- written kind [1 .. 30 :: Int]
              forM_ [0 .. B.length bytes] $ \n -> do
                (seen, why) <- listened media (B.take n bytes)
                (media, n, seen == take (length seen) [1 .. 30], length seen == 30 && null why)
                  @?= (media, n, True, n == B.length bytes),
          testCase
            "an answer that breaks off is seen to"
            . served Http.defaultSettings
            $ \port -> do
              let _ :<|> (_ :<|> _ :<|> _ :<|> broken) :<|> _ :<|> _ :<|> _ =
                    Streaming.client (Proxy @Api)
              manager <- Client.newManager Client.defaultManagerSettings
              result <-
                try
                  ( Streaming.withClientM
                      broken
                      ( mkClientEnv
                          manager
                          (BaseUrl Servant.Http "127.0.0.1" port "")
                      )
                      (either throwIO collectedOf)
                  )
              assertBool
                "it ended as if it were whole"
                (isLeft (result :: Either SomeException [Int]))
        ]
    ]
  where
    ask = requested "/birds"
    mediaOf format = renderMediaType (NonEmpty.head (entryTypes (entry format)))
    undone = BL.toStrict . Gzip.decompress . BL.fromStrict
    changed = changedAs "application/json"
    changedAs kind path method headers =
      (\(status, _, _) -> status)
        <$> requested path method (("Content-Type", kind) : headers) (encodeJson tern)
    every =
      [ (kind, renderMediaType media)
        | kind <-
            [minBound ..],
          media <- toList (seriesTypes (series kind))
      ]
    small =
      Http.defaultSettings
        { settingsLimits =
            (settingsLimits Http.defaultSettings) {maxReceived = 1000, maxDecoded = 100000},
          settingsSequenceLimits =
            (settingsSequenceLimits Http.defaultSettings) {maxReceived = 10000}
        }

-- | The native format's media type for birds.
ownNative :: ByteString
ownNative = BC.pack (show (contentType (Proxy @(AsNative Bird))))

tern :: Bird
tern = Bird "tern" 2

server :: Server Api
server =
  (pure tern :<|> pure)
    :<|> (numbers :<|> added :<|> doubled :<|> broken)
    :<|> throwError (problemError (problem gone410 "extinct"))
    :<|> kept
    :<|> pure
      ( fromStepT
          ( Yield
              1
              ( Effect
                  ( Yield 2 (Effect (forever (threadDelay 1000000)))
                      <$ threadDelay 100000
                  )
              )
          )
      )
  where
    kept =
      (\_ _ -> pure tern)
        :<|> pure
        :<|> pure
        :<|> pure NoContent
        :<|> (\_ -> pure tern)
        :<|> pure tern
        :<|> (\_ -> pure tern)
        :<|> pure tern
        :<|> pure (addHeader "Origin" (addHeader "Sun, 06 Nov 1994 08:49:37 GMT" tern))
    numbers most = pure (source [1 .. most])
    added xs = liftIO $ do
      total <- newIORef 0
      foreach fail (\x -> modifyIORef' total (+ x)) xs
      readIORef total
    doubled xs = pure (fmap (* 2) xs)
    broken = pure (fromStepT (Yield 1 (Effect (throwIO (ErrorCall "broken")))))

served :: Settings -> (Port -> IO a) -> IO a
served settings = withApplicationSettings quiet (pure (serveEvery settings (Proxy @Api) server))

-- | What an application sends when it is asked without a network: each answer that it
-- begins, as far as it came, and what it throws.
directly ::
  Application ->
  Method ->
  Text ->
  RequestHeaders ->
  [ByteString] ->
  IO ([(Int, ResponseHeaders, ByteString)], Maybe SomeException)
directly app method path headers chunks = do
  left <- newIORef chunks
  answers <- newIORef []
  let request =
        setRequestBodyChunks
          (atomicModifyIORef' left (\cs -> (drop 1 cs, mconcat (take 1 cs))))
          Wai.defaultRequest
            { Wai.requestMethod = method,
              Wai.pathInfo = [path],
              Wai.requestHeaders = headers,
              Wai.requestBodyLength = Wai.ChunkedBody
            }
  outcome <- try . app request $ \response -> do
    let (status, said, withBody) = Wai.responseToStream response
    body <- newIORef mempty
    modifyIORef' answers ((statusCode status, said, body) :)
    withBody (\stream -> stream (\part -> modifyIORef' body (<> part)) (pure ()))
    pure ResponseReceived
  begun <- reverse <$> readIORef answers
  sent <- forM begun $ \(status, said, body) ->
    (status,said,) . BL.toStrict . toLazyByteString <$> readIORef body
  pure (sent, either Just (const Nothing) outcome)

-- | What a client hears of numbers that are answered with these bytes, and what it is told
-- is wrong with them.
listened :: ByteString -> ByteString -> IO ([Int], Maybe Problem)
listened kind content = withApplicationSettings quiet (pure app) $ \port -> do
  manager <- Client.newManager Client.defaultManagerSettings
  heard <- newIORef []
  outcome <-
    try
      . Streaming.withClientM
        (Streaming.client (Proxy @(GetEach Int)))
        (mkClientEnv manager (BaseUrl Servant.Http "127.0.0.1" port ""))
      $ either throwIO (foreach fail (\n -> modifyIORef' heard (n :)))
  seen <- reverse <$> readIORef heard
  case outcome of
    Left (Malformed why) -> pure (seen, Just why)
    Left other -> throwIO other
    Right () -> pure (seen, Nothing)
  where
    app _ send = send (Wai.responseLBS ok200 [(hContentType, kind)] (BL.fromStrict content))

collectedOf :: SourceT IO a -> IO [a]
collectedOf xs = do
  found <- newIORef []
  foreach fail (\x -> modifyIORef' found (x :)) xs
  reverse <$> readIORef found

-- | A client gets the bird, and sends one.
speaks :: (ClientM Bird :<|> (Bird -> ClientM Bird)) -> IO ()
speaks (get :<|> post) = served Http.defaultSettings $ \port -> do
  result <- running port ((,) <$> get <*> post (Bird "skua" 1))
  either (assertFailure . show) (@?= (tern, Bird "skua" 1)) result

running :: Port -> ClientM a -> IO (Either ClientError a)
running port act = do
  manager <- Client.newManager Client.defaultManagerSettings
  runClientM act (mkClientEnv manager (BaseUrl Servant.Http "127.0.0.1" port ""))

requested ::
  String -> Method -> RequestHeaders -> ByteString -> IO (Int, ResponseHeaders, ByteString)
requested = requestedOf Http.defaultSettings

requestedOf ::
  Settings ->
  String ->
  Method ->
  RequestHeaders ->
  ByteString ->
  IO (Int, ResponseHeaders, ByteString)
requestedOf settings path method headers content = served settings $ \port -> do
  manager <- Client.newManager Client.defaultManagerSettings
  base <- Client.parseRequest ("http://127.0.0.1:" <> show port <> path)
  answer <-
    Client.httpLbs
      base
        { Client.method =
            method,
          Client.requestHeaders = headers,
          Client.requestBody = Client.RequestBodyBS content,
          Client.decompress = const False
        }
      manager
  pure
    ( statusCode
        (Client.responseStatus answer),
      Client.responseHeaders answer,
      BL.toStrict (Client.responseBody answer)
    )

kindOf :: ResponseHeaders -> ByteString
kindOf = fromMaybe "" . lookup hContentType

written :: (Wire a) => Series -> [a] -> IO ByteString
written kind values = do
  out <- newIORef []
  seriesPut (series kind) smallChunk (\chunk -> modifyIORef' out (chunk :)) (`mapM_` values)
  B.concat . reverse <$> readIORef out

-- | Steps that are given these bytes first.
fed :: ByteString -> Steps a -> Steps a
fed bytes = \case
  Hungry feed -> feed bytes
  others -> others

-- | Warp, which says nothing of what ends a handler.
quiet :: Warp.Settings
quiet = Warp.setOnException (\_ _ -> pure ()) Warp.defaultSettings
