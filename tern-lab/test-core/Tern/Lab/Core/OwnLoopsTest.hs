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
        said "list-search" >>= (@?= ["different", "walked"])
    ]

-- | Of which functions that is said.
said :: Text -> IO [Text]
said kind = withSystemTempDirectory "tern-lab-own-loops" $ \folder -> do
  cache <- sharedCache
  planted <- T.readFile ("test-core" </> "golden" </> "planted" </> "Rounds.hs")
  T.writeFile (folder </> "Rounds.hs") planted
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
