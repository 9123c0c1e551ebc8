{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}

-- | What derived instances read and write.
module Tern.DeriveTest (tests) where

import Data.Proxy (Proxy (..))
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Generics (Generic)
import Tern
import Tern.Derive.Declarations (sameAs)
import Tern.Derive.Generics qualified as Generics
import Tern.Derive.Numbered qualified as Numbered
import Tern.Derive.ParametersGenerics qualified as ParametersGenerics
import Tern.Derive.ParametersTemplate qualified as ParametersTemplate
import Tern.Derive.Placed qualified as Placed
import Tern.Derive.RecordGenerics qualified as RecordGenerics
import Tern.Derive.RecordTemplate qualified as RecordTemplate
import Tern.Derive.Renamed qualified as Renamed
import Tern.Derive.Retagged qualified as Retagged
import Tern.Derive.Template qualified as Template
import Tern.Derive.TwoElement qualified as TwoElement
import Tern.Value (Value)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

data Mixed = Mixed {number :: !Int, name :: !Text, flag :: !Bool}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

instance Arbitrary Mixed where
  arbitrary = Mixed <$> arbitrary <*> (T.pack <$> arbitrary) <*> arbitrary

-- | Names that need escapes in JSON, shorter and longer than a word.
data Operators = Operators {(<\) :: Int, (<<<<<<<<<\) :: Int}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

tests :: TestTree
tests =
  testGroup
    "derive"
    [ testGroup "by generics" Generics.tests,
      testGroup "by Template Haskell" Template.tests,
      testGroup "by Template Haskell, renamed" Renamed.tests,
      testGroup "by Template Haskell, arrays of two" TwoElement.tests,
      testGroup "by Template Haskell, tagged otherwise" Retagged.tests,
      testGroup "by Template Haskell, integer keys" Numbered.tests,
      testGroup "by Template Haskell, arrays for records" Placed.tests,
      testGroup "parameters and rare forms, by generics" ParametersGenerics.tests,
      testGroup "parameters and rare forms, by Template Haskell" ParametersTemplate.tests,
      testGroup "two hundred fields, by generics" RecordGenerics.tests,
      testGroup "two hundred fields, by Template Haskell" RecordTemplate.tests,
      testGroup
        "the same bytes by generics and by Template Haskell"
        [ sameAs "Fields" (Proxy @Generics.Fields) (Proxy @Template.Fields),
          sameAs "Positional" (Proxy @Generics.Positional) (Proxy @Template.Positional),
          sameAs "Colour" (Proxy @Generics.Colour) (Proxy @Template.Colour),
          sameAs "Shape" (Proxy @Generics.Shape) (Proxy @Template.Shape),
          sameAs "Tree" (Proxy @(Generics.Tree Int)) (Proxy @(Template.Tree Int)),
          sameAs "Rose" (Proxy @Generics.Rose) (Proxy @Template.Rose),
          sameAs "Term" (Proxy @Generics.Term) (Proxy @Template.Term),
          sameAs "Plain" (Proxy @Generics.Plain) (Proxy @Template.Plain)
        ],
      testCase "a record is an object in the order of its fields" $
        encodeJson (Mixed 1 "a\"b" True) @?= "{\"number\":1,\"name\":\"a\\\"b\",\"flag\":true}",
      testCase "fields may come in any order, among others" $
        decodeJson
          " { \"flag\" : false, \"x\": [1, {\"y\": \"z\"}], \"number\":-7 ,\"name\":\"\\u00e9\"} "
          @?= Right (Mixed (-7) "\233" False),
      testCase "space may stand between a tag and the first field" $
        decodeJson " { \"tag\" : \"Circle\" , \"radius\" : 1 } " @?= Right (Generics.Circle 1),
      testCase "the first field after a tag may be another, or none of the type's" $
        decodeJson "{\"tag\":\"Rectangle\",\"x\":[],\"height\":2,\"width\":1}"
          @?= Right (Generics.Rectangle 1 2 Nothing),
      testCase "a missing field is an error at the object" $
        decodeJson @Mixed "{\"number\":1,\"flag\":true}"
          @?= Left (Error 0 [] (MissingField "name")),
      testCase "after an element that has ended, the path is the array's" $
        decodeJson @[[Int]] "[[1],[2 3]]" @?= Left (Error 8 [Index 1] (Unexpected CommaOrBracket)),
      testCase "inside an element, the path is the element's" $
        decodeJson @[[Int]] "[[1],[2,x]]"
          @?= Left (Error 8 [Index 1, Index 1] (Unexpected AnInteger)),
      testCase "after a member that has ended, the path is the object's" $
        decodeJson @[Mixed] "[{\"number\":1;}]"
          @?= Left (Error 12 [Index 0] (Unexpected CommaOrBrace)),
      testCase "a name that needs escapes is not found without them" $ do
        decodeJson @Operators "{\"<\\\\\":1,\"<<<<<<<<<\\\\\":2}" @?= Right (Operators 1 2)
        decodeJson @Operators "{\"<<<<<<<<<\\\\\":2,\"<\\\\\":1}" @?= Right (Operators 1 2)
        decodeJson @Operators "{\"<\\\":1,\"<<<<<<<<<\\\\\":2}"
          @?= Left (Error 9 [Key "<\":1,"] (Unexpected AColon))
        decodeJson @Operators "{\"<\\\\\":1,\"<<<<<<<<<\\\":2}"
          @?= Left (Error 24 [] (UnexpectedEnd AString))
        decodeJson @Operators "{\"<<<<<<<<<\\\":2}" @?= Left (Error 16 [] (UnexpectedEnd AString)),
      testCase "a leading zero is called that, wherever it stands" $ do
        decodeJson @[Int] "[01]" @?= Left (Error 2 [Index 0] LeadingZero)
        decodeJson @[Integer] "[-00]" @?= Left (Error 3 [Index 0] LeadingZero)
        decodeJson @[Double] "[1,01.5]" @?= Left (Error 4 [Index 1] LeadingZero)
        decodeJson @[Value] "[09]" @?= Left (Error 2 [Index 0] LeadingZero)
        decodeJson @Mixed "{\"x\":-01}" @?= Left (Error 7 [Key "x"] LeadingZero)
        renderError "[01]" (Error 2 [Index 0] LeadingZero)
          @?= "line 1, column 3, at $[0]: a number cannot begin with a zero and another digit; \
              \leave the zero away",
      testProperty "decode after encode is the identity" $ \small ->
        decodeJson (encodeJson (small :: Mixed)) === Right small
    ]
