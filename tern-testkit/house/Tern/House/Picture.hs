-- | The module graph as an SVG: one panel a package, arrows to the left.
--
-- Within a panel a module stands right of everything that it imports. Modules
-- of other packages that a panel's modules import are dashed. Arrows that
-- others imply are left out. Coordinates are whole numbers and the order is
-- fixed, so that the same modules give the same bytes.
module Tern.House.Picture
  ( picture,
  )
where

import Data.List (nub, sort)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (catMaybes)
import Data.Set qualified as Set
import System.FilePath.Posix (splitDirectories)
import Tern.House.Layout
import Tern.House.Source

-- | Tests and benchmarks are not drawn.
picture :: [Module] -> String
picture modules =
  unlines $
    [ concat
        [ "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ",
          show (maximum (0 : map panelWidth panels) + 40),
          " ",
          show (sum (map panelHeight panels) + 40),
          "\" font-family=\"sans-serif\" font-size=\"13\">"
        ],
      "<title>The modules of Tern: each stands right of what it imports</title>",
      "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#667\"/></marker></defs>",
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"
    ]
      <> concat (zipWith panelLines (scanl (+) 20 (map panelHeight panels)) panels)
      <> ["</svg>"]
  where
    drawn = filter (not . proof . modulePath) modules
    panels = map (panel drawn) (nub (sort (map packageOf drawn)))
    proof path = any (`elem` ["test", "bench"]) (take 1 (drop 1 (splitDirectories path)))

packageOf :: Module -> String
packageOf = concat . take 1 . splitDirectories . modulePath

data Panel = Panel
  { panelName :: String,
    panelLayout :: Layout,
    -- | A node's folder, or nothing where it is another package's.
    panelFolders :: Map String (Maybe String)
  }

panel :: [Module] -> String -> Panel
panel modules name =
  Panel
    { panelName = name,
      panelLayout = layout (reduced graph),
      panelFolders = Map.fromList ([(moduleName m, Just (folderOf (modulePath m))) | m <- own] <> [(o, Nothing) | o <- others])
    }
  where
    own = filter ((== name) . packageOf) modules
    ownNames = Set.fromList (map moduleName own)
    others = Set.toList (Set.unions (map (Set.fromList . moduleImports) own) `Set.difference` ownNames)
    graph =
      Map.fromList $
        [(moduleName m, Set.fromList (moduleImports m)) | m <- own] <> [(other, Set.empty) | other <- others]
    folderOf = reverse . drop 1 . dropWhile (/= '/') . reverse

-- * Measures, in pixels

rowHeight, boxHeight, gap, textWidth :: Int
rowHeight = 34
boxHeight = 24
gap = 46
textWidth = 8

-- | The left edge and the width of each column.
columnEdges :: Panel -> [(Int, Int)]
columnEdges Panel {panelLayout} = zip (scanl (\x w -> x + w + gap) 20 widths) widths
  where
    widths = [maximum (0 : [boxWidth name | (name, Place c _) <- Map.toList (places panelLayout), c == i]) | i <- [0 .. lastColumn]]
    lastColumn = maximum (0 : map column (Map.elems (places panelLayout)))

boxWidth :: String -> Int
boxWidth name = textWidth * length name + 16

panelWidth :: Panel -> Int
panelWidth one = maximum (0 : [x + w | (x, w) <- columnEdges one])

heightsOf :: Panel -> [Int]
heightsOf Panel {panelLayout} =
  map height (Map.elems (places panelLayout)) <> [height bend | (_, _, bends) <- arrows panelLayout, bend <- bends]

panelHeight :: Panel -> Int
panelHeight one = 70 + (maximum (0 : heightsOf one) - minimum (maxBound : heightsOf one)) * rowHeight `div` 10 + boxHeight

panelLines :: Int -> Panel -> [String]
panelLines top one@Panel {..} =
  [concat ["<text x=\"20\" y=\"", show (top + 14), "\" font-size=\"16\" font-weight=\"bold\" fill=\"#223\">", panelName, "</text>"]]
    <> map arrow (arrows panelLayout)
    <> map box (Map.toList (places panelLayout))
  where
    least = minimum (maxBound : heightsOf one)
    edges = Map.fromList (zip [0 ..] (columnEdges one))
    edge c = Map.findWithDefault (0, 0) c edges
    middle (Place _ h) = top + 34 + (h - least) * rowHeight `div` 10 + boxHeight `div` 2
    placeOf name = Map.findWithDefault (Place 0 0) name (places panelLayout)
    arrow (from, to, bends) =
      concat
        [ "<path d=\"M",
          point (fst (edge (column (placeOf from)))) (middle (placeOf from)),
          concat (curves (fst (edge (column (placeOf from)))) (middle (placeOf from)) stops),
          "\" fill=\"none\" stroke=\"#99a\" marker-end=\"url(#tip)\"/>"
        ]
      where
        stops = map Left bends <> [Right (placeOf to, boxWidth to)]
    -- From a box's left side, through the columns between, to a box's right.
    curves _ _ [] = []
    curves x y (Left bend : rest) =
      let (left, width) = edge (column bend)
       in curve x y (left + width) (middle bend) : line left (middle bend) : curves left (middle bend) rest
    curves x y (Right (place, width) : _) =
      [curve x y (fst (edge (column place)) + width) (middle place)]
    curve x y x' y' =
      let half = (x + x') `div` 2
       in concat ["C", point half y, " ", point half y', " ", point x' y']
    line x y = "L" <> point x y
    point x y = show x <> "," <> show y
    box (name, place) =
      let (left, _) = edge (column place)
          y = middle place - boxHeight `div` 2
          (fill, dash) = case Map.findWithDefault Nothing name panelFolders of
            Nothing -> ("#fff", " stroke-dasharray=\"4 3\"")
            Just folder -> (shade folder, "")
       in concat
            [ "<rect x=\"",
              show left,
              "\" y=\"",
              show y,
              "\" width=\"",
              show (boxWidth name),
              "\" height=\"",
              show boxHeight,
              "\" rx=\"4\" fill=\"",
              fill,
              "\" stroke=\"#556\"",
              dash,
              "/><text x=\"",
              show (left + 8),
              "\" y=\"",
              show (middle place + 4),
              "\" textLength=\"",
              show (boxWidth name - 16),
              "\" lengthAdjust=\"spacingAndGlyphs\" fill=\"#112\">",
              name,
              "</text>"
            ]
    folders = nub (sort (catMaybes (Map.elems panelFolders)))
    shade folder = case [colour | (one', colour) <- zip folders (cycle palette), one' == folder] of
      colour : _ -> colour
      [] -> "#fff"
    palette = ["#dbe9f6", "#e3f1dc", "#fbeed5", "#f3dff0", "#e2e2f5", "#d8f0ee", "#f7e0dc", "#eceadb"]
