{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE TemplateHaskell #-}
{-# LANGUAGE UndecidableInstances #-}

-- | Types with their instances in another module than what holds them.
module Tern.Inspect.Elsewhere (Elsewhere (..), Partly (..)) where

import GHC.Generics (Generic)
import Tern (Wire)
import Tern.Derive (Options (..), WireFormat (..), defaultOptions, deriveWire)

data Elsewhere = Elsewhere {first :: !Int, second :: !Bool}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | One that has no form but JSON.
newtype Partly = Partly {third :: Int}
  deriving stock (Eq, Ord, Show)

deriveWire defaultOptions {wireFormats = [AsJson]} ''Partly
