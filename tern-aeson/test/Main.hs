module Main (main) where

import Tern.Aeson.DropInTest qualified
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
          Tern.Aeson.PandocTest.tests
        ]
    )
