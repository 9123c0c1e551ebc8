{-# LANGUAGE DataKinds #-}
{-# LANGUAGE TemplateHaskell #-}
{-# LANGUAGE UndecidableInstances #-}

-- | Types whose names are traps.
module Tern.Values.Declarations
  ( -- * Types
    Quoting (..),
    Coast (..),
    Bird (..),
    Perhaps,
    Sighting (..),
    SameFields (..),
    SameConstructors (..),
    Pair (..),
    Open (..),
    Closed (..),
    OnlyJson (..),
    renamed,
  )
where

import Tern

-- | The name of the tag needs an escape.
data Quoting = Sa {depth :: Int} | So
  deriving stock (Eq, Show)

data Coast = Rocky | Sandy
  deriving stock (Eq, Show)

type Perhaps = Maybe

type Name = Perhaps Int

data Bird = Bird {ring :: Name, wings :: Perhaps Int, legs :: Maybe Int, coast :: Int}
  deriving stock (Eq, Show)

data Sighting = Sighting {tag :: Int} | None
  deriving stock (Eq, Show)

data SameFields = SameFields {aOne :: Int, aTwo :: Int}

data SameConstructors = SameOne Int | SameTwo Int

data Pair = Pair {a :: Int, b :: Int}
  deriving stock (Eq, Show)

-- | Of two constructors, so that there is a tag.
data Open = Held Int | Hollow
  deriving stock (Eq, Show)

-- | The same, refusing other members.
data Closed = Shut Int | Void
  deriving stock (Eq, Show)

-- | It lacks the other formats.
newtype OnlyJson = OnlyJson {only :: Int}
  deriving stock (Eq, Show)

renamed :: Options
renamed = defaultOptions {fieldLabelModifier = take 1, constructorTagModifier = take 4}

deriveWire defaultOptions {sumEncoding = TaggedObject "t\"y" "contents"} ''Quoting
deriveWire defaultOptions {omitNothingFields = True} ''Bird

deriveWire defaultOptions ''Pair
deriveWire defaultOptions ''Open
deriveWire defaultOptions {rejectUnknownFields = True} ''Closed

deriveWire defaultOptions {wireFormats = [AsJson]} ''OnlyJson
