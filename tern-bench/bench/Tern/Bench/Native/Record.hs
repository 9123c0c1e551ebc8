{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}

-- | The types that the native format's figures are taken with: the record of
-- the article that compares JSON with MessagePack, and one of many kinds of
-- field, ten thousand of them.
module Tern.Bench.Native.Record
  ( -- * The article's record
    Article (..),
    Choice (..),
    article,

    -- * Many kinds of field
    Entry (..),
    Figure (..),
    entries,
  )
where

import Control.DeepSeq (NFData)
import Data.Bits (shiftR, xor)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Word (Word64)
import GHC.Generics (Generic)

-- | Its fields are lazy, as there.
data Article by = Article
  { choice :: Choice by,
    word1 :: Text,
    whole :: Int,
    long :: Double,
    short :: Float,
    positive :: Word,
    perhaps :: Maybe Text,
    several :: [Text]
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (NFData)

data Choice by = Whole Int | Short Float
  deriving stock (Eq, Generic, Show)
  deriving anyclass (NFData)

article :: Article by
article = Article (Whole 1) "foo" 12 234.234123 123.34563 12 Nothing ["bar", "baz"]
{-# NOINLINE article #-}

data Entry by = Entry
  { number :: !Int,
    name :: !Text,
    score :: !Double,
    nick :: !(Maybe Text),
    tags :: ![Text],
    figure :: !(Figure by),
    active :: !Bool,
    counts :: ![Int]
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (NFData)

data Figure by = Circle !Double | Rectangle !Double !Double | Polygon ![Int] | Empty
  deriving stock (Eq, Generic, Show)
  deriving anyclass (NFData)

-- | Ten thousand, the same in every run; of the sizes that the promises were
-- made with.
entries :: [Entry by]
entries = map entry [1 .. 10000]
{-# NOINLINE entries #-}

entry :: Int -> Entry by
entry i =
  Entry
    { number = i * 37,
      name = "user-" <> letters (random 1) (6 + below 2 8),
      score = fromIntegral (below 3 1000000) / 1000,
      nick = if below 4 2 == 0 then Nothing else Just (letters (random 5) (3 + below 6 6)),
      tags = [letters (random (10 + k)) (2 + below (20 + k) 9) | k <- [1 .. below 7 5]],
      figure = case below 8 4 of
        0 -> Circle (side 30)
        1 -> Rectangle (side 31) (side 32)
        2 -> Polygon [below (40 + k) 1000 - 500 | k <- [1 .. 1 + below 9 5]]
        _ -> Empty,
      active = below 33 2 == 0,
      counts =
        [ if below (50 + k) 8 == 0
            then below (60 + k) 1000000000
            else below (60 + k) 100
          | k <- [1 .. below 34 8]
        ]
    }
  where
    random :: Int -> Word64
    random k = mixed (fromIntegral i * 1000 + fromIntegral k)
    below :: Int -> Int -> Int
    below k n = fromIntegral (random k `mod` fromIntegral n)
    side k = fromIntegral (below k 100000) / 64

letters :: Word64 -> Int -> Text
letters seed n =
  T.pack (take n [toEnum (97 + fromIntegral ((x `shiftR` 7) `mod` 26)) | x <- iterate mixed seed])

-- | A step of SplitMix64 (Steele, Lea and Flood, 2014).
mixed :: Word64 -> Word64
mixed s = z2 `xor` (z2 `shiftR` 31)
  where
    z0 = s + 0x9e3779b97f4a7c15
    z1 = (z0 `xor` (z0 `shiftR` 30)) * 0xbf58476d1ce4e5b9
    z2 = (z1 `xor` (z1 `shiftR` 27)) * 0x94d049bb133111eb
