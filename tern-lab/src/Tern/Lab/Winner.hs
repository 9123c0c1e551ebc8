{-# LANGUAGE OverloadedStrings #-}

-- | Which of several takes the least time, in words.
--
-- The idea: the one with the least median, and those that cannot be told from it; where
-- that is all of them, none is named. What is said of the least is said of it alone: one that
-- cannot be told from it may be one that cannot be told from the next either.
module Tern.Lab.Winner
  ( quickest,
  )
where

import Data.Foldable (minimumBy)
import Data.List qualified as List
import Data.List.NonEmpty (NonEmpty (..))
import Data.List.NonEmpty qualified as NonEmpty
import Data.Maybe (catMaybes, isNothing)
import Data.Ord (comparing)
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Interval (Interval (..), seen)
import Tern.Lab.Stats (Spread (median), spread)
import Tern.Lab.Table (duration, ratio)

-- | Of names with the times of each round, where they were kept, and the floor.
quickest :: Double -> [(Text, Maybe (NonEmpty Double))] -> Text
quickest floorOfTime all' = case [(name, times) | (name, Just times) <- all'] of
  first : rest
    | length rest + 1 == length all' ->
        let best = minimumBy (comparing (middleTime . snd)) (first :| rest)
            others = filter ((/= fst best) . fst) (first : rest)
            against (_, times) = seen floorOfTime times (snd best)
            (alike, slower) = List.partition (isNothing . against) others
         in case (alike, catMaybes [(,) one <$> against one | one <- slower]) of
              (_, []) -> "no difference is seen"
              ([], behind : more) ->
                T.concat
                  [named best, " takes the least time, ", timesLess (nearest (behind :| more))]
              (first' : more', behind : more) ->
                let equal = first' :| more'
                 in T.concat
                      [ "no difference is seen between ",
                        T.intercalate ", " (named best : map named (NonEmpty.init equal)),
                        " and ",
                        named (NonEmpty.last equal),
                        "; ",
                        fst best,
                        " takes ",
                        timesLess (nearest (behind :| more))
                      ]
  _ -> "no verdict, since these results kept no rounds"
  where
    nearest = minimumBy (comparing (middle . snd))
    middleTime = median . spread
    named (name, times) = T.concat [name, " (", duration (middleTime times), ")"]
    timesLess ((next, _), Interval {..}) =
      T.concat
        [ ratio middle 1,
          " times less than ",
          next,
          " (",
          ratio lower 1,
          " to ",
          ratio upper 1,
          ")"
        ]
