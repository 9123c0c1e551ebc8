{-# LANGUAGE OverloadedStrings #-}

-- | The stories that several tests tell, and how they must come out.
module Tern.Lab.Stories
  ( story,
    halved,
    plan,
    withoutCompiler,
    within,
    quiet,
    measured,
    told,
    expectedStory,
    sameStory,
  )
where

import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import System.FilePath ((</>))
import Tern.Lab.Fixture (Story, commit, program, sh, write)
import Tern.Lab.History (Event, Site (..), history)
import Tern.Lab.History.Git (Commit (..))
import Tern.Lab.History.Metric (defaultThresholds, metricName)
import Tern.Lab.History.Plan (Plan (..), benchmark, defaultPlan)
import Tern.Lab.History.Problem (renderProblem)
import Tern.Lab.History.Record (Record (..), Results, renderFailure)
import Tern.Lab.History.Verdict (Change (..), Flag (..), flags)
import Test.Tasty.HUnit

-- | An improvement, a comment, a commit that does not build and its repair, a
-- side branch that improves, a regression beside it, their merge, a commit that
-- does not run, and one that writes something else.
story :: [Story]
story =
  [ program,
    commit "begin",
    sh "git tag begin",
    write
      "Rounds.hs"
      [ "module Rounds (rounds) where",
        "-- How often.",
        "rounds :: Int",
        "rounds = 100"
      ],
    commit "comment",
    write
      "Rounds.hs"
      [ "module Rounds (rounds) where",
        "-- How often.",
        "rounds :: Int",
        "rounds = 50"
      ],
    commit "improve",
    sh "git branch side",
    write "Size.hs" ["module Size (size) where", "size :: Int", "size ="],
    commit "break",
    write "Size.hs" ["module Size (size) where", "size :: Int", "size = 1000"],
    commit "repair",
    sh "git checkout --quiet side",
    write "Size.hs" ["module Size (size) where", "size :: Int", "size = 500"],
    commit "side",
    sh "git checkout --quiet main",
    write
      "Rounds.hs"
      [ "module Rounds (rounds) where",
        "-- How often.",
        "rounds :: Int",
        "rounds = 100"
      ],
    commit "regress",
    sh "git merge --quiet -m merge side",
    sh "sed -i 's/putStrLn .*/ioError (userError \"no\")/' Main.hs",
    commit "crash",
    sh "sed -i 's/ioError .*/putStrLn \"finished\"/' Main.hs",
    commit "other output"
  ]

plan :: Plan
plan =
  (defaultPlan "begin..main")
    { planBuild = "ghc -v0 -O -rtsopts Main.hs -o main",
      planBenchmarks = [benchmark "./main"],
      planRuns = 2
    }

-- | The same commits with the same figures, of a build that reads the two constants and
-- compiles nothing: for tests of what a history does around its builds. What it leaves is a
-- script that answers GHC's runtime options with the product.
withoutCompiler :: Plan
withoutCompiler =
  plan
    { planBuild =
        T.unlines
          [ "rounds=$(sed -n 's/^rounds = //p' Rounds.hs)",
            "size=$(sed -n 's/^size = //p' Size.hs)",
            "said=$(sed -n 's/.*putStrLn \"\\(.*\\)\".*/\\1/p' Main.hs)",
            "test -n \"$size\" || { echo 'Size.hs:3:7: error: parse error' >&2; exit 1; }",
            "cat > main <<END",
            "#!/bin/sh",
            "to=\\${GHCRTS#-t}",
            "echo '[(\"allocated_bytes\", \"'$((rounds * size * 100))'\")' > \"\\${to%% *}\"",
            "test -n '$said' && echo '$said'",
            "END",
            "chmod +x main"
          ]
    }

within :: FilePath -> Site
within folder = Site (folder </> "repository") (folder </> "cache")

-- | Two commits, the second of which allocates half.
halved :: [Story]
halved =
  [ program,
    commit "begin",
    sh "git tag begin",
    write "Rounds.hs" ["module Rounds (rounds) where", "rounds :: Int", "rounds = 50"],
    commit "halve <it> & more",
    write "Rounds.hs" ["module Rounds (rounds) where", "rounds :: Int", "rounds = 200"],
    commit "worse"
  ]

quiet :: Event -> IO ()
quiet _ = pure ()

measured :: Site -> Plan -> IO Results
measured place p =
  history quiet False place p >>= either (assertFailure . T.unpack . renderProblem) pure

-- | Flags as short words, by subject.
told :: Results -> [(Text, [Text])]
told results =
  [(commitSubject (recordCommit r), map word fs) | (r, fs) <- flags defaultThresholds results]
  where
    word = \case
      Changed _ c -> T.concat [T.pack (show (changeDirection c)), " ", metricName (changeMetric c)]
      OutputChanged _ _ -> "output"
      OutputUnstable _ -> "unstable"
      DidNotBuild f -> renderFailure f
      DidNotRun _ f -> renderFailure f

expectedStory :: [(Text, [Text])]
expectedStory =
  [ ("begin", []),
    ("comment", []),
    ("improve", ["Improvement allocated"]),
    ("break", ["the build failed with status 1"]),
    ("repair", []),
    ("regress", ["Regression allocated"]),
    ("side", ["Improvement allocated"]),
    ("merge", []),
    ("crash", ["the run failed with status 1"]),
    ("other output", ["output"])
  ]

-- | Commits of two branches may come in either order.
sameStory :: Results -> Assertion
sameStory results =
  Map.toList (Map.fromList (told results)) @?= Map.toList (Map.fromList expectedStory)
