{-# LANGUAGE OverloadedStrings #-}

-- | Readers that are known to do too much, attacked.
module Tern.Lab.HostileTest (tests) where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.IORef (modifyIORef', newIORef, readIORef)
import Data.List (nub, sort)
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Benchmark.Run (Found (..), growthsOf, measured)
import Tern.Lab.Hostile
  ( Attack (..),
    byteAttacks,
    cborAttacks,
    hostile,
    jsonAttacks,
    messagePackAttacks,
  )
import Tern.Lab.Measure (Settings (..))
import Tern.Lab.Progress (silent)
import Tern.Lab.Sheet.Report (outgrows)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "hostile documents"
    [ testCase "an attack's documents become longer" $
        sequence_
          [ assertBool
              (attackName one)
              (length found > 3 && found == nub (sort found))
            | one <- jsonAttacks sample <> messagePackAttacks <> cborAttacks <> byteAttacks sample,
              let found = map fst (documents one)
          ],
      testCase "those in the places of a document are documents" $ do
        let placed = [one | one <- jsonAttacks sample, ", " `T.isInfixOf` T.pack (attackName one)]
        length placed > 10 @? show (map attackName placed)
        sequence_
          [ assertBool (attackName one) (BC.isPrefixOf "{" document && BC.isSuffixOf "}" document)
            | one <- placed,
              (_, document) <- documents one
          ],
      testCase "what is for a text, a number and a list stands there" $ do
        let first name =
              concat
                [ map snd (take 1 (documents one))
                  | one <- jsonAttacks sample,
                    attackName one == name
                ]
        map (BC.isInfixOf "\"name\":\"\\\\\\\\") (first "backslashes, for a text") @?= [True]
        map (BC.isInfixOf "\"age\":1e99,") (first "an exponent, for a number") @?= [True]
        map (BC.isInfixOf "[[1,2],[1,2],") (first "more of a list's elements") @?= [True]
        map (BC.isPrefixOf "{\"zzz\":[[[[") (first "lists within lists, not asked for") @?= [True],
      testCase
        "a reader that copies what it has for each byte is found, and one that does not is not"
        $ do
          found <- flagged [("linear", linear), ("quadratic", quadratic)]
          lookup "linear" found @?= Just False
          lookup "quadratic" found @?= Just True,
      testCase "a reader that writes out an exponent is found" $ do
        found <- flaggedBy ["an exponent"] [("expanding", expanding), ("keeping", linear)]
        found @?= [("expanding", True), ("keeping", False)]
    ]

sample :: ByteString
sample = "{\"name\":\"a\",\"age\":7,\"lines\":[[1,2],[3]]}"

-- | Each allocates as much for a byte.
linear :: ByteString -> Either Text Int
linear bytes = Right (sum (reverse (map fromIntegral (B.unpack bytes))))

-- | At each byte all before it are copied.
quadratic :: ByteString -> Either Text Int
quadratic bytes = Right (sum [B.length (B.copy (B.take n bytes)) | n <- [1, 9 .. B.length bytes]])

-- | A number as all of its digits.
expanding :: ByteString -> Either Text Int
expanding bytes = case BC.break (== 'e') bytes of
  (_, rest) -> case BC.readInt (B.drop 1 rest) of
    Just (n, _) -> Right (length (show ((10 :: Integer) ^ n)))
    Nothing -> Left "no exponent"

-- | By name: does an attack make it grow faster than the bytes? By what it allocates: two
-- rounds are too few to say something of times.
flagged :: [(String, ByteString -> Either Text Int)] -> IO [(String, Bool)]
flagged = flaggedBy ["a text that does not end"]

flaggedBy :: [String] -> [(String, ByteString -> Either Text Int)] -> IO [(String, Bool)]
flaggedBy wanted readers = do
  done <- newIORef []
  measured
    Settings {rounds = 2, batch = 1e5}
    (\_ _ -> pure)
    silent
    (const True)
    [ hostile
        name
        [ Attack (attackName one) (take 4 (documents one))
          | one <- jsonAttacks sample,
            attackName one `elem` wanted
        ]
        reader
      | (name, reader) <- readers
    ]
    (\found -> modifyIORef' done (found :))
  found <- reverse <$> readIORef done
  pure
    [ ( T.unpack (T.concat (take 1 (path one))),
        any outgrows (growthsOf one)
      )
      | one <- found
    ]
