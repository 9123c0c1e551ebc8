-- | What the modules of a program declare, for two editors.
module Main (main) where

import Hasktags
import System.Environment (getArgs)
import System.IO (IOMode (WriteMode))
import Tags

main :: IO ()
main = do
  files <- getArgs
  found <- mapM findThings files
  print (sum [length things | FileData _ things <- found])
  generate (Mode Both True WriteMode (TagsFile "/dev/stdout" "/dev/stdout") False False [".hs"] False) (filter (not . null) files)
