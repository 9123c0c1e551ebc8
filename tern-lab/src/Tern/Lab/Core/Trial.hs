{-# LANGUAGE MultiWayIf #-}
{-# LANGUAGE OverloadedStrings #-}

-- | Cures tried in a private copy of a program.
--
-- Its one idea: the copy lies in the laboratory's own folder and is the only thing
-- that is ever edited. It is built without the plugin and without counters, as its
-- owner builds it, and only what an edit touches is compiled again.
--
-- Start at 'withBench'.
module Tern.Lab.Core.Trial
  ( -- * A copy of a program
    Bench,
    withBench,
    benchSources,
    Measurer,
    Ran (..),

    -- * Trying
    Baseline,
    baseline,
    baselineCosts,
    tryCure,
  )
where

import Control.Exception (finally)
import Control.Monad (filterM, forM, forM_, unless, when)
import Control.Monad.Trans.Class (lift)
import Control.Monad.Trans.Except (ExceptT (..), runExceptT, throwE)
import Data.Bifunctor (first)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as L
import Data.Either (fromRight)
import Data.Foldable (asum)
import Data.List (isPrefixOf, nub)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (isJust, mapMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import GHC.Fingerprint (fingerprintString)
import System.Directory
  ( createDirectoryIfMissing,
    doesDirectoryExist,
    doesFileExist,
    getCurrentDirectory,
    getPermissions,
    removeFile,
    removePathForcibly,
    setPermissions,
  )
import System.Exit (ExitCode (..))
import System.FilePath
  ( isRelative,
    makeRelative,
    normalise,
    takeDirectory,
    takeExtension,
    takeFileName,
    (</>),
  )
import Tern (decodeJson, encodeJson)
import Tern.File (writeWhole)
import Tern.Lab.Core.Cure.Change (Cure (..), Sources)
import Tern.Lab.Core.Edit (Edit (..), edited, sourceOf)
import Tern.Lab.Core.Facts (ModuleFacts (..))
import Tern.Lab.Core.Included (beside)
import Tern.Lab.Core.Problem (CoreProblem (..), guarded, renderCoreProblem)
import Tern.Lab.Core.Shelf (using)
import Tern.Lab.Core.Target (Target (..), filesBelow, importRoot, projectRoot)
import Tern.Lab.Core.Tried (Costs (..), Tried (..))
import Tern.Lab.Core.Workbench (Build (..), everyFileBelow, utf8Locale)
import Tern.Lab.Process (Job (..), capture, commandLine, job, runJob, succeeded, textIn)
import Text.Read (readMaybe)

-- | A copy that can be built and run.
data Bench = Bench
  { benchPlace :: !FilePath,
    benchTarget :: !Target,
    benchBuild :: !Build,
    -- | The sources that can be edited, by module, named as the facts name them.
    benchSources :: !Sources,
    -- | From the name of a file to that of its copy.
    benchCopies :: !(Map FilePath FilePath),
    -- | Where a single file's further imports are found.
    benchRoots :: ![FilePath],
    -- | Where its preprocessor finds what lies outside of the copy.
    benchFolders :: ![FilePath]
  }

-- | What a run says: its figures without those of compiling, and what it wrote.
data Ran = Ran
  { ranCosts :: !Costs,
    ranOutput :: !B.ByteString
  }

-- | Runs a program in a folder for what is written, or says how it ended.
type Measurer = FilePath -> FilePath -> IO (Either Text Ran)

-- | Copy a target whose facts are known, and use the copy alone.
withBench ::
  Build -> Target -> [ModuleFacts] -> (Bench -> IO a) -> IO (Either CoreProblem a)
withBench build target modules use = guarded (buildCache build) $ do
  let place =
        buildCache build
          </> "trials"
          </> show
            ( fingerprintString
                ( show
                    ( target,
                      buildGhc build,
                      buildGhcOptions build,
                      buildCabalOptions build
                    )
                )
            )
  using place "copies of programs" (pure ()) $ do
    createDirectoryIfMissing True place
    here <- getCurrentDirectory
    root <- rootOf target
    named <-
      filterM (doesFileExist . fst) (nub [(T.unpack (factsSource m), factsModule m) | m <- modules])
    let copy = place </> "copy"
        within path =
          let near = makeRelative root path
           in if isRelative near && not (".." `isPrefixOf` near)
                then Just near
                else Nothing
        inside =
          [ (file, m, copy </> near)
            | (file, m) <- named,
              Just near <- [within (normalise (here </> file))]
          ]
    wanted <- case target of
      SourceFile file -> do
        let sources =
              nub
                ( [(here </> f, c) | (f, _, c) <- inside]
                    <> [(file, copy </> near) | Just near <- [within file]]
                )
        others <- beside (map (here </>) (root : includeFolders build)) (map fst sources)
        pure (sources <> [(other, copy </> near) | other <- others, Just near <- [within other]])
      CabalTarget _ _ -> map (\near -> (root </> near, copy </> near)) <$> projectFiles root
    -- What is gone from the project is gone from the copy.
    there <- projectFiles copy
    forM_ there $ \near ->
      unless ((copy </> near) `elem` map snd wanted) (removeFile (copy </> near))
    forM_ wanted (uncurry renewed)
    sources <-
      forM
        [ (file, m)
          | (file, m, _) <- inside,
            takeExtension file == ".hs",
            -- What a generator wrote is written anew, and lines of its input are others.
            m `notElem` [factsModule g | g <- modules, isJust (factsGenerated g)]
        ]
        $ \(file, m) ->
          (\bytes -> (m, sourceOf file (T.decodeUtf8Lenient bytes))) <$> B.readFile file
    let moved path = maybe path (copy </>) (within path)
    Right
      <$> use
        Bench
          { benchPlace = place,
            benchTarget = case target of
              SourceFile file -> SourceFile (moved file)
              CabalTarget folder component -> CabalTarget (moved folder) component,
            benchBuild = build,
            benchSources = Map.fromList sources,
            benchCopies = Map.fromList [(file, c) | (file, _, c) <- inside],
            benchRoots = case target of
              SourceFile _ -> [root]
              CabalTarget _ _ -> [],
            benchFolders = map (here </>) (includeFolders build)
          }
  where
    rootOf = \case
      SourceFile file -> (\content -> normalise (importRoot file content)) <$> B.readFile file
      CabalTarget folder _ -> projectRoot folder
    -- A file that is as it was keeps its time, so that nothing is compiled again.
    renewed from to = do
      bytes <- B.readFile from
      old <- doesFileExist to
      same <- if old then (== bytes) <$> B.readFile to else pure False
      unless same $ do
        createDirectoryIfMissing True (takeDirectory to)
        B.writeFile to bytes
        permissions <- getPermissions from
        setPermissions to permissions

-- | The folders that GHC is told to include from.
includeFolders :: Build -> [FilePath]
includeFolders build = mapMaybe (fmap T.unpack . folder) (buildGhcOptions build)
  where
    folder option = asum [T.stripPrefix prefix option | prefix <- ["-I", "-optP-I"]]

-- | All files of a project that its builds have not made: those that git would
-- commit, where it is in git.
projectFiles :: FilePath -> IO [FilePath]
projectFiles root = do
  there <- doesDirectoryExist root
  (code, out, _) <-
    if there
      then capture root "git" ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "."]
      else pure (ExitFailure 1, T.empty, T.empty)
  let listed = filter (not . null) (map T.unpack (T.splitOn "\0" out))
  if
    | not there -> pure []
    | code == ExitSuccess, not (null listed) -> filterM (doesFileExist . (root </>)) listed
    | otherwise -> map (makeRelative root) <$> filesBelow (const True) root

-- * Building and running

-- | Build what the copy has now; the bytes that the compiler allocated for each
-- module that it compiled, and the program.
built :: Bench -> ExceptT CoreProblem IO (Map FilePath Double, FilePath)
built bench = do
  let place = benchPlace bench
      build = benchBuild bench
      timings = place </> "timings"
      given =
        ["-rtsopts", "-ddump-timings", "-ddump-to-file", "-dumpdir=" <> T.pack (timings <> "/")]
          <> buildGhcOptions build
  lift (removePathForcibly timings)
  lift (createDirectoryIfMissing True timings)
  locale <- lift utf8Locale
  let run folder words' =
        lift
          ( runJob
              (job folder (commandLine words'))
                { jobEnvironment = locale,
                  jobOutput = place </> "log",
                  jobErrors = place </> "log"
                }
          )
  program <- case benchTarget bench of
    SourceFile file -> do
      content <- lift (B.readFile file)
      ended <-
        run (takeDirectory file) $
          [ T.pack (buildGhc build),
            "-v1",
            "-O",
            "-package-env",
            "-",
            "-outputdir",
            T.pack (place </> "objects"),
            "-o",
            T.pack (place </> "program"),
            "-i" <> T.pack (importRoot file content),
            T.pack (takeFileName file)
          ]
            <> concat [["-i" <> T.pack root, "-I" <> T.pack root] | root <- benchRoots bench]
            <> map (("-I" <>) . T.pack) (benchFolders bench)
            <> given
      failing ended "ghc"
      pure (place </> "program")
    CabalTarget folder component -> do
      let options =
            [ "--with-compiler=" <> T.pack (buildGhc build),
              "--builddir=" <> T.pack (place </> "dist")
            ]
              <> map ("--ghc-option=" <>) given
              <> buildCabalOptions build
              <> [component | not (T.null component)]
      ended <- run folder (["cabal", "build", "-v1"] <> options)
      failing ended "cabal build"
      (_, out, _) <- lift (capture folder "cabal" (map T.unpack (["list-bin", "-v0"] <> options)))
      let found = T.unpack (T.strip out)
      present <- lift (doesFileExist found)
      unless present (throwE (NoProgram (if T.null component then folder else T.unpack component)))
      pure found
  files <- filter ((== ".dump-timings") . takeExtension) <$> lift (everyFileBelow timings)
  written <- lift (mapM (\file -> (,) file <$> textIn file) files)
  -- A module that was only looked at has timings too, and none of making code.
  pure (Map.fromList [(file, timed text) | (file, text) <- written, isCompiled text], program)
  where
    failing ended what = unless (succeeded ended) $ do
      written <- lift (textIn (benchPlace bench </> "log"))
      throwE (TargetNotBuilt what (firstError written))
    isCompiled = any ("CodeGen " `T.isPrefixOf`) . T.lines
    timed text =
      sum
        [ n
          | row <- T.lines text,
            (_, rest) <- [T.breakOn "alloc=" row],
            not (T.null rest),
            Just n <- [readMaybe (T.unpack (T.takeWhile (/= ' ') (T.drop 6 rest)))]
        ]

-- | The first error of a compiler, without what comes after it.
firstError :: Text -> Text
firstError written = case dropWhile (not . (": error" `T.isInfixOf`)) (T.lines written) of
  [] -> let rows = T.lines written in T.unlines (drop (length rows - 8) rows)
  rows -> T.intercalate "\n" (take 6 (takeWhile (not . T.null . T.strip) rows))

-- | What the program costs as it is.
data Baseline = Baseline
  { -- | Of the first of its two runs.
    baselineCosts :: !Costs,
    -- | Milliseconds by the file of timings that GHC wrote of a module.
    baselineCompiling :: !(Map FilePath Double),
    -- | Nothing where each run writes something else.
    baselineOutput :: !(Maybe B.ByteString)
  }

-- | Build the copy as it is, and run it twice.
baseline :: Bench -> Measurer -> IO (Either CoreProblem Baseline)
baseline bench measure = runExceptT $ do
  -- Whatever a trial that was ended has left is compiled again.
  (compiled, program) <- built bench
  known <- lift (textOf (benchPlace bench </> "compiling"))
  let all' = Map.union compiled (fromRight Map.empty (decodeJson known))
  lift (writeWhole (benchPlace bench </> "compiling") (L.fromStrict (encodeJson all')))
  one <- ran program
  two <- ran program
  pure
    ( Baseline
        (ranCosts one)
        all'
        (if ranOutput one == ranOutput two then Just (ranOutput one) else Nothing)
    )
  where
    ran program =
      ExceptT (first (`RunFailed` T.empty) <$> measure (benchPlace bench) program)
    textOf path = do
      there <- doesFileExist path
      if there then B.readFile path else pure B.empty

-- | Make a cure's edits in the copy, build, run, and take them back.
tryCure :: Bench -> Measurer -> Baseline -> Cure -> IO Tried
tryCure bench measure base cure = do
  originals <- forM files $ \(file, path) -> (,,) file path <$> B.readFile path
  outcome <-
    ( do
        forM_ originals $ \(file, path, bytes) ->
          B.writeFile
            path
            ( T.encodeUtf8
                ( edited
                    (filter ((== file) . editFile) (cureEdits cure))
                    (T.decodeUtf8Lenient bytes)
                )
            )
        runExceptT (attempt (length files == length touched))
      )
      `finally` forM_ originals (\(_, path, bytes) -> B.writeFile path bytes)
  pure $ case outcome of
    Left said -> Tried (cureWords cure) (baselineCosts base) Nothing (Just said)
    Right (old, costs) -> Tried (cureWords cure) old (Just costs) Nothing
  where
    touched = nub (map editFile (cureEdits cure))
    files = mapMaybe (\file -> (,) file <$> Map.lookup file (benchCopies bench)) touched
    attempt complete = do
      unless complete (throwE "a file is outside of the project")
      (compiled, program) <- ExceptT (first didNotCompile <$> runExceptT (built bench))
      result <- ExceptT (first ("the program " <>) <$> measure (benchPlace bench) program)
      when
        (maybe False (/= ranOutput result) (baselineOutput base))
        (throwE "the program writes something else")
      -- The same modules as they were; one that is not known is left out.
      let known = Map.intersectionWith (,) (baselineCompiling base) compiled
          compiling' side =
            if Map.null known
              then Nothing
              else Just (sum (map side (Map.elems known)))
      pure
        ( (baselineCosts base) {compiling = compiling' fst},
          (ranCosts result) {compiling = compiling' snd}
        )
    didNotCompile = \case
      TargetNotBuilt _ said -> "does not compile: " <> T.strip said
      other -> renderCoreProblem other
