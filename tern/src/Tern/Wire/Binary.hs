{-# LANGUAGE AllowAmbiguousTypes #-}

-- | Which of a codec's fields belong to a binary format.
--
-- The idea: what is written once for the binary formats ("Tern.Binary.Syntax") asks
-- here for the writer and the reader of the values within. The format is known
-- wherever that is compiled.
module Tern.Wire.Binary
  ( Format (..),
  )
where

import Tern.Binary.Sum (Sums)
import Tern.Cbor.Codec (Cbor)
import Tern.MessagePack.Codec (MessagePack)
import Tern.Read (Reader)
import Tern.Wire.Codec
import Tern.Write (Writer)

-- | A binary format that codecs have.
class (Sums f) => Format f where
  writerOf :: Codec a -> Writer a
  readerOf :: Codec a -> Reader a

instance Format MessagePack where
  writerOf = mpackWriter
  {-# INLINE writerOf #-}
  readerOf = mpackReader
  {-# INLINE readerOf #-}

instance Format Cbor where
  writerOf = cborWriter
  {-# INLINE writerOf #-}
  readerOf = cborReader
  {-# INLINE readerOf #-}
