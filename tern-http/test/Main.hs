module Main (main) where

import Tern.Negotiate.ModelTest qualified
import Tern.Negotiate.SuiteTest qualified
import Tern.NegotiateTest qualified
import Tern.Testkit.Tally (runSuite)
import Test.Tasty

main :: IO ()
main =
  runSuite $
    testGroup
      "http"
      [ Tern.NegotiateTest.tests,
        Tern.Negotiate.ModelTest.tests,
        Tern.Negotiate.SuiteTest.tests
      ]
