{-# LANGUAGE OverloadedStrings #-}

-- | How a figure grows with a size.
--
-- The idea: figures of programs have a part that does not grow (what starting costs), so
-- that a slope of logarithms says too little. What is fitted is @a + b n^k@, where @a@ is
-- not negative: for each @k@ the best @a@ and @b@ are known, and the @k@ is taken whose
-- curve is off by the least part of the figures. How far @k@ may be off is asked of the
-- rounds: each gives a @k@ of its own where all sizes were measured in it.
--
-- Start at 'growth'.
module Tern.Lab.Growth
  ( Growth (..),
    growth,
    exponentOf,
    superLinear,
    renderGrowth,
  )
where

import Data.Foldable (minimumBy)
import Data.List (sortOn, transpose)
import Data.List.NonEmpty (NonEmpty (..))
import Data.List.NonEmpty qualified as NonEmpty
import Data.Maybe (mapMaybe)
import Data.Ord (comparing)
import Data.Text (Text)
import Data.Text qualified as T
import Numeric (showFFloat)
import Tern.Lab.Stats (median, quantile, spread)

-- $setup
-- >>> import Data.List.NonEmpty (NonEmpty (..))

-- | An exponent, with the bounds of its rounds.
data Growth = Growth
  { least :: !Double,
    grows :: !Double,
    most :: !Double
  }
  deriving stock (Eq, Show)

-- | Of sizes above 0 with what was found in each round, or once. Nothing for fewer than
-- two sizes, and where a figure is not above 0. The bounds hold nine tenths of the rounds'
-- exponents.
growth :: [(Double, NonEmpty Double)] -> Maybe Growth
growth measured = do
  found <- exponentOf [(size, median (spread figures)) | (size, figures) <- measured]
  let each =
        mapMaybe
          (exponentOf . zip (map fst measured))
          (transpose (map (NonEmpty.toList . snd) measured))
      complete = all ((== length each) . length . snd) measured
  pure $ case each of
    one : more@(_ : _)
      | complete ->
          let ordered =
                NonEmpty.sort (one :| more)
           in Growth (min found (quantile ordered 0.05)) found (max found (quantile ordered 0.95))
    _ -> Growth found found found

-- | The exponent of one figure for each size. What differs by less than a hundredth over
-- all sizes does not grow, nor does what becomes less. Two sizes say nothing of a part that
-- does not grow, so that all of it is taken to. O(n) for each of some hundred exponents that
-- are tried.
--
-- >>> exponentOf [(n, 5000 + 3 * n * n) | n <- [10, 20, 40, 80]]
-- Just 2.0
-- >>> exponentOf [(10, 7), (1000, 7.05)]
-- Just 0.0
exponentOf :: [(Double, Double)] -> Maybe Double
exponentOf given = case sortOn fst given of
  some@((first, one) : rest)
    | any (\(size, figure) -> size <= 0 || figure <= 0) some || all ((== first) . fst) rest ->
        Nothing
    | maximum (map snd some) < 1.01 * minimum (map snd some) -> Just 0
    | length (distinct (map fst some)) == 2,
      (size, figure) : _ <- reverse rest ->
        Just (rounded (max 0 (logBase (size / first) (figure / one))))
    | otherwise -> Just (rounded (finer (finer coarse 0.05) 0.005))
    where
      -- From 0 to 6, and then twice around the best.
      coarse = best 3 0.1 30
      finer around step = best (max around (10 * step)) step 10
      best around step each =
        minimumBy
          (comparing (off some))
          ( around
              :| [around + step * fromIntegral i | i <- [-each .. each :: Int], i /= 0]
          )
  _ -> Nothing
  where
    rounded x = fromIntegral (round (100 * x) :: Int) / 100
    distinct = foldr (\x seen -> if take 1 seen == [x] then seen else x : seen) []

-- | By how much the best curve of an exponent is off: the sum of squares of parts.
off :: [(Double, Double)] -> Double -> Double
off some k = minimum (residual 0 through : [residual a b | a >= 0])
  where
    -- Divided by the largest size, so that no power is too large.
    largest = maximum (map fst some)
    power size = (size / largest) ** k
    -- Least squares, each figure weighed by its inverse square.
    sums = foldr add (0, 0, 0, 0, 0) some
    add (size, figure) (s, sx, sy, sxx, sxy) =
      let w = 1 / (figure * figure)
          x = power size
       in (s + w, sx + w * x, sy + w * figure, sxx + w * x * x, sxy + w * x * figure)
    (a, b) = case sums of
      (s, sx, sy, sxx, sxy)
        | abs determinant < 1e-12 * s * sxx -> (-1, 0)
        | otherwise -> ((sy * sxx - sx * sxy) / determinant, (s * sxy - sx * sy) / determinant)
        where
          determinant = s * sxx - sx * sx
    through = case sums of
      (_, _, _, sxx, sxy) -> sxy / sxx
    residual a' b' =
      sum [((a' + b' * power size - figure) / figure) ^ (2 :: Int) | (size, figure) <- some]

-- | Does it grow faster than the size, for certain? What takes n log n steps comes to 1.2
-- at most over the sizes that people try.
superLinear :: Growth -> Bool
superLinear found = least found > 1.25

-- | As people write it.
--
-- >>> renderGrowth (Growth 1.9 2 2.1)
-- "n^2.00 (1.90 to 2.10)"
--
-- What may as well not grow as grow with the square is given no exponent.
--
-- >>> renderGrowth (Growth 0.02 4 6.55)
-- "cannot be told (n^0.02 to n^6.55)"
renderGrowth :: Growth -> Text
renderGrowth found@Growth {..}
  | grows == 0 = "does not grow"
  | most - least > 1,
    not (superLinear found) =
      T.concat ["cannot be told (n^", two least, " to n^", two most, ")"]
  | least == most = T.concat ["n^", two grows]
  | otherwise = T.concat ["n^", two grows, " (", two least, " to ", two most, ")"]
  where
    two x = T.pack (showFFloat (Just 2) x "")
