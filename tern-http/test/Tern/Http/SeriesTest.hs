{-# LANGUAGE OverloadedStrings #-}

-- | Sequences in requests and answers, in each way to write them.
module Tern.Http.SeriesTest (tests) where

import Control.Exception (ErrorCall (..), throwIO, try)
import Control.Monad (forM_)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Builder (toLazyByteString)
import Data.ByteString.Lazy qualified as BL
import Data.IORef (IORef, atomicModifyIORef', modifyIORef', newIORef, readIORef)
import Data.List.NonEmpty (toList)
import Network.HTTP.Types
import Network.Wai
  ( Application,
    Request (..),
    RequestBodyLength (..),
    defaultRequest,
    responseToStream,
    setRequestBodyChunks,
  )
import Network.Wai.Internal (ResponseReceived (..))
import Tern
import Tern.Http
import Tern.Http.Birds (Answer (..), ask, header, pieces)
import Tern.Http.Coding (decoding, encoding)
import Tern.Http.CodingTest (storedFrame)
import Tern.Http.Series (SeriesEntry (..), foldSteps, series, smallChunk)
import Tern.Negotiate (renderMediaType)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "series"
    [ testGroup
        "answers"
        [ testCase "in each way, by each of its media types, and back" $
            forM_ every $ \(kind, media) -> do
              answer <- ask numbers "GET" [("Accept", media)] []
              (answerStatus answer, header "Content-Type" answer, header "Vary" answer)
                @?= (200, Just media, Just "Accept, Accept-Encoding")
              back <- newIORef (B.empty, answerBody answer)
              (found, wrong) <-
                foldSteps
                  (\xs x -> pure (x : xs))
                  []
                  (source back)
                  (seriesRead (series kind) defaultLimits)
              (reverse found, wrong) @?= (map negate upTo, Nothing),
          testCase "a JSON array where the request leaves the choice" $ do
            answer <- ask numbers "GET" [] []
            decodeJson (answerBody answer) @?= Right (map negate upTo),
          testCase "a record separator before each value of a text sequence" $
            sequence_
              [ do
                  answer <- ask (listing some) "GET" [("Accept", "application/json-seq")] []
                  answerBody answer @?= mconcat ["\RS" <> encodeJson n <> "\n" | n <- some]
                | some <- [[], [1], [1, 2], upTo]
              ],
          testCase "HEAD does not run the action" $ do
            let app =
                  exchange defaultSettings ["GET"] $ \x send ->
                    send (respondEach @Int x ok200 [] (\_ -> throwIO (ErrorCall "run")))
            answer <- ask app "HEAD" [("Accept", "application/jsonl")] []
            (answerStatus answer, answerBody answer, header "Content-Type" answer)
              @?= (200, "", Just "application/jsonl"),
          testCase "406 where no way to write a sequence is acceptable" $ do
            answers <-
              mapM
                (\headers -> ask numbers "GET" headers [])
                [ [("Accept", "application/msgpack")],
                  [("Accept", "image/png")],
                  [("Accept-Encoding", "br, identity;q=0")]
                ]
            map answerStatus answers @?= [406, 406, 406],
          testCase "compressed as asked for, in each way to write them" $
            forM_ [(kind, media, coding) | (kind, media) <- every, coding <- [minBound ..]] $
              \(kind, media, coding) -> do
                answer <-
                  ask
                    numbers
                    "GET"
                    [("Accept", media), ("Accept-Encoding", named coding <> ", identity;q=0")]
                    []
                ( answerStatus answer,
                  header "Content-Encoding" answer,
                  header "Content-Length" answer
                  )
                  @?= (200, Just (named coding), Nothing)
                left <- newIORef (pieces 1000 (answerBody answer))
                opened <-
                  decoding
                    coding
                    (atomicModifyIORef' left (\those -> (drop 1 those, B.concat (take 1 those))))
                (found, wrong) <-
                  foldSteps
                    (\xs x -> pure (x : xs))
                    []
                    opened
                    (seriesRead (series kind) defaultLimits)
                (reverse found, wrong) @?= (map negate upTo, Nothing),
          testCase "what happens is never compressed, and 406 where it would have to be" $ do
            let app = exchange defaultSettings ["GET"] $ \x send ->
                  send (respondLive x ok200 [] (\put -> put (1 :: Int)))
            answers <-
              mapM
                ( \value ->
                    ask app "GET" [("Accept-Encoding", value), ("Accept", "application/jsonl")] []
                )
                ["gzip", "gzip, identity;q=0"]
            map (\a -> (answerStatus a, header "Content-Encoding" a)) answers
              @?= [(200, Nothing), (406, Nothing)],
          testCase "a sequence has no tag that could be demanded, but may have a date" $ do
            statuses <-
              mapM
                (\condition -> answerStatus <$> ask (listing [1 .. 3]) "GET" [condition] [])
                [ ("If-Match", "\"x\""),
                  ("If-Match", "*"),
                  ("If-None-Match", "*"),
                  ("If-None-Match", "\"x\"")
                ]
            statuses @?= [412, 200, 304, 200]
            let dated =
                  exchange defaultSettings ["GET"] $ \x send ->
                    send
                      ( respondEach
                          @Int
                          x
                          ok200
                          [("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")]
                          (\put -> put 1)
                      )
            modified <-
              mapM
                ( \date ->
                    answerStatus <$> ask dated "GET" [("If-Modified-Since", date)] []
                )
                ["Sun, 06 Nov 1994 08:49:36 GMT", "Sun, 06 Nov 1994 08:49:37 GMT"]
            modified @?= [200, 304],
          testCase "what was changed is told in any case" $ do
            answer <-
              ask
                numbers
                "POST"
                [ ("Content-Type", "application/jsonl"),
                  ("Accept", "application/jsonl")
                ]
                ["1\n2"]
            (answerStatus answer, header "Content-Type" answer, answerBody answer)
              @?= (200, Just "application/json", "3")
            let echoing =
                  exchange defaultSettings ["POST"] $ \x send ->
                    send (respondEach x created201 [] (\put -> put (1 :: Int)))
            uncoded <- ask echoing "POST" [("Accept-Encoding", "gzip, identity;q=0")] []
            answerStatus uncoded @?= 201,
          testCase "what is made is sent before all of it is" $ do
            seen <- newIORef ([] :: [Int])
            sent <- newIORef (0 :: Int)
            let app =
                  exchange defaultSettings ["GET"] $ \x send ->
                    send
                      ( respondEach
                          x
                          ok200
                          []
                          ( \put ->
                              forM_ [1 .. 30000 :: Int] $ \n ->
                                put n >> readIORef sent >>= \k -> modifyIORef' seen (k :)
                          )
                      )
            through app [("Accept", "application/jsonl")] (\_ -> modifyIORef' sent (+ 1))
            chunks <- readIORef sent
            later <- readIORef seen
            assertBool (show chunks) (chunks > 3 && maximum (0 : later) >= chunks - 1),
          testCase "an exception ends it" $ do
            let app =
                  exchange defaultSettings ["GET"] $ \x send ->
                    send
                      ( respondEach
                          x
                          ok200
                          []
                          (\put -> put (1 :: Int) >> throwIO (ErrorCall "gone"))
                      )
            result <- try (through app [] (\_ -> pure ()))
            either (\(ErrorCall what) -> what) show result @?= "gone"
        ],
      testGroup
        "requests"
        [ testCase
            "in each way, by each of its media types, compressed or not, in chunks of any size"
            $ forM_
              [ (kind, media, coding, size)
                | (kind, media) <- every,
                  coding <- Nothing : map Just [minBound ..],
                  size <- [1, 5, 4096]
              ]
            $ \(kind, media, coding, size) -> do
              bytes <- written kind upTo
              answer <-
                ask
                  numbers
                  "POST"
                  ( ("Content-Type", media)
                      : [("Content-Encoding", named one) | Just one <- [coding]]
                  )
                  (pieces size (maybe bytes (`encoding` bytes) coding))
              (answerStatus answer, decodeJson (answerBody answer)) @?= (200, Right (sum upTo)),
          testCase "by the ends of names: json, json-seq and cbor-seq"
            $ forM_
              [ ("application/vnd.birds+json", "[1,2]"),
                ("application/geo+json-seq; v=1", "\RS1\n\RS2\n"),
                ("application/vnd.birds+cbor-seq", "\x01\x02")
              ]
            $ \(media, content) -> do
              answer <- ask numbers "POST" [("Content-Type", media)] [content]
              (media, answerStatus answer, answerBody answer) @?= (media, 200, "3"),
          testCase "text sequences with white space, empty records and strings" $ do
            let texts :: ByteString -> IO (Int, Either Error String)
                texts body = do
                  answer <-
                    ask
                      ( exchange
                          defaultSettings
                          ["POST"]
                          ( \x send ->
                              receiveEach x (\xs t -> pure (t : xs)) []
                                >>= send . either (refuse x) (respond x ok200 [] . reverse @Char)
                          )
                      )
                      "POST"
                      [("Content-Type", "application/json-seq")]
                      [body]
                  pure (answerStatus answer, decodeJson (answerBody answer))
            whole <- texts "\RS\"a\"\n\RS\RS\n \"b\"\n \n\RS\"\\n\""
            whole @?= (200, Right "ab\n")
            broken <- texts "\RS\"a\n\"\n"
            fst broken @?= 400,
          testCase "what is wrong, in which element and at which byte"
            $ forM_
              [ ("application/json", "[1,2,x]", "$[2]", 5),
                ("application/jsonl", "1\n2\nx", "$[2]", 4),
                ("application/json-seq", "\RS1\n\RS2\n\RSx", "$[2]", 7),
                ("application/msgpack-seq", "\x01\x02\xc3", "$[2]", 2),
                ("application/cbor-seq", "\x01\x02\xf5", "$[2]", 2)
              ]
            $ \(media, body, path, offset) -> do
              answer <- ask numbers "POST" [("Content-Type", media)] [body]
              ( answerStatus answer,
                (\p -> (problemPath p, problemOffset p))
                  <$> decodeJson (answerBody answer)
                )
                @?= (400, Right (Just path, Just offset)),
          testCase "a container of another type is refused" $ do
            bytes <- written NativeContainer ["tern" :: String]
            answer <-
              ask numbers "POST" [("Content-Type", "application/vnd.tern.container")] [bytes]
            answerStatus answer @?= 400,
          testCase "what is no sequence is 415" $ do
            answer <- ask numbers "POST" [("Content-Type", "application/msgpack")] ["\x01"]
            (answerStatus answer, fmap (take 2) . problemOffers <$> decodeJson (answerBody answer))
              @?= (415, Right (Just ["application/json", "*/*+json"])),
          testCase "limits of what comes, of what is decompressed, and of an element" $ do
            let few limits = summing defaultSettings {settingsSequenceLimits = limits}
                generous = settingsSequenceLimits defaultSettings
                body = BL.toStrict (BL.take 100000 (BL.cycle "1\n"))
                post app headers =
                  answerStatus
                    <$> ask
                      app
                      "POST"
                      (("Content-Type", "application/jsonl") : headers)
                      ( pieces
                          1000
                          (if null headers then body else encoding Gzip body)
                      )
            received <- post (few generous {maxReceived = 10000}) []
            decoded <- post (few generous {maxDecoded = 10000}) [("Content-Encoding", "gzip")]
            element <-
              ask
                ( few
                    generous {contentLimits = defaultLimits {maxBytes = 100}}
                )
                "POST"
                [("Content-Type", "application/jsonl")]
                (pieces 10 ("1\n\"" <> B.replicate 1000 0x20 <> "\"\n"))
            enough <- post (few generous {maxReceived = 100000}) []
            [received, decoded, answerStatus element, enough] @?= [413, 413, 413, 200],
          testCase "a sequence whose coding is cut off is refused, wherever the cut is"
            $ forM_
              [ (coding, n, B.take n bytes)
                | (coding, bytes) <-
                    [ -- Each block is a value, so that a cut after one looks like the end.
                      (Zstandard, storedFrame ["1\n", "2\n", "3\n"]),
                      (Zstandard, encoding Zstandard "1\n2\n3\n"),
                      (Gzip, encoding Gzip "1\n2\n3\n")
                    ],
                  n <- [1 .. B.length bytes]
              ]
            $ \(coding, n, bytes) -> do
              answer <-
                ask
                  numbers
                  "POST"
                  [("Content-Type", "application/jsonl"), ("Content-Encoding", named coding)]
                  [bytes]
              let isWhole = decodeJson (answerBody answer) == Right (6 :: Int)
              (coding, n, answerStatus answer)
                @?= (coding, n, if isWhole then 200 else 400),
          testCase "a sequence is folded while it comes" $ do
            asked <- newIORef (0 :: Int)
            behind <- newIORef []
            let endless =
                  atomicModifyIORef' asked (\n -> (n + 1, if n < 1000 then "1\n2\n" else ""))
                request =
                  setRequestBodyChunks
                    endless
                    defaultRequest
                      { requestMethod =
                          "POST",
                        requestHeaders = [("Content-Type", "application/jsonl")],
                        requestBodyLength = ChunkedBody
                      }
                app = exchange defaultSettings ["POST"] $ \x send -> do
                  end <-
                    receiveEach
                      x
                      ( \n one ->
                          readIORef asked >>= \k ->
                            modifyIORef' behind (2 * k - n :) >> pure (n + one - one + 1 :: Int)
                      )
                      0
                  send (either (refuse x) (respond x ok200 []) end)
            _ <- app request (\_ -> pure ResponseReceived)
            lag <- readIORef behind
            (length lag, maximum lag <= 4) @?= (2000, True)
        ]
    ]
  where
    numbers = summing defaultSettings
    listing some =
      exchange defaultSettings ["GET"] $ \x send ->
        send (respondEach @Int x ok200 [] (\put -> mapM_ put some))

-- | Lists numbers, and adds up those that it is sent.
summing :: Settings -> Application
summing settings =
  exchange settings ["GET", "POST"] $ \x send -> case requestMethod (exchangeRequest x) of
    "POST" ->
      receiveEach x (\n one -> pure (n + one)) (0 :: Int)
        >>= send . either (refuse x) (respond x ok200 [])
    _ -> send (respondEach x ok200 [] (\put -> mapM_ (put . negate) upTo))

upTo :: [Int]
upTo = [1 .. 9000]

every :: [(Series, ByteString)]
every =
  [ (kind, renderMediaType media)
    | kind <-
        [minBound ..],
      media <- toList (seriesTypes (series kind))
  ]

written :: (Wire a) => Series -> [a] -> IO ByteString
written kind values = do
  out <- newIORef []
  seriesPut (series kind) smallChunk (\chunk -> modifyIORef' out (chunk :)) (`mapM_` values)
  B.concat . reverse <$> readIORef out

-- | The second string, in chunks.
source :: IORef (ByteString, ByteString) -> IO ByteString
source left =
  atomicModifyIORef'
    left
    ( \(_, rest) ->
        let (chunk, rest') =
              B.splitAt 1000 rest
         in ((chunk, rest'), chunk)
    )

-- | Send an answer's chunks there.
through :: Application -> RequestHeaders -> (ByteString -> IO ()) -> IO ()
through app headers to = do
  _ <- app defaultRequest {requestHeaders = headers} $ \response -> do
    let (_, _, withBody) = responseToStream response
    ResponseReceived <$ withBody (\body -> body (to . BL.toStrict . toLazyByteString) (pure ()))
  pure ()

named :: Coding -> ByteString
named = \case
  Gzip -> "gzip"
  Zstandard -> "zstd"
