{-# LANGUAGE OverloadedRecordDot #-}
{-# LANGUAGE OverloadedStrings #-}

-- | Programs whose results are known, measured as people measure theirs.
module Tern.Lab.ProgramsTest (tests) where

import Control.Monad (forM_)
import Data.ByteString.Char8 qualified as BC
import Data.List (isInfixOf)
import Data.Text qualified as T
import System.Directory (doesFileExist, findExecutable)
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import System.Process (CreateProcess (..), proc, readCreateProcessWithExitCode)
import Tern.Lab.Program (complains, lab, labProgram)
import Tern.Lab.Programs.Plan
  ( Parameter (..),
    Plan (..),
    Program (..),
    filled,
    parameterOf,
    programs,
    settings,
  )
import Tern.Lab.Saved (Programs (..), Saved (..), readSaved, sheetsOf)
import Tern.Lab.Sheet (Choice (..), Entry (..), Figure (..), Sheet (..), figureNamed, medianOf)
import Tern.Lab.Sheet qualified as Sheet
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "programs"
    [ testGroup
        "plan"
        [ testCase "each choice of values is a setting, the last one's change first" $
            map
              (map (.value))
              ( settings
                  plan
                    { over =
                        [Parameter "a" ["1", "2"], Parameter "b" ["x", "y"]]
                    }
              )
              @?= [["1", "x"], ["1", "y"], ["2", "x"], ["2", "y"]],
          testCase "without parameters there is one setting" $
            settings plan @?= [[]],
          testCase "a command that is given again has a number, and its names are filled" $
            [ (one.name, one.command, one.before)
              | one <-
                  programs
                    plan
                      { commands =
                          ["seq {n}", "seq {n}"],
                        prepare = Just "rm {n}"
                      }
                    [Choice "n" "5"]
            ]
              @?= [("seq {n}", "seq 5", Just "rm 5"), ("seq {n} (2)", "seq 5", Just "rm 5")],
          testCase "braces of the shell's stay, and what was put in is not looked at again" $
            map
              (filled [Choice "n" "{n}", Choice "m" "1"])
              ["{a,b}", "${HOME}{n}{m}", "{n", "}{", "{{m}}"]
              @?= ["{a,b}", "${HOME}{n}1", "{n", "}{", "{1}"],
          testCase "a parameter is a name and values" $
            map
              (either (const Nothing) Just . parameterOf)
              [ "n=1,2",
                "n=a",
                "n",
                "n=",
                "=1",
                "n=1,,2",
                "n=1,1",
                "{n}=1"
              ]
              @?= [ Just
                      (Parameter "n" ["1", "2"]),
                    Just (Parameter "n" ["a"]),
                    Nothing,
                    Nothing,
                    Nothing,
                    Nothing,
                    Nothing,
                    Nothing
                  ]
        ],
      inFolder
        "commands run in rounds, warmed up, with the first once more, after their preparation"
        $ \folder -> do
          (code, _, err) <-
            within
              folder
              [ "compare",
                "--rounds",
                "3",
                "--warmup",
                "2",
                "--prepare",
                "echo p >> calls",
                "--",
                "echo a >> calls",
                "echo b >> calls",
                "echo c >> calls"
              ]
          (code, err) @?= (ExitSuccess, "")
          calls <- lines <$> readFile (folder </> "calls")
          -- Two of each to warm up; then three rounds, the first of which is reversed.
          filter (/= "p") calls @?= words "a a b b c c a c b a a b c a a b c a"
          length (filter (== "p") calls) @?= 18
          assertBool "each after its preparation" (and (zipWith (==) calls (cycle' calls))),
      inFolder "without a warm-up the first run counts" $ \folder -> do
        (code, _, err) <-
          within
            folder
            [ "compare",
              "--rounds",
              "3",
              "--warmup",
              "0",
              "--save",
              "cold",
              "--",
              "echo a >> calls",
              "echo b >> calls"
            ]
        (code, err) @?= (ExitSuccess, "")
        calls <- lines <$> readFile (folder </> "calls")
        calls @?= words "a b a a b a a b a"
        found <-
          either (assertFailure . T.unpack) (pure . sheetsOf) . readSaved
            =<< BC.readFile (folder </> "tern-lab-saved" </> "cold.json")
        [map (length . (.samples)) entry.figures | sheet <- found, entry <- sheet.entries]
          @?= replicate 2 [3, 3, 3],
      inFolder
        "the results of a comparison are kept by its name, and differ from themselves in nothing"
        $ \folder -> do
          (code, out, err) <-
            within
              folder
              [ "compare",
                "--rounds",
                "3",
                "--over",
                "n=1,2",
                "--save",
                "first",
                "--",
                "seq {n}",
                "seq {n}"
              ]
          (code, err) @?= (ExitSuccess, "")
          assertBool
            out
            ( "n = 1" `isInfixOf` out
                && "seq {n} (2)" `isInfixOf` out
                && "How fast, by CPU time? No difference is seen." `isInfixOf` out
            )
          saved <- BC.readFile (folder </> "tern-lab-saved" </> "first.json")
          found <- either (assertFailure . T.unpack) (pure . sheetsOf) (readSaved saved)
          map (map (.value) . (.setting)) found @?= [["1"], ["2"]]
          [map (length . (.samples)) entry.figures | sheet <- found, entry <- sheet.entries]
            @?= replicate 4 [3, 3, 3]
          map (fmap (.name) . (.control)) found @?= replicate 2 (Just "seq {n}")
          (same, said, _) <- within folder ["diff", "first", "first", "--check"]
          same @?= ExitSuccess
          assertBool said ("Nothing changed for certain." `isInfixOf` said)
          (now, _, complaint) <- within folder ["diff", "first"]
          (now, complaint) @?= (ExitSuccess, ""),
      inFolder
        "a program of GHC's tells what it allocates, and twice the work is seen"
        $ \folder -> do
          program <- labProgram
          let list n =
                "'"
                  <> program
                  <> "' --bash-completion-index 1"
                  <> concat (replicate n " --bash-completion-word compare")
          (code, _, err) <-
            within folder ["compare", "--rounds", "2", "--save", "ghc", "--", list 10, list 2000]
          (code, err) @?= (ExitSuccess, "")
          found <-
            either (assertFailure . T.unpack) (pure . sheetsOf) . readSaved
              =<< BC.readFile (folder </> "tern-lab-saved" </> "ghc.json")
          case [ medianOf figure
                 | sheet <-
                     found,
                   entry <- sheet.entries,
                   Just figure <- [figureNamed "allocated" entry]
               ] of
            [little, much] -> assertBool (show (little, much)) (little > 10000 && much > little)
            other -> assertFailure (show other),
      inFolder "a figure that got worse is said, and --check ends with 1" $ \folder -> do
        program <- labProgram
        -- One command, which does more the second time.
        BC.writeFile (folder </> "run.sh") "exec \"$LAB\" --bash-completion-index 1 $(cat words)\n"
        let measured name n = do
              writeFile
                (folder </> "words")
                (concat (replicate n " --bash-completion-word compare"))
              within
                folder
                [ "compare",
                  "--rounds",
                  "2",
                  "--save",
                  name,
                  "--",
                  "LAB='"
                    <> program
                    <> "' sh run.sh"
                ]
        mapM_ (uncurry measured) [("before", 10), ("after", 2000)]
        (code, out, err) <- within folder ["diff", "before", "after", "--check"]
        code @?= ExitFailure 1
        assertBool
          (out <> err)
          ( "allocated" `isInfixOf` out
              && "figures got worse since before" `isInfixOf` err
          ),
      inFolder "rounds that were kept are gone on with" $ \folder -> do
        let rounds n more =
              within
                folder
                ( ["compare", "--rounds", n, "--save", "kept"]
                    <> more
                    <> ["--", "echo x >> calls"]
                )
            calls = length . lines <$> readFile (folder </> "calls")
        (first, _, _) <- rounds "2" []
        (again, _, err) <- rounds "3" ["--resume"]
        (first, again, err) @?= (ExitSuccess, ExitSuccess, "")
        -- One to warm up and two rounds of two; one to warm up and one round of two.
        calls >>= (@?= 5 + 3)
        found <-
          either (assertFailure . T.unpack) (pure . sheetsOf) . readSaved
            =<< BC.readFile (folder </> "tern-lab-saved" </> "kept.json")
        [length figure.samples | sheet <- found, entry <- sheet.entries, figure <- entry.figures]
          @?= [3, 3, 3]
        map Sheet.rounds found @?= [3]
        (other, _, said) <-
          within folder ["compare", "--rounds", "3", "--save", "kept", "--resume", "--", "true"]
        other @?= ExitFailure 1
        assertBool said ("of another comparison" `isInfixOf` said),
      inFolder "where results cannot be written, nothing is run" $ \folder ->
        forM_ [(option, to) | option <- ["--save", "--html", "--svg"], to <- ["/proc/out", "."]] $
          \(option, to) -> do
            let path = if to == "." then "./." else to
            (code, out, err) <-
              within folder ["compare", "--rounds", "2", option, path, "--", "echo x >> calls"]
            ran <- doesFileExist (folder </> "calls")
            (option, to, code, out, length (lines err), ran)
              @?= (option, to, ExitFailure 1, "", 1, False),
      inFolder "what programs write is compared" $ \folder -> do
        (_, out, _) <-
          within folder ["compare", "--rounds", "2", "--", "echo a", "echo b", "echo a"]
        assertBool
          out
          ( "What echo b writes is not what echo a writes." `isInfixOf` out
              && not ("What echo a (2)" `isInfixOf` out)
          ),
      testCase "--json prints one line that reads back" $ do
        (code, out, err) <- lab ["compare", "--rounds", "2", "--json", "--", "true"]
        (code, err, length (lines out)) @?= (ExitSuccess, "", 1)
        case readSaved (BC.pack out) of
          Right (OfPrograms found) ->
            (found.plan.commands, map (length . (.entries)) found.sheets) @?= (["true"], [1])
          other -> assertFailure (show other),
      testCaseInfo "instructions are counted by valgrind, and more work is more of them" $
        findExecutable "valgrind" >>= \case
          Nothing -> pure "skipped: no valgrind on PATH"
          Just _ -> do
            (code, out, err) <-
              lab
                [ "compare",
                  "--rounds",
                  "2",
                  "--json",
                  "--instructions",
                  "--over",
                  "n=10,200000",
                  "--",
                  "seq {n}"
                ]
            (code, err) @?= (ExitSuccess, "")
            found <- either (assertFailure . T.unpack) (pure . sheetsOf) (readSaved (BC.pack out))
            case [ medianOf figure
                   | sheet <-
                       found,
                     entry <- sheet.entries,
                     Just figure <- [figureNamed "instructions" entry]
                 ] of
              [little, much] ->
                assertBool (show (little, much)) (little > 50000 && much > little + 200000)
                  >> pure (show (little, much))
              other -> assertFailure (show other),
      complains
        "a program that fails"
        ["compare", "--", "echo broken >&2; exit 3"]
        1
        "failed with status 3: broken",
      complains
        "a program that is not there"
        ["compare", "--", "no-such-program-here"]
        1
        "failed with status 127",
      complains
        "a program that ends by a signal"
        ["compare", "--", "kill -9 $$"]
        1
        "was ended by signal 9",
      complains
        "a program that takes too long"
        ["compare", "--timeout", "1", "--", "sleep 60"]
        1
        "took more than 1.00 s",
      complains
        "a preparation that fails"
        ["compare", "--prepare", "false", "--", "true"]
        1
        "the preparation false failed with status 1",
      testCase "an exit code that is awaited is a success, and another is not" $ do
        (code, _, err) <- lab ["compare", "--rounds", "2", "--exit", "3", "--", "exit 3"]
        (code, err) @?= (ExitSuccess, "")
        (other, _, said) <- lab ["compare", "--rounds", "2", "--exit", "3", "--", "true"]
        assertBool
          (show (other, said))
          ( other == ExitFailure 1
              && "failed with status 0" `isInfixOf` said
          ),
      complains
        "a parameter that no command has"
        ["compare", "--over", "n=1,2", "--", "seq 3"]
        2
        "no command has {n} in it",
      complains
        "a parameter twice"
        [ "compare",
          "--over",
          "n=1",
          "--over",
          "n=2",
          "--",
          "seq {n}"
        ]
        2
        "given twice",
      complains
        "parameters without programs"
        ["compare", "--over", "n=1,2", "--record", "ints5"]
        2
        "give them after --",
      complains
        "codecs and programs at once"
        ["compare", "--record", "ints5", "--", "true"]
        2
        "not compared with each other",
      complains
        "--resume without a name"
        ["compare", "--resume", "--", "true"]
        2
        "--resume needs --save",
      complains "an empty command" ["compare", "--", ""] 2 "a command is empty",
      complains
        "a result that is not there"
        ["diff", "never"]
        1
        "tern-lab-saved/never.json: no such file",
      testCase "floor says what it measured and from where on a difference is certain" $ do
        (code, out, err) <- lab ["floor", "--rounds", "10", "--batch", "1"]
        (code, err) @?= (ExitSuccess, "")
        assertBool
          out
          ( all
              (`isInfixOf` out)
              [ "arithmetic",
                "starting a shell",
                "10 rounds",
                "would have been certain"
              ]
          )
    ]
  where
    inFolder name act = testCase name (withSystemTempDirectory "programs" act)
    within folder arguments = do
      program <- labProgram
      readCreateProcessWithExitCode ((proc program arguments) {cwd = Just folder}) ""
    -- A preparation before each other line.
    cycle' calls = concat [["p", call] | call <- calls, call /= "p"]
    plan =
      Plan
        { commands =
            ["seq {n}"],
          over = [],
          prepare = Nothing,
          rounds = 2,
          warmUp = 1,
          exits = [0],
          timeLimit = Nothing,
          instructions = False
        }
