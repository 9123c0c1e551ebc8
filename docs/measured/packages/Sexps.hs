{-# LANGUAGE OverloadedStrings #-}

-- | Formulas of a solver: read, in two representations, and written by three printers.
module Main (main) where

import Data.SCargot
import Data.SCargot.Comments (withLispComments)
import Data.SCargot.Language.HaskLike
import Data.SCargot.Repr.Rich (toRich)
import qualified Data.Text as T
import qualified Data.Text.IO as T
import Text.Parsec (many1, noneOf)
import Text.Parsec.Text (Parser)

atom :: Parser T.Text
atom = T.pack <$> many1 (noneOf " ()\n\t;'")

main :: IO ()
main = do
  texts <- mapM (\f -> T.readFile ("test/" <> f <> "-sample.sexp")) ["big", "med", "med2"]
  mapM_ formulas (concat (replicate 20 texts))
  program

formulas :: T.Text -> IO ()
formulas text = do
  case decode (withQuote (mkParser atom)) text of
    Left e -> putStrLn (take 200 e)
    Right es -> do
      print (length (map toRich es))
      print (T.length (encode (setMaxWidth 100 (basicPrint id)) es))
      print (T.length (encode (flatPrint id) es))
      print (T.length (encode (unconstrainedPrint id) es))

program :: IO ()
program = do
  let one n =
        "(define (f"
          <> T.pack (show n)
          <> " x) ; a comment\n  (if (< x 12) \"small\\n\" (* 1.5e2 x #xff "
          <> T.pack (show (n * n :: Int))
          <> ")))\n"
  case decode (withLispComments haskLikeParser) (T.concat (map one [1 .. 400])) of
    Left e -> putStrLn (take 200 e)
    Right es -> print (length es, T.length (encode haskLikePrinter es))
