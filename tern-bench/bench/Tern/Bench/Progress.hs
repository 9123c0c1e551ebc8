{-# LANGUAGE OverloadedStrings #-}

-- | What a long measurement is at, for who waits for it.
--
-- The idea: figures go to the standard output and nothing else does, so that they can be kept;
-- progress goes to the standard error, a line for each step, before the step begins.
module Tern.Bench.Progress
  ( inTurn,
  )
where

import Control.Monad (forM)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import System.IO (stderr)

-- | Does something with each of these, and first says which of how many it is.
inTurn :: (a -> Text) -> [a] -> (a -> IO b) -> IO [b]
inTurn name steps act =
  forM (zip [1 :: Int ..] steps) $ \(i, step) -> do
    T.hPutStrLn stderr (T.concat ["tern-bench: ", number i, " of ", count, ": ", name step])
    act step
  where
    count = number (length steps)
    number = T.pack . show
