{-# LANGUAGE OverloadedStrings #-}

-- | Whatever is asked of a service, its answer obeys the rules of RFC 9110 that hold for
-- every answer.
--
-- Requests are drawn of headers that mean something, of malformed ones and of both; the
-- rules are those of sections 8, 12, 13 and 15, each with its number. What is acceptable
-- is said by the slow model, and the tags are those that the service has shown before.
module Tern.Http.RulesTest (tests) where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.Maybe (fromMaybe, isJust, isNothing, mapMaybe)
import Data.Proxy (Proxy (..))
import Network.HTTP.Types
import Network.Wai (Application, Request (..), responseLBS)
import Tern
import Tern.Http
import Tern.Http.Birds (Answer (..), Bird, ask, birds, header, tern)
import Tern.Negotiate.Model qualified as Model
import Test.Tasty
import Test.Tasty.QuickCheck hiding (choose, elements)
import Test.Tasty.QuickCheck qualified as Gen

tests :: TestTree
tests =
  testGroup
    "rules of RFC 9110"
    [ testProperty
        (name <> ": every answer obeys them")
        . withMaxSuccess 1500
        . forAll drawn
        $ \asked ->
          ioProperty $ do
            broken <- complaints service asked
            pure (counterexample (unlines broken) (null broken))
      | (name, service) <- services
    ]

services :: [(String, Application)]
services =
  [ ("a service", birds defaultSettings),
    ("a service that compresses everything", birds defaultSettings {settingsCompressFrom = 0}),
    ("a service without tags", birds defaultSettings {settingsTags = False}),
    ( "a service behind a middleware",
      translating (Proxy @Bird) (Proxy @Bird) defaultSettings ["GET", "POST", "PUT"] plain
    )
  ]
  where
    plain request send = case requestMethod request of
      "GET" ->
        send
          ( responseLBS
              ok200
              [ ("Content-Type", "application/json"),
                ("Vary", "Origin"),
                ("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")
              ]
              (encodeJsonLazy tern)
          )
      "PUT" -> send (responseLBS noContent204 [] "")
      _ ->
        send (responseLBS created201 [("Content-Type", "application/json")] (encodeJsonLazy tern))

-- | What is wrong with a service's answer to a request.
complaints :: Application -> (Method, RequestHeaders, ByteString) -> IO [String]
complaints service (method, headers, content) = do
  answer <- ask service method headers [content | not (B.null content)]
  plainGet <-
    ask
      service
      "GET"
      [ (name, value)
        | (name, value) <-
            headers,
          name `elem` ["Accept", "Accept-Encoding"]
      ]
      []
  let status = answerStatus answer
      has name = isJust (header name answer)
      reads' = method `elem` ["GET", "HEAD"]
      lines' name = [value | (name', value) <- answerHeaders answer, name' == name]
      named = maybe [] (Model.listElements . BC.unpack)
      kind = Model.mediaType . BC.unpack =<< header "Content-Type" answer
      -- JSON has no character set, and asking for one changes nothing.
      accept = BC.unpack . without ";charset=utf-8" <$> joined "Accept" headers
      acceptEncoding = BC.unpack <$> joined "Accept-Encoding" headers
      coding = maybe "identity" BC.unpack (header "Content-Encoding" answer)
      rule what holds =
        [ what
            <> ": "
            <> show (status, answerHeaders answer, B.length (answerBody answer))
          | not holds
        ]
  pure $
    concat
      [ rule
          "12.5.5: it varies by what was chosen by"
          ( all
              (`elem` named (header "Vary" answer))
              ["Accept", "Accept-Encoding"]
          ),
        rule
          "5.3: no header is there twice"
          ( all
              ((<= 1) . length . lines')
              [ "Vary",
                "ETag",
                "Content-Type",
                "Content-Length",
                "Content-Encoding",
                "Allow"
              ]
          ),
        rule "15.5.6: 405 says what is allowed" (status /= 405 || has "Allow"),
        rule
          "9.3.7: OPTIONS says what is allowed"
          (method /= "OPTIONS" || (status == 204 && has "Allow")),
        rule "9.3.2: HEAD has no content" (method /= "HEAD" || B.null (answerBody answer)),
        rule
          "9.3.2: HEAD has GET's headers"
          ( method /= "HEAD"
              || headers /= filter ((`elem` ["Accept", "Accept-Encoding"]) . fst) headers
              || answerHeaders answer == answerHeaders plainGet
          ),
        rule
          "8.6: the length is that of the content"
          ( method == "HEAD"
              || status == 304
              || maybe
                True
                (== BC.pack (show (B.length (answerBody answer))))
                (header "Content-Length" answer)
          ),
        rule
          "15.4.5: 304 is for reading, and has a tag and no content"
          ( status /= 304
              || ( reads'
                     && B.null (answerBody answer)
                     && (has "ETag" || not (any ((== "ETag") . fst) (answerHeaders plainGet)))
                 )
          ),
        rule "8.3: content has a type" (B.null (answerBody answer) || has "Content-Type"),
        rule
          "15.5.7: 406 lists what is on offer"
          (status /= 406 || method == "HEAD" || offersIn answer),
        rule
          "15.5.16: 415 for a type says what is read"
          ( status /= 415
              || has "Accept-Encoding"
              || all has ["Accept", "Accept-Post"]
          ),
        rule
          "15.5.16: 415 for a coding says which are undone"
          ( status /= 415
              || isNothing (header "Accept-Encoding" answer)
              || has "Accept-Encoding"
          ),
        rule
          "12.5.1: what is answered to a reader is acceptable"
          ( not (reads' && status == 200)
              || maybe False (\media -> Model.typeQuality accept (forgiving media) /= Just 0) kind
          ),
        rule
          "12.5.3: so is its coding"
          ( status /= 200
              || Model.codingQuality acceptEncoding coding > 0
          ),
        rule
          "12.5.1: 406 is for those who accept nothing of it"
          ( status /= 406
              || all ((== Just 0) . Model.typeQuality accept) offered
              || all ((== 0) . Model.codingQuality acceptEncoding) ["zstd", "gzip", "identity"]
          ),
        rule
          "8.8.3: what is answered to a reader has a strong tag"
          ( not (reads' && status == 200)
              || null (lines' "ETag")
              || all (B.isPrefixOf "\"") (lines' "ETag")
          ),
        rule
          "13.1.1: what matches no tag is not done"
          ( method `notElem` ["GET", "HEAD", "PUT"]
              || isNothing (joined "If-Match" headers)
              || status >= 300
              || any (`B.isInfixOf` fromMaybe "" (joined "If-Match" headers)) ["\"", "*"]
          ),
        rule
          "13.1.3: a date does not count beside a tag"
          ( status /= 304
              || isJust (joined "If-None-Match" headers)
              || isJust (joined "If-Modified-Since" headers)
          ),
        rule
          "15: the status is one that is meant"
          ( status
              `elem` [200, 201, 204, 304, 400, 405, 406, 412, 415]
          )
      ]
  where
    -- The native format is any schema's here.
    forgiving (a, b, _) = (a, b, [])
    offered =
      mapMaybe
        Model.mediaType
        [ "application/json",
          "application/msgpack",
          "application/cbor",
          "application/vnd.tern.native"
        ]
    offersIn answer = case decodeJson (answerBody answer) of
      Right wrong -> isJust (problemOffers wrong)
      Left _ -> case decodeMessagePack (answerBody answer) of
        Right wrong -> isJust (problemOffers wrong)
        Left _ ->
          "offers" `B.isInfixOf` answerBody answer
            || "application/json" `B.isInfixOf` answerBody answer
            || "identity" `B.isInfixOf` answerBody answer

without :: ByteString -> ByteString -> ByteString
without part text = case B.breakSubstring part text of
  (_, "") -> text
  (before, rest) -> before <> without part (B.drop (B.length part) rest)

joined :: HeaderName -> RequestHeaders -> Maybe ByteString
joined name headers = case [value | (name', value) <- headers, name' == name] of
  [] -> Nothing
  values -> Just (B.intercalate ", " values)

-- | A method, headers and content.
drawn :: Gen (Method, RequestHeaders, ByteString)
drawn = do
  method <- Gen.elements ["GET", "GET", "HEAD", "POST", "PUT", "OPTIONS", "DELETE"]
  (kind, content) <- Gen.elements contents
  headers <-
    concat
      <$> sequence
        [ sometimes "Accept" (list ranges),
          sometimes "Accept" (list ranges),
          sometimes "Accept-Encoding" (list ["gzip", "zstd", "identity", "*", "br", "x-gzip", ""]),
          sometimes "If-Match" (list tags),
          sometimes "If-None-Match" (list tags),
          sometimes "If-Modified-Since" (Gen.elements dates),
          sometimes "If-Unmodified-Since" (Gen.elements dates),
          sometimes "Content-Encoding" (Gen.elements ["", "identity", "br", "gzip"])
        ]
  pure
    ( method,
      headers <> [("Content-Type", kind) | method == "POST"],
      if method == "POST"
        then content
        else ""
    )
  where
    sometimes name value = frequency [(2, pure []), (1, (\v -> [(name, v)]) <$> value)]
    list those = B.intercalate "," <$> resize 4 (listOf (weighted those))
    weighted those =
      (<>)
        <$> Gen.elements those
        <*> frequency
          [ (3, pure ""),
            (2, Gen.elements [";q=0", ";q=0.5", ";q=1", ";q=0.001"]),
            ( 1,
              Gen.elements [";q=2", ";q", ";q=\"", ";=", ";charset=utf-8;q=0.3"]
            )
          ]
    ranges =
      [ "application/json",
        "application/msgpack",
        "application/cbor",
        "application/vnd.tern.native",
        "application/*",
        "*/*",
        "text/html",
        "image/*",
        "application/json;v=1",
        "nonsense",
        "application/*+json",
        "\"",
        ""
      ]
    tags = ["\"x\"", "W/\"x\"", "*", "x", "\"1ccb2c23242dcb980f1a8de7d4991484.json\"", ""]
    dates =
      [ "Sun, 06 Nov 1994 08:49:36 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:38 GMT",
        "Sun Nov  6 08:49:38 1994",
        "yesterday",
        ""
      ]
    contents =
      [ ("application/json", encodeJson tern),
        ("application/msgpack", encodeMessagePack tern),
        ("application/vnd.birds+json", encodeJson tern),
        ("text/plain", "x"),
        ("application/json", "{"),
        ("", "x")
      ]
