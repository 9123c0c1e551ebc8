-- | Which functions of vectors are fused with each other.
--
-- Its one idea: a vector that one of 'makers' makes, and one of 'consumers' takes, is never made.
-- The plugin asks what became of a vector with a name, the findings what is said of it.
--
-- This module is compiled twice, as "Tern.Lab.Core.Facts" is.
module Tern.Lab.Core.Fused
  ( makers,
    consumers,
  )
where

import Data.Text (Text)
import Data.Text qualified as T

-- | They make a vector element by element, of another or of numbers.
makers :: [Text]
makers =
  T.words . T.pack $
    "map imap filter ifilter zipWith zipWith3 izipWith mapMaybe concatMap generate enumFromTo \
    \enumFromN enumFromStepN iterateN scanl scanl' prescanl' postscanl' takeWhile"

-- | They go over a vector once, from its beginning.
consumers :: [Text]
consumers =
  T.words . T.pack $
    "sum product maximum minimum maximumBy minimumBy foldl' foldl foldr ifoldl' all any and or \
    \mapM_ forM_ foldM elem length map imap zipWith zipWith3 filter"
