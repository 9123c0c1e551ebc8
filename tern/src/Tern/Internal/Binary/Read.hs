{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | What the readers of binary formats have in common: how they fail, and how
-- they step over a value.
module Tern.Internal.Binary.Read
  ( end,

    -- * Failing
    failExpected,
    failEnd,
    failClaim,
    unboxed,

    -- * Stepping over a value
    stepOver,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import GHC.Exts
import GHC.IO (IO (..))
import Tern.Error (Expected (..), Reason (..))
import Tern.Internal.Read (Context, Step, answer, depthLeft, failAt, tooDeep)

-- | Nothing may follow.
end :: Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, () #)
end e c s = case eqAddr# c e of
  1# -> (# s, c, () #)
  _ -> failAt c TrailingInput s
{-# INLINE end #-}

-- * Failing

-- | Fail at the cursor: something else was expected there.
failExpected :: Expected -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, a #)
failExpected expected e c =
  failAt c ((if isTrue# (geAddr# c e) then UnexpectedEnd else Unexpected) expected)
{-# NOINLINE failExpected #-}

-- | Fail at the cursor: the item begins as it should and is cut off.
failEnd :: Expected -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, a #)
failEnd expected c = failAt c (UnexpectedEnd expected)
{-# NOINLINE failEnd #-}

-- | Fail at the cursor: its whole header claims more than what is left, or
-- than what the document's budget still allows. The format says, of the bytes
-- that a header has at most, how many it has and what it claims.
failClaim ::
  Int ->
  (ByteString -> Maybe (Int, Int)) ->
  Addr# ->
  Addr# ->
  State# RealWorld ->
  (# State# RealWorld, Addr#, a #)
failClaim most claimAt e c s = case B.packCStringLen (Ptr c, min most left) of
  -- A copy, made now: what is asked of it later must not look at the input.
  IO copied -> case copied s of
    (# s1, header #) -> case claimAt header of
      Just (size, announced) -> failAt c (Overclaimed announced (left - size)) s1
      Nothing -> failEnd AValue c s1
  where
    !left = I# (minusAddr# e c)
{-# NOINLINE failClaim #-}

-- | A failure in place of a pair.
unboxed :: (# State# RealWorld, Addr#, () #) -> (# State# RealWorld, Addr#, Int# #)
unboxed (# s, c, () #) = (# s, c, 0# #)
{-# INLINE unboxed #-}

-- * Stepping over a value

-- | Step over any value, checking it, by a format's two ways of doing so: with
-- room for a number of levels that is given first, or in an array that has a word
-- for each. Both leave in the context's first word 0; or 3, where there are more
-- levels than allowed; or another number for what the last argument says.
--
-- Few values are deeper than the room that there is for their levels; those
-- are begun again with four times as much, so that room and time stay in
-- proportion to what is stepped over.
--
-- INLINE: both ways are calls of C, and this stands in a format once.
stepOver ::
  Int ->
  (Int# -> Context -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr# #)) ->
  ( MutableByteArray# RealWorld ->
    Int# ->
    Context ->
    Addr# ->
    Addr# ->
    State# RealWorld ->
    (# State# RealWorld, Addr# #)
  ) ->
  (Word# -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, () #)) ->
  Step ()
stepOver shallow shallowly deeply failed ctx e c s = case depthLeft ctx s of
  (# s1, depth #) -> case shallowly depth ctx e c s1 of
    (# s2, c1 #) -> case answer ctx s2 of
      (# s3, code #) -> case code of
        0## -> (# s3, c1, () #)
        3## | I# depth > shallow -> deeper depth (4 * shallow) s3
        _ -> wrong code c1 s3
  where
    deeper depth room@(I# room#) s0 = case newByteArray# (uncheckedIShiftL# room# 3#) s0 of
      (# s1, levels #) ->
        let !(I# most) = min (I# depth) room
         in case deeply levels most ctx e c s1 of
              (# s2, c1 #) -> case answer ctx s2 of
                (# s3, code #) -> case code of
                  0## -> (# s3, c1, () #)
                  3## | I# depth > room -> deeper depth (4 * room) s3
                  _ -> wrong code c1 s3
    wrong code c1 t = case code of
      3## -> case tooDeep ctx c1 t of t1 -> (# t1, c1, () #)
      _ -> failed code e c1 t
{-# INLINE stepOver #-}
