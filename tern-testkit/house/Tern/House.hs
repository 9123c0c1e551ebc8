-- | The house in order: which module may import which, checked and drawn.
--
-- Everything is read from the checkout: the table in @ARCHITECTURE.md@, the
-- modules, the pictures @docs\/house*.svg@. Start at 'readHouse'.
module Tern.House
  ( House (..),
    readHouse,
    found,
    renderComplaint,
    drawings,
    stalePictures,
    writePictures,
  )
where

import Control.Monad (filterM, forM_)
import Data.ByteString qualified as B
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Text.Encoding.Error qualified as T
import System.Directory (doesFileExist, renameFile)
import System.FilePath ((<.>), (</>))
import Tern.House.Check (Complaint, complaints, renderComplaint)
import Tern.House.Picture (pictures)
import Tern.House.Rules (Room, parseTable)
import Tern.House.Source (Module, readCheckout)

-- | What a checkout has: the rows of its table, and its modules.
data House = House
  { rooms :: [Room],
    modules :: [Module]
  }

-- | From the root of a checkout.
readHouse :: FilePath -> IO House
readHouse root = do
  text <- T.unpack . T.decodeUtf8With T.lenientDecode <$> B.readFile (root </> "ARCHITECTURE.md")
  House (parseTable text) <$> readCheckout root

-- | What is wrong.
found :: House -> [Complaint]
found House {..} = complaints rooms modules

-- | The pictures: where each belongs below the root, and its bytes.
drawings :: House -> [(FilePath, B.ByteString)]
drawings House {..} = [(path, T.encodeUtf8 (T.pack text)) | (path, text) <- pictures rooms modules]

-- | The pictures that are not there, or show other modules.
stalePictures :: FilePath -> House -> IO [FilePath]
stalePictures root house = map fst <$> filterM stale (drawings house)
  where
    stale (path, bytes) = do
      there <- doesFileExist (root </> path)
      if there then (/= bytes) <$> B.readFile (root </> path) else pure True

-- | Below the root. Each is written beside its place and then renamed, so that none is there in
-- part.
writePictures :: FilePath -> House -> IO ()
writePictures root house = forM_ (drawings house) $ \(path, bytes) -> do
  B.writeFile (root </> path <.> "new") bytes
  renameFile (root </> path <.> "new") (root </> path)
