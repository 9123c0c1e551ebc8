{-# LANGUAGE MultiWayIf #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TemplateHaskell #-}

-- | A target, built with the plugin looking on.
--
-- Its one idea: a plugin only works in the exact GHC that it was compiled for,
-- so the laboratory carries the plugin's source and compiles it once for each
-- GHC that it meets. The user's project is not edited: the plugin is passed on
-- the command line, and everything that is written goes to a folder of the
-- laboratory's own.
--
-- Start at 'gatherFacts'.
module Tern.Lab.Core.Workbench
  ( -- * Targets
    Target (..),
    targetNamed,
    targetAt,

    -- * Facts
    Build (..),
    gatherFacts,
    gatherTicky,
    pluginFor,
    readFacts,

    -- * Core for reading
    Reading (..),
    gatherReading,

    -- * What can go wrong
    CoreProblem (..),
    renderCoreProblem,
  )
where

import Control.Exception (IOException, try)
import Control.Monad (unless, when)
import Control.Monad.Trans.Class (lift)
import Control.Monad.Trans.Except (ExceptT (..), runExceptT, throwE)
import Data.Binary (decodeOrFail)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as L
import Data.Either (partitionEithers)
import Data.Foldable (for_)
import Data.List (isSuffixOf, sort)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Text.IO qualified as T
import GHC.Fingerprint (fingerprintString)
import System.Directory
import System.Exit (ExitCode (..))
import System.FilePath (isAbsolute, takeDirectory, takeExtension, takeFileName, (<.>), (</>))
import Tern.Lab.Core.Code (Code)
import Tern.Lab.Core.Facts
import Tern.Lab.Core.Produced
import Tern.Lab.Core.Ticky
import Tern.Lab.Embed (embedText)
import Tern.Lab.Process

-- * Targets

data Target
  = -- | A Haskell file with what it imports from its own folder.
    SourceFile !FilePath
  | -- | The folder of a cabal project, and what of it; nothing means the
    -- package in that folder.
    CabalTarget !FilePath !Text
  deriving stock (Eq, Show)

-- | A file that ends in @hs@, a folder with a cabal file, or else a component
-- of the cabal project here.
targetNamed :: FilePath -> IO (Either CoreProblem Target)
targetNamed name = do
  file <- doesFileExist name
  folder <- doesDirectoryExist name
  here <- if folder then isProject name else isProject "."
  absolute <- makeAbsolute name
  current <- getCurrentDirectory
  pure $
    if
      | file, takeExtension name `elem` [".hs", ".lhs"] -> Right (SourceFile absolute)
      | folder, here -> Right (CabalTarget absolute T.empty)
      | not file, not folder, here -> Right (CabalTarget current (T.pack name))
      | otherwise -> Left (NoTarget name)

isProject :: FilePath -> IO Bool
isProject place = do
  names <- listDirectory place
  pure ("cabal.project" `elem` names || any (".cabal" `isSuffixOf`) names)

-- | The same with a commit before it, as in @HEAD~3:src/Main.hs@ or
-- @v1.0:exe:server@; its files are put into the cache and stay there.
targetAt :: FilePath -> FilePath -> IO (Either CoreProblem Target)
targetAt cache name = do
  plainly <- targetNamed name
  case (plainly, break (== ':') name) of
    -- A component in a project, or a file, is no commit.
    (Right target, _) | not (looksLikeCommit name) -> pure (Right target)
    (_, (commit, _ : rest))
      | not (null commit),
        commit `notElem` kinds -> guarded cache . runExceptT $ do
          (code, found, _) <- lift (capture "." "git" ["rev-parse", "--verify", "--quiet", "--end-of-options", commit <> "^{commit}"])
          when (code /= ExitSuccess) (throwE (NoTarget name))
          (_, prefix, _) <- lift (capture "." "git" ["rev-parse", "--show-prefix"])
          (_, root, _) <- lift (capture "." "git" ["rev-parse", "--show-toplevel"])
          let hash = T.unpack (T.strip found)
              folder = cache </> "commits" </> hash
          present <- lift (doesDirectoryExist folder)
          unless present $ do
            lift (createDirectoryIfMissing True (folder <.> "part"))
            archived <- lift (capture (T.unpack (T.strip root)) "git" ["archive", "--format=tar", "-o", folder <.> "tar", hash])
            unpacked <- lift (capture "." "tar" ["-xf", folder <.> "tar", "-C", folder <.> "part"])
            lift (removePathForcibly (folder <.> "tar"))
            for_ [archived, unpacked] $ \(ended, _, said) -> unless (ended == ExitSuccess) (throwE (NoCommit (T.pack commit) (T.strip said)))
            lift (renameDirectory (folder <.> "part") folder)
          let here = folder </> T.unpack (T.strip prefix)
          file <- lift (doesFileExist (here </> rest))
          inside <- lift (doesDirectoryExist (here </> rest))
          let at = if inside then here </> rest else here
          project <- lift (isProject at)
          if
            | file -> pure (SourceFile (here </> rest))
            | not project -> throwE (NoTarget name)
            | otherwise -> pure (CabalTarget at (if inside then T.empty else T.pack rest))
    _ -> pure plainly
  where
    kinds = ["exe", "lib", "flib", "test", "bench"]
    looksLikeCommit text = case break (== ':') text of
      (start, _ : _) -> start `notElem` kinds && not (null start)
      _ -> False

-- * Facts

-- | How to build.
data Build = Build
  { buildGhc :: !FilePath,
    -- | Further options for GHC.
    buildGhcOptions :: ![Text],
    -- | Further options for cabal.
    buildCabalOptions :: ![Text],
    -- | The Core itself too, and what Template Haskell and deriving wrote.
    buildText :: !Bool,
    -- | With counters of entries and bytes.
    buildTicky :: !Bool,
    -- | The laboratory's folder for plugins and builds.
    buildCache :: !FilePath
  }
  deriving stock (Eq, Show)

data CoreProblem
  = NoTarget !FilePath
  | NoCompiler !FilePath
  | -- | The version, and why.
    PluginNotBuilt !Text !Text
  | -- | What GHC or cabal wrote last.
    TargetNotBuilt !Text !Text
  | NoFacts
  | -- | The run left no counters.
    NoCounters
  | CannotUse !FilePath !Text
  | -- | A commit and what git says of it.
    NoCommit !Text !Text
  deriving stock (Eq, Show)

-- | In one line, but for what a compiler wrote.
renderCoreProblem :: CoreProblem -> Text
renderCoreProblem = \case
  NoTarget name -> T.concat [T.pack name, ": expected a Haskell file, a folder with a cabal file, or a component such as exe:NAME inside a cabal project"]
  NoCompiler name -> T.concat [T.pack name, " was not found: give the compiler with --ghc"]
  PluginNotBuilt version written -> T.concat ["the plugin does not compile with GHC ", version, " (9.6 to 9.12 with the ghc library is expected):\n", written]
  TargetNotBuilt what written -> T.concat [what, " failed:\n", written]
  NoCounters -> "the run wrote no counters: is {exe} in the command, and is it the program of the target?"
  NoFacts -> "no module was compiled: is there Haskell code in the target?"
  NoCommit commit reason -> T.concat ["commit ", commit, ": ", reason]
  CannotUse place reason -> T.concat ["cannot use ", T.pack place, ": ", reason]

-- | Build a target and read the facts of its modules.
gatherFacts :: Build -> Target -> IO (Either CoreProblem [ModuleFacts])
gatherFacts build target = fmap fst <$> watched build target

-- | The same with the counters of a run, and the bytes that all of it allocated;
-- @{exe}@ in the command is the program.
gatherTicky :: Build -> Target -> Text -> IO (Either CoreProblem ([ModuleFacts], [Counter], Maybe Double))
gatherTicky build target command = guarded (buildCache build) . runExceptT $ do
  (modules, program) <- ExceptT (watched build {buildTicky = True} target)
  let report = buildCache build </> "ticky"
      written = buildCache build </> "ticky.log"
      statistics = buildCache build </> "ticky.statistics"
  lift (mapM_ removePathForcibly [report, statistics])
  ended <-
    lift . runJob $
      (job "." (T.replace "{exe}" (commandLine [T.pack program]) command))
        { jobEnvironment = [("GHCRTS", "-r" <> report <> " -t" <> statistics <> " --machine-readable")],
          jobOutput = written,
          jobErrors = written
        }
  unless (succeeded ended) $ do
    text <- lift (T.readFile written)
    throwE (TargetNotBuilt "the run" (T.unlines (take 25 (T.lines text))))
  present <- lift (doesFileExist report)
  counters <- if present then parseTicky <$> lift (T.readFile report) else pure []
  when (null counters) (throwE NoCounters)
  said <- lift (doesFileExist statistics)
  whole <- if said then allocatedIn <$> lift (T.readFile statistics) else pure Nothing
  pure (modules, counters, whole)

-- | What is needed to read a program's Core.
data Reading = Reading
  { readingModules :: ![ModuleFacts],
    -- | By module, in the order of its bindings.
    readingCode :: !(Map Text [Code]),
    -- | What Template Haskell and deriving wrote.
    readingProduced :: ![Produced]
  }

-- | The facts and the Core itself.
gatherReading :: Build -> Target -> IO (Either CoreProblem Reading)
gatherReading build target = guarded (buildCache build) . runExceptT $ do
  let whole = build {buildText = True}
  (modules, _) <- ExceptT (watched whole target)
  plugin <- ExceptT (pluginFor whole)
  let place = placeOf whole target plugin
  files <- lift (filter ((== ".code") . takeExtension) <$> listDirectory (place </> "facts"))
  trees <- lift (mapM (\name -> decodedCode <$> L.readFile (place </> "facts" </> name)) files)
  dumps <- lift (filesBelow (place </> "dumps"))
  written <- lift (mapM (fmap T.decodeUtf8Lenient . B.readFile) [f | f <- dumps, takeExtension f `elem` [".dump-splices", ".dump-deriv"]])
  pure (Reading modules (Map.fromList (concat trees)) (concatMap producedIn written))
  where
    decodedCode bytes = case decodeOrFail bytes of
      Right (_, _, (version, name, trees)) | version == factsVersion -> [(name, trees)]
      _ -> []

filesBelow :: FilePath -> IO [FilePath]
filesBelow folder = do
  there <- doesDirectoryExist folder
  if there
    then concat <$> (listDirectory folder >>= mapM (one . (folder </>)))
    else pure []
  where
    one path = do
      isFolder <- doesDirectoryExist path
      if isFolder then filesBelow path else pure [path]

-- | The folder of a build.
placeOf :: Build -> Target -> FilePath -> FilePath
placeOf build target plugin =
  buildCache build </> "builds" </> show (fingerprintString (show (target, plugin, buildGhcOptions build, buildCabalOptions build, (buildText build, buildTicky build))))

-- | The facts, and where the program is if the target is one.
watched :: Build -> Target -> IO (Either CoreProblem ([ModuleFacts], FilePath))
watched build target = guarded (buildCache build) . runExceptT $ do
  plugin <- ExceptT (pluginFor build)
  let place = placeOf build target plugin
      options = buildGhcOptions build <> (if buildTicky build then ["-ticky", "-rtsopts"] else []) <> (if buildText build then ["-ddump-splices", "-ddump-deriv", "-ddump-to-file", "-dumpdir=" <> T.pack (place </> "dumps/")] else [])
      facts = place </> "facts"
      option = T.concat ["-fplugin-library=", T.pack plugin, ";tern-lab-plugin;Tern.Lab.Core.Plugin;[]"]
      written = place </> "log"
      job' directory command =
        (job directory command)
          { jobEnvironment = [("TERN_LAB_FACTS", facts), ("TERN_LAB_TEXT", if buildText build then "1" else "0")],
            jobOutput = written,
            jobErrors = written
          }
  case target of
    SourceFile file -> do
      lift (removePathForcibly place >> createDirectoryIfMissing True facts)
      -- By a relative name: places in findings can be followed from here, and
      -- GHC writes what it made beside a source that has an absolute one.
      near <- lift (makeRelativeToCurrentDirectory file)
      let (folder, name) = if isAbsolute near then (takeDirectory file, takeFileName file) else (".", near)
      ended <-
        lift . runJob . job' folder . commandLine $
          [T.pack (buildGhc build), "-v1", "-O", "-package-env", "-", "-outputdir", T.pack (place </> "objects"), "-i" <> T.pack (takeDirectory name), T.pack name, option, trusted]
            <> (if buildTicky build then ["-o", T.pack (place </> "program")] else ["-no-link"])
            <> options
      unless (succeeded ended) $ do
        package <- lift (packageAround (takeDirectory file))
        failed ("ghc" <> maybe "" (\at -> T.concat [" (the package in ", T.pack at, " may set extensions and packages: give that folder or a component)"]) package) written
    CabalTarget folder component -> do
      lift (createDirectoryIfMissing True facts)
      ended <-
        lift . runJob . job' folder . commandLine $
          ["cabal", "build", "-v1", "--with-compiler=" <> T.pack (buildGhc build), "--builddir=" <> T.pack (place </> "dist"), "--ghc-option=" <> option, "--ghc-option=" <> trusted]
            <> map ("--ghc-option=" <>) options
            <> buildCabalOptions build
            <> [component | not (T.null component)]
      unless (succeeded ended) (failed "cabal build" written)
  modules <- ExceptT (readFacts facts)
  when (null modules) (throwE NoFacts)
  program <- case target of
    SourceFile _ -> pure (place </> "program")
    CabalTarget folder component -> do
      (_, out, _) <-
        lift . capture folder "cabal" . map T.unpack $
          ["list-bin", "-v0", "--with-compiler=" <> T.pack (buildGhc build), "--builddir=" <> T.pack (place </> "dist"), "--ghc-option=" <> option, "--ghc-option=" <> trusted]
            <> map ("--ghc-option=" <>) options
            <> buildCabalOptions build
            <> [component | not (T.null component)]
      pure (T.unpack (T.strip out))
  pure (modules, program)
  where
    -- A plugin would make every module unsafe for Safe Haskell.
    trusted = "-fplugin-trustworthy"
    failed what written = do
      text <- lift (T.readFile written)
      let rows = T.lines text
      throwE (TargetNotBuilt what (T.unlines (drop (length rows - 25) rows)))

-- | The nearest folder around with a cabal file.
packageAround :: FilePath -> IO (Maybe FilePath)
packageAround folder = do
  here <- isProject folder
  if
    | here -> pure (Just folder)
    | takeDirectory folder == folder -> pure Nothing
    | otherwise -> packageAround (takeDirectory folder)

-- | The facts in a folder, in order of the modules' names. Files of another
-- version of the laboratory are left out.
readFacts :: FilePath -> IO (Either CoreProblem [ModuleFacts])
readFacts folder = guarded folder $ do
  names <- sort . filter ((== ".facts") . takeExtension) <$> listDirectory folder
  (_, read') <- partitionEithers <$> mapM one names
  pure (Right read')
  where
    one name = do
      bytes <- L.readFile (folder </> name)
      pure $ case decodeOrFail bytes of
        Right (rest, _, version) | version == factsVersion -> case decodeOrFail rest of
          Right (_, _, facts) -> Right facts
          Left (_, _, message) -> Left message
        _ -> Left "another version"

guarded :: FilePath -> IO (Either CoreProblem a) -> IO (Either CoreProblem a)
guarded place act =
  try act >>= \case
    Right result -> pure result
    Left e -> pure (Left (CannotUse place (T.pack (show (e :: IOException)))))

-- | Words for the shell.
commandLine :: [Text] -> Text
commandLine = T.unwords . map quoted
  where
    quoted word = T.concat ["'", T.replace "'" "'\\''" word, "'"]

-- * The plugin

-- | The plugin's library for a GHC, compiled now if it is the first time.
pluginFor :: Build -> IO (Either CoreProblem FilePath)
pluginFor build = runExceptT $ do
  (code, out, _) <- lift (capture "." (buildGhc build) ["--info"])
  (_, version, _) <- lift (capture "." (buildGhc build) ["--numeric-version"])
  when (code /= ExitSuccess) (throwE (NoCompiler (buildGhc build)))
  let key = show (fingerprintString (show (out, sources)))
      place = buildCache build </> "plugins" </> T.unpack (T.strip version) <> "-" <> key
      library = place </> "libtern-lab-plugin.so"
  present <- lift (doesFileExist library)
  unless present $ do
    part <- lift (temporaryBeside place)
    lift . for_ sources $ \(name, text) -> do
      createDirectoryIfMissing True (takeDirectory (part </> name))
      T.writeFile (part </> name) text
    let written = part </> "log"
    ended <-
      lift . runJob $
        (job part (commandLine ([T.pack (buildGhc build)] <> pluginOptions <> map (T.pack . fst) sources)))
          { jobOutput = written,
            jobErrors = written
          }
    unless (succeeded ended) $ do
      text <- lift (T.readFile written)
      throwE (PluginNotBuilt (T.strip version) text)
    lift $ do
      -- Another process may have been as quick.
      done <- doesFileExist library
      if done then removePathForcibly part else removePathForcibly place >> renameDirectory part place
  pure library
  where
    temporaryBeside place = do
      createDirectoryIfMissing True (takeDirectory place)
      let go n = do
            let candidate = place <.> ("part" <> show (n :: Int))
            made <- try (createDirectory candidate)
            case made of
              Right () -> pure candidate
              Left e | n > 1000 -> ioError e
              Left _ -> go (n + 1)
      go 0
    pluginOptions =
      ["-v0", "-O", "-package-env", "-", "-shared", "-dynamic", "-fPIC", "-this-unit-id", "tern-lab-plugin", "-outputdir", "objects"]
        <> ["-XGHC2021", "-XDerivingStrategies", "-XLambdaCase"]
        <> concat [["-package", p] | p <- ["base", "binary", "bytestring", "containers", "directory", "filepath", "ghc", "text"]]
        <> ["-o", "libtern-lab-plugin.so"]

-- | The plugin's source, as it was when the laboratory was built.
sources :: [(FilePath, Text)]
sources =
  [ ("Tern/Lab/Core/Code.hs", $(embedText "facts/Tern/Lab/Core/Code.hs")),
    ("Tern/Lab/Core/Facts.hs", $(embedText "facts/Tern/Lab/Core/Facts.hs")),
    ("Tern/Lab/Core/Plugin/Compat.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/Compat.hs")),
    ("Tern/Lab/Core/Plugin/Shape.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/Shape.hs")),
    ("Tern/Lab/Core/Plugin/Walk.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/Walk.hs")),
    ("Tern/Lab/Core/Plugin/Read.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/Read.hs")),
    ("Tern/Lab/Core/Plugin/Gather.hs", $(embedText "plugin/Tern/Lab/Core/Plugin/Gather.hs")),
    ("Tern/Lab/Core/Plugin.hs", $(embedText "plugin/Tern/Lab/Core/Plugin.hs"))
  ]
