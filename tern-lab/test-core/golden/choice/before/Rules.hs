module Rules (Parser (..), Rule (..), attempt, choice) where

import Control.Applicative (Alternative (..))
import Data.Foldable (asum)

newtype Parser a = Parser {runParser :: Int -> Int -> (Int, Maybe a)}

instance Functor Parser where
  fmap f (Parser p) = Parser (\limit at -> fmap (fmap f) (p limit at))

instance Applicative Parser where
  pure a = Parser (\_ at -> (at, Just a))
  Parser p <*> Parser q = Parser $ \limit at -> case p limit at of
    (at', Just f) -> fmap (fmap f) (q limit at')
    (at', Nothing) -> (at', Nothing)

instance Monad Parser where
  Parser p >>= f = Parser $ \limit at -> case p limit at of
    (at', Just a) -> runParser (f a) limit at'
    (at', Nothing) -> (at', Nothing)

instance Alternative Parser where
  empty = Parser (\_ at -> (at, Nothing))
  Parser p <|> Parser q = Parser $ \limit at -> case p limit at of
    (_, Nothing) -> q limit at
    found -> found

data Rule = Rule {ruleName :: String, ruleLeast :: Int, ruleAlways :: Bool}

place :: Parser Int
place = Parser (\_ at -> (at, Just at))

limited :: Parser Int
limited = Parser (\limit at -> (at, Just limit))

attempt :: Rule -> String -> Parser String
attempt rule input
  | ruleAlways rule || length input > ruleLeast rule = do
      let label = ruleName rule ++ input
          marked = label ++ "."
          size = length label + ruleLeast rule
      at <- place
      limit <- limited
      if at `mod` limit == ruleLeast rule
        then pure (take size marked ++ label)
        else empty
  | otherwise = empty

choice :: [Rule] -> String -> Parser String
choice rules input = asum (map (\rule -> attempt rule input) rules)
