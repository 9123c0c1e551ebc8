{-# LANGUAGE OverloadedStrings #-}

module Main (main) where

import Data.Either (rights)
import qualified Data.Text as T
import Text.TeXMath
import qualified Text.XML.Light as X

-- | Formulas read from TeX, written as MathML, OMML, TeX, Typst and eqn, and MathML read again.
main :: IO ()
main = do
  let formulas = rights (map (readTeX . T.pack) sources)
      mathml = map (T.pack . X.showElement . writeMathML DisplayBlock) formulas
  print (length formulas)
  print (sum (map T.length mathml))
  print (sum (map (length . X.showElement . writeOMML DisplayBlock) formulas))
  print (sum (map (T.length . writeTeX) formulas))
  print (sum (map (T.length . writeTypst DisplayInline) formulas))
  print (sum (map (T.length . writeEqn DisplayInline) formulas))
  print (length (rights (map readMathML mathml)))

sources :: [String]
sources =
  concat
    [ [ "\\sum_{i=1}^{" ++ n ++ "} i^2 = \\frac{n(n+1)(2n+1)}{6}",
        "\\left( \\int_0^{\\infty} e^{-x^2} \\, dx \\right)^{" ++ n ++ "} \\leq \\sqrt{\\pi}",
        "\\begin{pmatrix} a_{" ++ n ++ "} & b \\\\ c & d \\end{pmatrix} \\cdot \\vec{v}",
        "\\mathbf{A} \\otimes \\mathcal{B} \\Rightarrow \\forall x \\in \\mathbb{R} : \\hat{x} \\neq " ++ n,
        "\\lim_{x \\to 0} \\frac{\\sin x}{x} = 1 \\text{ for all } x_" ++ n
      ]
      | k <- [1 .. 40 :: Int],
        let n = show k
    ]
