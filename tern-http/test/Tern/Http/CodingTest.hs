{-# LANGUAGE OverloadedStrings #-}

-- | Content codings: what is compressed comes back, and what is cut off does not pass for
-- the whole.
module Tern.Http.CodingTest (tests, storedFrame) where

import Control.Exception (try)
import Data.Bits (shiftL, shiftR, (.|.))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.IORef (atomicModifyIORef', newIORef)
import Tern.Http.Birds (pieces)
import Tern.Http.Coding (Broken (..), Coding (..), decoding, encoding, encodingChunks)
import Test.Tasty
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "codings"
    [ testProperty "what is compressed comes back, in chunks of any size" . forAll drawn $
        \(compressed, _, size) -> ioProperty $ do
          outcome <- drained (codingOf compressed) (pieces size (bytesOf compressed))
          pure (outcome === (contentOf compressed, Nothing)),
      testProperty "no part of what is compressed passes for the whole"
        . withMaxSuccess 500
        . forAll drawn
        $ \(compressed, cut, size) -> ioProperty $ do
          let n = 1 + cut `mod` (B.length (bytesOf compressed) - 1)
              isWhole = n `elem` endsOf compressed
          (found, wrong) <-
            drained (codingOf compressed) (pieces size (B.take n (bytesOf compressed)))
          pure
            . cover 5 (not (B.null found) && not isWhole) "gave something before the cut"
            . counterexample (show (n, found, wrong))
            $ found `B.isPrefixOf` contentOf compressed
              && fmap brokenCoding wrong
                == (if isWhole then Nothing else Just (codingOf compressed))
    ]
  where
    brokenCoding (Broken coding _) = coding

-- | Bytes in a coding, and what is in them.
data Compressed = Compressed
  { codingOf :: Coding,
    contentOf :: ByteString,
    bytesOf :: ByteString,
    -- | How many of the bytes are a whole too, as a frame before another is.
    endsOf :: [Int]
  }
  deriving stock (Show)

-- | Compressed content, where to cut it, and a size of chunks.
drawn :: Gen (Compressed, Int, Int)
drawn = do
  parts <- resize 5 (listOf part)
  let content = B.concat parts
      whole coding = Compressed coding content (encoding coding content) []
      inChunks coding =
        Compressed coding content (BL.toStrict (encodingChunks coding (BL.fromChunks parts))) []
      stored = Compressed Zstandard content (storedFrame parts) []
      two start =
        Compressed
          Zstandard
          (start <> content)
          (encoding Zstandard start <> encoding Zstandard content)
          [B.length (encoding Zstandard start)]
  (,,)
    <$> frequency
      [ (1, whole <$> elements [minBound ..]),
        (1, inChunks <$> elements [minBound ..]),
        (3, pure stored),
        (2, two <$> part)
      ]
    <*> choose (0, 1000000)
    <*> elements [1, 2, 7, 1000, 1000000]
  where
    part = oneof [B.pack <$> resize 20 (listOf1 arbitrary), (`B.replicate` 7) <$> choose (1, 9000)]

-- | A frame of Zstandard that holds these bytes as they are, each in a block of its own: RFC
-- 8878, sections 3.1.1 and 3.1.1.2.
storedFrame :: [ByteString] -> ByteString
storedFrame parts = "\x28\xb5\x2f\xfd\x00\x58" <> foldMap (block 0) parts <> block 1 ""
  where
    block isLast bytes = B.pack [fromIntegral (header `shiftR` at) | at <- [0, 8, 16]] <> bytes
      where
        header = (B.length bytes `shiftL` 3) .|. isLast

-- | What the source gives, and what it throws then.
drained :: Coding -> [ByteString] -> IO (ByteString, Maybe Broken)
drained coding chunks = do
  left <- newIORef chunks
  source <- decoding coding (atomicModifyIORef' left (\cs -> (drop 1 cs, mconcat (take 1 cs))))
  let go found =
        try source >>= \case
          Left wrong -> pure (found, Just wrong)
          Right chunk
            | B.null chunk -> pure (found, Nothing)
            | otherwise -> go (found <> chunk)
  go B.empty
