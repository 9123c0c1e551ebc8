{-# LANGUAGE OverloadedStrings #-}

-- | Vectors in native code against the interpreter, to the bit.
--
-- The idea: every operator of the table, over operands at the edges of all widths, by each
-- of its lanes, over memories of every kind and up to their ends; then programs that mix
-- vectors with numbers in locals, loops, calls and slices of fuel. Whether a function has
-- native code is asked, so that none is compared with itself.
module Tern.Wasm.VectorTest
  ( tests,
  )
where

import Control.Monad (forM, forM_, replicateM, unless)
import Data.ByteString qualified as B
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding (encodeUtf8)
import Data.Word (Word64)
import GHC.Float (castWord32ToFloat, castWord64ToDouble)
import Tern.Testkit.Drawn (drawnUnless)
import Tern.Testkit.Tally (skip)
import Tern.Wasm
import Tern.Wasm.Expected (orFail)
import Tern.Wasm.Observed (digest, observed)
import Tern.Wasm.Opcode (Immediate (..), Operator (..), VectorOp, vectorOperator)
import Tern.Wasm.Seed (Draw, below, draw, pick, runDraw)
import Tern.Wasm.VectorProgram (functions, interesting, program, shown, thirtyTwo)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit

tests :: TestTree
tests
  | not available = skip "native code for vectors" "only on x86-64 under Linux"
  | otherwise =
      testGroup
        "native code for vectors"
        [ testCaseInfo "every operator, as the interpreter" (everyOperator False),
          testCaseInfo "and with canonical NaNs" (everyOperator True),
          testCaseInfo "every access, at the ends of every kind of memory" everyAccess,
          testCaseInfo "generated programs" generated,
          testCase "what ends is not written over what lies in its place" over
        ]

loadedBy :: Bool -> Tier -> Text -> IO Compiled
loadedBy canonical tier source = do
  bytes <- orFail (binaryOf (encodeUtf8 source))
  loadWith defaultLoading {loadingTier = tier, loadingCanonicalNaNs = canonical} bytes >>= orFail

-- * Operators

-- | What both tiers answer is the same, and all functions of the one have native code: how
-- many answers there are. Given how many functions, and in a tier those with native code and
-- the answers.
agree :: Operator -> Int -> (Tier -> IO ([Int], [Text])) -> IO Int
agree op many answered = do
  (none, expected) <- answered Interpreter
  (natives, found) <- answered NativeCode
  none @?= []
  natives @?= [0 .. many - 1]
  length found @?= length expected
  forM_ (zip expected found) (uncurry (assertEqual (operatorText op)))
  pure (length found)

-- | Each operator by each of its immediates, as a function of its operands.
everyOperator :: Bool -> IO String
everyOperator canonical = do
  counts <- forM groups $ \(op, forms) -> do
    let source = T.concat (["(module "] <> zipWith (function op) [0 :: Int ..] forms <> [")"])
        names = ["f" <> shown k | k <- [0 .. length forms - 1]]
        arguments = runDraw (replicateM rounds (mapM drawn (operatorParams op))) 5
        edges = [map (edge k) (operatorParams op) | k <- [0 .. 40]]
    agree op (length forms) $ \tier -> do
      m <- loadedBy canonical tier source
      store <- newStore defaultSettings
      i <- instantiate store m noImports >>= orFail
      seen <- forM [(n, v) | n <- names, v <- edges <> arguments] $ \(name, values) ->
        (\o -> T.unwords [name, shown values, observed o]) <$> invoke i name values
      native <- nativeFunctions m
      pure (native, seen)
  length counts @?= 234
  pure (show (length counts) <> " operators, " <> show (sum counts) <> " calls")
  where
    rounds = if canonical then 12 else 40
    groups =
      [ (o, forms)
        | op <- [minBound .. maxBound :: VectorOp],
          let o = vectorOperator op,
          Just forms <- [immediates o]
      ]
    function op k form =
      T.concat
        [ "(func (export \"f",
          shown k,
          "\")",
          T.concat [" (param " <> renderType t <> ")" | t <- operatorParams op],
          " (result ",
          T.unwords (map renderType (operatorResults op)),
          ") (",
          T.pack (operatorText op),
          form,
          T.concat [" (local.get " <> shown n <> ")" | n <- [0 .. length (operatorParams op) - 1]],
          "))\n"
        ]

-- | What may follow the name of an operator that has no address.
immediates :: Operator -> Maybe [Text]
immediates o = case operatorImmediate o of
  NoImmediate -> Just [""]
  LaneImmediate n -> Just [" " <> shown k | k <- [0 .. n - 1]]
  ConstantImmediate ->
    Just
      [ " i64x2 " <> shown low <> " " <> shown high
        | (low, high) <- [(0, 0), (all1, all1), (3, 3), (5, 0), (0, 7), (all1, 1)]
      ]
  ShuffleImmediate ->
    Just
      ( " 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15"
          : " 31 30 29 28 27 26 25 24 23 22 21 20 19 18 17 16"
          : [ T.concat [" " <> shown n | n <- runDraw (replicateM 16 (below 32)) seed]
              | seed <- [1 .. 10]
            ]
      )
  MemoryImmediate _ -> Nothing
  MemoryLaneImmediate _ -> Nothing
  where
    all1 = maxBound :: Word64

renderType :: ValType -> Text
renderType = \case
  I32 -> "i32"
  I64 -> "i64"
  F32 -> "f32"
  F64 -> "f64"
  _ -> "v128"

-- * Operands

drawn :: ValType -> Draw Value
drawn t = below 3 >>= \wild -> (\k -> valueOf t k) <$> replicateM 4 (half wild)
  where
    half = \case
      0 -> draw
      1 -> pick 0 interesting
      _ -> (\low high -> fromIntegral low + 0x100000000 * fromIntegral high) <$> word <*> word
    word = pick 0 thirtyTwo

-- | By a number.
edge :: Int -> ValType -> Value
edge k t = valueOf t (map at [k, k + 7, k, k])
  where
    at n = interesting !! (n `mod` length interesting)

valueOf :: ValType -> [Word64] -> Value
valueOf t ws = case (t, ws) of
  (I32, w : _) -> I32Value (fromIntegral w)
  (I64, w : _) -> I64Value w
  (F32, w : _) -> F32Value (castWord32ToFloat (fromIntegral w))
  (F64, w : _) -> F64Value (castWord64ToDouble w)
  (_, l : h : _) -> V128Value l h
  _ -> I32Value 0

-- * Accesses

-- | Each access in each memory, by addresses around both ends: what it gives, and what
-- the memory is afterwards.
everyAccess :: IO String
everyAccess = do
  let cases = [(m, o) | m@(_, wide) <- memories, o <- groups wide]
  counts <- forM cases $ \((index, wide), (op, forms)) -> do
    let source =
          T.concat
            ( [ "(module (memory 1) (memory $b (export \"memory\") ",
                if wide then "i64 " else "",
                "1) (memory (export \"first\") 0) "
              ]
                <> zipWith (function index wide op) [0 :: Int ..] forms
                <> [")"]
            )
        exporting = if index == (0 :: Int) then T.replace first exported else id
        first = "(memory 1) (memory $b (export \"memory\") "
        exported = "(memory (export \"memory\") 1) (memory $b "
        values =
          take
            (length (operatorParams op) - 1)
            [V128Value 0x8182838485868788 0x0102030405060708]
    agree op (length forms) $ \tier -> do
      m <- loadedBy False tier (exporting source)
      store <- newStore defaultSettings
      i <- instantiate store m noImports >>= orFail
      memory <- case exportNamed i "memory" of
        Just (ExternMemory memory) -> pure memory
        _ -> assertFailure "no memory"
      seen <- forM [(k, at) | k <- [0 .. length forms - 1], at <- addresses wide] $ \(k, at) -> do
        written <- writeMemory memory 0 pattern_
        written' <- writeMemory memory (65536 - B.length pattern_) pattern_
        unless (written && written') (assertFailure "the memory is smaller")
        outcome <- invoke i ("f" <> shown k) (addressed wide at : values)
        after <- mapM (\from -> fromMaybe B.empty <$> readMemory memory from 256) [0, 65536 - 256]
        pure (T.unwords [shown k, shown at, observed outcome, shown (digest 7 (B.concat after))])
      native <- nativeFunctions m
      pure (native, seen)
  pure (show (length counts) <> " operators and memories, " <> show (sum counts) <> " calls")
  where
    -- The index of a memory and whether it has addresses of 64 bits.
    memories = [(0, False), (1, False), (1, True)]
    pattern_ = B.pack (map (\k -> fromIntegral (37 * k + 128 :: Int)) [0 .. 95])
    addressed wide at = if wide then I64Value at else I32Value (fromIntegral at)
    addresses :: Bool -> [Word64]
    addresses wide =
      [0, 1, 15, 65500]
        <> [65536 - k | k <- [0 .. 20]]
        <> [65537, 0x7FFFFFFF, 0xFFFFFFF0, 0xFFFFFFFF]
        <> (if wide then [0xFFFFFFFFFFFFFFF0, 0xFFFFFFFFFFFFFFFF, 0x100000000] else [])
    groups wide =
      [ (o, forms)
        | op <- [minBound .. maxBound :: VectorOp],
          let o = vectorOperator op,
          forms <- case operatorImmediate o of
            MemoryImmediate _ -> [[(offset, "") | offset <- offsets wide]]
            MemoryLaneImmediate size_ ->
              [ [ (offset, " " <> shown lane)
                  | offset <- offsets wide,
                    lane <- [0 .. 16 `div` (2 ^ size_) - 1 :: Int]
                ]
              ]
            _ -> []
      ]
    -- The last one is zero but for the high half.
    offsets :: Bool -> [Text]
    offsets wide =
      ["", " offset=1", " offset=4294967295"] <> [" offset=4294967296" | wide]
    function index wide op k (offset, lane) =
      T.concat
        [ "(func (export \"f",
          shown k,
          "\") (param ",
          T.unwords ((if wide then "i64" else "i32") : map renderType (drop 1 (operatorParams op))),
          ") (result ",
          T.unwords (map renderType (operatorResults op)),
          ") (",
          T.pack (operatorText op),
          " ",
          shown (index :: Int),
          offset,
          lane,
          T.concat [" (local.get " <> shown n <> ")" | n <- [0 .. length (operatorParams op) - 1]],
          "))\n"
        ]

-- * Places

-- | A vector of the operand stack is over, on one of two ways because numbers lie there now,
-- when the driver looks at the whole frame, in between and afterwards.
over :: Assertion
over = do
  answers <- forM [Interpreter, NativeCode] $ \tier -> do
    m <- loadedBy False tier source
    store <- newStore defaultSettings
    i <- instantiate store m noImports >>= orFail
    seen <- forM [1, 0] $ \n -> observed <$> invoke i "f" [I32Value n]
    native <- nativeFunctions m
    unless (tier == Interpreter) (native @?= [0])
    pure seen
  answers @?= [["i64 0", "i64 651"], ["i64 0", "i64 651"]]
  where
    source =
      T.unlines
        [ "(module (memory 1)",
          "(global $a (mut i64) (i64.const 0))",
          "(global $b (mut i64) (i64.const 0))",
          "(global $c (mut i64) (i64.const 0))",
          "(func (export \"f\") (param $c i32) (result i64)",
          " (local $v v128) (local $r anyref) (local $n i32) (local $x i64)",
          " (local.set $x (i64.const 7))",
          " (loop $l",
          "  (v128.store (i32.const 0)",
          "   (i8x16.add (v128.not (local.get $v)) (v128.not (v128.load (local.get $n)))))",
          "  (br_if $l",
          "   (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 9))))",
          " (block $b",
          "  (br_if $b (local.get $c))",
          "  (i64.mul (local.get $x) (i64.const 30))",
          "  (i64.mul (local.get $x) (i64.const 31))",
          "  (i64.mul (local.get $x) (i64.const 32))",
          "  (drop (ref.test (ref i31) (local.get $r)))",
          "  (drop (ref.test (ref i31) (local.get $r)))",
          "  (global.set $a)",
          "  (global.set $b)",
          "  (global.set $c))",
          " (drop (ref.test (ref i31) (local.get $r)))",
          " (i64.add (global.get $a) (i64.add (global.get $b) (global.get $c)))))"
        ]

-- * Programs

-- | Whole, and in slices of fuel; as they get warm, too.
generated :: IO String
generated = do
  count <- drawnUnless "TERN_WASM_GENERATED" 60
  seen <- forM [1 .. count :: Int] $ \seed -> do
    let source = runDraw program (fromIntegral seed)
    answers <- forM [Interpreter, NativeCode, Auto] $ \tier -> do
      m <- loadedBy False tier source
      answer <- (<>) <$> calling m maxBound <*> calling m 7
      native <- nativeFunctions m
      unless (tier /= NativeCode) (native @?= [0 .. functions - 1])
      pure answer
    case answers of
      first : others -> do
        forM_ others (assertEqual ("seed " <> show seed) first)
        pure (length first)
      [] -> pure 0
  pure (show (sum seen) <> " calls")
  where
    calling m slice = do
      store <- newStore defaultSettings
      sampleStacks store 5
      i <- instantiate store m noImports >>= orFail
      forM [(k, n) | k <- [0 .. functions - 1], n <- [0, 3, 9]] $ \(k, n) -> do
        setFuel store slice
        outcome <- invoke i ("f" <> shown k) (arguments n) >>= onwards store slice (400 :: Int)
        contents <- case exportNamed i "memory" of
          Just (ExternMemory memory) -> fromMaybe B.empty <$> readMemory memory 0 65536
          _ -> pure B.empty
        pure (T.unwords [outcome, shown (digest 7 contents)])
    onwards store slice n = \case
      Left (OutOfFuel s)
        | n > 0 ->
            setFuel store slice >> continue s >>= onwards store slice (n - 1)
      outcome -> (\left -> observed outcome <> " " <> shown left) <$> fuelLeft store
    arguments n =
      [ I32Value n,
        V128Value (0x0101010101010101 * fromIntegral n) 0x3F8000007FC00000,
        F64Value (fromIntegral n)
      ]
