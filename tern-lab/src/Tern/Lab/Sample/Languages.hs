{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TemplateHaskell #-}

-- | The languages of ISO 639-3, as @iso_639-3.json@ of the package iso-codes
-- lists them: about 7,900 small records of strings, most of them short.
module Tern.Lab.Sample.Languages
  ( Language (..),
    Languages (..),
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

-- | The whole document: an object with the one member @639-3@. The parameter chooses the instances
-- of aeson.
newtype Languages by = Languages {entries_of_639_3 :: [Language by]}
  deriving stock (Eq, Generic, Show)

-- | One entry. What only some languages have may be missing in it.
data Language by = Language
  { alpha_2 :: !(Maybe Text),
    alpha_3 :: !Text,
    bibliographic :: !(Maybe Text),
    common_name :: !(Maybe Text),
    inverted_name :: !(Maybe Text),
    name :: !Text,
    scope :: !Text,
    type_ :: !Text
  }
  deriving stock (Eq, Generic, Show)

deriveWire wireOptions ''Language
deriveWire wireOptions ''Languages

-- | By hand, to be cheap beside the decoders whose results it settles.
instance NFData (Language by) where
  rnf (Language !a !_ !b !c !d !_ !_ !_) = rnf a `seq` rnf b `seq` rnf c `seq` rnf d

instance NFData (Languages by) where
  rnf (Languages languages) = rnf languages

instance ToJSON (Language ByGeneric) where
  toEncoding = genericToEncoding aesonOptions

instance FromJSON (Language ByGeneric) where
  parseJSON = genericParseJSON aesonOptions

instance ToJSON (Languages ByGeneric) where
  toEncoding = genericToEncoding aesonOptions

instance FromJSON (Languages ByGeneric) where
  parseJSON = genericParseJSON aesonOptions

instance ToJSON (Language ByTemplate) where
  toJSON = $(mkToJSON aesonOptions ''Language)
  toEncoding = $(mkToEncoding aesonOptions ''Language)

instance FromJSON (Language ByTemplate) where
  parseJSON = $(mkParseJSON aesonOptions ''Language)

instance ToJSON (Languages ByTemplate) where
  toJSON = $(mkToJSON aesonOptions ''Languages)
  toEncoding = $(mkToEncoding aesonOptions ''Languages)

instance FromJSON (Languages ByTemplate) where
  parseJSON = $(mkParseJSON aesonOptions ''Languages)

-- | Tern's four formats and aeson. It brings no value: a document is needed.
subject :: Subject
subject =
  Subject
    { subjectName = "languages",
      subjectAbout = "the languages of ISO 639-3 (iso_639-3.json of iso-codes)",
      subjectCodecs =
        [ tern @(Languages ()) @(Languages ()) "tern",
          ternMessagePack @(Languages ()) @(Languages ()) "tern-messagepack",
          ternCbor @(Languages ()) @(Languages ()) "tern-cbor",
          ternNative @(Languages ()) @(Languages ()) "tern-native",
          aeson @(Languages ByTemplate) "aeson-th",
          aeson @(Languages ByGeneric) "aeson-generic"
        ],
      subjectValue = Nothing,
      subjectValues = Nothing
    }
