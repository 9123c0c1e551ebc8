{-# LANGUAGE OverloadedStrings #-}

-- | The text format's abbreviations, as people write them.
module Tern.Wasm.TextTest
  ( tests,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Wasm
import Tern.Wasm.Expected (orFail)
import Tern.Wasm.Text.Script (Outcome (..), runScript)
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
          \    (else (i64.mul (local.get $n) (call $fac (i64.sub (local.get $n) (i64.const \
          \1))))))))"
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
      testCase "an element list after a table that is named says func" $ do
        let read_ list =
              either (const False) (const True) . binaryOf $
                "(module (func) (table 1 funcref) (elem " <> list <> "))"
        map read_ ["(table 0) (i32.const 0) func 0", "0 (i32.const 0) 0", "(i32.const 0) 0"]
          @?= [True, True, True]
        map read_ ["(table 0) (i32.const 0) 0", "declare 0", "0"] @?= [False, False, False],
      testCase "a script: every command, and an assertion that is wrong" $ do
        outcome <-
          runScript
            defaultSettings
            "(module $m (memory (export \"memory\") 1 1)\n\
            \  (func (export \"div\") (param i32 i32) (result i32) (i32.div_s (local.get 0) \
            \(local.get 1)))\n\
            \  (func (export \"nan\") (result f32) (f32.sqrt (f32.const -1)))\n\
            \  (func $down (export \"down\") (call $down)))\n\
            \(assert_return (invoke \"div\" (i32.const 7) (i32.const -2)) (i32.const -3))\n\
            \(assert_return (invoke \"nan\") (f32.const nan:canonical))\n\
            \(assert_trap (invoke \"div\" (i32.const 1) (i32.const 0)) \"integer divide by \
            \zero\")\n\
            \(assert_exhaustion (invoke \"down\") \"call stack exhausted\")\n\
            \(register \"m\" $m)\n\
            \(module (import \"m\" \"memory\" (memory 1 1)) (import \"spectest\" \"global_i32\" \
            \(global $g i32)) (export \"g\" (global $g)))\n\
            \(assert_return (get \"g\") (i32.const 666))\n\
            \(assert_unlinkable (module (import \"m\" \"memory\" (memory 2))) \"incompatible\")\n\
            \(assert_invalid (module (func (result i32))) \"type mismatch\")\n\
            \(assert_malformed (module quote \"(func\") \"unclosed\")\n\
            \(assert_malformed (module binary \"\\00asn\") \"magic\")\n\
            \(assert_return (invoke $m \"div\" (i32.const 7) (i32.const 2)) (i32.const 4))"
        case outcome of
          Left e -> assertFailure (T.unpack e)
          Right outcomes -> do
            length outcomes @?= 13
            [(outcomeLine o, c) | o <- outcomes, Just c <- [outcomeComplaint o]]
              @?= [(16, "found i32:3")],
      testCase "annotations that are custom sections stand where they say" $ do
        let section name bytes =
              B.concat ["\0", B.pack [fromIntegral (2 + B.length bytes), 1], name, bytes]
            head_ = "\0asm\1\0\0\0"
            types = "\1\4\1\x60\0\0"
            binary source = either (const Nothing) Just (binaryOf source)
        binary
          "(module (@custom \"a\" (after type) \"xy\") (@custom \"b\" \"z\" \"z\") (@custom \"c\" \
          \(before first)) (type (func (@custom in other places it is skipped))) (@custom \"d\" \
          \(before data) \"\\00\"))"
          @?= Just
            ( B.concat
                [ head_,
                  section "c" "",
                  types,
                  section "a" "xy",
                  section "d" "\0",
                  section "b" "zz"
                ]
            )
        map
          binary
          [ "(module (@custom))",
            "(module (@custom \"a\" (after nothing)))",
            "(module (@custom \"a\" (before last)))",
            "(module (@custom \"a\" 7))",
            "(module (@custom \"\\ff\"))",
            "(module ( @custom \"a\"))"
          ]
          @?= replicate 6 Nothing,
      testCase "an error says where it is" $ do
        outcome <- loadText "(module\n  (func i32.frobnicate))"
        case outcome of
          Left e ->
            renderError e
              @?= "malformed text: line 2, column 9: expected an instruction that is known"
          Right _ -> assertFailure "was accepted",
      testGroup
        "what is no UTF-8 is said where it stands"
        [ testCase (show (start, rest)) $ do
            outcome <- loadText (start <> rest)
            either (Just . renderError) (const Nothing) outcome
              @?= Just
                ( T.concat
                    ["malformed text: line ", line, ", column ", column, ": expected UTF-8"]
                )
          | (start, line, column) <-
              [ ("", "1", "1"),
                ("(module)\n;; \xC3\xA9 \xF0\x9F\x90\xA6", "2", "11"),
                (";; \x7F", "1", "5")
              ],
            -- A byte that goes on, an end too early, two bytes for one, a surrogate, what is
            -- beyond the last.
            rest <- ["\x80", "\xE2\x82", "\xC0\x80)", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xFF"]
        ]
    ]

answers :: ByteString -> Text -> [Value] -> [Value] -> Assertion
answers source name args expected = do
  m <- loadText source >>= orFail
  store <- newStore defaultSettings
  i <- instantiate store m noImports >>= orFail
  results <- invoke i name args >>= orFail
  map shown results @?= map shown expected

shown :: Value -> String
shown = \case
  I32Value n -> "i32 " <> show n
  I64Value n -> "i64 " <> show n
  F32Value x -> "f32 " <> show x
  F64Value x -> "f64 " <> show x
  _ -> "another"
