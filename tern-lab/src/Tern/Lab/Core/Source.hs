{-# LANGUAGE OverloadedStrings #-}

-- | Where in the source a finding's call stands.
--
-- Its one idea: the compiled code knows where a function begins, not where it
-- calls; to ask GHC for more changes the code. So the call is looked up in the
-- text: the first time that its name stands in the function's own lines, after
-- the parameters. A name that does not stand there came by inlining, and the
-- function's place is the best that there is.
--
-- Start at 'pinned'.
module Tern.Lab.Core.Source
  ( pinned,

    -- * Tokens
    Token (..),
    tokensOf,
    equationsAt,
  )
where

import Data.Char (isAlpha, isAlphaNum, isDigit, isSpace, isUpper)
import Data.List (find)
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Facts
import Tern.Lab.Core.Finding
import Tern.Lab.Core.Index (sourceName)

-- | A finding at the place of its call, given the text of its file.
pinned :: Text -> Finding -> Finding
pinned text f = case findingPlace f of
  Just place
    | names@(_ : _) <- calledNames (findingKind f),
      Just token <-
        find ((`elem` names) . tokenText) (concatMap bodyOf (equationsAt place (tokensOf text))) ->
        f {findingPlace = Just place {placeLine = tokenLine token, placeColumn = tokenColumn token}}
  _ -> f

-- | An equation after its parameters.
bodyOf :: [Token] -> [Token]
bodyOf = drop 1 . dropWhile ((`notElem` ["=", "|", "where", "->"]) . tokenText)

-- | What the source calls what is called.
calledNames :: FindingKind -> [Text]
calledNames = \case
  NotUnrolled callee _ -> [lastName callee]
  NotInlined callee _ -> [lastName callee]
  NotSpecialised callee _ _ written _ -> [lastName written, lastName callee]
  PassesInstances callee _ -> [lastName callee]
  UnknownInstance _ methods -> methods
  UnknownCalls calls -> map fst calls
  GrowingAccumulator loop _ _ -> [lastName loop]
  AppendsLeft -> ["++"]
  AppendsRecursively _ -> ["++"]
  ArityTooLow {} -> []
  LoopAllocates _ -> []
  GenericRepresentation _ -> []
  NoExportList _ -> []
  StoresLazily _ ->
    [ "modifyIORef",
      "modifySTRef",
      "modifyTVar",
      "modifyMVar_",
      "writeIORef",
      "writeSTRef",
      "writeTVar",
      "putMVar"
    ]
  CallsLibrary callee _ -> [lastName callee]
  CarriesConstructor loop _ _ -> [lastName loop]

-- | Without modules; an operator keeps its dots.
lastName :: Text -> Text
lastName name = case T.break (== '.') name of
  (part, rest)
    | T.length rest > 1,
      maybe False (isUpper . fst) (T.uncons part) ->
        lastName (T.drop 1 rest)
  _ -> sourceName name

-- * Tokens

-- | A word or an operator, without the module before it.
data Token = Token
  { tokenText :: !Text,
    tokenLine :: !Int,
    tokenColumn :: !Int,
    -- | Does its line begin with it?
    tokenFirst :: !Bool
  }
  deriving stock (Eq, Show)

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

-- | Comments, strings and numbers are left out.
--
-- >>> map tokenText (tokensOf "go' x = Map.insert 'a' \"b\" x {- c -} .+. y -- d")
-- ["go'","x","=","insert","x",".+.","y"]
tokensOf :: Text -> [Token]
tokensOf = go 1 1 True
  where
    go line column first text = case T.uncons text of
      Nothing -> []
      Just (c, rest)
        | c == '\n' -> go (line + 1) 1 True rest
        | c == '\t' -> go line (column + 8 - (column - 1) `mod` 8) first rest
        | isSpace c -> go line (column + 1) first rest
        | "{-" `T.isPrefixOf` text -> over (comment (0 :: Int) text)
        | c == '"' -> over (string rest)
        | c == '\'', Just n <- character rest -> over (n + 1)
        | isDigit c -> over (T.length (T.takeWhile isAlphaNum text))
        | isAlpha c || c == '_' ->
            let word = T.takeWhile isWord text
                after = T.drop (T.length word) text
             in case T.uncons after of
                  Just ('.', more)
                    | maybe False (isUpper . fst) (T.uncons word),
                      Just (d, _) <- T.uncons more,
                      isAlpha d || d == '_' || isSymbol d ->
                        -- The name after the module, at the module's place.
                        case go line (column + T.length word + 1) first more of
                          t : later -> t {tokenColumn = column} : later
                          [] -> []
                  _ -> Token word line column first : go line (column + T.length word) False after
        | isSymbol c ->
            let operator = T.takeWhile isSymbol text
             in if T.length operator >= 2 && T.all (== '-') operator
                  then go line column first (T.dropWhile (/= '\n') text)
                  else
                    Token operator line column first
                      : go line (column + T.length operator) False (T.drop (T.length operator) text)
        | otherwise -> go line (column + 1) False rest
      where
        over n =
          let passed = T.take n text
              lines' = T.count "\n" passed
           in go
                (line + lines')
                ( if lines' == 0
                    then column + n
                    else 1 + T.length (T.takeWhileEnd (/= '\n') passed)
                )
                (first || lines' > 0)
                (T.drop n text)
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
