{-# LANGUAGE OverloadedStrings #-}

-- | Bugs planted in the text of a source file, each after a switch.
--
-- The idea: all are compiled in at once, and the environment variable
-- @TERN_PLANTED@ has the name of the one that is on while a program runs. Each has a
-- constant of its own at the end of its module, which is read once; so nothing is
-- added to any package, and code whose unfolding goes elsewhere takes it along.
module Tern.Mutate.Plant
  ( plant,
    switchVariable,
  )
where

import Data.Function (on)
import Data.List (groupBy, sortOn)
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Mutate.Table (Bug (..))

-- | The environment variable with the name of the bug that is on.
switchVariable :: String
switchVariable = "TERN_PLANTED"

-- | The file's text with these bugs planted, or why they cannot be: the text to
-- replace is not there exactly once, two bugs need parts of the same text, or the new text
-- would be read together with what stands beside it, so that the program is another one
-- with the bug off.
plant :: [Bug] -> Text -> Either [Text] Text
plant bugs source = case (wrong, found) of
  ([], spans) | clashes@(_ : _) <- overlapping spans -> Left clashes
  ([], spans) -> declare language bugs (replaceAll spans source)
  (complaints, _) -> Left complaints
  where
    language = languageOf (concatMap bugFile (take 1 bugs))
    placed = [(bug, map (T.length . fst) (T.breakOnAll (bugOld bug) source)) | bug <- bugs]
    wrong =
      [complain bug (length offsets) | (bug, offsets) <- placed, length offsets /= 1]
        <> [looser bug | (bug, [offset]) <- placed, tornApart bug (T.splitAt offset source)]
    looser bug =
      bugName bug <> ": stands beside &&, which takes a part of the new text: put it in parentheses"
    found =
      groupBy
        ((==) `on` fst)
        ( sortOn
            fst
            [ ((offset, T.length (bugOld bug)), bug)
              | (bug, [offset]) <-
                  placed
            ]
        )
    complain bug = \case
      0 ->
        bugName bug
          <> ": "
          <> T.pack (bugFile bug)
          <> " no longer has the text to replace: "
          <> brief (bugOld bug)
      n ->
        bugName bug
          <> ": "
          <> T.pack (bugFile bug)
          <> " has the text to replace "
          <> T.pack (show n)
          <> " times: "
          <> brief (bugOld bug)
    brief text = case T.splitAt 60 (T.unwords (T.words text)) of
      (whole, "") -> whole
      (start, _) -> start <> "..."
    replaceAll spans text = foldr (replaceOne language) text spans

type Span = (Int, Int)

-- | Bugs of one and the same text are chosen from; others may not meet.
overlapping :: [[(Span, Bug)]] -> [Text]
overlapping spans =
  [ T.intercalate ", " (map (bugName . snd) group)
      <> ": only bugs that are expressions may share a text"
    | group@(_ : _ : _) <- spans,
      any (written . snd) group
  ]
    <> [ bugName a <> " and " <> bugName b <> ": the texts to replace overlap"
         | (((start, size), a) : _, ((next, _), b) : _) <- zip spans (drop 1 spans),
           start + size > next
       ]

-- | Whether a choice by @||@ would be a part of a conjunction that the old text was a part of,
-- given what stands before the old text, and from it on.
tornApart :: Bug -> (Text, Text) -> Bool
tornApart bug (before, from) = open (bugNew bug) && (conjoined before || conjoins from)
  where
    conjoined = T.isSuffixOf "&&" . T.stripEnd
    conjoins = T.isPrefixOf "&&" . T.stripStart . T.drop (T.length (bugOld bug))
    open new = written bug && or [depth before_ == 0 | (before_, _) <- T.breakOnAll "||" new]
    depth text = count "([{" text - count ")]}" text
    count these = T.length . T.filter (`elem` (these :: String))

written :: Bug -> Bool
written = ("PLANTED" `T.isInfixOf`) . bugNew

replaceOne :: Language -> [(Span, Bug)] -> Text -> Text
replaceOne language group text = case group of
  [] -> text
  ((offset, size), _) : _ ->
    T.concat [T.take offset text, foldr (choose . snd) old group, T.drop (offset + size) text]
    where
      old = T.take size (T.drop offset text)
  where
    choose bug right
      | written bug = T.replace "PLANTED" (switch bug) (bugNew bug)
      | otherwise = T.concat $ case language of
          Haskell -> ["(if ", switch bug, " then (", bugNew bug, ") else (", right, "))"]
          C -> ["(", switch bug, " ? (", bugNew bug, ") : (", right, "))"]

switch :: Bug -> Text
switch bug = "ternPlanted_" <> T.replace "-" "_" (bugName bug)

data Language = Haskell | C

languageOf :: FilePath -> Language
languageOf path = if any (`T.isSuffixOf` T.pack path) [".c", ".h"] then C else Haskell

-- | The switches themselves.
declare :: Language -> [Bug] -> Text -> Either [Text] Text
declare language bugs text = case language of
  C ->
    Right (T.unlines (["#include <stdlib.h>", "#include <string.h>"] <> concatMap inC bugs) <> text)
  Haskell -> case splitHeader (T.lines text) of
    Nothing ->
      Left
        [ T.pack (concatMap bugFile (take 1 bugs))
            <> ": the end of the module's header was not found"
        ]
    Just (header, rest) ->
      -- What stands before a splice sees nothing that is declared after it.
      let (before, after) = break ("$" `T.isPrefixOf`) rest
          switches = concatMap inHaskell bugs <> [""]
       in Right (T.unlines (header <> imports <> before <> switches <> after))
  where
    quoted bug = "\"" <> bugName bug <> "\""
    variable = T.pack (show switchVariable)
    inC bug =
      [ "static int " <> switch bug <> ";",
        "__attribute__((constructor)) static void read_" <> switch bug <> "(void) {",
        "  const char *on = getenv(" <> variable <> ");",
        "  " <> switch bug <> " = on && strcmp(on, " <> quoted bug <> ") == 0;",
        "}"
      ]
    inHaskell bug =
      [ "",
        switch bug <> " :: TernPlanted.Bool",
        switch bug
          <> " = TernPlanted.unsafePerformIO (TernPlanted.fmap (TernPlanted.maybe \
             \TernPlanted.False (TernPlanted.== "
          <> quoted bug
          <> ")) (TernPlanted.lookupEnv "
          <> variable
          <> "))",
        "{-# NOINLINE " <> switch bug <> " #-}"
      ]
    imports =
      [ "import " <> name <> " qualified as TernPlanted"
        | name <-
            [ "Data.Bool",
              "Data.Eq",
              "Data.Functor",
              "Data.Maybe",
              "System.Environment",
              "System.IO.Unsafe"
            ]
      ]

-- | After the word that ends the module's header.
splitHeader :: [Text] -> Maybe ([Text], [Text])
splitHeader ls = case break ("module " `T.isPrefixOf`) ls of
  (before, rest) -> case break isEnd rest of
    (_, []) -> Nothing
    (header, end : body) -> Just (before <> header <> [end], body)
  where
    isEnd line = line == "where" || " where" `T.isSuffixOf` line
