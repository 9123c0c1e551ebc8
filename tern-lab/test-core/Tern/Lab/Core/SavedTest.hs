{-# LANGUAGE OverloadedStrings #-}

-- | What a cure saves of a run is some bytes, and what is below a floor is a detail.
--
-- Its one idea: functions that looked heavy in other people's packages, though their cure saved
-- next to nothing, stand in one run beside functions of the same kind whose cure saves much.
module Tern.Lab.Core.SavedTest (tests) where

import Data.List (nub, sort)
import Data.Maybe (mapMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import Tern.Lab.Core.Advice (kindName)
import Tern.Lab.Core.Command (sharedCache)
import Tern.Lab.Core.Finding (Finding (..), Spent (..), worthShowing)
import Tern.Lab.Core.Findings (findings)
import Tern.Lab.Core.Measured (measuredBy)
import Tern.Lab.Core.Problem (renderCoreProblem)
import Tern.Lab.Core.Target (Target (..))
import Tern.Lab.Core.Workbench (Build (..), Run (..), gatherTicky)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  withResource measured (\_ -> pure ()) $ \run ->
    testGroup
      "what a cure saves"
      [ testCase "only what saves much is shown" (run >>= shown),
        testCase "what waits is some bytes for each entry" (run >>= waits),
        testCase "calls are counted where they are made" (run >>= counts),
        testCase "code of a library is that of the call in the function around it" (run >>= taken),
        testCase "what an append copies is counted where it stayed a call" (run >>= copied)
      ]

-- | After a run, those of the kinds that are looked at here.
measured :: IO [Finding]
measured = withSystemTempDirectory "tern-lab-saved" $ \folder -> do
  cache <- sharedCache
  T.writeFile (folder </> "Code.hs") (T.unlines code)
  T.writeFile (folder </> "Main.hs") (T.unlines program)
  (modules, counters, whole) <-
    gatherTicky
      (Build "ghc" ["-XHaskell2010"] [] False False cache)
      (SourceFile (folder </> "Main.hs"))
      (Run "{exe}" Nothing)
      >>= either (assertFailure . T.unpack . renderCoreProblem) pure
  pure
    [ f
      | f <- measuredBy whole modules counters (findings modules),
        kindName (findingKind f) `elem` kinds
    ]
  where
    kinds =
      T.words
        "printf read appends-recursively growing-accumulator lazy-container lazy-state \
        \copies-list list-update"

said :: Finding -> (Text, Text)
said f = (findingBinding f, kindName (findingKind f))

-- | Not @colour@, @seldomRead@, @spread@, @carried@, @perKey@, @number@ and @closing@.
shown :: [Finding] -> Assertion
shown every =
  nub (sort (map said (filter worthShowing every)))
    @?= [ ("flat", "appends-recursively"),
          ("hex", "printf"),
          ("numberAll", "lazy-state"),
          ("oftenRead", "read"),
          ("perNumber", "lazy-container"),
          ("settled", "list-update"),
          ("summed", "growing-accumulator"),
          ("swapped", "list-update")
        ]

-- | 16,000 rounds that leave one computation each are worth less than one where 200,000 do,
-- however much the rounds allocate besides.
waits :: [Finding] -> Assertion
waits every = case (saves "carried", saves "summed") of
  ([little], [much]) -> assertBool (show (little, much)) (much > 8 * little)
  other -> assertFailure (show other)
  where
    saves name =
      [ spentSaves spent
        | f <- every,
          said f == (name, "growing-accumulator"),
          Just spent <- [findingMeasured f]
      ]

-- | An insertion that melted into @main@ has the entries of its own loop, and not those of @main@;
-- a change of a map counts where it waits, and not at all that the function does.
counts :: [Finding] -> Assertion
counts every = do
  let perKey = entries "lazy-container" (\f -> findingIn f == Just "perKey")
      few = entries "lazy-state" ((== "number") . findingBinding)
      many = entries "lazy-state" ((== "numberAll") . findingBinding)
      -- What became of a call has several parts, and is one call.
      parsed = entries "read" ((== "oftenRead") . findingBinding)
      line = show (perKey, few, many)
  parsed @?= [3000]
  assertBool line (all (<= 7000) perKey)
  assertBool line (all (<= 200) few)
  assertBool line (not (null many) && all (>= 99999) many)
  where
    entries kind wanted =
      [ spentEntries spent
        | f <- every,
          kindName (findingKind f) == kind,
          wanted f,
          Just spent <- [findingMeasured f]
      ]

-- | What became of @take@ and @++@ in @change@ stands in @changes@, which called it, and is counted
-- there. Another @++@ in the same function, which stayed a call, is none of it.
taken :: [Finding] -> Assertion
taken every = case mapMaybe findingMeasured (filter settled every) of
  [spent] -> do
    -- 400 changes of 1,200 places, half of which are copied, and 7 words for each.
    assertBool (show spent) (spentBytes spent > 8_000_000)
    spentEntries spent @?= 401
  other -> assertFailure (show other)
  where
    settled f = said f == ("settled", "list-update")

-- | 400 changes, each of some 600 cells before the place, which @++@ copies.
copied :: [Finding] -> Assertion
copied every = case mapMaybe findingMeasured (filter swapped every) of
  [spent] -> assertBool (show spent) (spentBytes spent > 5_000_000)
  other -> assertFailure (show other)
  where
    swapped f = said f == ("swapped", "list-update")

code, program :: [Text]
code =
  [ "module Code",
    "  ( Colour (..), T (..), page, seldomRead, spread, flat, Tree (..), carried, summed,",
    "    perNumber, settled, swapped, closing",
    "  ) where",
    "",
    "import qualified Data.IntMap as I",
    "import Text.Printf (printf)",
    "",
    "data Colour = Red | Green | Blue | Rgb Int Int Int",
    "",
    "-- A format in a branch that never runs.",
    "page :: Bool -> [Colour] -> String",
    "page plain",
    "  | plain = concatMap (\\c -> colour c ++ \";\" ++ colour c)",
    "  | otherwise = concatMap colour",
    "",
    "colour :: Colour -> String",
    "colour c = case c of",
    "  Red -> \"#ff0000\"",
    "  Green -> \"#00ff00\"",
    "  Blue -> \"#0000ff\"",
    "  Rgb r g b -> printf \"#%02x%02x%02x\" r g b",
    "",
    "-- Some short numbers.",
    "seldomRead :: [String] -> [Int]",
    "seldomRead = map read",
    "{-# NOINLINE seldomRead #-}",
    "",
    "-- Each step is a list of its own, made when the next number comes.",
    "data T = T Int (Int -> [T])",
    "",
    "spread :: I.IntMap [Int] -> Int -> [T]",
    "spread table n = [T n later]",
    "  where",
    "    later s = if s > n then concatMap (spread table) (I.findWithDefault [] n table) else []",
    "",
    "data Tree = Leaf | Fork Tree Int Tree",
    "",
    "flat :: Tree -> [Int]",
    "flat t = case t of",
    "  Leaf -> []",
    "  Fork l x r -> flat l ++ x : flat r",
    "",
    "-- A round makes much, and leaves one computation.",
    "carried :: Maybe Int -> [Int] -> Maybe Int",
    "carried best xs = case xs of",
    "  [] -> best",
    "  x : rest",
    "    | sum (take 9 (reverse (take 12 rest))) < 0 -> best'",
    "    | otherwise -> carried best' rest",
    "    where",
    "      best' = if even x then Just x else best",
    "{-# NOINLINE carried #-}",
    "",
    "summed :: Int -> [Int] -> (Int, Bool)",
    "summed n xs = case xs of",
    "  [] -> (n, True)",
    "  x : rest -> summed (n + x * 3) rest",
    "{-# NOINLINE summed #-}",
    "",
    "perNumber :: [(Int, Int)] -> I.IntMap Int",
    "perNumber = foldr (\\(k, n) -> I.insertWith (+) k n) I.empty",
    "{-# NOINLINE perNumber #-}",
    "",
    "-- Two local functions, of which the first is gone.",
    "settled :: [Int] -> [Int]",
    "settled cells = phases (concatMap grouped cells)",
    "  where",
    "    grouped c = if even c then [c, c] else [c]",
    "    phases cs = changes cs (zip [0 ..] (take 400 (map (* 2) cs)))",
    "    change xs (i, a) = take (i * 3 `mod` 1200) xs ++ [a] ++ drop (i * 3 `mod` 1200 + 1) xs",
    "    changes xs [] = xs",
    "    changes xs (u : us) = changes (change xs u) us",
    "{-# NOINLINE settled #-}",
    "",
    "swapped :: [Int] -> [(Int, Int)] -> [Int]",
    "swapped xs changes = case changes of",
    "  [] -> xs",
    "  (i, a) : more -> case splitAt i xs of",
    "    (before, _ : after) -> swapped (before ++ a : after) more",
    "    _ -> swapped xs more",
    "{-# NOINLINE swapped #-}",
    "",
    "-- Most go round once, and a few cells are copied.",
    "closing :: ([Int], [Int]) -> [Int]",
    "closing (events, ends) = case ends of",
    "  n : rest | n > 0 -> closing (events ++ [n], rest)",
    "  _ -> events",
    "{-# NOINLINE closing #-}"
  ]
program =
  [ "module Main (main) where",
    "",
    "import Code",
    "import Control.Monad.State.Lazy",
    "import qualified Data.IntMap as I",
    "import qualified Data.Map as M",
    "import Data.List (foldl')",
    "import Text.Printf (printf)",
    "",
    "deep :: Int -> Tree",
    "deep n = foldl' (\\t k -> Fork t k Leaf) Leaf [1 .. n]",
    "",
    "run :: Int -> [T] -> [T]",
    "run s = concatMap (\\(T _ f) -> f s)",
    "",
    "data Entry = Entry {who :: String, much :: Int, parts :: [Int]}",
    "",
    "names :: [String]",
    "names = [\"first\", \"second\", \"third\", \"fourth\", \"fifth\"]",
    "",
    "total :: Entry -> Int",
    "total e = sum [p * much e | p <- parts e]",
    "",
    "-- Few keys, and nodes that are made in any case.",
    "perKey :: [Entry] -> M.Map String Int",
    "perKey = foldr (\\e -> M.insertWith (+) (who e) (total e)) M.empty",
    "",
    "hex :: Colour -> String",
    "hex c = case c of",
    "  Red -> \"red\"",
    "  Green -> \"green\"",
    "  Blue -> \"blue\"",
    "  Rgb r g b -> printf \"#%02x%02x%02x\" r g b",
    "{-# NOINLINE hex #-}",
    "",
    "oftenRead :: [String] -> [Int]",
    "oftenRead = map read",
    "{-# NOINLINE oftenRead #-}",
    "",
    "data Exp = Sym Int | Mark Int | Two Exp Exp | Opt Exp",
    "",
    "-- Of many parts few change the state.",
    "number :: Exp -> [Int] -> State (I.IntMap [Int]) [Int]",
    "number e k = case e of",
    "  Sym n -> return (take 3 (n : k))",
    "  Mark n -> do",
    "    modify (I.insert n k)",
    "    return (take 2 k)",
    "  Two a b -> number a =<< number b k",
    "  Opt a -> (++) <$> number a k <*> pure (take 2 k)",
    "",
    "numberAll :: [Int] -> State (I.IntMap Int) ()",
    "numberAll values = case values of",
    "  [] -> return ()",
    "  x : rest -> do",
    "    modify (I.insert (x `mod` 100) x)",
    "    numberAll rest",
    "{-# NOINLINE numberAll #-}",
    "",
    "expr :: Int -> Exp",
    "expr n",
    "  | n > 8000 = if n `mod` 64 == 0 then Mark n else Sym n",
    "  | n `mod` 3 == 0 = Opt (Two (expr (2 * n)) (expr (2 * n + 1)))",
    "  | otherwise = Two (expr (2 * n)) (expr (2 * n + 1))",
    "",
    "main :: IO ()",
    "main = do",
    "  print (length (page True (take 6000 (cycle [Red, Green, Blue]))))",
    "  print (length (concatMap hex [Rgb (n `mod` 256) (n * 3 `mod` 256) 7 | n <- [1 .. 1500]]))",
    "  print (sum (seldomRead (map show [1 .. 400 :: Int])))",
    "  print (sum (oftenRead (map show [1 .. 3000 :: Int])))",
    "  let table = I.fromList [(n, map (`mod` 100) [n * 7 + 1, n * 3 + 2]) | n <- [0 .. 99]]",
    "      go 0 ts = length ts",
    "      go k ts = go (k - 1 :: Int) (run 200 ts)",
    "  print (go 16 (spread table 1))",
    "  print (sum (flat (deep 900)))",
    "  print (carried Nothing [1 .. 16000])",
    "  print (summed 0 [1 .. 200000])",
    "  print (M.elems (perKey [Entry (names !! (n `mod` 5)) n [n .. n + 20] | n <- [1 .. 3000]]))",
    "  print (sum (settled [1 .. 900]))",
    "  print (sum (swapped [1 .. 1200] [(n * 7 `mod` 1200, n) | n <- [1 .. 400]]))",
    "  print (sum (concatMap (\\n -> closing ([n, n + 1], [n `mod` 3, 0])) [1 .. 60000]))",
    "  print (I.size (perNumber [(n `mod` 50, n) | n <- [1 .. 100000]]))",
    "  print (I.size (execState (number (expr 1) []) I.empty))",
    "  print (I.size (execState (numberAll [1 .. 100000]) I.empty))",
    "  print (M.size (M.fromList [(show (k * 7919 `mod` 10007), k) | k <- [1 .. 60000 :: Int]]))"
  ]
