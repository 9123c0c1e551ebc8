{-# LANGUAGE OverloadedRecordDot #-}
{-# LANGUAGE OverloadedStrings #-}

-- | @tern-lab compare@: codecs against each other, on a document or on
-- built-in records; or programs, by their commands ("Tern.Lab.Verb.Programs").
--
-- Start at 'plan', which is pure: what would be done for which options.
module Tern.Lab.Verb.Compare
  ( verb,

    -- * From options to a plan
    Options (..),
    options,
    Planned (..),
    plan,

    -- * Running
    run,
    roundsOption,
    batchOption,
  )
where

import Control.Monad.IO.Class (liftIO)
import Control.Monad.Trans.Except (ExceptT)
import Data.ByteString.Char8 qualified as BC
import Data.IORef (modifyIORef', newIORef, readIORef)
import Data.Maybe (fromMaybe, isJust)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import Options.Applicative hiding (many, some, style)
import Options.Applicative qualified
import System.IO (hFlush, stdout)
import Tern.Lab.Compare (Plan (..), Workload (..), runPlan)
import Tern.Lab.Complaint (Complaint (..))
import Tern.Lab.Machine (thisMachine)
import Tern.Lab.Measure (Settings (..), defaultSettings)
import Tern.Lab.Peak (Peaks)
import Tern.Lab.Programs.Plan qualified as Programs (Plan)
import Tern.Lab.Progress qualified as Progress
import Tern.Lab.Report (renderComparison, renderMarkdown, terminalStyle)
import Tern.Lab.Result (Results (..), encodeResults, formatVersion)
import Tern.Lab.Sample.Catalogue (subjectNamed, subjects)
import Tern.Lab.Saved (Saved (OfCodecs))
import Tern.Lab.Subject (Subject (..), codecNames)
import Tern.Lab.Verb (Verb (..))
import Tern.Lab.Verb.Output
  ( Output (..),
    Printed (..),
    bounded,
    outputOptions,
    writable,
    written,
    writtenSoFar,
  )
import Tern.Lab.Verb.Programs qualified as Programs

-- | Peaks are of the program that is named.
verb :: Peaks -> Verb
verb peaks =
  Verb
    { verbName = "compare",
      verbSummary = "Compare codecs, or programs: time, allocation, memory, sizes",
      verbLesson =
        [ "Give a document with the type that it is a value of, or name built-in records; \
          \without either all records are compared. tern-lab list shows both.",
          "  tern-lab compare iso_639-3.json --type languages",
          "  tern-lab compare --record ints25 --record mixed --rounds 100",
          "A document is decoded as it is by the codecs of its format; others decode what they \
          \have made of its value, and the table says so. --many N measures N different values \
          \of each record as well, one after the other, all results kept: what a program pays \
          \that works on data instead of one value.",
          "Allocation is exact and the same in every run: a difference in it is a fact. Times \
          \are CPU times, taken in interleaved rounds; the line below the tables says which \
          \difference this machine cannot see, and no codec is called the fastest that cannot \
          \be told from another. To see it at work, name a codec twice: --codec tern --codec tern.",
          "Nothing is timed before every codec has read back what it and every other codec of \
          \its format wrote.",
          "Words after -- are commands of programs, which are run in interleaved rounds and \
          \measured as processes: CPU and wall time, memory, exit codes checked, and what a \
          \program of GHC tells of its heap. --over n=1,10,100 runs them with each value in \
          \place of {n}, and says how the figures grow:",
          "  tern-lab compare --prepare 'rm -f out' -- './old > out' './new > out'",
          "  tern-lab compare --over n=1000,10000,100000 --save growth -- './program {n}'",
          "Shell completion: source <(tern-lab --bash-completion-script $(command -v \
          \tern-lab)); zsh and fish have their own."
        ],
      verbOptions = options,
      verbPlan = plan,
      verbRun = \case
        ForCodecs output wanted -> run peaks output wanted
        ForThesePrograms output resuming wanted -> Programs.run output resuming wanted
    }

-- * From options to a plan

-- | What was given on the command line. Names in it have not been looked up.
data Options = Options
  { document :: Maybe FilePath,
    typeName :: Maybe Text,
    records :: [Text],
    many :: Maybe Int,
    codecs :: [Text],
    rounds :: Maybe Int,
    batch :: Double,
    programs :: Programs.Options,
    output :: Output
  }
  deriving stock (Eq, Show)

-- | Numbers are held to their ranges here; names are looked up by 'plan'.
options :: Parser Options
options =
  Options
    <$> optional
      ( argument
          str
          ( metavar "FILE"
              <> help "a document: JSON, or what another of the type's codecs reads"
              <> action "file"
          )
      )
    <*> optional
      ( strOption
          ( long "type"
              <> metavar "NAME"
              <> help "the declared type that FILE is a value of"
              <> completeWith typeNames
          )
      )
    <*> Options.Applicative.many
      ( strOption
          ( long "record"
              <> metavar "NAME"
              <> help "a built-in record (may be repeated)"
              <> completeWith recordNames
          )
      )
    <*> optional
      ( option
          (bounded "values" 1 10000000)
          ( long "many"
              <> metavar "N"
              <> help "measure N different values of each record as well, all results kept"
          )
      )
    <*> Options.Applicative.many
      ( strOption
          ( long "codec"
              <> metavar "NAME"
              <> help
                "measure this codec only (may be repeated; one that is named twice is measured \
                \against itself)"
          )
      )
    <*> optional roundsOption
    <*> batchOption
    <*> Programs.options
    <*> outputOptions
  where
    typeNames = map (T.unpack . subjectName) subjects
    recordNames = map T.unpack builtIn

-- | The subjects that bring a value.
builtIn :: [Text]
builtIn = [subjectName | Subject {subjectName, subjectValue} <- subjects, isJust subjectValue]

-- | @--rounds@, from 2 to 100,000.
roundsOption :: Parser Int
roundsOption =
  option
    (bounded "rounds" 2 100000)
    ( long "rounds"
        <> metavar "N"
        <> help "how often everything is timed (default: 40, of programs 10)"
    )

-- | @--batch@: milliseconds on the command line, from 1 to 60,000, and nanoseconds here. Without
-- it they are 5 ms.
batchOption :: Parser Double
batchOption =
  milliseconds
    <$> option
      (bounded "milliseconds" 1 60000)
      ( long "batch"
          <> metavar "MS"
          <> value 5
          <> showDefault
          <> help "how long one batch of an operation lasts"
      )
  where
    milliseconds n = 1e6 * fromIntegral (n :: Int)

-- | What will be done, of codecs or of programs.
data Planned
  = ForCodecs Output Plan
  | -- | Also whether rounds that were kept are gone on with.
    ForThesePrograms Output Bool Programs.Plan
  deriving stock (Eq, Show)

-- | What will be done. All names are looked up here.
plan :: Options -> Either Complaint Planned
plan Options {..} = do
  asked <- Programs.planned rounds output.saved programs
  case asked of
    Nothing -> ofCodecs
    Just wanted
      | isJust document
          || isJust typeName
          || isJust many
          || not (null records)
          || not (null codecs) ->
          Left
            ( UsageComplaint
                "codecs and programs are not compared with each other: give either commands \
                \after --, or documents, records and codecs"
            )
      | otherwise -> Right (ForThesePrograms output programs.resume wanted)
  where
    ofCodecs = codecsPlan Options {..}

codecsPlan :: Options -> Either Complaint Planned
codecsPlan Options {..} = do
  chosen <- case (document, typeName) of
    (Just path, Just name) -> known (const True) "type" name >> Right [Document path name]
    (Just path, Nothing) ->
      usage
        ( "what type is "
            <> path
            <> " a value of? add --type NAME, one of "
            <> listed (map subjectName subjects)
        )
    (Nothing, Just _) ->
      usage "--type needs the document that is of the type; for a built-in record say --record NAME"
    (Nothing, Nothing) -> Right []
  mapM_ (known (`elem` builtIn) "record") records
  let measured name = BuiltIn name : [Many name count | Just count <- [many]]
      workloads = case chosen <> concatMap measured records of
        [] -> concatMap measured builtIn
        some -> some
  mapM_ (offered workloads) codecs
  Right
    ( ForCodecs
        output
        Plan
          { workloads,
            onlyCodecs =
              codecs,
            settings = Settings {rounds = fromMaybe defaultSettings.rounds rounds, batch}
          }
    )
  where
    usage = Left . UsageComplaint
    listed = T.unpack . T.intercalate ", "
    known fits what name = case subjectNamed name of
      Just subject | fits (subjectName subject) -> Right ()
      _ ->
        usage
          ( concat
              [ "no ",
                what,
                " is called ",
                T.unpack name,
                "; expected one of ",
                listed (filter fits (map subjectName subjects))
              ]
          )
    offered workloads name = mapM_ (offers name) workloads
    offers name workload = case subjectNamed (typeOf workload) of
      Just subject
        | name `elem` codecNames subject -> Right ()
        | otherwise ->
            usage
              ( concat
                  [ T.unpack
                      (subjectName subject),
                    " has no codec called ",
                    T.unpack name,
                    "; expected one of ",
                    listed (codecNames subject)
                  ]
              )
      Nothing -> Right ()
    typeOf = \case
      BuiltIn name -> name
      Many name _ -> name
      Document _ name -> name

-- * Running

-- | Tables appear one by one as they are measured; JSON at the end. Files are written again
-- after each comparison: a run that is stopped has lost nothing.
run :: Peaks -> Output -> Plan -> ExceptT Complaint IO ()
run peaks output wanted = do
  progress <- liftIO Progress.onTerminal
  style <- liftIO terminalStyle
  machine <- liftIO thisMachine
  done <- liftIO (newIORef [])
  let results comparisons = Results {format = formatVersion, machine, comparisons}
  writable output
  runPlan subjectNamed peaks progress wanted $ \comparison -> do
    Progress.clear progress
    modifyIORef' done (comparison :)
    readIORef done >>= writtenSoFar output "Codecs" . OfCodecs . results . reverse
    case output.printed of
      ForTerminal -> T.putStr (renderComparison style comparison) >> hFlush stdout
      ForMarkdown -> T.putStr (renderMarkdown comparison) >> hFlush stdout
      ForPrograms -> pure ()
  liftIO (readIORef done >>= written output "Codecs" . OfCodecs . results . reverse)
  liftIO $ case output.printed of
    ForPrograms -> readIORef done >>= BC.putStrLn . encodeResults . results . reverse
    ForTerminal -> pure ()
    ForMarkdown -> pure ()
