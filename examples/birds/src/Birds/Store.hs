{-# LANGUAGE DataKinds #-}
{-# LANGUAGE GADTs #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE QuasiQuotes #-}
{-# LANGUAGE TemplateHaskell #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE UndecidableInstances #-}

-- | Where observations are kept: a file of SQLite.
--
-- The idea: each change is a row as well, written in the transaction of what it changes,
-- so that who follows changes misses none, whenever it comes back.
--
-- Start at 'withStore'.
module Birds.Store
  ( Store,
    withStore,
    Wanted (..),
    listed,
    found,
    added,
    correctedAt,
    changesAfter,
  )
where

import Birds.Observation
import Control.Concurrent.STM
import Control.Monad (unless, void)
import Control.Monad.Logger (runNoLoggingT)
import Data.Text (Text)
import Data.Text qualified as T
import Database.Persist
import Database.Persist.Sql
import Database.Persist.Sqlite (createSqlitePool)
import Database.Persist.TH

share
  [mkPersist sqlSettings, mkMigrate "migrateAll"]
  [persistLowerCase|
Sighting
  species Text
  place Text
  day Text
  count Int
  note Text Maybe
Event
  sighting SightingId
  isNew Bool
|]

-- | A file, and how many changes this program has made, to wait for.
data Store = Store {pool :: ConnectionPool, made :: TVar Int}

-- | With the observations in a file, which is made if it is not there.
withStore :: FilePath -> (Store -> IO a) -> IO a
withStore file act = do
  connections <- runNoLoggingT (createSqlitePool (T.pack file) 1)
  runSqlPool (void (runMigrationSilent migrateAll)) connections
  store <- Store connections <$> newTVarIO 0
  act store

inside :: Store -> SqlPersistT IO a -> IO a
inside store act = runSqlPool act (pool store)

-- | Which observations are wanted: of a species, at a place, after a number; and how many.
data Wanted = Wanted {wantedSpecies :: Maybe Text, wantedPlace :: Maybe Text, wantedAfter :: Int, wantedMost :: Int}

listed :: Store -> Wanted -> IO Page
listed store wanted = inside store $ do
  rows <- selectList (filters <> [SightingId >. toSqlKey (fromIntegral (wantedAfter wanted))]) [Asc SightingId, LimitTo (most + 1)]
  n <- count' filters
  let here = map kept (take most rows)
  pure Page {items = here, next = if length rows > most then number <$> lastOf here else Nothing, total = n}
  where
    most = wantedMost wanted
    filters = [SightingSpecies ==. one | Just one <- [wantedSpecies wanted]] <> [SightingPlace ==. one | Just one <- [wantedPlace wanted]]
    count' = Database.Persist.count
    lastOf = foldl (\_ one -> Just one) Nothing

found :: Store -> Int -> IO (Maybe Kept)
found store n = inside store $ fmap (kept . Entity key) <$> get key
  where
    key = toSqlKey (fromIntegral n)

added :: Store -> Observation -> IO Kept
added store one = do
  key <- inside store $ do
    key <- insert (row one)
    key <$ insert_ (Event key True)
  told store
  pure (Kept (fromIntegral (fromSqlKey key)) one)

correctedAt :: Store -> Int -> Correction -> IO (Maybe Kept)
correctedAt store n how = do
  result <- inside store $ do
    old <- get key
    case old of
      Nothing -> pure Nothing
      Just before -> do
        let after = corrected how (observation (kept (Entity key before)))
        replace key (row after)
        insert_ (Event key False)
        pure (Just (Kept n after))
  result <$ told store
  where
    key = toSqlKey (fromIntegral n)

-- | What happened after the change of a number, at most 500 of it. Where there is nothing
-- yet it waits, for as many microseconds at most.
changesAfter :: Store -> Int -> Int -> IO [Change]
changesAfter store longest after = do
  before <- readTVarIO (made store)
  first <- some
  if null first then waited before >> some else pure first
  where
    some = inside store $ do
      events <- selectList [EventId >. toSqlKey (fromIntegral after)] [Asc EventId, LimitTo 500]
      concat <$> mapM happened events
    happened (Entity key event) = do
      now' <- get (eventSighting event)
      pure [Change (fromIntegral (fromSqlKey key)) (if eventIsNew event then Added else Corrected) (kept (Entity (eventSighting event) one)) | Just one <- [now']]
    waited before = do
      over <- registerDelay longest
      atomically $ do
        known <- readTVar (made store)
        end <- readTVar over
        unless (known /= before || end) retry

told :: Store -> IO ()
told store = atomically (modifyTVar' (made store) (+ 1))

kept :: Entity Sighting -> Kept
kept (Entity key (Sighting a b c d e)) = Kept (fromIntegral (fromSqlKey key)) (Observation a b c d e)

row :: Observation -> Sighting
row (Observation a b c d e) = Sighting a b c d e
