{-# LANGUAGE OverloadedStrings #-}

-- | What packages of pages, signals and numbers taught: pairs of programs after a run.
--
-- Each has something that must be said, and beside it something like it that must not be.
module Tern.Lab.Core.EnclosedTest (tests) where

import Data.List (nub)
import Tern.Lab.Core.Advice (kindName, renderAdvice)
import Tern.Lab.Core.Finding (Finding (..), FindingKind (..))
import Tern.Lab.Core.Shown (functionsOf, modulesOf, shown, told)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "what is put into its like"
    [ testCase "texts that are copied into texts of their own kind" nested,
      testCase "a message for an error is made in no round" messages,
      testCase "functions that call one another hand on what comes back" between,
      testCase "methods of instances that get others are mended with the functions" instances,
      testCase "a lazy state is made strict with what changes it" lazyState,
      testCase "a monad's own continuation is nobody's callback" continuation
    ]

-- | A page whose tables are in tables, and lines that are marked once each.
nested :: Assertion
nested = do
  every <-
    shown
      [ ( "Pages.hs",
          [ "module Pages (Html, written, cell, row, table, text) where",
            "newtype Html = Html {written :: String}",
            "cell :: Html -> Html",
            "cell body = Html (\"<td>\" ++ written body ++ \"</td>\")",
            "row, table :: [Html] -> Html",
            "row body = Html (\"<tr>\" ++ concatMap written body ++ \"</tr>\")",
            "table body = Html $ \"<table>\" ++ concatMap written body ++ \"</table>\"",
            "text :: String -> Html",
            "text = Html"
          ]
        ),
        ( "Marked.hs",
          [ "module Marked (Line (..), marked, joined) where",
            "newtype Line = Line String",
            "marked :: Line -> Line",
            "marked (Line s) = Line (s ++ \";\")",
            "joined :: [Line] -> Line",
            "joined ls = Line (concatMap (\\(Line s) -> s) ls ++ \".\")"
          ]
        ),
        ( "Main.hs",
          [ "module Main (main) where",
            "import Marked",
            "import Pages",
            "page :: Int -> Html",
            "page 0 = text \"a leaf\"",
            "page n = table [row [cell (page (n - 1)), cell (text (show n))]]",
            "main :: IO ()",
            "main = do",
            "  print (sum [length (written (page (30 + k `mod` 7))) | k <- [1 .. 200]])",
            "  let Line whole = joined [marked (Line (show k)) | k <- [1 .. 400 :: Int]]",
            "  print (length whole)"
          ]
        )
      ]
  assertEqual (told every) ["Pages"] (modulesOf "copies-nested" every)

-- | Two functions that stop at a bad number by a function of their module, and one that writes.
messages :: Assertion
messages = do
  every <-
    shown
      [ ( "Numbers.hs",
          [ "module Numbers (root, half, written) where",
            "import Text.Printf (printf)",
            "refused :: String -> a",
            "refused why = error $ \"Numbers: \" ++ why",
            "next :: Double -> Double -> Double",
            "next a y = (y + a / y) / 2",
            "{-# NOINLINE next #-}",
            "root, half :: Double -> Double -> Double",
            "root a x",
            "  | a < 0 = refused $ printf \"root: a=%g x=%g\" a x",
            "  | otherwise = go (0 :: Int) [x]",
            "  where",
            "    go i ys@(y : _)",
            "      | i > 20 || abs (y * y - a) < 1e-9 = y + fromIntegral (length ys)",
            "      | otherwise = go (i + 1) (next a y : ys)",
            "    go _ [] = a",
            "half a x",
            "  | x < 0 = refused (printf \"half: a=%g x=%g\" a x)",
            "  | x > a = half a (next a x)",
            "  | otherwise = x",
            "written :: [Int] -> [String]",
            "written ks = [printf \"%d;\" k | k <- ks]"
          ]
        ),
        ( "Main.hs",
          [ "module Main (main) where",
            "import Numbers",
            "main :: IO ()",
            "main = do",
            "  print (sum [root k 3 + half 2 k | k <- map fromIntegral [1 .. 5000 :: Int]])",
            "  print (length (concat (written [1 .. 500])))"
          ]
        )
      ]
  assertEqual (told every) ["written"] (nub (functionsOf "printf" every))

-- | Workers that take turns, the next after all others; and their names, each put together anew.
between :: Assertion
between = do
  every <-
    shown
      [ ( "Main.hs",
          [ "module Main (main) where",
            "import Control.Monad.State.Strict",
            "data Work = Done | Again Int | More Int Int",
            "look :: Int -> Work",
            "look n",
            "  | n `mod` 16 == 0 = Done",
            "  | n `mod` 7 == 0 = More (n + 1) (n + 2)",
            "  | otherwise = Again (n + 1)",
            "{-# NOINLINE look #-}",
            "turns :: [Int] -> State Int Int",
            "{-# NOINLINE turns #-}",
            "turns = go 0",
            "  where",
            "    go k [] = pure k",
            "    go k (n : rest) = gets (+ n) >>= step k rest . look",
            "    step :: Int -> [Int] -> Work -> State Int Int",
            "    step k rest work = case work of",
            "      Done -> go k rest",
            "      Again n -> go (k + 1) (rest ++ [n])",
            "      More n m -> go (k + 2) (m : rest ++ [n])",
            "names, spelt :: Int -> Int -> Int",
            "names k n = if n <= 0 then k else spelt k (length (show n ++ \"th\") + n)",
            "spelt k n = names (k + n `mod` 5) (n - length (show n) - 3)",
            "{-# NOINLINE names #-}",
            "main :: IO ()",
            "main = do",
            "  print (evalState (turns [1 .. 400]) 0)",
            "  print (names 0 4000)"
          ]
        )
      ]
  assertEqual (told every) ["turns"] (nub (functionsOf "copies-list" every))

-- | Signals over any monad: functions that run them, and an instance that composes them.
instances :: Assertion
instances = do
  every <-
    shown
      [ ( "Signals.hs",
          [ "module Signals (Signal (..), after, counted, run) where",
            "newtype Signal m a b = Signal {stepped :: a -> m (b, Signal m a b)}",
            "instance (Monad m) => Functor (Signal m a) where",
            "  fmap f (Signal g) = Signal $ \\x -> do",
            "    (y, next) <- g x",
            "    pure (f y, fmap f next)",
            "instance (Monad m) => Applicative (Signal m a) where",
            "  pure y = Signal (\\_ -> pure (y, pure y))",
            "  f <*> g = Signal $ \\x -> do",
            "    (h, f') <- stepped f x",
            "    (y, g') <- stepped g x",
            "    pure (h y, f' <*> g')",
            "after :: (Monad m) => Signal m b c -> Signal m a b -> Signal m a c",
            "after g f = Signal $ \\x -> do",
            "  (y, f') <- stepped f x",
            "  (z, g') <- stepped g y",
            "  pure (z, after g' f')",
            "counted :: (Monad m, Num b) => b -> Signal m b b",
            "counted n = Signal (\\x -> let s = n + x in s `seq` pure (s, counted s))",
            "run :: (Monad m) => Signal m a b -> [a] -> m [b]",
            "run _ [] = pure []",
            "run s (x : xs) = do",
            "  (y, next) <- stepped s x",
            "  ys <- run next xs",
            "  pure (y : ys)"
          ]
        ),
        ( "Main.hs",
          [ "module Main (main) where",
            "import Data.Functor.Identity",
            "import Signals",
            "signal :: Signal Identity Int Int",
            "signal = (+) <$> after (counted 0) (counted 1) <*> (subtract 3 <$> counted 2)",
            "main :: IO ()",
            "main = print (sum (runIdentity (run signal [1 .. 5000])))"
          ]
        )
      ]
  case map findingKind every of
    [OverloadedTogether _ modules] -> assertEqual (told every) ["Signals"] modules
    _ -> assertFailure (told every)

-- | The same change of a lazy state and of a strict one.
lazyState :: Assertion
lazyState = do
  every <-
    shown
      [ ( "Main.hs",
          [ "module Main (main) where",
            "import qualified Control.Monad.State as L",
            "import qualified Control.Monad.State.Strict as S",
            "lazily :: Int -> L.State Int ()",
            "lazily n = L.modify (\\s -> (s * 31 + n) `mod` 1000003)",
            "{-# NOINLINE lazily #-}",
            "strictly :: Int -> S.State Int ()",
            "strictly n = S.modify (\\s -> (s * 31 + n) `mod` 1000003)",
            "{-# NOINLINE strictly #-}",
            "main :: IO ()",
            "main = do",
            "  print (L.execState (mapM_ lazily [1 .. 5000]) 1)",
            "  print (S.execState (mapM_ strictly [1 .. 5000]) 1)"
          ]
        )
      ]
  let advice name =
        [ renderAdvice f
          | f <- every,
            kindName (findingKind f) == "lazy-state",
            findingBinding f == name
        ]
  assertEqual
    (told every)
    (["evaluate it: modify', with Control.Monad.State.Strict"], ["evaluate it: modify'"])
    (advice "lazily", advice "strictly")

-- | A search in a monad of continuations, and one whose continuation is written out.
continuation :: Assertion
continuation = do
  every <-
    shown
      [ ( "Search.hs",
          [ "{-# LANGUAGE RankNTypes #-}",
            "module Search (Search (..), choose, none) where",
            "newtype Search a = Search {run :: forall r. (a -> r -> r) -> r -> r}",
            "instance Functor Search where",
            "  fmap f m = Search (\\sk -> run m (sk . f))",
            "instance Applicative Search where",
            "  pure a = Search (\\sk fk -> sk a fk)",
            "  f <*> m = Search (\\sk -> run f (\\g -> run m (sk . g)))",
            "instance Monad Search where",
            "  m >>= f = Search (\\sk -> run m (\\a -> run (f a) sk))",
            "choose :: [a] -> Search a",
            "choose xs = Search (\\sk fk -> foldr sk fk xs)",
            "none :: Search a",
            "none = Search (\\_ fk -> fk)"
          ]
        ),
        ( "Main.hs",
          [ "module Main (main) where",
            "import Search",
            "coins :: Int -> [Int] -> Search [Int]",
            "coins 0 _ = pure []",
            "coins n cs = do",
            "  c <- choose cs",
            "  if c > n then none else fmap (c :) (coins (n - c) (filter (<= c) cs))",
            "{-# NOINLINE coins #-}",
            "written :: Int -> [Int] -> ([Int] -> Int -> Int) -> Int -> Int",
            "written 0 _ found more = found [] more",
            "written n cs found more = foldr try more cs",
            "  where",
            "    try c rest",
            "      | c > n = rest",
            "      | otherwise = written (n - c) (filter (<= c) cs) (\\xs -> found (c : xs)) rest",
            "{-# NOINLINE written #-}",
            "main :: IO ()",
            "main = do",
            "  print (run (coins 90 [50, 20, 10, 5, 2]) (\\xs n -> n + length xs) 0)",
            "  print (written 90 [50, 20, 10, 5, 2] (\\xs n -> n + length xs) 0)"
          ]
        )
      ]
  assertEqual (told every) ["written"] (nub (functionsOf "unknown-calls" every))
