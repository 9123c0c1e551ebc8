{-# LANGUAGE OverloadedStrings #-}

-- | Core for reading: names, marks, types, what the compiler wrote, and the
-- page.
module Tern.Lab.Core.TextTest (tests) where

import Data.List (sort)
import Data.Map.Strict qualified as Map
import Data.Maybe (mapMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import System.Directory (getCurrentDirectory, getTemporaryDirectory)
import System.FilePath ((</>))
import Tern.Lab.Browser (inBrowser)
import Tern.Lab.Core.Code (Definition (..))
import Tern.Lab.Core.Facts (Binding (..))
import Tern.Lab.Core.Finding (worthShowing)
import Tern.Lab.Core.Findings (findings)
import Tern.Lab.Core.Page (Sheet (..), page)
import Tern.Lab.Core.Problem (renderCoreProblem)
import Tern.Lab.Core.Produced (Mark (..), Produced (..), producedIn)
import Tern.Lab.Core.Reading (Reading (..), gatherReading)
import Tern.Lab.Core.Sheets (sheetsOf)
import Tern.Lab.Core.Target (Target (..))
import Tern.Lab.Core.Text.Row (colouredRows, plainRows)
import Tern.Lab.Core.Workbench (Build (..))
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "Core for reading"
    [ testCase "a call of a variable and a recursive call are marked" $ do
        rows <- readAs False "area"
        assertBool
          (shown rows)
          ( any
              ( "-- round': a function that is only a variable here"
                  `T.isInfixOf`
              )
              rows
          )
        assertBool
          (shown rows)
          ( any
              ( "helper: not inlined: it is marked NOINLINE"
                  `T.isInfixOf`
              )
              rows
          )
        assertBool (shown rows) (not (any (" :: " `T.isInfixOf`) rows)),
      testCase "types are shown where they are asked for" $ do
        rows <- readAs True "area"
        assertBool (shown rows) ("area :: Shape -> (Int -> Int) -> Int" `elem` rows)
        assertBool
          (shown rows)
          ( any
              ( "area (shape :: Shape) (round' :: Int -> Int) ="
                  `T.isPrefixOf`
              )
              rows
          ),
      testCase "no unique names are left, and names that meet are told apart" $ do
        rows <- readAs False "join"
        rows' <- readAs False "join"
        rows @?= rows'
        assertBool (shown rows) (not (any (any looksUnique . T.words) rows)),
      testCase "a part that GHC calls like its owner is told apart from it" $ do
        (asked, _) <- sheetsNamed "mean"
        let names = map (definitionName . sheetDefinition) asked
        sort (filter ("mean" `T.isPrefixOf`) names) @?= ["mean", "mean_2"]
        assertBool
          "it is called so"
          ( any
              ( any (T.isInfixOf "mean_2")
                  . drop 1
                  . plainRows False
                  . sheetRows
              )
              asked
          ),
      testCase "what Template Haskell and deriving wrote stands beside" $ do
        twice <- sheetsNamed "twice"
        mapMaybe sheetProduced (fst twice) @?= ["twice :: Int -> Int\ntwice x = (x + x)\n"]
        derived <- sheetsNamed "showsPrec"
        assertBool
          "instance Show Shape"
          ( any
              ("instance Show Shape where" `T.isPrefixOf`)
              (mapMaybe sheetProduced (fst derived))
          ),
      testCase "an instance with a context, on two lines" $
        [ producedMark p
          | p <-
              producedIn
                "  instance (GHC.Show.Show a,\n            GHC.Show.Show b) =>\n           \
                \GHC.Show.Show (M.P a b) where\n    GHC.Show.show x_aB3 = M.f \"x_aB3\"\n  \n"
        ]
          @?= [Derived "ShowP"],
      testCase "colours only where they are wanted" $ do
        (asked, _) <- sheetsNamed "area"
        assertBool
          "escape codes"
          ( any
              ( any ("\ESC[" `T.isInfixOf`)
                  . colouredRows False
                  . sheetRows
              )
              asked
          )
        assertBool
          "no escape codes"
          ( not
              ( any
                  ( any ("\ESC[" `T.isInfixOf`)
                      . plainRows False
                      . sheetRows
                  )
                  asked
              )
          ),
      testCaseInfo "the page folds, links and shows types" browsed
    ]
  where
    shown = T.unpack . T.unlines
    looksUnique word = case T.breakOnEnd "_" word of
      (start, end) -> T.length start > 1 && T.length end >= 3 && T.any (`elem` ['A' .. 'Z']) end

readingOf :: FilePath -> IO Reading
readingOf file = do
  temporary <- getTemporaryDirectory
  here <- getCurrentDirectory
  gatherReading
    ( Build
        "ghc"
        []
        []
        True
        False
        (temporary </> "tern-lab-core-test")
    )
    (SourceFile (here </> "test-core" </> "golden" </> file))
    >>= either (assertFailure . T.unpack . renderCoreProblem) pure

sheetsNamed :: Text -> IO ([Sheet], [Sheet])
sheetsNamed name = do
  reading <- readingOf ("reading" </> "Shapes.hs")
  pure (sheetsOf reading (findings (readingModules reading)) (Just name) [])

readAs :: Bool -> Text -> IO [Text]
readAs types name = concatMap (plainRows types . sheetRows) . fst <$> sheetsNamed name

browsed :: IO String
browsed = do
  reading <- readingOf ("separator" </> "before" </> "Main.hs")
  let every = filter worthShowing (findings (readingModules reading))
      (asked, reached) = sheetsOf reading every Nothing every
      whole = page "separator" Map.empty [] every (asked <> reached)
  assertBool
    "the called binding comes along"
    ( "commaSep"
        `elem` map (bindingName . sheetBinding) (asked <> reached)
    )
  inBrowser
    whole
    script
    ( @?= "listed true, folded true, open true, hidden true, shown true, links true, marks true"
    )
  where
    script =
      T.unlines
        [ "const folds = [...document.querySelectorAll('.core details')];",
          "const said = [];",
          "said.push('listed ' + (document.querySelectorAll('#listed > li').length > 3));",
          "document.getElementById('fold').click(); said.push('folded ' + folds.every(d => \
          \!d.open));",
          "document.getElementById('open').click(); said.push('open ' + (folds.length > 10 && \
          \folds.every(d => d.open)));",
          "const type = document.querySelector('.core .type');",
          "said.push('hidden ' + (getComputedStyle(type).display === 'none'));",
          "document.getElementById('types').click(); said.push('shown ' + \
          \(getComputedStyle(type).display !== 'none'));",
          "const links = [...document.querySelectorAll('.core a, #listed a')];",
          "said.push('links ' + (links.length > 3 && links.every(a => \
          \document.getElementById(decodeURIComponent(a.getAttribute('href').slice(1))))));",
          "said.push('marks ' + [...document.querySelectorAll('mark')].some(m => m.textContent \
          \=== 'commaSep' && m.title.includes('5 elements')));",
          "return said.join(', ');"
        ]
