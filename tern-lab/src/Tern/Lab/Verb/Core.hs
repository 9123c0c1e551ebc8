{-# LANGUAGE OverloadedStrings #-}

-- | @tern-lab core@: the command line of the reader of Core.
module Tern.Lab.Verb.Core
  ( verb,
  )
where

import Control.Exception (IOException, try)
import Control.Monad (when)
import Control.Monad.Trans.Class (lift)
import Control.Monad.Trans.Except (ExceptT (..), throwE)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy.Char8 qualified as L
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe, isJust)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Text.IO qualified as T
import Options.Applicative
import System.IO (stderr)
import Tern.File (writeWhole)
import Tern.Lab.Complaint (Complaint (..))
import Tern.Lab.Core.Account (accountOf, renderAccount)
import Tern.Lab.Core.Advice (kindName)
import Tern.Lab.Core.Code (Definition (..))
import Tern.Lab.Core.Contribution (Side (..), contributions, renderContributions)
import Tern.Lab.Core.Facts (ModuleFacts (..), Place (..))
import Tern.Lab.Core.Finding (Finding (..))
import Tern.Lab.Core.Notice (annotations, diagnostics, sarif)
import Tern.Lab.Core.Page (Sheet (..), page)
import Tern.Lab.Core.Reading (gatherReading)
import Tern.Lab.Core.Report (Chosen (..), Wanted (..), chosen, json, terminal)
import Tern.Lab.Core.Sheets (sheetsOf)
import Tern.Lab.Core.Source (hasOwnLines, pinnedApart)
import Tern.Lab.Core.Text.Row (colouredRows, plainRows)
import Tern.Lab.Core.Traits (acrossCompilers, difference, renderDifference, traitsOf)
import Tern.Lab.Core.Workbench (Run (..), gatherTicky)
import Tern.Lab.Document (encodeDocument)
import Tern.Lab.Report (Style (..), terminalStyle)
import Tern.Lab.Verb (Verb (..))
import Tern.Lab.Verb.Core.Question
  ( Answer (..),
    Question (..),
    answered,
    keepLast,
    questionOptions,
    secondsOption,
  )
import Tern.Lab.Verb.Core.Try (TryOptions, tried, tryOptions)
import Tern.Lab.Verb.Target
  ( BuildOptions (..),
    buildOf,
    buildOptions,
    factsOf,
    orComplain,
    targetIn,
  )

data CoreOptions = CoreOptions
  { coreQuestion :: !Question,
    coreText :: !Bool,
    coreTypes :: !Bool,
    corePage :: !(Maybe FilePath),
    coreSarif :: !(Maybe FilePath),
    coreDiagnostics :: !(Maybe FilePath),
    coreFormat :: !Format
  }

data Format = ForPeople | ForPrograms | ForGitHub
  deriving stock (Eq)

data Ask
  = Explain !CoreOptions
  | Compare !DiffOptions
  | Try !TryOptions

data DiffOptions = DiffOptions
  { diffLeft :: !FilePath,
    diffRight :: !FilePath,
    diffBindings :: !(Maybe (Text, Text)),
    -- | How both programs are run, to say where the bytes went.
    diffRun :: !(Maybe Run),
    diffBuild :: !BuildOptions,
    -- | The compiler for the right side, if another.
    diffGhc :: !(Maybe FilePath)
  }

-- | @tern-lab core@, with @try@ and @diff@ below it.
verb :: Verb
verb =
  Verb
    { verbName = "core",
      verbSummary = "Say what GHC's optimiser left in a program, why, and what to do",
      verbLesson =
        [ "tern-lab core Main.hs; tern-lab core . --binding step; tern-lab core exe:server --json.",
          "A target may begin with a commit: HEAD~3:src/Main.hs, v1.0:exe:server.",
          "tern-lab core try 1 follows the advice of the last report's first finding in a \
          \private copy, and says what it changed.",
          "tern-lab core diff OLD NEW compares two targets; with --bindings f,g two bindings, \
          \with --ghc-new two compilers; with --run '{exe}' it says where the bytes of a run \
          \went, and why.",
          "Builds the target in a folder of its own with a compiler plugin that looks on; the \
          \project is not edited. The first run with a GHC compiles the plugin."
        ],
      verbOptions =
        hsubparser
          ( command
              "diff"
              ( info
                  (Compare <$> diffOptions)
                  (progDesc "What two targets or bindings do differently")
              )
              <> command
                "try"
                ( info
                    (Try <$> tryOptions)
                    ( progDesc
                        "Try the cures of findings in a private copy, and say what each changes"
                    )
                )
              <> metavar "diff|try"
          )
          <|> (Explain <$> explainOptions),
      verbPlan = \case
        Explain options
          | coreText options,
            Nothing <- wantedBinding (askedWanted (coreQuestion options)) ->
              Left (UsageComplaint "--text needs a binding: give its name with --binding")
        Compare options
          | Just _ <- diffRun options,
            Just _ <- diffBindings options ->
              Left
                ( UsageComplaint
                    "--run says where the bytes of all bindings went: leave --bindings away"
                )
        Explain options
          | Just _ <- askedTimeout (coreQuestion options),
            Nothing <- askedRun (coreQuestion options) ->
              Left (UsageComplaint "--timeout is for the program that --run runs: give --run too")
        ask -> Right ask,
      verbRun = \case
        Explain options -> explained options
        Compare options -> compared options
        Try options -> tried options
    }

explainOptions :: Parser CoreOptions
explainOptions =
  CoreOptions
    <$> questionOptions
      ( strArgument
          ( metavar "TARGET"
              <> help
                "A Haskell file, a folder with a cabal file, or a component such as exe:server"
          )
      )
    <*> switch
      ( long "text"
          <> help "Show the Core of the binding too, with the findings marked in it"
      )
    <*> switch (long "types" <> help "With the types in it")
    <*> optional
      ( strOption
          ( long "html"
              <> metavar "FILE"
              <> help
                "Write findings and Core as a page: of the binding and what it calls, or of all \
                \bindings with findings"
          )
      )
    <*> optional
      ( strOption
          ( long "sarif"
              <> metavar "FILE"
              <> help "Write the findings as SARIF, for code hosts"
          )
      )
    <*> optional
      ( strOption
          ( long "diagnostics"
              <> metavar "FILE"
              <> help "Write the findings as GHC writes warnings, for editors"
          )
      )
    <*> ( flag' ForPrograms (long "json" <> help "For programs")
            <|> flag' ForGitHub (long "github" <> help "As annotations of a GitHub workflow")
            <|> pure ForPeople
        )

diffOptions :: Parser DiffOptions
diffOptions =
  DiffOptions
    <$> strArgument (metavar "OLD" <> help "A target")
    <*> strArgument (metavar "NEW" <> help "Another; the same for two bindings of one target")
    <*> optional
      ( option
          pair
          ( long "bindings"
              <> metavar "F,G"
              <> help "Only F of the first and G of the second"
          )
      )
    <*> optional
      ( Run
          <$> strOption
            ( long "run"
                <> metavar "COMMAND"
                <> help
                  "Run both programs ({exe} in the command) with counters, and say where the \
                  \bytes went and why"
            )
          <*> optional
            ( option
                secondsOption
                ( long "timeout"
                    <> metavar "SECONDS"
                    <> help "End a run that takes longer"
                )
            )
      )
    <*> buildOptions
    <*> optional
      ( strOption
          ( long "ghc-new"
              <> metavar "PROGRAM"
              <> help "The compiler for the second"
          )
      )
  where
    pair = eitherReader $ \text -> case T.splitOn "," (T.pack text) of
      [f, g] | not (T.null f), not (T.null g) -> Right (f, g)
      _ -> Left ("'" <> text <> "' is not F,G")

explained :: CoreOptions -> ExceptT Complaint IO ()
explained options = do
  let question = coreQuestion options
  answer <- answered question
  lift (keepLast question)
  let modules = answerModules answer
      ranking = answerRanking answer
      whole = answerWhole answer
      binding = wantedBinding (askedWanted question)
  (texts, shown) <- lift (located (chosen (askedWanted question) (answerFindings answer)))
  let entries =
        [ (all', accountOf all' modules (answerCounters answer) (chosenShown shown))
          | Just all' <- [whole]
        ]
  sheets <-
    if coreText options || isJust (corePage options)
      then do
        reading <- orComplain (gatherReading (answerBuild answer) (answerTarget answer))
        pure (sheetsOf reading (answerFindings answer) binding (chosenShown shown))
      else pure ([], [])
  when
    (coreText options && null (fst sheets))
    ( throwE
        ( DataComplaint
            ( askedTarget question
                <> ": no binding "
                <> maybe "" T.unpack binding
                <> "; expected one of the names that the findings give, or MODULE.NAME"
            )
        )
    )
  look <- lift terminalStyle
  lift $
    case coreFormat options of
      ForPrograms ->
        BC.putStrLn (encodeDocument (json ranking modules entries (chosenShown shown)))
      ForGitHub -> mapM_ T.putStrLn (annotations (chosenShown shown))
      ForPeople -> do
        when (coreText options) (mapM_ (T.putStr . inTerminal look) (fst sheets))
        T.putStr (terminal ranking modules shown)
        mapM_ (mapM_ T.putStrLn . uncurry (renderAccount (answerCollector answer))) entries
        mapM_ T.putStrLn (allowed answer)
  lift . mapM_ (T.hPutStrLn stderr) $
    [ T.concat
        [ file,
          ":",
          T.pack (show line),
          ": nothing is allowed without a reason: -- tern-lab: KIND: REASON"
        ]
      | (file, line) <- answerUnreasoned answer
    ]
  let saved file content = lift (writeWhole file (L.fromStrict content))
  mapM_ (\file -> saved file (encodeDocument (sarif (chosenShown shown)))) (coreSarif options)
  mapM_
    (\file -> saved file (T.encodeUtf8 (diagnostics (chosenShown shown))))
    (coreDiagnostics options)
  mapM_
    ( \file ->
        lift
          ( writeWhole
              file
              ( L.fromStrict
                  ( T.encodeUtf8
                      ( page
                          (T.pack (askedTarget question))
                          texts
                          entries
                          (chosenShown shown)
                          (uncurry (<>) sheets)
                      )
                  )
              )
          )
    )
    (corePage options)
  where
    allowed answer
      | null (answerAllowed answer) = []
      | otherwise =
          "allowed by the source:"
            : [ T.concat
                  [ "  ",
                    findingModule f,
                    ".",
                    findingBinding f,
                    ", ",
                    kindName (findingKind f),
                    ": ",
                    reason
                  ]
                | (f, reason) <- answerAllowed answer
              ]
    inTerminal look s =
      T.unlines $
        [T.concat ["-- ", sheetModule s, ".", definitionName (sheetDefinition s)]]
          <> maybe
            []
            ( \text ->
                "-- written by the compiler:" : map ("--   " <>) (T.lines text)
            )
            (sheetProduced s)
          <> (if colours look then colouredRows else plainRows) (coreTypes options) (sheetRows s)

-- | At the places of their calls, as far as the sources can be read; and those.
located :: Chosen -> IO (Map.Map Text Text, Chosen)
located shown = do
  texts <-
    Map.fromList
      <$> mapM
        (\file -> (file,) <$> sourceText (T.unpack file))
        ( Set.toList
            ( Set.fromList
                [ placeFile p
                  | f <-
                      chosenShown shown,
                    Just p <- [findingPlace f]
                ]
            )
        )
  pure
    ( Map.mapMaybe id texts,
      shown
        { chosenShown =
            pinnedApart
              [ ( findingPlace f >>= \p -> Map.findWithDefault Nothing (placeFile p) texts,
                  f
                )
                | f <- chosenShown shown
              ]
        }
    )
  where
    sourceText file
      | hasOwnLines file =
          either (const Nothing) (Just . T.decodeUtf8Lenient)
            <$> (try (B.readFile file) :: IO (Either IOException B.ByteString))
      -- What a preprocessor makes has other lines.
      | otherwise = pure Nothing

compared :: DiffOptions -> ExceptT Complaint IO ()
compared options = case diffRun options of
  Just run -> do
    before <- sideOf run (diffBuild options) (diffLeft options)
    after <- sideOf run newBuild (diffRight options)
    let better = sideWhole after < sideWhole before
    lift (mapM_ T.putStrLn (renderContributions (contributions better before after)))
  Nothing -> comparedAsTheyStand options newBuild
  where
    newBuild =
      (diffBuild options) {optionGhc = fromMaybe (optionGhc (diffBuild options)) (diffGhc options)}
    sideOf run building name = do
      build <- lift (buildOf building)
      target <- targetIn building name
      (modules, counters, whole) <- orComplain (gatherTicky build target run)
      pure (Side modules counters whole)

comparedAsTheyStand :: DiffOptions -> BuildOptions -> ExceptT Complaint IO ()
comparedAsTheyStand options newBuild = do
  before <- factsOf (diffBuild options) (diffLeft options)
  after <- factsOf newBuild (diffRight options)
  let versions = Set.fromList (map factsCompiler (before <> after))
      words' =
        if Set.size versions > 1
          then acrossCompilers (Set.fromList (map factsModule (before <> after)))
          else id
      old = words' <$> traitsOf before
      new = words' <$> traitsOf after
  pieces <- case diffBindings options of
    Nothing ->
      pure
        [ (T.concat [m, ".", name], difference (at (m, name) old) (at (m, name) new))
          | (m, name) <- Map.keys (Map.union old new)
        ]
    Just (f, g) -> do
      a <- one (diffLeft options) old f
      b <- one (diffRight options) new g
      pure [(T.concat [f, " to ", g], difference a b)]
  let shown = [(name, rows) | (name, rows@(_ : _)) <- map (fmap renderDifference) pieces]
  lift $ do
    mapM_ (\(name, rows) -> T.putStrLn name >> mapM_ (T.putStrLn . ("  " <>)) rows) shown
    when (null shown) (T.putStrLn "no difference")
  where
    at = Map.findWithDefault Map.empty
    one target traits name = case [ t
                                    | ((m, n), t) <-
                                        Map.toList traits,
                                      name `elem` [n, T.concat [m, ".", n]]
                                  ] of
      [t] -> pure t
      [] -> ExceptT (pure (Left (DataComplaint (target <> ": no binding " <> T.unpack name))))
      _ ->
        ExceptT
          ( pure
              ( Left
                  ( DataComplaint
                      ( target
                          <> ": several bindings "
                          <> T.unpack name
                          <> "; expected MODULE.NAME"
                      )
                  )
              )
          )
