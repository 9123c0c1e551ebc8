{-# LANGUAGE OverloadedStrings #-}

-- | The scripts in @test/scripts@, written after the specification's third
-- edition: every assertion holds, and every module prints as text that reads as
-- the same module.
module Tern.Wasm.ScriptTest
  ( tests,
  )
where

import Control.Monad (forM)
import Data.ByteString qualified as B
import Data.List (isSuffixOf, sort)
import Data.Text qualified as T
import Data.Text.Encoding (encodeUtf8)
import System.Directory (listDirectory)
import System.FilePath (dropExtension, (</>))
import Tern.Wasm (Loading (..), Tier (..), available, defaultLoading, defaultSettings)
import Tern.Wasm.Text.Parse (assemble, assembleFields, renderTextError)
import Tern.Wasm.Text.Print (printModule)
import Tern.Wasm.Text.Script (Outcome (..), runScriptWith)
import Tern.Wasm.Text.Tree (Tree (..), readTrees)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit

tests :: IO TestTree
tests = do
  names <- sort . filter (".wast" `isSuffixOf`) <$> listDirectory folder
  pure (testGroup "scripts" (map script names))

folder :: FilePath
folder = "test/scripts"

script :: FilePath -> TestTree
script name = testCaseInfo (dropExtension name) $ do
  source <- B.readFile (folder </> name)
  runs <- forM (Interpreter : concat [[NativeCode, Auto] | available]) $ \tier -> do
    outcomes <-
      runScriptWith defaultLoading {loadingTier = tier} defaultSettings source
        >>= either (assertFailure . T.unpack) pure
    let complaints =
          [ T.pack (show (outcomeLine o)) <> ": " <> outcomeKind o <> ": " <> c
            | o <-
                outcomes,
              Just c <- [outcomeComplaint o]
          ]
    assertBool (show tier <> ": " <> T.unpack (T.unlines complaints)) (null complaints)
    pure (length outcomes)
  trees <- either (assertFailure . show) pure (readTrees source)
  let modules =
        [ bytes
          | List _ (Atom _ "module" : fields) <-
              trees,
            Right bytes <- [assembleFields (dropWhile named fields)]
        ]
  mapM_ reprinted modules
  pure
    ( show (sum runs)
        <> " commands, in "
        <> show (length runs)
        <> " tiers, "
        <> show (length modules)
        <> " modules printed"
    )
  where
    named = \case
      Atom _ _ -> True
      _ -> False

reprinted :: B.ByteString -> Assertion
reprinted bytes = do
  text <- either (assertFailure . show) pure (printModule bytes)
  again <-
    either
      ( assertFailure
          . T.unpack
          . renderTextError (encodeUtf8 text)
      )
      pure
      (assemble (encodeUtf8 text))
  fmap T.unpack (printModule again) @?= Right (T.unpack text)
