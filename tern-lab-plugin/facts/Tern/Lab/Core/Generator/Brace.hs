-- | What stands in braces in the input of a generator.
--
-- Its one idea: whatever a generator's own syntax is, people write code for it in braces. Those of
-- texts, characters and comments are none.
--
-- Start at 'bracesOf'.
module Tern.Lab.Core.Generator.Brace
  ( Braced (..),
    bracesOf,
  )
where

import Data.Char (isAlphaNum, isSpace)
import Data.Text (Text)
import Data.Text qualified as T

-- $setup
-- >>> import Data.Text qualified as T

-- | The code between two braces, and where it begins: lines and columns from 1.
data Braced = Braced
  { bracedLine :: !Int,
    bracedColumn :: !Int,
    bracedText :: !Text
  }
  deriving stock (Eq, Show)

-- | Also what stands within others: rules are grouped by braces, too.
--
-- >>> map bracedText (bracesOf (T.pack "list : '{' xs '}' { f $2 \"}\" }"))
-- ["f $2 \"}\" "]
-- >>> [(bracedLine b, bracedColumn b) | b <- bracesOf (T.pack "<0> {\n  $x { a }\n  { b }\n}")]
-- [(2,3),(2,8),(3,5)]
bracesOf :: Text -> [Braced]
bracesOf text = concatMap one opened
  where
    marks = bracesIn 1 1 0 ' ' text
    opened = [(m, rest) | (m, rest) <- zip marks (drop 1 (suffixes marks)), markOpens m]
    suffixes xs = case xs of
      [] -> [[]]
      _ : rest -> xs : suffixes rest
    one (m, rest) = case closing (1 :: Int) rest of
      Nothing -> []
      Just end ->
        let code = T.take (markAt end - markAt m - 1) (T.drop (markAt m + 1) text)
            (gap, body) = T.span isSpace code
            rows = T.splitOn (T.pack "\n") gap
         in [ case reverse rows of
                lastRow : _ : _ ->
                  Braced (markLine m + length rows - 1) (T.length lastRow + 1) body
                _ -> Braced (markLine m) (markColumn m + 1 + T.length gap) body
            ]
    closing depth = \case
      [] -> Nothing
      m : rest
        | markOpens m -> closing (depth + 1) rest
        | depth == 1 -> Just m
        | otherwise -> closing (depth - 1) rest

-- | A brace.
data Mark = Mark
  { markOpens :: !Bool,
    markAt :: !Int,
    markLine :: !Int,
    markColumn :: !Int
  }

-- | From a line and a column on, with the index there and the character before.
bracesIn :: Int -> Int -> Int -> Char -> Text -> [Mark]
bracesIn line column at before text = case T.uncons text of
  Nothing -> []
  Just (c, rest)
    | Just n <- skipped before text -> over (T.splitAt n text)
    | c == '{' -> Mark True at line column : next c rest
    | c == '}' -> Mark False at line column : next c rest
    | otherwise -> next c rest
  where
    next c rest
      | c == '\n' = bracesIn (line + 1) 1 (at + 1) c rest
      | otherwise = bracesIn line (column + 1) (at + 1) c rest
    over (inner, rest) =
      let rows = T.splitOn (T.pack "\n") inner
          wide = T.length (T.takeWhileEnd (/= '\n') inner)
       in bracesIn
            (line + length rows - 1)
            (if length rows > 1 then wide + 1 else column + wide)
            (at + T.length inner)
            ' '
            rest

-- | How many characters are a text, a character or a comment.
skipped :: Char -> Text -> Maybe Int
skipped before text
  | T.pack "--" `T.isPrefixOf` text = Just (T.length (T.takeWhile (/= '\n') text))
  | T.pack "{-" `T.isPrefixOf` text =
      Just (T.length (fst (T.breakOn (T.pack "-}") text)) + 2)
  | otherwise = case T.unpack (T.take 12 text) of
      '"' : _ -> Just (1 + literal (T.drop 1 text))
      '\'' : '\\' : rest
        | not (isWord before) -> Just (4 + length (takeWhile (/= '\'') (drop 1 rest)))
      '\'' : _ : '\'' : _ | not (isWord before) -> Just 3
      _ -> Nothing
  where
    isWord c = isAlphaNum c || c == '_' || c == '\''
    -- Up to the end of a text and over it; what a line leaves open ends with the line.
    literal rest = case T.uncons rest of
      Nothing -> 0
      Just ('"', _) -> 1
      Just ('\n', _) -> 0
      Just ('\\', later) -> 2 + literal (T.drop 1 later)
      Just (_, later) -> 1 + literal later
