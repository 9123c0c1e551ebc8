{-# LANGUAGE OverloadedStrings #-}

-- | Limits against code that means harm: in every tier nothing runs on, and nothing
-- takes what it was not given.
module Tern.Wasm.LimitTest
  ( tests,
  )
where

import Control.Monad (forM_, replicateM, when)
import Data.ByteString qualified as B
import Data.Containers.ListUtils (nubOrd)
import Data.Either (fromRight)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding (encodeUtf8)
import Data.Word (Word8)
import GHC.Stats (GCDetails (..), RTSStats (..), getRTSStats)
import System.Mem (performMajorGC)
import System.Timeout (timeout)
import Tern.Wasm
import Tern.Wasm.Allowance (draw)
import Tern.Wasm.Allowance qualified as Allowance
import Tern.Wasm.Code (Lowered (..))
import Tern.Wasm.Compiled (Compiled (..))
import Tern.Wasm.Expected (orFail)
import Tern.Wasm.Lasting (newKeeper)
import Tern.Wasm.Layout (Layout (..))
import Tern.Wasm.Lower (lower)
import Tern.Wasm.Native qualified as Native
import Tern.Wasm.Observed (observed)
import Tern.Wasm.Settings (Account (..))
import Tern.Wasm.Store (Store (..), withTable)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "limits"
    [ testCase "a deadline stops loops over everything that the driver does" $
        forM_ tiers $ \tier -> forM_ bodies $ \(name, body) -> do
          (store, i) <- looping tier body
          setDeadline store (Just 0.02)
          -- Ten seconds: a fault would be endless.
          outcome <- timeout 10000000 (invoke i "f" [])
          case outcome of
            Just (Left (Exhausted TimeExhausted _)) -> pure ()
            Just (Left e) -> assertFailure (name <> ": " <> T.unpack (renderError e))
            _ -> assertFailure (name <> ", " <> show tier <> ": not stopped"),
      testCase "what the driver does counts for when limits are looked at" $
        forM_ tiers $ \tier -> do
          store <- newStore defaultSettings
          -- Six in a row, a thousand times: some jumps, and very much that is left to the driver.
          m <- orFail (binaryOf (encodeUtf8 driving)) >>= loadWith (inTier tier) >>= orFail
          i <- instantiate store m noImports >>= orFail
          sampleStacks store 640
          _ <- invoke i "f" [] >>= orFail
          looks <- sum <$> stackSamples store
          assertBool (show tier <> ": " <> show looks) (looks >= 500),
      testCase "what goes over many bytes takes fuel for them, in whatever slices" $
        forM_ tiers $ \tier -> forM_ lengthy $ \(name, body, least) -> do
          (store, i) <- looping tier body
          setFuel store 1000000000
          invoke i "g" []
            >>= either (assertFailure . (name <>) . T.unpack . renderError) (const (pure ()))
          used <- (1000000000 -) <$> fuelLeft store
          assertBool (name <> ": " <> show used) (used >= least && used < 2 * least + 10)
          -- The same with so little at a time that each is owed.
          (store', i') <- looping tier body
          setFuel store' 100
          given <- continued store' 100 =<< invoke i' "g" []
          left <- fuelLeft store'
          given - left @?= used,
      testCase "jumps and calls take the same fuel, in whatever slices" $
        forM_ tiers $ \tier -> forM_ ["loop", "fib", "table", "tail"] $ \name -> do
          let made =
                newStore defaultSettings >>= \store ->
                  (store,) <$> (madeIn store tier jumping >>= orFail)
          (store, i) <- made
          setFuel store 1000000
          whole <- invoke i name [I32Value 9]
          used <- (1000000 -) <$> fuelLeft store
          assertBool (show used) (used >= 9)
          forM_ [1 .. 25] $ \each -> do
            (store', i') <- made
            setFuel store' each
            given <- continued store' each =<< invoke i' name [I32Value 9]
            left <- fuelLeft store'
            assertEqual
              ( show tier
                  <> ", "
                  <> T.unpack name
                  <> " in "
                  <> show each
                  <> "s, "
                  <> T.unpack (observed whole)
              )
              used
              (given - left),
      testCase "a table that grows by ones is moved a few times" $ do
        (_, i) <- looping Auto "(drop (table.grow $t (ref.null func) (i32.const 1)))"
        case exportNamed i "t" of
          Just (ExternTable t) -> do
            places <-
              replicateM
                2000
                ( invoke i "g" []
                    >>= either
                      (assertFailure . T.unpack . renderError)
                      (const (withTable t (\p _ -> pure p)))
                )
            let moves = length (nubOrd places)
            assertBool (show moves) (moves <= 9)
          _ -> assertFailure "no table",
      testCase "memories have pages together, whoever they belong to" . inEveryTier $ \tier -> do
        store <- newStore defaultSettings {settingPages = 16}
        tooLarge =<< madeIn store tier (moduleWith 2000 "(memory 1)")
        tooLarge =<< madeIn store tier (moduleWith 17 "(memory 1)")
        -- What was refused has taken nothing.
        _ <- madeIn store tier (moduleWith 10 "(memory 1)") >>= orFail
        i <- madeIn store tier (growers "memory" "") >>= orFail
        j <- madeIn store tier (growers "memory" "i64 ") >>= orFail
        grown <- sequence [call i, call j, call j, call i, call j]
        grown @?= ["i32 1", "i64 1", "i64 2", "i32 2", "i64 18446744073709551615"]
        hostMemory store (MemoryType Address32 (Limits 0 Nothing))
          >>= maybe (assertFailure "refused") (const (pure ()))
        hostMemory store (MemoryType Address32 (Limits 1 Nothing))
          >>= maybe (pure ()) (const (assertFailure "was made")),
      testCase "tables have elements together, whoever they belong to" . inEveryTier $ \tier -> do
        store <- newStore defaultSettings {settingElements = 100}
        tooLarge =<< madeIn store tier (moduleWith 20000 "(table 1 funcref)")
        tooLarge =<< madeIn store tier (moduleWith 2 "(table 51 funcref)")
        _ <- madeIn store tier (moduleWith 2 "(table 48 funcref)") >>= orFail
        i <- madeIn store tier (growers "table" "") >>= orFail
        j <- madeIn store tier (growers "table" "i64 ") >>= orFail
        grown <- sequence [call i, call j, call j, call i]
        grown @?= ["i32 1", "i64 1", "i64 18446744073709551615", "i32 4294967295"]
        hostTable store (TableType Address32 (Limits 1 Nothing) FuncRef)
          >>= maybe (pure ()) (const (assertFailure "was made")),
      testCase "what is neither is on the store's account as well" . inEveryTier $ \tier ->
        forM_ parts $ \(name, source) -> do
          store <- newStore defaultSettings {settingHeap = 1000000}
          madeIn store tier source
            >>= either (pure . renderError) (const (assertFailure (name <> " was made")))
            >>= (@?= renderError TooLarge)
          -- Small ones are made until the account is used up, and not without end.
          let again n =
                madeIn store tier (moduleWith 20 "(memory 0)")
                  >>= either (const (pure n)) (const (again (n + 1)))
          made <- again (0 :: Int)
          assertBool (name <> ": " <> show made) (made > 5 && made < 2000),
      testCase "globals of the host are on it" $ do
        store <- newStore defaultSettings {settingHeap = 10000}
        globals <- replicateM 1000 (hostGlobal store Var (I32Value 0))
        let made = length [() | Just _ <- globals]
        assertBool (show made) (made > 10 && made < 1000),
      testCase "what a host holds for a guest is charged and given back" $ do
        store <- newStore defaultSettings {settingHeap = 1000}
        sequence [chargeHeap store 600, chargeHeap store 600, chargeHeap store (-1)]
          >>= (@?= [True, False, False])
        refundHeap store 600
        chargeHeap store 1000 >>= (@?= True),
      testCase "code that is many times as long as its module is on it" . inEveryTier $ \tier ->
        forM_ [manyLocals, manyResults] $ \source -> do
          assertBool (show (B.length source)) (B.length source < 200000)
          store <- newStore defaultSettings {settingHeap = 4000000}
          i <- madeFrom store tier source >>= orFail
          live <- living
          invoke i "f" []
            >>= either (pure . renderError) (const (pure "returned"))
            >>= (@?= "heap exhausted")
          live' <- living
          assertBool (show (live, live')) (live' - live < 20000000)
          -- And the store is as usable as before.
          invoke i "g" [] >>= orFail >>= (@?= 1) . length,
      testCase "what code catches is on it as well" . inEveryTier $ \tier -> do
        store <- newStore defaultSettings
        i <- madeIn store tier (catchingMuch 100000) >>= orFail
        let charged = Allowance.taken (accountHeap (storeAccount store))
        before <- (,) <$> charged <*> living
        invoke i "f" [] >>= orFail >>= (@?= 0) . length
        after <- (,) <$> charged <*> living
        -- So that it is there until now.
        invoke i "f" [] >>= orFail >>= (@?= 0) . length
        let paid = fst after - fst before
        assertBool (show (before, after)) (snd after - snd before < paid + 1000000)
        -- And no more than about twice as much.
        assertBool (show (before, after)) (paid < 2 * (snd after - snd before) + 1000000),
      testCase "native code is on it with what it takes, however much longer than its bytecode" $
        when available $ do
          bytes <- orFail (binaryOf (encodeUtf8 longInNative))
          m <- loadWith defaultLoading {loadingTier = NativeCode} bytes >>= orFail
          (guess, size) <- sizesOf m
          assertBool (show (guess, size)) (size > guess)
          -- There is none where there is a byte less; and nothing is kept of what was drawn.
          forM_ [(size, [0], 0), (size - 1, [], size - 1)] $ \(room, natives, after) -> do
            store <- newStore defaultSettings
            let account = accountNative (storeAccount store)
            all' <- Allowance.left account
            draw account (all' - room) >>= (@?= True)
            another <- loadWith defaultLoading {loadingTier = NativeCode} bytes >>= orFail
            i <- instantiate store another noImports >>= orFail
            invoke i "f" [] >>= orFail >>= (@?= [I32Value 1])
            nativeFunctions another >>= (@?= natives)
            Allowance.left account >>= (@?= after),
      testCase
        "an exception that is thrown on by its reference takes nothing more"
        . inEveryTier
        $ \tier -> do
          store <- newStore defaultSettings {settingHeap = 20000}
          i <- madeIn store tier (rethrowing 20000) >>= orFail
          invoke i "f" [] >>= orFail >>= (@?= 0) . length,
      testCase
        "exceptions that are referred to cost the same each, however many there are"
        . inEveryTier
        $ \tier -> do
          store <- newStore defaultSettings
          i <- madeIn store tier (catching 300000) >>= orFail
          -- A second or so; a look at all of them for each would take minutes.
          outcome <- timeout 60000000 (invoke i "f" [])
          maybe (assertFailure "took too long") (fmap length . orFail) outcome >>= (@?= 0),
      testCase "very many functions take little before they are called" $ do
        let n = 1000000
            -- Each is two bytes long: no locals, and the end.
            functions =
              fst (B.unfoldrN (3 * n) (\k -> Just ([2, 0, 0x0B] !! (k `mod` 3), k + 1)) (0 :: Int))
            source =
              binary
                [ (1, B.pack [1, 0x60, 0, 0]),
                  (3, B.pack (leb n) <> B.replicate n 0),
                  (10, B.pack (leb n) <> functions)
                ]
        assertBool (show (B.length source)) (B.length source < 4100000)
        before <- living
        m <- load source >>= orFail
        after <- living
        nativeFunctions m >>= (@?= [])
        assertBool (show (after - before)) (after - before < 64 * n),
      testCase "an instance that the system has no room for takes nothing" $ do
        store <- newStore defaultSettings {settingPages = maxBound}
        -- The larger memory has 2^48 bytes.
        m <-
          orFail (binaryOf "(module (memory 1) (memory i64 0xFFFFFF00) (table 1000 externref))")
            >>= load
            >>= orFail
        instantiate store m noImports >>= tooLarge
        first_ <- mapM Allowance.taken (accounts store)
        instantiate store m noImports >>= tooLarge
        mapM Allowance.taken (accounts store) >>= (@?= first_)
        take 2 first_ @?= [0, 0],
      testCase "a suspended call goes on once" . inEveryTier $ \tier -> do
        store <- newStore defaultSettings
        i <-
          madeIn
            store
            tier
            "(module (memory (export \"m\") 1) (func (export \"f\") (param i32) (result i32) \
            \(loop $l (i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (i32.const \
            \1))) (br_if $l (local.tee 0 (i32.sub (local.get 0) (i32.const 1))))) (i32.load \
            \(i32.const 0))))"
            >>= orFail
        setFuel store 10
        invoke i "f" [I32Value 100] >>= \case
          Left (OutOfFuel s) -> do
            setFuel store 20
            continue s >>= \case
              Left (OutOfFuel s') -> do
                again <- continue s
                observed again @?= "a suspended call has gone on before, and cannot a second time"
                setFuel store maxBound
                continue s' >>= (@?= "i32 100") . observed
                continue s'
                  >>= ( @?= "a suspended call has gone on before, and cannot a second time"
                      )
                    . observed
              other -> assertFailure (T.unpack (observed other))
          other -> assertFailure (T.unpack (observed other))
        invoke i "f" [I32Value 1] >>= (@?= "i32 101") . observed
    ]
  where
    inEveryTier = forM_ tiers
    inTier tier = defaultLoading {loadingTier = tier}
    driving =
      T.concat
        [ "(module (memory 1 1) (func (export \"f\") (local $n i32) (loop $l ",
          T.replicate 6 "(drop (memory.grow (i32.const 1)))",
          "(br_if $l (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 1))) \
          \(i32.const 1000))))))"
        ]
    accounts :: Store -> [Allowance.Allowance]
    accounts store =
      map ($ storeAccount store) [accountPages, accountElements, accountHeap]
    tooLarge = either ((@?= renderError TooLarge) . renderError) (const (assertFailure "was made"))
    call i = observed <$> invoke i "grow" []
    moduleWith n part = T.concat ["(module ", T.replicate n part, ")"]
    growers kind address =
      T.concat
        [ "(module (",
          kind,
          " $x ",
          address,
          if kind == "table" then "1 funcref)" else "1)",
          " (func (export \"grow\") (result ",
          width address,
          ") ",
          if kind == "table" then "(table.grow $x (ref.null func) (" else "(memory.grow $x (",
          width address,
          ".const 1))))"
        ]
    width address = if T.null address then "i32" else "i64"
    parts =
      [ ("globals", moduleWith 10000 "(global (mut i64) (i64.const 0))"),
        ( "an element segment",
          T.concat
            [ "(module (func $f) (elem func",
              T.replicate 100000 " $f",
              "))"
            ]
        ),
        ("element segments", moduleWith 10000 "(elem func)"),
        ("data segments", moduleWith 10000 "(data)"),
        ("functions", moduleWith 10000 "(func)"),
        ("memories", moduleWith 10000 "(memory 0)"),
        ("tables", moduleWith 10000 "(table 0 funcref)"),
        ("tags", moduleWith 10000 "(tag)"),
        ( "exports",
          T.concat
            [ "(module (func $f)",
              T.concat
                [ "(export \"" <> T.pack (show k) <> "\" (func $f))"
                  | k <-
                      [1 .. 10000 :: Int]
                ],
              ")"
            ]
        )
      ]
    -- Of many locals there is much to set to zero; of many results much to move.
    manyLocals =
      binary
        [ (1, B.pack [2, 0x60, 0, 0, 0x60, 0, 1, 0x7F]),
          (3, B.pack (leb 2002 <> replicate 2001 0 <> [1])),
          (7, B.pack ([2, 1, 0x66, 0] <> leb 2000 <> [1, 0x67, 0] <> leb 2001)),
          ( 10,
            B.pack
              ( leb 2002
                  <> concat (replicate 2000 (sized ([1] <> leb 2000 <> [0x7E, 0x0B])))
                  <> sized ([0] <> concat [0x10 : leb k | k <- [0 .. 1999]] <> [0x0B])
                  <> sized [0, 0x41, 1, 0x0B]
              )
          )
        ]
    manyResults = fromRight B.empty (binaryOf (encodeUtf8 manyResultsText))
    manyResultsText =
      T.concat
        [ "(module (type $r (func (result",
          T.replicate 900 " i32",
          "))) (func (export \"f\") (block $b (type $r) (i32.const 7)",
          T.replicate 900 "(i32.const 1)",
          T.replicate 20000 "(br_if $b (i32.const 0))",
          "(br $b))",
          T.replicate 900 "drop ",
          ") (func (export \"g\") (result i32) (i32.const 1)))"
        ]
    rethrowing n =
      T.concat
        [ "(module (tag $e) (func (export \"f\") (local $n i32) (local $x exnref) (local.set $n \
          \(i32.const ",
          shown n,
          ")) (block $first (result exnref) (try_table (catch_all_ref $first) (throw $e)) \
          \(unreachable)) (local.set $x) (loop $l (block $h (result exnref) (try_table \
          \(catch_all_ref $h) (throw_ref (local.get $x))) (unreachable)) (local.set $x) (br_if \
          \$l (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))))"
        ]
    catching n =
      T.concat
        [ "(module (tag $e) (func (export \"f\") (local $n i32) (local.set $n (i32.const ",
          shown n,
          ")) (loop $l (block $h (result exnref) (try_table (catch_ref $e $h) (throw $e)) \
          \(unreachable)) (drop) (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const \
          \1)))))))"
        ]
    shown :: Int -> Text
    shown = T.pack . show
    binary sections =
      B.concat
        ( B.pack [0, 0x61, 0x73, 0x6D, 1, 0, 0, 0]
            : concat [[B.pack (k : leb (B.length body)), body] | (k, body) <- sections]
        )
    sized body = leb (length body) <> body
    leb :: Int -> [Word8]
    leb k
      | k < 128 = [fromIntegral k]
      | otherwise = fromIntegral (k `mod` 128 + 128) : leb (k `div` 128)
    bodies =
      [ ("table.get", "(drop (table.get $t (i32.const 0)))"),
        ("table.size", "(drop (table.size $t))"),
        ("memory.grow", "(drop (memory.grow (i32.const 0)))"),
        ("memory.fill", "(memory.fill (i32.const 0) (i32.const 1) (i32.const 655360000))"),
        ("host", "(call $host)"),
        ("array", "(drop (array.len (global.get $a)))"),
        ("throw", "(block $h (try_table (catch $e $h) (throw $e)))"),
        ("second memory", "(drop (i32.load $m2 (i32.const 0)))"),
        ("nothing", "")
      ]
    -- And what they take at least.
    lengthy =
      [ ("memory.fill", "(memory.fill (i32.const 0) (i32.const 1) (i32.const 640000))", 10000),
        ("memory.copy", "(memory.copy (i32.const 0) (i32.const 1) (i32.const 640000))", 10000),
        ("memory.grow", "(drop (memory.grow (i32.const 10)))", 10240),
        ("table.fill", "(table.fill $t (i32.const 0) (ref.null func) (i32.const 10))", 1),
        ("table.grow", "(drop (table.grow $t (ref.null func) (i32.const 80000)))", 10000),
        ( "array.fill",
          "(array.fill $bytes (global.get $a) (i32.const 0) (i32.const 7) (i32.const 8000))",
          1000
        )
      ]

tiers :: [Tier]
tiers = Interpreter : concat [[NativeCode, Auto] | available]

-- | An instance of a module in a tier, or why there is none.
madeIn :: Store -> Tier -> Text -> IO (Either Error Instance)
madeIn store tier source = orFail (binaryOf (encodeUtf8 source)) >>= madeFrom store tier

madeFrom :: Store -> Tier -> B.ByteString -> IO (Either Error Instance)
madeFrom store tier bytes = do
  m <- loadWith defaultLoading {loadingTier = tier} bytes >>= orFail
  instantiate store m noImports

-- | Of a module's only function: what is drawn before its native code is made, and what
-- that takes.
sizesOf :: Compiled -> IO (Int, Int)
sizesOf m = do
  keeper <- newKeeper
  l <-
    lower maxBound keeper (compiledOptions m) (compiledValid m) 0
      >>= maybe (assertFailure "was not lowered") pure
  code <- Native.emitted Native.processor (layoutNative (compiledLayout m)) 0 l
  (,) (4096 + 4 * loweredSize l)
    <$> maybe (assertFailure "has no native code") Native.emittedPages code

-- | Loops that are written more than once in native code, of an operator that is many
-- instructions of the processor.
longInNative :: Text
longInNative =
  T.concat
    [ "(module (func (export \"f\") (result i32) (local $i i32) (local $v v128)",
      T.replicate
        2000
        " (loop $l (local.set $v (i32x4.trunc_sat_f32x4_u (local.get $v))) (br_if $l (i32.lt_u \
        \(local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 3))))",
      " (i32.const 1)))"
    ]

-- | One block that catches an exception in very many ways.
catchingMuch :: Int -> Text
catchingMuch n =
  T.concat
    [ "(module (tag $e) (func (export \"f\") (block $h (try_table",
      T.replicate n " (catch $e $h)",
      "))))"
    ]

-- | Bytes that are held.
living :: IO Int
living = do
  performMajorGC
  fromIntegral . gcdetails_live_bytes . gc <$> getRTSStats

-- | A module that does something for ever (f), and once (g).
looping :: Tier -> Text -> IO (Store, Instance)
looping tier body = do
  bytes <- orFail (binaryOf (encodeUtf8 source))
  m <- loadWith defaultLoading {loadingTier = tier} bytes >>= orFail
  store <- newStore defaultSettings
  host <- hostFunc store (FuncType [] []) (const (pure (Right [])))
  i <- instantiate store m (importsFrom "host" [("f", ExternFunc host)]) >>= orFail
  pure (store, i)
  where
    source =
      T.concat
        [ "(module (import \"host\" \"f\" (func $host)) (type $bytes (array (mut i8))) (tag $e)",
          " (memory 10000) (memory $m2 1) (table $t (export \"t\") 10 funcref) (global $a (ref \
          \$bytes) (array.new_default $bytes (i32.const 8000)))",
          " (func (export \"f\") (loop $l ",
          body,
          " (br $l))) (func (export \"g\") ",
          body,
          " (call $end)) (func $end))"
        ]

-- | Loops, calls and branches by a table, each of which an argument bounds.
jumping :: Text
jumping =
  "(module (func (export \"loop\") (param i32) (result i32) (local i32) (loop $l (local.set 1 \
  \(i32.add (local.get 1) (local.get 0))) (br_if $l (local.tee 0 (i32.sub (local.get 0) \
  \(i32.const 1))))) (local.get 1))\
  \(func $fib (export \"fib\") (param i32) (result i32) (if (result i32) (i32.lt_u (local.get \
  \0) (i32.const 2)) (then (local.get 0)) (else (i32.add (call $fib (i32.sub (local.get 0) \
  \(i32.const 1))) (call $fib (i32.sub (local.get 0) (i32.const 2)))))))\
  \(func (export \"table\") (param i32) (result i32) (local i32) (loop $l (local.set 1 (i32.add \
  \(local.get 1) (i32.const 1))) (block $b (br_table $b $l (i32.and (local.tee 0 (i32.sub \
  \(local.get 0) (i32.const 1))) (i32.const 1)))) (br_if $l (local.get 0))) (local.get 1))\
  \(func $tail (export \"tail\") (param i32) (result i32) (if (local.get 0) (then (return_call \
  \$tail (i32.sub (local.get 0) (i32.const 1))))) (i32.const 7)))"

-- | Goes on to the end, with @each@ of fuel at a time; how much was given.
continued :: Store -> Int -> Either Error [Value] -> IO Int
continued store each = go each
  where
    go given = \case
      Left (OutOfFuel s) -> setFuel store each >> continue s >>= go (given + each)
      Left e -> assertFailure (T.unpack (renderError e))
      Right _ -> pure given
