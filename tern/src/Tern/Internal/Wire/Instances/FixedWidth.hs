-- The class is in "Tern.Internal.Wire.Class", as for "Tern.Internal.Wire.Instances".
{-# OPTIONS_GHC -Wno-orphans #-}

-- | Integers of a fixed width. "Tern.Internal.Wire.FixedWidth" says what they are in each format.
--
-- INLINE, as in "Tern.Internal.Wire.Instances".
module Tern.Internal.Wire.Instances.FixedWidth () where

import Tern.Internal.Native.FixedWidth (FixedWidth)
import Tern.Internal.Wire.Class (Wire (..))
import Tern.Internal.Wire.FixedWidth (MachineInteger, fixedWidthOf)

instance (MachineInteger a) => Wire (FixedWidth a) where
  codec = fixedWidthOf
  {-# INLINE codec #-}
