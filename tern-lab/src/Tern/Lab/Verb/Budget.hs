{-# LANGUAGE OverloadedRecordDot #-}
{-# LANGUAGE OverloadedStrings #-}

-- | @tern-lab check@ and @tern-lab accept@: a target held to its budget, and a
-- branch to another.
module Tern.Lab.Verb.Budget
  ( checkVerb,
    acceptVerb,
  )
where

import Control.Monad (unless, when)
import Control.Monad.Trans.Class (lift)
import Control.Monad.Trans.Except (ExceptT (..), throwE)
import Data.ByteString qualified as B
import Data.Foldable (for_)
import Data.Functor ((<&>))
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (isJust, isNothing)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import Options.Applicative
import System.Directory (doesFileExist)
import Tern.File (writeWhole)
import Tern.Lab.Complaint (Complaint (..), readingFile, writingFile)
import Tern.Lab.Core.Budget
  ( Budget (..),
    accept,
    acceptBytes,
    decodeBudget,
    emptyBudget,
    encodeBudget,
    exceeded,
    exceededBytes,
    renderExcess,
    spentBy,
  )
import Tern.Lab.Outlet (ready)
import Tern.Lab.Result qualified as Result
import Tern.Lab.Saved qualified as Saved
import Tern.Lab.Sheet (Entry (..), Sheet (..), Unit (Nanoseconds), figureNamed, heading, medianOf)
import Tern.Lab.Sheet.Difference
  ( Difference (..),
    differences,
    paceRemark,
    renderDifferences,
    worse,
  )
import Tern.Lab.Verb (Verb (..))
import Tern.Lab.Verb.History (Against, against, againstOptions, againstPlan)
import Tern.Lab.Verb.Target (BuildOptions, buildOptions, factsOf)

data BudgetOptions = BudgetOptions
  { budgetTarget :: !(Maybe FilePath),
    budgetMeasured :: !(Maybe FilePath),
    budgetFile :: !FilePath,
    -- | Where times were accepted.
    budgetTimes :: !(Maybe FilePath),
    budgetBuild :: !BuildOptions
  }

budgetOptions :: Parser BudgetOptions
budgetOptions =
  BudgetOptions
    <$> optional
      ( strArgument
          ( metavar "TARGET"
              <> help "A Haskell file, a folder with a cabal file, or a component"
          )
      )
    <*> optional
      ( strOption
          ( long "measured"
              <> metavar "FILE"
              <> help
                "What compare --json printed or --save kept, for the bytes and times of operations"
          )
      )
    <*> strOption
      ( long "budget"
          <> metavar "FILE"
          <> value "tern-lab.budget"
          <> help "The budget (default: tern-lab.budget)"
      )
    <*> optional
      ( strOption
          ( long "times"
              <> metavar "FILE"
              <> help
                "accept keeps what was measured here, every round; check holds the times of \
                \--measured to it"
              <> action "file"
          )
      )
    <*> buildOptions

-- | There must be something to look at.
something :: BudgetOptions -> Either Complaint BudgetOptions
something options = case (budgetTarget options, budgetMeasured options) of
  (_, Nothing)
    | Just _ <- budgetTimes options ->
        Left (UsageComplaint "--times needs --measured FILE, whose times are looked at")
  (Nothing, Nothing) ->
    Left
      ( UsageComplaint
          "nothing to look at: give a target, --measured FILE, or --against COMMIT (check)"
      )
  _ -> Right options

-- * check

data Ask
  = Hold !BudgetOptions
  | Against !Against

-- | @tern-lab check@. It ends with 1 where a limit is exceeded or a figure got worse.
checkVerb :: Verb
checkVerb =
  Verb
    { verbName = "check",
      verbSummary = "Hold a program to its budget, or a branch to another one",
      verbLesson =
        [ "tern-lab check exe:server holds the bindings in tern-lab.budget to their limits; \
          \tern-lab accept writes it.",
          "tern-lab check --measured results.json holds operations to their bytes, as tern-lab \
          \compare --json measured them.",
          "tern-lab check --measured results.json --times accepted.json holds their times to \
          \accepted ones: one is too long where an interval of the rounds excludes no change, \
          \and the floors of both do not cover it. On another machine nothing is said of times.",
          "tern-lab check --against main --component exe:server --run '{exe} --bench' measures \
          \this commit and where it left main, and comments on the difference in Markdown.",
          "Ends with 1 when a limit is exceeded or a figure got worse."
        ],
      verbOptions = (Against <$> againstOptions) <|> (Hold <$> budgetOptions),
      verbPlan = \case
        Against asked -> Against <$> againstPlan asked
        Hold options -> Hold <$> something options,
      verbRun = \case
        Against asked -> against asked
        Hold options -> checked options
    }

checked :: BudgetOptions -> ExceptT Complaint IO ()
checked options = do
  there <- lift (doesFileExist (budgetFile options))
  -- Who asks for times alone needs no other budget.
  budget <-
    if there || isNothing (budgetTimes options)
      then readBudget (budgetFile options)
      else pure emptyBudget
  ofBindings <-
    maybe (pure []) (fmap (exceeded budget) . factsOf (budgetBuild options)) (budgetTarget options)
  ofOperations <-
    maybe (pure []) (fmap (exceededBytes budget) . measuredIn) (budgetMeasured options)
  ofTimes <- maybe (pure (Right [])) (timesIn options) (budgetTimes options)
  let longer = either (const []) worse ofTimes
      complaints = map renderExcess (ofBindings <> ofOperations)
      left =
        [ "operations: give --measured FILE"
          | not (Map.null (budgetOperations budget)),
            Nothing <- [budgetMeasured options]
        ]
          <> [ "bindings: give a target"
               | not (Map.null (budgetBindings budget)),
                 Nothing <- [budgetTarget options]
             ]
          <> either pure (const []) ofTimes
  lift (mapM_ (T.putStrLn . ("not looked at are the " <>)) left)
  -- Where times got longer it is said after them.
  lift (when (null longer) (mapM_ T.putStrLn (either (const []) paceRemark ofTimes)))
  if null complaints && null longer
    then lift (T.putStrLn "within the budget")
    else do
      lift (mapM_ T.putStrLn complaints)
      lift (unless (null longer) (mapM_ T.putStrLn (renderDifferences longer)))
      throwE
        ( DataComplaint
            ( budgetFile options
                <> ": "
                <> show (length complaints + length longer)
                <> (if length complaints + length longer == 1 then " limit is" else " limits are")
                <> " exceeded; tern-lab accept takes today's figures over"
            )
        )

-- * accept

-- | @tern-lab accept@. It writes the budget, and times where @--times@ names a file for them.
acceptVerb :: Verb
acceptVerb =
  Verb
    { verbName = "accept",
      verbSummary = "Write today's figures into the budget",
      verbLesson =
        [ "tern-lab accept exe:server --binding Server.Codec.encode takes a binding into \
          \tern-lab.budget, with all that it does today.",
          "tern-lab accept --measured results.json --operation ints5/tern/encode takes the \
          \bytes of an operation.",
          "tern-lab accept --measured results.json --times accepted.json keeps its times, every \
          \round of them, in a file that can lie in a repository.",
          "Without --binding and --operation it brings up to date what the budget names. Lower \
          \or delete limits by hand."
        ],
      verbOptions =
        (,,)
          <$> budgetOptions
          <*> many
            ( strOption
                ( long "binding"
                    <> short 'b'
                    <> metavar "MODULE.NAME"
                    <> help "Take this binding into the budget"
                )
            )
          <*> many
            ( strOption
                ( long "operation"
                    <> metavar "NAME"
                    <> help "Take this operation into the budget: SUBJECT/CODEC/encode or /decode"
                )
            ),
      verbPlan =
        \(options, bindings, operations) ->
          (,,) <$> something options <*> pure bindings <*> pure operations,
      verbRun = \(options, bindings, operations) -> accepted options bindings operations
    }

accepted :: BudgetOptions -> [Text] -> [Text] -> ExceptT Complaint IO ()
accepted options names operations = do
  writingFile (budgetFile options) (ready (budgetFile options))
  for_ (budgetTimes options) $ \file -> writingFile file (ready file)
  present <- lift (doesFileExist (budgetFile options))
  budget <- if present then readBudget (budgetFile options) else pure emptyBudget
  modules <- maybe (pure []) (factsOf (budgetBuild options)) (budgetTarget options)
  measured <- maybe (pure Map.empty) measuredIn (budgetMeasured options)
  absent
    "no such binding; expected MODULE.NAME of a top-level binding"
    (filter (`Map.notMember` spentBy modules) names)
  absent
    ( "no such operation; expected one of "
        <> T.unpack (T.intercalate ", " (Map.keys measured))
    )
    (filter (`Map.notMember` measured) operations)
  -- Who keeps times alone has no other budget to write.
  unless (not present && null names && null operations && isJust (budgetTimes options)) $
    writingFile
      (budgetFile options)
      ( writeWhole
          (budgetFile options)
          ( encodeBudget
              ( acceptBytes
                  operations
                  measured
                  (accept names modules budget)
              )
          )
      )
  for_ ((,) <$> budgetTimes options <*> budgetMeasured options) $ \(file, now) -> do
    found <- readMeasured now
    writingFile file (Saved.keep file (Saved.laidOut found))
  where
    absent why missing =
      unless
        (null missing)
        ( throwE
            ( DataComplaint
                (T.unpack (T.intercalate ", " missing) <> ": " <> why)
            )
        )

-- * Files

readBudget :: FilePath -> ExceptT Complaint IO Budget
readBudget file = do
  content <- readingFile file "a budget; tern-lab accept writes one" (B.readFile file)
  either
    ( \reason ->
        throwE (DataComplaint (file <> ": " <> T.unpack reason))
    )
    pure
    (decodeBudget content)

-- | Bytes by @SUBJECT/CODEC/encode@ and @…/decode@; of many values that were kept
-- the subject is @SUBJECT*NUMBER@. Of benchmarks and programs by what they are called.
measuredIn :: FilePath -> ExceptT Complaint IO (Map Text Double)
measuredIn file =
  readMeasured file <&> \case
    Saved.OfCodecs results ->
      Map.fromList
        [ ( T.intercalate
              "/"
              [ Result.subject c
                  <> maybe "" (("*" <>) . T.pack . show) (Result.records c),
                Result.codec row,
                direction
              ],
            Result.allocated cost
          )
          | c <- Result.comparisons results,
            row <- Result.rows c,
            (direction, cost) <- [("encode", Result.encode row), ("decode", Result.decode row)]
        ]
    other ->
      Map.fromList
        [ (T.intercalate "/" [heading sheet, entry.name], medianOf found)
          | sheet <- Saved.sheetsOf other,
            entry <- sheet.entries,
            Just found <- [figureNamed "allocated" entry]
        ]

readMeasured :: FilePath -> ExceptT Complaint IO Saved.Saved
readMeasured file = do
  content <- readingFile file expected (B.readFile file)
  either (throwE . complaint) pure (Saved.readSaved content)
  where
    expected = "what tern-lab compare --json printed or --save kept"
    complaint reason = DataComplaint (concat [file, ": ", T.unpack reason, "; expected ", expected])

-- | Which times changed since they were accepted; or why nothing is said of them.
timesIn :: BudgetOptions -> FilePath -> ExceptT Complaint IO (Either Text [Difference])
timesIn options file = do
  before <- readMeasured file
  now <- maybe (pure before) readMeasured (budgetMeasured options)
  pure $
    if Saved.machineOf before /= Saved.machineOf now
      then Left "times: they were accepted on another machine, or with other libraries"
      else
        Right
          [ one
            | one <- differences (Saved.sheetsOf before) (Saved.sheetsOf now),
              one.unit == Nanoseconds
          ]
