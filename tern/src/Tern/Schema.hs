{-# LANGUAGE OverloadedStrings #-}

-- | JSON Schema (draft 2020-12) of a type's documents.
--
-- The idea: a schema allows what the codec writes and what it reads alike: a
-- field that may be absent is not required, a field with other names may have one of those,
-- and members that the type does not have are let through or refused, as the readers do.
-- What was said of a codec is a @description@,
-- @examples@ or a @default@. Each declared type is one entry of @$defs@, so that a recursive type's
-- schema is finite.
module Tern.Schema
  ( jsonSchema,

    -- * TypeScript
    typeScript,

    -- * For people
    schemaPage,
  )
where

import Data.Char (isAlphaNum, isAscii)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Data.Vector qualified as V
import Tern.Internal.Json.Document (decodeWith)
import Tern.Limits (defaultLimits)
import Tern.SchemaNames (distinct)
import Tern.SchemaPage (schemaPage)
import Tern.Shape
  ( Body,
    Constructor (..),
    Definition,
    Field (..),
    Layout (..),
    Others (..),
    Shape,
  )
import Tern.Shape qualified as Shape
import Tern.TypeScript (typeScript)
import Tern.Value (Value (..), numberFromInteger, object, valueR)

-- $setup
-- >>> :set -XOverloadedStrings
-- >>> import Data.ByteString.Char8 qualified as BC
-- >>> import Tern.Json.Pretty
-- >>> import Tern.Shape

-- | The schema of a shape.
--
-- >>> :{
-- BC.putStrLn (pretty defaultLayout
--   (jsonSchema (List 0 (Described (InWords "whether it sings") Boolean))))
-- :}
-- {
--   "$schema": "https://json-schema.org/draft/2020-12/schema",
--   "type": "array",
--   "items": {"description": "whether it sings", "type": "boolean"}
-- }
jsonSchema :: Shape -> Value
jsonSchema given =
  Object . object $
    ("$schema", String "https://json-schema.org/draft/2020-12/schema")
      : expression root
        <> [ ( "$defs",
               schema
                 [ (key name, schema (definition d))
                   | (name, d) <-
                       defined
                 ]
             )
             | not (null defined)
           ]
  where
    root = Shape.distinctWithOthers given
    defined = Shape.definitions root
    keys = Map.fromList (zip (map fst defined) (distinct (map (T.map safe . label . fst) defined)))
    -- Outside of the function: they are made once.
    labels = Shape.labels root
    label name = Map.findWithDefault (Shape.typeName name) name labels
    safe c = if isAscii c && isAlphaNum c || c == '.' || c == '-' then c else '_'
    key name = Map.findWithDefault T.empty name keys
    expression = \case
      Shape.Boolean -> typed "boolean"
      Shape.Integer least most ->
        typed "integer"
          <> [("minimum", integer n) | Just n <- [least]]
          <> [("maximum", integer n) | Just n <- [most]]
      Shape.IntegerIn _ least most -> expression (Shape.Integer (Just least) (Just most))
      -- What is not a number is null, and the infinities are strings.
      Shape.Floating _ ->
        [("type", strings ["number", "null", "string"]), ("pattern", String "^[+-]inf$")]
      Shape.Text -> typed "string"
      Shape.Character -> typed "string" <> [("minLength", integer 1), ("maxLength", integer 1)]
      Shape.Unit -> empty
      Shape.Anything -> []
      Shape.Binary -> typed "string" <> [("contentEncoding", String "base64")]
      Shape.BinaryOf n ->
        typed "string"
          <> [ ("contentEncoding", String "base64"),
               ("minLength", integer (toInteger ((4 * n + 2) `quot` 3))),
               ( "maxLength",
                 integer (toInteger (4 * ((n + 2) `quot` 3)))
               )
             ]
      Shape.Formatted Shape.InNumber name _ -> typed "number" <> [("format", String name)]
      Shape.Formatted Shape.InText name s
        | Shape.Binary <- s,
          name `elem` ["base16", "base64url"] ->
            typed "string" <> [("contentEncoding", String name)]
        | otherwise -> typed "string" <> [("format", String name)]
      Shape.Opaque name -> [("title", String name)]
      Shape.List n s ->
        typed "array"
          <> [("items", schema (expression s))]
          <> [("minItems", integer (toInteger n)) | n > 0]
      Shape.SetOf s ->
        typed "array" <> [("items", schema (expression s)), ("uniqueItems", Bool True)]
      Shape.Optional s -> [("anyOf", list [expression s, typed "null"])]
      Shape.Mapping k v
        | Just _ <- Shape.keyNotation k ->
            typed "object" <> keyed k <> [("additionalProperties", schema (expression v))]
        | otherwise -> typed "array" <> [("items", schema (exactly [expression k, expression v]))]
      Shape.Tuple ss -> exactly (map expression ss)
      s@(Shape.Described _ _) -> annotations (Shape.saidOf s) <> expression (bare s)
      Shape.Declared name _
        | Map.member name keys -> [("$ref", String ("#/$defs/" <> key name))]
        | otherwise -> [("title", String (Shape.typeName name))]
    -- What the names of an object's members are, which are keys.
    keyed k = case Shape.keyNotation k of
      Just Shape.InNumber ->
        [("propertyNames", schema [("pattern", String "^([-+0-9.eE]*|true|false|[+-]inf|null)$")])]
      Just Shape.InText
        | expression k /= typed "string" ->
            [("propertyNames", schema (expression k))]
      _ -> []
    definition :: Definition -> [(Text, Value)]
    definition = \case
      Shape.Bare others b -> body others b
      Shape.Names names -> [("enum", strings names)]
      -- More than one may fit then, of which the first one counts.
      Shape.Sum Untagged constructors -> [("anyOf", list (map (alternative Untagged) constructors))]
      Shape.Sum layout constructors -> [("oneOf", list (map (alternative layout) constructors))]
    alternative layout (Constructor name others b) = case layout of
      Tagged tag contents ->
        record others (Member [tag] True (named name) : beside contents others b)
      SingleField ->
        record Shape.anyOthers [Member [name] True (body others b)]
          <> [("maxProperties", integer 1)]
      TwoElements -> exactly [named name, body others b]
      Untagged -> case b of
        Shape.Nullary -> named name
        _ -> body others b
    beside contents others = \case
      Shape.Nullary -> []
      Shape.Record fields -> map memberOf fields
      b -> [Member [contents] True (body others b)]
    named name = [("const", String name)]
    body :: Others -> Body -> [(Text, Value)]
    body others = \case
      Shape.Nullary -> empty
      Shape.Value s -> expression s
      Shape.Array ss -> exactly (map expression ss)
      Shape.Record fields -> record others (map memberOf fields)
    memberOf (Field name optional s) =
      Member (name : Shape.otherNames s) (not optional) (expression s)

-- | Without what is said of it: the outermost words count.
bare :: Shape -> Shape
bare = \case
  Shape.Described _ s -> bare s
  s -> s

-- * Pieces

-- | What is said of values: of each kind the outermost counts.
annotations :: [Shape.Said] -> [(Text, Value)]
annotations said =
  take 1 [("description", String text) | Shape.InWords text <- said]
    <> take
      1
      [ ("examples", Array (V.fromList (concatMap value documents)))
        | Shape.Examples documents <-
            said
      ]
    <> take 1 [("default", v) | Shape.MissingIs _ document <- said, v <- value document]
  where
    value = either (const []) pure . decodeWith valueR defaultLimits

typed :: Text -> [(Text, Value)]
typed name = [("type", String name)]

schema :: [(Text, Value)] -> Value
schema = Object . object

integer :: Integer -> Value
integer = Number . numberFromInteger

strings :: [Text] -> Value
strings = Array . V.fromList . map String

list :: [[(Text, Value)]] -> Value
list = Array . V.fromList . map schema

-- | An array of just these.
exactly :: [[(Text, Value)]] -> [(Text, Value)]
exactly items =
  typed "array"
    <> [ ("prefixItems", list items),
         ("items", Bool False),
         ("minItems", integer (toInteger (length items)))
       ]

-- | The array of nothing.
empty :: [(Text, Value)]
empty = typed "array" <> [("maxItems", integer 0)]

-- | A member of an object: the names that it may have, whether one of them is required, and
-- its value.
data Member = Member [Text] Bool [(Text, Value)]

-- | An object of members, and what it may have beside them.
record :: Others -> [Member] -> [(Text, Value)]
record (Others refused computed) given =
  typed "object"
    <> [ ( "properties",
           schema
             ( [(name, schema s) | Member names _ s <- given, name <- names]
                 <> [(name, schema []) | refused, name <- computed]
             )
         ),
         ("required", strings [name | Member [name] True _ <- given])
       ]
    <> [("allOf", list (map anyOf several)) | not (null several)]
    <> [("additionalProperties", Bool False) | refused]
  where
    several = [names | Member names@(_ : _ : _) True _ <- given]
    anyOf names = [("anyOf", list [[("required", strings [name])] | name <- names])]
