{-# LANGUAGE Arrows #-}

-- | A room whose heating is switched, balls that bounce and a noisy gauge, as signals over time.
module Main (main) where

import Control.Arrow
import Control.Wire
import Data.Functor.Identity (Identity (..))
import qualified Data.List as List
import FRP.Netwire
import Prelude hiding (id, until, (.))

type Signal a b = Wire (Timed Double ()) () Identity a b

-- | What comes out in so many steps.
outputs :: Int -> Signal a b -> [a] -> [Maybe b]
outputs n = go n countSteps
  where
    countSteps = Timed 0.01 ()
    go :: Int -> Timed Double () -> Signal a b -> [a] -> [Maybe b]
    go 0 _ _ _ = []
    go _ _ _ [] = []
    go k s w (x : xs) =
      let (y, w') = runIdentity (stepWire w s (Right x))
       in either (const Nothing) Just y : go (k - 1) s w' xs

ball :: Signal Double Double
ball = proc push -> do
  velocity <- integral 0 -< push - 9.81
  integralWith bounced 20 -< (velocity, ())
  where
    bounced () x = if x < 0 then -x else x

room :: Signal Double (Double, Bool)
room = proc outside -> do
  rec let heat = if on then 3 else 0
      temperature <- integral 15 -< heat + 0.2 * (outside - warm)
      warm <- delay 15 -< temperature
      on <- hold . accumE (\_ t -> t < 19) True . periodic 0.1 <|> pure True -< warm
  returnA -< (temperature, on)

gauge :: Signal Double Double
gauge = proc x -> do
  n <- hold . stdNoiseR 0.05 (-1, 1) 42 <|> pure 0 -< x
  smooth <- sAvg 0.2 -< x + n
  peak <- highPeak -< smooth
  late <- (pure 1 . for 20 --> pure 2) -< ()
  returnA -< smooth + peak * late

total :: [Maybe Double] -> Double
total = List.foldl' (\a x -> maybe a (+ a) x) 0

shown :: Double -> IO ()
shown x = print (round (x * 1000) :: Int)

main :: IO ()
main = do
  let pushes = cycle ([5, 4 .. -5] ++ [-4 .. 4])
      days = map (\k -> 5 + 10 * sin (fromIntegral (k :: Int) / 500)) [0 ..]
  shown (total (outputs 40000 ball pushes))
  let warmed = outputs 20000 room days
  shown (total (map (fmap fst) warmed))
  print (length (filter (maybe False snd) warmed))
  shown (total (outputs 10000 gauge days))
  let many = foldr (\k w -> (+) <$> w <*> (ball . arr (+ k))) (pure 0) [fromIntegral k | k <- [1 .. 10 :: Int]]
  shown (total (outputs 4000 many pushes))
