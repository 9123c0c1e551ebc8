{-# LANGUAGE OverloadedStrings #-}

-- | Native code against the interpreter: the same results, the same errors with the
-- same traces, the same fuel, and the same memory afterwards.
--
-- The official suite runs through both tiers in "Tern.Wasm.SpecTest", and mutated
-- modules in "Tern.Wasm.FuzzTest".
module Tern.Wasm.TierTest
  ( tests,
  )
where

import Control.Concurrent (forkIO, newEmptyMVar, putMVar, takeMVar, threadDelay, throwTo)
import Control.Exception (AsyncException (..), try)
import Control.Monad (forM, forM_, replicateM)
import Data.ByteString qualified as B
import Data.Maybe (fromMaybe)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding (encodeUtf8)
import Tern.Testkit.Drawn (drawnUnless)
import Tern.Testkit.Tally (skip)
import Tern.Wasm
import Tern.Wasm.Expected (orFail)
import Tern.Wasm.GeneratedTest (exported, functions, program)
import Tern.Wasm.Lasting (address, newKeeper)
import Tern.Wasm.Native.Assembler (new, ret)
import Tern.Wasm.Native.Region (executable)
import Tern.Wasm.Observed (digest, observed)
import Tern.Wasm.Prim (minusPtr, nullPtr)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit

tests :: TestTree
tests
  | not available = skip "native code" "only on x86-64 under Linux"
  | otherwise =
      testGroup
        "native code"
        [ generated,
          testCase "every function of a module gets it, those with vectors too" covers,
          testCase "every slice of fuel ends where the interpreter's does" slices,
          testCase "short loops, whose bodies are written several times" short,
          testCase "calls, tables, tail calls, exceptions, growing: as the interpreter" mixed,
          testCase "calls of other instances and of the host" crossing,
          testCase "a loop is stopped by a deadline and by an exception" stopped,
          testCase "recursion ends with the stack, and the same frames are in the trace" exhausted,
          testCase "a profile counts the same" profiled,
          testCase "loops that are nested very deeply" nested,
          testCase "very long functions, of which much is written out of the way" long,
          testCase "code of many functions begins at many places of a page" spread,
          testCase "what runs long gets native code, also over many short calls" warmed
        ]

tiers :: [Tier]
tiers = [Interpreter, NativeCode, Auto]

loadedBy :: Tier -> Text -> IO Compiled
loadedBy tier source = do
  bytes <- orFail (binaryOf (encodeUtf8 source))
  loadWith defaultLoading {loadingTier = tier} bytes >>= orFail

-- | The same, run by both tiers, must be seen to be the same.
alike :: String -> (Tier -> IO [Text]) -> IO [Text]
alike what run = do
  answers <- mapM run tiers
  case answers of
    [a, b, c] -> do
      assertEqual what a b
      assertEqual (what <> ", first interpreted") a c
      pure a
    _ -> pure []

-- | A store in which functions are soon found to run long.
eager :: IO Store
eager = do
  store <- newStore defaultSettings
  sampleStacks store 5
  pure store

-- * Generated programs

-- | Of functions with little code each, which all take a page: caches of the processor have few
-- lines for what is at the same place of its page.
spread :: Assertion
spread = do
  keeper <- newKeeper
  begins <- replicateM 64 $ do
    a <- new
    ret a
    code <- executable keeper a >>= maybe (assertFailure "no pages") pure
    pure ((address code `minusPtr` nullPtr) `mod` 4096)
  assertBool (show begins) (Set.size (Set.fromList begins) > 30)
  filter ((/= 0) . (`mod` 64)) begins @?= []

generated :: TestTree
generated = testCaseInfo "generated programs" $ do
  rounds <- drawnUnless "TERN_WASM_GENERATED" 30
  seen <- forM [1 .. rounds] $ \seed -> alike ("seed " <> show seed) $ \tier -> do
    m <- loadedBy tier (program (fromIntegral (seed :: Int)))
    whole <- calling m maxBound
    -- The same in pieces: out of fuel and on again, many times.
    pieces <- calling m 13
    pure (whole <> pieces)
  pure (show (sum (map length seen)) <> " calls seen")
  where
    calling m slice = do
      store <- eager
      i <- instantiate store m noImports >>= orFail
      calls <- forM [0 .. functions - 1] $ \k -> do
        setFuel store slice
        inPieces store slice (50 :: Int) =<< invoke i (exported k) []
      contents <- case exportNamed i "memory" of
        Just (ExternMemory memory) -> fromMaybe B.empty <$> readMemory memory 0 65536
        _ -> pure B.empty
      pure
        (calls <> [T.pack (show (digest 7 contents))])
    inPieces store slice n outcome = do
      left <- fuelLeft store
      case outcome of
        Left (OutOfFuel s) | n > 0 -> do
          setFuel store slice
          (T.pack (show left) <>) <$> (continue s >>= inPieces store slice (n - 1))
        _ -> pure (observed outcome <> T.pack (" " <> show left))

-- * Written programs

covers :: Assertion
covers = do
  m <-
    loadedBy
      NativeCode
      "(module (func (export \"a\") (result i32) (i32.add (i32.const 1) (call $v))) (func $v \
      \(result i32) (i32x4.extract_lane 2 (i32x4.splat (call $b)))) (func $b (result i32) \
      \(i32.const 41)))"
  store <- eager
  i <- instantiate store m noImports >>= orFail
  invoke i "a" [] >>= (@?= "i32 42") . observed
  -- And once more, now that all are compiled.
  invoke i "a" [] >>= (@?= "i32 42") . observed
  nativeFunctions m >>= (@?= [0, 1, 2])
  again <- instantiate store m noImports >>= orFail
  invoke again "a" [] >>= (@?= "i32 42") . observed

slices :: Assertion
slices = do
  seen <- alike "slices" $ \tier -> do
    m <-
      loadedBy
        tier
        "(module (memory 1) (func $fib (export \"fib\") (param i32) (result i32) (if (result \
        \i32) (i32.lt_u (local.get 0) (i32.const 2)) (then (local.get 0)) (else (i32.add (call \
        \$fib (i32.sub (local.get 0) (i32.const 1))) (call $fib (i32.sub (local.get 0) \
        \(i32.const 2))))))) (func (export \"loop\") (param i32) (result f64) (local f64 i64) \
        \(loop $l (local.set 1 (f64.add (local.get 1) (f64.convert_i32_u (local.get 0)))) (if \
        \(i32.and (local.get 0) (i32.const 4)) (then (i64.store (local.get 0) (local.tee 2 \
        \(i64.add (local.get 2) (i64.load (local.get 0))))))) (br_if $l (local.tee 0 (i32.sub \
        \(local.get 0) (i32.const 1))))) (local.get 1)))"
    concat
      <$> forM
        [0 .. 120]
        ( \n -> do
            store <- eager
            i <- instantiate store m noImports >>= orFail
            forM [("fib", 7), ("loop", 40)] $ \(name, x) -> do
              setFuel store n
              outcome <- invoke i name [I32Value x]
              left <- fuelLeft store
              rest <- case outcome of
                Left (OutOfFuel s) -> setFuel store maxBound >> continue s
                _ -> pure outcome
              pure (T.concat [observed outcome, T.pack (" " <> show left <> " "), observed rest])
        )
  length seen @?= 242

-- | Each ends, or traps, in each of the bodies, with each amount of fuel.
short :: Assertion
short = do
  seen <- alike "short" $ \tier -> do
    m <- loadedBy tier source
    forM
      [ (n, x, name)
        | n <-
            [0 .. 14],
          x <- [1 .. 11],
          name <- ["fill", "down", "divide", "until", "long"]
      ]
      ( \(n, x, name) -> do
          store <- eager
          i <- instantiate store m noImports >>= orFail
          setFuel store n
          outcome <- invoke i name [I32Value x]
          left <- fuelLeft store
          rest <- case outcome of
            Left (OutOfFuel s) -> setFuel store 100 >> continue s
            _ -> pure outcome
          after <- fuelLeft store
          pure
            ( T.concat
                [ observed
                    outcome,
                  T.pack (" " <> show left <> " "),
                  observed rest,
                  T.pack (" " <> show after)
                ]
            )
      )
  length seen @?= 15 * 11 * 5
  where
    source =
      "(module (memory 1) (global $g (mut i32) (i32.const 0))\
      \(func (export \"fill\") (param i32) (result i32) (local i32) (local.set 1 (i32.sub \
      \(i32.const 65536) (i32.shl (local.get 0) (i32.const 2)))) (loop $l (i32.store (local.get \
      \1) (local.get 0)) (br_if $l (i32.lt_u (local.tee 1 (i32.add (local.get 1) (i32.const \
      \4))) (i32.const 65568)))) (local.get 1))\
      \(func (export \"down\") (param i32) (result i32) (local i32) (loop $l (local.set 1 \
      \(i32.add (local.get 1) (local.get 0))) (br_if $l (local.tee 0 (i32.sub (local.get 0) \
      \(i32.const 1))))) (local.get 1))\
      \(func (export \"divide\") (param i32) (result i32) (local i32) (loop $l (local.set 0 \
      \(i32.sub (local.get 0) (i32.const 1))) (local.set 1 (i32.add (local.get 1) (i32.div_u \
      \(i32.const 100) (local.get 0)))) (br_if $l (i32.ne (local.get 1) (i32.const 120)))) \
      \(local.get 1))\
      \(func (export \"until\") (param i32) (result f64) (local f64) (loop $l (local.set 1 \
      \(f64.add (local.get 1) (f64.const 1))) (br_if $l (f64.ne (local.get 1) \
      \(f64.convert_i32_u (local.get 0))))) (loop $m (local.set 1 (f64.sub (local.get 1) \
      \(f64.const 0.5))) (br_if $m (f64.gt (local.get 1) (f64.const -2)))) (local.get 1))\
      \(func (export \"long\") (param i32) (result i64) (local i64 i64) (loop $l (local.set 1 \
      \(i64.add (local.get 1) (i64.mul (local.get 2) (i64.const 3)))) (local.set 2 (i64.xor \
      \(local.get 1) (i64.extend_i32_u (local.get 0)))) (local.set 1 (i64.rotl (local.get 1) \
      \(local.get 2))) (local.set 2 (i64.sub (local.get 2) (i64.shr_u (local.get 1) (i64.const \
      \7)))) (global.set $g (i32.add (global.get $g) (i32.wrap_i64 (local.get 2)))) (br_if $l \
      \(local.tee 0 (i32.sub (local.get 0) (i32.const 1))))) (local.get 1)))"

mixed :: Assertion
mixed = do
  seen <- alike "mixed" $ \tier -> do
    m <- loadedBy tier source
    store <- eager
    i <- instantiate store m noImports >>= orFail
    concat
      <$> forM
        [0 .. 12]
        ( \n ->
            forM
              [ "table",
                "tail",
                "ref",
                "catch",
                "grow",
                "many",
                "vectors",
                "select"
              ]
              $ \name -> do
                outcome <- invoke i name [I32Value n]
                pure (name <> ": " <> observed outcome)
        )
  length seen @?= 13 * 8
  where
    source =
      "(module (memory 1 3) (tag $e (param i32 f64)) (type $ii (func (param i32) (result i32))) \
      \(type $i (func (result i32)))\
      \(table $t 10 funcref) (elem (i32.const 0) $down $thrower $trapper $div) (elem (i32.const \
      \5) $wrong) (elem declare func $down)\
      \(func $down (type $ii) (if (result i32) (local.get 0) (then (call $down (i32.sub \
      \(local.get 0) (i32.const 1)))) (else (i32.const 9))))\
      \(func $thrower (type $ii) (throw $e (i32.add (local.get 0) (i32.const 5)) (f64.const 1.5)))\
      \(func $trapper (type $ii) (i32.load (i32.mul (local.get 0) (i32.const 30000))))\
      \(func $div (type $ii) (i32.div_s (i32.const 1000) (i32.sub (local.get 0) (i32.const 3))))\
      \(func $wrong (result i64) (i64.const 1))\
      \(func (export \"table\") (param i32) (result i32) (call_indirect $t (type $ii) \
      \(local.get 0) (local.get 0)))\
      \(func $tail (export \"tail\") (param i32) (result i32) (if (result i32) (i32.gt_s \
      \(local.get 0) (i32.const 5)) (then (return_call $tail (i32.sub (local.get 0) (i32.const \
      \1)))) (else (return_call_indirect $t (type $ii) (local.get 0) (local.get 0)))))\
      \(func (export \"ref\") (param i32) (result i32) (local (ref null $ii)) (if (i32.and \
      \(local.get 0) (i32.const 1)) (then (local.set 1 (ref.func $down)))) (call_ref $ii \
      \(local.get 0) (local.get 1)))\
      \(func (export \"catch\") (param i32) (result i32) (local i32 f64) (local.set 1 (i32.mul \
      \(local.get 0) (i32.const 7))) (local.set 2 (f64.const 2.5))\
      \ (block $h (result i32 f64) (try_table (catch $e $h) (drop (call_indirect $t (type $ii) \
      \(i32.add (local.get 1) (i32.const 1)) (i32.and (local.get 0) (i32.const 1)))) (local.set \
      \1 (i32.add (local.get 1) (i32.const 1)))) (return (local.get 1))) (local.set 2 (f64.mul \
      \(local.get 2))) (i32.add (local.get 1)) (i32.add (i32.trunc_f64_s (local.get 2))))\
      \(func (export \"grow\") (param i32) (result i32) (local i32) (local.set 1 (i32.add \
      \(local.get 0) (i32.const 100))) (i32.store offset=65532 (i32.const 0) (local.get 0)) \
      \(i32.add (i32.add (memory.grow (i32.const 1)) (memory.size)) (i32.add (local.get 1) \
      \(i32.load (i32.sub (i32.shl (memory.size) (i32.const 16)) (i32.const 4))))))\
      \(func $pair (param i32) (result i32 i64 f64) (local.get 0) (i64.extend_i32_s (i32.sub \
      \(i32.const 3) (local.get 0))) (f64.convert_i32_s (local.get 0)))\
      \(func (export \"many\") (param i32) (result f64 i64 i32) (local i32 i64 f64) (call $pair \
      \(local.get 0)) (local.set 3) (local.set 2) (local.set 1) (block $a (block $b (block $c \
      \(br_table $a $b $c $b (local.get 0))) (local.set 3 (f64.const 7))) (local.set 2 \
      \(i64.const 8))) (local.get 3) (local.get 2) (local.get 1))\
      \(func (export \"vectors\") (param i32) (result v128) (local v128) (local.set 1 \
      \(i32x4.splat (call $down (local.get 0)))) (i32x4.add (local.get 1) (i32x4.splat \
      \(local.get 0))))\
      \(func (export \"select\") (param i32) (result i32 f64 i64 f32) (select (local.get 0) \
      \(i32.const 3) (i32.lt_s (local.get 0) (i32.const 4))) (select (f64.const 1) \
      \(f64.convert_i32_s (local.get 0)) (i32.and (local.get 0) (i32.const 1))) (i64.rotl \
      \(i64.extend_i32_u (local.get 0)) (i64.extend_i32_u (local.get 0))) (f32.copysign \
      \(f32.const 3) (f32.convert_i32_s (i32.sub (local.get 0) (i32.const 4))))))"

crossing :: Assertion
crossing = do
  seen <- alike "crossing" $ \tier -> do
    lower <-
      loadedBy
        tier
        "(module (import \"host\" \"twice\" (func $twice (param i32) (result i32))) (global $n \
        \(mut i32) (i32.const 0)) (func (export \"f\") (param i32) (result i32) (global.set $n \
        \(i32.add (global.get $n) (i32.const 1))) (i32.add (global.get $n) (call $twice \
        \(local.get 0)))))"
    upper <-
      loadedBy
        tier
        "(module (import \"lower\" \"f\" (func $f (param i32) (result i32))) (table 1 funcref) \
        \(elem (i32.const 0) $f) (type $ii (func (param i32) (result i32))) (func (export \
        \\"g\") (param i32) (result i32) (local i32) (loop $l (local.set 1 (i32.add (local.get \
        \1) (call $f (local.get 0)))) (local.set 1 (i32.add (local.get 1) (call_indirect (type \
        \$ii) (local.get 0) (i32.const 0)))) (br_if $l (local.tee 0 (i32.sub (local.get 0) \
        \(i32.const 1))))) (local.get 1)) (func (export \"tail\") (param i32) (result i32) \
        \(return_call $f (local.get 0))))"
    store <- eager
    twice <- hostFunc store (FuncType [I32] [I32]) $ \case
      [I32Value 13] -> pure (Left "thirteen")
      [I32Value n] -> pure (Right [I32Value (2 * n)])
      _ -> pure (Left "other arguments")
    i <- instantiate store lower (importsFrom "host" [("twice", ExternFunc twice)]) >>= orFail
    j <- instantiate store upper (fromInstance "lower" i) >>= orFail
    concat
      <$> forM
        [1 .. 14]
        ( \n ->
            forM ["g", "tail"] $ \name -> observed <$> invoke j name [I32Value n]
        )
  length seen @?= 28

stopped :: Assertion
stopped = forM_ tiers $ \tier -> do
  m <-
    loadedBy tier "(module (func (export \"spin\") (result i32) (loop $l (br $l)) (unreachable)))"
  store <- eager
  i <- instantiate store m noImports >>= orFail
  setDeadline store (Just 0.02)
  invoke i "spin" [] >>= \case
    Left (Exhausted TimeExhausted _) -> pure ()
    other -> assertFailure (T.unpack (observed other))
  setDeadline store Nothing
  done <- newEmptyMVar
  thread <- forkIO $ do
    outcome <- try (invoke i "spin" [])
    putMVar done (either (\e -> show (e :: AsyncException)) (const "returned") outcome)
  threadDelay 5000
  throwTo thread ThreadKilled
  takeMVar done >>= (@?= show ThreadKilled)

exhausted :: Assertion
exhausted = do
  seen <- alike "exhausted" $ \tier -> do
    m <-
      loadedBy
        tier
        "(module (func $r (export \"r\") (param i64 i64) (result i64) (i64.add (i64.const 1) \
        \(call $r (local.get 1) (i64.add (local.get 0) (i64.const 1))))))"
    store <- eager
    i <- instantiate store m noImports >>= orFail
    outcome <- invoke i "r" [I64Value 1, I64Value 2]
    pure [observed outcome]
  map (T.take 14) seen @?= ["call stack exh"]

warmed :: Assertion
warmed = do
  m <-
    loadedBy
      Auto
      "(module (func $leaf (param i32) (result i32) (i32.mul (local.get 0) (i32.const 3))) \
      \(func (export \"long\") (param i32) (result i32) (local i32) (loop $l (local.set 1 \
      \(i32.add (local.get 1) (call $leaf (local.get 0)))) (br_if $l (local.tee 0 (i32.sub \
      \(local.get 0) (i32.const 1))))) (local.get 1)) (func (export \"short\") (param i32) \
      \(result i32) (local.get 0)) (func (export \"once\") (result i32) (i32.const 1)))"
  store <- newStore defaultSettings
  i <- instantiate store m noImports >>= orFail
  _ <- invoke i "once" []
  invoke i "long" [I32Value 10] >>= (@?= "i32 165") . observed
  nativeFunctions m >>= (@?= [])
  _ <- invoke i "long" [I32Value 400000]
  nativeFunctions m >>= (@?= [0, 1])
  forM_ [1 .. 110000] $ \n -> invoke i "short" [I32Value n]
  nativeFunctions m >>= (@?= [0, 1, 2])

-- | What is read at the head of the outermost is alive in all of them, which takes a
-- pass more for each to find: more than are made.
nested :: Assertion
nested = do
  seen <- alike "nested" $ \tier -> do
    m <-
      loadedBy
        tier
        ( T.concat
            [ "(module (func (export \"f\") (param i32) (result i32 i32) (local i32 i32) \
              \(local.set 1 (i32.const 7)) ",
              opened "(local.set 2 (i32.add (local.get 2) (local.get 1)))",
              T.replicate (depth - 1) (opened ""),
              T.replicate depth "(br 0)))",
              "(local.get 2) (local.get 0)))"
            ]
        )
    store <- eager
    i <- instantiate store m noImports >>= orFail
    forM [0, 3, 300, 2000] $ \n -> observed <$> invoke i "f" [I32Value n]
  length seen @?= 4
  where
    depth = 250 :: Int
    opened text =
      T.concat
        [ "(block (loop ",
          text,
          "(br_if 1 (i32.le_s (local.tee 0 (i32.sub (local.get 0) (i32.const 1))) (i32.const 0)))"
        ]

-- | Traps, conditions and gates by the thousand; many jumps that lead to one label, before it
-- is known where that is; and a table with a target of its own for each entry.
long :: Assertion
long = do
  seen <- alike "long" $ \tier -> do
    m <- loadedBy tier source
    forM [(f, x, n) | f <- ["f", "g", "h", "t"], x <- [1, 5, maxBound, 77, 0], n <- [37, 100000]] $
      \(f, x, n) -> do
        store <- eager
        i <- instantiate store m noImports >>= orFail
        setFuel store n
        outcome <- invoke i f [I32Value x]
        rest <- case outcome of
          Left (OutOfFuel s) -> setFuel store 100000 >> continue s
          _ -> pure outcome
        after <- fuelLeft store
        pure (T.concat [observed outcome, " ", observed rest, T.pack (" " <> show after)])
  length seen @?= 40
  where
    source =
      T.concat
        [ "(module (global $g (mut i32) (i32.const 0))",
          "(func $c (global.set $g (i32.add (global.get $g) (i32.const 1))))",
          function "f" (concatMap divided [1 .. 700]),
          function "g" (replicate 700 "(call $c)" <> ["(local.set 1 (global.get $g))"]),
          function "h" $
            replicate 700 "(loop "
              <> ["(local.set 1 (i32.add (local.get 1) (i32.const 3)))"]
              <> replicate 700 ")"
              <> ["(block $b "]
              <> concatMap left [1 .. 700]
              <> [")"],
          function "t" $
            replicate 200 "(block "
              <> ["(br_table ", T.unwords (map number [0 .. 199])]
              <> [" (i32.and (local.get 0) (i32.const 127)))"]
              <> replicate 200 (") (local.set 1 (i32.add " <> thrice <> " (i32.const 1)))"),
          ")"
        ]
    thrice = "(i32.mul (local.get 1) (i32.const 3))"
    function name body =
      T.concat
        ( ["(func (export \"", name, "\") (param i32) (result i32) (local i32) "]
            <> body
            <> [" (local.get 1))"]
        )
    divided k =
      [ "(local.set 1 (i32.add (local.get 1) (i32.div_s (i32.const ",
        number (100000 + k),
        ") (local.get 0)))) (block (br_if 0 (i32.and (local.get 1) (i32.const 1))) (local.set 1 \
        \(i32.add (local.get 1) (i32.const 5))))"
      ]
    left k =
      [ "(br_if $b (i32.eq (local.get 0) (i32.const ",
        number k,
        "))) (local.set 1 (i32.add (local.get 1) (i32.const 1)))"
      ]
    number :: Int -> Text
    number = T.pack . show

profiled :: Assertion
profiled = do
  bytes <- orFail (binaryOf (encodeUtf8 (program 3)))
  seen <- alike "profile" $ \tier -> do
    m <- loadWith defaultLoading {loadingTier = tier, loadingProfile = True} bytes >>= orFail
    store <- eager
    i <- instantiate store m noImports >>= orFail
    forM_ [0 .. functions - 1] $ \k -> invoke i (exported k) []
    map (T.pack . show . entryTotal) <$> profileOf m
  assertBool "something was counted" (not (null seen))
