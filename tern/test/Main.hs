module Main (main) where

import Tern.DeriveTest qualified
import Tern.HashMapTest qualified
import Tern.Json.ModelTest qualified
import Tern.Json.SuiteTest qualified
import Tern.Json.TypedTest qualified
import Tern.LimitsTest qualified
import Tern.Testkit.Tally (runSuite)
import Test.Tasty (testGroup)

main :: IO ()
main =
  runSuite . testGroup "tern" $
    [ Tern.DeriveTest.tests,
      Tern.HashMapTest.tests,
      Tern.Json.ModelTest.tests,
      Tern.Json.TypedTest.tests,
      Tern.LimitsTest.tests,
      Tern.Json.SuiteTest.tests
    ]
