module Main (main) where

import Tern.Lab.Core.AttributionTest qualified
import Tern.Lab.Core.AwaitedTest qualified
import Tern.Lab.Core.BudgetTest qualified
import Tern.Lab.Core.CallsTest qualified
import Tern.Lab.Core.CountedTest qualified
import Tern.Lab.Core.EnclosedTest qualified
import Tern.Lab.Core.FixtureTest qualified
import Tern.Lab.Core.ForeignTest qualified
import Tern.Lab.Core.GeneratedTest qualified
import Tern.Lab.Core.HarmlessTest qualified
import Tern.Lab.Core.LayoutTest qualified
import Tern.Lab.Core.NoticeTest qualified
import Tern.Lab.Core.OtherReportTest qualified
import Tern.Lab.Core.OwnLoopsTest qualified
import Tern.Lab.Core.PlantedTest qualified
import Tern.Lab.Core.SavedTest qualified
import Tern.Lab.Core.ShelfTest qualified
import Tern.Lab.Core.SourceTest qualified
import Tern.Lab.Core.StoryTest qualified
import Tern.Lab.Core.TextTest qualified
import Tern.Lab.Core.TickyTest qualified
import Tern.Lab.Core.TraitsTest qualified
import Tern.Lab.Core.TrialTest qualified
import Tern.Testkit.Tally (runSuite)
import Test.Tasty (testGroup)

main :: IO ()
main =
  runSuite . testGroup "tern-lab core" $
    [ Tern.Lab.Core.HarmlessTest.tests,
      Tern.Lab.Core.ShelfTest.tests,
      Tern.Lab.Core.LayoutTest.tests,
      Tern.Lab.Core.TraitsTest.tests,
      Tern.Lab.Core.BudgetTest.tests,
      Tern.Lab.Core.TextTest.tests,
      Tern.Lab.Core.SourceTest.tests,
      Tern.Lab.Core.TickyTest.tests,
      Tern.Lab.Core.AttributionTest.tests,
      Tern.Lab.Core.OtherReportTest.tests,
      Tern.Lab.Core.CallsTest.tests,
      Tern.Lab.Core.FixtureTest.tests,
      Tern.Lab.Core.AwaitedTest.tests,
      Tern.Lab.Core.CountedTest.tests,
      Tern.Lab.Core.EnclosedTest.tests,
      Tern.Lab.Core.ForeignTest.tests,
      Tern.Lab.Core.GeneratedTest.tests,
      Tern.Lab.Core.OwnLoopsTest.tests,
      Tern.Lab.Core.PlantedTest.tests,
      Tern.Lab.Core.SavedTest.tests,
      Tern.Lab.Core.StoryTest.tests,
      Tern.Lab.Core.TrialTest.tests,
      Tern.Lab.Core.NoticeTest.tests
    ]
