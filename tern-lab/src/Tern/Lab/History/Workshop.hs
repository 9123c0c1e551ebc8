{-# LANGUAGE OverloadedStrings #-}

-- | The private folder in which commits are built and measured.
--
-- Its one idea: nothing here belongs to the user. A bare store borrows the
-- objects of the user's repository (git's alternates) and has worktrees of its
-- own, called benches; the checkout, its index and its list of worktrees are
-- never written. Builds hold a shared lock and measurements an exclusive one,
-- so that no measurement runs beside a build, not even one of another process.
--
-- > workshop/
-- >   store.git        the bare store
-- >   bench-00 …       worktrees, each with a lock while it is in use
-- >   subject/         the executable that is being measured
-- >   kept/PLAN/HASH   records of commits        cache/KEY   measurements
-- >   logs/HASH.*      what the commands wrote
--
-- Start at 'openWorkshop' and 'withBenches'.
module Tern.Lab.History.Workshop
  ( Workshop (workshopPath),
    openWorkshop,

    -- * Benches
    Bench (..),
    withBenches,
    putOnBench,

    -- * Taking turns
    whileBuilding,
    whileMeasuring,

    -- * What is kept
    keep,
    kept,
  )
where

import Control.Exception (IOException, bracket, onException, try)
import Control.Monad (unless, when)
import Control.Monad.Trans.Class (lift)
import Control.Monad.Trans.Except (ExceptT (..), runExceptT, throwE)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as L
import Data.Foldable (for_)
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Fingerprint (fingerprintString)
import GHC.IO.Handle.Lock (LockMode (..), hLock, hTryLock, hUnlock)
import System.Directory
  ( createDirectoryIfMissing,
    doesFileExist,
    doesPathExist,
    makeAbsolute,
    removePathForcibly,
    renameDirectory,
  )
import System.Exit (ExitCode (..))
import System.FilePath (takeDirectory, (<.>), (</>))
import System.IO (Handle, IOMode (..), hClose, openFile, withFile)
import Tern.File (writeWhole)
import Tern.Lab.History.Git (Repository (..))
import Tern.Lab.History.Problem (Problem (..))
import Tern.Lab.History.Submodules (fillSubmodules)
import Tern.Lab.Process (capture)
import Text.Printf (printf)

-- | The private folder of one repository.
data Workshop = Workshop
  { workshopPath :: !FilePath,
    -- | The git folders of the user's repository.
    workshopSources :: ![FilePath]
  }
  deriving stock (Eq, Show)

-- | The workshop of a repository below a cache folder, made if it is not there.
openWorkshop :: FilePath -> Repository -> IO (Either Problem Workshop)
openWorkshop cache repository = writing path . runExceptT $ do
  lift (mapM_ (createDirectoryIfMissing True . (path </>)) ["kept", "cache", "logs", "subject"])
  ExceptT . withLock ExclusiveLock workshop "store" . runExceptT $ do
    present <- lift (doesFileExist (store </> "HEAD"))
    unless present $ do
      lift (removePathForcibly (store <.> "part"))
      (_, format, _) <-
        lift (capture (repositoryRoot repository) "git" ["rev-parse", "--show-object-format"])
      (code, _, err) <-
        lift
          ( capture
              path
              "git"
              ( ["init", "--quiet", "--bare", "--template="]
                  <> ["--object-format=sha256" | T.strip format == "sha256"]
                  <> [store <.> "part"]
              )
          )
      case code of
        ExitSuccess -> pure ()
        _ -> throwE (GitRefused "init" (T.strip err))
      lift $ do
        objects <- makeAbsolute (repositoryCommon repository </> "objects")
        createDirectoryIfMissing True (store <.> "part" </> "objects" </> "info")
        writeFile (store <.> "part" </> "objects" </> "info" </> "alternates") (objects <> "\n")
        promised repository (store <.> "part")
        renameDirectory (store <.> "part") store
  pure workshop
  where
    path = cache </> show (fingerprintString (repositoryCommon repository))
    workshop = Workshop path [repositoryOwn repository, repositoryCommon repository]
    store = path </> "store.git"

-- | A partial clone has only some objects; the store fetches the others itself,
-- from where the clone would.
promised :: Repository -> FilePath -> IO ()
promised repository store = do
  (_, found, _) <- asked ["--name-only", "--get-regexp", "^remote\\..*\\.promisor$"]
  for_
    ( take
        1
        [ name
          | row <-
              T.lines found,
            Just rest <- [T.stripPrefix "remote." row],
            Just name <- [T.stripSuffix ".promisor" rest]
        ]
    )
    $ \name -> do
      (_, url, _) <- asked ["--get", "remote." <> T.unpack name <> ".url"]
      for_
        [ ("core.repositoryformatversion", "1"),
          ("extensions.partialclone", "origin"),
          ("remote.origin.url", T.unpack (T.strip url)),
          ("remote.origin.promisor", "true"),
          ("remote.origin.partialclonefilter", "blob:none")
        ]
        $ \(key, value) ->
          capture store "git" ["config", key, value]
  where
    asked arguments = capture (repositoryRoot repository) "git" ("config" : arguments)

-- | An operation that writes; what the system refuses becomes a 'Problem'.
writing :: FilePath -> IO (Either Problem a) -> IO (Either Problem a)
writing place act =
  try act >>= \case
    Right result -> pure result
    Left e -> pure (Left (CannotWrite place (T.pack (show (e :: IOException)))))

-- * Benches

-- | A worktree that this process alone uses.
newtype Bench = Bench {benchPath :: FilePath}
  deriving stock (Eq, Show)

-- | Use @wanted@ benches, the first ones that are free; waits for none.
withBenches :: Workshop -> Int -> ([Bench] -> IO a) -> IO a
withBenches (Workshop path _) wanted use = go wanted (0 :: Int) []
  where
    go 0 _ benches = use (reverse benches)
    go n i benches =
      withFile (place i <.> "lock") ReadWriteMode $ \handle -> do
        free <- hTryLock handle ExclusiveLock
        if free
          then go (n - 1) (i + 1) (Bench (place i) : benches)
          else go n (i + 1) benches
    place i = path </> printf "bench-%02d" i

-- | Put a commit on a bench: its files exactly, and nothing else, unless
-- ignored files shall stay for an incremental build.
putOnBench :: Workshop -> Bool -> Bench -> Text -> IO (Either Problem ())
putOnBench workshop@(Workshop path from) keepIgnored (Bench bench) hash = runExceptT $ do
  present <- lift (doesPathExist (bench </> ".git"))
  unless present . ExceptT . withLock ExclusiveLock workshop "store" . runExceptT $ do
    lift (removePathForcibly bench)
    at path [store, "worktree", "prune"]
    at
      path
      [ store,
        "worktree",
        "add",
        "--quiet",
        "--force",
        "--detach",
        "--no-checkout",
        bench,
        T.unpack hash
      ]
  at bench ["checkout", "--quiet", "--force", "--detach", T.unpack hash]
  at bench (["clean", "-ffd", "--quiet"] <> ["-x" | not keepIgnored])
  lift (fillSubmodules from (bench <.> "index") bench)
  where
    at place arguments = do
      (code, _, err) <- lift (capture place "git" (quietly <> arguments))
      when
        (code /= ExitSuccess)
        ( throwE
            ( GitRefused
                (T.pack (unwords (filter (/= store) arguments)))
                (T.unwords (T.words err))
            )
        )
    store = "--git-dir=" <> path </> "store.git"
    -- The user's hooks and habits are for the user's checkouts.
    quietly =
      [ "-c",
        "core.hooksPath=/dev/null",
        "-c",
        "submodule.recurse=false",
        "-c",
        "core.fsmonitor=false"
      ]

-- * Taking turns

-- | Builds may run side by side. One thread of a process may hold it.
whileBuilding :: Workshop -> IO a -> IO a
whileBuilding workshop = withLock SharedLock workshop machine

-- | A measurement has the machine for itself, among all workshops below the
-- same cache folder.
whileMeasuring :: Workshop -> IO a -> IO a
whileMeasuring workshop = withLock ExclusiveLock workshop machine

machine :: FilePath
machine = ".." </> "machine"

withLock :: LockMode -> Workshop -> FilePath -> IO a -> IO a
withLock mode (Workshop path _) name act =
  bracket open close (const act)
  where
    open = do
      handle <- openFile (path </> name <.> "lock") ReadWriteMode
      hLock handle mode `onException` hClose handle
      pure handle
    close :: Handle -> IO ()
    close handle = hUnlock handle >> hClose handle

-- * What is kept

-- | Write a file whole or not at all.
keep :: Workshop -> FilePath -> L.ByteString -> IO (Either Problem ())
keep (Workshop path _) name bytes = writing target $ do
  createDirectoryIfMissing True (takeDirectory target)
  Right <$> writeWhole target bytes
  where
    target = path </> name

-- | What 'keep' wrote under this name. Nothing where it is not there, or cannot be read.
kept :: Workshop -> FilePath -> IO (Maybe ByteString)
kept (Workshop path _) name =
  either (const Nothing :: IOException -> Maybe ByteString) Just
    <$> try (B.readFile (path </> name))
