{-# LANGUAGE OverloadedStrings #-}

-- | Modules of a generator that is not ours (@wasm-tools smith@), in every tier, and in
-- wasmtime.
--
-- The idea: our own generator ("Tern.Wasm.GeneratedTest") writes what we thought of. This
-- one makes every instruction and every kind of module field of WebAssembly 3.0, and
-- such modules as nobody would write. A module is made of a number, its seed, so that
-- whoever sees a difference can make the module again.
--
-- The program @wasm-tools@ is looked for in the folder that @TERN_WASM_PEERS@ names and
-- on the path. The environment variable @TERN_WASM_SMITH@ sets how many modules there
-- are, and @TERN_WASM_SMITH_FROM@ the first seed.
module Tern.Wasm.SmithTest
  ( tests,
  )
where

import Control.Monad (forM, forM_, unless, when)
import Data.Bits ((.&.), (.|.))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Either (lefts, rights)
import Data.Int (Int32, Int64)
import Data.Maybe (catMaybes, fromMaybe, listToMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Word (Word64)
import GHC.Float (castDoubleToWord64, castFloatToWord32)
import Numeric (showHex)
import System.Directory (doesFileExist, findExecutable, findExecutablesInDirectories)
import System.Environment (lookupEnv)
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import System.Process (readProcessWithExitCode)
import Tern.Testkit.Tally (skip)
import Tern.Wasm
import Tern.Wasm.Observed (bits, digest, observed)
import Tern.Wasm.Seed (draw, mix, runDraw)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit
import Text.Read (readMaybe)

tests :: IO TestTree
tests = do
  rounds <- number "TERN_WASM_SMITH" 2000
  from <- number "TERN_WASM_SMITH_FROM" 1
  let seeds = [from .. from + rounds - 1]
  smith <- program "wasm-tools"
  python <- wasmtime
  pure . testGroup "modules of another generator" $ case smith of
    Nothing ->
      [ skip
          "in every tier, and in wasmtime"
          ("wasm-tools is not installed (cargo install wasm-tools): " <> show rounds <> " modules")
      ]
    Just exe ->
      [ testCaseInfo "in every tier" (everyTier exe seeds),
        case python of
          Nothing ->
            skip
              "in wasmtime"
              ("wasmtime is not installed (pip install wasmtime): " <> show rounds <> " modules")
          Just py -> testCaseInfo "in wasmtime" (besideWasmtime exe py seeds)
      ]
  where
    number name other = maybe other (fromMaybe other . readMaybe) <$> lookupEnv name :: IO Int

-- * Modules

-- | What is generated: all of WebAssembly 3.0, with functions that end.
flags :: [String]
flags =
  words
    "--ensure-termination --fuel 300 --max-imports 0 --export-everything true \
    \--canonicalize-nans true --threads-enabled false --shared-everything-threads-enabled false \
    \--custom-page-sizes-enabled false --custom-descriptors-enabled false \
    \--compact-imports-enabled false --wide-arithmetic-enabled false --memory64-enabled true \
    \--max-memories 3 --max-tables 4 --simd-enabled true --relaxed-simd-enabled true \
    \--tail-call-enabled true --reference-types-enabled true --multi-value-enabled true \
    \--extended-const-enabled true --max-memory32-bytes 65536 --max-memory64-bytes 65536 \
    \--max-table-elements 1000 --min-types 4 --min-funcs 4 --max-funcs 16 \
    \--generate-custom-sections false"

-- | The module of a seed; nothing where the generator makes none.
generate :: FilePath -> [String] -> FilePath -> Int -> IO (Maybe (FilePath, ByteString))
generate exe more folder seed = do
  B.writeFile input (seedBytes seed)
  (code, _, complaints) <-
    readProcessWithExitCode exe (["smith"] <> flags <> more <> ["-o", output, input]) ""
  there <- doesFileExist output
  case code of
    ExitSuccess | there -> Just . (output,) <$> B.readFile output
    -- It could make none of these bytes.
    ExitFailure 2 -> pure Nothing
    _ -> assertFailure ("wasm-tools smith, seed " <> show seed <> ": " <> take 300 complaints)
  where
    input = folder </> "seed"
    output = folder </> (show seed <> ".wasm")

-- | What the generator makes its choices by.
seedBytes :: Int -> ByteString
seedBytes seed = B.pack (concatMap eight (runDraw many (mix (fromIntegral seed))))
  where
    many = mapM (const draw) [1 .. 500 :: Int]
    eight w = [fromIntegral (w `div` 256 ^ k) | k <- [0 .. 7 :: Int]]

-- * In every tier

everyTier :: FilePath -> [Int] -> IO String
everyTier exe seeds = withSystemTempDirectory "tern-smith" $ \folder -> do
  found <- fmap catMaybes . forM seeds $ \seed ->
    generate exe ["--gc-enabled", "true", "--exceptions-enabled", "true"] folder seed
      >>= mapM (compared seed . snd)
  let different = lefts found
  unless (null different) . assertFailure $
    unlines (show (length different) <> " modules differ" : map T.unpack (take 20 different))
  pure (show (length found) <> " modules, " <> show (sum (rights found)) <> " calls")

-- | How many calls of a module's functions were the same in all tiers, or what was not.
compared :: Int -> ByteString -> IO (Either Text Int)
compared seed bytes = do
  answers <- forM tiers $ \tier ->
    loadWith defaultLoading {loadingTier = tier} bytes >>= \case
      Left e -> pure [renderError e]
      Right m -> do
        whole <- played False tier m maxBound
        -- The same in slices of fuel, or with a collection before each object.
        (whole <>) <$> case seed `mod` 4 of
          0 -> played False tier m 17
          1 -> played True tier m maxBound
          2 -> played True tier m 17
          _ -> pure []
  -- Now, or else all that was seen is kept to the end of a long run.
  pure $! case answers of
    [wrong] : _ | not ("played" `T.isPrefixOf` wrong) -> Left (told ["it is refused: " <> wrong])
    first : others -> case [(a, b) | other <- others, (a, b) <- zip first other, a /= b] of
      [] -> Right $! length first
      (a, b) : _ -> Left $! told [a, b]
    [] -> Right 0
  where
    told = T.intercalate "\n  " . (T.pack ("seed " <> show seed) :)

tiers :: [Tier]
tiers = Interpreter : concat [[NativeCode, Auto] | available]

-- | Every exported function called in an instance of its own, with zeroes, and what can be
-- seen afterwards. With so much fuel at a time: what is used must not depend on it.
--
-- @eagerly@: 'settingEagerly'.
played :: Bool -> Tier -> Compiled -> Int -> IO [Text]
played eagerly tier m slice = forM functions $ \(name, ft) -> do
  store <- newStore small
  -- Functions are soon found to run long.
  when (tier == Auto) (sampleStacks store 20)
  setFuel store enough
  instantiate store m noImports >>= \case
    Left e -> do
      left <- fuelLeft store
      pure (T.unwords ["played", name, "no instance", renderError e, T.pack (show (enough - left))])
    Right i -> do
      setFuel store (min enough slice)
      outcome <- invoke i name (map zero (funcParams ft)) >>= onwards store (min enough slice)
      seen <- mapM (visible i . fst) (exportTypes m)
      pure (T.unwords (["played", name, outcome] <> seen))
  where
    functions = [(name, ft) | (name, FuncExtern ft) <- exportTypes m]
    -- Each suspension keeps a copy of the stack.
    small =
      defaultSettings
        { settingStack = 32768,
          settingPages = 64,
          settingElements = 100000,
          settingHeap = 4000000,
          settingEagerly = eagerly
        }
    enough = 1000000
    onwards store given = \case
      Left (OutOfFuel s)
        | given < enough -> setFuel store slice >> continue s >>= onwards store (given + slice)
      outcome -> do
        left <- fuelLeft store
        pure (observed outcome <> " used " <> T.pack (show (given - left)))

-- | Of a memory its size and a number made of its bytes, of a global its value.
visible :: Instance -> Text -> IO Text
visible i name = case exportNamed i name of
  Just (ExternMemory memory) -> do
    n <- (65536 *) <$> memoryPages memory
    bytes <- fromMaybe B.empty <$> readMemory memory 0 n
    pure (T.pack (showHex (digest (sized n) bytes) ""))
  Just (ExternGlobal _) -> either renderError bits <$> readGlobal i name
  _ -> pure ""
  where
    sized n = fromIntegral n :: Word64

-- | Zero, or null where there is one.
zero :: ValType -> Value
zero = \case
  I32 -> I32Value 0
  I64 -> I64Value 0
  F32 -> F32Value 0
  F64 -> F64Value 0
  V128 -> V128Value 0 0
  Ref (RefType _ FuncHeap) -> FuncValue Nothing
  Ref (RefType _ ExternHeap) -> ExternValue Nothing
  Ref (RefType _ h) -> NullValue h

-- * Beside wasmtime

-- | The same of functions over numbers, in modules without what its interface for Python
-- does not pass.
besideWasmtime :: FilePath -> FilePath -> [Int] -> IO String
besideWasmtime exe py seeds = withSystemTempDirectory "tern-smith" $ \folder -> do
  modules <-
    fmap catMaybes . forM seeds $ \seed ->
      fmap (seed,) <$> generate exe less folder seed
  theirs <- concat <$> mapM (asked folder) (chunks (map (fst . snd) modules))
  length theirs @?= length modules
  found <- forM (zip modules theirs) $ \((seed, (_, bytes)), their) -> do
    our <- ours bytes
    pure $!
      if length our == length their && and (zipWith alike our their)
        then Right $! length our
        else Left $! T.intercalate "\n  " (T.pack ("seed " <> show seed) : unlike our their)
  let different = lefts found
  unless (null different) . assertFailure $
    unlines (show (length different) <> " modules differ" : map T.unpack (take 20 different))
  pure (show (length found) <> " modules, " <> show (sum (rights found)) <> " calls")
  where
    less = ["--gc-enabled", "false", "--exceptions-enabled", "false"]
    unlike our their =
      [a <> " | " <> b | (a, b) <- zip our their, not (alike a b)]
        <> [T.pack (show (length our, length their)) | length our /= length their]
    chunks xs = if null xs then [] else take 500 xs : chunks (drop 500 xs)
    asked folder files = do
      writeFile (folder </> "ask.py") script
      forM_ files $ \file -> B.readFile file >>= plans >>= writeFile (file <> ".txt")
      (code, out, complaints) <- readProcessWithExitCode py ((folder </> "ask.py") : files) ""
      case code of
        ExitSuccess -> pure (paragraphs (T.lines (T.pack out)))
        ExitFailure k ->
          assertFailure
            ("wasmtime ended with " <> show k <> ": " <> drop (length complaints - 1000) complaints)
    paragraphs ls = case break T.null ls of
      (rows, _ : rest) -> rows : paragraphs rest
      _ -> []
    -- Where one of them has used up its stack or its room there is nothing to compare.
    alike our their = our == their || any ("exhausted" `T.isPrefixOf`) [our, their]

-- | Which exports are to be called: for each a line with its number, how many parameters
-- it has, and the types of these and of its results. Wasmtime's interface ends the
-- process where it is
-- asked about a type that it does not pass.
plans :: ByteString -> IO String
plans bytes =
  load bytes >>= \case
    Left _ -> pure ""
    Right m ->
      pure . unlines $
        [ unwords (show k : show (length ps) : map kind (ps <> rs))
          | (k, (_, FuncExtern ft@(FuncType ps rs))) <- zip [0 :: Int ..] (exportTypes m),
            plain ft
        ]
  where
    kind = \case
      I32 -> "i32"
      I64 -> "i64"
      F32 -> "f32"
      _ -> "f64"

-- | Whether a function takes and gives nothing but numbers.
plain :: FuncType -> Bool
plain ft = all (`elem` [I32, I64, F32, F64]) (funcParams ft <> funcResults ft)

-- | What functions over numbers give in instances of their own, with the room that the
-- script below gives wasmtime.
ours :: ByteString -> IO [Text]
ours bytes =
  load bytes >>= \case
    Left e -> pure ["refused: " <> renderError e]
    Right m ->
      forM [(name, ft) | (name, FuncExtern ft) <- exportTypes m, plain ft] $ \(name, ft) -> do
        store <- newStore defaultSettings {settingPages = 64, settingElements = 100000}
        setFuel store 10000000
        instantiate store m noImports >>= \case
          Left TooLarge -> pure "exhausted"
          Left e -> pure (stopped e)
          Right i ->
            either stopped (given . map plainly) <$> invoke i name (map zero (funcParams ft))
  where
    stopped = \case
      Exhausted _ _ -> "exhausted"
      OutOfFuel _ -> "exhausted"
      _ -> "trap"
    -- Every function has a line that is not empty.
    given = \case
      [] -> "-"
      rs -> T.unwords rs
    plainly = \case
      I32Value n -> T.pack (show (fromIntegral n :: Int32))
      I64Value n -> T.pack (show (fromIntegral n :: Int64))
      F32Value x -> T.pack (show (quiet (castFloatToWord32 x)))
      F64Value x -> T.pack (show (castDoubleToWord64 x))
      other -> bits other
    -- Python's numbers are of 64 bits, and what is no number becomes quiet on its way there.
    quiet w
      | w .&. 0x7fffffff > 0x7f800000 = w .|. 0x400000
      | otherwise = w

script :: String
script =
  unlines
    [ "import sys, struct, wasmtime as w",
      "c = w.Config(); c.wasm_memory64 = True; c.wasm_multi_memory = True; c.wasm_tail_call = True",
      "c.wasm_relaxed_simd = True; c.wasm_relaxed_simd_deterministic = True",
      "c.cranelift_opt_level = 'none'",
      "engine = w.Engine(c)",
      "def plainly(t, v):",
      "    if t == 'f32': return str(struct.unpack('<I', struct.pack('<f', v))[0])",
      "    if t == 'f64': return str(struct.unpack('<Q', struct.pack('<d', v))[0])",
      "    return str(v)",
      "for path in sys.argv[1:]:",
      "    print(path, file=sys.stderr, flush=True)",
      "    m = w.Module.from_file(engine, path)",
      "    names = [e.name for e in m.exports]",
      "    for line in open(path + '.txt'):",
      "        k, n, *kinds = line.split()",
      "        args = [0.0 if t[0] == 'f' else 0 for t in kinds[:int(n)]]",
      "        s = w.Store(engine); s.set_limits(memory_size=64 * 65536, table_elements=100000)",
      "        try:",
      "            i = w.Instance(s, m, [])",
      "            r = i.exports(s)[names[int(k)]](s, *args)",
      "            r = [] if r is None else r if isinstance(r, list) else [r]",
      "            print(' '.join(plainly(t, v) for t, v in zip(kinds[int(n):], r)) or '-')",
      "        except w.Trap as t:",
      "            print('exhausted' if t.trap_code == w.TrapCode.STACK_OVERFLOW else 'trap')",
      "        except w.WasmtimeError as e:",
      "            if not str(e).startswith('out of memory'): raise",
      "            print('exhausted')",
      "    print()"
    ]

wasmtime :: IO (Maybe FilePath)
wasmtime =
  program "python3" >>= \case
    Nothing -> pure Nothing
    Just exe -> do
      (code, _, _) <- readProcessWithExitCode exe ["-c", "import wasmtime"] ""
      pure (if code == ExitSuccess then Just exe else Nothing)

program :: String -> IO (Maybe FilePath)
program name = do
  folder <- lookupEnv "TERN_WASM_PEERS"
  here <- maybe (pure []) (\f -> findExecutablesInDirectories [f] name) folder
  maybe (findExecutable name) (pure . Just) (listToMaybe here)
