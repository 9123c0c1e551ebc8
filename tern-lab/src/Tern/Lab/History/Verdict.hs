{-# LANGUAGE OverloadedStrings #-}

-- | Which commits changed what.
--
-- Its one idea: a commit is compared with its nearest measured ancestor, and a
-- merge with all that its parents explain: their figures, and what the two
-- changes since their common ancestor make together, as a sum or as a product.
-- What a merge only brings along was flagged where it was made. Decisive
-- metrics flag; one that wanders between runs of one executable does not, but for times
-- that somebody asks for: they flag where no change is excluded by what they wander.
--
-- Start at 'flags'.
module Tern.Lab.History.Verdict
  ( Flag (..),
    Change (..),
    flags,
    changes,
    flagsOf,
    concerns,
    renderFlag,
    saidOf,
  )
where

import Data.List (nub, sortOn)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (listToMaybe, mapMaybe)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.History.Git (Commit (..), shortHash)
import Tern.Lab.History.Metric
  ( Direction (..),
    Metric,
    Sight (..),
    Spread (..),
    Threshold (..),
    Thresholds,
    decisive,
    direction,
    metricTitle,
    metricUnit,
    renderPercent,
    renderQuantity,
    steady,
  )
import Tern.Lab.History.Record
  ( Built (..),
    Failure (..),
    Measurement (..),
    Ran (..),
    Record (..),
    Results (..),
    figure,
    figuresOf,
    renderFailure,
    sight,
  )
import Tern.Lab.Quantity (renderRough)

-- | Something that a report points at.
data Flag
  = -- | A decisive metric went past its threshold.
    Changed !Text !Change
  | -- | A benchmark's output is not that of the ancestor.
    OutputChanged !Text !Text
  | -- | A benchmark's output differs between runs.
    OutputUnstable !Text
  | DidNotBuild !Failure
  | DidNotRun !Text !Failure
  deriving stock (Eq, Show)

-- | How a figure moved: the least of the runs then and now, in the unit of its metric.
data Change = Change
  { changeMetric :: !Metric,
    changeDirection :: !Direction,
    -- | The commit that it is compared with.
    changeSince :: !Text,
    changeOlder :: !Double,
    changeNewer :: !Double
  }
  deriving stock (Eq, Show)

-- | The flags of every commit, in the order of the records.
flags :: Thresholds -> Results -> [(Record, [Flag])]
flags thresholds results =
  [(record, flagged record) | record <- resultsRecords results]
  where
    flagged = flagsOf thresholds results

-- | The flags of one of the records of these results. An index of all of them is made once for
-- all records that the same application is given.
flagsOf :: Thresholds -> Results -> Record -> [Flag]
flagsOf thresholds results = flagsBy thresholds index
  where
    index = Map.fromList [(commitHash (recordCommit r), r) | r <- resultsRecords results]

flagsBy :: Thresholds -> Map Text Record -> Record -> [Flag]
flagsBy thresholds index record = case recordBuilt record of
  NotBuilt failure -> [DidNotBuild failure]
  Built _ _ -> concat [ofRun name ran | (name, ran) <- recordRuns record]
  where
    ofRun name = \case
      NotRun failure -> [DidNotRun name failure]
      Ran measurement ->
        [OutputUnstable name | not (measuredStable measurement)]
          <> [ OutputChanged name (commitHash (recordCommit ancestor))
               | measuredStable measurement,
                 all ((/= Just (measuredOutput measurement)) . output name) (ancestors name),
                 ancestor <- take 1 (ancestors name)
             ]
          <> [ Changed name change
               | not (null (ancestors name)),
                 change <-
                   changes
                     thresholds
                     name
                     record
                     (ancestors name)
                     ( commonAncestor
                         index
                         name
                         (map (commitHash . recordCommit) (ancestors name))
                     )
             ]
    output name older = case lookup name (recordRuns older) of
      Just (Ran m) -> Just (measuredOutput m)
      _ -> Nothing
    ancestors name = measuredAncestors index name record

-- | The decisive changes against older records: one for a commit, several for a
-- merge, whose common ancestor may be known.
changes :: Thresholds -> Text -> Record -> [Record] -> Maybe Record -> [Change]
changes thresholds name record older ancestor =
  mapMaybe change (filter (decisive . fst) (Map.toList thresholds))
    <> mapMaybe certain (filter (not . decisive . fst) (Map.toList thresholds))
  where
    -- Of a merge, whose parents explain what a sum of times would have to, nothing is said.
    certain (metric, Threshold fraction _) = case older of
      [parent]
        | recordMachine parent == recordMachine record,
          Just (Seen part _) <- sight metric name parent record,
          abs part > fraction -> do
            before <- figure metric name parent
            now <- figure metric name record
            Just
              Change
                { changeMetric = metric,
                  changeDirection = if part < 0 then Improvement else Regression,
                  changeSince = commitHash (recordCommit parent),
                  changeOlder = before,
                  changeNewer = now
                }
      _ -> Nothing
    change (metric, threshold) = do
      let steadyFigure = figureIfSteady metric threshold
      now <- steadyFigure record
      known <- traverse steadyFigure older
      (parent, before) <- listToMaybe (sortOn (\(_, x) -> abs (x - now)) (zip older known))
      let explained = known <> maybe [] (together known) (ancestor >>= steadyFigure)
      way <- beyond threshold explained now
      if direction (Threshold 0 0) before now == Just way
        then Just (Change metric way (commitHash (recordCommit parent)) before now)
        else Nothing
    figureIfSteady metric threshold r = case Map.lookup metric (figuresOf name r) of
      Just spread | steady threshold spread -> Just (spreadLeast spread)
      _ -> Nothing
    together parents base
      | length parents > 1,
        base > 0 =
          [ sum parents - base * fromIntegral (length parents - 1),
            product parents
              / base ^ (length parents - 1)
          ]
      | otherwise = []
    -- Further than the threshold from everything that is explained.
    beyond threshold explained now =
      case [direction threshold x now | x <- [minimum explained, maximum explained]] of
        [low, high]
          | now < minimum explained -> low
          | now > maximum explained -> high
        _ -> Nothing

-- | The nearest commit that two others have before them, if it has figures.
commonAncestor :: Map Text Record -> Text -> [Text] -> Maybe Record
commonAncestor index name = \case
  [a, b] -> case filter (`Set.member` Set.fromList (before a)) (before b) of
    hash : _ | Just r <- Map.lookup hash index, not (Map.null (figuresOf name r)) -> Just r
    _ -> Nothing
  _ -> Nothing
  where
    -- Breadth first, from the commit itself.
    before hash = walk Set.empty [hash]
    walk _ [] = []
    walk seen (hash : rest)
      | Set.member hash seen = walk seen rest
      | otherwise =
          hash
            : walk
              (Set.insert hash seen)
              ( rest
                  <> maybe [] (commitParents . recordCommit) (Map.lookup hash index)
              )

-- | For each parent, the nearest ancestor with figures: the parent itself, or
-- the nearest along its first parents where it has none.
measuredAncestors :: Map Text Record -> Text -> Record -> [Record]
measuredAncestors index name record =
  nubOn (commitHash . recordCommit) (concatMap walk (commitParents (recordCommit record)))
  where
    walk hash = case Map.lookup hash index of
      Nothing -> []
      Just r
        | Map.null (figuresOf name r) -> concatMap walk (take 1 (commitParents (recordCommit r)))
        | otherwise -> [r]
    nubOn f items = [r | key <- nub (map f items), r <- take 1 (filter ((== key) . f) items)]

-- | Is it about this benchmark?
concerns :: Text -> Flag -> Bool
concerns name = \case
  Changed n _ -> n == name
  OutputChanged n _ -> n == name
  OutputUnstable n -> n == name
  DidNotRun n _ -> n == name
  DidNotBuild _ -> True

-- | What the command said that failed: the lines from its first error on.
saidOf :: Flag -> Maybe Text
saidOf = \case
  DidNotBuild (Failure _ _ said) -> Just said
  DidNotRun _ (Failure _ _ said) -> Just said
  DidNotBuild _ -> Nothing
  DidNotRun _ _ -> Nothing
  Changed _ _ -> Nothing
  OutputChanged _ _ -> Nothing
  OutputUnstable _ -> Nothing

-- | One line.
renderFlag :: Flag -> Text
renderFlag = \case
  Changed name (Change metric way since older newer) ->
    T.concat
      [ case way of
          Improvement -> "improvement"
          Regression -> "regression",
        " of ",
        T.toLower (metricTitle metric),
        " in ",
        name,
        ": ",
        if decisive metric then renderPercent older newer else renderRough (newer / older - 1),
        " (",
        renderQuantity (metricUnit metric) older,
        " to ",
        renderQuantity (metricUnit metric) newer,
        ", since ",
        shortHash since,
        ")"
      ]
  OutputChanged name since -> T.concat ["the output of ", name, " is not that of ", shortHash since]
  OutputUnstable name -> T.concat ["the output of ", name, " differs between runs"]
  DidNotBuild failure -> renderFailure failure
  DidNotRun name failure -> T.concat [name, ": ", renderFailure failure]
