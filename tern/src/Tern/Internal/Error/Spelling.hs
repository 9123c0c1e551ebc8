-- | Which known name somebody meant who wrote another.
--
-- The idea: the fewest letters put in, taken out, changed, or exchanged with their
-- neighbours, that make one name of the other. A third of a name's letters may be
-- wrong, and at least one.
module Tern.Internal.Error.Spelling
  ( nearest,
    distance,
  )
where

import Data.List (sortOn)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Vector qualified as V

-- $setup
-- >>> :set -XOverloadedStrings

-- | The known name that is nearest to another one, if one is near; the first of equally
-- near ones. Capitals count for nothing. Time is bounded: names count by their first 40
-- letters, and only the first 256 are looked at.
--
-- >>> nearest "wigns" ["name", "wings"]
-- Just "wings"
-- >>> nearest "colour" ["name", "wings"]
-- Nothing
nearest :: Text -> [Text] -> Maybe Text
nearest name known = case sortOn fst near of
  (_, candidate) : _ -> Just candidate
  [] -> Nothing
  where
    near =
      [ (d, candidate)
        | candidate <- take 256 known,
          let other = folded candidate,
          abs (T.length other - T.length this) <= allowed,
          let d = distance this other,
          d <= allowed
      ]
    this = folded name
    folded = T.toLower . T.take 40
    allowed = max 1 (T.length this `quot` 3)

-- | How many such changes there are between two texts. Time and memory are the product
-- of their lengths.
--
-- >>> distance "wigns" "wings"
-- 1
-- >>> distance "tern" "skua"
-- 4
distance :: Text -> Text -> Int
distance a b = at (V.length xs) width
  where
    xs = V.fromList (T.unpack a)
    ys = V.fromList (T.unpack b)
    width = V.length ys
    -- The distances of the first @i@ letters from the first @j@, each made when it is
    -- asked for.
    table = V.generate ((V.length xs + 1) * (width + 1)) (uncurry between . (`quotRem` (width + 1)))
    at i j = table V.! (i * (width + 1) + j)
    x i = xs V.! (i - 1)
    y j = ys V.! (j - 1)
    between i 0 = i
    between 0 j = j
    between i j =
      minimum $
        [at (i - 1) j + 1, at i (j - 1) + 1, at (i - 1) (j - 1) + fromEnum (x i /= y j)]
          <> [at (i - 2) (j - 2) + 1 | i > 1, j > 1, x i == y (j - 1), x (i - 1) == y j]
