{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE StandaloneDeriving #-}
{-# LANGUAGE TemplateHaskell #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- | The instances of the mixed record. Orphans: its limits need the type, and
-- splice code that must be compiled before them.
module Tern.Bench.Mixed
  ( Mixed (..),
    sample,
    records,
  )
where

import Data.Aeson (FromJSON (..), ToJSON (..), genericToEncoding)
import Data.Aeson qualified as Aeson
import Data.Aeson.TH (mkParseJSON, mkToEncoding, mkToJSON)
import Tern (Wire, defaultOptions, deriveWireFor)
import Tern.Bench.Case (Records (..))
import Tern.Bench.Declare (ByGeneric, ByTemplate)
import Tern.Bench.Mixed.Record (Mixed (..), different, sample)

deriving anyclass instance Wire (Mixed ByGeneric)

deriveWireFor defaultOptions [t|Mixed ByTemplate|]

instance ToJSON (Mixed ByGeneric) where
  toEncoding = genericToEncoding Aeson.defaultOptions

instance FromJSON (Mixed ByGeneric)

instance ToJSON (Mixed ByTemplate) where
  toJSON = $(mkToJSON Aeson.defaultOptions ''Mixed)
  toEncoding = $(mkToEncoding Aeson.defaultOptions ''Mixed)

instance FromJSON (Mixed ByTemplate) where
  parseJSON = $(mkParseJSON Aeson.defaultOptions ''Mixed)

records :: Records (Mixed by)
records = Records sample different
