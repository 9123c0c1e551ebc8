-- | Decoding a container from where its chunks come from.
--
-- The idea is that of "Tern.Stream.Pull": a source is an action that returns the next
-- chunk, and an empty one at the end and ever after. 'foldParallel' has blocks decoded
-- beside each other, which is possible because none needs another.
module Tern.Container.Pull
  ( -- * Folding
    foldContainer,
    foldFindings,
    foldParallel,

    -- * As a list
    decodeContainer,
  )
where

import Control.Concurrent (ThreadId, forkIO, killThread)
import Control.Concurrent.MVar
import Control.Exception
import Control.Monad (void)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.ByteString.Lazy.Internal qualified as BL
import Data.IORef
import Data.List qualified as List
import Data.Sequence (Seq, ViewL (..), viewl, (|>))
import Data.Sequence qualified as Seq
import Tern.Container.Decoder
import Tern.Container.Fault

-- * Folding

-- | Fold all elements from a source, as long as nothing is wrong. The first fault ends
-- it and is returned with what was folded before.
--
-- INLINABLE: the monad is known where it is used.
foldContainer :: (Monad m) => (s -> a -> m s) -> s -> m ByteString -> Decoder a -> m (s, Maybe Fault)
foldContainer f = \start source d0 ->
  let go !s d = case nextStep d of
        Next (Elements _ as) later -> through s as >>= \s' -> maybe (pure (s', Nothing)) (go s') later
        Next (Damaged fault) _ -> pure (s, Just fault)
        Next (Lost _) later -> maybe (pure (s, Nothing)) (go s) later
        NeedMore feed -> source >>= \chunk -> go s (feed chunk)
        End -> pure (s, Nothing)
      through !s = \case
        [] -> pure s
        a : as -> f s a >>= \s' -> through s' as
   in go start d0
{-# INLINEABLE foldContainer #-}

-- | Fold all that there is: elements, faults and losses. It goes on behind what is
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

-- | The same, with blocks decompressed and decoded beside each other: as many threads
-- as are given, at most, each with a block. What is found comes in order. Of use in a
-- program with @-threaded@ and several capabilities.
--
-- Where the fold or the source throws, the threads are ended.
foldParallel :: Int -> (s -> Finding a -> IO s) -> s -> IO ByteString -> Decoder a -> IO s
foldParallel threads f start source d0 = do
  running <- newIORef Seq.empty
  go running start (Just d0) `onException` (readIORef running >>= mapM_ stop)
  where
    most = max 1 threads
    go running !s = \case
      Just d -> do
        flying <- readIORef running
        if Seq.length flying >= most then hand running s (Just d) else proceed running s d
      Nothing -> do
        flying <- readIORef running
        if Seq.null flying then pure s else hand running s Nothing
    proceed running s d = case nextStage d of
      Ready work later -> launch running (worked work) >> go running s (Just later)
      Beside finding later -> modifyIORef' running (|> Known finding) >> go running s later
      Done -> go running s Nothing
      Hungry feed -> do
        -- What is ready does not wait for input.
        ready <- readIORef running >>= firstReady
        if ready then hand running s (Just d) else source >>= go running s . Just . feed
    hand running s rest = do
      flying <- readIORef running
      case viewl flying of
        EmptyL -> go running s rest
        first :< others -> do
          found <- await first
          writeIORef running others
          s' <- through s found
          go running s' rest
    through !s = \case
      [] -> pure s
      finding : more -> f s finding >>= \s' -> through s' more

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
