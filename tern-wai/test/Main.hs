module Main (main) where

import Tern.Testkit.Tally (runSuite)
import Tern.WaiTest qualified

main :: IO ()
main = runSuite Tern.WaiTest.tests
