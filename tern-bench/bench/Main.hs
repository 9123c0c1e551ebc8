{-# LANGUAGE OverloadedStrings #-}

-- | The benchmark suite's command line.
module Main (main) where

import Control.Monad (forM_, when)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as L
import Data.Maybe (catMaybes)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import Options.Applicative
import System.Directory (doesFileExist, findFile)
import System.Environment (lookupEnv)
import System.Exit (die)
import System.IO (hPutStrLn, stderr)
import Tern (decodeJson, encodeJson)
import Tern.Bench.Case (Case (..), Result (name), Results (..), formatVersion, measure)
import Tern.Bench.Cases
  ( anyValueDocuments,
    cases,
    documentCases,
    messagePackCases,
    movedCases,
    nativeCases,
  )
import Tern.Bench.CompileTime (compileTimes, renderCosts, renderCostsPage)
import Tern.Bench.Documents.Found (documentFolders)
import Tern.Bench.Evolution (evolutions)
import Tern.Bench.Memory
  ( Library,
    holding,
    libraryName,
    memories,
    renderMemories,
    renderMemoriesPage,
  )
import Tern.Bench.Page (page, pageAt, series, thisNursery, version)
import Tern.Bench.Peers (besidePeers, renderPeers, renderPeersPage)
import Tern.Bench.Progress (inTurn)
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
    streamed :: Maybe Int,
    memory :: Bool,
    held :: Maybe (Library, FilePath)
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
                <*> memorySwitch
                <*> heldOption
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

    memorySwitch =
      switch
        ( long "memory"
            <> help
              "measure what a process has in memory at most that reads a document and keeps it \
              \instead; with --peers by serde_json as well"
        )
    -- This program starts itself with it.
    heldOption =
      optional
        (option (eitherReader libraryAndPath) (long "hold" <> metavar "LIBRARY=FILE" <> internal))
    libraryAndPath text =
      case [ (one, T.unpack path)
             | one <- [minBound ..],
               Just path <- [T.stripPrefix (libraryName one <> "=") (T.pack text)]
           ] of
        chosen : _ -> Right chosen
        [] -> Left "expected tern=FILE or aeson=FILE"

main :: IO ()
main = do
  Asked {..} <- execParser asked
  case (held, streamed) of
    (Just (library, path), _) -> holding library path
    (Nothing, Just megabytes) -> streams megabytes
    (Nothing, Nothing)
      | memory -> remembered peers keep
      | otherwise -> compared Asked {..}

-- | What documents take in memory; of that folder's programs where one is named.
remembered :: Maybe FilePath -> Bool -> IO ()
remembered programs keep = do
  machine <- thisMachine
  folders <- documentFolders
  documents <- mapM (findFile folders) anyValueDocuments
  found <- memories programs (catMaybes documents)
  T.putStr (renderMemories found)
  when keep $ do
    versions <- peersVersions
    page (T.concat ["memory ", version machine]) (renderMemoriesPage machine versions found)

-- | The libraries in Rust, as @./dev@ found them.
peersVersions :: IO Text
peersVersions = maybe "versions that are not known" T.pack <$> lookupEnv "TERN_PEERS"

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
      folders <- documentFolders
      documents <- documentCases folders
      when (null documents) $
        hPutStrLn stderr "tern-bench: the documents of the external suites are not here; left out"
      let all' = cases <> nativeCases <> messagePackCases <> evolutions <> movedCases <> documents
          chosen = [c | c <- all', null wanted || any (`T.isInfixOf` caseName c) wanted]
      when (null chosen) $ die "tern-bench: no case has such a name; --help says how to choose"
      case peers of
        Just programs -> beside machine folders programs chosen
        Nothing -> suite machine (map caseName all') chosen
  where
    beside machine folders programs chosen = do
      documents <-
        mapM
          (findFile folders)
          [file | file <- anyValueDocuments, any ((T.pack file `T.isInfixOf`) . caseName) chosen]
      found <- besidePeers roundsAsked programs (catMaybes documents) chosen
      T.putStr (renderPeers found)
      when keep $ do
        versions <- peersVersions
        page (T.concat ["peers ", version machine]) $
          renderPeersPage machine roundsAsked versions found
    suite machine names chosen = do
      results <- inTurn caseName chosen $ \one ->
        measure defaultSettings {rounds = roundsAsked} (const (pure ())) one
      let found = Results {format = formatVersion, ..}
      T.putStr (renderTerminal found)
      when keep $ do
        nursery <- thisNursery
        let figures = series machine nursery
            file = "docs/measured/codecs-" <> T.unpack (T.replace " " "" figures) <> ".json"
        whole <- if null wanted then pure found else amidst names file found
        writeWhole file (L.fromStrict (encodeJson whole <> "\n"))
        page (T.concat ["codecs ", figures]) (renderPage nursery whole)
        when (figures == version machine) . forM_ (renderMoved whole) $
          pageAt "README.md" (T.concat ["moved ", version machine])

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
