-- | Lifts of a house: buttons and ticks come as events; each lift goes where it
-- was called, counts what it did, and one display is switched between them.
module Main (main) where

import Data.Maybe (catMaybes)
import Reactive.Banana

data Input = Tick | Call Int Int | Show Int
  deriving (Eq, Show)

data Lift = Lift {floorOf :: Int, goal :: Int, moves :: Int}
  deriving (Eq, Show)

step :: Input -> Lift -> Lift
step Tick l
  | floorOf l < goal l = l {floorOf = floorOf l + 1, moves = moves l + 1}
  | floorOf l > goal l = l {floorOf = floorOf l - 1, moves = moves l + 1}
  | otherwise = l
step (Call _ f) l = l {goal = f}
step (Show _) l = l

lift :: Event Input -> Int -> Moment (Behavior Lift, Event String)
lift inputs n = do
  let mine i = case i of
        Call k _ -> k == n
        Tick -> True
        Show _ -> False
  state <- accumB (Lift 0 0 0) (step <$> filterE mine inputs)
  let ticks = filterE (== Tick) inputs
      at = (,) <$> state <@> ticks
      arrived = filterJust ((\(l, _) -> if floorOf l + 1 == goal l then Just (show n ++ " arrives at " ++ show (goal l)) else Nothing) <$> at)
  total <- accumE (0 :: Int) ((+ 1) <$ arrived)
  pure (state, unionWith (\a b -> a ++ ", " ++ b) arrived ((\k -> show n ++ " came " ++ show k ++ " times") <$> filterE ((== 0) . (`mod` 10)) total))

house :: Int -> Event Input -> Moment (Event String)
house size inputs = do
  lifts <- mapM (lift inputs) [0 .. size - 1]
  let states = map fst lifts
      chosen = filterJust (asked <$> inputs)
      asked (Show k) = Just (states !! (k `mod` size))
      asked _ = Nothing
      busy = fmap (length . filter (\l -> floorOf l /= goal l)) (sequenceA states)
  shown <- switchB (head states) chosen
  let display = (\l b i -> if i == Tick && moves l `mod` 4 == 1 then Just ("at " ++ show (floorOf l) ++ ", busy " ++ show b) else Nothing) <$> shown <*> busy
      reports = filterJust (display <@> inputs)
  pure (foldr (unionWith (\a b -> a ++ "; " ++ b) . snd) reports lifts)

inputsOf :: Int -> [Maybe Input]
inputsOf size = concat [[Just (Call (k * 7 `mod` size) (k * 13 `mod` 20)), Just Tick, Just Tick, if k `mod` 5 == 0 then Just (Show k) else Nothing] | k <- [1 .. 400]]

main :: IO ()
main = do
  out <- interpret (house 12) (inputsOf 12)
  let said = catMaybes out
  print (length said, sum (map length said))
  mapM_ putStrLn (take 5 (reverse said))
