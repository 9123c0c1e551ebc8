{-# LANGUAGE LambdaCase #-}

-- | Leaks in records, behind classes, and in what a round takes of the round before.
module Shapes (runs) where

import Control.Monad.State.Strict
import Control.Monad.Writer.Class
import Control.Monad.Writer.Strict (runWriterT)
import Data.IntMap.Strict qualified as IM
import Data.Map.Strict qualified as M
import Data.Monoid (Sum (..))
import Data.Text (Text)
import Data.Text qualified as T
import Data.Vector qualified as V
import Data.Vector.Unboxed qualified as U

runs :: [(String, IO ())]
runs =
  [ ("frames", print (length (frames 15 stream))),
    ("framesCured", print (length (framesCured 15 stream))),
    ("labelled", print (M.size (labelled (zip [1 .. 2000] [2 ..])))),
    ("looked", print (sum [M.findWithDefault 0 k distances | k <- [1 .. 90]])),
    ("paths", print (evalState (paths 40 40) M.empty)),
    ("pathsCured", print (evalState (pathsCured 40 40) M.empty)),
    ("relaxed", print (V.sum (cells (relaxed 20 (start 50))))),
    ("relaxedCured", print (U.sum (relaxedCured 20 (U.convert (cells (start 50)))))),
    ("explored", print (explored links 0)),
    ("exploredCured", print (exploredCured links 0)),
    ("evaluate", print (evaluated (expression 10))),
    ("evaluateCured", print (evaluatedCured (expression 10))),
    ("shown", print (T.length (shown (expression 10))))
  ]

stream :: [Int]
stream = [(i * 7919) `mod` 256 | i <- [1 .. 6000]]
{-# NOINLINE stream #-}

-- How long the rest is, is asked in each round.
-- Found: list-length, for steps
frames :: Int -> [Int] -> [[Int]]
frames size rest
  | length rest < size = []
  | otherwise = let (frame, more) = splitAt size rest in frame : frames size more
{-# NOINLINE frames #-}

-- Healthy
framesCured :: Int -> [Int] -> [[Int]]
framesCured size rest
  | null (drop (size - 1) rest) = []
  | otherwise = let (frame, more) = splitAt size rest in frame : framesCured size more
{-# NOINLINE framesCured #-}

-- A table that is longer than GHC unrolls.
-- Healthy
distances :: M.Map Int Int
distances =
  M.fromList
    [
      (1, 7), (2, 28), (3, 63), (4, 15), (5, 78), (6, 58), (7, 52), (8, 60), (9, 82), (10, 21),
      (11, 71), (12, 38), (13, 19), (14, 14), (15, 23), (16, 46), (17, 83), (18, 37), (19, 5), (20, 84),
      (21, 80), (22, 90), (23, 17), (24, 55), (25, 10), (26, 76), (27, 59), (28, 56), (29, 67), (30, 92),
      (31, 34), (32, 87), (33, 57), (34, 41), (35, 39), (36, 51), (37, 77), (38, 20), (39, 74), (40, 45),
      (41, 30), (42, 29), (43, 42), (44, 69), (45, 13), (46, 68), (47, 40), (48, 26), (49, 26), (50, 40),
      (51, 68), (52, 13), (53, 69), (54, 42), (55, 29), (56, 30), (57, 45), (58, 74), (59, 20), (60, 77),
      (61, 51), (62, 39), (63, 41), (64, 57), (65, 87), (66, 34), (67, 92), (68, 67), (69, 56), (70, 59)
    ]
{-# NOINLINE distances #-}

-- What is kept beside a key is compared with nothing.
-- Healthy
labelled :: [(Int, Int)] -> M.Map (Int, Int) String
labelled = go M.empty
  where
    go known = \case
      [] -> known
      p : rest -> go (M.insert p (show p) known) rest
{-# NOINLINE labelled #-}

-- A pair is a key by its characters.
-- Found: show
paths :: Int -> Int -> State (M.Map String Int) Int
paths r c
  | r == 0 || c == 0 = pure 1
  | otherwise = do
      known <- gets (M.lookup key)
      case known of
        Just n -> pure n
        Nothing -> do
          n <- (\a b -> (a + b) `mod` 9973) <$> paths (r - 1) c <*> paths r (c - 1)
          n <$ modify' (M.insert key n)
  where
    key = show (r, c)
{-# NOINLINE paths #-}

-- Healthy
pathsCured :: Int -> Int -> State (M.Map (Int, Int) Int) Int
pathsCured r c
  | r == 0 || c == 0 = pure 1
  | otherwise = do
      known <- gets (M.lookup (r, c))
      case known of
        Just n -> pure n
        Nothing -> do
          n <- (\a b -> (a + b) `mod` 9973) <$> pathsCured (r - 1) c <*> pathsCured r (c - 1)
          n <$ modify' (M.insert (r, c) n)
{-# NOINLINE pathsCured #-}

data Grid = Grid {width :: !Int, cells :: !(V.Vector Double)}

start :: Int -> Grid
start w = Grid w (V.fromList [fromIntegral (i * 31 `mod` 17) | i <- [1 .. w * w]])
{-# NOINLINE start #-}

-- Boxes that are made of boxes, in a field.
-- Found: boxed-elements
relaxed :: Int -> Grid -> Grid
relaxed n grid
  | n == 0 = grid
  | otherwise = relaxed (n - 1) $! grid {cells = V.imap relax (cells grid)}
  where
    relax i x = 0.5 * x + 0.5 * (if i == 0 then 0 else cells grid V.! (i - 1))
{-# NOINLINE relaxed #-}

-- Healthy
relaxedCured :: Int -> U.Vector Double -> U.Vector Double
relaxedCured n grid
  | n == 0 = grid
  | otherwise = relaxedCured (n - 1) $! U.imap relax grid
  where
    relax i x = 0.5 * x + 0.5 * (if i == 0 then 0 else grid U.! (i - 1))
{-# NOINLINE relaxedCured #-}

links :: IM.IntMap [Int]
links = IM.fromList [(i, [(i * 3 + 1) `mod` 500, (i + 7) `mod` 500]) | i <- [0 .. 499]]
{-# NOINLINE links #-}

data Search = Search {frontier :: [Int], visited :: [Int]}

-- What was visited is a list in a record.
-- Found: list-search, for steps
explored :: IM.IntMap [Int] -> Int -> Int
explored graph root = loop (Search [root] [])
  where
    loop s = case frontier s of
      [] -> length (visited s)
      v : rest
        | v `elem` visited s -> loop s {frontier = rest}
        | otherwise -> loop (Search (IM.findWithDefault [] v graph ++ rest) (v : visited s))
{-# NOINLINE explored #-}

-- Healthy
exploredCured :: IM.IntMap [Int] -> Int -> Int
exploredCured graph root = loop [root] IM.empty
  where
    loop todo seen = case todo of
      [] -> IM.size seen
      v : rest
        | IM.member v seen -> loop rest seen
        | otherwise -> loop (IM.findWithDefault [] v graph ++ rest) (IM.insert v () seen)
{-# NOINLINE exploredCured #-}

data Expr = Lit Int | Name Text | Add Expr Expr

expression :: Int -> Expr
expression n
  | n == 0 = Name (T.pack "x")
  | otherwise = Add (Add (expression (n - 1)) (Lit n)) (expression (n - 1))
{-# NOINLINE expression #-}

-- Which monad gathers the log is only known to who runs it.
evaluated :: Expr -> (Int, Int)
evaluated e = getSum <$> evalState (runWriterT (evaluate e)) 7
{-# NOINLINE evaluated #-}

-- Found: writer
evaluate :: (MonadWriter (Sum Int) m, MonadState Int m) => Expr -> m Int
evaluate = \case
  Lit n -> n <$ tell (Sum 1)
  Name _ -> get
  Add a b -> (+) <$> evaluate a <*> evaluate b

evaluateCured :: Expr -> State Int Int
evaluateCured = \case
  Lit n -> n <$ modify' (+ 1)
  Name _ -> pure 7
  Add a b -> (+) <$> evaluateCured a <*> evaluateCured b

-- Healthy
evaluatedCured :: Expr -> (Int, Int)
evaluatedCured e = runState (evaluateCured e) 0
{-# NOINLINE evaluatedCured #-}

-- The texts of a tree's parts are put together once.
-- Healthy
shown :: Expr -> Text
shown = \case
  Lit n -> T.pack (show n)
  Name x -> T.append x (T.pack "!")
  Add a b -> T.concat (map shown [a, b])
{-# NOINLINE shown #-}
