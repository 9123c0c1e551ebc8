-- | Vectors in two halves of 64 bits, and their lanes.
--
-- The idea: lanes are cut from the halves and put together again by a few
-- combinators that are told the lane's width; what a lane holds is a word, and the
-- numbers in it are read and written by the names at the end.
--
-- Start at 'lanes1' and 'lanes2'; the operators are in "Tern.Wasm.Simd".
module Tern.Wasm.Simd.Lane
  ( V (..),

    -- * Lanes
    low,
    signed,
    unsigned,
    lanes1,
    lanes2,
    lanes3,
    dot,
    cut,
    replace,
    splat,
    widen,
    narrow,
    pairwise,
    multiply,
    lowHalf,
    highHalf,
    pairsum,
    allTrue,
    bitmask,
    clampS,
    clampU,
    ones,

    -- * Numbers in lanes
    float32,
    float64,
    single,
    unsingle,
    double,
    undouble,
    demote,
    promote,
    int,
    int32,
    w32,
    word,
  )
where

import Data.Bits (complement, shiftL, shiftR, (.&.), (.|.))
import Data.Int (Int32, Int64)
import Data.Word (Word32, Word64)
import GHC.Float
  ( castDoubleToWord64,
    castFloatToWord32,
    castWord32ToFloat,
    castWord64ToDouble,
    double2Float,
    float2Double,
  )

-- | The low and the high half.
data V = V !Word64 !Word64

-- * Lanes

-- | The lowest @width@ bits.
low :: Int -> Word64 -> Word64
low width w = if width == 64 then w else w .&. ((1 `shiftL` width) - 1)
{-# INLINE low #-}

-- | The number in the low @width@ bits, with a sign or without. Of 64 bits both have a sign.
signed, unsigned :: Int -> Word64 -> Int64
signed width w = (fromIntegral (w `shiftL` (64 - width)) :: Int64) `shiftR` (64 - width)
unsigned width w = fromIntegral (low width w)

-- | A function of each lane, where @width@ divides 64. A lane is given with zeros above it, and of
-- the result its low bits are taken.
lanes1 :: Int -> (Word64 -> Word64) -> V -> V
lanes1 width f (V l h) = V (half l) (half h)
  where
    half w = go 0 0
      where
        go k !acc
          | k >= 64 = acc
          | otherwise =
              go (k + width) (acc .|. (low width (f (low width (w `shiftR` k))) `shiftL` k))
{-# INLINE lanes1 #-}

-- | The same of two vectors, lane by lane.
lanes2 :: Int -> (Word64 -> Word64 -> Word64) -> V -> V -> V
lanes2 width f (V l h) (V l' h') = V (half l l') (half h h')
  where
    half v w = go 0 0
      where
        go k !acc
          | k >= 64 = acc
          | otherwise =
              go
                (k + width)
                ( acc
                    .|. ( low width (f (low width (v `shiftR` k)) (low width (w `shiftR` k)))
                            `shiftL` k
                        )
                )
{-# INLINE lanes2 #-}

-- | The same of three.
lanes3 :: Int -> (Word64 -> Word64 -> Word64 -> Word64) -> V -> V -> V -> V
lanes3 width f u v w =
  foldl
    ( \acc k ->
        replace width k (f (cut width k u) (cut width k v) (cut width k w)) acc
    )
    (V 0 0)
    [0 .. 128 `div` width - 1]

-- | Sums of two products of bytes.
dot :: V -> V -> V
dot v w =
  foldl
    ( \acc k ->
        replace 16 k (word (product_ (2 * k) + product_ (2 * k + 1))) acc
    )
    (V 0 0)
    [0 .. 7]
  where
    product_ k = signed 8 (cut 8 k v) * signed 8 (cut 8 k w)

-- | The lane with a number.
cut :: Int -> Int -> V -> Word64
cut width n (V l h)
  | at < 64 = low width (l `shiftR` at)
  | otherwise = low width (h `shiftR` (at - 64))
  where
    at = n * width

-- | The vector with another lane.
replace :: Int -> Int -> Word64 -> V -> V
replace width n w (V l h)
  | at < 64 = V (put at l) h
  | otherwise = V l (put (at - 64) h)
  where
    at = n * width
    put k v = (v .&. complement (low width (complement 0) `shiftL` k)) .|. (low width w `shiftL` k)

-- | The low @width@ bits in every lane.
splat :: Int -> Word64 -> V
splat width w = V half half
  where
    half = lane 0 0
    lane k !acc
      | k >= 64 = acc
      | otherwise = lane (k + width) (acc .|. (low width w `shiftL` k))

-- | The lanes of a half, twice as wide.
widen :: Int -> (Int -> Word64 -> Int64) -> Word64 -> V
widen width extend half = V (side 0) (side 32)
  where
    side from = go from 0 0
      where
        go k at !acc
          | at >= 64 = acc
          | otherwise =
              go
                (k + width)
                (at + 2 * width)
                ( acc
                    .|. (low (2 * width) (word (extend width (half `shiftR` k))) `shiftL` at)
                )

-- | The lanes of both, half as wide, by a function that clamps them.
narrow :: Int -> (Int64 -> Int64) -> V -> V -> V
narrow width clamp (V a b) (V c d) =
  V (half a .|. (half b `shiftL` 32)) (half c .|. (half d `shiftL` 32))
  where
    to = width `div` 2
    half w = go 0 0 0
      where
        go k at !acc
          | k >= 64 = acc
          | otherwise =
              go
                (k + width)
                (at + to)
                ( acc
                    .|. (low to (word (clamp (signed width (w `shiftR` k)))) `shiftL` at)
                )

-- | Sums of neighbours, twice as wide.
pairwise :: Int -> (Int -> Word64 -> Int64) -> V -> V
pairwise width extend =
  lanes1 (2 * width) (\w -> word (extend width w + extend width (w `shiftR` width)))

-- | Products of the lanes of a half, twice as wide.
multiply :: Int -> (Int -> Word64 -> Int64) -> (V -> Word64) -> V -> V -> V
multiply width extend half v w =
  lanes2 (2 * width) (*) (widen width extend (half v)) (widen width extend (half w))

-- | The half with the first lanes, and the one with the last.
lowHalf, highHalf :: V -> Word64
lowHalf (V l _) = l
highHalf (V _ h) = h

-- | Sums of neighbouring 32-bit lanes of two vectors.
pairsum :: V -> V -> V
pairsum (V a b) (V c d) = V (s a .|. (s b `shiftL` 32)) (s c .|. (s d `shiftL` 32))
  where
    s w = low 32 (w + (w `shiftR` 32))

-- | Whether each lane is other than zero.
allTrue :: Int -> V -> Bool
allTrue width v = all (\n -> cut width n v /= 0) [0 .. 128 `div` width - 1]

-- | The lanes' highest bits; that of the first lane is the lowest.
bitmask :: Int -> V -> Word32
bitmask width v =
  sum [1 `shiftL` n | n <- [0 .. 128 `div` width - 1], signed width (cut width n v) < 0]

-- | The nearest number that @width@ bits hold, with a sign or without; for less than 64 bits.
clampS, clampU :: Int -> Int64 -> Int64
clampS width = max (negate (1 `shiftL` (width - 1))) . min ((1 `shiftL` (width - 1)) - 1)
clampU width = max 0 . min ((1 `shiftL` width) - 1)

-- | What a comparison makes of a lane: all bits set where it holds, and none where it does not.
ones :: Bool -> Word64
ones t = if t then complement 0 else 0

-- * Numbers in lanes

-- | A function of each lane of 32 bits, as a single float.
float32 :: (Float -> Float) -> V -> V
float32 f = lanes1 32 (unsingle . f . single)

-- | A function of each lane of 64 bits, as a double.
float64 :: (Double -> Double) -> V -> V
float64 f = lanes1 64 (undouble . f . double)

-- | The single float whose bits are the low 32; the others are not looked at.
single :: Word64 -> Float
single = castWord32ToFloat . fromIntegral

-- | The bits of a single float, with zeros above them.
unsingle :: Float -> Word64
unsingle = fromIntegral . castFloatToWord32

-- | The double whose bits these are.
double :: Word64 -> Double
double = castWord64ToDouble

-- | The bits of a double.
undouble :: Double -> Word64
undouble = castDoubleToWord64

-- | The bits of a double as those of the nearest single float; and of a single float, in the low 32
-- bits, as those of the same double.
demote, promote :: Word64 -> Word64
demote = unsingle . double2Float . double
promote = undouble . float2Double . single

-- | All 64 bits as a number with a sign.
int :: Word64 -> Int
int = fromIntegral

-- | The low 32 bits as a number with a sign.
int32 :: Word64 -> Int
int32 w = fromIntegral (fromIntegral w :: Int32)

-- | The low 32 bits, with zeros above them.
w32 :: Word64 -> Word64
w32 = low 32

-- | The bits of a number: of a negative one as 2^64 more.
word :: Int64 -> Word64
word = fromIntegral
