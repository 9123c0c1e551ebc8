module Main (main) where

import Tern.Http.ClientTest qualified
import Tern.Testkit.Tally (runSuite)

main :: IO ()
main = runSuite Tern.Http.ClientTest.tests
