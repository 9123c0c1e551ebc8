-- | Modules of a project as a formatter takes them: read with comments,
-- fixities applied, written anew in two layouts, and written as they were.
module Main (main) where

import Control.Monad (void)
import Data.List (intercalate)
import Language.Haskell.Exts

-- | A module with classes, records, operators and layout of all kinds.
source :: Int -> String
source n = unlines (header ++ concatMap part [1 .. 12])
  where
    header =
      [ "{-# LANGUAGE LambdaCase, TupleSections, GADTs #-}",
        "-- | Orders of a shop, part " ++ show n ++ ".",
        "module Shop.Part" ++ show n ++ " (" ++ intercalate ", " ["Order" ++ show k ++ "(..), total" ++ show k | k <- [1 .. 12 :: Int]] ++ ") where",
        "import Data.List (sortBy, foldl')",
        "import qualified Data.Map.Strict as Map",
        "import Control.Monad (forM_, unless, when)",
        "infixr 5 +++",
        "infixl 6 |>"
      ]
    part :: Int -> [String]
    part k =
      [ "-- | One order.",
        "data Order" ++ s ++ " a = Order" ++ s ++ " { item" ++ s ++ " :: !a, count" ++ s ++ " :: {-# UNPACK #-} !Int, notes" ++ s ++ " :: [String] }",
        "  | Empty" ++ s ++ " deriving (Eq, Ord, Show)",
        "class Priced" ++ s ++ " a where",
        "  price" ++ s ++ " :: a -> Int -> Double",
        "  price" ++ s ++ " _ q = fromIntegral q * 1.5e0 + 0x1F",
        "instance (Show a, Ord a) => Priced" ++ s ++ " (Order" ++ s ++ " a) where",
        "  price" ++ s ++ " o q = case o of",
        "    Order" ++ s ++ " { count" ++ s ++ " = c } | c > q, let d = c - q, even d -> fromIntegral (d * q + " ++ s ++ ")",
        "                  | otherwise -> negate 1",
        "    Empty" ++ s ++ " -> 0",
        "total" ++ s ++ " :: (Ord k, Num v) => Map.Map k [(k, v)] -> [v] -> Either String v",
        "total" ++ s ++ " m vs = do -- add them all",
        "  let go acc [] = Right acc",
        "      go acc (x : xs) = go (acc + x * 2 - 1 + acc * x) xs",
        "  r <- go 0 [v | (_, kvs) <- Map.toList m, (_, v) <- kvs]",
        "  if r == sum vs then Left (\"no total \\\"" ++ s ++ "\\\" of \" ++ show (length vs) ++ \" parts\\n\") else pure $ r +++ sum vs |> 3",
        "  where a +++ b = a + b * 2; a |> b = foldl' (\\x -> \\case { 0 -> x; y -> x + y }) a [b, b + 1 .. 9]",
        "{- a longer remark",
        "   over two lines -}",
        "main" ++ s ++ " = forM_ (zip ['a' .. 'z'] [1 ..]) $ \\(c, i) -> when (i `mod` " ++ s ++ " == 0 && c /= '\\n') $ do",
        "  putStrLn . unwords . map (, i) $ words \"alpha beta gamma\"",
        "  unless (null [() | True <- [c < 'q']]) $ print (c, i :: Int)"
      ]
      where
        s = show (k + n * 100)

dialect :: ParseMode
dialect = defaultParseMode {extensions = map EnableExtension [TupleSections, LambdaCase]}

main :: IO ()
main = mapM_ one [1 .. 12]
  where
    one n = case parseModuleWithComments dialect (source n) of
      ParseFailed at why -> putStrLn (show at ++ ": " ++ why)
      ParseOk (m, comments) -> do
        let pretty = prettyPrint m
            narrow = prettyPrintStyleMode style {lineLength = 72} defaultMode {layout = PPSemiColon} m
        print (length comments, length pretty, length narrow, length (exactPrint m comments))
        case parseModuleWithMode dialect pretty of
          ParseFailed at why -> putStrLn (show at ++ ": " ++ why)
          ParseOk again -> print (void again == void m)
