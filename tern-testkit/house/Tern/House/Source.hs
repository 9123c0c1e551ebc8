-- | The modules of a checkout and what they import, read from the sources.
--
-- The idea: only the heads of files are looked at, with nothing run: a module's
-- name and the names after @import@. Imports of other people's modules are
-- dropped. Start at 'readCheckout'.
module Tern.House.Source
  ( Module (..),
    readCheckout,
    readOwn,
    readOptions,
    parseModule,
    named,
  )
where

import Data.ByteString qualified as B
import Data.List (find, isInfixOf, isPrefixOf, nub, sort, sortOn)
import Data.Maybe (listToMaybe, mapMaybe)
import Data.Set qualified as Set
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Text.Encoding.Error qualified as T
import System.Directory (doesDirectoryExist, doesFileExist, listDirectory)
import System.FilePath (dropExtension, takeExtension, (</>))

-- | One file.
data Module = Module
  { -- | Unique in the checkout: a @Main@ is called by its path.
    moduleName :: String,
    -- | From the checkout's root, with @/@.
    modulePath :: FilePath,
    -- | Those of the checkout, sorted, each once.
    moduleImports :: [String]
  }
  deriving stock (Eq, Show)

-- | All modules below the folders of the packages that @cabal.project@ names,
-- in the order of their paths.
readCheckout :: FilePath -> IO [Module]
readCheckout root = do
  paths <- filesOf ".hs" root
  known . sortOn modulePath <$> mapM (\path -> parseModule path <$> readText (root </> path)) paths

-- | The paths and texts of all modules of a checkout, but for programs that tests take as
-- their input, below @golden@: those are as a stranger wrote them.
readOwn :: FilePath -> IO [(FilePath, String)]
readOwn root = do
  paths <- filter (not . ("/golden/" `isInfixOf`)) . map modulePath <$> readCheckout root
  mapM (\path -> (path,) <$> readText (root </> path)) paths

-- | The files of options that suites hand to the compiler, and their texts.
readOptions :: FilePath -> IO [(FilePath, String)]
readOptions root =
  filesOf ".options" root >>= mapM (\path -> (path,) <$> readText (root </> path))

-- | Those with an ending, below the folders of the packages that @cabal.project@ names.
filesOf :: String -> FilePath -> IO [FilePath]
filesOf ending root = do
  project <- readText (root </> "cabal.project")
  concat <$> mapM (sources ending root) (packages project)

readText :: FilePath -> IO String
readText path = T.unpack . T.decodeUtf8With T.lenientDecode <$> B.readFile path

-- | Imports of modules that are not among these are other people's.
known :: [Module] -> [Module]
known modules = [m {moduleImports = filter (`Set.member` names) (moduleImports m)} | m <- modules]
  where
    names = Set.fromList (map moduleName modules)

packages :: String -> [FilePath]
packages =
  concatMap words
    . takeWhile indented
    . drop 1
    . dropWhile (not . ("packages:" `isPrefixOf`))
    . lines
  where
    indented line = " " `isPrefixOf` line

-- | Files with an ending below a folder; not what builds leave, nor golden files.
sources :: String -> FilePath -> FilePath -> IO [FilePath]
sources ending root folder = do
  names <- sort <$> listDirectory (root </> folder)
  concat
    <$> mapM
      below
      [ name
        | name <-
            names,
          not ("." `isPrefixOf` name),
          not ("dist" `isPrefixOf` name),
          name /= "golden"
      ]
  where
    below name = do
      let path = folder <> "/" <> name
      file <- doesFileExist (root </> path)
      directory <- doesDirectoryExist (root </> path)
      case () of
        _
          | file, takeExtension name == ending -> pure [path]
          | directory -> sources ending root path
          | otherwise -> pure []

-- | A module from its path and its text. Every import counts here.
parseModule :: FilePath -> String -> Module
parseModule path text =
  Module
    { moduleName = named path (listToMaybe (mapMaybe moduleLine source)),
      modulePath = path,
      moduleImports = nub (sort (mapMaybe importLine source))
    }
  where
    source = lines (withoutComments text)
    moduleLine line = case words line of
      "module" : name : _ -> Just (takeWhile (`notElem` "(") name)
      _ -> Nothing
    importLine line = case words line of
      "import" : rest | "import" `isPrefixOf` line -> find (not . keyword) rest
      _ -> Nothing
    keyword word =
      word `elem` ["qualified", "safe", "{-#", "SOURCE", "#-}"] || "\"" `isPrefixOf` word

-- | A module's name: what it says of itself, or its path where that is @Main@.
named :: FilePath -> Maybe String -> String
named path = \case
  Just name | name /= "Main" -> name
  _ -> dropExtension path

-- | The text without comments in braces, which may hold examples, and without
-- those to the end of a line. Pragmas go with them.
withoutComments :: String -> String
withoutComments = go (0 :: Int)
  where
    go depth = \case
      '{' : '-' : rest -> go (depth + 1) rest
      '-' : '}' : rest | depth > 0 -> go (depth - 1) rest
      '\n' : rest -> '\n' : go depth rest
      _ : rest | depth > 0 -> go depth rest
      '-' : '-' : rest -> go depth (dropWhile (/= '\n') rest)
      c : rest -> c : go depth rest
      [] -> []
