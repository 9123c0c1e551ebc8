-- | What an action puts out, as a source that somebody else draws from.
--
-- The idea: writers of sequences put chunks out when they are full, clients of HTTP ask
-- for chunks when they can send them. So the writer runs in a thread of its own and waits
-- with each chunk until it is asked for: there is never more than one between them.
--
-- Start at 'withPulled'.
module Tern.Http.Pulled
  ( withPulled,
  )
where

import Control.Concurrent (forkIOWithUnmask, killThread)
import Control.Concurrent.MVar (newEmptyMVar, putMVar, takeMVar)
import Control.Exception (SomeException, bracket, throwIO, try)
import Control.Monad (unless)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Tern.Http.Coding (Source)

-- | Run an action with a source of what another action puts out. An exception of the one
-- that puts out is thrown where the next chunk is drawn; it is ended when the other one
-- is.
--
-- >>> let three put = mapM_ put ["a", "b", "c"]
-- >>> withPulled three (\source -> (,,,,) <$> source <*> source <*> source <*> source <*> source)
-- ("a","b","c","","")
withPulled :: ((ByteString -> IO ()) -> IO ()) -> (Source -> IO r) -> IO r
withPulled act use = do
  next <- newEmptyMVar
  let put chunk = unless (B.null chunk) (putMVar next (Just (Right chunk)))
      -- The end stays in its place, for whoever draws again.
      end outcome = putMVar next (either (Just . Left) (const Nothing) outcome)
      draw =
        takeMVar next >>= \case
          Just (Right chunk) -> pure chunk
          Just (Left wrong) -> putMVar next (Just (Left wrong)) >> throwIO (wrong :: SomeException)
          Nothing -> B.empty <$ putMVar next Nothing
  bracket (forkIOWithUnmask (\unmask -> try (unmask (act put)) >>= end)) killThread (\_ -> use draw)
