-- | A name without spaces for any folder.
--
-- Its one idea: the options in @GHCRTS@ are parted at spaces and know no quoting,
-- so a file that the runtime shall write needs a path without any. Where the
-- folder's own has some, a symbolic link in the temporary folder stands for it.
module Tern.Lab.Alias
  ( withAlias,
  )
where

import Data.Char (isSpace)
import System.Directory (createDirectoryLink, getTemporaryDirectory)
import System.FilePath ((</>))
import System.IO.Temp (withTempDirectory)

-- | Use a folder by a path without spaces, which lasts as long as the action.
withAlias :: FilePath -> (FilePath -> IO a) -> IO a
withAlias folder use
  | not (any isSpace folder) = use folder
  | otherwise = do
      temporary <- getTemporaryDirectory
      withTempDirectory
        (if any isSpace temporary then "/tmp" else temporary)
        "tern-lab"
        $ \place -> do
          createDirectoryLink folder (place </> "folder")
          use (place </> "folder")
