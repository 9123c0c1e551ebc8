{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Sequences in chunks of any size.
--
-- >                model
-- > bytes ------------------------> outcomes
-- >   | one chunk, two, many           ^
-- >   +----------- next ---------------+
module Tern.StreamTest (tests) where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Either (fromRight)
import Data.List (intersperse)
import Data.Word (Word8)
import Tern
import Tern.Cbor.Model qualified as Cbor
import Tern.Cbor.ModelTest qualified as Cbor (item)
import Tern.Json.Model qualified as Json
import Tern.Json.Noise qualified as Noise
import Tern.Json.Seeded (seeded)
import Tern.MessagePack.Model qualified as MessagePack
import Tern.Stream (Sequence (..))
import Tern.Stream.Model (Ending (..), outcomes)
import Tern.Stream.Run (chunksOf, decoderOf, documents, outcomesOf, pieces, splits)
import Test.QuickCheck
import Test.Tasty

tests :: TestTree
tests =
  testGroup
    "streams"
    [ testGroup
        (show order)
        [ seeded
            "sound sequences hold their documents"
            300
            ( forAll
                (sound order)
                ( \(input, found) ->
                    outcomesOf (decoderOf order defaultLimits) [input]
                      === (map Right found, Complete)
                )
            ),
          seeded
            "as the model says"
            2000
            ( forAll
                (limited order)
                (\(limits, input) -> asModel order limits [input] input)
            ),
          seeded
            "in chunks of any sizes"
            2000
            ( forAll
                ((,) <$> limited order <*> arbitrary)
                ( \((limits, input), seedling) ->
                    forAll
                      (variant (seedling :: Int) (pieces input))
                      (\chunks -> asModel order limits chunks input)
                )
            ),
          seeded
            "what decides about ends, in any order"
            2000
            ( forAll
                (dense order)
                ( \input ->
                    forAll
                      (pieces input)
                      (\chunks -> allAsModel order defaultLimits [chunks, [input]] input)
                )
            ),
          seeded
            "split at every byte, and in chunks of one byte"
            200
            ( forAll
                (limited order)
                ( \(limits, input) ->
                    allAsModel order limits (chunksOf 1 input : splits input) input
                )
            )
        ]
      | order <- [minBound .. maxBound]
    ]

asModel :: Sequence -> Limits -> [ByteString] -> ByteString -> Property
asModel order limits chunks = allAsModel order limits [chunks]

-- | The same of several ways to cut the input. The model, which is slow, is asked once.
allAsModel :: Sequence -> Limits -> [[ByteString]] -> ByteString -> Property
allAsModel order limits ways input =
  case filter (\chunks -> found chunks /= expected) ways of
    [] -> property True
    chunks : _ -> counterexample (show chunks) (found chunks === expected)
  where
    found = outcomesOf (decoderOf order limits)
    expected = outcomes order limits (documents order limits) input

-- | Bytes, and the documents that they hold.
sound :: Sequence -> Gen (ByteString, [ByteString])
sound order = do
  values <- resize 20 (listOf (value order))
  input <- spelled order values
  pure (input, [fromRight "not read" (documents order defaultLimits v) | v <- values])

value :: Sequence -> Gen ByteString
value = \case
  MessagePackValues -> resize 15 packed
  CborValues -> B.pack <$> (Cbor.spelled =<< resize 15 Cbor.item)
  _ -> B.pack . Json.writeDocument <$> resize 15 Noise.document

packed :: Gen ByteString
packed = do
  document <- resize 15 Noise.document
  B.pack <$> MessagePack.spelled (item document)
  where
    item = \case
      Json.Null -> MessagePack.Nil
      Json.Bool b -> MessagePack.Bool b
      Json.Number n -> MessagePack.Integer (fromIntegral (length n) * 77 - 300)
      Json.String s -> MessagePack.Str s
      Json.Array vs -> MessagePack.Array (map item vs)
      Json.Object pairs -> MessagePack.Map [(MessagePack.Str k, item v) | (k, v) <- pairs]

-- | Values one after the other.
spelled :: Sequence -> [ByteString] -> Gen ByteString
spelled order values = case order of
  MessagePackValues -> pure (B.concat values)
  CborValues -> pure (B.concat values)
  JsonLines -> do
    ends <- vectorOf (length values) (elements ["\n", "\r\n", "\n\n", " \n \r\n"])
    lastEnd <- elements [id, B.dropWhileEnd (`elem` [10, 13, 32])]
    pure (lastEnd (B.concat (concat (zipWith (\v e -> [v, e]) values ends))))
  JsonValues -> do
    gaps <- vectorOf (length values) (elements ["", " ", "\n", "\t\r\n "])
    pure
      ( B.concat
          ( concat
              ( zipWith
                  ( \v gap ->
                      [v, if B.null gap && needsGap v then " " else gap]
                  )
                  values
                  gaps
              )
          )
      )
  JsonArray -> do
    gaps <- vectorOf (length values + 1) (elements ["", " ", "\n  "])
    let inner = concat (zipWith (\v gap -> [gap <> v <> gap]) values gaps)
    pure ("[" <> B.concat (intersperse "," inner) <> last gaps <> "]" <> last gaps)
  where
    needsGap v = B.last v `notElem` [0x22, 0x5d, 0x7d]

-- | Most are damaged; some limits are low.
limited :: Sequence -> Gen (Limits, ByteString)
limited order = do
  (input, _) <- sound order
  spoilt <-
    frequency
      [ (1, pure input),
        (3, times 2 spoil input),
        (1, flip B.take input <$> choose (0, B.length input))
      ]
  depth <- frequency [(3, pure 512), (1, choose (0, 4))]
  bytes <- frequency [(3, pure (maxBytes defaultLimits)), (1, choose (0, 40))]
  pure (defaultLimits {maxDepth = depth, maxBytes = bytes}, spoilt)
  where
    times n f x = choose (0, n :: Int) >>= \k -> iterate (>>= f) (pure x) !! k

-- | One byte more, less, or another.
spoil :: ByteString -> Gen ByteString
spoil input = do
  (a, b) <- flip B.splitAt input <$> choose (0, B.length input)
  byte <-
    oneof
      [ elements (B.unpack "[]{},:\"\\ \n0-etn\xc1\x91\x81\xdd\xd9\x9f\xbf\x7f\xff"),
        arbitrary ::
          Gen Word8
      ]
  elements [a <> B.singleton byte <> b, a <> B.drop 1 b, a <> B.singleton byte <> B.drop 1 b]

-- | Nothing but what a search looks at, longer than it looks at in one go.
dense :: Sequence -> Gen ByteString
dense order = do
  n <- choose (0, 400)
  B.pack <$> case order of
    MessagePackValues ->
      vectorOf
        n
        ( elements
            ( [0x90 .. 0x94]
                <> [0x80 .. 0x82]
                <> [0xa0 .. 0xa3]
                <> [0x00, 0xc0, 0xc4, 0xc7, 0xd4, 0xd6, 0xd9, 0xdc, 0xde, 0xca]
            )
        )
    CborValues ->
      vectorOf
        n
        ( frequency
            [ (2, elements [0x9f, 0xbf, 0x5f, 0x7f]),
              (4, pure 0xff),
              (4, elements ([0x80 .. 0x83] <> [0xa0 .. 0xa2] <> [0x40 .. 0x43] <> [0x60 .. 0x63])),
              ( 2,
                elements
                  [ 0x00,
                    0x18,
                    0x19,
                    0x1b,
                    0x58,
                    0x79,
                    0x98,
                    0xb9,
                    0xc1,
                    0xd8,
                    0xf6,
                    0xf8,
                    0xfb,
                    0x1c,
                    0xff
                  ]
              )
            ]
        )
    _ -> do
      open <- elements ["[", "[[", "{\"", "\"", ""]
      rest <- frequency [(1, vectorOf n (elements "[]{}\"\\,: a0\n")), (2, balanced n)]
      pure (B.unpack open <> map (fromIntegral . fromEnum) rest)
  where
    -- Brackets that match, with strings full of others between them.
    balanced n
      | n < 4 = pure ""
      | otherwise = do
          (a, b) <- elements [("[", "]"), ("{\"k\":", "}"), ("\"", "\"")]
          inner <- if a == "\"" then string n else balanced (n - 4)
          rest <- balanced (n `div` 3)
          pure (concat [a, inner, b, ",", rest, if null rest then "0" else ""])
    string n =
      choose (0, min 90 n) >>= \k ->
        concat <$> vectorOf k (elements ["[", "]", "{", "}", "\\\"", "\\\\", "a", " "])
