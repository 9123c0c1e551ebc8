-- | Types of three hundred constructors. A suite of its own: they cost the compiler what a
-- whole suite costs, and what they say does not depend on its level of optimisation.
module Main (main) where

import Tern.Derive.NamesGenerics qualified
import Tern.Derive.NamesTemplate qualified
import Tern.Derive.SumGenerics qualified
import Tern.Derive.SumTemplate qualified
import Tern.Testkit.Tally (runSuite)
import Test.Tasty (testGroup)

main :: IO ()
main =
  runSuite . testGroup "wide" $
    [ testGroup "three hundred constructors, by generics" Tern.Derive.SumGenerics.tests,
      testGroup "three hundred constructors, by Template Haskell" Tern.Derive.SumTemplate.tests,
      testGroup "three hundred names, by generics" Tern.Derive.NamesGenerics.tests,
      testGroup "three hundred names, by Template Haskell" Tern.Derive.NamesTemplate.tests
    ]
