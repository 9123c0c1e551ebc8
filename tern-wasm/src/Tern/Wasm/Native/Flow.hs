-- | What each instruction of a function's bytecode reads and writes of the frame, and where
-- control goes.
--
-- The idea: everything that is asked of an instruction before code is made for it
-- is said here once, in 'effect', with a case for each kind of instruction that
-- "Tern.Wasm.Meaning" has; "Tern.Wasm.Native.Registers" adds it up and
-- "Tern.Wasm.Native.Emit" relies on it.
--
-- Start at 'Body' and 'effect'.
module Tern.Wasm.Native.Flow
  ( -- * Instructions
    Body (..),
    bodyLength,
    instruction,
    effectAt,
    numberOf,
    tableTargets,

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
    leadsOn,
    covered,
  )
where

import Data.Bits ((.&.))
import Data.Vector.Unboxed qualified as U
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
    wordsAfter,
  )
import Tern.Wasm.Native.Distant (Distant (..), distantOf)
import Tern.Wasm.Native.Located
  ( Located (..),
    Steps,
    isWide,
    numberAt,
    stepCount,
    stepOf,
    vectorWide,
    wideField,
  )
import Tern.Wasm.Native.Slow (Slow (..), Truncation (..), slowOf)
import Tern.Wasm.Native.Vector (Vectored (..), laneSize, vectorOf)

-- * Instructions

-- | A function's instructions, and whether it catches exceptions. What each does is found out
-- again by whoever asks: nothing is held of it.
data Body = Body {bodySteps :: !Steps, bodyCatches :: !Bool}

-- | How many instructions there are; they have the numbers below.
bodyLength :: Body -> Int
bodyLength = stepCount . bodySteps

-- | An instruction by its number, and what it does.
instruction :: Body -> Int -> Located
instruction = stepOf . bodySteps

-- | What an instruction does, by its number.
effectAt :: Body -> Int -> Effect
effectAt body = effect (bodyCatches body) . instruction body

-- | The number of the instruction at a distance in the bytecode.
numberOf :: Body -> Int -> Int
numberOf = numberAt . bodySteps

-- | Where the entries of a jump table lead, in order.
tableTargets :: Located -> U.Vector Int
tableTargets s = U.map ((stepAt s +) . fromIntegral) (U.take entries (stepWide s))
  where
    entries = wordsAfter (meaning (stepOp s)) (stepC s)

-- * What they do

-- | In which registers a slot would be wanted; the last is of slots of 16 bytes.
data RegisterClass = Whole | Floating | Either_ | Wide
  deriving stock (Eq, Show)

-- | The name of the slot of 16 bytes at a distance in the frame, which is another slot than
-- that of 8 bytes there. Distances are multiples of 8.
wideSlot :: Int -> Int
wideSlot = (+ 1)

-- | Whether a name is of a slot of 16 bytes.
isWideSlot :: Int -> Bool
isWideSlot = odd

-- | Where in the frame a slot is, by its name.
slotPlace :: Int -> Int
slotPlace = (.&. (-8))

-- | A slot that is read or written: for what, and how much of it. A write of 32 bits
-- leaves nothing above them in a register.
data Use = Use {useSlot :: !Int, useKind :: !RegisterClass, useSize :: !Size}

-- | What an instruction does to the frame, and where control goes after it.
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
    -- | Whether its code takes rdx, which else may hold a slot.
    effectSpoils :: !Bool,
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
none = Effect [] [] (0, 0) maxBound [] [] Onwards False Through

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
  JumpsByTable -> away (reads_ [whole b Half]) {effectTargets = U.toList (tableTargets s)}
  Calls Own -> called c []
  Calls InTable -> spoiling (called (wideField s 1) [whole b Half])
  Calls ByReference -> spoiling (called c [whole b Full])
  TailCalls Own -> spoiling $ away none {effectPassed = (a, a + wideField s 0)}
  TailCalls InTable ->
    spoiling $ away (reads_ [whole b Half]) {effectPassed = (a, a + wideField s 2)}
  TailCalls ByReference ->
    spoiling $ away (reads_ [whole b Full]) {effectPassed = (a, a + wideField s 0)}
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
  Distantly -> spoiling distant
  CountsPages -> none `writing` whole a Half
  Operates _ size second -> reads_ (both whole size second) `writing` whole a size
  Divides _ _ size -> spoiling $ reads_ (both whole size OfSlot) `writing` whole a size
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
    spoiling e = e {effectSpoils = True}
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
    vectors =
      spoiling . \case
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

-- | Whether an instruction jumps to the next one.
leadsOn :: Body -> Int -> Bool
leadsOn body k = case meaning (stepOp s) of
  Jumps -> stepA s + stepAt s == stepNext s
  _ -> False
  where
    s = instruction body k

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
