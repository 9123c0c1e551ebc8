{-# LANGUAGE OverloadedStrings #-}

-- | Calls that an exception of another thread ends, anywhere: the store, the module and the
-- accounts are as if they had ended elsewhere.
--
-- The idea: each call is met at another place where the driver allocates. Afterwards what
-- belongs together is looked at, and a store that was interrupted often has taken no more
-- than one that never was.
module Tern.Wasm.InterruptTest
  ( tests,
  )
where

import Control.Monad (forM, forM_)
import Data.ByteString (ByteString)
import Data.IORef (modifyIORef', newIORef, readIORef)
import Data.Maybe (isJust)
import Data.Vector.Mutable qualified as MV
import Tern.Wasm
import Tern.Wasm.Allowance (taken)
import Tern.Wasm.Collect (collect)
import Tern.Wasm.Compiled (Compiled (..), codeAt)
import Tern.Wasm.Expected (orFail)
import Tern.Wasm.Interrupted (allocated, among, manyTimes)
import Tern.Wasm.Lasting (address, holding)
import Tern.Wasm.Machine.Tiers (codeAddress)
import Tern.Wasm.Observed (observed)
import Tern.Wasm.Settings (Account (..))
import Tern.Wasm.Store (Store (..))
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "interrupted"
    [ testCase "code that is there is known by its address, and paid for once" . inEveryTier $
        \tier -> do
          m <- orFail (binaryOf source) >>= loadWith (loadingOf tier) >>= orFail
          (whole, i) <- instanceOf m
          bytes <- allocated (invoke i "run" [I32Value 1] >>= gives "i32 7")
          wanted <- accounts whole
          ends <- forM [0 .. 599] $ \k -> do
            m' <- orFail (binaryOf source) >>= loadWith (loadingOf tier) >>= orFail
            (store, j) <- instanceOf m'
            end <- among bytes 600 k (invoke j "run" [I32Value 1])
            forM_ [0 .. MV.length (compiledCode m') - 1] $ \own -> do
              known <- MV.read (compiledCode m') own
              forM_ known $ \l -> codeAt m' (codeAddress l) >>= (@?= True) . isJust
            gives "i32 7" =<< invoke j "run" [I32Value 1]
            accounts store >>= (@?= wanted)
            pure end
          (null `any` ends, isJust `any` ends) @?= (True, True),
      testCase "the stack is free again, whoever interrupts a host function" . inEveryTier $
        \tier -> do
          m <- orFail (binaryOf calling) >>= loadWith (loadingOf tier) >>= orFail
          store <- newStore defaultSettings
          calls <- newIORef (0 :: Int)
          f <- hostFunc store (FuncType [] []) (\_ -> Right [] <$ modifyIORef' calls (+ 1))
          i <- instantiate store m (importsFrom "h" [("f", ExternFunc f)]) >>= orFail
          -- Its code is there before.
          _ <- invoke i "run" [I32Value 1] >>= orFail
          bytes <- allocated (invoke i "run" [I32Value 1])
          ends <- forM manyTimes $ \k -> do
            end <- among bytes 5000 k (invoke i "run" [I32Value 1])
            top <- readIORef (storeTop store)
            top @?= address (storeStack store)
            pure end
          (null `any` ends, isJust `any` ends) @?= (True, True)
          called <- readIORef calls
          assertBool (show called) (called > 1000)
    ]
  where
    inEveryTier = forM_ (Interpreter : concat [[NativeCode, Auto] | available])
    loadingOf tier = defaultLoading {loadingTier = tier}
    gives wanted outcome = observed outcome @?= wanted

-- | What is taken of a store's allowances when everything was collected that nobody reaches.
accounts :: Store -> IO (Int, Int)
accounts store = do
  _ <- holding (storeKeeper store) (collect store (pure True) (address (storeStack store)) [])
  (,) <$> taken (accountHeap (storeAccount store)) <*> taken (accountNative (storeAccount store))

instanceOf :: Compiled -> IO (Store, Instance)
instanceOf m = do
  store <- newStore defaultSettings
  (store,) <$> (instantiate store m noImports >>= orFail)

-- | Functions that call each other, each of which catches and makes something.
source :: ByteString
source =
  "(module (type $s (struct (field i32))) (tag $e (param i32)) (func $a (param i32) (result i32) \
  \(block $h (result i32 exnref) (try_table (catch_ref $e $h) (throw $e (call $b (local.get 0)))) \
  \(unreachable)) (drop)) (func $b (param i32) (result i32) (struct.get $s 0 (struct.new $s \
  \(i32.add (local.get 0) (call $c (local.get 0)))))) (func $c (param $n i32) (result i32) (loop \
  \$l (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1))))) (i32.const 6)) (func \
  \(export \"run\") (param i32) (result i32) (call $a (local.get 0))))"

-- | Calls of the host.
calling :: ByteString
calling =
  "(module (import \"h\" \"f\" (func $f)) (func (export \"run\") (param $n i32) (loop $l (call \
  \$f) (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))))"
