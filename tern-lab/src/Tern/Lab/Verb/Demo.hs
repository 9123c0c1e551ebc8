{-# LANGUAGE OverloadedStrings #-}

-- | @tern-lab demo@: the comparison to see first.
module Tern.Lab.Verb.Demo
  ( verb,
    Options (..),
    plan,
  )
where

import Data.Text (Text)
import Options.Applicative (action, help, long, metavar, showDefault, strOption, value)
import System.FilePath ((</>))
import Tern.Lab.Compare (Plan (..), Workload (..))
import Tern.Lab.Measure (Settings)
import Tern.Lab.Peak (Peaks)
import Tern.Lab.Verb (Verb (..))
import Tern.Lab.Verb.Compare qualified as Compare
import Tern.Lab.Verb.Output

-- | Peaks are of the program that is named.
verb :: Peaks -> Verb
verb peaks =
  Verb
    { verbName = "demo",
      verbSummary = "Compare codecs on real documents and on the articles' records",
      verbLesson =
        [ "The documents are the world's languages and the subdivisions of its countries, from the package iso-codes; --documents says where another system keeps them."
        ],
      verbOptions =
        Options
          <$> strOption (long "documents" <> metavar "DIR" <> value "/usr/share/iso-codes/json" <> showDefault <> help "where the JSON files of iso-codes are" <> action "directory")
          <*> Compare.settingsOptions
          <*> outputOptions,
      verbPlan = Right . plan,
      verbRun = uncurry (Compare.run peaks)
    }

data Options = Options
  { documents :: FilePath,
    settings :: Settings,
    output :: Output
  }
  deriving stock (Eq, Show)

-- | The documents first: they are what people have. Then each record alone, and some
-- of them as many as data has, all kept.
plan :: Options -> (Output, Plan)
plan Options {..} = (output, Plan {workloads = map inFolder isoCodes <> concatMap one records, onlyCodecs = [], settings})
  where
    inFolder (file, name) = Document (documents </> file) name
    one (name, many) = BuiltIn name : [Many name 100000 | many]

isoCodes :: [(FilePath, Text)]
isoCodes = [("iso_639-3.json", "languages"), ("iso_3166-2.json", "subdivisions")]

-- | With whether many of them are measured.
records :: [(Text, Bool)]
records = [("ints5", True), ("ints25", False), ("mixed", True), ("everything", True)]
