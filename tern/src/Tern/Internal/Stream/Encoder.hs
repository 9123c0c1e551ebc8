{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Encoding a sequence of values in constant memory.
--
-- The idea: values are written one after the other into one buffer, as the fields
-- of a record are, and the buffer goes out when it holds a chunk. No value has a string of
-- its own. The first buffer is a small one that grows, since a sequence may be short.
module Tern.Internal.Stream.Encoder
  ( encodeLazyWith,
    encodeToWith,
    encodeChunksToWith,
    usualChunk,

    -- * Value by value
    Outlet,
    newOutlet,
    offer,
    conclude,
  )
where

import Control.Monad (unless, (>=>))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.ByteString.Lazy.Internal qualified as BL
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import GHC.Exts (Int (..), plusAddr#, writeWord8OffAddr#)
import GHC.Word (Word8 (..))
import System.IO.Unsafe (unsafePerformIO)
import Tern.Internal.Stream.Sequence (Sequence (..))
import Tern.Internal.Write (Write, Writer, bounded, byte, literal, toFill, write)
import Tern.Prim.Buffer (Fill, Room, emptied, fillRoom, newRoom, roomUsed, smallRoom)

-- | The values of a list as a sequence, in chunks of about 32 KiB that are made
-- as they are asked for.
--
-- 'JsonLines' and 'JsonValues' have a line feed after each value, 'JsonArray' is
-- compact, and MessagePack's and CBOR's values need nothing between them.
--
-- INLINE: the writer is known where it is given.
encodeLazyWith :: Sequence -> Writer a -> [a] -> BL.ByteString
encodeLazyWith order writer = first (opening order)
  where
    first = chunks (firstRoom usualChunk)
    chunks size lead values = unsafePerformIO (newRoom size >>= go lead values)
    go lead values room = case values of
      [] -> do
        chunk <- fillRoom (closing order lead) room >>= emptied
        pure (BL.chunk chunk BL.Empty)
      value : rest -> do
        room' <- fillRoom (element order lead writer value) room
        if roomUsed room' >= usualChunk
          then do
            chunk <- emptied room'
            pure (BL.chunk chunk (chunks (roomFor usualChunk) (between order) rest))
          else go (between order) rest room'
{-# INLINE encodeLazyWith #-}

-- | Run an action that is given a way to put out one value after the other, as a
-- sequence whose chunks go to a consumer: @hPut handle@, or what sends a
-- response. A chunk has about 32 KiB, or one value that has more.
--
-- What was put is complete when this returns. After an exception the chunks that
-- have gone out are all there is: an array is not closed. Values must be put by
-- one thread at a time.
--
-- INLINE: the writer is known where it is given.
encodeToWith :: Sequence -> Writer a -> (ByteString -> IO ()) -> ((a -> IO ()) -> IO r) -> IO r
encodeToWith = encodeChunksToWith usualChunk
{-# INLINE encodeToWith #-}

-- | The same in chunks that go out when they have this number of bytes.
--
-- INLINE: the writer is known where it is given.
encodeChunksToWith ::
  Int -> Sequence -> Writer a -> (ByteString -> IO ()) -> ((a -> IO ()) -> IO r) -> IO r
encodeChunksToWith size order writer consume = \act -> do
  outlet <- newOutlet size order
  result <- act (offer outlet writer >=> given consume)
  conclude outlet >>= given consume
  pure result
{-# INLINE encodeChunksToWith #-}

given :: (ByteString -> IO ()) -> ByteString -> IO ()
given consume chunk = unless (B.null chunk) (consume chunk)

-- * Value by value

-- | A sequence that is being written: the bytes of a full chunk, how it goes on, and a
-- buffer. For one thread at a time.
data Outlet = Outlet !Int !Sequence !(IORef Open)

-- | The byte that leads the next value, and the buffer.
data Open = Open !Lead !Room

-- | A sequence that is begun, whose chunks go out when they have this number of bytes.
newOutlet :: Int -> Sequence -> IO Outlet
newOutlet size order =
  Outlet size order <$> (newRoom (firstRoom size) >>= newIORef . Open (opening order))

-- | Put a value: the chunk that is full with it, or an empty string.
--
-- INLINE: the writer is known where it is given.
offer :: Outlet -> Writer a -> a -> IO ByteString
offer outlet@(Outlet size order state) writer value = do
  Open lead room <- readIORef state
  room' <- fillRoom (element order lead writer value) room
  if roomUsed room' >= size
    then emptyInto outlet room'
    else B.empty <$ writeIORef state (Open (between order) room')
{-# INLINE offer #-}

emptyInto :: Outlet -> Room -> IO ByteString
emptyInto (Outlet size order state) room = do
  chunk <- emptied room
  fresh <- newRoom (roomFor size)
  writeIORef state (Open (between order) fresh)
  pure chunk

-- | End the sequence: what is left to go out. The outlet must not be used again.
conclude :: Outlet -> IO ByteString
conclude (Outlet _ order state) = do
  Open lead room <- readIORef state
  fillRoom (closing order lead) room >>= emptied

-- | A chunk goes out when it has this number of bytes, where nothing else is asked for.
usualChunk :: Int
usualChunk = 32 * 1024

-- | Room for a full chunk of this size and a last value of usual size.
roomFor :: Int -> Int
roomFor size = let n = max 0 size in n + n `quot` 8

-- | Room to begin with, which grows where the sequence is long.
firstRoom :: Int -> Int
firstRoom = min smallRoom . roomFor

-- * What stands between values

-- | A byte before a value; 0 is none.
type Lead = Word8

opening, between :: Sequence -> Lead
opening = fst . leads
between = snd . leads

-- | What leads the first value and what leads each further one.
leads :: Sequence -> (Lead, Lead)
leads = \case
  JsonLines -> (0, 0)
  JsonValues -> (0, 0)
  JsonArray -> (0x5b, 0x2c)
  MessagePackValues -> (0, 0)
  CborValues -> (0, 0)

-- | A value with what leads and ends it. A byte that is not wanted is written
-- nevertheless and then written over, so that there is no branch to repeat the
-- value's code in.
element :: Sequence -> Lead -> Writer a -> a -> Fill
element order lead writer value = toFill (optional lead <> write writer value <> optional end)
  where
    end = case order of
      JsonLines -> 0x0a
      JsonValues -> 0x0a
      JsonArray -> 0
      MessagePackValues -> 0
      CborValues -> 0
{-# INLINE element #-}

optional :: Word8 -> Write
optional b@(W8# w) =
  bounded 1 (\op s -> case writeWord8OffAddr# op 0# w s of s1 -> (# s1, plusAddr# op n #))
  where
    !(I# n) = min 1 (fromIntegral b)
{-# INLINE optional #-}

closing :: Sequence -> Lead -> Fill
closing order lead = case order of
  JsonLines -> toFill mempty
  JsonValues -> toFill mempty
  JsonArray
    | lead == opening order -> toFill (literal "[]")
    | otherwise -> toFill (byte 0x5d)
  MessagePackValues -> toFill mempty
  CborValues -> toFill mempty
