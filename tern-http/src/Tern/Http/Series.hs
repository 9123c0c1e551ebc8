{-# LANGUAGE OverloadedStrings #-}

-- | The ways to write a sequence of values that a service speaks, as one table.
--
-- The idea: as "Tern.Http.Format" for values; here a line says how elements are put to a
-- consumer of chunks and how they are folded from a source of chunks. Neither side ever
-- has more than one element or chunk in memory.
--
-- Start at 'series'.
module Tern.Http.Series
  ( Series (..),
    SeriesEntry (..),
    series,
    seriesOffers,
    seriesRanges,
  )
where

import Control.Monad ((<=<))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Foldable (toList)
import Data.IORef
import Data.List.NonEmpty (NonEmpty (..))
import Data.Word (Word8)
import Network.HTTP.Types (badRequest400)
import Tern
import Tern.Container qualified as Container
import Tern.Http.Coding (Source)
import Tern.Http.Problem
import Tern.Negotiate
import Tern.Stream qualified as Stream

-- $setup
-- >>> :set -XOverloadedStrings
-- >>> import Data.IORef
-- >>> import Tern
-- >>> let written kind = do { out <- newIORef mempty; () <- seriesPut (series kind) (\chunk -> modifyIORef out (<> chunk)) (\put -> mapM_ put [1, 2 :: Int]); readIORef out }

-- | A way to write a sequence. The order is the one that a service prefers where a
-- request leaves the choice to it.
data Series
  = -- | The elements of one JSON array.
    JsonArray
  | -- | One JSON value a line.
    JsonLines
  | -- | JSON text sequences (RFC 7464): a record separator before each value.
    JsonRecords
  | -- | MessagePack values one after the other.
    MessagePackValues
  | -- | A CBOR sequence (RFC 8742): items one after the other.
    CborValues
  | -- | A container of the native format.
    NativeContainer
  deriving stock (Bounded, Enum, Eq, Ord, Show)

-- | All that a service needs to know of a way to write sequences.
data SeriesEntry = SeriesEntry
  { -- | Its media types; what asks for none of the others is answered with the first.
    seriesTypes :: !(NonEmpty MediaType),
    -- | Put out the values that an action hands on.
    seriesPut :: forall a r. (Wire a) => (ByteString -> IO ()) -> ((a -> IO ()) -> IO r) -> IO r,
    -- | Fold over the values of a source, each within these limits, until it ends or is
    -- damaged.
    seriesFold :: forall a s. (Wire a) => Limits -> (s -> a -> IO s) -> s -> Source -> IO (s, Maybe Problem)
  }

-- | A way's line.
--
-- >>> mapM written [JsonArray, JsonLines, JsonRecords, MessagePackValues, CborValues]
-- ["[1,2]","1\n2\n","\RS1\n\RS2\n","\SOH\STX","\SOH\STX"]
series :: Series -> SeriesEntry
series = \case
  JsonArray -> SeriesEntry (application "json" :| []) (Stream.encodeTo Stream.JsonArray) (folded Stream.JsonArray pure)
  JsonLines -> SeriesEntry (application "jsonl" :| [application "x-ndjson", application "ndjson"]) (Stream.encodeTo Stream.JsonLines) (folded Stream.JsonLines pure)
  JsonRecords -> SeriesEntry (application "json-seq" :| []) recordsTo (folded Stream.JsonLines linesOfRecords)
  MessagePackValues -> SeriesEntry (application "msgpack-seq" :| []) (Stream.encodeTo Stream.MessagePackValues) (folded Stream.MessagePackValues pure)
  CborValues -> SeriesEntry (application "cbor-seq" :| []) (Stream.encodeTo Stream.CborValues) (folded Stream.CborValues pure)
  NativeContainer -> SeriesEntry (application "vnd.tern.container" :| []) (Container.encodeContainerTo Container.defaultBlocks) foldedContainer
  where
    application name = MediaType "application" name []

-- | What a way offers.
seriesOffers :: Series -> NonEmpty (Offer Series)
seriesOffers kind = (\media -> Offer kind media ["charset"]) <$> seriesTypes (series kind)

-- | Which content of requests it reads.
seriesRanges :: Series -> [Receive Series]
seriesRanges kind = [Receive media kind | media <- toList (seriesTypes (series kind))]

-- | Through the decoder of a stream, whose source may have to be changed first.
folded :: (Wire a) => Stream.Sequence -> (Source -> IO Source) -> Limits -> (s -> a -> IO s) -> s -> Source -> IO (s, Maybe Problem)
folded order changed limits f start source = do
  chunks <- changed source
  (end, fault) <- Stream.foldStream f start chunks (Stream.decoder order limits)
  pure (end, wrong <$> fault)
  where
    wrong fault = at (errorOffset (Stream.faultError fault)) (Stream.faultIndex fault) (errorPath (Stream.faultError fault)) (problem (errorStatus (Stream.faultError fault)) (Stream.renderFault fault))

foldedContainer :: (Wire a) => Limits -> (s -> a -> IO s) -> s -> Source -> IO (s, Maybe Problem)
foldedContainer limits f start source = do
  (end, fault) <- Container.foldContainer f start source (Container.containerDecoder Container.defaultSettings {Container.elementLimits = limits})
  pure (end, wrong <$> fault)
  where
    wrong fault = at (Container.faultOffset fault) (Container.faultIndex fault) [] (problem badRequest400 (Container.renderFault fault))

-- | With the place: in the content, and in which element of the sequence.
at :: Int -> Int -> Path -> Problem -> Problem
at offset index path what = what {problemOffset = Just offset, problemPath = Just (renderPath (Index index : path))}

-- * JSON text sequences

-- | As lines, with a record separator before each.
recordsTo :: (Wire a) => (ByteString -> IO ()) -> ((a -> IO ()) -> IO r) -> IO r
recordsTo consume act = do
  begins <- newIORef True
  Stream.encodeTo Stream.JsonLines (consume <=< separated begins) act
  where
    -- A line feed at the end of a chunk begins no record, unless there is another chunk.
    separated begins chunk = case B.unsnoc chunk of
      Nothing -> pure chunk
      Just (before, end) -> do
        first <- readIORef begins
        writeIORef begins (end == newline)
        pure (B.concat [if first then B.singleton separator else B.empty, B.intercalate (B.pack [newline, separator]) (B.split newline before), B.singleton end])

-- | JSON text sequences as lines: a separator ends a line, and a line feed is the other
-- white space that no string may have in it either. Each byte becomes one byte, so that
-- offsets stay what they are.
linesOfRecords :: Source -> IO Source
linesOfRecords source = pure (B.map line <$> source)
  where
    line b
      | b == separator = newline
      | b == newline = 13
      | otherwise = b

separator, newline :: Word8
separator = 0x1e
newline = 0x0a
