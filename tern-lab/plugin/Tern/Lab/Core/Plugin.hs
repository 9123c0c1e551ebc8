{-# LANGUAGE OverloadedStrings #-}

-- | The compiler plugin: a first pass and a last pass that look and change
-- nothing. Only for a counting build the last one hands on the marked program
-- (see "Tern.Lab.Core.Plugin.Count").
--
-- For each module it writes one file of "Tern.Lab.Core.Facts" into the folder
-- that the environment variable @TERN_LAB_FACTS@ names (an environment variable
-- and no option, so that a build tool's idea of the flags stays the same
-- wherever the facts go). Without the variable it does nothing. With
-- @TERN_LAB_COUNT@ as @marks@ the facts tell local functions apart; as @1@ the
-- marked program is compiled.
module Tern.Lab.Core.Plugin
  ( plugin,
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
import Data.Monoid (Any (..))
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Plugins hiding ((<>))
import System.Directory (createDirectoryIfMissing, getCurrentDirectory, renameFile)
import System.Environment (lookupEnv)
import System.FilePath (takeDirectory, (</>))
import System.IO.Unsafe (unsafePerformIO)
import Tern.Lab.Core.Facts (ModuleFacts (..), Pragma, SourceCall, Use, factsVersion)
import Tern.Lab.Core.Plugin.Compat (hasExportList, writtenIds)
import Tern.Lab.Core.Plugin.Count (handedOn)
import Tern.Lab.Core.Plugin.Gather (View (..), Written, codes, gather, unitOf, viewOf, writtenNames)
import Tern.Lab.Core.Plugin.Shape (Own (..), occurrence, pragmaOf)
import Tern.Lab.Core.Plugin.Uses (usesOf)

plugin :: Plugin
plugin =
  defaultPlugin
    { installCoreToDos =
        \_ passes ->
          pure
            ( [CoreDoPluginPass "tern-lab-source" lookBefore]
                <> passes
                <> [CoreDoPluginPass "tern-lab" look]
            ),
      parsedResultAction = \_ summary parsed -> do
        source <- liftIO (B.readFile (ms_hspp_file summary))
        remember
          summary
          mempty
            { earlierExports =
                Any (hasExportList parsed),
              earlierInteger = Any (any saysInteger (BC.lines source))
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
      pluginRecompile = purePlugin
    }

-- | Outside of a line of comment.
saysInteger :: B.ByteString -> Bool
saysInteger row =
  "Integer" `B.isInfixOf` row && not ("--" `B.isPrefixOf` BC.dropWhile (== ' ') row)

-- | What earlier stages know of a module and the optimiser no longer does.
data Earlier = Earlier
  { earlierExports :: !Any,
    -- | Does its source speak of @Integer@?
    earlierInteger :: !Any,
    earlierWritten :: !Written,
    earlierUses :: ([Use], [SourceCall]),
    earlierTop :: [(Text, Pragma)],
    -- | What is left of it when the optimiser begins.
    earlierLeft :: [Text]
  }

instance Semigroup Earlier where
  Earlier a b c d t l <> Earlier e f g h u m =
    Earlier (a <> e) (b <> f) (c <> g) (d <> h) (t <> u) (l <> m)

instance Monoid Earlier where
  mempty = Earlier mempty mempty mempty mempty mempty mempty

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
lookBefore :: ModGuts -> CoreM ModGuts
lookBefore guts = do
  target <- liftIO (lookupEnv "TERN_LAB_FACTS")
  for_ target $ \folder -> do
    flags <- getDynFlags
    let own = Own (unitOf (takeDirectory folder) flags (mg_module guts)) emptyVarEnv
    rememberOf
      (mg_module guts)
      mempty
        { earlierUses = usesOf own (mg_module guts) (mg_binds guts),
          earlierLeft = map occurrence (bindersOfBinds (mg_binds guts))
        }
  pure guts

look :: ModGuts -> CoreM ModGuts
look guts = do
  target <- liftIO (lookupEnv "TERN_LAB_FACTS")
  wanted <- liftIO (lookupEnv "TERN_LAB_TEXT")
  counted <- liftIO (lookupEnv "TERN_LAB_COUNT")
  case target of
    Nothing -> pure guts
    Just folder -> do
      flags <- getDynFlags
      known <- liftIO (readIORef earlier)
      here <- liftIO getCurrentDirectory
      let name = moduleNameString (moduleName (mg_module guts))
          Earlier (Any exports) (Any says) written uses top left =
            Map.findWithDefault mempty name known
          seen = viewOf (takeDirectory folder) (counted `elem` map Just ["marks", "1"]) flags guts
          facts = gather here exports says uses (top, left) written seen
          -- The name of a unit may be a path.
          file = T.unpack (factsMark facts) <> "." <> name
          save extension content = do
            L.writeFile (folder </> (file <> ".part")) content
            renameFile (folder </> (file <> ".part")) (folder </> (file <> extension))
      liftIO $ do
        createDirectoryIfMissing True folder
        when
          (wanted == Just "1")
          ( save
              ".code"
              ( encode
                  ( factsVersion,
                    factsUnit facts,
                    factsModule facts,
                    codes seen
                  )
              )
          )
        save ".facts" (encode (factsVersion, facts))
      if counted == Just "1"
        then (\uniques -> handedOn uniques (viewMarked seen) guts) <$> getUniqueSupplyM
        else pure guts
