{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TemplateHaskell #-}

-- | A history as one self-contained HTML page.
--
-- Its one idea: the page is the file @data\/history.html@ with the results as
-- JSON in it; its script draws them. A browser without scripts shows the
-- pictures of "Tern.Lab.History.Report.Graph" and the list of flags.
module Tern.Lab.History.Report.Page
  ( page,
  )
where

import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Tern.Lab.Document (Value, document, encodeDocument, (.=))
import Tern.Lab.Embed (embedText)
import Tern.Lab.History.Git (Commit (..), shortHash)
import Tern.Lab.History.Metric
  ( Direction (..),
    Spread (..),
    Thresholds,
    Unit (..),
    decisive,
    metricName,
    metricTitle,
    metricUnit,
    metrics,
  )
import Tern.Lab.History.Record (Record (..), Results (..), figuresOf)
import Tern.Lab.History.Report.Graph (graph, svg)
import Tern.Lab.History.Verdict (Change (..), Flag (..), flags, renderFlag, saidOf)
import Tern.Lab.Html (escaped, filledIn, inScript)

-- | The page; it loads nothing from anywhere.
page :: Thresholds -> Results -> Text
page thresholds results =
  filledIn
    [ ("{{title}}", escaped (resultsRange results)),
      ( "{{pictures}}",
        T.concat
          [ svg (graph thresholds name results)
            | (name, _) <-
                resultsBenchmarks results
          ]
      ),
      ("{{data}}", inScript (T.decodeUtf8 (encodeDocument (pageValue thresholds results))))
    ]
    template

template :: Text
template = $(embedText "data/history.html")

pageValue :: Thresholds -> Results -> Value
pageValue thresholds results =
  document
    [ "range" .= resultsRange results,
      "web" .= resultsWeb results,
      "benchmarks"
        .= [ document ["name" .= name, "command" .= command]
             | (name, command) <-
                 resultsBenchmarks results
           ],
      "metrics"
        .= [ document
               [ "name"
                   .= metricName m,
                 "title" .= metricTitle m,
                 "unit" .= unitName (metricUnit m),
                 "decisive" .= decisive m
               ]
             | m <-
                 metrics
           ],
      "timesFlag" .= not (all decisive (Map.keys thresholds)),
      "commits" .= map commitValue (flags thresholds results)
    ]
  where
    unitName = \case
      Bytes -> "bytes" :: Text
      Count -> "count"
      Seconds -> "seconds"
    commitValue (record, raised) =
      let c = recordCommit record
       in document
            [ "hash" .= commitHash c,
              "short" .= shortHash (commitHash c),
              "subject" .= commitSubject c,
              "author" .= commitAuthor c,
              "time" .= commitTime c,
              "machine" .= recordMachine record,
              "why" .= recordWhy record,
              "flags"
                .= [ document ["kind" .= kind f, "text" .= renderFlag f, "said" .= saidOf f]
                     | f <- raised
                   ],
              "figures"
                .= document
                  [ "values"
                      .= [ Map.fromList
                             [ (metricName m, spreadLeast s)
                               | (m, s) <-
                                   Map.toList (figuresOf name record)
                             ]
                           | (name, _) <-
                               resultsBenchmarks results
                         ],
                    "medians"
                      .= [ Map.fromList
                             [ (metricName m, spreadMedian s)
                               | (m, s) <-
                                   Map.toList (figuresOf name record)
                             ]
                           | (name, _) <-
                               resultsBenchmarks results
                         ]
                  ]
            ]
    kind = \case
      Changed _ change -> case changeDirection change of
        Improvement -> "better" :: Text
        Regression -> "worse"
      DidNotBuild _ -> "broken"
      DidNotRun _ _ -> "broken"
      OutputChanged _ _ -> "output"
      OutputUnstable _ -> "output"
