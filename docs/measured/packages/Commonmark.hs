module Main (main) where

import Commonmark
import qualified Data.Text.IO as T
import qualified Data.Text.Lazy as TL
import System.Environment (getArgs)

-- | A document of Markdown, as a page: the specification that is in the package's tests.
main :: IO ()
main = do
  [file] <- getArgs
  source <- T.readFile file
  case commonmark file source of
    Left problem -> error (show problem)
    Right page -> print (TL.length (renderHtml (page :: Html ())))
