{-# LANGUAGE OverloadedRecordDot #-}
{-# LANGUAGE OverloadedStrings #-}

-- | Programs measured against each other, as processes.
--
-- The idea: as codecs are, in rounds: in each one every command is run once in every
-- setting, and the first command of each setting once more, so that it is compared with
-- itself; after each round the laboratory's own work is timed, so that the result says
-- how fast the machine was. The order is reversed after every two rounds. A program of
-- GHC tells what it allocated and how it collected; its times are those of the whole
-- process, as of any program. What ends otherwise than it should ends the comparison:
-- nothing is said of the time of a failure.
--
-- Start at 'measure'.
module Tern.Lab.Programs.Run
  ( measure,
    roundsOf,
  )
where

import Control.Monad (foldM, forM, forM_, unless)
import Control.Monad.IO.Class (liftIO)
import Control.Monad.Trans.Except (ExceptT (..), runExceptT, throwE)
import Data.List (nub, transpose)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe, isJust, listToMaybe, mapMaybe, maybeToList)
import Data.Text (Text)
import Data.Text qualified as T
import System.Directory (getCurrentDirectory)
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import Tern.Lab.Complaint (Complaint (..))
import Tern.Lab.History.Build (fileHash)
import Tern.Lab.History.Metric (Figures, Metric (..))
import Tern.Lab.History.Program (Attempt (..), instructionsOf, once)
import Tern.Lab.History.Record (Source (..))
import Tern.Lab.Pace (paceNow)
import Tern.Lab.Process
  ( Ended (..),
    Ending (..),
    Job (..),
    job,
    renderEnding,
    runJob,
    shellWord,
    succeeded,
    textIn,
  )
import Tern.Lab.Programs.Plan (Plan (..), Program (..), programs, settings)
import Tern.Lab.Progress (Progress)
import Tern.Lab.Progress qualified as Progress
import Tern.Lab.Sheet (Choice (..), Entry (Entry), Figure (Figure), Sheet (Sheet), Unit (..))
import Tern.Lab.Sheet qualified as Sheet

-- | A command in a setting, with what was found of it.
data Track = Track
  { setting :: [Choice],
    program :: Program,
    -- | Is it the first one once more?
    again :: Bool,
    -- | Who answers of its runtime; nothing before its first run.
    source :: Maybe Source,
    -- | What it wrote in its first run.
    output :: Maybe Text,
    counted :: Maybe Double,
    -- | One a round, in their order.
    runs :: [Run]
  }

-- | The figures of one run.
type Run = [(Text, Unit, Double)]

-- | The sheets of all settings. Those that are there already, of the same plan, are
-- gone on with. The action gets all of them after each round, with how many there are.
measure :: Progress -> Plan -> [Sheet] -> (Int -> [Sheet] -> IO ()) -> ExceptT Complaint IO [Sheet]
measure progress plan earlier report = do
  directory <- liftIO getCurrentDirectory
  -- A folder as long as the rounds last.
  ExceptT . withSystemTempDirectory "tern-lab" $ \folder -> runExceptT $ do
    tracks <- forM (zip [1 :: Int ..] planned) $ \(number, track) ->
      if track.again || plan.warmUp == 0
        then pure track
        else
          say (T.concat ["warming up, ", counting number (length planned)])
            >> warmed folder directory track
    let ready = afterFirst tracks
        before = roundsOf earlier
    (finished, paces) <-
      foldM
        (oneRound folder directory)
        (map (resumed earlier) ready, pacesOf earlier)
        [before + 1 .. plan.rounds]
    pure (sheetsOf plan paces finished)
  where
    say = liftIO . Progress.tell progress
    counting number of' = T.concat [T.pack (show number), " of ", T.pack (show of')]
    planned =
      [ Track
          { setting,
            program,
            again,
            source =
              Nothing,
            output = Nothing,
            counted = Nothing,
            runs = []
          }
        | setting <- settings plan,
          (program, again) <-
            let all' =
                  programs plan setting
             in map (,False) all' <> map (,True) (take 1 all')
      ]
    -- What was found of the first in the warm-up is known of it once more.
    afterFirst tracks =
      [ fromMaybe
          track
          ( listToMaybe
              [ first {again = True}
                | track.again,
                  first <- tracks,
                  first.setting == track.setting,
                  not first.again
              ]
          )
        | track <- tracks
      ]
    oneRound folder directory (tracks, paces) number = do
      say (T.concat ["round ", counting number plan.rounds])
      let ordered = if even (number `div` 2) then reverse else id
      done <- ordered <$> mapM (one folder directory) (ordered tracks)
      (cpu, wall) <- liftIO (paceNow (lasting done))
      let all' = paces <> [[(Sheet.cpuTime, Nanoseconds, cpu), (Sheet.wallTime, Nanoseconds, wall)]]
      liftIO (report number (sheetsOf plan all' done))
      pure (done, all')
    -- Nanoseconds: as long as one of the programs, as far as nobody minds.
    lasting tracks =
      let took =
            [ found
              | track <- tracks,
                run <- take 1 (reverse track.runs),
                (name, _, found) <- run,
                name == Sheet.cpuTime
            ]
       in max 5e6 (min 200e6 (sum took / fromIntegral (max 1 (length took))))
    one folder directory track = do
      (known, run) <- case track.source of
        Nothing -> firstRun folder directory track
        Just source -> do
          prepared folder directory track
          attempt folder directory track source
            >>= maybe (throwE (failure track "the runtime refused its options")) (pure . (track,))
      pure known {runs = known.runs <> [run]}

    -- As often as was asked for.
    warmed folder directory track = do
      (known, _) <- firstRun folder directory track
      forM_ known.source $ \source ->
        forM_ [2 .. plan.warmUp] $ \_ ->
          prepared folder directory known >> attempt folder directory known source
      pure known
    -- Which source answers is found out, and what it writes.
    firstRun folder directory track = do
      (source, run) <- settled folder directory track [RuntimeFile, RuntimePage, ProcessOnly]
      output <- liftIO (fileHash (folder </> "output"))
      counted <-
        if plan.instructions && not track.again
          then counting' folder directory track
          else pure track.counted
      pure (track {source = Just source, output, counted}, run)
    settled folder directory track = \case
      [] -> throwE (failure track "the runtime refused its options")
      source : rest -> do
        prepared folder directory track
        attempt folder directory track source >>= \case
          Nothing -> settled folder directory track rest
          -- The next time it is asked only what it answered.
          Just found ->
            pure
              ( if any (\(name, _, _) -> name == "allocated") found then source else ProcessOnly,
                found
              )
    counting' folder directory track = do
      prepared folder directory track
      liftIO
        ( instructionsOf
            folder
            ""
            well
            ( \valgrind ->
                T.concat [valgrind, "--trace-children=yes sh -c ", shellWord track.program.command]
            )
            (jobOf folder directory track)
        )

    attempt folder directory track source = do
      ran <- liftIO (once folder "" source well (jobOf folder directory track))
      case ran of
        Refused -> pure Nothing
        Failed how said ->
          throwE
            ( failure
                track
                ( T.concat
                    ( renderEnding how
                        : [": " <> line | line <- maybeToList (lastLine said)]
                    )
                )
            )
        Measured ended _ figures -> pure (Just (figuresOf ended figures))
    well ended = any ((== ending ended) . Exited) plan.exits
    jobOf folder directory track =
      (job directory track.program.command)
        { jobOutput = folder </> "output",
          jobErrors = folder </> "errors",
          jobTimeout = plan.timeLimit
        }
    prepared folder directory track = forM_ track.program.before $ \command -> do
      ended <-
        liftIO
          ( runJob
              (job directory command)
                { jobErrors =
                    folder </> "errors",
                  jobTimeout = plan.timeLimit
                }
          )
      unless (succeeded ended) $ do
        said <- liftIO (textIn (folder </> "errors"))
        throwE
          ( DataComplaint
              ( T.unpack
                  ( T.concat
                      ( ["the preparation ", command, " ", renderEnding (ending ended)]
                          <> [": " <> line | line <- maybeToList (lastLine said)]
                      )
                  )
              )
          )
    failure track what = DataComplaint (T.unpack (T.concat (track.program.command : " " : [what])))
    lastLine said =
      listToMaybe
        ( reverse
            ( filter
                (not . T.null)
                (map (T.take 300 . T.unwords . T.words) (T.lines said))
            )
        )

-- | What is kept of one run: of any process its times and memory, and what a runtime said.
figuresOf :: Ended -> Figures -> Run
figuresOf ended figures =
  [ (Sheet.cpuTime, Nanoseconds, nanoseconds (endedProcessor ended)),
    (Sheet.wallTime, Nanoseconds, nanoseconds (endedElapsed ended)),
    ("process memory", Bytes, endedResident ended)
  ]
    <> mapMaybe
      told
      [ ("allocated", Bytes, Allocated),
        ("collector", Nanoseconds, CollectorTime),
        ("copied", Bytes, Copied),
        ("collections", Count, Collections),
        ("most live", Bytes, MaxLive),
        ("memory held", Bytes, Peak)
      ]
  where
    told (name, unit, metric) =
      (\found -> (name, unit, if unit == Nanoseconds then nanoseconds found else found))
        <$> Map.lookup metric figures
    -- Whole ones, as files show them.
    nanoseconds seconds = fromIntegral (round (1e9 * seconds) :: Int)

-- | How many rounds sheets have, where all have as many.
roundsOf :: [Sheet] -> Int
roundsOf sheets = case nub (map Sheet.rounds sheets) of
  [n] -> n
  _ -> 0

-- | With the rounds that sheets have of it.
resumed :: [Sheet] -> Track -> Track
resumed sheets track = case [ entry
                              | sheet <- sheets,
                                sheet.setting == track.setting,
                                entry <-
                                  if track.again
                                    then maybeToList sheet.control
                                    else sheet.entries,
                                track.again || entry.name == track.program.name
                            ] of
  entry : _ ->
    track
      { runs = runsOf entry
      }
  [] -> track

-- | What is kept of the machine's pace, which is the same in all sheets.
pacesOf :: [Sheet] -> [Run]
pacesOf sheets = case sheets of
  first : _ -> maybe [] runsOf first.pace
  [] -> []

-- | The runs that an entry was made of.
runsOf :: Entry -> [Run]
runsOf entry =
  transpose
    [ [(figure.name, figure.unit, found) | found <- figure.samples]
      | figure <- entry.figures,
        figure.name /= "instructions"
    ]

-- | The figures of runs: those that all have.
figuresIn :: [Run] -> [Figure]
figuresIn runs =
  [ Figure {Sheet.name = name, unit, samples}
    | first : _ <- [runs],
      (name, unit, _) <- first,
      let samples = [found | run <- runs, (name', _, found) <- run, name' == name],
      length samples == length runs
  ]

sheetsOf :: Plan -> [Run] -> [Track] -> [Sheet]
sheetsOf plan paces tracks = map one (settings plan)
  where
    one setting =
      let here = filter ((== setting) . (.setting)) tracks
          entries = [entryOf track | track <- here, not track.again]
          control = listToMaybe [entryOf track | track <- here, track.again]
       in Sheet
            { title = "programs",
              setting,
              rounds = maximum (0 : map (length . (.runs)) here),
              floors = Sheet.floorsOf entries control,
              entries,
              control,
              pace = if null paces then Nothing else Just (Entry "pace" (figuresIn paces)),
              remarks = different [track | track <- here, not track.again]
            }
    different here =
      [ T.concat
          [ "What ",
            track.program.name,
            " writes is not what ",
            first.program.name,
            " writes."
          ]
        | first : others <- [here],
          track <- others,
          isJust track.output,
          track.output /= first.output
      ]
    entryOf track =
      Entry
        { Sheet.name = track.program.name,
          figures =
            figuresIn track.runs
              <> [ Figure {Sheet.name = "instructions", unit = Count, samples = [n]}
                   | n <-
                       maybeToList track.counted
                 ]
        }
