{-# LANGUAGE MultiParamTypeClasses #-}

module Main (main) where

import qualified Data.List.NonEmpty as NonEmpty
import Data.Monoid.Action (Action (..))
import Data.Semigroup (sconcat)
import Data.Tree.DUAL

-- | Where something is moved, and how large it is made.
data Move = Move !Double !Double !Double

instance Semigroup Move where
  Move s x y <> Move t u v = Move (s * t) (x + s * u) (y + s * v)

instance Monoid Move where
  mempty = Move 1 0 0

-- | The corners of what is drawn.
data Box = Box !Double !Double !Double !Double

instance Semigroup Box where
  Box a b c d <> Box e f g h = Box (min a e) (min b f) (max c g) (max d h)

instance Action Move Box where
  act (Move s x y) (Box a b c d) = Box (s * a + x) (s * b + y) (s * c + x) (s * d + y)

type Scene = DUALTree Move Box String Int

-- | A forest: each tree has branches, and these have smaller ones.
branch :: Int -> Int -> Scene
branch 0 i = leaf (Box 0 0 1 2) i
branch n i =
  annot
    ("branch " ++ show n)
    ( leaf (Box 0 0 1 4) i
        <> applyD (Move 0.7 1 4) (branch (n - 1) (2 * i))
        <> applyD (Move 0.6 (-1) 3) (branch (n - 1) (2 * i + 1))
    )

forest :: Int -> Scene
forest n = maybe mempty sconcat (NonEmpty.nonEmpty [applyD (Move 1 (fromIntegral i) 0) (branch 9 i) | i <- [1 .. n]])

-- | How far right all is, together.
rightmost :: [(Int, Move)] -> Double
rightmost leaves = sum [x * fromIntegral (i `mod` 7) | (i, Move _ x _) <- leaves]

main :: IO ()
main = do
  let scene = forest 20
  case getU scene of
    Nothing -> putStrLn "empty"
    Just (Box a b c d) -> print (map round [a, b, c, d] :: [Int])
  print (length (flatten scene), round (rightmost (flatten scene)) :: Int)
  print (foldDUAL (\_ _ -> 1) 0 sum (\_ n -> n) (\s n -> n + length (take 1 s)) scene :: Maybe Int)
