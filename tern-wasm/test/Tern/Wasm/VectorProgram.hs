{-# LANGUAGE OverloadedStrings #-}

-- | Programs that mix vectors with numbers, from a seed, and the bits that they are made of.
--
-- Start at 'program'.
module Tern.Wasm.VectorProgram
  ( -- * Programs
    program,
    functions,

    -- * Bits
    interesting,
    thirtyTwo,
    shown,
  )
where

import Control.Monad (forM, replicateM)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Word (Word32, Word64)
import Tern.Wasm (ValType (..))
import Tern.Wasm.Opcode (Immediate (..), Operator (..), vectorOperator)
import Tern.Wasm.Seed (Draw, below, pick)

-- * Bits

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

shown :: (Show a) => a -> Text
shown = T.pack . show

-- * Programs

functions :: Int
functions = 5

-- | Each function may call those before it. Locals: an i32, a v128 and an f64 that are
-- given; three vectors more, an i32, an i64, an f32, an f64 and a counter.
program :: Draw Text
program = do
  bodies <- forM [0 .. functions - 1] $ \k -> do
    body <- replicateM 6 (statement k 2)
    value <- vector k 3
    tailed <- below 3
    pure $
      T.concat
        [ "(func $f",
          shown k,
          " (export \"f",
          shown k,
          "\") (param i32 v128 f64) (result v128 i32)",
          " (local v128 v128 v128 i32 i64 f32 f64 i32)\n ",
          T.intercalate "\n " body,
          "\n ",
          if tailed == (0 :: Int) && k > 0
            then
              T.concat
                ["(return_call $f", shown (k - 1), " (local.get 6) ", value, " (local.get 9))"]
            else value <> " (i32.add (local.get 0) (local.get 6))",
          ")\n"
        ]
  pure
    ( T.concat
        ( [ "(module (memory (export \"memory\") 1) (global $v (mut v128) ",
            "(v128.const i32x4 1 2 3 4)) ",
            "(tag $e (param v128 i32)) (type $f (func (param i32 v128 f64) (result v128 i32))) ",
            "(table funcref (elem",
            T.concat [" $f" <> shown k | k <- [0 .. functions - 1]],
            "))\n"
          ]
            <> bodies
            <> [")"]
        )
    )

statement :: Int -> Int -> Draw Text
statement k depth =
  below (if depth <= 0 then 6 else if even k then 12 else 9) >>= \case
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
    8 -> applied "local.set 7" [number k 2 "i64"]
    9 -> do
      -- A vector is thrown out of a block, or not, and comes with a number.
      c <- number k 1 "i32"
      n <- vectorLocal
      inside <- statement k 0
      thrown <- applied "throw $e" [vector k 2, number k 1 "i32"]
      kept <- vector k 1
      pure
        ( T.concat
            [ "(block $h (result v128 i32) (try_table (catch $e $h) (if ",
              c,
              " (then ",
              inside,
              thrown,
              "))) ",
              kept,
              " (i32.const 3)) (local.set 6) (local.set ",
              n,
              ")"
            ]
        )
    10 -> do
      n <- vectorLocal
      v <- vector k 1
      c <- number k 1 "i32"
      pure
        ( T.concat
            [ "(block $x (result v128) (br_if $x ",
              v,
              " ",
              c,
              ") (drop) ",
              v,
              ") (local.set ",
              n,
              ")"
            ]
        )
    _ -> applied "memory.fill" [place, number k 1 "i32", pure "(i32.const 40)"]

applied :: Text -> [Draw Text] -> Draw Text
applied name operands = written <$> sequence operands
  where
    written xs = T.concat (["(", name] <> map (" " <>) xs <> [")"])

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
          indirect <- below 2
          let arguments = [number k 1 "i32", sub, number k 1 "f64"]
          applied
            "block (result v128)"
            [ if indirect == 0
                then applied ("call $f" <> shown callee) arguments
                else
                  applied
                    "call_indirect (type $f)"
                    (arguments <> [pure ("(i32.const " <> shown callee <> ")")]),
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
        5 | t == "i32" -> applied "memory.grow" [pure "(i32.const 0)"]
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
