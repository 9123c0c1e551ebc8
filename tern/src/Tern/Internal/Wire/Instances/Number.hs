-- The class is in "Tern.Internal.Wire.Class", as for "Tern.Internal.Wire.Instances".
{-# OPTIONS_GHC -Wno-orphans #-}

-- | Exact numbers. "Tern.Internal.Wire.Number" says what they are in each format.
module Tern.Internal.Wire.Instances.Number () where

import Data.Fixed (Fixed, HasResolution)
import Data.Ratio (Ratio)
import Data.Scientific (Scientific)
import Data.Time.Clock (DiffTime, NominalDiffTime)
import Data.Time.Clock.System (SystemTime)
import Data.Typeable (Typeable)
import Tern.Internal.Wire.Class (Wire (..))
import Tern.Internal.Wire.Number (diffTime, fixed, nominalDiffTime, ratio, scientific, systemTime)

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
