-- | Leaks that stand in a helper, a field, an instance or a name that is given.
module Helpers (runs) where

import Control.Concurrent.STM
import Control.Monad
import Data.Char (digitToInt, isAlpha, toLower)
import Data.List (foldl')
import Data.Map qualified as M
import Data.Map.Strict qualified as MS
import Data.Set qualified as S
import Data.Text qualified as T
import Data.Vector.Unboxed qualified as U

runs :: [(String, IO ())]
runs =
  [ ("entered", entered 20000 >>= print),
    ("enteredCured", enteredCured 20000 >>= print),
    ("captions", print (captions catalogue [1 .. 400])),
    ("captionsCured", print (captionsCured catalogue [1 .. 400])),
    ("common", print (sum (common threes fives))),
    ("commonCured", print (sum (commonCured threes fives))),
    ("vowels", print (vowels (show threes))),
    ("lowered", print (T.length (lowered sentence))),
    ("loweredCured", print (T.length (loweredCured sentence))),
    ("ballots", print (M.foldr (+) 0 (ballots votes))),
    ("ballotsCured", print (M.foldr (+) 0 (ballotsCured votes))),
    ("variance", print (variance (U.enumFromN 1 20000))),
    ("varianceCured", print (varianceCured (U.enumFromN 1 20000))),
    ("neighbours", print (neighbours (U.enumFromN 1 2000))),
    ("happiness", print (length (filter happy [1 .. 2000]))),
    ("digits", print (sum (concatMap digits [1 .. 4000]))),
    ("digitsCured", print (sum (concatMap digitsCured [1 .. 4000]))),
    ("parity", print (parity threes)),
    ("parityCured", print (parityCured threes)),
    ("halves", print (length (fst (halves threes)))),
    ("moved", print (distance (moved threes))),
    ("movedCured", print (distanceCured (movedCured threes)))
  ]

threes, fives :: [Int]
threes = [3 * i | i <- [1 .. 3000]]
fives = [5 * i | i <- [1 .. 3000]]
{-# NOINLINE threes #-}
{-# NOINLINE fives #-}

sentence :: T.Text
sentence = T.replicate 3000 (T.pack "Ab 1")
{-# NOINLINE sentence #-}

votes :: [M.Map Int Int]
votes = [M.fromList [(i `mod` 5, 1), (i `mod` 3 + 5, 2)] | i <- [1 .. 5000]]
{-# NOINLINE votes #-}

-- Found: lazy-state
entered :: Int -> IO Int
entered n = do
  gate <- newTVarIO 0
  replicateM_ n (atomically (modifyTVar gate succ))
  readTVarIO gate
{-# NOINLINE entered #-}

-- Healthy
enteredCured :: Int -> IO Int
enteredCured n = do
  gate <- newTVarIO 0
  replicateM_ n (atomically (modifyTVar' gate succ))
  readTVarIO gate
{-# NOINLINE enteredCured #-}

data Catalogue = Catalogue {labels :: [String], table :: M.Map Int String}

catalogue :: Catalogue
catalogue = Catalogue names (M.fromList (zip [0 ..] names))
  where
    names = map show [1 .. 500 :: Int]
{-# NOINLINE catalogue #-}

-- Found: list-index, for steps
captions :: Catalogue -> [Int] -> Int
captions c = foldl' (\n i -> n + length (labels c !! i)) 0
{-# NOINLINE captions #-}

-- Healthy
captionsCured :: Catalogue -> [Int] -> Int
captionsCured c = foldl' (\n i -> n + length (M.findWithDefault "" i (table c))) 0
{-# NOINLINE captionsCured #-}

-- Found: list-search, for steps
common :: [Int] -> [Int] -> [Int]
common xs ys = filter (`elem` ys) xs
{-# NOINLINE common #-}

-- Healthy
commonCured :: [Int] -> [Int] -> [Int]
commonCured xs ys = filter (`S.member` S.fromList ys) xs
{-# NOINLINE commonCured #-}

-- Healthy
vowels :: String -> Int
vowels = length . filter (`elem` "aeiou")
{-# NOINLINE vowels #-}

-- Found: through-string
lowered :: T.Text -> T.Text
lowered = onString' (map toLower . filter isAlpha)
  where
    onString' f = T.pack . f . T.unpack
{-# NOINLINE lowered #-}

-- Healthy
loweredCured :: T.Text -> T.Text
loweredCured = T.map toLower . T.filter isAlpha
{-# NOINLINE loweredCured #-}

-- Found: lazy-container
ballots :: [M.Map Int Int] -> M.Map Int Int
ballots = foldl' (M.unionWith (+)) M.empty
{-# NOINLINE ballots #-}

-- Healthy
ballotsCured :: [M.Map Int Int] -> M.Map Int Int
ballotsCured = foldl' (MS.unionWith (+)) M.empty
{-# NOINLINE ballotsCured #-}

-- Found: vector-kept
variance :: U.Vector Double -> Double
variance xs = U.sum (U.map (\x -> x * x) centred) / fromIntegral (U.length centred)
  where
    centred = U.map (subtract mean) xs
    mean = U.sum xs / fromIntegral (U.length xs)
{-# NOINLINE variance #-}

-- Healthy
varianceCured :: U.Vector Double -> Double
varianceCured xs = U.sum (U.map (\x -> (x - mean) * (x - mean)) xs) / fromIntegral (U.length xs)
  where
    mean = U.sum xs / fromIntegral (U.length xs)
{-# NOINLINE varianceCured #-}

-- Healthy
neighbours :: U.Vector Int -> Int
neighbours xs = U.sum doubled + sum [doubled U.! i | i <- [1, 3 .. U.length xs - 1]]
  where
    doubled = U.map (* 2) xs
{-# NOINLINE neighbours #-}

-- Found: show
digits :: Int -> [Int]
digits = map digitToInt . show
{-# NOINLINE digits #-}

-- Healthy
digitsCured :: Int -> [Int]
digitsCured = go []
  where
    go ds n
      | n < 10 = n : ds
      | otherwise = go (n `mod` 10 : ds) (n `div` 10)
{-# NOINLINE digitsCured #-}

-- Healthy
happy :: Int -> Bool
happy n = go n
  where
    go 1 = True
    go 4 = False
    go k = go (sum (map (\d -> d * d) (digitsCured k)))
{-# NOINLINE happy #-}

-- Found: lazy-result
parity :: [Int] -> (Int, Int)
parity [] = (0, 0)
parity (x : xs) =
  let (evens, odds) = parity xs
   in if even x then (evens + x, odds) else (evens, odds + x)
{-# NOINLINE parity #-}

-- Healthy
parityCured :: [Int] -> (Int, Int)
parityCured = go 0 0
  where
    go !evens !odds [] = (evens, odds)
    go evens odds (x : xs) = if even x then go (evens + x) odds xs else go evens (odds + x) xs
{-# NOINLINE parityCured #-}

-- Healthy
halves :: [Int] -> ([Int], [Int])
halves (x : y : more) = let (xs, ys) = halves more in (x : xs, y : ys)
halves rest = (rest, [])
{-# NOINLINE halves #-}

data Path = Path Int Int

instance Semigroup Path where
  Path a b <> Path c d = Path (a + c) (b + d)

data StrictPath = StrictPath !Int !Int

instance Semigroup StrictPath where
  StrictPath a b <> StrictPath c d = StrictPath (a + c) (b + d)

distance :: Path -> Int
distance (Path a b) = a + b

distanceCured :: StrictPath -> Int
distanceCured (StrictPath a b) = a + b

-- Found: lazy-fields
moved :: [Int] -> Path
moved = foldl' (\p x -> p <> Path x 1) (Path 0 0)
{-# NOINLINE moved #-}

-- Healthy
movedCured :: [Int] -> StrictPath
movedCured = foldl' (\p x -> p <> StrictPath x 1) (StrictPath 0 0)
{-# NOINLINE movedCured #-}
