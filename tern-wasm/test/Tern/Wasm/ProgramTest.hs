-- | The program as people run it: what it writes arrives, or its end says that it did not.
module Tern.Wasm.ProgramTest (tests) where

import Data.List (isInfixOf, isSuffixOf)
import System.Exit (ExitCode (..))
import System.FilePath (takeDirectory, (</>))
import System.IO.Temp (withSystemTempDirectory)
import System.Process (readProcessWithExitCode)
import Tern.Testkit.Program (programCalled)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (assertBool, testCase, (@?=))

tests :: TestTree
tests =
  testGroup
    "the program"
    [ testGroup
        "what a full device does not take is an error"
        [ testCase name . withModule $ \file -> do
            (code, out, err) <- onto "/dev/full" (arguments file)
            (code, out, length (lines err)) @?= (ExitFailure 1, "", 1)
            assertBool err ("No space left on device" `isInfixOf` err)
          | (name, arguments) <- written
        ],
      testGroup
        "what arrives is none"
        [ testCase name . withModule $ \file -> do
            (code, out, err) <- onto "/dev/stdout" (arguments file)
            (code, err) @?= (ExitSuccess, "")
            assertBool "nothing was written" (not (null out))
          | (name, arguments) <- written
        ],
      testGroup
        "what cannot be called is an error that says what can"
        [ testCase name . withModule $ \file -> do
            (code, out, err) <- onto "/dev/stdout" (arguments file)
            (code, out) @?= (ExitFailure status, "")
            assertBool err (wanted `isSuffixOf` err)
          | (name, status, arguments, wanted) <- refused
        ],
      testGroup
        "a file that cannot be read is an error that names it"
        [ testCase name . withModule $ \file -> do
            let folder = takeDirectory file
            (code, out, err) <- onto "/dev/stdout" (arguments folder)
            (code, out, err) @?= (ExitFailure 1, "", "tern-wasm: " <> folder <> wanted <> "\n")
          | (name, arguments, wanted) <- unread
        ],
      testGroup
        "a stream that was closed is none that a guest has"
        [ testCase name . withSource (streaming function number) $ \file -> do
            (code, out, _) <- shell ("exec \"$0\" run \"$1\" " <> closed) [file]
            -- EBADF
            (code, out) @?= (ExitFailure 8, "")
          | (name, function, number, closed) <-
              [ ("input", "fd_read", 0 :: Int, "<&-"),
                ("output", "fd_write", 1, ">&-"),
                ("errors", "fd_write", 2, "2>&-"),
                ("all, and input", "fd_read", 0, "<&- >&- 2>&-"),
                ("all, and output", "fd_write", 1, "<&- >&- 2>&-"),
                ("all, and errors", "fd_write", 2, "<&- >&- 2>&-")
              ]
        ],
      testCase "what is written to a closed output is an error" . withModule $ \file -> do
        (code, out, err) <- shell "exec \"$0\" print \"$1\" >&-" [file]
        (code, out) @?= (ExitFailure 1, "")
        assertBool err ("Bad file descriptor" `isInfixOf` err),
      testGroup
        "what a guest is given are the bytes of the command line"
        [ testCase locale . withSource echoing $ \file -> do
            (code, out, err) <-
              shell
                ( "LC_ALL="
                    <> locale
                    <> " \"$0\" run \"$1\" \"$(printf 'a\\303\\251\\377')\" | od -An -tx1"
                )
                [file]
            (code, err) @?= (ExitSuccess, "")
            -- The module's name, and then the argument, each with a 0 after it.
            unwords (words out) @?= "6d 6f 64 75 6c 65 2e 77 61 74 00 61 c3 a9 ff 00"
          | locale <- ["C", "C.UTF-8", "POSIX"]
        ],
      testGroup
        "a bound that cannot be kept is an error that says which can"
        [ testCase (unwords option) . withModule $ \file -> do
            (code, out, err) <- onto "/dev/stdout" (["run", file] <> option)
            (code, out) @?= (ExitFailure status, "")
            assertBool err (wanted `isInfixOf` err)
          | (option, status, wanted) <-
              [ (["--fuel=-1"], 2, "option --fuel: expected a whole number from 0 to"),
                ( ["--fuel=18446744073709551617"],
                  2,
                  "option --fuel: expected a whole number from 0 to"
                ),
                ( ["--max-memory=65537"],
                  2,
                  "expected a whole number from 0 to 65536, found \"65537\""
                ),
                (["--stack=0"], 2, "option --stack: expected a whole number from 4096 to"),
                ( ["--stack=9223372036854775807"],
                  1,
                  "there is no memory for a stack of 9223372036854775807 bytes"
                ),
                (["--timeout=NaN"], 2, "option --timeout: expected seconds, 0 or more"),
                (["--timeout=-1"], 2, "option --timeout: expected seconds, 0 or more"),
                (["--timeout=1e400"], 2, "option --timeout: expected seconds, 0 or more")
              ]
        ],
      testGroup
        "arguments of a call are numbers of the text format, and fit"
        [ testCase (unwords given) . withSource identities $ \file -> do
            (code, out, err) <-
              onto "/dev/stdout" (["invoke", "-w", file, "-f", "f", "--"] <> given)
            (code, lines out) @?= either (const (ExitFailure 2, [])) (ExitSuccess,) wanted
            either (\w -> assertBool err (w `isInfixOf` err)) (const (err @?= "")) wanted
          | (given, wanted) <-
              [ ( ["-1", "0xff", "0x1p-3", "-inf"],
                  Right ["i32:4294967295", "i64:255", "f32:0.125", "f64:-Infinity"]
                ),
                ( ["4294967295", "-9223372036854775808", "0.1", "1e308"],
                  Right ["i32:4294967295", "i64:9223372036854775808", "f32:0.1", "f64:1.0e308"]
                ),
                (["4294967296", "0", "0", "0"], Left "expected a number of i32"),
                (["0", "18446744073709551616", "0", "0"], Left "expected a number of i64"),
                (["0", "0", "1e39", "0"], Left "expected a number of f32"),
                (["0", "0", "0", "one"], Left "expected a number of f64"),
                (["", "0", "0", "0"], Left "expected a number of i32")
              ]
        ]
    ]
  where
    identities =
      "(module (func (export \"f\") (param i32 i64 f32 f64) (result i32 i64 f32 f64) \
      \local.get 0 local.get 1 local.get 2 local.get 3))"
    streaming function number =
      wasi [(function, 4)] $
        "(func (export \"_start\") (call $proc_exit (call $"
          <> function
          <> " (i32.const "
          <> show number
          <> ") (i32.const 0) (i32.const 1) (i32.const 32))))\
             \(data (i32.const 0) \"\\10\\00\\00\\00\\02\\00\\00\\00\")"
    -- Its arguments are written as they lie in memory.
    echoing =
      wasi
        [("args_sizes_get", 2), ("args_get", 2), ("fd_write", 4)]
        "(func (export \"_start\")\
        \ (drop (call $args_sizes_get (i32.const 0) (i32.const 12)))\
        \ (drop (call $args_get (i32.const 64) (i32.const 1024)))\
        \ (i32.store (i32.const 8) (i32.const 1024))\
        \ (drop (call $fd_write (i32.const 1) (i32.const 8) (i32.const 1) (i32.const 32))))"
    wasi functions body =
      "(module "
        <> concat
          [ "(import \"wasi_snapshot_preview1\" \""
              <> f
              <> "\" (func $"
              <> f
              <> " (param"
              <> concat (replicate n " i32")
              <> ")"
              <> (if f == "proc_exit" then "" else " (result i32)")
              <> "))"
            | (f, n) <- functions <> [("proc_exit", 1 :: Int)]
          ]
        <> "(memory (export \"memory\") 1)"
        <> body
        <> ")"
    refused =
      [ ( "a function that is not there",
          1,
          \file -> ["invoke", "-w", file, "-f", "t\ESCwo"],
          "it exports no function \"t?wo\"; tern-wasm invoke calls \"one\"\n"
        ),
        ( "a module that is no program",
          1,
          \file -> ["run", file],
          ": it is no WASI program; it exports no function \"_start\"; tern-wasm invoke calls \
          \\"one\"\n"
        ),
        ( "a number of arguments",
          2,
          \file -> ["invoke", "-w", file, "-f", "one", "1", "2"],
          "the function takes []; arguments given: 2\n"
        )
      ]
    unread =
      [ ( "none",
          \folder -> ["validate", folder </> "none.wasm"],
          "/none.wasm: there is no such file or folder"
        ),
        ("a folder", \folder -> ["run", folder], ": is a directory"),
        ( "a script that is not there",
          \folder -> ["wast", folder </> "none.wast"],
          "/none.wast: there is no such file or folder"
        )
      ]
    written =
      [ ("help", const ["--help"]),
        ("the version", const ["--version"]),
        ("a module", \file -> ["print", file])
      ]

withModule :: (FilePath -> IO a) -> IO a
withModule = withSource "(module (func (export \"one\") (result i32) i32.const 1))"

withSource :: String -> (FilePath -> IO a) -> IO a
withSource source use =
  withSystemTempDirectory "tern-wasm" $ \folder -> do
    let file = folder </> "module.wat"
    writeFile file source
    use file

-- | The program with these arguments, its output led there.
onto :: FilePath -> [String] -> IO (ExitCode, String, String)
onto device = shell ("exec \"$0\" \"$@\" >" <> device)

-- | A command for the shell, whose @$0@ is the program.
shell :: String -> [String] -> IO (ExitCode, String, String)
shell command arguments = do
  program <- programCalled "tern-wasm"
  readProcessWithExitCode "sh" (["-c", command, program] <> arguments) ""
