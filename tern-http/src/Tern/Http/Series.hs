{-# LANGUAGE OverloadedStrings #-}

-- | The ways to write a sequence of values that a service speaks, as one table.
--
-- The idea: as "Tern.Http.Format" for values; here a line says how elements are put to a
-- consumer of chunks, and by which steps they are read from chunks. Steps are a value, so
-- that a fold, a stream of Servant's or anything else can take them. Neither side ever
-- has more than one element, block or chunk in memory.
--
-- Start at 'series'.
module Tern.Http.Series
  ( Series (..),
    SeriesEntry (..),
    series,
    seriesOffers,
    seriesRanges,
    smallChunk,
    largeChunk,

    -- * Reading
    Steps (..),
    foldSteps,
  )
where

import Control.Monad ((<=<))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Foldable (toList)
import Data.IORef (atomicModifyIORef', newIORef, readIORef, writeIORef)
import Data.List.NonEmpty (NonEmpty (..))
import Data.Word (Word8)
import Network.HTTP.Types (badRequest400)
import Tern (Error (..), Limits, Path, Segment (..), Wire, encodeJson, renderPath)
import Tern.Container qualified as Container
import Tern.Http.Coding (Source)
import Tern.Http.Problem (Problem (..), errorStatus, problem)
import Tern.Negotiate (MediaType (..), Offer (..), Receive (..))
import Tern.Stream qualified as Stream

-- $setup
-- >>> :set -XOverloadedStrings
-- >>> import Data.IORef
-- >>> import Tern
-- >>> import Tern.Negotiate
-- >>> :{
-- let written kind = do { out <- newIORef mempty; () <- seriesPut (series kind) smallChunk
--       (\chunk -> modifyIORef out (<> chunk)) (\put -> mapM_ put [1, 2 :: Int]); readIORef out }
-- :}

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
    -- | What follows the @+@ in the names of other media types that are written so: @json@ (RFC
    -- 6839), @json-seq@ (RFC 8091), @cbor-seq@ (RFC 8742).
    seriesSuffix :: !(Maybe ByteString),
    -- | Put out the values that an action hands on, in chunks of this number of bytes, as
    -- 'smallChunk' or 'largeChunk'; or in a container's blocks.
    seriesPut ::
      forall a r.
      (Wire a) =>
      Int ->
      (ByteString -> IO ()) ->
      ((a -> IO ()) -> IO r) ->
      IO r,
    -- | The same, each of them at once.
    seriesPush :: forall a r. (Wire a) => (ByteString -> IO ()) -> ((a -> IO ()) -> IO r) -> IO r,
    -- | What may stand between values and means nothing.
    seriesSign :: !(Maybe ByteString),
    -- | Read values, each within these limits, until they end or are damaged.
    seriesRead :: forall a. (Wire a) => Limits -> Steps a
  }

-- | A way's line.
--
-- >>> mapM written [JsonArray, JsonLines, JsonRecords, MessagePackValues, CborValues]
-- ["[1,2]","1\n2\n","\RS1\n\RS2\n","\SOH\STX","\SOH\STX"]
series :: Series -> SeriesEntry
series = \case
  JsonArray ->
    SeriesEntry
      (application "json" :| [])
      (Just "json")
      (`Stream.encodeChunksTo` Stream.JsonArray)
      arrayPush
      (Just " ")
      (steps id Stream.JsonArray)
  JsonLines ->
    SeriesEntry
      ( application "jsonl"
          :| [application "x-ndjson", application "ndjson"]
      )
      Nothing
      (`Stream.encodeChunksTo` Stream.JsonLines)
      (alone (Stream.encodeChunksTo smallChunk Stream.JsonLines))
      (Just "\n")
      (steps id Stream.JsonLines)
  JsonRecords ->
    SeriesEntry
      (application "json-seq" :| [])
      (Just "json-seq")
      recordsTo
      recordsPush
      (Just (B.singleton separator))
      (steps linesOfRecords Stream.JsonLines)
  MessagePackValues ->
    SeriesEntry
      (application "msgpack-seq" :| [])
      Nothing
      (`Stream.encodeChunksTo` Stream.MessagePackValues)
      (alone (Stream.encodeChunksTo smallChunk Stream.MessagePackValues))
      Nothing
      (steps id Stream.MessagePackValues)
  CborValues ->
    SeriesEntry
      (application "cbor-seq" :| [])
      (Just "cbor-seq")
      (`Stream.encodeChunksTo` Stream.CborValues)
      (alone (Stream.encodeChunksTo smallChunk Stream.CborValues))
      Nothing
      (steps id Stream.CborValues)
  NativeContainer ->
    SeriesEntry
      (application "vnd.tern.container" :| [])
      Nothing
      (\_ -> Container.encodeContainerTo Container.defaultBlocks)
      ( Container.encodeContainerTo
          Container.defaultBlocks {Container.blockBytes = 0}
      )
      Nothing
      blocks
  where
    application name = MediaType "application" name []

-- | For a consumer that gathers, as a server's buffer does: no chunk is a large object for
-- GHC's collector.
smallChunk :: Int
smallChunk = 2816

-- | For a consumer that sends each chunk.
largeChunk :: Int
largeChunk = 32 * 1024

-- | Each value as a sequence of its own, where sequences one after the other are one.
alone ::
  ((ByteString -> IO ()) -> ((a -> IO ()) -> IO ()) -> IO ()) ->
  (ByteString -> IO ()) ->
  ((a -> IO ()) -> IO r) ->
  IO r
alone put consume act = act (\value -> put consume ($ value))

-- | An array, which is open before there is a value. A number ends where something else
-- begins, so that a line feed follows each value.
arrayPush :: (Wire a) => (ByteString -> IO ()) -> ((a -> IO ()) -> IO r) -> IO r
arrayPush consume act = do
  consume "["
  first <- newIORef True
  result <- act $ \value -> do
    isFirst <- atomicModifyIORef' first (False,)
    consume (B.concat [if isFirst then "" else ",", encodeJson value, "\n"])
  result <$ consume "]"

-- | What a way offers.
seriesOffers :: Series -> NonEmpty (Offer Series)
seriesOffers kind = (\media -> Offer kind media ["charset"]) <$> seriesTypes (series kind)

-- | Which content of requests it reads: also that of the names that end in its suffix.
--
-- >>> map (renderMediaType . receiveRange) (seriesRanges JsonRecords)
-- ["application/json-seq","*/*+json-seq"]
seriesRanges :: Series -> [Receive Series]
seriesRanges kind =
  [ Receive media kind
    | media <-
        toList (seriesTypes it)
          <> [MediaType "*" ("*+" <> suffix) [] | Just suffix <- [seriesSuffix it]]
  ]
  where
    it = series kind

-- * Reading

-- | What is found next.
data Steps a
  = -- | An element, and what comes after it.
    Element a (Steps a)
  | -- | Nothing before the next chunk is given, or an empty one at the end.
    Hungry (ByteString -> Steps a)
  | -- | It is damaged here, and nothing of it is read any more.
    Spoilt !Problem
  | -- | It is complete.
    Done

-- | Fold over the elements of a source, until it ends or is damaged.
foldSteps :: (s -> a -> IO s) -> s -> Source -> Steps a -> IO (s, Maybe Problem)
foldSteps f start source = go start
  where
    go !s = \case
      Element a later -> f s a >>= \s' -> go s' later
      Hungry feed -> source >>= go s . feed
      Spoilt wrong -> pure (s, Just wrong)
      Done -> pure (s, Nothing)

-- | By the decoder of a stream, whose chunks may have to be changed first.
steps :: (Wire a) => (ByteString -> ByteString) -> Stream.Sequence -> Limits -> Steps a
steps changed order = go . Stream.decoder order
  where
    go d = case Stream.next d of
      Stream.Element a later -> Element a (go later)
      Stream.NeedMore feed -> Hungry (go . feed . changed)
      Stream.Damaged fault _ -> Spoilt (wrong fault)
      Stream.End -> Done
    wrong fault =
      at
        (errorOffset (Stream.faultError fault))
        (Stream.faultIndex fault)
        (errorPath (Stream.faultError fault))
        ( problem
            (errorStatus (Stream.faultError fault))
            (Stream.renderFault fault)
        )

-- | By the decoder of a container. What is lost of one is passed over.
blocks :: (Wire a) => Limits -> Steps a
blocks limits =
  go (Container.containerDecoder Container.defaultSettings {Container.elementLimits = limits})
  where
    go d = case Container.nextStep d of
      Container.Next (Container.Elements _ as) later -> foldr Element (maybe Done go later) as
      Container.Next (Container.Damaged fault) _ -> Spoilt (wrong fault)
      Container.Next (Container.Lost _) later -> maybe Done go later
      Container.NeedMore feed -> Hungry (go . feed)
      Container.End -> Done
    wrong fault =
      at
        (Container.faultOffset fault)
        (Container.faultIndex fault)
        []
        (problem badRequest400 (Container.renderFault fault))

-- | With the place: in the content, and in which element of the sequence.
at :: Int -> Int -> Path -> Problem -> Problem
at offset index path what =
  what {problemOffset = Just offset, problemPath = Just (renderPath (Index index : path))}

-- * JSON text sequences

-- | As lines, with a record separator before each.
recordsTo :: (Wire a) => Int -> (ByteString -> IO ()) -> ((a -> IO ()) -> IO r) -> IO r
recordsTo size consume act = do
  begins <- newIORef True
  Stream.encodeChunksTo size Stream.JsonLines (consume <=< separated begins) act
  where
    -- A line feed at the end of a chunk begins no record, unless there is another chunk.
    separated begins chunk = case B.unsnoc chunk of
      Nothing -> pure chunk
      Just (before, end) -> do
        first <- readIORef begins
        writeIORef begins (end == newline)
        pure
          ( B.concat
              [ if first
                  then B.singleton separator
                  else B.empty,
                B.intercalate (B.pack [newline, separator]) (B.split newline before),
                B.singleton end
              ]
          )

-- | With a separator after each value as well, since that is what ends it for a reader;
-- there may be any number of them between values.
recordsPush :: (Wire a) => (ByteString -> IO ()) -> ((a -> IO ()) -> IO r) -> IO r
recordsPush consume act =
  act
    ( \value ->
        consume (B.concat [B.singleton separator, encodeJson value, B.pack [newline, separator]])
    )

-- | JSON text sequences as lines: a separator ends a line, and a line feed is the other
-- white space that no string may have in it either. Each byte becomes one byte, so that
-- offsets stay what they are.
linesOfRecords :: ByteString -> ByteString
linesOfRecords = B.map line
  where
    line b
      | b == separator = newline
      | b == newline = 13
      | otherwise = b

separator, newline :: Word8
separator = 0x1e
newline = 0x0a
