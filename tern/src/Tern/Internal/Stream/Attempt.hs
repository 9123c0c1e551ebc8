{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Running a reader that is not known where it is run, at the head of some
-- input that may have more in it.
--
-- The idea: a reader is a function of addresses, and an unknown one would be
-- called by a partial application for each of them. An 'Entry' takes its place
-- and its end from the context instead, so that it is called at once. It is made
-- where the reader is known.
module Tern.Internal.Stream.Attempt
  ( Entry,
    jsonEntry,
    countedEntry,
    Attempt (..),
    attempt,
  )
where

import Data.ByteString (ByteString)
import GHC.Exts (Int (..), RealWorld, State#, minusAddr#)
import Tern.Error (Reason)
import Tern.Internal.Read
  ( Context,
    Reader (..),
    allowClaims,
    cursor,
    inputEnd,
    runReader,
    setCursor,
  )
import Tern.Limits (Limits)

-- | A reader of one value, to be called without being known.
newtype Entry a = Entry (Context -> State# RealWorld -> (# State# RealWorld, a #))

-- | INLINE: the reader is known where it is given.
jsonEntry :: Reader a -> Entry a
jsonEntry (Reader step) = Entry $ \ctx s -> case cursor ctx s of
  (# s1, c #) -> case inputEnd ctx s1 of
    (# s2, e #) -> case step ctx e c s2 of
      (# s3, c1, a #) -> case setCursor ctx c1 s3 of s4 -> (# s4, a #)
{-# INLINE jsonEntry #-}

-- | All headers together may claim a value for each byte that is there.
countedEntry :: Reader a -> Entry a
countedEntry (Reader step) =
  jsonEntry (Reader (\ctx e c s -> step ctx e c (allowClaims ctx (minusAddr# e c) s)))
{-# INLINE countedEntry #-}

-- | What came of it.
data Attempt a
  = -- | How many bytes the value takes, and it.
    Taken !Int a
  | -- | It was not read, because of what is at the offset.
    Stopped !Int !Reason

-- | Read one value at the head of the input. What follows is not looked at.
--
-- NOINLINE: this is where the reader is not known.
attempt :: Limits -> Entry a -> ByteString -> Attempt a
attempt limits (Entry run) input = case runReader limits Stopped reader input of
  Left stopped -> stopped
  Right taken -> taken
  where
    reader = Reader $ \ctx _ c s -> case run ctx (setCursor ctx c s) of
      (# s1, a #) -> case cursor ctx s1 of
        (# s2, c1 #) -> (# s2, c1, Taken (I# (minusAddr# c1 c)) a #)
{-# NOINLINE attempt #-}
