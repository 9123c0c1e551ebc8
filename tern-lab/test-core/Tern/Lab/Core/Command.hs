{-# LANGUAGE OverloadedStrings #-}

-- | The command in a folder with a few files, and with the cache that the tests share.
module Tern.Lab.Core.Command
  ( lab,
    sharedCache,
    cacheWithPlugin,
  )
where

import Control.Monad (forM_)
import Data.ByteString qualified as B
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import System.Directory
  ( createDirectory,
    createDirectoryIfMissing,
    createDirectoryLink,
    getTemporaryDirectory,
  )
import System.Exit (ExitCode (..))
import System.FilePath (takeDirectory, (</>))
import System.IO.Temp (withSystemTempDirectory)
import System.Process (CreateProcess (..), proc, readCreateProcessWithExitCode)
import Tern.Lab.Core.PluginLibrary (pluginFor)
import Tern.Lab.Core.Problem (renderCoreProblem)
import Test.Tasty.HUnit

-- | Where the plugin is compiled already.
sharedCache :: IO FilePath
sharedCache = (</> "tern-lab-core-test") <$> getTemporaryDirectory

-- | A user's folder for caches, where the plugin is compiled already and nothing else is.
-- Compiling it anew for each would be most of what these tests take.
cacheWithPlugin :: FilePath -> IO ()
cacheWithPlugin folder = do
  shared <- sharedCache
  createDirectoryIfMissing True shared
  pluginFor shared "ghc" >>= either (assertFailure . T.unpack . renderCoreProblem) (const (pure ()))
  createDirectoryIfMissing True (folder </> "tern-lab" </> "core")
  createDirectoryLink (shared </> "plugins") (folder </> "tern-lab" </> "core" </> "plugins")

-- | The program in a folder with these files.
lab :: [(FilePath, [Text])] -> (([String] -> IO (String, String), FilePath) -> IO a) -> IO a
lab files use = withSystemTempDirectory "tern-lab-trial" $ \folder -> do
  cache <- sharedCache
  createDirectory (folder </> "here")
  forM_ files $ \(name, rows) -> do
    createDirectoryIfMissing True (takeDirectory (folder </> "here" </> name))
    B.writeFile (folder </> "here" </> name) (T.encodeUtf8 (T.unlines rows))
  let run arguments = do
        (code, out, err) <-
          readCreateProcessWithExitCode
            (proc "tern-lab" ("core" : arguments <> ["--core-cache", cache]))
              { cwd = Just (folder </> "here")
              }
            ""
        assertEqual (unwords arguments <> ": " <> err) ExitSuccess code
        pure (out, err)
  use (run, folder </> "here")
