{-# LANGUAGE OverloadedStrings #-}

-- | Leaks in what the program's own loops call.
--
-- The planted set lets some leaks go by; of these each must be found.
module Tern.Lab.Core.OwnLoopsTest (tests) where

import Data.List (sort)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import Tern.Lab.Core.Advice (kindName)
import Tern.Lab.Core.Command (sharedCache)
import Tern.Lab.Core.Finding (Finding (..))
import Tern.Lab.Core.Findings (findings)
import Tern.Lab.Core.Problem (renderCoreProblem)
import Tern.Lab.Core.Target (Target (..))
import Tern.Lab.Core.Workbench (Build (..), gatherFacts)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "what the program's own loops call"
    [ testCase "a function that is given to one, and no other" $
        said "lazy-state" >>= (@?= ["told", "visited"]),
      testCase "a helper that makes what the next round gets, and a newtype" $
        said "copies-all" >>= (@?= ["longer", "sheet"]),
      testCase "a list that each round makes longer" $
        said "list-search" >>= (@?= ["different", "open", "walked"]),
      testCase "a local function is as deep in loops as its calls" $
        saidOf helpers "read"
          >>= (@?= ["acted", "inHelper", "listed", "recursive", "twoDeep"]),
      testCase "what is the same in all calls of a local function was there before" $
        saidOf helpers "list-index" >>= (@?= ["looked"]),
      testCase "an append of a local loop is said once" $
        (,) <$> saidOf appending "copies-list" <*> saidOf appending "appends-left"
          >>= (@?= (["doubled"], []))
    ]

-- | An append to what the rounds have made, in a loop that GHC names itself.
appending :: [Text]
appending =
  [ "module Rounds (runs) where",
    "doubled :: Int -> [Int]",
    "doubled n = go [] 1",
    "  where",
    "    go out k",
    "      | k > n = out",
    "      | otherwise = go (out ++ [k, k * 2]) (k + 1)",
    "{-# NOINLINE doubled #-}",
    "runs :: [((), IO ())]",
    "runs = [((), print (sum (doubled 500)))]"
  ]

-- | Functions whose local ones are called in loops, and one whose is not.
helpers :: [Text]
helpers =
  [ "module Rounds where",
    "data Row = Row Int Double",
    "listed, recursive, once, twoDeep, inHelper :: [[String]] -> [Row]",
    "listed t = [row l | l <- t]",
    "  where",
    "    row [a, b] = Row (read a) (read b)",
    "    row _ = Row 0 0",
    "recursive t = go t",
    "  where",
    "    one l = Row (read (concat l)) 0",
    "    go [] = []",
    "    go (x : xs) = one x : go xs",
    "once t = case t of",
    "  [] -> []",
    "  l : _ -> [row l]",
    "  where",
    "    row [a, b] = Row (read a) (read b)",
    "    row _ = Row 0 0",
    "twoDeep t = [outer l | l <- t]",
    "  where",
    "    outer l = inner l",
    "    inner l = Row (read (concat l)) 0",
    "inHelper t = each t",
    "  where",
    "    each ls = [Row (number l) 0 | l <- ls]",
    "    number :: [String] -> Int",
    "    number l = read (concat l)",
    "acted :: [String] -> IO ()",
    "acted t = mapM_ (\\l -> shown l) t",
    "  where",
    "    shown l = print (read l :: Int)",
    "looked :: [Int] -> [Int] -> [Int]",
    "looked xs ks = [at k | k <- ks]",
    "  where",
    "    at k = xs !! k",
    "runs :: [((), IO ())]",
    "runs = [((), acted [\"1\"]), ((), print (length rows + sum (looked [1] [0])))]",
    "  where",
    "    rows = concat [listed t, recursive t, once t, twoDeep t, inHelper t]",
    "    t = [[\"1\", \"2\"]]"
  ]

-- | Of which functions of the planted set that is said.
said :: Text -> IO [Text]
said kind = do
  planted <- T.readFile ("test-core" </> "golden" </> "planted" </> "Rounds.hs")
  saidOf (T.lines planted) kind

-- | The same of a module.
saidOf :: [Text] -> Text -> IO [Text]
saidOf rows kind = withSystemTempDirectory "tern-lab-own-loops" $ \folder -> do
  cache <- sharedCache
  T.writeFile (folder </> "Rounds.hs") (T.unlines rows)
  T.writeFile
    (folder </> "Main.hs")
    ( T.unlines
        [ "module Main (main) where",
          "import Rounds",
          "main :: IO ()",
          "main = mapM_ snd runs"
        ]
    )
  gathered <-
    gatherFacts
      (Build "ghc" [] [] False False cache)
      (SourceFile (folder </> "Main.hs"))
  every <- either (assertFailure . T.unpack . renderCoreProblem) (pure . findings) gathered
  pure (sort [findingBinding f | f <- every, kindName (findingKind f) == kind])
