{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE StandaloneDeriving #-}
{-# LANGUAGE TemplateHaskell #-}
{-# OPTIONS_GHC -Wno-name-shadowing #-}

-- | A record of 5 Ints: the library's two derivings and codecs as values, aeson's two, the
-- limits.
module Tern.Bench.Ints5
  ( Ints5 (..),
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
import Tern.Bench.Limit.Ints (Digits, decodeInts, encodeInts)
import Tern.Bench.Limit.Room (Room)
import Tern.Lab.Random (integers, seed)

declareInts "Ints5" 5

deriving anyclass instance Wire (Ints5 ByGeneric)

deriveWireFor defaultOptions [t|Ints5 ByTemplate|]

instance Wire (Ints5 ByCodec) where
  codec = $(codecOfInts "Ints5" 5)

-- No two names of it are one.
instance Wire (Ints5 ByNames) where
  codec = either (error . show) id $(codecNamedOfInts "Ints5" 5)

instance ToJSON (Ints5 ByGeneric) where
  toEncoding = genericToEncoding Aeson.defaultOptions

instance FromJSON (Ints5 ByGeneric)

instance ToJSON (Ints5 ByTemplate) where
  toJSON = $(mkToJSON Aeson.defaultOptions ''Ints5)
  toEncoding = $(mkToEncoding Aeson.defaultOptions ''Ints5)

instance FromJSON (Ints5 ByTemplate) where
  parseJSON = $(mkParseJSON Aeson.defaultOptions ''Ints5)

sample :: Ints5 by
sample = $(intsOf "Ints5" 5)
{-# NOINLINE sample #-}

records :: Records (Ints5 by)
records = Records sample different

-- | The n-th of many.
different :: Int -> Ints5 by
different n = $(intsFrom "Ints5" 5) (integers (seed n))

encodeLimit :: Digits -> Room -> Ints5 by -> ByteString
encodeLimit = $(encodeInts 5)

decodeLimit :: Room -> ByteString -> Maybe (Ints5 by)
decodeLimit = $(decodeInts "Ints5" 5)
