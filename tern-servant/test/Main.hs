module Main (main) where

import Tern.ServantTest qualified
import Tern.Testkit.Tally (runSuite)

main :: IO ()
main = runSuite Tern.ServantTest.tests
