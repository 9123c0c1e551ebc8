{-# LANGUAGE OverloadedStrings #-}

-- | What makes values where computations were kept.
--
-- Its one idea: a bang, a strict field or a strict function stands where the lexemes of the
-- source say that a parameter, a field or a call begins.
--
-- Start at 'strictParameters'.
module Tern.Lab.Core.Cure.Strict
  ( strictRecords,

    -- * Bangs
    strictParameters,
    strictLoop,
    strictPatterns,
    strictFolds,
    renamed,

    -- * Fields
    strictFields,

    -- * Cells and states
    strictStores,
  )
where

import Data.Char (isUpper)
import Data.List (find, nub, tails)
import Data.Map.Strict qualified as Map
import Data.Maybe (mapMaybe)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Cure.Change (Cure (..), Sources, isVariable)
import Tern.Lab.Core.Edit
  ( Edit (..),
    Source (..),
    afterToken,
    beforeToken,
    headerPragma,
    importAlso,
    importLine,
    instead,
  )
import Tern.Lab.Core.Facts (Place (..))
import Tern.Lab.Core.Token (Token (..), TokenSort (..), atomsOf, definitionsOf, regionAt)

-- | The record is evaluated, and its fields are strict; then each alone.
strictRecords :: [Cure] -> [Cure] -> [Cure]
strictRecords stores fields =
  [ Cure (T.concat [cureWords a, " and ", cureWords b]) (cureEdits a <> cureEdits b)
    | a <- take 1 stores,
      b <- take 1 fields
  ]
    <> fields
    <> stores

-- * Bangs

bangs :: Source -> Text -> [Edit] -> [Cure]
bangs source what edits =
  [Cure what (headerPragma "LANGUAGE BangPatterns" source : edits) | not (null edits)]

-- | Bangs before parameters of a loop by their names: where the whole parameter
-- has the name, in the equations that decide ('deciding'); in a pattern, where it stands. Where
-- GHC made the names, before all that its patterns bind.
strictParameters :: Source -> [Token] -> Text -> [Text] -> [Cure]
strictParameters source region loop parameters =
  bangs
    source
    (T.concat ["a bang before ", T.intercalate ", " parameters, " in ", loop])
    (nub (concatMap one parameters))
    <> bangs
      source
      (T.concat ["bangs in the patterns of ", loop])
      (map (beforeToken source "!") (concatMap insidePatterns equations))
    <> strictLoop source region loop
  where
    equations = case definitionsOf loop region of
      [] -> definitionsOf loop (sourceTokens source)
      found -> found
    one name =
      concat
        [ case atom of
            [_] ->
              map (bang source) (deciding i (map atomsOf equations))
            _ -> map (beforeToken source "!") (occurrences name atom)
          | equation <- equations,
            (i, atom) <- zip [0 :: Int ..] (atomsOf equation),
            any ((== name) . tokenText) atom
        ]
    occurrences name atom = [t | t <- lazyNames atom, tokenText t == name]

-- | After the sign of a lambda it would be a part of that.
bang :: Source -> Token -> Edit
bang source t
  | T.isSuffixOf "\\" (T.take (tokenOffset t) (sourceText source)) = beforeToken source " !" t
  | otherwise = beforeToken source "!" t

-- | Where the parameter of this number is a name without a bang, in all equations that must have
-- one so that every call evaluates it. They are tried in order, and each from the left: whoever
-- comes to an equation in which no pattern before it can fail has evaluated it there.
deciding :: Int -> [[[Token]]] -> [Token]
deciding i equations =
  [t | atoms <- tried, [t] <- take 1 (drop i atoms), isName t]
  where
    tried = case break (all cannotFail . take i) equations of
      (before, decides : _) -> before <> [decides]
      (before, []) -> before
    cannotFail = \case
      [t] -> isName t
      [sign, t] -> tokenText sign `elem` ["!", "~"] && isName t
      sign : _ -> tokenText sign == "~"
      [] -> True

isName :: Token -> Bool
isName t = isVariable t || "_" `T.isPrefixOf` tokenText t

-- | The names in patterns, as in @(a, b)@, that have no bang yet.
insidePatterns :: [Token] -> [Token]
insidePatterns parameters =
  [ t
    | atom@(_ : _ : _) <- atomsOf parameters,
      -- The elements of a list are others' affair.
      ":" `notElem` map tokenText atom,
      t <- lazyNames atom
  ]

-- | The variables that a pattern binds, without a sign before them. The field of a record is
-- none, and cannot have a bang; neither can what stands before the arrow of a view pattern.
lazyNames :: [Token] -> [Token]
lazyNames atom = go [] Nothing (viewed atom)
  where
    go _ _ [] = []
    go open before (t : rest)
      | tokenText t `elem` ["(", "[", "{"] = go (tokenText t : open) (Just t) rest
      | tokenText t `elem` [")", "]", "}"] = go (drop 1 open) (Just t) rest
      | isVariable t, binds open before, notStrict before = t : go open (Just t) rest
      | otherwise = go open (Just t) rest
    binds open before = take 1 open /= ["{"] || fmap tokenText before == Just "="
    notStrict = maybe True ((`notElem` ["!", "~"]) . tokenText)
    viewed tokens = case break ((== "->") . tokenText) tokens of
      (_, _ : after) -> viewed after
      _ -> tokens

-- | Bangs before all parameters of a loop that are names.
strictLoop :: Source -> [Token] -> Text -> [Cure]
strictLoop source region loop =
  bangs
    source
    (T.concat ["bangs before the parameters of ", loop])
    (map (bang source) (concat [deciding i equations | i <- named]))
  where
    equations = map atomsOf (definitionsOf loop region)
    -- Those that have a name in the first equation.
    named =
      [ i
        | first : _ <- [equations],
          (i, [t]) <- zip [0 ..] first,
          isName t
      ]

-- | Bangs in the pattern of the function that a call is given: a lambda that
-- stands there, or one of the file by its name.
strictPatterns :: Source -> [Token] -> Text -> [Cure]
strictPatterns source region callee =
  bangs
    source
    (T.concat ["bangs in the pattern of the function that ", callee, " is given"])
    (map (beforeToken source "!") (insidePatterns given))
    <> bangs
      source
      (T.concat ["bangs before what the function that ", callee, " is given takes"])
      [ Edit (sourceFile source) (tokenOffset t) 0 " !"
        | [t] <- atomsOf given,
          isVariable t
      ]
  where
    given = case [drop 1 rest | rest@(t : _) <- tails region, tokenText t == callee] of
      after : _
        | first : _ <- definitions (take 1 after) -> first
        | lambda : _ <-
            [ drop 1 rest
              | rest@(t : _) <- tails (take 16 after),
                "\\" `T.isPrefixOf` tokenText t
            ] ->
            upToArrow lambda
        | first : _ <- definitions (take 6 after) -> first
      _ -> []
    definitions tokens =
      [ parameters
        | t <- tokens,
          isVariable t,
          parameters : _ <- [definitionsOf (tokenText t) (sourceTokens source)]
      ]
    -- Up to the arrow, which may stand after the lexemes that were looked at.
    upToArrow = \case
      t : _ ->
        takeWhile ((/= "->") . tokenText) (dropWhile ((< tokenOffset t) . tokenOffset) region)
      [] -> []

-- | The strict fold in place of the lazy one.
strictFolds :: Source -> [Token] -> [Cure]
strictFolds source region =
  [ Cure
      "foldl' in place of foldl"
      (edits <> importAlso "foldl" "foldl'" source <> importLine "import Data.List (foldl')" source)
    | edits@(_ : _) <- [renamed source [("foldl", "foldl'")] (filter (T.null . tokenModule) region)]
  ]

-- | Another name for each token that has the first name of a pair. A module before it is not
-- looked at, and stays.
renamed :: Source -> [(Text, Text)] -> [Token] -> [Edit]
renamed source names tokens =
  [instead source new t | t <- tokens, Just new <- [lookup (tokenText t) names]]

-- * Fields

-- | Strict fields for the types of the program whose constructors or fields
-- stand in a function.
strictFields :: Sources -> Source -> [Token] -> [Cure]
strictFields sources source region =
  [ Cure (T.concat ["strict fields in ", T.intercalate ", " (map fst found)]) (concatMap snd found)
    | not (null found)
  ]
  where
    found =
      [ (name, edits)
        | s <- source : filter ((/= sourceFile source) . sourceFile) (Map.elems sources),
          (name, words', edits) <- declared s,
          not (null edits),
          any (`Set.member` words') mentioned
      ]
    mentioned = map tokenText (withSteps region)
    -- Functions that are given by name belong to it.
    withSteps tokens =
      tokens
        <> concat
          [ regionAt (Place "" (tokenLine t) (tokenColumn t)) (sourceTokens source)
            | name <- nub (map tokenText (filter isVariable tokens)),
              t <-
                take
                  1
                  [ u
                    | u <- sourceTokens source,
                      tokenText u == name,
                      tokenFirst u,
                      tokenColumn u == 1,
                      isEquation u
                  ]
          ]
    isEquation u =
      take 1 (map tokenText (dropWhile ((<= tokenOffset u) . tokenOffset) (sourceTokens source)))
        /= ["::"]

-- | The data types of a file: the name, constructors and fields, and what makes
-- the fields strict.
declared :: Source -> [(Text, Set.Set Text, [Edit])]
declared source = mapMaybe one (declarations (sourceTokens source))
  where
    declarations tokens = case dropWhile (not . begins) tokens of
      t : rest ->
        let (own, others) = break (\u -> tokenFirst u && tokenColumn u <= 1) rest
         in (t : own) : declarations others
      [] -> []
    begins t = tokenFirst t && tokenColumn t == 1 && tokenText t == "data"
    one declaration = do
      let (header, body) = break ((== "=") . tokenText) (drop 1 declaration)
      name <- find (maybe False (isUpper . fst) . T.uncons . tokenText) header
      let constructors =
            splitOn "|" (takeWhile ((/= "deriving") . tokenText) (drop 1 body))
      if null body
        then Nothing
        else
          pure
            ( tokenText
                name,
              Set.fromList (concatMap namesOf constructors),
              concatMap fields constructors
            )
    namesOf constructor =
      [tokenText t | t <- take 1 constructor]
        <> [ tokenText a
             | (a, b) <- zip constructor (drop 1 constructor),
               isVariable a,
               tokenText b `elem` ["::", ","],
               isRecord constructor
           ]
    isRecord = any ((== "{") . tokenText)
    fields constructor
      | isRecord constructor =
          concatMap field (splitFields (drop 1 (dropWhile ((/= "{") . tokenText) constructor)))
      | otherwise =
          [ beforeToken source "!" t
            | atom@(t : _) <- atomsOf (drop 1 constructor),
              tokenText t `notElem` ["!", "~"],
              not (null atom)
          ]
    -- The types, from after the sign to the next field.
    splitFields tokens = case dropWhile ((/= "::") . tokenText) tokens of
      _ : rest ->
        let (own, others) = untilEnd (0 :: Int) rest
         in own : splitFields others
      [] -> []
    untilEnd depth = \case
      t : rest
        | depth == 0, tokenText t `elem` [",", "}"] -> ([], rest)
        | tokenText t `elem` ["(", "["] -> add t (untilEnd (depth + 1) rest)
        | tokenText t `elem` [")", "]"] -> add t (untilEnd (depth - 1) rest)
        | otherwise -> add t (untilEnd depth rest)
      [] -> ([], [])
    add t (own, others) = (t : own, others)
    field tokens = case (tokens, reverse tokens) of
      (t : _, end : _)
        | tokenText t `elem` ["!", "~"] -> []
        | length tokens == 1 -> [beforeToken source "!" t]
        | otherwise -> [beforeToken source "!(" t, afterToken source ")" end]
      _ -> []

-- | At a sign outside of brackets.
splitOn :: Text -> [Token] -> [[Token]]
splitOn sign = go (0 :: Int) []
  where
    go _ own [] = [reverse own]
    go depth own (t : rest)
      | depth == 0, tokenText t == sign = reverse own : go depth [] rest
      | tokenText t `elem` ["(", "[", "{"] = go (depth + 1) (t : own) rest
      | tokenText t `elem` [")", "]", "}"] = go (depth - 1) (t : own) rest
      | otherwise = go depth (t : own) rest

-- * Cells and states

-- | Changes and stores of evaluated values.
strictStores :: Source -> [Token] -> [Cure]
strictStores source region =
  [ Cure
      ("the strict " <> T.intercalate ", " (nub (map fst changed)))
      ( concatMap snd changed
          <> concatMap
            (\n -> importAlso n (n <> "'") source)
            (nub (filter (`elem` primed) (map fst changed)))
      )
    | not (null changed)
  ]
  where
    changed = mapMaybe one (tails region)
    one = \case
      t : rest
        | tokenText t `elem` primed -> Just (tokenText t, [instead source (tokenText t <> "'") t])
        | Just n <- lookup (tokenText t) stores -> (,) (tokenText t) <$> stored t n rest
        | tokenText t == "modifyMVar_" -> (,) (tokenText t) <$> wrapped rest
      _ -> Nothing
    -- A value is forced after all other arguments of the call.
    stored t n rest = case splitAt (n - 1) (atomsOf (sameCall t rest)) of
      (before, (sign : _) : _)
        | length before == n - 1, tokenText sign == "$" -> Just [instead source "$!" sign]
        | length before == n - 1,
          tokenText sign == "$!" ->
            Nothing
      (before, value@(start : _) : _)
        | length before == n - 1,
          tokenSort start /= Named || isVariable start || tokenText start == "(",
          end : _ <- reverse value ->
            Just
              [ beforeToken source "(" t,
                beforeToken source "$! " start,
                afterToken source ")" end
              ]
      _ -> Nothing
    wrapped rest = case atomsOf rest of
      _ : function@(start : _) : _
        | tokenText start == "$" -> Just [afterToken source (" (" <> forcing <> ") $") start]
        | end : _ <- reverse function ->
            Just [beforeToken source ("((" <> forcing <> ") ") start, afterToken source ")" end]
      _ -> Nothing
    forcing = "\\f_ x_ -> f_ x_ >>= \\y_ -> y_ `seq` pure y_"
    sameCall t = takeWhile (\u -> not (tokenFirst u && tokenColumn u <= tokenColumn t))
    stores =
      [("put", 1), ("writeIORef", 2), ("writeSTRef", 2), ("writeTVar", 2), ("putMVar", 2)]
    primed = ["modifyIORef", "modifySTRef", "modifyTVar", "modify", "atomicModifyIORef"]
