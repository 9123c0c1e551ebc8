{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}

-- | What derived instances read and write.
module Tern.DeriveTest (tests) where

import Data.Text (Text)
import Data.Text qualified as T
import GHC.Generics (Generic)
import Tern
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

data Mixed = Mixed {number :: !Int, name :: !Text, flag :: !Bool}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

instance Arbitrary Mixed where
  arbitrary = Mixed <$> arbitrary <*> (T.pack <$> arbitrary) <*> arbitrary

tests :: TestTree
tests =
  testGroup
    "derive"
    [ testCase "a record is an object in the order of its fields" $
        encodeJson (Mixed 1 "a\"b" True) @?= "{\"number\":1,\"name\":\"a\\\"b\",\"flag\":true}",
      testCase "fields may come in any order, among others" $
        decodeJson " { \"flag\" : false, \"x\": [1, {\"y\": \"z\"}], \"number\":-7 ,\"name\":\"\\u00e9\"} "
          @?= Right (Mixed (-7) "\233" False),
      testCase "a missing field is an error at the object" $
        decodeJson @Mixed "{\"number\":1,\"flag\":true}" @?= Left (Error 0 [] (MissingField "name")),
      testProperty "decode after encode is the identity" $ \small ->
        decodeJson (encodeJson (small :: Mixed)) === Right small
    ]
