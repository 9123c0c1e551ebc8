{-# LANGUAGE TypeFamilies #-}

-- | Integers that the native format has in a fixed number of bytes.
--
-- The idea: a choice that a type makes, by a newtype. What is around the integer lies in
-- memory as the integer does, and so does a vector of it: between the two stands a view that
-- costs nothing, and a chunk of them is one copy.
--
-- Start at 'FixedWidth'. "Tern.Internal.Wire.FixedWidth" says what it is in each format.
module Tern.Internal.Native.FixedWidth
  ( FixedWidth (..),

    -- * Vectors of them, at no cost
    plainUnboxed,
    fixedUnboxed,
    plainStorable,
    fixedStorable,
    plainPrimitive,
    fixedPrimitive,

    -- * What they are made of
    U.Vector (V_FixedWidth),
    U.MVector (MV_FixedWidth),
  )
where

import Data.Bits (Bits, FiniteBits)
import Data.Coerce (coerce)
import Data.Hashable (Hashable)
import Data.Primitive (Prim)
import Data.Vector.Generic qualified as V
import Data.Vector.Generic.Mutable qualified as M
import Data.Vector.Primitive qualified as P
import Data.Vector.Storable qualified as S
import Data.Vector.Unboxed qualified as U
import Foreign.ForeignPtr (castForeignPtr)
import Foreign.Storable (Storable)

-- $setup
-- >>> import Data.ByteString qualified as B
-- >>> import Data.Int (Int32)
-- >>> import Data.Vector.Unboxed qualified as VU
-- >>> import Tern
-- >>> import Tern.Wire (fixedUnboxed, plainUnboxed)

-- | An integer that has as many bytes in the native format as it has in memory, four or eight,
-- the lowest first. Elsewhere it is what the integer is: a number in JSON, in MessagePack and
-- in CBOR, and a key of objects.
--
-- Without it an integer has from one to nine bytes, as few as it needs. That is half the bytes
-- where numbers are small. With it a vector is copied instead of being read number by number.
--
-- >>> B.unpack (encodeNative (FixedWidth (1 :: Int32)))
-- [1,0,0,0]
-- >>> encodeJson [FixedWidth (1 :: Int), 2]
-- "[1,2]"
-- >>> B.length (encodeNative (VU.enumFromN (1 :: FixedWidth Int) 1000))
-- 8002
newtype FixedWidth a = FixedWidth {unFixedWidth :: a}
  deriving stock (Eq, Ord, Read, Show)
  deriving newtype
    (Bits, Bounded, Enum, FiniteBits, Hashable, Integral, Num, Prim, Real, Storable)

newtype instance U.MVector s (FixedWidth a) = MV_FixedWidth (U.MVector s a)

newtype instance U.Vector (FixedWidth a) = V_FixedWidth (U.Vector a)

deriving newtype instance (U.Unbox a) => M.MVector U.MVector (FixedWidth a)

deriving newtype instance (U.Unbox a) => V.Vector U.Vector (FixedWidth a)

instance (U.Unbox a) => U.Unbox (FixedWidth a)

-- * Vectors of them, at no cost

-- | The same vector, whose elements are called what they are. Nothing is copied.
--
-- >>> plainUnboxed (VU.fromList [FixedWidth (1 :: Int), 2])
-- [1,2]
plainUnboxed :: U.Vector (FixedWidth a) -> U.Vector a
plainUnboxed = coerce

-- | The reverse.
--
-- >>> encodeJson (fixedUnboxed (VU.fromList [1 :: Int, 2]))
-- "[1,2]"
fixedUnboxed :: U.Vector a -> U.Vector (FixedWidth a)
fixedUnboxed = coerce

-- | As 'plainUnboxed'. (@coerce@ does not do: what lies at an address is a matter of the
-- element's own instance, of which that of 'FixedWidth' is known to be the same.)
plainStorable :: S.Vector (FixedWidth a) -> S.Vector a
plainStorable v = case S.unsafeToForeignPtr0 v of
  (start, n) -> S.unsafeFromForeignPtr0 (castForeignPtr start) n

-- | The reverse.
fixedStorable :: S.Vector a -> S.Vector (FixedWidth a)
fixedStorable v = case S.unsafeToForeignPtr0 v of
  (start, n) -> S.unsafeFromForeignPtr0 (castForeignPtr start) n

-- | As 'plainUnboxed'.
plainPrimitive :: P.Vector (FixedWidth a) -> P.Vector a
plainPrimitive (P.Vector from n array) = P.Vector from n array

-- | The reverse.
fixedPrimitive :: P.Vector a -> P.Vector (FixedWidth a)
fixedPrimitive (P.Vector from n array) = P.Vector from n array
