-- | Pages lead to each other.
module Tern.House.LinksTest (tests) where

import Tern.House.Links (Link (..), broken, linksOf, readLinks, renderLink)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (assertBool, testCase, (@?=))

tests :: TestTree
tests =
  testGroup
    "links"
    [ testCase "links to files are found, others left alone" $
        linksOf
          "docs/a.md"
          "See [b](b.md#top), ![c](../c.svg) and [d](https://example.org/d.md).\nf[x](y\nz) \
          \[top](#top)"
          @?= [Link "docs/a.md" "b.md", Link "docs/a.md" "../c.svg"],
      testCase "a link to nowhere is found" $
        broken ".." [Link "README.md" "LICENSE", Link "docs/performance.md" "LICENSE"]
          >>= ( @?= ["docs/performance.md: the link to LICENSE leads nowhere; mend it"]
              )
            . map renderLink,
      testCase "every link in this checkout leads somewhere" $ do
        links <- readLinks ".."
        assertBool "no links were found" (length links > 10)
        broken ".." links >>= (@?= "") . unlines . map renderLink
    ]
