-- | Nanoseconds per WebAssembly instruction on the kinds of program in
-- @bench/programs@, which clang compiles for wasm32.
--
-- Instructions are counted exactly by a profile, in a run of their own; the time
-- is the least of several runs. Program names as arguments run only those.
module Main (main) where

import Control.Monad (forM, replicateM, unless)
import Data.ByteString qualified as B
import Data.List (isSuffixOf, sort)
import Data.Maybe (catMaybes, isJust)
import Data.Text qualified as T
import GHC.Clock (getMonotonicTime)
import System.Directory (createDirectoryIfMissing, findExecutable, getTemporaryDirectory, listDirectory)
import System.Environment (getArgs)
import System.Exit (ExitCode (..), die)
import System.FilePath (dropExtension, (<.>), (</>))
import System.Process (readProcessWithExitCode)
import Tern.Wasm
import Text.Printf (printf)

main :: IO ()
main = do
  wanted <- getArgs
  clang <- findExecutable "clang"
  unless (isJust clang) (die "clang is not installed: it compiles the benchmark programs for wasm32")
  names <- sort . map dropExtension . filter (".c" `isSuffixOf`) <$> listDirectory programs
  printf "%-12s %14s %10s %8s\n" "program" "instructions" "ms" "ns each"
  rates <- forM [n | n <- names, null wanted || n `elem` wanted] $ \n -> do
    bytes <- build n
    (count, answer) <- counted bytes
    (seconds, again) <- timed bytes
    unless (answer == again) (die (n <> ": two runs gave different results"))
    let each = seconds * 1e9 / fromIntegral count
    printf "%-12s %14d %10.2f %8.2f\n" n count (seconds * 1e3) each
    pure (Just each)
  let each = catMaybes rates
  unless (null each) $ printf "geometric mean %32.2f\n" (exp (sum (map log each) / fromIntegral (length each)) :: Double)

programs :: FilePath
programs = "bench/programs"

-- | The loop of article 001 is meant to be compiled without optimisation.
build :: String -> IO B.ByteString
build n = do
  folder <- (</> "tern-wasm-bench") <$> getTemporaryDirectory
  createDirectoryIfMissing True folder
  let file = folder </> n <.> "wasm"
      level = if n == "loop" then "-O0" else "-O2"
      flags = ["--target=wasm32", "-mcpu=mvp", level, "-nostdlib", "-fno-builtin", "-ffreestanding", "-Wl,--no-entry", "-Wl,--export=run"]
  (code, _, complaints) <- readProcessWithExitCode "clang" (flags <> ["-o", file, programs </> n <.> "c"]) ""
  case code of
    ExitSuccess -> B.readFile file
    ExitFailure _ -> die (n <> " did not compile: " <> complaints)

run :: Compiled -> IO (Double, Integer)
run m = do
  store <- newStore defaultSettings
  i <- orDie =<< instantiate store m noImports
  from <- getMonotonicTime
  outcome <- invoke i (T.pack "run") []
  to <- getMonotonicTime
  values <- orDie outcome
  case values of
    [I32Value v] -> pure (to - from, toInteger v)
    _ -> die "run did not return an i32"

counted :: B.ByteString -> IO (Integer, Integer)
counted bytes = do
  m <- orDie =<< loadProfiled bytes
  (_, answer) <- run m
  entries <- profileOf m
  pure (sum (map entryTotal entries), answer)

timed :: B.ByteString -> IO (Double, Integer)
timed bytes = do
  m <- orDie =<< load bytes
  runs <- replicateM 7 (run m)
  pure (minimum (map fst runs), minimum (map snd runs))

orDie :: Either Error a -> IO a
orDie = either (die . T.unpack . renderError) pure
