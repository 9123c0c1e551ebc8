-- Neither the class nor the types are this package's: that is what it is for.
{-# OPTIONS_GHC -Wno-orphans #-}

-- | Formats for aeson's own types: 'A.Value', 'AK.Key' and 'KeyMap'. To import the module is to
-- have them.
--
-- The idea: a record that holds a piece of JSON as aeson has it moves over as any other does, by
-- one import, and the piece stays the same bytes ("Tern.Aeson", 'ViaAeson').
module Tern.Aeson.Instances () where

import Data.Aeson qualified as A
import Data.Aeson.Key qualified as AK
import Data.Aeson.KeyMap (KeyMap)
import Data.Aeson.KeyMap qualified as AM
import Tern (Wire (..))
import Tern.Aeson (ViaAeson (..))
import Tern.Internal.Wire.Codec (mapCodec)

-- $setup
-- >>> import Data.Aeson qualified as A
-- >>> import Tern

-- | Any document. A number that is no 'Data.Scientific.Scientific' within Tern's limits is refused.
--
-- >>> encodeJson (A.object [("b", A.Number 1.5), ("a", A.Null)])
-- "{\"a\":null,\"b\":1.5}"
instance Wire A.Value where
  codec = mapCodec (\(ViaAeson value) -> value) ViaAeson codec

-- | A text, and a key of objects.
instance Wire AK.Key where
  codec = mapCodec AK.fromText AK.toText codec

-- | An object. Its members are written in the order of aeson's map.
instance (Wire a) => Wire (KeyMap a) where
  codec = mapCodec AM.fromMapText AM.toMapText codec
