module Main (main) where

import Tern.Testkit.Tally (runSuite)
import Tern.Wasm.ApiTest qualified
import Tern.Wasm.FuzzTest qualified
import Tern.Wasm.ScriptTest qualified
import Tern.Wasm.SpecTest qualified
import Tern.Wasm.TextTest qualified
import Tern.Wasm.WasiTest qualified
import Test.Tasty (testGroup)

main :: IO ()
main = do
  scripts <- Tern.Wasm.ScriptTest.tests
  runSuite . testGroup "tern-wasm" $
    [ Tern.Wasm.SpecTest.tests,
      scripts,
      Tern.Wasm.TextTest.tests,
      Tern.Wasm.ApiTest.tests,
      Tern.Wasm.WasiTest.tests,
      Tern.Wasm.FuzzTest.tests
    ]
