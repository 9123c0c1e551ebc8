{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DerivingVia #-}
{-# LANGUAGE TemplateHaskell #-}
{-# LANGUAGE TypeFamilies #-}

-- | Records with flattened, ignored and computed fields, by Template Haskell and by options as
-- types; one alone, and in each layout of sums. By Template Haskell alone, fields with codecs of
-- their own.
module Tern.Options.Composed
  ( Spot (..),
    Landing (..),
    LandingOptions,
    Move (..),
    Flight (..),
    FlightSingle (..),
    FlightPair (..),
    FlightBare (..),
    Ringing (..),
    RingingPart (..),
    Ringed (..),

    -- * That cannot be
    Meeting (..),
    NoRecord (..),
  )
where

import Data.Text (Text)
import Data.Text qualified as T
import GHC.Generics (Generic)
import Tern
import Tern.Codec qualified as Codec
import Tern.Deriving qualified as D

data Spot = Spot {north :: Int, east :: Int}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Landing = Landing
  { landingAt ::
      Spot,
    landingBirds :: Int,
    landingNote :: Maybe Text,
    landingSeen :: Bool
  }
  deriving stock (Eq, Generic, Show)

data Sum'

instance D.ComputedField Sum' Landing where
  type Computed Sum' Landing = Int
  computedField (Landing (Spot n e) birds _ _) = n + e + birds

data Label

instance D.ComputedField Label Landing where
  type Computed Label Landing = Text
  computedField l = T.pack (show (landingBirds l))

type LandingOptions =
  '[ D.FieldLabelModifier '[D.StripPrefix "landing", D.LowerFirst],
     D.FieldFlattened
       "landingAt"
       '[ D.FieldLabelModifier
            (D.AddPrefix "at_"),
          D.FieldAlias "north" '["n"]
        ],
     D.FieldIgnored "landingSeen" 'True,
     D.FieldDefault "landingBirds" 1,
     D.OmitNothingFields,
     D.RejectUnknownFields,
     D.FieldComputed "sum" Sum',
     D.FieldComputed "label" Label
   ]

deriveWire
  defaultOptions
    { fieldLabelModifier = camelTo2 '_' . drop 7,
      fieldsFlattened =
        [ ( "landingAt",
            defaultOptions
              { fieldLabelModifier = ("at_" <>),
                fieldAliases = \field -> ["n" | field == "north"]
              }
          )
        ],
      fieldsIgnored = [("landingSeen", [|True|])],
      fieldDefaults = [("landingBirds", [|1|])],
      omitNothingFields = True,
      rejectUnknownFields = True,
      fieldsComputed =
        [ ("sum", [|\(Landing (Spot n e) birds _ _) -> n + e + birds|]),
          ("label", [|\l -> T.pack (show (landingBirds l))|])
        ]
    }
  ''Landing

data Move = Move {from :: Spot, speed :: Int}
  deriving stock (Eq, Show)

deriveWire defaultOptions {fieldsFlattened = [("from", defaultOptions)]} ''Move

data Flight = Up {move :: Move, height :: Int} | Down Int | Gone
  deriving stock (Eq, Show)

data FlightSingle = UpS {moveS :: Move, heightS :: Int} | DownS Int | GoneS
  deriving stock (Eq, Show)

data FlightPair = UpP {moveP :: Move, heightP :: Int} | DownP Int | GoneP
  deriving stock (Eq, Show)

data FlightBare = UpB {moveB :: Move, heightB :: Int} | DownB Int | GoneB
  deriving stock (Eq, Show)

-- Flattened twice over: the move's place too.
concat
  <$> sequence
    [ deriveWire
        defaultOptions
          { sumEncoding = encoding,
            fieldsFlattened =
              [(field, defaultOptions {fieldsFlattened = [("from", defaultOptions)]})]
          }
        name
      | (name, field, encoding) <-
          [ (''Flight, "move", sumEncoding defaultOptions),
            (''FlightSingle, "moveS", ObjectWithSingleField),
            (''FlightPair, "moveP", TwoElemArray),
            (''FlightBare, "moveB", UntaggedValue)
          ]
    ]

-- | As a text.
marked :: (Read a, Show a) => Codec a
marked = Codec.refine unmarked (T.pack . ('#' :) . show) codec
  where
    unmarked text = case T.unpack text of
      '#' : rest | [(n, "")] <- reads rest -> Right n
      _ -> Left (T.pack "expected a mark")

data Ringing = Ringing {ring :: Int, second :: Maybe Int, mass :: Int, eyes :: Int}
  deriving stock (Eq, Show)

deriveWire
  defaultOptions
    { omitNothingFields = True,
      fieldAliases = \field -> ["number" | field == "ring"],
      fieldDefaults = [("mass", [|7|])],
      fieldCodecs = [("ring", [|marked|]), ("second", [|marked|]), ("mass", [|marked|])]
    }
  ''Ringing

newtype RingingPart = RingingPart {part :: Ringing}
  deriving stock (Eq, Show)

-- Its codecs are those of the fields that are flattened too.
deriveWire
  defaultOptions
    { fieldsFlattened = [("part", defaultOptions {fieldCodecs = [("eyes", [|marked|])]})]
    }
  ''RingingPart

-- | What one writes is not what another reads, though the types are the same.
data Ringed = Bare {number' :: Int} | Marked {number'' :: Int}
  deriving stock (Eq, Show)

deriveWire
  defaultOptions
    { sumEncoding = UntaggedValue,
      fieldLabelModifier = filter (/= '\''),
      fieldCodecs = [("number''", [|marked|])]
    }
  ''Ringed

data Meeting = Meeting {place :: Spot, north' :: Int}
  deriving stock (Eq, Show)

data NoRecord = NoRecord {number :: Int, other :: Int}
  deriving stock (Eq, Show)
