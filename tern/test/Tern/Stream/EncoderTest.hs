{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Sequences written, and read again.
module Tern.Stream.EncoderTest (tests) where

import Control.Exception (throwIO, try)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.IORef (modifyIORef, newIORef, readIORef)
import Data.Text (Text)
import Data.Text qualified as T
import Tern
import Tern.Json.Seeded (seeded)
import Tern.MessagePack.Value qualified as MessagePack
import Tern.Stream
import Test.QuickCheck
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "encoding"
    [ testCase "what stands between values" $
        [ encodeLazyWith order jsonW values
          | values <-
              [[], [1], [1, 2, 3 :: Int]],
            order <- [JsonLines, JsonValues, JsonArray]
        ]
          @?= ["", "", "[]", "1\n", "1\n", "[1]", "1\n2\n3\n", "1\n2\n3\n", "[1,2,3]"],
      testCase "MessagePack has nothing between values" $
        encodeLazyWith MessagePackValues MessagePack.valueW [MessagePack.Nil, MessagePack.Int 300]
          @?= "\xc0\xcd\x01\x2c",
      seeded "is read again, by every sequence of JSON" 300 $ \texts (Positive k) ->
        -- Long values cross the ends of buffers.
        let values =
              [ T.replicate (k * i `mod` 3000) (T.pack t)
                | (i, t) <-
                    zip [1 ..] (texts :: [String])
              ] ::
                [Text]
         in conjoin
              [ conjoin
                  [ decodeLazy (decoderWith order defaultLimits jsonR) written
                      === map Right values,
                    ioProperty ((=== written) <$> put order values)
                  ]
                | order <- [JsonLines, JsonValues, JsonArray],
                  let written = encodeLazyWith order jsonW values
              ],
      seeded "is read again, as MessagePack" 300 $ \numbers ->
        let values = [MessagePack.Bin (B.replicate (abs n `mod` 5000) 7) | n <- numbers :: [Int]]
         in decodeLazy
              ( decoderWith
                  MessagePackValues
                  defaultLimits
                  MessagePack.valueR
              )
              (encodeLazyWith MessagePackValues MessagePack.valueW values)
              === map Right values,
      seeded "by a type's own formats, in every sequence" 200 $ \pairs ->
        let values = pairs :: [(Int, Maybe String)]
         in conjoin
              [ conjoin
                  [ decodeLazy (decoder order defaultLimits) written === map Right values,
                    ioProperty $ do
                      out <- newIORef []
                      encodeTo order (\chunk -> modifyIORef out (chunk :)) (`mapM_` values)
                      (=== written) . BL.fromChunks . reverse <$> readIORef out
                  ]
                | order <- [minBound .. maxBound],
                  let written = encodeLazy order values
              ],
      testCase "chunks have about 32 KiB" $ do
        let sizes = map B.length (BL.toChunks (encodeLazyWith JsonLines jsonW [1 .. 50000 :: Int]))
        assertBool
          (show sizes)
          ( all (\n -> n >= 32768 && n < 32800) (init sizes)
              && length sizes > 5
          ),
      testCase "a list that has no end is written as far as it is wanted" $
        BL.take 10 (encodeLazyWith JsonArray jsonW [1 :: Int ..]) @?= "[1,2,3,4,5",
      testCase "a value larger than the buffer" $ do
        let long = T.replicate 100000 "x"
        B.length (BL.toStrict (encodeLazyWith JsonArray jsonW [long, "a", long]))
          @?= 200000 + 4 + 3 + 4,
      testCase "after an exception the array is not closed" $ do
        out <- newIORef []
        result <-
          try
            ( encodeToWith
                JsonArray
                jsonW
                (\chunk -> modifyIORef out (chunk :))
                ( \one ->
                    mapM_ one [1 .. 20000 :: Int] >> throwIO (userError "stop")
                )
            )
        result @?= (Left (userError "stop") :: Either IOError ())
        chunks <- B.concat . reverse <$> readIORef out
        B.take 8 chunks @?= "[1,2,3,4"
        assertBool "closed" (B.last chunks /= 0x5d)
    ]

-- | The same through a consumer.
put :: Sequence -> [Text] -> IO BL.ByteString
put order values = do
  out <- newIORef []
  encodeToWith order jsonW (\chunk -> modifyIORef out (chunk :)) (`mapM_` values)
  BL.fromChunks . reverse <$> readIORef out
