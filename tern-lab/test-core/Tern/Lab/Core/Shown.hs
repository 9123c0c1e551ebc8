{-# LANGUAGE OverloadedStrings #-}

-- | What a page shows of some modules that are compiled and run for it.
module Tern.Lab.Core.Shown
  ( shown,
    told,
    modulesOf,
    functionsOf,
  )
where

import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import Tern.Lab.Core.Advice (kindName, renderWhat)
import Tern.Lab.Core.Command (sharedCache)
import Tern.Lab.Core.Finding (Finding (..), worthShowing)
import Tern.Lab.Core.Findings (findings)
import Tern.Lab.Core.Measured (measuredBy)
import Tern.Lab.Core.Problem (renderCoreProblem)
import Tern.Lab.Core.Target (Target (..))
import Tern.Lab.Core.Workbench (Build (..), Run (..), gatherTicky)
import Test.Tasty.HUnit (assertFailure)

-- | The findings after a run of files, of which @Main.hs@ is the program.
shown :: [(FilePath, [Text])] -> IO [Finding]
shown files = withSystemTempDirectory "tern-lab-shown" $ \folder -> do
  cache <- sharedCache
  mapM_ (\(name, rows) -> T.writeFile (folder </> name) (T.unlines rows)) files
  (modules, counters, whole) <-
    gatherTicky
      (Build "ghc" [] [] False False cache)
      (SourceFile (folder </> "Main.hs"))
      (Run "{exe}" Nothing)
      >>= either (assertFailure . T.unpack . renderCoreProblem) pure
  pure (filter worthShowing (measuredBy whole modules counters (findings modules)))

-- | All of them in words, for a test that fails.
told :: [Finding] -> String
told = unlines . map (T.unpack . renderWhat)

-- | The modules, and the functions, that a kind is said of.
modulesOf, functionsOf :: Text -> [Finding] -> [Text]
modulesOf kind every = [findingModule f | f <- every, kindName (findingKind f) == kind]
functionsOf kind every = [findingBinding f | f <- every, kindName (findingKind f) == kind]
