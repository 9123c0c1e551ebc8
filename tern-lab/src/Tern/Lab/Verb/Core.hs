{-# LANGUAGE OverloadedStrings #-}

-- | @tern-lab core@: the command line of the reader of Core.
module Tern.Lab.Verb.Core
  ( verb,
  )
where

import Control.Monad.Trans.Class (lift)
import Control.Monad.Trans.Except (ExceptT (..))
import Data.Aeson (encode)
import Data.Bifunctor (first)
import Data.ByteString.Lazy.Char8 qualified as L
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import Options.Applicative
import System.Directory
import Tern.Lab.Complaint (Complaint (..))
import Tern.Lab.Core.Facts
import Tern.Lab.Core.Finding
import Tern.Lab.Core.Report
import Tern.Lab.Core.Workbench
import Tern.Lab.Verb (Verb (..))
import Text.Read (readMaybe)

data CoreOptions = CoreOptions
  { coreTarget :: !FilePath,
    coreWanted :: !Wanted,
    coreText :: !Bool,
    coreJson :: !Bool,
    coreBuild :: !BuildOptions
  }

data BuildOptions = BuildOptions
  { optionGhc :: !FilePath,
    optionGhcOptions :: ![Text],
    optionCabalOptions :: ![Text],
    optionCache :: !(Maybe FilePath)
  }

verb :: Verb
verb =
  Verb
    { verbName = "core",
      verbSummary = "Say what GHC's optimiser left in a program, why, and what to do",
      verbLesson =
        [ "tern-lab core Main.hs; tern-lab core . --binding step; tern-lab core exe:server --json.",
          "Builds the target in a folder of its own with a compiler plugin that looks on; the project is not edited. The first run with a GHC compiles the plugin."
        ],
      verbOptions =
        CoreOptions
          <$> strArgument (metavar "TARGET" <> help "A Haskell file, a folder with a cabal file, or a component such as exe:server")
          <*> wanted
          <*> switch (long "text" <> help "Show the Core of the binding too")
          <*> switch (long "json" <> help "For programs")
          <*> buildOptions,
      verbPlan = \options -> case (coreText options, wantedBinding (coreWanted options)) of
        (True, Nothing) -> Left (UsageComplaint "--text needs a binding: give its name with --binding")
        _ -> Right options,
      verbRun = \options -> do
        build <- lift (buildOf (coreText options) (coreBuild options))
        target <- orComplain (targetNamed (coreTarget options))
        modules <- orComplain (gatherFacts build target)
        let shown = chosen (coreWanted options) (findings modules)
        lift $
          if coreJson options
            then L.putStrLn (encode (json modules (fst shown)))
            else do
              mapM_ (T.putStrLn . bindingText) (textsOf options modules)
              T.putStr (terminal modules shown)
    }
  where
    wanted =
      Wanted
        <$> optional (strOption (long "binding" <> short 'b' <> metavar "NAME" <> help "Only this binding, with all details"))
        <*> switch (long "all" <> help "Details too: every call that stayed")
        <*> option positive (long "count" <> metavar "N" <> value 20 <> help "At most so many findings (default: 20)")
    positive = eitherReader $ \text -> case readMaybe text of
      Just n | n >= 1 -> Right n
      _ -> Left ("'" <> text <> "' is not a number from 1 on")
    textsOf options modules =
      [ b
        | coreText options,
          m <- modules,
          b <- factsBindings m,
          Just name <- [wantedBinding (coreWanted options)],
          name `elem` [bindingName b, T.concat [factsModule m, ".", bindingName b], sourceName (bindingName b)]
      ]

buildOptions :: Parser BuildOptions
buildOptions =
  BuildOptions
    <$> strOption (long "ghc" <> metavar "PROGRAM" <> value "ghc" <> help "The compiler (default: ghc)")
    <*> many (strOption (long "ghc-option" <> metavar "OPTION" <> help "A further option for GHC"))
    <*> many (strOption (long "cabal-option" <> metavar "OPTION" <> help "A further option for cabal build"))
    <*> optional (strOption (long "cache" <> metavar "DIR" <> help "Where plugins and builds are kept (default: ~/.cache/tern-lab/core)"))

buildOf :: Bool -> BuildOptions -> IO Build
buildOf text options = do
  cache <- maybe (getXdgDirectory XdgCache "tern-lab/core") makeAbsolute (optionCache options)
  pure
    Build
      { buildGhc = optionGhc options,
        buildGhcOptions = optionGhcOptions options,
        buildCabalOptions = optionCabalOptions options,
        buildText = text,
        buildCache = cache
      }

orComplain :: IO (Either CoreProblem a) -> ExceptT Complaint IO a
orComplain = ExceptT . fmap (first (DataComplaint . T.unpack . renderCoreProblem))
