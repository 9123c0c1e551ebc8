{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | The steps that code written by hand for one record is made of.
--
-- The limits know their type, their input's layout and that nobody else runs at
-- the same time: they write to one chunk without a lock, look for nothing but
-- what they expect, and give up at the first surprise. What Tern does beyond
-- that (any order of the fields, space, escapes, errors, several threads) is
-- what the ratios show the price of. They share no code with the library.
module Tern.Bench.Limit.Straight
  ( -- * Writing
    Poke,
    cut,
    key,
    int,
    byte,

    -- * Reading
    Take,
    readAll,
    expectKey,
    takeInt,
    integer,
    close,
    giveUp,
  )
where

import Data.ByteString.Internal (ByteString (..))
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import GHC.Exts
import GHC.ForeignPtr (ForeignPtr (..), ForeignPtrContents (..))
import GHC.IO (IO (..), unsafeDupablePerformIO, unsafePerformIO)

-- * Writing

type Poke = Addr# -> State# RealWorld -> (# State# RealWorld, Addr# #)

-- | A pinned array and the offset from which it is free.
data Chunk = Chunk (MutableByteArray# RealWorld) ForeignPtrContents Int#

chunk :: IORef Chunk
chunk = unsafePerformIO (fresh >>= newIORef)
{-# NOINLINE chunk #-}

fresh :: IO Chunk
fresh = IO $ \s -> case newPinnedByteArray# 16000# s of
  (# s1, array #) -> (# s1, Chunk array (PlainPtr array) 0# #)

-- | At most so many bytes, cut from the chunk.
cut :: Int -> Poke -> ByteString
cut (I# bound) poke = unsafeDupablePerformIO $ do
  Chunk array contents from <- readIORef chunk >>= room
  IO $ \s ->
    let !start = mutableByteArrayContents# array `plusAddr#` from
     in case poke start s of
          (# s1, end #) ->
            let !used = minusAddr# end start
             in case writeIORef chunk (Chunk array contents ((from +# used +# 7#) `andI#` -8#)) of
                  IO store -> case store s1 of
                    (# s2, () #) -> (# s2, BS (ForeignPtr start contents) (I# used) #)
  where
    room now@(Chunk _ _ from)
      | isTrue# ((from +# bound) <=# 16000#) = pure now
      | otherwise = fresh
{-# INLINE cut #-}

-- | Eight bytes, and the last eight of @n@ over them: a key of 8 to 16 bytes.
key :: Int -> Word -> Word -> Poke
key (I# n) (W# first) (W# final) op s = case writeWordOffAddr# op 0# first s of
  s1 -> case writeWordOffAddr# (plusAddr# op (n -# 8#)) 0# final s1 of
    s2 -> (# s2, plusAddr# op n #)
{-# INLINE key #-}

byte :: Word -> Poke
byte (W# w) op s = case writeWord8OffAddr# op 0# (wordToWord8# w) s of
  s1 -> (# s1, plusAddr# op 1# #)
{-# INLINE byte #-}

-- | The digits of a number, two at a time.
int :: Int -> Poke
int (I# i) op s = case i <# 0# of
  1# -> case byte 45 op s of (# s1, op1 #) -> digits (int2Word# (negateInt# i)) op1 s1
  _ -> digits (int2Word# i) op s
{-# NOINLINE int #-}

digits :: Word# -> Poke
digits w op s
  | isTrue# (ltWord# w 10000##) = upToFour w op s
  | isTrue# (ltWord# w 100000000##) =
      let !high = hundredth (hundredth w)
       in case upToFour high op s of
            (# s1, op1 #) -> case four (minusWord# w (timesWord# high 10000##)) op1 s1 of
              s2 -> (# s2, plusAddr# op1 4# #)
  | otherwise =
      let !high = hundredth (hundredth w)
       in case digits high op s of
            (# s1, op1 #) -> case four (minusWord# w (timesWord# high 10000##)) op1 s1 of
              s2 -> (# s2, plusAddr# op1 4# #)

upToFour :: Word# -> Poke
upToFour w op s
  | isTrue# (ltWord# w 10##) = byte (W# (plusWord# w 48##)) op s
  | isTrue# (ltWord# w 100##) = case two w op s of s1 -> (# s1, plusAddr# op 2# #)
  | isTrue# (ltWord# w 1000##) =
      let !high = uncheckedShiftRL# (timesWord# w 5243##) 19#
       in case byte (W# (plusWord# high 48##)) op s of
            (# s1, op1 #) -> case two (minusWord# w (timesWord# high 100##)) op1 s1 of s2 -> (# s2, plusAddr# op1 2# #)
  | otherwise = case four w op s of s1 -> (# s1, plusAddr# op 4# #)
{-# INLINE upToFour #-}

four :: Word# -> Addr# -> State# RealWorld -> State# RealWorld
four w op s =
  let !high = uncheckedShiftRL# (timesWord# w 5243##) 19#
   in case two high op s of s1 -> two (minusWord# w (timesWord# high 100##)) (plusAddr# op 2#) s1
{-# INLINE four #-}

two :: Word# -> Addr# -> State# RealWorld -> State# RealWorld
two w op s = case pairs of
  Ptr table -> writeWord16OffAddr# op 0# (indexWord16OffAddr# table (word2Int# w)) s
{-# INLINE two #-}

hundredth :: Word# -> Word#
hundredth w = case timesWord2# (uncheckedShiftRL# w 2#) 0x28F5C28F5C28F5C3## of
  (# high, _ #) -> uncheckedShiftRL# high 2#
{-# INLINE hundredth #-}

pairs :: Ptr ()
pairs =
  Ptr
    "0001020304050607080910111213141516171819\
    \2021222324252627282930313233343536373839\
    \4041424344454647484950515253545556575859\
    \6061626364656667686970717273747576777879\
    \8081828384858687888990919293949596979899"#

-- * Reading

-- | From the input's end and a place to what follows, or to giving up.
type Take r = Addr# -> Addr# -> Maybe r

readAll :: Take r -> ByteString -> Maybe r
readAll take' (BS (ForeignPtr start contents) (I# n)) = unsafeDupablePerformIO . IO $ \s ->
  case take' (plusAddr# start n) start of
    !result -> case touch# contents s of s1 -> (# s1, result #)
{-# INLINE readAll #-}

giveUp :: Maybe r
giveUp = Nothing
{-# NOINLINE giveUp #-}

-- | A key of 8 to 16 bytes, as 'key' writes it.
expectKey :: Int -> Word -> Word -> Take r -> Take r
expectKey (I# n) (W# first) (W# final) next e c
  | isTrue# (minusAddr# e c >=# n),
    isTrue# (eqWord# (indexWordOffAddr# c 0#) first),
    isTrue# (eqWord# (indexWordOffAddr# (plusAddr# c (n -# 8#)) 0#) final) =
      next e (plusAddr# c n)
  | otherwise = giveUp
{-# INLINE expectKey #-}

-- | An Int of at most 18 digits.
takeInt :: (Int -> Take r) -> Take r
takeInt next e c = case integer e c of
  (# after, i #)
    | isTrue# (eqAddr# after nullAddr#) -> giveUp
    | otherwise -> next (I# i) e after
{-# INLINE takeInt #-}

integer :: Addr# -> Addr# -> (# Addr#, Int# #)
integer e c
  | isTrue# (eqAddr# c e) = (# nullAddr#, 0# #)
  | otherwise = case indexWord8OffAddr# c 0# of
      w | isTrue# (eqWord8# w (wordToWord8# 45##)) -> case natural e (plusAddr# c 1#) of (# after, i #) -> (# after, negateInt# i #)
      _ -> natural e c
{-# NOINLINE integer #-}

natural :: Addr# -> Addr# -> (# Addr#, Int# #)
natural e c = go c 0##
  where
    go at n
      | isTrue# (ltAddr# at e), d <- digit at, isTrue# (ltWord# d 10##) = go (plusAddr# at 1#) (plusWord# (timesWord# n 10##) d)
      | isTrue# (eqAddr# at c) = (# nullAddr#, 0# #)
      | isTrue# (minusAddr# at c ># 18#) = (# nullAddr#, 0# #)
      -- A leading zero, and what makes it another kind of number.
      | isTrue# (minusAddr# at c ># 1#), isTrue# (eqWord# (digit c) 0##) = (# nullAddr#, 0# #)
      | isTrue# (ltAddr# at e), another (digit at) = (# nullAddr#, 0# #)
      | otherwise = (# at, word2Int# n #)
    digit at = minusWord# (word8ToWord# (indexWord8OffAddr# at 0#)) 48##
    another = \case
      0xfffffffffffffffe## -> True
      21## -> True
      53## -> True
      _ -> False
{-# INLINE natural #-}

-- | The closing brace, and nothing after it.
close :: r -> Take r
close r e c
  | isTrue# (eqAddr# (plusAddr# c 1#) e), isTrue# (eqWord8# (indexWord8OffAddr# c 0#) (wordToWord8# 125##)) = Just r
  | otherwise = giveUp
{-# INLINE close #-}
