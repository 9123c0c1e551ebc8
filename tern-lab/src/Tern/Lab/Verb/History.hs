{-# LANGUAGE ApplicativeDo #-}
{-# LANGUAGE OverloadedStrings #-}

-- | @tern-lab history@, @tern-lab merge@ and @tern-lab bisect@: the command
-- lines of "Tern.Lab.History".
module Tern.Lab.Verb.History
  ( verb,
    mergeVerb,
    bisectVerb,

    -- * Against another branch
    Against,
    againstOptions,
    againstPlan,
    against,
  )
where

import Control.Exception (IOException, try)
import Control.Monad (void, when)
import Control.Monad.Trans.Class (lift)
import Control.Monad.Trans.Except (ExceptT (..), throwE)
import Data.Bifunctor (first)
import Data.ByteString qualified as B
import Data.IORef (newIORef, readIORef, writeIORef)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import Options.Applicative
import System.Directory (XdgDirectory (..), getXdgDirectory, makeAbsolute)
import System.FilePath (normalise, (</>))
import System.IO (stderr)
import System.IO.Error (ioeGetErrorString)
import Tern.Lab.Complaint (Complaint (..))
import Tern.Lab.Core.Workbench (Build (..))
import Tern.Lab.History (Event (..), Site (..), comparison, history, merge)
import Tern.Lab.History.Bisect (Found (..), bisect)
import Tern.Lab.History.Component (onlyExecutable)
import Tern.Lab.History.Explain (explainChanges)
import Tern.Lab.History.Git
  ( Commit (..),
    commitNamed,
    isDirty,
    mergeBase,
    openRepository,
    shortHash,
  )
import Tern.Lab.History.Metric
  ( Direction (..),
    Metric (..),
    Threshold (..),
    Thresholds,
    defaultThresholds,
    metricName,
    metricNamed,
    metricTitle,
    metricUnit,
    metrics,
    renderPercent,
    renderQuantity,
  )
import Tern.Lab.History.Plan (Plan (..), benchmark, cabalComponent, checkPlan, defaultPlan, shard)
import Tern.Lab.History.Problem (Problem (..), isUsage, renderProblem)
import Tern.Lab.History.Progress (Loudness (..), progress)
import Tern.Lab.History.Record
  ( Measurement (..),
    Ran (..),
    Record (..),
    Results (..),
    Source (..),
    failureWords,
    figuresOf,
    whyLines,
  )
import Tern.Lab.History.Record.Json (decodeResults)
import Tern.Lab.History.Report (mayWriteReports, writeReports)
import Tern.Lab.History.Report.Table (comment)
import Tern.Lab.History.Verdict (Change (..), Flag (..), flags, renderFlag)
import Tern.Lab.Table (counted)
import Tern.Lab.Verb (Verb (..))
import Text.Read (readMaybe)

-- * What the verbs share

-- | The place and the plan, as the options say.
data Asked = Asked
  { askedRepository :: !FilePath,
    askedCache :: !(Maybe FilePath),
    askedComponent :: !(Maybe Text),
    askedShard :: !(Maybe Text),
    askedFlagging :: !Flagging,
    askedPlan :: !Plan
  }

-- | From which change on a figure is flagged, as a part of the older one.
data Flagging = Flagging
  { flaggingThreshold :: !(Maybe Double),
    -- | Of processor time, where it is flagged at all.
    flaggingTime :: !(Maybe Double)
  }

complaint :: Problem -> Complaint
complaint problem
  | isUsage problem = UsageComplaint (T.unpack (renderProblem problem))
  | otherwise = DataComplaint (T.unpack (renderProblem problem))

orComplain :: IO (Either Problem a) -> ExceptT Complaint IO a
orComplain = ExceptT . fmap (first complaint)

rangeOption :: Parser Text
rangeOption =
  strArgument (metavar "A..B" <> help "The commits after A up to B; A is measured to compare with")

-- | Does a verb measure all of a range, or only the commits that it needs?
data Reach = EveryCommit | SomeCommits
  deriving stock (Eq, Show)

planOptions :: Reach -> Parser Text -> Parser Asked
planOptions reach rangeAsked =
  Asked
    <$> strOption
      ( long "repository"
          <> short 'C'
          <> metavar "DIR"
          <> value "."
          <> help "A folder inside the repository (default: here)"
      )
    <*> optional
      ( strOption
          ( long "cache"
              <> metavar "DIR"
              <> help
                "Where worktrees, figures and logs are kept (default: ~/.cache/tern-lab/history)"
          )
      )
    <*> optional
      ( strOption
          ( long "component"
              <> metavar "NAME"
              <> help
                "Build this component of a cabal project, for example exe:server, and run its \
                \executable"
          )
      )
    <*> ofAll
      Nothing
      ( optional
          ( strOption
              ( long "shard"
                  <> metavar "I/N"
                  <> help
                    "Only part I of N of the range; put the parts together with tern-lab merge"
              )
          )
      )
    <*> flaggingOptions
    <*> plan
  where
    ofAll standard asked = if reach == EveryCommit then asked else pure standard
    plan = do
      range <- rangeAsked
      firstParent <-
        ofAll False (switch (long "first-parent" <> help "Leave out the commits of side branches"))
      prepare <-
        optional
          ( strOption
              ( long "prepare"
                  <> metavar "COMMAND"
                  <> help
                    "Run before each build, for example to patch old commits; $TERN_LAB_COMMIT \
                    \is the commit, $TERN_LAB_ORIGIN your folder"
              )
          )
      build <- strOption (long "build" <> metavar "COMMAND" <> value "" <> help "Build a commit")
      executable <-
        optional
          ( strOption
              ( long "executable"
                  <> metavar "PATH"
                  <> help
                    "Where the build leaves the executable; $(COMMAND) works (default: the \
                    \first word of the first run command, if that is a file)"
              )
          )
      benchmarks <-
        many
          ( benchmark
              <$> strOption
                ( long "run"
                    <> metavar "[NAME: ]COMMAND"
                    <> help "Measure this command; {exe} is the executable; may be repeated"
                )
          )
      input <-
        optional
          ( strOption
              ( long "input"
                  <> metavar "FILE"
                  <> help "Given to each run on standard input"
              )
          )
      uses <-
        many
          ( strOption
              ( long "uses"
                  <> metavar "FILE"
                  <> help
                    "Another file that the runs read; figures are measured again when it changes"
              )
          )
      runtime <-
        strOption
          ( long "rts"
              <> metavar "OPTIONS"
              <> value ""
              <> help "Options for the Haskell runtime, for example -A64m"
          )
      runs <-
        option
          positive
          ( long "runs"
              <> short 'n'
              <> metavar "N"
              <> value 5
              <> help "Runs of each program (default: 5)"
          )
      limit <-
        option
          seconds
          ( long "timeout"
              <> metavar "SECONDS"
              <> value 1800
              <> help "End a command that takes longer (default: 1800)"
          )
      jobs <-
        ofAll
          1
          ( option
              positive
              ( long "jobs"
                  <> short 'j'
                  <> metavar "N"
                  <> value 1
                  <> help "Build N commits side by side; nothing is measured meanwhile (default: 1)"
              )
          )
      incremental <-
        switch
          ( long "incremental"
              <> help
                "Keep ignored files from build to build: faster, but compile times say nothing"
          )
      instructions <-
        switch
          ( long "instructions"
              <> help "Count instructions too, by one more run under valgrind"
          )
      giveUp <-
        ofAll
          Nothing
          ( optional
              ( option
                  positive
                  ( long "give-up"
                      <> metavar "N"
                      <> help "Try no more after N commits in a row that did not build"
                  )
              )
          )
      notes <-
        optional
          ( strOption
              ( long "notes"
                  <> metavar "REF"
                  <> help
                    "Take records from git notes of this name, and keep new ones there: share \
                    \them with git push origin refs/notes/REF"
              )
          )
      expected <-
        optional
          ( strOption
              ( long "expect"
                  <> metavar "FILE"
                  <> help "What each run must write to standard output"
              )
          )
      pure
        (defaultPlan range)
          { planFirstParent = firstParent,
            planPrepare = prepare,
            planBuild = build,
            planExecutable = executable,
            planBenchmarks = benchmarks,
            planInput = input,
            planUses = uses,
            planRuntime = runtime,
            planRuns = runs,
            planTimeout = Just limit,
            planJobs = jobs,
            planIncremental = incremental,
            planInstructions = instructions,
            planExpected = expected,
            planGiveUp = giveUp,
            planNotes = notes
          }
    positive = eitherReader $ \text -> case readMaybe text of
      Just n | n >= 1 -> Right n
      _ -> Left ("'" <> text <> "' is not a number from 1 on")
    seconds = eitherReader $ \text -> case readMaybe text of
      Just s | s > (0 :: Double), not (isInfinite s) -> Right s
      _ -> Left ("'" <> text <> "' is not a number of seconds")

flaggingOptions :: Parser Flagging
flaggingOptions =
  Flagging
    <$> optional
      ( option
          percent
          ( long "threshold"
              <> metavar "PERCENT"
              <> help
                "Flag a change of allocation and instructions from this many per cent on \
                \(default: 1)"
          )
      )
    <*> optional
      ( option
          percent
          ( long "time"
              <> metavar "PERCENT"
              <> help
                "Flag processor time as well, where what it wanders excludes that nothing \
                \changed, from this many per cent on; --runs 20 sees more"
          )
      )
  where
    percent = eitherReader $ \text -> case readMaybe text of
      Just p | p >= (0 :: Double), not (isInfinite p) -> Right (p / 100)
      _ -> Left ("'" <> text <> "' is not a number of per cent")

-- | Thresholds as the options have them.
flaggedFrom :: Flagging -> Thresholds -> Thresholds
flaggedFrom asked = withTime . withThreshold
  where
    withTime =
      maybe id (\fraction -> Map.insert ProcessTime (Threshold fraction 0)) (flaggingTime asked)
    withThreshold thresholds = case flaggingThreshold asked of
      Nothing -> thresholds
      Just fraction ->
        Map.mapWithKey
          ( \metric t ->
              if metric `elem` [Allocated, Instructions]
                then t {thresholdFraction = fraction}
                else t
          )
          thresholds

-- | The plan with everything that an option says about it.
planned :: Asked -> Either Problem Asked
planned asked = do
  part <- traverse shard (askedShard asked)
  let plan =
        (askedPlan asked)
          { planShard = part,
            planThresholds = flaggedFrom (askedFlagging asked) (planThresholds (askedPlan asked))
          }
  let whole = maybe id cabalComponent (askedComponent asked) plan
  -- Without a build command the only executable of a cabal project is meant;
  -- that is looked for when the verb runs.
  if T.null (planBuild plan) && null (askedComponent asked)
    then pure asked {askedPlan = plan}
    else (\checked -> asked {askedPlan = checked}) <$> checkPlan whole

-- | Relative files belong to where the user stands, not to a worktree.
place :: Asked -> ExceptT Complaint IO (Site, Plan)
place asked = do
  _ <- orComplain (openRepository (askedRepository asked))
  (at, plan) <- lift (whereAsked asked)
  meant <-
    if T.null (planBuild plan)
      then (`cabalComponent` plan) <$> orComplain (onlyExecutable (askedRepository asked))
      else pure plan
  checked <- orComplain (pure (checkPlan meant))
  pure (at, checked)

whereAsked :: Asked -> IO (Site, Plan)
whereAsked asked = do
  cache <- maybe (getXdgDirectory XdgCache "tern-lab/history") makeAbsolute (askedCache asked)
  repository <- makeAbsolute (askedRepository asked)
  let plan = askedPlan asked
  input <- traverse makeAbsolute (planInput plan)
  expected <- traverse makeAbsolute (planExpected plan)
  pure (Site repository cache, plan {planInput = input, planExpected = expected})

noteDirty :: Site -> FilePath -> IO ()
noteDirty at output =
  openRepository (placeRepository at) >>= \case
    Right repository -> do
      dirty <- isDirty repository output
      when
        dirty
        ( T.hPutStrLn
            stderr
            "tern-lab: note: the checkout has changes that no commit holds; they are left alone \
            \and not measured"
        )
    Left _ -> pure ()

-- * history

data HistoryOptions = HistoryOptions
  { historyAsked :: !Asked,
    -- | Else a folder of the project that is measured.
    historyOutput :: !(Maybe FilePath),
    historyAgain :: !Bool,
    historyWhy :: !Bool,
    historyVerbose :: !Bool
  }

-- | @tern-lab history@. Reports are written while it goes on. It ends with 1 where it gave up, or
-- no commit could be measured.
verb :: Verb
verb =
  Verb
    { verbName = "history",
      verbSummary = "Measure every commit of a range and say which one changed what",
      verbLesson =
        [ "For a cabal project: tern-lab history v1.0..HEAD --component exe:server --run '{exe} \
          \--bench'.",
          "For anything else: tern-lab history HEAD~20..HEAD --build 'ghc -O -rtsopts Main.hs \
          \-o main' --run './main 1000'.",
          "Works in private worktrees and never touches your checkout. Stop it and start it \
          \again as you like: it goes on where it was."
        ],
      verbOptions =
        HistoryOptions
          <$> planOptions EveryCommit rangeOption
          <*> optional
            ( strOption
                ( long "output"
                    <> short 'o'
                    <> metavar "DIR"
                    <> help
                      "The folder for the reports (default: tern-lab-history, in the folder of -C)"
                )
            )
          <*> switch (long "again" <> help "Try the commits again that did not build or run before")
          <*> switch
            ( long "why"
                <> help
                  "Build each flagged commit and the one before it once more, and say what the \
                  \optimiser did differently"
            )
          <*> switch (long "verbose" <> short 'v' <> help "A line for each commit"),
      verbPlan = \options -> do
        asked <- first complaint (planned (historyAsked options))
        pure options {historyAsked = asked},
      verbRun = \options -> do
        (at, plan) <- place (historyAsked options)
        let output =
              fromMaybe
                (normalise (askedRepository (historyAsked options) </> "tern-lab-history"))
                (historyOutput options)
        lift (makeAbsolute output >>= noteDirty at)
        orComplain (mayWriteReports output)
        shown <- lift (progress (if historyVerbose options then EachCommit else OnTerminal))
        gaveUp <- lift (newIORef Nothing)
        let thresholds = planThresholds plan
            tell event = do
              shown event
              case event of
                -- What is wrong with the folder by now is said at the end.
                SoFar results -> void (writeReports output thresholds results)
                GaveUp broken left -> writeIORef gaveUp (Just (broken, left))
                _ -> pure ()
        measured <- orComplain (history tell (historyAgain options) at plan)
        core <- lift (getXdgDirectory XdgCache "tern-lab/core")
        results <-
          if historyWhy options
            then orComplain (explainChanges (Build "ghc" [] [] False False core) at measured plan)
            else pure measured
        report output thresholds results
        lift (readIORef gaveUp) >>= mapM_ (throwE . DataComplaint . uncurry givenUp)
        when
          (all unmeasured (resultsRecords results))
          ( throwE
              ( DataComplaint
                  "no commit could be measured; what their commands said is above and in the \
                  \reports"
              )
          )
    }
  where
    givenUp broken left =
      concat
        [ "gave up after ",
          T.unpack (counted broken "commit"),
          " in a row that did not build, with ",
          show left,
          " left; the reports show the first error of each"
        ]
    unmeasured r = and [Map.null (figuresOf name r) | (name, _) <- recordRuns r]

-- | Write the reports and say in a few lines what they show.
report :: FilePath -> Thresholds -> Results -> ExceptT Complaint IO ()
report folder thresholds results = do
  orComplain (writeReports folder thresholds results)
  lift $ do
    let flagged = [(r, fs) | (r, fs@(_ : _)) <- flags thresholds results]
        records = resultsRecords results
        number = T.pack . show . length
    mapM_
      ( \(r, fs) ->
          mapM_
            ( \f ->
                T.putStrLn
                  ( T.concat
                      [ shortHash
                          (commitHash (recordCommit r)),
                        "  ",
                        renderFlag f,
                        "  ",
                        T.take 60 (commitSubject (recordCommit r))
                      ]
                  )
                  >> mapM_ (T.putStrLn . ("         " <>) . T.take 160) (wordsOf f)
            )
            fs
            >> mapM_ (T.putStrLn . ("         " <>)) (whyLines r)
      )
      flagged
    T.putStrLn
      ( T.concat
          [ counted (length records) "commit",
            ", ",
            number flagged,
            " flagged; see ",
            T.pack folder,
            "/history.html"
          ]
      )
    mapM_ T.putStrLn (sourceNotes records)

-- | What the command said that failed.
wordsOf :: Flag -> Maybe Text
wordsOf = \case
  DidNotBuild failure -> failureWords failure
  DidNotRun _ failure -> failureWords failure
  _ -> Nothing

-- | What a reader must know about where the figures come from.
sourceNotes :: [Record] -> [Text]
sourceNotes records =
  [ T.concat
      [ "note: the runtime's options are not allowed in ",
        names RuntimePage,
        ": times are to a millisecond; link with -rtsopts for exact ones"
      ]
    | RuntimePage `Set.member` sources
  ]
    <> [ T.concat
           [ "note: no Haskell runtime answered in ",
             names ProcessOnly,
             ": figures are those of the process, and nothing is flagged by them; a GHC program \
             \needs -rtsopts"
           ]
         | ProcessOnly `Set.member` sources
       ]
  where
    measured = [(name, measuredSource m) | r <- records, (name, Ran m) <- recordRuns r]
    sources = Set.fromList (map snd measured)
    names source =
      T.intercalate ", " (Set.toList (Set.fromList [name | (name, s) <- measured, s == source]))

-- * Against another branch

-- | The branch to compare with, and how this commit and where it left that one are measured.
data Against = AgainstOptions
  { againstBranch :: !Text,
    againstWhy :: !Bool,
    againstAsked :: !Asked
  }

-- | Options of @tern-lab check@. It fails without @--against@, so that others can stand beside it.
againstOptions :: Parser Against
againstOptions =
  AgainstOptions
    <$> strOption
      ( long "against"
          <> metavar "COMMIT"
          <> help "Measure this commit and where it left that branch, and comment on the difference"
      )
    <*> switch (long "why" <> help "Say what the optimiser did differently")
    <*> planOptions SomeCommits (pure "HEAD~0..HEAD")

-- | The options with a whole plan, or what is wrong with them. Git is not asked yet.
againstPlan :: Against -> Either Complaint Against
againstPlan options =
  (\asked -> options {againstAsked = asked}) <$> first complaint (planned (againstAsked options))

-- | Two commits are measured, whatever is between them.
against :: Against -> ExceptT Complaint IO ()
against options = do
  (at, plan) <- place (againstAsked options)
  lift (noteDirty at "")
  repository <- orComplain (openRepository (placeRepository at))
  other <- orComplain (commitNamed repository (againstBranch options))
  base <- orComplain (mergeBase repository (commitHash other) "HEAD")
  tell <- lift (progress OnTerminal)
  measured <- orComplain (comparison tell at plan base "HEAD")
  core <- lift (getXdgDirectory XdgCache "tern-lab/core")
  results <-
    if againstWhy options
      then orComplain (explainChanges (Build "ghc" [] [] False False core) at measured plan)
      else pure measured
  lift (T.putStr (comment (againstBranch options) (planThresholds plan) results))
  case [f | (_, fs) <- drop 1 (flags (planThresholds plan) results), f <- fs, worse f] of
    [] -> pure ()
    worst ->
      throwE
        ( DataComplaint
            ( show (length worst)
                <> (if length worst == 1 then " figure is" else " figures are")
                <> " worse than at "
                <> T.unpack (againstBranch options)
            )
        )
  where
    worse = \case
      Changed _ c -> changeDirection c == Regression
      DidNotBuild _ -> True
      DidNotRun _ _ -> True
      _ -> False

-- * merge

-- | @tern-lab merge@. Results do not say from which change on the parts were flagged: it is asked
-- again.
mergeVerb :: Verb
mergeVerb =
  Verb
    { verbName = "merge",
      verbSummary = "Put the parts of a history that was measured in shards together",
      verbLesson = ["tern-lab merge part-*/history.json -o whole"],
      verbOptions =
        (,,)
          <$> some (strArgument (metavar "FILE..." <> help "history.json of each part"))
          <*> strOption
            ( long "output"
                <> short 'o'
                <> metavar "DIR"
                <> value "tern-lab-history"
                <> help "The folder for the reports (default: tern-lab-history)"
            )
          <*> flaggingOptions,
      verbPlan = Right,
      verbRun = \(files, folder, flagging) -> do
        parts <- traverse readResults files
        whole <- orComplain (pure (merge (zip files parts)))
        report folder (flaggedFrom flagging defaultThresholds) whole
    }

readResults :: FilePath -> ExceptT Complaint IO Results
readResults file = do
  bytes <- lift (try (B.readFile file))
  case bytes of
    Left e -> throwE (complaint (CannotRead file (T.pack (ioeGetErrorString (e :: IOException)))))
    Right content -> either (throwE . complaint . NotResults file) pure (decodeResults content)

-- * bisect

data BisectOptions = BisectOptions
  { bisectAsked :: !Asked,
    bisectMetric :: !Text
  }

-- | @tern-lab bisect@. Instructions are counted where they are the metric, asked for or not.
bisectVerb :: Verb
bisectVerb =
  Verb
    { verbName = "bisect",
      verbSummary = "Find the commit at which a figure changed, with the fewest builds",
      verbLesson = ["tern-lab bisect v1.0..HEAD --metric allocation --component exe:server"],
      verbOptions =
        BisectOptions
          <$> planOptions SomeCommits rangeOption
          <*> strOption
            ( long "metric"
                <> metavar "METRIC"
                <> value "allocation"
                <> help
                  "allocation, peak, live, copied, collections, size, instructions, … (default: \
                  \allocation)"
            ),
      verbPlan = \options -> first complaint $ do
        asked <- planned (bisectAsked options)
        metric <-
          maybe
            ( Left
                ( UnknownMetric
                    (bisectMetric options)
                    (map metricName metrics)
                )
            )
            Right
            (metricNamed (bisectMetric options))
        pure
          ( asked
              { askedPlan =
                  (askedPlan asked)
                    { planInstructions =
                        planInstructions (askedPlan asked) || metric == Instructions
                    }
              },
            metric
          ),
      verbRun = \(asked, metric) -> do
        (at, plan) <- place asked
        tell <- lift (progress OnTerminal)
        found <- orComplain (bisect tell at plan metric)
        lift (mapM_ T.putStrLn (renderFound metric found))
    }

renderFound :: Metric -> Found -> [Text]
renderFound metric found =
  case foundPiece found of
    [before, commit] ->
      [ T.concat [shortHash (commitHash commit), "  ", commitSubject commit],
        T.concat [metricTitle metric, ": ", change, " since ", shortHash (commitHash before)],
        asked
      ]
    piece ->
      [ T.concat
          [ "one of these ",
            counted (length piece - 1) "commit",
            ", of which all but the last could not be measured:"
          ]
      ]
        <> [T.concat ["  ", shortHash (commitHash c), "  ", commitSubject c] | c <- drop 1 piece]
        <> [T.concat [metricTitle metric, ": ", change], asked]
  where
    quantity = renderQuantity (metricUnit metric)
    change =
      T.concat
        [ renderPercent
            (foundOlder found)
            (foundNewer found),
          " (",
          quantity (foundOlder found),
          " to ",
          quantity (foundNewer found),
          ")"
        ]
    asked = counted (foundProbes found) "commit" <> " measured"
