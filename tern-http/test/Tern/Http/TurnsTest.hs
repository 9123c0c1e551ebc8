-- | Long work takes turns, and nobody's failure takes one away.
module Tern.Http.TurnsTest (tests) where

import Control.Concurrent (forkIO, getNumCapabilities, newEmptyMVar, putMVar, takeMVar, yield)
import Control.Exception (ErrorCall (..), throwIO, try)
import Control.Monad (forM_, replicateM, replicateM_, void)
import Data.ByteString.Char8 qualified as BC
import Data.IORef (atomicModifyIORef', newIORef, readIORef)
import System.Timeout (timeout)
import Tern.Http.Turns (paced, turns)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "turns"
    [ testCase "pieces beyond the first are never under way at once" $ do
        lanes <- max 1 . subtract 1 <$> getNumCapabilities
        most <- underWay 1 20
        assertBool (show most) (most <= lanes),
      testCase "what is short waits for nobody" $ do
        holds <- newEmptyMVar
        ends <- newEmptyMVar
        lanes <- max 1 . subtract 1 <$> getNumCapabilities
        replicateM_ lanes . forkIO $ do
          long <- turns 0
          long (putMVar holds () >> takeMVar ends)
        replicateM_ lanes (takeMVar holds)
        short <- turns 2
        done <- timeout 10000000 (short (pure 'a') >> short (pure 'b'))
        replicateM_ lanes (putMVar ends ())
        done @?= Just 'b',
      testCase "a piece that fails leaves its turn" $ do
        forM_ [1 .. 50 :: Int] $ \_ -> do
          inTurn <- turns 0
          outcome <- try (inTurn (throwIO (ErrorCall "broken")))
          either (\(ErrorCall why) -> why) (const "no exception") outcome @?= "broken"
        inTurn <- turns 0
        timeout 10000000 (inTurn (pure ())) >>= (@?= Just ()),
      testCase "a consumer gets every chunk, and others run between them" $ do
        got <- newIORef []
        others <- newIORef (0 :: Int)
        void . forkIO . replicateM_ 20 $ atomicModifyIORef' others (\n -> (n + 1, ())) >> yield
        consume <- paced (\chunk -> atomicModifyIORef' got (\chunks -> (chunk : chunks, ())))
        let chunks = map (BC.replicate 20000) (concat (replicate 40 "ab"))
        mapM_ consume chunks
        ran <- readIORef others
        readIORef got >>= (@?= chunks) . reverse
        -- They wait for the one processor that the suite has.
        ran @?= 20
    ]
  where
    -- How many pieces there were at once, of several threads that each do some.
    underWay first threads = do
      now <- newIORef (0 :: Int)
      most <- newIORef (0 :: Int)
      boxes <- replicateM threads $ do
        box <- newEmptyMVar
        box
          <$ forkIO
            ( do
                inTurn <- turns first
                replicateM_ first (inTurn (pure ()))
                replicateM_ 20 . inTurn $ do
                  n <- atomicModifyIORef' now (\n -> (n + 1, n + 1))
                  atomicModifyIORef' most (\m -> (max m n, ()))
                  replicateM_ 5 yield
                  atomicModifyIORef' now (\k -> (k - 1, ()))
                putMVar box ()
            )
      mapM_ takeMVar boxes
      readIORef most
