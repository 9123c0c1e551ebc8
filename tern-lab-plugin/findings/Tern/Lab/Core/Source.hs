{-# LANGUAGE OverloadedStrings #-}

-- | Where in the source a finding's call stands.
--
-- Its one idea: the compiled code knows where a function begins, not where it
-- calls; to ask GHC for more changes the code. So the call is looked up in the
-- text: the first time that its name stands in the function's own lines, after
-- the parameters. A name that does not stand there came by inlining: if one other function of the
-- file has it, from there, and else the function's place is the best that there is.
--
-- Start at 'pinned'.
module Tern.Lab.Core.Source
  ( pinned,
    pinnedApart,
    settled,
    hasOwnLines,
    lastName,
  )
where

import Data.Char (isUpper)
import Data.List (find, isSuffixOf, sortOn, tails)
import Data.Maybe (fromMaybe, listToMaybe)
import Data.Ord (Down (..))
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Facts (Place (..), Round (..), WhyBoxed (..))
import Tern.Lab.Core.Finding (Finding (..), FindingKind (..))
import Tern.Lab.Core.Generator (inputEndings)
import Tern.Lab.Core.Index (sourceName)
import Tern.Lab.Core.Library (Cost (..))
import Tern.Lab.Core.Token (Token (..), equationsAt, tokensOf)

-- | A finding at the place of its call, given the text of its file.
pinned :: Text -> Finding -> Finding
pinned = pinnedBut (const True)

-- | Findings, each with the text of its file, where that is known: those of one kind in functions
-- of which one stands in another are of different calls, so that the inner ones choose first.
pinnedApart :: [(Maybe Text, Finding)] -> [Finding]
pinnedApart every =
  map snd . sortOn fst $
    go Set.empty (sortOn (Down . findingPlace . snd . snd) (zip [0 :: Int ..] every))
  where
    go _ [] = []
    go taken ((i, (text, f)) : rest) =
      let isFree place = Set.notMember (findingKind f, place) taken
          f' = maybe f (\t -> pinnedBut isFree t f) text
          taken' = maybe taken (\p -> Set.insert (findingKind f, p) taken) (findingPlace f')
       in (i, f') : go taken' rest

-- | At the first call whose place will do, or else the first of all.
pinnedBut :: (Place -> Bool) -> Text -> Finding -> Finding
pinnedBut isFree text found = case findingPlace f of
  Just place
    | calls@(first : _) <- map (`at` place) (ownCalls tokens f place) ->
        f {findingPlace = Just (fromMaybe first (find isFree calls))}
    | GrowingAccumulator loop _ Evaluating <- findingKind f,
      T.null loop,
      Just name <- findingIn f,
      Just token <- onlyOne name tokens ->
        f {findingPlace = Just (at token place)}
  _ -> f
  where
    f = settled text found
    tokens = tokensOf text

-- | A finding with the function that has its call, given the text of its file: one that is used
-- once is a part of its user before anybody looks.
settled :: Text -> Finding -> Finding
settled text f = case findingPlace f of
  Just place
    | CallsLibrary callee cost <- findingKind f,
      -- It is about the function itself, and no call of it.
      cost /= GivesFields,
      Nothing <- findingIn f,
      [] <- ownCalls tokens f place,
      Just caller <- onlyCaller (lastName callee) tokens ->
        f {findingIn = Just (tokenText caller), findingPlace = Just (at caller place)}
  _ -> f
  where
    tokens = tokensOf text

at :: Token -> Place -> Place
at token place = place {placeLine = tokenLine token, placeColumn = tokenColumn token}

-- | Where a function's own lines have what is called, given where it begins.
ownCalls :: [Token] -> Finding -> Place -> [Token]
ownCalls tokens f place =
  if null lazily then calls else lazily
  where
    lazily = [t | (t, next) <- called, next /= "$!"]
    calls = map fst called
    -- What is evaluated there is another call than that of which something waits.
    called =
      [ (t, maybe T.empty tokenText (listToMaybe after))
        | t : after <- concatMap (tails . bodyOf) (equationsAt place tokens),
          isCalled t
      ]
    isCalled = (`elem` calledNames (findingKind f)) . tokenText

-- | Where a loop begins whose own place was lost on the way: if one function of the file has its
-- name, and no other.
onlyOne :: Text -> [Token] -> Maybe Token
onlyOne name tokens = case filter (\t -> tokenFirst t && tokenText t == name) tokens of
  heads@(first : _)
    | length (equationsAt (Place T.empty (tokenLine first) (tokenColumn first)) tokens)
        == length heads ->
        Just first
  _ -> Nothing

-- | The function at the top of a file that calls another: if one does, and no other.
onlyCaller :: Text -> [Token] -> Maybe Token
onlyCaller name tokens =
  case [ head'
         | declaration@(head' : next : _) <- declarations tokens,
           tokenText head' `notElem` notFunctions,
           tokenText next /= "::",
           name `elem` map tokenText (bodyOf declaration)
       ] of
    caller : others | all ((== tokenText caller) . tokenText) others -> Just caller
    _ -> Nothing
  where
    notFunctions =
      T.words
        "module import data type newtype class instance deriving infix infixl infixr foreign \
        \default"

-- | What begins at the margin, with what is indented below it.
declarations :: [Token] -> [[Token]]
declarations tokens = case tokens of
  [] -> []
  t : rest ->
    let (inside, others) = break (\u -> tokenFirst u && tokenColumn u == 1) rest
     in (t : inside) : declarations others

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
  AppendsNothing -> ["++"]
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
