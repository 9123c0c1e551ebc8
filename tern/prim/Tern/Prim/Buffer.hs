{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | A growing buffer that bytes are written to in one pass.
--
-- The idea: small outputs are cut one after another from a pinned chunk that
-- the operating-system thread keeps between calls, so that encoding a small
-- value allocates its bytes and a constructor, no more. GHC's own pinned
-- objects share blocks of the same size, so a kept result keeps no more memory
-- alive than it did. What outgrows the chunk moves to a buffer of its own.
--
-- Start at 'Fill', then 'ensure' and 'run'. What callers owe:
--
-- * Before it writes @n@ bytes, a fill has ensured @n@. It may write at most
--   'slack' bytes beyond the address it returns, and nothing before the
--   address it was given.
-- * A fill is deterministic: run twice from one address it writes the same.
--
-- Why it is safe, given that: an address is only used while its array is in
-- the state that is passed along, so the collector keeps it; pinned arrays do
-- not move. A chunk is out of its slot while somebody writes to it. An
-- evaluation that an asynchronous exception froze may be taken up by two
-- threads at once; both then write the same bytes to the same place, and only
-- the one whose compare-and-swap moves the chunk's fill mark returns the chunk.
-- The slack after each result keeps the other's last wide store off the next.
module Tern.Prim.Buffer
  ( -- * Writing
    Poke,
    Fill,
    ensure,
    ensuring,
    moved,
    slack,

    -- * Running
    run,

    -- * Running many
    Room,
    newRoom,
    fillRoom,
    roomUsed,
    emptied,
  )
where

import Data.ByteString qualified as B
import Data.ByteString.Internal (ByteString (..))
import GHC.Exts
import GHC.ForeignPtr (ForeignPtr (..), ForeignPtrContents (..))
import GHC.IO (IO (..), unsafeDupablePerformIO, unsafePerformIO)

-- | Writes at an address and returns the address after what it wrote.
type Poke = Addr# -> State# RealWorld -> (# State# RealWorld, Addr# #)

-- | Writes at an address inside an array, which it may replace by a larger
-- one that begins with the same bytes.
type Fill =
  MutableByteArray# RealWorld ->
  Addr# ->
  State# RealWorld ->
  (# State# RealWorld, MutableByteArray# RealWorld, Addr# #)

-- | How many bytes after the end of what it wrote a poke may overwrite.
slack :: Int
slack = 16

-- | Room for @n@ more bytes and the slack.
ensure :: Int# -> Fill
ensure n = ensuring n (\mba op s -> (# s, mba, op #))
{-# INLINE ensure #-}

-- | Room for @n@ more bytes and the slack, and then something.
--
-- INLINE: the comparison stands in the caller and only growing is a call. What
-- follows is a function of its own that is not inlined, so that it stands in
-- the code once and not in both branches. Proof: inspect "one bounds check a
-- bounded run".
ensuring :: Int# -> Fill -> Fill
ensuring n next mba op s = case getSizeofMutableByteArray# mba s of
  (# s1, size #) ->
    let !left = minusAddr# (mutableByteArrayContents# mba `plusAddr#` size) op
        go mba' op' s' = next mba' op' s'
        {-# NOINLINE go #-}
     in case left >=# (n +# 16#) of
          1# -> go mba op s1
          _ -> case grow n mba op s1 of (# s2, mba2, op2 #) -> go mba2 op2 s2
{-# INLINE ensuring #-}

-- | Move to an array with room for @n@ more bytes. Word 0 of every array that
-- is written to holds the offset at which the output began; only the output
-- is taken along.
grow :: Int# -> Fill
grow n mba op s = case readIntArray# mba 0# s of
  (# s1, start #) ->
    let !used = minusAddr# op (mutableByteArrayContents# mba) -# start
     in case newPinnedByteArray# (roundUp ((used *# 2#) +# n)) s1 of
          (# s2, new #) -> case writeIntArray# new 0# 8# s2 of
            s3 -> case copyMutableByteArray# mba start new 8# used s3 of
              s4 -> (# s4, new, mutableByteArrayContents# new `plusAddr#` (8# +# used) #)
{-# NOINLINE grow #-}

-- | Where a place in the output is now: what is written there last, because it was not
-- known before. Given are the array and the address of then, and the array of now.
--
-- The first word is read only of an array that was outgrown: nobody can have cut a
-- result from that one, and moved its mark.
moved ::
  MutableByteArray# RealWorld ->
  Addr# ->
  MutableByteArray# RealWorld ->
  State# RealWorld ->
  (# State# RealWorld, Addr# #)
moved before at now s
  | isTrue# (sameMutableByteArray# before now) = (# s, at #)
  | otherwise = case readIntArray# before 0# s of
      (# s1, start #) ->
        let !distance = minusAddr# at (mutableByteArrayContents# before) -# start
         in (# s1, mutableByteArrayContents# now `plusAddr#` (8# +# distance) #)
{-# INLINE moved #-}

-- | The next size that fills whole blocks of 4 KiB in GHC's allocator, once it
-- has added an array's header (16 bytes) and what aligning may take (16), with
-- room for the slack and the first word.
roundUp :: Int# -> Int#
roundUp n = (((n +# 24#) +# (48# +# 4095#)) `andI#` -4096#) -# 48#

-- * Chunks and their slots

-- | A pinned array whose first word is its fill mark: the offset from which it is free;
-- the contents, ready for a 'ByteString'; and the slot where it is left.
data Chunk = Chunk (MutableByteArray# RealWorld) ForeignPtrContents SlotArray Int#

type SlotArray = SmallMutableArray# RealWorld Chunk

chunkSize :: Int
chunkSize = 4048

-- | One spare chunk for each of the first operating-system threads that ask; and what
-- stands in each slot while it is empty, the last for all other threads: a chunk without
-- room, so that the first 'ensure' replaces it and no code has to ask whether there is a
-- chunk.
data Slots = Slots SlotArray SlotArray

-- | NOINLINE: there are these in the program, once. What the arrays begin with is never
-- read, for a chunk cannot be before its slot.
slots :: Slots
slots = unsafePerformIO . IO $ \s -> case newPinnedByteArray# 24# s of
  (# s1, mba #) -> case writeIntArray# mba 0# 8# s1 of
    s2 -> case newSmallArray# (count +# 1#) (unsafeCoerce# ()) s2 of
      (# s3, spare #) -> case newSmallArray# (count +# 1#) (unsafeCoerce# ()) s3 of
        (# s4, none #) ->
          let fillFrom i t
                | isTrue# (i ># count) = t
                | otherwise = case Chunk mba (PlainPtr mba) spare i of
                    !chunk -> case writeSmallArray# spare i chunk t of
                      t1 ->
                        fillFrom (i +# 1#) (writeSmallArray# none i chunk t1)
           in case fillFrom 0# s4 of s5 -> (# s5, Slots spare none #)
  where
    !(I# count) = slotCount
{-# NOINLINE slots #-}

slotCount :: Int
slotCount = 256

foreign import ccall unsafe "tern_thread_slot" threadSlot :: IO Int

-- | The calling thread's; that of all others after the last.
slotNumber :: State# RealWorld -> (# State# RealWorld, Int# #)
slotNumber s = case threadSlot of
  IO f -> case f s of
    (# s1, I# i #)
      | isTrue# (i <# count) -> (# s1, i #)
      | otherwise -> (# s1, count #)
  where
    !(I# count) = slotCount
{-# INLINE slotNumber #-}

-- | Take this thread's chunk. Between reading the slot and emptying it there is
-- no allocation, hence no point at which another Haskell thread could run on
-- this operating-system thread.
--
-- Returns the chunk, its array, and the address from which it is free. The chunk knows
-- where it is to be left: looking for that again took a tenth of a small record's time.
takeChunk :: State# RealWorld -> (# State# RealWorld, Chunk, MutableByteArray# RealWorld, Addr# #)
takeChunk s = case slots of
  Slots spare none -> case slotNumber s of
    (# s1, i #) -> case readSmallArray# none i s1 of
      (# s2, empty #) -> case readSmallArray# spare i s2 of
        (# s3, chunk@(Chunk array _ _ _) #) -> case writeSmallArray# spare i empty s3 of
          s4 -> case readIntArray# array 0# s4 of
            (# s5, start #) ->
              (# s5, chunk, array, mutableByteArrayContents# array `plusAddr#` start #)
{-# NOINLINE takeChunk #-}

-- | Leave a chunk in its slot. Whoever writes may have come to another operating-system
-- thread meanwhile; but a slot is only read by its own, so that nobody takes a chunk that
-- somebody has, and at worst one of two chunks is forgotten.
putChunk :: Chunk -> State# RealWorld -> State# RealWorld
putChunk chunk@(Chunk _ _ spare i) s
  | isTrue# (i <# count) = writeSmallArray# spare i chunk s
  | otherwise = s
  where
    !(I# count) = slotCount
{-# INLINE putChunk #-}

-- * Running

-- | The bytes that a fill writes.
--
-- INLINE: the fill runs in place, without a closure for it. Proof: the
-- allocation ceiling "a record of 25 integers".
run :: Fill -> ByteString
run fill = unsafeDupablePerformIO . IO $ \s -> case takeChunk s of
  (# s1, chunk, array, from #) -> case fill array from s1 of
    (# s2, mba, end #) -> finish chunk from mba end s2
{-# INLINE run #-}

-- | What a fill that began at @from@ in a slot's chunk has written up to @end@.
finish ::
  Chunk ->
  Addr# ->
  MutableByteArray# RealWorld ->
  Addr# ->
  State# RealWorld ->
  (# State# RealWorld, ByteString #)
finish chunk@(Chunk array _ spare i) from mba end s
  | isTrue# (sameMutableByteArray# mba array) = cut chunk from end s
  | otherwise = own spare i mba end s
{-# NOINLINE finish #-}

-- | Cut the result from its chunk and hand the chunk on, unless little is left
-- of it or another thread has done so already.
cut :: Chunk -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, ByteString #)
cut chunk@(Chunk array contents _ _) from end s
  | isTrue# (eqAddr# from end) = (# s, B.empty #)
  | otherwise = case casIntArray# array 0# (minusAddr# from base) mark s of
      (# s1, old #)
        | isTrue# (old ==# minusAddr# from base),
          isTrue# (mark <# 3840#) -> case putChunk chunk s1 of
            s2 ->
              (# s2, result #)
        | otherwise -> (# s1, result #)
  where
    !base = mutableByteArrayContents# array
    !mark = (minusAddr# end base +# 23#) `andI#` -8#
    !result = BS (ForeignPtr from contents) (I# (minusAddr# end from))
{-# INLINE cut #-}

-- | The result that outgrew its chunk. An array of a chunk's size becomes the
-- slot's next chunk; a larger one becomes the result's own, trimmed where
-- little is left over and copied where much is.
own ::
  SlotArray ->
  Int# ->
  MutableByteArray# RealWorld ->
  Addr# ->
  State# RealWorld ->
  (# State# RealWorld, ByteString #)
own spare i mba end s = case getSizeofMutableByteArray# mba s of
  (# s1, size #)
    | I# size <= chunkSize -> cut (Chunk mba (PlainPtr mba) spare i) from end s1
    | isTrue# ((len *# 4#) >=# (size *# 3#)) ->
        case shrinkMutableByteArray# mba (len +# 8#) s1 of
          s2 -> (# s2, BS (ForeignPtr from (PlainPtr mba)) (I# len) #)
    | otherwise -> case newPinnedByteArray# len s1 of
        (# s2, new #) -> case copyMutableByteArray# mba 8# new 0# len s2 of
          s3 -> (# s3, BS (ForeignPtr (mutableByteArrayContents# new) (PlainPtr new)) (I# len) #)
  where
    !from = mutableByteArrayContents# mba `plusAddr#` 8#
    !len = minusAddr# end from
{-# NOINLINE own #-}

-- * Running many

-- | A buffer of one's own that one fill after the other writes to, and the
-- address after what they wrote.
data Room = Room (MutableByteArray# RealWorld) Addr#

-- | Room for @n@ bytes.
newRoom :: Int -> IO Room
newRoom (I# n) = IO $ \s -> case newPinnedByteArray# (roundUp n) s of
  (# s1, mba #) -> case writeIntArray# mba 0# 8# s1 of
    s2 -> (# s2, Room mba (mutableByteArrayContents# mba `plusAddr#` 8#) #)

-- | Write after what is there. The room that was given must not be used again.
fillRoom :: Fill -> Room -> IO Room
fillRoom fill (Room mba op) =
  IO $ \s -> case fill mba op s of (# s1, mba1, op1 #) -> (# s1, Room mba1 op1 #)
{-# INLINE fillRoom #-}

-- | Bytes written.
roomUsed :: Room -> Int
roomUsed (Room mba op) = I# (minusAddr# op (mutableByteArrayContents# mba) -# 8#)

-- | All that was written. The room must not be used again.
emptied :: Room -> IO ByteString
emptied (Room mba op) = IO $ \s -> case slots of
  Slots spare _ -> case slotNumber s of (# s1, i #) -> own spare i mba op s1
