{-# LANGUAGE OverloadedStrings #-}

-- | The same service by Tern and by aeson on the same Warp, under load, and article 002's
-- table on the wire.
--
-- The idea: each contender is a process of its own. All of them are there at once and are
-- asked in turn, round after round, so that whatever else the machine does falls on all.
--
-- > http [--rounds N] [--seconds N] [--keep]
--
-- It needs a quiet machine, and @wrk@ on the path. As it stands it takes 13 minutes.
module Main (main) where

import Control.Monad (forM, replicateM, when)
import Control.Monad.IO.Class (liftIO)
import Control.Monad.Trans.Cont (ContT (..), evalContT)
import Data.Aeson qualified as Aeson
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy qualified as L
import Data.List.NonEmpty qualified as NonEmpty
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import Options.Applicative
import System.Directory (findExecutable)
import System.Exit (die)
import System.IO (hFlush, stdout)
import System.IO.Temp (withSystemTempDirectory)
import Tern (Wire, encodeJson)
import Tern.Bench.Http.Attack (attacking, beside)
import Tern.Bench.Http.Load (Ask (..), Load (..), load)
import Tern.Bench.Http.Report
  ( Besieged (..),
    Found (..),
    OnWire (..),
    Row (..),
    foundVersion,
    renderFound,
  )
import Tern.Bench.Http.Server (Server (..), peakMemory, serving, withServer)
import Tern.Bench.Http.Service (Library (..), records, service, sizes)
import Tern.Bench.Page (page, version)
import Tern.File (writeWhole)
import Tern.Http (Coding (..), Format (..))
import Tern.Http.Coding (encoding)
import Tern.Http.Format (Entry (..), entry)
import Tern.Lab.Machine (thisMachine)
import Tern.Negotiate (renderMediaType)

data Asked
  = Serve Library
  | -- | Be the hostile clients of what listens at this port.
    Attacked Int
  | -- | How often, for how many seconds each time, and whether to keep the figures.
    Measure Int Int Bool

main :: IO ()
main =
  execParser (info (arguments <**> helper) (progDesc "A service by Tern and by aeson, under load"))
    >>= \case
      Serve library -> serving (service library)
      Attacked port -> attacking port
      Measure r s k -> measured r s k
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
                <$> count "rounds" 5 "how often each is asked"
                <*> count "seconds" 3 "how long each time"
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

measured :: Int -> Int -> Bool -> IO ()
measured rounds seconds keep = do
  wrk <-
    maybe (die "http: wrk is not installed; install it (Debian has it as wrk)") pure
      =<< findExecutable "wrk"
  machine <- thisMachine
  loads <-
    concat
      <$> forM
        (zip [0 :: Int ..] sizes)
        ( \(n, (size, values)) -> do
            answered <-
              together
                size
                "answers"
                (load wrk 8 seconds)
                [ (one, Ask (pathOf one <> "/" <> show n) (accepting one) Nothing Nothing)
                  | one <- contenders
                ]
            posted <- withSystemTempDirectory "tern-http" $ \folder -> do
              asks <- forM (zip [0 :: Int ..] contenders) $ \(k, one) -> do
                let file = folder <> "/" <> show k
                B.writeFile file (written one values)
                pure (one, Ask (pathOf one) "application/json" Nothing (Just (file, accepting one)))
              together size "reads" (load wrk 8 seconds) asks
            pure (answered <> posted)
        )
  wires <-
    concat
      <$> forM
        [1, 1000]
        ( \n -> do
            let asks coding =
                  [ (one, Ask ("/article/" <> show n) (accepting one) coding Nothing)
                    | one <- ofValues
                  ]
                size = T.pack (show n)
            plain <- together size "plain" (load wrk 1 1) (asks Nothing)
            gzipped <- together size "gzip" (load wrk 1 1) (asks (Just "gzip"))
            pure
              [ OnWire
                  { wireRecords =
                      n,
                    wireBy = nameOf one,
                    wireBytes = B.length bytes,
                    wireGzipped = B.length (encoding Gzip bytes),
                    wirePlain = map load50 (rowLoads a),
                    wireTimeGzipped = map load50 (rowLoads b)
                  }
                | (one, a, b) <-
                    zip3 ofValues plain gzipped,
                  let bytes =
                        written
                          one
                          (records n)
              ]
        )
  besieged <- withServer ["--serve", show Tern] $ \server -> do
    T.putStrLn "http: good requests, alone and beside hostile ones" >> hFlush stdout
    let good =
          load
            wrk
            8
            10
            (serverPort server)
            ( Ask
                "/"
                (accepting (ByTern MessagePack))
                Nothing
                Nothing
            )
            >>= either (die . ("http: " <>)) pure
        both = (\one (two, three) -> (one, two, three)) <$> good <*> beside (serverPort server) good
    each <- replicateM rounds both
    pure (Besieged [a | (a, _, _) <- each] [b | (_, b, _) <- each] [c | (_, _, c) <- each])
  let found =
        Found
          { foundFormat =
              foundVersion,
            foundMachine = machine,
            foundSeconds = seconds,
            foundLoads = loads,
            foundWires = wires,
            foundBesieged = besieged
          }
  T.putStr (renderFound found)
  when keep $ do
    writeWhole
      ( "docs/measured/http-"
          <> T.unpack (version machine)
          <> ".json"
      )
      (L.fromStrict (encodeJson found <> "\n"))
    page (T.concat ["http ", version machine]) (renderFound found)
  where
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
        forM (zip [0 ..] servers) $ \(k, (one, _, server)) -> do
          peak <- peakMemory server
          pure
            Row
              { rowSize =
                  size,
                rowWhat = what,
                rowBy = nameOf one,
                rowLoads = map (!! k) byRound,
                rowPeak = peak
              }

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
