{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Schemas, by a validator of somebody else's: what a type writes is valid, and of any two
-- types the schema of one and its shape think alike of the other's documents.
module Tern.Options.SchemaTest (tests) where

import Control.Monad (when)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.Either (isRight)
import Data.Int (Int8)
import Data.List.NonEmpty (NonEmpty (..))
import Data.Map (Map)
import Data.Map qualified as Map
import Data.Set (Set)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Data.Time (Day, UTCTime (..), fromGregorian)
import Data.UUID.Types (UUID, nil)
import Data.Vector qualified as V
import Data.Word (Word16)
import GHC.Generics (Generic)
import Numeric.Natural (Natural)
import System.Directory (findExecutable)
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import System.Process (readProcessWithExitCode)
import Tern
import Tern.Codec (mapCodec, (<+>), (<.), (<.>))
import Tern.Codec qualified as Codec
import Tern.Deriving qualified as D
import Tern.Internal.Schema.Check (refusals)
import Tern.Options.Composed (Landing (..), LandingOptions, Spot (..))
import Tern.Options.Declarations
  ( Bird (..),
    BirdOptions,
    Lone (..),
    Place (..),
    Plumage (..),
    Ring (..),
    Sighting (..),
    Sky (..),
    SkyOptions,
    SkyPair (..),
    SkySingle (..),
  )
import Tern.Options.Older (Counted (..))
import Tern.Options.Untagged (Thing (..))
import Tern.Schema (jsonSchema, schemaPage, typeScript)
import Tern.Shape (Shape)
import Tern.Shape qualified as Shape
import Tern.Value (Value (..), members, object)
import Tern.Wire (shapeOf)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (assertFailure, testCase, testCaseInfo, (@?=))

-- | A type: its name, its shape, some documents of its, and whether it reads one.
data Subject = Subject String Shape [ByteString] (ByteString -> Bool)

subject :: forall a. (Wire a) => String -> [a] -> Subject
subject name values =
  Subject
    name
    (shapeOf @a)
    (map encodeJson values)
    (\bytes -> isRight (decodeJson bytes :: Either Error a))

-- | Within itself.
data Tree = Leaf | Fork {left :: Tree, right :: Tree} | Twig Int Tree
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Told = Told {hour :: Int, note :: Text}
  deriving stock (Eq, Show)

instance Wire Told where
  codec =
    Codec.describe
      "what was told"
      ( Codec.object
          ( Told
              <$> Codec.field @"hour"
                hour
                ( Codec.describe
                    "since midnight"
                    (Codec.examples [6, 12] codec)
                )
                <.> Codec.fieldWithDefault @"note" "none" note codec
          )
      )

subjects :: [Subject]
subjects =
  [ subject "Bool" [True, False],
    subject "Int8" [minBound, 0, maxBound :: Int8],
    subject "Word16" [maxBound :: Word16],
    subject "Integer" [2 ^ (70 :: Int), -3 :: Integer],
    subject "Natural" [0, 2 ^ (70 :: Int) :: Natural],
    subject "Double" [0.5, -1, 1e300, 1 / 0, -(1 / 0), 0 / 0 :: Double],
    subject "Text" ["", "x\"y" :: Text],
    subject "Char" ['a', '\x1f426'],
    subject "()" [()],
    subject "Maybe" [Nothing, Just 1, Just 3 :: Maybe Int],
    subject "list" [[], [True], [False, True]],
    subject "NonEmpty" ['x' :| "y"],
    subject "Set" [Set.fromList [1, 2 :: Int], Set.empty :: Set Int],
    subject "Map of Text" [Map.fromList [("a", [1 :: Int])] :: Map Text [Int]],
    subject "Map of Int" [Map.fromList [(1, True), (-2, False)] :: Map Int Bool],
    subject "Map of names" [Map.fromList [(WinterPlumage, 1), (JuvenilePlumage, 2 :: Int)]],
    subject "Map of pairs" [Map.fromList [((1, 'a'), "b")] :: Map (Int, Char) Text],
    subject "tuple" [(1 :: Int, "x" :: Text, Just True)],
    subject "Either" [Left 1, Right "x" :: Either Int Text],
    subject "ByteString" ["", "ab" :: ByteString],
    subject "UTCTime" [UTCTime (fromGregorian 2026 11 23) 3600.5],
    subject "Day" [fromGregorian 2026 11 23 :: Day],
    subject "UUID" [nil :: UUID],
    subject "record" [Bird "tern" (Just 80) [1, 2] Nothing],
    subject "names" [minBound .. maxBound :: Plumage],
    subject "tagged objects" [Clouds 3, Fog 40 (Just 2), Wind 2.5 "NW", Clear],
    subject "single fields" [CloudsS 3, FogS 40 Nothing, WindS 2.5 "NW", ClearS],
    subject "two elements" [CloudsP 3, FogP 40 (Just 2), WindP 2.5 "NW", ClearP],
    subject
      "untagged"
      [ Nothing',
        Count 3,
        Several [Name "x", Several []],
        Pair' 1 True,
        Box 3 (Just (Round 2))
      ],
    subject "unwrapped" [Ring 3],
    subject "tagged single constructor" [Lone 3],
    subject "flattened" [Sighting "tern" 2 (Place 1.5 (-3)) (Just "loud") 7],
    subject "default" [Counted "tern" 2],
    subject "within itself" [Leaf, Fork Leaf (Twig 3 Leaf)],
    subject "told" [Told 6 "x"]
  ]
    <> closed

-- | Those that refuse what they do not know, in each layout.
closed :: [Subject]
closed =
  [ subject "closed, single fields" (map closedSingle [CloudsS 3, FogS 40 (Just 1), ClearS]),
    subject "closed, two elements" (map closedPair [CloudsP 3, FogP 40 (Just 2), ClearP]),
    subject "closed, untagged" (map closedBare [CloudsS 3, FogS 40 (Just 1), ClearS]),
    subject "closed, computed and flattened" [landing],
    subject
      "closed, by options as types"
      [D.WithOptions landing :: ByOptions LandingOptions Landing],
    subject "closed, by hand" [Squared (Square 3 "x")],
    subject "closed sum, by hand" [Side 3, Corner (Square 3 "x"), Point]
  ]
  where
    closedSingle = D.WithOptions :: SkySingle -> ByOptions Single SkySingle
    closedPair = D.WithOptions :: SkyPair -> ByOptions Pair SkyPair
    closedBare = D.WithOptions :: SkySingle -> ByOptions Alone SkySingle
    landing = Landing (Spot 1 2) 3 Nothing True

type ByOptions = D.WithOptions

type Strictly = '[D.RejectUnknownFields]

type Single = '[D.SumObjectWithSingleField, D.RejectUnknownFields]

type Pair = '[D.SumTwoElemArray, D.RejectUnknownFields]

type Alone = '[D.SumUntaggedValue, D.RejectUnknownFields]

data Square = Square {side :: Int, name :: Text}
  deriving stock (Eq, Show)

newtype Squared = Squared Square
  deriving stock (Eq, Show)

instance Wire Squared where
  codec =
    mapCodec Squared (\(Squared s) -> s) . Codec.object . Codec.rejectUnknownFields $
      (Square <$> edge <. Codec.computed @"area" (\s -> side s * side s) codec)
        <.> Codec.field @"name" name codec
    where
      edge = Codec.alias @'["edge", "e"] (Codec.field @"side" side codec)

data Figure = Side Int | Corner Square | Point
  deriving stock (Eq, Show)

instance Wire Figure where
  codec =
    Codec.oneOf
      ( \case
          Side n -> Codec.is @"Side" n
          Corner s -> Codec.is @"Corner" s
          Point -> Codec.is @"Point" ()
      )
      . Codec.rejectUnknownFields
      $ Codec.contents @"Side" Side codec
        <+> Codec.fields @"Corner" (Corner <$> square)
        <+> Codec.constant @"Point" Point
    where
      square =
        (Square <$> Codec.field @"side" side codec)
          <.> Codec.field @"name" name codec
          <. Codec.computed @"area" (\s -> side s * side s) codec

-- | Names that would be markup, were they not escaped.
page :: Text
page =
  schemaPage "<b>Told</b> & more" $
    Shape.Tuple
      [ shapeOf @Told,
        shapeOf @Thing,
        shapeOf @Sky,
        Shape.Opaque "<script>",
        Shape.Described (Shape.Examples ["\"</p>\""]) Shape.Text,
        Shape.Described (Shape.OtherNames ["<i>"]) Shape.Text
      ]

tests :: TestTree
tests =
  testGroup
    "schemas"
    [ testGroup
        "a page for people"
        [ testCase "has a section for each type, and leads there" $
            [ piece
              | piece <-
                  [ "<section id=\"t1\">\n<h2>Told</h2>",
                    "<a href=\"#t1\">Told</a>",
                    "<h2>Thing</h2>\n<p>The first of these that it can \
                    \be.</p>\n<h3><code>Nothing&#39;</code>",
                    "whose <code>t&quot;y</code> says which"
                  ],
                not (piece `T.isInfixOf` T.replace "'" "&#39;" page)
            ]
              @?= [],
          testCase "has no markup of the names'" $
            [piece | piece <- ["<b>", "<script", "<i>", "\"</p>"], piece `T.isInfixOf` page] @?= [],
          testCase "asks for nothing else" $
            [ piece
              | piece <- ["http:", "https:", "src=", "url(", "@import"],
                piece `T.isInfixOf` page
            ]
              @?= []
        ],
      testCaseInfo "by Python's jsonschema" $
        findExecutable "python3" >>= \case
          Nothing -> pure "skipped: python3 is not there, 0 cases ran"
          Just python -> do
            (there, _, _) <- readProcessWithExitCode python ["-c", "import jsonschema"] ""
            if there /= ExitSuccess
              then pure "skipped: Python's jsonschema is not there, 0 cases ran"
              else withSystemTempDirectory "tern" $ \folder -> do
                B.writeFile
                  (folder </> "in.json")
                  ( encodeJson
                      [ (name, jsonSchema s, map document pool)
                        | Subject name s _ _ <-
                            subjects
                      ]
                  )
                (code, answer, complaint) <-
                  readProcessWithExitCode
                    python
                    ["-W", "ignore", "-c", validator, folder </> "in.json"]
                    ""
                when (code /= ExitSuccess) (assertFailure complaint)
                let verdicts =
                      either
                        (error . show)
                        id
                        (decodeJson (BC.pack answer) :: Either Error [[Bool]])
                    cases =
                      [ (name, bytes, valid, null (refusals s (document bytes)), readable bytes)
                        | (Subject name s _ readable, row) <-
                            zip subjects verdicts,
                          (bytes, valid) <- zip pool row
                      ]
                ( length cases,
                  [ c
                    | c@(_, _, valid, accepted, read') <-
                        cases,
                      valid /= accepted || read' && not valid
                  ]
                  )
                  @?= (length subjects * length pool, [])
                [ (name, bytes)
                  | (Subject name s own _) <-
                      subjects,
                    bytes <- own,
                    not (null (refusals s (document bytes)))
                  ]
                  @?= []
                -- What refuses unknown members has a schema that does.
                [ (name, bytes, valid)
                  | (name, bytes, valid, _, readable) <- cases,
                    (name, bytes) `elem` strange,
                    valid /= readable
                  ]
                  @?= []
                pure (show (length cases) <> " cases ran"),
      testCase "Template Haskell and options as types make the same ones" $ do
        jsonSchema (shapeOf @Bird) @?= jsonSchema (shapeOf @(ByOptions BirdOptions Bird))
        jsonSchema (shapeOf @Sky) @?= jsonSchema (shapeOf @(ByOptions SkyOptions Sky))
        jsonSchema (shapeOf @Landing) @?= jsonSchema (shapeOf @(ByOptions LandingOptions Landing)),
      testCase "a type that is written in two ways has a schema for each" $
        [ T.count text (encodeJsonText (jsonSchema (shapeOf @(Place, ByOptions Strictly Place))))
          | text <- ["\"north\":", "\"additionalProperties\":false"]
        ]
          @?= [2, 1],
      testCase "what is said of a codec" $
        BC.lines (encodeJson (jsonSchema (shapeOf @Told)))
          @?= [ "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\"\
                \,\"description\":\"what was told\",\"$ref\":\"#/$defs/Told\"\
                \,\"$defs\":{\"Told\":{\"type\":\"object\"\
                \,\"properties\":{\"hour\":{\"description\":\"since \
                \midnight\",\"examples\":[6,12],\"type\":\"integer\"\
                \,\"minimum\":-9223372036854775808,\"maximum\":9223372036854775807}\
                \,\"note\":{\"default\":\"none\",\"type\":\"string\"}}\
                \,\"required\":[\"hour\"]}}}"
              ],
      testCase "TypeScript" $ do
        typeScript "Told" (shapeOf @[Told])
          @?= "export type Told = {\n  /** since midnight */\n  hour: number;\n  note?: \
              \string;\n};\n\nexport type ToldDocument = Array<Told>;\n"
        typeScript "Sky" (shapeOf @Sky)
          @?= "export type Sky = \n  | {\n      \"t\\\"y\": \"clouds\";\n      value: number;\n \
              \   }\n  | {\n      \"t\\\"y\": \"fog\";\n      \"sight-metres\": number;\n      \
              \since?: number | null;\n    }\n  | {\n      \"t\\\"y\": \
              \\"wind\";\n      value: [number | null | \"+inf\" | \
              \\"-inf\", string];\n    }\n  | {\n      \"t\\\"y\": \
              \\"clear\";\n    };\n\n"
    ]
  where
    pool =
      concat [documents | Subject _ _ documents _ <- subjects]
        <> map snd strange
        <> [ "{}",
             "[]",
             "[[]]",
             "1.5",
             "300",
             "-1",
             "\"xy\"",
             "{\"tag\":\"Fork\",\"left\":{\"tag\":\"Leaf\"}}",
             "{\"hour\":1,\"more\":2}",
             "{\"a\":1}",
             "{\"1\":true}",
             "[1,2,3,4]"
           ]
    -- Their own documents, with one member more in one of the objects.
    strange =
      [ (name, encodeJson more)
        | Subject name _ documents _ <- closed,
          bytes <- documents,
          more <- withMore (document bytes)
      ]
    document :: ByteString -> Value
    document bytes = either (error . show) id (decodeJson bytes)

-- | A document with a member more, once in each of its objects.
withMore :: Value -> [Value]
withMore = \case
  Object o ->
    [ Object (object (before <> [(name', v')] <> after))
      | (before, (name', v) : after) <- places (members o),
        v' <- withMore v
    ]
      <> [Object (object (members o <> [("unheard", Bool True)]))]
  Array vs ->
    [ Array (V.fromList (before <> [v'] <> after))
      | (before, v : after) <- places (V.toList vs),
        v' <- withMore v
    ]
  _ -> []
  where
    places xs = [splitAt i xs | i <- [0 .. length xs - 1]]

validator :: String
validator =
  unlines
    [ "import json, sys",
      "from jsonschema import Draft202012Validator as V",
      "rows = []",
      "for name, schema, documents in json.load(open(sys.argv[1])):",
      "    V.check_schema(schema)",
      "    v = V(schema)",
      "    rows.append([v.is_valid(d) for d in documents])",
      "print(json.dumps(rows))"
    ]
