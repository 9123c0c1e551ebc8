module Main (main) where

import Data.Char (toLower)
import Language.Unlambda
import System.IO

main :: IO ()
main = do
  hSetBuffering stdout (BlockBuffering Nothing)
  let (e, _) = parsed "```s``s``sii`ki`k.*``s``s`ks``s`k`s`ks``s``s`ks``s`k`s`kr``s`k`sikk`k``s`ksk"
      Eval cp = eval e
  _ <- cp (Nothing, 40000) (const return)
  putStrLn ""

parsed :: String -> (Exp, String)
parsed ('`' : more) = let (f, a) = parsed more; (x, rest) = parsed a in (App f x, rest)
parsed ('.' : c : more) = (Dot c, more)
parsed (c : more) = case lookup (toLower c) (zip "ksivcdre@|" [K, S, I, V, C, D, Dot '\n', E, At, Pipe]) of
  Just e -> (e, more)
  Nothing -> error "unknown"
parsed [] = error "end"
