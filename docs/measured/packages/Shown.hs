-- | What @show@ says of a list of orders, laid out for people.
module Main (main) where

import qualified Data.Text.Lazy as Lazy
import Text.Pretty.Simple

data Order = Order {number :: Int, customer :: Customer, items :: [Item], remark :: Maybe String}
  deriving (Show)

data Customer = Customer {name :: String, place :: (Double, Double), since :: [Int]}
  deriving (Show)

data Item = Item {article :: String, amount :: Int, price :: Double, tags :: [String]}
  deriving (Show)

order :: Int -> Order
order n =
  Order
    { number = n,
      customer =
        Customer
          ("Gannet \"Rock\" " ++ show n)
          (fromIntegral n / 7, -1.5)
          [1990 + n `mod` 30, n `mod` 12],
      items =
        [ Item
            ("net" ++ show k)
            (n * k `mod` 97)
            (fromIntegral (n + k) * 0.25)
            ["sea", "tärn", 'x' : show k]
          | k <- [1 .. 4]
        ],
      remark = if even n then Just "by the harbour, after noon\tor before" else Nothing
    }

main :: IO ()
main = do
  let orders = map order [1 .. 3000]
  print (Lazy.length (pShowNoColor orders))
  print (Lazy.length (pShow (take 1000 orders)))
  print (Lazy.length (pShowOpt compact (take 1000 orders)))
  where
    compact = defaultOutputOptionsNoColor {outputOptionsCompact = True}
