{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DerivingVia #-}
{-# LANGUAGE DuplicateRecordFields #-}
{-# LANGUAGE TemplateHaskell #-}

-- | Types with options, by Template Haskell; and the same options as types, by names.
module Tern.Options.Declarations
  ( -- * By templates, and by options as types
    Bird (..),
    BirdOptions,
    Plumage (..),
    PlumageOptions,
    Sky (..),
    SkyOptions,
    SkySingle (..),
    SkySingleOptions,
    SkyPair (..),
    SkyPairOptions,
    Ring (..),
    RingOptions,
    Lone (..),
    LoneOptions,
    LoneName (..),
    LoneNameOptions,
    Objects (..),
    ObjectsOptions,
    Sound (..),
    SoundOptions,
    Nest (..),
    NestOptions,
    Kept (..),
    KeptByClause (..),

    -- * By options as types alone
    Place (..),
    Sighting (..),
  )
where

import Data.Map (Map)
import Data.Text (Text)
import GHC.Generics (Generic)
import Tern
import Tern.Deriving qualified as D

data Bird = Bird
  { birdName ::
      Text,
    birdWingSpan :: Maybe Int,
    birdRingNumbers :: [Int],
    birdOf :: Maybe Text
  }
  deriving stock (Eq, Generic, Show)

type BirdOptions =
  '[ D.FieldLabelModifier
       '[D.StripPrefix "bird", D.CamelToSnake],
     D.OmitNothingFields,
     D.RejectUnknownFields
   ]

deriveWire
  defaultOptions
    { fieldLabelModifier =
        camelTo2 '_' . drop 4,
      omitNothingFields = True,
      rejectUnknownFields = True
    }
  ''Bird

data Plumage = WinterPlumage | SummerPlumage | JuvenilePlumage
  deriving stock (Bounded, Enum, Eq, Generic, Ord, Show)

type PlumageOptions =
  '[ D.ConstructorTagModifier
       '[ D.StripSuffix
            "Plumage",
          D.LowerFirst,
          D.Rename "juvenile" "a \"young\" one"
        ]
   ]

deriveWire
  defaultOptions
    { constructorTagModifier = \case
        "JuvenilePlumage" -> "a \"young\" one"
        name -> camelTo2 '_' (take (length name - 7) name)
    }
  ''Plumage

data Sky = Clouds Int | Fog {sightMetres :: Int, since :: Maybe Int} | Wind Double Text | Clear
  deriving stock (Eq, Generic, Show)

type SkyOptions =
  '[ D.SumTaggedObject
       "t\"y"
       "value",
     D.ConstructorTagModifier D.CamelToKebab,
     D.FieldLabelModifier D.CamelToKebab,
     D.RejectUnknownFields
   ]

deriveWire
  defaultOptions
    { sumEncoding =
        TaggedObject "t\"y" "value",
      constructorTagModifier = camelTo2 '-',
      fieldLabelModifier = camelTo2 '-',
      rejectUnknownFields = True
    }
  ''Sky

data SkySingle
  = CloudsS Int
  | FogS {sightS :: Int, sinceS :: Maybe Int}
  | WindS Double Text
  | ClearS
  deriving stock (Eq, Generic, Show)

type SkySingleOptions =
  '[D.SumObjectWithSingleField, D.ConstructorTagModifier (D.CamelTo " "), D.OmitNothingFields]

deriveWire
  defaultOptions
    { sumEncoding =
        ObjectWithSingleField,
      constructorTagModifier = camelTo2 ' ',
      omitNothingFields = True
    }
  ''SkySingle

data SkyPair = CloudsP Int | FogP {sightP :: Int, sinceP :: Maybe Int} | WindP Double Text | ClearP
  deriving stock (Eq, Generic, Show)

type SkyPairOptions = '[D.SumTwoElemArray, D.FieldLabelModifier D.UpperFirst]

deriveWire
  defaultOptions
    { sumEncoding =
        TwoElemArray,
      fieldLabelModifier = \name -> case name of 's' : rest -> 'S' : rest; _ -> name
    }
  ''SkyPair

newtype Ring = Ring {ringNumber :: Int}
  deriving stock (Eq, Ord, Generic, Show)

type RingOptions = '[D.UnwrapUnaryRecords]

deriveWire defaultOptions {unwrapUnaryRecords = True} ''Ring

data Lone = Lone {loneliness :: Int}
  deriving stock (Eq, Generic, Show)

type LoneOptions = '[D.TagSingleConstructors, D.SumTaggedObject "kind" "of"]

deriveWire
  defaultOptions
    { tagSingleConstructors =
        True,
      sumEncoding = TaggedObject "kind" "of"
    }
  ''Lone

data LoneName = LoneName
  deriving stock (Eq, Generic, Show)

type LoneNameOptions = '[D.TagSingleConstructors, D.NoAllNullaryToStringTag]

deriveWire defaultOptions {tagSingleConstructors = True, allNullaryToStringTag = False} ''LoneName

data Objects = First | Second
  deriving stock (Eq, Generic, Show)

type ObjectsOptions = '[D.NoAllNullaryToStringTag, D.SumObjectWithSingleField]

deriveWire
  defaultOptions
    { allNullaryToStringTag =
        False,
      sumEncoding = ObjectWithSingleField
    }
  ''Objects

-- | With names that are no UTF-8 as GHC writes them: U+0000, surrogates.
data Sound = Call {soundPitch :: Int, soundAt :: Maybe Int} | Song Int | Silence
  deriving stock (Eq, Generic, Show)

type SoundOptions =
  '[ D.SumTaggedObject "kind\0\xd800" "\0\228",
     D.ConstructorTagModifier (D.AddPrefix "\xdfff\0\xd55c"),
     D.FieldLabelModifier (D.AddPrefix "sound of a bird: \0\228\xdc00")
   ]

deriveWire
  defaultOptions
    { sumEncoding =
        TaggedObject "kind\0\xd800" "\0\228",
      constructorTagModifier = ("\xdfff\0\xd55c" <>),
      fieldLabelModifier = ("sound of a bird: \0\228\xdc00" <>)
    }
  ''Sound

-- | Within itself.
data Nest = Nest {nestInner :: [Nest], nestBeside :: Maybe Nest, nestKeys :: Map Ring Int}
  deriving stock (Eq, Generic, Show)

type NestOptions = '[D.FieldLabelModifier (D.StripPrefix "nest"), D.OmitNothingFields]

deriveWire defaultOptions {fieldLabelModifier = drop 4, omitNothingFields = True} ''Nest

-- | Of a parameter, which may become 'Maybe'.
data Kept a = Kept {kept :: a, besides :: Maybe Int}
  deriving stock (Eq, Show)

deriveWire defaultOptions {omitNothingFields = True} ''Kept

data KeptByClause a = KeptByClause {kept :: a, besides :: Maybe Int}
  deriving stock (Eq, Generic, Show)
  deriving (Wire) via (D.WithOptions '[D.OmitNothingFields] (KeptByClause a))

-- * By options as types alone

data Place = Place {north :: Double, east :: Double}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Sighting = Sighting
  { species ::
      Text,
    count :: Int,
    at :: Place,
    remark :: Maybe Text,
    cached :: Int
  }
  deriving stock (Eq, Generic, Show)
  deriving
    (Wire)
    via ( D.WithOptions
            '[ D.FieldAlias "count" '["number", "n\"o"],
               D.FieldDefault "count" 1,
               D.FieldFlattened "at" '[D.FieldLabelModifier (D.AddPrefix "place_")],
               D.FieldIgnored "cached" 7,
               D.OmitNothingFields,
               D.RejectUnknownFields
             ]
            Sighting
        )
