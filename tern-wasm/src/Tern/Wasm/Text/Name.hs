-- | The names of instructions in the text format.
module Tern.Wasm.Text.Name
  ( instrName,
  )
where

import Tern.Wasm.Aggregate (Row (..), aggregate)
import Tern.Wasm.Opcode (Operator (..), accessOperator, scalarOperator, vectorOperator)
import Tern.Wasm.Syntax (Instr (..))

-- $setup
-- >>> import Tern.Wasm.Opcode
-- >>> import Tern.Wasm.Syntax

-- | Without its immediates.
--
-- >>> instrName (Plain I32Add)
-- "i32.add"
instrName :: Instr -> String
instrName = \case
  Unreachable -> "unreachable"
  Nop -> "nop"
  Block _ -> "block"
  Loop _ -> "loop"
  If _ -> "if"
  Else -> "else"
  End -> "end"
  Br _ -> "br"
  BrIf _ -> "br_if"
  BrTable _ _ -> "br_table"
  Return -> "return"
  Call _ -> "call"
  CallIndirect _ _ -> "call_indirect"
  ReturnCall _ -> "return_call"
  ReturnCallIndirect _ _ -> "return_call_indirect"
  CallRef _ -> "call_ref"
  ReturnCallRef _ -> "return_call_ref"
  TryTable _ _ -> "try_table"
  Throw _ -> "throw"
  ThrowRef -> "throw_ref"
  BrOnNull _ -> "br_on_null"
  BrOnNonNull _ -> "br_on_non_null"
  BrOnCast fails _ _ _ -> if fails then "br_on_cast_fail" else "br_on_cast"
  RefEq -> "ref.eq"
  RefAsNonNull -> "ref.as_non_null"
  RefTest _ -> "ref.test"
  RefCast _ -> "ref.cast"
  Aggregate g _ _ -> rowText (aggregate g)
  Drop -> "drop"
  Select -> "select"
  SelectT _ -> "select"
  LocalGet _ -> "local.get"
  LocalSet _ -> "local.set"
  LocalTee _ -> "local.tee"
  GlobalGet _ -> "global.get"
  GlobalSet _ -> "global.set"
  TableGet _ -> "table.get"
  TableSet _ -> "table.set"
  MemorySize _ -> "memory.size"
  MemoryGrow _ -> "memory.grow"
  I32Const _ -> "i32.const"
  I64Const _ -> "i64.const"
  F32Const _ -> "f32.const"
  F64Const _ -> "f64.const"
  RefNull _ -> "ref.null"
  RefIsNull -> "ref.is_null"
  RefFunc _ -> "ref.func"
  MemoryInit _ _ -> "memory.init"
  DataDrop _ -> "data.drop"
  MemoryCopy _ _ -> "memory.copy"
  MemoryFill _ -> "memory.fill"
  TableInit _ _ -> "table.init"
  ElemDrop _ -> "elem.drop"
  TableCopy _ _ -> "table.copy"
  TableGrow _ -> "table.grow"
  TableSize _ -> "table.size"
  TableFill _ -> "table.fill"
  Plain op -> operatorText (scalarOperator op)
  Access op _ -> operatorText (accessOperator op)
  Vector op -> operatorText (vectorOperator op)
  VectorAccess op _ -> operatorText (vectorOperator op)
  VectorAccessLane op _ _ -> operatorText (vectorOperator op)
  VectorLane op _ -> operatorText (vectorOperator op)
  VectorBytes op _ _ -> operatorText (vectorOperator op)
