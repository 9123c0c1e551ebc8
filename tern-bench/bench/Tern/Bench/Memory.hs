{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}

-- | What a process has in memory at most that reads a document of any shape and keeps it.
--
-- The idea: a process has one peak in its life, so each library reads each document in a
-- process of its own: this program again, and one in Rust. What a process takes for @null@ is
-- what it takes itself.
--
-- Start at 'memories'.
module Tern.Bench.Memory
  ( Library (..),
    libraryName,
    holding,
    memories,
    Held,
    renderMemories,
    renderMemoriesPage,
  )
where

import Control.DeepSeq (rnf)
import Control.Exception (bracket, evaluate)
import Data.Aeson qualified as Aeson
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.Containers.ListUtils (nubOrd)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Foreign.StablePtr (freeStablePtr, newStablePtr)
import GHC.Generics (Generic)
import System.Environment (getExecutablePath)
import System.Exit (die)
import System.FilePath (takeFileName, (</>))
import System.IO.Temp (withSystemTempDirectory)
import Tern (Wire, decodeJson, encodeJson, renderError)
import Tern.Bench.Documents.Found (lookedAt)
import Tern.Bench.Peers (heard)
import Tern.Bench.Report (place)
import Tern.Bench.Resident (residentPeak)
import Tern.Lab.Result (Machine)
import Tern.Lab.Table (Align (..), columns, markdown, memory)
import Tern.Value (Value)

-- | Whose values are held.
data Library = Tern | Aeson
  deriving stock (Bounded, Enum, Eq, Show)

-- | As commands have it.
libraryName :: Library -> Text
libraryName = \case
  Tern -> "tern"
  Aeson -> "aeson"

-- | What a process says: which document, read by which library, and its peak in bytes.
data Held = Held {what :: Text, by :: Text, bytes :: Int}
  deriving stock (Generic)
  deriving anyclass (Wire)

-- | Reads the document, asks for a name of each object, and says what this process had in
-- memory at most while all of it is alive.
holding :: Library -> FilePath -> IO ()
holding library path = do
  document <- B.readFile path
  peak <- case library of
    Tern -> case decodeJson document of
      Left failure -> die (T.unpack (renderError document failure))
      Right value -> alive (lookedAt (value :: Value)) value
    Aeson -> case Aeson.decodeStrict document of
      Nothing -> die (path <> ": aeson does not read it")
      Just value -> alive (rnf (value :: Aeson.Value)) value
  case peak of
    Nothing -> die "the system does not say what a process had in memory"
    Just bytes ->
      BC.putStrLn $
        encodeJson Held {what = T.pack (takeFileName path), by = libraryName library, ..}
  where
    -- A stable pointer has all of it alive until the peak is known.
    alive whole value =
      bracket (newStablePtr value) freeStablePtr $ \_ -> evaluate whole >> residentPeak "self"

-- | The documents, each held by each library, and by the program in Rust of that folder where
-- one is named; @null@ first.
memories :: Maybe FilePath -> [FilePath] -> IO [Held]
memories programs documents = withSystemTempDirectory "tern-bench" $ \folder -> do
  let nothing = folder </> "null"
  B.writeFile nothing "null"
  self <- getExecutablePath
  concat <$> mapM (heldBy self) (nothing : documents)
  where
    heldBy self path =
      concat
        <$> sequence
          ( [ heard self ["--hold", T.unpack (libraryName one) <> "=" <> path]
              | one <- [minBound ..]
            ]
              <> [heard (folder </> "tern-serde-json") ["--hold", path] | Just folder <- [programs]]
          )

renderMemories :: [Held] -> Text
renderMemories found = T.unlines (columns (aligns rows) rows)
  where
    rows = table found

-- | Markdown, with the machine and the libraries' versions.
renderMemoriesPage :: Machine -> Text -> [Held] -> Text
renderMemoriesPage machine versions found =
  T.unlines
    ( markdown (aligns rows) rows
        <> ["", T.concat ["Resident memory at its most. ", place machine, "; ", versions, "."]]
    )
  where
    rows = table found

-- | A row for each document, a column for each library, in the order in which they are met.
table :: [Held] -> [[Text]]
table found =
  ("document" : libraries)
    : [ document : [maybe "" memory (Map.lookup (document, one) peaks) | one <- libraries]
        | document <- nubOrd (map what found)
      ]
  where
    libraries = nubOrd (map by found)
    peaks = Map.fromList [((what one, by one), bytes one) | one <- found] :: Map (Text, Text) Int

aligns :: [[Text]] -> [Align]
aligns rows = ToLeft : [ToRight | row <- take 1 rows, _ <- drop 1 row]
