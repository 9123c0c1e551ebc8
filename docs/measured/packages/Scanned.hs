-- | Programs of a small language: scanned, parsed, and laid out in two ways.
module Main (main) where

import qualified Data.List as List
import qualified UU.PPrint as P
import UU.Parsing
import qualified UU.Pretty as B
import UU.Scanner

data Expr = Num Int | Var String | Bin String Expr Expr | Call String [Expr]

data Decl = Decl String [String] Expr

-- | Each declaration with some comments, sums, products and calls.
source :: Int -> String
source n = unlines (concatMap decl [1 .. n])
  where
    decl i =
      [ "-- the function of number " ++ show i,
        "let f" ++ show i ++ " (x, y, {- a third -} z) = x * " ++ show (i * 31) ++ " + g" ++ show i ++ " (y + 1, z * (x + 2), h (z))",
        "      + y * y * z + 17 * tern_" ++ show i ++ " (x * y, 4 + z, f (x, y, z + " ++ show i ++ ")) ;"
      ]

pDecls :: Parser Token [Decl]
pDecls = pList pDecl

pDecl :: Parser Token Decl
pDecl = Decl <$ pKey "let" <*> pVarid <*> pParens (pListSep pComma pVarid) <* pKey "=" <*> pSum <* pSemi

pSum, pProduct, pAtom :: Parser Token Expr
pSum = pChainl (Bin <$> pKey "+") pProduct
pProduct = pChainl (Bin <$> pKey "*") pAtom
pAtom =
  Num . read
    <$> pInteger
      <|> (\name -> maybe (Var name) (Call name))
    <$> pVarid
    <*> (Just <$> pParens (pListSep pComma pSum) `opt` Nothing)
      <|> pParens pSum

-- | By Wadler's printer, whose groups are as wide as a page.
prettyDecl :: Decl -> P.Doc
prettyDecl (Decl name xs e) = P.hang 2 (P.text name P.<> P.tupled (map P.text xs) P.<+> P.equals P.</> pretty e)
  where
    pretty (Num i) = P.int i
    pretty (Var v) = P.text v
    pretty (Bin op a b) = P.group (P.align (pretty a P.<$> P.text op P.<+> pretty b))
    pretty (Call f as) = P.text f P.<> P.tupled (map pretty as)

-- | By the boxes of the same library.
boxes :: Decl -> B.PP_Doc
boxes (Decl name xs e) = B.text name B.>|< B.text (" " ++ unwords xs ++ " =") B.>-< B.indent 2 (box e)
  where
    box (Num i) = B.text (show i)
    box (Var v) = B.text v
    box (Bin op a b) = box a B.>|< B.text (' ' : op ++ " ") B.>|< box b
    box (Call f as) = B.text f B.>|< foldr ((B.>-<) . box) B.empty as

main :: IO ()
main = do
  let tokens = scan ["let"] ["+", "*", "="] "(),;" "+*=" (initPos "source") (source 1500)
  print (length tokens)
  decls <- parseIO pDecls tokens
  print (length decls)
  print (sum (map (length . show . prettyDecl) decls))
  print (List.foldl' (\s d -> s + length (B.disp (boxes d) 60 "")) 0 (take 400 decls))
