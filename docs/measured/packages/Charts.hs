module Main (main) where

import qualified Data.ByteString.Lazy as L
import qualified Data.Text as T
import qualified Data.Text.Lazy as LT
import Graphics.Svg

-- | A chart with bars, a line and a grid, as a page about weather has many.
chart :: Int -> Element
chart seed =
  doctype
    <> with
      (svg11_ (bars <> line <> grid <> legend))
      [Version_ <<- "1.1", Width_ <<- "640", Height_ <<- "320"]
  where
    height i = fromIntegral ((i * seed * 37) `mod` 193) + 0.5 :: Double
    bars = mconcat (map bar [0 .. 79])
    bar i =
      rect_
        [ X_ <<- number (8 * fromIntegral i),
          Y_ <<- number (320 - height i),
          Width_ <<- "6.5",
          Height_ <<- number (height i),
          Fill_ <<- if even i then "steelblue" else "#88a"
        ]
    line = path_ [D_ <<- T.concat (mA 0 160 : map point [1 .. 79]), Stroke_ <<- "black", Fill_ <<- "none"]
    point i = lA (8 * fromIntegral i) (160 - height (i + 3))
    grid = g_ [Class_ <<- "grid", Transform_ <<- translate (0 :: Double) 10] (mconcat (map rule [0 .. 15]))
    rule i =
      line_ [X1_ <<- "0", X2_ <<- "640", Y1_ <<- number (20 * i), Y2_ <<- number (20 * i), Stroke_ <<- "#ccc"]
    legend = text_ [X_ <<- "10", Y_ <<- "20"] (toElement (T.pack ("Rain & wind of <station " ++ show seed ++ ">")))
    number = T.pack . show :: Double -> T.Text

main :: IO ()
main = do
  print (sum (map (L.length . renderBS . chart) [1 .. 90]))
  print (LT.length (renderText (mconcat (map chart [1 .. 10]))))
