{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE StandaloneDeriving #-}
{-# LANGUAGE TemplateHaskell #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- | The codecs of those records. Orphans: the limits need the types as well.
module Tern.Bench.Native.Codec
  ( ByPosition,
    serialised,
    deserialised,
    packed,
    unpacked,
  )
where

import Data.ByteString (ByteString)
import Tern
import Tern.Bench.Declare (ByGeneric, ByTemplate)
import Tern.Bench.Native.Record (Article, Choice, Entry, Figure)

-- | Records as arrays and constructors as keys, which other libraries' MessagePack
-- is by default.
data ByPosition

deriving anyclass instance Wire (Choice ByGeneric)

deriving anyclass instance Wire (Article ByGeneric)

deriving anyclass instance Wire (Figure ByGeneric)

deriving anyclass instance Wire (Entry ByGeneric)

deriveWireFor defaultOptions [t|Choice ByTemplate|]

deriveWireFor defaultOptions [t|Article ByTemplate|]

deriveWireFor defaultOptions [t|Figure ByTemplate|]

deriveWireFor defaultOptions [t|Entry ByTemplate|]

deriveWireFor
  defaultOptions
    { messagePackRecords =
        Positions,
      sumEncoding = ObjectWithSingleField
    }
  [t|Choice ByPosition|]

deriveWireFor
  defaultOptions
    { messagePackRecords =
        Positions,
      sumEncoding = ObjectWithSingleField
    }
  [t|Article ByPosition|]

deriveWireFor
  defaultOptions
    { messagePackRecords =
        Positions,
      sumEncoding = ObjectWithSingleField
    }
  [t|Figure ByPosition|]

deriveWireFor
  defaultOptions
    { messagePackRecords =
        Positions,
      sumEncoding = ObjectWithSingleField
    }
  [t|Entry ByPosition|]

serialised :: (Wire a) => a -> ByteString
serialised = encodeNative
{-# INLINE serialised #-}

deserialised :: (Wire a) => ByteString -> Maybe a
deserialised = either (const Nothing) Just . decodeNative
{-# INLINE deserialised #-}

packed :: (Wire a) => a -> ByteString
packed = encodeMessagePack
{-# INLINE packed #-}

unpacked :: (Wire a) => ByteString -> Maybe a
unpacked = either (const Nothing) Just . decodeMessagePack
{-# INLINE unpacked #-}
