-- | Instructions that the loop does in one step with those after them.
--
-- The idea: bytecode that is written is gone over twice more. First the numbers of pairs are put
-- in where two that make one stand in a row, then the numbers of rows, of which pairs may be a
-- part. An instruction is in one pair and in one row at most.
--
-- Start at 'join'.
module Tern.Wasm.Lower.Join
  ( join,
  )
where

import Control.Monad (when)
import Data.Int (Int32)
import Data.List (find, sortOn)
import Data.Ord (Down (..))
import Data.Vector (Vector)
import Data.Vector qualified as V
import Data.Word (Word16)
import Tern.Wasm.Byte (opNumber, opNumbered, rowNumber)
import Tern.Wasm.Code (Op, unit)
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
import Tern.Wasm.Row (rows)

-- | Put pairs and rows into the first @size@ bytes of bytecode that nobody runs yet. Linear.
join :: Lasting -> Int -> IO ()
join code size = at code $ \p -> pairUp p size >> lineUp p size

-- * Pairs

pairUp :: Ptr () -> Int -> IO ()
pairUp p size = from 0
  where
    from :: Int -> IO ()
    from o = when (o + unit < size) $ do
      first <- opAt p o
      next <- after p o first
      case beginning V.!? opNumber first of
        Just known@(_ : _) | next < size -> do
          second <- opAt p next
          case find ((== second) . pairSecond) known of
            Nothing -> from next
            Just pair -> do
              linked <- link p o next pair
              if linked
                then number p o (opNumber (pairBoth pair)) >> from (next + unit)
                else from next
        _ -> from next

-- | Whether the fields of two instructions are as their pair has them. The operands of the
-- second one may change places for that, where it makes no difference.
link :: Ptr () -> Int -> Int -> Pair -> IO Bool
link p first second pair = do
  written <- field p (first + 4)
  a <- field p (second + 4)
  b <- field p (second + 8)
  c <- field p (second + 12)
  case pairLink pair of
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

-- * Rows

lineUp :: Ptr () -> Int -> IO ()
lineUp p size = from 0
  where
    from :: Int -> IO ()
    from o = when (o + unit < size) $ do
      first <- opAt p o
      next <- after p o first
      case leading V.!? opNumber first of
        Just known@(_ : _) -> longest o next known
        _ -> from next
    longest :: Int -> Int -> [(Int, [Op])] -> IO ()
    longest _ next [] = from next
    longest o next ((k, rest) : others) =
      stand next rest >>= \case
        Just end -> number p o (rowNumber k) >> from end
        Nothing -> longest o next others
    -- Where some instructions end, if they stand at a place.
    stand :: Int -> [Op] -> IO (Maybe Int)
    stand o [] = pure (Just o)
    stand o (op : ops)
      | o + unit > size = pure Nothing
      | otherwise = do
          found <- opAt p o
          if found == op then after p o op >>= (`stand` ops) else pure Nothing

-- | The rows that begin with an instruction, by its number, the longest first: the place of each
-- in 'rows', and what comes after the first.
leading :: Vector [(Int, [Op])]
leading = V.generate 256 $ \n ->
  sortOn (Down . length . snd) [(k, rest) | (k, op : rest) <- zip [0 ..] rows, opNumber op == n]

-- * Bytecode

-- | Where the instruction after one at a place begins; after a pair that after its second one.
after :: Ptr () -> Int -> Op -> IO Int
after p o op = do
  c <- field p (o + 12)
  let next = o + unit * (1 + (wordsAfter (meaning op) c + 3) `div` 4)
  pure (if op `elem` map pairBoth pairs then next + unit else next)

opAt :: Ptr () -> Int -> IO Op
opAt p o = opNumbered . fromIntegral <$> (peekByteOff p o :: IO Word16)

number :: Ptr () -> Int -> Int -> IO ()
number p o n = pokeByteOff p o (fromIntegral n :: Word16)

field :: Ptr () -> Int -> IO Int
field p o = fromIntegral <$> (peekByteOff p o :: IO Int32)

put :: Ptr () -> Int -> Int -> IO ()
put p o v = pokeByteOff p o (fromIntegral v :: Int32)
