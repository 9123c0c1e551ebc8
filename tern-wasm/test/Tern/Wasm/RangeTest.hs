{-# LANGUAGE OverloadedStrings #-}

-- | What native code keeps in registers, has compared before, and returns by.
--
-- Generated functions use the same locals and operands for one thing after the other:
-- addresses near the memory's end, numbers of 64 bits whose low half is an address, and
-- floats; with branches, loops and calls between. Both tiers must give the same, traps
-- and their places, fuel and memory included. The environment variable
-- @TERN_WASM_RANGES@ sets how many modules there are.
module Tern.Wasm.RangeTest
  ( tests,
  )
where

import Control.Monad (forM, forM_, replicateM)
import Data.ByteString qualified as B
import Data.IORef (writeIORef)
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding (encodeUtf8)
import Data.Word (Word64)
import Tern.Testkit.Allocation (optimised)
import Tern.Testkit.Drawn (drawnUnless)
import Tern.Testkit.Tally (skip)
import Tern.Wasm
import Tern.Wasm.Expected (orFail)
import Tern.Wasm.Observed (digest, observed)
import Tern.Wasm.Seed (Draw, below, pick, runDraw)
import Tern.Wasm.Store (Store (..))
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit

tests :: TestTree
tests
  | not available = skip "registers" "only on x86-64 under Linux"
  | otherwise =
      testGroup
        "registers"
        [ generated,
          testCase "the low half of a number is an address without the other half" wrapped,
          testCase "an address that was compared is compared again where it has grown" grown,
          testCase "what one way has compared another has not" ways,
          testCase "a rotation leaves the number where it was" rotated,
          testCase "the opposite of a number is made where something else reads it" opposites,
          testCase "what has just been written to the frame is what is stored" stored,
          testCase "what one of two ways has written is what is stored" selected,
          testCase "a copy that needs no code is not what the flags are of" copied,
          testCase "what comes by a jump after a tail call is in registers alone" afterTails,
          testCase "returns from deeper than the processor remembers" deep,
          testCase "returns from so many calls as the system's stack has no room for" deeper
        ]

-- | Results, errors with their traces, the fuel that is left, and the memory.
seen :: Loading -> Settings -> Text -> [(Text, [Value])] -> IO [Text]
seen = seenEvery 50

-- | Looked at after every @slice@ jumps and calls, which may be more than a host can ask for.
seenEvery :: Int -> Loading -> Settings -> Text -> [(Text, [Value])] -> IO [Text]
seenEvery slice how settings source calls = do
  bytes <- orFail (binaryOf (encodeUtf8 source))
  m <- loadWith how bytes >>= orFail
  store <- newStore settings
  sampleStacks store slice
  writeIORef (storeSlice store) slice
  i <- instantiate store m noImports >>= orFail
  outcomes <- forM calls $ \(name, arguments) -> do
    setFuel store 20000000
    outcome <- observed <$> invoke i name arguments
    left <- fuelLeft store
    pure (outcome <> T.pack (" " <> show left))
  contents <- case exportNamed i "memory" of
    Just (ExternMemory memory) -> fromMaybe B.empty <$> readMemory memory 0 65536
    _ -> pure B.empty
  pure (outcomes <> [T.pack (show (digest 7 contents))])

-- | All tiers, native code for the oldest processors too, and what they agree on.
agreed :: String -> Settings -> Text -> [(Text, [Value])] -> IO [Text]
agreed what settings source calls = do
  expected <- seen (in_ Interpreter) settings source calls
  forM_ [in_ NativeCode, in_ Auto, (in_ NativeCode) {loadingOldest = True}] $ \how ->
    seen how settings source calls >>= assertEqual (what <> ", " <> show how) expected
  pure expected
  where
    in_ tier = defaultLoading {loadingTier = tier}

generated :: TestTree
generated = testCaseInfo "generated functions, as the interpreter" $ do
  rounds <- drawnUnless "TERN_WASM_RANGES" 150
  answers <- forM [1 .. rounds :: Int] $ \seed ->
    agreed
      ("seed " <> show seed)
      defaultSettings
      (program (fromIntegral seed))
      [ ("f" <> T.pack (show k), arguments)
        | arguments <- given,
          k <- [0 .. functions - 1]
      ]
  let trapped = length (filter ("trap" `T.isPrefixOf`) (concat answers))
      all_ = length (concat answers)
  -- Neither may be rare: what is compared would be little.
  assertBool (show (trapped, all_)) (trapped > all_ `div` 20 && trapped < all_ `div` 2)
  pure (show all_ <> " calls seen, of which " <> show trapped <> " trapped")
  where
    given =
      [ [I32Value 65528, I64Value 0xFFFFFFFFFFFFFFFC],
        [I32Value 8, I64Value 0xFFFFFFFF00000010],
        [I32Value 65535, I64Value 0xFFFFFFFFFFFFFFF8]
      ]

-- * Programs

functions :: Int
functions = 4

program :: Word64 -> Text
program seed =
  T.unlines
    ( ["(module (memory (export \"memory\") 1)"]
        <> runDraw (mapM function [0 .. functions - 1]) seed
        <> [")"]
    )

-- | Locals: two parameters, i32 and i64; then two i32, an i64, two f64 and a counter.
function :: Int -> Draw Text
function k = do
  n <- below 10
  body <- replicateM (4 + n) (statement k 2)
  pure $
    T.concat
      [ "(func $f",
        T.pack (show k),
        " (export \"f",
        T.pack (show k),
        "\") (param i32 i64) (result i64) (local i32 i32 i64 f64 f64 i32) ",
        T.unwords body,
        " (i64.add (i64.add (local.get 4) (i64.reinterpret_f64 (local.get 5))) ",
        "(i64.extend_i32_u (i32.add (local.get 2) (i32.mul (local.get 3) (i32.const 77))))))"
      ]

statement :: Int -> Int -> Draw Text
statement k depth =
  below (if depth <= 0 then 8 else 12) >>= \case
    0 -> fetched
    1 -> fetched
    2 -> do
      a <- address
      o <- offset
      pick
        ""
        [ T.concat ["(i32.store8", o, a, " (i32.const 200))"],
          T.concat ["(i64.store", o, a, " (local.get 4))"],
          T.concat ["(i32.store", o, a, " (local.get 3))"],
          -- A NaN's bits may differ.
          T.concat ["(i32.store16", o, a, " (i32.wrap_i64 (local.get 4)))"]
        ]
    3 -> set
    4 -> set
    5 -> do
      a <- address
      o <- offset
      -- An address and a float, in one operand after the other.
      pick
        ""
        [ T.concat ["(local.set 5 (f64.convert_i32_u (i32.load16_u", o, a, ")))"],
          T.concat
            [ "(local.set 6 (f64.add (f64.convert_i32_s (i32.load8_s (i32.add ",
              a,
              " (i32.const 3)))) (f64.mul (local.get 5) (f64.const 0.5))))"
            ],
          "(local.set 5 (f64.sub (local.get 6) (local.get 5)))",
          "(local.set 4 (i64.add (local.get 4) (i64.trunc_sat_f64_s (local.get 5))))"
        ]
    6 -> do
      c <- address
      x <- i32Local
      y <- i32Local
      z <- i32Local
      pure $
        T.concat
          ["(local.set ", x, " (select (local.get ", y, ") (local.get ", z, ") ", c, "))"]
    7
      | k > 0 -> do
          callee <- below k
          a <- address
          pure
            ( T.concat
                [ "(local.set 4 (i64.xor (local.get 4) (call $f",
                  T.pack (show callee),
                  " ",
                  a,
                  " (local.get 4))))"
                ]
            )
      | otherwise -> set
    8 -> do
      c <- address
      a <- statement k (depth - 1)
      b <- statement k (depth - 1)
      pure (T.concat ["(if (i32.and ", c, " (i32.const 1)) (then ", a, ") (else ", b, "))"])
    9 -> do
      n <- below 12
      body <- replicateM 3 (statement 0 0)
      pure
        ( T.concat
            [ "(local.set 7 (i32.const ",
              T.pack (show (n + 1)),
              ")) (loop $l ",
              T.unwords body,
              " (br_if $l (local.tee 7 (i32.sub (local.get 7) (i32.const 1)))))"
            ]
        )
    10 -> do
      c <- address
      a <- statement k (depth - 1)
      pure (T.concat ["(block $o (br_if $o (i32.gt_u ", c, " (i32.const 40))) ", a, ")"])
    _ -> do
      c <- address
      a <- statement k (depth - 1)
      b <- statement k (depth - 1)
      let which = T.concat ["(br_table $x $y $x (i32.and ", c, " (i32.const 3)))"]
      pure (T.concat ["(block $x (block $y ", which, ") ", a, ") ", b])
  where
    fetched = do
      a <- address
      o <- offset
      pick
        ""
        [ T.concat ["(local.set 4 (i64.add (local.get 4) (i64.load", o, a, ")))"],
          T.concat ["(local.set 4 (i64.add (local.get 4) (i64.load8_u", o, a, ")))"],
          T.concat ["(local.set 3 (i32.and (i32.const 0xff0) (i32.load", o, a, ")))"],
          T.concat ["(local.set 4 (i64.rotl (i64.load32_s", o, a, ") (local.get 4)))"]
        ]
    set = do
      x <- i32Local
      v <- value
      pure (T.concat ["(local.set ", x, " ", v, ")"])
    value = do
      a <- address
      end <- below 14
      small <- below 64
      pick
        ""
        [ T.concat ["(i32.const ", T.pack (show (65536 - end)), ")"],
          T.concat ["(i32.const ", T.pack (show small), ")"],
          T.concat ["(i32.add ", a, " (i32.const ", T.pack (show small), "))"],
          T.concat ["(i32.sub ", a, " (i32.const ", T.pack (show small), "))"],
          T.concat ["(i32.and ", a, " (i32.const 0xfff8))"],
          T.concat ["(i32.and (i32.const 0xffff) ", a, ")"],
          a
        ]

i32Local :: Draw Text
i32Local = pick "2" ["0", "2", "3"]

-- | A local, or the low half of one; mostly one that is well within the memory.
address :: Draw Text
address = do
  x <- i32Local
  rare <- below 12
  wide <- pick "1" ["1", "4"]
  pure $ case rare of
    0 -> T.concat ["(i32.wrap_i64 (local.get ", wide, "))"]
    1 -> T.concat ["(local.get ", x, ")"]
    n
      | n < 7 -> T.concat ["(local.get ", x, ")"]
      | otherwise -> T.concat ["(i32.and (local.get ", x, ") (i32.const 0x7fff))"]

offset :: Draw Text
offset = do
  o <- pick 0 [0, 0, 0, 1, 4, 8, 16, 60, 1000, 32760 :: Int]
  pure (if o == 0 then " " else T.concat [" offset=", T.pack (show o), " "])

-- * Written programs

wrapped :: Assertion
wrapped = do
  answers <-
    agreed
      "low halves"
      defaultSettings
      "(module (memory (export \"memory\") 1) (func (export \"f\") (param i64) (result i32) \
      \(local i32) (local.set 1 (i32.wrap_i64 (local.get 0))) (i32.load (local.get 1))) \
      \(func (export \"g\") (param i32) (result i64) (local i64 i32) \
      \(local.set 1 (i64.mul (i64.extend_i32_s (local.get 0)) (i64.const 0x100000003))) \
      \(local.set 2 (i32.wrap_i64 (local.get 1))) \
      \(i64.add (i64.load offset=4 (local.get 2)) (i64.load (local.get 2)))) \
      \(func (export \"h\") (param i64 i32) (result i32) (local i32) \
      \(local.set 2 (i32.shl (i32.wrap_i64 (local.get 0)) (i32.const 0))) \
      \(i32.add (i32.load (local.get 2)) \
      \(i32.load (i32.rotr (i32.wrap_i64 (local.get 0)) (local.get 1))))))"
      ( [ ("f", [I64Value v])
          | v <- [16, 0xFFFFFFFF00000010, 0xFFFFFFFFFFFFFFFC, 0xFFFFFFFFFFFFFFFE]
        ]
          <> [("g", [I32Value v]) | v <- [0, 8, 100, 0xFFFFFFFF, 0xFFFFFFFE]]
          <> [ ("h", [I64Value v, I32Value n])
               | v <- [16, 0xFFFFFFFF00000010, 0xFFFFFFFFFFFFFFFC],
                 n <- [0, 32]
             ]
      )
  length (filter ("trap" `T.isPrefixOf`) answers) @?= 6

grown :: Assertion
grown = do
  answers <-
    agreed
      "accesses further on"
      defaultSettings
      "(module (memory (export \"memory\") 1) \
      \(func (export \"f\") (param i32) (result i64) \
      \(i64.store8 (local.get 0) (i64.const 1)) \
      \(i64.store16 offset=2 (local.get 0) (i64.const 2)) \
      \(i64.add (i64.load32_u offset=4 (local.get 0)) (i64.load offset=1 (local.get 0)))) \
      \(func (export \"g\") (param i32) (result i64) \
      \(i64.store8 offset=7 (local.get 0) (i64.const 9)) \
      \(local.set 0 (i32.add (local.get 0) (i32.const 1))) \
      \(i64.load (local.get 0))))"
      [(name, [I32Value v]) | name <- ["f", "g"], v <- [65520 .. 65537]]
  length (filter ("trap" `T.isPrefixOf`) answers) @?= 20

ways :: Assertion
ways = do
  answers <-
    agreed
      "joined ways"
      defaultSettings
      "(module (memory (export \"memory\") 1) \
      \(func (export \"f\") (param i32 i32) (result i64) \
      \(if (local.get 1) (then (i64.store (local.get 0) (i64.const 5)))) \
      \(i64.load (local.get 0))) \
      \(func (export \"g\") (param i32 i32) (result i64) (local i32) \
      \(loop $l (if (local.get 2) (then (local.set 0 (local.get 1)))) \
      \(drop (i64.load8_u (local.get 0))) \
      \(br_if $l (i32.lt_u (local.tee 2 (i32.add (local.get 2) (i32.const 1))) (i32.const 3)))) \
      \(i64.load8_u (local.get 0))) \
      \(func (export \"h\") (param i32 i32) (result i64) (local i32) \
      \(drop (i64.load (local.get 0))) \
      \(local.set 2 (select (local.get 0) (local.get 1) (i32.eqz (local.get 1)))) \
      \(i64.load (local.get 2))))"
      [ (name, [I32Value v, I32Value w])
        | name <- ["f", "g", "h"],
          v <- [0, 65528, 65532],
          w <- [0, 1, 65530, 65536]
      ]
  assertBool (show answers) (any ("trap" `T.isPrefixOf`) answers)

-- | By each number of bits and more, to both sides; the number and its rotation are both used.
rotated :: Assertion
rotated = do
  answers <-
    agreed
      "rotations"
      defaultSettings
      (module_ [(name, t, body t how n) | (name, t, how, n) <- forms])
      [ (name, [if t == "i32" then I32Value 0x9ABCDEF1 else I64Value 0x8123456789ABCDE7, zero t])
        | (name, t, _, _) <- forms
      ]
  length answers @?= length forms + 1
  where
    forms =
      [ (T.concat [t, how, T.pack (show n)], t, how, n)
        | (t, bits) <- [("i32", 32), ("i64", 64)],
          how <- ["rotl", "rotr"],
          n <- [0 .. bits + 1 :: Int]
      ]
    zero t = if t == "i32" then I32Value 0 else I64Value 0
    body t how n =
      inType t . T.concat $
        [ "(local.set 1 ",
          turned,
          ") (local.set 2 (T.xor (local.get 0) (local.get 1))) (local.set 0 ",
          turned,
          ") (T.mul (local.get 2) (T.add (local.get 0) (local.get 1)))"
        ]
      where
        turned = T.concat ["(T.", how, " (local.get 0) (T.const ", T.pack (show n), "))"]

-- | Functions of two parameters with one local more, all of a type.
module_ :: [(Text, Text, Text)] -> Text
module_ functions_ =
  T.concat
    ( "(module "
        : [ T.concat
              [ "(func (export \"",
                name,
                inType t "\") (param T T) (result T) (local T) ",
                body,
                ")"
              ]
            | (name, t, body) <- functions_
          ]
          <> [")"]
    )

inType :: Text -> Text -> Text
inType = T.replace "T"

-- | In both orders and sizes, where it is read once, twice, later, or in a jump; and where the
-- number and its opposite are one local.
opposites :: Assertion
opposites = do
  answers <-
    agreed
      "opposites"
      defaultSettings
      (module_ forms)
      [ (name, map (number t) [x, y])
        | (name, t, _) <- forms,
          (x, y) <- numbers
      ]
  length answers @?= length forms * length numbers + 1
  where
    numbers =
      [ (0, 0),
        (0xF0F0F0F012345678, 0xFF00FF00FF00FF00),
        (0xFFFFFFFFFFFFFFFF, 0x80000001)
      ]
    number t x = if t == "i32" then I32Value (fromIntegral (x :: Word64)) else I64Value x
    forms =
      [ (T.concat [t, "-", T.pack (show k)], t, inType t body)
        | t <- ["i32", "i64"],
          (k, body) <- zip [0 :: Int ..] bodies
      ]
    bodies =
      [ both (not_ zeroth) first_,
        both first_ (not_ zeroth),
        set 2 (not_ zeroth) <> add (both second first_) second,
        set 2 (not_ zeroth) <> both second second,
        set 0 (not_ zeroth) <> both zeroth first_,
        set 2 (not_ zeroth) <> set 0 (both second first_) <> sub zeroth first_,
        set 2 (not_ zeroth) <> set 2 (both second zeroth) <> sub second first_,
        T.concat
          [ "(if (result T) (T.eqz ",
            both (not_ zeroth) first_,
            ") (then (T.const 7)) (else (local.get 0)))"
          ],
        both (not_ (not_ zeroth)) first_,
        both (not_ zeroth) "(T.const 255)",
        T.concat ["(T.or ", not_ zeroth, " ", first_, ")"],
        T.concat
          [ "(loop $l ",
            set 2 (add second "(T.const 1)"),
            set 1 (both (not_ first_) (add zeroth second)),
            "(br_if $l (T.ne (local.get 2) (T.const 5)))) ",
            sub first_ zeroth
          ]
      ]
    zeroth = "(local.get 0)"
    first_ = "(local.get 1)"
    second = "(local.get 2)"
    not_ x = T.concat ["(T.xor ", x, " (T.const -1))"]
    both x y = T.concat ["(T.and ", x, " ", y, ")"]
    add x y = T.concat ["(T.add ", x, " ", y, ")"]
    sub x y = T.concat ["(T.sub ", x, " ", y, ")"]
    set k x = T.concat ["(local.set ", T.pack (show (k :: Int)), " ", x, ") "]

-- | A choice of floats that are in registers, into a slot of the frame, which is stored at once:
-- what was stored is what the slot has.
selected :: Assertion
selected = do
  answers <-
    agreed
      "a choice that is stored"
      defaultSettings
      ( T.concat
          [ "(module (memory (export \"memory\") 1) (func $nop) ",
            "(global $f32 (mut f32) (f32.const 0)) (global $f64 (mut f64) (f64.const 0)) ",
            T.concat (map body stores),
            ")"
          ]
      )
      [ (name, [I32Value p, a, b])
        | (t, name, _, _) <- stores,
          let (a, b) = if t == "f32" then (F32Value 3, F32Value 5) else (F64Value 3, F64Value 5),
          p <- [0, 1]
      ]
  map (T.unwords . take 2 . T.words) (take 8 answers) @?= replicate 8 "i32 1"
  where
    stores =
      [ (t, T.concat [t, "-", to], put t, got t)
        | t <- ["f32", "f64"],
          (to, put, got) <-
            [ ("store", (<> ".store (i32.const 16)"), (<> ".load (i32.const 16)")),
              ("global", ("global.set $" <>), ("global.get $" <>))
            ]
      ]
    body (t, name, put, got) =
      T.concat
        [ T.concat ["(func (export \"", name, "\") (param $p i32) (param $a ", t],
          T.concat [") (param $b ", t, ") "],
          T.concat ["(result i32) (local $x ", t, ") ", squared t "$a", squared t "$b"],
          "(local.set $x (select (local.get $a) (local.get $b) (local.get $p))) ",
          T.concat ["(", put, " (local.get $x)) "],
          -- The slot's home is the frame where it is alive over calls.
          "(call $nop) (call $nop) (call $nop) ",
          T.concat ["(", t, ".eq (", got, ") (local.get $x)))"]
        ]
    squared t v =
      T.concat ["(local.set ", v, " (", t, ".mul (local.get ", v, ") (local.get ", v, "))) "]

-- | The first value is computed, and is what the flags are of; the second is in its register
-- already, and is what is asked for.
copied :: Assertion
copied = do
  answers <-
    agreed
      "copies"
      defaultSettings
      (T.concat ("(module " : map function_ forms <> [")"]))
      [ (name, map (number t) [x, y])
        | (name, t, _, _) <- forms,
          (x, y) <- [(2, 1), (5, 5), (1, 2), (3, 3), (0, 7), (7, 0)]
      ]
  length answers @?= 6 * length forms + 1
  where
    number t x = if t == "i32" then I32Value (fromIntegral (x :: Word64)) else I64Value x
    forms =
      [ (T.intercalate "-" [t, how, asked], t, how, condition)
        | t <- ["i32", "i64"],
          how <- ["and", "xor", "add", "sub", "or"],
          (asked, condition) <-
            [ ("not-zero", "(T.ne (local.get 0) (T.const 0))"),
              ("zero", "(T.eqz (local.get 0))"),
              ("itself", if t == "i32" then "(local.get 0)" else "(i32.wrap_i64 (local.get 0))")
            ]
      ]
    function_ (name, t, how, condition) =
      inType t . T.concat $
        [ T.concat ["(func (export \"", name, "\") (param T T) (result i32) "],
          T.concat ["(local.set 0 (T.", how, " (local.get 0) (local.get 1))) "],
          "(local.set 0 (local.get 1)) ",
          T.concat ["(if (result i32) ", condition, " (then (i32.const 1)) (else (i32.const 2))))"]
        ]

-- | A tail call that the driver makes never comes on, so that what stands after it is come to by
-- jumps alone: with numbers, with references, and with vectors.
afterTails :: Assertion
afterTails = do
  expected <- answers Interpreter
  take 3 expected @?= ["i64 12", "i64 42", "i64 51"]
  forM_ [NativeCode, Auto] $ \tier -> answers tier >>= assertEqual (show tier) expected
  where
    answers tier = do
      store <- newStore defaultSettings
      other <- made tier store given noImports
      i <- made tier store source (fromInstance "other" other)
      forM [(name, p) | p <- [7, 0], (name, _, _) <- functions_] $ \(name, p) ->
        observed <$> invoke i name [I32Value p, I64Value 0x4141414141410000]
    given = "(module (func (export \"h\") (result i64) (i64.const 99)))"
    made tier store text imports = do
      bytes <- orFail (binaryOf (encodeUtf8 text))
      m <- loadWith defaultLoading {loadingTier = tier} bytes >>= orFail
      instantiate store m imports >>= orFail
    functions_ =
      [ (T.concat [what, "-", how], T.concat [before, jumped call, "(call $f) "], after)
        | (how, call) <- tails_,
          (what, before, after) <- kept
      ]
    jumped call = T.concat ["(block (br_if 0 (local.get $p)) ", call, ") "]
    tails_ =
      [ ("import", "(return_call $h)"),
        ("wide-table", "(return_call_indirect $wide (result i64) (i64.const 0))"),
        ("table", "(return_call_indirect $table (result i64) (i32.const 0))"),
        ("reference", "(return_call_ref $done (ref.null $done))")
      ]
    -- What is made before, and what is given after.
    kept =
      [ ( "number",
          "(local.set $x (i64.add (i64.const 5) (i64.extend_i32_u (local.get $p)))) ",
          "(local.get $x)"
        ),
        ("struct", "(local.set $s (global.get $r)) ", "(struct.get $s 0 (local.get $s))"),
        ( "vector",
          "(local.set $v (i64x2.add (i64x2.splat (i64.const 50)) (i64x2.splat (i64.const 1)))) ",
          "(i64x2.extract_lane 1 (local.get $v))"
        )
      ]
    source =
      T.concat
        ( [ "(module (type $s (struct (field i64))) (type $done (func (result i64))) ",
            "(import \"other\" \"h\" (func $h (result i64))) (func $f) (func $g (param i64)) ",
            "(table $table 1 funcref) (table $wide i64 1 funcref) ",
            "(global $r (ref null $s) (struct.new $s (i64.const 42))) "
          ]
            <> map written functions_
            <> [")"]
        )
    written (name, body, after) =
      T.concat
        [ T.concat ["(func (export \"", name, "\") (param $p i32) (param $n i64) (result i64) "],
          "(local $x i64) (local $s (ref null $s)) (local $v v128) ",
          -- The homes hold something else before.
          "(local.set $x (local.get $n)) (local.set $v (i64x2.splat (local.get $n))) ",
          "(call $g (local.get $n)) ",
          body,
          after,
          ") "
        ]

-- | More floats than there are registers, so that some are in the frame: stored where they were
-- made, after another was made, at another size, and beyond the memory.
stored :: Assertion
stored = do
  answers <-
    agreed
      "floats in the frame"
      defaultSettings
      ( T.concat
          [ "(module (memory (export \"memory\") 1) ",
            "(func (export \"f\") (param i32) (result f64) (local ",
            T.replicate many "f64 ",
            T.replicate many "f32 ",
            ") ",
            T.concat [set k (begun "f64" (3 * k)) | k <- doubles],
            T.concat [set k (begun "f32" (5 * k)) | k <- singles],
            "(loop $l ",
            T.concat (zipWith double doubles (drop 1 doubles <> take 1 doubles)),
            T.concat (map single singles),
            set 1 (two "f64.add" (get 1) (get 2)),
            "(f64.store offset=8 (local.get 0) (local.get 1)) ",
            set 0 (two "i32.add" (get 0) "(i32.const 8)"),
            "(br_if $l (i32.lt_u (i32.and (local.get 0) (i32.const 63)) (i32.const 56)))) ",
            T.concat [set 1 (two "f64.add" (get 1) (get k)) | k <- drop 1 doubles],
            T.concat
              [ set 1 (two "f64.add" (get 1) (T.concat ["(f64.promote_f32 ", get k, ")"]))
                | k <- singles
              ],
            "(local.get 1)))"
          ]
      )
      [("f", [I32Value v]) | v <- [8192, 65520, 65528, 0xFFFFFFF8]]
  length (filter ("trap" `T.isPrefixOf`) answers) @?= 2
  where
    many = 20
    doubles = [1 .. many :: Int]
    singles = [many + 1 .. 2 * many]
    number = T.pack . show
    get k = T.concat ["(local.get ", number (k :: Int), ")"]
    set k x = T.concat ["(local.set ", number (k :: Int), " ", x, ") "]
    two o x y = T.concat ["(", o, " ", x, " ", y, ")"]
    at k = constant (8 * k)
    begun t n =
      T.concat ["(", t, ".convert_i32_u ", two "i32.add" (get 0) (constant n), ")"]
    constant n = T.concat ["(i32.const ", number n, ")"]
    double k j =
      T.concat
        [ set k (two "f64.add" (get k) (T.concat ["(f64.load ", at k, ")"])),
          T.concat ["(f64.store ", at k, " ", get k, ") "],
          T.concat ["(drop ", two "f64.eq" (get j) (get k), ") "],
          T.concat ["(f64.store offset=1024 ", at k, " ", get k, ") "],
          set j (two "f64.sub" (get j) (get k)),
          T.concat ["(f64.store offset=5120 ", at k, " ", get k, ") "],
          T.concat ["(f64.store offset=2048 ", at k, " ", get j, ") "]
        ]
    single k =
      T.concat
        [ set k (two "f32.sub" (get k) (T.concat ["(f32.load ", at k, ")"])),
          T.concat ["(f32.store offset=4096 ", at k, " ", get k, ") "]
        ]

-- | More frames than return addresses have room, and more than the system's stack would.
-- Eight megabytes are what a thread of the system's usually has, and a return address is eight
-- bytes. Nobody looks meanwhile, after which there would be none.
deeper :: Assertion
deeper = do
  outcomes <-
    seenEvery
      maxBound
      defaultLoading {loadingTier = NativeCode}
      defaultSettings {settingStack = 67108864}
      "(module (func $sum (export \"sum\") (param i64) (result i64) \
      \(if (result i64) (i64.eqz (local.get 0)) (then (i64.const 0)) \
      \(else (i64.add (local.get 0) (call $sum (i64.sub (local.get 0) (i64.const 1))))))))"
      [("sum", [I64Value n]), ("sum", [I64Value 1])]
  map (T.unwords . take 2 . T.words) (take 2 outcomes)
    @?= [T.pack ("i64 " <> show (n * (n + 1) `div` 2 :: Int)), "i64 1"]
  where
    n :: (Num a) => a
    n = 1200000

deep :: Assertion
deep = do
  answers <-
    agreed
      "deep recursion"
      defaultSettings {settingStack = 67108864}
      "(module (func $sum (export \"sum\") (param i64) (result i64) \
      \(if (result i64) (i64.eqz (local.get 0)) (then (i64.const 0)) \
      \(else (i64.add (local.get 0) (call $sum (i64.sub (local.get 0) (i64.const 1))))))) \
      \(table funcref (elem $odd)) (type $t (func (param i64) (result i64))) \
      \(func $even (export \"even\") (param i64) (result i64) \
      \(if (result i64) (i64.eqz (local.get 0)) (then (i64.const 1)) \
      \(else (i64.xor (i64.const 1) \
      \(call_indirect (type $t) (i64.sub (local.get 0) (i64.const 1)) (i32.const 0)))))) \
      \(func $odd (param i64) (result i64) \
      \(if (result i64) (i64.eqz (local.get 0)) (then (i64.const 0)) \
      \(else (return_call $even (i64.sub (local.get 0) (i64.const 1)))))))"
      [(name, [I64Value (fromIntegral n)]) | name <- ["sum", "even"], n <- depths]
  map (T.unwords . take 2 . T.words) (take (length depths) answers)
    @?= [T.pack ("i64 " <> show (n * (n + 1) `div` 2)) | n <- depths]
  where
    depths = [10, 8191, 8192, 8193, 20000, if optimised then 300000 else 100000 :: Int]
