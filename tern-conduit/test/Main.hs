module Main (main) where

import Tern.ConduitTest qualified
import Tern.Testkit.Tally (runSuite)

main :: IO ()
main = runSuite Tern.ConduitTest.tests
