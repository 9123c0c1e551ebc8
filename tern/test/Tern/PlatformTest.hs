-- | The codecs' C compiles for the machines that they are for, and for no other.
--
-- clang compiles for any machine without its libraries, as long as no header of
-- theirs is wanted.
module Tern.PlatformTest (tests) where

import Data.List (isInfixOf)
import System.Directory (findExecutable)
import System.Exit (ExitCode (..))
import System.Process (readProcessWithExitCode)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "platforms"
    [ testGroup
        "a compiler for another machine refuses"
        [ refused "big-endian, 64 bits" "s390x-linux-gnu" "little-endian",
          refused "big-endian, 64 bits, another" "powerpc64-linux-gnu" "little-endian",
          refused "little-endian, 32 bits" "i386-linux-gnu" "64-bit",
          refused "pointers of 32 bits on a 64-bit machine" "x86_64-linux-gnux32" "64-bit",
          refused "WebAssembly" "wasm32" "64-bit"
        ],
      testGroup "a compiler for these agrees" $
        map
          agreed
          [ "x86_64-linux-gnu",
            "aarch64-linux-gnu",
            "riscv64-linux-gnu",
            "powerpc64le-linux-gnu",
            "arm64-apple-darwin",
            "x86_64-pc-windows-gnu"
          ]
    ]

refused :: TestName -> String -> String -> TestTree
refused name target because = compiled name target $ \case
  (ExitFailure _, said) -> assertBool said (because `isInfixOf` said)
  (ExitSuccess, _) -> assertFailure "it was compiled"

agreed :: String -> TestTree
agreed target = compiled target target $ \case
  (ExitSuccess, _) -> pure ()
  (ExitFailure _, said) -> assertFailure said

compiled :: TestName -> String -> ((ExitCode, String) -> Assertion) -> TestTree
compiled name target check = testCaseInfo name $ do
  clang <- findExecutable "clang"
  case clang of
    Nothing -> pure "skipped: clang is not installed"
    Just _ -> do
      (code, _, said) <-
        readProcessWithExitCode
          "clang"
          [ "--target="
              <> target,
            "-fsyntax-only",
            "cbits/tern_platform.c"
          ]
          ""
      check (code, said)
      pure ""
