{-# LANGUAGE DataKinds #-}
{-# LANGUAGE MonoLocalBinds #-}
-- The class is in "Tern.Internal.Wire.Class", apart from its instances.
{-# OPTIONS_GHC -Wno-orphans #-}

-- | Containers of types that have some formats: they have the same.
--
-- Where the elements have every format these instances give what those of @Wire@ give:
-- both name one codec.
module Tern.Internal.Wire.Instances.Partial () where

import Data.List.NonEmpty (NonEmpty)
import Data.Map.Strict (Map)
import Data.Set (Set)
import Data.Typeable (Typeable)
import Data.Vector (Vector)
import Tern.Internal.Wire.Class (WireIn (..))
import Tern.Internal.Wire.Collection (setOf)
import Tern.Internal.Wire.Container
  ( eitherOf,
    listOf,
    mapOf,
    maybeOf,
    nonEmptyOf,
    pairOf,
    tuple3,
    vectorOf,
  )

instance {-# INCOHERENT #-} (WireIn format a) => WireIn format [a] where
  codecIn = listOf codecIn
  {-# INLINE codecIn #-}

instance {-# INCOHERENT #-} (WireIn format a) => WireIn format (NonEmpty a) where
  codecIn = nonEmptyOf codecIn
  {-# INLINE codecIn #-}

instance {-# INCOHERENT #-} (WireIn format a) => WireIn format (Vector a) where
  codecIn = vectorOf codecIn
  {-# INLINE codecIn #-}

instance {-# INCOHERENT #-} (WireIn format a) => WireIn format (Maybe a) where
  codecIn = maybeOf codecIn
  {-# INLINE codecIn #-}

instance {-# INCOHERENT #-} (Ord a, WireIn format a) => WireIn format (Set a) where
  codecIn = setOf codecIn
  {-# INLINE codecIn #-}

instance
  {-# INCOHERENT #-}
  (Ord k, WireIn format k, WireIn format v) =>
  WireIn format (Map k v)
  where
  codecIn = mapOf codecIn codecIn
  {-# INLINE codecIn #-}

instance
  {-# INCOHERENT #-}
  (Typeable a, Typeable b, WireIn format a, WireIn format b) =>
  WireIn format (Either a b)
  where
  codecIn = eitherOf codecIn codecIn
  {-# INLINE codecIn #-}

instance {-# INCOHERENT #-} (WireIn format a, WireIn format b) => WireIn format (a, b) where
  codecIn = pairOf codecIn codecIn
  {-# INLINE codecIn #-}

instance
  {-# INCOHERENT #-}
  (WireIn format a, WireIn format b, WireIn format c) =>
  WireIn format (a, b, c)
  where
  codecIn = tuple3 codecIn codecIn codecIn
  {-# INLINE codecIn #-}
