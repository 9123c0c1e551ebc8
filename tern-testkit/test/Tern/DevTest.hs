-- | What @.\/dev@ says to a command line that makes no sense, before it makes
-- anything ready.
module Tern.DevTest (tests) where

import Data.List (isInfixOf)
import Data.Maybe (fromMaybe)
import System.Directory (doesPathExist, getPermissions, setOwnerExecutable, setPermissions)
import System.Environment (getEnvironment, lookupEnv)
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import System.Process (CreateProcess (..), proc, readCreateProcessWithExitCode)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (assertBool, testCase, (@?=))

tests :: TestTree
tests =
  testGroup
    "dev"
    [ refuses "an unknown command" [] ["frobnicate"] "unknown command 'frobnicate'",
      refuses
        "an argument too many"
        []
        ["lint", "everything"]
        "lint takes no argument, got 'everything'",
      refuses "run without a command" [] ["run"] "run needs a command",
      refuses
        "an unknown toolchain"
        [("TERN_TOOLCHAIN", "magic")]
        ["build"]
        "TERN_TOOLCHAIN is 'magic'",
      refuses "an unknown level" [("TERN_OPTIMISE", "9")] ["build"] "TERN_OPTIMISE is '9'",
      refuses
        "suites that are not there"
        [("TERN_SUITES", "no/such")]
        ["test"]
        "TERN_SUITES names no folder",
      refuses
        "an option that a release has not"
        [("TERN_TOOLCHAIN", "host")]
        ["release", "--frobnicate"]
        "release has no option '--frobnicate'",
      testCase "without root the private toolchain is refused before anything is done" $
        withSystemTempDirectory "dev" $ \folder -> do
          writeFile (folder </> "id") "#!/bin/sh\necho 1000\n"
          getPermissions (folder </> "id")
            >>= setPermissions (folder </> "id") . setOwnerExecutable True
          path <- fromMaybe "" <$> lookupEnv "PATH"
          let place = folder </> "toolchains"
          (code, _, err) <-
            dev
              [ ("PATH", folder <> ":" <> path),
                ("TERN_TOOLCHAIN", "private"),
                ("TERN_TOOLCHAIN_DIR", place)
              ]
              ["setup"]
          code @?= ExitFailure 1
          assertBool err ("needs root, and nothing was done" `isInfixOf` err)
          doesPathExist place >>= (@?= False),
      refuses
        "a command that the second compiler is not asked for"
        []
        ["matrix", "frobnicate"]
        "matrix knows no command 'frobnicate'",
      testGroup
        "help is a success, and makes nothing ready"
        [ testCase (unwords arguments) $ withSystemTempDirectory "dev" $ \folder -> do
            let place = folder </> "toolchains"
            (code, out, _) <-
              dev [("TERN_TOOLCHAIN", "private"), ("TERN_TOOLCHAIN_DIR", place)] arguments
            code @?= ExitSuccess
            assertBool out ("./dev demo" `isInfixOf` out)
            doesPathExist place >>= (@?= False)
          | arguments <-
              [["help"]]
                <> [ [verb, "--help"]
                     | verb <- ["build", "coverage", "demo", "fuzz", "matrix", "setup", "test"]
                   ]
        ]
    ]
  where
    refuses name variables arguments needle = testCase (name <> " is refused with exit code 2") $ do
      (code, _, err) <- dev variables arguments
      code @?= ExitFailure 2
      assertBool err (needle `isInfixOf` last ("" : lines err))

-- | From this folder, as if outside the toolchain.
dev :: [(String, String)] -> [String] -> IO (ExitCode, String, String)
dev variables arguments = do
  now <- getEnvironment
  let fixed = filter ((`notElem` ("TERN_INSIDE" : map fst variables)) . fst) now
  readCreateProcessWithExitCode (proc "../dev" arguments) {env = Just (variables <> fixed)} ""
