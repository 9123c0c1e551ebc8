{-# LANGUAGE OverloadedStrings #-}

-- | Plants bugs in a copy of the checkout and says which of them the tests see.
-- @.\/dev mutate@ calls it, in the root of a checkout.
module Main (main) where

import Control.Monad (unless)
import Data.ByteString qualified as B
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Text.IO qualified as T
import GHC.Conc (getNumProcessors)
import System.Directory (doesFileExist, renameFile)
import System.Environment (getArgs, lookupEnv)
import System.Exit (ExitCode (..), exitSuccess, exitWith)
import System.IO (hSetEncoding, stderr, stdout, utf8)
import Tern.Mutate (Cabal (..), Result (..), Wish (..), checkTables, mutate)
import Tern.Mutate.Page (Found (..), page, renderSummary, renewed, rows)
import Tern.Mutate.Run (Limits (..), isCaught)
import Tern.Mutate.Table (readTables)
import Text.Read (readMaybe)

main :: IO ()
main = do
  mapM_ (`hSetEncoding` utf8) [stdout, stderr]
  arguments <- getArgs
  cores <- getNumProcessors
  case parse (Arguments [] False False False (min 4 cores) 300 4000) arguments of
    Left complaint -> stop 2 [complaint]
    Right Help -> T.putStr usage >> exitSuccess
    Right (Go Arguments {..}) | check -> do
      (wrong, bugs) <- checkTables "."
      if null wrong
        then T.putStrLn (T.pack (show (length bugs)) <> " bugs, each with its place")
        else stop 1 wrong
    Right (Go Arguments {..}) -> do
      flags <- maybe [] words <$> lookupEnv "TERN_CABAL_FLAGS"
      result <-
        mutate "." (Cabal flags) (Wish (map T.pack names) again lanes (Limits seconds megabytes))
      case result of
        Wrong complaints -> stop 1 complaints
        Done found complaints -> do
          T.putStr (if tsv then rows found else renderSummary found)
          renewPage found
          stop (if null complaints && all (isCaught . foundOutcome) found then 0 else 1) complaints
  where
    stop :: Int -> [Text] -> IO a
    stop code complaints = do
      mapM_ (T.hPutStrLn stderr . ("mutate: " <>)) complaints
      exitWith (if code == 0 then ExitSuccess else ExitFailure code)

data Arguments = Arguments
  { names :: [String],
    again :: Bool,
    tsv :: Bool,
    check :: Bool,
    lanes :: Int,
    seconds :: Int,
    megabytes :: Int
  }

data Asked = Help | Go Arguments

parse :: Arguments -> [String] -> Either Text Asked
parse so = \case
  [] -> Right (Go so {names = reverse (names so)})
  "--help" : _ -> Right Help
  "-h" : _ -> Right Help
  "--again" : rest -> parse so {again = True} rest
  "--tsv" : rest -> parse so {tsv = True} rest
  "--check" : rest -> parse so {check = True} rest
  "--lanes" : value : rest -> number "--lanes" value >>= \n -> parse so {lanes = n} rest
  "--limit" : value : rest -> number "--limit" value >>= \n -> parse so {seconds = n} rest
  "--memory" : value : rest -> number "--memory" value >>= \n -> parse so {megabytes = n} rest
  option@('-' : _) : _ ->
    Left
      ( "'"
          <> T.pack option
          <> "' is no option, or one without its number; see ./dev mutate --help"
      )
  name : rest -> parse so {names = name : names so} rest
  where
    number option value = case readMaybe value of
      Just n | n > 0 -> Right n
      _ -> Left (option <> " expects a number above 0, got '" <> T.pack value <> "'")

-- | What was found now, and what the page says of all others; those that it does not know are
-- named. It is written whole or not at all.
renewPage :: [Found] -> IO ()
renewPage found = do
  (_, bugs) <- readTables "."
  made <- doesFileExist path
  old <- if made then T.decodeUtf8Lenient <$> B.readFile path else pure ""
  let (unknown, new) = renewed bugs found old
  B.writeFile (path <> ".new") (T.encodeUtf8 (page new))
  renameFile (path <> ".new") path
  unless (null unknown) . T.hPutStrLn stderr . T.unwords $
    ["mutate:", T.pack path, "is not whole, run these as well:"] <> unknown
  where
    path = "docs/planted-bugs.md"

usage :: Text
usage =
  T.unlines
    [ "./dev mutate [OPTIONS] [PACKAGE|KIND|BUG ..] - which planted bugs do the tests see?",
      "",
      "Plants the bugs of tern-testkit/mutants in a copy of the checkout, each after a",
      "switch, builds the suites that should see them, and runs their cases with one bug",
      "on at a time. A bug is caught where a case fails, the suite dies, does not end in",
      "time or takes all memory. The table goes to standard output, progress to standard",
      "error. What is known of the same program is not run again, so an interrupted run",
      "goes on where it was. A run of all bugs writes docs/planted-bugs.md; one of some",
      "renews their rows in it, and names those that it does not have as they are described now.",
      "",
      "  --check      only see that each bug's place is there; builds nothing",
      "  --tsv        rows with tabs instead of the table",
      "  --again      run also what is known",
      "  --lanes N    suites that run at a time (one for each core, at most 4); none beside itself",
      "  --limit N    seconds that a run may take (300; less where it takes little without a bug)",
      "  --memory N   megabytes that a run may take (4000)",
      "",
      "Nothing is coloured, with NO_COLOR or without. Exit codes: 0 all were caught, 1 one",
      "was missed or could not be tried, 2 the command line makes no sense.",
      "TERN_OPTIMISE=1 ./dev mutate builds the copy with optimisation; it is 0 else."
    ]
