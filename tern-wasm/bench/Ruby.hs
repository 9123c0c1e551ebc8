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

import Control.Monad (forM, unless, void)
import Data.Bits (shiftR)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.IORef (IORef, modifyIORef', newIORef, readIORef)
import Data.IntMap.Strict qualified as IntMap
import Data.Map.Strict qualified as Map
import Data.Text qualified as T
import Data.Word (Word32)
import GHC.Clock (getMonotonicTime)
import System.CPUTime (getCPUTime)
import System.Environment (getExecutablePath, lookupEnv)
import System.Exit (ExitCode (..), die)
import System.IO (hPutStrLn, stderr)
import System.Process (rawSystem)
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

-- | Load the module in a file and let it run a text of Ruby, in a tier; what each part
-- took goes to the standard error stream.
ruby :: Tier -> FilePath -> String -> IO ()
ruby tier file script = do
  bytes <- B.readFile file
  m <- timed "load" (loadWith defaultLoading {loadingTier = tier} bytes >>= orDie)
  mapM_ (once m script) [1, 2 :: Int]
  status <- BC.lines <$> B.readFile "/proc/self/status"
  sequence_
    [ hPrintf stderr "%d MB at most\n" (n `div` 1024)
      | line <- status,
        Just rest <- [B.stripPrefix (BC.pack "VmHWM:") line],
        Just (n, _) <- [BC.readInt (BC.dropSpace rest)]
    ]

-- | The module that TERN_WASM_RUBY names, run by this engine and, if there is a Python with its
-- library, by wasmtime: each in a process of its own, so that the memory is its own.
rubyBeside :: Maybe FilePath -> IO ()
rubyBeside python =
  lookupEnv "TERN_WASM_RUBY" >>= \case
    Nothing -> hPutStrLn stderr "TERN_WASM_RUBY names no module: Ruby is not run"
    Just file -> do
      self <- getExecutablePath
      shown "tern-wasm" self ["ruby", file, script]
      case python of
        Nothing -> hPutStrLn stderr "no python3: Ruby is not run by wasmtime"
        Just exe -> shown "wasmtime" exe ["bench/ruby.py", file, script]
  where
    script = "puts (1..100000).map { |n| n * n % 7 }.sum"
    shown engine exe arguments = do
      hPutStrLn stderr ("Ruby, by " <> engine)
      code <- rawSystem exe arguments
      unless (code == ExitSuccess) (hPutStrLn stderr (engine <> " did not run it"))

-- | One run in a store of its own. By the second one the code is there.
once :: Compiled -> String -> Int -> IO ()
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
  i <- timed "instantiate" (instantiate store m imports >>= orDie)
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
  timed "initialize" (void (call "_initialize" []))
  timed "ruby-init" $ do
    arguments <- mapM (put . BC.pack . (<> "\0")) ["ruby.wasm", "-EUTF-8", "-e_=0"]
    list <- room (8 * length arguments) 4
    _ <- writeMemory memory (fromIntegral list) (B.pack (concatMap little (concat arguments)))
    void (call "ruby-init: func(args: list<string>) -> ()" [list, fromIntegral (length arguments)])
  timed "eval" $ do
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

timed :: String -> IO a -> IO a
timed what action = do
  from <- getMonotonicTime
  cpu <- getCPUTime
  a <- action
  cpu' <- getCPUTime
  to <- getMonotonicTime
  hPrintf
    stderr
    "%-12s %8.3f s, %8.3f of the processor\n"
    what
    (to - from)
    (fromIntegral (cpu' - cpu) / 1e12 :: Double)
  pure a

orDie :: Either Error a -> IO a
orDie = either (die . T.unpack . renderError) pure
