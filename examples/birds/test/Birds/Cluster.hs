-- | A server of PostgreSQL of a test's own, in a folder that goes away with it.
module Birds.Cluster
  ( programs,
    withCluster,
  )
where

import Control.Exception (bracket_)
import Control.Monad (void)
import Data.ByteString (ByteString)
import Data.ByteString.Char8 qualified as BC
import Data.List (sort)
import Data.Maybe (isJust)
import System.Directory (doesDirectoryExist, doesFileExist, findExecutable, listDirectory)
import System.Exit (ExitCode (..))
import System.FilePath (takeDirectory, (</>))
import System.IO.Temp (withSystemTempDirectory)
import System.Process (readProcessWithExitCode)

-- | The folder of its programs, if they are here. Debian does not put them on the path.
programs :: IO (Maybe FilePath)
programs = do
  found <- findExecutable "initdb"
  let debian = "/usr/lib/postgresql"
  versions <-
    doesDirectoryExist debian >>= \is ->
      if is
        then sort <$> listDirectory debian
        else pure []
  there <-
    mapM
      ( \version ->
          fmap takeDirectory <$> findExecutable (debian </> version </> "bin" </> "initdb")
      )
      versions
  pure (foldl (\best one -> if isJust one then one else best) (takeDirectory <$> found) there)

-- | With a connection string of an empty database, which listens on a socket in its
-- folder alone. PostgreSQL refuses to be run by root; then it is nobody's.
withCluster :: FilePath -> (ByteString -> IO a) -> IO a
withCluster bin act = withSystemTempDirectory "birds" $ \folder -> do
  root <- (== "0\n") . said <$> readProcessWithExitCode "id" ["-u"] ""
  let run program arguments
        | root =
            readProcessWithExitCode
              "setpriv"
              ( ["--reuid", "nobody", "--regid", "nogroup", "--clear-groups", bin </> program]
                  <> arguments
              )
              ""
        | otherwise = readProcessWithExitCode (bin </> program) arguments ""
      done program arguments =
        run program arguments >>= \case
          (ExitSuccess, _, _) -> pure ()
          (ExitFailure code, out, err) -> do
            logged <- doesFileExist logFile >>= \is -> if is then readFile logFile else pure ""
            fail (unlines [program <> " ended with " <> show code, out, err, logged])
      logFile = folder </> "log"
      cluster = folder </> "data"
  void
    ( if root
        then readProcessWithExitCode "chown" ["nobody:nogroup", folder] ""
        else pure (ExitSuccess, "", "")
    )
  done "initdb" ["-D", cluster, "-A", "trust", "-U", "birds", "--locale=C.UTF-8", "--no-sync"]
  bracket_
    ( done
        "pg_ctl"
        [ "-D",
          cluster,
          "-w",
          "-l",
          logFile,
          "-o",
          unwords ["-c listen_addresses=''", "-c fsync=off", "-k", folder],
          "start"
        ]
    )
    (run "pg_ctl" ["-D", cluster, "-w", "-m", "immediate", "stop"])
    (act (BC.pack (unwords ["host=" <> folder, "user=birds", "dbname=postgres"])))
  where
    said (_, out, _) = out
