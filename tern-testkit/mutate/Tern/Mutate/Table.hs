{-# LANGUAGE OverloadedStrings #-}

-- | The table of planted bugs: plain text, a file for each package.
--
-- An entry has a name, some lines that begin with a word and a colon, and then the
-- text that is replaced and what stands in its place, each line after a sign:
--
-- > [record-folded-bits]
-- > kind: records
-- > says: a record of more than 64 fields counts as complete when the bits are full
-- > file: tern/src/Tern/Internal/Record.hs
-- > seen: tern:laws wide records
-- > - isTrue# (n <=# 64#)
-- > + True
--
-- @seen@ names the suite that must see the bug, and which of its cases: a pattern of
-- tasty. Both texts are expressions, and the right one is chosen when the program
-- runs. Where that cannot be so the new text has the word @PLANTED@, which stands
-- for that choice, and says both.
module Tern.Mutate.Table
  ( Bug (..),
    Seen (..),
    parseTable,
    readTables,
    package,
  )
where

import Control.Monad (forM_, unless, when)
import Data.ByteString qualified as B
import Data.Char (isAlphaNum, isLower)
import Data.Either (partitionEithers)
import Data.List (partition, sort)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Text.Encoding.Error (lenientDecode)
import System.Directory (listDirectory)
import System.FilePath (takeExtension, (</>))

-- | One planted bug.
data Bug = Bug
  { -- | Small letters, digits and dashes.
    bugName :: Text,
    -- | The kind of code that it is in: bounds, digits, locks ...
    bugKind :: Text,
    -- | What is wrong with the code then, as a sentence.
    bugSays :: Text,
    -- | From the root of the checkout.
    bugFile :: FilePath,
    bugSeen :: Seen,
    bugOld :: Text,
    bugNew :: Text
  }
  deriving stock (Eq, Show)

-- | The cases that must see a bug.
data Seen = Seen
  { -- | @package:suite@
    seenSuite :: Text,
    -- | As in @TASTY_PATTERN@.
    seenPattern :: Text
  }
  deriving stock (Eq, Ord, Show)

-- | The package that a bug is planted in.
package :: Bug -> Text
package = T.takeWhile (/= '/') . T.pack . bugFile

-- | Every table of a checkout, in order of the files' names: what is wrong with
-- them, and the bugs.
readTables :: FilePath -> IO ([Text], [Bug])
readTables root = do
  names <- sort . filter ((== ".txt") . takeExtension) <$> listDirectory folder
  results <- mapM one names
  let bugs = concatMap snd results
  pure (concatMap fst results <> repeated (map bugName bugs), bugs)
  where
    folder = root </> "tern-testkit" </> "mutants"
    one name = do
      text <- T.decodeUtf8With lenientDecode <$> B.readFile (folder </> name)
      let (wrong, bugs) = parseTable text
      pure (map ((T.pack name <> ": ") <>) wrong, bugs)
    repeated names =
      [ name <> ": two bugs have this name"
        | (name, next) <-
            zip sorted (drop 1 sorted),
          name == next
      ]
      where
        sorted = sort names

-- | What is wrong with a table's text, by its lines, and its bugs.
parseTable :: Text -> ([Text], [Bug])
parseTable = partitionEithers . map entry . entries . filter spoken . zip [1 ..] . T.lines
  where
    spoken (_, line) = not (T.null (T.strip line)) && not ("#" `T.isPrefixOf` line)

type Line = (Int, Text)

-- | Each begins with a name in brackets; what stands before the first is one too,
-- without a name.
entries :: [Line] -> [[Line]]
entries = \case
  [] -> []
  first : rest -> case break (("[" `T.isPrefixOf`) . snd) rest of
    (mine, others) -> (first : mine) : entries others

entry :: [Line] -> Either Text Bug
entry = \case
  [] -> Left "an entry of no line"
  (number, heading) : rest -> either (Left . at number) Right $ do
    name <- named heading
    let (signed, said) = partition (isSign . snd) rest
        old = text '-' signed
        new = text '+' signed
        known = ["kind", "says", "file", "seen"]
    pairs <- mapM pair said
    forM_ (filter (`notElem` known) (map fst pairs)) $ \word ->
      Left ("'" <> word <> "' is none of " <> T.intercalate ", " known)
    let value key = case [v | (k, v) <- pairs, k == key] of
          [v] | not (T.null v) -> Right v
          _ -> Left ("expected one line '" <> key <> ":'")
    kind <- value "kind"
    says <- value "says"
    file <- value "file"
    (suite, pattern_) <- T.breakOn " " <$> value "seen"
    when (T.null (T.strip pattern_)) (Left "'seen:' expects a suite and a pattern")
    when (T.null old) (Left "expected a line '- ' with the text that is replaced")
    unless (any (("+" `T.isPrefixOf`) . snd) signed) (Left "expected a line '+ '")
    when (old == new) (Left "the new text is the old one")
    Right (Bug name kind says (T.unpack file) (Seen suite (T.strip pattern_)) old new)
  where
    at number what = "line " <> T.pack (show number) <> ": " <> what
    isSign line = any (`T.isPrefixOf` line) ["- ", "+ "] || line == "-" || line == "+"
    text sign ls =
      T.intercalate "\n" [T.drop 2 line | (_, line) <- ls, T.singleton sign `T.isPrefixOf` line]
    pair (number, line) = case T.breakOn ":" line of
      (_, "") -> Left (at number "expected a word and a colon, or a sign and a blank")
      (key, rest) -> Right (key, T.strip (T.drop 1 rest))

named :: Text -> Either Text Text
named line = case T.stripPrefix "[" line >>= T.stripSuffix "]" . T.stripEnd of
  Just name | not (T.null name), T.all allowed name -> Right name
  _ -> Left "expected a name in brackets, of small letters, digits and dashes"
  where
    allowed c = isAlphaNum c && (isLower c || c <= '9') || c == '-'
