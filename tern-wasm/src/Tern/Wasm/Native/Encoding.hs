-- | Machine code in the making: bytes, labels, and the one shape that instructions of
-- x86-64 have.
--
-- The idea: an instruction is a prefix, a size, an opcode, a register and a
-- register or a place in memory; one function, 'encode', writes them all. Distances of
-- jumps are always 32 bits. Jumps to a label that has no place yet are a chain: where the
-- distance of each will be stands where the one before it is, and when the label is placed
-- the chain is gone through. So a label is four bytes, and a jump nothing.
--
-- Start at 'Assembler', 'Operand' and 'encode'; the instructions' names are in
-- "Tern.Wasm.Native.Assembler".
module Tern.Wasm.Native.Encoding
  ( -- * Code
    Assembler,
    new,
    append,
    finish,

    -- * Labels
    Label,
    newLabel,
    newLabels,
    labelAt,
    place,
    placeOf,
    gap,
    position,
    align,
    word,

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
    encode,
    Leading (..),
    Map (..),
    encodeApart,
    wideOf,
  )
where

import Control.Monad (filterM, forM_, when)
import Data.Bits (complement, shiftL, shiftR, (.&.), (.|.))
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import Data.Int (Int32)
import Data.Maybe (fromMaybe)
import Data.Vector.Unboxed.Mutable qualified as MU
import Data.Word (Word64)
import Tern.Wasm.Meaning (Size (..))
import Tern.Wasm.Native.Bytes (Bytes)
import Tern.Wasm.Native.Bytes qualified as Bytes
import Tern.Wasm.Prim (Ptr)

-- * Code

-- | Code in the making, and its labels.
data Assembler = Assembler
  { bytes :: !Bytes,
    -- | How many there are, and what is known of each: its place, or 'chained', or 'free'.
    labels :: !(IORef Int),
    places :: !(IORef (MU.IOVector Int32))
  }

-- | Without code, and without labels.
new :: IO Assembler
new = do
  known <- MU.replicate 64 free
  Assembler <$> Bytes.new <*> newIORef 0 <*> newIORef known

-- | How many bytes there are, and a way to copy them to an address; 'Nothing' where something
-- leads to a label that was never placed.
finish :: Assembler -> IO (Maybe (Int, Ptr () -> IO ()))
finish a = do
  many <- readIORef (labels a)
  known <- readIORef (places a)
  open <- filterM (fmap (< free) . MU.read known) [0 .. many - 1]
  n <- Bytes.size (bytes a)
  pure (if null open then Just (n, Bytes.copyTo (bytes a)) else Nothing)

-- | Append the @n@ low bytes of the number @v@; @n@ is at most eight.
append :: Assembler -> Int -> Word64 -> IO ()
append = Bytes.append . bytes

-- | How many bytes there are so far.
position :: Assembler -> IO Int
position = Bytes.size . bytes

-- | Fill with instructions that do nothing up to a multiple of a power of two.
align :: Assembler -> Int -> IO ()
align a n = do
  at <- position a
  go (negate at .&. (n - 1))
  where
    go k
      | k <= 0 = pure ()
      | otherwise = case min k 8 of
          1 -> append a 1 0x90 >> go (k - 1)
          2 -> append a 2 0x9066 >> go (k - 2)
          3 -> append a 3 0x001F0F >> go (k - 3)
          4 -> append a 4 0x00401F0F >> go (k - 4)
          5 -> append a 5 0x0000441F0F >> go (k - 5)
          6 -> append a 6 0x0000441F0F66 >> go (k - 6)
          7 -> append a 7 0x00000000801F0F >> go (k - 7)
          _ -> append a 8 0x0000000000841F0F >> go (k - 8)

-- | Append a number of 64 bits.
word :: Assembler -> Int -> IO ()
word a = append a 8 . fromIntegral

-- * Labels

-- | A place in the code that jumps may lead to before it is known; a number among the labels of one
-- assembler.
newtype Label = Label Int
  deriving stock (Eq, Show)

-- | A label that has no place yet; 'place' gives it one.
newLabel :: Assembler -> IO Label
newLabel a = newLabels a 1

-- | The first of so many labels, which 'labelAt' counts from.
newLabels :: Assembler -> Int -> IO Label
newLabels a many = do
  n <- readIORef (labels a)
  known <- readIORef (places a)
  when (n + many > MU.length known) $ do
    more <- MU.grow known (max many (MU.length known))
    forM_ [MU.length known .. MU.length more - 1] $ \l -> MU.write more l free
    writeIORef (places a) more
  writeIORef (labels a) $! n + many
  pure (Label n)

-- | Of labels made at once, the one that is @n@ after another.
labelAt :: Label -> Int -> Label
labelAt (Label l) k = Label (l + k)

-- | Of a label without a place: nothing leads to it.
free :: Int32
free = -1

-- | The last of the gaps that lead to a label without a place, from what is known of it, and
-- the other way round.
chained :: Int32 -> Int32
chained at = -2 - at

-- | Let a label stand here.
place :: Assembler -> Label -> IO ()
place a (Label l) = do
  known <- readIORef (places a)
  here <- Bytes.size (bytes a)
  is <- MU.read known l
  when (is < free) (fill a here (chained is))
  MU.write known l (fromIntegral here)

-- | Let a gap and all before it in its chain lead to a place.
fill :: Assembler -> Int -> Int32 -> IO ()
fill a to = go . fromIntegral
  where
    go at = do
      before <- Bytes.distanceAt (bytes a) at
      Bytes.putDistance (bytes a) at (fromIntegral (to - at - 4))
      when (before < free) (go (fromIntegral (chained before)))

-- | Where a label stands, in bytes from the start.
placeOf :: Assembler -> Label -> IO (Maybe Int)
placeOf a (Label l) = do
  known <- readIORef (places a)
  is <- MU.read known l
  pure (if is > free then Just (fromIntegral is) else Nothing)

-- | The distance to a label.
gap :: Assembler -> Label -> IO ()
gap a (Label l) = do
  known <- readIORef (places a)
  at <- Bytes.size (bytes a)
  is <- MU.read known l
  if is > free
    then append a 4 (fromIntegral (fromIntegral is - at - 4))
    else do
      MU.write known l (chained (fromIntegral at))
      append a 4 (fromIntegral is)

-- * Operands

-- | 0 to 15, in the processor's order.
type Register = Int

-- | The first eight registers, by name; the others have numbers only.
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

-- | A register, for integers or vectors as the instruction has it, or a place in memory. Distances
-- are in bytes.
data Operand
  = Reg !Register
  | -- | A base and a distance of 32 bits.
    Mem !Register !Int
  | -- | A base, an index (not 'rsp') and a distance.
    Indexed !Register !Register !Int
  | -- | The same with eight times the index.
    Indexed8 !Register !Register !Int
  | -- | At a label of the code itself; of no instruction that ends with an immediate.
    InCode !Label
  deriving stock (Eq, Show)

-- | Prefix (0 for none), whether the operation has 64 bits, whether a register of
-- 8 bits must be one of the new ones, opcode (up to three bytes, the first one
-- highest), register field, operand.
encode :: Assembler -> Int -> Bool -> Bool -> Int -> Register -> Operand -> IO ()
encode a prefix wide narrow opcode r m = case m of
  Reg q -> written q 0 3 (q .&. 7) (-1) 0
  Mem q d -> written q 0 (modeOf q d) (q .&. 7) (if q .&. 7 == 4 then 0x24 else -1) d
  Indexed q i d -> written q i (modeOf q d) 4 (((i .&. 7) `shiftL` 3) .|. (q .&. 7)) d
  InCode l -> written 0 0 0 5 (-1) 0 >> gap a l
  Indexed8 q i d -> written q i (modeOf q d) 4 (0xC0 .|. ((i .&. 7) `shiftL` 3) .|. (q .&. 7)) d
  where
    -- The register or the base, the index, how long the distance is, what stands for
    -- the operand in the first byte, the second (or -1), and the distance.
    written :: Register -> Register -> Int -> Int -> Int -> Int -> IO ()
    written !q !x !mode !field !scaled !d = do
      let !rex =
            0x40
              .|. (if wide then 8 else 0)
              .|. ((r `shiftR` 3) `shiftL` 2)
              .|. ((x `shiftR` 3) `shiftL` 1)
              .|. (q `shiftR` 3)
          !modRm = (mode `shiftL` 6) .|. ((r .&. 7) `shiftL` 3) .|. field
          !k0 = if prefix /= 0 then 8 else 0
          !k1 = if rex /= 0x40 || narrow then k0 + 8 else k0
          !k2
            | opcode > 0xFFFF = k1 + 24
            | opcode > 0xFF = k1 + 16
            | otherwise = k1 + 8
          !swapped
            | opcode > 0xFFFF =
                (opcode `shiftR` 16) .|. (opcode .&. 0xFF00) .|. ((opcode .&. 0xFF) `shiftL` 16)
            | opcode > 0xFF = (opcode `shiftR` 8) .|. ((opcode .&. 0xFF) `shiftL` 8)
            | otherwise = opcode
          !v1 = if k1 > k0 then prefix .|. (rex `shiftL` k0) else prefix
          !v2 = v1 .|. (swapped `shiftL` k1) .|. (modRm `shiftL` k2)
          !v3 = if scaled >= 0 then v2 .|. (scaled `shiftL` (k2 + 8)) else v2
      append a ((k2 + (if scaled >= 0 then 16 else 8)) `shiftR` 3) (fromIntegral v3)
      distance a mode d

-- | What stands for a prefix, and for the first bytes of an opcode, in an instruction of three
-- operands; in the processor's order.
data Leading = NoPrefix | Prefix66 | PrefixF3 | PrefixF2
  deriving stock (Bounded, Enum, Eq, Show)

-- | The first bytes of an opcode: 0F, 0F 38 or 0F 3A.
data Map = Map0F | Map0F38 | Map0F3A
  deriving stock (Bounded, Enum, Eq, Show)

-- | An instruction of three operands: a prefix, a map, whether the operation has 64 bits, an
-- opcode of one byte, the first register, the second (0 where there is none), the operand, and
-- how many bytes come after it.
--
-- The longest form of its first bytes is always right; the short one is for the first map,
-- where neither base nor index is one of the new registers.
encodeApart ::
  Assembler -> Leading -> Map -> Bool -> Int -> Register -> Maybe Register -> Operand -> IO ()
encodeApart a prefix map_ wide opcode r second m = case m of
  Reg q -> written q 0 3 (q .&. 7) (-1) 0
  Mem q d -> written q 0 (modeOf q d) (q .&. 7) (if q .&. 7 == 4 then 0x24 else -1) d
  Indexed q i d -> written q i (modeOf q d) 4 (((i .&. 7) `shiftL` 3) .|. (q .&. 7)) d
  Indexed8 q i d -> written q i (modeOf q d) 4 (0xC0 .|. ((i .&. 7) `shiftL` 3) .|. (q .&. 7)) d
  InCode l -> written 0 0 0 5 (-1) 0 >> gap a l
  where
    written :: Register -> Register -> Int -> Int -> Int -> Int -> IO ()
    written !q !x !mode !field !scaled !d = do
      let !short = q < 8 && x < 8 && not wide && map_ == Map0F
          !high = if r < 8 then 0x80 else 0
          !other = ((complement (fromMaybe 0 second) .&. 15) `shiftL` 3) .|. fromEnum prefix
          !first
            | short = 0xC5 .|. ((high .|. other) `shiftL` 8)
            | otherwise =
                0xC4
                  .|. ( ( high
                            .|. (if x < 8 then 0x40 else 0)
                            .|. (if q < 8 then 0x20 else 0)
                            .|. (fromEnum map_ + 1)
                        )
                          `shiftL` 8
                      )
                  .|. (((if wide then 0x80 else 0) .|. other) `shiftL` 16)
          !k = if short then 16 else 24
          !modRm = (mode `shiftL` 6) .|. ((r .&. 7) `shiftL` 3) .|. field
          !v = first .|. (opcode `shiftL` k) .|. (modRm `shiftL` (k + 8))
          !v' = if scaled >= 0 then v .|. (scaled `shiftL` (k + 16)) else v
      append a ((k + (if scaled >= 0 then 24 else 16)) `shiftR` 3) (fromIntegral v')
      distance a mode d

-- | How long the distance of a place is: a base of rbp or r13 has no form without one.
modeOf :: Register -> Int -> Int
modeOf q d
  | d == 0 && q .&. 7 /= 5 = 0
  | d >= -128 && d <= 127 = 1
  | otherwise = 2

distance :: Assembler -> Int -> Int -> IO ()
distance a mode d = case mode of
  1 -> append a 1 (fromIntegral d)
  2 -> append a 4 (fromIntegral d)
  _ -> pure ()

-- | Whether a size is that of 64 bits, as 'encode' is told.
wideOf :: Size -> Bool
wideOf = (== Full)
