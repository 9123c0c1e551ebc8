{-# LANGUAGE PatternSynonyms #-}

-- | Blocks that there is no memory for, or no time: what was drawn from the allowance is given
-- back, and what was there is as it was.
--
-- The idea: the process is let take a little more memory than it has, for a moment. That the
-- system refuses the rest is then no matter of the machine.
module Tern.Wasm.BlockTest
  ( tests,
  )
where

import Control.Exception (evaluate, throwIO, try)
import Control.Monad (forM, forM_)
import Data.IORef (modifyIORef', newIORef, readIORef, writeIORef)
import Data.Set qualified as Set
import Data.Word (Word32, Word64, Word8)
import Foreign.Concurrent qualified as Concurrent
import Foreign.ForeignPtr (ForeignPtr, withForeignPtr)
import System.IO.Error (ioeGetErrorString, isUserError)
import System.Mem (performMajorGC)
import System.Posix.Resource (Resource (..))
import Tern.Wasm.Allowance (Allowance, newAllowance, taken)
import Tern.Wasm.Block
  ( Memory (..),
    Table (..),
    fillTable,
    growMemory,
    growTable,
    memoryPages,
    newMemory,
    newTable,
    ownPages,
    tableSize,
    withMemory,
    withTable,
    zeroed,
  )
import Tern.Wasm.Interrupted (manyTimes, somewhere)
import Tern.Wasm.Lasting
  ( Moving,
    View (..),
    at,
    end,
    forever,
    movingAddress,
    movingSize,
    newKeeper,
    passing,
    passingAddress,
    record,
    view,
  )
import Tern.Wasm.Limited (limited)
import Tern.Wasm.Prim (peekByteOff, peekElemOff, pokeByteOff)
import Tern.Wasm.Syntax
  ( AddressType (..),
    Limits (..),
    MemoryType (..),
    TableType (..),
    pattern FuncRef,
  )
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "blocks"
    [ testCase "more than any machine has" $ do
        allowance <- newAllowance maxBound
        -- 256 TiB: twice what a process can address.
        made <- memoryOf maxBound allowance (2 ^ (32 :: Int) - 1)
        null made @?= True
        taken allowance >>= (@?= 0),
      testCase "more than the allowance has" $ do
        allowance <- newAllowance 10
        memoryOf maxBound allowance 11 >>= (@?= True) . null
        tableOf maxBound allowance 11 >>= (@?= True) . null
        taken allowance >>= (@?= 0),
      testCase "more than one block may have" $ do
        allowance <- newAllowance maxBound
        memoryOf 10 allowance 11 >>= (@?= True) . null
        tableOf 10 allowance 11 >>= (@?= True) . null
        memory <- memoryOf 10 allowance 9 >>= there
        table <- tableOf 10 allowance 9 >>= there
        growMemory timely memory 2 >>= (@?= Nothing)
        growTable timely table 2 0 >>= (@?= Nothing)
        growMemory timely memory 1 >>= (@?= Just 9)
        growTable timely table 1 0 >>= (@?= Just 9)
        taken allowance >>= (@?= 20),
      testCase "a table that there is no memory for" $ do
        allowance <- newAllowance maxBound
        table <- tableOf maxBound allowance 1000 >>= there
        allowing 16 (growTable timely table eightMillion 0) >>= (@?= Nothing)
        taken allowance >>= (@?= 1000)
        tableSize table >>= (@?= 1000)
        growTable timely table 10 0 >>= (@?= Just 1000),
      testCase "a memory that there is no room for, or none to double it in" $ do
        allowance <- newAllowance maxBound
        -- 64 MiB are not made with room to double.
        memory <- allowing 96 (memoryOf maxBound allowance 1024) >>= there
        readIORef (memoryCapacity memory) >>= (@?= 67108864)
        withMemory memory (\p _ -> pokeByteOff p 77 seven)
        allowing 16 (growMemory timely memory 1) >>= (@?= Nothing)
        taken allowance >>= (@?= 1024)
        -- They are not doubled now, and have a page more.
        allowing 96 (growMemory timely memory 1) >>= (@?= Just 1024)
        taken allowance >>= (@?= 1025)
        memoryPages memory >>= (@?= 1025)
        growMemory timely memory 1 >>= (@?= Just 1025)
        withMemory memory (\p _ -> peekByteOff p 77) >>= (@?= seven),
      testCase "a large memory grows where it is, as far as it has room" $ do
        allowance <- newAllowance maxBound
        memory <- memoryOf 100 allowance 64 >>= there
        View block _ <- view (memoryBlock memory)
        growMemory timely memory 30 >>= (@?= Just 64)
        -- No more than it may ever have.
        readIORef (memoryCapacity memory) >>= (@?= 6553600)
        growMemory timely memory 7 >>= (@?= Nothing)
        View block' size <- view (memoryBlock memory)
        (block', size) @?= (block, 6160384)
        recorded (memoryBlock memory)
        taken allowance >>= (@?= 94)
        some <- withMemory memory (\p n -> mapM (peekByteOff p) [0, 997 .. n - 1])
        maximum (some :: [Word8]) @?= 0,
      testCase "only a large memory has pages of its own" $ do
        allowance <- newAllowance maxBound
        small <- memoryOf maxBound allowance 1 >>= there
        ownPages small >>= (@?= True) . null
        large <- memoryOf maxBound allowance 64 >>= there
        View block size <- view (memoryBlock large)
        View block' size' <- ownPages large >>= there
        (block', size') @?= (block, size),
      testCase "a block that the system has no pages for is refused" $
        try (zeroed (2 ^ (60 :: Int)) :: IO (ForeignPtr ())) >>= \case
          Left e -> ioeGetErrorString e @?= "no memory"
          Right _ -> assertFailure "2^60 bytes",
      testCase "a block and its size are read as one" $ do
        allowance <- newAllowance maxBound
        memory <- memoryOf maxBound allowance 2 >>= there
        View block size <- view (memoryBlock memory)
        size @?= 131072
        growMemory timely memory 1 >>= (@?= Just 2)
        -- The other block begins elsewhere.
        View block' size' <- view (memoryBlock memory)
        size' @?= 196608
        assertBool "not moved" (block /= block'),
      testCase "a block that has moved is freed at once, unless somebody is looking at it" $ do
        allowance <- newAllowance maxBound
        -- 64 MiB are not made with room to double.
        memory <- allowing 96 (memoryOf maxBound allowance 1024) >>= there
        readIORef (memoryCapacity memory) >>= (@?= 67108864)
        withMemory memory (\p _ -> pokeByteOff p 77 seven)
        -- What other cases have left is none of this.
        before <- performMajorGC >> addressed
        growMemory timely memory 1 >>= (@?= Just 1024)
        after <- addressed
        -- 128 MiB in the place of 64, and not beside them.
        assertBool (show (before, after)) (after - before < 96 * 1048576)
        withMemory memory $ \p size -> do
          growMemory timely memory 1024 >>= (@?= Just 1025)
          size @?= 1025 * 65536
          peekByteOff p 77 >>= (@?= seven)
          (p', size') <- withMemory memory (curry pure)
          (p' == p, size') @?= (False, 2049 * 65536)
        growMemory timely memory 1 >>= (@?= Just 2049)
        withMemory memory (\p _ -> peekByteOff p 77) >>= (@?= seven)
        -- Whoever looked, and was interrupted, looks no more.
        small <- memoryOf maxBound allowance 1024 >>= there
        forM_ manyTimes $ \k ->
          somewhere k (withMemory small (\p _ -> peekByteOff p 77 :: IO Word64))
        before' <- performMajorGC >> addressed
        growMemory timely small 1 >>= (@?= Just 1024)
        after' <- addressed
        assertBool (show (before', after')) (after' - before' < 96 * 1048576),
      testCase "a block that ends is freed at once, whoever holds it" $ do
        freed <- newIORef False
        place <- forever 16
        block <- passing <$> Concurrent.newForeignPtr place (writeIORef freed True)
        passingAddress block @?= place
        readIORef freed >>= (@?= False)
        end block
        readIORef freed >>= (@?= True),
      testCase "no time is left while a block is moved" $ do
        allowance <- newAllowance maxBound
        memory <- memoryOf maxBound allowance 1 >>= there
        table <- tableOf maxBound allowance 1 >>= there
        growMemory (pure False) memory 1 >>= (@?= Nothing)
        growTable (pure False) table 1 0 >>= (@?= Nothing)
        taken allowance >>= (@?= 2)
        memoryPages memory >>= (@?= 1)
        tableSize table >>= (@?= 1),
      testCase "somebody throws while a block is moved" $ do
        allowance <- newAllowance maxBound
        memory <- memoryOf maxBound allowance 1 >>= there
        thrown <- try (growMemory (throwIO (userError "thrown")) memory 1)
        either isUserError (const False) thrown @?= True
        taken allowance >>= (@?= 1)
        growMemory timely memory 1 >>= (@?= Just 1),
      testCase "whoever interrupts a memory that grows finds it grown or as it was" $ do
        ends <- forM manyTimes $ \k -> do
          allowance <- newAllowance maxBound
          memory <- memoryOf maxBound allowance 1 >>= there
          _ <- somewhere k (growMemory timely memory 3)
          pages <- memoryPages memory
          capacity <- readIORef (memoryCapacity memory)
          paid <- taken allowance
          recorded (memoryBlock memory)
          pure (pages, capacity, paid)
        Set.fromList ends @?= Set.fromList [(1, 65536, 1), (4, 262144, 4)],
      testCase "whoever interrupts a table that grows finds it grown or as it was" $ do
        ends <- forM manyTimes $ \k -> do
          allowance <- newAllowance maxBound
          table <- tableOf maxBound allowance 1 >>= there
          _ <- somewhere k (growTable timely table 30 seven)
          size <- tableSize table
          capacity <- readIORef (tableCapacity table)
          paid <- taken allowance
          recorded (tableBlock table)
          pure (size, capacity, paid)
        Set.fromList ends @?= Set.fromList [(1, 1, 1), (31, 31, 31)],
      testCase "the time is looked at while a table is filled, before it has grown" $ do
        allowance <- newAllowance maxBound
        -- Where its block is moved, and where there is room in it.
        table <- tableOf maxBound allowance 1 >>= there
        inPieces allowance table 500000
        growTable timely table 500000 seven >>= (@?= Just 1)
        growTable timely table 1 seven >>= (@?= Just 500001)
        inPieces allowance table 400000
        -- What was filled by then is no element: others are null.
        growTable timely table 400000 0 >>= (@?= Just 500002)
        withTable table $ \p n -> do
          n @?= 900002
          forM [500001, 500002, 900001] (peekElemOff p) >>= (@?= [seven, 0, 0])
        -- The same of a table that is filled as a whole.
        looks <- newIORef (0 :: Int)
        fillTable (True <$ modifyIORef' looks (+ 1)) table seven >>= (@?= True)
        readIORef looks >>= (@?= 7)
        fillTable (pure False) table 0 >>= (@?= False)
        withTable table $ \p _ -> forM [0, 900001] (peekElemOff p) >>= (@?= [seven, seven])
    ]
  where
    timely = pure True
    eightMillion = 8388608
    seven = 7 :: Word64
    -- Growing is given up at each look at the time, of which there is one for a mebibyte.
    inPieces allowance table n = do
      before <- (,,) <$> tableSize table <*> readIORef (tableCapacity table) <*> taken allowance
      forM_ [0 .. 3 :: Int] $ \k -> do
        looks <- newIORef k
        let still = (> 0) <$> readIORef looks <* modifyIORef' looks (subtract 1)
        growTable still table n seven >>= (@?= Nothing)
        after <- (,,) <$> tableSize table <*> readIORef (tableCapacity table) <*> taken allowance
        after @?= before

-- | The record says to code what the view says to the host.
recorded :: Moving a -> IO ()
recorded moving = do
  View block size <- view moving
  (p, n) <- at (record moving) $ \r ->
    (,) <$> peekByteOff r movingAddress <*> peekByteOff r movingSize
  withForeignPtr block (\q -> (p, n) @?= (q, size))

memoryOf :: Word32 -> Allowance -> Word64 -> IO (Maybe Memory)
memoryOf most allowance n = do
  keeper <- newKeeper
  owner <- newIORef 0
  newMemory keeper owner allowance most (MemoryType Address64 (Limits n Nothing))

tableOf :: Word32 -> Allowance -> Word64 -> IO (Maybe Table)
tableOf most allowance n = do
  keeper <- newKeeper
  owner <- newIORef 0
  newTable keeper owner allowance most (TableType Address64 (Limits n Nothing) FuncRef)

there :: Maybe a -> IO a
there = maybe (assertFailure "not made") pure

-- | Run an action while the process may have a number of mebibytes more than it has.
allowing :: Integer -> IO a -> IO a
allowing mebibytes act = do
  most <- (+ mebibytes * 1048576) <$> addressed
  limited ResourceTotalMemory most act

-- | How many bytes of addresses the process has.
addressed :: IO Integer
addressed = do
  text <- readFile "/proc/self/statm"
  evaluate (4096 * read (takeWhile (/= ' ') text))
