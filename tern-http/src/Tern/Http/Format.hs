{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE OverloadedStrings #-}

-- | The formats that a service speaks, as one table.
--
-- The idea: a format is a constructor of 'Format' and its line in 'entry'; what offers,
-- reads, writes and explains is made from that line, and the compiler finds a constructor
-- without one.
--
-- The native format says nothing of itself, so its media type does: a parameter
-- @schema@ has the fingerprint of the type's shape. Who asks for one schema is never
-- answered by another, and what was written by another is refused before it is read.
--
-- Start at 'entry'.
module Tern.Http.Format
  ( Format (..),
    Entry (..),
    entry,
    formatOffers,
    offersOf,
    formatRanges,
    sameSchema,
    sixteenDigits,
  )
where

import Data.Bits (shiftR, (.&.))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.Foldable (toList)
import Data.List.NonEmpty (NonEmpty (..))
import Data.Text (Text)
import Data.Word (Word64)
import Tern
import Tern.Cbor (encodeCborShort, encodeCborTo)
import Tern.Json (encodeJsonShort, encodeJsonTo)
import Tern.MessagePack (encodeMessagePackShort, encodeMessagePackTo)
import Tern.Native (encodeNativeShort, encodeNativeTo)
import Tern.Negotiate (MediaType (..), Offer (..), Receive (..))
import Tern.Wire (fingerprintOf)

-- $setup
-- >>> :set -XOverloadedStrings
-- >>> import Data.List.NonEmpty (NonEmpty (..))
-- >>> import Tern.Negotiate
-- >>> import Tern.Wire (fingerprintOf)

-- | A wire format of values. The order is the one that a service prefers where a request
-- leaves the choice to it: what people can read comes first.
data Format = Json | MessagePack | Cbor | Native
  deriving stock (Bounded, Enum, Eq, Ord, Show)

-- | All that a service needs to know of a format.
data Entry = Entry
  { -- | What stands in entity tags, so that those of two formats differ.
    entryName :: !ByteString,
    -- | Its media types. What does not ask for one of the others is answered with the
    -- first.
    entryTypes :: !(NonEmpty MediaType),
    -- | What follows the @+@ in the names of media types that are written in it.
    entrySuffix :: !(Maybe ByteString),
    -- | The media type of problem details in it.
    entryProblem :: !MediaType,
    -- | Whether its documents say nothing of themselves, so that a schema must be said
    -- beside them.
    entryMute :: !Bool,
    entryEncode :: forall a. (Wire a) => a -> ByteString,
    -- | The same in the encoder's chunks.
    entryChunks :: forall a. (Wire a) => a -> BL.ByteString,
    -- | The same if it is short: some 3 KiB, or 32 KiB with one long text.
    entryShort :: forall a. (Wire a) => a -> Maybe ByteString,
    -- | The same to a consumer, in chunks that it gets while they are made; those of the native
    -- format when all of them are.
    entryTo :: forall a. (Wire a) => (ByteString -> IO ()) -> a -> IO (),
    entryDecode :: forall a. (Wire a) => Limits -> ByteString -> Either Error a,
    entryExplain :: ByteString -> Error -> Text
  }

-- | A format's line.
entry :: Format -> Entry
entry = \case
  Json ->
    Entry
      "json"
      (application "json" :| [])
      (Just "json")
      (application "problem+json")
      False
      encodeJson
      encodeJsonLazy
      encodeJsonShort
      encodeJsonTo
      decodeJsonWith
      renderError
  MessagePack ->
    Entry
      "msgpack"
      ( application "msgpack"
          :| [application "vnd.msgpack", application "x-msgpack"]
      )
      (Just "msgpack")
      (application "problem+msgpack")
      False
      encodeMessagePack
      encodeMessagePackLazy
      encodeMessagePackShort
      encodeMessagePackTo
      decodeMessagePackWith
      renderBinaryError
  Cbor ->
    Entry
      "cbor"
      (application "cbor" :| [])
      (Just "cbor")
      (application "problem+cbor")
      False
      encodeCbor
      encodeCborLazy
      encodeCborShort
      encodeCborTo
      decodeCborWith
      renderBinaryError
  Native ->
    Entry
      "native"
      (application "vnd.tern.native" :| [])
      Nothing
      (application "vnd.tern.problem")
      True
      encodeNative
      encodeNativeLazy
      encodeNativeShort
      encodeNativeTo
      decodeNativeWith
      renderBinaryError
  where
    application name = MediaType "application" name []

-- | What a format offers, whatever the type: what asks for a schema may be answered.
--
-- >>> fmap (renderMediaType . offerType) (formatOffers MessagePack)
-- "application/msgpack" :| ["application/vnd.msgpack","application/x-msgpack"]
formatOffers :: Format -> NonEmpty (Offer Format)
formatOffers format =
  (\media -> Offer format media ["charset", "schema"]) <$> entryTypes (entry format)

-- | What a format offers for values of a type.
--
-- >>> fmap (renderMediaType . offerType) (offersOf @Bool Native)
-- "application/vnd.tern.native;schema=e975a4669c4ba17f" :| []
offersOf :: forall a. (Wire a) => Format -> NonEmpty (Offer Format)
offersOf format = typed <$> formatOffers format
  where
    typed it
      | entryMute (entry (offerFormat it)) =
          it
            { offerType = (offerType it) {mediaParameters = [("schema", schema)]},
              offerIgnores = ["charset"]
            }
      | otherwise = it {offerIgnores = ["charset"]}
    schema = schemaOf @a

-- | Which content of requests a format reads: also that of the names that end in its
-- suffix.
--
-- >>> map (renderMediaType . receiveRange) (formatRanges Json)
-- ["application/json","*/*+json"]
formatRanges :: Format -> [Receive Format]
formatRanges format =
  [ Receive media format
    | media <-
        toList (entryTypes it)
          <> [MediaType "*" ("*+" <> suffix) [] | Just suffix <- [entrySuffix it]]
  ]
  where
    it = entry format

-- | Whether a document of this media type was written by the type that will read it, as
-- far as the media type says. 'Left' has the schema that is read.
sameSchema :: forall a. (Wire a) => Format -> MediaType -> Either ByteString ()
sameSchema format media
  | entryMute (entry format),
    Just schema <- lookup "schema" (mediaParameters media),
    schema /= schemaOf @a =
      Left (schemaOf @a)
  | otherwise = Right ()

-- | The fingerprint of a type's shape, in 16 digits.
schemaOf :: forall a. (Wire a) => ByteString
schemaOf = sixteenDigits (fingerprintOf @a)

-- | A fingerprint as media types have it.
--
-- >>> sixteenDigits (fingerprintOf @Bool)
-- "e975a4669c4ba17f"
sixteenDigits :: Word64 -> ByteString
sixteenDigits n = fst (B.unfoldrN 16 digit 60)
  where
    digit at = Just (hex (fromIntegral (n `shiftR` at) .&. 15), at - 4)
    hex d = if d < 10 then 48 + d else 87 + d
