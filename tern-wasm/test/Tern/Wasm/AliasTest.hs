{-# LANGUAGE OverloadedStrings #-}

-- | One memory, or one table, under two indices: a copy from the one to the other may
-- be a copy over itself.
--
-- Copies are done in pieces, from the start or from the end, and what is copied here is
-- longer than two of them. The guest fills, copies and counts what is wrong itself.
module Tern.Wasm.AliasTest
  ( tests,
  )
where

import Control.Monad (forM_)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding (encodeUtf8)
import Tern.Testkit.Allocation (optimised)
import Tern.Wasm
import Tern.Wasm.Expected (orFail)
import Tern.Wasm.Observed (observed)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "imported twice"
    [ testCase
        ( T.unpack what
            <> ", "
            <> show tier
            <> ", from "
            <> show from
            <> " to "
            <> show to
        )
        (copied tier source what from to)
      | (what, source) <- [("memory", memories), ("table", tables)],
        tier <- Interpreter : concat [[NativeCode, Auto] | available],
        (from, to) <- [(0, 1), (200000, 0)] <> concat [others | optimised || what == "memory"]
    ]
  where
    -- Each of a table takes ten seconds where nothing is optimised.
    others = [(1, 0), (0, 1000), (1000, 0), (0, 200000), (5, 5)]

-- | Nothing is wrong after a copy within it; nor after another one, where the tier changes
-- on the way.
copied :: Tier -> Text -> Text -> Int -> Int -> Assertion
copied tier source what from to = do
  store <- newStore defaultSettings
  owner <- compiled owners >>= \m -> instantiate store m noImports >>= orFail
  extern <- maybe (assertFailure "it exports nothing") pure (exportNamed owner what)
  copier <-
    compiled source >>= \m ->
      instantiate store m (importsFrom "a" [("x", extern)]) >>= orFail
  forM_ [1 .. if tier == Auto then 2 else 1 :: Int] . const $
    invoke copier "wrong" [I32Value (fromIntegral from), I32Value (fromIntegral to)] >>= \case
      Right [I32Value n] -> n @?= 0
      other -> assertFailure (T.unpack (observed other))
  where
    compiled text =
      orFail (binaryOf (encodeUtf8 text))
        >>= loadWith defaultLoading {loadingTier = tier}
        >>= orFail

-- | What owns the memory and the table.
owners :: Text
owners = "(module (memory (export \"memory\") 64) (table (export \"table\") 600000 i31ref))"

memories :: Text
memories =
  user
    "(import \"a\" \"x\" (memory 64)) (import \"a\" \"x\" (memory 64))"
    (3000000, 2600000)
    ("(i32.store8 (local.get $i) " <> value "(local.get $i)" <> ")")
    "memory.copy"
    "(i32.load8_u (i32.add (local.get $to) (local.get $i)))"

tables :: Text
tables =
  user
    "(import \"a\" \"x\" (table 600000 i31ref)) (import \"a\" \"x\" (table 600000 i31ref))"
    (600000, 300000)
    ("(table.set 0 (local.get $i) (ref.i31 " <> value "(local.get $i)" <> "))")
    "table.copy"
    "(i31.get_u (table.get 1 (i32.add (local.get $to) (local.get $i))))"

-- | What is at a place, from 0 to 255.
value :: Text -> Text
value place = "(i32.shr_u (i32.mul " <> place <> " (i32.const 0x9E3779B1)) (i32.const 24))"

-- | Given what is imported, how many places are filled and how many copied, how one is
-- filled, what copies, and what is found at a place after it.
user :: Text -> (Int, Int) -> Text -> Text -> Text -> Text
user imports (filled, many) fill copy found =
  T.unlines
    [ "(module " <> imports,
      "  (func (export \"wrong\") (param $from i32) (param $to i32) (result i32)",
      "    (local $i i32) (local $n i32)",
      "    (loop $fill " <> fill <> loopTo "$fill" filled <> ")",
      "    ("
        <> copy
        <> " 1 0 (local.get $to) (local.get $from) (i32.const "
        <> number many
        <> "))",
      "    (local.set $i (i32.const 0))",
      "    (loop $check",
      "      (local.set $n (i32.add (local.get $n) (i32.ne " <> found,
      "        " <> value "(i32.add (local.get $from) (local.get $i))" <> ")))",
      loopTo "$check" many <> ")",
      "    (local.get $n)))"
    ]
  where
    loopTo label end =
      "(br_if "
        <> label
        <> " (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const "
        <> number end
        <> ")))"
    number = T.pack . show
