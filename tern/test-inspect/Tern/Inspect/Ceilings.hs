{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}

-- | Bytes that an operation may allocate. They are the same on every machine
-- and in every run, so a test may hold code to them.
module Tern.Inspect.Ceilings (tests) where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Text (Text)
import Data.Text qualified as T
import Data.Vector.Unboxed qualified as VU
import GHC.Generics (Generic)
import Tern
import Tern.Codec qualified as Codec
import Tern.Testkit.Allocation (allocatedBy)
import Test.Tasty
import Test.Tasty.HUnit

data Five = Five
  { field01 ::
      !Int,
    field02 :: !Int,
    field03 :: !Int,
    field04 :: !Int,
    field05 :: !Int
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data TwentyFive = TwentyFive
  { f01 ::
      !Int,
    f02 :: !Int,
    f03 :: !Int,
    f04 :: !Int,
    f05 :: !Int,
    f06 :: !Int,
    f07 :: !Int,
    f08 :: !Int,
    f09 :: !Int,
    f10 :: !Int,
    f11 :: !Int,
    f12 :: !Int,
    f13 :: !Int,
    f14 :: !Int,
    f15 :: !Int,
    f16 :: !Int,
    f17 :: !Int,
    f18 :: !Int,
    f19 :: !Int,
    f20 :: !Int,
    f21 :: !Int,
    f22 :: !Int,
    f23 :: !Int,
    f24 :: !Int,
    f25 :: !Int
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Mixed = Mixed {count :: !Int, label :: !Text, flag :: !Bool}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Choice = Number Int | Real Float
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | By a codec whose names are known when the program runs.
named :: Either Codec.Mistake (Codec Five)
named =
  Codec.objectNamed
    ( Five
        <$> Codec.fieldNamed "field01" field01 codec
        <*> Codec.fieldNamed "field02" field02 codec
        <*> Codec.fieldNamed "field03" field03 codec
        <*> Codec.fieldNamed "field04" field04 codec
        <*> Codec.fieldNamed "field05" field05 codec
    )
{-# NOINLINE named #-}

five :: Five
five = Five 7 49 343 2401 16807

twentyFive :: TwentyFive
twentyFive =
  TwentyFive
    7
    49
    343
    2401
    16807
    117649
    823543
    5764801
    40353607
    282475249
    3
    1
    407
    2849
    9943
    569601
    3987207
    97910449
    185373143
    6297612001
    7
    49
    343
    4401
    807

mixed :: Mixed
mixed = Mixed 0 "lambda" True

fixedWidths :: VU.Vector (FixedWidth Int)
fixedWidths = VU.enumFromN 1 1000

tests :: [TestTree]
tests =
  [ encoding "a record of 5 integers" five,
    encoding "a record of 25 integers" twentyFive,
    encoding "a mixed record" mixed,
    decoding "a record of 5 integers" 310 (decodeJson @Five) (encodeJson five),
    decoding "a record of 25 integers" 950 (decodeJson @TwentyFive) (encodeJson twentyFive),
    decoding
      "fields in any order"
      310
      (decodeJson @Five)
      "{\"field05\":1,\"field04\":2,\"x\":[],\"field03\":3,\"field02\":4,\"field01\":5}",
    decoding "a mixed record" 270 (decodeJson @Mixed) (encodeJson mixed),
    decoding "a sum" 300 (decodeJson @Choice) (encodeJson (Number 5)),
    decoding
      "a thousand fractions, each boxed, listed and reversed"
      65000
      (decodeJson @[Double])
      (encodeJson (replicate 1000 (0.1 :: Double))),
    decoding
      "a thousand pairs in lists"
      180000
      (decodeJson @[[Int]])
      (encodeJson (replicate 1000 [1, 2 :: Int])),
    decoding "a thousand records" 236000 (decodeJson @[Five]) (encodeJson (replicate 1000 five)),
    within "encode a thousand pairs in lists" 18800 encodeJson (replicate 1000 [1, 2 :: Int]),
    within "encode a thousand records" 338000 encodeJson (replicate 1000 five),
    within
      "encode MessagePack, a thousand pairs in lists"
      4300
      encodeMessagePack
      (replicate 1000 [1, 2 :: Int]),
    within "encode MessagePack, a thousand records" 130000 encodeMessagePack (replicate 1000 five),
    within "encode CBOR, a thousand pairs in lists" 4300 encodeCbor (replicate 1000 [1, 2 :: Int]),
    within "encode CBOR, a thousand records" 130000 encodeCbor (replicate 1000 five),
    within
      "encode native, a thousand pairs in lists"
      4300
      encodeNative
      (replicate 1000 [1, 2 :: Int]),
    within "encode native, a thousand records" 38700 encodeNative (replicate 1000 five),
    unpacking
      "a thousand records"
      236000
      (decodeMessagePack @[Five])
      (encodeMessagePack (replicate 1000 five)),
    decoding
      "CBOR, a thousand records"
      236000
      (decodeCbor @[Five])
      (encodeCbor (replicate 1000 five)),
    packing "a record of 5 integers" five,
    packing "a record of 25 integers" twentyFive,
    packing "a mixed record" mixed,
    unpacking "a record of 5 integers" 310 (decodeMessagePack @Five) (encodeMessagePack five),
    unpacking
      "a record of 25 integers"
      950
      (decodeMessagePack @TwentyFive)
      (encodeMessagePack twentyFive),
    unpacking
      "fields in any order"
      310
      (decodeMessagePack @Five)
      "\x86\xa7\&field05\x01\xa7\&field04\x02\xa1x\x90\xa7\&field03\x03\xa7\&field02\x04\
      \\xa7\&field01\x05",
    unpacking "a mixed record" 300 (decodeMessagePack @Mixed) (encodeMessagePack mixed),
    unpacking "a sum" 350 (decodeMessagePack @Choice) (encodeMessagePack (Number 5)),
    unpacking
      "a thousand pairs in lists"
      180000
      (decodeMessagePack @[[Int]])
      (encodeMessagePack (replicate 1000 [1, 2 :: Int])),
    writing "encode CBOR, a record of 5 integers" encodeCbor five,
    writing "encode CBOR, a record of 25 integers" encodeCbor twentyFive,
    writing "encode CBOR, a mixed record" encodeCbor mixed,
    decoding "CBOR, a record of 5 integers" 310 (decodeCbor @Five) (encodeCbor five),
    decoding "CBOR, a record of 25 integers" 950 (decodeCbor @TwentyFive) (encodeCbor twentyFive),
    decoding
      "CBOR, fields in any order"
      310
      (decodeCbor @Five)
      "\xa6\x67\&field05\x01\x67\&field04\x02\x61x\x80\x67\&field03\x03\x67\&field02\x04\
      \\x67\&field01\x05",
    decoding
      "CBOR, fields in a map without a length"
      310
      (decodeCbor @Five)
      "\xbf\x67\&field01\x01\x67\&field02\x02\x67\&field03\x03\x67\&field04\x04\
      \\x67\&field05\x05\xff",
    decoding "CBOR, a mixed record" 300 (decodeCbor @Mixed) (encodeCbor mixed),
    decoding "CBOR, a sum" 350 (decodeCbor @Choice) (encodeCbor (Number 5)),
    decoding
      "CBOR, a thousand pairs in lists"
      180000
      (decodeCbor @[[Int]])
      (encodeCbor (replicate 1000 [1, 2 :: Int])),
    writing "encode native, a record of 5 integers" encodeNative five,
    writing "encode native, a record of 25 integers" encodeNative twentyFive,
    writing "encode native, a mixed record" encodeNative mixed,
    decoding "native, a record of 5 integers" 250 (decodeNative @Five) (encodeNative five),
    decoding
      "native, a record of 25 integers"
      850
      (decodeNative @TwentyFive)
      (encodeNative twentyFive),
    decoding "native, a mixed record" 230 (decodeNative @Mixed) (encodeNative mixed),
    decoding "native, a sum" 200 (decodeNative @Choice) (encodeNative (Number 5)),
    decoding
      "native, a thousand pairs in lists"
      180000
      (decodeNative @[[Int]])
      (encodeNative (replicate 1000 [1, 2 :: Int])),
    within
      "encode native, a thousand integers of a fixed width"
      9000
      encodeNative
      fixedWidths,
    decoding
      "native, a thousand integers of a fixed width"
      8300
      (decodeNative @(VU.Vector (FixedWidth Int)))
      (encodeNative fixedWidths),
    decoding
      "native, a thousand integers of a fixed width in a list"
      65000
      (decodeNative @[FixedWidth Int])
      (encodeNative fixedWidths),
    decoding
      "native, a thousand records, with the stack for a list"
      110000
      (decodeNative @[Five])
      (encodeNative (replicate 1000 five)),
    testCase "a string of a megabyte of backslashes allocates at most three times the output" $ do
      let output = T.replicate 524288 "\\"
          input = encodeJson output
      read' <- allocatedBy (decodeJson @Text) input
      written <- allocatedBy (encodeJson @Text) output
      assertBool (show (read', written)) (read' <= 3 * 524288 && written <= 1.1 * 1048576)
  ]
    <> either (pure . testCase "names known at run time" . assertFailure . show) asData named

-- | A field that is data costs some hundred bytes, and nothing that grows with its name.
asData :: Codec Five -> [TestTree]
asData c =
  [ within "encode, names known at run time" 900 (Codec.encodeJson c) five,
    within "encode MessagePack, names known at run time" 900 (Codec.encodeMessagePack c) five,
    within "encode CBOR, names known at run time" 900 (Codec.encodeCbor c) five,
    within "encode native, names known at run time" 900 (Codec.encodeNative c) five,
    decoding "names known at run time" 1500 (Codec.decodeJson c defaultLimits) (encodeJson five),
    unpacking
      "names known at run time"
      1500
      (Codec.decodeMessagePack c defaultLimits)
      (encodeMessagePack five),
    decoding
      "CBOR, names known at run time"
      1500
      (Codec.decodeCbor c defaultLimits)
      (encodeCbor five),
    decoding
      "native, names known at run time"
      1650
      (Codec.decodeNative c defaultLimits)
      (encodeNative five)
  ]

-- | At most the output and 200 bytes.
encoding :: (Wire a) => String -> a -> TestTree
encoding name = writing ("encode " <> name) encodeJson
{-# INLINE encoding #-}

packing :: (Wire a) => String -> a -> TestTree
packing name = writing ("encode MessagePack, " <> name) encodeMessagePack
{-# INLINE packing #-}

writing :: String -> (a -> ByteString) -> a -> TestTree
writing name encode value = testCase name $ do
  bytes <- allocatedBy encode value
  let ceiling' = fromIntegral (B.length (encode value)) + 200
  assertBool (show bytes <> " bytes, at most " <> show ceiling') (bytes <= ceiling')

-- | At most @most@ bytes: of outputs longer than a chunk, whose arrays grow.
within :: String -> Double -> (a -> ByteString) -> a -> TestTree
within name most encode value = testCase name $ do
  bytes <- allocatedBy encode value
  assertBool (show bytes <> " bytes, at most " <> show most) (bytes <= most)

unpacking :: String -> Double -> (ByteString -> Either Error a) -> ByteString -> TestTree
unpacking name = decoding ("MessagePack, " <> name)

decoding :: String -> Double -> (ByteString -> Either Error a) -> ByteString -> TestTree
decoding name most decode input = testCase ("decode " <> name) $ do
  bytes <- allocatedBy decode input
  assertBool (show bytes <> " bytes, at most " <> show most) (bytes <= most)
