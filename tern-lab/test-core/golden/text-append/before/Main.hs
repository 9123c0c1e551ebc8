module Main (main) where

import Data.List (foldl')
import Data.Text (Text)
import Data.Text qualified as T

joined :: [Int] -> Text
joined = foldl' (\acc i -> acc <> T.pack (show i)) T.empty
{-# NOINLINE joined #-}

main :: IO ()
main = print (T.length (joined [1 .. 2000]))
