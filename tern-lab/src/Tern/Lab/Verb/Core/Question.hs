{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE MultiWayIf #-}
{-# LANGUAGE OverloadedStrings #-}

-- | What is asked of a program's findings: the target, how it is built and run, and
-- which of them.
--
-- Its one idea: a report and what follows from it are the answer to one question,
-- so that a finding has the same number in both. The last question that was asked
-- in a folder is kept, so that the number alone says which finding is meant.
--
-- Start at 'answered'.
module Tern.Lab.Verb.Core.Question
  ( Question (..),
    questionOptions,
    secondsOption,
    Answer (..),
    answered,

    -- * The last one
    keepLast,
    lastAsked,
  )
where

import Control.Monad.Trans.Class (lift)
import Control.Monad.Trans.Except (ExceptT (..), throwE)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as L
import Data.List (nub)
import Data.Map.Strict qualified as Map
import Data.Maybe (listToMaybe)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Text.IO qualified as T
import GHC.Fingerprint (fingerprintString)
import GHC.Generics (Generic)
import Options.Applicative
import System.Directory (createDirectoryIfMissing, doesFileExist, getCurrentDirectory)
import System.FilePath (takeDirectory, (</>))
import Tern (Wire, decodeJson, encodeJson)
import Tern.File (writeWhole)
import Tern.Lab.Complaint (Complaint (..), readingFile)
import Tern.Lab.Core.Advice (kindName)
import Tern.Lab.Core.Allowed (Allowance (..), allowancesIn, allows)
import Tern.Lab.Core.Facts (Generated (..), ModuleFacts (..), Place (..))
import Tern.Lab.Core.Finding (Finding (..), worthShowing)
import Tern.Lab.Core.Findings (findings)
import Tern.Lab.Core.Index (sourceName)
import Tern.Lab.Core.Measured (measuredBy)
import Tern.Lab.Core.Memory (recall, remembered)
import Tern.Lab.Core.Report (Ranking (..), Wanted (..), namesLike)
import Tern.Lab.Core.Source (hasOwnLines, settled)
import Tern.Lab.Core.Target (Target)
import Tern.Lab.Core.Ticky (Collector, Counter (..), Sort (..), parseProfile, parseTicky)
import Tern.Lab.Core.Workbench
  ( Build (..),
    Ran (..),
    Run (..),
    gatherFacts,
    gatherParts,
    gatherRun,
  )
import Tern.Lab.Verb.Target
  ( BuildOptions (..),
    buildOf,
    buildOptions,
    factsOf,
    orComplain,
    targetIn,
  )
import Text.Read (readMaybe)

-- | The target, how it is built and run, and which findings are wanted.
data Question = Question
  { askedTarget :: !FilePath,
    askedWanted :: !Wanted,
    askedRun :: !(Maybe Text),
    askedTimeout :: !(Maybe Double),
    askedTicky :: !(Maybe FilePath),
    -- | Only what is not found at this commit.
    askedSince :: !(Maybe String),
    askedBuild :: !BuildOptions
  }

-- | Given how a target is read.
questionOptions :: Parser FilePath -> Parser Question
questionOptions target =
  Question
    <$> target
    <*> wanted
    <*> optional
      ( strOption
          ( long "run"
              <> metavar "COMMAND"
              <> help
                "Run the program ({exe} in the command) with counters, and order by what it \
                \allocates and enters"
          )
      )
    <*> optional
      ( option
          secondsOption
          ( long "timeout"
              <> metavar "SECONDS"
              <> help "End a run that takes longer"
          )
      )
    <*> optional
      ( strOption
          ( long "ticky"
              <> metavar "FILE"
              <> help
                "Order by the counters in this file: of a program linked with -ticky by +RTS \
                \-r, or a profile by +RTS -p"
          )
      )
    <*> optional
      ( strOption
          ( long "since"
              <> metavar "REF"
              <> help "Only what was not found yet at this commit"
          )
      )
    <*> buildOptions
  where
    wanted =
      Wanted
        <$> optional
          ( strOption
              ( long "binding"
                  <> short 'b'
                  <> metavar "NAME"
                  <> help "Only this binding, with all details"
              )
          )
        <*> switch (long "all" <> help "Details too: every call that stayed")
        <*> option
          positive
          ( long "count"
              <> metavar "N"
              <> value 20
              <> help "At most N findings (default: 20)"
          )
    positive = eitherReader $ \text -> case readMaybe text of
      Just n | n >= 1 -> Right n
      _ -> Left ("'" <> text <> "' is not a number from 1 on")

-- | A number of seconds above 0, which may have a fraction.
secondsOption :: ReadM Double
secondsOption = eitherReader $ \text -> case readMaybe text of
  Just n | n > 0, not (isInfinite n) -> Right n
  _ -> Left ("'" <> text <> "' is not a number of seconds")

-- | What was found, in the order of a run or by weight.
data Answer = Answer
  { answerTarget :: !Target,
    answerBuild :: !Build,
    answerModules :: ![ModuleFacts],
    answerCounters :: ![Counter],
    -- | Bytes of the whole run.
    answerWhole :: !(Maybe Double),
    answerCollector :: !(Maybe Collector),
    answerRanking :: !Ranking,
    -- | All of them, with what was tried.
    answerFindings :: ![Finding],
    -- | Those that the source allows, with the reason.
    answerAllowed :: ![(Finding, Text)],
    -- | Comments that allow something without a reason: file and line.
    answerUnreasoned :: ![(Text, Int)]
  }

-- | Builds the target, runs it where a command is given, and looks for findings. A binding that is
-- not there, and a report without counters in it, is a complaint.
answered :: Question -> ExceptT Complaint IO Answer
answered question = do
  build <- lift (buildOf (askedBuild question))
  target <- targetIn (askedBuild question) (askedTarget question)
  (modules, Ran counters whole collector) <- case (askedRun question, askedTicky question) of
    (Just run, _) -> orComplain (gatherRun build target (Run run (askedTimeout question)))
    (Nothing, Just file) -> do
      report <- readingFile file "a report of ticky counters" (T.readFile file)
      modules <- orComplain (gatherParts build target)
      case parseTicky report <> parseProfile report of
        [] ->
          throwE
            ( DataComplaint
                ( file
                    <> ": neither ticky counters nor cost centres in it; expected what a \
                       \program linked with -ticky writes by +RTS -r, or one built with -prof \
                       \by +RTS -p"
                )
            )
        counters -> pure (modules, Ran counters Nothing Nothing)
    (Nothing, Nothing) -> do
      modules <- orComplain (gatherFacts build target)
      pure (modules, Ran [] Nothing Nothing)
  case namesLike modules <$> wantedBinding (askedWanted question) of
    Just (Left like) ->
      throwE
        ( DataComplaint
            ( askedTarget question
                <> ": no binding "
                <> maybe "" T.unpack (wantedBinding (askedWanted question))
                <> (if null like then "" else "; there is " <> T.unpack (T.intercalate ", " like))
                <> "; what was inlined away is a part of its callers"
            )
        )
    _ -> pure ()
  let every = findings modules
      ranked = if null counters then every else measuredBy whole modules counters every
  memory <- lift (remembered build target (askedRun question))
  earlier <- case askedSince question of
    Nothing -> pure Set.empty
    Just ref ->
      Set.fromList . map identity . findings
        <$> factsOf (askedBuild question) (ref <> ":" <> askedTarget question)
  texts <- lift (Map.fromList <$> mapM textOf (nub (map T.unpack (concatMap sourcesOf modules))))
  tried <-
    lift . recall memory $
      [ settled (Map.findWithDefault T.empty (fileOf modules f) texts) f
        | f <- ranked,
          identity f `Set.notMember` earlier
      ]
  let allowances = Map.map allowancesIn texts
      allowing f =
        [ allowedReason a
          | a <- Map.findWithDefault [] (fileOf modules f) allowances,
            allows f a
        ]
      known = [f | f <- tried, wantedAll (askedWanted question) || null (allowing f)]
  pure
    Answer
      { answerTarget = target,
        answerBuild = build,
        answerModules = modules,
        answerCounters = counters,
        answerWhole = whole,
        answerCollector = collector,
        answerRanking =
          if
            | null counters -> ByHeuristic
            | all ((== CostCentre) . counterSort) counters -> ByProfile
            | otherwise -> ByTicky,
        answerFindings = known,
        answerAllowed = [(f, reason) | f <- tried, worthShowing f, reason : _ <- [allowing f]],
        answerUnreasoned =
          [ (T.pack file, allowedLine a)
            | (file, every') <- Map.toList allowances,
              a <- every',
              T.null (allowedReason a)
          ]
      }
  where
    -- What stays the same while lines and sizes move.
    identity f =
      (findingModule f, sourceName (findingBinding f), findingIn f, kindName (findingKind f))
    textOf file = do
      there <- doesFileExist file
      text <- if there && hasOwnLines file then B.readFile file else pure B.empty
      pure (file, T.decodeUtf8Lenient text)
    -- What somebody wrote of a generated module stands in the generator's input.
    sourcesOf m = factsSource m : [generatedFrom made | Just made <- [factsGenerated m]]
    fileOf modules f = case findingPlace f of
      Just place -> T.unpack (placeFile place)
      Nothing ->
        maybe
          ""
          T.unpack
          ( listToMaybe
              [ factsSource m
                | m <- modules,
                  factsModule m == findingModule f
              ]
          )

-- * The last one

-- | A question as it is kept.
data Kept = Kept
  { target :: !Text,
    binding :: !(Maybe Text),
    everything :: !Bool,
    run :: !(Maybe Text),
    timeout :: !(Maybe Double),
    ticky :: !(Maybe Text),
    since :: !(Maybe Text),
    ghc :: !Text,
    ghcOptions :: ![Text],
    cabalOptions :: ![Text]
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

lastFile :: BuildOptions -> IO FilePath
lastFile options = do
  build <- buildOf options
  here <- getCurrentDirectory
  pure (buildCache build </> "last" </> show (fingerprintString here))

-- | In place of the one before, for the folder that this process is in. How many findings were
-- wanted is not kept.
keepLast :: Question -> IO ()
keepLast q = do
  file <- lastFile (askedBuild q)
  createDirectoryIfMissing True (takeDirectory file)
  writeWhole file . L.fromStrict $
    encodeJson
      Kept
        { target = T.pack (askedTarget q),
          binding = wantedBinding (askedWanted q),
          everything = wantedAll (askedWanted q),
          run = askedRun q,
          timeout = askedTimeout q,
          ticky = T.pack <$> askedTicky q,
          since = T.pack <$> askedSince q,
          ghc = T.pack (optionGhc (askedBuild q)),
          ghcOptions = optionGhcOptions (askedBuild q),
          cabalOptions = optionCabalOptions (askedBuild q)
        }

-- | The question that was asked here before, if it was.
lastAsked :: BuildOptions -> ExceptT Complaint IO Question
lastAsked options = do
  file <- lift (lastFile options)
  there <- lift (doesFileExist file)
  bytes <- if there then lift (B.readFile file) else pure B.empty
  case decodeJson bytes of
    Right kept ->
      pure
        Question
          { askedTarget = T.unpack (target kept),
            askedWanted = Wanted (binding kept) (everything kept) maxBound,
            askedRun = run kept,
            askedTimeout = timeout kept,
            askedTicky = T.unpack <$> ticky kept,
            askedSince = T.unpack <$> since kept,
            askedBuild =
              options
                { optionGhc = T.unpack (ghc kept),
                  optionGhcOptions = ghcOptions kept,
                  optionCabalOptions = cabalOptions kept
                }
          }
    Left _ ->
      throwE
        ( UsageComplaint
            "no report was asked for in this folder yet: give the target after the number"
        )
