{-# LANGUAGE OverloadedStrings #-}

-- | Other engines, to be asked what functions return.
--
-- The idea: an engine is given files whose functions take nothing, and says of each
-- file what its functions gave, in order and in our words. Those that keep one
-- instance for a file are told from those that make one for each function. Engines
-- are looked for in the folder that @TERN_WASM_PEERS@ names, and on the path;
-- @wasmtime@ is also one as a module of Python.
--
-- Start at 'Peer' and 'peers'.
module Tern.Wasm.Peers
  ( Peer (..),
    peers,
  )
where

import Control.Monad (forM)
import Data.Int (Int32, Int64)
import Data.Maybe (fromMaybe, listToMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import System.Directory (findExecutable, findExecutablesInDirectories)
import System.Environment (lookupEnv)
import System.Exit (ExitCode (..))
import System.Process (readProcessWithExitCode)
import Text.Read (readMaybe)

data Peer = Peer
  { peerName :: String,
    -- | Where it comes from.
    peerSource :: String,
    -- | Whether each function has an instance of its own.
    peerFresh :: Bool,
    -- | Asks it, if it is here: files and the names of their functions.
    peerHere :: IO (Maybe ([FilePath] -> [Text] -> IO (Either String [[Text]])))
  }

peers :: [Peer]
peers =
  [ Peer "wasm-interp" "Debian package wabt" False (ask interpreted <$> program "wasm-interp"),
    Peer "wasmi" "cargo install wasmi_cli" True (ask invoked <$> program "wasmi"),
    Peer "wasmtime" "pip install wasmtime" False wasmtime,
    Peer
      "node"
      "Debian package nodejs"
      False
      ( ask (\exe files _ -> scripted exe ["-e", javascript] files)
          <$> program "node"
      )
  ]
  where
    ask f = fmap (\exe files names -> f exe files names)

program :: String -> IO (Maybe FilePath)
program name = do
  folder <- lookupEnv "TERN_WASM_PEERS"
  here <- maybe (pure []) (\f -> findExecutablesInDirectories [f] name) folder
  maybe (findExecutable name) (pure . Just) (listToMaybe here)

-- | A process for each file, which runs all its functions.
interpreted :: FilePath -> [FilePath] -> [Text] -> IO (Either String [[Text]])
interpreted exe files _ =
  fmap sequence . forM files $ \file -> do
    (code, out, complaints) <- readProcessWithExitCode exe [file, "--run-all-exports"] ""
    pure $ case code of
      ExitSuccess -> Right (map (outcome . T.drop 4 . snd . T.breakOn " => " . T.pack) (lines out))
      ExitFailure _ -> Left complaints
  where
    outcome answer
      | Just rest <- T.stripPrefix "error: " answer = trap (T.takeWhile (/= ':') rest)
      | Just n <- number "i32:" answer = T.pack (show (fromIntegral n :: Int32))
      | Just n <- number "i64:" answer = T.pack (show (fromIntegral n :: Int64))
      | otherwise = answer
    -- Unsigned, as it prints them.
    number kind answer = T.stripPrefix kind answer >>= readMaybe . T.unpack :: Maybe Integer

-- | A process for each function.
invoked :: FilePath -> [FilePath] -> [Text] -> IO (Either String [[Text]])
invoked exe files names =
  fmap sequence . forM files $ \file -> fmap sequence . forM names $ \name -> do
    (code, out, complaints) <-
      readProcessWithExitCode exe ["run", "--invoke", T.unpack name, file] ""
    pure $ case ( code,
                  T.breakOn
                    ": "
                    ( snd
                        ( T.breakOn
                            "during execution"
                            (T.takeWhile (/= '\n') (T.pack complaints))
                        )
                    )
                ) of
      (ExitSuccess, _) -> Right (T.strip (T.pack out))
      (_, (_, why)) | not (T.null why) -> Right (trap (T.drop 2 why))
      _ -> Left complaints

-- | One process for all files, which writes a line for each function and an empty
-- one after each file.
scripted :: FilePath -> [String] -> [FilePath] -> IO (Either String [[Text]])
scripted exe args files = do
  (code, out, complaints) <- readProcessWithExitCode exe (args <> files) ""
  pure $ case code of
    ExitSuccess -> Right (map (map outcome) (paragraphs (T.lines (T.pack out))))
    ExitFailure _ -> Left complaints
  where
    outcome line = maybe line trap (T.stripPrefix "trap " line)
    paragraphs ls = case break T.null ls of
      (rows, _ : rest) -> rows : paragraphs rest
      _ -> []

wasmtime :: IO (Maybe ([FilePath] -> [Text] -> IO (Either String [[Text]])))
wasmtime =
  program "python3" >>= \case
    Nothing -> pure Nothing
    Just exe -> do
      (code, _, _) <- readProcessWithExitCode exe ["-c", "import wasmtime"] ""
      pure
        ( if code == ExitSuccess
            then Just (\files _ -> scripted exe ["-c", python] files)
            else Nothing
        )

python :: String
python =
  unlines
    [ "import sys, wasmtime as w",
      "for path in sys.argv[1:]:",
      "    s = w.Store(w.Engine()); m = w.Module.from_file(s.engine, path); i = w.Instance(s, \
      \m, [])",
      "    for e in m.exports:",
      "        if isinstance(e.type, w.FuncType):",
      "            try: print(i.exports(s)[e.name](s))",
      "            except w.Trap as t: print('trap', t.trap_code.name)",
      "    print()"
    ]

javascript :: String
javascript =
  unlines
    [ "for (const path of process.argv.slice(1)) {",
      "  const i = new WebAssembly.Instance(new \
      \WebAssembly.Module(require('fs').readFileSync(path)));",
      "  for (const [name, f] of Object.entries(i.exports)) if (typeof f == 'function')",
      "    try { console.log(String(f())) } catch (e) { console.log('trap ' + e.message) }",
      "  console.log('');",
      "}"
    ]

-- | A trap's name, from another engine's words.
trap :: Text -> Text
trap theirs = "trap " <> fromMaybe theirs (lookup theirs known)
  where
    known =
      [ (name, ours)
        | (ours, names) <-
            [ ( "unreachable",
                [ "unreachable executed",
                  "wasm `unreachable` instruction executed",
                  "UNREACHABLE",
                  "unreachable"
                ]
              ),
              ( "integer divide by zero",
                [ "INTEGER_DIVISION_BY_ZERO",
                  "divide by zero",
                  "remainder by zero"
                ]
              ),
              ("integer overflow", ["INTEGER_OVERFLOW", "divide result unrepresentable"]),
              ("invalid conversion to integer", ["BAD_CONVERSION_TO_INTEGER"]),
              ( "out of bounds memory access",
                ["MEMORY_OUT_OF_BOUNDS", "memory access out of bounds"]
              ),
              -- One name for both.
              ("not a number that fits", ["float unrepresentable in integer range"])
            ],
          name <- names
      ]
