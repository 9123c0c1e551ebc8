-- | Which of the processor's operators does what an operator of the bytecode does.
--
-- The idea: total functions from the words of "Tern.Wasm.Meaning" to those of the
-- assembler. Start at any.
module Tern.Wasm.Native.Template
  ( Integer_ (..),
    Binary (..),
    integerOf,
    conditionOf,
    ofZero,
    floatOf,
  )
where

import Tern.Wasm.Meaning qualified as Meaning
import Tern.Wasm.Native.Assembler (Arithmetic (..), Condition (..), Float_ (..), Shift (..))

-- | Of two operands (and whether they may change places), or of a number and a count.
data Integer_ = Two !Binary !Bool | Shifted !Shift

-- | An operator of a register and an operand; multiplication is written in another way than the
-- rest.
data Binary = Plain !Arithmetic | Multiply

-- | What does an operator of integers, of 32 bits or of 64.
integerOf :: Meaning.Operation -> Integer_
integerOf = \case
  Meaning.Add -> Two (Plain Add) True
  Meaning.Sub -> Two (Plain Sub) False
  Meaning.Mul -> Two Multiply True
  Meaning.And -> Two (Plain And) True
  Meaning.Or -> Two (Plain Or) True
  Meaning.Xor -> Two (Plain Xor) True
  Meaning.Shl -> Shifted ShiftLeft
  Meaning.ShrS -> Shifted ShiftRightSigned
  Meaning.ShrU -> Shifted ShiftRight
  Meaning.Rotl -> Shifted RotateLeft
  Meaning.Rotr -> Shifted RotateRight

-- | The condition that holds after a comparison of two integers.
conditionOf :: Meaning.Relation -> Condition
conditionOf = \case
  Meaning.Eq -> Equal
  Meaning.Ne -> NotEqual
  Meaning.LtS -> Less
  Meaning.LtU -> Below
  Meaning.GtS -> Greater
  Meaning.GtU -> Above
  Meaning.LeS -> LessEqual
  Meaning.LeU -> BelowEqual
  Meaning.GeS -> GreaterEqual
  Meaning.GeU -> AboveEqual

-- | Whether a relation to zero asks no more than whether a number is zero.
ofZero :: Meaning.Relation -> Bool
ofZero r = case conditionOf r of
  Equal -> True
  NotEqual -> True
  _ -> False

-- | What does an operator of floats, single or double.
floatOf :: Meaning.FloatOperation -> Float_
floatOf = \case
  Meaning.FloatAdd -> AddF
  Meaning.FloatSub -> SubF
  Meaning.FloatMul -> MulF
  Meaning.FloatDiv -> DivF
