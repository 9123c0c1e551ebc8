{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE GeneralizedNewtypeDeriving #-}
{-# LANGUAGE LambdaCase #-}

-- | Leaks that stand in what the program's own loops call: a function that they are given, a
-- helper that makes what the next round gets, a list that each round makes longer.
module Rounds (runs) where

import Data.IORef
import Data.IntMap.Strict qualified as IM
import Data.List (foldl', sort, (\\))
import Data.Map.Strict qualified as MS
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T

runs :: [(String, IO ())]
runs =
  [ ("told", told 20000 >>= print),
    ("toldCured", toldCured 20000 >>= print),
    ("visited", visited 20000 >>= print),
    ("visitedCured", visitedCured 20000 >>= print),
    ("once", once 7 >>= print),
    ("longer", print (size (page pieces))),
    ("longerCured", print (size (pageCured pieces))),
    ("sheet", print (size (sheet pieces))),
    ("sheetCured", print (size (sheetCured pieces))),
    ("titles", print (sum (map size (titles pieces)))),
    ("different", print (length (different numbers))),
    ("differentCured", print (length (differentCured numbers))),
    ("walked", print (length (walked 1 []))),
    ("walkedCured", print (length (walkedCured 1 Set.empty []))),
    ("served", print (served 0 [] numbers)),
    ("servedCured", print (servedCured 0 Set.empty (zip numbers [0 ..]))),
    ("arrived", print (sum (arrived (take 1000 numbers)))),
    ("arrivedCured", print (sum (arrivedCured (take 1000 numbers)))),
    ("open", print (length (open numbers))),
    ("openCured", print (length (openCured numbers))),
    ("ranked", print (sum (ranked (map pure numbers)))),
    ("recoloured", print (sum (recoloured numbers))),
    ("recolouredCured", print (sum (recolouredCured numbers))),
    ("sorted", print (sum (sorted numbers))),
    ("sortedCured", print (sum (sortedCured numbers))),
    ("picks", print (sum (map length (picks (take 300 numbers))))),
    ("chunked", print (length (chunked numbers))),
    ("products", print (length (products (MS.fromList [(k, [k, k + 1]) | k <- numbers])))),
    ("vowels", print (vowels 0 (concatMap T.unpack pieces)))
  ]

pieces :: [Text]
pieces = replicate 1000 (T.pack "piece")
{-# NOINLINE pieces #-}

numbers :: [Int]
numbers = [k * k `mod` 1999 | k <- [1 .. 4000]]
{-# NOINLINE numbers #-}

-- Loops of the program's own, which are given a function.

eachOf :: Int -> (Int -> IO ()) -> IO ()
eachOf n act = go 1
  where
    go i
      | i > n = pure ()
      | otherwise = act i >> go (i + 1)
{-# NOINLINE eachOf #-}

downFrom :: (Int -> IO ()) -> Int -> IO ()
downFrom act n
  | n == 0 = pure ()
  | otherwise = act n >> downFrom act (n - 1)
{-# NOINLINE downFrom #-}

twice :: (Int -> IO ()) -> Int -> IO ()
twice act n = act n >> act (n + 1)
{-# NOINLINE twice #-}

-- Found: lazy-state
told :: Int -> IO Int
told n = do
  cell <- newIORef 0
  eachOf n (\i -> modifyIORef cell (+ i))
  readIORef cell
{-# NOINLINE told #-}

-- Healthy
toldCured :: Int -> IO Int
toldCured n = do
  cell <- newIORef 0
  eachOf n (\i -> modifyIORef' cell (+ i))
  readIORef cell
{-# NOINLINE toldCured #-}

-- Found: lazy-state
visited :: Int -> IO Int
visited n = do
  cell <- newIORef 0
  downFrom (\i -> modifyIORef cell (+ i)) n
  readIORef cell
{-# NOINLINE visited #-}

-- Healthy
visitedCured :: Int -> IO Int
visitedCured n = do
  cell <- newIORef 0
  downFrom (\i -> modifyIORef' cell (+ i)) n
  readIORef cell
{-# NOINLINE visitedCured #-}

-- Healthy
once :: Int -> IO Int
once n = do
  cell <- newIORef 0
  twice (\i -> modifyIORef cell (+ i)) n
  readIORef cell
{-# NOINLINE once #-}

newtype Line = Line Text
  deriving newtype (Semigroup, Monoid)

size :: Line -> Int
size (Line t) = T.length t

-- Found: copies-all
longer :: Line -> Text -> Line
longer (Line whole) piece = Line (whole <> T.cons ' ' piece)
{-# NOINLINE longer #-}

page :: [Text] -> Line
page = go mempty
  where
    go line rest = case rest of
      [] -> line
      piece : more -> go (longer line piece) more
{-# NOINLINE page #-}

longerCured :: [Text] -> Text -> [Text]
longerCured line piece = T.cons ' ' piece : line

pageCured :: [Text] -> Line
pageCured = Line . T.concat . reverse . foldl' longerCured []
{-# NOINLINE pageCured #-}

-- Found: copies-all
sheet :: [Text] -> Line
sheet = foldl' (\line piece -> line <> Line piece) mempty
{-# NOINLINE sheet #-}

-- Healthy
sheetCured :: [Text] -> Line
sheetCured = Line . T.concat
{-# NOINLINE sheetCured #-}

-- Healthy
titled :: Text -> Line -> Line
titled piece mark = Line piece <> mark
{-# NOINLINE titled #-}

-- Healthy
titles :: [Text] -> [Line]
titles = map (\piece -> titled piece (Line (T.pack "!")))
{-# NOINLINE titles #-}

-- Found: list-search, for steps
different :: [Int] -> [Int]
different = foldl' (\seen x -> if x `elem` seen then seen else x : seen) []
{-# NOINLINE different #-}

-- Healthy
differentCured :: [Int] -> [Int]
differentCured = Set.toList . Set.fromList
{-# NOINLINE differentCured #-}

-- Found: list-search, for steps
walked :: Int -> [Int] -> [Int]
walked n path
  | n `elem` path = path
  | otherwise = walked (n * 7 `mod` 1999) (n : path)
{-# NOINLINE walked #-}

-- Healthy
walkedCured :: Int -> Set.Set Int -> [Int] -> [Int]
walkedCured n seen path
  | Set.member n seen = path
  | otherwise = walkedCured (n * 7 `mod` 1999) (Set.insert n seen) (n : path)
{-# NOINLINE walkedCured #-}

-- Healthy
vowels :: Int -> String -> Int
vowels n cs = case cs of
  [] -> n
  c : rest -> vowels (if c `elem` "aeiou" then n + 1 else n) rest
{-# NOINLINE vowels #-}

-- The smaller half of what waits is served first.
-- Found: sorts-again
served :: Int -> [Int] -> [Int] -> Int
served total waiting = \case
  x : y : more -> case sort (x : y : waiting) of
    first : others -> let total' = total + first in total' `seq` served total' others more
    [] -> total
  _ -> total
{-# NOINLINE served #-}

-- Healthy
servedCured :: Int -> Set.Set (Int, Int) -> [(Int, Int)] -> Int
servedCured total waiting = \case
  x : y : more -> case Set.minView (Set.insert x (Set.insert y waiting)) of
    Just ((first, _), others) ->
      let total' = total + first in total' `seq` servedCured total' others more
    Nothing -> total
  _ -> total
{-# NOINLINE servedCured #-}

-- All that came stays in order, with each that comes.
-- Found: sorts-again
arrived :: [Int] -> [Int]
arrived = foldl' (\kept x -> sort (x : kept)) []
{-# NOINLINE arrived #-}

-- Healthy
arrivedCured :: [Int] -> [Int]
arrivedCured = sort
{-# NOINLINE arrivedCured #-}

-- What is closed is taken out, one by one.
-- Found: list-search
open :: [Int] -> [Int]
open = foldl' (\left x -> left \\ [x]) [1 .. 1999]
{-# NOINLINE open #-}

-- Healthy
openCured :: [Int] -> [Int]
openCured = Set.toList . foldl' (flip Set.delete) (Set.fromList [1 .. 1999])
{-# NOINLINE openCured #-}

-- One element is changed in each round.
-- Found: list-update
recoloured :: [Int] -> [Int]
recoloured = foldl' (\cells x -> change cells (x `mod` 500) x) (replicate 500 0)
  where
    change cells at new = take at cells ++ [new] ++ drop (at + 1) cells
{-# NOINLINE recoloured #-}

-- Healthy
recolouredCured :: [Int] -> [Int]
recolouredCured = IM.elems . foldl' change (IM.fromList (zip [0 .. 499] (replicate 500 0)))
  where
    change cells x = IM.insert (x `mod` 500) x cells
{-# NOINLINE recolouredCured #-}

-- One comes into its place.
-- Found: list-update
sorted :: [Int] -> [Int]
sorted = foldl' into []
  where
    into done x =
      let (less, more) = span (< x) done
       in less ++ x : more
{-# NOINLINE sorted #-}

-- Healthy
sortedCured :: [Int] -> [Int]
sortedCured = sort
{-# NOINLINE sortedCured #-}

-- The same list without each of its elements: each is a list of its own.
-- Healthy
picks :: [Int] -> [[Int]]
picks xs = [take i xs ++ drop (i + 1) xs | i <- [0 .. length xs - 1]]
{-# NOINLINE picks #-}

-- Each part is looked at once.
-- Healthy
chunked :: [Int] -> [Int]
chunked xs = case splitAt 3 xs of
  (few, []) -> few
  (few, more) -> few ++ 0 : chunked more
{-# NOINLINE chunked #-}

-- A list that is made as it is asked for, by a fold over a tree.
-- Healthy
products :: MS.Map Int [Int] -> [Int]
products rows = [k * x | (k, xs) <- MS.toList rows, x <- xs]
{-# NOINLINE products #-}

-- Each round sorts its own.
-- Healthy
ranked :: [[Int]] -> [Int]
ranked = foldl' (\best xs -> take 1 (sort xs) <> take 3 best) []
{-# NOINLINE ranked #-}
