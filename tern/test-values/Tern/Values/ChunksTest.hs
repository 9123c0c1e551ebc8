{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TemplateHaskell #-}

-- | Documents that are handed on in chunks, and documents that are made only if they are
-- short: the same bytes as in one string, wherever a chunk ends, whoever asks, and whatever
-- happens meanwhile.
module Tern.Values.ChunksTest (Nest (..), Ring (..), tests) where

import Control.Concurrent
  ( MVar,
    ThreadId,
    forkIO,
    killThread,
    newEmptyMVar,
    putMVar,
    readMVar,
    takeMVar,
    tryPutMVar,
    yield,
  )
import Control.Concurrent.STM (atomically)
import Control.Exception
  ( ErrorCall (..),
    MaskingState (..),
    evaluate,
    getMaskingState,
    mask_,
    throwIO,
    try,
  )
import Control.Monad (forM, forM_, replicateM, replicateM_, void, when)
import Data.ByteString qualified as B
import Data.IORef (modifyIORef, modifyIORef', newIORef, readIORef)
import Data.List (isInfixOf)
import Data.Scientific (scientific)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import GHC.Conc
  ( BlockReason (..),
    ThreadStatus (..),
    getAllocationCounter,
    setAllocationCounter,
    threadStatus,
  )
import System.IO.Unsafe (unsafePerformIO)
import System.Timeout (timeout)
import Tern
import Tern.Cbor (encodeCborShort, encodeCborTo)
import Tern.Json (encodeJsonShort, encodeJsonTo)
import Tern.MessagePack (encodeMessagePackShort, encodeMessagePackTo)
import Tern.Native (encodeNativeShort, encodeNativeTo)
import Tern.Value (Value (..))
import Test.Tasty
import Test.Tasty.HUnit

-- | Its members are left out, so that a brace takes the place of a comma.
data Ring = Ring {ring :: Maybe Int, place :: Maybe Text, found :: Maybe [Double]}

deriveWire defaultOptions {omitNothingFields = True} ''Ring

-- | Each level ends with a byte in the place of another, which is the last of a chunk for some.
data Nest = Nest {level :: Maybe Int, nest :: Maybe Nest}

deriveWire defaultOptions {omitNothingFields = True} ''Nest

-- | A format as one string, in chunks, and if it is short.
data Way = Way
  { wayName :: String,
    whole :: forall a. (Wire a) => a -> B.ByteString,
    chunked :: forall a. (Wire a) => (B.ByteString -> IO ()) -> a -> IO (),
    short :: forall a. (Wire a) => a -> Maybe B.ByteString
  }

ways :: [Way]
ways =
  [ Way "JSON" encodeJson encodeJsonTo encodeJsonShort,
    Way "MessagePack" encodeMessagePack encodeMessagePackTo encodeMessagePackShort,
    Way "CBOR" encodeCbor encodeCborTo encodeCborShort,
    Way "native" encodeNative encodeNativeTo encodeNativeShort
  ]

tests :: TestTree
tests = testGroup "chunks" (map same ways <> [others, deep])

-- | The same as in one string.
same :: Way -> TestTree
same way =
  testGroup
    (wayName way)
    [ testCase "are the document, wherever a chunk ends" $
        forM_ [1300 .. 3300] $ \n ->
          -- Little at a time, so that the first chunk is full within the rings.
          agree
            way
            ( T.replicate
                (n `mod` 2)
                "x",
              replicate (n `div` 2) (0 :: Int),
              take 60 (rings n)
            ),
      testCase "are the document of any shape" $ do
        agree way ()
        agree way (T.replicate 200000 "\"")
        agree way (map (`T.replicate` "Sterna ") [0 .. 400])
        agree way (replicate 30000 (1 :: Int, Just True, 0.1 :: Double))
        agree way (map (2 ^) [1 .. 1000 :: Int] :: [Integer])
        agree way [scientific (10 ^ n + 7) (negate (n `div` 2)) | n <- [1 .. 900 :: Int]]
        agree way [scientific (7 ^ n) (negate 9) | n <- [3000, 3050 .. 6000 :: Int]]
        agree way (rings 20000)
        agree way (foldr (\_ v -> Nest Nothing (Just v)) (Nest (Just 1) Nothing) [1 .. 9000 :: Int])
        agree way [[(n, replicate k n) | n <- [1 .. 200 :: Int]] | k <- [0, 5, 127, 128, 129, 400]]
        agree way [[1 .. k] | k <- [4090 .. 4100 :: Int]]
        agree way (foldr (\_ v -> Array (pure v)) Null [1 .. 150000 :: Int]),
      testCase "are of bounded length" $ do
        sizes <- map B.length <$> chunksOf way (rings 50000)
        assertBool (show sizes) (length sizes > 100 && all (\n -> n > 0 && n <= 3200) sizes),
      testCase "are made of what is short, and nothing of what is long" $ do
        forM_ [0, 1, 100, 3000, 4000, 4100, 8000, 12000] $ \n -> do
          short way (T.replicate n "x") @?= Just (whole way (T.replicate n "x"))
          let few = take (n `div` 500) (rings n)
          short way few @?= Just (whole way few)
        forM_ [33000, 40000, 10000000] $ \n -> short way (T.replicate n "x") @?= Nothing
        forM_ [4000, 100000] $ \n -> short way [256 .. 256 + n :: Int] @?= Nothing
        forM_ [400, 9000] $ \n -> short way (rings n) @?= Nothing
        -- What was left does no harm to what comes after it.
        forM_ [1 .. 200] $ \n -> do
          void (evaluate (short way (replicate 20000 n)))
          short way [n, n + 1] @?= Just (whole way [n, n + 1 :: Int]),
      testCase "end with the value's exception, each time" $ do
        let value = [1000 .. 5000] <> [errorWithoutStackTrace "no bird"] <> [1 ..] :: [Int]
        forM_ [1, 2 :: Int] $ \_ -> do
          outcome <- try (chunksOf way (take 9000 value))
          case outcome of
            Left (ErrorCall why) -> assertBool why ("no bird" `isInfixOf` why)
            Right chunks -> assertFailure (show (length chunks))
        let document = short way (take 600 (drop 3700 value))
        forM_ [1, 2 :: Int] $ \_ -> do
          outcome <- try (evaluate document)
          case outcome of
            Left (ErrorCall why) -> assertBool why ("no bird" `isInfixOf` why)
            Right chunks -> assertFailure (show (B.length <$> chunks)),
      testCase "end where the consumer throws, and what it had is the beginning" $
        forM_ [1, 2, 5] $ \most -> do
          had <- newIORef []
          outcome <- try $ flip (chunked way) (rings 9000) $ \chunk -> do
            n <- length <$> readIORef had
            when (n == most) (throwIO (ErrorCall "enough"))
            modifyIORef had (chunk :)
          either (\(ErrorCall why) -> why) (const "no exception") outcome @?= "enough"
          chunks <- reverse <$> readIORef had
          length chunks @?= most
          B.concat chunks @?= B.take (sum (map B.length chunks)) (whole way (rings 9000)),
      testCase "are the same for who was interrupted" $ do
        let value = rings 9000
            expected = whole way value
        forM_ [1 .. 60] $ \n -> do
          _ <- timeout (n * 20) (chunksOf way value)
          chunks <- chunksOf way value
          B.concat chunks == expected @? wayName way,
      testCase "are the same after a thread was killed within a value" $
        forM_ [False, True] $ \isLong -> do
          (gate, value) <- gated (if isLong then 20000 else 100)
          let document = short way value
          killed <- forkIO (void (evaluate document))
          waiting killed
          killThread killed
          putMVar gate ()
          document @?= if isLong then Nothing else Just (whole way value),
      testCase "are the same for two that ask at once" $
        forM_ [False, True] $ \isLong -> do
          (gate, value) <- gated (if isLong then 20000 else 100)
          let document = short way value
          boxes <- replicateM 4 $ do
            box <- newEmptyMVar
            thread <- forkIO (evaluate document >>= putMVar box)
            (thread, box) <$ waiting thread
          putMVar gate ()
          answers <- mapM (takeMVar . snd) boxes
          answers @?= replicate 4 (if isLong then Nothing else Just (whole way value)),
      testCase "are the same of values that are made of such" $ do
        let inner n = T.decodeLatin1 (unsafePerformIO (B.concat <$> chunksOf way [n .. n + 9000]))
            perhaps n = T.pack (show (B.length <$> short way [n .. n + n]))
        agree way (map inner [1, 2, 3 :: Int])
        agree way (map perhaps [1, 10, 20000, 3, 40000 :: Int])
        short way (map perhaps [1, 10, 20000, 3, 40000 :: Int])
          @?= Just (whole way (map perhaps [1, 10, 20000, 3, 40000 :: Int])),
      testCase "are the same within a transaction, and leave the mask as it was" $ do
        let value n = [n .. n + 20000 :: Int]
        atomically (pure $! short way (value 1)) >>= (@?= Nothing)
        atomically (pure $! short way (take 10 (value 2)))
          >>= (@?= Just (whole way (take 10 (value 2))))
        states <- mask_ $ do
          void (evaluate (short way (value 3)))
          chunked way (const (pure ())) (value 4)
          getMaskingState
        states @?= MaskedInterruptible
        getMaskingState >>= (@?= Unmasked)
    ]

others :: TestTree
others =
  testGroup
    "as they are made"
    [ testCase "come before their end is there" $ do
        had <- newIORef (0 :: Int)
        outcome <- try $ flip encodeJsonTo [1 :: Int ..] $ \chunk -> do
          modifyIORef' had (+ B.length chunk)
          n <- readIORef had
          when (n > 10000000) (throwIO (ErrorCall "enough"))
        either (\(ErrorCall why) -> why) (const "no exception") outcome @?= "enough"
        encodeJsonShort [1 :: Int ..] @?= Nothing
        encodeNativeShort [1 :: Int ..] @?= Nothing,
      testCase "are taken up again by nobody who was killed" $
        replicateM_ 50 $ do
          started <- newEmptyMVar
          had <- newIORef (0 :: Int)
          thread <- forkIO . flip encodeJsonTo [1 :: Int ..] $ \chunk -> do
            modifyIORef' had (+ B.length chunk)
            void (tryPutMVar started ())
          takeMVar started
          killThread thread
          n <- readIORef had
          yield
          readIORef had >>= (@?= n)
    ]

-- | What is nested deep costs no more for each byte than what is not.
deep :: TestTree
deep =
  testGroup
    "of what is nested deep"
    [ testCase (wayName way <> " allocates in proportion to its depth") $ do
        let nest n = foldr (\_ v -> Array (pure v)) Null [1 .. n :: Int]
            -- Some stack is there from before.
            to n = chunked way (const (pure ())) (nest n)
            if' n = void (evaluate (short way (nest n)))
        forM_ [to, if'] $ \act -> do
          mapM_ act [1, 400000]
          used <- forM [50000, 100000, 200000, 400000] (allocated . act)
          forM_ (zip used (drop 1 used)) $ \(one, two) ->
            assertBool (show used) (two < 3 * one)
      | way <- ways
    ]

allocated :: IO () -> IO Int
allocated act = do
  setAllocationCounter 0
  act
  fromIntegral . negate <$> getAllocationCounter

-- | A list of some numbers, the middle one of which waits for a gate.
gated :: Int -> IO (MVar (), [Int])
gated n = do
  gate <- newEmptyMVar
  let late = unsafePerformIO (readMVar gate >> pure 7)
  pure (gate, [1000 .. 1000 + n] <> [late] <> [1000 .. 1000 + n])

-- | Until a thread waits for a gate.
waiting :: ThreadId -> IO ()
waiting thread =
  threadStatus thread >>= \case
    ThreadBlocked BlockedOnMVar -> pure ()
    ThreadBlocked BlockedOnBlackHole -> pure ()
    ThreadFinished -> pure ()
    _ -> yield >> waiting thread

agree :: (Wire a) => Way -> a -> Assertion
agree way value = do
  chunks <- chunksOf way value
  B.concat chunks == whole way value @? wayName way

chunksOf :: (Wire a) => Way -> a -> IO [B.ByteString]
chunksOf way value = do
  had <- newIORef []
  chunked way (\chunk -> modifyIORef had (chunk :)) value
  reverse <$> readIORef had

-- | Of many lengths, by a number that they begin with.
rings :: Int -> [Ring]
rings n =
  [ Ring
      (if even k then Just k else Nothing)
      (if k `mod` 3 == 0 then Just (T.replicate (k `mod` 17) "ö") else Nothing)
      (if k `mod` 5 == 0 then Just [fromIntegral k / 7] else Nothing)
    | k <- [n .. n + max 60 n]
  ]
