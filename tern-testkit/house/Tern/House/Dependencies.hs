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
  )
where

import Data.ByteString qualified as B
import Data.Char (isAlphaNum, isSpace, toLower)
import Data.List (isPrefixOf, sort, stripPrefix)
import Data.Set (Set)
import Data.Set qualified as Set
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import System.Directory (doesDirectoryExist, doesFileExist, listDirectory)
import System.FilePath.Posix (takeFileName, (</>))

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
  folders <- sort <$> listDirectory root
  examples <- sort <$> listed' (root </> "examples")
  files <- concat <$> mapM cabalFile (folders <> map ("examples" </>) examples)
  depended <- Set.filter (foreign' examples) . Set.unions <$> mapM (fmap dependsOf . text) files
  (decided, withGhc) <- tablesOf <$> text (root </> "docs/decisions/006-dependencies.md")
  installed <- librariesOf <$> text (root </> "toolchain/debian-packages")
  pure Dependencies {..}
  where
    cabalFile folder = do
      let path = root </> folder </> (takeFileName folder <> ".cabal")
      there <- doesFileExist path
      pure [path | there]
    text path = T.unpack . T.decodeUtf8Lenient <$> B.readFile path
    listed' folder = doesDirectoryExist folder >>= \there -> if there then listDirectory folder else pure []
    foreign' examples name = name /= "tern" && not ("tern-" `isPrefixOf` name) && name `notElem` examples

-- | The names in a cabal file's lists of dependencies, those of the file itself
-- (as @tern:prim@) included.
dependsOf :: String -> Set String
dependsOf = Set.fromList . filter (not . null) . listed . map (dropWhile isSpace) . lines
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
    under title = Set.fromList (concatMap names (takeWhile isRow (drop 2 (dropWhile (not . isTitle title) rows))))
    rows = map T.pack (lines page)
    isRow = T.isPrefixOf (T.pack "|")
    isTitle title row = isRow row && first row == T.pack title
    first = T.strip . T.takeWhile (/= '|') . T.drop 1
    names = map T.unpack . filter (not . T.null) . map T.strip . T.split (`elem` ",;") . first

-- | The Haskell libraries in the toolchain's list, without what the distribution
-- puts around their names.
librariesOf :: String -> Set String
librariesOf list = Set.fromList [T.unpack name | line <- T.lines (T.pack list), Just name <- [between (T.strip line)]]
  where
    between line = T.stripPrefix (T.pack "libghc-") line >>= T.stripSuffix (T.pack "-dev")

-- | One line for each name that is in one place and not in another.
disagreements :: Dependencies -> [String]
disagreements Dependencies {..} =
  concat
    [ complain "a cabal file depends on" "decision 006 does not name it; add a row" (depended `Set.difference` (decided <> withGhc)),
      complain "decision 006 names" "no cabal file depends on it; take it out" ((decided <> withGhc) `Set.difference` depended),
      complain "decision 006 names" "toolchain/debian-packages has no libghc package of it; add the line" (Set.filter ((`Set.notMember` installed) . distribution) decided),
      complain "toolchain/debian-packages has" "decision 006 does not name it; take the line out, or add a row" (installed `Set.difference` Set.map distribution decided)
    ]
  where
    complain has lacks names = [has <> " " <> name <> ", but " <> lacks | name <- Set.toList names]

-- | What the distribution calls a package.
distribution :: String -> String
distribution = \case
  "QuickCheck" -> "quickcheck2"
  name -> map toLower name
