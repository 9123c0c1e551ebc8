-- | What comments cite as proof, and tests of those names.
--
-- The idea: a comment that says @Proof@, and a colon, goes on to name a test in quotes, or
-- several, to the end of its paragraph. A name is a test's if it stands in a test's source as
-- a string of its own. Start at 'readProofs'.
module Tern.House.Proofs
  ( Citation (..),
    readProofs,
    citationsOf,
    literalsOf,
    unproved,
    renderUnproved,
  )
where

import Data.ByteString qualified as B
import Data.Char (isSpace)
import Data.List (isInfixOf, isPrefixOf, stripPrefix)
import Data.Set (Set)
import Data.Set qualified as Set
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import System.FilePath ((</>))
import Tern.House.Source (Module (modulePath), readCheckout)

-- | A proof that a comment speaks of.
data Citation = Citation
  { citationPath :: FilePath,
    -- | The line of the word, from 1 on.
    citationLine :: Int,
    -- | The tests that it names.
    citationNames :: [String]
  }
  deriving stock (Eq, Show)

-- | The citations of all Haskell sources of a checkout, and the strings of its tests.
readProofs :: FilePath -> IO ([Citation], Set String)
readProofs root = do
  paths <- map modulePath <$> readCheckout root
  texts <-
    mapM (\path -> (,) path . T.unpack . T.decodeUtf8Lenient <$> B.readFile (root </> path)) paths
  let (tests, others) = partitioned texts
  pure (concatMap (uncurry citationsOf) others, foldMap (literalsOf . snd) tests)
  where
    partitioned texts = (filter (isTest . fst) texts, filter (not . isTest . fst) texts)
    isTest = ("/test" `isInfixOf`)

-- | The citations in one source.
citationsOf :: FilePath -> String -> [Citation]
citationsOf path text = go (zip [1 ..] (lines text))
  where
    go = \case
      [] -> []
      (number, line) : rest
        | Just said <- comment line,
          Just after <- behind "Proof:" said ->
            Citation path number (quoted (unwords (after : paragraph rest))) : go rest
        | otherwise -> go rest
    paragraph = map (dropWhile isSpace) . takeWhile (not . all isSpace) . commented . map snd
    commented = \case
      line : rest | Just said <- comment line -> said : commented rest
      _ -> []

-- | What a line says that is a comment and nothing else.
comment :: String -> Maybe String
comment line = stripPrefix "--" (dropWhile isSpace line)

behind :: String -> String -> Maybe String
behind word = \case
  [] -> Nothing
  text | word `isPrefixOf` text -> Just (drop (length word) text)
  _ : rest -> behind word rest

-- | What stands in quotes.
quoted :: String -> [String]
quoted text = case break (== '"') text of
  (_, _ : rest) | (name, _ : after) <- break (== '"') rest -> name : quoted after
  _ -> []

-- | The strings of a source, those in comments not among them. No string goes over the
-- end of a line.
literalsOf :: String -> Set String
literalsOf = Set.fromList . concatMap (inLine . withoutComment) . lines
  where
    withoutComment line = if "--" `isPrefixOf` dropWhile isSpace line then [] else line
    inLine text = case break (== '"') text of
      (_, _ : rest) -> let (string, after) = upTo rest in string : inLine after
      _ -> []
    upTo = \case
      '\\' : c : rest -> let (string, after) = upTo rest in ('\\' : c : string, after)
      '"' : rest -> ([], rest)
      c : rest -> let (string, after) = upTo rest in (c : string, after)
      [] -> ([], [])

-- | The citations that name no test, or one that there is not.
unproved :: ([Citation], Set String) -> [Citation]
unproved (citations, tests) =
  [ c {citationNames = missing}
    | c <- citations,
      let missing = filter (`Set.notMember` tests) (citationNames c),
      null (citationNames c) || not (null missing)
  ]

-- | One line: where, what was expected, what to do.
renderUnproved :: Citation -> String
renderUnproved (Citation path line names) = concat [path, ":", show line, ": ", what]
  where
    what = case names of
      [] -> "a proof is spoken of and no test named; name it in quotes"
      _ ->
        concat ["no test is called ", unwords (map show names), "; write it, or correct the words"]
