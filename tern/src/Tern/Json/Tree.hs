-- | Documents that are changed at many places, one after the other.
--
-- The idea: a value is opened where a change passes through it, once, and stays open: its
-- elements then are a finger tree and its members an ordered map, in which each further
-- change takes logarithmic time, also before a million elements. What no change passes
-- through stays as it was, repeated names too.
module Tern.Json.Tree
  ( Tree,
    plant,
    harvest,

    -- * Places
    Missing (..),
    lookupTree,
    insert,
    replace,
    remove,

    -- * Whole values
    sameAs,
    weighs,
  )
where

import Data.IntMap.Strict (IntMap)
import Data.IntMap.Strict qualified as IntMap
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Sequence (Seq)
import Data.Sequence qualified as Seq
import Data.Text (Text)
import Data.Text qualified as T
import Data.Vector qualified as V
import Tern.Json.Pointer (Pointer (..), Token, arrayIndex)
import Tern.Value (Value (..), byName, member, members, object)

-- | A value in work.
data Tree
  = Closed !Value
  | Elements !(Seq Tree)
  | -- | The place of each name, what stands at each place, and the next free place.
    Members !(Map Text Int) !(IntMap (Text, Tree)) !Int

-- | Nothing is opened yet.
plant :: Value -> Tree
plant = Closed

-- | What was opened is put together again, in time linear in its size.
harvest :: Tree -> Value
harvest = \case
  Closed value -> value
  Elements trees -> Array (V.fromListN (Seq.length trees) (map harvest (foldr (:) [] trees)))
  Members _ places _ -> Object (object [(name, harvest tree) | (name, tree) <- IntMap.elems places])

-- | One level, opened. Of a repeated name the last value stays, at the first one's place.
open :: Tree -> Tree
open = \case
  Closed (Array vs) -> Elements (Seq.fromList (map Closed (V.toList vs)))
  Closed (Object o) ->
    Members
      (Map.fromList (zip names [0 ..]))
      ( IntMap.fromDistinctAscList
          ( zip
              [0 ..]
              [ (name, Closed value)
                | name <-
                    names,
                  Just value <- [member name o]
              ]
          )
      )
      (length names)
    where
      names = distinct (map fst (members o))
  tree -> tree
  where
    distinct names =
      map
        snd
        ( IntMap.toList
            ( IntMap.fromList
                [ (place, name)
                  | (name, place) <-
                      Map.toList (Map.fromListWith (\_ first -> first) (zip names [0 ..]))
                ]
            )
        )

-- * Places

-- | Why there is nothing at a pointer, and the first of its tokens that leads nowhere.
data Missing
  = NoMember !Token
  | NoElement !Token
  | -- | In a number, a text, a boolean or null.
    NoContainer !Token
  | -- | The root, where a place within something is needed.
    NoParent
  deriving stock (Eq, Show)

-- | What a pointer leads to.
lookupTree :: Pointer -> Tree -> Either Missing Tree
lookupTree (Pointer tokens) = go tokens
  where
    go [] tree = Right tree
    go (token : rest) tree = child token tree >>= go rest

child :: Token -> Tree -> Either Missing Tree
child token = \case
  Closed (Object o) -> maybe (Left (NoMember token)) (Right . Closed) (member token o)
  Closed (Array vs) ->
    maybe (Left (NoElement token)) (Right . Closed) (arrayIndex token >>= (vs V.!?))
  Closed _ -> Left (NoContainer token)
  Elements trees -> maybe (Left (NoElement token)) Right (arrayIndex token >>= (`Seq.lookup` trees))
  Members names places _ ->
    maybe
      (Left (NoMember token))
      (Right . snd)
      (Map.lookup token names >>= (`IntMap.lookup` places))

-- | What stands at a token of an open tree is put in another's place.
put :: Token -> Tree -> Tree -> Tree
put token new = \case
  Elements trees | Just i <- arrayIndex token -> Elements (Seq.update i new trees)
  Members names places next
    | Just i <- Map.lookup token names ->
        Members names (IntMap.insert i (token, new) places) next
  tree -> tree

-- | Change the parent of what a pointer leads to; the root has none.
within :: Pointer -> (Token -> Tree -> Either Missing Tree) -> Tree -> Either Missing Tree
within (Pointer tokens) change = go tokens
  where
    go [] _ = Left NoParent
    go [token] tree = change token (open tree)
    go (token : rest) tree = do
      below <- child token tree
      new <- go rest below
      Right (put token new (open tree))

-- | As RFC 6902's @add@: before the element of an index, after the last one at its length
-- or at @-@; a member is put in the place of one with its name, or after the last.
insert :: Pointer -> Tree -> Tree -> Either Missing Tree
insert (Pointer []) new _ = Right new
insert pointer new tree = within pointer added tree
  where
    added token = \case
      Elements trees
        | token == T.pack "-" -> Right (Elements (trees Seq.|> new))
        | Just i <- arrayIndex token,
          i <= Seq.length trees ->
            Right (Elements (Seq.insertAt i new trees))
        | otherwise -> Left (NoElement token)
      Members names places next -> case Map.lookup token names of
        Just i -> Right (Members names (IntMap.insert i (token, new) places) next)
        Nothing ->
          Right
            ( Members
                (Map.insert token next names)
                (IntMap.insert next (token, new) places)
                (next + 1)
            )
      Closed _ -> Left (NoContainer token)

-- | What is there is put away for something else.
replace :: Pointer -> Tree -> Tree -> Either Missing Tree
replace (Pointer []) new _ = Right new
replace pointer new tree = within pointer replaced tree
  where
    replaced token parent = put token new parent <$ child token parent

-- | What is there is taken away.
remove :: Pointer -> Tree -> Either Missing Tree
remove pointer = within pointer removed
  where
    removed token parent =
      child token parent *> case parent of
        Elements trees | Just i <- arrayIndex token -> Right (Elements (Seq.deleteAt i trees))
        Members names places next
          | Just i <- Map.lookup token names ->
              Right (Members (Map.delete token names) (IntMap.delete i places) next)
        _ -> Left (NoContainer token)

-- * Whole values

-- | Equal to a value, as 'Value's are. Time in proportion to the value at most, with a
-- logarithm for names.
sameAs :: Value -> Tree -> Bool
sameAs value = \case
  Closed other -> value == other
  Elements trees -> case value of
    Array vs ->
      V.length vs == Seq.length trees && and (zipWith sameAs (V.toList vs) (foldr (:) [] trees))
    _ -> False
  Members names places _ -> case value of
    Object o
      | index <- byName o ->
          Map.size index == Map.size names
            && and
              [ maybe False (sameAs v . snd) (Map.lookup name names >>= (`IntMap.lookup` places))
                | (name, v) <-
                    Map.toList index
              ]
    _ -> False

-- | What is left of an allowance after the tree's values, or 'Nothing' where
-- it does not last. Stops there.
weighs :: Int -> Tree -> Maybe Int
weighs allowance tree
  | allowance <= 0 = Nothing
  | otherwise = case tree of
      Elements trees -> spend weighs (foldr (:) [] trees)
      Members _ places _ -> spend weighs (map snd (IntMap.elems places))
      Closed (Array vs) -> spend weighs (map Closed (V.toList vs))
      Closed (Object o) -> spend weighs (map (Closed . snd) (members o))
      Closed _ -> Just (allowance - 1)
  where
    spend :: (Int -> a -> Maybe Int) -> [a] -> Maybe Int
    spend each = go (allowance - 1)
      where
        go left = \case
          [] -> Just left
          a : rest -> each left a >>= \left' -> left' `seq` go left' rest
