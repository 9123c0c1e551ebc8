{-# LANGUAGE OverloadedStrings #-}

-- | Sequences that are sent while they happen, over real connections.
module Tern.Http.LiveTest (tests) where

import Control.Concurrent (newEmptyMVar, putMVar, takeMVar, threadDelay)
import Control.Exception (ErrorCall (..), finally, throwIO, try)
import Control.Monad (forM_, forever, void)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.IORef (IORef, atomicModifyIORef', modifyIORef', newIORef, readIORef, writeIORef)
import Data.List (elemIndex)
import Data.List.NonEmpty qualified as NonEmpty
import Data.Maybe (fromMaybe)
import Network.HTTP.Types
import Network.Socket (Socket)
import Network.Socket.ByteString (recv, sendAll)
import Network.Wai (Application)
import System.Timeout (timeout)
import Tern (defaultLimits)
import Tern.Http hiding (defaultSettings)
import Tern.Http qualified as Http
import Tern.Http.Live (liveTo)
import Tern.Http.Sending qualified as Sending
import Tern.Http.Series (SeriesEntry (..), Steps (..), foldSteps, series)
import Tern.Negotiate (renderMediaType)
import Tern.Testkit.Sockets (served, statusOf, talk, withSocket)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "live"
    [ testCase "each value is sent when it is handed on, in each way to write it" $
        forM_ every $ \kind -> do
          next <- newEmptyMVar
          served 10 (live Http.defaultSettings (\put -> forever (takeMVar next >>= put))) $ \port ->
            withSocket port $ \socket' -> do
              sendAll socket' (getting kind)
              more <- dechunked socket'
              -- The third is not made before the second was read.
              steps <- newIORef (seriesRead (series kind) defaultLimits)
              forM_ [1 .. 5 :: Int] $ \n -> do
                putMVar next n
                found <- timeout generous (nextOf more steps)
                (kind, found) @?= (kind, Just (Just n)),
      testCase "the head is sent before there is a value" $ do
        happened <- newIORef []
        let now what = modifyIORef' happened (what :)
        Sending.live (\consume -> now "value" >> consume "1") (\_ -> now "send") (now "flush")
        readIORef happened >>= (@?= ["flush", "send", "value", "flush" :: String])
        -- No sign of life is what is seen.
        let quiet = Http.defaultSettings {settingsSilence = 3600000000}
        served 10 (live quiet (\_ -> forever (threadDelay 1000000))) $ \port ->
          withSocket port $ \socket' -> do
            sendAll socket' (getting MessagePackValues)
            start <- timeout generous (recv socket' 1000)
            fmap (B.isPrefixOf "HTTP/1.1 200") start @?= Just True,
      testCase "signs of life are passed over by readers, and a way without them ends" $
        forM_ every $ \kind -> do
          signs <- newIORef (0 :: Int)
          out <- newIORef []
          let consume chunk = modifyIORef' out (chunk :) >> modifyIORef' signs (+ 1)
              entry' = series kind
              quiet = maybe 300000 (const 5000) (seriesSign entry')
          liveTo entry' quiet consume $ \put -> do
            put 1
            forM_ [2, 3 :: Int] $ \n -> do
              before <- readIORef signs
              awaited ((> before + 2) <$> readIORef signs)
              put n
          bytes <- B.concat . reverse <$> readIORef out
          whole <- readAll kind bytes
          (kind, whole) @?= (kind, maybe [1] (const [1, 2, 3]) (seriesSign entry')),
      testCase "a client that goes away while nothing happens ends what makes its answer" $
        forM_ [JsonArray, JsonLines, JsonRecords] $ \kind -> do
          ended <- newEmptyMVar
          served
            10
            ( live
                Http.defaultSettings {settingsSilence = 20000}
                ( \_ ->
                    forever (threadDelay 1000000) `finally` putMVar ended ()
                )
            )
            $ \port -> do
              withSocket port $ \socket' -> do
                sendAll socket' (getting kind)
                void (recv socket' 1000)
              found <- timeout generous (takeMVar ended)
              (kind, found) @?= (kind, Just ()),
      testCase "an answer that lasts is not taken for dead"
        $
        -- Warp hangs up on who says nothing for a second.
        served
          1
          ( live
              Http.defaultSettings {settingsSilence = 100000}
              (\put -> threadDelay 3500000 >> put 1)
          )
        $ \port -> do
          answer <- talk port [getting JsonLines]
          assertBool
            (show answer)
            ( "1\n" `B.isInfixOf` answer
                && "0\r\n\r\n" `B.isSuffixOf` answer
            ),
      testCase "an exception ends it, and the client sees that it is not whole"
        $ served
          10
          ( live
              Http.defaultSettings
              (\put -> put 1 >> throwIO (ErrorCall "broken"))
          )
        $ \port -> do
          answer <- talk port [getting JsonLines]
          assertBool
            (show answer)
            ( "1\n" `B.isInfixOf` answer
                && not ("0\r\n\r\n" `B.isSuffixOf` answer)
            ),
      testCase "an exception of the consumer ends the action" $ do
        ended <- newEmptyMVar
        outcome <-
          try
            ( liveTo
                (series JsonLines)
                1000000
                (\_ -> throwIO (ErrorCall "gone"))
                ( \put ->
                    forever (put (1 :: Int)) `finally` putMVar ended ()
                )
            )
        either (\(ErrorCall what) -> what) show outcome @?= "gone"
        timeout generous (takeMVar ended) >>= (@?= Just ()),
      testCase "it is described to HEAD, and refused where nothing fits" $
        served 10 (live Http.defaultSettings (\_ -> throwIO (ErrorCall "run"))) $ \port -> do
          statuses <-
            mapM
              ( \(method, accept) ->
                  statusOf
                    <$> talk
                      port
                      [ B.concat
                          [ method,
                            " / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAccept: ",
                            accept,
                            "\r\n\r\n"
                          ]
                      ]
              )
              [("HEAD", "application/jsonl"), ("GET", "image/png"), ("GET", "application/msgpack")]
          statuses @?= [200, 406, 406]
    ]
  where
    every = [minBound ..] :: [Series]
    generous = 30000000

live :: Settings -> ((Int -> IO ()) -> IO ()) -> Application
live settings act = exchange settings ["GET"] $ \x send -> send (respondLive x ok200 [] act)

getting :: Series -> ByteString
getting kind =
  B.concat
    [ "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAccept: ",
      renderMediaType (NonEmpty.head (seriesTypes (series kind))),
      "\r\n\r\n"
    ]

-- | Waits until it holds.
awaited :: IO Bool -> IO ()
awaited holds = holds >>= \now -> if now then pure () else threadDelay 1000 >> awaited holds

-- | The pieces of an answer's content as they come, without their heads.
dechunked :: Socket -> IO (IO ByteString)
dechunked socket' = do
  begin <- upTo "\r\n\r\n" ""
  left <- newIORef begin
  pure $ do
    (size, rest) <- split "\r\n" =<< readIORef left
    case BC.foldl' (\n c -> 16 * n + fromMaybe 0 (elemIndex (toLow c) "0123456789abcdef")) 0 size of
      0 -> pure ""
      n -> do
        whole <- atLeast (n + 2) rest
        writeIORef left (B.drop (n + 2) whole)
        pure (B.take n whole)
  where
    toLow c = if c `elem` ['A' .. 'F'] then toEnum (fromEnum c + 32) else c
    upTo mark seen = snd <$> split mark seen
    split mark seen = case B.breakSubstring mark seen of
      (before, rest)
        | B.null rest ->
            recv socket' 4096 >>= \more ->
              if B.null more
                then fail ("no more after " <> show seen)
                else split mark (seen <> more)
        | otherwise -> pure (before, B.drop (B.length mark) rest)
    atLeast n seen
      | B.length seen >= n = pure seen
      | otherwise =
          recv socket' 4096 >>= \more ->
            if B.null more
              then fail "cut off"
              else atLeast n (seen <> more)

-- | The next value, of which there may be none.
nextOf :: IO ByteString -> IORef (Steps a) -> IO (Maybe a)
nextOf more steps =
  readIORef steps >>= \case
    Element a later -> Just a <$ writeIORef steps later
    Hungry feed -> more >>= writeIORef steps . feed >> nextOf more steps
    Spoilt wrong -> fail (show wrong)
    Done -> pure Nothing

readAll :: Series -> ByteString -> IO [Int]
readAll kind bytes = do
  left <- newIORef [bytes]
  (found, wrong) <-
    foldSteps
      (\xs x -> pure (x : xs))
      []
      ( atomicModifyIORef'
          left
          (\cs -> (drop 1 cs, B.concat (take 1 cs)))
      )
      (seriesRead (series kind) defaultLimits)
  maybe (pure (reverse found)) (fail . show) wrong
