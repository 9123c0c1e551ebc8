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

import Tern.House.Source (readOwn)

-- | A line that has more than 100 columns.
data Wide = Wide
  { widePath :: FilePath,
    -- | From 1 on.
    wideLine :: Int,
    wideColumns :: Int
  }
  deriving stock (Eq, Show)

-- | Those of all Haskell sources of a checkout.
readWide :: FilePath -> IO [Wide]
readWide root = concatMap (uncurry wideIn) <$> readOwn root

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
