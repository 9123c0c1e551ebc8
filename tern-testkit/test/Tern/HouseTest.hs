{-# LANGUAGE OverloadedStrings #-}

-- | This checkout keeps to its own table.
module Tern.HouseTest (tests) where

import Data.List (nub, (\\))
import Data.Text qualified as T
import Data.Text.IO qualified as T
import Tern.House (House (..), found, readHouse, renderComplaint, stalePictures)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (assertBool, testCase, (@?=))

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
        stalePictures ".." house >>= (@?= []),
      testCase "no word stands twice in GLOSSARY.md" $ do
        rows <- filter ("| " `T.isPrefixOf`) . T.lines <$> T.readFile "../GLOSSARY.md"
        let wordsOf = map (T.strip . T.takeWhile (/= '|') . T.drop 2) rows
        assertBool "no words were found" (length wordsOf > 20)
        wordsOf \\ nub wordsOf @?= []
    ]
