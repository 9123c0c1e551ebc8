-- | The class of types that have wire formats, with its instances and what
-- @deriving anyclass Wire@ runs.
--
-- Start at "Tern.Wire.Class".
module Tern.Wire
  ( Wire (..),
    Codec,
    plain,
    Key (..),

    -- * What a type's codec has
    jsonW,
    jsonR,
    mpackW,
    mpackR,
    cborW,
    cborR,
    nativeW,
    nativeR,
    shape,
    absent,
    jsonKey,
    shapeOf,

    -- * Bytes as other texts
    Hex (..),
    Base64Url (..),

    -- * Generic deriving
    genericJsonW,
    genericJsonR,
    genericMpackW,
    genericMpackR,
    genericCborW,
    genericCborR,
    genericNativeW,
    genericNativeR,
    genericShape,
    GJsonW,
    GJsonR,
    GBinaryW,
    GBinaryR,
    GNativeW,
    GNativeR,
    GShape,
    GKey,
  )
where

import Tern.Json.Container (Key (..))
import Tern.Wire.Bytes (Base64Url (..), Hex (..))
import Tern.Wire.Class
import Tern.Wire.Codec (Codec, plain)
import Tern.Wire.Generic.Binary ()
import Tern.Wire.Generic.Json ()
import Tern.Wire.Generic.Native ()
import Tern.Wire.Generic.Shape ()
import Tern.Wire.Instances ()
import Tern.Wire.Instances.Bytes ()
import Tern.Wire.Instances.Calendar ()
import Tern.Wire.Instances.Collection ()
import Tern.Wire.Instances.Newtype ()
import Tern.Wire.Instances.Number ()
import Tern.Wire.Instances.Time ()
import Tern.Wire.Instances.Tuple ()
