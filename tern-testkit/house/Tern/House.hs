-- | The house in order: which module may import which, checked and drawn.
--
-- Everything is read from the checkout: the table in @ARCHITECTURE.md@, the
-- modules, the picture in @docs\/house.svg@. Start at 'readHouse'.
module Tern.House
  ( House (..),
    readHouse,
    found,
    renderComplaint,
    drawing,
    pictureIsCurrent,
    writePicture,
  )
where

import Data.ByteString qualified as B
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Text.Encoding.Error qualified as T
import System.Directory (doesFileExist, renameFile)
import System.FilePath ((</>))
import Tern.House.Check
import Tern.House.Picture
import Tern.House.Rules
import Tern.House.Source

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

-- | The picture's bytes.
drawing :: House -> B.ByteString
drawing = T.encodeUtf8 . T.pack . picture . modules

pictureIsCurrent :: FilePath -> House -> IO Bool
pictureIsCurrent root house = do
  there <- doesFileExist path
  if there then (== drawing house) <$> B.readFile path else pure False
  where
    path = root </> "docs/house.svg"

writePicture :: FilePath -> House -> IO ()
writePicture root house = do
  B.writeFile (path <> ".new") (drawing house)
  renameFile (path <> ".new") path
  where
    path = root </> "docs/house.svg"
