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
-- Where a buffer is full, 'grow' goes by the mode that its first word has. Mostly it moves
-- to a larger one. It can as well hand what is there to a consumer and go on in an empty
-- one ('runTo', 'runPiecesTo'), so that a long output needs the memory of one buffer; or
-- leave the fill where it has become too long ('runWithin'). A fill knows nothing of that.
--
-- Start at 'Fill', then 'ensure' and 'run'. What callers owe:
--
-- * Before it writes @n@ bytes, a fill has ensured @n@. It may write at most
--   'slack' bytes beyond the address it returns, and nothing before the
--   address it was given.
-- * A fill is deterministic: run twice from one address it writes the same.
-- * A fill that is run by 'runTo' goes back by 'tailBytes' at most before an address at
--   which it ensured room. One that is run by 'runPiecesTo' goes back by 'moved' alone.
-- * A fill asks for room between values, and never while it evaluates one: 'runWithin'
--   leaves from there what runs, up to where it began.
--
-- Why it is safe, given that: an address is only used while its array is in
-- the state that is passed along, so the collector keeps it; pinned arrays do
-- not move. A chunk is out of its slot while somebody writes to it. An
-- evaluation that an asynchronous exception froze may be taken up by two
-- threads at once; both then write the same bytes to the same place, and only
-- the one whose compare-and-swap moves the chunk's fill mark returns the chunk.
-- The slack after each result keeps the other's last wide store off the next. What was
-- handed to a consumer is not written to any more, but for the places that pieces go back
-- to, and pieces are handed on when all of them are there. A consumer runs in the thread of
-- 'runTo', in 'IO' like it, so that its exceptions and those from outside are ordinary
-- ones, and nothing is ever taken up again that was left.
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
    runWithin,
    runTo,
    runPiecesTo,
    tailBytes,

    -- * Running many
    Room,
    newRoom,
    smallRoom,
    fillRoom,
    fillAgain,
    roomUsed,
    emptied,
  )
where

import Control.Exception (bracket)
import Control.Monad (unless)
import Data.ByteString qualified as B
import Data.ByteString.Internal (ByteString (..))
import Data.IORef (modifyIORef', newIORef, readIORef)
import Foreign.StablePtr (freeStablePtr, newStablePtr)
import GHC.Exts
import GHC.ForeignPtr (ForeignPtr (..), ForeignPtrContents (..))
import GHC.IO (IO (..), unIO, unsafeDupablePerformIO, unsafePerformIO)
import GHC.Stable (StablePtr (..))

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

-- | Room for @n@ more bytes in another array. Word 0 of every array that is written to
-- holds the offset at which the output began, a multiple of eight, and in its last three
-- bits the mode; only the output is taken along.
grow :: Int# -> Fill
grow n mba op s = case readIntArray# mba 0# s of
  (# s1, mark #) ->
    let !mode = mark `andI#` 7#
        !start = mark -# mode
        !used = minusAddr# op (mutableByteArrayContents# mba) -# start
     in case mode of
          0# -> larger 0# n start used mba s1
          1# -> case tailBytes of I# kept -> handOn 1# kept n start used mba s1
          2# -> handOn 2# 0# n start used mba s1
          _ -> within n start used mba s1
{-# NOINLINE grow #-}

-- | All of the output, @used@ bytes from an offset on, in an array of a mode, with room for
-- as many and @n@ more.
larger ::
  Int# ->
  Int# ->
  Int# ->
  Int# ->
  MutableByteArray# RealWorld ->
  State# RealWorld ->
  (# State# RealWorld, MutableByteArray# RealWorld, Addr# #)
larger mode n start used mba s = case newPinnedByteArray# (roundUp ((used *# 2#) +# n)) s of
  (# s1, new #) -> case writeIntArray# new 0# (8# +# mode) s1 of
    s2 -> case copyMutableByteArray# mba start new 8# used s2 of
      s3 -> (# s3, new, mutableByteArrayContents# new `plusAddr#` (8# +# used) #)

-- | Where a place in the output is now: what is written there last, because it was not
-- known before. Given are the array and the address of then, and the array of now.
moved ::
  MutableByteArray# RealWorld ->
  Addr# ->
  MutableByteArray# RealWorld ->
  State# RealWorld ->
  (# State# RealWorld, Addr# #)
moved before at now s
  | isTrue# (sameMutableByteArray# before now) = (# s, at #)
  | otherwise = movedTo before at now s
{-# INLINE moved #-}

-- | The first word is read only of an array that was outgrown: nobody can have cut a
-- result from that one, and moved its mark. What is made in pieces stays where it is.
movedTo ::
  MutableByteArray# RealWorld ->
  Addr# ->
  MutableByteArray# RealWorld ->
  State# RealWorld ->
  (# State# RealWorld, Addr# #)
movedTo before at now s = case readIntArray# before 0# s of
  (# s1, mark #) -> case mark `andI#` 7# of
    2# -> (# s1, at #)
    mode ->
      let !distance = minusAddr# at (mutableByteArrayContents# before) -# (mark -# mode)
       in (# s1, mutableByteArrayContents# now `plusAddr#` (8# +# distance) #)
{-# NOINLINE movedTo #-}

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

-- * Running within a length

-- | The bytes that a fill writes, if they are few: about 3 KiB before it asks for room the last
-- time, and 32 KiB with that room. Else no more than these were written, and nothing is left of
-- them. Memory and time are those of a short result, whatever the fill would write; and where
-- no text is long, no buffer is a large object for the collector (see 'runTo').
--
-- INLINE: as 'run'.
runWithin :: Fill -> Maybe ByteString
runWithin fill = unsafeDupablePerformIO . IO $ \s -> case takeChunk s of
  (# s1, chunk, array, from #) -> case limited array from s1 of
    (# s2, array', from' #) -> exitable (endWithin chunk from' (fill array' from')) s2
{-# INLINE runWithin #-}

-- | The array with its mode; where it has no room, which is one that all threads have, a
-- new one.
limited :: Fill
limited array from s = case getSizeofMutableByteArray# array s of
  (# s1, 24# #) -> case newPinnedByteArray# (roundUp 0#) s1 of
    (# s2, new #) -> case writeIntArray# new 0# 11# s2 of
      s3 -> (# s3, new, mutableByteArrayContents# new `plusAddr#` 8# #)
  (# s1, _ #) ->
    let !start = minusAddr# from (mutableByteArrayContents# array)
     in case casIntArray# array 0# start (start +# 3#) s1 of (# s2, _ #) -> (# s2, array, from #)
{-# NOINLINE limited #-}

-- | The mark becomes what 'finish' knows. Here and in 'limited' by compare-and-swap: of two
-- threads that took up the same evaluation the slower one finds it moved, perhaps by
-- somebody who has had the chunk since, and leaves it.
endWithin ::
  Chunk ->
  Addr# ->
  (State# RealWorld -> (# State# RealWorld, MutableByteArray# RealWorld, Addr# #)) ->
  State# RealWorld ->
  (# State# RealWorld, Maybe ByteString #)
endWithin chunk from act s = case act s of
  (# s1, mba, end #) ->
    let !start = minusAddr# (begin mba) (mutableByteArrayContents# mba)
     in case casIntArray# mba 0# (start +# 3#) start s1 of
          (# s2, _ #) -> case finish chunk from mba end s2 of
            (# s3, bytes #) -> (# s3, Just bytes #)
  where
    -- A larger array begins with the output.
    begin mba
      | isTrue# (sameMutableByteArray# mba (chunkArray chunk)) = from
      | otherwise = mutableByteArrayContents# mba `plusAddr#` 8#
    chunkArray (Chunk array _ _ _) = array

-- | Where 'within' leaves to.
data Exit = Exit (PromptTag# (Maybe ByteString))

-- | NOINLINE: there is one in the program. The nearest is meant, and each run has its own.
exit :: Exit
exit = unsafePerformIO . IO $ \s -> case newPromptTag# s of (# s1, new #) -> (# s1, Exit new #)
{-# NOINLINE exit #-}

exitable ::
  (State# RealWorld -> (# State# RealWorld, Maybe ByteString #)) ->
  State# RealWorld ->
  (# State# RealWorld, Maybe ByteString #)
exitable act s = case exit of Exit tag -> prompt# tag act s
{-# NOINLINE exitable #-}

-- | An array for all of a short output, unless it is long: then what runs is dropped. It is a
-- jump and no exception, so that no handler is between, which would make an exception from
-- outside one of the value.
within ::
  Int# ->
  Int# ->
  Int# ->
  MutableByteArray# RealWorld ->
  State# RealWorld ->
  (# State# RealWorld, MutableByteArray# RealWorld, Addr# #)
within n start used mba s
  | isTrue# (used ># 3168#) || isTrue# (asked ># 32768#) = case exit of
      Exit tag -> case control0# tag (\_ t -> (# t, Nothing #)) s of
        (# s1, Room new at #) -> (# s1, new, at #)
  | otherwise = larger 3# (room -# (used *# 2#)) start used mba s
  where
    !asked = used +# n
    !room = case asked <# 3168# of
      1# -> 3168#
      _ -> asked

-- * Running to a consumer

-- | Hand the bytes that a fill writes to a consumer, in chunks of about 3 KiB each of which
-- is handed on when it is full. Such are no large objects for the collector, of which as many
-- bytes may be there as of all others together; whoever wants longer ones puts them
-- together. The consumer may keep them.
runTo :: (ByteString -> IO ()) -> Fill -> IO ()
runTo consume fill = sinking 1# consume fill
{-# NOINLINE runTo #-}

-- | The same for a fill that goes back to what it wrote: a consumer sees the first chunk
-- when the last one is there.
runPiecesTo :: (ByteString -> IO ()) -> Fill -> IO ()
runPiecesTo consume fill = do
  pieces <- newIORef []
  sinking 2# (\piece -> modifyIORef' pieces (piece :)) fill
  readIORef pieces >>= mapM_ consume . reverse
{-# NOINLINE runPiecesTo #-}

-- | Bytes before an address at which room was ensured that are still there, for what
-- writes over its last ones: as a closing brace takes a comma's place.
tailBytes :: Int
tailBytes = 8

newtype Sink = Sink (ByteString -> IO ())

-- | Run a fill in a mode. Word 1 of its arrays is where the consumer is found.
sinking :: Int# -> (ByteString -> IO ()) -> Fill -> IO ()
sinking mode consume fill =
  bracket (newStablePtr (Sink consume)) freeStablePtr $ \(StablePtr sink) ->
    IO $ \s -> case emptyArray mode sink 0# s of
      (# s1, array, from #) -> case fill array from s1 of
        (# s2, mba, end #) ->
          let !left = minusAddr# end (mutableByteArrayContents# mba) -# 16#
           in unIO (unless (isTrue# (left ==# 0#)) (consume (part mba 16# left))) s2

-- | An array of a mode with room for @n@ bytes.
emptyArray ::
  Int# ->
  StablePtr# Sink ->
  Int# ->
  State# RealWorld ->
  (# State# RealWorld, MutableByteArray# RealWorld, Addr# #)
emptyArray mode sink n s = case newPinnedByteArray# size s of
  (# s1, new #) -> case writeIntArray# new 0# (16# +# mode) s1 of
    s2 -> case writeStablePtrArray# new 1# sink s2 of
      s3 -> (# s3, new, mutableByteArrayContents# new `plusAddr#` 16# #)
  where
    -- The first two words and the slack take 32.
    !size = case n <=# 3168# of
      1# -> 3200#
      _ -> roundUp (n +# 8#)

-- | Hand the @used@ bytes from an offset on to the consumer, but for the last, and go on in
-- an array that begins with those.
handOn ::
  Int# ->
  Int# ->
  Int# ->
  Int# ->
  Int# ->
  MutableByteArray# RealWorld ->
  State# RealWorld ->
  (# State# RealWorld, MutableByteArray# RealWorld, Addr# #)
handOn mode most n start used mba s = case readStablePtrArray# mba 1# s of
  (# s1, sink #) -> case deRefStablePtr# sink s1 of
    (# s2, Sink consume #) ->
      let !kept = case used <# most of
            1# -> used
            _ -> most
          !given = used -# kept
       in case unIO (unless (isTrue# (given ==# 0#)) (consume (part mba start given))) s2 of
            (# s3, () #) -> case emptyArray mode sink (n +# kept) s3 of
              (# s4, new, at #) ->
                case copyMutableByteArray# mba (start +# given) new 16# kept s4 of
                  s5 -> (# s5, new, at `plusAddr#` kept #)

-- | Bytes of an array that nobody writes to any more.
part :: MutableByteArray# RealWorld -> Int# -> Int# -> ByteString
part mba from size =
  BS
    (ForeignPtr (mutableByteArrayContents# mba `plusAddr#` from) (PlainPtr mba))
    (I# size)

-- * Running many

-- | A buffer of one's own that one fill after the other writes to, and the
-- address after what they wrote.
data Room = Room (MutableByteArray# RealWorld) Addr#

-- | Room for @n@ bytes. One for at most 'smallRoom' is no large object for the collector.
newRoom :: Int -> IO Room
newRoom n@(I# n#) = IO $ \s -> case newPinnedByteArray# size s of
  (# s1, mba #) -> case writeIntArray# mba 0# 8# s1 of
    s2 -> (# s2, Room mba (mutableByteArrayContents# mba `plusAddr#` 8#) #)
  where
    -- The first word and the slack take 24.
    !size
      | n <= smallRoom = (n# +# 31#) `andI#` -8#
      | otherwise = roundUp n#

-- | The most bytes that a room may have and be an array among others for GHC's collector.
smallRoom :: Int
smallRoom = 3168

-- | Write after what is there. The room that was given must not be used again.
fillRoom :: Fill -> Room -> IO Room
fillRoom fill (Room mba op) =
  IO $ \s -> case fill mba op s of (# s1, mba1, op1 #) -> (# s1, Room mba1 op1 #)
{-# INLINE fillRoom #-}

-- | Write from the beginning of a room: the array that the bytes are in, and the addresses at
-- which they begin and end. The room stays as it is, to be used again; a long output is in an
-- array of its own.
fillAgain ::
  Room ->
  Fill ->
  State# RealWorld ->
  (# State# RealWorld, MutableByteArray# RealWorld, Addr#, Addr# #)
fillAgain (Room mba start) fill s = case fill mba start s of
  (# s1, mba1, end #) -> (# s1, mba1, mutableByteArrayContents# mba1 `plusAddr#` 8#, end #)
{-# INLINE fillAgain #-}

-- | Bytes written.
roomUsed :: Room -> Int
roomUsed (Room mba op) = I# (minusAddr# op (mutableByteArrayContents# mba) -# 8#)

-- | All that was written. The room must not be used again.
emptied :: Room -> IO ByteString
emptied (Room mba op) = IO $ \s -> case slots of
  Slots spare _ -> case slotNumber s of (# s1, i #) -> own spare i mba op s1
