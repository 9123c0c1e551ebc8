{-# LANGUAGE OverloadedStrings #-}

-- | A copy of the checkout in which the bugs are planted.
--
-- A file is written only where it differs from what stands there, and what the
-- checkout no longer has is removed, so that the next build compiles little.
module Tern.Mutate.Tree
  ( plantTree,
    plantings,
  )
where

import Control.Monad (filterM, forM, unless, when)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Either (lefts, rights)
import Data.List ((\\))
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Text.Encoding.Error (lenientDecode)
import System.Directory
  ( createDirectoryIfMissing,
    doesDirectoryExist,
    doesFileExist,
    getPermissions,
    listDirectory,
    removeFile,
    setPermissions,
  )
import System.FilePath (takeDirectory, (</>))
import Tern.Mutate.Plant (plant)
import Tern.Mutate.Table (Bug (..))

-- | The changed text of every file that has bugs, or all that is in the way.
plantings :: FilePath -> [Bug] -> IO (Either [Text] (Map FilePath Text))
plantings root bugs = do
  results <- forM (Map.toList byFile) $ \(file, mine) -> do
    present <- doesFileExist (root </> file)
    if not present
      then pure (Left [bugName bug <> ": there is no file " <> T.pack file | bug <- mine])
      else do
        text <- T.decodeUtf8With lenientDecode <$> B.readFile (root </> file)
        pure ((,) file <$> plant mine text)
  pure $ case lefts results of
    [] -> Right (Map.fromList (rights results))
    wrong -> Left (concat wrong)
  where
    byFile = Map.fromListWith (flip (<>)) [(bugFile bug, [bug]) | bug <- bugs]

-- | From the checkout to a folder, these files with other texts. A cabal project of
-- the folder's own is made of the same packages.
plantTree :: FilePath -> FilePath -> Map FilePath Text -> IO ()
plantTree root folder changed = do
  wanted <- filesBelow root ""
  there <- doesDirectoryExist folder
  present <- if there then filesBelow folder "" else pure []
  mapM_ (removeFile . (folder </>)) (present \\ wanted)
  mapM_ copy wanted
  where
    copy path = do
      bytes <- maybe (B.readFile (root </> path)) (pure . T.encodeUtf8) (Map.lookup path changed)
      same <- holds (folder </> path) bytes
      unless same $ do
        createDirectoryIfMissing True (takeDirectory (folder </> path))
        B.writeFile (folder </> path) bytes
        when (isProgram path) (getPermissions (root </> path) >>= setPermissions (folder </> path))
    isProgram path =
      not ("." `T.isInfixOf` T.takeWhileEnd (/= '/') (T.pack path))
        || ".sh" `T.isSuffixOf` T.pack path

holds :: FilePath -> ByteString -> IO Bool
holds path bytes = do
  present <- doesFileExist path
  if present then (== bytes) <$> B.readFile path else pure False

-- | Files below a folder, by their paths from there: not those that are built, and
-- not those of git.
filesBelow :: FilePath -> FilePath -> IO [FilePath]
filesBelow root = go
  where
    go below = do
      names <- filter kept <$> listDirectory (root </> below)
      let paths = [if null below then name else below </> name | name <- names]
      folders <- filterM (doesDirectoryExist . (root </>)) paths
      deeper <- mapM go folders
      pure ((paths \\ folders) <> concat deeper)
    kept name = name `notElem` ["dist-newstyle", ".git", "target"]
