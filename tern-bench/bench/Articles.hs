{-# LANGUAGE OverloadedRecordDot #-}
{-# LANGUAGE OverloadedStrings #-}

-- | The tables of articles 002 and 004 in full, today's figures beside the published ones.
--
-- > articles [--largest BYTES] [--rounds N] [--memory MB] [--keep] [--in FILE [--seconds N]]
--
-- Each codec's payloads of each length are measured in a process of their own, whose heap is
-- bounded: one that needs more says so in its row, and the others go on. All of it takes long
-- and can be done in parts ("Tern.Bench.Article.Kept").
module Main (main) where

import Control.Monad (forM, when)
import Data.ByteString.Char8 qualified as BC
import Data.List (find)
import Data.Maybe (isJust, isNothing)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import Options.Applicative hiding (columns)
import System.Environment (getExecutablePath)
import System.Exit (ExitCode (..), die)
import System.IO (hPutStrLn, stderr)
import System.Process (readProcessWithExitCode)
import Tern qualified
import Tern.Bench.Article.Four (Asked (..), asked)
import Tern.Bench.Article.Kept (inFile, nowhere, part)
import Tern.Bench.Article.Two (Row (..), Sent (..), contents, onWire, published, record, wireCodecs)
import Tern.Bench.Case (Case (..), Result (..), measure)
import Tern.Bench.Case qualified as Case
import Tern.Bench.Page (page, version)
import Tern.Bench.Question (questions)
import Tern.Lab.Machine (thisMachine)
import Tern.Lab.Measure (Settings (..), defaultSettings)
import Tern.Lab.Result (Machine (..))
import Tern.Lab.Stats (Spread (median))
import Tern.Lab.Table (Align (..), bytes, columns, duration, grouped, markdown, ratio)

data Wanted = Wanted
  { largest :: Int,
    roundsWanted :: Int,
    -- | For a process, in megabytes.
    memory :: Int,
    keep :: Bool,
    -- | Where what was measured is kept, and for how long more of it is measured.
    keptIn :: Maybe FilePath,
    seconds :: Maybe Double,
    -- | As a process of its own: the length, the content and the codec.
    only :: Maybe (Int, Int, Int)
  }

main :: IO ()
main = do
  wanted <-
    execParser
      ( info
          (helper <*> options)
          ( progDesc
              "The articles' tables, today's figures beside the published ones"
          )
      )
  let patience = defaultSettings {rounds = wanted.roundsWanted}
  case wanted.only of
    Just (size, content, codec) ->
      onWire (patient size patience) size content codec
        >>= maybe (die "articles: no such content or codec") (BC.putStrLn . Tern.encodeJson)
    Nothing -> everything wanted patience
  where
    options =
      Wanted
        <$> option
          auto
          ( long "largest"
              <> metavar "BYTES"
              <> value 100000000
              <> showDefault
              <> help "the longest payload, as JSON"
          )
        <*> option
          auto
          ( long "rounds"
              <> metavar "N"
              <> value 20
              <> showDefault
              <> help "how often everything is timed; payloads of a megabyte and more less often"
          )
        <*> option
          auto
          ( long "memory"
              <> metavar "MB"
              <> value 6000
              <> showDefault
              <> help "the most heap for one codec's payloads"
          )
        <*> switch (long "keep" <> help "put the tables into docs/performance.md")
        <*> optional
          ( strOption
              ( long "in"
                  <> metavar "FILE"
                  <> help "keep each figure in FILE when it is there, and go on with those of FILE"
              )
          )
        <*> optional
          ( option
              auto
              ( long "seconds"
                  <> metavar "N"
                  <> help
                    "begin nothing after this time, and end with 3 where something is left \
                    \(needs --in)"
              )
          )
        <*> optional (option auto (long "only" <> internal))
    -- What takes seconds is timed three times.
    patient size settings
      | size >= 10000000 = settings {rounds = min 3 settings.rounds}
      | size >= 1000000 = settings {rounds = min 6 settings.rounds}
      | otherwise = settings

everything :: Wanted -> Settings -> IO ()
everything wanted patience = do
  machine <- thisMachine
  when (isJust wanted.seconds && isNothing wanted.keptIn) $
    die "articles: --seconds needs --in FILE"
  kept <- maybe (pure nowhere) (\path -> inFile machine path wanted.seconds) wanted.keptIn
  there <- part kept "record" (say "article 002: its record, there and back" >> record patience)
  let asked' =
        [ (size, content, codec)
          | size <- lengths,
            size <= wanted.largest,
            content <- zip [0 ..] contents,
            codec <- zip [0 ..] wireCodecs
        ]
  sent <- forM (zip [1 :: Int ..] asked') $ \(i, (size, content, codec)) ->
    part kept (T.intercalate ", " [T.pack (show size), snd content, snd codec]) $ do
      say . T.concat $
        [ "article 002: ",
          grouped i,
          " of ",
          grouped (length asked'),
          ": ",
          grouped size,
          " bytes, ",
          snd content,
          ", ",
          snd codec
        ]
      apart wanted size content codec
  found <- forM questions $ \one -> part kept (caseName one) $ do
    say (T.concat ["article 004: ", caseName one])
    measure patience (const (pure ())) one
  let tables = [thereTable there, wireTable sent, askedTable found]
  mapM_ (\(aligns, rows) -> T.putStr (T.unlines (columns aligns rows <> [""]))) tables
  when wanted.keep $
    page (T.concat ["articles ", version machine]) . T.unlines $
      concat [markdown aligns rows <> [""] | (aligns, rows) <- tables]
        <> [ T.concat
               [ "Median CPU time of one operation in interleaved rounds. Measured with ",
                 T.intercalate ", " [machine.compiler, machine.system, machine.processor],
                 "."
               ]
           ]
  where
    say = hPutStrLn stderr . T.unpack . ("articles: " <>)

-- | In a process of its own. Why there are no figures, where there are none.
apart :: Wanted -> Int -> (Int, Text) -> (Int, Text) -> IO (Either (Text, Text, Text) Sent)
apart wanted size (content, contentName) (codec, name) = do
  self <- getExecutablePath
  (code, out, err) <-
    readProcessWithExitCode
      self
      [ "--only",
        show (size, content, codec),
        "--rounds",
        show wanted.roundsWanted,
        "+RTS",
        "-M" <> show wanted.memory <> "m",
        "-RTS"
      ]
      ""
  case (code, Tern.decodeJson (BC.pack out)) of
    (ExitSuccess, Right sent) -> pure (Right sent)
    -- What the runtime ends with where the heap is full.
    (ExitFailure 251, _) ->
      pure (Left (contentName, name, T.concat ["needs more than ", grouped wanted.memory, " MB"]))
    _ -> die (concat ["articles: ", T.unpack name, ": ", err])

-- | Of payloads, as JSON.
lengths :: [Int]
lengths = [10, 1000, 100000, 1000000, 10000000, 100000000]

thereTable :: [Row] -> ([Align], [[Text]])
thereTable now =
  ( [ToLeft, ToRight, ToRight, ToRight],
    ["article 002: the record, there and back", "time", "allocated", "payload"]
      : map line (published <> now)
  )
  where
    line row = [row.who, duration row.time, bytes (round row.allocated), bytes row.payload]

wireTable :: [Either (Text, Text, Text) Sent] -> ([Align], [[Text]])
wireTable sent =
  ( [ToLeft, ToRight, ToLeft] <> replicate 8 ToRight,
    [ "article 002: what",
      "elements",
      "codec",
      "encode",
      "decode",
      "raw",
      "gzip",
      "takes",
      "zstd",
      "takes",
      "held"
    ]
      : map (either without line) sent
  )
  where
    without (content, name, why) = [content, "", name, why] <> replicate 7 ""
    line one =
      [ one.content,
        grouped one.elements,
        one.codec,
        duration one.encoding,
        duration one.decoding,
        bytes one.raw,
        bytes one.gzipped,
        duration one.gzipping,
        bytes one.zstandard,
        duration one.zstandarding,
        T.pack (show (one.held `div` 1000000)) <> " MB"
      ]

askedTable :: [Result] -> ([Align], [[Text]])
askedTable found =
  ( [ToLeft, ToLeft, ToRight, ToRight, ToLeft, ToRight, ToRight],
    ["article 004", "reader", "published", "times the first", "today", "", "times the first"]
      : map line asked
  )
  where
    line one =
      [ one.group,
        one.reader,
        duration one.mean,
        maybe "" (\first -> ratio one.mean first.mean) (firstOf one),
        snd one.today,
        maybe "" duration (timeOf one),
        maybe "" (uncurry ratio) ((,) <$> timeOf one <*> (firstOf one >>= timeOf))
      ]
    firstOf one = find ((== one.group) . (.group)) asked
    timeOf one = do
      let (name, who) = one.today
      result <- find ((== name) . Case.name) found
      row <- find ((== who) . Case.contender) result.rows
      pure (median (Case.time row))
