{-# LANGUAGE OverloadedStrings #-}

-- | The words of a Haskell source, as far as places and edits need them.
--
-- Its one idea: a token knows where it stands for people (line and column) and
-- for an edit (the characters before it). Comments are no tokens.
--
-- Start at 'lexemesOf'; 'tokensOf' has the names alone.
module Tern.Lab.Core.Token
  ( Token (..),
    TokenSort (..),
    lexemesOf,
    tokensOf,
    tokenFull,
    tokenEnd,

    -- * Declarations
    equationsAt,
    regionAt,
    definitionsOf,
    atomsOf,
  )
where

import Data.Char (isAlpha, isAlphaNum, isDigit, isSpace, isUpper)
import Data.List (find)
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Facts (Place (..))

-- | A word of a source, and where it stands. Lines and columns are from 1; tab stops are eight
-- columns apart.
data Token = Token
  { tokenSort :: !TokenSort,
    -- | Without the module before it.
    tokenText :: !Text,
    -- | The module before it, with its dot.
    tokenModule :: !Text,
    tokenLine :: !Int,
    tokenColumn :: !Int,
    -- | Does its line begin with it?
    tokenFirst :: !Bool,
    -- | How many characters of the file stand before it and its module.
    tokenOffset :: !Int
  }
  deriving stock (Eq, Show)

-- | What a token is. Words and operators are not told apart.
data TokenSort
  = -- | A word or an operator.
    Named
  | -- | A number, a character or a string.
    Literal
  | -- | A bracket, a comma, a semicolon or a backquote.
    Punctuation
  deriving stock (Eq, Show)

-- | As it is written.
tokenFull :: Token -> Text
tokenFull t = tokenModule t <> tokenText t

-- | How many characters stand before what follows it.
tokenEnd :: Token -> Int
tokenEnd t = tokenOffset t + T.length (tokenFull t)

-- | Words and operators alone.
--
-- >>> map tokenText (tokensOf "go' x = Map.insert 'a' \"b\" x {- c -} .+. y -- d")
-- ["go'","x","=","insert","x",".+.","y"]
tokensOf :: Text -> [Token]
tokensOf = filter ((== Named) . tokenSort) . lexemesOf

-- | All but comments.
--
-- >>> map tokenFull (lexemesOf "f (M.g, 1) -- x")
-- ["f","(","M.g",",","1",")"]
lexemesOf :: Text -> [Token]
lexemesOf = go 0 1 1 True
  where
    go offset line column first text = case T.uncons text of
      Nothing -> []
      Just (c, rest)
        | c == '\n' -> go (offset + 1) (line + 1) 1 True rest
        | c == '\t' -> go (offset + 1) line (column + 8 - (column - 1) `mod` 8) first rest
        | isSpace c -> go (offset + 1) line (column + 1) first rest
        | "{-" `T.isPrefixOf` text -> past first (comment (0 :: Int) text)
        | c == '"' -> literal (string rest)
        | c == '\'', Just n <- character rest -> literal (n + 1)
        | isDigit c -> literal (T.length (T.takeWhile isAlphaNum text))
        | isAlpha c || c == '_' ->
            let (before, word) = qualified text
             in named before word
        | isSymbol c ->
            let operator = T.takeWhile isSymbol text
             in if T.length operator >= 2 && T.all (== '-') operator
                  then past first (T.length (T.takeWhile (/= '\n') text))
                  else named T.empty operator
        | otherwise ->
            Token Punctuation (T.singleton c) T.empty line column first offset
              : go (offset + 1) line (column + 1) False rest
      where
        named before word =
          let n = T.length before + T.length word
           in Token Named word before line column first offset
                : go (offset + n) line (column + n) False (T.drop n text)
        literal n = Token Literal (T.take n text) T.empty line column first offset : past False n
        -- Over @n@ characters, which may hold ends of lines.
        past stays n =
          let passed = T.take n text
              ends = T.count "\n" passed
           in go
                (offset + T.length passed)
                (line + ends)
                (if ends == 0 then column + n else 1 + T.length (T.takeWhileEnd (/= '\n') passed))
                (stays || ends > 0)
                (T.drop n text)
    -- The module before a name, and the name.
    qualified text =
      let word = T.takeWhile isWord text
          after = T.drop (T.length word) text
       in case T.uncons after of
            Just ('.', more)
              | maybe False (isUpper . fst) (T.uncons word),
                Just (d, _) <- T.uncons more,
                isAlpha d || d == '_' || isSymbol d ->
                  let (before, name) =
                        if isSymbol d then (T.empty, T.takeWhile isSymbol more) else qualified more
                   in (T.concat [word, ".", before], name)
            _ -> (T.empty, word)
    isWord c = isAlphaNum c || c == '_' || c == '\'' || c == '#'
    isSymbol c =
      c `elem` ("!#$%&*+./<=>?@\\^|-~:" :: String)
        || (fromEnum c > 127 && not (isAlphaNum c) && not (isSpace c))
    -- Lengths: a comment with those in it, a string after its first quote, a
    -- character after its quote.
    comment depth text
      | T.null text = 0
      | "{-" `T.isPrefixOf` text = 2 + comment (depth + 1) (T.drop 2 text)
      | "-}" `T.isPrefixOf` text = if depth <= 1 then 2 else 2 + comment (depth - 1) (T.drop 2 text)
      | otherwise = 1 + comment depth (T.drop 1 text)
    string text = 1 + inside (0 :: Int) text
    inside n text = case T.uncons text of
      Nothing -> n
      Just ('"', _) -> n + 1
      Just ('\\', rest) -> inside (n + 2) (T.drop 1 rest)
      Just (_, rest) -> inside (n + 1) rest
    character text = case T.unpack (T.take 2 text) of
      [c, '\''] | c /= '\\' -> Just 2
      '\\' : _ -> (\n -> n + 3) <$> T.findIndex (== '\'') (T.drop 2 text)
      _ -> Nothing

-- * Declarations

-- | The declaration at a place, by equations: what stands there and to the right
-- of it below, and the further equations of its name.
equationsAt :: Place -> [Token] -> [[Token]]
equationsAt
  (Place _ line column)
  tokens = case span before (dropWhile ((< line) . tokenLine) tokens) of
    (earlier, binder : rest) -> equations (tokenText binder) (margin earlier) (binder : rest)
    _ -> []
    where
      before t = (tokenLine t, tokenColumn t) < (line, column)
      -- An operator stands between its parameters.
      margin earlier = case dropWhile ((`elem` ["where", "let"]) . tokenText) earlier of
        start : _ -> tokenColumn start
        [] -> column
      equations name at = \case
        [] -> []
        t : rest ->
          let (equation, others) = break (\u -> tokenFirst u && tokenColumn u <= at) rest
           in (t : equation) : case others of
                u : more
                  | tokenColumn u == at,
                    name
                      `elem` map
                        tokenText
                        ( takeWhile
                            ((`notElem` ["=", "|"]) . tokenText)
                            (u : takeWhile ((== tokenLine u) . tokenLine) more)
                        ) ->
                      equations name at others
                _ -> []

-- | All lexemes of the declaration at a place.
regionAt :: Place -> [Token] -> [Token]
regionAt place lexemes = case concat
  ( equationsAt
      place
      (filter ((== Named) . tokenSort) lexemes)
  ) of
  [] -> []
  names@(first : _) ->
    let lastOne = maximum (map tokenOffset names)
        after = find ((> lastOne) . tokenOffset) (filter ((== Named) . tokenSort) lexemes)
     in takeWhile
          (\t -> maybe True ((tokenOffset t <) . tokenOffset) after)
          (dropWhile ((< tokenOffset first) . tokenOffset) lexemes)

-- | The equations of a function: of each its parameters, up to the sign of
-- equality or the first guard. The function stands before its parameters, or between two of
-- them, or is a lambda. The sign stands outside of brackets: a field's begins no equation.
--
-- >>> map (map tokenText) (definitionsOf "f" (lexemesOf "f 0 n = n\nm `f` n | m > n = m"))
-- [["0","n"],["m","n"]]
--
-- >>> map (map tokenText) (definitionsOf "f" (lexemesOf "f = \\m n -> m"))
-- [["m","n"]]
definitionsOf :: Text -> [Token] -> [[Token]]
definitionsOf name = go Nothing
  where
    go _ [] = []
    go previous (t : rest)
      | tokenText t == name,
        T.null (tokenModule t),
        begins previous t,
        (parameters, end : _) <- upToSign t rest,
        tokenText end `elem` ["=", "|"],
        not (null parameters) =
          parameters : go (Just end) (drop (length parameters) rest)
      | tokenText t == name,
        T.null (tokenModule t),
        begins previous t,
        sign : lambda : more <- rest,
        tokenText sign == "=",
        tokenText lambda == "\\",
        (parameters, arrow : others) <- break ((== "->") . tokenText) more =
          parameters : go (Just arrow) others
      | begins previous t,
        (more, end : others) <- upToSign t rest,
        tokenText end `elem` ["=", "|"],
        Just parameters <- around (atomsOf (t : more)) =
          parameters : go (Just end) others
      | otherwise = go (Just t) rest
    -- An operator, or a name between backquotes.
    around = \case
      [left, [o], right] | tokenText o == name, isOperator name -> Just (left <> right)
      [left, [p], [o], [q], right]
        | tokenText o == name, all ((== "`") . tokenText) [p, q] -> Just (left <> right)
      _ -> Nothing
    isOperator = T.all (\c -> not (isAlphaNum c) && c `notElem` ("_'" :: String))
    begins previous t =
      tokenFirst t || maybe False ((`elem` ["where", "let", ";", "{"]) . tokenText) previous
    upToSign t = within (if isOpening t then 1 else 0 :: Int)
      where
        within _ [] = ([], [])
        within depth (u : us)
          | tokenFirst u && tokenColumn u <= tokenColumn t = ([], u : us)
          | depth == 0, ends u || isClosing u = ([], u : us)
          | isClosing u = u `before` within (depth - 1) us
          | isOpening u = u `before` within (depth + 1) us
          | otherwise = u `before` within depth us
        before u (own, others) = (u : own, others)
    ends u = tokenText u `elem` ["=", "|", "::", "->", "<-", ";", "where", "let", "do", "of"]
    isOpening u = tokenText u `elem` ["(", "[", "{"]
    isClosing u = tokenText u `elem` [")", "]", "}"]

-- | Parameters or arguments, one by one: a name, a literal, what stands in
-- brackets, with a sign right before it.
atomsOf :: [Token] -> [[Token]]
atomsOf = \case
  [] -> []
  t : rest
    | tokenText t `elem` ["!", "~"] -> case atomsOf rest of
        atom : others -> (t : atom) : others
        [] -> [[t]]
    | tokenText t `elem` ["(", "[", "{"] ->
        let (inside, others) = closed (1 :: Int) rest in joined (t : inside) others
    | otherwise -> joined [t] rest
  where
    -- A name for a whole pattern, and a record's fields.
    joined atom = \case
      t : rest
        | tokenText t == "@",
          adjacent atom t -> case atomsOf rest of
            next : others -> (atom <> [t] <> next) : others
            [] -> [atom <> [t]]
        | tokenText t == "{" ->
            let (inside, others) =
                  closed (1 :: Int) rest
             in (atom <> [t] <> inside) : atomsOf others
      others -> atom : atomsOf others
    adjacent atom t = case reverse atom of
      end : _ -> tokenEnd end == tokenOffset t
      [] -> False
    closed _ [] = ([], [])
    closed depth (t : rest)
      | tokenText t `elem` [")", "]", "}"] =
          if depth == 1 then ([t], rest) else prefixed t (closed (depth - 1) rest)
      | tokenText t `elem` ["(", "[", "{"] = prefixed t (closed (depth + 1) rest)
      | otherwise = prefixed t (closed depth rest)
    prefixed t (inside, others) = (t : inside, others)
