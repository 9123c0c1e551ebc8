module Main (main) where

import Tern.Conduit.ContainerTest qualified
import Tern.ConduitTest qualified
import Tern.Testkit.Tally (runSuite)
import Test.Tasty (testGroup)

main :: IO ()
main = runSuite (testGroup "conduit" [Tern.ConduitTest.tests, Tern.Conduit.ContainerTest.tests])
