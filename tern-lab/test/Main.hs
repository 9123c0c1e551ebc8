module Main (main) where

import System.Environment (getArgs, withArgs)
import Tern.Lab.Benchmark (labMain)
import Tern.Lab.BenchmarkTest (apart)
import Tern.Lab.BenchmarkTest qualified
import Tern.Lab.BenchmarksTest (own)
import Tern.Lab.BenchmarksTest qualified
import Tern.Lab.CommandTest qualified
import Tern.Lab.CompareTest (startedAgain)
import Tern.Lab.CompareTest qualified
import Tern.Lab.ContainerTest qualified
import Tern.Lab.GrowthTest qualified
import Tern.Lab.HostileTest qualified
import Tern.Lab.IntervalTest qualified
import Tern.Lab.MeasureTest qualified
import Tern.Lab.PageTest qualified
import Tern.Lab.PlanTest qualified
import Tern.Lab.ProgramsTest qualified
import Tern.Lab.ReportTest qualified
import Tern.Lab.SchemaTest qualified
import Tern.Lab.SheetTest qualified
import Tern.Lab.StatsTest qualified
import Tern.Lab.WinnerTest qualified
import Tern.Testkit.Tally (runSuite)
import Test.Tasty (testGroup)

main :: IO ()
main = do
  startedAgain
  getArgs >>= \case
    -- As a benchmark program that was asked to measure one alone.
    "--alone" : _ -> labMain apart
    -- As any benchmark program, with the options after this one.
    "--benchmarks" : options -> withArgs options (labMain own)
    _ -> suite

suite :: IO ()
suite =
  runSuite . testGroup "lab" $
    [ Tern.Lab.StatsTest.tests,
      Tern.Lab.IntervalTest.tests,
      Tern.Lab.WinnerTest.tests,
      Tern.Lab.MeasureTest.tests,
      Tern.Lab.CompareTest.tests,
      Tern.Lab.BenchmarkTest.tests,
      Tern.Lab.BenchmarksTest.tests,
      Tern.Lab.PlanTest.tests,
      Tern.Lab.GrowthTest.tests,
      Tern.Lab.HostileTest.tests,
      Tern.Lab.SheetTest.tests,
      Tern.Lab.PageTest.tests,
      Tern.Lab.ProgramsTest.tests,
      Tern.Lab.ReportTest.tests,
      Tern.Lab.CommandTest.tests,
      Tern.Lab.ContainerTest.tests,
      Tern.Lab.SchemaTest.tests
    ]
