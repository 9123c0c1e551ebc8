{-# LANGUAGE OverloadedStrings #-}

-- | Article 004's table: every figure that it publishes, and what the same question comes to
-- today.
--
-- The idea: the article's names stand beside contenders of "Tern.Bench.Question", which ask
-- the same of today's compiler. How long its lists are the article does not say, and its
-- machine is another: what can be compared are the proportions, and so each figure is
-- given beside the first of its group as well.
--
-- Start at 'asked'.
module Tern.Bench.Article.Four
  ( Asked (..),
    asked,
  )
where

import Data.Text (Text)

-- | One published figure.
data Asked = Asked
  { group :: Text,
    -- | The article's name for it.
    reader :: Text,
    -- | The mean, in nanoseconds.
    mean :: Double,
    -- | The case and the contender that ask it today.
    today :: (Text, Text)
  }
  deriving stock (Eq, Show)

-- | In the article's order (GHC 7.0.3 on an i7-2620M).
asked :: [Asked]
asked =
  [ Asked many "unpack" 200209.5 (bytes "unpack"),
    Asked many "attoget (via-unpack)" 201320.5 (bytes "unpack"),
    Asked many "attoget" 4119342 (bytes "each checked"),
    Asked many "attoparsec" 1443113 (bytes "attoparsec"),
    Asked many "attodecode ->" 369854.8 (bytes "bounded, checked once a chunk"),
    Asked many "attodecode ->'" 357295.4 (bytes "bounded, checked once a chunk"),
    Asked many "attodecode <-" 202413.5 (bytes "fixed, from the end"),
    Asked many "attodecode <-'" 204583.6 (bytes "fixed, from the end"),
    Asked wide "attodecode ->" 128952.7 (words' "each checked"),
    Asked wide "attodecode ->'" 128509.2 (words' "each checked"),
    Asked wide "attodecode <-" 79824.57 (words' "fixed, from the end"),
    Asked wide "attodecode <-'" 79447.15 (words' "fixed, from the end"),
    Asked long "binaryget" 1341570 (tagged "binary"),
    Asked long "attoget" 1512426 (tagged "success only"),
    Asked long "attoparsec" 2020433 (tagged "attoparsec"),
    Asked long "attoparsec-get" 1509635 (tagged "success only, in attoparsec"),
    Asked short "binaryget" 513879.5 (tagged "binary"),
    Asked short "attoget" 686070.3 (tagged "success only"),
    Asked short "attoparsec" 922843.5 (tagged "attoparsec"),
    Asked short "attoparsec-get" 674628.8 (tagged "success only, in attoparsec"),
    Asked apart "binaryget" 761296.6 (called "binary"),
    Asked apart "attoget" 729397.7 (called "success only"),
    Asked apart "attoparsec" 940138.7 (called "attoparsec"),
    Asked apart "attoparsec-get" 724078.3 (called "success only, in attoparsec"),
    Asked counted "binaryget" 1227668 (bytes "binary"),
    Asked counted "attoget" 1407122 (bytes "each checked"),
    Asked counted "attoparsec" 2062740 (bytes "attoparsec")
  ]
  where
    many = "manyWord8s"
    wide = "manyWord16BEs"
    long = "binaryWord8s (full length)"
    short = "binaryWord8s"
    apart = "binaryWord8s NOINLINE"
    counted = "replicateNWord8s"
    bytes who = ("question 3, 4: 100,000 Word8 to a list", who)
    words' who = ("100,000 Word16BE to a list", who)
    called who = ("question 1, 2: the same, each byte by a call", who)
    tagged who = ("question 1, 2: a tagged list of 100,000 Word8", who)
