{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | The external suites as streams: whatever the chunks, the outcome is that of
-- one piece, and that of the model.
module Tern.Stream.SuiteTest (tests) where

import Data.Bifunctor (first)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Either (isLeft)
import Data.List (isSuffixOf, sort)
import Data.Maybe (catMaybes)
import System.Directory (listDirectory)
import System.FilePath ((</>))
import Tern
import Tern.Stream
import Tern.Stream.Model (Ending (..), outcomes)
import Tern.Stream.Run (chunksOf, decoderOf, documents, outcomesOf, splits)
import Tern.Testkit.Suites (suiteTest)
import Test.Tasty

tests :: TestTree
tests =
  testGroup
    "streams of the suites"
    [ suiteTest "JSON, parsing" "json/parsing" (files [JsonLines, JsonValues, JsonArray]),
      suiteTest "JSON, checker" "json/checker" (files [JsonLines, JsonValues, JsonArray]),
      suiteTest "JSON, adversarial" "adversarial/json" (files [JsonLines, JsonValues, JsonArray]),
      suiteTest "JSON, documents" "json/docs" (files [JsonValues, JsonArray]),
      suiteTest "JSON Lines" "json/ndjson" ndjson,
      suiteTest "JSON Lines, documents" "json/docs" jsonl,
      suiteTest "MessagePack, adversarial" "adversarial/msgpack" (files [MessagePackValues]),
      suiteTest "MessagePack, documents" "msgpack/docs" (files [MessagePackValues]),
      suiteTest "MessagePack, all documents one after the other" "msgpack/docs" concatenated
    ]

-- | Larger files are left to the benchmarks.
enough :: Int
enough = 700000

files :: [Sequence] -> FilePath -> IO ([String], Int)
files orders folder = do
  names <- sort <$> listDirectory folder
  judged <-
    sequence [judge order name <$> B.readFile (folder </> name) | name <- names, order <- orders]
  let found = concat (catMaybes judged)
  pure (found, length [() | Just _ <- judged])

-- | 'Nothing' where a file is too large.
judge :: Sequence -> FilePath -> ByteString -> Maybe [String]
judge order name input
  | B.length input > enough = Nothing
  | otherwise =
      Just
        ( [ complain "one piece and the model"
            | small,
              whole /= outcomes order defaultLimits (documents order defaultLimits) input
          ]
            <> [complain how | (how, chunks) <- ways, outcomesOf from chunks /= whole]
        )
  where
    whole = outcomesOf from [input]
    from = decoderOf order defaultLimits
    complain how = name <> ", " <> show order <> ": " <> how
    small = B.length input <= 50000
    ways
      | B.length input <= 300 =
          ("one byte each", chunksOf 1 input)
            : zip (map (("split at " <>) . show) [0 :: Int ..]) (splits input)
      | otherwise =
          [ ("chunks of " <> show n, chunksOf n input)
            | n <- [1 | B.length input <= 200000] <> [61, 4093, 32768]
          ]

-- | One of them has documents over several lines.
ndjson, jsonl, concatenated :: FilePath -> IO ([String], Int)
ndjson folder = do
  names <- sort <$> listDirectory folder
  complaints <- mapM (\name -> sequential JsonValues name <$> B.readFile (folder </> name)) names
  pure (concat complaints, length names)
jsonl folder = do
  names <- filter (".jsonl" `isSuffixOf`) . sort <$> listDirectory folder
  complaints <- mapM (\name -> sequential JsonLines name <$> B.readFile (folder </> name)) names
  pure (concat complaints, length names)
concatenated folder = do
  names <- sort <$> listDirectory folder
  inputs <- mapM (B.readFile . (folder </>)) names
  let input = B.concat inputs
      alone = map (documents MessagePackValues defaultLimits) inputs
      found = outcomesOf (decoderOf MessagePackValues defaultLimits) (chunksOf 32768 input)
  pure
    ( [ "not the documents"
        | first (map (either (const Nothing) Just)) found
            /= (map (either (const Nothing) Just) alone, Complete)
      ],
      length names
    )

-- | Sound ones.
sequential :: Sequence -> FilePath -> ByteString -> [String]
sequential order name input =
  [ name <> ": " <> how
    | let expected = outcomes order defaultLimits (documents order defaultLimits) input,
      (how, chunks) <-
        [ ("one piece", [input]),
          ("chunks", chunksOf 32768 input),
          ("small chunks", chunksOf 7 input)
        ],
      outcomesOf (decoderOf order defaultLimits) chunks /= expected
        || any isLeft (fst expected)
        || length (fst expected) < 4
  ]
