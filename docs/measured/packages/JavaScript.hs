-- | A program of JavaScript: parsed, written as it was, and made small.
module Main (main) where

import Language.JavaScript.Parser
import Language.JavaScript.Process.Minify (minifyJS)

source :: Int -> String
source n =
  unlines
    [ "// part " ++ show n,
      "function part" ++ show n ++ "(first, second) {",
      "  var total = first * " ++ show n ++ " + second / 2.5e3;",
      "  for (var i = 0; i < total.length; i++) {",
      "    if (i % 2 === 0 && second[i] !== null) { total += second[i]['key']; }",
      "    else { continue; }",
      "  }",
      "  /* a comment that says little */",
      "  switch (first) { case 1: return \"one\\n\"; default: break; }",
      "  try { call(function (x) { return x + " ++ show (n * 3) ++ "; }, [1, 2, 3]); }",
      "  catch (e) { throw new Error('bad: ' + e.message); }",
      "  var table = { a: 1, b: [true, false], 'c d': /ab+c/g };",
      "  return typeof table == 'object' ? table : { };",
      "}",
      ""
    ]

main :: IO ()
main = do
  let text = concatMap source [1 .. 400]
  case parse text "input.js" of
    Left problem -> putStrLn problem
    Right tree -> do
      putStrLn (if renderToString tree == text then "the same" else "another")
      print (length (renderToString (minifyJS tree)))
      print (length (showStripped tree))
