-- | What a document could not tell apart is an error of the compiler, which says what it is.
module Tern.Options.RefusedTest (tests) where

import Data.Either (isRight)
import Data.List (isInfixOf)
import Tern.Options.Refused
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (assertBool, assertFailure, testCase, (@?=))

tests :: TestTree
tests =
  testGroup
    "refused when compiled"
    ( [ testCase name (looked >>= either (\words' -> mapM_ (\piece -> assertBool (piece <> " is not in: " <> words') (piece `isInfixOf` unwords (words words'))) wanted) (assertFailure . show))
             | ((name, looked), wanted) <- zip refused pieces
           ]
        <> [testCase "each has its words" (length refused @?= length pieces), testCase "and others are not" (sequence accepted >>= \found -> assertBool (show found) (all isRight found))]
    )
  where
    pieces =
      [ ["Pair has two fields that are called \"One\" in documents: aOne and bOne"],
        ["Pair has two fields that are called \"bOne\" in documents", "aOne", "bOne"],
        ["Several has two constructors that are called \"Same\" in documents: SameOne and SameTwo"],
        ["SameTwo has two fields that are called \"tag\" in documents: the tag and tag"],
        ["Outer has two fields that are called \"aOne\" in documents: aOne and aOne"],
        ["Several has the tag and the contents under one name, \"t\""],
        ["FieldDefault: Pair has no field that is called \"aone\""],
        ["two options say what becomes of the field \"aOne\""],
        ["Pair has no field that a document could have"],
        ["this is no option of deriving: NoOption"],
        ["The constructor ByGenerics has a field that is called as the tag beside it, \"tag\""],
        ["object: two fields are called \"aOne\""],
        ["object: two fields are called \"b\""],
        ["object: two fields are called \"a\""]
      ]
