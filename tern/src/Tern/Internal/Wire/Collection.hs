{-# LANGUAGE DeriveAnyClass #-}

-- | Sets, sequences, trees, and arrays of other kinds.
--
-- The idea: each is what a list, a vector or a map is in a format. Of sets the native
-- format has the elements in ascending order, so that equal sets have equal bytes.
module Tern.Internal.Wire.Collection
  ( -- * Sets
    setOf,
    hashSetOf,
    intSet,

    -- * Maps and sequences
    intMapOf,
    seqOf,

    -- * Trees
    treeOf,

    -- * Arrays
    primitiveVectorOf,
    arrayOf,
    smallArrayOf,
    primArrayOf,
  )
where

import Data.Foldable (toList)
import Data.HashSet (HashSet)
import Data.HashSet qualified as HashSet
import Data.Hashable (Hashable)
import Data.IntMap.Strict (IntMap)
import Data.IntMap.Strict qualified as IntMap
import Data.IntSet (IntSet)
import Data.IntSet qualified as IntSet
import Data.Primitive.Array (Array)
import Data.Primitive.PrimArray (PrimArray, primArrayFromList, primArrayToList)
import Data.Primitive.SmallArray (SmallArray, smallArrayFromList)
import Data.Primitive.Types (Prim)
import Data.Sequence (Seq)
import Data.Sequence qualified as Seq
import Data.Set (Set)
import Data.Set qualified as Set
import Data.Tree qualified as Containers
import Data.Typeable (Typeable)
import Data.Vector qualified as V
import Data.Vector.Primitive qualified as VP
import GHC.Generics (Generic)
import Tern.Internal.HashMap qualified as HashMap
import Tern.Internal.Json.Container qualified as Json
import Tern.Internal.Native.List qualified as Native
import Tern.Internal.Native.Reader (NativeReader)
import Tern.Internal.Native.Vector qualified as Native
import Tern.Internal.Wire.Binary (binaryList, binaryVector, through, uniform)
import Tern.Internal.Wire.Class (Wire (..))
import Tern.Internal.Wire.Codec
  ( Codec,
    CodecIn (..),
    directly,
    mapCodec,
    readAs,
    trusted,
    writeAs,
  )
import Tern.Internal.Wire.Container (listOf, pairOf, vectorOf)
import Tern.Internal.Wire.Direct (elementsOf)
import Tern.Internal.Wire.Generic.Binary ()
import Tern.Internal.Wire.Generic.Json ()
import Tern.Internal.Wire.Generic.Native ()
import Tern.Internal.Wire.Generic.Shape ()
import Tern.Internal.Wire.Instances ()
import Tern.Internal.Wire.Scalar (int)
import Tern.Internal.Write (Writer)
import Tern.Shape (ShapeOf (..))
import Tern.Shape qualified as Shape

-- * Sets

-- | An array of the elements in ascending order. Read in any order, and repeated, but from
-- the native format.
--
-- INLINE, here and below, as in "Tern.Internal.Wire.Container".
setOf :: (Ord a) => CodecIn fs a -> CodecIn fs (Set a)
setOf a =
  directly (elementsOf Set.toAscList Set.fromList (codecDirect a)) $
    uniform
      (setShape a)
      (writeAs Set.toAscList (Json.listW (jsonWriter a)))
      (readAs Set.fromList (Json.listR (jsonReader a)))
      (through Set.toAscList Set.fromList (binaryList a))
      (writeAs Set.toAscList (ascendingW a))
      (readAs Set.fromDistinctAscList (ascendingR a))
{-# INLINE setOf #-}

-- | An array of the elements, in the set's order but in the native format. Elements that
-- collide cost no more than others.
hashSetOf :: (Hashable a, Ord a) => CodecIn fs a -> CodecIn fs (HashSet a)
hashSetOf a =
  directly (elementsOf HashSet.toList fromElements (codecDirect a)) $
    uniform
      (setShape a)
      (writeAs HashSet.toList (Json.listW (jsonWriter a)))
      (readAs fromElements (Json.listR (jsonReader a)))
      (through HashSet.toList fromElements (binaryList a))
      (writeAs (Set.toAscList . Set.fromList . HashSet.toList) (ascendingW a))
      (readAs fromElements (ascendingR a))
  where
    fromElements = HashSet.fromMap . HashMap.fromPairs . map (,())
{-# INLINE hashSetOf #-}

-- | An array of the elements in ascending order, as 'setOf' has it.
intSet :: Codec IntSet
intSet =
  mapCodec
    (IntSet.fromDistinctAscList . Set.toAscList)
    (Set.fromDistinctAscList . IntSet.toAscList)
    (setOf int)

setShape :: CodecIn fs a -> ShapeOf b
setShape a = ShapeOf (Shape.SetOf (theShape (codecShape a)))

ascendingW :: CodecIn fs a -> Writer [a]
ascendingW a = Native.listW (nativeWriter a)
{-# INLINE [2] ascendingW #-}

ascendingR :: (Ord a) => CodecIn fs a -> NativeReader [a]
ascendingR a = Native.ascendingR (<) (nativeReader a)
{-# INLINE [2] ascendingR #-}

-- * Maps and sequences

-- | An array of pairs, as aeson has it, in the order of the keys; and no object, as a map of
-- 'Int' is. Read in any order, but from the native format.
intMapOf :: CodecIn fs v -> CodecIn fs (IntMap v)
intMapOf v =
  (mapCodec IntMap.fromList IntMap.toAscList (listOf pair))
    { nativeReader =
        readAs
          IntMap.fromDistinctAscList
          ( Native.ascendingR
              (\(a, _) (b, _) -> a < b)
              (nativeReader pair)
          )
    }
  where
    pair = pairOf (trusted int) v
{-# INLINE intMapOf #-}

-- | An array.
seqOf :: CodecIn fs a -> CodecIn fs (Seq a)
seqOf a = mapCodec Seq.fromList toList (listOf a)
{-# INLINE seqOf #-}

-- * Trees

data Tree a = Tree a [Tree a]
  deriving stock (Generic)
  deriving anyclass (Wire)

-- | An array of the root and an array of the trees below it.
treeOf :: (Wire a) => Codec (Containers.Tree a)
treeOf = mapCodec to from codec
  where
    to (Tree a below) = Containers.Node a (map to below)
    from (Containers.Node a below) = Tree a (map from below)
{-# INLINE treeOf #-}

-- * Arrays

-- | An array; in the native format as the bytes of the vector where elements are of one size
-- there.
primitiveVectorOf :: (Prim a, Typeable a) => CodecIn fs a -> CodecIn fs (VP.Vector a)
primitiveVectorOf a =
  directly (elementsOf VP.toList VP.fromList (codecDirect a)) $
    uniform
      (ShapeOf (Shape.List 0 (theShape (codecShape a))))
      (Json.vectorW (jsonWriter a))
      (Json.vectorR (jsonReader a))
      (binaryVector a)
      (Native.anyPrimitiveW (nativeWriter a))
      (Native.anyPrimitiveR (nativeReader a))
{-# INLINE primitiveVectorOf #-}

-- | An array; so are the others of "Data.Primitive".
arrayOf :: CodecIn fs a -> CodecIn fs (Array a)
arrayOf a = mapCodec V.toArray V.fromArray (vectorOf a)
{-# INLINE arrayOf #-}

-- | An array, by way of a list.
smallArrayOf :: CodecIn fs a -> CodecIn fs (SmallArray a)
smallArrayOf a = mapCodec smallArrayFromList toList (listOf a)
{-# INLINE smallArrayOf #-}

-- | An array, by way of a list: never by its bytes in memory, as 'primitiveVectorOf' may be.
primArrayOf :: (Prim a) => CodecIn fs a -> CodecIn fs (PrimArray a)
primArrayOf a = mapCodec primArrayFromList primArrayToList (listOf a)
{-# INLINE primArrayOf #-}
