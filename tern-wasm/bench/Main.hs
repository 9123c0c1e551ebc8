-- | What the engine costs, on programs for wasm32 in @bench/programs@.
--
-- Without arguments: nanoseconds per WebAssembly instruction, for each program.
-- Instructions are counted exactly by a profile, in a run of their own; the time is
-- the least of several runs. Other engines that are installed, or lie in the folder
-- that TERN_WASM_PEERS names (wabt's @wasm-interp@, @wasm3@, @wasmi@, @wasmtime@,
-- @node@), run the same programs; their time is shown, and how many times the
-- interpreter's it is.
--
-- Names of programs as arguments run only those; @vectors@ runs the loops over vectors in
-- @bench/vectors@, which not every other engine can, without the others; @costs@ measures
-- the start of a large module, instances, and calls from Haskell; @ruby@, a file and a text
-- of Ruby run that in the WASI build of Ruby, as "Ruby" says.
module Main (main) where

import Control.Monad (forM, forM_, replicateM, replicateM_, unless, when)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.List (isSuffixOf, sort)
import Data.Maybe (catMaybes, isJust, listToMaybe)
import Data.Text qualified as T
import Data.Word (Word32)
import GHC.Clock (getMonotonicTime)
import Ruby (ruby)
import System.Directory
  ( createDirectoryIfMissing,
    findExecutable,
    findExecutablesInDirectories,
    getTemporaryDirectory,
    listDirectory,
  )
import System.Environment (getArgs, lookupEnv)
import System.Exit (ExitCode (..), die)
import System.FilePath (takeBaseName, takeExtension, (<.>), (</>))
import System.Mem (performMajorGC)
import System.Process (readProcessWithExitCode)
import Tern.Wasm
  ( Compiled,
    Entry (..),
    Error,
    Loading (..),
    Tier (..),
    Value (..),
    available,
    binaryOf,
    defaultLoading,
    defaultSettings,
    exportFunction,
    instantiate,
    invoke,
    load,
    loadProfiled,
    loadWith,
    newStore,
    noImports,
    profileOf,
    renderError,
  )
import Text.Printf (printf)

main :: IO ()
main =
  getArgs >>= \case
    ["costs"] -> costs
    ["vectors"] -> speeds "bench/vectors" (pure []) []
    ["ruby", file, script] -> ruby Auto file script
    ["ruby-native", file, script] -> ruby NativeCode file script
    ["ruby-interpreted", file, script] -> ruby Interpreter file script
    wanted -> speeds "bench/programs" installed wanted

orDie :: Either Error a -> IO a
orDie = either (die . T.unpack . renderError) pure

-- * Programs

-- | Those in a folder, or only some, beside other engines.
speeds :: FilePath -> IO [Peer] -> [String] -> IO ()
speeds programs others wanted = do
  peers <- others
  files <- sort . filter (\f -> takeExtension f `elem` [".c", ".wat"]) <$> listDirectory programs
  clang <- findExecutable "clang"
  unless
    (isJust clang || all ((== ".wat") . takeExtension) files)
    (die "clang is not installed: it compiles the benchmark programs for wasm32")
  unless available (putStrLn "no native code here: both tiers are the interpreter")
  printf
    "%-12s %14s %10s %8s %10s %8s"
    "program"
    "instructions"
    "ms"
    "ns each"
    "native ms"
    "ns each"
  mapM_ (printf "  %17s" . peerName) peers
  putStrLn ""
  rows <- forM [f | f <- files, null wanted || takeBaseName f `elem` wanted] $ \f -> do
    (bytes, path) <- build (programs </> f)
    (count, answer) <- counted bytes
    (seconds, again) <- timed Interpreter bytes
    (quick, third) <- timed NativeCode bytes
    unless (answer == again && answer == third) (die (f <> ": two runs gave different results"))
    let each = seconds * 1e9 / fromIntegral count
        native = quick * 1e9 / fromIntegral count
    printf
      "%-12s %14d %10.2f %8.2f %10.2f %8.2f"
      (takeBaseName f)
      count
      (seconds * 1e3)
      each
      (quick * 1e3)
      native
    ratios <- forM peers $ \p -> do
      theirs <- peerTime p path
      let ratio = theirs / seconds
      printf "  %8.1f ms %5.2f" (theirs * 1e3) ratio
      pure ratio
    putStrLn ""
    pure ((each, native), ratios)
  unless (null rows) $ do
    printf "%-12s %34.2f %19.2f" "mean" (mean (map (fst . fst) rows)) (mean (map (snd . fst) rows))
    forM_ [0 .. length peers - 1] $ \k ->
      printf "  %17.2f" (mean [r | (_, rs) <- rows, r : _ <- [drop k rs]])
    putStrLn "   (geometric; peers: their time by ours)"
  where
    mean :: [Double] -> Double
    mean xs = exp (sum (map log xs) / fromIntegral (max 1 (length xs)))

-- | A program as bytes and as a file. The loop of article 001 is meant to be compiled
-- without optimisation.
build :: FilePath -> IO (B.ByteString, FilePath)
build f = do
  folder <- (</> "tern-wasm-bench") <$> getTemporaryDirectory
  createDirectoryIfMissing True folder
  let file = folder </> takeBaseName f <.> "wasm"
      level = if takeBaseName f == "loop" then "-O0" else "-O2"
      flags =
        [ "--target=wasm32",
          "-mcpu=mvp",
          level,
          "-nostdlib",
          "-fno-builtin",
          "-ffreestanding",
          "-Wl,--no-entry",
          "-Wl,--export=run"
        ]
  if ".wat" `isSuffixOf` f
    then B.readFile f >>= orDie . binaryOf >>= B.writeFile file
    else do
      (code, _, complaints) <-
        readProcessWithExitCode "clang" (flags <> ["-o", file, f]) ""
      when (code /= ExitSuccess) (die (f <> " did not compile: " <> complaints))
  (,file) <$> B.readFile file

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

timed :: Tier -> B.ByteString -> IO (Double, Integer)
timed tier bytes = do
  m <- orDie =<< loadWith defaultLoading {loadingTier = tier} bytes
  runs <- replicateM 7 (run m)
  pure (minimum (map fst runs), minimum (map snd runs))

-- * Other engines

-- | An engine that runs a file's function "run", in seconds.
data Peer = Peer {peerName :: String, peerTime :: FilePath -> IO Double}

-- | Those that are in the folder that TERN_WASM_PEERS names, or on the path.
installed :: IO [Peer]
installed = do
  folder <- maybe [] pure <$> lookupEnv "TERN_WASM_PEERS"
  fmap catMaybes . forM engines $ \(name, peer) -> do
    here <- findExecutablesInDirectories folder name
    fmap (peer name) <$> maybe (findExecutable name) (pure . Just) (listToMaybe here)
  where
    engines =
      [ ("wasm-interp", wholly (: ["--run-all-exports"])),
        ("wasm3", wholly (\file -> ["--func", "run", file])),
        ("wasmi", wholly (\file -> ["run", "--invoke", "run", file])),
        ("wasmtime", wholly (\file -> ["run", "--invoke", "run", file])),
        ("node", node)
      ]

-- | The whole process, less one over a module without work.
wholly :: (FilePath -> [String]) -> String -> FilePath -> Peer
wholly arguments name exe = Peer name $ \path -> do
  folder <- (</> "tern-wasm-bench") <$> getTemporaryDirectory
  let empty = folder </> "empty.wasm"
  orDie (binaryOf (BC.pack "(module (func (export \"run\") (result i32) (i32.const 0)))"))
    >>= B.writeFile empty
  whole <- minimum <$> replicateM 3 (process (arguments path))
  start <- minimum <$> replicateM 3 (process (arguments empty))
  pure (max 1e-6 (whole - start))
  where
    process args = do
      from <- getMonotonicTime
      (code, _, complaints) <- readProcessWithExitCode exe args ""
      to <- getMonotonicTime
      when (code /= ExitSuccess) (die (exe <> ": " <> take 300 complaints))
      pure (to - from)

-- | The call alone, by node's own clock; the first run compiles.
node :: String -> FilePath -> Peer
node name exe = Peer name $ \path -> do
  (code, out, complaints) <- readProcessWithExitCode exe ["-e", script, path] ""
  when (code /= ExitSuccess) (die (exe <> ": " <> take 300 complaints))
  case reads out of
    [(ms, _)] -> pure (max 1e-6 (ms / 1e3))
    _ -> die (exe <> ": no time")
  where
    script =
      "const m=new WebAssembly.Module(require('fs').readFileSync(process.argv[1]));let \
      \best=1e9;for(let k=0;k<5;k++){const i=new WebAssembly.Instance(m);const \
      \a=performance.now();i.exports.run();best=Math.min(best,\
      \performance.now()-a)}console.log(best)"

-- * Costs around a run

costs :: IO ()
costs = do
  big <- orDie (binaryOf large)
  printf "a module of %d bytes, %d functions\n" (B.length big) functions
  load_ <- best 5 (load big >>= orDie)
  printf "  decode and validate                %10.3f ms\n" (1e3 * load_)
  lazily <- best 5 (loadWith defaultLoading {loadingLazily = True} big >>= orDie)
  printf "  or each function when first called %10.3f ms\n" (1e3 * lazily)
  m <- orDie =<< load big
  let fresh = newStore defaultSettings >>= \s -> instantiate s m noImports >>= orDie
  first_ <- best 5 fresh
  printf "  an instance in a store of its own  %10.3f ms\n" (1e3 * first_)
  called <- best 5 $ do
    i <- fresh
    invoke i (T.pack "f0") [I32Value 1, I32Value 2] >>= orDie
  printf "  and the first call of a function   %10.3f ms\n" (1e3 * called)
  small <-
    orDie
      =<< load
      =<< orDie
        ( binaryOf
            ( BC.pack
                "(module (memory 1) (global (mut i32) (i32.const 0)) (func (export \"add\") \
                \(param i32 i32) (result i32) (i32.add (local.get 0) (local.get 1))))"
            )
        )
  store <- newStore defaultSettings
  let n = 10000 :: Int
  instances <- best 3 (replicateM_ n (instantiate store small noImports >>= orDie))
  printf
    "a small module\n  an instance more in the same store %10.3f us\n"
    (1e6 * instances / fromIntegral n)
  i <- orDie =<< instantiate store small noImports
  listed <-
    best 3 (replicateM_ (10 * n) (invoke i (T.pack "add") [I32Value 1, I32Value 2] >>= orDie))
  printf "  a call by name, values as a list   %10.3f us\n" (1e6 * listed / fromIntegral (10 * n))
  add <-
    either (die . T.unpack . renderError) pure (exportFunction i (T.pack "add")) ::
      IO (Word32 -> Word32 -> IO (Either Error Word32))
  typed <- best 3 (replicateM_ (10 * n) (add 1 2 >>= orDie))
  printf "  a call of a typed function         %10.3f us\n" (1e6 * typed / fromIntegral (10 * n))
  where
    best k action = fmap minimum . replicateM k $ do
      performMajorGC
      from <- getMonotonicTime
      _ <- action
      to <- getMonotonicTime
      pure (to - from)

functions :: Int
functions = 2500

-- | About a megabyte of ordinary code.
large :: B.ByteString
large =
  BC.unlines
    ( [BC.pack "(module (memory 1) (table 10 funcref)"]
        <> map function [0 .. functions - 1]
        <> [BC.pack ")"]
    )
  where
    function k =
      BC.pack
        ( concat
            [ "(func (export \"f",
              show k,
              "\") (param i32 i32) (result i32) (local i32 i32) (block $b (loop $l ",
              concatMap (line k) [0 .. 8],
              " (br_if $b (local.get 3)) (br $l))) (local.get 2))"
            ]
        )
    line k j =
      concat
        [ "(local.set ",
          show ((k + j) `mod` 4),
          " (i32.add (i32.mul (local.get ",
          show ((k * 7 + j) `mod` 4),
          ") (i32.const ",
          show (k * 31 + j),
          ")) (i32.load offset=",
          show (j * 100),
          " (i32.and (local.get ",
          show (j `mod` 4),
          ") (i32.const 32767))))) (if (i32.lt_s (local.get 0) (local.get ",
          show ((k + 3 * j) `mod` 4),
          ")) (then (i32.store8 (i32.const 7) (local.get 2)) (local.set 3 (i32.const 1))) (else \
          \(local.set 3 (i32.add (local.get 3) (i32.const ",
          show (k + 1),
          ")))))"
        ]
