{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Other implementations, Python's @msgpack@ and @cbor2@, and Rust's @rmp-serde@ and
-- @ciborium@, read what Tern writes, and Tern reads what they write.
--
-- Those in Rust are programs of ours (@test\/peers@), since serde has types for what it
-- reads; where they were built, @TERN_RMP_SERDE@ and @TERN_CIBORIUM@ say where they are.
module Tern.InteropTest (tests) where

import Data.ByteString qualified as B
import Data.List (nub)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Vector qualified as V
import Tern
import Tern.Derive.Declarations (arbitraryAny)
import Tern.Derive.Generics qualified as Generics
import Tern.Derive.Renamed qualified as Renamed
import Tern.MessagePack.Value (Value (..), timestamp)
import Tern.Peer (Peer, built, python, there)
import Test.Tasty
import Test.Tasty.QuickCheck hiding (Fixed)

tests :: TestTree
tests =
  testGroup
    "with others"
    [ testGroup
        "Python's msgpack"
        [ there msgpack "values of any shape" encodeMessagePack decodeMessagePack (resize 20 value),
          there
            msgpack
            "records"
            encodeMessagePack
            decodeMessagePack
            (arbitraryAny 8 :: Gen Generics.Fields),
          there
            msgpack
            "sums"
            encodeMessagePack
            decodeMessagePack
            (arbitraryAny 8 :: Gen Generics.Term),
          there
            msgpack
            "maps, integers of any size"
            encodeMessagePack
            decodeMessagePack
            (arbitraryAny 8 :: Gen Generics.Plain),
          there
            msgpack
            "sums in maps of one pair"
            encodeMessagePack
            decodeMessagePack
            (arbitraryAny 8 :: Gen Renamed.Shape)
        ],
      testGroup
        "Rust's rmp-serde, the same bytes"
        [ there
            (rust "records")
            "records"
            encodeMessagePack
            decodeMessagePack
            (arbitraryAny 8 :: Gen Generics.Fields),
          there
            (rust "enumerations")
            "enumerations"
            encodeMessagePack
            decodeMessagePack
            (arbitraryAny 8 :: Gen Generics.Colour),
          there
            (rust "trees")
            "trees"
            encodeMessagePack
            decodeMessagePack
            (arbitraryAny 8 :: Gen (Generics.Tree Int))
        ],
      testGroup
        "Python's cbor2"
        [ there cbor2 "records" encodeCbor decodeCbor (arbitraryAny 8 :: Gen Generics.Fields),
          there cbor2 "sums" encodeCbor decodeCbor (arbitraryAny 8 :: Gen Generics.Term),
          there
            cbor2
            "maps, integers of any size"
            encodeCbor
            decodeCbor
            (arbitraryAny 8 :: Gen Generics.Plain),
          there
            cbor2
            "sums in maps of one pair"
            encodeCbor
            decodeCbor
            (arbitraryAny 8 :: Gen Renamed.Shape)
        ],
      testGroup
        "Rust's ciborium, the same bytes"
        [ there
            (ciborium "records")
            "records"
            encodeCbor
            decodeCbor
            (arbitraryAny 8 :: Gen Generics.Fields),
          there
            (ciborium "enumerations")
            "enumerations"
            encodeCbor
            decodeCbor
            (arbitraryAny 8 :: Gen Generics.Colour),
          there
            (ciborium "trees")
            "trees"
            encodeCbor
            decodeCbor
            (arbitraryAny 8 :: Gen (Generics.Tree Int))
        ]
    ]

msgpack :: Peer
msgpack =
  python
    "msgpack"
    [ "import sys, msgpack",
      "with open(sys.argv[1], 'rb') as f: value = msgpack.unpackb(f.read(), raw=False, \
      \strict_map_key=False)",
      "with open(sys.argv[2], 'wb') as f: f.write(msgpack.packb(value, use_bin_type=True))"
    ]

cbor2 :: Peer
cbor2 =
  python
    "cbor2"
    [ "import sys, cbor2",
      "with open(sys.argv[1], 'rb') as f: value = cbor2.loads(f.read())",
      "with open(sys.argv[2], 'wb') as f: f.write(cbor2.dumps(value))"
    ]

ciborium :: String -> Peer
ciborium = built "TERN_CIBORIUM" "Rust's ciborium"

-- | For a list of what is called so in its source.
rust :: String -> Peer
rust = built "TERN_RMP_SERDE" "Rust's rmp-serde"

-- | What Python can hold: no single precision, keys that differ, times from
-- 1970 on.
value :: Gen Value
value = sized $ \n ->
  frequency $
    [ (1, pure Nil),
      (1, Bool <$> arbitrary),
      (4, Int <$> oneof [choose (-200, 300), arbitrarySizedBoundedIntegral]),
      (1, Word <$> choose (2 ^ (63 :: Int), maxBound)),
      (2, Float64 <$> arbitrary),
      (3, Str <$> text),
      (1, Bin . B.pack <$> arbitrary),
      (1, Ext <$> choose (0, 127) <*> (B.pack <$> arbitrary)),
      ( 1,
        maybe Nil Timestamp
          <$> (timestamp <$> choose (0, 2 ^ (40 :: Int)) <*> choose (0, 999999999))
      )
    ]
      <> if n <= 1
        then []
        else
          [ (3, Array . V.fromList <$> listOf (resize (n `div` 4) value)),
            ( 3,
              listOf key >>= \keys ->
                Map . V.fromList <$> mapM (\k -> (,) k <$> resize (n `div` 4) value) (nub keys)
            )
          ]
  where
    key = oneof [Str <$> text, Int <$> choose (2, 1000000)]

text :: Gen Text
text = T.pack <$> resize 40 (listOf (arbitrary `suchThat` \c -> c < '\xd800' || c > '\xdfff'))
