{-# LANGUAGE OverloadedStrings #-}

-- | A C program over WASI, built by clang when the tests run: what it is given it
-- can use, and nothing else.
module Tern.Wasm.WasiTest
  ( tests,
  )
where

import Control.Monad (unless)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import System.Directory (createDirectory, createFileLink, findExecutable)
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import System.Posix.IO (closeFd, createFile)
import System.Process (readProcessWithExitCode)
import Tern.Wasm
import Tern.Wasm.Expected (orFail)
import Tern.Wasm.Wasi (Wasi (..), defaultWasi, newWasi, wasiExitCode, wasiImports, wasiMemory)
import Test.Tasty (TestTree)
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testCaseInfo "a C program over WASI" $
    findExecutable "clang" >>= \case
      Nothing -> pure "skipped: clang is not installed, 0 cases ran"
      Just _ -> withSystemTempDirectory "tern-wasm" $ \folder -> do
        let file = folder </> "hello.wasm"
        (code, _, complaints) <-
          readProcessWithExitCode
            "clang"
            [ "--target=wasm32-wasi",
              "-O2",
              "-o",
              file,
              "test/programs/hello.c"
            ]
            ""
        case code of
          ExitFailure _ ->
            pure ("skipped: clang has no WASI here, 0 cases ran: " <> take 200 complaints)
          ExitSuccess -> "ran" <$ runIt folder file

runIt :: FilePath -> FilePath -> Assertion
runIt folder file = do
  let given = folder </> "given"
  createDirectory given
  writeFile (folder </> "secret") "not for the program"
  createFileLink (folder </> "secret") (given </> "link")
  m <- B.readFile file >>= load >>= orFail
  store <- newStore defaultSettings
  stream <- createFile (folder </> "output") 0o600
  st <-
    newWasi
      defaultWasi
        { wasiStreams =
            (stream, stream, stream),
          wasiArguments = ["hello", "one", "two"],
          wasiEnvironment = [("NAME", "tern")],
          wasiFolders = [("/data", given)],
          wasiClocks = False
        }
  i <- wasiImports store st >>= instantiate store m >>= orFail
  wasiMemory st i
  _ <- invoke i "_start" []
  closeFd stream
  output <- B.readFile (folder </> "output")
  wasiExitCode st >>= (@?= Just 7)
  let expected =
        BC.unlines
          [ "argument one",
            "argument two",
            "NAME is tern, HOME is unknown",
            "read back written 3.142",
            "/data/../secret: Capabilities insufficient",
            "/data/link: Capabilities insufficient",
            "/data/missing: No such file or directory",
            "4 entries",
            "the clock stands"
          ]
  unless (output == expected) (assertFailure (BC.unpack output))
