{-# LANGUAGE OverloadedStrings #-}

-- | The story of an interpreter that became faster in seven steps (@tern-wasm/story@): what is
-- found where it began is the first step that was taken, and each step is what its difference
-- begins with.
module Tern.Lab.Core.StoryTest (tests) where

import Control.Monad (forM_)
import Data.List (isInfixOf)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import System.Directory (createDirectory)
import System.FilePath ((</>))
import Tern.Lab.Core.Command (lab)
import Tern.Testkit.Tally (inCheckout)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "the story"
    [ inCheckout "the first finding is the first step" begun,
      inCheckout "each step leads its difference" stepped
    ]

-- | Each step, and what its difference from the one before begins with.
steps :: [(String, [Text])]
steps =
  [ ("Vectors", ["Story.store no longer calls Data.Vector.// (copies-vector)"]),
    ("Specialised", ["is compiled for known types now", "Story.store", "and 2 more)"]),
    -- The lists that are put together at once.
    ( "Differences",
      ["Story.step no longer makes a thunk in a loop", "no longer calls ++ and now calls onto"]
    ),
    ("Exports", ["its module has an export list now"]),
    -- It allocates the same, to the byte.
    ("Eta", ["its source now calls eta"]),
    -- Without transformers it allocates more.
    ("Simple", ["Story.step no longer calls Control.Monad.Trans.Except.<*>"]),
    ("Zipper", ["Story.step is gone from the source"])
  ]

-- | Programs beside each other, one for a step.
told :: (([String] -> IO String) -> IO a) -> IO a
told use = lab [] $ \(run, here) -> do
  forM_ ("Beginning" : map fst steps) $ \step -> do
    createDirectory (here </> step)
    forM_ [(step, "Story"), ("Ref", "Ref")] $ \(from, to) -> do
      source <- T.readFile ("../tern-wasm/story/Tern/Wasm/Story" </> from <> ".hs")
      T.writeFile (here </> step </> T.unpack to <> ".hs") (named from to source)
    T.writeFile
      (here </> step </> "Main.hs")
      "module Main (main) where\nimport Story (run)\nmain :: IO ()\nmain = run 2000 >>= print\n"
  use (\arguments -> fst <$> run (arguments <> ["--run", "{exe}"] <> extensions))
  where
    named from to =
      T.replace ("module Tern.Wasm.Story." <> T.pack from) ("module " <> to)
        . T.replace "import Tern.Wasm.Story.Ref" "import Ref"
    -- Those of the package.
    extensions = ["--ghc-option=-X" <> x | x <- ["GHC2021", "DerivingStrategies", "LambdaCase"]]

begun :: Assertion
begun = told $ \run -> do
  out <- run ["Beginning/Main.hs"]
  let first = concat (take 2 (lines out))
  assertBool
    out
    ( "  1. Beginning/Story.hs:113:17  store " `isInfixOf` first
        && "calls Data.Vector.// " `isInfixOf` first
    )

stepped :: Assertion
stepped = told $ \run ->
  forM_ (zip ("Beginning" : map fst steps) steps) $ \(from, (to, expected)) -> do
    out <- run ["diff", from </> "Main.hs", to </> "Main.hs"]
    let first = T.pack (concat (take 1 (lines out)))
    forM_ expected $ \part ->
      assertBool (from <> " to " <> to <> ":\n" <> out) (part `T.isInfixOf` first)
