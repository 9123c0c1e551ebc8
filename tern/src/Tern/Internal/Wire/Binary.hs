{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE RankNTypes #-}

-- | Which of a codec's fields belong to a binary format.
--
-- The idea: what is written once for the binary formats ("Tern.Internal.Binary.Syntax") asks
-- here for the writer and the reader of the values within. The format is known
-- wherever that is compiled.
module Tern.Internal.Wire.Binary
  ( BinaryFormat (..),
    scalar,
  )
where

import Tern.Internal.Binary.Scalar (Binary (..), Scalars)
import Tern.Internal.Binary.Sum (Sums)
import Tern.Internal.Cbor.Codec (Cbor)
import Tern.Internal.MessagePack.Codec (MessagePack)
import Tern.Internal.Native.Reader (NativeReader)
import Tern.Internal.Read (Reader)
import Tern.Internal.Wire.Codec (CodecIn (..), plain)
import Tern.Internal.Write (Writer)
import Tern.Shape (ShapeOf)

-- | A binary format that codecs have.
class (Sums f) => BinaryFormat f where
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

-- | 'plain' of a type that is the same in all binary formats.
scalar ::
  ShapeOf a ->
  Writer a ->
  Reader a ->
  (forall f. (Scalars f) => Binary f a) ->
  Writer a ->
  NativeReader a ->
  CodecIn fs a
scalar shape jsonW jsonR binary nativeW nativeR =
  plain shape jsonW jsonR mpackW mpackR cborW cborR nativeW nativeR
  where
    Binary mpackW mpackR = binary @MessagePack
    Binary cborW cborR = binary @Cbor
{-# INLINE scalar #-}
