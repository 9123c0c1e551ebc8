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
import Data.Word (Word32, Word64)
import GHC.Float (castWord32ToFloat, castWord64ToDouble)
import System.Environment (lookupEnv)
import Tern.Testkit.Tally (skip)
import Tern.Wasm
import Tern.Wasm.Observed (observed)
import Tern.Wasm.Opcode (Immediate (..), Operator (..), VectorOp, vectorOperator)
import Tern.Wasm.Seed (Draw, below, draw, pick, runDraw)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit
import Text.Read (readMaybe)

tests :: TestTree
tests
  | not available = skip "native code for vectors" "only on x86-64 under Linux"
  | otherwise =
      testGroup
        "native code for vectors"
        [ testCaseInfo "every operator, as the interpreter" (everyOperator False),
          testCaseInfo "and with canonical NaNs" (everyOperator True),
          testCaseInfo "every access, at the ends of every kind of memory" everyAccess,
          testCaseInfo "generated programs" generated
        ]

orFail :: Either Error a -> IO a
orFail = either (assertFailure . T.unpack . renderError) pure

loadedBy :: Bool -> Tier -> Text -> IO Compiled
loadedBy canonical tier source = do
  bytes <- orFail (binaryOf (encodeUtf8 source))
  loadWith defaultLoading {loadingTier = tier, loadingCanonicalNaNs = canonical} bytes >>= orFail

-- * Operators

-- | Each operator by each of its immediates, as a function of its operands.
everyOperator :: Bool -> IO String
everyOperator canonical = do
  counts <- forM groups $ \(op, forms) -> do
    let source = T.concat (["(module "] <> zipWith (function op) [0 :: Int ..] forms <> [")"])
        names = ["f" <> shown k | k <- [0 .. length forms - 1]]
        arguments = runDraw (replicateM rounds (mapM drawn (operatorParams op))) 5
        edges = [map (edge k) (operatorParams op) | k <- [0 .. 40]]
    answers <- forM [Interpreter, NativeCode] $ \tier -> do
      m <- loadedBy canonical tier source
      store <- newStore defaultSettings
      i <- instantiate store m noImports >>= orFail
      seen <- forM [(n, v) | n <- names, v <- edges <> arguments] $ \(name, values) ->
        (\o -> T.unwords [name, shown values, observed o]) <$> invoke i name values
      native <- nativeFunctions m
      pure (native, seen)
    case answers of
      [(none, expected), (all_, found)] -> do
        none @?= []
        all_ @?= [0 .. length forms - 1]
        forM_ (zip expected found) $ \(e, f) -> assertEqual (operatorText op) e f
        pure (length found)
      _ -> pure 0
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

shown :: (Show a) => a -> Text
shown = T.pack . show

renderType :: ValType -> Text
renderType = \case
  I32 -> "i32"
  I64 -> "i64"
  F32 -> "f32"
  F64 -> "f64"
  _ -> "v128"

-- * Operands

-- | Halves of vectors at the edges of integers and floats of all widths.
interesting :: [Word64]
interesting =
  map twice thirtyTwo
    <> [ 0x7F80007FFF018000,
         0x0102030405060708,
         0x8081FF7F00010FF0,
         0x7FFF80008000FFFF,
         0x3FF8000000000000,
         0x7FF0000000000000,
         0xFFF0000000000000,
         0x7FF8000000000000,
         0xFFF8000000000001,
         0x7FF0000000000001,
         0xFFF4000000000002,
         0x41DFFFFFFFC00000,
         0x41E0000000000000,
         0xC1E0000000000000,
         0xC1E0000000200000,
         0x41EFFFFFFFE00000,
         0x41F0000000000000,
         0x43E0000000000000,
         0xBFE0000000000000,
         0x3FDFFFFFFFFFFFFF,
         0x4004000000000000,
         0xC00C000000000000,
         0x7FEFFFFFFFFFFFFF,
         0x8000000000000000,
         0x7FFFFFFFFFFFFFFF,
         0x0000000000000001,
         0x36A0000000000000
       ]
  where
    twice w = fromIntegral w * 0x100000001

-- | The same of 32 bits.
thirtyTwo :: [Word32]
thirtyTwo =
  [ 0,
    1,
    0xFFFFFFFF,
    0x80000000,
    0x7FFFFFFF,
    0x80008000,
    0x7FFF7FFF,
    0x00FF00FF,
    0x3F800000,
    0xBFC00000,
    0x3F000000,
    0x40200000,
    0xC0600000,
    0x7F800000,
    0xFF800000,
    0x7FC00000,
    0xFFC00000,
    0x7F800001,
    0xFFA00002,
    0x7FC01234,
    0x4F000000,
    0x4EFFFFFF,
    0xCF000000,
    0xCF000001,
    0x4F800000,
    0x4F7FFFFF,
    0x4B000001,
    0x00000001,
    0x7F7FFFFF,
    0x12345678
  ]

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
  counts <- forM [(m, o) | m <- memories, o <- groups] $ \((index, wide), (op, forms)) -> do
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
        values = take (length (operatorParams op) - 1) [V128Value 0x8182838485868788 0x0102030405060708]
    answers <- forM [Interpreter, NativeCode] $ \tier -> do
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
        after <- fromMaybe B.empty <$> readMemory memory 0 65536
        pure (T.unwords [shown k, shown at, observed outcome, shown (hashed after)])
      native <- nativeFunctions m
      pure (native, seen)
    case answers of
      [(none, expected), (all_, found)] -> do
        none @?= []
        all_ @?= [0 .. length forms - 1]
        forM_ (zip expected found) $ \(e, f) -> assertEqual (operatorText op) e f
        pure (length found)
      _ -> pure 0
  pure (show (length counts) <> " operators and memories, " <> show (sum counts) <> " calls")
  where
    -- The index of a memory and whether it has addresses of 64 bits.
    memories = [(0, False), (1, False), (1, True)]
    pattern_ = B.pack (map (\k -> fromIntegral (37 * k + 128 :: Int)) [0 .. 95])
    hashed = B.foldl' (\h w -> 31 * h + fromIntegral w) (7 :: Word64)
    addressed wide at = if wide then I64Value at else I32Value (fromIntegral at)
    addresses :: Bool -> [Word64]
    addresses wide =
      [0, 1, 15, 65500]
        <> [65536 - k | k <- [0 .. 20]]
        <> [65537, 0x7FFFFFFF, 0xFFFFFFF0, 0xFFFFFFFF]
        <> (if wide then [0xFFFFFFFFFFFFFFF0, 0xFFFFFFFFFFFFFFFF, 0x100000000] else [])
    groups =
      [ (o, forms)
        | op <- [minBound .. maxBound :: VectorOp],
          let o = vectorOperator op,
          forms <- case operatorImmediate o of
            MemoryImmediate _ -> [[(offset, "") | offset <- offsets]]
            MemoryLaneImmediate size_ ->
              [ [ (offset, " " <> shown lane)
                  | offset <- offsets,
                    lane <- [0 .. 16 `div` (2 ^ size_) - 1 :: Int]
                ]
              ]
            _ -> []
      ]
    offsets = ["", " offset=1", " offset=4294967295"] :: [Text]
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

-- * Programs

-- | Whole, and in slices of fuel; as they get warm, too.
generated :: IO String
generated = do
  wanted <- lookupEnv "TERN_WASM_GENERATED"
  let count = fromMaybe 60 (wanted >>= readMaybe)
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
        pure (T.unwords [outcome, shown (B.foldl' (\h w -> 31 * h + fromIntegral w) (7 :: Int) contents)])
    onwards store slice n = \case
      Left (OutOfFuel s) | n > 0 -> setFuel store slice >> continue s >>= onwards store slice (n - 1)
      outcome -> (\left -> observed outcome <> " " <> shown left) <$> fuelLeft store
    arguments n =
      [ I32Value n,
        V128Value (0x0101010101010101 * fromIntegral n) 0x3F8000007FC00000,
        F64Value (fromIntegral n)
      ]

functions :: Int
functions = 5

-- | Each function may call those before it. Locals: an i32, a v128 and an f64 that are
-- given; three vectors more, an i32, an i64, an f32, an f64 and a counter.
program :: Draw Text
program = do
  bodies <- forM [0 .. functions - 1] $ \k -> do
    body <- replicateM 6 (statement k 2)
    value <- vector k 3
    pure $
      T.concat
        [ "(func $f",
          shown k,
          " (export \"f",
          shown k,
          "\") (param i32 v128 f64) (result v128 i32) (local v128 v128 v128 i32 i64 f32 f64 i32)\n ",
          T.intercalate "\n " body,
          "\n ",
          value,
          " (i32.add (local.get 0) (local.get 6)))\n"
        ]
  pure
    ( T.concat
        ( [ "(module (memory (export \"memory\") 1) (global $v (mut v128) (v128.const i32x4 1 2 3 4)) ",
            "(global $far (mut i64) (i64.const 1))\n"
          ]
            <> bodies
            <> [")"]
        )
    )

statement :: Int -> Int -> Draw Text
statement k depth =
  below (if depth <= 0 then 6 else 9) >>= \case
    0 -> applied "local.set 6" [number k 2 "i32"]
    1 -> applied "local.set 8" [number k 2 "f32"]
    2 -> applied "local.set 9" [number k 2 "f64"]
    3 -> applied "v128.store offset=5" [place, vector k 2]
    4 -> applied "global.set $v" [vector k 2]
    5 -> vectorLocal >>= \n -> applied ("local.set " <> n) [vector k 3]
    6 -> do
      c <- number k 2 "i32"
      a <- statement k (depth - 1)
      b <- statement k (depth - 1)
      pure (T.concat ["(if ", c, " (then ", a, ") (else ", b, "))"])
    7 -> do
      n <- below 9
      a <- replicateM 3 (statement k 0)
      pure
        ( T.concat
            [ "(local.set 10 (i32.const ",
              shown (n + 1),
              ")) (loop $l ",
              T.unwords a,
              " (br_if $l (local.tee 10 (i32.sub (local.get 10) (i32.const 1)))))"
            ]
        )
    _ -> applied "local.set 7" [number k 2 "i64"]

applied :: Text -> [Draw Text] -> Draw Text
applied name operands = (\xs -> T.concat (["(", name] <> map (" " <>) xs <> [")"])) <$> sequence operands

vectorLocal :: Draw Text
vectorLocal = pick "1" ["1", "3", "4", "5"]

-- | Some bytes before the memory's end, or in one of twenty cases perhaps beyond it.
place :: Draw Text
place = do
  far <- below 20
  applied
    "i32.and"
    [ applied "i32.mul" [pure "(local.get 6)", pure "(i32.const 40503)"],
      pure (if far == 0 then "(i32.const 0x1ffff)" else "(i32.const 0xffe0)")
    ]

vector :: Int -> Int -> Draw Text
vector k depth
  | depth <= 0 = leaf
  | otherwise =
      below 11 >>= \case
        0 -> leaf
        1 -> leaf
        2 -> applied "v128.load offset=2" [place]
        3 -> vectorLocal >>= \n -> applied ("local.tee " <> n) [sub]
        4 | k > 0 -> do
          callee <- below k
          applied
            "block (result v128)"
            [ applied
                ("call $f" <> shown callee)
                [number k 1 "i32", sub, number k 1 "f64"],
              pure "(local.set 6)"
            ]
        5 -> applied "select (result v128)" [sub, sub, number k (depth - 1) "i32"]
        6 -> do
          c <- number k (depth - 1) "i32"
          applied "if (result v128)" [pure c, applied "then" [sub], applied "else" [sub]]
        _ -> do
          op <- pick (vectorOperator minBound) simple
          applied (T.pack (operatorText op)) (map (operand k (depth - 1)) (operatorParams op))
  where
    sub = vector k (depth - 1)
    leaf =
      below 4 >>= \case
        0 -> do
          w <- pick 0 interesting
          v <- pick 0 interesting
          applied "v128.const i64x2" [pure (shown w), pure (shown v)]
        1 -> pure "(global.get $v)"
        _ -> (\n -> "(local.get " <> n <> ")") <$> vectorLocal

-- | Operators without an immediate.
simple, tests_ :: [Operator]
simple = [o | op <- [minBound .. maxBound], let o = vectorOperator op, isSimple o V128]
tests_ = [o | op <- [minBound .. maxBound], let o = vectorOperator op, isSimple o I32]

isSimple :: Operator -> ValType -> Bool
isSimple o t =
  operatorResults o == [t] && case operatorImmediate o of
    NoImmediate -> True
    _ -> False

operand :: Int -> Int -> ValType -> Draw Text
operand k depth = \case
  I32 -> number k depth "i32"
  I64 -> number k depth "i64"
  F32 -> number k depth "f32"
  F64 -> number k depth "f64"
  _ -> vector k depth

number :: Int -> Int -> Text -> Draw Text
number k depth t
  | depth <= 0 = leaf
  | otherwise =
      below 6 >>= \case
        0 -> leaf
        1 -> applied (t <> ".add") [sub, sub]
        2 -> lane >>= \l -> applied (lanes <> ".extract_lane" <> l) [vector k (depth - 1)]
        3 | t == "i32" -> do
          o <- pick (vectorOperator minBound) tests_
          applied (T.pack (operatorText o)) [vector k (depth - 1)]
        4 -> applied (t <> ".load offset=1") [place]
        _ -> applied (t <> ".mul") [sub, sub]
  where
    sub = number k (depth - 1) t
    lanes = case t of
      "i32" -> "i32x4"
      "i64" -> "i64x2"
      "f32" -> "f32x4"
      _ -> "f64x2"
    lane = (\n -> " " <> shown n) <$> below (if t == "i32" || t == "f32" then 4 else 2)
    leaf = case t of
      "i32" -> pick "" ["(local.get 0)", "(local.get 6)", "(i32.const 77)"]
      "i64" -> pick "" ["(local.get 7)", "(i64.const -5)"]
      "f32" -> pick "" ["(local.get 8)", "(f32.const 1.5)"]
      _ -> pick "" ["(local.get 2)", "(local.get 9)", "(f64.const -0.75)"]
