{-# LANGUAGE OverloadedRecordDot #-}
{-# LANGUAGE OverloadedStrings #-}

-- | @tern-lab compare -- COMMAND ..@: programs against each other.
--
-- Start at 'planned', which is pure.
module Tern.Lab.Verb.Programs
  ( Options (..),
    options,
    planned,
    run,
    render,
  )
where

import Control.Monad (when)
import Control.Monad.IO.Class (liftIO)
import Control.Monad.Trans.Except (ExceptT, throwE)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import Options.Applicative hiding (style)
import System.Directory (doesFileExist)
import Tern.Lab.Complaint (Complaint (..), readingFile)
import Tern.Lab.Machine (thisMachine)
import Tern.Lab.Programs.Plan (Parameter (..), Plan (..), parameterOf, unused)
import Tern.Lab.Programs.Run (measure)
import Tern.Lab.Progress qualified as Progress
import Tern.Lab.Report (Style, terminalStyle)
import Tern.Lab.Saved
  ( Programs (..),
    Saved (..),
    encodePrograms,
    placeOf,
    programsVersion,
    readSaved,
  )
import Tern.Lab.Sheet (Sheet)
import Tern.Lab.Sheet.Report (growths, outgrows, renderGrowths, renderSheet, sheetMarkdown)
import Tern.Lab.Verb.Output (Output (..), Printed (..), bounded, writable, written, writtenSoFar)

-- | What only programs have.
data Options = Options
  { commands :: [Text],
    over :: [Parameter],
    prepare :: Maybe Text,
    warmUp :: Maybe Int,
    exits :: [Int],
    timeLimit :: Maybe Int,
    instructions :: Bool,
    resume :: Bool
  }
  deriving stock (Eq, Show)

-- | All of them may be left out; what does not go together is found by 'planned'.
options :: Parser Options
options =
  Options
    <$> many
      ( strOption
          ( long "command"
              <> metavar "CMD"
              <> help
                "a program to measure, as a command for the shell (may be repeated; words after \
                \-- are such commands)"
          )
      )
    <*> many
      ( option
          (eitherReader parameterOf)
          ( long "over"
              <> metavar "NAME=A,B,.."
              <> help
                "put each of these values in place of {NAME} in the commands (may be repeated); \
                \of numbers it is said how the figures grow"
          )
      )
    <*> optional
      ( strOption
          ( long "prepare"
              <> metavar "CMD"
              <> help "a command before each run, not measured"
          )
      )
    <*> optional
      ( option
          (bounded "runs" 0 1000)
          ( long "warmup"
              <> metavar "N"
              <> help
                "run each program N times before the rounds (default: 1; with 0 the first run \
                \counts)"
          )
      )
    <*> many
      ( option
          (bounded "as exit code" 0 255)
          ( long "exit"
              <> metavar "CODE"
              <> help "an exit code that is a success (may be repeated; default: 0)"
          )
      )
    <*> optional
      ( option
          (bounded "seconds" 1 1000000)
          ( long "timeout"
              <> metavar "SECONDS"
              <> help "a run that takes longer is a failure"
          )
      )
    <*> switch
      ( long "instructions"
          <> help "count the instructions of one run of each, by valgrind"
      )
    <*> switch
      ( long "resume"
          <> help "go on with the rounds that --save has kept of the same comparison"
      )

-- | Nothing where no program is named and nothing is said of any.
planned :: Maybe Int -> Maybe FilePath -> Options -> Either Complaint (Maybe Plan)
planned rounds saved Options {..}
  | null commands =
      if null said
        then Right Nothing
        else
          usage
            ( unwords said
                <> " is about programs; give them after --: tern-lab compare -- 'sort a' 'sort b'"
            )
  | any (T.null . T.strip) commands = usage "a command is empty"
  | name : _ <- repeated (map (\one -> one.name) over) =
      usage (concat ["the parameter ", T.unpack name, " is given twice"])
  | name : _ <- unused plan = usage (concat ["no command has {", T.unpack name, "} in it"])
  | resume, Nothing <- saved = usage "--resume needs --save NAME, whose rounds it goes on with"
  | otherwise = Right (Just plan)
  where
    plan =
      Plan
        { commands,
          over,
          prepare,
          rounds = fromMaybe 10 rounds,
          warmUp = fromMaybe 1 warmUp,
          exits = if null exits then [0] else exits,
          timeLimit = fromIntegral <$> timeLimit,
          instructions
        }
    said =
      ["--over" | not (null over)]
        <> ["--prepare" | Just _ <- [prepare]]
        <> ["--warmup" | Just _ <- [warmUp]]
        <> ["--exit" | not (null exits)]
        <> ["--timeout" | Just _ <- [timeLimit]]
        <> ["--instructions" | instructions]
        <> ["--resume" | resume]
    usage = Left . UsageComplaint
    repeated = \case
      [] -> []
      name : rest -> [name | name `elem` rest] <> repeated rest

-- | Measure, save after each round, show at the end.
run :: Output -> Bool -> Plan -> ExceptT Complaint IO ()
run output resuming plan = do
  progress <- liftIO Progress.onTerminal
  style <- liftIO terminalStyle
  machine <- liftIO thisMachine
  earlier <- if resuming then maybe (pure []) earlierOf output.saved else pure []
  writable output
  let results sheets = Programs {format = programsVersion, machine, plan, sheets}
  found <- measure progress plan earlier (\_ -> writtenSoFar output title . OfPrograms . results)
  liftIO $ do
    Progress.clear progress
    written output title (OfPrograms (results found))
    case output.printed of
      ForTerminal -> T.putStr (render style found)
      ForMarkdown ->
        mapM_ (T.putStr . sheetMarkdown) found
          >> mapM_ (T.putStrLn . ("- " <>)) (renderGrowths outgrows (growths found))
      ForPrograms -> BC.putStrLn (encodePrograms (results found))
  where
    title = "Programs"
    -- What is there of the same comparison; where nothing is, it is begun.
    earlierOf name = do
      there <- liftIO (doesFileExist (placeOf name))
      if not there
        then pure []
        else do
          bytes <- readingFile (placeOf name) "results" (B.readFile (placeOf name))
          case readSaved bytes of
            Right (OfPrograms kept) -> do
              when
                (kept.plan {rounds = plan.rounds} /= plan)
                ( throwE
                    ( DataComplaint
                        ( placeOf name
                            <> ": it is of another comparison, which --resume cannot go on with"
                        )
                    )
                )
              pure kept.sheets
            Right _ -> throwE (DataComplaint (placeOf name <> ": it is of no programs"))
            Left message -> throwE (DataComplaint (placeOf name <> ": " <> T.unpack message))

-- | All sheets, and how the figures grow over them.
render :: Style -> [Sheet] -> Text
render style sheets =
  T.concat
    ( map (renderSheet style) sheets
        <> [ T.unlines (["growth", ""] <> map ("  " <>) grown <> [""])
             | grown@(_ : _) <-
                 [renderGrowths outgrows (growths sheets)]
           ]
    )
