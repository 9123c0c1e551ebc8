{-# LANGUAGE OverloadedStrings #-}

-- | Generated functions with more locals than registers: as native code, as the interpreter
-- and as both take turns, they give the same.
--
-- The environment variable @TERN_WASM_PRESSURE@ sets how many modules there are.
module Tern.Wasm.PressureTest
  ( tests,
  )
where

import Control.Monad (forM, forM_)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding (encodeUtf8)
import Tern.Testkit.Drawn (drawnUnless)
import Tern.Testkit.Tally (skip)
import Tern.Wasm
import Tern.Wasm.Expected (orFail)
import Tern.Wasm.Observed (observed)
import Tern.Wasm.PressureProgram (functions, program)
import Test.Tasty (TestTree)
import Test.Tasty.HUnit

tests :: TestTree
tests
  | not available = skip "more locals than registers" "only on x86-64 under Linux"
  | otherwise = testCaseInfo "more locals than registers, as the interpreter" $ do
      modules <- drawnUnless "TERN_WASM_PRESSURE" 60
      answers <- forM [1 .. modules] $ \seed -> do
        let source = program (fromIntegral seed)
        expected <- given Interpreter source
        forM_ [NativeCode, Auto] $ \tier ->
          given tier source
            >>= assertEqual ("seed " <> show seed <> ", " <> show tier) expected
        pure expected
      let all_ = concat answers
          ended = length (filter ("i64 " `T.isPrefixOf`) all_)
      -- A call that does not end in a number says little.
      assertBool (show (ended, length all_)) (10 * ended >= 9 * length all_)
      pure (show (length all_) <> " calls seen, of which " <> show ended <> " gave a number")

-- | What each function gives, twice: of numbers that are easy, and of those that are not.
given :: Tier -> Text -> IO [Text]
given tier source = do
  bytes <- orFail (binaryOf (encodeUtf8 source))
  m <- loadWith defaultLoading {loadingTier = tier} bytes >>= orFail
  store <- newStore defaultSettings
  i <- instantiate store m noImports >>= orFail
  forM ((,) <$> [easy, odd_] <*> [0 .. functions - 1]) $ \(arguments, k) -> do
    setFuel store 20000000
    outcome <- observed <$> invoke i ("f" <> T.pack (show k)) arguments
    left <- fuelLeft store
    pure (outcome <> T.pack (" " <> show left))
  where
    easy = [I32Value 3, I64Value 5, F32Value 1.5, F64Value 2.25]
    odd_ = [I32Value 0x80000001, I64Value 0x8000000000000001, F32Value (-0.0), F64Value 1e300]
