{-# LANGUAGE OverloadedStrings #-}

-- | A page for people of what a shape's values are in JSON: HTML that needs nothing else.
--
-- The idea: a section for each declared type, in the order in which they are met, and a row for
-- each field; a type's name leads to its section. Start at 'schemaPage'; "Tern.Schema" and
-- "Tern.TypeScript" are the same for programs.
module Tern.SchemaPage (schemaPage) where

import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Tern.Shape
  ( Body,
    Constructor (..),
    Definition,
    Field (..),
    Layout (..),
    Others (..),
    Said (..),
    Shape,
  )
import Tern.Shape qualified as Shape

-- $setup
-- >>> :set -XOverloadedStrings
-- >>> import Data.Text qualified as T
-- >>> import Tern.Schema
-- >>> import Tern.Shape

-- | The page, from its title. What people are told of types and fields, examples, defaults and
-- other names are on it. Whatever a name has in it, it is text there and no markup.
--
-- >>> T.isInfixOf "<h1>Readings &amp; more</h1>" (schemaPage "Readings & more" (List 0 Boolean))
-- True
-- >>> T.isInfixOf "a list of true or false" (schemaPage "Readings" (List 0 Boolean))
-- True
schemaPage :: Text -> Shape -> Text
schemaPage title given =
  T.concat $
    [ "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>",
      escaped title,
      "</title>\n<style>\n",
      style,
      "</style>\n</head>\n<body>\n<main>\n<h1>",
      escaped title,
      "</h1>\n<p>A document is ",
      expression root,
      ".</p>\n"
    ]
      <> map said (Shape.saidOf root)
      <> map section defined
      <> ["</main>\n</body>\n</html>\n"]
  where
    root = Shape.distinctWithOthers given
    defined = Shape.definitions root
    labels = Shape.labels root
    anchors = Map.fromList (zip (map fst defined) [1 :: Int ..])
    section (reference, definition) =
      T.concat
        [ "<section id=\"",
          anchor reference,
          "\">\n<h2>",
          escaped (labelOf reference),
          "</h2>\n",
          defines definition,
          "</section>\n"
        ]
    labelOf reference = Map.findWithDefault (Shape.typeName reference) reference labels
    anchor reference = "t" <> T.pack (show (Map.findWithDefault 0 reference anchors))
    defines :: Definition -> Text
    defines = \case
      Shape.Bare others b -> body b <> noOthers others b
      Shape.Names names ->
        paragraph ("One of the texts " <> T.intercalate ", " (map code names) <> ".")
      Shape.Sum layout constructors ->
        T.concat (paragraph (told layout) : map (alternative layout) constructors)
    told = \case
      Tagged tag contents ->
        T.concat
          [ "An object whose ",
            code tag,
            " says which of these it is; its fields stand beside that, or what it holds under ",
            code contents,
            "."
          ]
      SingleField -> "An object of one member, whose name says which of these it is."
      TwoElements -> "An array of a name, which says which of these it is, and what that holds."
      Untagged -> "The first of these that it can be."
    alternative layout (Constructor name others b) =
      T.concat ["<h3>", code name, "</h3>\n", holding layout name b, noOthers others b]
    noOthers others = \case
      Shape.Record _
        | othersRefused others ->
            paragraph "Fields that are not in the table are refused."
      _ -> T.empty
    holding layout name b = case (layout, b) of
      (Tagged _ _, Shape.Nullary) -> paragraph "Nothing beside it."
      (Untagged, Shape.Nullary) -> paragraph ("The text " <> code name <> ".")
      _ -> body b
    body :: Body -> Text
    body = \case
      Shape.Nullary -> paragraph "An array of nothing."
      Shape.Value s -> paragraph (expression s) <> T.concat (map said (Shape.saidOf s))
      Shape.Array ss -> paragraph (tuple ss)
      Shape.Record fields ->
        T.concat
          [ "<table>\n<thead><tr><th>field<th>what it is<th>must be \
            \there<th>remarks</thead>\n<tbody>\n",
            T.concat (map row fields),
            "</tbody>\n</table>\n"
          ]
    row (Field name optional s) =
      T.concat
        [ "<tr><th scope=\"row\">",
          code name,
          "<td>",
          expression s,
          "<td>",
          if optional then "no" else "yes",
          "<td>",
          T.concat (map said (Shape.saidOf s)),
          "</tr>\n"
        ]
    said = \case
      InWords text -> paragraph (escaped text)
      OtherNames names ->
        paragraph ("Also called " <> T.intercalate ", " (map code names) <> " in older documents.")
      MissingIs _ document -> paragraph ("Where it is missing, " <> bytes document <> ".")
      Examples documents ->
        paragraph ("For example " <> T.intercalate ", " (map bytes documents) <> ".")
    bytes = code . T.decodeUtf8Lenient
    expression :: Shape -> Text
    expression = \case
      Shape.Boolean -> "true or false"
      Shape.Integer least most -> case (least, most) of
        (Nothing, Nothing) -> "an integer"
        (Just a, Nothing) -> "an integer from " <> shown a <> " on"
        (Nothing, Just b) -> "an integer up to " <> shown b
        (Just a, Just b) -> T.concat ["an integer from ", shown a, " to ", shown b]
      Shape.IntegerIn _ least most -> expression (Shape.Integer (Just least) (Just most))
      Shape.Floating bits -> "a number, of " <> shown bits <> " bits"
      Shape.Text -> "a text"
      Shape.Character -> "a text of one character"
      Shape.Unit -> "an array of nothing"
      Shape.Anything -> "any document"
      Shape.Binary -> "bytes, as text of base64"
      Shape.BinaryOf n -> shown n <> " bytes, as text of base64"
      Shape.Formatted Shape.InText name _ -> "a text of the format " <> code name
      Shape.Formatted Shape.InNumber name _ -> "a number of the format " <> code name
      Shape.Opaque name -> "what the program calls " <> code name
      Shape.List least s
        | least > 0 -> T.concat ["a list of ", shown least, " or more, each ", expression s]
        | otherwise -> "a list of " <> expression s
      Shape.SetOf s -> "a list of different ones, each " <> expression s
      Shape.Optional s -> expression s <> ", or null"
      Shape.Mapping k v
        | Just _ <- Shape.keyNotation k ->
            T.concat ["an object with keys that are ", expression k, ", each with ", expression v]
        | otherwise -> "a list of " <> tuple [k, v]
      Shape.Tuple ss -> tuple ss
      Shape.Described _ s -> expression s
      Shape.Declared reference _
        | Map.member reference anchors ->
            T.concat ["<a href=\"#", anchor reference, "\">", escaped (labelOf reference), "</a>"]
        | otherwise -> code (Shape.typeName reference)
    tuple ss = "an array of just these: " <> T.intercalate "; " (map expression ss)
    shown :: (Show a) => a -> Text
    shown = T.pack . show

paragraph :: Text -> Text
paragraph text = T.concat ["<p>", text, "</p>\n"]

code :: Text -> Text
code text = T.concat ["<code>", escaped text, "</code>"]

escaped :: Text -> Text
escaped = T.concatMap $ \case
  '<' -> "&lt;"
  '>' -> "&gt;"
  '&' -> "&amp;"
  '"' -> "&quot;"
  c -> T.singleton c

style :: Text
style =
  T.unlines
    [ ":root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }",
      "main { max-width: 56rem; margin: 2rem auto; padding: 0 1rem; }",
      "section { border-top: 1px solid #8888; margin-top: 1.5rem; }",
      "table { border-collapse: collapse; width: 100%; }",
      "th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px \
      \solid #8884; }",
      "p { margin: .3rem 0; } code { font-family: ui-monospace, monospace; overflow-wrap: \
      \anywhere; }",
      "section:target { outline: 2px solid #48f; }"
    ]
