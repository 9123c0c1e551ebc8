{-# LANGUAGE MonoLocalBinds #-}
{-# LANGUAGE OverloadedStrings #-}

-- | Programs that have aeson's classes and Tern's: either from the other.
--
-- A type that has aeson's instances gets every format of Tern by one line, and its
-- JSON stays what it was, byte by byte:
--
-- > deriving via (ViaAeson Order) instance Wire Order
--
-- A type that has Tern's instance can be given to any library that asks for aeson's:
--
-- > deriving via (ViaTern Order) instance ToJSON Order
-- > deriving via (ViaTern Order) instance FromJSON Order
--
-- What is read by 'ViaAeson' is read within Tern's limits, and costs what aeson costs;
-- a declaration of Tern's own is what makes it fast. "Tern.Aeson.DropIn" has aeson's
-- functions by their names.
module Tern.Aeson
  ( -- * Instances of one class from the other's
    ViaAeson (..),
    ViaAesonKey (..),
    ViaTern (..),

    -- * Values
    toAeson,
    fromAeson,
    toScientific,
    fromScientific,
  )
where

import Data.Aeson (FromJSON (..), FromJSONKey (..), ToJSON (..), ToJSONKey (..))
import Data.Aeson qualified as A
import Data.Aeson.Encoding (encodingToLazyByteString, unsafeToEncoding)
import Data.Aeson.Key qualified as AK
import Data.Aeson.Types qualified as A
import Data.ByteString.Builder (byteString)
import Data.ByteString.Lazy qualified as BL
import Data.Coerce (coerce)
import Data.Functor.Identity (Identity (..))
import Data.Text qualified as T
import Data.Typeable (Typeable)
import Tern
  ( Codec,
    Error (..),
    Key (..),
    Segment (..),
    Wire (..),
    decodeJson,
    defaultLimits,
    encodeJson,
    jsonW,
    renderPath,
    renderReason,
    unlimited,
  )
import Tern.Aeson.Value (fromAeson, fromScientific, toAeson, toAesonBy, toScientific)
import Tern.Internal.Wire.Class (jsonKey)
import Tern.Internal.Wire.Codec (CodecIn (..), mapCodec, refine)
import Tern.Internal.Write (contramapWriter)
import Tern.Json (Raw, raw, rawOf, rawValue, toValue)
import Tern.Value (Value)

-- $setup
-- >>> import Data.Aeson qualified as A
-- >>> import Tern (encodeJson)

-- | Tern's instance from aeson's.
--
-- JSON is what 'A.toEncoding' writes; the other formats have the value of 'A.toJSON', as
-- they have any document whose shape is not declared. A document that aeson's instance
-- refuses is refused in its words, with its path. A value that aeson's instance writes as
-- something that is not JSON, by 'unsafeToEncoding', is written by its 'A.toJSON' instead.
--
-- >>> encodeJson (ViaAeson (Just (1.5 :: Double)))
-- "1.5"
newtype ViaAeson a = ViaAeson a
  deriving newtype (Eq, Ord, Show)

instance (Typeable a, ToJSON a, FromJSON a) => Wire (ViaAeson a) where
  codec = viaAeson NoKey

-- | The same for types that are keys of aeson's objects, which are keys of Tern's then:
-- a map of them is an object in both.
newtype ViaAesonKey a = ViaAesonKey a
  deriving newtype (Eq, Ord, Show)

instance
  (Typeable a, ToJSON a, ToJSONKey a, FromJSON a, FromJSONKey a) =>
  Wire (ViaAesonKey a)
  where
  codec = mapCodec (\(ViaAeson a) -> ViaAesonKey a) (\(ViaAesonKey a) -> ViaAeson a) (viaAeson key)
    where
      key = case (toJSONKey, fromJSONKey) of
        (A.ToJSONKeyText name _, A.FromJSONKeyCoerce) -> named name (Right . coerce)
        (A.ToJSONKeyText name _, A.FromJSONKeyText value) -> named name (Right . value)
        (A.ToJSONKeyText name _, A.FromJSONKeyTextParser parser) ->
          named name (answer . A.parse parser)
        (A.ToJSONKeyText _ _, A.FromJSONKeyValue _) -> NoKey
        (A.ToJSONKeyValue _ _, _) -> NoKey
      named name value = TextKey (\(ViaAeson a) -> AK.toText (name a)) (fmap ViaAeson . value)
      answer = \case
        A.Success a -> Right a
        A.Error message -> Left (T.pack message)

viaAeson :: (Typeable a, ToJSON a, FromJSON a) => Key (ViaAeson a) -> Codec (ViaAeson a)
viaAeson key = viaValue {codecKey = key, jsonWriter = contramapWriter written jsonW}
  where
    viaValue = refine readBack (rawValue . written) (codec @Value)
    readBack value = case toAeson defaultLimits value of
      Left (path, reason) -> Left (said path (renderReason reason))
      Right tree -> case A.ifromJSON tree of
        A.ISuccess a -> Right (ViaAeson a)
        A.IError path message -> Left (said (map segment path) (T.pack message))
    segment = \case
      A.Key name -> Key (AK.toText name)
      A.Index i -> Index i
    said path message =
      if null path
        then message
        else T.concat ["at ", renderPath path, ": ", message]

-- | What aeson writes.
written :: (ToJSON a) => ViaAeson a -> Raw
written (ViaAeson a) = case raw unlimited (BL.toStrict (encodingToLazyByteString (toEncoding a))) of
  Right piece -> piece
  Left _ -> rawOf (fromAeson (toJSON a))

-- | Aeson's instances from Tern's.
--
-- 'A.toEncoding' is Tern's document, and aeson's tree is made from that; a number whose
-- power of ten is no 'Int' is null there. A tree that Tern's instance refuses is refused
-- in Tern's words, at its path. What is a key of Tern's objects is one of aeson's.
--
-- >>> A.encode (ViaTern [1 :: Int, 2])
-- "[1,2]"
newtype ViaTern a = ViaTern a
  deriving newtype (Eq, Ord, Show)

instance (Wire a) => ToJSON (ViaTern a) where
  toJSON (ViaTern a) =
    either
      (const A.Null)
      (runIdentity . toAesonBy (const number))
      (toValue a)
    where
      number = Identity . either (const A.Null) A.Number . toScientific unlimited
  toEncoding (ViaTern a) = unsafeToEncoding (byteString (encodeJson a))

instance (Wire a) => FromJSON (ViaTern a) where
  parseJSON tree = case decodeJson (encodeJson (fromAeson tree)) of
    Right a -> pure (ViaTern a)
    Left e ->
      foldr (flip (A.<?>) . element) (fail (T.unpack (renderReason (errorReason e)))) (errorPath e)
    where
      element = \case
        Key name -> A.Key (AK.fromText name)
        Index i -> A.Index i

instance (Wire a) => ToJSONKey (ViaTern a) where
  toJSONKey = case jsonKey @a of
    TextKey name _ -> A.toJSONKeyText (\(ViaTern a) -> name a)
    LimitedKey name _ -> A.toJSONKeyText (\(ViaTern a) -> name a)
    NoKey -> A.ToJSONKeyValue toJSON toEncoding

instance (Wire a) => FromJSONKey (ViaTern a) where
  fromJSONKey = case jsonKey @a of
    TextKey _ value -> A.FromJSONKeyTextParser (either (fail . T.unpack) (pure . ViaTern) . value)
    LimitedKey _ value ->
      A.FromJSONKeyTextParser (either (fail . T.unpack) (pure . ViaTern) . value defaultLimits)
    NoKey -> A.FromJSONKeyValue parseJSON
