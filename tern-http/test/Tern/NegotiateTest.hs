{-# LANGUAGE OverloadedStrings #-}

-- | What a service does with requests' heads: the whole decision, the answers to refusals,
-- conditions, and what hostile headers cost.
module Tern.NegotiateTest (tests) where

import Control.Exception (evaluate)
import Control.Monad (forM_)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.List (permutations)
import Data.List.NonEmpty (NonEmpty (..))
import GHC.Conc (getAllocationCounter)
import Network.HTTP.Types
import System.Timeout (timeout)
import Tern.Negotiate
  ( Coding (..),
    Content (..),
    Current (..),
    Date (..),
    Decision (..),
    MediaType (..),
    Offer (..),
    Outcome (..),
    Plan (..),
    Receive (..),
    Refusal (..),
    Service (..),
    Strength (..),
    Tag (..),
    codingPreference,
    conditions,
    negotiate,
    offer,
    optionsHeaders,
    outcome,
    parseAccept,
    parseAcceptEncoding,
    parseMediaType,
    refusalHeaders,
    refusalStatus,
    requestConditions,
    strong,
    typePreference,
  )
import Tern.Negotiate.Header (elements)
import Tern.Testkit.Allocation (optimised)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "negotiate"
    [ testGroup
        "answers"
        [ testCase "no header, an empty one and a senseless one get what the server likes best" $
            sequence_
              [ answered headers @?= Right ("json", Nothing)
                | headers <-
                    [[], [accept ""], [accept " , "], [accept "nonsense"], [accept "a/b;q=9"]]
              ],
          testCase "a character set that JSON does not have changes nothing" $
            sequence_
              [ answered [accept value] @?= Right ("json", Nothing)
                | value <-
                    [ "application/json; charset=utf-8",
                      "application/json;charset=\"UTF-8\";q=0.1",
                      "text/html, application/json;charset=x;q=0.2"
                    ]
              ],
          testCase "other parameters must be had" $
            answered [accept "application/json;v=2"] @?= Left 406,
          testCase "the weights decide, then the server's order" $ do
            answered [accept "application/json;q=0.4, application/msgpack;q=0.5"]
              @?= Right ("msgpack", Nothing)
            answered [accept "application/msgpack, application/json"] @?= Right ("json", Nothing)
            answered [accept "application/*;q=0.5, application/msgpack"]
              @?= Right ("msgpack", Nothing),
          testCase "equal ranges with several weights: the highest, in any order" $
            sequence_
              [ answered [accept (B.intercalate "," ranges)] @?= Right ("msgpack", Nothing)
                | ranges <-
                    permutations
                      [ "application/json;q=0.2",
                        "application/json;q=0.4",
                        "application/json;q=0",
                        "application/msgpack;q=0.5"
                      ]
              ],
          testCase "a header in several lines is one header" $
            answered [accept "application/json;q=0.1", accept "application/msgpack"]
              @?= Right ("msgpack", Nothing),
          testCase "ranges by the end of a name" $
            answered [accept "application/*+json"] @?= Right ("birds", Nothing),
          testCase "what is malformed is left out" $
            sequence_
              [ answered [accept (B.intercalate "," list)] @?= Right ("msgpack", Nothing)
                | bad <-
                    [ "text/",
                      "/",
                      "a/b;c",
                      "a b/c",
                      "a\"b",
                      "\"\\\"",
                      "\"=\"",
                      "application/json;q=1.5",
                      "application/json;q=0.5;q=0.6",
                      "\"",
                      ";",
                      "\200/\1"
                    ],
                  list <-
                    [ [bad, "application/msgpack"],
                      ["application/msgpack", bad],
                      [bad, "application/msgpack", bad]
                    ]
              ],
          testCase "a string that is never closed ends with its element" $
            sequence_
              [ answered [accept (B.intercalate "," list)] @?= Right ("msgpack", Nothing)
                | bad <- ["a/b;c=\"", "a/b;c=\"\\", "a/b;c=\"\\\"", "\"=\""],
                  list <- [[bad, "application/msgpack"], ["application/msgpack", bad]]
              ],
          testCase "codings by the same rules" $ do
            coded ["gzip"] @?= Right (Just "gzip")
            coded ["gzip;q=0.5, zstd"] @?= Right (Just "zstd")
            coded ["gzip, zstd"] @?= Right (Just "zstd")
            coded ["*"] @?= Right (Just "zstd")
            coded ["*;q=0.5, identity"] @?= Right Nothing
            coded ["br"] @?= Right Nothing
            coded [""] @?= Right Nothing
            coded [] @?= Right Nothing
            coded ["identity;q=0"] @?= Left 406
            coded ["*;q=0"] @?= Left 406
            coded ["x-GZIP"] @?= Right (Just "gzip")
        ],
      testGroup
        "refusals"
        [ testCase "406 lists what is on offer" $
            refused "GET" [accept "image/png"]
              @?= Just (406, NoTypeAcceptable [json, msgpack, birds], vary),
          testCase "406 of codings lists codings" $
            refused "GET" [("Accept-Encoding", "identity;q=0")]
              @?= Just (406, NoCodingAcceptable ["zstd", "gzip", "identity"], vary),
          testCase "415 says what is read, for POST and PATCH" $
            refused "POST" [("Content-Type", "text/plain"), ("Content-Length", "3")]
              @?= Just
                ( 415,
                  UnsupportedType [json, suffixed, msgpack],
                  vary
                    <> [("Accept", types), ("Accept-Post", types), ("Accept-Patch", types)]
                ),
          testCase "415 for content without a type, or of a malformed one, or of two" $
            sequence_
              [ fmap
                  (\(status, _, _) -> status)
                  (refused "POST" (headers <> [("Content-Length", "3")]))
                  @?= Just 415
                | headers <-
                    [ [],
                      [("Content-Type", "")],
                      [("Content-Type", "application")],
                      [("Content-Type", "application/json, application/json")],
                      [ ("Content-Type", "application/json"),
                        ("Content-Type", "text/plain")
                      ],
                      [("Content-Type", "*/*")],
                      [("Content-Type", "application/*+json")]
                    ]
              ],
          testCase "415 for a coding that is not understood says which are" $
            refused
              "POST"
              [ ("Content-Type", "application/json"),
                ("Content-Length", "3"),
                ("Content-Encoding", "br")
              ]
              @?= Just (415, UnsupportedCoding ["gzip"], vary <> [("Accept-Encoding", "gzip")]),
          testCase "more codings than may be on content are not understood" $ do
            contentOf
              [ ("Content-Type", "application/json"),
                ("Content-Length", "3"),
                ("Content-Encoding", "gzip, identity, X-Gzip, gzip")
              ]
              @?= Right (Just ("json", 3))
            contentOf
              [ ("Content-Type", "application/json"),
                ("Content-Length", "3"),
                ("Content-Encoding", "gzip, gzip, gzip, gzip")
              ]
              @?= Left 415,
          testCase "405 says what is allowed" $
            refused "DELETE" []
              @?= Just
                ( 405,
                  MethodNotAllowed ["GET", "HEAD", "POST", "PATCH", "OPTIONS"],
                  vary
                    <> [("Allow", "GET, HEAD, POST, PATCH, OPTIONS")]
                ),
          testCase "a header of 64 KiB is read, a longer one is 431" $ do
            let long n = accept (B.replicate (n - 21) 0x20 <> ", application/msgpack")
            answered [long 65536] @?= Right ("msgpack", Nothing)
            answered [long 65537] @?= Left 431
            answered [long 40000, long 40000] @?= Left 431
        ],
      testGroup
        "methods"
        [ testCase "HEAD is GET without content" $
            (heads "HEAD", heads "GET") @?= (Right True, Right False),
          testCase "OPTIONS describes, whatever its headers say" $
            sequence_
              [ negotiate service "OPTIONS" headers @?= Describe
                | headers <-
                    [[], [accept "image/png"], [("Content-Length", "3")]]
              ],
          testCase "OPTIONS says methods and content" $
            optionsHeaders service
              @?= vary
                <> [ ("Allow", "GET, HEAD, POST, PATCH, OPTIONS"),
                     ("Accept-Post", types),
                     ("Accept-Patch", types)
                   ],
          testCase "content is what the headers announce" $ do
            contentOf [("Content-Length", "0")] @?= Right Nothing
            contentOf [] @?= Right Nothing
            contentOf [("Content-Type", "application/json"), ("Transfer-Encoding", "chunked")]
              @?= Right (Just ("json", 0))
            contentOf [("Content-Type", "application/vnd.birds+json; charset=utf-8")]
              @?= Right (Just ("json", 0))
            contentOf [("Content-Type", "APPLICATION/MsgPack;"), ("Content-Length", "10")]
              @?= Right (Just ("msgpack", 0)),
          testCase "a GET's content means nothing" $
            answered [("Content-Length", "3"), ("Content-Type", "text/plain")]
              @?= Right ("json", Nothing)
        ],
      testGroup
        "conditions"
        [ testCase "If-None-Match, for what reads and for what changes" $ do
            map
              (evaluated True [("If-None-Match", "\"a\", W/\"b\"")])
              [Just ["a"], Just ["b"], Just ["c"], Nothing]
              @?= [NotModified, NotModified, Perform, Perform]
            map (evaluated False [("If-None-Match", "\"a\"")]) [Just ["a"], Just ["b"], Nothing]
              @?= [PreconditionFailed, Perform, Perform]
            map (evaluated False [("If-None-Match", "*")]) [Just ["a"], Nothing]
              @?= [PreconditionFailed, Perform]
            map (evaluated True [("If-None-Match", " * ")]) [Just ["a"], Nothing]
              @?= [NotModified, Perform],
          testCase "If-Match compares strongly" $ do
            map (evaluated False [("If-Match", "\"a\", \"b\"")]) [Just ["b"], Just ["c"], Nothing]
              @?= [Perform, PreconditionFailed, PreconditionFailed]
            evaluated False [("If-Match", "W/\"a\"")] (Just ["a"]) @?= PreconditionFailed
            map (evaluated False [("If-Match", "*")]) [Just ["a"], Nothing]
              @?= [Perform, PreconditionFailed]
            -- A weak tag is not strongly equal even to itself (RFC 9110, section 8.8.3.2).
            [ outcome
                reads'
                (requestConditions [("If-Match", tag)])
                (Just (Current [Tag Weak "a"] Nothing))
              | reads' <- [True, False],
                tag <- ["W/\"a\"", "\"a\"", "\"b\", W/\"a\""]
              ]
              @?= replicate 6 PreconditionFailed,
          testCase "If-Match comes first" $ do
            evaluated True [("If-Match", "\"b\""), ("If-None-Match", "\"a\"")] (Just ["a"])
              @?= PreconditionFailed
            evaluated True [("If-Match", "\"a\""), ("If-None-Match", "\"a\"")] (Just ["a"])
              @?= NotModified,
          testCase "tags with commas, backslashes and nothing in them" $
            sequence_
              [ evaluated
                  True
                  [ ( "If-None-Match",
                      "\"x\", a\"b, \""
                        <> tag
                        <> "\", \"y\""
                    )
                  ]
                  (Just [tag])
                  @?= NotModified
                | tag <-
                    ["a,b", "a\\", "", "\233"]
              ],
          testCase "what cannot be understood guards what would be changed" $ do
            evaluated True [("If-None-Match", "a")] (Just ["a"]) @?= Perform
            evaluated False [("If-None-Match", "a")] (Just ["a"]) @?= PreconditionFailed
            evaluated False [("If-Match", "a")] (Just ["a"]) @?= PreconditionFailed
            evaluated False [("If-Match", "")] (Just ["a"]) @?= PreconditionFailed,
          testCase "a condition in several lines is one" $
            evaluated True [("If-None-Match", "\"a\""), ("If-None-Match", "\"b\"")] (Just ["b"])
              @?= NotModified
        ],
      testGroup
        "hostile headers"
        [ testGroup
            "cost memory in proportion to their length"
            [ testCase name $ do
                short <- allocated (headers 32000)
                long <- allocated (headers 64000)
                assertBool (show (short, long)) (long < 2.5 * short && long < 64000 * perByte)
              | (name, start, piece) <- hostile,
                let headers n =
                      [ (header, filled n start piece)
                        | header <-
                            [ "Accept",
                              "Accept-Encoding",
                              "Content-Type",
                              "If-Match",
                              "If-None-Match"
                            ]
                      ]
            ],
          -- Looking through the rest again and again would allocate nothing, and take hours.
          testCase "cost time in proportion to their length, though there were no limit" $ do
            done <- timeout 120000000 . forM_ hostile $ \(_, start, piece) -> do
              let text = filled 2000000 start piece
              _ <- evaluate (typePreference (parseAccept (Just text)) (offer () json))
              _ <- evaluate (codingPreference (parseAcceptEncoding (Just text)) "gzip")
              _ <-
                evaluate
                  ( outcome
                      True
                      (conditions (const (Just text)))
                      (Just (Current [strong "a"] (Just (Date 0))))
                  )
              evaluate (maybe 0 (length . mediaParameters) (parseMediaType text))
            done @?= Just ()
        ],
      testCase "a thousand weights are all read" $ do
        let list =
              B.intercalate "," ["a/b" <> BC.pack (show n) <> ";q=0.5" | n <- [1 .. 1000 :: Int]]
        length (elements list) @?= 1000
        answered [accept (list <> ",application/msgpack;q=0.001")] @?= Right ("msgpack", Nothing)
    ]

-- | Bytes that may be allocated for one of a header.
perByte :: Double
perByte = if optimised then 1000 else 10000

-- | Pieces that headers are made of which could cost more than their length: a name, a
-- beginning, and what is repeated.
hostile :: [(String, ByteString, ByteString)]
hostile =
  [ ("a thousand weights and more", "", "a/b;q=0.123,"),
    ("commas", "", ","),
    ("quotes", "", "\""),
    ("strings that never close", "", "a/b;c=\"\\\","),
    ("strings that begin", "", "a=\""),
    ("strings that begin and end", "", "a=\"\","),
    ("backslashes after a quote", "a/b;c=\"", "\\"),
    ("quotes after backslashes", "a/b;c=\"", "\\\","),
    ("strings after backslashes", "a/b;c=\"", "\\\",=\\\""),
    ("tags", "", "\"a\","),
    ("weak tags that never close", "", "W/\","),
    ("parameters", "application/json", ";a=1"),
    ("empty parameters", "application/json", " ;"),
    ("parameters that are strings", "application/json", ";a=\"\\\"\""),
    ("equal ranges", "", "application/json,"),
    ("equal codings", "", "gzip,"),
    ("white space", "", " \t"),
    ("stars", "", "*/*,")
  ]

-- | As many repetitions as make @n@ bytes.
filled :: Int -> ByteString -> ByteString -> ByteString
filled n start piece =
  start <> B.concat (replicate ((n - B.length start) `div` B.length piece) piece)

-- | Bytes that a decision and the answer to its conditions take.
allocated :: RequestHeaders -> IO Double
allocated headers = do
  _ <- evaluate (sum [B.length value | (_, value) <- headers])
  before <- getAllocationCounter
  _ <-
    evaluate
      ( either
          id
          ( \(what, coding) ->
              B.length what + maybe 0 B.length coding
          )
          (answered headers)
      )
  _ <- evaluate (either id (maybe 0 (B.length . fst)) (contentOf headers))
  _ <- evaluate (evaluated True headers (Just ["a"]))
  left <- getAllocationCounter
  pure (fromIntegral (before - left))

-- * A service

service :: Service ByteString ByteString
service =
  Service
    { methods = ["GET", "POST", "PATCH"],
      offers =
        (offer "json" json) {offerIgnores = ["charset"]}
          :| [offer "msgpack" msgpack, offer "birds" birds],
      codings = [Coding "zstd" "zstd", Coding "gzip" "gzip"],
      receives = [Receive json "json", Receive suffixed "json", Receive msgpack "msgpack"],
      decodings = [Coding "gzip" "gzip"]
    }

json, msgpack, birds, suffixed :: MediaType
json = MediaType "application" "json" []
msgpack = MediaType "application" "msgpack" []
birds = MediaType "application" "vnd.birds+json" []
suffixed = MediaType "*" "*+json" []

types :: ByteString
types = "application/json, */*+json, application/msgpack"

vary :: ResponseHeaders
vary = [("Vary", "Accept, Accept-Encoding")]

accept :: ByteString -> Header
accept value = ("Accept", value)

decision :: Method -> RequestHeaders -> Either Int (Plan ByteString ByteString)
decision method headers = case negotiate service method headers of
  Proceed plan -> Right plan
  Describe -> Left 204
  Refuse refusal -> Left (statusCode (refusalStatus refusal))

answered :: RequestHeaders -> Either Int (ByteString, Maybe ByteString)
answered headers =
  (\plan -> (offerFormat (planOffer plan), codingKind <$> planCoding plan))
    <$> decision "GET" headers

coded :: [ByteString] -> Either Int (Maybe ByteString)
coded values = snd <$> answered [("Accept-Encoding", value) | value <- values]

heads :: Method -> Either Int Bool
heads method = planHeadOnly <$> decision method []

contentOf :: RequestHeaders -> Either Int (Maybe (ByteString, Int))
contentOf headers =
  fmap (\content -> (contentFormat content, length (contentCodings content))) . planContent
    <$> decision "POST" headers

refused :: Method -> RequestHeaders -> Maybe (Int, Refusal, ResponseHeaders)
refused method headers = case negotiate service method headers of
  Refuse refusal ->
    Just (statusCode (refusalStatus refusal), refusal, refusalHeaders (methods service) refusal)
  _ -> Nothing

evaluated :: Bool -> RequestHeaders -> Maybe [ByteString] -> Outcome
evaluated reads' headers =
  outcome reads' (requestConditions headers) . fmap (\tags -> Current (map strong tags) Nothing)
