-- | Bytecode with whatever fields and values, run as it stands and again after 'join' has looked
-- at it.
--
-- The idea: both must leave the same frame, memory and fuel, for the same reason, at the same
-- place. Slots and addresses are drawn from few, so that operands are often the same slot and
-- accesses often trap. Calls and returns lead to code that ends. A link holds addresses, which
-- differ from run to run; so links stand where nobody compares.
--
-- Start at 'ran'.
module Tern.Wasm.Stepwise
  ( Step (..),
    Fields (..),
    encoded,
    drawnSteps,
    linkedAs,
    pairOf,
    Case (..),
    drawnCase,
    ran,
    joinedOf,
  )
where

import Control.Monad (replicateM, when)
import Data.Bits (shiftL, (.&.), (.|.))
import Data.List (find)
import Data.Word (Word64)
import Foreign.ForeignPtr (mallocForeignPtrBytes)
import Foreign.Marshal.Array (peekArray, pokeArray, withArray)
import Foreign.Ptr (Ptr, WordPtr (..), castPtr, minusPtr, plusPtr, ptrToWordPtr)
import Tern.Wasm.Byte (opNumber)
import Tern.Wasm.Code (Op (..), unit)
import Tern.Wasm.Exec (Exit (..), enter)
import Tern.Wasm.Lasting (Lasting, at, lasting, newKeeper)
import Tern.Wasm.Layout (instCode, instFuel, instHeader, instStackLimit)
import Tern.Wasm.Lower.Join (join)
import Tern.Wasm.Meaning
  ( Addressed (..),
    Callee (..),
    Meaning (..),
    Second (..),
    Where (..),
    meaning,
    wordsAfter,
  )
import Tern.Wasm.Pair (Link (..), Pair (..), pairs)
import Tern.Wasm.Prim (peekByteOff)
import Tern.Wasm.Seed (Draw, below, draw, pick)

-- * Instructions

-- | The fields a, b and c of an instruction.
data Fields = Fields {fieldA :: Int, fieldB :: Int, fieldC :: Int}
  deriving stock (Show)

-- | An instruction, and what it has after its first 16 bytes, eight bytes each.
data Step = Step {stepOp :: Op, stepFields :: Fields, stepMore :: [Word64]}
  deriving stock (Show)

-- | An instruction as words.
encoded :: Step -> [Word64]
encoded (Step op (Fields x y z) more) =
  [ fromIntegral (opNumber op) .|. (low x `shiftL` 32),
    low y .|. (low z `shiftL` 32)
  ]
    <> more

low :: Int -> Word64
low n = fromIntegral n .&. 0xFFFFFFFF

-- | Instructions one after the other, with fields with which they stay within the frame and the
-- code; memory they may miss. A jump leads to any of them, or to their end.
drawnSteps :: [Op] -> Draw [Step]
drawnSteps ops = mapM drawnFrom (zip places ops)
  where
    places = scanl (+) 0 (map size ops)
    size op = unit * (1 + (wordsAfter (meaning op) 0 + 3) `div` 4)
    drawnFrom (here, op) = drawnStep (map (subtract here) places) op

-- | An instruction that jumps by one of some distances, if it does.
drawnStep :: [Int] -> Op -> Draw Step
drawnStep distances op = case meaning op of
  Enters -> alone (Fields <$> pick 8 [8, enough - 8, enough, enough + 8] <*> pure 0 <*> pure 0)
  Makes _ -> alone (Fields <$> slot <*> number <*> number)
  Operates _ _ OfConstant -> alone (Fields <$> slot <*> slot <*> number)
  Loads AtSlot _ -> alone (Fields <$> slot <*> slot <*> offset)
  Loads AtConstant _ -> alone (Fields <$> slot <*> offset <*> offset)
  Stores AtSlot _ -> alone (Fields <$> slot <*> slot <*> offset)
  Stores AtConstant _ -> alone (Fields <$> slot <*> slot <*> offset)
  StoresNarrow _ -> alone (Fields <$> slot <*> slot <*> offset)
  Compares _ _ OfConstant _ -> alone (Fields <$> slot <*> slot <*> number)
  GetsGlobal Here _ -> alone (Fields <$> slot <*> global <*> slot)
  SetsGlobal Here _ -> alone (Fields <$> slot <*> global <*> slot)
  Selects _ -> do
    (chosen, condition) <- (,) <$> (Fields <$> slot <*> slot <*> slot) <*> slot
    pure (Step op chosen [low condition, 0])
  Zeroes offsets -> alone (Fields . (8 *) <$> below (slots + 2 - length offsets) <*> slot <*> slot)
  Jumps -> alone (Fields <$> distance <*> slot <*> slot)
  JumpsIf _ -> alone (Fields <$> distance <*> slot <*> slot)
  JumpsOn _ _ OfConstant -> alone (Fields <$> distance <*> slot <*> number)
  JumpsOn _ _ OfSlot -> alone (Fields <$> distance <*> slot <*> slot)
  Returns -> pure (Step op (Fields linkAt 0 0) [])
  ReturnsOne _ -> alone (Fields linkAt <$> slot <*> slot)
  Calls Own -> pure (Step op (Fields calleeAt 0 0) [])
  Calls InTable -> do
    b <- slot
    pure (Step op (Fields calleeAt b tableAt) [low typeAt, 0])
  -- Whatever else stands in a pair or a row has slots alone.
  _ -> alone (Fields <$> slot <*> slot <*> slot)
  where
    alone drawn = (\f -> Step op f []) <$> drawn
    slot = (8 *) <$> below slots
    global = (globalsAt +) . (8 *) <$> below globals
    offset = pick 0 [0, 0, 1, 8, 40, 64, -1]
    number = (\v -> fromIntegral (v .&. 0xFFFFFFFF)) <$> value
    distance = pick unit distances

-- | With the fields of each pair's second instruction as the pair has them.
linkedAs :: [Op] -> [Step] -> [Step]
linkedAs (op : ops) (first : others) = case (pairOf op, others) of
  (Just p, second : rest) -> first : second {stepFields = linked p first second} : linkedAs ops rest
  _ -> first : linkedAs ops others
linkedAs _ steps = steps

linked :: Pair -> Step -> Step -> Fields
linked p first second = case pairLink p of
  IntoA -> (stepFields second) {fieldA = fieldA (stepFields first)}
  IntoB -> (stepFields second) {fieldB = fieldA (stepFields first)}

pairOf :: Op -> Maybe Pair
pairOf op = find ((== op) . pairBoth) pairs

-- | Addresses of the memory, numbers near the ends of their range, floats, whatever.
value :: Draw Word64
value = do
  way <- below 4
  case way of
    0 -> fromIntegral <$> below 70
    1 -> pick 0 [0, 1, maxBound, 0x80000000, 0x7FFFFFFF, 0xFFFFFFFF, 0x8000000000000000]
    2 -> pick 0 [0x3FF8000000000000, 0xC004000000000000, 0x7FF8000000000001, 0x7FF0000000000000]
    _ -> draw

-- * What they find

-- | The frame, the memory and the globals, in words, and the fuel.
data Case = Case
  { caseFrame :: [Word64],
    caseMemory :: [Word64],
    caseGlobals :: [Word64],
    caseFuel :: Word64
  }
  deriving stock (Show)

drawnCase :: Draw Case
drawnCase =
  Case
    <$> replicateM (slots + 1) value
    <*> replicateM words_ draw
    <*> replicateM globals value
    <*> pick 0 [0, 1, 3]

-- | In the frame, of 8 bytes, but for one after them; and in memory.
slots, words_ :: Int
slots = 5
words_ = 8

-- | Where a frame has its link, where a callee's frame begins, both in bytes and after what is
-- compared, and how far frames may reach.
linkAt, calleeAt, enough :: Int
linkAt = 64
calleeAt = 96
enough = 128

-- | Where the instance's block has the address of its table, a type's number and its globals.
tableAt, typeAt, globalsAt :: Int
tableAt = instHeader
typeAt = instHeader + 8
globalsAt = 1024

globals :: Int
globals = 3

-- | The number that the first instruction has in the end, and what they all did: why and where
-- the loop ended, where the frame is, what is in the frame, the memory and the globals, and the
-- fuel that is left.
ran :: [Step] -> Case -> Bool -> IO (Int, (Int, Int, Int, [[Word64]], Word64))
ran given c together = do
  code <- placed written
  when together (join code (8 * length written))
  at code $ \ip ->
    withArray (caseFrame c <> replicate (enough `div` 8 - slots - 1) 0) $ \fp ->
      withArray (caseMemory c) $ \mem ->
        withArray (replicate 256 (0 :: Word64)) $ \inst -> do
          let end = word (ip `plusPtr` (8 * length (concatMap encoded given)))
              -- Five elements, again and again: of the type that is asked for, of another, null,
              -- of another instance.
              func k = word (funcs `plusPtr` (32 * k))
              (codes, funcs, elements) = (from 200, from 208, from 320)
              from k = inst `plusPtr` k :: Ptr Word64
          pokeArray (fp `plusPtr` linkAt) [end, word fp]
          pokeArray (from instStackLimit) [word (fp `plusPtr` enough)]
          pokeArray (from instCode) [word codes]
          pokeArray (from instFuel) [caseFuel c]
          pokeArray (from globalsAt) (caseGlobals c)
          pokeArray (from tableAt) [word (from 184), 7]
          pokeArray (from 184) [word elements, 64]
          pokeArray codes [end]
          pokeArray funcs [word inst, 7, 0, 0, word inst, 8, 0, 0, 0, 7, 0, 0]
          pokeArray elements (take 64 (cycle [func 0, func 1, func 0, 0, func 2]))
          number <- peekByteOff ip 0 :: IO Word64
          Exit why out frame <- enter ip (castPtr fp) (castPtr mem) (8 * words_) (castPtr inst)
          frame' <- peekArray (slots + 1) fp
          memory' <- peekArray words_ mem
          globals' <- peekArray globals (from globalsAt)
          fuel <- peekByteOff inst instFuel
          pure
            ( fromIntegral (number .&. 0xFFFF),
              (why, out `minusPtr` ip, frame `minusPtr` fp, [frame', memory', globals'], fuel)
            )
  where
    written = concatMap encoded (given <> replicate 3 (Step Halt (Fields 0 0 0) []))
    word :: Ptr a -> Word64
    word p = let WordPtr w = ptrToWordPtr p in fromIntegral w

placed :: [Word64] -> IO Lasting
placed written = do
  keeper <- newKeeper
  code <- mallocForeignPtrBytes (8 * length written) >>= lasting keeper
  code <$ at code (`pokeArray` written)

-- | Code with its pairs and rows.
joinedOf :: [Word64] -> IO [Word64]
joinedOf written = do
  code <- placed written
  join code (8 * length written)
  at code (peekArray (length written))
