{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TemplateHaskell #-}

-- | The languages of ISO 639-3, as @iso_639-3.json@ of the package iso-codes
-- lists them: about 7,900 small records of strings, most of them short.
module Tern.Lab.Sample.Languages
  ( Language (..),
    subject,
  )
where

import Control.DeepSeq (NFData, rnf)
import Data.Aeson
import Data.Aeson.TH (mkParseJSON, mkToEncoding, mkToJSON)
import Data.Map.Strict (Map)
import Data.Text (Text)
import GHC.Generics (Generic)
import Tern (Wire)
import Tern.Lab.Sample.Deriving
import Tern.Lab.Subject

data Language by = Language
  { alpha_2 :: !(Maybe Text),
    alpha_3 :: !Text,
    bibliographic :: !(Maybe Text),
    common_name :: !(Maybe Text),
    inverted_name :: !(Maybe Text),
    name :: !Text,
    scope :: !Text
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- Ends the group of declarations: the splices below look at the type.
pure []

-- | By hand, to be cheap beside the decoders whose results it settles.
instance NFData (Language by) where
  rnf (Language !a !_ !b !c !d !_ !_) = rnf a `seq` rnf b `seq` rnf c `seq` rnf d

instance ToJSON (Language ByGeneric) where
  toEncoding = genericToEncoding defaultOptions

instance FromJSON (Language ByGeneric)

instance ToJSON (Language ByTemplate) where
  toJSON = $(mkToJSON defaultOptions ''Language)
  toEncoding = $(mkToEncoding defaultOptions ''Language)

instance FromJSON (Language ByTemplate) where
  parseJSON = $(mkParseJSON defaultOptions ''Language)

-- | The document: lists under the names of their standards.
type Languages by = Map Text [Language by]

subject :: Subject
subject =
  Subject
    { subjectName = "languages",
      subjectAbout = "the languages of ISO 639-3 (iso_639-3.json of iso-codes)",
      subjectCodecs =
        [ tern @(Languages ()),
          aeson @(Languages ByTemplate) "aeson-th",
          aeson @(Languages ByGeneric) "aeson-generic"
        ],
      subjectValue = Nothing
    }
