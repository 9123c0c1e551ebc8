{-# LANGUAGE OverloadedStrings #-}

-- | What runs is kept, by whatever is held of it: memory is collected, and what was
-- freed is filled with something else, at every place where that can be.
--
-- Without optimisation the collector takes more, so the suite runs that way too.
module Tern.Wasm.KeptTest
  ( tests,
  )
where

import Control.Concurrent (threadDelay)
import Control.Exception (evaluate)
import Control.Monad (forM_, replicateM)
import Data.ByteString qualified as B
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import Data.Text (Text)
import Data.Text.Encoding (encodeUtf8)
import Data.Word (Word32, Word8)
import Foreign.Concurrent qualified as Concurrent
import Foreign.ForeignPtr (ForeignPtr)
import Foreign.Marshal.Alloc (free, mallocBytes)
import Foreign.Marshal.Utils (fillBytes)
import Foreign.Ptr (Ptr)
import Foreign.Storable (peek, poke)
import System.Mem (performMajorGC)
import Tern.Wasm
import Tern.Wasm.Expected (orFail)
import Tern.Wasm.Lasting (address, holding, lasting, newKeeper)
import Tern.Wasm.Observed (observed)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "kept"
    [ testCase "what was given to a keeper, for as long as that is held" $ do
        freed <- newIORef False
        keeper <- newKeeper
        -- Evaluated: what is to be computed would keep the block.
        address' <- newBlock freed >>= lasting keeper >>= evaluate . address
        holding keeper $ do
          collected
          -- What was free before is given back by now, whatever the machine has to do. Of the
          -- blocks that one collection frees any may be the last.
          newIORef False >>= \other -> newBlock other >> ends other >>= (@?= True)
          newIORef False >>= \other -> newBlock other >> ends other >>= (@?= True)
          readIORef freed >>= (@?= False)
          peek (address' :: Ptr Word8) >>= (@?= 7)
        -- And no longer, so that it is seen where it is too short.
        ends freed >>= (@?= True),
      testCase "while a host function runs" . inEveryTier $ \tier -> do
        (_, i) <- made tier
        gives "i32 5" =<< invoke i "down" [I32Value 5],
      testCase "while calls cross between instances" . inEveryTier $ \tier -> do
        (store, i) <- made tier
        j <- instanceOf tier store (fromInstance "lower" i) upper
        gives "i32 209" =<< invoke j "f" [I32Value 3],
      testCase "where a function is all that is held" . inEveryTier $ \tier -> do
        f <- do
          (_, i) <- made tier
          orFail (exportFunction i "down") :: IO (Word32 -> IO (Either Error Word32))
        collected
        f 4 >>= orFail >>= (@?= 4),
      testCase "where a suspended call is all that is held" . inEveryTier $ \tier -> do
        suspended <- do
          (store, i) <- made tier
          setFuel store 7
          invoke i "loop" [I32Value 1000] >>= \case
            Left (OutOfFuel s) -> s <$ setFuel store maxBound
            _ -> assertFailure "did not run out of fuel"
        collected
        gives "i32 500500" =<< continue suspended,
      testCase "where a memory is all that is held" . inEveryTier $ \tier -> do
        memory <- do
          (_, i) <- made tier
          _ <- invoke i "mark" []
          case exportNamed i "memory" of
            Just (ExternMemory m) -> pure m
            _ -> assertFailure "no memory"
        collected
        readMemory memory 65532 4 >>= (@?= Just (B.pack [1, 2, 3, 4])),
      testCase
        "where an exception and a structure are all that globals hold"
        . inEveryTier
        $ \tier -> do
          (_, i) <- made tier
          _ <- invoke i "remember" [I32Value 77]
          collected
          gives "i32 77 i32 77" =<< invoke i "recall" [],
      testCase "while traces are taken, again and again" . inEveryTier $ \tier -> do
        (_, i) <- made tier
        forM_ [1 .. 3 :: Int] . const $ do
          collected
          invoke i "trap" []
            >>= either (\e -> length (errorTrace e) @?= 2) (const (assertFailure "returned"))
    ]

-- | Does the collector come to give it back, within ten seconds at least?
ends :: IORef Bool -> IO Bool
ends freed = go (1000 :: Int)
  where
    go tries = do
      performMajorGC
      there <- readIORef freed
      if there || tries == 0 then pure there else threadDelay 10000 >> go (tries - 1)

-- | A byte that is 7, and what it is when nobody has it any more.
newBlock :: IORef Bool -> IO (ForeignPtr Word8)
newBlock freed = do
  p <- mallocBytes 4096
  poke p 7
  Concurrent.newForeignPtr p (poke p 0 >> writeIORef freed True)
{-# NOINLINE newBlock #-}

inEveryTier :: (Tier -> Assertion) -> Assertion
inEveryTier = forM_ (Interpreter : concat [[NativeCode, Auto] | available])

gives :: Text -> Either Error [Value] -> Assertion
gives expected outcome = observed outcome @?= expected

-- | Collect all that can be, and fill with other bytes what was given back.
collected :: IO ()
collected = forM_ [1, 2 :: Int] . const $ do
  performMajorGC
  blocks <- concat <$> mapM filled [16, 24, 32, 48, 64, 96, 128, 256, 512, 1024, 4096, 65536]
  mapM_ free blocks
  where
    filled :: Int -> IO [Ptr Word8]
    filled n = replicateM (max 20 (20000 `div` n)) $ do
      p <- mallocBytes n
      p <$ fillBytes p 0x91 n

instanceOf :: Tier -> Store -> Imports -> Text -> IO Instance
instanceOf tier store imports source = do
  bytes <- orFail (binaryOf (encodeUtf8 source))
  m <- loadWith defaultLoading {loadingTier = tier} bytes >>= orFail
  instantiate store m imports >>= orFail

-- | An instance of the module below, whose import collects.
made :: Tier -> IO (Store, Instance)
made tier = do
  store <- newStore defaultSettings
  sampleStacks store 5
  collect <- hostFunc store (FuncType [] []) (const (Right [] <$ collected))
  (store,) <$> instanceOf tier store (importsFrom "host" [("collect", ExternFunc collect)]) lower

lower, upper :: Text
lower =
  "(module (import \"host\" \"collect\" (func $collect)) (memory (export \"memory\") 1) (tag $e \
  \(param i32)) (type $s (struct (field i32)))\
  \(global $x (mut exnref) (ref.null exn)) (global $o (mut (ref null $s)) (ref.null $s))\
  \(func $down (export \"down\") (param i32) (result i32) (call $collect) (if (result i32) \
  \(local.get 0) (then (i32.add (i32.const 1) (call $down (i32.sub (local.get 0) (i32.const \
  \1))))) (else (i32.const 0))))\
  \(func (export \"loop\") (param i32) (result i32) (local i32) (loop $l (local.set 1 (i32.add \
  \(local.get 1) (local.get 0))) (br_if $l (local.tee 0 (i32.sub (local.get 0) (i32.const \
  \1))))) (local.get 1))\
  \(func (export \"mark\") (i32.store (i32.const 65532) (i32.const 0x04030201)))\
  \(func (export \"remember\") (param i32) (global.set $o (struct.new $s (local.get 0))) (block \
  \$h (result i32 exnref) (try_table (catch_ref $e $h) (throw $e (local.get 0))) (unreachable)) \
  \(global.set $x) (drop))\
  \(func (export \"recall\") (result i32 i32) (block $h (result i32) (try_table (catch $e $h) \
  \(throw_ref (global.get $x))) (unreachable)) (struct.get $s 0 (global.get $o)))\
  \(func $inner (unreachable)) (func (export \"trap\") (call $collect) (call $inner)))"
upper =
  "(module (import \"lower\" \"down\" (func $down (param i32) (result i32))) (type $t (func \
  \(param i32) (result i32))) (table 2 funcref) (elem (i32.const 0) $down $own)\
  \(func $own (type $t) (i32.add (call $down (local.get 0)) (i32.const 100)))\
  \(func (export \"f\") (param i32) (result i32) (i32.add (call $own (local.get 0)) (i32.add \
  \(call_indirect (type $t) (local.get 0) (i32.const 1)) (call_indirect (type $t) (local.get 0) \
  \(i32.const 0))))))"
