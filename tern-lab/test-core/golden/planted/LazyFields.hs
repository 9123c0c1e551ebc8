{-# LANGUAGE UnboxedTuples #-}

-- | Accumulators that are evaluated as far as their constructor.
module LazyFields (runs) where

import Control.Monad (foldM)
import Data.List (foldl')

runs :: [(String, IO ())]
runs =
  [ ("mean", print (mean numbers)),
    ("meanCured", print (meanCured numbers)),
    ("meanBang", print (meanBang numbers)),
    ("totals", print (totals numbers)),
    ("totalsCured", print (totalsCured numbers)),
    ("byHand", print (byHand (0, 0) numbers)),
    ("byHandCured", print (byHandCured 0 0 numbers)),
    ("inIO", inIO numbers >>= print),
    ("inIOCured", inIOCured numbers >>= print),
    ("upTo", print (upTo 20000)),
    ("upToCured", print (upToCured 20000)),
    ("lazily", print (lazily numbers)),
    ("unboxed", print (unboxed numbers)),
    ("advanced", print (lexed advanced (Input (Just 1) 0 text))),
    ("advancedCured", print (lexed advancedCured (Input (Just 1) 0 text))),
    ("skipped", print (lexed skipped (Input (Just 1) 0 text))),
    ("halves", print (map length (let (a, b) = halves numbers in [a, b])))
  ]

numbers :: [Int]
numbers = [(i * 7919) `mod` 1013 | i <- [1 .. 20000]]
{-# NOINLINE numbers #-}

-- Found: lazy-fields
mean :: [Int] -> (Int, Int)
mean = foldl' (\(s, n) x -> (s + x, n + 1)) (0, 0)
{-# NOINLINE mean #-}

-- Healthy
meanCured :: [Int] -> (Int, Int)
meanCured xs = (\(Two a b) -> (a, b)) (foldl' (\(Two s n) x -> Two (s + x) (n + 1)) (Two 0 0) xs)
{-# NOINLINE meanCured #-}

data Two = Two !Int !Int

-- The next round evaluates what this one leaves.
-- Healthy
meanBang :: [Int] -> (Int, Int)
meanBang = foldl' (\(!s, !n) x -> (s + x, n + 1)) (0, 0)
{-# NOINLINE meanBang #-}

data Totals = Totals {lowest :: Int, highest :: Int, total :: Int}
  deriving (Show)

-- Found: lazy-fields
totals :: [Int] -> Totals
totals = foldl' (\t x -> Totals (min x (lowest t)) (max x (highest t)) (x + total t)) (Totals maxBound minBound 0)
{-# NOINLINE totals #-}

data Strictly = Strictly !Int !Int !Int

-- Healthy
totalsCured :: [Int] -> Totals
totalsCured xs = (\(Strictly a b c) -> Totals a b c) (foldl' (\(Strictly a b c) x -> Strictly (min x a) (max x b) (x + c)) (Strictly maxBound minBound 0) xs)
{-# NOINLINE totalsCured #-}

-- Found: growing-accumulator
byHand :: (Int, Int) -> [Int] -> (Int, Int)
byHand (s, n) xs = case xs of
  [] -> (s, n)
  x : rest -> byHand (s + x, n + 1) rest
{-# NOINLINE byHand #-}

-- Healthy
byHandCured :: Int -> Int -> [Int] -> (Int, Int)
byHandCured !s !n xs = case xs of
  [] -> (s, n)
  x : rest -> byHandCured (s + x) (n + 1) rest
{-# NOINLINE byHandCured #-}

-- Found: lazy-fields
inIO :: [Int] -> IO (Int, Int)
inIO = foldM (\(s, n) x -> pure (s + x, n + 1)) (0, 0)
{-# NOINLINE inIO #-}

-- Healthy
inIOCured :: [Int] -> IO (Int, Int)
inIOCured xs = (\(Two a b) -> (a, b)) <$> foldM (\(Two s n) x -> pure $! Two (s + x) (n + 1)) (Two 0 0) xs
{-# NOINLINE inIOCured #-}

-- Found: lazy-fields
upTo :: Int -> (Int, Int)
upTo n = until ((>= n) . fst) (\(i, s) -> (i + 1, s + i)) (0, 0)
{-# NOINLINE upTo #-}

-- Healthy
upToCured :: Int -> (Int, Int)
upToCured n = go 0 0
  where
    go !i !s = if i >= n then (i, s) else go (i + 1) (s + i)
{-# NOINLINE upToCured #-}

-- GHC sees that the sum is needed.
-- Healthy
lazily :: [Int] -> Int
lazily xs = snd (foldl (\(b, n) x -> (not b, if b then n + x else n)) (True, 0) xs)
{-# NOINLINE lazily #-}

-- Lists are made on demand.
-- Healthy
halves :: [Int] -> ([Int], [Int])
halves = foldr (\x (a, b) -> (x : b, a)) ([], [])
{-# NOINLINE halves #-}

-- The parts of an unboxed pair have no kind of their own.
-- Healthy
unboxed :: [Int] -> Int
unboxed = foldl' (\acc x -> case parted acc x of (# q, r #) -> q + r) 0
{-# NOINLINE unboxed #-}

parted :: Int -> Int -> (# Int, Int #)
parted a b = (# a `div` 3, b + 1 #)
{-# NOINLINE parted #-}

-- | Where it is, how far, and what is left.
data Input = Input {line :: !(Maybe Int), offset :: !Int, left :: String}

text :: String
text = concat (replicate 4000 "some words\n")

lexed :: (Input -> Maybe (Char, Input)) -> Input -> (Maybe Int, Int)
lexed next = go
  where
    go i = case next i of
      Nothing -> (line i, offset i)
      Just (_, i') -> go i'
{-# NOINLINE lexed #-}

-- A bang evaluates the Just, and what is in it waits.
-- Found: lazy-fields
advanced :: Input -> Maybe (Char, Input)
advanced i = case left i of
  [] -> Nothing
  c : rest ->
    Just (c, i {line = fmap (\l -> if c == '\n' then l + 1 else l) (line i), offset = offset i + 1, left = rest})
{-# NOINLINE advanced #-}

-- Healthy
advancedCured :: Input -> Maybe (Char, Input)
advancedCured i = case left i of
  [] -> Nothing
  c : rest ->
    let here = case line i of
          Nothing -> Nothing
          Just l -> Just $! (if c == '\n' then l + 1 else l)
     in Just (c, i {line = here, offset = offset i + 1, left = rest})
{-# NOINLINE advancedCured #-}

-- What waits is beside the record, and not in it.
-- Healthy
skipped :: Input -> Maybe (Char, Input)
skipped i = case left i of
  [] -> Nothing
  c : rest -> Just (maybe c (const ' ') (line i), i {offset = offset i + 1, left = rest})
{-# NOINLINE skipped #-}
