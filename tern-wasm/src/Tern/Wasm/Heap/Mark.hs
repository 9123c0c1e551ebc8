-- | Marking the objects of a heap that can be reached, and taking the others away.
--
-- The idea: a block in which something was marked stands in a queue until it is looked
-- into, so marking needs no memory and is linear in what it marks. What is taken away
-- are the bits that say where objects begin.
--
-- Start at 'begin', 'mark', 'looked' and 'sweep', in this order.
module Tern.Wasm.Heap.Mark
  ( begin,
    mark,
    isObject,
    looked,
    sweep,
    finish,
  )
where

import Control.Exception (mask_)
import Control.Monad (foldM, forM_, unless, when)
import Data.Bits (clearBit, complement, countTrailingZeros, popCount, setBit, testBit, (.&.))
import Data.IORef (readIORef, writeIORef)
import Data.IntMap.Strict qualified as IntMap
import Data.Word (Word64)
import Tern.Wasm.Allowance (giveBack)
import Tern.Wasm.Heap
import Tern.Wasm.Lasting (end)
import Tern.Wasm.Prim (Ptr, fillBytes, nullPtr, peekByteOff, plusPtr, pokeByteOff)

-- | Nothing is marked. Linear in the number of blocks.
begin :: Heap -> IO ()
begin heap = do
  Blocks blocks _ _ <- readIORef (heapBlocks heap)
  setCell heap queueCell lastInQueue
  forM_ (IntMap.keys blocks) $ \k -> do
    let b = block k
    pokeByteOff b nextAt nullPtr
    fillBytes (b `plusPtr` markedAt) 0 (2 * 8 * rowWords)

lastInQueue :: Ptr ()
lastInQueue = nullPtr `plusPtr` 1

-- | Keep an object; the address is that of one.
mark :: Heap -> Ptr () -> IO ()
mark heap p = do
  let b = blockOf p
      (at, bit) = bitOf p
  marked <- peekByteOff b (markedAt + at) :: IO Word64
  unless (testBit marked bit) $ do
    pokeByteOff b (markedAt + at) (setBit marked bit)
    next <- peekByteOff b nextAt :: IO (Ptr ())
    when (next == nullPtr) $ do
      cell heap queueCell >>= pokeByteOff b nextAt
      setCell heap queueCell b

-- | Whether there is an object at an address, whatever that is.
isObject :: Heap -> Ptr () -> IO Bool
isObject heap p
  | number p .&. 15 /= 0 || number p .&. (blockBytes - 1) < headBytes = pure False
  | otherwise = do
      Blocks blocks _ _ <- readIORef (heapBlocks heap)
      if IntMap.member (key p) blocks
        then do
          let (at, bit) = bitOf p
          placed <- peekByteOff (blockOf p) (placedAt + at) :: IO Word64
          pure (testBit placed bit)
        else pure False

-- | Look into each object that is marked and was not yet looked into, also those that are
-- marked meanwhile, as long as the action gives 'True'; whether it always did.
looked :: Heap -> (Ptr () -> IO Bool) -> IO Bool
looked heap look = do
  b <- cell heap queueCell
  if b == lastInQueue
    then pure True
    else do
      next <- peekByteOff b nextAt
      setCell heap queueCell next
      pokeByteOff b nextAt nullPtr
      on <- inRow b 0
      if on then looked heap look else pure False
  where
    inRow b k
      | k >= rowWords = pure True
      | otherwise = do
          marked <- peekByteOff b (markedAt + 8 * k) :: IO Word64
          done <- peekByteOff b (lookedAt + 8 * k) :: IO Word64
          let grey = marked .&. complement done
          if grey == 0
            then inRow b (k + 1)
            else do
              let bit = countTrailingZeros grey
              pokeByteOff b (lookedAt + 8 * k) (setBit done bit)
              on <- look (b `plusPtr` (16 * (64 * k + bit)))
              if on then inRow b k else pure False

-- | Take away every object that is not marked, as long as the action gives 'True'; what the
-- next collection goes over, in bytes, if it always did: the objects that are left and their
-- blocks, however little is left in each. Linear in the number of blocks, of which a few are done
-- at a time.
--
-- No block is given back before all objects are taken away: one that is still there may
-- refer to one that is not, and the next collection may look into it. So whoever gives up
-- in the middle leaves objects whose memory is there, and blocks that nothing refers to; in
-- neither is anything placed until the next collection.
sweep :: Heap -> IO Bool -> IO (Maybe Int)
sweep heap timely = do
  forM_ [0 .. queueCell - 1] $ \k -> setCell heap k nullPtr
  Blocks blocks free _ <- readIORef (heapBlocks heap)
  writeIORef (heapBlocks heap) (Blocks blocks free IntMap.empty)
  taken <- aFew timely (\() these -> mapM_ (takeAway . block . fst) these) () (IntMap.toList blocks)
  maybe (pure Nothing) (const (aFew timely giving 0 (IntMap.toList blocks))) taken
  where
    takeAway b = do
      size <- peekByteOff b sizeAt :: IO Int
      when (heapEager heap) (spoil b size)
      forM_ [0 .. rowWords - 1] $ \k -> do
        marked <- peekByteOff b (markedAt + 8 * k) :: IO Word64
        pokeByteOff b (placedAt + 8 * k) marked
    giving !kept these = mask_ $ do
      known <- readIORef (heapBlocks heap)
      (known', kept') <- foldM one (known, kept) these
      kept' <$ writeIORef (heapBlocks heap) known'
    one (known@(Blocks blocks free rooms), !kept) (k, what) = do
      let b = block k
      size <- peekByteOff b sizeAt :: IO Int
      many <- staying b 0 0
      case what of
        Large owner bytes
          | many == 0 -> do
              end owner
              giveBack (heapAccount heap) bytes
              pure (Blocks (IntMap.delete k blocks) free rooms, kept)
          | otherwise -> pure (known, kept + blockCost + size)
        Small
          | many == 0 -> do
              unless (heapEager heap) (c_giveBack b (fromIntegral blockBytes))
              giveBack (heapAccount heap) blockBytes
              pure (Blocks (IntMap.delete k blocks) (b : free) rooms, kept)
          | otherwise -> do
              pokeByteOff b cursorAt headBytes
              let full = (many + 1) * size > blockBytes - headBytes
                  -- The size's number; a block has the size of one.
                  room = maybe rooms (\(n, _) -> IntMap.insertWith (<>) n [b] rooms) (sizeFor size)
                  rooms' = if full then rooms else room
              pure (Blocks blocks free rooms', kept + blockCost + many * size)
    staying :: Ptr () -> Int -> Int -> IO Int
    staying b !n k
      | k >= rowWords = pure n
      | otherwise = do
          placed <- peekByteOff b (placedAt + 8 * k) :: IO Word64
          staying b (n + popCount placed) (k + 1)
    -- What is taken away is no object any more, to whoever still looks.
    spoil b size = forM_ [0 .. rowWords - 1] $ \k -> do
      marked <- peekByteOff b (markedAt + 8 * k) :: IO Word64
      placed <- peekByteOff b (placedAt + 8 * k) :: IO Word64
      let each gone = unless (gone == 0) $ do
            let bit = countTrailingZeros gone
            fillBytes (b `plusPtr` (16 * (64 * k + bit))) 0xDD size
            each (clearBit gone bit)
      each (placed .&. complement marked)

-- | What a collection does for each block takes about as long as going over so many bytes of
-- objects.
blockCost :: Int
blockCost = 1024

-- | Go over blocks, a few at a time, as long as the action gives 'True'; what comes of it,
-- if it always did.
aFew :: IO Bool -> (a -> [b] -> IO a) -> a -> [b] -> IO (Maybe a)
aFew timely f = go
  where
    go !a [] = pure (Just a)
    go !a blocks = do
      let (these, rest) = splitAt 64 blocks
      a' <- f a these
      more <- timely
      if more then go a' rest else pure Nothing

-- | A collection has come to an end, that went over @bytes@ bytes.
finish :: Heap -> Int -> IO ()
finish heap bytes = mask_ $ do
  writeIORef (heapGrown heap) 0
  writeIORef (heapKept heap) $! bytes
  writeIORef (heapFull heap) False

foreign import ccall unsafe "tern_wasm_give_back" c_giveBack :: Ptr () -> Word64 -> IO ()
