{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Stepping over values that will be read afterwards.
--
-- The idea: whoever searches an object for its tag steps over values that are
-- then read, and the sums within those search again. What the first search
-- stepped over is noted with the run, so that the searches inside it pay for
-- what is their own: the whole costs what its size is, not size times depth.
--
-- Most values are small; only for one that is not are notes begun.
module Tern.Json.Ahead
  ( skip,
    stepped,
  )
where

import GHC.Exts
import Tern.Json.Read qualified as Json
import Tern.Prim.Scan qualified as Scan
import Tern.Read

-- | As 'Json.skip', for a value of the object at an address, which is searched
-- before it is read.
skip :: Addr# -> Step ()
skip object ctx e c s = case notes ctx s of
  (# s1, seen #) -> case eqAddr# seen nullAddr# of
    1# -> case Json.skip ctx e c s1 of
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
      (# t1, depth #) -> case Scan.skipSeenValue seen object depth 0 ctx e c t1 of
        (# t2, c1 #) -> case answer ctx t2 of
          (# t3, 0## #) -> (# t3, c1, () #)
          (# t3, _ #) -> Json.skip ctx e c t3
{-# NOINLINE skip #-}

-- | How many bytes this run has stepped over by its notes; 0 where it has
-- begun none.
stepped :: Context -> State# RealWorld -> (# State# RealWorld, Int #)
stepped ctx s = case notes ctx s of
  (# s1, seen #) -> case eqAddr# seen nullAddr# of
    1# -> (# s1, 0 #)
    _ -> case Scan.seenStepped seen s1 of
      (# s2, n #) -> case touch# ctx s2 of s3 -> (# s3, n #)
{-# NOINLINE stepped #-}
