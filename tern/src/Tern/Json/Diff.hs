{-# LANGUAGE OverloadedStrings #-}

-- | What is different in two documents, for people and as a patch.
--
-- The idea: equal values, wherever they are, get one number first, in one walk over both
-- documents; whether two values are equal is then known at once, however large they are.
-- Elements that both arrays have are matched in one order by the longest chain of rising
-- places, and what is between them was changed, taken away or put in. Time @n log n@, in
-- the worst case too; in exchange a difference is not always the shortest.
module Tern.Json.Diff
  ( Change (..),
    diff,
    changesPatch,
    renderChange,
  )
where

import Data.IntMap.Strict qualified as IntMap
import Data.List (mapAccumL)
import Data.List qualified as List
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Data.Vector qualified as V
import Tern.Error (Segment (..), renderPath)
import Tern.Internal.Json.Document (encodeTextWith)
import Tern.Json.Operation (Operation (..))
import Tern.Json.Pointer (Pointer (..), Token, arrayIndex)
import Tern.Value (Value (..), byName, members, valueW)

-- $setup
-- >>> :set -XOverloadedStrings
-- >>> import Data.Either (fromRight)
-- >>> import Data.Text qualified as T
-- >>> import Tern.Json (decodeJson, encodeJson)
-- >>> import Tern.Json.Patch
-- >>> import Tern.Value (Value (..))
-- >>> let json text = fromRight Null (decodeJson text)

-- | One difference. An index counts in the document after the changes before it.
data Change
  = Added !Pointer !Value
  | Removed !Pointer !Value
  | -- | What was there, and what is there now.
    Changed !Pointer !Value !Value
  deriving stock (Eq, Show)

-- | The changes that make the second document of the first, one after the other; none
-- where they are equal: numbers by value, objects whatever their order, the last of
-- repeated names. What differs more than 128 levels down is changed there as a whole, so
-- that pointers stay short.
--
-- >>> diff (json "{\"a\":[1,2,3],\"b\":true}") (json "{\"a\":[0,1,2],\"b\":true}")
-- [Added "/a/0" (Number 0),Removed "/a/3" (Number 3)]
diff :: Value -> Value -> [Change]
diff before after = between 128 [] a b []
  where
    (known, a) = numbered Map.empty before
    (_, b) = numbered known after

-- | The changes as a patch: of the first document it makes the second.
--
-- >>> encodeJson (patchValue (changesPatch (diff (json "[1,{\"b\":2}]") (json "[1,{\"b\":3}]"))))
-- "[{\"op\":\"replace\",\"path\":\"/1/b\",\"value\":3}]"
changesPatch :: [Change] -> [Operation]
changesPatch = map $ \case
  Added place value -> Add place value
  Removed place _ -> Remove place
  Changed place _ value -> Replace place value

-- | A line for people, of bounded length.
--
-- >>> :{
-- mapM_ (putStrLn . T.unpack . renderChange)
--   (diff (json "{\"a\":1,\"b\":2}") (json "{\"a\":3,\"c\":4}"))
-- :}
-- - $.b: 2
-- ~ $.a: 1 -> 3
-- + $.c: 4
renderChange :: Change -> Text
renderChange = \case
  Added to value -> T.concat ["+ ", place to, ": ", short value]
  Removed from value -> T.concat ["- ", place from, ": ", short value]
  Changed there old new -> T.concat ["~ ", place there, ": ", short old, " -> ", short new]
  where
    place (Pointer tokens) =
      renderPath (map (\token -> maybe (Key token) Index (arrayIndex token)) tokens)
    short value =
      let text = encodeTextWith valueW value
       in if T.compareLength text 60 == GT then T.take 60 text <> "…" else text

-- * Values by number

-- | A value with its number: equal values have the same one.
data Node = Node !Int Value Parts

data Parts
  = Leaf
  | Items [Node]
  | -- | In the document's order, each name once, and by name.
    Fields [Text] (Map Text Node)

-- | A value whose parts are their numbers.
data Skeleton
  = Scalar !Value
  | ItemNumbers [Int]
  | FieldNumbers [(Text, Int)]
  deriving stock (Eq, Ord)

numbered :: Map Skeleton Int -> Value -> (Map Skeleton Int, Node)
numbered known value = case value of
  Array vs ->
    let (known', nodes) = mapAccumL numbered known (V.toList vs)
     in named known' (ItemNumbers (map number nodes)) (Items nodes)
  Object o ->
    let (known', nodes) = mapAccumL numbered known (byName o)
     in named
          known'
          (FieldNumbers (Map.toList (Map.map number nodes)))
          (Fields (once nodes (map fst (members o))) nodes)
  Null -> named known (Scalar value) Leaf
  Bool _ -> named known (Scalar value) Leaf
  Number _ -> named known (Scalar value) Leaf
  String _ -> named known (Scalar value) Leaf
  where
    named numbers skeleton parts = case Map.lookup skeleton numbers of
      Just i -> (numbers, Node i value parts)
      Nothing -> let !i = Map.size numbers in (Map.insert skeleton i numbers, Node i value parts)
    once left = \case
      [] -> []
      name : rest
        | Map.member name left -> name : once (Map.delete name left) rest
        | otherwise -> once left rest

number :: Node -> Int
number (Node i _ _) = i

-- * Differences

-- | Before other changes, with the levels that may still be entered and the tokens of the
-- way here, innermost first.
between :: Int -> [Token] -> Node -> Node -> [Change] -> [Change]
between levels way (Node i old partsOld) (Node j new partsNew) rest
  | i == j = rest
  | levels == 0 = whole
  | otherwise = case (partsOld, partsNew) of
      (Items as, Items bs) -> elements (levels - 1) way as bs rest
      (Fields namesOld as, Fields namesNew bs) ->
        [ Removed (at (name : way)) value
          | name <-
              namesOld,
            Map.notMember name bs,
            Just (Node _ value _) <- [Map.lookup name as]
        ]
          <> foldr
            ( \name more -> case (Map.lookup name as, Map.lookup name bs) of
                (Just a, Just b) -> between (levels - 1) (name : way) a b more
                (Nothing, Just (Node _ value _)) -> Added (at (name : way)) value : more
                (_, Nothing) -> more
            )
            rest
            namesNew
      _ -> whole
  where
    whole = Changed (at way) old new : rest

at :: [Token] -> Pointer
at way = Pointer (reverse way)

-- | The elements that stay divide the others into gaps.
elements :: Int -> [Token] -> [Node] -> [Node] -> [Change] -> [Change]
elements levels way as bs rest = go 0 0 0 as bs (inBoth (map number as) (map number bs))
  where
    -- The places in both arrays, that of the changed array first.
    go !place !i !j old new = \case
      (i', j') : more ->
        let (oldGap, old') = splitAt (i' - i) old
            (newGap, new') = splitAt (j' - j) new
         in gap
              place
              oldGap
              newGap
              ( go
                  (place + (j' - j) + 1)
                  (i' + 1)
                  (j' + 1)
                  (drop 1 old')
                  (drop 1 new')
                  more
              )
      [] -> gap place old new rest
    gap :: Int -> [Node] -> [Node] -> [Change] -> [Change]
    gap !place (a : old) (b : new) more =
      between levels (token place : way) a b (gap (place + 1) old new more)
    gap place (Node _ value _ : old) [] more =
      Removed (at (token place : way)) value : gap place old [] more
    gap place [] (Node _ value _ : new) more =
      Added (at (token place : way)) value : gap (place + 1) [] new more
    gap _ [] [] more = more
    token = T.pack . show

-- | Places in two lists with the same number at both, rising in both. What both begin and
-- end with is in it; between that, the first of a number belongs to the first of it in the
-- other list, the second to the second, and of these pairs as many as rise.
inBoth :: [Int] -> [Int] -> [(Int, Int)]
inBoth as bs =
  zip [0 .. start - 1] [0 ..] <> middle <> zip [lengthA - end ..] [lengthB - end .. lengthB - 1]
  where
    start = common as bs
    (restA, restB) = (drop start as, drop start bs)
    end = common (reverse restA) (reverse restB)
    lengthA = length as
    lengthB = length bs
    common xs ys = length (takeWhile id (zipWith (==) xs ys))
    -- From the last place on: each is put before those that are there.
    middle =
      rising
        ( pairs
            ( IntMap.fromListWith
                (<>)
                ( reverse
                    [ (n, [place])
                      | (n, place) <-
                          zip (take (lengthB - start - end) restB) [start ..]
                    ]
                )
            )
            (zip [start .. lengthA - end - 1] restA)
        )
    pairs _ [] = []
    pairs left ((i, n) : more) = case IntMap.lookup n left of
      Just (j : js) -> (i, j) : pairs (IntMap.insert n js left) more
      _ -> pairs left more

-- | The longest chain of pairs whose second places rise; the first ones do.
rising :: [(Int, Int)] -> [(Int, Int)]
rising = maybe [] (reverse . snd) . IntMap.lookupMax . List.foldl' step IntMap.empty
  where
    step ends (i, j) =
      let chain = maybe [] snd (IntMap.lookupLT j ends)
          without = maybe ends (\(k, _) -> IntMap.delete k ends) (IntMap.lookupGE j ends)
       in IntMap.insert j ((i, j) : chain) without
