{-# LANGUAGE OverloadedStrings #-}

-- | The compiler plugin as a shared library.
--
-- Its one idea: a plugin only works in the exact GHC that it was compiled for,
-- so the laboratory carries the plugin's source and compiles it once for each
-- GHC that it meets.
module Tern.Lab.Core.PluginLibrary
  ( pluginFor,
    pluginOptions,
  )
where

import Control.Exception (IOException, try)
import Control.Monad (unless, when)
import Control.Monad.Trans.Class (lift)
import Control.Monad.Trans.Except (runExceptT, throwE)
import Data.Char (isDigit)
import Data.Foldable (for_)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import GHC.Fingerprint (fingerprintString)
import System.Directory
  ( createDirectory,
    createDirectoryIfMissing,
    doesFileExist,
    removePathForcibly,
    renameDirectory,
  )
import System.Exit (ExitCode (..))
import System.FilePath (takeDirectory, (<.>), (</>))
import Tern.Lab.Core.PluginSource (sources)
import Tern.Lab.Core.Problem (CoreProblem (..), guarded)
import Tern.Lab.Process (Job (..), capture, commandLine, job, runJob, succeeded, textIn)
import Text.Read (readMaybe)

-- | The plugin's library for a GHC, compiled now below this cache if it is the
-- first time.
pluginFor :: FilePath -> FilePath -> IO (Either CoreProblem FilePath)
pluginFor cache ghc = guarded cache . runExceptT $ do
  (code, out, _) <- lift (capture "." ghc ["--info"])
  (_, answer, said) <- lift (capture "." ghc ["--numeric-version"])
  let version = T.strip answer
  when (code == ExitFailure 127) (throwE (NoCompiler ghc))
  when
    ( code /= ExitSuccess
        || T.null version
        || not (T.all (\c -> isDigit c || c == '.') version)
    )
    $ throwE (NotGhc ghc (T.take 80 (T.unwords (T.words (answer <> said)))))
  when (older version) (throwE (OldCompiler version))
  when ("(\"GHC Dynamic\",\"NO\")" `T.isInfixOf` out) (throwE (StaticCompiler version))
  let key = show (fingerprintString (show (out, sources)))
      place = cache </> "plugins" </> T.unpack version <> "-" <> key
      library = place </> "libtern-lab-plugin.so"
  present <- lift (doesFileExist library)
  unless present $ do
    part <- lift (temporaryBeside place)
    lift . for_ sources $ \(name, text) -> do
      createDirectoryIfMissing True (takeDirectory (part </> name))
      T.writeFile (part </> name) text
    let written = part </> "log"
    ended <-
      lift . runJob $
        (job part (commandLine ([T.pack ghc] <> compilation <> map (T.pack . fst) sources)))
          { jobOutput = written,
            jobErrors = written
          }
    unless (succeeded ended) $ do
      text <- lift (textIn written)
      throwE $
        if "cannot satisfy -package ghc" `T.isInfixOf` text
          then NoGhcLibrary version
          else PluginNotBuilt version text
    lift $ do
      -- Another process may have been as quick.
      done <- doesFileExist library
      if done
        then removePathForcibly part
        else removePathForcibly place >> renameDirectory part place
  pure library
  where
    -- Than 9.6, which cannot load a library as a plugin.
    older version = case map (readMaybe . T.unpack) (T.splitOn "." version) of
      Just major : Just minor : _ -> (major, minor) < (9 :: Int, 6 :: Int)
      [Just major] -> major < 9
      _ -> False
    temporaryBeside place = do
      createDirectoryIfMissing True (takeDirectory place)
      let go n = do
            let candidate = place <.> ("part" <> show (n :: Int))
            made <- try (createDirectory candidate)
            case made of
              Right () -> pure candidate
              Left e | n > 1000 -> ioError (e :: IOException)
              Left _ -> go (n + 1)
      go 0
    compilation =
      [ "-v0",
        "-O",
        "-package-env",
        "-",
        "-shared",
        "-dynamic",
        "-fPIC",
        "-this-unit-id",
        "tern-lab-plugin",
        "-outputdir",
        "objects"
      ]
        <> ["-XGHC2021", "-XDerivingStrategies", "-XLambdaCase"]
        <> concat
          [ ["-package", p]
            | p <-
                [ "base",
                  "binary",
                  "bytestring",
                  "containers",
                  "directory",
                  "filepath",
                  "ghc",
                  "text"
                ]
          ]
        <> ["-o", "libtern-lab-plugin.so"]

-- | What makes GHC load it. A plugin would make every module unsafe for Safe
-- Haskell; this one is not.
pluginOptions :: FilePath -> [Text]
pluginOptions library =
  [ T.concat
      [ "-fplugin-library=",
        T.pack library,
        ";tern-lab-plugin;Tern.Lab.Core.Plugin;[]"
      ],
    "-fplugin-trustworthy"
  ]
