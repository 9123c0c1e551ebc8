{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}

-- | What is measured: contenders for one task, each checked before it is timed,
-- all timed in the same rounds.
--
-- The idea: one record, worked on again and again, is known to the processor by heart:
-- its figures are those of a prophet. So records are also measured that differ, and
-- records that differ and are kept, as data is; for these the collector works too.
--
-- Start at 'Case', then 'inThreeWays', which makes three of one task.
module Tern.Bench.Case
  ( -- * Cases
    Case (..),
    Role (..),
    Contender,
    encoder,
    writer,
    decoder,

    -- * One record, different ones, and such as are kept
    Records (..),
    Way,
    inThreeWays,
    encoderOf,
    decoderOf,

    -- * Results
    Results (..),
    formatVersion,
    Result (..),
    Row (..),
    measure,
  )
where

import Control.Exception (evaluate)
import Control.Monad (forM, forM_)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.List.NonEmpty qualified as NonEmpty
import Data.Maybe (listToMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Generics (Generic)
import System.Exit (die)
import Tern (Wire, decodeJson, encodeJson, renderError)
import Tern.Lab.Measure
  ( Operation,
    Settings (..),
    Timing (..),
    allocatedBy,
    dropping,
    keeping,
    operation,
    operationWith,
    timings,
  )
import Tern.Lab.Result (Machine)
import Tern.Lab.Stats (Spread (median), spread, unseen)
import Tern.Lab.Table (grouped)

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
    ByHand
  | -- | Another way, which a question asks about.
    Plain
  | -- | Another library.
    Peer
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Contender = Contender
  { who :: Text,
    role :: Role,
    -- | What is wrong with its result, if anything.
    complaint :: Maybe Text,
    -- | How many records one operation works on.
    worksOn :: Int,
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
      worksOn = 1,
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
    { complaint =
        if decode (encode value) == Just value
          then Nothing
          else Just "what it wrote does not read back as the value",
      worksOn = 1,
      work = operation encode (`seq` ()) value,
      ..
    }
{-# INLINE writer #-}

-- | One that reads: it must find the value. What it finds is evaluated as far
-- as the third argument does.
decoder ::
  (Eq a) => Text -> Role -> (a -> ()) -> (ByteString -> Maybe a) -> ByteString -> a -> Contender
decoder who role settle decode bytes value =
  Contender
    { complaint = if decode bytes == Just value then Nothing else Just "it does not find the value",
      worksOn = 1,
      work = operation decode (maybe () settle) (B.copy bytes),
      ..
    }
{-# INLINE decoder #-}

-- * One record, different ones, and such as are kept

-- | Records of one type: one, and others by their numbers.
data Records a = Records a (Int -> a)

data Way = One | Different | Kept Int

-- | Three cases of a task, which is named by a verb and its object: one record, 4,096
-- different ones whose results are dropped, and @kept@ different ones whose results are
-- kept. The figures are those of one record. Promised is something of each.
inThreeWays :: Text -> Int -> Text -> Text -> [Way -> Contender] -> [Case]
inThreeWays name kept goal goalOfMany contenders =
  [ Case name goal (map ($ One) contenders),
    Case (name <> ", different") goalOfMany (map ($ Different) contenders),
    Case (T.concat [name, ", ", grouped kept, " kept"]) "-" (map ($ Kept kept) contenders)
  ]

howMany :: Way -> Int
howMany = \case
  One -> 1
  Different -> 4096
  Kept count -> count

-- | One that writes the records.
encoderOf :: (Eq a, Wire a) => Text -> Role -> (a -> ByteString) -> Records a -> Way -> Contender
encoderOf who role encode (Records one numbered) way = case way of
  One -> encoder who role encode one
  Different -> many' (dropping encode (`seq` ())) id
  Kept _ -> many' (keeping encode (`seq` ())) (const ())
  where
    count = howMany way
    many' work settle =
      Contender
        { complaint =
            listToMaybe
              [ what
                | i <- [1 .. min 4096 count],
                  let written = encode (numbered i),
                  decodeJson written /= Right (numbered i),
                  what <- ["what it wrote of one of many reads back as another value"]
              ],
          worksOn = count,
          work = operationWith work settle (forM [1 .. count] (evaluate . numbered)),
          ..
        }
{-# INLINE encoderOf #-}

-- | One that reads the records, as the library writes them with the fields in order.
decoderOf ::
  (Eq a, Wire a) =>
  Text ->
  Role ->
  (a -> ()) ->
  (ByteString -> Maybe a) ->
  Records a ->
  Way ->
  Contender
decoderOf who role settle decode (Records one numbered) way = case way of
  One -> decoder who role settle decode (encodeJson one) one
  Different -> many' (dropping decode (maybe () settle)) id
  Kept _ -> many' (keeping decode (maybe () settle)) (const ())
  where
    count = howMany way
    many' work settled =
      Contender
        { complaint =
            listToMaybe
              [ "it does not find the value of one of many"
                | i <- [1 .. min 4096 count],
                  decode (encodeJson (numbered i)) /= Just (numbered i)
              ],
          worksOn = count,
          work =
            operationWith
              work
              settled
              ( forM
                  [1 .. count]
                  (evaluate . B.copy . encodeJson . numbered)
              ),
          ..
        }
{-# INLINE decoderOf #-}

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
    -- | What of its median was collections; absent where the runtime did not say, and
    -- in figures older than the field.
    collector :: !(Maybe Double),
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
    forM_ complaint $ \what ->
      die (T.unpack (T.concat ["tern-bench: ", caseName, ", ", who, ": ", what]))
  bytes <- mapM (allocatedBy . work) contenders
  times <- timings patience beginning (map work contenders)
  pure
    Result
      { name = caseName,
        goal = caseGoal,
        floorOfTime = unseen (map cpuTimes times),
        rows =
          [ Row
              { contender =
                  who,
                part = role,
                time = spread (each cpuTimes),
                collector = median . spread . each <$> collectorTimes,
                allocated = b / fromIntegral worksOn
              }
            | (Contender {..}, Timing {..}, b) <- zip3 contenders times bytes,
              let each = NonEmpty.map (/ fromIntegral worksOn)
          ]
      }
  where
    -- What takes long is timed less often.
    patience
      | any ((> 4096) . worksOn) contenders =
          settings {rounds = min (rounds settings) (max 10 (rounds settings `div` 4))}
      | otherwise = settings
