module Main (main) where

import Tern.Options.AgreeTest qualified
import Tern.Options.ComposedTest qualified
import Tern.Options.ErrorsTest qualified
import Tern.Options.FieldTest qualified
import Tern.Options.GoldenTest qualified
import Tern.Options.LawsTest qualified
import Tern.Options.RefusedTest qualified
import Tern.Options.SchemaTest qualified
import Tern.Options.UntaggedTest qualified
import Tern.Testkit.Tally (runSuite)
import Test.Tasty (testGroup)

main :: IO ()
main =
  runSuite . testGroup "options" $
    [ Tern.Options.AgreeTest.tests,
      Tern.Options.ComposedTest.tests,
      Tern.Options.ErrorsTest.tests,
      Tern.Options.FieldTest.tests,
      Tern.Options.GoldenTest.tests,
      Tern.Options.LawsTest.tests,
      Tern.Options.RefusedTest.tests,
      Tern.Options.SchemaTest.tests,
      Tern.Options.UntaggedTest.tests
    ]
