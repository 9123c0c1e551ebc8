{-# LANGUAGE OverloadedStrings #-}

-- | What was said of other people's packages and was not worth acting on.
--
-- Each class of it is a pair of "Tern.Lab.Core.NoisePair". The second part is of runs: what hardly
-- ever happens there is said by nobody, however much the run allocates.
module Tern.Lab.Core.ForeignTest (tests) where

import Control.Monad (forM_)
import Data.List (sort)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import System.FilePath (takeBaseName, (</>))
import System.IO.Temp (withSystemTempDirectory)
import Tern.Lab.Core.Advice (kindName, renderAdvice, renderWhat)
import Tern.Lab.Core.Command (sharedCache)
import Tern.Lab.Core.Facts (ModuleFacts (..))
import Tern.Lab.Core.Finding (Finding (..), FindingKind (..), Spent (..), worthShowing)
import Tern.Lab.Core.Findings (findings)
import Tern.Lab.Core.Measured (measuredBy)
import Tern.Lab.Core.NoisePair (Pair (..), belowRows, pairs)
import Tern.Lab.Core.Problem (renderCoreProblem)
import Tern.Lab.Core.Target (Target (..))
import Tern.Lab.Core.Ticky (Counter (..), Sort (..))
import Tern.Lab.Core.Workbench (Build (..), Run (..), gatherFacts, gatherTicky)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "classes of noise"
    ( [testCase (T.unpack (T.unwords [kind, what])) (pair p) | p@(Pair what kind _) <- pairs]
        <> [ testCase "overloaded functions below one are one finding, at that one" below,
             testCase "a module's file is its own, whatever was inlined into it" ownFile,
             testCase "an export list hides nothing that only an error calls" exports,
             testCase "advice has no name that nobody can write" instances,
             testCase "what never ran, or little of what ran, is not said" cold,
             testCase "a state counts as often as it is put" seldomPut,
             testCase "small builders are said by what a run made" smallBuilders,
             testCase "what a loop makes where its branches meet is its own" branchesMeet,
             testCase "an instance is worth what is asked of it" askedOnce,
             testCase "what is made of a value is made in any case" rendered,
             testCase "a version saves no more than is made below it" belowCalls,
             testCase "copies that several appends make are shared" shared,
             testCase "what waits for unknown methods is left to the next run" leftToNext,
             testCase "bangs in one loop are one finding" oneLoop,
             testCase "what an instance's methods make is said of their version" methods
           ]
    )

-- | The findings of modules by their names.
found :: [(FilePath, [Text])] -> IO [Finding]
found files = withSystemTempDirectory "tern-lab-foreign" $ \folder -> do
  cache <- sharedCache
  written folder files
  gatherFacts (building cache) (SourceFile (folder </> "Main.hs"))
    >>= either (assertFailure . T.unpack . renderCoreProblem) (pure . findings)

written :: FilePath -> [(FilePath, [Text])] -> IO ()
written folder files = forM_ files $ \(file, rows) -> T.writeFile (folder </> file) (T.unlines rows)

building :: FilePath -> Build
building = Build "ghc" ["-XGHC2021"] [] False False

-- | Of the leak it is said, and of the healthy function not.
pair :: Pair -> Assertion
pair (Pair _ kind rows) = do
  every <-
    found
      [ ("Below.hs", belowRows),
        ("Code.hs", "module Code (healthy, leaks) where" : rows),
        ( "Main.hs",
          [ "module Main (main) where",
            "import Code ()",
            "main :: IO ()",
            "main = pure ()"
          ]
        )
      ]
  let said = [f | f <- every, worthShowing f, kindName (findingKind f) == kind]
      about name = [renderWhat f | f <- said, findingBinding f == name]
  assertBool (T.unpack (T.unlines (about "healthy"))) (null (about "healthy"))
  assertBool (unlines (map (T.unpack . renderWhat) every)) (not (null (about "leaks")))

-- | A monad's instances are handed on from function to function.
below :: Assertion
below = do
  every <-
    found
      [ ( "Code.hs",
          [ "module Code (run) where",
            "run, walk, step :: (Monad m) => (Int -> m Int) -> Int -> m Int",
            "run f n = walk f n >>= walk f",
            "{-# NOINLINE run #-}",
            "-- The root itself calls methods too.",
            "walk f n = if n <= 0 then pure n else step f n >>= \\m -> walk f (m - 1)",
            "{-# NOINLINE walk #-}",
            "step f n = do",
            "  a <- f n",
            "  b <- f a",
            "  if b > n then f (a + b) else step f (b - 1)",
            "{-# NOINLINE step #-}"
          ]
        ),
        ( "Main.hs",
          [ "module Main (main) where",
            "import Code",
            "main :: IO ()",
            "main = run (pure . subtract 1) 1000 >>= print"
          ]
        )
      ]
  let instances' =
        [ (root, Set.toList (Set.fromList names))
          | f <- every,
            OverloadedBelow root names <- [findingKind f]
        ]
      alone = [findingBinding f | f <- every, UnknownInstance _ _ <- [findingKind f]]
  (instances', filter (`elem` ["walk", "step", "run"]) alone)
    @?= ([("Code.run", ["Code.step", "Code.walk"])], [])

-- | All that is left of @Code@ is a loop of @Below@.
ownFile :: Assertion
ownFile = withSystemTempDirectory "tern-lab-foreign" $ \folder -> do
  cache <- sharedCache
  written
    folder
    [ ( "Below.hs",
        [ "module Below (spin) where",
          "spin :: Int -> [Int] -> [Int]",
          "spin n = go n",
          "  where",
          "    go k xs = if k == 0 then xs else go (k - 1) (k : reverse xs)",
          "{-# INLINE spin #-}"
        ]
      ),
      ( "Code.hs",
        ["module Code (twice) where", "import Below", "twice :: [Int] -> [Int]", "twice = spin 2"]
      ),
      ( "Main.hs",
        [ "module Main (main) where",
          "import Code",
          "main :: IO ()",
          "main = print (sum (twice [3]))"
        ]
      )
    ]
  modules <-
    gatherFacts (building cache) (SourceFile (folder </> "Main.hs"))
      >>= either (assertFailure . T.unpack . renderCoreProblem) pure
  [(factsModule m, takeBaseName (T.unpack (factsSource m))) | m <- modules]
    @?= [("Below", "Below"), ("Code", "Code"), ("Main", "Main")]

-- | @broken@ is called by another module, where that gives up. Of @deep@ GHC would know no more.
exports :: Assertion
exports = do
  every <-
    found
      [ ( "Code.hs",
          [ "module Code where",
            "run :: Int -> Int",
            "run n = length (inner [n] (n + 1)) + length (broken n)",
            "inner :: [Int] -> Int -> [Int]",
            "inner ms n = if n > 900 then ms else inner (n : map (+ n) ms) (n * n)",
            "broken :: Int -> String",
            "broken n = concatMap show [n .. n * 9]",
            "wide :: Show a => [a] -> Int",
            "wide xs = deep xs 9 + length (plain xs xs)",
            "plain :: Show a => [a] -> [a] -> String",
            "plain xs ys = if null (drop 9 ys) then plain xs (xs ++ ys) else concatMap show ys",
            "deep :: Show a => [a] -> Int -> Int",
            "deep xs n = if n < 1 then length (concatMap show xs) else deep (xs ++ xs) (n - 1)"
          ]
        ),
        ( "Main.hs",
          [ "module Main (main) where",
            "import Code",
            "main :: IO ()",
            "main = if run 3 > wide [7 :: Int] then print (run 4) else error (broken 5)"
          ]
        )
      ]
  [names | f <- every, NoExportList names <- [findingKind f]] @?= [["inner"]]

-- | An instance's own function is called at a type that is known only there.
instances :: Assertion
instances = do
  every <-
    found
      [ ( "Code.hs",
          [ "module Code (Size (..)) where",
            "class Size a where",
            "  size :: a -> Int -> Int",
            "instance (Size a, Size b) => Size (a, b) where",
            "  size (a, b) = go",
            "    where",
            "      go n",
            "        | n == 0 = 0",
            "        | even n = size a n + go (n - 1) + length (show (size b n))",
            "        | otherwise = size b (n - 1) * 3 + go (n - 1)",
            "  {-# NOINLINE size #-}"
          ]
        ),
        ( "Main.hs",
          [ "module Main (main) where",
            "import Code",
            "newtype One = One Int",
            "instance Size One where",
            "  size (One a) n = a + n",
            "main :: IO ()",
            "main = print (sum [size (One k, One 2) k | k <- [1 .. 100]])"
          ]
        )
      ]
  let said = [renderAdvice f | f <- every, isSpecialising (findingKind f)]
  assertBool (unlines (map (T.unpack . renderWhat) every)) (not (null said))
  assertBool (T.unpack (T.unlines said)) (not (any ("$" `T.isInfixOf`) said))
  where
    isSpecialising = \case
      NotSpecialised {} -> True
      UnknownInstance _ _ -> True
      _ -> False

-- | Overloaded functions that ask their instance once, or in each round.
askedOnce :: Assertion
askedOnce = do
  let together main' =
        length
          [ ()
            | f <- main',
              worthShowing f,
              OverloadedTogether _ _ <- [findingKind f]
          ]
  once <-
    ran
      [ ("Code.hs", code),
        ( "Main.hs",
          program "concatMap (`once` 1000) [1 .. 60 :: Int]" "concatMap (`both` 500) [1 .. 60]"
        )
      ]
  -- They compare in each round, which makes nothing.
  compared <-
    ran
      [ ("Code.hs", code),
        ("Main.hs", program "[below 3 [1 .. 90000 :: Int]]" "[above 3 [1 .. 90000 :: Int]]")
      ]
  [findingBinding f | f <- compared, worthShowing f, UnknownInstance _ _ <- [findingKind f]] @?= []
  each <-
    ran
      [ ("Code.hs", code),
        ("Main.hs", program "each [1 .. 20000 :: Int]" "all' [1 .. 9000 :: Int]")
      ]
  (together once, together each) @?= (0, 1)
  -- Of those that were said to save less than a part in 66, hardly any saved anything.
  map (\part -> together (map (saving part) each)) [0.013, 0.02] @?= [0, 1]
  where
    saving part f =
      f {findingMeasured = (\spent -> spent {spentSaves = part}) <$> findingMeasured f}
    program a b =
      [ "module Main (main) where",
        "import Code",
        "main :: IO ()",
        T.concat ["main = print (sum (", a, ") + sum (", b, " :: [Int]))"]
      ]
    code =
      [ "module Code (once, both, each, all', below, above) where",
        "below, above :: (Ord a) => a -> [a] -> Int",
        "below a = go 0",
        "  where",
        "    go !n xs = case xs of",
        "      [] -> n",
        "      y : ys -> go (if y < a then n + 1 else n) ys",
        "{-# NOINLINE below #-}",
        "above a = go 1",
        "  where",
        "    go !n xs = case xs of",
        "      [] -> n",
        "      y : ys -> go (if y > a then n + 2 else n) ys",
        "{-# NOINLINE above #-}",
        "once, both' :: (Integral a) => a -> Int -> [Int]",
        "once a n = go n",
        "  where",
        "    k = sum [fromIntegral (a * a), fromIntegral (a + 1), fromIntegral (a - 1)] + others",
        "    others = product [fromIntegral (a + 2), fromIntegral (a + 3), fromIntegral (a + 4)]",
        "    go m = if m == 0 then [] else k + length (show m) : go (m - 1)",
        "{-# NOINLINE once #-}",
        "both' a n = go n",
        "  where",
        "    k = product [fromIntegral (a * a), fromIntegral (a + 7), fromIntegral a] + others",
        "    others = sum [fromIntegral (a + 5), fromIntegral (a + 3), fromIntegral (a + 9)]",
        "    go m = if m == 0 then [] else k - length (show m) : go (m - 1)",
        "{-# NOINLINE both' #-}",
        "both :: (Integral a) => a -> Int -> [Int]",
        "both a n = map (+ 1) (both' a n)",
        "{-# NOINLINE both #-}",
        "each, all' :: (Integral a) => [a] -> [Int]",
        "each xs = case xs of",
        "  [] -> []",
        "  y : ys -> fromIntegral (y * y + y) : each ys",
        "{-# NOINLINE each #-}",
        "all' xs = case xs of",
        "  [] -> []",
        "  y : ys -> fromIntegral (y * 3 - 1) : fromIntegral (y * y) : all' ys",
        "{-# NOINLINE all' #-}"
      ]

-- | What shows a value makes a text of it in any case, and so does who knows its type.
rendered :: Assertion
rendered = do
  every <-
    ran
      [ ( "Code.hs",
          [ "module Code (Spelt (..), each, all') where",
            "class Spelt a where",
            "  spelt, told :: Int -> a -> [Int]",
            "each, all' :: (Spelt a) => [a] -> [Int]",
            "each xs = case xs of",
            "  [] -> []",
            "  y : ys -> sum (spelt 3 y) : each ys",
            "{-# NOINLINE each #-}",
            "all' xs = case xs of",
            "  [] -> []",
            "  y : ys -> product (told 2 y) : sum (spelt 1 y) : all' ys",
            "{-# NOINLINE all' #-}"
          ]
        ),
        ( "Main.hs",
          [ "module Main (main) where",
            "import Code",
            "instance Spelt Int where",
            "  spelt k n = [n `mod` 10, n `mod` 100, k]",
            "  {-# NOINLINE spelt #-}",
            "  told k n = [k, n]",
            "  {-# NOINLINE told #-}",
            "main :: IO ()",
            "main = print (sum (each [1 .. 20000 :: Int]) + sum (all' [1 .. 9000 :: Int]))"
          ]
        )
      ]
  [renderWhat f | f <- every, worthShowing f, OverloadedTogether _ _ <- [findingKind f]] @?= []

-- | One finds a leaf each time, and combines nothing; the other combines what it finds in a tree.
belowCalls :: Assertion
belowCalls = do
  leaves <- rope "sum [n | k <- [1 .. 600000], Most n <- [joined (Leaf (Most k))]]"
  trees <-
    rope
      "[n | Most n <- [joined (foldr (\\k r -> Leaf (Most k) :<> r) (Leaf (Most 0)) \
      \[1 .. 60000])]]"
  leaves @?= []
  assertBool "nothing is said of a tree" (not (null trees))
  where
    rope printed = do
      every <-
        ran
          [ ( "Code.hs",
              [ "module Code (Rope (..), joined) where",
                "data Rope a = Leaf a | Rope a :<> Rope a",
                "joined :: (Semigroup a) => Rope a -> a",
                "joined r = case r of",
                "  Leaf a -> a",
                "  a :<> b -> joined a <> joined b",
                "{-# NOINLINE joined #-}"
              ]
            ),
            ( "Main.hs",
              [ "module Main (main) where",
                "import Code",
                "newtype Most = Most Int",
                "instance Semigroup Most where",
                "  Most a <> Most b = Most (max a b)",
                "main :: IO ()",
                T.concat ["main = print (", printed, ")"]
              ]
            )
          ]
      pure
        [ renderWhat f
          | f <- every,
            worthShowing f,
            "joined" `T.isInfixOf` T.concat [findingBinding f, renderWhat f]
        ]

-- | The same loops over a state: of any number, and of a known one.
leftToNext :: Assertion
leftToNext = do
  overloaded <- states "(Integral a) => " "a"
  known <- states "" "Int"
  (kinds overloaded, kinds known) @?= (["unknown-instance"], ["lazy-state"])
  where
    kinds every = Set.toList (Set.fromList [kindName (findingKind f) | f <- every, wanted f])
    wanted f = worthShowing f && kindName (findingKind f) `elem` ["lazy-state", "unknown-instance"]
    states context t =
      ran
        [ ( "Code.hs",
            [ "module Code (counted, weighed) where",
              "import Control.Monad.State.Strict",
              T.concat
                ["counted, weighed :: ", context, "[", t, "] -> State (", t, ", ", t, ") ()"],
              "counted xs = case xs of",
              "  [] -> pure ()",
              "  y : ys -> modify (\\(a, b) -> (a + y * y, b + 1)) >> counted ys",
              "{-# NOINLINE counted #-}",
              "weighed xs = case xs of",
              "  [] -> pure ()",
              "  y : ys -> modify (\\(a, b) -> (a + 2 * y, b + y)) >> weighed ys",
              "{-# NOINLINE weighed #-}"
            ]
          ),
          ( "Main.hs",
            [ "module Main (main) where",
              "import Code",
              "import Control.Monad.State.Strict",
              "main :: IO ()",
              "main = do",
              "  print (execState (counted [1 .. 60000 :: Int]) (0, 0))",
              "  print (execState (weighed [1 .. 60000 :: Int]) (0, 0))"
            ]
          )
        ]

-- | Of what it carries, one is looked at in some rounds, and one in none.
oneLoop :: Assertion
oneLoop = do
  every <-
    ran
      [ ( "Main.hs",
          [ "module Main (main) where",
            "walked :: Int -> Integer -> Integer -> (Integer, Integer)",
            "walked k u v",
            "  | k < 0 = (u, v)",
            "  | k `mod` 1000 == 0, u < 0 = walked (k - 1) v u",
            "  | otherwise = walked (k - 1) (u * 3 `rem` 1009) (v * 7 + u `rem` 1013)",
            "{-# NOINLINE walked #-}",
            "main :: IO ()",
            "main = print (fmap (`mod` 97) (walked 3000 1 1))"
          ]
        )
      ]
  length [() | f <- every, worthShowing f, GrowingAccumulator {} <- [findingKind f]] @?= 1

-- | Two appends in one loop's code: each has a part of its copies, and a place of its own.
shared :: Assertion
shared = do
  every <-
    ran
      [ ( "Main.hs",
          [ "module Main (main) where",
            "rows :: [String] -> [String] -> [(Bool, String)]",
            "rows keys vals = foldl add [] keys",
            "  where",
            "    add ret k = ret <> fst (foldl left ([], k) (zip (cycle [True, False]) vals))",
            "    left (acc, kv) (b, s) = (acc <> [(b, kv ++ s)], if b then kv else \"\")",
            "{-# NOINLINE rows #-}",
            "main :: IO ()",
            "main = print (length (rows [\"a\", \"b\"] (map show [1 .. 900 :: Int])))"
          ]
        )
      ]
  let said =
        [ spentSaves spent
          | f <- every,
            worthShowing f,
            kindName (findingKind f) == "copies-list",
            Just spent <- [findingMeasured f]
        ]
  length said @?= 2
  assertBool (show said) (sum said < 0.95)

-- | A search by an instance whose methods callers could have a version of.
methods :: Assertion
methods = do
  every <-
    ran
      [ ( "Code.hs",
          [ "module Code (Search (..), findAll) where",
            "import Control.Monad (ap, liftM)",
            "data Search m a",
            "  = Answer a",
            "  | None",
            "  | Choice (Search m a) (Search m a)",
            "  | Effect (m (Search m a))",
            "instance (Monad m) => Functor (Search m) where fmap = liftM",
            "instance (Monad m) => Applicative (Search m) where (<*>) = ap; pure = Answer",
            "instance (Monad m) => Monad (Search m) where",
            "  Answer a >>= k = k a",
            "  None >>= _ = None",
            "  Choice a b >>= k = Choice (a >>= k) (b >>= k)",
            "  Effect m >>= k = Effect (liftM (>>= k) m)",
            "findAll :: (Monad m) => Search m a -> m [a]",
            "findAll s = case s of",
            "  Answer a -> pure [a]",
            "  None -> pure []",
            "  Choice a b -> (++) <$> findAll a <*> findAll b",
            "  Effect m -> m >>= findAll"
          ]
        ),
        ( "Main.hs",
          [ "module Main (main) where",
            "import Code",
            "import Data.Functor.Identity",
            "ways :: Int -> [Int] -> Search Identity Int",
            "ways 0 _ = pure 0",
            "ways _ [] = None",
            "ways n (c : cs) = Choice (first >>= \\k -> pure (k + 1)) (ways n cs)",
            "  where",
            "    first = if n < c then None else ways (n - c) (c : cs)",
            "main :: IO ()",
            "main = print (length (runIdentity (findAll (ways 150 [50, 20, 10, 5, 2]))))"
          ]
        )
      ]
  let ofInstance =
        [ kindName (findingKind f)
          | f <- every,
            worthShowing f,
            "$f" `T.isInfixOf` T.concat [findingBinding f, renderWhat f]
        ]
  ofInstance @?= ["not-specialised"]

-- | The findings of a run.
ran :: [(FilePath, [Text])] -> IO [Finding]
ran files = withSystemTempDirectory "tern-lab-foreign" $ \folder -> do
  cache <- sharedCache
  written folder files
  (modules, counters, whole) <-
    gatherTicky (building cache) (SourceFile (folder </> "Main.hs")) (Run "{exe}" Nothing)
      >>= either (assertFailure . T.unpack . renderCoreProblem) pure
  pure (measuredBy whole modules counters (findings modules))

-- | Two loops over a state: one puts it in each round, the other in one of 5,000.
seldomPut :: Assertion
seldomPut = do
  every <-
    ran
      [ ( "Main.hs",
          [ "module Main (main) where",
            "import Control.Monad (when)",
            "import Control.Monad.State.Strict",
            "data Account = Account {hits :: Int, total :: Int}",
            "often, seldom :: Int -> State Account ()",
            "often n = when (n > 0) $ do",
            "  s <- get",
            "  if n `mod` 5000 == 0",
            "    then pure ()",
            "    else put s {hits = hits s + 1, total = total s + n}",
            "  often (n - 1)",
            "{-# NOINLINE often #-}",
            "seldom n = when (n > 0) $ do",
            "  s <- get",
            "  if n `mod` 5000 == 0",
            "    then put s {hits = hits s + 1, total = total s + n}",
            "    else pure ()",
            "  seldom (n - 1)",
            "{-# NOINLINE seldom #-}",
            "main :: IO ()",
            "main = do",
            "  print (total (execState (often 20000) (Account 0 0)))",
            "  print (total (execState (seldom 20000) (Account 0 0)))"
          ]
        )
      ]
  let entries name =
        [ spentEntries spent
          | f <- every,
            findingBinding f == name,
            kindName (findingKind f) == "lazy-state",
            Just spent <- [findingMeasured f]
        ]
      said = show (entries "often", entries "seldom")
  assertBool said (not (null (entries "often")) && all (>= 19996) (entries "often"))
  -- Each may be seen as what waits and as the record that it becomes.
  assertBool said (not (null (entries "seldom")) && all (<= 16) (entries "seldom"))

-- | GHC makes one place of what both branches go on with, and no name of the source is bound in
-- it.
branchesMeet :: Assertion
branchesMeet = do
  every <- ran files
  [findingBinding f | f <- every, kindName (findingKind f) == "loop-allocates"] @?= ["visited"]
  where
    files =
      [ ( "Main.hs",
          [ "module Main (main) where",
            "import Control.Monad (when)",
            "import Data.Bits (testBit)",
            "import Data.IORef",
            "visited :: IORef Int -> (Int -> Int -> IO ()) -> Int -> IO ()",
            "visited r f i",
            "  | i > 20000 = pure ()",
            "  | otherwise = do",
            "      when (testBit i 3) $ modifyIORef' r (+ 1)",
            "      f (i * i + 7) (i `div` 3)",
            "      f (i * 5) (i `mod` 7)",
            "      visited r f (i + 1)",
            "{-# NOINLINE visited #-}",
            "main :: IO ()",
            "main = do",
            "  r <- newIORef 0",
            "  s <- newIORef (0 :: Int)",
            "  visited r (\\a b -> when (a > 10) (modifyIORef' s (+ (a + b)))) 0",
            "  readIORef r >>= print",
            "  readIORef s >>= print"
          ]
        )
      ]

-- | A builder that is run for each number, and one that is run for all of them.
smallBuilders :: Assertion
smallBuilders = do
  -- Without a run nobody knows how small the pieces are.
  found files >>= (@?= []) . said
  ran files >>= (@?= ["messages", "pieces"]) . said
  where
    said every =
      sort
        [ findingBinding f
          | f <- every,
            worthShowing f,
            kindName (findingKind f) == "small-builder"
        ]
    files =
      [ ( "Main.hs",
          [ "module Main (main) where",
            "import Data.Binary.Put (putWord16le, runPut)",
            "import Data.ByteString.Builder (intDec, toLazyByteString)",
            "import qualified Data.ByteString.Lazy as L",
            "pieces, whole :: [Int] -> L.ByteString",
            "pieces = L.concat . map (framed . toLazyByteString . intDec)",
            "  where framed p = L.append (L.singleton (fromIntegral (L.length p))) p",
            "{-# NOINLINE pieces #-}",
            "whole = L.concat . map (toLazyByteString . foldMap intDec . enumFromTo 1)",
            "{-# NOINLINE whole #-}",
            "messages, long :: [Int] -> L.ByteString",
            "messages = L.concat . map (framed . runPut . putWord16le . fromIntegral)",
            "  where framed p = L.append (L.singleton (fromIntegral (L.length p))) p",
            "{-# NOINLINE messages #-}",
            "long = L.concat . map (runPut . mapM_ (putWord16le . fromIntegral) . enumFromTo 1)",
            "{-# NOINLINE long #-}",
            "main :: IO ()",
            "main = do",
            "  print (L.length (pieces [1 .. 5000]))",
            "  print (L.length (whole [100000, 100001]))",
            "  print (L.length (messages [1 .. 5000]), L.length (long [90000, 90001]))"
          ]
        )
      ]

-- | Functions that are entered often, and calls in them that are made seldom, or often. All the
-- rest of the run is made by libraries, and nobody's.
cold :: Assertion
cold = withSystemTempDirectory "tern-lab-foreign" $ \folder -> do
  cache <- sharedCache
  written
    folder
    [ ( "Main.hs",
        [ "module Main (main) where",
          "import qualified Data.ByteString.Char8 as B",
          "import qualified Data.Map as M",
          "import Text.Printf (printf)",
          "import Data.Array (Array, listArray, (!), (//))",
          "-- One in 10,000 goes by printf.",
          "seldom, often :: Int -> String",
          "seldom n",
          "  | n `mod` 10000 == 17 = printf \"%05d\" n",
          "  | otherwise = show n",
          "{-# NOINLINE seldom #-}",
          "often n",
          "  | n `mod` 10000 == 17 = show n",
          "  | otherwise = printf \"%05d\" n",
          "{-# NOINLINE often #-}",
          "-- What is left of the input stands before what comes: never in this run.",
          "never :: Int -> B.ByteString -> B.ByteString -> B.ByteString",
          "never n acc piece",
          "  | n == 0 = acc",
          "  | B.null piece = never (n - 1) acc (B.replicate 3 'x')",
          "  | B.length piece > 5 = never (n - 1) (B.append acc piece) B.empty",
          "  | otherwise = never (n - 1) acc B.empty",
          "{-# NOINLINE never #-}",
          "always :: Int -> B.ByteString -> B.ByteString",
          "always n acc",
          "  | n == 0 = acc",
          "  | otherwise = always (n - 1) (B.append acc (B.replicate 3 'x'))",
          "{-# NOINLINE always #-}",
          "-- Four changes of a table in a hot loop.",
          "changed :: Int -> Array Int Int -> Array Int Int",
          "changed n table",
          "  | n == 0 = table",
          "  | n `mod` 5000 == 0 = changed (n - 1) (table // [(n `mod` 16, n)])",
          "  | otherwise = changed (n - 1) table",
          "{-# NOINLINE changed #-}",
          "main :: IO ()",
          "main = do",
          "  print (sum (map (length . seldom) [1 .. 20000]))",
          "  print (sum (map (length . often) [1 .. 2000]))",
          "  print (B.length (never 20000 B.empty B.empty))",
          "  print (B.length (always 1500 B.empty))",
          "  print (changed 20000 (listArray (0, 15) [1 ..]) ! 3)",
          "  print (M.size (M.fromList [(k * 7919 `mod` 10007, k) | k <- [1 .. 40000 :: Int]]))"
        ]
      )
    ]
  (modules, counters, whole) <-
    gatherTicky (building cache) (SourceFile (folder </> "Main.hs")) (Run "{exe}" Nothing)
      >>= either (assertFailure . T.unpack . renderCoreProblem) pure
  let measured = measuredBy whole modules counters (findings modules)
      kinds name =
        Set.toList
          ( Set.fromList
              [ kindName (findingKind f)
                | f <- measured,
                  worthShowing f,
                  findingBinding f == name
              ]
          )
      entries name kind =
        [ spentEntries spent
          | f <- measured,
            findingBinding f == name,
            kindName (findingKind f) == kind,
            Just spent <- [findingMeasured f]
        ]
  assertBool "calls are counted" (any ((== Calls) . counterSort) counters)
  map (`kindsOf` kinds) ["seldom", "never", "changed"] @?= [[], [], []]
  -- Two of 20,000 numbers, and all but one of 2,000.
  (entries "seldom" "printf", entries "often" "printf") @?= ([2], [1999])
  entries "never" "copies-all" @?= []
  map (`kindsOf` kinds) ["often", "always"] @?= [["printf"], ["copies-all"]]
  where
    kindsOf name kinds = filter (`elem` ["printf", "copies-all", "copies-vector"]) (kinds name)
