-- | A program of Python: read, and written again.
module Main (main) where

import Language.Python.Common
import Language.Python.Version3 (parseModule)

source :: Int -> String
source n =
  unlines
    [ "class Part" ++ show n ++ "(Base):",
      "    \"\"\"says little\"\"\"",
      "    def __init__(self, first, second=" ++ show n ++ ", *rest, **names):",
      "        self.first = first  # a comment",
      "        self.table = {'a': 1, 'b': [x * 2 for x in rest if x % 3 == 0]}",
      "",
      "    def total(self, limit):",
      "        result = 0",
      "        for i, value in enumerate(self.table['b']):",
      "            if i > limit and not value:",
      "                break",
      "            elif value < 0.5e3:",
      "                result += value ** 2 - (i // 3)",
      "            else:",
      "                continue",
      "        while result > " ++ show (n * 100) ++ ":",
      "            result, last = result - 1, lambda y: y + 1",
      "        try:",
      "            return sorted(result, key=lambda z: z[0])[1:-1]",
      "        except (ValueError, KeyError) as problem:",
      "            raise RuntimeError('bad: %s' % problem)",
      ""
    ]

main :: IO ()
main = case parseModule (concatMap source [1 .. 250]) "input.py" of
  Left problem -> putStrLn (prettyText problem)
  Right (tree, comments) -> do
    print (length comments)
    print (length (prettyText tree))
