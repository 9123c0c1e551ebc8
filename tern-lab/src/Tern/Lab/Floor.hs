{-# LANGUAGE OverloadedRecordDot #-}
{-# LANGUAGE OverloadedStrings #-}

-- | What this machine can see.
--
-- The idea: the same code is measured against itself, as everything else is, and the
-- rounds say how small a difference would have been certain: the bounds of the ratio
-- leave 1 out only beyond it, and so does the floor. Of the first 10, 20, .. rounds as
-- well, which shows what patience buys.
--
-- Start at 'floors'; 'sights' is the arithmetic.
module Tern.Lab.Floor
  ( Floor (..),
    floors,
    sights,
    renderFloor,
  )
where

import Data.List.NonEmpty (NonEmpty)
import Data.List.NonEmpty qualified as NonEmpty
import Data.Maybe (isJust, mapMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Interval (Interval (..), fewestRounds, interval, seen)
import Tern.Lab.Measure (Settings (..), Timing (..), operation, timings)
import Tern.Lab.Pace (arithmetic, lists, scattered, walk)
import Tern.Lab.Process (Ended (..), job, runJob)
import Tern.Lab.Stats (Spread (..), difference, spread, unseen)
import Tern.Lab.Table (Align (..), columns, duration, percent)

-- | Of one kind of work.
data Floor = Floor
  { work :: !Text,
    -- | Nanoseconds of one operation.
    time :: !Spread,
    -- | For each number of rounds, from which difference on one is certain.
    certain :: ![(Int, Double)],
    -- | Was it taken for two?
    mistaken :: !Bool
  }
  deriving stock (Eq, Show)

-- | Of arithmetic, of lists that are made and collected, of memory that no cache holds,
-- and of starting a shell.
floors :: Settings -> (Text -> IO ()) -> IO [Floor]
floors settings say = do
  let beginning number =
        say (T.concat ["round ", T.pack (show number), " of ", T.pack (show settings.rounds)])
  timed <- timings settings beginning (concat [[one, one] | (_, one) <- operations])
  let inProcess = zipWith of' (map fst operations) (pairs (map cpuTimes timed))
  say "starting processes"
  started <- mapM (\_ -> (,) <$> starting <*> starting) [1 .. settings.rounds]
  pure
    ( inProcess
        <> [ of' "starting a shell, wall time" (NonEmpty.map fst these, NonEmpty.map snd these)
             | Just these <-
                 [NonEmpty.nonEmpty started]
           ]
    )
  where
    of' work (a, b) =
      Floor
        { work,
          time =
            spread a,
          certain = sights a b,
          mistaken = isJust (seen (unseen [a, b]) a b)
        }
    pairs = \case
      a : b : rest -> (a, b) : pairs rest
      _ -> []
    starting = (1e9 *) . endedElapsed <$> runJob (job "." ":")
    operations =
      [ ("arithmetic", operation arithmetic (`seq` ()) 2000),
        ("lists, made and collected", operation lists (`seq` ()) 2000),
        ("memory, 32 MB in any order", operation (walk (scattered 4194304)) (`seq` ()) 20000)
      ]

-- | For 10, 20, 40, .. rounds and for all: the part from which on a difference would
-- have been certain. Of fewer than ten rounds none is.
--
-- >>> import Data.List.NonEmpty (NonEmpty (..))
-- >>> sights (5 :| replicate 19 5) (5 :| replicate 19 5)
-- [(10,0.0),(20,0.0)]
sights :: NonEmpty Double -> NonEmpty Double -> [(Int, Double)]
sights a b = mapMaybe one (takeWhile (< whole) (iterate (* 2) fewestRounds) <> [whole])
  where
    whole = min (length a) (length b)
    one n = do
      first <- NonEmpty.nonEmpty (NonEmpty.take n a)
      second <- NonEmpty.nonEmpty (NonEmpty.take n b)
      found <- interval first second
      let ratios = NonEmpty.zipWith (/) first second
      pure
        ( n,
          maximum
            [ found.upper
                / found.middle
                - 1,
              found.middle / found.lower - 1,
              unseen [first, second, ratios],
              difference 1 found.middle
            ]
        )

-- | A line for each kind of work, and what the figures mean.
renderFloor :: [Floor] -> [Text]
renderFloor all' =
  columns (ToLeft : ToRight : ToRight : map (const ToRight) numbers) (header : map line all')
    <> [ "",
         "Each was measured against itself. A difference from these parts on would have been \
         \certain; what is smaller may be noise."
       ]
    <> [ T.concat [one.work, ": it was taken for two, which happens in a few of a thousand runs."]
         | one <-
             all',
           mistaken one
       ]
    <> advice
  where
    numbers = case map (map fst . certain) all' of
      these : _ -> these
      [] -> []
    header = "" : "median" : "quartiles" : [T.concat [T.pack (show n), " rounds"] | n <- numbers]
    line one =
      [ one.work,
        duration (median one.time),
        T.concat
          [ duration
              (lowerQuartile one.time),
            " … ",
            duration (upperQuartile one.time)
          ]
      ]
        <> map (percent . snd) one.certain
    largest = maximum (0 : [part | one <- all', (_, part) <- take 1 (reverse one.certain)])
    advice
      | null numbers =
          [T.concat ["Of fewer than ", T.pack (show fewestRounds), " rounds nothing is certain."]]
      | largest > 0.1 =
          [ "This machine is busy, or changes its speed: one that does nothing else helps more \
            \than further rounds. Allocation is exact on any."
          ]
      | otherwise =
          [ "More rounds see smaller differences, as the columns show. Allocation is exact on \
            \any machine."
          ]
