{-# LANGUAGE GADTs #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Vectors, in the same chunks as lists.
--
-- The idea: a vector is allocated for the elements that are known to be there,
-- and where an element's bytes are its bytes in memory as well, a chunk of them
-- is one copy.
--
-- INLINE on the loops, as in "Tern.Internal.Native.List".
module Tern.Internal.Native.Vector
  ( -- * Any elements
    vectorW,
    vectorR,

    -- * Elements that may be their bytes in memory
    anyUnboxedW,
    anyUnboxedR,
    anyStorableW,
    anyStorableR,
    anyPrimitiveW,
    anyPrimitiveR,

    -- * Elements that are their bytes in memory
    primitiveW,
    primitiveR,
    storableW,
    storableR,
  )
where

import Data.ByteString.Internal (ByteString (..))
import Data.Primitive (ByteArray (..), Prim, sizeOf)
import Data.Typeable (Typeable)
import Data.Vector.Generic qualified as V
import Data.Vector.Generic.Mutable qualified as M
import Data.Vector.Primitive qualified as P
import Data.Vector.Storable qualified as S
import Data.Vector.Unboxed qualified as U
import Data.Vector.Unboxed.Base qualified as U (Vector (..))
import Foreign.ForeignPtr (castForeignPtr)
import Foreign.Storable (Storable)
import Foreign.Storable qualified as Storable
import GHC.Base (unIO)
import GHC.Exts
import GHC.ForeignPtr (ForeignPtr (..), mallocPlainForeignPtrBytes)
import Tern.Error (Reason (..))
import Tern.Internal.Native.Chunk (chunkHeader, chunkHere, chunkThere, flatChunks, full)
import Tern.Internal.Native.FixedWidth (Vector (V_FixedWidth))
import Tern.Internal.Native.List (listR)
import Tern.Internal.Native.Plain (Plain (..), plain)
import Tern.Internal.Native.Reader (Extent, NativeReader (..), Sizing (..), flat, step)
import Tern.Internal.Read (Context, Step, claim, failAt)
import Tern.Internal.Write (Writer (..), toFill, write)
import Tern.Prim.BigEndian (copyOut)
import Tern.Prim.Buffer (Fill, ensure)
import Tern.Prim.Native (copyAcross)

-- * Any elements

-- | Chunks of 'full' elements, and after them one that is not full, which may be empty.
vectorW :: (V.Vector v a) => Writer a -> Writer (v a)
vectorW writer = FillWriter (\v -> chunk v 0)
  where
    chunk v from mba op s =
      let !(I# n) = min full (V.length v - from)
       in case chunkHeader n mba op s of
            (# s1, mba1, op1 #) -> elements v from (from + I# n) (I# n == full) mba1 op1 s1
    elements v i to more mba op s
      | i < to = case unIO (V.unsafeIndexM v i) s of
          (# s1, x #) -> case toFill (write writer x) mba op s1 of
            (# s2, mba1, op1 #) -> elements v (i + 1) to more mba1 op1 s2
      | more = chunk v to mba op s
      | otherwise = (# s, mba, op #)
{-# INLINE [2] vectorW #-}

-- | For elements of one size the vector is allocated once; with bounded ones it grows, chunk by
-- chunk; others come through a list.
vectorR :: forall v a. (V.Vector v a) => NativeReader a -> NativeReader (v a)
vectorR r@(NativeReader kind n x read') = case kind of
  Fixed -> flat (flatVector n read')
  Bounded -> flat (grownVector n x read')
  -- Through a list: what is large or nested gains nothing by being in place.
  _ -> case listR r of
    NativeReader kind' n' x' read'' ->
      NativeReader kind' n' x' $ \ctx e c s -> case read'' ctx e c s of
        (# s1, c1, [] #) -> (# s1, c1, none #)
        (# s1, c1, as #) -> case unIO (gathered as) s1 of (# s2, v #) -> (# s2, c1, v #)
{-# INLINE [2] vectorR #-}

-- | The vector of a list that is there.
gathered :: (V.Vector v a) => [a] -> IO (v a)
gathered list = M.unsafeNew (length list) >>= \v -> go v 0 list
  where
    go !v !i = \case
      [] -> V.unsafeFreeze v
      a : others -> M.unsafeWrite v i a >> go v (i + 1) others
{-# INLINE gathered #-}

-- | The empty vector, which there is once: in a document each may be a byte.
--
-- NOINLINE: what it is applied to is known, so that it is evaluated once and for all. Proof:
-- "what lists and vectors allocate for a byte".
none :: (V.Vector v a) => v a
none = V.empty
{-# NOINLINE none #-}

-- | Elements of one size: it is known how many before the first is read.
flatVector :: forall v a. (V.Vector v a) => Int -> Step a -> Step (v a)
flatVector (I# size) read' = \ctx0 e0 c0 s0 -> case flatChunks size e0 c0 s0 of
  (# s1, end, 0# #) -> (# s1, end, none #)
  (# s1, _, total #) -> case unIO (M.unsafeNew (I# total)) s1 of
    (# s2, v #) -> chunk v 0 ctx0 e0 c0 s2
  where
    chunk :: V.Mutable v RealWorld a -> Int -> Step (v a)
    -- Strict in the vector, so that it is not taken apart for each element.
    chunk !v !from ctx e c s = case chunkHere e c s of
      (# s1, c1, n #) -> case elements v from n ctx e c1 0# s1 of
        s2
          | I# n == full -> chunk v (from + I# n) ctx e (plusAddr# c1 (n *# size)) s2
          | otherwise -> case unIO (V.unsafeFreeze v) s2 of
              (# s3, frozen #) ->
                (# s3, plusAddr# c1 (n *# size), frozen #)
    -- The number of the element is all that changes from one to the next.
    elements ::
      V.Mutable v RealWorld a ->
      Int ->
      Int# ->
      Context ->
      Addr# ->
      Addr# ->
      Int# ->
      State# RealWorld ->
      State# RealWorld
    elements !v !from n ctx e c = go
      where
        go i s = case i <# n of
          1# -> case read' ctx e (plusAddr# c (i *# size)) s of
            (# s1, _, x #) -> case unIO (M.unsafeWrite v (from + I# i) x) s1 of
              (# s2, () #) -> go (i +# 1#) s2
          _ -> s
    {-# INLINE elements #-}
{-# INLINE flatVector #-}

-- | Bounded elements: room for a chunk at a time, at least doubled, and trimmed
-- at the end. Each chunk claims its elements, and is known to be there.
grownVector :: forall v a. (V.Vector v a) => Int -> Extent -> Step a -> Step (v a)
grownVector bound x read' = \ctx0 e0 c0 s0 -> case counted ctx0 e0 c0 s0 of
  (# s1, c1, 0# #) -> (# s1, c1, none #)
  (# s1, c1, n #) -> case unIO (M.unsafeNew (I# n)) s1 of
    (# s2, v #) -> elements v 0 (I# n) (I# n == full) ctx0 e0 c1 s2
  where
    counted :: Context -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Int# #)
    counted ctx e c s = case chunkHere e c s of
      (# s1, c1, n #) -> case claim ctx n s1 of
        (# s2, 1# #) -> case chunkThere bound x e c1 n s2 of s3 -> (# s3, c1, n #)
        (# s2, _ #) -> case failAt c (Overclaimed (I# n) (I# (minusAddr# e c1))) s2 of
          (# s3, c2, () #) ->
            (# s3, c2, 0# #)
    chunk :: V.Mutable v RealWorld a -> Int -> Step (v a)
    chunk !v !i ctx e c s = case counted ctx e c s of
      (# s1, c1, n #) -> case unIO (roomFor v (i + I# n)) s1 of
        (# s2, v1 #) -> elements v1 i (i + I# n) (I# n == full) ctx e c1 s2
    elements :: V.Mutable v RealWorld a -> Int -> Int -> Bool -> Step (v a)
    elements v i to more ctx e c s
      | i < to = case read' ctx e c s of
          (# s1, c1, a #) -> case unIO (M.unsafeWrite v i a) s1 of
            (# s2, () #) -> elements v (i + 1) to more ctx e c1 s2
      | more = chunk v to ctx e c s
      | otherwise = case unIO
          ( if to == M.length v
              then V.unsafeFreeze v
              else V.freeze (M.unsafeTake to v)
          )
          s of
          (# s1, frozen #) -> (# s1, c, frozen #)
    roomFor v to
      | to <= M.length v = pure v
      | otherwise = M.unsafeGrow v (max (to - M.length v) (M.length v))
{-# INLINE grownVector #-}

-- * Elements that may be their bytes in memory

-- | As 'vectorW', by copying where that gives the same bytes.
anyUnboxedW :: forall a. (Typeable a, U.Unbox a) => Writer a -> Writer (U.Vector a)
anyUnboxedW writer = FillWriter $ \v -> case plain @a of
  Nothing -> fillOf (vectorW writer) v
  Just PlainInt8 | U.V_Int8 p <- v -> fillOf primitiveW p
  Just PlainInt16 | U.V_Int16 p <- v -> fillOf primitiveW p
  Just PlainWord8 | U.V_Word8 p <- v -> fillOf primitiveW p
  Just PlainWord16 | U.V_Word16 p <- v -> fillOf primitiveW p
  Just PlainFloat | U.V_Float p <- v -> fillOf primitiveW p
  Just PlainDouble | U.V_Double p <- v -> fillOf primitiveW p
  Just FixedInt | V_FixedWidth (U.V_Int p) <- v -> fillOf primitiveW p
  Just FixedInt32 | V_FixedWidth (U.V_Int32 p) <- v -> fillOf primitiveW p
  Just FixedInt64 | V_FixedWidth (U.V_Int64 p) <- v -> fillOf primitiveW p
  Just FixedWord | V_FixedWidth (U.V_Word p) <- v -> fillOf primitiveW p
  Just FixedWord32 | V_FixedWidth (U.V_Word32 p) <- v -> fillOf primitiveW p
  Just FixedWord64 | V_FixedWidth (U.V_Word64 p) <- v -> fillOf primitiveW p
{-# INLINE [2] anyUnboxedW #-}

fillOf :: Writer a -> a -> Fill
fillOf writer a = toFill (write writer a)
{-# INLINE fillOf #-}

-- | As 'vectorR'.
anyUnboxedR :: forall a. (Typeable a, U.Unbox a) => NativeReader a -> NativeReader (U.Vector a)
anyUnboxedR reader' = case vectorR reader' of
  NativeReader kind n x read' -> NativeReader kind n x $ \ctx e c s -> case plain @a of
    Nothing -> read' ctx e c s
    Just PlainInt8 -> made U.V_Int8 ctx e c s
    Just PlainInt16 -> made U.V_Int16 ctx e c s
    Just PlainWord8 -> made U.V_Word8 ctx e c s
    Just PlainWord16 -> made U.V_Word16 ctx e c s
    Just PlainFloat -> made U.V_Float ctx e c s
    Just PlainDouble -> made U.V_Double ctx e c s
    Just FixedInt -> made (V_FixedWidth . U.V_Int) ctx e c s
    Just FixedInt32 -> made (V_FixedWidth . U.V_Int32) ctx e c s
    Just FixedInt64 -> made (V_FixedWidth . U.V_Int64) ctx e c s
    Just FixedWord -> made (V_FixedWidth . U.V_Word) ctx e c s
    Just FixedWord32 -> made (V_FixedWidth . U.V_Word32) ctx e c s
    Just FixedWord64 -> made (V_FixedWidth . U.V_Word64) ctx e c s
  where
    made :: forall b c. (Prim c) => (P.Vector c -> U.Vector b) -> Step (U.Vector b)
    made wrap = step (fmap wrap primitiveR)
{-# INLINE [2] anyUnboxedR #-}

-- | As 'vectorW', by copying where that gives the same bytes.
anyStorableW :: forall a. (Typeable a, Storable a) => Writer a -> Writer (S.Vector a)
anyStorableW writer = FillWriter $ \v -> case plain @a of
  Nothing -> fillOf (vectorW writer) v
  Just _ -> fillOf storableW v
{-# INLINE [2] anyStorableW #-}

-- | As 'vectorR'.
anyStorableR :: forall a. (Typeable a, Storable a) => NativeReader a -> NativeReader (S.Vector a)
anyStorableR reader' = case vectorR reader' of
  NativeReader kind n x read' -> NativeReader kind n x $ \ctx e c s -> case plain @a of
    Nothing -> read' ctx e c s
    Just _ -> step storableR ctx e c s
{-# INLINE [2] anyStorableR #-}

-- | As 'vectorW', by copying where that gives the same bytes.
anyPrimitiveW :: forall a. (Typeable a, Prim a) => Writer a -> Writer (P.Vector a)
anyPrimitiveW writer = FillWriter $ \v -> case plain @a of
  Nothing -> fillOf (vectorW writer) v
  Just _ -> fillOf primitiveW v
{-# INLINE [2] anyPrimitiveW #-}

-- | As 'vectorR'.
anyPrimitiveR :: forall a. (Typeable a, Prim a) => NativeReader a -> NativeReader (P.Vector a)
anyPrimitiveR reader' = case vectorR reader' of
  NativeReader kind n x read' -> NativeReader kind n x $ \ctx e c s -> case plain @a of
    Nothing -> read' ctx e c s
    Just _ -> step primitiveR ctx e c s
{-# INLINE [2] anyPrimitiveR #-}

-- * Elements that are their bytes in memory

-- | For elements whose writer stores their bytes as they are in memory: integers
-- of 8 and 16 bits and of a fixed width, 'Float' and 'Double'.
primitiveW :: forall a. (Prim a) => Writer (P.Vector a)
primitiveW = FillWriter $ \(P.Vector (I# off) (I# n) (ByteArray array)) ->
  let !(I# size) = sizeOf (element @a)
   in flatOut
        size
        n
        ( \from bytes op s ->
            copyByteArrayToAddr# array ((off *# size) +# from) op bytes s
        )
{-# INLINE primitiveW #-}

-- | What 'primitiveW' writes, with one copy for each chunk. No element is looked at.
primitiveR :: forall a. (Prim a) => NativeReader (P.Vector a)
primitiveR = flat $ \_ e c s -> case flatChunks size e c s of
  (# s1, end, 0# #) -> (# s1, end, none #)
  (# s1, end, total #) -> case newByteArray# (total *# size) s1 of
    (# s2, mba #) -> case flatIn
      size
      total
      ( \from to bytes ->
          copyAddrToByteArray# from mba to bytes
      )
      c
      s2 of
      s3 -> case unsafeFreezeByteArray# mba s3 of
        (# s4, array #) -> (# s4, end, P.Vector 0 (I# total) (ByteArray array) #)
  where
    !(I# size) = sizeOf (element @a)
{-# INLINE primitiveR #-}

-- | As 'primitiveW'.
storableW :: forall a. (Storable a) => Writer (S.Vector a)
storableW = FillWriter $ \v ->
  let !(I# size) = Storable.sizeOf (element @a)
      !(I# n) = S.length v
      !(ForeignPtr start contents) = castForeignPtr (fst (S.unsafeToForeignPtr0 v))
   in flatOut
        size
        n
        ( \from bytes op s ->
            copyOut (BS (ForeignPtr (plusAddr# start from) contents) (I# bytes)) op s
        )
{-# INLINE storableW #-}

-- | As 'primitiveR', into memory of the vector's own.
storableR :: forall a. (Storable a) => NativeReader (S.Vector a)
storableR = flat $ \_ e c s -> case flatChunks size e c s of
  (# s1, end, 0# #) -> (# s1, end, none #)
  (# s1, end, total #) -> case unIO (mallocPlainForeignPtrBytes (I# (total *# size))) s1 of
    (# s2, pointer@(ForeignPtr to contents) #) -> case flatIn
      size
      total
      ( \from at bytes ->
          copyAcross from (plusAddr# to at) bytes
      )
      c
      s2 of
      s3 -> case touch# contents s3 of
        s4 ->
          (# s4, end, S.unsafeFromForeignPtr0 (castForeignPtr pointer) (I# total) #)
  where
    !(I# size) = Storable.sizeOf (element @a)
{-# INLINE storableR #-}

-- | What is asked for its size only.
element :: a
element = element
{-# NOINLINE element #-}

-- | Chunks of @total@ elements of @size@ bytes each. Each chunk is one copy: @copy offset n to@
-- copies the @n@ bytes from an offset to an address.
flatOut :: Int# -> Int# -> (Int# -> Int# -> Addr# -> State# RealWorld -> State# RealWorld) -> Fill
flatOut
  size
  total
  copy
  mba0
  op0
  s0 = case ensure ((total *# size) +# ((quotInt# total most +# 1#) *# 2#)) mba0 op0 s0 of
    (# s1, mba1, op1 #) -> go 0# mba1 op1 s1
    where
      !(I# most) = full
      go done mba op s =
        let !left = total -# done
            !n = if isTrue# (left <# most) then left else most
         in case chunkHeader n mba op s of
              (# s1, mba1, op1 #) -> case copy (done *# size) (n *# size) op1 s1 of
                s2 -> case n <# most of
                  1# -> (# s2, mba1, plusAddr# op1 (n *# size) #)
                  _ -> go (done +# n) mba1 (plusAddr# op1 (n *# size)) s2
{-# INLINE flatOut #-}

-- | The reverse: @copy from offset n@ copies @n@ bytes from an address to an offset. All
-- of it is there.
flatIn ::
  Int# ->
  Int# ->
  (Addr# -> Int# -> Int# -> State# RealWorld -> State# RealWorld) ->
  Addr# ->
  State# RealWorld ->
  State# RealWorld
flatIn size total copy = go 0#
  where
    !(I# most) = full
    go done c s =
      let !left = total -# done
          !n = if isTrue# (left <# most) then left else most
          !c1 = plusAddr# c (if isTrue# (n <# 128#) then 1# else 2#)
       in case copy c1 (done *# size) (n *# size) s of
            s1 -> case n <# most of
              1# -> s1
              _ -> go (done +# n) (plusAddr# c1 (n *# size)) s1
{-# INLINE flatIn #-}
