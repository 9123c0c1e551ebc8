{-# LANGUAGE OverloadedStrings #-}

-- | Pairs of instructions that the loop does in one step ("Tern.Wasm.Stepwise").
module Tern.Wasm.PairTest
  ( tests,
  )
where

import Control.Monad (forM_, unless)
import Data.IORef (modifyIORef', newIORef, readIORef)
import Data.List (nub)
import Data.Text (Text)
import Data.Text.Encoding (encodeUtf8)
import Tern.Wasm (Tier (..), binaryOf, defaultLoading, loadWith, loadingTier)
import Tern.Wasm.Byte (opNumber, opNumbered)
import Tern.Wasm.Code (Op (..))
import Tern.Wasm.Compiled (Compiled (..))
import Tern.Wasm.Expected (orFail)
import Tern.Wasm.Lasting (newKeeper)
import Tern.Wasm.Lower (lower)
import Tern.Wasm.Meaning (meaning)
import Tern.Wasm.Native.Located (allSteps, steps)
import Tern.Wasm.Native.Located qualified as Located
import Tern.Wasm.Pair (Link (..), Pair (..), pairs)
import Tern.Wasm.Seed (Draw, below, runDraw)
import Tern.Wasm.Stepwise
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "pairs"
    [ testCase "each instruction that is two has a line, and means what its first one does" $ do
        map pairBoth pairs @?= takeWhile (/= TailOwn) (dropWhile (/= ShrUI64Xor64) [minBound ..])
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
        let jumps = encoded (Step JumpTable (Fields 0 0 7) [])
            first = encoded (Step ShlI32 (Fields 8 8 1) [])
            second = encoded (Step AddI32 (Fields 8 8 1) [])
            both = encoded (Step ShlI32AddI32 (Fields 8 8 1) [])
        found <- joinedOf (concat [jumps, first, second, first, second])
        -- The eight ways of the jump are as long as two instructions.
        found @?= concat [jumps, first, second, both, second],
      testCase "what is jumped to is the first of a pair or none's" $ do
        let body =
              "(local.set 0 (i32.shl (local.get 0) (i32.const 1))) (loop $l (local.set 0 \
              \(i32.add (local.get 0) (i32.const 2))) (br_if $l (local.get 1)))"
        -- Where native code may be entered there is an instruction between the two.
        inTier <- mapM (`lowered` body) [Interpreter, Auto]
        map (filter (`elem` [ShlI32, AddI32, ShlI32AddI32])) inTier
          @?= [[ShlI32AddI32, AddI32], [ShlI32, AddI32]]
    ]

-- * One by one and at once

-- | Some hundred cases, of which enough must be pairs. Says how many are.
alike :: Pair -> IO String
alike p = do
  joined <- newIORef (0 :: Int)
  forM_ [1 .. 600] $ \seed -> do
    let (two, c) = runDraw ((,) <$> drawn p <*> drawnCase) seed
    (_, alone) <- ran two c False
    (became, together) <- ran two c True
    let both = linked p (map stepFields two)
    assertEqual (show (p, two, c)) (if both then pairBoth p else pairFirst p) (opNumbered became)
    assertEqual (show (p, two, c)) alone together
    unless (became == opNumber (pairFirst p)) (modifyIORef' joined (+ 1))
  n <- readIORef joined
  unless (n > 150) (assertFailure ("only " <> show n <> " were pairs"))
  pure (show n <> " pairs")

-- | Whether the two are a pair.
linked :: Pair -> [Fields] -> Bool
linked p = \case
  [first, second] -> case pairLink p of
    IntoA -> fieldA second == fieldA first
    IntoB -> fieldB second == fieldA first || (changing && fieldC second == fieldA first)
  _ -> False
  where
    -- Their operands may change places.
    changing = pairSecond p `elem` [Add32, Add64, Mul64, Xor64]

drawn :: Pair -> Draw [Step]
drawn p = do
  two <- drawnSteps [pairFirst p, pairSecond p]
  way <- below 4
  pure (if way == 0 then two else linkedAs [pairBoth p] two)

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
    (F64MulF64Mul, "(local.set 3 (f64.mul (f64.mul (local.get 3) (local.get 3)) (local.get 3)))"),
    (Load32JumpLtS32, counting "(i32.lt_s (i32.load (local.get 0)) (local.get 1))"),
    ( ShlI32AddI32,
      "(local.set 0 (i32.add (i32.shl (local.get 0) (i32.const 2)) (i32.const 1024)))"
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
    Just code -> map Located.stepOp . allSteps <$> steps code
  where
    source = "(module (memory 1) (func (param i32 i32 i64 f64) (local i32) " <> body <> "))"
