{-# LANGUAGE OverloadedStrings #-}

-- | Why a module was refused or a computation stopped, by the specification's
-- phases: malformed, invalid, unlinkable, trap, exhaustion.
--
-- Errors are data with the place where they arose; prose is made by the
-- @render@ functions alone.
module Tern.Wasm.Error
  ( -- * Names
    renderName,
    renderForeign,

    -- * Decoding
    Malformed (..),
    MalformedReason (..),
    renderMalformed,

    -- * Validation
    Invalid (..),
    InvalidPlace (..),
    InvalidReason (..),
    renderInvalid,
    renderTypes,
    renderRef,
    renderHeap,

    -- * Instantiation
    Unlinkable (..),
    UnlinkableReason (..),
    renderUnlinkable,

    -- * Execution
    Trap (..),
    Exhaustion (..),
    renderTrap,
    renderExhaustion,
  )
where

import Data.Char (isPrint)
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Wasm.Syntax (HeapType (..), Index, RefType (..), ValType (..))
import Tern.Wasm.Trap (Trap (..), renderTrap)

-- * Names

-- | A name that a module chose, for people: what a terminal would obey, or a reader would
-- not see, is a question mark, and it is cut.
--
-- > renderName "f\ESC[2J" == "f?[2J"
renderName :: Text -> Text
renderName = renderForeign 200

-- | The first @n@ characters of what a stranger wrote, likewise: on one line.
--
-- > renderForeign 4 "a\nb\ESCc" == "a?b?"
renderForeign :: Int -> Text -> Text
renderForeign n = T.map (\c -> if isPrint c then c else '?') . T.take n

-- * Decoding

-- | Bytes that are no module.
data Malformed = Malformed
  { -- | Bytes from the start of the module.
    malformedOffset :: !Int,
    malformedReason :: !MalformedReason
  }
  deriving stock (Eq, Show)

-- | What is wrong with the bytes (WebAssembly core, chapter 5).
data MalformedReason
  = UnexpectedEnd
  | -- | The first four bytes are not @\\0asm@.
    NotAModule
  | -- | The version is not 1.
    UnknownVersion
  | -- | More bytes than its type can have.
    IntegerTooLong
  | -- | More bits than its type has.
    IntegerTooLarge
  | InvalidUtf8
  | UnknownSection !Int
  | -- | A section a second time or out of its order.
    UnexpectedSection !Int
  | -- | A section or a body that does not end where its size says.
    SizeMismatch
  | -- | Where one of a few bytes must stand: what, and what stands there.
    UnknownByte !Text !Int
  | UnknownOpcode !Int
  | -- | More than 2^32 - 1 locals.
    TooManyLocals
  | -- | Functions declared and bodies given differ in number.
    FunctionsAndBodiesDiffer
  | DataCountAndSegmentsDiffer
  | -- | An instruction speaks of data segments, without a data count.
    DataCountMissing
  | ElseWithoutIf
  deriving stock (Eq, Show)

-- | On one line, with the byte offset from the beginning of the module.
renderMalformed :: Malformed -> Text
renderMalformed (Malformed offset reason) =
  T.concat ["malformed module at byte ", shown offset, ": ", text]
  where
    text = case reason of
      UnexpectedEnd -> "the input ends too early"
      NotAModule -> "expected the magic bytes 00 61 73 6d (is this a text or a component file?)"
      UnknownVersion -> "expected version 1"
      IntegerTooLong -> "an integer takes more bytes than its type allows"
      IntegerTooLarge -> "an integer has more bits than its type"
      InvalidUtf8 -> "a name is not UTF-8"
      UnknownSection n -> "unknown section " <> shown n
      UnexpectedSection n -> T.concat ["section ", shown n, " stands twice or out of order"]
      SizeMismatch -> "a section or body does not end where its size says"
      UnknownByte what n -> T.concat ["expected ", what, ", found byte ", shown n]
      UnknownOpcode n -> "unknown instruction " <> shown n
      TooManyLocals -> "too many locals"
      FunctionsAndBodiesDiffer -> "the number of functions and of bodies differ"
      DataCountAndSegmentsDiffer -> "the data count and the number of data segments differ"
      DataCountMissing -> "an instruction needs a data count section, and there is none"
      ElseWithoutIf -> "an else that belongs to no if"

-- * Validation

-- | A module that decodes and means nothing.
data Invalid = Invalid {invalidPlace :: !InvalidPlace, invalidReason :: !InvalidReason}
  deriving stock (Eq, Show)

-- | Where in a module something has no meaning.
data InvalidPlace
  = -- | In a function's body: its index, and the byte offset of the instruction.
    InFunction !Index !Int
  | -- | In a part of the module outside of bodies, by name and index.
    InPart !Text !Index
  deriving stock (Eq, Show)

-- | Which rule of validation is broken (WebAssembly core, chapter 3).
data InvalidReason
  = -- | What is unknown, and the index that has none.
    Unknown !Text !Index
  | -- | What should be on top of the stack, and what is (@Nothing@: any type, or
    -- the bottom of the block).
    TypeMismatch ![ValType] ![Maybe ValType]
  | -- | Operands are left over, or missing, at the end of a block.
    StackHeight
  | -- | An alignment beyond the natural one.
    AlignmentTooLarge
  | ImmutableGlobal !Index
  | NotConstant
  | -- | Minimum above maximum, or above what can be addressed.
    BadLimits
  | DuplicateExport !Text
  | MultipleMemories
  | BadStartType
  | BadLane
  | -- | A reference to a function that is not declared anywhere else.
    UndeclaredReference !Index
  | -- | The labels of a branch table differ in arity.
    LabelsDiffer
  | -- | A @select@ without a type on operands that are not numbers.
    SelectNeedsType
  | -- | A typed @select@ with other than one type.
    BadArity
  | -- | A local that has no value yet, and may have none.
    LocalNotSet !Index
  | -- | A type below one that is final, or that it does not match.
    BadSuper !Index
  | -- | A type of another kind than the instruction is for: which, and for what.
    WrongType !Index !Text
  | ImmutableField !Index
  | -- | An offset beyond what addresses the memory.
    OffsetTooLarge
  | -- | The types of a cast that cannot be one.
    BadCast !RefType !RefType
  | -- | A table whose elements must have a value, and have none.
    TableNotSet
  | -- | More than this implementation allows of something, and how many it allows.
    BeyondLimit !Text !Int
  deriving stock (Eq, Show)

-- | On one line, with the function and the byte offset of its instruction, or the part of the
-- module.
renderInvalid :: Invalid -> Text
renderInvalid (Invalid place reason) = T.concat ["invalid module, ", at, ": ", text]
  where
    at = case place of
      InFunction x offset -> T.concat ["function ", shown x, ", instruction at byte ", shown offset]
      InPart name x -> T.concat [name, " ", shown x]
    text = case reason of
      Unknown what x -> T.concat ["unknown ", what, " ", shown x]
      TypeMismatch expected found ->
        T.concat
          [ "type mismatch: expected ",
            renderTypes expected,
            ", found [",
            T.intercalate " " (map (maybe "any" valType) found),
            "]"
          ]
      StackHeight -> "type mismatch: the block does not end with just its results"
      AlignmentTooLarge -> "the alignment is larger than the natural one"
      ImmutableGlobal x -> T.concat ["global ", shown x, " is immutable"]
      NotConstant -> "a constant expression is required"
      BadLimits -> "the limits are out of range, or the minimum is above the maximum"
      DuplicateExport name -> T.concat ["the export name \"", renderName name, "\" stands twice"]
      MultipleMemories -> "more than one memory"
      BadStartType -> "the start function must take and return nothing"
      BadLane -> "the lane is out of range"
      UndeclaredReference x ->
        T.concat ["function ", shown x, " is referenced but not declared for it"]
      LabelsDiffer -> "type mismatch: the labels of br_table differ in arity"
      SelectNeedsType -> "type mismatch: select without a type takes numbers or vectors"
      BadArity -> "select takes exactly one type"
      LocalNotSet x -> T.concat ["local ", shown x, " is not set yet"]
      BadSuper x -> T.concat ["type ", shown x, " is final or does not match"]
      WrongType x what -> T.concat ["type ", shown x, " is no ", what]
      ImmutableField x -> T.concat ["field ", shown x, " is immutable"]
      OffsetTooLarge -> "the offset is out of range"
      BadCast from to ->
        T.concat ["type mismatch: a cast from ", renderRef from, " to ", renderRef to]
      TableNotSet -> "type mismatch: the table's elements need a value"
      BeyondLimit what n ->
        T.concat ["more than the ", shown n, " ", what, " that this implementation allows"]

-- | A row of types, in brackets.
renderTypes :: [ValType] -> Text
renderTypes ts = T.concat ["[", T.unwords (map valType ts), "]"]

valType :: ValType -> Text
valType = \case
  I32 -> "i32"
  I64 -> "i64"
  F32 -> "f32"
  F64 -> "f64"
  V128 -> "v128"
  Ref r -> renderRef r

-- | A reference's type, by its short name where it has one.
renderRef :: RefType -> Text
renderRef = \case
  RefType True h
    | Just short <- abbreviation h -> short
    | otherwise -> T.concat ["(ref null ", renderHeap h, ")"]
  RefType False h -> T.concat ["(ref ", renderHeap h, ")"]
  where
    abbreviation = \case
      Defined _ -> Nothing
      BottomHeap -> Nothing
      NoneHeap -> Just "nullref"
      NoFuncHeap -> Just "nullfuncref"
      NoExternHeap -> Just "nullexternref"
      NoExnHeap -> Just "nullexnref"
      h -> Just (renderHeap h <> "ref")

-- | As the text format has it; a defined type by its index.
renderHeap :: HeapType -> Text
renderHeap = \case
  AnyHeap -> "any"
  EqHeap -> "eq"
  I31Heap -> "i31"
  StructHeap -> "struct"
  ArrayHeap -> "array"
  NoneHeap -> "none"
  FuncHeap -> "func"
  NoFuncHeap -> "nofunc"
  ExternHeap -> "extern"
  NoExternHeap -> "noextern"
  ExnHeap -> "exn"
  NoExnHeap -> "noexn"
  Defined x -> shown x
  BottomHeap -> "bot"

-- * Instantiation

-- | An import that is not there or has another type.
data Unlinkable = Unlinkable
  { unlinkableModule :: !Text,
    unlinkableName :: !Text,
    unlinkableReason :: !UnlinkableReason
  }
  deriving stock (Eq, Show)

-- | Why a module cannot be instantiated with what it is given (WebAssembly core, section 4.5.4).
data UnlinkableReason
  = UnknownImport
  | IncompatibleImport
  | -- | By the first edition's rules; the names are empty.
    SegmentDoesNotFit
  deriving stock (Eq, Show)

-- | On one line, with both names of the import.
renderUnlinkable :: Unlinkable -> Text
renderUnlinkable (Unlinkable _ _ SegmentDoesNotFit) = "unlinkable: a segment does not fit"
renderUnlinkable (Unlinkable m name reason) =
  T.concat ["unlinkable: import \"", renderName m, "\" \"", renderName name, "\" ", text]
  where
    text = case reason of
      UnknownImport -> "is not provided"
      _ -> "is provided with another type"

-- * Execution

-- | What of its allowance a call has used up. No trap: code cannot catch it, and a call whose fuel
-- or time has run out can be gone on with.
data Exhaustion
  = StackExhausted
  | FuelExhausted
  | TimeExhausted
  | -- | Structures, arrays and exceptions beyond the store's settings.
    HeapExhausted
  deriving stock (Eq, Show)

-- | In the words of the official scripts, where they have some.
renderExhaustion :: Exhaustion -> Text
renderExhaustion = \case
  StackExhausted -> "call stack exhausted"
  FuelExhausted -> "fuel exhausted"
  TimeExhausted -> "time limit exceeded"
  HeapExhausted -> "heap exhausted"

shown :: Int -> Text
shown = T.pack . show
