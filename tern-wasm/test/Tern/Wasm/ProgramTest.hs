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
        ]
    ]
  where
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
withModule use =
  withSystemTempDirectory "tern-wasm" $ \folder -> do
    let file = folder </> "module.wat"
    writeFile file "(module (func (export \"one\") (result i32) i32.const 1))"
    use file

-- | The program with these arguments, its output led there.
onto :: FilePath -> [String] -> IO (ExitCode, String, String)
onto device arguments = do
  program <- programCalled "tern-wasm"
  readProcessWithExitCode
    "sh"
    (["-c", "exec \"$0\" \"$@\" >" <> device, program] <> arguments)
    ""
