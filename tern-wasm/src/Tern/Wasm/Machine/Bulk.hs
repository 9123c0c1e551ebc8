-- | The instructions over whole memories, tables and segments.
--
-- The idea: operands stand in a row of slots; a bit of the field d says of each
-- whether it has 64 bits. Every length is compared with what is there before
-- anything is touched.
--
-- Start at 'bulk'.
module Tern.Wasm.Machine.Bulk
  ( bulk,
    initTable,
    initMemory,
    inBounds,
  )
where

import Control.Monad (when)
import Data.Bits (testBit)
import Data.ByteString qualified as B
import Data.ByteString.Unsafe qualified as B
import Data.Maybe (fromMaybe)
import Data.Vector (Vector)
import Data.Vector qualified as V
import Data.Vector.Mutable qualified as MV
import Data.Word (Word32, Word64, Word8)
import Foreign.Marshal.Utils (copyBytes, fillBytes, moveBytes)
import Foreign.Ptr
import Foreign.Storable
import Tern.Wasm.Code
import Tern.Wasm.Error
import Tern.Wasm.Store

-- | Whether so many places from one on are among a number of them.
inBounds :: Word64 -> Word64 -> Int -> Bool
inBounds from n size = n <= fromIntegral size && from <= fromIntegral size - n

-- | Run an instruction of an instance: its op, its field d, two indices, and where
-- its operands are and its result goes. How many bytes it went over.
bulk :: Instance -> Op -> Int -> Int -> Int -> Ptr () -> IO (Either Trap Int)
bulk i op d b c home = case op of
  DoMemorySize -> memoryPages (memory b) >>= give 0
  DoMemoryGrow -> do
    n <- arg 0
    r <- growMemory (memory b) n
    give (maybe 0 (const (65536 * fromIntegral n)) r) (orFailed r)
  DoMemoryFill -> three 1 $ \to v n -> onMemory (memory b) to n $ \p -> fillBytes p (fromIntegral v :: Word8) (fromIntegral n)
  DoMemoryCopy -> three 1 $ \to from n -> do
    withMemory (memory c) $ \q size ->
      if inBounds from n size
        then onMemory (memory b) to n $ \p -> moveBytes p (q `plusPtr` fromIntegral from) (fromIntegral n)
        else pure (Just OutOfBoundsMemory)
  DoMemoryInit -> three 1 $ \to from n -> do
    bytes <- MV.read (instanceDatas i) b
    initMemory (memory c) to bytes from n
  DoDataDrop -> Right 0 <$ MV.write (instanceDatas i) b B.empty
  DoTableGet -> do
    x <- arg 0
    withTable (table b) $ \p size ->
      counted 0 . onTable (inBounds x 1 size) $
        peekElemOff p (fromIntegral x) >>= pokeByteOff home 0
  DoTableSet -> do
    x <- arg 0
    v <- word 1
    withTable (table b) $ \p size ->
      counted 0 . onTable (inBounds x 1 size) $ pokeElemOff p (fromIntegral x) v
  DoTableSize -> tableSize (table b) >>= give 0
  DoTableGrow -> do
    v <- word 0
    -- The bit of the second operand; the result's is the first.
    n <- if testBit d 1 then word 1 else fromIntegral <$> (peekByteOff home 8 :: IO Word32)
    r <- growTable (table b) n v
    if testBit d 1 then pokeByteOff home 0 (orFailed r) else pokeByteOff home 0 (fromIntegral (orFailed r) :: Word32)
    pure (Right (maybe 0 (const (8 * fromIntegral n)) r))
  DoTableFill -> do
    x <- arg 0
    v <- word 1
    n <- arg 2
    withTable (table b) $ \p size ->
      counted (8 * fromIntegral n) . onTable (inBounds x n size) $
        mapM_ (\k -> pokeElemOff p k v) [fromIntegral x .. fromIntegral (x + n) - 1]
  DoTableCopy -> three 8 $ \to from n -> withTable (table b) $ \p size -> withTable (table c) $ \q size' ->
    onTable (inBounds to n size && inBounds from n size') $
      moveBytes (p `plusPtr` (8 * fromIntegral to)) (q `plusPtr` (8 * fromIntegral from)) (8 * fromIntegral n)
  DoTableInit -> three 8 $ \to from n -> do
    elements <- MV.read (instanceElems i) c
    initTable (table b) to elements from n
  -- DoElemDrop; the driver sends nothing else here.
  _ -> Right 0 <$ when (op == DoElemDrop) (MV.write (instanceElems i) b V.empty)
  where
    memory x = instanceMemories i V.! x
    table x = instanceTables i V.! x
    word :: Int -> IO Word64
    word k = peekByteOff home (8 * k)
    arg :: Int -> IO Word64
    arg k = if testBit d k then word k else fromIntegral <$> (peekByteOff home (8 * k) :: IO Word32)
    -- The third is how many there are, of so many bytes each.
    three each f = do
      x <- arg 0
      y <- arg 1
      z <- arg 2
      counted (each * fromIntegral z) (f x y z)
    counted :: Int -> IO (Maybe Trap) -> IO (Either Trap Int)
    counted n = fmap (maybe (Right n) Left)
    orFailed = fromMaybe (-1)
    give :: Int -> Int -> IO (Either Trap Int)
    give over n = Right over <$ if testBit d 0 then pokeByteOff home 0 n else pokeByteOff home 0 (fromIntegral n :: Word32)
    onTable ok action = if ok then Nothing <$ action else pure (Just OutOfBoundsTable)

-- | Do something at a place in memory if so many bytes are there.
onMemory :: Memory -> Word64 -> Word64 -> (Ptr Word8 -> IO ()) -> IO (Maybe Trap)
onMemory m at n f = withMemory m $ \p size ->
  if inBounds at n size
    then Nothing <$ f (p `plusPtr` fromIntegral at)
    else pure (Just OutOfBoundsMemory)

-- | Copy part of a data segment to memory: to, from, how many.
initMemory :: Memory -> Word64 -> B.ByteString -> Word64 -> Word64 -> IO (Maybe Trap)
initMemory m to bytes from n
  | not (inBounds from n (B.length bytes)) = pure (Just OutOfBoundsMemory)
  | otherwise = onMemory m to n $ \p ->
      B.unsafeUseAsCString (B.drop (fromIntegral from) bytes) $ \q -> copyBytes p (castPtr q) (fromIntegral n)

-- | Copy part of an element segment to a table: to, from, how many.
initTable :: Table -> Word64 -> Vector Word64 -> Word64 -> Word64 -> IO (Maybe Trap)
initTable t to elements from n = withTable t $ \p size ->
  if inBounds to n size && inBounds from n (V.length elements)
    then Nothing <$ V.imapM_ (\k v -> pokeElemOff p (fromIntegral to + k) v) (V.slice (fromIntegral from) (fromIntegral n) elements)
    else pure (Just OutOfBoundsTable)
