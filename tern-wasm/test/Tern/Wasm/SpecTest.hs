-- | The official suite: every command of every script, in order.
module Tern.Wasm.SpecTest
  ( tests,
  )
where

import Data.ByteString qualified as B
import Data.List (isInfixOf, isPrefixOf, sort)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import System.Directory (listDirectory)
import System.FilePath (takeFileName, (<.>), (</>))
import Tern.Testkit.Suites (suiteTest)
import Tern.Wasm.Binary (decode)
import Tern.Wasm.Script
import Tern.Wasm.Valid (Rules (..), validateBy)
import Test.Tasty (TestTree, testGroup)

tests :: TestTree
tests =
  testGroup
    "official suite"
    [ suiteTest version ("wasm" </> version) (runFolder version)
      | version <- ["spec-1.0", "spec-2.0"]
    ]

type Counts = Map String Int

runFolder :: String -> FilePath -> IO ([String], Int)
runFolder version folder = do
  names <- sort <$> listDirectory folder
  outcomes <- mapM (\n -> runScript version (folder </> n </> n <.> "json")) names
  let counts = Map.unionsWith (+) (map snd outcomes)
  putStrLn (version <> ": " <> unwords [k <> " " <> show n | (k, n) <- Map.toList counts])
  pure (concatMap fst outcomes, sum counts)

runScript :: String -> FilePath -> IO ([String], Counts)
runScript version path =
  readScript path >>= \case
    Left problem -> pure ([path <> ": " <> problem], Map.empty)
    Right script -> do
      outcomes <- mapM one (scriptCommands script)
      pure (concatMap fst outcomes, Map.fromListWith (+) [(k, 1) | (_, k) <- outcomes])
  where
    rules = if version == "spec-1.0" then Rules1 else Rules2
    folder = take (length path - length (takeFileName path)) path
    one (Command line verb) = do
      (kind, complaint) <- check verb
      let here = version <> " " <> takeFileName path <> " line " <> show line <> ", " <> kind <> ": "
      pure (map (here <>) complaint, kind)
    check = \case
      DefineModule _ file -> ("module",) . either pure (const []) <$> load file
      AssertInvalid file -> ("assert_invalid",) . either expectInvalid (const ["was accepted"]) <$> load file
      AssertMalformed file -> ("assert_malformed",) . either expectMalformed (const ["was accepted"]) <$> load file
      _ -> pure ("other", [])
    expectInvalid e = ["was " <> e | "malformed" `isPrefixOf` e]
    expectMalformed e = ["was " <> e | not ("malformed" `isPrefixOf` e), not tableByte]
      where
        -- The byte after call_indirect, reserved in 1.0, is a table's index in
        -- 2.0: another value is refused there too, but by validation.
        tableByte = "Unknown \"table\" 1" `isInfixOf` e && version == "spec-1.0"

    load file = do
      bytes <- B.readFile (folder </> file)
      pure $ case decode bytes of
        Left e -> Left ("malformed: " <> show e)
        Right m -> either (Left . ("invalid: " <>) . show) Right (validateBy rules m)
