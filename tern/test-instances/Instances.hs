-- | Instances of other packages' types, and of Haskell's own that aeson has: each in
-- every format, and its JSON beside aeson's.
module Main (main) where

import Tern.Instances.AllocationTest qualified as Allocation
import Tern.Instances.BytesTest qualified as Bytes
import Tern.Instances.TimeTest qualified as Time
import Tern.Testkit.Tally (runSuite)
import Test.Tasty

main :: IO ()
main =
  runSuite $
    testGroup
      "instances"
      [ Bytes.tests,
        Time.tests,
        Allocation.tests
      ]
