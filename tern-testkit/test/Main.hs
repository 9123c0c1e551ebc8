module Main (main) where

import Tern.House.CheckTest qualified
import Tern.House.LayoutTest qualified
import Tern.HouseTest qualified
import Tern.Testkit.ExamplesTest qualified
import Tern.Testkit.Tally (runSuite)
import Test.Tasty (testGroup)

main :: IO ()
main =
  runSuite . testGroup "house" $
    [ Tern.House.CheckTest.tests,
      Tern.House.LayoutTest.tests,
      Tern.HouseTest.tests,
      Tern.Testkit.ExamplesTest.tests
    ]
