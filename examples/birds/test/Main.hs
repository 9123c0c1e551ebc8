module Main (main) where

import Birds.ServiceTest qualified
import Tern.Testkit.Tally (runSuite)

main :: IO ()
main = Birds.ServiceTest.tests >>= runSuite
