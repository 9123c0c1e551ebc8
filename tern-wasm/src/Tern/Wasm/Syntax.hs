-- | The abstract syntax of WebAssembly 3.0, under the specification's names.
--
-- The idea: a module is what its sections say, and a function's body stays a
-- slice of the module's bytes ('Expr') whose instructions are read one at a
-- time when somebody needs them. Validation and lowering each walk the bytes
-- once, so no tree of instructions is ever built.
--
-- Start at 'Module' and 'Instr'. One-letter names in this package:
--
-- > x : index   t : value type   ft : function type   e : expression
-- > i : instruction   m : module   n, k : counts
module Tern.Wasm.Syntax
  ( -- * Types
    module Tern.Wasm.Type,
    AddressType (..),
    Limits (..),
    GlobalType (..),
    TableType (..),
    MemoryType (..),
    BlockType (..),

    -- * Modules
    Index,
    Module (..),
    Import (..),
    ImportDesc (..),
    Func (..),
    Functions (..),
    noFunctions,
    functionList,
    Table (..),
    Global (..),
    Export (..),
    ExportDesc (..),
    Elem (..),
    ElemMode (..),
    Data (..),
    DataMode (..),
    Custom (..),

    -- * Instructions
    Expr (..),
    MemArg (..),
    Catch (..),
    CatchKind (..),
    Instr (..),
    Nesting (..),
    nesting,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Int (Int32, Int64)
import Data.Text (Text)
import Data.Vector (Vector)
import Data.Word (Word32, Word64, Word8)
import Tern.Wasm.Aggregate (Aggregate)
import Tern.Wasm.Opcode (AccessOp, ScalarOp, VectorOp)
import Tern.Wasm.Type

-- * Types

-- | What addresses a memory or a table: 32 or 64 bits.
data AddressType = Address32 | Address64
  deriving stock (Eq, Ord, Show)

-- | In pages of 64 KiB, or in table elements.
data Limits = Limits {limitMin :: !Word64, limitMax :: !(Maybe Word64)}
  deriving stock (Eq, Ord, Show)

-- | A global variable's.
data GlobalType = GlobalType {globalMut :: !Mut, globalValue :: !ValType}
  deriving stock (Eq, Ord, Show)

-- | A table's: how it is addressed, how many elements it has, and which.
data TableType = TableType
  { tableAddress ::
      !AddressType,
    tableLimits :: !Limits,
    tableRef :: !RefType
  }
  deriving stock (Eq, Ord, Show)

-- | A memory's: how it is addressed, and how many pages it has.
data MemoryType = MemoryType {memoryAddress :: !AddressType, memoryLimits :: !Limits}
  deriving stock (Eq, Ord, Show)

-- | The type of a block: none, one result, or an index of a function type.
data BlockType
  = BlockNone
  | BlockValue !ValType
  | BlockIndex !Index
  deriving stock (Eq, Ord, Show)

-- * Modules

-- | An index into one of the module's index spaces, imports first.
type Index = Int

-- | A module as it was decoded (WebAssembly core, section 2.5). Bodies stay bytes until they are
-- asked for.
data Module = Module
  { -- | Groups of types that may refer to each other; one index space.
    moduleTypes :: !(Vector [SubType]),
    moduleImports :: !(Vector Import),
    moduleFuncs :: !Functions,
    moduleTables :: !(Vector Table),
    moduleMems :: !(Vector MemoryType),
    -- | The function type of each exception tag.
    moduleTags :: !(Vector Index),
    moduleGlobals :: !(Vector Global),
    moduleExports :: !(Vector Export),
    moduleStart :: !(Maybe Index),
    moduleElems :: !(Vector Elem),
    moduleDatas :: !(Vector Data),
    moduleDataCount :: !(Maybe Int),
    moduleCustoms :: ![Custom]
  }

-- | Both names of what is asked for, and its type.
data Import = Import {importModule :: !Text, importName :: !Text, importDesc :: !ImportDesc}
  deriving stock (Eq, Show)

-- | What is asked for: functions and tags by the index of their type.
data ImportDesc
  = ImportFunc !Index
  | ImportTable !TableType
  | ImportMem !MemoryType
  | ImportGlobal !GlobalType
  | ImportTag !Index
  deriving stock (Eq, Show)

-- | A function of the module: its type, its locals in runs of one type, and its
-- body.
data Func = Func {funcType :: !Index, funcLocals :: ![(Int, ValType)], funcBody :: !Expr}

-- | A module's own functions by their number among them, from 0. They are read from the
-- module's bytes when they are asked for: there may be a million of a few bytes each,
-- and as objects these would take many times as much.
data Functions = Functions
  { functionCount :: !Int,
    -- | The type of one that is there.
    functionTypeAt :: !(Int -> Index),
    functionAt :: !(Int -> Func)
  }

-- | Those of a module that has none of its own.
noFunctions :: Functions
noFunctions = Functions 0 (const 0) (const (Func 0 [] (Expr 0 B.empty)))

-- | All of them with their numbers.
functionList :: Functions -> [(Int, Func)]
functionList fs = [(k, functionAt fs k) | k <- [0 .. functionCount fs - 1]]

-- | A table and what its elements are at first, unless that is null.
data Table = Table {tableType :: !TableType, tableInit :: !(Maybe Expr)}

-- | A global and what it holds at first.
data Global = Global {globalType :: !GlobalType, globalInit :: !Expr}

-- | What others see under a name.
data Export = Export {exportName :: !Text, exportDesc :: !ExportDesc}
  deriving stock (Eq, Show)

-- | What is exported, by its index.
data ExportDesc
  = ExportFunc !Index
  | ExportTable !Index
  | ExportMem !Index
  | ExportGlobal !Index
  | ExportTag !Index
  deriving stock (Eq, Ord, Show)

-- | References for tables.
data Elem = Elem {elemType :: !RefType, elemInit :: !(Vector Expr), elemMode :: !ElemMode}

-- | Kept for instructions, put into a table from an index on, or only named as ones whose reference
-- is taken.
data ElemMode = ElemPassive | ElemActive !Index !Expr | ElemDeclarative

-- | Bytes for memories.
data Data = Data {dataInit :: !ByteString, dataMode :: !DataMode}

-- | Kept for instructions, or put into a memory from an address on.
data DataMode = DataPassive | DataActive !Index !Expr

-- | A section that means nothing to the engine: its name, and its bytes after that.
data Custom = Custom {customName :: !Text, customBytes :: !ByteString}

-- * Instructions

-- | The bytes of an expression, its final @end@ included, and where in the
-- module they stand. An element that was written as a bare function index has
-- no bytes of its own.
data Expr
  = Expr {exprOffset :: !Int, exprBytes :: !ByteString}
  | ExprFunc !Index

-- | Alignment as a power of two, the memory, and the constant offset.
data MemArg = MemArg {memAlign :: !Int, memIndex :: !Index, memOffset :: !Word64}
  deriving stock (Eq, Show)

-- | What a block catches and where it goes on: with the exception's values, and
-- then with a reference to it, if so.
data Catch = Catch !CatchKind !Index
  deriving stock (Eq, Show)

-- | Exceptions of a tag or all, and whether a reference comes after the values.
data CatchKind = CatchTag !Bool !Index | CatchAll !Bool
  deriving stock (Eq, Show)

-- | One instruction. Blocks are flat: 'Block', 'Loop' and 'If' open one, 'Else'
-- divides it, 'End' closes it and, at the outermost level, the body.
data Instr
  = Unreachable
  | Nop
  | Block !BlockType
  | Loop !BlockType
  | If !BlockType
  | Else
  | End
  | Br !Index
  | BrIf !Index
  | BrTable ![Index] !Index
  | Return
  | Call !Index
  | -- | Table, type.
    CallIndirect !Index !Index
  | ReturnCall !Index
  | ReturnCallIndirect !Index !Index
  | CallRef !Index
  | ReturnCallRef !Index
  | TryTable !BlockType ![Catch]
  | Throw !Index
  | ThrowRef
  | BrOnNull !Index
  | BrOnNonNull !Index
  | -- | Whether the branch is taken when the cast fails; the label, and the types
    -- before and after.
    BrOnCast !Bool !Index !RefType !RefType
  | Drop
  | Select
  | SelectT ![ValType]
  | LocalGet !Index
  | LocalSet !Index
  | LocalTee !Index
  | GlobalGet !Index
  | GlobalSet !Index
  | TableGet !Index
  | TableSet !Index
  | MemorySize !Index
  | MemoryGrow !Index
  | I32Const !Int32
  | I64Const !Int64
  | F32Const !Word32
  | F64Const !Word64
  | RefNull !HeapType
  | RefIsNull
  | RefFunc !Index
  | RefEq
  | RefAsNonNull
  | RefTest !RefType
  | RefCast !RefType
  | -- | Segment, memory.
    MemoryInit !Index !Index
  | DataDrop !Index
  | -- | To, from.
    MemoryCopy !Index !Index
  | MemoryFill !Index
  | -- | Table, segment.
    TableInit !Index !Index
  | ElemDrop !Index
  | -- | To, from.
    TableCopy !Index !Index
  | TableGrow !Index
  | TableSize !Index
  | TableFill !Index
  | -- | What is done with structures, arrays and small integers, and up to two
    -- indices.
    Aggregate !Aggregate !Index !Index
  | -- | An operator of numbers.
    Plain !ScalarOp
  | -- | A load or a store of a number.
    Access !AccessOp !MemArg
  | -- | An operator of vectors: what has no immediate.
    Vector !VectorOp
  | -- | A load or a store of a vector.
    VectorAccess !VectorOp !MemArg
  | -- | A load or a store of one lane.
    VectorAccessLane !VectorOp !MemArg !Word8
  | -- | A lane taken out or put in.
    VectorLane !VectorOp !Word8
  | -- | With 16 bytes, the low and the high half: a constant or a choice of lanes.
    VectorBytes !VectorOp !Word64 !Word64
  deriving stock (Eq, Show)

-- | What an instruction is to the blocks that it stands in.
data Nesting
  = Opens
  | -- | What it opens may be divided.
    OpensTwo
  | Divides
  | Closes
  | Within
  deriving stock (Eq, Show)

-- | What an instruction does to the blocks around what follows it.
nesting :: Instr -> Nesting
nesting = \case
  Unreachable -> Within
  Nop -> Within
  Block _ -> Opens
  Loop _ -> Opens
  If _ -> OpensTwo
  Else -> Divides
  End -> Closes
  Br _ -> Within
  BrIf _ -> Within
  BrTable _ _ -> Within
  Return -> Within
  Call _ -> Within
  CallIndirect _ _ -> Within
  ReturnCall _ -> Within
  ReturnCallIndirect _ _ -> Within
  CallRef _ -> Within
  ReturnCallRef _ -> Within
  TryTable _ _ -> Opens
  Throw _ -> Within
  ThrowRef -> Within
  BrOnNull _ -> Within
  BrOnNonNull _ -> Within
  BrOnCast {} -> Within
  Drop -> Within
  Select -> Within
  SelectT _ -> Within
  LocalGet _ -> Within
  LocalSet _ -> Within
  LocalTee _ -> Within
  GlobalGet _ -> Within
  GlobalSet _ -> Within
  TableGet _ -> Within
  TableSet _ -> Within
  MemorySize _ -> Within
  MemoryGrow _ -> Within
  I32Const _ -> Within
  I64Const _ -> Within
  F32Const _ -> Within
  F64Const _ -> Within
  RefNull _ -> Within
  RefIsNull -> Within
  RefFunc _ -> Within
  RefEq -> Within
  RefAsNonNull -> Within
  RefTest _ -> Within
  RefCast _ -> Within
  MemoryInit _ _ -> Within
  DataDrop _ -> Within
  MemoryCopy _ _ -> Within
  MemoryFill _ -> Within
  TableInit _ _ -> Within
  ElemDrop _ -> Within
  TableCopy _ _ -> Within
  TableGrow _ -> Within
  TableSize _ -> Within
  TableFill _ -> Within
  Aggregate {} -> Within
  Plain _ -> Within
  Access _ _ -> Within
  Vector _ -> Within
  VectorAccess _ _ -> Within
  VectorAccessLane {} -> Within
  VectorLane _ _ -> Within
  VectorBytes {} -> Within
