module Main (main) where

import qualified Data.Map as Map
import MonadLib

-- | A machine with a stack: what it does, what it says and why it stops.
data Code
  = Push Int
  | Add
  | Times
  | Store String
  | Load String
  | Say
  | Loop Int [Code]

type Names = Map.Map String Int

type Machine = StateT ([Int], Names) (ReaderT Int (WriterT [Int] (ExceptionT String Id)))

step :: Code -> Machine ()
step code = case code of
  Push n -> push n
  Add -> binary (+)
  Times -> binary (\a b -> a * b `mod` 10007)
  Store x -> do
    a <- pop
    sets_ (fmap (Map.insert x a))
  Load x -> do
    (_, names) <- get
    maybe (raise ("no " ++ x)) push (Map.lookup x names)
  Say -> pop >>= \a -> put [a]
  Loop n body -> do
    depth <- ask
    if depth > 5
      then raise "too deep"
      else local (depth + 1) (mapM_ (const (mapM_ step body)) [1 .. n])

push :: Int -> Machine ()
push a = sets_ (pushed a)
  where
    pushed x (s, names) = (x : s, names)

pop :: Machine Int
pop = do
  (s, names) <- get
  case s of
    a : rest -> set (rest, names) >> return a
    [] -> raise "nothing there"

binary :: (Int -> Int -> Int) -> Machine ()
binary f = do
  a <- pop
  b <- pop
  push (f a b)

program :: Int -> [Code]
program n =
  [ Push 1,
    Store "x",
    Loop n [Load "x", Push 3, Times, Push 1, Add, Store "x", Loop 3 [Load "x", Load "x", Times, Say]]
  ]

run :: [Code] -> Either String (((), ([Int], Names)), [Int])
run code = runId (runExceptionT (runWriterT (runReaderT 0 (runStateT ([], Map.empty) (mapM_ step code)))))

-- | Ways to pay a sum, one after the other.
ways :: Int -> [Int] -> ChoiceT Id [Int]
ways 0 _ = return []
ways _ [] = mzero
ways n (c : cs) = (guard (n >= c) >> fmap (c :) (ways (n - c) (c : cs))) `mplus` ways n cs

main :: IO ()
main = do
  either putStrLn (\((_, (s, names)), said) -> print (length s, Map.toList names, sum said)) (run (program 9000))
  either putStrLn (const (return ())) (run (program 2 ++ [Add]))
  print (length (runId (findAll (ways 150 [50, 20, 10, 5, 2]))))
