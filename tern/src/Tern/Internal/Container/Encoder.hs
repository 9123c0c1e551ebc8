-- | Encoding a container in constant memory.
--
-- The idea: values are written one after the other into one buffer, and when it holds a
-- block's bytes they go out with a head before them. No value has a string of its own. The
-- first buffer is a small one that grows, since a container may be short.
module Tern.Internal.Container.Encoder
  ( -- * Settings
    Blocks (..),
    defaultBlocks,

    -- * Encoding
    encodeContainerWith,
    encodeContainerToWith,

    -- * Value by value
    Outlet,
    newContainer,
    newOutlet,
    offer,
    flushed,
    conclude,
    outletPlace,
  )
where

import Control.Monad ((>=>))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import System.IO.Unsafe (unsafePerformIO)
import Tern.Internal.Container.Block (NextBlock (..), ended, sealed)
import Tern.Internal.Container.Compression (Compression)
import Tern.Internal.Container.Format (Mark, headerBytes, newHeader, newMark)
import Tern.Internal.Write (Writer, toFill, write)
import Tern.Prim.Buffer (Room, emptied, fillRoom, newRoom, roomUsed, smallRoom)
import Tern.Shape (Shape)

-- | How elements are put into blocks.
data Blocks = Blocks
  { -- | A block goes out once its elements have this number of bytes, before they
    -- are compressed.
    blockBytes :: !Int,
    -- | How blocks are compressed. One that would not become smaller is not.
    compressed :: !(Maybe Compression)
  }

-- | 16 KiB, as they are: half of such blocks lie within a chunk of 32 KiB and are read
-- where they stand. Larger ones are compressed better, and give more to do to each
-- thread that decodes some.
defaultBlocks :: Blocks
defaultBlocks = Blocks {blockBytes = 16 * 1024, compressed = Nothing}

-- * Encoding

-- | The values of a list as a container, whose blocks are made as they are asked for.
-- Equal marks give equal bytes: it is for whoever wants a file that can be made again
-- to choose one that does not come up in it ('Mark'), and 'newMark' draws one.
--
-- INLINE: the writer is known where it is given.
encodeContainerWith :: Blocks -> Mark -> Shape -> Writer a -> [a] -> BL.ByteString
encodeContainerWith blocks mark shape writer = \values ->
  BL.fromStrict header <> BL.fromChunks (first (NextBlock 0 0 (B.length header)) values)
  where
    header = headerBytes (newHeader mark shape)
    first = chunks (firstRoom blocks)
    chunks size place values = unsafePerformIO (newRoom size >>= go place 0 values)
    go place !count values room = case values of
      value : rest -> do
        room' <- fillRoom (toFill (write writer value)) room
        if isFull blocks (count + 1) room'
          then block place (count + 1) rest room'
          else go place (count + 1) rest room'
      []
        | count == 0 -> pure [ended mark place]
        | otherwise -> block place count [] room
    block place count rest room = do
      raw <- emptied room
      let (h, stored, next) = sealed (compressed blocks) mark place count raw
      pure (h : stored : chunks (roomSize blocks) next rest)
{-# INLINE encodeContainerWith #-}

-- | Run an action that is given a way to put out one value after the other, as a
-- container whose bytes go to a consumer: @hPut handle@, or what sends a response.
--
-- The container is complete when this returns. After an exception it has no end, and
-- its reader will say so after the last block that went out. Values must be put by
-- one thread at a time.
--
-- INLINE: the writer is known where it is given.
encodeContainerToWith ::
  Blocks -> Shape -> Writer a -> (ByteString -> IO ()) -> ((a -> IO ()) -> IO r) -> IO r
encodeContainerToWith blocks shape writer consume = \act -> do
  (header, outlet) <- newContainer blocks shape
  consume header
  result <- act (offer outlet writer >=> mapM_ consume)
  conclude outlet >>= mapM_ consume
  pure result
{-# INLINE encodeContainerToWith #-}

-- * Value by value

-- | A container that is being written. For one thread at a time.
data Outlet = Outlet !Blocks !Mark !(IORef Open)

-- | Where the next block goes, how many elements it has, and its bytes.
data Open = Open !NextBlock !Int !Room

-- | A new container of a shape: its header, and what its values are put to.
newContainer :: Blocks -> Shape -> IO (ByteString, Outlet)
newContainer blocks shape = do
  mark <- newMark
  let header = headerBytes (newHeader mark shape)
  (,) header <$> newOutlet blocks mark (NextBlock 0 0 (B.length header))

-- | A container whose next block goes to a place.
newOutlet :: Blocks -> Mark -> NextBlock -> IO Outlet
newOutlet blocks mark place =
  Outlet blocks mark <$> (newRoom (firstRoom blocks) >>= newIORef . Open place 0)

-- | Put a value: the block that is full with it, in pieces, or nothing.
--
-- INLINE: the writer is known where it is given.
offer :: Outlet -> Writer a -> a -> IO [ByteString]
offer outlet@(Outlet blocks _ state) writer value = do
  Open place count room <- readIORef state
  room' <- fillRoom (toFill (write writer value)) room
  writeIORef state (Open place (count + 1) room')
  if isFull blocks (count + 1) room' then flushed outlet else pure []
{-# INLINE offer #-}

-- | What has been put since the last block, as a block of its own.
flushed :: Outlet -> IO [ByteString]
flushed (Outlet blocks mark state) = do
  Open place count room <- readIORef state
  if count == 0
    then pure []
    else do
      raw <- emptied room
      let (h, stored, next) = sealed (compressed blocks) mark place count raw
      fresh <- newRoom (roomSize blocks)
      writeIORef state (Open next 0 fresh)
      pure [h, stored]

-- | End the container: what is left to go out. The outlet must not be used again.
conclude :: Outlet -> IO [ByteString]
conclude outlet@(Outlet _ mark state) = do
  last' <- flushed outlet
  Open place _ _ <- readIORef state
  pure (last' <> [ended mark place])

-- | Where the next block goes.
outletPlace :: Outlet -> IO NextBlock
outletPlace (Outlet _ _ state) = readIORef state >>= \(Open place _ _) -> pure place

-- | A block may have 2^32 - 1 elements.
isFull :: Blocks -> Int -> Room -> Bool
isFull blocks count room = roomUsed room >= blockBytes blocks || count >= 0xffffffff
{-# INLINE isFull #-}

-- | Room for a full block and a last value of usual size.
roomSize :: Blocks -> Int
roomSize blocks = min (64 * 1024) (max 0 (blockBytes blocks)) + 4096

-- | Room to begin with, which grows where the block does.
firstRoom :: Blocks -> Int
firstRoom = min smallRoom . roomSize
