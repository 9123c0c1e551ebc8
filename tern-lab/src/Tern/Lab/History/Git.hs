{-# LANGUAGE OverloadedStrings #-}

-- | The commits of a range, asked of git.
--
-- Its one idea: the user's repository is only read. Names are resolved there;
-- everything that writes goes to a private store (see
-- "Tern.Lab.History.Workshop") that borrows the objects.
--
-- Start at 'openRepository' and 'commitsOf'.
module Tern.Lab.History.Git
  ( Repository (..),
    openRepository,
    Commit (..),
    shortHash,
    commitsOf,
    commitNamed,
    firstParentsOf,
    resolve,
    mergeBase,
    isDirty,
    webAddress,
    git,
  )
where

import Data.Maybe (fromMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import System.Directory (doesDirectoryExist)
import System.Exit (ExitCode (..))
import System.FilePath (isAbsolute, makeRelative, (</>))
import Tern.Lab.History.Problem (Problem (..))
import Tern.Lab.Process (capture)
import Text.Read (readMaybe)

-- | Where a repository is, and the folders that git keeps for it.
data Repository = Repository
  { -- | Where the user stands.
    repositoryRoot :: !FilePath,
    -- | The folder of git's own files, shared by all worktrees.
    repositoryCommon :: !FilePath,
    -- | The folder of this worktree's own files; the same where there is one.
    repositoryOwn :: !FilePath
  }
  deriving stock (Eq, Show)

-- | What the log says of a commit. Hashes are in full.
data Commit = Commit
  { commitHash :: !Text,
    -- | The first is the branch that was merged into.
    commitParents :: ![Text],
    -- | Seconds since 1970.
    commitTime :: !Int,
    commitAuthor :: !Text,
    commitSubject :: !Text
  }
  deriving stock (Eq, Show)

-- | Seven characters, as in the reports of article 001.
shortHash :: Text -> Text
shortHash = T.take 7

-- | The repository that a folder belongs to.
openRepository :: FilePath -> IO (Either Problem Repository)
openRepository directory =
  doesDirectoryExist directory >>= \case
    True -> repositoryOf directory
    -- Nothing can be started there, which would look as if there were no git.
    False -> pure (Left (NoSuchFolder directory))

repositoryOf :: FilePath -> IO (Either Problem Repository)
repositoryOf directory = do
  (code, out, err) <- capture directory "git" ["rev-parse", "--git-common-dir", "--git-dir"]
  case (code, T.lines out) of
    (ExitFailure 127, _) -> pure (Left NoGit)
    (ExitSuccess, common : own : _) ->
      pure (Right (Repository directory (absolute (T.unpack common)) (absolute (T.unpack own))))
    _
      -- A word that no translation changes.
      | "safe.directory" `T.isInfixOf` err ->
          pure (Left (GitRefused "rev-parse" (T.takeWhile (/= '\n') (T.strip err))))
      | otherwise -> pure (Left (NotARepository directory))
  where
    absolute path = if isAbsolute path then path else directory </> path

-- | What git answers, or the problem with its own first line.
git :: Repository -> [String] -> IO (Either Problem Text)
git repository arguments = do
  (code, out, err) <- capture (repositoryRoot repository) "git" arguments
  pure $ case code of
    ExitSuccess -> Right out
    ExitFailure _ ->
      Left (GitRefused (T.pack (unwords arguments)) (T.strip (T.takeWhile (/= '\n') err)))

-- | The full hash of whatever names a commit.
resolve :: Repository -> Text -> IO (Either Problem Text)
resolve repository name
  | "-" `T.isPrefixOf` name = pure (Left (UnknownCommit name))
  | otherwise =
      either (const (Left (UnknownCommit name))) (Right . T.strip)
        <$> git
          repository
          [ "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            T.unpack name
              <> "^{commit}"
          ]

-- | The commits of @A..B@ from oldest to newest, each after its parents, and
-- @A@ before them as the point to compare with.
commitsOf :: Repository -> Text -> IO (Either Problem [Commit])
commitsOf = listed ["--topo-order"]

-- | The same along first parents only.
firstParentsOf :: Repository -> Text -> IO (Either Problem [Commit])
firstParentsOf = listed ["--first-parent"]

listed :: [String] -> Repository -> Text -> IO (Either Problem [Commit])
listed order repository range = case T.breakOn ".." range of
  (from, dots)
    | not (T.null dots),
      not ("..." `T.isPrefixOf` dots),
      not (T.null from) -> do
        older <- resolve repository from
        newer <- resolve repository (headWhereEmpty (T.drop 2 dots))
        case (,) <$> older <*> newer of
          Left problem -> pure (Left problem)
          Right (a, b) -> do
            base <- logOf repository ["--no-walk", T.unpack a]
            rest <- logOf repository (order <> ["--reverse", T.unpack a <> ".." <> T.unpack b])
            pure $ case (,) <$> base <*> rest of
              Right (_, []) -> Left (EmptyRange range)
              Right (first, commits) -> Right (first <> commits)
              Left problem -> Left problem
  _ -> pure (Left (BadRange range))
  where
    headWhereEmpty name = if T.null name then "HEAD" else name

-- | One commit.
commitNamed :: Repository -> Text -> IO (Either Problem Commit)
commitNamed repository name =
  resolve repository name >>= \case
    Left problem -> pure (Left problem)
    Right hash -> do
      found <- logOf repository ["--no-walk", T.unpack hash]
      pure $ case found of
        Right (commit : _) -> Right commit
        Right [] -> Left (UnknownCommit name)
        Left problem -> Left problem

logOf :: Repository -> [String] -> IO (Either Problem [Commit])
logOf repository arguments = do
  answer <- git repository (["log", "--format=" <> format] <> arguments <> ["--"])
  pure (answer >>= traverse commit . filter (not . T.null) . T.splitOn "\0" . T.filter (/= '\n'))
  where
    format = "%H%x1f%P%x1f%ct%x1f%an%x1f%s%x00"
    commit line = case T.splitOn "\x1f" line of
      hash : parents : time : author : subject
        | Just seconds <- readMaybe (T.unpack time) ->
            Right (Commit hash (T.words parents) seconds author (T.intercalate " " subject))
      _ -> Left (GitRefused "log" ("an unexpected line: " <> T.take 80 line))

-- | The full hash of the best common ancestor of two commits, as git has it. Where they have none
-- that is 'GitRefused'.
mergeBase :: Repository -> Text -> Text -> IO (Either Problem Text)
mergeBase repository a b = fmap T.strip <$> git repository ["merge-base", T.unpack a, T.unpack b]

-- | Has the user's checkout changes that no commit holds, but for one folder?
isDirty :: Repository -> FilePath -> IO Bool
isDirty repository own = do
  root <- either (const "") (T.unpack . T.strip) <$> git repository ["rev-parse", "--show-toplevel"]
  status <- git repository ["status", "--porcelain", "-z"]
  pure (either (const False) (any (foreign' root) . filter (not . T.null) . T.splitOn "\0") status)
  where
    foreign' root entry = T.unpack (T.drop 3 entry) `notElem` [own', own' <> "/"]
      where
        own' = makeRelative root own

-- | The web page of the repository, from where it was cloned from, for links to
-- its commits.
webAddress :: Repository -> IO (Maybe Text)
webAddress repository = do
  answer <- git repository ["remote", "get-url", "origin"]
  pure (either (const Nothing) (page . T.strip) answer)
  where
    page url
      | Just rest <- T.stripPrefix "git@" url,
        (host, path) <- T.breakOn ":" rest,
        not (T.null path) =
          Just (T.concat ["https://", host, "/", withoutGit (T.drop 1 path)])
      | "https://" `T.isPrefixOf` url, not ("@" `T.isInfixOf` url) = Just (withoutGit url)
      | otherwise = Nothing
    withoutGit text = fromMaybe text (T.stripSuffix ".git" text)
