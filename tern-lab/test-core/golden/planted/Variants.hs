-- | Leaks as they are written by people who do not know of this set.
module Variants (runs) where

import Control.Monad
import Control.Monad.RWS.CPS qualified as C
import Control.Monad.RWS.Strict qualified as R
import Control.Monad.State.Strict qualified as S
import Control.Monad.Trans.Writer.CPS qualified as CW
import Control.Monad.Writer.Strict qualified as W
import Data.IORef
import Data.IntMap qualified as IM
import Data.IntMap.Strict qualified as IMS
import Data.List (foldl', mapAccumL, mapAccumR)
import Data.Map qualified as M
import Data.Map.Strict qualified as MS
import Data.Monoid (Sum (..))
import Data.Sequence qualified as Q
import Data.Text qualified as T
import Data.Text.Read qualified as T
import Data.Vector qualified as V
import Data.Vector.Unboxed qualified as U

runs :: [(String, IO ())]
runs =
  [ ("balances", print (fst (balances numbers))),
    ("balancesCured", print (fst (balancesCured numbers))),
    ("numbered", print (fst (numbered numbers))),
    ("numberedCured", print (fst (numberedCured numbers))),
    ("fromRight", print (fst (fromRight numbers))),
    ("fromRightCured", print (fst (fromRightCured numbers))),
    ("far", print (far 20000)),
    ("farCured", print (farCured 20000)),
    ("fibonacci", print (fst (fibonacci 20000))),
    ("fibonacciCured", print (fst (fibonacciCured 20000))),
    ("named", print (named 20000)),
    ("namedCured", print (namedCured 20000)),
    ("told", print (told numbers)),
    ("toldCured", print (toldCured numbers)),
    ("counted", print (counted 20000)),
    ("countedCured", print (countedCured 20000)),
    ("words'", print (sum (words' letters))),
    ("words'Cured", print (sum (words'Cured letters))),
    ("looked", print (sum (looked pairs))),
    ("lookedCured", print (sum (lookedCured pairs))),
    ("altered", print (sum (altered pairs))),
    ("alteredCured", print (sum (alteredCured pairs))),
    ("stats", print (stats numbers)),
    ("statsCured", print (statsCured numbers)),
    ("added", added numbers >>= print),
    ("addedCured", addedCured numbers >>= print),
    ("joined", print (T.length (joined numbers))),
    ("joinedCured", print (T.length (joinedCured numbers))),
    ("grown", print (T.length (grown 2000))),
    ("grownCured", print (T.length (grownCured 2000))),
    ("palindromes", print (palindromes numbers)),
    ("palindromesCured", print (palindromesCured numbers)),
    ("parsed", print (sum (parsed commas))),
    ("parsedCured", print (sum (parsedCured commas))),
    ("both", print (both (U.enumFromN 1 20000))),
    ("bothCured", print (bothCured (U.enumFromN 1 20000))),
    ("collected", print (V.length (collected (take 500 letters)))),
    ("collectedCured", print (V.length (collectedCured (take 500 letters)))),
    ("flattened", print (length (flattened [[i, i] | i <- [1 .. 300]]))),
    ("flattenedCured", print (length (flattenedCured [[i, i] | i <- [1 .. 300]]))),
    ("queued", print (length (queued 300))),
    ("queuedCured", print (length (queuedCured 300))),
    ("summed", print (summed 20000)),
    ("summedCured", print (summedCured 20000)),
    ("grouped", print (sum (map fst (MS.elems (grouped numbers))))),
    ("groupedCured", print (sum (map (\(Two a _) -> a) (MS.elems (groupedCured numbers))))),
    ("slots", print (sum (slots numbers))),
    ("slotsCured", print (sum (slotsCured numbers))),
    ("filtered", print (U.length (filtered (U.enumFromN 1 20000)))),
    ("filteredCured", print (U.length (filteredCured (U.enumFromN 1 20000)))),
    ("marked", print (T.length (marked letters'))),
    ("markedCured", print (T.length (markedCured letters'))),
    ("once", print (once (U.enumFromN 1 20000))),
    ("late", print (length (late [1 .. 10] [11 .. 20]))),
    ("orbit", print (length (orbit 20)))
  ]

numbers :: [Int]
numbers = [(i * 7919) `mod` 1013 | i <- [1 .. 5000]]
{-# NOINLINE numbers #-}

pairs :: [(Int, Int)]
pairs = [(i `mod` 10, i) | i <- numbers]
{-# NOINLINE pairs #-}

letters :: [String]
letters = [show (i `mod` 10) | i <- numbers]
{-# NOINLINE letters #-}

letters', commas :: T.Text
letters' = T.replicate 5000 (T.pack "abc")
commas = T.intercalate (T.pack ",") (map (T.pack . show) numbers)
{-# NOINLINE letters' #-}
{-# NOINLINE commas #-}

-- Found: lazy-fields
balances :: [Int] -> (Int, [Int])
balances = mapAccumL (\acc x -> (acc + x, x * 2)) 0
{-# NOINLINE balances #-}

-- Healthy
balancesCured :: [Int] -> (Int, [Int])
balancesCured xs = (foldl' (+) 0 xs, map (* 2) xs)
{-# NOINLINE balancesCured #-}

-- Found: lazy-fields
numbered :: [Int] -> ((Int, Int), [Int])
numbered = mapAccumL (\(s, n) x -> ((s + x, n + 1), x * 2)) (0, 0)
{-# NOINLINE numbered #-}

-- Healthy
numberedCured :: [Int] -> ((Int, Int), [Int])
numberedCured xs = ((foldl' (+) 0 xs, length xs), map (* 2) xs)
{-# NOINLINE numberedCured #-}

-- Found: lazy-fields
fromRight :: [Int] -> (Int, [Int])
fromRight = mapAccumR (\acc x -> (acc + x, x)) 0
{-# NOINLINE fromRight #-}

-- Healthy
fromRightCured :: [Int] -> (Int, [Int])
fromRightCured xs = (foldl' (+) 0 xs, xs)
{-# NOINLINE fromRightCured #-}

-- Found: iterate
far :: Int -> Int
far n = iterate (\x -> (x * 3 + 1) `mod` 1000) 1 !! n
{-# NOINLINE far #-}

-- Healthy
farCured :: Int -> Int
farCured n = go n 1
  where
    go :: Int -> Int -> Int
    go 0 !x = x
    go k !x = go (k - 1) ((x * 3 + 1) `mod` 1000)
{-# NOINLINE farCured #-}

-- Found: iterate
fibonacci :: Int -> (Int, Int)
fibonacci n = head (drop n (iterate (\(a, b) -> (b, (a + b) `mod` 1000)) (0, 1)))
{-# NOINLINE fibonacci #-}

-- Healthy
fibonacciCured :: Int -> (Int, Int)
fibonacciCured n = go n 0 1
  where
    go :: Int -> Int -> Int -> (Int, Int)
    go 0 !a !b = (a, b)
    go k !a !b = go (k - 1) b ((a + b) `mod` 1000)
{-# NOINLINE fibonacciCured #-}

-- Found: iterate
named :: Int -> Int
named n = let steps = iterate (\x -> (x * 7 + 3) `mod` 1009) 1 in steps !! n
{-# NOINLINE named #-}

-- Healthy
namedCured :: Int -> Int
namedCured n = go n 1
  where
    go :: Int -> Int -> Int
    go 0 !x = x
    go k !x = go (k - 1) ((x * 7 + 3) `mod` 1009)
{-# NOINLINE namedCured #-}

-- Found: writer
told :: [Int] -> Int
told xs = getSum . snd . W.runWriter $ do
  forM_ xs $ \x -> when (odd x) $ W.tell (Sum x)
  pure ()
{-# NOINLINE told #-}

-- Healthy
toldCured :: [Int] -> Int
toldCured xs = getSum . snd . CW.runWriter $ do
  forM_ xs $ \x -> when (odd x) $ CW.tell (Sum x)
  pure ()
{-# NOINLINE toldCured #-}

-- Found: writer
counted :: Int -> (Int, Int)
counted n = (\(_, s, w) -> (s, getSum w)) (R.runRWS go n 0)
  where
    go :: R.RWS Int (Sum Int) Int ()
    go = do
      k <- R.ask
      replicateM_ k (R.modify' (+ 1) >> R.tell (Sum 2))
{-# NOINLINE counted #-}

-- Healthy
countedCured :: Int -> (Int, Int)
countedCured n = (\(_, s, w) -> (s, getSum w)) (C.runRWS go n 0)
  where
    go :: C.RWS Int (Sum Int) Int ()
    go = do
      k <- C.ask
      replicateM_ k (C.modify' (+ 1) >> C.tell (Sum 2))
{-# NOINLINE countedCured #-}

-- Found: lazy-container
words' :: [String] -> M.Map String Int
words' = foldr (\w m -> M.insertWith (+) w 1 m) M.empty
{-# NOINLINE words' #-}

-- Healthy
words'Cured :: [String] -> M.Map String Int
words'Cured = foldl' (\m w -> MS.insertWith (+) w 1 m) M.empty
{-# NOINLINE words'Cured #-}

-- Found: lazy-container
looked :: [(Int, Int)] -> IM.IntMap Int
looked ps = foldl' step IM.empty ps
  where
    step m (k, v) = case IM.lookup k m of
      Nothing -> IM.insert k v m
      Just old -> IM.insert k (old + v) m
{-# NOINLINE looked #-}

-- Healthy
lookedCured :: [(Int, Int)] -> IM.IntMap Int
lookedCured ps = foldl' (\m (k, v) -> IMS.insertWith (+) k v m) IM.empty ps
{-# NOINLINE lookedCured #-}

-- Found: lazy-container
altered :: [(Int, Int)] -> M.Map Int Int
altered = foldl' (\m (k, v) -> M.alter (Just . maybe v (+ v)) k m) M.empty
{-# NOINLINE altered #-}

-- Healthy
alteredCured :: [(Int, Int)] -> M.Map Int Int
alteredCured = foldl' (\m (k, v) -> MS.insertWith (+) k v m) M.empty
{-# NOINLINE alteredCured #-}

data Stats = Stats {count :: Int, total :: Int, biggest :: Int}
  deriving (Show)

-- Found: lazy-fields
stats :: [Int] -> Stats
stats = foldl' add (Stats 0 0 0)
  where
    add st x = st {count = count st + 1, total = total st + x, biggest = max (biggest st) x}
{-# NOINLINE stats #-}

data Three = Three !Int !Int !Int

-- Healthy
statsCured :: [Int] -> Stats
statsCured xs = (\(Three c t b) -> Stats c t b) (foldl' (\(Three c t b) x -> Three (c + 1) (t + x) (max b x)) (Three 0 0 0) xs)
{-# NOINLINE statsCured #-}

-- Found: lazy-state
added :: [Int] -> IO Int
added xs = do
  ref <- newIORef 0
  mapM_ (\x -> readIORef ref >>= \o -> writeIORef ref (o + x)) xs
  readIORef ref
{-# NOINLINE added #-}

-- Healthy
addedCured :: [Int] -> IO Int
addedCured xs = do
  ref <- newIORef 0
  mapM_ (\x -> readIORef ref >>= \o -> writeIORef ref $! o + x) xs
  readIORef ref
{-# NOINLINE addedCured #-}

-- Found: copies-all
joined :: [Int] -> T.Text
joined = foldl' (\acc w -> acc <> T.pack " " <> T.pack (show w)) T.empty
{-# NOINLINE joined #-}

-- Healthy
joinedCured :: [Int] -> T.Text
joinedCured xs = T.concat [T.pack " " <> T.pack (show x) | x <- xs]
{-# NOINLINE joinedCured #-}

-- Found: copies-all
grown :: Int -> T.Text
grown n = go n T.empty
  where
    go :: Int -> T.Text -> T.Text
    go 0 acc = acc
    go k acc = go (k - 1) (T.snoc acc 'x')
{-# NOINLINE grown #-}

-- Healthy
grownCured :: Int -> T.Text
grownCured n = T.replicate n (T.pack "x")
{-# NOINLINE grownCured #-}

-- Found: show
palindromes :: [Int] -> Int
palindromes ns = length (filter (\n -> let s = show n in s == reverse s) ns)
{-# NOINLINE palindromes #-}

-- Healthy
palindromesCured :: [Int] -> Int
palindromesCured ns = length (filter (\n -> n == turned 0 n) ns)
  where
    turned :: Int -> Int -> Int
    turned !acc 0 = acc
    turned acc n = let (q, r) = n `quotRem` 10 in turned (acc * 10 + r) q
{-# NOINLINE palindromesCured #-}

-- Found: read
parsed :: T.Text -> [Int]
parsed t = map (read . T.unpack) (T.splitOn (T.pack ",") t)
{-# NOINLINE parsed #-}

-- Healthy
parsedCured :: T.Text -> [Int]
parsedCured t = [n | w <- T.splitOn (T.pack ",") t, Right (n, _) <- [T.decimal w]]
{-# NOINLINE parsedCured #-}

-- The vector is made, for two that could go over it at once.
-- Found: vector-kept
both :: U.Vector Int -> (Int, Int)
both v = (U.sum w, U.maximum w)
  where
    w = U.map (* 2) (U.filter even v)
{-# NOINLINE both #-}

-- Healthy
bothCured :: U.Vector Int -> (Int, Int)
bothCured v = (\(Two a b) -> (a, b)) (U.foldl' (\(Two s m) x -> Two (s + x) (max m x)) (Two 0 minBound) (U.map (* 2) (U.filter even v)))
{-# NOINLINE bothCured #-}

data Two = Two !Int !Int

-- Found: copies-vector
collected :: [String] -> V.Vector String
collected = foldl' V.snoc V.empty
{-# NOINLINE collected #-}

-- Healthy
collectedCured :: [String] -> V.Vector String
collectedCured xs = V.fromListN (length xs) xs
{-# NOINLINE collectedCured #-}

-- Found: copies-list
flattened :: [[Int]] -> [Int]
flattened = foldl (++) []
{-# NOINLINE flattened #-}

-- Healthy
flattenedCured :: [[Int]] -> [Int]
flattenedCured = concat
{-# NOINLINE flattenedCured #-}

-- Found: copies-list
queued :: Int -> [Int]
queued n = go n []
  where
    go :: Int -> [Int] -> [Int]
    go 0 acc = acc
    go k acc = go (k - 1) (acc ++ [k])
{-# NOINLINE queued #-}

-- Healthy
queuedCured :: Int -> [Int]
queuedCured n = go n []
  where
    go :: Int -> [Int] -> [Int]
    go 0 acc = reverse acc
    go k acc = go (k - 1) (k : acc)
{-# NOINLINE queuedCured #-}

-- Found: integer-default
summed :: Int -> Bool
summed n = even (sum (map fromIntegral [1 .. n]))
{-# NOINLINE summed #-}

-- Healthy
summedCured :: Int -> Bool
summedCured n = even (sum [1 .. n])
{-# NOINLINE summedCured #-}

-- Found: lazy-fields
grouped :: [Int] -> MS.Map Int (Int, Int)
grouped = foldl' (\m x -> MS.insertWith (\(a, b) (c, d) -> (a + c, b + d)) (x `mod` 10) (1, x) m) MS.empty
{-# NOINLINE grouped #-}

-- Healthy
groupedCured :: [Int] -> MS.Map Int Two
groupedCured = foldl' (\m x -> MS.insertWith (\(Two a b) (Two c d) -> Two (a + c) (b + d)) (x `mod` 10) (Two 1 x) m) MS.empty
{-# NOINLINE groupedCured #-}

-- Found: lazy-container
slots :: [Int] -> Q.Seq Int
slots = foldl' (\s x -> Q.adjust (+ x) (x `mod` 4) s) (Q.fromList [0, 0, 0, 0])
{-# NOINLINE slots #-}

-- Healthy
slotsCured :: [Int] -> Q.Seq Int
slotsCured = foldl' (\s x -> Q.adjust' (+ x) (x `mod` 4) s) (Q.fromList [0, 0, 0, 0])
{-# NOINLINE slotsCured #-}

-- Found: through-list
filtered :: U.Vector Int -> U.Vector Int
filtered v = U.fromList (map (+ 1) (filter odd (U.toList v)))
{-# NOINLINE filtered #-}

-- Healthy
filteredCured :: U.Vector Int -> U.Vector Int
filteredCured v = U.map (+ 1) (U.filter odd v)
{-# NOINLINE filteredCured #-}

-- Found: through-string
marked :: T.Text -> T.Text
marked t = T.pack (reverse (filter (/= 'a') (T.unpack t)))
{-# NOINLINE marked #-}

-- Healthy
markedCured :: T.Text -> T.Text
markedCured t = T.reverse (T.filter (/= 'a') t)
{-# NOINLINE markedCured #-}

-- It has a name, and one user that it is fused with.
-- Healthy
once :: U.Vector Int -> Int
once v = U.sum w
  where
    w = U.map (* 2) (U.filter even v)
{-# NOINLINE once #-}

-- The end of the loop, not a round.
-- Healthy
late :: [Int] -> [Int] -> [Int]
late xs rest = go xs []
  where
    go :: [Int] -> [Int] -> [Int]
    go [] acc = reverse acc ++ rest
    go (y : ys) acc = go ys (y : acc)
{-# NOINLINE late #-}

-- Each step is looked at.
-- Healthy
orbit :: Int -> [Int]
orbit n = takeWhile (/= 1) (iterate (\x -> if even x then x `div` 2 else x * 3 + 1) n)
{-# NOINLINE orbit #-}
