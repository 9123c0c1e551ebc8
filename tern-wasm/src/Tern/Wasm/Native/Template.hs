-- | Which of the processor's operators does what an instruction of the bytecode does.
--
-- The idea: tables only, in the order in which "Tern.Wasm.Code" has the instructions.
-- Start at 'template'.
module Tern.Wasm.Native.Template
  ( Template (..),
    Second (..),
    Integer_ (..),
    Binary (..),
    FloatTest (..),
    template,
  )
where

import Data.Vector qualified as V
import Tern.Wasm.Code
import Tern.Wasm.Native.Assembler

-- | Whether the second operand is a slot or a constant.
data Second = OfSlot | OfConstant

data Template
  = Operate !Integer_ !Size !Second
  | Compare !Condition !Size !Second
  | CompareJump !Condition !Size !Second
  | FloatOperate !Float_ !Size
  | FloatCompare !FloatTest !Size
  | FloatJump !FloatTest !Size

-- | Of two operands (and whether they may change places), or of a number and a count.
data Integer_ = Two !Binary !Bool | Shifted !Shift

data Binary = Plain !Arithmetic | Multiply

data FloatTest = EqualF | NotEqualF | LessF | LessEqualF | NotLessF | NotLessEqualF

-- | The template of an instruction that has one. O(1).
template :: Op -> Maybe Template
template op = table V.! fromEnum op

table :: V.Vector (Maybe Template)
table =
  V.replicate (fromEnum (maxBound :: Op) + 1) Nothing
    V.// [ (fromEnum op, Just t)
           | (op, t) <-
               concat
                 [ sized Add32 Add64 [\s -> Operate o s OfSlot | o <- operators True],
                   sized AddI32 AddI64 [\s -> Operate o s OfConstant | o <- operators False],
                   sized Eq32 Eq64 [\s -> Compare c s OfSlot | c <- slotConditions],
                   sized EqI32 EqI64 [\s -> Compare c s OfConstant | c <- constantConditions],
                   sized JumpEq32 JumpEq64 [\s -> CompareJump c s OfSlot | c <- slotConditions],
                   sized JumpEqI32 JumpEqI64 [\s -> CompareJump c s OfConstant | c <- constantConditions],
                   sized F32Add F64Add (map FloatOperate [AddF, SubF, MulF, DivF]),
                   sized F32Eq F64Eq (map FloatCompare [EqualF, NotEqualF, LessF, LessEqualF]),
                   sized JumpF32Eq JumpF64Eq (map FloatJump [EqualF, NotEqualF, LessF, LessEqualF, NotLessF, NotLessEqualF])
                 ]
         ]
  where
    -- From an instruction on, of 32 and of 64 bits.
    sized half full makes = zip [half ..] (map ($ Half) makes) <> zip [full ..] (map ($ Full) makes)
    operators subtracts =
      [Two (Plain Add) True]
        <> [Two (Plain Sub) False | subtracts]
        <> [Two Multiply True, Two (Plain And) True, Two (Plain Or) True, Two (Plain Xor) True]
        <> map Shifted [ShiftLeft, ShiftRightSigned, ShiftRight, RotateLeft, RotateRight]
    slotConditions = [Equal, NotEqual, Less, Below, LessEqual, BelowEqual]
    constantConditions = [Equal, NotEqual, Less, Below, Greater, Above, LessEqual, BelowEqual, GreaterEqual, AboveEqual]
