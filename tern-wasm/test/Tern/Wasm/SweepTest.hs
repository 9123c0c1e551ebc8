{-# LANGUAGE OverloadedStrings #-}

-- | Collections that are given up in the middle, for the time or by an exception: what is
-- left is a heap that the next one can go over.
--
-- The idea: what is wrong after a collection shows in the heap at once, long before a guest
-- meets it, so the heap itself is looked at. A collection is given up at each of its looks at
-- the time, one after the other, and at places where it allocates.
module Tern.Wasm.SweepTest
  ( tests,
  )
where

import Control.Monad (forM, forM_, unless, void, when)
import Data.Bits (testBit)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.IORef (modifyIORef', newIORef, readIORef, writeIORef)
import Data.IntMap.Strict qualified as IntMap
import Data.Maybe (isJust)
import Data.Set qualified as Set
import Data.Text qualified as T
import Data.Word (Word32, Word64)
import System.IO.Unsafe (unsafeInterleaveIO)
import System.Mem (performMajorGC)
import Tern.Wasm
import Tern.Wasm.Allowance (left, taken)
import Tern.Wasm.Collect (collect)
import Tern.Wasm.Expected (orFail)
import Tern.Wasm.Heap
  ( Blocks (..),
    Heap (..),
    block,
    key,
    objectOf,
    placedAt,
    referenceTo,
    rowWords,
  )
import Tern.Wasm.Interrupted (allocated, among, manyTimes, somewhere)
import Tern.Wasm.Lasting (address, holding)
import Tern.Wasm.Object (newObject)
import Tern.Wasm.Observed (observed)
import Tern.Wasm.Prim (Ptr, peekByteOff, plusPtr)
import Tern.Wasm.Settings (Account (..))
import Tern.Wasm.Store (Store (..), hold)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "given up"
    [ testCase "an object that is there refers to no block that is not, at each look" $ do
        looks <- looksOf =<< littered
        assertBool ("looks: " <> show looks) (looks > 2)
        forM_ [0 .. looks - 1] $ \k -> do
          (store, i) <- littered
          after k store >>= (@?= False)
          dangling store >>= (@?= 0)
          -- Whoever goes on is given other room, and the next collection finds what is dead.
          _ <- invoke i "make" [I32Value 50] >>= orFail
          dangling store >>= (@?= 0)
          after maxBound store >>= (@?= True)
          dangling store >>= (@?= 0),
      testCase "an object that is there refers to no block that is not, whoever interrupts" $ do
        (first, _) <- littered
        bytes <- allocated (everything first (pure True))
        ends <- forM [0 .. 59] $ \k -> do
          (store, _) <- littered
          end <- among bytes 60 k (everything store (pure True))
          dangling store >>= (@?= 0)
          pure end
        (null `any` ends, Just True `elem` ends) @?= (True, True),
      testCase "an object is there with its head, whoever interrupts" $ do
        -- In new blocks, and in rooms of objects that were taken away.
        (store, _) <- littered
        _ <- after maxBound store
        ends <- forM manyTimes $ \k -> somewhere k $ do
          p <- newObject store (pure False) 7 3 (if k `mod` 100 == 0 then 9000 else 100)
          unless (isJust p) (assertFailure "no room")
        (null `any` ends, not (all null ends)) @?= (True, True)
        heads <- objects store (\p -> (,) <$> peekByteOff p 0 <*> peekByteOff p 4)
        assertBool (show (length heads)) (length heads > 1000)
        Set.fromList heads @?= Set.singleton (7 :: Word32, 3 :: Word32),
      testCase "what was given up is given back by the next one" $ do
        (whole, _) <- littered
        after maxBound whole >>= (@?= True)
        least <- taken (accountHeap (storeAccount whole))
        (store, _) <- littered
        looks <- looksOf (store, ())
        forM_ [0 .. looks - 1] $ \k -> after k store
        after maxBound store >>= (@?= True)
        taken (accountHeap (storeAccount store)) >>= (@?= least),
      testCase "a collection that the time ends is no full heap" . inEveryTier $ \tier -> do
        (store, i) <- made small tier things
        forM_ ["object", "exception"] $ \kind -> do
          setDeadline store Nothing
          _ <- invoke i kind [] >>= orFail
          invoke i "fill" [] >>= (@?= "heap exhausted") . said
          _ <- invoke i "empty" [] >>= orFail
          -- Not even an exception has room, which takes less than a block.
          rest <- left (accountHeap (storeAccount store))
          chargeHeap store rest >>= (@?= True)
          setDeadline store (Just 0)
          -- Nobody looks at the time before there is something to collect.
          writeIORef (storeSpent store) 0
          invoke i kind [] >>= (@?= "time limit exceeded") . said
          setDeadline store Nothing
          refundHeap store rest
          gives "" =<< invoke i kind [],
      testCase "the time is looked at while places are gone over that have nothing" $
        forM_ (nothings 20000) $ \source -> do
          looks <- forM [nothings 0, [source]] $ \sources -> forM sources $ \each -> do
            (store, _) <- made defaultSettings Interpreter each
            looksOf (store, ())
          case looks of
            [few, [many]] -> assertBool (show looks) (many - maximum few >= 8)
            _ -> assertFailure (show looks),
      testCase "the time is looked at in the middle of a segment" $ do
        looks <- forM [0, 40000] $ \n -> do
          (store, _) <- made defaultSettings Interpreter (nulls n)
          looksOf (store, ())
        case looks of
          [few, many] -> assertBool (show looks) (many - few >= 4)
          _ -> assertFailure (show looks),
      testCase "places that have nothing are gone over all the same, and count" $
        forM_ (nothings 20000) $ \source -> do
          (store, _) <- made defaultSettings Interpreter source
          after maxBound store >>= (@?= True)
          kept <- readIORef (heapKept (storeHeap store))
          assertBool (show kept) (kept >= 20000 * 100),
      testCase "blocks are gone over, however little is left in each, and count" $ do
        (store, _) <- made defaultSettings Interpreter things
        -- Every 497th small object stays: one for each block.
        stay <- fmap concat . forM [0 .. 99999 :: Int] $ \k -> do
          p <- newObject store (pure False) 0 0 24 >>= maybe (assertFailure "no room") pure
          pure [referenceTo (storeHeap store) p | k `mod` 497 == 0]
        holding (storeKeeper store) (collect store (pure True) (address (storeStack store)) stay)
          >>= (@?= True)
        Blocks blocks _ _ <- readIORef (heapBlocks (storeHeap store))
        IntMap.size blocks >= 190 @?= True
        kept <- readIORef (heapKept (storeHeap store))
        assertBool (show (kept, IntMap.size blocks)) (kept >= 512 * IntMap.size blocks),
      testCase "what a host lets go into a global while a collection looks up places stays" $ do
        store <- newStore defaultSettings
        letGo store
        after maxBound store >>= (@?= True)
        kept <- objects store (const (pure ()))
        length kept @?= 1,
      testCase "for types that no object has nothing is made" $ do
        used <- forM [1, 100000] $ \n -> do
          (store, _) <- made defaultSettings Interpreter (manyTypes n)
          allocated $ do
            everything store (pure True) >>= (@?= True)
            kept <- readIORef (heapKept (storeHeap store))
            assertBool (show kept) (kept >= 8 * n)
        -- A place for each is 800,000 bytes.
        assertBool (show used) (maximum used < minimum used + 1600000),
      testCase "the time is looked at while exceptions are looked into" $ do
        (store, i) <- made defaultSettings Interpreter chain
        counts <- forM [0, 40000] $ \n -> do
          when (n > 0) (void (invoke i "chain" [I32Value n] >>= orFail))
          looksOf (store, ())
        case counts of
          [before, later] -> assertBool (show counts) (later - before >= 4)
          _ -> assertFailure "two counts"
    ]
  where
    inEveryTier = forM_ (Interpreter : concat [[NativeCode, Auto] | available])
    small = defaultSettings {settingHeap = 1000000}

-- * Collections

-- | Collect everything that no root leads to, while the action gives 'True'. The stack is
-- empty.
everything :: Store -> IO Bool -> IO Bool
everything store timely =
  holding (storeKeeper store) (collect store timely (address (storeStack store)) [])

-- | Let another thread of the host be at work just where the next collection looks up the places
-- that there are: it has the one reference to an object, makes a global of it, and lets it go.
letGo :: Store -> IO ()
letGo store = do
  known <- readIORef (storeRoots store)
  p <- newObject store (pure False) 0 0 24 >>= maybe (assertFailure "no room") pure
  (_, held) <- hold store (pure (referenceTo (storeHeap store) p))
  seen <- unsafeInterleaveIO $ do
    writeIORef (storeRoots store) known
    made_ <- hostGlobal store Const (RefValue AnyHeap (storeCount store) held)
    unless (isJust made_) (assertFailure "no global")
    known <$ performMajorGC
  writeIORef (storeRoots store) seen

-- | Collect, with the time over at a look at it, given how many come before.
after :: Int -> Store -> IO Bool
after most store = do
  looks <- newIORef most
  everything store ((> 0) <$> readIORef looks <* modifyIORef' looks (subtract 1))

-- | How often a collection looks at the time.
looksOf :: (Store, a) -> IO Int
looksOf (store, _) = do
  looks <- newIORef 0
  done <- everything store (True <$ modifyIORef' looks (+ 1))
  done @?= True
  readIORef looks

-- | How many objects are there that refer to a block that is not. They are arrays of one
-- element; all others are of more.
dangling :: Store -> IO Int
dangling store = do
  Blocks blocks _ _ <- readIORef (heapBlocks heap)
  found <- objects store $ \p -> do
    n <- peekByteOff p 4 :: IO Word32
    bits <- peekByteOff p 8
    pure (n == 1 && bits /= 0 && IntMap.notMember (key (objectOf heap bits)) blocks)
  pure (length (filter id found))
  where
    heap = storeHeap store

-- | What an action says of each object that is there.
objects :: Store -> (Ptr () -> IO a) -> IO [a]
objects store f = holding (storeKeeper store) $ do
  Blocks blocks _ _ <- readIORef (heapBlocks (storeHeap store))
  fmap concat . forM [(b, w) | b <- block <$> IntMap.keys blocks, w <- [0 .. rowWords - 1]] $
    \(b, w) -> do
      placed <- peekByteOff b (placedAt + 8 * w) :: IO Word64
      forM (filter (testBit placed) [0 .. 63]) (\j -> f (b `plusPtr` (16 * (64 * w + j))))

-- * Guests

-- | A store with a thousand blocks of garbage: arrays that have a block to themselves or
-- nearly, each of which two small objects refer to, one placed before it and one after.
littered :: IO (Store, Instance)
littered = do
  (store, i) <- made defaultSettings Interpreter litter
  _ <- invoke i "make" [I32Value 1500] >>= orFail
  pure (store, i)

litter :: ByteString
litter =
  "(module (type $b (array (mut i8))) (type $a (array (mut (ref null $b)))) (type $t (array (mut \
  \(ref null $a)))) (func (export \"make\") (param $n i32) (local $i i32) (local $x (ref null $b)) \
  \(local $t (ref null $t)) (local.set $t (array.new_default $t (local.get $n))) (loop $l \
  \(array.set $t (local.get $t) (local.get $i) (array.new_default $a (i32.const 1))) (br_if $l \
  \(i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n)))) (local.set $i \
  \(i32.const 0)) (loop $m (local.set $x (array.new_default $b (select (i32.const 7000) (i32.const \
  \20000) (i32.and (local.get $i) (i32.const 1))))) (array.set $a (array.get $t (local.get $t) \
  \(local.get $i)) (i32.const 0) (local.get $x)) (drop (array.new_fixed $a 1 (local.get $x))) \
  \(br_if $m (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n))))))"

-- | A heap that is filled with a list, to make an object or an exception then.
things :: ByteString
things =
  "(module (type $n (struct (field (ref null $n)))) (tag $e) (global $g (mut (ref null $n)) \
  \(ref.null $n)) (func (export \"fill\") (loop $r (global.set $g (struct.new $n (global.get $g))) \
  \(br $r))) (func (export \"empty\") (global.set $g (ref.null $n))) (func (export \"object\") \
  \(drop (struct.new $n (ref.null $n)))) (func (export \"exception\") (block $h (result exnref) \
  \(try_table (catch_all_ref $h) (throw $e)) (unreachable)) (drop)))"

-- | Modules with @n@ tables without elements, @n@ segments without elements and @n@ globals that
-- are null.
nothings :: Int -> [ByteString]
nothings n =
  [ B.concat ["(module ", B.concat (replicate n field), ")"]
    | field <- ["(table 0 externref)", "(elem externref)", "(global externref (ref.null extern))"]
  ]

-- | A segment of @n@ references, all null.
nulls :: Int -> ByteString
nulls n =
  B.concat ["(module (elem externref ", B.concat (replicate n "(ref.null extern)"), "))"]

-- | @n@ types, one group.
manyTypes :: Int -> ByteString
manyTypes n = B.concat ["(module (rec ", B.concat (replicate n "(type (struct))"), "))"]

-- | Exceptions, each of which carries the one before.
chain :: ByteString
chain =
  "(module (tag $e (param exnref)) (global $g (mut exnref) (ref.null exn)) (func (export \
  \\"chain\") (param $n i32) (loop $l (block $h (result exnref) (try_table (catch_all_ref $h) \
  \(throw $e (global.get $g))) (unreachable)) (global.set $g) (br_if $l (local.tee $n (i32.sub \
  \(local.get $n) (i32.const 1)))))))"

made :: Settings -> Tier -> ByteString -> IO (Store, Instance)
made settings tier source = do
  bytes <- orFail (binaryOf source)
  m <- loadWith defaultLoading {loadingTier = tier} bytes >>= orFail
  store <- newStore settings
  (store,) <$> (instantiate store m noImports >>= orFail)

gives :: T.Text -> Either Error [Value] -> IO ()
gives wanted outcome = observed outcome @?= wanted

-- | Why it ended, without where.
said :: Either Error [Value] -> T.Text
said = either renderError (const "")
