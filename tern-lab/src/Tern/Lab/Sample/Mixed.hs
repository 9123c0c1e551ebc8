{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE StandaloneDeriving #-}
{-# LANGUAGE TemplateHaskell #-}

-- | The small record of different fields that article 000 shows as text.
module Tern.Lab.Sample.Mixed
  ( Mixed (..),
    subject,
  )
where

import Control.DeepSeq (NFData, rnf, rwhnf)
import Data.Aeson (FromJSON (..), ToJSON (..), defaultOptions, genericToEncoding)
import Data.Aeson.TH (mkParseJSON, mkToEncoding, mkToJSON)
import Data.Text (Text)
import GHC.Generics (Generic)
import Tern (Wire, deriveWireFor)
import Tern qualified (defaultOptions)
import Tern.Lab.Random (below, integers, letters, seed)
import Tern.Lab.Sample.Deriving (ByGeneric, ByTemplate)
import Tern.Lab.Subject (Subject (..), aeson, tern, ternCbor, ternMessagePack, ternNative)

-- | Article 000's small record. The parameter chooses the instances ("Tern.Lab.Sample.Deriving").
data Mixed by = Mixed
  { x :: !Int,
    y :: !Text,
    z :: !Bool
  }
  deriving stock (Eq, Generic, Show)

-- Ends the group of declarations: the splices below look at the type.
pure []

deriving anyclass instance Wire (Mixed ByGeneric)

deriveWireFor Tern.defaultOptions [t|Mixed ByTemplate|]

-- | Every field is strict.
instance NFData (Mixed by) where
  rnf = rwhnf

instance ToJSON (Mixed ByGeneric) where
  toEncoding = genericToEncoding defaultOptions

instance FromJSON (Mixed ByGeneric)

instance ToJSON (Mixed ByTemplate) where
  toJSON = $(mkToJSON defaultOptions ''Mixed)
  toEncoding = $(mkToEncoding defaultOptions ''Mixed)

instance FromJSON (Mixed ByTemplate) where
  parseJSON = $(mkParseJSON defaultOptions ''Mixed)

-- | Tern's four formats and aeson. It brings one value, and different ones by their numbers.
subject :: Subject
subject =
  Subject
    { subjectName = "mixed",
      subjectAbout = "a record of an Int, a Text and a Bool (article 000)",
      subjectCodecs =
        [ tern @(Mixed ByGeneric) "tern",
          tern @(Mixed ByTemplate) "tern-th",
          ternMessagePack @(Mixed ByTemplate) "tern-messagepack",
          ternCbor @(Mixed ByTemplate) "tern-cbor",
          ternNative @(Mixed ByTemplate) "tern-native",
          aeson @(Mixed ByTemplate) "aeson-th",
          aeson @(Mixed ByGeneric) "aeson-generic"
        ],
      subjectValue = Just sample,
      subjectValues = Just different
    }

sample :: Mixed ()
sample = Mixed {x = 0, y = "lambda", z = True}
{-# NOINLINE sample #-}

-- | The n-th of many.
different :: Int -> Mixed ()
different n = Mixed {x = if many == 0 then 0 else number, y, z = z == 0}
  where
    (y, state1) = letters 3 16 (seed n)
    (z, state2) = below 2 state1
    (many, state3) = below 4 state2
    number = case integers state3 of
      first : _ -> first
      [] -> 0
