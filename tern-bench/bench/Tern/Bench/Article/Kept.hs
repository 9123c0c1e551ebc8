{-# LANGUAGE OverloadedStrings #-}

-- | What was measured so far, so that a long measurement can be done in parts.
--
-- The idea: a file with a line for each part, its name and its figures as JSON, which grows by
-- a line when a part is done. A part that is there is not measured again; a line that an
-- interrupt has cut counts as not there.
--
-- Start at 'part'.
module Tern.Bench.Article.Kept
  ( Kept,
    nowhere,
    inFile,
    part,
  )
where

import Control.Exception (evaluate)
import Control.Monad (when)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import Data.Text.Encoding qualified as T
import GHC.Clock (getMonotonicTime)
import System.Directory (doesFileExist)
import System.Exit (ExitCode (..), die, exitWith)
import System.IO (hPutStrLn, stderr)
import Tern (Wire, decodeJson, encodeJson)
import Tern.Lab.Result (Machine)

-- | Where parts are kept, those that are there, and when there is time for no more.
data Kept = Nowhere | InFile FilePath (Map ByteString ByteString) Double

nowhere :: Kept
nowhere = Nowhere

-- | In a file, of this machine alone; after the seconds no part is begun.
inFile :: Machine -> FilePath -> Maybe Double -> IO Kept
inFile machine path seconds = do
  now <- getMonotonicTime
  there <- doesFileExist path
  content <- if there then B.readFile path else pure ""
  -- What stands after the last end of a line was not finished.
  let whole = fst (B.breakEnd (== 10) content)
      found = Map.fromList (map (fmap (B.drop 1) . BC.break (== '\t')) (BC.lines whole))
      kept = InFile path found (maybe (1 / 0) (now +) seconds)
  when (B.length whole < B.length content) (B.writeFile path whole)
  before <- part kept "machine" (pure machine)
  when (before /= machine) (die (path <> ": it has figures of another machine; name another file"))
  pure kept

-- | The figures of this name: those that are kept, or else what the action finds, which is kept
-- then. Where there is no more time the program ends with 3.
part :: (Wire a) => Kept -> Text -> IO a -> IO a
part kept name act = case kept of
  Nowhere -> act
  InFile path found until' ->
    fromMaybe (measured path until') $ do
      figures <- Map.lookup key found
      either (const Nothing) (Just . pure) (decodeJson figures)
  where
    key = T.encodeUtf8 name
    measured path until' = do
      now <- getMonotonicTime
      when (now > until') $ do
        hPutStrLn
          stderr
          ("articles: what there was time for is in " <> path <> "; run this again for the rest")
        exitWith (ExitFailure 3)
      figures <- act >>= evaluate
      B.appendFile path (B.concat [key, "\t", encodeJson figures, "\n"])
      pure figures
