{-# LANGUAGE GADTs #-}

-- | Accounts in a bank and workers that take turns, as programs that are interpreted.
module Main (main) where

import Control.Monad (forM_, replicateM_, when)
import Control.Monad.Operational
import qualified Control.Monad.State as S
import qualified Data.Map as Map

data Bank a where
  Deposit :: Int -> Int -> Bank ()
  Withdraw :: Int -> Int -> Bank Bool
  Balance :: Int -> Bank Int

deposit :: Int -> Int -> Program Bank ()
deposit who = singleton . Deposit who

withdraw :: Int -> Int -> Program Bank Bool
withdraw who = singleton . Withdraw who

balance :: Int -> Program Bank Int
balance = singleton . Balance

transfer :: Int -> Int -> Int -> Program Bank ()
transfer from to n = do
  done <- withdraw from n
  when done (deposit to n)

day :: Int -> Program Bank Int
day k = do
  forM_ [1 .. 40] $ \who -> deposit who (who * k `mod` 17)
  forM_ [1 .. 40] $ \who -> transfer who (who * 7 `mod` 40 + 1) (who + k `mod` 5)
  sum <$> mapM balance [1 .. 40]

runBank :: Program Bank a -> Map.Map Int Int -> (a, Map.Map Int Int)
runBank program accounts = case view program of
  Return a -> (a, accounts)
  Deposit who n :>>= k -> runBank (k ()) (Map.insertWith (+) who n accounts)
  Withdraw who n :>>= k
    | Map.findWithDefault 0 who accounts >= n -> runBank (k True) (Map.adjust (subtract n) who accounts)
    | otherwise -> runBank (k False) accounts
  Balance who :>>= k -> runBank (k (Map.findWithDefault 0 who accounts)) accounts

data Work a where
  Yield :: Work ()
  Fork :: ProgramT Work (S.State Int) () -> Work ()

worker :: Int -> ProgramT Work (S.State Int) ()
worker n = do
  replicateM_ 90 $ do
    S.lift (S.modify (\s -> (s * 31 + n) `mod` 1000003))
    singleton Yield
  when (n > 0 && n `mod` 5 == 0) (singleton (Fork (worker (n - 1))))

turns :: [ProgramT Work (S.State Int) ()] -> S.State Int Int
turns = go 0
  where
    go k [] = pure k
    go k (p : ps) = viewT p >>= step k ps
    step :: Int -> [ProgramT Work (S.State Int) ()] -> ProgramViewT Work (S.State Int) () -> S.State Int Int
    step k ps v = case v of
      Return () -> go k ps
      Yield :>>= next -> go (k + 1) (ps ++ [next ()])
      Fork new :>>= next -> go k (new : ps ++ [next ()])

main :: IO ()
main = do
  let (sums, accounts) = runBank (mapM day [1 .. 1000]) Map.empty
  print (sum sums, Map.size accounts, maximum accounts)
  print (S.runState (turns (map worker [1 .. 200])) 1)
