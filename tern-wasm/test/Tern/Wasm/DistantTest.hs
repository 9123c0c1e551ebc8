{-# LANGUAGE OverloadedStrings #-}

-- | Loads and stores of memories that no register holds, in every tier: each of them, in
-- each kind of memory, at the edges of what is there and beyond.
module Tern.Wasm.DistantTest
  ( tests,
  )
where

import Control.Monad (forM, forM_, when, zipWithM_)
import Data.ByteString qualified as B
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding (encodeUtf8)
import Data.Word (Word64)
import Tern.Wasm
import Tern.Wasm.Expected (orFail)
import Tern.Wasm.Observed (digest, observed)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "memories that no register holds"
    [ testCase name $ do
        let source = accesses wide index
        seen <- forM tiers $ \tier -> do
          m <-
            orFail (binaryOf (encodeUtf8 source))
              >>= loadWith defaultLoading {loadingTier = tier}
              >>= orFail
          store <- newStore defaultSettings
          i <- instantiate store m noImports >>= orFail
          let try_ (export, address, stored) = do
                let argument = if wide then I64Value address else I32Value (fromIntegral address)
                outcome <- invoke i export [argument]
                contents <- if stored then bytesOf i else pure 0
                pure (export, address, observed outcome, contents)
          _ <- invoke i "pattern" [] >>= orFail
          answers <- forM (calls wide) try_
          _ <- invoke i "grow" [] >>= orFail
          grown <- forM (calls wide) try_
          natives <- nativeFunctions m
          pure (tier, answers <> grown, natives)
        case seen of
          (_, wanted, _) : others -> do
            -- Some are done and some are refused, or nothing was tried.
            let trapped = [() | (_, _, outcome, _) <- wanted, "trap" `T.isPrefixOf` outcome]
            assertBool (show (length trapped)) $
              length trapped > 100 && length trapped < length wanted - 100
            forM_ others $ \(tier, answers, natives) -> do
              zipWithM_ (assertEqual (show tier)) wanted answers
              -- Those that are made before they are called.
              when (tier == NativeCode) $
                assertBool (show (length natives)) (length natives >= length (exports wide))
          [] -> assertFailure "no tier"
      | (name, wide, index) <-
          [ ("the second, by 32 bits", False, 1),
            ("the first, by 64 bits", True, 0),
            ("the third, by 64 bits", True, 2)
          ]
    ]
  where
    bytesOf i = case exportNamed i "memory" of
      Just (ExternMemory memory) -> do
        n <- (65536 *) <$> memoryPages memory
        digest 7 . fromMaybe B.empty <$> readMemory memory 0 n
      _ -> assertFailure "no memory"

tiers :: [Tier]
tiers = Interpreter : concat [[NativeCode, Auto] | available]

-- | The names of instructions, what they are over, and what is stored.
loads, stores :: [(Text, Word64)]
loads =
  [ ("i32.load", 4),
    ("i64.load", 8),
    ("f32.load", 4),
    ("f64.load", 8),
    ("i32.load8_s", 1),
    ("i32.load8_u", 1),
    ("i32.load16_s", 2),
    ("i32.load16_u", 2),
    ("i64.load8_s", 1),
    ("i64.load8_u", 1),
    ("i64.load16_s", 2),
    ("i64.load16_u", 2),
    ("i64.load32_s", 4),
    ("i64.load32_u", 4)
  ]
stores =
  [ ("i32.store", 4),
    ("i64.store", 8),
    ("f32.store", 4),
    ("f64.store", 8),
    ("i32.store8", 1),
    ("i32.store16", 2),
    ("i64.store8", 1),
    ("i64.store16", 2),
    ("i64.store32", 4)
  ]

offsets :: Bool -> [Word64]
offsets wide =
  [0, 3, 65528, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF]
    <> concat [[0x100000000, 0x7FFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFF8] | wide]

-- | A function for each instruction and offset, over its address.
exports :: Bool -> [(Text, Text, Word64, Word64, Bool)]
exports wide =
  [ (T.concat [op, "+", shown offset], op, n, offset, stored)
    | (ops, stored) <- [(loads, False), (stores, True)],
      (op, n) <- ops,
      offset <- offsets wide
  ]

-- | And whether it stores.
calls :: Bool -> [(Text, Word64, Bool)]
calls wide =
  [ (export, address, stored)
    | (export, _, n, offset, stored) <- exports wide,
      address <-
        -- At the end of a page with the offset, and without; around what can be counted.
        [65535 - offset - n + k | k <- [0, 1, 2]]
          <> [0, 65536 - n, 65537 - n, if wide then maxBound else 0xFFFFFFFF]
          <> concat [[negate offset, 0x100000008] | wide]
  ]

accesses :: Bool -> Int -> Text
accesses wide index =
  T.concat $
    ["(module "]
      <> [ T.concat
             [ "(memory ",
               if k == index then "$m (export \"memory\") " else "",
               if k == index && wide then "i64 " else "",
               "1 3)"
             ]
           | k <- [0 .. 2]
         ]
      <> [ T.concat
             [ "(func (export \"",
               export,
               "\") (param ",
               word,
               ") ",
               if stored
                 then T.concat ["(", op, at, " (local.get 0) (", value op, "))"]
                 else T.concat ["(result ", T.take 3 op, ") (", op, at, " (local.get 0))"],
               ")"
             ]
           | (export, op, _, offset, stored) <- exports wide,
             let at = T.concat [" $m offset=", shown offset]
         ]
      <> [ "(func (export \"pattern\") (local $a ",
           word,
           ") (loop $l (i64.store $m (local.get $a) (i64.mul (i64.const 0x9E3779B97F4A7C15) ",
           if wide then "(local.get $a)" else "(i64.extend_i32_u (local.get $a))",
           ")) (br_if $l (",
           word,
           ".lt_u (local.tee $a (",
           word,
           ".add (local.get $a) (",
           word,
           ".const 8))) (",
           word,
           ".const 65536))))) (func (export \"grow\") (drop (memory.grow $m (",
           word,
           ".const 1)))))"
         ]
  where
    word = if wide then "i64" else "i32"
    value op
      | "i32" `T.isPrefixOf` op = "i32.const 0x87654321"
      | "i64" `T.isPrefixOf` op = "i64.const 0x8765432112345678"
      | "f32" `T.isPrefixOf` op = "f32.const -1.5"
      | otherwise = "f64.const -2.25"

shown :: Word64 -> Text
shown = T.pack . show
