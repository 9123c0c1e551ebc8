-- | What each instruction of the bytecode means, for everybody but the loop that runs it.
--
-- The idea: a row for each 'Op', without a default. Lowering takes from it what a
-- comparison becomes where it is jumped on. The native tier takes what an instruction
-- reads and writes, where control goes after it, and which of the processor's
-- instructions do it. Who forgets a row, or a kind of row, does not compile. The module
-- is long because the table is.
--
-- Start at 'meaning'; the loop itself, "Tern.Wasm.Exec", has a case for each 'Op' too.
module Tern.Wasm.Meaning
  ( -- * The table
    Meaning (..),
    meaning,

    -- * Its words
    Next (..),
    Looked (..),
    Driver (..),
    BulkOp (..),
    Callee (..),
    Where (..),
    Addressed (..),
    Fetched (..),
    Narrow (..),
    Size (..),
    Sign (..),
    Part (..),
    Second (..),
    Operation (..),
    Relation (..),
    FloatOperation (..),
    FloatTest (..),
    Mask (..),

    -- * Lengths
    wordsAfter,

    -- * Comparisons
    Branches (..),
    Order (..),
    branches,
  )
where

import Tern.Wasm.Code (Op (..))

-- * The table

-- | The kinds of instructions. Those with a @128@ move vectors.
data Meaning
  = -- | The loop is left and the driver does it.
    Driven !Next !Looked !Driver
  | -- | The driver calls a function of the host.
    CallsHost
  | -- | The same in this function's place.
    TailCallsHost
  | -- | The driver calls an element of a table, by 64 bits; where the field d is not 0,
    -- in this function's place.
    CallsByDriver
  | -- | The loop is left for native code.
    Switches
  | Gates
  | Enters
  | Stops
  | Tallies
  | Jumps
  | -- | If the condition is not 0, or if it is 0.
    JumpsIf !Bool
  | JumpsByTable
  | Calls !Callee
  | TailCalls !Callee
  | TrapsOnNull
  | Returns
  | ReturnsOne !Size
  | Makes !Size
  | Copies !Size
  | Copies128
  | -- | The offsets of the slots from the first.
    Zeroes ![Int]
  | Selects !Size
  | Selects128
  | GetsGlobal !Where !Size
  | GetsGlobal128 !Where
  | SetsGlobal !Where !Size
  | SetsGlobal128 !Where
  | Loads !Addressed !Fetched
  | Stores !Addressed !Size
  | StoresNarrow !Narrow
  | -- | As the field d, an 'Tern.Wasm.Opcode.AccessOp', says, in a memory that no register
    -- holds: "Tern.Wasm.Native.Distant".
    Distantly
  | CountsPages
  | Operates !Operation !Size !Second
  | Divides !Sign !Part !Size
  | -- | The bits above the highest that is set.
    CountsLeading !Size
  | -- | The bits below the lowest that is set.
    CountsTrailing !Size
  | -- | From the low bytes, with their sign.
    Extends !Narrow !Size
  | -- | 32 bits to 64.
    Widens !Sign
  | Compares !Relation !Size !Second !Branches
  | JumpsOn !Relation !Size !Second
  | FloatOperates !FloatOperation !Size
  | FloatRoots !Size
  | FloatMasks !Mask !Size
  | FloatCompares !FloatTest !Size !Branches
  | FloatJumps !FloatTest !Size
  | -- | To a float of a size, from an integer of 32 bits.
    FromInteger32 !Size !Sign
  | -- | To a float of a size, from an integer of 64 bits with a sign.
    FromInteger64 !Size
  | -- | To a size, from the other.
    FloatToFloat !Size
  | -- | As the field d, a @SlowOp@, says: "Tern.Wasm.Native.Slow".
    Slowly
  | -- | As the field d, a 'Tern.Wasm.Opcode.VectorOp', says: "Tern.Wasm.Native.Vector". Where it
    -- has an address, that is of the memory in the registers or of another.
    OverVectors !Where
  | Canonicalises !Size
  | -- | In the lanes of a vector.
    CanonicalisesLanes !Size
  deriving stock (Show)

-- | Whether control comes to the next instruction.
data Next = Onwards | Away
  deriving stock (Eq, Show)

-- | What of a frame the driver looks at: from the field a on, or everything.
data Looked = OwnPart | WholeFrame
  deriving stock (Eq, Show)

-- | What the driver does.
data Driver
  = -- | The call from outside is at its end, or one from another instance.
    Ends
  | Crosses
  | -- | The function has no code yet.
    Lowers
  | Throws
  | -- | An exception by its reference.
    ThrowsAgain
  | -- | As the field d, an 'Tern.Wasm.Aggregate.Aggregate', says.
    Aggregates
  | TestsReference
  | CastsReference
  | Bulk !BulkOp
  deriving stock (Show)

-- | Instructions over whole memories, tables and segments.
data BulkOp
  = MemorySize
  | MemoryGrow
  | MemoryInit
  | MemoryCopy
  | MemoryFill
  | DataDrop
  | TableGet
  | TableSet
  | TableGrow
  | TableSize
  | TableFill
  | TableCopy
  | TableInit
  | ElemDrop
  deriving stock (Bounded, Enum, Eq, Show)

-- | What is called: a function of the module's own, an element of a table by 32 bits, or what
-- the reference in a slot is to.
data Callee = Own | InTable | ByReference
  deriving stock (Show)

-- | A global or a memory: in the instance's block, or one whose address is there.
data Where = Here | There
  deriving stock (Show)

-- | An address: in a slot, or known when the code was made.
data Addressed = AtSlot | AtConstant
  deriving stock (Show)

-- | What is in memory, and how it fills a slot.
data Fetched
  = -- | A slot of a size, as it is.
    Wholly !Size
  | Narrowly !Narrow !Sign !Size
  | -- | 32 bits to 64.
    Widened !Sign
  deriving stock (Show)

-- | One byte or two.
data Narrow = OneByte | TwoBytes
  deriving stock (Show)

-- | Of 32 bits, or of 64.
data Size = Half | Full
  deriving stock (Eq, Show)

-- | Whether the bits of an integer are taken with a sign.
data Sign = WithSign | WithoutSign
  deriving stock (Eq, Show)

-- | Which result of a division is wanted.
data Part = Quotient | Remainder
  deriving stock (Eq, Show)

-- | Whether the second operand is a slot or a constant.
data Second = OfSlot | OfConstant
  deriving stock (Eq, Show)

-- | Operations on two integers, whose results wrap around. Shifts and rotations take their count
-- modulo the size in bits.
data Operation = Add | Sub | Mul | And | Or | Xor | Shl | ShrS | ShrU | Rotl | Rotr
  deriving stock (Show)

-- | Comparisons of two integers, with a sign or without one.
data Relation = Eq | Ne | LtS | LtU | GtS | GtU | LeS | LeU | GeS | GeU
  deriving stock (Show)

-- | Operations on two floats, rounded to the nearest, ties to even.
data FloatOperation = FloatAdd | FloatSub | FloatMul | FloatDiv
  deriving stock (Show)

-- | Comparisons of two floats. If one is a NaN, 'FloatNe', 'FloatNotLt' and 'FloatNotLe' hold, and
-- the others do not.
data FloatTest = FloatEq | FloatNe | FloatLt | FloatLe | FloatNotLt | FloatNotLe
  deriving stock (Show)

-- | What is done to the sign bit, a NaN's as well.
data Mask = ClearsSign | FlipsSign
  deriving stock (Show)

-- | The meaning of an instruction.
meaning :: Op -> Meaning
meaning = \case
  Halt -> Driven Away OwnPart Ends
  Crossed -> Driven Away OwnPart Crosses
  Lower -> Driven Away OwnPart Lowers
  CallImport -> CallsHost
  DoMemoryGrow -> Driven Onwards OwnPart (Bulk MemoryGrow)
  DoMemoryInit -> Driven Onwards OwnPart (Bulk MemoryInit)
  DoMemoryCopy -> Driven Onwards OwnPart (Bulk MemoryCopy)
  DoMemoryFill -> Driven Onwards OwnPart (Bulk MemoryFill)
  DoDataDrop -> Driven Onwards OwnPart (Bulk DataDrop)
  DoTableGet -> Driven Onwards OwnPart (Bulk TableGet)
  DoTableSet -> Driven Onwards OwnPart (Bulk TableSet)
  DoTableGrow -> Driven Onwards OwnPart (Bulk TableGrow)
  DoTableSize -> Driven Onwards OwnPart (Bulk TableSize)
  DoTableFill -> Driven Onwards OwnPart (Bulk TableFill)
  DoTableCopy -> Driven Onwards OwnPart (Bulk TableCopy)
  DoTableInit -> Driven Onwards OwnPart (Bulk TableInit)
  DoElemDrop -> Driven Onwards OwnPart (Bulk ElemDrop)
  DoMemorySize -> Driven Onwards OwnPart (Bulk MemorySize)
  DoCallTable -> CallsByDriver
  DoTailImport -> TailCallsHost
  DoThrow -> Driven Away WholeFrame Throws
  DoThrowRef -> Driven Away WholeFrame ThrowsAgain
  DoAggregate -> Driven Onwards OwnPart Aggregates
  DoRefTest -> Driven Onwards WholeFrame TestsReference
  DoRefCast -> Driven Onwards WholeFrame CastsReference
  Native -> Switches
  Gate -> Gates
  Stop -> Stops
  Enter -> Enters
  Jump -> Jumps
  JumpIf -> JumpsIf True
  JumpIfNot -> JumpsIf False
  JumpTable -> JumpsByTable
  CallOwn -> Calls Own
  CallTable -> Calls InTable
  CallFunc -> Calls ByReference
  TailOwn -> TailCalls Own
  TailTable -> TailCalls InTable
  TailRef -> TailCalls ByReference
  NonNull -> TrapsOnNull
  Ret -> Returns
  Ret32 -> ReturnsOne Half
  Ret64 -> ReturnsOne Full
  Const32 -> Makes Half
  Const64 -> Makes Full
  Copy32 -> Copies Half
  Copy64 -> Copies Full
  Copy128 -> Copies128
  Zero1 -> Zeroes [0]
  Zero2 -> Zeroes [0, 8]
  Zero4 -> Zeroes [0, 8, 16, 24]
  Select32 -> Selects Half
  Select64 -> Selects Full
  Select128 -> Selects128
  Global32 -> GetsGlobal Here Half
  Global64 -> GetsGlobal Here Full
  Global128 -> GetsGlobal128 Here
  SetGlobal32 -> SetsGlobal Here Half
  SetGlobal64 -> SetsGlobal Here Full
  SetGlobal128 -> SetsGlobal128 Here
  Far64 -> GetsGlobal There Full
  Far128 -> GetsGlobal128 There
  SetFar64 -> SetsGlobal There Full
  SetFar128 -> SetsGlobal128 There
  Load32 -> Loads AtSlot (Wholly Half)
  Load64 -> Loads AtSlot (Wholly Full)
  Load8S32 -> Loads AtSlot (Narrowly OneByte WithSign Half)
  Load8U32 -> Loads AtSlot (Narrowly OneByte WithoutSign Half)
  Load16S32 -> Loads AtSlot (Narrowly TwoBytes WithSign Half)
  Load16U32 -> Loads AtSlot (Narrowly TwoBytes WithoutSign Half)
  Load8S64 -> Loads AtSlot (Narrowly OneByte WithSign Full)
  Load8U64 -> Loads AtSlot (Narrowly OneByte WithoutSign Full)
  Load16S64 -> Loads AtSlot (Narrowly TwoBytes WithSign Full)
  Load16U64 -> Loads AtSlot (Narrowly TwoBytes WithoutSign Full)
  Load32S64 -> Loads AtSlot (Widened WithSign)
  Load32U64 -> Loads AtSlot (Widened WithoutSign)
  LoadAt32 -> Loads AtConstant (Wholly Half)
  LoadAt64 -> Loads AtConstant (Wholly Full)
  LoadAt8U32 -> Loads AtConstant (Narrowly OneByte WithoutSign Half)
  Store32 -> Stores AtSlot Half
  Store64 -> Stores AtSlot Full
  Store8 -> StoresNarrow OneByte
  Store16 -> StoresNarrow TwoBytes
  StoreAt32 -> Stores AtConstant Half
  StoreAt64 -> Stores AtConstant Full
  CountPages -> CountsPages
  Add32 -> Operates Add Half OfSlot
  Sub32 -> Operates Sub Half OfSlot
  Mul32 -> Operates Mul Half OfSlot
  And32 -> Operates And Half OfSlot
  Or32 -> Operates Or Half OfSlot
  Xor32 -> Operates Xor Half OfSlot
  Shl32 -> Operates Shl Half OfSlot
  ShrS32 -> Operates ShrS Half OfSlot
  ShrU32 -> Operates ShrU Half OfSlot
  Rotl32 -> Operates Rotl Half OfSlot
  Rotr32 -> Operates Rotr Half OfSlot
  AddI32 -> Operates Add Half OfConstant
  MulI32 -> Operates Mul Half OfConstant
  AndI32 -> Operates And Half OfConstant
  OrI32 -> Operates Or Half OfConstant
  XorI32 -> Operates Xor Half OfConstant
  ShlI32 -> Operates Shl Half OfConstant
  ShrSI32 -> Operates ShrS Half OfConstant
  ShrUI32 -> Operates ShrU Half OfConstant
  RotlI32 -> Operates Rotl Half OfConstant
  RotrI32 -> Operates Rotr Half OfConstant
  DivS32 -> Divides WithSign Quotient Half
  DivU32 -> Divides WithoutSign Quotient Half
  RemS32 -> Divides WithSign Remainder Half
  RemU32 -> Divides WithoutSign Remainder Half
  Clz32 -> CountsLeading Half
  Ctz32 -> CountsTrailing Half
  Extend8S32 -> Extends OneByte Half
  Extend16S32 -> Extends TwoBytes Half
  Eq32 -> Compares Eq Half OfSlot (integers JumpEq32 Ne32 JumpNe32 Straight)
  Ne32 -> Compares Ne Half OfSlot (integers JumpNe32 Eq32 JumpEq32 Straight)
  LtS32 -> Compares LtS Half OfSlot (integers JumpLtS32 LeS32 JumpLeS32 Swapped)
  LtU32 -> Compares LtU Half OfSlot (integers JumpLtU32 LeU32 JumpLeU32 Swapped)
  LeS32 -> Compares LeS Half OfSlot (integers JumpLeS32 LtS32 JumpLtS32 Swapped)
  LeU32 -> Compares LeU Half OfSlot (integers JumpLeU32 LtU32 JumpLtU32 Swapped)
  EqI32 -> Compares Eq Half OfConstant (integers JumpEqI32 NeI32 JumpNeI32 Straight)
  NeI32 -> Compares Ne Half OfConstant (integers JumpNeI32 EqI32 JumpEqI32 Straight)
  LtSI32 -> Compares LtS Half OfConstant (integers JumpLtSI32 GeSI32 JumpGeSI32 Straight)
  LtUI32 -> Compares LtU Half OfConstant (integers JumpLtUI32 GeUI32 JumpGeUI32 Straight)
  GtSI32 -> Compares GtS Half OfConstant (integers JumpGtSI32 LeSI32 JumpLeSI32 Straight)
  GtUI32 -> Compares GtU Half OfConstant (integers JumpGtUI32 LeUI32 JumpLeUI32 Straight)
  LeSI32 -> Compares LeS Half OfConstant (integers JumpLeSI32 GtSI32 JumpGtSI32 Straight)
  LeUI32 -> Compares LeU Half OfConstant (integers JumpLeUI32 GtUI32 JumpGtUI32 Straight)
  GeSI32 -> Compares GeS Half OfConstant (integers JumpGeSI32 LtSI32 JumpLtSI32 Straight)
  GeUI32 -> Compares GeU Half OfConstant (integers JumpGeUI32 LtUI32 JumpLtUI32 Straight)
  JumpEq32 -> JumpsOn Eq Half OfSlot
  JumpNe32 -> JumpsOn Ne Half OfSlot
  JumpLtS32 -> JumpsOn LtS Half OfSlot
  JumpLtU32 -> JumpsOn LtU Half OfSlot
  JumpLeS32 -> JumpsOn LeS Half OfSlot
  JumpLeU32 -> JumpsOn LeU Half OfSlot
  JumpEqI32 -> JumpsOn Eq Half OfConstant
  JumpNeI32 -> JumpsOn Ne Half OfConstant
  JumpLtSI32 -> JumpsOn LtS Half OfConstant
  JumpLtUI32 -> JumpsOn LtU Half OfConstant
  JumpGtSI32 -> JumpsOn GtS Half OfConstant
  JumpGtUI32 -> JumpsOn GtU Half OfConstant
  JumpLeSI32 -> JumpsOn LeS Half OfConstant
  JumpLeUI32 -> JumpsOn LeU Half OfConstant
  JumpGeSI32 -> JumpsOn GeS Half OfConstant
  JumpGeUI32 -> JumpsOn GeU Half OfConstant
  Add64 -> Operates Add Full OfSlot
  Sub64 -> Operates Sub Full OfSlot
  Mul64 -> Operates Mul Full OfSlot
  And64 -> Operates And Full OfSlot
  Or64 -> Operates Or Full OfSlot
  Xor64 -> Operates Xor Full OfSlot
  Shl64 -> Operates Shl Full OfSlot
  ShrS64 -> Operates ShrS Full OfSlot
  ShrU64 -> Operates ShrU Full OfSlot
  Rotl64 -> Operates Rotl Full OfSlot
  Rotr64 -> Operates Rotr Full OfSlot
  AddI64 -> Operates Add Full OfConstant
  MulI64 -> Operates Mul Full OfConstant
  AndI64 -> Operates And Full OfConstant
  OrI64 -> Operates Or Full OfConstant
  XorI64 -> Operates Xor Full OfConstant
  ShlI64 -> Operates Shl Full OfConstant
  ShrSI64 -> Operates ShrS Full OfConstant
  ShrUI64 -> Operates ShrU Full OfConstant
  RotlI64 -> Operates Rotl Full OfConstant
  RotrI64 -> Operates Rotr Full OfConstant
  DivS64 -> Divides WithSign Quotient Full
  DivU64 -> Divides WithoutSign Quotient Full
  RemS64 -> Divides WithSign Remainder Full
  RemU64 -> Divides WithoutSign Remainder Full
  Clz64 -> CountsLeading Full
  Ctz64 -> CountsTrailing Full
  Extend8S64 -> Extends OneByte Full
  Extend16S64 -> Extends TwoBytes Full
  ExtendS64 -> Widens WithSign
  ExtendU64 -> Widens WithoutSign
  Eq64 -> Compares Eq Full OfSlot (integers JumpEq64 Ne64 JumpNe64 Straight)
  Ne64 -> Compares Ne Full OfSlot (integers JumpNe64 Eq64 JumpEq64 Straight)
  LtS64 -> Compares LtS Full OfSlot (integers JumpLtS64 LeS64 JumpLeS64 Swapped)
  LtU64 -> Compares LtU Full OfSlot (integers JumpLtU64 LeU64 JumpLeU64 Swapped)
  LeS64 -> Compares LeS Full OfSlot (integers JumpLeS64 LtS64 JumpLtS64 Swapped)
  LeU64 -> Compares LeU Full OfSlot (integers JumpLeU64 LtU64 JumpLtU64 Swapped)
  EqI64 -> Compares Eq Full OfConstant (integers JumpEqI64 NeI64 JumpNeI64 Straight)
  NeI64 -> Compares Ne Full OfConstant (integers JumpNeI64 EqI64 JumpEqI64 Straight)
  LtSI64 -> Compares LtS Full OfConstant (integers JumpLtSI64 GeSI64 JumpGeSI64 Straight)
  LtUI64 -> Compares LtU Full OfConstant (integers JumpLtUI64 GeUI64 JumpGeUI64 Straight)
  GtSI64 -> Compares GtS Full OfConstant (integers JumpGtSI64 LeSI64 JumpLeSI64 Straight)
  GtUI64 -> Compares GtU Full OfConstant (integers JumpGtUI64 LeUI64 JumpLeUI64 Straight)
  LeSI64 -> Compares LeS Full OfConstant (integers JumpLeSI64 GtSI64 JumpGtSI64 Straight)
  LeUI64 -> Compares LeU Full OfConstant (integers JumpLeUI64 GtUI64 JumpGtUI64 Straight)
  GeSI64 -> Compares GeS Full OfConstant (integers JumpGeSI64 LtSI64 JumpLtSI64 Straight)
  GeUI64 -> Compares GeU Full OfConstant (integers JumpGeUI64 LtUI64 JumpLtUI64 Straight)
  JumpEq64 -> JumpsOn Eq Full OfSlot
  JumpNe64 -> JumpsOn Ne Full OfSlot
  JumpLtS64 -> JumpsOn LtS Full OfSlot
  JumpLtU64 -> JumpsOn LtU Full OfSlot
  JumpLeS64 -> JumpsOn LeS Full OfSlot
  JumpLeU64 -> JumpsOn LeU Full OfSlot
  JumpEqI64 -> JumpsOn Eq Full OfConstant
  JumpNeI64 -> JumpsOn Ne Full OfConstant
  JumpLtSI64 -> JumpsOn LtS Full OfConstant
  JumpLtUI64 -> JumpsOn LtU Full OfConstant
  JumpGtSI64 -> JumpsOn GtS Full OfConstant
  JumpGtUI64 -> JumpsOn GtU Full OfConstant
  JumpLeSI64 -> JumpsOn LeS Full OfConstant
  JumpLeUI64 -> JumpsOn LeU Full OfConstant
  JumpGeSI64 -> JumpsOn GeS Full OfConstant
  JumpGeUI64 -> JumpsOn GeU Full OfConstant
  F32Add -> FloatOperates FloatAdd Half
  F32Sub -> FloatOperates FloatSub Half
  F32Mul -> FloatOperates FloatMul Half
  F32Div -> FloatOperates FloatDiv Half
  F32Sqrt -> FloatRoots Half
  F32Abs -> FloatMasks ClearsSign Half
  F32Neg -> FloatMasks FlipsSign Half
  F32Eq -> FloatCompares FloatEq Half (floats JumpF32Eq JumpF32Ne)
  F32Ne -> FloatCompares FloatNe Half (floats JumpF32Ne JumpF32Eq)
  F32Lt -> FloatCompares FloatLt Half (floats JumpF32Lt JumpF32NotLt)
  F32Le -> FloatCompares FloatLe Half (floats JumpF32Le JumpF32NotLe)
  JumpF32Eq -> FloatJumps FloatEq Half
  JumpF32Ne -> FloatJumps FloatNe Half
  JumpF32Lt -> FloatJumps FloatLt Half
  JumpF32Le -> FloatJumps FloatLe Half
  JumpF32NotLt -> FloatJumps FloatNotLt Half
  JumpF32NotLe -> FloatJumps FloatNotLe Half
  F64Add -> FloatOperates FloatAdd Full
  F64Sub -> FloatOperates FloatSub Full
  F64Mul -> FloatOperates FloatMul Full
  F64Div -> FloatOperates FloatDiv Full
  F64Sqrt -> FloatRoots Full
  F64Abs -> FloatMasks ClearsSign Full
  F64Neg -> FloatMasks FlipsSign Full
  F64Eq -> FloatCompares FloatEq Full (floats JumpF64Eq JumpF64Ne)
  F64Ne -> FloatCompares FloatNe Full (floats JumpF64Ne JumpF64Eq)
  F64Lt -> FloatCompares FloatLt Full (floats JumpF64Lt JumpF64NotLt)
  F64Le -> FloatCompares FloatLe Full (floats JumpF64Le JumpF64NotLe)
  JumpF64Eq -> FloatJumps FloatEq Full
  JumpF64Ne -> FloatJumps FloatNe Full
  JumpF64Lt -> FloatJumps FloatLt Full
  JumpF64Le -> FloatJumps FloatLe Full
  JumpF64NotLt -> FloatJumps FloatNotLt Full
  JumpF64NotLe -> FloatJumps FloatNotLe Full
  F64FromS32 -> FromInteger32 Full WithSign
  F64FromU32 -> FromInteger32 Full WithoutSign
  F32FromS32 -> FromInteger32 Half WithSign
  F32FromU32 -> FromInteger32 Half WithoutSign
  F64FromS64 -> FromInteger64 Full
  F32FromS64 -> FromInteger64 Half
  F64FromF32 -> FloatToFloat Full
  F32FromF64 -> FloatToFloat Half
  Slow -> Slowly
  Simd -> OverVectors Here
  Far -> Distantly
  SimdFar -> OverVectors There
  Canonical32 -> Canonicalises Half
  Canonical64 -> Canonicalises Full
  CanonicalLanes32 -> CanonicalisesLanes Half
  CanonicalLanes64 -> CanonicalisesLanes Full
  Tally -> Tallies
  -- Whoever goes over the bytecode finds the second one after it.
  ShrUI64Xor64 -> meaning ShrUI64
  Const64Mul64 -> meaning Const64
  AddI32JumpIf -> meaning AddI32
  AddI32Load32 -> meaning AddI32
  AddI32JumpNeI32 -> meaning AddI32
  F64MulF64Mul -> meaning F64Mul
  Load32JumpLtS32 -> meaning Load32
  ShlI32AddI32 -> meaning ShlI32
  AddI32Load64 -> meaning AddI32
  Xor64RotlI64 -> meaning Xor64
  Const64Add64 -> meaning Const64
  Add32JumpLtUI32 -> meaning Add32
  Const32Store8 -> meaning Const32
  F64AddStore64 -> meaning F64Add
  F64SubStore64 -> meaning F64Sub

-- * Lengths

-- | How many fields of four bytes come after an instruction's first 16 bytes, given
-- its field c.
wordsAfter :: Meaning -> Int -> Int
wordsAfter m c = case m of
  Driven {} -> 0
  CallsHost -> 0
  TailCallsHost -> 4
  CallsByDriver -> 4
  Switches -> 0
  Gates -> 0
  Enters -> 0
  Stops -> 0
  Tallies -> 0
  Jumps -> 0
  JumpsIf _ -> 0
  JumpsByTable -> c + 1
  Calls Own -> 0
  Calls InTable -> 4
  Calls ByReference -> 0
  TailCalls _ -> 4
  TrapsOnNull -> 0
  Returns -> 0
  ReturnsOne _ -> 0
  Makes _ -> 0
  Copies _ -> 0
  Copies128 -> 0
  Zeroes _ -> 0
  Selects _ -> 4
  Selects128 -> 4
  GetsGlobal _ _ -> 0
  GetsGlobal128 _ -> 0
  SetsGlobal _ _ -> 0
  SetsGlobal128 _ -> 0
  Loads _ _ -> 0
  Stores _ _ -> 0
  StoresNarrow _ -> 0
  Distantly -> 4
  CountsPages -> 0
  Operates {} -> 0
  Divides {} -> 0
  CountsLeading _ -> 0
  CountsTrailing _ -> 0
  Extends _ _ -> 0
  Widens _ -> 0
  Compares {} -> 0
  JumpsOn {} -> 0
  FloatOperates _ _ -> 0
  FloatRoots _ -> 0
  FloatMasks _ _ -> 0
  FloatCompares {} -> 0
  FloatJumps _ _ -> 0
  FromInteger32 _ _ -> 0
  FromInteger64 _ -> 0
  FloatToFloat _ -> 0
  Slowly -> 0
  OverVectors _ -> 4
  Canonicalises _ -> 0
  CanonicalisesLanes _ -> 0

-- * Comparisons

-- | What a comparison becomes: the jump that is taken when it holds; the one that is
-- taken when it fails, and whether the operands change places for it; and the
-- comparison that holds when this one fails, with its operands in the same order as
-- that jump's, if there is one: of a NaN both would fail.
data Branches = Branches
  { branchHolding :: !Op,
    branchFailing :: !Op,
    branchOrder :: !Order,
    branchOpposite :: !(Maybe Op)
  }
  deriving stock (Show)

-- | Whether the operands stay as they are or change places.
data Order = Straight | Swapped
  deriving stock (Eq, Show)

integers :: Op -> Op -> Op -> Order -> Branches
integers holding opposite failing order = Branches holding failing order (Just opposite)

floats :: Op -> Op -> Branches
floats holding failing = Branches holding failing Straight Nothing

-- | What a comparison becomes where it is jumped on; nothing for the other
-- instructions.
branches :: Op -> Maybe Branches
branches op = case meaning op of
  Compares _ _ _ b -> Just b
  FloatCompares _ _ b -> Just b
  _ -> Nothing
