module Main (main) where

import qualified Data.Text.Lazy as L
import Text.PrettyPrint.Mainland
import Text.PrettyPrint.Mainland.Class

data Term = Var String | Number Int | Call String [Term] | Let String Term Term | If Term Term Term

instance Pretty Term where
  pprPrec _ (Var v) = text v
  pprPrec _ (Number n) = ppr n
  pprPrec _ (Call f xs) = text f <> parens (commasep (map ppr xs))
  pprPrec p (Let v x body) = parensIf (p > 0) (align (text "let" <+> text v <+> char '=' <+> nest 4 (ppr x) </> text "in" <+> ppr body))
  pprPrec p (If c a b) = parensIf (p > 0) (group (text "if" <+> pprPrec 1 c </> text "then" <+> nest 5 (ppr a) </> text "else" <+> nest 5 (ppr b)))

term :: Int -> Int -> Term
term 0 n = if even n then Number n else Var ("x" ++ show (n `mod` 10))
term d n = case n `mod` 4 of
  0 -> Let ("y" ++ show d) (term (d - 1) (n + 1)) (term (d - 1) (n + 3))
  1 -> Call ("function" ++ show d) [term (d - 1) (n + k) | k <- [1 .. 3]]
  2 -> If (Call "less" [Var "a", Number n]) (term (d - 1) (n + 5)) (term (d - 1) (n + 2))
  _ -> Call "plus" [term (d - 1) (n * 3), Number n]

main :: IO ()
main = do
  let terms = [term 7 n | n <- [1 .. 40]]
  print (sum (map (length . pretty 80 . ppr) terms))
  print (sum (map (L.length . prettyLazyText 60 . ppr) terms))
  print (length (prettyCompact (stack (map ppr terms))))
  putStrLn (pretty 80 (ppr (term 3 5)))
