{-# LANGUAGE MagicHash #-}
{-# LANGUAGE RecordWildCards #-}
{-# LANGUAGE UnboxedTuples #-}

-- | The elements of one block.
--
-- The idea: a block is all there before one of its elements is read, so that its
-- reader runs over many of them at once, as over a list's. Only where it fails they
-- are read one by one up to the one that is refused, so that nothing is lost before
-- it; and where the writer's layout says how far that one reaches, nothing is lost after
-- it.
module Tern.Internal.Container.Block
  ( -- * Reading
    Batch,
    batchWith,
    evolved,
    Contents,
    contents,
    Part (..),
    nextPart,

    -- * Writing
    NextBlock (..),
    sealed,
    replaced,
    ended,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.List qualified as List
import GHC.Exts (Addr#, Int (..), Int#, RealWorld, State#, minusAddr#, (-#))
import Tern.Error (Error (..), Exceeded (..), Reason (..))
import Tern.Internal.Container.Compression (Compression (..))
import Tern.Internal.Container.Fault (Damage (..), Fault (..))
import Tern.Internal.Container.Format (BlockKind (..), Head (..), Mark, headBytes, headSize)
import Tern.Internal.Evolution.Reading (Reading (..), batchThrough)
import Tern.Internal.Native.Chunk (chunkThere)
import Tern.Internal.Native.Layout (Layout)
import Tern.Internal.Native.Path (pathTo)
import Tern.Internal.Native.Reader (NativeReader (..), Sizing (..), step)
import Tern.Internal.Native.Size (sizeOf)
import Tern.Internal.Read (Reader (..), Step, allowClaims, runReader)
import Tern.Limits (Limits (..))
import Tern.Prim.Checksum (crc32c)

-- * Reading

-- | The layout of a type's elements, for paths; and how a number of them is read at
-- once: that number, and the bytes that begin with them.
data Batch a = Batch !Layout (Int -> Limits -> ByteString -> Either Stop (Taken a))

-- | Where and why a reader stopped.
data Stop = Stop !Int !Reason

-- | How many bytes elements take, and they.
data Taken a = Taken !Int [a]

-- | INLINE: the reader is known where it is given.
batchWith :: Layout -> NativeReader a -> Batch a
batchWith layout r = Batch layout (\many limits -> runReader limits Stop (several many r))
{-# INLINE batchWith #-}

-- | The same for elements as another version of the type wrote them. In a batch, at most
-- @budget@ bytes may be given by the reader's defaults.
evolved :: Reading -> Int -> Batch a -> Batch a
evolved reading budget (Batch _ run) = Batch (writerLayout reading) $ \many limits input ->
  either
    (Left . uncurry Stop)
    (\(n, Taken _ as) -> Right (Taken n as))
    (batchThrough reading budget ours many limits input)
  where
    ours many limits input =
      either
        (\(Stop offset reason) -> Left (offset, reason))
        (\taken'@(Taken n _) -> Right (n, taken'))
        (run many limits input)

-- | @many@ elements, as those of one chunk of a list whose header has been read.
several :: Int -> NativeReader a -> Reader (Taken a)
several (I# many) r@(NativeReader kind bound x read') = case kind of
  Fixed -> taken many (chunkThere bound x) read'
  Bounded -> taken many (chunkThere bound x) read'
  _ -> taken many (\_ _ _ s -> s) (step r)
{-# INLINE several #-}

taken ::
  Int# ->
  (Addr# -> Addr# -> Int# -> State# RealWorld -> State# RealWorld) ->
  Step a ->
  Reader (Taken a)
taken many there next =
  Reader $
    \ctx e c s -> case go many ctx e c (there e c many (allowClaims ctx (minusAddr# e c) s)) of
      (# s1, c1, as #) -> (# s1, c1, Taken (I# (minusAddr# c1 c)) as #)
  where
    go k ctx e c s = case k of
      0# -> (# s, c, [] #)
      _ -> case next ctx e c s of
        (# s1, c1, a #) -> case go (k -# 1#) ctx e c1 s1 of
          (# s2, c2, as #) -> (# s2, c2, a : as #)
{-# INLINE taken #-}

-- | What is left of a block.
data Contents = Contents
  { -- | Where in the file the block begins.
    begins :: !Int,
    -- | How many blocks come before it.
    number :: !Int,
    -- | How many elements come before the next one.
    index :: !Int,
    -- | How many are left.
    left :: !Int,
    -- | The bytes of all of them, and how many of those are read.
    bytes :: !ByteString,
    at :: !Int,
    -- | How many are read at once, at most.
    pace :: !Int,
    -- | Could an element be longer than allowed? Then each is looked at.
    careful :: !Bool
  }

-- | A block's elements, from where its head begins in the file, the head, and what is
-- stored after it; by the compressions given.
contents :: [Compression] -> Limits -> Int -> Head -> ByteString -> Either Fault Contents
contents known limits begins h stored = case headKind h of
  Holding 0 -> Right (begun stored)
  Holding code -> case List.find ((== code) . compressionCode) known of
    Nothing -> Left (faulty (UnknownCompression code))
    Just way -> case decompress way (headRaw h) stored of
      Just raw | B.length raw == headRaw h -> Right (begun raw)
      _ -> Left (faulty CompressionDamaged)
  Ending -> Right (begun B.empty)
  where
    faulty = Fault (headFirst h) (headNumber h) begins
    begun raw =
      Contents
        { number = headNumber h,
          index = headFirst h,
          left = headCount h,
          bytes = raw,
          at = 0,
          pace = 4096,
          careful = B.length raw > maxBytes limits,
          ..
        }

-- | What comes next of a block.
data Part a
  = -- | The number of the first of some elements, they, and what is left.
    Part !Int [a] !Contents
  | -- | An element that does not decode, how many are lost with it, and what is left.
    Bad !Fault !Int !Contents
  | -- | All elements are read, but not all bytes.
    Leftover !Fault
  | -- | There is nothing left.
    Finished

-- | Read on. After an element that is refused, a single one is read, and then twice as
-- many each time, so that no element is read more than a few times.
nextPart :: Limits -> Batch a -> Contents -> Part a
nextPart limits batch@(Batch layout run) c@Contents {..}
  | left == 0 =
      if at == B.length bytes
        then Finished
        else Leftover (Fault index number begins (ElementsTooShort (B.length bytes - at)))
  | otherwise = case run many limits {maxBytes = maxBound} ahead of
      Right (Taken n as)
        | careful,
          n > maxBytes limits ->
            bad (maxBytes limits) (LimitExceeded (TooManyBytes (maxBytes limits))) (Just n)
        | otherwise ->
            Part
              index
              as
              c
                { index =
                    index + many,
                  left = left - many,
                  at = at + n,
                  pace = min 4096 (2 * pace)
                }
      Left (Stop offset reason)
        | many > 1 -> nextPart limits batch c {pace = 1}
        | otherwise -> bad offset reason (sizeOf layout ahead)
  where
    ahead = B.drop at bytes
    many = if careful then 1 else min left pace
    -- After an element whose end nobody knows, nothing can be read.
    bad offset reason size =
      Bad
        ( Fault
            index
            number
            begins
            ( Undecodable
                (Error (at + offset) (path offset reason) reason)
            )
        )
        (maybe left (const 1) size)
        $ case size of
          Just n -> c {index = index + 1, left = left - 1, at = at + n, pace = 1}
          Nothing -> c {index = index + left, left = 0, at = B.length bytes}
    path offset = \case
      LimitExceeded (TooManyBytes _) -> []
      _ -> pathTo layout ahead offset

-- * Writing

-- | Where the next block goes: its number, that of its first element, its position.
data NextBlock = NextBlock
  { placeNumber :: !Int,
    placeFirst :: !Int,
    placeOffset :: !Int
  }
  deriving stock (Eq, Show)

-- | A block of @count@ elements, at most 2^32 - 1 and at least one, whose bytes are
-- @raw@: its head, what is stored, and where the next one goes.
sealed ::
  Maybe Compression -> Mark -> NextBlock -> Int -> ByteString -> (ByteString, ByteString, NextBlock)
sealed way mark (NextBlock n first at) count raw =
  (headBytes mark h, stored, NextBlock (n + 1) (first + count) (at + headSize + B.length stored))
  where
    (code, stored) = case way of
      Just Compression {..} | Just fewer <- compress raw -> (compressionCode, fewer)
      _ -> (0, raw)
    h =
      Head
        { headKind = Holding code,
          headCount = count,
          headStored = B.length stored,
          headRaw = B.length raw,
          headNumber = n,
          headFirst = first,
          headOffset = at,
          headChecksum = crc32c stored
        }

-- | The head of a block that is taken to another place, and where the next one goes.
replaced :: Mark -> NextBlock -> Head -> (ByteString, NextBlock)
replaced mark (NextBlock n first to) h =
  ( headBytes
      mark
      h {headNumber = n, headFirst = first, headOffset = to},
    NextBlock (n + 1) (first + headCount h) (to + headSize + headStored h)
  )

-- | The end of a file.
ended :: Mark -> NextBlock -> ByteString
ended mark (NextBlock n first at) =
  headBytes
    mark
    Head
      { headKind =
          Ending,
        headCount = 0,
        headStored = 0,
        headRaw = 0,
        headNumber = n,
        headFirst = first,
        headOffset = at,
        headChecksum = 0
      }
