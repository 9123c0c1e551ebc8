-- | Sources coloured for a terminal, for pages with and without anchors, and for LaTeX; the
-- sources are those of the package itself.
module Main (main) where

import Control.Monad (forM, forM_)
import Data.List (isInfixOf)
import Language.Haskell.HsColour (Output (..), hscolour)
import Language.Haskell.HsColour.Classify (TokenType (..), tokenise)
import Language.Haskell.HsColour.Colourise (defaultColourPrefs)

folder :: FilePath
folder = "hscolour-1.25/Language/Haskell/"

sources :: [FilePath]
sources =
  map
    (folder ++)
    [ "HsColour.hs",
      "HsColour/ACSS.hs",
      "HsColour/ANSI.hs",
      "HsColour/Anchors.hs",
      "HsColour/Classify.hs",
      "HsColour/Colourise.hs",
      "HsColour/HTML.hs",
      "HsColour/LaTeX.hs"
    ]

outputs :: [(String, Output, Bool)]
outputs =
  [ ("terminal", TTY, False),
    ("css", CSS, True),
    ("css without anchors", CSS, False),
    ("html", HTML, True),
    ("inline", ICSS, False),
    ("latex", LaTeX, False),
    ("mirc", MIRC, False)
  ]

-- | How many tokens there are of each sort.
counts :: [(TokenType, String)] -> [(String, Int)]
counts tokens =
  [ (show sort, length (filter ((== sort) . fst) tokens))
    | sort <- [Keyword, Comment, Varid, Conid, String, Number]
  ]

main :: IO ()
main = do
  texts <- forM sources $ \file -> (,) file <$> readFile file
  forM_ texts $ \(file, text) -> do
    print (drop (length folder) file, counts (tokenise text))
    forM_ outputs $ \(name, output, anchors) -> do
      let page = hscolour output defaultColourPrefs anchors False file False text
      putStrLn (name ++ ": " ++ show (length page) ++ if "<pre" `isInfixOf` page then " pre" else "")
  -- A large module, as generated ones are.
  let large = concat (replicate 3 (concatMap snd texts))
  print (length (hscolour CSS defaultColourPrefs True True "large" False large))
