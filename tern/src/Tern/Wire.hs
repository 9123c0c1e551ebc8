-- | The class of types that have wire formats, with its instances and what
-- @deriving anyclass Wire@ runs.
--
-- Start at "Tern.Internal.Wire.Class".
module Tern.Wire
  ( Wire (..),
    Codec,

    -- * Types with some formats
    WireIn (..),
    CodecIn,
    WireFormat (..),
    Every,
    Has,

    -- * Codecs
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
    fingerprintOf,

    -- * Bytes as other texts
    Hex (..),
    Base64Url (..),

    -- * Integers of a fixed width
    FixedWidth (..),
    MachineInteger,
    plainUnboxed,
    fixedUnboxed,
    plainStorable,
    fixedStorable,
    plainPrimitive,
    fixedPrimitive,

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

import Tern.Internal.Json.Container (Key (..))
import Tern.Internal.Native.FixedWidth
  ( FixedWidth (..),
    fixedPrimitive,
    fixedStorable,
    fixedUnboxed,
    plainPrimitive,
    plainStorable,
    plainUnboxed,
  )
import Tern.Internal.Wire.Bytes (Base64Url (..), Hex (..))
import Tern.Internal.Wire.Class
  ( GBinaryR,
    GBinaryW,
    GJsonR,
    GJsonW,
    GKey,
    GNativeR,
    GNativeW,
    GShape,
    Wire (..),
    WireIn (..),
    absent,
    cborR,
    cborW,
    fingerprintOf,
    genericCborR,
    genericCborW,
    genericJsonR,
    genericJsonW,
    genericMpackR,
    genericMpackW,
    genericNativeR,
    genericNativeW,
    genericShape,
    jsonKey,
    jsonR,
    jsonW,
    mpackR,
    mpackW,
    nativeR,
    nativeW,
    shape,
    shapeOf,
  )
import Tern.Internal.Wire.Codec (Codec, CodecIn, plain)
import Tern.Internal.Wire.FixedWidth (MachineInteger)
import Tern.Internal.Wire.Format (Every, Has, WireFormat (..))
import Tern.Internal.Wire.Generic.Binary ()
import Tern.Internal.Wire.Generic.Json ()
import Tern.Internal.Wire.Generic.Native ()
import Tern.Internal.Wire.Generic.Shape ()
import Tern.Internal.Wire.Instances ()
import Tern.Internal.Wire.Instances.Bytes ()
import Tern.Internal.Wire.Instances.Calendar ()
import Tern.Internal.Wire.Instances.Collection ()
import Tern.Internal.Wire.Instances.FixedWidth ()
import Tern.Internal.Wire.Instances.Newtype ()
import Tern.Internal.Wire.Instances.Number ()
import Tern.Internal.Wire.Instances.Partial ()
import Tern.Internal.Wire.Instances.Time ()
import Tern.Internal.Wire.Instances.Tuple ()
