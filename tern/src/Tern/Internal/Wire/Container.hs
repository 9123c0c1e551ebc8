{-# LANGUAGE TemplateHaskell #-}

-- | Functions between codecs: of a list from that of its elements, and so for what
-- else holds values of other types.
--
-- INLINE: each is put together where its elements' codec is known, so that no
-- element costs an unknown call. Proof: inspect "no dictionary is passed", and the
-- allocation ceilings "a thousand pairs in lists" and "a thousand records".
module Tern.Internal.Wire.Container
  ( -- * Lists
    listOf,
    arrayOf,
    nonEmptyOf,
    vectorOf,
    unboxedOf,
    storableOf,

    -- * Maps
    mapOf,
    hashMapOf,

    -- * Choices
    maybeOf,
    eitherOf,
    sumOf,

    -- * Tuples
    pairOf,
    tuple3,
    tuple4,
    tuple5,
    tuple6,
    tuple7,
  )
where

import Data.Functor.Sum qualified as Functor
import Data.HashMap.Strict (HashMap)
import Data.HashMap.Strict qualified as HashMap
import Data.Hashable (Hashable)
import Data.Kind (Type)
import Data.List.NonEmpty (NonEmpty (..))
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (isJust)
import Data.Typeable (Typeable)
import Data.Vector qualified as V
import Data.Vector.Storable qualified as VS
import Data.Vector.Unboxed qualified as VU
import Language.Haskell.TH.Syntax qualified as TH
import Tern.Internal.HashMap qualified as HashMap
import Tern.Internal.Json.Container qualified as Json
import Tern.Internal.Native.List qualified as Native
import Tern.Internal.Native.Reader (NativeReader)
import Tern.Internal.Native.Record qualified as Native
import Tern.Internal.Native.Vector qualified as Native
import Tern.Internal.Wire.Arity (tupleCodec)
import Tern.Internal.Wire.Binary
  ( binaryEither,
    binaryList,
    binaryMaybe,
    binaryNonEmpty,
    binaryPairs,
    binarySum,
    binaryVector,
    through,
    uniform,
  )
import Tern.Internal.Wire.Codec
  ( CodecIn (..),
    directly,
    mapCodec,
    objectKey,
    readAs,
    trusted,
    writeAs,
  )
import Tern.Internal.Wire.Direct (Direct, elementsOf, keyedBy, nonEmptyD, orNull)
import Tern.Internal.Wire.Direct.Declared (sidesD)
import Tern.Internal.Write (Writer)
import Tern.Shape (Shape, ShapeOf (..))
import Tern.Shape qualified as Shape

-- * Lists

-- | An array; of characters, a string. ('arrayOf' makes an array of them too.)
listOf :: CodecIn fs a -> CodecIn fs [a]
listOf a = case codecList a of
  Just special -> trusted special
  Nothing -> arrayOf a
{-# INLINE listOf #-}

-- | An array.
arrayOf :: CodecIn fs a -> CodecIn fs [a]
arrayOf a =
  directly (elementsOf id id (codecDirect a)) $
    uniform
      (sequenceShape 0 a)
      (Json.listW (jsonWriter a))
      (Json.listR (jsonReader a))
      (binaryList a)
      (Native.listW (nativeWriter a))
      (Native.listR (nativeReader a))
{-# INLINE arrayOf #-}

-- | An array of one element at least.
nonEmptyOf :: CodecIn fs a -> CodecIn fs (NonEmpty a)
nonEmptyOf a =
  directly (nonEmptyD (codecDirect a)) $
    uniform
      (sequenceShape 1 a)
      (writeAs toList (Json.listW (jsonWriter a)))
      (Json.nonEmptyR (jsonReader a))
      (binaryNonEmpty a)
      (writeAs toList (Native.listW (nativeWriter a)))
      (Native.nonEmptyR (nativeReader a))
  where
    toList (x :| xs) = x : xs
{-# INLINE nonEmptyOf #-}

-- | An array.
vectorOf :: CodecIn fs a -> CodecIn fs (V.Vector a)
vectorOf a =
  directly (elementsOf V.toList V.fromList (codecDirect a)) $
    uniform
      (sequenceShape 0 a)
      (Json.vectorW (jsonWriter a))
      (Json.vectorR (jsonReader a))
      (binaryVector a)
      (Native.vectorW (nativeWriter a))
      (Native.vectorR (nativeReader a))
{-# INLINE vectorOf #-}

-- | An array; in the native format as the bytes of the vector where elements are
-- of one size there.
unboxedOf :: (VU.Unbox a, Typeable a) => CodecIn fs a -> CodecIn fs (VU.Vector a)
unboxedOf a =
  directly (elementsOf VU.toList VU.fromList (codecDirect a)) $
    uniform
      (sequenceShape 0 a)
      (Json.vectorW (jsonWriter a))
      (Json.vectorR (jsonReader a))
      (binaryVector a)
      (Native.anyUnboxedW (nativeWriter a))
      (Native.anyUnboxedR (nativeReader a))
{-# INLINE unboxedOf #-}

-- | As 'unboxedOf'.
storableOf :: (VS.Storable a, Typeable a) => CodecIn fs a -> CodecIn fs (VS.Vector a)
storableOf a =
  directly (elementsOf VS.toList VS.fromList (codecDirect a)) $
    uniform
      (sequenceShape 0 a)
      (Json.vectorW (jsonWriter a))
      (Json.vectorR (jsonReader a))
      (binaryVector a)
      (Native.anyStorableW (nativeWriter a))
      (Native.anyStorableR (nativeReader a))
{-# INLINE storableOf #-}

sequenceShape :: Int -> CodecIn fs a -> ShapeOf b
sequenceShape least a = ShapeOf (Shape.List least (shapeIn a))

shapeIn :: CodecIn fs a -> Shape
shapeIn a = theShape (codecShape a)

-- * Maps

-- | An object; of a repeated key the last value counts.
mapOf :: (Ord k) => CodecIn fs k -> CodecIn fs v -> CodecIn fs (Map k v)
mapOf k v =
  directly (keyedBy Map.toAscList (Map.fromList . reverse) (objectKey k) (pairIn k v)) $
    uniform
      (mappingShape k v)
      (writeAs Map.toAscList (Json.mapW (objectKey k) (jsonWriter k) (jsonWriter v)))
      (readAs (Map.fromList . reverse) (Json.mapR (objectKey k) (jsonReader k) (jsonReader v)))
      (through Map.toAscList (Map.fromList . reverse) (binaryPairs k v))
      (writeAs Map.toAscList (ascendingPairsW k v))
      (readAs Map.fromDistinctAscList (ascendingPairsR k v))
{-# INLINE mapOf #-}

-- | An object; of a repeated key the last value counts. Keys that collide cost
-- no more than others.
hashMapOf :: (Hashable k, Ord k) => CodecIn fs k -> CodecIn fs v -> CodecIn fs (HashMap k v)
hashMapOf k v =
  directly (keyedBy HashMap.toList HashMap.fromPairs (objectKey k) (pairIn k v)) $
    uniform
      (mappingShape k v)
      (writeAs HashMap.toList (Json.mapW (objectKey k) (jsonWriter k) (jsonWriter v)))
      (readAs HashMap.fromPairs (Json.mapR (objectKey k) (jsonReader k) (jsonReader v)))
      (through HashMap.toList HashMap.fromPairs (binaryPairs k v))
      (writeAs (Map.toAscList . Map.fromList . HashMap.toList) (ascendingPairsW k v))
      (readAs (HashMap.fromPairs . reverse) (ascendingPairsR k v))
{-# INLINE hashMapOf #-}

pairIn :: CodecIn fs k -> CodecIn fs v -> (Direct k, Direct v)
pairIn k v = (codecDirect k, codecDirect v)

mappingShape :: CodecIn fs k -> CodecIn fs v -> ShapeOf m
mappingShape k v = ShapeOf (Shape.Mapping (shapeIn k) (shapeIn v))

-- | The native format has a map's pairs by ascending keys.
ascendingPairsW :: CodecIn fs k -> CodecIn fs v -> Writer [(k, v)]
ascendingPairsW k v = Native.listW (Native.both (nativeWriter k) (nativeWriter v))
{-# INLINE [2] ascendingPairsW #-}

ascendingPairsR :: (Ord k) => CodecIn fs k -> CodecIn fs v -> NativeReader [(k, v)]
ascendingPairsR k v =
  Native.ascendingR
    (\(a, _) (b, _) -> a < b)
    (Native.record ((,) <$> nativeField k <*> nativeField v))
{-# INLINE [2] ascendingPairsR #-}

-- * Choices

-- | The value or null; a field of it may be left away.
maybeOf :: CodecIn fs a -> CodecIn fs (Maybe a)
maybeOf a =
  ( uniform
      (ShapeOf (Shape.Optional (shapeIn a)))
      (Json.maybeW (jsonWriter a))
      (Json.maybeR (jsonReader a))
      (binaryMaybe a)
      (Native.maybeW (nativeWriter a))
      (Native.maybeR (nativeReader a))
  )
    { codecAbsent = Just Nothing,
      codecDirect = orNull (codecDirect a)
    }
{-# INLINE maybeOf #-}

-- | An object of one field, @Left@ or @Right@.
eitherOf :: (Typeable a, Typeable b) => CodecIn fs a -> CodecIn fs b -> CodecIn fs (Either a b)
eitherOf a b =
  directly (sidesD "Left" "Right" (codecDirect a) (codecDirect b)) $
    uniform
      (sides "Left" a "Right" b)
      (Json.eitherW (jsonWriter a) (jsonWriter b))
      (Json.eitherR (jsonReader a) (jsonReader b))
      (binaryEither a b)
      (Native.eitherW (nativeWriter a) (nativeWriter b))
      (Native.eitherR (nativeReader a) (nativeReader b))
{-# INLINE eitherOf #-}

-- | An object of one field, @InL@ or @InR@.
sumOf ::
  forall k (f :: k -> Type) g (a :: k) fs.
  (Typeable f, Typeable g, Typeable a, Typeable k) =>
  CodecIn fs (f a) ->
  CodecIn fs (g a) ->
  CodecIn fs (Functor.Sum f g a)
sumOf a b =
  mapCodec (either Functor.InL Functor.InR) side $
    directly (sidesD "InL" "InR" (codecDirect a) (codecDirect b)) $
      uniform
        (shapeOf' (sides "InL" a "InR" b :: ShapeOf (Functor.Sum f g a)))
        (Json.sumW (jsonWriter a) (jsonWriter b))
        (Json.sumR (jsonReader a) (jsonReader b))
        (binarySum a b)
        (Native.eitherW (nativeWriter a) (nativeWriter b))
        (Native.eitherR (nativeReader a) (nativeReader b))
  where
    shapeOf' (ShapeOf s) = ShapeOf s
    side = \case
      Functor.InL x -> Left x
      Functor.InR y -> Right y
{-# INLINE sumOf #-}

-- | Of two alternatives, each of which holds one thing.
sides :: (Typeable x) => String -> CodecIn fs a -> String -> CodecIn fs b -> ShapeOf x
sides onLeft a onRight b =
  Shape.declare (Shape.Several Shape.SingleField) [side onLeft a, side onRight b]
  where
    side name x = Shape.draftOf name False [("", isJust (codecAbsent x), shapeIn x)]
{-# INLINE sides #-}

-- * Parts

nativeField :: CodecIn fs a -> Native.Fields a
nativeField a = Native.field (nativeReader a)
{-# INLINE nativeField #-}

-- * Tuples

-- $tuples
-- Arrays of known length. In the native format a tuple's values stand one after
-- another, which is what a pair of the first and a tuple of the others is.

concat
  <$> traverse
    ( \(n, name) -> do
        TH.addModFinalizer . TH.putDoc (TH.DeclDoc (TH.mkName name)) $
          "The codec of a tuple of " <> show n <> " elements, from theirs."
        tupleCodec n name
    )
    ((2, "pairOf") : [(n, "tuple" <> show n) | n <- [3 .. 7]])
