{-# LANGUAGE CPP #-}
{-# LANGUAGE OverloadedStrings #-}

-- | Where figures were taken, and with which libraries: without that a time says
-- nothing.
--
-- CPP, because cabal tells the versions that it builds with in no other way.
module Tern.Lab.Machine
  ( thisMachine,
  )
where

import Data.Text qualified as T
import Data.Version (showVersion)
import GHC.Conc (getNumProcessors)
import System.Info (arch, compilerName, fullCompilerVersion, os)
import Tern.Lab.Processor (Processors (..), processors)
import Tern.Lab.Result (Library (..), Machine (..))

-- | The compiler that this program was made with, and the machine it runs on.
-- The processor's name has its generation, and is empty where the system does not tell.
thisMachine :: IO Machine
thisMachine = do
  told <- processors
  counted <- getNumProcessors
  pure
    Machine
      { compiler = T.pack (compilerName <> "-" <> showVersion fullCompilerVersion),
        system = T.pack (os <> "-" <> arch),
        processor = processorName told,
        -- GHC's own count is 1 where its runtime has one thread.
        cores = max counted (processorCount told),
        libraries = Just compiledIn
      }

-- | The libraries whose codecs are compared, in the versions that this was built with.
compiledIn :: [Library]
compiledIn =
  [ Library "aeson" VERSION_aeson,
    Library "binary" VERSION_binary,
    Library "cereal" VERSION_cereal,
    Library "store" VERSION_store,
    Library "serialise" VERSION_serialise,
    Library "cborg" VERSION_cborg
  ]
