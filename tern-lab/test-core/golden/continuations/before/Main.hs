module Main (main) where

data Code = Push Int | Jump | Halt

data State = State [Int] Int

step :: State -> (State -> Int) -> Int
step (State stack pc) k = case fetch pc of
  Push n -> k (State (n : stack) (pc + 1))
  Jump -> case stack of
    n : rest | n > 0 -> k (State (n - 1 : rest) pc)
    _ : rest -> k (State rest (pc + 1))
    [] -> k (State [] (pc + 1))
  Halt -> length stack
{-# NOINLINE step #-}

fetch :: Int -> Code
fetch pc
  | pc == 0 = Push 30000
  | pc == 1 = Jump
  | otherwise = Halt
{-# NOINLINE fetch #-}

eval :: Int -> State -> Int
eval fuel s = if fuel == 0 then 0 else step s (eval (fuel - 1))

main :: IO ()
main = print (eval 1000000 (State [] 0))
