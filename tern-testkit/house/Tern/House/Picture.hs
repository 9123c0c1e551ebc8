-- | The modules as pictures: the packages, and for each package its rooms.
--
-- The idea: a screen has room for some forty boxes that can be read. So a package's picture
-- shows the rows of the table in @ARCHITECTURE.md@, a folder or a few modules each, above what
-- they import, and a box names its modules to who points at it. What a package takes from others
-- is dashed, a box a package. Arrows that others imply are left out. Coordinates are whole numbers
-- and the order is fixed, so that the same modules give the same bytes.
--
-- Start at 'pictures'.
module Tern.House.Picture
  ( pictures,
  )
where

import Data.List (isPrefixOf, nub, sort, stripPrefix)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe)
import Data.Set (Set)
import Data.Set qualified as Set
import System.FilePath.Posix (splitDirectories)
import Tern.House.Layout (Layout (..), Position (..), layout, reduced)
import Tern.House.Rules (Pattern (..), Room (..), roomOf)
import Tern.House.Source (Module (..))

-- | Files, below the checkout's root, and what is in them. Tests and benchmarks are not drawn.
pictures :: [Room] -> [Module] -> [(FilePath, String)]
pictures rooms modules =
  ( "docs/house.svg",
    drawn "The packages of Tern: each stands above what it imports" (packagesOf known)
  )
    : [ ( "docs/house-"
            <> name
            <> ".svg",
          drawn
            ( "The rooms of "
                <> name
                <> ": each stands above what it imports"
            )
            (roomsOf rooms known name)
        )
        | name <- nub (sort (map packageOf known))
      ]
  where
    known = filter (not . proof . modulePath) modules
    proof path =
      any
        (\folder -> any (`isPrefixOf` folder) ["test", "bench"])
        (take 1 (drop 1 (splitDirectories path)))

packageOf :: Module -> String
packageOf = concat . take 1 . splitDirectories . modulePath

-- * What is shown

data Box = Box
  { boxLabel :: String,
    -- | Of another package.
    boxFar :: Bool,
    boxModules :: [String]
  }

-- | Boxes by a name of their own, and what each points to.
data Graph = Graph (Map String Box) (Map String (Set String))

-- | Modules put together by the box that they belong to.
graphOf :: [Module] -> (Module -> Maybe (String, Box)) -> Graph
graphOf modules placed =
  Graph boxes (Map.mapWithKey Set.delete (Map.map (`Set.intersection` Map.keysSet boxes) arrows))
  where
    found = [(m, key, box) | m <- modules, Just (key, box) <- [placed m]]
    boxes =
      Map.fromListWith
        joined
        [ (key, box {boxModules = [moduleName m]})
          | (m, key, box) <-
              reverse found
        ]
    joined new old = old {boxModules = boxModules new <> boxModules old}
    keys = Map.fromList [(moduleName m, key) | (m, key, _) <- found]
    arrows = Map.fromListWith Set.union [(key, targets m box) | (m, key, box) <- found]
    targets m box
      | boxFar box = Set.empty
      | otherwise = Set.fromList [key | name <- moduleImports m, Just key <- [Map.lookup name keys]]

packagesOf :: [Module] -> Graph
packagesOf modules = graphOf modules (\m -> Just (packageOf m, Box (packageOf m) False []))

roomsOf :: [Room] -> [Module] -> String -> Graph
roomsOf rooms modules name = graphOf modules placed
  where
    imported = Set.fromList (concatMap moduleImports [m | m <- modules, packageOf m == name])
    placed m
      | packageOf m == name =
          let key =
                maybe (moduleName m) roomName (roomOf rooms m)
           in Just (' ' : key, Box (shorter key) False [])
      | moduleName m `Set.member` imported = Just (packageOf m, Box (packageOf m) True [])
      | otherwise = Nothing
    -- A room is called by what stands first in its row.
    roomName = maybe "" spelled . firstOf . roomPatterns
    firstOf = \case
      first : _ -> Just first
      [] -> Nothing
    spelled = \case
      Exactly one -> one
      Below stem -> stem <> ".*"
      Folder path -> path
    shorter key = fromMaybe key (stripPrefix "Tern.Internal." key)

-- * Measures, in pixels

rowHeight, boxHeight, gap, letter, margin :: Int
rowHeight = 76
boxHeight = 26
gap = 14
letter = 7
margin = 20

-- * Drawing

drawn :: String -> Graph -> String
drawn title (Graph boxes graph) =
  unlines $
    [ concat
        [ "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ",
          show width,
          " ",
          show (y 0 + boxHeight + margin),
          "\" font-family=\"sans-serif\" font-size=\"12\">"
        ],
      concat ["<title>", title, "</title>"],
      "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" \
      \markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" \
      \fill=\"#667\"/></marker></defs>",
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>",
      concat
        [ "<text x=\"",
          show margin,
          "\" y=\"",
          show (margin + 4),
          "\" font-size=\"14\" font-weight=\"bold\" fill=\"#223\">",
          title,
          "</text>"
        ]
    ]
      <> map arrow (arrows shown)
      <> map box (Map.toList boxes)
      <> ["</svg>"]
  where
    shown = layout (reduced graph)
    place name = Map.findWithDefault (Position 0 0) name (places shown)
    boxWidth = 16 + letter * maximum (0 : [length (caption one) | one <- Map.elems boxes])
    every = Map.elems (places shown) <> concat [bends | (_, _, bends) <- arrows shown]
    least = minimum (maxBound : map height every)
    most = maximum (0 : map column every)
    -- The middle of a box or a bend, and the upper edge of its row: the last layer is on top.
    x one = margin + boxWidth `div` 2 + (height one - least) * (boxWidth + gap) `div` 10
    y layer = 44 + (most - layer) * rowHeight
    width = margin + boxWidth `div` 2 + maximum (400 : map x every)
    caption one =
      boxLabel one
        <> ( if length (boxModules one) > 1
               then " (" <> show (length (boxModules one)) <> ")"
               else ""
           )
    point a b = show a <> "," <> show b
    arrow (from, to, bends) =
      concat
        [ "<path d=\"M",
          point (x (place from)) (y (column (place from)) + boxHeight),
          concat (curves (place from) bends),
          "\" fill=\"none\" stroke=\"#99a\" marker-end=\"url(#tip)\"/>"
        ]
      where
        curves before = \case
          [] -> [curve before (place to)]
          bend : rest ->
            curve before bend
              : "L" <> point (x bend) (y (column bend) + boxHeight)
              : curves bend rest
    curve before after =
      let start = y (column before) + boxHeight
          end = y (column after)
          half = (start + end) `div` 2
       in concat ["C", point (x before) half, " ", point (x after) half, " ", point (x after) end]
    box (name, one) =
      let left = x (place name) - boxWidth `div` 2
          top = y (column (place name))
       in concat
            [ concat
                [ "<g><title>",
                  unwords (boxModules one),
                  "</title><rect x=\"",
                  show left,
                  "\" y=\"",
                  show top,
                  "\" width=\"",
                  show boxWidth,
                  "\" height=\"",
                  show boxHeight
                ],
              concat
                [ "\" rx=\"4\" fill=\"",
                  if boxFar one
                    then "#fff"
                    else "#e3ecf7",
                  "\" stroke=\"#556\"",
                  if boxFar one then " stroke-dasharray=\"4 3\"" else ""
                ],
              concat
                [ "/><text x=\"",
                  show (x (place name)),
                  "\" y=\"",
                  show (top + 17),
                  "\" text-anchor=\"middle\" fill=\"#112\">",
                  caption one,
                  "</text></g>"
                ]
            ]
