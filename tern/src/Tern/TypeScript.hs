{-# LANGUAGE OverloadedStrings #-}

-- | TypeScript's types for what a shape's values are in JSON.
--
-- Start at 'typeScript'; "Tern.Schema" is the same for JSON Schema.
module Tern.TypeScript (typeScript) where

import Data.Char (isAlpha, isAlphaNum, isAscii)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Json (encodeJsonText)
import Tern.SchemaNames (apartFrom, distinct)
import Tern.Shape (Body, Constructor (..), Definition, Field (..), Layout (..), Said (..), Shape)
import Tern.Shape qualified as Shape

-- $setup
-- >>> :set -XOverloadedStrings
-- >>> import Data.Text.IO qualified as T
-- >>> import Tern.Schema
-- >>> import Tern.Shape

-- | A declaration for each type of a shape, and one of the name that is given, for the shape
-- itself. What people are told of types and fields stands before them.
--
-- >>> T.putStr (typeScript "Reading" (Tuple [Text, Optional (List 0 Boolean)]))
-- export type Reading = [string, Array<boolean> | null];
typeScript :: Text -> Shape -> Text
typeScript name given =
  T.concat
    ( map declared defined
        <> [T.concat ["export type ", fresh, " = ", expression root, ";\n"] | unnamed root]
    )
  where
    root = Shape.distinct given
    defined = Shape.definitions root
    fresh
      | name `elem` Map.elems names = apartFrom (Map.elems names) (name <> "Document")
      | otherwise = name
    -- The shape has a name of its own where it is a declared type of the same name.
    unnamed = \case
      Shape.Declared reference _ -> Map.lookup reference names /= Just name
      _ -> True
    labels = Shape.labels root
    names =
      Map.fromList
        ( zip
            (map fst defined)
            ( distinct
                [ identifier (Map.findWithDefault (Shape.typeName reference) reference labels)
                  | (reference, _) <-
                      defined
                ]
            )
        )
    declared (reference, definition) =
      T.concat ["export type ", nameOf reference, " = ", defines definition, ";\n\n"]
    nameOf reference = Map.findWithDefault "unknown" reference names
    expression :: Shape -> Text
    expression = \case
      Shape.Boolean -> "boolean"
      Shape.Integer _ _ -> "number"
      Shape.IntegerIn {} -> "number"
      -- What is not a number is null, and the infinities are strings.
      Shape.Floating _ -> "number | null | \"+inf\" | \"-inf\""
      Shape.Text -> "string"
      Shape.Character -> "string"
      Shape.Unit -> "[]"
      Shape.Anything -> "unknown"
      Shape.Binary -> "string"
      Shape.BinaryOf _ -> "string"
      Shape.Formatted Shape.InText _ _ -> "string"
      Shape.Formatted Shape.InNumber _ _ -> "number"
      Shape.Opaque _ -> "unknown"
      Shape.List _ s -> T.concat ["Array<", expression s, ">"]
      Shape.SetOf s -> T.concat ["Array<", expression s, ">"]
      Shape.Optional s -> expression s <> " | null"
      Shape.Mapping k v
        | Just _ <- Shape.keyNotation k -> T.concat ["{ [key: string]: ", expression v, " }"]
        | otherwise -> T.concat ["Array<", tuple [k, v], ">"]
      Shape.Tuple ss -> tuple ss
      Shape.Described _ s -> expression s
      Shape.Declared reference _ -> nameOf reference
    tuple ss = T.concat ["[", T.intercalate ", " (map expression ss), "]"]
    defines :: Definition -> Text
    defines = \case
      Shape.Bare _ b -> body b
      Shape.Names ns -> union (map encodeJsonText ns)
      Shape.Sum layout constructors -> union (map (alternative layout) constructors)
    alternative layout (Constructor label _ b) = case layout of
      Tagged tag contents -> members ((tag, False, [], encodeJsonText label) : beside contents b)
      SingleField -> members [(label, False, [], body b)]
      TwoElements -> T.concat ["[", encodeJsonText label, ", ", body b, "]"]
      Untagged -> case b of
        Shape.Nullary -> encodeJsonText label
        _ -> body b
    beside contents = \case
      Shape.Nullary -> []
      Shape.Record fields -> map member fields
      b -> [(contents, False, [], body b)]
    body :: Body -> Text
    body = \case
      Shape.Nullary -> "[]"
      Shape.Value s -> expression s
      Shape.Array ss -> tuple ss
      Shape.Record fields -> members (map member fields)
    member (Field label optional s) =
      (label, optional, [text | InWords text <- Shape.saidOf s], expression s)
    members fields = T.concat ["{\n", T.concat (map line fields), "}"]
    line (label, optional, texts, type_) =
      T.concat
        [ T.concat
            [ T.concat ["  /** ", T.replace "*/" "* /" (T.unwords (T.words text)), " */\n"]
              | text <-
                  take 1 texts
            ],
          "  ",
          property label,
          if optional
            then "?: "
            else ": ",
          type_,
          ";\n"
        ]
    union = \case
      [] -> "never"
      [one] -> one
      several -> T.concat ["\n  | " <> T.replace "\n" "\n    " one | one <- several]

-- | A property's name, in quotes where it is no identifier.
property :: Text -> Text
property label
  | identifier label == label = label
  | otherwise = encodeJsonText label

-- | A name with nothing else than letters, digits and underscores in it.
identifier :: Text -> Text
identifier name = case T.uncons letters of
  Just (c, _) | isAlpha c || c == '_' -> letters
  _ -> "_" <> letters
  where
    letters = T.map (\c -> if isAscii c && isAlphaNum c || c == '_' then c else '_') name
