{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DuplicateRecordFields #-}
{-# LANGUAGE OverloadedStrings #-}
-- What is tried is the library, which is optimised: the cases need not be.
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | What schemas say of integers of a fixed width, and how a type changes its mind: documents
-- and containers of plain integers are read as those of fixed ones, and the other way round.
module Tern.Instances.FixedWidthSchemaTest (tests) where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.Int (Int32, Int64)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Data.Vector.Unboxed qualified as VU
import Data.Word (Word32, Word64)
import GHC.Generics (Generic)
import Tern
import Tern.Container
import Tern.Evolution
import Tern.Instances.FixedWidthTest (low, many, whole)
import Tern.Schema (jsonSchema, schemaPage, typeScript)
import Tern.Shape (Shape, Width (..), fingerprint, renderShape)
import Tern.Shape qualified as Shape
import Tern.Wire (shapeOf)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "integers of a fixed width, by their schemas"
    [ testGroup "schemas" schemas,
      testGroup "versions" versions,
      testGroup "containers" containers
    ]

-- * Schemas

schemas :: [TestTree]
schemas =
  [ testCase "as text" $ do
      renderShape (shapeOf @(FixedWidth Int32)) @?= "integer -2147483648..2147483647 in 4 bytes"
      renderShape (shapeOf @[FixedWidth Word64]) @?= "[integer 0..18446744073709551615 in 8 bytes]"
      renderShape (shapeOf @(Maybe (FixedWidth Word32))) @?= "(integer 0..4294967295 in 4 bytes)?",
    testCase "as bytes" $
      schemaBytes (shapeOf @(FixedWidth Word32))
        @?= "\x12\x08\0" <> encodeNative (4294967295 :: Integer) <> "\0",
    testCase "a number of bytes that is none is refused" $
      [ n
        | n <- [-1, 0, 1, 2, 3, 5, 7, 9, 16 :: Int],
          Right _ <- [readSchema defaultLimits ("\x12" <> encodeNative n <> "\0\2\0")]
      ]
        @?= [],
    testCase "the fingerprint is not the integer's, which is what it was" $ do
      fingerprint (shapeOf @Int) @?= 0x3674db091b1591d9
      assertBool "the same" (fingerprint (shapeOf @Int) /= fingerprint (shapeOf @(FixedWidth Int))),
    testCase "JSON Schema, TypeScript and the page are the integer's" $ do
      encodeJson (jsonSchema (shapeOf @[FixedWidth Int32]))
        @?= encodeJson (jsonSchema (shapeOf @[Int32]))
      typeScript "Rows" (shapeOf @[FixedWidth Int32]) @?= typeScript "Rows" (shapeOf @[Int32])
      schemaPage "Page" (shapeOf @[FixedWidth Int32]) @?= schemaPage "Page" (shapeOf @[Int32])
  ]

-- * Versions

versions :: [TestTree]
versions =
  [ becomes @Int @(FixedWidth Int) "an integer becomes fixed" FixedWidth,
    becomes @(FixedWidth Int) @Int "a fixed integer becomes plain" unFixedWidth,
    becomes @Word32 @(FixedWidth Int) "an integer becomes wider and fixed" fromIntegral,
    becomes @(FixedWidth Word32) @Int "a fixed integer becomes wider and plain" fromIntegral,
    becomes @(FixedWidth Word32) @(FixedWidth Int64) "a fixed integer becomes wider" fromIntegral,
    becomes @(FixedWidth Int32) @(FixedWidth Int64)
      "a fixed integer with a sign becomes wider"
      fromIntegral,
    becomes @(FixedWidth Word32) @(FixedWidth Word64)
      "a fixed integer without a sign becomes wider"
      fromIntegral,
    becomes @(FixedWidth Word64) @Integer "a fixed integer becomes one of any size" toInteger,
    becomes @(FixedWidth Int64) @Integer
      "a fixed integer with a sign becomes one of any size"
      toInteger,
    becomes @(FixedWidth Word64) @Word "a fixed integer without a sign becomes plain" fromIntegral,
    becomes @Word64 @(FixedWidth Word64) "an integer without a sign becomes fixed" FixedWidth,
    becomes @(FixedWidth Int32) @Double "a fixed integer becomes a real" fromIntegral,
    becomes @(FixedWidth Word32) @Double
      "a fixed integer without a sign becomes a real"
      fromIntegral,
    testProperty "a vector becomes plain and back" . forAll (many (whole @Int)) $ \ns ->
      conjoin
        [ readAs @(VU.Vector (FixedWidth Int)) @(VU.Vector Int)
            (encodeNative (VU.fromList (map FixedWidth ns)))
            === Right (VU.fromList ns),
          readAs @(VU.Vector Int) @(VU.Vector (FixedWidth Int)) (encodeNative (VU.fromList ns))
            === Right (VU.fromList (map FixedWidth ns))
        ],
    testProperty "keys stay in order" . forAll (listOf (whole @Int)) $ \ns ->
      readAs @(Map (FixedWidth Int) Bool) @(Map Int Bool)
        (encodeNative (Map.fromList [(FixedWidth n, True) | n <- ns]))
        === Right (Map.fromList [(n, True) | n <- ns]),
    testCase "what does not hold all is a mismatch" $ do
      isReadable (verdict @(FixedWidth Int) @(FixedWidth Int32)) @?= False
      isReadable (verdict @(FixedWidth Int) @Int32) @?= False
      isReadable (verdict @Int @(FixedWidth Word)) @?= False
      isReadable (verdict @(FixedWidth Int) @Double) @?= False
      isReadable (verdict @(FixedWidth Word32) @Text) @?= False
      isReadable (verdict @(FixedWidth Word32) @(FixedWidth Int64)) @?= True,
    testCase "the same bytes are seen to be the same" $ do
      verdict @(FixedWidth Int) @(FixedWidth Int64) @?= Identical
      verdict @(FixedWidth Int) @(Maybe (FixedWidth Int)) == Identical @?= False,
    testCase "a number beyond the writer's own bounds is refused, at its place" $ do
      let ten = Shape.IntegerIn EightBytes 0 10
          read' :: ByteString -> Either Text Integer
          read' = through @Integer mempty ten
      read' (low 8 (10 :: Int)) @?= Right 10
      read' (low 8 (11 :: Int)) @?= Left "byte 0, at $: the number does not fit integer 0..10"
      read' (low 8 (-1 :: Int)) @?= Left "byte 0, at $: the number does not fit integer 0..10"
      read' (B.take 7 (low 8 (1 :: Int)))
        @?= Left "byte 7, at $: expected a value, found the end of the input",
    testProperty "a field that is left away is stepped over"
      . forAll ((,,) <$> whole @Int <*> whole @Word32 <*> arbitrary)
      $ \(n, m, b) ->
        through @Fewer
          (evolving @Fewer [typeAlias ["More"]])
          (shapeOf @More)
          (encodeNative (More (FixedWidth n) (FixedWidth m) b))
          === Right (Fewer b)
  ]

data More = More {offset :: FixedWidth Int, size :: FixedWidth Word32, used :: Bool}
  deriving stock (Generic)
  deriving anyclass (Wire)

newtype Fewer = Fewer {used :: Bool}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | Whatever the number, the newer type reads what the older wrote.
becomes ::
  forall a b.
  (Bounded a, Integral a, Wire a, Show a, Wire b, Eq b, Show b) =>
  String ->
  (a -> b) ->
  TestTree
becomes name f = testProperty name . forAll anyOf $ \n ->
  readAs @a @b (encodeNative n) === Right (f n)
  where
    anyOf = fromInteger <$> oneof [elements [least, most, 0], choose (least, most)]
    (least, most) = (toInteger (minBound :: a), toInteger (maxBound :: a))
{-# OPAQUE becomes #-}

-- | By the newer type, what the older one wrote.
readAs :: forall a b. (Wire a, Wire b) => ByteString -> Either Text b
readAs = through @b mempty (shapeOf @a)

-- | What a writer of a schema wrote, by what is said of changes.
through :: forall b. (Wire b) => Evolution -> Shape -> ByteString -> Either Text b
through evolution theirs input = case decoderFor @b evolution theirs of
  Left mismatches -> Left (T.unlines (map renderMismatch mismatches))
  Right decode -> either (Left . renderBinaryError input) Right (decode defaultLimits input)

verdict :: forall a b. (Wire a, Wire b) => Verdict
verdict = oldByNew (compatibility mempty (shapeOf @a) (shapeOf @b))

-- * Containers

containers :: [TestTree]
containers =
  [ testProperty "are read as they are, and as plain integers"
      . forAll (listOf (listOf (whole @Int)))
      $ \rows ->
        let vectors' = [VU.fromList (map FixedWidth row) | row <- rows]
            file = encodeContainer defaultBlocks (Mark 7) vectors'
         in conjoin
              [ found @(VU.Vector (FixedWidth Int)) file === Just vectors',
                found @(VU.Vector Int) file === Just (map VU.fromList rows),
                found @[Integer] file === Just (map (map toInteger) rows)
              ],
    testProperty "those of plain integers are read as fixed"
      . forAll (listOf (whole @Word32))
      $ \ns ->
        found @(FixedWidth Word64) (encodeContainer defaultBlocks (Mark 7) ns)
          === Just (map fromIntegral ns)
  ]
  where
    found :: (Wire a) => BL.ByteString -> Maybe [a]
    found file =
      concat <$> traverse elementsOf (decodeContainer (containerDecoder defaultSettings) file)
    elementsOf = \case
      Elements _ as -> Just as
      _ -> Nothing
