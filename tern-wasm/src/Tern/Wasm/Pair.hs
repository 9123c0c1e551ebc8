-- | Which instructions the loop does together with the one after them.
--
-- The idea: where two instructions of a pair stand one after the other, the number of the
-- first is written over by the pair's. The second stays as it is, so that nothing moves:
-- who jumps to it finds it, and whoever goes over the bytecode, as the native tier does,
-- reads the first one, then the second. The loop alone does both in one step, and saves a
-- dispatch and often a load.
--
-- Start at 'pairs'; "Tern.Wasm.Lower.Join" writes them.
module Tern.Wasm.Pair
  ( Pair (..),
    Link (..),
    pairs,
  )
where

import Tern.Wasm.Code (Op (..))

-- | A pair: the instruction that is both, and the two.
data Pair = Pair {pairBoth :: !Op, pairFirst :: !Op, pairSecond :: !Op, pairLink :: !Link}
  deriving stock (Eq, Show)

-- | What the loop relies on of the fields: the field of the second one that names the slot
-- which the first one writes.
data Link = IntoA | IntoB
  deriving stock (Eq, Show)

-- | All of them, each with a number of its own.
pairs :: [Pair]
pairs =
  [ Pair ShrUI64Xor64 ShrUI64 Xor64 IntoB,
    Pair Const64Mul64 Const64 Mul64 IntoB,
    Pair AddI32JumpIf AddI32 JumpIf IntoB,
    Pair AddI32Load32 AddI32 Load32 IntoB,
    Pair AddI32JumpNeI32 AddI32 JumpNeI32 IntoB,
    Pair F64MulF64Mul F64Mul F64Mul IntoB,
    Pair Load32JumpLtS32 Load32 JumpLtS32 IntoB,
    Pair ShlI32AddI32 ShlI32 AddI32 IntoB,
    Pair AddI32Load64 AddI32 Load64 IntoB,
    Pair Xor64RotlI64 Xor64 RotlI64 IntoB,
    Pair Const64Add64 Const64 Add64 IntoB,
    Pair Add32JumpLtUI32 Add32 JumpLtUI32 IntoB,
    Pair Const32Store8 Const32 Store8 IntoA,
    Pair F64AddStore64 F64Add Store64 IntoA,
    Pair F64SubStore64 F64Sub Store64 IntoA
  ]
