-- | Work in several lanes, where some of it may not be done beside each other.
module Tern.Mutate.Lanes (inLanes) where

import Control.Concurrent.Async (replicateConcurrently)
import Control.Concurrent.STM
  ( STM,
    TVar,
    atomically,
    modifyTVar',
    newTVarIO,
    readTVar,
    retry,
    writeTVar,
  )
import Control.Exception (finally)
import Data.List (sortOn)
import Data.List qualified as List
import Data.List.NonEmpty (NonEmpty (..), nonEmpty)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Set (Set)
import Data.Set qualified as Set

-- | What waits, by its group and in its order, and the groups that a lane is at work on.
data Work group item = Work
  { waiting :: Map group (NonEmpty item),
    taken :: Set group
  }

-- | The results of all items, in the order of the items. Items of one group are done one
-- after another, in their order; a lane that is free takes the first one of that group which
-- has the highest cost left. An exception of one item ends the others, and is thrown.
inLanes ::
  (Ord group) =>
  Int ->
  (item -> group) ->
  (item -> Double) ->
  (item -> IO result) ->
  [item] ->
  IO [result]
inLanes lanes groupOf cost work items = do
  left <- newTVarIO (Work (Map.fromListWith (flip (<>)) groups) Set.empty)
  results <- replicateConcurrently (max 1 lanes) (lane left)
  pure (map snd (sortOn fst (concat results)))
  where
    groups = [(groupOf item, numbered :| []) | numbered@(_, item) <- zip [0 :: Int ..] items]
    lane left =
      atomically (takeOne (cost . snd) left) >>= \case
        Nothing -> pure []
        Just (group, (n, item)) -> do
          result <- work item `finally` atomically (release group left)
          ((n, result) :) <$> lane left

-- | Nothing where nothing waits. Waits while all that waits is of groups that are taken.
takeOne :: (Ord group) => (item -> Double) -> TVar (Work group item) -> STM (Maybe (group, item))
takeOne cost left = do
  Work {..} <- readTVar left
  case Map.toList (Map.withoutKeys waiting taken) of
    [] | Map.null waiting -> pure Nothing
    [] -> retry
    first : others -> do
      let (group, item :| rest) = List.foldl' dearer first others
          still = Map.alter (const (nonEmpty rest)) group waiting
      writeTVar left (Work still (Set.insert group taken))
      pure (Just (group, item))
  where
    dearer a b = if costOf b > costOf a then b else a
    costOf = sum . fmap cost . snd

-- | The group is free for whichever lane comes first.
release :: (Ord group) => group -> TVar (Work group item) -> STM ()
release group left = modifyTVar' left (\work -> work {taken = Set.delete group (taken work)})
