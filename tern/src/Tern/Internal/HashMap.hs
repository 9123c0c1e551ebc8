-- | Hash maps from the pairs of a document, which may come from an enemy.
--
-- The idea: a hash map puts keys with the same hash into one bucket, copies
-- the bucket for each further key, and so takes quadratic time for keys that
-- somebody chose to collide. The hashes are therefore counted first, in one
-- small table. Where too many of them fall together, equal keys are found by an
-- ordered map instead, and each bucket is made at once.
--
-- A map of colliding keys is made in time @n log n@, but looking something up in
-- it takes as long as the bucket has keys; where that matters, decode a
-- 'Data.Map.Strict.Map'.
module Tern.Internal.HashMap
  ( fromPairs,
  )
where

import Control.Monad.ST (runST)
import Data.Bits (countLeadingZeros, finiteBitSize, unsafeShiftR)
import Data.HashMap.Internal qualified as Internal
import Data.HashMap.Internal.Array qualified as Array
import Data.HashMap.Strict (HashMap)
import Data.HashMap.Strict qualified as HashMap
import Data.Hashable (Hashable, hash)
import Data.IntMap.Strict qualified as IntMap
import Data.List qualified as List
import Data.Map.Strict qualified as Map
import Data.Vector.Unboxed.Mutable qualified as M
import Data.Word (Word64, Word8)

-- | A map from pairs, the last one first: of a repeated key the last value
-- counts. In time @n log n@ whatever the keys; linear where no more hashes fall
-- together than chance would have it.
fromPairs :: (Hashable k, Ord k) => [(k, v)] -> HashMap k v
fromPairs pairs
  | crowded (map fst pairs) = fromCrowd pairs
  | otherwise = HashMap.fromList (reverse pairs)
{-# INLINEABLE fromPairs #-}

-- | Do more than a few hashes fall together?
--
-- There are as many places as keys, so by chance a place gets some ten of a
-- million keys. Copying a bucket of 32 costs no more than the rest of an insert.
crowded :: (Hashable k) => [k] -> Bool
crowded keys = n > most && runST (M.replicate (2 ^ bits) (0 :: Word8) >>= count keys)
  where
    n = length keys
    -- The least power of two that is not below n.
    bits = finiteBitSize n - countLeadingZeros (n - 1)
    count rest places = case rest of
      [] -> pure False
      key : more -> do
        there <- M.read places (place key)
        if fromIntegral there >= most
          then pure True
          else M.write places (place key) (there + 1) >> count more places
    -- The upper bits of a product depend on all of the hash.
    place key =
      fromIntegral
        ( (fromIntegral (hash key) * 0x9e3779b97f4a7c15 :: Word64)
            `unsafeShiftR` (64 - bits)
        )

-- | How many hashes may fall together.
most :: Int
most = 32

-- | Each bucket made at once, of keys that are known to differ.
fromCrowd :: (Hashable k, Ord k) => [(k, v)] -> HashMap k v
fromCrowd pairs =
  List.foldl'
    HashMap.union
    (HashMap.fromList alone)
    [ bucket key (length same) same
      | same@((key, _) : _) <-
          together
    ]
  where
    distinct = Map.toList (Map.fromList (reverse pairs))
    buckets =
      IntMap.elems
        ( IntMap.fromListWith
            (<>)
            [(hash key, [(key, value)]) | (key, value) <- distinct]
        )
    alone = concat (filter single buckets)
    together = filter (not . single) buckets
    single = null . drop 1
    bucket key n same =
      Internal.Collision (Internal.hash key) (Array.fromList n [Internal.L k v | (k, v) <- same])
