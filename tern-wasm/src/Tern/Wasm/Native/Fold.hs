-- | Loads that the next instruction's operand is.
--
-- The idea: what is loaded for the second operand of the operator that comes next, and for nothing
-- else, need not be in a register. The address is compared where the load stands, so that
-- traps are where they were; the operator then reads from memory.
--
-- Start at 'folds'.
module Tern.Wasm.Native.Fold
  ( folds,
  )
where

import Tern.Wasm.Meaning (Meaning (..), Second (..), meaning)
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
