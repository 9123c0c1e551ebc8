module Main (main) where

import Tern.Testkit.Tally (runSuite)
import Tern.Values.CanonicalTest qualified
import Tern.Values.ChunksTest qualified
import Tern.Values.DeepTest qualified
import Tern.Values.DeferredTest qualified
import Tern.Values.DiffTest qualified
import Tern.Values.DirectTest qualified
import Tern.Values.FileTest qualified
import Tern.Values.IntegerTest qualified
import Tern.Values.LayoutTest qualified
import Tern.Values.LensTest qualified
import Tern.Values.LongTextTest qualified
import Tern.Values.MembersTest qualified
import Tern.Values.MendedTest qualified
import Tern.Values.MergeTest qualified
import Tern.Values.NumeralTest qualified
import Tern.Values.PatchTest qualified
import Tern.Values.PointerTest qualified
import Tern.Values.PolicyTest qualified
import Tern.Values.SteppedTest qualified
import Tern.Values.TargetTest qualified
import Test.Tasty (testGroup)

main :: IO ()
main =
  Tern.Values.TargetTest.orWriter . runSuite . testGroup "values" $
    [ Tern.Values.IntegerTest.tests,
      Tern.Values.NumeralTest.tests,
      Tern.Values.LongTextTest.tests,
      Tern.Values.MembersTest.tests,
      Tern.Values.PointerTest.tests,
      Tern.Values.PatchTest.tests,
      Tern.Values.MergeTest.tests,
      Tern.Values.CanonicalTest.tests,
      Tern.Values.DiffTest.tests,
      Tern.Values.DirectTest.tests,
      Tern.Values.LayoutTest.tests,
      Tern.Values.LensTest.tests,
      Tern.Values.FileTest.tests,
      Tern.Values.TargetTest.tests,
      Tern.Values.DeepTest.tests,
      Tern.Values.DeferredTest.tests,
      Tern.Values.PolicyTest.tests,
      Tern.Values.MendedTest.tests,
      Tern.Values.ChunksTest.tests,
      Tern.Values.SteppedTest.tests
    ]
