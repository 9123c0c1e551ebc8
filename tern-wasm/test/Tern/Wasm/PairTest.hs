{-# LANGUAGE OverloadedStrings #-}

-- | Pairs of instructions that the loop does in one step.
--
-- The idea: two instructions with whatever fields and values are run as they stand, and again
-- after 'join' has looked at them. Both must leave the same frame, memory and fuel, for the
-- same reason, at the same place. Slots and addresses are drawn from few, so that operands are
-- often the same slot and accesses often trap.
module Tern.Wasm.PairTest
  ( tests,
  )
where

import Control.Monad (forM_, replicateM, unless, when)
import Data.Bits (shiftL, (.&.), (.|.))
import Data.IORef (modifyIORef', newIORef, readIORef)
import Data.List (nub)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding (encodeUtf8)
import Data.Word (Word64)
import Foreign.ForeignPtr (mallocForeignPtrBytes)
import Foreign.Marshal.Array (peekArray, pokeArray, withArray)
import Foreign.Ptr (castPtr, minusPtr)
import Tern.Wasm (Tier (..), binaryOf, defaultLoading, loadWith, loadingTier, renderError)
import Tern.Wasm.Code (Op (..), opNumber, opNumbered, unit)
import Tern.Wasm.Compiled (Compiled (..))
import Tern.Wasm.Exec (Exit (..), enter)
import Tern.Wasm.Lasting (Lasting, at, lasting, newKeeper)
import Tern.Wasm.Layout (instFuel, instHeader)
import Tern.Wasm.Lower (lower)
import Tern.Wasm.Lower.Join (join)
import Tern.Wasm.Meaning (Addressed (..), Meaning (..), Second (..), meaning)
import Tern.Wasm.Native.Located (allSteps, stepOp, steps)
import Tern.Wasm.Pair (Link (..), Pair (..), pairs)
import Tern.Wasm.Prim (peekByteOff)
import Tern.Wasm.Seed (Draw, below, draw, pick, runDraw)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "pairs"
    [ testCase "each instruction that is two has a row, and means what its first one does" $ do
        map pairBoth pairs @?= takeWhile (/= Halt) (drop 1 (dropWhile (/= Tally) [minBound ..]))
        forM_ pairs $ \p ->
          assertEqual (show p) (show (meaning (pairFirst p))) (show (meaning (pairBoth p)))
        length (nub [(pairFirst p, pairSecond p) | p <- pairs]) @?= length pairs,
      testGroup
        "in one step they do what they do one by one"
        [testCaseInfo (show (pairBoth p)) (alike p) | p <- pairs],
      testCase "each is written where a program has its two" $ do
        map fst programs @?= map pairBoth pairs
        forM_ programs $ \(both, body) -> do
          found <- lowered Interpreter body
          unless (both `elem` found) (assertFailure (show both <> " is not in " <> show found)),
      testCase "what an instruction has after it is not taken for a pair" $ do
        let jumps = encoded JumpTable (Fields 0 0 7)
            addition = encoded AddI32 (Fields 8 8 1)
        found <- joinedOf (concat [jumps, addition, addition, addition, addition])
        -- The eight ways of the jump are as long as two additions.
        found @?= concat [jumps, addition, addition, encoded AddI32AddI32 (Fields 8 8 1), addition],
      testCase "what is jumped to is the first of a pair or none's" $ do
        let body =
              "(local.set 0 (i32.add (local.get 0) (i32.const 1))) (loop $l (local.set 1 \
              \(i32.add (local.get 1) (i32.const 2))) (br_if $l (local.get 0)))"
        -- Where native code may be entered there is an instruction between the two.
        inTier <- mapM (`lowered` body) [Interpreter, Auto]
        map (filter (`elem` [AddI32, AddI32AddI32])) inTier
          @?= [[AddI32AddI32, AddI32], [AddI32, AddI32]]
    ]

-- * One by one and at once

-- | The fields a, b and c of an instruction.
data Fields = Fields {fieldA :: Int, fieldB :: Int, fieldC :: Int}
  deriving stock (Show)

-- | Two instructions, and what they find.
data Case = Case
  { caseFirst :: Fields,
    caseSecond :: Fields,
    caseFrame :: [Word64],
    caseMemory :: [Word64],
    caseFuel :: Word64
  }
  deriving stock (Show)

-- | Some hundred cases, of which enough must be pairs. Says how many are.
alike :: Pair -> IO String
alike p = do
  joined <- newIORef (0 :: Int)
  forM_ [1 .. 600] $ \seed -> do
    let c = runDraw (drawn p) seed
    (_, alone) <- run p c False
    (became, together) <- run p c True
    assertEqual (show (p, c)) (if linked p c then pairBoth p else pairFirst p) became
    assertEqual (show (p, c)) alone together
    unless (became == pairFirst p) (modifyIORef' joined (+ 1))
  n <- readIORef joined
  unless (n > 150) (assertFailure ("only " <> show n <> " were pairs"))
  pure (show n <> " pairs")

-- | Whether the two are a pair.
linked :: Pair -> Case -> Bool
linked p (Case first second _ _ _) = case pairLink p of
  Apart -> True
  IntoA -> fieldA second == fieldA first
  IntoB -> fieldB second == fieldA first || (changing && fieldC second == fieldA first)
  where
    -- Their operands may change places.
    changing = pairSecond p `elem` [Add32, Add64, Mul64, Xor64]

drawn :: Pair -> Draw Case
drawn p = do
  first <- fieldsOf (pairFirst p)
  other <- fieldsOf (pairSecond p)
  way <- below 4
  let second = case (way, pairLink p) of
        (0, _) -> other
        (_, Apart) -> other
        (_, IntoA) -> other {fieldA = fieldA first}
        (_, IntoB) -> other {fieldB = fieldA first}
  Case first second
    <$> replicateM (slots + 1) value
    <*> replicateM words_ draw
    <*> pick 0 [0, 1, 3]

-- | In the frame, and of 8 bytes in memory.
slots, words_ :: Int
slots = 5
words_ = 8

-- | Fields with which an instruction stays within the frame and the code; memory it may miss.
fieldsOf :: Op -> Draw Fields
fieldsOf op = case meaning op of
  Makes _ -> Fields <$> slot <*> number <*> number
  Operates _ _ OfConstant -> Fields <$> slot <*> slot <*> number
  Loads AtSlot _ -> Fields <$> slot <*> slot <*> offset
  Stores AtSlot _ -> Fields <$> slot <*> slot <*> offset
  Stores AtConstant _ -> Fields <$> slot <*> slot <*> offset
  StoresNarrow _ -> Fields <$> slot <*> slot <*> offset
  JumpsIf _ -> Fields <$> distance <*> slot <*> slot
  JumpsOn _ _ OfConstant -> Fields <$> distance <*> slot <*> number
  JumpsOn _ _ OfSlot -> Fields <$> distance <*> slot <*> slot
  -- Whatever else there is has slots alone.
  _ -> Fields <$> slot <*> slot <*> slot
  where
    slot = (8 *) <$> below slots
    offset = pick 0 [0, 0, 1, 8, 40, 64, -1]
    number = (\n -> fromIntegral (n .&. 0xFFFFFFFF)) <$> value
    -- To the end of the code, and back to the first one.
    distance = pick unit [2 * unit, -unit]

-- | Addresses of the memory, numbers near the ends of their range, floats, whatever.
value :: Draw Word64
value = do
  way <- below 4
  case way of
    0 -> fromIntegral <$> below 70
    1 -> pick 0 [0, 1, maxBound, 0x80000000, 0x7FFFFFFF, 0xFFFFFFFF, 0x8000000000000000]
    2 -> pick 0 [0x3FF8000000000000, 0xC004000000000000, 0x7FF8000000000001, 0x7FF0000000000000]
    _ -> draw

-- | The instruction that the first one has become, and what the two did: why and where the loop
-- ended, the frame, the memory and the fuel that is left.
run :: Pair -> Case -> Bool -> IO (Op, (Int, Int, Int, [Word64], [Word64], Word64))
run p c together = do
  code <- placed written
  when together (join code (8 * length written))
  at code $ \ip -> withArray (caseFrame c) $ \fp -> withArray (caseMemory c) $ \mem ->
    withArray block $ \inst -> do
      number <- peekByteOff ip 0 :: IO Word64
      Exit why from frame <- enter ip (castPtr fp) (castPtr mem) (8 * words_) (castPtr inst)
      frame' <- peekArray (length (caseFrame c)) fp
      memory' <- peekArray (length (caseMemory c)) mem
      fuel <- peekByteOff inst instFuel
      pure
        ( opNumbered (fromIntegral (number .&. 0xFFFF)),
          (why, from `minusPtr` ip, frame `minusPtr` fp, frame', memory', fuel)
        )
  where
    written =
      concat
        [ encoded (pairFirst p) (caseFirst c),
          encoded (pairSecond p) (caseSecond c),
          encoded Halt (Fields 0 0 0),
          encoded Halt (Fields 0 0 0)
        ]
    block = [if 8 * k == instFuel then caseFuel c else 0 | k <- [0 .. instHeader `div` 8]]

-- | An instruction as words.
encoded :: Op -> Fields -> [Word64]
encoded op (Fields x y z) =
  [ fromIntegral (opNumber op) .|. (low x `shiftL` 32),
    low y .|. (low z `shiftL` 32)
  ]
  where
    low n = fromIntegral n .&. 0xFFFFFFFF

placed :: [Word64] -> IO Lasting
placed written = do
  keeper <- newKeeper
  code <- mallocForeignPtrBytes (8 * length written) >>= lasting keeper
  code <$ at code (`pokeArray` written)

-- | Code with its pairs.
joinedOf :: [Word64] -> IO [Word64]
joinedOf written = do
  code <- placed written
  join code (8 * length written)
  at code (peekArray (length written))

-- * In programs

-- | For each pair a body, of a function of two parameters of 32 bits and one of 64, and of a
-- float, that has it.
programs :: [(Op, Text)]
programs =
  [ (ShrUI64Xor64, "(local.set 2 (i64.xor (local.get 2) (i64.shr_u (local.get 2) (i64.const 7))))"),
    (Const64Mul64, "(local.set 2 (i64.mul (local.get 2) (i64.const 0x123456789abcdef)))"),
    (AddI32JumpIf, counting "(local.tee 0 (i32.add (local.get 0) (i32.const -1)))"),
    (AddI32Load32, "(local.set 0 (i32.load (i32.add (local.get 0) (i32.const 4))))"),
    ( AddI32JumpNeI32,
      counting "(i32.ne (local.tee 0 (i32.add (local.get 0) (i32.const 4))) (i32.const 64))"
    ),
    (Copy32Copy32, "(local.get 0) (local.get 1) (local.set 0) (local.set 1)"),
    (F64MulF64Mul, "(local.set 3 (f64.mul (f64.mul (local.get 3) (local.get 3)) (local.get 3)))"),
    ( AddI32AddI32,
      "(local.set 0 (i32.add (local.get 0) (i32.const 4))) \
      \(local.set 1 (i32.add (local.get 1) (i32.const 1)))"
    ),
    (Load32JumpLtS32, counting "(i32.lt_s (i32.load (local.get 0)) (local.get 1))"),
    ( ShlI32AddI32,
      "(local.set 0 (i32.add (i32.shl (local.get 0) (i32.const 2)) (i32.const 1024)))"
    ),
    ( Copy32JumpLtS32,
      counting "(local.set 4 (local.get 0)) (i32.lt_s (local.get 4) (local.get 1))"
    ),
    (AddI32Load64, "(local.set 2 (i64.load (i32.add (local.get 0) (i32.const 8))))"),
    ( Xor64RotlI64,
      "(local.set 2 (i64.rotl (i64.xor (local.get 2) (i64.load (local.get 0))) (i64.const 13)))"
    ),
    (Const64Add64, "(local.set 2 (i64.add (local.get 2) (i64.const 0x123456789abcdef)))"),
    ( Add32JumpLtUI32,
      counting
        "(i32.lt_u (local.tee 0 (i32.add (local.get 0) (local.get 1))) (i32.const 1000000))"
    ),
    (Const32Store8, "(i32.store8 (local.get 0) (i32.const 1))"),
    ( F64AddStore64,
      "(f64.store (local.get 0) (f64.add (local.get 3) (local.get 3)))"
    ),
    ( F64SubStore64,
      "(f64.store (local.get 0) (f64.sub (local.get 3) (local.get 3)))"
    ),
    ( Const32AddI32,
      "(local.set 4 (i32.const 1)) (local.set 0 (i32.add (local.get 0) (local.get 4)))"
    ),
    ( Const32StoreAt32,
      "(local.set 4 (i32.const 1)) (i32.store (local.get 4) (local.get 0))"
    )
  ]
  where
    counting condition = "(loop $l " <> condition <> " (br_if $l))"

-- | The instructions of a body's bytecode.
lowered :: Tier -> Text -> IO [Op]
lowered tier body = do
  bytes <- orFail (binaryOf (encodeUtf8 source))
  m <- loadWith defaultLoading {loadingTier = tier} bytes >>= orFail
  keeper <- newKeeper
  lower maxBound keeper (compiledOptions m) (compiledValid m) 0 >>= \case
    Nothing -> assertFailure "no code"
    Just code -> map stepOp . allSteps <$> steps code
  where
    source = "(module (memory 1) (func (param i32 i32 i64 f64) (local i32) " <> body <> "))"
    orFail = either (assertFailure . T.unpack . renderError) pure
