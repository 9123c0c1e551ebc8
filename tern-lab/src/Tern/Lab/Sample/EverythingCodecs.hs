{-# LANGUAGE OverloadedStrings #-}

-- | Article 002's record in all formats and by the libraries that people have.
--
-- The idea: a library does what its manual shows first: a derived instance where
-- there is one. Cereal has none for text, and cborg is a way to write codecs by
-- hand: so these are. Cborg's is a map with the fields' names, as MessagePack's
-- is; serialise, which stands on it, leaves the names away.
module Tern.Lab.Sample.EverythingCodecs
  ( subject,
  )
where

import Codec.CBOR.Decoding qualified as Cbor
import Codec.CBOR.Encoding (Encoding)
import Codec.CBOR.Encoding qualified as Cbor
import Control.Monad (replicateM, unless)
import Data.Serialize qualified as Cereal
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding (decodeUtf8', encodeUtf8)
import Tern.Lab.Sample.Deriving (ByGeneric, ByTemplate)
import Tern.Lab.Sample.Everything (Choice (..), Everything (..), different, sample)
import Tern.Lab.Subject
  ( Subject (..),
    aeson,
    binary,
    cborg,
    cereal,
    serialise,
    store,
    tern,
    ternCbor,
    ternMessagePack,
    ternNative,
  )

-- | Twelve codecs, of which Tern's JSON by generics is what the others are compared with. It
-- brings one value, and different ones by their numbers.
subject :: Subject
subject =
  Subject
    { subjectName = "everything",
      subjectAbout = "a record with a field of each kind and a sum (article 002)",
      subjectCodecs =
        [ tern @(Everything ByGeneric) "tern",
          tern @(Everything ByTemplate) "tern-th",
          ternMessagePack @(Everything ByTemplate) "tern-messagepack",
          ternCbor @(Everything ByTemplate) "tern-cbor",
          ternNative @(Everything ByTemplate) "tern-native",
          aeson @(Everything ByTemplate) "aeson-th",
          aeson @(Everything ByGeneric) "aeson-generic",
          binary @(Everything ByGeneric) "binary",
          cereal @(Everything ()) "cereal" putEverything getEverything,
          store @(Everything ByGeneric) "store",
          serialise @(Everything ByGeneric) "serialise",
          cborg @(Everything ()) "cborg" encodeEverything decodeEverything
        ],
      subjectValue = Just sample,
      subjectValues = Just different
    }

-- * Cereal

putEverything :: Everything () -> Cereal.Put
putEverything Everything {..} = do
  case fieldChoice of
    ChoiceInt i -> Cereal.putWord8 0 *> Cereal.put i
    ChoiceFloat f -> Cereal.putWord8 1 *> Cereal.put f
  putText fieldText
  Cereal.put fieldInt
  Cereal.put fieldDouble
  Cereal.put fieldFloat
  Cereal.put fieldWord
  Cereal.putMaybeOf putText fieldMaybeText
  Cereal.putListOf putText fieldListText
  where
    putText = Cereal.put . encodeUtf8

getEverything :: Cereal.Get (Everything ())
getEverything = do
  fieldChoice <-
    Cereal.getWord8 >>= \case
      0 -> ChoiceInt <$> Cereal.get
      1 -> ChoiceFloat <$> Cereal.get
      _ -> fail "no such constructor"
  fieldText <- getText
  fieldInt <- Cereal.get
  fieldDouble <- Cereal.get
  fieldFloat <- Cereal.get
  fieldWord <- Cereal.get
  fieldMaybeText <- Cereal.getMaybeOf getText
  fieldListText <- Cereal.getListOf getText
  pure Everything {..}
  where
    getText = Cereal.get >>= either (fail . show) pure . decodeUtf8'

-- * Cborg

encodeEverything :: Everything () -> Encoding
encodeEverything Everything {..} =
  Cbor.encodeMapLen 8
    <> named "fieldChoice" choice
    <> named "fieldText" (Cbor.encodeString fieldText)
    <> named "fieldInt" (Cbor.encodeInt fieldInt)
    <> named "fieldDouble" (Cbor.encodeDouble fieldDouble)
    <> named "fieldFloat" (Cbor.encodeFloat fieldFloat)
    <> named "fieldWord" (Cbor.encodeWord fieldWord)
    <> named "fieldMaybeText" (maybe Cbor.encodeNull Cbor.encodeString fieldMaybeText)
    <> named
      "fieldListText"
      ( Cbor.encodeListLen (fromIntegral (length fieldListText))
          <> foldMap Cbor.encodeString fieldListText
      )
  where
    named name value = Cbor.encodeString name <> value
    choice = case fieldChoice of
      ChoiceInt i -> tagged "ChoiceInt" (Cbor.encodeInt i)
      ChoiceFloat f -> tagged "ChoiceFloat" (Cbor.encodeFloat f)
    tagged name value =
      Cbor.encodeMapLen 2 <> named "tag" (Cbor.encodeString name) <> named "contents" value

mapLenOf :: Int -> Cbor.Decoder s ()
mapLenOf n = do
  found <- Cbor.decodeMapLen
  unless (found == n) (fail ("expected a map of " <> show n))

-- | The fields in their order, as a codec by hand has it.
decodeEverything :: Cbor.Decoder s (Everything ())
decodeEverything = do
  mapLenOf 8
  fieldChoice <- named "fieldChoice" choice
  fieldText <- named "fieldText" Cbor.decodeString
  fieldInt <- named "fieldInt" Cbor.decodeInt
  fieldDouble <- named "fieldDouble" Cbor.decodeDouble
  fieldFloat <- named "fieldFloat" Cbor.decodeFloat
  fieldWord <- named "fieldWord" Cbor.decodeWord
  fieldMaybeText <- named "fieldMaybeText" orNull
  fieldListText <- named "fieldListText" (Cbor.decodeListLen >>= (`replicateM` Cbor.decodeString))
  pure Everything {..}
  where
    named :: Text -> Cbor.Decoder s a -> Cbor.Decoder s a
    named name decoder = do
      found <- Cbor.decodeString
      if found == name then decoder else fail ("expected the field " <> T.unpack name)
    orNull =
      Cbor.peekTokenType >>= \case
        Cbor.TypeNull -> Nothing <$ Cbor.decodeNull
        _ -> Just <$> Cbor.decodeString
    choice = do
      mapLenOf 2
      named "tag" Cbor.decodeString >>= \case
        "ChoiceInt" -> ChoiceInt <$> named "contents" Cbor.decodeInt
        "ChoiceFloat" -> ChoiceFloat <$> named "contents" Cbor.decodeFloat
        _ -> fail "no such constructor"
