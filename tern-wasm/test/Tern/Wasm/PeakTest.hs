{-# LANGUAGE OverloadedStrings #-}

-- | How much memory making code takes at most, for each byte of a function's body.
--
-- The idea: bodies are made of one thing, very often, and everything that makes much code of
-- few bytes is tried. While code is made, another thread collects all the time and looks at
-- what is alive; the most that it saw, without what was there before, is compared with a
-- ceiling. No clock is asked. The ceilings are promises of optimised code.
--
-- Start at 'shapes'.
module Tern.Wasm.PeakTest
  ( tests,
  )
where

import Control.Concurrent (forkIO, getNumCapabilities, setNumCapabilities, threadDelay)
import Control.Concurrent.MVar (newEmptyMVar, putMVar, takeMVar)
import Control.Exception (bracket_, evaluate, finally)
import Control.Monad (unless, void)
import Data.Bits (shiftR, (.&.), (.|.))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.IORef (newIORef, readIORef, writeIORef)
import Data.List (intercalate)
import Data.Word (Word8)
import GHC.Stats (GCDetails (..), RTSStats (..), getRTSStats)
import System.Mem (performMajorGC)
import Tern.Testkit.Allocation (optimised)
import Tern.Testkit.Tally (skip)
import Tern.Wasm.Binary (decode)
import Tern.Wasm.Code (Lowered (..))
import Tern.Wasm.Lasting (Keeper, newKeeper)
import Tern.Wasm.Lower (Options (..), lower)
import Tern.Wasm.Native (Tier (..), emitted, emittedPages, processor)
import Tern.Wasm.Valid (Valid, validate)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit

tests :: TestTree
tests
  | optimised = testGroup "peaks" [testCaseInfo (shapeName s) (peaks s) | s <- shapes]
  | otherwise = testGroup "peaks" [skip "peaks" "ceilings of optimised code"]

peaks :: Shape -> IO String
peaks s = do
  valid <- either assertFailure evaluate (validated (moduleOf s))
  keeper <- newKeeper
  (lowering, made) <- peakOf (lower maxBound keeper options valid 0)
  l <- maybe (assertFailure "no bytecode") pure made
  (emitting, size) <- peakOf (emitted processor 0 0 l >>= mapM emittedPages)
  kept keeper
  let bytes = B.length (shapeBody s)
      each n = n `div` bytes
      figures =
        [ show (each lowering) <> " for bytecode of " <> show (each (loweredSize l)),
          show (each emitting) <> " for native code of " <> maybe "none" (show . each) size
        ]
      said = intercalate ", " figures <> " bytes a byte"
  unless (each lowering <= ofBytes && each emitting <= shapeNative s) $
    assertFailure (said <> ": more than " <> show (ofBytes, shapeNative s))
  unless (emitting <= 1000000 + ofBytecode * loweredSize l) $
    assertFailure (said <> ": too much for the bytecode")
  pure said
  where
    options = Options Nothing False Nothing NativeCode processor

-- | What bytecode takes at most for a byte of a body, a third more than was seen of any. It is
-- made in milliseconds, of which the other thread sees a few, so that what it saw of one body
-- says little of the next time.
ofBytes :: Int
ofBytes = 170

-- | What native code takes at most for a byte of bytecode, beyond a megabyte.
ofBytecode :: Int
ofBytecode = 40

kept :: Keeper -> IO ()
kept keeper = void (evaluate keeper)
{-# NOINLINE kept #-}

-- | The most that is alive while something is done, beyond what was.
peakOf :: IO a -> IO (Int, a)
peakOf action = do
  processors <- getNumCapabilities
  bracket_ (setNumCapabilities 2) (setNumCapabilities processors) (watched action)

-- | The other thread needs a processor of its own: it would look once in 20 ms.
watched :: IO a -> IO (Int, a)
watched action = do
  before <- living
  most <- newIORef before
  going <- newIORef True
  ended <- newEmptyMVar
  let look = do
        n <- living
        m <- readIORef most
        writeIORef most $! max m n
        threadDelay 1000
        more <- readIORef going
        if more then look else putMVar ended ()
  _ <- forkIO look
  r <- action `finally` (writeIORef going False >> takeMVar ended)
  after <- living
  m <- readIORef most
  pure (max m after - before, r)

-- | What is alive, by a collection of everything: after it, and before the figures are read,
-- another thread may have had a small one, which takes for alive what it did not look at.
living :: IO Int
living = do
  performMajorGC
  seen <- gc <$> getRTSStats
  if gcdetails_gen seen > 0 then pure (fromIntegral (gcdetails_live_bytes seen)) else living

validated :: ByteString -> Either String Valid
validated bytes = case decode bytes of
  Left e -> Left (show e)
  Right m -> either (Left . show) Right (validate m)

-- * Bodies

-- | The instructions of a function, and the most that native code may take of memory while it
-- is made, in bytes for each byte of them: a third more than was seen with either compiler.
data Shape = Shape
  { shapeName :: String,
    shapeNative :: Int,
    shapeBody :: ByteString
  }

shapes :: [Shape]
shapes =
  [ plain "handlers of one block" 205 $
      [0x02, 0x40, 0x1F, 0x40] <> number 100000 <> rep 100000 [0x02, 0x00] <> [0x0B, 0x0B],
    plain "blocks that catch, in blocks" 160 $
      rep 10000 [0x1F, 0x40, 0x01, 0x02, 0x00] <> rep 10000 [0x0B],
    plain "blocks that catch, in a row" 140 $ rep 10000 [0x1F, 0x40, 0x01, 0x02, 0x00, 0x0B],
    plain "blocks in blocks" 10 $ rep 100000 [0x02, 0x40] <> rep 100000 [0x0B],
    plain "loops in loops" 70 $ rep 20000 [0x03, 0x40] <> rep 20000 [0x0B],
    plain "loops in a row" 70 $ rep 20000 [0x03, 0x40, 0x0B],
    plain "loops that go on" 80 $ rep 8000 [0x03, 0x40, 0x20, 0x00, 0x0D, 0x00, 0x0B],
    plain "blocks that are left" 60 $ rep 8000 [0x02, 0x40, 0x20, 0x00, 0x0D, 0x00, 0x0B],
    plain "blocks in blocks that are left" 50 $
      rep 8000 [0x02, 0x40, 0x20, 0x00, 0x0D, 0x00] <> rep 8000 [0x0B],
    plain "branches out of the function" 155 $ rep 15000 [0x20, 0x00, 0x0D, 0x00],
    plain "choices" 125 $ rep 8000 [0x20, 0x00, 0x04, 0x40, 0x05, 0x0B],
    plain "entries of one table" 40 $
      [0x02, 0x40, 0x20, 0x00, 0x0E] <> number 300000 <> rep 300000 [0x00] <> [0x00, 0x0B],
    plain "entries of one table, each another" 90 $
      rep 20000 [0x02, 0x40]
        <> [0x20, 0x00, 0x0E]
        <> number 19999
        <> concatMap number [0 .. 19999]
        <> rep 20000 [0x0B],
    plain "small tables" 50 $
      rep 6000 [0x02, 0x40, 0x20, 0x00, 0x0E, 0x02, 0x00, 0x00, 0x00, 0x0B],
    plain "arithmetic of one operand" 210 $ [0x20, 0x00] <> rep 60000 [0x67] <> [0x1A],
    plain "arithmetic of two operands" 60 $
      [0x20, 0x00] <> rep 20000 [0x20, 0x01, 0x6A] <> [0x1A],
    plain "divisions" 70 $ [0x20, 0x00] <> rep 20000 [0x20, 0x01, 0x6D] <> [0x1A],
    plain "conversions that trap" 130 $ [0x43, 0, 0, 0, 0] <> rep 25000 [0xA8, 0xBE] <> [0x1A],
    plain "numbers with a sign and without" 150 $
      [0x44] <> rep 8 [0] <> rep 8000 [0xFC, 0x06, 0xB9, 0xFC, 0x07, 0xBA] <> [0x1A],
    plain "floats, the lesser one" 70 $
      [0x43, 0, 0, 0, 0] <> rep 16000 [0x43, 0, 0, 0, 0, 0x96] <> [0x1A],
    plain "pages, all wanted" 60 $ rep 20000 [0x3F, 0x00] <> rep 20000 [0x1A],
    plain "globals, all wanted" 70 $ rep 20000 [0x23, 0x00] <> rep 20000 [0x1A],
    plain "one of two" 40 $ [0x20, 0x00] <> rep 10000 [0x20, 0x01, 0x20, 0x02, 0x1B] <> [0x1A],
    plain "constants" 10 $ rep 30000 [0x41, 0x00] <> rep 30000 [0x1A],
    plain "operands" 10 $ rep 30000 [0x20, 0x00] <> rep 30000 [0x1A],
    plain "operands, put where they belong" 70 $
      rep 60000 [0x20, 0x00] <> [0x02, 0x40, 0x0B] <> rep 60000 [0x1A],
    plain "choices in choices" 90 $ rep 60000 [0x20, 0x00, 0x04, 0x40] <> rep 60000 [0x0B],
    plain "locals" 100 $ rep 15000 [0x20, 0x00, 0x21, 0x01],
    plain "globals" 105 $ rep 15000 [0x23, 0x00, 0x24, 0x00],
    plain "calls" 180 $ rep 25000 [0x10, 0x00],
    plain "calls by a table" 125 $ rep 12000 [0x41, 0x00, 0x11, 0x00, 0x00],
    plain "loads" 75 $ [0x41, 0x00] <> rep 16000 [0x28, 0x00, 0x00] <> [0x1A],
    plain "stores" 40 $ rep 8000 [0x20, 0x00, 0x20, 0x01, 0x36, 0x00, 0x00],
    plain "what the driver does" 230 $ [0x41, 0x00] <> rep 25000 [0x40, 0x00] <> [0x1A],
    plain "tables" 150 $ [0x41, 0x00] <> rep 16000 [0x25, 0x00, 0x1A, 0x41, 0x00] <> [0x1A],
    plain "references that are null" 200 $ [0xD0, 0x70] <> rep 30000 [0xD4] <> [0x1A],
    plain "branches on null" 405 $ [0xD0, 0x70] <> rep 20000 [0xD5, 0x00] <> [0x1A],
    plain "vectors" 190 $ [0xFD, 0x0C] <> rep 16 [0] <> rep 25000 [0xFD, 0x4D] <> [0x1A],
    plain "conversions of vectors" 95 $
      [0xFD, 0x0C] <> rep 16 [0] <> rep 16000 [0xFD, 0xF8, 0x01] <> [0x1A],
    plain "loads of vectors" 40 $ rep 8000 [0x20, 0x00, 0xFD, 0x00, 0x00, 0x00, 0x1A],
    plain "exceptions" 90 $ rep 6000 [0x02, 0x40, 0x20, 0x00, 0x0D, 0x00, 0x08, 0x00, 0x0B],
    plain "returns" 75 $ rep 6000 [0x02, 0x40, 0x20, 0x00, 0x0D, 0x00, 0x0F, 0x0B],
    alive "calls" 170 $ rep 5000 [0x10, 0x00],
    alive "branches on null" 370 $ [0xD0, 0x70] <> rep 4000 [0xD5, 0x00] <> [0x1A],
    alive "handlers of one block" 180 $
      [0x02, 0x40, 0x1F, 0x40] <> number 8000 <> rep 8000 [0x02, 0x00] <> [0x0B, 0x0B],
    alive "blocks that catch, in blocks" 240 $
      rep 4000 [0x1F, 0x40, 0x01, 0x02, 0x00] <> rep 4000 [0x0B],
    alive "loops in loops" 120 $ rep 8000 [0x03, 0x40] <> rep 8000 [0x0B],
    alive "blocks that are left" 135 $ rep 4000 [0x02, 0x40, 0x20, 0x00, 0x0D, 0x00, 0x0B],
    alive "small tables" 100 $
      rep 3000 [0x02, 0x40, 0x20, 0x00, 0x0E, 0x02, 0x00, 0x00, 0x00, 0x0B],
    alive "loops that go on" 160 $ rep 4000 [0x03, 0x40, 0x20, 0x00, 0x0D, 0x00, 0x0B],
    alive "loops in a row" 120 $ rep 8000 [0x03, 0x40, 0x0B],
    alive "choices" 200 $ rep 4000 [0x20, 0x00, 0x04, 0x40, 0x05, 0x0B],
    alive "loads" 70 $ [0x41, 0x00] <> rep 8000 [0x28, 0x00, 0x00] <> [0x1A],
    alive "what the driver does" 185 $ [0x41, 0x00] <> rep 6000 [0x40, 0x00] <> [0x1A],
    alive "conversions that trap" 150 $ [0x43, 0, 0, 0, 0] <> rep 8000 [0xA8, 0xBE] <> [0x1A]
  ]
  where
    plain name native code = Shape name native (B.pack code)
    -- All locals are read afterwards, in loops, so that registers hold them meanwhile.
    alive name native code =
      Shape (name <> ", while much is alive") native . B.pack $
        code
          <> rep 4 [0x03, 0x40]
          <> concat [[0x20, k, 0x24, 0x00] | k <- [0 .. 15]]
          <> concat [[0x20, k, 0xFC, 0x02, 0x24, 0x00] | k <- [16 .. 31]]
          <> rep 4 [0x20, 0x00, 0x0D, 0x00, 0x0B]
    rep n = concat . replicate n

-- | The body is that of a function with sixteen locals of 32 bits and sixteen of double floats.
moduleOf :: Shape -> ByteString
moduleOf s =
  B.concat
    [ "\0asm\1\0\0\0",
      -- [] -> [].
      section 1 [1, 0x60, 0, 0],
      section 3 [1, 0],
      section 4 [1, 0x70, 0, 1],
      section 5 [1, 0, 1],
      section 13 [1, 0, 0],
      section 6 [1, 0x7F, 1, 0x41, 0, 0x0B],
      B.cons 10 (sized (B.pack (number 1) <> sized code))
    ]
  where
    code = B.pack [2, 16, 0x7F, 16, 0x7C] <> shapeBody s <> B.pack [0x0B]
    section k bytes = B.cons k (sized (B.pack bytes))
    sized bytes = B.pack (number (B.length bytes)) <> bytes

number :: Int -> [Word8]
number n
  | n < 128 = [fromIntegral n]
  | otherwise = fromIntegral (n .&. 127 .|. 128) : number (n `shiftR` 7)
