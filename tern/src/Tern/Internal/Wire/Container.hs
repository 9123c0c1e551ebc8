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

    -- * Tuples
    pairOf,
    tuple3,
    tuple4,
    tuple5,
    tuple6,
    tuple7,
  )
where

import Data.HashMap.Strict (HashMap)
import Data.HashMap.Strict qualified as HashMap
import Data.Hashable (Hashable)
import Data.List.NonEmpty (NonEmpty (..))
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (isJust)
import Data.Typeable (Typeable)
import Data.Vector qualified as V
import Data.Vector.Storable qualified as VS
import Data.Vector.Unboxed qualified as VU
import Tern.Internal.Binary.Container qualified as Binary
import Tern.Internal.Cbor.Codec (Cbor)
import Tern.Internal.HashMap qualified as HashMap
import Tern.Internal.Json.Container qualified as Json
import Tern.Internal.MessagePack.Codec (MessagePack)
import Tern.Internal.Native.List qualified as Native
import Tern.Internal.Native.Reader (NativeReader)
import Tern.Internal.Native.Record qualified as Native
import Tern.Internal.Native.Vector qualified as Native
import Tern.Internal.Read (Reader)
import Tern.Internal.Wire.Codec (CodecIn (..), objectKey, plain, readAs, trusted, writeAs)
import Tern.Internal.Write (Write, Writer (..), contramapWriter, toFill, write)
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
  plain
    (sequenceShape 0 a)
    (Json.listW (jsonWriter a))
    (Json.listR (jsonReader a))
    (Binary.listW @MessagePack (mpackWriter a))
    (Binary.listR @MessagePack (mpackReader a))
    (Binary.listW @Cbor (cborWriter a))
    (Binary.listR @Cbor (cborReader a))
    (Native.listW (nativeWriter a))
    (Native.listR (nativeReader a))
{-# INLINE arrayOf #-}

-- | An array of one element at least.
nonEmptyOf :: CodecIn fs a -> CodecIn fs (NonEmpty a)
nonEmptyOf a =
  plain
    (sequenceShape 1 a)
    (writeAs toList (Json.listW (jsonWriter a)))
    (Json.nonEmptyR (jsonReader a))
    (writeAs toList (Binary.listW @MessagePack (mpackWriter a)))
    (Binary.nonEmptyR @MessagePack (mpackReader a))
    (writeAs toList (Binary.listW @Cbor (cborWriter a)))
    (Binary.nonEmptyR @Cbor (cborReader a))
    (writeAs toList (Native.listW (nativeWriter a)))
    (Native.nonEmptyR (nativeReader a))
  where
    toList (x :| xs) = x : xs
{-# INLINE nonEmptyOf #-}

-- | An array.
vectorOf :: CodecIn fs a -> CodecIn fs (V.Vector a)
vectorOf a =
  plain
    (sequenceShape 0 a)
    (Json.vectorW (jsonWriter a))
    (Json.vectorR (jsonReader a))
    (Binary.vectorW @MessagePack (mpackWriter a))
    (Binary.vectorR @MessagePack (mpackReader a))
    (Binary.vectorW @Cbor (cborWriter a))
    (Binary.vectorR @Cbor (cborReader a))
    (Native.vectorW (nativeWriter a))
    (Native.vectorR (nativeReader a))
{-# INLINE vectorOf #-}

-- | An array; in the native format as the bytes of the vector where elements are
-- of one size there.
unboxedOf :: (VU.Unbox a, Typeable a) => CodecIn fs a -> CodecIn fs (VU.Vector a)
unboxedOf a =
  plain
    (sequenceShape 0 a)
    (Json.vectorW (jsonWriter a))
    (Json.vectorR (jsonReader a))
    (Binary.vectorW @MessagePack (mpackWriter a))
    (Binary.vectorR @MessagePack (mpackReader a))
    (Binary.vectorW @Cbor (cborWriter a))
    (Binary.vectorR @Cbor (cborReader a))
    (Native.anyUnboxedW (nativeWriter a))
    (Native.anyUnboxedR (nativeReader a))
{-# INLINE unboxedOf #-}

-- | As 'unboxedOf'.
storableOf :: (VS.Storable a, Typeable a) => CodecIn fs a -> CodecIn fs (VS.Vector a)
storableOf a =
  plain
    (sequenceShape 0 a)
    (Json.vectorW (jsonWriter a))
    (Json.vectorR (jsonReader a))
    (Binary.vectorW @MessagePack (mpackWriter a))
    (Binary.vectorR @MessagePack (mpackReader a))
    (Binary.vectorW @Cbor (cborWriter a))
    (Binary.vectorR @Cbor (cborReader a))
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
  plain
    (mappingShape k v)
    (writeAs Map.toAscList (Json.mapW (objectKey k) (jsonWriter k) (jsonWriter v)))
    (readAs (Map.fromList . reverse) (Json.mapR (objectKey k) (jsonReader k) (jsonReader v)))
    (writeAs Map.toAscList (Binary.pairsW @MessagePack (mpackWriter k) (mpackWriter v)))
    (readAs (Map.fromList . reverse) (Binary.pairsR @MessagePack (mpackReader k) (mpackReader v)))
    (writeAs Map.toAscList (Binary.pairsW @Cbor (cborWriter k) (cborWriter v)))
    (readAs (Map.fromList . reverse) (Binary.pairsR @Cbor (cborReader k) (cborReader v)))
    (writeAs Map.toAscList (ascendingPairsW k v))
    (readAs Map.fromDistinctAscList (ascendingPairsR k v))
{-# INLINE mapOf #-}

-- | An object; of a repeated key the last value counts. Keys that collide cost
-- no more than others.
hashMapOf :: (Hashable k, Ord k) => CodecIn fs k -> CodecIn fs v -> CodecIn fs (HashMap k v)
hashMapOf k v =
  plain
    (mappingShape k v)
    (writeAs HashMap.toList (Json.mapW (objectKey k) (jsonWriter k) (jsonWriter v)))
    (readAs HashMap.fromPairs (Json.mapR (objectKey k) (jsonReader k) (jsonReader v)))
    (writeAs HashMap.toList (Binary.pairsW @MessagePack (mpackWriter k) (mpackWriter v)))
    (readAs HashMap.fromPairs (Binary.pairsR @MessagePack (mpackReader k) (mpackReader v)))
    (writeAs HashMap.toList (Binary.pairsW @Cbor (cborWriter k) (cborWriter v)))
    (readAs HashMap.fromPairs (Binary.pairsR @Cbor (cborReader k) (cborReader v)))
    (writeAs (Map.toAscList . Map.fromList . HashMap.toList) (ascendingPairsW k v))
    (readAs (HashMap.fromPairs . reverse) (ascendingPairsR k v))
{-# INLINE hashMapOf #-}

mappingShape :: CodecIn fs k -> CodecIn fs v -> ShapeOf m
mappingShape k v = ShapeOf (Shape.Mapping (shapeIn k) (shapeIn v))

-- | The native format has a map's pairs by ascending keys.
ascendingPairsW :: CodecIn fs k -> CodecIn fs v -> Writer [(k, v)]
ascendingPairsW k v = Native.listW (Native.both (nativeWriter k) (nativeWriter v))
{-# INLINE [2] ascendingPairsW #-}

ascendingPairsR :: (Ord k) => CodecIn fs k -> CodecIn fs v -> NativeReader [(k, v)]
ascendingPairsR k v = Native.ascendingR (\(a, _) (b, _) -> a < b) (Native.record ((,) <$> nativeField k <*> nativeField v))
{-# INLINE [2] ascendingPairsR #-}

-- * Choices

-- | The value or null; a field of it may be left away.
maybeOf :: CodecIn fs a -> CodecIn fs (Maybe a)
maybeOf a =
  ( plain
      (ShapeOf (Shape.Optional (shapeIn a)))
      (Json.maybeW (jsonWriter a))
      (Json.maybeR (jsonReader a))
      (Binary.maybeW @MessagePack (mpackWriter a))
      (Binary.maybeR @MessagePack (mpackReader a))
      (Binary.maybeW @Cbor (cborWriter a))
      (Binary.maybeR @Cbor (cborReader a))
      (Native.maybeW (nativeWriter a))
      (Native.maybeR (nativeReader a))
  )
    { codecAbsent = Just Nothing
    }
{-# INLINE maybeOf #-}

-- | An object of one field, @Left@ or @Right@.
eitherOf :: (Typeable a, Typeable b) => CodecIn fs a -> CodecIn fs b -> CodecIn fs (Either a b)
eitherOf a b =
  plain
    (Shape.declare (Shape.Several Shape.SingleField) [side "Left" a, side "Right" b])
    (Json.eitherW (jsonWriter a) (jsonWriter b))
    (Json.eitherR (jsonReader a) (jsonReader b))
    (Binary.eitherW @MessagePack (mpackWriter a) (mpackWriter b))
    (Binary.eitherR @MessagePack (mpackReader a) (mpackReader b))
    (Binary.eitherW @Cbor (cborWriter a) (cborWriter b))
    (Binary.eitherR @Cbor (cborReader a) (cborReader b))
    (Native.eitherW (nativeWriter a) (nativeWriter b))
    (Native.eitherR (nativeReader a) (nativeReader b))
  where
    side :: String -> CodecIn fs x -> Shape.Draft (Either a b)
    side name x = Shape.draftOf name False [("", isJust (codecAbsent x), shapeIn x)]
{-# INLINE eitherOf #-}

-- * Tuples

-- $tuples
-- Arrays of known length. In the native format a tuple's values stand one after
-- another, which is what a pair of the first and a tuple of the others is.

pairOf :: CodecIn fs a -> CodecIn fs b -> CodecIn fs (a, b)
pairOf a b =
  plain
    (ShapeOf (Shape.Tuple [shapeIn a, shapeIn b]))
    (FillWriter (\(x1, x2) -> toFill (Json.open <> write (jsonWriter a) x1 <> comma b x2 <> Json.close)))
    (Json.bracket 2 ((,) <$> jsonReader a <*> next 2 b <* Json.done 2))
    (FillWriter (\(x1, x2) -> toFill (Binary.arrayOf @MessagePack 2 <> write (mpackWriter a) x1 <> write (mpackWriter b) x2)))
    (Binary.exactly @MessagePack 2 ((,) <$> mpackReader a <*> mpackReader b))
    (FillWriter (\(x1, x2) -> toFill (Binary.arrayOf @Cbor 2 <> write (cborWriter a) x1 <> write (cborWriter b) x2)))
    (Binary.exactly @Cbor 2 ((,) <$> cborReader a <*> cborReader b))
    (Native.both (nativeWriter a) (nativeWriter b))
    (Native.record ((,) <$> nativeField a <*> nativeField b))
{-# INLINE pairOf #-}

tuple3 :: CodecIn fs a -> CodecIn fs b -> CodecIn fs c -> CodecIn fs (a, b, c)
tuple3 a b c =
  plain
    (ShapeOf (Shape.Tuple [shapeIn a, shapeIn b, shapeIn c]))
    (FillWriter (\(x1, x2, x3) -> toFill (Json.open <> write (jsonWriter a) x1 <> comma b x2 <> comma c x3 <> Json.close)))
    (Json.bracket 3 ((,,) <$> jsonReader a <*> next 3 b <*> next 3 c <* Json.done 3))
    (FillWriter (\(x1, x2, x3) -> toFill (Binary.arrayOf @MessagePack 3 <> write (mpackWriter a) x1 <> write (mpackWriter b) x2 <> write (mpackWriter c) x3)))
    (Binary.exactly @MessagePack 3 ((,,) <$> mpackReader a <*> mpackReader b <*> mpackReader c))
    (FillWriter (\(x1, x2, x3) -> toFill (Binary.arrayOf @Cbor 3 <> write (cborWriter a) x1 <> write (cborWriter b) x2 <> write (cborWriter c) x3)))
    (Binary.exactly @Cbor 3 ((,,) <$> cborReader a <*> cborReader b <*> cborReader c))
    (contramapWriter (\(x1, x2, x3) -> (x1, (x2, x3))) (Native.both (nativeWriter a) (Native.both (nativeWriter b) (nativeWriter c))))
    (Native.record ((,,) <$> nativeField a <*> nativeField b <*> nativeField c))
{-# INLINE tuple3 #-}

tuple4 :: CodecIn fs a -> CodecIn fs b -> CodecIn fs c -> CodecIn fs d -> CodecIn fs (a, b, c, d)
tuple4 a b c d =
  plain
    (ShapeOf (Shape.Tuple [shapeIn a, shapeIn b, shapeIn c, shapeIn d]))
    (FillWriter (\(x1, x2, x3, x4) -> toFill (Json.open <> write (jsonWriter a) x1 <> comma b x2 <> comma c x3 <> comma d x4 <> Json.close)))
    (Json.bracket 4 ((,,,) <$> jsonReader a <*> next 4 b <*> next 4 c <*> next 4 d <* Json.done 4))
    (FillWriter (\(x1, x2, x3, x4) -> toFill (Binary.arrayOf @MessagePack 4 <> write (mpackWriter a) x1 <> write (mpackWriter b) x2 <> write (mpackWriter c) x3 <> write (mpackWriter d) x4)))
    (Binary.exactly @MessagePack 4 ((,,,) <$> mpackReader a <*> mpackReader b <*> mpackReader c <*> mpackReader d))
    (FillWriter (\(x1, x2, x3, x4) -> toFill (Binary.arrayOf @Cbor 4 <> write (cborWriter a) x1 <> write (cborWriter b) x2 <> write (cborWriter c) x3 <> write (cborWriter d) x4)))
    (Binary.exactly @Cbor 4 ((,,,) <$> cborReader a <*> cborReader b <*> cborReader c <*> cborReader d))
    (contramapWriter (\(x1, x2, x3, x4) -> (x1, (x2, (x3, x4)))) (Native.both (nativeWriter a) (Native.both (nativeWriter b) (Native.both (nativeWriter c) (nativeWriter d)))))
    (Native.record ((,,,) <$> nativeField a <*> nativeField b <*> nativeField c <*> nativeField d))
{-# INLINE tuple4 #-}

tuple5 :: CodecIn fs a -> CodecIn fs b -> CodecIn fs c -> CodecIn fs d -> CodecIn fs e -> CodecIn fs (a, b, c, d, e)
tuple5 a b c d e =
  plain
    (ShapeOf (Shape.Tuple [shapeIn a, shapeIn b, shapeIn c, shapeIn d, shapeIn e]))
    (FillWriter (\(x1, x2, x3, x4, x5) -> toFill (Json.open <> write (jsonWriter a) x1 <> comma b x2 <> comma c x3 <> comma d x4 <> comma e x5 <> Json.close)))
    (Json.bracket 5 ((,,,,) <$> jsonReader a <*> next 5 b <*> next 5 c <*> next 5 d <*> next 5 e <* Json.done 5))
    (FillWriter (\(x1, x2, x3, x4, x5) -> toFill (Binary.arrayOf @MessagePack 5 <> write (mpackWriter a) x1 <> write (mpackWriter b) x2 <> write (mpackWriter c) x3 <> write (mpackWriter d) x4 <> write (mpackWriter e) x5)))
    (Binary.exactly @MessagePack 5 ((,,,,) <$> mpackReader a <*> mpackReader b <*> mpackReader c <*> mpackReader d <*> mpackReader e))
    (FillWriter (\(x1, x2, x3, x4, x5) -> toFill (Binary.arrayOf @Cbor 5 <> write (cborWriter a) x1 <> write (cborWriter b) x2 <> write (cborWriter c) x3 <> write (cborWriter d) x4 <> write (cborWriter e) x5)))
    (Binary.exactly @Cbor 5 ((,,,,) <$> cborReader a <*> cborReader b <*> cborReader c <*> cborReader d <*> cborReader e))
    (contramapWriter (\(x1, x2, x3, x4, x5) -> (x1, (x2, (x3, (x4, x5))))) (Native.both (nativeWriter a) (Native.both (nativeWriter b) (Native.both (nativeWriter c) (Native.both (nativeWriter d) (nativeWriter e))))))
    (Native.record ((,,,,) <$> nativeField a <*> nativeField b <*> nativeField c <*> nativeField d <*> nativeField e))
{-# INLINE tuple5 #-}

tuple6 :: CodecIn fs a -> CodecIn fs b -> CodecIn fs c -> CodecIn fs d -> CodecIn fs e -> CodecIn fs f -> CodecIn fs (a, b, c, d, e, f)
tuple6 a b c d e f =
  plain
    (ShapeOf (Shape.Tuple [shapeIn a, shapeIn b, shapeIn c, shapeIn d, shapeIn e, shapeIn f]))
    (FillWriter (\(x1, x2, x3, x4, x5, x6) -> toFill (Json.open <> write (jsonWriter a) x1 <> comma b x2 <> comma c x3 <> comma d x4 <> comma e x5 <> comma f x6 <> Json.close)))
    (Json.bracket 6 ((,,,,,) <$> jsonReader a <*> next 6 b <*> next 6 c <*> next 6 d <*> next 6 e <*> next 6 f <* Json.done 6))
    (FillWriter (\(x1, x2, x3, x4, x5, x6) -> toFill (Binary.arrayOf @MessagePack 6 <> write (mpackWriter a) x1 <> write (mpackWriter b) x2 <> write (mpackWriter c) x3 <> write (mpackWriter d) x4 <> write (mpackWriter e) x5 <> write (mpackWriter f) x6)))
    (Binary.exactly @MessagePack 6 ((,,,,,) <$> mpackReader a <*> mpackReader b <*> mpackReader c <*> mpackReader d <*> mpackReader e <*> mpackReader f))
    (FillWriter (\(x1, x2, x3, x4, x5, x6) -> toFill (Binary.arrayOf @Cbor 6 <> write (cborWriter a) x1 <> write (cborWriter b) x2 <> write (cborWriter c) x3 <> write (cborWriter d) x4 <> write (cborWriter e) x5 <> write (cborWriter f) x6)))
    (Binary.exactly @Cbor 6 ((,,,,,) <$> cborReader a <*> cborReader b <*> cborReader c <*> cborReader d <*> cborReader e <*> cborReader f))
    (contramapWriter (\(x1, x2, x3, x4, x5, x6) -> (x1, (x2, (x3, (x4, (x5, x6)))))) (Native.both (nativeWriter a) (Native.both (nativeWriter b) (Native.both (nativeWriter c) (Native.both (nativeWriter d) (Native.both (nativeWriter e) (nativeWriter f)))))))
    (Native.record ((,,,,,) <$> nativeField a <*> nativeField b <*> nativeField c <*> nativeField d <*> nativeField e <*> nativeField f))
{-# INLINE tuple6 #-}

tuple7 :: CodecIn fs a -> CodecIn fs b -> CodecIn fs c -> CodecIn fs d -> CodecIn fs e -> CodecIn fs f -> CodecIn fs g -> CodecIn fs (a, b, c, d, e, f, g)
tuple7 a b c d e f g =
  plain
    (ShapeOf (Shape.Tuple [shapeIn a, shapeIn b, shapeIn c, shapeIn d, shapeIn e, shapeIn f, shapeIn g]))
    (FillWriter (\(x1, x2, x3, x4, x5, x6, x7) -> toFill (Json.open <> write (jsonWriter a) x1 <> comma b x2 <> comma c x3 <> comma d x4 <> comma e x5 <> comma f x6 <> comma g x7 <> Json.close)))
    (Json.bracket 7 ((,,,,,,) <$> jsonReader a <*> next 7 b <*> next 7 c <*> next 7 d <*> next 7 e <*> next 7 f <*> next 7 g <* Json.done 7))
    (FillWriter (\(x1, x2, x3, x4, x5, x6, x7) -> toFill (Binary.arrayOf @MessagePack 7 <> write (mpackWriter a) x1 <> write (mpackWriter b) x2 <> write (mpackWriter c) x3 <> write (mpackWriter d) x4 <> write (mpackWriter e) x5 <> write (mpackWriter f) x6 <> write (mpackWriter g) x7)))
    (Binary.exactly @MessagePack 7 ((,,,,,,) <$> mpackReader a <*> mpackReader b <*> mpackReader c <*> mpackReader d <*> mpackReader e <*> mpackReader f <*> mpackReader g))
    (FillWriter (\(x1, x2, x3, x4, x5, x6, x7) -> toFill (Binary.arrayOf @Cbor 7 <> write (cborWriter a) x1 <> write (cborWriter b) x2 <> write (cborWriter c) x3 <> write (cborWriter d) x4 <> write (cborWriter e) x5 <> write (cborWriter f) x6 <> write (cborWriter g) x7)))
    (Binary.exactly @Cbor 7 ((,,,,,,) <$> cborReader a <*> cborReader b <*> cborReader c <*> cborReader d <*> cborReader e <*> cborReader f <*> cborReader g))
    (contramapWriter (\(x1, x2, x3, x4, x5, x6, x7) -> (x1, (x2, (x3, (x4, (x5, (x6, x7))))))) (Native.both (nativeWriter a) (Native.both (nativeWriter b) (Native.both (nativeWriter c) (Native.both (nativeWriter d) (Native.both (nativeWriter e) (Native.both (nativeWriter f) (nativeWriter g))))))))
    (Native.record ((,,,,,,) <$> nativeField a <*> nativeField b <*> nativeField c <*> nativeField d <*> nativeField e <*> nativeField f <*> nativeField g))
{-# INLINE tuple7 #-}

-- | A further value of a JSON array.
comma :: CodecIn fs a -> a -> Write
comma a x = Json.comma <> write (jsonWriter a) x
{-# INLINE comma #-}

-- | A further value of a JSON array of @n@.
next :: Int -> CodecIn fs a -> Reader a
next n a = Json.next n (jsonReader a)
{-# INLINE next #-}

nativeField :: CodecIn fs a -> Native.Fields a
nativeField a = Native.field (nativeReader a)
{-# INLINE nativeField #-}
