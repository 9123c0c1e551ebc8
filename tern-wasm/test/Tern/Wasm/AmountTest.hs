{-# LANGUAGE OverloadedStrings #-}

-- | Numbers that are no amounts, of a guest or of its host: below zero, more than there
-- is of anything, or no number at all. None of them takes a limit away, in any tier.
--
-- The idea: no clock is asked. What a guest does here comes to its end soon, so that a limit
-- that is lost is a result; and how often limits are looked at is counted by samples.
module Tern.Wasm.AmountTest
  ( tests,
  )
where

import Control.Monad (forM_, replicateM_)
import Data.Maybe (isNothing)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding (encodeUtf8)
import Data.Word (Word64)
import Tern.Wasm
import Tern.Wasm.Expected (orFail)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "amounts"
    [ testCase "a price below zero ends the call, as one that nobody can pay" . inEveryTier $
        \tier -> forM_ [-1, -64, -1099511627776, minBound, maxBound] $ \n -> do
          (store, i, h) <- paying tier 1
          -- From code, and called by the host.
          forM_
            [ invoke i "f" [amount n, I32Value 3000000],
              callFunc store h [amount n]
            ]
            $ \call -> do
              setFuel store 1000000
              stopped <- call >>= suspension
              fuelLeft store >>= (@?= 0)
              -- Nor is it paid by some more.
              setFuel store 1000000
              _ <- continue stopped >>= suspension
              fuelLeft store >>= (@?= 0),
      testCase "prices add up, however large they are" . inEveryTier $ \tier ->
        forM_ [-1, minBound, maxBound, 4611686018427387904] $ \n -> do
          (store, i, _) <- paying tier 100
          sampleStacks store 10
          -- Without fuel that is set nothing ends it, and it is looked at as before.
          invoke i "f" [amount n, I32Value 1000] >>= orFail >>= (@?= [])
          looks <- sum <$> stackSamples store
          assertBool (show (tier, n, looks)) (looks >= 80)
          -- Nor is what has no jumps and is left to the driver.
          sampleStacks store 10
          invoke i "g" [amount n] >>= orFail >>= (@?= [])
          looks' <- sum <$> stackSamples store
          assertBool (show (tier, n, looks')) (looks' >= 200),
      testCase "others are let in however seldom samples are wanted" . inEveryTier $ \tier ->
        forM_ [(maxBound, 1000000), (10000000, 1000000), (0, 1000), (-1, 1000), (minBound, 1000)] $
          \(n, turns) -> do
            (store, i, _) <- paying tier 0
            sampleStacks store n
            invoke i "f" [amount 0, I32Value turns] >>= orFail >>= (@?= [])
            looks <- sum <$> stackSamples store
            assertBool (show (tier, n, looks)) (looks >= 9),
      testCase "a deadline that is no number is over, as one in the past" . inEveryTier $ \tier ->
        forM_ [0 / 0, -1 / 0, -1e300, -1e15, -1] $ \seconds -> do
          (store, i, _) <- paying tier 0
          -- Its code is there before, which would not be made when the time is over.
          invoke i "f" [amount 0, I32Value 10] >>= orFail >>= (@?= [])
          setDeadline store (Just seconds)
          invoke i "f" [amount 0, I32Value 3000000] >>= late
          inTime store (pure (Right ())) >>= late
          m <- loadText "(module)" >>= orFail
          instantiate store m noImports >>= late,
      testCase "a deadline may be further away than anything takes" . inEveryTier $ \tier ->
        forM_ [1 / 0, 1e300, 1e15] $ \seconds -> do
          (store, i, _) <- paying tier 0
          setDeadline store (Just seconds)
          invoke i "f" [amount 0, I32Value 100000] >>= orFail >>= (@?= [])
          inTime store (pure (Right ())) >>= orFail
          m <- loadText "(module)" >>= orFail
          instantiate store m noImports >>= orFail >>= (@?= []) . exportNames,
      testCase "fuel below zero is none" . inEveryTier $ \tier ->
        forM_ [-1, minBound] $ \n -> do
          (store, i, _) <- paying tier 0
          setFuel store n
          fuelLeft store >>= (@?= 0)
          _ <- invoke i "f" [amount 0, I32Value 10] >>= suspension
          pure (),
      testCase "a stack below zero has room for nothing, and a heap neither" $
        forM_ [-1, -4611686018427387904, minBound] $ \n -> do
          store <- newStore defaultSettings {settingStack = n}
          m <- loadText "(module (func (export \"f\")))" >>= orFail
          i <- instantiate store m noImports >>= orFail
          invoke i "f" [] >>= \case
            Left (Exhausted StackExhausted _) -> pure ()
            Left e -> assertFailure (T.unpack (renderError e))
            Right _ -> assertFailure "it returned"
          other <- newStore defaultSettings {settingHeap = n}
          hostGlobal other Var (I32Value 0) >>= assertBool "was made" . isNothing
    ]

-- | A store, a function of the host that pays an amount a number of times, and an instance whose
-- function @f@ calls that and then makes a number of turns; @g@ leaves things to the driver
-- instead.
paying :: Tier -> Int -> IO (Store, Instance, Func)
paying tier times = do
  store <- newStore defaultSettings
  h <-
    hostFunction
      store
      ((\n -> replicateM_ times (price (fromIntegral n))) :: Word64 -> Metered ())
  m <- orFail (binaryOf (encodeUtf8 source)) >>= loadWith (inTier tier) >>= orFail
  i <- instantiate store m (importsFrom "host" [("h", ExternFunc h)]) >>= orFail
  pure (store, i, h)
  where
    inTier t = defaultLoading {loadingTier = t}
    source :: Text
    source =
      T.concat
        [ "(module (import \"host\" \"h\" (func $h (param i64))) (table $t 1 funcref) \
          \(func (export \"f\") (param i64) (param $n i32) (call $h (local.get 0)) \
          \(loop $l (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))) \
          \(func (export \"g\") (param i64) (call $h (local.get 0)) ",
          T.replicate 200 "(drop (table.get $t (i32.const 0)))",
          "))"
        ]

amount :: Int -> Value
amount = I64Value . fromIntegral

inEveryTier :: (Tier -> Assertion) -> Assertion
inEveryTier = forM_ (Interpreter : concat [[NativeCode, Auto] | available])

suspension :: Either Error a -> IO Suspended
suspension = \case
  Left (OutOfFuel s) -> pure s
  Left e -> assertFailure (T.unpack (renderError e))
  Right _ -> assertFailure "it returned"

late :: Either Error a -> Assertion
late = \case
  Left (Exhausted TimeExhausted _) -> pure ()
  Left e -> assertFailure (T.unpack (renderError e))
  Right _ -> assertFailure "it was not stopped"
