-- | Instances of other packages' types, and of Haskell's own that aeson has: each in
-- every format, and its JSON beside aeson's.
module Main (main) where

import Tern.Instances.AllocationTest qualified as Allocation
import Tern.Instances.BytesTest qualified as Bytes
import Tern.Instances.CollectionTest qualified as Collection
import Tern.Instances.FixedWidthSchemaTest qualified as FixedWidthSchema
import Tern.Instances.FixedWidthTest qualified as FixedWidth
import Tern.Instances.NumberTest qualified as Number
import Tern.Instances.SpecificationTest qualified as Specification
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
        Number.tests,
        Collection.tests,
        FixedWidth.tests,
        FixedWidthSchema.tests,
        Specification.tests,
        Allocation.tests
      ]
