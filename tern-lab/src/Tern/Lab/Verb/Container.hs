-- | @tern-lab container@: what other engines ask of a container.
--
-- Start at 'verb'; @splits@ is the one question so far.
module Tern.Lab.Verb.Container
  ( verb,
  )
where

import Control.Monad.IO.Class (liftIO)
import Control.Monad.Trans.Except (ExceptT, throwE)
import Data.Foldable (for_)
import Data.List (intercalate)
import Data.Text qualified as T
import Options.Applicative
import Tern.Lab.Complaint (Complaint (..))
import Tern.Lab.Container (Places (..), Split (..), placesIn, splits)
import Tern.Lab.Verb (Verb (..))
import Text.Read (readMaybe)

-- | @tern-lab container@. It ends with 1, after the parts were printed, where the container is
-- damaged.
verb :: Verb
verb =
  Verb
    { verbName = "container",
      verbSummary = "Say where a container can be split",
      verbLesson =
        [ "For engines that give out work by offsets. A part of a file has the blocks that \
          \begin in it, and every reader of the format takes two offsets; these are such as \
          \blocks begin at, and with each stands how many elements it has:",
          "  tern-lab container splits sightings.tern --bytes 1048576",
          "Each line is a part: its first byte, the one after its last, the number of its first \
          \element, and how many elements and blocks it has. Parts follow each other and are \
          \the whole file. All bytes are checked; where something is wrong the parts are \
          \printed, and then the exit code is 1."
        ],
      verbOptions = options,
      verbPlan = Right,
      verbRun = \(Splits form least path) -> splitsOf form least path
    }

data Ask = Splits !Form !Int !FilePath

data Form
  = Columns
  | Json

options :: Parser Ask
options =
  hsubparser $
    command
      "splits"
      ( info
          (Splits <$> form <*> bytes <*> file)
          (progDesc "Where a container can be split")
      )
      <> metavar "splits"
  where
    form = flag Columns Json (long "json" <> help "each part as a line of JSON")
    bytes =
      option
        (eitherReader positive)
        ( long "bytes"
            <> metavar "N"
            <> value 67108864
            <> help "bytes that a part has at least (default: 64 MiB)"
        )
    file = argument str (metavar "FILE" <> help "a container" <> action "file")
    positive text = case readMaybe text of
      Just n | n > 0 -> Right n
      _ -> Left ("'" <> text <> "' is no number of bytes; expected one from 1 on")

splitsOf :: Form -> Int -> FilePath -> ExceptT Complaint IO ()
splitsOf form least path = do
  places <- placesIn path
  liftIO (for_ (splits least (placesSize places) (placesFound places)) (putStrLn . shown form))
  for_ (placesWrong places) $ \wrong -> throwE (DataComplaint (path <> ": " <> T.unpack wrong))

shown :: Form -> Split -> String
shown form Split {..} = case form of
  Columns -> unwords (map (show . snd) parts)
  Json -> "{" <> intercalate "," [show name <> ":" <> show n | (name, n) <- parts] <> "}"
  where
    parts =
      [ ("from", splitFrom),
        ("to", splitTo),
        ("first", splitFirst),
        ("elements", splitElements),
        ("blocks", splitBlocks)
      ]
