-- | The operators of structures, arrays and small integers.
--
-- The idea: a row for each of them, without a default, which says its number in the
-- binary format, its name in the text format, which indices follow, what it takes from
-- the stack and leaves there, whether a constant expression may have it, and what it may
-- trap with. Both formats, validation's rule for constants, lowering and instances go by it;
-- what the types of the operands must be is in "Tern.Wasm.Valid.Aggregate", and what it does in
-- "Tern.Wasm.Machine.Aggregate", with a case for each.
--
-- Start at 'aggregate'.
module Tern.Wasm.Aggregate
  ( Aggregate (..),
    Row (..),
    aggregate,

    -- * The words of a row
    Indices (..),
    Index2 (..),
    Operand (..),
    Doing (..),

    -- * By number and by name
    aggregateAt,
    aggregateNamed,
  )
where

import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Tern.Wasm.Trap (Trap (..))

-- | The instructions after the prefix 0xFB, but for tests and casts of references and branches
-- on casts.
data Aggregate
  = StructNew
  | StructNewDefault
  | StructGet
  | StructGetS
  | StructGetU
  | StructSet
  | ArrayNew
  | ArrayNewDefault
  | ArrayNewFixed
  | ArrayNewData
  | ArrayNewElem
  | ArrayGet
  | ArrayGetS
  | ArrayGetU
  | ArraySet
  | ArrayLen
  | ArrayFill
  | ArrayCopy
  | ArrayInitData
  | ArrayInitElem
  | AnyConvertExtern
  | ExternConvertAny
  | RefI31
  | I31GetS
  | I31GetU
  deriving stock (Bounded, Enum, Eq, Show)

-- | What is known of one operator, in the words below.
data Row = Row
  { -- | The number after the prefix 0xFB.
    rowCode :: !Int,
    -- | The name in the text format.
    rowText :: !String,
    rowIndices :: !Indices,
    -- | The operands, the first below the others.
    rowTakes :: ![Operand],
    rowLeaves :: ![Operand],
    rowDoing :: !Doing,
    -- | Whether a constant expression may have it.
    rowConstant :: !Bool,
    -- | With what it may trap: for each there are operands with which it does.
    rowTraps :: ![Trap]
  }

-- | Which indices follow.
data Indices
  = NoIndex
  | -- | Of the operand's type.
    TypeIndex
  | TypeAnd !Index2

-- | What the second index is of.
data Index2 = OfField | OfCount | OfType | OfData | OfElem

-- | Operands and results, by the instruction's indices.
data Operand
  = Reference
  | Int32
  | -- | A value for each of the structure's fields.
    EachField
  | -- | A value for the second index's field.
    OneField
  | -- | A value for an element of the array.
    Element
  | -- | As many of them as the second index says.
    Elements

-- | Whether there is anything to do, or the same bits are of another type afterwards.
data Doing = Done | NothingDone

-- | An operator's row.
--
-- >>> rowText (aggregate ArrayLen)
-- "array.len"
aggregate :: Aggregate -> Row
aggregate = \case
  StructNew -> Row 0 "struct.new" TypeIndex [EachField] [Reference] Done True []
  StructNewDefault -> Row 1 "struct.new_default" TypeIndex [] [Reference] Done True []
  StructGet -> Row 2 "struct.get" (TypeAnd OfField) [Reference] [OneField] Done False ofNull
  StructGetS -> Row 3 "struct.get_s" (TypeAnd OfField) [Reference] [OneField] Done False ofNull
  StructGetU -> Row 4 "struct.get_u" (TypeAnd OfField) [Reference] [OneField] Done False ofNull
  StructSet -> Row 5 "struct.set" (TypeAnd OfField) [Reference, OneField] [] Done False ofNull
  ArrayNew -> Row 6 "array.new" TypeIndex [Element, Int32] [Reference] Done True []
  ArrayNewDefault -> Row 7 "array.new_default" TypeIndex [Int32] [Reference] Done True []
  ArrayNewFixed -> Row 8 "array.new_fixed" (TypeAnd OfCount) [Elements] [Reference] Done True []
  ArrayNewData ->
    Row 9 "array.new_data" (TypeAnd OfData) [Int32, Int32] [Reference] Done False ofData
  ArrayNewElem ->
    Row 10 "array.new_elem" (TypeAnd OfElem) [Int32, Int32] [Reference] Done False ofElem
  ArrayGet -> Row 11 "array.get" TypeIndex [Reference, Int32] [Element] Done False outside
  ArrayGetS -> Row 12 "array.get_s" TypeIndex [Reference, Int32] [Element] Done False outside
  ArrayGetU -> Row 13 "array.get_u" TypeIndex [Reference, Int32] [Element] Done False outside
  ArraySet -> Row 14 "array.set" TypeIndex [Reference, Int32, Element] [] Done False outside
  ArrayLen -> Row 15 "array.len" NoIndex [Reference] [Int32] Done False ofNull
  ArrayFill ->
    Row 16 "array.fill" TypeIndex [Reference, Int32, Element, Int32] [] Done False outside
  ArrayCopy ->
    Row
      17
      "array.copy"
      (TypeAnd OfType)
      [Reference, Int32, Reference, Int32, Int32]
      []
      Done
      False
      outside
  ArrayInitData ->
    Row
      18
      "array.init_data"
      (TypeAnd OfData)
      [Reference, Int32, Int32, Int32]
      []
      Done
      False
      (ofData <> outside)
  ArrayInitElem ->
    Row
      19
      "array.init_elem"
      (TypeAnd OfElem)
      [Reference, Int32, Int32, Int32]
      []
      Done
      False
      (ofElem <> outside)
  AnyConvertExtern ->
    Row 26 "any.convert_extern" NoIndex [Reference] [Reference] NothingDone True []
  ExternConvertAny ->
    Row 27 "extern.convert_any" NoIndex [Reference] [Reference] NothingDone True []
  RefI31 -> Row 28 "ref.i31" NoIndex [Int32] [Reference] Done True []
  I31GetS -> Row 29 "i31.get_s" NoIndex [Reference] [Int32] Done False ofNull
  I31GetU -> Row 30 "i31.get_u" NoIndex [Reference] [Int32] Done False ofNull
  where
    ofNull = [NullReference]
    outside = [NullReference, OutOfBoundsArray]
    ofData = [OutOfBoundsMemory]
    ofElem = [OutOfBoundsTable]

-- | By the number after the prefix 0xFB.
--
-- >>> aggregateAt 15
-- Just ArrayLen
aggregateAt :: Int -> Maybe Aggregate
aggregateAt code = Map.lookup code codes

-- | By the name in the text format.
aggregateNamed :: String -> Maybe Aggregate
aggregateNamed name = Map.lookup name names

codes :: Map Int Aggregate
codes = Map.fromList [(rowCode (aggregate a), a) | a <- [minBound ..]]

names :: Map String Aggregate
names = Map.fromList [(rowText (aggregate a), a) | a <- [minBound ..]]
