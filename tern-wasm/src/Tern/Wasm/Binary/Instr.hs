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
    valType,
    refType,
  )
where

import Control.Applicative ((<|>))
import Data.Bits (shiftL, (.&.))
import Data.Vector qualified as V
import Data.Word (Word32)
import Tern.Wasm.Error (Malformed, MalformedReason (..))
import Tern.Wasm.Opcode
import Tern.Wasm.Reader (Reader)
import Tern.Wasm.Reader qualified as Reader
import Tern.Wasm.Syntax

-- | The instructions of an expression, each with its byte offset in the module.
-- They come lazily; the list ends early where the bytes are malformed.
instructions :: Expr -> [(Int, Instr)]
instructions = \case
  ExprFunc x -> [(0, RefFunc x), (0, End)]
  Expr base body -> go 0
    where
      go p = case Reader.run instr base body p of
        Right (i, next) -> (base + p, i) : go next
        Left _ -> []

-- | The instruction at a position in the bytes of an expression, and the next
-- position.
instrAt :: Expr -> Int -> Either Malformed (Instr, Int)
instrAt (Expr base body) p = Reader.run instr base body p
instrAt (ExprFunc x) p = Right (if p == 0 then RefFunc x else End, p + 1)

-- | Read an expression through its last @end@ and say where an instruction
-- needs the data count section, if one does.
scan :: Reader (Maybe Int)
scan = go [] Nothing
  where
    -- The open blocks, innermost first: may an else follow?
    go :: [Bool] -> Maybe Int -> Reader (Maybe Int)
    go open needed = do
      at <- Reader.offset
      i <- instr
      case i of
        End -> case open of
          [] -> pure needed
          _ : outer -> go outer needed
        Block _ -> go (False : open) needed
        Loop _ -> go (False : open) needed
        If _ -> go (True : open) needed
        Else -> case open of
          True : outer -> go (False : outer) needed
          _ -> Reader.failureAt at ElseWithoutIf
        MemoryInit _ -> go open (needed <|> Just at)
        DataDrop _ -> go open (needed <|> Just at)
        _ -> go open needed

valType :: Reader ValType
valType = do
  at <- Reader.offset
  b <- Reader.byte
  maybe (Reader.failureAt at (UnknownByte "a value type" (fromIntegral b))) pure (valTypeOf (fromIntegral b))

valTypeOf :: Int -> Maybe ValType
valTypeOf = \case
  0x7F -> Just I32
  0x7E -> Just I64
  0x7D -> Just F32
  0x7C -> Just F64
  0x7B -> Just V128
  0x70 -> Just (Ref FuncRef)
  0x6F -> Just (Ref ExternRef)
  _ -> Nothing

refType :: Reader RefType
refType = do
  at <- Reader.offset
  Reader.byte >>= \case
    0x70 -> pure FuncRef
    0x6F -> pure ExternRef
    b -> Reader.failureAt at (UnknownByte "a reference type" (fromIntegral b))

blockType :: Reader BlockType
blockType = do
  at <- Reader.offset
  Reader.peekByte >>= \case
    Just 0x40 -> BlockNone <$ Reader.byte
    Just b
      | Just t <- valTypeOf (fromIntegral b) -> BlockValue t <$ Reader.byte
    _ -> do
      x <- Reader.s33
      if x < 0 then Reader.failureAt at (UnknownByte "a block type" (fromIntegral x)) else pure (BlockIndex (fromIntegral x))

index :: Reader Index
index = fromIntegral <$> Reader.u32
{-# INLINE index #-}

-- | A byte that must be zero.
zero :: a -> Reader a
zero i = do
  at <- Reader.offset
  Reader.byte >>= \case
    0 -> pure i
    b -> Reader.failureAt at (UnknownByte "a zero byte" (fromIntegral b))

memArg :: Reader MemArg
memArg = do
  at <- Reader.offset
  align <- Reader.u32
  if align >= 32
    then Reader.failureAt at (UnknownByte "the flags of a memory argument" (fromIntegral (align .&. 0xFFFF)))
    else MemArg (fromIntegral align) <$> Reader.u32

instr :: Reader Instr
instr = do
  at <- Reader.offset
  b <- Reader.byte
  case b of
    0x00 -> pure Unreachable
    0x01 -> pure Nop
    0x02 -> Block <$> blockType
    0x03 -> Loop <$> blockType
    0x04 -> If <$> blockType
    0x05 -> pure Else
    0x0B -> pure End
    0x0C -> Br <$> index
    0x0D -> BrIf <$> index
    0x0E -> BrTable . V.toList <$> Reader.vec index <*> index
    0x0F -> pure Return
    0x10 -> Call <$> index
    0x11 -> flip CallIndirect <$> index <*> index
    0x1A -> pure Drop
    0x1B -> pure Select
    0x1C -> SelectT . V.toList <$> Reader.vec valType
    0x20 -> LocalGet <$> index
    0x21 -> LocalSet <$> index
    0x22 -> LocalTee <$> index
    0x23 -> GlobalGet <$> index
    0x24 -> GlobalSet <$> index
    0x25 -> TableGet <$> index
    0x26 -> TableSet <$> index
    0x3F -> zero MemorySize
    0x40 -> zero MemoryGrow
    0x41 -> I32Const <$> Reader.s32
    0x42 -> I64Const <$> Reader.s64
    0x43 -> F32Const <$> Reader.word32
    0x44 -> F64Const <$> Reader.word64
    0xD0 -> RefNull <$> refType
    0xD1 -> pure RefIsNull
    0xD2 -> RefFunc <$> index
    0xFC -> prefixed at
    0xFD -> vector at
    _
      | b >= 0x45 && b <= 0xC4 -> pure (Plain (fromIntegral b))
      | b >= 0x28 && b <= 0x3E -> Access (fromIntegral b) <$> memArg
      | otherwise -> Reader.failureAt at (UnknownOpcode (fromIntegral b))

prefixed :: Int -> Reader Instr
prefixed at =
  Reader.u32 >>= \case
    n | n <= 7 -> pure (Plain (0x100 + fromIntegral n))
    8 -> do
      x <- index
      zero (MemoryInit x)
    9 -> DataDrop <$> index
    10 -> zero () >> zero MemoryCopy
    11 -> zero MemoryFill
    12 -> flip TableInit <$> index <*> index
    13 -> ElemDrop <$> index
    14 -> TableCopy <$> index <*> index
    15 -> TableGrow <$> index
    16 -> TableSize <$> index
    17 -> TableFill <$> index
    n -> Reader.failureAt at (UnknownOpcode (0xFC00 + small n))

vector :: Int -> Reader Instr
vector at =
  Reader.u32 >>= \case
    12 -> V128Const <$> Reader.word64 <*> Reader.word64
    13 -> I8x16Shuffle <$> Reader.word64 <*> Reader.word64
    n
      | n < 0x100,
        Just o <- operator (0x200 + fromIntegral n) -> do
          let code = 0x200 + fromIntegral n
          case operatorImmediate o of
            NoImmediate -> pure (Plain code)
            MemoryImmediate _ -> Access code <$> memArg
            MemoryLaneImmediate _ -> AccessLane code <$> memArg <*> Reader.byte
            LaneImmediate _ -> Lane code <$> Reader.byte
    n -> Reader.failureAt at (UnknownOpcode (0xFD `shiftL` 16 + small n))

small :: Word32 -> Int
small n = fromIntegral (n .&. 0xFFFF)
