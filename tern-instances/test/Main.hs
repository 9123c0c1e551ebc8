{-# LANGUAGE OverloadedStrings #-}
-- What is tried is the library, which is optimised: the cases need not be.
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | The instances in every format, and beside aeson where it has them.
module Main (main) where

import Data.Aeson qualified as Aeson
import Data.ByteString.Lazy qualified as BL
import Data.CaseInsensitive qualified as CI
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Data.These (These (..))
import Network.URI (URI, nullURI, parseURIReference)
import Tern
  ( Error,
    Wire,
    decodeJson,
    decodeMessagePack,
    decodeNative,
    encodeJson,
    encodeMessagePack,
    encodeNative,
    renderError,
  )
import Tern.Instances ()
import Tern.Testkit.Tally (runSuite)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

main :: IO ()
main =
  runSuite $
    testGroup
      "instances of other packages' types"
      [ testProperty "These" . forAll these $ \t ->
          conjoin
            [ returns t,
              encodeJson t === BL.toStrict (Aeson.encode t),
              Aeson.decodeStrict (encodeJson t) === Just t
            ],
        testProperty "CI" . forAll (T.pack <$> listOf (elements "aBcÄöX")) $ \t ->
          conjoin
            [ returns (CI.mk t),
              fmap CI.original (decodeJson (encodeJson (CI.mk t)))
                === Right t
            ],
        testProperty "URI" . forAll uris $ \u ->
          conjoin [returns u, encodeJson u === encodeJson (show u)],
        testCase "keys" $ do
          encodeJson (Map.fromList [(CI.mk ("Accept" :: Text), True)]) @?= "{\"Accept\":true}"
          decodeJson "{\"ACCEPT\":true}"
            @?= Right (Map.fromList [(CI.mk ("accept" :: Text), True)]),
        testCase "what is wrong" $ do
          says
            (decodeJson "{}" :: Either Error (These Int Int))
            "{}"
            "line 1, column 1, at $: expected This, That, or both"
          says
            (decodeJson "\"a b\"" :: Either Error URI)
            "\"a b\""
            "line 1, column 1, at $: expected a URI"
      ]
  where
    says result input expected = either (renderError input) (T.pack . show) result @?= expected

returns :: (Wire a, Eq a, Show a) => a -> Property
returns a =
  conjoin
    [ decodeJson (encodeJson a)
        === Right a,
      decodeMessagePack (encodeMessagePack a) === Right a,
      decodeNative (encodeNative a) === Right a
    ]

these :: Gen (These Int Text)
these = oneof [This <$> arbitrary, That <$> text, These <$> arbitrary <*> text]
  where
    text = T.pack <$> listOf (elements "ab\"\\é")

uris :: Gen URI
uris =
  fromMaybe nullURI . parseURIReference . concat
    <$> sequence
      [ elements
          ["", "http:", "urn:"],
        elements ["", "//example.org", "//u@h:80"],
        elements ["", "/", "/a%20b", "/x/../y"],
        elements ["", "?q=1&r"],
        elements ["", "#part"]
      ]
