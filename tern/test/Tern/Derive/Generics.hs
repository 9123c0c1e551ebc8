{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE TemplateHaskell #-}
{-# OPTIONS_GHC -Wno-missing-export-lists -Wno-missing-signatures #-}

-- | Instances by generics.
module Tern.Derive.Generics where

import Data.Aeson qualified as Aeson
import Tern (Wire)
import Tern.Derive.Declarations (checks, declarations)
import Test.Tasty (TestTree)

declarations

deriving anyclass instance Wire Fields

deriving anyclass instance Aeson.ToJSON Fields

deriving anyclass instance Aeson.FromJSON Fields

deriving anyclass instance Wire Optional

deriving anyclass instance Aeson.ToJSON Optional

deriving anyclass instance Aeson.FromJSON Optional

deriving anyclass instance Wire Lonely

deriving anyclass instance Aeson.ToJSON Lonely

deriving anyclass instance Aeson.FromJSON Lonely

deriving anyclass instance Wire Wrapped

deriving anyclass instance Aeson.ToJSON Wrapped

deriving anyclass instance Aeson.FromJSON Wrapped

deriving anyclass instance Wire Unwrapped

deriving anyclass instance Aeson.ToJSON Unwrapped

deriving anyclass instance Aeson.FromJSON Unwrapped

deriving anyclass instance Wire Positional

deriving anyclass instance Aeson.ToJSON Positional

deriving anyclass instance Aeson.FromJSON Positional

deriving anyclass instance Wire Trivial

deriving anyclass instance Aeson.ToJSON Trivial

deriving anyclass instance Aeson.FromJSON Trivial

deriving anyclass instance Wire Colour

deriving anyclass instance Aeson.ToJSON Colour

deriving anyclass instance Aeson.FromJSON Colour

deriving anyclass instance Wire Shape

deriving anyclass instance Aeson.ToJSON Shape

deriving anyclass instance Aeson.FromJSON Shape

deriving anyclass instance Wire Ordering'

deriving anyclass instance Aeson.ToJSON Ordering'

deriving anyclass instance Aeson.FromJSON Ordering'

deriving anyclass instance Wire Plain

deriving anyclass instance Aeson.ToJSON Plain

deriving anyclass instance Aeson.FromJSON Plain

deriving anyclass instance Wire Rose

deriving anyclass instance Aeson.ToJSON Rose

deriving anyclass instance Aeson.FromJSON Rose

deriving anyclass instance Wire Forest

deriving anyclass instance Aeson.ToJSON Forest

deriving anyclass instance Aeson.FromJSON Forest

deriving anyclass instance Wire Term

deriving anyclass instance Aeson.ToJSON Term

deriving anyclass instance Aeson.FromJSON Term

deriving anyclass instance (Wire a) => Wire (Tree a)

deriving anyclass instance (Aeson.ToJSON a) => Aeson.ToJSON (Tree a)

deriving anyclass instance (Aeson.FromJSON a) => Aeson.FromJSON (Tree a)

tests :: [TestTree]
tests = $checks
