-- | Documents that lie in folders, and what a program does with one of any shape.
module Tern.Bench.Documents.Found
  ( documentFolders,
    lookedAt,
  )
where

import Data.Foldable (toList)
import Data.List qualified as List
import Data.Maybe (fromMaybe)
import System.Environment (lookupEnv)
import System.FilePath ((</>))
import Tern.Value (Value (Array, Object), member, members)

-- | Where documents may lie: with the external suites, and in the folder that
-- @TERN_DOCUMENTS@ names.
documentFolders :: IO [FilePath]
documentFolders = do
  suites <- fromMaybe "../shared/suites" <$> lookupEnv "TERN_SUITES"
  further <- lookupEnv "TERN_DOCUMENTS"
  pure ((suites </> "json" </> "docs") : toList further)

-- | The last name of each object is looked up.
lookedAt :: Value -> ()
lookedAt = \case
  Array vs -> List.foldl' (\() v -> lookedAt v) () vs
  Object o -> case reverse (members o) of
    [] -> ()
    ms@((name, _) : _) -> member name o `seq` List.foldl' (\() (_, v) -> lookedAt v) () ms
  value -> value `seq` ()
