{-# LANGUAGE OverloadedStrings #-}

-- | The submodules of a commit, put on a bench.
--
-- Its one idea: a submodule's commits are in the user's own repository already
-- (below @modules@ of its git folder, or in the checkout itself), and files can
-- be written from there without git noting a worktree anywhere. A submodule that
-- was never fetched stays an empty folder: nothing is downloaded, and a build
-- that needs it fails and is recorded.
module Tern.Lab.History.Submodules
  ( fillSubmodules,
  )
where

import Control.Monad (forM_, unless, when)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import System.Directory (createDirectoryIfMissing, doesDirectoryExist, removePathForcibly)
import System.Exit (ExitCode (..))
import System.FilePath (takeDirectory, (</>))
import Tern.Lab.Process (capture, captureWith)

-- | Fill the submodules of what is checked out in a folder, from the git folders
-- of the repository (the one of its objects, and its worktree's), using a file
-- for an index.
fillSubmodules :: [FilePath] -> FilePath -> FilePath -> IO ()
fillSubmodules from index folder = do
  (_, listed, _) <- capture folder "git" ["ls-files", "--stage", "-z"]
  links from index folder folder listed

-- | A folder that holds a tree's files, and the list of that tree's index.
links :: [FilePath] -> FilePath -> FilePath -> FilePath -> Text -> IO ()
links from index asked folder listed =
  unless (null gitlinks) $ do
    (_, described, _) <-
      capture
        asked
        "git"
        [ "config",
          "--file",
          folder
            </> ".gitmodules",
          "-z",
          "--get-regexp",
          "^submodule\\..*\\.path$"
        ]
    let names =
          Map.fromList
            [ (T.drop 1 path, name)
              | row <-
                  T.splitOn "\0" described,
                (key, path) <- [T.break (== '\n') row],
                Just rest <- [T.stripPrefix "submodule." key],
                Just name <- [T.stripSuffix ".path" rest]
            ]
    forM_ gitlinks $ \(hash, path) -> do
      let name = T.unpack (fromMaybe path (Map.lookup path names))
          target = folder </> T.unpack path
          candidates =
            concat
              [ [at </> "modules" </> name, takeDirectory at </> T.unpack path </> ".git"]
                | at <-
                    from
              ]
      removePathForcibly target
      createDirectoryIfMissing True target
      fill candidates hash target
  where
    gitlinks =
      [ (hash, T.drop 1 path)
        | row <-
            T.splitOn "\0" listed,
          ["160000", hash, _] <- [T.words (T.takeWhile (/= '\t') row)],
          path <- [T.dropWhile (/= '\t') row]
      ]
    fill [] _ _ = pure ()
    fill (store : others) hash target = do
      present <- doesDirectoryExist store
      (known, _, _) <-
        if present
          then within store ["cat-file", "-e", T.unpack hash <> "^{commit}"]
          else pure (ExitFailure 1, T.empty, T.empty)
      if known /= ExitSuccess
        then fill others hash target
        else do
          removePathForcibly index
          (read', _, _) <- within store ["read-tree", T.unpack hash]
          when (read' == ExitSuccess) $ do
            _ <-
              within
                store
                [ "checkout-index",
                  "--all",
                  "--force",
                  "--quiet",
                  "--prefix="
                    <> target
                    <> "/"
                ]
            (_, inner, _) <- within store ["ls-files", "--stage", "-z"]
            links [store] index asked target inner
          removePathForcibly index
    within store arguments =
      captureWith
        [("GIT_INDEX_FILE", index)]
        store
        "git"
        ( ["--git-dir=" <> store, "--work-tree=" <> store]
            <> arguments
        )
