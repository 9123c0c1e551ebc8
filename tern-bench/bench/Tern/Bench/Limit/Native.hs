{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | The straight lines that write and read the native format's records.
--
-- The writer of one record is told how long its output will be by a pass before, and
-- then never asks for room; that of many counts on a mebibyte to be enough (looking at ten
-- thousand records twice takes it twice as long) and copies what it wrote. The reader
-- gives up without saying why. Within a record both count on lists of less than 128
-- elements. They share no code with the library.
module Tern.Bench.Limit.Native
  ( encodeArticleLimit,
    decodeArticleLimit,
    encodeEntriesLimit,
    decodeEntriesLimit,
  )
where

import Data.Bits (countLeadingZeros, unsafeShiftL, unsafeShiftR, xor, (.&.), (.|.))
import Data.ByteString (ByteString)
import Data.Text (Text)
import Data.Text.Internal (Text (..))
import GHC.Exts
import Tern.Bench.Limit.Line
  ( Get,
    Put,
    byte',
    double',
    exactly,
    float',
    getByte,
    giveUp,
    putByte,
    putContents,
    putDouble,
    putFloat,
    room,
    runGet,
    textOf,
    then_,
    within,
  )
import Tern.Bench.Native.Record (Article (..), Choice (..), Entry (..), Figure (..))

-- * Sizes

sizeOfWord :: Word -> Int
sizeOfWord w
  | w < 128 = 1
  | w >= 0x100000000000000 = 9
  | otherwise = (70 - countLeadingZeros w) `quot` 7

folded :: Int -> Word
folded i = fromIntegral ((i `unsafeShiftL` 1) `xor` (i `unsafeShiftR` 63))
{-# INLINE folded #-}

sizeOfText :: Text -> Int
sizeOfText (Text _ _ n) = sizeOfWord (fromIntegral n) + n
{-# INLINE sizeOfText #-}

sizeOfList :: (a -> Int) -> [a] -> Int
sizeOfList size = go 0 0
  where
    go n total = \case
      [] -> sizeOfWord (fromIntegral (n :: Int)) + total
      x : rest -> go (n + 1) (total + size x) rest
{-# INLINE sizeOfList #-}

sizeOfArticle :: Article by -> Int
sizeOfArticle (Article c t i _ _ w m l) =
  (case c of Whole k -> 1 + sizeOfWord (folded k); Short _ -> 5)
    + sizeOfText t
    + sizeOfWord (folded i)
    + 12
    + sizeOfWord w
    + maybe 1 (\x -> 1 + sizeOfText x) m
    + sizeOfList sizeOfText l

-- * Writing

putWord :: Word -> Put
putWord w op s
  | w < 128 = putByte w op s
  | otherwise = putLong w op s
{-# INLINE putWord #-}

putLong :: Word -> Put
putLong w op s = case sizeOfWord w of
  9 -> case putByte 255 op s of (# s1, op1 #) -> go 8 op1 s1
  size -> case putByte
    ( (255 `unsafeShiftL` (9 - size)) .&. 255
        .|. (w `unsafeShiftR` (8 * (size - 1)))
    )
    op
    s of
    (# s1, op1 #) ->
      go (size - 1) op1 s1
  where
    go :: Int -> Put
    go 0 op' s' = (# s', op' #)
    go k op' s' = case putByte ((w `unsafeShiftR` (8 * (k - 1))) .&. 255) op' s' of
      (# s1, op1 #) ->
        go (k - 1) op1 s1
{-# NOINLINE putLong #-}

putInt :: Int -> Put
putInt i = putWord (folded i)
{-# INLINE putInt #-}

putText :: Text -> Put
putText t@(Text _ _ n) = putWord (fromIntegral n) `then_` putContents t
{-# INLINE putText #-}

putList :: (a -> Put) -> [a] -> Put
putList put xs op s = case putSome put 127 xs (plusAddr# op 1#) s of
  (# s1, op1, n, _ #) -> case putByte (fromIntegral n) op s1 of (# s2, _ #) -> (# s2, op1 #)
{-# INLINE putList #-}

-- | Put at most @most@ elements; gives how many were put, and the others.
putSome ::
  (a -> Put) -> Int -> [a] -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Int, [a] #)
putSome put most = go 0
  where
    go n ys op s = case ys of
      y : rest | n < most -> case put y op s of (# s1, op1 #) -> go (n + 1) rest op1 s1
      _ -> (# s, op, n, ys #)
{-# INLINE putSome #-}

putMaybe :: (a -> Put) -> Maybe a -> Put
putMaybe put = \case
  Nothing -> putByte 0
  Just x -> putByte 1 `then_` put x
{-# INLINE putMaybe #-}

putArticle :: Article by -> Put
putArticle (Article c t i d f w m l) =
  ( \op s -> case c of
      Whole k ->
        (putByte 0 `then_` putInt k) op s
      Short x -> (putByte 1 `then_` putFloat x) op s
  )
    `then_` putText t
    `then_` putInt i
    `then_` putDouble d
    `then_` putFloat f
    `then_` putWord w
    `then_` putMaybe putText m
    `then_` putList putText l
{-# INLINE putArticle #-}

encodeArticleLimit :: Article by -> ByteString
encodeArticleLimit a = exactly (sizeOfArticle a) (putArticle a)
{-# NOINLINE encodeArticleLimit #-}

putEntry :: Entry by -> Put
putEntry (Entry i n x k t f a c) =
  putInt i
    `then_` putText n
    `then_` putDouble x
    `then_` putMaybe putText k
    `then_` putList putText t
    `then_` putFigure f
    `then_` putByte (if a then 1 else 0)
    `then_` putList putInt c
{-# INLINE putEntry #-}

putFigure :: Figure by -> Put
putFigure = \case
  Circle r -> putByte 0 `then_` putDouble r
  Rectangle a b -> putByte 1 `then_` putDouble a `then_` putDouble b
  Polygon ps -> putByte 2 `then_` putList putInt ps
  Empty -> putByte 3

-- | In chunks of 4,096, of which none has less than 128.
putEntries :: [Entry by] -> Put
putEntries xs op s = case putSome putEntry 4096 xs (plusAddr# op 2#) s of
  (# s1, op1, I# n, rest #) -> case ( putByte (W# (int2Word# (uncheckedIShiftRL# n 8#) `or#` 128##))
                                        `then_` putByte (W# (int2Word# n))
                                    )
    op
    s1 of
    (# s2, _ #) -> if isTrue# (n <# 4096#) then (# s2, op1 #) else putEntries rest op1 s2

encodeEntriesLimit :: [Entry by] -> ByteString
encodeEntriesLimit xs = within 1048576 (putEntries xs)
{-# NOINLINE encodeEntriesLimit #-}

-- * Reading

getWord :: Get Word
getWord = do
  b <- getByte
  if b < 128 then pure b else getLong b
{-# INLINE getWord #-}

getLong :: Word -> Get Word
getLong b = room follow *> go follow (if follow == 8 then 0 else b .&. (127 `unsafeShiftR` follow))
  where
    follow = countLeadingZeros ((b `xor` 255) `unsafeShiftL` 56)
    go :: Int -> Word -> Get Word
    go 0 w = if sizeOfWord w == follow + 1 then pure w else giveUp
    go k w = byte' >>= \x -> go (k - 1) ((w `unsafeShiftL` 8) .|. x)
{-# NOINLINE getLong #-}

getInt :: Get Int
getInt = do
  w <- getWord
  pure $! fromIntegral (w `unsafeShiftR` 1) `xor` negate (fromIntegral (w .&. 1))
{-# INLINE getInt #-}

getText :: Get Text
getText = getWord >>= textOf
{-# NOINLINE getText #-}

getMaybe :: Get a -> Get (Maybe a)
getMaybe g =
  getByte >>= \case
    0 -> pure Nothing
    1 -> Just <$> g
    _ -> giveUp
{-# INLINE getMaybe #-}

-- | A list of one chunk.
getList :: Get a -> Get [a]
getList g = getWord >>= \n -> if n >= 4096 then giveUp else go n (pure [])
  where
    go 0 end = end
    go k end = do
      x <- g
      xs <- go (k - 1) end
      pure (x : xs)
{-# INLINE getList #-}

getArticle :: Get (Article by)
getArticle = do
  c <-
    getByte >>= \case
      0 -> Whole <$> getInt
      1 -> room 4 *> (Short <$> float')
      _ -> giveUp
  t <- getText
  i <- getInt
  room 12
  d <- double'
  f <- float'
  w <- getWord
  m <- getMaybe getText
  l <- getList getText
  pure (Article c t i d f w m l)
{-# INLINE getArticle #-}

getEntry :: Get (Entry by)
getEntry = do
  i <- getInt
  n <- getText
  room 8
  x <- double'
  k <- getMaybe getText
  t <- getList getText
  f <- getFigure
  a <- getByte
  c <- getInts
  pure $! Entry i n x k t f (a /= 0) c
{-# INLINE getEntry #-}

getFigure :: Get (Figure by)
getFigure =
  getByte >>= \case
    0 -> room 8 *> (double' >>= \r -> pure $! Circle r)
    1 -> room 16 *> (double' >>= \a -> double' >>= \b -> pure $! Rectangle a b)
    2 -> getInts >>= \ps -> pure $! Polygon ps
    3 -> pure Empty
    _ -> giveUp
{-# NOINLINE getFigure #-}

getInts :: Get [Int]
getInts = getList getInt
{-# NOINLINE getInts #-}

getEntries :: Get [Entry by]
getEntries = chunk
  where
    chunk = getWord >>= \n -> if n > 4096 then giveUp else go n n
    go k n
      | k == 0 = if n == 4096 then chunk else pure []
      | otherwise = do
          x <- getEntry
          xs <- go (k - 1 :: Word) n
          pure (x : xs)

decodeArticleLimit :: ByteString -> Maybe (Article by)
decodeArticleLimit = runGet getArticle
{-# NOINLINE decodeArticleLimit #-}

decodeEntriesLimit :: ByteString -> Maybe [Entry by]
decodeEntriesLimit = runGet getEntries
{-# NOINLINE decodeEntriesLimit #-}
