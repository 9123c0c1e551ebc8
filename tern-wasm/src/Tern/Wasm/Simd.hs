-- | The vector operators, on two halves of 64 bits.
--
-- The idea: both operands are read whole before the result is written, so that
-- the places may overlap; each operator is a few combinators over lanes, from
-- "Tern.Wasm.Simd.Lane".
--
-- An instruction is 32 bytes: the 'VectorOp' in the field d, the result
-- in a, operands in b and c, and 16 bytes of immediate: a third operand, or an
-- offset and a lane, or a constant. Start at 'step'.
module Tern.Wasm.Simd
  ( step,
    canonical32,
    canonical64,
  )
where

import Control.Monad ((>=>))
import Data.Bits (complement, popCount, shiftL, shiftR, xor, (.&.), (.|.))
import Data.Int (Int32, Int64)
import Data.Word (Word16, Word32, Word64, Word8)
import GHC.Float (float2Double, int2Double, int2Float)
import Tern.Wasm.Code (exitMemory)
import Tern.Wasm.Numeric
  ( Rounding (..),
    max32,
    max64,
    min32,
    min64,
    round32,
    round64,
    truncSatS32,
    truncSatU32,
  )
import Tern.Wasm.Opcode (VectorOp (..))
import Tern.Wasm.Prim (Ptr, Storable, peekByteOff, pokeByteOff)
import Tern.Wasm.Simd.Lane
  ( V (..),
    allTrue,
    bitmask,
    clampS,
    clampU,
    cut,
    demote,
    dot,
    double,
    float32,
    float64,
    highHalf,
    int,
    int32,
    lanes1,
    lanes2,
    lanes3,
    lowHalf,
    multiply,
    narrow,
    ones,
    pairsum,
    pairwise,
    promote,
    replace,
    signed,
    single,
    splat,
    undouble,
    unsigned,
    unsingle,
    w32,
    widen,
    word,
  )

-- | Run the instruction at @ip@ over the frame at @fp@ and the memory at @mem@, which
-- has @size@ bytes; 0, or the trap's code.
step :: Ptr () -> Ptr () -> Ptr () -> Int -> IO Int
step ip fp mem size = do
  d <- peekByteOff ip 2 :: IO Word16
  a <- field 4
  b <- field 8
  c <- field 12
  let vector o = V <$> peekByteOff fp o <*> peekByteOff fp (o + 8)
      x = vector b
      y = vector c
      put (V l h) = do
        pokeByteOff fp a l
        pokeByteOff fp (a + 8) h
        pure 0
      put32 :: Word32 -> IO Int
      put32 w = 0 <$ pokeByteOff fp a w
      put64 :: Word64 -> IO Int
      put64 w = 0 <$ pokeByteOff fp a w
      one f = x >>= put . f
      two f = do
        v <- x
        w <- y
        put (f v w)
      three width f = do
        w <- field 16 >>= vector
        two $ \u v -> lanes3 width f u v w
      test f = x >>= put32 . (\t -> if t then 1 else 0) . f
      shift width f = do
        v <- x
        n <- peekByteOff fp c :: IO Word32
        put (lanes1 width (f (fromIntegral n .&. (width - 1))) v)
      scalar :: (Storable s) => IO s
      scalar = peekByteOff fp b
      lane = fromIntegral <$> (peekByteOff ip 20 :: IO Int32) :: IO Int
      -- Where in memory the n bytes at the address in b are.
      at :: Int -> (Int -> IO Int) -> IO Int
      at n f = do
        flags <- peekByteOff ip 24 :: IO Word32
        offset <- peekByteOff ip 16 :: IO Word32
        high <- peekByteOff ip 28 :: IO Word32
        base <- if odd flags then scalar else fromIntegral <$> (scalar :: IO Word32)
        let distance =
              fromIntegral offset
                + (if odd flags then fromIntegral high `shiftL` 32 else 0) ::
                Word64
            address = base + distance
        if address < distance || address > fromIntegral size || n > size - fromIntegral address
          then pure exitMemory
          else f (fromIntegral address)
      load8 o = peekByteOff mem o :: IO Word8
      load16 o = peekByteOff mem o :: IO Word16
      load32 o = peekByteOff mem o :: IO Word32
      load64 o = peekByteOff mem o :: IO Word64
      loadLane width get = at (width `div` 8) $ \o -> do
        v <- y
        n <- lane
        w <- get o
        put (replace width n w v)
      extract f = do
        v <- x
        n <- lane
        f v n
      replaceBy width get = do
        v <- x
        n <- lane
        w <- get
        put (replace width n w v)
      word32At o = fromIntegral <$> (peekByteOff fp o :: IO Word32)
      storeLane width store = at (width `div` 8) $ \o -> do
        v <- y
        n <- lane
        0 <$ (store o (cut width n v) :: IO ())
      act = \case
        V128Load -> at 16 $ \o -> V <$> load64 o <*> load64 (o + 8) >>= put
        V128Load8x8S -> at 8 $ load64 >=> put . widen 8 signed
        V128Load8x8U -> at 8 $ load64 >=> put . widen 8 unsigned
        V128Load16x4S -> at 8 $ load64 >=> put . widen 16 signed
        V128Load16x4U -> at 8 $ load64 >=> put . widen 16 unsigned
        V128Load32x2S -> at 8 $ load64 >=> put . widen 32 signed
        V128Load32x2U -> at 8 $ load64 >=> put . widen 32 unsigned
        V128Load8Splat -> at 1 $ load8 >=> put . splat 8 . fromIntegral
        V128Load16Splat -> at 2 $ load16 >=> put . splat 16 . fromIntegral
        V128Load32Splat -> at 4 $ load32 >=> put . splat 32 . fromIntegral
        V128Load64Splat -> at 8 $ load64 >=> put . splat 64
        V128Store -> at 16 $ \o -> do
          V l h <- y
          pokeByteOff mem o l
          pokeByteOff mem (o + 8) h
          pure 0
        V128Const -> V <$> peekByteOff ip 16 <*> peekByteOff ip 24 >>= put
        I8x16Shuffle -> do
          which <- V <$> peekByteOff ip 16 <*> peekByteOff ip 24
          two $ \v w ->
            lanes1 8 (\i -> if i < 16 then cut 8 (int i) v else cut 8 (int i - 16) w) which
        I8x16Swizzle -> two $ \v -> lanes1 8 (\i -> if i < 16 then cut 8 (int i) v else 0)
        I8x16Splat -> (scalar :: IO Word8) >>= put . splat 8 . fromIntegral
        I16x8Splat -> (scalar :: IO Word16) >>= put . splat 16 . fromIntegral
        I32x4Splat -> (scalar :: IO Word32) >>= put . splat 32 . fromIntegral
        I64x2Splat -> scalar >>= put . splat 64
        F32x4Splat -> (scalar :: IO Word32) >>= put . splat 32 . fromIntegral
        F64x2Splat -> scalar >>= put . splat 64
        I8x16ExtractLaneS -> extract $ \v n -> put32 (fromIntegral (signed 8 (cut 8 n v)))
        I8x16ExtractLaneU -> extract $ \v n -> put32 (fromIntegral (cut 8 n v))
        I8x16ReplaceLane -> replaceBy 8 (word32At c)
        I16x8ExtractLaneS -> extract $ \v n -> put32 (fromIntegral (signed 16 (cut 16 n v)))
        I16x8ExtractLaneU -> extract $ \v n -> put32 (fromIntegral (cut 16 n v))
        I16x8ReplaceLane -> replaceBy 16 (word32At c)
        I32x4ExtractLane -> extract $ \v n -> put32 (fromIntegral (cut 32 n v))
        I32x4ReplaceLane -> replaceBy 32 (word32At c)
        I64x2ExtractLane -> extract $ \v n -> put64 (cut 64 n v)
        I64x2ReplaceLane -> replaceBy 64 (peekByteOff fp c)
        F32x4ExtractLane -> extract $ \v n -> put32 (fromIntegral (cut 32 n v))
        F32x4ReplaceLane -> replaceBy 32 (word32At c)
        F64x2ExtractLane -> extract $ \v n -> put64 (cut 64 n v)
        F64x2ReplaceLane -> replaceBy 64 (peekByteOff fp c)
        V128Not -> one $ \(V l h) -> V (complement l) (complement h)
        V128And -> two $ \(V l h) (V l' h') -> V (l .&. l') (h .&. h')
        V128Andnot -> two $ \(V l h) (V l' h') -> V (l .&. complement l') (h .&. complement h')
        V128Or -> two $ \(V l h) (V l' h') -> V (l .|. l') (h .|. h')
        V128Xor -> two $ \(V l h) (V l' h') -> V (l `xor` l') (h `xor` h')
        V128Bitselect -> do
          V m m' <- field 16 >>= vector
          two $ \(V l h) (V l' h') ->
            V ((l .&. m) .|. (l' .&. complement m)) ((h .&. m') .|. (h' .&. complement m'))
        F32x4RelaxedMadd -> three 32 (\u v w -> unsingle (single u * single v + single w))
        F32x4RelaxedNmadd -> three 32 (\u v w -> unsingle (negate (single u * single v) + single w))
        F64x2RelaxedMadd -> three 64 (\u v w -> undouble (double u * double v + double w))
        F64x2RelaxedNmadd -> three 64 (\u v w -> undouble (negate (double u * double v) + double w))
        I16x8RelaxedDotI8x16I7x16S -> two dot
        I32x4RelaxedDotI8x16I7x16AddS -> do
          w <- field 16 >>= vector
          two $ \u v -> lanes2 32 (+) (pairwise 16 signed (dot u v)) w
        V128AnyTrue -> test $ \(V l h) -> l .|. h /= 0
        V128Load8Lane -> loadLane 8 (fmap fromIntegral . load8)
        V128Load16Lane -> loadLane 16 (fmap fromIntegral . load16)
        V128Load32Lane -> loadLane 32 (fmap fromIntegral . load32)
        V128Load64Lane -> loadLane 64 load64
        V128Store8Lane -> storeLane 8 (\o w -> pokeByteOff mem o (fromIntegral w :: Word8))
        V128Store16Lane -> storeLane 16 (\o w -> pokeByteOff mem o (fromIntegral w :: Word16))
        V128Store32Lane -> storeLane 32 (\o w -> pokeByteOff mem o (fromIntegral w :: Word32))
        V128Store64Lane -> storeLane 64 (pokeByteOff mem)
        V128Load32Zero -> at 4 $ load32 >=> \w -> put (V (fromIntegral w) 0)
        V128Load64Zero -> at 8 $ load64 >=> \w -> put (V w 0)
        F32x4DemoteF64x2Zero -> one $ \(V l h) -> V (demote l .|. (demote h `shiftL` 32)) 0
        F64x2PromoteLowF32x4 -> one $ \(V l _) -> V (promote l) (promote (l `shiftR` 32))
        I8x16Popcnt -> one (lanes1 8 (fromIntegral . popCount))
        I8x16AllTrue -> test (allTrue 8)
        I8x16Bitmask -> x >>= put32 . bitmask 8
        I8x16NarrowI16x8S -> two (narrow 16 (clampS 8))
        I8x16NarrowI16x8U -> two (narrow 16 (clampU 8))
        F32x4Ceil -> one (float32 (round32 Ceil))
        F32x4Floor -> one (float32 (round32 Floor))
        F32x4Trunc -> one (float32 (round32 Trunc))
        F32x4Nearest -> one (float32 (round32 Nearest))
        F64x2Ceil -> one (float64 (round64 Ceil))
        F64x2Floor -> one (float64 (round64 Floor))
        F64x2Trunc -> one (float64 (round64 Trunc))
        F64x2Nearest -> one (float64 (round64 Nearest))
        I16x8ExtaddPairwiseI8x16S -> one (pairwise 8 signed)
        I16x8ExtaddPairwiseI8x16U -> one (pairwise 8 unsigned)
        I32x4ExtaddPairwiseI16x8S -> one (pairwise 16 signed)
        I32x4ExtaddPairwiseI16x8U -> one (pairwise 16 unsigned)
        I16x8Q15mulrSatS ->
          two
            ( lanes2
                16
                ( \v w ->
                    word (clampS 16 ((signed 16 v * signed 16 w + 0x4000) `shiftR` 15))
                )
            )
        I16x8AllTrue -> test (allTrue 16)
        I16x8Bitmask -> x >>= put32 . bitmask 16
        I16x8NarrowI32x4S -> two (narrow 32 (clampS 16))
        I16x8NarrowI32x4U -> two (narrow 32 (clampU 16))
        I32x4AllTrue -> test (allTrue 32)
        I32x4Bitmask -> x >>= put32 . bitmask 32
        I32x4DotI16x8S ->
          two $ \v w -> pairsum (multiply 16 signed lowHalf v w) (multiply 16 signed highHalf v w)
        I64x2AllTrue -> test (allTrue 64)
        I64x2Bitmask -> x >>= put32 . bitmask 64
        I8x16Shl -> shift 8 (\n v -> v `shiftL` n)
        I8x16ShrS -> shift 8 (\n v -> word (signed 8 v `shiftR` n))
        I8x16ShrU -> shift 8 (\n v -> v `shiftR` n)
        I16x8Shl -> shift 16 (\n v -> v `shiftL` n)
        I16x8ShrS -> shift 16 (\n v -> word (signed 16 v `shiftR` n))
        I16x8ShrU -> shift 16 (\n v -> v `shiftR` n)
        I32x4Shl -> shift 32 (\n v -> v `shiftL` n)
        I32x4ShrS -> shift 32 (\n v -> word (signed 32 v `shiftR` n))
        I32x4ShrU -> shift 32 (\n v -> v `shiftR` n)
        I64x2Shl -> shift 64 (\n v -> v `shiftL` n)
        I64x2ShrS -> shift 64 (\n v -> word (signed 64 v `shiftR` n))
        I64x2ShrU -> shift 64 (\n v -> v `shiftR` n)
        I32x4TruncSatF32x4S -> one (lanes1 32 (fromIntegral . truncSatS32 . float2Double . single))
        I32x4TruncSatF32x4U -> one (lanes1 32 (fromIntegral . truncSatU32 . float2Double . single))
        F32x4ConvertI32x4S -> one (lanes1 32 (unsingle . int2Float . int32))
        F32x4ConvertI32x4U -> one (lanes1 32 (unsingle . int2Float . int))
        I32x4TruncSatF64x2SZero ->
          one $ \(V l h) ->
            V
              ( w32 (fromIntegral (truncSatS32 (double l)))
                  .|. (w32 (fromIntegral (truncSatS32 (double h))) `shiftL` 32)
              )
              0
        I32x4TruncSatF64x2UZero ->
          one $ \(V l h) ->
            V
              ( fromIntegral (truncSatU32 (double l))
                  .|. (fromIntegral (truncSatU32 (double h)) `shiftL` 32)
              )
              0
        F64x2ConvertLowI32x4S ->
          one $ \(V l _) ->
            V (undouble (int2Double (int32 l))) (undouble (int2Double (int32 (l `shiftR` 32))))
        F64x2ConvertLowI32x4U ->
          one $ \(V l _) ->
            V (undouble (int2Double (int (w32 l)))) (undouble (int2Double (int (l `shiftR` 32))))
        I8x16Abs -> one (absolute 8)
        I8x16Neg -> one (negated 8)
        I16x8Abs -> one (absolute 16)
        I16x8Neg -> one (negated 16)
        I32x4Abs -> one (absolute 32)
        I32x4Neg -> one (negated 32)
        I64x2Abs -> one (absolute 64)
        I64x2Neg -> one (negated 64)
        I16x8ExtendLowI8x16S -> one (\(V l _) -> widen 8 signed l)
        I16x8ExtendHighI8x16S -> one (\(V _ h) -> widen 8 signed h)
        I16x8ExtendLowI8x16U -> one (\(V l _) -> widen 8 unsigned l)
        I16x8ExtendHighI8x16U -> one (\(V _ h) -> widen 8 unsigned h)
        I32x4ExtendLowI16x8S -> one (\(V l _) -> widen 16 signed l)
        I32x4ExtendHighI16x8S -> one (\(V _ h) -> widen 16 signed h)
        I32x4ExtendLowI16x8U -> one (\(V l _) -> widen 16 unsigned l)
        I32x4ExtendHighI16x8U -> one (\(V _ h) -> widen 16 unsigned h)
        I64x2ExtendLowI32x4S -> one (\(V l _) -> widen 32 signed l)
        I64x2ExtendHighI32x4S -> one (\(V _ h) -> widen 32 signed h)
        I64x2ExtendLowI32x4U -> one (\(V l _) -> widen 32 unsigned l)
        I64x2ExtendHighI32x4U -> one (\(V _ h) -> widen 32 unsigned h)
        F32x4Abs -> one (lanes1 32 (.&. 0x7FFFFFFF))
        F32x4Neg -> one (lanes1 32 (xor 0x80000000))
        F32x4Sqrt -> one (float32 sqrt)
        F64x2Abs -> one (lanes1 64 (.&. 0x7FFFFFFFFFFFFFFF))
        F64x2Neg -> one (lanes1 64 (xor 0x8000000000000000))
        F64x2Sqrt -> one (float64 sqrt)
        I8x16Eq -> two (compared 8 unsigned (==))
        I8x16Ne -> two (compared 8 unsigned (/=))
        I8x16LtS -> two (compared 8 signed (<))
        I8x16LtU -> two (compared 8 unsigned (<))
        I8x16GtS -> two (compared 8 signed (>))
        I8x16GtU -> two (compared 8 unsigned (>))
        I8x16LeS -> two (compared 8 signed (<=))
        I8x16LeU -> two (compared 8 unsigned (<=))
        I8x16GeS -> two (compared 8 signed (>=))
        I8x16GeU -> two (compared 8 unsigned (>=))
        I16x8Eq -> two (compared 16 unsigned (==))
        I16x8Ne -> two (compared 16 unsigned (/=))
        I16x8LtS -> two (compared 16 signed (<))
        I16x8LtU -> two (compared 16 unsigned (<))
        I16x8GtS -> two (compared 16 signed (>))
        I16x8GtU -> two (compared 16 unsigned (>))
        I16x8LeS -> two (compared 16 signed (<=))
        I16x8LeU -> two (compared 16 unsigned (<=))
        I16x8GeS -> two (compared 16 signed (>=))
        I16x8GeU -> two (compared 16 unsigned (>=))
        I32x4Eq -> two (compared 32 unsigned (==))
        I32x4Ne -> two (compared 32 unsigned (/=))
        I32x4LtS -> two (compared 32 signed (<))
        I32x4LtU -> two (compared 32 unsigned (<))
        I32x4GtS -> two (compared 32 signed (>))
        I32x4GtU -> two (compared 32 unsigned (>))
        I32x4LeS -> two (compared 32 signed (<=))
        I32x4LeU -> two (compared 32 unsigned (<=))
        I32x4GeS -> two (compared 32 signed (>=))
        I32x4GeU -> two (compared 32 unsigned (>=))
        F32x4Eq -> two (holds32 (==))
        F32x4Ne -> two (holds32 (/=))
        F32x4Lt -> two (holds32 (<))
        F32x4Gt -> two (holds32 (>))
        F32x4Le -> two (holds32 (<=))
        F32x4Ge -> two (holds32 (>=))
        F64x2Eq -> two (holds64 (==))
        F64x2Ne -> two (holds64 (/=))
        F64x2Lt -> two (holds64 (<))
        F64x2Gt -> two (holds64 (>))
        F64x2Le -> two (holds64 (<=))
        F64x2Ge -> two (holds64 (>=))
        I8x16Add -> two (lanes2 8 (+))
        I8x16AddSatS -> two (saturating 8 signed clampS (+))
        I8x16AddSatU -> two (saturating 8 unsigned clampU (+))
        I8x16Sub -> two (lanes2 8 (-))
        I8x16SubSatS -> two (saturating 8 signed clampS (-))
        I8x16SubSatU -> two (saturating 8 unsigned clampU (-))
        I8x16MinS -> two (chosen 8 signed min)
        I8x16MinU -> two (chosen 8 unsigned min)
        I8x16MaxS -> two (chosen 8 signed max)
        I8x16MaxU -> two (chosen 8 unsigned max)
        I8x16AvgrU -> two (lanes2 8 (\v w -> (v + w + 1) `shiftR` 1))
        I16x8Add -> two (lanes2 16 (+))
        I16x8AddSatS -> two (saturating 16 signed clampS (+))
        I16x8AddSatU -> two (saturating 16 unsigned clampU (+))
        I16x8Sub -> two (lanes2 16 (-))
        I16x8SubSatS -> two (saturating 16 signed clampS (-))
        I16x8SubSatU -> two (saturating 16 unsigned clampU (-))
        I16x8Mul -> two (lanes2 16 (*))
        I16x8MinS -> two (chosen 16 signed min)
        I16x8MinU -> two (chosen 16 unsigned min)
        I16x8MaxS -> two (chosen 16 signed max)
        I16x8MaxU -> two (chosen 16 unsigned max)
        I16x8AvgrU -> two (lanes2 16 (\v w -> (v + w + 1) `shiftR` 1))
        I16x8ExtmulLowI8x16S -> two (multiply 8 signed lowHalf)
        I16x8ExtmulHighI8x16S -> two (multiply 8 signed highHalf)
        I16x8ExtmulLowI8x16U -> two (multiply 8 unsigned lowHalf)
        I16x8ExtmulHighI8x16U -> two (multiply 8 unsigned highHalf)
        I32x4Add -> two (lanes2 32 (+))
        I32x4Sub -> two (lanes2 32 (-))
        I32x4Mul -> two (lanes2 32 (*))
        I32x4MinS -> two (chosen 32 signed min)
        I32x4MinU -> two (chosen 32 unsigned min)
        I32x4MaxS -> two (chosen 32 signed max)
        I32x4MaxU -> two (chosen 32 unsigned max)
        I32x4ExtmulLowI16x8S -> two (multiply 16 signed lowHalf)
        I32x4ExtmulHighI16x8S -> two (multiply 16 signed highHalf)
        I32x4ExtmulLowI16x8U -> two (multiply 16 unsigned lowHalf)
        I32x4ExtmulHighI16x8U -> two (multiply 16 unsigned highHalf)
        I64x2Add -> two (lanes2 64 (+))
        I64x2Sub -> two (lanes2 64 (-))
        I64x2Mul -> two (lanes2 64 (*))
        I64x2Eq -> two (compared 64 unsigned (==))
        I64x2Ne -> two (compared 64 unsigned (/=))
        I64x2LtS -> two (compared 64 signed (<))
        I64x2GtS -> two (compared 64 signed (>))
        I64x2LeS -> two (compared 64 signed (<=))
        I64x2GeS -> two (compared 64 signed (>=))
        I64x2ExtmulLowI32x4S -> two (multiply 32 signed lowHalf)
        I64x2ExtmulHighI32x4S -> two (multiply 32 signed highHalf)
        I64x2ExtmulLowI32x4U -> two (multiply 32 unsigned lowHalf)
        I64x2ExtmulHighI32x4U -> two (multiply 32 unsigned highHalf)
        F32x4Add -> two (both32 (+))
        F32x4Sub -> two (both32 (-))
        F32x4Mul -> two (both32 (*))
        F32x4Div -> two (both32 (/))
        F32x4Min -> two (both32 min32)
        F32x4Max -> two (both32 max32)
        F32x4Pmin -> two (lanes2 32 (\v w -> if single w < single v then w else v))
        F32x4Pmax -> two (lanes2 32 (\v w -> if single v < single w then w else v))
        F64x2Add -> two (both64 (+))
        F64x2Sub -> two (both64 (-))
        F64x2Mul -> two (both64 (*))
        F64x2Div -> two (both64 (/))
        F64x2Min -> two (both64 min64)
        F64x2Max -> two (both64 max64)
        F64x2Pmin -> two (lanes2 64 (\v w -> if double w < double v then w else v))
        F64x2Pmax -> two (lanes2 64 (\v w -> if double v < double w then w else v))
        -- Where the specification leaves a choice, the operator that makes one of the choices.
        I8x16RelaxedSwizzle -> act I8x16Swizzle
        I32x4RelaxedTruncF32x4S -> act I32x4TruncSatF32x4S
        I32x4RelaxedTruncF32x4U -> act I32x4TruncSatF32x4U
        I32x4RelaxedTruncF64x2SZero -> act I32x4TruncSatF64x2SZero
        I32x4RelaxedTruncF64x2UZero -> act I32x4TruncSatF64x2UZero
        I8x16RelaxedLaneselect -> act V128Bitselect
        I16x8RelaxedLaneselect -> act V128Bitselect
        I32x4RelaxedLaneselect -> act V128Bitselect
        I64x2RelaxedLaneselect -> act V128Bitselect
        F32x4RelaxedMin -> act F32x4Min
        F32x4RelaxedMax -> act F32x4Max
        F64x2RelaxedMin -> act F64x2Min
        F64x2RelaxedMax -> act F64x2Max
        I16x8RelaxedQ15mulrS -> act I16x8Q15mulrSatS
  act (toEnum (fromIntegral d))
  where
    field o = fromIntegral <$> (peekByteOff ip o :: IO Int32) :: IO Int

-- | Make every NaN of the vector that the instruction at @ip@ is over the canonical one.
canonical32, canonical64 :: Ptr () -> Ptr () -> IO ()
canonical32 = over (lanes1 32 (\w -> let v = single w in if v == v then w else 0x7FC00000))
canonical64 = over (lanes1 64 (\w -> let v = double w in if v == v then w else 0x7FF8000000000000))

over :: (V -> V) -> Ptr () -> Ptr () -> IO ()
over f ip fp = do
  a <- fromIntegral <$> (peekByteOff ip 4 :: IO Int32)
  b <- fromIntegral <$> (peekByteOff ip 8 :: IO Int32)
  V l h <- f <$> (V <$> peekByteOff fp b <*> peekByteOff fp (b + 8))
  pokeByteOff fp a l
  pokeByteOff fp (a + 8) h

-- * Operators of one shape

absolute, negated :: Int -> V -> V
absolute width = lanes1 width (\v -> if signed width v < 0 then negate v else v)
negated width = lanes1 width negate

both32 :: (Float -> Float -> Float) -> V -> V -> V
both32 f = lanes2 32 (\v w -> unsingle (f (single v) (single w)))

both64 :: (Double -> Double -> Double) -> V -> V -> V
both64 f = lanes2 64 (\v w -> undouble (f (double v) (double w)))

holds32 :: (Float -> Float -> Bool) -> V -> V -> V
holds32 f = lanes2 32 (\v w -> ones (f (single v) (single w)))

holds64 :: (Double -> Double -> Bool) -> V -> V -> V
holds64 f = lanes2 64 (\v w -> ones (f (double v) (double w)))

saturating ::
  Int ->
  (Int -> Word64 -> Int64) ->
  (Int -> Int64 -> Int64) ->
  (Int64 -> Int64 -> Int64) ->
  V ->
  V ->
  V
saturating width extend clamp f =
  lanes2 width (\v w -> word (clamp width (f (extend width v) (extend width w))))

chosen :: Int -> (Int -> Word64 -> Int64) -> (Int64 -> Int64 -> Int64) -> V -> V -> V
chosen width extend f = lanes2 width (\v w -> word (f (extend width v) (extend width w)))

compared :: Int -> (Int -> Word64 -> Int64) -> (Int64 -> Int64 -> Bool) -> V -> V -> V
compared width extend f = lanes2 width (\v w -> ones (f (extend width v) (extend width w)))
