{-# LANGUAGE DataKinds #-}
{-# LANGUAGE OverloadedStrings #-}

-- | The service on a database of its own, used by real clients: Haskell's, curl, Python's
-- and a browser, those that are here.
--
-- The browser's picture is kept in the file that the variable @TERN_SCREENSHOT@ names.
module Birds.ServiceTest (tests) where

import Birds.Api (Api)
import Birds.Cluster (programs, withCluster)
import Birds.Observation
  ( Change (..),
    Correction (..),
    Kept (..),
    Observation (..),
    Page (..),
    What (..),
  )
import Birds.Picture (Picture (..), coloured, picture)
import Birds.Service (birds)
import Birds.Store (Database (..), Wanted (..), added, changesAfter, listed, withStore)
import Control.Concurrent (forkFinally, forkIO, killThread, newEmptyMVar, putMVar, takeMVar)
import Control.Concurrent.STM (atomically, check, modifyTVar', newTVarIO, readTVar, readTVarIO)
import Control.Exception (bracket_, throwIO)
import Control.Monad (forM, forM_, join, void, (>=>))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy qualified as BL
import Data.IORef (IORef, modifyIORef', newIORef, readIORef, writeIORef)
import Data.List (isInfixOf)
import Data.List.NonEmpty qualified as NonEmpty
import Data.Maybe (catMaybes, listToMaybe)
import Data.Proxy (Proxy (..))
import Data.Text (Text)
import Network.HTTP.Client qualified as Client
import Network.HTTP.Types (statusCode)
import Network.Wai.Handler.Warp (Port, testWithApplication)
import Servant.API (SourceIO, (:<|>) (..))
import Servant.Client.Streaming
  ( BaseUrl (..),
    ClientError,
    ClientM,
    Scheme (..),
    client,
    mkClientEnv,
    withClientM,
  )
import Servant.Types.SourceT (foreach, source)
import System.Directory (findExecutable)
import System.Environment (lookupEnv)
import System.Exit (ExitCode (..))
import System.IO.Temp (withSystemTempDirectory)
import System.Process (readProcessWithExitCode)
import System.Timeout (timeout)
import Tern (defaultLimits)
import Tern.Http (Settings (..), defaultSettings)
import Tern.Http.Series (Series (..), SeriesEntry (..), Steps (..), series)
import Tern.Negotiate (renderMediaType)
import Tern.Servant (Problem (..), problemOf)
import Tern.Testkit.Tally (skip)
import Test.Tasty
import Test.Tasty.HUnit

tests :: IO TestTree
tests = do
  curl <- findExecutable "curl"
  (python, _, _) <- readProcessWithExitCode "python3" ["-c", "import requests, msgpack, cbor2"] ""
  (validator, _, _) <- readProcessWithExitCode "python3" ["-c", "import openapi_spec_validator"] ""
  browsers <-
    mapM
      findExecutable
      [ "chromium",
        "chromium-browser",
        "chromium-headless-shell",
        "google-chrome",
        "chrome"
      ]
  postgresql <- programs
  pure . testGroup "birds" $
    [ testGroup
        "on SQLite"
        ( stored
            ( \act ->
                withSystemTempDirectory "birds" (\folder -> act (File (folder <> "/birds.sqlite")))
            )
        ),
      case postgresql of
        Nothing -> skip "on PostgreSQL" "PostgreSQL's initdb is not installed: 5 cases"
        Just bin -> testGroup "on PostgreSQL" (stored (\act -> withCluster bin (act . Server))),
      testCase "changes are sent when they happen, in each way to write them" . served $ \port ->
        forM_
          [ JsonArray,
            JsonLines,
            JsonRecords,
            MessagePackValues,
            CborValues,
            NativeContainer
          ]
          $ \kind -> do
            known <- number <$> (asked port (addOne (observed "ruff" "Marsh" 1)) >>= orFail)
            manager <- Client.newManager Client.defaultManagerSettings
            base <-
              Client.parseRequest
                ( "http://127.0.0.1:"
                    <> show port
                    <> "/observations/changes?after="
                    <> show (known - 1)
                )
            Client.withResponse
              base
                { Client.requestHeaders =
                    [("Accept", renderMediaType (NonEmpty.head (seriesTypes (series kind))))]
                }
              manager
              $ \response -> do
                steps <- newIORef (seriesRead (series kind) defaultLimits)
                forM_ [known .. known + 4] $ \n -> do
                  heard <-
                    timeout 30000000 (nextOf (Client.brRead (Client.responseBody response)) steps)
                  (kind, change <$> join heard) @?= (kind, Just n)
                  void (asked port (addOne (observed "ruff" "Marsh" n)) >>= orFail)
            pure (),
      testCase "a client of changes that goes away is noticed, though nothing happens" $ do
        open <- newTVarIO (0 :: Int)
        let counted app request send =
              bracket_
                (atomically (modifyTVar' open (+ 1)))
                (atomically (modifyTVar' open (subtract 1)))
                (app request send)
        withSystemTempDirectory "birds" $ \folder ->
          withStore (File (folder <> "/birds.sqlite")) $ \store ->
            testWithApplication
              ( pure
                  ( counted
                      (birds defaultSettings {settingsSilence = 20000} store)
                  )
              )
              $ \port -> do
                manager <- Client.newManager Client.defaultManagerSettings
                base <-
                  Client.parseRequest ("http://127.0.0.1:" <> show port <> "/observations/changes")
                Client.withResponse
                  base
                    { Client.requestHeaders =
                        [("Accept", "application/jsonl")]
                    }
                  manager
                  $ \response -> do
                    void (Client.brRead (Client.responseBody response))
                    readTVarIO open >>= (@?= 1)
                gone <- timeout 30000000 (atomically (readTVar open >>= check . (== 0)))
                gone @?= Just (),
      testCase "what has no sense is refused, with its path" . served $ \port -> do
        let refused act =
              either (fmap (\p -> (problemCode p, problemPath p)) . problemOf) (const Nothing)
                <$> asked port act
            odd' = (observed "skua" "Rock" 1) {day = "2024-02-30"}
        _ <- asked port (addOne (observed "skua" "Rock" 1)) >>= orFail
        refused (addOne odd') >>= (@?= Just (422, Just "$.day"))
        refused (addOne (observed "skua" "Rock" 0)) >>= (@?= Just (422, Just "$.count"))
        refused (correctOne 1 (Correction Nothing Nothing (Just "today") Nothing Nothing))
          >>= (@?= Just (422, Just "$.day"))
        refused (addMany (source [observed "auk" "Rock" 2, odd', observed "auk" "Rock" 3]))
          >>= (@?= Just (422, Just "$[1].day"))
        page <- asked port (listed' Nothing Nothing Nothing Nothing) >>= orFail
        map (count . observation) (items page) @?= [1, 2],
      testCase "pages are read, and no more" . served $ \port -> do
        manager <- Client.newManager Client.defaultManagerSettings
        let pages = ["/", "/api", "/openapi.json"]
        answers <- forM [(path, method) | path <- pages, method <- ["HEAD", "POST"]] $
          \(path, method) -> do
            request <- Client.parseRequest ("http://127.0.0.1:" <> show port <> path)
            answer <- Client.httpLbs request {Client.method = method} manager
            pure
              ( statusCode (Client.responseStatus answer),
                BL.null (Client.responseBody answer),
                lookup "Allow" (Client.responseHeaders answer)
              )
        answers @?= concat (replicate 3 [(200, True, Nothing), (405, False, Just "GET, HEAD")]),
      testCase "the page shows each format, with a picture" . served $ \port -> do
        _ <- asked port (addMany (source [observed "knot" "Long Strand" k | k <- [1 .. 60]]))
        page <- got port "/"
        mapM_
          ( \what ->
              assertBool (show what) (what `B.isInfixOf` page)
          )
          ["<svg", "JSON", "MessagePack", "CBOR", "native", "zstd"]
        api <- got port "/api"
        assertBool "the description" ("/observations/{number}" `B.isInfixOf` api),
      case validator of
        ExitFailure _ ->
          skip
            "a validator finds nothing wrong with the description"
            "openapi-spec-validator for Python is not installed: 1 check"
        ExitSuccess ->
          testCase "a validator finds nothing wrong with the description" . served $ \port -> do
            document <- got port "/openapi.json"
            (outcome, out, complaint) <-
              readProcessWithExitCode "python3" ["-c", validating] (BC.unpack document)
            (outcome, out, complaint) @?= (ExitSuccess, "0\n", ""),
      case curl of
        Nothing -> skip "curl" "curl is not installed: 6 requests"
        Just program -> testCase "curl" . served $ \port -> do
          let run arguments =
                (\(_, out, _) -> out)
                  <$> readProcessWithExitCode
                    program
                    ( ["-s", "--max-time", "30"]
                        <> arguments
                        <> ["http://127.0.0.1:" <> show port <> "/observations"]
                    )
                    ""
          new <-
            run
              [ "-H",
                "Content-Type: application/json",
                "-d",
                "{\"species\":\"skua\",\"place\":\"Rock\",\"day\":\"2024-05-17\",\"count\":2}"
              ]
          new
            @?= "{\"number\":1,\"observation\":{\"species\":\"skua\",\"place\":\"Rock\"\
                \,\"day\":\"2024-05-17\",\"count\":2,\"note\":null}}"
          headers <- run ["-I", "-H", "Accept: application/msgpack"]
          assertBool headers ("application/msgpack" `isInfixOf` headers)
          wrong <- run ["-H", "Content-Type: application/json", "-d", "{\"species\":1}"]
          assertBool wrong ("\"path\":\"$.species\"" `isInfixOf` wrong)
          options <- run ["-i", "-X", "OPTIONS"]
          mapM_
            ( \what ->
                assertBool (what <> " in " <> options) (what `isInfixOf` options)
            )
            ["204", "Allow: GET, HEAD, POST, OPTIONS", "Accept-Post: application/json"]
          not' <- run ["-i", "-X", "DELETE"]
          mapM_
            ( \what ->
                assertBool (what <> " in " <> not') (what `isInfixOf` not')
            )
            ["405", "Allow: GET, HEAD, POST, OPTIONS", "application/problem+json"]
          packed <- run ["--compressed", "-H", "Accept: application/json"]
          assertBool packed ("\"total\":1" `isInfixOf` packed),
      case python of
        ExitFailure _ ->
          skip "Python" "requests, msgpack and cbor2 for Python are not installed: 12 requests"
        ExitSuccess -> testCase "Python" . served $ \port -> do
          (outcome, out, complaint) <-
            readProcessWithExitCode "python3" ["-c", script, show port] ""
          (outcome, complaint, out)
            @?= ( ExitSuccess,
                  "",
                  unlines
                    [ "json 200 1 skua 1",
                      "msgpack 200 2 auk 2",
                      "cbor 200 3 tern 3",
                      "400 $.count",
                      "406",
                      "304",
                      "412",
                      "[1, 2, 3]"
                    ]
                ),
      case listToMaybe (catMaybes browsers) of
        Nothing -> skip "a browser" "chromium is not installed: 1 page and its picture"
        Just program -> testCaseInfo "a browser" . served $ \port -> do
          _ <- asked port (addMany (source [observed "knot" "Long Strand" k | k <- [1 .. 60]]))
          withSystemTempDirectory "birds" $ \folder -> do
            let shot = folder <> "/page.png"
                browse more =
                  timeout
                    120000000
                    ( readProcessWithExitCode
                        program
                        ( [ "--headless",
                            "--no-sandbox",
                            "--disable-gpu",
                            "--hide-scrollbars",
                            "--window-size=800,900",
                            "--user-data-dir="
                              <> folder
                              <> "/profile"
                          ]
                            <> more
                            <> ["http://127.0.0.1:" <> show port <> "/"]
                        )
                        ""
                    )
            page <- browse ["--dump-dom"]
            let out = maybe "" (\(_, dom, _) -> dom) page
            assertBool (take 400 out) ("<rect" `isInfixOf` out && "MessagePack" `isInfixOf` out)
            _ <- browse ["--screenshot=" <> shot]
            bytes <- B.readFile shot
            lookupEnv "TERN_SCREENSHOT" >>= mapM_ (`B.writeFile` bytes)
            seen <- either assertFailure pure (picture bytes)
            -- The bars of bytes as they are, with gzip and with Zstandard, on white.
            let bars =
                  map (`coloured` seen) [(0x05, 0x61, 0x8f), (0x3a, 0x9b, 0xc1), (0xe0, 0x98, 0x2f)]
            (pictureSize seen, map (> 400) bars, coloured (255, 255, 255) seen > 300000)
              @?= ((800, 900), [True, True, True], True)
            pure (show (B.length bytes) <> " bytes; pixels of the bars: " <> show bars)
    ]
  where
    script =
      unlines
        [ "import sys, json, requests, msgpack, cbor2",
          "url = 'http://127.0.0.1:' + sys.argv[1] + '/observations'",
          "formats = {'json': (lambda v: json.dumps(v).encode(), json.loads), 'msgpack': \
          \(msgpack.packb, msgpack.unpackb), 'cbor': (cbor2.dumps, cbor2.loads)}",
          "for (name, (pack, unpack)), species in zip(formats.items(), ['skua', 'auk', 'tern']):",
          "    kind = {'Content-Type': 'application/' + name, 'Accept': 'application/' + name}",
          "    one = {'species': species, 'place': 'Rock', 'day': '2024-05-17', 'count': 1, \
          \'note': None}",
          "    a = requests.post(url, data=pack(one), headers=kind)",
          "    assert a.status_code == 201 and a.headers['Content-Type'] == 'application/' + \
          \name, a.text",
          "    kept = unpack(a.content)",
          "    assert kept['observation'] == one",
          "    a = requests.get(url, headers=kind)",
          "    page = unpack(a.content)",
          "    print(name, a.status_code, page['total'], \
          \page['items'][-1]['observation']['species'], kept['number'])",
          "wrong = requests.post(url, data=cbor2.dumps(dict(one, count='many')), headers=kind)",
          "print(wrong.status_code, cbor2.loads(wrong.content)['path'])",
          "print(requests.get(url, headers={'Accept': 'image/png'}).status_code)",
          "tag = requests.get(url + '/1', headers=kind).headers['ETag']",
          "print(requests.get(url + '/1', headers=dict(kind, **{'If-None-Match': \
          \tag})).status_code)",
          "change = dict(kind, **{'If-Match': tag})",
          "assert requests.patch(url + '/1', data=cbor2.dumps({'newCount': 2}), \
          \headers=change).status_code == 200",
          "print(requests.patch(url + '/1', data=cbor2.dumps({'newCount': 3}), \
          \headers=change).status_code)",
          "a = requests.get(url + '/each', headers={'Accept': 'application/cbor-seq'})",
          "import io",
          "stream, numbers = io.BytesIO(a.content), []",
          "while stream.tell() < len(a.content): numbers.append(cbor2.load(stream)['number'])",
          "print(numbers)"
        ]
    validating =
      unlines
        [ "import json, sys",
          "from openapi_spec_validator import OpenAPIV31SpecValidator",
          "print(len(list(OpenAPIV31SpecValidator(json.load(sys.stdin)).iter_errors())))"
        ]

-- | What holds on each database. Each case has one of its own.
stored :: (forall a. (Database -> IO a) -> IO a) -> [TestTree]
stored database =
  [ testCase "lists, filters, pages, adds, corrects" . here $ \port -> do
      let run act = asked port act >>= orFail
      kept <-
        mapM
          (run . addOne)
          [ observed s p n
            | (s, p, n) <-
                [("skua", "Gannet Rock", 1), ("auk", "Gannet Rock", 30), ("tern", "Long Strand", 7)]
          ]
      map number kept @?= [1, 2, 3]
      rock <- run (listed' Nothing (Just "Gannet Rock") Nothing Nothing)
      (map (species . observation) (items rock), next rock, total rock)
        @?= (["skua", "auk"], Nothing, 2)
      first' <- run (listed' Nothing Nothing Nothing (Just 2))
      (map number (items first'), next first', total first') @?= ([1, 2], Just 2, 3)
      rest <- run (listed' Nothing Nothing (next first') (Just 2))
      (map number (items rest), next rest) @?= ([3], Nothing)
      _ <- run (correctOne 2 (Correction Nothing Nothing Nothing (Just 31) (Just "again")))
      two <- run (oneOf' 2)
      observation two @?= (observed "auk" "Gannet Rock" 31) {note = Just "again"}
      missing <- asked port (oneOf' 99)
      either (fmap problemCode . problemOf) (const Nothing) missing @?= Just 404,
    testCase "many, one by one, both ways" . here $ \port -> do
      n <- asked port (addMany (source [observed "knot" "Long Strand" k | k <- [1 .. 600]]))
      either (assertFailure . show) (@?= 600) n
      counts <- newIORef []
      streamed port (eachOf (Just "knot") Nothing) $
        foreach fail (\k -> modifyIORef' counts (Birds.Observation.count (observation k) :))
      readIORef counts >>= (@?= [1 .. 600]) . reverse,
    testCase "changes, those that were and those that come" . here $ \port -> do
      heard <- newTVarIO []
      _ <- asked port (addOne (observed "ruff" "Marsh" 1)) >>= orFail
      follower <-
        forkIO
          ( streamed
              port
              (changesOf (Just 0))
              ( foreach
                  fail
                  (\c -> atomically (modifyTVar' heard (c :)))
              )
          )
      heardSo heard 1
      _ <- asked port (addOne (observed "ruff" "Marsh" 2)) >>= orFail
      heardSo heard 2
      _ <-
        asked port (correctOne 1 (Correction Nothing Nothing Nothing (Just 9) Nothing)) >>= orFail
      heardSo heard 3
      killThread follower
      changes <- reverse <$> readTVarIO heard
      map (\c -> (change c, what c, number (now c))) changes
        @?= [(1, Added, 1), (2, Added, 2), (3, Corrected, 1)],
    testCase "changes made by many at once are followed without a gap" . here $ \port -> do
      heard <- newTVarIO []
      follower <-
        forkIO
          ( streamed
              port
              (changesOf (Just 0))
              ( foreach
                  fail
                  (\c -> atomically (modifyTVar' heard (c :)))
              )
          )
      done <- forM [1 .. 8 :: Int] $ \k -> do
        end <- newEmptyMVar
        end
          <$ forkFinally
            ( forM_
                [1 .. 20 :: Int]
                ( \n ->
                    asked port (addOne (observed "gull" "Quay" (100 * k + n))) >>= orFail
                )
            )
            (putMVar end)
      forM_ done (takeMVar >=> either throwIO pure)
      heardSo heard 160
      killThread follower
      changes <- reverse <$> readTVarIO heard
      map change changes @?= [1 .. 160],
    testCase "what was kept is there for the next program" . database $ \where' -> do
      withStore where' $ \store -> void (added store (observed "skua" "Gannet Rock" 1))
      withStore where' $ \store -> do
        page <- listed store (Wanted Nothing Nothing 0 10)
        map (species . observation) (items page) @?= ["skua"]
        waited <- changesAfter store 0
        map change waited @?= [1]
  ]
  where
    here act =
      database $ \where' ->
        withStore where' $ \store -> testWithApplication (pure (birds defaultSettings store)) act
    heardSo heard n =
      timeout 60000000 (atomically (readTVar heard >>= check . (>= n) . length)) >>= (@?= Just ())

-- | The next value of an answer that goes on, if there is one.
nextOf :: IO ByteString -> IORef (Steps a) -> IO (Maybe a)
nextOf more steps =
  readIORef steps >>= \case
    Element a later -> Just a <$ writeIORef steps later
    Hungry feed -> more >>= writeIORef steps . feed >> nextOf more steps
    Spoilt wrong -> fail (show wrong)
    Done -> pure Nothing

orFail :: (Show e) => Either e a -> IO a
orFail = either (assertFailure . show) pure

observed :: Text -> Text -> Int -> Observation
observed s p n = Observation s p "2024-05-17" n Nothing

listed' :: Maybe Text -> Maybe Text -> Maybe Int -> Maybe Int -> ClientM Page
addOne :: Observation -> ClientM Kept
eachOf :: Maybe Text -> Maybe Text -> ClientM (SourceIO Kept)
addMany :: SourceIO Observation -> ClientM Int
changesOf :: Maybe Int -> ClientM (SourceIO Change)
oneOf' :: Int -> ClientM Kept
correctOne :: Int -> Correction -> ClientM Kept
listed' :<|> addOne :<|> eachOf :<|> addMany :<|> changesOf :<|> oneOf' :<|> correctOne =
  client (Proxy @Api)

served :: (Port -> IO a) -> IO a
served act =
  withSystemTempDirectory "birds" $ \folder ->
    withStore (File (folder <> "/birds.sqlite")) $ \store ->
      testWithApplication (pure (birds defaultSettings store)) act

asked :: Port -> ClientM a -> IO (Either ClientError a)
asked port act = do
  manager <- Client.newManager Client.defaultManagerSettings
  withClientM act (mkClientEnv manager (BaseUrl Http "127.0.0.1" port "")) pure

-- | Use what comes while it comes.
streamed :: Port -> ClientM a -> (a -> IO b) -> IO b
streamed port act use = do
  manager <- Client.newManager Client.defaultManagerSettings
  withClientM act (mkClientEnv manager (BaseUrl Http "127.0.0.1" port "")) (orFail >=> use)

got :: Port -> String -> IO ByteString
got port path = do
  manager <- Client.newManager Client.defaultManagerSettings
  request <- Client.parseRequest ("http://127.0.0.1:" <> show port <> path)
  BL.toStrict . Client.responseBody <$> Client.httpLbs request manager
