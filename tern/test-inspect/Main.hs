module Main (main) where

import Tern.Inspect.ByHand qualified
import Tern.Inspect.Ceilings qualified
import Tern.Inspect.Generics qualified
import Tern.Inspect.Instances qualified
import Tern.Inspect.Native qualified
import Tern.Inspect.Options qualified
import Tern.Inspect.Result (whenOptimised)
import Tern.Inspect.Runs qualified
import Tern.Inspect.Template qualified
import Tern.Testkit.Tally (runSuite)
import Test.Tasty (testGroup)

main :: IO ()
main =
  runSuite . testGroup "compiled code" $
    [ whenOptimised "by generics" Tern.Inspect.Generics.tests,
      whenOptimised "by Template Haskell" Tern.Inspect.Template.tests,
      whenOptimised "by options as types" Tern.Inspect.Options.tests,
      whenOptimised "of types with parameters" Tern.Inspect.Instances.tests,
      whenOptimised "by hand" Tern.Inspect.ByHand.tests,
      whenOptimised "ceilings of allocation" Tern.Inspect.Ceilings.tests,
      whenOptimised "runs" Tern.Inspect.Runs.tests,
      whenOptimised "native" Tern.Inspect.Native.tests
    ]
