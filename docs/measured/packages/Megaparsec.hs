{-# LANGUAGE OverloadedStrings #-}

module Main (main) where

import Control.Monad.Combinators.Expr
import Data.Text (Text)
import qualified Data.Text as T
import Data.Void (Void)
import Text.Megaparsec
import Text.Megaparsec.Char
import qualified Text.Megaparsec.Char.Lexer as L

type Parser = Parsec Void Text

data Value = Null | Flag Bool | Number Double | Word Text | List [Value] | Record [(Text, Value)]

space' :: Parser ()
space' = L.space space1 (L.skipLineComment "//") (L.skipBlockComment "/*" "*/")

lexeme :: Parser a -> Parser a
lexeme = L.lexeme space'

symbol :: Text -> Parser Text
symbol = L.symbol space'

value :: Parser Value
value =
  choice
    [ Null <$ symbol "null",
      Flag True <$ symbol "true",
      Flag False <$ symbol "false",
      Number <$> lexeme (L.signed (pure ()) (try L.float <|> L.decimal)),
      Word <$> word,
      List <$> between (symbol "[") (symbol "]") (value `sepBy` symbol ","),
      Record <$> between (symbol "{") (symbol "}") (field `sepBy` symbol ",")
    ]
    <?> "a value"
  where
    field = (,) <$> word <* symbol ":" <*> value

word :: Parser Text
word = lexeme (T.pack <$> (char '"' *> manyTill L.charLiteral (char '"')))

expression :: Parser Int
expression = makeExprParser term table
  where
    term = lexeme L.decimal <|> between (symbol "(") (symbol ")") expression
    table = [[Prefix (negate <$ symbol "-")], [InfixL ((*) <$ symbol "*")], [InfixL ((+) <$ symbol "+"), InfixL ((-) <$ symbol "-")]]

size :: Value -> Int
size v = case v of
  Null -> 1
  Flag b -> if b then 2 else 1
  Number d -> round d
  Word t -> T.length t
  List vs -> sum (map size vs)
  Record fs -> sum [T.length k + size w | (k, w) <- fs]

-- | A document and a page of sums, read; and a mistake, told.
main :: IO ()
main = do
  print (either (const 0) size (parse (space' *> value <* eof) "document" document))
  print (either (const 0) sum (parse (space' *> many (expression <* symbol ";") <* eof) "sums" sums))
  putStrLn (either (take 300 . errorBundlePretty) (const "") (parse (space' *> value <* eof) "document" (T.append document "]")))
  where
    document = T.concat ["[", T.intercalate ",\n" (map row [1 .. 1500 :: Int]), "]"]
    row i = T.concat ["{\"name\": \"row ", n i, "\", \"value\": ", n i, ".5, \"tags\": [\"a\", \"b\\n\", null], \"on\": true /* yes */}"]
    sums = T.concat (map (\i -> T.concat ["(", n i, " + 3) * -2 - ", n (i * 7), " * 4;\n"]) [1 .. 1500 :: Int])
    n = T.pack . show
