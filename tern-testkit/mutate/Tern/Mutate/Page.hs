{-# LANGUAGE OverloadedStrings #-}

-- | What was found, as a table for people, as rows for programs, and as a page that is
-- kept with the sources.
module Tern.Mutate.Page
  ( Found (..),
    summary,
    renderSummary,
    rows,
    Row,
    page,
    pageRows,
    renewed,
    isPageOf,
  )
where

import Control.Applicative ((<|>))
import Data.Either (partitionEithers)
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
  counted
    [ ((package (foundBug f), bugKind (foundBug f)), isCaught (foundOutcome f))
      | f <- found
    ]

counted :: [((Text, Text), Bool)] -> [((Text, Text), (Int, Int))]
counted =
  Map.toAscList
    . Map.fromListWith (\(a, b) (c, d) -> (a + c, b + d))
    . map (fmap (\caught -> (1, fromEnum caught)))

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

-- | What the page says of a bug. The cells are as Markdown has them.
data Row = Row
  { rowPackage :: Text,
    rowBug :: Text,
    rowKind :: Text,
    rowSays :: Text,
    rowSuite :: Text,
    rowOutcome :: Text
  }
  deriving stock (Eq, Show)

-- | What would be said of a bug whose run ended so.
rowOf :: Bug -> Text -> Row
rowOf bug outcome =
  Row
    { rowPackage = package bug,
      rowBug = bugName bug,
      rowKind = bugKind bug,
      rowSays = cell (bugSays bug),
      rowSuite = seenSuite (bugSeen bug),
      rowOutcome = cell outcome
    }
  where
    cell = T.replace "|" "\\|" . T.replace "<" "&lt;"

-- | The page. It has nothing that differs from one run to the next of the same code,
-- as times would.
page :: [Row] -> Text
page found =
  T.unlines $
    [ "# Planted bugs",
      "",
      "`./dev mutate` makes this page: each of these bugs is compiled into a copy of the",
      "sources, all after switches, and the cases of the suite that should see it are run",
      "with that one on. Without any, the same cases pass. A run of some of them renews their",
      "rows. The bugs stand in `tern-testkit/mutants`; how it works is told in",
      "[decision 055](decisions/055-planted-bugs.md).",
      "",
      counts (length found) (length (filter caught found)) <> ".",
      "",
      "| package | code | planted | caught |",
      "| --- | --- | ---: | ---: |"
    ]
      <> [ "| " <> T.intercalate " | " [p, k, shown planted, shown seen] <> " |"
           | ((p, k), (planted, seen)) <- kinds
         ]
      <> concatMap section (Map.toAscList packages)
  where
    packages = Map.fromListWith (flip (<>)) [(rowPackage r, [r]) | r <- found]
    kinds = counted [((rowPackage r, rowKind r), caught r) | r <- found]
    counts planted seen = shown planted <> " planted, " <> shown seen <> " caught"
    caught = ("caught" `T.isPrefixOf`) . rowOutcome
    shown = T.pack . show
    section (name, mine) =
      [ "",
        "## " <> name,
        "",
        "| bug | code | what is wrong then | outcome |",
        "| --- | --- | --- | --- |"
      ]
        <> map line (sortOn rowKind mine)
    line r =
      "| "
        <> T.intercalate
          " | "
          [rowBug r, rowKind r, rowSays r, rowSuite r <> ": " <> rowOutcome r]
        <> " |"

-- | The rows of bugs in a page. What is no row of one is passed over.
pageRows :: Text -> [Row]
pageRows = go "" . T.lines
  where
    go _ [] = []
    go name (line : rest) = case T.stripPrefix "## " line of
      Just other -> go other rest
      Nothing -> maybe id (:) (row name line) (go name rest)
    row name line = do
      inner <- T.stripSuffix " |" =<< T.stripPrefix "| " line
      case T.splitOn " | " inner of
        [bug, kind, says, seen]
          | (suite, outcome) <- T.breakOn ": " seen,
            not (T.null outcome) ->
              Just (Row name bug kind says suite (T.drop 2 outcome))
        _ -> Nothing

-- | The rows of these bugs, in their order: what a run found, and of the others what a page
-- says of them. With them the names of those of which it says nothing, or something of how they
-- were before.
renewed :: [Bug] -> [Found] -> Text -> ([Text], [Row])
renewed bugs found old = partitionEithers (map row bugs)
  where
    row bug = maybe (Left (bugName bug)) Right (Map.lookup (bugName bug) new <|> known bug)
    new = Map.fromList [(bugName b, rowOf b (renderOutcome o)) | Found b o _ <- found]
    olds = Map.fromList [(rowBug r, r) | r <- pageRows old]
    known bug = do
      r <- Map.lookup (bugName bug) olds
      if r {rowOutcome = ""} == rowOf bug "" then Just r else Nothing

-- | Does a page speak of exactly these bugs, as they are described now?
isPageOf :: [Bug] -> Text -> Bool
isPageOf bugs text = length said == length bugs && all mentioned bugs
  where
    said = Map.fromList [(rowBug r, r {rowOutcome = ""}) | r <- pageRows text]
    mentioned bug = Map.lookup (bugName bug) said == Just (rowOf bug "")
