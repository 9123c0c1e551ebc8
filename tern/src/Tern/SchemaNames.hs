{-# LANGUAGE OverloadedStrings #-}

-- | Names for a schema's definitions, which have to be different.
--
-- The idea: a name is its first owner's, wherever that one stands. Only who comes after gets
-- a number, and never one that makes the name of another.
module Tern.SchemaNames
  ( distinct,
    apartFrom,
  )
where

import Data.List qualified as List
import Data.Map.Strict qualified as Map
import Data.Set (Set)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T

-- | Different names, in the same order. One that came before has @_2@ after it, or the first
-- number from there on that makes it a name of its own. Proof: "names of definitions differ".
--
-- > distinct ["Bird", "Bird", "Bird_2", "Bird"] == ["Bird", "Bird_3", "Bird_2", "Bird_4"]
--
-- @O(n log n)@ for @n@ names, none of whose numbers is taken.
distinct :: [Text] -> [Text]
distinct names = snd (List.mapAccumL add (Set.empty, Set.fromList names, Map.empty) names)
  where
    add (met, taken, numbers) name
      | Set.notMember name met = ((Set.insert name met, taken, numbers), name)
      | otherwise =
          let (n, own) = numbered taken name (Map.findWithDefault 2 name numbers)
           in ((met, Set.insert own taken, Map.insert name (n + 1) numbers), own)

-- | The name, or with a number the first that is none of these.
--
-- > apartFrom ["Bird", "Bird_2"] "Bird" == "Bird_3"
apartFrom :: [Text] -> Text -> Text
apartFrom names name
  | Set.member name taken = snd (numbered taken name 2)
  | otherwise = name
  where
    taken = Set.fromList names

-- | The first number from @n@ on that makes a name of its own, and that name.
numbered :: Set Text -> Text -> Int -> (Int, Text)
numbered taken name n
  | Set.member own taken = numbered taken name (n + 1)
  | otherwise = (n, own)
  where
    own = T.concat [name, "_", T.pack (show n)]
