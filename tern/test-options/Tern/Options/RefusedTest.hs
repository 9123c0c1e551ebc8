{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | What a document could not tell apart is an error of the compiler, which says what it is:
-- of each declaration in @refused\/Refused.hs@, and of each
-- deriving clause in @refused\/Clauses.hs@, whose types nothing uses.
module Tern.Options.RefusedTest (tests) where

import Data.List (isInfixOf)
import System.Directory (findExecutable)
import System.Exit (ExitCode (..))
import System.Process (readProcessWithExitCode)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (assertBool, testCaseInfo, (@?=))

tests :: TestTree
tests =
  testGroup
    "what cannot be is refused when compiled, in words"
    [ refuses "where it is used" "Refused" declarations,
      refuses "at its deriving clause, whether it is used or not" "Clauses" clauses
    ]

-- | A module has one error for each of these texts, and no other.
refuses :: String -> FilePath -> [String] -> TestTree
refuses name file pieces =
  testCaseInfo name $
    findExecutable "ghc" >>= \case
      Nothing -> pure "skipped: ghc is not there, 0 cases ran"
      Just ghc -> do
        (code, _, complaint) <-
          readProcessWithExitCode
            ghc
            [ "-fno-code",
              "-package",
              "tern",
              "-package",
              "text",
              "-XGHC2021",
              "-fdiagnostics-color=never",
              "test-options/refused/" <> file <> ".hs"
            ]
            ""
        code @?= ExitFailure 1
        if "cannot satisfy -package" `isInfixOf` complaint
          then pure "skipped: ghc does not know tern, 0 cases ran"
          else refused complaint
  where
    refused complaint = do
      let words' = unwords (words (filter (/= '|') complaint))
      mapM_
        ( \piece ->
            assertBool (piece <> " is not in:\n" <> complaint) (piece `isInfixOf` words')
        )
        pieces
      -- One error for each: those after them are accepted.
      (complaint, length (filter (isInfixOf "error:") (lines complaint)))
        @?= (complaint, length pieces)
      pure (show (length pieces) <> " cases ran")

declarations :: [String]
declarations =
  [ "Pair has two fields that are called \"One\" in documents: aOne and bOne",
    "Pair has two fields that are called \"bOne\" in documents: aOne and bOne",
    "Several has two constructors that are called \"Same\" in documents: SameOne and SameTwo",
    "SameTwo has two fields that are called \"tag\" in documents: the tag and tag",
    "Outer has two fields that are called \"aOne\" in documents: aOne and aOne",
    "Several has the tag and the contents under one name, \"t\"",
    "FieldDefault: Pair has no field that is called \"aone\"",
    "two options say what becomes of the field \"aOne\"",
    "Pair has no field that a document could have",
    "Pair has two fields that are called \"aOne\" in documents",
    "The constructor HiddenTwo is never read: without a tag what it writes is read as \
    \HiddenOne",
    "The constructor HiddenName is never read: without a tag what it writes is read as \
    \HiddenText",
    "The constructor HiddenMore is never read: without a tag what it writes is read as \
    \HiddenLess",
    "this is no option of deriving: NoOption",
    "The constructor ByGenerics has a field that is called as the tag beside it, \"tag\"",
    "object: two fields are called \"aOne\"",
    "object: two fields are called \"b\"",
    "object: two fields are called \"c\""
  ]

clauses :: [String]
clauses =
  [ "FieldsAlike has two fields that are called \"One\" in documents: aOne and bOne",
    "OfParameters has two fields that are called \"aOne\" in documents: aOne and bOne",
    "OtherName has two fields that are called \"two\" in documents: one and two",
    "ConstructorsAlike has two constructors that are called \"Same\" in documents: SameOne and \
    \SameTwo",
    "FieldAsTag has two fields that are called \"kind\" in documents: the tag and kind",
    "TagAsContents has the tag and the contents under one name, \"t\"",
    "FieldDefault: NoSuchField has no field that is called \"there\"",
    "two options say what becomes of the field \"said\"",
    "NoField has no field that a document could have",
    "FlattenedAlike has two fields that are called \"both\" in documents: both and both",
    "ComputedAlike has two fields that are called \"counted\" in documents",
    "The constructor HiddenTwo is never read: without a tag what it writes is read as HiddenOne",
    "The constructor HiddenB is never read: without a tag what it writes is read as HiddenA",
    "two options say how constructors are told apart: SumTwoElemArray and SumTaggedObject \"a\" \
    \\"b\"",
    "this is no option of deriving: NoOption",
    "The constructor ByGenerics has a field that is called as the tag beside it, \"tag\""
  ]
