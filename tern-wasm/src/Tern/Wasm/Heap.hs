-- | The memory of structures and arrays: where an object is placed, and what is left when
-- the others are taken away.
--
-- The idea: objects do not move. Small ones of one size share a block of 16 KiB whose
-- address is a multiple of its size, so that an object's address says which block it is
-- in; a large one has a block to itself. A block begins with three rows of bits, one bit
-- for each 16 bytes: where an object begins, which objects were reached, and which of
-- those were looked into. So marking needs no memory, and a collection that is given up
-- in the middle has changed nothing.
--
-- A reference is an object's address with a secret of the store mixed in. Whoever finds
-- a word that is one, by that secret, has found a reference: no number of a guest's is
-- taken for one, and nothing that a guest can see tells it an address.
--
-- What a caller owes: one thread at a time places and collects ('heapLock' is held by who
-- collects, and by who makes a reference of the host's). The account is charged for
-- whole blocks, and a block without objects gives its pages back to the system.
--
-- Start at 'Heap'; objects are placed by "Tern.Wasm.Heap.Place", and marked and swept by
-- "Tern.Wasm.Heap.Mark".
module Tern.Wasm.Heap
  ( -- * Heaps
    Heap (..),
    newHeap,

    -- * References
    referenceTo,
    objectOf,
    referenceToThrown,
    thrownOf,
    Word_ (..),
    wordIs,

    -- * Blocks
    Blocks (..),
    Block (..),
    blockBytes,
    sizeAt,
    nextAt,
    cursorAt,
    placedAt,
    markedAt,
    lookedAt,
    headBytes,
    rowWords,
    blockOf,
    block,
    number,
    key,
    bitOf,
    sizeFor,
    queueCell,
    cell,
    setCell,
  )
where

import Control.Concurrent.MVar (MVar, newMVar)
import Data.Bits (complement, setBit, shiftL, shiftR, xor, (.&.), (.|.))
import Data.IORef (IORef, newIORef)
import Data.IntMap.Strict (IntMap)
import Data.IntMap.Strict qualified as IntMap
import Data.Word (Word64)
import Tern.Wasm.Allowance (Allowance)
import Tern.Wasm.Block (zeroed)
import Tern.Wasm.Lasting (Keeper, Lasting, Passing, address, keep, lasting)
import Tern.Wasm.Prim
  ( Ptr,
    minusPtr,
    nullPtr,
    peekByteOff,
    plusPtr,
    pokeByteOff,
    ptrToWordPtr,
    wordPtrToPtr,
  )

-- * Heaps

-- | Of one store.
data Heap = Heap
  { -- | For each size the block that is filled now, and at last the first block of the
    -- queue of those with objects to look into.
    heapCells :: !Lasting,
    heapBlocks :: !(IORef Blocks),
    -- | Held while a collection is under way, and while a reference becomes the host's.
    heapLock :: !(MVar ()),
    heapSecret :: !Word64,
    -- | Whether to collect before each object.
    heapEager :: !Bool,
    heapKeeper :: !Keeper,
    -- | What blocks are taken from.
    heapAccount :: !Allowance,
    -- | Bytes of objects and exceptions since the last collection.
    heapGrown :: !(IORef Int),
    -- | Bytes that the last collection went over.
    heapKept :: !(IORef Int),
    -- | Whether there was no room since then. That ends a call; for the next one a
    -- collection is paid for, since otherwise a full heap would stay full.
    heapFull :: !(IORef Bool)
  }

-- | By a block's address in units of 'blockBytes'; the blocks that are free; and of each
-- size those with room, as the last collection has found them.
data Blocks = Blocks !(IntMap Block) ![Ptr ()] !(IntMap [Ptr ()])

-- | Whether a block is shared by objects of one size, or has one object.
data Block
  = Small
  | -- | A block of one object, and what was charged for it.
    Large !Passing !Int

-- | An empty heap, which takes its blocks from an account.
newHeap :: Bool -> Keeper -> Allowance -> IO Heap
newHeap eager keeper account = do
  cells <- zeroed (8 * (queueCell + 1)) >>= lasting keeper
  blocks <- newIORef (Blocks IntMap.empty [] IntMap.empty)
  -- Who holds the keeper holds large objects as well.
  keep keeper blocks
  lock <- newMVar ()
  secret <- (\s -> setBit (s .&. complement 3) 63) <$> c_secret
  Heap cells blocks lock secret eager keeper account
    <$> newIORef 0
    <*> newIORef 0
    <*> newIORef False

-- * References

-- | The reference to an object. It is not null, and its last two bits are 0.
referenceTo :: Heap -> Ptr () -> Word64
referenceTo heap p = fromIntegral (ptrToWordPtr p) `xor` heapSecret heap

-- | The object of a reference that is to one.
objectOf :: Heap -> Word64 -> Ptr ()
objectOf heap w = wordPtrToPtr (fromIntegral (w `xor` heapSecret heap))

-- | The reference to the exception of a number. Its last two bits are 3.
referenceToThrown :: Heap -> Int -> Word64
referenceToThrown heap n = ((fromIntegral n `shiftL` 2) .|. 3) `xor` heapSecret heap

-- | The number of the exception that a reference is to.
thrownOf :: Heap -> Word64 -> Int
thrownOf heap w = fromIntegral ((w `xor` heapSecret heap) `shiftR` 2)

-- | What a word may refer to.
data Word_ = Plain | ToObject !(Ptr ()) | ToThrown !Int

-- | Null, numbers of the host's and small integers are plain, and so is every word but
-- one of 2^17 that nobody made a reference of.
wordIs :: Heap -> Word64 -> Word_
wordIs heap w
  | u `shiftR` 47 /= 0 = Plain
  | otherwise = case u .&. 3 of
      0 -> ToObject (wordPtrToPtr (fromIntegral u))
      3 -> ToThrown (fromIntegral (u `shiftR` 2))
      _ -> Plain
  where
    u = w `xor` heapSecret heap

-- * Blocks

-- | In bytes; an address of a block is a multiple of it.
blockBytes :: Int
blockBytes = 16384

-- | What a block begins with: bytes of each object, the next block of the queue (1 at its
-- end, 0 for one that is not in it), from where on there may be room, and the rows of
-- bits.
sizeAt, nextAt, cursorAt, placedAt, markedAt, lookedAt, headBytes :: Int
sizeAt = 0
nextAt = 8
cursorAt = 16
placedAt = 64
markedAt = 192
lookedAt = 320
headBytes = 448

-- | Words in a row of bits.
rowWords :: Int
rowWords = 16

-- | The block that an object is in.
blockOf :: Ptr () -> Ptr ()
blockOf p = wordPtrToPtr (fromIntegral (number p .&. complement (blockBytes - 1)))

-- | The block with a key.
block :: Int -> Ptr ()
block k = nullPtr `plusPtr` (k `shiftL` 14)

-- | An address as a number of bytes.
number :: Ptr () -> Int
number p = p `minusPtr` nullPtr

-- | An address in units of 'blockBytes'.
key :: Ptr () -> Int
key p = number p `shiftR` 14

-- | An object's place in a row of bits: the word's distance in bytes, and the bit.
bitOf :: Ptr () -> (Int, Int)
bitOf p = ((g `shiftR` 6) * 8, g .&. 63)
  where
    g = (number p .&. (blockBytes - 1)) `shiftR` 4

-- | The number of the size for objects of @n@ bytes that share blocks, and that size.
-- Up to 512 there is one for each 16 bytes, then for each 128, then as many to a block
-- as fit.
sizeFor :: Int -> Maybe (Int, Int)
sizeFor n
  | n <= 512 = let k = (max 1 n + 15) `div` 16 in Just (k, 16 * k)
  | n <= 2048 = let k = (n - 512 + 127) `div` 128 in Just (32 + k, 512 + 128 * k)
  | n <= 2656 = Just (45, 2656)
  | n <= 3184 = Just (46, 3184)
  | n <= 3984 = Just (47, 3984)
  | n <= 5312 = Just (48, 5312)
  | n <= 7968 = Just (49, 7968)
  | otherwise = Nothing

-- | The cell after those of the sizes.
queueCell :: Int
queueCell = 50

-- | The block in a cell: of a size's number, the one that is filled now, or null; of
-- 'queueCell', the queue's first.
cell :: Heap -> Int -> IO (Ptr ())
cell heap k = peekByteOff (address (heapCells heap)) (8 * k)

-- | Put a block in a cell. One thread at a time.
setCell :: Heap -> Int -> Ptr () -> IO ()
setCell heap k = pokeByteOff (address (heapCells heap)) (8 * k)

foreign import ccall unsafe "tern_wasm_secret" c_secret :: IO Word64
