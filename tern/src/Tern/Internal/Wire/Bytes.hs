{-# LANGUAGE MagicHash #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Bytes: as text in JSON, as they are elsewhere; and UUIDs, which are sixteen of them.
--
-- The idea: a string of bytes is a type of its own in each format but JSON, where a
-- text stands for it. Which text, a newtype says.
module Tern.Internal.Wire.Bytes
  ( -- * Bytes
    bytes,
    lazyBytes,
    shortBytes,

    -- * Other texts for them
    Hex (..),
    hex,
    Base64Url (..),
    base64Url,

    -- * UUIDs
    uuid,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString.Lazy qualified as BL
import Data.ByteString.Short (ShortByteString, fromShort, toShort)
import Data.UUID.Types (UUID, fromByteString, fromWords64, toWords64)
import GHC.Exts
import GHC.Word (Word64 (..))
import Tern.Error (Expected (..), Reason (..))
import Tern.Internal.Cbor.Read qualified as CborR
import Tern.Internal.Cbor.Tag qualified as Cbor
import Tern.Internal.Cbor.Write qualified as CborW
import Tern.Internal.Form (Form)
import Tern.Internal.Form.Bytes (Alphabet (Base16, Base64), bytesForm)
import Tern.Internal.Form.Bytes qualified as Alphabet
import Tern.Internal.Form.Uuid (uuidForm)
import Tern.Internal.Json.Form qualified as Json
import Tern.Internal.MessagePack.Read qualified as MpackR
import Tern.Internal.MessagePack.Write qualified as MpackW
import Tern.Internal.Native.Read qualified as NativeR
import Tern.Internal.Native.Reader qualified as Native
import Tern.Internal.Native.Write qualified as NativeW
import Tern.Internal.Read (Reader (..), Step, failAt)
import Tern.Internal.Wire.Codec (Codec, CodecIn (..), mapCodec, plain)
import Tern.Internal.Write (Writer (..))
import Tern.Prim.BigEndian (load64)
import Tern.Prim.BigEndian qualified as Prim
import Tern.Shape (Shape, ShapeOf (..))
import Tern.Shape qualified as Shape

-- $setup
-- >>> import Tern

-- * Bytes

-- | Base64 in JSON, with padding, which readers do without; @bin@ in MessagePack.
bytes :: Codec ByteString
bytes = bytesAs (bytesForm Base64) Shape.Binary

-- | As 'bytes'. What is written is made one strict string first; what is read has one chunk at
-- most.
lazyBytes :: Codec BL.ByteString
lazyBytes = mapCodec BL.fromStrict BL.toStrict bytes

-- | As 'bytes', with a copy more each way.
shortBytes :: Codec ShortByteString
shortBytes = mapCodec toShort fromShort bytes

bytesAs :: Form ByteString -> Shape -> Codec ByteString
bytesAs form shape =
  ( plain
      (ShapeOf shape)
      (Json.formW form)
      (Json.formR form)
      MpackW.binary
      (Reader MpackR.binary)
      CborW.bytes
      (Reader CborR.bytes)
      NativeW.bytes
      NativeR.bytes
  )
    { codecKey = Json.formKey form
    }

-- * Other texts for them

-- | Bytes that JSON has as hexadecimal digits, in small letters; read in any.
--
-- >>> encodeJson (Hex "\1\171")
-- "\"01ab\""
newtype Hex = Hex {unHex :: ByteString}
  deriving stock (Eq, Ord, Show)

-- | Two digits a byte in JSON; elsewhere as 'bytes'.
hex :: Codec Hex
hex =
  mapCodec
    Hex
    unHex
    ( bytesAs
        (bytesForm Base16)
        (Shape.Formatted Shape.InText "base16" Shape.Binary)
    )

-- | Bytes that JSON has as base64url, without padding; read with and without it.
--
-- >>> encodeJson (Base64Url "\255\254")
-- "\"__4\""
newtype Base64Url = Base64Url {unBase64Url :: ByteString}
  deriving stock (Eq, Ord, Show)

-- | In JSON by the alphabet of RFC 4648, section 5; elsewhere as 'bytes'.
base64Url :: Codec Base64Url
base64Url =
  mapCodec
    Base64Url
    unBase64Url
    ( bytesAs
        (bytesForm Alphabet.Base64Url)
        (Shape.Formatted Shape.InText "base64url" Shape.Binary)
    )

-- * UUIDs

-- | Its text in JSON; sixteen bytes elsewhere, in the text's order: @bin@ in MessagePack,
-- and in CBOR bytes after the tag 37 of the registry, which readers do without.
uuid :: Codec UUID
uuid =
  ( plain
      ( ShapeOf
          ( Shape.Formatted
              Shape.InText
              "uuid"
              (Shape.BinaryOf 16)
          )
      )
      (Json.formW uuidForm)
      (Json.formR uuidForm)
      mpackUuidW
      (Reader mpackUuid)
      cborUuidW
      cborUuid
      nativeUuidW
      nativeUuid
  )
    { codecKey = Json.formKey uuidForm
    }
{-# INLINE uuid #-}

mpackUuidW :: Writer UUID
mpackUuidW = BoundedWriter 18 $ \u op s -> case Prim.store16 op 0xc410## s of
  s1 -> case sixteen u (plusAddr# op 2#) s1 of s2 -> (# s2, plusAddr# op 18# #)
{-# INLINE mpackUuidW #-}

mpackUuid :: Step UUID
mpackUuid _ e c s = case MpackR.binHeader e c s of
  (# s1, body, 16# #) -> case uuidAt body of !u -> (# s1, plusAddr# body 16#, u #)
  (# s1, _, _ #) -> failAt c (Unexpected (APart "a UUID of 16 bytes")) s1
{-# NOINLINE mpackUuid #-}

cborUuidW :: Writer UUID
cborUuidW = BoundedWriter 19 $ \u op s -> case Prim.store16 op 0xd825## s of
  s1 -> case writeWord8OffAddr# op 2# (wordToWord8# 0x50##) s1 of
    s2 -> case sixteen u (plusAddr# op 3#) s2 of s3 -> (# s3, plusAddr# op 19# #)
{-# INLINE cborUuidW #-}

cborUuid :: Reader UUID
cborUuid = Cbor.perhapsTaggedR 37 . Reader $ \ctx e c s -> case CborR.bytes ctx e c s of
  (# s1, c1, found #) -> case fromByteString (BL.fromStrict found) of
    Just !u -> (# s1, c1, u #)
    Nothing -> failAt c (Unexpected (APart "a UUID of 16 bytes")) s1

nativeUuidW :: Writer UUID
nativeUuidW = BoundedWriter 16 (\u op s -> case sixteen u op s of s1 -> (# s1, plusAddr# op 16# #))
{-# INLINE nativeUuidW #-}

nativeUuid :: Native.NativeReader UUID
nativeUuid = Native.fixed 16 (\_ _ c s -> case uuidAt c of !u -> (# s, plusAddr# c 16#, u #))
{-# INLINE nativeUuid #-}

sixteen :: UUID -> Addr# -> State# RealWorld -> State# RealWorld
sixteen u op s = case toWords64 u of
  (W64# high, W64# low) -> case Prim.store64 op (word64ToWord# high) s of
    s1 -> Prim.store64 (plusAddr# op 8#) (word64ToWord# low) s1
{-# INLINE sixteen #-}

uuidAt :: Addr# -> UUID
uuidAt a =
  fromWords64 (W64# (wordToWord64# (load64 a))) (W64# (wordToWord64# (load64 (plusAddr# a 8#))))
{-# INLINE uuidAt #-}
