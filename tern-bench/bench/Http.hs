{-# LANGUAGE OverloadedStrings #-}

-- | The same service by Tern and by aeson on the same Warp, under load, and article 002's
-- table on the wire.
--
-- The idea: each contender is a process of its own. All of them are there at once and are
-- asked in turn, round after round, so that whatever else the machine does falls on all.
--
-- > http [--rounds N] [--seconds N] [--part PART]... [--keep]
--
-- It needs a quiet machine, and @wrk@ on the path. As it stands it takes 27 minutes, and no part of
-- it more than four: where the machine is not quiet for long they can be measured one by
-- one, and what a part does not measure stays as it was kept.
module Main (main) where

import Control.Monad (forM, replicateM, unless, when)
import Control.Monad.IO.Class (liftIO)
import Control.Monad.Trans.Cont (ContT (..), evalContT)
import Data.Aeson qualified as Aeson
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy qualified as L
import Data.List.NonEmpty qualified as NonEmpty
import Data.Maybe (isJust)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import Options.Applicative
import System.Directory (doesFileExist, findExecutable)
import System.Exit (die)
import System.IO (hFlush, stdout)
import System.IO.Temp (withSystemTempDirectory)
import Tern (Wire, decodeJson, encodeJson, renderError)
import Tern.Bench.Http.Attack (attacking, beside)
import Tern.Bench.Http.Load (Ask (..), Load (..), load)
import Tern.Bench.Http.Report
  ( Besieged (..),
    Found (..),
    OnWire (..),
    Row (..),
    foundVersion,
    kinds,
    renderFound,
    renewedBy,
  )
import Tern.Bench.Http.Server (Server (..), peakMemory, serving, withIdleServer, withServer)
import Tern.Bench.Http.Service (Library (..), records, service, sizes)
import Tern.Bench.Http.Steady (steady)
import Tern.Bench.Page (page, version)
import Tern.File (writeWhole)
import Tern.Http (Coding (..), Format (..))
import Tern.Http.Coding (encoding)
import Tern.Http.Format (Entry (..), entry)
import Tern.Lab.Machine (thisMachine)
import Tern.Lab.Result (Machine (..))
import Tern.Negotiate (renderMediaType)

data Asked
  = Serve Library
  | -- | Be the hostile clients of what listens at this port.
    Attacked Int
  | -- | How often, for how many seconds each time, which parts, and whether to keep the
    -- figures.
    Measure Int Int [Part] Bool

-- | What can be measured by itself.
data Part
  = -- | Bodies of a size, which are answered or read.
    Bodies Text Text
  | -- | Article 002's records on the wire.
    Articles
  | -- | Good requests beside hostile clients.
    Siege
  deriving stock (Eq)

-- | By the names that the command line has for them.
parts :: [(String, Part)]
parts =
  [ (filter (/= ' ') (T.unpack size) <> "-" <> T.unpack what, Bodies size what)
    | (size, _) <- sizes,
      what <- kinds
  ]
    <> [("articles", Articles), ("hostile", Siege)]

main :: IO ()
main =
  execParser (info (arguments <**> helper) (progDesc "A service by Tern and by aeson, under load"))
    >>= \case
      Serve library -> serving (service library)
      Attacked port -> attacking port
      Measure r s those k -> measured r s (if null those then map snd parts else those) k
  where
    arguments =
      ( Serve
          <$> option
            ( maybeReader
                (`lookup` [(show one, one) | one <- [minBound ..]])
            )
            (long "serve" <> internal)
      )
        <|> (Attacked <$> option auto (long "attack" <> internal))
        <|> ( Measure
                <$> count "rounds" 10 "how often each is asked"
                <*> count "seconds" 3 "how long each time"
                <*> many
                  ( option
                      (maybeReader (`lookup` parts))
                      ( long "part"
                          <> metavar "PART"
                          <> help
                            ( "measure this part alone, or several: "
                                <> unwords (map fst parts)
                            )
                      )
                  )
                <*> switch
                  ( long "keep"
                      <> help
                        "keep the figures in docs/measured and put the tables into \
                        \docs/performance.md"
                  )
            )
    count name standard what =
      option
        ( auto >>= \n ->
            if n > 0
              then pure n
              else readerError "expected a number above 0"
        )
        (long name <> metavar "N" <> value standard <> showDefault <> help what)

measured :: Int -> Int -> [Part] -> Bool -> IO ()
measured rounds seconds those keep = do
  wrk <-
    maybe (die "http: wrk is not installed; install it (Debian has it as wrk)") pure
      =<< findExecutable "wrk"
  machine <- thisMachine
  let file = "docs/measured/http-" <> T.unpack (version machine) <> ".json"
  before <- if keep then keptOf machine seconds file else pure Nothing
  loads <-
    concat
      <$> sequence
        [ loaded wrk size values what
          | (size, values) <- sizes,
            what <- kinds,
            Bodies size what `elem` those
        ]
  wires <- if Articles `elem` those then concat <$> mapM (onWire wrk) [1, 1000] else pure []
  besieged <- if Siege `elem` those then Just <$> siege wrk else pure Nothing
  let new =
        Found
          { foundFormat = foundVersion,
            foundMachine = machine,
            foundSeconds = seconds,
            foundLoads = loads,
            foundWires = wires,
            foundBesieged = besieged
          }
      found = maybe new (`renewedBy` new) before
  T.putStr (renderFound found)
  when keep $ do
    writeWhole file (L.fromStrict (encodeJson found <> "\n"))
    page (T.concat ["http ", version machine]) (renderFound found)
    let left = [name | (name, part) <- parts, not (found `has` part)]
    unless (null left) $
      putStrLn ("http: nothing is kept of " <> unwords left <> "; measure that too, by --part")
  where
    has found = \case
      Bodies size what -> any (\r -> (rowSize r, rowWhat r) == (size, what)) (foundLoads found)
      Articles -> not (null (foundWires found))
      Siege -> isJust (foundBesieged found)
    loaded wrk size values what
      | what == "answers" =
          together
            size
            what
            (load wrk 8 seconds)
            [ (one, Ask (pathOf one <> "/" <> show n) (accepting one) Nothing Nothing)
              | one <- contenders,
                (n, (size', _)) <- zip [0 :: Int ..] sizes,
                size' == size
            ]
      | otherwise = withSystemTempDirectory "tern-http" $ \folder -> do
          asks <- forM (zip [0 :: Int ..] contenders) $ \(k, one) -> do
            let content = folder <> "/" <> show k
            B.writeFile content (written one values)
            pure (one, Ask (pathOf one) "application/json" Nothing (Just (content, accepting one)))
          together size what (load wrk 8 seconds) asks
    onWire wrk n = do
      let asks coding =
            [ (one, Ask ("/article/" <> show n) (accepting one) coding Nothing)
              | one <- ofValues
            ]
          size = T.pack (show n)
      plain <- together size "plain" (load wrk 1 1) (asks Nothing)
      gzipped <- together size "gzip" (load wrk 1 1) (asks (Just "gzip"))
      pure
        [ OnWire
            { wireRecords = n,
              wireBy = nameOf one,
              wireBytes = B.length bytes,
              wireGzipped = B.length (encoding Gzip bytes),
              wirePlain = map load50 (rowLoads a),
              wireTimeGzipped = map load50 (rowLoads b)
            }
          | (one, a, b) <- zip3 ofValues plain gzipped,
            let bytes = written one (records n)
        ]
    siege wrk = withServer tern $ \server -> withIdleServer tern $ \other -> do
      T.putStrLn "http: good requests, alone and beside hostile ones" >> hFlush stdout
      let good =
            load wrk 8 10 (serverPort server) easy
              >>= either (die . ("http: " <>)) pure
          easy = Ask "/" (accepting (ByTern MessagePack)) Nothing Nothing
      each <- replicateM rounds $ do
        before <- good
        (meanwhile, attack) <- beside (serverPort server) good
        (others, _) <- beside (serverPort other) good
        pure (before, meanwhile, others, attack)
      pure
        Besieged
          { alone = [a | (a, _, _, _) <- each],
            besides = [b | (_, b, _, _) <- each],
            elsewhere = Just [c | (_, _, c, _) <- each],
            attacks = [d | (_, _, _, d) <- each]
          }
    tern = ["--serve", show Tern]
    -- All servers at once, asked in turn.
    together ::
      Text -> Text -> (Int -> Ask -> IO (Either String Load)) -> [(Contender, Ask)] -> IO [Row]
    together size what loading asks = evalContT $ do
      servers <- forM asks $ \(one, ask) ->
        (,,) one ask <$> ContT (withServer ["--serve", show (libraryOf one)])
      liftIO $ do
        T.putStrLn (T.concat ["http: ", size, ", ", what]) >> hFlush stdout
        byRound <- forM [1 .. rounds] $ \r -> do
          let turned = if even r then reverse else id
          turned
            <$> forM
              (turned servers)
              ( \(_, ask, server) ->
                  loading (serverPort server) ask >>= either (die . ("http: " <>)) pure
              )
        forM (zip [0 ..] servers) $ \(k, (one, ask, _)) -> do
          peak <- withServer ["--serve", show (libraryOf one)] $ \server ->
            steady 8 (timesOf size) (serverPort server) ask >> peakMemory server
          pure
            Row
              { rowSize =
                  size,
                rowWhat = what,
                rowBy = nameOf one,
                rowLoads = map (!! k) byRound,
                rowPeak = peak
              }

-- | How many requests memory is seen after: some seconds' of the slower service.
timesOf :: Text -> Int
timesOf size = maybe 80 (\values -> max 80 (400000 `div` (23 + length values))) (lookup size sizes)

-- | What is kept of this machine and of rounds of this length. Other figures do not stand beside
-- these.
keptOf :: Machine -> Int -> FilePath -> IO (Maybe Found)
keptOf machine seconds file = do
  there <- doesFileExist file
  if there
    then do
      bytes <- B.readFile file
      found <-
        either
          (\wrong -> die (concat ["http: ", file, ": ", T.unpack (renderError bytes wrong)]))
          pure
          (decodeJson bytes)
      pure $
        if foundMachine found == machine && foundSeconds found == seconds
          then Just found
          else Nothing
    else pure Nothing

-- | A library with one of its formats. What the others are compared with is the first.
data Contender = ByAeson | ByTern Format | ByElements

contenders, ofValues :: [Contender]
contenders = ofValues <> [ByElements]
ofValues = ByAeson : map ByTern [minBound ..]

pathOf :: Contender -> String
pathOf = \case
  ByAeson -> "/load"
  ByTern _ -> "/load"
  ByElements -> "/each"

libraryOf :: Contender -> Library
libraryOf = \case
  ByAeson -> Aeson
  ByTern _ -> Tern
  ByElements -> Tern

nameOf :: Contender -> Text
nameOf = \case
  ByAeson -> "aeson, JSON"
  ByTern Json -> "Tern, JSON"
  ByTern MessagePack -> "Tern, MessagePack"
  ByTern Cbor -> "Tern, CBOR"
  ByTern Native -> "Tern, native"
  ByElements -> "Tern, JSON by elements"

accepting :: Contender -> String
accepting = BC.unpack . renderMediaType . NonEmpty.head . entryTypes . entry . formatOf

formatOf :: Contender -> Format
formatOf = \case
  ByAeson -> Json
  ByTern format -> format
  ByElements -> Json

written :: (Wire a, Aeson.ToJSON a) => Contender -> a -> ByteString
written = \case
  ByAeson -> L.toStrict . Aeson.encode
  ByTern format -> entryEncode (entry format)
  ByElements -> encodeJson
