{-# LANGUAGE OverloadedStrings #-}

-- | An export list for a module that has none.
--
-- Its one idea: all that the module has stands at the left of its lines; the list has that, but
-- for the functions that nobody else uses.
--
-- Start at 'exportList'.
module Tern.Lab.Core.Cure.Export (exportList) where

import Data.Char (isUpper)
import Data.List (isPrefixOf, nub, tails)
import Data.Maybe (listToMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Cure.Change (Cure (..), isVariable)
import Tern.Lab.Core.Edit (Source (..), afterToken)
import Tern.Lab.Core.Token (Token (..), TokenSort (..))

-- | A list of all that the module has but some functions.
exportList :: Source -> [Text] -> Maybe Cure
exportList source names = do
  let tokens = sourceTokens source
      header = takeWhile ((/= "where") . tokenText) tokens
  _ <- listToMaybe [() | t <- take 1 tokens, tokenText t == "module"]
  if "(" `elem` map tokenText header || null exported
    then Nothing
    else do
      end <- listToMaybe (reverse header)
      pure
        ( Cure
            "an export list"
            [afterToken source (T.concat [" (", T.intercalate ", " exported, ")"]) end]
        )
  where
    exported =
      nub
        ( [ text t
            | declaration <- signatures (sourceTokens source),
              t <- declaration,
              tokenText t `notElem` names
          ]
            <> [ tokenText t <> "(..)"
                 | a : rest <- tails (sourceTokens source),
                   tokenFirst a,
                   tokenColumn a == 1,
                   tokenText a `elem` ["data", "newtype", "class"],
                   t <- take 1 (headOf rest)
               ]
            <> [ tokenText t
                 | a : t : _ <- tails (sourceTokens source),
                   tokenFirst a,
                   tokenColumn a == 1,
                   tokenText a == "type",
                   maybe False (isUpper . fst) (T.uncons (tokenText t))
               ]
        )
    text t =
      if isVariable t || "_" `isPrefixOf` T.unpack (tokenText t)
        then tokenText t
        else T.concat ["(", tokenText t, ")"]
    -- After the context, if there is one.
    headOf rest =
      let own = takeWhile (\t -> not (tokenFirst t && tokenColumn t == 1)) rest
          after = case break
            ((== "=>") . tokenText)
            ( takeWhile
                ((`notElem` ["=", "where", "|"]) . tokenText)
                own
            ) of
            (_, _ : later) -> later
            (all', []) -> all'
       in filter (maybe False (isUpper . fst) . T.uncons . tokenText) after
    signatures tokens =
      [ [u | u <- t : takeWhile ((/= "::") . tokenText) rest, tokenSort u == Named]
        | t : rest <- tails tokens,
          tokenFirst t,
          tokenColumn t == 1,
          isVariable t || tokenText t == "(",
          tokenText t
            `notElem` [ "import",
                        "module",
                        "instance",
                        "infixl",
                        "infixr",
                        "infix",
                        "deriving",
                        "type",
                        "data",
                        "newtype",
                        "class",
                        "default",
                        "foreign"
                      ],
          take 1 (map tokenText (dropWhile ((`notElem` ["::", "=", "|"]) . tokenText) rest))
            == ["::"]
      ]
