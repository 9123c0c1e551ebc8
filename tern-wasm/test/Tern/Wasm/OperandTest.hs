{-# LANGUAGE OverloadedStrings #-}

-- | What instructions take and where they put it: every place where an operand may be,
-- for every operator that there is, in every tier.
--
-- The idea: the rows come from the table of operators, so that a new one is tried
-- without a word here. What comes out is known beforehand where that is simple; else
-- native code is held against the interpreter, and that against the official suite.
module Tern.Wasm.OperandTest
  ( tests,
  )
where

import Control.Monad (forM, forM_, unless, zipWithM)
import Data.Bits ((.&.))
import Data.List (nub)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding (encodeUtf8)
import Data.Word (Word32)
import Tern.Testkit.Tally (skip)
import Tern.Wasm
import Tern.Wasm.Expected (orFail)
import Tern.Wasm.Observed (bits, observed)
import Tern.Wasm.Opcode (Immediate (..), Operator (..), operators)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "operands"
    [ testCase "what was read before a local changed is what it was" $
        mapM_ kept ["i32", "i64", "f32", "f64"],
      testGroup
        "a local is the constant that it was set to, until it may be another"
        [testCase name (holding body calls) | (name, body, calls) <- holders],
      if available
        then
          testCaseInfo
            "each operator, with its operands and its result in whatever locals"
            (counted <$> mapM placed scalars)
        else
          skip
            "each operator, with its operands and its result in whatever locals"
            "native code is only for x86-64 under Linux: 1 case",
      testCaseInfo
        "what is known of a number before it runs is what is computed of it"
        (counted <$> mapM foreseen (Nothing : map Just ofOne)),
      testCase "a jump on what an operator has just made" (mapM_ jumped ["i32", "i64"]),
      testCaseInfo "accesses end where the memory does" (counted <$> mapM ends accesses),
      testCaseInfo
        "each operator that makes a NaN makes the canonical one, where that is wanted"
        (counted <$> mapM nans makers)
    ]
  where
    counted ns = show (sum ns) <> " calls"
    scalars =
      [ o
        | o <- operators,
          V128 `notElem` (operatorParams o <> operatorResults o),
          NoImmediate <- [operatorImmediate o]
      ]
        <> stores
    ofOne = [o | o <- scalars, [_] <- [operatorParams o]]
    stores = [o | o <- operators, null (operatorResults o), V128 `notElem` operatorParams o]
    makers = [o | o <- operators, Just _ <- [made o]]
    accesses = [o | o <- operators, Just _ <- [accessed o]]

-- | A module in a tier, and an instance of it in a store where functions are soon found
-- to run long.
instanceIn :: Tier -> Text -> IO (Compiled, Instance)
instanceIn tier = instanceBy defaultLoading {loadingTier = tier}

instanceBy :: Loading -> Text -> IO (Compiled, Instance)
instanceBy how source = do
  bytes <- orFail (binaryOf (encodeUtf8 source))
  m <- loadWith how bytes >>= orFail
  store <- newStore defaultSettings
  sampleStacks store 5
  (m,) <$> (instantiate store m noImports >>= orFail)

tiers :: [Tier]
tiers = Interpreter : concat [[NativeCode, Auto] | available]

-- | Functions that are exported by their numbers, given what follows their names.
exported :: [Text] -> Text
exported =
  T.unlines . zipWith (\k f -> T.concat ["(func (export \"", shown k, "\") ", f, ")"]) [0 :: Int ..]

shown :: (Show a) => a -> Text
shown = T.pack . show

-- * Operands that are locals

-- | What is on the stack: one of two locals, or a number.
data Operand = X | Y | Number Integer

-- | In one type: operands are put on the stack, a local changes, in whatever way, and
-- then they are used.
kept :: Text -> Assertion
kept t = forM_ tiers $ \tier -> do
  (_, i) <- instanceIn tier (T.concat ["(module (tag $e)\n", exported (map body rows), ")"])
  forM_ (zip [0 :: Int ..] rows) $ \(k, (operands, (how, after))) -> do
    outcome <- invoke i (shown k) (map value [5, 9])
    let (x', y') = after (5, 9)
        numbers = map (\case X -> 5; Y -> 9; Number n -> n) operands <> [x', y']
    unless (observed outcome == bits (value (foldr1 (-) numbers))) $
      assertFailure
        ( show tier
            <> ", "
            <> T.unpack t
            <> ", operands "
            <> show (length operands)
            <> ", "
            <> T.unpack how
            <> ": "
            <> T.unpack (observed outcome)
        )
  where
    rows = [(operands, change) | operands <- stacks, change <- changes t]
    body (operands, (how, _)) =
      T.concat
        [ T.concat ["(param $x ", t, ") (param $y ", t, ") (result ", t, ") (local $n i32) "],
          T.unwords (map pushed operands),
          how,
          "(local.get $x) (local.get $y)",
          T.replicate (length operands + 1) (T.concat ["(", t, ".sub)"])
        ]
    pushed = \case
      X -> "(local.get $x)"
      Y -> "(local.get $y)"
      Number n -> T.concat ["(", t, ".const ", shown n, ")"]
    value :: Integer -> Value
    value n = case t of
      "i32" -> I32Value (fromInteger n)
      "i64" -> I64Value (fromInteger n)
      "f32" -> F32Value (fromInteger n)
      _ -> F64Value (fromInteger n)

-- | A function of a number, with two locals, is what it should be in every tier.
holding :: Text -> [(Word32, Word32)] -> Assertion
holding body calls = forM_ tiers $ \tier -> do
  (_, i) <-
    instanceIn tier . T.concat $
      [ "(module (memory 1) (tag $e) (data (i32.const 4) \"\\05\\00\\00\\00\\07\\00\\00\\00\")",
        "(func (export \"f\") (param $p i32) (result i32) (local $c i32) (local $n i32)",
        body,
        "))"
      ]
  forM_ calls $ \(argument, expected) -> do
    outcome <- invoke i "f" [I32Value argument]
    assertEqual (show (tier, argument)) (bits (I32Value expected)) (observed outcome)

holders :: [(String, Text, [(Word32, Word32)])]
holders =
  [ ( "as an operand, left and right",
      five
        <> "(i32.sub (i32.shl (local.get $p) (local.get $c)) \
           \(i32.add (local.get $c) (local.get $p)))",
      [(1, 26), (2, 57)]
    ),
    ("as an address", "(local.set $c (i32.const 4)) (i32.load (local.get $c))", [(0, 5)]),
    ( "as an address that is written to",
      "(local.set $c (i32.const 4)) (i32.store (local.get $c) (local.get $p)) \
      \(i32.load (i32.const 4))",
      [(9, 9)]
    ),
    ( "copied",
      five <> "(local.set $n (local.get $c)) (local.set $c (local.get $p))" <> sum_,
      [(2, 7)]
    ),
    ( "set to what is not known",
      five <> "(local.set $c (local.get $p)) (i32.add (local.get $n) (local.get $c))",
      [(2, 2)]
    ),
    ( "set to what was computed",
      five <> "(local.set $c (i32.mul (local.get $p) (local.get $p)))" <> sum_,
      [(3, 9)]
    ),
    ( "read before it is set again",
      five <> "(local.get $c)" <> seven <> "(i32.sub (local.get $c))",
      [(0, maxBound - 1)]
    ),
    ( "at the second turn of a loop",
      five
        <> "(loop $l (local.set $n (i32.add (local.get $n) (local.get $c)))"
        <> seven
        <> "(br_if $l (i32.lt_u (local.get $n) (local.get $p)))) (local.get $n)",
      [(0, 5), (6, 12), (13, 19)]
    ),
    ( "after a block with one arm",
      five <> "(if (local.get $p) (then " <> seven <> "))" <> sum_,
      [(0, 5), (1, 7)]
    ),
    ( "in the other arm",
      five
        <> "(if (local.get $p) (then "
        <> seven
        <> ") (else (local.set $n (i32.add (local.get $p) (local.get $c)))))"
        <> sum_,
      [(0, 10), (1, 7)]
    ),
    ( "after a block that may be left",
      five <> "(block $b (br_if $b (local.get $p))" <> seven <> ")" <> sum_,
      [(0, 7), (1, 5)]
    ),
    ( "after one of several ways",
      five
        <> "(block $b (block $a (br_table $a $b (local.get $p)))"
        <> seven
        <> ")"
        <> sum_,
      [(0, 7), (1, 5), (2, 5)]
    ),
    ( "after an exception",
      five <> "(block $b (try_table (catch $e $b)" <> seven <> "(throw $e)))" <> sum_,
      [(0, 7)]
    )
  ]
  where
    five = "(local.set $c (i32.const 5))"
    seven = "(local.set $c (i32.const 7))"
    sum_ = "(i32.add (local.get $n) (local.get $c))"

-- | Among them some that a look at the top two does not find.
stacks :: [[Operand]]
stacks =
  [ [X],
    [X, Y, X],
    X : map Number [1 .. 70],
    replicate 70 X,
    map Number [1 .. 65] <> [X] <> replicate 66 Y,
    [Y, Number 3, X, X, Number 4]
  ]

-- | Ways to change locals, and what they are afterwards.
changes :: Text -> [(Text, (Integer, Integer) -> (Integer, Integer))]
changes t =
  [ (set "$x" "11", first_ (const 11)),
    (T.concat ["(drop (local.tee $x (", t, ".const 11)))"], first_ (const 11)),
    (more "$x", first_ (+ 7)),
    ("(local.set $x (local.get $y))", \(_, y) -> (y, y)),
    ("(local.get $y) (local.get $x) (local.set $y) (local.set $x)", \(x, y) -> (y, x)),
    (T.concat ["(block ", more "$x", ")"], first_ (+ 7)),
    (T.concat ["(block $b ", more "$x", " (br $b))"], first_ (+ 7)),
    (looped "$l" (more "$x"), first_ (+ 21)),
    ( looped "$l" (T.concat [more "$x", more "$y", "(block ", more "$y", ")"]),
      \(x, y) ->
        (x + 21, y + 42)
    ),
    (T.concat ["(if (i32.const 1) (then ", more "$x", "))"], first_ (+ 7)),
    (T.concat ["(if (local.get $n) (then ", more "$x", "))"], id),
    ( T.concat
        [ "(if (i32.lt_u (local.get $n) (i32.const 1)) (then ",
          more "$x",
          ") (else ",
          more "$y",
          "))"
        ],
      first_ (+ 7)
    ),
    (T.concat ["(if (i32.eqz (local.get $n)) (then) (else ", more "$y", "))"], id),
    (T.concat ["(block $h (try_table (catch $e $h) ", more "$x", "(throw $e)))"], first_ (+ 7))
  ]
  where
    first_ f (x, y) = (f x, y)
    set local n = T.concat ["(local.set ", local, " (", t, ".const ", n, "))"]
    more local =
      T.concat ["(local.set ", local, " (", t, ".add (local.get ", local, ") (", t, ".const 7)))"]
    looped label body =
      T.concat
        [ "(loop ",
          label,
          " ",
          body,
          " (br_if ",
          label,
          " (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 3))))"
        ]

-- * Operators

-- | An operator in a loop, so that locals are in registers: with operands that are two
-- locals, one twice, or a constant, and the result in each of the two or in a third.
-- What a store has written is read as 64 bits. How many calls there were.
placed :: Operator -> IO Int
placed o = do
  let ways = [(Interpreter, False), (NativeCode, False), (NativeCode, True)]
  answers <- forM ways $ \(tier, old) -> do
    (m, i) <- instanceBy (in_ tier old) (T.concat ["(module (memory 1)\n", exported bodies, ")"])
    results <-
      concat
        <$> forM
          (zip [0 :: Int ..] bodies)
          ( \(k, _) ->
              forM given (fmap (number . observed) . invoke i (shown k))
          )
    -- Without native code there would be nothing to compare.
    natives <- nativeFunctions m
    assertEqual (operatorText o) (if tier == NativeCode then length bodies else 0) (length natives)
    pure results
  case answers of
    a : others
      | b : _ <- filter (/= a) others ->
          assertFailure
            ( operatorText o
                <> ": "
                <> show
                  ( take
                      1
                      [ (f, x, y)
                        | (f, (x, y)) <-
                            zip [(f, map bits vs) | f <- bodies, vs <- given] (zip a b),
                          x /= y
                      ]
                  )
            )
    _ -> pure (length (concat answers))
  where
    in_ tier old = defaultLoading {loadingTier = tier, loadingOldest = old}
    params = operatorParams o
    stores = null (operatorResults o)
    result_ = case operatorResults o of
      r : _ -> r
      [] -> I64
    name = T.pack (operatorText o)
    given = mapM values (take 2 (params <> drop 1 params <> [I32 | length params == 1]))
    bodies =
      nub
        [ body operands into
          | operands <- forms,
            into <- "$r" : [local | not stores, (local, t) <- zip ["$a", "$b"] params, t == result_]
        ]
    forms = case params of
      [_] -> [["(local.get $a)"]]
      [t, u] ->
        [["(local.get $a)", "(local.get $b)"]]
          <> [["(local.get $a)", "(local.get $a)"] | t == u]
          <> [["(local.get $a)", c] | c <- constants u]
          <> [[c, "(local.get $b)"] | c <- constants t]
      _ -> []
    body operands into =
      T.concat
        [ T.concat
            [ T.concat ["(param ", local, " ", typed t, ") "]
              | (local, t) <- zip ["$a", "$b"] (params <> [I32 | length params == 1])
            ],
          T.concat
            [ "(result ",
              typed result_,
              ") (local $n i32) (local $r ",
              typed result_,
              ") (loop $l "
            ],
          if stores
            then
              T.concat
                [ "(",
                  name,
                  " ",
                  T.unwords operands,
                  ") (local.set $r (i64.add (local.get $r) (i64.load (i32.const 8))))"
                ]
            else T.concat ["(local.set ", into, " (", name, " ", T.unwords operands, "))"],
          " (br_if $l (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 1))) \
          \(i32.const 3)))) (local.get ",
          into,
          ")"
        ]
    -- The bits of a NaN may differ from tier to tier.
    number text = case T.words text of
      ["f32", n] | read (T.unpack n) .&. (0x7FFFFFFF :: Integer) > 0x7F800000 -> "nan"
      ["f64", n]
        | read (T.unpack n) .&. (0x7FFFFFFFFFFFFFFF :: Integer) > 0x7FF0000000000000 ->
            "nan"
      _ -> text
    values t
      | stores, t == I32 = map I32Value [8, 9, 12]
      | otherwise = case t of
          I32 -> map I32Value [0, 33, 0x80000000, 0xFFFFFFFF, 0xFFFFFFF9]
          I64 -> map I64Value [0, 33, 0x8000000000000000, 0xFFFFFFFF80000005, 0xFFFFFFFFFFFFFFF9]
          F32 -> map F32Value [0, -2.5, 3e9, 1.5e20]
          _ -> map F64Value [0, -2.5, 3e9, 1.5e20]
    constants t =
      [ T.concat ["(", typed t, ".const ", c, ")"]
        | c <-
            if stores && t == I32
              then ["8"]
              else case t of
                -- Powers of two and what is none, for divisions; and what only 64 bits hold.
                I32 -> ["-1", "33", "0", "1", "2", "1024", "-2147483648"]
                I64 -> ["-1", "33", "0", "2", "4096", "0x40000000", "0x123456789ABCDEF0"]
                _ -> ["0.5", "-3e9"]
      ]

-- | An operator of one number, or none, whose result is used in whatever way: the number is a
-- constant, a local that was set to one, or an argument, of which nothing is known. How many
-- calls there were.
foreseen :: Maybe Operator -> IO Int
foreseen o = sum <$> mapM one [(t, r) | (t, r) <- maybe same typesOf o]
  where
    same = [(t, t) | t <- [I32, I64, F32, F64]]
    typesOf op = [(t, r) | [t] <- [operatorParams op], [r] <- [operatorResults op]]
    one (t, r) = fmap sum . forM tiers $ \tier -> do
      let rows = [(v, use) | v <- samples t, use <- uses r]
          ways (v, use) =
            let constant = T.concat ["(", typed t, ".const ", v, ")"]
                body before x =
                  T.concat
                    [ T.concat ["(param $a ", typed t, ") (result i64) "],
                      T.concat ["(local $k ", typed t, ") (local $r ", typed r, ") "],
                      before,
                      use x
                    ]
             in [ body "" (apply "(local.get $a)"),
                  body "" (apply constant),
                  body (T.concat ["(local.set $k ", constant, ")"]) (apply "(local.get $k)"),
                  body (T.concat ["(local.set $r ", apply constant, ")"]) "(local.get $r)"
                ]
          apply x = maybe x (\op -> T.concat ["(", T.pack (operatorText op), " ", x, ")"]) o
          constants =
            [T.concat ["(result ", typed t, ") (", typed t, ".const ", v, ")"] | v <- samples t]
          bodies = concatMap ways rows <> constants
      (_, i) <-
        instanceBy
          defaultLoading {loadingTier = tier, loadingCanonicalNaNs = True}
          ( T.concat
              [ "(module (memory 1) (data (i32.const 0) \"0123456789abcdef\")\n",
                exported bodies,
                ")"
              ]
          )
      arguments <- forM (zip [4 * length rows ..] (samples t)) $ \(k, v) ->
        (v,) <$> (invoke i (shown k) [] >>= orFail)
      forM_ (zip [0 :: Int, 4 ..] rows) $ \(k, (v, use)) -> do
        given <- maybe (assertFailure "no such number") pure (lookup v arguments)
        outcomes <- forM [k .. k + 3] $ \n ->
          T.takeWhile (/= '/') . observed <$> invoke i (shown n) given
        unless (length (nub outcomes) == 1) $
          assertFailure (show (tier, maybe "" operatorText o, v, use "x", outcomes))
      pure (4 * length rows)
    samples = \case
      I32 -> ["7", "-1", "-2147483644"]
      I64 -> ["7", "-1", "0x100000004", "0xFFFFFFFF00000007"]
      F32 -> ["0x1.8p+0", "-0x1p-149", "-nan:0x7fffff"]
      _ -> ["0x1.0000000000007p+0", "-nan:0xfffffffffffff", "3e9"]
    -- Each makes 64 bits of it.
    uses :: ValType -> [Text -> Text]
    uses = \case
      I32 ->
        addresses
          <> map (extended .) (numeric "i32")
          <> [ extended . (\x -> T.concat ["(i32.eqz ", x, ")"]),
               \x -> T.concat ["(select (i64.const 1) (i64.const 2) ", x, ")"],
               \x -> T.concat ["(i64.extend_i32_s ", x, ")"]
             ]
      I64 ->
        numeric "i64"
          <> map (. (\x -> T.concat ["(i32.wrap_i64 ", x, ")"])) (uses I32)
          <> [extended . (\x -> T.concat ["(i64.eqz ", x, ")"])]
      F32 -> map (. (\x -> T.concat ["(i32.reinterpret_f32 ", x, ")"])) addresses
      _ -> map (. (\x -> T.concat ["(i32.wrap_i64 (i64.reinterpret_f64 ", x, "))"])) addresses
    addresses =
      [ \x -> T.concat ["(", op, " offset=", offset, " ", x, ")"]
        | op <- ["i64.load", "i64.load8_u", "i64.load32_s"],
          offset <- ["0", "5", "4294967289"]
      ]
        <> [ \x -> T.concat ["(i32.store offset=5 ", x, seven, ") (i64.load (i32.const 8))"],
             \x -> T.concat ["(i32.store8 ", x, seven, ") (i64.load (i32.const 4))"]
           ]
    seven = " (i32.const 7)"
    numeric t =
      [ use
        | op <- ["add", "sub", "mul", "div_u", "shl", "rotr", "and"],
          let call x y = T.concat ["(", t, ".", op, " ", x, " ", y, ")"]
              five = T.concat ["(", t, ".const 5)"],
          use <- [(`call` five), call five, \x -> call x x]
      ]
    extended x = T.concat ["(i64.extend_i32_u ", x, ")"]

typed :: ValType -> Text
typed = \case
  I32 -> "i32"
  I64 -> "i64"
  F32 -> "f32"
  F64 -> "f64"
  _ -> "v128"

-- * Jumps

-- | In a type: a jump right after an operator, forwards and back, on whether what it made is
-- zero, is the same in all tiers.
jumped :: Text -> Assertion
jumped t = do
  answers <- forM tiers $ \tier -> do
    (_, i) <- instanceIn tier (T.concat ["(module\n", exported bodies, ")"])
    forM [(k, vs) | k <- [0 .. length bodies - 1], vs <- mapM (const values) [(), ()]] $ \(k, vs) ->
      ((k, map bits vs),) . observed <$> invoke i (shown k) vs
  forM_ answers $ \found ->
    forM_ (zip (concat (take 1 answers)) found) (uncurry (assertEqual (T.unpack t)))
  where
    values
      | t == "i32" = map I32Value [0, 1, 3, 0x80000000, 0xFFFFFFFF]
      | otherwise = map I64Value [0, 1, 3, 0x80000000, 0xFFFFFFFF00000000, maxBound]
    bodies =
      [ T.concat
          [ T.concat ["(param $a ", t, ") (param $b ", t, ") (result i32) (local $r ", t, ")"],
            "(local $n i32)",
            "(loop $l (local.set $n (i32.add (local.get $n) (i32.const 1)))",
            "(if (i32.gt_u (local.get $n) (i32.const 5)) (then (return (local.get $n))))",
            T.concat ["(local.set ", to, " (", t, ".", op, " (local.get $a) ", second, "))"],
            T.concat ["(", test_, ")"],
            way,
            ") (i32.add (local.get $n) (i32.const 100))"
          ]
        | op <- ["add", "sub", "and", "or", "xor", "mul", "shl"],
          second <- ["(local.get $b)", T.concat ["(", t, ".const 1)"]],
          to <- ["$a", "$r"],
          test_ <-
            [ T.concat [t, ".eqz (local.get ", to, ")"],
              T.concat [t, ".ne (local.get ", to, ") (", t, ".const 0)"],
              T.concat [t, ".lt_s (local.get ", to, ") (", t, ".const 0)"]
            ],
          way <- ["(br_if $l)", "(if (then (return (local.get $n))))"]
      ]

-- * Accesses

-- | How many bytes an operator reads or writes in memory, and what follows its memory
-- argument.
accessed :: Operator -> Maybe (Integer, Text)
accessed o = case operatorImmediate o of
  MemoryImmediate k -> Just (2 ^ k, "")
  MemoryLaneImmediate k -> Just (2 ^ k, " 0")
  NoImmediate -> Nothing
  LaneImmediate _ -> Nothing
  ConstantImmediate -> Nothing
  ShuffleImmediate -> Nothing

-- | Around the end of a memory and far beyond, with the address in a constant or in a
-- local, beside its offset: a trap, or none, as sums say. How many calls there were.
ends :: Operator -> IO Int
ends o = case accessed o of
  Nothing -> pure 0
  Just (n, lane) -> do
    let places =
          [ (base, offset)
            | end <-
                [65535 .. 65538]
                  <> [n - 1 + far | far <- [0x7FFFFFF0, 0x7FFFFFFF, 0x80000000, 0xFFFFFFF0]],
              let ea = max 0 (end - n),
              (base, offset) <-
                [(ea - min ea k, min ea k) | k <- [0, 4, 5, 8, 12, 16, 24]] <> [(0, ea)]
          ]
            <> wrapping
        bodies = [body lane constant place | place <- places, constant <- [True, False]]
        expected pages =
          [ if base + offset + n > 65536 * pages then trap else "fine"
            | (base, offset) <- places,
              _ <- [True, False]
          ]
    counts <- forM [(tier, pages) | tier <- tiers, pages <- [1, 0]] $ \(tier, pages) -> do
      (_, i) <-
        instanceIn tier (T.concat ["(module (memory ", shown pages, ")\n", exported bodies, ")"])
      found <-
        zipWithM
          ( \k (base, _) ->
              either renderError (const "fine") <$> invoke i (shown k) [I32Value (fromInteger base)]
          )
          [0 :: Int ..]
          (concatMap (replicate 2) places)
      forM_ (zip3 bodies (expected pages) found) $ \(f, e, a) ->
        unless (e == a) (assertFailure (show tier <> ": " <> T.unpack f <> ": " <> T.unpack a))
      pure (length found)
    pure (sum counts)
  where
    -- Sums that no 32 bits hold.
    wrapping =
      [(0xFFFFFFFF, 1), (0xFFFFFFFF, 0xFFFFFFFF), (0x80000000, 0x80000000), (0xFFFFFFF8, 16)]
    trap = "trap: out of bounds memory access"
    body lane constant (base, offset) =
      T.concat
        [ "(param $a i32) ",
          if null (operatorResults o) then "" else "(drop ",
          T.concat ["(", T.pack (operatorText o), " offset=", shown (offset :: Integer), lane, " "],
          if constant then T.concat ["(i32.const ", shown base, ")"] else "(local.get $a)",
          T.concat [zero t | t <- drop 1 (operatorParams o)],
          if null (operatorResults o) then ")" else "))"
        ]
    zero t = if t == V128 then " (v128.const i64x2 0 0)" else T.concat [" (", typed t, ".const 0)"]

-- * NaNs

-- | For an operator that makes NaNs: the bits of the canonical one, and how the lowest
-- result is got as 64 bits. Those that are said to keep their operand's bits are left out.
made :: Operator -> Maybe (Text, Text -> Text)
made o = case (operatorParams o, operatorResults o) of
  (ps@(_ : _), [F32])
    | all floating ps,
      last_ `notElem` bitwise ->
        Just (single, \x -> T.concat ["(i64.extend_i32_u (i32.reinterpret_f32 ", x, "))"])
  (ps@(_ : _), [F64])
    | all floating ps,
      last_ `notElem` bitwise ->
        Just (double, \x -> T.concat ["(i64.reinterpret_f64 ", x, ")"])
  (ps@(_ : _), [V128])
    | all (== V128) ps,
      last_ `notElem` (bitwise <> chosen),
      not ("convert" `T.isPrefixOf` last_) -> case shape of
        "f32x4" ->
          Just (single, \x -> T.concat ["(i64.extend_i32_u (i32x4.extract_lane 0 ", x, "))"])
        "f64x2" -> Just (double, \x -> T.concat ["(i64x2.extract_lane 0 ", x, ")"])
        _ -> Nothing
  _ -> Nothing
  where
    (shape, last_) = T.drop 1 <$> T.breakOn "." (T.pack (operatorText o))
    floating t = t `elem` [F32, F64]
    bitwise = ["abs", "neg", "copysign"]
    chosen = ["pmin", "pmax", "eq", "ne", "lt", "gt", "le", "ge"]
    single = shown (0x7FC00000 :: Integer)
    double = shown (0x7FF8000000000000 :: Integer)

-- | Of operands that are other NaNs, in every tier. How many calls there were.
nans :: Operator -> IO Int
nans o =
  fmap sum
    . forM
      [ (tier, expected, lowest)
        | tier <- tiers,
          Just (expected, lowest) <- [made o]
      ]
    $ \(tier, expected, lowest) -> do
      bytes <-
        orFail
          ( binaryOf
              ( encodeUtf8
                  ( T.concat
                      [ "(module (func (export \"f\") (param i64) (result i64) ",
                        lowest
                          ( T.concat
                              [ "(",
                                T.pack (operatorText o),
                                T.concat (map other (operatorParams o)),
                                ")"
                              ]
                          ),
                        "))"
                      ]
                  )
              )
          )
      m <-
        loadWith defaultLoading {loadingTier = tier, loadingCanonicalNaNs = True} bytes >>= orFail
      store <- newStore defaultSettings
      i <- instantiate store m noImports >>= orFail
      outcome <- invoke i "f" [I64Value 0xFFFABCDEFFFABCDE]
      assertEqual
        (operatorText o <> ", " <> show tier)
        (T.concat ["i64 ", expected])
        (observed outcome)
      pure 1
  where
    other = \case
      F32 -> " (f32.reinterpret_i32 (i32.wrap_i64 (local.get 0)))"
      F64 -> " (f64.reinterpret_i64 (local.get 0))"
      _ -> " (i64x2.splat (local.get 0))"
