-- | Pages show tests that there are.
module Tern.House.ShownTest (tests) where

import Tern.House.Shown (Shown (..), readShown, renderUnshown, shownIn, unshown)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (assertBool, testCase, (@?=))

tests :: TestTree
tests =
  testGroup
    "shown tests"
    [ testCase "names after a link to a test's source are found, those after others are not" $
        shownIn
          "p/README.md"
          "# p\n| a | [x](test/X.hs) \"one\", \"two\"; [y](test/Y.hs) \"three\" and [z](z.md) \
          \\"four\" |\n[c](src/C.hs) \"five\""
          @?= [ Shown
                  "p/README.md"
                  2
                  "test/X.hs"
                  ["one", "two"],
                Shown "p/README.md" 2 "test/Y.hs" ["three"]
              ],
      testCase "names go on in the next line of a paragraph, and no further" $
        shownIn
          "p/README.md"
          "A [x](test/X.hs)\n\"one\", \"two\nmore\", [y](test/Y.hs) \"three\"\n| \"four\" \
          \|\n\n\"five\""
          @?= [ Shown "p/README.md" 1 "test/X.hs" ["one", "two more"],
                Shown "p/README.md" 3 "test/Y.hs" ["three"]
              ],
      testCase "what is not there is said" $ do
        found <-
          unshown
            ".."
            [ Shown
                "tern-testkit/README.md"
                3
                "test/Tern/House/ShownTest.hs"
                ["what is not there is said", "no" <> " test"],
              Shown "tern-testkit/README.md" 4 "test/Tern/House/ShownTest.hs" [],
              Shown "tern-testkit/README.md" 5 "test/No.hs" ["what is not there is said"]
            ]
        map renderUnshown found
          @?= [ "tern-testkit/README.md:3: test/Tern/House/ShownTest.hs has no test called \"no \
                \test\"; write it, or correct the words",
                "tern-testkit/README.md:4: a test's source is linked to and no test named; name \
                \it in quotes",
                "tern-testkit/README.md:5: test/No.hs has no test called \"what is not there is \
                \said\"; write it, or correct the words"
              ],
      testCase "every test that a page of this checkout shows is there" $ do
        those <- readShown ".."
        assertBool "no tests are shown" (length those > 50)
        unshown ".." those >>= (@?= "") . unlines . map renderUnshown
    ]
