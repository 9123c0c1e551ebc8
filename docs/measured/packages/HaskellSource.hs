-- | Two modules of the package itself: read, written twice, and read again.
module Main (main) where

import Language.Haskell.Parser
import Language.Haskell.Pretty
import Language.Haskell.Syntax

declarations :: HsModule -> Int
declarations (HsModule _ _ _ _ ds) = length ds

main :: IO ()
main = mapM_ one ["input/Pretty.hs", "input/Syntax.hs", "input/Lexer.hs"]

one :: FilePath -> IO ()
one file = do
  text <- readFile file
  let source = unlines (filter ((/= "#") . take 1) (lines text))
      many = concat (replicate 3 (body source))
  case parseModule (header source ++ many) of
    ParseFailed at why -> putStrLn (file ++ ": " ++ show at ++ ": " ++ why)
    ParseOk m -> do
      let pretty = prettyPrint m
      print (declarations m, length pretty)
      print (length (prettyPrintWithMode defaultMode {layout = PPSemiColon, spacing = False} m))
      case parseModule pretty of
        ParseFailed at why -> putStrLn (show at ++ ": " ++ why)
        ParseOk again -> print (declarations again)
  where
    (imports, rest) = (takeWhile (not . starts), dropWhile (not . starts))
    starts line = take 5 line == "data " || take 5 line == "type " || take 8 line == "newtype "
    header = unlines . imports . lines
    body = unlines . rest . lines
