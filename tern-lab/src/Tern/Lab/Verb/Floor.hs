{-# LANGUAGE OverloadedStrings #-}

-- | @tern-lab floor@: what this machine can see.
module Tern.Lab.Verb.Floor
  ( verb,
  )
where

import Control.Monad.IO.Class (liftIO)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import Options.Applicative (help, long, metavar, option, showDefault, value)
import Tern.Lab.Floor (floors, renderFloor)
import Tern.Lab.Machine (thisMachine)
import Tern.Lab.Measure (Settings (..))
import Tern.Lab.Progress qualified as Progress
import Tern.Lab.Result (Machine (..))
import Tern.Lab.Verb (Verb (..))
import Tern.Lab.Verb.Output (bounded)

-- | @tern-lab floor@. What is measured is the laboratory's own, and nothing of the user's.
verb :: Verb
verb =
  Verb
    { verbName = "floor",
      verbSummary = "How small a difference in time this machine can see",
      verbLesson =
        [ "The same code is measured against itself, as everything is that the laboratory \
          \compares: arithmetic, lists that are collected, memory that no cache holds, and the \
          \start of a process. The columns say from which difference on it would have been \
          \certain after so many rounds.",
          "Run it before you believe a time, and on the machine that is to watch times for you. \
          \Allocation needs no such care: it is the same everywhere."
        ],
      verbOptions =
        (\rounds milliseconds -> Settings {rounds, batch = 1e6 * fromIntegral milliseconds})
          <$> option
            (bounded "rounds" 2 100000)
            ( long "rounds"
                <> metavar "N"
                <> value 80
                <> showDefault
                <> help "how often everything is timed"
            )
          <*> option
            (bounded "milliseconds" 1 60000)
            ( long "batch"
                <> metavar "MS"
                <> value 5
                <> showDefault
                <> help "how long one batch of an operation lasts"
            ),
      verbPlan = Right,
      verbRun = \settings -> liftIO $ do
        progress <- Progress.onTerminal
        Machine {..} <- thisMachine
        found <- floors settings (Progress.tell progress)
        Progress.clear progress
        T.putStrLn
          ( T.intercalate
              ", "
              ( filter
                  (not . T.null)
                  [ processor,
                    T.concat
                      [ T.pack (show cores),
                        if cores == 1
                          then " core"
                          else " cores"
                      ],
                    system,
                    compiler
                  ]
              )
          )
        T.putStrLn ""
        mapM_ T.putStrLn (renderFloor found)
    }
