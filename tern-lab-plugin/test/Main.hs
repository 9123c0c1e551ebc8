module Main (main) where

import Tern.Lab.PluginTest qualified
import Tern.Testkit.Tally (runSuite)

main :: IO ()
main = Tern.Lab.PluginTest.tests >>= runSuite
