{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TemplateHaskell #-}

-- | The small record of different fields that article 000 shows as text.
module Tern.Lab.Sample.Mixed
  ( Mixed (..),
    subject,
  )
where

import Control.DeepSeq (NFData, rnf, rwhnf)
import Data.Aeson
import Data.Aeson.TH (mkParseJSON, mkToEncoding, mkToJSON)
import Data.Text (Text)
import GHC.Generics (Generic)
import Tern (Wire)
import Tern.Lab.Sample.Deriving
import Tern.Lab.Subject

data Mixed = Mixed
  { x :: !Int,
    y :: !Text,
    z :: !Bool
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- Ends the group of declarations: the splices below look at the type.
pure []

-- | Every field is strict.
instance NFData Mixed where
  rnf = rwhnf

instance ToJSON (ByGeneric Mixed) where
  toJSON (ByGeneric model) = genericToJSON defaultOptions model
  toEncoding (ByGeneric model) = genericToEncoding defaultOptions model

instance FromJSON (ByGeneric Mixed) where
  parseJSON tree = ByGeneric <$> genericParseJSON defaultOptions tree

instance ToJSON (ByTemplate Mixed) where
  toJSON (ByTemplate model) = $(mkToJSON defaultOptions ''Mixed) model
  toEncoding (ByTemplate model) = $(mkToEncoding defaultOptions ''Mixed) model

instance FromJSON (ByTemplate Mixed) where
  parseJSON tree = ByTemplate <$> $(mkParseJSON defaultOptions ''Mixed) tree

subject :: Subject
subject =
  Subject
    { subjectName = "mixed",
      subjectAbout = "a record of an Int, a Text and a Bool (article 000)",
      subjectCodecs =
        [ tern,
          aeson @(ByTemplate Mixed) "aeson-th",
          aeson @(ByGeneric Mixed) "aeson-generic"
        ],
      subjectValue = Just sample
    }

sample :: Mixed
sample = Mixed {x = 0, y = "lambda", z = True}
{-# NOINLINE sample #-}
