module Main (main) where

import Tern.Cbor.ConversionTest qualified
import Tern.Cbor.DerivedTest qualified
import Tern.Cbor.InteropTest qualified
import Tern.Cbor.ModelTest qualified
import Tern.Cbor.SafetyTest qualified
import Tern.Cbor.SuiteTest qualified
import Tern.Cbor.TagTest qualified
import Tern.Testkit.Tally (runSuite)
import Test.Tasty (testGroup)

main :: IO ()
main =
  runSuite . testGroup "CBOR" $
    [ Tern.Cbor.ModelTest.tests,
      Tern.Cbor.SafetyTest.tests,
      Tern.Cbor.TagTest.tests,
      Tern.Cbor.DerivedTest.tests,
      Tern.Cbor.ConversionTest.tests,
      Tern.Cbor.SuiteTest.tests,
      Tern.Cbor.InteropTest.tests
    ]
