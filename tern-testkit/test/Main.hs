module Main (main) where

import Tern.DevTest qualified
import Tern.House.CheckTest qualified
import Tern.House.DependenciesTest qualified
import Tern.House.LayoutTest qualified
import Tern.House.LinksTest qualified
import Tern.House.ProofsTest qualified
import Tern.House.ShownTest qualified
import Tern.House.UnoptimisedTest qualified
import Tern.House.WidthTest qualified
import Tern.HouseTest qualified
import Tern.MutateTest qualified
import Tern.Testkit.ExamplesTest qualified
import Tern.Testkit.Tally (runInCheckout)
import Tern.Testkit.TallyTest qualified
import Test.Tasty (testGroup)

main :: IO ()
main =
  runInCheckout "house" . pure . testGroup "house" $
    [ Tern.House.CheckTest.tests,
      Tern.House.DependenciesTest.tests,
      Tern.House.LayoutTest.tests,
      Tern.House.LinksTest.tests,
      Tern.House.ProofsTest.tests,
      Tern.House.ShownTest.tests,
      Tern.House.UnoptimisedTest.tests,
      Tern.House.WidthTest.tests,
      Tern.HouseTest.tests,
      Tern.DevTest.tests,
      Tern.MutateTest.tests,
      Tern.Testkit.ExamplesTest.tests,
      Tern.Testkit.TallyTest.tests
    ]
