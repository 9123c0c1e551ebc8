{-# LANGUAGE OverloadedStrings #-}

-- | Where in the source a finding's call stands.
--
-- Its one idea: the compiled code knows where a function begins, not where it
-- calls; to ask GHC for more changes the code. So the call is looked up in the
-- text: the first time that its name stands in the function's own lines, after
-- the parameters. A name that does not stand there came by inlining, and the
-- function's place is the best that there is.
--
-- Start at 'pinned'.
module Tern.Lab.Core.Source
  ( pinned,
    hasOwnLines,
    lastName,
  )
where

import Data.Char (isUpper)
import Data.List (find, isSuffixOf)
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Facts (Place (..), Round (..), WhyBoxed (..))
import Tern.Lab.Core.Finding (Finding (..), FindingKind (..))
import Tern.Lab.Core.Generator (inputEndings)
import Tern.Lab.Core.Index (sourceName)
import Tern.Lab.Core.Token (Token (..), equationsAt, tokensOf)

-- | A finding at the place of its call, given the text of its file.
pinned :: Text -> Finding -> Finding
pinned text f = case findingPlace f of
  Just place
    | names@(_ : _) <- calledNames (findingKind f),
      Just token <-
        find ((`elem` names) . tokenText) (concatMap bodyOf (equationsAt place (tokensOf text))) ->
        f {findingPlace = Just (at token place)}
    | GrowingAccumulator loop _ Evaluating <- findingKind f,
      T.null loop,
      Just name <- findingIn f,
      Just token <- onlyOne name (tokensOf text) ->
        f {findingPlace = Just (at token place)}
  _ -> f
  where
    at token place = place {placeLine = tokenLine token, placeColumn = tokenColumn token}

-- | Where a loop begins whose own place was lost on the way: if one function of the file has its
-- name, and no other.
onlyOne :: Text -> [Token] -> Maybe Token
onlyOne name tokens = case filter (\t -> tokenFirst t && tokenText t == name) tokens of
  heads@(first : _)
    | length (equationsAt (Place T.empty (tokenLine first) (tokenColumn first)) tokens)
        == length heads ->
        Just first
  _ -> Nothing

-- | Are the lines of a file those that places speak of? What a preprocessor makes of others has
-- lines of its own.
hasOwnLines :: FilePath -> Bool
hasOwnLines file = any (`isSuffixOf` file) (".hs" : map (T.unpack . fst) inputEndings)

-- | An equation after its parameters.
bodyOf :: [Token] -> [Token]
bodyOf = drop 1 . dropWhile ((`notElem` ["=", "|", "where", "->"]) . tokenText)

-- | What the source calls what is called.
calledNames :: FindingKind -> [Text]
calledNames = \case
  NotUnrolled callee _ -> [lastName callee]
  NotInlined callee _ -> [lastName callee]
  NotSpecialised callee _ _ written _ -> [lastName written, lastName callee]
  PassesInstances callee _ -> [lastName callee]
  UnknownInstance _ methods -> methods
  OverloadedBelow _ names -> map lastName names
  OverloadedTogether names _ -> map lastName names
  UnknownCalls calls _ -> map fst calls
  GrowingAccumulator loop _ _ -> [lastName loop]
  AppendsLeft -> ["++"]
  AppendsRecursively _ -> ["++"]
  ArityTooLow {} -> []
  LoopAllocates _ -> []
  GenericRepresentation _ -> []
  NoExportList _ -> []
  StoresLazily _ ->
    [ "modifyIORef",
      "modifySTRef",
      "modifyTVar",
      "modifyMVar_",
      "writeIORef",
      "writeSTRef",
      "writeTVar",
      "putMVar"
    ]
  CallsLibrary callee _ -> [lastName callee]
  CarriesConstructor loop _ _ -> [lastName loop]
  WaitsForResult loop -> [lastName loop]
  KeepsBoxed loop _ _ -> [lastName loop]
  GivesBoxed _ why -> case why of
    GivenUnknown f -> [f]
    GivenBy f -> [lastName f]
    GivenBack v -> [v]
    LazilyUsed -> []
    HandedOn -> []
  LosesJump name _ -> [name]
  GivesWaiting _ _ -> ["return", "pure"]

-- | Without modules; an operator keeps its dots.
lastName :: Text -> Text
lastName name = case T.break (== '.') name of
  (part, rest)
    | T.length rest > 1,
      maybe False (isUpper . fst) (T.uncons part) ->
        lastName (T.drop 1 rest)
  _ -> sourceName name
