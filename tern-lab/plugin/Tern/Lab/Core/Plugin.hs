-- | The compiler plugin: a last pass that looks and changes nothing. Only for a
-- counting build it hands on the marked program (see
-- "Tern.Lab.Core.Plugin.Count").
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
import Data.ByteString.Lazy qualified as L
import Data.IORef (IORef, atomicModifyIORef', newIORef, readIORef)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Monoid (Any (..))
import Data.Text qualified as T
import GHC.Plugins hiding ((<>))
import System.Directory (createDirectoryIfMissing, getCurrentDirectory, renameFile)
import System.Environment (lookupEnv)
import System.FilePath (takeDirectory, (</>))
import System.IO.Unsafe (unsafePerformIO)
import Tern.Lab.Core.Facts (ModuleFacts (..), factsVersion)
import Tern.Lab.Core.Plugin.Compat
import Tern.Lab.Core.Plugin.Count (handedOn)
import Tern.Lab.Core.Plugin.Gather

plugin :: Plugin
plugin =
  defaultPlugin
    { installCoreToDos = \_ passes -> pure (passes <> [CoreDoPluginPass "tern-lab" look]),
      parsedResultAction = \_ summary parsed -> do
        when (hasExportList parsed) (remember summary mempty {earlierExports = Any True})
        pure parsed,
      typeCheckResultAction = \_ summary checked -> do
        remember summary mempty {earlierWritten = writtenNames (writtenIds checked)}
        pure checked,
      pluginRecompile = purePlugin
    }

-- | What earlier stages know of a module and the optimiser no longer does.
data Earlier = Earlier
  { earlierExports :: !Any,
    earlierWritten :: !Written
  }

instance Semigroup Earlier where
  Earlier a b <> Earlier c d = Earlier (a <> c) (b <> d)

instance Monoid Earlier where
  mempty = Earlier mempty mempty

earlier :: IORef (Map String Earlier)
earlier = unsafePerformIO (newIORef Map.empty)
-- NOINLINE: one reference for the process, as unsafePerformIO demands.
{-# NOINLINE earlier #-}

remember :: (MonadIO m) => ModSummary -> Earlier -> m ()
remember summary new =
  liftIO (atomicModifyIORef' earlier (\known -> (Map.insertWith (<>) (moduleNameString (moduleName (ms_mod summary))) new known, ())))

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
          Earlier (Any exports) written = Map.findWithDefault mempty name known
          seen = viewOf (takeDirectory folder) (counted `elem` map Just ["marks", "1"]) flags guts
          facts = gather here exports written seen
          -- The name of a unit may be a path.
          file = T.unpack (factsMark facts) <> "." <> name
          save extension content = do
            L.writeFile (folder </> (file <> ".part")) content
            renameFile (folder </> (file <> ".part")) (folder </> (file <> extension))
      liftIO $ do
        createDirectoryIfMissing True folder
        when (wanted == Just "1") (save ".code" (encode (factsVersion, factsUnit facts, factsModule facts, codes seen)))
        save ".facts" (encode (factsVersion, facts))
      if counted == Just "1" then (\uniques -> handedOn uniques (viewMarked seen) guts) <$> getUniqueSupplyM else pure guts
