{-# LANGUAGE OverloadedStrings #-}

-- | Results of a project's tests on many systems, as tables for a page and for a terminal: put
-- together from what machines report, looked up, cut down and rendered in several ways.
module Main (main) where

import Data.KVITable (KVITable)
import qualified Data.KVITable as K
import Data.KVITable.Render (RenderConfig (..), defaultRenderConfig)
import qualified Data.KVITable.Render.ASCII as ASCII
import qualified Data.KVITable.Render.HTML as HTML
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Text.IO as T

systems, compilers, variants, suites :: [Text]
systems = ["debian-12", "debian-13", "freebsd-14", "macos-15", "windows-2025"]
compilers = ["gcc-12", "gcc-13", "gcc-14", "clang-17", "clang-18", "clang-19"]
variants = ["debug", "release", "sanitised"]
suites = ["unit", "laws", "golden", "soak"]

-- | What machines report, in the order of their ends; not every machine runs everything.
reports :: Int -> [([(Text, Text)], Int)]
reports n =
  [ ([("system", s), ("compiler", c), ("variant", v), ("suite", t)], (k * 7919 + n) `mod` 400)
    | (k, (s, c, v, t)) <- zip [1 ..] [(s, c, v, t) | t <- suites, v <- variants, c <- compilers, s <- systems],
      k `mod` 11 /= 3
  ]

table :: Int -> KVITable Int
table n = K.fromList (reports n)

configurations :: [RenderConfig]
configurations =
  [ defaultRenderConfig,
    defaultRenderConfig {rowRepeat = False, rowGroup = ["system", "compiler"]},
    defaultRenderConfig {colStackAt = Just "variant", sortKeyVals = True},
    defaultRenderConfig {colStackAt = Just "suite", hideBlankCols = False, equisizedCols = False}
  ]

main :: IO ()
main = mapM_ one [1 .. 8]
  where
    one n = do
      let t = table n
          slow = K.filter ((> 200) . snd) t
          again = K.adjust (+ 1) [("system", "debian-13"), ("compiler", "gcc-14"), ("variant", "debug"), ("suite", "laws")] t
      mapM_ (\c -> print (T.length (ASCII.render c t), T.length (HTML.render c t))) configurations
      T.putStrLn (T.unlines (take 6 (T.lines (ASCII.render (configurations !! 2) slow))))
      print (sum (map snd (K.rows again)), length (K.rows slow))
      print (length [() | s <- systems, c <- compilers, Just m <- [K.lookup [("compiler", c), ("system", s), ("suite", "unit"), ("variant", "debug")] again], m > 100])
