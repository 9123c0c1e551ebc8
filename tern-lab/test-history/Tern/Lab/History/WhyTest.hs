{-# LANGUAGE OverloadedStrings #-}

-- | A history with one commit for each cause: the first row names the binding and the cause.
module Tern.Lab.History.WhyTest (tests) where

import Data.List (isInfixOf)
import Data.Text (Text)
import Data.Text qualified as T
import System.Directory (getTemporaryDirectory)
import System.FilePath ((</>))
import System.Process (CreateProcess (..), proc, readCreateProcessWithExitCode)
import Tern.Lab.Core.Workbench (Build (..))
import Tern.Lab.Fixture (Story, commit, sh, withFixture, write)
import Tern.Lab.History.Explain (explainChanges)
import Tern.Lab.History.Git (Commit (..))
import Tern.Lab.History.Plan (Plan (..), benchmark)
import Tern.Lab.History.Problem (renderProblem)
import Tern.Lab.History.Record (Record (..), Results (..), whyLines)
import Tern.Lab.Stories (measured, plan, within)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "why"
    [ testCase "each commit's first row names the binding and the cause" explained,
      testCase "core diff says the same of two commits" compared
    ]

explained :: Assertion
explained = withFixture story' $ \folder -> do
  let p = plan {planBenchmarks = [benchmark "./main"]}
  results <- measured (within folder) p
  temporary <- getTemporaryDirectory
  let build = Build "ghc" [] [] False False (temporary </> "tern-lab-core-test")
  with <-
    explainChanges build (within folder) results p
      >>= either (assertFailure . T.unpack . renderProblem) pure
  let said = [(commitSubject (recordCommit r), whyLines r) | r <- resultsRecords with]
      whole = unlines (map show said)
  [(subject, first rows) | (subject, rows) <- said] @?= expected
  -- Each row says its part of the run, those of the others and of libraries too.
  assertBool whole (and [isPart row | (_, rows) <- said, row <- rows])
  assertBool whole (or ["other " `T.isInfixOf` row | (_, rows) <- said, row <- drop 1 rows])
  where
    -- Without its figures.
    first rows = T.drop 2 . snd . T.breakOn ")" <$> take 1 rows
    isPart row = T.take 1 row `elem` ["+", "-"] && " % (" `T.isInfixOf` T.take 12 row

expected :: [(Text, [Text])]
expected =
  [ ("begin", []),
    ("nothing", []),
    ( "the export list is dropped",
      [" Work.step is no longer inlined: the export list of Work is gone (with Work.run)"]
    ),
    ( "an export list is added",
      [" Work.step is inlined now: Work has an export list now (with Work.run)"]
    ),
    ("INLINE is removed", [" Mix.mix is no longer inlined: its INLINE is gone (with Main.weigh)"]),
    ( "the module is split",
      [ " Highest.highest is no longer specialised to Num Int, Ord Int: it moved from Main to \
        \Highest (with Main.main)"
      ]
    ),
    ( "a bang is removed",
      [ " Mean.mean now stores an argument of a loop unevaluated (count of go): its strictness \
        \has changed"
      ]
    ),
    ("twice as often", [" Main.weigh runs the same code, which is entered 2.00 times as often"]),
    ( "difference lists",
      [ " Flatten.flatten no longer appends to its own result; its source no longer calls ++ \
        \and now calls id"
      ]
    )
  ]

story' :: [Story]
story' =
  [ write ".gitignore" ["*.o", "*.hi", "main"],
    work "module Work (run) where",
    write "Mix.hs" (mix <> ["{-# INLINE mix #-}"]),
    write "Mean.hs" (mean "!count"),
    write
      "Flatten.hs"
      ( flatten
          [ "flatten Leaf = []",
            "flatten (Node l x r) = flatten l ++ (x : \
            \flatten r)"
          ]
      ),
    write "Main.hs" (main' "" highest (40000, 40000)),
    commit "begin",
    sh "git tag begin; echo '-- a comment' >> Main.hs",
    commit "nothing",
    work "module Work where",
    commit "the export list is dropped",
    work "module Work (run) where",
    commit "an export list is added",
    write "Mix.hs" mix,
    commit "INLINE is removed",
    write "Main.hs" (main' "import Highest (highest)" [] (40000, 40000)),
    write "Highest.hs" ("module Highest (highest) where" : highest),
    commit "the module is split",
    write "Mean.hs" (mean "count"),
    commit "a bang is removed",
    write "Main.hs" (main' "import Highest (highest)" [] (80000, 40100)),
    commit "twice as often",
    write
      "Flatten.hs"
      ( flatten
          [ "flatten tree = go tree []",
            "  where",
            "    go Leaf = id",
            "    go (Node l x r) = go l . (x :) . go r"
          ]
      ),
    commit "difference lists"
  ]
  where
    work begin = write "Work.hs" (begin : steps)

steps, mix, highest :: [String]
steps =
  [ "import Data.Bits",
    "data Step = Done Int | Next Int Int",
    "step :: (Int -> Int -> Int) -> Int -> Int -> Step",
    "step f n acc = case n .&. 7 of",
    "  0 -> Next (n - 1) (f acc (n `xor` 3) + f n 1)",
    "  1 -> Next (n - 1) (f acc (n `shiftR` 1) + f n 2)",
    "  2 -> Next (n - 1) (f acc (n `shiftL` 1) + f n 3)",
    "  3 -> Next (n - 1) (f acc (n .|. 12) + f n 4)",
    "  4 -> Next (n - 1) (f acc (n `xor` 5) + f n 5)",
    "  5 -> Next (n - 1) (f acc (n * 3) + f n 6)",
    "  6 -> Next (n - 1) (f acc (n `div` 3) + f n 7)",
    "  _ -> if n <= 0 then Done acc else Next (n - 1) (f acc n + f n 8)",
    "run :: Int -> Int -> Int",
    "run salt = go 0",
    "  where",
    "    go acc n = case step (\\a b -> a `xor` (b + salt)) n acc of",
    "      Done r -> r",
    "      Next m r -> go r m"
  ]
mix =
  [ "module Mix (mix) where",
    "import Data.Bits",
    "mix :: Int -> Int -> (Int -> Int -> Int) -> Int",
    "mix a b k = case b .&. 7 of",
    "  0 -> k (a `xor` 3) b + k b 1",
    "  1 -> k (a `shiftR` 1) b + k b 2",
    "  2 -> k (a `shiftL` 1) b + k b 3",
    "  3 -> k (a .|. 12) b + k b 4",
    "  4 -> k (a `xor` 5) b + k b 5",
    "  5 -> k (a * 3) b + k b 6",
    "  6 -> k (a `div` 3) b + k b 7",
    "  _ -> k a b + k b 8"
  ]
highest =
  [ "highest :: (Num a, Ord a) => [a] -> a",
    "highest = totals 0 0",
    "  where",
    "    totals :: (Num b, Ord b) => b -> b -> [b] -> b",
    "    totals best _ [] = best",
    "    totals best total (x : rest) =",
    "      let next = total + x",
    "       in totals (max best next) next rest"
  ]

-- | With how a tree becomes a list.
flatten :: [String] -> [String]
flatten body =
  [ "module Flatten (total) where",
    "data Tree = Leaf | Node Tree Int Tree",
    "build :: Int -> Int -> Tree",
    "build a b | a > b = Leaf",
    "build a b = let m = (a + b) `div` 2 in Node (build a (m - 1)) m (build (m + 1) b)",
    "flatten :: Tree -> [Int]"
  ]
    <> body
    <> [ "{-# NOINLINE flatten #-}",
         "total :: Int -> Int",
         "total n = sum (flatten (build 1 n))"
       ]

mean :: String -> [String]
mean count =
  [ "{-# LANGUAGE BangPatterns #-}",
    "module Mean (mean) where",
    "mean :: [Int] -> (Int, Int)",
    "mean = go 0 0",
    "  where",
    "    go :: Int -> Int -> [Int] -> (Int, Int)",
    "    go !total " <> count <> " [] = (total, count)",
    "    go !total " <> count <> " (x : xs) = go (total + x) (count + 1) xs",
    "{-# NOINLINE mean #-}"
  ]

-- | With how often it weighs, and how long the list is whose mean is taken.
main' :: String -> [String] -> (Int, Int) -> [String]
main' imported own (n, m) =
  [ "module Main (main) where",
    "import Flatten (total)",
    "import Mean (mean)",
    "import Mix (mix)",
    "import Work (run)",
    imported,
    "main :: IO ()",
    "main = do",
    "  print (run 5 40000)",
    "  print (weigh 0 " <> show n <> ")",
    "  print (highest [n * n `mod` 1009 - 500 | n <- [1 .. 20000 :: Int]])",
    "  print (mean [1 .. " <> show m <> "])",
    "  print (total 20000)",
    "weigh :: Int -> Int -> Int",
    "weigh acc 0 = acc",
    "weigh acc n = weigh (mix acc n (\\x y -> if x > y then x - n else y + n)) (n - 1)"
  ]
    <> own

-- | Two targets of one history, with a run.
compared :: Assertion
compared = withFixture story' $ \folder -> do
  temporary <- getTemporaryDirectory
  (code, out, err) <-
    readCreateProcessWithExitCode
      ( proc
          "tern-lab"
          [ "core",
            "diff",
            "main~5:Main.hs",
            "main~4:Main.hs",
            "--run",
            "{exe}",
            "--core-cache",
            temporary </> "tern-lab-core-test"
          ]
      )
        { cwd = Just (folder </> "repository")
        }
      ""
  assertBool
    (show code <> out <> err)
    ("Mix.mix is no longer inlined: its INLINE is gone" `isInfixOf` concat (take 1 (lines out)))
