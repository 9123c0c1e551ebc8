{-# LANGUAGE OverloadedStrings #-}

-- | Rows of marked text, each with those below it.
--
-- Its one idea: what a terminal indents a page folds; so a row says what its parts are, and
-- not how they look.
--
-- Start at 'Row'. "Tern.Lab.Core.Text" makes rows of Core.
module Tern.Lab.Core.Text.Row
  ( Row (..),
    Span (..),
    Role (..),

    -- * To make them
    noted,
    spaced,
    parameters,
    plain,
    keyword,
    typing,
    width,

    -- * For a terminal
    plainRows,
    colouredRows,
  )
where

import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Code (Binder (..))
import Tern.Lab.Core.Facts (Callee)

-- | A line, and those that stand below it, one step further in.
data Row = Row
  { rowSpans :: ![Span],
    rowBelow :: ![Row]
  }
  deriving stock (Eq, Show)

-- | A piece of a line: what it is, and its text.
data Span = Span !Role !Text
  deriving stock (Eq, Show)

-- | What a piece of a line is. How that looks is decided where it is shown.
data Role
  = Ordinary
  | Keyword
  | -- | Shown where the reader asks for types.
    Typing
  | -- | A function or value of a module.
    Called !Callee
  | -- | Something was found about it.
    Marked !(Maybe Callee) !Text
  | -- | What was found.
    Remark
  deriving stock (Eq, Show)

-- * To make them

-- | The remarks about the names in a row, at its end.
noted :: Row -> Row
noted (Row spans lower) =
  Row (spans <> [Span Remark text | text <- unique (concatMap about spans)]) lower
  where
    about = \case
      Span (Marked _ text) name -> [T.concat [name, ": ", text]]
      _ -> []
    unique = foldr (\x rest -> x : filter (/= x) rest) []

-- | Groups of spans in one line, with a blank between each two. After a group that is one type
-- the blank is left out with the types.
spaced :: [[Span]] -> [Span]
spaced =
  concat . foldr (\spans rest -> if null rest then [spans] else (spans <> [gap spans]) : rest) []
  where
    -- A type that is not shown leaves no gap.
    gap = \case
      [Span Typing _] -> typing " "
      _ -> plain " "

-- | Each as @(name :: type)@ with a blank after it. Without types the name and the blank are
-- left.
parameters :: [Binder] -> [Span]
parameters =
  concatMap
    ( \v ->
        [typing "(", plain (binderName v), typing (T.concat [" :: ", binderType v, ")"]), plain " "]
    )

-- | A span of the role 'Ordinary'. Blanks are part of its text: none are added where spans meet.
plain :: Text -> Span
plain = Span Ordinary

-- | The same of the role 'Keyword'.
keyword :: Text -> Span
keyword = Span Keyword

-- | The same of the role 'Typing', which is left out where types are not asked for.
typing :: Text -> Span
typing = Span Typing

-- | Without types and remarks.
width :: [Span] -> Int
width spans = sum [T.length text | Span role text <- spans, role /= Typing, role /= Remark]

-- * For a terminal

-- | With or without types.
plainRows :: Bool -> [Row] -> [Text]
plainRows = lined (const id)

-- | The same with ANSI colours.
colouredRows :: Bool -> [Row] -> [Text]
colouredRows = lined colour
  where
    colour = \case
      Ordinary -> id
      Called _ -> id
      Keyword -> around "34"
      Typing -> around "2"
      Marked _ _ -> around "1;33"
      Remark -> around "33"
    around code text = T.concat ["\ESC[", code, "m", text, "\ESC[0m"]

lined :: (Role -> Text -> Text) -> Bool -> [Row] -> [Text]
lined colour types = concatMap (go 0)
  where
    go :: Int -> Row -> [Text]
    go depth (Row spans lower)
      | not types, all hidden spans, null lower = []
      | otherwise = line depth spans : concatMap (go (depth + 1)) lower
    hidden (Span role _) = role == Typing
    line depth spans =
      T.stripEnd
        ( T.concat
            ( T.replicate depth "  "
                : [ colour role text
                    | Span role text <-
                        spans,
                      role /= Remark,
                      types || role /= Typing
                  ]
                  <> [ colour Remark ("  -- " <> T.intercalate "; " remarks)
                       | remarks@(_ : _) <-
                           [[text | Span Remark text <- spans]]
                     ]
            )
        )
