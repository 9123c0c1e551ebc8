-- | An assembler for the part of x86-64 that the native tier uses.
--
-- The idea: the names below are the arguments of one function,
-- 'Tern.Wasm.Native.Encoding.encode'. The tests read what is written here with
-- another disassembler.
--
-- Start at any instruction. Sizes: a name that ends in a size is given it ('Size');
-- floats are single or double by the same.
module Tern.Wasm.Native.Assembler
  ( -- * Code, labels and operands
    module Operands,

    -- * Moves
    load,
    store,
    storeNarrow,
    storeImmediate,
    storeNarrowImmediate,
    loadZero,
    loadSign,
    loadImmediate,
    address,
    exchangeable,

    -- * Integers
    Arithmetic (..),
    arithmetic,
    arithmeticImmediate,
    increment,
    test,
    multiply,
    multiplyImmediate,
    Shift (..),
    shiftByCl,
    shiftBy,
    rotateApart,
    andOpposite,
    negative,
    divide,
    signExtendAccumulator,
    scanForward,
    scanReverse,
    countOnes,
    moveIf,
    setIf,

    -- * Jumps
    Condition (..),
    jump,
    jumpIf,
    jumpTo,
    callTo,
    ret,
    push,
    pop,
    loadLabel,
    identify,
    savedState,

    -- * Floats
    Float_ (..),
    loadFloat,
    storeFloat,
    copyFloat,
    fromInteger_,
    toInteger_,
    arithmeticFloat,
    arithmeticFloatApart,
    bitsFloat,
    Bits_ (..),
    compareFloat,
    convertFloat,
    roundFloat,
    intToFloat,
    floatToInt,
  )
where

import Control.Monad (when)
import Data.Bits (shiftL, shiftR, (.&.), (.|.))
import Data.Int (Int64)
import Tern.Wasm.Native.Encoding
  ( Leading (..),
    Map (..),
    append,
    encode,
    encodeApart,
    gap,
    wideOf,
  )
import Tern.Wasm.Native.Encoding as Operands hiding
  ( Leading (..),
    Map (..),
    append,
    encode,
    encodeApart,
    gap,
    wideOf,
  )

-- * Moves

-- | To a register from an operand. With 32 bits what the register has above them is cleared.
load :: Assembler -> Size -> Register -> Operand -> IO ()
load a s = encode a 0 (wideOf s) False 0x8B

-- | To an operand from a register.
store :: Assembler -> Size -> Operand -> Register -> IO ()
store a s m r = encode a 0 (wideOf s) False 0x89 r m

-- | Of one byte or two.
storeNarrow :: Assembler -> Int -> Operand -> Register -> IO ()
storeNarrow a 1 m r = encode a 0 False (r >= 4) 0x88 r m
storeNarrow a _ m r = encode a 0x66 False False 0x89 r m

-- | A number of 32 bits, sign-extended.
storeImmediate :: Assembler -> Size -> Operand -> Int -> IO ()
storeImmediate a s m v = encode a 0 (wideOf s) False 0xC7 0 m >> append a 4 (fromIntegral v)

-- | Of one byte or two, a number.
storeNarrowImmediate :: Assembler -> Int -> Operand -> Int -> IO ()
storeNarrowImmediate a 1 m v = encode a 0 False False 0xC6 0 m >> append a 1 (fromIntegral v)
storeNarrowImmediate a _ m v = encode a 0x66 False False 0xC7 0 m >> append a 2 (fromIntegral v)

-- | From one byte or two, the rest zero.
loadZero :: Assembler -> Int -> Register -> Operand -> IO ()
loadZero a n r m =
  encode a 0 False (n == 1 && byteRegister m) (if n == 1 then 0x0FB6 else 0x0FB7) r m

-- | From one byte, two or four, sign-extended to a size.
loadSign :: Assembler -> Size -> Int -> Register -> Operand -> IO ()
loadSign a s n r m = encode a 0 (wideOf s) (n == 1 && byteRegister m) opcode r m
  where
    opcode = case n of
      1 -> 0x0FBE
      2 -> 0x0FBF
      _ -> 0x63

byteRegister :: Operand -> Bool
byteRegister = \case
  Reg r -> r >= 4
  _ -> False

-- | The shortest way to a number of 64 bits; the flags stay.
loadImmediate :: Assembler -> Register -> Int64 -> IO ()
loadImmediate a r v
  | v >= 0 && v <= 0xFFFFFFFF = opcode (0xB8 + (r .&. 7)) False >> append a 4 (fromIntegral v)
  | v >= -0x80000000 && v < 0 = encode a 0 True False 0xC7 0 (Reg r) >> append a 4 (fromIntegral v)
  | otherwise = opcode (0xB8 + (r .&. 7)) True >> append a 8 (fromIntegral v)
  where
    opcode o wide = do
      let rex = 0x40 .|. (if wide then 8 else 0) .|. (r `shiftR` 3) :: Int
      when (rex /= 0x40) (append a 1 (fromIntegral rex))
      append a 1 (fromIntegral o)

-- | The address of an operand in memory.
address :: Assembler -> Size -> Register -> Operand -> IO ()
address a s = encode a 0 (wideOf s) False 0x8D

-- | Whether a number is a distance or an immediate of 32 bits.
exchangeable :: Int -> Bool
exchangeable v = v >= -0x80000000 && v <= 0x7FFFFFFF

-- * Integers

-- | Operators of two operands. 'Cmp' sets the flags as 'Sub' does, and writes nothing else.
data Arithmetic = Add | Or | And | Sub | Xor | Cmp
  deriving stock (Eq, Show)

arithmeticNumber :: Arithmetic -> Int
arithmeticNumber = \case
  Add -> 0
  Or -> 1
  And -> 4
  Sub -> 5
  Xor -> 6
  Cmp -> 7

-- | To a register from an operand.
arithmetic :: Assembler -> Arithmetic -> Size -> Register -> Operand -> IO ()
arithmetic a o s = encode a 0 (wideOf s) False (8 * arithmeticNumber o + 3)

-- | To an operand a number of 32 bits, sign-extended.
arithmeticImmediate :: Assembler -> Arithmetic -> Size -> Operand -> Int -> IO ()
arithmeticImmediate a o s m v
  | v >= -128 && v <= 127 =
      encode a 0 (wideOf s) False 0x83 (arithmeticNumber o) m >> append a 1 (fromIntegral v)
  | otherwise =
      encode a 0 (wideOf s) False 0x81 (arithmeticNumber o) m >> append a 4 (fromIntegral v)

-- | Add one to an operand; the carry flag stays.
increment :: Assembler -> Size -> Operand -> IO ()
increment a s = encode a 0 (wideOf s) False 0xFF 0

-- | Set the flags by the bits that two registers have in common; carry and overflow are clear.
test :: Assembler -> Size -> Register -> Register -> IO ()
test a s r q = encode a 0 (wideOf s) False 0x85 q (Reg r)

-- | A register times an operand, to the register: the low bits, which are the same with a sign or
-- without.
multiply :: Assembler -> Size -> Register -> Operand -> IO ()
multiply a s = encode a 0 (wideOf s) False 0x0FAF

-- | To a register the low bits of an operand times a number of 32 bits, sign-extended.
multiplyImmediate :: Assembler -> Size -> Register -> Operand -> Int -> IO ()
multiplyImmediate a s r m v = encode a 0 (wideOf s) False 0x69 r m >> append a 4 (fromIntegral v)

-- | Shifts and rotations; with a sign, its copies come in from the left.
data Shift = RotateLeft | RotateRight | ShiftLeft | ShiftRight | ShiftRightSigned
  deriving stock (Eq, Show)

shiftNumber :: Shift -> Int
shiftNumber = \case
  RotateLeft -> 0
  RotateRight -> 1
  ShiftLeft -> 4
  ShiftRight -> 5
  ShiftRightSigned -> 7

-- | Shift or rotate an operand by the low bits of rcx: five of them for 32 bits, six for 64.
shiftByCl :: Assembler -> Shift -> Size -> Operand -> IO ()
shiftByCl a o s = encode a 0 (wideOf s) False 0xD3 (shiftNumber o)

-- | The same by a number of bits, below the operand's width.
shiftBy :: Assembler -> Shift -> Size -> Operand -> Int -> IO ()
shiftBy a o s m n =
  encode a 0 (wideOf s) False 0xC1 (shiftNumber o) m >> append a 1 (fromIntegral n)

-- | An operand, rotated to the right by so many bits, in a register; the flags stay. Where the
-- processor has it ('Tern.Wasm.Native.Processor.rotatesApart').
rotateApart :: Assembler -> Size -> Register -> Operand -> Int -> IO ()
rotateApart a s r m n =
  encodeApart a PrefixF2 Map0F3A (wideOf s) 0xF0 r Nothing m >> append a 1 (fromIntegral n)

-- | In a register the bits of an operand that a register does not have. Where the processor has
-- it ('Tern.Wasm.Native.Processor.clearsBits').
andOpposite :: Assembler -> Size -> Register -> Register -> Operand -> IO ()
andOpposite a s r not_ = encodeApart a NoPrefix Map0F38 (wideOf s) 0xF2 r (Just not_)

-- | Negate an operand; of the least number, which stays what it is, the overflow flag is set.
negative :: Assembler -> Size -> Operand -> IO ()
negative a s = encode a 0 (wideOf s) False 0xF7 3

-- | rdx and rax by an operand, signed or not; the remainder in rdx.
divide :: Assembler -> Bool -> Size -> Operand -> IO ()
divide a signed s = encode a 0 (wideOf s) False 0xF7 (if signed then 7 else 6)

-- | The sign of rax in all bits of rdx.
signExtendAccumulator :: Assembler -> Size -> IO ()
signExtendAccumulator a s =
  append a (if s == Full then 2 else 1) (if s == Full then 0x9948 else 0x99)

-- | The number of the lowest or highest bit that is set; the zero flag where none is.
scanForward, scanReverse, countOnes :: Assembler -> Size -> Register -> Operand -> IO ()
scanForward a s = encode a 0 (wideOf s) False 0x0FBC
scanReverse a s = encode a 0 (wideOf s) False 0x0FBD
countOnes a s = encode a 0xF3 (wideOf s) False 0x0FB8

-- | To a register from an operand if a condition holds. The operand is read in any case, and with
-- 32 bits what the register has above them is cleared in any case.
moveIf :: Assembler -> Condition -> Size -> Register -> Operand -> IO ()
moveIf a c s = encode a 0 (wideOf s) False (0x0F40 + fromEnum c)

-- | One byte of a register, which is not cleared above it.
setIf :: Assembler -> Condition -> Register -> IO ()
setIf a c r = encode a 0 False (r >= 4) (0x0F90 + fromEnum c) 0 (Reg r)

-- * Jumps

-- | In the processor's order.
data Condition
  = Overflow
  | NoOverflow
  | Below
  | AboveEqual
  | Equal
  | NotEqual
  | BelowEqual
  | Above
  | Negative
  | NotNegative
  | Parity
  | NoParity
  | Less
  | GreaterEqual
  | LessEqual
  | Greater
  deriving stock (Bounded, Enum, Eq, Show)

-- | Jump to a label; always five bytes.
jump :: Assembler -> Label -> IO ()
jump a l = append a 1 0xE9 >> gap a l

-- | Jump to a label if a condition holds; always six bytes.
jumpIf :: Assembler -> Condition -> Label -> IO ()
jumpIf a c l = append a 2 (0x0F .|. ((0x80 + fromIntegral (fromEnum c)) `shiftL` 8)) >> gap a l

-- | To the address that an operand holds.
jumpTo :: Assembler -> Operand -> IO ()
jumpTo a = encode a 0 False False 0xFF 4

-- | The same as a call, to which 'ret' comes back.
callTo :: Assembler -> Operand -> IO ()
callTo a = encode a 0 False False 0xFF 2

-- | Take an address from the system's stack, and go on there.
ret :: Assembler -> IO ()
ret a = append a 1 0xC3

-- | All 64 bits of a register to the system's stack, and from there.
push, pop :: Assembler -> Register -> IO ()
push a r = when (r >= 8) (append a 1 0x41) >> append a 1 (fromIntegral (0x50 + (r .&. 7)))
pop a r = when (r >= 8) (append a 1 0x41) >> append a 1 (fromIntegral (0x58 + (r .&. 7)))

-- | The address of a label.
loadLabel :: Assembler -> Register -> Label -> IO ()
loadLabel a r l = do
  append
    a
    3
    ( fromIntegral
        ( (0x48 .|. ((r `shiftR` 3) `shiftL` 2))
            .|. (0x8D `shiftL` 8)
            .|. ((0x05 .|. ((r .&. 7) `shiftL` 3)) `shiftL` 16) ::
            Int
        )
    )
  gap a l

-- | The processor's answer to the question in rax.
identify :: Assembler -> IO ()
identify a = append a 2 0xA20F

-- | Which registers the system saves, by the number in rcx, in rax and rdx.
savedState :: Assembler -> IO ()
savedState a = append a 3 0xD0010F

-- * Floats

-- | Operators of floats; the root is of the second operand alone.
data Float_ = AddF | MulF | SubF | DivF | SqrtF
  deriving stock (Bounded, Enum, Eq, Show)

scalar :: Size -> Int
scalar s = if s == Full then 0xF2 else 0xF3

-- | To a vector register from an operand. From memory the rest of it is cleared; from another
-- register it stays.
loadFloat :: Assembler -> Size -> Vector -> Operand -> IO ()
loadFloat a s = encode a (scalar s) False False 0x0F10

-- | To an operand from a vector register.
storeFloat :: Assembler -> Size -> Operand -> Vector -> IO ()
storeFloat a s m x = encode a (scalar s) False False 0x0F11 x m

-- | All of a vector register.
copyFloat :: Assembler -> Vector -> Vector -> IO ()
copyFloat a x y = encode a 0 False False 0x0F28 x (Reg y)

-- | The bits of a register as a float, and back.
fromInteger_ :: Assembler -> Size -> Vector -> Register -> IO ()
fromInteger_ a s x r = encode a 0x66 (wideOf s) False 0x0F6E x (Reg r)

-- | The bits of a float to a register. With 32 bits what the register has above them is cleared.
toInteger_ :: Assembler -> Size -> Register -> Vector -> IO ()
toInteger_ a s r x = encode a 0x66 (wideOf s) False 0x0F7E x (Reg r)

-- | To a vector register from itself and an operand; what it has above the float stays.
arithmeticFloat :: Assembler -> Float_ -> Size -> Vector -> Operand -> IO ()
arithmeticFloat a o s = encode a (scalar s) False False (0x0F00 .|. numberOfFloat o)

-- | To a register from another one and an operand; of a root that other one says nothing. Where
-- the processor has it ('Tern.Wasm.Native.Processor.floatsApart').
arithmeticFloatApart :: Assembler -> Float_ -> Size -> Vector -> Vector -> Operand -> IO ()
arithmeticFloatApart a o s x y =
  encodeApart a (if s == Full then PrefixF2 else PrefixF3) Map0F False (numberOfFloat o) x (Just y)

numberOfFloat :: Float_ -> Int
numberOfFloat = \case
  AddF -> 0x58
  MulF -> 0x59
  SubF -> 0x5C
  DivF -> 0x5E
  SqrtF -> 0x51

-- | Operators of bits, over the whole of vector registers.
data Bits_ = AndB | OrB | XorB
  deriving stock (Bounded, Enum, Eq, Show)

-- | To a vector register from itself and another one, all 128 bits.
bitsFloat :: Assembler -> Bits_ -> Vector -> Vector -> IO ()
bitsFloat a o x y = encode a 0 False False opcode x (Reg y)
  where
    opcode = case o of
      AndB -> 0x0F54
      OrB -> 0x0F56
      XorB -> 0x0F57

-- | Sets the flags as for numbers without a sign; and parity, zero and carry where
-- an operand is a NaN.
compareFloat :: Assembler -> Size -> Vector -> Operand -> IO ()
compareFloat a s = encode a (if s == Full then 0x66 else 0) False False 0x0F2E

-- | From the other size to this.
convertFloat :: Assembler -> Size -> Vector -> Operand -> IO ()
convertFloat a s = encode a (if s == Full then 0xF3 else 0xF2) False False 0x0F5A

-- | By a rounding mode: 0 nearest, 1 down, 2 up, 3 towards zero.
roundFloat :: Assembler -> Size -> Int -> Vector -> Operand -> IO ()
roundFloat a s mode x m =
  encode a 0x66 False False (if s == Full then 0x0F3A0B else 0x0F3A0A) x m
    >> append a 1 (fromIntegral (8 + mode))

-- | To a float of a size from a signed integer of another.
intToFloat :: Assembler -> Size -> Size -> Vector -> Operand -> IO ()
intToFloat a s from = encode a (scalar s) (wideOf from) False 0x0F2A

-- | Towards zero, from a float of a size to a signed integer of another; the least
-- integer where it does not fit.
floatToInt :: Assembler -> Size -> Size -> Register -> Operand -> IO ()
floatToInt a s to = encode a (scalar s) (wideOf to) False 0x0F2C
