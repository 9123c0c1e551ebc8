{-# LANGUAGE OverloadedStrings #-}

-- | What makes arguments values before a call, and results before they are given.
--
-- Its one idea: an argument that stands in brackets is a computation, and @$!@ before it is
-- where it is done.
--
-- Start at 'evaluatedArguments'.
module Tern.Lab.Core.Cure.Call
  ( evaluatedArguments,
    evaluatedResults,
  )
where

import Data.Char (isAlphaNum)
import Data.List (nub, tails)
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Cure.Change (Cure (..))
import Tern.Lab.Core.Edit (Edit, Source (..), afterToken, beforeToken, instead)
import Tern.Lab.Core.Token (Token (..), TokenSort (..), atomsOf, definitionsOf)

-- | Where these functions are called in the region, which is the definition of the others: there
-- they may be parameters, and are no calls.
evaluatedArguments :: Source -> [Token] -> [Text] -> [Text] -> [Cure]
evaluatedArguments source region definitions functions =
  [ Cure
      (T.concat ["$! before the arguments of ", T.intercalate ", " (nub (map fst found))])
      (concatMap snd found)
    | not (null found)
  ]
  where
    found =
      [ (tokenText t, edits)
        | t : rest <- tails region,
          tokenText t `elem` functions,
          tokenOffset t `notElem` parameters,
          edits@(_ : _) <- [applied t (arguments t rest)]
      ]
    parameters =
      [tokenOffset t | name <- definitions, equation <- definitionsOf name region, t <- equation]
    applied t atoms
      | any waits atoms = map (const (beforeToken source "(" t)) atoms <> concatMap one atoms
      | otherwise = []
    one :: [Token] -> [Edit]
    one atom = case (atom, reverse atom) of
      (start : _, end : _) ->
        [beforeToken source "$! " start | waits atom] <> [afterToken source ")" end]
      _ -> []
    waits atom = case atom of
      start : _ : _ -> tokenText start == "("
      _ -> False

-- | What stands behind a function, as long as it is an argument.
arguments :: Token -> [Token] -> [[Token]]
arguments t rest = takeWhile isArgument (atomsOf (takeWhile goesOn rest))
  where
    goesOn u = not (tokenFirst u && tokenColumn u <= tokenColumn t)
    isArgument atom = case atom of
      [u] -> case tokenSort u of
        Literal -> True
        Named -> T.all isLetter' (tokenText u) && not (isWord u)
        Punctuation -> False
      u : _ -> tokenText u `elem` ["(", "["]
      [] -> False
    isLetter' c = isAlphaNum c || c `elem` ("_'" :: String)
    isWord u = tokenText u `elem` ["then", "else", "of", "where", "in", "let", "do", "case", "if"]

-- | @return x@ becomes @return $! x@, wherever a statement or a branch begins by it.
evaluatedResults :: Source -> [Token] -> [Cure]
evaluatedResults source region =
  [Cure "return $! in place of return" edits | not (null edits)]
  where
    edits = concatMap one (zip (Nothing : map Just region) (tails region))
    one (before, here) = case here of
      t : next : _
        | tokenText t `elem` ["return", "pure"],
          begins before t,
          tokenText next /= "$!" ->
            if tokenText next == "$"
              then [instead source "$!" next]
              else [afterToken source " $!" t]
      _ -> []
    begins before t =
      tokenFirst t
        || maybe True (\b -> tokenText b `elem` ["do", "then", "else", "->", "=", ";", "{"]) before
