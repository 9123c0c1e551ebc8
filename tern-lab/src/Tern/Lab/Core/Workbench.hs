{-# LANGUAGE OverloadedStrings #-}

-- | A target, built with the plugin looking on.
--
-- Its one idea: the user's project is not edited. The plugin is passed on the
-- command line, and everything that is written goes to a folder of the
-- laboratory's own, one for each target and way of building, which one process
-- at a time uses.
--
-- Start at 'gatherFacts'. Targets are named in "Tern.Lab.Core.Target", the
-- plugin is made in "Tern.Lab.Core.PluginLibrary".
module Tern.Lab.Core.Workbench
  ( -- * Facts
    Build (..),
    gatherFacts,
    gatherParts,
    Run (..),
    gatherTicky,
    gatherRun,
    Ran (..),
    countingOptions,

    -- * A build
    Grain (..),
    Watched (..),
    watched,

    -- * Other builds
    utf8Locale,
    everyFileBelow,
  )
where

import Control.Monad (unless, when)
import Control.Monad.Trans.Class (lift)
import Control.Monad.Trans.Except (ExceptT (..), runExceptT, throwE)
import Data.ByteString qualified as B
import Data.Char (toLower)
import Data.List (isInfixOf, isPrefixOf)
import Data.Maybe (catMaybes)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import GHC.Fingerprint (fingerprintString)
import System.Directory
  ( createDirectoryIfMissing,
    doesDirectoryExist,
    doesFileExist,
    listDirectory,
    makeRelativeToCurrentDirectory,
    removePathForcibly,
  )
import System.Environment (lookupEnv)
import System.FilePath
  ( isAbsolute,
    makeRelative,
    takeDirectory,
    takeFileName,
    (</>),
  )
import System.IO (hPutStrLn, stderr)
import Tern.Lab.Alias (withAlias)
import Tern.Lab.Core.Facts (ModuleFacts (..))
import Tern.Lab.Core.Kept (readFacts)
import Tern.Lab.Core.PluginLibrary (pluginFor, pluginOptions)
import Tern.Lab.Core.Problem (CoreProblem (..), guarded)
import Tern.Lab.Core.Shelf (using)
import Tern.Lab.Core.Target (Target (..), componentsBelow, importRoot, packageAround, targetListing)
import Tern.Lab.Core.Ticky (Collector, Counter, allocatedIn, collectorIn, parseTicky)
import Tern.Lab.Process
  ( Ended (..),
    Job (..),
    capture,
    commandLine,
    job,
    renderEnding,
    runJob,
    succeeded,
    textIn,
  )
import Tern.Lab.Room (tooLittle)

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

-- | Build a target and read the facts of its modules.
gatherFacts :: Build -> Target -> IO (Either CoreProblem [ModuleFacts])
gatherFacts build target = watched WholeBindings build target (pure . watchedFacts)

-- | The same with the local functions of each binding, which the counters of
-- somebody else's build are laid to.
gatherParts :: Build -> Target -> IO (Either CoreProblem [ModuleFacts])
gatherParts build target = watched AllFunctions build target (pure . watchedFacts)

-- | What the facts tell apart.
data Grain = WholeBindings | AllFunctions
  deriving stock (Eq, Show)

-- | How a program is run.
data Run = Run
  { -- | A shell command; @{exe}@ in it is the program.
    runCommand :: !Text,
    -- | The seconds after which it is ended.
    runTimeout :: !(Maybe Double)
  }
  deriving stock (Eq, Show)

-- | What a run with counters left.
data Ran = Ran
  { ranCounters :: ![Counter],
    -- | The bytes that all of it allocated.
    ranWhole :: !(Maybe Double),
    ranCollector :: !(Maybe Collector)
  }

-- | The same with the counters of a run, and the bytes that all of it allocated.
gatherTicky ::
  Build -> Target -> Run -> IO (Either CoreProblem ([ModuleFacts], [Counter], Maybe Double))
gatherTicky build target run = fmap parts <$> gatherRun build target run
  where
    parts (modules, ran) = (modules, ranCounters ran, ranWhole ran)

-- | The facts and a run.
gatherRun :: Build -> Target -> Run -> IO (Either CoreProblem ([ModuleFacts], Ran))
gatherRun plainly target run = watched AllFunctions build target $ \seen -> do
  program <- programOf target seen
  let place = watchedPlace seen
      written = place </> "run.log"
  lift (mapM_ (removePathForcibly . (place </>)) ["ticky", "statistics"])
  ended <-
    lift . withAlias place $ \alias ->
      runJob
        (job "." (T.replace "{exe}" (commandLine [T.pack program]) (runCommand run)))
          { jobEnvironment =
              [ ( "GHCRTS",
                  "-r" <> alias
                    </> "ticky" <> " -t" <> alias
                    </> "statistics" <> " --machine-readable"
                )
              ],
            jobOutput = written,
            jobErrors = written,
            jobTimeout = runTimeout run
          }
  unless (succeeded ended) $ do
    text <- lift (textIn written)
    throwE (RunFailed (renderEnding (ending ended)) (T.unlines (take 25 (T.lines text))))
  counters <- parseTicky <$> lift (textIn (place </> "ticky"))
  when (null counters) (throwE NoCounters)
  statistics <- lift (textIn (place </> "statistics"))
  let ran m =
        maybe
          True
          ( (makeRelative place (takeDirectory program) `within`)
              . T.unpack
          )
          (T.stripPrefix "main@" (factsUnit m))
      within folder objects = folder == "." || (folder <> "/") `isPrefixOf` objects
  -- Another program of the build has not run.
  pure
    ( filter ran (watchedFacts seen),
      Ran counters (allocatedIn statistics) (collectorIn statistics)
    )
  where
    build = plainly {buildTicky = True}

-- | What GHC is given so that a program counts, when it compiles and when it links.
countingOptions :: [Text]
countingOptions = ["-ticky", "-ticky-dyn-thunk", "-ticky-LNE", "-rtsopts"]

-- * A build

-- | Also what builds have made.
everyFileBelow :: FilePath -> IO [FilePath]
everyFileBelow folder = do
  there <- doesDirectoryExist folder
  if there
    then concat <$> (listDirectory folder >>= mapM (one . (folder </>)))
    else pure []
  where
    one path = do
      isFolder <- doesDirectoryExist path
      if isFolder then everyFileBelow path else pure [path]

-- | What a build left.
data Watched = Watched
  { watchedFacts :: ![ModuleFacts],
    -- | Its folder, which is this process's own while it is looked at.
    watchedPlace :: !FilePath,
    -- | The options that cabal was given, but for the component.
    watchedCabal :: ![Text]
  }

-- | Build, then look at what it left.
watched ::
  Grain -> Build -> Target -> (Watched -> ExceptT CoreProblem IO a) -> IO (Either CoreProblem a)
watched grain build target use = guarded (buildCache build) . runExceptT $ do
  lift (createDirectoryIfMissing True (buildCache build))
  lift (tooLittle (buildCache build)) >>= mapM_ (throwE . CannotUse (buildCache build))
  plugin <- ExceptT (pluginFor (buildCache build) (buildGhc build))
  let place =
        buildCache build
          </> "builds"
          </> show
            ( fingerprintString
                ( show
                    ( target,
                      plugin,
                      buildGhcOptions build,
                      buildCabalOptions build,
                      (buildText build, buildTicky build, grain)
                    )
                )
            )
      waiting = hPutStrLn stderr "waiting for another process that reads the Core of this target"
  locale <- lift utf8Locale
  ExceptT . using place plugin waiting . runExceptT $ do
    let cabal =
          [ "--with-compiler="
              <> T.pack (buildGhc build),
            "--builddir=" <> T.pack (place </> "dist")
          ]
            <> map ("--ghc-option=" <>) (pluginOptions plugin <> options place)
            <> buildCabalOptions build
    case target of
      SourceFile file -> ghcBuild locale place file (pluginOptions plugin <> options place)
      CabalTarget folder component ->
        cabalBuild locale place folder component (cabal <> [component | not (T.null component)])
    modules <- ExceptT (readFacts (place </> "facts"))
    when (null modules) (throwE NoFacts)
    use (Watched modules place cabal)
  where
    options place =
      buildGhcOptions build
        <> (if buildTicky build then countingOptions else [])
        <> ( if buildText build
               then
                 [ "-ddump-splices",
                   "-ddump-deriv",
                   "-ddump-to-file",
                   "-dumpdir="
                     <> T.pack (place </> "dumps/")
                 ]
               else []
           )
    counting
      | buildTicky build = "1"
      | otherwise = case grain of
          AllFunctions -> "marks"
          WholeBindings -> "0"
    watching settings place folder command =
      (job folder (commandLine command))
        { jobEnvironment =
            [ ("TERN_LAB_FACTS", place </> "facts"),
              ("TERN_LAB_TEXT", if buildText build then "1" else "0"),
              ("TERN_LAB_COUNT", counting)
            ]
              <> settings,
          jobOutput = place </> "log",
          jobErrors = place </> "log"
        }
    failed place what = do
      rows <- T.lines <$> lift (textIn (place </> "log"))
      throwE (TargetNotBuilt what (T.unlines (drop (length rows - 25) rows)))
    ghcBuild locale place file given = do
      lift (removePathForcibly place >> createDirectoryIfMissing True (place </> "facts"))
      -- By a relative name: GHC writes what it made beside a source that has an
      -- absolute one.
      near <- lift (makeRelativeToCurrentDirectory file)
      content <- lift (B.readFile file)
      let (folder, name) =
            if isAbsolute near
              then (takeDirectory file, takeFileName file)
              else (".", near)
          root = importRoot (if isAbsolute near then file else near) content
      ended <-
        lift . runJob . watching locale place folder $
          [ T.pack (buildGhc build),
            "-v1",
            "-O",
            "-package-env",
            "-",
            "-outputdir",
            T.pack (place </> "objects"),
            "-i"
              <> T.pack root,
            T.pack name
          ]
            <> (if buildTicky build then ["-o", T.pack (place </> "program")] else ["-no-link"])
            <> given
      unless (succeeded ended) $ do
        said <- lift (textIn (place </> "log"))
        when
          ( buildTicky build
              && "There is no module named" `T.isInfixOf` said
          )
          (throwE (NoProgram file))
        package <- lift (packageAround (takeDirectory file))
        failed
          place
          ( "ghc"
              <> maybe
                ""
                ( \at ->
                    T.concat
                      [ " (the package in ",
                        T.pack at,
                        " may set extensions and packages: give that folder or a component)"
                      ]
                )
                package
          )
    cabalBuild locale place folder component given = do
      -- Facts of modules that are gone would stay.
      listing <- lift (targetListing folder)
      before <- lift (textIn (place </> "listing"))
      unless (listing == before) . lift $ do
        removePathForcibly place
        createDirectoryIfMissing True place
        B.writeFile (place </> "listing") (T.encodeUtf8 listing)
      lift (createDirectoryIfMissing True (place </> "facts"))
      ended <-
        lift . runJob . watching (("GHC_ENVIRONMENT", "-") : locale) place folder $
          ["cabal", "build", "-v1"] <> given
      unless (succeeded ended) $ do
        there <- lift (componentsBelow folder)
        written <- lift (textIn (place </> "log"))
        -- What cabal says of an unknown target is long and about itself.
        let unknown =
              any
                (`T.isInfixOf` written)
                [ "nknown target",
                  "nrecognised target",
                  "target matching",
                  "no component"
                ]
        when unknown (throwE (NoComponent component there))
        failed place "cabal build"

-- | Without a UTF-8 locale GHC stops at the first file whose name is not ASCII.
utf8Locale :: IO [(String, String)]
utf8Locale = do
  values <- mapM lookupEnv ["LC_ALL", "LC_CTYPE", "LANG"]
  pure $ case filter (not . null) (catMaybes values) of
    name : _ | "utf" `isInfixOf` map toLower name -> []
    _ -> [("LC_ALL", "C.UTF-8")]

-- | Where the program of a target lies.
programOf :: Target -> Watched -> ExceptT CoreProblem IO FilePath
programOf target seen = case target of
  SourceFile _ -> pure (watchedPlace seen </> "program")
  CabalTarget folder component -> do
    (_, out, _) <-
      lift
        ( capture
            folder
            "cabal"
            ( map
                T.unpack
                ( ["list-bin", "-v0"]
                    <> watchedCabal seen
                    <> [component | not (T.null component)]
                )
            )
        )
    let program = T.unpack (T.strip out)
    present <- lift (doesFileExist program)
    unless present (throwE (NoProgram (if T.null component then folder else T.unpack component)))
    pure program
