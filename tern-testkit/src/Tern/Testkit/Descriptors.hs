-- | What this process has open, as Linux tells it.
module Tern.Testkit.Descriptors
  ( openBelow,
  )
where

import Control.Exception (try)
import Data.List (isPrefixOf)
import System.Directory (canonicalizePath, getSymbolicLinkTarget, listDirectory)
import System.FilePath ((</>))

-- | How many descriptors of this process lead to a folder or into it.
openBelow :: FilePath -> IO Int
openBelow folder = do
  here <- canonicalizePath folder
  numbers <- listDirectory "/proc/self/fd"
  -- One that is closed meanwhile leads nowhere.
  targets <- mapM (try . getSymbolicLinkTarget . ("/proc/self/fd" </>)) numbers
  pure (length [() | Right there <- targets :: [Either IOError FilePath], here `isPrefixOf` there])
