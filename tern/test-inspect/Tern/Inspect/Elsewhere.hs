{-# LANGUAGE DeriveAnyClass #-}

-- | A type with its instance in another module than the type that holds it.
module Tern.Inspect.Elsewhere (Elsewhere (..)) where

import GHC.Generics (Generic)
import Tern (Wire)

data Elsewhere = Elsewhere {first :: !Int, second :: !Bool}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)
