-- What is tried is the library, which is optimised: the cases need not be.
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | What the instances of the library's own types write and read, in each format.
module Tern.InstancesTest (tests) where

import Data.ByteString qualified as B
import Data.Foldable (for_)
import Data.HashMap.Strict qualified as HashMap
import Data.Int (Int16, Int32, Int64, Int8)
import Data.List.NonEmpty (NonEmpty (..))
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Lazy qualified as TL
import Data.Vector qualified as V
import Data.Vector.Storable qualified as VS
import Data.Vector.Unboxed qualified as VU
import Data.Word (Word16, Word32, Word64, Word8)
import Numeric.Natural (Natural)
import Tern
import Tern.Derive.Declarations (overwritten)
import Tern.Native.Described (typeOf)
import Tern.Native.Model qualified as Native
import Tern.Wire (shapeOf)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "instances"
    [ is "Int" (whole @Int),
      is "Int8" (whole @Int8),
      is "Int16" (whole @Int16),
      is "Int32" (whole @Int32),
      is "Int64" (whole @Int64),
      is "Word" (whole @Word),
      is "Word8" (whole @Word8),
      is "Word16" (whole @Word16),
      is "Word32" (whole @Word32),
      is "Word64" (whole @Word64),
      is "Integer" large,
      is "Natural" (fromInteger . abs <$> large :: Gen Natural),
      is "Double" (arbitrary @Double),
      is "Float" (arbitrary @Float),
      is "Bool" (arbitrary @Bool),
      is "Char" arbitraryUnicodeChar,
      is "()" (pure ()),
      is "Text" text,
      testCase "slices of a Text, of each length at each offset, alone and beside others"
        $ for_
          [ (T.take n (T.drop k letters), rest)
            | k <- [0 .. 17],
              n <- [0 .. 40],
              let rest = T.drop (k + n) letters
          ]
        $ \(slice, rest) -> do
          let values = ([slice, rest, slice], T.empty, slice)
              copies = ([T.copy slice, T.copy rest, T.copy slice], T.empty, T.copy slice)
          encodeJson values @?= encodeJson copies
          encodeMessagePack values @?= encodeMessagePack copies
          encodeCbor values @?= encodeCbor copies
          encodeNative values @?= encodeNative copies
          decodeNative (encodeNative values) @?= Right copies,
      is "lazy Text" (TL.fromStrict <$> text),
      is "String" (listOf arbitraryUnicodeChar),
      is "[Int]" (listOf (whole @Int)),
      is "[Word8]" (many (whole @Word8)),
      is "[[Bool]]" (arbitrary @[[Bool]]),
      is "[Text]" (listOf text),
      is "NonEmpty Int" ((:|) <$> whole <*> listOf (whole @Int)),
      is "Maybe Int" (arbitrary @(Maybe Int)),
      is "Either Bool Text" (oneof [Left <$> arbitrary, Right <$> text] :: Gen (Either Bool Text)),
      is "Vector Int" (V.fromList <$> listOf (whole @Int)),
      is "Vector Text" (V.fromList <$> listOf text),
      is "Vector [Int]" (V.fromList <$> listOf (listOf (whole @Int))),
      is "unboxed vector of Int" (VU.fromList <$> many (whole @Int)),
      is "unboxed vector of Int8" (VU.fromList <$> many (whole @Int8)),
      is "unboxed vector of Int16" (VU.fromList <$> many (whole @Int16)),
      is "unboxed vector of Word8" (VU.fromList <$> many (whole @Word8)),
      is "unboxed vector of Word16" (VU.fromList <$> many (whole @Word16)),
      is "unboxed vector of Float" (VU.fromList <$> many (arbitrary @Float)),
      is "unboxed vector of Double" (VU.fromList <$> many (arbitrary @Double)),
      is "unboxed vector of Char" (VU.fromList <$> many arbitraryUnicodeChar),
      is "unboxed vector of pairs" (VU.fromList <$> many (arbitrary @(Bool, Double))),
      is "slice of an unboxed vector" (VU.drop 3 . VU.fromList <$> many (whole @Word16)),
      is "storable vector of Double" (VS.fromList <$> many (arbitrary @Double)),
      is "storable vector of Word8" (VS.fromList <$> many (whole @Word8)),
      is "storable vector of Int" (VS.fromList <$> many (whole @Int)),
      is "storable vector of Char" (VS.fromList <$> many arbitraryUnicodeChar),
      is "slice of a storable vector" (VS.drop 3 . VS.fromList <$> many (arbitrary @Float)),
      is "pairs" (arbitrary @(Int, Bool)),
      is "triples" (arbitrary @(Int, Bool, Double)),
      is "tuples of four" (arbitrary @(Int, Bool, Double, Char)),
      is "tuples of five" (arbitrary @(Int, Bool, Double, Int8, ())),
      is "tuples of six" (arbitrary @(Int, Bool, Double, Int8, (), [Int])),
      is "tuples of seven" (arbitrary @(Int, Bool, Double, Int8, (), [Int], Maybe Word)),
      is
        "Map Text Int"
        ( Map.fromList <$> listOf ((,) <$> text <*> arbitrary) ::
            Gen (Map Text Int)
        ),
      is "Map Int Bool" (arbitrary @(Map Int Bool)),
      is "Map (Int, Bool) [Int]" (arbitrary @(Map (Int, Bool) [Int])),
      is "HashMap Text Int" (HashMap.fromList <$> listOf ((,) <$> text <*> arbitrary @Int)),
      is "HashMap Int Bool" (HashMap.fromList <$> listOf (arbitrary @(Int, Bool)))
    ]
  where
    letters = T.pack (take 64 (cycle ['a' .. 'z']))
    whole :: (Arbitrary a, Bounded a, Integral a) => Gen a
    whole = oneof [arbitrary, arbitraryBoundedIntegral, elements [minBound, maxBound]]
    large = (*) <$> arbitrary <*> elements [1, 10 ^ (30 :: Int), 2 ^ (55 :: Int), 2 ^ (64 :: Int)]
    text = T.pack <$> listOf arbitraryUnicodeChar
    -- Sometimes about a chunk of the native format.
    many gen = frequency [(20, listOf gen), (1, choose (4094, 4099) >>= (`vectorOf` gen))]

is :: forall a. (Eq a, Show a, Wire a) => String -> Gen a -> TestTree
is name gen = testProperty name . withMaxSuccess 50 . forAll gen $ \a ->
  let native = B.unpack (encodeNative a)
      described = typeOf (shapeOf @a)
   in conjoin
        [ counterexample "JSON" (decodeJson (encodeJson a) === Right a),
          counterexample "MessagePack" (decodeMessagePack (encodeMessagePack a) === Right a),
          counterexample "CBOR" (decodeCbor (encodeCbor a) === Right a),
          counterexample "native" (decodeNative (encodeNative a) === Right a),
          counterexample "JSON, overwritten" (overwritten decodeJson (encodeJson a) a),
          counterexample
            "MessagePack, overwritten"
            (overwritten decodeMessagePack (encodeMessagePack a) a),
          counterexample "CBOR, overwritten" (overwritten decodeCbor (encodeCbor a) a),
          counterexample "native, overwritten" (overwritten decodeNative (encodeNative a) a),
          counterexample
            "native, by the model"
            ( fmap (Native.written described) (Native.readDocument described native)
                === Just native
            )
        ]
