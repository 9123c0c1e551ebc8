{-# LANGUAGE OverloadedStrings #-}

-- | Findings for a terminal and for programs.
module Tern.Lab.Core.Report
  ( Wanted (..),
    Chosen (..),
    chosen,
    namesLike,
    Ranking (..),
    terminal,
    json,
    triedMembers,
  )
where

import Data.List (nub, partition, sortOn)
import Data.Maybe (fromMaybe, isJust)
import Data.Ord (Down (..))
import Data.Text (Text)
import Data.Text qualified as T
import Numeric (showFFloat)
import Tern.Lab.Core.Account (Entry (..), Post (..))
import Tern.Lab.Core.Advice (kindName, renderAdvice, renderWhat, renderWhy)
import Tern.Lab.Core.Facts (Binding (..), ModuleFacts (..), Place (..), Spot (..), unmarked)
import Tern.Lab.Core.Finding (Finding (..), Spent (..), worthShowing)
import Tern.Lab.Core.Index (ownerName, sourceName)
import Tern.Lab.Core.Tried
  ( Costs (..),
    Tried (..),
    helped,
    renderTried,
    savingOf,
    wasInVain,
  )
import Tern.Lab.Document (Value, document, (.=))
import Tern.Lab.Quantity (Unit (..), renderQuantity)

-- | Which findings a reader asked for.
data Wanted = Wanted
  { -- | Of this binding alone, as @f@ or @Module.f@; details too.
    wantedBinding :: !(Maybe Text),
    -- | Details too.
    wantedAll :: !Bool,
    -- | The most findings that are shown.
    wantedCount :: !Int
  }
  deriving stock (Eq, Show)

-- | What a reader is shown, and what not: by the number that each has, in the
-- order of what trying them gave.
data Chosen = Chosen
  { chosenShown :: ![Finding],
    -- | How many more there are of the same worth.
    chosenMore :: !Int,
    -- | How many are not worth showing unless they are asked for.
    chosenDetails :: !Int
  }
  deriving stock (Eq, Show)

-- | Those that are worth showing get numbers from 1, in the order given. They are shown by what
-- they save, what was tried in vain last, and no more of them than are wanted.
chosen :: Wanted -> [Finding] -> Chosen
chosen wanted every =
  Chosen
    { chosenShown = take (wantedCount wanted) (sortOn place numbered),
      chosenMore = length (drop (wantedCount wanted) worthy),
      chosenDetails = length details
    }
  where
    (worthy, details) = partition worth (filter of' every)
    numbered = zipWith (\i f -> f {findingNumber = i}) [1 ..] worthy
    -- A figure overrules a guess, and what was tried in vain comes last.
    place f =
      ( wasInVain (findingTried f),
        Down (fromMaybe (maybe 0 spentSaves (findingMeasured f)) (savingOf (findingTried f))),
        findingNumber f
      )
    worth f = wantedAll wanted || isJust (wantedBinding wanted) || worthShowing f
    of' f = case wantedBinding wanted of
      Nothing -> True
      Just name ->
        name `elem` [findingBinding f, T.concat [findingModule f, ".", findingBinding f]]
          || Just name == findingIn f
          || sourceName (findingBinding f) == name

-- | What the bindings are called that a name could mean: itself, where there is
-- one, or else some that are written like it.
namesLike :: [ModuleFacts] -> Text -> Either [Text] ()
namesLike modules name
  | name `elem` concat [[n, T.concat [m, ".", n]] | (m, n) <- known] = Right ()
  | otherwise = Left (take 5 (nub [T.concat [m, ".", n] | (m, n) <- known, like n]))
  where
    known = [(factsModule m, n) | m <- modules, b <- factsBindings m, n <- namesOf b]
    namesOf b =
      [unmarked (bindingName b), sourceName (bindingName b)]
        <> [ownerName o | Just o <- [bindingOwner b]]
        <> [n | s <- bindingSpots b, Just n <- [spotIn s]]
    like n =
      not ("$" `T.isPrefixOf` n)
        && not ("lvl" `T.isPrefixOf` n)
        && ( T.toLower wanted `T.isInfixOf` T.toLower n
               || T.toLower n `T.isInfixOf` T.toLower wanted
           )
    wanted = snd (T.breakOnEnd "." name)

-- | What the findings are in the order of.
data Ranking = ByHeuristic | ByTicky | ByProfile
  deriving stock (Eq, Show)

-- | Some lines for each finding, the weightiest first.
terminal :: Ranking -> [ModuleFacts] -> Chosen -> Text
terminal ranking modules (Chosen shown more details) =
  T.unlines (concatMap one shown <> [summary])
  where
    one f =
      [ T.concat [number (findingNumber f), ". ", place f, "  ", subject f, "  (", worth f, ")"],
        "     " <> renderWhat f,
        "     why: " <> renderWhy f,
        "     try: " <> renderAdvice f
      ]
        <> concatMap (indented . ("     tried: " <>) . renderTried) (findingTried f)
        <> [""]
    -- A compiler's error has several lines.
    indented text = case T.lines text of
      first : rest -> first : map ("       " <>) rest
      [] -> []
    place f = case findingPlace f of
      Just (Place file line column) ->
        T.concat [file, ":", T.pack (show line), ":", T.pack (show column)]
      Nothing -> findingModule f
    subject f = case (findingBinding f, findingIn f) of
      ("", _) -> findingModule f
      (name, inner)
        | Just instance' <- T.stripPrefix "$f" name ->
            T.concat
              [ "instance ",
                instance',
                maybe "" (\i -> T.concat [" (in ", sourceName i, ")"]) inner
              ]
      (name, Just inner)
        | sourceName inner /= sourceName name ->
            T.concat [sourceName name, " (in ", sourceName inner, ")"]
      (name, _) -> sourceName name
    nothing
      | details > 0 =
          T.concat
            [ "nothing worth showing (",
              T.pack (show details),
              if details == 1
                then " detail"
                else " details",
              " with --all)"
            ]
      | otherwise = "nothing to show"
    number :: Int -> Text
    number = T.justifyRight 3 ' ' . T.pack . show
    worth f = case findingMeasured f of
      Just (Spent entries bytes _ saves _ among)
        | among == 1 ->
            T.concat
              [ "a cure may save ",
                percent saves,
                " of the run; ",
                renderQuantity Bytes bytes,
                " allocated, entered ",
                renderQuantity Count entries,
                " times"
              ]
        | otherwise ->
            T.concat
              [ "one of ",
                T.pack (show among),
                " functions of this name, which together allocated ",
                renderQuantity Bytes bytes,
                " and were entered ",
                renderQuantity Count entries,
                " times"
              ]
      Nothing -> T.concat ["weight ", weight (findingWeight f)]
    percent x
      | x < 0.001 = "less than 0.1 %"
      | otherwise = T.pack (showFFloat (Just (if x < 0.1 then 1 else 0)) (100 * x) " %")
    weight w = T.pack (showFFloat (Just (if w < 1 then 2 else 0)) w "")
    summary =
      T.concat
        [ T.pack (show (length modules)),
          if length modules == 1 then " module, " else " modules, ",
          T.pack (show (sum (map (length . factsBindings) modules))),
          " bindings; ",
          if null shown
            then nothing
            else
              T.concat
                [ T.pack (show (length shown)),
                  if length shown == 1
                    then " finding"
                    else " findings"
                ],
          if more > 0 then T.concat [", ", T.pack (show more), " more with --count"] else "",
          if null shown
            then ""
            else case ranking of
              ByTicky ->
                "; in the order of what a cure may save of a run with ticky counters, as its \
                \bytes and entries tell"
              ByProfile ->
                "; in the order of what a cure may save by the cost centres of a profile, then \
                \by weight"
              ByHeuristic ->
                "; weights are a heuristic (kind, times, loops around), not a measurement: give \
                \--run"
        ]

-- | The same for programs, with every finding that was chosen.
--
-- With what a run allocated in all, and where, if it is known.
json :: Ranking -> [ModuleFacts] -> [(Double, [Entry])] -> [Finding] -> Value
json ranking modules accounts shown =
  document $
    [ "format" .= (1 :: Int),
      "compiler" .= take 1 (map factsCompiler modules),
      "ranking"
        .= ( case ranking of
               ByTicky -> "ticky"
               ByProfile -> "profile"
               ByHeuristic ->
                 "heuristic" ::
                   Text
           ),
      "findings" .= map one shown
    ]
      <> concat
        [ ["allocated" .= whole, "account" .= map entry entries]
          | (whole, entries) <-
              accounts
        ]
  where
    entry (Entry post bytes times) =
      document (["bytes" .= bytes, "entries" .= times] <> posted post)
    posted = \case
      OfFunction name place found ->
        ["function" .= name, "place" .= fmap at place, "found" .= found]
      OfLibrary callee name place found ->
        ["library" .= callee, "function" .= name, "place" .= fmap at place, "found" .= found]
      OfGenerated tool file option ->
        ["generator" .= tool, "file" .= file]
          <> ["without" .= option | not (T.null option)]
      OfOneOf names -> ["one-of" .= names]
      OfOthers n -> ["functions" .= n]
      Uncounted -> ["uncounted" .= True]
    at (Place file line column) = document ["file" .= file, "line" .= line, "column" .= column]
    one f =
      document
        [ "kind" .= kindName (findingKind f),
          "module" .= findingModule f,
          "binding" .= findingBinding f,
          "in" .= findingIn f,
          "place" .= fmap at (findingPlace f),
          "times" .= findingTimes f,
          "loops" .= findingLoops f,
          "weight" .= findingWeight f,
          "entries" .= fmap spentEntries (findingMeasured f),
          "bytes" .= fmap spentBytes (findingMeasured f),
          "saves" .= fmap spentSaves (findingMeasured f),
          "among" .= fmap spentAmong (findingMeasured f),
          "what" .= renderWhat f,
          "why" .= renderWhy f,
          "advice" .= renderAdvice f,
          "number" .= findingNumber f,
          "tried" .= map triedMembers (findingTried f)
        ]

-- | What trying a cure gave, for programs.
triedMembers :: Tried -> Value
triedMembers t =
  document
    [ "change" .= change t,
      "helped" .= helped t,
      "problem" .= problem t,
      "allocated" .= pair allocated,
      "peak" .= pair peak,
      "instructions"
        .= ((\later -> (,) <$> instructions (before t) <*> instructions later) =<< after t),
      "compiling" .= ((\later -> (,) <$> compiling (before t) <*> compiling later) =<< after t)
    ]
  where
    pair figure = (\later -> (figure (before t), figure later)) <$> after t
