-- | The frames of Zstandard's streams, as RFC 8878, section 3, has them: what they claim
-- and where they end, without decompressing anything.
--
-- The idea: the library that decompresses does not say when a stream ends too early, and
-- takes the memory that a frame claims to need. So each byte goes by here first. A frame
-- is a header, blocks that say how long they are, and maybe a checksum; walking over them
-- takes a few bytes of memory and no more time than there are blocks.
--
-- Start at 'frames' and 'walk'.
module Tern.Http.Zstd
  ( Frames,
    frames,
    walk,
    betweenFrames,
    Complaint (..),
  )
where

import Data.Bits (shiftL, shiftR, testBit, (.&.))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B

-- | Where in a stream one is.
data Frames
  = -- | Before a frame or after one.
    Between
  | -- | The bytes that were seen of @n@, which is above 0, that are needed to go on.
    Within !ByteString !Int (ByteString -> Either Complaint Frames)
  | -- | The next @n@ bytes, which is above 0, are passed over.
    Passing !Int Frames

-- | Why a stream is not taken.
data Complaint
  = -- | What stands where a frame should begin is none.
    NoFrame
  | -- | The header or a block's type is one that the format does not have.
    BadFrame
  | -- | The frame needs a window of @n@ bytes.
    WindowTooLarge !Integer
  deriving stock (Eq, Show)

-- | The start of a stream.
frames :: Frames
frames = Between

-- | Is this between two frames, where a stream may end?
betweenFrames :: Frames -> Bool
betweenFrames = \case
  Between -> True
  Within {} -> False
  Passing {} -> False

-- | On over a chunk, with the bytes that a window may have at most.
walk :: Integer -> ByteString -> Frames -> Either Complaint Frames
walk window = go
  where
    go chunk state
      | B.null chunk = Right state
      | otherwise = case state of
          Between -> go chunk (Within B.empty 4 magic)
          Passing n next
            | n > B.length chunk -> Right (Passing (n - B.length chunk) next)
            | otherwise -> go (B.drop n chunk) next
          Within seen n use
            | B.length seen + B.length chunk < n -> Right (Within (seen <> chunk) n use)
            | (more, rest) <- B.splitAt (n - B.length seen) chunk -> go rest =<< use (seen <> more)
    magic bytes
      | number bytes == 0xFD2FB528 = Right (Within B.empty 1 descriptor)
      -- What a reader may pass over.
      | number bytes `shiftR` 4 == 0x184D2A5 =
          Right (Within B.empty 4 (\size -> Right (passing (fromInteger (number size)) Between)))
      | otherwise = Left NoFrame
    descriptor bytes
      | testBit flags 3 = Left BadFrame
      | otherwise = Right (Within B.empty (windowSize + dictionary + contentSize) fields)
      where
        flags = number bytes
        single = testBit flags 5
        windowSize = if single then 0 else 1
        dictionary = power (flags .&. 3)
        contentSize = case flags `shiftR` 6 of
          0 -> if single then 1 else 0
          n -> 1 `shiftL` fromInteger n
        fields header
          | needed > window = Left (WindowTooLarge needed)
          | otherwise = Right (block (if testBit flags 2 then 4 else 0))
          where
            content =
              number (B.drop (windowSize + dictionary) header)
                + (if contentSize == 2 then 256 else 0)
            needed
              | single = content
              | otherwise = windowOf (number (B.take 1 header))
    windowOf bits = base + (base `shiftR` 3) * (bits .&. 7)
      where
        base = 1 `shiftL` (10 + fromInteger (bits `shiftR` 3))
    -- A block, after the last of which there are @checksum@ bytes of one.
    block checksum = Within B.empty 3 $ \bytes ->
      let header = number bytes
          size = fromInteger (header `shiftR` 3)
          next = if testBit header 0 then passing checksum Between else block checksum
       in case (header `shiftR` 1) .&. 3 of
            0 -> Right (passing size next)
            1 -> Right (passing 1 next)
            2 -> Right (passing size next)
            _ -> Left BadFrame
    passing n next = if n == 0 then next else Passing n next
    power n = if n == 3 then 4 else fromInteger n

-- | Little-endian.
number :: ByteString -> Integer
number = B.foldr' (\b n -> n * 256 + toInteger b) 0
