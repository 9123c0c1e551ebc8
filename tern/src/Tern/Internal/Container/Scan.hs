{-# LANGUAGE RecordWildCards #-}

-- | What stands in a container's bytes, in chunks of any size: its header, blocks whose
-- checksums are right, ends, and what is none of these.
--
-- The idea: this goes through the bytes once and believes checksums alone. Whether a
-- block that is right belongs where it stands is for "Tern.Internal.Container.Order" to say.
-- After each block stands the next head; where there is none, heads are looked for
-- byte by byte, also in what a damaged block was taken to hold.
--
-- Time is linear in the bytes that come, whatever heads claim: damaged blocks are looked
-- through only while that costs no more than four times as many bytes as have come.
-- Memory is that of a block, which 'maxBlock' bounds, and of the chunk.
--
-- A value of this type can be kept, and gone on from twice. Start at 'nextFound'.
module Tern.Internal.Container.Scan
  ( Bounds (..),
    defaultBounds,
    Scan,
    scanWhole,
    scanPart,
    scanBehind,
    Scanned (..),
    nextFound,
    position,
    isOver,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.List qualified as List
import Data.Map.Strict qualified as Map
import Data.Ord (comparing)
import Tern.Internal.Container.Fault (Damage (..), Fault (..))
import Tern.Internal.Container.Format
  ( BlockKind (..),
    Head (..),
    Header (..),
    Mark,
    Start (..),
    headAt,
    headSize,
    headerOf,
    headerSize,
    headerWithin,
    isMarkIn,
    nextHead,
    startOf,
  )
import Tern.Internal.Container.Order (Next (..), following, follows)
import Tern.Internal.Container.Pending (Pending)
import Tern.Internal.Container.Pending qualified as Pending
import Tern.Prim.Checksum (crc32c)

-- | What a container may make its reader keep.
data Bounds = Bounds
  { -- | Bytes of a block, as it is stored and as it is decompressed.
    maxBlock :: !Int,
    -- | Bytes of a schema.
    maxSchema :: !Int,
    -- | Bytes of blocks that are kept back after damage, as they are stored, in case that
    -- those before them come later. With 0 each block is handed over as it comes, and
    -- what comes too late is lost.
    maxHeld :: !Int
  }
  deriving stock (Eq, Show)

-- | 64 MiB a block, a MiB for a schema, and 16 MiB that are kept back.
defaultBounds :: Bounds
defaultBounds =
  Bounds {maxBlock = 64 * 1024 * 1024, maxSchema = 1024 * 1024, maxHeld = 16 * 1024 * 1024}

-- | How far the bytes have been gone through.
data Scan = Scan
  { bounds :: !Bounds,
    place :: !Expected,
    -- | Known from the header or, where that is damaged, from the blocks themselves.
    mark :: !(Maybe Mark),
    -- | What a head would say here, by the one before it.
    next :: !Next,
    -- | How much farther on heads say that they are than they are. It changes only
    -- where bytes were lost or added.
    shift :: !Int,
    -- | The file's bytes before those that are pending.
    before :: !Int,
    pending :: !Pending,
    -- | Bytes of damaged blocks that were looked through.
    again :: !Int,
    -- | Heads from this position on are not wanted.
    upTo :: !Int,
    -- | No more will come.
    final :: !Bool
  }

data Expected
  = AtHeader
  | -- | The header is damaged, and so may be the mark in it.
    Weighing
  | -- | A head or the end of the input.
    AtHead
  | -- | Behind a head that is right.
    Entering !Head
  | -- | The bytes of the block whose head began at the position.
    AtBody !Int !Head
  | -- | Heads are looked for from an offset in what is pending on; what lies between a
    -- position and the next one is nothing.
    Searching !Int !Int
  | -- | The same, for the first block of a part of a file.
    Joining !Int
  | -- | The bytes of a block that is elsewhere by its own word, where a part of a file
    -- may be in the middle of another block.
    Trying !Int !Head
  | -- | Nothing, following an end.
    AtEnd
  | -- | Nothing comes any more.
    Over

-- | A container from its first byte on.
scanWhole :: Bounds -> Scan
scanWhole bounds =
  Scan
    { place =
        AtHeader,
      mark = Nothing,
      next = Next 0 0 Nothing,
      shift = 0,
      before = 0,
      pending = Pending.empty,
      again = 0,
      upTo = maxBound,
      final = False,
      ..
    }

-- | The part of a container whose blocks begin at the first position or after it and
-- before the second one, of which the input is given from the first on. The mark is
-- the header's.
scanPart :: Bounds -> Mark -> Int -> Int -> Scan
scanPart bounds known from to =
  (scanWhole bounds) {place = Joining 0, mark = Just known, before = from, upTo = to}

-- | A container from a head on: the position of the head, and what it should say.
scanBehind :: Bounds -> Mark -> Int -> Next -> Scan
scanBehind bounds known at expected =
  (scanWhole bounds) {place = AtHead, mark = Just known, before = at, next = expected}

-- | What stands there next.
data Scanned
  = -- | The header, and where the first block should begin.
    Opened !Header !Int !Scan
  | -- | A block whose checksum is right: where it begins, its head, and its bytes as they are
    -- stored.
    Whole !Int !Head !ByteString !Scan
  | -- | An end: where it stands, and its head.
    Finish !Int !Head !Scan
  | -- | Something is not as it should be.
    Broken !Fault !Scan
  | -- | What lies between two positions is no block that is right.
    Rubbish !Int !Int !Scan
  | -- | Nothing before there is more input: give the next chunk, or an empty one at the end
    -- of the input.
    Lacking (ByteString -> Scan)
  | -- | There is nothing more.
    Complete

-- | Go on.
nextFound :: Scan -> Scanned
nextFound f@Scan {..} = case place of
  AtHeader -> opening f
  Weighing -> weighing f
  AtHead
    | before >= upTo -> Complete
    | Pending.size pending == 0, final -> broken f before Unended f {place = Over}
    | otherwise -> withBytes headSize f (Searching before 0) $ \bytes rest -> case headAt bytes of
        Just (found, h)
          | Just found == mark ->
              let entered = f {place = Entering h, pending = rest}
               in if follows next h && headOffset h == before + shift
                    then nextFound entered
                    else broken f before BlockMisplaced entered
        _ -> broken f before HeadDamaged f {place = Searching before 1}
  Entering h ->
    let entered = f {next = following h, shift = headOffset h - before, before = before + headSize}
     in case headKind h of
          Ending -> Finish before h entered {place = AtEnd}
          Holding _ -> nextFound entered {place = AtBody before h}
  AtBody at h
    | longest > maxBlock bounds ->
        brokenAt h at (BlockTooLong longest (maxBlock bounds)) f {place = Searching at 0}
    | otherwise -> withBytesOf h f (Searching at 0) $ \bytes rest ->
        let there = f {before = before + headStored h, pending = rest}
         in if crc32c bytes == headChecksum h
              then Whole at h bytes there {place = AtHead}
              else brokenAt h at BodyDamaged (lookingInto (Searching at 0) (B.length bytes) f there)
    where
      longest = max (headStored h) (headRaw h)
  Searching from at -> searching f at (Searching from) $ \f' h ->
    if position f' == from
      then nextFound f' {place = Entering h}
      else Rubbish from (min upTo (position f')) f' {place = Entering h}
  Joining at -> searching f at Joining $ \f' h ->
    let passed = f' {before = position f' + headSize}
     in case headKind h of
          _ | headOffset h == position f' -> nextFound f' {place = Entering h}
          Ending -> nextFound passed {place = Joining 0}
          Holding _ -> nextFound passed {place = Trying (position f') h}
  Trying at h
    | max (headStored h) (headRaw h) > maxBlock bounds -> nextFound f {place = Joining 0}
    | otherwise -> case Pending.taking (headStored h) pending of
        Just (bytes, rest)
          | crc32c bytes == headChecksum h ->
              Whole at h bytes there {next = following h, shift = headOffset h - at, place = AtHead}
          | otherwise -> nextFound (lookingInto (Joining 0) (B.length bytes) f there)
          where
            there = f {before = before + headStored h, pending = rest}
        Nothing
          | final -> nextFound f {place = Joining 0}
          | otherwise -> lacking f
  AtEnd
    | before >= upTo -> Complete
    -- The end may be a copy.
    | Pending.size pending > 0 -> broken f before BytesAfterEnd f {place = Searching before 0}
    | final -> Complete
    | otherwise -> lacking f
  Over -> Complete

-- | The bytes of a damaged block may hold others: its size may not be what it was, and
-- others may have been written over it. They are looked through as long as that costs
-- no more than four times what has come, and 64 KiB.
lookingInto :: Expected -> Int -> Scan -> Scan -> Scan
lookingInto looking n f there
  | again f + n <= 4 * before there + 64 * 1024 = f {place = looking, again = again f + n}
  | otherwise = there {place = looking}

-- * The header

opening :: Scan -> Scanned
opening f@Scan {..} = case Pending.taking headerSize pending of
  Nothing
    | not final -> lacking f
    | otherwise -> broken f 0 CutOff f {place = Over}
  Just (bytes, rest) -> case startOf bytes of
    NoMagic -> broken f 0 NoContainer anyhow
    Version n -> broken f 8 (WrongVersion n) anyhow
    Unsound -> broken f 0 HeaderDamaged anyhow
    Start itsMark print' n sum'
      | n > maxSchema bounds ->
          broken
            f
            12
            (SchemaTooLong n (maxSchema bounds))
            known
              { before =
                  headerSize,
                pending = rest,
                place = Searching 0 0
              }
      | otherwise -> withBytes (headerSize + n) known (Searching 0 0) $ \whole others ->
          case headerOf itsMark print' sum' (B.drop headerSize whole) of
            Just found ->
              Opened
                found
                (headerSize + n)
                known
                  { before =
                      headerSize + n,
                    pending = others,
                    place = AtHead
                  }
            -- The mark may be that of a file whose first bytes came before this one.
            Nothing -> broken f headerSize HeaderDamaged anyhow
      where
        known = f {mark = Just itsMark}
  where
    -- Heads can be found without it.
    anyhow = f {place = Weighing}

-- | Once much of the file has come, or all: the mark that most of it has.
weighing :: Scan -> Scanned
weighing f@Scan {..}
  | not final, Pending.size pending < maxHeld bounds = lacking f
  | otherwise = case Pending.taking (Pending.size pending) pending of
      Just (bytes, _)
        | Just found <- likeliest bytes -> nextFound f {mark = Just found, place = Searching 0 0}
      _
        | final ->
            Rubbish
              0
              (before + Pending.size pending)
              f
                { place =
                    Over,
                  before = before + Pending.size pending,
                  pending = Pending.empty
                }
        | otherwise -> case Pending.searched headSize (\_ _ _ -> Nothing) before 0 pending of
            (_, n, rest) -> lacking f {before = before + n, pending = rest}

-- | Which file some bytes are of. The first of these marks that any head has: that of a
-- header that is right, before which other bytes came; one that stands before the first
-- head, where the header was; else the one with most bytes in blocks that are right. What
-- is in a block that is right is not looked at: it may be another container.
likeliest :: ByteString -> Maybe Mark
likeliest bytes = fmap fst (best (Map.toList (go Map.empty 0 0)))
  where
    best = \case
      [] -> Nothing
      several ->
        Just
          ( List.maximumBy
              ( comparing
                  ( \(its, n) ->
                      (Just its == said, its `isMarkIn` early, n)
                  )
              )
              several
          )
    early = maybe B.empty (`B.take` bytes) (nextHead Nothing 0 bytes)
    said = headerMark <$> headerWithin early
    go :: Map.Map Mark Int -> Int -> Int -> Map.Map Mark Int
    go marks looked at = case nextHead Nothing at bytes of
      Nothing -> marks
      Just i -> case headAt (B.take headSize (B.drop i bytes)) of
        Nothing -> go marks looked (i + 1)
        Just (its, h)
          | headStored h <= B.length bytes - i - headSize,
            looked + headStored h <= 2 * B.length bytes ->
              if crc32c body == headChecksum h
                then
                  go
                    (weigh (headSize + headStored h))
                    (looked + headStored h)
                    (i + headSize + headStored h)
                else go (weigh 1) (looked + headStored h) (i + headSize)
          | otherwise -> go (weigh 1) looked (i + headSize)
          where
            body = B.take (headStored h) (B.drop (i + headSize) bytes)
            weigh n = Map.insertWith (+) its n marks

-- * Bytes

-- | Look for a head from an offset on.
searching :: Scan -> Int -> (Int -> Expected) -> (Scan -> Head -> Scanned) -> Scanned
searching f@Scan {..} at searchingAt use
  | before >= upTo = over f
  | otherwise =
      case Pending.searched
        headSize
        ( \_ from bytes ->
            nextHead mark from bytes
        )
        before
        at
        pending of
        (found, n, rest)
          | found,
            Just (bytes, others) <- Pending.taking headSize rest,
            Just (itsMark, h) <- headAt bytes ->
              if before + n >= upTo
                then over there
                else use there {mark = Just itsMark, pending = others} h
          | found -> nextFound there {place = searchingAt 1}
          | not final -> lacking there {place = searchingAt 0}
          | otherwise ->
              over there {before = before + n + Pending.size rest, pending = Pending.empty}
          where
            there = f {before = before + n, pending = rest}

-- | What is left is nothing.
over :: Scan -> Scanned
over f = case place f of
  Searching from _ | from < end -> Rubbish from end f {place = Over}
  _ -> Complete
  where
    end = min (upTo f) (before f)

-- | The next @n@ bytes and what follows them, once they are there. Where the input ends
-- before that, it was cut off, and what there is may have heads in it.
withBytes :: Int -> Scan -> Expected -> (ByteString -> Pending -> Scanned) -> Scanned
withBytes n f = bytesOr (broken f) n f

-- | The same of a block, after its head.
withBytesOf :: Head -> Scan -> Expected -> (ByteString -> Pending -> Scanned) -> Scanned
withBytesOf h = bytesOr (brokenAt h) (headStored h)

bytesOr ::
  (Int -> Damage -> Scan -> Scanned) ->
  Int ->
  Scan ->
  Expected ->
  (ByteString -> Pending -> Scanned) ->
  Scanned
bytesOr wrong n f@Scan {..} otherwise' use = case Pending.taking n pending of
  Just (bytes, rest) -> use bytes rest
  Nothing
    | final -> wrong (before + Pending.size pending) CutOff f {place = otherwise'}
    | otherwise -> lacking f

lacking :: Scan -> Scanned
lacking f =
  Lacking (\chunk -> f {pending = Pending.arrived chunk (pending f), final = B.null chunk})

broken :: Scan -> Int -> Damage -> Scan -> Scanned
broken f at damage = Broken (Fault (nextFirst (next f)) (nextNumber (next f)) at damage)

-- | In the block of a head.
brokenAt :: Head -> Int -> Damage -> Scan -> Scanned
brokenAt h at damage = Broken (Fault (headFirst h) (headNumber h) at damage)

-- * Where it is

-- | Bytes of the file before those that have come and were not used.
position :: Scan -> Int
position = before

-- | Does nothing come any more?
isOver :: Scan -> Bool
isOver f = case place f of
  Over -> True
  _ -> False
