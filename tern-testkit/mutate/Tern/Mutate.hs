{-# LANGUAGE OverloadedStrings #-}

-- | Planted bugs: what the tests are worth, as a number.
--
-- The table of bugs is planted in a copy of the checkout, what it needs is built there
-- once, and then each bug's cases are run with its switch on. First all those cases
-- are run with none on: they must pass, and some must be there.
module Tern.Mutate
  ( Wish (..),
    Cabal (..),
    Result (..),
    mutate,
    chosen,
    checkTables,
  )
where

import Control.Concurrent.MVar (MVar, modifyMVar, newMVar, withMVar)
import Control.Monad (when)
import Data.Either (fromLeft)
import Data.List (nub, sort)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import GHC.Fingerprint (Fingerprint, getFileHash)
import System.Directory (createDirectoryIfMissing, doesDirectoryExist, makeAbsolute)
import System.Environment (lookupEnv)
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import System.IO (hFlush, stderr)
import System.Process
  ( CreateProcess (..),
    StdStream (UseHandle),
    createProcess,
    proc,
    readCreateProcess,
    waitForProcess,
  )
import Tern.Mutate.Kept (keep, keyOf, lookupKept, readKept)
import Tern.Mutate.Lanes (inLanes)
import Tern.Mutate.Page (Found (..))
import Tern.Mutate.Plant (switchVariable)
import Tern.Mutate.Run (Command (..), Limits (..), Outcome (..), renderOutcome, runCases)
import Tern.Mutate.Table (Bug (..), Seen (..), package, readTables)
import Tern.Mutate.Tree (plantTree, plantings)

-- | What is asked for.
data Wish = Wish
  { -- | Packages, kinds or names of bugs; all where there is none.
    wishChosen :: [Text],
    -- | Run again what is known to be missed or caught.
    wishAgain :: Bool,
    -- | How many suites may run at a time; no suite runs beside itself.
    wishLanes :: Int,
    wishLimits :: Limits
  }

-- | The flags of a build with cabal, relative to a project's root.
newtype Cabal = Cabal [String]

-- | Complaints; or what was found, with complaints of cases that do not pass without a
-- bug, so that the bugs which they should see were not tried.
data Result = Wrong [Text] | Done [Found] [Text]

-- | The bugs that are asked for, or a word that names none.
chosen :: [Text] -> [Bug] -> Either Text [Bug]
chosen words_ bugs = case filter (\w -> not (any (fits w) bugs)) words_ of
  [] -> Right (if null words_ then bugs else filter (\bug -> any (`fits` bug) words_) bugs)
  word : _ ->
    Left
      ( "'"
          <> word
          <> "' names no package, kind of code or bug; expected one of "
          <> T.intercalate ", " (sort (nub (concat [[package b, bugKind b] | b <- bugs])))
          <> ", or a bug of tern-testkit/mutants"
      )
  where
    fits word bug = word `elem` [package bug, bugKind bug, bugName bug]

-- | What is wrong with the tables of a checkout: their lines, or texts to replace that
-- are not there. Nothing is written.
checkTables :: FilePath -> IO ([Text], [Bug])
checkTables root = do
  (wrong, bugs) <- readTables root
  planted <- plantings root bugs
  pure (wrong <> fromLeft [] planted, bugs)

-- | Everything, from the root of a checkout.
mutate :: FilePath -> Cabal -> Wish -> IO Result
mutate root cabal Wish {..} = do
  (wrong, bugs) <- readTables root
  planted <- plantings root bugs
  case (wrong, planted, chosen wishChosen bugs) of
    ([], Right texts, Right mine) -> do
      place <- makeAbsolute (root </> "dist-newstyle" </> "mutate")
      let tree = place </> "tree"
      createDirectoryIfMissing True tree
      plantTree root tree texts
      let suites = nub (map (seenSuite . bugSeen) mine)
      say
        ( "building "
            <> T.intercalate ", " suites
            <> " with "
            <> T.pack (show (length bugs))
            <> " planted bugs, all off"
        )
      built <- build cabal tree suites
      if not built
        then
          pure
            ( Wrong
                [ "the copy with the planted bugs in "
                    <> T.pack tree
                    <> " did not build; see above"
                ]
            )
        else do
          programs <- Map.fromList <$> mapM (locate cabal tree) suites
          surroundings <- (<>) <$> tools cabal place tree <*> suitesPlace root
          runAll place tree programs surroundings mine
    (_, _, Left unknown) -> pure (Wrong (wrong <> [unknown]))
    (_, Left others, _) -> pure (Wrong (wrong <> others))
    _ -> pure (Wrong wrong)
  where
    runAll place tree programs surroundings mine = do
      let keptFile = place </> "outcomes.tsv"
          said = place </> "said"
          seen = nub (sort (map bugSeen mine))
      createDirectoryIfMissing True said
      kept <- readKept keptFile
      keeping <- newMVar ()
      counted <- newMVar 0
      let run again limits at bug = do
            let (program, fingerprint) = programs Map.! seenSuite at
                key = keyOf fingerprint (seenPattern at) bug
            case lookupKept key kept of
              Just known | not again -> pure known
              _ -> do
                result <-
                  runCases limits (said </> T.unpack (T.replace ":" "." (seenSuite at)))
                    . Command program [] (tree </> T.unpack (T.takeWhile (/= ':') (seenSuite at)))
                    $ [ ("TASTY_PATTERN", T.unpack (seenPattern at)),
                        ("TASTY_COLOR", "never"),
                        -- One failure has seen the bug; the other cases need not run.
                        ("TERN_FIRST_FAILURE", "1")
                      ]
                      <> [(switchVariable, T.unpack name) | Just name <- [bug]]
                      <> surroundings
                withMVar keeping (\() -> keep keptFile key result)
                pure result
      say (T.pack (show (length seen)) <> " patterns of cases, with no bug on")
      clean <- inLanes wishLanes seenSuite (const 1) (alone (run False wishLimits)) seen
      let complaints = [complaint | (at, (o, _)) <- clean, Just complaint <- [unfit at o]]
          base = Map.fromList [(at, time) | (at, (o, time)) <- clean, Nothing <- [unfit at o]]
          fit = [bug | bug <- mine, Map.member (bugSeen bug) base]
          takes bug = Map.findWithDefault 0 (bugSeen bug) base
      found <-
        inLanes wishLanes (seenSuite . bugSeen) takes (one run takes counted (length fit)) fit
      pure (Done found complaints)
    -- Its cases with no bug on.
    alone run at = do
      result@(_, seconds) <- run at Nothing
      when (seconds > 10) . say $
        named at <> " takes " <> T.pack (show (round seconds :: Int)) <> " s"
      pure (at, result)
    -- A bug may make its cases slow: some times what they take is enough.
    one run takes counted total bug = do
      let slow = 15 + round (4 * takes bug :: Double)
      (outcome, seconds) <-
        run
          wishAgain
          wishLimits {limitSeconds = min slow (limitSeconds wishLimits)}
          (bugSeen bug)
          (Just (bugName bug))
      n <- next counted
      say . T.concat $
        [T.justifyRight 3 ' ' (T.pack (show n)), "/", T.pack (show total), "  ", bugName bug, ": "]
          <> [renderOutcome outcome]
      pure (Found bug outcome seconds)
    unfit at = \case
      Missed 0 -> Just (named at <> " matches no case")
      Missed _ -> Nothing
      outcome -> Just (named at <> " does not pass without a bug: " <> renderOutcome outcome)
    named at = seenSuite at <> ", pattern '" <> seenPattern at <> "',"

next :: MVar Int -> IO Int
next counter = modifyMVar counter (\n -> pure (n + 1, n + 1))

-- | A line in one piece, whatever other lanes say.
say :: Text -> IO ()
say text = T.hPutStr stderr ("mutate: " <> text <> "\n") >> hFlush stderr

-- | Warnings are no errors there: what is planted is not written to be beautiful. All
-- modules and packages are compiled that can be, so that everything wrong is said at once.
copyFlags :: [String]
copyFlags = ["-f-dev", "--ghc-options=-w -fkeep-going"]

build :: Cabal -> FilePath -> [Text] -> IO Bool
build (Cabal flags) tree suites = do
  (_, _, _, process) <-
    createProcess
      ( proc
          "cabal"
          ( ["build", "-v1", "--keep-going"]
              <> flags
              <> copyFlags
              <> map target suites
          )
      )
        { cwd = Just tree,
          -- Standard output has the table alone.
          std_out = UseHandle stderr
        }
  (== ExitSuccess) <$> waitForProcess process

target :: Text -> String
target suite = case T.breakOn ":" suite of
  (name, rest) -> T.unpack (name <> ":test" <> rest)

-- | A suite's program and the fingerprint of its contents.
locate :: Cabal -> FilePath -> Text -> IO (Text, (FilePath, Fingerprint))
locate (Cabal flags) tree suite = do
  answer <-
    readCreateProcess
      ( proc
          "cabal"
          ( ["list-bin", "-v0"]
              <> flags
              <> copyFlags
              <> [target suite]
          )
      )
        { cwd = Just tree
        }
      ""
  let path = concat (take 1 (lines answer))
  hash <- getFileHash path
  pure (suite, (path, hash))

-- | Where programs of the copy are found that tests run, and a file of GHC's that names its
-- packages, which is made in this folder.
tools :: Cabal -> FilePath -> FilePath -> IO [(String, String)]
tools (Cabal flags) place tree = do
  answer <-
    readCreateProcess
      ( proc
          "cabal"
          ( ["exec", "-v0"]
              <> flags
              <> copyFlags
              <> ["--", "sh", "-c", "printenv PATH && cat \"$GHC_ENVIRONMENT\""]
          )
      )
        { cwd = Just tree
        }
      ""
  let (path, packages) = splitAt 1 (lines answer)
      environment = place </> "packages"
  writeFile environment (unlines packages)
  pure ([("PATH", p) | p <- path] <> [("GHC_ENVIRONMENT", environment)])

-- | The external suites, where they lie beside the checkout, and the cases that
-- @.\/dev test@ draws.
suitesPlace :: FilePath -> IO [(String, String)]
suitesPlace root = do
  named <- lookupEnv "TERN_SUITES"
  beside <- makeAbsolute (root </> ".." </> "shared" </> "suites")
  present <- doesDirectoryExist beside
  replay <- lookupEnv "TASTY_QUICKCHECK_REPLAY"
  pure $
    [("TERN_SUITES", beside) | present, Nothing <- [named]]
      <> [("TASTY_QUICKCHECK_REPLAY", "20240229") | Nothing <- [replay]]
