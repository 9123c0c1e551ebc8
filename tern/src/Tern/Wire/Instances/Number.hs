-- The class is in "Tern.Wire.Class", as for "Tern.Wire.Instances".
{-# OPTIONS_GHC -Wno-orphans #-}

-- | Exact numbers. "Tern.Wire.Number" says what they are in each format.
module Tern.Wire.Instances.Number () where

import Data.Fixed (Fixed, HasResolution)
import Data.Ratio (Ratio)
import Data.Scientific (Scientific)
import Data.Time.Clock (DiffTime, NominalDiffTime)
import Data.Time.Clock.System (SystemTime)
import Data.Typeable (Typeable)
import Tern.Wire.Class
import Tern.Wire.Number

instance Wire Scientific where
  codec = scientific

instance (HasResolution a, Typeable a, Typeable k) => Wire (Fixed (a :: k)) where
  codec = fixed

instance (Integral a, Wire a) => Wire (Ratio a) where
  codec = ratio

instance Wire DiffTime where
  codec = diffTime

instance Wire NominalDiffTime where
  codec = nominalDiffTime

instance Wire SystemTime where
  codec = systemTime
