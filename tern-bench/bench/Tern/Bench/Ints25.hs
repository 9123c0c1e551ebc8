{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE StandaloneDeriving #-}
{-# LANGUAGE TemplateHaskell #-}
{-# OPTIONS_GHC -Wno-name-shadowing #-}

-- | A record of 25 Ints: the library's two derivings and codecs as values, aeson's two, the
-- limits.
module Tern.Bench.Ints25
  ( Ints25 (..),
    sample,
    records,
    encodeLimit,
    decodeLimit,
    decodeLimitAnyOrder,
  )
where

import Data.Aeson (FromJSON (..), ToJSON (..), genericToEncoding)
import Data.Aeson qualified as Aeson
import Data.Aeson.TH (mkParseJSON, mkToEncoding, mkToJSON)
import Data.ByteString (ByteString)
import Tern (Wire (..), defaultOptions, deriveWireFor)
import Tern.Bench.Case (Records (..))
import Tern.Bench.Declare
  ( ByCodec,
    ByGeneric,
    ByNames,
    ByTemplate,
    codecNamedOfInts,
    codecOfInts,
    declareInts,
    intsFrom,
    intsOf,
  )
import Tern.Bench.Limit.Ints (Digits, anyOrder, decodeInts, encodeInts)
import Tern.Bench.Limit.Room (Room)
import Tern.Lab.Random (integers, seed)

declareInts "Ints25" 25

deriving anyclass instance Wire (Ints25 ByGeneric)

deriveWireFor defaultOptions [t|Ints25 ByTemplate|]

instance Wire (Ints25 ByCodec) where
  codec = $(codecOfInts "Ints25" 25)

-- No two names of it are one.
instance Wire (Ints25 ByNames) where
  codec = either (error . show) id $(codecNamedOfInts "Ints25" 25)

instance ToJSON (Ints25 ByGeneric) where
  toEncoding = genericToEncoding Aeson.defaultOptions

instance FromJSON (Ints25 ByGeneric)

instance ToJSON (Ints25 ByTemplate) where
  toJSON = $(mkToJSON Aeson.defaultOptions ''Ints25)
  toEncoding = $(mkToEncoding Aeson.defaultOptions ''Ints25)

instance FromJSON (Ints25 ByTemplate) where
  parseJSON = $(mkParseJSON Aeson.defaultOptions ''Ints25)

sample :: Ints25 by
sample = $(intsOf "Ints25" 25)
{-# NOINLINE sample #-}

records :: Records (Ints25 by)
records = Records sample different

-- | The n-th of many.
different :: Int -> Ints25 by
different n = $(intsFrom "Ints25" 25) (integers (seed n))

encodeLimit :: Digits -> Room -> Ints25 by -> ByteString
encodeLimit = $(encodeInts 25)

decodeLimit :: Room -> ByteString -> Maybe (Ints25 by)
decodeLimit = $(decodeInts "Ints25" 25)

decodeLimitAnyOrder :: Room -> ByteString -> Maybe (Ints25 by)
decodeLimitAnyOrder = $(anyOrder "Ints25")
