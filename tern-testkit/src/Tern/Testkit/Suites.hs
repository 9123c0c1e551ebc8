-- | The external conformance suites: where they are, and how their files read.
--
-- They lie outside the checkout (beside it, in @shared\/suites@, or where the
-- environment variable @TERN_SUITES@ says) and are read in place. Where they
-- are absent every test over them is skipped, with the count of what did run
-- printed where they are present.
module Tern.Testkit.Suites
  ( suiteTest,
    labelled,
    Label (..),
    readTsv,
    hexBytes,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.List (isPrefixOf, sort)
import Data.Maybe (fromMaybe)
import Data.Word (Word8)
import System.Directory (doesPathExist, listDirectory)
import System.Environment (lookupEnv)
import System.FilePath ((</>))
import Test.Tasty (TestName, TestTree)
import Test.Tasty.HUnit (assertFailure, testCaseInfo)

-- | A test over one file or folder of the suites, named by its path below
-- them. It returns the complaints (empty when all is well) and how many cases
-- it ran; a run of no case at all fails.
suiteTest :: TestName -> FilePath -> (FilePath -> IO ([String], Int)) -> TestTree
suiteTest name place run = testCaseInfo name $ do
  base <- fromMaybe "../../shared/suites" <$> lookupEnv "TERN_SUITES"
  let path = base </> place
  present <- doesPathExist path
  if not present
    then pure ("skipped: no " <> path <> ", 0 cases ran")
    else do
      (complaints, count) <- run path
      case complaints of
        [] | count > 0 -> pure (show count <> " cases ran")
        [] -> assertFailure (path <> " holds no case")
        _ ->
          assertFailure . unlines $
            (show (length complaints) <> " complaints in " <> show count <> " cases")
              : take 20 complaints

-- | What a decoder must do with a file, by the first letters of its name.
data Label = Accept | Reject | Either_
  deriving stock (Eq, Show)

-- | The files of a folder that carry a label, in order of name.
labelled :: FilePath -> IO [(Label, FilePath, ByteString)]
labelled folder = do
  names <- sort <$> listDirectory folder
  sequence
    [ (,,) label name <$> B.readFile (folder </> name)
      | name <- names,
        (prefix, label) <- [("y_", Accept), ("n_", Reject), ("i_", Either_)],
        prefix `isPrefixOf` name
    ]

-- | The rows of a table: the header line left out, columns split at tabs.
readTsv :: FilePath -> IO [[ByteString]]
readTsv path =
  map (BC.split '\t') . filter (not . B.null) . dropHeader . BC.lines <$> B.readFile path
  where
    dropHeader rows = case rows of
      first : rest | BC.pack "# " `B.isPrefixOf` first -> rest
      _ -> rows

-- | Bytes from lower-case or upper-case hexadecimal digits, two a byte.
hexBytes :: ByteString -> Maybe ByteString
hexBytes text
  | odd (B.length text) = Nothing
  | otherwise = B.pack <$> go (B.unpack text)
  where
    go (a : b : rest) = do
      high <- digit a
      low <- digit b
      (high * 16 + low :) <$> go rest
    go _ = Just []

digit :: Word8 -> Maybe Word8
digit w
  | w >= 48, w <= 57 = Just (w - 48)
  | w >= 97, w <= 102 = Just (w - 87)
  | w >= 65, w <= 70 = Just (w - 55)
  | otherwise = Nothing
