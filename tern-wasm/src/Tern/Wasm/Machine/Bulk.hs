-- | The instructions over whole memories, tables and segments.
--
-- The idea: operands stand in a row of slots; a bit of the field d says of each
-- whether it has 64 bits. Every length is compared with what is there before
-- anything is paid for or touched.
--
-- Start at 'bulk'.
module Tern.Wasm.Machine.Bulk
  ( bulk,
    initTable,
    initMemory,
    inBounds,
  )
where

import Data.Bits (testBit)
import Data.ByteString qualified as B
import Data.ByteString.Unsafe qualified as B
import Data.Maybe (fromMaybe)
import Data.Vector (Vector)
import Data.Vector qualified as V
import Data.Vector.Mutable qualified as MV
import Data.Word (Word32, Word64, Word8)
import Tern.Wasm.Error (Trap (..))
import Tern.Wasm.Meaning (BulkOp (..))
import Tern.Wasm.Metered (Outcome (..), backwards, pieces)
import Tern.Wasm.Prim
  ( Ptr,
    castPtr,
    copyBytes,
    fillBytes,
    moveBytes,
    peekByteOff,
    peekElemOff,
    plusPtr,
    pokeByteOff,
    pokeElemOff,
  )
import Tern.Wasm.Store
  ( Instance (..),
    Memory (..),
    Table (..),
    copying,
    growMemory,
    growTable,
    memoryPages,
    ownMemory,
    tableSize,
    withTable,
  )

-- | Whether the @n@ places from @from@ on are among the first @size@.
inBounds :: Word64 -> Word64 -> Int -> Bool
inBounds from n size = n <= fromIntegral size && from <= fromIntegral size - n

-- | Run an instruction of an instance: which it is, its field d, two indices, and where
-- its operands are and its result goes. What goes over many bytes is done in pieces;
-- what moves a block while it grows asks between them whether there is still time.
bulk :: IO Bool -> Instance -> BulkOp -> Int -> Int -> Int -> Ptr () -> IO (Outcome ())
bulk timely i op d b c home = case op of
  MemorySize -> memoryPages (memory b) >>= give
  MemoryGrow -> do
    n <- arg 0
    size <- memoryPages (memory b)
    if n > memoryCeiling (memory b) - fromIntegral size
      then give (-1)
      else priced (65536 * fromIntegral n) (growMemory timely (memory b) n >>= give . orFailed)
  MemoryFill ->
    three $ \to v n ->
      onMemory (memory b) to n $ \at ->
        pieces
          1
          (fromIntegral n)
          ( \o k ->
              at (\p -> fillBytes (p `plusPtr` o) (fromIntegral v :: Word8) k)
          )
  MemoryCopy -> three $ \to from n -> do
    there <- ownMemory (memory c) (\_ size -> pure (inBounds from n size))
    if there
      then onMemory (memory b) to n $ \at ->
        towards (memoryCapacity (memory b) == memoryCapacity (memory c) && to > from) 1 n $ \o k ->
          at
            ( \p ->
                ownMemory (memory c) $ \q _ ->
                  moveBytes (p `plusPtr` o) (q `plusPtr` (fromIntegral from + o)) k
            )
      else refuse OutOfBoundsMemory
  MemoryInit -> three $ \to from n -> do
    bytes <- MV.read (instanceDatas i) b
    if inBounds from n (B.length bytes)
      then onMemory (memory c) to n $ \at ->
        pieces
          1
          (fromIntegral n)
          ( \o k ->
              at
                ( \p ->
                    B.unsafeUseAsCString
                      (B.drop (fromIntegral from + o) bytes)
                      (\q -> copyBytes (p `plusPtr` o) (castPtr q) k)
                )
          )
      else refuse OutOfBoundsMemory
  DataDrop -> Done () <$ MV.write (instanceDatas i) b B.empty
  TableGet -> do
    x <- arg 0
    withTable (table b) $ \p size ->
      onTable (inBounds x 1 size) . fmap Done $
        peekElemOff p (fromIntegral x) >>= pokeByteOff home 0
  TableSet -> do
    x <- arg 0
    v <- word 1
    withTable (table b) $ \p size ->
      onTable (inBounds x 1 size) . fmap Done $ pokeElemOff p (fromIntegral x) v
  TableSize -> tableSize (table b) >>= give
  TableGrow -> do
    v <- word 0
    -- The bit of the second operand; the result's is the first.
    n <- if testBit d 1 then word 1 else fromIntegral <$> (peekByteOff home 8 :: IO Word32)
    size <- tableSize (table b)
    let given :: Int -> IO ()
        given r =
          if testBit d 1
            then pokeByteOff home 0 r
            else pokeByteOff home 0 (fromIntegral r :: Word32)
    if n > tableCeiling (table b) - fromIntegral size
      then Done () <$ given (-1)
      else priced (8 * fromIntegral n) $ do
        r <- growTable timely (table b) n v
        Done () <$ given (orFailed r)
  TableFill -> do
    x <- arg 0
    v <- word 1
    n <- arg 2
    size <- tableSize (table b)
    onTable (inBounds x n size) . pieces 8 (fromIntegral n) $ \o k -> withTable (table b) $ \p _ ->
      mapM_ (\j -> pokeElemOff p j v) [fromIntegral x + o .. fromIntegral x + o + k - 1]
  TableCopy -> three $ \to from n -> do
    size <- tableSize (table b)
    size' <- tableSize (table c)
    onTable (inBounds to n size && inBounds from n size')
      . towards (tableCapacity (table b) == tableCapacity (table c) && to > from) 8 n
      $ \o k ->
        withTable (table b) $ \p _ -> withTable (table c) $ \q _ ->
          moveBytes
            (p `plusPtr` (8 * (fromIntegral to + o)))
            (q `plusPtr` (8 * (fromIntegral from + o)))
            (8 * k)
  TableInit -> three $ \to from n -> do
    elements <- MV.read (instanceElems i) c
    size <- tableSize (table b)
    current <- copying (instanceStore i) elements
    onTable
      ( inBounds to n size
          && inBounds from n (V.length elements)
      )
      . pieces 8 (fromIntegral n)
      $ \o k -> do
        now <- current
        withTable (table b) $ \p _ ->
          V.imapM_
            (\j v -> pokeElemOff p (fromIntegral to + o + j) v)
            (V.slice (fromIntegral from + o) k now)
  ElemDrop -> Done () <$ MV.write (instanceElems i) b V.empty
  where
    memory x = instanceMemories i V.! x
    table x = instanceTables i V.! x
    word :: Int -> IO Word64
    word k = peekByteOff home (8 * k)
    arg :: Int -> IO Word64
    arg k = if testBit d k then word k else fromIntegral <$> (peekByteOff home (8 * k) :: IO Word32)
    three f = do
      x <- arg 0
      y <- arg 1
      z <- arg 2
      f x y z
    -- What is copied upwards over itself is copied from its end. Two indices may be of
    -- one memory, or table, that was imported twice.
    towards :: Bool -> Int -> Word64 -> (Int -> Int -> IO ()) -> IO (Outcome ())
    towards up each n = (if up then backwards else pieces) each (fromIntegral n)
    priced n rest = pure (Price n rest)
    refuse = pure . Refused
    orFailed = fromMaybe (-1)
    give :: Int -> IO (Outcome ())
    give n =
      Done ()
        <$ if testBit d 0
          then pokeByteOff home 0 n
          else pokeByteOff home 0 (fromIntegral n :: Word32)
    onTable ok action = if ok then action else refuse OutOfBoundsTable
    -- Work on a part of a memory, if that is there; each piece asks where it is.
    onMemory m to n f = ownMemory m $ \_ size ->
      if inBounds to n size
        then f (\piece -> ownMemory m (\p _ -> piece (p `plusPtr` fromIntegral to :: Ptr Word8)))
        else refuse OutOfBoundsMemory

-- | Copy part of a data segment to memory: to, from, how many.
initMemory :: Memory -> Word64 -> B.ByteString -> Word64 -> Word64 -> IO (Maybe Trap)
initMemory m to bytes from n
  | not (inBounds from n (B.length bytes)) = pure (Just OutOfBoundsMemory)
  | otherwise = ownMemory m $ \p size ->
      if inBounds to n size
        then
          Nothing
            <$ B.unsafeUseAsCString
              (B.drop (fromIntegral from) bytes)
              ( \q ->
                  copyBytes (p `plusPtr` fromIntegral to) (castPtr q) (fromIntegral n)
              )
        else pure (Just OutOfBoundsMemory)

-- | Copy part of an element segment to a table: to, from, how many.
initTable :: Table -> Word64 -> Vector Word64 -> Word64 -> Word64 -> IO (Maybe Trap)
initTable t to elements from n = withTable t $ \p size ->
  if inBounds to n size && inBounds from n (V.length elements)
    then
      Nothing
        <$ V.imapM_
          (\k v -> pokeElemOff p (fromIntegral to + k) v)
          (V.slice (fromIntegral from) (fromIntegral n) elements)
    else pure (Just OutOfBoundsTable)
