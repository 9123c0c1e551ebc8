{-# LANGUAGE DataKinds #-}
{-# LANGUAGE TemplateHaskell #-}
{-# LANGUAGE TypeFamilies #-}
-- The functions are looked at by their names.
{-# OPTIONS_GHC -Wno-missing-export-lists -Wno-missing-signatures #-}
{-# OPTIONS_GHC -fplugin=Test.Inspection.Plugin #-}

-- | What the compiler made of codecs by hand.
module Tern.Inspect.ByHand where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Generics (Generic)
import Language.Haskell.TH (listE, lookupValueName, stringE)
import Tern
import Tern.Codec ((<+>), (<.>))
import Tern.Codec qualified as Codec
import Tern.Inspect.Result (inspected)
import Tern.Internal.Codec.Parts (Pairs, Parts)
import Tern.Internal.Codec.Sum (Alternatives, Maps, OneOf)
import Tern.Internal.Native.Document qualified as Native
import Tern.Internal.Native.Layout (Layout (Unknown))
import Tern.Internal.Native.Record (Ahead)
import Tern.Internal.Write (Write)
import Tern.Testkit.Allocation (allocatedBy)
import Test.Inspection
import Test.Tasty
import Test.Tasty.HUnit

data Five = Five {a1 :: !Int, a2 :: !Int, a3 :: !Int, a4 :: !Int, a5 :: !Int}
  deriving stock (Eq, Show)

instance Wire Five where
  codec =
    Codec.object
      ( Five
          <$> Codec.field
            @"field01"
            a1
            codec
            <.> Codec.field @"field02" a2 codec
            <.> Codec.field @"field03" a3 codec
            <.> Codec.field @"field04" a4 codec
            <.> Codec.field @"field05" a5 codec
      )

data Mixed = Mixed
  { count ::
      !Int,
    label :: !Text,
    flag :: !Bool,
    ratio :: !Double,
    maybeCount :: !(Maybe Int)
  }
  deriving stock (Eq, Show)

instance Wire Mixed where
  codec =
    Codec.object
      ( Mixed
          <$> Codec.field
            @"count"
            count
            codec
            <.> Codec.field @"label" label codec
            <.> Codec.field @"flag" flag codec
            <.> Codec.fieldWithDefault @"ratio" 1 ratio codec
            <.> Codec.field @"maybeCount" maybeCount codec
      )

data Shape = Circle !Double | Rectangle !Double !Double | Named !Text | Empty
  deriving stock (Eq, Show)

instance Wire Shape where
  codec =
    Codec.oneOf
      ( \case
          Circle r -> Codec.is @"Circle" r
          Rectangle w h -> Codec.is @"Rectangle" (w, h)
          Named n -> Codec.is @"Named" n
          Empty -> Codec.is @"Empty" ()
      )
      ( Codec.fields @"Circle" (Circle <$> Codec.field @"radius" id codec)
          <+> Codec.contents @"Rectangle" (uncurry Rectangle) codec
          <+> Codec.contents @"Named" Named codec
          <+> Codec.constant @"Empty" Empty
      )

data Colour = Red | Green | Blue
  deriving stock (Eq, Generic, Show)

instance Wire Colour where
  codec = Codec.enum @'["red", "green", "blue"]

newtype Celsius = Celsius Double
  deriving stock (Eq, Show)

instance Wire Celsius where
  codec = Codec.refine celsius (\(Celsius degrees) -> degrees) codec

celsius :: Double -> Either Text Celsius
celsius degrees
  | degrees < -273.15 = Left (T.pack "colder than absolute zero")
  | otherwise = Right (Celsius degrees)

data Holder = Holder {five :: !Five, air :: !Celsius, colours :: ![Colour]}
  deriving stock (Eq, Show)

instance Wire Holder where
  codec =
    Codec.object
      ( Holder
          <$> Codec.field
            @"five"
            five
            codec
            <.> Codec.field @"air" air codec
            <.> Codec.field @"colours" colours codec
      )

encodeJsonFive = encodeJson :: Five -> ByteString

encodeJsonMixed = encodeJson :: Mixed -> ByteString

encodeJsonShape = encodeJson :: Shape -> ByteString

encodeJsonHolder = encodeJson :: Holder -> ByteString

encodeMpackFive = encodeMessagePack :: Five -> ByteString

encodeMpackMixed = encodeMessagePack :: Mixed -> ByteString

encodeMpackShape = encodeMessagePack :: Shape -> ByteString

encodeMpackHolder = encodeMessagePack :: Holder -> ByteString

encodeCborFive = encodeCbor :: Five -> ByteString

encodeCborMixed = encodeCbor :: Mixed -> ByteString

encodeCborShape = encodeCbor :: Shape -> ByteString

encodeCborHolder = encodeCbor :: Holder -> ByteString

encodeNativeFive = encodeNative :: Five -> ByteString

encodeNativeMixed = encodeNative :: Mixed -> ByteString

encodeNativeShape = encodeNative :: Shape -> ByteString

encodeNativeHolder = encodeNative :: Holder -> ByteString

decodeJsonFive = decodeJson :: ByteString -> Either Error Five

decodeJsonMixed = decodeJson :: ByteString -> Either Error Mixed

decodeJsonShape = decodeJson :: ByteString -> Either Error Shape

decodeJsonHolder = decodeJson :: ByteString -> Either Error Holder

decodeMpackFive = decodeMessagePack :: ByteString -> Either Error Five

decodeMpackMixed = decodeMessagePack :: ByteString -> Either Error Mixed

decodeMpackShape = decodeMessagePack :: ByteString -> Either Error Shape

decodeMpackHolder = decodeMessagePack :: ByteString -> Either Error Holder

decodeCborFive = decodeCbor :: ByteString -> Either Error Five

decodeCborMixed = decodeCbor :: ByteString -> Either Error Mixed

decodeCborShape = decodeCbor :: ByteString -> Either Error Shape

decodeCborHolder = decodeCbor :: ByteString -> Either Error Holder

-- Without what an error's path is found by: the type's shape.
decodeNativeFive =
  Native.decodeWith Unknown nativeR defaultLimits :: ByteString -> Either Error Five

decodeNativeMixed =
  Native.decodeWith Unknown nativeR defaultLimits :: ByteString -> Either Error Mixed

decodeNativeShape =
  Native.decodeWith Unknown nativeR defaultLimits :: ByteString -> Either Error Shape

decodeNativeHolder =
  Native.decodeWith Unknown nativeR defaultLimits :: ByteString -> Either Error Holder

tests :: [TestTree]
tests =
  [ testGroup
      "no part of a codec by hand is left"
      $( do
           let names =
                 [ direction <> format <> t
                   | direction <-
                       ["encode", "decode"],
                     format <- ["Json", "Mpack", "Cbor", "Native"],
                     t <- ["Five", "Mixed", "Shape", "Holder"]
                 ]
               looked name obligation = [|inspected $(stringE name) $(inspectTest obligation)|]
               each name = do
                 Just function <- lookupValueName name
                 [|
                   testGroup
                     $(stringE name)
                     $( listE
                          ( looked "type classes" (hasNoTypeClasses function)
                              : [ looked (show t) (function `hasNoType` t)
                                  | t <-
                                      [ ''Parts,
                                        ''Pairs,
                                        ''Alternatives,
                                        ''Maps,
                                        ''OneOf,
                                        ''Codec.Codec,
                                        ''Write,
                                        ''Ahead
                                      ]
                                ]
                          )
                      )
                   |]
           listE (map each names)
       ),
    testGroup
      "ceilings of allocation"
      [ testCase "encode a record of 5 integers: the output and 200 bytes" $ do
          let value = Five 7 49 343 2401 16807
          written <-
            mapM (`allocatedBy` value) [encodeJson, encodeMessagePack, encodeCbor, encodeNative]
          assertBool
            (show written)
            ( and
                ( zipWith
                    (<=)
                    written
                    [ fromIntegral (B.length (encode value)) + 200
                      | encode <-
                          [encodeJson, encodeMessagePack, encodeCbor, encodeNative]
                    ]
                )
            ),
        testCase "decode a record of 5 integers" $ do
          let value = Five 7 49 343 2401 16807
          json <- allocatedBy (decodeJson @Five) (encodeJson value)
          mpack <- allocatedBy (decodeMessagePack @Five) (encodeMessagePack value)
          cbor <- allocatedBy (decodeCbor @Five) (encodeCbor value)
          native <- allocatedBy (decodeNative @Five) (encodeNative value)
          assertBool
            (show (json, mpack, cbor, native))
            ( json <= 320
                && mpack <= 320
                && cbor <= 320
                && native <= 250
            ),
        testCase "decode a sum" $ do
          json <- allocatedBy (decodeJson @Shape) (encodeJson (Circle 5))
          mpack <- allocatedBy (decodeMessagePack @Shape) (encodeMessagePack (Circle 5))
          cbor <- allocatedBy (decodeCbor @Shape) (encodeCbor (Circle 5))
          native <- allocatedBy (decodeNative @Shape) (encodeNative (Circle 5))
          assertBool
            (show (json, mpack, cbor, native))
            ( json <= 300
                && mpack <= 350
                && cbor <= 350
                && native <= 200
            )
      ]
  ]
