-- | Lines can be read beside another file.
module Tern.House.WidthTest (tests) where

import Tern.House.Width (Wide (..), readWide, renderWide, wideIn)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (testCase, (@?=))

tests :: TestTree
tests =
  testGroup
    "width"
    [ testCase "a line of 101 columns is named, one of 100 is not, and no byte is a column" $
        wideIn "A.hs" (unlines [replicate 100 'a', replicate 101 'a', replicate 100 'ü'])
          @?= [Wide "A.hs" 2 101],
      testCase "it is said in words" $
        renderWide (Wide "A.hs" 2 101) @?= "A.hs:2: 101 columns; wrap it at 100",
      testCase "no line of this checkout is too long" $ do
        found <- readWide ".."
        unlines (map renderWide found) @?= ""
    ]
