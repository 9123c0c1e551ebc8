{-# LANGUAGE MultiWayIf #-}
{-# LANGUAGE OverloadedStrings #-}

-- | What of a program is looked at: a file, a package, a component, today or at
-- a commit.
--
-- Its one idea: a target is named as its owner would name it to GHC, to cabal
-- or to git. Nothing of the project is read but the names of its files.
--
-- Start at 'targetAt'.
module Tern.Lab.Core.Target
  ( Target (..),
    targetNamed,
    targetAt,
    targetListing,
    componentsBelow,
    describedIn,
    packageAround,
    importRoot,
    projectRoot,
    filesBelow,
  )
where

import Control.Monad (filterM, unless)
import Control.Monad.Trans.Class (lift)
import Control.Monad.Trans.Except (ExceptT (..), runExceptT, throwE)
import Data.ByteString qualified as B
import Data.Foldable (for_)
import Data.List (isPrefixOf, isSuffixOf, sort)
import Data.Maybe (fromMaybe, listToMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import GHC.Fingerprint (fingerprintString)
import System.Directory
  ( createDirectoryIfMissing,
    doesDirectoryExist,
    doesFileExist,
    getCurrentDirectory,
    listDirectory,
    makeAbsolute,
    pathIsSymbolicLink,
    removePathForcibly,
    renameDirectory,
  )
import System.Exit (ExitCode (..))
import System.FilePath (joinPath, splitDirectories, takeDirectory, takeExtension, (<.>), (</>))
import Tern.Lab.Core.Problem (CoreProblem (..), guarded)
import Tern.Lab.Process (capture)

-- | What is compiled and looked at. The files of a commit lie in the cache.
data Target
  = -- | A Haskell file with what it imports from its own folder.
    SourceFile !FilePath
  | -- | The folder of a cabal project, and what of it; nothing means the
    -- package in that folder.
    CabalTarget !FilePath !Text
  deriving stock (Eq, Show)

-- | A file that ends in @hs@, a folder with a cabal file, or else a component
-- of the cabal project around here.
targetNamed :: FilePath -> IO (Either CoreProblem Target)
targetNamed name = do
  file <- doesFileExist name
  folder <- doesDirectoryExist name
  absolute <- makeAbsolute name
  around <- getCurrentDirectory >>= packageAround
  if
    | file, takeExtension name `elem` [".hs", ".lhs"] -> pure (Right (SourceFile absolute))
    | folder -> maybe (Left (NoTarget name)) Right <$> inFolder absolute T.empty
    -- No component has such a name.
    | not file,
      takeExtension name `elem` [".hs", ".lhs"] || take 1 name `elem` ["/", "."] ->
        pure (Left (NoFile name))
    | not file, Just at <- around -> pure (Right (CabalTarget at (T.pack name)))
    | otherwise -> pure (Left (NoTarget name))

-- | A component of the project or package in a folder. All packages, where the
-- folder has only a project file.
inFolder :: FilePath -> Text -> IO (Maybe Target)
inFolder folder component = do
  names <- listDirectory folder
  pure $
    if
      | any (".cabal" `isSuffixOf`) names -> Just (CabalTarget folder component)
      | "cabal.project" `elem` names ->
          Just (CabalTarget folder (if T.null component then "all" else component))
      | otherwise -> Nothing

-- | The nearest folder, this one or around it, with a cabal file.
packageAround :: FilePath -> IO (Maybe FilePath)
packageAround folder =
  inFolder folder T.empty >>= \case
    Just _ -> pure (Just folder)
    Nothing
      | takeDirectory folder == folder -> pure Nothing
      | otherwise -> packageAround (takeDirectory folder)

-- | The same with a commit before it, as in @HEAD~3:src/Main.hs@ or
-- @v1.0:exe:server@; its files are put into the cache and stay there.
targetAt :: FilePath -> FilePath -> IO (Either CoreProblem Target)
targetAt cache name = case break (== ':') name of
  (commit, _ : rest)
    | not (null commit),
      commit `notElem` kinds,
      not ("-" `isPrefixOf` commit) -> do
        (code, found, _) <-
          capture
            "."
            "git"
            [ "rev-parse",
              "--verify",
              "--quiet",
              "--end-of-options",
              commit
                <> "^{commit}"
            ]
        -- A package's component is written like this too.
        if code == ExitSuccess
          then atCommit cache name commit (T.strip found) rest
          else either (Left . orCommit commit) Right <$> targetNamed name
  _ -> targetNamed name
  where
    -- There may be no file since there is no such commit.
    orCommit commit = \case
      NoFile _ ->
        NoCommit
          (T.pack commit)
          "it is neither a commit here nor the beginning of a file's name"
      other -> other
    kinds = ["exe", "lib", "flib", "test", "bench"]

atCommit :: FilePath -> FilePath -> String -> Text -> FilePath -> IO (Either CoreProblem Target)
atCommit cache name commit found rest = guarded cache . runExceptT $ do
  (_, prefix, _) <- lift (capture "." "git" ["rev-parse", "--show-prefix"])
  (_, root, _) <- lift (capture "." "git" ["rev-parse", "--show-toplevel"])
  let folder = cache </> "commits" </> T.unpack found
  present <- lift (doesDirectoryExist folder)
  unless present $ do
    lift (createDirectoryIfMissing True (folder <.> "part"))
    archived <-
      lift
        ( capture
            (T.unpack (T.strip root))
            "git"
            [ "archive",
              "--format=tar",
              "-o",
              folder
                <.> "tar",
              T.unpack found
            ]
        )
    unpacked <- lift (capture "." "tar" ["-xf", folder <.> "tar", "-C", folder <.> "part"])
    lift (removePathForcibly (folder <.> "tar"))
    for_ [archived, unpacked] $ \(ended, _, said) ->
      unless (ended == ExitSuccess) (throwE (NoCommit (T.pack commit) (T.strip said)))
    lift (renameDirectory (folder <.> "part") folder)
  let here = folder </> T.unpack (T.strip prefix)
      at = here </> rest
  file <- lift (doesFileExist at)
  inside <- lift (doesDirectoryExist at)
  if file
    then pure (SourceFile at)
    else do
      target <-
        lift $
          if inside
            then inFolder at T.empty
            else
              fmap (\package -> CabalTarget package (T.pack rest)) . within folder
                <$> packageAround here
      ExceptT (pure (maybe (Left (NoTarget name)) Right target))
  where
    -- Not a package around the cache.
    within folder = \case
      Just package | folder `isPrefixOf` package -> Just package
      _ -> Nothing

-- | A fingerprint of what a build tool cannot notice to be gone: the names of
-- the Haskell files around a package, and what its cabal files say.
targetListing :: FilePath -> IO Text
targetListing folder = do
  names <-
    sort
      <$> ( projectRoot folder
              >>= filesBelow (\n -> takeExtension n `elem` extensions || describes n)
          )
  described <- mapM B.readFile (filter describes names)
  pure (T.pack (show (fingerprintString (show (names, described)))))
  where
    describes name =
      takeExtension name == ".cabal"
        || any (`isSuffixOf` name) ["cabal.project", "cabal.project.local", "cabal.project.freeze"]
    extensions = [".hs", ".lhs", ".hsc", ".chs", ".x", ".y", ".cpphs", ".hs-boot"]

-- | What the cabal files of a project call packages and components.
componentsBelow :: FilePath -> IO [Text]
componentsBelow folder = do
  files <- projectRoot folder >>= filesBelow ((== ".cabal") . takeExtension)
  concat <$> mapM (fmap (describedIn . T.decodeUtf8Lenient) . B.readFile) (sort files)

-- | The components of a cabal file, as a target is written.
--
-- >>> :{
-- describedIn "name: x\nlibrary\n  exposed-modules: X\n\
--   \library inner\nexecutable server\n  main-is: Main.hs\n"
-- :}
-- ["lib:x","lib:inner","exe:server"]
describedIn :: Text -> [Text]
describedIn content =
  [ T.concat [kind, ":", fromMaybe package (listToMaybe names)]
    | row <- T.lines content,
      T.take 1 row /= " ",
      word : names <- [T.words row],
      Just kind <-
        [ lookup
            (T.toLower word)
            [ ("library", "lib"),
              ("executable", "exe"),
              ("test-suite", "test"),
              ("benchmark", "bench"),
              ("foreign-library", "flib")
            ]
        ]
  ]
  where
    package =
      fromMaybe
        T.empty
        ( listToMaybe
            [ name
              | row <-
                  T.lines content,
                [word, name] <- [T.words (T.replace ":" ": " row)],
                T.toLower word == "name:"
            ]
        )

-- | Files of a project, without what builds leave.
filesBelow :: (FilePath -> Bool) -> FilePath -> IO [FilePath]
filesBelow wanted = below
  where
    below at = do
      names <- listDirectory at
      folders <- filterM (\n -> (not (skipped n) &&) <$> isFolder (at </> n)) names
      let files = [at </> n | n <- names, n `notElem` folders, wanted n]
      (files <>) . concat <$> mapM (below . (at </>)) folders
    -- A link to a folder may lead around in a circle.
    isFolder path = (&&) <$> doesDirectoryExist path <*> (not <$> pathIsSymbolicLink path)
    skipped n = "." `isPrefixOf` n || "dist" `isPrefixOf` n || n == "node_modules"

-- | The folder of the project file that cabal would use, or the folder itself.
projectRoot :: FilePath -> IO FilePath
projectRoot folder = fromMaybe folder <$> go folder
  where
    go at = do
      there <- doesFileExist (at </> "cabal.project")
      if
        | there -> pure (Just at)
        | takeDirectory at == at -> pure Nothing
        | otherwise -> go (takeDirectory at)

-- | Where the imports of a file are looked for: the folder from which its
-- module's name leads to it, or else its own.
--
-- >>> importRoot "src/Data/Rose.hs" "module Data.Rose (rose) where"
-- "src"
importRoot :: FilePath -> B.ByteString -> FilePath
importRoot file content = case reverse (splitDirectories (takeDirectory file)) of
  folders
    | (_ : parents) <- reverse (T.splitOn "." moduleName),
      map T.unpack parents == take (length parents) folders ->
        folderOf (reverse (drop (length parents) folders))
  _ -> takeDirectory file
  where
    folderOf folders = if null folders then "." else joinPath folders
    moduleName = case [ rest
                        | row <-
                            T.lines (T.decodeUtf8Lenient content),
                          Just rest <- [T.stripPrefix "module " row]
                      ] of
      first : _ -> T.takeWhile (`notElem` [' ', '(']) (T.strip first)
      [] -> T.empty
