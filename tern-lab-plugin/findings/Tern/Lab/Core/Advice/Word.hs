{-# LANGUAGE OverloadedStrings #-}

-- | Names, lists and numbers in sentences.
--
-- Its one idea: a reader is told names that stand in the source.
--
-- Start at 'short'.
module Tern.Lab.Core.Advice.Word
  ( short,
    partOf,
    isInstance,
    isLength,
    isLoopOfLibrary,
    qualifierOf,
    list,
    number,
    counted,
    objectName,
  )
where

import Data.Char (isDigit)
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Facts
  ( HeapObject (..),
  )
import Tern.Lab.Core.Index (sourceName)

-- | What one of them is called. A constructor has its own name.
objectName :: HeapObject -> Text
objectName = \case
  Thunk -> "thunk"
  Closure -> "closure"
  BoxedNumber constructor -> T.concat ["boxed number (", constructor, ")"]
  Constructor constructor -> constructor
  Partial -> "partial application"

-- | The number before the name, which gets an s where the number is not 1.
counted :: Int -> Text -> Text
counted n name
  | n == 1 = "1 " <> name
  | "boxed number" `T.isPrefixOf` name = T.concat [number n, " boxed numbers", T.drop 12 name]
  | otherwise = T.concat [number n, " ", name, "s"]

-- | A part by its own name, and what it is a part of.
partOf :: Text -> Text -> Text
partOf written callee
  | short written == short callee = callee
  | otherwise =
      T.concat
        [ fromMaybe
            (short callee)
            (T.stripPrefix (short written <> "_") (short callee)),
          " of ",
          written
        ]

-- | Is it what GHC makes for an instance, a name that begins with @$f@? Its module is left aside.
isInstance :: Text -> Bool
isInstance name = "$f" `T.isPrefixOf` short name

-- | The module alone.
qualifierOf :: Text -> Text
qualifierOf = T.dropWhileEnd (== '.') . fst . T.breakOnEnd "."

-- | Without the module.
short :: Text -> Text
short name = sourceName $ case T.breakOnEnd "." name of
  (_, rest) | not (T.null rest) -> rest
  _ -> name

-- | Names in a sentence: with commas, and @and@ before the last; empty for none.
list :: [Text] -> Text
list names = case reverse names of
  [] -> ""
  [name] -> name
  name : rest -> T.concat [T.intercalate ", " (reverse rest), " and ", name]

-- | In decimal digits, without marks between them.
number :: Int -> Text
number = T.pack . show

-- | What GHC calls a loop that it found in what was inlined: nobody has written that name.
isLoopOfLibrary :: Text -> Bool
isLoopOfLibrary name =
  T.dropWhileEnd isDigit (fromMaybe name (T.stripPrefix "poly_" name)) == "go"
    && name /= "go"

-- | What base has @length@ of a list become.
isLength :: Text -> Bool
isLength name = short name == "lenAcc"
