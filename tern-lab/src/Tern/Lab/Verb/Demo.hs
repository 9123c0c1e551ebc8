{-# LANGUAGE OverloadedRecordDot #-}
{-# LANGUAGE OverloadedStrings #-}

-- | @tern-lab demo@: what to see first, and with @--all@ every table.
module Tern.Lab.Verb.Demo
  ( verb,
    Options (..),
    Asked (..),
    plan,
  )
where

import Control.Exception (IOException, try)
import Control.Monad (when)
import Control.Monad.IO.Class (liftIO)
import Control.Monad.Trans.Except (ExceptT)
import Data.ByteString.Char8 qualified as BC
import Data.IORef (modifyIORef', newIORef, readIORef)
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import Options.Applicative
  ( action,
    help,
    long,
    metavar,
    optional,
    showDefault,
    strOption,
    switch,
    value,
  )
import System.Directory (doesFileExist)
import System.FilePath ((</>))
import Tern.Lab.Compare (Plan (..), Workload (..), runPlan)
import Tern.Lab.Complaint (Complaint, refusal)
import Tern.Lab.Demo (chart, firstPlans, greeting)
import Tern.Lab.Machine (thisMachine)
import Tern.Lab.Measure (Settings (..), defaultSettings)
import Tern.Lab.Peak (Peaks (NoPeaks))
import Tern.Lab.Progress qualified as Progress
import Tern.Lab.Report (renderMarkdown)
import Tern.Lab.Result (Results (..), encodeResults, formatVersion)
import Tern.Lab.Sample.Catalogue (subjectNamed)
import Tern.Lab.Saved (Saved (OfCodecs))
import Tern.Lab.Verb (Verb (..))
import Tern.Lab.Verb.Compare qualified as Compare
import Tern.Lab.Verb.Output (Output (..), Printed (..), outputOptions, writable, written)

-- | Peaks are of the program that is named.
verb :: Peaks -> Verb
verb peaks =
  Verb
    { verbName = "demo",
      verbSummary = "What to see first: one screen in some seconds; --all for every table",
      verbLesson =
        [ "A document is read, one that does not fit is refused, the value goes into every \
          \format, and bars say how fast that is beside other libraries. All rounds are in the \
          \page that is written beside it (tern-lab-demo.html, or --html FILE).",
          "--all compares all codecs on real documents and on the articles' records, in some \
          \minutes, as compare does.",
          "The documents are the world's languages and the subdivisions of its countries, from \
          \the package iso-codes; --documents says where another system keeps them."
        ],
      verbOptions =
        Options
          <$> switch (long "all" <> help "all codecs, documents and records, as tables")
          <*> strOption
            ( long "documents"
                <> metavar "DIR"
                <> value "/usr/share/iso-codes/json"
                <> showDefault
                <> help "where the JSON files of iso-codes are"
                <> action "directory"
            )
          <*> optional Compare.roundsOption
          <*> Compare.batchOption
          <*> outputOptions,
      verbPlan = Right . plan,
      verbRun = \case
        FirstScreen output document settings -> firstScreen output document settings
        Everything output wanted -> Compare.run peaks output wanted
    }

-- | What was given on the command line.
data Options = Options
  { everything :: Bool,
    documents :: FilePath,
    rounds :: Maybe Int,
    batch :: Double,
    output :: Output
  }
  deriving stock (Eq, Show)

-- | What will be done: one screen, or all tables.
data Asked
  = -- | With the document to look for.
    FirstScreen Output FilePath Settings
  | Everything Output Plan
  deriving stock (Eq, Show)

-- | Of all, the documents first: they are what people have. Then each record alone, and
-- some of them as many as data has, all kept.
plan :: Options -> Asked
plan Options {..}
  | everything =
      Everything
        output
        Plan
          { workloads =
              map inFolder isoCodes <> concatMap one records,
            onlyCodecs = [],
            settings = Settings {rounds = fromMaybe defaultSettings.rounds rounds, batch}
          }
  | otherwise =
      FirstScreen
        output
          { html =
              Just (fromMaybe "tern-lab-demo.html" output.html)
          }
        (documents </> "iso_639-3.json")
        Settings {rounds = fromMaybe 12 rounds, batch}
  where
    inFolder (file, name) = Document (documents </> file) name
    one (name, many) = BuiltIn name : [Many name 100000 | many]

isoCodes :: [(FilePath, Text)]
isoCodes = [("iso_639-3.json", "languages"), ("iso_3166-2.json", "subdivisions")]

-- | With whether many of them are measured.
records :: [(Text, Bool)]
records = [("ints5", True), ("ints25", False), ("mixed", True), ("everything", True)]

-- | No peaks, which need a process for each codec.
firstScreen :: Output -> FilePath -> Settings -> ExceptT Complaint IO ()
firstScreen output path settings = do
  progress <- liftIO Progress.onTerminal
  machine <- liftIO thisMachine
  there <- liftIO (doesFileExist path)
  writable output {html = Nothing}
  done <- liftIO (newIORef [])
  let talking = output.printed == ForTerminal
      results found = Results {format = formatVersion, machine, comparisons = found}
      say = liftIO . mapM_ T.putStrLn
  when talking (say greeting)
  mapM_
    ( \one ->
        runPlan subjectNamed NoPeaks progress one (\found -> modifyIORef' done (found :))
    )
    (firstPlans settings (if there then Just path else Nothing))
  found <- liftIO (reverse <$> readIORef done)
  liftIO (Progress.clear progress)
  liftIO (written output {html = Nothing, svg = Nothing} "Demo" (OfCodecs (results found)))
  -- A folder that may not be written to is no reason to show nothing.
  shown <- liftIO (try (written output {saved = Nothing} "Demo" (OfCodecs (results found))))
  case output.printed of
    ForTerminal -> do
      say (chart found)
      say [T.concat ["  no document to measure: no ", T.pack path, "; --documents DIR"] | not there]
      say
        [ "",
          T.concat
            ( [either unwritten (const (T.concat ["All rounds: ", place])) shown]
                <> ["; all tables: tern-lab demo --all"]
            )
        ]
    ForMarkdown -> liftIO (mapM_ (T.putStr . renderMarkdown) found)
    ForPrograms -> liftIO (BC.putStrLn (encodeResults (results found)))
  where
    place = maybe "" T.pack output.html
    unwritten :: IOException -> Text
    unwritten failure =
      T.concat
        [ "No page: ",
          place,
          ": ",
          T.pack (refusal failure),
          "; --html FILE writes it elsewhere"
        ]
