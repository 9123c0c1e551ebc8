{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE OverloadedStrings #-}

-- | Integers of a fixed width: what any instance owes, the integer in every format but the
-- native one, and there the bytes of memory.
--
-- > vector of FixedWidth --native--> chunks of its memory --> the same vector
-- >   |                                                         |
-- > vector of integers --JSON, MessagePack, CBOR--> the same bytes
module Tern.Instances.FixedWidthTest (tests, low, many, whole) where

import Data.Bits (shiftR)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.HashMap.Strict qualified as HashMap
import Data.Int (Int32, Int64)
import Data.Map.Strict qualified as Map
import Data.Maybe (isJust)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Vector qualified as V
import Data.Vector.Primitive qualified as VP
import Data.Vector.Storable qualified as VS
import Data.Vector.Unboxed qualified as VU
import Data.Word (Word32, Word64)
import Tern
import Tern.Codec ((<.>))
import Tern.Codec qualified as Codec
import Tern.Instances.Laws (laws)
import Tern.Internal.Native.Plain (plain)
import Tern.Testkit.Allocation (allocatedBy, optimised)
import Tern.Wire
  ( fixedPrimitive,
    fixedStorable,
    fixedUnboxed,
    plainPrimitive,
    plainStorable,
    plainUnboxed,
  )
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "integers of a fixed width"
    [ scalar @Int "Int",
      scalar @Int32 "Int32",
      scalar @Int64 "Int64",
      scalar @Word "Word",
      scalar @Word32 "Word32",
      scalar @Word64 "Word64",
      testGroup "vectors" vectors,
      testGroup "by hand" byHand,
      testGroup "hostile" hostile,
      testGroup "allocation" allocation
    ]

type Unboxed = VU.Vector (FixedWidth Int)

type Stored = VS.Vector (FixedWidth Int)

type Primitive = VP.Vector (FixedWidth Int)

whole :: (Arbitrary a, Bounded a, Integral a) => Gen a
whole = oneof [arbitrary, arbitraryBoundedIntegral, elements [minBound, maxBound]]

-- | Sometimes about a chunk of the native format.
many :: Gen a -> Gen [a]
many gen = frequency [(20, listOf gen), (1, choose (4094, 4099) >>= (`vectorOf` gen))]

-- | The bytes of memory, the lowest first, by arithmetic.
low :: (Integral a) => Int -> a -> ByteString
low size n = B.pack [fromInteger (toInteger n `shiftR` (8 * i)) | i <- [0 .. size - 1]]

sizeIn :: forall a. (Bounded a, Integral a) => Int
sizeIn = if toInteger (maxBound :: a) - toInteger (minBound :: a) < 2 ^ (32 :: Int) then 4 else 8

scalar ::
  forall a.
  (Arbitrary a, Codec.MachineInteger a, Read a, Show a, Wire a, VU.Unbox a) =>
  String ->
  TestTree
scalar name =
  testGroup
    name
    [ laws "laws" (FixedWidth <$> whole @a),
      laws "laws of a list" (resize 10 (listOf (FixedWidth <$> whole @a))),
      laws
        "laws of an unboxed vector"
        (VU.fromList <$> resize 10 (listOf (FixedWidth <$> whole @a))),
      testProperty "as the integer in every format but the native one"
        . forAll (whole @a)
        $ \n -> sameBytes n (FixedWidth n),
      testProperty "as the integers in lists, options and pairs"
        . forAll (listOf ((,) <$> whole @a <*> oneof [pure Nothing, Just <$> whole @a]))
        $ \pairs -> sameBytes pairs [(FixedWidth n, FixedWidth <$> m) | (n, m) <- pairs],
      testProperty "as the integer where it is a key"
        . forAll (listOf (whole @a))
        $ \ns ->
          let whole' = Map.fromList [(n, True) | n <- ns]
           in conjoin
                [ sameBytes whole' (Map.mapKeys FixedWidth whole'),
                  decodeNative (encodeNative (Map.mapKeys FixedWidth whole'))
                    === Right (Map.mapKeys FixedWidth whole')
                ],
      testProperty "what the integer refuses is refused" . forAll beyond $ \n ->
        let document = encodeJson n
         in either (const "refused") (const "read") (decodeJson @(FixedWidth a) document)
              === either (const ("refused" :: Text)) (const "read") (decodeJson @a document),
      testProperty "native, the bytes of memory" . forAll (whole @a) $ \n ->
        encodeNative (FixedWidth n) === low (sizeIn @a) n,
      testProperty "native, a list and a vector are the bytes of memory in chunks"
        . forAll (many (whole @a))
        $ \ns ->
          conjoin
            [ encodeNative (map FixedWidth ns) === chunked (map (low (sizeIn @a)) ns),
              encodeNative (VU.fromList (map FixedWidth ns)) === chunked (map (low (sizeIn @a)) ns)
            ],
      testProperty "instances are the integer's"
        . forAll ((,) <$> whole @a <*> whole @a)
        $ \(n, m) ->
          conjoin
            [ unFixedWidth (FixedWidth n + FixedWidth m) === n + m,
              compare (FixedWidth n) (FixedWidth m) === compare n m,
              toInteger (FixedWidth n) === toInteger n,
              read (show (FixedWidth n)) === FixedWidth n
            ]
    ]
  where
    beyond =
      (+) <$> elements [toInteger (minBound :: a), 0, toInteger (maxBound :: a)] <*> arbitrary
-- OPAQUE, as 'each': six copies of all formats' code would take the compiler minutes.
{-# OPAQUE scalar #-}

-- | Chunks by the specification: full ones have 4,096 elements, and another follows.
chunked :: [ByteString] -> ByteString
chunked es = case splitAt 4096 es of
  (now, later)
    | length now == 4096 -> "\x90\0" <> B.concat now <> chunked later
    | otherwise -> encodeNative (length now `asWord` ()) <> B.concat now
  where
    asWord n () = fromIntegral n :: Word

sameBytes :: (Wire a, Wire b) => a -> b -> Property
sameBytes a b =
  conjoin
    [ encodeJson a === encodeJson b,
      encodeMessagePack a === encodeMessagePack b,
      encodeCbor a === encodeCbor b
    ]

vectors :: [TestTree]
vectors =
  [ testProperty "whatever holds them" . forAll (many (whole @Int)) $ \ns ->
      let fixed = map FixedWidth ns
          bytes = encodeNative fixed
       in conjoin
            [ encodeNative (V.fromList fixed) === bytes,
              encodeNative (VU.fromList fixed) === bytes,
              encodeNative (VS.fromList fixed) === bytes,
              encodeNative (VP.fromList fixed) === bytes,
              decodeNative bytes === Right (V.fromList fixed),
              decodeNative bytes === Right (VU.fromList fixed),
              decodeNative bytes === Right (VS.fromList fixed),
              decodeNative bytes === Right (VP.fromList fixed)
            ],
    each @Int "Int",
    each @Int32 "Int32",
    each @Int64 "Int64",
    each @Word "Word",
    each @Word32 "Word32",
    each @Word64 "Word64",
    laws
      "sets and maps, by the order of the numbers"
      ( (,,)
          <$> (Set.fromList <$> listOf (FixedWidth <$> whole @Int))
          <*> (Map.fromList <$> listOf ((,) . FixedWidth <$> whole @Word32 <*> arbitrary @Bool))
          <*> (HashMap.fromList <$> listOf ((,) . FixedWidth <$> whole @Int32 <*> arbitrary @Bool))
      ),
    laws "primitive vectors of Double" (VP.fromList <$> listOf (arbitrary @Double)),
    laws "primitive vectors of Int" (VP.fromList <$> listOf (whole @Int)),
    testCase "each type is known by its name, so that its vectors are copied" $ do
      [ isJust (plain @(FixedWidth Int)),
        isJust (plain @(FixedWidth Int32)),
        isJust (plain @(FixedWidth Int64)),
        isJust (plain @(FixedWidth Word)),
        isJust (plain @(FixedWidth Word32)),
        isJust (plain @(FixedWidth Word64)),
        isJust (plain @Double)
        ]
        @?= replicate 7 True
      [isJust (plain @Int), isJust (plain @(FixedWidth Bool)), isJust (plain @(Maybe Double))]
        @?= replicate 3 False,
    testCase "a slice" $ do
      let v = VU.drop 3 (VU.enumFromN (1 :: FixedWidth Int) 5000)
      encodeNative v @?= encodeNative (VU.toList v)
      encodeNative (VS.drop 3 (VS.convert v)) @?= encodeNative (drop 3 (VU.toList v))
      encodeNative (VP.drop 3 (VP.convert v)) @?= encodeNative (drop 3 (VU.toList v)),
    testProperty "views copy nothing and change nothing" . forAll (listOf (whole @Int32)) $ \ns ->
      conjoin
        [ plainUnboxed (fixedUnboxed (VU.fromList ns)) === VU.fromList ns,
          fixedUnboxed (VU.fromList ns) === VU.fromList (map FixedWidth ns),
          plainStorable (fixedStorable (VS.fromList ns)) === VS.fromList ns,
          fixedStorable (VS.fromList ns) === VS.fromList (map FixedWidth ns),
          plainPrimitive (fixedPrimitive (VP.fromList ns)) === VP.fromList ns,
          fixedPrimitive (VP.fromList ns) === VP.fromList (map FixedWidth ns),
          fixedPrimitive (VP.drop 1 (VP.fromList ns)) === VP.fromList (map FixedWidth (drop 1 ns))
        ]
  ]

-- | The vectors of each type are copied by a line of their own.
each ::
  forall a.
  (Arbitrary a, Codec.MachineInteger a, Show a, VU.Unbox a, VS.Storable a, VP.Prim a) =>
  String ->
  TestTree
each name = testProperty ("of " <> name) . forAll (many (FixedWidth <$> whole @a)) $ \ns ->
  conjoin
    [ decodeNative (encodeNative (VU.fromList ns)) === Right (VU.fromList ns),
      decodeNative (encodeNative (VS.fromList ns)) === Right (VS.fromList ns),
      decodeNative (encodeNative (VP.fromList ns)) === Right (VP.fromList ns),
      encodeNative (VS.fromList ns) === encodeNative ns,
      encodeNative (VP.fromList ns) === encodeNative ns
    ]
{-# OPAQUE each #-}

-- * By hand

data Track = Track {title :: Text, samples :: VU.Vector Int}
  deriving stock (Eq, Show)

-- | The program has plain vectors; the codec says how they are written.
track :: Codec.Codec Track
track =
  Codec.object
    ( Track
        <$> Codec.field @"title" title codec
          <.> Codec.field @"samples" samples (Codec.mapCodec plainUnboxed fixedUnboxed codec)
    )

byHand :: [TestTree]
byHand =
  [ testProperty "the codec of a plain integer" . forAll (whole @Int) $ \n ->
      let fixed = Codec.fixedWidth @Int
       in conjoin
            [ Codec.encodeNative fixed n === encodeNative (FixedWidth n),
              Codec.decodeNative fixed defaultLimits (encodeNative (FixedWidth n)) === Right n,
              Codec.encodeJson fixed n === encodeJson n
            ],
    testCase "a list of it has its bytes, and not those of a list of the integer" $
      Codec.encodeNative (Codec.listOf (Codec.fixedWidth @Int)) [1, 2]
        @?= encodeNative [FixedWidth (1 :: Int), 2],
    testProperty "a field of plain vectors" . forAll (many (whole @Int)) $ \ns ->
      let value = Track "t" (VU.fromList ns)
       in conjoin
            [ Codec.decodeNative track defaultLimits (Codec.encodeNative track value)
                === Right value,
              Codec.encodeNative track value === "\1t" <> chunked (map (low 8) ns)
            ]
  ]

-- * Hostile

hostile :: [TestTree]
hostile =
  [ testCase "cut within eight bytes" $ do
      decodeNative @(FixedWidth Int) "\1\2\3\4\5\6\7" @?= Left (Error 7 [] (UnexpectedEnd AValue))
      decodeNative @(FixedWidth Int32) "\1\2\3" @?= Left (Error 3 [] (UnexpectedEnd AValue))
      decodeNative @(FixedWidth Int) "\1\2\3\4\5\6\7\8\9" @?= Left (Error 8 [] TrailingInput),
    testCase "a chunk that claims more than there is" $ do
      let claim' = "\2" <> B.replicate 15 0
      fmap VU.length (decodeNative @Unboxed claim') @?= Left overclaimed
      fmap VS.length (decodeNative @Stored claim') @?= Left overclaimed
      fmap VP.length (decodeNative @Primitive claim') @?= Left overclaimed
      either (const True) (const False) (decodeNative @[FixedWidth Int] claim') @?= True,
    testCase "nothing is allocated for a claim" $ do
      let claims =
            B.concat (replicate 50 ("\x90\0" <> B.replicate 32768 7))
              <> "\x8f\xff"
              <> B.replicate 4095 0
      used <- allocatedBy (fmap VU.length . decodeNative @Unboxed) claims
      assertBool (show used <> " bytes") (used < 5000),
    testProperty "any bytes are read as by the slow one" . forAll bytes $ \input ->
      fmap VU.toList (decodes @(VU.Vector (FixedWidth Word32)) input) === slow input
  ]
  where
    overclaimed = Error 0 [] (Overclaimed 16 15)
    decodes :: (Wire a) => ByteString -> Maybe a
    decodes = either (const Nothing) Just . decodeNative
    bytes =
      oneof
        [ B.pack <$> listOf arbitrary,
          (\n rest -> B.cons n (B.pack rest)) <$> choose (0, 4) <*> (choose (0, 17) >>= vector)
        ]
    slow input = case B.uncons input of
      Just (n, rest)
        | n < 128, B.length rest == 4 * fromIntegral n -> Just (fours rest)
      _ -> Nothing
    fours rest
      | B.null rest = []
      | otherwise =
          FixedWidth (B.foldr (\b n -> 256 * n + fromIntegral b) 0 (B.take 4 rest))
            : fours (B.drop 4 rest)

-- * Allocation

allocation :: [TestTree]
allocation =
  [ testCase (name <> ", decoding takes the elements and no more") $ do
      used <- decode
      atMost 700 used
    | (name, decode) <-
        [ ("unboxed", allocatedBy (fmap VU.length . decodeNative @Unboxed) bytes),
          ("storable", allocatedBy (fmap VS.length . decodeNative @Stored) bytes),
          ("primitive", allocatedBy (fmap VP.length . decodeNative @Primitive) bytes)
        ]
  ]
    <> [ testCase (name <> ", encoding takes the bytes and a page more") $ do
           used <- encode
           atMost 4000 used
         | (name, encode) <-
             [ ("unboxed", allocatedBy (B.length . encodeNative) values),
               ("storable", allocatedBy (B.length . encodeNative) (VS.convert values :: Stored)),
               ("primitive", allocatedBy (B.length . encodeNative) (VP.convert values :: Primitive))
             ]
       ]
  where
    values = VU.enumFromN (1 :: FixedWidth Int) 20000
    bytes = encodeNative values
    -- Without optimisation what is done once for a vector costs more.
    atMost more used =
      let ceiling' = 8 * 20000 + (if optimised then more else 20000)
       in assertBool (show used <> " bytes, of at most " <> show ceiling') (used <= ceiling')
