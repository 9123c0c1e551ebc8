{-# LANGUAGE OverloadedStrings #-}

module Main (main) where

import qualified Data.Text as T
import qualified Yi.Rope as R

-- | A long file.
file :: Int -> R.YiString
file n = R.fromText (T.unlines [T.pack ("line " ++ show k ++ " of what somebody wrote, with some words") | k <- [1 .. n]])

-- | Words are put in here and there, and lines taken away.
edited :: Int -> R.YiString -> R.YiString
edited n text = foldr one text [1 .. n]
  where
    one k whole = case R.splitAt (k * 7919 `mod` R.length whole) whole of
      (before, after)
        | k `mod` 3 == 0 -> before <> R.drop 5 after
        | k `mod` 3 == 1 -> before <> R.cons 'x' after
        | otherwise -> R.snoc before '\n' <> after

main :: IO ()
main = do
  let text = edited 3000 (file 6000)
      (above, below) = R.splitAtLine 2500 text
  print (R.length text, R.countNewLines text, R.length above, R.length below)
  print (length (R.lines text), length (R.words text))
  print (R.length (R.filter (/= 'e') text), R.length (R.dropWhile (/= 'w') text), T.length (R.toText (R.map succ text)))
