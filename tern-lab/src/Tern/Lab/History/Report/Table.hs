{-# LANGUAGE OverloadedStrings #-}

-- | A benchmark's history as lines of text: CSV for programs, Markdown for
-- people.
--
-- Its one idea: the first four columns of the CSV are those of article 001
-- (@commit,allocations,memory,time@: bytes, mebibytes, seconds of processor time,
-- each the minimum of the runs); all others follow. A missing figure is @nan@, which
-- plotting programs skip.
module Tern.Lab.History.Report.Table
  ( csv,
    markdown,
    improvementLine,
    comment,
  )
where

import Data.List (intercalate, nub, sortOn)
import Data.Map.Strict qualified as Map
import Data.Maybe (mapMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Numeric (showFFloat)
import Tern.Lab.History.Git (Commit (..), shortHash)
import Tern.Lab.History.Metric
  ( Direction (..),
    Metric (..),
    Spread (..),
    Threshold (..),
    Thresholds,
    decisive,
    metricName,
    metricTitle,
    metricUnit,
    metrics,
    renderPercent,
    renderQuantity,
    renderSight,
  )
import Tern.Lab.History.Record
  ( Built (..),
    Measurement (..),
    Ran (..),
    Record (..),
    Results (..),
    figure,
    figuresOf,
    sight,
    whyLines,
  )
import Tern.Lab.History.Verdict (Change (..), Flag (..), concerns, flags, renderFlag, saidOf)

-- | With a header; commas between columns (RFC 4180, with line feeds alone).
csv :: Thresholds -> Text -> Results -> Text
csv thresholds name results =
  T.unlines (map (T.intercalate ",") (header : map row (flags thresholds results)))
  where
    header =
      ["commit", "allocations", "memory", "time", "status"]
        <> map metricName metrics
        <> [ "time_median",
             "cached",
             "output",
             "flags",
             "why",
             "hash",
             "date",
             "machine",
             "author",
             "subject"
           ]
    row (record, raised) =
      let c = recordCommit record
          spread metric = Map.lookup metric (figuresOf name record)
          least metric = spreadLeast <$> spread metric
          measurement = case lookup name (recordRuns record) of
            Just (Ran m) -> Just m
            _ -> Nothing
       in [ shortHash (commitHash c),
            cell (least Allocated),
            cell ((/ 1_048_576) <$> least Peak),
            cell (least ProcessTime),
            status name record
          ]
            <> map (cell . least) metrics
            <> [ cell (spreadMedian <$> spread ProcessTime),
                 maybe "" (\m -> if measuredCached m then "yes" else "no") measurement,
                 maybe "" measuredOutput measurement,
                 quoted (T.intercalate ", " (map renderFlag (filter (concerns name) raised))),
                 maybe "" (quoted . T.replace "\n" "; ") (recordWhy record),
                 commitHash c,
                 T.pack (show (commitTime c)),
                 quoted (recordMachine record),
                 quoted (commitAuthor c),
                 quoted (commitSubject c)
               ]
    cell = maybe "nan" plain

-- | @measured@, @not built@ or @not run@.
status :: Text -> Record -> Text
status name record = case (recordBuilt record, lookup name (recordRuns record)) of
  (NotBuilt _, _) -> "not built"
  (_, Just (Ran _)) -> "measured"
  _ -> "not run"

-- | Whole numbers without a point.
plain :: Double -> Text
plain x
  | x == fromIntegral whole = T.pack (show whole)
  | otherwise = T.pack (showFFloat (Just 6) x "")
  where
    whole = round x :: Integer

quoted :: Text -> Text
quoted text
  | T.any (`elem` (",\"\r\n" :: String)) text = T.concat ["\"", T.replace "\"" "\"\"" text, "\""]
  | otherwise = text

-- | The flagged commits of all benchmarks as lines that can be pasted, the
-- whole range first.
markdown :: Thresholds -> Results -> Text
markdown thresholds results =
  T.unlines . intercalate [""] . filter (not . null) $
    [ ["# " <> resultsRange results],
      [rule],
      concatMap overall names,
      mapMaybe changed flagged,
      [ T.intercalate "\n" $
          T.concat ["- ", link c, " ", escaped (commitSubject c), ": ", renderFlag f]
            : maybe [] quotedLines (saidOf f)
        | (r, fs) <-
            flagged,
          f <- fs,
          other f,
          let c =
                recordCommit
                  r
      ]
    ]
  where
    names = map fst (resultsBenchmarks results)
    flagged = flags thresholds results
    several = length names > 1
    prefix name = if several then T.concat ["`", name, "` "] else ""
    other = \case
      Changed _ _ -> False
      _ -> True
    -- As a block of code, which nothing in it ends.
    quotedLines said = ["", "      " <> T.intercalate "\n      " (T.lines (T.strip said)), ""]
    overall name = case filter (not . Map.null . figuresOf name) (resultsRecords results) of
      first : rest
        | final : _ <- reverse rest ->
            [T.concat [prefix name, "**Overall**: ", improvementLine results [] name first final]]
      _ -> []
    -- One line a commit and benchmark, as in article 001. What regressed gives the
    -- word and comes first: it must not hide behind what became better.
    changed
      (record, fs) =
        case sortOn
          ((== Improvement) . changeDirection . snd)
          [ (name, change)
            | Changed name change <-
                fs
          ] of
          [] -> Nothing
          found ->
            Just . T.intercalate "\n" $
              [ T.concat
                  [ prefix name,
                    if changeDirection c == Improvement
                      then "**Improvement**: "
                      else "**Regression**: ",
                    maybe
                      ""
                      ( \older ->
                          improvementLine results (map changeMetric (c : rest)) name older record
                      )
                      (commitOf (changeSince c)),
                    " ",
                    escaped (commitSubject (recordCommit record)),
                    T.concat ["\n  - " <> escaped row | row <- whyLines record]
                  ]
                | name <- names,
                  c : rest <- [[x | (n, x) <- found, n == name]]
              ]
    commitOf hash = Map.lookup hash index
    index = Map.fromList [(commitHash (recordCommit r), r) | r <- resultsRecords results]
    link c = case resultsWeb results of
      Just web -> T.concat ["[", shortHash (commitHash c), "](", web, "/commit/", commitHash c, ")"]
      Nothing -> T.concat ["`", shortHash (commitHash c), "`"]
    rule =
      T.concat
        [ "Flagged are changes of more than ",
          T.intercalate
            "; "
            [ T.concat
                [ percent
                    t,
                  " and ",
                  renderQuantity (metricUnit m) (thresholdFloor t),
                  " in ",
                  T.toLower (metricTitle m)
                ]
              | (m, t) <-
                  Map.toList thresholds
            ],
          if all decisive (Map.keys thresholds)
            then ". Times only inform."
            else ", beyond what it wanders by itself. Other times only inform."
        ]
    percent t = T.pack (showFFloat (Just 0) (100 * thresholdFraction t) " %")
    escaped =
      T.concatMap
        ( \c ->
            if c `elem` ("\\`*_[]<>" :: String)
              then T.pack ['\\', c]
              else T.singleton c
        )

-- | @Allocations: -46.17%  Memory: +0.00%  Time: -37 % ± 4.0 % (Commit
-- [e66f1e0...57f3e9d](…))@: what changed between two commits in some figures and in
-- the three of article 001, as far as both have them.
improvementLine :: Results -> [Metric] -> Text -> Record -> Record -> Text
improvementLine results flagged name older newer =
  T.concat
    [ T.intercalate "  " (mapMaybe part (nub (flagged <> [Allocated, Peak, ProcessTime]))),
      " (Commit ",
      maybe
        range
        ( \web ->
            T.concat ["[", range, "](", web, "/compare/", range, ")"]
        )
        (resultsWeb results),
      ")"
    ]
  where
    range = T.concat [hash older, "...", hash newer]
    hash = shortHash . commitHash . recordCommit
    part metric
      | not (decisive metric), recordMachine older /= recordMachine newer = Nothing
      | otherwise = do
          a <- figure metric name older
          b <- figure metric name newer
          Just (T.concat [metricTitle metric, ": ", changeOf metric name a b older newer])

-- | The change of a figure, by how exact it is.
changeOf :: Metric -> Text -> Double -> Double -> Record -> Record -> Text
changeOf metric name a b older newer
  | decisive metric = renderPercent a b
  | otherwise = maybe "" renderSight (sight metric name older newer)

-- | What a pull request changes, as a comment in Markdown: a branch's point and
-- this commit, the decisive figures first.
comment :: Text -> Thresholds -> Results -> Text
comment branch thresholds results = case flags thresholds results of
  [(older, _), (newer, raised)] ->
    T.unlines $
      [ T.concat
          [ "**",
            verdict raised,
            "** against `",
            branch,
            "` (",
            hash older,
            " to ",
            hash newer,
            ")"
          ],
        "",
        T.concat ["| benchmark | figure | ", hash older, " | ", hash newer, " | change |"],
        "|---|---|---:|---:|---:|"
      ]
        <> [ T.concat
               [ "| ",
                 name,
                 " | ",
                 metricTitle metric,
                 if decisive metric || metric `Map.member` thresholds
                   then ""
                   else " (informs)",
                 " | ",
                 renderQuantity (metricUnit metric) a,
                 " | ",
                 renderQuantity (metricUnit metric) b,
                 " | ",
                 changeOf metric name a b older newer,
                 " |"
               ]
             | (name, _) <- resultsBenchmarks results,
               metric <- filter decisive shown <> filter (not . decisive) shown,
               decisive metric || recordMachine older == recordMachine newer,
               Just a <- [figure metric name older],
               Just b <- [figure metric name newer]
           ]
        <> concat [["", T.concat ["- ", renderFlag f]] | f <- raised]
        <> concat
          [ ["", "Where the bytes went:", ""] <> map ("- " <>) rows
            | rows@(_ : _) <- [whyLines newer]
          ]
  _ -> T.concat ["nothing to compare: this commit is where it left `", branch, "`\n"]
  where
    hash = shortHash . commitHash . recordCommit
    shown = [Allocated, Instructions, Peak, ExecutableSize, ProcessTime]
    verdict raised
      | null raised = "No change of performance"
      | any bad raised = "Performance got worse"
      | or [changeDirection c == Improvement | Changed _ c <- raised] = "Performance got better"
      | otherwise = "The output changed"
    bad = \case
      Changed _ c -> changeDirection c == Regression
      DidNotBuild _ -> True
      DidNotRun _ _ -> True
      _ -> False
