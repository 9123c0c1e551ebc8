{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TemplateHaskell #-}

-- | The subdivisions of the world's countries, as @iso_3166-2.json@ of the
-- package iso-codes lists them: about 5,000 names in many scripts and accents,
-- so that most strings are not ASCII alone.
module Tern.Lab.Sample.Subdivisions
  ( Subdivision (..),
    Subdivisions (..),
    subject,
  )
where

import Control.DeepSeq (NFData, rnf)
import Data.Aeson (FromJSON (..), ToJSON (..), genericParseJSON, genericToEncoding)
import Data.Aeson.TH (mkParseJSON, mkToEncoding, mkToJSON)
import Data.Text (Text)
import GHC.Generics (Generic)
import Tern.Derive (deriveWire)
import Tern.Lab.Sample.Deriving (ByGeneric, ByTemplate)
import Tern.Lab.Sample.IsoCodes (aesonOptions, wireOptions)
import Tern.Lab.Subject (Subject (..), aeson, tern, ternCbor, ternMessagePack, ternNative)

-- | The whole document: an object with the one member @3166-2@. The parameter chooses the
-- instances of aeson.
newtype Subdivisions by = Subdivisions {entries_of_3166_2 :: [Subdivision by]}
  deriving stock (Eq, Generic, Show)

-- | One entry. The parent is the subdivision around it, where it lies in one.
data Subdivision by = Subdivision
  { code :: !Text,
    name :: !Text,
    parent :: !(Maybe Text),
    type_ :: !Text
  }
  deriving stock (Eq, Generic, Show)

deriveWire wireOptions ''Subdivision
deriveWire wireOptions ''Subdivisions

-- | By hand, to be cheap beside the decoders whose results it settles.
instance NFData (Subdivision by) where
  rnf (Subdivision !_ !_ !a !_) = rnf a

instance NFData (Subdivisions by) where
  rnf (Subdivisions subdivisions) = rnf subdivisions

instance ToJSON (Subdivision ByGeneric) where
  toEncoding = genericToEncoding aesonOptions

instance FromJSON (Subdivision ByGeneric) where
  parseJSON = genericParseJSON aesonOptions

instance ToJSON (Subdivisions ByGeneric) where
  toEncoding = genericToEncoding aesonOptions

instance FromJSON (Subdivisions ByGeneric) where
  parseJSON = genericParseJSON aesonOptions

instance ToJSON (Subdivision ByTemplate) where
  toJSON = $(mkToJSON aesonOptions ''Subdivision)
  toEncoding = $(mkToEncoding aesonOptions ''Subdivision)

instance FromJSON (Subdivision ByTemplate) where
  parseJSON = $(mkParseJSON aesonOptions ''Subdivision)

instance ToJSON (Subdivisions ByTemplate) where
  toJSON = $(mkToJSON aesonOptions ''Subdivisions)
  toEncoding = $(mkToEncoding aesonOptions ''Subdivisions)

instance FromJSON (Subdivisions ByTemplate) where
  parseJSON = $(mkParseJSON aesonOptions ''Subdivisions)

-- | Tern's four formats and aeson. It brings no value: a document is needed.
subject :: Subject
subject =
  Subject
    { subjectName = "subdivisions",
      subjectAbout = "the subdivisions of ISO 3166-2 (iso_3166-2.json of iso-codes)",
      subjectCodecs =
        [ tern @(Subdivisions ()) @(Subdivisions ()) "tern",
          ternMessagePack @(Subdivisions ()) @(Subdivisions ()) "tern-messagepack",
          ternCbor @(Subdivisions ()) @(Subdivisions ()) "tern-cbor",
          ternNative @(Subdivisions ()) @(Subdivisions ()) "tern-native",
          aeson @(Subdivisions ByTemplate) "aeson-th",
          aeson @(Subdivisions ByGeneric) "aeson-generic"
        ],
      subjectValue = Nothing,
      subjectValues = Nothing
    }
