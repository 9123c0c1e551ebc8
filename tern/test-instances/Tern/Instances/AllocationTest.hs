{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}

-- | Bytes that lines of a log cost, beside aeson: they are the same on every machine.
module Tern.Instances.AllocationTest (tests) where

import Data.Aeson qualified as Aeson
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.Text (Text)
import Data.Time.Calendar (fromGregorian)
import Data.Time.Clock (UTCTime (..), addUTCTime)
import Data.UUID.Types (UUID, fromWords64)
import GHC.Generics (Generic)
import Tern
import Tern.Testkit.Allocation (allocatedBy)
import Test.Tasty
import Test.Tasty.HUnit

data Line = Line {at :: !UTCTime, request :: !UUID, level :: !Text, status :: !Int}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Aeson.FromJSON, Wire)

-- | With 'Aeson.toEncoding', as who cares for speed has it.
instance Aeson.ToJSON Line where
  toEncoding = Aeson.genericToEncoding Aeson.defaultOptions

tests :: TestTree
tests =
  testGroup
    "allocation of lines with a time and a UUID"
    [ testCase "the same bytes as aeson's" $
        BL.fromStrict (encodeJson lines') @?= Aeson.encode lines',
      testCase "decoding takes at most a quarter of aeson's" $ do
        ours <- allocatedBy (fmap length . decodeJson @[Line]) json
        theirs <- allocatedBy (fmap length . Aeson.eitherDecodeStrict @[Line]) json
        atMost (theirs / 4) ours,
      testCase "encoding takes at most a quarter of aeson's" $ do
        ours <- allocatedBy (B.length . encodeJson) lines'
        theirs <- allocatedBy (BL.length . Aeson.encode) lines'
        atMost (theirs / 4) ours,
      testCase "decoding a line" $ do
        ours <- allocatedBy (fmap length . decodeJson @[Line]) json
        -- The fields, of which a UTCTime is seven words and its integers, the record and its
        -- place in the list.
        atMost (325 * 100) ours
    ]
  where
    json = encodeJson lines'
    lines' =
      [ Line
          ( addUTCTime
              (fromIntegral n * 61.001)
              (UTCTime (fromGregorian 2026 1 31) 3661.5)
          )
          (fromWords64 (n * 0x9e3779b97f4a7c15) (n * 0xbf58476d1ce4e5b9))
          "info"
          200
        | n <-
            [1 .. 100]
      ]
    atMost ceiling' ours =
      assertBool
        (show ours <> " bytes, of at most " <> show ceiling')
        (ours <= ceiling' && ours > 0)
