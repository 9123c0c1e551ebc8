{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DuplicateRecordFields #-}
{-# LANGUAGE MultiWayIf #-}
{-# LANGUAGE OverloadedRecordDot #-}
{-# LANGUAGE OverloadedStrings #-}

-- | Results in files: of codecs, of benchmarks, of programs.
--
-- The idea: a file says what it is of by its @format@, and all of them are sheets to
-- whoever reads them. A file is laid out in lines, one for the figures of an entry, so that
-- it can lie in a repository; a result is kept by its name below a folder of its own.
--
-- Start at 'Saved'.
module Tern.Lab.Saved
  ( -- * Files
    placeOf,
    makeRoom,
    keep,
    readSaved,
    laidOut,

    -- * What they hold
    Saved (..),
    Programs (..),
    programsVersion,
    encodePrograms,
    sheetsOf,
    machineOf,
  )
where

import Control.Monad (when)
import Data.Bifunctor (first)
import Data.ByteString (ByteString)
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy qualified as L
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Generics (Generic)
import System.Directory (createDirectoryIfMissing)
import System.FilePath (takeDirectory, (<.>), (</>))
import Tern (Wire, decodeJson, encodeJson, renderError)
import Tern.File (writeWhole)
import Tern.Json.Pretty (Layout (..), defaultLayout, pretty)
import Tern.Lab.Benchmark.Run qualified as Benchmark
import Tern.Lab.Programs.Plan (Plan)
import Tern.Lab.Result (Machine, Results)
import Tern.Lab.Result qualified as Result
import Tern.Lab.Sheet (Sheet, ofComparison)

-- * Files

-- | A name stands for a file below @tern-lab-saved@; what has a slash or a dot in it is a
-- path.
--
-- >>> map placeOf ["before", "./before", "out.json"]
-- ["tern-lab-saved/before.json","./before","out.json"]
placeOf :: FilePath -> FilePath
placeOf name
  | any (`elem` ("/." :: String)) name = name
  | otherwise = "tern-lab-saved" </> name <.> "json"

-- | The folder of names is made.
makeRoom :: FilePath -> IO ()
makeRoom name =
  when (placeOf name /= name) (createDirectoryIfMissing True (takeDirectory (placeOf name)))

-- | Whole or not at all.
keep :: FilePath -> ByteString -> IO ()
keep name bytes = do
  makeRoom name
  writeWhole (placeOf name) (L.fromStrict (bytes <> "\n"))

-- | In lines for people and for tools that compare lines: numbers of one list stand in one.
laidOut :: Saved -> ByteString
laidOut it =
  either
    (const bytes)
    ( BC.intercalate "\n"
        . joined
        . BC.lines
        . pretty defaultLayout {width = 100}
    )
    (decodeJson bytes)
  where
    bytes = case it of
      OfCodecs results -> encodeJson results
      OfBenchmarks results -> encodeJson results
      OfPrograms results -> encodeJson results
    joined = \case
      opening : rest
        | BC.isSuffixOf "[" opening,
          (numbers@(_ : _), closing : more) <- span isNumber rest ->
            BC.concat [opening, BC.unwords (map BC.strip numbers), BC.strip closing] : joined more
        | otherwise -> opening : joined rest
      [] -> []
    isNumber = BC.all (`elem` ("0123456789+-.eE, " :: String))

-- | By what the file says that it is.
readSaved :: ByteString -> Either Text Saved
readSaved bytes = do
  Head {format} <- reading
  if
    | format == Result.formatVersion -> OfCodecs <$> reading
    | format == Benchmark.formatVersion -> OfBenchmarks <$> reading
    | format == programsVersion -> OfPrograms <$> reading
    | otherwise ->
        Left (T.concat ["not a result of this program: its format is ", T.take 60 format])
  where
    reading :: (Wire a) => Either Text a
    reading = first (renderError bytes) (decodeJson bytes)

newtype Head = Head {format :: Text}
  deriving stock (Generic)
  deriving anyclass (Wire)

-- * What they hold

-- | Results of one of the three kinds that files hold.
data Saved
  = OfCodecs !Results
  | OfBenchmarks !Benchmark.Results
  | OfPrograms !Programs
  deriving stock (Eq, Show)

-- | Of programs, with what is needed to measure them again.
data Programs = Programs
  { format :: !Text,
    machine :: !Machine,
    plan :: !Plan,
    sheets :: ![Sheet]
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | What @format@ says.
programsVersion :: Text
programsVersion = "tern-lab programs 1"

-- | As JSON, in one line without its end.
encodePrograms :: Programs -> ByteString
encodePrograms = encodeJson

-- | The same as sheets. A comparison of codecs has two, one for each direction.
sheetsOf :: Saved -> [Sheet]
sheetsOf = \case
  OfCodecs results -> concatMap ofComparison results.comparisons
  OfBenchmarks results -> concatMap Benchmark.sheetsOf results.groups
  OfPrograms results -> results.sheets

-- | Where the figures were taken.
machineOf :: Saved -> Machine
machineOf = \case
  OfCodecs results -> results.machine
  OfBenchmarks results -> results.machine
  OfPrograms results -> results.machine
