-- | How much a client wants something, and what it wants most.
--
-- The idea: three answers, and among what is wanted a weight in thousandths, which is
-- all that a weight of RFC 9110, section 12.4.2, can say; so no rounding can make one
-- preference look like another.
--
-- Start at 'Preference' and 'choose'.
module Tern.Negotiate.Preference
  ( Preference (..),
    preferred,
    choose,
    Quality (..),
    parseQuality,
    highest,
    weighted,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.Char (isDigit)
import Data.List (partition)
import Tern.Negotiate.Header (Parameter)

-- $setup
-- >>> :set -XOverloadedStrings

-- | What a request's header says of one thing that the server has.
data Preference
  = -- | Not acceptable.
    Refused
  | -- | Acceptable, and nothing was said of it.
    Tolerated
  | -- | Asked for, with a weight above zero.
    Preferred !Quality
  deriving stock (Eq, Ord, Show)

-- | A weight of zero refuses.
preferred :: Quality -> Preference
preferred quality
  | quality == Quality 0 = Refused
  | otherwise = Preferred quality

-- | The first of those that are preferred most; nothing where all are refused. After one that
-- nothing can be preferred to, nothing is looked at.
--
-- >>> choose (\n -> if n > 3 then Tolerated else Refused) [1 .. 9 :: Int]
-- Just 4
-- >>> choose (\n -> if n > 3 then Preferred highest else Tolerated) [1 :: Int ..]
-- Just 4
choose :: (a -> Preference) -> [a] -> Maybe a
choose preference = go Refused Nothing
  where
    go _ best [] = best
    go most best (a : as)
      | preferred' == Preferred highest = Just a
      | preferred' > most = go preferred' (Just a) as
      | otherwise = go most best as
      where
        preferred' = preference a

-- | Thousandths, from 0 to 1000.
newtype Quality = Quality Int
  deriving newtype (Eq, Ord, Show)

-- | From 0 to 1 with at most three digits after the point.
--
-- >>> map parseQuality ["1", "0.25", "0.", "1.000"]
-- [Just 1000,Just 250,Just 0,Just 1000]
-- >>> map parseQuality ["", "1.001", "0.1234", ".5", "-0", "1e0"]
-- [Nothing,Nothing,Nothing,Nothing,Nothing,Nothing]
parseQuality :: ByteString -> Maybe Quality
parseQuality text = case BC.uncons text of
  Just ('1', rest) | Just digits <- fraction rest, BC.all (== '0') digits -> Just highest
  Just ('0', rest) -> Quality . thousandths <$> fraction rest
  _ -> Nothing
  where
    fraction rest = case BC.uncons rest of
      Nothing -> Just B.empty
      Just ('.', digits) | B.length digits <= 3, BC.all isDigit digits -> Just digits
      _ -> Nothing
    thousandths digits =
      B.foldl' (\n b -> 10 * n + fromIntegral b - 48) 0 (B.take 3 (digits <> BC.pack "000"))

-- | The weight of what has none.
highest :: Quality
highest = Quality 1000

-- | The weight among parameters, and the others. A weight that is no number, or a second
-- one, is malformed.
--
-- >>> weighted [("level", "1"), ("q", "0.5")]
-- Just (500,[("level","1")])
weighted :: [Parameter] -> Maybe (Quality, [Parameter])
weighted values = case partition ((== BC.pack "q") . fst) values of
  ([], others) -> Just (highest, others)
  ([(_, q)], others) -> (,) <$> parseQuality q <*> Just others
  (_, _) -> Nothing
