{-# LANGUAGE OverloadedStrings #-}

-- | What decoding a container's blocks beside each other gains.
--
-- The idea: the same container is read in turn by one thread and by several, in
-- interleaved rounds, and wall time is what counts: CPU time cannot become less. Where
-- other programs take processors away, it says little; then the CPU time of the busiest
-- thread of the system's says how long it would take if nobody did. The runtime has
-- several capabilities, which the other benchmarks must not have, so this is a program of
-- its own.
--
-- Start at 'main'; with @--keep@ the table goes to the page of figures.
module Main (main) where

import Control.Concurrent (runInUnboundThread)
import Control.Exception (IOException, try)
import Control.Monad (forM, forM_, unless, when)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy qualified as L
import Data.IORef (atomicModifyIORef', newIORef)
import Data.List (sort, transpose)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import GHC.Clock (getMonotonicTimeNSec)
import GHC.Conc (getNumCapabilities)
import System.Directory (listDirectory)
import System.Environment (getArgs)
import System.Exit (die)
import System.Mem (performMajorGC)
import Tern.Bench.Page (page, version)
import Tern.Bench.Sighting (Sighting, sighting)
import Tern.Container
  ( Blocks (..),
    Compression,
    Finding (..),
    Mark (..),
    Settings (..),
    containerDecoder,
    defaultBlocks,
    defaultSettings,
    encodeContainer,
    foldFindings,
    foldParallel,
    reduceParallel,
  )
import Tern.Lab.Machine (thisMachine)
import Tern.Lab.Result (Machine (..))
import Tern.Lab.Table (Align (..), duration, markdown, ratio)
import Tern.Zstd (zstd)

-- | How a container is read.
data Way
  = -- | By one thread, without any other.
    Alone
  | -- | Decoded by some threads and folded by one.
    Folded Int
  | -- | Decoded and reduced by some threads.
    Reduced Int

ways :: [Way]
ways = Alone : map Folded [1, 2, 4] <> map Reduced [1, 2, 4]

named :: Way -> Text
named = \case
  Alone -> "one, by foldFindings"
  Folded n -> T.concat [shown n, ", by foldParallel"]
  Reduced n -> T.concat [shown n, ", by reduceParallel"]

-- Not in the bound thread that a program begins with: what waits in it for another is
-- taken up by the system each time, not by the runtime.
main :: IO ()
main = runInUnboundThread $ do
  keep <-
    getArgs >>= \case
      [] -> pure False
      ["--keep"] -> pure True
      _ -> die "parallel: expected nothing or --keep"
  machine <- thisMachine
  capabilities <- getNumCapabilities
  tables <- forM kinds $ \(name, size, compression) -> do
    let input =
          L.toStrict
            ( encodeContainer
                defaultBlocks {blockBytes = size * 1024, compressed = compression}
                (Mark 0x6e726574)
                (map sighting [1 .. elements])
            )
    T.putStrLn (T.concat [name, ": ", shown (B.length input), " bytes"])
    rows (T.concat [name, ", ", shown (B.length input `quot` 1000000), " MB"]) <$> measured input
  let table =
        markdown
          [ToLeft, ToLeft, ToRight, ToRight, ToRight, ToRight]
          ( ["blocks", "threads", "wall time", "times as fast", "busiest thread", "times as fast"]
              : concat tables
          )
          <> [ "",
               T.concat
                 [ "Medians of wall time and of the CPU time of the busiest thread, of ",
                   shown rounds,
                   " interleaved rounds over ",
                   shown elements,
                   " records. Measured with ",
                   T.intercalate ", " [compiler machine, system machine, processor machine],
                   ", +RTS -N",
                   shown capabilities,
                   " -A64m."
                 ]
             ]
  T.putStr (T.unlines table)
  when keep (page (T.concat ["parallel ", version machine]) (T.unlines table))

-- | The kinds of containers: a name, the KiB of a block, how it is compressed.
kinds :: [(Text, Int, Maybe Compression)]
kinds =
  [ ("16 KiB", 16, Nothing),
    ("256 KiB", 256, Nothing),
    ("16 KiB by Zstandard", 16, Just (zstd 3)),
    ("256 KiB by Zstandard", 256, Just (zstd 3))
  ]

elements, rounds :: Int
elements = 1000000
rounds = 9

shown :: Int -> Text
shown = T.pack . show

-- | A row for each way; the first is what the others are compared with.
rows :: Text -> [(Double, Double)] -> [[Text]]
rows name times =
  [ [ if i == 0
        then name
        else "",
      named way,
      duration wall,
      against i (ratio base wall),
      duration busiest,
      against i (ratio base' busiest)
    ]
    | (i, (way, (wall, busiest))) <- zip [0 :: Int ..] (zip ways times),
      (base, base') <- take 1 times
  ]
  where
    against i text = if i == 0 then "" else text

-- | Medians in nanoseconds, of the ways in their order: of wall time, and of the CPU time
-- of the busiest thread.
measured :: ByteString -> IO [(Double, Double)]
measured input = do
  -- Once before, to see that all of them read all of it.
  forM_ ways $ \way -> do
    n <- drained way input
    unless (n == elements) $ die "parallel: not all elements were read"
  samples <- forM [1 .. rounds] $ \i -> do
    let turned = if even i then reverse else id
    turned <$> forM (turned ways) (\way -> performMajorGC >> timed (drained way input))
  pure [(median (map fst one), median (map snd one)) | one <- transpose samples]
  where
    timed act = do
      before <- taken
      begin <- getMonotonicTimeNSec
      n <- act
      end <- getMonotonicTimeNSec
      after <- taken
      unless (n == elements) $ die "parallel: not all elements were read"
      pure
        ( fromIntegral (end - begin),
          maximum
            ( 0
                : Map.elems (Map.unionWith (+) after (Map.map negate before))
            )
        )
    median samples = case drop (length samples `quot` 2) (sort samples) of
      middle : _ -> middle
      [] -> 0 :: Double

-- | The CPU time that each thread of this process has had, in nanoseconds, where the
-- kernel (Linux) says so.
taken :: IO (Map.Map FilePath Double)
taken = do
  threads <- either none id <$> try (listDirectory "/proc/self/task")
  Map.fromList . concat
    <$> forM
      threads
      ( \thread ->
          either none (one thread)
            <$> try (B.readFile ("/proc/self/task/" <> thread <> "/schedstat"))
      )
  where
    none :: IOException -> [a]
    none _ = []
    one thread text = [(thread, fromIntegral n) | Just (n, _) <- [BC.readInt text]]

-- | How many elements there are in chunks of 32 KiB.
drained :: Way -> ByteString -> IO Int
drained way input = do
  left <- newIORef input
  let source =
        atomicModifyIORef'
          left
          ( \rest ->
              let (chunk, later) =
                    B.splitAt 32768 rest
               in (later, chunk)
          )
      decoder = containerDecoder defaultSettings {understood = [zstd 3]}
      count n found = pure $! n + counted found
  case way of
    Alone -> foldFindings count 0 source decoder
    Folded threads -> foldParallel threads count 0 source decoder
    Reduced threads ->
      reduceParallel threads (sum . map counted) (\n m -> pure $! n + m) 0 source decoder

-- | How many elements there are. What is wrong makes it less than it should be.
counted :: Finding Sighting -> Int
counted = \case
  Elements _ values -> length values
  _ -> -1
