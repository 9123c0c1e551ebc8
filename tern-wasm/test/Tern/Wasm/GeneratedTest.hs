{-# LANGUAGE OverloadedStrings #-}

-- | Generated programs, run by this engine and by those of "Tern.Wasm.Peers" that are
-- installed.
--
-- A program is a module whose functions compute with all four kinds of number,
-- memory, branches, loops and calls. Both engines run every function in order, and
-- must report the same value or the same trap. The environment
-- variable @TERN_WASM_GENERATED@ sets how many modules there are.
module Tern.Wasm.GeneratedTest
  ( tests,

    -- * Programs
    program,
    functions,
    exported,
  )
where

import Control.Monad (forM, forM_, replicateM, unless)
import Data.ByteString qualified as B
import Data.Int (Int32, Int64)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding (encodeUtf8)
import Data.Word (Word64)
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import Tern.Testkit.Drawn (drawnUnless)
import Tern.Testkit.Tally (skip)
import Tern.Wasm
import Tern.Wasm.Expected (orFail)
import Tern.Wasm.Peers (Peer (..), peers)
import Tern.Wasm.Seed (Draw, below, pick, runDraw)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit

tests :: IO TestTree
tests = do
  rounds <- drawnUnless "TERN_WASM_GENERATED" 30
  testGroup "generated programs" <$> mapM (comparison rounds) peers

comparison :: Int -> Peer -> IO TestTree
comparison rounds peer =
  peerHere peer >>= \case
    Nothing ->
      pure
        ( skip
            name
            ( peerName peer
                <> " is not installed ("
                <> peerSource peer
                <> "): "
                <> show rounds
                <> " modules"
            )
        )
    Just ask -> pure . testCaseInfo name . withSystemTempDirectory "tern-wasm" $ \folder -> do
      modules <- forM [1 .. rounds] $ \seed -> do
        bytes <-
          orFail
            (binaryOf (encodeUtf8 (program (fromIntegral seed))))
        let file = folder </> ("generated-" <> show seed <> ".wasm")
        B.writeFile file bytes
        ours <- running (peerFresh peer) bytes
        pure (file, ours)
      theirs <-
        ask (map fst modules) (map exported [0 .. functions - 1])
          >>= either (\e -> assertFailure (take 300 e)) pure
      length theirs @?= rounds
      forM_ (zip3 [1 :: Int ..] (map snd modules) theirs) $ \(seed, our, their) ->
        unless
          ( length our == length their
              && and (zipWith alike our their)
          )
          (assertEqual ("seed " <> show seed) their our)
      let all_ = concatMap snd modules
      pure
        ( show (length all_)
            <> " functions, of which "
            <> show (length (filter ("trap " `T.isPrefixOf`) all_))
            <> " trapped"
        )
  where
    name = "compared with " <> peerName peer
    alike our their
      | their == "trap not a number that fits" =
          our `elem` ["trap integer overflow", "trap invalid conversion to integer"]
      | otherwise = our == their

-- | What each function gives: in one instance, or in one of its own.
running :: Bool -> B.ByteString -> IO [Text]
running fresh bytes = do
  m <- load bytes >>= orFail
  let instance_ = newStore defaultSettings >>= \store -> instantiate store m noImports >>= orFail
  one <- instance_
  forM [0 .. functions - 1] $ \k -> do
    i <- if fresh then instance_ else pure one
    invoke i (exported k) [] >>= \case
      Right [I32Value n] -> pure (T.pack (show (fromIntegral n :: Int32)))
      Right [I64Value n] -> pure (T.pack (show (fromIntegral n :: Int64)))
      Left (Trapped t _) -> pure ("trap " <> renderTrap t)
      Left e -> pure (renderError e)
      Right _ -> pure "other results"

-- * Programs

functions :: Int
functions = 12

exported :: Int -> Text
exported k = "f" <> T.pack (show k)

-- | Results of even functions are i32, of odd ones i64.
program :: Word64 -> Text
program seed =
  T.unlines
    ( [ "(module (memory (export \"memory\") 1) (global $g (mut i64) (i64.const 7))",
        canonical "f32",
        canonical "f64"
      ]
        <> runDraw (mapM function [0 .. functions - 1]) seed
        <> [")"]
    )

-- | A function that gives its operand, or the canonical NaN for any.
canonical :: Text -> Text
canonical t =
  T.concat
    [ "(func $",
      t,
      " (param ",
      t,
      ") (result ",
      t,
      ") (select (local.get 0) (",
      t,
      ".const nan) (",
      t,
      ".eq (local.get 0) (local.get 0))))"
    ]

function :: Int -> Draw Text
function k = do
  body <- replicateM 4 (statement k 3)
  answer <- expression k 4 result
  pure $
    T.concat
      [ "(func $",
        exported k,
        " (export \"",
        exported k,
        "\") (result ",
        result,
        ") (local i32 i32 i64 i64 f32 f32 f64 f64 i32) ",
        T.unwords body,
        " ",
        answer,
        ")"
      ]
  where
    result = resultOf k

resultOf :: Int -> Text
resultOf k = if even k then "i32" else "i64"

-- | The first local of a type; there are two of each, and a counter.
localOf :: Text -> Int -> Text
localOf t n = T.pack (show (base + n))
  where
    base = case t of
      "i32" -> 0
      "i64" -> 2
      "f32" -> 4
      _ -> 6 :: Int

types :: [Text]
types = ["i32", "i64", "f32", "f64"]

statement :: Int -> Int -> Draw Text
statement k depth =
  below (if depth <= 0 then 3 else 7) >>= \case
    0 -> do
      t <- pick "i32" types
      n <- below 2
      e <- expression k 3 t
      pure (T.concat ["(local.set ", localOf t n, " ", e, ")"])
    1 -> do
      t <- pick "i32" types
      address <- place k 2
      e <- expression k 3 t
      wide <- below 3
      let narrow
            | t == "i32" && wide == 0 = "i32.store8"
            | t == "i64" && wide == 0 = "i64.store16"
            | otherwise = t <> ".store"
          -- A NaN's bits may differ, and memory would show them.
          value = if t == "f32" || t == "f64" then T.concat ["(call $", t, " ", e, ")"] else e
      pure (T.concat ["(", narrow, " ", address, " ", value, ")"])
    2 -> (\e -> T.concat ["(global.set $g ", e, ")"]) <$> expression k 3 "i64"
    3 -> do
      c <- expression k 3 "i32"
      a <- statement k (depth - 1)
      b <- statement k (depth - 1)
      pure (T.concat ["(if ", c, " (then ", a, ") (else ", b, "))"])
    4 -> do
      -- A loop of its own is not nested: the counter is one for all.
      n <- below 20
      a <- statement k 0
      pure
        ( T.concat
            [ "(local.set 8 (i32.const ",
              T.pack (show (n + 1)),
              ")) (loop $l ",
              a,
              " (br_if $l (local.tee 8 (i32.sub (local.get 8) (i32.const 1)))))"
            ]
        )
    5 -> do
      c <- expression k 2 "i32"
      a <- statement k (depth - 1)
      b <- statement k (depth - 1)
      pure (T.concat ["(block $x (block $y (br_table $x $y $x ", c, ")) ", a, ") ", b])
    _ -> do
      c <- expression k 2 "i32"
      a <- statement k (depth - 1)
      pure (T.concat ["(block $o (br_if $o ", c, ") ", a, ")"])

expression :: Int -> Int -> Text -> Draw Text
expression k depth t
  | depth <= 0 = leaf
  | otherwise =
      below 10 >>= \case
        0 -> leaf
        1 -> leaf
        2 -> do
          c <- expression k (depth - 1) "i32"
          a <- sub t
          b <- sub t
          pure (T.concat ["(select ", a, " ", b, " ", c, ")"])
        3 -> do
          c <- expression k (depth - 1) "i32"
          a <- sub t
          b <- sub t
          pure (T.concat ["(if (result ", t, ") ", c, " (then ", a, ") (else ", b, "))"])
        4
          | k > 0,
            t == "i32" || t == "i64" -> do
              callee <- pick 0 [c | c <- [0 .. k - 1], resultOf c == t]
              pure
                ( if resultOf callee == t
                    then T.concat ["(call $", exported callee, ")"]
                    else T.concat ["(", t, ".const 1)"]
                )
        5 -> do
          address <- place k (depth - 1)
          pure (T.concat ["(", t, ".load offset=3 ", address, ")"])
        n
          | n <= 6 -> do
              (drawn, from) <- pick ("i32.eqz", "i32") (unary t)
              traps <- below 20
              let name = if traps == 0 then drawn else T.replace ".trunc_f" ".trunc_sat_f" drawn
              a <- sub from
              pure (T.concat ["(", name, " ", a, ")"])
          | otherwise -> do
              (name, from) <- pick ("i32.add", "i32") (binary t)
              a <- sub from
              b <- if any (`T.isInfixOf` name) ["div_", "rem_"] then divisor from else sub from
              pure (T.concat ["(", name, " ", a, " ", b, ")"])
  where
    sub = expression k (depth - 1)
    divisor from = do
      b <- sub from
      zero <- below 20
      pure (if zero == 0 then b else T.concat ["(", from, ".or ", b, " (", from, ".const 1))"])
    leaf =
      below 3 >>= \case
        0 -> constant t
        1 | t == "i64" -> pure "(global.get $g)"
        _ -> (\n -> T.concat ["(local.get ", localOf t n, ")"]) <$> below 2

-- | An address, in one of forty cases perhaps beyond the memory.
place :: Int -> Int -> Draw Text
place k depth = do
  e <- expression k depth "i32"
  mask <- below 40
  pure
    ( T.concat
        [ "(i32.and ",
          e,
          if mask == 0
            then " (i32.const 0x1ffff))"
            else " (i32.const 0xfff0))"
        ]
    )

constant :: Text -> Draw Text
constant t = (\v -> T.concat ["(", t, ".const ", v, ")"]) <$> pick "0" values
  where
    values
      | t == "i32" = ["0", "1", "-1", "2", "31", "0x7fffffff", "0x80000000", "12345", "0xffff"]
      | t == "i64" =
          [ "0",
            "1",
            "-1",
            "63",
            "0x7fffffffffffffff",
            "0x8000000000000000",
            "0x100000000",
            "987654321"
          ]
      | otherwise =
          [ "0",
            "-0",
            "1",
            "-1.5",
            "0.1",
            "1e30",
            "-1e-30",
            "inf",
            "-inf",
            "nan",
            "2147483648",
            "9.3e18",
            "4.5",
            "-2.5"
          ]

-- | Operators whose result has a type, with the type of their operands. What shows
-- a NaN's bits is left out: they may differ.
unary, binary :: Text -> [(Text, Text)]
unary t = case t of
  "i32" ->
    own ["clz", "ctz", "popcnt", "eqz", "extend8_s", "extend16_s"] "i32"
      <> own ["wrap_i64"] "i64"
      <> [("i64.eqz", "i64")]
      <> own ["trunc_f32_s", "trunc_f32_u", "trunc_sat_f32_s", "trunc_sat_f32_u"] "f32"
      <> own ["trunc_f64_s", "trunc_f64_u", "trunc_sat_f64_s", "trunc_sat_f64_u"] "f64"
  "i64" ->
    own ["clz", "ctz", "popcnt", "extend8_s", "extend16_s", "extend32_s"] "i64"
      <> own ["extend_i32_s", "extend_i32_u"] "i32"
      <> own ["trunc_sat_f32_s", "trunc_sat_f32_u", "trunc_f32_s"] "f32"
      <> own ["trunc_sat_f64_s", "trunc_sat_f64_u", "trunc_f64_u"] "f64"
  "f32" ->
    rounding
      <> own ["convert_i32_s", "convert_i32_u"] "i32"
      <> own ["convert_i64_s", "convert_i64_u"] "i64"
      <> own ["demote_f64"] "f64"
  _ ->
    rounding
      <> own ["convert_i32_s", "convert_i32_u"] "i32"
      <> own ["convert_i64_s", "convert_i64_u"] "i64"
      <> own ["promote_f32"] "f32"
  where
    own names from = [(t <> "." <> n, from) | n <- names]
    rounding = own ["abs", "neg", "ceil", "floor", "trunc", "nearest", "sqrt"] t
binary t
  | t == "i32" =
      integers
        <> compared_ "i32" integerTests
        <> compared_ "i64" integerTests
        <> compared_ "f32" floatTests
        <> compared_ "f64" floatTests
  | t == "i64" = integers
  | otherwise = own ["add", "sub", "mul", "div", "min", "max"] t
  where
    own names from = [(t <> "." <> n, from) | n <- names]
    integers =
      own
        [ "add",
          "sub",
          "mul",
          "div_s",
          "div_u",
          "rem_s",
          "rem_u",
          "and",
          "or",
          "xor",
          "shl",
          "shr_s",
          "shr_u",
          "rotl",
          "rotr"
        ]
        t
    compared_ from names = [(from <> "." <> n, from) | n <- names]
    integerTests = ["eq", "ne", "lt_s", "lt_u", "gt_s", "gt_u", "le_s", "le_u", "ge_s", "ge_u"]
    floatTests = ["eq", "ne", "lt", "gt", "le", "ge"]
