{-# LANGUAGE OverloadedStrings #-}

-- | @tern-lab compare@: codecs against each other, on a document or on
-- built-in records.
--
-- Start at 'plan', which is pure: what would be done for which options.
module Tern.Lab.Verb.Compare
  ( verb,

    -- * From options to a plan
    Options (..),
    options,
    plan,

    -- * Running
    Format (..),
    run,
    settingsOptions,
    formatOption,
  )
where

import Control.Monad.IO.Class (liftIO)
import Control.Monad.Trans.Except (ExceptT)
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy qualified as L
import Data.IORef (modifyIORef', newIORef, readIORef)
import Data.Maybe (isJust)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import Options.Applicative hiding (many, some, style)
import Options.Applicative qualified
import System.IO (hFlush, stdout)
import Tern.Lab.Compare
import Tern.Lab.Complaint
import Tern.Lab.Machine (thisMachine)
import Tern.Lab.Measure (Settings (..), defaultSettings)
import Tern.Lab.Peak (Peaks)
import Tern.Lab.Progress qualified as Progress
import Tern.Lab.Report
import Tern.Lab.Result (Results (..), encodeResults, formatVersion)
import Tern.Lab.Sample.Catalogue (subjectNamed, subjects)
import Tern.Lab.Subject
import Tern.Lab.Verb (Verb (..))
import Tern.Lab.WholeFile (writeWhole)

-- | Peaks are of the program that is named.
verb :: Peaks -> Verb
verb peaks =
  Verb
    { verbName = "compare",
      verbSummary = "Compare codecs: time, allocation, peak, payload",
      verbLesson =
        [ "Give a document with the type that it is a value of, or name built-in records; without either all records are compared. tern-lab list shows both.",
          "  tern-lab compare iso_639-3.json --type languages",
          "  tern-lab compare --record ints25 --record mixed --rounds 100",
          "A document is decoded as it is by the codecs of its format; others decode what they have made of its value, and the table says so. --many N measures N different values of each record as well, one after the other, all results kept: what a program pays that works on data instead of one value.",
          "Allocation is exact and the same in every run: a difference in it is a fact. Times are CPU times, taken in interleaved rounds; the line below the tables says which difference this machine cannot see, and no codec is called the fastest that cannot be told from another. To see it at work, name a codec twice: --codec tern --codec tern.",
          "Nothing is timed before every codec has read back what it and every other codec of its format wrote.",
          "Shell completion: source <(tern-lab --bash-completion-script $(command -v tern-lab)); zsh and fish have their own."
        ],
      verbOptions = options,
      verbPlan = plan,
      verbRun = uncurry (run peaks)
    }

-- * From options to a plan

data Options = Options
  { document :: Maybe FilePath,
    typeName :: Maybe Text,
    records :: [Text],
    many :: Maybe Int,
    codecs :: [Text],
    chosenSettings :: Settings,
    chosenFormat :: Format
  }
  deriving stock (Eq, Show)

-- | How results are printed.
data Format
  = ForTerminal
  | ForMarkdown
  | ForPrograms
  | -- | For a terminal, and as JSON in a file that is written again after each
    -- comparison: a run that is stopped has lost nothing.
    ForFile FilePath
  deriving stock (Eq, Show)

options :: Parser Options
options =
  Options
    <$> optional (argument str (metavar "FILE" <> help "a document: JSON, or what another of the type's codecs reads" <> action "file"))
    <*> optional (strOption (long "type" <> metavar "NAME" <> help "the declared type that FILE is a value of" <> completeWith typeNames))
    <*> Options.Applicative.many (strOption (long "record" <> metavar "NAME" <> help "a built-in record (may be repeated)" <> completeWith recordNames))
    <*> optional (option (bounded "values" 1 10000000) (long "many" <> metavar "N" <> help "measure N different values of each record as well, all results kept"))
    <*> Options.Applicative.many (strOption (long "codec" <> metavar "NAME" <> help "measure this codec only (may be repeated; one that is named twice is measured against itself)"))
    <*> settingsOptions
    <*> formatOption
  where
    typeNames = map (T.unpack . subjectName) subjects
    recordNames = map T.unpack builtIn

-- | The subjects that bring a value.
builtIn :: [Text]
builtIn = [subjectName | Subject {subjectName, subjectValue} <- subjects, isJust subjectValue]

settingsOptions :: Parser Settings
settingsOptions =
  Settings
    <$> option (bounded "rounds" 2 100000) (long "rounds" <> metavar "N" <> value (rounds defaultSettings) <> showDefault <> help "how often everything is timed")
    <*> (milliseconds <$> option (bounded "milliseconds" 1 60000) (long "batch" <> metavar "MS" <> value 5 <> showDefault <> help "how long one batch of an operation lasts"))
  where
    milliseconds n = 1e6 * fromIntegral (n :: Int)

bounded :: String -> Int -> Int -> ReadM Int
bounded what low high =
  auto >>= \n ->
    if n < low || n > high
      then readerError (concat ["expected ", show low, " to ", show high, " ", what, ", got ", show n])
      else pure n

formatOption :: Parser Format
formatOption =
  flag' ForMarkdown (long "markdown" <> help "print tables in Markdown")
    <|> flag' ForPrograms (long "json" <> help "print one line of JSON (nanoseconds, bytes) at the end")
    <|> (ForFile <$> strOption (long "save" <> metavar "FILE" <> help "print tables, and save what there is as JSON in FILE after each comparison" <> action "file"))
    <|> pure ForTerminal

-- | What will be done. All names are looked up here.
plan :: Options -> Either Complaint (Format, Plan)
plan Options {..} = do
  chosen <- case (document, typeName) of
    (Just path, Just name) -> known (const True) "type" name >> Right [Document path name]
    (Just path, Nothing) -> usage ("what type is " <> path <> " a value of? add --type NAME, one of " <> listed (map subjectName subjects))
    (Nothing, Just _) -> usage "--type needs the document that is of the type; for a built-in record say --record NAME"
    (Nothing, Nothing) -> Right []
  mapM_ (known (`elem` builtIn) "record") records
  let measured name = BuiltIn name : [Many name count | Just count <- [many]]
      workloads = case chosen <> concatMap measured records of
        [] -> concatMap measured builtIn
        some -> some
  mapM_ (offered workloads) codecs
  Right (chosenFormat, Plan {workloads, onlyCodecs = codecs, settings = chosenSettings})
  where
    usage = Left . UsageComplaint
    listed = T.unpack . T.intercalate ", "
    known fits what name = case subjectNamed name of
      Just subject | fits (subjectName subject) -> Right ()
      _ -> usage (concat ["no ", what, " is called ", T.unpack name, "; expected one of ", listed (filter fits (map subjectName subjects))])
    offered workloads name = mapM_ (offers name) workloads
    offers name workload = case subjectNamed (typeOf workload) of
      Just subject
        | name `elem` codecNames subject -> Right ()
        | otherwise -> usage (concat [T.unpack (subjectName subject), " has no codec called ", T.unpack name, "; expected one of ", listed (codecNames subject)])
      Nothing -> Right ()
    typeOf = \case
      BuiltIn name -> name
      Many name _ -> name
      Document _ name -> name

-- * Running

-- | Tables appear one by one as they are measured; JSON at the end.
run :: Peaks -> Format -> Plan -> ExceptT Complaint IO ()
run peaks format wanted = do
  progress <- liftIO Progress.onTerminal
  style <- liftIO terminalStyle
  machine <- liftIO thisMachine
  done <- liftIO (newIORef [])
  let results comparisons = encodeResults Results {format = formatVersion, machine, comparisons}
      save file comparisons = writeWhole file (L.fromStrict (results comparisons) <> "\n")
  case format of
    -- Now, and not after the first measurement: can it be written?
    ForFile file -> readingFile file "a file that can be written" (save file [])
    _ -> pure ()
  runPlan subjectNamed peaks progress wanted $ \comparison -> do
    Progress.clear progress
    modifyIORef' done (comparison :)
    case format of
      ForTerminal -> T.putStr (renderComparison style comparison) >> hFlush stdout
      ForMarkdown -> T.putStr (renderMarkdown comparison) >> hFlush stdout
      ForFile file -> do
        readIORef done >>= save file . reverse
        T.putStr (renderComparison style comparison) >> hFlush stdout
      ForPrograms -> pure ()
  liftIO $ case format of
    ForPrograms -> readIORef done >>= BC.putStrLn . results . reverse
    _ -> pure ()
