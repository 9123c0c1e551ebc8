{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Stepping over values that will be read afterwards, in any format whose
-- sums have their tag anywhere.
--
-- The idea: whoever searches an object for its tag steps over values that are
-- then read, and the sums within those search again. What the first search
-- stepped over is noted with the run, so that the searches inside it pay for
-- what is their own: the whole costs what its size is, not size times depth.
--
-- Most values are small; only for one that is not are notes begun.
module Tern.Internal.Ahead
  ( ahead,
    stepped,
  )
where

import GHC.Exts
import Tern.Internal.Read (Context, Step, answer, depthLeft, notes, setNotes)
import Tern.Prim.Scan qualified as Scan

-- | A format's way of stepping over a value, and by notes from here on: first
-- without them, and then with their address and how many levels may be entered.
--
-- INLINE: both ways are calls of C.
ahead ::
  Step () ->
  ( Addr# ->
    Int# ->
    Context ->
    Addr# ->
    Addr# ->
    State# RealWorld ->
    (# State# RealWorld, Addr# #)
  ) ->
  Step ()
ahead plain byNotes ctx e c s = case notes ctx s of
  (# s1, seen #) -> case eqAddr# seen nullAddr# of
    1# -> case plain ctx e c s1 of
      (# s2, c1, () #)
        | isTrue# (minusAddr# c1 c <# 256#) -> (# s2, c1, () #)
        | otherwise -> case Scan.newSeen ctx s2 of
            (# s3, begun #) -> case eqAddr# begun nullAddr# of
              1# -> (# s3, c1, () #)
              _ -> case setNotes ctx begun s3 of s4 -> noted begun s4
    _ -> noted seen s1
  where
    -- What is wrong, or too much for the memory, is for the other way.
    noted seen t = case depthLeft ctx t of
      (# t1, depth #) -> case byNotes seen depth ctx e c t1 of
        (# t2, c1 #) -> case answer ctx t2 of
          (# t3, 0## #) -> (# t3, c1, () #)
          (# t3, _ #) -> plain ctx e c t3
{-# INLINE ahead #-}

-- | How many bytes this run has stepped over by its notes; 0 where it has
-- begun none.
stepped :: Context -> State# RealWorld -> (# State# RealWorld, Int #)
stepped ctx s = case notes ctx s of
  (# s1, seen #) -> case eqAddr# seen nullAddr# of
    1# -> (# s1, 0 #)
    _ -> case Scan.seenStepped seen s1 of
      (# s2, n #) -> case touch# ctx s2 of s3 -> (# s3, n #)
{-# NOINLINE stepped #-}
