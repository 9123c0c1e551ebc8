-- | Integers of a fixed width: those of a machine, of which the native format has the bytes.
--
-- The idea: the codec of the integer, but for its shape and the native format.
module Tern.Internal.Wire.FixedWidth
  ( MachineInteger,
    fixedWidth,
    fixedWidthOf,
  )
where

import Data.Int (Int32, Int64)
import Data.Typeable (Typeable)
import Data.Word (Word32, Word64)
import Tern.Internal.Native.FixedWidth (FixedWidth (..))
import Tern.Internal.Native.Read qualified as NativeR
import Tern.Internal.Native.Write qualified as NativeW
import Tern.Internal.Wire.Codec (Codec, CodecIn (..), mapCodec, readAs, writeAs)
import Tern.Internal.Wire.Scalar (int, int32, int64, word, word32, word64)
import Tern.Shape (ShapeOf (..), Width (..))
import Tern.Shape qualified as Shape

-- $setup
-- >>> import Data.ByteString qualified as B
-- >>> import Tern.Codec qualified as Codec

-- | The integers of four and of eight bytes: 'Int', 'Int32', 'Int64', 'Word', 'Word32' and
-- 'Word64'. There are no others.
class (Bounded a, Integral a, Typeable a) => MachineInteger a where
  -- | Where all that counts is known.
  fixed :: Codec a

instance MachineInteger Int where
  fixed = eight int

instance MachineInteger Int32 where
  fixed = four int32

instance MachineInteger Int64 where
  fixed = eight int64

instance MachineInteger Word where
  fixed = eight word

instance MachineInteger Word32 where
  fixed = four word32

instance MachineInteger Word64 where
  fixed = eight word64

-- | An integer that has as many bytes in the native format as it has in memory: four or
-- eight, the lowest first. In the other formats it is what it is without that.
--
-- A vector is copied as a whole where its elements are v'FixedWidth'; a list and a boxed
-- vector have the same bytes by this codec too.
--
-- >>> B.unpack (Codec.encodeNative (Codec.fixedWidth @Word) 258)
-- [2,1,0,0,0,0,0,0]
-- >>> Codec.encodeJson (Codec.listOf (Codec.fixedWidth @Int)) [1, -2]
-- "[1,-2]"
fixedWidth :: (MachineInteger a) => Codec a
fixedWidth = fixed

-- | Where the type is known, nothing of this is there when a program runs.
-- Proof: the allocation ceiling "native, a thousand integers of a fixed width".
four :: (Bounded a, Integral a) => Codec a -> Codec a
four plain =
  plain
    { codecShape = shapeIn FourBytes,
      -- That of a list of the integer may be of its own bytes.
      codecList = Nothing,
      nativeWriter = writeAs fromIntegral NativeW.fixed32,
      nativeReader = readAs fromIntegral NativeR.fixed32
    }

eight :: (Bounded a, Integral a) => Codec a -> Codec a
eight plain =
  plain
    { codecShape = shapeIn EightBytes,
      codecList = Nothing,
      nativeWriter = writeAs fromIntegral NativeW.fixed64,
      nativeReader = readAs fromIntegral NativeR.fixed64
    }

shapeIn :: forall a. (Bounded a, Integral a) => Width -> ShapeOf a
shapeIn width =
  ShapeOf (Shape.IntegerIn width (toInteger (minBound :: a)) (toInteger (maxBound :: a)))

-- | The same of the newtype.
fixedWidthOf :: (MachineInteger a) => Codec (FixedWidth a)
fixedWidthOf = mapCodec FixedWidth unFixedWidth fixedWidth
{-# INLINE fixedWidthOf #-}
