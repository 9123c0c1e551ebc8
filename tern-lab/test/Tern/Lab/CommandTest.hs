{-# LANGUAGE OverloadedStrings #-}

-- | The program as people run it: output, complaints, exit codes.
module Tern.Lab.CommandTest (tests) where

import Control.Concurrent (threadDelay)
import Control.Monad (when)
import Data.ByteString.Char8 qualified as BC
import Data.List (isInfixOf)
import System.Directory
  ( createDirectory,
    createFileLink,
    doesFileExist,
    findExecutable,
    pathIsSymbolicLink,
  )
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import System.IO (hClose)
import System.IO.Temp (withSystemTempDirectory, withSystemTempFile, withTempDirectory)
import System.Process
  ( CreateProcess (..),
    StdStream (..),
    callProcess,
    createProcess,
    proc,
    readCreateProcessWithExitCode,
    readProcessWithExitCode,
    terminateProcess,
    waitForProcess,
    withCreateProcess,
  )
import Tern.Lab.Program (complains, lab, labProgram)
import Tern.Lab.Result
  ( Comparison (..),
    Cost (..),
    Decoded (..),
    Library (..),
    Machine (..),
    Results (..),
    Row (..),
    decodeResults,
    encodeResults,
  )
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "command"
    [ testCase "compare --json prints one line that reads back" $ do
        (code, out, err) <- lab (["compare", "--record", "ints5", "--json"] <> quickly)
        (code, err) @?= (ExitSuccess, "")
        length (lines out) @?= 1
        case decodeResults (BC.pack out) of
          Left message -> assertFailure (show message)
          Right results -> map subject (comparisons results) @?= ["ints5"],
      testCase "compare --save has lost nothing when it is stopped" . withDocument "" $ \path -> do
        program <- labProgram
        (_, _, _, handle) <-
          createProcess
            ( proc
                program
                ( ["compare", "--record", "ints5", "--record", "everything", "--save", path]
                    <> quickly
                )
            )
              { std_out = CreatePipe
              }
        let saved = either (const []) comparisons . decodeResults <$> BC.readFile path
            waiting :: Int -> IO ()
            waiting n = do
              so <- saved
              when (null so && n > 0) (threadDelay 100000 >> waiting (n - 1))
        waiting 600
        terminateProcess handle
        _ <- waitForProcess handle
        left <- saved
        map subject (take 1 left) @?= ["ints5"],
      complains
        "a file that cannot be written"
        [ "compare",
          "--record",
          "ints5",
          "--save",
          "no/such/results.json"
        ]
        1
        "no/such/results.json",
      testGroup
        "what is no regular file is written into, and never replaced"
        [ testGroup
            (unwords (take 1 arguments <> [option]))
            [ beside "a link to a file" $ \path -> do
                writeFile (path <> "-target") "before"
                createFileLink "out-target" path
                (code, _, err) <- lab (arguments <> [option, path])
                (code, err) @?= (ExitSuccess, "")
                pathIsSymbolicLink path >>= (@? "the link is gone")
                BC.readFile (path <> "-target") >>= \bytes -> assertBool (show bytes) (holds bytes),
              device "a device that is full" "7" $ \path -> do
                (code, _, err) <- lab (arguments <> [option, path])
                (code, length (lines err)) @?= (ExitFailure 1, 1)
                assertBool
                  err
                  (("tern-lab: " <> path <> ": resource exhausted") `isInfixOf` err),
              device "a device that takes all" "3" $ \path -> do
                (code, _, err) <- lab (arguments <> [option, path])
                (code, err) @?= (ExitSuccess, ""),
              beside "a pipe that somebody reads gets all, once" $ \path -> do
                callProcess "mkfifo" [path]
                withCreateProcess
                  ( proc
                      "sh"
                      ["-c", "exec cat \"$0\" > \"$0-read\"", path]
                  )
                  $ \_ _ _ reader -> do
                    (code, _, err) <- lab (arguments <> [option, path])
                    (code, err) @?= (ExitSuccess, "")
                    callProcess "test" ["-p", path]
                    waitForProcess reader >>= (@?= ExitSuccess)
                bytes <- BC.readFile (path <> "-read")
                assertBool (show bytes) (holds bytes && once bytes),
              beside "a pipe whose reader comes a moment later" $ \path -> do
                callProcess "mkfifo" [path]
                withCreateProcess
                  (proc "sh" ["-c", "sleep 0.4; exec cat \"$0\" > \"$0-read\"", path])
                  $ \_ _ _ reader -> do
                    (code, _, err) <- lab (arguments <> [option, path])
                    (code, err) @?= (ExitSuccess, "")
                    waitForProcess reader >>= (@?= ExitSuccess)
                bytes <- BC.readFile (path <> "-read")
                assertBool (show bytes) (holds bytes && once bytes),
              beside "a pipe that nobody reads" $ \path -> do
                callProcess "mkfifo" [path]
                -- Before anything is measured: tables would be printed.
                (code, out, err) <- lab (arguments <> [option, path])
                (code, out, length (lines err)) @?= (ExitFailure 1, "", 1)
                assertBool err ("nobody reads it" `isInfixOf` err)
                doesFileExist path >>= (@? "the pipe is gone"),
              beside "a name that is too long" $ \path -> do
                (code, out, err) <- lab (arguments <> [option, path <> replicate 300 'a'])
                (code, out, length (lines err)) @?= (ExitFailure 1, "", 1),
              beside "a folder that takes no files" $ \_ -> do
                (code, out, err) <- lab (arguments <> [option, "/proc/out"])
                (code, out, length (lines err)) @?= (ExitFailure 1, "", 1),
              beside "a folder" $ \path -> do
                createDirectory path
                (code, out, err) <- lab (arguments <> [option, path])
                (code, out, length (lines err)) @?= (ExitFailure 1, "", 1)
                assertBool err ("it is a folder" `isInfixOf` err)
            ]
          | let twice = ["compare", "--record", "ints5", "--record", "mixed"] <> quickly,
            (arguments, option, holds, once) <-
              [ ( twice,
                  "--html",
                  BC.isInfixOf "mixed",
                  (== 1)
                    . length
                    . filter (BC.isInfixOf "</html>")
                    . BC.lines
                ),
                ( twice,
                  "--svg",
                  BC.isInfixOf "mixed",
                  (== 1) . length . filter (BC.isInfixOf "</svg>") . BC.lines
                ),
                ( twice,
                  "--save",
                  BC.isInfixOf "\"mixed\"",
                  either (const False) ((== 2) . length . comparisons)
                    . decodeResults
                )
              ]
        ],
      testCase "compare prints its tables and nothing else into a pipe" $ do
        (code, out, err) <- lab (["compare", "--record", "mixed"] <> quickly)
        (code, err) @?= (ExitSuccess, "")
        assertBool
          out
          ( "cannot see below" `isInfixOf` out
              && '\ESC' `notElem` out
              && '\r' `notElem` out
          ),
      testCase
        "compare measures a document"
        . withDocument "{\"x\":1,\"y\":\"a\",\"z\":false}"
        $ \path -> do
          (code, out, _) <- lab (["compare", path, "--type", "mixed", "--markdown"] <> quickly)
          code @?= ExitSuccess
          assertBool out (path `isInfixOf` out),
      testCase
        "compare decodes the document itself, white space and all"
        . withDocument "{ \"x\" : 1,  \"y\" : \"a\",  \"z\" : false }"
        $ \path -> do
          (code, out, err) <- lab (["compare", path, "--type", "mixed", "--json"] <> quickly)
          (code, err) @?= (ExitSuccess, "")
          results <- either (assertFailure . show) pure (decodeResults (BC.pack out))
          let read' = [(codecFormat row, decodes row) | one <- comparisons results, row <- rows one]
          length read' @?= 7
          [given | (Just "json", Just given) <- read'] @?= replicate 4 (Decoded True 37)
          [fromFile given | (format, Just given) <- read', format /= Just "json"]
            @?= [False, False, False]
          (_, table, _) <- lab (["compare", path, "--type", "mixed"] <> quickly)
          assertBool table ("the file, 37 B" `isInfixOf` table && "its own, " `isInfixOf` table),
      testCase "compare measures many values that are kept beside the one" $ do
        (code, out, err) <- lab (["compare", "--record", "ints5", "--many", "200"] <> quickly)
        (code, err) @?= (ExitSuccess, "")
        assertBool
          out
          ( "200 different ones, all results kept" `isInfixOf` out
              && "collector" `isInfixOf` out
          ),
      testCase "the same codec against itself is no winner" $ do
        (code, out, err) <-
          lab
            [ "compare",
              "--record",
              "ints5",
              "--codec",
              "tern",
              "--codec",
              "tern",
              "--rounds",
              "2",
              "--batch",
              "1"
            ]
        (code, err) @?= (ExitSuccess, "")
        assertBool
          out
          ( "tern (2)" `isInfixOf` out
              && "How fast? No difference is seen." `isInfixOf` out
          ),
      testCase "a result names the libraries' versions" $ do
        (_, out, _) <-
          lab (["compare", "--record", "ints5", "--codec", "tern", "--json"] <> quickly)
        results <- either (assertFailure . show) pure (decodeResults (BC.pack out))
        let found =
              [ name one
                | one <-
                    concat (libraries (machine results)),
                  Tern.Lab.Result.version one /= mempty
              ]
        found @?= ["aeson", "binary", "cereal", "store", "serialise", "cborg"],
      testCase
        "peak prints a number of bytes"
        . withDocument "{\"x\":1,\"y\":\"a\",\"z\":false}"
        $ \path -> do
          (code, out, _) <- lab ["peak", "mixed", "tern", path]
          code @?= ExitSuccess
          assertBool out (read out > (100000 :: Int)),
      testCase "grow says how hostile documents grow" $ do
        (code, out, err) <-
          lab
            ( ["grow", "--codec", "tern", "--codec", "tern-native", "--attack", "backslashes"]
                <> quickly
            )
        (code, err) @?= (ExitSuccess, "")
        assertBool
          out
          ( all
              (`isInfixOf` out)
              [ "backslashes, for a text",
                "attacks, each in several lengths",
                "64002 B"
              ]
          ),
      complains "an unknown attack" ["grow", "--attack", "nonesuch"] 2 "no attack has such a name",
      complains
        "times without what was measured"
        ["check", "--times", "accepted.json"]
        2
        "--times needs --measured",
      testCase
        "times that were accepted are held, and longer ones are found"
        . withSystemTempDirectory "times"
        $ \folder -> do
          program <- labProgram
          let within arguments =
                readCreateProcessWithExitCode (proc program arguments) {cwd = Just folder} ""
              measuring name =
                [ "compare",
                  "--record",
                  "ints5",
                  "--codec",
                  "tern",
                  "--rounds",
                  "12",
                  "--batch",
                  "1",
                  "--save",
                  folder </> name
                ]
          (measured, _, _) <- within (measuring "now.json")
          measured @?= ExitSuccess
          (accepted, _, said) <-
            within ["accept", "--measured", "now.json", "--times", "times.json"]
          (accepted, said) @?= (ExitSuccess, "")
          -- The same figures are within themselves; no other budget was asked for.
          doesFileExist (folder </> "tern-lab.budget") >>= (@?= False)
          (same, out, _) <- within ["check", "--measured", "now.json", "--times", "times.json"]
          (same, out) @?= (ExitSuccess, "within the budget\n")
          -- Every round takes three times as long.
          results <-
            either (assertFailure . show) pure . decodeResults
              =<< BC.readFile (folder </> "now.json")
          let longer cost = cost {samples = map (* 3) <$> samples cost}
              slower row = row {encode = longer (encode row)}
              slow =
                results
                  { comparisons =
                      [one {rows = map slower (rows one)} | one <- comparisons results]
                  }
          BC.writeFile (folder </> "slow.json") (encodeResults slow)
          (bad, shown, complaint) <-
            within ["check", "--measured", "slow.json", "--times", "times.json"]
          (bad, length (lines complaint)) @?= (ExitFailure 1, 1)
          assertBool shown ("CPU time" `isInfixOf` shown && "+200 %" `isInfixOf` shown)
          -- Of another machine nothing is said.
          BC.writeFile
            (folder </> "other.json")
            (encodeResults slow {machine = (machine slow) {processor = "another"}})
          (elsewhere, why, _) <-
            within ["check", "--measured", "other.json", "--times", "times.json"]
          elsewhere @?= ExitSuccess
          assertBool why ("another machine" `isInfixOf` why),
      complains "no verb" [] 2 "--help",
      complains "an unknown verb" ["frobnicate"] 2 "frobnicate",
      complains "an unknown option" ["compare", "--frobnicate"] 2 "tern-lab compare --help",
      complains
        "a number of rounds out of range"
        ["compare", "--rounds", "0"]
        2
        "expected 2 to 100000 rounds",
      complains "a document without a type" ["compare", "x.json"] 2 "--type NAME",
      complains
        "a demo without its documents"
        ["demo", "--all", "--documents", "no/such"]
        1
        "no/such/iso_639-3.json: no such file",
      testCase
        "the demo is one screen, with an error's place under its byte, and a page beside it"
        . withSystemTempDirectory "demo"
        $ \folder -> do
          program <- labProgram
          (code, out, err) <-
            readCreateProcessWithExitCode
              ( (proc program (["demo"] <> quickly))
                  { cwd = Just folder
                  }
              )
              ""
          (code, err) @?= (ExitSuccess, "")
          assertBool out (length (lines out) <= 24 && all ((<= 80) . length) (lines out))
          case break (isInfixOf "^") (lines out) of
            (before, caret : message : _) -> do
              let column = length (takeWhile (/= '^') caret)
              take 3 (drop column (concat (take 1 (reverse before)))) @?= "6.5"
              assertBool message ("$.readings[0].hour: expected an integer" `isInfixOf` message)
            _ -> assertFailure out
          assertBool
            out
            ( all
                (`isInfixOf` out)
                [ "JSON 53 B",
                  "native ",
                  "store",
                  "aeson-th",
                  "tern-lab-demo.html",
                  "--all"
                ]
            )
          page <- BC.readFile (folder </> "tern-lab-demo.html")
          assertBool "a page" ("everything: encode" `BC.isInfixOf` page),
      testCase
        "a demo without its documents says so, and shows the rest"
        . withSystemTempDirectory "demo"
        $ \folder -> do
          (code, out, _) <-
            lab
              ( ["demo", "--documents", folder, "--html", folder </> "none" </> "x.html"]
                  <> quickly
              )
          code @?= ExitSuccess
          assertBool
            out
            ( all
                (`isInfixOf` out)
                [ "no document to measure",
                  "write and read one record",
                  "No page: "
                ]
            ),
      complains
        "a document that is not there"
        ["compare", "no/such.json", "--type", "mixed"]
        1
        "no/such.json: no such file",
      testCase
        "a document of another type is one line that says where"
        . withDocument "{\"x\":1,\n\"y\":2}"
        $ \path -> do
          (code, out, err) <- lab ["compare", path, "--type", "mixed"]
          (code, out) @?= (ExitFailure 1, "")
          length (lines err) @?= 1
          assertBool err ("line 2, column 5" `isInfixOf` err && path `isInfixOf` err),
      testCase "a shell completes names of records" $ do
        (code, out, _) <-
          lab
            ( ["--bash-completion-index", "3"]
                <> concatMap
                  (\word -> ["--bash-completion-word", word])
                  ["tern-lab", "compare", "--record", "in"]
            )
        (code, lines out) @?= (ExitSuccess, ["ints5", "ints25"]),
      testCase "--help teaches, and is a success" $ do
        (code, out, _) <- lab ["compare", "--help"]
        code @?= ExitSuccess
        assertBool out ("Allocation is exact" `isInfixOf` out),
      testCaseInfo "--man is a page for man, with every verb's options" $ do
        (code, out, err) <- lab ["--man"]
        (code, err) @?= (ExitSuccess, "")
        assertBool
          out
          ( all
              (`isInfixOf` out)
              [ ".TH TERN-LAB 1",
                ".SH TERN-LAB COMPARE",
                "\\-\\-rounds N"
              ]
          )
        findExecutable "man" >>= \case
          Nothing -> pure "not shown by man, which is not on PATH"
          Just _ -> withDocument out $ \path -> do
            (shown, text, said) <- readProcessWithExitCode "man" ["--warnings", "-l", path] ""
            (shown, said) @?= (ExitSuccess, "")
            assertBool text ("--rounds N" `isInfixOf` text)
            pure "shown by man",
      testCase "--version says which" $ do
        (code, out, _) <- lab ["--version"]
        code @?= ExitSuccess
        assertBool out ("tern-lab 0." `isInfixOf` out && "compiled by ghc-" `isInfixOf` out)
    ]
  where
    quickly = ["--rounds", "2", "--batch", "1"]

-- | With a path in a folder of its own.
beside :: TestName -> (FilePath -> Assertion) -> TestTree
beside name act =
  testCase name (withSystemTempDirectory "beside" (\folder -> act (folder </> "out")))

-- | With a link to a device of its own, which is there after all: a program that is wrong would
-- take the system's away.
device :: TestName -> String -> (FilePath -> Assertion) -> TestTree
device name minor act = testCaseInfo name . withTempDirectory "/dev/shm" "device" $ \folder -> do
  let own = folder </> "device"
      path = folder </> "out"
  (made, _, _) <- readProcessWithExitCode "mknod" ["-m", "666", own, "c", "1", minor] ""
  (code, _, _) <- readProcessWithExitCode "sh" ["-c", ": >>\"$0\"", own] ""
  if (made, code) /= (ExitSuccess, ExitSuccess)
    then pure "skipped: making a device needs root, and a place for it"
    else do
      createFileLink own path
      act path
      pathIsSymbolicLink path >>= (@? "the link is gone")
      callProcess "test" ["-c", own]
      pure own

withDocument :: String -> (FilePath -> IO a) -> IO a
withDocument text use = withSystemTempFile "document.json" $ \path handle -> do
  BC.hPut handle (BC.pack text)
  hClose handle
  use path
