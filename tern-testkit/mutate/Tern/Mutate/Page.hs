{-# LANGUAGE OverloadedStrings #-}

-- | What was found, as a table for people, as rows for programs, and as a page that is
-- kept with the sources.
module Tern.Mutate.Page
  ( Found (..),
    summary,
    renderSummary,
    rows,
    page,
    isPageOf,
  )
where

import Data.List (sortOn)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Mutate.Run (Outcome, isCaught, renderOutcome)
import Tern.Mutate.Table (Bug (..), Seen (..), package)

-- | A bug, and how its run ended.
data Found = Found
  { foundBug :: Bug,
    foundOutcome :: Outcome,
    foundSeconds :: Double
  }

-- | By package and kind of code: how many were planted, and how many caught.
summary :: [Found] -> [((Text, Text), (Int, Int))]
summary found =
  Map.toAscList . Map.fromListWith (\(a, b) (c, d) -> (a + c, b + d)) $
    [ ((package (foundBug f), bugKind (foundBug f)), (1, fromEnum (isCaught (foundOutcome f))))
      | f <- found
    ]

-- | In columns, with a last line for all and a line for each bug that was missed.
renderSummary :: [Found] -> Text
renderSummary found = T.unlines (map aligned table <> ["" | not (null missed)] <> missed)
  where
    table =
      ["package", "code", "planted", "caught"]
        : [[p, k, shown planted, shown caught] | ((p, k), (planted, caught)) <- summary found]
          <> [ [ "all",
                 "",
                 shown (length found),
                 shown (length (filter (isCaught . foundOutcome) found))
               ]
             ]
    widths = [maximum (0 : [T.length (row !! i) | row <- table]) | i <- [0 .. 3]]
    aligned row = T.stripEnd (T.intercalate "  " (zipWith3 pad [0 :: Int ..] widths row))
    pad i width cell = if i < 2 then T.justifyLeft width ' ' cell else T.justifyRight width ' ' cell
    missed =
      [ bugName (foundBug f)
          <> ": "
          <> renderOutcome (foundOutcome f)
          <> " of "
          <> where_ (foundBug f)
          <> "; "
          <> bugSays (foundBug f)
        | f <- found,
          not (isCaught (foundOutcome f))
      ]
    where_ bug = seenSuite (bugSeen bug) <> ", pattern '" <> seenPattern (bugSeen bug) <> "'"
    shown = T.pack . show

-- | Columns split at tabs, with a line of their names first.
rows :: [Found] -> Text
rows found = T.unlines (map (T.intercalate "\t") (names : map row found))
  where
    names =
      ["bug", "package", "code", "file", "suite", "pattern", "caught", "outcome", "seconds", "says"]
    row (Found bug outcome seconds) =
      [ bugName bug,
        package bug,
        bugKind bug,
        T.pack (bugFile bug),
        seenSuite (bugSeen bug),
        seenPattern (bugSeen bug),
        if isCaught outcome then "yes" else "no",
        renderOutcome outcome,
        tenths seconds,
        bugSays bug
      ]
    tenths
      x = let n = round (10 * x) :: Int in T.pack (show (n `div` 10) <> "." <> show (n `mod` 10))

-- | The page. It has nothing that differs from one run to the next of the same code,
-- as times would.
page :: [Found] -> Text
page found =
  T.unlines $
    [ "# Planted bugs",
      "",
      "`./dev mutate` makes this page: each of these bugs is compiled into a copy of the",
      "sources, all after switches, and the cases of the suite that should see it are run",
      "with that one on. Without any, the same cases pass. The bugs stand in",
      "`tern-testkit/mutants`; how it works is told in",
      "[decision 055](decisions/055-planted-bugs.md).",
      "",
      T.pack (show (length found))
        <> " planted, "
        <> T.pack (show (length (filter (isCaught . foundOutcome) found)))
        <> " caught.",
      "",
      "| package | code | planted | caught |",
      "| --- | --- | ---: | ---: |"
    ]
      <> [ T.concat
             [ "| ",
               p,
               " | ",
               k,
               " | ",
               T.pack (show planted),
               " | ",
               T.pack (show caught),
               " |"
             ]
           | ((p, k), (planted, caught)) <- summary found
         ]
      <> concatMap section packages
  where
    packages =
      Map.toAscList (Map.fromListWith (flip (<>)) [(package (foundBug f), [f]) | f <- found])
    section (name, mine) =
      [ "",
        "## "
          <> name,
        "",
        "| bug | code | what is wrong then | outcome |",
        "| --- | --- | --- | --- |"
      ]
        <> map line (sortOn (bugKind . foundBug) mine)
    line (Found bug outcome _) =
      T.concat
        [ "| ",
          bugName bug,
          " | ",
          bugKind bug,
          " | ",
          cell (bugSays bug),
          " | ",
          seenSuite (bugSeen bug),
          ": ",
          cell (renderOutcome outcome),
          " |"
        ]
    cell = T.replace "|" "\\|" . T.replace "<" "&lt;"

-- | Does a page speak of exactly these bugs, as they are described now?
isPageOf :: [Bug] -> Text -> Bool
isPageOf bugs text = length lines_ == length bugs && all mentioned bugs
  where
    lines_ =
      [ line
        | line <-
            T.lines text,
          T.count " | " line == 3,
          not ("| ---" `T.isPrefixOf` line),
          any (`T.isInfixOf` line) [": caught", ": MISSED"]
      ]
    mentioned bug =
      any (T.isPrefixOf (T.concat ["| ", bugName bug, " | ", bugKind bug, " | "])) lines_
