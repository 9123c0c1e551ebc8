-- | Files that are written whole or not at all.
module Tern.Lab.WholeFile
  ( writeWhole,
  )
where

import Control.Exception (onException)
import Data.ByteString.Lazy qualified as L
import System.Directory (removePathForcibly, renameFile)
import System.FilePath ((<.>))

-- | To a temporary name beside the target, then renamed.
writeWhole :: FilePath -> L.ByteString -> IO ()
writeWhole target bytes =
  (L.writeFile temporary bytes >> renameFile temporary target) `onException` removePathForcibly temporary
  where
    temporary = target <.> "part"
