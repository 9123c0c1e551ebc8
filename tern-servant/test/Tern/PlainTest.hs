{-# LANGUAGE DataKinds #-}
{-# LANGUAGE OverloadedStrings #-}
-- What is tried is the library, which is optimised: the cases need not be.
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | What headers mean for Servant's services is what they mean for others: each answer here is
-- held against "Tern.Negotiate".
module Tern.PlainTest (tests) where

import Control.Monad (forM_)
import Control.Monad.IO.Class (liftIO)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Builder (toLazyByteString)
import Data.ByteString.Lazy qualified as BL
import Data.IORef (atomicModifyIORef', newIORef, readIORef, writeIORef)
import Data.List.NonEmpty (toList)
import Data.Proxy (Proxy (..))
import Data.Text (Text)
import Data.Text.Encoding qualified as T
import Network.HTTP.Types
import Network.Wai (Application, setRequestBodyChunks)
import Network.Wai qualified as Wai
import Network.Wai.Internal (ResponseReceived (..))
import Servant.API
import Servant.Server (Server)
import Servant.Types.SourceT (foreach, source)
import Tern (decodeJson)
import Tern.Http (Format (..))
import Tern.Http qualified as Http
import Tern.Http.Format (Entry (..), entry, formatRanges, offersOf)
import Tern.Http.Series (seriesOffers)
import Tern.Negotiate
  ( Offer (..),
    choose,
    fieldValue,
    parseAccept,
    parseMediaType,
    receiving,
    renderMediaType,
    typePreference,
  )
import Tern.Servant (AllFormats, BodyEach, GetEach, serveEvery)
import Test.Tasty
import Test.Tasty.HUnit

-- | The last path fits where the others do.
type Api =
  "value" :> AllFormats Get Int
    :<|> "value" :> AllFormats ReqBody Int :> AllFormats Post Int
    :<|> "each" :> GetEach Int
    :<|> "each" :> BodyEach Int :> AllFormats Post Int
    :<|> "text" :> Get '[PlainText, JSON] Text
    :<|> Capture "which" Text :> AllFormats Get Int

server :: Server Api
server =
  pure 7
    :<|> pure
    :<|> pure (source [1, 2])
    :<|> liftIO . summed
    :<|> pure "seven"
    :<|> (\_ -> pure 8)
  where
    summed xs = do
      total <- newIORef 0
      foreach fail (\x -> atomicModifyIORef' total (\n -> (n + x, ()))) xs
      readIORef total

tests :: TestTree
tests =
  testGroup
    "plain headers"
    [ testCase "Accept: a value is answered as Tern.Negotiate chooses" $
        forM_ accepts $ \accept -> do
          (status, headers, _) <- ask "GET" "value" [(hAccept, accept)] ""
          (accept, status, lookup hContentType headers)
            @?= case chosen accept (concatMap (toList . offersOf @Int) [minBound ..]) of
              Just media -> (accept, 200, Just media)
              Nothing -> (accept, 406, lookup hContentType headers),
      testCase "Accept: a sequence likewise, also where a path fits another resource too" $
        forM_ accepts $ \accept -> do
          (status, headers, _) <- ask "GET" "each" [(hAccept, accept)] ""
          let offers = concatMap (toList . seriesOffers) [minBound ..]
          -- What the other resource could answer is asked for after it.
          case chosen accept offers of
            Just media ->
              (accept, status, lookup hContentType headers) @?= (accept, 200, Just media)
            Nothing -> assertBool (show accept) (status `elem` [200, 406]),
      testCase "Accept: contents of Servant's own, with parameters"
        $ forM_
          [ ("text/plain", Just "text/plain;charset=utf-8"),
            ("text/*;q=0.2, application/json;q=0.1", Just "text/plain;charset=utf-8"),
            ("text/plain;q=0.1, application/json", Just "application/json;charset=utf-8"),
            ("application/json;charset=utf-8", Just "application/json;charset=utf-8"),
            ("text/plain;charset=\"utf-8\";q=0.5", Just "text/plain;charset=utf-8"),
            ("text/plain;format=flowed", Nothing)
          ]
        $ \(accept, expected) -> do
          (status, headers, _) <- ask "GET" "text" [(hAccept, accept)] ""
          (accept, status, if status == 200 then lookup hContentType headers else Nothing)
            @?= (accept, maybe 406 (const 200) expected, expected),
      testCase "Content-Type: content is read as Tern.Negotiate recognises it" $
        forM_ kinds $ \lines' -> do
          let headers = [(hContentType, line) | line <- lines']
              expected =
                receiving (concatMap formatRanges [minBound .. Cbor])
                  =<< parseMediaType
                  =<< fieldValue hContentType headers
              content = maybe "7" (\format -> entryEncode (entry format) (7 :: Int)) expected
          (status, _, body) <- ask "POST" "value" headers content
          (lines', status, if status == 200 then decodeJson body else Right 7)
            @?= (lines', maybe 415 (const 200) expected, Right (7 :: Int)),
      testCase "Content-Type: sequences by the ends of names"
        $ forM_
          [ ("application/vnd.birds+json", "[1,2]"),
            ("application/geo+json-seq", "\RS1\n\RS2\n"),
            ("application/vnd.birds+cbor-seq;v=1", "\x01\x02")
          ]
        $ \(kind, content) -> do
          (status, _, body) <- ask "POST" "each" [(hContentType, kind)] content
          (kind, status, body) @?= (kind, 200, "3"),
      testCase "415 says which ends of names are read" $ do
        (status, headers, _) <- ask "POST" "value" [(hContentType, "text/plain")] "x"
        (status, B.isInfixOf "*/*+cbor" <$> lookup "Accept-Post" headers) @?= (415, Just True)
    ]
  where
    ask = asked (serveEvery Http.defaultSettings (Proxy @Api) server)
    chosen accept =
      fmap (renderMediaType . offerType) . choose (typePreference (parseAccept (Just accept)))

accepts :: [ByteString]
accepts =
  [ "application/json;q=0.2, application/json;q=0.9, application/msgpack;q=0.5",
    "application/json;q=0.9, application/json;q=0.2, application/msgpack;q=0.5",
    "application/json;q=0, application/json, application/msgpack;q=0.5",
    "*/*;q=0.1, application/*;q=0.5, application/json;q=0.4",
    "application/json;q=0, */*",
    "application/json;q=0.5;q=0.6, application/cbor;q=0.1",
    "application/json;q=1.5, application/cbor;q=0.1",
    "application/json;q=0.0000, application/cbor;q=0.1",
    "application/json;q=.5, application/cbor;q=0.1",
    "application/json;q = 1, application/cbor;q=0.1",
    "application/json;q=1.000, application/cbor",
    "application/cbor;q=0.001, application/json;q=0.002",
    "application/json;a=\"x,y\", application/cbor;q=0.1",
    "application/json;a=\"\\\",application/json\", application/cbor;q=0.1",
    "application/json;charset=\"a;b=c\", application/cbor;q=0.1",
    "APPLICATION/CBOR",
    ",,application/cbor,,",
    "application/x-msgpack, application/msgpack;q=0.5",
    "application/vnd.tern.native",
    "application/vnd.tern.native;schema=0123456789abcdef",
    "application/vnd.tern.native;schema=0123456789abcdef, */*;q=0.1",
    "*/json",
    "*/json;q=0.5, application/cbor;q=0.4",
    "*/*+json",
    "application/*+json, application/cbor;q=0.2",
    "application/json-seq, application/cbor-seq;q=0.5, application/jsonl;q=0.7",
    "application/jsonl;q=0.5, application/msgpack",
    "application/ndjson, application/json;q=0.5",
    "*/*;q=0",
    "image/*",
    "text/plain, image/png",
    "nonsense",
    ""
  ]

kinds :: [[ByteString]]
kinds =
  [ ["application/json"],
    ["APPLICATION/JSON;"],
    [" application/json ; charset=\"utf-8\" ;"],
    ["application/json;v=\"a;b=c\""],
    ["application/json;v=\"a,b\""],
    ["application/vnd.birds+json;v=2"],
    ["text/x+json"],
    ["application/vnd.birds+msgpack"],
    ["application/senml+cbor"],
    ["application/x-msgpack;"],
    ["application/json\r\n ;charset=utf-8"],
    ["application/json, application/json"],
    ["application/json", "text/plain"],
    ["application/json", "application/json"],
    ["application/json;charset"],
    ["application/json;charset = utf-8"],
    ["application/*"],
    ["*/*+json"],
    ["json"],
    [""],
    []
  ]

-- | Without a network.
asked ::
  Application ->
  Method ->
  Text ->
  RequestHeaders ->
  ByteString ->
  IO (Int, ResponseHeaders, ByteString)
asked app method path headers content = do
  left <- newIORef content
  said <- newIORef (0, [], "")
  body <- newIORef mempty
  let request =
        setRequestBodyChunks
          (atomicModifyIORef' left (B.empty,))
          Wai.defaultRequest
            { Wai.requestMethod = method,
              Wai.pathInfo = [path],
              Wai.rawPathInfo = "/" <> T.encodeUtf8 path,
              Wai.requestHeaders = headers,
              Wai.requestBodyLength = Wai.KnownLength (fromIntegral (B.length content))
            }
  _ <- app request $ \response -> do
    let (status, given, withBody) = Wai.responseToStream response
    writeIORef body mempty
    withBody $ \stream ->
      stream (\part -> atomicModifyIORef' body (\whole -> (whole <> part, ()))) (pure ())
    bytes <- BL.toStrict . toLazyByteString <$> readIORef body
    writeIORef said (statusCode status, given, bytes)
    pure ResponseReceived
  readIORef said
