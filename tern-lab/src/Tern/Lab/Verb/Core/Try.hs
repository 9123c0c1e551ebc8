{-# LANGUAGE OverloadedStrings #-}

-- | @tern-lab core try@: follows the advice of findings, and says what it gave.
module Tern.Lab.Verb.Core.Try
  ( TryOptions,
    tryOptions,
    tried,
  )
where

import Control.Monad (forM, forM_, unless, when)
import Control.Monad.Trans.Class (lift)
import Control.Monad.Trans.Except (ExceptT, throwE)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.List (partition)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe, isJust, isNothing, mapMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import Options.Applicative
import System.Directory (findExecutable)
import System.FilePath ((</>))
import System.IO (hFlush, stdout)
import Tern.Lab.Complaint (Complaint (..))
import Tern.Lab.Core.Cure (curesOf)
import Tern.Lab.Core.Facts (Place (..))
import Tern.Lab.Core.Finding (Finding (..))
import Tern.Lab.Core.Index (sourceName)
import Tern.Lab.Core.Memory (remember)
import Tern.Lab.Core.Report (Chosen (..), Wanted (..), chosen, triedMembers)
import Tern.Lab.Core.Trial
  ( Baseline (..),
    Bench (..),
    Measurer,
    Ran (..),
    baseline,
    tryCure,
    withBench,
  )
import Tern.Lab.Core.Tried (Costs (..), Tried, helped, renderTried)
import Tern.Lab.Document (document, encodeDocument, (.=))
import Tern.Lab.History.Metric (Metric (Allocated, Peak))
import Tern.Lab.History.Program (Attempt (..), instructionsOf, once)
import Tern.Lab.History.Record (Source (RuntimeFile))
import Tern.Lab.Process (Ended (..), Job (..), commandLine, job, renderEnding, succeeded)
import Tern.Lab.Quantity (Unit (..), renderQuantity)
import Tern.Lab.Verb.Core.Question
  ( Answer (..),
    Question (..),
    answered,
    lastAsked,
    questionOptions,
  )
import Tern.Lab.Verb.Target (orComplain)
import Text.Read (readMaybe)

-- | Which findings of which question are tried.
data TryOptions = TryOptions
  { -- | Numbers, and at most one target.
    tryWords :: ![String],
    tryFirst :: !(Maybe Int),
    tryJson :: !Bool,
    -- | Its target is still to be put in.
    tryQuestion :: !Question
  }

-- | Words that are numbers are findings, another one is the target; 'tried' tells them apart.
tryOptions :: Parser TryOptions
tryOptions =
  TryOptions
    <$> many
      ( strArgument
          ( metavar "N.. [TARGET]"
              <> help
                "Numbers of findings; the target and its run, or else those of the last report here"
          )
      )
    <*> optional (option auto (long "first" <> metavar "K" <> help "Of the first K"))
    <*> switch (long "json" <> help "For programs")
    <*> questionOptions (pure "")

-- | Tries the cures of each finding until one helps, and remembers what each of them gave. Numbers
-- that no finding has are a complaint, before anything is tried.
tried :: TryOptions -> ExceptT Complaint IO ()
tried options = do
  let (numbers, targets) = partition (isJust . number) (tryWords options)
      wantedNumbers = mapMaybe number numbers
      every = wantedAll (askedWanted (tryQuestion options))
      given = tryQuestion options
  question <- case targets of
    [] -> lastAsked (askedBuild given)
    [name] -> pure given {askedTarget = name, askedWanted = (askedWanted given) {wantedAll = False}}
    _ -> throwE (UsageComplaint ("expected one target, and there are " <> unwords targets))
  when
    (null wantedNumbers && not every && isNothing (tryFirst options))
    (throwE (UsageComplaint "which findings? Give their numbers, --first K or --all"))
  answer <- answered question
  let shown =
        chosenShown (chosen (askedWanted question) {wantedCount = maxBound} (answerFindings answer))
      inOrder = Map.fromList [(findingNumber f, f) | f <- shown]
      picked
        | not (null wantedNumbers) = wantedNumbers
        | Just k <- tryFirst options = take k (Map.keys inOrder)
        | otherwise = take (wantedCount (askedWanted question)) (Map.keys inOrder)
  forM_ picked $ \n ->
    unless (Map.member n inOrder) . throwE . DataComplaint $
      askedTarget question
        <> ": no finding "
        <> show n
        <> "; there are "
        <> show (Map.size inOrder)
  let build = answerBuild answer
      target = answerTarget answer
      modules = answerModules answer
      found = [f | n <- picked, Just f <- [Map.lookup n inOrder]]
  results <- orComplain . fmap (>>= id) . withBench build target modules $ \bench -> do
    let cures = [(f, curesOf (benchSources bench) modules f) | f <- found]
        measure = measuring question
    if all (null . snd) cures
      then Right <$> mapM (\(f, _) -> said options f [] >> pure (f, [])) cures
      else
        baseline bench measure >>= \case
          Left problem -> pure (Left problem)
          Right base -> do
            unless (tryJson options) . T.putStrLn $
              T.concat
                [ "as it is: ",
                  renderQuantity Bytes (allocated (baselineCosts base)),
                  " allocated"
                ]
            Right
              <$> forM
                cures
                ( \(f, mine) -> do
                    tries <- untilHelped (tryCure bench measure base) mine
                    unless (null tries) (remember build target (askedRun question) f tries)
                    said options f tries
                    pure (f, tries)
                )
  when (tryJson options) . lift . BC.putStrLn . encodeDocument . document $
    [ "format" .= (1 :: Int),
      "findings"
        .= [ document
               [ "number" .= findingNumber f,
                 "module" .= findingModule f,
                 "binding" .= findingBinding f,
                 "tried" .= map triedMembers tries
               ]
             | (f, tries) <- results
           ]
    ]
  where
    number word = readMaybe word :: Maybe Int
    -- What helps is followed; what follows it in the list is for where it does not.
    untilHelped attempt = \case
      [] -> pure []
      cure : rest -> do
        result <- attempt cure
        if helped result then pure [result] else (result :) <$> untilHelped attempt rest

-- | Of one finding.
said :: TryOptions -> Finding -> [Tried] -> IO ()
said options f tries = unless (tryJson options) $ do
  T.putStrLn
    ( T.concat
        [ T.justifyRight 3 ' ' (T.pack (show (findingNumber f))),
          ". ",
          maybe
            (findingModule f)
            ( \p ->
                T.concat [placeFile p, ":", T.pack (show (placeLine p))]
            )
            (findingPlace f),
          "  ",
          if T.null (findingBinding f) then findingModule f else sourceName (findingBinding f)
        ]
    )
  if null tries
    then T.putStrLn "     nothing to try by itself: the advice asks for thought"
    else mapM_ (mapM_ T.putStrLn . indented . renderTried) tries
  hFlush stdout
  where
    indented :: Text -> [Text]
    indented text = case T.lines text of
      first : rest -> ("     tried: " <> first) : map ("       " <>) rest
      [] -> []

-- | A run of the question's command, or of the program alone.
measuring :: Question -> Measurer
measuring question place program = do
  valgrind <- findExecutable "valgrind"
  let asks = fromMaybe "{exe}" (askedRun question)
      ofProgram words' = T.replace "{exe}" (T.concat [words', commandLine [T.pack program]]) asks
      output = place </> "output"
      asked =
        (job "." (ofProgram ""))
          { jobOutput = output,
            jobErrors = place </> "errors",
            jobTimeout = Just (fromMaybe 600 (askedTimeout question))
          }
  attempt <- once place "" RuntimeFile succeeded asked
  case attempt of
    Measured ended _ figures
      | Just bytes <- Map.lookup Allocated figures -> do
          text <- B.readFile output
          counted <-
            if isJust valgrind && endedElapsed ended < 2
              then
                instructionsOf
                  place
                  ""
                  succeeded
                  ofProgram
                  asked {jobOutput = place </> "output.valgrind"}
              else pure Nothing
          pure
            ( Right
                Ran
                  { ranCosts =
                      Costs
                        { allocated = bytes,
                          peak = fromMaybe 0 (Map.lookup Peak figures),
                          instructions = counted,
                          compiling = Nothing
                        },
                    ranOutput = text
                  }
            )
    Failed how text -> pure (Left (T.concat [renderEnding how, ": ", T.strip text]))
    _ -> pure (Left "wrote no figures: is {exe} in the command?")
