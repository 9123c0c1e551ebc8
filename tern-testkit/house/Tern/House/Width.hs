-- | Lines that are too long to be read beside another file.
--
-- Start at 'readWide'.
module Tern.House.Width
  ( Wide (..),
    readWide,
    wideIn,
    renderWide,
  )
where

import Data.ByteString qualified as B
import Data.List (isInfixOf)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import System.FilePath ((</>))
import Tern.House.Source (Module (modulePath), readCheckout)

-- | A line that has more than 100 columns.
data Wide = Wide
  { widePath :: FilePath,
    -- | From 1 on.
    wideLine :: Int,
    wideColumns :: Int
  }
  deriving stock (Eq, Show)

-- | Those of all Haskell sources of a checkout. Programs that tests take as their input, below
-- @golden@, may be as wide as a stranger's.
readWide :: FilePath -> IO [Wide]
readWide root = do
  paths <- filter (not . ("/golden/" `isInfixOf`)) . map modulePath <$> readCheckout root
  concat <$> mapM (\path -> wideIn path . text <$> B.readFile (root </> path)) paths
  where
    text = T.unpack . T.decodeUtf8Lenient

-- | Those of one source.
wideIn :: FilePath -> String -> [Wide]
wideIn path source =
  [ Wide path number columns
    | (number, line) <- zip [1 ..] (lines source),
      let columns = length line,
      columns > most
  ]

-- | How many columns a line may have.
most :: Int
most = 100

-- | In words, with what is to be done.
renderWide :: Wide -> String
renderWide (Wide path number columns) =
  concat [path, ":", show number, ": ", show columns, " columns; wrap it at ", show most]
