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
import Tern.Lab.Verb (Verb (..))
import Tern.Lab.Verb.Compare qualified as Compare

verb :: Verb
verb =
  Verb
    { verbName = "demo",
      verbSummary = "Compare codecs on a real document and on the articles' records",
      verbLesson =
        [ "The document is a list of languages from the package iso-codes; --documents says where another system keeps it."
        ],
      verbOptions =
        Options
          <$> strOption (long "documents" <> metavar "DIR" <> value "/usr/share/iso-codes/json" <> showDefault <> help "where the JSON files of iso-codes are" <> action "directory")
          <*> Compare.settingsOptions
          <*> Compare.formatOption,
      verbPlan = Right . plan,
      verbRun = uncurry Compare.run
    }

data Options = Options
  { documents :: FilePath,
    settings :: Settings,
    format :: Compare.Format
  }
  deriving stock (Eq, Show)

-- | The document first: it is what people have.
plan :: Options -> (Compare.Format, Plan)
plan Options {..} = (format, Plan {workloads = document : map BuiltIn records, onlyCodecs = [], settings})
  where
    document = Document (documents </> "iso_639-3.json") "languages"

records :: [Text]
records = ["ints5", "ints25", "mixed", "everything"]
