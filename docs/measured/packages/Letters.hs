-- | Letters and tables written by templates that call each other.
module Main (main) where

import Data.Map (Map)
import qualified Data.Map as Map
import Text.StringTemplate

letter :: StringTemplate String
letter =
  newSTMP
    "Dear $name$,\n$if(old)$we have $orders:{a $it.what$ of $it.number$}; separator=\", \"$ left.$else$welcome.$endif$\n\
    \$orders:row()$\n$lines:{<li>$it$</li>}; separator=\"\\n\"$\n"

row :: StringTemplate String
row = newSTMP "| $it.what$ | $it.number; format=\"%04d\"$ | $first(it.colours)$ $rest(it.colours):{c|($c$)}$ |\n"

group :: STGroup String
group = groupStringTemplates [("letter", letter), ("row", row)]

order :: Int -> Map String String
order n = Map.fromList [("what", ["knots", "cod", "terns"] !! (n `mod` 3)), ("number", show n), ("colours", "grey")]

written :: Int -> String
written n = case getStringTemplate "letter" group of
  Nothing -> "none"
  Just t ->
    render
      ( setManyAttrib [("lines", map show [1 .. 12 :: Int])]
          . setAttribute "orders" (map order [n .. n + 9])
          . setAttribute "old" (even n)
          $ setAttribute "name" ("Gannet " ++ show n) t
      )

main :: IO ()
main = do
  putStr (written 3)
  print (sum (map (length . written) [1 .. 600]))
