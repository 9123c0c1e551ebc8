module Main (main) where

import Tern.Http.CodingTest qualified
import Tern.Http.CostTest qualified
import Tern.Http.ExchangeTest qualified
import Tern.Http.HostileTest qualified
import Tern.Http.LiveTest qualified
import Tern.Http.MemoryTest qualified
import Tern.Http.RulesTest qualified
import Tern.Http.SeriesTest qualified
import Tern.Http.SoakTest qualified
import Tern.Http.TranslateTest qualified
import Tern.Http.TurnsTest qualified
import Tern.Http.WarpTest qualified
import Tern.Http.ZstdTest qualified
import Tern.Negotiate.ConditionTest qualified
import Tern.Negotiate.ModelTest qualified
import Tern.Negotiate.RowsTest qualified
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
        Tern.Negotiate.SuiteTest.tests,
        Tern.Negotiate.RowsTest.tests,
        Tern.Negotiate.ConditionTest.tests,
        Tern.Http.ZstdTest.tests,
        Tern.Http.CodingTest.tests,
        Tern.Http.ExchangeTest.tests,
        Tern.Http.RulesTest.tests,
        Tern.Http.SeriesTest.tests,
        Tern.Http.LiveTest.tests,
        Tern.Http.TranslateTest.tests,
        Tern.Http.TurnsTest.tests,
        Tern.Http.WarpTest.tests,
        Tern.Http.HostileTest.tests,
        Tern.Http.CostTest.tests,
        Tern.Http.MemoryTest.tests,
        Tern.Http.SoakTest.tests
      ]
