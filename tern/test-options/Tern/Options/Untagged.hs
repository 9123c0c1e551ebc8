{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DerivingVia #-}
{-# LANGUAGE TemplateHaskell #-}

-- | Sums without tags, and such as cannot be.
module Tern.Options.Untagged
  ( untagged,
    Thing (..),
    radiusOf,
    wideOf,
    innerOf,
    Word' (..),
    Chain (..),
    nextOf,
    moreOf,
    ChainOfTypes (..),
    Even (..),
    Odd (..),

    -- * That cannot be
    Twice (..),
    AfterText (..),
    MoreFields (..),
    FewerFields (..),
  )
where

import Data.Text (Text)
import GHC.Generics (Generic)
import Tern
import Tern.Deriving qualified as D

untagged :: Options
untagged = defaultOptions {sumEncoding = UntaggedValue}

data Thing
  = Nothing'
  | Count Int
  | Name Text
  | Several [Thing]
  | Pair' Int Bool
  | Round {radius :: Double}
  | Box {wide :: Int, inner :: Maybe Thing}
  deriving stock (Eq, Generic, Show)

radiusOf :: Thing -> Double
radiusOf = \case
  Round r -> r
  _ -> 0

wideOf :: Thing -> Int
wideOf = \case
  Box w _ -> w
  _ -> 0

innerOf :: Thing -> Maybe Thing
innerOf = \case
  Box _ i -> i
  _ -> Nothing

data Deep = Deep {b :: Int}
  deriving stock (Eq, Generic, Show)

data Word' = Letters Text | Fields {a :: Deep}
  deriving stock (Eq, Generic, Show)

data Chain = End Int | Long {next :: Chain, more :: Int} | Short {next :: Chain}
  deriving stock (Eq, Generic, Show)

nextOf :: Chain -> Chain
nextOf = \case
  End n -> End n
  Long c _ -> c
  Short c -> c

moreOf :: Chain -> Int
moreOf = \case
  Long _ m -> m
  _ -> 0

data ChainOfTypes
  = EndT Int
  | LongT {nextT :: ChainOfTypes, moreT :: Int}
  | ShortT {nextT :: ChainOfTypes}
  deriving stock (Eq, Generic, Show)
  deriving
    (Wire)
    via (D.WithOptions '[D.SumUntaggedValue, D.FieldLabelModifier (D.StripSuffix "T")] ChainOfTypes)

-- | Each holds the other one.
data Even = EvenEnd Int | EvenLong {odd :: Odd, evenMore :: Int} | EvenShort {odd :: Odd}
  deriving stock (Eq, Generic, Show)

data Odd = OddLong {even :: Even, oddMore :: Int} | OddShort {even :: Even}
  deriving stock (Eq, Generic, Show)

deriveWire defaultOptions ''Deep
deriveWire defaultOptions {sumEncoding = UntaggedValue} ''Thing
deriveWire defaultOptions {sumEncoding = UntaggedValue} ''Word'
deriveWire defaultOptions {sumEncoding = UntaggedValue} ''Chain
concat <$> mapM (deriveWire defaultOptions {sumEncoding = UntaggedValue}) [''Even, ''Odd]

data Twice = Once Int | Again Int
  deriving stock (Eq, Show)

data AfterText = Before Text | After
  deriving stock (Eq, Show)

data MoreFields = One {x :: Int, y :: Maybe Text} | Two {x :: Int, z :: Int}
  deriving stock (Eq, Show)

data FewerFields = Two' {x' :: Int, z' :: Int} | One' {x' :: Int, y' :: Maybe Text}
  deriving stock (Eq, Show)
