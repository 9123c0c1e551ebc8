{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | The first of several readers that reads a value.
--
-- The idea: a sum without tags is told by trying its constructors, and what is within a value
-- may be such a sum again. So what an attempt found about a frame, the value or why there is
-- none, is kept for the attempts around it: each of these sums reads each frame once,
-- however many attempts are around it. That takes time in proportion to the
-- input times the number of alternatives, and memory in proportion to the value that is being
-- tried; it is let go of with the outermost one.
--
-- What cannot be, by the first byte of a value, is not tried while something else could be.
-- Start at 'firstOf'. Proof: "nested sums without tags cost linear time".
module Tern.Internal.Attempt
  ( Attempt (..),
    firstOf,

    -- * What values begin with
    Beginning,
    aNull,
    aBool,
    aNumber,
    aText,
    anArray,
    anObject,
    anything,

    -- * Who tries
    Identity,
    ofType,
    ofCodec,
  )
where

import Control.Exception (SomeException, evaluate, fromException)
import Data.Bits ((.&.))
import Data.IORef (IORef, modifyIORef', newIORef, readIORef, writeIORef)
import Data.IntMap.Strict (IntMap)
import Data.IntMap.Strict qualified as IntMap
import Data.Proxy (Proxy (..))
import Data.Text (Text)
import Data.Typeable (TypeRep, Typeable, typeRep)
import Data.Unique (Unique, newUnique)
import Foreign.StablePtr
  ( StablePtr,
    castPtrToStablePtr,
    castStablePtrToPtr,
    deRefStablePtr,
    freeStablePtr,
    newStablePtr,
  )
import GHC.Base (unIO)
import GHC.Exts
import GHC.IO (IO (..), unsafeDupablePerformIO)
import Tern.Error (Reason (..))
import Tern.Internal.Read (Context, Failure (..), Reader (..), failAt, notes, setNotes)
import Tern.Prim.Scan qualified as Scan
import Unsafe.Coerce (unsafeCoerce)

-- | A name for people, what its values begin with, and how it is read.
data Attempt a = Attempt !Text !Beginning (Reader a)

-- * What values begin with

-- | A set of what a value can be by its first byte.
type Beginning = Word

-- | A bit for each kind of value, so that a sum of some is the set of them; and the set of all.
aNull, aBool, aNumber, aText, anArray, anObject, anything :: Beginning
aNull = 1
aBool = 2
aNumber = 4
aText = 8
anArray = 16
anObject = 32
anything = 63

-- | May a value be a frame, which other values are in?
frames :: Beginning -> Bool
frames beginning = beginning .&. (anArray + anObject) /= 0

-- * Who tries

-- | Which sum it is. Those of one identity read the same values from the same bytes.
data Identity
  = OfType !TypeRep
  | OfCodec !TypeRep !Unique
  deriving stock (Eq)

-- | Of the codec that a type has by its declaration.
ofType :: (Typeable a) => proxy a -> Identity
ofType = OfType . typeRep

-- | Of a codec of the type by hand, from its readers: another one for each time that it is
-- evaluated. The compiler may take two equal expressions for one; what it is made of are the
-- readers themselves, so that these are then the same too, and the type is told in any case.
ofCodec :: forall a. (Typeable a) => [(String, Reader a)] -> Identity
ofCodec readers =
  unsafeDupablePerformIO (evaluate readers >> OfCodec (typeRep (Proxy @a)) <$> newUnique)
{-# OPAQUE ofCodec #-}

-- * Trying

-- | The first of the readers that reads the value at the cursor. The second argument finds
-- where it begins, from the input's end and the cursor; the third says what it can be there.
--
-- Where none does, and one alone could be by the first byte, its failure is that of all. A limit
-- that is exceeded is so for all of them.
firstOf ::
  Identity ->
  (Addr# -> Addr# -> Addr#) ->
  (Addr# -> Addr# -> Beginning) ->
  [Attempt a] ->
  Reader a
firstOf identity begins beginning attempts = Reader $ \ctx e c0 s ->
  let !c = begins e c0
      !here = beginning e c
   in case unIO (outcomeOf identity here attempts ctx e c) s of
        (# s1, outcome #) -> case outcome of
          Done (Ptr c1) a -> (# s1, c1, a #)
          Failed (Ptr at) reason -> failAt at reason s1
{-# OPAQUE firstOf #-}

-- | What came of an attempt: a value and the address after it; or where it failed, and why.
data Outcome a
  = Done !(Ptr ()) !a
  | Failed !(Ptr ()) !Reason

outcomeOf ::
  Identity -> Beginning -> [Attempt a] -> Context -> Addr# -> Addr# -> IO (Outcome a)
outcomeOf identity here attempts ctx e c
  | frames here = do
      kept <- keptIn ctx
      case kept of
        -- Without memory for it, it is as it would be without.
        Nothing -> tried here attempts ctx e c
        Just (Kept open found) -> do
          known <- lookupIn found
          case known of
            Just outcome -> pure outcome
            Nothing -> do
              modifyIORef' open (+ 1)
              outcome <- tried here attempts ctx e c
              modifyIORef' open (subtract 1)
              around <- readIORef open
              if around == 0
                then writeIORef found IntMap.empty
                else modifyIORef' found (IntMap.insertWith (<>) at [(identity, anyOutcome outcome)])
              pure outcome
  | otherwise = tried here attempts ctx e c
  where
    at = I# (addr2Int# c)
    lookupIn found = do
      known <- readIORef found
      pure (unsafeCoerce <$> (IntMap.lookup at known >>= lookup identity))

-- | Of a type that its sum's identity tells.
anyOutcome :: Outcome a -> Outcome Any
anyOutcome = unsafeCoerce

-- | What could be is tried first, in its order; then, to say what is wrong, the rest.
tried :: Beginning -> [Attempt a] -> Context -> Addr# -> Addr# -> IO (Outcome a)
tried here attempts ctx e c = go [] likely
  where
    likely = [attempt | attempt@(Attempt _ begins _) <- attempts, begins .&. here /= 0]
    unlikely = [attempt | attempt@(Attempt _ begins _) <- attempts, begins .&. here == 0]
    go failures = \case
      Attempt name _ reader : rest -> do
        outcome <- attempted reader ctx e c
        case outcome of
          Failed _ (LimitExceeded _) -> pure outcome
          Failed at reason -> go ((name, at, reason) : failures) rest
          Done _ _ -> pure outcome
      [] -> case failures of
        [(_, at, reason)] -> pure (Failed at reason)
        _ -> others failures unlikely
    others failures = \case
      Attempt name _ reader : rest -> do
        outcome <- attempted reader ctx e c
        case outcome of
          Failed at reason -> others ((name, at, reason) : failures) rest
          Done _ _ -> pure outcome
      [] -> pure $ case furthest failures of
        (at, reason) : _ -> Failed at reason
        [] -> Failed (Ptr c) (NoAlternative (reverse (map said failures)))
    -- Where a sum within this one came furthest, that is what is wrong.
    furthest failures =
      [ (at, reason)
        | (_, at, reason@(NoAlternative (_ : _))) <- reverse failures,
          at > Ptr c,
          all (\(_, other, _) -> other <= at) failures
      ]
    said (name, Ptr at, reason) = (name, I# (minusAddr# at c), alone reason)
    -- What is said of alternatives within alternatives would have no end.
    alone = \case
      NoAlternative _ -> NoAlternative []
      reason -> reason

-- | One attempt. What a failed one has counted of depth and of claims is taken back.
attempted :: Reader a -> Context -> Addr# -> Addr# -> IO (Outcome a)
attempted (Reader step) ctx e c = IO $ \s -> case readIntArray# ctx 1# s of
  (# s1, levels #) -> case readIntArray# ctx 2# s1 of
    (# s2, claims #) -> case catch# body caught s2 of
      (# s3, result #) -> case result of
        Right outcome -> (# s3, outcome #)
        Left exception -> case fromException exception of
          Just (Failure (W# at) reason) -> case writeIntArray# ctx 1# levels s3 of
            s4 -> case writeIntArray# ctx 2# claims s4 of
              s5 -> (# s5, Failed (Ptr (int2Addr# (word2Int# at))) reason #)
          Nothing -> raiseIO# exception s3
  where
    body s = case step ctx e c s of (# s1, c1, a #) -> (# s1, Right (Done (Ptr c1) a) #)
{-# NOINLINE attempted #-}

caught :: SomeException -> State# RealWorld -> (# State# RealWorld, Either SomeException a #)
caught exception s = (# s, Left exception #)

-- * What is kept

-- | How many attempts at frames are open, and what has been found within the outermost, by
-- addresses of the input.
data Kept = Kept !(IORef Int) !(IORef (IntMap [(Identity, Outcome Any)]))

-- | What is kept with a run, from the first attempt on: with its notes, one of whose words is
-- a stable pointer, which is freed when the context is gone.
keptIn :: Context -> IO (Maybe Kept)
keptIn ctx = do
  Ptr seen <- IO $ \s -> case notes ctx s of
    (# s1, a #) -> case eqAddr# a nullAddr# of
      0# -> (# s1, Ptr a #)
      _ -> case Scan.newSeen ctx s1 of
        (# s2, begun #) -> case eqAddr# begun nullAddr# of
          1# -> (# s2, Ptr begun #)
          _ -> case setNotes ctx begun s2 of s3 -> (# s3, Ptr begun #)
  if isTrue# (eqAddr# seen nullAddr#)
    then pure Nothing
    else do
      Ptr place <- IO $ \s -> case Scan.seenAttempts seen s of (# s1, a #) -> (# s1, Ptr a #)
      Ptr word <- IO $ \s -> case readAddrOffAddr# place 0# s of (# s1, a #) -> (# s1, Ptr a #)
      kept <-
        if isTrue# (eqAddr# word nullAddr#)
          then do
            kept <- Kept <$> newIORef 0 <*> newIORef IntMap.empty
            stable <- newStablePtr kept
            let !(Ptr stored) = castStablePtrToPtr stable
            IO $ \s -> case writeAddrOffAddr# place 0# stored s of
              s1 -> case mkWeak# ctx () (unIO (freeStablePtr stable)) s1 of
                (# s2, _ #) -> (# s2, () #)
            pure kept
          else deRefStablePtr (castPtrToStablePtr (Ptr word) :: StablePtr Kept)
      IO $ \s -> case touch# ctx s of s1 -> (# s1, () #)
      pure (Just kept)
{-# NOINLINE keptIn #-}
