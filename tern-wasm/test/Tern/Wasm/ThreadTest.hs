{-# LANGUAGE OverloadedStrings #-}

-- | A host's threads beside the guest's: they see a memory whole while it grows, and
-- lose nothing that they write.
module Tern.Wasm.ThreadTest
  ( tests,
  )
where

import Control.Concurrent
  ( forkOn,
    getNumCapabilities,
    newEmptyMVar,
    putMVar,
    rtsSupportsBoundThreads,
    setNumCapabilities,
    takeMVar,
  )
import Control.Exception (SomeException, bracket, try)
import Control.Monad (forM, forM_, replicateM_, unless, when)
import Data.ByteString qualified as B
import Data.ByteString.Builder qualified as BB
import Data.ByteString.Lazy qualified as BL
import Data.IORef (newIORef, readIORef, writeIORef)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding (encodeUtf8)
import Data.Word (Word64)
import Tern.Testkit.Tally (skip)
import Tern.Wasm
import Tern.Wasm.Expected (orFail)
import Tern.Wasm.Store (Tag (..), typeCount, typeOfNumber)
import Tern.Wasm.Type (CompType (..), SubType (..))
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit

tests :: TestTree
tests
  | not rtsSupportsBoundThreads = skip "threads" "the runtime system has one thread"
  | otherwise =
      testGroup
        "threads"
        [ testCase "a memory that grows is read whole, in every tier" $
            forM_ tiers (\tier -> onTwo (readWhile tier)),
          testCase "what the host writes while a memory grows is not lost" $
            forM_ tiers (\tier -> onTwo (writeWhile tier)),
          testCase "a suspended call goes on in one of two threads" $
            forM_ tiers (\tier -> onTwo (goOn tier)),
          testCase "an instance is made while the store runs another" $
            forM_ tiers (\tier -> onTwo (madeBeside tier)),
          testCase "each type has a number of its own, whichever threads number them" $
            onTwo numbered,
          testCase "one module runs in several stores at once, while code is made of it" $
            forM_ tiers (\tier -> onTwo (severalStores tier)),
          testCase "functions of one module are looked at when first called, in several stores" $
            forM_ tiers (\tier -> onTwo (severalLazily tier))
        ]

tiers :: [Tier]
tiers = Interpreter : concat [[NativeCode, Auto] | available]

-- | With two threads of the system, and afterwards as before.
onTwo :: IO a -> IO a
onTwo = bracket (getNumCapabilities <* setNumCapabilities 2) setNumCapabilities . const

-- | An instance in a new store, and its memory.
growing :: Tier -> Text -> IO (Store, Instance, Memory)
growing tier source = do
  bytes <- orFail (binaryOf (encodeUtf8 source))
  m <- loadWith defaultLoading {loadingTier = tier} bytes >>= orFail
  store <- newStore defaultSettings
  i <- instantiate store m noImports >>= orFail
  case exportNamed i "memory" of
    Just (ExternMemory memory) -> pure (store, i, memory)
    _ -> assertFailure "no memory"

-- | Grow by ones from one page; each page is marked at its end with its number.
grower :: Text
grower =
  "(module (memory (export \"memory\") 1) (func (export \"grow\") (param $n i32)\
  \ (loop $l (i32.store (i32.sub (i32.shl (memory.size) (i32.const 16)) (i32.const 4)) \
  \(memory.size))\
  \ (drop (memory.grow (i32.const 1)))\
  \ (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))))"

-- | Do two things at once, the second again and again until the first has ended.
beside :: IO () -> IO () -> IO ()
beside first_ again = do
  over <- newIORef False
  done <- newEmptyMVar
  _ <- forkOn 1 $ do
    outcome <- try first_
    writeIORef over True
    putMVar done outcome
  let go = do
        ended <- readIORef over
        unless ended (again >> go)
  go
  takeMVar done >>= either (\e -> assertFailure (show (e :: SomeException))) pure

-- | A module's types are numbered while a host makes tags of other types.
numbered :: IO ()
numbered = replicateM_ 5 $ do
  store <- newStore defaultSettings {settingHeap = 4000000000}
  m <-
    loadText (encodeUtf8 (T.concat ["(module ", T.concat (map structure [1 .. 200]), ")"]))
      >>= orFail
  known <- newIORef []
  beside (instantiate store m noImports >>= orFail >> pure ()) $ do
    tags <- readIORef known
    unless (length tags >= 900) $ do
      tag <- hostTag store (replicate (length tags) I64)
      writeIORef known (tag : tags)
  tags <- readIORef known
  -- Whichever came first, none has taken another's place.
  typeCount store >>= (@?= 200 + length tags)
  meaning <- typeOfNumber store
  forM_ tags $ \tag ->
    fmap subComp (meaning (tagTypeNumber tag)) @?= Just (CompFunc (tagSignature tag))
  where
    structure n = T.concat ["(type (struct", T.replicate n " (field i32)", "))"]

readWhile :: Tier -> IO ()
readWhile tier = replicateM_ 60 $ do
  (_, i, memory) <- growing tier grower
  beside (invoke i "grow" [I32Value 300] >>= orFail >> pure ()) $ do
    pages <- memoryPages memory
    -- The last four bytes that there were, and as many as there may be by now.
    forM_ (map (65536 *) [pages, pages + 1, 2 * pages, 2 * pages + 1]) $ \end ->
      readMemory memory (end - 4) 4 >>= mapM_ (\b -> B.length b @?= 4)
    when (pages > 1) $
      readMemory memory (65536 * (pages - 1) - 4) 4
        >>= (@?= Just (little (fromIntegral (pages - 1))))
  where
    little n = BL.toStrict (BB.toLazyByteString (BB.word32LE n))

writeWhile :: Tier -> IO ()
writeWhile tier = replicateM_ 60 $ do
  (_, i, memory) <- growing tier grower
  count <- newIORef (0 :: Word64)
  beside (invoke i "grow" [I32Value 300] >>= orFail >> pure ()) $ do
    n <- (+ 1) <$> readIORef count
    writeIORef count n
    let bytes = BL.toStrict (BB.toLazyByteString (BB.word64LE n))
    writeMemory memory 8 bytes >>= (@?= True)
    readMemory memory 8 8 >>= (@?= Just bytes)

goOn :: Tier -> IO ()
goOn tier = replicateM_ 30 $ do
  (store, i, _) <-
    growing
      tier
      "(module (memory (export \"memory\") 1) (func (export \"count\") (param i32) (result i32) \
      \(loop $l (i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (i32.const 1))) \
      \(br_if $l (local.tee 0 (i32.sub (local.get 0) (i32.const 1))))) (i32.load (i32.const 0))))"
  setFuel store 50
  invoke i "count" [I32Value 100] >>= \case
    Left (OutOfFuel s) -> do
      setFuel store maxBound
      dones <- forM [0, 1] $ \k -> do
        done <- newEmptyMVar
        _ <- forkOn k (continue s >>= putMVar done)
        pure done
      outcomes <- mapM takeMVar dones
      [n | Right [I32Value n] <- outcomes] @?= [100]
      length [() | Left AlreadyContinued <- outcomes] @?= 1
    _ -> assertFailure "did not run out of fuel"

-- | The second module writes its segment into the memory of the first, whose code grows
-- it meanwhile.
madeBeside :: Tier -> IO ()
madeBeside tier = do
  (store, i, memory) <- growing tier grower
  bytes <-
    orFail
      ( binaryOf
          ( encodeUtf8
              ( "(module (import \"m\" \"memory\" (memory 1)) (data (i32.const 16) \"here\"))" ::
                  Text
              )
          )
      )
  m <- loadWith defaultLoading {loadingTier = tier} bytes >>= orFail
  beside (invoke i "grow" [I32Value 2000] >>= orFail >> pure ()) $ do
    writeMemory memory 16 "----" >>= (@?= True)
    _ <- instantiate store m (fromInstance "m" i) >>= orFail
    readMemory memory 16 4 >>= (@?= Just "here")

-- | Functions that call each other, each with a loop: @h0@ of a number.
several :: Text
several =
  T.unlines $
    "(module (memory 1) (global $g (mut i64) (i64.const 1))"
      : [ T.concat
            [ "(func $h",
              k,
              " (export \"h",
              k,
              "\") (param $n i32) (result i64) (local $a i64) (loop $l (local.set $a (i64.add \
              \(i64.mul (local.get $a) (i64.const 31)) ",
              if j < 11
                then
                  T.concat
                    ["(call $h", T.pack (show (j + 1)), " (i32.and (local.get $n) (i32.const 3)))"]
                else "(i64.extend_i32_u (local.get $n))",
              ")) (i64.store (i32.const 8) (local.get $a)) \
              \(global.set $g (i64.load (i32.const 8))) (br_if $l (i32.gt_s \
              \(local.tee $n (i32.sub (local.get $n) (i32.const 1))) (i32.const 0)))) \
              \(i64.add (local.get $a) (global.get $g)))"
            ]
          | j <- [0 .. 11 :: Int],
            let k = T.pack (show j)
        ]
        <> [")"]

-- | What a function gives in a store of its own.
alone :: Int -> Compiled -> IO [Value]
alone looksAfter m = do
  store <- newStore defaultSettings
  sampleStacks store looksAfter
  i <- instantiate store m noImports >>= orFail
  invoke i "h0" [I32Value 7] >>= orFail

severalStores, severalLazily :: Tier -> IO ()
severalStores = severalBy defaultLoading
severalLazily = severalBy defaultLoading {loadingLazily = True}

severalBy :: Loading -> Tier -> IO ()
severalBy how tier = do
  bytes <- orFail (binaryOf (encodeUtf8 several))
  expected <- loadWith how {loadingTier = Interpreter} bytes >>= orFail >>= alone 1000
  forM_ [1 .. 20] $ \n -> do
    m <- loadWith how {loadingTier = tier} bytes >>= orFail
    dones <- forM [0 .. 3] $ \k -> do
      done <- newEmptyMVar
      done <$ forkOn k (try (alone (n + k) m) >>= putMVar done)
    outcomes <- mapM takeMVar dones
    forM_ outcomes $ either (\e -> assertFailure (show (e :: SomeException))) (@?= expected)
