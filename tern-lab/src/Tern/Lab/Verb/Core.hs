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
import Data.List (isSuffixOf)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe, isJust)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Text.IO qualified as T
import Options.Applicative
import Tern.File (writeWhole)
import Tern.Lab.Complaint (Complaint (..), readingFile)
import Tern.Lab.Core.Account
import Tern.Lab.Core.Code (Definition (..))
import Tern.Lab.Core.Facts
import Tern.Lab.Core.Finding
import Tern.Lab.Core.Measured
import Tern.Lab.Core.Page (Sheet (..), page)
import Tern.Lab.Core.Report
import Tern.Lab.Core.Sheets (sheetsOf)
import Tern.Lab.Core.Source (pinned)
import Tern.Lab.Core.Text (colouredRows, plainRows)
import Tern.Lab.Core.Ticky
import Tern.Lab.Core.Traits
import Tern.Lab.Core.Workbench
import Tern.Lab.Document (encodeDocument)
import Tern.Lab.Report (Style (..), terminalStyle)
import Tern.Lab.Verb (Verb (..))
import Tern.Lab.Verb.Target
import Text.Read (readMaybe)

data CoreOptions = CoreOptions
  { coreTarget :: !FilePath,
    coreWanted :: !Wanted,
    coreText :: !Bool,
    coreTypes :: !Bool,
    corePage :: !(Maybe FilePath),
    coreJson :: !Bool,
    coreRun :: !(Maybe Text),
    coreTimeout :: !(Maybe Double),
    coreTicky :: !(Maybe FilePath),
    coreBuild :: !BuildOptions
  }

data Ask
  = Explain !CoreOptions
  | Compare !DiffOptions

data DiffOptions = DiffOptions
  { diffLeft :: !FilePath,
    diffRight :: !FilePath,
    diffBindings :: !(Maybe (Text, Text)),
    diffBuild :: !BuildOptions,
    -- | The compiler for the right side, if another.
    diffGhc :: !(Maybe FilePath)
  }

verb :: Verb
verb =
  Verb
    { verbName = "core",
      verbSummary = "Say what GHC's optimiser left in a program, why, and what to do",
      verbLesson =
        [ "tern-lab core Main.hs; tern-lab core . --binding step; tern-lab core exe:server --json.",
          "A target may begin with a commit: HEAD~3:src/Main.hs, v1.0:exe:server.",
          "tern-lab core diff OLD NEW compares two targets; with --bindings f,g two bindings, with --ghc-new two compilers.",
          "Builds the target in a folder of its own with a compiler plugin that looks on; the project is not edited. The first run with a GHC compiles the plugin."
        ],
      verbOptions =
        hsubparser
          ( command
              "diff"
              ( info
                  (Compare <$> diffOptions)
                  (progDesc "What two targets or bindings do differently")
              )
              <> metavar "diff"
          )
          <|> (Explain <$> explainOptions),
      verbPlan = \case
        Explain options | coreText options, Nothing <- wantedBinding (coreWanted options) -> Left (UsageComplaint "--text needs a binding: give its name with --binding")
        Explain options | Just _ <- coreTimeout options, Nothing <- coreRun options -> Left (UsageComplaint "--timeout is for the program that --run runs: give --run too")
        ask -> Right ask,
      verbRun = \case
        Explain options -> explained options
        Compare options -> compared options
    }

explainOptions :: Parser CoreOptions
explainOptions =
  CoreOptions
    <$> strArgument
      ( metavar "TARGET"
          <> help "A Haskell file, a folder with a cabal file, or a component such as exe:server"
      )
    <*> wanted
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
                "Write findings and Core as a page: of the binding and what it calls, or of all bindings with findings"
          )
      )
    <*> switch (long "json" <> help "For programs")
    <*> optional
      ( strOption
          ( long "run"
              <> metavar "COMMAND"
              <> help
                "Run the program ({exe} in the command) with counters, and order by what it allocates and enters"
          )
      )
    <*> optional
      ( option
          seconds
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
                "Order by the counters in this file: of a program linked with -ticky by +RTS -r, or a profile by +RTS -p"
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
    seconds = eitherReader $ \text -> case readMaybe text of
      Just n | n > 0 -> Right n
      _ -> Left ("'" <> text <> "' is not a number of seconds")
    positive = eitherReader $ \text -> case readMaybe text of
      Just n | n >= 1 -> Right n
      _ -> Left ("'" <> text <> "' is not a number from 1 on")

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
  (modules, counters, whole) <- case (coreRun options, coreTicky options) of
    (Just run, _) -> do
      build <- lift (buildOf (coreBuild options))
      target <- targetIn (coreBuild options) (coreTarget options)
      orComplain (gatherTicky build target (Run run (coreTimeout options)))
    (Nothing, Just file) -> do
      report <- readingFile file "a report of ticky counters" (T.readFile file)
      build <- lift (buildOf (coreBuild options))
      target <- targetIn (coreBuild options) (coreTarget options)
      modules <- orComplain (gatherParts build target)
      case parseTicky report <> parseProfile report of
        [] ->
          throwE
            ( DataComplaint
                ( file
                    <> ": neither ticky counters nor cost centres in it; expected what a program linked with -ticky writes by +RTS -r, or one built with -prof by +RTS -p"
                )
            )
        counters -> pure (modules, counters, Nothing)
    (Nothing, Nothing) -> do
      modules <- factsOf (coreBuild options) (coreTarget options)
      pure (modules, [], Nothing)
  case namesLike modules <$> wantedBinding (coreWanted options) of
    Just (Left like) ->
      throwE
        ( DataComplaint
            ( coreTarget options
                <> ": no binding "
                <> maybe "" T.unpack (wantedBinding (coreWanted options))
                <> (if null like then "" else "; there is " <> T.unpack (T.intercalate ", " like))
                <> "; what was inlined away is a part of its callers"
            )
        )
    _ -> pure ()
  let every = findings modules
      ranked = if null counters then every else measuredBy whole modules counters every
      ranking
        | null counters = ByHeuristic
        | all ((== CostCentre) . counterSort) counters = ByProfile
        | otherwise = ByTicky
  shown <- lift (located (chosen (coreWanted options) ranked))
  let entries = [(all', accountOf all' modules counters (chosenShown shown)) | Just all' <- [whole]]
  sheets <-
    if coreText options || isJust (corePage options)
      then do
        build <- lift (buildOf (coreBuild options))
        target <- targetIn (coreBuild options) (coreTarget options)
        reading <- orComplain (gatherReading build target)
        pure (sheetsOf reading ranked (wantedBinding (coreWanted options)) (chosenShown shown))
      else pure ([], [])
  when
    (coreText options && null (fst sheets))
    ( throwE
        ( DataComplaint
            ( coreTarget options
                <> ": no binding "
                <> maybe "" T.unpack (wantedBinding (coreWanted options))
                <> "; expected one of the names that the findings give, or MODULE.NAME"
            )
        )
    )
  look <- lift terminalStyle
  lift $
    if coreJson options
      then BC.putStrLn (encodeDocument (json ranking modules entries (chosenShown shown)))
      else do
        when (coreText options) (mapM_ (T.putStr . inTerminal look) (fst sheets))
        T.putStr (terminal ranking modules shown)
        mapM_ (mapM_ T.putStrLn . uncurry renderAccount) entries
  mapM_
    ( \file ->
        lift
          ( writeWhole
              file
              ( L.fromStrict
                  ( T.encodeUtf8
                      ( page
                          (T.pack (coreTarget options))
                          (chosenShown shown)
                          (uncurry (<>) sheets)
                      )
                  )
              )
          )
    )
    (corePage options)
  where
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

-- | At the places of their calls, as far as the sources can be read.
located :: Chosen -> IO Chosen
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
  pure shown {chosenShown = [maybe f (`pinned` f) (findingPlace f >>= \p -> Map.findWithDefault Nothing (placeFile p) texts) | f <- chosenShown shown]}
  where
    sourceText file
      | ".hs" `isSuffixOf` file = either (const Nothing) (Just . T.decodeUtf8Lenient) <$> (try (B.readFile file) :: IO (Either IOException B.ByteString))
      -- What a preprocessor makes has other lines.
      | otherwise = pure Nothing

compared :: DiffOptions -> ExceptT Complaint IO ()
compared options = do
  before <- factsOf (diffBuild options) (diffLeft options)
  after <-
    factsOf
      (diffBuild options)
        { optionGhc =
            fromMaybe (optionGhc (diffBuild options)) (diffGhc options)
        }
      (diffRight options)
  let versions = Set.fromList (map factsCompiler (before <> after))
      words' =
        if Set.size versions > 1
          then acrossCompilers (Set.fromList (map factsModule (before <> after)))
          else id
      old = words' <$> traitsOf before
      new = words' <$> traitsOf after
  pieces <- case diffBindings options of
    Nothing -> pure [(T.concat [m, ".", name], difference (at (m, name) old) (at (m, name) new)) | (m, name) <- Map.keys (Map.union old new)]
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
