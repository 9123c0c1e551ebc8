{-# LANGUAGE OverloadedStrings #-}

-- | Instructions in the binary format.
--
-- The idea: one reader, 'instr', for everybody who walks a body: the decoder's
-- check ('scan'), validation, lowering and the printer.
--
-- Start at 'instr'.
module Tern.Wasm.Binary.Instr
  ( instr,
    instrAt,
    instructions,
    scan,
  )
where

import Control.Applicative ((<|>))
import Data.Bits (shiftL, (.&.))
import Data.Vector qualified as V
import Data.Word (Word32)
import Tern.Wasm.Aggregate (Index2 (..), Indices (..), Row (..), aggregate, aggregateAt)
import Tern.Wasm.Binary.Type (blockType, flag, heapType, index, valType)
import Tern.Wasm.Error (Malformed, MalformedReason (..))
import Tern.Wasm.Opcode
  ( Immediate (..),
    Operator (..),
    accessAt,
    scalarAt,
    vectorAt,
    vectorOperator,
  )
import Tern.Wasm.Reader (Reader)
import Tern.Wasm.Reader qualified as Reader
import Tern.Wasm.Rules (Rules (..))
import Tern.Wasm.Syntax

-- | The instructions of an expression, each with its byte offset in the module.
-- They come lazily; the list ends early where the bytes are malformed.
instructions :: Expr -> [(Int, Instr)]
instructions = \case
  ExprFunc x -> [(0, RefFunc x), (0, End)]
  Expr base body -> go 0
    where
      go p = case Reader.run (instr Rules3) base body p of
        Right (i, next) -> (base + p, i) : go next
        Left _ -> []

-- | The instruction at a position in the bytes of an expression, and the next
-- position.
instrAt :: Expr -> Int -> Either Malformed (Instr, Int)
instrAt (Expr base body) p = Reader.run (instr Rules3) base body p
instrAt (ExprFunc x) p = Right (if p == 0 then RefFunc x else End, p + 1)

-- | Read an expression through its last @end@ and say where an instruction
-- needs the data count section, if one does.
scan :: Rules -> Reader (Maybe Int)
scan rules = go [] Nothing
  where
    -- The open blocks, innermost first: may an else follow?
    go :: [Bool] -> Maybe Int -> Reader (Maybe Int)
    -- Evaluated as it goes: what was put off would hold every instruction.
    go open !needed = do
      at <- Reader.offset
      i <- instr rules
      case nesting i of
        Opens -> go (False : open) needed
        OpensTwo -> go (True : open) needed
        Divides -> case open of
          True : outer -> go (False : outer) needed
          _ -> Reader.failureAt at ElseWithoutIf
        Closes -> case open of
          [] -> pure needed
          _ : outer -> go outer needed
        Within -> go open (if named i then needed <|> Just at else needed)
    -- Whether it names a data segment.
    named = \case
      MemoryInit _ _ -> True
      DataDrop _ -> True
      Aggregate g _ _ | TypeAnd OfData <- rowIndices (aggregate g) -> True
      _ -> False

-- | The index of a memory, which was a byte of zero before the third edition.
memory :: Rules -> Reader Index
memory rules
  | rules < Rules3 = flag "a zero byte" (\b -> if b == 0 then Just 0 else Nothing)
  | otherwise = index

memArg :: Rules -> Reader MemArg
memArg rules = do
  at <- Reader.offset
  align <- fromIntegral <$> Reader.u32
  let malformed =
        Reader.failureAt at (UnknownByte "the flags of a memory argument" (align .&. 0xFFFF))
  if rules < Rules3
    then if align >= 32 then malformed else MemArg align 0 . fromIntegral <$> Reader.u32
    else
      if align >= 128
        then malformed
        else MemArg (align .&. 63) <$> (if align >= 64 then index else pure 0) <*> Reader.u64

-- | One instruction with its immediates (WebAssembly core, section 5.4). Those of the third
-- edition are unknown opcodes to earlier rules. Whether blocks are closed is for 'scan'.
instr :: Rules -> Reader Instr
instr rules = do
  at <- Reader.offset
  b <- Reader.byte
  let unknown = Reader.failureAt at (UnknownOpcode (fromIntegral b))
      third r = if rules < Rules3 then unknown else r
  case b of
    0x00 -> pure Unreachable
    0x01 -> pure Nop
    0x02 -> Block <$> blockType rules
    0x03 -> Loop <$> blockType rules
    0x04 -> If <$> blockType rules
    0x05 -> pure Else
    0x08 -> third (Throw <$> index)
    0x0A -> third (pure ThrowRef)
    0x0B -> pure End
    0x0C -> Br <$> index
    0x0D -> BrIf <$> index
    0x0E -> BrTable . V.toList <$> Reader.vec index <*> index
    0x0F -> pure Return
    0x10 -> Call <$> index
    0x11 -> flip CallIndirect <$> index <*> index
    0x12 -> third (ReturnCall <$> index)
    0x13 -> third (flip ReturnCallIndirect <$> index <*> index)
    0x14 -> third (CallRef <$> index)
    0x15 -> third (ReturnCallRef <$> index)
    0x1A -> pure Drop
    0x1B -> pure Select
    0x1C -> SelectT . V.toList <$> Reader.vec (valType rules)
    0x1F -> third (TryTable <$> blockType rules <*> (V.toList <$> Reader.vec catch))
    0x20 -> LocalGet <$> index
    0x21 -> LocalSet <$> index
    0x22 -> LocalTee <$> index
    0x23 -> GlobalGet <$> index
    0x24 -> GlobalSet <$> index
    0x25 -> TableGet <$> index
    0x26 -> TableSet <$> index
    0x3F -> MemorySize <$> memory rules
    0x40 -> MemoryGrow <$> memory rules
    0x41 -> I32Const <$> Reader.s32
    0x42 -> I64Const <$> Reader.s64
    0x43 -> F32Const <$> Reader.word32
    0x44 -> F64Const <$> Reader.word64
    0xD0 -> RefNull <$> heapType rules
    0xD1 -> pure RefIsNull
    0xD2 -> RefFunc <$> index
    0xD3 -> third (pure RefEq)
    0xD4 -> third (pure RefAsNonNull)
    0xD5 -> third (BrOnNull <$> index)
    0xD6 -> third (BrOnNonNull <$> index)
    0xFB -> third (object at)
    0xFC -> prefixed rules at
    0xFD -> vector rules at
    _
      | Just op <- scalarAt (fromIntegral b) -> pure (Plain op)
      | Just op <- accessAt (fromIntegral b) -> Access op <$> memArg rules
      | otherwise -> unknown

catch :: Reader Catch
catch = do
  kind <- flag "the kind of a catch" $ \case
    0 -> Just (CatchTag False <$> index)
    1 -> Just (CatchTag True <$> index)
    2 -> Just (pure (CatchAll False))
    3 -> Just (pure (CatchAll True))
    _ -> Nothing
  Catch <$> kind <*> index

-- | Structures, arrays and casts.
object :: Int -> Reader Instr
object at =
  Reader.u32 >>= \u ->
    let n = fromIntegral u :: Int
     in case n of
          20 -> RefTest . RefType False <$> heapType Rules3
          21 -> RefTest . RefType True <$> heapType Rules3
          22 -> RefCast . RefType False <$> heapType Rules3
          23 -> RefCast . RefType True <$> heapType Rules3
          24 -> onCast False
          25 -> onCast True
          _ -> case aggregateAt n of
            Just g -> case rowIndices (aggregate g) of
              NoIndex -> pure (Aggregate g 0 0)
              TypeIndex -> (\x -> Aggregate g x 0) <$> index
              TypeAnd _ -> Aggregate g <$> index <*> index
            Nothing -> Reader.failureAt at (UnknownOpcode (0xFB00 + min 0xFF n))
  where
    onCast fails = do
      nulls <- flag "the flags of a cast" (\b -> if b < 4 then Just b else Nothing)
      l <- index
      a <- RefType (odd nulls) <$> heapType Rules3
      b <- RefType (nulls >= 2) <$> heapType Rules3
      pure (BrOnCast fails l a b)

prefixed :: Rules -> Int -> Reader Instr
prefixed rules at =
  Reader.u32 >>= \case
    n | Just op <- scalarAt (0x100 + fromIntegral n) -> pure (Plain op)
    8 -> MemoryInit <$> index <*> memory rules
    9 -> DataDrop <$> index
    10 -> MemoryCopy <$> memory rules <*> memory rules
    11 -> MemoryFill <$> memory rules
    12 -> flip TableInit <$> index <*> index
    13 -> ElemDrop <$> index
    14 -> TableCopy <$> index <*> index
    15 -> TableGrow <$> index
    16 -> TableSize <$> index
    17 -> TableFill <$> index
    n -> Reader.failureAt at (UnknownOpcode (0xFC00 + small n))

vector :: Rules -> Int -> Reader Instr
vector rules at =
  Reader.u32 >>= \case
    n
      | n < (if rules < Rules3 then 0x100 else 0x120),
        Just op <- vectorAt (fromIntegral n) -> case operatorImmediate (vectorOperator op) of
          NoImmediate -> pure (Vector op)
          MemoryImmediate _ -> VectorAccess op <$> memArg rules
          MemoryLaneImmediate _ -> VectorAccessLane op <$> memArg rules <*> Reader.byte
          LaneImmediate _ -> VectorLane op <$> Reader.byte
          ConstantImmediate -> VectorBytes op <$> Reader.word64 <*> Reader.word64
          ShuffleImmediate -> VectorBytes op <$> Reader.word64 <*> Reader.word64
    n -> Reader.failureAt at (UnknownOpcode (0xFD `shiftL` 16 + small n))

small :: Word32 -> Int
small n = fromIntegral (n .&. 0xFFFF)
