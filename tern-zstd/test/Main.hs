module Main (main) where

import Tern.Testkit.Tally (runSuite)
import Tern.ZstdTest qualified

main :: IO ()
main = runSuite Tern.ZstdTest.tests
