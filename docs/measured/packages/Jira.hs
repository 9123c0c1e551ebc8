{-# LANGUAGE OverloadedStrings #-}

-- | Comments of a tracker: read, and written again.
module Main (main) where

import Data.Text (Text)
import qualified Data.Text as T
import Text.Jira.Parser (parse)
import Text.Jira.Printer (pretty)

comment :: Int -> Text
comment n =
  T.unlines
    [ T.concat ["h", number (n `mod` 6 + 1), ". Case ", number n],
      "",
      "It *fails* with _this_ message, see [the page|https://example.org/" <> number n <> "] and {{code}}:",
      "",
      "{code:haskell}",
      "main = print " <> number (n * 7),
      "{code}",
      "",
      "* first, with -no- +more+ than ^one^ ~word~",
      "** inside " <> number (n * n),
      "* second :) and !picture.png!",
      "# numbered",
      "",
      "||name||value||",
      "|one|" <> number n <> "|",
      "|two|{color:red}red{color}|",
      "",
      "{quote}what was said \\*here\\*{quote}",
      T.unwords (replicate 60 "plain words, and more of them;")
    ]
  where
    number = T.pack . show

main :: IO ()
main = do
  let texts = map comment [1 .. 300]
      docs = map parse texts
  print (length (show docs))
  print (sum [either (const 0) (T.length . pretty) doc | doc <- docs])
