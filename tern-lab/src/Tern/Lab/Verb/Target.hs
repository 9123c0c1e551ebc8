-- | What the verbs that read Core have in common: a target, and how it is
-- built.
module Tern.Lab.Verb.Target
  ( BuildOptions (..),
    buildOptions,
    buildOf,
    targetIn,
    factsOf,
    orComplain,
  )
where

import Control.Monad.Trans.Class (lift)
import Control.Monad.Trans.Except (ExceptT (..))
import Data.Bifunctor (first)
import Data.Text (Text)
import Data.Text qualified as T
import Options.Applicative
import System.Directory (XdgDirectory (..), getXdgDirectory, makeAbsolute)
import Tern.Lab.Complaint (Complaint (..))
import Tern.Lab.Core.Facts (ModuleFacts)
import Tern.Lab.Core.Problem (CoreProblem, renderCoreProblem)
import Tern.Lab.Core.Target (Target, targetAt)
import Tern.Lab.Core.Workbench (Build (..), gatherFacts)

-- | How a target is built, as the command line says.
data BuildOptions = BuildOptions
  { optionGhc :: !FilePath,
    optionGhcOptions :: ![Text],
    optionCabalOptions :: ![Text],
    optionCache :: !(Maybe FilePath)
  }

-- | All of them may be left out: the compiler is then @ghc@, and the cache that of the user.
buildOptions :: Parser BuildOptions
buildOptions =
  BuildOptions
    <$> strOption
      ( long "ghc"
          <> metavar "PROGRAM"
          <> value "ghc"
          <> help "The compiler (default: ghc)"
      )
    <*> many (strOption (long "ghc-option" <> metavar "OPTION" <> help "A further option for GHC"))
    <*> many
      ( strOption
          ( long "cabal-option"
              <> metavar "OPTION"
              <> help "A further option for cabal build"
          )
      )
    <*> optional
      ( strOption
          ( long "core-cache"
              <> metavar "DIR"
              <> help
                "Where plugins and builds are kept (default: ~/.cache/tern-lab/core); builds go \
                \that were not used for 30 days, or for 7 and an older plugin looked on"
          )
      )

-- | A build without counters and without the text of Core. Its cache is the given folder, or else
-- that of the user.
buildOf :: BuildOptions -> IO Build
buildOf options = do
  cache <- cacheOf options
  pure
    Build
      { buildGhc = optionGhc options,
        buildGhcOptions = optionGhcOptions options,
        buildCabalOptions = optionCabalOptions options,
        buildText = False,
        buildTicky = False,
        buildCache = cache
      }

cacheOf :: BuildOptions -> IO FilePath
cacheOf options =
  maybe (getXdgDirectory XdgCache "tern-lab/core") makeAbsolute (optionCache options)

-- | A file, a folder or a component, of the checkout or of a commit.
targetIn :: BuildOptions -> FilePath -> ExceptT Complaint IO Target
targetIn options name = do
  cache <- lift (cacheOf options)
  orComplain (targetAt cache name)

-- | Builds the target of this name, and reads what is known of its modules.
factsOf :: BuildOptions -> FilePath -> ExceptT Complaint IO [ModuleFacts]
factsOf options name = do
  build <- lift (buildOf options)
  target <- targetIn options name
  orComplain (gatherFacts build target)

-- | A problem is a 'DataComplaint'.
orComplain :: IO (Either CoreProblem a) -> ExceptT Complaint IO a
orComplain = ExceptT . fmap (first (DataComplaint . T.unpack . renderCoreProblem))
