-- | Reading bytes with an offset: the layer below the binary format.
--
-- The idea: a reader is a function of the bytes and an offset, and gives a
-- value with the next offset or the place and reason of a failure. Every byte
-- is read after a comparison with the end.
--
-- Start at 'Reader' and 'run'.
module Tern.Wasm.Reader
  ( Reader,
    run,
    failure,
    failureAt,
    offset,
    atEnd,
    byte,
    peekByte,
    bytes,
    within,
    u32,
    u64,
    s32,
    s33,
    s64,
    word32,
    word64,
    name,
    vec,
    vecUnboxed,
    many,
  )
where

import Control.Monad.ST (runST)
import Data.Bits (shiftL, shiftR, testBit, (.&.), (.|.))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Unsafe qualified as B (unsafeIndex)
import Data.Int (Int32, Int64)
import Data.Text (Text)
import Data.Text.Encoding (decodeUtf8')
import Data.Vector (Vector)
import Data.Vector.Generic qualified as G
import Data.Vector.Generic.Mutable qualified as GM
import Data.Vector.Unboxed qualified as U
import Data.Word (Word32, Word64, Word8)
import Tern.Wasm.Error (Malformed (..), MalformedReason (..))

-- | The bytes, the offset of their first byte in the module, and the position
-- among them. Invariant: @0 <= position <= length@.
newtype Reader a = Reader (ByteString -> Int -> Int -> Result a)

data Result a = Ok a !Int | Bad !Malformed

instance Functor Reader where
  fmap f (Reader r) = Reader $ \b o p -> case r b o p of
    Ok a p' -> Ok (f a) p'
    Bad e -> Bad e
  {-# INLINE fmap #-}

instance Applicative Reader where
  pure a = Reader $ \_ _ p -> Ok a p
  {-# INLINE pure #-}
  Reader f <*> Reader r = Reader $ \b o p -> case f b o p of
    Ok g p' -> case r b o p' of
      Ok a p'' -> Ok (g a) p''
      Bad e -> Bad e
    Bad e -> Bad e
  {-# INLINE (<*>) #-}

-- INLINE, here and above: the results between steps are not allocated.
instance Monad Reader where
  Reader r >>= f = Reader $ \b o p -> case r b o p of
    Ok a p' -> let Reader next = f a in next b o p'
    Bad e -> Bad e
  {-# INLINE (>>=) #-}

-- | Read from a position among bytes whose first has the given offset in the
-- module; the value and the position after it.
run :: Reader a -> Int -> ByteString -> Int -> Either Malformed (a, Int)
run (Reader r) base input position = case r input base position of
  Ok a p -> Right (a, p)
  Bad e -> Left e
{-# INLINE run #-}

-- | Fail at the position that the reader has come to.
failure :: MalformedReason -> Reader a
failure reason = Reader $ \_ o p -> Bad (Malformed (o + p) reason)

-- | Fail at an offset that 'offset' gave.
failureAt :: Int -> MalformedReason -> Reader a
failureAt at reason = Reader $ \_ _ _ -> Bad (Malformed at reason)

-- | Bytes from the start of the module.
offset :: Reader Int
offset = Reader $ \_ o p -> Ok (o + p) p

-- | Whether no byte is left, or none of those that 'within' gives.
atEnd :: Reader Bool
atEnd = Reader $ \b _ p -> Ok (p >= B.length b) p

-- | The next byte; 'UnexpectedEnd' if none is left.
byte :: Reader Word8
byte = Reader $ \b o p ->
  if p < B.length b then Ok (B.unsafeIndex b p) (p + 1) else Bad (Malformed (o + p) UnexpectedEnd)
{-# INLINE byte #-}

-- | The next byte, which stays the next one; 'Nothing' if none is left.
peekByte :: Reader (Maybe Word8)
peekByte = Reader $ \b _ p -> Ok (if p < B.length b then Just (B.unsafeIndex b p) else Nothing) p

-- | The next @n@ bytes, shared with the input.
bytes :: Int -> Reader ByteString
bytes n = Reader $ \b o p ->
  if n <= B.length b - p
    then Ok (B.take n (B.drop p b)) (p + n)
    else Bad (Malformed (o + B.length b) UnexpectedEnd)

-- | Run a reader on exactly the next @n@ bytes.
within :: Int -> Reader a -> Reader a
within n (Reader r) = Reader $ \b o p ->
  if n > B.length b - p
    then Bad (Malformed (o + B.length b) UnexpectedEnd)
    else case r (B.take (p + n) b) o p of
      Ok a p'
        | p' == p + n -> Ok a p'
        | otherwise -> Bad (Malformed (o + p') SizeMismatch)
      Bad e -> Bad e

-- | An unsigned LEB128 integer of 32 bits.
u32 :: Reader Word32
u32 = Reader $ \b o p ->
  if p < B.length b && B.unsafeIndex b p < 0x80
    then Ok (fromIntegral (B.unsafeIndex b p)) (p + 1)
    else case unsigned 32 b o p of
      Ok w p' -> Ok (fromIntegral w) p'
      Bad e -> Bad e
{-# INLINE u32 #-}

-- | An unsigned LEB128 integer of 64 bits.
u64 :: Reader Word64
u64 = Reader (unsigned 64)

unsigned :: Int -> ByteString -> Int -> Int -> Result Word64
unsigned bits b o p0 = go p0 0 0
  where
    go p shift !acc
      | p >= B.length b = Bad (Malformed (o + p) UnexpectedEnd)
      | room < 7, w >= 0x80 = Bad (Malformed (o + p) IntegerTooLong)
      | room < 7, w `shiftR` room /= 0 = Bad (Malformed (o + p) IntegerTooLarge)
      | w >= 0x80 = go (p + 1) (shift + 7) acc'
      | otherwise = Ok acc' (p + 1)
      where
        w = B.unsafeIndex b p
        room = bits - shift
        acc' = acc .|. (fromIntegral (w .&. 0x7F) `shiftL` shift)

-- | A signed LEB128 integer of @bits@ bits, which are 32 to 64.
signed :: Int -> ByteString -> Int -> Int -> Result Int64
signed bits b o p0 = go p0 0 0
  where
    go :: Int -> Int -> Int64 -> Result Int64
    go p shift !acc
      | p >= B.length b = Bad (Malformed (o + p) UnexpectedEnd)
      | room < 7, w >= 0x80 = Bad (Malformed (o + p) IntegerTooLong)
      | room < 7, not fits = Bad (Malformed (o + p) IntegerTooLarge)
      | w >= 0x80 = go (p + 1) (shift + 7) acc'
      | otherwise = Ok (extend (shift + 7) acc') (p + 1)
      where
        w = B.unsafeIndex b p
        room = bits - shift
        acc' = acc .|. (fromIntegral (w .&. 0x7F) `shiftL` shift)
        -- In the last byte the bits beyond the type must all equal its sign.
        top = (w .&. 0x7F) `shiftR` (room - 1)
        fits = top == 0 || top == 0x7F `shiftR` (room - 1)
    extend n v
      | n >= 64 = v
      | testBit v (n - 1) = v .|. ((-1) `shiftL` n)
      | otherwise = v

-- | A signed LEB128 integer of 32 bits, which takes 5 bytes at most.
s32 :: Reader Int32
s32 = Reader $ \b o p -> case signed 32 b o p of
  Ok v p' -> Ok (fromIntegral v) p'
  Bad e -> Bad e

-- | The same of 33 bits, as types and indices share, and of 64 bits.
s33, s64 :: Reader Int64
s33 = Reader (signed 33)
s64 = Reader (signed 64)

-- | Four bytes, the least significant first.
word32 :: Reader Word32
word32 = fromIntegral <$> little 4

-- | Eight bytes, the least significant first.
word64 :: Reader Word64
word64 = little 8

little :: Int -> Reader Word64
little n = B.foldr' (\w acc -> acc `shiftL` 8 .|. fromIntegral w) 0 <$> bytes n

-- | A name: its length and UTF-8.
name :: Reader Text
name = do
  n <- u32
  at <- offset
  b <- bytes (fromIntegral n)
  either (const (failureAt at InvalidUtf8)) pure (decodeUtf8' b)

-- | A count and that number of elements. Every element takes a byte at least,
-- which bounds the count before anything is allocated for it.
vec :: Reader a -> Reader (Vector a)
vec element = count >>= \n -> several n (const element)
{-# INLINE vec #-}

-- | The same of things that need no object each.
vecUnboxed :: (U.Unbox a) => Reader a -> Reader (U.Vector a)
vecUnboxed element = count >>= \n -> many n (const element)
{-# INLINE vecUnboxed #-}

-- | @n@ elements, each read by its index.
many :: (U.Unbox a) => Int -> (Int -> Reader a) -> Reader (U.Vector a)
many = several
{-# INLINE many #-}

-- | How many elements follow; no more than there are bytes.
count :: Reader Int
count = do
  n <- fromIntegral <$> u32
  room <- Reader $ \b _ p -> Ok (B.length b - p) p
  if n > room then Reader (\b o _ -> Bad (Malformed (o + B.length b) UnexpectedEnd)) else pure n

-- | @n@ elements, written to their vector as they are read: no list is made.
several :: (G.Vector v a) => Int -> (Int -> Reader a) -> Reader (v a)
several n element = Reader $ \b o p -> runST $ do
  array <- GM.new n
  let go k q
        | k >= n = (`Ok` q) <$> G.unsafeFreeze array
        | otherwise = case element k of
            Reader r -> case r b o q of
              Ok a q' -> GM.write array k a >> go (k + 1) q'
              Bad e -> pure (Bad e)
  go 0 p
{-# INLINE several #-}
