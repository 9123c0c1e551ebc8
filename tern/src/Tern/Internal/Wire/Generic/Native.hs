{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
{-# LANGUAGE UndecidableInstances #-}
-- The class begins in "Tern.Internal.Wire.Class", whose defaults need it.
{-# OPTIONS_GHC -Wno-orphans #-}

-- | The native format by generics: what @deriving anyclass Wire@ runs.
--
-- The idea: a record is its fields, a sum a number and the constructor's fields.
-- Runs of bounded fields are found and asked for once, but a type as a whole has
-- no bound for those that hold it: it might be within itself, and generics do not
-- say. Template Haskell looks.
module Tern.Internal.Wire.Generic.Native (GFieldsN (..), gFields) where

import GHC.Generics (C1, D1, K1 (..), M1 (..), Rec0, S1, U1 (..), (:*:) (..), (:+:) (..))
import Tern.Internal.Native.Reader (NativeReader)
import Tern.Internal.Native.Record
  ( Ahead,
    Alternatives,
    Fields (..),
    alternative,
    inFrontOf,
    oneOf,
    orElse,
    recursive,
    recursiveOneOf,
    taken,
  )
import Tern.Internal.Native.Write (number)
import Tern.Internal.Read (Step)
import Tern.Internal.Wire.Class (GNativeR (..), GNativeW (..), Wire, nativeR, nativeW)
import Tern.Internal.Wire.Generic.Layout (GSum (..))
import Tern.Internal.Write (Write, toFill, write)
import Tern.Prim.Buffer (Fill)

instance (GTypeN f) => GNativeW (D1 m f) where
  gNativeW (M1 x) = gTypeW x
  {-# INLINE gNativeW #-}

instance (GTypeN f) => GNativeR (D1 m f) where
  gNativeR k = gTypeR (\x -> k (M1 x))
  {-# INLINE gNativeR #-}

class GTypeN f where
  gTypeW :: f p -> Fill
  gTypeR :: (f p -> a) -> NativeReader a

-- | A constructor without fields is a byte all the same.
instance {-# OVERLAPPING #-} GTypeN (C1 m U1) where
  gTypeW _ = toFill (number 1 0)
  {-# INLINE gTypeW #-}
  gTypeR k = oneOf (alternative (pure (k (M1 U1))))
  {-# INLINE gTypeR #-}

instance (GFieldsN f) => GTypeN (C1 m f) where
  gTypeW (M1 x) = toFill (gFieldsW x)
  {-# INLINE gTypeW #-}
  gTypeR k = recursive (gFields (\x -> k (M1 x)))
  {-# INLINE gTypeR #-}

instance (GSum f, GSum g, GAlternativeN f, GAlternativeN g) => GTypeN (f :+: g) where
  gTypeW = \case
    L1 x -> gAlternativeW (gSumCount @(f :+: g)) 0 x
    R1 x -> gAlternativeW (gSumCount @(f :+: g)) (gSumCount @f) x
  {-# INLINE gTypeW #-}
  gTypeR k = recursiveOneOf (gAlternativeR k)
  {-# INLINE gTypeR #-}

-- | One of @total@ constructors; the first of these has the number @first@. The phases are those
-- of "Tern.Internal.Wire.Generic.Json".
class GAlternativeN f where
  gAlternativeW :: Int -> Int -> f p -> Fill
  gAlternativeR :: (f p -> a) -> Alternatives a

instance (GSum f, GAlternativeN f, GAlternativeN g) => GAlternativeN (f :+: g) where
  gAlternativeW count i = \case
    L1 x -> gAlternativeW count i x
    R1 x -> gAlternativeW count (i + gSumCount @f) x
  {-# INLINE [0] gAlternativeW #-}
  gAlternativeR k = gAlternativeR (\x -> k (L1 x)) `orElse` gAlternativeR (\x -> k (R1 x))
  {-# INLINE gAlternativeR #-}

instance (GFieldsN f) => GAlternativeN (C1 m f) where
  gAlternativeW count i (M1 x) = toFill (number count i <> gFieldsW x)
  {-# INLINE [0] gAlternativeW #-}
  gAlternativeR k = alternative (gFields (\x -> k (M1 x)))
  {-# INLINE gAlternativeR #-}

-- | The fields of a constructor. Reading is a 'Fields' with its arguments: they
-- are what a method is inlined for.
class GFieldsN f where
  gFieldsW :: f p -> Write
  gFieldsR :: Ahead -> (Ahead -> Step (f p) -> r) -> r

instance GFieldsN U1 where
  gFieldsW _ = mempty
  {-# INLINE gFieldsW #-}
  gFieldsR ahead use = use ahead (\_ _ c s -> (# s, c, U1 #))
  {-# INLINE gFieldsR #-}

instance (GFieldsN f, GFieldsN g) => GFieldsN (f :*: g) where
  gFieldsW (x :*: y) = gFieldsW x <> gFieldsW y
  {-# INLINE gFieldsW #-}
  gFieldsR ahead use =
    gFieldsR ahead $ \middle readSecond ->
      gFieldsR middle $ \front readFirst ->
        use front $ \ctx e c s -> case readFirst ctx e c s of
          (# s1, c1, x #) -> case readSecond ctx e c1 s1 of
            (# s2, c2, y #) -> (# s2, c2, x :*: y #)
  {-# INLINE gFieldsR #-}

instance (Wire a) => GFieldsN (S1 m (Rec0 a)) where
  gFieldsW (M1 (K1 x)) = write nativeW x
  {-# INLINE gFieldsW #-}
  gFieldsR ahead use =
    use
      (inFrontOf nativeR' ahead)
      ( \ctx e c s -> case taken nativeR' ahead ctx e c s of
          (# s1, c1, x #) ->
            (# s1, c1, M1 (K1 x) #)
      )
    where
      nativeR' = nativeR @a
  {-# INLINE gFieldsR #-}

-- | The fields of a constructor, and what is made of their representation.
gFields :: (GFieldsN f) => (f p -> a) -> Fields a
gFields k =
  Fields
    ( \ahead use ->
        gFieldsR
          ahead
          ( \front read' ->
              use front (\ctx e c s -> case read' ctx e c s of (# s1, c1, x #) -> (# s1, c1, k x #))
          )
    )
{-# INLINE gFields #-}
