-- | Numbers from a seed, the same on every machine.
module Tern.Wasm.Seed
  ( mix,
    Draw,
    draw,
    below,
    pick,
    runDraw,
  )
where

import Data.Bits (shiftR, xor)
import Data.Word (Word64)

-- | A permutation of 64 bits that leaves no pattern (the finaliser of SplitMix).
mix :: Word64 -> Word64
mix x0 = x2 `xor` (x2 `shiftR` 31)
  where
    x1 = (x0 `xor` (x0 `shiftR` 30)) * 0xbf58476d1ce4e5b9
    x2 = (x1 `xor` (x1 `shiftR` 27)) * 0x94d049bb133111eb

-- | Something made of numbers that are drawn one after the other.
newtype Draw a = Draw (Word64 -> (a, Word64))

instance Functor Draw where
  fmap f (Draw g) = Draw $ \s -> let (a, s') = g s in (f a, s')

instance Applicative Draw where
  pure a = Draw (a,)
  Draw f <*> Draw g = Draw $ \s -> let (h, s') = f s; (a, s'') = g s' in (h a, s'')

instance Monad Draw where
  Draw g >>= f = Draw $ \s -> let (a, s') = g s; Draw h = f a in h s'

draw :: Draw Word64
draw = Draw $ \s -> (mix s, s + 0x9E3779B97F4A7C15)

below :: Int -> Draw Int
below n = (\w -> fromIntegral (w `mod` fromIntegral (max 1 n))) <$> draw

-- | One of a list that is not empty; the first stands for an empty one.
pick :: a -> [a] -> Draw a
pick other xs = (\k -> case drop k xs of x : _ -> x; [] -> other) <$> below (length xs)

runDraw :: Draw a -> Word64 -> a
runDraw (Draw g) s = fst (g (mix s))
