{-# LANGUAGE FlexibleInstances #-}

-- | Orders as JSON: written, read again, summed, changed, and printed for people.
module Main (main) where

import qualified Data.Map as Map
import Text.JSON
import qualified Text.JSON.Parsec as P
import Text.JSON.Pretty (pp_value, render)

data Order = Order
  { orderNumber :: Int,
    orderCustomer :: String,
    orderPaid :: Bool,
    orderLines :: [Line]
  }
  deriving (Eq, Show)

data Line = Line {lineWhat :: String, linePrice :: Double, lineCount :: Int}
  deriving (Eq, Show)

instance JSON Order where
  showJSON o =
    makeObj
      [ ("number", showJSON (orderNumber o)),
        ("customer", showJSON (toJSString (orderCustomer o))),
        ("paid", showJSON (orderPaid o)),
        ("lines", showJSON (orderLines o))
      ]
  readJSON (JSObject o) = do
    customer <- valFromObj "customer" o
    number <- valFromObj "number" o
    paid <- valFromObj "paid" o
    rows <- valFromObj "lines" o
    return (Order number (fromJSString customer) paid rows)
  readJSON _ = Error "an order is an object"

instance JSON Line where
  showJSON l =
    makeObj
      [ ("what", showJSON (toJSString (lineWhat l))),
        ("price", showJSON (linePrice l)),
        ("count", showJSON (lineCount l))
      ]
  readJSON (JSObject o) = do
    what <- valFromObj "what" o
    price <- valFromObj "price" o
    count <- valFromObj "count" o
    return (Line (fromJSString what) price count)
  readJSON _ = Error "a line is an object"

orders :: [Order]
orders =
  [ Order n (names !! (n `mod` length names)) (even n) (linesOf n)
    | n <- [1 .. 1500]
  ]
  where
    names = ["Ada Lovelace", "Emmy \"Noether\"", "Sofja Kowalewskaja", "Gr\228fin\tX", "Maria\nAgnesi"]
    linesOf n =
      [ Line ("part " ++ show (n * k `mod` 97)) (fromIntegral (n * k `mod` 1000) / 4) (k + 1)
        | k <- [1 .. 1 + n `mod` 5]
      ]

total :: Order -> Double
total o = sum [linePrice l * fromIntegral (lineCount l) | l <- orderLines o]

perCustomer :: [Order] -> Map.Map String Double
perCustomer = foldr (\o -> Map.insertWith (+) (orderCustomer o) (total o)) Map.empty

main :: IO ()
main = do
  let text = encode orders
  print (length text)
  case decodeStrict text of
    Error reason -> putStrLn reason
    Ok again -> do
      print (again == orders)
      mapM_ print (Map.toList (perCustomer again))
      let paid = encodeStrict [o {orderPaid = True} | o <- again]
      print (length paid, length (lines (render (pp_value (showJSON (take 200 again))))))
  case P.runParser P.p_value () "orders" (encode (take 300 orders)) of
    Left problem -> print problem
    Right value -> putStrLn (take 60 (encode value))
