{-# LANGUAGE OverloadedStrings #-}

-- | A document held against a shape.
--
-- The idea: a walk of both at once, which goes only as far as the document does, so that
-- shapes without an end need no care.
module Tern.Internal.Schema.Check
  ( refusals,
  )
where

import Data.Char (isDigit)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Vector qualified as V
import Tern.Error (Path, Segment (..))
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
import Tern.Value (Object, Value (..), member, members, numberToInteger)

-- $setup
-- >>> import Data.Vector qualified as V
-- >>> import Tern.Error (Segment (..))
-- >>> import Tern.Shape qualified as Shape
-- >>> import Tern.Value

-- | Where a document of JSON is not what a shape says, and what was expected there. What
-- the schema of a shape leaves open is accepted: any text of a format, and members that a
-- record does not have, unless they are refused.
--
-- >>> refusals (Shape.List 0 Shape.Boolean) (Array (V.fromList [Bool True, Null, String "x"]))
-- [([Index 1],"true or false"),([Index 2],"true or false")]
refusals :: Shape -> Value -> [(Path, Text)]
refusals = check []

-- | The path is the other way round: the innermost segment comes first.
check :: Path -> Shape -> Value -> [(Path, Text)]
check path shape value = case (shape, value) of
  (Shape.Boolean, Bool _) -> []
  (Shape.Boolean, _) -> no "true or false"
  (Shape.Integer least most, Number n)
    | Just i <- numberToInteger n, maybe True (<= i) least, maybe True (>= i) most -> []
  (Shape.Integer _ _, _) -> no "an integer of the type"
  (Shape.IntegerIn _ least most, _) -> check path (Shape.Integer (Just least) (Just most)) value
  (Shape.Floating _, Number _) -> []
  (Shape.Floating _, Null) -> []
  (Shape.Floating _, String t) | t `elem` ["+inf", "-inf"] -> []
  (Shape.Floating _, _) -> no "a number"
  (Shape.Text, String _) -> []
  (Shape.Text, _) -> no "a string"
  (Shape.Character, String t) | T.length t == 1 -> []
  (Shape.Character, _) -> no "a string of one character"
  (Shape.Unit, Array vs) | V.null vs -> []
  (Shape.Unit, _) -> no "an empty array"
  (Shape.Anything, _) -> []
  (Shape.Opaque _, _) -> []
  (Shape.Binary, String _) -> []
  (Shape.Binary, _) -> no "a string"
  (Shape.BinaryOf _, String _) -> []
  (Shape.BinaryOf _, _) -> no "a string"
  (Shape.Formatted Shape.InText _ _, String _) -> []
  (Shape.Formatted Shape.InText name _, _) -> no ("a string, of the format " <> name)
  (Shape.Formatted Shape.InNumber _ _, Number _) -> []
  (Shape.Formatted Shape.InNumber name _, _) -> no ("a number, of the format " <> name)
  (Shape.List least s, Array vs)
    | V.length vs >= least -> elements s vs
    | otherwise -> no "more elements"
  (Shape.List _ _, _) -> no "an array"
  (Shape.SetOf s, Array vs) -> elements s vs
  (Shape.SetOf _, _) -> no "an array"
  (Shape.Optional _, Null) -> []
  (Shape.Optional s, _) -> check path s value
  (Shape.Mapping k v, _) -> case (Shape.keyNotation k, value) of
    (Just notation, Object o) ->
      concat
        [ keyed (Key name : path) notation k name <> check (Key name : path) v inner
          | (name, inner) <-
              members o
        ]
    (Just _, _) -> no "an object"
    (Nothing, Array pairs) ->
      concat
        [ check (Index i : path) (Shape.Tuple [k, v]) pair
          | (i, pair) <- zip [0 ..] (V.toList pairs)
        ]
    (Nothing, _) -> no "an array of pairs"
  (Shape.Tuple ss, _) -> exactly path ss value
  (Shape.Described _ s, _) -> check path s value
  (Shape.Declared _ definition, _) -> declared path definition value
  where
    no = refused path
    elements s vs = concat [check (Index i : path) s v | (i, v) <- zip [0 ..] (V.toList vs)]

-- | The name of a member that is a key.
keyed :: Path -> Shape.Notation -> Shape -> Text -> [(Path, Text)]
keyed path notation k name = case notation of
  Shape.InText -> check path k (String name)
  Shape.InNumber
    | T.all (\c -> isDigit c || c `elem` ("+-.eE" :: String)) name
        || name `elem` ["true", "false", "+inf", "-inf", "null"] ->
        []
    | otherwise -> refused path "a number in a key"

refused :: Path -> Text -> [(Path, Text)]
refused path expected = [(reverse path, expected)]

-- | An array of just these.
exactly :: Path -> [Shape] -> Value -> [(Path, Text)]
exactly path ss = \case
  Array vs
    | V.length vs == length ss ->
        concat [check (Index i : path) s v | (i, s, v) <- zip3 [0 ..] ss (V.toList vs)]
  _ -> refused path (T.concat ["an array of ", T.pack (show (length ss)), " elements"])

declared :: Path -> Definition -> Value -> [(Path, Text)]
declared path definition value = case definition of
  Shape.Bare others b -> body path others b value
  Shape.Names names -> case value of
    String t | t `elem` names -> []
    _ -> refused path (oneOf names)
  Shape.Sum layout constructors -> case (layout, value) of
    (Tagged tag contents, Object o)
      | Just (String name) <- member tag o,
        c : _ <- named name constructors,
        others <- constructorOthers c -> case constructorBody c of
          Shape.Nullary -> beyond path others [tag] o
          Shape.Record fields -> record path others [tag] fields o
          b ->
            maybe
              (refused path ("the field " <> contents))
              (body (Key contents : path) others b)
              (member contents o)
              <> beyond path others [tag, contents] o
    (Tagged tag _, _) ->
      refused
        path
        ( T.concat
            [ "an object whose ",
              tag,
              " is ",
              oneOf (map constructorName constructors)
            ]
        )
    (SingleField, Object o)
      | [(name, inner)] <- members o,
        c : _ <- named name constructors ->
          body (Key name : path) (constructorOthers c) (constructorBody c) inner
    (SingleField, _) ->
      refused path ("an object with one field, " <> oneOf (map constructorName constructors))
    (TwoElements, Array vs)
      | [String name, inner] <- V.toList vs,
        c : _ <- named name constructors ->
          body (Index 1 : path) (constructorOthers c) (constructorBody c) inner
    (TwoElements, _) ->
      refused path ("an array of a name and contents: " <> oneOf (map constructorName constructors))
    (Untagged, _)
      | any fits constructors -> []
      | otherwise -> refused path (oneOf (map constructorName constructors))
      where
        fits c = case constructorBody c of
          Shape.Nullary -> value == String (constructorName c)
          b -> null (body path (constructorOthers c) b value)
  where
    named name = filter ((== name) . constructorName)
    oneOf = T.intercalate " or "

body :: Path -> Others -> Body -> Value -> [(Path, Text)]
body path others b value = case b of
  Shape.Nullary -> check path Shape.Unit value
  Shape.Value s -> check path s value
  Shape.Array ss -> exactly path ss value
  Shape.Record fields -> case value of
    Object o -> record path others [] fields o
    _ -> refused path "an object"

-- | The members of a record, and those of these names beside them.
record :: Path -> Others -> [Text] -> [Field] -> Object -> [(Path, Text)]
record path others beside fields o =
  concatMap inField fields <> beyond path others (beside <> concatMap namesOf fields) o
  where
    inField f = case [(name, v) | name <- namesOf f, Just v <- [member name o]] of
      (name, v) : _ -> check (Key name : path) (fieldShape f) v
      []
        | fieldOptional f -> []
        | otherwise -> refused path ("the field " <> fieldName f)
    namesOf f = fieldName f : Shape.otherNames (fieldShape f)

-- | The members of an object that have none of these names, where they are refused.
beyond :: Path -> Others -> [Text] -> Object -> [(Path, Text)]
beyond path (Others refuses computed) names o =
  concat
    [ refused (Key name : path) "no field of this name"
      | refuses,
        (name, _) <- members o,
        name `notElem` names,
        name `notElem` computed
    ]
