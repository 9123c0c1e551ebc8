{-# LANGUAGE OverloadedStrings #-}

-- | What runs on some machines, for a terminal: a table with borders that join,
-- bars, a log that is wrapped, and a question on top of it in some frames.
module Main (main) where

import Brick.AttrMap
import Brick.Types
import Brick.Util (fg, on)
import Brick.Widgets.Border
import Brick.Widgets.Border.Style
import Brick.Widgets.Center
import Brick.Widgets.Core
import Brick.Widgets.Internal (renderWidget)
import Brick.Widgets.ProgressBar
import Brick.Widgets.Table
import qualified Data.Text as T
import Graphics.Vty (outputPicture)
import Graphics.Vty.Attributes
import Graphics.Vty.Output (displayContext)
import Graphics.Vty.Output.Mock (mockTerminal)

data Name = Jobs | Log
  deriving (Eq, Ord, Show)

attributes :: AttrMap
attributes = attrMap defAttr [(attrName "bad", fg red), (attrName "good", fg green `withStyle` bold), (progressCompleteAttr, black `on` cyan), (borderAttr, fg blue), (attrName "log" <> attrName "time", fg yellow)]

jobs :: Int -> Widget Name
jobs n = renderTable (alignRight 1 (alignCenter 3 (columnBorders True (rowBorders False (table (header : map row [1 .. 24]))))))
  where
    header = map (withAttr (attrName "good") . txt) ["machine", "load", "task", "state"]
    row k =
      [ txt (T.pack ("node" ++ show k)),
        str (show ((n * 7 + k * 13) `mod` 100) ++ " %"),
        padLeftRight 1 (txt (task k)),
        if (n + k) `mod` 5 == 0 then withAttr (attrName "bad") (txt "failed") else txt "runs"
      ]
    task k = ["index the letters", "make the thumbnails", "send what waits", "sum up the day"] !! ((n + k) `mod` 4)

bars :: Int -> Widget Name
bars n = joinBorders (borderWithLabel (txt " disks ") (vBox [hBox [hLimit 8 (padRight Max (str ("disk" ++ show k))), progressBar (Just (show k)) (fromIntegral ((n * k) `mod` 100) / 100)] | k <- [1 .. 8 :: Int]]))

logged :: Int -> Widget Name
logged n = border (viewport Log Vertical (vBox [hBox [withAttr (attrName "log" <> attrName "time") (str (show (n * 60 + k) ++ " ")), txtWrap (message k)] | k <- [1 .. 14 :: Int]]))
  where
    message k = T.concat ["node", T.pack (show k), " said that it could not reach its neighbour for ", T.pack (show (n + k)), " seconds, and that it will try again; nothing was lost"]

ui :: Int -> [Widget Name]
ui n = [question | n `mod` 4 == 0] ++ [withBorderStyle unicodeRounded (joinBorders (hBox [vBox [hCenter (jobs n), hBorder, bars n], vBorder, vLimit 30 (logged n) <=> center (str ("frame " ++ show n))]))]
  where
    question = centerLayer (borderWithLabel (txt "stop") (padAll 2 (strWrap "Shall all of it be stopped now, or only what failed?")))

main :: IO ()
main = do
  (_, output) <- mockTerminal (140, 50)
  display <- displayContext output (140, 50)
  mapM_ (\n -> outputPicture display (renderWidget (Just attributes) (ui n) (140, 50))) [1 .. 30]
