{-# LANGUAGE MagicHash #-}
{-# LANGUAGE PatternSynonyms #-}

-- | The layout of what code runs over: instances, functions, tables and memories.
--
-- The idea: each is a block of memory at an address that does not change, and what is
-- in it stands at a distance that is said here, for the loop, for native code and for
-- the driver. Frames are laid out in "Tern.Wasm.Code". Start at 'Layout'.
module Tern.Wasm.Layout
  ( -- * Instances
    instStackLimit,
    instCode,
    instFuel,
    instCounters,
    instExitIp,
    instExitFrame,
    instReturns,
    instReturnsEnd,
    instMemoryEnd,
    instMemoryEnds,
    instHeader,
    Layout (..),
    layout,

    -- * Functions and tables
    funcInst,
    funcTypeId,
    funcCode,
    funcNumber,
    funcSize,
    tableElements,
    tableCount,
    memoryBase,
    memoryBytes,
  )
where

import Data.Vector qualified as V
import GHC.Exts (Int (..))
import Tern.Wasm.Agreed
  ( pattern FuncCode#,
    pattern FuncInst#,
    pattern FuncNumber#,
    pattern FuncTypeId#,
    pattern InstCode#,
    pattern InstCounters#,
    pattern InstExitFrame#,
    pattern InstExitIp#,
    pattern InstFuel#,
    pattern InstMemoryEnd#,
    pattern InstReturns#,
    pattern InstReturnsEnd#,
    pattern InstStackLimit#,
  )
import Tern.Wasm.Lasting (movingAddress, movingSize)
import Tern.Wasm.Valid (Spaces (..))

-- * Instances

-- | What every instance's block begins with: the address that a frame must not
-- reach beyond, the table of its functions' code, and the jumps and calls that are
-- left of a slice of fuel, the counters of a profile, where native code left
-- off: its instruction and its frame; and while native code runs, where the processor's
-- own return addresses begin, how far down they may go, and the memory's size.
instStackLimit, instCode, instFuel, instCounters, instExitIp, instExitFrame :: Int

-- | While native code runs: where its return addresses begin on the processor's stack, the
-- lowest address that they may reach, and the memory's size in bytes, before 'instMemoryEnds'.
-- What 'layout' places begins after 'instHeader' bytes.
instReturns, instReturnsEnd, instMemoryEnd, instHeader :: Int

instStackLimit = I# InstStackLimit#

instCode = I# InstCode#

instFuel = I# InstFuel#

instCounters = I# InstCounters#

instExitIp = I# InstExitIp#

instExitFrame = I# InstExitFrame#

instReturns = I# InstReturns#

instReturnsEnd = I# InstReturnsEnd#

instMemoryEnd = I# InstMemoryEnd#

instHeader = 160

-- | Where an instance's block has, while native code runs, the least address from which on an
-- access of so many bytes leaves the memory.
instMemoryEnds :: [(Int, Int)]
instMemoryEnds =
  [ (n, instMemoryEnd + 8 * k)
    | (n, k) <- zip [1, 2, 4, 8, 16, 12, 24, 20, 32, 28] [1 ..]
  ]

-- | Where an instance's block has what: for each type its number in the store,
-- for each table, memory, function and imported global its address, and the
-- module's own globals themselves, 16 bytes each.
data Layout = Layout
  { layoutTypes :: !Int,
    layoutTables :: !Int,
    layoutMems :: !Int,
    layoutFuncs :: !Int,
    layoutGlobals :: !Int,
    -- | For each function where its native code begins, or asks for it.
    layoutNative :: !Int,
    layoutSize :: !Int
  }

-- | The places for a module's index spaces, imports counted, from 'instHeader' on: 8 bytes for
-- each entry, 16 for a global.
layout :: Spaces -> Layout
layout sp = Layout types tables mems funcs globals native (native + 8 * V.length (spaceFuncs sp))
  where
    types = instHeader
    tables = types + 8 * V.length (spaceTypes sp)
    mems = tables + 8 * V.length (spaceTables sp)
    funcs = mems + 8 * V.length (spaceMems sp)
    globals = funcs + 8 * V.length (spaceFuncs sp)
    native = globals + 16 * V.length (spaceGlobals sp)

-- * Functions and tables

-- | A function's record: its instance's block (0 for a host function), the
-- number of its type, the place of its code in that instance's table, and its
-- number in the store.
funcInst, funcTypeId, funcCode, funcNumber, funcSize :: Int
funcInst = I# FuncInst#
funcTypeId = I# FuncTypeId#
funcCode = I# FuncCode#
funcNumber = I# FuncNumber#
funcSize = 32

-- | A table's record: where its elements are and how many it has.
tableElements, tableCount :: Int
tableElements = movingAddress
tableCount = movingSize

-- | A memory's record: where it begins and how many bytes it has.
memoryBase, memoryBytes :: Int
memoryBase = movingAddress
memoryBytes = movingSize
