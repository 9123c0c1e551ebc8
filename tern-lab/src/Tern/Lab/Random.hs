-- | Numbers that look like chance and are the same in every run.
--
-- The idea: the generator SplitMix (Steele, Lea and Flood, 2014): a state is a
-- number, and whoever draws gets the next state with what was drawn.
--
-- Start at 'seed', then 'below'.
module Tern.Lab.Random
  ( Seed,
    seed,
    word,
    below,
    several,
    integers,
    letters,
  )
where

import Data.Bits (shiftR, xor)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Word (Word64)

-- | The state of the generator, of 64 bits.
newtype Seed = Seed Word64

-- | A state of its own for each number.
seed :: Int -> Seed
seed n = Seed (scrambled (fromIntegral n * 0x9e3779b97f4a7c15 + 0x632be59bd9b4e019))

-- | 64 bits.
word :: Seed -> (Word64, Seed)
word (Seed state) = (scrambled next, Seed next)
  where
    next = state + 0x9e3779b97f4a7c15

scrambled :: Word64 -> Word64
scrambled =
  (\z -> z `xor` (z `shiftR` 31)) . step 27 0x94d049bb133111eb . step 30 0xbf58476d1ce4e5b9
  where
    step n factor z = (z `xor` (z `shiftR` n)) * factor

-- | From 0 to below @n@, which is at least 1.
below :: Int -> Seed -> (Int, Seed)
below n state = case word state of
  (x, next) -> (fromIntegral ((x `shiftR` 1) `mod` fromIntegral (max 1 n)), next)

-- | @n@ of them, one after the other.
several :: Int -> (Seed -> (a, Seed)) -> Seed -> ([a], Seed)
several n one state
  | n <= 0 = ([], state)
  | otherwise =
      let (x, state') = one state
          (xs, state'') = several (n - 1) one state'
       in (x : xs, state'')

-- | Without an end: numbers of one digit to ten, each as often, about one in
-- seven negative.
integers :: Seed -> [Int]
integers state0 = x : integers state3
  where
    (digits, state1) = below 10 state0
    (size, state2) = below (9 * 10 ^ digits) state1
    (sign, state3) = below 7 state2
    x = (if sign == 0 then negate else id) (size + (if digits == 0 then 0 else 10 ^ digits))

-- | A text of small letters, from the first number of them to the second.
letters :: Int -> Int -> Seed -> (Text, Seed)
letters fewest most state0 = (T.pack found, state2)
  where
    (more, state1) = below (most - fewest + 1) state0
    (found, state2) = several (fewest + more) letter state1
    letter state = case below 26 state of (i, next) -> (toEnum (97 + i), next)
