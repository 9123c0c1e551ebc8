module Main (main) where

import Data.Monoid (Sum (..))
import qualified Data.Vector as V
import Data.Vector.Distance

-- | Words as somebody types them, and as they are meant.
typed :: [(String, String)]
typed =
  [ (stem ++ "ations of" ++ show i, other ++ "ation off" ++ show (i * 3))
    | (stem, other) <- zip stems (drop 1 (cycle stems)),
      i <- [1 .. 60 :: Int]
  ]
  where
    stems = ["transform", "inform", "navig", "regul", "observ", "migr", "popul", "celebr", "orient"]

-- | What is done to a list of lines.
data Change = Gone Int | Here Int String | Other Int String

patch :: Params String Change Int'
patch =
  Params
    { equivalent = (==),
      delete = \i _ -> Gone i,
      insert = Here,
      substitute = \i _ new -> Other i new,
      cost = price,
      positionOffset = offset
    }

price :: Change -> Int'
price c = case c of
  Gone _ -> Int' 1
  Here _ s -> Int' (1 + length s `div` 20)
  Other _ s -> Int' (2 + length s `div` 20)

offset :: Change -> Int
offset c = case c of
  Gone _ -> 0
  _ -> 1

newtype Int' = Int' Int
  deriving (Eq, Ord)

instance Semigroup Int' where
  Int' a <> Int' b = Int' (a + b)

instance Monoid Int' where
  mempty = Int' 0

place :: Change -> Int
place c = case c of
  Gone i -> i
  Here i _ -> i
  Other i _ -> i

main :: IO ()
main = do
  let changes = [leastChanges strParams (V.fromList a) (V.fromList b) | (a, b) <- typed]
  print (sum [getSum c | (c, _) <- changes], sum [i | (_, os) <- changes, (_, i, _) <- os])
  let file k = V.fromList ["line " ++ show (i `div` k * k) ++ " of a file that changes" | i <- [1 .. 180 :: Int]]
      (Int' whole, script) = leastChanges patch (file 3) (file 4)
  print (whole, sum (map place script))
