{-# LANGUAGE MagicHash #-}
{-# LANGUAGE PatternSynonyms #-}
{-# LANGUAGE UnboxedTuples #-}

-- | What a decoder is made of: a function from a place in the input to a value
-- and the place after it.
--
-- The idea: only success is passed along. A reader gets the end of the input
-- and a cursor, both addresses, and returns the new cursor and the value
-- unboxed; a failure leaves by a private exception that 'runReader' turns into
-- a value again. Nothing is paid for the path to an error either: it is found
-- afterwards, from the offset, by walking the document once more.
--
-- INLINE and @oneShot@ on what a reader is built with, as in "Tern.Internal.Write":
-- neighbouring readers become one straight line. Proof: the allocation
-- ceiling "a record of 25 integers".
module Tern.Internal.Read
  ( Reader (Reader),
    Step,
    Context,
    runReader,
    restart,
    refinedFrom,

    -- * Failing
    failAt,
    Failure (..),

    -- * The context of a run
    enter,
    tooDeep,
    leave,
    depthLeft,
    isDeep,
    answer,
    digitLimit,
    allowClaims,
    claim,
    cursor,
    setCursor,
    inputEnd,
    notes,
    setNotes,
  )
where

import Control.Exception (Exception (..), SomeException)
import Control.Monad.Fail (MonadFail (..))
import Data.ByteString (ByteString)
import Data.ByteString.Internal (ByteString (..))
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Conc (myThreadId, throwTo)
import GHC.Exts
import GHC.ForeignPtr (ForeignPtr (..))
import GHC.IO (IO (..), unsafeDupablePerformIO)
import Tern.Error (Exceeded (..), Reason (..))
import Tern.Limits (Limits (..))
import Prelude hiding (fail)

-- | Reads an @a@: from the run's context, the end of the input and the cursor
-- to the new cursor and the value, which is evaluated.
newtype Reader a = MakeReader (Step a)

-- | What a reader does: from the run's context, the end of the input and the cursor to the cursor
-- after the value, and the value. Where it fails it does not return ('failAt').
type Step a = Context -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, a #)

-- | The run's words: 0, for foreign calls to answer in ('answer') and for a
-- cursor on its way to an unknown reader and back; 1, how many levels may still
-- be entered; 2, 'maxDigits', or in a format that counts its values, how many
-- of them headers may still claim; 3, 'maxDepth', or the address of notes,
-- negated, which keep it then ('setNotes'); 4, the input's end.
type Context = MutableByteArray# RealWorld

-- | The first lambda is not marked as one that runs once: what does not depend
-- on a run, as a record's table, floats out of it and is made once. Proof: the
-- allocation ceiling "fields in any order".
pattern Reader :: Step a -> Reader a
pattern Reader step <- MakeReader step
  where
    Reader step =
      MakeReader (\ctx -> oneShot (\e -> oneShot (\c -> oneShot (\s -> step ctx e c s))))

{-# COMPLETE Reader #-}

{-# INLINE Reader #-}

instance Functor Reader where
  fmap f (Reader step) = Reader $ \ctx e c s -> case step ctx e c s of
    (# s1, c1, a #) -> case f a of !b -> (# s1, c1, b #)
  {-# INLINE fmap #-}

-- | One after the other, with nothing between them.
instance Applicative Reader where
  pure a = Reader (\_ _ c s -> (# s, c, a #))
  {-# INLINE pure #-}
  Reader f <*> Reader step = Reader $ \ctx e c s -> case f ctx e c s of
    (# s1, c1, g #) -> case step ctx e c1 s1 of
      (# s2, c2, a #) -> case g a of !b -> (# s2, c2, b #)
  {-# INLINE (<*>) #-}

instance Monad Reader where
  Reader step >>= k = Reader $ \ctx e c s -> case step ctx e c s of
    (# s1, c1, a #) -> case k a of Reader next -> next ctx e c1 s1
  {-# INLINE (>>=) #-}

-- | What another type's values stand for, or why one stands for nothing. The first
-- argument finds where the value begins, from the input's end and the cursor.
refinedFrom :: (Addr# -> Addr# -> Addr#) -> (a -> Either Text b) -> Reader a -> Reader b
refinedFrom begins f (Reader step) = Reader $ \ctx e c s -> case step ctx e c s of
  (# s1, c1, a #) -> case f a of
    Right !b -> (# s1, c1, b #)
    Left message -> failAt (begins e c) (Refused message) s1
{-# INLINE refinedFrom #-}

-- | 'fail' refuses the value just read, in the caller's words.
instance MonadFail Reader where
  fail message = Reader (\_ _ c s -> failAt c (Refused (T.pack message)) s)

-- * Failing

-- | What is wrong, at an address. It never leaves 'runReader'.
data Failure = Failure !Word !Reason

instance Show Failure where
  show _ = "Tern.Internal.Read.Failure"

instance Exception Failure

-- | Leave the run. NOINLINE: a failing branch is a jump in the hot code.
failAt :: Addr# -> Reason -> State# RealWorld -> (# State# RealWorld, Addr#, a #)
failAt at reason s = case raiseIO#
  ( toException
      (Failure (W# (int2Word# (addr2Int# at))) reason)
  )
  s of
  (# s1, a #) -> (# s1, at, a #)
{-# NOINLINE failAt #-}

-- * The context

-- | One level inwards, at the address of what opens it.
enter :: Context -> Addr# -> State# RealWorld -> State# RealWorld
enter ctx c s = case readIntArray# ctx 1# s of
  (# s1, left #) -> case left of
    0# -> tooDeep ctx c s1
    _ -> writeIntArray# ctx 1# (left -# 1#) s1
{-# INLINE enter #-}

-- | Fail at an address: what opens there is deeper than the run's limit, which the error says.
tooDeep :: Context -> Addr# -> State# RealWorld -> State# RealWorld
tooDeep ctx c s = case notes ctx s of
  (# s1, kept #) -> case eqAddr# kept nullAddr# of
    1# -> case readIntArray# ctx 3# s1 of (# s2, n #) -> exceeded n s2
    _ -> case readIntOffAddr# kept 0# s1 of
      (# s2, n #) -> case touch# ctx s2 of s3 -> exceeded n s3
  where
    exceeded n t = case failAt c (LimitExceeded (TooDeep (I# n))) t of
      (# t1, _, () #) -> t1
{-# NOINLINE tooDeep #-}

-- | One level outwards.
leave :: Context -> State# RealWorld -> State# RealWorld
leave ctx s = case readIntArray# ctx 1# s of
  (# s1, left #) -> writeIntArray# ctx 1# (left +# 1#) s1
{-# INLINE leave #-}

-- | How many levels may still be entered.
depthLeft :: Context -> State# RealWorld -> (# State# RealWorld, Int# #)
depthLeft ctx = readIntArray# ctx 1#
{-# INLINE depthLeft #-}

-- | Are more than 1,024 levels open where a value is read? 1 or 0.
--
-- The collector looks at each mutable array again in each of its rounds. So readers
-- of arrays keep none while elements are read, where more values are open than that:
-- they are read at any depth in linear time. Proof: "values far down".
isDeep :: Context -> State# RealWorld -> (# State# RealWorld, Int# #)
isDeep ctx s = case readIntArray# ctx 1# s of
  (# s1, left #) -> case readIntArray# ctx 3# s1 of
    (# s2, most #) -> case most <# 0# of
      0# -> (# s2, (most -# left) ># 1024# #)
      _ -> isDeepByNotes ctx left s2
{-# INLINE isDeep #-}

-- | The same where notes keep the limit.
isDeepByNotes :: Context -> Int# -> State# RealWorld -> (# State# RealWorld, Int# #)
isDeepByNotes ctx left s = case notes ctx s of
  (# s1, kept #) -> case readIntOffAddr# kept 0# s1 of
    (# s2, most #) -> case touch# ctx s2 of s3 -> (# s3, (most -# left) ># 1024# #)
{-# NOINLINE isDeepByNotes #-}

-- | 'maxDigits'.
digitLimit :: Context -> State# RealWorld -> (# State# RealWorld, Int# #)
digitLimit ctx = readIntArray# ctx 2#
{-# INLINE digitLimit #-}

-- | Begin to count claims: of no more than @n@ values in all. It takes the place of
-- 'digitLimit', which such formats do not ask for.
allowClaims :: Context -> Int# -> State# RealWorld -> State# RealWorld
allowClaims ctx n = writeIntArray# ctx 2# n
{-# INLINE allowClaims #-}

-- | Before anything is allocated for the @n@ values that a header announces: 1
-- where the document can hold them, 0 where it cannot.
--
-- The one budget of a document: in a format whose every value takes a byte at
-- least, all headers together announce no more values than there are bytes.
-- Each of them could pass a comparison with what is left, and nested ones
-- would still add up to the square of that.
claim :: Context -> Int# -> State# RealWorld -> (# State# RealWorld, Int# #)
claim ctx n s = case readIntArray# ctx 2# s of
  (# s1, left #) -> case writeIntArray# ctx 2# (left -# n) s1 of
    s2 -> (# s2, n <=# left #)
{-# INLINE claim #-}

-- | What the last foreign call that was given the context answered in it.
answer :: Context -> State# RealWorld -> (# State# RealWorld, Word# #)
answer ctx = readWordArray# ctx 0#
{-# INLINE answer #-}

-- | The cursor that 'setCursor' left. Whoever asks must come before the next
-- foreign call, whose answer takes its place.
cursor :: Context -> State# RealWorld -> (# State# RealWorld, Addr# #)
cursor ctx = readAddrArray# ctx 0#
{-# INLINE cursor #-}

-- | Leave a cursor for 'cursor', in the word in which foreign calls answer.
setCursor :: Context -> Addr# -> State# RealWorld -> State# RealWorld
setCursor ctx c = writeAddrArray# ctx 0# c
{-# INLINE setCursor #-}

-- | The end of the input.
inputEnd :: Context -> State# RealWorld -> (# State# RealWorld, Addr# #)
inputEnd ctx = readAddrArray# ctx 4#
{-# INLINE inputEnd #-}

-- | What a format's readers have noted about input that they read ahead of
-- the cursor; null at first.
notes :: Context -> State# RealWorld -> (# State# RealWorld, Addr# #)
notes ctx s = case readIntArray# ctx 3# s of
  (# s1, n #) -> case n <# 0# of
    1# -> (# s1, int2Addr# (negateInt# n) #)
    _ -> (# s1, nullAddr# #)
{-# INLINE notes #-}

-- | Keep notes, once in a run. They must live as long as the context, and their
-- first word is the context's: a word of its own would be allocated in every
-- run. Proof: the allocation ceiling "a record of 5 integers".
setNotes :: Context -> Addr# -> State# RealWorld -> State# RealWorld
setNotes ctx a s = case readIntArray# ctx 3# s of
  (# s1, n #) -> case writeIntOffAddr# a 0# n s1 of
    s2 -> writeIntArray# ctx 3# (negateInt# (addr2Int# a)) s2
{-# INLINE setNotes #-}

-- * Running

-- | Run a reader over the input; it must itself see that nothing follows. A
-- failure is made into an error from its offset and reason.
--
-- INLINE: the reader is known where it is run, and success allocates its
-- result and the context alone. Proof: the allocation ceiling "a record of 5 integers".
runReader :: Limits -> (Int -> Reason -> e) -> Reader a -> ByteString -> Either e a
runReader limits explain (Reader step) (BS (ForeignPtr start contents) len)
  | len > maxBytes limits =
      Left (explain (maxBytes limits) (LimitExceeded (TooManyBytes (maxBytes limits))))
  | otherwise = unsafeDupablePerformIO . IO $ \s -> case catch# body caught s of
      (# s1, result #) -> case result of
        Right a -> (# s1, Right a #)
        Left exception -> resume explain start body exception s1
  where
    body s = case newByteArray# 40# s of
      (# s1, ctx #) -> case begin depth digits ctx (plusAddr# start len#) s1 of
        s2 -> case step ctx (plusAddr# start len#) start s2 of
          (# s3, _, a #) -> case touch# contents s3 of
            s4 -> (# s4, Right a #)
    !(I# depth) = max 0 (maxDepth limits)
    !(I# digits) = maxDigits limits
    !(I# len#) = len
{-# INLINE runReader #-}

-- | What a context begins with: the depth, the digits, and where the input ends.
begin :: Int# -> Int# -> Context -> Addr# -> State# RealWorld -> State# RealWorld
begin depth digits ctx e s = case writeIntArray# ctx 1# depth s of
  s1 -> case writeIntArray# ctx 2# digits s1 of
    s2 -> case writeIntArray# ctx 3# depth s2 of
      s3 -> writeAddrArray# ctx 4# e s3
{-# INLINE begin #-}

-- | Go on with other input, which ends at an address: without limits, and without what was noted
-- of the input before.
restart :: Context -> Addr# -> State# RealWorld -> State# RealWorld
restart = begin most most
  where
    !(I# most) = maxBound
{-# INLINE restart #-}

caught :: SomeException -> State# RealWorld -> (# State# RealWorld, Either SomeException a #)
caught exception s = (# s, Left exception #)

-- | What to do with an exception that ended a run.
--
-- One of somebody else's arrived while this was evaluated: a timeout, a killed
-- thread. Rethrown as it came, it would become the value of this expression
-- for ever; thrown to ourselves as an asynchronous one it only suspends the
-- evaluation, and whoever takes it up again starts the run afresh.
--
-- OPAQUE: with a worker, GHC 9.10 has every decoder take the exception apart,
-- its dictionary too. Proof: inspect "no dictionary is passed".
resume ::
  (Int -> Reason -> e) ->
  Addr# ->
  (State# RealWorld -> (# State# RealWorld, Either SomeException a #)) ->
  SomeException ->
  State# RealWorld ->
  (# State# RealWorld, Either e a #)
resume explain start body = again
  where
    again exception s = case fromException exception of
      Just (Failure (W# at) reason) ->
        (# s, Left (explain (I# (word2Int# at -# addr2Int# start)) reason) #)
      Nothing -> case throwTo' exception s of
        (# s1, () #) -> case catch# body caught s1 of
          (# s2, Right a #) -> (# s2, Right a #)
          (# s2, Left exception' #) -> again exception' s2
    throwTo' exception = case myThreadId >>= \me -> throwTo me exception of IO f -> f
{-# OPAQUE resume #-}
