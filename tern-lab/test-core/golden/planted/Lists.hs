-- | Lists that are walked again and again.
module Lists (runs) where

import Control.Monad
import Data.Containers.ListUtils (nubOrd)
import Data.IORef
import Data.List (delete, foldl', insert, nub)
import Data.Map.Strict qualified as M
import Data.Set qualified as S
import Specialised (Amount (..), amountOf)

runs :: [(String, IO ())]
runs =
  [ ("owed", owed [1 .. 5000] >>= print),
    ("picked", print (sum (picked numbers 400))),
    ("pickedCured", print (sum (pickedCured numbers 400))),
    ("dot", print (dot numbers numbers)),
    ("dotCured", print (dotCured numbers numbers)),
    ("upTo", print (upTo numbers)),
    ("upToCured", print (upToCured numbers)),
    ("printed", printed numbers >>= print),
    ("printedCured", printedCured numbers >>= print),
    ("weighed", print (weighed numbers)),
    ("weighedCured", print (weighedCured numbers)),
    ("distinct", print (length (distinct numbers))),
    ("distinctCured", print (length (distinctCured numbers))),
    ("distinctEach", print (sum (map length (distinctEach [numbers, numbers])))),
    ("distinctEachCured", print (sum (map length (distinctEachCured [numbers, numbers])))),
    ("twice", twice 300000 >>= print),
    ("gridded", gridded 300 >>= print),
    ("twiceCured", twiceCured 300000 >>= print),
    ("fewKinds", print (fewKinds numbers)),
    ("ordered", print (sum (ordered numbers))),
    ("orderedCured", print (sum (orderedCured numbers))),
    ("without", print (sum (without numbers (reverse numbers)))),
    ("withoutCured", print (sum (withoutCured numbers (reverse numbers)))),
    ("ranked", print (sum (ranked 3 numbers))),
    ("rankedCured", print (sum (rankedCured 3 numbers))),
    ("applied", print (itemsBy applied 500)),
    ("appliedCured", print (itemsBy appliedCured 500)),
    ("queued", print (served (waiting (foldl' (flip queued) nobody numbers)))),
    ("queuedCured", print (served (reverse (waiting (foldl' (flip queuedCured) nobody numbers))))),
    ("merged", print (served (waiting (foldl' merged nobody [nobody {waiting = numbers}])))),
    ("primed", putStrLn (label (foldl' (\w _ -> primed w) nobody [1 .. 3 :: Int]))),
    ("replayed", print (replayed 300)),
    ("replayedCured", print (replayedCured 300)),
    ("newest", print (sum (newest 40 numbers))),
    ("counts", print (M.size (counts numbers))),
    ("countsCured", print (M.size (countsCured numbers))),
    ("turned", print (M.size (turned (M.fromList (zip numbers numbers)))))
  ]

numbers :: [Int]
numbers = [(i * 7919) `mod` 1013 | i <- [1 .. 1000]]
{-# NOINLINE numbers #-}

-- Found: list-index, for steps
dot :: [Int] -> [Int] -> Int
dot xs ys = foldl' (\acc i -> acc + xs !! i * ys !! i) 0 [0 .. 999]
{-# NOINLINE dot #-}

-- Healthy
dotCured :: [Int] -> [Int] -> Int
dotCured xs ys = foldl' (+) 0 (zipWith (*) xs ys)
{-# NOINLINE dotCured #-}

-- Found: list-length, for steps
upTo :: [Int] -> Int
upTo xs = go 0 0
  where
    go :: Int -> Int -> Int
    go !i !acc
      | i >= length xs = acc
      | otherwise = go (i + 1) (acc + i)
{-# NOINLINE upTo #-}

-- Healthy
upToCured :: [Int] -> Int
upToCured xs = go 0 0
  where
    n = length xs
    go :: Int -> Int -> Int
    go !i !acc
      | i >= n = acc
      | otherwise = go (i + 1) (acc + i)
{-# NOINLINE upToCured #-}

-- Found: list-index, for steps
printed :: [Int] -> IO Int
printed xs = do
  cell <- newIORef 0
  forM_ [0 .. length xs - 1] $ \i -> modifyIORef' cell (+ (xs !! i))
  readIORef cell
{-# NOINLINE printed #-}

-- Healthy
printedCured :: [Int] -> IO Int
printedCured xs = do
  cell <- newIORef 0
  forM_ xs $ \x -> modifyIORef' cell (+ x)
  readIORef cell
{-# NOINLINE printedCured #-}

-- Found: list-length, for steps
weighed :: [Int] -> [Int]
weighed xs = map (\x -> x * length xs) xs
{-# NOINLINE weighed #-}

-- Healthy
weighedCured :: [Int] -> [Int]
weighedCured xs = let n = length xs in map (* n) xs
{-# NOINLINE weighedCured #-}

-- Found: nub, for steps
distinct :: [Int] -> [Int]
distinct = nub
{-# NOINLINE distinct #-}

-- Healthy
distinctCured :: [Int] -> [Int]
distinctCured = nubOrd
{-# NOINLINE distinctCured #-}

-- Found: nub, for steps
distinctEach :: [[Int]] -> [[Int]]
distinctEach = map (\xs -> nub (map (`div` 2) xs))
{-# NOINLINE distinctEach #-}

-- Healthy
distinctEachCured :: [[Int]] -> [[Int]]
distinctEachCured = map (\xs -> nubOrd (map (`div` 2) xs))
{-# NOINLINE distinctEachCured #-}

-- The range is kept for the second time.
-- Found: range-kept, for memory
twice :: Int -> IO Int
twice n = do
  cell <- newIORef 0
  let range = [1 .. n]
  forM_ range $ \i -> modifyIORef' cell (+ i)
  forM_ range $ \i -> modifyIORef' cell (* i)
  readIORef cell
{-# NOINLINE twice #-}

-- GHC makes the range before the outer loop, wherever it is written.
-- Healthy
gridded :: Int -> IO Int
gridded n = do
  cell <- newIORef 0
  let columns = [1 .. n]
  forM_ [1 .. 300] $ \row -> forM_ columns $ \column -> modifyIORef' cell (+ row * column)
  readIORef cell
{-# NOINLINE gridded #-}

-- Healthy
twiceCured :: Int -> IO Int
twiceCured n = do
  cell <- newIORef 0
  forM_ [1 .. n] $ \i -> modifyIORef' cell (+ i)
  forM_ [1 .. n] $ \i -> modifyIORef' cell (* i)
  readIORef cell
{-# NOINLINE twiceCured #-}

-- There are two kinds.
-- Healthy
fewKinds :: [Int] -> [Bool]
fewKinds xs = nub (map even xs)
{-# NOINLINE fewKinds #-}

-- Found: list-index, for steps
picked :: [Int] -> Int -> [Int]
picked xs n = [xs !! (i * 2) | i <- [0 .. n]]
{-# NOINLINE picked #-}

-- Healthy
pickedCured :: [Int] -> Int -> [Int]
pickedCured xs n = [x | (i, x) <- zip [0 ..] (take (2 * n + 1) xs), even (i :: Int)]
{-# NOINLINE pickedCured #-}

-- Found: list-search, for steps
ordered :: [Int] -> [Int]
ordered = foldl' (flip insert) []
{-# NOINLINE ordered #-}

-- Healthy
orderedCured :: [Int] -> [Int]
orderedCured = S.toAscList . S.fromList
{-# NOINLINE orderedCured #-}

-- Found: list-search, for steps
without :: [Int] -> [Int] -> [Int]
without xs = foldl' (\rest x -> delete x rest) xs
{-# NOINLINE without #-}

-- Healthy
withoutCured :: [Int] -> [Int] -> [Int]
withoutCured xs gone = filter (`S.notMember` S.fromList gone) xs
{-# NOINLINE withoutCured #-}

-- Found: list-search, for steps
ranked :: Int -> [Int] -> [Int]
ranked least xs = go xs []
  where
    go :: [Int] -> [Int] -> [Int]
    go [] sorted = sorted
    go (y : ys) sorted
      | y < least = go ys sorted
      | otherwise = go ys (insert y sorted)
{-# NOINLINE ranked #-}

-- Healthy
rankedCured :: Int -> [Int] -> [Int]
rankedCured least = S.toAscList . S.fromList . filter (>= least)
{-# NOINLINE rankedCured #-}

-- Found: through-list
counts :: [Int] -> M.Map Int Int
counts = foldl' (\m x -> M.fromListWith (+) ((x `mod` 50, 1) : M.toList m)) M.empty
{-# NOINLINE counts #-}

-- Healthy
countsCured :: [Int] -> M.Map Int Int
countsCured = foldl' (\m x -> M.insertWith (+) (x `mod` 50) 1 m) M.empty
{-# NOINLINE countsCured #-}

-- Once, with other keys.
-- Healthy
turned :: M.Map Int Int -> M.Map Int Int
turned m = M.fromList [(v, k) | (k, v) <- M.toList m]
{-# NOINLINE turned #-}

-- Who declared the amount has chosen its type.
-- Healthy
owed :: [Int] -> IO Int
owed xs = pure (length (show (sum [n | Amount n <- map amountOf xs])))
{-# NOINLINE owed #-}

-- | What is made, beside a number that goes up and a result.
data Made a = Made {made :: Int -> ([Int], Int, a)}

instance Functor Made where
  fmap = liftM

instance Applicative Made where
  pure = nothing
  (<*>) = applied

instance Monad Made where
  m >>= k = Made $ \n -> case made m n of
    (first, n', a) -> case made (k a) n' of
      (next, n'', b) -> (first ++ next, n'', b)

nothing :: a -> Made a
nothing a = Made (\n -> ([], n, a))

itemsBy :: (Made ([Int] -> [Int]) -> Made [Int] -> Made [Int]) -> Int -> Int
itemsBy with count = case made (foldr more (nothing []) [1 .. count]) 0 of
  (numbers', n, result) -> length numbers' + n + length result
  where
    more k = with (Made (\n -> ([k], n + 1, (k :))))

-- What return gives has an empty list, which is appended to all that comes after.
-- Found: appends-nothing
applied :: Made (a -> b) -> Made a -> Made b
applied = ap
{-# NOINLINE applied #-}

-- Healthy
appliedCured :: Made (a -> b) -> Made a -> Made b
appliedCured f m = Made $ \n -> case made f n of
  (first, n', g) -> case made m n' of
    (next, n'', a) -> (first ++ next, n'', g a)
{-# NOINLINE appliedCured #-}

-- | Who waits, how many have come, and for what.
data Waiting = Waiting {waiting :: [Int], come :: !Int, label :: String}

nobody :: Waiting
nobody = Waiting [] 0 "a seat"

served :: [Int] -> Int
served = foldl' (\acc n -> (31 * acc + n) `mod` 65537) 7

-- Found: copies-list
queued :: Int -> Waiting -> Waiting
queued n w = w {waiting = waiting w ++ [n], come = come w + 1}
{-# NOINLINE queued #-}

-- Healthy
queuedCured :: Int -> Waiting -> Waiting
queuedCured n w = w {waiting = n : waiting w, come = come w + 1}
{-# NOINLINE queuedCured #-}

-- Both were there.
-- Healthy
merged :: Waiting -> Waiting -> Waiting
merged (Waiting before n name) b = Waiting (before ++ waiting b) (n + come b) name
{-# NOINLINE merged #-}

-- A name is short.
-- Healthy
primed :: Waiting -> Waiting
primed w = w {label = label w ++ "'"}
{-# NOINLINE primed #-}

-- The newest is in front, and each step reads one that is old.
-- Found: list-reverse
replayed :: Int -> Int
replayed n = go 0 [3, 1]
  where
    go k past
      | k == n = sum past
      | otherwise = go (k + 1) ((reverse past !! (k `div` 2) + k) `mod` 1009 : past)
{-# NOINLINE replayed #-}

-- Healthy
replayedCured :: Int -> Int
replayedCured n = go 0 [3, 1]
  where
    go k past
      | k == n = sum past
      | otherwise = go (k + 1) ((past !! (length past - 1 - k `div` 2) + k) `mod` 1009 : past)
{-# NOINLINE replayedCured #-}

-- All of what is reversed is wanted.
-- Healthy
newest :: Int -> [Int] -> [Int]
newest n xs = concat [map (+ k) (reverse (take k xs)) | k <- [1 .. n]]
{-# NOINLINE newest #-}
