{-# LANGUAGE OverloadedStrings #-}

-- | Programs in six languages, cut into tokens by syntaxes that are read from files.
module Main (main) where

import qualified Data.Map as Map
import qualified Data.Text as Text
import qualified Data.Text.IO as Text
import Skylighting.Core

files :: [(Text.Text, FilePath)]
files =
  [ ("c", "code/abc.c"),
    ("haskell", "code/abc.haskell"),
    ("python", "code/abc.python"),
    ("java", "code/abc.java"),
    ("javascript", "code/abc.javascript"),
    ("lua", "code/life.lua")
  ]

main :: IO ()
main = do
  (problems, syntaxes) <- loadValidSyntaxesFromDir "xml"
  print (Map.toList problems, Map.size syntaxes)
  mapM_ (coloured syntaxes) files
  where
    coloured syntaxes (language, file) = do
      text <- Text.readFile file
      case lookupSyntax language syntaxes of
        Nothing -> Text.putStrLn ("no syntax of " <> language)
        Just syntax ->
          case tokenize (TokenizerConfig syntaxes False) syntax (Text.replicate 12 text) of
            Left problem -> putStrLn problem
            Right tokens -> print (language, length tokens, Map.toList (counted tokens))
    counted tokens = Map.fromListWith (+) [(show t, 1 :: Int) | (t, _) <- concat tokens]
