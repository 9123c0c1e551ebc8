{-# LANGUAGE OverloadedStrings #-}

-- | Instructions that few programs have, with answers that are known beforehand, in every
-- tier: each way to branch by a comparison, vectors that another instance has, and numbers
-- that are none where NaNs are to be canonical.
--
-- They are what program coverage found to be run by no other test, or by generated ones
-- alone.
module Tern.Wasm.CornerTest
  ( tests,
  )
where

import Control.Monad (forM_)
import Data.Int (Int32, Int64)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding (encodeUtf8)
import Data.Word (Word32, Word64)
import Tern.Wasm
import Tern.Wasm.Expected (orFail)
import Tern.Wasm.Observed (bits, observed)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "corners"
    [ testCase "a branch by each comparison, with a constant and without" $
        forM_ tiers $ \tier -> do
          store <- newStore defaultSettings
          i <- instanceIn tier False store noImports (T.concat ["(module ", branches, ")"])
          forM_ comparisons $ \(name, holds32, holds64) -> forM_ operands $ \x ->
            forM_ ["constant", "if", "local"] $ \kind -> do
              let called t value holds = do
                    outcome <- invoke i (T.concat [t, ".", name, kind]) [value x, value 7]
                    assertEqual
                      (T.unpack (T.unwords [t, name, kind, shown x, shown tier]))
                      (bits (I32Value (if holds then 1 else 0)))
                      (observed outcome)
              called "i32" (I32Value . fromInteger) (holds32 (fromInteger x))
              called "i64" (I64Value . fromInteger) (holds64 (fromInteger x)),
      testCase "a vector that another instance has is read and set" $
        forM_ tiers $ \tier -> do
          store <- newStore defaultSettings
          owner <- instanceIn tier False store noImports owned
          i <- instanceIn tier False store (fromInstance "owner" owner) borrowed
          invoke i "get" [] >>= (@?= "i32 4") . observed
          _ <- invoke i "set" [I32Value 9]
          invoke i "get" [] >>= (@?= "i32 9") . observed
          invoke owner "get" [] >>= (@?= "i32 9") . observed,
      testCase "a sum that is a number stays it, where NaNs are canonical" $
        forM_ tiers $ \tier -> do
          store <- newStore defaultSettings
          i <- instanceIn tier True store noImports sums
          invoke i "f32" [F32Value 1.5, F32Value 2] >>= (@?= bits (F32Value 3.5)) . observed
          invoke i "f64" [F64Value 1.5, F64Value 2] >>= (@?= bits (F64Value 3.5)) . observed,
      testCase "segments after one that does not fit are still there" $
        forM_ tiers $ \tier -> do
          store <- newStore defaultSettings
          owner <- instanceIn tier False store noImports tableAndMemory
          bytes <- orFail (binaryOf (encodeUtf8 leaving))
          m <- loadWith defaultLoading {loadingTier = tier} bytes >>= orFail
          instantiate store m (fromInstance "owner" owner) >>= \case
            Left (Trapped OutOfBoundsTable _) -> pure ()
            Left e -> assertFailure (T.unpack (renderError e))
            Right _ -> assertFailure "it was made"
          -- What was copied before is there, and copies from what was not.
          outcomes <- mapM (\k -> observed <$> invoke owner "run" [I32Value k]) [0 .. 3]
          take 3 outcomes @?= ["i32 7", "i32 98", "i32 8"]
          -- The first one was copied, and so is gone.
          assertBool (show outcomes) $
            all ("trap: out of bounds table" `T.isPrefixOf`) (drop 3 outcomes)
    ]
  where
    operands = [0, 6, 7, 8, -1, -0x80000000] :: [Integer]

tableAndMemory :: Text
tableAndMemory =
  "(module (table (export \"t\") 10 funcref) (memory (export \"m\") 1) (type $v (func (result \
  \i32))) (func (export \"run\") (param i32) (result i32) (call_indirect (type $v) (local.get 0))))"

-- | Its second segment does not fit; the functions that the first puts into the table copy from
-- those after it, from one that is only declared, and from the first.
leaving :: Text
leaving =
  "(module (import \"owner\" \"t\" (table $t 10 funcref)) (import \"owner\" \"m\" (memory 1)) \
  \(table $own 4 funcref) \
  \(func $f (result i32) (table.init $own $later (i32.const 0) (i32.const 0) (i32.const 1)) \
  \(i32.const 7)) \
  \(func $g (result i32) (memory.init $d (i32.const 100) (i32.const 0) (i32.const 3)) \
  \(i32.load8_u (i32.const 101))) \
  \(func $h (result i32) (table.init $own $said (i32.const 0) (i32.const 0) (i32.const 1)) \
  \(i32.const 8)) \
  \(func $i (result i32) (table.init $own $first (i32.const 0) (i32.const 0) (i32.const 1)) \
  \(i32.const 9)) \
  \(elem $first (table $t) (i32.const 0) func $f $g $h $i) \
  \(elem (table $t) (i32.const 100) func $f) \
  \(elem $later (table $own) (i32.const 0) func $f) \
  \(elem $said declare func $f) (data $d (i32.const 0) \"abc\"))"

tiers :: [Tier]
tiers = Interpreter : concat [[NativeCode, Auto] | available]

instanceIn :: Tier -> Bool -> Store -> Imports -> Text -> IO Instance
instanceIn tier canonical store imports source = do
  bytes <- orFail (binaryOf (encodeUtf8 source))
  m <-
    loadWith defaultLoading {loadingTier = tier, loadingCanonicalNaNs = canonical} bytes >>= orFail
  instantiate store m imports >>= orFail

shown :: (Show a) => a -> Text
shown = T.pack . show

-- | Names, and what of a number and 7 they say.
comparisons :: [(Text, Word32 -> Bool, Word64 -> Bool)]
comparisons =
  [ ("eq", (== 7), (== 7)),
    ("ne", (/= 7), (/= 7)),
    ("lt_s", signed32 (< 7), signed64 (< 7)),
    ("lt_u", (< 7), (< 7)),
    ("gt_s", signed32 (> 7), signed64 (> 7)),
    ("gt_u", (> 7), (> 7)),
    ("le_s", signed32 (<= 7), signed64 (<= 7)),
    ("le_u", (<= 7), (<= 7)),
    ("ge_s", signed32 (>= 7), signed64 (>= 7)),
    ("ge_u", (>= 7), (>= 7))
  ]
  where
    signed32 :: (Int32 -> Bool) -> Word32 -> Bool
    signed32 holds = holds . fromIntegral
    signed64 :: (Int64 -> Bool) -> Word64 -> Bool
    signed64 holds = holds . fromIntegral

-- | For each type and comparison a function that leaves a block by it, one that takes a way by
-- it, and one that compares two locals.
branches :: Text
branches =
  T.unlines (concat [functions t name | t <- ["i32", "i64"], (name, _, _) <- comparisons])
  where
    functions t name =
      [ function "constant" (left (constant t)),
        function "if" (T.concat ["(if (result i32) ", compared (constant t), one, two]),
        function "local" (left "(local.get 1)")
      ]
      where
        function kind body =
          T.concat
            [ T.concat ["(func (export \"", t, ".", name, kind, "\") (param ", t, " ", t, ")"],
              T.concat [" (result i32) ", body, ")"]
            ]
        compared other = T.concat ["(", t, ".", name, " (local.get 0) ", other, ")"]
        left other =
          T.concat
            ["(block (br_if 0 ", compared other, ") (return (i32.const 0))) (i32.const 1)"]
    constant t = T.concat ["(", t, ".const 7)"]
    one = " (then (i32.const 1))"
    two = " (else (i32.const 0)))"

owned, borrowed, sums :: Text
owned =
  "(module (global $v (export \"v\") (mut v128) (v128.const i32x4 1 2 3 4))\
  \  (func (export \"get\") (result i32) (i32x4.extract_lane 3 (global.get $v))))"
borrowed =
  "(module (import \"owner\" \"v\" (global $v (mut v128)))\
  \  (func (export \"get\") (result i32) (i32x4.extract_lane 3 (global.get $v)))\
  \  (func (export \"set\") (param i32) (global.set $v (i32x4.splat (local.get 0)))))"
sums =
  "(module (func (export \"f32\") (param f32 f32) (result f32)\
  \    (f32.add (local.get 0) (local.get 1)))\
  \  (func (export \"f64\") (param f64 f64) (result f64)\
  \    (f64.add (local.get 0) (local.get 1))))"
