-- | Names of files, asked by patterns.
module Main (main) where

import System.FilePath.Glob

names :: [FilePath]
names =
  [ dir ++ "/" ++ base ++ show k ++ end
    | k <- [1 .. 120 :: Int],
      dir <- ["src", "src/Data/Map", "test/golden/deep/er", ".git/objects", "doc"],
      base <- ["Main", "photo-", "report_2024-", "x"],
      end <- [".hs", ".jpeg", ".tar.gz", "", ".JPG"]
  ]

patterns :: [String]
patterns =
  [ "*.hs",
    "**/*.hs",
    "src/**/Map/*[0-9].hs",
    "**/photo-<1-30>.jp*g",
    "test/*/deep/**/*",
    "**/[!a-m]*.{tar}.gz",
    "*/report_2024-??.tar.gz",
    "**/*<10-20>*",
    "**/x[[:digit:]].*",
    "src/*a*i*n*7*.hs"
  ]

main :: IO ()
main = do
  let compiled = map compile patterns
  mapM_ (\p -> print (length (filter (match p) names))) compiled
  let free = map (compileWith compPosix) patterns
      open = MatchOptions {matchDotsImplicitly = True, ignoreCase = True, ignoreDotSlash = True}
  mapM_ (\p -> print (length (filter (matchWith open p) names))) free
  let many = [compile ("**/" ++ take n "Main*photo" ++ "<" ++ show n ++ "-" ++ show (n * 3) ++ ">*.[a-z]*") | n <- [1 .. 400]]
  print (length (filter id [match (simplify p) x | p <- many, x <- take 40 names]))
  print (sum (map (length . decompile . simplify) many), length (filter isLiteral many))
