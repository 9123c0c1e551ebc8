-- | Which room a module is in and what that room may depend on: the table of
-- @ARCHITECTURE.md@, which is the only place where this is said.
--
-- A row names its room by one or more patterns, and what the room may import
-- by more of them:
--
-- > | module or folder | may depend on |
-- > |---|---|
-- > | `Tern.Internal.Read` | `Tern.Error`, `Tern.Prim.*` |
--
-- A pattern is a module's name, a name with @.*@ for all modules below it, or a
-- folder's path with a slash at its end. A module belongs to the row with the
-- pattern that is closest to it: its own name, else the longest folder, else the
-- longest @.*@.
module Tern.House.Rules
  ( -- * The table
    Room (..),
    Pattern (..),
    parseTable,

    -- * Using it
    matches,
    roomOf,
    allowed,
  )
where

import Data.List (isPrefixOf, isSuffixOf, stripPrefix)
import Data.List qualified as List
import Data.Maybe (listToMaybe)
import Data.Ord (Down (..), comparing)
import Tern.House.Source (Module (..))

-- | One row.
data Room = Room
  { roomPatterns :: [Pattern],
    mayDependOn :: [Pattern]
  }
  deriving stock (Eq, Show)

-- | Which modules are meant: the one of a name; those below a name; or those in a folder, whose
-- path has a slash at its end.
data Pattern
  = Exactly String
  | Below String
  | Folder FilePath
  deriving stock (Eq, Ord, Show)

-- | The rows of the first table whose head begins with @module or folder@.
parseTable :: String -> [Room]
parseTable text =
  [ Room (patterns room) (patterns dependencies)
    | room : dependencies : _ <- map cells (takeWhile ("|" `isPrefixOf`) rows)
  ]
  where
    rows = drop 2 (dropWhile (not . ("| module or folder" `isPrefixOf`)) (lines text))
    cells = splitOn '|' . drop 1
    patterns cell =
      [parsePattern word | (True, word) <- zip (cycle [False, True]) (splitOn '`' cell)]

parsePattern :: String -> Pattern
parsePattern word
  | "/" `isSuffixOf` word = Folder word
  | Just stem <- stripSuffix ".*" word = Below stem
  | otherwise = Exactly word

stripSuffix :: String -> String -> Maybe String
stripSuffix suffix word = reverse <$> stripPrefix (reverse suffix) (reverse word)

splitOn :: Char -> String -> [String]
splitOn c text = case break (== c) text of
  (before, _ : after) -> before : splitOn c after
  (before, []) -> [before]

-- * Using it

-- | Is a module meant by a pattern? None is below its own name.
matches :: Module -> Pattern -> Bool
matches Module {moduleName, modulePath} = \case
  Exactly name -> moduleName == name
  Below stem -> (stem <> ".") `isPrefixOf` moduleName
  Folder path -> path `isPrefixOf` modulePath

-- | The row that a module belongs to.
roomOf :: [Room] -> Module -> Maybe Room
roomOf rooms m =
  fmap snd . listToMaybe . List.sortBy (comparing (Down . fst)) $
    [(weight glob, room) | room <- rooms, glob <- roomPatterns room, matches m glob]
  where
    -- A folder is closer than a name above: the tests of Tern.Json are named
    -- like the modules that they test.
    weight = \case
      Exactly name -> (2 :: Int, length name)
      Folder path -> (1, length path)
      Below stem -> (0, length stem)

-- | Whether a module of the room may import the other module.
allowed :: Room -> Module -> Bool
allowed Room {..} other = any (matches other) (roomPatterns <> mayDependOn)
