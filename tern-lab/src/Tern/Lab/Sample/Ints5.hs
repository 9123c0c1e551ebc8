{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE StandaloneDeriving #-}
{-# LANGUAGE TemplateHaskell #-}

-- | The record of five numbers whose encoders article 000 reads as Core.
module Tern.Lab.Sample.Ints5
  ( Ints5 (..),
    subject,
  )
where

import Control.DeepSeq (NFData, rnf, rwhnf)
import Data.Aeson (FromJSON (..), ToJSON (..), defaultOptions, genericToEncoding)
import Data.Aeson.TH (mkParseJSON, mkToEncoding, mkToJSON)
import GHC.Generics (Generic)
import Tern (Wire, deriveWireFor)
import Tern qualified (defaultOptions)
import Tern.Lab.Random (integers, seed)
import Tern.Lab.Sample.Deriving (ByGeneric, ByTemplate)
import Tern.Lab.Subject (Subject (..), aeson, tern, ternCbor, ternMessagePack, ternNative)

-- | Article 000's record of numbers. The parameter chooses the instances
-- ("Tern.Lab.Sample.Deriving").
data Ints5 by = Ints5
  { field01 :: !Int,
    field02 :: !Int,
    field03 :: !Int,
    field04 :: !Int,
    field05 :: !Int
  }
  deriving stock (Eq, Generic, Show)

-- Ends the group of declarations: the splices below look at the type.
pure []

deriving anyclass instance Wire (Ints5 ByGeneric)

deriveWireFor Tern.defaultOptions [t|Ints5 ByTemplate|]

-- | Every field is strict.
instance NFData (Ints5 by) where
  rnf = rwhnf

instance ToJSON (Ints5 ByGeneric) where
  toEncoding = genericToEncoding defaultOptions

instance FromJSON (Ints5 ByGeneric)

instance ToJSON (Ints5 ByTemplate) where
  toJSON = $(mkToJSON defaultOptions ''Ints5)
  toEncoding = $(mkToEncoding defaultOptions ''Ints5)

instance FromJSON (Ints5 ByTemplate) where
  parseJSON = $(mkParseJSON defaultOptions ''Ints5)

-- | Tern's four formats and aeson. It brings one value, and different ones by their numbers.
subject :: Subject
subject =
  Subject
    { subjectName = "ints5",
      subjectAbout = "a record of 5 Ints (article 000)",
      subjectCodecs =
        [ tern @(Ints5 ByGeneric) "tern",
          tern @(Ints5 ByTemplate) "tern-th",
          ternMessagePack @(Ints5 ByTemplate) "tern-messagepack",
          ternCbor @(Ints5 ByTemplate) "tern-cbor",
          ternNative @(Ints5 ByTemplate) "tern-native",
          aeson @(Ints5 ByTemplate) "aeson-th",
          aeson @(Ints5 ByGeneric) "aeson-generic"
        ],
      subjectValue = Just sample,
      subjectValues = Just different
    }

sample :: Ints5 ()
sample = Ints5 7 49 343 2401 16807
{-# NOINLINE sample #-}

-- | The n-th of many.
different :: Int -> Ints5 ()
different n = case integers (seed n) of
  a : b : c : d : e : _ -> Ints5 a b c d e
  _ -> sample
