{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE RecordWildCards #-}

-- | The compiler plugin: a first pass and a last pass that look and change
-- nothing. Only for a counting build the last one hands on the marked program
-- (see "Tern.Lab.Core.Plugin.Count").
--
-- For each module the laboratory's 'plugin' writes one file of "Tern.Lab.Core.Facts"
-- into the folder that the environment variable @TERN_LAB_FACTS@ names (an environment
-- variable and no option, so that a build tool's idea of the flags stays the same
-- wherever the facts go). Without the variable it does nothing. With
-- @TERN_LAB_COUNT@ as @marks@ the facts tell local functions apart; as @1@ the
-- marked program is compiled.
--
-- Whatever else is to be done with the facts of a module is another 'Watcher'.
module Tern.Lab.Core.Plugin
  ( plugin,

    -- * Other uses of what was seen
    Watcher (..),
    Seen (..),
    watching,
  )
where

import Control.Monad (when)
import Control.Monad.IO.Class (MonadIO)
import Data.Binary (encode)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy qualified as L
import Data.Foldable (for_)
import Data.IORef (IORef, atomicModifyIORef', newIORef, readIORef)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe)
import Data.Monoid (Any (..), Last (..))
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Plugins hiding ((<>))
import System.Directory (createDirectoryIfMissing, getCurrentDirectory, renameFile)
import System.Environment (lookupEnv)
import System.FilePath (takeDirectory, (</>))
import System.IO.Unsafe (unsafePerformIO)
import Tern.Lab.Core.Facts
  ( LocalCall,
    ModuleFacts (..),
    Pragma,
    SourceCall,
    Use,
    factsVersion,
  )
import Tern.Lab.Core.Plugin.Chosen (takesInteger)
import Tern.Lab.Core.Plugin.Compat (hasExportList, writtenIds)
import Tern.Lab.Core.Plugin.Count (handedOn)
import Tern.Lab.Core.Plugin.Gather
  ( View (..),
    Written,
    codes,
    gather,
    insides,
    unitOf,
    viewOf,
    writtenNames,
  )
import Tern.Lab.Core.Plugin.Provenance (Provenance, fromGenerator, provenanceOf)
import Tern.Lab.Core.Plugin.Shape (Own (..), occurrence, pragmaOf)
import Tern.Lab.Core.Plugin.Uses (usesOf)

-- | What is done with what was seen of each module.
data Watcher = Watcher
  { -- | The folder of the build, which is no part of a unit's name.
    watcherPlace :: !FilePath,
    -- | Are local functions told apart?
    watcherMarks :: !Bool,
    watcherTold :: Seen -> ModGuts -> CoreM ModGuts
  }

data Seen = Seen
  { seenFacts :: !ModuleFacts,
    seenView :: !View,
    -- | Where GHC writes the module's interface.
    seenInterface :: !FilePath
  }

-- | The laboratory's.
plugin :: Plugin
plugin = watching (const laboratory)

-- | A plugin that looks on wherever there is a watcher, given the plugin's options.
watching :: ([CommandLineOption] -> IO (Maybe Watcher)) -> Plugin
watching watcher =
  defaultPlugin
    { installCoreToDos =
        \options passes ->
          pure
            ( [CoreDoPluginPass "tern-lab-source" (lookBefore (watcher options))]
                <> passes
                <> [CoreDoPluginPass "tern-lab" (look (watcher options))]
            ),
      parsedResultAction = \_ summary parsed -> do
        source <- liftIO (B.readFile (ms_hspp_file summary))
        origin <- liftIO (provenanceOf summary)
        remember
          summary
          mempty
            { earlierExports =
                Any (hasExportList parsed),
              earlierInteger = Any (any saysInteger (BC.lines source)),
              earlierInterface = Last (Just (ml_hi_file (ms_location summary))),
              earlierSource = Last (ml_hs_file (ms_location summary)),
              earlierOrigin = Last origin
            }
        pure parsed,
      typeCheckResultAction = \_ summary checked -> do
        remember
          summary
          mempty
            { earlierWritten = writtenNames (writtenIds checked),
              earlierTop = [(occurrence v, pragmaOf v) | v <- writtenIds checked]
            }
        pure checked,
      pluginRecompile = flagRecompile
    }

-- | Outside of a line of comment.
saysInteger :: B.ByteString -> Bool
saysInteger row =
  "Integer" `B.isInfixOf` row && not ("--" `B.isPrefixOf` BC.dropWhile (== ' ') row)

-- | What earlier stages know of a module and the optimiser no longer does.
data Earlier = Earlier
  { earlierExports :: !Any,
    -- | Does its source speak of @Integer@, or take one from elsewhere?
    earlierInteger :: !Any,
    earlierWritten :: !Written,
    earlierUses :: ([Use], [SourceCall], [LocalCall]),
    earlierTop :: [(Text, Pragma)],
    -- | What is left of it when the optimiser begins.
    earlierLeft :: [Text],
    -- | Where its interface is written.
    earlierInterface :: !(Last FilePath),
    -- | The file that it was read from.
    earlierSource :: !(Last FilePath),
    -- | What a generator made it of, if one did.
    earlierOrigin :: !(Last Provenance)
  }

instance Semigroup Earlier where
  Earlier a b c d t l i s o <> Earlier e f g h u m j r q =
    Earlier (a <> e) (b <> f) (c <> g) (d <> h) (t <> u) (l <> m) (i <> j) (s <> r) (o <> q)

instance Monoid Earlier where
  mempty = Earlier mempty mempty mempty mempty mempty mempty mempty mempty mempty

earlier :: IORef (Map String Earlier)
earlier = unsafePerformIO (newIORef Map.empty)
-- NOINLINE: one reference for the process, as unsafePerformIO demands.
{-# NOINLINE earlier #-}

remember :: (MonadIO m) => ModSummary -> Earlier -> m ()
remember = rememberOf . ms_mod

rememberOf :: (MonadIO m) => Module -> Earlier -> m ()
rememberOf m new =
  liftIO
    ( atomicModifyIORef'
        earlier
        ( \known ->
            (Map.insertWith (<>) (moduleNameString (moduleName m)) new known, ())
        )
    )

-- | The program as the source has it.
lookBefore :: IO (Maybe Watcher) -> ModGuts -> CoreM ModGuts
lookBefore watcher guts = do
  there <- liftIO watcher
  for_ there $ \Watcher {watcherPlace} -> do
    flags <- getDynFlags
    known <- liftIO (readIORef earlier)
    let own = Own (unitOf watcherPlace flags (mg_module guts)) emptyVarEnv
        written =
          earlierWritten
            (Map.findWithDefault mempty (moduleNameString (moduleName (mg_module guts))) known)
    rememberOf
      (mg_module guts)
      mempty
        { earlierUses = usesOf own written (mg_module guts) (mg_binds guts),
          earlierLeft = map occurrence (bindersOfBinds (mg_binds guts)),
          earlierInteger = Any (takesInteger (mg_module guts) (mg_binds guts))
        }
  pure guts

-- | The program as the optimiser leaves it.
look :: IO (Maybe Watcher) -> ModGuts -> CoreM ModGuts
look watcher guts =
  liftIO watcher >>= \case
    Nothing -> pure guts
    Just Watcher {..} -> do
      flags <- getDynFlags
      known <- liftIO (readIORef earlier)
      here <- liftIO getCurrentDirectory
      let name = moduleNameString (moduleName (mg_module guts))
          Earlier
            (Any exports)
            (Any says)
            written
            uses
            top
            left
            (Last interface)
            (Last source)
            (Last origin) = Map.findWithDefault mempty name known
          seen = viewOf watcherPlace watcherMarks flags guts
          told = gather here exports says uses (top, left) written seen
          -- Where the first binding was inlined from another module, no place tells.
          place = maybe (factsSource told) T.pack source
          facts = maybe id (fromGenerator (insides seen)) origin told {factsSource = place}
      watcherTold (Seen facts seen (fromMaybe "" interface)) guts

-- * The laboratory's

laboratory :: IO (Maybe Watcher)
laboratory = do
  target <- lookupEnv "TERN_LAB_FACTS"
  wanted <- lookupEnv "TERN_LAB_TEXT"
  counted <- lookupEnv "TERN_LAB_COUNT"
  pure $ case target of
    Nothing -> Nothing
    Just folder ->
      Just
        Watcher
          { watcherPlace = takeDirectory folder,
            watcherMarks = counted `elem` map Just ["marks", "1"],
            watcherTold = \seen guts -> do
              (calls, told) <-
                if counted == Just "1"
                  then
                    ( \uniques ->
                        handedOn
                          (viewFlags (seenView seen))
                          uniques
                          (viewMarked (seenView seen))
                          guts
                    )
                      <$> getUniqueSupplyM
                  else pure ([], guts)
              let facts = (seenFacts seen) {factsCounted = calls}
              told <$ liftIO (saved folder (wanted == Just "1") seen {seenFacts = facts})
          }

-- | The facts into a folder, and the Core itself where it is wanted.
saved :: FilePath -> Bool -> Seen -> IO ()
saved folder wanted (Seen facts seen _) = do
  createDirectoryIfMissing True folder
  when wanted $
    save ".code" (encode (factsVersion, factsUnit facts, factsModule facts, codes seen))
  save ".facts" (encode (factsVersion, facts))
  where
    -- The name of a unit may be a path.
    file = T.unpack (factsMark facts) <> "." <> T.unpack (factsModule facts)
    save extension content = do
      L.writeFile (folder </> (file <> ".part")) content
      renameFile (folder </> (file <> ".part")) (folder </> (file <> extension))
