{-# LANGUAGE OverloadedStrings #-}

module Main (main) where

import qualified Data.Text as T
import Text.GridTable
import Text.GridTable.Trace (traceLines)

table :: Int -> Int -> [T.Text]
table r c = border : concat [[line i, line2 i, border] | i <- [1 .. r]]
  where
    border = T.concat (replicate c "+------------") <> "+"
    line i = T.concat [T.justifyLeft 13 ' ' (T.pack ("| cell " <> show (i * j))) | j <- [1 .. c]] <> "|"
    line2 i = T.concat [T.justifyLeft 13 ' ' (T.pack ("| more " <> show (i + j))) | j <- [1 .. c]] <> "|"

main :: IO ()
main = mapM_ one [(20, 8), (40, 12)]
  where
    one (r, c) = case traceLines (table r c) of
      Nothing -> putStrLn "no table"
      Just t -> do
        print (length (rows t))
        print (sum [T.length (T.unlines (cellContent x)) | row <- rows t, x <- row])
