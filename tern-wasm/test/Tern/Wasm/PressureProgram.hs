{-# LANGUAGE OverloadedStrings #-}

-- | Programs with more locals of every kind than the processor has registers, from a seed.
--
-- What a function has written to one local is read, stored, chosen and passed on many
-- statements later, after calls, loops and joined ways: so values move between registers and the
-- frame all the time, and one that is taken from the wrong place changes what the function gives.
-- Each function gives one number made of all its locals, of the globals and of the memory.
module Tern.Wasm.PressureProgram
  ( program,
    functions,
  )
where

import Control.Monad (replicateM, zipWithM)
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Word (Word64)
import Tern.Wasm.Seed (Draw, below, pick, runDraw)

-- | How many functions a program has: @f0@ and so on, each from a number of each kind but
-- vectors to an i64.
functions :: Int
functions = 3

-- | A module in the text format.
program :: Word64 -> Text
program = runDraw $ do
  crowd <- crowded
  bodies <- mapM (function crowd) [0 .. functions - 1]
  pure . T.unlines $
    [ "(module (memory (export \"memory\") 1) (global $n (mut i32) (i32.const 0))",
      "(func $nop (global.set $n (i32.add (global.get $n) (i32.const 1))))",
      "(type $early (func (result i64))) (table $narrow funcref (elem $early))",
      "(table $wide i64 1 1 funcref) (elem (table $wide) (i64.const 0) func $early)",
      "(func $early (type $early) (i64.extend_i32_u (global.get $n)))"
    ]
      <> concatMap shared kinds
      <> bodies
      <> [")"]
  where
    -- A global of each kind, and a function that changes it.
    shared kind =
      [ form ["global", global kind, form ["mut", name kind], start kind],
        form
          [ T.concat ["func ", callee kind, " (param ", name kind, " i32)"],
            form ["result", name kind],
            form ["global.set", global kind, form [mixing kind, "(local.get 0)", globalGet kind]],
            "(local.get 0)"
          ]
      ]

-- * Kinds

data Kind = I32 | I64 | F32 | F64 | V128
  deriving stock (Eq, Enum, Bounded)

kinds :: [Kind]
kinds = [minBound .. maxBound]

name, global, globalGet, callee, start, mixing :: Kind -> Text
name = \case I32 -> "i32"; I64 -> "i64"; F32 -> "f32"; F64 -> "f64"; V128 -> "v128"
global kind = "$g" <> name kind
globalGet kind = form ["global.get", global kind]
callee kind = "$h" <> name kind
start = \case
  I32 -> "(i32.const 5)"
  I64 -> "(i64.const 77)"
  F32 -> "(f32.const 1.25)"
  F64 -> "(f64.const 3.5)"
  V128 -> "(v128.const i32x4 1 -2 3 -4)"
mixing = \case
  I32 -> "i32.xor"
  I64 -> "i64.xor"
  F32 -> "f32.add"
  F64 -> "f64.sub"
  V128 -> "v128.xor"

-- | How many locals there are of each kind: few of some, and more than registers of others.
type Crowd = [(Kind, Int)]

crowded :: Draw Crowd
crowded = zipWithM (\kind sizes -> (kind,) <$> pick 1 sizes) kinds sizesOf
  where
    sizesOf = [[3, 6, 14], [2, 5, 12], [2, 4, 10], [2, 5, 18], [0, 0, 2, 6, 14]]

-- | Those of which there are locals.
present :: Crowd -> [Kind]
present crowd = [kind | (kind, n) <- crowd, n > 0]

local :: Crowd -> Kind -> Draw Text
local crowd kind = numbered kind <$> below (fromMaybe 1 (lookup kind crowd))

numbered :: Kind -> Int -> Text
numbered kind n = T.concat ["$", name kind, "_", T.pack (show n)]

-- * Functions

function :: Crowd -> Int -> Draw Text
function crowd k = do
  begun <- concat <$> mapM begin everyLocal
  n <- pick 4 [4, 10, 25]
  body <- statements crowd 3 0 n
  pure . form $
    [T.concat ["func (export \"f", T.pack (show k), "\")"]]
      <> [form ["param", parameter kind, name kind] | kind <- numbers]
      <> ["(result i64) (local $all i64) (local $c0 i32) (local $c1 i32) (local $c2 i32)"]
      <> [form ["local", numbered kind i, name kind] | (kind, i) <- everyLocal]
      <> begun
      <> [body]
      <> concatMap summed everyLocal
      <> concatMap (halves globalGet) kinds
      <> [mixed (T.concat ["(i64.load offset=", T.pack (show a), " (i32.const 0))"]) | a <- places]
      <> [mixed "(i64.extend_i32_u (global.get $n))", "(local.get $all)"]
  where
    everyLocal = [(kind, i) | (kind, n) <- crowd, i <- [0 .. n - 1]]
    numbers = [I32, I64, F32, F64]
    places = [0, 8 .. 376 :: Int]
    parameter kind = "$p" <> name kind
    -- Some stay zero.
    begin (kind, i) =
      below 10 >>= \case
        zero | zero < 3 -> pure []
        _ -> pure [form ["local.set", numbered kind i, first kind (T.pack (show (i * 37 + 1)))]]
    first kind i = case kind of
      I32 -> T.concat ["(i32.add (local.get $pi32) (i32.const ", i, "))"]
      I64 -> T.concat ["(i64.mul (local.get $pi64) (i64.const ", i, "7919))"]
      F32 -> T.concat ["(f32.add (local.get $pf32) (f32.const ", i, ".5))"]
      F64 -> T.concat ["(f64.mul (local.get $pf64) (f64.const ", i, ".25))"]
      V128 -> T.concat ["(i64x2.splat (i64.mul (local.get $pi64) (i64.const ", i, "0473)))"]
    summed (kind, i) = halves (const (form ["local.get", numbered kind i])) kind
    halves get kind = map mixed $ case kind of
      I32 -> [form ["i64.extend_i32_u", get kind]]
      I64 -> [get kind]
      F32 -> [form ["i64.extend_i32_u", form ["i32.reinterpret_f32", get kind]]]
      F64 -> [form ["i64.reinterpret_f64", get kind]]
      V128 -> [form ["i64x2.extract_lane " <> n, get kind] | n <- ["0", "1"]]
    mixed x =
      T.concat
        [ "(local.set $all (i64.rotl (i64.mul (i64.xor (local.get $all) ",
          x,
          ") (i64.const 0x9E3779B97F4A7C15)) (i64.const 23)))"
        ]

-- * Statements

-- | These many, with blocks in each other to a depth, in these many loops.
statements :: Crowd -> Int -> Int -> Int -> Draw Text
statements crowd depth loops n = T.unwords <$> replicateM n (statement crowd depth loops)

statement :: Crowd -> Int -> Int -> Draw Text
statement crowd depth loops = do
  kind <- pick I32 (present crowd)
  weighted $
    [ (50, pick 1 [1, 2, 2, 3] >>= \deep -> set kind (expression crowd kind deep)),
      (10, stored kind),
      (5, (\x -> form ["global.set", global kind, x]) <$> expression crowd kind 2),
      (7, pure "(call $nop)"),
      (8, set kind (choice kind)),
      (4, chosenAndStored kind),
      (3, overwritten),
      (3, leaving)
    ]
      <> concat
        [ [ (8, conditional),
            (5, table)
          ]
          | depth > 0
        ]
      <> [(10, loop) | depth > 0 && loops < 3]
  where
    within = pick 1 [1, 2, 3, 5] >>= statements crowd (depth - 1) loops
    set kind make = do
      x <- local crowd kind
      v <- make
      pure (form ["local.set", x, v])
    choice kind = do
      a <- local crowd kind
      b <- local crowd kind
      selection kind (form ["local.get", a]) (form ["local.get", b]) <$> expression crowd I32 1
    -- What two ways have made is stored at once, and read again later.
    chosenAndStored kind = do
      x <- local crowd kind
      v <- choice kind
      place <- address crowd 1
      let written = form ["local.set", x, v]
      pure (T.unwords [written, form [name kind <> ".store", place, form ["local.get", x]]])
    -- What was computed is copied over before it is asked for.
    overwritten = do
      x <- local crowd I32
      y <- local crowd I32
      v <- expression crowd I32 1
      within_ <- if depth > 0 then within else pure "(call $nop)"
      let written value = form ["local.set", x, value]
          asked = form ["if", form ["local.get", x], form ["then", within_]]
      pure (T.unwords [written v, written (form ["local.get", y]), asked])
    -- A tail call, which is rarely come to: what stands after it is jumped to.
    leaving = do
      c <- expression crowd I32 2
      call <-
        pick
          ""
          [ "(return_call $early)",
            "(return_call_indirect $narrow (type $early) (i32.const 0))",
            "(return_call_indirect $wide (type $early) (i64.const 0))",
            "(return_call_ref $early (ref.func $early))"
          ]
      pure (form ["block", form ["br_if 0", form ["i32.ne", "(i32.const 12345)", c]], call])
    stored kind = do
      v <- expression crowd kind 2
      x <- local crowd kind
      tee <- below 10
      place <- address crowd 1
      how <- offset
      width <- pick ".store" (storesOf kind)
      let value = if tee < 4 then form ["local.tee", x, v] else v
      lane <- below 4
      pure $
        if kind == V128 && lane == 0
          then form ["v128.store32_lane", how, "1", place, value]
          else form [name kind <> width, how, place, value]
    storesOf = \case
      I32 -> [".store", ".store", ".store8", ".store16"]
      I64 -> [".store", ".store", ".store8", ".store16", ".store32"]
      F32 -> [".store"]
      F64 -> [".store"]
      V128 -> [".store"]
    conditional = do
      c <- expression crowd I32 2
      a <- within
      b <- within
      other <- below 2
      pure (form (["if", c, form ["then", a]] <> [form ["else", b] | other == 0]))
    table = do
      c <- expression crowd I32 2
      a <- within
      b <- within
      let jumped = form ["br_table $x $y $z", c]
      pure (form ["block $x", form ["block $y", form ["block $z", jumped], a], b])
    loop = do
      n <- pick 1 [1, 2, 3, 4, 5, 7, 9 :: Int]
      body <- pick 1 [1, 1, 2, 4] >>= statements crowd (depth - 1) (loops + 1)
      end <- pick (head_ ends) ends
      let counter = "$c" <> T.pack (show loops)
          label = "$l" <> T.pack (show loops)
      pure $
        T.unwords
          [ form ["local.set", counter, form ["i32.const", T.pack (show n)]],
            form ["loop", label, body, T.replace "$l" label (T.replace "$c" counter end)]
          ]
    head_ = foldr const ""
    ends =
      [ "(br_if $l (local.tee $c (i32.sub (local.get $c) (i32.const 1))))",
        "(local.set $c (i32.add (local.get $c) (i32.const -1))) \
        \(br_if $l (i32.gt_s (local.get $c) (i32.const 0)))",
        "(br_if $l (i32.lt_u (i32.const 1) \
        \(local.tee $c (i32.sub (local.get $c) (i32.const 1)))) )",
        "(local.set $c (i32.sub (local.get $c) (i32.const 1))) \
        \(br_if $l (f64.lt (f64.const 0.5) (f64.convert_i32_s (local.get $c))))"
      ]

-- * Expressions

-- | Of a kind, with operators in each other to a depth.
expression :: Crowd -> Kind -> Int -> Draw Text
expression crowd kind depth
  | depth <= 0 = leaf
  | otherwise =
      weighted
        [ (25, leaf),
          (7, selection kind <$> deeper kind <*> deeper kind <*> deeper I32),
          (4, (\x v -> form ["local.tee", x, v]) <$> local crowd kind <*> deeper kind),
          (4, pure (globalGet kind)),
          (3, (\v n -> form ["call", callee kind, v, n]) <$> deeper kind <*> deeper I32),
          (3, either_ <$> deeper I32 <*> deeper kind <*> deeper kind),
          (2, left <$> deeper kind <*> deeper I32 <*> deeper kind),
          (52, operation crowd kind deeper)
        ]
  where
    deeper of_ = expression crowd of_ (depth - 1)
    leaf = weighted [(3, (\x -> form ["local.get", x]) <$> local crowd kind), (1, constant kind)]
    result = form ["result", name kind]
    either_ c a b = form ["if", result, c, form ["then", a], form ["else", b]]
    left a c b = form ["block $b", result, form ["drop", form ["br_if $b", a, c]], b]

selection :: Kind -> Text -> Text -> Text -> Text
selection kind a b c = form (["select"] <> [form ["result", name kind] | kind == V128] <> [a, b, c])

constant :: Kind -> Draw Text
constant kind = case kind of
  I32 -> (\n -> form ["i32.const", n]) <$> pick "0" small
  I64 -> (\n -> form ["i64.const", n]) <$> pick "0" (small <> large)
  F32 -> (\n -> form ["f32.const", n]) <$> pick "0" floats
  F64 -> (\n -> form ["f64.const", n]) <$> pick "0" floats
  V128 -> (\a b -> form ["v128.const i64x2", a, b]) <$> pick "0" large <*> pick "0" small
  where
    floats =
      T.words
        "0 -0 1 -1 0.5 1.5 2.5 -2.5 3 100 1e10 -1e10 nan inf -inf 2147483648 4294967295 9.3e18 \
        \1e20 -0.9"

small, large :: [Text]
small =
  T.words
    "0 1 -1 2 3 4 5 7 8 16 31 32 33 63 64 127 128 255 256 65535 0x7fffffff -0x80000000 12345 -7"
large =
  T.words
    "0x7fffffffffffffff -0x8000000000000000 0x80000000 0xffffffff 0x123456789abc -0x10000000000"

-- | An operator that gives this kind, and its operands by how they are made.
operation :: Crowd -> Kind -> (Kind -> Draw Text) -> Draw Text
operation crowd kind make = case kind of
  I32 -> weighted (integers <> [(3, plain comparisons), (2, plain toI32)])
  I64 -> weighted (integers <> [(3, plain toI64), (1, loaded ["i64.load32_s", "i64.load32_u"])])
  F32 -> weighted (floats <> [(2, plain [("f32.demote_f64", [F64])])])
  F64 -> weighted (floats <> [(2, plain [("f64.promote_f32", [F32])])])
  V128 ->
    weighted
      [ (3, plain [(o, [V128, V128]) | o <- vectorsOfTwo]),
        (2, plain [(o, [V128]) | o <- vectorsOfOne]),
        (1, plain [(s <> o, [V128, I32]) | s <- lanesOfInts, o <- [".shl", ".shr_s", ".shr_u"]]),
        (1, plain [("v128.bitselect", [V128, V128, V128])]),
        (1, plain (intoLanes <> [(s <> ".splat", [k]) | (s, k, _) <- shapes])),
        (1, loaded vectorLoads),
        (1, laneLoaded)
      ]
  where
    prefix = (name kind <>)
    vectorsHere = V128 `elem` present crowd
    plain signatures = do
      (operator, operands) <- pick (name kind <> ".const 0", []) (filter possible signatures)
      form . (operator :) <$> mapM make operands
    possible (_, operands) = vectorsHere || V128 `notElem` operands

    integers =
      [ (3, plain [(prefix o, [kind, kind]) | o <- binary]),
        (2, byConstant <$> pick "" (map prefix binary) <*> make kind <*> constant kind),
        (1, divided),
        (1, loaded (map prefix (T.words ".load .load .load8_s .load8_u .load16_s .load16_u"))),
        (1, plain [(prefix o, [kind]) | o <- T.words ".clz .ctz .popcnt .extend8_s .extend16_s"]),
        (1, opposite <$> make kind <*> make kind)
      ]
    byConstant o a c = form [o, a, c]
    binary = T.words ".add .sub .mul .and .or .xor .shl .shr_s .shr_u .rotl .rotr"
    -- By a number that is not zero, and never the least by -1.
    divided = do
      o <- pick ".div_u" (map prefix [".div_s", ".div_u", ".rem_s", ".rem_u"])
      a <- make kind
      b <- make kind
      n <- pick "3" (T.words "1 2 4 8 3 7 -2 16 1024 0x40000000 -0x80000000 10")
      known <- pick True [True, False]
      let c = prefix ".const "
          positive = form [prefix ".and", form [c <> "0x7fffffff"], b]
      pure $
        form [o, a, if known then form [c <> n] else form [prefix ".or", form [c <> "1"], positive]]
    opposite a b = form [prefix ".and", form [prefix ".xor", a, form [prefix ".const -1"]], b]

    floats =
      [ (5, plain [(prefix o, [kind, kind]) | o <- floatsOfTwo]),
        (2, plain [(prefix o, [kind]) | o <- floatsOfOne]),
        (1, loaded [prefix ".load"]),
        ( 1,
          plain
            [ (T.concat [prefix ".convert_", name from, sign], [from])
              | from <- [I32, I64],
                sign <- ["_s", "_u"]
            ]
        ),
        (if vectorsHere then 1 else 0, plain [(floatShape <> ".extract_lane 1", [V128])])
      ]
    floatsOfTwo = T.words ".add .sub .mul .div .min .max .copysign"
    floatsOfOne = T.words ".abs .neg .sqrt .ceil .floor .trunc .nearest"
    floatShape = if kind == F32 then "f32x4" else "f64x2"

    comparisons =
      [ (T.concat [name k, o], [k, k])
        | (ks, os) <- [([I32, I64], ordersOfInts), ([F32, F64], T.words ".eq .ne .lt .gt .le .ge")],
          k <- ks,
          o <- os
      ]
    ordersOfInts = T.words ".eq .ne .lt_s .lt_u .gt_s .gt_u .le_s .le_u .ge_s .ge_u"
    toI32 =
      [ ("i32.eqz", [I32]),
        ("i64.eqz", [I64]),
        ("i32.wrap_i64", [I64]),
        ("i32.reinterpret_f32", [F32])
      ]
        <> truncated
        <> [ (o, [V128])
             | o <-
                 [ "i32x4.extract_lane 2",
                   "i8x16.extract_lane_s 3",
                   "i16x8.extract_lane_u 5",
                   "v128.any_true",
                   "i8x16.all_true",
                   "i64x2.all_true",
                   "i8x16.bitmask",
                   "i16x8.bitmask",
                   "i64x2.bitmask"
                 ]
           ]
    toI64 =
      [ ("i64.extend_i32_s", [I32]),
        ("i64.extend_i32_u", [I32]),
        ("i64.reinterpret_f64", [F64]),
        ("i64x2.extract_lane 1", [V128])
      ]
        <> truncated
    truncated =
      [ (T.concat [prefix ".trunc_sat_", name from, sign], [from])
        | from <- [F32, F64],
          sign <- ["_s", "_u"]
      ]

    loaded operators = do
      o <- pick "" operators
      how <- offset
      place <- address crowd 1
      pure (form [o, how, place])
    laneLoaded = do
      (o, lane) <- pick ("8", "3") [("8", "3"), ("16", "5"), ("32", "2"), ("64", "1")]
      how <- offset
      place <- address crowd 1
      v <- make V128
      pure (form [T.concat ["v128.load", o, "_lane"], how, lane, place, v])
    intoLanes = [(T.concat [s, ".replace_lane ", lane], [V128, k]) | (s, k, lane) <- shapes]

-- | The shapes of vectors, what is in a lane of each, and one of its lanes.
shapes :: [(Text, Kind, Text)]
shapes =
  [ ("i8x16", I32, "5"),
    ("i16x8", I32, "7"),
    ("i32x4", I32, "1"),
    ("i64x2", I64, "1"),
    ("f32x4", F32, "2"),
    ("f64x2", F64, "0")
  ]

lanesOfInts, vectorLoads, vectorsOfOne, vectorsOfTwo :: [Text]
lanesOfInts = ["i8x16", "i16x8", "i32x4", "i64x2"]
vectorLoads =
  map
    ("v128.load" <>)
    (T.words "8x8_s 16x4_u 8_splat 16_splat 32_splat 64_splat 32_zero 64_zero" <> [""])
vectorsOfOne =
  T.words
    "i8x16.neg i8x16.abs i8x16.popcnt i16x8.neg i32x4.abs i64x2.abs i64x2.neg v128.not \
    \i16x8.extend_low_i8x16_s i16x8.extend_high_i8x16_u i32x4.extend_high_i16x8_s \
    \i64x2.extend_low_i32x4_u i16x8.extadd_pairwise_i8x16_s i32x4.extadd_pairwise_i16x8_u \
    \f32x4.abs f64x2.neg f32x4.sqrt f64x2.floor i32x4.trunc_sat_f32x4_s \
    \i32x4.trunc_sat_f32x4_u i32x4.trunc_sat_f64x2_s_zero i32x4.trunc_sat_f64x2_u_zero \
    \f32x4.convert_i32x4_u f64x2.convert_low_i32x4_u f64x2.promote_low_f32x4 \
    \f32x4.demote_f64x2_zero"
vectorsOfTwo =
  "i8x16.shuffle 0 17 2 19 4 5 31 7 8 9 10 26 12 13 14 15"
    : T.words
      "i8x16.add i8x16.sub i8x16.add_sat_s i8x16.sub_sat_u i8x16.min_s i8x16.max_u \
      \i8x16.avgr_u i16x8.mul i32x4.mul i64x2.mul i64x2.sub i8x16.eq i8x16.ne i8x16.lt_u \
      \i8x16.ge_u i16x8.gt_u i16x8.le_s i32x4.ge_s i32x4.lt_s i64x2.lt_s i64x2.ge_s i64x2.ne \
      \v128.and v128.or v128.xor v128.andnot i8x16.swizzle i8x16.narrow_i16x8_s \
      \i16x8.narrow_i32x4_u i16x8.q15mulr_sat_s i32x4.dot_i16x8_s i16x8.extmul_low_i8x16_s \
      \i32x4.extmul_high_i16x8_s i64x2.extmul_low_i32x4_u f32x4.add f32x4.min f32x4.max \
      \f64x2.min f64x2.max f64x2.pmin f32x4.pmax f32x4.lt f64x2.ge f64x2.ne f32x4.div f32x4.gt"

-- | Within the first bytes of the memory, which are a part of what a function gives.
address :: Crowd -> Int -> Draw Text
address crowd depth =
  weighted
    [ (3, (\n -> form ["i32.const", n]) <$> pick "0" (T.words "0 8 16 24 40 56 64 100")),
      (5, masked . read_ <$> local crowd I32 <*> pick "0xf8" (T.words "0xf8 0xff 0x70")),
      (2, masked <$> expression crowd I32 depth <*> pure "0xf8")
    ]
  where
    read_ x = form ["local.get", x]
    masked x mask = form ["i32.and", x, form ["i32.const", mask]]

offset :: Draw Text
offset = ("offset=" <>) <$> pick "0" (T.words "0 0 0 8 16 100 4")

-- * Parts

form :: [Text] -> Text
form parts = T.concat ["(", T.unwords parts, ")"]

-- | One of these, each as often as its number says.
weighted :: [(Int, Draw Text)] -> Draw Text
weighted choices = do
  let ways = concatMap (uncurry replicate) choices
  k <- below (length ways)
  foldr const (pure "") (drop k ways)
