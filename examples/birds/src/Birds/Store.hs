{-# LANGUAGE DataKinds #-}
{-# LANGUAGE GADTs #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE QuasiQuotes #-}
{-# LANGUAGE TemplateHaskell #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE UndecidableInstances #-}

-- | Where observations are kept: a file of SQLite, or a database of PostgreSQL.
--
-- The idea: each change is a row as well, written in the transaction of what it changes,
-- and there is one such transaction at a time. So changes become visible in the order of
-- their numbers, and who follows them misses none, whenever it comes back.
--
-- Start at 'withStore'.
module Birds.Store
  ( Store,
    Database (..),
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
  ( Change (..),
    Correction,
    Kept (..),
    Observation (..),
    Page (..),
    What (..),
    corrected,
  )
import Control.Concurrent.STM
  ( TVar,
    atomically,
    modifyTVar',
    newTVarIO,
    readTVar,
    readTVarIO,
    registerDelay,
    retry,
  )
import Control.Monad (unless, void)
import Control.Monad.IO.Class (liftIO)
import Control.Monad.Logger (runNoLoggingT)
import Data.ByteString (ByteString)
import Data.Text (Text)
import Data.Text qualified as T
import Database.Persist
  ( Entity (..),
    PersistQueryRead (..),
    PersistStoreRead (..),
    PersistStoreWrite (..),
    SelectOpt (..),
    selectList,
    (==.),
    (>.),
  )
import Database.Persist.Postgresql (withPostgresqlPool)
import Database.Persist.Sql
  ( BackendKey (..),
    ConnectionPool,
    SqlPersistT,
    fromSqlKey,
    rawExecute,
    runMigrationSilent,
    runSqlPool,
    toSqlKey,
  )
import Database.Persist.Sqlite (withSqlitePool)
import Database.Persist.TH (mkMigrate, mkPersist, persistLowerCase, share, sqlSettings)

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

-- | Where the rows are.
data Database
  = -- | A file, which is made if it is not there.
    File FilePath
  | -- | A server, by a connection string of libpq: @host=/run/postgresql dbname=birds@.
    Server ByteString

-- | A database, and how many changes this program has made, to wait for.
data Store = Store {pool :: ConnectionPool, serialised :: SqlPersistT IO (), made :: TVar Int}

-- | With the observations in a database, whose tables are made if they are not there.
withStore :: Database -> (Store -> IO a) -> IO a
withStore database act = runNoLoggingT $ case database of
  -- SQLite writes for one connection at a time.
  File file -> withSqlitePool (T.pack file) 1 (liftIO . opened (pure ()))
  -- PostgreSQL gives numbers before it commits. The lock lets others read.
  Server address ->
    withPostgresqlPool
      address
      4
      ( liftIO
          . opened (rawExecute "LOCK TABLE event IN EXCLUSIVE MODE" [])
      )
  where
    opened serial connections = do
      runSqlPool (void (runMigrationSilent migrateAll)) connections
      act . Store connections serial =<< newTVarIO 0

inside :: Store -> SqlPersistT IO a -> IO a
inside store act = runSqlPool act (pool store)

-- | A transaction that changes something, and tells who waits for changes.
changing :: Store -> SqlPersistT IO a -> IO a
changing store act =
  inside store (serialised store >> act) <* atomically (modifyTVar' (made store) (+ 1))

-- | Which observations are wanted: of a species, at a place, after a number; and how many.
data Wanted = Wanted
  { wantedSpecies ::
      Maybe Text,
    wantedPlace :: Maybe Text,
    wantedAfter :: Int,
    wantedMost :: Int
  }

-- | By their numbers, the least first. 'total' counts all of the species and place, whatever
-- number the page begins after.
listed :: Store -> Wanted -> IO Page
listed store wanted = inside store $ do
  rows <-
    selectList
      ( filters
          <> [SightingId >. toSqlKey (fromIntegral (wantedAfter wanted))]
      )
      [Asc SightingId, LimitTo (most + 1)]
  n <- count' filters
  let here = map kept (take most rows)
  pure
    Page
      { items = here,
        next =
          if length rows > most
            then number <$> lastOf here
            else Nothing,
        total = n
      }
  where
    most = wantedMost wanted
    filters =
      [SightingSpecies ==. one | Just one <- [wantedSpecies wanted]]
        <> [SightingPlace ==. one | Just one <- [wantedPlace wanted]]
    count' = Database.Persist.count
    lastOf = foldl (\_ one -> Just one) Nothing

-- | The observation that has this number, if one has.
found :: Store -> Int -> IO (Maybe Kept)
found store n = inside store $ fmap (kept . Entity key) <$> get key
  where
    key = toSqlKey (fromIntegral n)

-- | Keeps it under a new number. Whether it is right is for the caller to ask.
added :: Store -> Observation -> IO Kept
added store one = changing store $ do
  key <- insert (row one)
  insert_ (Event key True)
  pure (Kept (fromIntegral (fromSqlKey key)) one)

-- | Corrects the observation that has this number, and gives it as it is now; nothing where none
-- has. Whether it is right then is for the caller to ask.
correctedAt :: Store -> Int -> Correction -> IO (Maybe Kept)
correctedAt store n how = changing store $ do
  old <- get key
  case old of
    Nothing -> pure Nothing
    Just before -> do
      let after = corrected how (observation (kept (Entity key before)))
      replace key (row after)
      insert_ (Event key False)
      pure (Just (Kept n after))
  where
    key = toSqlKey (fromIntegral n)

-- | What happened after the change of a number, at most 500 of it. Where there is nothing
-- yet it waits: for a change of this program, and looks each second for those of others.
changesAfter :: Store -> Int -> IO [Change]
changesAfter store after = do
  before <- readTVarIO (made store)
  those <- inside store $ do
    events <- selectList [EventId >. toSqlKey (fromIntegral after)] [Asc EventId, LimitTo 500]
    concat <$> mapM happened events
  if null those then waited before >> changesAfter store after else pure those
  where
    happened (Entity key event) = do
      now' <- get (eventSighting event)
      pure
        [ Change
            (fromIntegral (fromSqlKey key))
            (if eventIsNew event then Added else Corrected)
            (kept (Entity (eventSighting event) one))
          | Just one <-
              [now']
        ]
    waited before = do
      over <- registerDelay 1000000
      atomically $ do
        known <- readTVar (made store)
        end <- readTVar over
        unless (known /= before || end) retry

kept :: Entity Sighting -> Kept
kept (Entity key (Sighting a b c d e)) =
  Kept (fromIntegral (fromSqlKey key)) (Observation a b c d e)

row :: Observation -> Sighting
row (Observation a b c d e) = Sighting a b c d e
