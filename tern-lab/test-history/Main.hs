module Main (main) where

import Tern.Lab.History.BisectTest qualified
import Tern.Lab.History.MeanwhileTest qualified
import Tern.Lab.History.PageTest qualified
import Tern.Lab.History.PureTest qualified
import Tern.Lab.History.SharingTest qualified
import Tern.Lab.History.SurroundingsTest qualified
import Tern.Lab.History.WhyTest qualified
import Tern.Lab.History.WorkflowTest qualified
import Tern.Lab.HistoryTest qualified
import Tern.Testkit.Tally (runSuite)
import Test.Tasty (testGroup)

main :: IO ()
main =
  runSuite . testGroup "tern-lab history" $
    [ Tern.Lab.History.PureTest.tests,
      Tern.Lab.History.BisectTest.tests,
      Tern.Lab.History.SurroundingsTest.tests,
      Tern.Lab.History.MeanwhileTest.tests,
      Tern.Lab.HistoryTest.tests,
      Tern.Lab.History.WhyTest.tests,
      Tern.Lab.History.SharingTest.tests,
      Tern.Lab.History.PageTest.tests,
      Tern.Lab.History.WorkflowTest.tests
    ]
