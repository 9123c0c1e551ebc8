-- The class is in "Tern.Internal.Wire.Class", as for "Tern.Internal.Wire.Instances".
{-# OPTIONS_GHC -Wno-orphans #-}

-- | Bytes and UUIDs. "Tern.Internal.Wire.Bytes" says what they are in each format.
module Tern.Internal.Wire.Instances.Bytes () where

import Data.ByteString (ByteString)
import Data.ByteString.Lazy qualified as BL
import Data.ByteString.Short (ShortByteString)
import Data.UUID.Types (UUID)
import Tern.Internal.Wire.Bytes (Base64Url, Hex, base64Url, bytes, hex, lazyBytes, shortBytes, uuid)
import Tern.Internal.Wire.Class (Wire (..))

instance Wire ByteString where
  codec = bytes

instance Wire BL.ByteString where
  codec = lazyBytes

instance Wire ShortByteString where
  codec = shortBytes

instance Wire Hex where
  codec = hex

instance Wire Base64Url where
  codec = base64Url

instance Wire UUID where
  codec = uuid
