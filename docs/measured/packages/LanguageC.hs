module Main (main) where

import Data.Map (size)
import Language.C
import Language.C.Analysis (analyseAST, runTrav_)
import Language.C.Analysis.SemRep (gObjs, gTags, gTypeDefs)
import System.Environment (getArgs)

-- | A preprocessed file of C: read, its declarations analysed, and written again.
main :: IO ()
main = do
  [file] <- getArgs
  text <- readInputStream file
  case parseC text (initPos file) of
    Left problem -> print problem
    Right unit -> do
      print (length (lines (show (pretty unit))))
      case runTrav_ (analyseAST unit) of
        Left problems -> mapM_ print problems
        Right (found, _) -> print (size (gObjs found), size (gTags found), size (gTypeDefs found))
