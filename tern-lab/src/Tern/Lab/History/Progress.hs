{-# LANGUAGE OverloadedStrings #-}

-- | How far a history is, on a terminal: one line that is written over, with
-- the time left. Quiet in a pipe, but for one line for each commit where that
-- was asked for.
module Tern.Lab.History.Progress
  ( Loudness (..),
    progress,
  )
where

import Control.Concurrent.MVar (modifyMVar_, newMVar)
import Control.Monad (when)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import GHC.Clock (getMonotonicTime)
import System.IO (hFlush, hIsTerminalDevice, stderr)
import Tern.Lab.History
import Tern.Lab.History.Git (Commit (..), shortHash)
import Tern.Lab.History.Metric (Metric (..), Unit (..), renderQuantity)
import Tern.Lab.History.Record
  ( Built (..),
    Measurement (..),
    Ran (..),
    Record (..),
    figure,
    renderFailure,
  )

-- | How much is said of a history, on the standard error.
data Loudness
  = -- | On a terminal one line that is written over; elsewhere nothing.
    OnTerminal
  | -- | A line for each commit as well, also where it is no terminal.
    EachCommit
  deriving stock (Eq, Show)

data State = State
  { total :: !Int,
    done :: !Int,
    began :: !Double,
    made :: !Int
  }

-- | A handler for events, which may come from several threads.
progress :: Loudness -> IO (Event -> IO ())
progress loudness = do
  terminal <- hIsTerminalDevice stderr
  start <- getMonotonicTime
  state <- newMVar (State 0 0 start 0)
  pure $ \event -> modifyMVar_ state $ \before -> do
    now <- getMonotonicTime
    let after = step now event before
    when terminal (say ("\r\ESC[K" <> line now after event))
    case event of
      Recorded record
        | loudness == EachCommit -> do
            when terminal (say "\r\ESC[K")
            say (sentence record <> "\n")
      _ -> pure ()
    when (terminal && done after == total after && total after > 0) (say "\r\ESC[K")
    pure after
  where
    say text = T.hPutStr stderr text >> hFlush stderr
    step now event s = case event of
      Began n old -> s {total = n, done = old, began = now}
      Recorded _ -> s {done = done s + 1, made = made s + 1}
      _ -> s
    line now s event =
      T.concat
        [ "[",
          number (done s),
          if total s > 0 then "/" <> number (total s) else "",
          "] ",
          what event,
          left now s
        ]
    what = \case
      Began _ old
        | old > 1 -> number old <> " commits known from before"
        | old == 1 -> "one commit known from before"
        | otherwise -> ""
      BuildBegan c ->
        T.concat ["building ", shortHash (commitHash c), " ", T.take 40 (commitSubject c)]
      RunBegan c name -> T.concat ["running ", name, " at ", shortHash (commitHash c)]
      Recorded r -> "recorded " <> shortHash (commitHash (recordCommit r))
      SoFar _ -> "reports written"
      GaveUp broken _ -> T.concat ["gave up after ", number broken, " that did not build"]
    left now s
      | made s > 0,
        total s > done s =
          T.concat
            [ ", about ",
              duration
                ( (now - began s)
                    / fromIntegral (made s)
                    * fromIntegral (total s - done s)
                ),
              " left"
            ]
      | otherwise = ""
    duration :: Double -> Text
    duration seconds
      | seconds >= 5400 = T.concat [number (round (seconds / 3600)), " h"]
      | seconds >= 90 = T.concat [number (round (seconds / 60)), " min"]
      | otherwise = T.concat [number (round seconds), " s"]
    number :: Int -> Text
    number = T.pack . show

-- | A record in one line.
sentence :: Record -> Text
sentence record =
  T.concat
    [ shortHash (commitHash (recordCommit record)),
      "  ",
      case recordBuilt record of
        NotBuilt failure -> renderFailure failure
        Built _ _ ->
          T.intercalate
            ", "
            [ T.concat [name, " ", ran name outcome]
              | (name, outcome) <-
                  recordRuns record
            ],
      "  ",
      T.take 60 (commitSubject (recordCommit record))
    ]
  where
    ran name = \case
      NotRun failure -> renderFailure failure
      Ran m ->
        T.concat
          [ case (figure Allocated name record, figure ProcessTime name record) of
              (Just bytes, _) -> renderQuantity Bytes bytes
              (_, Just seconds) -> renderQuantity Seconds seconds
              _ -> "no figures",
            if measuredCached m then " (known)" else ""
          ]
