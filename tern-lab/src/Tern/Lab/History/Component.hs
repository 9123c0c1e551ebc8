{-# LANGUAGE OverloadedStrings #-}

-- | What a cabal project would run, where nobody says.
module Tern.Lab.History.Component
  ( onlyExecutable,
    executablesIn,
  )
where

import Data.ByteString qualified as B
import Data.List (isSuffixOf, nub, sort)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import System.Directory (doesDirectoryExist, listDirectory)
import System.FilePath ((</>))
import Tern.Lab.History.Problem (Problem (..))

-- | The component of the only executable of the packages in a folder and in the
-- folders in it.
onlyExecutable :: FilePath -> IO (Either Problem Text)
onlyExecutable folder = do
  here <- listedIn folder
  below <- concat <$> mapM (listedIn . (folder </>)) [n | n <- here, take 1 n /= "."]
  let cabalFiles =
        sort [folder </> n | n <- here, ".cabal" `isSuffixOf` n]
          <> sort [n | n <- below, ".cabal" `isSuffixOf` n]
  names <- concat <$> mapM (fmap (executablesIn . T.decodeUtf8Lenient) . B.readFile) cabalFiles
  pure $ case nub names of
    [] -> Left NothingToBuild
    [name] -> Right ("exe:" <> name)
    several -> Left (SeveralExecutables several)
  where
    listedIn place = do
      there <- doesDirectoryExist place
      if there
        then map (if place == folder then id else (place </>)) <$> listDirectory place
        else pure []

-- | The executables that a cabal file describes.
--
-- >>> executablesIn "name: x\nexecutable server\n  main-is: Main.hs\n"
-- ["server"]
executablesIn :: Text -> [Text]
executablesIn content =
  [ name
    | row <-
        T.lines content,
      T.take 1 row /= " ",
      word : name : _ <- [T.words row],
      T.toLower word == "executable"
  ]
