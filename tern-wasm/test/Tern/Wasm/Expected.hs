-- | What a test needs to go on: a result, or the test fails with the error's own words.
module Tern.Wasm.Expected (orFail) where

import Data.Text qualified as T
import Tern.Wasm (Error, renderError)
import Test.Tasty.HUnit (assertFailure)

orFail :: Either Error a -> IO a
orFail = either (assertFailure . T.unpack . renderError) pure
