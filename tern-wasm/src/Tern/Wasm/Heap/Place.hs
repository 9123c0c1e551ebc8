-- | Placing objects in the blocks of a heap, and when it is time to collect.
--
-- The idea: each size has a block that is filled now. Where it has no more room the next
-- block with room is taken, then a new one, which is charged; before that it is looked
-- whether a collection is due. What was placed since the last one pays for the next.
--
-- Start at 'place'.
module Tern.Wasm.Heap.Place
  ( place,

    -- * When to collect
    grown,
    refused,
    worthwhile,
    isDue,
  )
where

import Control.Exception (IOException, mask_, try)
import Control.Monad (when)
import Data.Bits (setBit, testBit, (.&.))
import Data.IORef (modifyIORef', readIORef, writeIORef)
import Data.IntMap.Strict qualified as IntMap
import Data.Word (Word64)
import Tern.Wasm.Allowance (draw, giveBack, left, taken)
import Tern.Wasm.Block (zeroed)
import Tern.Wasm.Heap
import Tern.Wasm.Lasting (address, lasting, passing, passingAddress)
import Tern.Wasm.Prim (Ptr, fillBytes, nullPtr, peekByteOff, plusPtr, pokeByteOff)

-- | Room of @n@ bytes, at an address that is a multiple of 16; 'Nothing' where
-- the account is used up. Where it is time to, the first action collects, and says whether
-- it came to an end. The room is all zero, and then the other action writes an object's head
-- to it; after that there is an object. So a collection never looks into one without a head,
-- whoever interrupts.
place :: Heap -> IO Bool -> (Ptr () -> IO ()) -> Int -> IO (Maybe (Ptr ()))
place heap collect headed n = do
  collected <- if heapEager heap then collect else pure False
  found <- maybe (large n) (uncurry small) (sizeFor n) collected
  found <$ if null found then refused heap else grown heap n
  where
    large bytes = again (newLarge heap headed bytes)
    small k size collected =
      inOpen k size >>= \case
        Just p -> pure (Just p)
        Nothing -> again (newOpen k size) collected
    again make collected = do
      due <- if collected then pure False else isDue heap
      collected' <- if due then collect else pure collected
      made <- make
      wanted <- if null made && not collected' then worthwhile heap else pure False
      if wanted then collect >>= \done -> if done then make else pure Nothing else pure made
    inOpen k size = do
      open <- cell heap k
      if open == nullPtr then pure Nothing else placeIn headed open size
    -- The next block with room, or a new one.
    newOpen k size = do
      Blocks blocks free rooms <- readIORef (heapBlocks heap)
      case IntMap.lookup k rooms of
        Just (b : rest) -> do
          writeIORef (heapBlocks heap) $! Blocks blocks free (IntMap.insert k rest rooms)
          setCell heap k b
          placeIn headed b size >>= maybe (newOpen k size) (pure . Just)
        _ ->
          newBlock heap size >>= \case
            Nothing -> pure Nothing
            Just b -> setCell heap k b >> placeIn headed b size

-- | The next room in a block. All of them together are linear in the block.
placeIn :: (Ptr () -> IO ()) -> Ptr () -> Int -> IO (Maybe (Ptr ()))
placeIn headed b size = peekByteOff b cursorAt >>= go
  where
    go o
      | o + size > blockBytes = Nothing <$ pokeByteOff b cursorAt o
      | otherwise = do
          let p = b `plusPtr` o
              (at, bit) = bitOf p
          placed <- peekByteOff b (placedAt + at) :: IO Word64
          if testBit placed bit
            then go (o + size)
            else do
              fillBytes p 0 size
              headed p
              pokeByteOff b (placedAt + at) (setBit placed bit)
              pokeByteOff b cursorAt (o + size)
              pure (Just p)

-- | A block for objects of a size, none of which is there.
newBlock :: Heap -> Int -> IO (Maybe (Ptr ()))
newBlock heap size = mask_ $ do
  there <- draw (heapAccount heap) blockBytes
  if not there
    then pure Nothing
    else do
      Blocks blocks free rooms <- readIORef (heapBlocks heap)
      free' <- if null free then slab (IntMap.size blocks) else pure free
      case free' of
        [] -> Nothing <$ giveBack (heapAccount heap) blockBytes
        b : rest -> do
          fillBytes b 0 headBytes
          pokeByteOff b sizeAt size
          pokeByteOff b cursorAt headBytes
          writeIORef (heapBlocks heap) $! Blocks (IntMap.insert (key b) Small blocks) rest rooms
          pure (Just b)
  where
    -- The system gives pages when they are first touched.
    slab have =
      try (zeroed (blockBytes * (many + 1)) >>= lasting (heapKeeper heap)) >>= \case
        Left (_ :: IOException) -> pure []
        Right memory ->
          pure [aligned (address memory) `plusPtr` (blockBytes * k) | k <- [0 .. many - 1]]
      where
        many = max 8 (min 64 have)

-- | The first address of a block from an address on.
aligned :: Ptr () -> Ptr ()
aligned p = blockOf (p `plusPtr` (blockBytes - 1))

-- | A block with one object.
newLarge :: Heap -> (Ptr () -> IO ()) -> Int -> IO (Maybe (Ptr ()))
newLarge heap headed n = mask_ $ do
  there <- draw (heapAccount heap) bytes
  made <- if there then either none Just <$> try (zeroed bytes) else pure Nothing
  case made of
    Nothing -> Nothing <$ when there (giveBack (heapAccount heap) bytes)
    Just memory -> do
      let owner = passing memory
          b = aligned (passingAddress owner)
          p = b `plusPtr` headBytes
          (at, bit) = bitOf p
      pokeByteOff b sizeAt n
      headed p
      pokeByteOff b (placedAt + at) (setBit 0 bit :: Word64)
      modifyIORef' (heapBlocks heap) $ \(Blocks blocks free rooms) ->
        Blocks (IntMap.insert (key b) (Large owner bytes) blocks) free rooms
      pure (Just p)
  where
    none :: IOException -> Maybe a
    none = const Nothing
    bytes = headBytes + ((n + 15) .&. (-16)) + blockBytes

-- * When to collect

-- | So many bytes more are there to collect.
grown :: Heap -> Int -> IO ()
grown heap n = modifyIORef' (heapGrown heap) (+ n)

-- | There was no room for something.
refused :: Heap -> IO ()
refused heap = writeIORef (heapFull heap) True

-- | Whether a collection would be paid for: at least an eighth of what it goes over has
-- been placed since the last one. So collecting takes time in proportion to placing,
-- which takes fuel, however full the heap is.
worthwhile :: Heap -> IO Bool
worthwhile heap = do
  since <- readIORef (heapGrown heap)
  kept <- readIORef (heapKept heap)
  full <- readIORef (heapFull heap)
  pure (full || since > 0 && since >= kept `div` 8)

-- | Whether it is time for one: as much has been placed as was kept, and a mebibyte at
-- least; or the account is nearly used up, of which others take as well.
isDue :: Heap -> IO Bool
isDue heap = do
  since <- readIORef (heapGrown heap)
  kept <- readIORef (heapKept heap)
  free <- left (heapAccount heap)
  used <- taken (heapAccount heap)
  paid <- worthwhile heap
  pure (since >= max 1048576 kept || (paid && since >= used `div` 8 && free < used `div` 7))
