module Main (main) where

import Language.Preprocessor.Cpphs

-- | A long source with macros and conditions, preprocessed.
main :: IO ()
main = do
  out <- runCpphs defaultCpphsOptions {defines = [("LEVEL", "3"), ("DEBUG", "1")], boolopts = defaultBoolOptions {ansi = True, stripC89 = True}} "program.hs" program
  print (length (lines out), length out)

program :: String
program =
  unlines
    ( ["#define MAX(a,b) (if (a) > (b) then (a) else (b))", "#define WHERE __FILE__", "#define NAME(x) x ## _field"]
        <> concat
          [ [ "#if LEVEL > " <> show (i `mod` 6) <> " && defined(DEBUG)",
              "function" <> show i <> " x y = MAX(x + " <> show i <> ", y * 2) /* a comment */",
              "#else",
              "function" <> show i <> " x y = x -- nothing",
              "#endif",
              "record" <> show i <> " = NAME(some) \"a string with MAX in it\" WHERE",
              "#define CONSTANT" <> show i <> " " <> show i,
              "value" <> show i <> " = CONSTANT" <> show i <> " + LEVEL"
            ]
            | i <- [1 .. 400 :: Int]
          ]
    )
