{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE StandaloneDeriving #-}
{-# LANGUAGE TemplateHaskell #-}

-- | The record of 25 numbers whose encoding article 000 measures.
module Tern.Lab.Sample.Ints25
  ( Ints25 (..),
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
data Ints25 by = Ints25
  { field01 :: !Int,
    field02 :: !Int,
    field03 :: !Int,
    field04 :: !Int,
    field05 :: !Int,
    field06 :: !Int,
    field07 :: !Int,
    field08 :: !Int,
    field09 :: !Int,
    field10 :: !Int,
    field11 :: !Int,
    field12 :: !Int,
    field13 :: !Int,
    field14 :: !Int,
    field15 :: !Int,
    field16 :: !Int,
    field17 :: !Int,
    field18 :: !Int,
    field19 :: !Int,
    field20 :: !Int,
    field21 :: !Int,
    field22 :: !Int,
    field23 :: !Int,
    field24 :: !Int,
    field25 :: !Int
  }
  deriving stock (Eq, Generic, Show)

-- Ends the group of declarations: the splices below look at the type.
pure []

deriving anyclass instance Wire (Ints25 ByGeneric)

deriveWireFor Tern.defaultOptions [t|Ints25 ByTemplate|]

-- | Every field is strict.
instance NFData (Ints25 by) where
  rnf = rwhnf

instance ToJSON (Ints25 ByGeneric) where
  toEncoding = genericToEncoding defaultOptions

instance FromJSON (Ints25 ByGeneric)

instance ToJSON (Ints25 ByTemplate) where
  toJSON = $(mkToJSON defaultOptions ''Ints25)
  toEncoding = $(mkToEncoding defaultOptions ''Ints25)

instance FromJSON (Ints25 ByTemplate) where
  parseJSON = $(mkParseJSON defaultOptions ''Ints25)

-- | Tern's four formats and aeson. It brings one value, and different ones by their numbers.
subject :: Subject
subject =
  Subject
    { subjectName = "ints25",
      subjectAbout = "a record of 25 Ints (article 000)",
      subjectCodecs =
        [ tern @(Ints25 ByGeneric) "tern",
          tern @(Ints25 ByTemplate) "tern-th",
          ternMessagePack @(Ints25 ByTemplate) "tern-messagepack",
          ternCbor @(Ints25 ByTemplate) "tern-cbor",
          ternNative @(Ints25 ByTemplate) "tern-native",
          aeson @(Ints25 ByTemplate) "aeson-th",
          aeson @(Ints25 ByGeneric) "aeson-generic"
        ],
      subjectValue = Just sample,
      subjectValues = Just different
    }

sample :: Ints25 ()
sample =
  Ints25
    7
    49
    343
    2401
    16807
    117649
    823543
    5764801
    40353607
    282475249
    3
    1
    407
    2849
    9943
    569601
    3987207
    97910449
    185373143
    6297612001
    7
    49
    343
    4401
    807
{-# NOINLINE sample #-}

-- | The n-th of many.
different :: Int -> Ints25 ()
different n = case integers (seed n) of
  a01
    : a02
    : a03
    : a04
    : a05
    : a06
    : a07
    : a08
    : a09
    : a10
    : a11
    : a12
    : a13
    : a14
    : a15
    : a16
    : a17
    : a18
    : a19
    : a20
    : a21
    : a22
    : a23
    : a24
    : a25
    : _ ->
      Ints25
        a01
        a02
        a03
        a04
        a05
        a06
        a07
        a08
        a09
        a10
        a11
        a12
        a13
        a14
        a15
        a16
        a17
        a18
        a19
        a20
        a21
        a22
        a23
        a24
        a25
  _ -> sample
