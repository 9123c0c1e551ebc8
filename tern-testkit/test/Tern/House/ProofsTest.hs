-- | Comments cite tests that there are.
module Tern.House.ProofsTest (tests) where

import Data.Set qualified as Set
import Tern.House.Proofs
  ( Citation (..),
    citationsOf,
    literalsOf,
    readProofs,
    renderUnproved,
    unproved,
  )
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (assertBool, testCase, (@?=))

tests :: TestTree
tests =
  testGroup
    "proofs"
    [ testCase "names are found over the ends of lines, to the end of the paragraph" $
        citationsOf
          "A.hs"
          "-- | Quick. Proof: inspect \"one\n-- check\" and \"no call\", for\n-- all.\n--\n-- \
          \\"Other\".\nf = \"x\" -- Proof: not here\n  -- Proof: the ceilings.\n"
          @?= [Citation "A.hs" 1 ["one check", "no call"], Citation "A.hs" 7 []],
      testCase "strings of tests are found, and those of comments are not" $
        literalsOf "t = testCase \"one check\" (f \"a\\\"b\" <> \"\")\n-- \"no call\"\n"
          @?= Set.fromList ["one check", "a\\\"b", ""],
      testCase "what nothing proves is said" $
        map
          renderUnproved
          ( unproved
              ( [ Citation
                    "A.hs"
                    3
                    ["one check", "no call"],
                  Citation "B.hs" 4 [],
                  Citation "C.hs" 5 ["one check"]
                ],
                Set.fromList ["one check"]
              )
          )
          @?= [ "A.hs:3: no test is called \"no call\"; write it, or correct the words",
                "B.hs:4: a proof is spoken of and no test named; name it in quotes"
              ],
      testCase "every proof in this checkout is a test" $ do
        found@(citations, _) <- readProofs ".."
        assertBool "no citations were found" (length citations > 10)
        unlines (map renderUnproved (unproved found)) @?= ""
    ]
