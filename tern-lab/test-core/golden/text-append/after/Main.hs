module Main (main) where

import Data.Text (Text)
import Data.Text qualified as T

joined :: [Int] -> Text
joined = T.concat . map (T.pack . show)
{-# NOINLINE joined #-}

main :: IO ()
main = print (T.length (joined [1 .. 2000]))
