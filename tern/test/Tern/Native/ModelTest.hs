{-# LANGUAGE ExistentialQuantification #-}
{-# LANGUAGE OverloadedStrings #-}

-- | Tern's native format against the slow model, on types and values of any
-- shape.
--
-- > value --tree--> Tree
-- >   |               |
-- >  Tern           model
-- >   v               v
-- > bytes  the same  bytes --with faults--> both read, or both refuse
module Tern.Native.ModelTest (tests) where

import Data.Bits (xor)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Text qualified as T
import Data.Word (Word8)
import Tern (Error (..), defaultLimits)
import Tern.Internal.Native.Document (decodeWith, encodeWith)
import Tern.Internal.Native.Layout qualified as Layout
import Tern.Internal.Native.List (listR, listW)
import Tern.Internal.Native.Read qualified as Read
import Tern.Internal.Native.Reader (NativeReader)
import Tern.Internal.Native.Record (field, record)
import Tern.Internal.Native.Write qualified as Write
import Tern.Internal.Write (Writer (..), toFill, write)
import Tern.Json.Seeded (seeded)
import Tern.Native.Known (Known (..), KnownAs (..), declared, known, scalars)
import Tern.Native.Model (Tree (..), Type (..), readDocument, written)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "native against the model"
    [ testGroup
        "types put together at random"
        ( properties
            4000
            (sized (\n -> known (min 4 (n `div` 12))))
        ),
      testGroup "each scalar" (properties 4000 (elements scalars)),
      testGroup "declared types" (properties 4000 (elements declared)),
      -- Short and long headers, whole chunks, and output that moves while a list is
      -- written: what lies before it is of any length.
      testCaseInfo "lists of each length" $ do
        let lengths = [0 .. 300] <> concat [[k * 4096 - 1 .. k * 4096 + 1] | k <- [1, 2]]
        sequence_
          [ do
              let ints = [i * i - 100 | i <- [1 .. n]]
                  small = map fromIntegral ints :: [Word8]
                  texts = [T.replicate (i `mod` 7) "e" | i <- [1 .. n]]
                  agree ::
                    (Eq a, Show a) =>
                    Writer a ->
                    NativeReader a ->
                    Type ->
                    (a -> Tree) ->
                    a ->
                    IO ()
                  agree writer reader type' tree value = do
                    let pair = FillWriter $ \(t, v) -> toFill (write Write.text t <> write writer v)
                        before = T.replicate (n * 37 `mod` 4000) "t"
                        bytes = encodeWith pair (before, value)
                    assertEqual
                      (show n)
                      ( written
                          (Tuple [String, type'])
                          (Several [Chars (T.unpack before), tree value])
                      )
                      (B.unpack bytes)
                    assertEqual
                      (show n)
                      (Right (before, value))
                      ( decodeWith
                          (Layout.Record [])
                          (record ((,) <$> field Read.text <*> field reader))
                          defaultLimits
                          bytes
                      )
              agree
                (listW Write.word8)
                (listR Read.word8)
                (ListOf (Raw 1))
                (Several . map (Number . toInteger))
                small
              agree
                (listW Write.int)
                (listR Read.int)
                (ListOf (Signed 64))
                (Several . map (Number . toInteger))
                ints
              agree
                (listW Write.text)
                (listR Read.text)
                (ListOf String)
                (Several . map (Chars . T.unpack))
                texts
              agree
                (listW (listW Write.int))
                (listR (listR Read.int))
                (ListOf (ListOf (Signed 64)))
                (Several . map (Several . map (Number . toInteger)))
                [take (i `mod` 50) ints | i <- [1 .. n `mod` 200]]
            | n <- lengths
          ]
        pure (show (4 * length lengths) <> " cases ran")
    ]

properties :: Int -> Gen Known -> [TestTree]
properties count types =
  [ seeded "values are written as the model writes them, and read back" count $
      example $ \(Example k v bytes) ->
        conjoin
          [ bytes
              === B.pack (written (model k) (tree k v)),
            sameReading k bytes,
            readDocument (model k) (B.unpack bytes) === Just (tree k v)
          ],
    seeded "documents with faults" (5 * count) $ example $ \(Example k _ bytes) ->
      forAll (mutated (B.unpack bytes)) (sameReading k . B.pack),
    seeded "documents cut short at every byte" (count `div` 4) $ example $ \(Example k _ bytes) ->
      conjoin [sameReading k (B.take n bytes) | n <- [0 .. B.length bytes - 1]],
    seeded "something after" (count `div` 4) $ example $ \(Example k _ bytes) ->
      forAll arbitrary $ \b -> isRefused k (B.snoc bytes b),
    seeded "any bytes" (5 * count) $ forAllShow types (\(Known k) -> what k) $ \(Known k) ->
      forAll (listOf likely) (sameReading k . B.pack)
  ]
  where
    example = forAllShow (types >>= exampleOf) shown
    shown (Example k v bytes) = what k <> ": " <> show (tree k v) <> " as " <> show (B.unpack bytes)

-- | A type, a value of it, and its document.
data Example = forall a. Example (KnownAs a) a ByteString

exampleOf :: Known -> Gen Example
exampleOf (Known k) = do
  v <- values k
  pure (Example k v (encodeWith (writer k) v))

-- | Both accept and understand the same, or both refuse; what is accepted is
-- written again as it was; an error lies in the input.
sameReading :: KnownAs a -> ByteString -> Property
sameReading k input =
  counterexample (show (B.unpack input)) . conjoin $
    case decodeWith (layout k) (reader k) defaultLimits input of
      Right v -> [Just (tree k v) === theirs, encodeWith (writer k) v === input]
      Left (Error offset path reason) ->
        [ counterexample (show reason) (theirs === Nothing),
          counterexample
            (show (offset, path))
            ( offset >= 0
                && offset <= B.length input
                && length path <= 2 * offset + 6
            )
        ]
  where
    theirs = readDocument (model k) (B.unpack input)

isRefused :: KnownAs a -> ByteString -> Bool
isRefused k input =
  either (const True) (const False) (decodeWith (layout k) (reader k) defaultLimits input)

mutated :: [Word8] -> Gen [Word8]
mutated bytes = do
  n <- choose (1, 3 :: Int)
  go n bytes
  where
    go 0 bs = pure bs
    go n bs = do
      at <- choose (0, length bs)
      let (before, after) = splitAt at bs
      b <- likely
      changed <-
        elements
          [ before <> [b] <> drop 1 after,
            before <> [b] <> after,
            before <> drop 1 after,
            before <> map (`xor` 1) (take 1 after) <> drop 1 after,
            before,
            before <> after <> take 2 after
          ]
      go (n - 1) changed

-- | Small numbers, and the first bytes of long ones.
likely :: Gen Word8
likely =
  frequency
    [ (6, elements [0, 1, 2, 3, 4, 255]),
      (2, elements [127, 128, 144, 192, 224, 254]),
      (2, arbitrary)
    ]
