{-# LANGUAGE DataKinds #-}
{-# LANGUAGE OverloadedStrings #-}

-- | The service on a file of its own, used by real clients: Haskell's, curl, Python's and
-- a browser, those that are here.
module Birds.ServiceTest (tests) where

import Birds.Api
import Birds.Observation
import Birds.Service
import Birds.Store
import Control.Concurrent (forkIO, newEmptyMVar, putMVar, takeMVar, threadDelay)
import Control.Monad (void)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.IORef
import Data.List (isInfixOf)
import Data.Proxy (Proxy (..))
import Data.Text (Text)
import Network.HTTP.Client qualified as Client
import Network.Wai.Handler.Warp (Port, testWithApplication)
import Servant.API
import Servant.Client.Streaming
import Servant.Types.SourceT (foreach, source)
import System.Directory (findExecutable)
import System.Exit (ExitCode (..))
import System.IO.Temp (withSystemTempDirectory)
import System.Process (readProcessWithExitCode)
import Tern.Servant
import Tern.Testkit.Tally (skip)
import Test.Tasty
import Test.Tasty.HUnit

tests :: IO TestTree
tests = do
  curl <- findExecutable "curl"
  (python, _, _) <- readProcessWithExitCode "python3" ["-c", "import requests, msgpack"] ""
  browser <- findExecutable "chromium"
  pure . testGroup "birds" $
    [ testCase "lists, filters, pages, adds, corrects" . served $ \port -> do
        let run act = asked port act >>= either (assertFailure . show) pure
        kept <- mapM (run . addOne) [observed s p n | (s, p, n) <- [("skua", "Gannet Rock", 1), ("auk", "Gannet Rock", 30), ("tern", "Long Strand", 7)]]
        map number kept @?= [1, 2, 3]
        rock <- run (listed' Nothing (Just "Gannet Rock") Nothing Nothing)
        (map (species . observation) (items rock), next rock, total rock) @?= (["skua", "auk"], Nothing, 2)
        first' <- run (listed' Nothing Nothing Nothing (Just 2))
        (map number (items first'), next first', total first') @?= ([1, 2], Just 2, 3)
        rest <- run (listed' Nothing Nothing (next first') (Just 2))
        (map number (items rest), next rest) @?= ([3], Nothing)
        _ <- run (correctOne 2 (Correction Nothing Nothing Nothing (Just 31) (Just "again")))
        two <- run (oneOf' 2)
        observation two @?= (observed "auk" "Gannet Rock" 31) {note = Just "again"}
        missing <- asked port (oneOf' 99)
        either (fmap problemCode . problemOf) (const Nothing) missing @?= Just 404,
      testCase "many, one by one, both ways" . served $ \port -> do
        n <- asked port (addMany (source [observed "knot" "Long Strand" k | k <- [1 .. 1200]]))
        either (assertFailure . show) (@?= 1200) n
        manager <- Client.newManager Client.defaultManagerSettings
        counts <- newIORef []
        withClientM (eachOf (Just "knot") Nothing) (mkClientEnv manager (BaseUrl Http "127.0.0.1" port "")) $
          either (assertFailure . show) (foreach fail (\k -> modifyIORef' counts (Birds.Observation.count (observation k) :)))
        readIORef counts >>= (@?= [1 .. 1200]) . reverse,
      testCase "changes, and waits for them" . served $ \port -> do
        heard <- newEmptyMVar
        manager <- Client.newManager Client.defaultManagerSettings
        void . forkIO $ withClientM (changesOf (Just 0)) (mkClientEnv manager (BaseUrl Http "127.0.0.1" port "")) $ \found' -> do
          seen <- newIORef []
          either (assertFailure . show) (foreach fail (\c -> modifyIORef' seen (c :))) found'
          readIORef seen >>= putMVar heard
        threadDelay 300000
        _ <- asked port (addOne (observed "ruff" "Marsh" 2))
        takeMVar heard >>= (@?= [Change 1 Added (Kept 1 (observed "ruff" "Marsh" 2))]),
      testCase "the page shows each format, with a picture" . served $ \port -> do
        _ <- asked port (addMany (source [observed "knot" "Long Strand" k | k <- [1 .. 60]]))
        page <- got port "/"
        mapM_ (\what -> assertBool (show what) (what `B.isInfixOf` page)) ["<svg", "Json", "MessagePack", "Native", "zstd"]
        api <- got port "/api"
        assertBool "the description" ("/observations/{number}" `B.isInfixOf` api),
      case curl of
        Nothing -> skip "curl" "curl is not installed: 3 requests"
        Just program -> testCase "curl" . served $ \port -> do
          let run arguments = (\(_, out, _) -> out) <$> readProcessWithExitCode program (["-s", "--max-time", "30"] <> arguments <> ["http://127.0.0.1:" <> show port <> "/observations"]) ""
          new <- run ["-H", "Content-Type: application/json", "-d", "{\"species\":\"skua\",\"place\":\"Rock\",\"day\":\"2024-05-17\",\"count\":2}"]
          new @?= "{\"number\":1,\"observation\":{\"species\":\"skua\",\"place\":\"Rock\",\"day\":\"2024-05-17\",\"count\":2,\"note\":null}}"
          headers <- run ["-I", "-H", "Accept: application/msgpack"]
          assertBool headers ("application/msgpack" `isInfixOf` headers)
          wrong <- run ["-H", "Content-Type: application/json", "-d", "{\"species\":1}"]
          assertBool wrong ("\"path\":\"$.species\"" `isInfixOf` wrong),
      case python of
        ExitFailure _ -> skip "Python" "requests and msgpack for Python are not installed: 4 requests"
        ExitSuccess -> testCase "Python" . served $ \port -> do
          (outcome, out, complaint) <- readProcessWithExitCode "python3" ["-c", script, show port] ""
          (outcome, complaint, out) @?= (ExitSuccess, "", "200 3 auk\n406\n"),
      case browser of
        Nothing -> skip "a browser" "chromium is not installed: 1 page"
        Just program -> testCase "a browser" . served $ \port -> do
          _ <- asked port (addMany (source [observed "knot" "Long Strand" k | k <- [1 .. 60]]))
          (_, out, _) <- readProcessWithExitCode program ["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", "http://127.0.0.1:" <> show port <> "/"] ""
          assertBool (take 400 out) ("<rect" `isInfixOf` out && "MessagePack" `isInfixOf` out)
    ]
  where
    script =
      unlines
        [ "import sys, requests, msgpack",
          "url = 'http://127.0.0.1:' + sys.argv[1] + '/observations'",
          "pack = {'Content-Type': 'application/msgpack', 'Accept': 'application/msgpack'}",
          "for s in ['skua', 'auk', 'tern']:",
          "    a = requests.post(url, data=msgpack.packb({'species': s, 'place': 'Rock', 'day': '2024-05-17', 'count': 1, 'note': None}), headers=pack)",
          "    assert a.status_code == 201, a.text",
          "a = requests.get(url, headers=pack)",
          "page = msgpack.unpackb(a.content)",
          "print(a.status_code, page['total'], page['items'][1]['observation']['species'])",
          "print(requests.get(url, headers={'Accept': 'image/png'}).status_code)"
        ]

observed :: Text -> Text -> Int -> Observation
observed s p n = Observation s p "2024-05-17" n Nothing

listed' :: Maybe Text -> Maybe Text -> Maybe Int -> Maybe Int -> ClientM Page
addOne :: Observation -> ClientM Kept
eachOf :: Maybe Text -> Maybe Text -> ClientM (SourceIO Kept)
addMany :: SourceIO Observation -> ClientM Int
changesOf :: Maybe Int -> ClientM (SourceIO Change)
oneOf' :: Int -> ClientM Kept
correctOne :: Int -> Correction -> ClientM Kept
listed' :<|> addOne :<|> eachOf :<|> addMany :<|> changesOf :<|> oneOf' :<|> correctOne = client (Proxy @Api)

served :: (Port -> IO a) -> IO a
served act = withSystemTempDirectory "birds" $ \folder -> withStore (folder <> "/birds.sqlite") $ \store -> testWithApplication (pure (birds store)) act

asked :: Port -> ClientM a -> IO (Either ClientError a)
asked port act = do
  manager <- Client.newManager Client.defaultManagerSettings
  withClientM act (mkClientEnv manager (BaseUrl Http "127.0.0.1" port "")) pure

got :: Port -> String -> IO ByteString
got port path = do
  manager <- Client.newManager Client.defaultManagerSettings
  request <- Client.parseRequest ("http://127.0.0.1:" <> show port <> path)
  BL.toStrict . Client.responseBody <$> Client.httpLbs request manager
