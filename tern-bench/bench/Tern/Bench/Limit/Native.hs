{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | The straight lines that write and read the native format's records.
--
-- The writer is told how long its output will be by a pass before, and then
-- never asks for room. The reader gives up without saying why, and counts on
-- lists of less than a chunk within a record. They share no code with the
-- library.
module Tern.Bench.Limit.Native
  ( encodeArticleLimit,
    decodeArticleLimit,
    encodeEntriesLimit,
    decodeEntriesLimit,
  )
where

import Data.Bits (countLeadingZeros, unsafeShiftL, unsafeShiftR, xor, (.&.), (.|.))
import Data.ByteString (ByteString)
import Data.ByteString.Internal (ByteString (..))
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Array qualified as TA
import Data.Text.Encoding qualified as T
import Data.Text.Internal (Text (..))
import GHC.Exts
import GHC.ForeignPtr (ForeignPtr (..), mallocPlainForeignPtrBytes)
import GHC.IO (IO (..), unsafeDupablePerformIO)
import Tern.Bench.Native.Record

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

sizeOfArticle :: Article -> Int
sizeOfArticle (Article c t i _ _ w m l) =
  (case c of Whole k -> 1 + sizeOfWord (folded k); Short _ -> 5)
    + sizeOfText t
    + sizeOfWord (folded i)
    + 12
    + sizeOfWord w
    + maybe 1 (\x -> 1 + sizeOfText x) m
    + sizeOfList sizeOfText l

sizeOfEntry :: Entry -> Int
sizeOfEntry (Entry i n _ k t f _ c) =
  sizeOfWord (folded i)
    + sizeOfText n
    + 9
    + maybe 1 (\x -> 1 + sizeOfText x) k
    + sizeOfList sizeOfText t
    + (case f of Circle _ -> 9; Rectangle _ _ -> 17; Polygon ps -> 1 + sizeOfList (sizeOfWord . folded) ps; Empty -> 1)
    + sizeOfList (sizeOfWord . folded) c

-- * Writing

type Put = Addr# -> State# RealWorld -> (# State# RealWorld, Addr# #)

then_ :: Put -> Put -> Put
then_ f g op s = case f op s of (# s1, op1 #) -> g op1 s1
{-# INLINE then_ #-}

infixr 6 `then_`

-- | As many bytes as were counted, and some that the last number may touch.
exactly :: Int -> Put -> ByteString
exactly n@(I# n#) put = unsafeDupablePerformIO $ do
  pointer@(ForeignPtr start _) <- mallocPlainForeignPtrBytes (I# (n# +# 8#))
  IO $ \s -> case put start s of (# s1, _ #) -> (# s1, BS pointer n #)
{-# INLINE exactly #-}

putByte :: Word -> Put
putByte (W# w) op s = case writeWord8OffAddr# op 0# (wordToWord8# w) s of s1 -> (# s1, plusAddr# op 1# #)
{-# INLINE putByte #-}

putWord :: Word -> Put
putWord w op s
  | w < 128 = putByte w op s
  | otherwise = putLong w op s
{-# INLINE putWord #-}

putLong :: Word -> Put
putLong w op s = case sizeOfWord w of
  9 -> case putByte 255 op s of (# s1, op1 #) -> go 8 op1 s1
  size -> case putByte ((255 `unsafeShiftL` (9 - size)) .&. 255 .|. (w `unsafeShiftR` (8 * (size - 1)))) op s of (# s1, op1 #) -> go (size - 1) op1 s1
  where
    go :: Int -> Put
    go 0 op' s' = (# s', op' #)
    go k op' s' = case putByte ((w `unsafeShiftR` (8 * (k - 1))) .&. 255) op' s' of (# s1, op1 #) -> go (k - 1) op1 s1
{-# NOINLINE putLong #-}

putInt :: Int -> Put
putInt i = putWord (folded i)
{-# INLINE putInt #-}

putDouble :: Double -> Put
putDouble (D# x) op s = case writeDoubleOffAddr# op 0# x s of s1 -> (# s1, plusAddr# op 8# #)
{-# INLINE putDouble #-}

putFloat :: Float -> Put
putFloat (F# x) op s = case writeFloatOffAddr# op 0# x s of s1 -> (# s1, plusAddr# op 4# #)
{-# INLINE putFloat #-}

putText :: Text -> Put
putText (Text (TA.ByteArray array) (I# off) n@(I# n#)) = putWord (fromIntegral n) `then_` \op s -> case copyByteArrayToAddr# array off op n# s of s1 -> (# s1, plusAddr# op n# #)
{-# INLINE putText #-}

putList :: (a -> Put) -> [a] -> Put
putList put xs = putWord (fromIntegral (length xs)) `then_` go xs
  where
    go ys op s = case ys of
      [] -> (# s, op #)
      y : rest -> case put y op s of (# s1, op1 #) -> go rest op1 s1
{-# INLINE putList #-}

putMaybe :: (a -> Put) -> Maybe a -> Put
putMaybe put = \case
  Nothing -> putByte 0
  Just x -> putByte 1 `then_` put x
{-# INLINE putMaybe #-}

putArticle :: Article -> Put
putArticle (Article c t i d f w m l) =
  (\op s -> case c of Whole k -> (putByte 0 `then_` putInt k) op s; Short x -> (putByte 1 `then_` putFloat x) op s)
    `then_` putText t
    `then_` putInt i
    `then_` putDouble d
    `then_` putFloat f
    `then_` putWord w
    `then_` putMaybe putText m
    `then_` putList putText l
{-# INLINE putArticle #-}

encodeArticleLimit :: Article -> ByteString
encodeArticleLimit a = exactly (sizeOfArticle a) (putArticle a)
{-# NOINLINE encodeArticleLimit #-}

putEntry :: Entry -> Put
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

putFigure :: Figure -> Put
putFigure = \case
  Circle r -> putByte 0 `then_` putDouble r
  Rectangle a b -> putByte 1 `then_` putDouble a `then_` putDouble b
  Polygon ps -> putByte 2 `then_` putList putInt ps
  Empty -> putByte 3

-- | In chunks of 4,096.
putEntries :: [Entry] -> Put
putEntries xs = case splitAt 4096 xs of
  (now, []) | length now < 4096 -> putList putEntry now
  (now, later) -> putList putEntry now `then_` putEntries later

encodeEntriesLimit :: [Entry] -> ByteString
encodeEntriesLimit xs = exactly (sum (map sizeOfEntry xs) + 2 * (length xs `quot` 4096 + 1)) (putEntries xs)
{-# NOINLINE encodeEntriesLimit #-}

-- * Reading

newtype Get a = Get (Addr# -> Addr# -> State# RealWorld -> Got a)

type Got a = (# State# RealWorld, (# (# Addr#, a #) | (# #) #) #)

get :: (Addr# -> Addr# -> State# RealWorld -> Got a) -> Get a
get f = Get (oneShot (\e -> oneShot (\c -> oneShot (\s -> f e c s))))
{-# INLINE get #-}

instance Functor Get where
  fmap f (Get g) = get $ \e c s -> case g e c s of
    (# s1, (# (# c1, a #) | #) #) -> case f a of !b -> (# s1, (# (# c1, b #) | #) #)
    (# s1, (# | (# #) #) #) -> (# s1, (# | (# #) #) #)
  {-# INLINE fmap #-}

instance Applicative Get where
  pure a = get (\_ c s -> (# s, (# (# c, a #) | #) #))
  {-# INLINE pure #-}
  f <*> x = f >>= \g -> fmap g x
  {-# INLINE (<*>) #-}

instance Monad Get where
  Get g >>= k = get $ \e c s -> case g e c s of
    (# s1, (# (# c1, a #) | #) #) -> case k a of Get h -> h e c1 s1
    (# s1, (# | (# #) #) #) -> (# s1, (# | (# #) #) #)
  {-# INLINE (>>=) #-}

giveUp :: Get a
giveUp = get (\_ _ s -> (# s, (# | (# #) #) #))
{-# INLINE giveUp #-}

room :: Int -> Get ()
room (I# n) = get $ \e c s -> case minusAddr# e c >=# n of
  1# -> (# s, (# (# c, () #) | #) #)
  _ -> (# s, (# | (# #) #) #)
{-# INLINE room #-}

load :: Int -> (Addr# -> a) -> Get a
load (I# n) f = get (\_ c s -> case f c of !a -> (# s, (# (# plusAddr# c n, a #) | #) #))
{-# INLINE load #-}

byte' :: Get Word
byte' = load 1 (\c -> W# (word8ToWord# (indexWord8OffAddr# c 0#)))
{-# INLINE byte' #-}

getByte :: Get Word
getByte = room 1 *> byte'
{-# INLINE getByte #-}

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

double' :: Get Double
double' = load 8 (\c -> D# (indexDoubleOffAddr# c 0#))
{-# INLINE double' #-}

getText :: Get Text
getText = do
  n <- getWord
  get $ \e c s -> case n of
    0 -> (# s, (# (# c, T.empty #) | #) #)
    W# n#
      | isTrue# (leWord# n# (int2Word# (minusAddr# e c))),
        k <- word2Int# n# -> case ascii c k of
          1# -> case newByteArray# k s of
            (# s1, mba #) -> case copyAddrToByteArray# c mba 0# k s1 of
              s2 -> case unsafeFreezeByteArray# mba s2 of
                (# s3, array #) -> (# s3, (# (# plusAddr# c k, Text (TA.ByteArray array) 0 (I# k) #) | #) #)
          _ -> slowText c k s
      | otherwise -> (# s, (# | (# #) #) #)
{-# NOINLINE getText #-}

slowText :: Addr# -> Int# -> State# RealWorld -> Got Text
slowText c k s = case T.decodeUtf8' (unsafeDupablePerformIO (copied c k)) of
  Right t -> (# s, (# (# plusAddr# c k, t #) | #) #)
  Left _ -> (# s, (# | (# #) #) #)
  where
    copied a n = do
      pointer@(ForeignPtr start _) <- mallocPlainForeignPtrBytes (I# n)
      IO $ \s0 -> case copy a start n s0 of s1 -> (# s1, BS pointer (I# n) #)
    copy a to n s0 = case n of
      0# -> s0
      _ -> case writeWord8OffAddr# to (n -# 1#) (indexWord8OffAddr# a (n -# 1#)) s0 of s1 -> copy a to (n -# 1#) s1
{-# NOINLINE slowText #-}

ascii :: Addr# -> Int# -> Int#
ascii a n = words' 0#
  where
    words' i
      | isTrue# ((i +# 8#) <=# n) = case and# (indexWordOffAddr# (plusAddr# a i) 0#) 0x8080808080808080## of
          0## -> words' (i +# 8#)
          _ -> 0#
      | otherwise = bytes i
    bytes i
      | isTrue# (i >=# n) = 1#
      | isTrue# (ltWord# (word8ToWord# (indexWord8OffAddr# a i)) 128##) = bytes (i +# 1#)
      | otherwise = 0#

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

getArticle :: Get Article
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
  where
    float' = load 4 (\c -> F# (indexFloatOffAddr# c 0#))
{-# INLINE getArticle #-}

getEntry :: Get Entry
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

getFigure :: Get Figure
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

getEntries :: Get [Entry]
getEntries = chunk
  where
    chunk = getWord >>= \n -> if n > 4096 then giveUp else go n n
    go k n
      | k == 0 = if n == 4096 then chunk else pure []
      | otherwise = do
          x <- getEntry
          xs <- go (k - 1 :: Word) n
          pure (x : xs)

runGet :: Get a -> ByteString -> Maybe a
runGet (Get g) (BS (ForeignPtr start contents) (I# n)) = unsafeDupablePerformIO . IO $ \s -> case g (plusAddr# start n) start s of
  (# s1, (# (# c, a #) | #) #) -> case touch# contents s1 of
    s2 -> (# s2, if isTrue# (eqAddr# c (plusAddr# start n)) then Just a else Nothing #)
  (# s1, _ #) -> case touch# contents s1 of s2 -> (# s2, Nothing #)
{-# INLINE runGet #-}

decodeArticleLimit :: ByteString -> Maybe Article
decodeArticleLimit = runGet getArticle
{-# NOINLINE decodeArticleLimit #-}

decodeEntriesLimit :: ByteString -> Maybe [Entry]
decodeEntriesLimit = runGet getEntries
{-# NOINLINE decodeEntriesLimit #-}
