{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | A pile of values that wait to be a constructor's, and whose top is taken at once.
--
-- The idea: one array for a run, of which the collector looks at what has changed alone. What is
-- taken is copied from it, and is all that is allocated: no array of a list or a record is open
-- while others are made within it, so that values are made at any depth in linear time. Whether
-- there is a value at a place is a byte of another array, because what is left away has a place
-- of its own until its neighbours are taken.
--
-- Callers take from a place that 'top' gave, and nothing that somebody else has put since.
module Tern.Internal.Wire.Direct.Pile
  ( Pile,
    newPile,
    top,
    push,
    pushNone,
    pushAll,
    takeFrom,
    takeElements,
    takeMembers,
  )
where

import Data.Primitive.Array qualified as Primitive
import Data.Primitive.SmallArray (SmallArray (..))
import Data.Vector qualified as V
import GHC.Exts
import Tern.Internal.Json.Members (fromArrays)
import Tern.Internal.Json.Value (Object (..), Value (..))

-- | How many values wait, in word 0; and they.
data Pile = Pile (MutableByteArray# RealWorld) (MutVar# RealWorld Room)

-- | Values, and a byte for each: 0 where there is none.
data Room = Room (MutableArray# RealWorld Value) (MutableByteArray# RealWorld)

-- | Nothing waits. There is room for 32 values, which doubles where it is not enough.
newPile :: State# RealWorld -> (# State# RealWorld, Pile #)
newPile s = case newByteArray# 8# s of
  (# s1, count #) -> case writeIntArray# count 0# 0# s1 of
    s2 -> case newRoom 32# s2 of
      (# s3, room #) -> case newMutVar# room s3 of (# s4, var #) -> (# s4, Pile count var #)

newRoom :: Int# -> State# RealWorld -> (# State# RealWorld, Room #)
newRoom n s = case newArray# n Null s of
  (# s1, values #) -> case newByteArray# n s1 of (# s2, there #) -> (# s2, Room values there #)

-- | The place of the next value.
top :: Pile -> State# RealWorld -> (# State# RealWorld, Int# #)
top (Pile count _) = readIntArray# count 0#
{-# INLINE top #-}

-- | A value, evaluated, on top.
push :: Pile -> Value -> State# RealWorld -> State# RealWorld
push = pushing 1#
{-# NOINLINE push #-}

-- | A place without a value.
pushNone :: Pile -> State# RealWorld -> State# RealWorld
pushNone pile = pushing 0# pile Null
{-# NOINLINE pushNone #-}

pushing :: Int# -> Pile -> Value -> State# RealWorld -> State# RealWorld
pushing present pile@(Pile count var) !v s = case readIntArray# count 0# s of
  (# s1, i #) -> case readMutVar# var s1 of
    (# s2, room@(Room values there) #) -> case sizeofMutableArray# values of
      n -> case i <# n of
        1# -> case writeArray# values i v s2 of
          s3 -> case writeInt8Array# there i (intToInt8# present) s3 of
            s4 -> writeIntArray# count 0# (i +# 1#) s4
        _ -> pushing present pile v (grown var room n s2)

-- | Twice the room.
grown :: MutVar# RealWorld Room -> Room -> Int# -> State# RealWorld -> State# RealWorld
grown var (Room values there) n s = case newRoom (2# *# n) s of
  (# s1, new@(Room values' there') #) -> case copyMutableArray# values 0# values' 0# n s1 of
    s2 -> case copyMutableByteArray# there 0# there' 0# n s2 of s3 -> writeMutVar# var new s3
{-# NOINLINE grown #-}

-- | These, in their order.
pushAll :: Pile -> SmallArray Value -> State# RealWorld -> State# RealWorld
pushAll pile (SmallArray values) = go 0#
  where
    go i s = case i <# sizeofSmallArray# values of
      1# -> case indexSmallArray# values i of (# v #) -> go (i +# 1#) (push pile v s)
      _ -> s

-- | All from a place on that were there; and the places of these, where not all were: none
-- otherwise.
takeFrom ::
  Pile ->
  Int# ->
  State# RealWorld ->
  (# State# RealWorld, SmallArray# Value, (# (# #) | ByteArray# #) #)
takeFrom (Pile count var) from s = case readIntArray# count 0# s of
  (# s1, end #) -> case readMutVar# var s1 of
    (# s2, Room values there #) -> case absent there from end 0# s2 of
      (# s3, 0# #) -> case every 1# values from end s3 of
        (# s4, SmallArray array #) -> (# writeIntArray# count 0# from s4, array, (# (# #) | #) #)
      (# s3, k #) -> case newSmallArray# ((end -# from) -# k) Null s3 of
        (# s4, own #) -> case newByteArray# (8# *# ((end -# from) -# k)) s4 of
          (# s5, places #) -> case pick values there own places from 0# end s5 of
            s6 -> case unsafeFreezeSmallArray# own s6 of
              (# s7, array #) -> case unsafeFreezeByteArray# places s7 of
                (# s8, frozen #) ->
                  (# writeIntArray# count 0# from s8, array, (# | frozen #) #)
  where
    absent there i end k t = case i <# end of
      1# -> case readInt8Array# there i t of
        (# t1, present #) -> absent there (i +# 1#) end (k +# (1# -# int8ToInt# present)) t1
      _ -> (# t, k #)
    pick values there own places i j end t = case i <# end of
      1# -> case readInt8Array# there i t of
        (# t1, present #) -> case int8ToInt# present of
          0# -> pick values there own places (i +# 1#) j end t1
          _ -> case readArray# values i t1 of
            (# t2, v #) -> case writeSmallArray# own j v t2 of
              t3 -> case writeIntArray# places j (i -# from) t3 of
                t4 -> pick values there own places (i +# 1#) (j +# 1#) end t4
      _ -> t
{-# NOINLINE takeFrom #-}

-- | Every value, or every second one, from a place up to another.
every ::
  Int# ->
  MutableArray# RealWorld Value ->
  Int# ->
  Int# ->
  State# RealWorld ->
  (# State# RealWorld, SmallArray Value #)
every step values from end s = case newSmallArray# n Null s of
  (# s1, own #) ->
    let go j t = case j <# n of
          1# -> case readArray# values (from +# (j *# step)) t of
            (# t1, v #) -> go (j +# 1#) (writeSmallArray# own j v t1)
          _ -> t
     in case unsafeFreezeSmallArray# own (go 0# s1) of
          (# s2, array #) -> (# s2, SmallArray array #)
  where
    !n = quotInt# ((end -# from) +# (step -# 1#)) step
{-# INLINE every #-}

-- | All from a place on, as the elements of an array.
takeElements :: Pile -> Int# -> State# RealWorld -> (# State# RealWorld, V.Vector Value #)
takeElements (Pile count var) from s = case readIntArray# count 0# s of
  (# s1, end #) -> case readMutVar# var s1 of
    (# s2, Room values _ #) -> case newArray# (end -# from) Null s2 of
      (# s3, own #) -> case copyMutableArray# values from own 0# (end -# from) s3 of
        s4 -> case unsafeFreezeArray# own s4 of
          (# s5, array #) -> case V.fromArray (Primitive.Array array) of
            !v -> (# writeIntArray# count 0# from s5, v #)
{-# NOINLINE takeElements #-}

-- | All from a place on, as members of an object: a name, its value, and so on.
takeMembers :: Pile -> Int# -> State# RealWorld -> (# State# RealWorld, Value #)
takeMembers (Pile count var) from s = case readIntArray# count 0# s of
  (# s1, end #) -> case readMutVar# var s1 of
    (# s2, Room values _ #) -> case every 2# values (from +# 1#) end s2 of
      (# s3, own #) -> case newSmallArray# (quotInt# (end -# from) 2#) mempty s3 of
        (# s4, labels #) -> case named values labels 0# end s4 of
          s5 -> case unsafeFreezeSmallArray# labels s5 of
            (# s6, array #) ->
              let !members = fromArrays (SmallArray array) own
               in (# writeIntArray# count 0# from s6, Object (MakeObject members) #)
  where
    named values labels j end t = case from +# (2# *# j) <# end of
      1# -> case readArray# values (from +# (2# *# j)) t of
        (# t1, String name #) ->
          named values labels (j +# 1#) end (writeSmallArray# labels j name t1)
        -- Names alone stand there.
        (# t1, _ #) -> named values labels (j +# 1#) end t1
      _ -> t
{-# NOINLINE takeMembers #-}
