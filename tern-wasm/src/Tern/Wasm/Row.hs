-- | Which instructions in a row the loop does in one step.
--
-- The idea: where the instructions of a row stand one after the other, the number of the first
-- one is written over by the row's, and the others stay as they are, as with a pair
-- ("Tern.Wasm.Pair"). A row has no case of its own: it is what its instructions do, one after
-- the other, without a dispatch between them. So a row asks nothing of their fields, any
-- instruction may be in one, pairs too, and where one jumps the rest of the row is left out.
--
-- Start at 'rows'; "Tern.Wasm.Lower.Join" writes them, "Tern.Wasm.Threaded" composes them.
module Tern.Wasm.Row
  ( rows,
  )
where

import Tern.Wasm.Code (Op (..))

-- | All of them; each has a byte ("Tern.Wasm.Byte"). Where several begin alike the longest
-- that stands there is taken.
rows :: [[Op]]
rows =
  [ [Enter, AddI32, Ret32],
    [Enter, JumpGeUI32],
    [Enter, JumpGeUI32, Copy32, Jump],
    [Enter, Zero1, Const32, JumpLtUI32],
    [Enter, Zero1, Global32, AddI32],
    [Enter, Zero2],
    [Enter, Zero4],
    [Enter, Zero4, Zero4],
    [Const32, AddI32, CallOwn],
    [Const32, CallOwn],
    [Const32, LoadAt32, Const32],
    [Const32, Select32],
    [Copy32, And32, And32, Xor32],
    [Copy32, AndI32, XorI32],
    [Copy32, Copy32],
    [Copy32, Copy32, Copy32],
    [Copy32, Global32, JumpNeI32],
    [Copy32, XorI32, AndI32],
    [Zero1, Global32, JumpNeI32],
    [Global32, AddI32, SetGlobal32],
    [Global32, Const32, Select32],
    [Global32, Const32, Select32, JumpIfNot],
    [Global32, Const32, Select32, JumpNeI32],
    [Global32, JumpNeI32],
    [Global32, JumpNeI32, JumpIf],
    [Global32, JumpNeI32, Load32],
    [Global32, Select32, Global32, JumpNeI32],
    [SetGlobal32, Store32],
    [Load32, AddI32],
    [Load32, AddI32, Copy32, JumpLtS32],
    [Load32, AddI32, SetGlobal32, Ret32],
    [Load32, AddI32, Store32],
    [Load32, AndI32],
    [Load32, CallOwn],
    [Load32, Load32],
    [Load32, Store32, Load32],
    [Load8U32, AndI32],
    [LoadAt64, Const64, F64Mul, F64Add],
    [Store32, AddI32, JumpLtU32],
    [Store32, Jump],
    [Store32, Load32],
    [Store32, Load32, CallOwn],
    [Store32, Load32, Load32],
    [Store32, Load32, Load32, Ret32],
    [Store32, Store32, Load32],
    [Add32, AddI32, JumpGtUI32],
    [Add32, Ret32],
    [And32, And32, Or32, Add32],
    [Xor32, Add32, Store32, AddI32JumpNeI32],
    [AddI32, AddI32],
    [AddI32, AddI32Load32, JumpLtS32],
    [AddI32, CallOwn],
    [AddI32, Const32, StoreAt32, JumpEqI32],
    [AddI32, Const32Store8, Add32JumpLtUI32],
    [AddI32, F64MulF64Mul, Load64, F64AddStore64],
    [AddI32, JumpLtS32, Store32],
    [AddI32, Load8U32, JumpIf],
    [AddI32, SetGlobal32],
    [AddI32, SetGlobal32, Ret],
    [AddI32, SetGlobal32, Ret32],
    [AddI32, ShlI32AddI32, Copy32, AddI32],
    [AddI32, Store32],
    [AndI32, JumpIf],
    [ShlI32, Add32],
    [RotlI32, RotlI32, Xor32],
    [RotlI32, Xor32, Add32],
    [EqI32, Global32, JumpNeI32, JumpIf],
    [F64Add, F64Add, F64Sqrt, F64Mul],
    [Const64Mul64, ShrUI64Xor64, Const64Mul64, ShrUI64Xor64],
    [AddI32Load32, Add32, Add32, Load32],
    [ShlI32AddI32, Load32, Copy32, CallTable],
    [AddI32Load64, F64Sub, F64Mul],
    [Xor64RotlI64, Const64Add64, AddI32JumpIf],
    [F64SubStore64, Load64, F64MulF64Mul]
  ]
