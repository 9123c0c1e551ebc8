{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}

-- | What is measured: contenders for one task, each checked before it is timed,
-- all timed in the same rounds.
--
-- Start at 'Case', then 'encoder' and 'decoder', which make contenders.
module Tern.Bench.Case
  ( -- * Cases
    Case (..),
    Role (..),
    Contender,
    encoder,
    writer,
    decoder,

    -- * Results
    Results (..),
    formatVersion,
    Result (..),
    Row (..),
    measure,
  )
where

import Control.Monad (forM_)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Generics (Generic)
import System.Exit (die)
import Tern (Wire, decodeJson, renderError)
import Tern.Lab.Measure
import Tern.Lab.Result (Machine)
import Tern.Lab.Stats (Spread, spread, unseen)

-- | One task.
data Case = Case
  { caseName :: Text,
    -- | What was promised.
    caseGoal :: Text,
    contenders :: [Contender]
  }

data Role
  = -- | Tern's own.
    Own
  | -- | Written by hand for the one type.
    Limit
  | -- | Another library.
    Peer
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Contender = Contender
  { who :: Text,
    role :: Role,
    -- | What is wrong with its result, if anything.
    complaint :: Maybe Text,
    work :: Operation
  }

-- | One that writes: what it writes must read back as the value.
--
-- INLINE, as 'decoder': the codec's code is then that of one type.
encoder :: (Eq a, Wire a) => Text -> Role -> (a -> ByteString) -> a -> Contender
encoder who role encode value =
  Contender
    { complaint = case decodeJson written of
        Left failure -> Just (renderError written failure)
        Right again
          | again == value -> Nothing
          | otherwise -> Just "what it wrote reads back as another value",
      work = operation encode (`seq` ()) value,
      ..
    }
  where
    written = encode value
{-# INLINE encoder #-}

-- | One that writes what the third argument reads.
writer :: (Eq a) => Text -> Role -> (ByteString -> Maybe a) -> (a -> ByteString) -> a -> Contender
writer who role decode encode value =
  Contender
    { complaint = if decode (encode value) == Just value then Nothing else Just "what it wrote does not read back as the value",
      work = operation encode (`seq` ()) value,
      ..
    }
{-# INLINE writer #-}

-- | One that reads: it must find the value. What it finds is evaluated as far
-- as the third argument does.
decoder :: (Eq a) => Text -> Role -> (a -> ()) -> (ByteString -> Maybe a) -> ByteString -> a -> Contender
decoder who role settle decode bytes value =
  Contender
    { complaint = if decode bytes == Just value then Nothing else Just "it does not find the value",
      work = operation decode (maybe () settle) (B.copy bytes),
      ..
    }
{-# INLINE decoder #-}

-- * Results

-- | A run of the benchmarks. Times in nanoseconds, sizes in bytes.
data Results = Results
  { format :: !Text,
    machine :: !Machine,
    results :: ![Result]
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | What 'format' says.
formatVersion :: Text
formatVersion = "tern-bench 1"

data Result = Result
  { name :: !Text,
    goal :: !Text,
    -- | The same code against itself: differences below this part may be noise.
    floorOfTime :: !Double,
    rows :: ![Row]
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Row = Row
  { contender :: !Text,
    part :: !Role,
    -- | CPU time of one operation.
    time :: !Spread,
    -- | Bytes that one operation allocates.
    allocated :: !Double
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | Check, then time. Ends the program where a check fails: no figure of wrong
-- work is ever shown.
measure :: Settings -> (Int -> IO ()) -> Case -> IO Result
measure settings beginning Case {..} = do
  forM_ contenders $ \Contender {..} ->
    forM_ complaint $ \what -> die (T.unpack (T.concat ["tern-bench: ", caseName, ", ", who, ": ", what]))
  bytes <- mapM (allocatedBy . work) contenders
  times <- map cpuTimes <$> timings settings beginning (map work contenders)
  pure
    Result
      { name = caseName,
        goal = caseGoal,
        floorOfTime = unseen times,
        rows = [Row {contender = who, part = role, time = spread t, allocated = b} | (Contender {..}, t, b) <- zip3 contenders times bytes]
      }
