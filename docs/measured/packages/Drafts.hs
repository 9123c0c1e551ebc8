{-# LANGUAGE OverloadedStrings #-}

-- | Drafts of a book whose parts know where they stand: cut into paragraphs and
-- words by functions of any text, put together from pieces, and compared.
module Main (main) where

import Data.Char (isAlpha, toUpper)
import qualified Data.Monoid.Factorial as F
import Data.Monoid.GCD (commonPrefix, commonSuffix)
import Data.Monoid.Instances.Concat (Concat)
import qualified Data.Monoid.Instances.Concat as C
import Data.Monoid.Instances.Measured (Measured)
import qualified Data.Monoid.Instances.Measured as M
import Data.Monoid.Instances.Positioned (LinePositioned, column, extract, line)
import qualified Data.Monoid.Textual as X
import Data.Text (Text)
import qualified Data.Text as T

paragraph :: Int -> Text
paragraph n = T.unlines [T.unwords [word (n * 7 + k * 3) | k <- [1 .. 9]] | _ <- [1 .. 4 :: Int]]
  where
    word k = ["the", "miller", "went", "to", "town,", "and", "sold", "his", "flour", "before", "noon."] !! (k `mod` 11)

draft :: Int -> Text
draft n = T.intercalate "\n" (map paragraph [n .. n + 30])

-- | Each word with its place, by any text that knows it.
located :: LinePositioned Text -> [(Int, Int, Text)]
located t = case F.splitPrimePrefix t of
  Nothing -> []
  Just _ ->
    let (word, rest) = X.span_ False isAlpha t
        (_, next) = X.break_ False isAlpha rest
     in (line t, column t, extract word) : located next

main :: IO ()
main = mapM_ one [1 .. 6]
  where
    one n = do
      let text = draft n
          placed = located (pure text)
          rope = mconcat [pure (paragraph k) | k <- [n .. n + 30]] :: Concat Text
          counted = M.measure (draft (n + 1)) :: Measured Text
      print (length placed, maximum [l | (l, _, _) <- placed], sum [c | (_, c, _) <- placed])
      print (length (X.split (== '\n') text), length (F.split (== "\n") rope), F.length counted)
      print (sum (fmap T.length (C.extract (X.map toUpper rope))), T.length (M.extract (F.drop 500 counted)))
      print (T.length (commonPrefix text (draft n)), T.length (commonSuffix text (paragraph (n + 30))))
      print (X.foldl_' (\k c -> k + fromEnum c) (0 :: Int) rope, F.length (F.takeWhile (/= ".") text))
