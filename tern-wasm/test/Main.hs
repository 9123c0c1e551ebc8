module Main (main) where

import Tern.Testkit.Platform (platforms)
import Tern.Testkit.Tally (runSuite)
import Tern.Wasm.AliasTest qualified
import Tern.Wasm.AmountTest qualified
import Tern.Wasm.ApiTest qualified
import Tern.Wasm.AssemblerTest qualified
import Tern.Wasm.BlockTest qualified
import Tern.Wasm.CollectTest qualified
import Tern.Wasm.CornerTest qualified
import Tern.Wasm.CostTest qualified
import Tern.Wasm.CrossTest qualified
import Tern.Wasm.DeadlineTest qualified
import Tern.Wasm.DistantTest qualified
import Tern.Wasm.EditionTest qualified
import Tern.Wasm.EscapeTest qualified
import Tern.Wasm.FuzzTest qualified
import Tern.Wasm.GeneratedTest qualified
import Tern.Wasm.ImageTest qualified
import Tern.Wasm.InterruptTest qualified
import Tern.Wasm.KeptTest qualified
import Tern.Wasm.LimitTest qualified
import Tern.Wasm.LoadTest qualified
import Tern.Wasm.MeaningTest qualified
import Tern.Wasm.OperandTest qualified
import Tern.Wasm.PairTest qualified
import Tern.Wasm.PeakTest qualified
import Tern.Wasm.PluginTest qualified
import Tern.Wasm.PressureTest qualified
import Tern.Wasm.ProgramTest qualified
import Tern.Wasm.RangeTest qualified
import Tern.Wasm.RowTest qualified
import Tern.Wasm.ScriptTest qualified
import Tern.Wasm.SlotTest qualified
import Tern.Wasm.SmithTest qualified
import Tern.Wasm.SpecTest qualified
import Tern.Wasm.SweepTest qualified
import Tern.Wasm.SystemTest qualified
import Tern.Wasm.TextTest qualified
import Tern.Wasm.ThreadTest qualified
import Tern.Wasm.TierTest qualified
import Tern.Wasm.TraceTest qualified
import Tern.Wasm.TrapTest qualified
import Tern.Wasm.VectorTest qualified
import Tern.Wasm.WasiTest qualified
import Test.Tasty (testGroup)

main :: IO ()
main = do
  scripts <- Tern.Wasm.ScriptTest.tests
  generated <- Tern.Wasm.GeneratedTest.tests
  smith <- Tern.Wasm.SmithTest.tests
  plugins <- Tern.Wasm.PluginTest.tests
  assembler <- Tern.Wasm.AssemblerTest.tests
  runSuite . testGroup "tern-wasm" $
    [ Tern.Wasm.SpecTest.tests,
      scripts,
      Tern.Wasm.TextTest.tests,
      Tern.Wasm.ApiTest.tests,
      Tern.Wasm.LimitTest.tests,
      Tern.Wasm.AmountTest.tests,
      Tern.Wasm.BlockTest.tests,
      Tern.Wasm.LoadTest.tests,
      Tern.Wasm.KeptTest.tests,
      Tern.Wasm.CollectTest.tests,
      Tern.Wasm.SweepTest.tests,
      Tern.Wasm.ImageTest.tests,
      Tern.Wasm.InterruptTest.tests,
      Tern.Wasm.MeaningTest.tests,
      Tern.Wasm.PairTest.tests,
      Tern.Wasm.RowTest.tests,
      Tern.Wasm.SlotTest.tests,
      Tern.Wasm.OperandTest.tests,
      Tern.Wasm.CornerTest.tests,
      Tern.Wasm.TraceTest.tests,
      Tern.Wasm.TrapTest.tests,
      Tern.Wasm.AliasTest.tests,
      Tern.Wasm.ThreadTest.tests,
      Tern.Wasm.WasiTest.tests,
      Tern.Wasm.SystemTest.tests,
      Tern.Wasm.EditionTest.tests,
      Tern.Wasm.EscapeTest.tests,
      Tern.Wasm.DeadlineTest.tests,
      Tern.Wasm.CostTest.tests,
      Tern.Wasm.PeakTest.tests,
      Tern.Wasm.ProgramTest.tests,
      plugins,
      generated,
      Tern.Wasm.CrossTest.tests,
      smith,
      Tern.Wasm.TierTest.tests,
      Tern.Wasm.VectorTest.tests,
      Tern.Wasm.RangeTest.tests,
      Tern.Wasm.PressureTest.tests,
      Tern.Wasm.DistantTest.tests,
      assembler,
      Tern.Wasm.FuzzTest.tests,
      platforms "cbits/tern_wasm_platform.c"
    ]
