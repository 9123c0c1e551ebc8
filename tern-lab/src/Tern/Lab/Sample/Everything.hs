{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE StandaloneDeriving #-}
{-# LANGUAGE TemplateHaskell #-}

-- | The record with which article 002 compares JSON and MessagePack: one field
-- of each kind, lazy, with a sum among them; and what classes give it.
module Tern.Lab.Sample.Everything
  ( Everything (..),
    Choice (..),
    sample,
    different,
  )
where

import Codec.Serialise (Serialise)
import Control.DeepSeq (NFData)
import Data.Aeson (FromJSON (..), ToJSON (..), defaultOptions, genericToEncoding)
import Data.Aeson.TH (mkParseJSON, mkToEncoding, mkToJSON)
import Data.Binary (Binary)
import Data.Store (Store)
import Data.Text (Text)
import GHC.Generics (Generic)
import Tern (Wire, deriveWireFor)
import Tern qualified (defaultOptions)
import Tern.Lab.Random (below, integers, letters, seed, several)
import Tern.Lab.Sample.Deriving (ByGeneric, ByTemplate)

-- | Article 002's record. The parameter chooses the instances ("Tern.Lab.Sample.Deriving").
data Everything by = Everything
  { fieldChoice :: Choice by,
    fieldText :: Text,
    fieldInt :: Int,
    fieldDouble :: Double,
    fieldFloat :: Float,
    fieldWord :: Word,
    fieldMaybeText :: Maybe Text,
    fieldListText :: [Text]
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (NFData)

-- | The sum among the fields of 'Everything'.
data Choice by
  = ChoiceInt Int
  | ChoiceFloat Float
  deriving stock (Eq, Generic, Show)
  deriving anyclass (NFData)

-- Ends the group of declarations: the splices below look at the types.
pure []

deriving anyclass instance Wire (Choice ByGeneric)

deriveWireFor Tern.defaultOptions [t|Choice ByTemplate|]

deriving anyclass instance Wire (Everything ByGeneric)

deriveWireFor Tern.defaultOptions [t|Everything ByTemplate|]

instance ToJSON (Choice ByGeneric) where
  toEncoding = genericToEncoding defaultOptions

instance FromJSON (Choice ByGeneric)

instance ToJSON (Choice ByTemplate) where
  toJSON = $(mkToJSON defaultOptions ''Choice)
  toEncoding = $(mkToEncoding defaultOptions ''Choice)

instance FromJSON (Choice ByTemplate) where
  parseJSON = $(mkParseJSON defaultOptions ''Choice)

instance ToJSON (Everything ByGeneric) where
  toEncoding = genericToEncoding defaultOptions

instance FromJSON (Everything ByGeneric)

instance ToJSON (Everything ByTemplate) where
  toJSON = $(mkToJSON defaultOptions ''Everything)
  toEncoding = $(mkToEncoding defaultOptions ''Everything)

instance FromJSON (Everything ByTemplate) where
  parseJSON = $(mkParseJSON defaultOptions ''Everything)

instance Binary (Choice ByGeneric)

instance Binary (Everything ByGeneric)

instance Store (Choice ByGeneric)

instance Store (Everything ByGeneric)

instance Serialise (Choice ByGeneric)

instance Serialise (Everything ByGeneric)

-- | What is encoded and decoded where one value is measured again and again.
sample :: Everything ()
sample =
  Everything
    { fieldChoice = ChoiceInt 1,
      fieldText = "foo",
      fieldInt = 12,
      fieldDouble = 234.234123,
      fieldFloat = 123.34563,
      fieldWord = 12,
      fieldMaybeText = Nothing,
      fieldListText = ["bar", "baz"]
    }
{-# NOINLINE sample #-}

-- | The n-th of many.
different :: Int -> Everything ()
different n = case integers state4 of
  a : b : c : d : e : f : _ ->
    Everything
      { fieldChoice =
          if choice == 0
            then ChoiceInt a
            else ChoiceFloat (fromIntegral (b `rem` 100000) / 256),
        fieldText = text,
        fieldInt = c,
        fieldDouble = fromIntegral (d `rem` 1000000000) / 1000000,
        fieldFloat = fromIntegral (e `rem` 100000) / 256,
        fieldWord = fromIntegral (abs f),
        fieldMaybeText = if present == 0 then Nothing else Just other,
        fieldListText = listed
      }
  _ -> sample
  where
    (text, state1) = letters 3 12 (seed n)
    (choice, state2) = below 2 state1
    (present, state3) = below 2 state2
    (count, state5) = below 5 state3
    (listed, state6) = several count (letters 2 8) state5
    (other, state4) = letters 3 12 state6
