{-# LANGUAGE OverloadedStrings #-}

-- | The commit between two points at which a metric changed, with the fewest
-- builds.
--
-- Its one idea: the search is a pure strategy over an action that measures one
-- commit. Commits that cannot be measured are stepped around; where they hide
-- the change, the answer is the piece in which it lies. Only first parents are
-- searched; when a merge is the answer, its side branch is searched next.
--
-- Start at 'search'.
module Tern.Lab.History.Bisect
  ( Found (..),
    search,
    bisect,
  )
where

import Control.Monad.Trans.Class (lift)
import Control.Monad.Trans.Except (ExceptT (..), runExceptT, throwE)
import Data.Either (fromRight)
import Data.List (sortOn)
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.History (Event, Site (..), openSession, recordOf)
import Tern.Lab.History.Git (Commit (..), firstParentsOf, mergeBase, openRepository)
import Tern.Lab.History.Metric
  ( Metric,
    Sight (..),
    decisive,
    metricName,
    metricUnit,
    renderQuantity,
    renderSight,
  )
import Tern.Lab.History.Plan (Benchmark (..), Plan (..), checkPlan)
import Tern.Lab.History.Problem (Problem (..))
import Tern.Lab.History.Record (Built (..), Ran (..), Record (..), figure, renderFailure, sight)

-- | The change lies after the first and at or before the last of these, in
-- order; more than two when what lies between could not be measured.
data Found = Found
  { foundPiece :: ![Commit],
    foundOlder :: !Double,
    foundNewer :: !Double,
    -- | How many commits were asked for.
    foundProbes :: !Int
  }
  deriving stock (Eq, Show)

-- | Search a line of commits whose ends are known to be on different sides.
-- The action says on which side a commit is ('True': as the newer end), or
-- nothing when it cannot be measured. Asks at most the binary logarithm of the
-- length, plus the commits that could not be measured.
search :: (Monad m) => (a -> m (Maybe Bool)) -> [a] -> m ([a], Int)
search probe commits = go commits 0
  where
    go piece asked = case inner piece of
      [] -> pure (piece, asked)
      candidates -> attempt piece (nearest candidates) asked
    -- The middle first, then outwards from it.
    nearest candidates =
      sortOn (\(i, _) -> abs (2 * i - length candidates - 1)) (zip [1 ..] candidates)
    attempt piece [] asked = pure (piece, asked)
    attempt piece ((i, commit) : others) asked =
      probe commit >>= \case
        Just True -> go (take (i + 1) piece) (asked + 1)
        Just False -> go (drop i piece) (asked + 1)
        Nothing -> attempt piece others (asked + 1 :: Int)
    inner piece = drop 1 (take (length piece - 1) piece)

-- | Find where a metric of a benchmark changed along the plan's range.
bisect :: (Event -> IO ()) -> Site -> Plan -> Metric -> IO (Either Problem Found)
bisect tell place unchecked metric = runExceptT $ do
  plan <- ExceptT (pure (checkPlan unchecked))
  session <- ExceptT (openSession place plan)
  name <- case planBenchmarks plan of
    b : _ -> pure (benchmarkName b)
    [] -> throwE NothingToRun
  repository <- ExceptT (openRepository (placeRepository place))
  descend session name repository (planRange plan) 0
  where
    descend session name repository range spent = do
      line <- ExceptT (firstParentsOf repository range)
      older <- ExceptT (value session name (take 1 line))
      newer <- ExceptT (value session name (take 1 (reverse line)))
      case (older, newer) of
        (Right a, Right b)
          | a == b ->
              throwE
                ( NoChange
                    (metricName metric)
                    ( T.concat
                        ["both are ", renderQuantity (metricUnit metric) a]
                    )
                )
          | otherwise -> do
              mapM_ (throwE . NoChange (metricName metric)) =<< hidden session name line
              -- Nearer to which end, by ratio: the middle of a log scale.
              let side x = abs (ratio x - ratio b) < abs (ratio x - ratio a)
                  probe commit =
                    either (const Nothing) (Just . side) <$> ExceptT (value session name [commit])
              (piece, asked) <- search probe line
              let total = spent + asked + if spent == 0 then 2 else 1
              values <-
                (,)
                  <$> ExceptT (value session name (take 1 piece))
                  <*> ExceptT (value session name (take 1 (reverse piece)))
              let found = Found piece (fromRight a (fst values)) (fromRight b (snd values)) total
              sideBranch session name repository piece found
        (Left reason, _) -> throwE (EndNotMeasured (T.takeWhile (/= '.') range) reason)
        (_, Left reason) -> throwE (EndNotMeasured (T.takeWhileEnd (/= '.') range) reason)
    ratio x = log (max 1e-9 x)
    -- Why a figure that wanders says nothing of the two ends.
    hidden session name line
      | decisive metric = pure Nothing
      | otherwise = do
          ends <- traverse (ExceptT . recordOf tell session) (take 1 line <> take 1 (reverse line))
          pure $ case ends of
            [a, b] | Just found <- sight metric name a b -> unseen found
            _ -> Nothing
    unseen found = case found of
      Seen _ _ -> Nothing
      NotSeen -> Just (renderSight found)
      TooFewRuns -> Just (renderSight found)
    -- A merge that brought the change: where on its side branch was it made?
    sideBranch
      session
      name
      repository
      piece
      found = case (piece, map commitParents (drop 1 piece)) of
        ([before, _], [_ : side' : _]) -> do
          merged <- ExceptT (mergeBase repository (commitHash before) side')
          tip <- lift (runExceptT (ExceptT (firstParentsOf repository (merged <> ".." <> side'))))
          case tip of
            Right line@(_ : _ : _) -> do
              there <- ExceptT (value session name (take 1 (reverse line)))
              base <- ExceptT (value session name (take 1 line))
              case (base, there) of
                (Right x, Right y)
                  | explains
                      (ratio y - ratio x)
                      (ratio (foundNewer found) - ratio (foundOlder found)) ->
                      descend
                        session
                        name
                        repository
                        (merged <> ".." <> side')
                        (foundProbes found + 1)
                _ -> pure found
            _ -> pure found
        _ -> pure found
    -- At least half of the change, in its direction.
    explains there whole = abs there * 2 >= abs whole && signum there == signum whole
    value session name = \case
      commit : _ -> fmap (reading name) <$> recordOf tell session commit
      [] -> pure (Right (Left "no commit"))
    reading name record = case figure metric name record of
      Just x -> Right x
      Nothing -> Left (why name record)
    why name record = case (recordBuilt record, lookup name (recordRuns record)) of
      (NotBuilt failure, _) -> renderFailure failure
      (_, Just (NotRun failure)) -> renderFailure failure
      _ -> T.concat ["it has no figure for ", metricName metric] :: Text
