-- | Cabal files, decision 006 and the toolchain's list agree, and a name that one
-- of them lacks is seen.
module Tern.House.DependenciesTest (tests) where

import Data.Set qualified as Set
import Tern.House.Dependencies
  ( Dependencies (..),
    dependsOf,
    disagreements,
    librariesOf,
    readDependencies,
    readUnbounded,
    tablesOf,
    unboundedIn,
  )
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (assertBool, testCase, (@?=))

tests :: TestTree
tests =
  testGroup
    "dependencies"
    [ testCase "cabal files, decision 006 and the toolchain's list have the same names" $ do
        found <- readDependencies ".."
        assertBool "no dependencies were found" (Set.size (depended found) > 20)
        unlines (disagreements found) @?= "",
      testCase "what is published has bounds on both sides" $
        readUnbounded ".." >>= (@?= "") . unlines,
      testCase "a bound that is missing is told" $
        unboundedIn
          ( unlines
              [ "name:   p",
                "library",
                "  build-depends:",
                "    , base >=4.18 && <4.21",
                "    , p:part",
                "    -- Why.",
                "    , text >=2.0",
                "    , vector",
                "    , tern ==0.1.*",
                "test-suite t",
                "  build-depends:",
                "    , tasty"
              ]
          )
          @?= [ "p, library: text has no upper bound",
                "p, library: vector has no lower bound",
                "p, library: vector has no upper bound"
              ],
      testCase "a cabal file's lists, with bounds and parts of packages" $
        dependsOf
          ( unlines
              [ "library",
                "  build-depends:",
                "    , base >=4.18 && <5",
                "    , tern:prim",
                "  other-modules: X",
                "test-suite t",
                "  build-depends: text, vector"
              ]
          )
          @?= Set.fromList ["base", "tern", "text", "vector"],
      testCase "a page's two tables, with several names in a row" $
        tablesOf
          ( unlines
              [ "| package | used |",
                "|---|---|",
                "| wai, http-types | x |",
                "| store; cborg | y |",
                "",
                "| with GHC | z |",
                "|---|---|",
                "| base | |"
              ]
          )
          @?= (Set.fromList ["wai", "http-types", "store", "cborg"], Set.fromList ["base"]),
      testCase "the toolchain's libraries, those that a distribution may lack included" $
        librariesOf
          ( unlines
              [ "# a comment",
                "ghc",
                "libghc-quickcheck2-dev",
                "libzstd-dev",
                "libghc-store-dev optional"
              ]
          )
          @?= Set.fromList ["quickcheck2", "store"],
      testCase "a name that one place lacks is told, with what to do" $
        disagreements
          ( Dependencies
              (Set.fromList ["base", "aeson"])
              (Set.fromList ["QuickCheck"])
              (Set.fromList ["base"])
              (Set.fromList ["store"])
          )
          @?= [ "a cabal file depends on aeson, but decision 006 does not name it; add a row",
                "decision 006 names QuickCheck, but no cabal file depends on it; take it out",
                "decision 006 names QuickCheck, but toolchain/debian-packages has no libghc \
                \package of it; add the line",
                "toolchain/debian-packages has store, but decision 006 does not name it; take \
                \the line out, or add a row"
              ]
    ]
