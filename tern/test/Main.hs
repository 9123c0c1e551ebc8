module Main (main) where

import Tern.DeriveTest qualified
import Tern.Json.ModelTest qualified
import Tern.Json.SuiteTest qualified
import Tern.Testkit.Tally (runSuite)
import Test.Tasty (testGroup)

main :: IO ()
main =
  runSuite . testGroup "tern" $
    [ Tern.DeriveTest.tests,
      Tern.Json.ModelTest.tests,
      Tern.Json.SuiteTest.tests
    ]
