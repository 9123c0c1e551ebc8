module Main (main) where

data Code = Push Int | Jump | Halt

data State = State [Int] Int

step :: State -> Either Int State
step (State stack pc) = case fetch pc of
  Push n -> Right (State (n : stack) (pc + 1))
  Jump -> case stack of
    n : rest | n > 0 -> Right (State (n - 1 : rest) pc)
    _ : rest -> Right (State rest (pc + 1))
    [] -> Right (State [] (pc + 1))
  Halt -> Left (length stack)

fetch :: Int -> Code
fetch pc
  | pc == 0 = Push 30000
  | pc == 1 = Jump
  | otherwise = Halt
{-# NOINLINE fetch #-}

eval :: Int -> State -> Int
eval fuel s = if fuel == 0 then 0 else either id (eval (fuel - 1)) (step s)

main :: IO ()
main = print (eval 1000000 (State [] 0))
