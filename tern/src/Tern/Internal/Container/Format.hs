{-# LANGUAGE OverloadedStrings #-}

-- | The grammar of a container: the header of a file, and the head of a block.
--
-- The idea: both have a fixed size and a checksum of their own, so that they are
-- either right or not there, and a block says where in the file and in the
-- sequence it belongs.
--
-- The rules are those of @docs\/spec\/container.md@.
module Tern.Internal.Container.Format
  ( -- * Marks
    Mark (..),
    newMark,

    -- * The header
    Header (..),
    headerSize,
    headerBytes,
    Start (..),
    startOf,
    isMarkIn,
    headerWithin,
    headerOf,
    newHeader,

    -- * Heads
    Head (..),
    BlockKind (..),
    headSize,
    headBytes,
    headAt,
    nextHead,
  )
where

import Control.Exception (IOException, try)
import Data.Bits (shiftL, shiftR, xor, (.|.))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Functor.Contravariant (contramap)
import Data.Word (Word32, Word64, Word8)
import GHC.Clock (getMonotonicTimeNSec)
import System.CPUTime (getCPUTime)
import System.IO (IOMode (..), hSetBuffering, withBinaryFile)
import System.IO qualified as IO
import Tern.Internal.Container.Schema (schemaBytes)
import Tern.Internal.Native.Record (both)
import Tern.Internal.Native.Write qualified as Write
import Tern.Internal.Write (Writer, runWriter)
import Tern.Prim.Checksum (crc32c, findHead)
import Tern.Shape (Shape, fingerprint)

-- * Marks

-- | What every block of a file begins with, and hardly anything else: 64 bits that
-- were drawn for the file.
newtype Mark = Mark {markWord :: Word64}
  deriving stock (Eq, Ord, Show)

-- | From the system's source of randomness, or from clocks where it has none.
newMark :: IO Mark
newMark = do
  drawn <-
    try
      ( withBinaryFile
          "/dev/urandom"
          ReadMode
          (\h -> hSetBuffering h IO.NoBuffering >> B.hGet h 8)
      ) ::
      IO (Either IOException ByteString)
  case drawn of
    Right bytes | B.length bytes == 8 -> pure (Mark (number bytes))
    _ -> do
      ticks <- getMonotonicTimeNSec
      used <- getCPUTime
      pure (Mark (mixed (mixed ticks `xor` fromInteger used)))
  where
    -- Every bit of a word to every bit of another.
    mixed a =
      let b = (a `xor` (a `shiftR` 32)) * 0xd6e8feb86659fd93
          c = (b `xor` (b `shiftR` 32)) * 0xd6e8feb86659fd93
       in c `xor` (c `shiftR` 32)

-- * The header

-- | What a file begins with.
data Header = Header
  { headerMark :: !Mark,
    -- | Of the writer's shape.
    headerFingerprint :: !Word64,
    -- | The writer's shape, as 'Tern.Internal.Container.Schema.readSchema' reads it.
    headerSchema :: !ByteString
  }
  deriving stock (Eq, Show)

-- | The header of a file of a type.
newHeader :: Mark -> Shape -> Header
newHeader mark shape = Header mark (fingerprint shape) (schemaBytes shape)

-- | Bytes before the schema.
headerSize :: Int
headerSize = 40

magic :: ByteString
magic = "\x89Tern\r\n\x1a"

-- | A header as bytes.
headerBytes :: Header -> ByteString
headerBytes (Header (Mark mark) print' schema) = B.concat [fixed, checksum fixed, schema]
  where
    fixed =
      B.concat
        [ magic,
          "\1\0\0\0",
          four (B.length schema),
          eight mark,
          eight print',
          checksum schema
        ]

-- | What the first 'headerSize' bytes of a file say.
data Start
  = -- | The mark, the fingerprint, and the schema's length and checksum.
    Start !Mark !Word64 !Int !Word32
  | -- | Another format.
    NoMagic
  | -- | Another version of this one.
    Version !Word8
  | -- | Damaged.
    Unsound

-- | The magic is looked at first, then the version, then the checksum and the three zeros: so a
-- header of another version is never 'Unsound'.
startOf :: ByteString -> Start
startOf bytes
  | B.take 8 bytes /= magic = NoMagic
  | version /= 1 = Version version
  | crc32c (B.take 36 bytes) /= number32 36 bytes = Unsound
  | B.any (/= 0) (slice 9 3 bytes) = Unsound
  | otherwise =
      Start
        (Mark (number64 16 bytes))
        (number64 24 bytes)
        (fromIntegral (number32 12 bytes))
        (number32 32 bytes)
  where
    version = number (slice 8 1 bytes)

-- | Does a mark stand in some bytes?
isMarkIn :: Mark -> ByteString -> Bool
isMarkIn (Mark mark) = B.isInfixOf (eight mark)

-- | The header, with the schema that the start announces.
headerOf :: Mark -> Word64 -> Word32 -> ByteString -> Maybe Header
headerOf mark print' sum' schema
  | crc32c schema == sum' = Just (Header mark print' schema)
  | otherwise = Nothing

-- | The first header in some bytes that is right, by what it says of itself. Schemas are
-- looked at as long as they have no more bytes than two times those that are given.
headerWithin :: ByteString -> Maybe Header
headerWithin bytes = go 0 bytes
  where
    go looked rest = case B.breakSubstring magic rest of
      (_, found)
        | B.null found -> Nothing
        | Start mark print' n sum' <- startOf (B.take headerSize found),
          looked + n <= 2 * B.length bytes ->
            case headerOf mark print' sum' (slice headerSize n found) of
              Just header -> Just header
              Nothing -> go (looked + n) (B.drop 1 found)
        | otherwise -> go looked (B.drop 1 found)

-- * Heads

-- | What a block begins with.
data Head = Head
  { headKind :: !BlockKind,
    -- | Elements.
    headCount :: !Int,
    -- | Bytes after the head.
    headStored :: !Int,
    -- | Bytes of the elements.
    headRaw :: !Int,
    -- | Blocks before this one.
    headNumber :: !Int,
    -- | Elements before those of this one.
    headFirst :: !Int,
    -- | Where in the file it begins.
    headOffset :: !Int,
    -- | Of the stored bytes.
    headChecksum :: !Word32
  }
  deriving stock (Eq, Show)

-- | What a head says of its block, in byte 8.
data BlockKind
  = -- | Elements, compressed by the way with this code; 0 is not at all.
    Holding !Word8
  | -- | Nothing more.
    Ending
  deriving stock (Eq, Show)

-- | Bytes of a head, its checksum included. The end has as many.
headSize :: Int
headSize = 64

-- | A head as bytes.
headBytes :: Mark -> Head -> ByteString
headBytes (Mark mark) h = fixed <> checksum fixed
  where
    fixed =
      B.concat
        [ eight mark,
          B.pack [kind, 0, 0, 0],
          four (headCount h),
          runWriter
            (both (both size size) (both size (both size size)))
            ( (headStored h, headRaw h),
              (headNumber h, (headFirst h, headOffset h))
            ),
          runWriter Write.fixed32 (headChecksum h)
        ]
    size = contramap fromIntegral Write.fixed64 :: Writer Int
    kind = case headKind h of
      Holding code -> code
      Ending -> 0xff

-- | The head that 64 bytes are, and the mark that they begin with. 'Nothing' for
-- what no writer writes.
headAt :: ByteString -> Maybe (Mark, Head)
headAt bytes
  | B.length bytes == headSize,
    crc32c (B.take 60 bytes) == number32 60 bytes,
    B.all (== 0) (slice 9 3 bytes),
    all (< 0x4000000000000000) [number64 at bytes | at <- [16, 24, 32, 40, 48]],
    sensible =
      Just (Mark (number64 0 bytes), h)
  | otherwise = Nothing
  where
    h =
      Head
        { headKind = if kind == 0xff then Ending else Holding kind,
          headCount = fromIntegral (number32 12 bytes),
          headStored = size 16,
          headRaw = size 24,
          headNumber = size 32,
          headFirst = size 40,
          headOffset = size 48,
          headChecksum = number32 56 bytes
        }
    kind = number (slice 8 1 bytes)
    size at = fromIntegral (number64 at bytes)
    sensible = case headKind h of
      Ending -> headCount h == 0 && headStored h == 0 && headRaw h == 0 && headChecksum h == 0
      -- Each element has a byte at least.
      Holding code ->
        headCount h > 0
          && headCount h <= headRaw h
          && headStored h > 0
          && (code /= 0 || headStored h == headRaw h)

-- | The first head in bytes from an offset on; by the mark or, where that is not known,
-- of any file. 'Nothing' where no head stands with all of its bytes.
nextHead :: Maybe Mark -> Int -> ByteString -> Maybe Int
nextHead mark from bytes = case findHead (markWord <$> mark) from bytes of
  Just at
    | Just _ <- headAt (slice at headSize bytes) -> Just at
    | otherwise -> nextHead mark (at + 1) bytes
  Nothing -> Nothing

-- * Numbers

checksum :: ByteString -> ByteString
checksum = runWriter Write.fixed32 . crc32c

four :: Int -> ByteString
four = runWriter Write.fixed32 . fromIntegral

eight :: Word64 -> ByteString
eight = runWriter Write.fixed64

slice :: Int -> Int -> ByteString -> ByteString
slice from n = B.take n . B.drop from

number64 :: Int -> ByteString -> Word64
number64 at bytes = number (slice at 8 bytes)

number32 :: Int -> ByteString -> Word32
number32 at bytes = number (slice at 4 bytes)

-- | Lowest byte first.
number :: (Integral a) => ByteString -> a
number bytes =
  fromIntegral (B.foldr (\b rest -> rest `shiftL` 8 .|. fromIntegral b) (0 :: Word64) bytes)
