{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE MonoLocalBinds #-}

-- | The native format, the front door: values to documents and back.
--
-- It is the smallest and the fastest, and says nothing of itself: who reads a
-- document knows its type. @docs\/spec\/native-format.md@ has the rules.
module Tern.Native
  ( -- * Encoding
    encodeNative,
    encodeNativeLazy,
    encodeNativeShort,
    encodeNativeTo,

    -- * Decoding
    decodeNative,
    decodeNativeLazy,
    decodeNativeWith,
    decodeNativeViews,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString.Lazy qualified as BL
import Tern.Error (Error)
import Tern.Internal.Native.Document
  ( decodeViewsWith,
    decodeWith,
    encodeShortWith,
    encodeToWith,
    encodeWith,
  )
import Tern.Internal.Native.Shaped (layoutOf)
import Tern.Internal.Wire.Class (nativeRIn, nativeWIn)
import Tern.Internal.Wire.Codec (CodecIn (..))
import Tern.Limits (Limits, defaultLimits)
import Tern.Shape (ShapeOf (..))
import Tern.Wire (WireFormat (..), WireIn (..))

-- $setup
-- >>> :set -XOverloadedStrings
-- >>> import Data.ByteString qualified as B
-- >>> import Tern.Error (Error)

-- | A value as a document.
--
-- INLINE: the writer is known where the type is.
--
-- >>> encodeNative ([(1, True), (-2, False)] :: [(Int, Bool)])
-- "\STX\STX\SOH\ETX\NUL"
encodeNative :: (WireIn 'AsNative a) => a -> ByteString
encodeNative = encodeWith nativeWIn
{-# INLINE encodeNative #-}

-- | As 'encodeNative', in one lazy chunk.
encodeNativeLazy :: (WireIn 'AsNative a) => a -> BL.ByteString
encodeNativeLazy a = BL.fromStrict (encodeNative a)
{-# INLINE encodeNativeLazy #-}

-- | As 'encodeNative', if the document is short: some 3 KiB, or 32 KiB where most of it is one
-- text. A longer one costs no more than that, and is 'Nothing'.
encodeNativeShort :: (WireIn 'AsNative a) => a -> Maybe ByteString
encodeNativeShort = encodeShortWith nativeWIn
{-# INLINE encodeNativeShort #-}

-- | As 'encodeNative', to a consumer, in chunks of about 3 KiB. The format writes sizes of lists
-- after their elements, so that the consumer gets the first chunk when the last one is there;
-- but no buffer is outgrown and copied.
--
-- >>> encodeNativeTo (print . B.length) True
-- 1
encodeNativeTo :: (WireIn 'AsNative a) => (ByteString -> IO ()) -> a -> IO ()
encodeNativeTo = encodeToWith nativeWIn
{-# INLINE encodeNativeTo #-}

-- | The value that a whole document stands for, within 'defaultLimits'. Time and
-- memory are linear in the document's bytes, whatever it claims.
--
-- >>> decodeNative "\STX\STX\SOH\ETX\NUL" :: Either Error [(Int, Bool)]
-- Right [(1,True),(-2,False)]
decodeNative :: (WireIn 'AsNative a) => ByteString -> Either Error a
decodeNative = decodeNativeWith defaultLimits
{-# INLINE decodeNative #-}

-- | As 'decodeNative'. The chunks are joined first.
decodeNativeLazy :: (WireIn 'AsNative a) => BL.ByteString -> Either Error a
decodeNativeLazy input = decodeNative (BL.toStrict input)
{-# INLINE decodeNativeLazy #-}

-- | As 'decodeNative', within the limits given.
--
-- INLINE: the reader is known where the type is.
decodeNativeWith :: forall a. (WireIn 'AsNative a) => Limits -> ByteString -> Either Error a
decodeNativeWith = decodeWith (layoutOf (theShape (codecShape (codecIn @'AsNative @a)))) nativeRIn
{-# INLINE decodeNativeWith #-}

-- | As 'decodeNativeWith', but that texts and byte strings are pieces of the document, which is
-- kept as long as one of them is. So a document's size is not allocated again; what is kept
-- for long, of documents that are not, is better copied. A 'Data.Text.Text' is a copy where
-- the document's memory is none of Haskell's own, as a mapped file's.
--
-- INLINE: the reader is known where the type is.
decodeNativeViews :: forall a. (WireIn 'AsNative a) => Limits -> ByteString -> Either Error a
decodeNativeViews =
  decodeViewsWith (layoutOf (theShape (codecShape (codecIn @'AsNative @a)))) nativeRIn
{-# INLINE decodeNativeViews #-}
