-- | Constants that stand in an instruction's own code.
--
-- The idea: a constant that is made for the next instruction alone is not made at all where
-- that one can have it as it is: what is stored, and the operand of 64 bits of an operator,
-- which is read from behind the function's code.
--
-- Start at 'heldAt'.
module Tern.Wasm.Native.Constant
  ( heldAt,
    madeBefore,
    inPlace,
    constants,
  )
where

import Control.Monad (forM_, unless)
import Data.Bits (shiftL, (.&.), (.|.))
import Data.IORef (readIORef)
import Data.IntMap.Strict qualified as IntMap
import Tern.Wasm.Meaning (Addressed (..), Meaning (..), Second (..), meaning)
import Tern.Wasm.Native.Assembler (Size (..), align, exchangeable, place, word)
import Tern.Wasm.Native.Flow (bodyLength, instruction)
import Tern.Wasm.Native.Frame (Env (..))
import Tern.Wasm.Native.Located (Located (..))
import Tern.Wasm.Native.Registers (unread)
import Tern.Wasm.Native.Template (Integer_ (..), integerOf)

-- | The slot and the constant, where an instruction, by its number, makes one that the next
-- one has in its own code.
heldAt :: Env -> Int -> Maybe (Int, Int)
heldAt env k
  | k < 0 || k + 1 >= bodyLength (body env) = Nothing
  | otherwise = case made s of
      Just (slot, v) | slot `usedBy` next, fits v (meaning (stepOp next)) -> Just (slot, v)
      _ -> Nothing
  where
    s = instruction (body env) k
    next = instruction (body env) (k + 1)
    slot `usedBy` i = case meaning (stepOp i) of
      Stores AtSlot _ -> once slot (stepA i) (stepB i)
      Stores AtConstant _ -> slot == stepA i && gone slot
      StoresNarrow _ -> once slot (stepA i) (stepB i)
      Operates o Full OfSlot -> case integerOf o of
        Two _ commutes ->
          operand i slot (stepC i) (stepB i)
            || commutes && operand i slot (stepB i) (stepC i)
        Shifted _ -> False
      FloatOperates _ _ -> operand i slot (stepC i) (stepB i)
      _ -> False
    fits v = \case
      Stores _ Full -> exchangeable v
      _ -> True
    once slot this other = slot == this && slot /= other && gone slot
    operand i slot this other = slot == this && slot /= other && (stepA i == slot || gone slot)
    gone = unread (allocation env) (k + 2)

-- | What an instruction makes, if it is a constant.
made :: Located -> Maybe (Int, Int)
made s = case meaning (stepOp s) of
  Makes Half -> Just (stepA s, stepB s)
  Makes Full -> Just (stepA s, (stepB s .&. 0xFFFFFFFF) .|. (stepC s `shiftL` 32))
  _ -> Nothing

-- | The constant that the instruction before has put into a slot.
madeBefore :: Env -> Int -> Maybe Int
madeBefore env slot
  | here env == 0 = Nothing
  | otherwise = case made (instruction (body env) (here env - 1)) of
      Just (to, v) | to == slot -> Just v
      _ -> Nothing

-- | An operator with what is held as its second operand.
inPlace :: Maybe (Int, Int) -> Located -> Located
inPlace held_ s = case (held_, meaning (stepOp s)) of
  (Just (slot, _), Operates {}) | slot == stepB s -> s {stepB = stepC s, stepC = stepB s}
  _ -> s

-- | What is read from behind the code.
constants :: Env -> IO ()
constants env = do
  all_ <- readIORef (literals env)
  unless (IntMap.null all_) $ do
    align a 8
    forM_ (IntMap.toList all_) $ \(v, l) -> place a l >> word a v
  where
    a = asm env
