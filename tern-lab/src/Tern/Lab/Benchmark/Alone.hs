{-# LANGUAGE OverloadedStrings #-}

-- | One benchmark in a process of its own: for what a process has one of.
--
-- The idea: the most that is alive, the most memory and the number of instructions are
-- figures of a whole process. Where they are asked for, the program starts itself with
-- an option that makes it run one benchmark and start nothing; a process that was started
-- so cannot come here again. Instructions are those of twice as many operations less
-- those of as many, so that what starting costs is no part of them.
--
-- Start at 'enriched'.
module Tern.Lab.Benchmark.Alone
  ( Wanted (..),
    enriched,
    alone,
  )
where

import Control.Exception (bracket)
import Data.List (find)
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Stats
  ( RTSStats
      ( gc,
        max_live_bytes,
        max_mem_in_use_bytes
      ),
    gcdetails_live_bytes,
    getRTSStats,
    getRTSStatsEnabled,
  )
import System.Environment (getExecutablePath)
import System.Exit (ExitCode (..))
import System.IO.Temp (withSystemTempDirectory)
import System.Mem (performMajorGC)
import System.Process (readProcessWithExitCode)
import Tern.Lab.Benchmark.Definition (Benchmark (..), Benchmarkable (..), names)
import Tern.Lab.History.Program (instructionsOf)
import Tern.Lab.Measure (runOperation)
import Tern.Lab.Process (commandLine, job, succeeded)
import Tern.Lab.Result (Cost (..))
import Tern.Lab.Stats (Spread (median))
import Text.Read (readMaybe)

-- | What is asked for beyond times and bytes.
data Wanted = Wanted
  { countMemory :: !Bool,
    countInstructions :: !Bool
  }
  deriving stock (Eq, Show)

-- | The figures of the benchmark of a path, one operation of which works @count@ times,
-- with those that are asked for, where they can be had: memory needs @-with-rtsopts=-T@,
-- instructions need valgrind.
enriched :: Wanted -> [Text] -> Int -> Cost -> IO Cost
enriched Wanted {..} path count cost = do
  program <- getExecutablePath
  held <- if countMemory then told program else pure Nothing
  counted <- if countInstructions then instructionsEach program else pure Nothing
  pure cost {mostLive = fst <$> held, mostHeld = snd <$> held, instructions = counted}
  where
    arguments times = ["--alone", show (map T.unpack path), "--times", show (times :: Int)]
    told program = do
      (code, out, _) <- readProcessWithExitCode program (arguments (fitting 2e7)) ""
      pure $ case (code, map readMaybe (words out)) of
        (ExitSuccess, [Just live, Just most]) -> Just (live, most)
        _ -> Nothing
    -- Under valgrind all takes some fifty times as long.
    instructionsEach program = do
      let times = fitting 2e6
          counting n = withSystemTempDirectory "tern-lab" $ \folder ->
            instructionsOf
              folder
              ""
              succeeded
              (<> commandLine (map T.pack (program : arguments n)))
              (job "." "")
      once <- counting times
      twice <- counting (2 * times)
      pure ((\few many -> max 0 (many - few) / fromIntegral (times * count)) <$> once <*> twice)
    -- How many operations fill @nanoseconds@.
    fitting nanoseconds =
      max
        1
        ( min
            1000000
            ( round
                ( nanoseconds
                    / max 1 (fromIntegral count * median (time cost))
                )
            )
        ) ::
        Int

-- | Run the benchmark of a path so often, and nothing else. What is printed: the most
-- bytes that were alive above those before, as major collections saw them, and the most
-- memory of the process; nothing where the runtime does not say. False where there is no
-- such benchmark.
alone :: [Benchmark] -> [String] -> Int -> IO Bool
alone benchmarks path times = case find ((path `elem`) . names) benchmarks of
  Nothing -> pure False
  Just found -> True <$ at path found
  where
    at wanted = \case
      Single _ (Benchmarkable _ one _) -> running one
      Group _ inner -> mapM_ (at (drop 1 wanted)) (find ((drop 1 wanted `elem`) . names) inner)
      Within make clear inner -> bracket make clear (at wanted . inner)
    running one = do
      performMajorGC
      enabled <- getRTSStatsEnabled
      if enabled
        then do
          before <- gcdetails_live_bytes . gc <$> getRTSStats
          runOperation one times
          after <- getRTSStats
          putStrLn
            ( unwords
                [ show
                    ( max
                        0
                        (toInteger (max_live_bytes after) - toInteger before)
                    ),
                  show (max_mem_in_use_bytes after)
                ]
            )
        else runOperation one times
