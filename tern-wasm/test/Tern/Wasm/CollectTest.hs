{-# LANGUAGE OverloadedStrings #-}

-- | Objects that nobody can reach are taken away, and no others, in every tier.
--
-- What must stay is looked at with a collection before each object, where what was taken
-- away is spoilt: a root that is not looked at shows at once.
module Tern.Wasm.CollectTest
  ( tests,
  )
where

import Control.Concurrent (forkIO, newEmptyMVar, putMVar, takeMVar)
import Control.Monad (forM, forM_, replicateM, replicateM_, void, when)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding (encodeUtf8)
import Data.Word (Word32)
import System.Mem (performMajorGC)
import System.Timeout (timeout)
import Tern.Wasm
import Tern.Wasm.Expected (orFail)
import Tern.Wasm.Observed (observed)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "collected"
    [ testGroup
        "many times the heap runs through"
        [ testCase name . inEveryTier $ \tier -> do
            (_, i) <- made small tier (garbage body)
            gives "i32 300" =<< invoke i "run" [I32Value n]
          | (name, n, body) <- wasted
        ],
      testGroup
        "what stays, with a collection before each object"
        [ testCase name . inEveryTier $ \tier -> do
            (_, i) <- made eager tier source
            gives wanted =<< invoke i "run" [I32Value 40]
            (store, j) <- made eager {settingStack = 32768} tier source
            setFuel store 3
            gives wanted =<< onwards store 3 =<< invoke j "run" [I32Value 40]
          | (name, wanted, source) <- kept
        ],
      testCase "the fuel is the same, whenever it is collected" $ do
        used <- forM [(tier, settings) | tier <- tiers, settings <- [small, eager]] $
          \(tier, settings) -> forM [body | (_, _, body) <- take 3 wasted] $ \body -> do
            (store, i) <- made settings tier (garbage body)
            setFuel store 100000000
            gives "i32 300" =<< invoke i "run" [I32Value 500]
            fuelLeft store
        forM_ (drop 1 used) (\others -> [others] @?= take 1 used),
      testCase "what the host has stays, and what it had goes" . inEveryTier $ \tier -> do
        (_, i) <- made eager tier lists
        one <- invoke i "list" [I32Value 100]
        replicateM_ 3 (invoke i "list" [I32Value 100])
        performMajorGC
        replicateM_ 3 (invoke i "waste" [I32Value 100])
        gives "i32 5050" =<< either (pure . Left) (invoke i "sum") one
        -- A thousand lists of 3200 bytes in a heap of a million.
        (_, j) <- made small tier lists
        forM_ [1 .. 1000 :: Int] $ \k -> do
          list <- invoke j "list" [I32Value 100]
          when (k `mod` 50 == 0) performMajorGC
          gives "i32 5050" =<< either (pure . Left) (invoke j "sum") list,
      testCase
        "an object is equal to itself, as often as it is given \
        \out"
        . inEveryTier
        $ \tier -> do
          (_, i) <- made eager tier lists
          _ <- invoke i "keep" [I32Value 3]
          a <- invoke i "kept" [] >>= orFail
          b <- invoke i "kept" [] >>= orFail
          g <- readGlobal i "g" >>= orFail
          c <- invoke i "list" [I32Value 3] >>= orFail
          (a == b, [g] == a, a == c) @?= (True, True, False),
      testCase "what an uncaught exception has stays" . inEveryTier $ \tier -> do
        (_, i) <- made eager tier lists
        invoke i "throw" [I32Value 100] >>= \case
          Left (UncaughtException _ values _) -> do
            performMajorGC
            -- Others than those that are held, or nobody could tell that they took their place.
            _ <- invoke i "waste" [I32Value 300] >>= orFail
            gives "i32 5050" =<< invoke i "sum" values
          other -> assertFailure (T.unpack (observed other)),
      testCase "what stands in globals, tables and segments stays, of instances that are gone" $ do
        (store, i) <- made eager Interpreter lists
        _ <- invoke i "keep" [I32Value 100]
        -- An instance that imports what another one has, and makes garbage of its own.
        m <- moduleIn Interpreter importing
        j <- instantiate store m (fromInstance "a" i) >>= orFail
        replicateM_ 5 (invoke j "waste" [I32Value 100])
        gives "i32 5050" =<< invoke i "sum" =<< orFail =<< invoke i "kept" []
        gives "i32 77" =<< invoke j "own" [],
      testCase "what a host function was given stays while the guest runs in it" . inEveryTier $
        \tier -> do
          (store, i) <- made eager tier lists
          giving <- hostFunc store (FuncType [anything] [anything]) $ \values -> do
            performMajorGC
            outcome <- invoke i "waste" [I32Value 20]
            pure (either (Left . renderError) (const (Right values)) outcome)
          first <- invoke i "list" [I32Value 100] >>= orFail
          held <- mapM (hostGlobal store Var) first
          m <- moduleIn tier asking
          j <-
            instantiate
              store
              m
              ( importsFrom
                  "h"
                  ( ("f", ExternFunc giving)
                      : [ ( "\
                            \g",
                            ExternGlobal g
                          )
                          | Just g <- held
                        ]
                  )
              )
              >>= orFail
          performMajorGC
          gives "i32 4950" =<< invoke j "run" [I32Value 99]
          -- The global's value is nobody else's any more.
          gives "i32 5050" =<< invoke j "held" [],
      testCase "suspended calls stay whole, however many, and end" . inEveryTier $ \tier -> do
        (store, i) <- made eager {settingStack = 8192} tier lists
        asleep <- forM [1 .. 10 :: Int] $ \k -> do
          setFuel store (10 * k)
          invoke i "both" [I32Value 100] >>= \case
            Left (OutOfFuel s) -> pure s
            other -> assertFailure (T.unpack (observed other))
        performMajorGC
        forM_ asleep $ \s -> do
          setFuel store 100000
          _ <- invoke i "list" [I32Value 100]
          gives "i32 5050" =<< continue s,
      testCase
        "what suspended work copies from stays, though it is \
        \dropped"
        . inEveryTier
        $ \tier ->
          forM_ ["table", "array", "old array"] $ \how -> do
            (store, i) <- made eager {settingStack = 32768} tier segments
            setFuel store (if how == "old array" then 40 else 20)
            asleep <-
              invoke i how [] >>= \case
                Left (OutOfFuel s) -> pure s
                other -> assertFailure (T.unpack (observed other))
            setFuel store 1000000
            _ <- invoke i "drop" [I32Value 50] >>= orFail
            gives "i32 100" =<< continue asleep,
      testCase "suspended calls that nobody has keep nothing" . inEveryTier $ \tier -> do
        (store, i) <- made small {settingStack = 32768} tier lists
        -- Each has an array of 100,000 bytes that is filled in pieces.
        forM_ [1 .. 200 :: Int] $ \k -> do
          setFuel store 100
          _ <- invoke i "large" []
          when (k `mod` 5 == 0) performMajorGC
        setFuel store maxBound
        gives "i32 7" =<< invoke i "large" [],
      testCase "a heap full of what stays ends, and soon" . inEveryTier $ \tier -> do
        (store, i) <- made small tier lists
        -- In a full heap there is no room for its code either.
        _ <- invoke i "empty" [] >>= orFail
        invoke i "fill" [] >>= (@?= "heap exhausted") . said
        -- It stays full while the global leads there.
        invoke i "fill" [] >>= (@?= "heap exhausted") . said
        invoke i "waste" [I32Value 1000000] >>= (`elem'` ["", "heap exhausted"]) . said
        _ <- invoke i "empty" [] >>= orFail
        setFuel store maxBound
        gives "i32 5050"
          =<< either (pure . Left) (invoke i "sum")
          =<< invoke i "list" [I32Value 100],
      testCase "a full heap makes room for an instance" . inEveryTier $ \tier -> do
        (store, i) <- made small tier lists
        _ <- invoke i "empty" [] >>= orFail
        invoke i "fill" [] >>= (@?= "heap exhausted") . said
        m <-
          moduleIn tier (T.concat ["(module ", T.replicate 1000 "(global i32 (i32.const 0))", ")"])
        refusedFirst <- instantiate store m noImports
        either renderError (const "") refusedFirst @?= renderError TooLarge
        _ <- invoke i "empty" [] >>= orFail
        void (instantiate store m noImports >>= orFail),
      testCase "a full heap of one kind makes room for another" . inEveryTier $ \tier -> do
        (_, i) <- made small tier lists
        forM_ [1 .. 10 :: Int] $ \_ -> do
          invoke i "fill" [] >>= (@?= "heap exhausted") . said
          _ <- invoke i "empty" []
          -- 700,000 bytes of a million in one array.
          gives "i32 700000" =<< invoke i "array" [I32Value 700000],
      testCase
        "a deadline is held while it is collected, and nothing is \
        \lost"
        . inEveryTier
        $ \tier -> do
          (store, i) <- made defaultSettings {settingEagerly = True} tier lists
          -- Many nodes, to be gone over for each object.
          (store', j) <- made defaultSettings tier lists
          forM_ [(store, i, 500), (store', j, 300000)] $ \(s, k, n) -> do
            setDeadline s Nothing
            _ <- invoke k "keep" [I32Value n]
            setDeadline s (Just 0.05)
            outcome <- timeout 20000000 (invoke k "for ever" [])
            fmap said outcome @?= Just "time limit exceeded"
            setDeadline s Nothing
            gives (T.pack ("i32 " <> show (n `div` 2 * (n + 1))))
              =<< invoke k "sum"
              =<< orFail
              =<< invoke k "kept" [],
      testCase "who interrupts a collection loses nothing" . inEveryTier $ \tier -> do
        (_, i) <- made eager tier lists
        _ <- invoke i "keep" [I32Value 500]
        forM_ [1 .. 20] $ \k -> timeout (1000 * k) (invoke i "for ever" [])
        gives "i32 125250" =<< invoke i "sum" =<< orFail =<< invoke i "kept" [],
      testCase "another thread reads a global while it changes" . inEveryTier $ \tier -> do
        (_, i) <- made eager tier lists
        _ <- invoke i "keep" [I32Value 5]
        done <- newEmptyMVar
        void . forkIO $ do
          outcome <- timeout 500000 (invoke i "change" [])
          putMVar done outcome
        values <- replicateM 2000 (readGlobal i "g" >>= orFail)
        _ <- takeMVar done
        performMajorGC
        _ <- invoke i "waste" [I32Value 100]
        forM_ values $ \v -> gives "i32 15" =<< invoke i "sum" [v]
    ]
  where
    inEveryTier = forM_ tiers
    anything = Ref (RefType True AnyHeap)
    elem' a as = assertBool (T.unpack a) (a `elem` as)

-- | A heap of a million bytes.
small, eager :: Settings
small = defaultSettings {settingHeap = 1000000}
eager = small {settingEagerly = True}

tiers :: [Tier]
tiers = Interpreter : concat [[NativeCode, Auto] | available]

made :: Settings -> Tier -> Text -> IO (Store, Instance)
made settings tier source = do
  m <- moduleIn tier source
  store <- newStore settings
  (store,) <$> (instantiate store m noImports >>= orFail)

moduleIn :: Tier -> Text -> IO Compiled
moduleIn tier source =
  orFail (binaryOf (encodeUtf8 source)) >>= loadWith defaultLoading {loadingTier = tier} >>= orFail

gives :: Text -> Either Error [Value] -> IO ()
gives wanted outcome = observed outcome @?= wanted

-- | Why it ended, without where.
said :: Either Error [Value] -> Text
said = either renderError (const "")

onwards :: Store -> Int -> Either Error [Value] -> IO (Either Error [Value])
onwards store each = \case
  Left (OutOfFuel s) -> setFuel store each >> continue s >>= onwards store each
  outcome -> pure outcome

-- * Garbage

-- | A loop that makes something of its number and drops it, and a structure that stays.
garbage :: Text -> Text
garbage body =
  T.concat
    [ "(module (type $s (struct (field i32) (field (ref null $s)))) (type $bytes (array (mut \
      \i8))) (type $refs (array (mut (ref null $s)))) (tag $e (param (ref $s))) (func (export \
      \\"run\") (param $n i32) (result i32) (local $keep (ref null $s)) (local.set $keep \
      \(struct.new $s (i32.const 300) (ref.null $s))) (loop $l ",
      body,
      " (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1))))) (struct.get $s 0 \
      \(local.get $keep))))"
    ]

-- | How often, and what.
wasted :: [(String, Word32, Text)]
wasted =
  [ ("structures", 300000, "(drop (struct.new $s (local.get $n) (local.get $keep)))"),
    ("small arrays", 100000, "(drop (array.new $bytes (i32.const 1) (i32.const 50)))"),
    ( "arrays of references",
      50000,
      "(drop (array.new $refs (struct.new $s (local.get $n) (ref.null $s)) (i32.const 20)))"
    ),
    ("arrays of some pages", 5000, "(drop (array.new_default $bytes (i32.const 20000)))"),
    ("large arrays", 500, "(drop (array.new_default $bytes (i32.const 400000)))"),
    ( "arrays of every size",
      10000,
      "(drop (array.new_default $bytes (i32.rem_u (i32.mul (local.get $n) (i32.const 7919)) \
      \(i32.const 9000))))"
    ),
    ( "exceptions",
      50000,
      "(block $h (result (ref $s) exnref) (try_table (catch_ref $e $h) (throw $e (struct.new $s \
      \(local.get $n) (ref.null $s)))) (unreachable)) (drop) (drop)"
    ),
    ( "rings",
      100000,
      "(drop (array.new $refs (local.get $keep) (i32.const 1)))"
    )
  ]

-- * What stays

-- | Each makes a list of the numbers to 40 and adds them up, which is 820, with the list in
-- one place or another while garbage is made.
kept :: [(String, Text, Text)]
kept =
  [ ( "in a local",
      "i32 820",
      node
        <> "(func (export \"run\") (param i32) (result i32) (local (ref null $n)) (local.set 1 \
           \(call $list (local.get 0))) (call $waste (i32.const 5)) (call $sum (local.get 1))))"
    ),
    ( "in operands, of callers too",
      "i32 820",
      node
        <> "(func $down (param i32) (result i32) (if (result i32) (local.get 0) (then (call \
           \$second (struct.new $n (local.get 0) (ref.null $n)) (call $down (i32.sub (local.get \
           \0) (i32.const 1))))) (else (i32.const 0))))\
           \(func $second (param (ref $n) i32) (result i32) (call $waste (i32.const 1)) (i32.add \
           \(struct.get $n $v (local.get 0)) (local.get 1)))\
           \(func (export \"run\") (param i32) (result i32) (call $down (local.get 0))))"
    ),
    ( "in a global, as anything",
      "i32 820",
      node
        <> "(global $g (mut anyref) (ref.null any)) (func (export \"run\") (param i32) (result \
           \i32) (global.set $g (call $list (local.get 0))) (call $waste (i32.const 5)) (call \
           \$sum (ref.cast (ref null $n) (global.get $g)))))"
    ),
    ( "in a table, as the host's",
      "i32 820",
      node
        <> "(table $t 3 externref) (func (export \"run\") (param i32) (result i32) (table.set $t \
           \(i32.const 1) (extern.convert_any (call $list (local.get 0)))) (call $waste \
           \(i32.const 5)) (drop (table.grow $t (table.get $t (i32.const 1)) (i32.const 50))) \
           \(table.set $t (i32.const 1) (ref.null extern)) (call $waste (i32.const 5)) (call \
           \$sum (ref.cast (ref null $n) (any.convert_extern (table.get $t (i32.const 40)))))))"
    ),
    ( "in an element segment",
      "i32 820",
      node
        <> "(type $row (array (mut (ref null $n)))) (elem $x (ref null $n) (item (struct.new $n \
           \(i32.const 820) (ref.null $n)))) (func (export \"run\") (param i32) (result i32) (call \
           \$waste (i32.const 5)) (call $sum (array.get $row (array.new_elem $row $x (i32.const \
           \0) (i32.const 1)) (i32.const 0)))))"
    ),
    ( "in fields beside numbers",
      "i32 820",
      node
        <> "(type $w (struct (field i8) (field v128) (field (mut (ref null $n))) (field f64))) \
           \(func (export \"run\") (param i32) (result i32) (local (ref null $w)) (local.set 1 \
           \(struct.new $w (i32.const 1) (v128.const i64x2 -1 -1) (ref.null $n) (f64.const 1))) \
           \(struct.set $w 2 (local.get 1) (call $list (local.get 0))) (call $waste (i32.const 5)) \
           \(call $sum (struct.get $w 2 (local.get 1)))))"
    ),
    ( "in an array, filled and copied",
      "i32 820",
      node
        <> "(type $row (array (mut (ref null $n)))) (func (export \"run\") (param i32) (result \
           \i32) \
           \(local $a (ref null $row)) (local $b (ref null $row)) (local.set $a (array.new $row \
           \(call $list (local.get 0)) (i32.const 3000))) (call $waste (i32.const 5)) (local.set \
           \$b (array.new_default $row (i32.const 3000))) (array.copy $row $row (local.get $b) \
           \(i32.const 0) (local.get $a) (i32.const 5) (i32.const 2000)) (local.set $a (ref.null \
           \$row)) (call $waste (i32.const 5)) (call $sum (array.get $row (local.get $b) \
           \(i32.const 1999)))))"
    ),
    ( "in an exception that is thrown",
      "i32 820",
      node
        <> "(tag $e (param (ref null $n))) (func $throws (param i32) (throw $e (call $list \
           \(local.get 0)))) (func (export \"run\") (param i32) (result i32) (block $h (result \
           \(ref \
           \null $n)) (try_table (catch $e $h) (call $throws (local.get 0))) (unreachable)) (call \
           \$waste (i32.const 5)) (call $sum)))"
    ),
    ( "in an exception that is referred to, from a table, and thrown again",
      "i32 820",
      node
        <> "(tag $e (param (ref null $n))) (table $t 2 exnref) (func (export \"run\") (param i32) \
           \(result i32) (table.set $t (i32.const 1) (block $h (result exnref) (try_table \
           \(catch_all_ref $h) (throw $e (call $list (local.get 0)))) (unreachable))) (call $waste \
           \(i32.const 5)) (drop (block $i (result exnref) (try_table (catch_all_ref $i) (throw $e \
           \(ref.null $n))) (unreachable))) (block $h (result (ref null $n)) (try_table (catch $e \
           \$h) (throw_ref (table.get $t (i32.const 1)))) (unreachable)) (call $waste (i32.const \
           \5)) (call $sum)))"
    ),
    ( "through a tail call",
      "i32 820",
      node
        <> "(func $again (param i32 (ref null $n)) (result i32) (call $waste (i32.const 1)) (if \
           \(result i32) (local.get 0) (then (return_call $again (i32.sub (local.get 0) (i32.const \
           \1)) (struct.new $n (local.get 0) (local.get 1)))) (else (call $sum (local.get 1))))) \
           \(func (export \"run\") (param i32) (result i32) (return_call $again (local.get 0) \
           \(ref.null $n))))"
    ),
    ( "while a list of fixed elements is made",
      "i32 820",
      node
        <> "(type $row (array (ref null $n))) (func (export \"run\") (param i32) (result i32) \
           \(local $a (ref null $row)) (local.set $a (array.new_fixed $row 3 (call $list \
           \(i32.const 10)) (call $list (i32.const 20)) (call $list (local.get 0)))) (call $waste \
           \(i32.const 5)) (i32.add (i32.sub (call $sum (array.get $row (local.get $a) (i32.const \
           \0))) (i32.const 55)) (call $sum (array.get $row (local.get $a) (i32.const 2))))))"
    )
  ]

-- | Lists of numbers.
node :: Text
node = nodeWith ""

-- | The same with imports.
nodeWith :: Text -> Text
nodeWith imports =
  "(module (type $n (struct (field $v i32) (field $next (mut (ref null $n)))))"
    <> imports
    <> "\
       \(func $list (param i32) (result (ref null $n)) (local $l (ref null $n)) (loop $r \
       \(local.set \
       \$l (struct.new $n (local.get 0) (local.get $l))) (br_if $r (local.tee 0 (i32.sub \
       \(local.get \
       \0) (i32.const 1))))) (local.get $l))\
       \(func $sum (param (ref null $n)) (result i32) (local $s i32) (block $e (loop $r (br_if $e \
       \(ref.is_null (local.get 0))) (local.set $s (i32.add (local.get $s) (struct.get $n $v \
       \(local.get 0)))) (local.set 0 (struct.get $n $next (local.get 0))) (br $r))) \
       \(local.get $s))\
       \(func $waste (param i32) (loop $r (drop (struct.new $n (i32.const 0xBAD) (ref.null $n))) \
       \(br_if $r (local.tee 0 (i32.sub (local.get 0) (i32.const 1))))))"

-- | The same for a host.
lists :: Text
lists =
  node
    <> "(type $bytes (array (mut i8))) (tag $e (param (ref null $n)))\
       \(global $g (export \"g\") (mut (ref null $n)) (ref.null $n)) (table (export \"t\") 1 \
       \anyref)\
       \(export \"list\" (func $list)) (export \"sum\" (func $sum)) (export \"waste\" (func \
       \$waste))\
       \(func (export \"keep\") (param i32) (global.set $g (call $list (local.get 0))))\
       \(func (export \"kept\") (result (ref null $n)) (global.get $g))\
       \(func (export \"empty\") (global.set $g (ref.null $n)))\
       \(func (export \"throw\") (param i32) (throw $e (call $list (local.get 0))))\
       \(func (export \"fill\") (loop $r (global.set $g (struct.new $n (i32.const 1) (global.get \
       \$g))) (br $r)))\
       \(func (export \"for ever\") (loop $r (call $waste (i32.const 1)) (br $r)))\
       \(func (export \"change\") (loop $r (global.set $g (call $list (i32.const 5))) (br $r)))\
       \(func (export \"both\") (param i32) (result i32) (call $sum (call $list (local.get 0))))\
       \(func (export \"array\") (param i32) (result i32) (array.len (array.new_default $bytes \
       \(local.get 0))))\
       \(func (export \"large\") (result i32) (array.get_u $bytes (array.new $bytes (i32.const 7) \
       \(i32.const 100000)) (i32.const 99999))))"

importing :: Text
importing =
  "(module (type $n (struct (field $v i32) (field $next (mut (ref null $n)))))\
  \(import \"a\" \"g\" (global $g (mut (ref null $n)))) (import \"a\" \"t\" (table 1 anyref))\
  \(global $own (ref $n) (struct.new $n (i32.const 77) (ref.null $n)))\
  \(func (export \"own\") (result i32) (struct.get $n $v (global.get $own)))\
  \(func (export \"waste\") (param i32) (loop $r (table.set 0 (i32.const 0) (struct.new $n \
  \(i32.const 5) (global.get $g))) (br_if $r (local.tee 0 (i32.sub (local.get 0) (i32.const \
  \1)))))))"

-- | Two hundred structures in a segment, which is copied to a table and to arrays.
segments :: Text
segments =
  T.concat
    [ node,
      "(type $row (array (mut (ref null $n)))) (table $t 200 (ref null $n)) (elem $x (ref null $n)",
      T.replicate 200 " (item (struct.new $n (i32.const 50) (ref.null $n)))",
      ") (func (export \"table\") (result i32) (table.init $t $x (i32.const 0) (i32.const 0) \
      \(i32.const 200)) (i32.add (call $sum (table.get $t (i32.const 0))) (call $sum (table.get \
      \$t (i32.const 199)))))\
      \(func $ends (param (ref $row)) (result i32) (i32.add (i32.add (call $sum (array.get $row \
      \(local.get 0) (i32.const 0))) (call $sum (array.get $row (local.get 0) (i32.const 199)))) \
      \(i32.sub (array.len (local.get 0)) (i32.const 200))))\
      \(func (export \"array\") (result i32) (call $ends (array.new_elem $row $x (i32.const 0) \
      \(i32.const 200))))\
      \(func (export \"old array\") (result i32) (local $a (ref null $row)) (array.init_elem $row \
      \$x (local.tee $a (array.new_default $row (i32.const 200))) (i32.const 0) (i32.const 0) \
      \(i32.const 200)) (call $ends (ref.as_non_null (local.get $a))))\
      \(func (export \"drop\") (param i32) (elem.drop $x) (call $waste (local.get 0))))"
    ]

-- | Gives a list away and adds up what comes back, and what the host has put into a global.
asking :: Text
asking =
  nodeWith
    "(import \"h\" \"f\" (func $f (param anyref) (result anyref))) (import \"h\" \"g\" (global $g \
    \(mut \
    \(ref $n))))"
    <> "(func (export \"run\") (param i32) (result i32) (call $sum (ref.cast (ref null $n) (call \
       \$f \
       \(call $list (local.get 0))))))\
       \(func (export \"held\") (result i32) (call $sum (global.get $g))))"
