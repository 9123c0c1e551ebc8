module Step (step, runStep) where

import Control.Monad.Trans.Reader
import Data.Map.Strict qualified as Map

data Instruction = Add | Sub | Nop

table :: Map.Map Int Instruction
table = Map.fromList (zip [0 ..] [Add, Sub, Nop, Add, Add])
{-# NOINLINE table #-}

runStep :: Reader Int Int -> Int -> Int
runStep = runReader

step :: Int -> Reader Int Int
step i = case Map.lookup (i `mod` 7) table of
  Just Add -> asks (+ i)
  Just Sub -> asks (subtract i)
  Just Nop -> ask
  Nothing -> pure i
