{-# LANGUAGE DataKinds #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TemplateHaskell #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- | A package that has aeson's instances moves over: the types of pandoc-types, which are
-- not changed, get Tern's instances by declaration, and each document is the same bytes.
module Tern.Aeson.PandocTest (tests) where

import Data.Aeson qualified as A
import Data.ByteString.Lazy qualified as BL
import Data.Version (versionBranch)
import Tern
import Tern.Codec ((<.>))
import Tern.Codec qualified as Codec
import Test.Tasty
import Test.Tasty.QuickCheck
import Text.Pandoc.Arbitrary ()
import Text.Pandoc.Definition
  ( Alignment,
    Block,
    Caption,
    Cell,
    Citation,
    CitationMode,
    ColSpan,
    ColWidth,
    Format (..),
    Inline,
    ListNumberDelim,
    ListNumberStyle,
    MathType,
    Meta (..),
    MetaValue,
    Pandoc (..),
    QuoteType,
    Row,
    RowHeadColumns,
    RowSpan,
    TableBody,
    TableFoot,
    TableHead,
    pandocTypesVersion,
  )

instance Wire Format where
  codec = Codec.mapCodec Format (\(Format t) -> t) codec

concat
  <$> traverse
    (deriveWire defaultOptions {allNullaryToStringTag = False, sumEncoding = TaggedObject "t" "c"})
    [ ''MetaValue,
      ''CitationMode,
      ''Citation,
      ''QuoteType,
      ''MathType,
      ''ListNumberStyle,
      ''ListNumberDelim,
      ''Alignment,
      ''ColWidth,
      ''RowHeadColumns,
      ''RowSpan,
      ''ColSpan,
      ''Row,
      ''Caption,
      ''TableHead,
      ''TableBody,
      ''TableFoot,
      ''Cell,
      ''Inline,
      ''Block
    ]

instance Wire Meta where
  codec = Codec.mapCodec Meta unMeta codec

instance Wire Pandoc where
  codec =
    Codec.object
      ( (\version meta blocks -> version `seq` Pandoc meta blocks)
          <$> Codec.field
            @"pandoc-api-version"
            (const (versionBranch pandocTypesVersion))
            (codec @[Int])
            <.> Codec.field @"meta" (\(Pandoc meta _) -> meta) codec
            <.> Codec.field @"blocks" (\(Pandoc _ blocks) -> blocks) codec
      )

tests :: TestTree
tests =
  testGroup
    "pandoc-types"
    [ testProperty "the same bytes" $ \(document :: Pandoc) ->
        encodeJson document === BL.toStrict (A.encode document),
      testProperty "what aeson writes is read" $ \(document :: Pandoc) ->
        decodeJson (BL.toStrict (A.encode document)) === Right document,
      testProperty "what Tern writes is read by aeson" $ \(document :: Pandoc) ->
        A.decodeStrict (encodeJson document) === Just document,
      testProperty "MessagePack and the native format" $ \(document :: Pandoc) ->
        (decodeMessagePack (encodeMessagePack document), decodeNative (encodeNative document))
          === (Right document, Right document)
    ]
