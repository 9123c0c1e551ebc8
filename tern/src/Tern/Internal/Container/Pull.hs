{-# LANGUAGE MultiWayIf #-}
{-# LANGUAGE RecordWildCards #-}

-- | Decoding a container from where its chunks come from.
--
-- The idea is that of "Tern.Internal.Stream.Pull": a source is an action that returns the next
-- chunk, and an empty one at the end and ever after. 'foldParallel' and 'reduceParallel' have
-- blocks decoded beside each other, which is possible because none needs another.
module Tern.Internal.Container.Pull
  ( -- * Folding
    foldContainer,
    foldFindings,
    foldParallel,
    reduceParallel,

    -- * As a list
    decodeContainer,
  )
where

import Control.Concurrent (ThreadId, forkIO, forkIOWithUnmask, killThread, yield)
import Control.Concurrent.Chan (Chan, newChan, readChan, writeChan)
import Control.Concurrent.MVar (MVar, isEmptyMVar, newEmptyMVar, putMVar, readMVar)
import Control.Exception (SomeException, bracket, evaluate, mask_, throwIO, try)
import Control.Monad (join, unless, when)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.ByteString.Lazy.Internal qualified as BL
import Data.IORef (IORef, modifyIORef', newIORef, readIORef, writeIORef)
import Data.List qualified as List
import Data.Maybe (isNothing)
import Data.Sequence (Seq, ViewL (..), viewl, (|>))
import Data.Sequence qualified as Seq
import Tern.Internal.Container.Decoder
  ( Decoder,
    Finding (..),
    Stage (..),
    Step (..),
    Work,
    nextStage,
    nextStep,
    workSize,
    worked,
  )
import Tern.Internal.Container.Fault (Fault)

-- $setup
-- >>> :set -XLambdaCase
-- >>> import Data.ByteString.Lazy qualified as BL
-- >>> import Data.IORef (atomicModifyIORef', newIORef)
-- >>> import Tern.Container

-- * Folding

-- | Fold all elements from a source, as long as nothing is wrong. The first fault ends
-- it and is returned with what was folded before.
--
-- INLINABLE: the monad is known where it is used.
foldContainer ::
  (Monad m) => (s -> a -> m s) -> s -> m ByteString -> Decoder a -> m (s, Maybe Fault)
foldContainer f = \start source d0 ->
  let go !s d = case nextStep d of
        Next (Elements _ as) later ->
          through s as >>= \s' -> maybe (pure (s', Nothing)) (go s') later
        Next (Damaged fault) _ -> pure (s, Just fault)
        Next (Lost _) later -> maybe (pure (s, Nothing)) (go s) later
        NeedMore feed -> source >>= \chunk -> go s (feed chunk)
        End -> pure (s, Nothing)
      through !s = \case
        [] -> pure s
        a : as -> f s a >>= \s' -> through s' as
   in go start d0
{-# INLINEABLE foldContainer #-}

-- | Fold all that there is: elements, faults and losses. It goes on after what is
-- damaged wherever a block can be found.
--
-- INLINABLE: the monad is known where it is used.
foldFindings :: (Monad m) => (s -> Finding a -> m s) -> s -> m ByteString -> Decoder a -> m s
foldFindings f = \start source d0 ->
  let go !s d = case nextStep d of
        Next finding later -> f s finding >>= \s' -> maybe (pure s') (go s') later
        NeedMore feed -> source >>= \chunk -> go s (feed chunk)
        End -> pure s
   in go start d0
{-# INLINEABLE foldFindings #-}

-- | The same, with blocks decompressed and decoded beside each other: by @n@ threads at most,
-- each with a block, or with as many as make up 256 KiB where blocks are smaller, for to begin
-- with a block costs as much as some kilobytes. As much again is found beforehand, so that no
-- thread waits for this one: what is kept is the bytes of @2 n + 1@ such parts, and the elements
-- of those that are decoded. What is found comes in order. Of use in a program with @-threaded@
-- and several capabilities.
--
-- The fold runs in one thread, which fetches each element from another processor's memory.
-- Where that is most of the work, 'reduceParallel' gains more.
--
-- Where the fold or the source throws, the threads are ended.
foldParallel :: Int -> (s -> Finding a -> IO s) -> s -> IO ByteString -> Decoder a -> IO s
foldParallel threads f = reduceParallel threads complete through
  where
    through !s = \case
      [] -> pure s
      finding : more -> f s finding >>= \s' -> through s' more

-- | The same, where a part of what is found is reduced to something smaller by the thread that
-- decoded it, as a sum or a map of counts. What parts are reduced to is evaluated there, to its
-- head, and comes in order. Which findings are a part is not said: reducing one part and then
-- another has to come to the same as reducing both at once.
--
-- As the elements of a part are never seen by another thread, and need not even be there at
-- the same time, this is what several threads gain most by.
--
-- >>> let file = encodeContainer defaultBlocks (Mark 7) [1 .. 1000 :: Int]
-- >>> chunks <- newIORef (BL.toChunks file)
-- >>> let next = atomicModifyIORef' chunks (\case [] -> ([], mempty); c : later -> (later, c))
-- >>> let total found = sum [sum values | Elements _ values <- found]
-- >>> reduceParallel 2 total (\s n -> pure (s + n)) 0 next (containerDecoder defaultSettings)
-- 500500
reduceParallel ::
  Int -> ([Finding a] -> r) -> (s -> r -> IO s) -> s -> IO ByteString -> Decoder a -> IO s
reduceParallel threads reduce f start source d0 =
  bracket (crew (max 1 threads)) dismiss $ \hands -> do
    flights <- newIORef Seq.empty
    go hands flights start noLoad (Just d0)
  where
    -- A thread that has ended its work finds more of it, and does not wait for this one.
    most = 2 * max 1 threads
    go hands flights !s load rest
      | isFull load || isLoaded load && isNothing rest = do
          busy <- isBusy flights
          if busy
            then land hands flights s load rest
            else depart hands flights load >> go hands flights s noLoad rest
      | Just d <- rest = proceed hands flights s load d
      | otherwise = do
          flying <- readIORef flights
          if Seq.null flying then pure s else land hands flights s load Nothing
    isBusy flights = (>= most) . Seq.length <$> readIORef flights
    proceed hands flights s load d = case nextStage d of
      Ready work later -> go hands flights s (loaded work load) (Just later)
      Beside finding later -> do
        busy <- isBusy flights
        if busy
          then land hands flights s load (Just d)
          else do
            depart hands flights load
            one <- evaluate (reduce [finding])
            modifyIORef' flights (|> Known one)
            go hands flights s noLoad later
      Done -> go hands flights s load Nothing
      Hungry feed -> do
        -- What is ready does not wait for input, and neither does what could be begun
        -- while nothing else is.
        flying <- readIORef flights
        ready <- firstReady flying
        if
          | ready -> land hands flights s load (Just d)
          | Seq.null flying,
            isLoaded load ->
              depart hands flights load >> go hands flights s noLoad (Just d)
          | otherwise -> source >>= go hands flights s load . Just . feed
    land hands flights s load rest = do
      flying <- readIORef flights
      case viewl flying of
        EmptyL -> go hands flights s load rest
        first :< others -> do
          one <- await first
          writeIORef flights others
          s' <- f s one
          go hands flights s' load rest
    -- Begin with all of a load, if there is any.
    depart hands flights load@(Load _ works)
      | isLoaded load = do
          one <- begin hands (reduce (concatMap worked (reverse works)))
          modifyIORef' flights (|> one)
      | otherwise = pure ()

-- | Blocks that are waiting for a thread, the last one first, and their bytes.
data Load a = Load !Int [Work a]

noLoad :: Load a
noLoad = Load 0 []

loaded :: Work a -> Load a -> Load a
loaded work (Load n works) = Load (n + workSize work) (work : works)

isLoaded, isFull :: Load a -> Bool
isLoaded (Load _ works) = not (null works)
isFull (Load n _) = n >= 256 * 1024

-- | Work that was begun, or what needs none.
data Flight r
  = Known !r
  | Flying !(MVar (Either SomeException r))

-- | Threads that take work from a queue, @most@ of them at most, until they are dismissed.
data Crew = Crew
  { most :: !Int,
    queue :: !(Chan (IO ())),
    threads :: !(IORef [ThreadId]),
    dismissed :: !(IORef Bool)
  }

crew :: Int -> IO Crew
crew most = do
  queue <- newChan
  threads <- newIORef []
  dismissed <- newIORef False
  pure Crew {..}

-- | Let something be evaluated. There is another thread for it while there are not enough: a
-- small container needs few.
begin :: Crew -> r -> IO (Flight r)
begin Crew {..} what = mask_ $ do
  box <- newEmptyMVar
  writeChan queue (try (evaluate what) >>= putMVar box)
  hands <- readIORef threads
  when (length hands < most) $ do
    hand <- forkIOWithUnmask (\unmasked -> unmasked work)
    writeIORef threads (hand : hands)
  pure (Flying box)
  where
    -- Who waits for what was evaluated comes before the next of it. To be ended is what
    -- an evaluation may catch.
    work = do
      over <- readIORef dismissed
      unless over (join (readChan queue) >> yield >> work)

-- | What is not evaluated yet is left. Nobody waits until the threads have ended.
dismiss :: Crew -> IO ()
dismiss Crew {..} = do
  writeIORef dismissed True
  readIORef threads >>= mapM_ (forkIO . killThread)

-- | Each of them evaluated; the elements of a block are complete when their list is.
complete :: [Finding a] -> [Finding a]
complete findings = List.foldl' (flip seq) () findings `seq` findings

await :: Flight r -> IO r
await = \case
  Known one -> pure one
  Flying box -> readMVar box >>= either throwIO pure

firstReady :: Seq (Flight r) -> IO Bool
firstReady flying = case viewl flying of
  EmptyL -> pure False
  Known _ :< _ -> pure True
  Flying box :< _ -> not <$> isEmptyMVar box

-- * As a list

-- | All that there is in a lazy string, each when it is asked for; a chunk of it is let
-- go when its elements have been.
decodeContainer :: Decoder a -> BL.ByteString -> [Finding a]
decodeContainer d input = case nextStep d of
  Next finding later -> finding : maybe [] (`decodeContainer` input) later
  NeedMore feed -> case input of
    BL.Empty -> decodeContainer (feed B.empty) BL.Empty
    BL.Chunk chunk later -> decodeContainer (feed chunk) later
  End -> []
