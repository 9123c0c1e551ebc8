{-# LANGUAGE DuplicateRecordFields #-}
{-# LANGUAGE OverloadedRecordDot #-}
{-# LANGUAGE OverloadedStrings #-}

-- | What changed between two results.
--
-- The idea: figures of one name, entry, title and setting belong together. A time
-- changed where an interval excludes that it did not and the floors of both do not cover
-- it; the rounds of different runs are no pairs. What the machine did to one of two runs as
-- a whole is in both floors: where the laboratory's own work took longer in one of them, a
-- time that changed by less than twice as much says nothing of the program, for programs
-- suffer differently. Bytes and counts changed where all of one
-- result lie above all of the other: by a ten-thousandth at least, for measuring itself
-- allocates a little, and by half again and a whole one where collections decide: the rounds of
-- a run share the heap that it began with, and two runs do not.
--
-- Start at 'differences'.
module Tern.Lab.Sheet.Difference
  ( Difference (..),
    Verdict (..),
    differences,
    missing,
    worse,
    paceRemark,
    renderDifferences,
  )
where

import Data.List (nub, sortOn)
import Data.List.NonEmpty (NonEmpty)
import Data.Maybe (fromMaybe)
import Data.Ord (Down (..))
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Interval (Interval (..), fewestRounds, seenApart)
import Tern.Lab.Quantity (renderRough)
import Tern.Lab.Sheet
  ( Entry (..),
    Figure (..),
    Sheet (..),
    Unit,
    figureNamed,
    floorOf,
    heading,
    isExact,
    isTime,
    medianOf,
    paceOf,
    renderFigure,
    sample,
  )
import Tern.Lab.Stats (difference)
import Tern.Lab.Table (Align (..), columns, grouped, percent)

-- | Of one figure.
data Difference = Difference
  { place :: !Text,
    entry :: !Text,
    figure :: !Text,
    unit :: !Unit,
    older :: !Double,
    newer :: !Double,
    -- | How long the laboratory's own work took with the newer, divided by how long with the
    -- older; 1 where it is no time or that is not known.
    paceChange :: !Double,
    verdict :: !Verdict
  }
  deriving stock (Eq, Show)

-- | What two results say of one figure.
data Verdict
  = -- | To the last digit that is shown.
    Same
  | -- | What it wanders covers the change.
    NotSeen
  | -- | Too few rounds were kept to tell.
    Unknown
  | -- | The newer divided by the older, with the bounds where there are some.
    Changed !Double !(Maybe Interval)
  deriving stock (Eq, Show)

-- | Of all that is in both, in the order of the newer.
differences :: [Sheet] -> [Sheet] -> [Difference]
differences before after =
  [ Difference
      { place =
          heading new,
        entry = one.name,
        figure = now.name,
        unit = now.unit,
        older = medianOf was,
        newer = medianOf now,
        paceChange,
        verdict
      }
    | new <- after,
      old <- take 1 (filter (sameSheet new) before),
      one <- new.entries,
      itself <- take 1 (filter (\other -> other.name == one.name) old.entries),
      now <- one.figures,
      Just was <- [figureNamed now.name itself],
      let paceChange = fromMaybe 1 (paceBetween old new now)
          hidden = max (floorOf old now.name) (floorOf new now.name) + 2 * difference 1 paceChange
          verdict = judged hidden was now
  ]

-- | The newer pace divided by the older.
paceBetween :: Sheet -> Sheet -> Figure -> Maybe Double
paceBetween old new figure = do
  before <- paceOf old figure.name
  after <- paceOf new figure.name
  if isTime figure && before > 0 && after > 0 then Just (after / before) else Nothing

-- | Entries that only one of them has: of the older, of the newer.
missing :: [Sheet] -> [Sheet] -> ([Text], [Text])
missing before after = (only before after, only after before)
  where
    only these those =
      [ T.concat [heading sheet, ": ", one.name]
        | sheet <- these,
          one <- sheet.entries,
          one.name
            `notElem` [other.name | that <- those, sameSheet sheet that, other <- that.entries]
      ]

sameSheet :: Sheet -> Sheet -> Bool
sameSheet a b = (a.title, a.setting) == (b.title, b.setting)

judged :: Double -> Figure -> Figure -> Verdict
judged floorOfIt was now = case (,) <$> sample was <*> sample now of
  Nothing -> Unknown
  Just (old, new)
    | isTime now -> ofTimes old new
    | within 1e-4 -> Same
    | not (isExact now), oneOnly && min this that <= 0 -> Unknown
    | not (isExact now), within 0.5 || max this that < 1 -> if oneOnly then Unknown else NotSeen
    | minimum new > maximum old || maximum new < minimum old ->
        Changed (medianOf now / medianOf was) Nothing
    | otherwise -> NotSeen
    where
      oneOnly = length old < 2 || length new < 2
  where
    -- By no more than this part of the smaller one.
    within part = max this that - min this that <= part * min this that
    (this, that) = (medianOf was, medianOf now)
    ofTimes :: NonEmpty Double -> NonEmpty Double -> Verdict
    ofTimes old new
      | min (length old) (length new) < fewestRounds = Unknown
      | otherwise =
          maybe NotSeen (\found -> Changed found.middle (Just found)) (seenApart floorOfIt new old)

-- | Those that got worse for certain: less is better in every figure.
worse :: [Difference] -> [Difference]
worse all' = [one | one <- all', Changed times _ <- [one.verdict], times > 1]

-- | Of each kind of time by which the machine itself was slower or faster with the newer, by
-- 5 % or more: by how much, and what that hides.
paceRemark :: [Difference] -> [Text]
paceRemark all' =
  [ T.concat
      [ "By ",
        name,
        " of work that is always the same the machine itself was ",
        percent parted,
        if one.paceChange > 1 then " slower" else " faster",
        " the second time: below ",
        percent (2 * parted),
        " no such time is said to have changed."
      ]
    | name <- nub (map (.figure) told),
      one <- take 1 (sortOn (Down . apart) (filter ((== name) . (.figure)) told)),
      let parted = apart one,
      parted >= 0.05
  ]
  where
    told = filter ((/= Unknown) . (.verdict)) all'
    apart one = difference 1 one.paceChange

-- | A line for each change, and how many figures did not.
renderDifferences :: [Difference] -> [Text]
renderDifferences all' =
  ["Nothing changed for certain." | null changed]
    <> concat
      [ columns
          [ToLeft, ToLeft, ToLeft, ToRight, ToRight, ToRight, ToLeft]
          ( ["", "", "", "before", "after", "change", ""]
              : map line changed
          )
        | not (null changed)
      ]
    <> [T.intercalate ", " counts <> "." | not (null counts)]
    <> paceRemark all'
  where
    changed = [(one, times, bounds) | one <- all', Changed times bounds <- [one.verdict]]
    line (one, times, bounds) =
      [ one.place,
        one.entry,
        one.figure,
        renderFigure one.unit one.older,
        renderFigure one.unit one.newer,
        if one.older > 0 then renderRough (times - 1) else "from 0",
        maybe
          ""
          ( \found ->
              T.concat
                [ "(",
                  renderRough (found.lower - 1),
                  " to ",
                  renderRough (found.upper - 1),
                  ")"
                ]
          )
          bounds
      ]
    counts =
      [ T.concat [grouped n, " ", what]
        | (what, verdict) <-
            [ ("figures are the same", Same),
              ("wander further than they changed", NotSeen),
              ("have too few rounds to tell", Unknown)
            ],
          let n = length (filter ((== verdict) . (.verdict)) all'),
          n > 0
      ]
