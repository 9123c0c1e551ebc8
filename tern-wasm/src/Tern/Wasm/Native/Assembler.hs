-- | An assembler for the part of x86-64 that the native tier uses.
--
-- The idea: an instruction is a prefix, a size, an opcode, a register and a
-- register or a place in memory; one function, 'encode', writes them all, and the
-- names below are its arguments. Distances of jumps are always 32 bits, and filled
-- in by 'finish' when all labels are known. The tests read what is written here
-- with another disassembler.
--
-- Start at 'Assembler', 'Operand' and 'encode'. Sizes: a name that ends in a size
-- is given it ('Size'); floats are single or double by the same.
module Tern.Wasm.Native.Assembler
  ( -- * Code
    Assembler,
    new,
    finish,

    -- * Labels
    Label,
    newLabel,
    place,
    placeOf,

    -- * Operands
    Size (..),
    Register,
    rax,
    rcx,
    rdx,
    rbx,
    rsp,
    rbp,
    rsi,
    rdi,
    Vector,
    Operand (..),

    -- * Moves
    load,
    store,
    storeNarrow,
    storeImmediate,
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
    ret,
    push,
    pop,
    loadLabel,
    identify,

    -- * Floats
    Float_ (..),
    loadFloat,
    storeFloat,
    copyFloat,
    fromInteger_,
    toInteger_,
    arithmeticFloat,
    bitsFloat,
    Bits_ (..),
    compareFloat,
    convertFloat,
    roundFloat,
    intToFloat,
    floatToInt,
  )
where

import Control.Monad (forM_, when)
import Data.Bits (shiftL, shiftR, (.&.), (.|.))
import Data.IORef
import Data.Int (Int32, Int64)
import Data.IntMap.Strict qualified as IntMap
import Data.Word (Word64)
import Foreign.ForeignPtr (ForeignPtr, mallocForeignPtrBytes, withForeignPtr)
import Foreign.Marshal.Utils (copyBytes)
import Foreign.Ptr (Ptr)
import Foreign.Storable (pokeByteOff)
import GHC.ForeignPtr (unsafeWithForeignPtr)

-- * Code

-- | Bytes in the making. Invariant: @0 <= size <= capacity@, and every write stays
-- below the capacity.
data Assembler = Assembler
  { bytes :: !(IORef (ForeignPtr ())),
    capacity :: !(IORef Int),
    size :: !(IORef Int),
    labels :: !(IORef Int),
    places :: !(IORef (IntMap.IntMap Int)),
    -- | Where a distance of four bytes is to be filled in, and to which label.
    gaps :: !(IORef [(Int, Label)])
  }

new :: IO Assembler
new = do
  block <- mallocForeignPtrBytes 4096
  Assembler <$> newIORef block <*> newIORef 4096 <*> newIORef 0 <*> newIORef 0 <*> newIORef IntMap.empty <*> newIORef []

-- | Fill in all distances; how many bytes there are, and a way to copy them to an
-- address. Jumps to labels that were never placed lead to themselves.
finish :: Assembler -> IO (Int, Ptr () -> IO ())
finish a = do
  block <- readIORef (bytes a)
  n <- readIORef (size a)
  known <- readIORef (places a)
  missing <- readIORef (gaps a)
  withForeignPtr block $ \p -> forM_ missing $ \(at, Label l) -> do
    let to = IntMap.findWithDefault at l known
    pokeByteOff p at (fromIntegral (to - at - 4) :: Int32)
  pure (n, \to -> withForeignPtr block $ \p -> copyBytes to p n)

-- | Append the so many low bytes of a number, at most eight.
append :: Assembler -> Int -> Word64 -> IO ()
append a n v = do
  at <- readIORef (size a)
  most <- readIORef (capacity a)
  if at + 8 > most
    then do
      old <- readIORef (bytes a)
      block <- mallocForeignPtrBytes (2 * most)
      withForeignPtr old $ \from -> withForeignPtr block $ \to -> copyBytes to from at
      writeIORef (bytes a) block
      writeIORef (capacity a) (2 * most)
      append a n v
    else do
      block <- readIORef (bytes a)
      -- The poke cannot fail or loop, which is what this asks for.
      unsafeWithForeignPtr block $ \p -> pokeByteOff p at v
      writeIORef (size a) $! at + n

-- * Labels

newtype Label = Label Int
  deriving stock (Eq)

newLabel :: Assembler -> IO Label
newLabel a = do
  n <- readIORef (labels a)
  writeIORef (labels a) $! n + 1
  pure (Label n)

-- | Let a label stand here.
place :: Assembler -> Label -> IO ()
place a (Label l) = readIORef (size a) >>= \at -> modifyIORef' (places a) (IntMap.insert l at)

-- | Where a label stands, in bytes from the start.
placeOf :: Assembler -> Label -> IO (Maybe Int)
placeOf a (Label l) = IntMap.lookup l <$> readIORef (places a)

gap :: Assembler -> Label -> IO ()
gap a l = do
  at <- readIORef (size a)
  modifyIORef' (gaps a) ((at, l) :)
  append a 4 0

-- * Operands

-- | Of integers, or of floats.
data Size = Half | Full
  deriving stock (Eq, Show)

-- | 0 to 15, in the processor's order.
type Register = Int

rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi :: Register
rax = 0
rcx = 1
rdx = 2
rbx = 3
rsp = 4
rbp = 5
rsi = 6
rdi = 7

-- | A vector register, 0 to 15.
type Vector = Int

data Operand
  = Reg !Register
  | -- | A base and a distance of 32 bits.
    Mem !Register !Int
  | -- | A base, an index (not 'rsp') and a distance.
    Indexed !Register !Register !Int
  | -- | The same with eight times the index.
    Indexed8 !Register !Register !Int
  deriving stock (Eq, Show)

-- | Prefix (0 for none), whether the operation has 64 bits, whether a register of
-- 8 bits must be one of the new ones, opcode (up to three bytes, the first one
-- highest), register field, operand.
encode :: Assembler -> Int -> Bool -> Bool -> Int -> Register -> Operand -> IO ()
encode a prefix wide narrow opcode r m = case m of
  Reg q -> written q 0 3 (q .&. 7) (-1) 0
  Mem q d -> written q 0 (modeOf q d) (q .&. 7) (if q .&. 7 == 4 then 0x24 else -1) d
  Indexed q i d -> written q i (modeOf q d) 4 (((i .&. 7) `shiftL` 3) .|. (q .&. 7)) d
  Indexed8 q i d -> written q i (modeOf q d) 4 (0xC0 .|. ((i .&. 7) `shiftL` 3) .|. (q .&. 7)) d
  where
    -- The register or the base, the index, how long the distance is, what stands for
    -- the operand in the first byte, the second (or -1), and the distance.
    written :: Register -> Register -> Int -> Int -> Int -> Int -> IO ()
    written !q !x !mode !field !scaled !d = do
      let !rex = 0x40 .|. (if wide then 8 else 0) .|. ((r `shiftR` 3) `shiftL` 2) .|. ((x `shiftR` 3) `shiftL` 1) .|. (q `shiftR` 3)
          !modRm = (mode `shiftL` 6) .|. ((r .&. 7) `shiftL` 3) .|. field
          !k0 = if prefix /= 0 then 8 else 0
          !k1 = if rex /= 0x40 || narrow then k0 + 8 else k0
          !k2
            | opcode > 0xFFFF = k1 + 24
            | opcode > 0xFF = k1 + 16
            | otherwise = k1 + 8
          !swapped
            | opcode > 0xFFFF = (opcode `shiftR` 16) .|. (opcode .&. 0xFF00) .|. ((opcode .&. 0xFF) `shiftL` 16)
            | opcode > 0xFF = (opcode `shiftR` 8) .|. ((opcode .&. 0xFF) `shiftL` 8)
            | otherwise = opcode
          !v1 = if k1 > k0 then prefix .|. (rex `shiftL` k0) else prefix
          !v2 = v1 .|. (swapped `shiftL` k1) .|. (modRm `shiftL` k2)
          !v3 = if scaled >= 0 then v2 .|. (scaled `shiftL` (k2 + 8)) else v2
      append a ((k2 + (if scaled >= 0 then 16 else 8)) `shiftR` 3) (fromIntegral v3)
      case mode of
        1 -> append a 1 (fromIntegral d)
        2 -> append a 4 (fromIntegral d)
        _ -> pure ()
    -- A base of rbp or r13 has no form without a distance.
    modeOf q d
      | d == 0 && q .&. 7 /= 5 = 0
      | d >= -128 && d <= 127 = 1
      | otherwise = 2

wideOf :: Size -> Bool
wideOf = (== Full)

-- * Moves

load :: Assembler -> Size -> Register -> Operand -> IO ()
load a s = encode a 0 (wideOf s) False 0x8B

store :: Assembler -> Size -> Operand -> Register -> IO ()
store a s m r = encode a 0 (wideOf s) False 0x89 r m

-- | Of one byte or two.
storeNarrow :: Assembler -> Int -> Operand -> Register -> IO ()
storeNarrow a 1 m r = encode a 0 False (r >= 4) 0x88 r m
storeNarrow a _ m r = encode a 0x66 False False 0x89 r m

-- | A number of 32 bits, sign-extended.
storeImmediate :: Assembler -> Size -> Operand -> Int -> IO ()
storeImmediate a s m v = encode a 0 (wideOf s) False 0xC7 0 m >> append a 4 (fromIntegral v)

-- | From one byte or two, the rest zero.
loadZero :: Assembler -> Int -> Register -> Operand -> IO ()
loadZero a n r m = encode a 0 False (n == 1 && byteRegister m) (if n == 1 then 0x0FB6 else 0x0FB7) r m

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
  | v >= -128 && v <= 127 = encode a 0 (wideOf s) False 0x83 (arithmeticNumber o) m >> append a 1 (fromIntegral v)
  | otherwise = encode a 0 (wideOf s) False 0x81 (arithmeticNumber o) m >> append a 4 (fromIntegral v)

increment :: Assembler -> Size -> Operand -> IO ()
increment a s = encode a 0 (wideOf s) False 0xFF 0

test :: Assembler -> Size -> Register -> Register -> IO ()
test a s r q = encode a 0 (wideOf s) False 0x85 q (Reg r)

multiply :: Assembler -> Size -> Register -> Operand -> IO ()
multiply a s = encode a 0 (wideOf s) False 0x0FAF

multiplyImmediate :: Assembler -> Size -> Register -> Operand -> Int -> IO ()
multiplyImmediate a s r m v = encode a 0 (wideOf s) False 0x69 r m >> append a 4 (fromIntegral v)

data Shift = RotateLeft | RotateRight | ShiftLeft | ShiftRight | ShiftRightSigned
  deriving stock (Eq, Show)

shiftNumber :: Shift -> Int
shiftNumber = \case
  RotateLeft -> 0
  RotateRight -> 1
  ShiftLeft -> 4
  ShiftRight -> 5
  ShiftRightSigned -> 7

shiftByCl :: Assembler -> Shift -> Size -> Operand -> IO ()
shiftByCl a o s = encode a 0 (wideOf s) False 0xD3 (shiftNumber o)

shiftBy :: Assembler -> Shift -> Size -> Operand -> Int -> IO ()
shiftBy a o s m n = encode a 0 (wideOf s) False 0xC1 (shiftNumber o) m >> append a 1 (fromIntegral n)

negative :: Assembler -> Size -> Operand -> IO ()
negative a s = encode a 0 (wideOf s) False 0xF7 3

-- | rdx and rax by an operand, signed or not; the remainder in rdx.
divide :: Assembler -> Bool -> Size -> Operand -> IO ()
divide a signed s = encode a 0 (wideOf s) False 0xF7 (if signed then 7 else 6)

-- | The sign of rax in all bits of rdx.
signExtendAccumulator :: Assembler -> Size -> IO ()
signExtendAccumulator a s = append a (if s == Full then 2 else 1) (if s == Full then 0x9948 else 0x99)

-- | The number of the lowest or highest bit that is set; the zero flag where none is.
scanForward, scanReverse, countOnes :: Assembler -> Size -> Register -> Operand -> IO ()
scanForward a s = encode a 0 (wideOf s) False 0x0FBC
scanReverse a s = encode a 0 (wideOf s) False 0x0FBD
countOnes a s = encode a 0xF3 (wideOf s) False 0x0FB8

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

jump :: Assembler -> Label -> IO ()
jump a l = append a 1 0xE9 >> gap a l

jumpIf :: Assembler -> Condition -> Label -> IO ()
jumpIf a c l = append a 2 (0x0F .|. ((0x80 + fromIntegral (fromEnum c)) `shiftL` 8)) >> gap a l

-- | To the address that an operand holds.
jumpTo :: Assembler -> Operand -> IO ()
jumpTo a = encode a 0 False False 0xFF 4

ret :: Assembler -> IO ()
ret a = append a 1 0xC3

push, pop :: Assembler -> Register -> IO ()
push a r = when (r >= 8) (append a 1 0x41) >> append a 1 (fromIntegral (0x50 + (r .&. 7)))
pop a r = when (r >= 8) (append a 1 0x41) >> append a 1 (fromIntegral (0x58 + (r .&. 7)))

-- | The address of a label.
loadLabel :: Assembler -> Register -> Label -> IO ()
loadLabel a r l = do
  append a 3 (fromIntegral ((0x48 .|. ((r `shiftR` 3) `shiftL` 2)) .|. (0x8D `shiftL` 8) .|. ((0x05 .|. ((r .&. 7) `shiftL` 3)) `shiftL` 16) :: Int))
  gap a l

-- | The processor's answer to the question in rax.
identify :: Assembler -> IO ()
identify a = append a 2 0xA20F

-- * Floats

data Float_ = AddF | MulF | SubF | DivF | SqrtF
  deriving stock (Bounded, Enum, Eq, Show)

scalar :: Size -> Int
scalar s = if s == Full then 0xF2 else 0xF3

loadFloat :: Assembler -> Size -> Vector -> Operand -> IO ()
loadFloat a s = encode a (scalar s) False False 0x0F10

storeFloat :: Assembler -> Size -> Operand -> Vector -> IO ()
storeFloat a s m x = encode a (scalar s) False False 0x0F11 x m

-- | All of a vector register.
copyFloat :: Assembler -> Vector -> Vector -> IO ()
copyFloat a x y = encode a 0 False False 0x0F28 x (Reg y)

-- | The bits of a register as a float, and back.
fromInteger_ :: Assembler -> Size -> Vector -> Register -> IO ()
fromInteger_ a s x r = encode a 0x66 (wideOf s) False 0x0F6E x (Reg r)

toInteger_ :: Assembler -> Size -> Register -> Vector -> IO ()
toInteger_ a s r x = encode a 0x66 (wideOf s) False 0x0F7E x (Reg r)

arithmeticFloat :: Assembler -> Float_ -> Size -> Vector -> Operand -> IO ()
arithmeticFloat a o s = encode a (scalar s) False False $ case o of
  AddF -> 0x0F58
  MulF -> 0x0F59
  SubF -> 0x0F5C
  DivF -> 0x0F5E
  SqrtF -> 0x0F51

data Bits_ = AndB | OrB | XorB
  deriving stock (Bounded, Enum, Eq, Show)

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
roundFloat a s mode x m = encode a 0x66 False False (if s == Full then 0x0F3A0B else 0x0F3A0A) x m >> append a 1 (fromIntegral (8 + mode))

-- | To a float of a size from a signed integer of another.
intToFloat :: Assembler -> Size -> Size -> Vector -> Operand -> IO ()
intToFloat a s from = encode a (scalar s) (wideOf from) False 0x0F2A

-- | Towards zero, from a float of a size to a signed integer of another; the least
-- integer where it does not fit.
floatToInt :: Assembler -> Size -> Size -> Register -> Operand -> IO ()
floatToInt a s to = encode a (scalar s) (wideOf to) False 0x0F2C
