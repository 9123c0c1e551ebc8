{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}

-- | A program that measures benchmarks.
--
-- The idea: the benchmarks right in one group are timed together, in the same rounds,
-- with an empty one whose time is taken off; then the groups within it. Each table is
-- shown as soon as it is there. One that throws, gives a wrong result or takes longer than
-- it may is said to, and the others go on; the program then ends with 1.
--
-- Start at 'labMain'.
module Tern.Lab.Benchmark.Run
  ( labMain,
    Found (..),
    measured,
    onlyLookedAt,
    renderFound,

    -- * What is saved
    Results (..),
    formatVersion,
    sheetsOf,
    growthsOf,
  )
where

import Control.Exception
  ( SomeAsyncException,
    SomeException (..),
    bracket,
    displayException,
    fromException,
    throwIO,
    try,
  )
import Control.Monad (forM, forM_, unless, when)
import Data.ByteString.Lazy qualified as L
import Data.Either (partitionEithers)
import Data.Foldable (toList)
import Data.IORef (modifyIORef', newIORef, readIORef, writeIORef)
import Data.List (intercalate, isInfixOf)
import Data.List.NonEmpty qualified as NonEmpty
import Data.Maybe (fromMaybe, isJust, listToMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Text.IO qualified as T
import GHC.Generics (Generic)
import Options.Applicative hiding (action, columns, empty, some)
import System.Exit (exitFailure)
import System.IO (hFlush, hPutStrLn, stderr, stdout)
import System.Posix.Signals (Handler (Ignore), fileSizeLimitExceeded, installHandler)
import Tern (Wire, encodeJson)
import Tern.File (isReplaced, writeWhole)
import Tern.Lab.Benchmark.Alone (Wanted (..), alone, enriched)
import Tern.Lab.Benchmark.Definition (Benchmark (..), Benchmarkable (..), limited, names)
import Tern.Lab.Complaint (refusal)
import Tern.Lab.Cost (costOf, without)
import Tern.Lab.Interval (Interval (..), fewestRounds, seen)
import Tern.Lab.Machine (thisMachine)
import Tern.Lab.Measure
  ( Settings (..),
    Timing (..),
    allocations,
    defaultSettings,
    emptyLike,
    timings,
  )
import Tern.Lab.Outlet qualified as Outlet
import Tern.Lab.Pace (paceWork)
import Tern.Lab.Progress (Progress)
import Tern.Lab.Progress qualified as Progress
import Tern.Lab.Result (Cost (..), Machine)
import Tern.Lab.Sheet
  ( Choice (Choice),
    Entry (Entry),
    Floor (Floor),
    Sheet
      ( Sheet,
        control,
        entries,
        floors,
        remarks,
        setting,
        title
      ),
    cpuTime,
    ofCost,
    wallTime,
  )
import Tern.Lab.Sheet qualified as Sheet (Sheet (pace, rounds))
import Tern.Lab.Sheet.Page (page)
import Tern.Lab.Sheet.Report (Grown, growths, outgrows, renderGrowths)
import Tern.Lab.Stats (Spread (..), unseen)
import Tern.Lab.Table (Align (..), bytes, columns, duration, grouped, memory, percent, ratio)
import Text.Read (readMaybe)

-- * The program

data Asked = Asked
  { wanted :: [String],
    patience :: Settings,
    listing :: Bool,
    saving :: Maybe FilePath,
    showing :: Maybe FilePath,
    -- | Does it end with 1 where something grows faster than its size?
    check :: Bool,
    -- | Seconds that an operation may take once.
    mostSeconds :: Maybe Double,
    further :: Wanted,
    -- | In a process of its own: which, and how often.
    only :: Maybe ([String], Int)
  }

asked :: ParserInfo Asked
asked =
  info
    (helper <*> options)
    ( fullDesc
        <> progDesc
          "Measure benchmarks: CPU time in interleaved rounds, exact allocation, and which \
          \differences can be seen"
        <> footer
          "Collector times need +RTS -T, or -with-rtsopts=-T in ghc-options. Exit codes: 0 \
          \done, 1 where a benchmark throws, gives a wrong result or takes longer than \
          \--timeout, 2 for a command line that makes no sense."
    )
  where
    options =
      Asked
        <$> many
          ( strArgument
              ( metavar "PART.."
                  <> help "only benchmarks with one of these in their paths (a/b/c)"
              )
          )
        <*> settings
        <*> switch (long "list" <> short 'l' <> help "list the benchmarks and measure nothing")
        <*> optional
          ( strOption
              ( long "save"
                  <> metavar "FILE"
                  <> help "save what there is as JSON (nanoseconds, bytes) in FILE after each group"
              )
          )
        <*> optional
          ( strOption
              ( long "html"
                  <> metavar "FILE"
                  <> help "write a page of what there is after each group, which needs nothing else"
              )
          )
        <*> switch
          ( long "check"
              <> help
                "end with 1 where the figures of a group of sizes grow faster than the size; \
                \times count from 10 rounds on"
          )
        <*> optional
          ( option
              seconds
              ( long "timeout"
                  <> metavar "SECONDS"
                  <> help "leave out what takes longer than this to be done once"
              )
          )
        <*> ( Wanted
                <$> switch
                  ( long "memory"
                      <> help
                        "also the most that was alive and the most memory, of each benchmark in \
                        \a process of its own (needs -with-rtsopts=-T)"
                  )
                <*> switch
                  ( long "instructions"
                      <> help
                        "also instructions, of each benchmark in a process of its own under \
                        \valgrind"
                  )
            )
        <*> optional
          ( (,)
              <$> option auto (long "alone" <> internal)
              <*> option auto (long "times" <> internal)
          )
    settings =
      Settings
        <$> option
          (from 2)
          ( long "rounds"
              <> metavar "N"
              <> value (rounds defaultSettings)
              <> showDefault
              <> help "how often everything is timed"
          )
        <*> (fmap ((* 1e6) . fromIntegral) . option (from 1))
          ( long "batch"
              <> metavar "MS"
              <> value 5
              <> showDefault
              <> help "how long one batch of an operation lasts, in milliseconds"
          )
    seconds =
      auto >>= \n ->
        if n > (0 :: Double) && n < 1e6
          then pure n
          else readerError "expected a number of seconds, above 0"
    from least =
      auto >>= \n ->
        if n < least
          then readerError ("expected a number from " <> show least <> " on")
          else pure (n :: Int)

-- | Measure those that the arguments name, or all.
labMain :: [Benchmark] -> IO ()
labMain given = do
  -- A file that becomes larger than it may is said so of, as of a full disk.
  _ <- installHandler fileSizeLimitExceeded Ignore Nothing
  Asked {..} <- execParser asked
  let benchmarks = maybe id limited mostSeconds given
  let matching path = null wanted || any (`isInfixOf` intercalate "/" path) wanted
      chosen = concatMap (filter matching . names) benchmarks
  when (null chosen) $ do
    T.hPutStrLn stderr "no benchmark has such a name; --list shows them"
    exitFailure
  case only of
    Just (path, times) -> alone benchmarks path times >>= \there -> unless there exitFailure
    Nothing
      | listing -> mapM_ (putStrLn . intercalate "/") chosen
      | otherwise -> all' Asked {..} matching benchmarks
  where
    all' Asked {..} matching benchmarks = do
      progress <- Progress.onTerminal
      machine <- thisMachine
      done <- newIORef []
      failed <- newIORef False
      let save atEnd = do
            groups <- reverse <$> readIORef done
            let kept = encodeJson Results {format = formatVersion, machine, groups} <> "\n"
                shown = page "Benchmarks" machine (concatMap sheetsOf groups)
            forM_ saving $ \file -> put atEnd file kept
            forM_ showing $ \file -> put atEnd file (T.encodeUtf8 shown)
          -- What is no regular file, as a pipe, gets all at the end.
          put atEnd file content = do
            fit <- if atEnd then pure True else isReplaced file
            when fit (try (writeWhole file (L.fromStrict content)) >>= either (refused file) pure)
      mapM_ outlet (toList saving <> toList showing)
      save False
      measured patience (enriched further) progress matching benchmarks $ \found -> do
        Progress.clear progress
        T.putStr (renderFound found)
        hFlush stdout
        modifyIORef' done (found :)
        when
          (not (null (threw found)) || check && any outgrows (growthsOf found))
          (writeIORef failed True)
        save False
      save True
      readIORef failed >>= \bad -> when bad exitFailure
    -- A refusal is one line, before anything is measured.
    outlet file = try (Outlet.ready file) >>= either (refused file) pure
    refused file failure = do
      hPutStrLn stderr (concat [file, ": ", refusal failure])
      exitFailure

-- * Measuring

-- | What is saved.
data Results = Results
  { format :: !Text,
    machine :: !Machine,
    groups :: ![Found]
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | What 'format' says.
formatVersion :: Text
formatVersion = "tern-lab benchmarks 1"

-- | What was found of one group.
data Found = Found
  { path :: ![Text],
    floorOfTime :: !Double,
    -- | What the laboratory's own work cost in the same rounds; of results that are older
    -- than the field it is unknown.
    pace :: !(Maybe Cost),
    -- | By their names, in order.
    costs :: ![(Text, Cost)],
    -- | Those that were left out, with why: what they threw, most often.
    threw :: ![(Text, Text)],
    -- | Those that were computed once and then only looked at, with how many bytes the
    -- first time allocated; of results that are older than the field they are unknown.
    shared :: !(Maybe [(Text, Int)])
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | Measure those whose path fits, group by group. What more is wanted of each is done
-- with its path, how often one operation works, and its figures. The action gets each group
-- that has some as soon as it is there.
measured ::
  Settings ->
  ([Text] -> Int -> Cost -> IO Cost) ->
  Progress ->
  ([String] -> Bool) ->
  [Benchmark] ->
  (Found -> IO ()) ->
  IO ()
measured settings further progress matching = go []
  where
    go path benchmarks report = do
      let singles = [(name, it) | Single name it <- benchmarks, matching (path <> [name])]
      unless (null singles) (together path singles >>= report)
      mapM_ (inner path report) benchmarks
    inner path report = \case
      Single _ _ -> pure ()
      Group name some -> go (path <> [name]) some report
      within@(Within make clear of')
        | any (matching . (path <>)) (names within) ->
            bracket make clear (\it -> go path [of' it] report)
        | otherwise -> pure ()
    together path singles = do
      let say what = Progress.tell progress (T.intercalate "/" (map T.pack path) <> ": " <> what)
      say "counting bytes"
      -- Each once by itself: what throws is left out of the rounds.
      counted <- forM singles $ \(name, Benchmarkable times one before) -> do
        outcome <- try (before >> allocations one)
        case outcome of
          Right bytes' -> pure (Right (name, times, one, bytes'))
          -- What was thrown says why; from where is no part of that (GHC 9.10 adds it).
          Left failure@(SomeException thrown)
            | Just asynchronous <- fromException failure ->
                throwIO (asynchronous :: SomeAsyncException)
            | otherwise ->
                pure (Left (T.pack name, T.take 300 (T.pack (displayException thrown))))
      let (failed, ready) = partitionEithers counted
          beginning n =
            say (T.concat ["round ", T.pack (show n), " of ", T.pack (show (rounds settings))])
      -- Each beside an empty one that is done in the same way.
      (paces, timed) <-
        fmap pairs . splitAt 1
          <$> timings
            settings
            beginning
            (paceWork : concat [[emptyLike one, one] | (_, _, one, _) <- ready])
      say "what was asked for besides"
      found <- forM (zip ready timed) $ \((name, count, _, (_, allocated)), (empty, time)) ->
        (,) (T.pack name)
          <$> further
            (map T.pack (path <> [name]))
            count
            (costOf count allocated (time `without` empty))
      pure
        Found
          { path = map T.pack path,
            floorOfTime = unseen (map (cpuTimes . snd) timed),
            pace = costOf 1 0 <$> listToMaybe paces,
            costs = found,
            threw = failed,
            shared =
              Just
                [ (name, first)
                  | ((_, _, _, (first, _)), (name, one)) <- zip ready found,
                    onlyLookedAt first one
                ]
          }
    pairs = \case
      a : b : rest -> (a, b) : pairs rest
      _ -> []

-- | The first time made a kilobyte or more, and each one after it makes nothing and takes
-- no longer than looking at something does: what is to be measured is no part of it.
onlyLookedAt :: Int -> Cost -> Bool
onlyLookedAt first Cost {time, allocated} =
  first >= 1024 && allocated <= 0 && median time < 10

-- | A group as any other figures. Benchmarks that are named by numbers are sizes of one
-- thing: each is a sheet of its own, whose setting is the size.
sheetsOf :: Found -> [Sheet]
sheetsOf Found {path, floorOfTime, pace, costs, threw, shared}
  | length sizes' > 1, length sizes' == length costs = map (uncurry sized) sizes'
  | otherwise = [sheet [] [Entry name (ofCost of') | (name, of') <- costs]]
  where
    name' = T.intercalate "/" path
    sizes' =
      [ (name, of')
        | (name, of') <- costs,
          Just size <- [readMaybe (T.unpack name)],
          size > (0 :: Int)
      ]
    sized size of' =
      sheet [Choice "n" size] [Entry name' (ofCost of')]
    sheet setting entries =
      Sheet
        { title = name',
          setting,
          Sheet.rounds = maximum (0 : map (maybe 0 length . samples . snd) costs),
          floors = [Floor cpuTime floorOfTime, Floor wallTime floorOfTime],
          entries,
          control = Nothing,
          Sheet.pace = Entry "pace" . ofCost <$> pace,
          remarks =
            [T.concat [name, " is left out: ", what] | (name, what) <- threw]
              <> maybe [] (map saidOnce) shared
        }

saidOnce :: (Text, Int) -> Text
saidOnce (name, first) =
  T.concat
    [ name,
      " is computed once and then only looked at: its first time allocated ",
      bytes first,
      ", and the others nothing; give the function and its argument apart (nf f x)"
    ]

-- | How the figures of sizes grow.
growthsOf :: Found -> [Grown]
growthsOf = growths . sheetsOf

-- * For people

-- | A table, and what can be seen.
renderFound :: Found -> Text
renderFound Found {..} =
  T.unlines $
    [T.intercalate "/" path | not (null path)]
      <> [""]
      <> map
        ("  " <>)
        ( columns
            (ToLeft : replicate (length headers - 1) ToRight)
            (headers : map row costs)
        )
      <> [T.concat ["  ", name, " is left out: ", T.unwords (T.words what)] | (name, what) <- threw]
      <> maybe [] (map (("  " <>) . saidOnce)) shared
      <> [ line
           | grown@(_ : _) <- [renderGrowths outgrows (growthsOf Found {..})],
             line <- "" : map ("  " <>) grown
         ]
      <> [ "",
           "  "
             <> T.concat ["Differences below ", percent floorOfTime, " cannot be seen here."],
           ""
         ]
  where
    timedBy = isJust . collector . snd
    headers =
      ["", "median", "quartiles", "wall"]
        <> concat [["collector", "copied", "collections"] | any timedBy costs]
        <> ["allocated"]
        <> [name | (name, _, _) <- besides]
        <> ["times " <> name | (name, _) : _ : _ <- [costs]]
    -- What was asked for, where some have it.
    besides =
      [ one
        | one@(_, figure, _) <-
            [ ("most live", mostLive, bytes),
              ("memory held", mostHeld, memory),
              ("instructions", instructions, grouped)
            ],
          any (isJust . figure . snd) costs
      ]
    row (name, found) =
      [ name,
        duration (median (time found)),
        T.concat
          [ duration
              (lowerQuartile (time found)),
            " … ",
            duration (upperQuartile (time found))
          ],
        duration (wall found)
      ]
        <> concat
          [ [ maybe
                "-"
                duration
                (collector found),
              maybe "-" (bytes . round) (copied found),
              maybe "-" rate (collections found)
            ]
            | any timedBy costs
          ]
        <> [bytes (round (allocated found))]
        <> [maybe "-" (shown . round) (figure found) | (_, figure, shown) <- besides]
        <> [beside found first | (_, first) : _ : _ <- [costs]]
    beside found first
      | found == first = "1"
      | otherwise = fromMaybe "-" $ do
          mine <- samples found >>= NonEmpty.nonEmpty
          its <- samples first >>= NonEmpty.nonEmpty
          Just $ case seen floorOfTime mine its of
            Just Interval {..} ->
              T.concat [ratio middle 1, " (", ratio lower 1, " to ", ratio upper 1, ")"]
            -- What takes as long as nothing has no ratio to anything.
            Nothing
              | length mine >= fewestRounds, any (<= 0) mine /= any (<= 0) its -> "-"
              | otherwise -> "no difference seen"
    -- Collections of one time are few: one in how many.
    rate each
      | each >= 1 = T.pack (show (round each :: Int))
      | each > 0 = "1 in " <> grouped (round (1 / each))
      | otherwise = "0"
