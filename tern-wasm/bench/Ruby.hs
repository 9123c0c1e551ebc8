-- | A program of 36 MB: Ruby, as its package for WASI of npm has it.
--
-- The idea: its module is a library. It is told its arguments once, and then given
-- texts of Ruby to run, by the convention of its package: strings are copied to what
-- @cabi_realloc@ gives, and values are known by handles that the host keeps.
--
-- Start at 'ruby'. @bench/ruby.py@ does the same under wasmtime.
module Ruby
  ( ruby,
    rubyBeside,
  )
where

import Control.Monad (foldM, forM, unless, void)
import Data.Bits (shiftR)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.IORef (IORef, modifyIORef', newIORef, readIORef)
import Data.IntMap.Strict qualified as IntMap
import Data.Map.Strict qualified as Map
import Data.Text qualified as T
import Data.Text.IO qualified as T
import Data.Word (Word32)
import Figures (Engine (..), Program (..), Ran (..))
import GHC.Clock (getMonotonicTime)
import System.CPUTime (getCPUTime)
import System.Directory (getFileSize)
import System.Environment (getExecutablePath, lookupEnv)
import System.Exit (ExitCode (..), die)
import System.IO (hPutStrLn, stderr)
import System.Process (readProcessWithExitCode)
import Tern.Lab.Machine (thisMachine)
import Tern.Wasm
  ( Compiled,
    Error,
    Extern (..),
    ExternType (..),
    Imports,
    Loading (..),
    Settings (..),
    Store,
    Tier (..),
    Value (..),
    defaultLoading,
    defaultSettings,
    exportNamed,
    hostFunc,
    hostFunction,
    importTypes,
    importsFrom,
    instantiate,
    invoke,
    loadWith,
    memoryPages,
    nativeFunctions,
    newStore,
    readMemory,
    renderError,
    writeMemory,
  )
import Tern.Wasm.Wasi (Wasi (..), closeWasi, defaultWasi, newWasi, wasiImports, wasiMemory)
import Text.Printf (hPrintf)
import Text.Read (readMaybe)

-- | Load the module in a file and let it run a text of Ruby, in a tier; what each part
-- took goes to the standard error stream. The last line there is what a 'Ran' says.
ruby :: Tier -> FilePath -> String -> IO ()
ruby tier file script = do
  bytes <- B.readFile file
  (m, load) <- timed "load" (loadWith defaultLoading {loadingTier = tier} bytes >>= orDie)
  runs <- mapM (once m script) [1, 2 :: Int]
  status <- BC.lines <$> B.readFile "/proc/self/status"
  let most =
        sum
          [ n
            | line <- status,
              Just rest <- [B.stripPrefix (BC.pack "VmHWM:") line],
              Just (n, _) <- [BC.readInt (BC.dropSpace rest)]
          ]
  hPrintf stderr "%d MB at most\n" (most `div` 1024)
  hPutStrLn stderr (unwords ("in all" : map show (load : runs <> [fromIntegral most / 1024])))

-- | The module that TERN_WASM_RUBY names, run by this engine and, if there is a Python with its
-- library, by wasmtime: each in a process of its own, so that the memory is its own.
rubyBeside :: Maybe FilePath -> IO (Maybe Program)
rubyBeside python =
  lookupEnv "TERN_WASM_RUBY" >>= \case
    Nothing -> Nothing <$ hPutStrLn stderr "TERN_WASM_RUBY names no module: Ruby is not run"
    Just file -> do
      self <- getExecutablePath
      wasmtime <- maybe (pure []) peer python
      let engines =
            [ (Engine (T.pack "tern-wasm") T.empty, (self, ["ruby"])),
              (Engine (T.pack "tern-wasm, native code alone") T.empty, (self, ["ruby-native"]))
            ]
              <> wasmtime
      let each = mapM (measured file) engines
      begun <- each
      rows <- foldM (\rows _ -> zipWith least rows <$> each) begun [2, 3 :: Int]
      machine <- thisMachine
      size <- getFileSize file
      pure
        (Just (Program machine (fromIntegral size) (T.pack script) rows))
  where
    script = "puts (1..100000).map { |n| n * n % 7 }.sum"
    peer exe = do
      (code, out, _) <-
        readProcessWithExitCode
          exe
          ["-c", "import importlib.metadata as m, wasmtime; print(m.version('wasmtime'))"]
          ""
      if code == ExitSuccess
        then pure [(Engine (T.pack "wasmtime") (T.strip (T.pack out)), (exe, ["bench/ruby.py"]))]
        else [] <$ hPutStrLn stderr "no wasmtime for python3: Ruby is not run by it"
    measured file (engine, (exe, arguments)) = do
      T.hPutStrLn stderr (T.unwords [T.pack "Ruby, by", engineName engine])
      (code, _, said) <- readProcessWithExitCode exe (arguments <> [file, script]) ""
      hPutStrLn stderr said
      unless (code == ExitSuccess) (die (T.unpack (engineName engine) <> " did not run it"))
      case [mapM readMaybe figures | "in" : "all" : figures <- map words (lines said)] of
        [Just [load, first, again, most]] -> pure (Ran engine load first again most)
        _ -> die (T.unpack (engineName engine) <> " does not say what it took")
    least (Ran engine a b c d) (Ran _ e f g h) = Ran engine (min a e) (min b f) (min c g) (min d h)

-- | One run in a store of its own, and what it took. By the second one the code is there.
once :: Compiled -> String -> Int -> IO Double
once m script turn = do
  hPutStrLn stderr ("run " <> show turn)
  store <- newStore defaultSettings {settingPages = 16384, settingHeap = 2000000000}
  values <- newIORef (1, IntMap.empty)
  wasi <- newWasi defaultWasi {wasiArguments = [BC.pack "ruby.wasm"]}
  system <- wasiImports store wasi
  own <- handles store values
  -- What would talk to a browser's JavaScript is never called.
  rest <-
    forM [(a, b, t) | (a, b, FuncExtern t) <- importTypes m] $ \(a, b, t) ->
      importsFrom a . pure . (b,) . ExternFunc <$> hostFunc store t (const (pure (Left b)))
  let imports = Map.unions ([system, own] <> rest) :: Imports
  (i, made) <- timed "instantiate" (instantiate store m imports >>= orDie)
  memory <- case exportNamed i (T.pack "memory") of
    Just (ExternMemory found) -> pure found
    _ -> die "the module exports no memory"
  wasiMemory wasi i
  let call name arguments = invoke i (T.pack name) (map I32Value arguments) >>= orDie
      room n align = call "cabi_realloc" [0, 0, align, fromIntegral n] >>= one
      put text = do
        at <- room (B.length text) 1
        written <- writeMemory memory (fromIntegral at) text
        if written then pure [at, fromIntegral (B.length text)] else die "no such memory"
  (_, begun) <- timed "initialize" (void (call "_initialize" []))
  (_, ready) <- timed "ruby-init" $ do
    arguments <- mapM (put . BC.pack . (<> "\0")) ["ruby.wasm", "-EUTF-8", "-e_=0"]
    list <- room (8 * length arguments) 4
    _ <- writeMemory memory (fromIntegral list) (B.pack (concatMap little (concat arguments)))
    void (call "ruby-init: func(args: list<string>) -> ()" [list, fromIntegral (length arguments)])
  (_, asked) <- timed "eval" $ do
    text <- put (BC.pack (script <> "\n$stdout.flush\0"))
    at <-
      call "rb-eval-string-protect: func(str: string) -> tuple<handle<rb-abi-value>, s32>" text
        >>= one
    state <- readMemory memory (fromIntegral at + 4) 4
    if state == Just (B.replicate 4 0) then pure () else die "the script raised an exception"
  pages <- memoryPages memory
  natives <- nativeFunctions m
  hPrintf stderr "%d pages of memory, %d functions with native code\n" pages (length natives)
  closeWasi wasi
  pure (made + begun + ready + asked)
  where
    one = \case
      [I32Value v] -> pure v
      _ -> die "not one number"
    little v = [fromIntegral (v `shiftR` n) | n <- [0, 8, 16, 24]]

-- | Values of Ruby that the module lets the host keep.
handles :: Store -> IORef (Int, IntMap.IntMap Word32) -> IO Imports
handles store values = do
  new <- hostFunction store $ \v -> do
    (n, _) <- readIORef values
    modifyIORef' values (\(k, known) -> (k + 1, IntMap.insert k v known))
    pure (fromIntegral n) :: IO Word32
  get <- hostFunction store $ \h ->
    IntMap.findWithDefault 0 (fromIntegral (h :: Word32)) . snd <$> readIORef values :: IO Word32
  pure
    ( importsFrom
        (T.pack "canonical_abi")
        [ (T.pack "resource_new_rb-abi-value", ExternFunc new),
          (T.pack "resource_get_rb-abi-value", ExternFunc get)
        ]
    )

-- | Also the seconds of the processor.
timed :: String -> IO a -> IO (a, Double)
timed what action = do
  from <- getMonotonicTime
  cpu <- getCPUTime
  a <- action
  cpu' <- getCPUTime
  to <- getMonotonicTime
  let seconds = fromIntegral (cpu' - cpu) / 1e12 :: Double
  hPrintf stderr "%-12s %8.3f s, %8.3f of the processor\n" what (to - from) seconds
  pure (a, seconds)

orDie :: Either Error a -> IO a
orDie = either (die . T.unpack . renderError) pure
