{-# LANGUAGE OverloadedStrings #-}

-- | Graphs of packages and calls, written as Dot, read again, changed and written.
module Main (main) where

import qualified Data.Graph.Inductive as G
import Data.GraphViz
import Data.GraphViz.Algorithms (canonicalise, transitiveReduction)
import Data.GraphViz.Attributes.Complete
import qualified Data.GraphViz.Types.Generalised as Generalised
import qualified Data.Text.Lazy as T

graph :: Int -> G.Gr T.Text Int
graph n =
  G.mkGraph
    [(k, "module " <> T.pack (show k)) | k <- [1 .. n]]
    [(k, k * j `mod` n + 1, j) | k <- [1 .. n], j <- [2, 3, 5]]

params :: GraphvizParams Int T.Text Int Int T.Text
params =
  defaultParams
    { globalAttributes = [GraphAttrs [RankDir FromLeft, Splines SplineEdges], NodeAttrs [shape BoxShape, FontSize 10.5]],
      clusterBy = \(k, l) -> C (mod k 4) (N (k, l)),
      clusterID = Num . Int,
      fmtNode = \(k, l) -> [toLabel l, Width (fromIntegral k / 8), color (if even k then Red else SteelBlue)],
      fmtEdge = \(_, _, j) -> [Weight (Int j), style dashed, arrowTo normal, toLabel j]
    }

main :: IO ()
main = do
  let written = [printDotGraph (graphToDot params (graph n)) | n <- [20 .. 60]]
  print (sum (map T.length written))
  let parsed = map parseDotGraph written :: [DotGraph T.Text]
  print (sum (map (length . graphNodes) parsed), sum (map (length . graphEdges) parsed))
  let general = map parseDotGraph (take 15 written) :: [Generalised.DotGraph T.Text]
  print (sum (map (T.length . printDotGraph) general))
  print (sum (map (T.length . printDotGraph . canonicalise) (take 15 parsed)))
  print (sum (map (length . graphEdges . transitiveReduction) (take 8 parsed)))
