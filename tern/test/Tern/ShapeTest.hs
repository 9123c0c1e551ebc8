{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Shapes of declarations in every derivation, and JSON Schemas held against
-- the documents of their own types.
module Tern.ShapeTest (tests) where

import Control.Exception (evaluate)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Int (Int8)
import Data.List (nub)
import Data.List.NonEmpty (NonEmpty)
import Data.Map.Strict (Map)
import Data.Maybe (isJust)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Vector qualified as V
import Data.Word (Word8)
import GHC.Conc (getAllocationCounter, setAllocationCounter)
import GHC.Generics (Generic)
import Tern
import Tern.Codec ((<.>))
import Tern.Codec qualified as Codec
import Tern.Container (readSchema, schemaBytes)
import Tern.Derive.Declarations (Any (..))
import Tern.Derive.Generics qualified as Generics
import Tern.Derive.Renamed qualified as Renamed
import Tern.Derive.Retagged qualified as Retagged
import Tern.Derive.Template qualified as Template
import Tern.Derive.TwoElement qualified as TwoElement
import Tern.Evolution (decoderFor)
import Tern.Internal.Write (contramapWriter)
import Tern.Schema (jsonSchema, typeScript)
import Tern.Shape
  ( Body (Record, Value),
    Definition (Bare),
    Field (..),
    Reference (..),
    Shape (..),
    anyOthers,
    definitions,
    fingerprint,
    renderShape,
  )
import Tern.Value qualified as Value
import Tern.Wire (plain, shapeOf)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding (Fixed)

-- | An object within an object, both of which are of the type.
data Removal = Removal {removed :: Int8, remover :: Text}
  deriving stock (Eq, Show)

instance Wire Removal where
  codec = Codec.object (Codec.field @"delete" id inner)
    where
      inner =
        Codec.object
          (Removal <$> Codec.field @"id" removed codec <.> Codec.field @"by" remover codec)

-- | The same of a type that is within itself.
newtype Branch = Branch {from :: Maybe Branch}
  deriving stock (Eq, Show)

instance Wire Branch where
  codec = Codec.object (Codec.field @"root" id inner)
    where
      inner = Codec.object (Branch <$> Codec.optional @"from" from inner)

type Written = ([Removal], Branch, Int8)

type Wanted = ([Removal], Branch, Int)

newtype ByHand = ByHand Int

instance Wire ByHand where
  codec =
    plain
      (opaque "by hand")
      (contramapWriter number jsonW)
      (ByHand <$> jsonR)
      (contramapWriter number mpackW)
      (ByHand <$> mpackR)
      (contramapWriter number cborW)
      (ByHand <$> cborR)
      (contramapWriter number nativeW)
      (ByHand <$> nativeR)
    where
      number (ByHand n) = n

-- | A type whose arguments grow.
data Nest a = End | Nest a (Nest (a, a))
  deriving stock (Generic)
  deriving anyclass (Wire)

tests :: TestTree
tests =
  testGroup
    "shapes"
    [ testGroup
        "in words"
        [ words' @Int8 "integer -128..127",
          words' @(Map Text [Maybe Double]) "map text [(float 64)?]",
          words' @(NonEmpty Char, String, ()) "([character; 1 or more], text, unit)",
          words' @(Maybe (Maybe Bool)) "boolean??",
          words' @[ByHand] "[opaque \"by hand\"]",
          words' @Value.Value "anything",
          words'
            @Generics.Fields
            "Fields\nFields = {\"number\": integer -9223372036854775808..9223372036854775807, \
            \\"name\": text, \"flag\": boolean, \"ratio\": float 64, \"maybeText\"?: text?, \
            \\"others\": [integer -128..127]}",
          words' @Generics.Colour "Colour\nColour = \"Red\" | \"DarkGreen\" | \"BLUE\"",
          words' @Generics.Wrapped "Wrapped\nWrapped = text",
          words' @Generics.Trivial "Trivial\nTrivial = ()",
          words'
            @[Generics.Tree Bool]
            "[Tree Bool]\nTree Bool = tagged \"tag\" \"contents\"\n  | \"Leaf\"\n  | \"Node\" \
            \(Tree Bool, boolean, Tree Bool)",
          words'
            @Generics.Forest
            "Forest\nForest = tagged \"tag\" \"contents\"\n  | \"Forest\" [Rose]\n  | \
            \\"Clearing\"\nRose = {\"value\": integer 0..18446744073709551615, \"children\": \
            \Forest}",
          words'
            @(Either Bool Text)
            "Either Bool Text\nEither Bool Text = single field\n  | \"Left\" boolean\n  | \
            \\"Right\" text"
        ],
      testGroup
        "options"
        [ words'
            @Renamed.Fields
            "Fields\nFields = {\"number\": integer -9223372036854775808..9223372036854775807, \
            \\"name\": text, \"flag\": boolean, \"ratio\": float 64, \"maybe_text\"?: text?, \
            \\"others\": [integer -128..127]}",
          words' @Renamed.Lonely "Lonely\nLonely = integer",
          words' @Renamed.Colour "Colour\nColour = \"red\" | \"dark-green\" | \"blue\"",
          words'
            @(Renamed.Tree Bool)
            "Tree Bool\nTree Bool = single field\n  | \"leaf\"\n  | \"node\" (Tree Bool, \
            \boolean, Tree Bool)",
          words'
            @Retagged.Colour
            "Colour\nColour = tagged \"the \\\\type\" \"\\955\\\\\"\n  | \"Red\"\n  | \
            \\"DarkGreen\"\n  | \"BLUE\"",
          words' @TwoElement.Wrapped "Wrapped\nWrapped = two elements\n  | \"rapped\" text"
        ],
      testGroup
        "by generics and by Template Haskell alike"
        [ same @Generics.Fields @Template.Fields "Fields",
          same @Generics.Optional @Template.Optional "Optional",
          same @Generics.Lonely @Template.Lonely "Lonely",
          same @Generics.Unwrapped @Template.Unwrapped "Unwrapped",
          same @Generics.Positional @Template.Positional "Positional",
          same @Generics.Trivial @Template.Trivial "Trivial",
          same @Generics.Shape @Template.Shape "Shape",
          same @(Generics.Tree Int) @(Template.Tree Int) "Tree",
          same @Generics.Rose @Template.Rose "Rose",
          same @Generics.Term @Template.Term "Term",
          same @Generics.Plain @Template.Plain "Plain"
        ],
      testGroup
        "names"
        [ testCase "instances of one declaration are told apart" $
            map
              (T.takeWhile (/= '='))
              ( drop
                  1
                  ( T.lines
                      ( renderShape
                          ( shapeOf
                              @( Generics.Tree
                                   (Generics.Tree Bool),
                                 Generics.Tree (Generics.Tree Text)
                               )
                          )
                      )
                  )
              )
              `has` ["Tree (Tree Bool) ", "Tree Bool ", "Tree (Tree Text) ", "Tree Text "],
          testCase "types of one name in two modules are told apart" $
            map
              (T.takeWhile (/= '='))
              ( T.lines
                  ( renderShape
                      (shapeOf @(Generics.Colour, Renamed.Colour))
                  )
              )
              @?= ["(Colour, Colour#2)", "Colour ", "Colour#2 "],
          testCase "arguments that grow come to an end" $
            length (definitions (shapeOf @(Nest Bool))) @?= 7
        ],
      testGroup
        "a type that is written in two ways within one document"
        [ words'
            @Removal
            "Removal\nRemoval = {\"delete\": Removal#2}\nRemoval#2 = {\"id\": integer -128..127, \
            \\"by\": text}",
          words'
            @Branch
            "Branch\nBranch = {\"root\": Branch#2}\nBranch#2 = {\"from\"?: Branch#2?}",
          testCase "a schema says both" $ do
            accepts @Removal "{\"delete\":{\"id\":5,\"by\":\"tern\"}}" @?= Right True
            accepts @Removal "{\"delete\":{\"delete\":{\"id\":5,\"by\":\"tern\"}}}"
              @?= Right False
            accepts @Branch "{\"root\":{\"from\":{\"from\":{}}}}" @?= Right True,
          testCase "a container's schema says both, and a reader of another type follows" $ do
            let theirs = shapeOf @([Removal], Branch, Int8)
                values = ([Removal 5 "tern", Removal 6 "auk"], Branch (Just (Branch Nothing)), 7)
                bytes = encodeNative (values :: Written)
                wanted = 7 <$ values :: Wanted
                read' shape = do
                  decode <- either (Left . show) Right (decoderFor mempty shape)
                  either (Left . show) Right (decode defaultLimits bytes)
            fmap renderShape (readSchema defaultLimits (schemaBytes theirs))
              @?= Right (renderShape theirs)
            either (assertFailure . show) (\shape -> read' shape @?= Right wanted) $
              readSchema defaultLimits (schemaBytes theirs)
            read' theirs @?= Right wanted,
          testCase "a schema that speaks of a long type very often costs what it is long" $ do
            let fields = [Field (T.pack (show k)) False Text | k <- [1 .. 1000 :: Int]]
                wide = Bare anyOthers (Record fields)
                one = Declared (Reference "" "Wide" []) wide
                bytes = schemaBytes (Tuple (replicate 5000 one))
                inWords = T.length . renderShape
            _ <- evaluate (B.length bytes)
            setAllocationCounter 0
            _ <- evaluate (either (const 0) inWords (readSchema defaultLimits bytes))
            used <- negate <$> getAllocationCounter
            assertBool (show (used, B.length bytes)) (used < 100000000)
        ],
      testGroup
        "fingerprint"
        [ testCase "is FNV-1a of the text" $ fingerprint Text @?= 0xfa04f4ef1995407e,
          testCase "is the same for the same declaration" $
            fingerprint (shapeOf @Generics.Shape) @?= fingerprint (shapeOf @Template.Shape),
          testCase "is another for other names, layouts and ranges" $ do
            let prints =
                  [ fingerprint
                      (shapeOf @Generics.Shape),
                    fingerprint (shapeOf @Renamed.Shape),
                    fingerprint (shapeOf @Retagged.Shape),
                    fingerprint (shapeOf @TwoElement.Shape),
                    fingerprint (shapeOf @Int8),
                    fingerprint (shapeOf @Word8)
                  ]
            assertBool
              (show prints)
              ( and
                  [ a /= b
                    | (i, a) <-
                        zip [0 :: Int ..] prints,
                      (j, b) <- zip [0 ..] prints,
                      i < j
                  ]
              )
        ],
      testGroup
        "JSON Schema"
        [ testCase "of a record" $
            encodeJson (jsonSchema (shapeOf @(Map Text Generics.Optional)))
              @?= "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\"\
                  \,\"type\":\"object\",\"additionalProperties\":{\"$ref\":\"#/$defs/Optional\"}\
                  \,\"$defs\":{\"Optional\":{\"type\":\"object\"\
                  \,\"properties\":{\"optionalA\":{\"anyOf\":[{\"type\":\"integer\"\
                  \,\"minimum\":-9223372036854775808,\"maximum\":9223372036854775807},\
                  \{\"type\":\"null\"}]},\"optionalB\":{\"anyOf\":[{\"type\":\"array\"\
                  \,\"items\":{\"anyOf\":[{\"type\":\"boolean\"},{\"type\":\"null\"}]}},\
                  \{\"type\":\"null\"}]}},\"required\":[]}}}",
          testProperty "names of definitions differ" $
            forAll (resize 12 (listOf (elements ["T", "T'", "T_", "T_2", "T'_2", "T__2", "T_3"]))) $
              \names ->
                let types =
                      [ Declared
                          (Reference (T.pack (show i)) name [])
                          (Bare anyOthers (Value (List i Text)))
                        | (i, name) <-
                            zip [1 ..] names
                      ]
                    declared =
                      [ line
                        | line <- T.lines (typeScript "T" (Tuple types)),
                          "export type " `T.isPrefixOf` line
                      ]
                 in counterexample (show declared) $
                      conjoin
                        [ [minItems d | d <- definitionsOf (jsonSchema (Tuple types))]
                            === [Just (fromIntegral i) | i <- [1 .. length names]],
                          length (nub (map (T.takeWhile (/= '=')) declared))
                            === length names + 1
                        ],
          testGroup
            "allows what is written"
            [ valid @Generics.Fields "Fields",
              valid @Generics.Shape "Shape",
              valid @(Generics.Tree Int) "Tree",
              valid @Generics.Rose "Rose",
              valid @Generics.Term "Term",
              valid @Generics.Plain "Plain",
              valid @Generics.Colour "Colour",
              valid @Generics.Positional "Positional",
              valid @Renamed.Shape "Shape, renamed",
              valid @Renamed.Fields "Fields, renamed",
              valid @Renamed.Lonely "Lonely, renamed",
              valid @Renamed.Term "Term, renamed",
              valid @Retagged.Shape "Shape, tagged otherwise",
              valid @Retagged.Rose "Rose, tagged otherwise",
              valid @TwoElement.Shape "Shape, in arrays of two",
              valid @TwoElement.Plain "Plain, in arrays of two"
            ],
          testGroup
            "refuses what another type writes"
            [ invalid @Int8 "128",
              invalid @Int8 "\"1\"",
              invalid @Generics.Colour "\"Green\"",
              invalid @Generics.Shape "{\"tag\":\"Circle\"}",
              invalid @Generics.Shape "{\"tag\":\"Polygon\",\"contents\":[[1,2,3]]}",
              invalid @Generics.Lonely "{}",
              invalid @Renamed.Shape "{\"circle\":{\"radius\":1},\"point\":[]}",
              invalid @TwoElement.Wrapped "[\"rapped\"]",
              invalid @(NonEmpty Int) "[]",
              invalid @Char "\"ab\""
            ]
        ]
    ]
  where
    has found wanted = mapM_ (\x -> assertBool (show (x, found)) (x `elem` found)) wanted

words' :: forall a. (Wire a) => Text -> TestTree
words' text = testCase (T.unpack (T.takeWhile (/= '\n') text)) (renderShape (shapeOf @a) @?= text)

same :: forall a b. (Wire a, Wire b) => String -> TestTree
same name = testCase name (renderShape (shapeOf @a) @?= renderShape (shapeOf @b))

valid :: forall a. (Any a, Show a, Wire a) => String -> TestTree
valid name = testProperty name $ forAll (sized (arbitraryAny . min 8) :: Gen a) $ \x ->
  counterexample
    (show (encodeJson x))
    ( fmap (allows (jsonSchema (shapeOf @a))) (decodeJson (encodeJson x))
        === Right True
    )

invalid :: forall a. (Wire a) => ByteString -> TestTree
invalid text = testCase (show text) (accepts @a text @?= Right False)

-- | In their order, each that no other of its name takes the place of.
definitionsOf :: Value.Value -> [Value.Value]
definitionsOf = \case
  Value.Object o
    | Just (Value.Object all') <- Value.member "$defs" o ->
        [one | (name, _) <- Value.members all', Just one <- [Value.member name all']]
  _ -> []

minItems :: Value.Value -> Maybe Integer
minItems = \case
  Value.Object o | Just (Value.Number n) <- Value.member "minItems" o -> Value.numberToInteger n
  _ -> Nothing

accepts :: forall a. (Wire a) => ByteString -> Either Error Bool
accepts text = allows (jsonSchema (shapeOf @a)) <$> decodeJson text

-- * A checker of the schemas that are made

allows :: Value.Value -> Value.Value -> Bool
allows root = check root
  where
    check (Value.Bool b) _ = b
    check (Value.Object o) v = all (\(k, s) -> keyword o k s v) (Value.members o)
    check _ _ = False
    keyword o k s v = case (k, s, v) of
      ("$ref", Value.String r, _) ->
        maybe False (`check` v) (definition (T.drop (T.length "#/$defs/") r))
      ("type", Value.String t, _) -> isA t v
      ("type", Value.Array ts, _) -> or [isA t v | Value.String t <- V.toList ts]
      ("minimum", Value.Number n, Value.Number x) ->
        Value.numberToInteger n <= Value.numberToInteger x
      ("maximum", Value.Number n, Value.Number x) ->
        Value.numberToInteger x <= Value.numberToInteger n
      ("const", _, _) -> s == v
      ("enum", Value.Array xs, _) -> v `V.elem` xs
      ("anyOf", Value.Array xs, _) -> any (`check` v) xs
      ("oneOf", Value.Array xs, _) -> length (filter (`check` v) (V.toList xs)) == 1
      ("properties", Value.Object ps, Value.Object m) ->
        and [check p x | (name, p) <- Value.members ps, Just x <- [Value.member name m]]
      ("required", Value.Array names, Value.Object m) ->
        and [isJust (Value.member name m) | Value.String name <- V.toList names]
      ("additionalProperties", p, Value.Object m) -> all (check p . snd) (Value.members m)
      ("maxProperties", Value.Number n, Value.Object m) -> count n >= length (Value.members m)
      ("prefixItems", Value.Array ps, Value.Array xs) ->
        and (zipWith check (V.toList ps) (V.toList xs))
      ("items", p, Value.Array xs) -> all (check p) (V.toList (V.drop (prefix o) xs))
      ("minItems", Value.Number n, Value.Array xs) -> V.length xs >= count n
      ("maxItems", Value.Number n, Value.Array xs) -> V.length xs <= count n
      ("minLength", Value.Number n, Value.String t) -> T.length t >= count n
      ("maxLength", Value.Number n, Value.String t) -> T.length t <= count n
      ("pattern", Value.String "^[+-]inf$", Value.String t) -> t `elem` ["+inf", "-inf"]
      _ -> True
    count = maybe (-1) fromInteger . Value.numberToInteger
    isA t v = case (t :: Text, v) of
      ("null", Value.Null) -> True
      ("boolean", Value.Bool _) -> True
      ("integer", Value.Number n) -> isJust (Value.numberToInteger n)
      ("number", Value.Number _) -> True
      ("string", Value.String _) -> True
      ("array", Value.Array _) -> True
      ("object", Value.Object _) -> True
      _ -> False
    prefix o = case Value.member "prefixItems" o of
      Just (Value.Array ps) -> V.length ps
      _ -> 0
    definition name = case root of
      Value.Object o | Just (Value.Object defs) <- Value.member "$defs" o -> Value.member name defs
      _ -> Nothing
