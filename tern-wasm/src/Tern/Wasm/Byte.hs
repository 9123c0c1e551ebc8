-- | Which number in the bytecode an instruction has.
--
-- The idea: the loop goes by the low byte of a number alone, so that every number has its place
-- in the jump table and none is compared with a bound. What runs often has a byte of its own,
-- and so has each row ("Tern.Wasm.Row"); all others share the last byte, and are told apart by
-- the byte above it.
--
-- Start at 'opNumber'; 'standing' is what "Tern.Wasm.Threaded" makes the loop of.
module Tern.Wasm.Byte
  ( opNumber,
    opNumbered,
    rowNumber,
    Standing (..),
    standing,
    sharing,
  )
where

import Data.Bits (shiftL, shiftR, (.&.), (.|.))
import Data.Vector (Vector)
import Data.Vector qualified as V
import Tern.Wasm.Code (Op (..))
import Tern.Wasm.Row (rows)

-- | The number of an instruction: its place among those with a byte of their own, or the shared
-- byte and above that its place among those that share it.
opNumber :: Op -> Int
opNumber op
  | place < own = place
  | otherwise = sharedByte .|. ((place - own) `shiftL` 8)
  where
    place = fromEnum op

-- | The number of a row, by its place in 'rows'.
rowNumber :: Int -> Int
rowNumber k = own + k

-- | The instruction with a number; of a row the first one, since the others stand after it as
-- themselves.
opNumbered :: Int -> Op
opNumbered n = case firsts V.!? low of
  Just op -> op
  Nothing -> toEnum (own + n `shiftR` 8)
  where
    low = n .&. sharedByte

-- | The instruction that each byte but the shared one begins with.
firsts :: Vector Op
firsts = V.fromList (concatMap first (take sharedByte standing))
  where
    first = \case
      Alone op -> [op]
      InRow ops -> take 1 ops
      Unused -> [Stop]
      Shared -> []

-- | What a byte stands for. A byte that nothing is written with traps.
data Standing = Alone !Op | InRow ![Op] | Unused | Shared
  deriving stock (Eq, Show)

-- | What each of the 256 bytes stands for, in order.
standing :: [Standing]
standing =
  take sharedByte (map Alone [minBound .. pred firstSharing] <> map InRow rows <> repeat Unused)
    <> [Shared]

-- | Those that share a byte, by the byte above it: what runs seldom, and what leaves the loop.
sharing :: [Op]
sharing = [firstSharing ..]

-- | How many instructions have a byte of their own.
own :: Int
own = fromEnum firstSharing

firstSharing :: Op
firstSharing = TailOwn

sharedByte :: Int
sharedByte = 255
