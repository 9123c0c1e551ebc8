{-# LANGUAGE OverloadedRecordDot #-}
{-# LANGUAGE OverloadedStrings #-}

-- | The tables of articles 002 and 004 in full, today's figures beside the published ones.
--
-- > articles [--largest BYTES] [--rounds N] [--keep]
--
-- As it stands, up to 100 MB, it needs 10 GB of memory and takes about a quarter of an hour.
module Main (main) where

import Control.Monad (forM, when)
import Data.List (find)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import Options.Applicative hiding (columns)
import System.IO (hPutStrLn, stderr)
import Tern.Bench.Article.Four
import Tern.Bench.Article.Two
import Tern.Bench.Case (Case (..), Result (..), measure)
import Tern.Bench.Case qualified as Case
import Tern.Bench.Page
import Tern.Bench.Question (questions)
import Tern.Lab.Machine (thisMachine)
import Tern.Lab.Measure (Settings (..), defaultSettings)
import Tern.Lab.Result (Machine (..))
import Tern.Lab.Stats (Spread (median))
import Tern.Lab.Table

data Wanted = Wanted
  { largest :: Int,
    roundsWanted :: Int,
    keep :: Bool
  }

main :: IO ()
main = do
  wanted <- execParser (info (helper <*> options) (progDesc "The articles' tables, today's figures beside the published ones"))
  machine <- thisMachine
  let patience = defaultSettings {rounds = wanted.roundsWanted}
  say "article 002: its record, there and back"
  there <- record patience
  sent <- forM [size | size <- lengths, size <= wanted.largest] $ \size -> do
    say (T.concat ["article 002: ", grouped size, " bytes"])
    onWire (patient size patience) size
  found <- forM questions $ \one -> do
    say (T.concat ["article 004: ", caseName one])
    measure patience (const (pure ())) one
  let tables = [thereTable there, wireTable (concat sent), askedTable found]
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
    options =
      Wanted
        <$> option
          auto
          (long "largest" <> metavar "BYTES" <> value 100000000 <> showDefault <> help "the longest payload, as JSON")
        <*> option
          auto
          (long "rounds" <> metavar "N" <> value 20 <> showDefault <> help "how often everything is timed; payloads of a megabyte and more less often")
        <*> switch (long "keep" <> help "put the tables into docs/performance.md")
    -- What takes seconds is timed three times.
    patient size settings
      | size >= 10000000 = settings {rounds = min 3 settings.rounds}
      | size >= 1000000 = settings {rounds = min 6 settings.rounds}
      | otherwise = settings

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

wireTable :: [Sent] -> ([Align], [[Text]])
wireTable sent =
  ( [ToLeft, ToRight, ToLeft] <> replicate 7 ToRight,
    ["article 002: what", "elements", "codec", "encode", "decode", "raw", "gzip", "takes", "zstd", "takes"]
      : map line sent
  )
  where
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
        duration one.zstandarding
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
