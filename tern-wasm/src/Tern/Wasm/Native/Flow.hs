-- | The bytecode of a function as the native tier looks at it: its instructions in
-- a row, what each reads and writes of the frame, and where control goes.
--
-- The idea: everything that is asked of an instruction before code is made for it
-- is said here once, in 'effect' and 'targets'; "Tern.Wasm.Native.Registers" adds
-- it up and "Tern.Wasm.Native.Emit" relies on it.
--
-- Start at 'Step' and 'effect'.
module Tern.Wasm.Native.Flow
  ( -- * Instructions
    Step (..),
    steps,
    bytecodeAt,
    wideField,

    -- * What they do
    Effect (..),
    Kind (..),
    effect,
    targets,
    halves,
    fallsThrough,
    leaves,
    covered,
  )
where

import Data.Bits ((.&.))
import Data.Int (Int32)
import Data.Maybe (isJust)
import Data.Vector (Vector)
import Data.Vector qualified as V
import Data.Word (Word16)
import Foreign.Ptr (Ptr, plusPtr)
import Foreign.Storable (peekByteOff)
import Tern.Wasm.Code
import Tern.Wasm.Lasting (address)
import Tern.Wasm.Lasting qualified as Lasting
import Tern.Wasm.Native.Slow

-- * Instructions

-- | An instruction: where it is and where the next one is, in bytes, and its
-- fields; those after its first 16 bytes, four bytes each, in 'stepWide'.
data Step = Step
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

wideField :: Step -> Int -> Int
wideField s k = case drop k (stepWide s) of
  x : _ -> x
  [] -> 0

-- | All instructions of a function, in order.
steps :: Lowered -> IO (Vector Step)
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
          let n = wordsBehind op c
          wide <- mapM (\k -> field (p `plusPtr` at) (16 + 4 * k)) [0 .. n - 1]
          let next = at + 16 + ((4 * n + 15) .&. (-16))
          (Step at next op d a b c wide :) <$> go p next
    field p o = fromIntegral <$> (peekByteOff p o :: IO Int32) :: IO Int

wordsBehind :: Op -> Int -> Int
wordsBehind op c = case op of
  JumpTable -> c + 1
  Select32 -> 4
  Select64 -> 4
  Select128 -> 4
  CallTable -> 4
  TailOwn -> 4
  TailTable -> 4
  TailRef -> 4
  DoCallTable -> 4
  DoTailImport -> 4
  Simd -> 4
  Far -> 4
  SimdFar -> 4
  _ -> 0

-- * What they do

-- | In which registers a slot would be wanted.
data Kind = Whole | Floating | Either_
  deriving stock (Eq, Show)

data Effect = Effect
  { effectReads :: ![(Int, Kind)],
    effectWrites :: ![(Int, Kind)],
    -- | Slots from here to there are read in memory.
    effectPassed :: !(Int, Int),
    -- | Slots from here on are written in memory, or hold nothing any more.
    effectLost :: !Int,
    -- | Slots that are read and written in memory, by nobody else.
    effectRaw :: ![Int]
  }

none :: Effect
none = Effect [] [] (0, 0) maxBound []

-- | What an instruction reads and writes, given whether the function catches
-- exceptions: then every slot may be asked for where one can be thrown.
effect :: Bool -> Step -> Effect
effect catches s = case op of
  Gate -> none
  Enter -> none
  Jump -> none
  Stop -> none
  Tally -> none
  JumpIf -> reads_ [(b, Whole)]
  JumpIfNot -> reads_ [(b, Whole)]
  JumpTable -> reads_ [(b, Whole)]
  CallOwn -> called c []
  CallImport -> called c []
  CallTable -> called (wideField s 1) [(b, Whole)]
  DoCallTable
    | stepD s == 0 -> called (wideField s 1) [(b, Whole)]
    | otherwise -> (reads_ [(b, Whole)]) {effectPassed = everything}
  CallFunc -> called c [(b, Whole)]
  TailOwn -> none {effectPassed = (a, a + wideField s 0)}
  TailTable -> (reads_ [(b, Whole)]) {effectPassed = (a, a + wideField s 2)}
  TailRef -> (reads_ [(b, Whole)]) {effectPassed = (a, a + wideField s 0)}
  NonNull -> reads_ [(b, Whole)]
  Ret -> none {effectPassed = (0, a)}
  Ret32 -> reads_ [(b, Either_)]
  Ret64 -> reads_ [(b, Either_)]
  Const32 -> writes [(a, Either_)]
  Const64 -> writes [(a, Either_)]
  Copy32 -> moved
  Copy64 -> moved
  Copy128 -> raw [a, a + 8, b, b + 8]
  Zero1 -> writes [(a, Either_)]
  Zero2 -> writes [(a, Either_), (a + 8, Either_)]
  Zero4 -> writes [(a + k, Either_) | k <- [0, 8, 16, 24]]
  Select32 -> selects
  Select64 -> selects
  Select128 -> (raw [a, a + 8, b, b + 8, c, c + 8]) {effectReads = [(wideField s 0, Whole)]}
  Global32 -> writes [(a, Either_)]
  Global64 -> writes [(a, Either_)]
  Far64 -> writes [(a, Either_)]
  SetGlobal32 -> reads_ [(a, Either_)]
  SetGlobal64 -> reads_ [(a, Either_)]
  SetFar64 -> reads_ [(a, Either_)]
  Global128 -> raw [a, a + 8]
  SetGlobal128 -> raw [a, a + 8]
  Far128 -> raw [a, a + 8]
  SetFar128 -> raw [a, a + 8]
  CountPages -> writes [(a, Whole)]
  Slow -> slow
  Canonical32 -> unary Floating Floating
  Canonical64 -> unary Floating Floating
  LoadAt32 -> writes [(a, Either_)]
  LoadAt64 -> writes [(a, Either_)]
  LoadAt8U32 -> writes [(a, Whole)]
  Load32 -> none {effectReads = [(b, Whole)], effectWrites = [(a, Either_)]}
  Load64 -> none {effectReads = [(b, Whole)], effectWrites = [(a, Either_)]}
  Store32 -> reads_ [(b, Whole), (a, Either_)]
  Store64 -> reads_ [(b, Whole), (a, Either_)]
  Store8 -> reads_ [(b, Whole), (a, Whole)]
  Store16 -> reads_ [(b, Whole), (a, Whole)]
  StoreAt32 -> reads_ [(a, Either_)]
  StoreAt64 -> reads_ [(a, Either_)]
  _
    | leaves op -> left
    | op >= Load8S32 && op <= Load32U64 -> unary Whole Whole
    | within Add32 Rotr32 || within Add64 Rotr64 || within DivS32 RemU32 || within DivS64 RemU64 -> binary Whole Whole
    | within AddI32 RotrI32 || within AddI64 RotrI64 || within Clz32 Extend16S32 || within Clz64 ExtendU64 -> unary Whole Whole
    | within Eq32 LeU32 || within Eq64 LeU64 -> binary Whole Whole
    | within EqI32 GeUI32 || within EqI64 GeUI64 -> unary Whole Whole
    | within JumpEq32 JumpLeU32 || within JumpEq64 JumpLeU64 -> reads_ [(b, Whole), (c, Whole)]
    | within JumpEqI32 JumpGeUI32 || within JumpEqI64 JumpGeUI64 -> reads_ [(b, Whole)]
    | within F32Add F32Div || within F64Add F64Div -> binary Floating Floating
    | within F32Sqrt F32Neg || within F64Sqrt F64Neg -> unary Floating Floating
    | within F32Eq F32Le || within F64Eq F64Le -> binary Floating Whole
    | within JumpF32Eq JumpF32NotLe || within JumpF64Eq JumpF64NotLe -> reads_ [(b, Floating), (c, Floating)]
    | within F64FromS32 F32FromS64 -> unary Whole Floating
    | within F64FromF32 F32FromF64 -> unary Floating Floating
    -- What is not covered reads everything.
    | otherwise -> left {effectPassed = (0, maxBound)}
  where
    op = stepOp s
    a = stepA s
    b = stepB s
    c = stepC s
    within x y = op >= x && op <= y
    reads_ xs = none {effectReads = xs}
    writes xs = none {effectWrites = xs}
    raw xs = none {effectRaw = xs}
    moved = none {effectReads = [(b, Either_)], effectWrites = [(a, Either_)]}
    unary x y = none {effectReads = [(b, x)], effectWrites = [(a, y)]}
    binary x y = none {effectReads = [(b, x), (c, x)], effectWrites = [(a, y)]}
    selects = none {effectReads = [(b, Either_), (c, Either_), (wideField s 0, Whole)], effectWrites = [(a, Either_)]}
    everything = (0, maxBound)
    -- Arguments and results lie where the new frame begins, before its link; what
    -- is above is its.
    called link xs = none {effectReads = xs, effectPassed = if catches then everything else (a, a + link), effectLost = if catches then maxBound else a}
    left
      | catches || op == DoRefTest || op == DoRefCast || op == DoThrow || op == DoThrowRef = none {effectPassed = everything}
      | otherwise = none {effectPassed = (a, maxBound)}
    slow = case slowOf (stepD s) of
      Just (CountOnes _) -> unary Whole Whole
      Just (Round _ _) -> unary Floating Floating
      Just (Extreme _ _) -> binary Floating Floating
      Just (CopySign _) -> binary Floating Floating
      Just (FromUnsigned _) -> unary Whole Floating
      Just (Truncate _) -> unary Floating Whole
      Nothing -> left {effectPassed = everything}

-- | The slots of which an instruction reads or writes 32 bits and no more, some of
-- them twice, as it does.
halves :: Step -> [Int]
halves s
  | within Add32 Rotr32 || within DivS32 RemU32 || within Eq32 LeU32 = [a, b, c]
  | within AddI32 RotrI32 || within Clz32 Extend16S32 || within EqI32 GeUI32 = [a, b]
  | within JumpEq32 JumpLeU32 = [b, c]
  | within JumpEqI32 JumpGeUI32 = [b]
  | within Eq64 GeUI64 || within F32Eq F32Le || within F64Eq F64Le = [a]
  | otherwise = case op of
      JumpIf -> [b]
      JumpIfNot -> [b]
      JumpTable -> [b]
      CallTable -> [b]
      Const32 -> [a]
      Copy32 -> [a, b]
      Zero1 -> [a]
      Zero2 -> [a, a + 8]
      Zero4 -> [a, a + 8, a + 16, a + 24]
      Select32 -> [a, b, c, wideField s 0]
      Select64 -> [wideField s 0]
      Global32 -> [a]
      SetGlobal32 -> [a]
      Load32 -> [a, b]
      Load8S32 -> [a, b]
      Load8U32 -> [a, b]
      Load16S32 -> [a, b]
      Load16U32 -> [a, b]
      LoadAt32 -> [a]
      LoadAt8U32 -> [a]
      Store32 -> [a, b]
      Store8 -> [a, b]
      Store16 -> [a, b]
      StoreAt32 -> [a]
      CountPages -> [a]
      ExtendS64 -> [b]
      ExtendU64 -> [b]
      F64FromS32 -> [b]
      F64FromU32 -> [b]
      F32FromS32 -> [b]
      F32FromU32 -> [b]
      Ret32 -> [b]
      Store64 -> [b]
      _
        -- The other loads, whose addresses have 32 bits.
        | within Load32 Load32U64 -> [b]
        | otherwise -> []
  where
    op = stepOp s
    a = stepA s
    b = stepB s
    c = stepC s
    within x y = op >= x && op <= y

-- | Where an instruction may jump, in bytes.
targets :: Step -> [Int]
targets s
  | op == JumpTable = map (stepAt s +) (stepWide s)
  | op == Jump || op == JumpIf || op == JumpIfNot = one
  | within JumpEq32 JumpGeUI32 || within JumpEq64 JumpGeUI64 = one
  | within JumpF32Eq JumpF32NotLe || within JumpF64Eq JumpF64NotLe = one
  | otherwise = []
  where
    op = stepOp s
    one = [stepAt s + stepA s]
    within x y = op >= x && op <= y

-- | Whether the next instruction may come next: after calls and what the driver
-- does too.
fallsThrough :: Step -> Bool
fallsThrough s = case stepOp s of
  -- A tail call by the driver.
  DoCallTable -> stepD s == 0
  op -> op `notElem` [Jump, JumpTable, Ret, Ret32, Ret64, Stop, TailOwn, TailTable, TailRef, DoTailImport, DoThrow, DoThrowRef]

-- | What the driver does.
leaves :: Op -> Bool
leaves op = op <= DoRefCast

-- | Whether there may be native code for an instruction. A function with another one is
-- left to the interpreter.
covered :: Step -> Bool
covered s = case stepOp s of
  Slow -> isJust (slowOf (stepD s))
  Simd -> False
  Far -> False
  SimdFar -> False
  TailOwn -> small 0
  TailTable -> small 2
  TailRef -> small 0
  _ -> True
  where
    -- Their arguments are copied one by one.
    small k = wideField s k <= 256
