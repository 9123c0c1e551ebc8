{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Long texts: the first ill-formed byte is found where the table of Unicode finds it, though
-- most of a text is looked at in pieces of 128 bytes.
module Tern.Values.LongTextTest (tests) where

import Data.Bits (complementBit, shiftR)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Word (Word8)
import Tern (Error (..), decodeMessagePack)
import Tern.Error (Reason (..))
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (testCase, (@?=))
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "long texts"
    [ testProperty "are read, or refused at the first byte that is ill-formed"
        . withMaxSuccess 3000
        $ forAll damaged
        $ \bytes ->
          let wanted = wellFormed bytes
           in cover 30 (wanted < B.length bytes) "ill-formed" $
                cover 10 (wanted == B.length bytes) "well-formed" $
                  found bytes === wanted,
      testCase "each second byte after each first one, at the seams of pieces" $
        [ (at, a, b)
          | at <- [127, 128, 159, 160],
            a <- [0x7f .. 0xff],
            b <- [0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff],
            after <- ["aaaa", "\x80\&aaa", "\x80\x80\&aa", "\x80\x80\x80\&a"],
            let bytes = B.concat [B.replicate at 0x61, B.pack [a, b], after, B.replicate 300 0x61],
            found bytes /= wellFormed bytes
        ]
          @?= [],
      -- Where those begin for which the copy goes past the caches.
      testCase "as many bytes as no cache has" $
        [ (size, fault)
          | size <- [8388607, 8388608, 8388609, 9000001],
            let bytes = B.take size large,
            fault <- [Nothing, Just 5, Just 8388600, Just (size - 1)],
            let spoilt at = B.concat [B.take at bytes, "\xff", B.drop (at + 1) bytes]
                given = maybe bytes spoilt fault,
            found given /= fromMaybe size fault
        ]
          @?= []
    ]

-- | Nine million bytes of ASCII and a little more, of which neighbouring pieces differ.
large :: ByteString
large =
  B.concat . replicate 15000 $
    B.pack [fromIntegral (32 + k * k `mod` 94) | k <- [0 .. 600 :: Int]]

-- | How many bytes come before the first that is ill-formed, as a text is read.
found :: ByteString -> Int
found bytes = case decodeMessagePack (header <> bytes) :: Either Error Text of
  Right text | T.encodeUtf8 text == bytes -> B.length bytes
  Left Error {errorReason = InvalidUtf8, errorOffset} -> errorOffset - B.length header
  _ -> -1
  where
    header = B.pack (0xdb : [fromIntegral (B.length bytes `shiftR` k) | k <- [24, 16, 8, 0]])

-- | The same by table 3-7 of the Unicode Standard, byte by byte.
wellFormed :: ByteString -> Int
wellFormed bytes = go 0
  where
    go n = case B.unpack (B.take 4 (B.drop n bytes)) of
      [] -> n
      a : later -> case ranges a of
        Just those
          | length later >= length those,
            and (zipWith holds those later) ->
              go (n + 1 + length those)
        _ -> n
    holds (least, most) b = least <= b && b <= most

-- | What may follow a first byte.
ranges :: Word8 -> Maybe [(Word8, Word8)]
ranges a
  | a <= 0x7f = Just []
  | a < 0xc2 = Nothing
  | a <= 0xdf = Just [others]
  | a == 0xe0 = Just [(0xa0, 0xbf), others]
  | a == 0xed = Just [(0x80, 0x9f), others]
  | a <= 0xef = Just [others, others]
  | a == 0xf0 = Just [(0x90, 0xbf), others, others]
  | a <= 0xf3 = Just [others, others, others]
  | a == 0xf4 = Just [(0x80, 0x8f), others, others]
  | otherwise = Nothing
  where
    others = (0x80, 0xbf)

-- | A text of one kind of characters or of several, with up to three faults.
damaged :: Gen ByteString
damaged = do
  kind <- elements kinds
  size <- choose (0, 700)
  text <- T.pack <$> vectorOf size (oneof kind)
  faults <- choose (0, 3 :: Int)
  go faults (T.encodeUtf8 text)
  where
    ascii = choose ('\0', '\x7f')
    two = choose ('\x80', '\x7ff')
    three = oneof [choose ('\x800', '\xd7ff'), choose ('\xe000', '\xffff')]
    four = choose ('\x10000', '\x10ffff')
    kinds = [[ascii], replicate 20 ascii <> [two], [three], [four], [ascii, two, three, four]]
    go n bytes
      | n == 0 || B.null bytes = pure bytes
      | otherwise = do
          at <- choose (0, B.length bytes - 1)
          bit <- choose (0, 7)
          other <- elements [0x80, 0xbf, 0xc0, 0xe0, 0xed, 0xf0, 0xf4, 0xff]
          let (before, after) = B.splitAt at bytes
          changed <-
            elements
              [ before <> B.map (`complementBit` bit) (B.take 1 after) <> B.drop 1 after,
                before <> B.drop 1 after,
                B.concat [before, B.singleton other, after],
                before
              ]
          go (n - 1) changed
