-- | Loads and stores of memories that no register holds, as native code has them: those
-- after the first, and those with 64-bit addresses.
--
-- The idea: what each of them means is said here once; "Tern.Wasm.Native.Flow" says by it
-- what is read and written, and "Tern.Wasm.Native.Emit" writes the code by it. The fields of
-- the instruction are those of "Tern.Wasm.Far", where the interpreter has it.
--
-- Start at 'distantOf'.
module Tern.Wasm.Native.Distant
  ( Distant (..),
    distantOf,
  )
where

import Tern.Wasm.Meaning (Fetched (..), Narrow (..), Sign (..), Size (..))
import Tern.Wasm.Opcode (AccessOp (..))

-- | What is loaded and how it fills a slot, or how much of a slot is stored: four bytes or eight,
-- one or two.
data Distant
  = Fetches !Fetched
  | Puts !Size
  | PutsNarrow !Narrow

-- | What a load or a store does; a float is moved as its bits.
distantOf :: AccessOp -> Distant
distantOf = \case
  I32Load -> Fetches (Wholly Half)
  I64Load -> Fetches (Wholly Full)
  F32Load -> Fetches (Wholly Half)
  F64Load -> Fetches (Wholly Full)
  I32Load8S -> Fetches (Narrowly OneByte WithSign Half)
  I32Load8U -> Fetches (Narrowly OneByte WithoutSign Half)
  I32Load16S -> Fetches (Narrowly TwoBytes WithSign Half)
  I32Load16U -> Fetches (Narrowly TwoBytes WithoutSign Half)
  I64Load8S -> Fetches (Narrowly OneByte WithSign Full)
  I64Load8U -> Fetches (Narrowly OneByte WithoutSign Full)
  I64Load16S -> Fetches (Narrowly TwoBytes WithSign Full)
  I64Load16U -> Fetches (Narrowly TwoBytes WithoutSign Full)
  I64Load32S -> Fetches (Widened WithSign)
  I64Load32U -> Fetches (Widened WithoutSign)
  I32Store -> Puts Half
  I64Store -> Puts Full
  F32Store -> Puts Half
  F64Store -> Puts Full
  I32Store8 -> PutsNarrow OneByte
  I32Store16 -> PutsNarrow TwoBytes
  I64Store8 -> PutsNarrow OneByte
  I64Store16 -> PutsNarrow TwoBytes
  I64Store32 -> Puts Half
