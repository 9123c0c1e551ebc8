{-# LANGUAGE MultiWayIf #-}

-- | Decoding a container from where its chunks come from.
--
-- The idea is that of "Tern.Internal.Stream.Pull": a source is an action that returns the next
-- chunk, and an empty one at the end and ever after. 'foldParallel' has blocks decoded
-- beside each other, which is possible because none needs another.
module Tern.Internal.Container.Pull
  ( -- * Folding
    foldContainer,
    foldFindings,
    foldParallel,

    -- * As a list
    decodeContainer,
  )
where

import Control.Concurrent (ThreadId, forkIO, killThread)
import Control.Concurrent.MVar (MVar, isEmptyMVar, newEmptyMVar, putMVar, readMVar)
import Control.Exception (SomeException, evaluate, mask_, onException, throwIO, try)
import Control.Monad (void)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.ByteString.Lazy.Internal qualified as BL
import Data.IORef (IORef, modifyIORef', newIORef, readIORef, writeIORef)
import Data.List qualified as List
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

-- | The same, with blocks decompressed and decoded beside each other: by as many threads
-- as are given, at most, each with a block, or with as many as make up 256 KiB where
-- blocks are smaller, for a thread costs as much as some kilobytes. What is found comes
-- in order. Of use in a program with @-threaded@ and several capabilities.
--
-- Where the fold or the source throws, the threads are ended.
foldParallel :: Int -> (s -> Finding a -> IO s) -> s -> IO ByteString -> Decoder a -> IO s
foldParallel threads f start source d0 = do
  running <- newIORef Seq.empty
  go running start noLoad (Just d0) `onException` (readIORef running >>= mapM_ stop)
  where
    most = max 1 threads
    go running !s load = \case
      Just d -> do
        flying <- readIORef running
        if Seq.length flying >= most then hand running s load (Just d) else proceed running s load d
      Nothing
        | isLoaded load -> depart running load >> go running s noLoad Nothing
        | otherwise -> do
            flying <- readIORef running
            if Seq.null flying then pure s else hand running s noLoad Nothing
    proceed running s load d = case nextStage d of
      Ready work later
        | isFull more -> depart running more >> go running s noLoad (Just later)
        | otherwise -> go running s more (Just later)
        where
          more = loaded work load
      Beside finding later -> do
        depart running load
        modifyIORef' running (|> Known finding)
        go running s noLoad later
      Done -> go running s load Nothing
      Hungry feed -> do
        -- What is ready does not wait for input, and neither does what could be begun
        -- while nothing else is.
        flying <- readIORef running
        ready <- firstReady flying
        if
          | ready -> hand running s load (Just d)
          | Seq.null flying, isLoaded load -> depart running load >> go running s noLoad (Just d)
          | otherwise -> source >>= go running s load . Just . feed
    hand running s load rest = do
      flying <- readIORef running
      case viewl flying of
        EmptyL -> go running s load rest
        first :< others -> do
          found <- await first
          writeIORef running others
          s' <- through s found
          go running s' load rest
    through !s = \case
      [] -> pure s
      finding : more -> f s finding >>= \s' -> through s' more

-- | Blocks that are waiting for a thread, the last one first, and their bytes.
data Load a = Load !Int [Work a]

noLoad :: Load a
noLoad = Load 0 []

loaded :: Work a -> Load a -> Load a
loaded work (Load n works) = Load (n + workSize work) (work : works)

isLoaded, isFull :: Load a -> Bool
isLoaded (Load _ works) = not (null works)
isFull (Load n _) = n >= 256 * 1024

-- | Begin with all of it, if there is any.
depart :: IORef (Seq (Flight a)) -> Load a -> IO ()
depart running load@(Load _ works)
  | isLoaded load = launch running (concatMap worked (reverse works))
  | otherwise = pure ()

-- | Work that was begun, or what needs none.
data Flight a
  = Known !(Finding a)
  | Flying !ThreadId !(MVar (Either SomeException [Finding a]))

-- | Begin to evaluate findings. They are entered before anybody can interrupt.
launch :: IORef (Seq (Flight a)) -> [Finding a] -> IO ()
launch running findings = mask_ $ do
  box <- newEmptyMVar
  thread <- forkIO (try (evaluate (complete findings)) >>= putMVar box)
  modifyIORef' running (|> Flying thread box)

-- | Each of them evaluated; the elements of a block are complete when their list is.
complete :: [Finding a] -> [Finding a]
complete findings = List.foldl' (flip seq) () findings `seq` findings

await :: Flight a -> IO [Finding a]
await = \case
  Known finding -> pure [finding]
  Flying _ box -> readMVar box >>= either throwIO pure

firstReady :: Seq (Flight a) -> IO Bool
firstReady flying = case viewl flying of
  EmptyL -> pure False
  Known _ :< _ -> pure True
  Flying _ box :< _ -> not <$> isEmptyMVar box

stop :: Flight a -> IO ()
stop = \case
  Known _ -> pure ()
  Flying thread _ -> void (forkIO (killThread thread))

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
