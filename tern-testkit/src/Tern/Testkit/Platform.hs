-- | A package's C compiles for the machines that the package is for, and for no other.
--
-- The idea: one file of C has the guards and includes nothing. clang compiles such a file
-- for any machine, without that machine's libraries.
module Tern.Testkit.Platform
  ( platforms,
  )
where

import Data.List (isInfixOf)
import System.Directory (findExecutable)
import System.Exit (ExitCode (..))
import System.Process (readProcessWithExitCode)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (Assertion, assertBool, assertFailure, testCaseInfo)
import Test.Tasty.Providers (TestName)

-- | The cases of the file with a package's guards, from the package's folder.
platforms :: FilePath -> TestTree
platforms file =
  testGroup
    "platforms"
    [ testGroup
        "a compiler for another machine refuses"
        [ refused file "big-endian, 64 bits" "s390x-linux-gnu" "little-endian",
          refused file "big-endian, 64 bits, another" "powerpc64-linux-gnu" "little-endian",
          refused file "little-endian, 32 bits" "i386-linux-gnu" "64-bit",
          refused file "pointers of 32 bits on a 64-bit machine" "x86_64-linux-gnux32" "64-bit",
          refused file "WebAssembly" "wasm32" "64-bit"
        ],
      testGroup "a compiler for these agrees" $
        map
          (agreed file)
          [ "x86_64-linux-gnu",
            "aarch64-linux-gnu",
            "riscv64-linux-gnu",
            "powerpc64le-linux-gnu",
            "arm64-apple-darwin",
            "x86_64-pc-windows-gnu"
          ]
    ]

refused :: FilePath -> TestName -> String -> String -> TestTree
refused file name target because = compiled file name target $ \case
  (ExitFailure _, said) -> assertBool said (because `isInfixOf` said)
  (ExitSuccess, _) -> assertFailure "it was compiled"

agreed :: FilePath -> String -> TestTree
agreed file target = compiled file target target $ \case
  (ExitSuccess, _) -> pure ()
  (ExitFailure _, said) -> assertFailure said

compiled :: FilePath -> TestName -> String -> ((ExitCode, String) -> Assertion) -> TestTree
compiled file name target check = testCaseInfo name $ do
  clang <- findExecutable "clang"
  case clang of
    Nothing -> pure "skipped: clang is not installed"
    Just _ -> do
      (code, _, said) <-
        readProcessWithExitCode "clang" ["--target=" <> target, "-fsyntax-only", file] ""
      "" <$ check (code, said)
