{-# LANGUAGE OverloadedStrings #-}

-- | What instructions trap with, beside the tables that say so: the rows of operators, of
-- structures and arrays, and of the bytecode.
--
-- The idea: each instruction is called with operands that somebody would try: zero, the least
-- and the greatest number, what is no number, what is beyond the end, null. What all of
-- its calls have trapped with must be what its rows say, no less and no more, in every tier. And
-- every instruction of the bytecode that may trap must have been among them.
module Tern.Wasm.TrapTest
  ( tests,
  )
where

import Control.Monad (forM, forM_, unless, when)
import Data.ByteString qualified as B
import Data.List (find, nub, (\\))
import Data.Set (Set)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding (encodeUtf8)
import Tern.Wasm
import Tern.Wasm.Aggregate (Aggregate (..), Row (..), aggregate)
import Tern.Wasm.Binary (decode)
import Tern.Wasm.Code (Op, SlowOp)
import Tern.Wasm.Expected (orFail)
import Tern.Wasm.Lasting (newKeeper)
import Tern.Wasm.Lower (Options (..), lower)
import Tern.Wasm.Meaning (Driver (..), Meaning (..), meaning)
import Tern.Wasm.Native (processor)
import Tern.Wasm.Native.Located (Located (..), allSteps, steps)
import Tern.Wasm.Opcode (AccessOp, Immediate (..), Operator (..), VectorOp, operators)
import Tern.Wasm.Pair (Pair (..), pairs)
import Tern.Wasm.Traps (exitOf, trapOf, traps)
import Tern.Wasm.Valid (Valid, validate)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "traps"
    [ testCaseInfo
        "each instruction traps with what its rows say, and with nothing else"
        everything,
      testCase "each reason to leave code for a trap is that trap's" $
        sequence_
          [ trapOf code @?= Just t
            | (op, d) <- instructions,
              t <- traps op d,
              Just code <- [exitOf t]
          ]
    ]

-- | A function, after its name, and what it is called with; and the row of the operator that
-- it is for, if it is for one: its name and what it may trap with.
data Tried = Tried
  { triedRow :: !(Maybe (String, [Trap])),
    triedBody :: !Text,
    triedWith :: ![[Value]]
  }

-- | All instructions of the bytecode, with each field d that says which operator it is. One that
-- is two is its first one here.
instructions :: [(Op, Int)]
instructions = [(op, d) | op <- [minBound ..], alone op == op, d <- fieldsOf op]
  where
    fieldsOf op = case meaning op of
      Slowly -> numbers ([minBound ..] :: [SlowOp])
      OverVectors _ -> numbers ([minBound ..] :: [VectorOp])
      Distantly -> numbers ([minBound ..] :: [AccessOp])
      Driven _ _ Aggregates -> numbers ([minBound ..] :: [Aggregate])
      _ -> [0]
    numbers :: (Enum a) => [a] -> [Int]
    numbers = map fromEnum

alone :: Op -> Op
alone op = maybe op pairFirst (find ((== op) . pairBoth) pairs)

everything :: IO String
everything = do
  bytes <- orFail (binaryOf (encodeUtf8 source))
  found <- played Interpreter bytes
  forM_ natives $ \tier -> do
    found' <- played tier bytes
    forM_ (zip3 tried found found') $ \(f, s, s') ->
      unless (s == s') (assertFailure (show tier <> told f <> shown s' <> ", not " <> shown s))
  valid <- orShow (decode bytes) >>= orShow . validate
  keys <- mapM (mayTrap valid) [0 .. length tried - 1]
  forM_ (zip3 tried keys found) $ \(f, ks, s) -> case ks of
    [] -> assertEqual (told f) "[]" (shown s)
    [_] -> pure ()
    _ -> assertFailure (told f <> "more than one instruction may trap: " <> show ks)
  let byKey = gathered [(k, s) | ([k], s) <- zip keys found]
      byRow = gathered [(r, s) | (f, s) <- zip tried found, Just r <- [triedRow f]]
  sequence_
    [assertEqual (show k) (shown (namesOf (uncurry traps k))) (shown s) | (k, s) <- byKey]
  sequence_
    [assertEqual text (shown (namesOf ts)) (shown s) | ((text, ts), s) <- byRow]
  -- Whatever may trap was among them, and every operator.
  [k | k <- instructions, not (null (uncurry traps k))] \\ map fst byKey @?= []
  (map operatorText operators <> map (rowText . aggregate) [minBound ..])
    \\ map (fst . fst) byRow
    @?= []
  pure
    ( show (length tried)
        <> " functions, "
        <> show ((1 + length natives) * sum (map (length . triedWith) tried))
        <> " calls"
    )
  where
    orShow :: (Show e) => Either e a -> IO a
    orShow = either (assertFailure . show) pure
    told f = ", " <> T.unpack (triedBody f) <> ": "
    namesOf = Set.fromList . map renderTrap

-- | What belongs to the same thing.
gathered :: (Eq k) => [(k, Set Text)] -> [(k, Set Text)]
gathered rows = [(k, Set.unions [s | (k', s) <- rows, k' == k]) | k <- nub (map fst rows)]

natives :: [Tier]
natives = concat [[NativeCode, Auto] | available]

shown :: Set Text -> String
shown = show . Set.toList

-- | What each function has trapped with in a tier.
played :: Tier -> B.ByteString -> IO [Set Text]
played tier bytes = do
  m <- loadWith defaultLoading {loadingTier = tier} bytes >>= orFail
  store <- newStore defaultSettings
  sampleStacks store 5
  i <- instantiate store m noImports >>= orFail
  found <- forM (zip [0 :: Int ..] tried) $ \(k, f) ->
    Set.unions <$> mapM (fmap trapped . invoke i (name k)) (triedWith f)
  -- A trap that a row does not name leaves a function without native code.
  compiled <- nativeFunctions m
  when (tier == NativeCode) $
    assertEqual
      "no native code"
      []
      [triedBody f | (k, f) <- zip [0 ..] tried, k `notElem` compiled]
  pure found
  where
    trapped = \case
      Left (Trapped t _) -> Set.singleton (renderTrap t)
      _ -> Set.empty

-- | Which instructions of a function may trap, by their rows.
mayTrap :: Valid -> Int -> IO [(Op, Int)]
mayTrap valid x = do
  keeper <- newKeeper
  lower maxBound keeper (Options Nothing False Nothing NativeCode processor) valid x >>= \case
    Nothing -> assertFailure "no code"
    Just code -> do
      located <- allSteps <$> steps code
      pure (nub [key | s <- located, let key = keyOf s, not (null (uncurry traps key))])
  where
    keyOf s =
      let op = alone (stepOp s) in (op, if (op, 1) `elem` instructions then stepD s else 0)

name :: Int -> Text
name = T.pack . show

-- * What is tried

source :: Text
source =
  T.unlines $
    ["(module"]
      <> world
      <> [ T.concat ["(func (export \"", name k, "\") ", triedBody f, ")"]
           | (k, f) <- zip [0 ..] tried
         ]
      <> ["(func $nothing) (func $number (result i32) (i32.const 5)))"]

-- | Nothing grows in it.
world :: [Text]
world =
  [ "(type $v (func)) (type $w (func (result i32)))",
    "(type $s (struct (field $x (mut i32)) (field $y (mut i8))))",
    "(type $a (array (mut i32))) (type $b (array (mut i8))) (type $f (array (mut funcref)))",
    "(memory $m 1 1) (memory $n 1 1) (memory $l i64 1 1)",
    "(table $t 4 4 funcref) (table $u i64 4 4 funcref)",
    "(elem (table $t) (i32.const 0) func $nothing $number)",
    "(elem (table $u) (i64.const 0) func $nothing $number)",
    "(elem $e func $nothing $number) (elem $gone func $nothing)",
    "(data $d \"0123456789\") (data $lost \"0\")",
    "(tag $tag)",
    "(global $s (ref null $s) (struct.new $s (i32.const 1) (i32.const 2)))",
    "(global $a (ref null $a) (array.new $a (i32.const 1) (i32.const 4)))",
    "(global $b (ref null $b) (array.new $b (i32.const 1) (i32.const 4)))",
    "(global $f (ref null $f) (array.new_default $f (i32.const 4)))",
    "(global $i (ref null i31) (ref.i31 (i32.const 1)))"
  ]

tried :: [Tried]
tried = concatMap operator operators <> concatMap structured [minBound ..] <> others

-- * Operators

-- | Over locals; what has an address in three kinds of memory, and with some that are known
-- when code is made.
operator :: Operator -> [Tried]
operator o = case operatorImmediate o of
  NoImmediate -> [plain ""]
  LaneImmediate _ -> [plain " 0"]
  ConstantImmediate -> [plain " i64x2 0 0"]
  ShuffleImmediate -> [plain " 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 31"]
  MemoryImmediate _ -> accesses ""
  MemoryLaneImmediate _ -> accesses " 0"
  where
    plain after = over (operatorParams o) after []
    accesses lane =
      [ over (address : drop 1 (operatorParams o)) (T.concat [memory, offset, lane]) constant
        | (memory, address) <- [(" $m", I32), (" $n", I32), (" $l", I64)],
          offset <- ["", " offset=65535", if address == I64 then far else " offset=4294967295"],
          constant <- [] : [[T.pack (show n)] | address == I32, n <- [0, 65536, 4294967295 :: Int]]
      ]
    far = " offset=18446744073709551615"
    -- The first operand is a local, or a constant.
    over params after constant =
      Tried
        (Just (operatorText o, operatorTraps o))
        ( T.unwords $
            [T.concat ["(param ", typed t, ")"] | t <- params]
              <> [T.concat ["(result ", typed t, ")"] | t <- operatorResults o]
              <> ["(" <> T.pack (operatorText o) <> after]
              <> zipWith
                ($)
                (map constantly constant <> repeat id)
                (map local [0 .. length params - 1])
              <> [")"]
        )
        (mapM hostile params)
    constantly n = const (T.concat ["(i32.const ", n, ")"])

local :: Int -> Text
local k = T.concat ["(local.get ", T.pack (show k), ")"]

typed :: ValType -> Text
typed = \case
  I32 -> "i32"
  I64 -> "i64"
  F32 -> "f32"
  F64 -> "f64"
  V128 -> "v128"
  Ref _ -> "anyref"

hostile :: ValType -> [Value]
hostile = \case
  I32 -> map I32Value [0, 1, 65532, 65536, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF]
  I64 ->
    map
      I64Value
      [0, 1, 65532, 65536, 0x80000000, maxBound `div` 2, 0x8000000000000000, maxBound]
  F32 -> map F32Value (0 / 0 : floats)
  F64 -> map F64Value (0 / 0 : floats)
  V128 ->
    [ V128Value low high
      | low <- [0, maxBound, 0x8000000080000000, 0x7FF8000000000001],
        high <- [0, 0x7F8000007FC00001]
    ]
  Ref _ -> [NullValue AnyHeap]
  where
    floats :: (Fractional a) => [a]
    floats = [0, -0.0, 1 / 0, -1 / 0, -1, 0.5, 2147483648, -2147483904, 1.0e30, -1.0e30]

-- * Structures and arrays

structured :: Aggregate -> [Tried]
structured g = case g of
  StructNew -> one "(drop (struct.new $s (local.get 0) (local.get 1)))"
  StructNewDefault -> one "(drop (struct.new_default $s))"
  StructGet -> one (T.concat ["(drop (struct.get $s $x ", null_ "$s", "))"])
  StructGetS -> one (T.concat ["(drop (struct.get_s $s $y ", null_ "$s", "))"])
  StructGetU -> one (T.concat ["(drop (struct.get_u $s $y ", null_ "$s", "))"])
  StructSet -> one (T.concat ["(struct.set $s $x ", null_ "$s", " (local.get 1))"])
  ArrayNew -> one "(drop (array.new $a (local.get 0) (local.get 1)))"
  ArrayNewDefault -> one "(drop (array.new_default $a (local.get 1)))"
  ArrayNewFixed -> one "(drop (array.new_fixed $a 2 (local.get 0) (local.get 1)))"
  ArrayNewData -> one "(drop (array.new_data $b $d (local.get 1) (local.get 2)))"
  ArrayNewElem -> one "(drop (array.new_elem $f $e (local.get 1) (local.get 2)))"
  ArrayGet -> one (T.concat ["(drop (array.get $a ", null_ "$a", " (local.get 1)))"])
  ArrayGetS -> one (T.concat ["(drop (array.get_s $b ", null_ "$b", " (local.get 1)))"])
  ArrayGetU -> one (T.concat ["(drop (array.get_u $b ", null_ "$b", " (local.get 1)))"])
  ArraySet -> one (T.concat ["(array.set $a ", null_ "$a", " (local.get 1) (local.get 2))"])
  ArrayLen -> one (T.concat ["(drop (array.len ", null_ "$a", "))"])
  ArrayFill ->
    one (T.concat ["(array.fill $a ", null_ "$a", " (local.get 1) (i32.const 7) (local.get 2))"])
  ArrayCopy ->
    one
      (T.concat ["(array.copy $a $a ", null_ "$a", " (local.get 1) ", full "$a", between, ")"])
      <> one
        (T.concat ["(array.copy $a $a ", full "$a", " (local.get 1) ", null_ "$a", between, ")"])
  ArrayInitData ->
    one (T.concat ["(array.init_data $b $d ", null_ "$b", between3, ")"])
      <> one (T.concat ["(array.init_data $b $d ", full "$b", " (i32.const 0)", between, ")"])
  ArrayInitElem -> one (T.concat ["(array.init_elem $f $e ", null_ "$f", between3, ")"])
  AnyConvertExtern -> one "(drop (any.convert_extern (ref.null extern)))"
  ExternConvertAny -> one (T.concat ["(drop (extern.convert_any ", null_ "$s", "))"])
  RefI31 -> one "(drop (ref.i31 (local.get 0)))"
  I31GetS -> one (T.concat ["(drop (i31.get_s ", null_ "$i", "))"])
  I31GetU -> one (T.concat ["(drop (i31.get_u ", null_ "$i", "))"])
  where
    one body =
      [Tried (Just (rowText (aggregate g), rowTraps (aggregate g))) (threeOf body) places]
    threeOf = ("(param i32 i32 i32) " <>)
    full x = T.concat ["(global.get ", x, ")"]
    between = " (local.get 1) (local.get 2)"
    between3 = " (local.get 1) (local.get 2) (local.get 2)"

-- | Null, or what a global has; by the first local.
null_ :: Text -> Text
null_ x =
  T.concat ["(select (result ", ref, ") (ref.null ", heap, ") (global.get ", x, ") (local.get 0))"]
  where
    heap = if x == "$i" then "i31" else x
    ref = T.concat ["(ref null ", heap, ")"]

-- | A choice, and two numbers.
places :: [[Value]]
places =
  [ map I32Value [k, x, y]
    | k <- [0, 1],
      x <- [0, 1, 3, 4, 5, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF],
      y <- [0, 1, 4, 5, 11, 0xFFFFFFFF]
  ]

-- * Everything else

-- | What is no operator; the functions that tables have stand at the end.
others :: [Tried]
others =
  [ Tried Nothing body with
    | (body, with) <-
        [("unreachable", [[]]), ("(throw $tag)", [[]])]
          <> map
            chosen
            [ "(throw_ref (select (result exnref) (ref.null exn) (block $h (result exnref) \
              \(try_table (result exnref) (catch_all_ref $h) (throw $tag))) (local.get 0)))",
              "(drop (ref.as_non_null (select (result funcref) (ref.null func) (ref.func $nothing) \
              \(local.get 0))))",
              T.concat ["(drop (ref.cast (ref i31) ", either_, "))"],
              T.concat ["(drop (ref.test (ref i31) ", either_, "))"],
              T.concat ["(drop (ref.is_null ", either_, "))"],
              T.concat
                [ "(drop (block $b (result anyref) (br_on_cast $b anyref (ref i31) ",
                  either_,
                  ")))"
                ],
              T.concat ["(call_ref $v ", function, ")"],
              T.concat ["(return_call_ref $v ", function, ")"],
              "(call_indirect $t (type $v) (local.get 0))",
              "(return_call_indirect $t (type $v) (local.get 0))",
              "(drop (table.get $t (local.get 0)))",
              "(table.set $t (local.get 0) (ref.func $nothing))",
              "(br_table 0 0 (local.get 0))",
              "(drop (memory.grow $m (local.get 0)))",
              "(drop (table.grow $t (ref.null func) (local.get 0)))"
            ]
          <> map
            chosen64
            [ "(call_indirect $u (type $v) (local.get 0))",
              "(return_call_indirect $u (type $v) (local.get 0))",
              "(drop (table.get $u (local.get 0)))",
              "(drop (memory.grow $l (local.get 0)))",
              "(drop (table.grow $u (ref.null func) (local.get 0)))"
            ]
          <> map
            three
            [ "(memory.fill $m (local.get 0) (local.get 1) (local.get 2))",
              "(memory.copy $m $n (local.get 0) (local.get 1) (local.get 2))",
              "(memory.init $m $d (local.get 0) (local.get 1) (local.get 2))",
              "(table.fill $t (local.get 0) (ref.func $nothing) (local.get 2))",
              "(table.copy $t $t (local.get 0) (local.get 1) (local.get 2))",
              "(table.init $t $e (local.get 0) (local.get 1) (local.get 2))"
            ]
          <> [ ( T.concat ["(param ", T.unwords (map typed ts), ") (", what, given, ")"],
                 mapM (\t -> if t == I64 then small64 else small) ts
               )
               | (ts, what) <-
                   [ ([I64, I32, I32], "memory.copy $l $m"),
                     ([I32, I64, I32], "memory.copy $m $l"),
                     ([I64, I32, I32], "memory.init $l $d"),
                     ([I64, I32, I32], "table.copy $u $t"),
                     ([I32, I64, I32], "table.copy $t $u"),
                     ([I64, I32, I32], "table.init $u $e")
                   ]
             ]
          <> [ ( "(param i64) (table.set $u (local.get 0) (ref.func $nothing))",
                 map pure small64
               )
             ]
          <> map
            three64
            [ "(memory.fill $l (local.get 0) (i32.const 1) (local.get 2))",
              "(memory.copy $l $l (local.get 0) (local.get 1) (local.get 2))",
              "(table.fill $u (local.get 0) (ref.func $nothing) (local.get 2))",
              "(table.copy $u $u (local.get 0) (local.get 1) (local.get 2))"
            ]
          <> [ (body, [[]])
               | body <-
                   [ "(data.drop $lost)",
                     "(elem.drop $gone)",
                     "(drop (memory.size $m)) (drop (memory.size $l))",
                     "(drop (table.size $t)) (drop (table.size $u))"
                   ]
             ]
  ]
  where
    given = " (local.get 0) (local.get 1) (local.get 2)"
    chosen body = ("(param i32) " <> body, map pure (hostile I32 <> map I32Value [2, 3, 4, 5]))
    chosen64 body = ("(param i64) " <> body, map pure (hostile I64 <> map I64Value [2, 3, 4, 5]))
    three body = ("(param i32 i32 i32) " <> body, mapM (const small) [(), (), ()])
    three64 body = ("(param i64 i64 i64) " <> body, mapM (const small64) [(), (), ()])
    small = map I32Value [0, 1, 2, 4, 5, 65536, 0x80000000, 0xFFFFFFFF]
    small64 = map I64Value [0, 1, 4, 5, 65536, 0x8000000000000000, maxBound]
    either_ = "(select (result anyref) (ref.null any) (ref.i31 (i32.const 1)) (local.get 0))"
    function = "(select (result (ref null $v)) (ref.null $v) (ref.func $nothing) (local.get 0))"
