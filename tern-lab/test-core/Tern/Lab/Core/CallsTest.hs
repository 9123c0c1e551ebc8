{-# LANGUAGE OverloadedStrings #-}

-- | What libraries allocate is laid to the calls that make them do so, and with
-- that all bytes of a run have a row.
module Tern.Lab.Core.CallsTest (tests) where

import Control.Monad (forM_)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import System.Directory (getTemporaryDirectory)
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import Tern.Lab.Core.Account (Entry (..), Post (..), accountOf)
import Tern.Lab.Core.Problem (renderCoreProblem)
import Tern.Lab.Core.Target (Target (..))
import Tern.Lab.Core.Ticky (Counter (..), Sort (..), parseTicky)
import Tern.Lab.Core.Workbench (Build (..), Run (..), gatherTicky)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "what libraries allocate for calls"
    [ testCase "a row of a report" $
        parseTicky
          ( T.unlines
              [ "    Entries       Alloc     Alloc'd  Non-void Arguments      STG Name",
                "--------------------------------------------------------------------------------",
                "  7  0  0  1 i  Main.f_,call:Data.Map.$winsert`3f.12`{v r4} (fun)"
              ]
          )
          @?= [Counter "Main" "Data.Map.$winsert" (Just ("3f", 12)) "r4" Nothing Call 0 7168],
      testCase "each call has its own bytes, and together they are all" laid,
      testCase "what is made for values of any type is laid to the round that asks" anyType
    ]

-- | Known bytes: 200 copies of 10,000 Ints; and one function called ten times as often
-- in one place as in another. What is called back has counters of its own. The
-- loop that goes through a library's function runs in a small stack.
program :: [Text]
program =
  [ "module Main (main) where",
    "import Control.Monad.Trans.State.Strict",
    "import qualified Data.Map.Strict as Map",
    "import qualified Data.Vector.Unboxed as U",
    "import qualified Data.Vector.Unboxed.Mutable as M",
    "store :: Int -> U.Vector Int -> U.Vector Int",
    "store i v = U.modify (\\m -> M.write m i 1) v",
    "{-# NOINLINE store #-}",
    "stores :: Int -> U.Vector Int -> U.Vector Int",
    "stores 0 v = v",
    "stores n v = stores (n - 1) (store n v)",
    "few, many :: Int -> Map.Map Int Int -> Map.Map Int Int",
    "few 0 m = m",
    "few n m = few (n - 1) (Map.insert (n * 7919 `mod` 1009) n m)",
    "many 0 m = m",
    "many n m = many (n - 1) (Map.insert (n * 7919 `mod` 1009) n m)",
    "heavy :: Int -> Int",
    "heavy k = length (spread k)",
    "{-# NOINLINE heavy #-}",
    "spread :: Int -> [Int]",
    "spread 0 = []",
    "spread k = k : spread (k - 1)",
    "{-# NOINLINE spread #-}",
    "called :: Map.Map Int Int -> Int",
    "called = Map.foldr (\\x n -> n + heavy (x `mod` 3 + 100)) 0",
    "{-# NOINLINE called #-}",
    "rounds :: Int -> StateT Int IO ()",
    "rounds 0 = pure ()",
    "rounds n = modify' (+ 1) >> rounds (n - 1)",
    "{-# NOINLINE rounds #-}",
    "main :: IO ()",
    "main = do",
    "  print (U.sum (stores 200 (U.replicate 10000 0)))",
    "  print (Map.size (few 2000 Map.empty))",
    "  let m = many 20000 Map.empty",
    "  print (Map.size m)",
    "  print (called m)",
    "  execStateT (rounds 300000) 0 >>= print"
  ]

-- | What a program's run allocated in all, where, and its counters.
ran :: [Text] -> IO (Double, [Entry], [Counter])
ran rows = withSystemTempDirectory "tern-lab-calls" $ \folder -> do
  temporary <- getTemporaryDirectory
  T.writeFile (folder </> "Main.hs") (T.unlines rows)
  (modules, counters, whole) <-
    gatherTicky
      (Build "ghc" [] [] False False (temporary </> "tern-lab-core-test"))
      (SourceFile (folder </> "Main.hs"))
      (Run "{exe} +RTS -K200k -RTS" Nothing)
      >>= either (assertFailure . T.unpack . renderCoreProblem) pure
  all' <- maybe (assertFailure "no statistics") pure whole
  pure (all', accountOf all' modules counters [], counters)

-- | The bytes of calls of a library's functions, by a part of their names and who calls.
library :: [Entry] -> Text -> Text -> Double
library entries callee function =
  sum
    [ entryBytes e
      | e <- entries,
        OfLibrary name around _ _ <- [entryPost e],
        callee `T.isInfixOf` name,
        T.concat ["Main.", function] == around
    ]

-- | A map's nodes are balanced by the library for values of whatever type, in the rounds of a
-- version of @insertWith@ that the program has for itself. All this is done while a text waits to
-- be written, which makes next to nothing.
anyType :: Assertion
anyType = do
  (all', entries, _) <-
    ran
      [ "module Main (main) where",
        "import Data.List (foldl')",
        "import qualified Data.Map as M",
        "main :: IO ()",
        "main = print (M.size (counted [k `mod` 100 | k <- [1 .. 20000 :: Int]]))",
        "counted :: [Int] -> M.Map Int Int",
        "counted = foldl' (\\m k -> M.insertWith (+) k 1 m) M.empty",
        "{-# NOINLINE counted #-}"
      ]
  let told = unlines (map show entries)
      balanced =
        sum
          [ entryBytes e
            | e <- entries,
              OfLibrary name _ _ _ <- [entryPost e],
              "balance" `T.isInfixOf` name
          ]
  assertBool told (balanced > 0.4 * all')
  assertBool told (library entries "hPutStr" "main" < 0.2 * all')

laid :: Assertion
laid = do
  (all', entries, counters) <- ran program
  let between what low high x =
        assertBool
          (what <> ": " <> show (x, low, high) <> "\n" <> unlines (map show entries))
          (x >= low && x <= high)
  -- A copy is an array with a head of two words.
  let copies = library entries "newByteArray#" "store"
  between "store" (0.99 * 200 * 80016) (1.01 * 200 * 80016) copies
  let inserts = sum . map counterBytes . insertsOf
      insertsOf f =
        [c | c <- counters, counterSort c == Call, "insert" `T.isInfixOf` counterName c, f c]
      one = library entries "insert" "many"
      other = inserts (const True) - one
  between "many inserts" (8 * other) (14 * other) one
  -- A hundred cells of three words and more for each of 1,009 keys are the program's.
  between "what is called back" 0 (0.1 * 1009 * 100 * 24) (library entries "foldr" "called")
  -- The rest is a small part of the run.
  sum (map entryBytes entries) @?= all'
  forM_
    [entryBytes e | e <- entries, Uncounted <- [entryPost e]]
    (between "the rest" 0 (0.02 * all'))
