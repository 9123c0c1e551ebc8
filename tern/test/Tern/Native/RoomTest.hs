{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE OverloadedStrings #-}

-- | What values within each other may take for each byte of a document, whatever it
-- claims: rule 21 of the native format.
module Tern.Native.RoomTest (tests) where

import Control.Exception (evaluate)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Either (fromRight)
import Data.Map.Strict (Map)
import Data.Text (Text)
import Data.Vector qualified as V
import Data.Vector.Unboxed qualified as U
import GHC.Conc (getAllocationCounter, setAllocationCounter)
import Tern
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "native, room for what is within each other"
    [ testCase (type' <> ", " <> what) $ do
        used <- allocatedBy' run input
        -- The stack takes a chunk of 32 KiB at a time.
        assertBool (show (fromIntegral used / fromIntegral (B.length input) :: Double) <> " bytes for each byte") (used < most * B.length input + 200000)
      | (type', run) <- types,
        (what, input) <- inputs
    ]

-- | As the specification says.
most :: Int
most = 160

types :: [(String, ByteString -> Either Error ())]
types =
  [ ("V (V (V ()))", read' @(V.Vector (V.Vector (V.Vector ())))),
    ("V (V (V Int))", read' @(V.Vector (V.Vector (V.Vector Int)))),
    ("V (V (V Text))", read' @(V.Vector (V.Vector (V.Vector Text)))),
    ("V (V (U Int))", read' @(V.Vector (V.Vector (U.Vector Int)))),
    ("[[[()]]]", read' @[[[()]]]),
    ("V (Map Int ())", read' @(V.Vector (Map Int ()))),
    ("[Maybe [Either () Text]]", read' @[Maybe [Either () Text]])
  ]
  where
    read' :: forall a. (Wire a) => ByteString -> Either Error ()
    read' input = case decodeNative input :: Either Error a of
      Right a -> a `seq` Right ()
      Left failure -> Left failure

-- | Whole documents and such as break off, all of 20 KB and more.
inputs :: [(String, ByteString)]
inputs =
  [ ("empty ones", chunks (replicate 20000 "\0")),
    ("one in each", chunks (replicate 10000 "\1\0")),
    ("one in each of one", chunks (replicate 7000 "\1\1\0")),
    ("two in each", chunks (replicate 7000 "\2\0\0")),
    ("a full chunk claimed at every place", B.concat (replicate 10000 "\x90\x00") <> B.replicate 4096 0),
    ("a full chunk claimed, and few there", "\x90\x00" <> B.concat (replicate 4096 "\x90\x00") <> B.replicate 12000 0),
    ("ones", chunks (replicate 20000 "\1")),
    ("what breaks off", B.take 20000 (chunks (replicate 20000 "\3\0\1\0\0")))
  ]

-- | A list of elements in chunks.
chunks :: [ByteString] -> ByteString
chunks elements = case splitAt 4096 elements of
  (now, []) | length now < 4096 -> header (length now) <> B.concat now
  (now, later) -> "\x90\x00" <> B.concat now <> chunks later
  where
    header n
      | n < 128 = B.pack [fromIntegral n]
      | otherwise = B.pack [fromIntegral (128 + n `quot` 256), fromIntegral n]

allocatedBy' :: (ByteString -> Either Error ()) -> ByteString -> IO Int
allocatedBy' run input = do
  _ <- evaluate (B.length input)
  setAllocationCounter 0
  _ <- evaluate (fromRight () (run input))
  negate . fromIntegral <$> getAllocationCounter
