{-# LANGUAGE OverloadedStrings #-}

-- | Article 001's seven steps to a faster interpreter, on a small interpreter that
-- is kept for it, and then this engine.
--
-- Each step runs in a process of its own, so that its memory is its own, and is
-- measured there by the laboratory ("Tern.Lab.Measure"): bytes allocated and
-- nanoseconds for a turn of the loop, and the most that was live. A step's name as an
-- argument runs that step alone.
module Main (main) where

import Control.Monad (forM_, unless)
import Data.Foldable (toList)
import Data.Int (Int32)
import Data.List (isPrefixOf)
import Data.Word (Word32)
import GHC.Stats (getRTSStats, max_live_bytes)
import System.Environment (getArgs, getExecutablePath)
import System.Exit (ExitCode (..), die)
import System.IO.Unsafe (unsafePerformIO)
import System.Process (readProcessWithExitCode)
import Tern.Lab.Measure
  ( Settings (..),
    Timing (..),
    allocatedBy,
    defaultSettings,
    operation,
    timings,
  )
import Tern.Wasm qualified as Wasm
import Tern.Wasm.Story.Beginning qualified as Beginning
import Tern.Wasm.Story.Differences qualified as Differences
import Tern.Wasm.Story.Eta qualified as Eta
import Tern.Wasm.Story.Exports qualified as Exports
import Tern.Wasm.Story.Simple qualified as Simple
import Tern.Wasm.Story.Specialised qualified as Specialised
import Tern.Wasm.Story.Vectors qualified as Vectors
import Tern.Wasm.Story.Zipper qualified as Zipper
import Text.Printf (printf)

-- | A name, how many turns to measure, and what makes ready to run them.
steps :: [(String, Int32, IO (Int32 -> IO Bool))]
steps =
  [ ("beginning", 500, pure (fmap (== Right [0]) . Beginning.run)),
    ("vectors", 100000, pure (fmap (== Right [0]) . Vectors.run)),
    ("specialised", 100000, pure (fmap (== Right [0]) . Specialised.run)),
    ("differences", 100000, pure (fmap (== Right [0]) . Differences.run)),
    ("exports", 100000, pure (fmap (== Right [0]) . Exports.run)),
    ("eta", 100000, pure (fmap (== Right [0]) . Eta.run)),
    ("simple", 100000, pure (fmap (== Right [0]) . Simple.run)),
    ("zipper", 100000, pure (fmap (== Right [0]) . Zipper.run)),
    ("engine", 100000, engine Wasm.Interpreter),
    ("native code", 1000000, engine Wasm.NativeCode)
  ]

-- | The same program on this engine, by one of its tiers.
engine :: Wasm.Tier -> IO (Int32 -> IO Bool)
engine tier = do
  bytes <- either (die . show . Wasm.renderError) pure (Wasm.binaryOf source)
  m <-
    Wasm.loadWith Wasm.defaultLoading {Wasm.loadingTier = tier} bytes
      >>= either (die . show . Wasm.renderError) pure
  store <- Wasm.newStore Wasm.defaultSettings
  i <- Wasm.instantiate store m Wasm.noImports >>= either (die . show . Wasm.renderError) pure
  f <- either (die . show . Wasm.renderError) pure (Wasm.exportFunction i "run")
  pure
    ( \turns ->
        either (const False) (== (0 :: Word32))
          <$> (f (fromIntegral turns :: Word32) :: IO (Either Wasm.Error Word32))
    )
  where
    source =
      "(module (memory 1) (func (export \"run\") (param i32) (result i32)\n\
      \  (i32.store (i32.const 0) (local.get 0))\n\
      \  (loop $l\n\
      \    (i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (i32.const -1)))\n\
      \    (br_if $l (i32.load (i32.const 0))))\n\
      \  (i32.load (i32.const 0))))"

main :: IO ()
main =
  getArgs >>= \case
    [name] | (_, turns, run) : _ <- [s | s@(n, _, _) <- steps, n == name] -> measured turns run
    [] -> do
      self <- getExecutablePath
      printf
        "%-12s %14s %14s %12s\n"
        ("step" :: String)
        ("bytes a turn" :: String)
        ("ns a turn" :: String)
        ("live bytes" :: String)
      forM_ steps $ \(name, _, _) -> do
        (code, out, complaints) <- readProcessWithExitCode self [name] ""
        case code of
          ExitSuccess -> printf "%-12s %s" name out
          ExitFailure _ -> die (name <> ": " <> take 300 complaints)
    other ->
      die
        ( "expected one of "
            <> unwords [n | (n, _, _) <- steps]
            <> (if any ("-" `isPrefixOf`) other then ", not an option" else "")
        )

measured :: Int32 -> IO (Int32 -> IO Bool) -> IO ()
measured turns ready = do
  run <- ready
  right <- run turns
  unless right (die "a wrong result")
  let once = operation (unsafePerformIO . run) (`seq` ()) turns
  bytes <- allocatedBy once
  found <- timings defaultSettings {rounds = 5} (const (pure ())) [once]
  live <- max_live_bytes <$> getRTSStats
  let each x = x / fromIntegral turns :: Double
  printf
    "%14.1f %14.1f %12d\n"
    (each bytes)
    (each (minimum (concatMap (toList . cpuTimes) found)))
    live
