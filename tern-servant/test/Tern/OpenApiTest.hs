{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}
-- What is tried is the library, which is optimised: the cases need not be.
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | The description of an API: what is in it, that its references lead somewhere, what a
-- validator of others says of it, and the page.
module Tern.OpenApiTest (tests) where

import Data.ByteString.Lazy qualified as BL
import Data.Foldable (toList)
import Data.List (sort)
import Data.List.NonEmpty qualified as NonEmpty
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import GHC.Generics (Generic)
import Servant.API
import System.Exit (ExitCode (..))
import System.Process (readProcessWithExitCode)
import Tern
import Tern.Http.Format (Entry (..), entry)
import Tern.Http.Series (SeriesEntry (..), series)
import Tern.Negotiate (renderMediaType)
import Tern.Servant (AllFormats, AsJson, BodyEach, Formats, GetEach)
import Tern.Servant.OpenApi (About (..), openApi, operationName, operations)
import Tern.Servant.Page (openApiPage)
import Tern.Testkit.Tally (skip)
import Tern.Value (Value (..), members, object)
import Test.Tasty
import Test.Tasty.HUnit

data Bird = Bird {name :: Text, seen :: [Seen], parent :: Maybe Bird}
  deriving stock (Generic)
  deriving anyclass (Wire)

data Seen = Seen {place :: Text, weight :: Double, sort' :: Kind}
  deriving stock (Generic)
  deriving anyclass (Wire)

data Kind = Heard | Watched | Ringed Int
  deriving stock (Generic)
  deriving anyclass (Wire)

type Api =
  "birds"
    :> Summary "All birds"
    :> QueryParam "kind" Text
    :> QueryParam' '[Required] "page" Int
    :> QueryFlag "rare"
    :> Header "X-Observer" Text
    :> GetEach Bird
    :<|> "birds" :> Description "Adds <many>" :> BodyEach Bird :> AllFormats PostCreated Int
    :<|> "birds" :> Capture "number" Int :> AllFormats Get Bird
    :<|> "birds" :> Capture "number" Int :> AllFormats ReqBody Bird :> AllFormats Put Bird
    :<|> "birds" :> Capture "number" Int :> Verb 'DELETE 204 '[AsJson] NoContent
    :<|> "kinds" :> Get (Formats [Kind]) (Headers '[Header "X-Total" Int] [Kind])
    :<|> "old" :> Get '[AsJson] (Maybe Bird)

tests :: IO TestTree
tests = do
  validated <- validator
  pure . testGroup "OpenAPI" $
    [ testCase "each path with its methods" $ do
        map fst (fields (at ["paths"] document)) @?= ["/birds", "/birds/{number}", "/kinds", "/old"]
        map (map fst . fields . snd) (fields (at ["paths"] document))
          @?= [["get", "post"], ["get", "put", "delete"], ["get"], ["get"]],
      testCase "parameters, with their places and shapes" $
        map
          (map snd . take 3 . fields)
          ( elements
              (at ["paths", "/birds", "get", "parameters"] document)
          )
          @?= [ [String "kind", String "query", Bool False],
                [String "page", String "query", Bool True],
                [String "rare", String "query", Bool False],
                [String "X-Observer", String "header", Bool False]
              ],
      testCase "contents in all formats" $ do
        map
          (T.takeWhile (/= ';') . fst)
          ( fields
              ( at
                  [ "paths",
                    "/birds/{number}",
                    "put",
                    "requestBody",
                    "content"
                  ]
                  document
              )
          )
          @?= [ "application/json",
                "application/msgpack",
                "application/cbor",
                "application/vnd.tern.native"
              ]
        map fst (fields (at ["paths", "/birds", "get", "responses", "200", "content"] document))
          @?= [ "application/json",
                "application/jsonl",
                "application/json-seq",
                "application/msgpack-seq",
                "application/cbor-seq",
                "application/vnd.tern.container"
              ]
        at ["paths", "/old", "get", "responses", "200", "content"] document
          `has` ["application/json"],
      testCase "errors" $
        map fst (fields (at ["paths", "/birds/{number}", "put", "responses"] document))
          @?= ["200", "400", "413", "415", "406", "default"],
      testCase "operations have names of their own" $ do
        let named = [operationName o | o <- operations @Api]
        length (foldr (\one others -> one : filter (/= one) others) [] named) @?= length named,
      testCase "declared types once, and every reference leads to one" $ do
        sort (map fst (fields (at ["components", "schemas"] document)))
          @?= ["Bird", "Kind", "Problem", "Seen"]
        let known =
              [ "#/components/schemas/" <> one
                | (one, _) <-
                    fields (at ["components", "schemas"] document)
              ]
                <> ["#/components/responses/Problem"]
            found = references document
        filter (`notElem` known) found @?= []
        assertBool (show (length found)) (length found > 20),
      testCase "the page has each format, and no number that nobody knows by heart" $ do
        let page = T.decodeUtf8 (BL.toStrict (openApiPage @Api about))
            types =
              [NonEmpty.head (entryTypes (entry format)) | format <- [minBound ..]]
                <> [NonEmpty.head (seriesTypes (series kind)) | kind <- [minBound ..]]
        filter (not . (`T.isInfixOf` page) . T.decodeUtf8Lenient . renderMediaType) types @?= []
        filter (`T.isInfixOf` page) ["9223372036854775807", "18446744073709551615"] @?= [],
      testCase "the page has each operation, and nothing from elsewhere" $ do
        let page = T.decodeUtf8 (BL.toStrict (openApiPage @Api about))
            has' what = assertBool (T.unpack what) (what `T.isInfixOf` page)
        mapM_ (\o -> has' ("id=\"" <> operationName o <> "\"")) (operations @Api)
        has' "Adds &lt;many&gt;"
        filter (`T.isInfixOf` page) ["<script", "http://", "https://", "src=", "@import", "url("]
          @?= []
    ]
      <> validated
  where
    has content names = map fst (fields content) @?= names

-- | What the validator of others says, if it is here; and that it would have complained.
validator :: IO [TestTree]
validator = do
  (present, _, _) <- readProcessWithExitCode "python3" ["-c", "import openapi_spec_validator"] ""
  pure $ case present of
    ExitFailure _ ->
      [ skip
          "a validator finds nothing wrong"
          "openapi-spec-validator for Python is not installed: 2 checks"
      ]
    ExitSuccess ->
      [ testCase "a validator finds nothing wrong" $ do
          (outcome, _, complaint) <- validate document
          (outcome, complaint) @?= (ExitSuccess, ""),
        testCase "and finds what was broken" $ do
          (outcome, _, _) <-
            validate (Object (object (filter ((/= "info") . fst) (fields document))))
          outcome @?= ExitFailure 1
      ]
  where
    validate what =
      readProcessWithExitCode "python3" ["-c", script] (T.unpack (T.decodeUtf8 (encodeJson what)))
    script =
      unlines
        [ "import json, sys",
          "from openapi_spec_validator import OpenAPIV31SpecValidator",
          "errors = list(OpenAPIV31SpecValidator(json.load(sys.stdin)).iter_errors())",
          "[print(e, file=sys.stderr) for e in errors]",
          "sys.exit(1 if errors else 0)"
        ]

about :: About
about = About "Birds" "1" "What was seen."

document :: Value
document = openApi @Api about

at :: [Text] -> Value -> Value
at names value = case names of
  [] -> value
  one : more -> maybe Null (at more) (lookup one (fields value))

fields :: Value -> [(Text, Value)]
fields = \case
  Object o -> members o
  _ -> []

elements :: Value -> [Value]
elements = \case
  Array items -> toList items
  _ -> []

references :: Value -> [Text]
references = \case
  Object o ->
    concat
      [ if name == "$ref"
          then [place | String place <- [value]]
          else references value
        | (name, value) <- members o
      ]
  Array items -> concatMap references (toList items)
  _ -> []
