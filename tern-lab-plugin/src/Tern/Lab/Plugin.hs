-- | A compiler plugin that says what GHC's optimiser left, and what to do, as GHC says
-- its warnings.
--
-- > build-depends: tern-lab-plugin
-- > ghc-options:   -fplugin=Tern.Lab.Plugin
--
-- Its one idea: no tool and no run. What a module costs is said when it is compiled, by the
-- same facts and the same rules as @tern-lab core@. A module knows those that it imports, and
-- not who will call it; so what only the whole program can say is left to the tool.
-- Findings are never errors, whatever @-Werror@ says; a comment in the source allows one:
--
-- > -- tern-lab: lazy-state: the chain is three long
--
-- With @-fplugin-opt=Tern.Lab.Plugin:all@ it says details too. Modules that are compiled without
-- @-O@ are passed over, and so is everything while @tern-lab@ itself looks on.
module Tern.Lab.Plugin
  ( plugin,
  )
where

import Control.Applicative ((<|>))
import Control.Monad (unless, when)
import Data.Foldable (for_)
import Data.IORef (IORef, atomicModifyIORef', newIORef)
import Data.Text qualified as T
import GHC.Plugins hiding ((<>))
import GHC.Utils.Logger (getLogger)
import System.Environment (lookupEnv)
import System.IO.Unsafe (unsafePerformIO)
import Tern.Lab.Core.Facts (ModuleFacts (..), Place (..))
import Tern.Lab.Core.Finding
  ( Finding (..),
    FindingKind (..),
    worthShowing,
  )
import Tern.Lab.Core.Findings (findings)
import Tern.Lab.Core.Plugin (Seen (..), Watcher (..), watching)
import Tern.Lab.Plugin.Diagnostic (note, warned)
import Tern.Lab.Plugin.Neighbours (keep, neighbours)

-- | Give it to GHC by @-fplugin=Tern.Lab.Plugin@.
plugin :: Plugin
plugin = watching $ \options -> do
  details <- wanted options
  laboratory <- lookupEnv "TERN_LAB_FACTS"
  pure $ case laboratory of
    Just _ -> Nothing
    Nothing ->
      Just
        Watcher
          { watcherPlace = "",
            watcherMarks = False,
            watcherTold = \seen guts -> guts <$ told details seen
          }

-- | Are details asked for?
wanted :: [CommandLineOption] -> IO Bool
wanted = \case
  [] -> pure False
  ["all"] -> pure True
  options ->
    throwGhcExceptionIO
      ( CmdLineError
          ( "Tern.Lab.Plugin has no option '"
              <> unwords options
              <> "': expected -fplugin-opt=Tern.Lab.Plugin:all, or nothing"
          )
      )

told :: Bool -> Seen -> CoreM ()
told details seen = do
  flags <- getDynFlags
  logger <- getLogger
  let facts = seenFacts seen
  if factsOptimised facts
    then liftIO $ do
      keep (seenInterface seen) facts
      known <- neighbours (seenInterface seen) facts
      for_ (findings (facts : known)) $ \f ->
        when
          (ofModule facts f && (details || worthShowing f))
          (warned flags logger (somewhere facts f))
    else liftIO . unless (ghcLink flags == LinkInMemory) $ do
      first <- atomicModifyIORef' saidUnoptimised (True,)
      unless first $
        note logger "Tern.Lab.Plugin says nothing of modules that are compiled without -O"

-- | Who imports a module is not known yet: an export list may be missed for good reason.
ofModule :: ModuleFacts -> Finding -> Bool
ofModule facts f = findingModule f == factsModule facts && not exports
  where
    exports = case findingKind f of
      NoExportList _ -> True
      _ -> False

-- | What GHC made of several bindings stands nowhere: it is said of the module.
somewhere :: ModuleFacts -> Finding -> Finding
somewhere facts f
  | T.null (factsSource facts) = f
  | otherwise = f {findingPlace = findingPlace f <|> Just (Place (factsSource facts) 1 1)}

-- | Once for a process.
saidUnoptimised :: IORef Bool
saidUnoptimised = unsafePerformIO (newIORef False)
-- NOINLINE: one reference for the process, as unsafePerformIO demands.
{-# NOINLINE saidUnoptimised #-}
