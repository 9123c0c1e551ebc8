{-# LANGUAGE OverloadedStrings #-}

-- | What a host relies on: limits, resuming, interruption, host functions,
-- and stores that keep apart.
module Tern.Wasm.ApiTest
  ( tests,
  )
where

import Control.Concurrent (forkIO, killThread, newEmptyMVar, putMVar, takeMVar)
import Control.Exception (AsyncException (ThreadKilled), throwTo, try)
import Control.Monad (forM, forM_)
import Data.Bits (shiftR, (.&.), (.|.))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Char (isPrint)
import Data.Either (fromRight)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding (encodeUtf8)
import Data.Word (Word32, Word64, Word8)
import GHC.Float (castWord64ToDouble)
import System.Environment (lookupEnv)
import System.Mem (getAllocationCounter)
import System.Timeout (timeout)
import Tern.Wasm
import Tern.Wasm.Expected (orFail)
import Test.Tasty (TestName, TestTree, testGroup)
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "api"
    [ testCase "names of a module are shown without what terminals obey" $ do
        let evil = "f\\1b[2J\\n\\e2\\80\\aei"
            visible what text = assertBool (what <> ": " <> show text) (T.all isPrint text)
            shown_ what =
              loadText what >>= \case
                Left e -> pure (renderError e)
                Right m -> do
                  store <- newStore defaultSettings
                  instantiate store m noImports >>= \case
                    Left e -> pure (renderError e)
                    Right i -> do
                      r <- invoke i "f" []
                      pure (either (T.unlines . map renderPlace . errorTrace) (const "") r)
        forM_
          [ ("a trace", "(module (func $\"" <> evil <> "\" (export \"f\") unreachable))"),
            ("an import", "(module (import \"" <> evil <> "\" \"" <> evil <> "\" (func)))"),
            ( "an export",
              "(module (func) (export \""
                <> evil
                <> "\" (func 0)) (export \""
                <> evil
                <> "\" (func 0)))"
            )
          ]
          $ \(what, source) -> do
            text <- shown_ source
            assertBool what (T.isInfixOf "[2J" text)
            visible what (T.dropWhileEnd (== '\n') text),
      testCase "an endless loop ends with its fuel" $ do
        (store, i) <- fresh
        setFuel store 100000
        outcome <- invoke i "spin" []
        failed outcome >>= (@?= "fuel exhausted"),
      testCase "a call that ran out of fuel goes on where it stopped" $ do
        (store, i) <- fresh
        setFuel store 70000
        first <- invoke i "sum" [I32Value 100000]
        again <- case first of
          Left (OutOfFuel s) -> do
            setFuel store 1000000
            continue s
          _ -> assertFailure "did not run out of fuel"
        number again >>= (@?= 5000050000),
      testCase "a deadline stops an endless loop" $ do
        (store, i) <- fresh
        setDeadline store (Just 0.02)
        outcome <- invoke i "spin" []
        failed outcome >>= (@?= "time limit exceeded"),
      testCase "an asynchronous exception stops an endless loop" $ do
        (_, i) <- fresh
        outcome <- timeout 20000 (invoke i "spin" [])
        maybe (pure ()) (const (assertFailure "returned")) outcome,
      testCase "another thread can kill it, and the store can be used again" $ do
        (store, i) <- fresh
        started <- newEmptyMVar
        done <- newEmptyMVar
        thread <-
          forkIO
            ( try (putMVar started () >> invoke i "spin" [])
                >>= putMVar done . either (== ThreadKilled) (const False)
            )
        takeMVar started
        throwTo thread ThreadKilled
        killed <- takeMVar done
        killThread thread
        assertBool "killed" killed
        setFuel store maxBound
        invoke i "sum" [I32Value 3] >>= number >>= (@?= 6),
      testCase "recursion without end exhausts the stack, and only that" $ do
        (_, i) <- fresh
        invoke i "dive" [] >>= failed >>= (@?= "call stack exhausted")
        invoke i "sum" [I32Value 3] >>= number >>= (@?= 6),
      testCase "a trap in a host function is the host's text" $ do
        (_, i) <- fresh
        invoke i "ask" [I32Value 13] >>= failed >>= (@?= "trap: no thirteens"),
      testCase "a host function calls back into the instance" $ do
        (_, i) <- fresh
        invoke i "ask" [I32Value 4] >>= number >>= (@?= 10),
      testCase "calls from several threads take turns" $ do
        (_, i) <- fresh
        results <- forM [1 .. 8] $ \n -> do
          done <- newEmptyMVar
          _ <- forkIO (invoke i "sum" [I32Value (1000 * n)] >>= putMVar done)
          pure (n, done)
        mapM_
          ( \(n, done) ->
              takeMVar done >>= number >>= (@?= sumTo (1000 * fromIntegral n))
          )
          results,
      testCase "memory grows to the limit that was set and no further" $ do
        (_, i) <- fresh
        invoke i "grow" [I32Value 3] >>= number >>= (@?= 1)
        invoke i "grow" [I32Value 7] >>= number >>= (@?= 0xFFFFFFFF)
        invoke i "grow" [I32Value 6] >>= number >>= (@?= 4),
      testCase "a function of another store is refused" $ do
        (_, i) <- fresh
        (other, _) <- fresh
        f <- function i "sum"
        callFunc other f [I32Value 1] >>= failed >>= (@?= "a value belongs to another store"),
      testCase "an export is a Haskell function of its type, and of no other" $ do
        (_, i) <- fresh
        case exportFunction i "sum" of
          Right f ->
            (f (10 :: Word32) :: IO (Either Error Word64))
              >>= either (assertFailure . T.unpack . renderError) (@?= 55)
          Left e -> assertFailure (T.unpack (renderError e))
        case exportFunction i "sum" :: Either Error (Word64 -> IO (Either Error Word64)) of
          Right _ -> assertFailure "was accepted"
          Left e ->
            renderError e @?= "the export \"sum\" is a function [i32] -> [i64], not [i64] -> [i64]",
      testCase "a Haskell function is an import of its type" $ do
        store <- newStore defaultSettings
        f <- hostFunction store (\a b -> pure (a * 10 + b) :: IO Word32)
        callFunc store f [I32Value 4, I32Value 2] >>= number >>= (@?= 42),
      testCase "a suspended call does not go on inside of another" $ do
        (store, i) <- fresh
        setFuel store 1000
        invoke i "sum" [I32Value 100000] >>= \case
          Left (OutOfFuel s) -> do
            setFuel store maxBound
            f <-
              hostFunc
                store
                (FuncType [] [])
                ( const
                    ( either (Left . renderError) (const (Right []))
                        <$> continue s
                    )
                )
            -- The host function itself is called at the bottom of the stack; its
            -- own calls are above.
            callFunc store f []
              >>= failed
              >>= (@?= "trap: trap: a suspended call cannot go on inside of another call")
            continue s >>= number >>= (@?= 5000050000)
          _ -> assertFailure "did not run out of fuel",
      testCase "arguments of other types are refused" $ do
        (_, i) <- fresh
        invoke i "sum" [I64Value 1]
          >>= failed
          >>= (@?= "the function takes [i32], was given [i64]"),
      testCase "a trap says in which functions it was, by name, and where" $ do
        (_, i) <- fromText traced
        outcome <- invoke i "outer" [I32Value 0]
        case outcome of
          Left e ->
            map renderPlace (errorTrace e)
              @?= [ "divide (function 0) at byte 54",
                    "function 1 at byte 60",
                    "outer (function 2) at byte 67"
                  ]
          Right _ -> assertFailure "returned",
      testCase "samples show who called whom" $ do
        (store, i) <- fromText traced
        sampleStacks store 10
        _ <- invoke i "loop" [I32Value 1000]
        samples <- stackSamples store
        assertBool (show samples) (Map.keys samples == [["loop"]] && sum samples > 50),
      testCase "canonical NaNs, where that is wanted" $ do
        bytes <- orFail (binaryOf nans)
        m <-
          loadWith defaultLoading {loadingCanonicalNaNs = True} bytes
            >>= orFail
        store <- newStore defaultSettings
        i <- instantiate store m noImports >>= orFail
        invoke i "f32" [I32Value 0xFFABCDEF] >>= number >>= (@?= 0x7FC00000)
        invoke i "f64" [I64Value 0xFFFABCDEF0123456] >>= number >>= (@?= 0x7FF8000000000000)
        invoke i "lanes" [I64Value 0xFFFABCDEF0123456] >>= number >>= (@?= 0x7FF8000000000000)
        -- What only moves bits keeps them.
        invoke i "kept" [I32Value 0xFFABCDEF] >>= number >>= (@?= 0x7FABCDEF),
      testCase "a constant of 32 bits that is computed wraps around" $ do
        (_, i) <-
          fromText
            "(module (memory 2) (data (offset (i32.mul (i32.const 65536) (i32.const 65537))) \
            \\"A\") (func (export \"f\") (result i32) (i32.load8_u (i32.const 65536))))"
        invoke i "f" [] >>= number >>= (@?= 65),
      testCase "an exception that nothing catches is an error with its values" $ do
        (_, i) <-
          fromText
            "(module (tag $e (param i32 i64)) (func (export \"f\") (throw $e (i32.const 4) \
            \(i64.const 5))))"
        invoke i "f" [] >>= \case
          Left (UncaughtException tag [I32Value 4, I64Value 5] _) ->
            tagSignature tag @?= FuncType [I32, I64] []
          Left e -> assertFailure (T.unpack (renderError e))
          Right _ -> assertFailure "returned",
      testCase "a module loaded lazily: good functions run, broken ones are traps" $ do
        let loaded how = loadWith how (B.take 54 good <> B.singleton 0x7C <> B.drop 55 good)
            good = fromRight B.empty (binaryOf traced)
        loaded defaultLoading >>= \case
          Left e ->
            renderError e
              @?= "invalid module, function 0, instruction at byte 54: type mismatch: expected \
                  \[i64], found [i32]"
          Right _ -> assertFailure "was accepted"
        m <-
          loaded defaultLoading {loadingLazily = True}
            >>= orFail
        store <- newStore defaultSettings
        i <- instantiate store m noImports >>= orFail
        _ <- invoke i "loop" [I32Value 10] >>= orFail
        invoke i "outer" [I32Value 1]
          >>= failed
          >>= ( @?=
                  "trap: invalid module, function 0, instruction at byte 54: type mismatch: \
                  \expected [i64], found [i32]"
              ),
      whereOptimised "ordinary code is checked without an instruction being built" $ do
        let ordinary k =
              "(func (param i32 f64) (result i32) (local i64) (block (loop (br_if 1 (i32.eqz \
              \(local.get 0))) "
                <> T.replicate
                  40
                  ( "(local.set 0 (i32.add (i32.load (i32.and (local.get 0) (i32.const 1023))) \
                    \(i32.const "
                      <> T.pack (show (k :: Int))
                      <> ")))"
                  )
                <> "(br 0))) (local.get 0))"
            bytes =
              fromRight
                B.empty
                ( binaryOf
                    ( encodeUtf8
                        ( "(module (memory 1)"
                            <> T.concat (map ordinary [1 .. 300])
                            <> ")"
                        )
                    )
                )
        assertBool "assembled" (B.length bytes > 100000)
        before <- getAllocationCounter
        _ <- load bytes >>= orFail
        after <- getAllocationCounter
        -- In full it would be some fifty bytes for each byte.
        assertBool
          (show (before - after, B.length bytes))
          (fromIntegral (before - after) < 8 * B.length bytes),
      whereOptimised "running allocates nothing that grows with the run" $ do
        (_, i) <- fresh
        let allocated n = do
              before <- getAllocationCounter
              invoke i "sum" [I32Value n] >>= number >>= (@?= sumTo (fromIntegral n))
              (before -) <$> getAllocationCounter
        -- The first long run makes its native code, too.
        _ <- allocated 1000000
        few <- allocated 1000
        many <- allocated 3000000
        -- A return to the driver in 100,000 turns, of a few hundred bytes each.
        assertBool (show (few, many)) (many - few < 30 * 2000),
      testCase "structures and exceptions stay within their limit" $ do
        m <-
          loadText
            "(module (type $s (struct (field i64) (field (ref null $s)))) (tag $e (param exnref)) \
            \(func (export \"f\") (local (ref null $s)) (loop $l (local.set 0 (struct.new $s \
            \(i64.const 1) (local.get 0))) (br $l))) (func (export \"g\") (local exnref) (loop $l \
            \(block $h (result exnref) (try_table (catch_all_ref $h) (throw $e (local.get 0))) \
            \(unreachable)) (local.set 0) (br $l))))"
            >>= orFail
        -- Each in a store of its own: what is full lowers no function either.
        forM_ ["f", "g"] $ \name -> do
          store <- newStore defaultSettings {settingHeap = 100000}
          i <-
            instantiate store m noImports >>= orFail
          setFuel store 1000000
          invoke i name [] >>= failed >>= (@?= "heap exhausted"),
      testCase "what a module wants and offers is known before it is instantiated" $ do
        m <-
          loadText
            "(module (type $s (struct (field i32))) (import \"a\" \"f\" (func (param i32 f64) \
            \(result i64))) (import \"a\" \"t\" (table 1 2 funcref)) (import \"b\" \"f\" \
            \(global (mut v128))) (import \"b\" \"e\" (tag (param i32))) (import \"b\" \"m\" \
            \(memory i64 1))\
            \ (func (export \"g\") (param (ref null $s)) (result f32) (f32.const 1)) (memory \
            \(export \"n\") 3 4) (global (export \"c\") i32 (i32.const 1)) \
            \(export \"again\" (func 0)) (export \"e\" (tag 0)) (table (export \
            \\"u\") 7 externref))"
            >>= orFail
        let sum_ = FuncExtern (FuncType [I32, F64] [I64])
        importTypes m
          @?= [ ("a", "f", sum_),
                ("a", "t", TableExtern (TableType Address32 (Limits 1 (Just 2)) FuncRef)),
                ("b", "f", GlobalExtern (GlobalType Var V128)),
                ("b", "e", TagExtern [I32]),
                ("b", "m", MemoryExtern (MemoryType Address64 (Limits 1 Nothing)))
              ]
        exportTypes m
          @?= [ ("g", FuncExtern (FuncType [Ref (RefType True (Defined 0))] [F32])),
                ("n", MemoryExtern (MemoryType Address32 (Limits 3 (Just 4)))),
                ("c", GlobalExtern (GlobalType Const I32)),
                ("again", sum_),
                ("e", TagExtern [I32]),
                ("u", TableExtern (TableType Address32 (Limits 7 Nothing) ExternRef))
              ],
      testCase "values are equal by their bits, and shown" $ do
        (store, i) <- fresh
        (_, j) <- fresh
        f <- function i "sum"
        g <- function i "spin"
        other <- function j "sum"
        extern <-
          hostFunc store (FuncType [] [Ref ExternRef]) (const (pure (Right [ExternValue (Just 5)])))
        number_ <- callFunc store extern [] >>= orFail
        number_ @?= [ExternValue (Just 5)]
        let nan = F32Value (0 / 0)
            distinct =
              [ I32Value
                  1,
                I64Value 1,
                F32Value 0,
                F32Value (-0),
                nan,
                F32Value (negate (0 / 0)),
                F64Value 0,
                F64Value (0 / 0),
                V128Value 1 2,
                V128Value 2 1,
                FuncValue Nothing,
                FuncValue (Just f),
                FuncValue (Just g),
                FuncValue (Just other),
                ExternValue Nothing,
                ExternValue (Just 0),
                HostValue 0,
                NullValue AnyHeap,
                NullValue ExnHeap
              ]
        [ (a, b)
          | (x, a) <-
              zip [0 :: Int ..] distinct,
            (y, b) <- zip [0 ..] distinct,
            (a == b) /= (x == y)
          ]
          @?= []
        map
          show
          [ I32Value
              1,
            F32Value (-2.5),
            V128Value 1 255,
            FuncValue Nothing,
            FuncValue (Just f),
            ExternValue (Just 5),
            NullValue ExnHeap
          ]
          @?= [ "I32Value 1",
                "F32Value (-2.5)",
                "V128Value 0x1 0xff",
                "FuncValue Nothing",
                "FuncValue (Just <function [I32] -> [I64]>)",
                "ExternValue (Just 5)",
                "NullValue ExnHeap"
              ]
        map (show . F64Value . castWord64ToDouble) [0x7FF8000000000001, 0xFFF0000000000002]
          @?= ["F64Value nan:0x8000000000001", "F64Value -nan:0x2"],
      testCase "bytes outside of memory are neither read nor written" $ do
        (_, i) <- fresh
        case exportNamed i "memory" of
          Just (ExternMemory m) -> do
            readMemory m 65530 6 >>= (@?= Just (B.replicate 6 0))
            readMemory m 65530 7 >>= (@?= Nothing)
            readMemory m (-1) 1 >>= (@?= Nothing)
            writeMemory m 65535 "ab" >>= (@?= False)
            writeMemory m 65534 "ab" >>= (@?= True)
            readMemory m 65534 2 >>= (@?= Just "ab")
          _ -> assertFailure "no memory"
    ]

-- | A case about what the optimiser leaves.
whereOptimised :: TestName -> Assertion -> TestTree
whereOptimised name body =
  testCaseInfo name $
    lookupEnv "TERN_OPTIMISE" >>= \case
      Just "0" -> pure "skipped: compiled without optimisation"
      _ -> "" <$ body

sumTo :: Integer -> Integer
sumTo n = n * (n + 1) `div` 2

failed :: Either Error a -> IO Text
failed = either (pure . renderError) (const (assertFailure "returned"))

number :: Either Error [Value] -> IO Integer
number = \case
  Right [I32Value n] -> pure (fromIntegral n)
  Right [I64Value n] -> pure (fromIntegral n)
  Right _ -> assertFailure "returned something else"
  Left e -> assertFailure (T.unpack (renderError e))

function :: Instance -> Text -> IO Func
function i name = case exportNamed i name of
  Just (ExternFunc f) -> pure f
  _ -> assertFailure "no such function"

fromText :: ByteString -> IO (Store, Instance)
fromText source = do
  m <- loadText source >>= orFail
  store <- newStore defaultSettings
  i <- instantiate store m noImports >>= orFail
  pure (store, i)

-- | With a name section: the outer function calls one without a name, which
-- divides.
traced :: ByteString
traced =
  "(module (func $divide (param i32) (result i32) (i32.div_s (i32.const 1) (local.get 0)))\n\
  \  (func (param i32) (result i32) (call $divide (local.get 0)))\n\
  \  (func $outer (export \"outer\") (param i32) (result i32) (call 1 (local.get 0)))\n\
  \  (func $loop (export \"loop\") (param i32) (loop $l (br_if $l (local.tee 0 (i32.sub \
  \(local.get 0) (i32.const 1)))))))"

nans :: ByteString
nans =
  "(module\n\
  \  (func (export \"f32\") (param i32) (result i32) (i32.reinterpret_f32 (f32.add \
  \(f32.reinterpret_i32 (local.get 0)) (f32.const 1))))\n\
  \  (func (export \"f64\") (param i64) (result i64) (i64.reinterpret_f64 (f64.sqrt \
  \(f64.reinterpret_i64 (local.get 0)))))\n\
  \  (func (export \"lanes\") (param i64) (result i64) (i64x2.extract_lane 1 (f64x2.mul \
  \(i64x2.splat (local.get 0)) (f64x2.splat (f64.const 2)))))\n\
  \  (func (export \"kept\") (param i32) (result i32) (i32.reinterpret_f32 (f32.neg \
  \(f32.reinterpret_i32 (local.get 0))))))"

-- | An instance of the module below. Its host function refuses 13 and asks the
-- instance for the sum up to any other number.
fresh :: IO (Store, Instance)
fresh = do
  m <- load sample >>= orFail
  store <- newStore defaultSettings {settingPages = 10}
  self <- newEmptyMVar
  host <- hostFunc store (FuncType [I32] [I64]) $ \case
    [I32Value 13] -> pure (Left "no thirteens")
    args -> do
      i <- takeMVar self
      putMVar self i
      either (Left . renderError) Right <$> invoke i "sum" args
  i <-
    instantiate store m (importsFrom "host" [("ask", ExternFunc host)])
      >>= orFail
  putMVar self i
  pure (store, i)

-- | Functions spin, sum, dive, ask and grow, over one page of memory.
sample :: ByteString
sample =
  B.pack $
    [0x00, 0x61, 0x73, 0x6D, 1, 0, 0, 0]
      <> section 1 (vector [[0x60, 0, 0], [0x60, 1, 0x7F, 1, 0x7E], [0x60, 1, 0x7F, 1, 0x7F]])
      <> section 2 (vector [named "host" <> named "ask" <> [0, 1]])
      <> section 3 (vector [[0], [1], [0], [1], [2]])
      <> section 5 (vector [[0, 1]])
      <> section
        7
        ( vector
            ( named "memory" <> [2, 0]
                : [named n <> [0, x] | (n, x) <- zip ["spin", "sum", "dive", "ask", "grow"] [1 ..]]
            )
        )
      <> section 10 (vector (map sized [spin, sum_, dive, ask, grow]))
  where
    spin = [0, 0x03, 0x40, 0x0C, 0, 0x0B, 0x0B]
    sum_ =
      [1, 1, 0x7E, 0x03, 0x40]
        <> [0x20, 1, 0x20, 0, 0xAD, 0x7C, 0x21, 1]
        <> [0x20, 0, 0x41, 1, 0x6B, 0x22, 0, 0x0D, 0, 0x0B]
        <> [0x20, 1, 0x0B]
    dive = [0, 0x10, 3, 0x0B]
    ask = [0, 0x20, 0, 0x10, 0, 0x0B]
    grow = [0, 0x20, 0, 0x40, 0, 0x0B]
    section n body = n : leb (length body) <> body
    vector items = leb (length items) <> concat items
    sized body = leb (length body) <> body
    named text = let b = B.unpack (encodeUtf8 text) in leb (length b) <> b

leb :: Int -> [Word8]
leb n
  | n < 128 = [fromIntegral n]
  | otherwise = fromIntegral (n .&. 127 .|. 128) : leb (n `shiftR` 7)
