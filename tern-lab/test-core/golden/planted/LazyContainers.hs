-- | Values that a container keeps unevaluated.
module LazyContainers (runs) where

import Data.Functor.Identity (Identity (..))
import Data.HashMap.Lazy qualified as LazyHash
import Data.HashMap.Strict qualified as Hash
import Data.IntMap.Lazy qualified as LazyInts
import Data.IntMap.Strict qualified as Ints
import Data.List (foldl')
import Data.Map.Lazy qualified as Lazy
import Data.Map.Strict qualified as Strict
import Data.Maybe (fromMaybe)

runs :: [(String, IO ())]
runs =
  [ ("bump", print (foldl' bump Lazy.empty numbers)),
    ("bumpCured", print (foldl' bumpCured Strict.empty numbers)),
    ("united", print (united [Lazy.singleton (k `mod` 3) k | k <- numbers])),
    ("unitedCured", print (unitedCured [Strict.singleton (k `mod` 3) k | k <- numbers])),
    ("insertedWith", print (insertedWith numbers)),
    ("insertedWithCured", print (insertedWithCured numbers)),
    ("adjusted", print (adjusted numbers)),
    ("adjustedCured", print (adjustedCured numbers)),
    ("altered", print (altered numbers)),
    ("alteredCured", print (alteredCured numbers)),
    ("applied", print (applied numbers)),
    ("appliedCured", print (appliedCured numbers)),
    ("mapped", print (mapped numbers)),
    ("mappedCured", print (mappedCured numbers)),
    ("inFunctor", print (inFunctor numbers)),
    ("inFunctorCured", print (inFunctorCured numbers)),
    ("updated", print (fmap hits (updated numbers))),
    ("updatedCured", print (fmap strictHits (updatedCured numbers))),
    ("updatedInside", print (fmap hits (updatedInside numbers))),
    ("updatedInsideCured", print (fmap strictHits (updatedInsideCured numbers))),
    ("fromPairs", print (fromPairs numbers)),
    ("fromPairsCured", print (fromPairsCured numbers)),
    ("inserted", print (inserted numbers)),
    ("insertedCured", print (insertedCured numbers)),
    ("hashed", print (hashed numbers)),
    ("hashedCured", print (hashedCured numbers)),
    ("paired", print (paired numbers)),
    ("pairedCured", print (pairedCured numbers)),
    ("byHand", print (byHand Lazy.empty numbers)),
    ("byHandCured", print (byHandCured Strict.empty numbers)),
    ("listed", print (length (listed numbers))),
    ("merged", print (length (merged numbers))),
    ("evaluated", print (evaluated numbers)),
    ("once", print (once (Lazy.fromList [(1, 1)]))),
    ("memo", print (memo 50)),
    ("replaced", print (length (replaced numbers))),
    ("alsoKeys", print (sum (alsoKeys 1 Lazy.empty numbers))),
    ("alsoPlaces", print (sum (alsoPlaces 1 LazyInts.empty numbers))),
    ("alsoHashed", print (sum (alsoHashed 1 LazyHash.empty numbers))),
    ("alsoFirst", print (sum (alsoFirst 1 Lazy.empty numbers)))
  ]

numbers :: [Int]
numbers = [(i * 7919) `mod` 11 | i <- [1 .. 30000]]
{-# NOINLINE numbers #-}

-- Found: lazy-container
insertedWith :: [Int] -> Lazy.Map Int Int
insertedWith = foldl' (\m k -> Lazy.insertWith (+) k 1 m) Lazy.empty
{-# NOINLINE insertedWith #-}

-- Healthy
insertedWithCured :: [Int] -> Strict.Map Int Int
insertedWithCured = foldl' (\m k -> Strict.insertWith (+) k 1 m) Strict.empty
{-# NOINLINE insertedWithCured #-}

-- Found: lazy-container
adjusted :: [Int] -> LazyInts.IntMap Int
adjusted = foldl' (\m k -> LazyInts.adjust (+ 1) k m) (LazyInts.fromList [(k, 0) | k <- [0 .. 10]])
{-# NOINLINE adjusted #-}

-- Healthy
adjustedCured :: [Int] -> Ints.IntMap Int
adjustedCured = foldl' (\m k -> Ints.adjust (+ 1) k m) (Ints.fromList [(k, 0) | k <- [0 .. 10]])
{-# NOINLINE adjustedCured #-}

-- Found: lazy-container
altered :: [Int] -> Lazy.Map Int Int
altered = foldl' (\m k -> Lazy.alter (Just . maybe 1 (+ 1)) k m) Lazy.empty
{-# NOINLINE altered #-}

-- Healthy
alteredCured :: [Int] -> Strict.Map Int Int
alteredCured = foldl' (\m k -> Strict.alter (Just . maybe 1 (+ 1)) k m) Strict.empty
{-# NOINLINE alteredCured #-}

-- Found: lazy-container
applied :: [Int] -> Lazy.Map Int Int
applied = foldl' (\m k -> Lazy.alter (\old -> Just $ fromMaybe 0 old + k) k m) Lazy.empty
{-# NOINLINE applied #-}

-- Healthy
appliedCured :: [Int] -> Strict.Map Int Int
appliedCured = foldl' (\m k -> Strict.alter (\old -> Just $ fromMaybe 0 old + k) k m) Strict.empty
{-# NOINLINE appliedCured #-}

-- Found: lazy-container
mapped :: [Int] -> Lazy.Map Int Int
mapped = foldl' (\m k -> Lazy.alter (fmap (+ 1)) k m) (Lazy.fromList [(k, 0) | k <- [0 .. 10]])
{-# NOINLINE mapped #-}

-- Healthy
mappedCured :: [Int] -> Strict.Map Int Int
mappedCured = foldl' (\m k -> Strict.alter (fmap (+ 1)) k m) (Strict.fromList [(k, 0) | k <- [0 .. 10]])
{-# NOINLINE mappedCured #-}

-- Found: lazy-container
inFunctor :: [Int] -> Lazy.Map Int Int
inFunctor = foldl' (\m k -> runIdentity (Lazy.alterF (\old -> Identity (Just (maybe 1 (+ k) old))) k m)) Lazy.empty
{-# NOINLINE inFunctor #-}

-- Healthy
inFunctorCured :: [Int] -> Strict.Map Int Int
inFunctorCured = foldl' (\m k -> runIdentity (Strict.alterF (\old -> Identity (Just (maybe 1 (+ k) old))) k m)) Strict.empty
{-# NOINLINE inFunctorCured #-}

data Account = Account {hits :: Int, bytes :: Int}

-- Found: lazy-container
updated :: [Int] -> LazyInts.IntMap Account
updated = foldl' (\m k -> LazyInts.alter (more k) k m) LazyInts.empty
  where
    more k old =
      let account = fromMaybe (Account 0 0) old
       in Just account {hits = hits account + 1, bytes = bytes account + k}
{-# NOINLINE updated #-}

-- The container is strict, its values' fields are not.
-- Found: lazy-fields
updatedInside :: [Int] -> Ints.IntMap Account
updatedInside = foldl' (\m k -> Ints.alter (more k) k m) Ints.empty
  where
    more k old =
      let account = fromMaybe (Account 0 0) old
       in Just account {hits = hits account + 1, bytes = bytes account + k}
{-# NOINLINE updatedInside #-}

-- Healthy
updatedInsideCured :: [Int] -> Ints.IntMap StrictAccount
updatedInsideCured = updatedCured
{-# NOINLINE updatedInsideCured #-}

data StrictAccount = StrictAccount {strictHits :: !Int, strictBytes :: !Int}

-- Healthy
updatedCured :: [Int] -> Ints.IntMap StrictAccount
updatedCured = foldl' (\m k -> Ints.alter (more k) k m) Ints.empty
  where
    more k old =
      let account = fromMaybe (StrictAccount 0 0) old
       in Just account {strictHits = strictHits account + 1, strictBytes = strictBytes account + k}
{-# NOINLINE updatedCured #-}

-- Found: lazy-container
fromPairs :: [Int] -> Lazy.Map Int Int
fromPairs ks = Lazy.fromListWith (+) [(k, 1) | k <- ks]
{-# NOINLINE fromPairs #-}

-- Healthy
fromPairsCured :: [Int] -> Strict.Map Int Int
fromPairsCured ks = Strict.fromListWith (+) [(k, 1) | k <- ks]
{-# NOINLINE fromPairsCured #-}

-- Found: lazy-container
inserted :: [Int] -> Lazy.Map Int Int
inserted = foldl' (\m k -> Lazy.insert k (1 + Lazy.findWithDefault 0 k m) m) Lazy.empty
{-# NOINLINE inserted #-}

-- Healthy
insertedCured :: [Int] -> Strict.Map Int Int
insertedCured = foldl' (\m k -> Strict.insert k (1 + Strict.findWithDefault 0 k m) m) Strict.empty
{-# NOINLINE insertedCured #-}

-- Found: lazy-container
hashed :: [Int] -> LazyHash.HashMap Int Int
hashed = foldl' (\m k -> LazyHash.insertWith (+) k 1 m) LazyHash.empty
{-# NOINLINE hashed #-}

-- Healthy
hashedCured :: [Int] -> Hash.HashMap Int Int
hashedCured = foldl' (\m k -> Hash.insertWith (+) k 1 m) Hash.empty
{-# NOINLINE hashedCured #-}

-- The container is strict, its values' fields are not.
-- Found: lazy-fields
paired :: [Int] -> Strict.Map Int (Int, Int)
paired = foldl' (\m k -> Strict.insertWith (\(a, b) (c, d) -> (a + c, b + d)) k (1, k) m) Strict.empty
{-# NOINLINE paired #-}

data Two = Two !Int !Int
  deriving (Show)

-- Healthy
pairedCured :: [Int] -> Strict.Map Int (Int, Int)
pairedCured ks = (\(Two a b) -> (a, b)) <$> foldl' (\m k -> Strict.insertWith (\(Two a b) (Two c d) -> Two (a + c) (b + d)) k (Two 1 k) m) Strict.empty ks
{-# NOINLINE pairedCured #-}

-- Found: lazy-container
byHand :: Lazy.Map Int Int -> [Int] -> Lazy.Map Int Int
byHand m ks = case ks of
  [] -> m
  k : rest -> byHand (Lazy.insertWith (+) k 2 m) rest
{-# NOINLINE byHand #-}

-- Healthy
byHandCured :: Strict.Map Int Int -> [Int] -> Strict.Map Int Int
byHandCured m ks = case ks of
  [] -> m
  k : rest -> byHandCured (Strict.insertWith (+) k 2 m) rest
{-# NOINLINE byHandCured #-}

-- A list is made on demand: the chain is the list.
-- Healthy
listed :: [Int] -> Lazy.Map Int [Int]
listed = foldl' (\m k -> Lazy.insertWith (++) k [k] m) Lazy.empty
{-# NOINLINE listed #-}

-- Healthy
merged :: [Int] -> Lazy.Map Int [Int]
merged = foldl' (\m k -> Lazy.insertWith (<>) k [k] m) Lazy.empty
{-# NOINLINE merged #-}

-- The container is lazy, and the value is there.
-- Healthy
evaluated :: [Int] -> Lazy.Map Int Int
evaluated = foldl' (\m k -> Lazy.alter (\old -> Just $! maybe 1 (+ 1) old) k m) Lazy.empty
{-# NOINLINE evaluated #-}

-- Once is no chain.
-- Healthy
once :: Lazy.Map Int Int -> Lazy.Map Int Int
once = Lazy.insertWith (+) 1 1
{-# NOINLINE once #-}

-- Values that are not made of each other's predecessors through the loop.
-- Healthy
memo :: Int -> Integer
memo n = table Lazy.! n
  where
    table = Lazy.fromList [(i, value i) | i <- [0 .. n]]
    value :: Int -> Integer
    value i = if i < 2 then fromIntegral i else table Lazy.! (i - 1) + table Lazy.! (i - 2)
{-# NOINLINE memo #-}

-- The last one stays, and there is no chain.
-- Healthy
replaced :: [Int] -> Lazy.Map Int Int
replaced = foldl' (\m k -> Lazy.insert k (k + 1) m) Lazy.empty
{-# NOINLINE replaced #-}

-- A key is evaluated, and what is kept by it is the same.
-- Healthy
alsoKeys :: Int -> Lazy.Map Int Int -> [Int] -> Lazy.Map Int Int
alsoKeys !n m ks = case ks of
  [] -> m
  k : rest -> let next = n * 7 + k in alsoKeys (n + 1) (Lazy.insert next next m) rest
{-# NOINLINE alsoKeys #-}

-- Healthy
alsoPlaces :: Int -> LazyInts.IntMap Int -> [Int] -> LazyInts.IntMap Int
alsoPlaces !n m ks = case ks of
  [] -> m
  k : rest -> let next = n * 7 + k in alsoPlaces (n + 1) (LazyInts.insert next next m) rest
{-# NOINLINE alsoPlaces #-}

-- Healthy
alsoHashed :: Int -> LazyHash.HashMap Int Int -> [Int] -> LazyHash.HashMap Int Int
alsoHashed !n m ks = case ks of
  [] -> m
  k : rest -> let next = n * 7 + k in alsoHashed (n + 1) (LazyHash.insert next next m) rest
{-# NOINLINE alsoHashed #-}

-- Healthy
alsoFirst :: Int -> Lazy.Map (Int, Int) Int -> [Int] -> Lazy.Map (Int, Int) Int
alsoFirst !n m ks = case ks of
  [] -> m
  k : rest -> let next = n * 7 + k in alsoFirst (n + 1) (Lazy.insert (next, k) next m) rest
{-# NOINLINE alsoFirst #-}

-- It stands in no loop itself: it is given to one.
-- Found: lazy-container
bump :: Lazy.Map Int Int -> Int -> Lazy.Map Int Int
bump m k = Lazy.insertWith (+) k 3 m
{-# NOINLINE bump #-}

-- Healthy
bumpCured :: Strict.Map Int Int -> Int -> Strict.Map Int Int
bumpCured m k = Strict.insertWith (+) k 3 m
{-# NOINLINE bumpCured #-}

-- Found: lazy-container
united :: [Lazy.Map Int Int] -> Lazy.Map Int Int
united = Lazy.unionsWith (+)
{-# NOINLINE united #-}

-- Healthy
unitedCured :: [Strict.Map Int Int] -> Strict.Map Int Int
unitedCured = Strict.unionsWith (+)
{-# NOINLINE unitedCured #-}
