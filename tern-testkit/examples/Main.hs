-- | Every example of the documentation gives the answer that stands under it.
--
-- The interpreter learns of the packages from the environment that
-- @cabal exec@ makes; @.\/dev test@ runs this suite inside one. Without it the
-- suite skips what it cannot run.
module Main (main) where

import Control.Monad (filterM, unless)
import Data.ByteString qualified as B
import Data.List (intercalate, isInfixOf, isPrefixOf, sort)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import System.Directory (doesFileExist, listDirectory)
import System.Environment (lookupEnv)
import System.Exit (ExitCode (..))
import System.FilePath (splitDirectories, takeExtension, (</>))
import System.IO.Temp (withSystemTempDirectory)
import System.Process (readProcessWithExitCode)
import Tern.House.Source (Module (..), readCheckout)
import Tern.Testkit.Examples
  ( Example (..),
    Examples (..),
    Outcome (..),
    Program (..),
    readExamples,
    readPrograms,
    runExamples,
    says,
  )
import Tern.Testkit.Tally (runInCheckout, skip)
import Test.Tasty
import Test.Tasty.HUnit

main :: IO ()
main = runInCheckout "examples" $ do
  modules <- filter documented <$> readCheckout ".."
  found <-
    mapM (\m -> (,) (moduleName m) . readExamples <$> readText (".." </> modulePath m)) modules
  let asked = [(name, examples) | (name, examples) <- found, not (null (shown examples))]
  pages <- mapM (\path -> (,) path . readPrograms <$> readText (".." </> path)) =<< markdown
  environment <- lookupEnv "GHC_ENVIRONMENT"
  case environment of
    Nothing -> pure (skip "examples" "no package environment; run ./dev test")
    Just _ -> do
      answered <- runExamples asked
      pure . testGroup "examples" $
        [testGroup name (map (uncurry example) results) | (name, results) <- answered]
          <> [ testGroup path (zipWith program [1 :: Int ..] programs)
               | (path, programs) <-
                   pages,
                 not (null programs)
             ]
  where
    documented m =
      not
        ( any
            (`elem` ["test", "bench", "app", "examples"])
            (take 1 (drop 1 (splitDirectories (modulePath m))))
        )
    example ask said = testCase (intercalate "; " (question ask)) $ do
      unless (says (answer ask) said) $
        assertFailure
          ( concat
              [ "line ",
                show (exampleLine ask),
                ": the page says\n",
                unlines (answer ask),
                "and the code says\n",
                unlines said
              ]
          )
    program number Program {programText, programOutcome} = testCase ("program " <> show number) $
      withSystemTempDirectory "program" $ \folder -> do
        let path = folder </> "Main.hs"
        B.writeFile path (T.encodeUtf8 (T.pack programText))
        (code, out, err) <-
          readProcessWithExitCode
            "ghc"
            [ "-v0",
              "-XGHC2021",
              "-outputdir",
              folder,
              "-o",
              folder
                </> "main",
              path
            ]
            ""
        case programOutcome of
          Prints expected -> do
            (code, out <> err) @?= (ExitSuccess, "")
            ran <- readProcessWithExitCode (folder </> "main") [] ""
            ran @?= (ExitSuccess, expected, "")
          Refused expected -> do
            code @?= ExitFailure 1
            -- The compiler breaks its lines where it likes.
            assertBool
              (out <> err)
              ( unwords (words expected)
                  `isInfixOf` unwords (words (out <> err))
              )

readText :: FilePath -> IO String
readText path = T.unpack . T.decodeUtf8Lenient <$> B.readFile path

-- | The pages whose programs are run.
markdown :: IO [FilePath]
markdown = do
  pages <-
    mapM
      ( \folder ->
          map (folder </>) . filter isPage <$> listDirectory (".." </> folder)
      )
      ["docs/how-to", "docs/spec"]
  folders <- sort . filter ("tern" `isPrefixOf`) <$> listDirectory ".."
  own <- filterM (doesFileExist . (".." </>)) (map (</> "README.md") folders)
  pure ("README.md" : concat pages <> own)
  where
    isPage name = takeExtension name == ".md" && not ("." `isPrefixOf` name)
