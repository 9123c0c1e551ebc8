{-# LANGUAGE OverloadedStrings #-}

-- | The text format's abbreviations, as people write them.
module Tern.Wasm.TextTest
  ( tests,
  )
where

import Data.ByteString (ByteString)
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Wasm
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "text"
    [ testCase "names, folded instructions and inline exports" $
        answers
          "(module (func $fac (export \"fac\") (param $n i64) (result i64)\n\
          \  (if (result i64) (i64.eqz (local.get $n))\n\
          \    (then (i64.const 1))\n\
          \    (else (i64.mul (local.get $n) (call $fac (i64.sub (local.get $n) (i64.const 1))))))))"
          "fac"
          [I64Value 20]
          [I64Value 2432902008176640000],
      testCase "a loop with labels, written flat" $
        answers
          "(func (export \"sum\") (param i32) (result i32) (local $acc i32)\n\
          \  block $done loop $top\n\
          \    local.get 0 i32.eqz br_if $done\n\
          \    local.get $acc local.get 0 i32.add local.set $acc\n\
          \    local.get 0 i32.const 1 i32.sub local.set 0\n\
          \    br $top end $top end $done local.get $acc)"
          "sum"
          [I32Value 100]
          [I32Value 5050],
      testCase "a table with its functions inside, called indirectly" $
        answers
          "(module (type $op (func (param i32 i32) (result i32)))\n\
          \  (table funcref (elem $add $sub)) (; a comment (; in a comment ;) ;)\n\
          \  (func $add (type $op) (i32.add (local.get 0) (local.get 1)))\n\
          \  (func $sub (type $op) (i32.sub (local.get 0) (local.get 1)))\n\
          \  (func (export \"apply\") (param $f i32) (result i32)\n\
          \    (call_indirect (type $op) (i32.const 0x1_0) (i32.const 6) (local.get $f))))"
          "apply"
          [I32Value 1]
          [I32Value 10],
      testCase "memory with its data inside, escapes and all" $
        answers
          "(module (memory (data \"a\\00\\ff\\u{20ac}\\t\"))\n\
          \  (func (export \"at\") (param i32) (result i32) (i32.load8_u (local.get 0))))"
          "at"
          [I32Value 3]
          [I32Value 0xE2],
      testCase "floats in every notation" $
        answers
          "(global $x f64 (f64.const -0x1.8p+1)) (global $y f64 (f64.const 1_000.5e-1))\n\
          \(func (export \"f\") (result f64 f64 f32) global.get $x global.get $y f32.const 1e38)"
          "f"
          []
          [F64Value (-3), F64Value 100.05, F32Value 1e38],
      testCase "an error says where it is" $ do
        outcome <- loadText "(module\n  (func i32.frobnicate))"
        case outcome of
          Left e -> renderError e @?= "malformed text: line 2, column 9: expected an instruction that is known"
          Right _ -> assertFailure "was accepted"
    ]

answers :: ByteString -> Text -> [Value] -> [Value] -> Assertion
answers source name args expected = do
  m <- loadText source >>= orFail
  store <- newStore defaultSettings
  i <- instantiate store m noImports >>= orFail
  results <- invoke i name args >>= orFail
  map shown results @?= map shown expected
  where
    orFail = either (assertFailure . T.unpack . renderError) pure

shown :: Value -> String
shown = \case
  I32Value n -> "i32 " <> show n
  I64Value n -> "i64 " <> show n
  F32Value x -> "f32 " <> show x
  F64Value x -> "f64 " <> show x
  _ -> "another"
