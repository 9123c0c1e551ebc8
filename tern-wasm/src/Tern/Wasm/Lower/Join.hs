-- | Pairs of instructions that the loop does in one step.
--
-- The idea: bytecode that is written is gone over once more, and the numbers of pairs are put
-- in where two that make one stand in a row. An instruction is in one pair at most.
--
-- Start at 'join'.
module Tern.Wasm.Lower.Join
  ( join,
  )
where

import Control.Monad (when)
import Data.Int (Int32)
import Data.List (find)
import Data.Vector (Vector)
import Data.Vector qualified as V
import Data.Word (Word16)
import Tern.Wasm.Code (Op, opNumber, opNumbered, unit)
import Tern.Wasm.Lasting (Lasting, at)
import Tern.Wasm.Meaning
  ( Meaning (..),
    Operation (..),
    Second (..),
    meaning,
    wordsAfter,
  )
import Tern.Wasm.Pair (Link (..), Pair (..), pairs)
import Tern.Wasm.Prim (Ptr, peekByteOff, pokeByteOff)

-- | Put pairs into bytecode of so many bytes that nobody runs yet. Linear.
join :: Lasting -> Int -> IO ()
join code size = at code $ \p -> from p 0
  where
    from :: Ptr () -> Int -> IO ()
    from p o = when (o + unit < size) $ do
      first <- opAt p o
      c <- field p (o + 12)
      let next = o + unit * (1 + (wordsAfter (meaning first) c + 3) `div` 4)
      case beginning V.!? opNumber first of
        Just known@(_ : _) | next < size -> do
          second <- opAt p next
          case find ((== second) . pairSecond) known of
            Nothing -> from p next
            Just pair -> do
              linked <- link p o next pair
              if linked
                then do
                  pokeByteOff p o (fromIntegral (opNumber (pairBoth pair)) :: Word16)
                  from p (next + unit)
                else from p next
        _ -> from p next

-- | Whether the fields of two instructions are as their pair has them. The operands of the
-- second one may change places for that, where it makes no difference.
link :: Ptr () -> Int -> Int -> Pair -> IO Bool
link p first second pair = do
  written <- field p (first + 4)
  a <- field p (second + 4)
  b <- field p (second + 8)
  c <- field p (second + 12)
  case pairLink pair of
    Apart -> pure True
    IntoA -> pure (a == written)
    IntoB
      | b == written -> pure True
      | c == written && commutes (meaning (pairSecond pair)) ->
          True <$ (put p (second + 8) c >> put p (second + 12) b)
      | otherwise -> pure False

-- | Whether an instruction does the same with its two slots in the other order, to the last
-- bit. Of two floats that are no numbers it may be the first that is kept.
commutes :: Meaning -> Bool
commutes = \case
  Operates operation _ OfSlot -> inAnyOrder operation
  _ -> False

inAnyOrder :: Operation -> Bool
inAnyOrder = \case
  Add -> True
  Sub -> False
  Mul -> True
  And -> True
  Or -> True
  Xor -> True
  Shl -> False
  ShrS -> False
  ShrU -> False
  Rotl -> False
  Rotr -> False

-- | The pairs that begin with an instruction, by its number.
beginning :: Vector [Pair]
beginning = V.generate 256 (\n -> [pair | pair <- pairs, opNumber (pairFirst pair) == n])

opAt :: Ptr () -> Int -> IO Op
opAt p o = opNumbered . fromIntegral <$> (peekByteOff p o :: IO Word16)

field :: Ptr () -> Int -> IO Int
field p o = fromIntegral <$> (peekByteOff p o :: IO Int32)

put :: Ptr () -> Int -> Int -> IO ()
put p o v = pokeByteOff p o (fromIntegral v :: Int32)
