{-# LANGUAGE OverloadedStrings #-}

-- | Objects and arrays of documents, of every number of members and elements at which they
-- are put together in another way.
module Tern.Values.MembersTest (tests) where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Data.Vector qualified as V
import Tern
import Tern.Testkit.Allocation (allocatedBy, optimised)
import Tern.Value (Value (..), byName, member, members, numberFromInteger, object)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (assertBool, testCase, (@?=))

tests :: TestTree
tests =
  testGroup
    "objects and arrays of any size"
    [ testCase "members keep their order, and the last of a name is found" $
        [n | n <- sizes, distinct <- [1, 2, 7, 1000], not (sound n distinct)] @?= [],
      testCase "an object by hand is the one of its document" $
        [n | n <- sizes, decoded (objectOf n 7) /= Right (Object (object (pairs n 7)))] @?= [],
      testCase "elements keep their order" $
        [ (deep, n)
          | n <- sizes,
            deep <- [0, 2000],
            fmap (V.map Just . inner deep) (decoded (around deep (arrayOf n)))
              /= Right (V.fromList (map (Just . number) [0 .. n - 1]))
        ]
          @?= [],
      testCase "what is within them is not mixed up" $ do
        let rows = "[" <> B.intercalate "," [objectOf n 1000 | n <- sizes] <> "]"
        fmap encodeJson (decoded rows) @?= Right rows,
      testCase "values that nobody looks at are not worked out" $ do
        let others = [(T.pack (show i), error "looked at") | i <- [1 .. 50 :: Int]]
            o = object (("a", Null) : others)
        member "a" o @?= Just Null
        length (members o) @?= 51,
      testCase "pairs of numbers" $ atMost 200 "[1.5,-2.25]",
      testCase "objects of two texts" $ atMost 420 "{\"a\":\"b\",\"c\":\"d\"}"
    ]

-- | Around 64, up to which parts wait on the stack, and where room for elements grows.
sizes :: [Int]
sizes =
  concat [[0 .. 3], [31 .. 33], [62 .. 68], [127 .. 130], [255 .. 258], [511 .. 514], [3000]]

-- | @n@ members of an object, with @distinct@ names.
pairs :: Int -> Int -> [(Text, Value)]
pairs n distinct = [(T.pack ("k" <> show (i `mod` distinct)), number i) | i <- [0 .. n - 1]]

objectOf :: Int -> Int -> ByteString
objectOf n distinct =
  "{"
    <> B.intercalate
      ","
      [ BC.pack (concat ["\"k", show (i `mod` distinct), "\":", show i])
        | i <- [0 .. n - 1]
      ]
    <> "}"

arrayOf :: Int -> ByteString
arrayOf n = "[" <> B.intercalate "," [BC.pack (show i) | i <- [0 .. n - 1]] <> "]"

number :: Int -> Value
number = Number . numberFromInteger . toInteger

decoded :: ByteString -> Either Error Value
decoded = decodeJsonWith unlimited

sound :: Int -> Int -> Bool
sound n distinct = case decoded (objectOf n distinct) of
  Right value@(Object o) ->
    members o == wanted
      && byName o == index
      && all (\k -> member k o == Map.lookup k index) ("" : "no" : Map.keys index)
      && encodeJson value == objectOf n distinct
  _ -> False
  where
    wanted = pairs n distinct
    index = Map.fromList wanted

-- | Within @n@ arrays.
around :: Int -> ByteString -> ByteString
around n middle = B.replicate n 91 <> middle <> B.replicate n 93

inner :: Int -> Value -> V.Vector Value
inner n value = case value of
  Array vs
    | n == 0 -> vs
    | V.length vs == 1 -> inner (n - 1) (V.head vs)
  _ -> V.empty

-- | What one of a thousand allocates.
atMost :: Double -> ByteString -> IO ()
atMost most one = do
  all' <- allocatedBy decoded ("[" <> B.intercalate "," (replicate 1000 one) <> "]")
  assertBool (show (all' / 1000) <> " bytes") (not optimised || all' / 1000 <= most)
