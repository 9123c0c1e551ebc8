-- | This checkout keeps to its own table.
module Tern.HouseTest (tests) where

import Tern.House
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "this checkout"
    [ testCase "every module keeps to the table of ARCHITECTURE.md" $ do
        house <- readHouse ".."
        assertBool "no modules were found" (length (modules house) > 20)
        unlines (map renderComplaint (found house)) @?= "",
      testCase "the pictures show these modules (else run ./dev house)" $ do
        house <- readHouse ".."
        stalePictures ".." house >>= (@?= [])
    ]
