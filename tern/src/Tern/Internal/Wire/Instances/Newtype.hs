-- The class is in "Tern.Internal.Wire.Class", as for "Tern.Internal.Wire.Instances".
{-# OPTIONS_GHC -Wno-orphans #-}

-- | Types around others, which are what is inside of them, as in aeson; and types with few
-- values or none.
--
-- INLINE, as in "Tern.Internal.Wire.Instances".
module Tern.Internal.Wire.Instances.Newtype () where

import Data.Coerce (Coercible, coerce)
import Data.Functor.Compose (Compose (..))
import Data.Functor.Const (Const (..))
import Data.Functor.Identity (Identity (..))
import Data.Functor.Product qualified as Functor
import Data.Functor.Sum qualified as Functor
import Data.Monoid qualified as Monoid
import Data.Ord (Down (..))
import Data.Proxy (Proxy (..))
import Data.Semigroup qualified as Semigroup
import Data.Text qualified as T
import Data.Text.Short (ShortText)
import Data.Text.Short qualified as Short
import Data.Typeable (Typeable)
import Data.Version (Version, parseVersion, showVersion)
import Data.Void (Void, absurd)
import Tern.Internal.Wire.Class (Wire (..))
import Tern.Internal.Wire.Codec (Codec, CodecIn (..), mapCodec, refine)
import Tern.Internal.Wire.Container (maybeOf, pairOf, sumOf)
import Tern.Internal.Wire.Generic.Binary ()
import Tern.Internal.Wire.Generic.Json ()
import Tern.Internal.Wire.Generic.Native ()
import Tern.Internal.Wire.Generic.Shape ()
import Tern.Internal.Wire.Instances ()
import Tern.Internal.Wire.Scalar (text, unit)
import Text.ParserCombinators.ReadP (readP_to_S)

-- | What is inside.
inside :: forall a b. (Coercible a b) => Codec a -> Codec b
inside = mapCodec coerce coerce
{-# INLINE inside #-}

instance (Wire a) => Wire (Identity a) where
  codec = inside (codec @a)
  {-# INLINE codec #-}

instance (Wire a, Typeable b, Typeable k) => Wire (Const a (b :: k)) where
  codec = inside (codec @a)
  {-# INLINE codec #-}

instance
  (Wire (f (g a)), Typeable f, Typeable g, Typeable a, Typeable j, Typeable k) =>
  Wire (Compose f (g :: k -> j) (a :: k))
  where
  codec = inside (codec @(f (g a)))
  {-# INLINE codec #-}

-- | An array of the two.
instance
  (Wire (f a), Wire (g a), Typeable f, Typeable g, Typeable a, Typeable k) =>
  Wire (Functor.Product f g (a :: k))
  where
  codec = mapCodec (uncurry Functor.Pair) (\(Functor.Pair x y) -> (x, y)) (pairOf codec codec)
  {-# INLINE codec #-}

-- | An object of one member, @InL@ or @InR@.
instance
  (Wire (f a), Wire (g a), Typeable f, Typeable g, Typeable a, Typeable k) =>
  Wire (Functor.Sum f g (a :: k))
  where
  codec = sumOf codec codec
  {-# INLINE codec #-}

instance (Wire a) => Wire (Down a) where
  codec = inside (codec @a)
  {-# INLINE codec #-}

instance (Wire a) => Wire (Semigroup.Min a) where
  codec = inside (codec @a)
  {-# INLINE codec #-}

instance (Wire a) => Wire (Semigroup.Max a) where
  codec = inside (codec @a)
  {-# INLINE codec #-}

instance (Wire a) => Wire (Semigroup.First a) where
  codec = inside (codec @a)
  {-# INLINE codec #-}

instance (Wire a) => Wire (Semigroup.Last a) where
  codec = inside (codec @a)
  {-# INLINE codec #-}

instance (Wire a) => Wire (Semigroup.WrappedMonoid a) where
  codec = inside (codec @a)
  {-# INLINE codec #-}

instance (Wire a) => Wire (Monoid.First a) where
  codec = inside (codec @(Maybe a))
  {-# INLINE codec #-}

instance (Wire a) => Wire (Monoid.Last a) where
  codec = inside (codec @(Maybe a))
  {-# INLINE codec #-}

instance (Wire a) => Wire (Monoid.Dual a) where
  codec = inside (codec @a)
  {-# INLINE codec #-}

instance (Wire a) => Wire (Monoid.Sum a) where
  codec = inside (codec @a)
  {-# INLINE codec #-}

instance (Wire a) => Wire (Monoid.Product a) where
  codec = inside (codec @a)
  {-# INLINE codec #-}

instance (Wire (f a), Typeable f, Typeable a, Typeable k) => Wire (Monoid.Alt f (a :: k)) where
  codec = inside (codec @(f a))
  {-# INLINE codec #-}

instance (Wire (f a), Typeable f, Typeable a, Typeable k) => Wire (Monoid.Ap f (a :: k)) where
  codec = inside (codec @(f a))
  {-# INLINE codec #-}

instance Wire Monoid.All where
  codec = inside (codec @Bool)

instance Wire Monoid.Any where
  codec = inside (codec @Bool)

instance Wire ShortText where
  codec = mapCodec Short.fromText Short.toText text

-- | @"LT"@, @"EQ"@, @"GT"@.
instance Wire Ordering

-- | No document is one.
instance Wire Void where
  codec = refine (const (Left (T.pack "expected nothing: the type has no values"))) absurd unit

-- | Null.
instance (Typeable a, Typeable k) => Wire (Proxy (a :: k)) where
  codec = (mapCodec (const Proxy) (const Nothing) (maybeOf (codec @Void))) {codecAbsent = Nothing}

-- | Its text, as in @1.2.3@.
instance Wire Version where
  codec = refine version (T.pack . showVersion) text
    where
      version t = case [v | T.length t <= 4096, (v, "") <- readP_to_S parseVersion (T.unpack t)] of
        v : _ -> Right v
        [] -> Left (T.pack "expected a version, as 1.2.3")
