{-# LANGUAGE OverloadedStrings #-}

-- | Streams that would have time or memory run away, counted in bytes. The ceilings
-- hold without optimisation too.
module Tern.Stream.HostileTest (tests) where

import Control.Exception (evaluate)
import Control.Monad (when)
import Data.Bifunctor (first)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.IORef (atomicModifyIORef', modifyIORef', newIORef, readIORef, writeIORef)
import Data.Text qualified as T
import GHC.Conc (getAllocationCounter, setAllocationCounter)
import GHC.Stats (GCDetails (..), RTSStats (..), getRTSStats)
import System.Mem (performMajorGC)
import Tern
import Tern.Internal.Cbor.Read qualified as Cbor
import Tern.Internal.Json.Read qualified as Json
import Tern.Internal.MessagePack.Read qualified as MessagePack
import Tern.Internal.Read (Reader (Reader))
import Tern.Stream
import Tern.Stream.Run (chunksOf, decoderOf, outcomesOf)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "hostile streams"
    [ testGroup
        "a value in chunks of one byte costs in proportion to its length"
        [ testCase name $ do
            -- What is searched again for each byte would not end here.
            small <- costOf order 1 (value 500000)
            large <- costOf order 1 (value 2000000)
            assertBool (show (small, large)) (large < 4.2 * small && large < 5000 * 2000000)
          | (name, order, value) <- values
        ],
      testGroup
        "the same in chunks of 32 KiB: once its length, where it is joined"
        [ testCase name $ do
            cost <- costOf order chunkSize (value 4000000)
            assertBool (show cost) (cost < 1.25 * 4000000)
          | (name, order, value) <- values
        ],
      testGroup
        "ten million levels are refused at the first too many"
        [ testCase (show order) $ do
            asked <- newIORef (0 :: Int)
            let source = modifyIORef' asked (+ 1) >> pure (B.replicate 1000 byte)
            (_, fault) <- foldStream (\() () -> pure ()) () source (skipping order defaultLimits)
            chunks <- readIORef asked
            (chunks, errorReason . faultError <$> fault) @?= (1, Just (LimitExceeded (TooDeep 512)))
          | (order, byte) <- [(JsonValues, 0x5b), (MessagePackValues, 0x91), (CborValues, 0x81)]
        ],
      testCase "ten million levels, allowed and closed, in chunks of 1,000 bytes" $ do
        let levels = 10000000
            arrays =
              BL.fromChunks
                ( replicate (levels `div` 1000) (B.replicate 1000 0x5b)
                    <> replicate (levels `div` 1000) (B.replicate 1000 0x5d)
                )
            packed =
              BL.fromChunks (replicate (levels `div` 1000) (B.replicate 1000 0x91) <> ["\xc0"])
        decodeLazy (skipping JsonValues unlimited) (arrays <> "1") @?= [Right (), Right ()]
        decodeLazy (skipping MessagePackValues unlimited) (packed <> "\xc0")
          @?= [Right (), Right ()],
      testGroup
        "a value without an end is kept up to maxBytes"
        [ testCase (show order) $ do
            asked <- newIORef (0 :: Int)
            let source =
                  modifyIORef' asked (+ 1) >> readIORef asked >>= \n ->
                    pure (if n == 1 then start <> chunk else chunk)
            (_, fault) <-
              foldStream
                (\() () -> pure ())
                ()
                source
                (skipping order defaultLimits {maxBytes = 1000000})
            chunks <- readIORef asked
            assertBool (show chunks) (chunks <= 1000000 `div` B.length chunk + 2)
            errorReason . faultError <$> fault @?= Just (LimitExceeded (TooManyBytes 1000000))
          | (order, start, chunk) <-
              [ (JsonLines, "[", B.replicate 4096 0x20),
                (JsonValues, "\"", B.replicate 4096 0x5c),
                (JsonArray, "[", B.replicate 4096 0x31),
                ( MessagePackValues,
                  "\xdd\x00\x0f\x00\x00",
                  B.replicate 4096 0x90
                    <> B.replicate 200 0xdc
                )
              ]
        ],
      testCase "elements after a line that is too long have their numbers and places" $ do
        let input = "[1]\n[111111111111111111]\n[?]\n[2]\n"
            place f = (faultIndex f, faultStart f, faultLine f)
            found size =
              map (first place) . decodeLazy (skipping JsonLines defaultLimits {maxBytes = 8}) $
                BL.fromChunks (chunksOf size input)
        map found [1, 7, 1000]
          @?= replicate 3 [Right (), Left (1, 4, Just 2), Left (2, 25, Just 3), Right ()],
      testCase "a line without an end is passed over, and its memory let go" $ do
        let limits = defaultLimits {maxBytes = 100000}
            pad = B.replicate 10000 0x20
        asked <- newIORef (0 :: Int)
        live <- newIORef 0
        let source = do
              modifyIORef' asked (+ 1)
              n <- readIORef asked
              when (n == 5000) (liveBytes >>= writeIORef live)
              pure
                ( case compare n 5000 of
                    LT ->
                      if n == 1
                        then "[1]\n["
                        else pad
                    EQ -> "\n[2]"
                    GT -> B.empty
                )
        found <-
          foldOutcomes
            ( \ok one ->
                pure (either (const False) (const True) one : ok)
            )
            []
            source
            (skipping JsonLines limits)
        found @?= [True, False, True]
        start <- liveBytes
        most <- readIORef live
        assertBool (show (start, most)) (most < start + 1000000),
      testGroup
        "claims of 2^32 are refused before anything is kept for them"
        [ testCase (show claim) $ do
            let input = claim <> B.replicate 100 0
            cost <- costOf MessagePackValues chunkSize input
            assertBool (show cost) (cost < 100000)
          | claim <-
              [ "\xdd\xff\xff\xff\xff",
                "\xdf\xff\xff\xff\xff",
                "\xdb\xff\xff\xff\xff",
                "\xc6\xff\xff\xff\xff",
                "\xc9\xff\xff\xff\xff\x00"
              ]
        ],
      testCase "claims in damaged elements cost once a chunk, not once an element" $ do
        -- Each claims nearly all that is left of the chunk, and is damaged.
        let element = "\x92\xdc\x00\x01\xc0\xa1\xff"
            input = B.concat (replicate 4000 element)
        (cost, count) <-
          allocating (length (fst (outcomesOf (decoderOf MessagePackValues defaultLimits) [input])))
        count @?= 4000
        assertBool (show cost) (cost < 16000 * 4000),
      testGroup
        "a stream is decoded in constant memory"
        [ testCase (show order) $ do
            early <- newIORef 0
            late <- newIORef 0
            count <- newIORef (0 :: Int)
            -- Made inside an action, so that the test itself does not keep it.
            source <-
              newIORef
                ( BL.toChunks
                    ( encodeLazy
                        order
                        [ T.replicate (n `mod` 100) "x"
                          | n <-
                              [fromEnum order .. 200000 :: Int]
                        ]
                    )
                )
            let from = decoder order defaultLimits :: Decoder T.Text
            (_, fault) <-
              foldStream
                ( \() _ -> do
                    modifyIORef' count (+ 1)
                    n <- readIORef count
                    when (n == 20000) (liveBytes >>= writeIORef early)
                    when (n == 190000) (liveBytes >>= writeIORef late)
                )
                ()
                ( atomicModifyIORef'
                    source
                    ( \case
                        [] ->
                          ([], B.empty)
                        chunk : later -> (later, chunk)
                    )
                )
                from
            fault @?= Nothing
            (lesser, greater) <- (,) <$> readIORef early <*> readIORef late
            -- A word for each value would be more. What the tests report, in a thread of
            -- its own, lives here too.
            assertBool (show (lesser, greater)) (greater < lesser + 1000000)
          | order <- [minBound .. maxBound]
        ]
    ]

-- | Values of some length that have a byte at each place that could be searched
-- again.
values :: [(String, Sequence, Int -> ByteString)]
values =
  [ ("a line", JsonLines, \n -> "\"" <> B.replicate n 0x61 <> "\"\n"),
    ("backslashes", JsonValues, \n -> "\"" <> B.replicate n 0x5c <> "\""),
    ("empty arrays", JsonArray, \n -> "[[" <> B.concat (replicate (n `div` 3) "[],") <> "[]]]"),
    ("quotes", JsonValues, \n -> "[" <> B.concat (replicate (n `div` 3) "\"\",") <> "0]"),
    ("a number", JsonValues, \n -> B.replicate n 0x39 <> " "),
    ( "a binary",
      MessagePackValues,
      \n ->
        B.pack [0xc6, 0, fromIntegral (n `div` 65536), fromIntegral (n `div` 256), fromIntegral n]
          <> B.replicate n 0
    ),
    ( "an array of nil",
      MessagePackValues,
      \n ->
        B.pack [0xdd, 0, fromIntegral (n `div` 65536), fromIntegral (n `div` 256), fromIntegral n]
          <> B.replicate n 0xc0
    ),
    ( "bytes",
      CborValues,
      \n ->
        B.pack [0x5a, 0, fromIntegral (n `div` 65536), fromIntegral (n `div` 256), fromIntegral n]
          <> B.replicate n 0
    ),
    ("bytes in empty chunks", CborValues, \n -> "\x5f" <> B.replicate n 0x40 <> "\xff"),
    ("an array without a length", CborValues, \n -> "\x9f" <> B.replicate n 0xf6 <> "\xff")
  ]

-- | Elements that are stepped over, so that what is counted is the stream's.
skipping :: Sequence -> Limits -> Decoder ()
skipping order limits = case order of
  MessagePackValues -> decoderWith order limits (Reader MessagePack.skip)
  CborValues -> decoderWith order limits (Reader Cbor.skip)
  _ -> decoderWith order limits (Reader Json.skip)

-- | Bytes allocated for decoding an input in chunks of @size@ bytes.
costOf :: Sequence -> Int -> ByteString -> IO Double
costOf order size input = do
  pieces' <- evaluate (B.length input)
  if pieces' == 0 then pure 0 else fst <$> allocating (run (skipping order defaultLimits) 0)
  where
    -- The chunks are made as they are asked for, and nothing keeps them.
    run d at = case next d of
      Element _ d' -> run d' at
      Damaged _ (Just d') -> run d' at
      Damaged _ Nothing -> at
      NeedMore feed -> run (feed (B.take size (B.drop at input))) (min (B.length input) (at + size))
      End -> at

allocating :: Int -> IO (Double, Int)
allocating x = do
  setAllocationCounter 0
  n <- evaluate x
  used <- negate <$> getAllocationCounter
  pure (fromIntegral used, n)
{-# NOINLINE allocating #-}

liveBytes :: IO Int
liveBytes = do
  performMajorGC
  fromIntegral . gcdetails_live_bytes . gc <$> getRTSStats
