{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE RecordWildCards #-}

-- | Leaks as they stand in programs: in stacks of monads, in functions that call each other, in
-- loops of a where.
module Strangers (runs) where

import Control.Concurrent.STM
import Control.Monad
import Control.Monad.Reader
import Control.Monad.State.Strict
import Control.Monad.Writer.Strict
import Data.IORef
import Data.IntMap qualified as IM
import Data.IntMap.Strict qualified as IMS
import Data.IntSet qualified as IS
import Data.List (foldl', nub, sort, sortOn)
import Data.Map qualified as M
import Data.Monoid (Sum (..))
import Data.Set qualified as Set
import Data.Text qualified as T
import Data.Text.Lazy qualified as TL
import Data.Text.Lazy.Builder qualified as B
import Data.Vector qualified as V

runs :: [(String, IO ())]
runs =
  [ ("evens", print (evens 0 0 steps)),
    ("evensCured", print (evensCured steps)),
    ("mean", print (mean measured)),
    ("meanCured", print (meanCured measured)),
    ("handled", handled steps >>= print),
    ("handledCured", handledCured steps >>= print),
    ("served", served steps >>= print),
    ("servedCured", servedCured steps >>= print),
    ("spread", print (spread steps)),
    ("spreadCured", print (spreadCured steps)),
    ("largestOf", print (largestOf stock)),
    ("largestOfCured", print (largestOfCured stock)),
    ("rendered", print (T.length (rendered (take 800 steps)))),
    ("renderedCured", print (T.length (renderedCured (take 800 steps)))),
    ("clients", clients steps >>= print),
    ("clientsCured", clientsCured steps >>= print),
    ("audited", print (audited steps)),
    ("auditedCured", print (auditedCured steps)),
    ("after", print (after 20000)),
    ("afterCured", print (afterCured 20000)),
    ("energy", print (energy (V.fromList measured))),
    ("tags", print (length (tags (map (`mod` 700) steps)))),
    ("tagsCured", print (length (tagsCured (map (`mod` 700) steps)))),
    ("checksum", print (checksum steps)),
    ("checksumCured", print (checksumCured steps)),
    ("outline", print (length (outline wood))),
    ("outlineCured", print (length (outlineCured wood))),
    ("journeys", print (journeys steps)),
    ("journeysCured", print (journeysCured steps)),
    ("gauge", gauge steps >>= print),
    ("gaugeCured", gaugeCured steps >>= print),
    ("path", print (length (path wood))),
    ("pathCured", print (length (pathCured wood))),
    ("columns", print (T.length (columns (take 800 steps)))),
    ("columnsCured", print (T.length (columnsCured (take 800 steps)))),
    ("histogram", print (sum (IM.elems (histogram steps)))),
    ("histogramCured", print (sum (IMS.elems (histogramCured steps)))),
    ("median", print (median steps)),
    ("visited", print (visited 5)),
    ("visitedCured", print (visitedCured 5)),
    ("ticked", ticked steps >>= print),
    ("tickedCured", tickedCured steps >>= print),
    ("postings", print (sum (map length (M.elems (postings steps))))),
    ("postingsCured", print (sum (map length (M.elems (postingsCured steps))))),
    ("accounts", print (sum (M.elems (accounts steps)))),
    ("accountsCured", print (sum (M.elems (accountsCured steps)))),
    ("tally", print (tally steps)),
    ("tallyCured", print (tallyCured steps)),
    ("report", print (length (report (take 800 steps)))),
    ("reportCured", print (length (reportCured (take 800 steps)))),
    ("picked", print (picked steps)),
    ("pickedCured", print (pickedCured steps)),
    ("polled", polled 20000 >>= print),
    ("polledCured", polledCured 20000 >>= print),
    ("replayed", replayed steps >>= print),
    ("replayedCured", replayedCured steps >>= print)
  ]

steps :: [Int]
steps = [(i * 7919) `mod` 1013 | i <- [1 .. 6000]]
{-# NOINLINE steps #-}

measured :: [Double]
measured = map fromIntegral steps
{-# NOINLINE measured #-}

stock :: M.Map Int Int
stock = M.fromList [(i, i * 7 `mod` 100) | i <- steps]
{-# NOINLINE stock #-}

data Wood = Leaf Int | Fork Wood Wood

wood :: Wood
wood = grow 2000 (Leaf 0)
  where
    grow :: Int -> Wood -> Wood
    grow 0 w = w
    grow n w = grow (n - 1) (Fork w (Leaf n))
{-# NOINLINE wood #-}

-- Two functions call each other, and hand their counts along.
-- Found: growing-accumulator
evens :: Int -> Int -> [Int] -> (Int, Int)
evens a b [] = (a, b)
evens a b (x : xs) = odds (a + x) b xs

odds :: Int -> Int -> [Int] -> (Int, Int)
odds a b [] = (a, b)
odds a b (x : xs) = evens a (b + x) xs

-- Healthy
evensCured :: [Int] -> (Int, Int)
evensCured = go 0 0
  where
    go !a !b [] = (a, b)
    go !a !b [x] = (a + x, b)
    go !a !b (x : y : more) = go (a + x) (b + y) more
{-# NOINLINE evensCured #-}

-- A loop of a where, with two sums and a maximum that is looked at only at the end.
-- Found: growing-accumulator
mean :: [Double] -> (Double, Int, Double)
mean values = loop 0 0 0 values
  where
    loop total n top rest = case rest of
      [] -> (total, n, top)
      v : vs -> loop (total + v) (n + 1) (max top v) vs
{-# NOINLINE mean #-}

-- Healthy
meanCured :: [Double] -> (Double, Int, Double)
meanCured values = loop 0 0 0 values
  where
    loop !total !n !top rest = case rest of
      [] -> (total, n, top)
      v : vs -> loop (total + v) (n + 1) (max top v) vs
{-# NOINLINE meanCured #-}

data Served = Served {requests :: Int, bytes :: Int}

-- A state over an environment over IO.
-- Found: lazy-state
handled :: [Int] -> IO Int
handled xs = snd <$> runReaderT (runStateT (mapM_ handle xs) 0) 3
  where
    handle :: Int -> StateT Int (ReaderT Int IO) ()
    handle x = do
      k <- lift ask
      when (x > k) $ modify (+ x)
{-# NOINLINE handled #-}

-- Healthy
handledCured :: [Int] -> IO Int
handledCured xs = snd <$> runReaderT (runStateT (mapM_ handle xs) 0) 3
  where
    handle :: Int -> StateT Int (ReaderT Int IO) ()
    handle x = do
      k <- lift ask
      when (x > k) $ modify' (+ x)
{-# NOINLINE handledCured #-}

-- The record is taken apart and made again by its wildcard.
-- Found: lazy-fields
served :: [Int] -> IO (Int, Int)
served xs = do
  cell <- newIORef Served {requests = 0, bytes = 0}
  forM_ xs $ \x -> modifyIORef' cell (count x)
  Served {..} <- readIORef cell
  pure (requests, bytes)
  where
    count x Served {..} = Served {requests = requests + 1, bytes = bytes + x}
{-# NOINLINE served #-}

data ServedNow = ServedNow {requestsNow :: !Int, bytesNow :: !Int}

-- Healthy
servedCured :: [Int] -> IO (Int, Int)
servedCured xs = do
  cell <- newIORef ServedNow {requestsNow = 0, bytesNow = 0}
  forM_ xs $ \x -> modifyIORef' cell (count x)
  ServedNow {..} <- readIORef cell
  pure (requestsNow, bytesNow)
  where
    count x ServedNow {..} = ServedNow {requestsNow = requestsNow + 1, bytesNow = bytesNow + x}
{-# NOINLINE servedCured #-}

-- Found: lazy-fields
spread :: [Int] -> (Int, Int)
spread = foldr (\x (lo, hi) -> (min lo x, max hi x)) (maxBound, minBound)
{-# NOINLINE spread #-}

-- Healthy
spreadCured :: [Int] -> (Int, Int)
spreadCured = go maxBound minBound
  where
    go !lo !hi [] = (lo, hi)
    go lo hi (x : xs) = go (min lo x) (max hi x) xs
{-# NOINLINE spreadCured #-}

-- A list of what a map has, made by its fold, each time with all that was there at the front.
-- Found: copies-list
largestOf :: M.Map Int Int -> Int
largestOf m = length (M.foldrWithKey (\k v acc -> acc ++ [(k, v)]) [] m)
{-# NOINLINE largestOf #-}

-- Healthy
largestOfCured :: M.Map Int Int -> Int
largestOfCured m = length (reverse (M.foldrWithKey (\k v acc -> (k, v) : acc) [] m))
{-# NOINLINE largestOfCured #-}

-- A text in a state grows by an append.
-- Found: copies-all
rendered :: [Int] -> T.Text
rendered xs = execState (mapM_ line xs) T.empty
  where
    line x = modify' (\out -> out <> T.pack (show x) <> T.pack "\n")
{-# NOINLINE rendered #-}

-- Healthy
renderedCured :: [Int] -> T.Text
renderedCured xs = TL.toStrict (B.toLazyText (execState (mapM_ line xs) mempty))
  where
    line x = modify' (\out -> out <> B.fromString (show x) <> B.singleton '\n')
{-# NOINLINE renderedCured #-}

-- Found: lazy-state
clients :: [Int] -> IO Int
clients xs = do
  open <- newTVarIO 0
  forM_ xs $ \x -> atomically $ do
    when (even x) $ modifyTVar open (subtract 1)
    when (odd x) $ modifyTVar open (+ 2)
  readTVarIO open
{-# NOINLINE clients #-}

-- Healthy
clientsCured :: [Int] -> IO Int
clientsCured xs = do
  open <- newTVarIO 0
  forM_ xs $ \x -> atomically $ do
    when (even x) $ modifyTVar' open (subtract 1)
    when (odd x) $ modifyTVar' open (+ 2)
  readTVarIO open
{-# NOINLINE clientsCured #-}

-- A log below a state.
-- Found: writer
audited :: [Int] -> (Int, Int)
audited xs = (\(s, w) -> (s, getSum w)) (runWriter (execStateT (mapM_ one xs) 0))
  where
    one :: Int -> StateT Int (Writer (Sum Int)) ()
    one x = modify' (+ 1) >> lift (tell (Sum x))
{-# NOINLINE audited #-}

-- Healthy
auditedCured :: [Int] -> (Int, Int)
auditedCured xs = go 0 0 xs
  where
    go !n !w [] = (n, w)
    go n w (y : ys) = go (n + 1) (w + y) ys
{-# NOINLINE auditedCured #-}

-- Found: iterate
after :: Int -> Int
after days = population
  where
    generations = iterate grown (1, 0)
    (population, _) = generations !! days
    grown (a, b) = ((a + b) `mod` 9973, a)
{-# NOINLINE after #-}

-- Healthy
afterCured :: Int -> Int
afterCured days = go days 1 0
  where
    go :: Int -> Int -> Int -> Int
    go 0 !a !_ = a
    go n a b = go (n - 1) ((a + b) `mod` 9973) a
{-# NOINLINE afterCured #-}

-- The list is never made.
-- Healthy
energy :: V.Vector Double -> Double
energy v = sum (map (\x -> x * x) (V.toList (V.map (subtract 3) v)))
{-# NOINLINE energy #-}

-- Found: nub, for steps
tags :: [Int] -> [Int]
tags = sort . nub . filter (> 3)
{-# NOINLINE tags #-}

-- Healthy
tagsCured :: [Int] -> [Int]
tagsCured = Set.toAscList . Set.fromList . filter (> 3)
{-# NOINLINE tagsCured #-}

-- A number goes through its characters and comes back.
-- Found: read
checksum :: [Int] -> Int
checksum = foldl' (\acc x -> (acc + read (reverse (show x))) `mod` 9973) 0
{-# NOINLINE checksum #-}

-- Healthy
checksumCured :: [Int] -> Int
checksumCured = foldl' (\acc x -> (acc + turned 0 x) `mod` 9973) 0
  where
    turned :: Int -> Int -> Int
    turned !acc 0 = acc
    turned acc n = let (q, r) = n `quotRem` 10 in turned (acc * 10 + r) q
{-# NOINLINE checksumCured #-}

-- Strings of the branches are appended on the way up.
-- Found: appends-recursively
outline :: Wood -> String
outline (Leaf n) = show n
outline (Fork a b) = concat ["(", outline a, " ", outline b, ")"]
{-# NOINLINE outline #-}

-- Healthy
outlineCured :: Wood -> String
outlineCured w = go w ""
  where
    go (Leaf n) = shows n
    go (Fork a b) = ('(' :) . go a . (' ' :) . go b . (')' :)
{-# NOINLINE outlineCured #-}

data Journey = Journey {legs :: Int, distance :: Int, highest :: Int}

-- Found: lazy-fields
journeys :: [Int] -> (Int, Int, Int)
journeys xs = go xs Journey {legs = 0, distance = 0, highest = 0}
  where
    go [] j = (legs j, distance j, highest j)
    go (y : ys) j@Journey {..} =
      go ys j {legs = legs + 1, distance = distance + y, highest = max highest y}
{-# NOINLINE journeys #-}

data JourneyNow = JourneyNow {legsNow :: !Int, distanceNow :: !Int, highestNow :: !Int}

-- Healthy
journeysCured :: [Int] -> (Int, Int, Int)
journeysCured xs = go xs (JourneyNow 0 0 0)
  where
    go [] j = (legsNow j, distanceNow j, highestNow j)
    go (y : ys) JourneyNow {..} =
      go ys (JourneyNow (legsNow + 1) (distanceNow + y) (max highestNow y))
{-# NOINLINE journeysCured #-}

data Gauges = Gauges {level :: IORef Int, floods :: IORef Int}

-- Cells of an environment.
-- Found: lazy-state
gauge :: [Int] -> IO (Int, Int)
gauge xs = do
  gauges <- Gauges <$> newIORef 0 <*> newIORef 0
  runReaderT (mapM_ rise xs) gauges
  (,) <$> readIORef (level gauges) <*> readIORef (floods gauges)
  where
    rise x = do
      Gauges {..} <- ask
      liftIO $ modifyIORef level (+ x)
      when (x > 1000) . liftIO $ modifyIORef floods succ
{-# NOINLINE gauge #-}

-- Healthy
gaugeCured :: [Int] -> IO (Int, Int)
gaugeCured xs = do
  gauges <- Gauges <$> newIORef 0 <*> newIORef 0
  runReaderT (mapM_ rise xs) gauges
  (,) <$> readIORef (level gauges) <*> readIORef (floods gauges)
  where
    rise x = do
      Gauges {..} <- ask
      liftIO $ modifyIORef' level (+ x)
      when (x > 1000) . liftIO $ modifyIORef' floods succ
{-# NOINLINE gaugeCured #-}

-- Found: appends-recursively
path :: Wood -> [Int]
path (Leaf n) = [n]
path (Fork a (Leaf n)) = path a ++ [n]
path (Fork a b) = path a <> path b
{-# NOINLINE path #-}

-- Healthy
pathCured :: Wood -> [Int]
pathCured w = go w []
  where
    go (Leaf n) rest = n : rest
    go (Fork a b) rest = go a (go b rest)
{-# NOINLINE pathCured #-}

-- Found: copies-all
columns :: [Int] -> T.Text
columns = go T.empty
  where
    go out (x : xs)
      | even x = go (T.concat [out, T.pack (show x), T.pack ","]) xs
      | otherwise = go (T.append out (T.pack ";")) xs
    go out [] = out
{-# NOINLINE columns #-}

-- Healthy
columnsCured :: [Int] -> T.Text
columnsCured xs = T.concat (map one xs)
  where
    one x = if even x then T.pack (shows x ",") else T.pack ";"
{-# NOINLINE columnsCured #-}

-- Found: lazy-container
histogram :: [Int] -> IM.IntMap Int
histogram xs = IM.fromListWith (+) [(x `div` 100, 1) | x <- xs]
{-# NOINLINE histogram #-}

-- Healthy
histogramCured :: [Int] -> IMS.IntMap Int
histogramCured xs = IMS.fromListWith (+) [(x `div` 100, 1) | x <- xs]
{-# NOINLINE histogramCured #-}

-- Once, of a list that was sorted for it.
-- Healthy
median :: [Int] -> Int
median xs = sortOn negate xs !! (length xs `div` 2)
{-# NOINLINE median #-}

-- A state is put that was made of the last one, in an application's own monad.
-- Found: lazy-state
replayed :: [Int] -> IO Int
replayed xs = execStateT (forM_ xs step) 0
  where
    step x = do
      total <- get
      when (x `mod` 100 == 0) (lift (pure ()))
      put (total + x)
{-# NOINLINE replayed #-}

-- Healthy
replayedCured :: [Int] -> IO Int
replayedCured xs = execStateT (forM_ xs step) 0
  where
    step x = do
      total <- get
      when (x `mod` 100 == 0) (lift (pure ()))
      put $! total + x
{-# NOINLINE replayedCured #-}

-- The places that were seen are a list, and each is looked for.
-- Found: list-search, for steps
visited :: Int -> Int
visited n = walk [] n
  where
    walk seen k
      | k `elem` seen = length seen
      | otherwise = walk (k : seen) ((k * 7 + 3) `mod` 2003)
{-# NOINLINE visited #-}

-- Healthy
visitedCured :: Int -> Int
visitedCured n = walk IS.empty n
  where
    walk seen k
      | k `IS.member` seen = IS.size seen
      | otherwise = walk (IS.insert k seen) ((k * 7 + 3) `mod` 2003)
{-# NOINLINE visitedCured #-}

newtype App a = App {unApp :: StateT Int IO a}
  deriving newtype (Functor, Applicative, Monad, MonadIO, MonadState Int)

-- An application's own monad.
-- Found: lazy-state
ticked :: [Int] -> IO Int
ticked xs = execStateT (unApp (mapM_ beat xs)) 0
  where
    beat :: Int -> App ()
    beat x = unless (x == 13) (modify (\n -> n + x `mod` 3))
{-# NOINLINE ticked #-}

-- Healthy
tickedCured :: [Int] -> IO Int
tickedCured xs = execStateT (unApp (mapM_ beat xs)) 0
  where
    beat :: Int -> App ()
    beat x = unless (x == 13) (modify' (\n -> n + x `mod` 3))
{-# NOINLINE tickedCured #-}

-- What each key has is appended at the end.
-- Found: copies-list
postings :: [Int] -> M.Map Int [Int]
postings = foldl' (\m x -> M.insertWith (flip (++)) (x `mod` 7) [x] m) M.empty
{-# NOINLINE postings #-}

-- Healthy
postingsCured :: [Int] -> M.Map Int [Int]
postingsCured xs = fmap reverse (foldl' (\m x -> M.insertWith (++) (x `mod` 7) [x] m) M.empty xs)
{-# NOINLINE postingsCured #-}

-- The value of a key is looked up, and put back as a computation.
-- Found: lazy-container
accounts :: [Int] -> M.Map Int Int
accounts xs = execState (mapM_ book xs) (M.fromList [(k, 0) | k <- [0 .. 9]])
  where
    book x = modify' (\m -> M.insert (x `mod` 10) (x + M.findWithDefault 0 (x `mod` 10) m) m)
{-# NOINLINE accounts #-}

-- Healthy
accountsCured :: [Int] -> M.Map Int Int
accountsCured xs = execState (mapM_ book xs) (M.fromList [(k, 0) | k <- [0 .. 9]])
  where
    book x = modify' (\m -> let v = x + M.findWithDefault 0 (x `mod` 10) m in v `seq` M.insert (x `mod` 10) v m)
{-# NOINLINE accountsCured #-}

-- A sum and a count of a foldMap.
data Tally = Tally Int Int

instance Semigroup Tally where
  Tally a b <> Tally c d = Tally (a + c) (b + d)

instance Monoid Tally where
  mempty = Tally 0 0

-- Found: growing-accumulator
tally :: [Int] -> Int
tally xs = (\(Tally a b) -> a + b) (go mempty xs)
  where
    go acc [] = acc
    go acc (y : ys) = go (acc <> Tally y 1) ys
{-# NOINLINE tally #-}

data TallyNow = TallyNow !Int !Int

-- Healthy
tallyCured :: [Int] -> Int
tallyCured xs = (\(TallyNow a b) -> a + b) (go (TallyNow 0 0) xs)
  where
    go acc [] = acc
    go (TallyNow a b) (y : ys) = go (TallyNow (a + y) (b + 1)) ys
{-# NOINLINE tallyCured #-}

-- Lines are put together at the end of a string.
-- Found: copies-list
report :: [Int] -> String
report xs = execState (forM_ xs line) ""
  where
    line x = modify' (\out -> out ++ show x ++ "\n")
{-# NOINLINE report #-}

-- Healthy
reportCured :: [Int] -> String
reportCured xs = execState (forM_ xs line) id ""
  where
    line x = modify' (\out -> out . shows x . ('\n' :))
{-# NOINLINE reportCured #-}

-- Found: list-index, for steps
picked :: [Int] -> Int
picked xs = go 0 0
  where
    go acc i
      | i >= 1500 = acc
      | otherwise = go (acc + xs !! i) (i + 1)
{-# NOINLINE picked #-}

-- Healthy
pickedCured :: [Int] -> Int
pickedCured = foldl' (+) 0 . take 1500
{-# NOINLINE pickedCured #-}

-- The pair is evaluated, not what is in it.
-- Found: lazy-state
polled :: Int -> IO (Int, Int)
polled n = do
  cell <- newIORef (0, 0)
  forM_ [1 .. n] $ \i -> do
    (calls, total) <- readIORef cell
    writeIORef cell (calls + 1, total + i)
  readIORef cell
{-# NOINLINE polled #-}

-- Healthy
polledCured :: Int -> IO (Int, Int)
polledCured n = do
  cell <- newIORef (0, 0)
  forM_ [1 .. n] $ \i -> do
    (calls, total) <- readIORef cell
    let !c = calls + 1
        !t = total + i
    writeIORef cell (c, t)
  readIORef cell
{-# NOINLINE polledCured #-}
