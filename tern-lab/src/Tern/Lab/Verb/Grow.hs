{-# LANGUAGE OverloadedRecordDot #-}
{-# LANGUAGE OverloadedStrings #-}

-- | @tern-lab grow@: what hostile documents of growing length cost each codec.
--
-- Start at 'plan', which is pure.
module Tern.Lab.Verb.Grow
  ( verb,
    Options (..),
    plan,
  )
where

import Control.Monad (unless, when)
import Control.Monad.IO.Class (liftIO)
import Control.Monad.Trans.Except (ExceptT, throwE)
import Data.ByteString.Char8 qualified as BC
import Data.IORef (modifyIORef', newIORef, readIORef)
import Data.List (isInfixOf)
import Data.Maybe (fromMaybe, isJust)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import Options.Applicative hiding (columns)
import Tern (encodeJson)
import Tern.Lab.Benchmark (Benchmark)
import Tern.Lab.Benchmark.Run (Found (..), Results (..), formatVersion, growthsOf, measured)
import Tern.Lab.Complaint (Complaint (..))
import Tern.Lab.Growth (renderGrowth)
import Tern.Lab.Hostile (Attack (..), attacksOn, hostile)
import Tern.Lab.Interval (fewestRounds)
import Tern.Lab.Machine (thisMachine)
import Tern.Lab.Measure (Settings (..))
import Tern.Lab.Progress qualified as Progress
import Tern.Lab.Result (Cost (..))
import Tern.Lab.Sample.Catalogue (subjects)
import Tern.Lab.Saved (Saved (OfBenchmarks))
import Tern.Lab.Sheet (cpuTime)
import Tern.Lab.Sheet.Report (Grown (..), outgrows)
import Tern.Lab.Stats (Spread (..))
import Tern.Lab.Subject (Codec (..), Subject (..), codecNames, encoded)
import Tern.Lab.Table (Align (..), columns, duration, grouped, markdown)
import Tern.Lab.Verb (Verb (..))
import Tern.Lab.Verb.Output
  ( Output (..),
    Printed (..),
    bounded,
    outputOptions,
    writable,
    written,
    writtenSoFar,
  )

-- | @tern-lab grow@. With @--check@ it ends with 1 where something grows faster than its bytes.
verb :: Verb
verb =
  Verb
    { verbName = "grow",
      verbSummary =
        "What hostile documents cost each codec, by how the cost grows with their length",
      verbLesson =
        [ "Lists within lists, backslashes, digits, huge exponents, lengths that are not there: \
          \each in four lengths, as a whole document and in the places of one. Time and \
          \allocation may grow with the bytes; what grows faster for certain is said, also \
          \where the document is refused.",
          "  tern-lab grow --record everything --codec tern",
          "  tern-lab grow --attack exponent --check",
          "For a reader of your own: hostile of Tern.Lab.Hostile makes benchmarks for labMain \
          \of it."
        ],
      verbOptions = options,
      verbPlan = plan,
      verbRun = \(output, check, settings, chosen) -> run output check settings chosen
    }

-- | What was given on the command line. The batch is in milliseconds.
data Options = Options
  { records :: [Text],
    codecs :: [Text],
    attack :: Maybe String,
    rounds :: Int,
    batch :: Int,
    check :: Bool,
    output :: Output
  }
  deriving stock (Eq, Show)

options :: Parser Options
options =
  Options
    <$> many
      ( strOption
          ( long "record"
              <> metavar "NAME"
              <> help "attack the codecs of this record (may be repeated; default: everything)"
              <> completeWith (map (T.unpack . subjectName) attacked)
          )
      )
    <*> many
      ( strOption
          (long "codec" <> metavar "NAME" <> help "attack this codec only (may be repeated)")
      )
    <*> optional
      ( strOption
          (long "attack" <> metavar "PART" <> help "only attacks with this in their names")
      )
    <*> option
      (bounded "rounds" 2 1000)
      ( long "rounds"
          <> metavar "N"
          <> value fewestRounds
          <> showDefault
          <> help "how often everything is timed; below 10 bytes alone decide"
      )
    <*> option
      (bounded "milliseconds" 1 60000)
      ( long "batch"
          <> metavar "MS"
          <> value 1
          <> showDefault
          <> help "how long one batch of an operation lasts"
      )
    <*> switch (long "check" <> help "end with 1 where something grows faster than its bytes")
    <*> outputOptions

-- | The subjects that bring a value, of which codecs make a document to attack in.
attacked :: [Subject]
attacked = [one | one@Subject {subjectValue} <- subjects, isJust subjectValue]

-- | All names are looked up here.
plan :: Options -> Either Complaint (Output, Bool, Settings, [Benchmark])
plan Options {..} = do
  mapM_ (known "record" (map subjectName attacked)) records
  mapM_ (known "codec" (concatMap codecNames wanted)) codecs
  let chosen = concatMap ofSubject wanted
  when (null chosen) (usage "no attack has such a name; without --attack all are tried")
  Right
    ( output,
      check,
      Settings {rounds, batch = 1e6 * fromIntegral batch},
      chosen
    )
  where
    usage = Left . UsageComplaint
    wanted =
      [ one
        | one <- attacked,
          subjectName one `elem` (if null records then ["everything"] else records)
      ]
    known what names' name =
      unless (name `elem` names') . usage . T.unpack $
        T.concat ["no ", what, " is called ", name, "; expected one of ", T.intercalate ", " names']
    ofSubject Subject {subjectName, subjectCodecs, subjectValue} =
      [ benchmark
        | Just value' <- [subjectValue],
          codec <- subjectCodecs,
          null codecs || codecName codec `elem` codecs,
          let attacks =
                [ one
                  | one <- attacksOn (codecFormat codec) (encoded codec value'),
                    maybe True (`isInfixOf` attackName one) attack
                ]
              benchmark =
                hostile
                  ( T.unpack
                      (T.concat [subjectName, ", ", codecName codec])
                  )
                  attacks
                  (read' codec),
          not (null attacks)
      ]
    -- As far as a program could need it.
    read' Codec {..} document = case decode document of
      Right model -> settleModel model `seq` Right ()
      Left message -> Left message

run :: Output -> Bool -> Settings -> [Benchmark] -> ExceptT Complaint IO ()
run output check settings chosen = do
  progress <- liftIO Progress.onTerminal
  machine <- liftIO thisMachine
  writable output
  done <- liftIO (newIORef [])
  let results groups = Results {format = formatVersion, machine, groups}
      sofar = results . reverse <$> readIORef done
  liftIO . measured settings (\_ _ -> pure) progress (const True) chosen $ \found -> do
    modifyIORef' done (found :)
    sofar >>= writtenSoFar output title . OfBenchmarks
  found <- liftIO (groups <$> sofar)
  liftIO $ do
    Progress.clear progress
    sofar >>= written output title . OfBenchmarks
    case output.printed of
      ForTerminal -> T.putStr (T.unlines (columns aligns (titles : map line found)))
      ForMarkdown -> T.putStr (T.unlines (markdown aligns (titles : map line found)))
      ForPrograms -> BC.putStrLn (encodeJson (results found))
  let steep = [one | one <- found, faster one]
  unless (output.printed == ForPrograms) . liftIO . T.putStrLn $
    T.concat
      [ "\n",
        grouped (length found),
        " attacks, each in several lengths; ",
        case length steep of
          0 -> "none grows faster than its bytes for certain."
          1 -> "1 grows faster than its bytes."
          n -> T.concat [grouped n, " grow faster than their bytes."],
        if settings.rounds < fewestRounds
          then T.concat [" Of times nothing is said below ", grouped fewestRounds, " rounds."]
          else ""
      ]
  when
    (check && not (null steep))
    ( throwE
        ( DataComplaint
            ( show (length steep)
                <> (if length steep == 1 then " attack grows" else " attacks grow")
                <> " faster than the bytes"
            )
        )
    )
  where
    title = "Hostile documents"
    aligns = [ToLeft, ToLeft, ToRight, ToRight, ToLeft, ToLeft, ToLeft]
    titles = ["codec", "attack", "longest", "time", "time grows", "allocation grows", ""]
    faster = any outgrows . growthsOf
    line found =
      [ T.intercalate "/" (take 1 found.path),
        T.intercalate "/" (drop 1 found.path),
        maybe "-" ((<> " B") . fst) final,
        maybe "-" (duration . (.time.median) . snd) final,
        grown cpuTime found,
        grown "allocated" found,
        if faster found then "faster than the bytes" else ""
      ]
      where
        final = case reverse found.costs of
          it : _ -> Just it
          [] -> Nothing
    grown name found =
      fromMaybe
        "-"
        ( lookup
            name
            [ (one.figureName, renderGrowth one.found)
              | one <- growthsOf found
            ]
        )
