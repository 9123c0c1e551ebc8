-- | Tests that packages' pages show for what they say, and those that there are not.
--
-- The idea: a page links to a test's source and names tests of it in quotes after the
-- link, up to the next link or the end of the paragraph; each row of a table is one. A
-- name is a test's if it stands in that source as a string of its own.
--
-- Start at 'readShown'.
module Tern.House.Shown
  ( Shown (..),
    readShown,
    shownIn,
    unshown,
    renderUnshown,
  )
where

import Data.ByteString qualified as B
import Data.List (intercalate, isInfixOf, isPrefixOf, isSuffixOf)
import Data.Set qualified as Set
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import System.Directory (doesFileExist)
import System.FilePath.Posix (takeDirectory, (</>))
import Tern.House.Links (packagePages)
import Tern.House.Proofs (literalsOf)

-- | What a line of a page shows of a test's source.
data Shown = Shown
  { shownPage :: FilePath,
    -- | From 1 on.
    shownLine :: Int,
    -- | As the page links to it.
    shownSource :: FilePath,
    shownNames :: [String]
  }
  deriving stock (Eq, Show)

-- | What the pages of all packages show.
readShown :: FilePath -> IO [Shown]
readShown root = concat <$> (mapM page =<< packagePages root)
  where
    page path = shownIn path . T.unpack . T.decodeUtf8Lenient <$> B.readFile (root </> path)

-- | What one page shows.
shownIn :: FilePath -> String -> [Shown]
shownIn path text = concat [go begin n | (begin, n) <- paragraphs (zip (lines text) [1 ..])]
  where
    go paragraph n = case paragraph of
      ']' : '(' : rest
        | (target, ')' : more) <- break (`elem` ")\n") rest ->
            let (mine, others) = upToLink more
             in [Shown path n target (quoted (unbroken mine)) | isTest target]
                  <> go others (n + newlines mine)
      '\n' : rest -> go rest (n + 1)
      _ : rest -> go rest n
      [] -> []
    newlines = length . filter (== '\n')
    -- A name may go on in the next line.
    unbroken = map (\c -> if c == '\n' then ' ' else c)
    isTest target =
      ".hs" `isSuffixOf` target && "test" `isInfixOf` target && not ("http" `isPrefixOf` target)
    upToLink line = case line of
      ']' : '(' : _ -> ([], line)
      c : rest | (mine, others) <- upToLink rest -> (c : mine, others)
      [] -> ([], [])

-- | Paragraphs, each with the number of its first line; a row of a table by itself.
paragraphs :: [(String, Int)] -> [(String, Int)]
paragraphs = \case
  [] -> []
  (line, n) : rest
    | isRow line -> (line, n) : paragraphs rest
    | otherwise ->
        let (more, others) = break (\(next, _) -> null next || isRow next) rest
         in (intercalate "\n" (line : map fst more), n) : paragraphs others
  where
    isRow = isPrefixOf "|"

quoted :: String -> [String]
quoted text = case break (== '"') text of
  (_, _ : rest) | (name, _ : more) <- break (== '"') rest -> name : quoted more
  _ -> []

-- | What is shown of sources that are not there, or of tests that are not in them; and
-- links to sources of which no test is named.
unshown :: FilePath -> [Shown] -> IO [Shown]
unshown root those = concat <$> mapM check those
  where
    check one = do
      let path = root </> takeDirectory (shownPage one) </> shownSource one
      there <- doesFileExist path
      known <-
        if there
          then literalsOf . T.unpack . T.decodeUtf8Lenient <$> B.readFile path
          else pure Set.empty
      let missing = filter (`Set.notMember` known) (shownNames one)
      pure [one {shownNames = missing} | null (shownNames one) || not (null missing)]

-- | One line: where, what was expected, what to do.
renderUnshown :: Shown -> String
renderUnshown (Shown path n source names) =
  concat
    [ path,
      ":",
      show n,
      ": ",
      if null names
        then "a test's source is linked to and no test named; name it in quotes"
        else
          concat
            [ source,
              " has no test called ",
              unwords (map show names),
              "; write it, or correct the words"
            ]
    ]
