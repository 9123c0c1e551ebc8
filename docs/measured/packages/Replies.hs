{-# LANGUAGE OverloadedStrings #-}

module Main (main) where

import qualified Data.ByteString.Char8 as B
import Scanner hiding (Result (..))

-- | What a store answers: its protocol is that of Redis.
data Reply
  = Done B.ByteString
  | Failed B.ByteString
  | Number Int
  | Bulk (Maybe B.ByteString)
  | Many [Reply]
  deriving (Eq)

reply :: Scanner Reply
reply = do
  c <- anyChar8
  case c of
    '+' -> Done <$> line
    '-' -> Failed <$> line
    ':' -> Number <$> (decimal <* eol)
    '$' -> do
      n <- decimal <* eol
      Bulk . Just <$> (Scanner.take n <* eol)
    '_' -> Bulk Nothing <$ eol
    '*' -> do
      n <- decimal <* eol
      Many <$> several n
    _ -> fail "no reply"
  where
    line = takeWhileChar8 (/= '\r') <* eol
    eol = char8 '\r' *> char8 '\n'

several :: Int -> Scanner [Reply]
several 0 = return []
several n = (:) <$> reply <*> several (n - 1)

answers :: Int -> B.ByteString
answers n = B.concat ("*" : number n : "\r\n" : map answer [1 .. n])
  where
    answer i = case i `mod` 5 of
      0 -> "+OK\r\n"
      1 -> B.concat [":", number (i * i), "\r\n"]
      2 -> B.concat ["$", number (B.length (name i)), "\r\n", name i, "\r\n"]
      3 -> B.concat ["*2\r\n$3\r\nkey\r\n:", number i, "\r\n"]
      _ -> "-ERR unknown command\r\n"
    number = B.pack . show
    name i = B.append "the value of key " (number i)

size :: Reply -> Int
size r = case r of
  Done b -> B.length b
  Failed b -> B.length b
  Number n -> n `mod` 7
  Bulk b -> maybe 0 B.length b
  Many rs -> sum (map size rs)

main :: IO ()
main = do
  let input = answers 60000
  print (either (const 0) size (scanOnly reply input))
  print (fmap size (scanOnly reply (B.take 20 input)))
