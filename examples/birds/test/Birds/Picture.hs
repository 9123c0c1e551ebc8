-- | Enough of PNG to see what a screenshot shows: how many pixels have a colour.
--
-- Eight bits a channel, with or without transparency, not interlaced, as browsers write
-- them (the PNG specification, sections 5, 9 and 11).
module Birds.Picture
  ( Picture (..),
    picture,
    coloured,
  )
where

import Codec.Compression.Zlib qualified as Zlib
import Data.Bits (shiftL)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy qualified as BL
import Data.Word (Word8)

-- | Width and height, bytes of a pixel, and the rows.
data Picture = Picture {pictureSize :: (Int, Int), pictureDepth :: Int, pictureRows :: [ByteString]}

-- | What a file holds, or what is wrong with it.
picture :: ByteString -> Either String Picture
picture file = do
  rest <-
    maybe
      (Left "no signature of PNG")
      Right
      ( B.stripPrefix
          (B.pack [137, 80, 78, 71, 13, 10, 26, 10])
          file
      )
  let parts = chunks rest
  header <- maybe (Left "no header") Right (lookup (BC.pack "IHDR") parts)
  let width = number (B.take 4 header)
      height = number (B.take 4 (B.drop 4 header))
  depth <- case B.unpack (B.drop 8 header) of
    [8, 2, 0, 0, 0] -> Right 3
    [8, 6, 0, 0, 0] -> Right 4
    other -> Left ("not eight bits of colour a channel: " <> show other)
  let raw =
        BL.toStrict
          ( Zlib.decompress
              ( BL.fromChunks
                  [bytes | (name, bytes) <- parts, name == BC.pack "IDAT"]
              )
          )
  if B.length raw == height * (1 + width * depth)
    then Right (Picture (width, height) depth (rowsOf depth (width * depth) raw))
    else
      Left
        ( "of "
            <> show (height * (1 + width * depth))
            <> " bytes of rows there are "
            <> show (B.length raw)
        )

chunks :: ByteString -> [(ByteString, ByteString)]
chunks bytes
  | B.length bytes < 12 = []
  | otherwise =
      (B.take 4 (B.drop 4 bytes), B.take size (B.drop 8 bytes)) : chunks (B.drop (12 + size) bytes)
  where
    size = number (B.take 4 bytes)

number :: ByteString -> Int
number = B.foldl' (\n b -> n `shiftL` 8 + fromIntegral b) 0

-- | Rows without their filters: each is told by the pixel to the left and by the row above.
rowsOf :: Int -> Int -> ByteString -> [ByteString]
rowsOf depth size = go (B.replicate size 0)
  where
    go above raw = case B.uncons raw of
      Nothing -> []
      Just (kind, rest) ->
        let row = unfiltered kind above (B.take size rest)
         in row : go row (B.drop size rest)
    unfiltered kind above row = case kind of
      0 -> row
      2 -> B.packZipWith (+) row above
      _ -> B.pack done
        where
          done =
            zipWith3
              (\x (a, c) b -> x + guess a b c)
              (B.unpack row)
              (zip (lead done) (lead (B.unpack above)))
              (B.unpack above)
          guess a b c = case kind of
            1 -> a
            3 -> fromIntegral ((fromIntegral a + fromIntegral b :: Int) `div` 2)
            _ -> paeth a b c
    lead = (replicate depth 0 <>)

paeth :: Word8 -> Word8 -> Word8 -> Word8
paeth a b c
  | da <= db && da <= dc = a
  | db <= dc = b
  | otherwise = c
  where
    near x = abs (int a + int b - int c - int x)
    (da, db, dc) = (near a, near b, near c)
    int = fromIntegral :: Word8 -> Int

-- | How many pixels have this red, green and blue.
coloured :: (Word8, Word8, Word8) -> Picture -> Int
coloured (r, g, b) (Picture _ depth rows) = sum (map inRow rows)
  where
    wanted = B.pack [r, g, b]
    inRow row
      | B.null row = 0
      | otherwise = fromEnum (B.take 3 row == wanted) + inRow (B.drop depth row)
