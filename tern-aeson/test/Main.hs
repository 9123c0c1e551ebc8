module Main (main) where

import Tern.Aeson.DropInTest qualified
import Tern.Aeson.InstancesTest qualified
import Tern.Aeson.MovedTest qualified
import Tern.Aeson.PandocTest qualified
import Tern.AesonTest qualified
import Tern.Testkit.Tally (runSuite)
import Test.Tasty (testGroup)

main :: IO ()
main =
  runSuite
    ( testGroup
        "aeson"
        [ Tern.AesonTest.tests,
          Tern.Aeson.DropInTest.tests,
          Tern.Aeson.InstancesTest.tests,
          Tern.Aeson.PandocTest.tests,
          Tern.Aeson.MovedTest.tests
        ]
    )
