-- | A second package that has aeson's instances moves over: each of its types, which are not
-- changed, writes what its own instance writes, and reads what that reads. What is read otherwise
-- is known.
--
-- Members stand in the order of the fields, where the package's own instances order them by name.
module Tern.Aeson.MovedTest (tests) where

import Data.Aeson qualified as A
import Data.ByteString.Lazy qualified as BL
import Tern
import Tern.Laws (Law (..), laws)
import Tern.Moved (Apart (..), Measured (..), Moved (..))
import Tern.Moved.Package (apart, moved, timeline)
import Tern.Testkit.Tally (skip)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

tests :: TestTree
tests = testGroup "twitter-types" (if null moved then [absent] else present)
  where
    absent = skip "each type" "twitter-types is not there"
    present =
      [ testGroup "each type" (map lawful moved),
        testGroup "what is read otherwise" (map readOtherwise apart),
        testGroup "a timeline" (maybe [] (measured . ($ 100)) timeline)
      ]

lawful :: Moved -> TestTree
lawful (Moved name value) =
  testGroup
    name
    [ testProperty "the same members with the same values" $ \n ->
        A.decodeStrict (encodeJson (value n)) === Just (A.toJSON (value n)),
      testProperty "each reads what either writes" $ \n ->
        [ reads' document
          | document <- [encodeJson (value n), BL.toStrict (A.encode (value n))],
            reads' <- [readTern, A.decodeStrict]
        ]
          === replicate 4 (Just (value n)),
      testProperty "MessagePack, CBOR and the native format" $ \n ->
        ( decodeMessagePack (encodeMessagePack (value n)),
          decodeCbor (encodeCbor (value n)),
          decodeNative (encodeNative (value n))
        )
          === (Right (value n), Right (value n), Right (value n)),
      testProperty "all laws" . withMaxSuccess 4 $ \n ->
        [lawName law | law <- laws, Just _ <- [broken law (value n)]] === []
    ]
  where
    readTern bytes = either (const Nothing) Just (decodeJson bytes)

readOtherwise :: Apart -> TestTree
readOtherwise (Apart name found expected) = testCase name (found @?= expected)

measured :: Measured -> [TestTree]
measured (Measured value whole ternW aesonW ternR aesonR) =
  [ testCase "each library reads what either writes" $
      sequence_
        [ assertBool "" (decoded bytes == Just value)
          | bytes <- [ternW value, aesonW value],
            decoded <- [ternR, aesonR]
        ],
    testCase "it can be evaluated" (whole value @?= ())
  ]
