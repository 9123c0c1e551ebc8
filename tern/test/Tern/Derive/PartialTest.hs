{-# LANGUAGE DataKinds #-}
{-# LANGUAGE MonoLocalBinds #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TemplateHaskell #-}
{-# LANGUAGE UndecidableInstances #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Types and codecs that have some formats. That the compiler refuses others is tried by the
-- programs of @docs\/how-to\/write-a-codec-by-hand.md@.
module Tern.Derive.PartialTest (tests) where

import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Tern
import Tern.Codec (CodecIn, onlyIn, (<.>))
import Tern.Codec qualified as Codec
import Test.Tasty
import Test.Tasty.HUnit

data Page a = Page {title :: Text, items :: [a], next :: Maybe (Page a)}
  deriving stock (Eq, Show)

deriveWire defaultOptions {wireFormats = [AsJson, AsNative], omitNothingFields = True} ''Page

data Step = Start | Turn {degrees :: Int, pages :: Page Bool} | Jump Int [Step]
  deriving stock (Eq, Show)

deriveWire defaultOptions {wireFormats = [AsJson]} ''Step

newtype Code = Code Text
  deriving stock (Eq, Ord, Show)

deriveWire defaultOptions {wireFormats = [AsCbor, AsJson]} ''Code

data Entry = Entry {code :: Code, count :: Int}
  deriving stock (Eq, Show)

-- | Made of a codec with two formats and one with all.
entry :: CodecIn '[ 'AsCbor, 'AsJson] Entry
entry =
  Codec.object
    ( Entry
        <$> Codec.field @"code" code known <.> Codec.field @"count" count (onlyIn codec)
    )
  where
    known = onlyIn (Codec.mapCodec Code (\(Code t) -> t) codec)

tests :: TestTree
tests =
  testGroup
    "some formats"
    [ testCase "a record, with parameters" $ do
        decodeJson (encodeJson page) @?= Right page
        encodeJson (Page "a" [1 :: Int] Nothing) @?= "{\"title\":\"a\",\"items\":[1]}"
        decodeNative (encodeNative page) @?= Right page,
      testCase "a sum, in itself and in containers" $ do
        decodeJson (encodeJson [steps]) @?= Right [steps]
        encodeJson (Map.fromList [("k" :: Text, Start)]) @?= "{\"k\":{\"tag\":\"Start\"}}"
        decodeJson (encodeJson (Just Start, [Left Start, Right (1 :: Int)]))
          @?= Right (Just Start, [Left Start, Right (1 :: Int)]),
      testCase "a newtype, and as the key of an object" $ do
        encodeJson (Map.fromList [(Code "k", True)] :: Map Code Bool) @?= "{\"k\":true}"
        decodeCbor (encodeCbor [Code "a"]) @?= Right [Code "a"],
      testCase "the bytes are those of a type with every format" $
        encodeJson (Page "" "text" (Just (Page "b" "" Nothing)))
          @?= "{\"title\":\"\",\"items\":\"text\",\"next\":{\"title\":\"b\",\"items\":\"\"}}",
      testCase "errors have their place" $
        (decodeJson "[{\"title\":\"a\",\"items\":[true,1]}]" :: Either Error [Page Bool])
          @?= Left (Error 28 [Index 0, Key "items", Index 1] (Unexpected ABool)),
      testCase "a codec by hand" $ do
        Codec.encodeJson entry (Entry (Code "a") 2) @?= "{\"code\":\"a\",\"count\":2}"
        Codec.decodeCbor entry defaultLimits (Codec.encodeCbor entry (Entry (Code "a") 2))
          @?= Right (Entry (Code "a") 2)
    ]

page :: Page Bool
page = Page "first" [True, False] (Just (Page "last" [] Nothing))

steps :: Step
steps = Jump 3 [Start, Turn 90 page]
