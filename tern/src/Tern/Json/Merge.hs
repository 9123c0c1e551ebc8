-- | JSON merge patches (RFC 7396): a document that says how another is to change, in the
-- other's own shape.
--
-- The idea: null takes a member away, an object goes into the object there, and anything
-- else is put in the place of what there is. Nothing can fail.
module Tern.Json.Merge
  ( merge,
    mergeBetween,
  )
where

import Data.Map.Strict qualified as Map
import Tern.Value (Object, Value (..), byName, member, members, object)

-- $setup
-- >>> :set -XOverloadedStrings
-- >>> import Data.Either (fromRight)
-- >>> import Tern.Json (decodeJson, encodeJson)
-- >>> import Tern.Json.Patch
-- >>> import Tern.Value (Value (..))
-- >>> let json text = fromRight Null (decodeJson text)

-- | The document after a merge patch, which comes first. Members keep their order, new
-- ones follow in the patch's. Of a repeated name the last counts. Linear time, with a
-- logarithm for names.
--
-- >>> encodeJson (merge (json "{\"a\":{\"b\":null,\"c\":1}}") (json "{\"a\":{\"b\":2,\"d\":3}}"))
-- "{\"a\":{\"d\":3,\"c\":1}}"
merge :: Value -> Value -> Value
merge change target = case change of
  Object o -> Object (into o (case target of Object t -> t; _ -> object []))
  _ -> change

into :: Object -> Object -> Object
into change target
  | Map.null changes = target
  | otherwise =
      object (concatMap kept (members target) <> concatMap new (inOrder changes (members change)))
  where
    changes = byName change
    kept (name, value) = case Map.lookup name changes of
      Nothing -> [(name, value)]
      Just Null -> []
      Just (Object o) -> [(name, merge (Object o) value)]
      Just other -> [(name, other)]
    new (name, value) = case (value, member name target) of
      (Null, _) -> []
      (_, Just _) -> []
      (_, Nothing) -> [(name, merge value Null)]
    -- Each name once, with its last value.
    inOrder left = \case
      [] -> []
      (name, _) : rest -> case Map.lookup name left of
        Nothing -> inOrder left rest
        Just value -> (name, value) : inOrder (Map.delete name left) rest

-- | The merge patch that makes the second document of the first, where there is one: an
-- object that has a null as a new member's value cannot be said. The order of members is
-- not looked at.
--
-- >>> encodeJson <$> mergeBetween (json "{\"a\":1,\"b\":2}") (json "{\"b\":3}")
-- Just "{\"a\":null,\"b\":3}"
-- >>> mergeBetween (json "{}") (json "{\"a\":null}")
-- Nothing
mergeBetween :: Value -> Value -> Maybe Value
mergeBetween before after = case (before, after) of
  (Object old, Object new) ->
    Object . object . concat
      <$> sequence (removed old new : map (changed old) (Map.toList (byName new)))
  (_, Object new) -> mergeBetween (Object (object [])) (Object new)
  (_, value) -> Just value
  where
    removed old new =
      Just [(name, Null) | name <- Map.keys (Map.difference (byName old) (byName new))]
    changed old (name, value) = case member name old of
      Just there
        | not (isObject there && isObject value) ->
            if there == value
              then Just []
              else said name value (mergeBetween Null value)
      Just there ->
        mergeBetween there value >>= \case
          Object o | null (members o) -> Just []
          o -> Just [(name, o)]
      Nothing -> said name value (mergeBetween Null value)
    -- A null says that the member goes.
    said name value made = case value of
      Null -> Nothing
      _ -> (\m -> [(name, m)]) <$> made
    isObject = \case
      Object _ -> True
      _ -> False
