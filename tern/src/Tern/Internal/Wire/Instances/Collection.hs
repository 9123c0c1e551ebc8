-- The class is in "Tern.Internal.Wire.Class", as for "Tern.Internal.Wire.Instances".
{-# OPTIONS_GHC -Wno-orphans #-}

-- | Collections. "Tern.Internal.Wire.Collection" says what they are in each format.
--
-- INLINE, as in "Tern.Internal.Wire.Instances"; not of trees, whose codec is within itself.
module Tern.Internal.Wire.Instances.Collection () where

import Data.HashSet (HashSet)
import Data.Hashable (Hashable)
import Data.IntMap.Strict (IntMap)
import Data.IntSet (IntSet)
import Data.Primitive.Array (Array)
import Data.Primitive.PrimArray (PrimArray)
import Data.Primitive.SmallArray (SmallArray)
import Data.Primitive.Types (Prim)
import Data.Sequence (Seq)
import Data.Set (Set)
import Data.Tree (Tree)
import Data.Vector.Primitive qualified as VP
import Tern.Internal.Wire.Class (Wire (..))
import Tern.Internal.Wire.Collection
  ( arrayOf,
    hashSetOf,
    intMapOf,
    intSet,
    primArrayOf,
    primitiveVectorOf,
    seqOf,
    setOf,
    smallArrayOf,
    treeOf,
  )

instance (Ord a, Wire a) => Wire (Set a) where
  codec = setOf codec
  {-# INLINE codec #-}

instance (Hashable a, Ord a, Wire a) => Wire (HashSet a) where
  codec = hashSetOf codec
  {-# INLINE codec #-}

instance Wire IntSet where
  codec = intSet

instance (Wire v) => Wire (IntMap v) where
  codec = intMapOf codec
  {-# INLINE codec #-}

instance (Wire a) => Wire (Seq a) where
  codec = seqOf codec
  {-# INLINE codec #-}

instance (Wire a) => Wire (Tree a) where
  codec = treeOf

instance (Prim a, Wire a) => Wire (VP.Vector a) where
  codec = primitiveVectorOf codec
  {-# INLINE codec #-}

instance (Wire a) => Wire (Array a) where
  codec = arrayOf codec
  {-# INLINE codec #-}

instance (Wire a) => Wire (SmallArray a) where
  codec = smallArrayOf codec
  {-# INLINE codec #-}

instance (Prim a, Wire a) => Wire (PrimArray a) where
  codec = primArrayOf codec
  {-# INLINE codec #-}
