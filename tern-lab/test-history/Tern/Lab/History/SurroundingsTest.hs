{-# LANGUAGE OverloadedStrings #-}

-- | Repositories and environments as people have them: hooks, submodules,
-- partial clones, other hashes, spaces, no locale.
module Tern.Lab.History.SurroundingsTest (tests) where

import Control.Monad (forM_, when)
import Data.List (isInfixOf)
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import System.Directory (createDirectory, doesFileExist, doesPathExist, removePathForcibly)
import System.Environment (getEnvironment)
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import System.Process (CreateProcess (..), proc, readCreateProcessWithExitCode)
import Tern.Lab.Fixture (Story, commit, program, sh, withFixture, write)
import Tern.Lab.History
import Tern.Lab.History.Component (executablesIn)
import Tern.Lab.History.Metric (defaultThresholds)
import Tern.Lab.History.Plan
  ( Benchmark (..),
    Plan (..),
    benchmark,
    checkPlan,
    defaultPlan,
    originFiles,
  )
import Tern.Lab.History.Problem (renderProblem)
import Tern.Lab.History.Record (Measurement (..), Ran (..), Record (..), Results (..), Source (..))
import Tern.Lab.History.Verdict (Flag (..), flags)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "surroundings"
    [ testCase "a cache below a path with spaces" spaces,
      testCase "inside a hook, whose variables name the user's index" insideHook,
      testCase "the user's own hooks do not run" ownHooks,
      testCase "submodules, and submodules of those" submodules,
      testCase "a partial clone" partialClone,
      testCase "a repository of SHA-256" otherHash,
      testCase "a worktree beside others" worktree,
      testCase "without a locale, with names that are not ASCII" noLocale,
      testCase "standard output closed or full" standardOutput,
      testCase "a disk that is nearly full" noRoom,
      testCase "a prepared patch that is edited is another plan" editedPatch,
      testCase "the only executable of a project" onlyOne,
      testCase "what a failing command said, and what is missing" messages
    ]

twoSizes :: [Story]
twoSizes =
  [ write "size" ["1"],
    commit "begin",
    sh "git tag begin",
    write "size" ["2"],
    commit "next"
  ]

-- | Runs no compiler: the program is a script of the commit.
scripted :: Plan
scripted =
  (defaultPlan "begin..main")
    { planBuild =
        "true",
      planBenchmarks = [benchmark "cat size"],
      planRuns = 1
    }

within :: FilePath -> Site
within folder = Site (folder </> "repository") (folder </> "cache")

measured :: Site -> Plan -> IO Results
measured place plan =
  history (const (pure ())) False place plan
    >>= either (assertFailure . T.unpack . renderProblem) pure

subjects :: Results -> [(Text, [Flag])]
subjects results =
  [ (T.take 5 (T.pack (show (length (recordRuns r)))), fs)
    | (r, fs) <-
        flags defaultThresholds results
  ]

-- | The program in the fixture's repository.
lab :: [(String, String)] -> FilePath -> [String] -> IO (ExitCode, String, String)
lab variables folder arguments = do
  inherited <- getEnvironment
  let environment = variables <> filter ((`notElem` map fst variables) . fst) inherited
  readCreateProcessWithExitCode
    ( (proc "tern-lab" arguments)
        { cwd =
            Just (folder </> "repository"),
          env = Just environment
        }
    )
    ""

scriptedArguments :: FilePath -> [String]
scriptedArguments folder =
  [ "history",
    "begin..main",
    "--build",
    "true",
    "--run",
    "cat size",
    "--runs",
    "1",
    "--cache",
    folder
      </> "cache",
    "-o",
    folder </> "out"
  ]

spaces :: Assertion
spaces =
  withFixture
    [ program,
      commit "begin",
      sh "git tag begin",
      write "b" [],
      commit "next"
    ]
    $ \folder -> do
      results <-
        measured
          (Site (folder </> "repository") (folder </> "a cache with 'spaces'"))
          (defaultPlan "begin..main")
            { planBuild =
                "ghc -v0 -O -rtsopts Main.hs -o main",
              planBenchmarks = [benchmark "{exe}"],
              planExecutable = Just "main",
              planRuns = 1
            }
      [measuredSource m | r <- resultsRecords results, (_, Ran m) <- recordRuns r]
        @?= replicate 2 RuntimeFile

-- | The index and the checkout of the user stay as they are.
insideHook :: Assertion
insideHook = withFixture twoSizes $ \folder -> do
  let repository = folder </> "repository"
  write "staged" ["3"] repository
  sh "git add staged" repository
  before <- T.readFile (repository </> "size")
  (code, out, err) <-
    lab
      [ ("GIT_DIR", repository </> ".git"),
        ("GIT_WORK_TREE", repository),
        ("GIT_INDEX_FILE", repository </> ".git" </> "index"),
        ("GIT_PREFIX", "")
      ]
      folder
      (scriptedArguments folder)
  assertEqual err ExitSuccess code
  assertBool out ("2 commits" `isInfixOf` out)
  T.readFile (repository </> "size") >>= (@?= before)
  sh
    "test \"$(git status --porcelain)\" = 'A  staged' && test \"$(git branch --show-current)\" \
    \= main"
    repository

ownHooks :: Assertion
ownHooks = withFixture twoSizes $ \folder -> do
  let repository = folder </> "repository"
  write "hooks/post-checkout" ["#!/bin/sh", "touch '" <> folder </> "ran" <> "'", "exit 1"] folder
  sh "chmod +x hooks/post-checkout" folder
  sh
    ( "git config --file '" <> folder
        </> ".gitconfig" <> "' core.hooksPath '" <> folder
        </> "hooks" <> "'"
    )
    repository
  (code, _, err) <- lab [("HOME", folder)] folder (scriptedArguments folder)
  assertEqual err ExitSuccess code
  doesFileExist (folder </> "ran") >>= (@?= False)

submodules :: Assertion
submodules = withFixture [] $ \folder -> do
  let made name more = do
        createDirectory (folder </> name)
        sh
          "git init --quiet --initial-branch=main && git config user.name F && git config \
          \user.email f@example.org"
          (folder </> name)
        forM_ more ($ (folder </> name))
      add url =
        sh
          ( "git -c protocol.file.allow=always submodule --quiet add '" <> folder
              </> url <> "' part"
          )
  made "inner" [write "deep" ["deep 1"], commit "one"]
  made "library" [write "text" ["text 1"], add "inner", commit "one"]
  forM_
    [ write "size" ["1"],
      commit "without",
      sh "git tag begin",
      add "library",
      sh "git -c protocol.file.allow=always submodule --quiet update --init --recursive",
      commit "with",
      \at ->
        write "text" ["text 2"] (folder </> "library")
          >> commit "two" (folder </> "library")
          >> sh "cd part && git pull --quiet origin main" at,
      commit "newer"
    ]
    ($ (folder </> "repository"))
  results <-
    measured
      (within folder)
      scripted
        { planBenchmarks =
            [benchmark "text: cat part/text", benchmark "deep: cat part/part/deep"],
          planExpected = Nothing
        }
  [[either' ran | (_, ran) <- recordRuns r] | r <- resultsRecords results]
    @?= [[False, False], [True, True], [True, True]]
  -- The newer commit has the newer text.
  [ length [() | OutputChanged name _ <- fs, name == "text"]
    | (_, fs) <-
        flags defaultThresholds results
    ]
    @?= [0, 0, 1]
  where
    either' = \case
      Ran _ -> True
      NotRun _ -> False

partialClone :: Assertion
partialClone = withFixture twoSizes $ \folder -> do
  sh "git config uploadpack.allowFilter true" (folder </> "repository")
  sh "git clone --quiet --no-local --filter=blob:none \"file://$PWD/repository\" clone" folder
  results <- measured (Site (folder </> "clone") (folder </> "cache")) scripted
  length (filter (null . snd) (subjects results)) @?= 1
  sh "git count-objects >/dev/null && test -z \"$(git status --porcelain)\"" (folder </> "clone")

otherHash :: Assertion
otherHash = withFixture [] $ \folder -> do
  removePathForcibly (folder </> "repository")
  createDirectory (folder </> "repository")
  forM_
    ( sh
        "git init --quiet --initial-branch=main --object-format=sha256 && git config user.name \
        \F && git config user.email f@example.org"
        : twoSizes
    )
    ($ (folder </> "repository"))
  results <- measured (within folder) scripted
  length (resultsRecords results) @?= 2

worktree :: Assertion
worktree = withFixture twoSizes $ \folder -> do
  sh "git worktree add --quiet ../beside -b side" (folder </> "repository")
  results <- measured (Site (folder </> "beside") (folder </> "cache")) scripted
  length (resultsRecords results) @?= 2
  sh "test $(git worktree list | wc -l) = 2" (folder </> "repository")

noLocale :: Assertion
noLocale =
  withFixture
    ( twoSizes
        <> [ write
               "gr\246\223e"
               ["3"],
             sh "git add -A && git commit --quiet -m \"gr\246\223er \8594 \8220so\8221\""
           ]
    )
    $ \folder -> do
      (code, out, err) <-
        lab
          [("LC_ALL", "C"), ("LANG", "C")]
          folder
          ( take 8 (scriptedArguments folder)
              <> ["--cache", folder </> "c\228che", "--verbose", "-o", folder </> "out"]
          )
      assertEqual err ExitSuccess code
      assertBool out ("3 commits" `isInfixOf` out)
      page <- T.readFile (folder </> "out" </> "history.json")
      assertBool "the subject is whole" ("gr\246\223er \8594 \8220so\8221" `T.isInfixOf` page)
      (help, _, _) <- lab [("LC_ALL", "C"), ("LANG", "C")] folder ["bisect", "--help"]
      help @?= ExitSuccess
      -- Who chose no encoding reads what was meant.
      (_, _, said) <- lab [("LC_ALL", "C"), ("LANG", "C")] folder ["diff", "gr\246\223er"]
      assertBool said ("gr\246\223er" `isInfixOf` said)

standardOutput :: Assertion
standardOutput = withFixture twoSizes $ \folder -> do
  let shell script =
        readCreateProcessWithExitCode
          ( ( proc
                "timeout"
                ( ["60", "sh", "-c", script, "sh"]
                    <> scriptedArguments folder
                )
            )
              { cwd = Just (folder </> "repository")
              }
          )
          ""
  (closed, _, err) <- shell "tern-lab \"$@\" >&-"
  assertEqual err ExitSuccess closed
  (silent, _, _) <- shell "tern-lab \"$@\" >/dev/null 2>&-"
  silent @?= ExitSuccess
  full <- doesPathExist "/dev/full"
  when full $ do
    (code, _, said) <- shell "tern-lab \"$@\" >/dev/full"
    (code, "<stdout>: resource exhausted" `isInfixOf` said) @?= (ExitFailure 1, True)

-- | As a @df@ says that is found first.
noRoom :: Assertion
noRoom =
  withFixture (twoSizes <> [write "Main.hs" ["main :: IO ()", "main = print 1"]]) $ \folder -> do
    path <- fromMaybe "" . lookup "PATH" <$> getEnvironment
    write
      "bin/df"
      [ "#!/bin/sh",
        "echo Filesystem 1024-blocks Used Available Capacity Mounted on",
        "echo small 1000 900 100 90% /"
      ]
      folder
    sh "chmod +x bin/df" folder
    let full arguments = lab [("PATH", folder </> "bin" <> ":" <> path)] folder arguments
    (code, _, err) <- full (scriptedArguments folder)
    ( code,
      "only 102 kB are free, and a build needs 32 MB or more; what was measured so far is kept"
        `isInfixOf` err
      )
      @?= (ExitFailure 1, True)
    (core, _, err') <- full ["core", "Main.hs", "--core-cache", folder </> "core"]
    (core, "only 102 kB are free" `isInfixOf` err') @?= (ExitFailure 1, True)
    -- With room again it goes on.
    (again, _, err'') <- lab [] folder (scriptedArguments folder)
    assertEqual err'' ExitSuccess again

editedPatch :: Assertion
editedPatch = withFixture twoSizes $ \folder -> do
  let patch text = T.writeFile (folder </> "repository" </> "patch.sh") text
      plan = scripted {planPrepare = Just "sh \"$TERN_LAB_ORIGIN/patch.sh\""}
      outputs = do
        results <- measured (within folder) plan
        pure [measuredOutput m | r <- resultsRecords results, (_, Ran m) <- recordRuns r]
  originFiles plan @?= ["patch.sh"]
  patch "echo 7 > size\n"
  first <- outputs
  patch "echo 8 > size\n"
  second <- outputs
  assertBool "measured again" (first /= second)
  patch "echo 7 > size\n"
  outputs >>= (@?= first)
  -- So is a file outside that the runs read.
  T.writeFile (folder </> "data") "1"
  let using =
        scripted
          { planBenchmarks =
              [benchmark (T.pack ("cat '" <> folder </> "data'"))],
            planUses = [folder </> "data"]
          }
      used =
        (\results -> [measuredOutput m | r <- resultsRecords results, (_, Ran m) <- recordRuns r])
          <$> measured (within folder) using
  one <- used
  T.writeFile (folder </> "data") "2"
  two <- used
  assertBool "read again" (one /= two)

onlyOne :: Assertion
onlyOne = withFixture cabalStory $ \folder -> do
  executablesIn "Executable  server\nlibrary\nexecutable client -- \n" @?= ["server", "client"]
  (code, out, err) <-
    lab
      []
      folder
      [ "history",
        "begin..main",
        "--runs",
        "1",
        "--cache",
        folder
          </> "cache",
        "-o",
        folder </> "out"
      ]
  assertEqual err ExitSuccess code
  assertBool (out <> err) ("regression of allocations in run" `isInfixOf` out)
  sh "printf 'executable other\\n  main-is: Main.hs\\n' >> size.cabal" (folder </> "repository")
  (several, _, said) <- lab [] folder ["history", "begin..main", "--cache", folder </> "cache"]
  (several, "give --component with one of exe:size, exe:other" `isInfixOf` said)
    @?= (ExitFailure 2, True)
  where
    cabalStory =
      [ write
          "size.cabal"
          [ "cabal-version: 2.4",
            "name: size",
            "version: 1",
            "build-type: Simple",
            "executable size",
            "  main-is: Main.hs",
            "  default-language: Haskell2010",
            "  build-depends: base",
            "  ghc-options: -rtsopts"
          ],
        write
          "Main.hs"
          [ "main :: IO ()",
            "main = print (length (show (product [1 .. 2000 :: Integer])))"
          ],
        commit "begin",
        sh "git tag begin",
        write
          "Main.hs"
          [ "main :: IO ()",
            "main = print (length (show (product [1 .. 3000 :: Integer])))"
          ],
        commit "more"
      ]

messages :: Assertion
messages = withFixture twoSizes $ \folder -> do
  (code, out, err) <-
    lab
      []
      folder
      [ "history",
        "begin..main",
        "--build",
        "true",
        "--run",
        "nosuchprogram",
        "--runs",
        "1",
        "--cache",
        folder
          </> "cache",
        "-o",
        folder </> "repository" </> "reports"
      ]
  -- Nothing was measured: that is no success.
  (code, err)
    @?= ( ExitFailure
            1,
          "tern-lab: no commit could be measured; what their commands said is above and in the \
          \reports\n"
        )
  assertBool
    out
    ( "nosuchprogram: not found" `isInfixOf` out
        || "nosuchprogram: command not found" `isInfixOf` out
    )
  -- The reports are no change of the user's.
  (_, _, quiet) <-
    lab
      []
      folder
      [ "history",
        "begin..main",
        "--build",
        "true",
        "--run",
        "true",
        "--runs",
        "1",
        "--cache",
        folder
          </> "cache",
        "-o",
        folder </> "repository" </> "reports"
      ]
  quiet @?= ""
  let says arguments status expected = do
        (ended, _, said) <-
          lab
            []
            folder
            ( ["history", "begin..main", "--build", "true", "--cache", folder </> "cache"]
                <> arguments
            )
        (ended, said) @?= (ExitFailure status, "tern-lab: " <> expected <> "\n")
  says
    ["--run", "{exe} 3"]
    2
    "{exe} in the run command is not known: give --executable PATH, or --component NAME"
  sh "rm -r reports" (folder </> "repository")
  says
    ["--run", "cat", "--input", folder </> "none"]
    1
    ("cannot read " <> folder </> "none: no such file")
  let named folder' = ["-C", folder', "--run", "true"]
      missing verb = do
        (ended, _, said) <- lab [] folder ([verb, "begin..main"] <> named (folder </> "none"))
        (ended, said)
          @?= ( ExitFailure 1,
                "tern-lab: " <> folder
                  </> "none: no such folder; expected one inside a git repository\n"
              )
  mapM_ missing ["history", "bisect"]
  (notBuilt, _, why) <-
    lab
      []
      folder
      [ "history",
        "begin..main",
        "--build",
        "false",
        "--run",
        "true",
        "--cache",
        folder
          </> "cache",
        "-o",
        folder </> "out"
      ]
  (notBuilt, "no commit could be measured" `isInfixOf` why) @?= (ExitFailure 1, True)
  -- One that could is enough.
  (some, _, _) <-
    lab
      []
      folder
      [ "history",
        "begin..main",
        "--build",
        "true",
        "--run",
        "grep 2 size",
        "--runs",
        "1",
        "--cache",
        folder
          </> "cache",
        "-o",
        folder </> "out"
      ]
  some @?= ExitSuccess
  [ map benchmarkName . planBenchmarks
      <$> checkPlan scripted {planBenchmarks = map benchmark ["a", "b", "x: c", "d", "x: e"]}
    ]
    @?= [Right ["run", "run-2", "x", "run-3", "x-2"]]
