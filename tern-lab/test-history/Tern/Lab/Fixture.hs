-- | Repositories that the tests make, with a known story.
module Tern.Lab.Fixture
  ( withFixture,
    Story,
    write,
    commit,
    sh,
    program,
  )
where

import Control.Monad (unless)
import System.Directory (createDirectoryIfMissing)
import System.Exit (ExitCode (..))
import System.FilePath (takeDirectory, (</>))
import System.IO.Temp (withSystemTempDirectory)
import System.Process (CreateProcess (..), proc, readCreateProcessWithExitCode)
import Test.Tasty.HUnit (assertFailure)

-- | What is done in the folder of a repository.
type Story = FilePath -> IO ()

-- | A folder with an empty repository in @repository@, told a story.
withFixture :: [Story] -> (FilePath -> IO a) -> IO a
withFixture story use =
  withSystemTempDirectory "tern-lab-fixture" $ \folder -> do
    let repository = folder </> "repository"
    createDirectoryIfMissing True repository
    sh
      "git init --quiet --initial-branch=main && git config user.name Fixture && git config \
      \user.email fixture@example.org"
      repository
    mapM_ ($ repository) story
    use folder

sh :: String -> Story
sh command folder = do
  (code, out, err) <-
    readCreateProcessWithExitCode ((proc "sh" ["-ec", command]) {cwd = Just folder}) ""
  unless (code == ExitSuccess) (assertFailure (command <> ": " <> out <> err))

write :: FilePath -> [String] -> Story
write name rows folder = do
  createDirectoryIfMissing True (takeDirectory (folder </> name))
  writeFile (folder </> name) (unlines rows)

commit :: String -> Story
commit subject = sh ("git add -A && git commit --quiet --allow-empty -m '" <> subject <> "'")

-- | A program whose allocation is the product of two constants in two modules.
program :: Story
program folder =
  mapM_
    ($ folder)
    [ write
        "Main.hs"
        [ "module Main (main) where",
          "import Control.Exception (evaluate)",
          "import Rounds (rounds)",
          "import Size (size)",
          "main :: IO ()",
          "main = mapM_ once [1 .. rounds] >> putStrLn \"done\"",
          "once :: Int -> IO Int",
          "once i = evaluate (length (concatMap show [i .. i + size]))",
          "{-# NOINLINE once #-}"
        ],
      write "Rounds.hs" ["module Rounds (rounds) where", "rounds :: Int", "rounds = 100"],
      write "Size.hs" ["module Size (size) where", "size :: Int", "size = 1000"],
      write ".gitignore" ["*.o", "*.hi", "main"]
    ]
