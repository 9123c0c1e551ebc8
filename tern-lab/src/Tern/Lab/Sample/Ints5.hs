{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TemplateHaskell #-}

-- | The record of five numbers whose encoders article 000 reads as Core.
module Tern.Lab.Sample.Ints5
  ( Ints5 (..),
    subject,
  )
where

import Control.DeepSeq (NFData, rnf, rwhnf)
import Data.Aeson
import Data.Aeson.TH (mkParseJSON, mkToEncoding, mkToJSON)
import GHC.Generics (Generic)
import Tern (Wire)
import Tern.Lab.Sample.Deriving
import Tern.Lab.Subject

data Ints5 = Ints5
  { field01 :: !Int,
    field02 :: !Int,
    field03 :: !Int,
    field04 :: !Int,
    field05 :: !Int
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- Ends the group of declarations: the splices below look at the type.
pure []

-- | Every field is strict.
instance NFData Ints5 where
  rnf = rwhnf

instance ToJSON (ByGeneric Ints5) where
  toJSON (ByGeneric model) = genericToJSON defaultOptions model
  toEncoding (ByGeneric model) = genericToEncoding defaultOptions model

instance FromJSON (ByGeneric Ints5) where
  parseJSON tree = ByGeneric <$> genericParseJSON defaultOptions tree

instance ToJSON (ByTemplate Ints5) where
  toJSON (ByTemplate model) = $(mkToJSON defaultOptions ''Ints5) model
  toEncoding (ByTemplate model) = $(mkToEncoding defaultOptions ''Ints5) model

instance FromJSON (ByTemplate Ints5) where
  parseJSON tree = ByTemplate <$> $(mkParseJSON defaultOptions ''Ints5) tree

subject :: Subject
subject =
  Subject
    { subjectName = "ints5",
      subjectAbout = "a record of 5 Ints (article 000)",
      subjectCodecs =
        [ tern,
          aeson @(ByTemplate Ints5) "aeson-th",
          aeson @(ByGeneric Ints5) "aeson-generic"
        ],
      subjectValue = Just sample
    }

sample :: Ints5
sample = Ints5 7 49 343 2401 16807
{-# NOINLINE sample #-}
