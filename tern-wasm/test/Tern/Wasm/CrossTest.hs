{-# LANGUAGE OverloadedStrings #-}

-- | Generated programs of several instances, which call, throw and are called in each other's
-- place through the tables that they share.
--
-- The idea: what crosses from instance to instance is the driver's, and there the tiers, the
-- search for who catches, suspension and collection meet. A program is run in every tier, whole,
-- in slices of fuel and with a collection before each object; all must be seen to do the same.
-- The environment variable @TERN_WASM_CROSSING@ sets how many programs there are, and
-- @TERN_WASM_CROSSING_FROM@ the first seed.
module Tern.Wasm.CrossTest
  ( tests,
  )
where

import Control.Monad (forM, forM_, replicateM, unless, when)
import Data.ByteString qualified as B
import Data.Map.Strict qualified as Map
import Data.Maybe (catMaybes, fromMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding (encodeUtf8)
import Data.Word (Word64)
import System.Environment (lookupEnv)
import Tern.Testkit.Drawn (drawnUnless)
import Tern.Wasm
import Tern.Wasm.Expected (orFail)
import Tern.Wasm.Observed (bits, digest, observed)
import Tern.Wasm.Seed (Draw, below, pick, runDraw)
import Test.Tasty (TestTree)
import Test.Tasty.HUnit
import Text.Read (readMaybe)

tests :: TestTree
tests =
  testCaseInfo "programs of several instances do the same in every tier, whole and in pieces" $ do
    rounds <- drawnUnless "TERN_WASM_CROSSING" 20
    from <- number "TERN_WASM_CROSSING_FROM" 1
    ends <- concat <$> mapM compared [from .. from + rounds - 1]
    let kinds = Map.fromListWith (+) [(T.takeWhile (/= ':') e, 1 :: Int) | e <- ends]
    pure (show (length ends) <> " calls: " <> show (Map.toList kinds))
  where
    number name other = maybe other (fromMaybe other . readMaybe) <$> lookupEnv name :: IO Int

-- * Playing

-- | How a program is run: in which tier, with how much fuel at a time, and whether it is
-- collected before each object.
data Way = Way !Tier !Int !Bool
  deriving stock (Show)

-- | How each call of a program ended, in short.
compared :: Int -> IO [Text]
compared seed = do
  modules <- forM (program (fromIntegral seed)) $ either failed pure . binaryOf . encodeUtf8
  first_ <- played modules (Way Interpreter enough False)
  forM_ ways $ \way -> do
    other <- played modules way
    unless (other == first_) . assertFailure $
      unlines
        ( ("seed " <> show seed <> ", " <> show way)
            : concat [[T.unpack a, T.unpack b] | (a, b) <- take 1 (differing first_ other)]
        )
  pure (map fst first_)
  where
    differing xs ys =
      [ (T.unwords [a, b], T.unwords [a', b'])
        | ((a, b), (a', b')) <- zip xs ys,
          (a, b) /= (a', b')
      ]
    failed = assertFailure . T.unpack . renderError

ways :: [Way]
ways =
  drop 1 $
    [ Way tier slice eagerly
      | tier <- Interpreter : concat [[NativeCode, Auto] | available],
        (slice, eagerly) <- [(enough, False), (7, False), (enough, True), (7, True)]
    ]

enough :: Int
enough = 1000000

-- | Each function of each instance called, in one store: how that ended, and what is seen then.
played :: [B.ByteString] -> Way -> IO [(Text, Text)]
played modules (Way tier slice eagerly) = do
  store <- newStore settings
  when (tier == Auto) (sampleStacks store 5)
  setFuel store enough
  instances <- build store noImports modules
  case instances of
    [] -> assertFailure "no instance"
    shared : others -> fmap concat . forM (zip [0 ..] others) $ \(j, i) ->
      forM [0 .. functions - 1] $ \k -> do
        setFuel store enough
        _ <- invoke shared "reset" [I32Value steps] >>= orFail
        setFuel store slice
        outcome <- invoke i (exported k) (operands (j + k) k) >>= onwards store slice
        seen <- mapM (visible shared) ["n", "acc"]
        bytes <- case exportNamed shared "m" of
          Just (ExternMemory m) -> fromMaybe B.empty <$> readMemory m 0 65536
          _ -> assertFailure "no memory"
        pure (fst outcome, T.unwords (snd outcome : T.pack (show (digest 0 bytes)) : seen))
  where
    settings =
      defaultSettings {settingStack = 65536, settingHeap = 4000000, settingEagerly = eagerly}
    build store known = \case
      [] -> pure []
      bytes : rest -> do
        m <- loadWith defaultLoading {loadingTier = tier} bytes >>= orFail
        i <- instantiate store m known >>= orFail
        let more =
              if Map.null known
                then
                  importsFrom
                    "shared"
                    [(name, e) | name <- exportNames i, Just e <- [exportNamed i name]]
                else known
        (i :) <$> build store more rest
    visible i name = either renderError bits <$> readGlobal i name
    onwards store given = \case
      Left (OutOfFuel s)
        | given < enough -> setFuel store slice >> continue s >>= onwards store (given + slice)
      outcome -> do
        left <- fuelLeft store
        pure
          ( either renderError (const "results") outcome,
            observed outcome <> " used " <> T.pack (show (given - left))
          )

-- | How many calls a program may make in all.
steps :: (Num n) => n
steps = 80

operands :: Int -> Int -> [Value]
operands n k = case k `mod` 3 of
  0 -> []
  1 -> [I64Value (fromIntegral n * 0x9E3779B97F4A7C15)]
  _ -> [I64Value (fromIntegral n), F64Value 1.5, V128Value 7 (fromIntegral n)]

-- * Programs

-- | Functions of an instance: by their number, of the types v, i and m in turn.
functions :: Int
functions = 6

exported :: Int -> Text
exported k = "f" <> shown k

shown :: (Show a) => a -> Text
shown = T.pack . show

-- | What is shared, and three modules that share it.
program :: Word64 -> [Text]
program seed =
  T.unlines (["(module"] <> sharing <> [")"])
    : runDraw (mapM moduleOf [0, 1, 2]) seed
  where
    sharing =
      [ "(table (export \"t\") 24 funcref) (table (export \"u\") i64 24 funcref)",
        "(memory (export \"m\") 1) (tag (export \"e\") (param i64)) (tag (export \"x\"))",
        "(global $n (export \"n\") (mut i32) (i32.const 0))",
        "(global (export \"acc\") (mut i64) (i64.const 1))",
        "(func (export \"reset\") (param i32) (global.set $n (local.get 0)))"
      ]

moduleOf :: Int -> Draw Text
moduleOf j = do
  bodies <- mapM (function j) [0 .. functions - 1]
  pure . T.unlines $
    [ "(module (type $v (func)) (type $i (func (param i64) (result i64)))",
      "(type $m (func (param i64 f64 v128) (result f64 i64)))",
      "(type $s (struct (field i64) (field (ref null $s))))",
      "(import \"shared\" \"t\" (table $t 24 funcref))",
      "(import \"shared\" \"u\" (table $u i64 24 funcref))",
      "(import \"shared\" \"m\" (memory 1)) (import \"shared\" \"e\" (tag $e (param i64)))",
      "(import \"shared\" \"x\" (tag $x)) (import \"shared\" \"n\" (global $n (mut i32)))",
      "(import \"shared\" \"acc\" (global $acc (mut i64)))",
      T.concat ["(elem (table $t) (i32.const ", base, ") func ", names, ")"],
      T.concat ["(elem (table $u) (i64.const ", base, ") func ", names, ")"]
    ]
      <> bodies
      <> [")"]
  where
    base = shown (functions * j)
    names = T.unwords ["$" <> exported k | k <- [0 .. functions - 1]]

-- | A function's type by its number.
data Kind = V | I | M
  deriving stock (Eq, Enum)

kindOf :: Int -> Kind
kindOf k = case k `mod` 3 of
  0 -> V
  1 -> I
  _ -> M

typeName :: Kind -> Text
typeName = \case
  V -> "$v"
  I -> "$i"
  M -> "$m"

function :: Int -> Int -> Draw Text
function j k = do
  stmts <- statements 2
  end <- ending kind
  pure . T.unwords $
    [ T.concat ["(func $", exported k, " (export \"", exported k, "\")"],
      header,
      "(local $k i32) (local $x exnref) (local $s (ref null $s))",
      T.concat ["(if (i32.le_s (global.get $n) (i32.const 0)) (then ", results kind, " (return)))"],
      "(global.set $n (i32.sub (global.get $n) (i32.const 1)))",
      T.concat
        [ "(global.set $acc (i64.add (i64.mul (global.get $acc) (i64.const 31))",
          " (i64.add (local.get $b) (i64.const ",
          shown (functions * j + k),
          "))))"
        ],
      stmts,
      end,
      ")"
    ]
  where
    kind = kindOf k
    header = case kind of
      V -> "(type $v) (local $b i64) (local $f f64) (local $w v128)"
      I -> "(type $i) (param $b i64) (result i64) (local $f f64) (local $w v128)"
      M -> "(type $m) (param $b i64) (param $f f64) (param $w v128) (result f64 i64)"

results :: Kind -> Text
results = \case
  V -> ""
  I -> "(local.get $b)"
  M -> "(local.get $f) (local.get $b)"

-- | What is given to a function.
arguments :: Kind -> Text
arguments = \case
  V -> ""
  I -> "(local.get $b)"
  M -> "(local.get $b) (local.get $f) (local.get $w)"

-- | How it is called: after @call@ or @return_call@, and the operand that says whom. One of a
-- few has another type than it should, or is nobody.
callee :: Kind -> Draw (Text, Text)
callee kind = do
  how <- below 5
  wrong <- below 40
  slot <- (\s -> 3 * s + fromEnum kind + (if wrong == 0 then 1 else 0)) <$> below 6
  dynamic <- below 2
  let byNumber n =
        if dynamic == 0
          then T.concat ["(i64.const ", shown n, ")"]
          else
            T.concat
              [ "(i64.add (i64.mul (i64.rem_u (local.get $b) (i64.const 6)) (i64.const 3)) ",
                T.concat ["(i64.const ", shown (fromEnum kind), "))"]
              ]
      narrow x = T.concat ["(i32.wrap_i64 ", x, ")"]
  own <- (\s -> 3 * s + fromEnum kind) <$> below 2
  pure $ case how of
    0 -> (" $" <> exported own, "")
    1 -> (T.concat ["_indirect $t (type ", typeName kind, ")"], narrow (byNumber slot))
    2 -> (T.concat ["_indirect $u (type ", typeName kind, ")"], byNumber slot)
    3 ->
      ( "_ref " <> typeName kind,
        T.concat
          ["(ref.cast (ref ", typeName kind, ") (table.get $t ", narrow (byNumber slot), "))"]
      )
    _ ->
      ( "_ref " <> typeName kind,
        T.concat ["(ref.cast (ref null ", typeName kind, ") (table.get $u ", byNumber slot, "))"]
      )

ending :: Kind -> Draw Text
ending kind = do
  n <- below 3
  if n == 0
    then pure (results kind)
    else do
      (how, whom) <- callee kind
      pure (T.concat ["(return_call", how, " ", arguments kind, " ", whom, ")"])

-- | A few, with blocks so deep.
statements :: Int -> Draw Text
statements deep = do
  n <- (2 +) <$> below 4
  T.unwords <$> replicateM n (statement deep)

statement :: Int -> Draw Text
statement deep = do
  what <- below (if deep > 0 then 13 else 9)
  case what of
    0 -> do
      c <- pick 3 [3, 5, 7, 0x10001 :: Int]
      pure . T.concat $
        [ "(local.set $b (i64.add (i64.mul (local.get $b) (i64.const ",
          shown c,
          ")) (global.get $acc)))"
        ]
    1 -> do
      c <- pick 7 [3, 15, 63 :: Int]
      pure (T.concat [condition c, " (then (throw $e (local.get $b))))"])
    2 -> pure (condition (63 :: Int) <> " (then (throw $x)))")
    3 ->
      pure
        "(i64.store (i32.and (i32.wrap_i64 (local.get $b)) (i32.const 0xFFF8)) \
        \(i64.add (i64.load (i32.const 64)) (local.get $b)))"
    4 ->
      pure
        "(local.set $w (i64x2.add (local.get $w) (i64x2.splat (local.get $b)))) \
        \(local.set $b (i64.xor (local.get $b) (i64x2.extract_lane 1 (local.get $w)))) \
        \(local.set $f (f64.add (local.get $f) (f64.convert_i64_s (local.get $b))))"
    5 ->
      pure
        "(local.set $s (struct.new $s (local.get $b) (local.get $s))) \
        \(local.set $b (i64.add (struct.get $s 0 (local.get $s)) (i64.const 1)))"
    6 -> do
      kind <- below 3
      a <- below 7
      b <- below 7
      table <- pick "$t" ["$t", "$u"]
      let at n = T.concat ["(", size, ".const ", shown (3 * n + kind), ")"]
          size = if table == "$t" then "i32" else "i64"
          got = T.concat ["(table.get ", table, " ", at b, ")"]
      pure (T.concat ["(table.set ", table, " ", at (min 5 a), " ", got, ")"])
    7 -> call
    8 -> call
    9 -> do
      inner <- statements (deep - 1)
      pure
        ( T.concat
            [ "(block $h (result i64) (try_table (result i64) (catch $e $h) ",
              inner,
              " (local.get $b))) (local.set $b)"
            ]
        )
    10 -> do
      inner <- statements (deep - 1)
      pure (T.concat ["(block $h (try_table (catch_all $h) ", inner, "))"])
    11 -> do
      inner <- statements (deep - 1)
      again <- statements 0
      pure
        ( T.concat
            [ "(block $h (result exnref) (try_table (result exnref) (catch_all_ref $h) ",
              inner,
              " (ref.null exn))) (local.set $x) ",
              again,
              " (if (i32.and (i32.wrap_i64 (local.get $b)) (i32.eqz (ref.is_null (local.get $x)))) \
              \(then (throw_ref (local.get $x))))"
            ]
        )
    _ -> do
      inner <- statements 0
      pure
        ( T.concat
            [ "(local.set $k (i32.const 3)) (loop $l ",
              inner,
              " (br_if $l (local.tee $k (i32.sub (local.get $k) (i32.const 1)))))"
            ]
        )
  where
    condition c = T.concat ["(if (i64.eqz (i64.and (local.get $b) (i64.const ", shown c, ")))"]
    call = do
      kind <- pick I [V, I, M]
      (how, whom) <- callee kind
      pure . T.unwords . catMaybes $
        [ Just (T.concat ["(call", how, " ", arguments kind, " ", whom, ")"]),
          if kind == V then Nothing else Just "(local.set $b)",
          if kind == M then Just "(local.set $f)" else Nothing
        ]
