-- | What the engine costs, on programs for wasm32 in @bench/programs@.
--
-- Without arguments: nanoseconds per WebAssembly instruction, for each program.
-- Instructions are counted exactly by a profile, in a run of their own; the time is
-- the least of several runs. Other engines that are installed, or lie in the folder
-- that TERN_WASM_PEERS names (wabt's @wasm-interp@, @wasm3@, @wasmi@, @wasmtime@,
-- @node@), run the same programs; their time is shown, and how many times the
-- interpreter's it is.
--
-- Names of programs as arguments run only those; @--keep@ keeps the figures of all, and the
-- costs, in @docs/measured@ and puts their tables, as "Figures" has them, into the README;
-- @vectors@ runs the loops over vectors in @bench/vectors@, beside the engines that have them,
-- as a run of all programs does; @costs@ measures the start of a large module, instances, and
-- calls from Haskell; @ruby@, a file and a text of Ruby run that in the WASI build of Ruby, as
-- "Ruby" says; @ruby@ alone runs the file that TERN_WASM_RUBY names, beside wasmtime, and so
-- does a run of all programs.
module Main (main) where

import Control.Applicative ((<|>))
import Control.Monad (forM, forM_, replicateM, replicateM_, unless, void, when)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy qualified as L
import Data.Char (isDigit)
import Data.List (isSuffixOf, sort, transpose)
import Data.Maybe (catMaybes, isJust, listToMaybe)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Word (Word32)
import Figures
  ( Cost (..),
    Engine (..),
    Figures (..),
    Program,
    Row (..),
    Vectors (..),
    figuresVersion,
    renderCosts,
    renderFigures,
    renderProgram,
    renderVectors,
  )
import GHC.Clock (getMonotonicTime)
import Ruby (ruby, rubyBeside)
import System.Directory
  ( createDirectoryIfMissing,
    doesFileExist,
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
import Tern (decodeJson, encodeJson)
import Tern qualified
import Tern.File (writeWhole)
import Tern.Lab.Machine (thisMachine)
import Tern.Lab.Report (intoPage)
import Tern.Lab.Result (Machine (..))
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
    ["costs"] -> void costs
    ["vectors"] -> void vectors
    ["--keep"] -> beside >>= keep
    ["ruby"] -> void beside
    ["ruby", "--keep"] -> beside >>= keepProgram
    ["ruby", file, script] -> ruby Auto file script
    ["ruby-native", file, script] -> ruby NativeCode file script
    ["ruby-interpreted", file, script] -> ruby Interpreter file script
    [] -> void (speeds "bench/programs" installed []) >> void vectors >> void beside
    wanted -> void (speeds "bench/programs" installed wanted)
  where
    beside = do
      folder <- peersFolder
      python <- found folder "python3"
      rubyBeside python

orDie :: Either Error a -> IO a
orDie = either (die . T.unpack . renderError) pure

-- * Programs

-- | Those in a folder, or only some, beside other engines.
speeds :: FilePath -> IO [Peer] -> [String] -> IO ([Peer], [Row])
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
  measured <- forM [f | f <- files, null wanted || takeBaseName f `elem` wanted] $ \f -> do
    (bytes, path) <- build (programs </> f)
    (count, answer) <- counted bytes
    -- Round after round, so that whatever else the machine does falls on all.
    rounds <- replicateM 3 $ do
      (one, again) <- timed Interpreter bytes
      (two, third) <- timed NativeCode bytes
      unless (answer == again && answer == third) (die (f <> ": two runs gave different results"))
      theirs <- mapM (`peerTime` path) peers
      pure (one : two : theirs)
    let least = map minimum (transpose rounds)
    (seconds, quick, others_) <- case least of
      one : two : theirs -> pure (one, two, theirs)
      _ -> die "no times"
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
    ratios <- forM others_ $ \theirs -> do
      let ratio = theirs / seconds
      printf "  %8.1f ms %5.2f" (theirs * 1e3) ratio
      pure ratio
    putStrLn ""
    pure (((each, native), ratios), Row (T.pack (takeBaseName f)) (fromIntegral count) least)
  let rows = map fst measured
  unless (null rows) $ do
    printf "%-12s %34.2f %19.2f" "mean" (mean (map (fst . fst) rows)) (mean (map (snd . fst) rows))
    forM_ [0 .. length peers - 1] $ \k ->
      printf "  %17.2f" (mean [r | (_, rs) <- rows, r : _ <- [drop k rs]])
    putStrLn "   (geometric; peers: their time by ours)"
  pure (peers, map snd measured)
  where
    mean :: [Double] -> Double
    mean xs = exp (sum (map log xs) / fromIntegral (max 1 (length xs)))

-- | The loops over vectors, beside the engines that have them as they come.
vectors :: IO ([Peer], [Row])
vectors = speeds "bench/vectors" (filter hasVectors <$> installed) []
  where
    hasVectors p = peerName p `elem` ["wasmi", "wasmtime", "node"]

-- | Measure all, keep what was found, and put the tables into the README. Of a large program
-- that was not run now the figures stay.
keep :: Maybe Program -> IO ()
keep program = do
  machine <- thisMachine
  (peers, rows) <- speeds "bench/programs" installed []
  (vectorPeers, vectorRows) <- vectors
  around <- costs
  before <-
    doesFileExist (figuresFile machine) >>= \there ->
      if there then figuresProgram <$> keptFigures machine else pure Nothing
  let engines others =
        [Engine (T.pack "interpreter") T.empty, Engine (T.pack "native code") T.empty]
          <> [Engine (T.pack (peerName p)) (T.pack (peerVersion p)) | p <- others]
  save
    machine
    Figures
      { figuresFormat = figuresVersion,
        figuresMachine = machine,
        figuresEngines = engines peers,
        figuresRows = rows,
        figuresVectors = Just (Vectors (engines vectorPeers) vectorRows),
        figuresCosts = Just around,
        figuresProgram = program <|> before
      }

-- | Keep what was found of a large program, beside the figures that there are.
keepProgram :: Maybe Program -> IO ()
keepProgram = \case
  Nothing -> die "nothing is kept: name a module by TERN_WASM_RUBY"
  Just program -> do
    machine <- thisMachine
    figures <- keptFigures machine
    save machine figures {figuresProgram = Just program}

figuresFile :: Machine -> FilePath
figuresFile machine = "../docs/measured/wasm-" <> T.unpack series <> ".json"
  where
    series = T.intercalate (T.pack ".") (take 2 (T.splitOn (T.pack ".") (compiler machine)))

keptFigures :: Machine -> IO Figures
keptFigures machine = do
  bytes <- B.readFile (figuresFile machine)
  either (die . T.unpack . Tern.renderError bytes) pure (decodeJson bytes)

-- | Both the data and the tables, or neither.
save :: Machine -> Figures -> IO ()
save machine figures = do
  old <- T.decodeUtf8 <$> B.readFile page
  new <-
    put "figures" (renderFigures figures) old
      >>= put "vectors" (renderVectors figures)
      >>= put "costs" (renderCosts figures)
      >>= put "program" (renderProgram figures)
  writeWhole (figuresFile machine) (L.fromStrict (encodeJson figures <> BC.pack "\n"))
  writeWhole page (L.fromStrict (T.encodeUtf8 new))
  where
    page = "README.md"
    put mark text into =
      maybe (die (page <> " has no marks <!-- " <> mark <> " --> to put a table between")) pure $
        intoPage (T.pack mark) text into

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
data Peer = Peer {peerName :: String, peerVersion :: String, peerTime :: FilePath -> IO Double}

peersFolder :: IO [FilePath]
peersFolder = maybe [] pure <$> lookupEnv "TERN_WASM_PEERS"

-- | A program in one of these folders, or on the path.
found :: [FilePath] -> String -> IO (Maybe FilePath)
found folders name = do
  here <- findExecutablesInDirectories folders name
  maybe (findExecutable name) (pure . Just) (listToMaybe here)

-- | Those that are in the folder that TERN_WASM_PEERS names, or on the path.
installed :: IO [Peer]
installed = do
  folder <- peersFolder
  programs <- fmap catMaybes . forM engines $ \(name, peer) ->
    found folder name >>= \case
      Nothing -> pure Nothing
      Just exe -> do
        (_, told, _) <- readProcessWithExitCode exe ["--version"] ""
        pure (Just (peer name (versionIn told) exe))
  python <- found folder "python3"
  libraries <- fmap catMaybes . forM [(n, l) | n <- bound, l <- maybe [] pure python] $
    \((name, package, script), exe) ->
      if name `elem` map peerName programs then pure Nothing else byPython exe name package script
  pure (programs <> libraries)
  where
    -- The last word of the first line that has a digit.
    versionIn told =
      maybe "" (dropWhile (== 'v')) . listToMaybe . reverse . filter (any isDigit) . words $
        unwords (take 1 (lines told))
    bound =
      [ ( "wasm3",
          "pywasm3",
          "import wasm3\nr=wasm3.Environment()\nt=r.new_runtime(1<<20)\n\
          \t.load(r.parse_module(open(p,'rb').read()))\nf=t.find_function('run')\ncall=lambda:f()\n"
        ),
        ( "wasmtime",
          "wasmtime",
          "import wasmtime as w\ne=w.Engine()\nm=w.Module.from_file(e,p)\ns=w.Store(e)\n\
          \f=w.Instance(s,m,[]).exports(s)['run']\ncall=lambda:f(s)\n"
        )
      ]
    engines =
      [ ("wasm-interp", wholly (: ["--run-all-exports"])),
        ("wasm3", wholly (\file -> ["--func", "run", file])),
        ("wasmi", wholly (\file -> ["run", "--invoke", "run", file])),
        ("wasmtime", wholly (\file -> ["run", "--invoke", "run", file])),
        ("node", node)
      ]

-- | The whole process, less one over a module without work.
wholly :: (FilePath -> [String]) -> String -> String -> FilePath -> Peer
wholly arguments name told exe = Peer name told $ \path -> do
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

-- | The call alone, by node's own clock. The first runs are of code that is made in a hurry; the
-- better code is made by another thread meanwhile, which takes its time where the machine is slow.
-- So calls go on for half a second, and it is the best one that counts.
node :: String -> String -> FilePath -> Peer
node name told exe = Peer name told $ \path -> do
  (code, out, complaints) <- readProcessWithExitCode exe ["-e", script, path] ""
  when (code /= ExitSuccess) (die (exe <> ": " <> take 300 complaints))
  case reads out of
    [(ms, _)] -> pure (max 1e-6 (ms / 1e3))
    _ -> die (exe <> ": no time")
  where
    script =
      "const m=new WebAssembly.Module(require('fs').readFileSync(process.argv[1]));let \
      \best=1e9;const from=performance.now();\
      \for(let k=0;k<5||performance.now()-from<500;k++){const i=new WebAssembly.Instance(m);const \
      \a=performance.now();i.exports.run();best=Math.min(best,\
      \performance.now()-a)}console.log(best)"

-- | An engine that is a library of Python, if it is there: the call alone, by Python's clock.
byPython :: FilePath -> String -> String -> String -> IO (Maybe Peer)
byPython exe name package script = do
  (code, out, _) <-
    readProcessWithExitCode
      exe
      ["-c", "import importlib.metadata as m;print(m.version('" <> package <> "'))"]
      ""
  pure $ case (code, words out) of
    (ExitSuccess, [told]) -> Just (Peer name told time)
    _ -> Nothing
  where
    time path = do
      (code, out, complaints) <- readProcessWithExitCode exe ["-c", whole, path] ""
      when (code /= ExitSuccess) (die (name <> ": " <> take 300 complaints))
      case reads out of
        [(s, _)] -> pure (max 1e-6 s)
        _ -> die (name <> ": no time")
    -- Another instance for each run: programs find memory as they left it.
    whole =
      "import sys,time\np=sys.argv[1]\nb=1e9\nfor k in range(5):\n"
        <> unlines (map ("  " <>) (lines script <> clocked))
        <> "print('%.9f'%b)\n"
    clocked = ["a=time.perf_counter()", "call()", "b=min(b,time.perf_counter()-a)"]

-- * Costs around a run

-- | Each is printed as it is measured.
costs :: IO [Cost]
costs = do
  big <- orDie (binaryOf large)
  printf "a module of %d bytes, %d functions\n" (B.length big) functions
  load_ <- best 5 (load big >>= orDie)
  loaded <- cost "decode and validate it" load_
  lazily <- best 5 (loadWith defaultLoading {loadingLazily = True} big >>= orDie)
  later <- cost "the same with `loadingLazily`: each function when first called" lazily
  m <- orDie =<< load big
  let fresh = newStore defaultSettings >>= \s -> instantiate s m noImports >>= orDie
  first_ <- best 5 fresh
  instance_ <- cost "an instance of it in a new store" first_
  called <- best 5 $ do
    i <- fresh
    invoke i (T.pack "f0") [I32Value 1, I32Value 2] >>= orDie
  call <- cost "the same, and the first call of a function" called
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
  another <- cost "one more instance of a small module" (instances / fromIntegral n)
  i <- orDie =<< instantiate store small noImports
  listed <-
    best 3 (replicateM_ (10 * n) (invoke i (T.pack "add") [I32Value 1, I32Value 2] >>= orDie))
  named <- cost "a call by name, with values in a list" (listed / fromIntegral (10 * n))
  add <-
    either (die . T.unpack . renderError) pure (exportFunction i (T.pack "add")) ::
      IO (Word32 -> Word32 -> IO (Either Error Word32))
  typed <- best 3 (replicateM_ (10 * n) (add 1 2 >>= orDie))
  plain <- cost "a call of a typed function" (typed / fromIntegral (10 * n))
  pure [loaded, later, instance_, call, another, named, plain]
  where
    best k action = fmap minimum . replicateM k $ do
      performMajorGC
      from <- getMonotonicTime
      _ <- action
      to <- getMonotonicTime
      pure (to - from)
    cost :: String -> Double -> IO Cost
    cost what seconds = do
      printf "  %-64s %12.3f us\n" what (1e6 * seconds)
      pure (Cost (T.pack what) seconds)

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
