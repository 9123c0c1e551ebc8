-- | The vector operators, on two halves of 64 bits.
--
-- The idea: both operands are read whole before the result is written, so that
-- the places may overlap; each operator is a few combinators over lanes, from
-- "Tern.Wasm.Simd.Lane".
--
-- An instruction is 32 bytes: the @Opcode@ less 0x200 in the field d, the result
-- in a, operands in b and c, and 16 bytes of immediate: a third operand, or an
-- offset and a lane, or a constant. Start at 'step'.
module Tern.Wasm.Simd
  ( step,
  )
where

import Control.Monad ((>=>))
import Data.Bits (complement, popCount, shiftL, shiftR, xor, (.&.), (.|.))
import Data.Int (Int32)
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign.Ptr (Ptr)
import Foreign.Storable (Storable, peekByteOff, pokeByteOff)
import GHC.Float (float2Double, int2Double, int2Float)
import Tern.Wasm.Code (exitConversion, exitMemory)
import Tern.Wasm.Numeric hiding (step)
import Tern.Wasm.Simd.Lane

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
        let distance = fromIntegral offset + (if odd flags then fromIntegral high `shiftL` 32 else 0) :: Word64
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
  case d of
    0x00 -> at 16 $ \o -> V <$> load64 o <*> load64 (o + 8) >>= put
    0x01 -> at 8 $ load64 >=> put . widen 8 signed
    0x02 -> at 8 $ load64 >=> put . widen 8 unsigned
    0x03 -> at 8 $ load64 >=> put . widen 16 signed
    0x04 -> at 8 $ load64 >=> put . widen 16 unsigned
    0x05 -> at 8 $ load64 >=> put . widen 32 signed
    0x06 -> at 8 $ load64 >=> put . widen 32 unsigned
    0x07 -> at 1 $ load8 >=> put . splat 8 . fromIntegral
    0x08 -> at 2 $ load16 >=> put . splat 16 . fromIntegral
    0x09 -> at 4 $ load32 >=> put . splat 32 . fromIntegral
    0x0A -> at 8 $ load64 >=> put . splat 64
    0x0B -> at 16 $ \o -> do
      V l h <- y
      pokeByteOff mem o l
      pokeByteOff mem (o + 8) h
      pure 0
    0x0C -> V <$> peekByteOff ip 16 <*> peekByteOff ip 24 >>= put
    0x0D -> do
      which <- V <$> peekByteOff ip 16 <*> peekByteOff ip 24
      two $ \v w -> lanes1 8 (\i -> if i < 16 then cut 8 (int i) v else cut 8 (int i - 16) w) which
    0x0E -> two $ \v -> lanes1 8 (\i -> if i < 16 then cut 8 (int i) v else 0)
    0x0F -> (scalar :: IO Word8) >>= put . splat 8 . fromIntegral
    0x10 -> (scalar :: IO Word16) >>= put . splat 16 . fromIntegral
    0x11 -> (scalar :: IO Word32) >>= put . splat 32 . fromIntegral
    0x12 -> scalar >>= put . splat 64
    0x13 -> (scalar :: IO Word32) >>= put . splat 32 . fromIntegral
    0x14 -> scalar >>= put . splat 64
    0x15 -> extract $ \v n -> put32 (fromIntegral (signed 8 (cut 8 n v)))
    0x16 -> extract $ \v n -> put32 (fromIntegral (cut 8 n v))
    0x17 -> replaceBy 8 (word32At c)
    0x18 -> extract $ \v n -> put32 (fromIntegral (signed 16 (cut 16 n v)))
    0x19 -> extract $ \v n -> put32 (fromIntegral (cut 16 n v))
    0x1A -> replaceBy 16 (word32At c)
    0x1B -> extract $ \v n -> put32 (fromIntegral (cut 32 n v))
    0x1C -> replaceBy 32 (word32At c)
    0x1D -> extract $ \v n -> put64 (cut 64 n v)
    0x1E -> replaceBy 64 (peekByteOff fp c)
    0x1F -> extract $ \v n -> put32 (fromIntegral (cut 32 n v))
    0x20 -> replaceBy 32 (word32At c)
    0x21 -> extract $ \v n -> put64 (cut 64 n v)
    0x22 -> replaceBy 64 (peekByteOff fp c)
    0x4D -> one $ \(V l h) -> V (complement l) (complement h)
    0x4E -> two $ \(V l h) (V l' h') -> V (l .&. l') (h .&. h')
    0x4F -> two $ \(V l h) (V l' h') -> V (l .&. complement l') (h .&. complement h')
    0x50 -> two $ \(V l h) (V l' h') -> V (l .|. l') (h .|. h')
    0x51 -> two $ \(V l h) (V l' h') -> V (l `xor` l') (h `xor` h')
    0x52 -> do
      V m m' <- field 16 >>= vector
      two $ \(V l h) (V l' h') -> V ((l .&. m) .|. (l' .&. complement m)) ((h .&. m') .|. (h' .&. complement m'))
    0x105 -> three 32 (\u v w -> unsingle (single u * single v + single w))
    0x106 -> three 32 (\u v w -> unsingle (negate (single u * single v) + single w))
    0x107 -> three 64 (\u v w -> undouble (double u * double v + double w))
    0x108 -> three 64 (\u v w -> undouble (negate (double u * double v) + double w))
    0x112 -> two dot
    0x113 -> do
      w <- field 16 >>= vector
      two $ \u v -> lanes2 32 (+) (pairwise 16 signed (dot u v)) w
    -- Canonical NaNs.
    0x1F0 -> one (lanes1 32 (\w -> let v = single w in if v == v then w else 0x7FC00000))
    0x1F1 -> one (lanes1 64 (\w -> let v = double w in if v == v then w else 0x7FF8000000000000))
    0x53 -> test $ \(V l h) -> l .|. h /= 0
    0x54 -> loadLane 8 (fmap fromIntegral . load8)
    0x55 -> loadLane 16 (fmap fromIntegral . load16)
    0x56 -> loadLane 32 (fmap fromIntegral . load32)
    0x57 -> loadLane 64 load64
    0x58 -> storeLane 8 (\o w -> pokeByteOff mem o (fromIntegral w :: Word8))
    0x59 -> storeLane 16 (\o w -> pokeByteOff mem o (fromIntegral w :: Word16))
    0x5A -> storeLane 32 (\o w -> pokeByteOff mem o (fromIntegral w :: Word32))
    0x5B -> storeLane 64 (pokeByteOff mem)
    0x5C -> at 4 $ load32 >=> \w -> put (V (fromIntegral w) 0)
    0x5D -> at 8 $ load64 >=> \w -> put (V w 0)
    0x5E -> one $ \(V l h) -> V (demote l .|. (demote h `shiftL` 32)) 0
    0x5F -> one $ \(V l _) -> V (promote l) (promote (l `shiftR` 32))
    0x62 -> one (lanes1 8 (fromIntegral . popCount))
    0x63 -> test (allTrue 8)
    0x64 -> x >>= put32 . bitmask 8
    0x65 -> two (narrow 16 (clampS 8))
    0x66 -> two (narrow 16 (clampU 8))
    0x67 -> one (float32 (round32 Ceil))
    0x68 -> one (float32 (round32 Floor))
    0x69 -> one (float32 (round32 Trunc))
    0x6A -> one (float32 (round32 Nearest))
    0x74 -> one (float64 (round64 Ceil))
    0x75 -> one (float64 (round64 Floor))
    0x7A -> one (float64 (round64 Trunc))
    0x94 -> one (float64 (round64 Nearest))
    0x7C -> one (pairwise 8 signed)
    0x7D -> one (pairwise 8 unsigned)
    0x7E -> one (pairwise 16 signed)
    0x7F -> one (pairwise 16 unsigned)
    0x82 -> two (lanes2 16 (\v w -> word (clampS 16 ((signed 16 v * signed 16 w + 0x4000) `shiftR` 15))))
    0x83 -> test (allTrue 16)
    0x84 -> x >>= put32 . bitmask 16
    0x85 -> two (narrow 32 (clampS 16))
    0x86 -> two (narrow 32 (clampU 16))
    0xA3 -> test (allTrue 32)
    0xA4 -> x >>= put32 . bitmask 32
    0xBA -> two $ \v w -> pairsum (multiply 16 signed lowHalf v w) (multiply 16 signed highHalf v w)
    0xC3 -> test (allTrue 64)
    0xC4 -> x >>= put32 . bitmask 64
    0x6B -> shift 8 (\n v -> v `shiftL` n)
    0x6C -> shift 8 (\n v -> word (signed 8 v `shiftR` n))
    0x6D -> shift 8 (\n v -> v `shiftR` n)
    0x8B -> shift 16 (\n v -> v `shiftL` n)
    0x8C -> shift 16 (\n v -> word (signed 16 v `shiftR` n))
    0x8D -> shift 16 (\n v -> v `shiftR` n)
    0xAB -> shift 32 (\n v -> v `shiftL` n)
    0xAC -> shift 32 (\n v -> word (signed 32 v `shiftR` n))
    0xAD -> shift 32 (\n v -> v `shiftR` n)
    0xCB -> shift 64 (\n v -> v `shiftL` n)
    0xCC -> shift 64 (\n v -> word (signed 64 v `shiftR` n))
    0xCD -> shift 64 (\n v -> v `shiftR` n)
    0xF8 -> one (lanes1 32 (fromIntegral . truncSatS32 . float2Double . single))
    0xF9 -> one (lanes1 32 (fromIntegral . truncSatU32 . float2Double . single))
    0xFA -> one (lanes1 32 (unsingle . int2Float . int32))
    0xFB -> one (lanes1 32 (unsingle . int2Float . int))
    0xFC -> one $ \(V l h) -> V (w32 (fromIntegral (truncSatS32 (double l))) .|. (w32 (fromIntegral (truncSatS32 (double h))) `shiftL` 32)) 0
    0xFD -> one $ \(V l h) -> V (fromIntegral (truncSatU32 (double l)) .|. (fromIntegral (truncSatU32 (double h)) `shiftL` 32)) 0
    0xFE -> one $ \(V l _) -> V (undouble (int2Double (int32 l))) (undouble (int2Double (int32 (l `shiftR` 32))))
    0xFF -> one $ \(V l _) -> V (undouble (int2Double (int (w32 l)))) (undouble (int2Double (int (l `shiftR` 32))))
    _
      | Just f <- unary d -> one f
      | Just f <- binary d -> two f
      -- Lowering sends nothing else here.
      | otherwise -> pure exitConversion
  where
    field o = fromIntegral <$> (peekByteOff ip o :: IO Int32) :: IO Int

-- * Operators of one shape

unary :: Word16 -> Maybe (V -> V)
unary = \case
  0x60 -> Just (absolute 8)
  0x61 -> Just (negated 8)
  0x80 -> Just (absolute 16)
  0x81 -> Just (negated 16)
  0xA0 -> Just (absolute 32)
  0xA1 -> Just (negated 32)
  0xC0 -> Just (absolute 64)
  0xC1 -> Just (negated 64)
  0x87 -> Just (\(V l _) -> widen 8 signed l)
  0x88 -> Just (\(V _ h) -> widen 8 signed h)
  0x89 -> Just (\(V l _) -> widen 8 unsigned l)
  0x8A -> Just (\(V _ h) -> widen 8 unsigned h)
  0xA7 -> Just (\(V l _) -> widen 16 signed l)
  0xA8 -> Just (\(V _ h) -> widen 16 signed h)
  0xA9 -> Just (\(V l _) -> widen 16 unsigned l)
  0xAA -> Just (\(V _ h) -> widen 16 unsigned h)
  0xC7 -> Just (\(V l _) -> widen 32 signed l)
  0xC8 -> Just (\(V _ h) -> widen 32 signed h)
  0xC9 -> Just (\(V l _) -> widen 32 unsigned l)
  0xCA -> Just (\(V _ h) -> widen 32 unsigned h)
  0xE0 -> Just (lanes1 32 (.&. 0x7FFFFFFF))
  0xE1 -> Just (lanes1 32 (xor 0x80000000))
  0xE3 -> Just (float32 sqrt)
  0xEC -> Just (lanes1 64 (.&. 0x7FFFFFFFFFFFFFFF))
  0xED -> Just (lanes1 64 (xor 0x8000000000000000))
  0xEF -> Just (float64 sqrt)
  _ -> Nothing
  where
    absolute width = lanes1 width (\v -> if signed width v < 0 then negate v else v)
    negated width = lanes1 width negate

binary :: Word16 -> Maybe (V -> V -> V)
binary d
  | d >= 0x23 && d <= 0x2C = Just (compared 8 (fromIntegral d - 0x23))
  | d >= 0x2D && d <= 0x36 = Just (compared 16 (fromIntegral d - 0x2D))
  | d >= 0x37 && d <= 0x40 = Just (compared 32 (fromIntegral d - 0x37))
  | otherwise = case d of
      0xD6 -> Just (compared 64 0)
      0xD7 -> Just (compared 64 1)
      0xD8 -> Just (compared 64 2)
      0xD9 -> Just (compared 64 4)
      0xDA -> Just (compared 64 6)
      0xDB -> Just (compared 64 8)
      0x41 -> Just (holds32 (==))
      0x42 -> Just (holds32 (/=))
      0x43 -> Just (holds32 (<))
      0x44 -> Just (holds32 (>))
      0x45 -> Just (holds32 (<=))
      0x46 -> Just (holds32 (>=))
      0x47 -> Just (holds64 (==))
      0x48 -> Just (holds64 (/=))
      0x49 -> Just (holds64 (<))
      0x4A -> Just (holds64 (>))
      0x4B -> Just (holds64 (<=))
      0x4C -> Just (holds64 (>=))
      0x6E -> Just (lanes2 8 (+))
      0x6F -> Just (saturating 8 signed clampS (+))
      0x70 -> Just (saturating 8 unsigned clampU (+))
      0x71 -> Just (lanes2 8 (-))
      0x72 -> Just (saturating 8 signed clampS (-))
      0x73 -> Just (saturating 8 unsigned clampU (-))
      0x76 -> Just (chosen 8 signed min)
      0x77 -> Just (chosen 8 unsigned min)
      0x78 -> Just (chosen 8 signed max)
      0x79 -> Just (chosen 8 unsigned max)
      0x7B -> Just (lanes2 8 (\v w -> (v + w + 1) `shiftR` 1))
      0x8E -> Just (lanes2 16 (+))
      0x8F -> Just (saturating 16 signed clampS (+))
      0x90 -> Just (saturating 16 unsigned clampU (+))
      0x91 -> Just (lanes2 16 (-))
      0x92 -> Just (saturating 16 signed clampS (-))
      0x93 -> Just (saturating 16 unsigned clampU (-))
      0x95 -> Just (lanes2 16 (*))
      0x96 -> Just (chosen 16 signed min)
      0x97 -> Just (chosen 16 unsigned min)
      0x98 -> Just (chosen 16 signed max)
      0x99 -> Just (chosen 16 unsigned max)
      0x9B -> Just (lanes2 16 (\v w -> (v + w + 1) `shiftR` 1))
      0x9C -> Just (multiply 8 signed lowHalf)
      0x9D -> Just (multiply 8 signed highHalf)
      0x9E -> Just (multiply 8 unsigned lowHalf)
      0x9F -> Just (multiply 8 unsigned highHalf)
      0xAE -> Just (lanes2 32 (+))
      0xB1 -> Just (lanes2 32 (-))
      0xB5 -> Just (lanes2 32 (*))
      0xB6 -> Just (chosen 32 signed min)
      0xB7 -> Just (chosen 32 unsigned min)
      0xB8 -> Just (chosen 32 signed max)
      0xB9 -> Just (chosen 32 unsigned max)
      0xBC -> Just (multiply 16 signed lowHalf)
      0xBD -> Just (multiply 16 signed highHalf)
      0xBE -> Just (multiply 16 unsigned lowHalf)
      0xBF -> Just (multiply 16 unsigned highHalf)
      0xCE -> Just (lanes2 64 (+))
      0xD1 -> Just (lanes2 64 (-))
      0xD5 -> Just (lanes2 64 (*))
      0xDC -> Just (multiply 32 signed lowHalf)
      0xDD -> Just (multiply 32 signed highHalf)
      0xDE -> Just (multiply 32 unsigned lowHalf)
      0xDF -> Just (multiply 32 unsigned highHalf)
      0xE4 -> Just (both32 (+))
      0xE5 -> Just (both32 (-))
      0xE6 -> Just (both32 (*))
      0xE7 -> Just (both32 (/))
      0xE8 -> Just (both32 min32)
      0xE9 -> Just (both32 max32)
      0xEA -> Just (lanes2 32 (\v w -> if single w < single v then w else v))
      0xEB -> Just (lanes2 32 (\v w -> if single v < single w then w else v))
      0xF0 -> Just (both64 (+))
      0xF1 -> Just (both64 (-))
      0xF2 -> Just (both64 (*))
      0xF3 -> Just (both64 (/))
      0xF4 -> Just (both64 min64)
      0xF5 -> Just (both64 max64)
      0xF6 -> Just (lanes2 64 (\v w -> if double w < double v then w else v))
      0xF7 -> Just (lanes2 64 (\v w -> if double v < double w then w else v))
      _ -> Nothing
  where
    both32 f = lanes2 32 (\v w -> unsingle (f (single v) (single w)))
    both64 f = lanes2 64 (\v w -> undouble (f (double v) (double w)))
    holds32 f = lanes2 32 (\v w -> ones (f (single v) (single w)))
    holds64 f = lanes2 64 (\v w -> ones (f (double v) (double w)))
    saturating width extend clamp f = lanes2 width (\v w -> word (clamp width (f (extend width v) (extend width w))))
    chosen width extend f = lanes2 width (\v w -> word (f (extend width v) (extend width w)))

-- | The comparisons of integers in the order of their opcodes.
compared :: Int -> Int -> V -> V -> V
compared width which = lanes2 width (\v w -> ones (holds v w))
  where
    s = signed width
    holds v w = case which of
      0 -> v == w
      1 -> v /= w
      2 -> s v < s w
      3 -> v < w
      4 -> s v > s w
      5 -> v > w
      6 -> s v <= s w
      7 -> v <= w
      8 -> s v >= s w
      _ -> v >= w
