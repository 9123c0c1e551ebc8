-- | Screens of a mail reader on a terminal that is only thought of: a list, a
-- message and a bar in boxes, laid out and written for each frame.
module Main (main) where

import qualified Data.Text as T
import Graphics.Vty.Attributes
import Graphics.Vty.Image
import Graphics.Vty.Output
import Graphics.Vty.Output.Mock
import Graphics.Vty.Picture

subjects :: [String]
subjects = ["Re: the meeting of tuesday", "Grüße aus Köln", "invoice 2231 is due", "日本語の手紙", "build 4411 failed on main", "lunch?"]

row :: Int -> Int -> Image
row chosen k = string attr (pad 4 (show k)) <|> char attr ' ' <|> text' attr (T.pack (pad 30 (subjects !! (k `mod` length subjects)))) <|> string (attr `withForeColor` cyan) (" from " ++ show (k * 37 `mod` 100))
  where
    attr
      | k == chosen = defAttr `withStyle` reverseVideo `withForeColor` yellow
      | even k = defAttr `withForeColor` rgbColor (10 :: Int) 200 (k * 5 `mod` 256)
      | otherwise = defAttr
    pad n s = take n (s ++ repeat ' ')

bordered :: Int -> Int -> Image -> Image
bordered w h i = vertCat [line, horizCat [side, resize w h i, side], line]
  where
    line = char defAttr '+' <|> charFill defAttr '-' w 1 <|> char defAttr '+'
    side = charFill (defAttr `withForeColor` blue) '|' 1 h

message :: Int -> Image
message n = vertCat (map (string defAttr) (concat (replicate 4 (map (\s -> s ++ " " ++ show n) subjects))))

frame :: Int -> Picture
frame n = picForLayers [popup, everything]
  where
    everything = bordered 44 40 (cropTop 40 (vertCat (map (row n) [n `mod` 5 .. 60]))) <|> (bordered 60 30 (translateX (n `mod` 9) (message n)) <-> status)
    status = horizJoin (string (defAttr `withBackColor` green) ("frame " ++ show n)) (backgroundFill 20 2)
    popup = if n `mod` 3 == 0 then translate (20 + n `mod` 7) 10 (bordered 20 5 (pad 2 1 2 1 (string (defAttr `withStyle` bold) "really quit?"))) else emptyImage

main :: IO ()
main = do
  (_, output) <- mockTerminal (120, 45)
  display <- displayContext output (120, 45)
  mapM_ (\n -> outputPicture display (frame n)) [1 .. 60]
