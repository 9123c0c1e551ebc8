-- | Which lines of a generated module somebody wrote, and where.
--
-- Its one idea: a generator copies what people write for it. So a line is theirs that stands in
-- its input too, word for word; and so is a block around an action, the code of which stands there
-- in braces. A pragma that says which line follows is not believed: tables come after it as well.
--
-- Start at 'linesOf'.
module Tern.Lab.Core.Generator.Line
  ( Lines,
    linesOf,
    ownLine,
    ownByPragma,
    isActing,
    isAction,
    actionsThatSay,
  )
where

import Data.Char (isAlphaNum, isDigit, isSpace)
import Data.IntMap.Strict (IntMap)
import Data.IntMap.Strict qualified as IntMap
import Data.List (sortOn)
import Data.List qualified as List
import Data.Map.Strict qualified as Map
import Data.Maybe (listToMaybe, mapMaybe)
import Data.Ord (Down (..))
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Read (decimal)
import Tern.Lab.Core.Generator.Brace (Braced (..), bracesOf)

-- $setup
-- >>> import Data.Text qualified as T

-- | What somebody wrote of a generated module. Lines and columns are from 1.
data Lines = Lines
  { -- | Lines of the module that are copied, as lines of the input.
    linesCopied :: !(IntMap Int),
    -- | Lines of the module that an action stands in, with its line and column there.
    linesActing :: !(IntMap (Int, Int)),
    -- | The actions by their names in the module: the words of each, and where it stands there.
    linesActions :: ![(Text, Set.Set Text, (Int, Int))],
    -- | The lines of the module that say which line follows, and of which number, the last first.
    linesPragmas :: ![(Int, Int)]
  }

-- | Of the text of a module, by its generator's name, and of the generator's input.
linesOf :: Text -> Text -> Text -> Lines
linesOf generator made input =
  Lines
    { linesCopied = copied,
      linesActing = acting,
      linesActions = named',
      linesPragmas =
        reverse [(n, line) | (n, row) <- zip [1 ..] (T.lines made), Just line <- [pragmaLine row]]
    }
  where
    copied = copiedLines (T.lines made) (T.lines input)
    rows = IntMap.fromAscList (zip [1 ..] (T.lines made))
    -- Each is named by its first word.
    named' =
      [ (name, Set.fromList said, at)
        | (block, at) <- blocks,
          name : said <- [concatMap wordsIn (mapMaybe (`IntMap.lookup` rows) block)]
      ]
    blocks =
      [ (reverse lines', at)
        | (at, lines') <-
            Map.toList (Map.fromListWith (<>) [(at, [n]) | (n, at) <- IntMap.toAscList acting])
      ]
    acting
      | generator == T.pack "happy" = actions happyAction taken
      | generator == T.pack "alex" = actions alexAction exactly
      | otherwise = IntMap.empty
    actions prefix = placedActions (bracesOf input) (blocksOf prefix (zip [1 ..] (T.lines made)))
    -- Happy puts its names for what stands before an action into it, alex nothing.
    taken code block = code `T.isInfixOf` block
    exactly code block = (T.pack "=" <> code) `T.isSuffixOf` block

-- | A line of the module, with a column there: as a line and a column of the input, if somebody
-- wrote it.
ownLine :: Lines -> (Int, Int) -> Maybe (Int, Int)
ownLine known (line, column) = case IntMap.lookup line (linesCopied known) of
  Just there -> Just (there, column)
  Nothing -> IntMap.lookup line (linesActing known)

-- | A line that a pragma's counting gives: as a line of the input, if somebody wrote it. Alex
-- counts from the line before.
ownByPragma :: Lines -> Int -> Maybe Int
ownByPragma known line =
  listToMaybe
    [ there
      | (at, first) <- linesPragmas known,
        line >= first,
        Just there <- [IntMap.lookup (at + 1 + line - first) (linesCopied known)]
    ]

-- | Does an action stand in a line of the module?
isActing :: Lines -> Int -> Bool
isActing known line = IntMap.member line (linesActing known)

-- | The actions that mention a name: what the module calls them, and where they stand in the
-- input.
actionsThatSay :: Text -> Lines -> [(Text, (Int, Int))]
actionsThatSay name known =
  [(action, at) | (action, said, at) <- linesActions known, Set.member name said]

wordsIn :: Text -> [Text]
wordsIn = filter (not . T.null) . T.split (not . isWord)
  where
    isWord c = isAlphaNum c || c == '_' || c == '\''

-- | Is a function of a generated module one of its actions, or all of them?
--
-- >>> map (isAction (T.pack "alex") . T.pack) ["alex_action_3", "alex_actions", "alex_scan_tkn"]
-- [True,True,False]
isAction :: Text -> Text -> Bool
isAction generator name
  | generator == T.pack "happy" = happyAction `T.isPrefixOf` name
  | generator == T.pack "alex" = alexAction `T.isPrefixOf` name
  | otherwise = False

happyAction, alexAction :: Text
happyAction = T.pack "happyReduc"
alexAction = T.pack "alex_action"

-- | The number in a pragma that says which line follows.
pragmaLine :: Text -> Maybe Int
pragmaLine row = do
  rest <- T.stripPrefix (T.pack "{-# LINE ") row
  either (const Nothing) (Just . fst) (decimal rest)

-- | The lines that stand in the input too. What follows a line there follows it here; else it
-- is the place where the most lines follow.
copiedLines :: [Text] -> [Text] -> IntMap Int
copiedLines made input = go 0 (zip [1 ..] made) IntMap.empty
  where
    rows = IntMap.fromAscList (zip [1 ..] (map T.stripEnd input))
    places = Map.fromListWith (<>) [(row, [n]) | (n, row) <- IntMap.toDescList rows]
    go :: Int -> [(Int, Text)] -> IntMap Int -> IntMap Int
    go _ [] known = known
    go before rest@((n, row) : later) known
      | before > 0, IntMap.lookup (before + 1) rows == Just text = found (before + 1)
      | T.any isAlphaNum text,
        there : _ <- sortOn (Down . following rest) (Map.findWithDefault [] text places) =
          found there
      | otherwise = go 0 later known
      where
        text = T.stripEnd row
        found there = go there later (IntMap.insert n there known)
    following rest there =
      length (takeWhile id (zipWith same (take 200 rest) [there ..]))
    same (_, row) n = IntMap.lookup n rows == Just (T.stripEnd row)

-- | The lines of each action in the module: from the first that begins with its name to the next
-- other one, with its text.
blocksOf :: Text -> [(Int, Text)] -> [([Int], Text)]
blocksOf prefix rows = case dropWhile (not . begins) rows of
  [] -> []
  first@(_, row) : rest ->
    let (inner, later) = span (\(_, r) -> goesOn (numberOf row) r) rest
     in (map fst (first : inner), T.concat (map (withoutSpace . snd) (first : inner)))
          : blocksOf prefix later
  where
    begins (_, row) = prefix `T.isPrefixOf` row && not (T.null (numberOf row))
    -- A declaration at the margin is another's, and so is what the C preprocessor is told.
    goesOn number row = case T.uncons row of
      Nothing -> True
      Just (c, _)
        | isSpace c -> True
        | prefix `T.isPrefixOf` row -> numberOf row == number
        | otherwise -> False
    numberOf row =
      T.takeWhile isDigit (T.dropWhile (not . isDigit) (T.takeWhile (not . isSpace) row))

-- | Each block at the longest action that stands in it. Of equal ones each has its own, in order.
placedActions ::
  [Braced] -> [([Int], Text)] -> (Text -> Text -> Bool) -> IntMap (Int, Int)
placedActions written blocks fits = fst (List.foldl' one (IntMap.empty, Set.empty) blocks)
  where
    codes =
      [ (code, b)
        | b <- written,
          let code = withoutSpace (named (T.dropWhile (`elem` "%^") (bracedText b))),
          T.any isAlphaNum code
      ]
    one (known, used) (block, text) =
      case sortOn order [(code, b) | (code, b) <- codes, fits code text] of
        (_, b) : _ ->
          ( foldr (\n -> IntMap.insert n (bracedLine b, bracedColumn b)) known block,
            Set.insert (bracedLine b, bracedColumn b) used
          )
        [] -> (known, used)
      where
        order (code, b) =
          ( Down (T.length code),
            Set.member (bracedLine b, bracedColumn b) used,
            (bracedLine b, bracedColumn b)
          )

-- | @$1@ as the generated code calls it.
named :: Text -> Text
named code = case T.breakOn (T.pack "$") code of
  (before, rest)
    | T.null rest -> before
    | (digits, later) <- T.span isDigit (T.drop 1 rest),
      not (T.null digits) ->
        T.concat [before, T.pack "happy_var_", digits, named later]
    | otherwise -> T.concat [before, T.take 1 rest, named (T.drop 1 rest)]

withoutSpace :: Text -> Text
withoutSpace = T.filter (not . isSpace)
