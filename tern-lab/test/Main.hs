module Main (main) where

import Tern.Lab.BenchmarkTest qualified
import Tern.Lab.CommandTest qualified
import Tern.Lab.CompareTest (startedAgain)
import Tern.Lab.CompareTest qualified
import Tern.Lab.ContainerTest qualified
import Tern.Lab.IntervalTest qualified
import Tern.Lab.MeasureTest qualified
import Tern.Lab.PlanTest qualified
import Tern.Lab.ReportTest qualified
import Tern.Lab.SchemaTest qualified
import Tern.Lab.StatsTest qualified
import Tern.Testkit.Tally (runSuite)
import Test.Tasty (testGroup)

main :: IO ()
main = do
  startedAgain
  runSuite . testGroup "lab" $
    [ Tern.Lab.StatsTest.tests,
      Tern.Lab.IntervalTest.tests,
      Tern.Lab.MeasureTest.tests,
      Tern.Lab.CompareTest.tests,
      Tern.Lab.BenchmarkTest.tests,
      Tern.Lab.PlanTest.tests,
      Tern.Lab.ReportTest.tests,
      Tern.Lab.CommandTest.tests,
      Tern.Lab.ContainerTest.tests,
      Tern.Lab.SchemaTest.tests
    ]
