{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Other implementations, Python's @cbor2@ and Rust's @ciborium@, read what Tern
-- writes, and Tern reads what they write. (How a declared type is told to serde is
-- for "Tern.InteropTest".)
module Tern.Cbor.InteropTest (tests) where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.List (nub)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Vector qualified as V
import Tern.Cbor.Model qualified as Model
import Tern.Cbor.ModelTest (view)
import Tern.Cbor.Value (Value (..), encodeValue, simple, valueR)
import Tern.Error (Error (..), Expected (..), Reason (..))
import Tern.Internal.Cbor.Document (decodeWith)
import Tern.Limits (defaultLimits)
import Tern.Peer (Peer (..), built, python, there)
import Test.QuickCheck.Gen (unGen)
import Test.QuickCheck.Random (mkQCGen)
import Test.Tasty
import Test.Tasty.QuickCheck hiding (Negative)

tests :: TestTree
tests =
  testGroup
    "CBOR, with others"
    [ testGroup
        "Python's cbor2"
        [ there cbor2 "values of any shape" encoded decoded (resize 20 (value True 5)),
          there
            cbor2
            "values of any shape, in any encoding"
            spelled
            decoded
            (resize 20 (value True 5)),
          there
            canonical
            "values of any shape, in the fewest bytes"
            encoded
            decoded
            (resize 20 (value True 1))
        ],
      testGroup
        "Rust's ciborium"
        [ there
            (rust "values")
            "values of any shape, the same bytes"
            encoded
            decoded
            (resize 20 (value False 5)),
          there
            (rust "values") {sameBytes = False}
            "values of any shape, in any encoding"
            spelled
            decoded
            (resize 20 (value False 5))
        ]
    ]
  where
    encoded = encodeValue . Array . V.fromList
    decoded :: ByteString -> Either Error [Value]
    decoded bytes = case decodeWith valueR defaultLimits bytes of
      Right (Array vs) -> Right (V.toList vs)
      Right _ -> Left (Error 0 [] (Unexpected AnArray))
      Left failure -> Left failure
    spelled vs = B.pack (unGen (Model.spelled (Model.Array (map view vs))) (mkQCGen 7) 20)

cbor2, canonical :: Peer
cbor2 = python "cbor2" (script "")
-- It sorts the pairs of maps, as RFC 7049 had it.
canonical = python "cbor2" (script ", canonical=True")

script :: String -> [String]
script how =
  [ "import sys, cbor2",
    "with open(sys.argv[1], 'rb') as f: value = cbor2.loads(f.read())",
    "with open(sys.argv[2], 'wb') as f: f.write(cbor2.dumps(value" <> how <> "))"
  ]

-- | For a list of what is called so in its source.
rust :: String -> Peer
rust = built "TERN_CIBORIUM" "Rust's ciborium"

-- | What others can hold: keys that differ, tags that they do not know, no NaN.
-- With undefined and simple values or without, and
-- with at most @pairs@ pairs in a map.
value :: Bool -> Int -> Gen Value
value all' pairs = sized $ \n ->
  frequency $
    [ (1, pure Null),
      (1, Bool <$> arbitrary),
      (4, Unsigned <$> oneof [choose (0, 300), arbitrarySizedBoundedIntegral]),
      (2, Negative <$> oneof [choose (0, 300), arbitrarySizedBoundedIntegral]),
      ( 2,
        Float
          <$> oneof
            [ arbitrary,
              fromIntegral
                <$> (arbitrary :: Gen Int),
              elements
                [ 0,
                  -0.0,
                  1
                    / 0,
                  -1 / 0,
                  65504,
                  65505,
                  5.960464477539063e-8,
                  3.4028234663852886e38,
                  1.1
                ]
            ]
      ),
      (3, Text <$> text),
      (1, Bytes . B.pack <$> arbitrary)
    ]
      <> ( if all'
             then
               [ (1, pure Undefined),
                 ( 1,
                   maybe Null Simple . simple
                     <$> oneof [choose (0, 19), choose (32, 255)]
                 )
               ]
             else []
         )
      <> if n <= 1
        then []
        else
          [ ( 1,
              Tag
                <$> elements [6, 999, 65536, 4294967296]
                <*> resize (n `div` 2) (value all' pairs)
            ),
            (3, Array . V.fromList <$> listOf (resize (n `div` 4) (value all' pairs))),
            ( 3,
              listOf key >>= \keys ->
                Map . V.fromList
                  <$> mapM
                    (\k -> (,) k <$> resize (n `div` 4) (value all' pairs))
                    (take pairs (nub keys))
            )
          ]
  where
    key =
      oneof
        [ Text
            <$> text,
          Unsigned <$> choose (2, 1000000),
          Negative <$> choose (0, 1000),
          Bytes . B.pack <$> resize 5 arbitrary
        ]

text :: Gen Text
text = T.pack <$> resize 40 (listOf (arbitrary `suchThat` \c -> c < '\xd800' || c > '\xdfff'))
