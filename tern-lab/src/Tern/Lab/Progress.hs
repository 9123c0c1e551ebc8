{-# LANGUAGE OverloadedStrings #-}

-- | What a long job says while it runs: one line on a terminal, which is
-- written over, and nothing into a pipe.
module Tern.Lab.Progress
  ( Progress,
    silent,
    onTerminal,
    tell,
    clear,
  )
where

import Control.Monad (when)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import System.IO (hFlush, hIsTerminalDevice, stderr)

-- | Where to say it.
newtype Progress = Progress (Text -> IO ())

-- | Nothing that is told is written.
silent :: Progress
silent = Progress (\_ -> pure ())

-- | The standard error, where that is a terminal.
onTerminal :: IO Progress
onTerminal = do
  terminal <- hIsTerminalDevice stderr
  pure . Progress $ \line -> when terminal $ do
    T.hPutStr stderr (T.concat ["\r\ESC[K", line])
    hFlush stderr

-- | Say what is being done. At most 79 columns are shown.
tell :: Progress -> Text -> IO ()
tell (Progress say) = say . T.take 79

-- | Leave the line empty, for what is printed next.
clear :: Progress -> IO ()
clear (Progress say) = say T.empty
