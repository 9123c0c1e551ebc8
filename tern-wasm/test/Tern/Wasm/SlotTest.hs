{-# LANGUAGE OverloadedStrings #-}

-- | What leaves native code finds its operands in the frame: every instruction that
-- the driver does, or may come to do, with operands that native code had in registers,
-- by 32-bit and 64-bit addresses, with none to ten arguments, in every tier.
--
-- Each body is a loop whose index and operands are locals that are used often, so that
-- they are in registers; the interpreter has none, and is what the tiers are held
-- against. Calls have their sums worked out here as well.
module Tern.Wasm.SlotTest
  ( tests,
  )
where

import Control.Monad (forM, forM_)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding (encodeUtf8)
import Data.Word (Word64)
import Tern.Wasm
import Tern.Wasm.Expected (orFail)
import Tern.Wasm.Observed (observed)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "slots"
    [ testGroup
        "calls find the function that was asked for"
        [ testCase
            ( T.unpack
                ( kind
                    <> ", "
                    <> width
                    <> ", "
                    <> T.pack (show n)
                    <> " arguments"
                )
            )
            (called kind width n)
          | (kind, widths) <-
              [ ("call_indirect", both),
                ("return_call_indirect", both),
                ("call_ref", ["i32"]),
                ("return_call_ref", ["i32"])
              ],
            width <- widths,
            n <- [0 .. 10]
        ],
      testGroup
        "tables and memories are used where it was said"
        [ testCase
            (T.unpack (width <> ": " <> name))
            ( alike
                (moduleOf width body)
                [I32Value n | n <- [0, 1, 7, 40]]
            )
          | width <- both,
            (name, body) <- bodies width
        ],
      testCase "a result of 64 bits is passed on whole where its slot had 32 before" $
        forM_ [1 .. length tiers] . const $
          alike passedOn [I32Value n | n <- [1, 5, 200]]
    ]
  where
    both = ["i32", "i64"]

tiers :: [Tier]
tiers = Interpreter : concat [[NativeCode, Auto] | available]

-- | What the export @f@ gives for each argument, twice, in a tier; in the last one code
-- gets warm soon.
answers :: Text -> [Value] -> Tier -> IO [Text]
answers source args tier = do
  bytes <- orFail (binaryOf (encodeUtf8 source))
  m <- loadWith defaultLoading {loadingTier = tier} bytes >>= orFail
  store <- newStore defaultSettings
  sampleStacks store 5
  i <- instantiate store m noImports >>= orFail
  concat
    <$> forM
      args
      ( \x ->
          (\a b -> [observed a, observed b]) <$> invoke i "f" [x] <*> invoke i "f" [x]
      )

alike :: Text -> [Value] -> Assertion
alike source args = do
  expected <- answers source args Interpreter
  forM_ (drop 1 tiers) $ \tier -> answers source args tier >>= assertEqual (show tier) expected

-- * Calls

-- | Eight functions of @n@ parameters stand in a table: the function @k@ gives
-- @1000 * k@ and the sum of its arguments. They are called 40 times, from the one with
-- the argument's number on, with the arguments @x, x + 1, …@.
called :: Text -> Text -> Int -> Assertion
called kind width n = do
  let args = [0, 1, 7, 300]
  forM_ tiers $ \tier -> do
    found <- answers source (map I32Value args) tier
    assertEqual
      (show tier)
      ( concat
          [ [r, r] | x <- args, let r =
                                      T.pack ("i64 " <> show (sumFor (fromIntegral x)))
          ]
      )
      found
  where
    sumFor :: Word64 -> Word64
    sumFor x = sum [1000 * ((x + k) `mod` 8) + sum [x + j | j <- take n [0 ..]] | k <- [0 .. 39]]
    kinds = take n (cycle ["i32", "i64", "f64", "f32", "i64"])
    params = T.concat ["(param " <> t <> ")" | t <- kinds]
    tailCall = "return_" `T.isPrefixOf` kind
    reference = "ref" `T.isSuffixOf` kind
    callee k =
      T.concat
        [ "(func $c",
          shown k,
          " (type $t) ",
          sumOf,
          " (i64.add (i64.const ",
          shown (1000 * k),
          ")))"
        ]
    sumOf =
      foldr
        ( \(j, t) rest ->
            T.concat ["(i64.add ", widened t j, " ", rest, ")"]
        )
        "(i64.const 0)"
        (zip [0 :: Int ..] kinds)
    widened t j = case t of
      "i32" -> "(i64.extend_i32_u (local.get " <> shown j <> "))"
      "i64" -> "(local.get " <> shown j <> ")"
      _ -> "(i64.trunc_" <> t <> "_u (local.get " <> shown j <> "))"
    -- The argument j, from the counter x.
    given j t = case t of
      "i32" -> T.concat ["(i32.add (local.get $x) (i32.const ", shown j, "))"]
      "i64" -> T.concat ["(i64.add (i64.extend_i32_u (local.get $x)) (i64.const ", shown j, "))"]
      _ ->
        T.concat
          [ "(",
            t,
            ".add (",
            t,
            ".convert_i32_u (local.get $x)) (",
            t,
            ".const ",
            shown j,
            "))"
          ]
    arguments = T.unwords (zipWith given [0 :: Int ..] kinds)
    -- The index is a local of the table's address type that is used in each round.
    index = "(local.get $i)"
    callIt
      | reference = T.concat ["(", kind, " $t ", arguments, " (table.get $r (local.get $k)))"]
      | otherwise = T.concat ["(", kind, " $w (type $t) ", arguments, " ", index, ")"]
    once
      | tailCall = "(call $tail (local.get $x) (local.get $k) " <> index <> ")"
      | otherwise = callIt
    source =
      T.concat
        [ "(module (type $t (func ",
          params,
          "(result i64)))",
          "(table $w ",
          if width == "i64" then "i64 " else "",
          "8 funcref) (elem (table $w) (",
          width,
          ".const 0) func $c0 $c1 $c2 $c3 $c4 $c5 $c6 $c7)",
          "(table $r 8 (ref null $t)) (elem (table $r) (i32.const 0) (ref null $t) (ref.func \
          \$c0) (ref.func $c1) (ref.func $c2) (ref.func $c3) (ref.func $c4) (ref.func $c5) \
          \(ref.func $c6) (ref.func $c7))",
          T.concat (map callee [0 .. 7 :: Int]),
          if tailCall
            then
              T.concat
                [ "(func $tail (param $x i32) (param $k i32) (param $i ",
                  width,
                  ") (result i64) ",
                  callIt,
                  ")"
                ]
            else "",
          "(func (export \"f\") (param $x i32) (result i64) (local $k i32) (local $i ",
          width,
          ") (local $left i32) (local $sum i64)",
          " (local.set $left (i32.const 40)) (local.set $k (local.get $x))",
          " (loop $l (local.set $k (i32.and (local.get $k) (i32.const 7)))",
          " (local.set $i ",
          if width == "i64" then "(i64.extend_i32_u (local.get $k))" else "(local.get $k)",
          ") (local.set $sum (i64.add (local.get $sum) ",
          once,
          ")) (local.set $k (i32.add (local.get $k) (i32.const 1)))",
          " (br_if $l (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))",
          " (local.get $sum)))"
        ]

-- * Tables and memories

-- | A function with an index @$i@ of a width that goes from the argument up in 24
-- rounds, and a sum @$s@ of 64 bits to which each round adds.
moduleOf :: Text -> Text -> Text
moduleOf width body =
  T.concat
    [ "(module (memory $m ",
      flag,
      "1 9) (memory $n ",
      flag,
      "1 9) (data $d \"a long enough row of bytes to be copied from, of more than sixty-four of \
      \them\")",
      "(type $u (func (result i64))) (table $t ",
      flag,
      "90 900 funcref) (table $o ",
      flag,
      "90 900 funcref) (elem $e func $one $two $one $two $one $two $one $two $one $two $one \
      \$two $one $two $one $two $one $two $one $two $one $two $one $two $one $two $one $two \
      \$one $two $one $two $one $two $one $two $one $two $one $two $one $two $one $two $one \
      \$two $one $two $one $two $one $two $one $two $one $two $one $two $one $two $one $two \
      \$one $two)",
      "(func $one (type $u) (i64.const 1)) (func $two (type $u) (i64.const 2))",
      "(func (export \"f\") (param $x i32) (result i64) (local $i ",
      width,
      ") (local $j ",
      width,
      ") (local $n i32) (local $s i64) (local $r funcref)",
      " (local.set $i ",
      if width == "i64" then "(i64.extend_i32_u (local.get $x))" else "(local.get $x)",
      ") (local.set $j (",
      width,
      ".const 5)) (local.set $n (i32.const 24)) (local.set $r (ref.func $two))",
      " (loop $l ",
      body,
      " (local.set $i (",
      width,
      ".add (local.get $i) (",
      width,
      ".const 1))) (local.set $j (",
      width,
      ".xor (local.get $j) (",
      width,
      ".const 3))) (local.set $s (i64.mul (local.get $s) (i64.const 3)))",
      " (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))",
      " (local.get $s)))"
    ]
  where
    flag = if width == "i64" then "i64 " else ""

bodies :: Text -> [(Text, Text)]
bodies width =
  [ ("table.get", added (bit (getting "$t" i)) <> setting "$t" i "(local.get $r)"),
    ( "table.set",
      setting "$t" i "(local.get $r)"
        <> added (bit (getting "$t" i))
        <> setting "$t" (plus i j) "(ref.null func)"
        <> added (bit (getting "$t" i))
    ),
    ("table.size", added (wide "(table.size $t)")),
    ( "table.grow",
      added (wide (T.concat ["(table.grow $t (local.get $r) ", j, ")"]))
        <> added (wide "(table.size $t)")
    ),
    ( "table.fill",
      T.concat ["(table.fill $t ", i, " (local.get $r) ", j, ")"]
        <> added (bit (getting "$t" (plus i j)))
        <> T.concat ["(table.fill $t ", i, " (ref.null func) ", n, ")"]
        <> added (bit (getting "$t" (plus i n)))
    ),
    ( "table.copy",
      setting "$o" i "(local.get $r)"
        <> T.concat ["(table.copy $t $o ", plus i j, " ", i, " ", j, ")"]
        <> added (bit (getting "$t" (plus i j)))
    ),
    ( "table.init",
      T.concat ["(table.init $t $e ", i, " (i32.and (local.get $n) (i32.const 7)) (i32.const 3))"]
        <> added (bit (getting "$t" i))
        <> added (bit (getting "$t" (plus i j)))
    ),
    ( "call through a table",
      T.concat ["(table.init $t $e ", i, " (local.get $n) (i32.const 2))"]
        <> added (T.concat ["(call_indirect $t (type $u) ", i, ")"])
    ),
    ( "memory.size and memory.grow",
      added (wide "(memory.size $m)")
        <> added
          ( wide
              ( T.concat
                  [ "(memory.grow $n (",
                    width,
                    ".and ",
                    i,
                    " (",
                    width,
                    ".const 1)))"
                  ]
              )
          )
        <> added (wide "(memory.size $n)")
    ),
    ( "memory.fill",
      T.concat ["(memory.fill $m ", i, " (local.get $n) ", j, ")"]
        <> added (byte "$m" (plus i one))
        <> T.concat ["(memory.fill $n ", plus i j, " (local.get $n) ", j, ")"]
        <> added (byte "$n" (plus i j))
    ),
    ( "memory.copy",
      T.concat
        [ "(memory.fill $n ",
          i,
          " (local.get $n) ",
          j,
          ") (memory.copy $m $n ",
          plus i j,
          " ",
          i,
          " ",
          j,
          ")"
        ]
        <> added (byte "$m" (plus i j))
        <> added (byte "$m" i)
    ),
    ( "memory.init",
      T.concat ["(memory.init $m $d ", i, " (local.get $n) (i32.const 9))"]
        <> added (byte "$m" i)
        <> added (byte "$m" (plus i j))
    ),
    ( "loads and stores",
      T.concat
        [ "(i32.store $m ",
          i,
          " (local.get $n)) (i64.store $n ",
          plus i j,
          " (local.get $s))"
        ]
        <> added (byte "$m" i)
        <> added (T.concat ["(i64.load32_s $n ", i, ")"])
    )
  ]
  where
    i = "(local.get $i)"
    j = "(local.get $j)"
    n = if width == "i64" then "(i64.extend_i32_u (local.get $n))" else "(local.get $n)"
    one = T.concat ["(", width, ".const 1)"]
    plus a b = T.concat ["(", width, ".add ", a, " ", b, ")"]
    getting t at = T.concat ["(table.get ", t, " ", at, ")"]
    setting t at v = T.concat ["(table.set ", t, " ", at, " ", v, ")"]
    bit r = T.concat ["(i64.extend_i32_u (ref.is_null ", r, "))"]
    wide v = if width == "i64" then v else T.concat ["(i64.extend_i32_s ", v, ")"]
    byte m at = T.concat ["(i64.load8_u ", m, " ", at, ")"]
    added v = T.concat ["(local.set $s (i64.add (local.get $s) ", v, "))"]

-- * Slots of two widths

-- | In the loop the first operand has 32 bits and is used as an address; afterwards it
-- is a call's result of 64 bits, and the next call's argument, with a join between.
passedOn :: Text
passedOn =
  "(module (memory 1) (func $wide (result i64) (i64.const 0x1122334455667788)) (func $same \
  \(param i64) (result i64) (local.get 0))\
  \(func (export \"f\") (param $x i32) (result i64) (local $y i32)\
  \ (loop $l (local.set $y (i32.add (local.get $y) (i32.load (i32.and (i32.mul (local.get $x) \
  \(i32.const 12)) (i32.const 1020)))))\
  \ (i32.store (i32.and (i32.mul (local.get $x) (i32.const 8)) (i32.const 1020)) (i32.add \
  \(local.get $y) (local.get $x)))\
  \ (br_if $l (local.tee $x (i32.sub (local.get $x) (i32.const 1)))))\
  \ (call $wide) (block $b (br_if $b (i32.eqz (local.get $y))) (local.set $y (i32.const 3))) (call \
  \$same)))"

shown :: Int -> Text
shown = T.pack . show
