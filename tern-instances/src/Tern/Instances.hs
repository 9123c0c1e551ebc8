{-# LANGUAGE DataKinds #-}
{-# LANGUAGE OverloadedStrings #-}
-- Neither the class nor the types are this package's: that is what it is for.
{-# OPTIONS_GHC -Wno-orphans #-}

-- | Formats for types of packages that @tern@ does not depend on. To import the module is
-- to have them.
--
-- The idea: each is put together from codecs of other types, and so is in every format
-- that there is.
module Tern.Instances () where

import Data.CaseInsensitive (CI, FoldCase)
import Data.CaseInsensitive qualified as CI
import Data.Text qualified as T
import Data.These (These (..))
import Network.URI (URI, parseURIReference, uriToString)
import Tern.Codec qualified as Codec
import Tern.Internal.Wire.Codec (CodecIn (codecShape))
import Tern.Shape (Notation (InText), Shape (Formatted, Text), ShapeOf (..))
import Tern.Wire (Wire (..))

-- $setup
-- >>> import Data.These
-- >>> import Tern

-- | The text as it was written.
instance (FoldCase a, Wire a) => Wire (CI a) where
  codec = Codec.mapCodec CI.mk CI.original codec

data Sides a b = Sides (Maybe a) (Maybe b)

-- | An object of @This@, @That@, or both of them.
--
-- >>> encodeJson (These 1 True :: These Int Bool)
-- "{\"This\":1,\"That\":true}"
instance (Wire a, Wire b) => Wire (These a b) where
  codec =
    Codec.refine
      joined
      sides
      ( Codec.object
          ( Sides
              <$> Codec.optional @"This" this codec Codec.<.> Codec.optional @"That" that codec
          )
      )
    where
      this (Sides a _) = a
      that (Sides _ b) = b
      joined = \case
        Sides (Just a) (Just b) -> Right (These a b)
        Sides (Just a) Nothing -> Right (This a)
        Sides Nothing (Just b) -> Right (That b)
        Sides Nothing Nothing -> Left "expected This, That, or both"
      sides = \case
        This a -> Sides (Just a) Nothing
        That b -> Sides Nothing (Just b)
        These a b -> Sides (Just a) (Just b)

-- | Its text (RFC 3986), a relative reference too.
instance Wire URI where
  codec =
    (Codec.refine uri (\u -> T.pack (uriToString id u "")) codec)
      { codecShape =
          ShapeOf (Formatted InText "uri-reference" Text)
      }
    where
      uri = maybe (Left "expected a URI") Right . parseURIReference . T.unpack
