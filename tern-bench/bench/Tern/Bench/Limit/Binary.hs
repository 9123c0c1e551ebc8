{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
{-# LANGUAGE UnliftedFFITypes #-}

-- | The limits of readers of binary formats: functions in C that say what is where
-- (@cbits\/tern_bench_binary.c@), and what makes values of it.
--
-- Lists are made from their ends, so that nothing waits on the stack; those of records
-- from an array, which they are put into as they come. A short text is one store or two,
-- in an array whose size is known when this is compiled.
module Tern.Bench.Limit.Binary
  ( decodeArticle,
    decodePacked,
    decodeEntries,
  )
where

import Data.ByteString (ByteString)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Array qualified as TA
import Data.Text.Internal (Text (..))
import Data.Word (Word8)
import Foreign.Ptr (plusPtr)
import GHC.Exts
import GHC.IO (IO (..))
import Tern.Bench.Limit.Room
  ( Room,
    Slots (..),
    doubleSlot,
    floatSlot,
    slot,
    throughSlots,
    withSlots,
    wordSlot,
  )
import Tern.Bench.Native.Record (Article (..), Choice (..), Entry (..), Figure (..))

-- unsafe: they take some tens of nanoseconds and call nothing.
foreign import ccall unsafe "tern_bench_native_article"
  nativeArticle :: Addr# -> Int -> MutableByteArray# RealWorld -> IO Int

foreign import ccall unsafe "tern_bench_packed_article"
  packedArticle :: Addr# -> Int -> MutableByteArray# RealWorld -> IO Int

foreign import ccall unsafe "tern_bench_native_entry"
  nativeEntry :: Ptr Word8 -> Ptr Word8 -> Ptr Word8 -> MutableByteArray# RealWorld -> IO Int

foreign import ccall unsafe "tern_bench_native_count"
  nativeCount :: Ptr Word8 -> Ptr Word8 -> MutableByteArray# RealWorld -> IO Int

-- * One record

-- | Of the native format.
decodeArticle :: Room -> ByteString -> Maybe (Article by)
decodeArticle room = withSlots room 100 nativeArticle articleFrom

-- | Of MessagePack, its fields as an array.
decodePacked :: Room -> ByteString -> Maybe (Article by)
decodePacked room = withSlots room 100 packedArticle articleFrom

articleFrom :: Ptr Word8 -> Slots -> IO (Article by)
articleFrom start found = do
  chosen <- slot found 0
  choice <-
    if chosen == 0
      then slot found 1 >>= \ !i -> pure (Whole i)
      else floatSlot found 1 >>= \ !x -> pure (Short x)
  word1 <- textAt start found 2
  !whole <- slot found 6
  !long <- doubleSlot found 7
  !short <- floatSlot found 8
  !positive <- wordSlot found 9
  perhaps <- maybeText start found 10
  count <- slot found 15
  several <- listOf (\i -> textAt start found (16 + 4 * i)) count
  pure Article {..}
{-# INLINE articleFrom #-}

-- * Many records

-- | Of the native format: chunks of 4,096, of which the last is shorter.
decodeEntries :: Room -> ByteString -> Maybe [Entry by]
decodeEntries room = throughSlots room 160 $ \start end found@(Slots array) ->
  let chunk from = do
        gone <- nativeCount from end array
        count <- slot found 0
        if gone == 0 || count > 4096
          then pure Nothing
          else do
            some <- places count
            entriesInto some count (from `plusPtr` gone) 0
      entriesInto some count from i
        | i == count =
            if count == 4096
              then chunk from >>= traverse (gathered some count)
              else if from == end then Just <$> gathered some count [] else pure Nothing
        | otherwise = do
            gone <- nativeEntry start from end array
            if gone == 0
              then pure Nothing
              else do
                !entry <- entryFrom start found
                put some i entry
                entriesInto some count (from `plusPtr` gone) (i + 1 :: Int)
   in chunk start

entryFrom :: Ptr Word8 -> Slots -> IO (Entry by)
entryFrom start found = do
  number <- slot found 0
  name <- textAt start found 1
  score <- doubleSlot found 5
  nick <- maybeText start found 6
  shape <- slot found 11
  figure <- case shape of
    0 -> Circle <$> doubleSlot found 12
    1 -> Rectangle <$> doubleSlot found 12 <*> doubleSlot found 13
    2 -> do
      count <- slot found 17
      Polygon <$> listOf (\i -> slot found (114 + i)) count
    _ -> pure Empty
  flag <- slot found 14
  let active = flag /= 0
  tagCount <- slot found 15
  tags <- listOf (\i -> textAt start found (18 + 4 * i)) tagCount
  countCount <- slot found 16
  counts <- listOf (\i -> slot found (82 + i)) countCount
  pure $! Entry {..}

-- | Places for elements of which none is there yet.
data Places a = Places (MutableArray# RealWorld a)

places :: Int -> IO (Places a)
places (I# n) = IO $ \s -> case newArray# n undefinedElement s of
  (# s1, array #) -> (# s1, Places array #)
  where
    undefinedElement = errorWithoutStackTrace "a place is filled before it is looked at"

put :: Places a -> Int -> a -> IO ()
put (Places array) (I# i) a = IO $ \s -> case writeArray# array i a s of s1 -> (# s1, () #)

-- | The first @n@, with others after them.
gathered :: Places a -> Int -> [a] -> IO [a]
gathered (Places array) = go
  where
    go 0 list = pure list
    go n@(I# n#) list = do
      !a <- IO (readArray# array (n# -# 1#))
      go (n - 1) (a : list)

-- * Parts

-- | The first @n@ elements.
listOf :: (Int -> IO a) -> Int -> IO [a]
listOf element = go []
  where
    go list 0 = pure list
    go list n = element (n - 1) >>= \ !a -> go (a : list) (n - 1)
{-# INLINE listOf #-}

maybeText :: Ptr Word8 -> Slots -> Int -> IO (Maybe Text)
maybeText start found i = do
  there <- slot found i
  if there == 0 then pure Nothing else textAt start found (i + 1) >>= \ !t -> pure (Just t)
{-# INLINE maybeText #-}

-- | Four places: where it is, how long, its first sixteen bytes.
textAt :: Ptr Word8 -> Slots -> Int -> IO Text
textAt start found i = do
  n@(I# n#) <- slot found (i + 1)
  W# first <- wordSlot found (i + 2)
  if n <= 8
    then
      if n == 0
        then pure T.empty
        else IO $ \s -> case newByteArray# 8# s of
          (# s1, array #) -> case writeWordArray# array 0# first s1 of
            s2 -> frozen array n s2
    else
      if n <= 16
        then do
          W# second <- wordSlot found (i + 3)
          IO $ \s -> case newByteArray# 16# s of
            (# s1, array #) -> case writeWordArray# array 0# first s1 of
              s2 -> case writeWordArray# array 1# second s2 of
                s3 -> frozen array n s3
        else do
          from <- slot found i
          let !(Ptr a) = start `plusPtr` from
          IO $ \s -> case newByteArray# n# s of
            (# s1, array #) -> case copyAddrToByteArray# a array 0# n# s1 of
              s2 -> frozen array n s2
  where
    frozen :: MutableByteArray# RealWorld -> Int -> State# RealWorld -> (# State# RealWorld, Text #)
    frozen array n s = case unsafeFreezeByteArray# array s of
      (# s1, bytes #) -> (# s1, Text (TA.ByteArray bytes) 0 n #)
    {-# INLINE frozen #-}
