-- | What the quick check of bodies looks at and writes to, in one block of memory.
--
-- The idea: types are bytes, rows of types are numbers, and all tables, the operands'
-- types, the open blocks and the locals lie at fixed or known distances from one
-- address, so that the loop over instructions has few things to carry.
--
-- Start at 'Room' and 'withRoom'. Who reads or writes it keeps within what is said
-- here; "Tern.Wasm.Valid.Quick" says how.
module Tern.Wasm.Valid.Room
  ( -- * Types as numbers
    typeCode,
    byteType,
    Row,
    row,
    rowAt,
    rowLength,

    -- * The room
    Room,
    withRoom,
    int,
    byte,
    stackRoom,
    blockRoom,
    localRoom,
    blocksAt,
    localsAt,
    plainAt,
    prefixedAt,
    accessAt,
    countsAt,
    beginningsAt,
    memoryAt,
    rowsAt,
    ofTypes,
    ofFuncs,
    ofGlobals,
    ofTables,

    -- * Numbers in the bytes
    u32,
    afterSigned,
    number,
    after,
  )
where

import Control.Monad (forM_, zipWithM_)
import Data.Bits (shiftL, shiftR, (.&.), (.|.))
import Data.Maybe (fromMaybe)
import Data.Vector qualified as V
import Data.Word (Word8)
import Foreign.Marshal.Alloc (allocaBytes)
import Tern.Wasm.Opcode (Immediate (..), Operator (..), accessOperator, scalarAt, scalarOperator)
import Tern.Wasm.Opcode qualified as Opcode
import Tern.Wasm.Prim (Ptr, fillBytes, peekByteOff, pokeByteOff)
import Tern.Wasm.Syntax
import Tern.Wasm.Valid.Spaces (Spaces (..))

-- * Types as numbers

-- | A value's type: 1 to 5; 0 is any type, of operands that cannot be reached.
typeCode :: ValType -> Maybe Word8
typeCode = \case
  I32 -> Just 1
  I64 -> Just 2
  F32 -> Just 3
  F64 -> Just 4
  V128 -> Just 5
  Ref _ -> Nothing

-- | The same for the byte that stands for it; 0 for others.
byteType :: Word8 -> Int
byteType b
  | b >= 0x7B && b <= 0x7F = fromIntegral (0x80 - b)
  | otherwise = 0

-- | A row of types: where it begins in the room, and its length, as one number; -1
-- where it is not known here.
type Row = Int

-- | The row that begins at a distance in bytes and has a length, which is below 4096.
row :: Int -> Int -> Row
row at n = at `shiftL` 12 .|. n

-- | Where a row begins, in bytes from the room's start, and how many types it has. A row that is
-- not known has neither.
rowAt, rowLength :: Row -> Int
rowAt r = r `shiftR` 12
rowLength r = r .&. 0xFFF

-- * The room

-- | Everything that is looked at or written lies in one block, so that the loop over
-- instructions has few things to carry: the operands' types, a byte each; the open
-- blocks, four words each; the locals' types; tables of the operators; how many
-- types, functions, globals and tables there are and where what is known of them
-- begins; and all that.
type Room = Ptr Word8

-- | Most operands and most open blocks that are looked at here, and most locals.
stackRoom, blockRoom, localRoom :: Int
stackRoom = 16384
blockRoom = 1024
localRoom = 4096

-- | Of each open block: where the operands of the one around it begin and whether
-- that one is dead; what a branch takes; what it leaves; its parameters, or -1 but
-- for an @if@.
blocksAt, localsAt :: Int
blocksAt = stackRoom
localsAt = blocksAt + 32 * blockRoom

-- | Of the operators 0x45 to 0xC4 and of those after the prefix 0xFC: how many
-- operands (one or two, of one type), their type and the result's, as @operands * 64
-- + type * 8 + result@; 0 for none. Of the loads and stores: the natural alignment,
-- the type, and whether it is a store, as @alignment * 16 + type * 2 + store@.
plainAt, prefixedAt, accessAt :: Int
plainAt = localsAt + localRoom
prefixedAt = plainAt + 256
accessAt = prefixedAt + 8

-- | Four counts and four beginnings: of types and functions (parameters and results
-- of each), globals (its type, 0 where not known here, and whether it varies) and
-- tables (whether it holds functions, by 32 bits); then whether the first memory is
-- there and has 32-bit addresses.
countsAt, beginningsAt, memoryAt, rowsAt :: Int
countsAt = accessAt + 256
beginningsAt = countsAt + 32
memoryAt = beginningsAt + 32
rowsAt = memoryAt + 8

-- | Which count and which beginning: bytes from 'countsAt' and from 'beginningsAt'.
ofTypes, ofFuncs, ofGlobals, ofTables :: Int
ofTypes = 0
ofFuncs = 8
ofGlobals = 16
ofTables = 24

-- | Make a room for a module's index spaces and use it. Linear in the types and
-- functions.
withRoom :: Spaces -> (Room -> IO a) -> IO a
withRoom sp use = allocaBytes end $ \room -> do
  fillBytes room 0 end
  forM_ [0 .. 255] $ \code -> do
    pokeByteOff room (plainAt + code) (plainRow code)
    pokeByteOff room (accessAt + code) (accessRow code)
  forM_ [0 .. 7] $ \code -> pokeByteOff room (prefixedAt + code) (plainRow (0x100 + code))
  forM_ (zip3 [0, 8 ..] counts beginnings) $ \(o, n, begin) -> do
    pokeByteOff room (countsAt + o) n
    pokeByteOff room (beginningsAt + o) begin
  pokeByteOff
    room
    memoryAt
    ( if maybe False ((== Address32) . memoryAddress) (spaceMems sp V.!? 0)
        then 1
        else
          0 ::
            Int
    )
  -- The rows of one type are those types themselves.
  zipWithM_
    (\o c -> pokeByteOff room (rowsAt + o) (c :: Word8))
    [0 ..]
    ([0 .. 5] <> concatMap snd known)
  V.iforM_ rows $ \k r -> both room (typesBegin + 16 * k) r
  V.iforM_ (spaceFuncTypes sp) $ \k x ->
    both room (funcsBegin + 16 * k) (fromMaybe (-1, -1) (rows V.!? x))
  V.iforM_ (spaceGlobals sp) $ \k (GlobalType m t) -> do
    pokeByteOff room (globalsBegin + 2 * k) (fromMaybe 0 (typeCode t))
    pokeByteOff room (globalsBegin + 2 * k + 1) (if m == Var then 1 else 0 :: Word8)
  V.iforM_ (spaceTables sp) $ \k t ->
    pokeByteOff
      room
      (tablesBegin + k)
      ( if tableAddress t == Address32 && tableRef t == FuncRef
          then 1
          else
            0 ::
              Word8
      )
  use room
  where
    -- The rows of each type, and what they are.
    known = map ofType (V.toList (spaceTypes sp))
    rows = V.fromList (zipWith placed (scanl (+) (rowsAt + 6) (map (length . snd) known)) known)
    rowsEnd = (rowsAt + 6 + sum (map (length . snd) known) + 7) .&. (-8)
    counts =
      [ V.length
          (spaceTypes sp),
        V.length (spaceFuncTypes sp),
        V.length (spaceGlobals sp),
        V.length (spaceTables sp)
      ]
    beginnings = [typesBegin, funcsBegin, globalsBegin, tablesBegin]
    typesBegin = rowsEnd
    funcsBegin = typesBegin + 16 * V.length (spaceTypes sp)
    globalsBegin = funcsBegin + 16 * V.length (spaceFuncTypes sp)
    tablesBegin = globalsBegin + 2 * V.length (spaceGlobals sp)
    end = tablesBegin + V.length (spaceTables sp) + 8
    both room o (params, results) =
      pokeByteOff room o (params :: Int) >> pokeByteOff room (o + 8) (results :: Int)
    placed at (shape, _) = case shape of
      Just (n, k) -> (row at n, row (at + n) k)
      Nothing -> (-1, -1)
    ofType :: SubType -> (Maybe (Int, Int), [Word8])
    ofType t = case subComp t of
      CompFunc (FuncType ps rs)
        | Just ps' <- mapM typeCode ps,
          Just rs' <- mapM typeCode rs,
          length ps < 4096,
          length rs < 4096 ->
            (Just (length ps, length rs), ps' <> rs')
      _ -> (Nothing, [])

-- | Of the operators with a code, as said above; 0 where there is none, or where this
-- has no room for it.
plainRow, accessRow :: Int -> Word8
plainRow code = case scalarOperator <$> scalarAt code of
  Just Operator {operatorParams = [t], operatorResults = [r], operatorImmediate = NoImmediate}
    | Just t' <- typeCode t,
      Just r' <- typeCode r ->
        64 + 8 * t' + r'
  Just Operator {operatorParams = [t, u], operatorResults = [r], operatorImmediate = NoImmediate}
    | t == u,
      Just t' <- typeCode t,
      Just r' <- typeCode r ->
        128 + 8 * t' + r'
  _ -> 0
accessRow code = case accessOperator <$> Opcode.accessAt code of
  Just Operator {operatorResults = [r], operatorImmediate = MemoryImmediate n} ->
    fromIntegral (16 * n) + 2 * fromMaybe 0 (typeCode r)
  Just Operator {operatorParams = [_, t], operatorImmediate = MemoryImmediate n} ->
    fromIntegral (16 * n) + 2 * fromMaybe 0 (typeCode t) + 1
  _ -> 0

-- | The 8 bytes at a distance in bytes, which is compared with nothing.
int :: Room -> Int -> IO Int
int = peekByteOff
{-# INLINE int #-}

-- | The byte at a distance, which is compared with nothing.
byte :: Room -> Int -> IO Word8
byte = peekByteOff
{-# INLINE byte #-}

-- * Numbers in the bytes

-- | An unsigned number of 32 bits and the position after it, as one number; -1
-- where there is none. Of a position that is not in the bytes too.
u32 :: Ptr Word8 -> Int -> Int -> IO Int
u32 code end p
  | p >= end = pure (-1)
  | otherwise = do
      w <- byte code p
      if w < 0x80
        then pure (packed (fromIntegral w) (p + 1))
        else longer code end (p + 1) 7 (fromIntegral (w .&. 0x7F))
{-# INLINE u32 #-}

longer :: Ptr Word8 -> Int -> Int -> Int -> Int -> IO Int
longer !code !end !q !shift !acc
  | q >= end = pure (-1)
  | otherwise = do
      v <- byte code q
      let acc' = acc .|. (fromIntegral (v .&. 0x7F) `shiftL` shift)
      if shift == 28
        then pure (if v < 0x10 then packed acc' (q + 1) else -1)
        else
          if v < 0x80
            then pure (packed acc' (q + 1))
            else longer code end (q + 1) (shift + 7) acc'

-- | Bodies are shorter than 2^31 bytes: "Tern.Wasm.Valid.Quick" sees to it.
packed :: Int -> Int -> Int
packed v p = p `shiftL` 32 .|. v

-- | The number that 'u32' read, and the position after it. Not of -1.
number, after :: Int -> Int
number r = r .&. 0xFFFFFFFF
after r = r `shiftR` 32

-- | The position after a signed number of 32 or 64 bits, or -1.
afterSigned :: Bool -> Ptr Word8 -> Int -> Int -> IO Int
afterSigned wide code end = go (if wide then 9 else 4 :: Int)
  where
    go !k !p
      | p >= end = pure (-1)
      | otherwise = do
          w <- byte code p
          let final ok = pure (if ok then p + 1 else -1)
          if k == 0
            then
              if wide
                then final (w == 0 || w == 0x7F)
                else
                  final
                    (w < 0x08 || w >= 0x78 && w < 0x80)
            else if w < 0x80 then pure (p + 1) else go (k - 1) (p + 1)
