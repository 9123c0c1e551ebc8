{-# LANGUAGE MagicHash #-}
{-# LANGUAGE PatternSynonyms #-}
{-# LANGUAGE TemplateHaskell #-}
{-# LANGUAGE UnboxedTuples #-}
-- The loop must not depend on how the package is built. With -O2 the functions stand in another
-- order and are otherwise the same, and take a fifth longer to compile.
{-# OPTIONS_GHC -O1 -fno-full-laziness #-}
-- Aligned, a function of an instruction has the same lines of the cache wherever the linker puts
-- the module.
{-# OPTIONS_GHC -fproc-alignment=64 #-}

-- | The loop that runs the bytecode, with memory by the processor's own operations; the
-- others come to it by "Tern.Wasm.Prim".
--
-- The idea: each instruction is a function, and the whole state stands in the registers that its
-- arguments come in: the instruction, the frame, the memory's base and size and the
-- instance's block. They make tail calls only, but for those that have a Haskell function do the
-- work ('slow' and the like); so they neither allocate nor touch Haskell's stack, and a dispatch
-- is one indirect jump by a dense table. What they do is written as one case for each
-- instruction ('step'); "Tern.Wasm.Threaded" makes the functions of it, and gives those that run
-- often a dispatch of their own.
-- Start at 'step'. The cases at its end do two instructions in one step ("Tern.Wasm.Pair"):
-- they read the second one's fields where it stands, 16 bytes on, and leave at it for its traps.
--
-- What a caller owes: the instruction is one that "Tern.Wasm.Lower" wrote for a
-- validated body, and the block, the memory and the frame belong to an instance
-- of its module, as "Tern.Wasm.Code" lays them out. They must stay where they
-- are until the loop returns.
--
-- Why it is safe, given that: every access to linear memory comes after a
-- comparison with the size; a frame is entered after a comparison with the
-- stack's end, and lowering knows how far a frame reaches; jumps go where
-- lowering put an instruction. The loop never allocates, so neither the
-- collector nor an asynchronous exception can interrupt it; each taken jump and
-- each entered function takes one from the fuel in the block, and with the last the loop
-- returns to its driver, where both can.
module Tern.Wasm.Exec
  ( Exit (..),
    enter,
  )
where

import GHC.Exts
import GHC.IO (IO (..))
import Tern.Wasm.Agreed
  ( pattern ExitDivideByZero#,
    pattern ExitEntry#,
    pattern ExitForeign#,
    pattern ExitIndirectType#,
    pattern ExitLeave#,
    pattern ExitMemory#,
    pattern ExitNull#,
    pattern ExitOverflow#,
    pattern ExitPoll#,
    pattern ExitStack#,
    pattern ExitUndefined#,
    pattern ExitUninitialized#,
    pattern ExitUnreachable#,
    pattern FuncCode#,
    pattern FuncInst#,
    pattern FuncTypeId#,
    pattern InstCode#,
    pattern InstCounters#,
    pattern InstFuel#,
    pattern InstStackLimit#,
    pattern MovingAddress#,
    pattern MovingSize#,
  )
import Tern.Wasm.Code (Op (..))
import Tern.Wasm.Far qualified as Far
import Tern.Wasm.Numeric qualified as Numeric
import Tern.Wasm.Simd qualified as Simd
import Tern.Wasm.Threaded (threaded)

-- | Why and where the loop ended.
data Exit = Exit
  { exitCode :: !Int,
    exitIp :: !(Ptr ()),
    exitFrame :: !(Ptr ())
  }

type Loop =
  Addr# ->
  Addr# ->
  Addr# ->
  Int# ->
  Addr# ->
  State# RealWorld ->
  (# State# RealWorld, Int#, Addr#, Addr# #)

-- * Reading instructions and slots

-- | A field by its number: 1 for a, 2 for b, 3 for c, 4 and 5 for the two after them. The
-- number is always a literal: that is what makes GHC inline the call in an
-- argument, where INLINE alone does not. INLINE, here and below: each is one machine
-- instruction or two.
field :: Addr# -> Int# -> Int#
field ip k = int32ToInt# (indexInt32OffAddr# ip k)
{-# INLINE field #-}

-- | The same as an unsigned number.
unsigned :: Addr# -> Int# -> Int#
unsigned ip k = word2Int# (word32ToWord# (indexWord32OffAddr# ip k))
{-# INLINE unsigned #-}

r32 :: Addr# -> Int# -> State# RealWorld -> (# State# RealWorld, Word32# #)
r32 p o = readWord32OffAddr# (plusAddr# p o) 0#
{-# INLINE r32 #-}

rL :: Addr# -> Int# -> State# RealWorld -> (# State# RealWorld, Int# #)
rL p o = readIntOffAddr# (plusAddr# p o) 0#
{-# INLINE rL #-}

wL :: Addr# -> Int# -> Int# -> State# RealWorld -> State# RealWorld
wL p o = writeIntOffAddr# (plusAddr# p o) 0#
{-# INLINE wL #-}

rW :: Addr# -> Int# -> State# RealWorld -> (# State# RealWorld, Word# #)
rW p o = readWordOffAddr# (plusAddr# p o) 0#
{-# INLINE rW #-}

wW :: Addr# -> Int# -> Word# -> State# RealWorld -> State# RealWorld
wW p o = writeWordOffAddr# (plusAddr# p o) 0#
{-# INLINE wW #-}

rA :: Addr# -> Int# -> State# RealWorld -> (# State# RealWorld, Addr# #)
rA p o = readAddrOffAddr# (plusAddr# p o) 0#
{-# INLINE rA #-}

wA :: Addr# -> Int# -> Addr# -> State# RealWorld -> State# RealWorld
wA p o = writeAddrOffAddr# (plusAddr# p o) 0#
{-# INLINE wA #-}

rF :: Addr# -> Int# -> State# RealWorld -> (# State# RealWorld, Float# #)
rF p o = readFloatOffAddr# (plusAddr# p o) 0#
{-# INLINE rF #-}

wF :: Addr# -> Int# -> Float# -> State# RealWorld -> State# RealWorld
wF p o = writeFloatOffAddr# (plusAddr# p o) 0#
{-# INLINE wF #-}

rD :: Addr# -> Int# -> State# RealWorld -> (# State# RealWorld, Double# #)
rD p o = readDoubleOffAddr# (plusAddr# p o) 0#
{-# INLINE rD #-}

wD :: Addr# -> Int# -> Double# -> State# RealWorld -> State# RealWorld
wD p o = writeDoubleOffAddr# (plusAddr# p o) 0#
{-# INLINE wD #-}

w32 :: Int# -> Word32#
w32 i = wordToWord32# (int2Word# i)
{-# INLINE w32 #-}

-- * What an instruction does

-- | Given what goes on where it leads to, and what goes on after it.
step :: Loop -> Loop -> Op -> Loop
step away on which ip fp mem size inst s = case which of
  Halt -> leave
  Crossed -> leave
  Lower -> leave
  CallImport -> leave
  DoMemoryGrow -> leave
  DoMemoryInit -> leave
  DoMemoryCopy -> leave
  DoMemoryFill -> leave
  DoDataDrop -> leave
  DoTableGet -> leave
  DoTableSet -> leave
  DoTableGrow -> leave
  DoTableSize -> leave
  DoTableFill -> leave
  DoTableCopy -> leave
  DoTableInit -> leave
  DoElemDrop -> leave
  DoMemorySize -> leave
  DoCallTable -> leave
  DoTailImport -> leave
  DoThrow -> leave
  DoThrowRef -> leave
  DoAggregate -> leave
  DoRefTest -> leave
  DoRefCast -> leave
  Native -> leave
  Gate -> next s
  Stop -> trap ExitUnreachable#
  Enter -> case plusAddr# fp (field ip 1#) of
    end -> case rA inst InstStackLimit# s of
      (# s1, limit #) -> case gtAddr# end limit of
        1# -> (# s1, ExitStack#, ip, fp #)
        _ -> case rL inst InstFuel# s1 of
          (# s2, fuel #) -> case fuel ># 0# of
            1# -> case wL inst InstFuel# (fuel -# 1#) s2 of
              s3 -> on (plusAddr# ip 16#) fp mem size inst s3
            _ -> (# s2, ExitEntry#, ip, fp #)
  Jump -> jump s
  JumpIf ->
    case r32 fp (field ip 2#) s of (# s1, x #) -> branch (neWord32# x (wordToWord32# 0##)) s1
  JumpIfNot ->
    case r32 fp (field ip 2#) s of (# s1, x #) -> branch (eqWord32# x (wordToWord32# 0##)) s1
  JumpTable -> case r32 fp (field ip 2#) s of
    (# s1, x #) -> case word2Int# (word32ToWord# x) of
      i -> case field ip 3# of
        n -> case i <# n of
          1# -> to (indexInt32OffAddr# (plusAddr# ip 16#) i) s1
          _ -> to (indexInt32OffAddr# (plusAddr# ip 16#) n) s1
  CallOwn -> case plusAddr# fp (field ip 1#) of
    new -> case wA new (field ip 3#) (plusAddr# ip 16#) s of
      s1 -> case wA new (field ip 3# +# 8#) fp s1 of
        s2 -> case rA inst InstCode# s2 of
          (# s3, code #) -> case rA code (field ip 2#) s3 of
            (# s4, target #) -> away target new mem size inst s4
  CallTable -> case r32 fp (field ip 2#) s of
    (# s1, x #) -> case word2Int# (word32ToWord# x) of
      i -> case rA inst (field ip 3#) s1 of
        (# s2, table #) -> case rL table MovingSize# s2 of
          (# s3, count #) -> case i <# count of
            0# -> (# s3, ExitUndefined#, ip, fp #)
            _ -> case rA table MovingAddress# s3 of
              (# s4, elements #) -> case rA elements (uncheckedIShiftL# i 3#) s4 of
                (# s5, func #) -> case eqAddr# func nullAddr# of
                  1# -> (# s5, ExitUninitialized#, ip, fp #)
                  _ -> case rL func FuncTypeId# s5 of
                    (# s6, found #) -> case rL inst (field ip 4#) s6 of
                      (# s7, expected #) -> case found ==# expected of
                        0# -> (# s7, ExitIndirectType#, ip, fp #)
                        _ -> case rA func FuncInst# s7 of
                          (# s8, owner #) -> case eqAddr# owner inst of
                            0# -> (# s8, ExitForeign#, ip, fp #)
                            _ -> case plusAddr# fp (field ip 1#) of
                              new -> case int32ToInt# (indexInt32OffAddr# ip 5#) of
                                link -> case wA new link (plusAddr# ip 32#) s8 of
                                  s9 -> case wA new (link +# 8#) fp s9 of
                                    s10 -> case rL func FuncCode# s10 of
                                      (# s11, place #) -> case rA inst InstCode# s11 of
                                        (# s12, code #) -> case rA code place s12 of
                                          (# s13, target #) -> away target new mem size inst s13
  CallFunc -> case rA fp (field ip 2#) s of
    (# s1, func #) -> case eqAddr# func nullAddr# of
      1# -> (# s1, ExitNull#, ip, fp #)
      _ -> case rA func FuncInst# s1 of
        (# s2, owner #) -> case eqAddr# owner inst of
          0# -> (# s2, ExitForeign#, ip, fp #)
          _ -> case plusAddr# fp (field ip 1#) of
            new -> case wA new (field ip 3#) (plusAddr# ip 16#) s2 of
              s3 -> case wA new (field ip 3# +# 8#) fp s3 of
                s4 -> case rL func FuncCode# s4 of
                  (# s5, place #) -> case rA inst InstCode# s5 of
                    (# s6, code #) -> case rA code place s6 of
                      (# s7, target #) -> away target new mem size inst s7
  TailOwn -> tailOwn away ip fp mem size inst s
  TailTable -> tailTable away ip fp mem size inst s
  TailRef -> tailRef away ip fp mem size inst s
  NonNull -> case rW fp (field ip 2#) s of
    (# s1, x #) -> case x of
      0## -> (# s1, ExitNull#, ip, fp #)
      _ -> next s1
  Ret -> ret s
  Ret32 -> case r32 fp (field ip 2#) s of (# s1, x #) -> case w32slot 0# x s1 of s2 -> ret s2
  Ret64 -> case rW fp (field ip 2#) s of (# s1, x #) -> case wW fp 0# x s1 of s2 -> ret s2
  Const32 -> case w32slot (field ip 1#) (indexWord32OffAddr# ip 2#) s of s1 -> next s1
  Const64 -> case wW fp (field ip 1#) (indexWordOffAddr# ip 1#) s of s1 -> next s1
  Copy32 ->
    case r32 fp (field ip 2#) s of (# s1, x #) -> case w32slot (field ip 1#) x s1 of s2 -> next s2
  Copy64 ->
    case rW fp (field ip 2#) s of (# s1, x #) -> case wW fp (field ip 1#) x s1 of s2 -> next s2
  Copy128 -> copy128 fp (field ip 2#) fp (field ip 1#) s
  Zero1 -> case wW fp (field ip 1#) 0## s of s1 -> next s1
  Zero2 ->
    case field ip 1# of
      o ->
        case wW fp o 0## s of s1 -> case wW fp (o +# 8#) 0## s1 of s2 -> next s2
  Zero4 ->
    case field ip 1# of
      o ->
        case wW fp o 0## s of
          s1 ->
            case wW fp (o +# 8#) 0## s1 of
              s2 ->
                case wW fp (o +# 16#) 0## s2 of s3 -> case wW fp (o +# 24#) 0## s3 of s4 -> next s4
  Select32 -> select (\o t -> case r32 fp o t of (# t1, x #) -> w32slot (field ip 1#) x t1)
  Select64 -> select (\o t -> case rW fp o t of (# t1, x #) -> wW fp (field ip 1#) x t1)
  Select128 ->
    select
      ( \o t -> case rW fp o t of
          (# t1, x #) -> case rW fp (o +# 8#) t1 of
            (# t2, y #) -> case wW fp (field ip 1#) x t2 of
              t3 ->
                wW fp (field ip 1# +# 8#) y t3
      )
  Global32 ->
    case r32 inst (field ip 2#) s of (# s1, x #) -> case w32slot (field ip 1#) x s1 of s2 -> next s2
  Global64 ->
    case rW inst (field ip 2#) s of (# s1, x #) -> case wW fp (field ip 1#) x s1 of s2 -> next s2
  Global128 -> copy128 inst (field ip 2#) fp (field ip 1#) s
  SetGlobal32 ->
    case r32 fp (field ip 1#) s of
      (# s1, x #) ->
        case writeWord32OffAddr# (plusAddr# inst (field ip 2#)) 0# x s1 of s2 -> next s2
  SetGlobal64 ->
    case rW fp (field ip 1#) s of (# s1, x #) -> case wW inst (field ip 2#) x s1 of s2 -> next s2
  SetGlobal128 -> copy128 fp (field ip 1#) inst (field ip 2#) s
  Far64 ->
    case rA inst (field ip 2#) s of
      (# s0, p #) ->
        case rW p 0# s0 of (# s1, x #) -> case wW fp (field ip 1#) x s1 of s2 -> next s2
  Far128 -> case rA inst (field ip 2#) s of (# s0, p #) -> copy128 p 0# fp (field ip 1#) s0
  SetFar64 ->
    case rA inst (field ip 2#) s of
      (# s0, p #) ->
        case rW fp (field ip 1#) s0 of (# s1, x #) -> case wW p 0# x s1 of s2 -> next s2
  SetFar128 -> case rA inst (field ip 2#) s of (# s0, p #) -> copy128 fp (field ip 1#) p 0# s0
  Load32 ->
    load 4# (\p t -> case readWord32OffAddr# p 0# t of (# t1, x #) -> w32slot (field ip 1#) x t1)
  Load64 ->
    load 8# (\p t -> case readWordOffAddr# p 0# t of (# t1, x #) -> wW fp (field ip 1#) x t1)
  Load8S32 ->
    load
      1#
      ( \p t -> case readInt8OffAddr# p 0# t of
          (# t1, x #) ->
            w32slot (field ip 1#) (w32 (int8ToInt# x)) t1
      )
  Load8U32 ->
    load
      1#
      ( \p t -> case readWord8OffAddr# p 0# t of
          (# t1, x #) ->
            w32slot (field ip 1#) (wordToWord32# (word8ToWord# x)) t1
      )
  Load16S32 ->
    load
      2#
      ( \p t -> case readInt16OffAddr# p 0# t of
          (# t1, x #) ->
            w32slot (field ip 1#) (w32 (int16ToInt# x)) t1
      )
  Load16U32 ->
    load
      2#
      ( \p t -> case readWord16OffAddr# p 0# t of
          (# t1, x #) ->
            w32slot (field ip 1#) (wordToWord32# (word16ToWord# x)) t1
      )
  Load8S64 ->
    load
      1#
      ( \p t -> case readInt8OffAddr# p 0# t of
          (# t1, x #) ->
            wL fp (field ip 1#) (int8ToInt# x) t1
      )
  Load8U64 ->
    load
      1#
      ( \p t -> case readWord8OffAddr# p 0# t of
          (# t1, x #) ->
            wW fp (field ip 1#) (word8ToWord# x) t1
      )
  Load16S64 ->
    load
      2#
      ( \p t -> case readInt16OffAddr# p 0# t of
          (# t1, x #) ->
            wL fp (field ip 1#) (int16ToInt# x) t1
      )
  Load16U64 ->
    load
      2#
      ( \p t -> case readWord16OffAddr# p 0# t of
          (# t1, x #) ->
            wW fp (field ip 1#) (word16ToWord# x) t1
      )
  Load32S64 ->
    load
      4#
      ( \p t -> case readInt32OffAddr# p 0# t of
          (# t1, x #) ->
            wL fp (field ip 1#) (int32ToInt# x) t1
      )
  Load32U64 ->
    load
      4#
      ( \p t -> case readWord32OffAddr# p 0# t of
          (# t1, x #) ->
            wW fp (field ip 1#) (word32ToWord# x) t1
      )
  LoadAt32 ->
    at
      (unsigned ip 3#)
      4#
      s
      ( \p t -> case readWord32OffAddr# p 0# t of
          (# t1, x #) ->
            w32slot (field ip 1#) x t1
      )
  LoadAt64 ->
    at
      (unsigned ip 3#)
      8#
      s
      ( \p t -> case readWordOffAddr# p 0# t of
          (# t1, x #) ->
            wW fp (field ip 1#) x t1
      )
  LoadAt8U32 ->
    at
      (unsigned ip 3#)
      1#
      s
      ( \p t -> case readWord8OffAddr# p 0# t of
          (# t1, x #) ->
            w32slot (field ip 1#) (wordToWord32# (word8ToWord# x)) t1
      )
  Store32 ->
    load 4# (\p t -> case r32 fp (field ip 1#) t of (# t1, x #) -> writeWord32OffAddr# p 0# x t1)
  Store64 ->
    load 8# (\p t -> case rW fp (field ip 1#) t of (# t1, x #) -> writeWordOffAddr# p 0# x t1)
  Store8 ->
    load
      1#
      ( \p t -> case readWord8OffAddr# (plusAddr# fp (field ip 1#)) 0# t of
          (# t1, x #) ->
            writeWord8OffAddr# p 0# x t1
      )
  Store16 ->
    load
      2#
      ( \p t -> case readWord16OffAddr# (plusAddr# fp (field ip 1#)) 0# t of
          (# t1, x #) ->
            writeWord16OffAddr# p 0# x t1
      )
  StoreAt32 ->
    at
      (unsigned ip 3#)
      4#
      s
      ( \p t -> case r32 fp (field ip 1#) t of
          (# t1, x #) ->
            writeWord32OffAddr# p 0# x t1
      )
  StoreAt64 ->
    at
      (unsigned ip 3#)
      8#
      s
      ( \p t -> case rW fp (field ip 1#) t of
          (# t1, x #) ->
            writeWordOffAddr# p 0# x t1
      )
  CountPages -> case w32slot (field ip 1#) (w32 (uncheckedIShiftRL# size 16#)) s of s1 -> next s1
  Add32 -> two32 (\x y -> plusWord32# x y)
  Sub32 -> two32 (\x y -> subWord32# x y)
  Mul32 -> two32 (\x y -> timesWord32# x y)
  And32 -> two32 (\x y -> wordToWord32# (and# (word32ToWord# x) (word32ToWord# y)))
  Or32 -> two32 (\x y -> wordToWord32# (or# (word32ToWord# x) (word32ToWord# y)))
  Xor32 -> two32 (\x y -> wordToWord32# (xor# (word32ToWord# x) (word32ToWord# y)))
  Shl32 -> two32 (\x y -> uncheckedShiftLWord32# x (count32 y))
  ShrS32 -> two32 (\x y -> int32ToWord32# (uncheckedShiftRAInt32# (word32ToInt32# x) (count32 y)))
  ShrU32 -> two32 (\x y -> uncheckedShiftRLWord32# x (count32 y))
  Rotl32 -> two32 (\x y -> rotl32 x (count32 y))
  Rotr32 -> two32 (\x y -> rotl32 x (andI# (negateInt# (count32 y)) 31#))
  AddI32 -> one32 (\x y -> plusWord32# x y)
  MulI32 -> one32 (\x y -> timesWord32# x y)
  AndI32 -> one32 (\x y -> wordToWord32# (and# (word32ToWord# x) (word32ToWord# y)))
  OrI32 -> one32 (\x y -> wordToWord32# (or# (word32ToWord# x) (word32ToWord# y)))
  XorI32 -> one32 (\x y -> wordToWord32# (xor# (word32ToWord# x) (word32ToWord# y)))
  ShlI32 -> one32 (\x y -> uncheckedShiftLWord32# x (count32 y))
  ShrSI32 -> one32 (\x y -> int32ToWord32# (uncheckedShiftRAInt32# (word32ToInt32# x) (count32 y)))
  ShrUI32 -> one32 (\x y -> uncheckedShiftRLWord32# x (count32 y))
  RotlI32 -> one32 (\x y -> rotl32 x (count32 y))
  RotrI32 -> one32 (\x y -> rotl32 x (andI# (negateInt# (count32 y)) 31#))
  DivS32 -> case r32 fp (field ip 2#) s of
    (# s1, x #) -> case r32 fp (field ip 3#) s1 of
      (# s2, y #) -> case int32ToInt# (word32ToInt32# y) of
        0# -> (# s2, ExitDivideByZero#, ip, fp #)
        -1# -> case int32ToInt# (word32ToInt32# x) of
          -0x80000000# -> (# s2, ExitOverflow#, ip, fp #)
          i -> case w32slot (field ip 1#) (w32 (negateInt# i)) s2 of s3 -> next s3
        _ ->
          case w32slot
            (field ip 1#)
            ( int32ToWord32#
                (quotInt32# (word32ToInt32# x) (word32ToInt32# y))
            )
            s2 of
            s3 ->
              next s3
  DivU32 -> case r32 fp (field ip 2#) s of
    (# s1, x #) -> case r32 fp (field ip 3#) s1 of
      (# s2, y #) -> case wordToWord32# 0## of
        zero -> case eqWord32# y zero of
          1# -> (# s2, ExitDivideByZero#, ip, fp #)
          _ -> case w32slot (field ip 1#) (quotWord32# x y) s2 of s3 -> next s3
  RemS32 -> case r32 fp (field ip 2#) s of
    (# s1, x #) -> case r32 fp (field ip 3#) s1 of
      (# s2, y #) -> case int32ToInt# (word32ToInt32# y) of
        0# -> (# s2, ExitDivideByZero#, ip, fp #)
        -1# -> case w32slot (field ip 1#) (wordToWord32# 0##) s2 of s3 -> next s3
        _ ->
          case w32slot
            (field ip 1#)
            ( int32ToWord32#
                (remInt32# (word32ToInt32# x) (word32ToInt32# y))
            )
            s2 of
            s3 ->
              next s3
  RemU32 -> case r32 fp (field ip 2#) s of
    (# s1, x #) -> case r32 fp (field ip 3#) s1 of
      (# s2, y #) -> case wordToWord32# 0## of
        zero -> case eqWord32# y zero of
          1# -> (# s2, ExitDivideByZero#, ip, fp #)
          _ -> case w32slot (field ip 1#) (remWord32# x y) s2 of s3 -> next s3
  Clz32 ->
    case r32 fp (field ip 2#) s of
      (# s1, x #) ->
        case w32slot (field ip 1#) (wordToWord32# (clz32# (word32ToWord# x))) s1 of s2 -> next s2
  Ctz32 ->
    case r32 fp (field ip 2#) s of
      (# s1, x #) ->
        case w32slot (field ip 1#) (wordToWord32# (ctz32# (word32ToWord# x))) s1 of s2 -> next s2
  Extend8S32 ->
    case r32 fp (field ip 2#) s of
      (# s1, x #) ->
        case w32slot
          (field ip 1#)
          ( w32
              ( int8ToInt#
                  (intToInt8# (int32ToInt# (word32ToInt32# x)))
              )
          )
          s1 of
          s2 ->
            next s2
  Extend16S32 ->
    case r32 fp (field ip 2#) s of
      (# s1, x #) ->
        case w32slot
          (field ip 1#)
          ( w32
              ( int16ToInt#
                  (intToInt16# (int32ToInt# (word32ToInt32# x)))
              )
          )
          s1 of
          s2 ->
            next s2
  Eq32 -> cmp32 (\x y -> eqWord32# x y)
  Ne32 -> cmp32 (\x y -> neWord32# x y)
  LtS32 -> cmp32 (\x y -> ltInt32# (word32ToInt32# x) (word32ToInt32# y))
  LtU32 -> cmp32 (\x y -> ltWord32# x y)
  LeS32 -> cmp32 (\x y -> leInt32# (word32ToInt32# x) (word32ToInt32# y))
  LeU32 -> cmp32 (\x y -> leWord32# x y)
  EqI32 -> cmpI32 (\x y -> eqWord32# x y)
  NeI32 -> cmpI32 (\x y -> neWord32# x y)
  LtSI32 -> cmpI32 (\x y -> ltInt32# (word32ToInt32# x) (word32ToInt32# y))
  LtUI32 -> cmpI32 (\x y -> ltWord32# x y)
  GtSI32 -> cmpI32 (\x y -> gtInt32# (word32ToInt32# x) (word32ToInt32# y))
  GtUI32 -> cmpI32 (\x y -> gtWord32# x y)
  LeSI32 -> cmpI32 (\x y -> leInt32# (word32ToInt32# x) (word32ToInt32# y))
  LeUI32 -> cmpI32 (\x y -> leWord32# x y)
  GeSI32 -> cmpI32 (\x y -> geInt32# (word32ToInt32# x) (word32ToInt32# y))
  GeUI32 -> cmpI32 (\x y -> geWord32# x y)
  JumpEq32 -> on32 (\x y -> eqWord32# x y)
  JumpNe32 -> on32 (\x y -> neWord32# x y)
  JumpLtS32 -> on32 (\x y -> ltInt32# (word32ToInt32# x) (word32ToInt32# y))
  JumpLtU32 -> on32 (\x y -> ltWord32# x y)
  JumpLeS32 -> on32 (\x y -> leInt32# (word32ToInt32# x) (word32ToInt32# y))
  JumpLeU32 -> on32 (\x y -> leWord32# x y)
  JumpEqI32 -> onI32 (\x y -> eqWord32# x y)
  JumpNeI32 -> onI32 (\x y -> neWord32# x y)
  JumpLtSI32 -> onI32 (\x y -> ltInt32# (word32ToInt32# x) (word32ToInt32# y))
  JumpLtUI32 -> onI32 (\x y -> ltWord32# x y)
  JumpGtSI32 -> onI32 (\x y -> gtInt32# (word32ToInt32# x) (word32ToInt32# y))
  JumpGtUI32 -> onI32 (\x y -> gtWord32# x y)
  JumpLeSI32 -> onI32 (\x y -> leInt32# (word32ToInt32# x) (word32ToInt32# y))
  JumpLeUI32 -> onI32 (\x y -> leWord32# x y)
  JumpGeSI32 -> onI32 (\x y -> geInt32# (word32ToInt32# x) (word32ToInt32# y))
  JumpGeUI32 -> onI32 (\x y -> geWord32# x y)
  Add64 -> two64 (\x y -> x +# y)
  Sub64 -> two64 (\x y -> x -# y)
  Mul64 -> two64 (\x y -> x *# y)
  And64 -> two64 (\x y -> andI# x y)
  Or64 -> two64 (\x y -> orI# x y)
  Xor64 -> two64 (\x y -> xorI# x y)
  Shl64 -> two64 (\x y -> uncheckedIShiftL# x (andI# y 63#))
  ShrS64 -> two64 (\x y -> uncheckedIShiftRA# x (andI# y 63#))
  ShrU64 -> two64 (\x y -> uncheckedIShiftRL# x (andI# y 63#))
  Rotl64 -> two64 (\x y -> rotl64 x (andI# y 63#))
  Rotr64 -> two64 (\x y -> rotl64 x (andI# (negateInt# y) 63#))
  AddI64 -> one64 (\x y -> x +# y)
  MulI64 -> one64 (\x y -> x *# y)
  AndI64 -> one64 (\x y -> andI# x y)
  OrI64 -> one64 (\x y -> orI# x y)
  XorI64 -> one64 (\x y -> xorI# x y)
  ShlI64 -> one64 (\x y -> uncheckedIShiftL# x (andI# y 63#))
  ShrSI64 -> one64 (\x y -> uncheckedIShiftRA# x (andI# y 63#))
  ShrUI64 -> one64 (\x y -> uncheckedIShiftRL# x (andI# y 63#))
  RotlI64 -> one64 (\x y -> rotl64 x (andI# y 63#))
  RotrI64 -> one64 (\x y -> rotl64 x (andI# (negateInt# y) 63#))
  DivS64 -> case rL fp (field ip 2#) s of
    (# s1, x #) -> case rL fp (field ip 3#) s1 of
      (# s2, y #) -> case y of
        0# -> (# s2, ExitDivideByZero#, ip, fp #)
        -1# -> case x of
          -0x8000000000000000# -> (# s2, ExitOverflow#, ip, fp #)
          _ -> case wL fp (field ip 1#) (negateInt# x) s2 of s3 -> next s3
        _ -> case wL fp (field ip 1#) (quotInt# x y) s2 of s3 -> next s3
  DivU64 -> case rL fp (field ip 2#) s of
    (# s1, x #) -> case rL fp (field ip 3#) s1 of
      (# s2, y #) -> case y of
        0# -> (# s2, ExitDivideByZero#, ip, fp #)
        _ ->
          case wL fp (field ip 1#) (word2Int# (quotWord# (int2Word# x) (int2Word# y))) s2 of
            s3 ->
              next s3
  RemS64 -> case rL fp (field ip 2#) s of
    (# s1, x #) -> case rL fp (field ip 3#) s1 of
      (# s2, y #) -> case y of
        0# -> (# s2, ExitDivideByZero#, ip, fp #)
        -1# -> case wL fp (field ip 1#) 0# s2 of s3 -> next s3
        _ -> case wL fp (field ip 1#) (remInt# x y) s2 of s3 -> next s3
  RemU64 -> case rL fp (field ip 2#) s of
    (# s1, x #) -> case rL fp (field ip 3#) s1 of
      (# s2, y #) -> case y of
        0# -> (# s2, ExitDivideByZero#, ip, fp #)
        _ ->
          case wL fp (field ip 1#) (word2Int# (remWord# (int2Word# x) (int2Word# y))) s2 of
            s3 ->
              next s3
  Clz64 ->
    case rW fp (field ip 2#) s of
      (# s1, x #) ->
        case wW fp (field ip 1#) (clz# x) s1 of s2 -> next s2
  Ctz64 ->
    case rW fp (field ip 2#) s of
      (# s1, x #) ->
        case wW fp (field ip 1#) (ctz# x) s1 of s2 -> next s2
  Extend8S64 ->
    case rL fp (field ip 2#) s of
      (# s1, x #) ->
        case wL fp (field ip 1#) (int8ToInt# (intToInt8# x)) s1 of s2 -> next s2
  Extend16S64 ->
    case rL fp (field ip 2#) s of
      (# s1, x #) ->
        case wL fp (field ip 1#) (int16ToInt# (intToInt16# x)) s1 of s2 -> next s2
  ExtendS64 ->
    case r32 fp (field ip 2#) s of
      (# s1, x #) ->
        case wL fp (field ip 1#) (int32ToInt# (word32ToInt32# x)) s1 of s2 -> next s2
  ExtendU64 ->
    case r32 fp (field ip 2#) s of
      (# s1, x #) ->
        case wW fp (field ip 1#) (word32ToWord# x) s1 of s2 -> next s2
  Eq64 -> cmp64 (\x y -> x ==# y)
  Ne64 -> cmp64 (\x y -> x /=# y)
  LtS64 -> cmp64 (\x y -> x <# y)
  LtU64 -> cmp64 (\x y -> ltWord# (int2Word# x) (int2Word# y))
  LeS64 -> cmp64 (\x y -> x <=# y)
  LeU64 -> cmp64 (\x y -> leWord# (int2Word# x) (int2Word# y))
  EqI64 -> cmpI64 (\x y -> x ==# y)
  NeI64 -> cmpI64 (\x y -> x /=# y)
  LtSI64 -> cmpI64 (\x y -> x <# y)
  LtUI64 -> cmpI64 (\x y -> ltWord# (int2Word# x) (int2Word# y))
  GtSI64 -> cmpI64 (\x y -> x ># y)
  GtUI64 -> cmpI64 (\x y -> gtWord# (int2Word# x) (int2Word# y))
  LeSI64 -> cmpI64 (\x y -> x <=# y)
  LeUI64 -> cmpI64 (\x y -> leWord# (int2Word# x) (int2Word# y))
  GeSI64 -> cmpI64 (\x y -> x >=# y)
  GeUI64 -> cmpI64 (\x y -> geWord# (int2Word# x) (int2Word# y))
  JumpEq64 -> on64 (\x y -> x ==# y)
  JumpNe64 -> on64 (\x y -> x /=# y)
  JumpLtS64 -> on64 (\x y -> x <# y)
  JumpLtU64 -> on64 (\x y -> ltWord# (int2Word# x) (int2Word# y))
  JumpLeS64 -> on64 (\x y -> x <=# y)
  JumpLeU64 -> on64 (\x y -> leWord# (int2Word# x) (int2Word# y))
  JumpEqI64 -> onI64 (\x y -> x ==# y)
  JumpNeI64 -> onI64 (\x y -> x /=# y)
  JumpLtSI64 -> onI64 (\x y -> x <# y)
  JumpLtUI64 -> onI64 (\x y -> ltWord# (int2Word# x) (int2Word# y))
  JumpGtSI64 -> onI64 (\x y -> x ># y)
  JumpGtUI64 -> onI64 (\x y -> gtWord# (int2Word# x) (int2Word# y))
  JumpLeSI64 -> onI64 (\x y -> x <=# y)
  JumpLeUI64 -> onI64 (\x y -> leWord# (int2Word# x) (int2Word# y))
  JumpGeSI64 -> onI64 (\x y -> x >=# y)
  JumpGeUI64 -> onI64 (\x y -> geWord# (int2Word# x) (int2Word# y))
  F32Add -> floatF (\x y -> plusFloat# x y)
  F32Sub -> floatF (\x y -> minusFloat# x y)
  F32Mul -> floatF (\x y -> timesFloat# x y)
  F32Div -> floatF (\x y -> divideFloat# x y)
  F32Sqrt ->
    case rF fp (field ip 2#) s of
      (# s1, x #) ->
        case wF fp (field ip 1#) (sqrtFloat# x) s1 of s2 -> next s2
  F32Abs ->
    case r32 fp (field ip 2#) s of
      (# s1, x #) ->
        case w32slot (field ip 1#) (wordToWord32# (and# (word32ToWord# x) 0x7FFFFFFF##)) s1 of
          s2 ->
            next s2
  F32Neg ->
    case r32 fp (field ip 2#) s of
      (# s1, x #) ->
        case w32slot (field ip 1#) (wordToWord32# (xor# (word32ToWord# x) 0x80000000##)) s1 of
          s2 ->
            next s2
  F32Eq -> cmpF (\x y -> eqFloat# x y)
  F32Ne -> cmpF (\x y -> neFloat# x y)
  F32Lt -> cmpF (\x y -> ltFloat# x y)
  F32Le -> cmpF (\x y -> leFloat# x y)
  JumpF32Eq -> onF (\x y -> eqFloat# x y)
  JumpF32Ne -> onF (\x y -> neFloat# x y)
  JumpF32Lt -> onF (\x y -> ltFloat# x y)
  JumpF32Le -> onF (\x y -> leFloat# x y)
  JumpF32NotLt -> onF (\x y -> 1# -# ltFloat# x y)
  JumpF32NotLe -> onF (\x y -> 1# -# leFloat# x y)
  F64Add -> floatD (\x y -> x +## y)
  F64Sub -> floatD (\x y -> x -## y)
  F64Mul -> floatD (\x y -> x *## y)
  F64Div -> floatD (\x y -> x /## y)
  F64Sqrt ->
    case rD fp (field ip 2#) s of
      (# s1, x #) ->
        case wD fp (field ip 1#) (sqrtDouble# x) s1 of s2 -> next s2
  F64Abs ->
    case rW fp (field ip 2#) s of
      (# s1, x #) ->
        case wW fp (field ip 1#) (and# x 0x7FFFFFFFFFFFFFFF##) s1 of s2 -> next s2
  F64Neg ->
    case rW fp (field ip 2#) s of
      (# s1, x #) ->
        case wW fp (field ip 1#) (xor# x 0x8000000000000000##) s1 of s2 -> next s2
  F64Eq -> cmpD (\x y -> x ==## y)
  F64Ne -> cmpD (\x y -> x /=## y)
  F64Lt -> cmpD (\x y -> x <## y)
  F64Le -> cmpD (\x y -> x <=## y)
  JumpF64Eq -> onD (\x y -> x ==## y)
  JumpF64Ne -> onD (\x y -> x /=## y)
  JumpF64Lt -> onD (\x y -> x <## y)
  JumpF64Le -> onD (\x y -> x <=## y)
  JumpF64NotLt -> onD (\x y -> 1# -# (x <## y))
  JumpF64NotLe -> onD (\x y -> 1# -# (x <=## y))
  F64FromS32 ->
    case r32 fp (field ip 2#) s of
      (# s1, x #) ->
        case wD fp (field ip 1#) (int2Double# (int32ToInt# (word32ToInt32# x))) s1 of s2 -> next s2
  F64FromU32 ->
    case r32 fp (field ip 2#) s of
      (# s1, x #) ->
        case wD fp (field ip 1#) (int2Double# (word2Int# (word32ToWord# x))) s1 of s2 -> next s2
  F32FromS32 ->
    case r32 fp (field ip 2#) s of
      (# s1, x #) ->
        case wF fp (field ip 1#) (int2Float# (int32ToInt# (word32ToInt32# x))) s1 of s2 -> next s2
  F32FromU32 ->
    case r32 fp (field ip 2#) s of
      (# s1, x #) ->
        case wF fp (field ip 1#) (int2Float# (word2Int# (word32ToWord# x))) s1 of s2 -> next s2
  F64FromS64 ->
    case rL fp (field ip 2#) s of
      (# s1, x #) ->
        case wD fp (field ip 1#) (int2Double# x) s1 of s2 -> next s2
  F32FromS64 ->
    case rL fp (field ip 2#) s of
      (# s1, x #) ->
        case wF fp (field ip 1#) (int2Float# x) s1 of s2 -> next s2
  F64FromF32 ->
    case rF fp (field ip 2#) s of
      (# s1, x #) ->
        case wD fp (field ip 1#) (float2Double# x) s1 of s2 -> next s2
  F32FromF64 ->
    case rD fp (field ip 2#) s of
      (# s1, x #) ->
        case wF fp (field ip 1#) (double2Float# x) s1 of s2 -> next s2
  Slow -> slow on ip fp mem size inst s
  Simd -> simd on ip fp mem size inst s
  Far -> far on ip fp mem size inst s
  SimdFar -> simdFar on ip fp mem size inst s
  Canonical32 -> case rF fp (field ip 2#) s of
    (# s1, x #) -> case eqFloat# x x of
      1# -> case wF fp (field ip 1#) x s1 of s2 -> next s2
      _ -> case w32slot (field ip 1#) (wordToWord32# 0x7FC00000##) s1 of s2 -> next s2
  Canonical64 -> case rD fp (field ip 2#) s of
    (# s1, x #) -> case x ==## x of
      1# -> case wD fp (field ip 1#) x s1 of s2 -> next s2
      _ -> case wW fp (field ip 1#) 0x7FF8000000000000## s1 of s2 -> next s2
  CanonicalLanes32 -> canonicalLanes32 on ip fp mem size inst s
  CanonicalLanes64 -> canonicalLanes64 on ip fp mem size inst s
  Tally -> case rA inst InstCounters# s of
    (# s1, counters #) -> case rL counters (field ip 1#) s1 of
      (# s2, n #) -> case wL counters (field ip 1#) (n +# 1#) s2 of s3 -> next s3
  ShrUI64Xor64 -> case rL fp (field ip 2#) s of
    (# s1, x #) -> case uncheckedIShiftRL# x (andI# (field ip 3#) 63#) of
      y -> case wL fp (field ip 1#) y s1 of s2 -> second64 xorI# y s2
  Const64Mul64 -> case indexIntOffAddr# ip 1# of
    y -> case wL fp (field ip 1#) y s of s1 -> second64 (*#) y s1
  AddI32JumpIf -> addI32 (\y t -> branch2 (neWord32# y (wordToWord32# 0##)) t)
  AddI32Load32 ->
    addI32
      ( \y t ->
          at2
            (word2Int# (word32ToWord# y) +# unsigned ip 7#)
            4#
            t
            (\p u -> case readWord32OffAddr# p 0# u of (# u1, x #) -> w32slot (field ip 5#) x u1)
      )
  AddI32JumpNeI32 -> addI32 (\y t -> branch2 (neWord32# y (indexWord32OffAddr# ip 7#)) t)
  F64MulF64Mul -> case rD fp (field ip 2#) s of
    (# s1, x #) -> case rD fp (field ip 3#) s1 of
      (# s2, y #) -> case x *## y of
        z -> case wD fp (field ip 1#) z s2 of
          s3 -> case rD fp (field ip 7#) s3 of
            (# s4, w #) -> case wD fp (field ip 5#) (z *## w) s4 of s5 -> past s5
  Load32JumpLtS32 -> case r32 fp (field ip 2#) s of
    (# s1, x #) ->
      bounded
        ip
        (word2Int# (word32ToWord# x) +# unsigned ip 3#)
        4#
        s1
        ( \p t -> case readWord32OffAddr# p 0# t of
            (# s2, y #) -> case w32slot (field ip 1#) y s2 of
              s3 -> case r32 fp (field ip 7#) s3 of
                (# s4, z #) -> branch2 (ltInt32# (word32ToInt32# y) (word32ToInt32# z)) s4
        )
  ShlI32AddI32 -> case r32 fp (field ip 2#) s of
    (# s1, x #) -> case uncheckedShiftLWord32# x (count32 (indexWord32OffAddr# ip 3#)) of
      y -> case w32slot (field ip 1#) y s1 of
        s2 -> case w32slot (field ip 5#) (plusWord32# y (indexWord32OffAddr# ip 7#)) s2 of
          s3 -> past s3
  AddI32Load64 ->
    addI32
      ( \y t ->
          at2
            (word2Int# (word32ToWord# y) +# unsigned ip 7#)
            8#
            t
            (\p u -> case readWordOffAddr# p 0# u of (# u1, x #) -> wW fp (field ip 5#) x u1)
      )
  Xor64RotlI64 -> case rL fp (field ip 2#) s of
    (# s1, x #) -> case rL fp (field ip 3#) s1 of
      (# s2, y #) -> case xorI# x y of
        z -> case wL fp (field ip 1#) z s2 of
          s3 -> case wL fp (field ip 5#) (rotl64 z (andI# (field ip 7#) 63#)) s3 of s4 -> past s4
  Const64Add64 -> case indexIntOffAddr# ip 1# of
    y -> case wL fp (field ip 1#) y s of s1 -> second64 (+#) y s1
  Add32JumpLtUI32 -> case r32 fp (field ip 2#) s of
    (# s1, x #) -> case r32 fp (field ip 3#) s1 of
      (# s2, y #) -> case plusWord32# x y of
        z -> case w32slot (field ip 1#) z s2 of
          s3 -> branch2 (ltWord32# z (indexWord32OffAddr# ip 7#)) s3
  Const32Store8 -> case indexWord32OffAddr# ip 2# of
    y -> case w32slot (field ip 1#) y s of
      s1 -> case r32 fp (field ip 6#) s1 of
        (# s2, x #) ->
          at2
            (word2Int# (word32ToWord# x) +# unsigned ip 7#)
            1#
            s2
            (\p u -> writeWord8OffAddr# p 0# (wordToWord8# (word32ToWord# y)) u)
  F64AddStore64 -> storedD (\x y -> x +## y)
  F64SubStore64 -> storedD (\x y -> x -## y)
  where
    -- INLINE on all: they are the cases' text, written once. Proof: api
    -- "running allocates nothing that grows with the run".
    next = on (plusAddr# ip 16#) fp mem size inst
    {-# INLINE next #-}
    leave = (# s, ExitLeave#, ip, fp #)
    {-# INLINE leave #-}
    trap :: Int# -> (# State# RealWorld, Int#, Addr#, Addr# #)
    trap code = (# s, code, ip, fp #)
    {-# INLINE trap #-}
    jump = to (indexInt32OffAddr# ip 1#)
    {-# INLINE jump #-}
    to distance = onwards (plusAddr# ip (int32ToInt# distance))
    {-# INLINE to #-}
    onwards there t = case there of
      target -> case rL inst InstFuel# t of
        (# t1, fuel #) -> case fuel ># 0# of
          1# -> case wL inst InstFuel# (fuel -# 1#) t1 of t2 -> away target fp mem size inst t2
          _ -> (# t1, ExitPoll#, target, fp #)
    {-# INLINE onwards #-}
    branch condition t = case condition of
      1# -> jump t
      _ -> next t
    {-# INLINE branch #-}
    -- Of a pair: what comes after it, and what its second one does with what the first one
    -- made, which is in its slot as well.
    past = on (plusAddr# ip 32#) fp mem size inst
    {-# INLINE past #-}
    branch2 condition t = case condition of
      1# -> onwards (plusAddr# ip (16# +# field ip 5#)) t
      _ -> past t
    {-# INLINE branch2 #-}
    second64 ::
      (Int# -> Int# -> Int#) ->
      Int# ->
      State# RealWorld ->
      (# State# RealWorld, Int#, Addr#, Addr# #)
    second64 f y t = case rL fp (field ip 7#) t of
      (# t1, z #) -> case wL fp (field ip 5#) (f y z) t1 of t2 -> past t2
    {-# INLINE second64 #-}
    storedD :: (Double# -> Double# -> Double#) -> (# State# RealWorld, Int#, Addr#, Addr# #)
    storedD f = case rD fp (field ip 2#) s of
      (# s1, x #) -> case rD fp (field ip 3#) s1 of
        (# s2, y #) -> case f x y of
          z -> case wD fp (field ip 1#) z s2 of
            s3 -> case r32 fp (field ip 6#) s3 of
              (# s4, w #) ->
                at2
                  (word2Int# (word32ToWord# w) +# unsigned ip 7#)
                  8#
                  s4
                  (\p u -> writeDoubleOffAddr# p 0# z u)
    {-# INLINE storedD #-}
    addI32 ::
      (Word32# -> State# RealWorld -> (# State# RealWorld, Int#, Addr#, Addr# #)) ->
      (# State# RealWorld, Int#, Addr#, Addr# #)
    addI32 f = case r32 fp (field ip 2#) s of
      (# s1, x #) -> case plusWord32# x (indexWord32OffAddr# ip 3#) of
        y -> case w32slot (field ip 1#) y s1 of s2 -> f y s2
    {-# INLINE addI32 #-}
    at2 ::
      Int# ->
      Int# ->
      State# RealWorld ->
      (Addr# -> State# RealWorld -> State# RealWorld) ->
      (# State# RealWorld, Int#, Addr#, Addr# #)
    at2 address width t f =
      bounded (plusAddr# ip 16#) address width t (\p u -> case f p u of u1 -> past u1)
    {-# INLINE at2 #-}
    ret t = case field ip 1# of
      link -> case rA fp link t of
        (# t1, back #) -> case rA fp (link +# 8#) t1 of
          (# t2, caller #) -> away back caller mem size inst t2
    {-# INLINE ret #-}
    w32slot o = writeWord32OffAddr# (plusAddr# fp o) 0#
    {-# INLINE w32slot #-}
    copy128 p o q o2 t = case rW p o t of
      (# t1, x #) -> case rW p (o +# 8#) t1 of
        (# t2, y #) -> case wW q o2 x t2 of
          t3 -> case wW q (o2 +# 8#) y t3 of
            t4 -> next t4
    {-# INLINE copy128 #-}
    select ::
      (Int# -> State# RealWorld -> State# RealWorld) -> (# State# RealWorld, Int#, Addr#, Addr# #)
    select copy = case r32 fp (field ip 4#) s of
      (# s1, condition #) -> case eqWord32# condition (wordToWord32# 0##) of
        1# -> case copy (field ip 3#) s1 of s2 -> on (plusAddr# ip 32#) fp mem size inst s2
        _ -> case copy (field ip 2#) s1 of s2 -> on (plusAddr# ip 32#) fp mem size inst s2
    {-# INLINE select #-}
    -- The address is below 2^33, so that the sum cannot overflow.
    load ::
      Int# ->
      (Addr# -> State# RealWorld -> State# RealWorld) ->
      (# State# RealWorld, Int#, Addr#, Addr# #)
    load width f = case r32 fp (field ip 2#) s of
      (# s1, x #) -> at (word2Int# (word32ToWord# x) +# unsigned ip 3#) width s1 f
    {-# INLINE load #-}
    at ::
      Int# ->
      Int# ->
      State# RealWorld ->
      (Addr# -> State# RealWorld -> State# RealWorld) ->
      (# State# RealWorld, Int#, Addr#, Addr# #)
    at address width t f = bounded ip address width t (\p u -> case f p u of u1 -> next u1)
    {-# INLINE at #-}
    -- What goes on from an address, unless the instruction at a place traps there.
    bounded ::
      Addr# ->
      Int# ->
      Int# ->
      State# RealWorld ->
      (Addr# -> State# RealWorld -> (# State# RealWorld, Int#, Addr#, Addr# #)) ->
      (# State# RealWorld, Int#, Addr#, Addr# #)
    bounded place address width t f = case (address +# width) ># size of
      1# -> (# t, ExitMemory#, place, fp #)
      _ -> f (plusAddr# mem address) t
    {-# INLINE bounded #-}
    count32 y = andI# (word2Int# (word32ToWord# y)) 31#
    {-# INLINE count32 #-}
    rotl32 x n =
      wordToWord32#
        ( or#
            (uncheckedShiftL# (word32ToWord# x) n)
            (uncheckedShiftRL# (word32ToWord# x) (32# -# n))
        )
    {-# INLINE rotl32 #-}
    -- A shift by 64 must not happen: the count of the other half is masked.
    rotl64 x n = orI# (uncheckedIShiftL# x n) (uncheckedIShiftRL# x (andI# (negateInt# n) 63#))
    {-# INLINE rotl64 #-}
    two32 :: (Word32# -> Word32# -> Word32#) -> (# State# RealWorld, Int#, Addr#, Addr# #)
    two32 f = case r32 fp (field ip 2#) s of
      (# s1, x #) ->
        case r32 fp (field ip 3#) s1 of
          (# s2, y #) ->
            case w32slot (field ip 1#) (f x y) s2 of s3 -> next s3
    {-# INLINE two32 #-}
    one32 :: (Word32# -> Word32# -> Word32#) -> (# State# RealWorld, Int#, Addr#, Addr# #)
    one32 f = case r32 fp (field ip 2#) s of
      (# s1, x #) ->
        case indexWord32OffAddr# ip 3# of
          y ->
            case w32slot (field ip 1#) (f x y) s1 of s3 -> next s3
    {-# INLINE one32 #-}
    two64 :: (Int# -> Int# -> Int#) -> (# State# RealWorld, Int#, Addr#, Addr# #)
    two64 f = case rL fp (field ip 2#) s of
      (# s1, x #) ->
        case rL fp (field ip 3#) s1 of
          (# s2, y #) ->
            case wL fp (field ip 1#) (f x y) s2 of s3 -> next s3
    {-# INLINE two64 #-}
    one64 :: (Int# -> Int# -> Int#) -> (# State# RealWorld, Int#, Addr#, Addr# #)
    one64 f = case rL fp (field ip 2#) s of
      (# s1, x #) -> case field ip 3# of y -> case wL fp (field ip 1#) (f x y) s1 of s3 -> next s3
    {-# INLINE one64 #-}
    cmp32 :: (Word32# -> Word32# -> Int#) -> (# State# RealWorld, Int#, Addr#, Addr# #)
    cmp32 f = case r32 fp (field ip 2#) s of
      (# s1, x #) ->
        case r32 fp (field ip 3#) s1 of
          (# s2, y #) ->
            case w32slot (field ip 1#) (w32 (f x y)) s2 of s3 -> next s3
    {-# INLINE cmp32 #-}
    cmpI32 :: (Word32# -> Word32# -> Int#) -> (# State# RealWorld, Int#, Addr#, Addr# #)
    cmpI32 f = case r32 fp (field ip 2#) s of
      (# s1, x #) ->
        case indexWord32OffAddr# ip 3# of
          y ->
            case w32slot (field ip 1#) (w32 (f x y)) s1 of s3 -> next s3
    {-# INLINE cmpI32 #-}
    cmp64 :: (Int# -> Int# -> Int#) -> (# State# RealWorld, Int#, Addr#, Addr# #)
    cmp64 f = case rL fp (field ip 2#) s of
      (# s1, x #) ->
        case rL fp (field ip 3#) s1 of
          (# s2, y #) ->
            case w32slot (field ip 1#) (w32 (f x y)) s2 of s3 -> next s3
    {-# INLINE cmp64 #-}
    cmpI64 :: (Int# -> Int# -> Int#) -> (# State# RealWorld, Int#, Addr#, Addr# #)
    cmpI64 f = case rL fp (field ip 2#) s of
      (# s1, x #) ->
        case field ip 3# of y -> case w32slot (field ip 1#) (w32 (f x y)) s1 of s3 -> next s3
    {-# INLINE cmpI64 #-}
    on32 :: (Word32# -> Word32# -> Int#) -> (# State# RealWorld, Int#, Addr#, Addr# #)
    on32 f = case r32 fp (field ip 2#) s of
      (# s1, x #) -> case r32 fp (field ip 3#) s1 of (# s2, y #) -> branch (f x y) s2
    {-# INLINE on32 #-}
    onI32 :: (Word32# -> Word32# -> Int#) -> (# State# RealWorld, Int#, Addr#, Addr# #)
    onI32 f = case r32 fp (field ip 2#) s of
      (# s1, x #) -> case indexWord32OffAddr# ip 3# of y -> branch (f x y) s1
    {-# INLINE onI32 #-}
    on64 :: (Int# -> Int# -> Int#) -> (# State# RealWorld, Int#, Addr#, Addr# #)
    on64 f = case rL fp (field ip 2#) s of
      (# s1, x #) -> case rL fp (field ip 3#) s1 of (# s2, y #) -> branch (f x y) s2
    {-# INLINE on64 #-}
    onI64 :: (Int# -> Int# -> Int#) -> (# State# RealWorld, Int#, Addr#, Addr# #)
    onI64 f = case rL fp (field ip 2#) s of
      (# s1, x #) -> case field ip 3# of y -> branch (f x y) s1
    {-# INLINE onI64 #-}
    floatF :: (Float# -> Float# -> Float#) -> (# State# RealWorld, Int#, Addr#, Addr# #)
    floatF f = case rF fp (field ip 2#) s of
      (# s1, x #) ->
        case rF fp (field ip 3#) s1 of
          (# s2, y #) ->
            case wF fp (field ip 1#) (f x y) s2 of s3 -> next s3
    {-# INLINE floatF #-}
    cmpF :: (Float# -> Float# -> Int#) -> (# State# RealWorld, Int#, Addr#, Addr# #)
    cmpF f = case rF fp (field ip 2#) s of
      (# s1, x #) ->
        case rF fp (field ip 3#) s1 of
          (# s2, y #) ->
            case w32slot (field ip 1#) (w32 (f x y)) s2 of s3 -> next s3
    {-# INLINE cmpF #-}
    onF :: (Float# -> Float# -> Int#) -> (# State# RealWorld, Int#, Addr#, Addr# #)
    onF f = case rF fp (field ip 2#) s of
      (# s1, x #) -> case rF fp (field ip 3#) s1 of (# s2, y #) -> branch (f x y) s2
    {-# INLINE onF #-}
    floatD :: (Double# -> Double# -> Double#) -> (# State# RealWorld, Int#, Addr#, Addr# #)
    floatD f = case rD fp (field ip 2#) s of
      (# s1, x #) ->
        case rD fp (field ip 3#) s1 of
          (# s2, y #) ->
            case wD fp (field ip 1#) (f x y) s2 of s3 -> next s3
    {-# INLINE floatD #-}
    cmpD :: (Double# -> Double# -> Int#) -> (# State# RealWorld, Int#, Addr#, Addr# #)
    cmpD f = case rD fp (field ip 2#) s of
      (# s1, x #) ->
        case rD fp (field ip 3#) s1 of
          (# s2, y #) ->
            case w32slot (field ip 1#) (w32 (f x y)) s2 of s3 -> next s3
    {-# INLINE cmpD #-}
    onD :: (Double# -> Double# -> Int#) -> (# State# RealWorld, Int#, Addr#, Addr# #)
    onD f = case rD fp (field ip 2#) s of
      (# s1, x #) -> case rD fp (field ip 3#) s1 of (# s2, y #) -> branch (f x y) s2
    {-# INLINE onD #-}
-- INLINE: of each instruction's function the case of that instruction is left.
{-# INLINE step #-}

-- * Outside of the loop

-- | Run an instruction that a Haskell function does, then go on. A call that comes back makes the
-- state live on the stack, in the function of that instruction alone.
slow, simd, far, simdFar, canonicalLanes32, canonicalLanes64 :: Loop -> Loop
slow on ip fp mem size inst s = case Numeric.step (Ptr ip) (Ptr fp) of
  IO f -> case f s of
    (# s1, I# 0# #) -> on (plusAddr# ip 16#) fp mem size inst s1
    (# s1, I# code #) -> (# s1, code, ip, fp #)
simd on ip fp mem size inst s = case Simd.step (Ptr ip) (Ptr fp) (Ptr mem) (I# size) of
  IO f -> case f s of
    (# s1, I# 0# #) -> on (plusAddr# ip 32#) fp mem size inst s1
    (# s1, I# code #) -> (# s1, code, ip, fp #)
far on ip fp mem size inst s = case Far.step (Ptr ip) (Ptr fp) (Ptr inst) of
  IO f -> case f s of
    (# s1, I# 0# #) -> on (plusAddr# ip 32#) fp mem size inst s1
    (# s1, I# code #) -> (# s1, code, ip, fp #)
simdFar on ip fp mem size inst s = case rA inst (uncheckedIShiftRL# (unsigned ip 6#) 1#) s of
  (# s1, record #) -> case rA record MovingAddress# s1 of
    (# s2, base #) -> case rL record MovingSize# s2 of
      (# s3, bytes #) -> case Simd.step (Ptr ip) (Ptr fp) (Ptr base) (I# bytes) of
        IO f -> case f s3 of
          (# s4, I# 0# #) -> on (plusAddr# ip 32#) fp mem size inst s4
          (# s4, I# code #) -> (# s4, code, ip, fp #)
canonicalLanes32 on ip fp mem size inst s = case Simd.canonical32 (Ptr ip) (Ptr fp) of
  IO f -> case f s of
    (# s1, () #) -> on (plusAddr# ip 16#) fp mem size inst s1
canonicalLanes64 on ip fp mem size inst s = case Simd.canonical64 (Ptr ip) (Ptr fp) of
  IO f -> case f s of
    (# s1, () #) -> on (plusAddr# ip 16#) fp mem size inst s1
{-# INLINE canonicalLanes32 #-}
{-# INLINE canonicalLanes64 #-}
{-# INLINE slow #-}
{-# INLINE simd #-}
{-# INLINE far #-}
{-# INLINE simdFar #-}

-- * Calls that take their caller's place

-- | Functions of the instance: its own by index, by a table's element, by a
-- reference. What leads out of it is left to the driver.
tailOwn, tailTable, tailRef :: Loop -> Loop
tailOwn away ip fp mem size inst s = case rA inst InstCode# s of
  (# s1, code #) -> case rA code (field ip 2#) s1 of
    (# s2, target #) -> case replaceFrame ip fp (field ip 3#) (field ip 4#) (field ip 5#) s2 of
      s3 -> away target fp mem size inst s3
tailTable away ip fp mem size inst s = case r32 fp (field ip 2#) s of
  (# s1, x #) -> case word2Int# (word32ToWord# x) of
    i -> case rA inst (field ip 3#) s1 of
      (# s2, table #) -> case rL table MovingSize# s2 of
        (# s3, count #) -> case i <# count of
          0# -> (# s3, ExitUndefined#, ip, fp #)
          _ -> case rA table MovingAddress# s3 of
            (# s4, elements #) -> case rA elements (uncheckedIShiftL# i 3#) s4 of
              (# s5, func #) -> case eqAddr# func nullAddr# of
                1# -> (# s5, ExitUninitialized#, ip, fp #)
                _ -> case rL func FuncTypeId# s5 of
                  (# s6, found #) -> case rL inst (field ip 4#) s6 of
                    (# s7, expected #) -> case found ==# expected of
                      0# -> (# s7, ExitIndirectType#, ip, fp #)
                      _ ->
                        tailFunc
                          away
                          func
                          (field ip 5#)
                          (field ip 6#)
                          (field ip 7#)
                          ip
                          fp
                          mem
                          size
                          inst
                          s7
tailRef away ip fp mem size inst s = case rA fp (field ip 2#) s of
  (# s1, func #) -> case eqAddr# func nullAddr# of
    1# -> (# s1, ExitNull#, ip, fp #)
    _ -> tailFunc away func (field ip 3#) (field ip 4#) (field ip 5#) ip fp mem size inst s1
{-# INLINE tailOwn #-}
{-# INLINE tailTable #-}
{-# INLINE tailRef #-}

tailFunc :: Loop -> Addr# -> Int# -> Int# -> Int# -> Loop
tailFunc away func link n own ip fp mem size inst s = case rA func FuncInst# s of
  (# s1, owner #) -> case eqAddr# owner inst of
    0# -> (# s1, ExitForeign#, ip, fp #)
    _ -> case rL func FuncCode# s1 of
      (# s2, place #) -> case rA inst InstCode# s2 of
        (# s3, code #) -> case rA code place s3 of
          (# s4, target #) -> case replaceFrame ip fp link n own s4 of
            s5 -> away target fp mem size inst s5

-- | Move @n@ bytes of arguments to the frame's beginning, and the frame's link from
-- @own@ to @link@, where the new function has its own.
replaceFrame :: Addr# -> Addr# -> Int# -> Int# -> Int# -> State# RealWorld -> State# RealWorld
replaceFrame ip fp link n own s = case rA fp own s of
  (# s1, back #) -> case rA fp (own +# 8#) s1 of
    (# s2, caller #) -> case down 0# s2 of
      s3 -> case wA fp link back s3 of
        s4 -> wA fp (link +# 8#) caller s4
  where
    from = field ip 1#
    down o t = case o <# n of
      1# -> case rW fp (from +# o) t of
        (# t1, x #) -> case wW fp o x t1 of t2 -> down (o +# 8#) t2
      _ -> t

-- * The loop

$threaded

-- | Run from an instruction: frame, memory and its size in bytes, instance.
enter :: Ptr () -> Ptr () -> Ptr () -> Int -> Ptr () -> IO Exit
enter (Ptr ip) (Ptr fp) (Ptr mem) (I# size) (Ptr inst) = IO $ \s ->
  case loop ip fp mem size inst s of
    (# s1, code, ip1, fp1 #) -> (# s1, Exit (I# code) (Ptr ip1) (Ptr fp1) #)
