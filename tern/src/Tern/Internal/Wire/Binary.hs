{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE RankNTypes #-}

-- | Which of a codec's fields belong to a binary format.
--
-- The idea: what is written once for the binary formats ("Tern.Internal.Binary.Syntax") asks
-- here for the writer and the reader of the values within. The format is known
-- wherever that is compiled.
module Tern.Internal.Wire.Binary
  ( BinaryFormat (..),
    uniform,
    through,

    -- * What holds other values
    binaryList,
    binaryNonEmpty,
    binaryVector,
    binaryPairs,
    binaryMaybe,
    binaryEither,
    binarySum,
  )
where

import Data.List.NonEmpty (NonEmpty (..))
import Data.Vector.Generic (Vector)
import Tern.Internal.Binary.Container qualified as Binary
import Tern.Internal.Binary.Scalar (Binary (..), Scalars)
import Tern.Internal.Binary.Sum (Sums)
import Tern.Internal.Cbor.Codec (Cbor)
import Tern.Internal.MessagePack.Codec (MessagePack)
import Tern.Internal.Native.Reader (NativeReader)
import Tern.Internal.Read (Reader)
import Tern.Internal.Wire.Codec (CodecIn (..), plain, readAs, writeAs)
import Tern.Internal.Write (Writer)
import Tern.Shape (ShapeOf)

-- | A binary format that codecs have.
class (Scalars f, Sums f) => BinaryFormat f where
  writerOf :: CodecIn fs a -> Writer a
  readerOf :: CodecIn fs a -> Reader a

instance BinaryFormat MessagePack where
  writerOf = mpackWriter
  {-# INLINE writerOf #-}
  readerOf = mpackReader
  {-# INLINE readerOf #-}

instance BinaryFormat Cbor where
  writerOf = cborWriter
  {-# INLINE writerOf #-}
  readerOf = cborReader
  {-# INLINE readerOf #-}

-- | 'plain' of a type that is written once for all binary formats.
--
-- A further binary format is a line here, and an instance of 'BinaryFormat'.
uniform ::
  ShapeOf a ->
  Writer a ->
  Reader a ->
  (forall f. (BinaryFormat f) => Binary f a) ->
  Writer a ->
  NativeReader a ->
  CodecIn fs a
uniform shape jsonW jsonR binary nativeW nativeR =
  plain shape jsonW jsonR mpackW mpackR cborW cborR nativeW nativeR
  where
    Binary mpackW mpackR = binary @MessagePack
    Binary cborW cborR = binary @Cbor
{-# INLINE uniform #-}

-- | The writer and reader of what a type is written as.
through :: (b -> a) -> (a -> b) -> Binary f a -> Binary f b
through to from (Binary w r) = Binary (writeAs to w) (readAs from r)
{-# INLINE through #-}

-- * What holds other values

-- | An array.
binaryList :: forall f fs a. (BinaryFormat f) => CodecIn fs a -> Binary f [a]
binaryList a = Binary (Binary.listW @f (writerOf @f a)) (Binary.listR @f (readerOf @f a))
{-# INLINE binaryList #-}

-- | An array of at least one element. An empty one is refused.
binaryNonEmpty :: forall f fs a. (BinaryFormat f) => CodecIn fs a -> Binary f (NonEmpty a)
binaryNonEmpty a =
  Binary
    (writeAs (\(x :| xs) -> x : xs) (Binary.listW @f (writerOf @f a)))
    (Binary.nonEmptyR @f (readerOf @f a))
{-# INLINE binaryNonEmpty #-}

-- | An array.
binaryVector ::
  forall f fs v a. (BinaryFormat f, Vector v a) => CodecIn fs a -> Binary f (v a)
binaryVector a = Binary (Binary.vectorW @f (writerOf @f a)) (Binary.vectorR @f (readerOf @f a))
{-# INLINE binaryVector #-}

-- | The pairs of a map.
binaryPairs ::
  forall f fs k v. (BinaryFormat f) => CodecIn fs k -> CodecIn fs v -> Binary f [(k, v)]
binaryPairs k v =
  Binary
    (Binary.pairsW @f (writerOf @f k) (writerOf @f v))
    (Binary.pairsR @f (readerOf @f k) (readerOf @f v))
{-# INLINE binaryPairs #-}

-- | The format's byte for no value, or the value.
binaryMaybe :: forall f fs a. (BinaryFormat f) => CodecIn fs a -> Binary f (Maybe a)
binaryMaybe a = Binary (Binary.maybeW @f (writerOf @f a)) (Binary.maybeR @f (readerOf @f a))
{-# INLINE binaryMaybe #-}

-- | A map of one pair, whose key is @Left@ or @Right@.
binaryEither ::
  forall f fs a b. (BinaryFormat f) => CodecIn fs a -> CodecIn fs b -> Binary f (Either a b)
binaryEither a b =
  Binary
    (Binary.eitherW @f (writerOf @f a) (writerOf @f b))
    (Binary.eitherR @f (readerOf @f a) (readerOf @f b))
{-# INLINE binaryEither #-}

-- | A map of one pair, whose key is @InL@ or @InR@.
binarySum ::
  forall f fs a b. (BinaryFormat f) => CodecIn fs a -> CodecIn fs b -> Binary f (Either a b)
binarySum a b =
  Binary
    (Binary.sumW @f (writerOf @f a) (writerOf @f b))
    (Binary.sumR @f (readerOf @f a) (readerOf @f b))
{-# INLINE binarySum #-}
