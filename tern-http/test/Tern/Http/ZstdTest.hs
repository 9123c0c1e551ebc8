{-# LANGUAGE OverloadedStrings #-}

-- | Zstandard's frames are walked over without being decompressed.
module Tern.Http.ZstdTest (tests) where

import Codec.Compression.Zstd qualified as Zstd
import Control.Monad (foldM)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Tern.Http.Zstd (Complaint (..), Frames, betweenFrames, frames, walk)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "zstd"
    [ testProperty
        "what is compressed ends between frames, in chunks of any size"
        . forAll compressed
        $ \(bytes, size) ->
          (betweenFrames <$> over size bytes) === Right True,
      testProperty "no prefix of a frame ends there" . forAll compressed $ \(bytes, size) ->
        conjoin
          [ (betweenFrames <$> over size (B.take n bytes)) === Right (n == 0)
            | n <- [0, 1, 3, 4, 5, 6, 7, B.length bytes - 5, B.length bytes - 1],
              n >= 0,
              n < B.length bytes
          ],
      testCase "frames after each other, and what may be passed over" $
        ( betweenFrames
            <$> over
              3
              ( Zstd.compress 3 "tern"
                  <> "\x5f\x2a\x4d\x18\x03\x00\x00\x00"
                  <> "abc"
                  <> Zstd.compress 1 ""
              )
        )
          @?= Right True,
      testCase "what is no frame" $ do
        complaint "tern" @?= Just NoFrame
        complaint (Zstd.compress 3 "tern" <> "tern") @?= Just NoFrame
        complaint "\x28\xb5\x2f\xfd\x08\x00" @?= Just BadFrame
        complaint "\x28\xb5\x2f\xfd\x00\x50\x07\x00\x00" @?= Just BadFrame,
      testCase "what a frame claims to need" $ do
        -- Windows of 8 MiB, 9 MiB and 128 MiB, then contents of 2^40 bytes in one segment.
        complaint "\x28\xb5\x2f\xfd\x00\x68" @?= Nothing
        complaint "\x28\xb5\x2f\xfd\x00\x69" @?= Just (WindowTooLarge 9437184)
        complaint "\x28\xb5\x2f\xfd\x00\x88" @?= Just (WindowTooLarge 134217728)
        complaint "\x28\xb5\x2f\xfd\xe0\x00\x00\x00\x00\x00\x01\x00\x00"
          @?= Just (WindowTooLarge 1099511627776),
      testCase "a header's fields of every size" $ do
        -- A dictionary of one, two and four bytes, and contents of two.
        complaint "\x28\xb5\x2f\xfd\x21\x00\x05\x01\x00\x00" @?= Nothing
        complaint "\x28\xb5\x2f\xfd\x22\x00\x00\x05\x01\x00\x00" @?= Nothing
        complaint "\x28\xb5\x2f\xfd\x23\x00\x00\x00\x00\x05\x01\x00\x00" @?= Nothing
        (betweenFrames <$> over 1 "\x28\xb5\x2f\xfd\x60\x05\x00\x01\x00\x00") @?= Right True,
      testCase "a checksum after the last block" $ do
        (betweenFrames <$> over 1 "\x28\xb5\x2f\xfd\x24\x00\x01\x00\x00") @?= Right False
        (betweenFrames <$> over 1 "\x28\xb5\x2f\xfd\x24\x00\x01\x00\x00\x01\x02\x03\x04")
          @?= Right True
    ]
  where
    -- Without its type this does not compile without optimisation.
    complaint :: ByteString -> Maybe Complaint
    complaint = either Just (const Nothing) . over 1000

-- | One frame, of any level and length, and a size of chunks.
compressed :: Gen (ByteString, Int)
compressed = do
  size <- oneof [choose (0, 300), choose (300, 400000)]
  step <- choose (1, 255 :: Int)
  level <- choose (1, 19)
  chunk <- elements [1, 2, 3, 7, 1000, 1000000]
  pure
    ( Zstd.compress level (B.pack (take size (cycle (map fromIntegral [0, step .. 255 * step])))),
      if size > 10000
        then max 100 chunk
        else chunk
    )

over :: Int -> ByteString -> Either Complaint Frames
over size = foldM (flip (walk (8 * 1024 * 1024))) frames . pieces
  where
    pieces bytes
      | B.null bytes = []
      | (chunk, rest) <- B.splitAt size bytes = chunk : pieces rest
