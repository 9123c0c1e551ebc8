{-# LANGUAGE MagicHash #-}
{-# LANGUAGE PatternSynonyms #-}
-- -O1: the loop is compiled with optimisation always, and must see what these are.
{-# OPTIONS_GHC -O1 #-}

-- | The numbers on which the loop, native code and the driver agree: why code is left,
-- and what stands where in the blocks that code looks at.
--
-- The idea: each is said once, here, as the unboxed constant that the loop is compiled
-- with; "Tern.Wasm.Code" and "Tern.Wasm.Layout" give the same to everybody else.
module Tern.Wasm.Agreed
  ( -- * Why code is left
    pattern ExitLeave#,
    pattern ExitPoll#,
    pattern ExitForeign#,
    pattern ExitUnreachable#,
    pattern ExitDivideByZero#,
    pattern ExitOverflow#,
    pattern ExitConversion#,
    pattern ExitMemory#,
    pattern ExitUndefined#,
    pattern ExitUninitialized#,
    pattern ExitIndirectType#,
    pattern ExitStack#,
    pattern ExitNull#,
    pattern ExitCall#,
    pattern ExitEntry#,

    -- * An instance's block
    pattern InstStackLimit#,
    pattern InstCode#,
    pattern InstFuel#,
    pattern InstCounters#,
    pattern InstExitIp#,
    pattern InstExitFrame#,
    pattern InstReturns#,
    pattern InstReturnsEnd#,
    pattern InstMemoryEnd#,

    -- * A function's record
    pattern FuncInst#,
    pattern FuncTypeId#,
    pattern FuncCode#,
    pattern FuncNumber#,

    -- * The record of what moves
    pattern MovingAddress#,
    pattern MovingSize#,
  )
where

import GHC.Exts (Int#)

-- | The driver acts by the instruction; the slice of fuel is used up; an
-- indirect call leads out of the instance.
pattern ExitLeave#, ExitPoll#, ExitForeign# :: Int#
pattern ExitLeave# = 0#
pattern ExitPoll# = 1#
pattern ExitForeign# = 2#

-- | Traps.
pattern
  ExitUnreachable#,
  ExitDivideByZero#,
  ExitOverflow#,
  ExitConversion#,
  ExitMemory#,
  ExitUndefined#,
  ExitUninitialized#,
  ExitIndirectType#,
  ExitStack#,
  ExitNull# ::
    Int#
pattern ExitUnreachable# = 3#
pattern ExitDivideByZero# = 4#
pattern ExitOverflow# = 5#
pattern ExitConversion# = 6#
pattern ExitMemory# = 7#
pattern ExitUndefined# = 8#
pattern ExitUninitialized# = 9#
pattern ExitIndirectType# = 10#
pattern ExitStack# = 11#
pattern ExitNull# = 12#

-- | Native code calls a function that has none yet, as far as its instance knows.
pattern ExitCall# :: Int#
pattern ExitCall# = 13#

-- | The slice of fuel was used up before a function was entered; with 'ExitPoll#' it
-- was before a jump that has been made all the same.
pattern ExitEntry# :: Int#
pattern ExitEntry# = 14#

-- | Of an instance, in bytes: 'Tern.Wasm.Layout.instHeader'.
pattern
  InstStackLimit#,
  InstCode#,
  InstFuel#,
  InstCounters#,
  InstExitIp#,
  InstExitFrame#,
  InstReturns#,
  InstReturnsEnd#,
  InstMemoryEnd# ::
    Int#
pattern InstStackLimit# = 0#
pattern InstCode# = 8#
pattern InstFuel# = 16#
pattern InstCounters# = 24#
pattern InstExitIp# = 32#
pattern InstExitFrame# = 40#
pattern InstReturns# = 48#
pattern InstReturnsEnd# = 56#
pattern InstMemoryEnd# = 64#

-- | Of a function, in bytes: 'Tern.Wasm.Layout.funcSize'.
pattern FuncInst#, FuncTypeId#, FuncCode#, FuncNumber# :: Int#
pattern FuncInst# = 0#
pattern FuncTypeId# = 8#
pattern FuncCode# = 16#
pattern FuncNumber# = 24#

-- | Of a table or a memory, in bytes: 'Tern.Wasm.Lasting.Moving'.
pattern MovingAddress#, MovingSize# :: Int#
pattern MovingAddress# = 0#
pattern MovingSize# = 8#
