{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}

-- | A server and clients of one API, over a real connection.
module Tern.ServantTest (tests) where

import Control.Monad (forM_)
import Data.ByteString (ByteString)
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy qualified as BL
import Data.Maybe (fromMaybe)
import Data.Proxy (Proxy (..))
import Data.Text (Text)
import GHC.Generics (Generic)
import Network.HTTP.Client qualified as Client
import Network.HTTP.Types
import Network.Wai.Handler.Warp (Port, testWithApplication)
import Servant.API
import Servant.Client
import Servant.Server
import Tern
import Tern.Http (Problem (..))
import Tern.Servant
import Test.Tasty
import Test.Tasty.HUnit

data Bird = Bird {name :: Text, seen :: Int}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

type Birds formats = "birds" :> Get formats Bird :<|> "birds" :> ReqBody formats Bird :> PostCreated formats Bird

tests :: TestTree
tests =
  testGroup
    "servant"
    [ testCase "a client in each format" $ do
        speaks (client (Proxy @(Birds (AllFormats Bird))))
        speaks (client (Proxy @(Birds '[AsJson])))
        speaks (client (Proxy @(Birds '[AsMessagePack])))
        speaks (client (Proxy @(Birds '[AsCbor])))
        speaks (client (Proxy @(Birds '[AsNative Bird]))),
      testCase "answers in the format that is accepted"
        $ forM_
          [ (Nothing, "application/json", encodeJson tern),
            (Just "", "application/json", encodeJson tern),
            (Just "application/json; charset=utf-8", "application/json", encodeJson tern),
            (Just "nonsense, application/msgpack, a/b;c=\"", "application/msgpack", encodeMessagePack tern),
            (Just "application/json;q=0.1, application/cbor", "application/cbor", encodeCbor tern),
            (Just "application/json;q=0.1, application/vnd.tern.native", "application/vnd.tern.native", encodeNative tern),
            (Just "application/vnd.tern.native;schema=0123456789abcdef, application/msgpack;q=0.1", "application/msgpack", encodeMessagePack tern)
          ]
        $ \(accept, media, bytes) -> do
          (status, kind, content) <- ask "GET" [("Accept", value) | Just value <- [accept]] ""
          (status, BC.takeWhile (/= ';') kind, content) @?= (200, media, bytes),
      testCase "406 for what nothing fits" $
        forM_ ["image/png", "application/json;v=2", "*/json"] $ \accept -> do
          (status, _, _) <- ask "GET" [("Accept", accept)] ""
          (accept, status) @?= (accept, 406),
      testCase "content in each format" $
        forM_ [("application/json", encodeJson tern), ("application/x-msgpack", encodeMessagePack tern), ("application/cbor", encodeCbor tern), (ownNative, encodeNative tern)] $ \(media, bytes) -> do
          (status, _, content) <- ask "POST" [("Content-Type", media)] bytes
          (status, content) @?= (201, encodeJson tern),
      testCase "what is wrong, as a problem in the format that is accepted" $ do
        (status, kind, content) <- ask "POST" [("Content-Type", "application/json"), ("Accept", "application/msgpack")] "{\"name\":\"tern\",\"seen\":true}"
        (status, kind) @?= (400, "application/problem+msgpack")
        fmap problemDetail (decodeMessagePack content) @?= Right (Just "line 1, column 23, at $.seen: expected an integer, found \"true}\"")
        (missing, kind', _) <- request "/nowhere" "GET" [] ""
        (missing, kind') @?= (404, "application/problem+json"),
      testCase "what another schema wrote is not read" $ do
        forM_ ["application/vnd.tern.native;schema=0123456789abcdef", "application/vnd.tern.native"] $ \media -> do
          (status, _, _) <- ask "POST" [("Content-Type", media)] (encodeNative tern)
          (media, status) @?= (media, 415)
    ]
  where
    ask = request "/birds"

-- | The native format's media type for birds.
ownNative :: ByteString
ownNative = BC.pack (show (contentType (Proxy @(AsNative Bird))))

tern :: Bird
tern = Bird "tern" 2

served :: (Port -> IO a) -> IO a
served = testWithApplication (pure (plainAccept (serveWithContext (Proxy @(Birds (AllFormats Bird))) (problemFormatters :. EmptyContext) (pure tern :<|> pure))))

-- | A client gets the bird, and sends one.
speaks :: (ClientM Bird :<|> (Bird -> ClientM Bird)) -> IO ()
speaks (get :<|> post) = served $ \port -> do
  manager <- Client.newManager Client.defaultManagerSettings
  result <- runClientM ((,) <$> get <*> post (Bird "skua" 1)) (mkClientEnv manager (BaseUrl Http "127.0.0.1" port ""))
  either (assertFailure . show) (@?= (tern, Bird "skua" 1)) result

request :: String -> Method -> RequestHeaders -> ByteString -> IO (Int, ByteString, ByteString)
request path method headers content = served $ \port -> do
  manager <- Client.newManager Client.defaultManagerSettings
  base <- Client.parseRequest ("http://127.0.0.1:" <> show port <> path)
  answer <- Client.httpLbs base {Client.method = method, Client.requestHeaders = headers, Client.requestBody = Client.RequestBodyBS content} manager
  pure (statusCode (Client.responseStatus answer), fromMaybe "" (lookup hContentType (Client.responseHeaders answer)), BL.toStrict (Client.responseBody answer))
