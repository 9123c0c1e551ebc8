-- | Loads and opposites that the next instruction's operand is.
--
-- The idea: what is loaded for the second operand of the operator that comes next, and for nothing
-- else, need not be in a register. The address is compared where the load stands, so that
-- traps are where they were; the operator then reads from memory.
--
-- The opposite of a number, of which the next instruction keeps some bits, is that one's too,
-- where the processor has an instruction for both.
--
-- The next instruction is reached from here alone: each label has a gate, which is neither.
--
-- Start at 'folds'.
module Tern.Wasm.Native.Fold
  ( folds,
    opposed,
  )
where

import Tern.Wasm.Meaning (Meaning (..), Operation (..), Second (..), meaning)
import Tern.Wasm.Native.Assembler (Operand (..), Size (..), rax)
import Tern.Wasm.Native.Flow (bodyLength, instruction)
import Tern.Wasm.Native.Frame (Env (..), memory)
import Tern.Wasm.Native.Located (Located (..))
import Tern.Wasm.Native.Registers (Home (..), homeAfter, unread)
import Tern.Wasm.Native.Template (Integer_ (..), integerOf)

-- | Whether the instruction after a load of a size, which is here, can read a place itself. The
-- place must still be named by then: by a slot's register that the result does not get.
folds :: Env -> Size -> Operand -> Bool
folds env size_ place =
  here env + 1 < bodyLength (body env) && reads_ && named
  where
    slot = stepA (instruction (body env) (here env))
    next = instruction (body env) (here env + 1)
    reads_ = case meaning (stepOp next) of
      Operates o wide OfSlot -> wide == size_ && second && plain (integerOf o)
      FloatOperates _ wide -> wide == size_ && second
      _ -> False
    plain = \case
      Two _ _ -> True
      Shifted _ -> False
    second =
      stepC next == slot
        && stepB next /= slot
        && (stepA next == slot || unread (allocation env) (here env + 2) slot)
    named = case place of
      Mem r _ -> r == memory
      Indexed r q _ ->
        r == memory
          && q /= rax
          && homeAfter (allocation env) (here env + 1) (stepA next) /= InRegister q
      Reg _ -> False
      Indexed8 {} -> False
      InCode _ -> False

-- | Whether the opposite of a number, which is to be made here, is needed for the next
-- instruction's bits alone. The number must be another slot than its opposite.
opposed :: Env -> Size -> Bool
opposed env size_ =
  here env + 1 < bodyLength (body env) && slot /= stepB this && reads_
  where
    this = instruction (body env) (here env)
    next = instruction (body env) (here env + 1)
    slot = stepA this
    reads_ = case meaning (stepOp next) of
      Operates And wide OfSlot ->
        wide == size_ && (stepB next == slot) /= (stepC next == slot) && gone
      _ -> False
    gone = stepA next == slot || unread (allocation env) (here env + 2) slot
