{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE StandaloneDeriving #-}
{-# LANGUAGE TemplateHaskell #-}
{-# OPTIONS_GHC -Wno-name-shadowing #-}

-- | A record of 100 Ints: the library's two derivings, aeson's two, the limits.
module Tern.Bench.Ints100
  ( Ints100 (..),
    sample,
    records,
    encodeLimit,
    decodeLimit,
  )
where

import Data.Aeson (FromJSON (..), ToJSON (..), genericToEncoding)
import Data.Aeson qualified as Aeson
import Data.Aeson.TH (mkParseJSON, mkToEncoding, mkToJSON)
import Data.ByteString (ByteString)
import Tern (Wire, defaultOptions, deriveWireFor)
import Tern.Bench.Case (Records (..))
import Tern.Bench.Declare (ByGeneric, ByTemplate, declareInts, intsFrom, intsOf)
import Tern.Bench.Limit.Ints (Digits, decodeInts, encodeInts)
import Tern.Bench.Limit.Room (Room)
import Tern.Lab.Random (integers, seed)

declareInts "Ints100" 100

deriving anyclass instance Wire (Ints100 ByGeneric)

deriveWireFor defaultOptions [t|Ints100 ByTemplate|]

instance ToJSON (Ints100 ByGeneric) where
  toEncoding = genericToEncoding Aeson.defaultOptions

instance FromJSON (Ints100 ByGeneric)

instance ToJSON (Ints100 ByTemplate) where
  toJSON = $(mkToJSON Aeson.defaultOptions ''Ints100)
  toEncoding = $(mkToEncoding Aeson.defaultOptions ''Ints100)

instance FromJSON (Ints100 ByTemplate) where
  parseJSON = $(mkParseJSON Aeson.defaultOptions ''Ints100)

sample :: Ints100 by
sample = $(intsOf "Ints100" 100)
{-# NOINLINE sample #-}

records :: Records (Ints100 by)
records = Records sample different

-- | The n-th of many.
different :: Int -> Ints100 by
different n = $(intsFrom "Ints100" 100) (integers (seed n))

encodeLimit :: Digits -> Room -> Ints100 by -> ByteString
encodeLimit = $(encodeInts 100)

decodeLimit :: Room -> ByteString -> Maybe (Ints100 by)
decodeLimit = $(decodeInts "Ints100" 100)
