{-# LANGUAGE OverloadedStrings #-}

-- | One run of a program, and what its runtime says of it.
--
-- Its one idea: the program is asked for the runtime's exact figures first, then for
-- the page that every default link allows; one that answers neither is measured as a
-- process. An option that the runtime refuses ends the program before its first line,
-- so asking costs nothing.
--
-- Start at 'once'.
module Tern.Lab.History.Program
  ( Attempt (..),
    once,
    processFigures,
    instructionsOf,
  )
where

import Control.Monad (forM)
import Data.List (isPrefixOf)
import Data.Map.Strict qualified as Map
import Data.Maybe (mapMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import System.Directory (listDirectory, removePathForcibly)
import System.FilePath ((</>))
import Tern.Lab.Alias (withAlias)
import Tern.Lab.History.Metric (Figures, Metric (..))
import Tern.Lab.History.Record (Source (..))
import Tern.Lab.History.RuntimeStatistics (humanReadable, machineReadable, refusedOptions)
import Tern.Lab.Process (Ended (..), Ending, Job (..), runJob, shellWord, succeeded, textIn)

-- | What came of one run. Its figures may come from a lesser source than was asked.
data Attempt
  = -- | With the figures that the source gives.
    Measured !Ended !Source !Figures
  | -- | The runtime does not take the options that were to ask it.
    Refused
  | -- | How it ended, and the last lines that it wrote to standard error.
    Failed !Ending !Text

-- | Run a job once. A folder for the runtime's file, the runtime's further options, what
-- is asked, and whether it did what it should. Standard error must go to a file.
once :: FilePath -> Text -> Source -> (Ended -> Bool) -> Job -> IO Attempt
once folder runtime source well j = withAlias folder $ \alias -> do
  removePathForcibly statistics
  ended <-
    runJob
      j
        { jobEnvironment =
            ("GHCRTS", unwords (filter (not . null) [options alias, T.unpack runtime]))
              : jobEnvironment j
        }
  said <- textIn (jobErrors j)
  written <- textIn statistics
  pure (verdict ended said written)
  where
    statistics = folder </> "statistics"
    options alias = case source of
      RuntimeFile -> "-t" <> alias </> "statistics" <> " --machine-readable"
      RuntimePage -> "-s"
      ProcessOnly -> ""
    verdict ended said written
      -- Also where the code that the runtime then ends with is one of those awaited.
      | not (succeeded ended), refusedOptions said, source /= ProcessOnly = Refused
      | not (well ended) = Failed (ending ended) (lastPart said)
      | otherwise = case source of
          RuntimeFile
            | Just figures <- machineReadable written ->
                Measured ended RuntimeFile figures
          RuntimePage | Just figures <- humanReadable said -> Measured ended RuntimePage figures
          _ -> Measured ended ProcessOnly (processFigures ended)
    lastPart said = let rows = T.lines said in T.unlines (drop (length rows - 12) rows)

-- | What is known of any process.
processFigures :: Ended -> Figures
processFigures ended =
  Map.fromList
    [ (TotalTime, endedElapsed ended),
      (ProcessTime, endedProcessor ended),
      (Resident, endedResident ended)
    ]

-- | Instructions of one run under valgrind: of all processes that wrote a log. The job's
-- command is made of the words that must stand before the program. Nothing where
-- valgrind is not at hand or the run fails under it. The runtime's timer is off where
-- its options may be given, for it is the one thing that varies.
instructionsOf :: FilePath -> Text -> (Ended -> Bool) -> (Text -> Text) -> Job -> IO (Maybe Double)
instructionsOf folder runtime well command j = go ["-V0", ""]
  where
    go [] = pure Nothing
    go (timer : rest) = do
      logs >>= mapM_ (removePathForcibly . (folder </>))
      ended <-
        runJob
          j
            { jobCommand =
                command
                  ( T.unwords
                      [ "valgrind --tool=callgrind --callgrind-out-file=/dev/null",
                        "--log-file="
                          <> shellWord (T.pack (folder </> ".callgrind"))
                          <> ".%p "
                      ]
                  ),
              jobEnvironment =
                ("GHCRTS", unwords (filter (not . null) [timer, T.unpack runtime]))
                  : jobEnvironment j,
              jobTimeout = fmap (* 100) (jobTimeout j)
            }
      written <- logs >>= \names -> forM names (textIn . (folder </>))
      case concatMap (mapMaybe collected . T.lines) written of
        counts@(_ : _) | well ended -> pure (Just (sum counts))
        _ -> go rest
    logs = filter (".callgrind." `isPrefixOf`) <$> listDirectory folder
    collected line = case T.words line of
      [_, "Collected", ":", n] ->
        Just (T.foldl' (\total c -> 10 * total + fromIntegral (fromEnum c - 48)) 0 n)
      _ -> Nothing
