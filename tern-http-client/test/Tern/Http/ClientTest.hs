{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DuplicateRecordFields #-}
{-# LANGUAGE OverloadedStrings #-}

-- | The client and services over real connections: Tern's own in each format, and some
-- that misbehave.
module Tern.Http.ClientTest (tests) where

import Control.Exception (SomeException, try)
import Control.Monad (forM_)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Builder (byteString)
import Data.ByteString.Lazy qualified as BL
import Data.Either (isLeft)
import Data.IORef (IORef, modifyIORef, modifyIORef', newIORef, readIORef)
import Data.List.NonEmpty (NonEmpty (..))
import Data.Text (Text)
import GHC.Generics (Generic)
import Network.HTTP.Client qualified as Http
import Network.HTTP.Types
import Network.Wai
  ( Application,
    Middleware,
    Request (..),
    responseHeaders,
    responseLBS,
    responseStream,
  )
import Network.Wai.Handler.Warp qualified as Warp
import Tern
import Tern.Http
import Tern.Http.Client
  ( Client,
    ClientSettings (..),
    Failure (..),
    bounding,
    defaultClientSettings,
    fetch,
    fetchEach,
    newClient,
    perform,
    send,
    sendEach,
  )
import Tern.Http.Coding (encoding)
import Tern.Http.Content (ContentFault (..))
import Test.Tasty
import Test.Tasty.HUnit

data Bird = Bird {name :: Text, seen :: Int}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | The same bird as somebody else has it, with another schema.
data Other = Other {name :: Text, seen :: Int, place :: Maybe Text}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

tests :: TestTree
tests =
  testGroup
    "client"
    [ testCase "asks for the cheapest format, and reads each that comes"
        $ forM_
          [ (pure Native, "application/vnd.tern.native"),
            (pure MessagePack, "application/msgpack"),
            (pure Json, "application/json"),
            ( Json
                :| [MessagePack, Native],
              "application/vnd.tern.native"
            )
          ]
        $ \(formats, kind) -> do
          kinds <- newIORef []
          served
            ( noting
                kinds
                (birds defaultSettings {settingsFormats = formats})
            )
            $ \client base -> do
              found <- fetch client base
              found @?= Right (Bird "tern" 2)
          readIORef kinds >>= (@?= [Just kind]) . map (fmap (B.take (B.length kind))),
      testCase "reads another version of the type, in a format that can tell" $
        served (birds defaultSettings) $ \client base -> do
          found <- fetch client base
          found @?= Right (Other "tern" 2 Nothing),
      testCase "sends the cheapest format, and the next where that is refused, and remembers" $ do
        kinds <- newIORef []
        let noted app request send' =
              modifyIORef kinds (lookup hContentType (requestHeaders request) :)
                >> app request send'
        served (noted (birds defaultSettings)) $ \client base -> do
          told <-
            mapM
              (send client base {Http.method = "POST"})
              [Other "skua" 1 Nothing, Other "auk" 2 Nothing]
          told @?= [Right (Bird "skua" 1), Right (Bird "auk" 2)]
        short <- reverse . map (fmap (B.takeWhile (/= 59))) <$> readIORef kinds
        short @?= map Just ["application/vnd.tern.native", "application/cbor", "application/cbor"],
      testCase "what one host refuses is sent to another, whichever was asked first" $ do
        kinds <- newIORef []
        let noted formats app request send' =
              modifyIORef kinds ((formats, lookup hContentType (requestHeaders request)) :)
                >> app request send'
            service formats =
              noted formats (birds defaultSettings {settingsFormats = formats})
        served (service (Cbor :| [])) $ \client narrow ->
          Warp.withApplication (pure (service (Json :| [Native]))) $ \port -> do
            let wide = narrow {Http.port = port}
                told base = send client base {Http.method = "POST"} (Bird "skua" 1)
            mapM told [narrow, wide, narrow, wide] >>= (@?= replicate 4 (Right (Bird "skua" 1)))
        asked <- reverse <$> readIORef kinds
        map (fmap (fmap (B.takeWhile (/= 59)))) asked
          @?= [ (Cbor :| [], Just "application/vnd.tern.native"),
                (Cbor :| [], Just "application/cbor"),
                (Json :| [Native], Just "application/vnd.tern.native"),
                (Cbor :| [], Just "application/cbor"),
                (Json :| [Native], Just "application/vnd.tern.native")
              ],
      testCase "a problem is a value, in each format" $
        forM_ [minBound ..] $ \format ->
          served (birds defaultSettings {settingsFormats = pure format}) $ \client base -> do
            found <- fetch @Bird client base {Http.path = "/nowhere"}
            found @?= Left (Rejected (problem notFound404 "no such bird")),
      testCase "what says nothing that can be read" $ do
        served (plainly internalServerError500 [] "oh") $ \client base ->
          fetch @Bird client base >>= (@?= Left (Unsuccessful internalServerError500 "oh"))
        served (plainly ok200 [("Content-Type", "text/html")] "<p>") $ \client base ->
          fetch @Bird client base >>= (@?= Left (NotRead (Just "text/html")))
        served
          ( plainly
              ok200
              [ ("Content-Type", "application/json"),
                ("Content-Encoding", "br")
              ]
              "x"
          )
          $ \client base ->
            fetch @Bird client base >>= (@?= Left (NotRead (Just "br")))
        served
          ( plainly
              ok200
              [("Content-Type", "application/json")]
              "{\"name\":\"auk\",\"seen\":true}"
          )
          $ \client base -> do
            found <- fetch @Bird client base
            either placeOf (const Nothing) found @?= Just "$.seen",
      testCase "what is no success is none, though its answer does not matter" $
        served (plainly internalServerError500 [] "oh") $ \client base ->
          perform client base {Http.method = "POST"} True
            >>= (@?= Left (Unsuccessful internalServerError500 "oh")),
      testCase "content has one type"
        $ served
          ( \request answer ->
              answer
                . responseLBS ok200 [("Content-Type", "application/json")]
                . BL.fromStrict
                . encodeJson
                $ length (filter ((== "Content-Type") . fst) (requestHeaders request))
          )
        $ \client base -> do
          let posted =
                base {Http.method = "POST", Http.requestHeaders = [("Content-Type", "text/plain")]}
          send client posted True >>= (@?= Right (1 :: Int)),
      testCase "what another schema wrote, or nobody, is not read" $ do
        let native = "application/vnd.tern.native"
        served
          ( plainly
              ok200
              [("Content-Type", native <> ";schema=0000000000000000")]
              (encodeNative True)
          )
          $ \client base -> do
            found <- fetch @Bool client base
            assertBool (show found) (isLeft found)
        served (plainly ok200 [("Content-Type", native)] "") $ \client base -> do
          found <- fetch @() client base
          case found of
            Left (Malformed wrong) -> problemDetail wrong @?= Just "there is no content"
            other -> assertFailure (show other),
      testCase "limits of what comes and of what is decompressed" $ do
        let narrow =
              defaultClientSettings
                { clientLimits =
                    defaultContentLimits {maxReceived = 10000, maxDecoded = 100000}
                }
            json more bytes = plainly ok200 (("Content-Type", "application/json") : more) bytes
        servedFor narrow (json [] (B.replicate 20000 0x20)) $ \client base ->
          fetch @Bird client base >>= (@?= Left (NotTaken (TooLarge 10000)))
        servedFor
          narrow
          ( json
              [("Content-Encoding", "gzip")]
              (encoding Gzip (B.replicate 1000000 0x20))
          )
          $ \client base ->
            fetch @Bird client base >>= (@?= Left (NotTaken (TooLargeDecoded 100000)))
        servedFor
          narrow
          ( json
              [("Content-Encoding", "zstd")]
              (encoding Zstandard (B.replicate 1000000 0x20))
          )
          $ \client base ->
            fetch @Bird client base >>= (@?= Left (NotTaken (TooLargeDecoded 100000))),
      testCase "an answer without an end costs the limit" $ do
        sent <- newIORef (0 :: Int)
        let endless _ send' =
              send'
                ( responseStream
                    ok200
                    [("Content-Type", "application/json")]
                    ( \put flush ->
                        let go =
                              put (byteString (B.replicate 10000 0x20))
                                >> flush
                                >> modifyIORef' sent (+ 10000)
                                >> go
                         in go
                    )
                )
        servedFor
          defaultClientSettings
            { clientLimits =
                defaultContentLimits {maxReceived = 100000}
            }
          endless
          $ \client base ->
            fetch @Bird client base >>= (@?= Left (NotTaken (TooLarge 100000)))
        -- What was on its way in the sockets' buffers comes on top.
        total <- readIORef sent
        assertBool (show total) (total < 50000000),
      testCase "sequences both ways" $
        served numbers $ \client base -> do
          listed <- fetchEach client base (\xs x -> pure (x : xs)) []
          listed @?= Right (reverse [1 .. 20000 :: Int])
          added <-
            sendEach client base {Http.method = "POST"} (\put -> mapM_ put [1 .. 20000 :: Int])
          added @?= Right (sum [1 .. 20000 :: Int]),
      testCase "what is wrong in a sequence, and in which element"
        $ served
          ( plainly
              ok200
              [("Content-Type", "application/jsonl")]
              "1\n2\nx\n"
          )
        $ \client base -> do
          found <- fetchEach client base (\n one -> pure (n + one)) (0 :: Int)
          either placeOf (const Nothing) found @?= Just "$[2]",
      testCase "an exception in what is sent ends it" $
        served numbers $ \client base -> do
          outcome <-
            try
              ( sendEach
                  client
                  base {Http.method = "POST"}
                  (\put -> put (1 :: Int) >> ioError (userError "gone"))
              )
          assertBool
            "it ended as if it were whole"
            ( isLeft
                (outcome :: Either SomeException (Either Failure Int))
            ),
      testCase "the same limits for any manager" $ do
        let bytes = encodeJson (replicate 10000 (1 :: Int))
            app =
              plainly
                ok200
                [ ("Content-Type", "application/json"),
                  ("Content-Encoding", "zstd")
                ]
                (encoding Zstandard bytes)
        Warp.withApplication (pure app) $ \port -> do
          base <- Http.parseRequest ("http://127.0.0.1:" <> show port)
          wide <- Http.newManager (bounding defaultContentLimits Http.defaultManagerSettings)
          answer <- Http.httpLbs base wide
          BL.toStrict (Http.responseBody answer) @?= bytes
          lookup "Content-Encoding" (Http.responseHeaders answer) @?= Nothing
          narrow <-
            Http.newManager
              ( bounding
                  defaultContentLimits {maxDecoded = 1000}
                  Http.defaultManagerSettings
              )
          outcome <- try (Http.httpLbs base narrow)
          case outcome of
            Left (Http.HttpExceptionRequest _ (Http.InternalException why)) ->
              show why @?= show (TooLargeDecoded 1000)
            Left other -> assertFailure (show other)
            Right whole -> assertFailure (show (BL.length (Http.responseBody whole)))
    ]
  where
    placeOf = \case
      Malformed wrong -> problemPath wrong
      _ -> Nothing

-- | A bird, and what is sent back as it came.
birds :: Settings -> Application
birds settings =
  exchange settings ["GET", "POST"] $ \x send' -> case ( requestMethod
                                                           (exchangeRequest x),
                                                         rawPathInfo (exchangeRequest x)
                                                       ) of
    (_, "/nowhere") -> send' (refuse x (problem notFound404 "no such bird"))
    ("POST", _) -> receive x >>= send' . either (refuse x) (respond @Bird x created201 [])
    _ -> send' (respond x ok200 [] (Bird "tern" 2))

numbers :: Application
numbers =
  exchange defaultSettings ["GET", "POST"] $ \x send' -> case requestMethod (exchangeRequest x) of
    "POST" ->
      receiveEach x (\n one -> pure (n + one)) (0 :: Int)
        >>= send' . either (refuse x) (respond x ok200 [])
    _ -> send' (respondEach x ok200 [] (\put -> mapM_ put [1 .. 20000 :: Int]))

plainly :: Status -> ResponseHeaders -> ByteString -> Application
plainly status headers bytes _ send' = send' (responseLBS status headers (BL.fromStrict bytes))

-- | Notes of what types answers are.
noting :: IORef [Maybe ByteString] -> Middleware
noting kinds app request send' =
  app
    request
    ( \answer ->
        modifyIORef kinds (lookup hContentType (responseHeaders answer) :) >> send' answer
    )

served :: Application -> (Client -> Http.Request -> IO a) -> IO a
served = servedFor defaultClientSettings

servedFor :: ClientSettings -> Application -> (Client -> Http.Request -> IO a) -> IO a
servedFor settings app act =
  Warp.withApplicationSettings
    ( Warp.setOnException
        (\_ _ -> pure ())
        Warp.defaultSettings
    )
    (pure app)
    $ \port -> do
      client <- newClient settings =<< Http.newManager Http.defaultManagerSettings
      base <- Http.parseRequest ("http://127.0.0.1:" <> show port)
      act client base
