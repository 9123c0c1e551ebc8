{-# LANGUAGE OverloadedStrings #-}

-- | What stands in the compiled code where a library's function was called.
--
-- Its one idea: many functions of libraries are a line that calls another. GHC inlines the line,
-- so that the other one is what is seen, and counted.
--
-- Start at 'standsFor'.
module Tern.Lab.Core.Library.Inlined
  ( standsFor,
    isParser,
  )
where

import Data.Char (isDigit)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T

-- | The function itself, and those that it may have become.
--
-- >>> standsFor "nub"
-- ["nub","nubBy"]
standsFor :: Text -> [Text]
standsFor name = name : Map.findWithDefault [] name lines'

lines' :: Map Text [Text]
lines' =
  Map.fromList
    [ ("append", ["<>", "mappend"]),
      ("<>", ["append", "mappend"]),
      ("mappend", ["append", "<>"]),
      ("length", ["lenAcc"]),
      ("nub", ["nubBy"]),
      ("sort", ["sortBy"]),
      ("sortOn", ["sortBy"]),
      ("notElem", ["elem"]),
      ("reverse", ["reverse1"]),
      -- A Put is a builder.
      ("runPut", ["toLazyByteString", "runPutLazy"]),
      ("runPutLazy", ["toLazyByteString"]),
      -- Attoparsec's, at its own parsers.
      ("manyTill", ["manyTill1", "manyTill2"]),
      -- The parser that every instance of Read is.
      ("read", ["run"]),
      ("readMaybe", ["run"]),
      -- Of maps by numbers.
      ("insertWith", ["insertWithKey"]),
      ("adjust", ["adjustWithKey"]),
      ("unionWith", ["unionWithKey"]),
      ("unionsWith", ["unionWith", "unionWithKey"]),
      ("fromListWith", ["fromListWithKey", "insertWith", "insertWithKey"]),
      ("fromListWithKey", ["insertWithKey"])
    ]

-- | Is it what GHC made of a library's parser of characters?
--
-- >>> map isParser ["char1", "satisfy", "chart"]
-- [True,True,False]
isParser :: Text -> Bool
isParser name = T.dropWhileEnd isDigit name `elem` parsers
  where
    parsers =
      T.words
        "satisfy char string oneOf noneOf anyChar anyToken space spaces newline endOfLine \
        \notFollowedBy lookAhead try"
