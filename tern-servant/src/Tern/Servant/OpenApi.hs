{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE OverloadedStrings #-}

-- | OpenAPI 3.1 of an API, from its type and from the shapes of its values.
--
-- The idea: OpenAPI's schemas are JSON Schema, which "Tern.Schema" makes of a shape. All
-- shapes of an API are given to it as one tuple, so that each declared type has one name
-- in the whole document; the tuple's parts are then put where they are used.
--
-- Start at 'openApi'.
module Tern.Servant.OpenApi
  ( openApi,
    About (..),
    pathText,
    operationName,
    module Tern.Servant.Operation,
  )
where

import Data.List.NonEmpty qualified as NonEmpty
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (catMaybes)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Vector qualified as V
import Network.HTTP.Types (statusMessage)
import Tern.Http (Format (..), Problem, Series (..))
import Tern.Http.Format (Entry (..), entry, sixteenDigits)
import Tern.Http.Series (SeriesEntry (..), series)
import Tern.Negotiate (MediaType, renderMediaType)
import Tern.Schema (jsonSchema)
import Tern.Servant.Operation
import Tern.Shape (Shape (Tuple), fingerprint, renderShape)
import Tern.Value (Value (..), member, members, object)
import Tern.Wire (shapeOf)

-- | What a document says of an API as a whole.
data About = About {aboutTitle :: !Text, aboutVersion :: !Text, aboutDescription :: !Text}

-- | The document of an API.
--
-- > BL.writeFile "openapi.json" (encodeJson (openApi @Birds (About "Birds" "1" "What was seen.")))
openApi :: forall api. (Described api) => About -> Value
openApi about =
  record
    [ ("openapi", String "3.1.0"),
      ( "info",
        record
          [ ("title", String (aboutTitle about)),
            ("version", String (aboutVersion about)),
            ("description", String (aboutDescription about))
          ]
      ),
      ( "paths",
        record
          [ (pathText path, record [(T.toLower (methodText o), operation schemas o) | o <- those])
            | (path, those) <-
                grouped
          ]
      ),
      ( "components",
        record
          [ ("schemas", record (definitionsOf schemas)),
            ( "responses",
              record
                [ ( "Problem",
                    record
                      [ ("description", String "What is wrong, as RFC 9457 has it."),
                        ( "content",
                          record
                            [ ( typeName
                                  (entryProblem (entry format)),
                                inFormat schemas format problemShape
                              )
                              | format <-
                                  [minBound ..]
                            ]
                        )
                      ]
                  )
                ]
            )
          ]
      )
    ]
  where
    all' = operations @api
    schemas = schemasOf (problemShape : concatMap shapesOf all')
    -- Paths in the order in which they come first.
    grouped =
      [(path, [o | o <- all', operationPath o == path]) | path <- distinct (map operationPath all')]
    distinct = foldr (\one others -> one : filter (/= one) others) []

problemShape :: Shape
problemShape = shapeOf @Problem

-- | As a URI template.
pathText :: [Text] -> Text
pathText segments = T.concat ("/" : [T.intercalate "/" segments])

methodText :: Operation -> Text
methodText = T.decodeUtf8Lenient . operationMethod

-- | A name that no other operation of the API has.
operationName :: Operation -> Text
operationName o =
  T.intercalate
    "_"
    ( T.toLower (methodText o)
        : map (T.filter (`notElem` ("{}" :: String))) (operationPath o)
    )

-- * Operations

operation :: Schemas -> Operation -> Value
operation schemas o =
  record $
    [("operationId", String (operationName o))]
      <> [("summary", String words') | Just words' <- [operationSummary o]]
      <> [("description", String words') | Just words' <- [operationDescription o]]
      <> [ ( "parameters",
             list (map (parameter schemas) (operationParameters o))
           )
           | not (null (operationParameters o))
         ]
      <> [ ("requestBody", record [("required", Bool True), ("content", content schemas takes)])
           | Just takes <-
               [operationTakes o]
         ]
      <> [ ( "responses",
             record
               ( (number (operationStatus o), given)
                   : refusals <> [("default", problem')]
               )
           )
         ]
  where
    given =
      record
        ( ("description", String (T.decodeUtf8Lenient (statusMessage (toEnum (operationStatus o)))))
            : [("content", content schemas gives) | Just gives <- [operationGives o]]
        )
    refusals =
      [(code, problem') | Just _ <- [operationTakes o], code <- ["400", "413", "415"]]
        <> [("406", problem') | Just _ <- [operationGives o]]
    problem' = record [("$ref", String "#/components/responses/Problem")]
    number = T.pack . show

parameter :: Schemas -> Parameter -> Value
parameter schemas (Parameter name place needed shape) =
  record
    [ ("name", String name),
      ("in", String (placeText place)),
      ("required", Bool needed),
      ("schema", schemaOf schemas shape)
    ]
  where
    placeText = \case
      InPath -> "path"
      InQuery -> "query"
      InHeader -> "header"

content :: Schemas -> Content -> Value
content schemas = \case
  OneOf formats shape ->
    record [(typeOf' format shape, inFormat schemas format shape) | format <- formats]
  Several shape ->
    record
      [ (typeName (NonEmpty.head (seriesTypes (series kind))), inSeries schemas kind shape)
        | kind <-
            [minBound ..]
      ]
  where
    typeOf' format shape = case format of
      Native ->
        T.concat [named format, ";schema=", T.decodeUtf8Lenient (sixteenDigits (fingerprint shape))]
      Json -> named format
      MessagePack -> named format
      Cbor -> named format
    named = typeName . NonEmpty.head . entryTypes . entry

-- | JSON, MessagePack and CBOR have the same structure. The native format is bytes, which the
-- shape describes.
inFormat :: Schemas -> Format -> Shape -> Value
inFormat schemas format shape = case format of
  Json -> record [("schema", schemaOf schemas shape)]
  MessagePack -> record [("schema", schemaOf schemas shape)]
  Cbor -> record [("schema", schemaOf schemas shape)]
  Native -> record [("x-tern-shape", String (renderShape shape))]

inSeries :: Schemas -> Series -> Shape -> Value
inSeries schemas kind shape = case kind of
  JsonArray ->
    record [("schema", record [("type", String "array"), ("items", schemaOf schemas shape)])]
  JsonLines -> each
  JsonRecords -> each
  MessagePackValues -> each
  CborValues -> each
  NativeContainer -> record [("x-tern-shape", String (renderShape shape))]
  where
    -- OpenAPI 3.1 has no word for the elements of a sequence; 3.2 calls it itemSchema.
    each = record [("x-tern-each", schemaOf schemas shape)]

-- * Schemas

-- | The schema of each shape of a document, and those of declared types by their names.
data Schemas = Schemas {byShape :: Map Text Value, definitionsOf :: [(Text, Value)]}

schemasOf :: [Shape] -> Schemas
schemasOf shapes =
  Schemas
    { byShape =
        Map.fromList (zip (map renderShape shapes) parts),
      definitionsOf = maybe [] fields (at "$defs" whole)
    }
  where
    whole = relocated (jsonSchema (Tuple shapes))
    parts = maybe [] elements (at "prefixItems" whole)
    at name = \case
      Object o -> member name o
      _ -> Nothing
    fields = \case
      Object o -> members o
      _ -> []
    elements = \case
      Array items -> V.toList items
      _ -> []

-- | What stands where a value of a shape does. Every shape of the document is there;
-- @true@ is the schema of anything.
schemaOf :: Schemas -> Shape -> Value
schemaOf schemas shape = Map.findWithDefault (Bool True) (renderShape shape) (byShape schemas)

shapesOf :: Operation -> [Shape]
shapesOf o =
  map parameterShape (operationParameters o)
    <> map inside (catMaybes [operationTakes o, operationGives o])
  where
    inside = \case
      OneOf _ shape -> shape
      Several shape -> shape

-- | References to where the definitions are in this document.
relocated :: Value -> Value
relocated = \case
  Object o ->
    Object
      ( object
          [ (name, if name == "$ref" then moved value else relocated value)
            | (name, value) <-
                members o
          ]
      )
  Array items -> Array (fmap relocated items)
  other -> other
  where
    moved = \case
      String place
        | Just name <- T.stripPrefix "#/$defs/" place ->
            String ("#/components/schemas/" <> name)
      other -> other

-- * Pieces

typeName :: MediaType -> Text
typeName = T.decodeUtf8Lenient . renderMediaType

record :: [(Text, Value)] -> Value
record = Object . object

list :: [Value] -> Value
list = Array . V.fromList
