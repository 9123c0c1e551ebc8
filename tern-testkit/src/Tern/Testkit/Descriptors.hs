-- | What this process has open, as Linux tells it.
module Tern.Testkit.Descriptors
  ( openFiles,
    openBelow,
  )
where

import Control.Exception (try)
import Data.Either (rights)
import Data.List (isPrefixOf)
import System.Directory (canonicalizePath, getSymbolicLinkTarget, listDirectory)
import System.FilePath ((</>))

-- | Where each descriptor of this process leads: a path, or how Linux names what has none.
openFiles :: IO [FilePath]
openFiles = do
  numbers <- listDirectory "/proc/self/fd"
  -- One that is closed meanwhile leads nowhere.
  targets <- mapM (try . getSymbolicLinkTarget . ("/proc/self/fd" </>)) numbers
  pure (rights (targets :: [Either IOError FilePath]))

-- | How many descriptors of this process lead to a folder or into it.
openBelow :: FilePath -> IO Int
openBelow folder = do
  here <- canonicalizePath folder
  let below there = there == here || (here <> "/") `isPrefixOf` there
  length . filter below <$> openFiles
