module Main (main) where

import Tern.OpenApiTest qualified
import Tern.PlainTest qualified
import Tern.ServantTest qualified
import Tern.Testkit.Tally (runSuite)
import Test.Tasty (testGroup)

main :: IO ()
main = do
  described <- Tern.OpenApiTest.tests
  runSuite (testGroup "servant" [Tern.ServantTest.tests, Tern.PlainTest.tests, described])
