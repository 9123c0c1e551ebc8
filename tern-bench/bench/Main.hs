{-# LANGUAGE OverloadedStrings #-}

-- | The benchmark suite's command line.
module Main (main) where

import Control.Monad (forM, when)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as L
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import Options.Applicative
import System.Directory (doesFileExist)
import System.Environment (lookupEnv)
import System.Exit (die)
import System.FilePath ((</>))
import System.IO (hPutStrLn, stderr)
import Tern (decodeJson, encodeJson)
import Tern.Bench.Case (Case (..), Result (name), Results (..), formatVersion, measure)
import Tern.Bench.Cases (cases, documentCases, messagePackCases, movedCases, nativeCases)
import Tern.Bench.CompileTime (compileTimes, renderCosts, renderCostsPage)
import Tern.Bench.Evolution (evolutions)
import Tern.Bench.Page (page, pageAt, version)
import Tern.Bench.Peers (besidePeers, renderPeers, renderPeersPage)
import Tern.Bench.Report (renderMoved, renderPage, renderTerminal)
import Tern.Bench.Streams (streams)
import Tern.File (writeWhole)
import Tern.Lab.Machine (thisMachine)
import Tern.Lab.Measure (Settings (..), defaultSettings)

data Asked = Asked
  { wanted :: [Text],
    roundsAsked :: Int,
    keep :: Bool,
    compileTime :: Bool,
    peers :: Maybe FilePath,
    streamed :: Maybe Int
  }

asked :: ParserInfo Asked
asked =
  info
    ( helper
        <*> ( Asked
                <$> parts
                <*> roundsOption
                <*> keepSwitch
                <*> compileSwitch
                <*> peersOption
                <*> streamsOption
            )
    )
    ( fullDesc
        <> progDesc "Tern's codecs beside code written by hand and beside aeson, in the same rounds"
    )
  where
    parts =
      many (strArgument (metavar "PART.." <> help "only cases with one of these in their names"))
    roundsOption =
      option
        auto
        ( long "rounds"
            <> metavar "N"
            <> value (rounds defaultSettings)
            <> showDefault
            <> help "how often each is timed"
        )
    keepSwitch =
      switch
        ( long "keep"
            <> help
              "keep the figures in docs/measured and put the table into docs/performance.md; with \
              \PART among those that are there, of the same machine"
        )
    peersOption =
      optional
        ( strOption
            ( long "peers"
                <> metavar "DIR"
                <> help
                  "cases that the programs in DIR do as well, beside those: ./dev bench --peers \
                  \builds them"
            )
        )
    streamsOption =
      optional
        ( option
            auto
            ( long "streams"
                <> metavar "MB"
                <> help
                  "send MB megabytes through the streams instead, and compare chunks with one \
                  \string"
            )
        )
    compileSwitch =
      switch
        ( long "compile-time"
            <> help "measure what compiling a record of 100 fields costs instead"
        )

main :: IO ()
main = do
  Asked {..} <- execParser asked
  maybe (compared Asked {..}) streams streamed

-- | The codecs, or what compiling them costs.
compared :: Asked -> IO ()
compared Asked {..} = do
  machine <- thisMachine
  if compileTime
    then do
      costs <- compileTimes
      T.putStr (renderCosts costs)
      when keep $ page (T.concat ["compile time ", version machine]) (renderCostsPage machine costs)
    else do
      suites <- fromMaybe "../shared/suites" <$> lookupEnv "TERN_SUITES"
      documents <- documentCases (suites </> "json" </> "docs")
      when (null documents) $
        hPutStrLn stderr "tern-bench: the documents of the external suites are not here; left out"
      let all' = cases <> nativeCases <> messagePackCases <> evolutions <> movedCases <> documents
          chosen = [c | c <- all', null wanted || any (`T.isInfixOf` caseName c) wanted]
      when (null chosen) $ die "tern-bench: no case has such a name; --help says how to choose"
      case peers of
        Just programs -> beside machine (suites </> "json" </> "docs") programs chosen
        Nothing -> suite machine (map caseName all') chosen
  where
    beside machine documents programs chosen = do
      found <- besidePeers roundsAsked programs documents chosen
      T.putStr (renderPeers found)
      when keep $ do
        versions <- maybe "versions that are not known" T.pack <$> lookupEnv "TERN_PEERS"
        page (T.concat ["peers ", version machine]) $
          renderPeersPage machine roundsAsked versions found
    suite machine names chosen = do
      results <- forM (zip [1 :: Int ..] chosen) $ \(i, one) -> do
        hPutStrLn
          stderr
          ( T.unpack
              ( T.concat
                  [ "tern-bench: ",
                    T.pack (show i),
                    " of ",
                    T.pack (show (length chosen)),
                    ": ",
                    caseName one
                  ]
              )
          )
        measure defaultSettings {rounds = roundsAsked} (const (pure ())) one
      let found = Results {format = formatVersion, ..}
      T.putStr (renderTerminal found)
      when keep $ do
        let file = "docs/measured/codecs-" <> T.unpack (version machine) <> ".json"
        whole <- if null wanted then pure found else amidst names file found
        writeWhole file (L.fromStrict (encodeJson whole <> "\n"))
        page (T.concat ["codecs ", version machine]) (renderPage whole)
        mapM_ (pageAt "README.md" (T.concat ["moved ", version machine])) (renderMoved whole)

-- | With those of the file that were not measured again, in the order of the names. The file's
-- must be of the same machine.
amidst :: [Text] -> FilePath -> Results -> IO Results
amidst names file found = do
  there <- doesFileExist file
  kept <-
    if there
      then B.readFile file >>= either (die . ((file <> ": ") <>) . show) pure . decodeJson
      else pure found
  when (machine kept /= machine found) . die $
    file <> ": it has figures of another machine; measure all cases, without PART"
  pure
    found
      { results =
          [ one
            | wanted <- names,
              one <- take 1 (filter ((== wanted) . name) (results found <> results kept))
          ]
      }
