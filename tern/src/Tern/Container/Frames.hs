{-# LANGUAGE RecordWildCards #-}

-- | A container's header and blocks, found in chunks of any size.
--
-- The idea: this knows nothing of elements. It checks what can be checked of bytes,
-- and where something does not fit it goes on at the next head that does, and says
-- what lies between. A block is handed over once all of it has come and its checksum
-- is right; so nobody decodes what is damaged.
--
-- Time is linear in the bytes that come, whatever heads claim: a block that is
-- damaged is searched for heads only while no more bytes have been searched so than
-- have come at all. Memory is that of a block, which 'maxBlock' bounds.
--
-- A value of this type can be kept, and gone on from twice. Start at 'nextFrame'.
module Tern.Container.Frames
  ( Frames,
    Bounds (..),
    defaultBounds,
    frames,
    framesFrom,
    framesBehind,
    Frame (..),
    nextFrame,

    -- * Where it is
    position,
    blocksBefore,
    elementsBefore,
    betweenBlocks,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Maybe (fromMaybe)
import Tern.Container.Fault
import Tern.Container.Format
import Tern.Container.Pending (Pending)
import Tern.Container.Pending qualified as Pending
import Tern.Prim.Checksum

-- | What a container may make its reader keep.
data Bounds = Bounds
  { -- | Bytes of a block, as it is stored and as it is decompressed.
    maxBlock :: !Int,
    -- | Bytes of a schema.
    maxSchema :: !Int
  }
  deriving stock (Eq, Show)

-- | 64 MiB a block, and a MiB for a schema.
defaultBounds :: Bounds
defaultBounds = Bounds {maxBlock = 64 * 1024 * 1024, maxSchema = 1024 * 1024}

-- | How far a container has been read.
data Frames = Frames
  { bounds :: !Bounds,
    place :: !Place,
    -- | Known from the header, or from the first head behind a damaged one.
    mark :: !(Maybe Mark),
    -- | Blocks that have begun and ended, lost ones too.
    blocks :: !Int,
    -- | Their elements.
    elements :: !Int,
    -- | The file's bytes before those that are pending.
    before :: !Int,
    pending :: !Pending,
    -- | How much farther on heads say that they are than they are. It changes only
    -- where bytes were lost or added.
    shift :: !Int,
    -- | Bytes of damaged blocks that were searched for heads.
    again :: !Int,
    -- | No more will come.
    final :: !Bool
  }

data Place
  = AtHeader
  | -- | A head or the end of the input.
    AtHead
  | -- | The bytes of the block whose head began at the position.
    AtBody !Int !Head
  | -- | Behind a damaged block that began at the position: its head, its bytes.
    BehindDamage !Int !Head !ByteString
  | -- | What lies between a position and the next head is lost; heads are looked for
    -- from an offset in what is pending on.
    Searching !Int !Int
  | -- | The first head of a part of a file, from an offset in what is pending on.
    Joining !Int
  | -- | A loss that is known already, and where to go on.
    Telling !Loss !Frames
  | -- | Nothing, behind the last block.
    AtEnd
  | -- | Nothing can be read any more.
    Over

-- | A container from its first byte on.
frames :: Bounds -> Frames
frames bounds = Frames {place = AtHeader, mark = Nothing, blocks = 0, elements = 0, before = 0, pending = Pending.empty, shift = 0, again = 0, final = False, ..}

-- | A part of a container: from the first block on that begins at a position or
-- behind it, of which the input is given from there on. The mark is the header's.
framesFrom :: Bounds -> Mark -> Int -> Frames
framesFrom bounds known at = (frames bounds) {place = Joining 0, mark = Just known, before = at}

-- | A container from a head on: the position of the head, and how many blocks and
-- elements come before it.
framesBehind :: Bounds -> Mark -> Int -> Int -> Int -> Frames
framesBehind bounds known at number first = (frames bounds) {place = AtHead, mark = Just known, before = at, blocks = number, elements = first}

-- | What has been found next.
data Frame
  = Opened !Header !Frames
  | -- | A block whose checksum is right: its head, and its bytes as they are stored.
    Block !Head !ByteString !Frames
  | -- | Damage, and where to go on, if anywhere.
    Broken !Fault !(Maybe Frames)
  | -- | What was passed over because of it.
    Passed !Loss !Frames
  | -- | Nothing before there is more input: give the next chunk, or an empty one at
    -- the end of the input.
    Lacking (ByteString -> Frames)
  | -- | There is nothing more.
    Complete

-- | Go on.
nextFrame :: Frames -> Frame
nextFrame f@Frames {..} = case place of
  AtHeader -> opening f
  AtHead
    | Pending.size pending == 0, final -> broken f before Unended Nothing
    | otherwise -> withBytes headSize f (Searching before 0) $ \bytes rest -> case headAt bytes of
        Just (found, h) | Just found == mark -> arriving f h rest
        _ -> broken f before HeadDamaged (Just f {place = Searching before 1})
  AtBody at h
    | longest > maxBlock bounds -> broken f at (BlockTooLong longest (maxBlock bounds)) (Just f {place = Searching at 0})
    | otherwise -> withBytes (headStored h) f (Searching at 0) $ \bytes rest ->
        let next = f {before = before + headStored h, pending = rest}
         in if crc32c bytes == headChecksum h
              then Block h bytes (behind next h)
              else broken f at BodyDamaged (Just next {place = BehindDamage at h bytes})
    where
      longest = max (headStored h) (headRaw h)
  BehindDamage at h bytes
    | final, Pending.size pending == 0 -> itself
    | Just (next, _) <- Pending.taking headSize pending -> case headAt next of
        Just (found, h') | Just found == mark, headNumber h' > headNumber h -> itself
        _ -> nextFrame elsewhere
    | not final -> lacking f
    | otherwise -> nextFrame elsewhere
    where
      itself = Passed (Loss at before (Just 1) (Just (headCount h))) (behind f h)
      -- Its size may not be what it was: a head may stand in what was taken for it.
      elsewhere
        | again + B.length bytes <= before = f {place = Searching at 0, before = before - B.length bytes, pending = Pending.returned bytes pending, again = again + B.length bytes}
        | otherwise = f {place = Searching at 0}
  Searching from at -> searching f at (Searching from) $ \f' h rest ->
    if forward f' h
      then Just (Passed (Loss from (position f') (Just (headNumber h - blocks)) (Just (headFirst h - elements))) (entering f' h rest))
      else Nothing
  Joining at -> searching f at Joining $ \f' h rest ->
    if headOffset h == position f'
      then Just (nextFrame (entering f' h rest))
      else Nothing
  Telling loss next -> Passed loss next
  AtEnd
    -- The end may be a copy, which was found behind damage.
    | Pending.size pending > 0 -> broken f before BytesBehindEnd (Just f {place = Searching before 0})
    | final -> Complete
    | otherwise -> lacking f
  Over -> Complete

-- * The header

opening :: Frames -> Frame
opening f@Frames {..} = case Pending.taking headerSize pending of
  Nothing
    | not final -> lacking f
    | otherwise -> broken f 0 CutOff Nothing
  Just (bytes, rest) -> case startOf bytes of
    NoMagic -> broken f 0 NoContainer anyhow
    Version n -> broken f 8 (WrongVersion n) anyhow
    Unsound -> broken f 0 HeaderDamaged anyhow
    Start itsMark print' n sum'
      | n > maxSchema bounds -> broken f 12 (SchemaTooLong n (maxSchema bounds)) (Just next {before = headerSize, pending = rest, place = Searching 0 0})
      | otherwise -> withBytes (headerSize + n) next (Searching 0 0) $ \whole others ->
          let behind' = next {before = headerSize + n, pending = others, place = AtHead}
           in case headerOf itsMark print' sum' (B.drop headerSize whole) of
                Just found -> Opened found behind'
                Nothing -> broken f headerSize HeaderDamaged (Just behind')
      where
        next = f {mark = Just itsMark}
  where
    -- Heads can be found without it.
    anyhow = Just f {place = Searching 0 0}

-- * Heads

-- | At a head that stands where one should.
arriving :: Frames -> Head -> Pending -> Frame
arriving f h rest
  | here, headOffset h == before f + shift f = nextFrame next
  | here = broken f (before f) BlockMisplaced (Just next)
  | forward f h = broken f (before f) BlockMisplaced (Just f {place = Telling (Loss (before f) (before f) (Just (headNumber h - blocks f)) (Just (headFirst h - elements f))) next})
  | otherwise = broken f (before f) BlockMisplaced (Just f {place = Searching (before f) 1})
  where
    here = headNumber h == blocks f && headFirst h == elements f
    next = entering f h rest

-- | Could it come later in the file? What goes back was written earlier, and was
-- copied into an element or put behind others: it is passed over.
forward :: Frames -> Head -> Bool
forward f h = headNumber h >= blocks f && headFirst h - elements f >= headNumber h - blocks f

-- | Behind a head.
entering :: Frames -> Head -> Pending -> Frames
entering f h rest =
  f
    { place = case headKind h of
        Ending -> AtEnd
        Holding _ -> AtBody (before f) h,
      blocks = headNumber h,
      elements = headFirst h,
      shift = headOffset h - before f,
      before = before f + headSize,
      pending = rest
    }

-- | Behind a block.
behind :: Frames -> Head -> Frames
behind f h = f {place = AtHead, blocks = headNumber h + 1, elements = headFirst h + headCount h}

-- | Look for a head from an offset on; for the next one where it is of no use.
searching :: Frames -> Int -> (Int -> Place) -> (Frames -> Head -> Pending -> Maybe Frame) -> Frame
searching f@Frames {..} at searchingAt use = case Pending.searched headSize (nextHead mark) before at pending of
  (found, n, rest)
    | found,
      Just (bytes, others) <- Pending.taking headSize rest,
      Just (itsMark, h) <- headAt bytes ->
        fromMaybe (nextFrame there {place = searchingAt 1}) (use there {mark = Just itsMark} h others)
    | not final -> lacking there {place = searchingAt 0}
    | Searching from _ <- place -> Passed (Loss from end Nothing Nothing) there {place = Over, before = end, pending = Pending.empty}
    | otherwise -> Complete
    where
      there = f {before = before + n, pending = rest}
      end = before + Pending.size pending

-- * Bytes

-- | So many bytes and what follows them, once they are there. Where the input ends
-- before that, it was cut off, and what there is may have heads in it.
withBytes :: Int -> Frames -> Place -> (ByteString -> Pending -> Frame) -> Frame
withBytes n f@Frames {..} otherwise' use = case Pending.taking n pending of
  Just (bytes, rest) -> use bytes rest
  Nothing
    | final -> broken f (before + Pending.size pending) CutOff (Just f {place = otherwise'})
    | otherwise -> lacking f

lacking :: Frames -> Frame
lacking f = Lacking (\chunk -> f {pending = Pending.arrived chunk (pending f), final = B.null chunk})

broken :: Frames -> Int -> Damage -> Maybe Frames -> Frame
broken f at damage = Broken (Fault (elements f) (blocks f) at damage)

-- * Where it is

-- | Bytes of the file before those that have come and were not used.
position :: Frames -> Int
position = before

-- | Blocks before the next one, lost ones too.
blocksBefore :: Frames -> Int
blocksBefore = blocks

-- | Elements before those of the next block, lost ones too.
elementsBefore :: Frames -> Int
elementsBefore = elements

-- | Is nothing of a block or of a loss under way?
betweenBlocks :: Frames -> Bool
betweenBlocks f = case place f of
  AtHeader -> False
  AtHead -> True
  AtBody _ _ -> False
  BehindDamage {} -> False
  Searching _ _ -> False
  Joining _ -> True
  Telling _ _ -> False
  AtEnd -> True
  Over -> True
