-- | Why something did not work, as the front door says it.
--
-- The idea: one type over the errors of all phases, with the words for people beside it.
--
-- Start at 'Error'.
module Tern.Wasm.Refusal
  ( Error (..),
    renderError,
    errorTrace,
    renderPlace,
    stopped,
    finished,
  )
where

import Data.Bifunctor (first)
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Wasm.Error
import Tern.Wasm.Machine (Stop, Suspended)
import Tern.Wasm.Machine qualified as Machine
import Tern.Wasm.Machine.Unwind (TraceEntry (..))
import Tern.Wasm.Store (Tag)
import Tern.Wasm.Syntax (FuncType (..), ValType)
import Tern.Wasm.Value (Value, valueType)

-- | Why something did not work, by the specification's phases.
data Error
  = MalformedModule !Malformed
  | -- | A text that is no module: line and column, and what was expected.
    MalformedText !Text
  | InvalidModule !Invalid
  | UnlinkableModule !Unlinkable
  | -- | More than the store's settings allow, all told.
    TooLarge
  | -- | With the innermost functions, those that were called last before.
    Trapped !Trap ![TraceEntry]
  | Exhausted !Exhaustion ![TraceEntry]
  | -- | An exception that nothing caught, and its values.
    UncaughtException !Tag ![Value] ![TraceEntry]
  | -- | The fuel is used up; see @continue@.
    OutOfFuel !Suspended
  | -- | A suspended call that has gone on before: @continue@ once.
    AlreadyContinued
  | -- | There is no export of the kind with this name.
    NoExport !Text
  | -- | The arguments do not have the function's types.
    ArgumentsDiffer ![ValType] ![ValType]
  | -- | The export has another type than it was asked for with: the one that was
    -- asked for, and its own.
    ExportDiffers !Text !FuncType !FuncType
  | -- | A value or an object of another store.
    OtherStore

-- | The error in one line.
renderError :: Error -> Text
renderError = \case
  MalformedModule e -> renderMalformed e
  MalformedText e -> T.pack "malformed text: " <> e
  InvalidModule e -> renderInvalid e
  UnlinkableModule e -> renderUnlinkable e
  TooLarge -> T.pack "the module needs more memory, tables or other room than the store is allowed"
  Trapped t _ -> T.pack "trap: " <> renderTrap t
  Exhausted e _ -> renderExhaustion e
  UncaughtException _ values _ ->
    T.pack "an exception with values of types "
      <> renderTypes (map valueType values)
      <> T.pack " was not caught"
  OutOfFuel _ -> renderExhaustion FuelExhausted
  AlreadyContinued -> T.pack "a suspended call has gone on before, and cannot a second time"
  NoExport name ->
    T.concat [T.pack "there is no export \"", renderName name, T.pack "\" of that kind"]
  ArgumentsDiffer expected given ->
    T.concat
      [ T.pack
          "the function takes ",
        renderTypes expected,
        T.pack ", was given ",
        renderTypes given
      ]
  ExportDiffers name wanted found ->
    T.concat
      [ T.pack
          "the export \"",
        renderName name,
        T.pack "\" is a function ",
        arrow found,
        T.pack ", not ",
        arrow wanted
      ]
  OtherStore -> T.pack "a value belongs to another store"
  where
    arrow (FuncType ps rs) = T.concat [renderTypes ps, T.pack " -> ", renderTypes rs]

-- | Where a computation was when it stopped, innermost first.
errorTrace :: Error -> [TraceEntry]
errorTrace = \case
  Trapped _ places -> places
  Exhausted _ places -> places
  UncaughtException _ _ places -> places
  _ -> []

-- | A place in one line: the function's name or index, and the instruction's
-- offset in the module.
renderPlace :: TraceEntry -> Text
renderPlace (TraceEntry x name offset) =
  T.concat
    [ maybe
        (T.pack ("function " <> show x))
        ( \n ->
            T.concat [renderName n, T.pack (" (function " <> show x <> ")")]
        )
        name,
      maybe T.empty (\o -> T.pack (" at byte " <> show o)) offset
    ]

-- | Why a call stopped.
stopped :: Stop -> Error
stopped = \case
  Machine.Trapped t places -> Trapped t places
  Machine.Exhausted e places -> Exhausted e places
  Machine.OutOfFuel s -> OutOfFuel s
  Machine.Spent -> AlreadyContinued
  Machine.Uncaught tag values places -> UncaughtException tag values places

-- | What came of a call.
finished :: Either Stop a -> Either Error a
finished = first stopped
