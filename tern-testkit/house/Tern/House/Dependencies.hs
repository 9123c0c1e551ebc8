-- | What the packages depend on, said in three places that must agree: the cabal
-- files, the tables of decision 006 and the toolchain's list of packages.
--
-- The idea: each is a set of names, and a complaint is a name that one set has
-- and another lacks. Start at 'readDependencies'.
module Tern.House.Dependencies
  ( Dependencies (..),
    readDependencies,
    dependsOf,
    tablesOf,
    librariesOf,
    disagreements,

    -- * Bounds
    readUnbounded,
    unboundedIn,
  )
where

import Control.Monad (filterM)
import Data.ByteString qualified as B
import Data.Char (isAlphaNum, isSpace, toLower)
import Data.List (isPrefixOf, sort, stripPrefix)
import Data.Set (Set)
import Data.Set qualified as Set
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import System.Directory (doesDirectoryExist, doesFileExist, listDirectory)
import System.FilePath.Posix ((</>))

-- | Names of packages, as a package index has them.
data Dependencies = Dependencies
  { -- | In a @build-depends@ of some cabal file, this project's own left out.
    depended :: Set String,
    -- | In decision 006, from other people.
    decided :: Set String,
    -- | In decision 006, from GHC itself.
    withGhc :: Set String,
    -- | In @toolchain\/debian-packages@, as the distribution calls them.
    installed :: Set String
  }
  deriving stock (Eq, Show)

-- | From the root of a checkout.
readDependencies :: FilePath -> IO Dependencies
readDependencies root = do
  examples <- examplesOf root
  files <- (<>) <$> cabalFiles root <*> cabalFilesOf (root </> "examples") examples
  depended <- Set.filter (foreign' examples) . Set.unions <$> mapM (fmap dependsOf . text) files
  (decided, withGhc) <- tablesOf <$> text (root </> "docs/decisions/006-dependencies.md")
  installed <- librariesOf <$> text (root </> "toolchain/debian-packages")
  pure Dependencies {..}
  where
    foreign' examples name =
      name /= "tern" && not ("tern-" `isPrefixOf` name) && name `notElem` examples

-- | The packages' descriptions.
cabalFiles :: FilePath -> IO [FilePath]
cabalFiles root = listDirectory root >>= cabalFilesOf root . sort

-- | The descriptions in some of a folder's folders, where they are called as these.
cabalFilesOf :: FilePath -> [FilePath] -> IO [FilePath]
cabalFilesOf above names =
  filterM doesFileExist [above </> name </> (name <> ".cabal") | name <- names]

-- | The names of the example programs.
examplesOf :: FilePath -> IO [FilePath]
examplesOf root = do
  there <- doesDirectoryExist (root </> "examples")
  if there then sort <$> listDirectory (root </> "examples") else pure []

text :: FilePath -> IO String
text path = T.unpack . T.decodeUtf8Lenient <$> B.readFile path

-- | The names in a cabal file's lists of dependencies, those of the file itself
-- (as @tern:prim@) included.
dependsOf :: String -> Set String
dependsOf = Set.fromList . filter (not . null) . listed . map (dropWhile isSpace) . uncommented
  where
    listed [] = []
    listed (line : rest) = case stripPrefix "build-depends:" line of
      Nothing -> listed rest
      Just here ->
        let (more, others) = span ("," `isPrefixOf`) rest
         in concatMap (map name . items) (here : more) <> listed others
    items line = T.unpack . T.strip <$> T.splitOn (T.pack ",") (T.pack line)
    name = takeWhile (\c -> isAlphaNum c || c == '-')

-- | The names in the first columns of a page's tables: of the one whose first
-- column is called @package@, and of the one where it is called @with GHC@.
tablesOf :: String -> (Set String, Set String)
tablesOf page = (under "package", under "with GHC")
  where
    under title =
      Set.fromList
        ( concatMap
            names
            ( takeWhile
                isRow
                (drop 2 (dropWhile (not . isTitle title) rows))
            )
        )
    rows = map T.pack (lines page)
    isRow = T.isPrefixOf (T.pack "|")
    isTitle title row = isRow row && first row == T.pack title
    first = T.strip . T.takeWhile (/= '|') . T.drop 1
    names = map T.unpack . filter (not . T.null) . map T.strip . T.split (`elem` ",;") . first

-- | The Haskell libraries in the toolchain's list, without what the distribution
-- puts around their names.
librariesOf :: String -> Set String
librariesOf list =
  Set.fromList
    [ T.unpack name
      | line <-
          T.lines (T.pack list),
        package : _ <- [T.words line],
        Just name <- [between package]
    ]
  where
    between line = T.stripPrefix (T.pack "libghc-") line >>= T.stripSuffix (T.pack "-dev")

-- | One line for each name that is in one place and not in another.
disagreements :: Dependencies -> [String]
disagreements Dependencies {..} =
  concat
    [ complain
        "a cabal file depends on"
        "decision 006 does not name it; add a row"
        (depended `Set.difference` (decided <> withGhc)),
      complain
        "decision 006 names"
        "no cabal file depends on it; take it out"
        ((decided <> withGhc) `Set.difference` depended),
      complain
        "decision 006 names"
        "toolchain/debian-packages has no libghc package of it; add the line"
        ( Set.filter
            ((`Set.notMember` installed) . distribution)
            decided
        ),
      complain
        "toolchain/debian-packages has"
        "decision 006 does not name it; take the line out, or add a row"
        ( installed
            `Set.difference` Set.map distribution decided
        )
    ]
  where
    complain has lacks names = [has <> " " <> name <> ", but " <> lacks | name <- Set.toList names]

-- | What the distribution calls a package.
distribution :: String -> String
distribution = \case
  "QuickCheck" -> "quickcheck2"
  name -> map toLower name

-- * Bounds

-- | What 'unboundedIn' has to say of all packages, from the root of a checkout.
readUnbounded :: FilePath -> IO [String]
readUnbounded root = cabalFiles root >>= fmap concat . mapM (fmap unboundedIn . text)

-- | One line for each dependency of a package's libraries and programs that has no lower or
-- no upper bound. Parts of the package itself need none, nor do tests, which run here.
unboundedIn :: String -> [String]
unboundedIn description =
  [ concat [package, ", ", section, ": ", name, " has no ", missing, " bound"]
    | (section, item) <- published description,
      let (name, bounds) = break (== ' ') item,
      takeWhile (/= ':') name /= package,
      (missing, sign) <- [("lower", '>'), ("upper", '<')],
      sign `notElem` bounds,
      '=' `notElem` take 1 (dropWhile isSpace bounds)
  ]
  where
    package =
      concat [dropWhile isSpace rest | Just rest <- map (stripPrefix "name:") (lines description)]

-- | Lines without those that are comments: a list goes on after one.
uncommented :: String -> [String]
uncommented = filter (not . isPrefixOf "--" . dropWhile isSpace) . lines

-- | The items of the lists of dependencies, one a line, that belong to what is published,
-- and the first line of the part that each belongs to.
published :: String -> [(String, String)]
published = go "" . uncommented
  where
    go _ [] = []
    go section (line : rest)
      | not (null line), not (isSpace (head' line)) = go line rest
      | Just "" <- dropWhile isSpace <$> stripPrefix "build-depends:" (dropWhile isSpace line),
        any (`isPrefixOf` section) ["library", "executable"] =
          let (items, others) = span ((", " `isPrefixOf`) . dropWhile isSpace) rest
           in [(section, drop 2 (dropWhile isSpace item)) | item <- items] <> go section others
      | otherwise = go section rest
    head' = foldr const ' '
