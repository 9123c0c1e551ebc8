{-# LANGUAGE OverloadedStrings #-}

-- | Two of anything compared.
module Tern.Lab.Core.TraitsTest (tests) where

import Data.Char (isDigit)
import Data.Map.Strict qualified as Map
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import System.Directory (getCurrentDirectory, getTemporaryDirectory)
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import Tern.Lab.Core.Facts (ModuleFacts (..), Pragma (..), Reason (..))
import Tern.Lab.Core.Finding (Finding (..))
import Tern.Lab.Core.Findings (findings)
import Tern.Lab.Core.Problem (renderCoreProblem)
import Tern.Lab.Core.Target (Target (..))
import Tern.Lab.Core.Traits (Trait (..), acrossCompilers, difference, renderDifference, traitsOf)
import Tern.Lab.Core.Workbench (Build (..), gatherFacts)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "comparing"
    [ testCase "an unrelated edit changes only its own lines" unrelated,
      testCase "the numbers of what GHC makes are no difference" renumbered,
      testCase "the cure of the separator is what the difference shows" separator,
      testCase "what a compiler's libraries call the same is the same" moved,
      testCase "a module of two components counts once" twice
    ]

facts :: FilePath -> IO [ModuleFacts]
facts file = do
  temporary <- getTemporaryDirectory
  outcome <-
    gatherFacts
      ( Build
          "ghc"
          ["-no-link"]
          []
          False
          False
          (temporary </> "tern-lab-core-test")
      )
      (SourceFile file)
  either (assertFailure . T.unpack . renderCoreProblem) pure outcome

fixture :: FilePath -> IO FilePath
fixture name = do
  here <- getCurrentDirectory
  pure (here </> "test-core" </> "golden" </> name)

changed :: [ModuleFacts] -> [ModuleFacts] -> [(Text, [Text])]
changed a b =
  [ (name, rows)
    | (key@(_, name), _) <- Map.toList (Map.union (traitsOf a) (traitsOf b)),
      let side = Map.findWithDefault Map.empty key . traitsOf,
      rows@(_ : _) <- [renderDifference (difference (side a) (side b))]
  ]

unrelated :: Assertion
unrelated = withSystemTempDirectory "tern-lab-edit" $ \folder -> do
  source <- fixture "noinline/before/Main.hs" >>= T.readFile
  let file = folder </> "Main.hs"
  T.writeFile file source
  before <- facts file
  -- New names above and below move every unique name and every place.
  T.writeFile
    file
    ( T.replace
        "both ::"
        "first :: Int -> [Int]\nfirst n = map (* n) [n .. 100]\n{-# NOINLINE first #-}\n\nboth ::"
        ( T.replace
            "main = print (go"
            "main = print (length (first 3)) >> print (go"
            source
        )
    )
  later <- facts file
  map fst (changed before before) @?= []
  filter (`notElem` ["first", "main"]) (map fst (changed before later)) @?= []
  assertBool "the new function is seen" ("first" `elem` map fst (changed before later))

-- | The loop of a fold is a part that GHC makes and numbers by its library.
renumbered :: Assertion
renumbered = withSystemTempDirectory "tern-lab-numbers" $ \folder -> do
  let file = folder </> "Main.hs"
      with body =
        T.writeFile file . T.unlines $
          [ "module Main (main) where",
            "import Data.Map.Strict qualified as Map",
            "count :: Int -> Map.Map Int Int",
            "count n = " <> body <> " Map.empty [1 .. n]",
            "main :: IO ()",
            "main = print (sum (count 2000))"
          ]
  with "foldr (\\k -> Map.insertWith (+) (k `mod` 97) 1)"
  before <- facts file
  with "foldr (\\k m -> Map.insertWith (+) (k `mod` 97) 1 (Map.delete k m))"
  later <- facts file
  let called =
        [ callee
          | modules <-
              [before, later],
            traits <- Map.elems (traitsOf modules),
            Calls callee _ <- Map.keys traits,
            not (T.any (== '.') callee)
        ]
  assertBool "the loop is called" ("go" `elem` called)
  filter (T.any isDigit) called @?= []

-- | As two compilers name what one program calls.
moved :: Assertion
moved =
  renderDifference (difference (across old) (across new))
    @?= ["- calls GHC.Show.itos: too big", "+ calls GHC.Show.itos: no gain"]
  where
    across = acrossCompilers (Set.fromList ["Main", "Own.Internal"])
    old =
      Map.fromList
        [ (Calls "GHC.IO.Handle.Text.hPutStr2" (Pragmatic (NoInline "")), 1),
          (Calls "GHC.Show.showsPrec15" (TooBig 0 90), 1),
          (Calls "GHC.Show.itos" (TooBig 0 90), 1),
          (Calls "GHC.Base.++" (Pragmatic (NoInline "")), 2),
          (Calls "Text.Read.Lex.expect2" NoUnfoldingThere, 1),
          (Calls "GHC.Show.$fShow(,)_$sgo" NoUnfoldingThere, 1),
          (Calls "Data.ByteString.Builder.toLazyByteString" (Pragmatic (NoInline "")), 1),
          (Calls "Own.Internal.part2" Recursive, 1)
        ]
    new =
      Map.fromList
        [ (Calls "GHC.Internal.IO.Handle.Text.hPutStr1" (Pragmatic (NoInline "")), 1),
          (Calls "GHC.Internal.Show.showsPrec1" (TooBig 0 80), 1),
          (Calls "GHC.Internal.Show.itos" NoGain, 1),
          (Calls "GHC.Internal.Base.++" (Pragmatic (NoInline "")), 2),
          (Calls "GHC.Internal.Text.Read.Lex.expect1" NoUnfoldingThere, 1),
          (Calls "GHC.Internal.Show.$fShowCallStack_$sgo" NoUnfoldingThere, 1),
          (Calls "Data.ByteString.Builder.Internal.toLazyByteString" (Pragmatic (NoInline "")), 1),
          (Calls "Own.Internal.part2" Recursive, 1)
        ]

twice :: Assertion
twice = do
  modules <- fixture "separator/before/Main.hs" >>= facts
  let both = modules <> map (\m -> m {factsUnit = "another"}) modules
  traitsOf both @?= traitsOf modules
  let said = map (\f -> (findingBinding f, findingKind f, findingTimes f)) . findings
  said both @?= said modules
  assertBool "nothing is found" (not (null (said modules)))

separator :: Assertion
separator = do
  before <- fixture "separator/before/Main.hs" >>= facts
  later <- fixture "separator/after/Main.hs" >>= facts
  let rows = concat [r | (name, r) <- changed before later, name == "encode"]
  assertBool
    (T.unpack (T.unlines rows))
    ( "- calls the recursive Separator.commaSep with a list of 5 that stands here"
        `elem` rows
    )
