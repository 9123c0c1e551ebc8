module Main (main) where

import Codec.Picture
import Codec.Picture.ColorQuant
import Codec.Picture.Types
import qualified Data.ByteString as B
import qualified Data.ByteString.Lazy as L

-- | A picture of 200 by 150, written and read in every format, and in few colours.
main :: IO ()
main = do
  print (map L.length [png, jpg, bitmap, tiff, tga])
  print (map (either error shape . decodeImage . L.toStrict) [png, jpg, bitmap, tiff, tga])
  print (either error L.length gif)
  print (either error shape (decodeImage . L.toStrict =<< gif))
  print (B.foldl' (\n b -> n + fromIntegral b) 0 (L.toStrict (encodePng grey)) :: Int)
  where
    png = encodePng picture
    jpg = encodeJpegAtQuality 80 (convertImage picture)
    bitmap = encodeBitmap picture
    tiff = encodeTiff picture
    tga = encodeTga picture
    grey = pixelMap computeLuma picture
    gif = uncurry encodeGifImageWithPalette (palettize defaultPaletteOptions picture)
    shape d = (dynamicMap imageWidth d, dynamicMap imageHeight d)

picture :: Image PixelRGB8
picture = generateImage pixel 200 150
  where
    pixel x y = PixelRGB8 (fromIntegral (x * y `div` 97)) (fromIntegral (x + y)) (fromIntegral (x * x `mod` 251))
