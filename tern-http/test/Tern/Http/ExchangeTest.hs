{-# LANGUAGE OverloadedStrings #-}

-- | Values in and out of requests, as an application sees them.
module Tern.Http.ExchangeTest (tests) where

import Codec.Compression.GZip qualified as Gzip
import Codec.Compression.Zstd qualified as Zstd
import Control.Monad (forM_)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy qualified as BL
import Data.Either (isLeft)
import Data.List (nub)
import Data.Maybe (fromMaybe, isJust)
import Data.Text (Text)
import Network.HTTP.Types (noContent204, ok200)
import Network.Wai (Application, requestMethod)
import Tern
import Tern.Http
import Tern.Http.Answer (Failure, answered)
import Tern.Http.Birds (Answer (..), Bird, ask, birds, header, pieces, tern)
import Tern.Http.Coding (encoding)
import Tern.Http.Digest (digest)
import Tern.Http.Format (Entry (..), entry)
import Tern.Negotiate (Current (..), Strength (..), Tag (..), renderMediaType)
import Tern.Wire (fingerprintOf)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding (again)
import Text.Printf (printf)

tests :: TestTree
tests =
  testGroup
    "exchange"
    [ testGroup
        "answers"
        [ testCase "in each format, by its first media type and the others"
            $ forM_
              [ (format, media)
                | format <-
                    [minBound ..],
                  media <- entryTypes' format
              ]
            $ \(format, media) -> do
              answer <- get [("Accept", media)]
              (answerStatus answer, read' format answer) @?= (200, Right tern)
              -- What the answer is called begins with what was asked for.
              BC.takeWhile (/= ';') (fromMaybe "" (header "Content-Type" answer)) @?= media
              header "Content-Length" answer
                @?= Just (BC.pack (show (B.length (answerBody answer))))
              header "Vary" answer @?= Just "Accept, Accept-Encoding",
          testCase "HEAD is GET without content"
            $ forM_
              [ [],
                [("Accept", "application/msgpack")],
                [("Accept-Encoding", "gzip")]
              ]
            $ \headers -> do
              whole <- get headers
              headOnly <- ask service "HEAD" headers []
              (answerStatus headOnly, answerHeaders headOnly, answerBody headOnly)
                @?= (200, answerHeaders whole, ""),
          testCase "OPTIONS says what can be done" $ do
            answer <- ask service "OPTIONS" [] []
            (answerStatus answer, header "Allow" answer, answerBody answer)
              @?= (204, Just "GET, HEAD, POST, PUT, OPTIONS", "")
            assertBool "Accept-Post" (isJust (header "Accept-Post" answer)),
          testCase "compressed as asked for" $ do
            gzipped <- get [("Accept-Encoding", "gzip")]
            ( header "Content-Encoding" gzipped,
              decodeJson
                ( BL.toStrict
                    (Gzip.decompress (BL.fromStrict (answerBody gzipped)))
                )
              )
              @?= (Just "gzip", Right tern)
            zstd <- get [("Accept-Encoding", "gzip, zstd"), ("Accept", "application/msgpack")]
            header "Content-Encoding" zstd @?= Just "zstd"
            case Zstd.decompress (answerBody zstd) of
              Zstd.Decompress bytes -> decodeMessagePack bytes @?= Right tern
              _ -> assertFailure "does not decompress"
            plain <- get [("Accept-Encoding", "br")]
            (header "Content-Encoding" plain, decodeJson (answerBody plain))
              @?= (Nothing, Right tern),
          testCase "short answers are compressed only where they must be" $ do
            let small = birds defaultSettings {settingsCompressFrom = 100000}
            coded <-
              mapM
                ( \value ->
                    header "Content-Encoding" <$> ask small "GET" [("Accept-Encoding", value)] []
                )
                ["gzip", "gzip, identity;q=0", "*", "zstd, *;q=0"]
            coded @?= [Nothing, Just "gzip", Nothing, Just "zstd"],
          testCase "406 as a problem that lists what is on offer" $ do
            answer <- get [("Accept", "image/png")]
            (answerStatus answer, header "Content-Type" answer)
              @?= (406, Just "application/problem+json")
            (fmap (take 2) . problemOffers <$> decodeJson (answerBody answer))
              @?= Right (Just ["application/json", "application/msgpack"]),
          testCase "405 with what is allowed" $ do
            answer <- ask service "DELETE" [] []
            (answerStatus answer, header "Allow" answer)
              @?= (405, Just "GET, HEAD, POST, PUT, OPTIONS"),
          testCase "a schema that is not the answer's is not answered" $ do
            answer <-
              get
                [ ( "Accept",
                    "application/vnd.tern.native;schema=0123456789abcdef, application/msgpack;q=0.5"
                  )
                ]
            (header "Content-Type" answer, decodeMessagePack (answerBody answer))
              @?= (Just "application/msgpack", Right tern)
            own <- get [("Accept", "application/vnd.tern.native")]
            again <-
              get
                [ ( "Accept",
                    fromMaybe "" (header "Content-Type" own)
                      <> ", application/msgpack;q=0.5"
                  )
                ]
            decodeNative (answerBody again) @?= Right tern,
          testCase "a native answer says the schema of its type" $ do
            let answering :: (Wire a) => a -> IO (Maybe ByteString)
                answering value =
                  header "Content-Type"
                    <$> ask
                      (echoing defaultSettings value)
                      "GET"
                      [("Accept", "application/vnd.tern.native")]
                      []
                said = Just . BC.pack . printf "application/vnd.tern.native;schema=%016x"
            found <- sequence [answering tern, answering True, answering [1 :: Int]]
            found
              @?= map said [fingerprintOf @Bird, fingerprintOf @Bool, fingerprintOf @[Int]]
            length (nub found) @?= 3,
          testCase "a client reads each answer as its own type, and a native one as no other" $
            forM_ [minBound ..] $ \format -> do
              answer <- get [("Accept", media) | media <- take 1 (entryTypes' format)]
              let asType :: (Wire a) => Either Failure a
                  asType = answered defaultLimits ok200 (answerHeaders answer) (answerBody answer)
              (format, asType) @?= (format, Right tern)
              (format, isLeft (asType @(Text, Int, [Double]))) @?= (format, True)
        ],
      testGroup
        "conditions"
        [ testCase "a long answer's tag is of all of it, whatever its chunks" $ do
            let long end = BL.replicate 200000 7 <> end
                inPieces bytes
                  | BL.null bytes = BL.empty
                  | (piece, rest) <- BL.splitAt 999 bytes =
                      BL.fromStrict (BL.toStrict piece) <> inPieces rest
            digest (inPieces (long "a")) @?= digest (BL.fromStrict (BL.toStrict (long "a")))
            assertBool "another end" (digest (long "a") /= digest (long "b")),
          testCase "every representation has a tag of its own" $ do
            tags <-
              sequence
                [ header "ETag" <$> get [("Accept", media), ("Accept-Encoding", coding)]
                  | format <-
                      [minBound ..],
                    media <- take 1 (entryTypes' format),
                    coding <- ["identity", "gzip", "zstd"]
                ]
            (length (nub tags), all isJust tags) @?= (12, True)
            again <- header "ETag" <$> get []
            again @?= fromMaybe Nothing (lookup 0 (zip [0 :: Int ..] tags)),
          -- Small numbers are the same bytes in MessagePack and in CBOR.
          testProperty "no two representations have one tag, also where their bytes are the same"
            . forAll (oneof [choose (0, 23), arbitrary])
            $ \n -> ioProperty $ do
              let app = echoing defaultSettings {settingsCompressFrom = 0} (n :: Int)
                  asked =
                    [ [("Accept", media), ("Accept-Encoding", coding)]
                      | format <- [minBound ..],
                        media <- take 1 (entryTypes' format),
                        coding <- ["identity", "gzip", "zstd"]
                    ]
              tags <-
                mapM
                  (\headers -> fromMaybe "" . header "ETag" <$> ask app "GET" headers [])
                  asked
              known <-
                sequence
                  [ answerStatus <$> ask app "GET" (("If-None-Match", tag) : headers) []
                    | tag <- tags,
                      headers <- asked
                  ]
              pure $
                conjoin
                  [ length (nub tags) === 12,
                    -- Who has one of them is not told that this is all that there is.
                    known === [if one == other then 304 else 200 | one <- tags, other <- tags]
                  ],
          testCase "304 without content for a representation that the client has"
            $ forM_
              [ [],
                [ ("Accept", "application/msgpack"),
                  ("Accept-Encoding", "gzip")
                ]
              ]
            $ \headers -> do
              first <- get headers
              let tag = fromMaybe "" (header "ETag" first)
              again <- get (("If-None-Match", "\"other\", W/" <> tag) : headers)
              ( answerStatus
                  again,
                answerBody again,
                header "ETag" again,
                header "Vary" again,
                header "Cache-Control" again
                )
                @?= (304, "", Just tag, header "Vary" first, Just "no-cache")
              other <- get [("If-None-Match", tag), ("Accept", "application/vnd.tern.native")]
              answerStatus other @?= 200
              failed <- get (("If-Match", "\"other\"") : headers)
              answerStatus failed @?= 412,
          testCase "412 is a problem, in the format that is accepted" $ do
            answer <- get [("If-Match", "\"other\""), ("Accept", "application/msgpack")]
            ( answerStatus answer,
              header "Content-Type" answer,
              problemCode
                <$> decodeMessagePack (answerBody answer)
              )
              @?= (412, Just "application/problem+msgpack", Right 412)
            guarded' <-
              ask service "PUT" [("If-Match", "\"other\""), ("Accept", "application/msgpack")] []
            (answerStatus guarded', problemCode <$> decodeMessagePack (answerBody guarded'))
              @?= (412, Right 412),
          testCase "dates count where the answer has one, and no tag is asked for" $ do
            let dated =
                  exchange defaultSettings ["GET"] $ \x send ->
                    send (respond x ok200 [("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")] tern)
                asked headers = answerStatus <$> ask dated "GET" headers []
            statuses <-
              mapM
                asked
                [ [("If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT")],
                  [("If-Modified-Since", "Sun Nov  6 08:49:36 1994")],
                  [ ("If-Modified-Since", "Sunday, 06-Nov-94 08:49:38 GMT"),
                    ("If-None-Match", "\"x\"")
                  ],
                  [("If-Unmodified-Since", "Sun, 06 Nov 1994 08:49:36 GMT")],
                  [("If-Unmodified-Since", "Sun, 06 Nov 1994 08:49:36 GMT"), ("If-Match", "*")],
                  [("If-Modified-Since", "today")]
                ]
            statuses @?= [304, 200, 200, 412, 200, 200]
            undated <-
              mapM
                ( \name ->
                    answerStatus <$> get [(name, "Sun, 06 Nov 1994 08:49:36 GMT")]
                )
                ["If-Modified-Since", "If-Unmodified-Since"]
            undated @?= [200, 200],
          testCase "there is one tag, also where a handler gives one" $ do
            let own settings =
                  exchange settings ["GET"] $ \x send ->
                    send (respond x ok200 [("ETag", "\"mine\""), ("Vary", "Origin")] tern)
                tags settings headers =
                  ( \answer ->
                      ( answerStatus
                          answer,
                        [value | ("ETag", value) <- answerHeaders answer],
                        header "Vary" answer
                      )
                  )
                    <$> ask (own settings) "GET" headers []
            (_, made, vary) <- tags defaultSettings []
            (length made, "\"mine\"" `elem` made, vary)
              @?= (1, False, Just "Accept, Accept-Encoding, Origin")
            let without = defaultSettings {settingsTags = False}
            tags without [] >>= (@?= (200, ["\"mine\""], Just "Accept, Accept-Encoding, Origin"))
            tags without [("If-None-Match", "\"mine\"")]
              >>= (@?= (304, ["\"mine\""], Just "Accept, Accept-Encoding, Origin")),
          testCase "a change is guarded by the tag of any representation" $ do
            tags <-
              sequence
                [ fromMaybe "" . header "ETag"
                    <$> get [("Accept", media), ("Accept-Encoding", coding)]
                  | format <-
                      [minBound ..],
                    media <- take 1 (entryTypes' format),
                    coding <- ["identity", "gzip", "zstd"]
                ]
            statuses <-
              mapM (\tag -> answerStatus <$> ask service "PUT" [("If-Match", tag)] []) tags
            statuses @?= map (const 204) tags
            refused <-
              mapM
                (\headers -> answerStatus <$> ask service "PUT" headers [])
                [ [("If-Match", "\"old\"")],
                  [("If-None-Match", "*")],
                  [("If-Match", "nonsense")],
                  []
                ]
            refused @?= [412, 412, 412, 204],
          testCase "a weak tag guards nothing, and is enough to have read it" $ do
            let weak =
                  exchange defaultSettings {settingsTags = False} ["GET", "PUT"] $ \x send ->
                    if requestMethod (exchangeRequest x) == "PUT"
                      then
                        send . either id (\_ -> respondEmpty noContent204 []) $
                          guardedBy x (Just (Current [Tag Weak "v1"] Nothing))
                      else send (respond x ok200 [("ETag", "W/\"v1\"")] tern)
            statuses <-
              sequence
                [ answerStatus <$> ask weak method [(name', "W/\"v1\"")] []
                  | method <- ["GET", "PUT"],
                    name' <- ["If-Match", "If-None-Match"]
                ]
            statuses @?= [412, 304, 412, 412]
        ],
      testGroup
        "content"
        [ testCase "in each format and coding, in chunks of any size"
            $ forM_
              [ (format, media, coding, size)
                | format <- [minBound ..],
                  media <- entryTypes' format,
                  coding <- Nothing : map Just [minBound ..],
                  size <- [1, 7, 100000]
              ]
            $ \(format, media, coding, size) -> do
              let bytes = entryEncode (entry format) tern
                  sent = maybe bytes (`encoding` bytes) coding
              answer <-
                ask
                  service
                  "POST"
                  ( [("Content-Type", media)]
                      <> [("Content-Encoding", codingName' one) | Just one <- [coding]]
                  )
                  (pieces size sent)
              (answerStatus answer, decodeJson (answerBody answer)) @?= (201, Right tern),
          testCase "by the end of a media type's name, with parameters" $ do
            answer <- post "application/vnd.birds+json; charset=utf-8" (encodeJson tern)
            answerStatus answer @?= 201,
          testCase "several codings are undone in turn" $ do
            let sent = encoding Gzip (encoding Zstandard (encodeJson tern))
            answer <-
              ask
                service
                "POST"
                [ ("Content-Type", "application/json"),
                  ("Content-Encoding", "zstd, gzip")
                ]
                [sent]
            answerStatus answer @?= 201,
          testCase "415 says what is read" $ do
            answer <- post "text/plain" "tern"
            answerStatus answer @?= 415
            assertBool
              "Accept-Post"
              ( "application/json, */*+json, application/msgpack"
                  `B.isPrefixOf` fromMaybe "" (header "Accept-Post" answer)
              )
            coded <-
              ask
                service
                "POST"
                [ ("Content-Type", "application/json"),
                  ("Content-Encoding", "br")
                ]
                ["x"]
            (answerStatus coded, header "Accept-Encoding" coded) @?= (415, Just "zstd, gzip")
            -- RFC 9112, section 6.3: a length beside chunks counts for nothing.
            chunked <-
              ask
                service
                "POST"
                [ ("Content-Type", "text/plain"),
                  ("Transfer-Encoding", "chunked"),
                  ("Content-Length", "0")
                ]
                ["x"]
            answerStatus chunked @?= 415,
          testCase "what another schema wrote is not read" $ do
            answer <- post "application/vnd.tern.native;schema=0123456789abcdef" (encodeNative tern)
            answerStatus answer @?= 415,
          testCase "a part is not taken for the whole" $ do
            answer <-
              ask
                service
                "POST"
                [ ("Content-Type", "application/json"),
                  ("Content-Range", "bytes 0-99/1000")
                ]
                [encodeJson tern]
            (answerStatus answer, problemDetail <$> decodeJson (answerBody answer))
              @?= (400, Right (Just "the content is a part, and only the whole is taken here")),
          testCase "no content" $ do
            answer <- ask service "POST" [] []
            answerStatus answer @?= 400,
          testCase "what is wrong, and where, in the format that is accepted" $ do
            answer <- post "application/json" "{\"name\":\"skua\",\"seen\":2.5,\"weights\":[]}"
            (answerStatus answer, header "Content-Type" answer)
              @?= (400, Just "application/problem+json")
            fmap (\p -> (problemPath p, problemOffset p)) (decodeJson (answerBody answer))
              @?= Right (Just "$.seen", Just 22)
            packed <-
              ask
                service
                "POST"
                [ ("Content-Type", "application/msgpack"),
                  ("Accept", "application/msgpack")
                ]
                [encodeMessagePack (["skua"] :: [String])]
            (answerStatus packed, header "Content-Type" packed)
              @?= (400, Just "application/problem+msgpack")
            fmap problemPath (decodeMessagePack (answerBody packed)) @?= Right (Just "$")
            cbor <-
              ask
                service
                "POST"
                [ ("Content-Type", "application/vnd.birds+cbor"),
                  ("Accept", "application/cbor")
                ]
                [encodeCbor (["skua"] :: [String])]
            ( answerStatus cbor,
              header "Content-Type" cbor,
              problemPath
                <$> decodeCbor (answerBody cbor)
              )
              @?= (400, Just "application/problem+cbor", Right (Just "$"))
            native <-
              ask
                service
                "POST"
                [ ("Content-Type", "text/plain"),
                  ("Accept", "application/vnd.tern.native")
                ]
                ["x"]
            fmap problemCode (decodeNative (answerBody native)) @?= Right 415
        ],
      testGroup
        "limits"
        [ testCase "more bytes than may come, announced or not" $ do
            let few =
                  birds defaultSettings {settingsLimits = defaultContentLimits {maxReceived = 1000}}
                long = encodeJson tern
            announced <- ask few "POST" [("Content-Type", "application/json")] [long]
            chunked <-
              ask
                few
                "POST"
                [ ("Content-Type", "application/json"),
                  ("Transfer-Encoding", "chunked")
                ]
                (pieces 10 long)
            map answerStatus [announced, chunked] @?= [413, 413]
            exact <-
              ask
                ( birds
                    defaultSettings
                      { settingsLimits =
                          defaultContentLimits {maxReceived = B.length long}
                      }
                )
                "POST"
                [("Content-Type", "application/json"), ("Transfer-Encoding", "chunked")]
                (pieces 10 long)
            answerStatus exact @?= 201,
          testCase "a bomb is drawn as far as its limit"
            $ forM_
              [ (coding, name')
                | (coding, name') <-
                    [(Gzip, "gzip"), (Zstandard, "zstd")]
              ]
            $ \(coding, name') -> do
              let bomb = encoding coding (B.replicate 30000000 0x20)
                  few =
                    birds
                      defaultSettings
                        { settingsLimits =
                            defaultContentLimits {maxDecoded = 1000000}
                        }
              assertBool "is small" (B.length bomb < 1000000)
              answer <-
                ask
                  few
                  "POST"
                  [ ("Content-Type", "application/json"),
                    ("Content-Encoding", name')
                  ]
                  [bomb]
              answerStatus answer @?= 413,
          testCase "a bomb costs no more than what was sent is worth" $ do
            let nested = encoding Gzip (encoding Gzip (B.replicate 30000000 0x20))
                sent content =
                  ask
                    service
                    "POST"
                    [("Content-Type", "application/json"), ("Content-Encoding", "gzip, gzip")]
                    [content]
            refused <- sent nested
            answerStatus refused @?= 413
            -- The limit that is told is what so few bytes may become.
            assertBool
              (show (answerBody refused))
              ("more than 3" `B.isInfixOf` answerBody refused)
            -- What compresses well is taken all the same.
            taken <-
              sent (encoding Gzip (encoding Gzip (B.replicate 200000 0x20 <> encodeJson tern)))
            answerStatus taken @?= 201,
          testCase "a bomb in a bomb" $ do
            let bomb = encoding Gzip (encoding Gzip (B.replicate 30000000 0x20))
            answer <-
              ask
                ( birds
                    defaultSettings
                      { settingsLimits =
                          defaultContentLimits {maxDecoded = 1000000}
                      }
                )
                "POST"
                [("Content-Type", "application/json"), ("Content-Encoding", "gzip, gzip")]
                [bomb]
            answerStatus answer @?= 413,
          testCase "what is not compressed as it says, cut off or followed by more" $
            forM_ [(Gzip, "gzip"), (Zstandard, "zstd")] $ \(coding, name') -> do
              let good = encoding coding (encodeJson tern)
              statuses <-
                mapM
                  ( \bytes ->
                      answerStatus
                        <$> ask
                          service
                          "POST"
                          [ ("Content-Type", "application/json"),
                            ("Content-Encoding", name')
                          ]
                          [bytes]
                  )
                  [ "nonsense",
                    B.take 1 good,
                    B.take (B.length good `div` 2) good,
                    B.init good,
                    good
                      <> "more",
                    good
                  ]
              statuses @?= [400, 400, 400, 400, 400, 201],
          testCase "memory that a frame of Zstandard claims is not taken" $ do
            answer <-
              ask
                service
                "POST"
                [ ("Content-Type", "application/json"),
                  ("Content-Encoding", "zstd")
                ]
                ["\x28\xb5\x2f\xfd\x00\x88\x01\x00\x00"]
            (answerStatus answer, problemDetail <$> decodeJson (answerBody answer))
              @?= ( 400,
                    Right
                      ( Just
                          "the content is not compressed by zstandard: a frame that needs \
                          \134217728 bytes of memory"
                      )
                  )
        ]
    ]
  where
    service = birds defaultSettings
    echoing :: (Wire a) => Settings -> a -> Application
    echoing settings value =
      exchange settings ["GET"] $ \x send -> send (respond x ok200 [] value)
    get headers = ask service "GET" headers []
    post media bytes = ask service "POST" [("Content-Type", media)] [bytes]
    entryTypes' format = map renderMediaType (foldr (:) [] (entryTypes (entry format)))
    read' :: Format -> Answer -> Either Error Bird
    read' format = entryDecode (entry format) defaultLimits . answerBody
    codingName' :: Coding -> ByteString
    codingName' = \case
      Gzip -> "gzip"
      Zstandard -> "zstd"
