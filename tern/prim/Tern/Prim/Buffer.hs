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
-- A lazy run ('runLazy') hands a full buffer out instead of copying it to a larger one: the
-- rest of the fill is kept as a continuation, which goes on where the fill stopped as soon
-- as somebody asks for the next bytes. So a fill knows nothing of where its bytes go, and
-- a long output needs the memory of one buffer. A run in pieces ('runPieces') does the same
-- to its end at once: nothing is copied from a smaller buffer to a larger one.
--
-- Start at 'Fill', then 'ensure' and 'run'. What callers owe:
--
-- * Before it writes @n@ bytes, a fill has ensured @n@. It may write at most
--   'slack' bytes beyond the address it returns, and nothing before the
--   address it was given.
-- * A fill is deterministic: run twice from one address it writes the same.
-- * A fill that is run lazily goes back by 'tailBytes' at most before an address at which
--   it ensured room, and so has no use for 'moved' beyond that. One that is run in pieces
--   goes back by 'moved' alone.
--
-- Why it is safe, given that: an address is only used while its array is in
-- the state that is passed along, so the collector keeps it; pinned arrays do
-- not move. A chunk is out of its slot while somebody writes to it. An
-- evaluation that an asynchronous exception froze may be taken up by two
-- threads at once; both then write the same bytes to the same place, and only
-- the one whose compare-and-swap moves the chunk's fill mark returns the chunk.
-- The slack after each result keeps the other's last wide store off the next. A
-- continuation holds no thunk that is being evaluated: fills ask for room between values
-- and not within the evaluation of one. Each time that it is taken up it gets an array of
-- its own, so that two threads that do so write to two. The bytes that were handed out are
-- not written to any more.
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
    runLazy,
    runPieces,
    tailBytes,

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
import Data.ByteString.Lazy.Internal qualified as BL
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
-- is written to holds the offset at which the output began and 'Mode's number; only the
-- output is taken along.
grow :: Int# -> Fill
grow n mba op s = case readIntArray# mba 0# s of
  (# s1, mark #) ->
    let !mode = mark `andI#` 7#
        !start = mark -# mode
        !used = minusAddr# op (mutableByteArrayContents# mba) -# start
        larger = case newPinnedByteArray# (roundUp ((used *# 2#) +# n)) s1 of
          (# s2, new #) -> case writeIntArray# new 0# (8# +# mode) s2 of
            s3 -> case copyMutableByteArray# mba start new 8# used s3 of
              s4 -> (# s4, new, mutableByteArrayContents# new `plusAddr#` (8# +# used) #)
     in case mode of
          0# -> larger
          1# | isTrue# (used >=# full) -> handOut mode n start used mba s1
          2# | isTrue# (used ># 0#) -> handOut mode n start used mba s1
          _ -> larger
  where
    !(I# full) = fullBytes
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
      (# s1, mark #) -> case mark `andI#` 2# of
        0# ->
          let !distance = minusAddr# at (mutableByteArrayContents# before) -# (mark `andI#` -8#)
           in (# s1, mutableByteArrayContents# now `plusAddr#` (8# +# distance) #)
        -- In pieces: it is where it was.
        _ -> (# s1, at #)
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
    (# s2, mba, end #) -> finish 0# chunk from mba end s2
{-# INLINE run #-}

-- | What a fill that began at @from@ in a slot's chunk has written up to @end@, in a mode.
finish ::
  Int# ->
  Chunk ->
  Addr# ->
  MutableByteArray# RealWorld ->
  Addr# ->
  State# RealWorld ->
  (# State# RealWorld, ByteString #)
finish mode chunk@(Chunk array _ spare i) from mba end s
  | isTrue# (sameMutableByteArray# mba array) = cut mode chunk from end s
  | otherwise = own mode spare i mba end s
{-# NOINLINE finish #-}

-- | Cut the result from its chunk and hand the chunk on, unless little is left
-- of it or another thread has done so already.
cut :: Int# -> Chunk -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, ByteString #)
cut mode chunk@(Chunk array contents _ _) from end s
  | isTrue# (eqAddr# from end) = (# s, B.empty #)
  | otherwise = case casIntArray# array 0# before mark s of
      (# s1, old #)
        | isTrue# (old ==# before),
          isTrue# (mark <# 3840#) -> case putChunk chunk s1 of
            s2 ->
              (# s2, result #)
        | otherwise -> (# s1, result #)
  where
    !base = mutableByteArrayContents# array
    !before = minusAddr# from base +# mode
    !mark = (minusAddr# end base +# 23#) `andI#` -8#
    !result = BS (ForeignPtr from contents) (I# (minusAddr# end from))
{-# INLINE cut #-}

-- | The result that outgrew its chunk. An array of a chunk's size becomes the
-- slot's next chunk; a larger one becomes the result's own, trimmed where
-- little is left over and copied where much is.
own ::
  Int# ->
  SlotArray ->
  Int# ->
  MutableByteArray# RealWorld ->
  Addr# ->
  State# RealWorld ->
  (# State# RealWorld, ByteString #)
own mode spare i mba end s = case getSizeofMutableByteArray# mba s of
  (# s1, size #)
    | I# size == chunkSize -> cut mode (Chunk mba (PlainPtr mba) spare i) from end s1
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

-- * Running lazily

-- Modes: 0 is to a larger array each time, 1 lazily, 2 in pieces.

-- | The bytes that a fill writes, in chunks that are made as they are asked for: one chunk
-- of up to about 64 KiB, and after it chunks of about 3 KiB. These are no large objects
-- for the collector, which would let as many bytes of such be there as it has for all
-- others; who writes them on puts them together.
--
-- INLINE: as 'run'.
runLazy :: Fill -> BL.ByteString
runLazy fill = runIn 1# fill
{-# INLINE runLazy #-}

-- | The bytes that a fill writes, all of them, in pieces of about 3 KiB.
--
-- INLINE: as 'run'.
runPieces :: Fill -> BL.ByteString
runPieces fill = allThere (runIn 2# fill)
{-# INLINE runPieces #-}

-- | What is written before a piece may still be changed while the next one is made: so
-- nobody sees one before the last.
allThere :: BL.ByteString -> BL.ByteString
allThere pieces = go pieces
  where
    go = \case
      BL.Empty -> pieces
      BL.Chunk _ rest -> go rest
{-# NOINLINE allThere #-}

runIn :: Int# -> Fill -> BL.ByteString
runIn mode fill = unsafeDupablePerformIO . IO $ \s -> case takeIn mode s of
  (# s1, chunk, array, from #) -> resumable (endIn mode chunk from (fill array from)) s1
{-# INLINE runIn #-}

-- | As 'takeChunk', of which others may have the one without room.
takeIn ::
  Int# -> State# RealWorld -> (# State# RealWorld, Chunk, MutableByteArray# RealWorld, Addr# #)
takeIn mode s = case takeChunk s of
  (# s1, chunk@(Chunk _ _ spare i), array, from #) -> case getSizeofMutableByteArray# array s1 of
    (# s2, 24# #) -> case newPinnedByteArray# (roundUp 0#) s2 of
      (# s3, new #) -> case writeIntArray# new 0# (8# +# mode) s3 of
        s4 ->
          (# s4, Chunk new (PlainPtr new) spare i, new, mutableByteArrayContents# new `plusAddr#` 8# #)
    (# s2, _ #) ->
      case writeIntArray# array 0# (minusAddr# from (mutableByteArrayContents# array) +# mode) s2 of
        s3 -> (# s3, chunk, array, from #)
{-# NOINLINE takeIn #-}

endIn ::
  Int# ->
  Chunk ->
  Addr# ->
  (State# RealWorld -> (# State# RealWorld, MutableByteArray# RealWorld, Addr# #)) ->
  State# RealWorld ->
  (# State# RealWorld, BL.ByteString #)
endIn mode chunk from act s = case act s of
  (# s1, mba, end #) -> case finish mode chunk from mba end s1 of
    (# s2, bytes #) -> (# s2, BL.chunk bytes BL.Empty #)

-- | Up to where a continuation goes that 'handOut' takes.
data Tag = Tag (PromptTag# BL.ByteString)

-- | NOINLINE: there is one in the program.
tag :: Tag
tag = unsafePerformIO . IO $ \s -> case newPromptTag# s of (# s1, new #) -> (# s1, Tag new #)
{-# NOINLINE tag #-}

resumable ::
  (State# RealWorld -> (# State# RealWorld, BL.ByteString #)) ->
  State# RealWorld ->
  (# State# RealWorld, BL.ByteString #)
resumable act s = case tag of Tag prompt -> prompt# prompt act s

-- | End what runs with the bytes that are there, @used@ of them from offset @start@, but
-- for the last where the run is lazy; and go on in an array with room for @n@ bytes when
-- more are asked for.
handOut ::
  Int# ->
  Int# ->
  Int# ->
  Int# ->
  MutableByteArray# RealWorld ->
  State# RealWorld ->
  (# State# RealWorld, MutableByteArray# RealWorld, Addr# #)
handOut mode n start used mba s = case tag of
  Tag prompt -> case control0# prompt (\resume t -> (# t, BL.Chunk bytes (rest resume) #)) s of
    (# s1, Room new at #) -> (# s1, new, at #)
  where
    !kept = case mode of
      1# -> case tailBytes of I# k -> k
      _ -> 0#
    !size = case n <=# 3100# of
      1# -> 3200#
      _ -> roundUp (n +# kept)
    !from = mutableByteArrayContents# mba `plusAddr#` start
    !bytes = BS (ForeignPtr from (PlainPtr mba)) (I# (used -# kept))
    rest resume = unsafeDupablePerformIO (IO (resumable (resume fresh)))
    fresh s0 = case newPinnedByteArray# size s0 of
      (# s1, new #) -> case writeIntArray# new 0# (8# +# mode) s1 of
        s2 -> case copyMutableByteArray# mba ((start +# used) -# kept) new 8# kept s2 of
          s3 -> (# s3, Room new (mutableByteArrayContents# new `plusAddr#` (8# +# kept)) #)
{-# NOINLINE handOut #-}

-- | The first chunk goes out when it has this number of bytes and more are to come.
fullBytes :: Int
fullBytes = 64 * 1024

-- | So many bytes before an address at which room was ensured are still there, for what
-- writes over its last ones: as a closing brace takes a comma's place.
tailBytes :: Int
tailBytes = 8

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
  Slots spare _ -> case slotNumber s of (# s1, i #) -> own 0# spare i mba op s1
