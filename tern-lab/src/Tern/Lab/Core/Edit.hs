{-# LANGUAGE OverloadedStrings #-}

-- | Small changes of Haskell sources.
--
-- Its one idea: an edit is a place in a file, how many characters go there, and
-- what comes in their stead, so that several can be made at once and nothing else
-- of the file moves. What is not sure to be right is for the compiler to say.
--
-- Start at 'edited'.
module Tern.Lab.Core.Edit
  ( Edit (..),
    edited,

    -- * On a file of these tokens
    Source (..),
    sourceOf,
    beforeToken,
    afterToken,
    instead,

    -- * Headers
    headerPragma,
    importAlso,
    importLine,
    importInstead,

    -- * Pragmas
    pragmaAtEnd,
    withoutPragma,
  )
where

import Data.List (find, sortOn)
import Data.Ord (Down (..))
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Token (Token (..), lexemesOf, tokenEnd, tokenFull)

-- | Some characters of a file, and the text that comes in their stead. Edits of one file are all
-- counted in the file as it was, and do not overlap.
data Edit = Edit
  { editFile :: !FilePath,
    -- | How many characters of the file stand before it.
    editOffset :: !Int,
    -- | How many characters go.
    editLength :: !Int,
    editText :: !Text
  }
  deriving stock (Eq, Ord, Show)

-- | A file's text after its edits; of those at one place the first comes first.
--
-- >>> edited [Edit "A.hs" 2 0 "!", Edit "A.hs" 6 1 "y"] "f a = x"
-- "f !a = y"
edited :: [Edit] -> Text -> Text
edited edits text = foldl one text (sortOn (Down . editOffset) (reverse edits))
  where
    one t e =
      let (before, after) = T.splitAt (editOffset e) t
       in T.concat [before, editText e, T.drop (editLength e) after]

-- | A file with what stands in it.
data Source = Source
  { sourceFile :: !FilePath,
    sourceText :: !Text,
    sourceTokens :: ![Token]
  }

-- | A file of this name with this text. Nothing is read from the disk.
sourceOf :: FilePath -> Text -> Source
sourceOf file text = Source file text (lexemesOf text)

-- | Puts a text right before a token, and before the module that it is qualified by.
beforeToken :: Source -> Text -> Token -> Edit
beforeToken source text t = Edit (sourceFile source) (tokenOffset t) 0 text

-- | Puts a text right after the last character of a token.
afterToken :: Source -> Text -> Token -> Edit
afterToken source text t = Edit (sourceFile source) (tokenEnd t) 0 text

-- | Another name, of the same module.
instead :: Source -> Text -> Token -> Edit
instead source text t =
  Edit
    (sourceFile source)
    (tokenOffset t + T.length (tokenModule t))
    (T.length (tokenText t))
    text

-- * Headers

-- | A pragma before the module begins, after those that are there.
headerPragma :: Text -> Source -> Edit
headerPragma pragma source =
  Edit
    (sourceFile source)
    (case sourceTokens source of t : _ -> tokenOffset t; [] -> 0)
    0
    (T.concat ["{-# ", pragma, " #-}\n"])

-- | The import declarations, each with all of its tokens.
imports :: Source -> [[Token]]
imports = go . sourceTokens
  where
    go tokens = case dropWhile (not . begins) tokens of
      t : rest ->
        let (own, others) = break (\u -> tokenFirst u && tokenColumn u <= tokenColumn t) rest
         in (t : own) : go others
      [] -> []
    begins t = tokenFirst t && tokenText t == "import"

-- | Wherever the first name stands in a list of imports, the second too.
importAlso :: Text -> Text -> Source -> [Edit]
importAlso old new source =
  [ beforeToken source (new <> ", ") t
    | declaration <- imports source,
      let listed = dropWhile ((/= "(") . tokenText) declaration,
      all ((/= new) . tokenText) listed,
      "hiding" `notElem` map tokenText declaration,
      Just t <- [find ((== old) . tokenText) listed]
  ]

-- | A further import before the first, or where the first would stand.
importLine :: Text -> Source -> [Edit]
importLine line source = case imports source of
  (t : _) : _ -> [beforeToken source (line <> "\n") t]
  _ -> case sourceTokens source of
    t : rest
      | tokenText t == "module",
        end : _ <- dropWhile ((/= "where") . tokenText) rest ->
          [afterToken source ("\n" <> line) end]
      | otherwise -> [beforeToken source (line <> "\n") t]
    [] -> []

-- | One module imported in place of another, by the name that it had.
importInstead :: [(Text, Text)] -> Source -> [Edit]
importInstead others source =
  concat
    [ Edit (sourceFile source) (tokenOffset t) (T.length (tokenFull t)) new
        : [ afterToken source (" as " <> tokenFull t) (qualifiedBy t rest)
            | all ((/= "as") . tokenText) rest
          ]
      | declaration <- imports source,
        t : rest <- [dropWhile ((`elem` ["import", "qualified", "safe"]) . tokenText) declaration],
        Just new <- [lookup (tokenFull t) others]
    ]
  where
    qualifiedBy t = \case
      q : _ | tokenText q == "qualified" -> q
      _ -> t

-- * Pragmas

-- | A pragma about a function of the module's own.
pragmaAtEnd :: Text -> Source -> Edit
pragmaAtEnd pragma source =
  Edit
    (sourceFile source)
    (T.length (sourceText source))
    0
    (T.concat ["\n{-# ", pragma, " #-}\n"])

-- | Without the pragmas of this name about a function.
withoutPragma :: Text -> Text -> Source -> [Edit]
withoutPragma pragma name source = go 0 (sourceText source)
  where
    go offset text = case T.breakOn "{-#" text of
      (_, "") -> []
      (before, from) ->
        let (inside, end) = T.breakOn "#-}" from
            start = offset + T.length before
            n = T.length inside + min 3 (T.length end)
         in [ Edit (sourceFile source) start n ""
              | word : named <- [T.words (T.drop 3 inside)],
                T.toUpper word == pragma,
                name `elem` named
            ]
              <> go (start + n) (T.drop n from)
