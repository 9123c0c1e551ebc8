-- | The bytecode of a function as the native tier looks at it: its instructions in
-- a row, what each reads and writes of the frame, and where control goes.
--
-- The idea: everything that is asked of an instruction before code is made for it
-- is said here once, in 'effect', with a case for each kind of instruction that
-- "Tern.Wasm.Meaning" has; "Tern.Wasm.Native.Registers" adds it up and
-- "Tern.Wasm.Native.Emit" relies on it.
--
-- Start at 'Located' and 'effect'.
module Tern.Wasm.Native.Flow
  ( -- * Instructions
    Located (..),
    steps,
    bytecodeAt,
    wideField,
    isWide,
    vectorWide,
    vectorLane,

    -- * What they do
    Effect (..),
    Use (..),
    RegisterClass (..),
    wideSlot,
    isWideSlot,
    slotPlace,
    Course (..),
    effect,
    fallsThrough,
    covered,
  )
where

import Data.Bits ((.&.))
import Data.Int (Int32)
import Data.Vector (Vector)
import Data.Vector qualified as V
import Data.Word (Word16)
import Tern.Wasm.Code (Lowered (..), Op)
import Tern.Wasm.Lasting (address)
import Tern.Wasm.Lasting qualified as Lasting
import Tern.Wasm.Meaning
  ( Addressed (..),
    Callee (..),
    Fetched (..),
    Looked (..),
    Meaning (..),
    Next (..),
    Second (..),
    Size (..),
    meaning,
  )
import Tern.Wasm.Native.Distant (Distant (..), distantOf)
import Tern.Wasm.Native.Slow (Slow (..), Truncation (..), slowOf)
import Tern.Wasm.Native.Vector (Vectored (..), laneSize, vectorOf)
import Tern.Wasm.Prim (Ptr, peekByteOff, plusPtr)

-- * Instructions

-- | An instruction: where it is and where the next one is, in bytes, and its
-- fields; those after its first 16 bytes, four bytes each, in 'stepWide'.
data Located = Located
  { stepAt :: !Int,
    stepNext :: !Int,
    stepOp :: !Op,
    stepD :: !Int,
    stepA :: !Int,
    stepB :: !Int,
    stepC :: !Int,
    stepWide :: ![Int]
  }

-- | The address of a function's bytecode; it stays where it is.
bytecodeAt :: Lowered -> Ptr ()
bytecodeAt = address . loweredCode

wideField :: Located -> Int -> Int
wideField s k = case drop k (stepWide s) of
  x : _ -> x
  [] -> 0

-- | Whether the address of an access to a memory that no register holds has 64 bits.
isWide :: Located -> Bool
isWide s = wideField s 2 /= 0

-- | The same of an access to vectors; and the number of the lane that one is over, if it is
-- over one.
vectorWide :: Located -> Bool
vectorWide s = odd (wideField s 2)

vectorLane :: Located -> Int
vectorLane s = wideField s 1

-- | All instructions of a function, in order.
steps :: Lowered -> IO (Vector Located)
steps l = Lasting.at (loweredCode l) $ \p -> V.fromList <$> go p 0
  where
    go p at
      | at >= loweredSize l = pure []
      | otherwise = do
          op <- toEnum . fromIntegral <$> (peekByteOff p at :: IO Word16)
          d <- fromIntegral <$> (peekByteOff p (at + 2) :: IO Word16)
          a <- field p (at + 4)
          b <- field p (at + 8)
          c <- field p (at + 12)
          let n = wordsAfter (meaning op) c
          wide <- mapM (\k -> field (p `plusPtr` at) (16 + 4 * k)) [0 .. n - 1]
          let next = at + 16 + ((4 * n + 15) .&. (-16))
          (Located at next op d a b c wide :) <$> go p next
    field p o = fromIntegral <$> (peekByteOff p o :: IO Int32) :: IO Int

-- | How many fields of four bytes come after an instruction's first 16 bytes, given
-- its field c.
wordsAfter :: Meaning -> Int -> Int
wordsAfter m c = case m of
  Driven {} -> 0
  CallsHost -> 0
  TailCallsHost -> 4
  CallsByDriver -> 4
  Switches -> 0
  Gates -> 0
  Enters -> 0
  Stops -> 0
  Tallies -> 0
  Jumps -> 0
  JumpsIf _ -> 0
  JumpsByTable -> c + 1
  Calls Own -> 0
  Calls InTable -> 4
  Calls ByReference -> 0
  TailCalls _ -> 4
  TrapsOnNull -> 0
  Returns -> 0
  ReturnsOne _ -> 0
  Makes _ -> 0
  Copies _ -> 0
  Copies128 -> 0
  Zeroes _ -> 0
  Selects _ -> 4
  Selects128 -> 4
  GetsGlobal _ _ -> 0
  GetsGlobal128 _ -> 0
  SetsGlobal _ _ -> 0
  SetsGlobal128 _ -> 0
  Loads _ _ -> 0
  Stores _ _ -> 0
  StoresNarrow _ -> 0
  Distantly -> 4
  CountsPages -> 0
  Operates {} -> 0
  Divides {} -> 0
  CountsLeading _ -> 0
  CountsTrailing _ -> 0
  Extends _ _ -> 0
  Widens _ -> 0
  Compares {} -> 0
  JumpsOn {} -> 0
  FloatOperates _ _ -> 0
  FloatRoots _ -> 0
  FloatMasks _ _ -> 0
  FloatCompares {} -> 0
  FloatJumps _ _ -> 0
  FromInteger32 _ _ -> 0
  FromInteger64 _ -> 0
  FloatToFloat _ -> 0
  Slowly -> 0
  OverVectors _ -> 4
  Canonicalises _ -> 0
  CanonicalisesLanes _ -> 0

-- * What they do

-- | In which registers a slot would be wanted; the last is of slots of 16 bytes.
data RegisterClass = Whole | Floating | Either_ | Wide
  deriving stock (Eq, Show)

-- | The name of the slot of 16 bytes at a distance in the frame, which is another slot than
-- that of 8 bytes there. Distances are multiples of 8.
wideSlot :: Int -> Int
wideSlot = (+ 1)

isWideSlot :: Int -> Bool
isWideSlot = odd

-- | Where in the frame a slot is, by its name.
slotPlace :: Int -> Int
slotPlace = (.&. (-8))

-- | A slot that is read or written: for what, and how much of it. A write of 32 bits
-- leaves nothing above them in a register.
data Use = Use {useSlot :: !Int, useKind :: !RegisterClass, useSize :: !Size}

data Effect = Effect
  { effectReads :: ![Use],
    effectWrites :: ![Use],
    -- | Slots from here to there are read in memory.
    effectPassed :: !(Int, Int),
    -- | Slots from here on are written in memory, or hold nothing any more.
    effectLost :: !Int,
    -- | Slots that end because others are written, which lie in the same place.
    effectEnds :: ![Int],
    -- | Where control may jump, in bytes.
    effectTargets :: ![Int],
    effectNext :: !Next,
    effectCourse :: !Course
  }

-- | How control goes through an instruction, but for jumps.
data Course
  = -- | From the instruction before.
    Through
  | -- | Out to others, who may come back to the gate after it.
    Out
  | -- | Also from outside.
    In
  | -- | Not at all: there is no native code for it.
    Uncovered
  deriving stock (Eq, Show)

-- | Of an instruction that neither reads nor writes any slot.
none :: Effect
none = Effect [] [] (0, 0) maxBound [] [] Onwards Through

-- | What an instruction reads and writes, and where control goes, given whether the
-- function catches exceptions: then every slot may be asked for where one can be thrown.
effect :: Bool -> Located -> Effect
effect catches s = case meaning (stepOp s) of
  Driven next looked _ -> (driven looked) {effectNext = next}
  CallsHost -> called c []
  TailCallsHost -> (driven OwnPart) {effectNext = Away}
  CallsByDriver
    | stepD s == 0 -> called (wideField s 1) [whole b Full]
    | otherwise ->
        (reads_ [whole b Full]) {effectPassed = everything, effectNext = Away, effectCourse = Out}
  Switches -> uncovered
  Gates -> none {effectCourse = In}
  Enters -> none {effectCourse = In}
  Stops -> away none
  Tallies -> none
  Jumps -> away none {effectTargets = [to]}
  JumpsIf _ -> jumps [whole b Half]
  JumpsByTable -> away (reads_ [whole b Half]) {effectTargets = map (stepAt s +) (stepWide s)}
  Calls Own -> called c []
  Calls InTable -> called (wideField s 1) [whole b Half]
  Calls ByReference -> called c [whole b Full]
  TailCalls Own -> away none {effectPassed = (a, a + wideField s 0)}
  TailCalls InTable -> away (reads_ [whole b Half]) {effectPassed = (a, a + wideField s 2)}
  TailCalls ByReference -> away (reads_ [whole b Full]) {effectPassed = (a, a + wideField s 0)}
  TrapsOnNull -> reads_ [whole b Full]
  Returns -> away none {effectPassed = (0, a)}
  ReturnsOne size -> away (reads_ [any_ b size])
  Makes size -> none `writing` any_ a size
  Copies size -> reads_ [any_ b size] `writing` any_ a size
  Copies128 -> reads_ [wide b] `writing` wide a
  -- There is nothing above 32 bits of a zero. The slots of locals are nothing else, so that
  -- none of another width ends.
  Zeroes offsets -> none {effectWrites = concat [[any_ (a + o) Half, wide (a + o)] | o <- offsets]}
  Selects size ->
    reads_ [any_ b size, any_ c size, whole (wideField s 0) Half] `writing` any_ a size
  Selects128 -> reads_ [wide b, wide c, whole (wideField s 0) Half] `writing` wide a
  GetsGlobal _ size -> none `writing` any_ a size
  GetsGlobal128 _ -> none `writing` wide a
  SetsGlobal _ size -> reads_ [any_ a size]
  SetsGlobal128 _ -> reads_ [wide a]
  Loads place fetched -> reads_ (addressed place) `writing` loaded fetched
  Stores place size -> reads_ (addressed place <> [any_ a size])
  StoresNarrow _ -> reads_ (addressed AtSlot <> [whole a Half])
  Distantly -> distant
  CountsPages -> none `writing` whole a Half
  Operates _ size second -> reads_ (both whole size second) `writing` whole a size
  Divides _ _ size -> reads_ (both whole size OfSlot) `writing` whole a size
  CountsLeading size -> reads_ [whole b size] `writing` whole a size
  CountsTrailing size -> reads_ [whole b size] `writing` whole a size
  Extends _ size -> reads_ [whole b size] `writing` whole a size
  Widens _ -> reads_ [whole b Half] `writing` whole a Full
  Compares _ size second _ -> reads_ (both whole size second) `writing` whole a Half
  JumpsOn _ size second -> jumps (both whole size second)
  FloatOperates _ size -> reads_ (both float size OfSlot) `writing` float a size
  FloatRoots size -> reads_ [float b size] `writing` float a size
  FloatMasks _ size -> reads_ [float b size] `writing` float a size
  FloatCompares _ size _ -> reads_ (both float size OfSlot) `writing` whole a Half
  FloatJumps _ size -> jumps (both float size OfSlot)
  FromInteger32 size _ -> reads_ [whole b Half] `writing` float a size
  FromInteger64 size -> reads_ [whole b Full] `writing` float a size
  FloatToFloat size -> reads_ [float b (other size)] `writing` float a size
  Slowly -> slow
  OverVectors _ -> vectors (vectorOf (toEnum (stepD s)))
  Canonicalises size -> reads_ [float b size] `writing` float a size
  CanonicalisesLanes _ -> reads_ [wide b] `writing` wide a
  where
    a = stepA s
    b = stepB s
    c = stepC s
    to = stepAt s + a
    whole slot = Use slot Whole
    float slot = Use slot Floating
    any_ slot = Use slot Either_
    reads_ uses = none {effectReads = uses}
    writing e use = e {effectWrites = [use], effectEnds = ended (useSlot use)}
    away e = e {effectNext = Away}
    jumps uses = (reads_ uses) {effectTargets = [to]}
    both kind size = \case
      OfSlot -> [kind b size, kind c size]
      OfConstant -> [kind b size]
    addressed = \case
      AtSlot -> [whole b Half]
      AtConstant -> []
    loaded = \case
      Wholly size -> any_ a size
      Narrowly _ _ size -> whole a size
      Widened _ -> whole a Full
    everything = (0, maxBound)
    uncovered = none {effectPassed = everything, effectCourse = Uncovered}
    -- Arguments and results lie where the new frame begins, before its link; what
    -- is above is its.
    called link uses =
      none
        { effectReads = uses,
          effectPassed = if catches then everything else (a, a + link),
          effectLost = if catches then maxBound else a,
          effectCourse = Out
        }
    driven looked
      | catches || looked == WholeFrame = none {effectPassed = everything, effectCourse = Out}
      | otherwise = none {effectPassed = (a, maxBound), effectCourse = Out}
    distant = case distantOf (toEnum (stepD s)) of
      Fetches fetched -> reads_ farther `writing` loaded fetched
      Puts size -> reads_ (farther <> [any_ a size])
      PutsNarrow _ -> reads_ (farther <> [whole a Half])
    farther = [whole b (if isWide s then Full else Half)]
    slow = case slowOf (toEnum (stepD s)) of
      CountOnes size -> reads_ [whole b size] `writing` whole a size
      Round size _ -> reads_ [float b size] `writing` float a size
      Extreme size _ -> reads_ (both float size OfSlot) `writing` float a size
      CopySign size -> reads_ (both float size OfSlot) `writing` float a size
      FromUnsigned size -> reads_ [whole b Full] `writing` float a size
      Truncate how -> reads_ [float b (truncateFrom how)] `writing` whole a (truncateTo how)
    wide slot = Use (wideSlot slot) Wide Full
    reaching = whole b (if vectorWide s then Full else Half)
    vectors = \case
      LoadsAll -> reads_ [reaching] `writing` wide a
      LoadsWidened _ -> reads_ [reaching] `writing` wide a
      LoadsSplat _ -> reads_ [reaching] `writing` wide a
      LoadsLane _ -> reads_ [wide c, reaching] `writing` wide a
      LoadsLow _ -> reads_ [reaching] `writing` wide a
      StoresAll -> reads_ [reaching, wide c]
      StoresLane _ -> reads_ [reaching, wide c]
      MakesVector -> none `writing` wide a
      Shuffles -> reads_ [wide b, wide c] `writing` wide a
      Splats lanes -> reads_ [whole b (laneSize lanes)] `writing` wide a
      SplatsFloat size -> reads_ [float b size] `writing` wide a
      Extracts lanes _ -> reads_ [wide b] `writing` whole a (laneSize lanes)
      ExtractsFloat size -> reads_ [wide b] `writing` float a size
      Replaces lanes -> reads_ [wide b, whole c (laneSize lanes)] `writing` wide a
      ReplacesFloat size -> reads_ [wide b, float c size] `writing` wide a
      TestsAny -> reads_ [wide b] `writing` whole a Half
      TestsAll _ -> reads_ [wide b] `writing` whole a Half
      CollectsSigns _ -> reads_ [wide b] `writing` whole a Half
      Shifts _ _ -> reads_ [wide b, whole c Half] `writing` wide a
      Of1 _ -> reads_ [wide b] `writing` wide a
      Of2 _ -> reads_ [wide b, wide c] `writing` wide a
      Of3 _ -> reads_ [wide b, wide c, wide (wideField s 0)] `writing` wide a
    other = \case
      Half -> Full
      Full -> Half

-- | What lies in the place of a slot that is written, and is another one.
ended :: Int -> [Int]
ended slot
  | isWideSlot slot = [at, at + 8, wideSlot (at - 8), wideSlot (at + 8)]
  | otherwise = [wideSlot at, wideSlot (at - 8)]
  where
    at = slotPlace slot

-- | Whether the next instruction may come next: after calls and what the driver
-- does too.
fallsThrough :: Effect -> Bool
fallsThrough e = effectNext e == Onwards

-- | Whether there may be native code for an instruction, given what it does. A function
-- with another one is left to the interpreter.
covered :: Located -> Effect -> Bool
covered s e = effectCourse e /= Uncovered && passedOn <= mostPassed
  where
    -- The arguments of a tail call are copied one by one.
    passedOn = case meaning (stepOp s) of
      TailCalls _ -> uncurry subtract (effectPassed e)
      _ -> 0

-- | In bytes.
mostPassed :: Int
mostPassed = 256
