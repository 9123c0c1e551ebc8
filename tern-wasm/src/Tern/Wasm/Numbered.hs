-- | The types of a store, each with a number.
--
-- The idea: equal types have one number, whichever module declares them; so whether two are
-- equal is seen by their numbers. Types that refer to each other come as a group.
--
-- Once the types are evaluated, so is all that they are made of: whoever looks one up does no
-- work that another one left.
--
-- Start at 'Types'.
module Tern.Wasm.Numbered
  ( Types,
    nothingNumbered,
    numberPlain,
    numberAll,
    numbered,
    countNumbered,
  )
where

import Data.IntMap.Strict (IntMap)
import Data.IntMap.Strict qualified as IntMap
import Data.List qualified as List
import Data.Vector (Vector)
import Data.Vector qualified as V
import Tern.Wasm.Type
  ( FuncType,
    Interned,
    Known,
    SubType,
    evaluatedAll,
    internNormal,
    normalGroup,
    nothingInterned,
    plainType,
    renumberSub,
  )
import Tern.Wasm.Valid (Spaces (..))

-- | The types by their numbers.
data Types = Types !Interned !Int !(IntMap SubType)

-- | No type yet; the first one gets the number 0.
nothingNumbered :: Types
nothingNumbered = Types nothingInterned 0 IntMap.empty

-- | The number of a function type that is declared to be nothing else; the types in it
-- are numbers already.
numberPlain :: FuncType -> Types -> (Int, Types)
numberPlain ft = addGroup IntMap.empty maxBound [plainType ft]

-- | The numbers of a module's types, by their indices.
numberAll :: Spaces -> Types -> (Vector Int, Types)
numberAll sp types = (V.fromListN (V.length (spaceTypes sp)) (IntMap.elems numbers), types')
  where
    (types', numbers) = List.foldl' group (types, IntMap.empty) (spaceGroups sp)
    group (!before, !known) (from, g) =
      let (n, after) = addGroup known from g before
       in ( after,
            List.foldl' (\m k -> IntMap.insert (from + k) (n + k) m) known [0 .. length g - 1]
          )

-- | A group that begins at an index, and the numbers of the types before it.
addGroup :: IntMap Int -> Int -> [SubType] -> Types -> (Int, Types)
addGroup numbers from group (Types interned next known)
  | n < next = (n, Types interned' next known)
  | otherwise =
      evaluatedAll key `seq`
        evaluatedAll new `seq`
          (n, Types interned' (next + length group) (List.foldl' add known (zip [next ..] new)))
  where
    (n, interned') = internNormal next key interned
    key = normalGroup before from group
    before x = IntMap.findWithDefault x x numbers
    new = map (renumberSub (\x -> if x >= from then next + x - from else before x)) group
    add m (k, t) = IntMap.insert k t m

-- | What a number means.
numbered :: Types -> Known
numbered (Types _ _ known) = (`IntMap.lookup` known)

-- | How many there are.
countNumbered :: Types -> Int
countNumbered (Types _ n _) = n
