{-# LANGUAGE OverloadedStrings #-}

-- | A thousand hostile clients beside good ones: each gets its refusal or is dropped, and
-- the good ones are served meanwhile. What they waited for is told, with what they wait
-- for alone, and not judged: a test that fails by the clock says nothing.
module Tern.Http.HostileTest (tests) where

import Control.Concurrent (MVar, forkIO, newEmptyMVar, putMVar, takeMVar, threadDelay)
import Control.Exception (SomeException, throwIO, try)
import Control.Monad (forM, forM_, replicateM)
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import Data.List (sort)
import Data.Maybe (isNothing)
import GHC.Clock (getMonotonicTime)
import Network.HTTP.Types (ok200)
import Network.Wai (Application, rawPathInfo)
import Network.Wai.Handler.Warp (Port)
import System.Timeout (timeout)
import Tern.Http
import Tern.Http.Birds (birds)
import Tern.Testkit.Allocation (optimised)
import Tern.Testkit.Hostile (busy, goodRequest, idle)
import Tern.Testkit.Sockets (served, statusOf, talk)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "hostile"
    [ testCaseInfo
        "each is refused or dropped, and good requests go on"
        . served 3 service
        $ \port -> do
          alone <- replicateM 500 (waited (talk port goodRequest))
          over <- newIORef False
          good <- replicateM 4 (beside (goodUntil over port))
          outcomes <- fmap concat . forM (map pure busy <> [idle]) $ \kinds -> do
            running <- forM kinds $ \(name, expected, attack) ->
              (name,expected,) <$> replicateM each (beside (timeout generous (attack port)))
            forM running $ \(name, expected, those) -> (name,expected,) <$> mapM outcome those
          writeIORef over True
          answered <- concat <$> mapM outcome good
          forM_ outcomes $ \(name, expected, statuses) -> do
            (name, filter isNothing statuses) @?= (name, [])
            (name, filter (`notElem` map Just expected) statuses) @?= (name, [])
          filter (/= 200) (map fst answered) @?= []
          -- After all of it there is still room for one more.
          last' <- statusOf <$> talk port goodRequest
          last' @?= 200
          let all' = concat [statuses | (_, _, statuses) <- outcomes]
          pure
            ( unwords
                [ show (length all'),
                  "hostile,",
                  show (length (filter (> Just 0) all')),
                  "refused or answered,",
                  show (length (filter (== Just 0) all')),
                  "dropped;",
                  show (length answered),
                  "good ones beside them, 99 of 100 within",
                  milliseconds (map snd answered)
                    <> ",",
                  "alone within",
                  milliseconds (map snd alone)
                ]
            )
    ]
  where
    -- What nobody reads fills buffers first: without optimisation for minutes.
    each = if optimised then 55 else 12
    milliseconds times =
      show (round (1000 * sum (take 1 (drop (length times * 99 `div` 100) (sort times)))) :: Int)
        <> " ms"
    -- Not a measurement: an attack that is still being served then would be served for ever. Beside
    -- other suites on an old processor some are for two minutes.
    generous = 600 * 1000000

-- | A bird, and beside it numbers without an end, long ones: who does not read them fills
-- the system's buffers first.
service :: Application
service request send
  | rawPathInfo request == "/numbers" =
      exchange
        defaultSettings
        ["GET"]
        ( \x reply ->
            -- A list of all numbers would be kept by the process.
            reply . respondEach x ok200 [] $ \put ->
              let from n = put n >> from (n + 1) in from (10 ^ (1000 :: Int) :: Integer)
        )
        request
        send
  | otherwise = birds defaultSettings request send

-- | What good requests are answered with until it is over, and at least once, and after
-- how many seconds.
goodUntil :: IORef Bool -> Port -> IO [(Int, Double)]
goodUntil over port = do
  (answer, seconds) <- waited (talk port goodRequest)
  stop <- readIORef over
  if stop
    then pure [(statusOf answer, seconds)]
    else threadDelay 2000 >> ((statusOf answer, seconds) :) <$> goodUntil over port

-- | What came, and how many seconds it took.
waited :: IO a -> IO (a, Double)
waited act = do
  begin <- getMonotonicTime
  a <- act
  end <- getMonotonicTime
  pure (a, end - begin)

-- | Run beside, and what came of it.
beside :: IO a -> IO (MVar (Either SomeException a))
beside act = do
  box <- newEmptyMVar
  box <$ forkIO (try act >>= putMVar box)

-- | What came of what runs beside.
outcome :: MVar (Either SomeException a) -> IO a
outcome box = takeMVar box >>= either throwIO pure
