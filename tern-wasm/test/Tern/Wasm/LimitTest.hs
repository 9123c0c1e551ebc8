{-# LANGUAGE OverloadedStrings #-}

-- | Limits against code that means harm: in every tier nothing runs on, and nothing
-- takes what it was not given.
module Tern.Wasm.LimitTest
  ( tests,
  )
where

import Control.Monad (forM_, replicateM)
import Data.Containers.ListUtils (nubOrd)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding (encodeUtf8)
import System.Timeout (timeout)
import Tern.Wasm
import Tern.Wasm.Store (tableElementsAt)
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
      testCase "what goes over many bytes takes fuel for them, in whatever slices" $
        forM_ tiers $ \tier -> forM_ lengthy $ \(name, body, least) -> do
          (store, i) <- looping tier body
          setFuel store 1000000000
          invoke i "g" [] >>= either (assertFailure . (name <>) . T.unpack . renderError) (const (pure ()))
          used <- (1000000000 -) <$> fuelLeft store
          assertBool (name <> ": " <> show used) (used >= least && used < 2 * least + 10)
          -- The same with so little at a time that each is owed.
          (store', i') <- looping tier body
          setFuel store' 100
          given <- continued store' 100 =<< invoke i' "g" []
          left <- fuelLeft store'
          given - left @?= used,
      testCase "a table that grows by ones is moved a few times" $ do
        (_, i) <- looping Auto "(drop (table.grow $t (ref.null func) (i32.const 1)))"
        case exportNamed i "t" of
          Just (ExternTable t) -> do
            places <- replicateM 2000 (invoke i "g" [] >>= either (assertFailure . T.unpack . renderError) (const (tableElementsAt t)))
            let moves = length (nubOrd places)
            assertBool (show moves) (moves <= 9)
          _ -> assertFailure "no table"
    ]
  where
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
        ("array.fill", "(array.fill $bytes (global.get $a) (i32.const 0) (i32.const 7) (i32.const 8000))", 1000)
      ]

tiers :: [Tier]
tiers = Interpreter : concat [[NativeCode, Auto] | available]

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
    orFail = either (assertFailure . T.unpack . renderError) pure
    source =
      T.concat
        [ "(module (import \"host\" \"f\" (func $host)) (type $bytes (array (mut i8))) (tag $e)",
          " (memory 10000) (memory $m2 1) (table $t (export \"t\") 10 funcref) (global $a (ref $bytes) (array.new_default $bytes (i32.const 8000)))",
          " (func (export \"f\") (loop $l ",
          body,
          " (br $l))) (func (export \"g\") ",
          body,
          " (call $end)) (func $end))"
        ]

-- | Goes on to the end, with so much fuel at a time; how much was given.
continued :: Store -> Int -> Either Error [Value] -> IO Int
continued store each = go each
  where
    go given = \case
      Left (OutOfFuel s) -> setFuel store each >> continue s >>= go (given + each)
      Left e -> assertFailure (T.unpack (renderError e))
      Right _ -> pure given
