{-# LANGUAGE OverloadedStrings #-}

-- | The text format's tokens, as trees of parentheses.
--
-- The idea: everything between two parentheses is a list, so that the parser
-- above looks at lists and atoms only. Comments and space are gone; every node
-- knows its byte offset.
--
-- Start at 'readTrees'.
module Tern.Wasm.Text.Tree
  ( Tree (..),
    treeOffset,
    customHead,
    TextError (..),
    readTrees,
  )
where

import Control.Monad (when)
import Data.Bits (shiftL, (.|.))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Builder qualified as BB
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy qualified as BL
import Data.Char (chr, digitToInt, isHexDigit, ord)
import Data.Text (Text)
import Data.Text.Encoding (decodeUtf8')
import Data.Word (Word8)

-- | A token, or what is between two parentheses; each with its byte offset.
data Tree
  = -- | A keyword, a number or an identifier.
    Atom !Int !ByteString
  | -- | A string, its escapes replaced.
    String !Int !ByteString
  | List !Int ![Tree]
  deriving stock (Eq, Show)

-- | Bytes from the start of the text to the tree's first one.
treeOffset :: Tree -> Int
treeOffset = \case
  Atom o _ -> o
  String o _ -> o
  List o _ -> o

-- | What a custom annotation begins with: a word that no source can have. It stands among
-- a module's fields only.
customHead :: ByteString
customHead = " custom"

-- | Where, in bytes from the start, and what was expected.
data TextError = TextError {textErrorOffset :: !Int, textErrorExpected :: !Text}
  deriving stock (Eq, Show)

data Token = Open !Int | Close !Int | Word_ !Tree

-- | The trees of a source text. Linear.
readTrees :: ByteString -> Either TextError [Tree]
readTrees source = case decodeUtf8' source of
  Left _ -> Left (TextError (invalid 0 source) "UTF-8")
  Right _ -> fields <$> (tokens source >>= nest [] [])
  where
    -- Custom annotations in other places are for others, as all annotations are that are
    -- not known here.
    fields = map inner
    inner = \case
      List o trees@(Atom _ "module" : _) -> List o (fields trees)
      List o trees@(Atom _ w : _) | w == customHead -> List o trees
      List o trees -> List o (map inner (filter (not . custom) trees))
      t -> t
    custom = \case
      List _ (Atom _ w : _) -> w == customHead
      _ -> False

-- | Where UTF-8 ends: the offset, counted from @p@, of the first byte of what is none. Linear.
invalid :: Int -> ByteString -> Int
invalid p text
  | B.null rest = start
  | Right _ <- decodeUtf8' (B.take n rest) = invalid (start + n) (B.drop n rest)
  | otherwise = start
  where
    (plain, rest) = B.span (< 0x80) text
    start = p + B.length plain
    lead = if B.null rest then 0 else B.head rest
    n
      | lead < 0xE0 = 2
      | lead < 0xF0 = 3
      | otherwise = 4

-- | Close lists with a stack of those that are open: where each began and what
-- stood before it.
nest :: [(Int, [Tree])] -> [Tree] -> [Token] -> Either TextError [Tree]
nest = go 0
  where
    go :: Int -> [(Int, [Tree])] -> [Tree] -> [Token] -> Either TextError [Tree]
    go depth open done = \case
      [] -> case open of
        [] -> Right (reverse done)
        (o, _) : _ -> Left (TextError o "a closing parenthesis")
      Word_ t : rest -> go depth open (t : done) rest
      Open o : rest
        | depth >= maxNesting -> Left (TextError o "parentheses that are nested less deeply")
        | otherwise -> go (depth + 1) ((o, done) : open) [] rest
      Close o : rest -> case open of
        [] -> Left (TextError o "no closing parenthesis")
        (from, before) : outer -> go (depth - 1) outer (List from (reverse done) : before) rest

-- | Parentheses may be nested so deeply: what reads the trees recurses.
maxNesting :: Int
maxNesting = 10000

tokens :: ByteString -> Either TextError [Token]
tokens source = go [] 0
  where
    end = B.length source
    at :: Int -> Char
    at p = if p < end then BC.index source p else '\0'
    go :: [Token] -> Int -> Either TextError [Token]
    go done p
      | p >= end = Right (reverse done)
      | otherwise = case at p of
          c | c == ' ' || c == '\t' || c == '\n' || c == '\r' -> go done (p + 1)
          ';'
            | at (p + 1) == ';' -> go done (lineEnd (p + 2))
          '('
            | at (p + 1) == ';' -> comment (p + 2) 1 >>= go done
            | at (p + 1) == '@',
              BC.takeWhile idChar (B.drop (p + 2) source) == "custom" ->
                go (Word_ (Atom p customHead) : Open p : done) (p + 8)
            | at (p + 1) == '@' -> annotation p >>= go done
            | otherwise -> go (Open p : done) (p + 1)
          ')' -> go (Close p : done) (p + 1)
          '"' -> do
            (bytes, next) <- string p (p + 1)
            separated next
            go (Word_ (String p bytes) : done) next
          '$' | at (p + 1) == '"' -> do
            (bytes, next) <- string p (p + 2)
            separated next
            when (B.null bytes) (Left (TextError p "a name that is not empty"))
            either
              (const (Left (TextError p "a name in UTF-8")))
              (const (Right ()))
              (decodeUtf8' bytes)
            go (Word_ (Atom p (BC.cons '$' bytes)) : done) next
          c
            | idChar c -> do
                let word = BC.takeWhile idChar (B.drop p source)
                    next = p + B.length word
                separated next
                go (Word_ (Atom p word) : done) next
          _ -> Left (TextError p "a token")
    -- What an annotation says is for others: it is skipped with all that is in it.
    annotation p
      | at (p + 2) == '"' = do
          (bytes, next) <- string p (p + 3)
          when (B.null bytes) (Left (TextError p "an annotation's name"))
          either
            (const (Left (TextError p "a name in UTF-8")))
            (const (Right ()))
            (decodeUtf8' bytes)
          skipped p next 1
      | idChar (at (p + 2)) =
          skipped p (p + 2 + B.length (BC.takeWhile idChar (B.drop (p + 2) source))) 1
      | otherwise = Left (TextError p "an annotation's name")
    skipped :: Int -> Int -> Int -> Either TextError Int
    skipped from p depth
      | p >= end = Left (TextError from "the end of an annotation")
      | otherwise = case at p of
          ')' -> if depth == 1 then Right (p + 1) else skipped from (p + 1) (depth - 1)
          '(' | at (p + 1) == ';' -> comment (p + 2) 1 >>= \q -> skipped from q depth
          '(' -> skipped from (p + 1) (depth + 1)
          ';' | at (p + 1) == ';' -> skipped from (lineEnd (p + 2)) depth
          '"' -> string p (p + 1) >>= \(_, q) -> skipped from q depth
          c
            -- Other characters than ASCII's stand in strings and comments alone.
            | c < ' ' && c `notElem` ("\t\n\r" :: String) || c >= '\DEL' ->
                Left (TextError p "a character that may stand here")
            | otherwise -> skipped from (p + 1) depth
    -- Two words must not touch.
    separated p
      | p >= end || at p `elem` (" \t\n\r()" :: String) || (at p == ';' && at (p + 1) == ';') =
          Right ()
      | otherwise = Left (TextError p "a space between two tokens")
    lineEnd p
      | p >= end || at p == '\n' || at p == '\r' = p
      | otherwise = lineEnd (p + 1)
    comment :: Int -> Int -> Either TextError Int
    comment p depth
      | p >= end = Left (TextError p "the end of a comment")
      | at p == ';' && at (p + 1) == ')' =
          if depth == 1
            then Right (p + 2)
            else comment (p + 2) (depth - 1)
      | at p == '(' && at (p + 1) == ';' = comment (p + 2) (depth + 1)
      | otherwise = comment (p + 1) depth
    string :: Int -> Int -> Either TextError (ByteString, Int)
    string from p = do
      quote <- closing from p
      pure (BL.toStrict (BB.toLazyByteString (between p quote)), quote + 1)
    -- The quote that closes the string that began at an offset; nothing is kept of what is
    -- before it.
    closing from p
      | p >= end = Left (TextError from "the end of a string")
      | at p == '"' = Right p
      | otherwise = stringPiece source p >>= closing from . snd
    -- They are made when they are written.
    between p quote
      | p >= quote = mempty
      | otherwise = foldMap (\(piece, next) -> piece <> between next quote) (stringPiece source p)

-- | What stands at an offset within a string, and where the next begins: characters that stand
-- for themselves as far as there are, or an escape.
stringPiece :: ByteString -> Int -> Either TextError (BB.Builder, Int)
stringPiece source p
  | B.null plain = if at p == '\\' then escape else control
  | otherwise = Right (BB.byteString plain, p + B.length plain)
  where
    at q = if q < B.length source then BC.index source q else '\0'
    plain = B.takeWhile itself (B.drop p source)
    itself w = w >= 32 && w /= 127 && w /= byte '"' && w /= byte '\\'
    control = Left (TextError p "an escape for a control character")
    one c n = Right (BB.word8 (byte c), p + n)
    escape = case at (p + 1) of
      't' -> one '\t' 2
      'n' -> one '\n' 2
      'r' -> one '\r' 2
      '"' -> one '"' 2
      '\'' -> one '\'' 2
      '\\' -> one '\\' 2
      'u' | at (p + 2) == '{' -> unicode
      h
        | isHexDigit h && isHexDigit (at (p + 2)) ->
            one (chr (digitToInt h * 16 .|. digitToInt (at (p + 2)))) 3
      _ -> Left (TextError p "an escape that strings have")
    unicode =
      let digits = BC.takeWhile (\h -> isHexDigit h || h == '_') (B.drop (p + 3) source)
          n =
            BC.foldl'
              ( \v h ->
                  if h == '_'
                    then v
                    else min 0x200000 ((v `shiftL` 4) .|. digitToInt h)
              )
              0
              digits
          next = p + 3 + B.length digits
       in if B.null digits
            || at next /= '}'
            || n > 0x10FFFF
            || (n >= 0xD800 && n < 0xE000)
            || BC.head digits == '_'
            || BC.last digits == '_'
            then Left (TextError p "a character's number")
            else Right (BB.charUtf8 (chr n), next + 1)

byte :: Char -> Word8
byte = fromIntegral . ord

idChar :: Char -> Bool
idChar c = c > ' ' && c < '\DEL' && c `notElem` ("\"(),;[]{}" :: String)
