-- | One declaration gives a type its wire formats, at the speed of code written
-- by hand.
--
-- > {-# LANGUAGE DeriveAnyClass #-}
-- > import Tern
-- > import GHC.Generics (Generic)
-- >
-- > data Reading = Reading {sensor :: Text, celsius :: Double}
-- >   deriving stock (Generic)
-- >   deriving anyclass (Wire)
--
-- 'encodeJson' and 'decodeJson' now serve it, and so do 'encodeMessagePack' and
-- 'decodeMessagePack', 'encodeCbor' and 'decodeCbor', 'encodeNative' and
-- 'decodeNative'. Options are said in the deriving clause by 'WithOptions', or to
-- 'deriveWire'. Codecs by hand are made from those of other types, by "Tern.Codec".
module Tern
  ( -- * Types with wire formats
    Wire (..),
    WireIn,
    Codec,
    jsonW,
    jsonR,
    mpackW,
    mpackR,
    cborW,
    cborR,
    nativeW,
    nativeR,
    Key (..),
    opaque,
    like,

    -- * Bytes as other texts
    Hex (..),
    Base64Url (..),

    -- * Integers of a fixed width
    FixedWidth (..),

    -- * Deriving with options, as types
    module Tern.Deriving,

    -- * Deriving with options, by Template Haskell
    deriveWire,
    deriveWireFor,
    Options (..),
    defaultOptions,
    SumEncoding (..),
    RecordLayout (..),
    WireFormat (..),
    camelTo2,

    -- * JSON
    encodeJson,
    encodeJsonLazy,
    encodeJsonText,
    decodeJson,
    decodeJsonLazy,
    decodeJsonText,
    decodeJsonWith,

    -- * MessagePack
    encodeMessagePack,
    encodeMessagePackLazy,
    decodeMessagePack,
    decodeMessagePackLazy,
    decodeMessagePackWith,

    -- * CBOR
    encodeCbor,
    encodeCborLazy,
    decodeCbor,
    decodeCborLazy,
    decodeCborWith,

    -- * The native format
    encodeNative,
    encodeNativeLazy,
    decodeNative,
    decodeNativeLazy,
    decodeNativeWith,

    -- * Limits
    Limits (..),
    defaultLimits,
    unlimited,

    -- * Errors
    Error (..),
    Segment (..),
    Path,
    Reason (..),
    Expected (..),
    Exceeded (..),
    renderError,
    renderBinaryError,
    renderPath,
    renderReason,
  )
where

import Tern.Cbor (decodeCbor, decodeCborLazy, decodeCborWith, encodeCbor, encodeCborLazy)
import Tern.Derive
  ( Options (..),
    RecordLayout (..),
    SumEncoding (..),
    WireFormat (..),
    camelTo2,
    defaultOptions,
    deriveWire,
    deriveWireFor,
  )
import Tern.Deriving
import Tern.Error
  ( Error (..),
    Exceeded (..),
    Expected (..),
    Path,
    Reason (..),
    Segment (..),
    renderBinaryError,
    renderError,
    renderPath,
    renderReason,
  )
import Tern.Json
  ( decodeJson,
    decodeJsonLazy,
    decodeJsonText,
    decodeJsonWith,
    encodeJson,
    encodeJsonLazy,
    encodeJsonText,
  )
import Tern.Limits (Limits (..), defaultLimits, unlimited)
import Tern.MessagePack
  ( decodeMessagePack,
    decodeMessagePackLazy,
    decodeMessagePackWith,
    encodeMessagePack,
    encodeMessagePackLazy,
  )
import Tern.Native
  ( decodeNative,
    decodeNativeLazy,
    decodeNativeWith,
    encodeNative,
    encodeNativeLazy,
  )
import Tern.Shape (like, opaque)
import Tern.Wire
  ( Base64Url (..),
    Codec,
    FixedWidth (..),
    Hex (..),
    Key (..),
    Wire (..),
    WireIn,
    cborR,
    cborW,
    jsonR,
    jsonW,
    mpackR,
    mpackW,
    nativeR,
    nativeW,
  )
